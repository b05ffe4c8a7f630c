//! "`Overflow::Error` ignores `saturate`." What it fails on, what it never fails on, and what is
//! written when it does. (By format and rounding: see `float`, `integer`, `e8m0`, `complex`.)

use crate::cases::{Case, DRAWN, cast, real_dtypes};
use crate::support::dtypes::{COMPLEX, INTEGERS, complex, num, width};
use crate::support::floats::{Class, FORMATS, format, power};
use crate::support::options::FIXED_ROUNDINGS;
use simdcast_kernels::{DType, Rounding};

fn double(value: f64) -> u128 {
    num(DType::Float64, value)
}

#[test]
fn saturate_is_ignored() {
    for saturate in [true, false] {
        for format in FORMATS.iter().filter(|format| format.dtype != DType::Float64) {
            let case = cast(DType::Float64, format.dtype).saturate(saturate);
            case.refuses_numbers(&[f64::MAX]);
            let infinity = f64::INFINITY.to_bits().into();
            match format.infinity {
                // An infinity stays one, where the default would clamp it.
                Some(code) => case.checked().gives(infinity, code.into()),
                None => case.refuses(&[infinity]),
            }
        }
    }
}

#[test]
fn a_nan_fails_where_none_exists() {
    for from in FORMATS.iter().filter(|format| format.nan.is_some()) {
        let nans = [from.signed_nan(false), from.signed_nan(true)];
        let nans: Vec<u128> = nans.into_iter().flatten().map(u128::from).collect();
        for to in real_dtypes().filter(|to| *to != from.dtype && *to != DType::Bool) {
            let has_none = INTEGERS.iter().any(|(dtype, ..)| *dtype == to)
                || format(to).class == Class::Finite;
            for saturate in [true, false] {
                let case = cast(from.dtype, to).saturate(saturate).checked();
                if has_none {
                    case.refuses(&nans);
                } else {
                    let nan = |code: &u128| {
                        let negative = nans[0] != nans[1] && *code == nans[1];
                        (*code, format(to).signed_nan(negative).expect("has a NaN").into())
                    };
                    case.gives_all(&nans.iter().map(nan).collect::<Vec<_>>());
                }
            }
        }
    }
}

#[test]
fn never_on_an_inexact_result() {
    for format in FORMATS.iter().filter(|format| format.dtype != DType::Float64) {
        for rounding in FIXED_ROUNDINGS {
            let case = cast(DType::Float64, format.dtype).checked().rounding(rounding);
            let options = case.options;
            for value in [1.0 + power(-40), 2.7, 0.3] {
                let code = double(value);
                let wanted =
                    simdcast::reference::cast(DType::Float64, format.dtype, code, &options, 0);
                let rounded = format.value(wanted.expect("in range") as u64);
                assert!(rounded != value && (rounded - value).abs() < 2.0, "{value}: {rounded}");
                case.gives(code, wanted.expect("in range"));
            }
        }
    }
    for (to, ..) in INTEGERS.into_iter().filter(|(_, _, highest)| *highest >= 3) {
        for rounding in FIXED_ROUNDINGS {
            let rounded = if rounding == Rounding::Up { 3.0 } else { 2.0 };
            cast(DType::Float64, to).checked().rounding(rounding).maps(2.25, rounded);
        }
    }
    cast(DType::Int64, DType::Float32).checked().gives(16777217, 0x4b80_0000);
}

#[test]
fn never_on_an_underflow_to_zero() {
    let (tiny, minus_tiny) = (double(power(-1000)), double(-power(-1000)));
    for format in FORMATS.iter() {
        if matches!(format.dtype, DType::Float64 | DType::Float8E8M0Fnu) {
            continue;
        }
        let minus_zero = if format.class == Class::Fnuz { 0 } else { format.sign.into() };
        let case = cast(DType::Float64, format.dtype).checked();
        for rounding in [Rounding::Default, Rounding::TowardZero, Rounding::NearestAway] {
            case.rounding(rounding).gives_all(&[(tiny, 0), (minus_tiny, minus_zero)]);
        }
    }
    for (to, ..) in INTEGERS {
        cast(DType::Float64, to).checked().gives_all(&[(tiny, 0), (minus_tiny, 0)]);
    }
}

#[test]
fn never_on_minus_0_into_an_integer_or_fnuz() {
    let minus_zero = double(-0.0);
    for (to, ..) in INTEGERS {
        cast(DType::Float64, to).checked().gives(minus_zero, 0);
    }
    for to in [DType::Float8E4M3Fnuz, DType::Float8E5M2Fnuz, DType::Float8E4M3B11Fnuz] {
        cast(DType::Float64, to).checked().gives(minus_zero, 0);
    }
}

#[test]
fn never_on_anything_into_bool() {
    for from in DType::ALL {
        let ones = u128::MAX >> (128 - width(from));
        let case = cast(from, DType::Bool).checked();
        // All ones: -1, the highest number, a NaN, a NaN in both parts.
        case.gives(ones, 1);
    }
    for (from, of) in COMPLEX {
        cast(from, DType::Bool).checked().gives(complex(from, 0, num(of, 1.0)), 1);
    }
}

/// "After a failure the elements before the first bad one are written."
#[test]
fn the_elements_before_the_first_bad_one_are_written() {
    let pairs = [
        (DType::Int32, DType::UInt8, 7, 300),
        (DType::Float64, DType::Int16, double(-3.5), double(4e4)),
        (DType::Float32, DType::Float8E4M3Fn, 0x4000_0000, 0x7f80_0000),
        (DType::Float32, DType::Float4E2M1FnX2, 0x4000_0000, 0x7fc0_0000),
        (DType::Complex64, DType::Float32, 0x4000_0000, 1 << 32),
        (DType::UInt64, DType::Float16, 65519, 65520),
        (DType::Float16, DType::Float8E8M0Fnu, 0x3e00, 0x8001),
        (DType::Int4x2, DType::UInt2x4, 3, 4),
    ];
    for (from, to, good, bad) in pairs {
        let case: Case = cast(from, to).checked();
        for length in [1, 2, 63, 64, 65, 200] {
            for at in [0, 1, length / 2, length - 1] {
                let mut codes = vec![good; length];
                for place in [at, length - 1] {
                    codes[place.min(length - 1)] = bad;
                }
                case.fails_at(&codes, at.min(length - 1));
            }
        }
    }
}

/// A stochastic rounding can push a number out of range; an exact one it never moves.
#[test]
fn exact_numbers_fail_under_no_rounding() {
    for rounding in FIXED_ROUNDINGS.into_iter().chain([DRAWN]) {
        for format in FORMATS.iter().filter(|format| format.dtype != DType::Float64) {
            let case = cast(DType::Float64, format.dtype).checked().rounding(rounding);
            let largest = format.magnitude(format.largest);
            case.anywhere(&[(double(largest), format.largest.into())]);
        }
        let case = cast(DType::Float64, DType::UInt8).checked().rounding(rounding);
        case.anywhere(&[(double(255.0), 255), (double(0.0), 0)]);
    }
}
