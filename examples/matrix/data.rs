//! What is cast: pseudo-random numbers, the same in every run.
//!
//! Sources of at most 16 bits (of a component, if complex) take all their bit patterns, NaNs
//! included. Wider ones would hardly ever meet a small destination by chance, so their magnitudes are
//! spread evenly, in powers of two, over what the destination holds; about one in 16 is too large for
//! it or has a sign that it lacks. There are no NaNs, infinities or subnormals among those.
//!
//! Under `Overflow::Error` an element that doesn't fit would end the cast. There, only numbers that
//! fit are taken.

use simdcast::format::{FloatFormat, IntFormat, Numbers};
use simdcast::{Cast, CastOptions, DType, Rounding, can_fail, reference};

/// Elements in a pool: more than a branch predictor can learn by heart.
const ELEMENTS: usize = 1 << 17;
/// Numbers that are tried to find some that fit, and how many of those are enough.
const CANDIDATES: usize = 1 << 14;
const ENOUGH: usize = 1 << 11;

/// A large number of elements of which each run is given some others.
pub(crate) struct Pool {
    bytes: Vec<u8>,
    /// The fewest bytes that hold whole elements.
    unit: usize,
    random: Random,
}

impl Pool {
    /// Elements for a pair. None if there are none that are sure to pass under the options.
    pub(crate) fn new(from: DType, to: DType, options: &CastOptions) -> Option<Self> {
        Self::of(ELEMENTS, from, to, options)
    }

    /// The same of so many elements.
    pub(crate) fn of(
        elements: usize,
        from: DType,
        to: DType,
        options: &CastOptions,
    ) -> Option<Self> {
        let mut random = Random(0x5eed);
        let mut bytes = vec![0; from.bytes_for(elements)?];
        fill(&mut bytes, from.component(), &Range::of(to), &mut random);
        if can_fail(from, to, options.as_options()) {
            let fitting = fitting(&bytes, from, to, options);
            if fitting.is_empty() {
                return None;
            }
            for i in 0..elements {
                let code = fitting[random.below(fitting.len() as u64) as usize];
                reference::store(from, &mut bytes, i, code);
            }
        }
        let unit = whole_elements(from.bits());
        Some(Self { bytes, unit, random })
    }

    /// Gives `window` elements from anywhere in the pool.
    pub(crate) fn draw(&mut self, window: &mut [u8]) {
        for part in window.chunks_mut(self.bytes.len() / 2) {
            let starts = (self.bytes.len() - part.len()) / self.unit + 1;
            let start = self.random.below(starts as u64) as usize * self.unit;
            part.copy_from_slice(&self.bytes[start..start + part.len()]);
        }
    }
}

/// The fewest bytes that hold whole elements of so many bits: 2 for 16, 1 for 4, 3 for 6.
fn whole_elements(bits: usize) -> usize {
    bits >> bits.trailing_zeros().min(3)
}

/// The codes of elements of `bytes` that a checked cast takes, wherever they stand.
fn fitting(bytes: &[u8], from: DType, to: DType, options: &CastOptions) -> Vec<u128> {
    // A stochastic result is one of the two neighbours.
    let roundings = match options.as_options().rounding {
        Rounding::Stochastic { .. } => vec![Rounding::Up, Rounding::Down],
        rounding => vec![rounding],
    };
    let casts: Vec<Cast> = roundings
        .into_iter()
        .filter_map(|rounding| Cast::new(from, to, options.rounding(rounding)).ok())
        .collect();
    let only_real = from.is_complex() && !to.is_complex();
    let kept = if only_real { (1 << (from.bits() / 2)) - 1 } else { u128::MAX };
    // Two of the 16-bit integers fit int1: chance may miss them, a search of all doesn't.
    let drawn = (0..CANDIDATES).map(|i| reference::load(from, bytes, i) & kept);
    drawn
        .chain(0..1 << 16)
        .filter(|&code| casts.iter().all(|cast| fits(cast, code)))
        .take(ENOUGH)
        .collect()
}

fn fits(cast: &Cast, code: u128) -> bool {
    let (mut src, mut dst) = ([0; 16], [0; 16]);
    let bytes = |dtype: DType| dtype.bits().div_ceil(8);
    reference::store(cast.from(), &mut src, 0, code);
    cast.run_n(&src[..bytes(cast.from())], &mut dst[..bytes(cast.to())], 1).is_ok()
}

/// The numbers that a destination holds, by the exponents of their magnitudes.
struct Range {
    low: i32,
    high: i32,
    negative: bool,
}

impl Range {
    fn of(to: DType) -> Self {
        if let Some(info) = to.finfo() {
            let (low, high) = (exponent(info.smallest_subnormal), exponent(info.max));
            Self { low, high, negative: info.min < 0.0 }
        } else if let Some(info) = to.iinfo() {
            let length = 64 - info.max.leading_zeros() as i32;
            Self { low: -2, high: length - 1, negative: info.min < 0 }
        } else {
            Self { low: -2, high: 63, negative: true }
        }
    }
}

