//! The loops for other options that AVX-512 does better than portable code: its conversions and its
//! arithmetic round in any direction that the instruction names.

use super::bridge::{CUT, DOWN, NEAREST, QUIETLY, UP};
use super::clamps::clamps;
use super::draws::{round, round_whole, round_whole64, round64};
use super::generator::draw;
use super::lanes::both;
use super::marked::{map_marked, marked_halves};
use super::shim::Vbmi;
use super::stores::stores;
use super::tables::{ByteMap, LookUp, map_bytes};
use super::{
    Avx512, Features, from_integers, longer, moved, narrow, overflows, powers, sixty_fours,
    to_small,
};
use super::{drawn, drawn_floats, drawn_stores};
use crate::codec::Isa;
use crate::philox::{AllDraws, EvenDraws};
use crate::shape::{ByDraws, Grid, Map, Mode, Shapes};
use core::arch::x86_64::*;

/// The same with VBMI.
pub(super) const fn shapes_vbmi() -> Shapes {
    let mut shapes = shapes();
    shapes.look_up = look_up::<Vbmi>;
    shapes.marked_halves = Some(marked_halves::<Vbmi>);
    shapes.look_up_marked = Some(map_marked::<Vbmi>);
    shapes.look_up_longer = Some(longer::LOOPS);
    shapes.by_draws = Some(ByDraws::of::<Avx512>(drawn::loops::<Vbmi>));
    shapes.stores = narrow::stores(from_integers::stores(shapes.stores));
    shapes.stores = powers::stores_vbmi(moved::stores(shapes.stores));
    shapes.stores = to_small::stores(overflows::stores_vbmi(shapes.stores));
    shapes.stores_clamp = 8;
    shapes.overflows_clamp = 7;
    shapes.rounds.floats32[Mode::Stochastic as usize] = round::<Vbmi>;
    shapes
}

/// Bytes by a table of 256.
///
/// # Safety
/// The pointers are valid for `n` bytes, and don't overlap. The CPU has the token's instruction set.
unsafe fn look_up<L: LookUp + Isa>(map: &Map, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe { map_bytes::<L>(&ByteMap::of_any(*map.table()), src, dst, n) }
}

/// The portable loops, and in place of some of them those below.
pub(super) const fn shapes() -> Shapes {
    let mut shapes = Shapes::of::<Avx512, 8>();
    shapes.draw = draw::<AllDraws>;
    shapes.draw_even = draw::<EvenDraws>;
    shapes.by_draws = Some(ByDraws::of::<Avx512>(drawn::loops::<Avx512>));
    shapes.encodes_drawn = Some(drawn_floats::loops);
    shapes.stores_drawn = drawn_stores::stores_drawn;
    shapes.look_up = look_up::<Avx512>;
    shapes.rounds_codes = 8;
    shapes.converts_longs = true;
    shapes.marked_halves = Some(marked_halves::<Avx512>);
    shapes.stores = powers::stores(overflows::stores(stores(shapes.stores)));
    shapes.stores = sixty_fours::stores(shapes.stores);
    shapes.clamps = clamps(shapes.clamps);
    shapes.imaginary = shapes.imaginary.with_any::<Avx512>();

    let to = &mut shapes.conversions;
    let [.., away, _] = to.float64_to_32;
    to.float64_to_32 = [doubles::<CUT>, doubles::<UP>, doubles::<DOWN>, away, odd_doubles];
    let [.., away, _] = to.int32_to_32;
    to.int32_to_32 = [ints::<CUT>, ints::<UP>, ints::<DOWN>, away, odd_ints];
    // (Of numbers without a sign, down is toward zero.)
    let [.., away, _] = to.uint32_to_32;
    to.uint32_to_32 = [uints::<CUT>, uints::<UP>, uints::<CUT>, away, odd_uints];
    let [.., away, _] = to.int64_to_32;
    to.int64_to_32 = [longs::<CUT>, longs::<UP>, longs::<DOWN>, away, odd_longs];
    let [.., away, _] = to.uint64_to_32;
    to.uint64_to_32 = [ulongs::<CUT>, ulongs::<UP>, ulongs::<CUT>, away, odd_ulongs];
    let [.., odd] = to.int64_to_64;
    let [cut, up, down] = [wide_longs::<CUT>, wide_longs::<UP>, wide_longs::<DOWN>];
    to.int64_to_64 = [cut, up, down, near_wide_longs, odd];
    let [.., odd] = to.uint64_to_64;
    let [cut, up, down] = [wide_ulongs::<CUT>, wide_ulongs::<UP>, wide_ulongs::<CUT>];
    to.uint64_to_64 = [cut, up, down, near_wide_ulongs, odd];

    shapes.rounds.floats32[Mode::Stochastic as usize] = round::<Avx512>;
    shapes.rounds.floats64[Mode::Stochastic as usize] = round64;
    let whole = &mut shapes.rounds.whole32;
    whole[Mode::Stochastic as usize] = round_whole;
    whole[Mode::Up as usize] = whole32::<UP>;
    whole[Mode::Down as usize] = whole32::<DOWN>;
    whole[Mode::NearestEven as usize] = whole32::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away32;
    let whole = &mut shapes.rounds.whole64;
    whole[Mode::Stochastic as usize] = round_whole64;
    whole[Mode::Up as usize] = whole64::<UP>;
    whole[Mode::Down as usize] = whole64::<DOWN>;
    whole[Mode::NearestEven as usize] = whole64::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away64;
    shapes
}

