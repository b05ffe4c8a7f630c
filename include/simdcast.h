/*
 * simdcast: casts between every pair of array dtypes. One definition, one rounding, the same bits on every CPU.
 *
 *     float floats[4] = {1.0f, 2.5f, -3.0f, 1e9f};
 *     uint16_t halves[4];
 *     if (simdcast_cast(SIMDCAST_FLOAT32, floats, sizeof floats, SIMDCAST_FLOAT16, halves, sizeof halves, 4, NULL))
 *       fprintf(stderr, "%s\n", simdcast_last_error());
 *
 * What a cast means, with every special case, is told by the Rust library's documentation ("reference"); the README
 * has it in short.
 *
 * Every function may be called from any number of threads at once. None of them lets a panic or an exception through,
 * and none reads or writes outside of the buffers that it is given. What an argument must be:
 *
 *   * Buffers have any alignment, and at least the bytes of the elements. Only these are read and written; the source
 *     is never written to. Where there are no elements, buffers may be NULL.
 *   * A source and a destination must not share a byte (simdcast_cast_in_place casts within one buffer).
 *   * Lengths are counted in elements, also of packed dtypes, of which several share a byte.
 *   * A name is a string that ends in a zero byte, in UTF-8.
 *
 * Everything else that can be wrong with an argument gives a status, and a message that names it: see
 * simdcast_last_error. Unless said otherwise nothing was written then.
 */
#ifndef SIMDCAST_H
#define SIMDCAST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ---------------------------------------------------------------------------------------------------- */

/* Changes when something changes here that a program was compiled against; functions, dtypes and fields at the end of
   a struct may come without. */
#define SIMDCAST_ABI_VERSION 1

/* The version of the library that is running: "0.1.0". */
const char *simdcast_version(void);

/* Its SIMDCAST_ABI_VERSION. */
uint32_t simdcast_abi_version(void);

/* ---- Statuses ---------------------------------------------------------------------------------------------------- */

/* What functions answer that answer a status; where others answer -1, SIZE_MAX or NULL for having failed,
   simdcast_last_status tells it. (Past its end a list has not failed.) The numbers never change; new ones may come. */
#define SIMDCAST_OK              0
#define SIMDCAST_ERROR_NULL      1  /* a pointer is NULL that must not be */
#define SIMDCAST_ERROR_DTYPE     2  /* no dtype has this code or name */
#define SIMDCAST_ERROR_LENGTH    3  /* a buffer is too short for the elements, or these are more than memory holds */
#define SIMDCAST_ERROR_OVERLAP   4  /* two buffers share bytes */
#define SIMDCAST_ERROR_OPTION    5  /* an option has a value that it cannot have */
#define SIMDCAST_ERROR_UNFIT     6  /* an element does not fit, and the cast checks: simdcast_last_error_index */
#define SIMDCAST_ERROR_CHANGED   7  /* the value of an element would change: simdcast_last_error_index */
#define SIMDCAST_ERROR_ISA       8  /* no instruction set of that name can be used */
#define SIMDCAST_ERROR_LAYOUT    9  /* a shape or strides that are refused, or a list that is not aligned */
#define SIMDCAST_ERROR_SYSTEM    10 /* no promotion system has that name */
#define SIMDCAST_ERROR_UNDEFINED 11 /* the promotion system leaves it undefined, or what it says is not known */
#define SIMDCAST_ERROR_INTERNAL  12 /* a fault of the library's own, to be reported */

/* What went wrong in this thread's last call that failed; "" if none has. Never NULL. The string is the thread's own,
   and is there until its next call that fails. */
const char *simdcast_last_error(void);

/* That call's status; SIMDCAST_OK if none has failed. */
int32_t simdcast_last_status(void);

/* The index of the element that ended that call; SIZE_MAX if it was not an element. */
size_t simdcast_last_error_index(void);

/* ---- Dtypes ------------------------------------------------------------------------------------------------------ */

