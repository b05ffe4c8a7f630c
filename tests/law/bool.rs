//! "To bool: zero (of either sign) is false, anything else is true, NaN too, under every option and
//! before any rounding. From bool: the integer 0 or 1, then the rules for integers."

use crate::cases::{cast, real_dtypes};
use crate::support::dtypes::{INTEGERS, complex, is_float, num, width};
use crate::support::floats::{FORMATS, format};
use crate::support::options::every_option;
use crate::support::random::Random;
use simdcast_kernels::{DType, Overflow, Rounding};

/// Codes of a real dtype: all, or those with one bit set or cleared and some random ones.
fn codes(dtype: DType) -> Vec<u128> {
    let width = width(dtype);
    if width <= 8 {
        return (0..1 << width).collect();
    }
    let mask = u128::MAX >> (128 - width);
    let mut random = Random::new(1);
    let mut codes = vec![0, mask];
    for bit in 0..width {
        codes.extend([1 << bit, mask ^ 1 << bit, (1 << bit) - 1]);
    }
    codes.extend((0..50).map(|_| u128::from(random.bits()) & mask));
    codes
}

/// Whether a code is a zero: code 0 where the dtype has a zero, and -0 where it has one.
fn is_zero(dtype: DType, code: u128) -> bool {
    match dtype {
        DType::Float8E8M0Fnu => false,
        DType::Float8E4M3Fnuz | DType::Float8E5M2Fnuz | DType::Float8E4M3B11Fnuz => code == 0,
        _ if is_float(dtype) => code & !u128::from(format(dtype).sign) == 0,
        _ => code == 0,
    }
}

#[test]
fn to_bool_under_every_option() {
    for from in real_dtypes() {
        let codes = codes(from);
        let cases: Vec<_> =
            codes.iter().map(|code| (*code, u128::from(!is_zero(from, *code)))).collect();
        for options in every_option() {
            cast(from, DType::Bool).options(options).anywhere(&cases);
        }
    }
}

#[test]
fn zeros_of_either_sign_are_false_and_the_least_of_numbers_is_true() {
    for from in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
        let sign = u128::from(format(from).sign);
        let to_bool = cast(from, DType::Bool).checked().rounding(Rounding::TowardZero);
        to_bool.gives_all(&[(0, 0), (sign, 0), (1, 1), (sign | 1, 1)]);
    }
}

#[test]
fn nan_and_infinity_are_true() {
    for format in &FORMATS {
        let specials = [format.nan, format.infinity];
        for code in specials.into_iter().flatten().map(u128::from) {
            cast(format.dtype, DType::Bool).gives(code, 1);
            cast(format.dtype, DType::Bool).checked().gives(code, 1);
        }
    }
}

#[test]
fn complex_to_bool_is_true_if_either_part_is() {
    for (from, of) in crate::support::dtypes::COMPLEX {
        let (zero, minus_zero) = (num(of, 0.0), num(of, -0.0));
        let nan = u128::from(format(of).nan.expect("has a NaN"));
        let parts = [(zero, false), (minus_zero, false), (1, true), (nan, true)];
        for (re, a) in parts {
            for (im, b) in parts {
                for options in every_option() {
                    let case = (complex(from, re, im), u128::from(a || b));
                    cast(from, DType::Bool).options(options).anywhere(&[case]);
                }
            }
        }
    }
}

#[test]
fn from_bool_to_numbers_is_0_or_1() {
    for (to, _, highest) in INTEGERS {
        if highest > 0 {
            for options in every_option() {
                cast(DType::Bool, to).options(options).anywhere(&[(0, 0), (1, 1)]);
            }
        }
    }
    for format in FORMATS.iter().filter(|format| format.dtype != DType::Float8E8M0Fnu) {
        let one = num(format.dtype, 1.0);
        for options in every_option() {
            cast(DType::Bool, format.dtype).options(options).anywhere(&[(0, 0), (1, one)]);
        }
    }
}

#[test]
fn true_to_int1_is_minus_1_by_its_low_bit_and_0_when_saturated() {
    let to_int1 = cast(DType::Bool, DType::Int1);
    to_int1.gives_all(&[(0, 0), (1, 1)]);
    cast(DType::Int1, DType::Int8).turns(-1, -1);
    to_int1.overflow(Overflow::Wrap).gives_all(&[(0, 0), (1, 1)]);
    to_int1.overflow(Overflow::Saturate).gives_all(&[(0, 0), (1, 0)]);
    to_int1.checked().gives(0, 0);
    to_int1.refuses(&[1]);
}

#[test]
fn false_is_zero_to_e8m0() {
    let to_powers = cast(DType::Bool, DType::Float8E8M0Fnu);
    to_powers.gives_all(&[(0, 0x00), (1, 0x7f)]);
    to_powers.saturate(false).gives_all(&[(0, 0xff), (1, 0x7f)]);
    to_powers.checked().gives(1, 0x7f);
    to_powers.refuses(&[0]);
}
