/* The C library in C: a flat cast, a checked one and its error, a plan, strides, and where dtypes meet.
 *
 *     cargo build --release --features capi
 *     cc -std=c99 -Iinclude examples/c/cast.c -Ltarget/release -lsimdcast -o cast
 *     LD_LIBRARY_PATH=target/release ./cast
 */
#include "simdcast.h"

#include <stdio.h>

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, simdcast_last_error());
  return 1;
}

int main(void) {
  const float floats[6] = {1.0f, -2.5f, 65519.0f, 65520.0f, 1e-8f, 3.0f};
  uint16_t halves[6];
  uint8_t bytes[6];
  simdcast_options checked = SIMDCAST_OPTIONS_DEFAULT;
  simdcast_plan *plan;
  const size_t shape[2] = {3, 2};
  const ptrdiff_t columns[2] = {4, 12};
  int32_t common;
  int i;

  printf("simdcast %s on %s\n", simdcast_version(), simdcast_isa());

  if (simdcast_cast(SIMDCAST_FLOAT32, floats, sizeof floats, SIMDCAST_FLOAT16, halves, sizeof halves, 6, NULL))
    return failed("float32 to float16");
  printf("float16:");
  for (i = 0; i < 6; i++) printf(" %04x", (unsigned)halves[i]);
  printf("\n");

  /* Checked: the first element that uint8 cannot hold is -2.5. */
  checked.overflow = SIMDCAST_OVERFLOW_ERROR;
  if (simdcast_cast(SIMDCAST_FLOAT32, floats, sizeof floats, SIMDCAST_UINT8, bytes, sizeof bytes, 6, &checked)
      != SIMDCAST_ERROR_UNFIT)
    return failed("a checked cast");
  printf("element %lu: %s\n", (unsigned long)simdcast_last_error_index(), simdcast_last_error());

  /* Resolved once, run as often as needed. */
  plan = simdcast_plan_new(SIMDCAST_FLOAT16, SIMDCAST_FLOAT8_E4M3FN, NULL);
  if (plan == NULL || simdcast_plan_run(plan, halves, sizeof halves, bytes, sizeof bytes, 6)) return failed("a plan");
  simdcast_plan_free(plan);
  printf("float8_e4m3fn:");
  for (i = 0; i < 6; i++) printf(" %02x", (unsigned)bytes[i]);
  printf("\n");

  /* Two rows of three, transposed on the way. */
  if (simdcast_cast_strided(SIMDCAST_FLOAT32, floats, sizeof floats, 0, columns, SIMDCAST_UINT8, bytes, sizeof bytes, 0,
                            NULL, shape, 2, NULL))
    return failed("a transposed cast");
  printf("uint8, transposed:");
  for (i = 0; i < 6; i++) printf(" %u", (unsigned)bytes[i]);
  printf("\n");

  common = simdcast_promote("numpy", SIMDCAST_INT64, SIMDCAST_SCALAR_FLOAT);
  if (common < 0) return failed("int64 and a float");
  printf("numpy: int64 and a Python float meet in %s\n", simdcast_dtype_name(common));
  return 0;
}
