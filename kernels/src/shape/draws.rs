//! Draws for stochastic rounding, a piece of a cast at a time.

use super::{BUFFER, Shapes};
use crate::codec::Isa;
use crate::philox;
use crate::table::Params;
use core::mem::MaybeUninit;

/// Writes the draws of blocks from one on.
///
/// # Safety
/// The CPU has the instruction set.
pub(crate) type Draw = unsafe fn(u64, u64, &mut [MaybeUninit<[u32; 4]>]);

/// # Safety
/// As for every [`Draw`].
pub(super) unsafe fn draw<I: Isa, const BLOCKS: usize>(
    seed: u64,
    block: u64,
    draws: &mut [MaybeUninit<[u32; 4]>],
) {
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || philox::fill::<BLOCKS>(seed, block, draws),
    );
}

/// The most blocks that a piece spans: two draws for every element of four bytes, and up to three
/// before the first.
const SPAN: usize = (BUFFER / 4 * 2 + 3).div_ceil(4);

/// The draws of elements in order.
pub(super) struct Draws {
    seed: u64,
    /// The place of the next element's draw.
    place: u64,
    /// How far the places of neighbours lie apart: 1 or 2.
    step: u64,
    blocks: [MaybeUninit<[u32; 4]>; SPAN],
}

impl Draws {
    #[inline(always)]
    pub(super) fn new(seed: u64, params: &Params) -> Self {
        let blocks = [MaybeUninit::uninit(); SPAN];
        Self { seed, place: params.options.first_index, step: params.draw_step, blocks }
    }

    /// A draw for each of the next `len` elements.
    ///
    /// # Safety
    /// The CPU has the instruction set; `len` elements of 4 bytes fit a [`Buffer`](crate::buffer::Buffer).
    pub(super) unsafe fn next(&mut self, shapes: &Shapes, len: usize) -> *const u32 {
        let (block, before) = (self.place / 4, (self.place % 4) as usize);
        let spanned = before + len * self.step as usize;
        let blocks = &mut self.blocks[..spanned.div_ceil(4)];
        // SAFETY: the caller's.
        unsafe { (shapes.draw)(self.seed, block, blocks) };
        self.place = self.place.wrapping_add(len as u64 * self.step);
        let words = blocks.as_mut_ptr().cast::<u32>();
        // SAFETY: all words of the blocks were written just now, and `before` and twice `len` more
        // are among them.
        unsafe {
            let first = words.add(before);
            if self.step == 2 {
                for i in 0..len {
                    *first.add(i) = *first.add(2 * i);
                }
            }
            first
        }
    }
}