/// Loops over 16 elements of dwords or qwords.
macro_rules! loops {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$round:ident>)? ($($extra:ty),*) = $load:ident $load_part:ident $from:literal
            -> $store:ident $store_part:ident $to:literal, |$x:ident, $v:ident| $result:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The pointers are valid for reading and writing `n` elements, and don't overlap. The CPU
        /// has AVX-512.
        pub(super) unsafe fn $name $(<const $round: i32>)? (src: *const u8, dst: *mut u8, n: usize $(, _: $extra)*) {
            // SAFETY: the caller's; of the last registers that part is read and written that the
            // buffers have.
            unsafe {
                let isa = Avx512::summon();
                let Avx512($x) = isa;
                isa.vectorize_on_lines(
                    #[inline(always)]
                    move || {
                        let mut i = 0;
                        while n - i >= 64 {
                            for quarter in 0..4 {
                                let at = i + 16 * quarter;
                                let $v = $x.$load(src.add($from * at));
                                $x.$store(dst.add($to * at), $result);
                            }
                            i += 64;
                        }
                        while n - i >= 16 {
                            let $v = $x.$load(src.add($from * i));
                            $x.$store(dst.add($to * i), $result);
                            i += 16;
                        }
                        if i < n {
                            let $v = $x.$load_part(src.add($from * i), n - i);
                            $x.$store_part(dst.add($to * i), $result, n - i);
                        }
                    },
                );
            }
        }
    )*};
}

