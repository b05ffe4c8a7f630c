//! What tells of codes of at most a byte that all of them fit, of which each is at the top of a byte of its own.
//!
//! What fits of signed floats is numbers from zero up to one, and from minus zero down to another: the largest byte as a
//! number with a sign is one of positive numbers, and the largest as a number without is one of negative ones, if there is
//! any. What fits of others is one span of codes: moved down by where that begins, the largest tells. Either takes two
//! instructions for a vector, whatever is in the bits below the codes. And it tells exactly, so that there is none of it
//! where NaN or infinity fits and has codes that are none of numbers next to each other.

use crate::dtypes::{DType, Kind};
use crate::format::{FloatFormat, Numbers, Specials};

/// How it is told, as far as it is known when a loop is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    /// By both signs.
    Signs,
    /// The same where NaN is in the place of minus zero.
    NoMinusZero,
    /// By a span.
    Span,
    /// By the first or the third, or by bits.
    Any,
}

impl Tells {
    /// For a pair of real dtypes.
    pub(crate) const fn of(from: DType, to: DType) -> Self {
        match from.numbers() {
            Numbers::Float(format) if format.signed() && !to.is_powers() => match format.specials {
                Specials::Fnuz => Self::NoMinusZero,
                _ => Self::Signs,
            },
            _ => Self::Span,
        }
    }
}

/// The last bytes of codes that fit.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Where loops ask.
pub(crate) struct Tops {
    /// What is added to a byte: nothing where it is told by both signs.
    pub(crate) addend: u8,
    /// The last one as a number with a sign: if minus zero is NaN, once 1 is taken from it.
    pub(crate) last_signed: i8,
    /// The last one as a number without.
    pub(crate) last: u8,
    /// Of integers: the bits of a code, where it lies, of which none is set if it fits; or else those of which none is
    /// another than the one below. If there are any, they tell in fewer instructions.
    pub(crate) set: u8,
    pub(crate) other: u8,
}

/// What a loop asks of whole registers of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Where loops ask.
pub(crate) enum Asked {
    /// Whether any byte has one of these bits.
    Set(u8),
    /// Whether one of these is another than the one below.
    Other(u8),
    /// The largest, once each is at the top of a byte, in one of three ways.
    Tops(Tells),
    /// Nothing, which tells nothing.
    Nothing,
}

impl Tops {
    /// What is asked of codes of so many bits, which are told so.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // As above.
    pub(crate) const fn asked(&self, tells: Tells, bits: usize) -> Asked {
        // Bits of one code, of all codes in a byte.
        let times = match bits {
            1 => 0xff,
            2 => 0x55,
            4 => 0x11,
            _ => 1,
        };
        match tells {
            // (Of a bool they are those of a byte.)
            Tells::Any if self.set != 0 => {
                Asked::Set((self.set & u8::MAX >> (8 - bits)).wrapping_mul(times))
            }
            Tells::Any if self.other != 0 => Asked::Other(self.other.wrapping_mul(times)),
            // (All codes of fewer bits are told by them.)
            Tells::Any if bits < 4 => Asked::Nothing,
            Tells::Any if self.addend == 0 => Asked::Tops(Tells::Signs),
            Tells::Any => Asked::Tops(Tells::Span),
            tells => Asked::Tops(tells),
        }
    }

    /// Nothing is unfit.
    pub(crate) const NONE: Self =
        Self { addend: 0, last_signed: i8::MAX, last: u8::MAX, set: 0, other: 0 };

    /// Of codes of so many bits, for those from `low` on, going around, which are some, and not all.
    pub(super) const fn of_span(low: u64, fitting: u64, bits: usize) -> Option<Self> {
        if fitting == 0 || fitting >> bits != 0 {
            return None;
        }
        let above = 8 - bits;
        let addend = (low << above) as u8;
        let last = ((fitting << above) - 1) as u8;
        let upper = ((1 << bits) - fitting) as u8;
        let (set, other) = match fitting.is_power_of_two() {
            true if low == 0 => (upper, 0),
            true if low.wrapping_neg() == fitting / 2 => (0, upper),
            _ => (0, 0),
        };
        let addend = addend.wrapping_neg();
        Some(Self { addend, last_signed: i8::MAX, last, set, other })
    }

