//! Casts by a mode in one loop, see [`crate::shape`].

use super::bridge::{CUT, DOWN, NEAREST, Odd, UP};
use super::decode::{F32, F64, I32, I64, Narrow, U32, U64, Unquiet};
use super::halves::brains_of_float16s;
use super::lanes::{both, each};
use super::shapes::{brains, halves, near_halves, near_words_of_halves, words_of_halves};
use super::small::Small;
use super::ties::NearFloats;
use super::{Avx512, Features};
use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::shape::{
    BIT, BIT_64, Mode, Stores, TINY, all_stores, all_wraps, is_zero_past_ints, x86_stores,
};
use core::arch::x86_64::*;

/// For `fixupimm`: of the classes of numbers, quiet and signalling NaNs are replaced by themselves,
/// quieted.
const NAN_TO_QUIET: u32 = 0x22;

/// The same: infinities and NaNs are replaced by +0.
const UNBOUNDED_TO_ZERO: u32 = 0x0088_0088;

/// For `range`: of two numbers the one further from zero, with the sign of the first.
const FURTHER: i32 = 0b11;

pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = stores
        .with(DType::Float32, DType::Float16, Mode::TowardZero, halves::<_MM_FROUND_TO_ZERO>)
        .with(DType::Float32, DType::Float16, Mode::Up, halves::<_MM_FROUND_TO_POS_INF>)
        .with(DType::Float32, DType::Float16, Mode::Down, halves::<_MM_FROUND_TO_NEG_INF>)
        .with(DType::Float32, DType::Float16, Mode::NearestAway, near_halves)
        .with(
            DType::Float32,
            DType::BFloat16,
            Mode::TowardZero,
            brains::<{ Mode::TowardZero as i32 }>,
        )
        .with(DType::Float32, DType::BFloat16, Mode::Up, brains::<{ Mode::Up as i32 }>)
        .with(DType::Float32, DType::BFloat16, Mode::Down, brains::<{ Mode::Down as i32 }>)
        .with(
            DType::Float32,
            DType::BFloat16,
            Mode::NearestAway,
            brains::<{ Mode::NearestAway as i32 }>,
        );
    let stores = all_stores! {
        stores: Float32 Float16 BFloat16 => [
            Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64
            Int1 Int2 Int4 UInt1 UInt2 UInt4
        ] by integers [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float64 => [Int32 Int64 UInt32 UInt64]
            by integers_of_doubles [Up Down NearestEven NearestAway]
    };
    let stores = stores
        .with(DType::Float16, DType::UInt16, Mode::Up, words_of_halves::<UP>)
        .with(DType::Float16, DType::UInt16, Mode::NearestEven, words_of_halves::<NEAREST>)
        .with(DType::Float16, DType::UInt16, Mode::NearestAway, near_words_of_halves);
    let stores = all_stores! {
        stores: Int16 => [BFloat16] by brains_of [TowardZero Up Down NearestAway]
    };
    // (Of numbers without a sign, down is toward zero.)
    let stores =
        all_stores! { stores: UInt16 => [BFloat16] by brains_of [TowardZero Up NearestAway] };
    let stores = all_stores! { stores: Float16 => [BFloat16] by brains_of [NearestAway] };
    let stores = all_stores! {
        stores: Float16 => [BFloat16] by brains_of_float16s [TowardZero Up Down]
    };
    let stores = all_stores! {
        stores: BFloat16 Int16 => [Float16] by halves_of [TowardZero Up Down NearestAway]
    };
    let stores =
        all_stores! { stores: UInt16 => [Float16] by halves_of [TowardZero Up NearestAway] };
    let stores = all_stores! {
        stores: Float64 Int32 Int64 UInt32 UInt64 => [Float16] by odd_halves [NearestAway]
    };
    let stores = all_stores! {
        stores: Float64 Int32 Int64 UInt32 UInt64 => [Float32] by near_floats [NearestAway]
    };
    let stores = x86_stores! { stores: small low_bits };
    all_wraps! { stores: Float32 Float16 BFloat16 => [Int64 UInt64] by long_bits }
}

/// Stores that are steps of 64 elements.
macro_rules! stepped {
    ($(
        $(#[$doc:meta])*
        $name:ident [$($params:tt)*] ($saturate:pat_param) where [$($bounds:tt)*],
            |$isa:ident, $x:ident, $src:ident, $dst:ident| $step:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for every store, see [`Stores`].
        unsafe fn $name<A: Real, B: Real $($params)*>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            $saturate: bool,
        ) where
            $($bounds)*
        {
            // SAFETY: the caller's; a step reads 64 elements of `A`, and writes as many of `B`.
            unsafe {
                steps::<A, B>(
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |$isa, $src, $dst| {
                        let Avx512($x) = $isa;
                        $step
                    },
                );
            }
        }
    )*};
}

