//! "To a float. Rounded to nearest, ties to even, unless `rounding` says otherwise; subnormals are
//! kept; the sign of zero is kept where the format has one." And the table of what is past the
//! largest finite value. float8_e8m0fnu has a file of its own.

use crate::cases::{cast, infinite};
use crate::support::dtypes::{int, num};
use crate::support::floats::{Class, FORMATS, Format, format, power};
use crate::support::options::FIXED_ROUNDINGS;
use simdcast_kernels::{DType, Overflow, Rounding};

/// All but e8m0.
fn formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.class != Class::Power)
}

/// Those that float64 is cast to, not copied to.
fn narrow() -> impl Iterator<Item = &'static Format> {
    formats().filter(|format| format.dtype != DType::Float64)
}

/// The first number of a format past its largest, the exponent unbounded.
fn next(format: &Format) -> f64 {
    format.magnitude(format.largest + 1)
}

fn from_double(value: f64) -> u128 {
    num(DType::Float64, value)
}

#[test]
fn the_nearest_with_ties_to_even() {
    for format in narrow() {
        let place = |code| format.magnitude(code);
        for rounding in [Rounding::Default, Rounding::NearestEven] {
            let case = cast(DType::Float64, format.dtype).rounding(rounding);
            for even in [0, 2, format.largest & !1, format.largest / 4 * 2] {
                if even == format.largest {
                    continue;
                }
                // A tie above an even code goes down to it, and one above its successor up.
                let tie = place(even) + (place(even + 1) - place(even)) / 2.0;
                let above = f64::from_bits(tie.to_bits() + 1);
                case.maps_all(&[(tie, place(even)), (-tie, signed(format, even))]);
                case.maps(above, place(even + 1));
                if even + 2 <= format.largest {
                    let tie = place(even + 1) + (place(even + 2) - place(even + 1)) / 2.0;
                    let below = f64::from_bits(tie.to_bits() - 1);
                    case.maps_all(&[(tie, place(even + 2)), (below, place(even + 1))]);
                    case.maps(-tie, -place(even + 2));
                }
            }
        }
    }
}

/// The negative of a magnitude, or zero without a sign where there is no -0.
fn signed(format: &Format, magnitude: u64) -> f64 {
    let fnuz_zero = format.class == Class::Fnuz && magnitude == 0;
    if fnuz_zero { 0.0 } else { -format.magnitude(magnitude) }
}

#[test]
fn every_other_mode() {
    for format in narrow() {
        let (low, high) = (format.magnitude(2), format.magnitude(3));
        let (tie, near) = (low + (high - low) / 2.0, low + (high - low) / 1024.0);
        let by = |rounding| cast(DType::Float64, format.dtype).rounding(rounding);
        by(Rounding::NearestAway).maps_all(&[
            (tie, high),
            (-tie, -high),
            (near, low),
            (-near, -low),
        ]);
        by(Rounding::TowardZero).maps_all(&[(tie, low), (-tie, -low), (near, low), (-near, -low)]);
        by(Rounding::Up).maps_all(&[(tie, high), (-tie, -low), (near, high), (-near, -low)]);
        by(Rounding::Down).maps_all(&[(tie, low), (-tie, -high), (near, low), (-near, -high)]);
        for rounding in FIXED_ROUNDINGS {
            by(rounding).maps_all(&[(low, low), (-low, -low)]);
        }
    }
}

#[test]
fn subnormals_are_kept() {
    for format in narrow() {
        for code in [1, (1 << format.fraction) - 1] {
            let value = format.magnitude(code);
            for from in [DType::Float64, DType::Float32] {
                if from != format.dtype {
                    cast(from, format.dtype).maps_all(&[(value, value), (-value, -value)]);
                }
                if from != format.dtype && format.dtype != DType::Float32 {
                    cast(format.dtype, from).maps_all(&[(value, value), (-value, -value)]);
                }
            }
        }
    }
    // float32's own, and float64's where they end in nothing.
    cast(DType::Float32, DType::BFloat16).gives_all(&[(0x0000_8001, 1), (0x8000_8000, 0x8000)]);
    cast(DType::Float64, DType::Float32).gives_all(&[(1, 0), (1 << 63 | 1, 0x8000_0000)]);
    cast(DType::Float64, DType::Float32).rounding(Rounding::Up).gives(1, 1);
}

