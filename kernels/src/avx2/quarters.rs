//! From packed elements of 2 bits to numbers of 16, in registers: by look-ups of the low bytes and of the high ones.

use super::Avx2;
use super::code_tables::{Words, words};
use super::packed::Step;
use super::pieces::GROUP;
use super::widened::StepByWords;
use crate::table::Params;
use core::arch::x86_64::__m256i;

/// Elements of 2 bits to numbers of 16.
pub(super) struct QuartersToWords;

impl Step for QuartersToWords {
    const IN: usize = 2;
    const OUT: usize = 16;
    const LEN: usize = GROUP;

    /// The low bytes and the high ones, by codes and by four times these. (Zero is the only number that is both.)
    type Tables = [__m256i; 2];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 2] {
        Self::tables_by_words(isa, words(params))
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [low, high]: [__m256i; 2], src: *const u8, dst: *mut u8) {
        // Four of each byte, ordered so that unpacking by lanes of 128 bits leaves elements in order.
        const COPIES: [u8; 32] = [
            0, 0, 0, 0, 1, 1, 1, 1, 4, 4, 4, 4, 5, 5, 5, 5, //
            2, 2, 2, 2, 3, 3, 3, 3, 6, 6, 6, 6, 7, 7, 7, 7,
        ];
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 32 bytes are read and 256 written.
            unsafe {
                let bytes = isa.all64(src.add(8 * k).cast::<i64>().read_unaligned());
                let copies = isa.shuffle8(bytes, isa.constant(&COPIES));
                // One element alone in each copy, of the first two at bits 0 and 2, of the others at bits 4 and 6: where
                // the first two are once these are shifted.
                let alone = isa.and(copies, isa.all32(0xc030_0c03u32 as i32));
                let at = isa.and(isa.or(alone, isa.shr16::<4>(alone)), isa.all8(15));
                let (low, high) = (isa.shuffle8(low, at), isa.shuffle8(high, at));
                isa.store(dst.add(64 * k), isa.low8(low, high));
                isa.store(dst.add(64 * k + 32), isa.high8(low, high));
            }
            k += 1;
        }
    }
}

impl StepByWords for QuartersToWords {
    #[inline(always)]
    fn tables_by_words(isa: Avx2, words: &Words) -> [__m256i; 2] {
        let (mut lows, mut highs) = ([0; 32], [0; 32]);
        for (i, (low, high)) in lows.iter_mut().zip(&mut highs).enumerate() {
            let code = if i % 16 < 4 { i % 4 } else { i % 16 / 4 };
            [*low, *high] = words[code].to_le_bytes();
        }
        [isa.constant(&lows), isa.constant(&highs)]
    }
}