stepped! {
    /// To a small float.
    small [, const MODE: u8] (saturate)
    where [Avx512: Decode<A> + Bridge<<Avx512 as Decode<A>>::Hub, [Odd<false>; 4]>],
    |isa, x, src, dst| {
        let limit = Small::<B>::limit(x, saturate);
        let mut v = isa.bridge(Decode::<A>::decode(isa, src));
        if matches!(A::DTYPE, DType::BFloat16) {
            v = each(
                v,
                #[inline(always)]
                |v| Odd { lanes: x.not_tiny(v.lanes), ..v },
            );
        }
        x.store_dwords(dst, Small::<B>::step_by::<MODE>(x, v, limit));
    };
    /// To float16, what may not be exact in float32.
    odd_halves [, const MODE: u8] (_)
    where [Avx512: Decode<A> + Bridge<<Avx512 as Decode<A>>::Hub, [Odd<false>; 4]>],
    |isa, x, src, dst| {
        const { assert!(MODE == Mode::NearestAway as u8) };
        let v = isa.bridge(Decode::<A>::decode(isa, src));
        for (i, v) in v.into_iter().enumerate() {
            x.store_words(dst.add(32 * i), x.near_half_of::<A>(v.lanes));
        }
    };
    /// To float32, what may not be exact in it.
    near_floats [, const MODE: u8] (_)
    where [Avx512: Decode<A, Hub: Quarters<Hub: NearFloats>>],
    |isa, x, src, dst| {
        const { assert!(MODE == Mode::NearestAway as u8) };
        let v = Decode::<A>::decode(isa, src).quarters();
        for (i, v) in v.into_iter().enumerate() {
            x.store_dwords(dst.add(64 * i), v.near_floats(x));
        }
    };
    /// Bfloat16, or an integer that is exact in float32, to float16.
    halves_of [, const MODE: u8] (_)
    where [Avx512: Decode<A, Hub: Quarters<Hub: Floats>>],
    |isa, x, src, dst| {
        let v = Decode::<A>::decode(isa, src).quarters();
        for (i, v) in v.into_iter().enumerate() {
            let v = v.floats(x);
            let half = if MODE == Mode::Up as u8 {
                x.float16s::<_MM_FROUND_TO_POS_INF>(v)
            } else if MODE == Mode::Down as u8 {
                x.float16s::<_MM_FROUND_TO_NEG_INF>(v)
            } else if MODE == Mode::NearestAway as u8 {
                x.near_half_of::<A>(v)
            } else {
                x.float16s::<_MM_FROUND_TO_ZERO>(v)
            };
            x.store_words(dst.add(32 * i), half);
        }
    };
    /// Float16, or an integer that is exact in float32, to bfloat16.
    brains_of [, const MODE: u8] (_)
    where [Avx512: Decode<A, Hub: Quarters<Hub: Floats>>],
    |isa, x, src, dst| {
        let v = Decode::<A>::decode(isa, src).quarters();
        for (i, v) in v.into_iter().enumerate() {
            let v = x.f._mm512_castps_si512(v.floats(x));
            x.store_words(dst.add(32 * i), x.brain_of::<MODE>(v));
        }
    };
    /// Float32, or what is exact in it, to an integer.
    integers [, const MODE: u8] (_)
    where [
        Avx512: Decode<A, Hub: Quarters<Hub: Floats>> + Encode<B>,
        Avx512: Bridge<[F32; 4], <Avx512 as Encode<B>>::Home>,
    ],
    |isa, x, src, dst| {
        let v = each(
            Decode::<A>::decode(isa, src).quarters(),
            #[inline(always)]
            |v| F32(x.whole::<MODE>(v.floats(x))),
        );
        Encode::<B>::encode(isa, isa.bridge(v), dst);
    };
    /// Float64 to an integer of 32 bits or more.
    integers_of_doubles [, const MODE: u8] (_)
    where [
        Avx512: Decode<A, Hub: Quarters<Hub = F64>> + Encode<B>,
        Avx512: Bridge<[F64; 4], <Avx512 as Encode<B>>::Home>,
    ],
    |isa, x, src, dst| {
        let v = each(
            Decode::<A>::decode(isa, src).quarters(),
            #[inline(always)]
            |F64(v)| F64(both(
                v,
                #[inline(always)]
                |v| x.f._mm512_castsi512_pd(x.cut_to_whole::<MODE>(x.f._mm512_castpd_si512(v))),
            )),
        );
        Encode::<B>::encode(isa, isa.bridge(v), dst);
    };
    /// To the low bits of integers.
    low_bits [] (_)
    where [
        Avx512: Decode<A, Hub: Quarters<Hub: Wraps>> + Encode<B>,
        Avx512: Bridge<[I32; 4], <Avx512 as Encode<B>>::Home>,
    ],
    |isa, x, src, dst| {
        let v = each(
            Decode::<A>::decode(isa, src).quarters(),
            #[inline(always)]
            |v| I32(v.low::<A, B>(x)),
        );
        Encode::<B>::encode(isa, isa.bridge(v), dst);
    };
    /// To the low bits of 64-bit integers.
    long_bits [] (_)
    where [Avx512: Decode<A, Hub: Quarters<Hub: Floats>>],
    |isa, x, src, dst| {
        let v = Decode::<A>::decode(isa, src).quarters();
        for (i, v) in v.into_iter().enumerate() {
            x.store_qwords(dst.add(128 * i), x.long_bits::<A>(v.floats(x)));
        }
    };
}

