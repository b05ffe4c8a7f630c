//! Casts by a mode in one loop, see [`crate::shape`]: to the small floats, among them
//! powers of two, to float16 and bfloat16, to integers, and to their low bits.
//!
//! An encoder of small floats leaves the number of units that it rounded to in the last bits of a sum: from that the sum's
//! own rounding error is known, and one unit more or less makes it another mode's.
//!
//! Where 8-bit floats do not saturate, the default kernels' own steps cut off magnitudes one code later.

use super::Avx2;
use super::bridge::Sticky;
use super::byte_stores;
use super::decode::{F32, F64, I32, I64, Loud, Narrow, U32, U64};
use super::direct::Step;
use super::encode::Small;
use super::low_bits::Floats;
use super::shapes::{DOWN, NEAREST, UP, steps};
use super::steps::bytes::{CutSmall, EncodeSmall};
use super::steps::cuts::BrainToWord;
use super::steps::floats::{BrainToByte, CutHalf, Float64ToByte, FloatToByte};
use super::steps::from_powers::{PowerToHalf, PowerToInt};
use super::steps::ints::EncodeWords;
use super::steps::maps::{BY_DEFAULT, FROM_ZERO};
use super::steps::powers::{FloatToNextPower, FloatToPower, Floating, IntToPower, WordsToPower};
use super::steps::words::{self, WordsToInt, WordsToSmall};
use crate::codec::{Bridge, Decode, Encode};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::shape::{Mode, Stores, all_stores, all_wraps, is_zero_past_ints, x86_stores};
use core::arch::x86_64::{__m128i, __m256, __m256d, __m256i};

