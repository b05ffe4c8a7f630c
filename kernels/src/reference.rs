//! The definition of a cast, slow and obvious: take the exact value of a code, round it once, store
//! it. Every kernel must give the same bits.
//!
//! Everything here is integer arithmetic in `const fn`s, so no floating-point environment can touch
//! it and tables can be made from it at compile time.
//!
//! # The law
//!
//! * **Storage**: numbers of several bytes are native endian. A number narrower than its byte is in the
//!   low bits; the others are ignored when it is read, and written as copies of the sign of an integer
//!   that has one, else as zeros. Of packed elements the first is in the lowest bits, and unused bits of
//!   the last byte are written as zeros. A bool's byte is true unless it is 0, and written as 0 or 1.
//! * **To bool**: zero is false, anything else is true, NaN too, under every option.
//! * **To an integer**: a float is rounded to an integer, toward zero by default; what is then out of
//!   range is treated as [`Overflow`] says. From bool: the integer 0 or 1.
//! * **To a float**: rounded to the nearest with ties to even by default. Past the largest finite
//!   number (judged after rounding as if the exponent had no bound) the 16-, 32- and 64-bit formats
//!   give infinity, the 6- and 4-bit ones the largest finite number, and the 8-bit ones the largest
//!   finite number if `saturate`, else infinity, or NaN where there is none. A directed rounding that
//!   moves toward zero stops at the largest finite number. An infinity goes where an overflow goes.
//! * **To float8_e8m0fnu**: rounded up to a power of two by default; zero and what lies below the
//!   smallest power give the smallest, what lies above the largest gives the largest, if `saturate`;
//!   NaN if not. Negative numbers give NaN.
//! * **NaN** stays NaN with its sign where the format has one. The formats of 16 bits and more keep
//!   the top of the payload and set the quiet bit; to or from 8 bits it is the canonical NaN.
//!   float6 and float4 store -0 for +NaN and +0 for -NaN; integers store 0.
//! * **Stochastic rounding**: element i draws 32 bits from Philox4x32-10 with the seed as its key
//!   (counter i / 4, word i mod 4), and moves away from zero if they are less than the discarded
//!   fraction, cut to 32 bits. Where either side is complex it draws number 2i for its real and number
//!   2i + 1 for its imaginary part. i counts from [`Options::first_index`].
//! * **Complex** to complex goes by component; from a real number the imaginary part is 0; to a real
//!   number the imaginary part is dropped, to bool it counts.
//! * **A dtype to itself** keeps every bit that is a number's.
//! * **[`Overflow::Error`]** ignores `saturate` (an infinity stays one where the format has it) and
//!   refuses: a number out of range, an infinity or a NaN the format lacks, zero and negative numbers
//!   into e8m0, and a nonzero imaginary part (NaN counts) dropped by a cast to a real number other
//!   than bool.

use crate::dtypes::{DType, bytes as bytes_of};
use crate::exact::Exact;
use crate::format::{FloatFormat, IntFormat, Numbers, Specials};
use crate::options::{Options, Overflow, Rounding};
use crate::philox;

/// An element that [`Overflow::Error`] refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit;

/// Casts element number `index` of a buffer. `code` has the element's bits from bit 0, real part
/// first, and nothing above them; so has the result.
pub const fn cast(
    from: DType,
    to: DType,
    code: u128,
    options: &Options,
    index: u64,
) -> Result<u128, Unfit> {
    let (source, target) = (from.component(), to.component());
    let (re, im) = parts(from, code);
    let place = component_index(from, to, options, index);
    if matches!(to.numbers_ref(), Numbers::Bool) {
        let zero = decode(source, re).is_zero() && decode(source, im).is_zero();
        return Ok(!zero as u128);
    }
    let re = match cast_component(source, target, re, options, place) {
        Ok(code) => code,
        Err(unfit) => return Err(unfit),
    };
    if !to.is_complex() {
        if from.is_complex()
            && matches!(options.overflow, Overflow::Error)
            && !decode(source, im).is_zero()
        {
            return Err(Unfit);
        }
        return Ok(re as u128);
    }
    let im = if from.is_complex() {
        match cast_component(source, target, im, options, place.wrapping_add(1)) {
            Ok(code) => code,
            Err(unfit) => return Err(unfit),
        }
    } else {
        0
    };
    Ok(re as u128 | (im as u128) << (to.bits() / 2))
}

