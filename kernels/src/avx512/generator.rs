//! The draws of stochastic rounding: Philox4x32-10, 8 blocks in a register.

use super::{Avx512, Features};
use crate::codec::{Isa, unknown};
use crate::philox::{self, AllDraws, Drawn, EvenDraws};
use core::arch::x86_64::{__m512i, __mmask16, __mmask64};
use core::array;
use core::hint::black_box;
use core::mem::{self, MaybeUninit};

/// The words of 8 blocks, each in a register, in lanes twice as wide.
pub(super) type Words = [__m512i; 4];

/// How many such sets are made at a time, whose multiplications overlap: as many as registers can hold.
pub(super) const SETS: usize = 6;

/// And of what is left after these.
const FEW: usize = 2;

/// The upper halves of the draws of a block.
type TopDraws = [u16; 4];

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
pub(super) struct Keys {
    seed: u64,
    first: [u32; 2],
    /// Those from the third round on up to the last one, in all lanes.
    later: [[__m512i; 2]; philox::ROUNDS - 3],
    last: LastRound,
}

impl Keys {
    #[inline(always)]
    pub(super) fn new(x: Features, seed: u64) -> Self {
        let first = [seed as u32, (seed >> 32) as u32];
        let mut key = philox::next_key(first);
        let mut later = [[x.f._mm512_setzero_si512(); 2]; philox::ROUNDS - 3];
        for words in &mut later {
            key = philox::next_key(key);
            *words = [x.qword(key[0].into()), x.qword(key[1].into())];
        }
        Self { seed, first, later, last: LastRound::new(x, philox::next_key(key)) }
    }

    /// Writes the draws of `8 * SETS` blocks from one on.
    #[inline(always)]
    fn draw<const SETS: usize, D: InOrder>(
        &self,
        x: Features,
        first: u64,
        group: &mut [MaybeUninit<D>],
    ) {
        match self.sets(x, first, const { &products::<SETS>(D::LANES) }) {
            Some(sets) => {
                for (set, blocks) in sets.into_iter().zip(group.as_chunks_mut::<8>().0) {
                    D::store(x, &self.last, set, blocks);
                }
            }
            None => philox::fill::<8, D>(self.seed, first, group),
        }
    }

    /// The upper halves of the draws of blocks from one on, those of 8 blocks in each register.
    #[inline(always)]
    pub(super) fn tops(&self, x: Features, first: u64) -> [__m512i; SETS] {
        let mut tops = [x.f._mm512_setzero_si512(); SETS];
        match self.sets(x, first, const { &products::<SETS>([0, 1, 2, 3, 4, 5, 6, 7]) }) {
            Some(sets) => {
                for (tops, words) in tops.iter_mut().zip(sets) {
                    *tops = self.last.upper_halves(x, words);
                }
            }
            None => {
                let blocks: [TopDraws; 8 * SETS] =
                    one_by_one(self.seed, first, |draws| draws.map(|draw| (draw >> 16) as u16));
                for (tops, blocks) in tops.iter_mut().zip(blocks.as_chunks::<8>().0) {
                    // SAFETY: 8 blocks of halves are one register.
                    *tops = unsafe { x.load_dwords(blocks.as_ptr().cast()) };
                }
            }
        }
        tops
    }

    /// The draws of blocks from one on, those of 8 blocks in each two registers.
    #[inline(always)]
    pub(super) fn draws(&self, x: Features, first: u64) -> [[__m512i; 2]; SETS] {
        let mut draws = [[x.f._mm512_setzero_si512(); 2]; SETS];
        match self.sets(x, first, const { &products::<SETS>(AllDraws::LANES) }) {
            Some(sets) => {
                for (draws, words) in draws.iter_mut().zip(sets) {
                    *draws = self.last.in_order(x, words);
                }
            }
            None => {
                let blocks: [AllDraws; 8 * SETS] = one_by_one(self.seed, first, |draws| draws);
                for (draws, blocks) in draws.iter_mut().zip(blocks.as_chunks::<8>().0) {
                    // SAFETY: 8 blocks are two registers.
                    *draws = unsafe { x.load_qwords(blocks.as_ptr().cast()) };
                }
            }
        }
        draws
    }

    /// The words of `8 * SETS` blocks from one on before the last round, whose first products are more than that of the first by
    /// such numbers; None where the upper halves of their own numbers differ.
    #[inline(always)]
    fn sets<const SETS: usize>(
        &self,
        x: Features,
        first: u64,
        products: &'static [[u64; 8]; SETS],
    ) -> Option<[Words; SETS]> {
        // Blocks are counted modulo 2^62.
        let (low, high) = (first as u32, (first >> 32) as u32 & (u32::MAX >> 2));
        low.checked_add(8 * SETS as u32 - 1)?;
        let start = Start::new(x, self.first, low, high);
        let mut sets = [[x.f._mm512_setzero_si512(); 4]; SETS];
        for (set, products) in sets.iter_mut().zip(products) {
            *set = start.two_rounds(x, products);
        }
        // A loop that is not unrolled: else the compiler orders instructions set by set, so that each waits for the one
        // before.
        for &keys in black_box(&self.later[..]) {
            for set in &mut sets {
                philox_round(x, set, keys);
            }
        }
        Some(sets)
    }
}

