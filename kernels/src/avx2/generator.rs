//! The draws of stochastic rounding: Philox4x32-10, 4 blocks in a register.
//!
//! A round makes of the words `a b c d` of a block and of its keys `k` and `l`, where products have an upper and a lower half,
//!
//! ```text
//! P = M0 * a, Q = M1 * c:    a = upper(Q) ^ b ^ k,  b = lower(Q),  c = upper(P) ^ d ^ l,  d = lower(P)
//! ```
//!
//! A lower half is wanted a round later only, where it is combined with another key. So one XOR of a whole product sees to the
//! keys of two rounds, its upper half having that of its own round and its lower half that of the next one; and the products
//! of the next round need none. Of the two chains one is seen to in even rounds, and the other in odd ones.

use super::Avx2;
use crate::codec::Isa;
use crate::philox::{self, AllDraws, Drawn, EvenDraws};
use core::arch::x86_64::__m256i;
use core::hint::black_box;
use core::mem::MaybeUninit;

/// The words of 4 blocks, each in a register, in lanes twice as wide: above a word there may be anything.
type Words = [__m256i; 4];

/// How many such sets are made at a time, whose multiplications overlap. (A round takes a set so long that on some CPUs four
/// don't keep the multipliers busy. That eight have no room in registers counts less: operands may lie in memory.)
const SETS: usize = 8;

/// The same of what is left of these.
const FEWER_SETS: usize = 2;

/// The blocks of a set.
const BLOCKS: usize = 4;

/// Writes the draws of blocks from one on.
///
/// # Safety
/// The CPU has AVX2.
pub(super) unsafe fn draw<D: InOrder>(seed: u64, block: u64, blocks: &mut [MaybeUninit<D>]) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            // Blocks are counted modulo 2^62.
            let (low, high) = (block as u32, (block >> 32) as u32 & (u32::MAX >> 2));
            let is_high_the_same = (low as usize)
                .checked_add(blocks.len())
                .is_some_and(|end| u32::try_from(end).is_ok());
            let sets = if is_high_the_same { blocks.len() / BLOCKS } else { 0 };
            let (many, few) = (sets / SETS * SETS, sets / FEWER_SETS * FEWER_SETS);
            let (groups, rest) = blocks.split_at_mut(BLOCKS * few);
            if few > 0 {
                let keys = Keys::new(isa, seed, high);
                // (In memory, where operands may lie, so that they take no registers.)
                let keys = black_box(&keys);
                let (many, few) = groups.split_at_mut(BLOCKS * many);
                draw_groups::<SETS, D>(isa, keys, low, many);
                draw_groups::<FEWER_SETS, D>(isa, keys, low + many.len() as u32, few);
            }
            philox::fill::<8, D>(seed, block.wrapping_add(groups.len() as u64), rest);
        },
    );
}

/// Writes the draws of blocks, in groups of as many sets, from one on whose number has such a lower half.
#[inline(always)]
fn draw_groups<const SETS: usize, D: InOrder>(
    isa: Avx2,
    keys: &Keys,
    low: u32,
    blocks: &mut [MaybeUninit<D>],
) {
    let m0 = u64::from(philox::MULTIPLIERS[0]);
    let mut product = isa.add64(
        isa.all64((m0 * u64::from(low)) as i64),
        isa.lanes64(D::LANES.map(|block| m0 * block)),
    );
    for group in blocks.chunks_exact_mut(SETS * BLOCKS) {
        let mut sets = [[isa.zero(); 4]; SETS];
        for words in &mut sets {
            *words = keys.two_rounds(isa, product);
            product = isa.add64(product, isa.all64((m0 * BLOCKS as u64) as i64));
        }
        // (Written out, so that each set's words stay in their registers, and round by round, since each waits for the one
        // before.)
        macro_rules! rounds {
            ($($round:literal)*) => {$(
                for words in &mut sets {
                    *words = keys.round::<$round>(isa, *words);
                }
            )*};
        }
        rounds!(2 3 4 5 6 7 8);
        for (words, blocks) in sets.into_iter().zip(group.as_chunks_mut().0) {
            D::store(isa, keys, words, blocks);
        }
    }
}

/// What products are combined with.
pub(super) struct Keys {
    /// Of each round but the last one a word of its key for the upper half, and one of the next round for the lower half: for
    /// [`P`](self) in even rounds, for `Q` in odd ones. In the second round the `P` of all blocks is the same, and what it
    /// would bring to the next rounds is here, too.
    rounds: [__m256i; philox::ROUNDS - 1],
    /// The last round's word for `Q`.
    last: __m256i,
}

