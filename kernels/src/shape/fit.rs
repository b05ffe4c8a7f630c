//! Which codes of a dtype have no place in another: the *unfit*.
//!
//! Casts are monotonic, so the numbers that fit lie between a lowest and a highest one, and with
//! infinities and NaNs all fitting or not, the codes that don't are at most three intervals. A code
//! is tested as an unsigned integer, for each interval by one subtraction and one comparison that
//! wraps around: in any width, for floats as for integers, independent of the floating-point
//! environment.

use super::bounds::{Bound, Bounds};
use super::grid::Mode;
use super::screen::Screen;
use super::tops::Tops;
use crate::dtypes::DType;
use crate::format::{FloatFormat, Numbers, Specials};

/// The unfit codes of a dtype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    /// The bits of a code that count.
    pub(super) mask: u64,
    /// Where each interval starts, and how many codes follow the first.
    pub(super) intervals: [(u64, u64); 3],
    /// How many of the intervals there are.
    pub(super) count: usize,
    /// Bytes of an element.
    pub(super) bytes: usize,
    /// The sign bit of a code, if any.
    pub(super) sign: u64,
    /// What tells of many codes that all fit, if there is such a thing.
    screen: Option<Screen>,
    /// The same of codes of a byte or less.
    tops: Option<Tops>,
}

/// What is asked of infinities and of overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// What a checked cast refuses.
    Refused,
    /// What becomes infinity, or NaN without being one, in an 8-bit float that does not saturate.
    Overflows,
}

impl Fit {
    /// No codes, of no elements.
    const NONE: Self = Self {
        mask: 0,
        intervals: [(0, 0); 3],
        count: 0,
        bytes: 0,
        sign: 0,
        screen: None,
        tops: None,
    };

    /// The codes of `from` that have no place in `to` when rounded by a mode. (What was rounded
    /// stochastically before has a place if it needs no further rounding: that mode here.)
    pub(super) fn new(from: DType, to: DType, mode: Mode, question: Question) -> Self {
        let bounds = Bounds::of(to, mode, question);
        let fit = Self {
            mask: match from {
                DType::Bool => 0xff,
                _ => u64::MAX >> (64 - from.significant_bits()),
            },
            bytes: from.bits() / 8,
            ..Self::NONE
        };
        match from.numbers() {
            Numbers::Float(format) => fit.of_floats(from, format, to, &bounds, question),
            _ => fit.of_integers(from, &bounds),
        }
    }

    /// The infinities of a float dtype.
    pub(super) fn infinities(dtype: DType) -> Self {
        let Numbers::Float(format) = dtype.numbers() else {
            panic!("only floats have infinities");
        };
        let mut fit = Self {
            mask: format.mask() ^ format.sign_mask(),
            bytes: dtype.bits() / 8,
            sign: format.sign_mask(),
            ..Self::NONE
        };
        if let Some(infinity) = format.infinity() {
            fit.add(infinity, 1);
        }
        fit
    }

    /// The codes of a float of 8 bits that are no finite numbers.
    pub(super) fn beyond(format: FloatFormat) -> Self {
        // (Where zero has one sign, NaN has the other zero's code.)
        let is_one_code = !format.nan_has_sign() && format.nan().is_some();
        let (mask, first, count) = match format.nan() {
            Some(nan) if is_one_code => (0xff, nan, 1),
            _ => (0x7f, format.max_finite() + 1, 0x7f - format.max_finite()),
        };
        let mut fit = Self { mask, bytes: 1, ..Self::NONE };
        fit.add(first, count);
        fit
    }

    /// 1 for each half byte that has an unfit code of so many bits, at most 4, 0 for the others.
    #[inline(always)]
    pub(crate) fn unfit_halves(&self, bits: usize) -> [u8; 16] {
        let mut unfit = [0; 16];
        for (start, last) in &self.intervals[..self.count] {
            for place in (0..4).step_by(bits) {
                for (half, unfit) in (0..16u8).zip(&mut unfit) {
                    let code = half >> place & (0xf >> (4 - bits)) & self.mask as u8;
                    *unfit |= u8::from(code.wrapping_sub(*start as u8) <= *last as u8);
                }
            }
        }
        unfit
    }

    /// The codes that are not zero, of a float with zeros of both signs.
    pub(super) fn zeros(of: DType) -> Self {
        let mask = u64::MAX >> (65 - of.bits());
        let mut fit = Self { mask, bytes: of.bits() / 8, ..Self::NONE };
        fit.add(1, mask);
        fit
    }

