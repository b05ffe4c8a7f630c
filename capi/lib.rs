//! The C library: the functions of `simdcast::capi`, which `include/simdcast.h` declares.

#[cfg(feature = "capi")]
extern crate functions as _;
