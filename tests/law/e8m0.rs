//! The row of float8_e8m0fnu: powers of two from 2^-127 to 2^127, no sign, no zero, one NaN.

use crate::cases::{cast, infinite};
use crate::support::dtypes::{INTEGERS, int, num};
use crate::support::floats::{FORMATS, format, power};
use crate::support::options::FIXED_ROUNDINGS;
use simdcast_kernels::{DType, Overflow, Rounding};

const TO: DType = DType::Float8E8M0Fnu;
const SMALLEST: u128 = 0x00;
const ONE: u128 = 0x7f;
const LARGEST: u128 = 0xfe;
const NAN: u128 = 0xff;

/// What zero, and anything else out of range, gives under a setting of `saturate`.
fn or_nan(saturate: bool, code: u128) -> u128 {
    if saturate { code } else { NAN }
}

fn double(value: f64) -> u128 {
    num(DType::Float64, value)
}

#[test]
fn rounds_up_to_the_next_power_by_default() {
    for from in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
        for rounding in [Rounding::Default, Rounding::Up] {
            let case = cast(from, TO).rounding(rounding);
            case.maps_all(&[(1.0, 1.0), (1.0078125, 2.0), (1.5, 2.0), (2.0, 2.0), (2.5, 4.0)]);
            case.maps_all(&[(0.75, 1.0), (0.5, 0.5), (0.3125, 0.5), (3.9375, 4.0), (5.0, 8.0)]);
        }
    }
    cast(DType::Float64, TO).maps(f64::from_bits(1f64.to_bits() + 1), 2.0);
    cast(DType::Float8E4M3Fn, TO).maps_all(&[(448.0, 512.0), (0.001953125, 0.001953125)]);
}

#[test]
fn with_either_nearest_the_midpoint_is_linear_and_a_tie_goes_up() {
    for from in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
        for rounding in [Rounding::NearestEven, Rounding::NearestAway] {
            let case = cast(from, TO).rounding(rounding);
            case.maps_all(&[(1.5, 2.0), (3.0, 4.0), (6.0, 8.0), (0.75, 1.0), (0.375, 0.5)]);
            // Between 1 and 2 the geometric middle is 1.414...: not where it turns.
            case.maps_all(&[(1.4375, 1.0), (1.4921875, 1.0), (1.5078125, 2.0), (2.75, 2.0)]);
        }
    }
    for rounding in [Rounding::NearestEven, Rounding::NearestAway] {
        let case = cast(DType::Float64, TO).rounding(rounding);
        let (below, above) = (1.5f64.to_bits() - 1, 1.5f64.to_bits() + 1);
        case.gives_all(&[(below.into(), ONE), (above.into(), ONE + 1)]);
    }
}

#[test]
fn down_and_toward_zero_go_to_the_power_below() {
    for rounding in [Rounding::Down, Rounding::TowardZero] {
        let case = cast(DType::Float32, TO).rounding(rounding);
        case.maps_all(&[(1.0, 1.0), (1.9921875, 1.0), (2.0, 2.0), (3.5, 2.0), (0.875, 0.5)]);
    }
}

#[test]
fn zero_gives_the_smallest_or_nan_and_minus_0_is_zero() {
    for format in FORMATS.iter().filter(|format| format.dtype != TO) {
        let minus_zero = u128::from(format.sign);
        for saturate in [true, false] {
            let wanted = or_nan(saturate, SMALLEST);
            for rounding in FIXED_ROUNDINGS {
                let case = cast(format.dtype, TO).saturate(saturate).rounding(rounding);
                case.gives(0, wanted);
                // In fnuz this is the NaN.
                let fnuz = format.nan == Some(format.sign);
                case.gives(minus_zero, if fnuz { NAN } else { wanted });
                case.refuses(&[0]);
            }
        }
    }
}

#[test]
fn every_negative_number_and_minus_infinity_give_nan_under_both_settings() {
    let least = -f64::from_bits(1);
    for saturate in [true, false] {
        for rounding in FIXED_ROUNDINGS {
            let case = cast(DType::Float64, TO).saturate(saturate).rounding(rounding);
            for value in [-1.0, -1.5, least, -power(-127), -power(-200), -power(127), -f64::MAX] {
                case.gives(double(value), NAN);
                case.refuses_numbers(&[value]);
            }
            let ints = cast(DType::Int64, TO).saturate(saturate).rounding(rounding);
            for value in [-1, -2, i64::MIN] {
                ints.gives(int(DType::Int64, value.into()), NAN);
                ints.refuses(&[int(DType::Int64, value.into())]);
            }
        }
    }
    for (from, infinity) in infinite() {
        let minus = infinity | u128::from(format(from).sign);
        for saturate in [true, false] {
            cast(from, TO).saturate(saturate).gives(minus, NAN);
        }
        cast(from, TO).refuses(&[minus]);
    }
}

#[test]
fn plus_infinity_gives_the_largest_or_nan() {
    for (from, infinity) in infinite() {
        for rounding in FIXED_ROUNDINGS {
            let case = cast(from, TO).rounding(rounding);
            case.gives(infinity, LARGEST);
            case.saturate(false).gives(infinity, NAN);
            case.refuses(&[infinity]);
        }
    }
}

