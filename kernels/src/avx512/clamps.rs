//! Integers clamped to the range of others, where AVX-512 does better than portable code: 64-bit integers to those of a
//! byte or two, by the instructions that narrow with saturation.

use super::eights::by_eights;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::shape::{Clamps, Range};
use core::arch::x86_64::*;

/// The portable loops, and in place of some of them those below.
pub(super) const fn clamps(portable: Clamps) -> Clamps {
    use DType::{Int8, Int16, Int64, UInt8, UInt16, UInt64};
    portable
        .with(Int64, Int8, long_to_byte::<true, true>)
        .with(Int64, UInt8, long_to_byte::<true, false>)
        .with(UInt64, Int8, long_to_byte::<false, true>)
        .with(UInt64, UInt8, long_to_byte::<false, false>)
        .with(Int64, UInt16, long_to_word::<true>)
        .with(UInt64, Int16, long_to_word::<false>)
}

/// Integers of 64 bits to those of 8, clamped to a range of theirs.
///
/// # Safety
/// As for every [`Clamp`](crate::shape::Clamp).
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn long_to_byte<const FROM_SIGNED: bool, const TO_SIGNED: bool>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    range: Range,
) {
    // SAFETY: the caller's.
    unsafe {
        let Avx512(x) = Avx512::summon();
        let all = |v: u64| x.sse2._mm_set1_epi8(v as i8);
        let (low, high) = (all(range.0), all(range.1));
        by_eights::<8, 1>(
            x,
            src,
            dst,
            n,
            #[inline(always)]
            |v| {
                let bytes = narrowed::<FROM_SIGNED, TO_SIGNED>(x, v);
                let bytes = if FROM_SIGNED && TO_SIGNED {
                    x.sse4_1._mm_max_epi8(x.sse4_1._mm_min_epi8(bytes, high), low)
                } else {
                    x.sse2._mm_min_epu8(bytes, high)
                };
                [x.f._mm512_castsi128_si512(bytes); 2]
            },
        );
    }
}

/// Integers of 64 bits to those of 16, clamped to what both hold: from signed ones to those without a sign, or from
/// those without to signed ones.
///
/// # Safety
/// As for every [`Clamp`](crate::shape::Clamp).
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn long_to_word<const FROM_SIGNED: bool>(src: *const u8, dst: *mut u8, n: usize, _: Range) {
    // SAFETY: the caller's.
    unsafe {
        let Avx512(x) = Avx512::summon();
        let largest = x.sse2._mm_set1_epi16(i16::MAX);
        by_eights::<8, 2>(
            x,
            src,
            dst,
            n,
            #[inline(always)]
            |v| {
                let words = if FROM_SIGNED {
                    x.f._mm512_cvtusepi64_epi16(not_negative(x, v))
                } else {
                    x.sse4_1._mm_min_epu16(x.f._mm512_cvtusepi64_epi16(v), largest)
                };
                [x.f._mm512_castsi128_si512(words); 2]
            },
        );
    }
}

/// Eight integers saturated to bytes, those without a sign to bytes without: what is past a signed range is past it
/// there, too.
#[inline(always)]
fn narrowed<const FROM_SIGNED: bool, const TO_SIGNED: bool>(x: Features, v: __m512i) -> __m128i {
    match (FROM_SIGNED, TO_SIGNED) {
        (true, true) => x.f._mm512_cvtsepi64_epi8(v),
        (true, false) => x.f._mm512_cvtusepi64_epi8(not_negative(x, v)),
        (false, _) => x.f._mm512_cvtusepi64_epi8(v),
    }
}

/// Negative integers to zero.
#[inline(always)]
fn not_negative(x: Features, v: __m512i) -> __m512i {
    x.f._mm512_max_epi64(v, x.f._mm512_setzero_si512())
}
