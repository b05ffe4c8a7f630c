//! What can be said of a pair of dtypes without casting anything, computed from the formats: whether
//! every value arrives, whether a checked cast can fail, which options make a difference. Beside
//! them the limits that NumPy calls `finfo` and `iinfo`.

use crate::dtypes::{DType, Kind};
use crate::exact::Exact;
use crate::format::{FloatFormat, Numbers};
use crate::options::{Options, Overflow, Rounding};
use crate::reference::{decode, encode};

/// The values of a dtype beyond which none lies: casts are monotonic, so that a question about range
/// is answered by these. NaN stands for all NaNs.
struct Extremes {
    finite: [Exact; 5],
    infinities: [Option<Exact>; 2],
    nan: Option<Exact>,
}

const fn extremes(dtype: DType) -> Extremes {
    match dtype.numbers() {
        Numbers::Bool => whole(Exact::from_u64(0), Exact::from_u64(1)),
        Numbers::Int(format) => whole(
            Exact::Finite {
                negative: format.signed,
                significand: format.min_magnitude(),
                exponent: 0,
            },
            Exact::from_u64(format.max()),
        ),
        Numbers::Float(format) => {
            let (sign, max) = (format.sign_mask(), format.max_finite());
            let smallest = format.has_zero() as u64;
            Extremes {
                finite: [
                    decode(dtype, 0),
                    decode(dtype, smallest),
                    decode(dtype, smallest | sign),
                    decode(dtype, max),
                    decode(dtype, max | sign),
                ],
                infinities: match format.infinity() {
                    Some(code) => [Some(decode(dtype, code)), Some(decode(dtype, code | sign))],
                    None => [None, None],
                },
                nan: match format.nan() {
                    Some(code) => Some(decode(dtype, code)),
                    None => None,
                },
            }
        }
    }
}

const fn whole(min: Exact, max: Exact) -> Extremes {
    let zero = Exact::from_u64(0);
    Extremes { finite: [zero, zero, zero, min, max], infinities: [None, None], nan: None }
}

const fn is_float(dtype: DType) -> bool {
    matches!(dtype.numbers(), Numbers::Float(_))
}

/// Whether `value`, of a dtype that is a float or not, is refused by a checked cast to `to`. The
/// draw 0 moves every inexact number away from zero whose discarded fraction is at least 2^-32:
/// what no other draw would push out of range, it does not either.
const fn refused(value: Exact, from_float: bool, to: DType, rounding: Rounding) -> bool {
    let checked = Options { overflow: Overflow::Error, rounding, ..Options::DEFAULT };
    encode(to, value, from_float, &checked, 0).is_err()
}