loops! {
    /// Float64 to float32.
    doubles<ROUND>() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.floats_of_doubles::<ROUND>(v);
    /// The same to odd.
    odd_doubles() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.odd_floats_of_doubles(v);
    /// Int32 to float32.
    ints<ROUND>() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.f._mm512_cvt_roundepi32_ps::<ROUND>(v));
    /// The same to odd.
    odd_ints() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| x.odd(
            x.f._mm512_cvt_roundepi32_ps::<CUT>(v),
            x.f._mm512_cvt_roundepi32_ps::<UP>(v),
            x.f._mm512_cvt_roundepi32_ps::<DOWN>(v),
        );
    /// Uint32 to float32.
    uints<ROUND>() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.f._mm512_cvt_roundepu32_ps::<ROUND>(v));
    /// The same to odd.
    odd_uints() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| {
            let (down, up) = (
                x.f._mm512_cvt_roundepu32_ps::<CUT>(v),
                x.f._mm512_cvt_roundepu32_ps::<UP>(v),
            );
            x.odd(down, up, up)
        };
    /// Int64 to float32.
    longs<ROUND>() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.floats_of_longs::<ROUND>(v));
    /// The same to odd.
    odd_longs() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.odd(
            x.floats_of_longs::<CUT>(v),
            x.floats_of_longs::<UP>(v),
            x.floats_of_longs::<DOWN>(v),
        );
    /// Uint64 to float32.
    ulongs<ROUND>() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.floats_of_ulongs::<ROUND>(v));
    /// The same to odd.
    odd_ulongs() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| {
            let up = x.floats_of_ulongs::<UP>(v);
            x.odd(x.floats_of_ulongs::<CUT>(v), up, up)
        };
    /// Int64 to float64.
    wide_longs<ROUND>() = load_qwords load_qwords_part 8 -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.f._mm512_castpd_si512(x.dq._mm512_cvt_roundepi64_pd::<ROUND>(v))
        );
    /// Uint64 to float64.
    wide_ulongs<ROUND>() = load_qwords load_qwords_part 8 -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.f._mm512_castpd_si512(x.dq._mm512_cvt_roundepu64_pd::<ROUND>(v))
        );
    /// Int64 to float64, to the nearest, ties away from zero.
    near_wide_longs() = load_qwords load_qwords_part 8 -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| {
            let floats = x.near_doubles_of_sizes(x.f._mm512_abs_epi64(v));
            // floats OR (v AND the sign)
            x.f._mm512_ternarylogic_epi64::<0xf8>(floats, v, x.qword(1 << 63))
        });
    /// The same of uint64.
    near_wide_ulongs() = load_qwords load_qwords_part 8 -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.near_doubles_of_sizes(v));
    /// Float32 to integers.
    whole32<ROUND>(*const u32, &Grid) = load_dwords load_dwords_part 4
        -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(
            x.f._mm512_roundscale_ps::<ROUND>(x.f._mm512_castsi512_ps(v))
        );
    /// Float64 to integers.
    whole64<ROUND>(*const u32, &Grid) = load_qwords load_qwords_part 8
        -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.f._mm512_castpd_si512(
                x.f._mm512_roundscale_pd::<ROUND>(x.f._mm512_castsi512_pd(v))
            )
        );
    /// Float32 to the nearest integers, ties away from zero.
    nearest_away32(*const u32, &Grid) = load_dwords load_dwords_part 4
        -> store_dwords store_dwords_part 4,
        |x, v| {
            let sum = x.half_further(x.f._mm512_castsi512_ps(v));
            x.f._mm512_castps_si512(x.f._mm512_roundscale_ps::<CUT>(sum))
        };
    /// Float64 in the same way.
    nearest_away64(*const u32, &Grid) = load_qwords load_qwords_part 8
        -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.whole_doubles::<{ Mode::NearestAway as u8 }>(v));
    /// Float32 to float16.
    halves<ROUND>(bool) = load_dwords load_dwords_part 4 -> store_words store_words_part 2,
        |x, v| x.float16s::<ROUND>(x.f._mm512_castsi512_ps(v));
    /// Float32 to float16, to nearest with ties away from zero.
    near_halves(bool) = load_dwords load_dwords_part 4 -> store_words store_words_part 2,
        |x, v| x.near_half(x.f._mm512_castsi512_ps(v));
    /// Float16 to uint16.
    words_of_halves<ROUND>(bool) = load_words load_words_part 2 -> store_words store_words_part 2,
        |x, v| x.words(x.f._mm512_cvt_roundps_epu32::<ROUND>(x.positive(x.floats_of_halves(v))));
    /// Float16 to uint16, to the nearest, ties away from zero.
    near_words_of_halves(bool) = load_words load_words_part 2 -> store_words store_words_part 2,
        |x, v| {
            let sum = x.half_further(x.positive(x.floats_of_halves(v)));
            x.words(x.f._mm512_cvt_roundps_epu32::<CUT>(sum))
        };
    /// Float32 to bfloat16.
    brains<MODE>(bool) = load_dwords load_dwords_part 4 -> store_words store_words_part 2,
        |x, v| {
            if MODE == Mode::Up as i32 {
                x.brain_of::<{ Mode::Up as u8 }>(v)
            } else if MODE == Mode::Down as i32 {
                x.brain_of::<{ Mode::Down as u8 }>(v)
            } else if MODE == Mode::NearestAway as i32 {
                x.brain_of::<{ Mode::NearestAway as u8 }>(v)
            } else {
                x.brain_of::<{ Mode::TowardZero as u8 }>(v)
            }
        };
}

impl Features {
    #[inline(always)]
    pub(super) fn floats_of_halves(self, v: __m256i) -> __m512 {
        self.f._mm512_cvt_roundph_ps::<QUIETLY>(v)
    }

    /// Unsigned integers, clamped to words.
    #[inline(always)]
    fn words(self, v: __m512i) -> __m256i {
        self.f._mm512_cvtusepi32_epi16(v)
    }