/* Codes, which never change: from 0 to simdcast_dtype_count() - 1, without a gap. */
#define SIMDCAST_BOOL                 0
#define SIMDCAST_INT8                 1
#define SIMDCAST_INT16                2
#define SIMDCAST_INT32                3
#define SIMDCAST_INT64                4
#define SIMDCAST_UINT8                5
#define SIMDCAST_UINT16               6
#define SIMDCAST_UINT32               7
#define SIMDCAST_UINT64               8
#define SIMDCAST_INT1                 9
#define SIMDCAST_INT2                 10
#define SIMDCAST_INT4                 11
#define SIMDCAST_UINT1                12
#define SIMDCAST_UINT2                13
#define SIMDCAST_UINT4                14
#define SIMDCAST_BOOL1X8              15
#define SIMDCAST_INT4X2               16
#define SIMDCAST_UINT4X2              17
#define SIMDCAST_INT2X4               18
#define SIMDCAST_UINT2X4              19
#define SIMDCAST_INT1X8               20
#define SIMDCAST_UINT1X8              21
#define SIMDCAST_FLOAT16              22
#define SIMDCAST_BFLOAT16             23
#define SIMDCAST_FLOAT32              24
#define SIMDCAST_FLOAT64              25
#define SIMDCAST_FLOAT8_E4M3FN        26
#define SIMDCAST_FLOAT8_E5M2          27
#define SIMDCAST_FLOAT8_E4M3FNUZ      28
#define SIMDCAST_FLOAT8_E5M2FNUZ      29
#define SIMDCAST_FLOAT8_E4M3          30
#define SIMDCAST_FLOAT8_E3M4          31
#define SIMDCAST_FLOAT8_E4M3B11FNUZ   32
#define SIMDCAST_FLOAT8_E8M0FNU       33
#define SIMDCAST_FLOAT6_E2M3FN        34
#define SIMDCAST_FLOAT6_E3M2FN        35
#define SIMDCAST_FLOAT4_E2M1FN        36
#define SIMDCAST_FLOAT4_E2M1FN_X2     37
#define SIMDCAST_FLOAT6_E2M3FN_X4     38
#define SIMDCAST_FLOAT6_E3M2FN_X4     39
#define SIMDCAST_COMPLEX32            40
#define SIMDCAST_BCOMPLEX32           41
#define SIMDCAST_COMPLEX64            42
#define SIMDCAST_COMPLEX128           43

/* Added to the code of a dtype in an argument of a cast ("from", "to"): its elements are in this byte order, and not in
   the machine's own. (Of a complex dtype the parts are. To dtypes of one byte and packed ones it makes no
   difference.) */
#define SIMDCAST_BIG_ENDIAN    0x100
#define SIMDCAST_LITTLE_ENDIAN 0x200

/* Kinds of numbers. */
#define SIMDCAST_KIND_BOOL    0
#define SIMDCAST_KIND_INT     1
#define SIMDCAST_KIND_UINT    2
#define SIMDCAST_KIND_FLOAT   3
#define SIMDCAST_KIND_COMPLEX 4

/* The dlpack_code of a dtype that DLPack has no code for. */
#define SIMDCAST_DLPACK_NONE 255

typedef struct simdcast_dtype_info {
  uint32_t size;             /* set by the caller to sizeof(simdcast_dtype_info), then to what was written of it: an
                                older library may know fewer fields than the program */
  uint8_t  kind;             /* SIMDCAST_KIND_... */
  uint8_t  bits;             /* from one element to the next: 8 for int4, 4 for int4x2, 64 for complex64 */
  uint8_t  significant_bits; /* that hold the number: 4 for int4 and int4x2, 1 for bool; of complex ones both parts' */
  uint8_t  packed;           /* 1 if elements share bytes */
  uint8_t  dlpack_code;      /* DLDataTypeCode, or SIMDCAST_DLPACK_NONE */
  uint8_t  dlpack_bits;
  uint16_t dlpack_lanes;     /* 1 */
  uint8_t  dlpack_padded;    /* 1 if elements of fewer bits have a byte each (DLPack's flag for a tensor of such) */
  uint8_t  reserved[3];      /* 0 */
} simdcast_dtype_info;

/* How many dtypes there are. */
int32_t simdcast_dtype_count(void);

/* The dtype of a name, as NumPy and ml_dtypes have it ("float8_e4m3fn"), or of an alias that means one dtype wherever
   it is used ("bf16"); -1 if there is none. */
int32_t simdcast_dtype_from_name(const char *name);

/* The name of a dtype, which is there for good; NULL if there is no such dtype. */
const char *simdcast_dtype_name(int32_t dtype);

/* The bytes that elements take; SIZE_MAX if there is no such dtype, or they are more than can be counted. */
size_t simdcast_dtype_bytes(int32_t dtype, size_t elements);

/* Writes what there is to know of a dtype. With a size that is less than that of the fields above nothing is written, and
   it is SIMDCAST_ERROR_OPTION. */
int32_t simdcast_dtype_get_info(int32_t dtype, simdcast_dtype_info *info);