    fn of_integers(mut self, from: DType, bounds: &Bounds) -> Self {
        let (highest, least, signed) = match from.numbers() {
            Numbers::Int(format) => (format.max(), format.min_magnitude(), format.signed),
            _ => (1, 0, false),
        };
        self.sign = if signed { least } else { 0 };
        let low = match (bounds.small, bounds.negative) {
            // The smallest power of two is below 1: of the integers, only zero is too small.
            (Some(_), _) => 1,
            (_, Some(bound)) => -i128::from(bound.floor().unwrap_or(0).min(least)),
            (_, None) => 0,
        };
        let high = bounds.positive.floor().map_or(-1, |floor| i128::from(floor.min(highest)));
        if matches!(from, DType::Bool) {
            // Any byte but 0 is true.
            self.add(0, u64::from(low > 0));
            self.add(1, if high < 1 { 0xff } else { 0 });
            self.tops = if low < 1 && high < 1 { Tops::of_span(0, 1, 8) } else { None };
            return self;
        }
        let fitting = (high - low + 1).max(0);
        let unfit = i128::from(self.mask) + 1 - fitting;
        self.add((low + fitting) as u64 & self.mask, unfit as u64);
        self.screen = Screen::of_span(low as u64, fitting as u64, from.significant_bits());
        if self.bytes == 1 {
            self.tops = Tops::of_span(low as u64, fitting as u64, from.significant_bits());
        }
        self
    }

    fn of_floats(
        mut self,
        from: DType,
        format: FloatFormat,
        to: DType,
        bounds: &Bounds,
        question: Question,
    ) -> Self {
        self.sign = format.sign_mask();
        let target = match to.numbers() {
            Numbers::Float(target) => Some(target),
            _ => None,
        };
        let nan_fits = match question {
            Question::Refused => target.is_some_and(|target| target.nan().is_some()),
            Question::Overflows => true,
        };
        let infinity_fits = question == Question::Refused
            && target.is_some_and(|target| target.infinity().is_some());
        // After the finite numbers of either sign: infinity, if there is one, then NaNs.
        let finite = format.max_finite() + 1;
        let infinities = u64::from(format.infinity().is_some());
        let span = if format.signed() { format.sign_mask() } else { self.mask + 1 };
        let below = |bound: Bound| bound.codes_below(from, format).min(finite);
        // How many codes from a fitting number's end on are unfit.
        let unfit = |fitting: u64| {
            if infinity_fits {
                finite - fitting
            } else if nan_fits {
                finite - fitting + infinities
            } else {
                span - fitting
            }
        };
        let positive = below(bounds.positive);
        let negative = bounds.negative.map_or(0, below);
        let fnuz = matches!(format.specials, Specials::Fnuz);
        // (NaN is rare among numbers of 32 bits and more.)
        let is_telling = from.bits() >= 32 || (from.bits() == 16 && !nan_fits);
        if from.bits() == 16 && nan_fits && positive == negative && bounds.small.is_none() {
            // (The default kernels to 8-bit floats make no infinities.)
            let keeps = infinity_fits && to.bits() > 8;
            let fits_again = if keeps { finite } else { finite + infinities };
            self.screen = Some(Screen::of_ends(positive, fits_again, self.bytes));
        }
        if is_telling && bounds.small.is_none() {
            // Hardly a negative number fits an unsigned integer.
            let signs = negative <= below(Bound::new(1, 0, true));
            let below = [positive, negative];
            self.screen = Some(Screen::of_magnitudes(below, self.bytes, signs));
        } else if is_telling && let Some(small) = bounds.small {
            let small = below(small);
            self.screen = Screen::of_span(small, positive.saturating_sub(small), from.bits());
        }
        let (has_nan, has_infinity) = (format.nan().is_some(), infinities > 0);
        let are_numbers = !(nan_fits && has_nan || infinity_fits && has_infinity);
        if self.bytes == 1 && are_numbers {
            self.tops =
                Tops::of_floats(from, format, [positive, negative], bounds.small.map(below));
        }
        if positive == negative && bounds.small.is_none() && (!fnuz || nan_fits) {
            // The sign makes no difference. (The NaN of fnuz formats has the code of -0.)
            self.mask ^= format.sign_mask();
            self.add(positive, unfit(positive));
            return self;
        }
        self.add(0, bounds.small.map_or(0, below));
        // The NaN of fnuz formats has the code of -0, which follows the positive numbers' codes.
        self.add(positive, unfit(positive) + u64::from(fnuz && !nan_fits));
        if format.signed() {
            let start = if fnuz { negative.max(1) } else { negative };
            self.add(format.sign_mask() + start, unfit(start));
        }
        self
    }

