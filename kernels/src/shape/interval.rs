//! Casts of which the results are zero but for codes that are next to each other, and all become the same: to single
//! bits, by any mode, and of what loses all but zero when it is clamped.
//!
//! Casts are monotonic: a single bit without a sign is what numbers from some positive one on become, and one with a sign
//! what those from some negative one on do. (Where low bits are kept, so is only what powers of two become, of which one
//! alone is odd.) It takes no steps and no table to tell these, but a comparison.

use super::bounds::Bound;
use super::grid::Mode;
use crate::dtypes::DType;
use crate::format::{FloatFormat, Numbers, Specials};
use crate::options::{Options, Overflow, Rounding};

/// The codes that do not become zero: so many, which are none or fewer than there are, from the first on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Interval {
    const NONE: Self = Self { first: 0, count: 0 };

    /// Of a pair of real dtypes under some options, by that mode, if it is cast so.
    pub(super) fn new(from: DType, to: DType, options: &Options, mode: Mode) -> Option<Self> {
        let Numbers::Int(target) = to.numbers() else {
            return None;
        };
        let is_bit = target.bits == 1 && !matches!(options.rounding, Rounding::Stochastic { .. });
        match (from.numbers(), options.overflow) {
            (Numbers::Float(format), Overflow::As | Overflow::Saturate) if is_bit => {
                Some(Self::of_floats(from, format, target.signed, mode))
            }
            (Numbers::Float(format), Overflow::Wrap)
                if is_bit && matches!(format.specials, Specials::PowersOfTwo) =>
            {
                Some(Self::from_to(rounded_to_zero(from, format, false, mode), format.bias as u64))
            }
            (Numbers::Int(source), Overflow::Saturate) if is_bit || source.bits == 1 => {
                // (A signed bit has no positive number.)
                Some(match (source.signed, target.signed) {
                    (true, true) => Self::from_to(source.min_magnitude(), source.mask()),
                    (false, true) => Self::NONE,
                    (_, false) => Self::from_to(1, source.max()),
                })
            }
            (Numbers::Bool, Overflow::Saturate) if is_bit && target.signed => Some(Self::NONE),
            _ => None,
        }
    }

    /// Of floats that become a single bit: those of its sign that are not rounded to zero.
    fn of_floats(from: DType, format: FloatFormat, signed: bool, mode: Mode) -> Self {
        if signed && !format.signed() {
            return Self::NONE;
        }
        let last = format.infinity().unwrap_or(format.max_finite());
        let sign = if signed { format.sign_mask() } else { 0 };
        Self::from_to(sign + rounded_to_zero(from, format, signed, mode), sign + last)
    }

    const fn from_to(first: u64, last: u64) -> Self {
        if first > last { Self::NONE } else { Self { first, count: last - first + 1 } }
    }

    /// Whether all results are zero.
    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// How many of a float's codes, of one sign, are rounded to zero.
fn rounded_to_zero(from: DType, format: FloatFormat, negative: bool, mode: Mode) -> u64 {
    Bound::rounding_within(0, 0, mode, negative).codes_below(from, format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use crate::shape::plan::mode;

    /// Of all codes of up to 16 bits, what is in the interval and no other becomes something else than zero.
    #[test]
    fn an_interval_has_what_does_not_become_zero() {
        let roundings = [
            Rounding::Default,
            Rounding::NearestEven,
            Rounding::Up,
            Rounding::Down,
            Rounding::NearestAway,
        ];
        let mut told = 0;
        for from in DType::ALL.into_iter().filter(|from| from.bits() <= 16 && !from.is_complex()) {
            for to in [DType::Int1, DType::UInt1, DType::UInt16] {
                for overflow in [Overflow::As, Overflow::Wrap, Overflow::Saturate] {
                    for rounding in roundings {
                        let options = Options { overflow, rounding, ..Options::DEFAULT };
                        let options = options.effective(from, to);
                        let mode = mode(to, options.rounding);
                        let interval = Interval::new(from, to, &options, mode);
                        let Some(Interval { first, count }) = interval else {
                            continue;
                        };
                        told += 1;
                        for code in 0..1 << from.significant_bits() {
                            let result = reference::cast(from, to, code, &options, 0);
                            let is_in = (code as u64).wrapping_sub(first) < count;
                            assert_eq!(
                                result != Ok(0),
                                is_in,
                                "{from} {code:#x} to {to}, {options:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(told > 200, "{told}");
    }
}