/// Runs whole steps, and what is left by way of the stack.
///
/// # Safety
/// The pointers are valid for `n` elements of `A` and `B`, and don't overlap. `step` reads and writes
/// 64. The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn steps<A: Real, B: Real>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    step: impl Fn(Avx512, *const u8, *mut u8),
) {
    let (from, to) = (size_of::<A::Stored>(), size_of::<B::Stored>());
    // SAFETY: the caller's; a step fits the buffers.
    unsafe {
        let isa = Avx512::summon();
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                let mut i = 0;
                while n - i >= 64 {
                    step(isa, src.add(i * from), dst.add(i * to));
                    i += 64;
                }
                if i < n {
                    let (mut source, mut result) = ([0u8; 512], [0u8; 512]);
                    src.add(i * from).copy_to_nonoverlapping(source.as_mut_ptr(), (n - i) * from);
                    step(isa, source.as_ptr(), result.as_mut_ptr());
                    result.as_ptr().copy_to_nonoverlapping(dst.add(i * to), (n - i) * to);
                }
            },
        );
    }
}

/// Hubs of float32s.
trait Floats: Copy {
    fn floats(self, x: Features) -> __m512;
}

impl Floats for F32 {
    #[inline(always)]
    fn floats(self, _: Features) -> __m512 {
        self.0
    }
}

/// Integers of at most 16 bits.
impl Floats for Narrow {
    #[inline(always)]
    fn floats(self, x: Features) -> __m512 {
        x.f._mm512_cvtepi32_ps(self.0)
    }
}

impl Floats for Unquiet {
    #[inline(always)]
    fn floats(self, _: Features) -> __m512 {
        self.0
    }
}

/// Hubs of numbers that become float32s, those that are not exact cut toward zero.
pub(super) trait Cut: Copy {
    fn cut(self, x: Features) -> __m512;
}

macro_rules! cut_exactly {
    ($($hub:ident)*) => {$(
        impl Cut for $hub {
            #[inline(always)]
            fn cut(self, x: Features) -> __m512 {
                self.floats(x)
            }
        }
    )*};
}

cut_exactly! { F32 Unquiet Narrow }

impl Cut for I32 {
    #[inline(always)]
    fn cut(self, x: Features) -> __m512 {
        x.f._mm512_cvt_roundepi32_ps::<CUT>(self.0)
    }
}

impl Cut for U32 {
    #[inline(always)]
    fn cut(self, x: Features) -> __m512 {
        x.f._mm512_cvt_roundepu32_ps::<CUT>(self.0)
    }
}

impl Cut for I64 {
    #[inline(always)]
    fn cut(self, x: Features) -> __m512 {
        let [a, b] = both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepi64_ps::<CUT>(v),
        );
        x.join_floats(a, b)
    }
}

impl Cut for U64 {
    #[inline(always)]
    fn cut(self, x: Features) -> __m512 {
        let [a, b] = both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepu64_ps::<CUT>(v),
        );
        x.join_floats(a, b)
    }
}

/// Hubs of floats of which integers keep low bits.
trait Wraps: Copy {
    /// Those that `B` has, of floats that were `A`s.
    fn low<A: Real, B: Real>(self, x: Features) -> __m512i;
}

impl Wraps for F32 {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, x: Features) -> __m512i {
        x.wrapped::<A, B>(self.0)
    }
}

impl Wraps for Unquiet {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, x: Features) -> __m512i {
        x.wrapped::<A, B>(self.0)
    }
}

impl Wraps for F64 {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, x: Features) -> __m512i {
        x.wrapped_doubles::<B>(self.0)
    }
}

