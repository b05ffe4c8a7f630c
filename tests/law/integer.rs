//! "To an integer. A float is first rounded to an integer: toward zero unless `rounding` says
//! otherwise. What is then out of range depends on `overflow`."

use crate::cases::{cast, infinite};
use crate::support::dtypes::{INTEGERS, int, num, width};
use crate::support::floats::{FORMATS, format, power};
use simdcast_kernels::{DType, Overflow, Rounding};

const POWER_64: i128 = 1 << 64;

/// Numbers that every format has which can tell the modes apart, and what each mode makes of them.
const ROUNDED: [(f64, [f64; 6]); 11] = [
    // value, toward zero, up, down, nearest even, nearest away, default
    (0.5, [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
    (1.5, [1.0, 2.0, 1.0, 2.0, 2.0, 1.0]),
    (2.5, [2.0, 3.0, 2.0, 2.0, 3.0, 2.0]),
    (3.5, [3.0, 4.0, 3.0, 4.0, 4.0, 3.0]),
    (1.0, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
    (6.0, [6.0, 6.0, 6.0, 6.0, 6.0, 6.0]),
    (-0.5, [0.0, 0.0, -1.0, 0.0, -1.0, 0.0]),
    (-1.5, [-1.0, -1.0, -2.0, -2.0, -2.0, -1.0]),
    (-2.5, [-2.0, -2.0, -3.0, -2.0, -3.0, -2.0]),
    (-3.5, [-3.0, -3.0, -4.0, -4.0, -4.0, -3.0]),
    (-4.0, [-4.0, -4.0, -4.0, -4.0, -4.0, -4.0]),
];

const MODES: [Rounding; 6] = [
    Rounding::TowardZero,
    Rounding::Up,
    Rounding::Down,
    Rounding::NearestEven,
    Rounding::NearestAway,
    Rounding::Default,
];

#[test]
fn floats_are_rounded_toward_zero_unless_rounding_says_otherwise() {
    for format in &FORMATS {
        for to in [DType::Int4, DType::Int8, DType::Int16, DType::Int32, DType::Int64] {
            for (value, wanted) in ROUNDED {
                // Few of these are numbers of the narrowest formats, and no negative one is e8m0's.
                let magnitude = format.magnitude(format.at_or_below(value.abs()));
                if magnitude != value.abs() || (value < 0.0 && format.sign == 0) {
                    continue;
                }
                for (mode, wanted) in MODES.into_iter().zip(wanted) {
                    cast(format.dtype, to).rounding(mode).maps(value, wanted);
                    cast(format.dtype, to).rounding(mode).checked().maps(value, wanted);
                }
            }
        }
    }
}

#[test]
fn fractions_other_than_halves() {
    let to_int = cast(DType::Float64, DType::Int32);
    let almost_half = f64::from_bits(0.5f64.to_bits() - 1);
    let past_half = f64::from_bits(0.5f64.to_bits() + 1);
    for mode in [Rounding::NearestEven, Rounding::NearestAway] {
        to_int.rounding(mode).maps_all(&[
            (almost_half, 0.0),
            (-almost_half, 0.0),
            (past_half, 1.0),
            (-past_half, -1.0),
        ]);
    }
    let least = f64::from_bits(1);
    to_int.rounding(Rounding::Up).maps_all(&[(least, 1.0), (-least, 0.0), (2.0 + 1e-12, 3.0)]);
    to_int.rounding(Rounding::Down).maps_all(&[(least, 0.0), (-least, -1.0), (-2.0 - 1e-12, -3.0)]);
    to_int.rounding(Rounding::TowardZero).maps_all(&[(2.999999999, 2.0), (-2.999999999, -2.0)]);
}

/// The numbers past either end of a range, as floats that are far from every rounding.
fn outside(lowest: i128, highest: i128) -> [(f64, bool); 6] {
    let (low, high) = (lowest as f64, highest as f64);
    // 2^63 - 1 and 2^64 - 1 round to the power itself, which lies outside already.
    let above = if high > 1e15 { high } else { high + 1.0 };
    let below = if low < -1e15 { low * 1.5 } else { low - 1.0 };
    [(above, true), (below, false), (1e30, true), (-1e30, false), (1e300, true), (-1e300, false)]
}

#[test]
fn a_float_out_of_range_clamps_under_as_and_saturate() {
    for (to, lowest, highest) in INTEGERS {
        for (value, high) in outside(lowest, highest) {
            let wanted = int(to, if high { highest } else { lowest });
            for overflow in [Overflow::As, Overflow::Saturate] {
                let case = cast(DType::Float64, to).overflow(overflow);
                case.gives(num(DType::Float64, value), wanted);
            }
            cast(DType::Float64, to).refuses_numbers(&[value]);
        }
    }
}

#[test]
fn infinities_clamp_under_as_and_saturate_and_give_0_under_wrap() {
    for (from, infinity) in infinite() {
        let minus = infinity | u128::from(format(from).sign);
        for (to, lowest, highest) in INTEGERS {
            for overflow in [Overflow::As, Overflow::Saturate] {
                let clamps = cast(from, to).overflow(overflow);
                clamps.gives_all(&[(infinity, int(to, highest)), (minus, int(to, lowest))]);
            }
            cast(from, to).overflow(Overflow::Wrap).gives_all(&[(infinity, 0), (minus, 0)]);
            cast(from, to).refuses(&[infinity, minus]);
        }
    }
}

#[test]
fn nan_is_0_and_fails_under_error() {
    for format in &FORMATS {
        let Some(nan) = format.nan.map(u128::from) else { continue };
        let negative = u128::from(format.signed_nan(true).expect("has a NaN"));
        for (to, ..) in INTEGERS {
            for overflow in [Overflow::As, Overflow::Wrap, Overflow::Saturate] {
                let case = cast(format.dtype, to).overflow(overflow);
                case.gives_all(&[(nan, 0), (negative, 0)]);
            }
            cast(format.dtype, to).refuses(&[nan, negative]);
        }
    }
}

#[test]
fn a_float_wraps_modulo_2_to_the_n_exactly() {
    let wraps = |to| cast(DType::Float64, to).overflow(Overflow::Wrap);
    wraps(DType::UInt8).maps_all(&[(300.7, 44.0), (-1.5, 255.0), (256.0, 0.0), (-300.7, 212.0)]);
    wraps(DType::Int8).maps_all(&[(128.0, -128.0), (200.0, -56.0), (-129.0, 127.0), (1e300, 0.0)]);
    wraps(DType::Int1).maps_all(&[(1.0, -1.0), (2.0, 0.0), (3.9, -1.0), (-1.0, -1.0)]);
    wraps(DType::UInt32).maps_all(&[
        (-1.0, 4294967295.0),
        (power(32) + 7.0, 7.0),
        (1e10, 1410065408.0),
    ]);

    // Past 2^53 every float64 is an integer; some of its digits still reach below 2^64.
    let past = [
        (power(63) + 2048.0, i128::from(i64::MIN) + 2048),
        (power(64) + 4096.0, 4096),
        (-power(64) - 4096.0, -4096),
        (power(115) + power(63), i128::from(i64::MIN)),
        (power(116), 0),
        (f64::MAX, 0),
    ];
    for (value, wanted) in past {
        let from = num(DType::Float64, value);
        wraps(DType::Int64).gives(from, int(DType::Int64, wanted));
        wraps(DType::UInt64).gives(from, int(DType::UInt64, wanted.rem_euclid(POWER_64)));
        wraps(DType::UInt16).gives(from, int(DType::UInt16, wanted.rem_euclid(1 << 16)));
    }
    // float32 and the wide range of bfloat16.
    let wraps = |from, to| cast(from, to).overflow(Overflow::Wrap);
    wraps(DType::Float32, DType::Int64).maps(16777216.0 * 16777216.0 * 65536.0, 0.0);
    wraps(DType::Float32, DType::Int32).maps(power(31) + 256.0, -power(31) + 256.0);
    wraps(DType::BFloat16, DType::UInt8).maps(384.0, 128.0);
    wraps(DType::Float8E5M2, DType::UInt8).maps(448.0, 192.0);
    wraps(DType::Float8E8M0Fnu, DType::Int8).maps_all(&[(128.0, -128.0), (256.0, 0.0)]);
}

#[test]
fn a_float_is_rounded_before_it_wraps() {
    let wraps = cast(DType::Float64, DType::UInt8).overflow(Overflow::Wrap);
    wraps.rounding(Rounding::Up).maps_all(&[(255.1, 0.0), (-1.9, 255.0), (-0.9, 0.0)]);
    wraps.rounding(Rounding::Down).maps_all(&[(256.9, 0.0), (-0.1, 255.0)]);
    wraps.rounding(Rounding::NearestEven).maps_all(&[(255.5, 0.0), (-0.5, 0.0), (-1.5, 254.0)]);
    wraps.rounding(Rounding::NearestAway).maps_all(&[(255.5, 0.0), (-0.5, 255.0)]);
}

#[test]
fn an_integer_keeps_its_low_bits_under_as_and_wrap() {
    for overflow in [Overflow::As, Overflow::Wrap] {
        let keeps = |from, to| cast(from, to).overflow(overflow);
        keeps(DType::Int32, DType::UInt8).turns(0x1234_56f8, 0xf8);
        keeps(DType::Int32, DType::Int8).turns(0x1234_56f8, -8);
        keeps(DType::Int8, DType::UInt64).turns(-1, POWER_64 - 1);
        keeps(DType::UInt64, DType::Int64).turns(POWER_64 - 1, -1);
        keeps(DType::UInt64, DType::Int32).turns(0x8000_0000, -0x8000_0000);
        keeps(DType::Int64, DType::UInt4).turns(0x7b, 0xb);
        keeps(DType::Int16, DType::Int4).turns(0x18, -8);
        keeps(DType::UInt8, DType::Int2).turns(7, -1);
        keeps(DType::Int4, DType::UInt1).turns(-8, 0);
        keeps(DType::UInt4, DType::Int1).turns(5, -1);
        keeps(DType::Int1, DType::UInt8).turns(-1, 255);
    }
}

/// Every integer pair: each range's ends, and one past, of the source's numbers.
#[test]
fn integers_out_of_range_by_the_table() {
    for (from, from_lowest, from_highest) in INTEGERS {
        for (to, lowest, highest) in INTEGERS {
            if from == to {
                continue;
            }
            let modulus = 1i128 << width(to);
            let ends = [lowest, highest, from_lowest, from_highest, 0, -1, 1];
            for value in ends.into_iter().flat_map(|end| [end - 1, end, end + 1]) {
                if !(from_lowest..=from_highest).contains(&value) {
                    continue;
                }
                let wrapped = value.rem_euclid(modulus);
                let wrapped = if wrapped > highest { wrapped - modulus } else { wrapped };
                cast(from, to).turns(value, wrapped);
                cast(from, to).overflow(Overflow::Wrap).turns(value, wrapped);
                let clamped = value.clamp(lowest, highest);
                cast(from, to).overflow(Overflow::Saturate).turns(value, clamped);
                if clamped == value {
                    cast(from, to).checked().turns(value, value);
                } else {
                    cast(from, to).refuses(&[int(from, value)]);
                }
            }
        }
    }
}

#[test]
fn rounding_comes_before_the_range_test() {
    for from in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
        let to_byte = cast(from, DType::UInt8);
        // -0.5 is 0 toward zero ...
        for mode in [Rounding::Default, Rounding::TowardZero, Rounding::Up, Rounding::NearestEven] {
            to_byte.checked().rounding(mode).maps(-0.5, 0.0);
        }
        // ... and -1, hence out of range, rounded down or away.
        for mode in [Rounding::Down, Rounding::NearestAway] {
            to_byte.rounding(mode).refuses_numbers(&[-0.5]);
            to_byte.rounding(mode).maps(-0.5, 0.0);
            to_byte.rounding(mode).overflow(Overflow::Wrap).maps(-0.5, 255.0);
        }
    }
    let to_byte = cast(DType::Float32, DType::UInt8);
    to_byte.checked().maps(255.5, 255.0);
    to_byte.checked().rounding(Rounding::Down).maps(255.5, 255.0);
    for mode in [Rounding::Up, Rounding::NearestEven, Rounding::NearestAway] {
        to_byte.rounding(mode).refuses_numbers(&[255.5]);
    }
    let to_signed = cast(DType::Float32, DType::Int8);
    to_signed.checked().rounding(Rounding::NearestEven).maps(-128.5, -128.0);
    to_signed.rounding(Rounding::NearestAway).refuses_numbers(&[-128.5]);
}

#[test]
fn minus_0_is_0_and_never_fails() {
    for format in &FORMATS {
        let has_minus_zero = !matches!(
            format.dtype,
            DType::Float8E4M3Fnuz
                | DType::Float8E5M2Fnuz
                | DType::Float8E4M3B11Fnuz
                | DType::Float8E8M0Fnu
        );
        for (to, ..) in INTEGERS.into_iter().filter(|_| has_minus_zero) {
            for mode in MODES {
                let case = cast(format.dtype, to).rounding(mode);
                case.maps(-0.0, 0.0);
                case.checked().maps(-0.0, 0.0);
            }
        }
    }
}
