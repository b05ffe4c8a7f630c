//! The draws of stochastic rounding, and the rounding of float32 by them, and of float64 to integers.

use super::bridge::QUIETLY;
use super::eights::NEAREST;
use super::shapes::TO_ZERO;
use super::shim::Vbmi;
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::philox::{self, AllDraws, Drawn, EvenDraws};
use crate::shape::Grid;
use core::arch::x86_64::{__m256i, __m512, __m512d, __m512i};
use core::array;
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
    unsafe {
        let isa = L::summon();
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                let steps = Steps::new(isa.features(), grid);
                each_float(
                    isa.features(),
                    src,
                    dst,
                    n,
                    draws,
                    #[inline(always)]
                    |code, draw| steps.round(isa, code, draw),
                );
            },
        );
    }
}

/// Rounds float32s to integers by a draw each.
///
/// # Safety
/// As for every loop that rounds.
pub(super) unsafe fn round_whole(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    draws: *const u32,
    _: &Grid,
) {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx512::summon();
        let Avx512(x) = isa;
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                each_float(
                    x,
                    src,
                    dst,
                    n,
                    draws,
                    #[inline(always)]
                    |code, draw| x.whole_by_draw(code, draw),
                );
            },
        );
    }
}

/// Writes what becomes of float32s and a draw each, 16 at a time: in a function that is compiled for the instruction set.
///
/// # Safety
/// As for every loop that rounds.
#[inline(always)]
unsafe fn each_float(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    draws: *const u32,
    step: impl Fn(__m512i, __m512i) -> __m512i,
) {
    let draws = draws.cast::<u8>();
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read and written that there is.
    unsafe {
        while n - i >= 16 {
            let (code, draw) = (x.load_dwords(src.add(4 * i)), x.load_dwords(draws.add(4 * i)));
            x.store_dwords(dst.add(4 * i), step(code, draw));
            i += 16;
        }
        if i < n {
            let code = x.load_dwords_part(src.add(4 * i), n - i);
            let draw = x.load_dwords_part(draws.add(4 * i), n - i);
            x.store_dwords_part(dst.add(4 * i), step(code, draw), n - i);
        }
    }
}

/// Rounds float64s to integers by a draw each.
///
/// # Safety
/// As for every loop that rounds.
pub(super) unsafe fn round_whole64(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    draws: *const u32,
    _: &Grid,
) {
    let draws = draws.cast::<u8>();
    // SAFETY: the caller's; of the last registers that part is read and written that there is.
    unsafe {
        let isa = Avx512::summon();
        let Avx512(x) = isa;
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                let mut i = 0;
                while n - i >= 16 {
                    let (v, draw) =
                        (x.load_qwords(src.add(8 * i)), x.load_dwords(draws.add(4 * i)));
                    x.store_qwords(dst.add(8 * i), x.whole64_by_draw(v, draw));
                    i += 16;
                }
                if i < n {
                    let v = x.load_qwords_part(src.add(8 * i), n - i);
                    let draw = x.load_dwords_part(draws.add(4 * i), n - i);
                    x.store_qwords_part(dst.add(8 * i), x.whole64_by_draw(v, draw), n - i);
                }
            },
        );
    }
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
    /// The fewest bits that are cut, and how many would be of a number of exponent field 0.
    fewest: __m512i,
    at_zero: __m512i,
    quantum: __m512i,
    /// 2^32, over the quantum.
    scale: __m512,
}

impl Steps {
    /// For a grid whose quantum is no subnormal number, and no less than 2^-64.
    #[inline(always)]
    fn new(x: Features, grid: &Grid) -> Self {
        const ONE: u32 = 127;
        let quantum = grid.quantum as u32;
        let scale = (2 * ONE + 32).wrapping_sub(quantum >> 23) << 23;
        Self {
            fewest: x.dword(grid.cut),
            at_zero: x.dword(grid.cut + grid.least as u32),
            quantum: x.dword(quantum),
            scale: x.f._mm512_set1_ps(f32::from_bits(scale)),
        }
    }