/// Whether a finite number, or an infinity, of `from` is refused by a checked cast to `to`.
const fn range_exceeded(from: DType, to: DType, rounding: Rounding) -> bool {
    let extremes = extremes(from);
    let float = is_float(from);
    let mut i = 0;
    while i < extremes.finite.len() {
        if refused(extremes.finite[i], float, to, rounding) {
            return true;
        }
        i += 1;
    }
    let mut i = 0;
    while i < extremes.infinities.len() {
        if let Some(infinity) = extremes.infinities[i]
            && refused(infinity, float, to, rounding)
        {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether the finite numbers of `from`, which lie in the range of `to`, are all numbers of `to`: it
/// has the precision and goes as close to zero.
const fn precise(from: DType, to: DType) -> bool {
    let float = match to.numbers() {
        Numbers::Float(format) => format,
        _ => return !is_float(from),
    };
    match from.numbers() {
        Numbers::Bool => true,
        // The lowest number of a signed format is a power of two: one bit is enough for it.
        Numbers::Int(format) => format.bits - format.signed as u32 <= float.mantissa_bits + 1,
        Numbers::Float(format) => {
            format.mantissa_bits <= float.mantissa_bits
                && lowest_place(format) >= lowest_place(float)
        }
    }
}

/// The exponent of the smallest positive number's unit.
const fn lowest_place(format: FloatFormat) -> i32 {
    format.min_exponent() - format.mantissa_bits as i32
}

/// Whether every value arrives equal under the default options: 0 and -0 are equal, and so are NaNs.
pub const fn is_lossless(from: DType, to: DType) -> bool {
    if from.logical() as u8 == to.logical() as u8 {
        return true;
    } else if from.is_complex() && !to.is_complex() {
        return false;
    }
    let (a, b) = (from.component(), to.component());
    if !precise(a, b) {
        return false;
    }
    let extremes = extremes(a);
    let mut i = 0;
    while i < extremes.finite.len() {
        if !arrives(extremes.finite[i], a, b) {
            return false;
        }
        i += 1;
    }
    let specials = [extremes.infinities[0], extremes.infinities[1], extremes.nan];
    let mut i = 0;
    while i < specials.len() {
        if let Some(value) = specials[i]
            && !arrives(value, a, b)
        {
            return false;
        }
        i += 1;
    }
    true
}

const fn arrives(value: Exact, from: DType, to: DType) -> bool {
    if from as u8 == to as u8 {
        return true;
    }
    match encode(to, value, is_float(from), &Options::DEFAULT, 0) {
        Ok(code) => value.same_number(decode(to, code)),
        Err(_) => false,
    }
}

/// Whether a cast under these options can fail on some value: never without [`Overflow::Error`].
pub const fn can_fail(from: DType, to: DType, options: &Options) -> bool {
    if !matches!(options.overflow, Overflow::Error) || matches!(to.numbers(), Numbers::Bool) {
        return false;
    } else if from.is_complex() && !to.is_complex() {
        return true;
    }
    let (a, b) = (from.component(), to.component());
    if a as u8 == b as u8 {
        return false;
    }
    let nan_refused = match extremes(a).nan {
        Some(nan) => refused(nan, true, b, options.rounding),
        None => false,
    };
    nan_refused || range_exceeded(a, b, options.rounding)
}

impl Options {
    /// Plainer options that give the same result for this pair: what the formats show to make no
    /// difference is set to its default. A cast of the pair needs a kernel for these only, and a test
    /// likewise. (Some that differ for no value of a narrow pair are left as they are.)
    pub const fn effective(&self, from: DType, to: DType) -> Options {
        let (a, b) = (from.component(), to.component());
        let drops_imaginary = from.is_complex() && !to.is_complex();
        let checked = matches!(self.overflow, Overflow::Error);
        if matches!(to.numbers(), Numbers::Bool)
            || (a as u8 == b as u8 && !(drops_imaginary && checked))
        {
            return Options::DEFAULT;
        }
        let mut options = *self;
        if checked {
            options.saturate = false;
            if !can_fail(from, to, self) {
                options.overflow = Overflow::As;
            }
        }
        if a as u8 == b as u8 {
            return Options { overflow: options.overflow, ..Options::DEFAULT };
        }
        options.rounding = effective_rounding(a, b, self.rounding);
        // All that leaves the range does so whether or not rounding is what pushes it out.
        let exceeded = range_exceeded(a, b, options.rounding);
        options.overflow = effective_overflow(a, b, options.overflow, exceeded);
        // Where numbers below zero clamp, it does not matter whether they are zero or less.
        let clamps = matches!(options.overflow, Overflow::As);
        if clamps && matches!(options.rounding, Rounding::Down) && !has_sign(b) && !is_float(b) {
            options.rounding = Rounding::Default;
        }
        let still_checked = matches!(options.overflow, Overflow::Error);
        let eight_bit_float = is_float(b) && b.significant_bits() == 8;
        let has_infinity = extremes(a).infinities[0].is_some();
        if still_checked || !eight_bit_float || !(exceeded || has_infinity) {
            options.saturate = true;
        }
        if !matches!(options.rounding, Rounding::Stochastic { .. }) {
            options.first_index = 0;
        }
        options
    }
}

const fn effective_overflow(a: DType, b: DType, overflow: Overflow, exceeded: bool) -> Overflow {
    let same_as_default = match (overflow, b.kind()) {
        (Overflow::Error, _) => false,
        (_, Kind::Float) => true,
        (Overflow::Wrap, _) => !exceeded || !is_float(a),
        (Overflow::Saturate, _) => !exceeded || is_float(a),
        _ => true,
    };
    if same_as_default { Overflow::As } else { overflow }
}

const fn effective_rounding(a: DType, b: DType, rounding: Rounding) -> Rounding {
    if !is_float(a) && !is_float(b) {
        // An integer has nothing to round off, in range or not.
        return Rounding::Default;
    }
    // Directed roundings also decide where an overflow ends.
    let in_range = !range_exceeded(a, b, Rounding::Up) && !range_exceeded(a, b, Rounding::Down);
    if precise(a, b) && in_range {
        return Rounding::Default;
    }
    let rounding = match rounding {
        Rounding::Down if !has_sign(a) => Rounding::TowardZero,
        // Of powers of two a half alone is as near to another integer, which is odd.
        Rounding::NearestEven if a.is_powers() && !is_float(b) => Rounding::TowardZero,
        chosen => chosen,
    };
    match (b.numbers(), rounding) {
        (Numbers::Int(_) | Numbers::Bool, Rounding::TowardZero) => Rounding::Default,
        (Numbers::Float(_), chosen) if b.is_powers() => {
            // Only positive numbers are rounded, and between neighbours the upper one is even.
            match chosen {
                Rounding::Up => Rounding::Default,
                Rounding::NearestAway => Rounding::NearestEven,
                Rounding::Down => Rounding::TowardZero,
                other => other,
            }
        }
        (Numbers::Float(_), Rounding::NearestEven) => Rounding::Default,
        (_, chosen) => chosen,
    }
}

/// Whether a dtype has numbers below zero.
const fn has_sign(dtype: DType) -> bool {
    match dtype.numbers() {
        Numbers::Bool => false,
        Numbers::Int(format) => format.signed,
        Numbers::Float(format) => format.signed(),
    }
}

/// The limits of a float dtype, under NumPy's names. Every number is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloatInfo {
    /// Bits of a number.
    pub bits: u32,
    /// Bits of the fraction field.
    pub mantissa_bits: u32,
    /// Bits of the exponent field.
    pub exponent_bits: u32,
    /// The distance from 1 to the next larger number.
    pub eps: f64,
    /// The lowest finite number.
    pub min: f64,
    /// The largest finite number.
    pub max: f64,
    /// The smallest positive number with the full precision.
    pub smallest_normal: f64,
    /// The smallest positive number.
    pub smallest_subnormal: f64,
    /// Whether there are infinities.
    pub has_infinity: bool,
    /// Whether there is a NaN.
    pub has_nan: bool,
    /// Whether there is a -0.
    pub has_negative_zero: bool,
}

/// The limits of an integer dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntInfo {
    /// Bits of a number.
    pub bits: u32,
    /// The lowest number.
    pub min: i64,
    /// The largest number.
    pub max: u64,
}

impl DType {
    /// The limits of a float dtype; of a complex dtype, those of its components; of a packed one,
    /// those of its numbers. None for the others.
    pub const fn finfo(self) -> Option<FloatInfo> {
        let format = match self.numbers() {
            Numbers::Float(format) => format,
            _ => return None,
        };
        let of = self.component();
        let one = (format.bias as u64) << format.mantissa_bits;
        let smallest_normal = if format.has_zero() { 1 << format.mantissa_bits } else { 0 };
        let lowest = if format.signed() { format.max_finite() | format.sign_mask() } else { 0 };
        Some(FloatInfo {
            bits: format.bits(),
            mantissa_bits: format.mantissa_bits,
            exponent_bits: format.exponent_bits,
            eps: as_f64(of, one + 1) - as_f64(of, one),
            min: as_f64(of, lowest),
            max: as_f64(of, format.max_finite()),
            smallest_normal: as_f64(of, smallest_normal),
            smallest_subnormal: as_f64(of, format.has_zero() as u64),
            has_infinity: format.infinity().is_some(),
            has_nan: format.nan().is_some(),
            has_negative_zero: format.has_negative_zero(),
        })
    }

    /// The limits of an integer dtype; of a packed one, those of its numbers. None for the others.
    pub const fn iinfo(self) -> Option<IntInfo> {
        match self.numbers() {
            Numbers::Int(format) => Some(IntInfo {
                bits: format.bits,
                min: (format.min_magnitude() as i64).wrapping_neg(),
                max: format.max(),
            }),
            _ => None,
        }
    }
}

const fn as_f64(dtype: DType, code: u64) -> f64 {
    if matches!(dtype, DType::Float64) {
        return f64::from_bits(code);
    }
    match encode(DType::Float64, decode(dtype, code), true, &Options::DEFAULT, 0) {
        Ok(bits) => f64::from_bits(bits),
        Err(_) => f64::NAN,
    }
}
