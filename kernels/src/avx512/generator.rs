//! The draws of stochastic rounding: Philox4x32-10, 8 blocks in a register.

use super::{Avx512, Features};
use crate::codec::{Isa, unknown};
use crate::philox::{self, AllDraws, Drawn, EvenDraws};
use core::arch::x86_64::{__m512i, __mmask64};
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
    /// Those from the third round on, in all lanes.
    later: [[__m512i; 2]; philox::ROUNDS - 2],
    beside: Beside,
}

impl Keys {
    #[inline(always)]
    pub(super) fn new(x: Features, seed: u64) -> Self {
        let first = [seed as u32, (seed >> 32) as u32];
        let mut key = philox::next_key(first);
        let mut later = [[x.f._mm512_setzero_si512(); 2]; philox::ROUNDS - 2];
        for words in &mut later {
            key = philox::next_key(key);
            *words = [x.qword(key[0].into()), x.qword(key[1].into())];
        }
        Self { seed, first, later, beside: Beside::new() }
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
                    D::store(x, set, blocks);
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
                    *tops = self.beside.upper_halves(x, words);
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
                    *draws = in_order(x, words);
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

    /// The words of `8 * SETS` blocks from one on, whose first products are more than that of the first by such numbers; None
    /// where the upper halves of their own numbers differ.
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
    const LANES: [u64; 8];

    /// Writes those of 8 blocks.
    fn store(x: Features, words: Words, blocks: &mut [MaybeUninit<Self>; 8]);
}

impl InOrder for AllDraws {
    /// The first four are in the even lanes.
    const LANES: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

    #[inline(always)]
    fn store(x: Features, words: Words, blocks: &mut [MaybeUninit<Self>; 8]) {
        // SAFETY: 8 blocks are two registers.
        unsafe { x.store_qwords(blocks.as_mut_ptr().cast(), in_order(x, words)) };
    }
}

impl InOrder for EvenDraws {
    const LANES: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn store(x: Features, [a, _, c, _]: Words, blocks: &mut [MaybeUninit<Self>; 8]) {
        // SAFETY: two draws of 8 blocks are one register.
        unsafe { x.store_dwords(blocks.as_mut_ptr().cast(), x.pairs(a, c)) };
    }
}

/// The draws of 8 blocks, which are in [such](InOrder::LANES) lanes.
#[inline(always)]
fn in_order(x: Features, [a, b, c, d]: Words) -> [__m512i; 2] {
    let (ab, cd) = (x.pairs(a, b), x.pairs(c, d));
    [x.f._mm512_unpacklo_epi64(ab, cd), x.f._mm512_unpackhi_epi64(ab, cd)]
}

/// What brings the upper halves of draws beside each other.
///
/// The compiler is not to know any of it: it would see that words are moved, and take permutations of two registers for that,
/// or three operations for one.
struct Beside {
    /// For each word the second one of its qword.
    second: __m512i,
    /// The first, third and fourth word of each qword, as bytes.
    places: [__mmask64; 3],
}

impl Beside {
    #[inline(always)]
    fn new() -> Self {
        const SECOND: __m512i = seconds();
        const FIRST: u64 = 0x0303_0303_0303_0303;
        Self {
            second: unknown(&SECOND),
            places: [unknown(&FIRST), unknown(&(FIRST << 4)), unknown(&(FIRST << 6))],
        }
    }

    /// The upper halves of the draws of 8 blocks.
    #[inline(always)]
    fn upper_halves(&self, x: Features, [a, b, c, d]: Words) -> __m512i {
        // The second one is where it is wanted; the others come beside it.
        let [first, third, fourth] = self.places;
        let draws = x.bw._mm512_mask_shuffle_epi8(b, first, a, self.second);
        let draws = x.bw._mm512_mask_shuffle_epi8(draws, third, c, self.second);
        x.bw._mm512_mask_shuffle_epi8(draws, fourth, d, self.second)
    }
}

/// For each byte of a register its place in the second word of the qword, within 16 bytes.
const fn seconds() -> __m512i {
    let mut places = [0; 64];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i % 16 / 8 * 8 + 2 + i % 2) as u8;
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
