//! Stochastic rounding of float32 and float64 by draws.

use super::bridge::{CUT, NEAREST, QUIETLY};
use super::shim::Vbmi;
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::shape::Grid;
use core::arch::x86_64::{__m256i, __m512, __m512d, __m512i};

/// Less than can exceed a draw: what is cut off is taken for that if it is nearer to zero, since some CPUs are slow with
/// subnormal numbers.
const SPECK: f32 = 1.0 / (1u64 << 40) as f32;

/// The one further from zero, without its sign, as the instruction `vrange` has it.
const LONGER: i32 = 0b1011;

/// Loops that round, with what they make before they begin.
macro_rules! by_draws {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$level:ident>)? by $token:ty, $each:ident:
            |$isa:ident, $grid:ident| $made:expr, |$steps:pat, $code:pat, $draw:ident| $step:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for every loop that rounds, see [`crate::shape`].
        pub(super) unsafe fn $name $(<$level: TopBits>)? (
            src: *const u8,
            dst: *mut u8,
            n: usize,
            draws: *const u32,
            $grid: &Grid,
        ) {
            // SAFETY: the caller's.
            unsafe {
                let $isa = <$token>::summon();
                $isa.vectorize_on_lines(
                    #[inline(always)]
                    move || {
                        let $steps = $made;
                        $each(
                            $isa.features(),
                            src,
                            dst,
                            n,
                            draws,
                            #[inline(always)]
                            |$code, $draw| $step,
                        );
                    },
                );
            }
        }
    )*};
}

