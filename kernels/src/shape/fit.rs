//! Which codes of a dtype have no place in another: the *unfit*.
//!
//! Casts are monotonic, so the numbers that fit lie between a lowest and a highest one, and with
//! infinities and NaNs all fitting or not, the codes that don't are at most three intervals. A code
//! is tested as an unsigned integer, for each interval by one subtraction and one comparison that
//! wraps around: in any width, for floats as for integers, independent of the floating-point
//! environment.

use super::Bytes;
use super::grid::Mode;
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::exact::Exact;
use crate::format::{FloatFormat, Numbers, Specials};
use crate::options::{Options, Rounding};
use crate::reference;
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
}

/// What is asked of infinities and of overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// What a checked cast refuses.
    Refused,
    /// What becomes infinity, or NaN without being one, in an 8-bit float that does not saturate.
    Overflows,
}

/// A number that magnitudes are compared with: `significand * 2^exponent`.
#[derive(Clone, Copy, Debug)]
struct Bound {
    significand: u64,
    exponent: i32,
    /// Whether the number itself is on the smaller side.
    included: bool,
}

impl Bound {
    /// A bound for numbers of at most 64 bits, from one of more: what is cut off lies between such
    /// numbers.
    const fn new(significand: u128, exponent: i32, included: bool) -> Self {
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
    const fn rounding_within(significand: u64, exponent: i32, mode: Mode, negative: bool) -> Self {
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
    fn codes_below(self, dtype: DType, format: FloatFormat) -> u64 {
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
    const fn floor(self) -> Option<u64> {
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
struct Bounds {
    positive: Bound,
    negative: Option<Bound>,
    small: Option<Bound>,
}

impl Bounds {
    fn of(to: DType, mode: Mode, question: Question) -> Self {
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
        };
        if let Some(infinity) = format.infinity() {
            fit.add(infinity, 1);
        }
        fit
    }

    /// The codes that are not zero, of a float with zeros of both signs.
    pub(super) fn zeros(of: DType) -> Self {
        let mask = u64::MAX >> (65 - of.bits());
        let mut fit =
            Self { mask, intervals: [(0, 0); 3], count: 0, bytes: of.bits() / 8, sign: 0 };
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
            return self;
        }
        let fitting = (high - low + 1).max(0);
        let unfit = i128::from(self.mask) + 1 - fitting;
        self.add((low + fitting) as u64 & self.mask, unfit as u64);
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
    ($($lane:ident $past:ident $inside:ident $unfit:ident $first:ident $replace:ident $mark:ident $tests:ident;)*) => {$(
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

        /// # Safety
        /// As for [`Tests::first`].
        unsafe fn $first<I: Isa, const COUNT: usize>(src: *const u8, n: usize, fit: &Fit) -> usize {
            // SAFETY: the caller's; elements as bytes have no alignment.
            let codes = unsafe { slice::from_raw_parts(src.cast(), n) };
            let fit = *fit;
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize(
                #[inline(always)]
                move || {
                    for (i, block) in codes.chunks(BLOCK).enumerate() {
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
            unsafe { I::summon() }.vectorize(
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
            unsafe { I::summon() }.vectorize(
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
    u8 past8 inside8 unfit8 first8 replace8 mark8 tests8;
    u16 past16 inside16 unfit16 first16 replace16 mark16 tests16;
    u32 past32 inside32 unfit32 first32 replace32 mark32 tests32;
    u64 past64 inside64 unfit64 first64 replace64 mark64 tests64;
}

macro_rules! imaginary {
    ($($name:ident $lane:ident;)*) => {$(
        /// How many complex elements come before the first whose imaginary part is not zero.
        ///
        /// # Safety
        /// `src` is valid for reading `n` elements. The CPU has the instruction set.
        unsafe fn $name<I: Isa>(src: *const u8, n: usize) -> usize {
            type Complex = [Bytes<{ size_of::<$lane>() }>; 2];
            // SAFETY: the caller's; elements as bytes have no alignment.
            let elements = unsafe { slice::from_raw_parts(src.cast::<Complex>(), n) };
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize(
                #[inline(always)]
                move || {
                    // Shifted by the sign, which a zero may have.
                    for (i, block) in elements.chunks(BLOCK).enumerate() {
                        let mut any = 0;
                        for [_, im] in block {
                            any |= $lane::from_ne_bytes(*im) << 1;
                        }
                        if any != 0 {
                            let nonzero = |[_, im]: &Complex| $lane::from_ne_bytes(*im) << 1 != 0;
                            return i * BLOCK + block.iter().position(nonzero).unwrap_or(0);
                        }
                    }
                    elements.len()
                },
            )
        }
    )*};
}

imaginary! {
    imaginary16 u16;
    imaginary32 u32;
    imaginary64 u64;
}

/// Every loop that tests, by the number of intervals and the width; and those that look for imaginary
/// parts, by their width.
pub(crate) struct Fits {
    tests: [[Tests; 4]; 3],
    imaginary: [unsafe fn(*const u8, usize) -> usize; 3],
}

impl Fits {
    pub(super) const fn of<I: Isa>() -> Self {
        let tests = [
            [tests8::<I, 1>(), tests16::<I, 1>(), tests32::<I, 1>(), tests64::<I, 1>()],
            [tests8::<I, 2>(), tests16::<I, 2>(), tests32::<I, 2>(), tests64::<I, 2>()],
            [tests8::<I, 3>(), tests16::<I, 3>(), tests32::<I, 3>(), tests64::<I, 3>()],
        ];
        Self { tests, imaginary: [imaginary16::<I>, imaginary32::<I>, imaginary64::<I>] }
    }

    /// How many complex elements, of components of so many bytes, come before the first whose
    /// imaginary part is not zero: `n` if none is.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements; the CPU has the instruction set.
    pub(crate) unsafe fn first_imaginary(&self, bytes: usize, src: *const u8, n: usize) -> usize {
        // SAFETY: the caller's.
        unsafe { self.imaginary[bytes.trailing_zeros() as usize - 1](src, n) }
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
