//! The seam between the one loop and the instruction sets. A cast of one real dtype to another is
//!
//! ```text
//! source bytes -- Decode --> hub -- Bridge --> home -- Encode --> destination bytes
//! ```
//!
//! for a *step* of elements at a time. A hub is a register type that holds every value of the source
//! exactly. A home is what an encoder starts from: a number that either is the destination's already
//! or still carries all that its one rounding needs. Range and rounding are dealt with in bridges
//! and encoders only, so a decoder is written once per dtype and an encoder likewise, and a pair is
//! their composition, fused by inlining.

use crate::dtypes::Real;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use core::arch::asm;
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ptr;

/// An instruction set: a token whose existence proves that the CPU has it.
pub(crate) trait Isa: Copy {
    /// The elements of a step.
    const STEP: usize;

    /// Whether the elements after the last whole step are cast by a step that ends with them and
    /// begins among those already cast, if there are enough; else they are cast as part of a step.
    const OVERLAPS: bool;

    /// Makes the token.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn summon() -> Self;

    /// Runs `body` compiled for the instruction set. What `body` calls is inlined into it.
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R;

    /// The same for a loop that may need more registers than there are: see [`align_stack`].
    #[inline(always)]
    fn vectorize_on_lines<R>(self, body: impl FnOnce() -> R) -> R {
        self.vectorize(
            #[inline(always)]
            move || {
                align_stack();
                body()
            },
        )
    }
}

/// Makes the function that this is inlined into align its stack, so that each of the long registers that it keeps there
/// lies in one cache line.
///
/// The compiler aligns the stack to 16 bytes where it learns too late that it needs it for longer registers. Then, by where
/// the stack happens to begin, most of them lie in two lines, and now and then one lies in two pages: loops have been seen
/// to take four times as long in one process of 256. What is on the stack from the beginning it aligns the stack for in
/// time. That takes about a nanosecond, too much for a loop that needs no stack.
#[inline(always)]
pub(crate) fn align_stack() {
    if cfg!(target_arch = "x86_64") {
        black_box(&Line(MaybeUninit::uninit()));
    }
}

/// The value of a constant, which the compiler is not to know: a number or a register. (What is longer it reads in small
/// parts, and then waits for these to be in the cache to load them as registers.)
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Whose loops need it.
pub(crate) fn unknown<T: Copy>(constant: &T) -> T {
    // SAFETY: a reference is valid for reading.
    unsafe { ptr::from_ref(constant).read_volatile() }
}

/// How many elements a loop has cast, as the kernel around it answers.
///
/// The compiler is not to know that it is the number which the loop was given. It would keep that on the stack while the
/// loop runs, to answer it itself, where a jump to the loop is all that a kernel needs: one nanosecond of the five that a short cast takes.
#[inline(always)]
pub(crate) fn cast_all(n: usize) -> usize {
    hidden(n)
}

/// A number in a register, of which the compiler is not to know where it came from.
#[inline(always)]
pub(crate) fn hidden(n: usize) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut n = n;
        // SAFETY: there is no instruction in it.
        unsafe {
            asm!("/* {} */", inlateout(reg) n, options(pure, nomem, nostack, preserves_flags));
        }
        n
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    n
}

/// A cache line.
#[repr(align(64))]
#[allow(dead_code)] // Where it lies is all that counts.
struct Line(MaybeUninit<[u8; 64]>);

/// The bytes of the longest step: 64 elements of 8 bytes.
const LONGEST_STEP: usize = 512;

/// Reads a step of elements.
pub(crate) trait Decode<A: Real>: Isa {
    /// The exact values of a step.
    type Hub;

    /// Reads `STEP` elements.
    ///
    /// # Safety
    /// `src` is valid for reading `STEP` elements, at any alignment.
    unsafe fn decode(self, src: *const u8) -> Self::Hub;

    /// Reads `n < STEP` elements, with anything for the others.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements, at any alignment.
    #[inline(always)]
    unsafe fn decode_part(self, src: *const u8, n: usize) -> Self::Hub {
        let mut step = [0u8; LONGEST_STEP];
        // SAFETY: `n` elements are readable at `src` and fit the buffer, which holds a whole step;
        // the buffer is a local, so the two don't overlap.
        unsafe {
            let bytes = n * size_of::<A::Stored>();
            src.copy_to_nonoverlapping(step.as_mut_ptr(), bytes);
            self.decode(step.as_ptr())
        }
    }
}

/// Brings a hub's values to a home: the first half of range and rounding.
pub(crate) trait Bridge<Hub, Home>: Isa {
    /// Brings the values of a step.
    fn bridge(self, values: Hub) -> Home;
}

/// Writes a step of elements: the second half of range and rounding.
pub(crate) trait Encode<B: Real>: Isa {
    /// What the values of a step are when they come.
    type Home;

    /// Writes `STEP` elements.
    ///
    /// # Safety
    /// `dst` is valid for writing `STEP` elements, at any alignment.
    unsafe fn encode(self, values: Self::Home, dst: *mut u8);

    /// Writes the first `n < STEP` elements.
    ///
    /// # Safety
    /// `dst` is valid for writing `n` elements, at any alignment.
    #[inline(always)]
    unsafe fn encode_part(self, values: Self::Home, dst: *mut u8, n: usize) {
        let mut step = [MaybeUninit::<u8>::uninit(); LONGEST_STEP];
        // SAFETY: the buffer holds a whole step; its first `n` elements were just written, and `n`
        // elements are writable at `dst`, which cannot overlap a local.
        unsafe {
            let step: *mut u8 = step.as_mut_ptr().cast();
            self.encode(values, step);
            step.copy_to_nonoverlapping(dst, n * size_of::<B::Stored>());
        }
    }
}
