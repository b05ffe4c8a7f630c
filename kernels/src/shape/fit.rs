//! Which codes of a dtype have no place in another: the *unfit*.
//!
//! Casts are monotonic, so the numbers that fit lie between a lowest and a highest one, and with
//! infinities and NaNs all fitting or not, the codes that don't are at most three intervals. A code
//! is tested as an unsigned integer, for each interval by one subtraction and one comparison that
//! wraps around: in any width, for floats as for integers, independent of the floating-point
//! environment.

use super::Bytes;
use super::bounds::{Bound, Bounds};
use super::grid::Mode;
use super::screen::Screen;
use super::tops::Tops;
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::format::{FloatFormat, Numbers, Specials};
use core::mem::MaybeUninit;
use core::slice;

/// The unfit codes of a dtype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    /// The bits of a code that count.
    mask: u64,
    /// Where each interval starts, and how many codes follow the first.
    intervals: [(u64, u64); 3],
    /// How many of the intervals there are.
    count: usize,
    /// Bytes of an element.
    bytes: usize,
    /// The sign bit of a code, if any.
    sign: u64,
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
    /// The codes of `from` that have no place in `to` when rounded by a mode. (What was rounded
    /// stochastically before has a place if it needs no further rounding: that mode here.)
    pub(super) fn new(from: DType, to: DType, mode: Mode, question: Question) -> Self {
        let bounds = Bounds::of(to, mode, question);
        let fit = Self {
            mask: match from {
                DType::Bool => 0xff,
                _ => u64::MAX >> (64 - from.significant_bits()),
            },
            intervals: [(0, 0); 3],
            count: 0,
            bytes: from.bits() / 8,
            sign: 0,
            screen: None,
            tops: None,
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
            intervals: [(0, 0); 3],
            count: 0,
            bytes: dtype.bits() / 8,
            sign: format.sign_mask(),
            screen: None,
            tops: None,
        };
        if let Some(infinity) = format.infinity() {
            fit.add(infinity, 1);
        }
        fit
    }

    /// The codes that are not zero, of a float with zeros of both signs.
    pub(super) fn zeros(of: DType) -> Self {
        let mask = u64::MAX >> (65 - of.bits());
        let mut fit = Self {
            mask,
            intervals: [(0, 0); 3],
            count: 0,
            bytes: of.bits() / 8,
            sign: 0,
            screen: None,
            tops: None,
        };
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
        } else if let Some(small) = bounds.small
            && from.bits() >= 16
        {
            // (NaN that fits is taken for what may not.)
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

/// The loops over codes of one width.
#[derive(Clone, Copy)]
struct Tests {
    /// How many elements come before the first unfit one.
    ///
    /// # Safety
    /// The source is valid for so many elements; the CPU has the instruction set.
    first: unsafe fn(*const u8, usize, &Fit) -> usize,
    /// Replaces the bytes of unfit elements.
    ///
    /// # Safety
    /// The source is valid for so many elements, and the destination for reading and writing a byte
    /// for each; they don't overlap. The CPU has the instruction set.
    replace: unsafe fn(*const u8, *mut u8, usize, &Fit, Substitute),
    /// Writes 1 for each element that fits, 0 for the others.
    ///
    /// # Safety
    /// The source is valid for so many elements, and the destination for writing a byte for each;
    /// they don't overlap. The CPU has the instruction set.
    mark: unsafe fn(*const u8, *mut u8, usize, &Fit),
}

/// Elements that are tested before it is asked whether one was unfit: as many as are tested at a time
/// in most casts, since the least of a vector's lanes takes long to find.
const BLOCK: usize = 8192;

macro_rules! tests {
    ($($lane:ident $signed:ident $past_span:ident $screened:ident $past:ident $inside:ident $unfit:ident $first:ident $replace:ident $mark:ident $tests:ident;)*) => {$(
        /// How far a code is past the start of each of the first `COUNT` intervals, going around.
        #[inline(always)]
        fn $past(code: Bytes<{ size_of::<$lane>() }>, fit: &Fit) -> [$lane; 3] {
            let code = $lane::from_ne_bytes(code) & fit.mask as $lane;
            fit.intervals.map(
                #[inline(always)]
                |(start, _)| code.wrapping_sub(start as $lane),
            )
        }

        /// Whether a code, or any of which these are the least, is in one of the intervals.
        #[inline(always)]
        fn $inside<const COUNT: usize>(past: [$lane; 3], fit: &Fit) -> bool {
            let [a, b, c] = fit.intervals.map(
                #[inline(always)]
                |(_, last)| last as $lane,
            );
            (past[0] <= a) | (COUNT > 1 && past[1] <= b) | (COUNT > 2 && past[2] <= c)
        }

        /// Whether a code is in one of the intervals.
        #[inline(always)]
        fn $unfit<const COUNT: usize>(code: Bytes<{ size_of::<$lane>() }>, fit: &Fit) -> bool {
            $inside::<COUNT>($past(code, fit), fit)
        }

        /// The same, where those that fit are next to each other.
        #[inline(always)]
        fn $past_span(codes: &[Bytes<{ size_of::<$lane>() }>], screen: Screen) -> bool {
            let (addend, second) = (screen.addend as $lane, screen.second as $lane);
            let (mut most, mut any) = (0, 0);
            for &code in codes {
                let moved = $lane::from_ne_bytes(code).wrapping_add(addend);
                // (64-bit lanes have no largest.)
                if size_of::<$lane>() < 8 {
                    most = moved.max(most);
                } else {
                    any |= moved | $lane::from_ne_bytes(code).wrapping_add(second);
                }
            }
            most > screen.last as $lane || any & screen.keep as $lane != 0
        }

        /// Whether one of the codes may be unfit.
        #[inline(always)]
        fn $screened(codes: &[Bytes<{ size_of::<$lane>() }>], screen: Screen) -> bool {
            let (mask, addend) = (screen.mask as $lane, screen.addend as $lane);
            let mut any = 0;
            // (64-bit lanes have no such instructions on many CPUs.)
            if screen.is_of_floats() && size_of::<$lane>() < 8 {
                let [positive, negative] = screen.first.map(|code| code as $lane);
                let (mut most, mut most_unsigned) = (0, 0);
                for &code in codes {
                    let code = $lane::from_ne_bytes(code);
                    most = (code as $signed).max(most);
                    most_unsigned = code.max(most_unsigned);
                }
                return most >= positive as $signed || most_unsigned >= negative;
            }
            if screen.doubles {
                let mut most = 0;
                for &code in codes {
                    let code = $lane::from_ne_bytes(code);
                    most = (code << 1).wrapping_add(addend).max(most);
                }
                return most > screen.last as $lane;
            }
            if screen.is_of_span(size_of::<$lane>()) {
                return $past_span(codes, screen);
            }
            if screen.signs {
                for &code in codes {
                    let code = $lane::from_ne_bytes(code);
                    any |= (code & mask).wrapping_add(addend) | code;
                }
            } else {
                for &code in codes {
                    any |= ($lane::from_ne_bytes(code) & mask).wrapping_add(addend);
                }
            }
            any & screen.keep as $lane != 0
        }

        /// # Safety
        /// As for [`Tests::first`].
        unsafe fn $first<I: Isa, const COUNT: usize>(src: *const u8, n: usize, fit: &Fit) -> usize {
            // SAFETY: the caller's; elements as bytes have no alignment.
            let codes = unsafe { slice::from_raw_parts(src.cast(), n) };
            let fit = *fit;
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    for (i, block) in codes.chunks(BLOCK).enumerate() {
                        if let Some(screen) = fit.screen
                            && screen.tells_in_lanes(size_of::<$lane>())
                            && !$screened(block, screen)
                        {
                            continue;
                        }
                        let mut least = [$lane::MAX; 3];
                        for &code in block {
                            let past = $past(code, &fit);
                            for k in 0..COUNT {
                                least[k] = least[k].min(past[k]);
                            }
                        }
                        if $inside::<COUNT>(least, &fit) {
                            let at = block.iter().position(|&code| $unfit::<COUNT>(code, &fit));
                            return i * BLOCK + at.unwrap_or(0);
                        }
                    }
                    codes.len()
                },
            )
        }

        /// # Safety
        /// As for [`Tests::replace`].
        unsafe fn $replace<I: Isa, const COUNT: usize>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            fit: &Fit,
            substitute: Substitute,
        ) {
            // SAFETY: the caller's; elements as bytes have no alignment.
            let (codes, stored) = unsafe {
                (slice::from_raw_parts(src.cast(), n), slice::from_raw_parts_mut(dst, n))
            };
            let fit = *fit;
            let Substitute { code: instead, sign } = substitute;
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    for (codes, stored) in codes.chunks(BLOCK).zip(stored.chunks_mut(BLOCK)) {
                        for (&code, stored) in codes.iter().zip(stored) {
                            let negative = $lane::from_ne_bytes(code) & fit.sign as $lane != 0;
                            let instead = if negative { instead | sign } else { instead };
                            let unfit = $unfit::<COUNT>(code, &fit);
                            *stored = if unfit { instead } else { *stored };
                        }
                    }
                },
            );
        }

        /// # Safety
        /// As for [`Tests::mark`].
        unsafe fn $mark<I: Isa, const COUNT: usize>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            fit: &Fit,
        ) {
            // SAFETY: the caller's; elements as bytes have no alignment.
            let (codes, marks) = unsafe {
                (
                    slice::from_raw_parts(src.cast(), n),
                    slice::from_raw_parts_mut(dst.cast::<MaybeUninit<u8>>(), n),
                )
            };
            let fit = *fit;
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    for (&code, mark) in codes.iter().zip(marks) {
                        mark.write(u8::from(!$unfit::<COUNT>(code, &fit)));
                    }
                },
            );
        }

        const fn $tests<I: Isa, const COUNT: usize>() -> Tests {
            Tests {
                first: $first::<I, COUNT>,
                replace: $replace::<I, COUNT>,
                mark: $mark::<I, COUNT>,
            }
        }
    )*};
}

