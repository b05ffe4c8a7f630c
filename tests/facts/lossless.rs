//! "`is_lossless(from, to)`: every value arrives equal under default options, 0 = -0, NaN to NaN;
//! int64 -> float64 is not, float8_e4m3fn -> float16 is."

use crate::codes;
use crate::support::dtypes::component;
use simdcast::is_lossless;
use simdcast_kernels::reference::{cast, decode};
use simdcast_kernels::{DType, Exact, Options};

/// A value in a form that is the same for equal values.
#[derive(PartialEq, Debug)]
enum Value {
    Nan,
    Infinity { negative: bool },
    Zero,
    Number { negative: bool, odd: u64, exponent: i32 },
}

fn value(dtype: DType, code: u64) -> Value {
    match decode(component(dtype), code) {
        Exact::Nan { .. } => Value::Nan,
        Exact::Infinity { negative } => Value::Infinity { negative },
        Exact::Finite { significand: 0, .. } => Value::Zero,
        Exact::Finite { negative, mut significand, mut exponent } => {
            while significand % 2 == 0 {
                significand /= 2;
                exponent += 1;
            }
            Value::Number { negative, odd: significand, exponent }
        }
    }
}

/// The value of a real number, or both parts; a real number is a complex one with imaginary part 0.
fn values(dtype: DType, code: u128) -> (Value, Value) {
    let (re, im) = codes::parts(dtype, code);
    (value(dtype, re), im.map_or(Value::Zero, |im| value(dtype, im)))
}

fn arrives(from: DType, to: DType, code: u128) -> bool {
    let Ok(stored) = cast(from, to, code, &Options::DEFAULT, 0) else { return false };
    values(from, code) == values(to, stored)
}

#[test]
fn of_every_small_source_to_every_destination() {
    for from in codes::small() {
        let codes = codes::of(from, 1);
        for to in DType::ALL {
            let lost = codes.iter().find(|code| !arrives(from, to, **code));
            assert_eq!(is_lossless(from, to), lost.is_none(), "{from} -> {to}: {lost:x?}");
        }
    }
}

/// Larger sources have too many codes for a proof, not for a witness of each loss.
#[test]
fn of_every_large_source_to_every_destination() {
    for from in codes::large() {
        let codes = codes::sample(from);
        for to in DType::ALL {
            let lost = codes.iter().find(|code| !arrives(from, to, **code));
            assert_eq!(is_lossless(from, to), lost.is_none(), "{from} -> {to}: {lost:x?}");
        }
    }
}

#[test]
fn the_examples() {
    assert!(!is_lossless(DType::Int64, DType::Float64));
    assert!(is_lossless(DType::Float8E4M3Fn, DType::Float16));
    assert!(is_lossless(DType::Int32, DType::Float64));
    assert!(is_lossless(DType::Float32, DType::Complex64));
    assert!(!is_lossless(DType::Complex64, DType::Float64));
    assert!(is_lossless(DType::Float8E8M0Fnu, DType::BFloat16));
    assert!(!is_lossless(DType::Bool, DType::Int1));
    assert!(!is_lossless(DType::Int32, DType::Float32));
}

#[test]
fn a_dtype_to_itself_and_to_its_packed_form_loses_nothing() {
    for dtype in DType::ALL {
        assert!(is_lossless(dtype, dtype), "{dtype}");
        assert!(is_lossless(dtype.logical(), dtype) && is_lossless(dtype, dtype.logical()));
    }
}