/// A step's hub, a quarter at a time.
pub(super) trait Quarters {
    type Hub;

    fn quarters(self) -> [Self::Hub; 4];
}

impl<H> Quarters for [H; 4] {
    type Hub = H;

    #[inline(always)]
    fn quarters(self) -> [H; 4] {
        self
    }
}

impl Features {
    /// The nearest float16s of float32s, of two the further one.
    #[inline(always)]
    pub(super) fn near_half(self, v: __m512) -> __m256i {
        self.float16s::<_MM_FROUND_TO_NEAREST_INT>(self.off_ties(v))
    }

    /// The same of `A`s. Of integers, whose float16s are no subnormals, half a unit more, of which the rest is cut off, is
    /// exact, or too large.
    #[inline(always)]
    fn near_half_of<A: Real>(self, v: __m512) -> __m256i {
        const UNIT: u32 = 1 << (23 - 10);
        if !matches!(A::DTYPE.kind(), Kind::Int | Kind::UInt) {
            return self.near_half(v);
        }
        let bits = self.f._mm512_castps_si512(v);
        let more = self.f._mm512_add_epi32(bits, self.dword(UNIT / 2));
        let kept = self.f._mm512_and_si512(more, self.dword(UNIT.wrapping_neg()));
        self.float16s::<_MM_FROUND_TO_NEAREST_INT>(self.f._mm512_castsi512_ps(kept))
    }

    /// The bfloat16s of float32s' bits, their upper halves: what is added before the lower half is cut
    /// off carries into the upper one by the mode, and into the exponent up to infinity's.
    #[inline(always)]
    pub(super) fn brain_of<const MODE: u8>(self, v: __m512i) -> __m256i {
        let negative = self.f._mm512_srai_epi32::<31>(v);
        let low = self.dword(0xffff);
        let moved = if MODE == Mode::Up as u8 {
            self.f._mm512_add_epi32(v, self.f._mm512_andnot_si512(negative, low))
        } else if MODE == Mode::Down as u8 {
            self.f._mm512_add_epi32(v, self.f._mm512_and_si512(negative, low))
        } else if MODE == Mode::NearestAway as u8 {
            self.f._mm512_add_epi32(v, self.dword(0x8000))
        } else {
            v
        };
        // NaNs are quieted only.
        let quiet = self.f._mm512_fixupimm_ps::<0>(
            self.f._mm512_castsi512_ps(moved),
            self.f._mm512_castsi512_ps(v),
            self.dword(NAN_TO_QUIET),
        );
        let words = self.f._mm512_srli_epi32::<16>(self.f._mm512_castps_si512(quiet));
        self.f._mm512_cvtepi32_epi16(words)
    }

    /// Numbers nearer to zero than [`TINY`] become that, but for zero.
    #[inline(always)]
    fn not_tiny(self, v: __m512) -> __m512 {
        let v = self.f._mm512_castps_si512(v);
        let (size, tiny) = (self.dword(i32::MAX as u32), self.dword(TINY.to_bits()));
        let nonzero = self.f._mm512_test_epi32_mask(v, size);
        let size = self.f._mm512_and_si512(v, size);
        let size = self.f._mm512_mask_max_epu32(size, nonzero, size, tiny);
        // size OR (v AND the sign)
        let v = self.f._mm512_ternarylogic_epi32::<0xf8>(size, v, self.dword(1 << 31));
        self.f._mm512_castsi512_ps(v)
    }

    /// The low bits that `B` keeps of the integers that float32s are, cut toward zero.
    ///
    /// Whole multiples of 2^16 are taken off exactly: what is left is some of the number's own bits, or NaN of an
    /// infinity, of which a conversion keeps none of the lowest. For 32 bits they are multiples of 2^32: see
    /// [`long_bits`](Self::long_bits).
    #[inline(always)]
    fn wrapped<A: Real, B: Real>(self, v: __m512) -> __m512i {
        if const { is_zero_past_ints(A::DTYPE, B::DTYPE) } {
            return self.f._mm512_cvttps_epi32(v);
        }
        if const { B::DTYPE.significant_bits() } < 32 {
            // (NaN becomes tiny, too, of which the conversion leaves as little.)
            let v = if matches!(A::DTYPE, DType::Float16) { v } else { self.never_subnormal(v) };
            return self.f._mm512_cvttps_epi32(self.rest::<CUT>(v, 65536.0));
        }
        let finite = self.finite_or_zero(v);
        if matches!(A::DTYPE, DType::Float16) {
            return self.f._mm512_cvttps_epi32(finite);
        }
        self.f._mm512_cvttps_epi32(self.rest::<NEAREST>(self.never_subnormal(finite), 4294967296.0))
    }

