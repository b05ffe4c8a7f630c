//! Tests of complex elements that become real ones: of their imaginary parts alone, or of both parts at once.

use super::Bytes;
use super::screen::Screen;
use crate::codec::Isa;
use core::slice;

/// Whether a real part may be unfit, as a screen tells, or an imaginary one is not zero.
///
/// # Safety
/// The source is valid for so many elements. The CPU has the instruction set.
type Any = unsafe fn(&Screen, *const u8, usize) -> bool;

/// The loops, by the bytes of a component: 2, 4 or 8.
pub(crate) struct Imaginary {
    /// How many elements come before the first whose imaginary part is not zero.
    first: [unsafe fn(*const u8, usize) -> usize; 3],
    /// Where a test of both parts takes less time than one of each.
    any: Option<[Any; 3]>,
}

impl Imaginary {
    pub(super) const fn of<I: Isa>() -> Self {
        Self { first: [first16::<I>, first32::<I>, first64::<I>], any: None }
    }

    /// The same with tests of both parts.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn with_any<I: Isa>(self) -> Self {
        Self { any: Some([any16::<I>, any32::<I>, any64::<I>]), ..self }
    }

    /// Whether there are tests of both parts.
    pub(crate) const fn has_any(&self) -> bool {
        self.any.is_some()
    }

    /// How many complex elements, of components of so many bytes, come before the first whose
    /// imaginary part is not zero: `n` if none is.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements; the CPU has the instruction set.
    pub(crate) unsafe fn first(&self, bytes: usize, src: *const u8, n: usize) -> usize {
        // SAFETY: the caller's.
        unsafe { self.first[bytes.trailing_zeros() as usize - 1](src, n) }
    }

    /// Whether of `n` complex elements, of components of so many bytes, all real parts are known to fit, and all imaginary
    /// ones are zero. The screen is one of magnitudes, of which it takes [a test of both parts](Self::has_any) to know, or
    /// of nothing.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements; the CPU has the instruction set.
    pub(crate) unsafe fn all_fit(
        &self,
        bytes: usize,
        screen: &Screen,
        src: *const u8,
        n: usize,
    ) -> bool {
        match &self.any {
            // SAFETY: the caller's.
            Some(any) => unsafe { !any[bytes.trailing_zeros() as usize - 1](screen, src, n) },
            // SAFETY: the caller's.
            None => screen.asks_nothing() && unsafe { self.first(bytes, src, n) == n },
        }
    }
}

/// Elements that are tested before it is asked whether one was not zero.
const BLOCK: usize = 8192;

macro_rules! tests {
    ($($lane:ident $wide:ident $first:ident;)*) => {$(
        /// Elements are taken together as one integer each: which bits any of them has, and whether these are of an
        /// imaginary part, but for its sign, which a zero may have.
        ///
        /// # Safety
        /// As for [`Imaginary::first`].
        unsafe fn $first<I: Isa>(src: *const u8, n: usize) -> usize {
            type Element = Bytes<{ size_of::<$wide>() }>;
            // SAFETY: the caller's; elements as bytes have no alignment.
            let elements = unsafe { slice::from_raw_parts(src.cast::<Element>(), n) };
            let imaginary: $wide = bytemuck::cast([0, $lane::MAX >> 1]);
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    for (i, block) in elements.chunks(BLOCK).enumerate() {
                        let mut any = 0;
                        for &code in block {
                            any |= $wide::from_ne_bytes(code);
                        }
                        if any & imaginary != 0 {
                            let nonzero = |&code| $wide::from_ne_bytes(code) & imaginary != 0;
                            return i * BLOCK + block.iter().position(nonzero).unwrap_or(0);
                        }
                    }
                    elements.len()
                },
            )
        }
    )*};
}

tests! {
    u16 u32 first16;
    u32 u64 first32;
}

/// The same of elements that are longer than any integer of a vector.
///
/// # Safety
/// As for [`Imaginary::first`].
unsafe fn first64<I: Isa>(src: *const u8, n: usize) -> usize {
    type Complex = [Bytes<8>; 2];
    // SAFETY: the caller's; elements as bytes have no alignment.
    let elements = unsafe { slice::from_raw_parts(src.cast::<Complex>(), n) };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            for (i, block) in elements.chunks(BLOCK).enumerate() {
                let mut any = 0;
                for &[_, im] in block {
                    any |= u64::from_ne_bytes(im) << 1;
                }
                if any != 0 {
                    let nonzero = |&[_, im]: &Complex| u64::from_ne_bytes(im) << 1 != 0;
                    return i * BLOCK + block.iter().position(nonzero).unwrap_or(0);
                }
            }
            elements.len()
        },
    )
}

/// Tests of both parts at once, by a screen of the real one, and of the imaginary one by that of magnitudes below 1.
#[cfg(target_arch = "x86_64")] // Where they are used.
macro_rules! joint_tests {
    ($($lane:ident $wide:ident $any:ident;)*) => {$(
        /// Elements are tested as one integer: a magnitude is below the sign bit and an addend at most that, so that
        /// their sum is below twice the sign bit, and nothing is carried from one part to the other.
        ///
        /// # Safety
        /// As for [`Imaginary::any`].
        unsafe fn $any<I: Isa>(screen: &Screen, src: *const u8, n: usize) -> bool {
            const TOP: $lane = 1 << ($lane::BITS - 1);
            type Element = Bytes<{ size_of::<$wide>() }>;
            // SAFETY: the caller's; elements as bytes have no alignment.
            let elements = unsafe { slice::from_raw_parts(src.cast::<Element>(), n) };
            // As both parts lie in memory.
            let both = |re: $lane, im: $lane| -> $wide { bytemuck::cast([re, im]) };
            let mask = both(screen.mask as $lane, TOP - 1);
            let addend = both(screen.addend as $lane, TOP - 1);
            let signs = both(if screen.signs { TOP } else { 0 }, 0);
            let tops = both(TOP, TOP);
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    let mut any = 0;
                    for &code in elements {
                        let code = $wide::from_ne_bytes(code);
                        any |= (code & mask).wrapping_add(addend) | (code & signs);
                    }
                    any & tops != 0
                },
            )
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
joint_tests! {
    u16 u32 any16;
    u32 u64 any32;
}

/// The same of elements that are longer than any integer of a vector.
///
/// # Safety
/// As for [`Imaginary::any`].
#[cfg(target_arch = "x86_64")]
unsafe fn any64<I: Isa>(screen: &Screen, src: *const u8, n: usize) -> bool {
    const TOP: u64 = 1 << 63;
    // SAFETY: the caller's; elements as bytes have no alignment.
    let elements = unsafe { slice::from_raw_parts(src.cast::<[Bytes<8>; 2]>(), n) };
    let Screen { mask, addend, .. } = *screen;
    let signs = if screen.signs { TOP } else { 0 };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            let (mut any, mut imaginary) = (0, 0);
            for &[re, im] in elements {
                let re = u64::from_ne_bytes(re);
                any |= (re & mask).wrapping_add(addend) | (re & signs);
                imaginary |= u64::from_ne_bytes(im) << 1;
            }
            any & TOP != 0 || imaginary != 0
        },
    )
}
