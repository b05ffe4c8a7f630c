//! Casts that go on past what does not fit, and tell in a bitmap what did.

use super::{Cuts, InOrder, Join, Kernel, Out, RunError, Work, check};
use crate::align;
use crate::buffer::Buffer;
use crate::dispatch::{self, Level};
use crate::dtypes::DType;
use crate::environment::{self, Guard};
use crate::options::{Options, Overflow};
use crate::table::Params;

/// The kernel of a pair under some options, and beside it the test of what a checked cast refuses.
#[derive(Clone, Copy, Debug)]
pub struct MaskedKernel {
    kernel: Kernel,
    /// None if a checked cast refuses nothing.
    test: Option<Test>,
}

/// What a checked cast refuses.
#[derive(Clone, Copy)]
struct Test {
    /// Those of the checked cast.
    params: Params,
    /// What of the floating-point environment must be the default.
    guard: Guard,
}

impl core::fmt::Debug for Test {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Test").field("options", &self.params.options).finish_non_exhaustive()
    }
}

/// The bytes of both sides of a block: they stay in the L1 cache between the cast and the test.
const BLOCK: usize = 16 << 10;

impl MaskedKernel {
    /// The kernel of a pair on the level in use.
    pub fn new(from: DType, to: DType, options: &Options) -> Self {
        Self::on(dispatch::current(), from, to, options)
    }

    /// The kernel of a pair on a level. [`Overflow::Error`] casts as [`Overflow::As`] does.
    ///
    /// # Panics
    /// If this CPU cannot run the level.
    pub fn on(level: &'static Level, from: DType, to: DType, options: &Options) -> Self {
        let overflow = match options.overflow {
            Overflow::Error => Overflow::As,
            other => other,
        };
        let kernel = Kernel::on(level, from, to, &Options { overflow, ..*options });
        let checked = Options { overflow: Overflow::Error, ..*options };
        let params = Params::new(from, to, &checked, &level.table.shapes);
        let test = matches!(params.options.overflow, Overflow::Error).then(|| {
            let arithmetic = level.table.arithmetic;
            Test { params, guard: environment::guard(from, to, &params.options, arithmetic) }
        });
        Self { kernel, test }.cut()
    }

    /// A cast that is tested is cut into blocks already.
    fn cut(mut self) -> Self {
        self.kernel.params.in_parts &= self.test.is_none();
        self
    }

    /// With its sides in the other byte order, or not: see [`Kernel::with_swapped`].
    pub fn with_swapped(mut self, sides: [bool; 2]) -> Self {
        self.kernel = self.kernel.with_swapped(sides);
        self.cut()
    }

    /// The kernel that stores.
    pub const fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Casts `n` elements that are all there is in either buffer, and writes for each a bit into
    /// `valid`, lowest first: 1 if a checked cast under the same options accepts it. Bits after the last
    /// are 0.
    pub fn run<'a, 'b>(
        &self,
        src: &[u8],
        dst: impl Into<Out<'a>>,
        valid: impl Into<Out<'b>>,
        n: usize,
    ) -> Result<(), RunError> {
        self.run_in_parts(src, dst, valid, n, &InOrder)
    }

    /// As [`run`](Self::run), in parts that may be cast at once if there is enough to do: each has whole bytes of the bitmap.
    pub fn run_in_parts<'a, 'b>(
        &self,
        src: &[u8],
        dst: impl Into<Out<'a>>,
        valid: impl Into<Out<'b>>,
        n: usize,
        join: &impl Join,
    ) -> Result<(), RunError> {
        let (dst, valid) = (dst.into(), valid.into());
        check(&self.kernel.params, src, &dst, n)?;
        let needed = n.div_ceil(8);
        if valid.bytes != needed {
            return Err(RunError::Bitmap { elements: n, bytes: valid.bytes, needed });
        } else if valid.bools {
            return Err(RunError::Type);
        }
        let Some(test) = &self.test else {
            // SAFETY: a bitmap of `n` bits, borrowed exclusively.
            unsafe { fill(valid.start, n) };
            return self.kernel.run_in_parts(src, dst, n, join);
        };
        let (src, dst, valid) = (src.as_ptr(), dst.start, valid.start);
        // SAFETY: all three have exactly the bytes of `n` elements, and what is borrowed exclusively overlaps nothing. Where the
        // destination holds bools the kernel writes bools. The piece is run for `n` elements, or cut as work on as many.
        let piece = unsafe { Piece::new(&self.kernel, test, src, dst, valid) };
        let (from, to) = (self.kernel.from().bits(), self.kernel.to().bits());
        match Cuts::new(n, from + to + 1, join) {
            None => piece.run(0, n),
            // (A head of whole bytes of the bitmap is whole bytes of any elements.)
            Some(cuts) => {
                cuts.after(align::to_line((dst.addr(), to), 1).unwrap_or(0)).run(piece, join)
            }
        };
        Ok(())
    }
}