    /// Float32s without whole multiples of a power of two: as many as a mode rounds the quotient to. What is left is a
    /// multiple of what the number's last bit stands for, and no further from zero than the number, so that it is exact. (Of
    /// infinities NaN is left.)
    #[inline(always)]
    fn rest<const ROUND: i32>(self, v: __m512, all: f32) -> __m512 {
        // Never subnormal, see `BIT`.
        let bit = self.float(BIT.to_bits());
        let part = self.f._mm512_fmadd_ps(v, self.float((1.0 / all).to_bits()), bit);
        let whole = self.f._mm512_roundscale_ps::<ROUND>(part);
        self.f._mm512_fnmadd_ps(whole, self.float(all.to_bits()), v)
    }

    /// Float32s, with zero for infinities and NaNs.
    #[inline(always)]
    fn finite_or_zero(self, v: __m512) -> __m512 {
        self.f._mm512_fixupimm_ps::<0>(v, v, self.dword(UNBOUNDED_TO_ZERO))
    }

    /// Finite float32s that are cut toward zero, none of them nearer to it than [`TINY`].
    #[inline(always)]
    fn never_subnormal(self, v: __m512) -> __m512 {
        self.dq._mm512_range_ps::<FURTHER>(v, self.float(TINY.to_bits()))
    }

    /// The low 64 bits of the integers that float32s that were `A`s are, cut toward zero.
    ///
    /// The nearest multiples of 2^64 are taken off. What is left is no further from zero than 2^63, and if it is that, the
    /// conversion gives -2^63, which has the same bits. Numbers from which something is taken off have no fraction that
    /// would have had to be cut off first.
    #[inline(always)]
    fn long_bits<A: Real>(self, v: __m512) -> [__m512i; 2] {
        let finite = self.finite_or_zero(v);
        if matches!(A::DTYPE, DType::Float16) {
            return both(
                self.halves(self.f._mm512_cvttps_epi32(finite)),
                #[inline(always)]
                |v| self.f._mm512_cvtepi32_epi64(v),
            );
        }
        let rest = self.rest::<NEAREST>(self.never_subnormal(finite), 18446744073709551616.0);
        let high = self.dq._mm512_extractf32x8_ps::<1>(rest);
        both(
            [self.f._mm512_castps512_ps256(rest), high],
            #[inline(always)]
            |v| self.dq._mm512_cvttps_epi64(v),
        )
    }

    /// As [`wrapped`](Self::wrapped), of float64s. From 2^63 on the lowest 8 bits are zeros; for more multiples of 2^32 are
    /// taken off.
    #[inline(always)]
    fn wrapped_doubles<B: Real>(self, v: [__m512d; 2]) -> __m512i {
        const ALL: f64 = 4294967296.0;
        self.low_dwords(both(
            v,
            #[inline(always)]
            |v| {
                if const { B::DTYPE.significant_bits() } <= 8 {
                    return self.dq._mm512_cvttpd_epi64(v);
                }
                let (factor, bit) = (1.0 / ALL, BIT_64);
                let (factor, bit) = (self.f._mm512_set1_pd(factor), self.f._mm512_set1_pd(bit));
                let part = self.f._mm512_fmadd_pd(v, factor, bit);
                let whole = self.f._mm512_roundscale_pd::<CUT>(part);
                let rest = self.f._mm512_fnmadd_pd(whole, self.f._mm512_set1_pd(ALL), v);
                self.dq._mm512_cvttpd_epi64(rest)
            },
        ))
    }

    /// Float32s as integers; by [`Mode::NearestAway`] before they are cut off toward zero.
    #[inline(always)]
    fn whole<const MODE: u8>(self, v: __m512) -> __m512 {
        if MODE == Mode::Up as u8 {
            self.f._mm512_roundscale_ps::<UP>(v)
        } else if MODE == Mode::Down as u8 {
            self.f._mm512_roundscale_ps::<DOWN>(v)
        } else if MODE == Mode::NearestEven as u8 {
            self.f._mm512_roundscale_ps::<NEAREST>(v)
        } else {
            self.half_further(v)
        }
    }

    /// Numbers further from zero by the largest number below a half: cut off, those are the nearest
    /// integers, with ties away from zero. (With a half itself the number below a half would become
    /// 1.)
    #[inline(always)]
    pub(super) fn half_further(self, v: __m512) -> __m512 {
        let half = self.with_sign_of(self.float(0.5f32.to_bits() - 1), v);
        self.f._mm512_add_round_ps::<NEAREST>(v, half)
    }
}
