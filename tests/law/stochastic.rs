//! "`Stochastic { seed }`: element i (each component of a complex counts: 2i and 2i+1) draws 32 bits
//! r from Philox4x32-10 with the seed as key, counter i / 4 and word i mod 4; f is the discarded
//! fraction of the magnitude, cut to 32 bits; the magnitude goes up if r < f; exact values never
//! move; overflow is judged afterwards."
//!
//! All of it is computed here again, with numbers a float64 holds, or with 128-bit integers.

use crate::cases::cast;
use crate::support::dtypes::{COMPLEX, INTEGERS, complex, int, num, width};
use crate::support::floats::{Class, FORMATS, Format, format, power};
use crate::support::random::Random;
use simdcast_kernels::philox::philox4x32;
use simdcast_kernels::{DType, Overflow, Rounding};

const SEED: u64 = 0x9876_5432_10fe_dcba;
const MODE: Rounding = Rounding::Stochastic { seed: SEED };

fn draw(seed: u64, place: u64) -> u32 {
    let block = place / 4;
    let words =
        philox4x32([block as u32, (block >> 32) as u32, 0, 0], [seed as u32, (seed >> 32) as u32]);
    words[(place % 4) as usize]
}

/// Whether the fraction `part / whole` moves up under a draw. `whole` is a power of two, so that the
/// division and the product are exact.
fn goes_up(part: f64, whole: f64, draw: u32) -> bool {
    f64::from(draw) < (part / whole * 4294967296.0).floor()
}

/// The code of a value in a float format other than float64.
fn to_float(format: &Format, value: f64, saturate: bool, draw: u32) -> u128 {
    let negative = value.is_sign_negative();
    if format.class == Class::Power {
        return to_power(value, saturate, draw);
    }
    let low = format.at_or_below(value.abs());
    let (below, above) = (format.magnitude(low), format.magnitude(low + 1));
    let code = low + u64::from(goes_up(value.abs() - below, above - below, draw));
    if code > format.largest {
        return format.past_the_largest(negative, saturate).into();
    }
    let no_sign = format.class == Class::Fnuz && code == 0;
    format.signed(code, negative && !no_sign).into()
}

/// To e8m0, by the power below: 2^e <= value < 2^(e+1).
fn to_power(value: f64, saturate: bool, draw: u32) -> u128 {
    let (smallest, largest, nan) = (0, 0xfe, 0xff);
    if value == 0.0 {
        return if saturate { smallest } else { nan };
    } else if value < 0.0 {
        return nan;
    }
    let exponent = (value.to_bits() >> 52) as i32 - 1023;
    let below = power(exponent);
    match exponent + i32::from(goes_up(value - below, below, draw)) {
        power @ -127..=127 => (power + 127) as u128,
        _ if !saturate => nan,
        power => {
            if power < 0 {
                smallest
            } else {
                largest
            }
        }
    }
}

/// Numbers about a format's whole range: random places between neighbours, exact ones, ones past the
/// largest, tiny ones.
fn values(format: &Format, n: usize) -> Vec<f64> {
    let mut random = Random::new(4);
    let largest = if format.dtype == DType::Float64 { 0 } else { format.largest };
    let mut values = Vec::with_capacity(n);
    for i in 0..n {
        let code = random.below(largest + 3);
        let (low, high) = (format.magnitude(code), format.magnitude(code + 1));
        let fraction = match i % 8 {
            0 => 0.0,
            1 => power(-32),
            2 => power(-33),
            3 => 0.5,
            4 => 1.0 - power(-30),
            _ => random.bits() as u32 as f64 / 4294967296.0,
        };
        let value = low + (high - low) * fraction;
        values.push(if random.below(2) == 0 { value } else { -value });
    }
    values
}

