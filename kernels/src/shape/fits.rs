//! The loops that find codes that are unfit, for those of each width and number of intervals.

use super::Bytes;
use super::fit::{Fit, Substitute};
use super::screen::Screen;
use crate::codec::Isa;
use core::mem::MaybeUninit;
use core::slice;

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
        pub(super) fn $unfit<const COUNT: usize>(code: Bytes<{ size_of::<$lane>() }>, fit: &Fit) -> bool {
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
                        if let Some(&screen) = fit.screen()
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
