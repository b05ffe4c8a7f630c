//! Integers to the oracle's six formats, and those formats to integers.

use crate::grid::MODES;
use crate::ieee::{Known, from_integer};
use crate::points;
use crate::support::dtypes::{INTEGERS, int, width};
use crate::support::floats::{format, power};
use crate::support::options::OVERFLOWS;
use crate::support::random::Random;
use rustc_apfloat::ieee::{
    BFloatS, DoubleS, Float8E4M3FNS, Float8E5M2S, HalfS, IeeeFloat, Quad, SingleS,
};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use simdcast_kernels::reference::{Unfit, cast};
use simdcast_kernels::{DType, Options, Overflow, Rounding};

/// Integers at the boundaries of formats with up to 53 significant bits, in every binade: short
/// significands and the midpoints between them, each one off; and random ones.
fn integers() -> Vec<i128> {
    let mut random = Random::new(11);
    let mut magnitudes: Vec<u128> = (0..70_000).collect();
    for top in 0..64u32 {
        for precision in [3u32, 4, 8, 11, 24, 53] {
            if top < precision {
                continue;
            }
            let lowest = top + 1 - precision;
            let below = 1u64 << (precision - 1);
            // All significands where they are few.
            for k in 0..if precision <= 8 { below } else { 48 } {
                let fraction = match k {
                    _ if precision <= 8 => k,
                    0..8 => k,
                    8..16 => below - 1 - (k - 8),
                    _ => random.bits() % below,
                };
                let number = (u128::from(below | fraction)) << lowest;
                let midpoint = number + (1 << lowest >> 1);
                for point in [number, midpoint] {
                    magnitudes.extend([point - 1, point, point + 1]);
                }
            }
        }
    }
    for _ in 0..20_000 {
        let length = random.below(64);
        magnitudes.push(u128::from(random.bits() >> length));
        magnitudes.push(u128::from(random.runs() >> length));
    }
    magnitudes.sort_unstable();
    magnitudes.dedup();
    magnitudes.iter().flat_map(|&m| [m as i128, -(m as i128)]).collect()
}

/// Every integer dtype's share of `integers`, to one format.
fn integers_to<T: Known>() {
    let values = integers();
    for (from, lowest, highest) in INTEGERS {
        for &value in values.iter().filter(|value| (lowest..=highest).contains(*value)) {
            for (rounding, round) in MODES {
                let wanted = from_integer::<T>(value, round);
                let also = (rounding == Rounding::NearestEven).then_some(Rounding::Default);
                for rounding in [rounding].into_iter().chain(also) {
                    let options = Options { rounding, ..Options::DEFAULT };
                    let plain = Options { saturate: false, ..options };
                    let checked = Options { overflow: Overflow::Error, ..options };
                    let run = |options| cast(from, T::DTYPE, int(from, value), options, 0);
                    let found = (run(&options), run(&plain), run(&checked));
                    let wanted = (Ok(wanted.saturated), Ok(wanted.plain), wanted.checked);
                    assert_eq!(found, wanted, "{from} {value} -> {}, {rounding:?}", T::DTYPE);
                }
            }
        }
    }
}

#[test]
fn integers_to_float8_e5m2() {
    integers_to::<Float8E5M2S>();
}

#[test]
fn integers_to_float8_e4m3fn() {
    integers_to::<Float8E4M3FNS>();
}

#[test]
fn integers_to_float16() {
    integers_to::<HalfS>();
}

#[test]
fn integers_to_bfloat16() {
    integers_to::<BFloatS>();
}

#[test]
fn integers_to_float32() {
    integers_to::<SingleS>();
}

#[test]
fn integers_to_float64() {
    integers_to::<DoubleS>();
}

/// What the law wants of a float that goes to an integer: the codes under `As`, `Wrap`, `Saturate`,
/// `Error`, as `OVERFLOWS` has them.
fn to_integer<S: Known>(value: IeeeFloat<S>, to: DType, round: Round) -> [Result<u128, Unfit>; 4]
where
    IeeeFloat<S>: FloatConvert<Quad>,
{
    let bits = width(to) as usize;
    let (_, lowest, highest) = *INTEGERS.iter().find(|(dtype, ..)| *dtype == to).expect("listed");
    let answer = if lowest < 0 {
        value.to_i128_r(bits, round, &mut false)
    } else {
        value.to_u128_r(bits, round, &mut false).map(|wide| wide as i128)
    };
    // "To the lowest or highest number" is the oracle's answer to an invalid operation too: 0 for
    // NaN, the limits for infinities and what rounds out of range. So `As` and `Saturate` are its
    // answer, and `Error` fails where the operation is invalid; inexact is no failure.
    assert!((lowest..=highest).contains(&answer.value));
    let clamped = int(to, answer.value);
    let invalid = answer.status.contains(Status::INVALID_OP);
    let checked = if invalid { Err(Unfit) } else { Ok(clamped) };
    let wrapped = if value.is_finite() { modulo(value, round, bits) } else { 0 };
    [Ok(clamped), Ok(wrapped), Ok(clamped), checked]
}

