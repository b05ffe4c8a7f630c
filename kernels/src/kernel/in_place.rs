//! Casts within one buffer, which holds the elements before and what they become after.
//!
//! Kernels demand that source and destination are apart. So a block of elements is cast into a buffer
//! in the L1 cache, and copied from there to where it belongs. Elements that become smaller, or stay as
//! large, go from the first to the last: no result reaches past the elements that it is made of. Elements
//! that grow go from the last to the first: no result lies before those.

use super::{Kernel, RunError};
use crate::buffer::Buffer;
use crate::copies;
use crate::environment;
use crate::options::Overflow;
use crate::table::Params;
use core::ops::Range;

/// The bytes of a block on its larger side.
const BLOCK: usize = 8 << 10;

impl Kernel {
    /// Casts the `n` elements that a buffer starts with into as many that it starts with afterwards. Bytes
    /// after the larger of both stay as they are; those after the results that were part of the elements
    /// are left over.
    ///
    /// If an element does not fit, the buffer is left as it was.
    pub fn run_in_place(&self, buffer: &mut [u8], n: usize) -> Result<(), RunError> {
        let needed = (self.params.from.bytes_for(n), self.params.to.bytes_for(n));
        match needed {
            (Some(reads), Some(writes)) if reads.max(writes) <= buffer.len() => {}
            _ => {
                let (src_needed, dst_needed) = needed;
                return Err(RunError::InPlace {
                    elements: n,
                    bytes: buffer.len(),
                    src_needed,
                    dst_needed,
                });
            }
        }
        // SAFETY: the buffer has room for the elements and for the results, and is borrowed exclusively.
        unsafe { self.run_within(buffer.as_mut_ptr(), n) }
    }

    /// # Safety
    /// `start` is valid for reading and writing both `n` elements and their results.
    pub(super) unsafe fn run_within(&self, start: *mut u8, n: usize) -> Result<(), RunError> {
        let mut within = Within { kernel: *self, start, buffer: Buffer::new() };
        let block = within.block();
        let blocks = n.div_ceil(block);
        let elements = |i: usize| i * block..i.saturating_mul(block).saturating_add(block).min(n);
        // SAFETY: the caller's. Blocks are whole bytes on both sides, but for the last one; those that have
        // not been cast are as they were, in either order.
        unsafe {
            if matches!(self.params.options.overflow, Overflow::Error) {
                for i in 0..blocks {
                    let range = elements(i);
                    let (first, len) = (range.start, range.len());
                    let done = within.cast(range);
                    if done < len {
                        return Err(RunError::Unfit { index: first + done });
                    }
                }
            }
            if self.params.to.bits() > self.params.from.bits() {
                (0..blocks).rev().for_each(|i| within.replace(elements(i)));
            } else {
                (0..blocks).for_each(|i| within.replace(elements(i)));
            }
        }
        Ok(())
    }
}

/// A cast within a buffer.
struct Within {
    kernel: Kernel,
    start: *mut u8,
    buffer: Buffer<BLOCK>,
}

impl Within {
    /// The elements of a block.
    fn block(&self) -> usize {
        let Params { from, to, .. } = self.kernel.params;
        (BLOCK * 8 / from.bits().max(to.bits())) & !63
    }

    /// Casts a block into the buffer, and answers how many elements come before the first that does not
    /// fit.
    ///
    /// # Safety
    /// The elements of the block, which is at most as many as one has and starts with a byte, can be read.
    unsafe fn cast(&mut self, block: Range<usize>) -> usize {
        let kernel = self.kernel.advanced(block.start as u64);
        let params = &kernel.params;
        // SAFETY: the caller's; the results fit the buffer, which is apart from the elements.
        unsafe {
            let src = self.start.add(block.start / 8 * params.from.bits()).cast_const();
            let dst = self.buffer.start();
            environment::run(kernel.guard, kernel.kernel, params, src, dst, block.len())
        }
    }

    /// Casts a block, and writes its results where they belong.
    ///
    /// # Safety
    /// As for [`cast`](Self::cast); its results can be written to, and all of its elements fit.
    unsafe fn replace(&mut self, block: Range<usize>) {
        let bits = self.kernel.params.to.bits();
        // SAFETY: the caller's; the results have just been written.
        unsafe {
            let dst = self.start.add(block.start / 8 * bits);
            let bytes = (block.len() * bits).div_ceil(8);
            self.cast(block);
            copies::bytes(self.buffer.start(), dst, bytes);
        }
    }
}