tests! {
    u8 i8 past_span8 screened8 past8 inside8 unfit8 first8 replace8 mark8 tests8;
    u16 i16 past_span16 screened16 past16 inside16 unfit16 first16 replace16 mark16 tests16;
    u32 i32 past_span32 screened32 past32 inside32 unfit32 first32 replace32 mark32 tests32;
    u64 i64 past_span64 screened64 past64 inside64 unfit64 first64 replace64 mark64 tests64;
}

/// Every loop that tests, by the number of intervals and the width.
pub(crate) struct Fits {
    tests: [[Tests; 4]; 3],
}

impl Fits {
    pub(super) const fn of<I: Isa>() -> Self {
        let tests = [
            [tests8::<I, 1>(), tests16::<I, 1>(), tests32::<I, 1>(), tests64::<I, 1>()],
            [tests8::<I, 2>(), tests16::<I, 2>(), tests32::<I, 2>(), tests64::<I, 2>()],
            [tests8::<I, 3>(), tests16::<I, 3>(), tests32::<I, 3>(), tests64::<I, 3>()],
        ];
        Self { tests }
    }

    /// The loops for codes of which some are unfit.
    const fn tests(&self, fit: &Fit) -> Tests {
        self.tests[fit.count - 1][fit.bytes.trailing_zeros() as usize]
    }