/// The place of an element's (real) component in the sequence of draws: where either side is
/// complex, element i has the places 2i and 2i + 1.
const fn component_index(from: DType, to: DType, options: &Options, index: u64) -> u64 {
    let element = options.first_index.wrapping_add(index);
    if from.is_complex() || to.is_complex() { element.wrapping_mul(2) } else { element }
}

/// The codes of the real and the imaginary part; a real dtype's imaginary part is code 0 of a type
/// that has zero there.
const fn parts(dtype: DType, code: u128) -> (u64, u64) {
    if dtype.is_complex() {
        let bits = dtype.bits() / 2;
        let mask = u64::MAX >> (64 - bits);
        (code as u64 & mask, (code >> bits) as u64 & mask)
    } else {
        // Only the cast to bool looks at this part, and code 0 is zero in every format but e8m0,
        // which has no zero: true it is either way.
        (code as u64, 0)
    }
}

/// Casts a component or real number: `from` and `to` are neither packed nor complex.
const fn cast_component(
    from: DType,
    to: DType,
    code: u64,
    options: &Options,
    place: u64,
) -> Result<u64, Unfit> {
    if from as u8 == to as u8 {
        return Ok(code);
    }
    let draw = match options.rounding {
        Rounding::Stochastic { seed } => philox::draw(seed, place),
        _ => 0,
    };
    let from_float = matches!(from.numbers_ref(), Numbers::Float(_));
    encode(to, decode(from, code), from_float, options, draw)
}

/// The exact value of a code of a dtype that is not complex.
pub const fn decode(dtype: DType, code: u64) -> Exact {
    match dtype.numbers_ref() {
        Numbers::Bool => Exact::from_bool(code != 0),
        Numbers::Int(format) => {
            if format.signed {
                let unused = 64 - format.bits;
                Exact::from_i64((code << unused) as i64 >> unused)
            } else {
                Exact::from_u64(code & format.mask())
            }
        }
        Numbers::Float(format) => decode_float(format, code & format.mask()),
    }
}

const fn decode_float(format: &FloatFormat, code: u64) -> Exact {
    let m = format.mantissa_bits;
    let negative = code & format.sign_mask() != 0;
    let magnitude = code & !format.sign_mask();
    let fraction = magnitude & format.mantissa_mask();
    let field = (magnitude >> m) as i32;
    match format.specials {
        Specials::Ieee => {
            let top = (1 << format.exponent_bits) - 1;
            if field == top && fraction == 0 {
                return Exact::Infinity { negative };
            } else if field == top {
                let payload = if format.bits() == 8 { 0 } else { fraction << (52 - m) };
                return Exact::Nan { negative, payload };
            }
        }
        Specials::Fn => {
            if magnitude > format.max_finite() {
                return Exact::Nan { negative, payload: 0 };
            }
        }
        Specials::Fnuz => {
            if negative && magnitude == 0 {
                return Exact::Nan { negative: false, payload: 0 };
            }
        }
        Specials::PowersOfTwo => {
            if magnitude > format.max_finite() {
                return Exact::Nan { negative: false, payload: 0 };
            }
            return Exact::Finite { negative, significand: 1, exponent: field - format.bias };
        }
        Specials::Finite => {}
    }
    if field == 0 {
        let exponent = format.min_exponent() - m as i32;
        Exact::Finite { negative, significand: fraction, exponent }
    } else {
        let exponent = field - format.bias - m as i32;
        Exact::Finite { negative, significand: fraction | 1 << m, exponent }
    }
}