/// What the first multiplier makes of how far blocks are from the first one, of which 8 are in the same lanes of each set.
const fn products<const SETS: usize>(lanes: [u64; 8]) -> [[u64; 8]; SETS] {
    let mut products = [[0; 8]; SETS];
    let mut i = 0;
    while i < 8 * SETS {
        let block = 8 * (i / 8) as u64 + lanes[i % 8];
        products[i / 8][i % 8] = philox::MULTIPLIERS[0] as u64 * block;
        i += 1;
    }
    products
}

/// What is wanted of the draws of blocks from one on, wherever the upper halves of their numbers change. (Not compiled for
/// the instruction set, since that is seldom.)
#[inline(never)]
fn one_by_one<T>(seed: u64, first: u64, of: fn(AllDraws) -> T) -> [T; 8 * SETS] {
    array::from_fn(|i| of(philox::draws(seed, first.wrapping_add(i as u64) & (u64::MAX >> 2))))
}

/// What the first two rounds of some blocks share. Of a counter's words two are zero and one is the same for all of them, so
/// that the first round multiplies but one word that differs, and the second one another: what the others become is the
/// same for all. And of numbers that follow each other the products do, too: what is multiplied is the first one only.
struct Start {
    /// The first product of the first block.
    product: __m512i,
    /// The second product of the second round, of all blocks.
    all: __m512i,
    /// The key of the first round for the word that differs, and those of the second one, of which one has the upper half of
    /// the product that all blocks share.
    key: __m512i,
    next_keys: [__m512i; 2],
}

impl Start {
    /// For blocks from the one with this number on, of whose numbers the upper halves are the same.
    #[inline(always)]
    fn new(x: Features, key: [u32; 2], low: u32, high: u32) -> Self {
        let [m0, _] = philox::MULTIPLIERS.map(u64::from);
        let all = m0 * u64::from(high ^ key[0]);
        let next_key = philox::next_key(key).map(u64::from);
        Self {
            product: x.qword(m0 * u64::from(low)),
            all: x.qword(all),
            key: x.qword(key[1].into()),
            next_keys: [x.qword(next_key[0]), x.qword(all >> 32 ^ next_key[1])],
        }
    }

    /// The first two rounds of 8 blocks, whose first products are that of the first block and these.
    #[inline(always)]
    fn two_rounds(&self, x: Features, products: &'static [u64; 8]) -> Words {
        let [_, m1] = philox::MULTIPLIERS;
        let p0 = x.f._mm512_add_epi64(self.product, x.constant(products));
        let c = x.f._mm512_xor_si512(x.upper(p0), self.key);
        let p1 = x.f._mm512_mul_epu32(c, x.qword(m1.into()));
        let a = x.f._mm512_xor_si512(x.upper(p1), self.next_keys[0]);
        let c = x.f._mm512_xor_si512(p0, self.next_keys[1]);
        [a, p1, c, self.all]
    }
}

/// A round, of 8 blocks.
#[inline(always)]
fn philox_round(x: Features, words: &mut Words, [k0, k1]: [__m512i; 2]) {
    let [p0, p1] = multiplied(x, words);
    let [_, b, _, d] = *words;
    let a = x.f._mm512_ternarylogic_epi64::<0x96>(x.upper(p1), b, k0);
    let c = x.f._mm512_ternarylogic_epi64::<0x96>(x.upper(p0), d, k1);
    *words = [a, p1, c, p0];
}

/// The products of a round, of the first and of the third word.
#[inline(always)]
fn multiplied(x: Features, [a, _, c, _]: &Words) -> [__m512i; 2] {
    let [m0, m1] = philox::MULTIPLIERS;
    [x.f._mm512_mul_epu32(*a, x.qword(m0.into())), x.f._mm512_mul_epu32(*c, x.qword(m1.into()))]
}

/// Draws as registers have them.
pub(super) trait InOrder: Drawn {
    /// Which of 8 blocks is in which lane, for them to be stored with the fewest instructions.
    const LANES: [u64; 8];

    /// Writes those of 8 blocks, whose words are before the last round.
    fn store(x: Features, last: &LastRound, words: Words, blocks: &mut [MaybeUninit<Self>; 8]);
}

impl InOrder for AllDraws {
    /// The first four are in the even lanes.
    const LANES: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

    #[inline(always)]
    fn store(x: Features, last: &LastRound, words: Words, blocks: &mut [MaybeUninit<Self>; 8]) {
        // SAFETY: 8 blocks are two registers.
        unsafe { x.store_qwords(blocks.as_mut_ptr().cast(), last.in_order(x, words)) };
    }
}

