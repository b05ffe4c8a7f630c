//! Decoding and encoding of all fifteen float formats. The oracle lacks nine of them, but not the
//! arithmetic: a format is a precision and a lowest exponent, which it takes as parameters, and a
//! largest code, past which the law's table holds.
//!
//! The values to encode have significands of 64 bits: more than any float here has, as the
//! definition takes integers of that length, so that what it does with the lowest bits shows.

use crate::grid::{Grid, MODES, magnitude, of_magnitude, worth};
use crate::points;
use crate::support::floats::{Class, FORMATS, Format, format};
use crate::support::random::Random;
use rustc_apfloat::ieee::{IeeeFloat, Quad};
use rustc_apfloat::{Category, Float, FloatConvert, Round};
use simdcast_kernels::reference::{Unfit, decode, encode};
use simdcast_kernels::{DType, Exact, Options, Overflow, Rounding};

/// Calls a function with a format's precision and lowest exponent as constants. Precision counts
/// the leading bit, and the lowest exponent is 1 less the bias.
macro_rules! for_format {
    ($dtype:expr, $function:ident($($argument:expr),*)) => {
        match $dtype {
            DType::Float16 => $function::<11, -14>($($argument),*),
            DType::BFloat16 => $function::<8, -126>($($argument),*),
            DType::Float32 => $function::<24, -126>($($argument),*),
            DType::Float64 => $function::<53, -1022>($($argument),*),
            DType::Float8E5M2 => $function::<3, -14>($($argument),*),
            DType::Float8E4M3 | DType::Float8E4M3Fn => $function::<4, -6>($($argument),*),
            DType::Float8E3M4 => $function::<5, -2>($($argument),*),
            DType::Float8E4M3Fnuz => $function::<4, -7>($($argument),*),
            DType::Float8E5M2Fnuz => $function::<3, -15>($($argument),*),
            DType::Float8E4M3B11Fnuz => $function::<4, -10>($($argument),*),
            DType::Float6E2M3Fn => $function::<4, 0>($($argument),*),
            DType::Float6E3M2Fn => $function::<3, -2>($($argument),*),
            DType::Float4E2M1Fn => $function::<2, 0>($($argument),*),
            other => panic!("{other} is no float format with subnormals"),
        }
    };
}

/// The oracle's value of an exact one that is finite and not negative.
fn quad(significand: u64, exponent: i32) -> Quad {
    Quad::from_u128(u128::from(significand)).value.scalbn(exponent)
}

fn powers_of_two(code: u64) -> Quad {
    Quad::from_u128(1).value.scalbn(code as i32 - 127)
}

fn check_decode(format: &Format, code: u64) {
    let negative = code & format.sign != 0;
    let found = decode(format.dtype, code);
    let shown = format!("{} {code:#x} is {found:?}", format.dtype);
    if format.is_nan(code) {
        // Only the wide formats' NaNs carry anything; a fnuz or e8m0 NaN is positive.
        let wide = format.class == Class::Wide;
        let signed = wide || matches!(format.class, Class::Ieee8 | Class::Fn8);
        let fraction = code & ((1 << format.fraction) - 1);
        let payload = if wide { fraction << (52 - format.fraction) } else { 0 };
        assert_eq!(found, Exact::Nan { negative: signed && negative, payload }, "{shown}");
    } else if Some(code & !format.sign) == format.infinity {
        assert_eq!(found, Exact::Infinity { negative }, "{shown}");
    } else {
        let wanted = match format.class {
            Class::Power => powers_of_two(code),
            _ => for_format!(format.dtype, worth(code & !format.sign)),
        };
        let Exact::Finite { negative: sign, significand, exponent } = found else {
            panic!("{shown}");
        };
        let value = quad(significand, exponent);
        assert!(value.bitwise_eq(wanted) && sign == negative, "{shown}, not {wanted}");
    }
}

#[test]
fn decodes_every_code() {
    for format in &FORMATS {
        match format.dtype {
            DType::Float32 | DType::Float64 => {
                for code in points::around(format.dtype, DType::Float32, 100_000) {
                    check_decode(format, code);
                }
            }
            DType::Float8E8M0Fnu => (0..=0xff).for_each(|code| check_decode(format, code)),
            _ => (0..format.sign << 1).for_each(|code| check_decode(format, code)),
        }
    }
}

/// A finite value, and what the law wants of it in a format that is not e8m0.
fn wanted(
    format: &Format,
    negative: bool,
    value: Quad,
    round: Round,
    saturate: bool,
) -> (u64, Result<u64, Unfit>) {
    let code = match value.category() {
        Category::Zero => 0,
        _ => {
            let round = of_magnitude(round, negative);
            let code: u128 = for_format!(format.dtype, magnitude(value, round));
            u64::try_from(code).unwrap_or(u64::MAX)
        }
    };
    if code <= format.largest {
        // "In *fnuz there is no -0: a zero or underflow of either sign is code 0."
        let zero = code == 0 && format.class == Class::Fnuz;
        let code = if zero { 0 } else { format.signed(code, negative) };
        return (code, Ok(code));
    }
    // "A directed rounding that moves a value toward zero stops at the largest finite instead."
    let stops = match round {
        Round::TowardZero => true,
        Round::TowardPositive => negative,
        Round::TowardNegative => !negative,
        Round::NearestTiesToEven | Round::NearestTiesToAway => false,
    };
    let code = if stops {
        format.signed(format.largest, negative)
    } else {
        format.past_the_largest(negative, saturate)
    };
    (code, Err(Unfit))
}