    /// The portable loop's steps, with two differences. What is less than the quantum comes to its rest, in units of
    /// 2^-32 of the quantum, by a multiplication, which is exact, and a conversion that cuts it. (A subnormal number may
    /// be taken for zero, of which no more is left.) And how many bits would be cut of it does not matter.
    #[inline(always)]
    fn round<L: TopBits>(&self, isa: L, code: __m512i, draw: __m512i) -> __m512i {
        const INFINITY: u32 = 0xff << 23;
        let x = isa.features();
        let sign = x.dword(1 << 31);
        let magnitude = x.f._mm512_andnot_si512(sign, code);
        let field = x.f._mm512_srli_epi32::<23>(magnitude);
        let cut = x.f._mm512_max_epi32(x.f._mm512_sub_epi32(self.at_zero, field), self.fewest);
        let addend = isa.top_bits(x.f._mm512_xor_si512(draw, x.dword(u32::MAX)), cut);
        let sum = x.f._mm512_add_epi32(magnitude, addend);
        let kept = x.f._mm512_sllv_epi32(x.dword(u32::MAX), cut);
        let tiny = x.f._mm512_cmplt_epi32_mask(magnitude, self.quantum);
        let rounded = x.f._mm512_maskz_and_epi32(!tiny, sum, kept);

        let number = x.f._mm512_castsi512_ps(magnitude);
        let rest = x.f._mm512_mul_round_ps::<NEAREST>(number, self.scale);
        let rest = x.f._mm512_cvtt_roundps_epu32::<QUIETLY>(rest);
        let up = x.f._mm512_mask_cmplt_epu32_mask(tiny, draw, rest);
        let rounded = x.f._mm512_mask_mov_epi32(rounded, up, self.quantum);

        let rounded = x.f._mm512_min_epi32(rounded, x.dword(INFINITY - 1));
        let finite = x.f._mm512_cmplt_epi32_mask(magnitude, x.dword(INFINITY));
        // rounded OR (code AND the sign), or the code.
        x.f._mm512_mask_ternarylogic_epi32::<0xec>(code, finite, rounded, sign)
    }
}

impl Features {
    /// Float32s cut to integers, and one further away from zero where what is cut off exceeds the draw. What is cut off is
    /// exact, and so it is in units of 2^-32, of which a conversion leaves the whole ones. (Infinities less themselves are
    /// no number, but stay infinities whatever is added. A subnormal number may be taken for zero, of which no more is
    /// left.)
    #[inline(always)]
    fn whole_by_draw(self, code: __m512i, draw: __m512i) -> __m512i {
        let number = self.f._mm512_castsi512_ps(code);
        let cut = self.f._mm512_roundscale_ps::<TO_ZERO>(number);
        let rest = self.f._mm512_abs_ps(self.f._mm512_sub_round_ps::<NEAREST>(number, cut));
        let unit = self.f._mm512_set1_ps(4_294_967_296.0);
        let rest = self.f._mm512_mul_round_ps::<NEAREST>(rest, unit);
        let rest = self.f._mm512_cvtt_roundps_epu32::<QUIETLY>(rest);
        let further = self.f._mm512_cmplt_epu32_mask(draw, rest);
        // 1.0 OR (code AND the sign)
        let (one, sign) = (self.dword(1f32.to_bits()), self.dword(1 << 31));
        let one = self.f._mm512_ternarylogic_epi32::<0xf8>(one, code, sign);
        let one = self.f._mm512_castsi512_ps(one);
        let rounded = self.f._mm512_mask_add_round_ps::<NEAREST>(cut, further, cut, one);
        self.f._mm512_castps_si512(rounded)
    }

    /// The same of float64s.
    #[inline(always)]
    fn whole64_by_draw(self, [a, b]: [__m512i; 2], draw: __m512i) -> [__m512i; 2] {
        let (low, high) = (self.cut_and_rest(a), self.cut_and_rest(b));
        let further = self.f._mm512_cmplt_epu32_mask(draw, self.join(low.1, high.1));
        [
            self.one_further(a, low.0, further as u8),
            self.one_further(b, high.0, (further >> 8) as u8),
        ]
    }

    /// Float64s cut to integers, and what is cut off, in units of 2^-32.
    #[inline(always)]
    fn cut_and_rest(self, code: __m512i) -> (__m512d, __m256i) {
        let number = self.f._mm512_castsi512_pd(code);
        let cut = self.f._mm512_roundscale_pd::<TO_ZERO>(number);
        let rest = self.f._mm512_abs_pd(self.f._mm512_sub_round_pd::<NEAREST>(number, cut));
        let unit = self.f._mm512_set1_pd(4_294_967_296.0);
        let rest = self.f._mm512_mul_round_pd::<NEAREST>(rest, unit);
        (cut, self.f._mm512_cvtt_roundpd_epu32::<QUIETLY>(rest))
    }

    /// What was cut, one further away from zero in some lanes, with the sign of the code.
    #[inline(always)]
    fn one_further(self, code: __m512i, cut: __m512d, further: u8) -> __m512i {
        let (one, sign) = (self.qword(1f64.to_bits()), self.qword(1 << 63));
        let one = self.f._mm512_ternarylogic_epi64::<0xf8>(one, code, sign);
        let one = self.f._mm512_castsi512_pd(one);
        self.f
            ._mm512_castpd_si512(self.f._mm512_mask_add_round_pd::<NEAREST>(cut, further, cut, one))
    }

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
        let mut sets = array::from_fn::<_, SETS, _>(
            #[inline(always)]
            |i| self.first_rounds(x, low + 8 * i as u32, high, D::LANES),
        );
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
