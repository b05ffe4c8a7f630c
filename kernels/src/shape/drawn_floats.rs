//! To floats of 8 and 16 bits by draws, where one loop draws, rounds and stores.
//!
//! By steps the draws, the rounded numbers, and their codes each go through memory, and the last step rounds once more what
//! takes no rounding. A loop that has the draws in registers makes codes at once: of float32s, and of what is exact in
//! float32. It compares as many bits of a draw as there is room for. What a number has below these may decide, too: where
//! all bits that are compared are the same, which is seldom, the loop ends, and the steps take over for a few elements.

use super::cast_by_steps;
use super::drawn_stores::Target;
use crate::dtypes::DType;
use crate::format::Numbers;
use crate::options::{Options, Overflow, Rounding};
use crate::table::{Params, Table};

/// Writes what elements become by their draws under a seed, of which the first has such a place, a multiple of 4; and answers
/// how many it cast. It may cast none, and ends before some elements of which one has bits that count and that it does not
/// look at: what it has written for these, which are 64 at most, is not what they become.
///
/// # Safety
/// The pointers are valid for reading and writing so many elements, and don't overlap. The CPU has the instruction set.
pub(crate) type EncodeDrawn = unsafe fn(&Target, *const u8, *mut u8, usize, u64, u64) -> usize;

/// The loop of a pair, if there is one.
pub(crate) type EncodeLoops = fn(DType, DType) -> Option<EncodeDrawn>;

/// How a pair is cast by such a loop.
#[derive(Clone, Copy)]
pub(crate) struct DrawnFloats {
    target: Target,
    seed: u64,
    encode: EncodeDrawn,
}

impl DrawnFloats {
    /// For a pair of real dtypes under options, if it is cast so.
    pub(super) fn new(
        from: DType,
        to: DType,
        options: &Options,
        loops: EncodeLoops,
    ) -> Option<Self> {
        let (Rounding::Stochastic { seed }, Numbers::Float(_)) = (options.rounding, to.numbers())
        else {
            return None;
        };
        if matches!(options.overflow, Overflow::Error) {
            return None;
        }
        Some(Self { target: Target::new(to, options.saturate)?, seed, encode: loops(from, to)? })
    }

    /// Casts elements, each by its own draw.
    ///
    /// # Safety
    /// As for every kernel; the pair is the one that this was made for. The CPU has the loops' and the table's instruction
    /// set.
    pub(super) unsafe fn cast(
        &self,
        table: &Table,
        src: *const u8,
        dst: *mut u8,
        n: usize,
        params: &Params,
    ) {
        /// How many elements the steps take over for: those that the loop did not cast at once.
        const FEW: usize = 64;
        debug_assert!(params.draw_step == 1, "each element has a draw");
        let (read, written) = (params.from.bits() / 8, params.to.bits() / 8);
        let (mut inner, mut done) = (*params, 0);
        while done < n {
            let before = inner.options.first_index % 4;
            // SAFETY: the caller's: so many elements are done, and those left follow them.
            let count = unsafe {
                let (src, dst) = (src.add(done * read), dst.add(done * written));
                let place = inner.options.first_index;
                match before {
                    0 => (self.encode)(&self.target, src, dst, n - done, self.seed, place),
                    _ => 0,
                }
            };
            inner.advance(count as u64);
            done += count;
            let few = FEW - (inner.options.first_index % 4) as usize;
            let few = few.min(n - done);
            // SAFETY: as before.
            unsafe {
                let (src, dst) = (src.add(done * read), dst.add(done * written));
                cast_by_steps(table, src, dst, few, &inner);
            }
            inner.advance(few as u64);
            done += few;
        }
    }
}