#[test]
fn the_sign_of_zero_is_kept_where_the_format_has_one() {
    for format in narrow() {
        let case = cast(DType::Float64, format.dtype);
        let (least, fnuz) = (format.magnitude(1), format.class == Class::Fnuz);
        let wanted = if fnuz { 0 } else { u128::from(format.sign) };
        for rounding in FIXED_ROUNDINGS {
            case.rounding(rounding).gives_all(&[(0, 0), (from_double(-0.0), wanted)]);
        }
        case.gives_all(&[(from_double(least / 4.0), 0), (from_double(-least / 4.0), wanted)]);
    }
}

/// "In *fnuz there is no -0: a zero or underflow of either sign is code 0 (0x80 is the NaN)."
#[test]
fn fnuz_has_no_minus_zero() {
    for to in [DType::Float8E4M3Fnuz, DType::Float8E5M2Fnuz, DType::Float8E4M3B11Fnuz] {
        for format in formats().filter(|format| format.class != Class::Fnuz) {
            let minus_zero = u128::from(format.sign);
            for saturate in [true, false] {
                cast(format.dtype, to).saturate(saturate).gives_all(&[(0, 0), (minus_zero, 0)]);
                cast(format.dtype, to).saturate(saturate).checked().gives(minus_zero, 0);
            }
        }
        let tiny = from_double(-power(-300));
        for rounding in
            [Rounding::Default, Rounding::NearestAway, Rounding::TowardZero, Rounding::Up]
        {
            cast(DType::Float64, to).rounding(rounding).gives(tiny, 0);
            cast(DType::Float64, to).rounding(rounding).checked().gives(tiny, 0);
        }
        cast(DType::Float64, to).rounding(Rounding::Down).gives(tiny, 0x81);
    }
}

/// The table "to a float", as `Format::past_the_largest` has it by class; here by name.
#[test]
fn the_overflow_table_by_name() {
    let past = |to, saturate: bool| {
        let case = cast(DType::Float64, to).saturate(saturate);
        move |plus: u128, minus: u128| {
            for value in [1e39, f64::MAX, f64::INFINITY] {
                let value = if to == DType::Float32 { value.max(1e300) } else { value };
                let minus_value = (-value).to_bits().into();
                case.gives_all(&[(value.to_bits().into(), plus), (minus_value, minus)]);
            }
        }
    };
    for saturate in [true, false] {
        past(DType::Float16, saturate)(0x7c00, 0xfc00);
        past(DType::BFloat16, saturate)(0x7f80, 0xff80);
        past(DType::Float32, saturate)(0x7f80_0000, 0xff80_0000);
        past(DType::Float6E2M3Fn, saturate)(0x1f, 0x3f);
        past(DType::Float6E3M2Fn, saturate)(0x1f, 0x3f);
        past(DType::Float4E2M1Fn, saturate)(0x7, 0xf);
    }
    past(DType::Float8E5M2, true)(0x7b, 0xfb);
    past(DType::Float8E5M2, false)(0x7c, 0xfc);
    past(DType::Float8E4M3, true)(0x77, 0xf7);
    past(DType::Float8E4M3, false)(0x78, 0xf8);
    past(DType::Float8E3M4, true)(0x6f, 0xef);
    past(DType::Float8E3M4, false)(0x70, 0xf0);
    past(DType::Float8E4M3Fn, true)(0x7e, 0xfe);
    past(DType::Float8E4M3Fn, false)(0x7f, 0xff);
    for to in [DType::Float8E4M3Fnuz, DType::Float8E5M2Fnuz, DType::Float8E4M3B11Fnuz] {
        past(to, true)(0x7f, 0xff);
        past(to, false)(0x80, 0x80);
    }
}