fn codes_of(dtype: DType, values: &[f64]) -> Vec<u128> {
    let code = |value: &f64| match dtype {
        DType::Float32 => u128::from((*value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    };
    values.iter().map(code).collect()
}

fn values_of(dtype: DType, codes: &[u128]) -> Vec<f64> {
    codes.iter().map(|code| format(dtype).value(*code as u64)).collect()
}

#[test]
fn floats_to_every_float() {
    for to in FORMATS.iter().filter(|to| to.dtype != DType::Float64) {
        for from in [DType::Float32, DType::Float64] {
            if from == to.dtype {
                continue;
            }
            let codes = codes_of(from, &values(to, 600));
            let values = values_of(from, &codes);
            for (saturate, first) in [(true, 0), (false, 0), (true, 3), (false, 1 << 40)] {
                let wanted = |(i, value): (usize, &f64)| {
                    to_float(to, *value, saturate, draw(SEED, first + i as u64))
                };
                let wanted: Vec<_> = values.iter().enumerate().map(wanted).collect();
                let case = cast(from, to.dtype).rounding(MODE).saturate(saturate);
                case.first_index(first).gives_in_place(&codes, &wanted);
            }
        }
    }
}

/// Of subnormal numbers so many bits are cut off that the last ones are easily lost: here they decide, since those above are
/// the draw's. Some come among others, so that loops meet them anywhere.
#[test]
fn fractions_that_begin_as_their_draw_does() {
    const FIRST: u64 = 12;
    for to in FORMATS.iter().filter(|to| to.sign <= 0x8000 && to.class != Class::Power) {
        for (seldom, among) in [(5, values(to, 4096)), (1, vec![0.0; 1200])] {
            let close = |(i, value): (usize, f64)| {
                if i % seldom != 0 || i * i % 7 == 0 {
                    return value;
                }
                let fraction = f64::from(draw(SEED, FIRST + i as u64)) / 4294967296.0;
                let near = (i % 3) as f64 + fraction;
                let code = ((near * to.magnitude(1)) as f32).to_bits();
                f64::from(f32::from_bits((code + (i % 5) as u32).saturating_sub(2)))
            };
            let numbers: Vec<_> = among.into_iter().enumerate().map(close).collect();
            let codes = codes_of(DType::Float32, &numbers);
            let values = values_of(DType::Float32, &codes);
            for saturate in [true, false] {
                let wanted = |(i, value): (usize, &f64)| {
                    to_float(to, *value, saturate, draw(SEED, FIRST + i as u64))
                };
                let wanted: Vec<_> = values.iter().enumerate().map(wanted).collect();
                let case = cast(DType::Float32, to.dtype).rounding(MODE).saturate(saturate);
                case.first_index(FIRST).gives_in_place(&codes, &wanted);
            }
        }
    }
}

/// The same of float64s, which have bits below those that a draw is compared with: the draw's fraction, the next one, and
/// what is a little more or less.
#[test]
fn longer_fractions_that_begin_as_their_draw_does() {
    const FIRST: u64 = 8;
    for to in FORMATS.iter().filter(|to| to.dtype != DType::Float64) {
        let close = |(i, value): (usize, f64)| {
            let (low, high) = if to.class == Class::Power {
                let low = power((value.max(1.0).to_bits() >> 52) as i32 - 1023);
                (low, 2.0 * low)
            } else {
                // Of normal and of subnormal numbers, some between zero and the smallest.
                let below = to.at_or_below(value);
                let code = if i % 3 == 0 { below % 4 } else { below };
                (to.magnitude(code), to.magnitude(code + 1))
            };
            let units = f64::from(draw(SEED, FIRST + i as u64)) + (i / 5 % 2) as f64;
            let near = low + (high - low) * (units / 4294967296.0);
            f64::from_bits(near.to_bits().saturating_add_signed(i as i64 % 5 - 2))
        };
        let among = values(to, 1200).into_iter().map(f64::abs);
        let numbers: Vec<_> = among.enumerate().map(close).collect();
        let codes = codes_of(DType::Float64, &numbers);
        for saturate in [true, false] {
            let wanted = |(i, value): (usize, &f64)| {
                to_float(to, *value, saturate, draw(SEED, FIRST + i as u64))
            };
            let wanted: Vec<_> = numbers.iter().enumerate().map(wanted).collect();
            let case = cast(DType::Float64, to.dtype).rounding(MODE).saturate(saturate);
            case.first_index(FIRST).gives_in_place(&codes, &wanted);
        }
    }
}

/// Float32s between powers of two have fewer bits than a draw, which decide where the draw has zeros below.
#[test]
fn fractions_of_powers_that_are_their_draw() {
    let to = format(DType::Float8E8M0Fnu);
    let value = |i: u64| {
        let units = u64::from(draw(SEED, i) & !511) + 512 * (i & 1);
        let units = units as f64;
        power((i % 250) as i32 - 126) * (1.0 + units / 4294967296.0)
    };
    let values: Vec<f64> = (0..8192).map(value).collect();
    let codes = codes_of(DType::Float32, &values);
    let decided =
        (0..8192u64).filter(|i| i.is_multiple_of(2) && draw(SEED, *i).is_multiple_of(512));
    assert!(decided.count() > 0, "no draw is a fraction");
    for saturate in [true, false] {
        let wanted = values.iter().enumerate();
        let wanted: Vec<_> =
            wanted.map(|(i, v)| to_float(to, *v, saturate, draw(SEED, i as u64))).collect();
        let case = cast(DType::Float32, to.dtype).rounding(MODE).saturate(saturate);
        case.gives_in_place(&codes, &wanted);
    }
}

/// What is less than a small draw is far below a format's smallest number.
#[test]
fn small_fractions_that_are_small_draws() {
    const BEFORE: u64 = 33;
    let small = (BEFORE..1 << 18).filter(|place| draw(SEED, *place) < 1 << 18);
    let small: Vec<_> = small.take(8).collect();
    assert_eq!(small.len(), 8, "small draws");
    for place in small {
        for to in FORMATS.iter().filter(|to| to.sign <= 0x8000 && to.class != Class::Power) {
            for more in [0, 1] {
                let units = f64::from(draw(SEED, place) + more);
                let mut values = vec![0.0; 70];
                values[BEFORE as usize] = units / 4294967296.0 * to.magnitude(1);
                let wanted: Vec<_> =
                    (0..70).map(|i| u128::from(more == 1 && i == BEFORE)).collect();
                for from in [DType::Float32, DType::Float64] {
                    if matches!((from, to.dtype), (DType::Float32, DType::BFloat16)) {
                        // Float32 has no numbers there.
                        continue;
                    }
                    let codes = codes_of(from, &values);
                    let case = cast(from, to.dtype).rounding(MODE).first_index(place - BEFORE);
                    case.gives_in_place(&codes, &wanted);
                }
            }
        }
    }
}

#[test]
fn small_floats_to_small_floats() {
    for from in FORMATS.iter().filter(|from| from.sign <= 0x8000) {
        let last = if from.sign == 0 { 0xff } else { from.sign << 1 };
        let codes: Vec<_> =
            (0..last).filter(|code| from.is_finite(*code)).map(u128::from).collect();
        let values = values_of(from.dtype, &codes);
        for to in FORMATS.iter().filter(|to| to.sign <= 0x8000 && to.dtype != from.dtype) {
            for saturate in [true, false] {
                let wanted = |(i, value): (usize, &f64)| {
                    to_float(to, *value, saturate, draw(SEED, i as u64))
                };
                let wanted: Vec<_> = values.iter().enumerate().map(wanted).collect();
                let case = cast(from.dtype, to.dtype).rounding(MODE).saturate(saturate);
                case.gives_in_place(&codes, &wanted);
            }
        }
    }
}

/// What an integer destination holds of a rounded number under `As`.
fn to_integer(value: f64, lowest: i128, highest: i128, draw: u32) -> i128 {
    let whole = value.abs().trunc();
    let magnitude = whole as i128 + i128::from(goes_up(value.abs() - whole, 1.0, draw));
    let rounded = if value < 0.0 { -magnitude } else { magnitude };
    rounded.clamp(lowest, highest)
}

#[test]
fn floats_to_every_integer() {
    let mut random = Random::new(6);
    for (to, lowest, highest) in INTEGERS {
        let reach = (highest.min(1 << 40) as f64 + 2.0) * 1.1;
        let values: Vec<f64> = (0..600)
            .map(|i| {
                let unit = random.bits() as u32 as f64 / 4294967296.0;
                let value = if i % 5 == 0 { (unit * reach).trunc() } else { unit * reach };
                if random.below(2) == 0 { value } else { -value }
            })
            .collect();
        for first in [0, 2] {
            let wanted: Vec<_> = values
                .iter()
                .enumerate()
                .map(|(i, value)| {
                    int(to, to_integer(*value, lowest, highest, draw(SEED, first + i as u64)))
                })
                .collect();
            let codes = codes_of(DType::Float64, &values);
            let case = cast(DType::Float64, to).rounding(MODE).first_index(first);
            case.gives_in_place(&codes, &wanted);
            case.overflow(Overflow::Saturate).gives_in_place(&codes, &wanted);
        }
    }
}

/// Fractions that are their draw, or the next one: of float32s those that have so many bits.
#[test]
fn fractions_of_integers_that_are_their_draw() {
    for (to, lowest, highest) in INTEGERS {
        for from in [DType::Float32, DType::Float64] {
            let value = |i: u64| {
                let units = u64::from(draw(SEED, i));
                let (units, whole) = match from {
                    DType::Float32 => ((units & !255) + 256 * (i & 1), 0),
                    _ => (units + (i & 1), i / 2 % 9),
                };
                let value = whole as f64 + units as f64 / 4294967296.0;
                if i.is_multiple_of(3) { -value } else { value }
            };
            let values: Vec<f64> = (0..3000).map(value).collect();
            let codes = codes_of(from, &values);
            let wanted = values.iter().enumerate();
            let wanted: Vec<_> = wanted
                .map(|(i, v)| int(to, to_integer(*v, lowest, highest, draw(SEED, i as u64))))
                .collect();
            let case = cast(from, to).rounding(MODE);
            case.gives_in_place(&codes, &wanted);
            if lowest <= -10 && highest >= 10 {
                // All are in range, which is told by another loop.
                case.overflow(Overflow::Wrap).gives_in_place(&codes, &wanted);
            }
        }
    }
}

/// An integer to a format with `fraction + 1` significant bits and room for it: by 128-bit shifts.
fn integer_to_float(format: &Format, value: i128, draw: u32) -> u128 {
    let magnitude = value.unsigned_abs();
    let bits = 128 - magnitude.leading_zeros();
    let dropped = bits.saturating_sub(format.fraction + 1);
    let fraction = (magnitude & ((1 << dropped) - 1)) << 32 >> dropped;
    let units = (magnitude >> dropped) + u128::from(u128::from(draw) < fraction);
    let code = format.code(units as f64 * power(dropped as i32));
    format.signed(code, value < 0).into()
}

#[test]
fn integers_to_floats() {
    let mut random = Random::new(8);
    for (from, lowest, highest) in INTEGERS.into_iter().filter(|(_, _, highest)| *highest > 1000) {
        let values: Vec<i128> = (0..500)
            .map(|_| {
                let any = (random.bits() >> random.below(60)) as i128;
                let value = any.clamp(0, highest);
                if random.below(2) == 0 { value } else { (-value).max(lowest) }
            })
            .collect();
        let codes: Vec<_> = values.iter().map(|value| int(from, *value)).collect();
        for to in [DType::BFloat16, DType::Float32, DType::Float64] {
            let wanted: Vec<_> = values
                .iter()
                .enumerate()
                .map(|(i, value)| integer_to_float(format(to), *value, draw(SEED, i as u64)))
                .collect();
            cast(from, to).rounding(MODE).gives_in_place(&codes, &wanted);
        }
    }
}

/// Fractions of long integers that begin as their draw does, with other bits below: a draw is not less than these.
#[test]
fn long_fractions_of_integers_that_begin_as_their_draw_does() {
    for (from, bits) in [(DType::Int64, 63), (DType::UInt64, 64)] {
        let formats = FORMATS.iter().filter(|to| to.fraction < 31 && to.class != Class::Power);
        for to in formats.filter(|to| to.magnitude(to.largest) > power(bits)) {
            let values: Vec<i128> = (0..400)
                .map(|i| {
                    let length = bits as u32 - i % 20;
                    let fraction = u128::from(draw(SEED, i.into())) + u128::from(i % 3 == 0);
                    let dropped = length - (to.fraction + 1);
                    let leading = (1 << (length - 1)) | u128::from(i % 2) << dropped;
                    let kept = leading | (fraction << dropped >> 32);
                    let lower = (1u128 << dropped >> 32).saturating_sub(1);
                    let value = if i % 5 == 0 { kept } else { kept | lower };
                    let negative = matches!(from, DType::Int64) && i % 4 < 2;
                    if negative { -(value as i128) } else { value as i128 }
                })
                .collect();
            let codes: Vec<_> = values.iter().map(|value| int(from, *value)).collect();
            let wanted =
                |(i, value): (usize, &i128)| integer_to_float(to, *value, draw(SEED, i as u64));
            let wanted: Vec<_> = values.iter().enumerate().map(wanted).collect();
            cast(from, to.dtype).rounding(MODE).gives_in_place(&codes, &wanted);
        }
    }
}

/// Real and imaginary part draw 2i and 2i + 1.
#[test]
fn components_draw_2i_and_2i_plus_1() {
    for (from, of) in COMPLEX.into_iter().filter(|(_, of)| width(*of) >= 32) {
        for (to, into) in COMPLEX.into_iter().filter(|(_, into)| width(*into) == 16) {
            let parts = codes_of(of, &values(format(into), 400));
            let numbers = values_of(of, &parts);
            let codes: Vec<_> =
                parts.chunks(2).map(|part| complex(from, part[0], part[1])).collect();
            for first in [0, 5, 1 << 33] {
                let part = |k: usize| {
                    to_float(format(into), numbers[k], true, draw(SEED, 2 * first + k as u64))
                };
                let wanted: Vec<_> =
                    (0..codes.len()).map(|i| complex(to, part(2 * i), part(2 * i + 1))).collect();
                let case = cast(from, to).rounding(MODE).first_index(first);
                case.gives_in_place(&codes, &wanted);
            }
        }
    }
}

/// Where only real parts draw, blocks go on as they do elsewhere.
#[test]
fn draws_of_real_parts_go_on_there_too() {
    let to = DType::Float16;
    let codes = codes_of(DType::Float32, &values(format(to), 1200));
    let numbers = values_of(DType::Float32, &codes);
    let starts = [1u64 << 33, 0].map(|anew| [400, 401].map(|before| anew.wrapping_sub(before)));
    for start in starts {
        for first in [start[0], start[1], (1 << 33) + 7] {
            let draws = |i: usize| draw(SEED, first.wrapping_add(i as u64).wrapping_mul(2));
            let wanted = numbers.iter().enumerate();
            let wanted: Vec<_> = wanted
                .map(|(i, v)| {
                    complex(DType::Complex32, to_float(format(to), *v, true, draws(i)), 0)
                })
                .collect();
            let case = cast(DType::Float32, DType::Complex32).rounding(MODE);
            case.first_index(first).gives_in_place(&codes, &wanted);
        }
    }
}

/// "Each component of a complex counts": of the one that is kept, and of the one that is made.
#[test]
fn real_parts_draw_2i_where_one_side_is_complex() {
    let numbers = values(format(DType::Float16), 200);
    let codes = codes_of(DType::Float64, &numbers);
    for first in [0, 7] {
        let wanted: Vec<_> = numbers
            .iter()
            .enumerate()
            .map(|(i, value)| {
                to_float(format(DType::Float16), *value, true, draw(SEED, 2 * (first + i as u64)))
            })
            .collect();
        let draws = |from, to| cast(from, to).rounding(MODE).first_index(first);
        draws(DType::Float64, DType::Complex32).gives_in_place(&codes, &wanted);
        draws(DType::Complex128, DType::Float16).gives_in_place(&codes, &wanted);
    }
}

/// "So that any split gives the same bits": parts with their first index against the whole.
#[test]
fn any_split_gives_the_same_bits() {
    let codes = codes_of(DType::Float32, &values(format(DType::Float8E4M3Fn), 300));
    let numbers = values_of(DType::Float32, &codes);
    let wanted: Vec<_> = numbers
        .iter()
        .enumerate()
        .map(|(i, value)| to_float(format(DType::Float8E4M3Fn), *value, true, draw(SEED, i as u64)))
        .collect();
    let case = cast(DType::Float32, DType::Float8E4M3Fn).rounding(MODE);
    for at in [1, 2, 3, 5, 64, 129, 299] {
        case.gives_in_place(&codes[..at], &wanted[..at]);
        case.first_index(at as u64).gives_in_place(&codes[at..], &wanted[at..]);
    }
}

/// Draws come by blocks of four, whose numbers have two words: where the lower one starts anew, and where both do, in casts
/// of many blocks and of few, which kernels make by groups of different sizes; and of so many that they round in another way,
/// from any place of a block on.
#[test]
fn draws_go_on_where_a_word_of_the_block_starts_anew() {
    let to = DType::Float8E5M2;
    let codes = codes_of(DType::Float32, &values(format(to), 2500));
    let numbers = values_of(DType::Float32, &codes);
    let counts =
        [(2500, 800), (2500, 801), (2500, 802), (2500, 803), (300, 170), (100, 50), (40, 20)];
    let starts = [1u64 << 34, 0].map(|anew| counts.map(|count| (anew, count)));
    for (anew, (count, before)) in starts.into_iter().flatten() {
        let (first, codes) = (anew.wrapping_sub(before), &codes[..count]);
        let draws = |i: usize| draw(SEED, first.wrapping_add(i as u64));
        let wanted: Vec<_> = numbers
            .iter()
            .enumerate()
            .take(count)
            .map(|(i, v)| to_float(format(to), *v, true, draws(i)))
            .collect();
        cast(DType::Float32, to).rounding(MODE).first_index(first).gives_in_place(codes, &wanted);
    }
}

/// The same of bytes, whose long casts make draws in another way.
#[test]
fn draws_of_bytes_go_on_there_too() {
    const COUNT: usize = 4500;
    const INFINITY: usize = 0x7c;
    let (from, to) = (DType::Float8E5M2, DType::Float8E3M4);
    let finite = |i: usize| (i / INFINITY % 2 * 0x80 + i % INFINITY) as u128;
    let codes: Vec<_> = (0..COUNT).map(finite).collect();
    let numbers = values_of(from, &codes);
    for anew in [1u64 << 34, 0] {
        // Any place of a block comes first.
        for before in 2000..2004 {
            let first = anew.wrapping_sub(before);
            let draws = |i: usize| draw(SEED, first.wrapping_add(i as u64));
            let wanted = numbers.iter().enumerate();
            let wanted: Vec<_> =
                wanted.map(|(i, v)| to_float(format(to), *v, true, draws(i))).collect();
            cast(from, to).rounding(MODE).first_index(first).gives_in_place(&codes, &wanted);
        }
    }
}

#[test]
fn exact_values_never_move() {
    for to in FORMATS.iter().filter(|to| to.sign <= 0x8000) {
        let last = if to.sign == 0 { 0xff } else { to.sign << 1 };
        let codes: Vec<_> = (0..last).filter(|code| to.is_finite(*code)).collect();
        let doubles: Vec<_> = codes.iter().map(|code| to.value(*code).to_bits().into()).collect();
        let codes: Vec<_> = codes.into_iter().map(u128::from).collect();
        for seed in [0, 1, u64::MAX] {
            let case = cast(DType::Float64, to.dtype).rounding(Rounding::Stochastic { seed });
            case.gives_in_place(&doubles, &codes);
            case.checked().gives_in_place(&doubles, &codes);
        }
    }
}

/// The fraction is cut to 32 bits: less than 2^-32 never moves, and no fraction moves always.
#[test]
fn the_fraction_is_cut_to_32_bits() {
    let n = 20_000;
    let tiny = num(DType::Float64, 1.0 + power(-33));
    let case = cast(DType::Float64, DType::Int8).rounding(MODE);
    case.gives_in_place(&vec![tiny; n], &vec![1; n]);
    // Half goes up half the time, by its draws; a quarter likewise.
    for (value, share) in [(1.5, 0.5), (1.25, 0.25), (1.875, 0.875)] {
        let wanted: Vec<u128> = (0..n as u64)
            .map(|i| 1 + u128::from(f64::from(draw(SEED, i)) < (value - 1.0) * 4294967296.0))
            .collect();
        let ups = wanted.iter().filter(|code| **code == 2).count() as f64 / n as f64;
        assert!((ups - share).abs() < 0.02, "{value} went up {ups} of the time");
        case.gives_in_place(&vec![num(DType::Float64, value); n], &wanted);
    }
}

/// "Overflow is judged afterwards": between the largest number and the next it depends on the draw.
#[test]
fn overflow_is_judged_after_the_draw() {
    let n = 64;
    let codes = vec![num(DType::Float64, 464.0); n];
    let wanted: Vec<u128> =
        (0..n as u64).map(|i| if draw(SEED, i) < 1 << 31 { 0x7f } else { 0x7e }).collect();
    assert!(wanted.contains(&0x7f) && wanted.contains(&0x7e));
    let case = cast(DType::Float64, DType::Float8E4M3Fn).rounding(MODE);
    case.saturate(false).gives_in_place(&codes, &wanted);
    case.gives_in_place(&codes, &vec![0x7e; n]);
    let first = wanted.iter().position(|code| *code == 0x7f).expect("one goes up");
    case.checked().fails_at(&codes, first);
    case.checked().gives_in_place(&codes[..first], &wanted[..first]);
    // To an integer likewise: 255.5 is 255 or out of range.
    let halves = vec![num(DType::Float64, 255.5); n];
    cast(DType::Float64, DType::UInt8).rounding(MODE).checked().fails_at(&halves, first);
    let wrapped: Vec<u128> =
        wanted.iter().map(|code| if *code == 0x7f { 0 } else { 255 }).collect();
    let wraps = cast(DType::Float64, DType::UInt8).rounding(MODE).overflow(Overflow::Wrap);
    wraps.gives_in_place(&halves, &wrapped);
}

/// Infinities and NaN have no fraction: they go where they go in every mode.
#[test]
fn specials_are_as_in_every_mode() {
    let (infinity, nan) = (f64::INFINITY.to_bits().into(), 0xfff8_0000_0000_0000);
    let codes: Vec<u128> = std::iter::repeat_n([infinity, nan], 40).flatten().collect();
    let to = |dtype, saturate, a: u128, b: u128| {
        let wanted: Vec<u128> = std::iter::repeat_n([a, b], 40).flatten().collect();
        let case = cast(DType::Float64, dtype).rounding(MODE).saturate(saturate);
        case.gives_in_place(&codes, &wanted);
    };
    to(DType::Float8E4M3Fn, true, 0x7e, 0xff);
    to(DType::Float8E4M3Fn, false, 0x7f, 0xff);
    to(DType::Float16, true, 0x7c00, 0xfe00);
    to(DType::Float4E2M1Fn, true, 0x7, 0x0);
    to(DType::Int8, true, 0x7f, 0);
    to(DType::Float8E8M0Fnu, true, 0xfe, 0xff);
}
