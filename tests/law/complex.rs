//! "Complex to complex is per component; real to complex has +0 as imaginary part; complex to real
//! takes the real part; complex to bool is true if either part is." (To bool: see `bool`.)

use crate::cases::{cast, real_dtypes};
use crate::support::dtypes::{COMPLEX, INTEGERS, complex, num};
use crate::support::floats::format;
use simdcast_kernels::{DType, Overflow, Rounding};

/// Component codes that show everything: zeros, numbers, infinities, NaNs.
fn parts(of: DType) -> Vec<u128> {
    let format = format(of);
    let (infinity, nan) = (format.infinity.expect("wide"), format.nan.expect("wide"));
    let codes = [0, 1, format.code(1.5), format.largest, infinity, nan, infinity | 1];
    codes.into_iter().flat_map(|code| [code, code | format.sign]).map(u128::from).collect()
}

/// Each part is what the real cast makes of it, whatever the other part is.
#[test]
fn complex_to_complex_is_per_component() {
    for (from, a) in COMPLEX {
        for (to, b) in COMPLEX.into_iter().filter(|(to, _)| *to != from) {
            for rounding in [Rounding::Default, Rounding::Up, Rounding::Down] {
                let case = cast(from, to).rounding(rounding);
                let part = |code| {
                    simdcast::reference::cast(a, b, code, &case.options, 0)
                        .expect("none is refused")
                };
                let parts = parts(a);
                let pairs = parts.iter().flat_map(|re| parts.iter().map(move |im| (*re, *im)));
                let cases: Vec<_> = pairs
                    .map(|(re, im)| (complex(from, re, im), complex(to, part(re), part(im))))
                    .collect();
                case.gives_all(&cases);
            }
        }
    }
    let narrows = cast(DType::Complex128, DType::Complex64);
    narrows.gives(
        complex(DType::Complex128, 1.5f64.to_bits().into(), (-1e300f64).to_bits().into()),
        complex(DType::Complex64, 0x3fc0_0000, 0xff80_0000),
    );
}

#[test]
fn under_error_either_component_may_fail() {
    let case = cast(DType::Complex128, DType::Complex32);
    let (one, large) = (1f64.to_bits().into(), 1e6f64.to_bits().into());
    let infinity = f64::INFINITY.to_bits().into();
    let code = |re, im| complex(DType::Complex128, re, im);
    case.refuses(&[code(large, one), code(one, large), code(large, large)]);
    // An infinity has a place, and so has NaN.
    let half = |re, im| complex(DType::Complex32, re, im);
    case.checked().gives(code(one, infinity), half(0x3c00, 0x7c00));
    case.checked().gives(code(f64::NAN.to_bits().into(), one), half(0x7e00, 0x3c00));
}

#[test]
fn real_to_complex_has_plus_0_as_imaginary_part() {
    for (to, of) in COMPLEX {
        for from in real_dtypes() {
            // One is a number of every dtype but this one, which has 0 and -1.
            if from == DType::Int1 {
                continue;
            }
            cast(from, to).gives(num(from, 1.0), complex(to, num(of, 1.0), 0));
        }
        // Not -0 for a negative number, nor NaN for a NaN.
        let minus_one = num(of, -1.0);
        cast(DType::Int8, to).gives(0xff, complex(to, minus_one, 0));
        cast(DType::Float8E5M2, to).gives(0xbc, complex(to, minus_one, 0));
        let nan = u128::from(format(of).signed_nan(true).expect("wide"));
        cast(DType::Float8E5M2, to).gives(0xfe, complex(to, nan, 0));
    }
}

#[test]
fn complex_to_real_takes_the_real_part() {
    for (from, of) in COMPLEX {
        let imaginary = parts(of);
        for to in real_dtypes().filter(|to| *to != DType::Bool) {
            for overflow in [Overflow::As, Overflow::Wrap, Overflow::Saturate] {
                let case = cast(from, to).overflow(overflow);
                let real = |code| {
                    simdcast::reference::cast(of, to, code, &case.options, 0)
                        .expect("none is refused")
                };
                for re in [num(of, 1.0), num(of, -0.0), num(of, 2.5)] {
                    let cases: Vec<_> =
                        imaginary.iter().map(|im| (complex(from, re, *im), real(re))).collect();
                    case.gives_all(&cases);
                }
            }
        }
    }
}

/// "A complex with a nonzero imaginary part (NaN counts, -0 does not) into a real" fails, also where
/// the real part stays as it is.
#[test]
fn under_error_a_dropped_imaginary_part_must_be_zero() {
    for (from, of) in COMPLEX {
        let one = num(of, 1.0);
        let reals = real_dtypes().filter(|to| !matches!(to, DType::Bool | DType::Int1));
        for to in reals {
            let case = cast(from, to).checked();
            for zero in [num(of, 0.0), num(of, -0.0)] {
                case.gives(complex(from, one, zero), num(to, 1.0));
            }
            let nonzero = parts(of).into_iter().filter(|im| im & !u128::from(format(of).sign) != 0);
            case.refuses(&nonzero.map(|im| complex(from, one, im)).collect::<Vec<_>>());
        }
        // Under every other setting it is dropped, even where rounding has nothing to do.
        cast(from, of).gives(complex(from, one, one), one);
    }
}

#[test]
fn complex_to_integers_by_the_rules_of_the_real_part() {
    let two_and_a_half = complex(DType::Complex64, num(DType::Float32, -2.5), 0);
    let large = complex(DType::Complex64, num(DType::Float32, 16777216.0 * 256.0), 0);
    for (to, lowest, highest) in INTEGERS {
        let case = cast(DType::Complex64, to);
        if lowest <= -4 {
            case.gives(two_and_a_half, num(to, -2.0));
            case.rounding(Rounding::Down).gives(two_and_a_half, num(to, -3.0));
        } else if lowest == 0 {
            case.gives(two_and_a_half, 0);
        }
        if highest < 1 << 32 {
            case.gives(large, highest as u128);
            case.overflow(Overflow::Wrap).gives(large, 0);
        }
    }
}
