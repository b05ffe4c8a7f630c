//! The largest and the smallest numbers that a dtype has a place for, rounded by a mode.

use super::fit::Question;
use super::grid::Mode;
use crate::dtypes::DType;
use crate::exact::Exact;
use crate::format::{FloatFormat, Numbers, Specials};
use crate::options::{Options, Rounding};
use crate::reference;

/// A number that magnitudes are compared with: `significand * 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    significand: u64,
    exponent: i32,
    /// Whether the number itself is on the smaller side.
    included: bool,
}

impl Bound {
    /// A bound for numbers of at most 64 bits, from one of more: what is cut off lies between such
    /// numbers.
    pub(super) const fn new(significand: u128, exponent: i32, included: bool) -> Self {
        let excess = significand.leading_zeros();
        let excess = 64u32.saturating_sub(excess);
        let cut = significand >> excess;
        let exact = cut << excess == significand;
        let exponent = exponent + excess as i32;
        Self { significand: cut as u64, exponent, included: included || !exact }
    }

    const fn exact(self) -> Exact {
        Exact::Finite { negative: false, significand: self.significand, exponent: self.exponent }
    }

    /// The magnitudes at most `significand * 2^exponent` that, rounded to a multiple of `2^exponent`,
    /// don't exceed it; `negative` tells the sign that they have.
    pub(super) const fn rounding_within(
        significand: u64,
        exponent: i32,
        mode: Mode,
        negative: bool,
    ) -> Self {
        let (exact, half) = (significand as u128, significand as u128 * 2 + 1);
        match mode {
            Mode::NearestEven => Self::new(half, exponent - 1, significand.is_multiple_of(2)),
            Mode::NearestAway => Self::new(half, exponent - 1, false),
            _ if mode.moves_toward_zero(negative) => Self::new(exact + 1, exponent, false),
            _ => Self::new(exact, exponent, true),
        }
    }

    /// How many codes of the positive numbers of a float format, zero among them, are on the smaller
    /// side.
    pub(super) fn codes_below(self, dtype: DType, format: FloatFormat) -> u64 {
        const TOWARD_ZERO: Options = Options { rounding: Rounding::TowardZero, ..Options::DEFAULT };
        let Ok(code) = reference::encode(dtype, self.exact(), true, &TOWARD_ZERO, 0) else {
            unreachable!("an unchecked cast refuses nothing");
        };
        if !format.has_zero() && self.significand == 0 {
            return 0;
        }
        let equal = reference::decode(dtype, code).same_number(self.exact());
        code + u64::from(!equal || self.included)
    }

    /// The largest integer on the smaller side; None if there is none but negative ones.
    pub(super) const fn floor(self) -> Option<u64> {
        let below = -self.exponent;
        let (floor, exact) = if below >= 64 {
            (0, self.significand == 0)
        } else if below > 0 {
            let floor = self.significand >> below;
            (floor, floor << below == self.significand)
        } else if -below as u32 <= self.significand.leading_zeros() {
            (self.significand << -below, true)
        } else {
            (u64::MAX, false)
        };
        if exact && !self.included { floor.checked_sub(1) } else { Some(floor) }
    }
}

/// The bounds of the magnitudes that fit a dtype, by sign, and that of the positive ones that are too
/// small.
pub(super) struct Bounds {
    pub(super) positive: Bound,
    pub(super) negative: Option<Bound>,
    pub(super) small: Option<Bound>,
}

impl Bounds {
    pub(super) fn of(to: DType, mode: Mode, question: Question) -> Self {
        let format = match to.numbers() {
            Numbers::Float(format) => format,
            Numbers::Int(format) => {
                return Self {
                    positive: Bound::rounding_within(format.max(), 0, mode, false),
                    negative: Some(Bound::rounding_within(format.min_magnitude(), 0, mode, true)),
                    small: None,
                };
            }
            Numbers::Bool => unreachable!("everything fits a bool"),
        };
        let Exact::Finite { significand, exponent, .. } =
            reference::decode(to, format.max_finite())
        else {
            unreachable!("the largest finite number is finite");
        };
        if matches!(format.specials, Specials::PowersOfTwo) {
            return Self::of_powers(format, mode);
        }
        let limit = |negative| {
            if question == Question::Overflows && mode.moves_toward_zero(negative) {
                // Every finite number stops at the largest.
                Bound::new(1, 2000, true)
            } else {
                Bound::rounding_within(significand, exponent, mode, negative)
            }
        };
        Self { positive: limit(false), negative: Some(limit(true)), small: None }
    }

    /// Powers of two: the next below the smallest is half of it, and the next above the largest twice
    /// that.
    fn of_powers(format: FloatFormat, mode: Mode) -> Self {
        let (lowest, highest) = (format.min_exponent(), format.max_exponent());
        let (positive, small) = match mode {
            Mode::Up => (Bound::new(1, highest, true), Bound::new(1, lowest - 1, true)),
            Mode::NearestEven | Mode::NearestAway => {
                (Bound::new(3, highest - 1, false), Bound::new(3, lowest - 2, false))
            }
            Mode::Stochastic => (Bound::new(1, highest, true), Bound::new(1, lowest, false)),
            Mode::TowardZero | Mode::Down => {
                (Bound::new(1, highest + 1, false), Bound::new(1, lowest, false))
            }
        };
        Self { positive, negative: None, small: Some(small) }
    }
}