/// "Past the largest finite value (after rounding, with the exponent unbounded ...)": half a unit
/// past the largest is where it starts.
#[test]
fn overflow_is_judged_after_rounding() {
    for format in narrow() {
        let (largest, next) = (format.magnitude(format.largest), next(format));
        let half = largest + (next - largest) / 2.0;
        let (below, above) =
            (f64::from_bits(half.to_bits() - 1), f64::from_bits(half.to_bits() + 1));
        // The tie goes to the even one of the largest and the next number, were there a next.
        let tie_goes_past = format.largest % 2 == 1;
        for saturate in [true, false] {
            let case = cast(DType::Float64, format.dtype).saturate(saturate);
            let past = u128::from(format.past_the_largest(false, saturate));
            let most = u128::from(format.largest);
            case.gives_all(&[(from_double(below), most), (from_double(above), past)]);
            case.checked().gives(from_double(below), most);
            case.refuses_numbers(&[above, -above, next, f64::MAX]);
            if tie_goes_past {
                case.gives(from_double(half), past);
                case.refuses_numbers(&[half, -half]);
            } else {
                case.gives(from_double(half), most);
                case.checked().gives(from_double(half), most);
            }
            case.rounding(Rounding::NearestAway).gives(from_double(half), past);
            case.rounding(Rounding::NearestAway).refuses_numbers(&[half]);
        }
    }
}

#[test]
fn in_e4m3fn_464_is_no_overflow() {
    for from in [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64] {
        for saturate in [true, false] {
            let case = cast(from, DType::Float8E4M3Fn).saturate(saturate);
            case.maps_all(&[(464.0, 448.0), (-464.0, -448.0)]);
            case.checked().maps(464.0, 448.0);
        }
        cast(from, DType::Float8E4M3Fn).saturate(false).gives(num(from, 480.0), 0x7f);
        cast(from, DType::Float8E4M3Fn).maps(480.0, 448.0);
    }
    for (saturate, past) in [(true, 0x7e), (false, 0x7f)] {
        for from in [DType::Int16, DType::UInt16, DType::Int32, DType::Int64, DType::UInt64] {
            let case = cast(from, DType::Float8E4M3Fn).saturate(saturate);
            case.gives_all(&[(464, 0x7e), (465, past)]);
            case.refuses(&[465]);
        }
    }
}

#[test]
fn integers_obey_the_same_rows() {
    for from in [DType::UInt16, DType::Int32, DType::UInt32, DType::Int64, DType::UInt64] {
        let to_half = cast(from, DType::Float16);
        to_half.gives_all(&[(65504, 0x7bff), (65519, 0x7bff), (65520, 0x7c00)]);
        to_half.saturate(false).gives_all(&[(65519, 0x7bff), (65520, 0x7c00)]);
        to_half.checked().gives(65519, 0x7bff);
        to_half.refuses(&[65520, 65535]);
        to_half.rounding(Rounding::TowardZero).gives(65535, 0x7bff);
    }
    let from = DType::Int64;
    let lowest = int(from, i64::MIN.into());
    for format in formats() {
        // The lowest int64 is past the largest of float16 and of all that are narrower but none else.
        let largest =
            if format.dtype == DType::Float64 { 1e308 } else { format.magnitude(format.largest) };
        if largest > 1e19 {
            cast(from, format.dtype).gives(lowest, num(format.dtype, -power(63)));
        } else {
            for saturate in [true, false] {
                let past = u128::from(format.past_the_largest(true, saturate));
                cast(from, format.dtype).saturate(saturate).gives(lowest, past);
            }
            cast(from, format.dtype).refuses(&[lowest]);
        }
    }
}

