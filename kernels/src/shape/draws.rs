//! Draws for stochastic rounding, a piece of a cast at a time.

use super::{BUFFER, Shapes};
use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::philox::{self, Drawn};
use crate::table::Params;
use core::mem::MaybeUninit;
use core::slice;

/// Writes the draws of blocks from one on.
///
/// # Safety
/// The CPU has the instruction set.
pub(crate) type Draw<D> = unsafe fn(u64, u64, &mut [MaybeUninit<D>]);

/// # Safety
/// As for every [`Draw`].
pub(super) unsafe fn draw<I: Isa, const BLOCKS: usize, D: Drawn>(
    seed: u64,
    block: u64,
    draws: &mut [MaybeUninit<D>],
) {
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || philox::fill::<BLOCKS, D>(seed, block, draws),
    );
}

/// The most words that are written for a piece: a draw for every element of four bytes, and up to
/// three before the first and after the last.
const WORDS: usize = (BUFFER / 4 + 3).next_multiple_of(4);

/// The draws of elements in order.
pub(super) struct Draws {
    seed: u64,
    /// The place of the next element's draw.
    place: u64,
    /// How far the places of neighbours lie apart: 1, or 2 where all are even.
    step: u64,
    words: Buffer<{ size_of::<u32>() * WORDS }>,
}

impl Draws {
    #[inline(always)]
    pub(super) fn new(seed: u64, params: &Params) -> Self {
        let (place, step) = (params.options.first_index, params.draw_step);
        debug_assert!(step == 1 || step == 2 && place.is_multiple_of(2));
        Self { seed, place, step, words: Buffer::new() }
    }

    /// A draw for each of the next `len` elements.
    ///
    /// # Safety
    /// The CPU has the instruction set; `len` elements of 4 bytes fit a [`Buffer`].
    pub(super) unsafe fn next(&mut self, shapes: &Shapes, len: usize) -> *const u32 {
        let before = (self.place % 4 / self.step) as usize;
        // SAFETY: the caller's.
        unsafe {
            match self.step {
                1 => self.fill(shapes.draw, before + len),
                _ => self.fill(shapes.draw_even, before + len),
            }
        }
        self.place = self.place.wrapping_add(len as u64 * self.step);
        // SAFETY: what was written begins with so many draws.
        unsafe { self.words.start().cast::<u32>().add(before) }
    }

    /// Writes so many words at least, from the block on where the place is.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn fill<D: Drawn>(&mut self, draw: Draw<D>, words: usize) {
        let words_of_block = size_of::<D>() / size_of::<u32>();
        let blocks = words.div_ceil(words_of_block);
        assert!(blocks * words_of_block <= WORDS, "so many words have room");
        // SAFETY: the buffer has room for so many words, of which each `D` is some, and is aligned for them; none of them need
        // be initialised. The rest is the caller's.
        unsafe {
            let words = self.words.start().cast::<MaybeUninit<D>>();
            let blocks = slice::from_raw_parts_mut(words, blocks);
            draw(self.seed, self.place / 4, blocks);
        }
    }
}