    /// Of floats, for magnitudes that are below one each, of positive and of negative numbers, and if there is one, not below
    /// the smallest.
    pub(super) fn of_floats(
        from: DType,
        format: FloatFormat,
        [positive, negative]: [u64; 2],
        small: Option<u64>,
    ) -> Option<Self> {
        let bits = from.significant_bits();
        if small.is_some() || !format.signed() {
            let low = small.unwrap_or(0);
            return Self::of_span(low, positive.saturating_sub(low), bits);
        }
        let above = 8 - bits;
        let nan = matches!(format.specials, Specials::Fnuz);
        let negative = if nan { negative.max(1) } else { negative };
        let last_signed = (positive << above).checked_sub(1 + u64::from(nan))?;
        let last = ((format.sign_mask() + negative) << above).checked_sub(1)?;
        Some(Self { last_signed: last_signed as i8, last: last as u8, ..Self::NONE })
    }
}

/// Whether a pair from at most 8 bits has a kernel that tests codes as it casts them: where numbers may not fit, and a test
/// before would count beside what the pair takes.
pub(crate) const fn is_tested(from: DType, to: DType) -> bool {
    let (of, wanted) = (from.component(), to.component());
    if from.bits() > 8 || is_same(of, wanted) {
        return false;
    }
    match of.kind() {
        Kind::Float if to.bits() > 8 => is_tested_longer(from, to),
        _ if to.bits() > 8 => false,
        Kind::Float => is_tested_float(of, to),
        Kind::Bool => matches!(to, DType::Int1x8),
        Kind::Int | Kind::UInt => is_tested_integer(from, to),
        Kind::Complex => false,
    }
}

const fn is_same(a: DType, b: DType) -> bool {
    a as u8 == b as u8
}

/// The same from floats, whose own dtype this is.
const fn is_tested_float(of: DType, to: DType) -> bool {
    use DType::{Float4E2M1Fn, Float6E2M3Fn, Float6E3M2Fn, Float8E3M4, Int4, Int8};
    let wanted = to.component();
    match (of, wanted) {
        // All numbers fit, if they are not rounded up.
        (Float4E2M1Fn | Float6E2M3Fn, Int4 | Int8) | (Float6E3M2Fn, Int8) => false,
        (_, _) if matches!(wanted.kind(), Kind::Int | Kind::UInt) => true,
        (_, _) if matches!(wanted.kind(), Kind::Bool) => false,
        (Float4E2M1Fn | Float6E2M3Fn | Float6E3M2Fn, _) if to.is_powers() => true,
        (Float6E3M2Fn, Float8E3M4 | Float6E2M3Fn | Float4E2M1Fn) | (Float6E2M3Fn, Float4E2M1Fn) => {
            true
        }
        (Float4E2M1Fn | Float6E2M3Fn | Float6E3M2Fn, _) => false,
        // (From 8 bits to packed floats there is more to do than to test.)
        _ => !wanted.has_nan() && (!to.is_packed() || of.is_powers()),
    }
}

/// The same from floats to what is longer than a byte: from packed ones of 6 bits, of which those below zero don't fit, or else
/// everything would go through bytes in memory; and from bytes to words, which it takes half as long to test apart as to look
/// them up. (All floats of fewer bits fit words with a sign.)
const fn is_tested_longer(from: DType, to: DType) -> bool {
    match (from.bits(), to) {
        (6, DType::UInt16 | DType::UInt32 | DType::UInt64) | (8, DType::UInt16) => true,
        (8, DType::Int16) => from.significant_bits() == 8,
        _ => false,
    }
}

/// The same from integers.
const fn is_tested_integer(from: DType, to: DType) -> bool {
    let (of, wanted) = (from.component(), to.component());
    let bits = from.significant_bits();
    let is_byte = from.bits() == 8;
    match (of.numbers(), wanted.numbers()) {
        (Numbers::Int(source), Numbers::Int(target)) => {
            let may_fail = source.signed && !target.signed || source.max() > target.max();
            may_fail
                && match (is_byte, to.is_packed()) {
                    // (Where one side has fewer bits than its bytes there is little to do, tested or not; bytes are copied.)
                    (true, false) => bits == 8 && wanted.significant_bits() == 8,
                    (true, true) => to.bits() > bits,
                    (false, packed) => packed || from.bits() > 1,
                }
        }
        (Numbers::Int(source), Numbers::Float(_)) => match wanted {
            DType::Float4E2M1Fn => bits > 2,
            DType::Float6E2M3Fn => source.max() > 7 || source.min_magnitude() > 7,
            DType::Float6E3M2Fn => bits == 8,
            DType::Float8E3M4 | DType::Float8E4M3B11Fnuz => bits == 8 && !to.is_packed(),
            // (Of one bit with a sign none fits.)
            DType::Float8E8M0Fnu => bits == 4 || is_byte && bits < 8 && source.max() > 0,
            _ => false,
        },
        _ => false,
    }
}