/// These stores, and those below.
pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = all_stores! {
        stores: Float32 Int16 Int32 Int64 => [Float16] by halves [TowardZero Up Down NearestAway]
    };
    // (Of numbers without a sign, down is toward zero.)
    let stores = all_stores! {
        stores: UInt16 UInt32 UInt64 => [Float16] by halves [TowardZero Up NearestAway]
    };
    let stores = all_stores! { stores: Float64 => [Float16] by halves [NearestAway] };
    let stores = all_stores! { stores: BFloat16 => [Float16] by halves_of_brains [NearestAway] };
    let stores = all_stores! {
        stores: Int16 => [BFloat16] by brains [TowardZero Up Down NearestAway]
    };
    let stores = all_stores! { stores: UInt16 => [BFloat16] by brains [TowardZero Up NearestAway] };
    let stores = x86_stores! { stores: small low_bits };
    let stores = all_stores! {
        stores: Float16 BFloat16 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by small_of_words [TowardZero Up Down]
    };
    let stores = all_stores! {
        stores: Float32 Int16 Int32 Int64 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by small_of_halves [TowardZero Up Down]
    };
    let stores = all_stores! {
        stores: UInt16 UInt32 UInt64 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by small_of_halves [TowardZero Up]
    };
    let stores = all_stores! {
        stores: Int16 UInt16 Int32 UInt32 Int64 UInt64 => [Float8E8M0Fnu]
            by powers_of_ints [TowardZero NearestAway]
    };
    let stores = all_stores! {
        stores: Float16 BFloat16 => [Float8E8M0Fnu] by powers_of_words [TowardZero NearestAway]
    };
    let stores = all_stores! {
        stores: Float32 Float64 => [Float8E8M0Fnu] by powers_of_floats [TowardZero NearestAway]
    };
    let stores = all_stores! {
        stores: Float8E8M0Fnu => [Float16] by halves_of_powers [TowardZero Up NearestAway]
    };
    let stores = all_stores! {
        stores: Float8E8M0Fnu => [Int16 UInt16] by words_of_powers [Up NearestAway]
    };
    let stores = all_wraps! {
        stores: Float8E8M0Fnu => [Int16 Int32 Int64 UInt16 UInt32 UInt64] by low_bits_of_powers
    };
    let stores = all_stores! {
        stores: Int8 Int16 Int32 => [
            Float8E3M4 Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by clamped [TowardZero Up Down NearestAway]
    };
    let stores = all_stores! {
        stores: UInt8 UInt16 UInt32 => [
            Float8E3M4 Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by clamped_unsigned [TowardZero Up NearestAway]
    };
    let stores = byte_stores::stores(overflowing(stores));
    let stores = all_stores! {
        stores: Float64 => [
            Int8 UInt8 Int16 Int32 Int64 UInt16 UInt32 UInt64 Int1 Int2 Int4 UInt1 UInt2 UInt4
        ] by integers_of_doubles [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float32 Float16 => [Int8 UInt8 Int1 Int2 Int4 UInt1 UInt2 UInt4]
            by bytes [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: BFloat16 => [Int8 UInt8 Int1 Int2 Int4 UInt1 UInt2 UInt4]
            by bytes_of_brains [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float32 Float16 BFloat16 => [Int16 Int32 Int64 UInt16 UInt32 UInt64]
            by integers [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: BFloat16 => [Int16 UInt16] by words_of_brains [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float16 => [UInt32] by dwords_of_halves [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float64 => [Int2 Int4 UInt2 UInt4] by ints_of_doubles [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3
            => [Int16 Int32 UInt16 UInt32] by ints_of_small [Up Down NearestEven NearestAway]
    };
    let stores = all_stores! {
        stores: Float16 BFloat16 => [Int2 Int4 UInt2] by ints_of_words [Up Down]
    };
    let stores = all_wraps! {
        stores: Float16 BFloat16 => [Int8 UInt8 Int1 Int2 Int4 UInt1 UInt2 UInt4]
            by low_bits_of_words
    };
    all_wraps! { stores: Float32 BFloat16 => [Int64 UInt64] by longs }
}

/// Adds those by the default kernels' modes.
const fn overflowing(stores: Stores) -> Stores {
    let stores = all_stores! {
        stores: Float32 Float64 Int32 UInt32 Int64 UInt64 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz
        ] by encoded [NearestEven]
    };
    let stores = all_stores! { stores: Float16 BFloat16 => [Float8E3M4] by encoded [NearestEven] };
    let stores = all_stores! {
        stores: Float16 BFloat16 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E4M3B11Fnuz
        ] by encoded_by_bytes [NearestEven]
    };
    let stores = all_stores! {
        stores: Int16 UInt16 => [Float8E4M3Fn Float8E4M3Fnuz Float8E4M3] by encoded_words [NearestEven]
    };
    // (All with a sign are in their range.)
    let stores = all_stores! {
        stores: UInt16 => [Float8E5M2 Float8E5M2Fnuz] by encoded_words [NearestEven]
    };
    let stores = all_stores! {
        stores: Int8 UInt8 Int16 UInt16 Int32 UInt32 => [
            Float8E3M4 Float8E4M3B11Fnuz
        ] by clamped_or_not [NearestEven]
    };
    let stores = all_stores! {
        stores: Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 => [Float8E8M0Fnu]
            by powers_or_not_of_ints [Up]
    };
    let stores = all_stores! {
        stores: Float16 BFloat16 => [Float8E8M0Fnu] by powers_or_not_of_words [Up]
    };
    all_stores! {
        stores: Float32 Float64 => [Float8E8M0Fnu] by powers_or_not_of_floats [Up]
    }
}

/// Stores that are steps of so many elements.
macro_rules! stepped {
    ($(
        $(#[$doc:meta])*
        $name:ident [$($params:tt)*] ($saturate:pat_param) = $len:literal where [$($bounds:tt)*],
            |$isa:ident, $src:ident, $dst:ident| $step:expr;
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
            // SAFETY: the caller's; a step reads so many elements of `A`, and writes as many of `B`.
            unsafe {
                steps::<$len>(
                    (size_of::<A::Stored>(), size_of::<B::Stored>()),
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |$isa, $src, $dst| $step,
                );
            }
        }
    )*};
}

pub(super) use stepped;

stepped! {
    /// To float16.
    halves [, const MODE: u8] (_) = 16
    where [Avx2: Decode<A, Hub: ToRound>],
    |isa, src, dst| {
        let Sticky([a, b]) = Decode::<A>::decode(isa, src).to_round(isa);
        let (a, b) = match const { A::DTYPE.kind() } {
            Kind::Int | Kind::UInt if MODE == Mode::NearestAway as u8 => {
                (isa.near_half_of_int(a), isa.near_half_of_int(b))
            }
            _ => (isa.half_by::<MODE>(a), isa.half_by::<MODE>(b)),
        };
        isa.storex(dst, a);
        isa.storex(dst.add(16), b);
    };
    /// Bfloat16 to the nearest float16s, ties away.
    halves_of_brains [, const MODE: u8] (_) = 16
    where [],
    |isa, src, dst| {
        let [a, b] = isa.brains_beyond_ties(isa.in_order(isa.load(src)));
        isa.storex(dst, isa.to_float16(a));
        isa.storex(dst.add(16), isa.to_float16(b));
    };
    /// Integers that float32 has exactly to bfloat16.
    brains [, const MODE: u8] (_) = 16
    where [Avx2: Decode<A, Hub: ToRound>],
    |isa, src, dst| {
        const { assert!(A::DTYPE.bits() == 16 && !matches!(A::DTYPE.kind(), Kind::Float)) };
        let Sticky([a, b]) = Decode::<A>::decode(isa, src).to_round(isa);
        let (a, b) = (isa.brain_by::<A, MODE>(a), isa.brain_by::<A, MODE>(b));
        isa.store(dst, isa.upper_words(a, b));
    };
    /// To a small float with one to three bits of fraction, by the bytes of words.
    small_of_words [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        const { assert!(words::suits(A::DTYPE, B::DTYPE)) };
        debug_assert!(saturate, "overflows are replaced afterwards where numbers go to a side");
        let by = words::Constants::of::<A, B, MODE>(isa);
        isa.store(dst, isa.small_of_words::<A, B, MODE>(&by, src));
    };
    /// The same by way of float16, which has all numbers of such dtypes: rounding to one side twice is the same as once.
    small_of_halves [, const MODE: u8] (saturate) = 32
    where [Avx2: Decode<A, Hub: ToRound>],
    |isa, src, dst| {
        const { assert!(words::suits(DType::Float16, B::DTYPE)) };
        debug_assert!(saturate, "overflows are replaced afterwards where numbers go to a side");
        let second = src.add(16 * size_of::<A::Stored>());
        let Sticky([a, b]) = Decode::<A>::decode(isa, src).to_round(isa);
        let Sticky([c, d]) = Decode::<A>::decode(isa, second).to_round(isa);
        let first = isa.join(isa.half_by::<MODE>(b), isa.half_by::<MODE>(a));
        let second = isa.join(isa.half_by::<MODE>(d), isa.half_by::<MODE>(c));
        let by = words::Constants::of::<mark::Float16, B, MODE>(isa);
        isa.store(dst, isa.small_of::<mark::Float16, B, MODE>(&by, [first, second]));
    };
    /// To a small float, or its infinity or NaN.
    encoded [, const MODE: u8] (saturate) = 32
    where [Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Sticky>],
    |isa, src, dst| {
        debug_assert!(!saturate, "the default kernel does");
        <EncodeSmall<false, false, true> as Step<A, B>>::step(isa, src, dst);
    };
    /// The same from 16-bit floats.
    encoded_by_bytes [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        debug_assert!(!saturate, "the default kernel does");
        <WordsToSmall<false> as Step<A, B>>::step(isa, src, dst);
    };
    /// The same from 16-bit integers.
    encoded_words [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        debug_assert!(!saturate, "the default kernel does");
        <EncodeWords<false> as Step<A, B>>::step(isa, src, dst);
    };
    /// The same from integers, where all numbers are less than 128.
    clamped_or_not [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        debug_assert!(!saturate, "the default kernel does");
        isa.store(dst, isa.clamped_by::<A, B, BY_DEFAULT>(src, false));
    };
    /// These by a mode.
    clamped [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| isa.store(dst, isa.clamped_by::<A, B, MODE>(src, saturate));
    /// The same from unsigned ones.
    clamped_unsigned [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        let codes = if MODE == Mode::Up as u8 {
            isa.clamped_by::<A, B, FROM_ZERO>(src, saturate)
        } else {
            isa.clamped_by::<A, B, MODE>(src, saturate)
        };
        isa.store(dst, codes);
    };
    /// Integers to powers of two, or NaN.
    powers_or_not_of_ints [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        debug_assert!(!saturate, "the default kernel does");
        <IntToPower<MODE, false> as Step<A, B>>::step(isa, src, dst);
    };
    /// The same of 16-bit floats.
    powers_or_not_of_words [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        debug_assert!(!saturate, "the default kernel does");
        <WordsToPower<MODE, false> as Step<A, B>>::step(isa, src, dst);
    };
    /// The same of wider ones.
    powers_or_not_of_floats [, const MODE: u8] (saturate) = 32
    where [],
    |isa, src, dst| {
        const { assert!(MODE == Mode::Up as u8) };
        debug_assert!(!saturate, "the default kernel does");
        <FloatToNextPower<false> as Step<A, B>>::step(isa, src, dst);
    };
    /// Integers of 16 bits and more to powers of two.
    powers_of_ints [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| <IntToPower<MODE, true> as Step<A, B>>::step(isa, src, dst);
    /// The same of 16-bit floats.
    powers_of_words [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| <WordsToPower<MODE, true> as Step<A, B>>::step(isa, src, dst);
    /// The same of wider ones.
    powers_of_floats [, const MODE: u8] (_) = 32
    where [Avx2: Decode<A, Hub: Floating>],
    |isa, src, dst| <FloatToPower<MODE> as Step<A, B>>::step(isa, src, dst);
    /// Powers of two to float16.
    halves_of_powers [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| <PowerToHalf<MODE> as Step<A, B>>::step(isa, src, dst);
    /// The same to the low bits of integers.
    low_bits_of_powers [] (_) = 32
    where [],
    |isa, src, dst| <PowerToInt<true> as Step<A, B>>::step(isa, src, dst);
    /// Powers of two to 16-bit integers.
    words_of_powers [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| {
        isa.store_powers_in_words::<B, false>(isa.whole_powers::<MODE>(isa.load(src)), dst);
    };
    /// To an integer of a byte.
    bytes [, const MODE: u8] (_) = 32
    where [Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Sticky>],
    |isa, src, dst| <FloatToByte<MODE> as Step<A, B>>::step(isa, src, dst);
    /// The same of 16-bit floats to an integer of a few bits.
    ints_of_words [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| <WordsToInt<MODE> as Step<A, B>>::step(isa, src, dst);
    /// The same of bfloat16.
    bytes_of_brains [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| <BrainToByte<MODE> as Step<A, B>>::step(isa, src, dst);
    /// To an integer of two.
    words_of_brains [, const MODE: u8] (_) = 16
    where [],
    |isa, src, dst| <BrainToWord<MODE> as Step<A, B>>::step(isa, src, dst);
    /// Float16 to a wider one.
    dwords_of_halves [, const MODE: u8] (_) = 16
    where [],
    |isa, src, dst| <CutHalf<MODE> as Step<A, B>>::step(isa, src, dst);
    /// Small floats to integers of two bytes or four.
    ints_of_small [, const MODE: u8] (_) = 32
    where [],
    |isa, src, dst| <CutSmall<MODE> as Step<A, B>>::step(isa, src, dst);
    /// Float64 to an integer of a few bits.
    ints_of_doubles [, const MODE: u8] (_) = 32
    where [Avx2: Decode<A, Hub = F64>],
    |isa, src, dst| <Float64ToByte<MODE> as Step<A, B>>::step(isa, src, dst);
    /// To a wider integer.
    integers [, const MODE: u8] (_) = 16
    where [Avx2: Decode<A, Hub: Singles> + Encode<B> + Bridge<F32, <Avx2 as Encode<B>>::Home>],
    |isa, src, dst| {
        let [a, b] = Decode::<A>::decode(isa, src).singles();
        let whole = F32([isa.whole::<MODE>(a), isa.whole::<MODE>(b)]);
        Encode::<B>::encode(isa, isa.bridge(whole), dst);
    };
    /// The same of float64.
    integers_of_doubles [, const MODE: u8] (_) = 16
    where [Avx2: Decode<A, Hub = F64> + Encode<B> + Bridge<F64, <Avx2 as Encode<B>>::Home>],
    |isa, src, dst| {
        let F64([a, b, c, d]) = Decode::<A>::decode(isa, src);
        let (a, b) = (isa.whole_64::<MODE>(a), isa.whole_64::<MODE>(b));
        let whole = F64([a, b, isa.whole_64::<MODE>(c), isa.whole_64::<MODE>(d)]);
        Encode::<B>::encode(isa, isa.bridge(whole), dst);
    };
    /// To the low bits of integers.
    low_bits [] (_) = 16
    where [Avx2: Decode<A, Hub: Floats> + Encode<B> + Bridge<I32, <Avx2 as Encode<B>>::Home>],
    |isa, src, dst| {
        let low = Decode::<A>::decode(isa, src).low::<A, B>(isa);
        Encode::<B>::encode(isa, isa.bridge(low), dst);
    };
    /// The same of long integers.
    longs [] (_) = 8
    where [],
    |isa, src, dst| {
        let [a, b] = isa.low_longs(isa.singles_by_twos::<A>(src));
        isa.store(dst, a);
        isa.store(dst.add(32), b);
    };
    /// The same of 16-bit floats to those of a byte.
    low_bits_of_words [] (_) = 32
    where [Avx2: Decode<A, Hub: Singles>],
    |isa, src, dst| {
        const { assert!(is_zero_past_ints(A::DTYPE, B::DTYPE)) };
        let [a, b] = Decode::<A>::decode(isa, src).singles();
        let [c, d] = Decode::<A>::decode(isa, src.add(32)).singles();
        let (ab, cd) = (isa.low_bits_of_two::<B>(a, b), isa.low_bits_of_two::<B>(c, d));
        isa.store(dst, isa.extended::<B>(isa.packed_in_order(isa.pack_u16(ab, cd))));
    };
    /// To a small float.
    small [, const MODE: u8] (saturate) = 32
    where [Avx2: Decode<A, Hub: ToRound>],
    |isa, src, dst| {
        let first = Decode::<A>::decode(isa, src).to_round(isa);
        let second = Decode::<A>::decode(isa, src.add(16 * size_of::<A::Stored>())).to_round(isa);
        let limit = isa.all_ps(Small::<B>::limit(saturate));
        isa.store(
            dst,
            match const { A::DTYPE.kind() } {
                Kind::UInt => isa.encode_positive::<B, MODE>(first, second, limit),
                Kind::Int => isa.encode_small::<B, MODE, false>(first, second, limit),
                _ => isa.encode_small::<B, MODE, true>(first, second, limit),
            },
        );
    };
}

/// Hubs of numbers that are rounded.
trait ToRound {
    /// Float32s that are rounded to small floats and float16 as the exact values would be: those of float64s to nearest,
    /// all others by any mode.
    fn to_round(self, isa: Avx2) -> Sticky;
}

macro_rules! to_round_as_nearest {
    ($($hub:ident)*) => {$(
        /// Of integers what is cut is past every small float, and float16.
        impl ToRound for $hub {
            #[inline(always)]
            fn to_round(self, isa: Avx2) -> Sticky {
                isa.bridge(self)
            }
        }
    )*};
}

to_round_as_nearest! { F32 F64 I32 U32 I64 U64 Loud Narrow }

/// Hubs of float32s.
trait Singles {
    fn singles(self) -> [__m256; 2];
}

impl Singles for F32 {
    #[inline(always)]
    fn singles(self) -> [__m256; 2] {
        self.0
    }
}

impl Singles for Loud {
    #[inline(always)]
    fn singles(self) -> [__m256; 2] {
        self.0
    }
}

impl Avx2 {
    /// Float16s of float32s.
    #[inline(always)]
    fn half_by<const MODE: u8>(self, x: __m256) -> __m128i {
        if MODE == Mode::Up as u8 {
            self.ps_to_half::<2>(x)
        } else if MODE == Mode::Down as u8 {
            self.ps_to_half::<1>(x)
        } else if MODE == Mode::TowardZero as u8 {
            self.ps_to_half::<3>(x)
        } else {
            self.near_half(x)
        }
    }

    /// The nearest float16s, of two the further one.
    #[inline(always)]
    fn near_half(self, x: __m256) -> __m128i {
        self.to_float16(self.beyond_ties(x))
    }

    /// Bfloat16s, of each lane the lower and the upper four, as float32s that are rounded so: see
    /// [`beyond_ties`](Self::beyond_ties). The bit is there for what is neither zero nor as far as infinity from it.
    #[inline(always)]
    fn brains_beyond_ties(self, words: __m256i) -> [__m256; 2] {
        let double = self.add16(words, words);
        let below_infinity = self.sub_clamped_u16(self.all16(0xff00u16 as i16), double);
        let bit = self.min_u16(self.min_u16(double, below_infinity), self.all16(1));
        [self.as_ps(self.low16(bit, words)), self.as_ps(self.high16(bit, words))]
    }

    /// The same of integers, whose float16s are no subnormals: half a unit more, of which the rest is cut off, is exact, or
    /// too large.
    #[inline(always)]
    fn near_half_of_int(self, x: __m256) -> __m128i {
        const UNIT: i32 = 1 << (23 - 10);
        let more = self.add32(self.ps_bits(x), self.all32(UNIT / 2));
        self.to_float16(self.as_ps(self.and(more, self.all32(-UNIT))))
    }

    /// Float32s of integers with bfloat16s in their upper words: what is added below carries into these.
    #[inline(always)]
    fn brain_by<A: Real, const MODE: u8>(self, x: __m256) -> __m256i {
        let (bits, low) = (self.ps_bits(x), self.all32(0xffff));
        if MODE == Mode::TowardZero as u8 {
            return bits;
        }
        let more = if MODE == Mode::NearestAway as u8 {
            self.all32(0x8000)
        } else if matches!(A::DTYPE.kind(), Kind::UInt) {
            low
        } else if MODE == Mode::Up as u8 {
            self.andnot(self.sar32::<31>(bits), low)
        } else {
            self.and(self.sar32::<31>(bits), low)
        };
        self.add32(bits, more)
    }

    /// Float32s as integers; by [`Mode::NearestAway`] before they are cut off toward zero.
    #[inline(always)]
    fn whole<const MODE: u8>(self, v: __m256) -> __m256 {
        if MODE == Mode::Up as u8 {
            self.round_ps::<UP>(v)
        } else if MODE == Mode::Down as u8 {
            self.round_ps::<DOWN>(v)
        } else if MODE == Mode::NearestEven as u8 {
            self.round_ps::<NEAREST>(v)
        } else {
            self.half_further(v)
        }
    }

    /// The same of float64s.
    #[inline(always)]
    pub(super) fn whole_64<const MODE: u8>(self, v: __m256d) -> __m256d {
        if MODE == Mode::Up as u8 {
            self.round_pd::<UP>(v)
        } else if MODE == Mode::Down as u8 {
            self.round_pd::<DOWN>(v)
        } else if MODE == Mode::NearestEven as u8 {
            self.round_pd::<NEAREST>(v)
        } else {
            self.half_further_64(v)
        }
    }
}