/// The code of a value in a dtype that is not complex. `draw` is the random word of stochastic
/// rounding; `from_float` says which row of [`Overflow::As`] holds.
pub const fn encode(
    dtype: DType,
    value: Exact,
    from_float: bool,
    options: &Options,
    draw: u32,
) -> Result<u64, Unfit> {
    let value = value.in_reach();
    match dtype.numbers_ref() {
        Numbers::Bool => Ok(!value.is_zero() as u64),
        Numbers::Int(format) => encode_int(*format, value, from_float, options, draw),
        Numbers::Float(format) => match format.specials {
            Specials::PowersOfTwo => encode_power(format, value, options, draw),
            _ => encode_float(format, value, options, draw),
        },
    }
}

/// Whether `significand * 2^-discarded`, cut to an integer, moves one away from zero.
const fn moves_away(
    significand: u64,
    discarded: i32,
    negative: bool,
    rounding: Rounding,
    draw: u32,
) -> bool {
    // A significand has 64 bits: past 100 discarded ones, all that is left is "a tiny bit".
    let discarded = if discarded > 100 { 100 } else { discarded };
    let unit = 1u128 << discarded;
    let rest = significand as u128 % unit;
    let odd = significand as u128 / unit % 2 == 1;
    match rounding {
        Rounding::Default | Rounding::NearestEven => rest * 2 > unit || (rest * 2 == unit && odd),
        Rounding::NearestAway => rest != 0 && rest * 2 >= unit,
        Rounding::TowardZero => false,
        Rounding::Up => rest != 0 && !negative,
        Rounding::Down => rest != 0 && negative,
        Rounding::Stochastic { .. } => (draw as u128) < (rest << 32) >> discarded,
    }
}

/// `significand * 2^-discarded`, rounded to an integer, for `discarded >= 0`.
const fn round(
    significand: u64,
    discarded: i32,
    negative: bool,
    rounding: Rounding,
    draw: u32,
) -> u64 {
    let kept = if discarded < 64 { significand >> discarded } else { 0 };
    kept + moves_away(significand, discarded, negative, rounding, draw) as u64
}

const fn or_default(rounding: Rounding, default: Rounding) -> Rounding {
    match rounding {
        Rounding::Default => default,
        chosen => chosen,
    }
}

const fn encode_int(
    format: IntFormat,
    value: Exact,
    from_float: bool,
    options: &Options,
    draw: u32,
) -> Result<u64, Unfit> {
    let checked = matches!(options.overflow, Overflow::Error);
    let clamps = match options.overflow {
        Overflow::Saturate => true,
        Overflow::As => from_float,
        _ => false,
    };
    let (negative, significand, exponent) = match value {
        Exact::Finite { negative, significand, exponent } => (negative, significand, exponent),
        _ if checked => return Err(Unfit),
        Exact::Infinity { negative } if clamps => return Ok(limit(format, negative)),
        _ => return Ok(0),
    };
    let rounding = or_default(options.rounding, Rounding::TowardZero);
    // The low 64 bits of the rounded magnitude, and whether there are more.
    let (low, more) = if exponent <= 0 {
        (round(significand, -exponent, negative, rounding, draw), false)
    } else if exponent < 64 {
        (significand << exponent, exponent as u32 > significand.leading_zeros())
    } else {
        (0, significand != 0)
    };
    let most = if negative { format.min_magnitude() } else { format.max() };
    if !more && low <= most {
        Ok(signed(low, negative) & format.mask())
    } else if checked {
        Err(Unfit)
    } else if clamps {
        Ok(limit(format, negative))
    } else {
        Ok(signed(low, negative) & format.mask())
    }
}

const fn signed(magnitude: u64, negative: bool) -> u64 {
    if negative { magnitude.wrapping_neg() } else { magnitude }
}

/// The code of the lowest or highest integer.
const fn limit(format: IntFormat, lowest: bool) -> u64 {
    if lowest { format.min_magnitude().wrapping_neg() & format.mask() } else { format.max() }
}

