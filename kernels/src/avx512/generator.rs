//! The draws of stochastic rounding: Philox4x32-10, 8 blocks in a register.

use super::{Avx512, Features};
use crate::codec::Isa;
use crate::philox::{self, AllDraws, Drawn, EvenDraws};
use core::arch::x86_64::__m512i;
use core::hint::black_box;
use core::mem::MaybeUninit;

/// The words of 8 blocks, each in a register, in lanes twice as wide.
pub(super) type Words = [__m512i; 4];

/// How many such sets are made at a time, whose multiplications overlap: as many as registers can hold.
const SETS: usize = 6;

/// And of what is left after these.
const FEW: usize = 2;

/// Writes the draws of blocks from one on.
///
/// # Safety
/// The CPU has AVX-512.
pub(super) unsafe fn draw<D: InOrder>(seed: u64, block: u64, blocks: &mut [MaybeUninit<D>]) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx512::summon() };
    let Avx512(x) = isa;
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let keys = Keys::new(x, seed);
            let mut first = block;
            let (groups, rest) = blocks.as_chunks_mut::<{ 8 * SETS }>();
            for group in groups {
                keys.draw::<SETS, D>(x, first, group);
                first = first.wrapping_add(group.len() as u64);
            }
            let (groups, rest) = rest.as_chunks_mut::<{ 8 * FEW }>();
            for group in groups {
                keys.draw::<FEW, D>(x, first, group);
                first = first.wrapping_add(group.len() as u64);
            }
            philox::fill::<8, D>(seed, first, rest);
        },
    );
}

/// The keys of all rounds.
struct Keys {
    seed: u64,
    first: [u32; 2],
    /// Those from the third round on, in all lanes.
    later: [[__m512i; 2]; philox::ROUNDS - 2],
}

impl Keys {
    #[inline(always)]
    fn new(x: Features, seed: u64) -> Self {
        let first = [seed as u32, (seed >> 32) as u32];
        let mut key = philox::next_key(first);
        let mut later = [[x.f._mm512_setzero_si512(); 2]; philox::ROUNDS - 2];
        for words in &mut later {
            key = philox::next_key(key);
            *words = [x.qword(key[0].into()), x.qword(key[1].into())];
        }
        Self { seed, first, later }
    }

    /// Writes the draws of `8 * SETS` blocks from one on.
    #[inline(always)]
    fn draw<const SETS: usize, D: InOrder>(
        &self,
        x: Features,
        first: u64,
        group: &mut [MaybeUninit<D>],
    ) {
        // Blocks are counted modulo 2^62.
        let (low, high) = (first as u32, (first >> 32) as u32 & (u32::MAX >> 2));
        if low.checked_add(8 * SETS as u32 - 1).is_none() {
            // Their numbers have upper halves that differ.
            return philox::fill::<8, D>(self.seed, first, group);
        }
        let mut sets = [[x.f._mm512_setzero_si512(); 4]; SETS];
        for (i, set) in sets.iter_mut().enumerate() {
            *set = self.first_rounds(x, low + 8 * i as u32, high, D::LANES);
        }
        // A loop that is not unrolled: else the compiler orders instructions set by set, so that each waits for the one
        // before.
        for &keys in black_box(&self.later[..]) {
            for set in &mut sets {
                philox_round(x, set, keys);
            }
        }
        for (set, blocks) in sets.into_iter().zip(group.as_chunks_mut::<8>().0) {
            D::store(x, set, blocks);
        }
    }

    /// The first two rounds, of 8 blocks. Of a counter's words two are zero and one is the same for all these blocks, so
    /// that the first round multiplies but one word that differs, and the second one another: what the others become is
    /// the same for all.
    #[inline(always)]
    fn first_rounds(&self, x: Features, low: u32, high: u32, lanes: &'static [u64; 8]) -> Words {
        let [m0, m1] = philox::MULTIPLIERS.map(u64::from);
        let (key, next_key) = (self.first, philox::next_key(self.first));
        let all = m0 * u64::from(high ^ key[0]);
        let block = x.f._mm512_add_epi64(x.qword(low.into()), x.constant(lanes));
        let p0 = x.f._mm512_mul_epu32(block, x.qword(m0));
        let c = x.f._mm512_xor_si512(x.upper(p0), x.qword(key[1].into()));
        let p1 = x.f._mm512_mul_epu32(c, x.qword(m1));
        let a = x.f._mm512_xor_si512(x.upper(p1), x.qword(next_key[0].into()));
        let c = x.f._mm512_xor_si512(p0, x.qword(all >> 32 ^ u64::from(next_key[1])));
        [a, p1, c, x.qword(all)]
    }
}

/// A round, of 8 blocks.
#[inline(always)]
fn philox_round(x: Features, [a, b, c, d]: &mut Words, [k0, k1]: [__m512i; 2]) {
    let [m0, m1] = philox::MULTIPLIERS;
    let p0 = x.f._mm512_mul_epu32(*a, x.qword(m0.into()));
    let p1 = x.f._mm512_mul_epu32(*c, x.qword(m1.into()));
    *a = x.f._mm512_ternarylogic_epi64::<0x96>(x.upper(p1), *b, k0);
    *c = x.f._mm512_ternarylogic_epi64::<0x96>(x.upper(p0), *d, k1);
    (*b, *d) = (p1, p0);
}

/// Draws as registers have them.
pub(super) trait InOrder: Drawn {
    /// Which of 8 blocks is in which lane, for them to be stored with the fewest instructions.
    const LANES: &'static [u64; 8];

    /// Writes those of 8 blocks.
    fn store(x: Features, words: Words, blocks: &mut [MaybeUninit<Self>; 8]);
}

impl InOrder for AllDraws {
    /// The first four are in the even lanes.
    const LANES: &'static [u64; 8] = &[0, 4, 1, 5, 2, 6, 3, 7];

    #[inline(always)]
    fn store(x: Features, [a, b, c, d]: Words, blocks: &mut [MaybeUninit<Self>; 8]) {
        let (ab, cd) = (x.pairs(a, b), x.pairs(c, d));
        let draws = [x.f._mm512_unpacklo_epi64(ab, cd), x.f._mm512_unpackhi_epi64(ab, cd)];
        // SAFETY: 8 blocks are two registers.
        unsafe { x.store_qwords(blocks.as_mut_ptr().cast(), draws) };
    }
}

impl InOrder for EvenDraws {
    const LANES: &'static [u64; 8] = &[0, 1, 2, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn store(x: Features, [a, _, c, _]: Words, blocks: &mut [MaybeUninit<Self>; 8]) {
        // SAFETY: two draws of 8 blocks are one register.
        unsafe { x.store_dwords(blocks.as_mut_ptr().cast(), x.pairs(a, c)) };
    }
}

impl Features {
    /// The upper half of each lane of 64 bits.
    #[inline(always)]
    fn upper(self, v: __m512i) -> __m512i {
        self.f._mm512_srli_epi64::<32>(v)
    }

    /// The lower halves of the first lanes of 64 bits, and in the upper halves those of the second.
    #[inline(always)]
    fn pairs(self, first: __m512i, second: __m512i) -> __m512i {
        const ODD: u16 = 0xaaaa;
        let (first, second) =
            (self.f._mm512_castsi512_ps(first), self.f._mm512_castsi512_ps(second));
        self.f._mm512_castps_si512(self.f._mm512_mask_moveldup_ps(first, ODD, second))
    }
}