/// What the law wants of a value in e8m0: the powers of two, exponent unbounded at either end.
fn wanted_power(
    negative: bool,
    value: Quad,
    round: Round,
    saturate: bool,
) -> (u64, Result<u64, Unfit>) {
    let nan = 0xff;
    if value.is_zero() {
        // "-0 is zero": it too gives the smallest, or NaN.
        return (if saturate { 0 } else { nan }, Err(Unfit));
    }
    if negative {
        return (nan, Err(Unfit));
    }
    // Ties go to the even neighbour, which the oracle takes to be the upper one: a power's only bit
    // is odd, the next power's first bit is even in the lower one's units.
    let rounded: IeeeFloat<Grid<1, -8000>> = value.convert_r(round, &mut false).value;
    match rounded.ilogb() {
        power @ -127..=127 => ((power + 127) as u64, Ok((power + 127) as u64)),
        _ if !saturate => (nan, Err(Unfit)),
        power => (if power < 0 { 0 } else { 0xfe }, Err(Unfit)),
    }
}

fn check_encode(format: &Format, value: Exact) {
    let Exact::Finite { negative, significand, exponent } = value else {
        panic!("{value} is not finite");
    };
    let wide = quad(significand, exponent);
    for (rounding, round) in MODES {
        let power = format.class == Class::Power;
        let default = if power { Rounding::Up } else { Rounding::NearestEven };
        let also = (rounding == default).then_some(Rounding::Default);
        for saturate in [true, false] {
            let (code, checked) = if power {
                wanted_power(negative, wide, round, saturate)
            } else {
                wanted(format, negative, wide, round, saturate)
            };
            for rounding in [rounding].into_iter().chain(also) {
                let options = Options { rounding, saturate, ..Options::DEFAULT };
                let strict = Options { overflow: Overflow::Error, ..options };
                let found = (
                    encode(format.dtype, value, true, &options, 0),
                    encode(format.dtype, value, true, &strict, 0),
                );
                let shown = (negative, significand, exponent);
                assert_eq!(
                    found,
                    (Ok(code), checked),
                    "{shown:x?} -> {}, {options:?}",
                    format.dtype
                );
            }
        }
    }
}

/// A value with a significand of 64 bits, moved by some of its last places.
fn moved(value: f64, by: i64) -> Option<Exact> {
    let bits = value.to_bits();
    let (field, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let (significand, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let spare = significand.leading_zeros();
    let significand = (significand << spare).checked_add_signed(by)?;
    Some(Exact::Finite { negative: false, significand, exponent: exponent - spare as i32 })
}

fn negated(value: Exact) -> Exact {
    match value {
        Exact::Finite { negative, significand, exponent } => {
            Exact::Finite { negative: !negative, significand, exponent }
        }
        other => other,
    }
}

/// Boundaries, one last place of 64 bits about them, and random values; of both signs.
fn encodes(dtype: DType, random: usize) {
    let destination = format(dtype);
    let mut bits = Random::new(3);
    let zero = Exact::Finite { negative: false, significand: 0, exponent: -3 };
    let near = points::boundaries(destination).into_iter().flat_map(|point| {
        [-1, 0, 1, -1024, 1024].into_iter().filter_map(move |by| moved(point, by))
    });
    let reach = destination.bias + 70;
    let any = std::iter::repeat_with(|| {
        let significand = if bits.below(2) == 0 { bits.bits() } else { bits.runs() };
        let significand = significand >> bits.below(64);
        let exponent = bits.below(2 * reach as u64) as i32 - reach - 40;
        Exact::Finite { negative: false, significand, exponent }
    });
    for value in near.chain(any.take(random)).chain([zero]) {
        check_encode(destination, value);
        check_encode(destination, negated(value));
    }
}

macro_rules! encodes {
    ($($name:ident, $dtype:ident;)*) => {$(
        #[test]
        fn $name() {
            encodes(DType::$dtype, 20_000);
        }
    )*};
}
encodes! {
    encodes_float64, Float64;
    encodes_float32, Float32;
    encodes_float16, Float16;
    encodes_bfloat16, BFloat16;
    encodes_float8_e5m2, Float8E5M2;
    encodes_float8_e4m3, Float8E4M3;
    encodes_float8_e3m4, Float8E3M4;
    encodes_float8_e4m3fn, Float8E4M3Fn;
    encodes_float8_e4m3fnuz, Float8E4M3Fnuz;
    encodes_float8_e5m2fnuz, Float8E5M2Fnuz;
    encodes_float8_e4m3b11fnuz, Float8E4M3B11Fnuz;
    encodes_float8_e8m0fnu, Float8E8M0Fnu;
    encodes_float6_e2m3fn, Float6E2M3Fn;
    encodes_float6_e3m2fn, Float6E3M2Fn;
    encodes_float4_e2m1fn, Float4E2M1Fn;
}