const fn encode_float(
    format: &FloatFormat,
    value: Exact,
    options: &Options,
    draw: u32,
) -> Result<u64, Unfit> {
    let m = format.mantissa_bits as i32;
    let checked = matches!(options.overflow, Overflow::Error);
    let (negative, significand, exponent) = match value {
        Exact::Nan { negative, payload } => return encode_nan(format, negative, payload, checked),
        Exact::Infinity { negative } => {
            if checked && format.infinity().is_none() {
                return Err(Unfit);
            }
            return Ok(past_the_largest(format, negative, options.saturate && !checked));
        }
        Exact::Finite { negative, significand, exponent } => (negative, significand, exponent),
    };
    if significand == 0 {
        return Ok(zero(format, negative));
    }
    let rounding = or_default(options.rounding, Rounding::NearestEven);

    // The destination's numbers near the value are the multiples of 2^quantum.
    let leading = exponent + 63 - significand.leading_zeros() as i32;
    let lowest = format.min_exponent();
    let quantum = if leading > lowest { leading - m } else { lowest - m };
    let mut units = if quantum > exponent {
        round(significand, quantum - exponent, negative, rounding, draw)
    } else {
        significand << (exponent - quantum)
    };
    let mut quantum = quantum;
    if units == 2 << m {
        units = 1 << m;
        quantum += 1;
    }

    // A field of 0 for subnormals; else 1 at the lowest exponent. The leading unit is not stored.
    let (field, fraction) =
        if units < 1 << m { (0, units) } else { (quantum + m - lowest + 1, units - (1 << m)) };
    let magnitude = (field as u64) << m | fraction;
    if magnitude == 0 {
        return Ok(zero(format, negative));
    }
    let largest = format.max_finite();
    if magnitude <= largest {
        return Ok(with_sign(format, magnitude, negative));
    }
    let toward_zero = match rounding {
        Rounding::TowardZero => true,
        Rounding::Up => negative,
        Rounding::Down => !negative,
        _ => false,
    };
    if checked {
        Err(Unfit)
    } else if toward_zero {
        Ok(with_sign(format, largest, negative))
    } else {
        Ok(past_the_largest(format, negative, options.saturate))
    }
}

/// Zero, with the sign if it can have one.
const fn zero(format: &FloatFormat, negative: bool) -> u64 {
    if format.has_negative_zero() { with_sign(format, 0, negative) } else { 0 }
}

const fn with_sign(format: &FloatFormat, magnitude: u64, negative: bool) -> u64 {
    if negative { magnitude | format.sign_mask() } else { magnitude }
}

/// Where an overflow ends, and an infinity.
const fn past_the_largest(format: &FloatFormat, negative: bool, saturate: bool) -> u64 {
    let clamps = match format.bits() {
        4 | 6 => true,
        8 => saturate,
        _ => false,
    };
    if clamps {
        with_sign(format, format.max_finite(), negative)
    } else if let Some(infinity) = format.infinity() {
        with_sign(format, infinity, negative)
    } else {
        canonical_nan(format, negative)
    }
}

/// The canonical NaN, with a sign where it can have one, of a format that has NaNs.
const fn canonical_nan(format: &FloatFormat, negative: bool) -> u64 {
    match format.nan() {
        Some(nan) if format.nan_has_sign() => with_sign(format, nan, negative),
        Some(nan) => nan,
        None => 0,
    }
}

const fn encode_nan(
    format: &FloatFormat,
    negative: bool,
    payload: u64,
    checked: bool,
) -> Result<u64, Unfit> {
    if format.nan().is_none() {
        return if checked { Err(Unfit) } else { Ok(with_sign(format, 0, !negative)) };
    }
    let kept = if format.bits() > 8 { payload >> (52 - format.mantissa_bits) } else { 0 };
    Ok(canonical_nan(format, negative) | kept)
}

/// To e8m0: the exponent of a power of two, plus the bias.
const fn encode_power(
    format: &FloatFormat,
    value: Exact,
    options: &Options,
    draw: u32,
) -> Result<u64, Unfit> {
    let (negative, significand, exponent) = match value {
        Exact::Nan { .. } => return Ok(canonical_nan(format, false)),
        Exact::Infinity { negative } => {
            return out_of_powers(format, options, negative, format.max_finite());
        }
        Exact::Finite { negative, significand, exponent } => (negative, significand, exponent),
    };
    if significand == 0 {
        return out_of_powers(format, options, false, 0);
    } else if negative {
        return out_of_powers(format, options, true, 0);
    }
    let rounding = or_default(options.rounding, Rounding::Up);
    let leading = 63 - significand.leading_zeros() as i32;
    // Between two powers the lower one is one unit: a tie between 1 and 2 goes to 2, the even one.
    let up = moves_away(significand, leading, false, rounding, draw);
    let power = exponent + leading + up as i32;
    if power < format.min_exponent() {
        out_of_powers(format, options, false, 0)
    } else if power > format.max_exponent() {
        out_of_powers(format, options, false, format.max_finite())
    } else {
        Ok((power + format.bias) as u64)
    }
}

