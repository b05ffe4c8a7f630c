//! Integers clamped to the range of others, where AVX-512 does better than portable code: 64-bit integers to bytes, by
//! the instructions that narrow with saturation.

use super::eights::by_eights;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::shape::{Clamps, Range};
use core::arch::x86_64::*;

/// The portable loops, and in place of some of them those below.
pub(super) const fn clamps(portable: Clamps) -> Clamps {
    use DType::{Int8, Int64, UInt8, UInt64};
    portable
        .with(Int64, Int8, long_to_byte::<true, true>)
        .with(Int64, UInt8, long_to_byte::<true, false>)
        .with(UInt64, Int8, long_to_byte::<false, true>)
        .with(UInt64, UInt8, long_to_byte::<false, false>)
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

/// Eight integers saturated to bytes.
#[inline(always)]
fn narrowed<const FROM_SIGNED: bool, const TO_SIGNED: bool>(x: Features, v: __m512i) -> __m128i {
    match (FROM_SIGNED, TO_SIGNED) {
        (true, true) => x.f._mm512_cvtsepi64_epi8(v),
        // (Negative ones to zero by a mask: a maximum of 64-bit integers takes three times as long.)
        (true, false) => x.f._mm512_maskz_cvtusepi64_epi8(!x.dq._mm512_movepi64_mask(v), v),
        // What is past a signed range is past it as a byte without a sign.
        (false, _) => x.f._mm512_cvtusepi64_epi8(v),
    }
}
