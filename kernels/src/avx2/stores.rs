//! Casts by a mode in one loop, see [`crate::shape`]: to the small floats, to float16, and to the low bits of integers.
//!
//! An encoder of small floats leaves the number of units that it rounded to in the last bits of a sum: from that the sum's
//! own rounding error is known, and one unit more or less makes it another mode's.
//!
//! The conversion to 32-bit integers gives -2^31 for all that those cannot hold, infinities and NaNs included. So it does
//! for low bits where [`is_zero_past_ints`] says that they are zeros of these anyway. Otherwise the whole multiples of a
//! power of two are taken off before, which is exact, since what is left is some of the number's own bits; an infinity
//! leaves NaN then.

use super::Avx2;
use super::bridge::Sticky;
use super::decode::{F32, F64, I32, I64, Loud, U32, U64};
use super::encode::{EQUAL, Small};
use super::shapes::{stepped, steps};
use crate::codec::{Bridge, Decode, Encode};
use crate::dtypes::{DType, Real, mark};
use crate::shape::{BIT, BIT_64, Mode, Stores, TINY, is_zero_past_ints, x86_stores};
use core::arch::x86_64::{__m256, __m256d, __m256i};

const NEAREST: i32 = 8;
const TO_ZERO: i32 = 8 | 3;
/// For comparisons; true if no operand is NaN.
const ORDERED: i32 = 0x07;

/// These stores, and those below.
pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = stores
        .with(DType::Float32, DType::Float16, Mode::TowardZero, halves::<3>)
        .with(DType::Float32, DType::Float16, Mode::Up, halves::<2>)
        .with(DType::Float32, DType::Float16, Mode::Down, halves::<1>)
        .with(DType::Float32, DType::Float16, Mode::NearestAway, near_halves);
    x86_stores! { stores: small low_bits }
}

stepped! {
    /// Float32 to float16.
    halves [const ROUND: i32] (_saturate: bool) = 4 2 8, |isa, src, dst| {
        isa.storex(dst, isa.ps_to_half::<ROUND>(isa.as_ps(isa.load(src))));
    };
    /// Float32 to float16, to nearest with ties away from zero: a tie that went to the even neighbour,
    /// nearer to zero, is half a unit further than that, and goes to the other.
    near_halves[] (_saturate: bool) = 4 2 8, |isa, src, dst| {
        const LOWEST: i32 = (127 - 14) << 23;
        const HALF_UNIT: f32 = f32::from_bits((127 - 11) << 23);
        let v = isa.load(src);
        let x = isa.as_ps(v);
        let near = isa.to_float16(x);
        let lost = isa.sub_ps(x, isa.half_to_ps(near));
        let power = isa.max32(isa.and(v, isa.all32(0xff << 23)), isa.all32(LOWEST));
        let power = isa.or(power, isa.and(v, isa.all32(i32::MIN)));
        let half = isa.mul_ps(isa.as_ps(power), isa.all_ps(HALF_UNIT));
        let tie = isa.ps_bits(isa.cmp_ps::<EQUAL>(lost, half));
        let tie = isa.packs32x(isa.lower(tie), isa.half::<1>(tie));
        isa.storex(dst, isa.sub16x(near, tie));
    };
}

/// To the low bits of integers.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn low_bits<A: Real, B: Real>(src: *const u8, dst: *mut u8, n: usize, _: bool)
where
    Avx2: Decode<A, Hub: Floats> + Encode<B> + Bridge<I32, <Avx2 as Encode<B>>::Home>,
{
    // SAFETY: the caller's; a step of the decoder and of the encoder is 16 elements.
    unsafe {
        steps::<16>(
            (size_of::<A::Stored>(), size_of::<B::Stored>()),
            src,
            dst,
            n,
            #[inline(always)]
            |isa, src, dst| {
                let low = Decode::<A>::decode(isa, src).low::<A, B>(isa);
                Encode::<B>::encode(isa, isa.bridge(low), dst);
            },
        );
    }
}

/// To a small float.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn small<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) where
    Avx2: Decode<A, Hub: ToRound>,
{
    // SAFETY: the caller's; a step of the decoder and of the encoder is 16 elements.
    unsafe {
        steps::<16>(
            (size_of::<A::Stored>(), 1),
            src,
            dst,
            n,
            #[inline(always)]
            |isa, src, dst| {
                let v = Decode::<A>::decode(isa, src).to_round(isa);
                let limit = isa.all_ps(Small::<B>::limit(saturate));
                isa.storex(dst, isa.small_floats_by::<B, MODE>(v, limit));
            },
        );
    }
}

/// Hubs of numbers that are rounded.
trait ToRound {
    /// Float32s that are rounded to small floats as the exact values would be: those of float64s to nearest, all others by
    /// any mode.
    fn to_round(self, isa: Avx2) -> Sticky;
}

macro_rules! to_round_as_nearest {
    ($($hub:ident)*) => {$(
        /// Of integers what is cut is past every small float.
        impl ToRound for $hub {
            #[inline(always)]
            fn to_round(self, isa: Avx2) -> Sticky {
                isa.bridge(self)
            }
        }
    )*};
}