/* The dtype of a DLDataType; -1 if there is none. "padded" matters for elements of fewer than 8 bits: nonzero if each
   has a byte of its own. As many lanes as fill a byte, such as 2 of 4 bits, are those of a packed dtype, too; the shape
   counts bytes then, not elements. */
int32_t simdcast_dtype_from_dlpack(uint8_t code, uint8_t bits, uint16_t lanes, int32_t padded);

/* 1 if every value of a dtype arrives equal in another, 0 if not, -1 if there is no such dtype. */
int32_t simdcast_is_lossless(int32_t from, int32_t to);

/* ---- Casts ------------------------------------------------------------------------------------------------------- */

#define SIMDCAST_OVERFLOW_AS       0
#define SIMDCAST_OVERFLOW_WRAP     1
#define SIMDCAST_OVERFLOW_SATURATE 2
#define SIMDCAST_OVERFLOW_ERROR    3

#define SIMDCAST_ROUNDING_DEFAULT      0
#define SIMDCAST_ROUNDING_TOWARD_ZERO  1
#define SIMDCAST_ROUNDING_UP           2
#define SIMDCAST_ROUNDING_DOWN         3
#define SIMDCAST_ROUNDING_NEAREST_AWAY 4
#define SIMDCAST_ROUNDING_STOCHASTIC   5
#define SIMDCAST_ROUNDING_NEAREST_EVEN 6

/* Start from SIMDCAST_OPTIONS_DEFAULT, which initialises a variable:
       simdcast_options options = SIMDCAST_OPTIONS_DEFAULT;
   An option that cannot affect a pair of dtypes is ignored. */
typedef struct simdcast_options {
  uint32_t size;        /* sizeof(simdcast_options): fields past an older program's struct have their defaults; a larger
                           struct than the library knows is SIMDCAST_ERROR_OPTION */
  uint8_t  overflow;    /* what becomes of numbers that an integer cannot hold: SIMDCAST_OVERFLOW_... */
  uint8_t  saturate;    /* 1 (default): 8-bit floats clamp to their largest number; 0: they turn to infinity or NaN */
  uint8_t  rounding;    /* SIMDCAST_ROUNDING_... */
  uint8_t  reserved;    /* 0 */
  uint64_t seed;        /* for stochastic rounding */
  uint64_t first_index; /* for stochastic rounding: the index, in the whole, of the first element */
  uint32_t threads;     /* 1 (default): the calling thread; N: at most N parts at once; 0: as the machine has threads.
                           (They are started when there is first work for several; a process that is forked afterwards
                           does not have them, and such a cast waits there for ever. Where the system grants none, the
                           calling thread does it all.) */
  uint32_t reserved2;   /* 0 */
} simdcast_options;

#define SIMDCAST_OPTIONS_DEFAULT { sizeof(simdcast_options), 0, 1, 0, 0, 0, 0, 1, 0 }

/* Casts elements of one dtype into as many of another. "options" may be NULL: the default ones.

   SIMDCAST_ERROR_UNFIT comes with SIMDCAST_OVERFLOW_ERROR only. The elements before the index that
   simdcast_last_error_index tells are written then, those after it may have been; with other threads than 1, any may
   have been. */
int32_t simdcast_cast(int32_t from, const void *src, size_t src_bytes,
                      int32_t to, void *dst, size_t dst_bytes,
                      size_t elements, const simdcast_options *options);

/* A cast that is resolved once: for the dtypes and options given, with the instruction set in use now. Any number of
   threads may run it at once. */
typedef struct simdcast_plan simdcast_plan;

/* NULL if an argument cannot be: simdcast_last_error. */
simdcast_plan *simdcast_plan_new(int32_t from, int32_t to, const simdcast_options *options);

/* As simdcast_cast. */
int32_t simdcast_plan_run(const simdcast_plan *plan, const void *src, size_t src_bytes,
                          void *dst, size_t dst_bytes, size_t elements);

/* Frees a plan that no thread runs any more. Of NULL there is nothing to free. */
void simdcast_plan_free(simdcast_plan *plan);

/* Casts all elements, and writes a bit for each into "valid", lowest first, as Arrow has it: 1 if the element fits
   (what SIMDCAST_OVERFLOW_ERROR would accept); bits after the last are 0. An element that does not fit is stored as
   the options have it; SIMDCAST_OVERFLOW_ERROR stores as SIMDCAST_OVERFLOW_AS does. Any number of threads marks the same. */
int32_t simdcast_cast_masked(int32_t from, const void *src, size_t src_bytes,
                             int32_t to, void *dst, size_t dst_bytes,
                             uint8_t *valid, size_t valid_bytes,
                             size_t elements, const simdcast_options *options);

