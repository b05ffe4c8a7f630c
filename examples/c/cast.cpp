// The C library in C++11: errors as exceptions, plans that free themselves.
//
//     cargo build --release --features capi
//     c++ -std=c++11 -Iinclude examples/c/cast.cpp -Ltarget/release -lsimdcast -o cast
//     LD_LIBRARY_PATH=target/release ./cast
#include "simdcast.h"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

void check(std::int32_t status) {
  if (status != SIMDCAST_OK) throw std::runtime_error(simdcast_last_error());
}

template <class T>
struct dtype_of;
template <>
struct dtype_of<float> {
  static constexpr std::int32_t value = SIMDCAST_FLOAT32;
};
template <>
struct dtype_of<std::int8_t> {
  static constexpr std::int32_t value = SIMDCAST_INT8;
};

struct free_plan {
  void operator()(simdcast_plan *plan) const { simdcast_plan_free(plan); }
};
using Plan = std::unique_ptr<simdcast_plan, free_plan>;

template <class A, class B>
std::vector<B> cast(const std::vector<A> &src, const simdcast_options *options = nullptr) {
  std::vector<B> dst(src.size());
  Plan plan(simdcast_plan_new(dtype_of<A>::value, dtype_of<B>::value, options));
  if (!plan) throw std::runtime_error(simdcast_last_error());
  check(simdcast_plan_run(plan.get(), src.data(), src.size() * sizeof(A), dst.data(), dst.size() * sizeof(B),
                          src.size()));
  return dst;
}

}  // namespace

int main() {
  const std::vector<float> floats{1.9f, -3.0f, 1e9f};
  for (std::int8_t value : cast<float, std::int8_t>(floats)) std::printf("%d ", value);

  simdcast_options checked = SIMDCAST_OPTIONS_DEFAULT;
  checked.overflow = SIMDCAST_OVERFLOW_ERROR;
  try {
    cast<float, std::int8_t>(floats, &checked);
  } catch (const std::runtime_error &error) {
    std::printf("(%s)\n", error.what());
    return 0;
  }
  return 1;
}
