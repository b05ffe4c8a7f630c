//! The draws of stochastic rounding.

use super::lanes::each;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::philox;
use core::arch::x86_64::__m512i;
use core::mem::MaybeUninit;

/// Draws of 32 blocks at a time: each word of 8 blocks in a register, in lanes twice as wide; four
/// such sets, whose multiplications overlap.
///
/// # Safety
/// The CPU has AVX-512.
pub(super) unsafe fn draw(seed: u64, block: u64, blocks: &mut [MaybeUninit<[u32; 4]>]) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx512::summon() };
    let Avx512(x) = isa;
    isa.vectorize(
        #[inline(always)]
        || {
            let (groups, rest) = blocks.as_chunks_mut::<32>();
            let mut first = block;
            for group in groups {
                let sets = each(
                    [0, 8, 16, 24],
                    #[inline(always)]
                    |offset| x.counters(first.wrapping_add(offset)),
                );
                let sets = x.philox(seed, sets);
                for (set, blocks) in sets.into_iter().zip(group.as_chunks_mut::<8>().0) {
                    // SAFETY: 8 blocks are two registers.
                    unsafe { x.store_qwords(blocks.as_mut_ptr().cast(), x.in_order(set)) };
                }
                first = first.wrapping_add(32);
            }
            philox::fill::<8>(seed, first, rest);
        },
    );
}

impl Features {
    /// The counters of 8 blocks, as their words. Blocks are counted modulo 2^62.
    #[inline(always)]
    fn counters(self, first: u64) -> [__m512i; 4] {
        let lanes = self.constant(&[0u64, 1, 2, 3, 4, 5, 6, 7]);
        let block = self.f._mm512_add_epi64(self.qword(first), lanes);
        let block = self.f._mm512_and_si512(block, self.qword(u64::MAX >> 2));
        let zero = self.f._mm512_setzero_si512();
        [block, self.f._mm512_srli_epi64::<32>(block), zero, zero]
    }

    /// Ten rounds. Of each lane the lower half counts.
    #[inline(always)]
    fn philox(self, seed: u64, mut sets: [[__m512i; 4]; 4]) -> [[__m512i; 4]; 4] {
        let [m0, m1] = philox::MULTIPLIERS;
        let (m0, m1) = (self.qword(m0.into()), self.qword(m1.into()));
        let mut key = [seed as u32, (seed >> 32) as u32];
        for _ in 0..philox::ROUNDS {
            let (k0, k1) = (self.qword(key[0].into()), self.qword(key[1].into()));
            for [a, b, c, d] in &mut sets {
                let p0 = self.f._mm512_mul_epu32(*a, m0);
                let p1 = self.f._mm512_mul_epu32(*c, m1);
                let (h0, h1) =
                    (self.f._mm512_srli_epi64::<32>(p0), self.f._mm512_srli_epi64::<32>(p1));
                *a = self.f._mm512_ternarylogic_epi64::<0x96>(h1, *b, k0);
                *c = self.f._mm512_ternarylogic_epi64::<0x96>(h0, *d, k1);
                (*b, *d) = (p1, p0);
            }
            key = philox::next_key(key);
        }
        sets
    }

    /// The words of 8 blocks, block by block.
    #[inline(always)]
    fn in_order(self, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 2] {
        const ODD: u16 = 0xaaaa;
        let ab = self.f._mm512_mask_blend_epi32(ODD, a, self.f._mm512_slli_epi64::<32>(b));
        let cd = self.f._mm512_mask_blend_epi32(ODD, c, self.f._mm512_slli_epi64::<32>(d));
        let low = self.constant(&[0u64, 8, 1, 9, 2, 10, 3, 11]);
        let high = self.constant(&[4u64, 12, 5, 13, 6, 14, 7, 15]);
        [
            self.f._mm512_permutex2var_epi64(ab, low, cd),
            self.f._mm512_permutex2var_epi64(ab, high, cd),
        ]
    }
}