/* Casts up to the first element whose value would change (rounded, out of range, a NaN lost), which is
   SIMDCAST_ERROR_CHANGED: the elements before it are written then, the others are unspecified. By the calling
   thread. */
int32_t simdcast_cast_same_value(int32_t from, const void *src, size_t src_bytes,
                                 int32_t to, void *dst, size_t dst_bytes, size_t elements);

/* Casts the elements that a buffer starts with into those that it starts with afterwards. It has room for both, and
   can be read. SIMDCAST_ERROR_UNFIT leaves it as it was. By the calling thread. */
int32_t simdcast_cast_in_place(int32_t from, int32_t to, void *buffer, size_t buffer_bytes,
                               size_t elements, const simdcast_options *options);

/* Casts elements that lie apart. Both sides have "ndim" dimensions (0 to 32) of the lengths in "shape". The first
   element starts "..._offset" bytes after its buffer's start, and strides count the bytes from an element to the next
   in each dimension: forward, back, or (in the source) none; NULL if the elements lie one after the other, the last
   dimension's first. Packed elements lie one after the other in the last dimension, whose stride is 1.

   No element may lie outside its buffer, no two of the destination may overlap, and the buffers may share no byte. (Whether
   elements that lie between each other overlap may take too long to tell, of many dimensions: these are refused, too.) What
   lies between the elements is not touched: other threads may use it meanwhile.
   The indices of stochastic rounding and of errors count in row-major order. */
int32_t simdcast_cast_strided(int32_t from, const void *src, size_t src_bytes,
                              size_t src_offset, const ptrdiff_t *src_strides,
                              int32_t to, void *dst, size_t dst_bytes,
                              size_t dst_offset, const ptrdiff_t *dst_strides,
                              const size_t *shape, size_t ndim, const simdcast_options *options);

/* ---- Where dtypes meet ------------------------------------------------------------------------------------------- */

/* Operands that are no tensors of a dtype: Python's numbers, which many systems let give way. */
#define SIMDCAST_SCALAR_BOOL    0x1000
#define SIMDCAST_SCALAR_INT     0x1001
#define SIMDCAST_SCALAR_FLOAT   0x1002
#define SIMDCAST_SCALAR_COMPLEX 0x1003

/* Added to the code of a dtype: a tensor without dimensions, which counts less in some systems. */
#define SIMDCAST_ZERO_DIM 0x2000

/* Where two operands (dtypes, scalars) meet in a system: "numpy", "torch", "jax", "jax_x32", "jax_strict", "array_api",
   "tensorflow_all", "tensorflow_safe", "mindspore", "megengine", "megengine_elementwise". A dtype; -1 if the system
   leaves it undefined, or an argument cannot be. */
int32_t simdcast_promote(const char *system, int32_t a, int32_t b);

/* The same of any number of operands, as the system has it: in many that is not pair by pair. Where only scalars meet,
   the system's default dtype of what they come to. (Only the dtype is told. In JAX and TensorFlow a result of scalars
   gives way to other operands: hand in all at once.) */
int32_t simdcast_promote_all(const char *system, const int32_t *operands, size_t count);

/* The rules by which a system may let a dtype be cast to another. */
#define SIMDCAST_CASTING_DEFAULT    0 /* the system's own */
#define SIMDCAST_CASTING_NO         1 /* this and the others as NumPy has them */
#define SIMDCAST_CASTING_EQUIV      2
#define SIMDCAST_CASTING_SAFE       3
#define SIMDCAST_CASTING_SAME_KIND  4
#define SIMDCAST_CASTING_UNSAFE     5
#define SIMDCAST_CASTING_SAME_VALUE 6

/* 1 if the system lets a dtype be cast to another, 0 if not; -1 if it does not say, or an argument cannot be. */
int32_t simdcast_can_cast(const char *system, int32_t from, int32_t to, int32_t casting);

/* ---- Instruction sets -------------------------------------------------------------------------------------------- */

/* The instruction set in use, "avx512_vbmi" for one: the best that this CPU has, unless the environment variable
   SIMDCAST_ISA or simdcast_set_isa names another. The string is there for good. */
const char *simdcast_isa(void);

/* The instruction sets that this CPU has, the best first; NULL past the last. */
const char *simdcast_isa_at(size_t index);

/* Uses another for the casts resolved from now on, in every thread: by its own name, or by that of a family ("avx512"),
   whose best is taken. */
int32_t simdcast_set_isa(const char *name);

#ifdef __cplusplus
}
#endif

#endif /* SIMDCAST_H */
