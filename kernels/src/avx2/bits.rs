//! From single bits, in registers: a bit is no more than a choice between what 0 and what 1 becomes.

use super::Avx2;
use super::by_codes::StepByCodes;
use super::code_tables::{Codes, Words, codes, words};
use super::packed::Step;
use super::pieces::GROUP;
use super::widened::StepByWords;
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
        // SAFETY: the caller's: this is a group.
        unsafe {
            isa.store_bits(
                src,
                dst,
                #[inline(always)]
                |bits| isa.and(bits, one),
            );
        }
    }
}

/// Single bits to any two codes of a byte.
pub(super) struct BitsToCodes;

impl Step for BitsToCodes {
    const IN: usize = 1;
    const OUT: usize = 8;
    const LEN: usize = GROUP;

    /// What 0 becomes, and what is different about 1.
    type Tables = [__m256i; 2];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 2] {
        Self::tables_of(isa, codes(params))
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [zero, flips]: [__m256i; 2], src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: this is a group.
        unsafe {
            isa.store_bits(
                src,
                dst,
                #[inline(always)]
                |bits| isa.xor(zero, isa.and(bits, flips)),
            );
        }
    }
}

impl StepByCodes for BitsToCodes {
    #[inline(always)]
    fn tables_of(isa: Avx2, codes: &Codes) -> [__m256i; 2] {
        [isa.all8(codes[0] as i8), isa.all8((codes[0] ^ codes[1]) as i8)]
    }
}

/// Single bits to packed dtypes of 6 bits, in which 0 becomes zero.
///
/// A byte of the results has bits of two elements that follow each other, in the same half byte of the source. So what is
/// looked at is that byte, once for either of them.
pub(super) struct BitsToSixes;

/// Of 96 bytes of results, which byte of the source each looks at, and which bit of it for its first element; that of the
/// second one is the next.
const LOOKED_AT: [[[u8; 32]; 2]; 3] = {
    let mut at = [[[0; 32]; 2]; 3];
    let mut i = 0;
    while i < 96 {
        // Three bytes have four elements.
        let (half, byte) = (i / 3, i % 3);
        at[i / 32][0][i % 32] = (half / 2) as u8;
        at[i / 32][1][i % 32] = 1 << (half % 2 * 4 + byte);
        i += 1;
    }
    at
};

impl Step for BitsToSixes {
    const IN: usize = 1;
    const OUT: usize = 6;
    const LEN: usize = GROUP;

    /// What a byte gets of the first element that it looks at if that is 1, and of the second.
    type Tables = [[__m256i; 2]; 3];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [[__m256i; 2]; 3] {
        let codes = codes(params);
        debug_assert!(codes[0] == 0);
        let mut tables = [[isa.zero(); 2]; 3];
        for (k, table) in tables.iter_mut().enumerate() {
            let (mut firsts, mut seconds) = ([0; 32], [0; 32]);
            for (i, (first, second)) in firsts.iter_mut().zip(&mut seconds).enumerate() {
                let byte = (32 * k + i) % 3;
                *first = codes[1] >> (2 * byte);
                *second = codes[1] << (6 - 2 * byte);
            }
            *table = [isa.constant(&firsts), isa.constant(&seconds)];
        }
        tables
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, tables: [[__m256i; 2]; 3], src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 bytes are read and 96 written.
        unsafe {
            let bits = isa.twice(isa.loadx(src));
            let mut k = 0;
            while k < 3 {
                let bytes = isa.shuffle8(bits, isa.constant(&LOOKED_AT[k][0]));
                let first = isa.constant(&LOOKED_AT[k][1]);
                let second = isa.add8(first, first);
                let a = isa.and(isa.eq8(isa.and(bytes, first), first), tables[k][0]);
                let b = isa.and(isa.eq8(isa.and(bytes, second), second), tables[k][1]);
                isa.store(dst.add(32 * k), isa.or(a, b));
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
        Self::tables_by_words(isa, words(params))
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

impl StepByWords for BitsToWords {
    #[inline(always)]
    fn tables_by_words(isa: Avx2, words: &Words) -> [__m256i; 2] {
        [isa.all16(words[0] as i16), isa.all16((words[0] ^ words[1]) as i16)]
    }
}

impl Avx2 {
    /// Stores what is made of a group's bits, each of which is all bits of a byte.
    ///
    /// # Safety
    /// `src` is valid for reading 16 bytes and `dst` for writing 128.
    #[inline(always)]
    unsafe fn store_bits(self, src: *const u8, dst: *mut u8, code: impl Fn(__m256i) -> __m256i) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's.
            unsafe {
                let bits = src.add(4 * k).cast::<i32>().read_unaligned();
                self.store(dst.add(32 * k), code(self.bits_to_bytes(bits)));
            }
            k += 1;
        }
    }

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