#[test]
fn nan_gives_nan_and_never_fails() {
    for format in &FORMATS {
        let Some(nan) = format.nan.map(u128::from).filter(|_| format.dtype != TO) else { continue };
        let negative = u128::from(format.signed_nan(true).expect("has a NaN"));
        for saturate in [true, false] {
            let case = cast(format.dtype, TO).saturate(saturate);
            case.gives_all(&[(nan, NAN), (negative, NAN)]);
            case.checked().gives_all(&[(nan, NAN), (negative, NAN)]);
        }
    }
}

/// "Out of range is meant after rounding with the exponent unbounded: 1.4 * 2^-128 rounded up is
/// 2^-127 and in range, 2^-128 is not."
#[test]
fn below_the_smallest_power() {
    let (within, outside) = (1.4 * power(-128), power(-128));
    for saturate in [true, false] {
        let case = cast(DType::Float64, TO).saturate(saturate);
        let below = or_nan(saturate, SMALLEST);
        for up in [case, case.rounding(Rounding::Up)] {
            up.gives_all(&[(double(within), SMALLEST), (double(outside), below)]);
            up.checked().gives(double(within), SMALLEST);
            up.refuses_numbers(&[outside, power(-300), f64::from_bits(1)]);
        }
        for nearest in [Rounding::NearestEven, Rounding::NearestAway] {
            let case = case.rounding(nearest);
            case.gives_all(&[(double(1.5 * power(-128)), SMALLEST), (double(within), below)]);
            case.checked().gives(double(1.5 * power(-128)), SMALLEST);
            case.refuses_numbers(&[within]);
        }
        for down in [Rounding::Down, Rounding::TowardZero] {
            let case = case.rounding(down);
            case.gives_all(&[(double(1.99 * power(-128)), below), (double(power(-127)), SMALLEST)]);
            case.refuses_numbers(&[1.99 * power(-128)]);
        }
    }
    // float32 and bfloat16 have such numbers among their subnormals.
    let case = cast(DType::Float32, TO).saturate(false);
    case.gives_all(&[
        (0x0020_0001, SMALLEST),
        (0x0020_0000, NAN),
        (1, NAN),
        (0x0040_0000, SMALLEST),
    ]);
    cast(DType::BFloat16, TO).saturate(false).gives_all(&[(0x21, SMALLEST), (0x20, NAN), (1, NAN)]);
}

#[test]
fn above_the_largest_power() {
    for saturate in [true, false] {
        let case = cast(DType::Float64, TO).saturate(saturate);
        let above = or_nan(saturate, LARGEST);
        case.gives_all(&[(double(power(127)), LARGEST), (double(1.1 * power(127)), above)]);
        case.gives_all(&[(double(power(128)), above), (double(f64::MAX), above)]);
        case.refuses_numbers(&[1.1 * power(127), f64::MAX]);
        let nearest = case.rounding(Rounding::NearestEven);
        nearest
            .gives_all(&[(double(1.4 * power(127)), LARGEST), (double(1.5 * power(127)), above)]);
        nearest.refuses_numbers(&[1.5 * power(127)]);
        // "e8m0 keeps to its row": a directed rounding does not stop at the largest.
        for down in [Rounding::Down, Rounding::TowardZero] {
            let case = case.rounding(down);
            case.gives_all(&[(double(1.99 * power(127)), LARGEST), (double(power(128)), above)]);
            case.checked().gives(double(1.99 * power(127)), LARGEST);
            case.refuses_numbers(&[power(128), f64::MAX]);
        }
    }
    let largest_single = num(DType::Float32, f32::MAX.into());
    cast(DType::Float32, TO).gives(largest_single, LARGEST);
    cast(DType::Float32, TO).saturate(false).gives(largest_single, NAN);
    cast(DType::Float32, TO)
        .rounding(Rounding::Down)
        .saturate(false)
        .gives(largest_single, LARGEST);
}

#[test]
fn integers_obey_the_same_row() {
    for (from, _, highest) in INTEGERS.into_iter().filter(|(_, _, highest)| *highest >= 7) {
        for saturate in [true, false] {
            let case = cast(from, TO).saturate(saturate);
            case.gives_all(&[
                (0, or_nan(saturate, SMALLEST)),
                (1, ONE),
                (2, ONE + 1),
                (3, ONE + 2),
            ]);
            case.gives_all(&[(4, ONE + 2), (5, ONE + 3), (7, ONE + 3)]);
            let nearest = case.rounding(Rounding::NearestEven);
            nearest.gives_all(&[(3, ONE + 2), (5, ONE + 2), (6, ONE + 3)]);
            case.rounding(Rounding::TowardZero).gives_all(&[(3, ONE + 1), (7, ONE + 2)]);
            case.refuses(&[0]);
        }
        // One less than a power: up to it.
        let power = ONE + 128 - u128::from((highest as u128).leading_zeros());
        cast(from, TO).gives(highest as u128, power);
        cast(from, TO).checked().gives(highest as u128, power);
    }
}

#[test]
fn the_overflow_options_of_integers_change_nothing() {
    for overflow in [Overflow::As, Overflow::Wrap, Overflow::Saturate] {
        let case = cast(DType::Float64, TO).overflow(overflow);
        case.gives_all(&[(double(0.0), SMALLEST), (double(1e300), LARGEST), (double(-1.0), NAN)]);
    }
}