/// "A directed rounding that moves a value toward zero (`TowardZero`, `Up` for negatives, `Down` for
/// positives) stops at the largest finite instead, as IEEE 754 has it."
#[test]
fn directed_roundings_toward_zero_stop_at_the_largest_finite() {
    for format in narrow() {
        let largest = format.magnitude(format.largest);
        for saturate in [true, false] {
            let case = cast(DType::Float64, format.dtype).saturate(saturate);
            let past = |negative| u128::from(format.past_the_largest(negative, saturate));
            // Short of the next number, at it, and far away.
            let within = largest + (next(format) - largest) / 2.0;
            for value in [within, next(format), f64::MAX] {
                case.rounding(Rounding::TowardZero)
                    .maps_all(&[(value, largest), (-value, -largest)]);
                let (up, down) = (case.rounding(Rounding::Up), case.rounding(Rounding::Down));
                up.maps(-value, -largest);
                down.maps(value, largest);
                up.gives(from_double(value), past(false));
                down.gives(from_double(-value), past(true));
            }
        }
    }
}

/// "(After rounding, exponent unbounded, in every mode)": toward zero, what is short of the next
/// number is no overflow.
#[test]
fn under_error_a_directed_rounding_fails_from_the_next_number_on() {
    for format in narrow() {
        let largest = format.magnitude(format.largest);
        let case = cast(DType::Float64, format.dtype).checked();
        let below = f64::from_bits(next(format).to_bits() - 1);
        let toward_zero = case.rounding(Rounding::TowardZero);
        toward_zero.maps_all(&[(below, largest), (-below, -largest)]);
        toward_zero.refuses_numbers(&[next(format), -next(format), f64::MAX]);
        let above = f64::from_bits(largest.to_bits() + 1);
        case.rounding(Rounding::Up).maps_all(&[(-below, -largest), (largest, largest)]);
        case.rounding(Rounding::Up).refuses_numbers(&[above, -next(format)]);
        case.rounding(Rounding::Down).maps_all(&[(below, largest), (-largest, -largest)]);
        case.rounding(Rounding::Down).refuses_numbers(&[-above, next(format)]);
    }
}

/// "Infinities themselves follow the table", in every mode.
#[test]
fn infinities_follow_the_table_in_every_mode() {
    for (from, infinity) in infinite() {
        let minus = infinity | u128::from(format(from).sign);
        for to in formats().filter(|to| to.dtype != from) {
            for rounding in FIXED_ROUNDINGS {
                let case = cast(from, to.dtype).rounding(rounding);
                for saturate in [true, false] {
                    let past = |negative| u128::from(to.past_the_largest(negative, saturate));
                    case.saturate(saturate)
                        .gives_all(&[(infinity, past(false)), (minus, past(true))]);
                }
                match to.infinity {
                    Some(code) => case.checked().gives_all(&[
                        (infinity, u128::from(code)),
                        (minus, u128::from(to.signed(code, true))),
                    ]),
                    None => case.refuses(&[infinity, minus]),
                }
            }
        }
    }
}

/// "`As`, `Wrap` and `Saturate` differ for integer destinations only."
#[test]
fn a_float_destination_looks_at_saturate_and_error_alone() {
    let numbers =
        [0.0, -1.0, 1e-30, 464.0, 1e30, f64::MAX, f64::INFINITY, f64::NAN, -f64::INFINITY];
    for to in narrow() {
        for saturate in [true, false] {
            for rounding in FIXED_ROUNDINGS {
                let case = cast(DType::Float64, to.dtype).saturate(saturate).rounding(rounding);
                let results = numbers.map(|value| {
                    let code = u128::from(value.to_bits());
                    let under = |overflow| {
                        let options = case.overflow(overflow).options;
                        simdcast::reference::cast(case.from, case.to, code, &options, 0)
                    };
                    (code, under(Overflow::As).expect("nothing is refused"))
                });
                for overflow in [Overflow::As, Overflow::Wrap, Overflow::Saturate] {
                    case.overflow(overflow).gives_all(&results);
                }
            }
        }
    }
}