/// "The rounded integer modulo 2^n, exactly, for every finite value": rounded to an integer and
/// reduced by the oracle, in its widest format, where both are exact.
fn modulo<S: Known>(value: IeeeFloat<S>, round: Round, bits: usize) -> u128
where
    IeeeFloat<S>: FloatConvert<Quad>,
{
    let wide: Quad = value.convert(&mut false).value;
    let whole = wide.round_to_integral(round).value;
    let rest = whole.c_fmod(Quad::from_u128(1 << bits).value).value;
    let rest = rest.to_i128_r(128, Round::TowardZero, &mut false);
    assert_eq!(rest.status, Status::OK);
    rest.value as u128 & ((1 << bits) - 1)
}

fn compare<S: Known>(to: DType, code: u64)
where
    IeeeFloat<S>: FloatConvert<Quad>,
{
    let code = u128::from(code);
    let value = IeeeFloat::<S>::from_bits(code);
    for (rounding, round) in MODES {
        let wanted = to_integer(value, to, round);
        // "A float is first rounded to an integer: toward zero unless `rounding` says otherwise."
        let also = (rounding == Rounding::TowardZero).then_some(Rounding::Default);
        for rounding in [rounding].into_iter().chain(also) {
            let found = OVERFLOWS.map(|overflow| {
                let options = Options { overflow, rounding, ..Options::DEFAULT };
                cast(S::DTYPE, to, code, &options, 0)
            });
            assert_eq!(found, wanted, "{} {code:#x} -> {to}, {rounding:?}", S::DTYPE);
        }
    }
}

/// The integers that the oracle can do: it has none of one bit with a sign.
fn destinations() -> impl Iterator<Item = DType> {
    INTEGERS.into_iter().map(|(dtype, ..)| dtype).filter(|dtype| *dtype != DType::Int1)
}

fn every_code_to_integers<S: Known>()
where
    IeeeFloat<S>: FloatConvert<Quad>,
{
    let source = format(S::DTYPE);
    let last = source.sign | (source.sign - 1);
    for to in destinations() {
        (0..=last).for_each(|code| compare::<S>(to, code));
    }
}

#[test]
fn every_float8_to_integers() {
    every_code_to_integers::<Float8E5M2S>();
    every_code_to_integers::<Float8E4M3FNS>();
}

#[test]
fn every_float16_to_integers() {
    every_code_to_integers::<HalfS>();
}

#[test]
fn every_bfloat16_to_integers() {
    every_code_to_integers::<BFloatS>();
}

/// Integers and the halves between them, as far as the float has halves, about every power of two
/// and every limit.
fn large_points(source: DType) -> Vec<u64> {
    let mut points: Vec<f64> = (0..1200).map(|k| f64::from(k) / 4.0).collect();
    for exponent in -4..70 {
        for offset in [-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0] {
            points.push(power(exponent) + offset);
            points.push(3.0 * power(exponent) + offset);
        }
    }
    for k in [32767, 32768, 65535, 65536, 49151] {
        points.extend((-8..8).map(|quarter| f64::from(k) + f64::from(quarter) / 4.0));
    }
    points.extend([power(100), power(127), f64::from(f32::MAX), f64::INFINITY]);
    if source == DType::Float64 {
        points.extend([power(1023), f64::MAX, power(200) + power(150)]);
    }
    let sign = format(source).sign;
    let mut codes = Vec::new();
    for point in points.into_iter().filter(|point| *point >= 0.0) {
        let code = match source {
            DType::Float32 => u64::from((point as f32).to_bits()),
            _ => point.to_bits(),
        };
        for near in code.saturating_sub(1)..=code + 1 {
            codes.extend([near, near | sign]);
        }
    }
    codes
}

fn large_to_integers<S: Known>(random: usize)
where
    IeeeFloat<S>: FloatConvert<Quad>,
{
    let mut codes = large_points(S::DTYPE);
    // Small numbers with few digits, and random ones from 2^-3 to 2^72.
    codes.extend(points::around(S::DTYPE, DType::Float8E4M3Fn, random));
    let source = format(S::DTYPE);
    let mut bits = Random::new(5);
    for _ in 0..random {
        let field = source.bias as u64 - 3 + bits.below(76);
        let fraction = bits.bits() & ((1 << source.fraction) - 1);
        let negative = bits.below(2) == 0;
        codes.push(source.signed(field << source.fraction | fraction, negative));
    }
    for to in destinations() {
        codes.iter().for_each(|code| compare::<S>(to, *code));
    }
}

#[test]
fn float32_to_integers() {
    large_to_integers::<SingleS>(6_000);
}

#[test]
fn float64_to_integers() {
    large_to_integers::<DoubleS>(6_000);
}

/// The 8- and 16-bit destinations at each of their own numbers and halves.
#[test]
fn small_integers_at_every_boundary() {
    for k in -33_000i32..66_000 {
        for half in [0.0, 0.5] {
            let point = f64::from(k) + half;
            for code in point.to_bits() - u64::from(point != 0.0)..=point.to_bits() + 1 {
                for to in [DType::Int8, DType::UInt8, DType::Int16, DType::UInt16] {
                    let narrow = matches!(to, DType::Int8 | DType::UInt8);
                    if !narrow || point.abs() < 300.0 {
                        compare::<DoubleS>(to, code);
                    }
                }
            }
            if point.abs() < 300.0 {
                let code = (point as f32).to_bits();
                for near in code - u32::from(point != 0.0)..=code + 1 {
                    compare::<SingleS>(DType::Int8, u64::from(near));
                    compare::<SingleS>(DType::UInt8, u64::from(near));
                }
            }
        }
    }
}
