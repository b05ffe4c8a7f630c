//! From single bits, in registers: a bit is no more than a choice between what 0 and what 1 becomes.

use super::Avx2;
use super::code_tables::{codes, words};
use super::packed::Step;
use super::pieces::GROUP;
use crate::table::Params;
use core::arch::x86_64::__m256i;

/// Single bits to dtypes of a byte, in all of which 0 is the code 0 or becomes it.
pub(super) struct BitsToBytes;

impl Step for BitsToBytes {
    const IN: usize = 1;
    const OUT: usize = 8;
    const LEN: usize = GROUP;

    /// What 1 becomes.
    type Tables = __m256i;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> __m256i {
        let codes = codes(params);
        debug_assert!(codes[0] == 0);
        isa.all8(codes[1] as i8)
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, one: __m256i, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 bytes are read and 128 written.
        unsafe {
            let mut k = 0;
            while k < 4 {
                let bits = src.add(4 * k).cast::<i32>().read_unaligned();
                isa.store(dst.add(32 * k), isa.and(isa.bits_to_bytes(bits), one));
                k += 1;
            }
        }
    }
}

/// Single bits to numbers of 16 bits.
pub(super) struct BitsToWords;

impl Step for BitsToWords {
    const IN: usize = 1;
    const OUT: usize = 16;
    const LEN: usize = 64;

    /// What 0 becomes, and what is different about 1.
    type Tables = [__m256i; 2];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 2] {
        let words = words(params);
        [isa.all16(words[0] as i16), isa.all16((words[0] ^ words[1]) as i16)]
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [zero, flips]: [__m256i; 2], src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 8 bytes are read and 128 written.
        unsafe {
            let mut k = 0;
            while k < 4 {
                let bits = src.add(2 * k).cast::<i16>().read_unaligned();
                let words = isa.xor(zero, isa.and(isa.bits_to_words(bits), flips));
                isa.store(dst.add(32 * k), words);
                k += 1;
            }
        }
    }
}

impl Avx2 {
    /// Ones for bits that are set.
    #[inline(always)]
    fn bits_to_words(self, bits: i16) -> __m256i {
        const BITS: [u8; 32] = {
            let mut bits = [0; 32];
            let mut i = 0;
            while i < 16 {
                [bits[2 * i], bits[2 * i + 1]] = (1u16 << i).to_le_bytes();
                i += 1;
            }
            bits
        };
        let bit = self.constant(&BITS);
        self.eq16(self.and(self.all16(bits), bit), bit)
    }
}
