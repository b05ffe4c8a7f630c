//! Inputs that other libraries get wrong, most by rounding twice. Random data meets such a value once
//! in 130 000 times; here each has a name.

use crate::cases::cast;
use crate::support::dtypes::{int, num};
use crate::support::floats::power;
use simdcast_kernels::DType::*;

/// The float64 next below.
fn below(value: f64) -> f64 {
    f64::from_bits(value.to_bits() - 1)
}

/// The float64 next above.
fn above(value: f64) -> f64 {
    f64::from_bits(value.to_bits() + 1)
}

#[test]
fn float64_to_bfloat16_just_above_a_tie() {
    let value = 1.0 + power(-8) + power(-40);
    cast(Float64, BFloat16).gives(num(Float64, value), 0x3f81);
    cast(Float64, BFloat16).maps(value, 1.0078125);
}

#[test]
fn float64_to_bfloat16_just_below_infinity() {
    // 0x1.ffp127: the tie between the largest number and infinity.
    let tie = (2.0 - power(-8)) * power(127);
    cast(Float64, BFloat16).maps(below(tie), 3.3895313892515355e38);
    cast(Float64, BFloat16).gives(num(Float64, tie), 0x7f80);
}

#[test]
fn float64_to_float16_just_above_a_tie() {
    cast(Float64, Float16).gives(num(Float64, 1.0 + power(-11) + power(-40)), 0x3c01);
}

#[test]
fn float64_to_float16_just_below_a_tie() {
    cast(Float64, Float16).gives(num(Float64, 2047.4999999850988), 0x67ff);
}

#[test]
fn float64_to_float16_just_below_infinity() {
    cast(Float64, Float16).maps(below(65520.0), 65504.0);
    cast(Float64, Float16).gives(num(Float64, 65520.0), 0x7c00);
}

#[test]
fn float64_to_float8_e4m3fn_just_above_a_tie() {
    let value = 1.0 + power(-4) + power(-40);
    cast(Float64, Float8E4M3Fn).gives(num(Float64, value), 0x39);
    cast(Float64, Float8E4M3Fn).maps(value, 1.125);
}

#[test]
fn float64_to_float8_e4m3fn_just_above_464() {
    let value = num(Float64, above(464.0));
    cast(Float64, Float8E4M3Fn).saturate(false).gives(value, 0x7f);
    cast(Float64, Float8E4M3Fn).gives(value, 0x7e);
}

#[test]
fn float64_to_float8_e5m2_just_above_a_tie() {
    cast(Float64, Float8E5M2).maps(1.0 + power(-3) + power(-40), 1.25);
}

#[test]
fn float64_to_float8_e5m2_just_below_61440() {
    cast(Float64, Float8E5M2).saturate(false).maps(below(61440.0), 57344.0);
    cast(Float64, Float8E5M2).saturate(false).gives(num(Float64, 61440.0), 0x7c);
}

#[test]
fn float64_to_float4_just_above_a_quarter() {
    // 0x1.0000000000001p-2: above the tie between 0 and the least number.
    cast(Float64, Float4E2M1Fn).maps(above(0.25), 0.5);
    cast(Float64, Float4E2M1Fn).maps(0.25, 0.0);
}

#[test]
fn integers_to_bfloat16_just_above_a_tie() {
    for from in [Int32, UInt32, Int64, UInt64] {
        cast(from, BFloat16).maps(16842753.0, 16908288.0);
        cast(from, BFloat16).maps(16842752.0, 16777216.0);
    }
}

#[test]
fn int64_to_bfloat16_far_above_float32s_precision() {
    let value = int(Int64, (1 << 62) + (1 << 54) + 1);
    cast(Int64, BFloat16).gives(value, num(BFloat16, power(62) + power(55)));
}

#[test]
fn uint64_to_bfloat16_far_above_float32s_precision() {
    let value = int(UInt64, (1 << 63) + (1 << 55) + 1);
    cast(UInt64, BFloat16).gives(value, num(BFloat16, power(63) + power(56)));
}

#[test]
fn float32_to_float8_e4m3fn_at_464() {
    cast(Float32, Float8E4M3Fn).maps(464.0, 448.0);
    cast(Float32, Float8E4M3Fn).saturate(false).maps(464.0, 448.0);
}

/// A trick for AVX2, which has no such conversion, holds within 2^51 only.
#[test]
fn float64_to_int64_past_2_to_the_51() {
    for exponent in 50..63 {
        for offset in [-1.0, 0.0, 1.0] {
            let value = power(exponent) + offset;
            cast(Float64, Int64).gives(num(Float64, value), int(Int64, value as i128));
            cast(Float64, UInt64).gives(num(Float64, value), int(UInt64, value as i128));
            let (code, negative) = (num(Float64, -value), int(Int64, -(value as i128)));
            cast(Float64, Int64).gives(code, negative);
        }
    }
}