by_draws! {
    /// Rounds float32s to a grid by a draw each, as [`crate::shape`] has it, which writes it out.
    round<L> by L, each_float:
        |isa, grid| Steps::new(isa.features(), grid), |steps, code, draw| steps.round(isa, code, draw);
    /// Rounds float64s in the same way.
    round64 by Avx512, each_double:
        |isa, grid| (isa.features(), Steps64::new(isa.features(), grid)),
        |(x, steps), [a, b], draw| {
            let [c, d] = x.halves(draw);
            [steps.round(x, a, c), steps.round(x, b, d)]
        };
    /// Rounds float32s to integers by a draw each.
    round_whole by Avx512, each_float:
        |isa, _grid| isa.features(), |x, code, draw| x.whole_by_draw(code, draw);
    /// Rounds float64s to integers by a draw each.
    round_whole64 by Avx512, each_double:
        |isa, _grid| isa.features(), |x, codes, draw| x.whole64_by_draw(codes, draw);
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

/// Writes what becomes of float64s and a draw each, 16 at a time, as [`each_float`] does.
///
/// # Safety
/// As for every loop that rounds.
#[inline(always)]
unsafe fn each_double(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    draws: *const u32,
    step: impl Fn([__m512i; 2], __m512i) -> [__m512i; 2],
) {
    let draws = draws.cast::<u8>();
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read and written that there is.
    unsafe {
        while n - i >= 16 {
            let (codes, draw) = (x.load_qwords(src.add(8 * i)), x.load_dwords(draws.add(4 * i)));
            x.store_qwords(dst.add(8 * i), step(codes, draw));
            i += 16;
        }
        if i < n {
            let codes = x.load_qwords_part(src.add(8 * i), n - i);
            let draw = x.load_dwords_part(draws.add(4 * i), n - i);
            x.store_qwords_part(dst.add(8 * i), step(codes, draw), n - i);
        }
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
    /// 2^-32 of the quantum, by a multiplication, which is exact, and a conversion that cuts it. (Subnormal numbers, with
    /// which some CPUs are slow, are taken for the smallest normal one, of which no more is left: it is less than 2^-32 of
    /// the quantum.) And how many bits would be cut of it does not matter.
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

        let normal = x.f._mm512_max_epi32(magnitude, x.dword(f32::MIN_POSITIVE.to_bits()));
        let number = x.f._mm512_castsi512_ps(normal);
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

/// A grid, in registers: see [`Steps`].
struct Steps64 {
    fewest: __m512i,
    at_zero: __m512i,
    quantum: __m512i,
    scale: __m512d,
}

impl Steps64 {
    /// For a grid whose quantum is no less than float32's smallest number.
    #[inline(always)]
    fn new(x: Features, grid: &Grid) -> Self {
        const ONE: u64 = 1023;
        let scale = (2 * ONE + 32 - (grid.quantum >> 52)) << 52;
        Self {
            fewest: x.qword(grid.cut.into()),
            at_zero: x.qword(u64::from(grid.cut) + grid.least),
            quantum: x.qword(grid.quantum),
            scale: x.f._mm512_set1_pd(f64::from_bits(scale)),
        }
    }

    /// As [`Steps::round`].
    #[inline(always)]
    fn round(&self, x: Features, code: __m512i, draw: __m256i) -> __m512i {
        const INFINITY: u64 = 0x7ff << 52;
        let draw = x.f._mm512_cvtepu32_epi64(draw);
        let (sign, ones) = (x.qword(1 << 63), x.qword(u64::MAX));
        let magnitude = x.f._mm512_andnot_si512(sign, code);
        let field = x.f._mm512_srli_epi64::<52>(magnitude);
        let cut = x.f._mm512_max_epi64(x.f._mm512_sub_epi64(self.at_zero, field), self.fewest);
        // The draw's complement in the upper half, and zeros below; its top bits.
        let addend = x.f._mm512_slli_epi64::<32>(x.f._mm512_xor_si512(draw, ones));
        let addend = x.f._mm512_srlv_epi64(addend, x.f._mm512_sub_epi64(x.qword(64), cut));
        let sum = x.f._mm512_add_epi64(magnitude, addend);
        let kept = x.f._mm512_sllv_epi64(ones, cut);
        let tiny = x.f._mm512_cmplt_epi64_mask(magnitude, self.quantum);
        let rounded = x.f._mm512_maskz_and_epi64(!tiny, sum, kept);

        let normal = x.f._mm512_max_epi64(magnitude, x.qword(f64::MIN_POSITIVE.to_bits()));
        let number = x.f._mm512_castsi512_pd(normal);
        let rest = x.f._mm512_mul_round_pd::<NEAREST>(number, self.scale);
        let rest = x.dq._mm512_cvtt_roundpd_epu64::<QUIETLY>(rest);
        let up = x.f._mm512_mask_cmplt_epu64_mask(tiny, draw, rest);
        let rounded = x.f._mm512_mask_mov_epi64(rounded, up, self.quantum);

        let rounded = x.f._mm512_min_epi64(rounded, x.qword(INFINITY - 1));
        let finite = x.f._mm512_cmplt_epi64_mask(magnitude, x.qword(INFINITY));
        // rounded OR (code AND the sign), or the code.
        x.f._mm512_mask_ternarylogic_epi64::<0xec>(code, finite, rounded, sign)
    }
}

impl Features {
    /// Float32s cut to integers, and one further away from zero where what is cut off exceeds the draw. What is cut off is
    /// exact, and so it is in units of 2^-32, of which a conversion leaves the whole ones. (Infinities less themselves are
    /// no number, for which `vrange` gives the speck, so that nothing is added.)
    #[inline(always)]
    fn whole_by_draw(self, code: __m512i, draw: __m512i) -> __m512i {
        let number = self.f._mm512_castsi512_ps(code);
        let cut = self.f._mm512_roundscale_ps::<CUT>(number);
        let rest = self.f._mm512_sub_round_ps::<NEAREST>(number, cut);
        let speck = self.f._mm512_set1_ps(SPECK);
        let rest = self.dq._mm512_range_round_ps::<LONGER, QUIETLY>(rest, speck);
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
        let cut = self.f._mm512_roundscale_pd::<CUT>(number);
        let rest = self.f._mm512_sub_round_pd::<NEAREST>(number, cut);
        let speck = self.f._mm512_set1_pd(SPECK.into());
        let rest = self.dq._mm512_range_round_pd::<LONGER, QUIETLY>(rest, speck);
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
}