impl Keys {
    /// For blocks whose numbers have such an upper half.
    #[inline(always)]
    fn new(isa: Avx2, seed: u64, high: u32) -> Self {
        let mut keys = [[0; 2]; philox::ROUNDS];
        let mut key = [seed as u32, (seed >> 32) as u32];
        for words in &mut keys {
            *words = key;
            key = philox::next_key(key);
        }
        // Of a counter's words two are zero and one is the same for all blocks: so is the first word after a round, and its
        // product in the second round.
        let same = u64::from(philox::MULTIPLIERS[0]) * u64::from(high ^ keys[0][0]);
        let mut rounds = [isa.zero(); philox::ROUNDS - 1];
        for (round, both) in rounds.iter_mut().enumerate() {
            let word = if round % 2 == 0 { 1 } else { 0 };
            let (mut upper, mut lower) = (keys[round][word], keys[round + 1][word]);
            match round {
                0 => lower ^= (same >> 32) as u32,
                2 => upper ^= same as u32,
                _ => {}
            }
            *both = isa.all64((u64::from(upper) << 32 | u64::from(lower)) as i64);
        }
        let [last, _] = keys[philox::ROUNDS - 1];
        Self { rounds, last: isa.all64(last.into()) }
    }

    /// The first two rounds of blocks, from the first products. The third word after both is what is left of the first
    /// product, with the key, and the upper half of the product that all blocks share.
    #[inline(always)]
    fn two_rounds(&self, isa: Avx2, product: __m256i) -> Words {
        let [_, m1] = philox::MULTIPLIERS;
        let p = isa.xor(product, self.rounds[0]);
        let q = isa.mul_u32(isa.shr64::<32>(p), isa.all64(m1.into()));
        let q = isa.xor(q, self.rounds[1]);
        [isa.shr64::<32>(q), q, p, isa.zero()]
    }

    /// A later round, but for the last one. (What the second round leaves for the fourth word is in the third one's key.)
    #[inline(always)]
    fn round<const ROUND: usize>(&self, isa: Avx2, words: Words) -> Words {
        const { assert!(ROUND >= 2 && ROUND < philox::ROUNDS - 1) };
        let ([mut p, mut q], [_, b, _, d]) = (products(isa, &words), words);
        if ROUND.is_multiple_of(2) {
            p = isa.xor(p, self.rounds[ROUND]);
        } else {
            q = isa.xor(q, self.rounds[ROUND]);
        }
        let c = isa.shr64::<32>(p);
        let c = if ROUND == 2 { c } else { isa.xor(c, d) };
        [isa.xor(isa.shr64::<32>(q), b), q, c, p]
    }
}

/// The products of a round.
#[inline(always)]
fn products(isa: Avx2, [a, _, c, _]: &Words) -> [__m256i; 2] {
    let [m0, m1] = philox::MULTIPLIERS;
    [isa.mul_u32(*a, isa.all64(m0.into())), isa.mul_u32(*c, isa.all64(m1.into()))]
}

/// Draws as registers have them.
pub(super) trait InOrder: Drawn {
    /// Which of 4 blocks is in which lane.
    const LANES: [u64; BLOCKS];

    /// Writes those of 4 blocks, whose words are before the last round.
    fn store(isa: Avx2, keys: &Keys, words: Words, blocks: &mut [MaybeUninit<Self>; BLOCKS]);
}

/// The odd dwords.
const ODD: i32 = 0xaa;

impl InOrder for AllDraws {
    /// The first two are in the even lanes.
    const LANES: [u64; BLOCKS] = [0, 2, 1, 3];

    #[inline(always)]
    fn store(isa: Avx2, keys: &Keys, words: Words, blocks: &mut [MaybeUninit<Self>; BLOCKS]) {
        let ([p, q], [_, b, _, d]) = (products(isa, &words), words);
        // The lower half of a product is the second word.
        let (p, q) = (isa.swap_halves(p), isa.swap_halves(q));
        let ab = isa.mix32::<ODD>(isa.xor(q, isa.xor(b, keys.last)), q);
        let cd = isa.mix32::<ODD>(isa.xor(p, d), p);
        let dst = blocks.as_mut_ptr().cast::<u8>();
        // SAFETY: 4 blocks are two registers.
        unsafe {
            isa.store(dst, isa.low64(ab, cd));
            isa.store(dst.add(32), isa.high64(ab, cd));
        }
    }
}

impl InOrder for EvenDraws {
    const LANES: [u64; BLOCKS] = [0, 1, 2, 3];

    #[inline(always)]
    fn store(isa: Avx2, keys: &Keys, words: Words, blocks: &mut [MaybeUninit<Self>; BLOCKS]) {
        let ([p, q], [_, b, _, d]) = (products(isa, &words), words);
        // The upper half of the first product is where the third word is wanted.
        let products = isa.mix32::<ODD>(isa.shr64::<32>(q), p);
        let others = isa.mix32::<ODD>(isa.xor(b, keys.last), isa.shl64::<32>(d));
        // SAFETY: two draws of 4 blocks are one register.
        unsafe { isa.store(blocks.as_mut_ptr().cast(), isa.xor(products, others)) };
    }
}