    /// Adds an interval, which may go on from the last code to the first.
    fn add(&mut self, start: u64, codes: u64) {
        if codes == 0 {
            return;
        }
        let before_the_end = (self.mask - start).saturating_add(1);
        if codes > before_the_end && self.mask.count_ones() as usize != 8 * self.bytes {
            // A code's own width wraps around by itself, fewer bits don't.
            self.add(start, before_the_end);
            self.add(0, codes - before_the_end);
        } else {
            self.intervals[self.count] = (start, codes - 1);
            self.count += 1;
        }
    }

    /// What tells of many codes that all fit, if there is such a thing.
    pub(super) const fn screen(&self) -> Option<&Screen> {
        self.screen.as_ref()
    }

    /// The same of codes of a byte or less.
    pub(super) const fn tops(&self) -> Option<&Tops> {
        self.tops.as_ref()
    }

    /// Whether one comparison tells.
    pub(super) const fn is_quick(&self) -> bool {
        self.count <= 1
    }

    /// Whether every code fits.
    pub(super) const fn is_whole(&self) -> bool {
        self.count == 0
    }
}

/// What is written in place of an unfit element's code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substitute {
    pub(super) code: u8,
    /// The sign bit, if it comes with the element's sign.
    pub(super) sign: u8,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtypes::Kind;
    use crate::exact::Exact;
    use crate::reference::decode;
    use crate::shape::fits::{unfit8, unfit16};
    use crate::shape::tops::Tells;

    /// Whether a byte is unfit, code by code.
    fn is_unfit(fit: &Fit, code: u8) -> bool {
        match fit.count {
            0 => false,
            1 => unfit8::<1>([code], fit),
            2 => unfit8::<2>([code], fit),
            _ => unfit8::<3>([code], fit),
        }
    }

    #[test]
    fn what_is_beyond_is_no_finite_number() {
        for dtype in DType::ALL {
            let Numbers::Float(format) = dtype.numbers() else { continue };
            if format.bits() == 8 && dtype.bits() == 8 {
                let beyond = Fit::beyond(format);
                for code in 0..=u8::MAX {
                    let is_finite = matches!(decode(dtype, code.into()), Exact::Finite { .. });
                    assert_eq!(is_unfit(&beyond, code), !is_finite, "{dtype}: {code:#x}");
                }
            }
        }
    }

    /// Of all dtypes of at most 4 bits, to every other one, by every mode: a half byte is unfit if one of its codes is.
    #[test]
    fn half_bytes_are_unfit_that_have_an_unfit_code() {
        let modes = [Mode::NearestEven, Mode::TowardZero, Mode::Up, Mode::Down, Mode::NearestAway];
        let (mut cases, mut unfit) = (0, 0);
        for from in DType::ALL.into_iter().filter(|from| from.is_packed() && from.bits() <= 4) {
            for (&to, mode) in DType::ALL.iter().flat_map(|to| modes.map(|mode| (to, mode))) {
                let (bits, of) = (from.bits(), from.component());
                if to.is_complex() || matches!(to.kind(), Kind::Bool) {
                    continue;
                }
                let fit = Fit::new(of, to, mode, Question::Refused);
                let halves = fit.unfit_halves(bits);
                for (half, found) in (0..16u8).zip(halves) {
                    let codes =
                        (0..4).step_by(bits).map(|place| half >> place & (0xf >> (4 - bits)));
                    let any = codes.fold(false, |any, code| any | is_unfit(&fit, code));
                    assert_eq!(found, u8::from(any), "{from} -> {to}, {mode:?}, {half:#x}");
                    unfit += u32::from(any);
                }
                cases += 1;
            }
        }
        assert!(cases > 1000 && unfit > 3000, "{cases} {unfit}");
    }

    /// Of integers without a sign, to what has a zero.
    #[test]
    fn spans_of_unsigned_integers_start_at_zero() {
        let mut cases = 0;
        for from in [DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64] {
            for to in DType::ALL {
                if to.is_complex() || matches!(to.kind(), Kind::Bool) {
                    continue;
                }
                let fit = Fit::new(from, to, Mode::TowardZero, Question::Refused);
                let Some(screen) = fit.screen() else { continue };
                let has_zero = to.component() != DType::Float8E8M0Fnu;
                assert_eq!(screen.addend == 0, has_zero, "{from} -> {to}");
                cases += 1;
            }
        }
        assert!(cases > 50, "{cases}");
    }

    /// Of all dtypes of a byte, to every other one, by every mode: they tell exactly, wherever the codes lie in a byte.
    #[test]
    fn the_last_fitting_codes_at_the_top_of_a_byte_tell() {
        let modes = [Mode::NearestEven, Mode::TowardZero, Mode::Up, Mode::Down, Mode::NearestAway];
        let mut cases = 0;
        for from in DType::ALL.into_iter().filter(|from| from.bits() == 8 && !from.is_packed()) {
            for (&to, mode) in DType::ALL.iter().flat_map(|to| modes.map(|mode| (to, mode))) {
                if to.is_complex() || matches!(to.kind(), Kind::Bool) || from == to {
                    continue;
                }
                let fit = Fit::new(from, to, mode, Question::Refused);
                let Some(tops) = fit.tops() else { continue };
                let above = if from == DType::Bool { 0 } else { 8 - from.significant_bits() };
                for code in 0..=u8::MAX {
                    let below = (1 << above) - 1;
                    let top = (code << above | (code >> 3 & below)).wrapping_add(tops.addend);
                    let is_past = match Tells::of(from, to) {
                        Tells::Signs => top as i8 > tops.last_signed || top > tops.last,
                        Tells::NoMinusZero => {
                            top.wrapping_sub(1) as i8 > tops.last_signed || top > tops.last
                        }
                        _ => top > tops.last,
                    };
                    let unfit = is_unfit(&fit, code);
                    assert_eq!(is_past, unfit, "{from} -> {to}, {mode:?}, {code:#x}");
                    if tops.set | tops.other != 0 {
                        let other = code ^ code.wrapping_add(code);
                        assert_eq!(is_past, code & tops.set | other & tops.other != 0);
                    }
                    if Tells::of(from, to) != Tells::NoMinusZero {
                        assert_eq!(is_past, top as i8 > tops.last_signed || top > tops.last);
                    }
                }
                cases += 1;
            }
        }
        assert!(cases > 1000, "{cases}");
    }

    /// Of all 16-bit floats, to every dtype, by every mode: they tell exactly, or, where NaN fits, the ends do, if anything.
    #[test]
    fn the_first_unfit_codes_of_either_sign_tell() {
        let modes = [Mode::NearestEven, Mode::TowardZero, Mode::Up, Mode::Down, Mode::NearestAway];
        let mut cases = 0;
        for from in [DType::Float16, DType::BFloat16] {
            for (&to, mode) in DType::ALL.iter().flat_map(|to| modes.map(|mode| (to, mode))) {
                if to.is_complex() || matches!(to.kind(), Kind::Bool) {
                    continue;
                }
                let fit = Fit::new(from, to, mode, Question::Refused);
                let Some(screen) = fit.screen() else { continue };
                assert!(screen.is_of_floats() != screen.doubles);
                for code in 0..=u16::MAX {
                    let [positive, negative] = screen.first.map(|first| first as u16);
                    let told = match screen.doubles {
                        true => (code << 1).wrapping_add(screen.addend as u16) > screen.last as u16,
                        false => code as i16 >= positive as i16 || code >= negative,
                    };
                    let unfit = match fit.count {
                        0 => false,
                        1 => unfit16::<1>(code.to_ne_bytes(), &fit),
                        2 => unfit16::<2>(code.to_ne_bytes(), &fit),
                        _ => unfit16::<3>(code.to_ne_bytes(), &fit),
                    };
                    // (What keeps infinities is told that they may be unfit.)
                    let infinity = from.float_format().infinity().unwrap();
                    let is_kept = u64::from(code & 0x7fff) == infinity
                        && matches!(to.numbers(), Numbers::Float(format)
                            if format.bits() == 8 && format.infinity().is_some());
                    assert_eq!(told, unfit || is_kept, "{from} -> {to}, {mode:?}, {code:#x}");
                }
                cases += 1;
            }
        }
        assert!(cases > 100, "{cases}");
    }
}