/// The exponent of a normal number; -1023 for a subnormal one.
fn exponent(number: f64) -> i32 {
    (number.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// Fills `bytes` with elements of a real dtype.
fn fill(bytes: &mut [u8], dtype: DType, range: &Range, random: &mut Random) {
    let numbers = dtype.numbers();
    let code = |random: &mut Random| match numbers {
        Numbers::Float(format) if format.bits() > 16 => random.float(format, range),
        Numbers::Int(format) if format.bits > 16 => random.int(format, range),
        _ => random.next(),
    };
    if dtype.bits() == 32 {
        for element in bytes.chunks_exact_mut(4) {
            element.copy_from_slice(&(code(random) as u32).to_ne_bytes());
        }
    } else {
        for element in bytes.chunks_mut(8) {
            element.copy_from_slice(&code(random).to_ne_bytes()[..element.len()]);
        }
    }
}

/// The SplitMix64 generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// One of 0, 1, ..., `end` - 1.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// The code of a normal number.
    fn float(&mut self, format: FloatFormat, range: &Range) -> u64 {
        let (lowest, highest) = (format.min_exponent(), format.max_exponent());
        let stray = self.below(16) == 0;
        let (low, high) = if stray && range.high < highest {
            (range.high + 1, highest)
        } else {
            (range.low.max(lowest), range.high.min(highest))
        };
        let exponent = low + self.below((high - low + 1) as u64) as i32;
        let magnitude = ((exponent + format.bias) as u64) << format.mantissa_bits
            | self.next() & format.mantissa_mask();
        let negative = (range.negative || stray) && self.coin();
        if negative { magnitude | format.sign_mask() } else { magnitude }
    }

    /// A number in the low bits.
    fn int(&mut self, format: IntFormat, range: &Range) -> u64 {
        let longest = format.bits - u32::from(format.signed);
        let stray = self.below(16) == 0;
        let length = if stray {
            longest
        } else {
            let fitting = (range.high + 1).clamp(0, longest as i32) as u64;
            self.below(fitting + 1) as u32
        };
        let magnitude = self.next().checked_shr(64 - length).unwrap_or(0);
        let negative = format.signed && (range.negative || stray) && self.coin();
        if negative { !magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdcast::{Exact, Overflow};

    #[test]
    fn about_one_wide_number_in_16_is_out_of_range() {
        let checked = CastOptions::new().overflow(Overflow::Error);
        for (from, to) in [
            (DType::Float32, DType::Float8E4M3Fn),
            (DType::Float64, DType::Int16),
            (DType::Float64, DType::Float32),
            (DType::Int64, DType::Int8),
            (DType::UInt32, DType::Float8E5M2),
        ] {
            let pool = Pool::new(from, to, &CastOptions::new()).unwrap();
            let cast = Cast::new(from, to, checked).unwrap();
            let unfit =
                (0..4096).filter(|&i| !fits(&cast, reference::load(from, &pool.bytes, i))).count();
            assert!((128..512).contains(&unfit), "{from} -> {to}: {unfit} of 4096");
        }
    }

    #[test]
    fn wide_floats_are_normal() {
        for from in [DType::Float32, DType::Float64] {
            for to in DType::ALL {
                let pool = Pool::new(from, to, &CastOptions::new()).unwrap();
                let smallest = from.finfo().unwrap().smallest_normal;
                for i in 0..4096 {
                    let code = reference::load(from, &pool.bytes, i) as u64;
                    assert!(matches!(reference::decode(from, code), Exact::Finite { .. }));
                    let number = match from {
                        DType::Float32 => f64::from(f32::from_bits(code as u32)),
                        _ => f64::from_bits(code),
                    };
                    assert!(number.abs() >= smallest, "{from} -> {to}: {number:e}");
                }
            }
        }
    }

    #[test]
    fn checked_casts_are_given_what_fits() {
        let narrow = [DType::Int1, DType::UInt8, DType::Float8E4M3Fn, DType::Float8E8M0Fnu];
        let drawn = Rounding::Stochastic { seed: 3 };
        for (rounding, tos) in [(Rounding::Default, &DType::ALL[..]), (drawn, &narrow)] {
            let options = CastOptions::new().overflow(Overflow::Error).rounding(rounding);
            for from in DType::ALL {
                for &to in tos {
                    let Some(mut pool) = Pool::new(from, to, &options) else {
                        // Neither 0 nor -1 is a power of two, and any of these may round to 1.
                        let powers = |a: DType, b: DType| {
                            a == DType::Float8E8M0Fnu && b.logical() == DType::Int1
                        };
                        assert!(powers(from, to) || powers(to, from), "{from} -> {to}");
                        continue;
                    };
                    let n = 37;
                    let mut src = vec![0; from.bytes_for(n).unwrap()];
                    let mut dst = vec![0; to.bytes_for(n).unwrap()];
                    let cast = Cast::new(from, to, options).unwrap();
                    for _ in 0..20 {
                        pool.draw(&mut src);
                        assert_eq!(cast.run_n(&src, &mut dst, n), Ok(()));
                    }
                }
            }
        }
    }
}