to_round_as_nearest! { F32 F64 I32 U32 I64 U64 }

impl ToRound for Loud {
    #[inline(always)]
    fn to_round(self, isa: Avx2) -> Sticky {
        let Sticky([a, b]) = isa.bridge(self);
        Sticky([isa.not_tiny(a), isa.not_tiny(b)])
    }
}

/// Hubs of floats.
trait Floats {
    /// Integers with the low bits that `B` keeps.
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32;
}

impl Floats for F32 {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32 {
        let [a, b] = self.0;
        let (a, b) = (isa.without_multiples::<A, B>(a), isa.without_multiples::<A, B>(b));
        I32([isa.ps_to_i32(a), isa.ps_to_i32(b)])
    }
}

impl Floats for Loud {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32 {
        F32(self.0).low::<A, B>(isa)
    }
}

impl Floats for F64 {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32 {
        let [a, b, c, d] = self.0;
        I32([isa.low_of_two::<B>(a, b), isa.low_of_two::<B>(c, d)])
    }
}

impl Avx2 {
    /// Numbers that the conversion makes integers of with the right low bits.
    #[inline(always)]
    fn without_multiples<A: Real, B: Real>(self, v: __m256) -> __m256 {
        if const { is_zero_past_ints(A::DTYPE, B::DTYPE) } {
            return v;
        }
        if const { B::DTYPE.significant_bits() } < 32 {
            let whole = self.round_ps::<TO_ZERO>(self.part(v, 1.0 / 65536.0));
            return self.fnma_ps(whole, self.all_ps(65536.0), v);
        }
        // What is left lies between -2^31 and 2^31. (From 2^24 on numbers are integers anyway.)
        const ALL: f32 = 4294967296.0;
        if matches!(A::DTYPE, DType::Float32) {
            let whole = self.round_ps::<NEAREST>(self.part(v, 1.0 / ALL));
            let rest = self.fnma_ps(whole, self.all_ps(ALL), v);
            return self.and_ps(rest, self.cmp_ps::<ORDERED>(rest, rest));
        }
        // A bfloat16's low bits are zeros from 2^39 on; float16 has but infinities and NaNs there.
        const ZERO: i32 = (127 + 39) << 23;
        let bits = self.ps_bits(v);
        let large = self.gt32(self.and(bits, self.all32(i32::MAX)), self.all32(ZERO - 1));
        let v = self.as_ps(self.andnot(large, bits));
        if matches!(A::DTYPE, DType::Float16) {
            return v;
        }
        // Near this number float32s are the multiples.
        let near = self.all_ps(ALL * 1.5 * (1 << 23) as f32);
        self.sub_ps(v, self.sub_ps(self.add_ps(v, near), near))
    }

    /// Numbers nearer to zero than [`TINY`] become that, but for zero.
    #[inline(always)]
    fn not_tiny(self, v: __m256) -> __m256 {
        let bits = self.ps_bits(v);
        let size = self.and(bits, self.all32(i32::MAX));
        let tiny = self.all32(const { TINY.to_bits() as i32 });
        let least = self.and(self.gt32(size, self.zero()), tiny);
        let sign = self.and(bits, self.all32(i32::MIN));
        self.as_ps(self.or(self.max32(size, least), sign))
    }

    /// Never subnormal, see [`BIT`].
    #[inline(always)]
    fn part(self, v: __m256, factor: f32) -> __m256 {
        self.fma_ps(v, self.all_ps(factor), self.all_ps(BIT))
    }

    #[inline(always)]
    fn part_64(self, v: __m256d, factor: f64) -> __m256d {
        self.fma_pd(v, self.all_pd(factor), self.all_pd(BIT_64))
    }

    /// Integers with the low bits that `B` keeps.
    #[inline(always)]
    fn low_of_two<B: Real>(self, a: __m256d, b: __m256d) -> __m256i {
        let (a, b) = (self.without_multiples_64::<B>(a), self.without_multiples_64::<B>(b));
        self.join(self.pd_to_i32(b), self.pd_to_i32(a))
    }

    /// As [`without_multiples`](Self::without_multiples), of float64s.
    #[inline(always)]
    fn without_multiples_64<B: Real>(self, v: __m256d) -> __m256d {
        if const { B::DTYPE.significant_bits() } < 32 {
            let whole = self.round_pd::<TO_ZERO>(self.part_64(v, 1.0 / 65536.0));
            return self.fnma_pd(whole, self.all_pd(65536.0), v);
        }
        const ALL: f64 = 4294967296.0;
        let v = self.round_pd::<TO_ZERO>(v);
        let whole = self.round_pd::<NEAREST>(self.part_64(v, 1.0 / ALL));
        let rest = self.fnma_pd(whole, self.all_pd(ALL), v);
        self.and_pd(rest, self.cmp_pd::<ORDERED>(rest, rest))
    }
}
