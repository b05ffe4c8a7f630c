//! The draws of stochastic rounding, and the rounding of float32 by them.

use super::lanes::each;
use super::shim::Vbmi;
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::philox;
use crate::shape::Grid;
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
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
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

/// Rounds float32s to a grid by a draw each, as [`crate::shape`] has it, which writes it out.
///
/// # Safety
/// As for every loop that rounds, see there.
pub(super) unsafe fn round<L: TopBits>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    draws: *const u32,
    grid: &Grid,
) {
    // SAFETY: the caller's.
    let isa = unsafe { L::summon() };
    let x = isa.features();
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let steps = Steps::new(x, grid);
            let draws = draws.cast::<u8>();
            let mut i = 0;
            // SAFETY: the caller's; of the last registers that part is read and written that there is.
            unsafe {
                while n - i >= 16 {
                    let (code, draw) =
                        (x.load_dwords(src.add(4 * i)), x.load_dwords(draws.add(4 * i)));
                    x.store_dwords(dst.add(4 * i), steps.round(isa, code, draw));
                    i += 16;
                }
                if i < n {
                    let code = x.load_dwords_part(src.add(4 * i), n - i);
                    let draw = x.load_dwords_part(draws.add(4 * i), n - i);
                    x.store_dwords_part(dst.add(4 * i), steps.round(isa, code, draw), n - i);
                }
            }
        },
    );
}

/// An instruction set with a way to the top bits of a draw.
pub(super) trait TopBits: LookUp + Isa {
    /// The top bits of each dword, as many as `count` tells, at its foot; below 32.
    fn top_bits(self, v: __m512i, count: __m512i) -> __m512i;
}

impl TopBits for Avx512 {
    #[inline(always)]
    fn top_bits(self, v: __m512i, count: __m512i) -> __m512i {
        let Self(x) = self;
        // A shift by 32 leaves zero.
        x.f._mm512_srlv_epi32(v, x.f._mm512_sub_epi32(x.dword(32), count))
    }
}

impl TopBits for Vbmi {
    #[inline(always)]
    fn top_bits(self, v: __m512i, count: __m512i) -> __m512i {
        self.shldv_epi32(self.features.f._mm512_setzero_si512(), v, count)
    }
}

/// A grid, in registers.
struct Steps {
    /// The fewest and the most bits that are cut, and how many would be of a number of exponent field 0
    /// were there no bound.
    fewest: __m512i,
    most: __m512i,
    at_zero: __m512i,
    quantum: __m512i,
    /// One less than the quantum's exponent field.
    below: __m512i,
}

impl Steps {
    #[inline(always)]
    fn new(x: Features, grid: &Grid) -> Self {
        let quantum = grid.quantum as u32;
        Self {
            fewest: x.dword(grid.cut),
            most: x.dword(grid.cut + grid.span),
            at_zero: x.dword(grid.cut + grid.least as u32),
            quantum: x.dword(quantum),
            below: x.dword((quantum >> 23).wrapping_sub(1)),
        }
    }

    /// The portable loop's steps. From the quantum on no place is left below it, which is a shift by
    /// more than 31, so that nothing is left of the significand.
    #[inline(always)]
    fn round<L: TopBits>(&self, isa: L, code: __m512i, draw: __m512i) -> __m512i {
        const INFINITY: u32 = 0xff << 23;
        let x = isa.features();
        let sign = x.dword(1 << 31);
        let magnitude = x.f._mm512_andnot_si512(sign, code);
        let field = x.f._mm512_srli_epi32::<23>(magnitude);
        let cut = x.f._mm512_max_epi32(x.f._mm512_sub_epi32(self.at_zero, field), self.fewest);
        let cut = x.f._mm512_min_epi32(cut, self.most);
        let addend = isa.top_bits(x.f._mm512_xor_si512(draw, x.dword(u32::MAX)), cut);
        let sum = x.f._mm512_add_epi32(magnitude, addend);
        let kept = x.f._mm512_sllv_epi32(x.dword(u32::MAX), cut);
        let normal = x.f._mm512_cmpge_epi32_mask(magnitude, self.quantum);
        let rounded = x.f._mm512_maskz_and_epi32(normal, sum, kept);

        let significand = x.f._mm512_or_si512(x.f._mm512_slli_epi32::<8>(magnitude), sign);
        let places = x.f._mm512_sub_epi32(self.below, field);
        let rest = x.f._mm512_srlv_epi32(significand, places);
        let up = x.f._mm512_cmplt_epu32_mask(draw, rest);
        let rounded = x.f._mm512_mask_mov_epi32(rounded, up, self.quantum);

        let rounded = x.f._mm512_min_epi32(rounded, x.dword(INFINITY - 1));
        let finite = x.f._mm512_cmplt_epi32_mask(magnitude, x.dword(INFINITY));
        let rounded = x.f._mm512_mask_mov_epi32(magnitude, finite, rounded);
        // rounded OR (code AND the sign)
        x.f._mm512_ternarylogic_epi32::<0xf8>(rounded, code, sign)
    }
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