/// What e8m0 stores for a number that is not between its powers: `clamped` if positive.
const fn out_of_powers(
    format: &FloatFormat,
    options: &Options,
    negative: bool,
    clamped: u64,
) -> Result<u64, Unfit> {
    if matches!(options.overflow, Overflow::Error) {
        Err(Unfit)
    } else if negative || !options.saturate {
        Ok(canonical_nan(format, false))
    } else {
        Ok(clamped)
    }
}

/// The code of element `index` of a buffer: the bits that count, from bit 0, real part first.
///
/// # Panics
/// If the element is not inside `bytes`.
pub fn load(dtype: DType, bytes: &[u8], index: usize) -> u128 {
    if dtype.is_packed() {
        let bits = dtype.bits();
        let (first, shift) = (bytes_of(index, bits), index % 8 * bits % 8);
        let next = if shift + bits > 8 { bytes[first + 1] } else { 0 };
        let window = u16::from_le_bytes([bytes[first], next]);
        return (window >> shift) as u128 & ((1 << bits) - 1);
    }
    let size = dtype.bits() / 8;
    let element = &bytes[index.saturating_mul(size)..][..size];
    if dtype.is_complex() {
        let (re, im) = element.split_at(size / 2);
        return native(re) | native(im) << (4 * size);
    }
    match dtype.numbers_ref() {
        Numbers::Bool => (native(element) != 0) as u128,
        _ => native(element) & ((1 << dtype.significant_bits()) - 1),
    }
}

/// Stores a code as element `index` of a buffer, sign- or zero-filling what the number leaves of its
/// byte. The other elements of a packed byte stay.
///
/// # Panics
/// If the element is not inside `bytes`.
pub fn store(dtype: DType, bytes: &mut [u8], index: usize, code: u128) {
    if dtype.is_packed() {
        let bits = dtype.bits();
        let first = index / 8 * bits;
        for bit in 0..bits {
            let place = index % 8 * bits + bit;
            let (mask, byte) = (1 << (place % 8), &mut bytes[first + place / 8]);
            let set = code >> bit & 1 == 1;
            *byte = *byte & !mask | if set { mask } else { 0 };
        }
        return;
    }
    let size = dtype.bits() / 8;
    let element = &mut bytes[index.saturating_mul(size)..][..size];
    if dtype.is_complex() {
        let (re, im) = element.split_at_mut(size / 2);
        put_native(re, code);
        put_native(im, code >> (4 * size));
        return;
    }
    put_native(element, stored(dtype, code as u64) as u128);
}

/// A code as it is stored: an integer narrower than its byte is sign-filled if it is signed. `dtype`
/// is neither packed nor complex.
pub const fn stored(dtype: DType, code: u64) -> u64 {
    match dtype.numbers_ref() {
        Numbers::Int(format) if format.signed => {
            let unused = 64 - format.bits;
            let filled = ((code << unused) as i64 >> unused) as u64;
            filled & u64::MAX >> (64 - dtype.bits())
        }
        _ => code,
    }
}

fn native(bytes: &[u8]) -> u128 {
    let fold = |code: u128, byte: &u8| code << 8 | u128::from(*byte);
    if cfg!(target_endian = "big") {
        bytes.iter().fold(0, fold)
    } else {
        bytes.iter().rev().fold(0, fold)
    }
}

fn put_native(bytes: &mut [u8], code: u128) {
    let last = bytes.len() - 1;
    for (i, byte) in bytes.iter_mut().enumerate() {
        let place = if cfg!(target_endian = "big") { last - i } else { i };
        *byte = (code >> (8 * place)) as u8;
    }
}