impl InOrder for EvenDraws {
    const LANES: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn store(x: Features, last: &LastRound, words: Words, blocks: &mut [MaybeUninit<Self>; 8]) {
        // SAFETY: two draws of 8 blocks are one register.
        unsafe { x.store_dwords(blocks.as_mut_ptr().cast(), last.even(x, words)) };
    }
}

/// The last round, after which nothing is multiplied: words need not come to the lower halves of lanes, but go where they are
/// wanted. In a product both halves are words, one of them once it is XORed with another word and a key.
pub(super) struct LastRound {
    keys: [__m512i; 2],
    /// Both keys, each where its word is of [even ones](Self::even), and where its upper half is of [those](Self::upper_halves).
    both: __m512i,
    uppers: __m512i,
    /// The even dwords, and the second half of each qword as bytes. (What the compiler knew of masks and of the shuffles below,
    /// it would take for permutations of two registers, or make two operations of.)
    even: __mmask16,
    second: __mmask64,
    /// Where in each qword of a product the upper halves of its words are, the upper word first, twice; and for each half of a
    /// qword the upper half of its lower word, and zeros.
    of_product: __m512i,
    of_lower: __m512i,
}

impl LastRound {
    #[inline(always)]
    fn new(x: Features, [k0, k1]: [u32; 2]) -> Self {
        const EVEN: u16 = 0x5555;
        const SECOND: u64 = 0xf0f0_f0f0_f0f0_f0f0;
        const NONE: u8 = 0x80;
        const OF_PRODUCT: __m512i = places([6, 7, 2, 3, 6, 7, 2, 3]);
        const OF_LOWER: __m512i = places([2, 3, NONE, NONE, 2, 3, NONE, NONE]);
        let (k0, k1) = (u64::from(k0), u64::from(k1));
        Self {
            keys: [x.qword(k0), x.qword(k1)],
            both: x.qword(k0 | k1 << 32),
            uppers: x.qword(k0 >> 16 | k1 >> 16 << 32),
            even: unknown(&EVEN),
            second: unknown(&SECOND),
            of_product: unknown(&OF_PRODUCT),
            of_lower: unknown(&OF_LOWER),
        }
    }

    /// The draws of 8 blocks, which are in [such](InOrder::LANES) lanes.
    #[inline(always)]
    fn in_order(&self, x: Features, words: Words) -> [__m512i; 2] {
        let [p0, p1] = multiplied(x, &words);
        let ([_, b, _, d], [k0, k1]) = (words, self.keys);
        let (ab, cd) = (self.pair(x, p1, b, k0), self.pair(x, p0, d, k1));
        [x.f._mm512_unpacklo_epi64(ab, cd), x.f._mm512_unpackhi_epi64(ab, cd)]
    }

    /// Two words, of a product: the second one is its lower half, and the first one in its upper half.
    #[inline(always)]
    fn pair(&self, x: Features, product: __m512i, word: __m512i, key: __m512i) -> __m512i {
        let turned = x.f._mm512_rol_epi64::<32>(product);
        x.f._mm512_mask_ternarylogic_epi32::<0x96>(turned, self.even, word, key)
    }

    /// The first and the third draw of each block.
    #[inline(always)]
    fn even(&self, x: Features, words: Words) -> __m512i {
        let [p0, p1] = multiplied(x, &words);
        let [_, b, _, d] = words;
        // The upper half of the first product is where the third word is wanted.
        let (p0, p1) = (x.f._mm512_castsi512_ps(p0), x.f._mm512_castsi512_ps(p1));
        let products = x.f._mm512_castps_si512(x.f._mm512_mask_movehdup_ps(p0, self.even, p1));
        x.f._mm512_ternarylogic_epi32::<0x96>(products, x.pairs(b, d), self.both)
    }

    /// The upper halves of the draws of 8 blocks.
    #[inline(always)]
    fn upper_halves(&self, x: Features, words: Words) -> __m512i {
        let [p0, p1] = multiplied(x, &words);
        let [_, b, _, d] = words;
        let products = self.beside(x, p1, p0, self.of_product);
        let lowers = self.beside(x, b, d, self.of_lower);
        x.f._mm512_ternarylogic_epi32::<0x96>(products, lowers, self.uppers)
    }

    /// The bytes at those places of the qwords of both, half a qword of each.
    #[inline(always)]
    fn beside(&self, x: Features, first: __m512i, second: __m512i, places: __m512i) -> __m512i {
        let first = x.bw._mm512_shuffle_epi8(first, places);
        x.bw._mm512_mask_shuffle_epi8(first, self.second, second, places)
    }
}

/// For each byte of a register its place within 16 bytes, by what it is within a qword, if there is any.
const fn places(of_qword: [u8; 8]) -> __m512i {
    let mut places = [0; 64];
    let mut i = 0;
    while i < places.len() {
        // (To no place 8 makes no difference.)
        places[i] = of_qword[i % 8] | (i % 16 / 8 * 8) as u8;
        i += 1;
    }
    // SAFETY: any 64 bytes make a register.
    unsafe { mem::transmute::<[u8; 64], __m512i>(places) }
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