    /// How many elements come before the first unfit one: `n` if none is.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements; the CPU has the instruction set.
    pub(super) unsafe fn first(&self, fit: &Fit, src: *const u8, n: usize) -> usize {
        if fit.is_whole() {
            return n;
        }
        // SAFETY: the caller's.
        unsafe { (self.tests(fit).first)(src, n, fit) }
    }

    /// Replaces the bytes of unfit elements.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements and `dst` for reading and writing `n` bytes; they
    /// don't overlap. The CPU has the instruction set.
    pub(super) unsafe fn replace(
        &self,
        fit: &Fit,
        src: *const u8,
        dst: *mut u8,
        n: usize,
        substitute: Substitute,
    ) {
        if !fit.is_whole() {
            // SAFETY: the caller's.
            unsafe { (self.tests(fit).replace)(src, dst, n, fit, substitute) };
        }
    }

    /// Writes 1 for each element that fits, 0 for the others.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements and `dst` for writing `n` bytes; they don't overlap.
    /// The CPU has the instruction set.
    pub(super) unsafe fn mark(&self, fit: &Fit, src: *const u8, dst: *mut u8, n: usize) {
        // SAFETY: the caller's.
        unsafe {
            if fit.is_whole() {
                dst.write_bytes(1, n);
            } else {
                (self.tests(fit).mark)(src, dst, n, fit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtypes::Kind;
    use crate::shape::tops::Tells;

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
                    let unfit = match fit.count {
                        0 => false,
                        1 => unfit8::<1>([code], &fit),
                        2 => unfit8::<2>([code], &fit),
                        _ => unfit8::<3>([code], &fit),
                    };
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