    /// Float64s rounded to integers by a mode.
    #[inline(always)]
    pub(super) fn whole_doubles<const MODE: u8>(self, v: __m512i) -> __m512i {
        const { assert!(MODE != Mode::TowardZero as u8 && MODE != Mode::Stochastic as u8) };
        let number = self.f._mm512_castsi512_pd(v);
        let whole = if MODE == Mode::Up as u8 {
            self.f._mm512_roundscale_pd::<UP>(number)
        } else if MODE == Mode::Down as u8 {
            self.f._mm512_roundscale_pd::<DOWN>(number)
        } else if MODE == Mode::NearestEven as u8 {
            self.f._mm512_roundscale_pd::<NEAREST>(number)
        } else {
            self.f._mm512_roundscale_pd::<CUT>(self.half_further_doubles(v))
        };
        self.f._mm512_castpd_si512(whole)
    }

    /// Float64s that are cut to what they are rounded to by a mode.
    #[inline(always)]
    pub(super) fn cut_to_whole<const MODE: u8>(self, v: __m512i) -> __m512i {
        if MODE == Mode::NearestAway as u8 {
            return self.f._mm512_castpd_si512(self.half_further_doubles(v));
        }
        self.whole_doubles::<MODE>(v)
    }

    /// As [`half_further`](Self::half_further), of float64s.
    #[inline(always)]
    fn half_further_doubles(self, v: __m512i) -> __m512d {
        // The largest number below a half, with the sign: what is less than a half does not come to one.
        let half = self.f._mm512_ternarylogic_epi64::<0xf8>(
            self.qword(0.5f64.to_bits() - 1),
            v,
            self.qword(1 << 63),
        );
        let (number, half) = (self.f._mm512_castsi512_pd(v), self.f._mm512_castsi512_pd(half));
        self.f._mm512_add_round_pd::<NEAREST>(number, half)
    }

    #[inline(always)]
    fn floats_of_doubles<const ROUND: i32>(self, [a, b]: [__m512i; 2]) -> __m512i {
        let a = self.f._mm512_cvt_roundpd_ps::<ROUND>(self.f._mm512_castsi512_pd(a));
        let b = self.f._mm512_cvt_roundpd_ps::<ROUND>(self.f._mm512_castsi512_pd(b));
        self.join(self.bits_of(a), self.bits_of(b))
    }

    /// Cut off toward zero, and made odd where the float64 is another number.
    #[inline(always)]
    fn odd_floats_of_doubles(self, [a, b]: [__m512i; 2]) -> __m512i {
        let (a, b) = (self.f._mm512_castsi512_pd(a), self.f._mm512_castsi512_pd(b));
        let low = self.f._mm512_cvt_roundpd_ps::<CUT>(a);
        let high = self.f._mm512_cvt_roundpd_ps::<CUT>(b);
        let rest_low = self.f._mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(a, self.f._mm512_cvtps_pd(low));
        let rest_high = self.f._mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(b, self.f._mm512_cvtps_pd(high));
        let rest = u16::from(rest_low) | u16::from(rest_high) << 8;
        let v = self.join(self.bits_of(low), self.bits_of(high));
        self.f._mm512_mask_or_epi32(v, rest, v, self.dword(1))
    }

    #[inline(always)]
    fn floats_of_longs<const ROUND: i32>(self, [a, b]: [__m512i; 2]) -> __m512 {
        let a = self.dq._mm512_cvt_roundepi64_ps::<ROUND>(a);
        let b = self.dq._mm512_cvt_roundepi64_ps::<ROUND>(b);
        self.f._mm512_castsi512_ps(self.join(self.bits_of(a), self.bits_of(b)))
    }

    #[inline(always)]
    fn floats_of_ulongs<const ROUND: i32>(self, [a, b]: [__m512i; 2]) -> __m512 {
        let a = self.dq._mm512_cvt_roundepu64_ps::<ROUND>(a);
        let b = self.dq._mm512_cvt_roundepu64_ps::<ROUND>(b);
        self.f._mm512_castsi512_ps(self.join(self.bits_of(a), self.bits_of(b)))
    }

    #[inline(always)]
    fn bits_of(self, v: __m256) -> __m256i {
        self.avx._mm256_castps_si256(v)
    }

    /// What is rounded toward zero, made odd if any of two others has an odd last bit: of neighbours,
    /// one has, and if all three are the same number, it stays as it is.
    #[inline(always)]
    fn odd(self, cut: __m512, one: __m512, other: __m512) -> __m512i {
        let (cut, one, other) = (
            self.f._mm512_castps_si512(cut),
            self.f._mm512_castps_si512(one),
            self.f._mm512_castps_si512(other),
        );
        // the last bit AND (one OR other)
        let rest = self.f._mm512_ternarylogic_epi32::<0xe0>(self.dword(1), one, other);
        self.f._mm512_or_si512(cut, rest)
    }
}