/// A masked cast of elements that can be read, written and marked: as many as it is run for, or cut off. They don't overlap,
/// and no one else uses those of the destination and their bits.
struct Piece<'a> {
    kernel: &'a Kernel,
    test: &'a Test,
    src: *const u8,
    dst: *mut u8,
    valid: *mut u8,
}

// SAFETY: the pointers are used in `cut` and `run` alone, which read shared memory and write to memory that is the piece's
// only.
unsafe impl Send for Piece<'_> {}

impl<'a> Piece<'a> {
    /// # Safety
    /// Whatever the piece is run for, or cut into, are elements that are valid for reading at `src`, and for writing at `dst`,
    /// with their bits at `valid`. None of that overlaps, and no one else uses what is written.
    const unsafe fn new(
        kernel: &'a Kernel,
        test: &'a Test,
        src: *const u8,
        dst: *mut u8,
        valid: *mut u8,
    ) -> Self {
        Self { kernel, test, src, dst, valid }
    }
}

impl Work for Piece<'_> {
    fn cut(self, elements: usize) -> (Self, Self) {
        let (from, to) = (self.kernel.from().bits(), self.kernel.to().bits());
        let eights = elements / 8;
        // SAFETY: these elements are in all buffers, and a multiple of 8.
        let (src, dst, valid) = unsafe {
            (self.src.add(eights * from), self.dst.add(eights * to), self.valid.add(eights))
        };
        (Self { ..self }, Self { src, dst, valid, ..self })
    }

    fn run(self, first: usize, n: usize) -> usize {
        let Self { test, src, dst, valid, .. } = self;
        let Kernel { kernel, mut params, level, guard, .. } = *self.kernel;
        let (marks, mut checked) = (level.table.marks, test.params);
        params.advance(first as u64);
        checked.advance(first as u64);
        let (from, to) = (params.from.bits(), params.to.bits());
        let swap = params.swap.filter(|_| self.kernel.swapped()[0]);
        let mut native = Buffer::<BLOCK>::new();
        // Whole bytes of packed elements and of the bitmap.
        let block = (BLOCK * 8 / (from + to)).next_multiple_of(8);
        // The source's part of a block fits a buffer: rounding adds at most 7 elements, so 896 bits of the
        // widest source, beside which the destination has at least one part in 129 of a block, 1016 bits.
        debug_assert!(block * from <= BLOCK * 8);
        let mut start = 0;
        while start < n {
            let len = block.min(n - start);
            // SAFETY: whoever makes a piece has so many elements on all sides. `start` is a multiple of 8, so that
            // all pointers move by whole bytes, to where `len` elements are left. The level is available, as `on` asserted; the
            // first kernel is that of `params` on it and refuses nothing; the second is for the checked
            // cast of any pair that can fail, as this one can.
            unsafe {
                let src = src.add(start / 8 * from);
                environment::run(guard, kernel, &params, src, dst.add(start / 8 * to), len);
                // The test knows the machine's byte order only; the source's part of a block fits one.
                let src = match &swap {
                    Some(swap) => {
                        swap.turn(checked.from, src, native.start(), len);
                        native.start().cast_const()
                    }
                    None => src,
                };
                environment::run(test.guard, marks, &checked, src, valid.add(start / 8), len);
            }
            params.advance(len as u64);
            checked.advance(len as u64);
            start += len;
        }
        n
    }
}

/// Writes a bitmap of `n` ones.
///
/// # Safety
/// It is valid for writing `n` bits.
unsafe fn fill(bitmap: *mut u8, n: usize) {
    // SAFETY: the caller's; where bits are left over there is a byte for them.
    unsafe {
        bitmap.write_bytes(0xff, n / 8);
        if !n.is_multiple_of(8) {
            *bitmap.add(n / 8) = !(0xff << (n % 8));
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;

    #[test]
    fn a_bitmap_of_ones_ends_in_zeros() {
        for n in 0..40 {
            let mut bitmap = vec![0x5a; usize::div_ceil(n, 8)];
            // SAFETY: the bitmap has `n` bits.
            unsafe { fill(bitmap.as_mut_ptr(), n) };
            for i in 0..8 * bitmap.len() {
                assert_eq!(bitmap[i / 8] >> (i % 8) & 1 == 1, i < n, "bit {i} of {n}");
            }
        }
    }
}
