//! Integers clamped to the range of others, where AVX-512 does better than portable code: 64-bit integers to those of a
//! byte or two, by the instructions that narrow with saturation; and any to packed ones, before they reach memory.

use super::by_codes::{Eight, Four, Two};
use super::codes::{Codes, store_all};
use super::eights::by_eights;
use super::lanes::{both, each};
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::format::Numbers;
use crate::options::Overflow;
use crate::shape::{Clamps, Range};
use crate::table::{Kernel, Params};
use core::arch::x86_64::*;

/// The portable loops, and in place of some of them those below.
pub(super) const fn clamps(portable: Clamps) -> Clamps {
    use DType::{Int8, Int16, Int64, UInt8, UInt16, UInt64};
    portable
        .with(Int64, Int8, long_to_byte::<true, true>)
        .with(UInt64, Int8, long_to_byte::<false, true>)
        .with(UInt64, UInt8, long_to_byte::<false, false>)
        .with(Int64, UInt16, long_to_word::<true>)
        .with(UInt64, Int16, long_to_word::<false>)
}

/// Integers of 64 bits to those of 8, clamped to a range of theirs.
///
/// # Safety
/// As for every loop of [`Clamps`].
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
/// As for every loop of [`Clamps`].
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

/// The kernel of a pair of real dtypes under options, if it is integers that are clamped to few bits, of which several are
/// packed, or to bytes without a sign from the longest.
pub(super) fn under_options<L: LookUp + Isa>(params: &Params) -> Option<Kernel> {
    let (from, to) = (params.from, params.to);
    let is_whole = |dtype: DType| matches!(dtype.kind(), Kind::Int | Kind::UInt);
    let are_clamped = matches!(params.options.overflow, Overflow::Saturate);
    if !are_clamped || !is_whole(from) || !is_whole(to) || from.significant_bits() < 8 {
        return None;
    }
    Some(match (from, to.bits()) {
        (DType::Int8, 2) => clamped::<L, Two, 1, true>,
        (DType::Int8, 4) => clamped::<L, Four, 1, true>,
        (DType::UInt8, 2) => clamped::<L, Two, 1, false>,
        (DType::UInt8, 4) => clamped::<L, Four, 1, false>,
        (DType::Int16, 2) => clamped::<L, Two, 2, true>,
        (DType::Int16, 4) => clamped::<L, Four, 2, true>,
        (DType::UInt16, 2) => clamped::<L, Two, 2, false>,
        (DType::UInt16, 4) => clamped::<L, Four, 2, false>,
        (DType::Int32, 2) => clamped::<L, Two, 4, true>,
        (DType::Int32, 4) => clamped::<L, Four, 4, true>,
        (DType::UInt32, 2) => clamped::<L, Two, 4, false>,
        (DType::UInt32, 4) => clamped::<L, Four, 4, false>,
        (DType::Int64, 2) => clamped::<L, Two, 8, true>,
        (DType::Int64, 4) => clamped::<L, Four, 8, true>,
        (DType::UInt64, 2) => clamped::<L, Two, 8, false>,
        (DType::UInt64, 4) => clamped::<L, Four, 8, false>,
        (DType::Int64, 8) if matches!(to.kind(), Kind::UInt) => clamped::<L, Eight, 8, true>,
        _ => return None,
    })
}

/// Integers of `SIZE` bytes, clamped to the range of the destination.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`]; `B` has as many bits as the destination, which is one of integers, and
/// if that is a byte, has no sign.
unsafe fn clamped<L: LookUp + Isa, B: Codes, const SIZE: usize, const SIGNED: bool>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    let isa = unsafe { L::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let x = isa.features();
            let Numbers::Int(range) = params.to.numbers() else {
                unreachable!("the kernel is for integers");
            };
            let (low, high) =
                (x.byte((range.min_magnitude() as u8).wrapping_neg()), x.byte(range.max() as u8));
            // SAFETY: the caller's.
            unsafe {
                store_all::<L, B>(
                    isa,
                    dst,
                    n,
                    false,
                    #[inline(always)]
                    |i, count| {
                        let src = src.add(SIZE * i);
                        if SIGNED && B::BITS < 8 {
                            let bytes = x.saturated::<SIZE, true, true>(src, count);
                            x.bw._mm512_max_epi8(x.bw._mm512_min_epi8(bytes, high), low)
                        } else {
                            let bytes = x.saturated::<SIZE, SIGNED, false>(src, count);
                            x.bw._mm512_min_epu8(bytes, high)
                        }
                    },
                );
            }
        },
    );
    n
}

impl Features {
    /// Up to 64 integers of `SIZE` bytes saturated to those of a byte; any for those past `n`. (None without a sign to those
    /// with one.)
    ///
    /// # Safety
    /// `src` is valid for reading `n` of them.
    #[inline(always)]
    unsafe fn saturated<const SIZE: usize, const FROM_SIGNED: bool, const TO_SIGNED: bool>(
        self,
        src: *const u8,
        n: usize,
    ) -> __m512i {
        const { assert!(FROM_SIGNED || !TO_SIGNED) };
        // SAFETY: the caller's.
        unsafe {
            match SIZE {
                1 => self.load_of_64(src, 1, n, 0),
                2 => {
                    let v = [self.load_of_64(src, 2, n, 0), self.load_of_64(src, 2, n, 1)];
                    self.unmix_words(self.saturated_words::<FROM_SIGNED, TO_SIGNED>(v))
                }
                4 => self.saturated_dwords::<FROM_SIGNED, TO_SIGNED>([
                    self.load_of_64(src, 4, n, 0),
                    self.load_of_64(src, 4, n, 1),
                    self.load_of_64(src, 4, n, 2),
                    self.load_of_64(src, 4, n, 3),
                ]),
                _ => self.saturated_dwords::<FROM_SIGNED, TO_SIGNED>([
                    self.saturated_qwords::<FROM_SIGNED>(src, n, 0),
                    self.saturated_qwords::<FROM_SIGNED>(src, n, 2),
                    self.saturated_qwords::<FROM_SIGNED>(src, n, 4),
                    self.saturated_qwords::<FROM_SIGNED>(src, n, 6),
                ]),
            }
        }
    }

    /// The qwords of two registers saturated to dwords. (The instructions that do it take longer than to take them apart.)
    ///
    /// # Safety
    /// As for [`saturated`](Self::saturated).
    #[inline(always)]
    unsafe fn saturated_qwords<const SIGNED: bool>(
        self,
        src: *const u8,
        n: usize,
        k: usize,
    ) -> __m512i {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.load_of_64(src, 8, n, k), self.load_of_64(src, 8, n, k + 1)) };
        let (low, high) = (self.low_dwords([a, b]), self.high_dwords([a, b]));
        let f = self.f;
        if SIGNED {
            // What fits has copies of its sign above.
            let past = f._mm512_cmpneq_epi32_mask(high, f._mm512_srai_epi32::<31>(low));
            let sign = f._mm512_srai_epi32::<31>(high);
            f._mm512_mask_xor_epi32(low, past, sign, self.dword(i32::MAX as u32))
        } else {
            let past = f._mm512_test_epi32_mask(high, high);
            f._mm512_mask_mov_epi32(low, past, self.dword(u32::MAX))
        }
    }

    /// The same of dwords in four registers.
    #[inline(always)]
    fn saturated_dwords<const FROM_SIGNED: bool, const TO_SIGNED: bool>(
        self,
        v: [__m512i; 4],
    ) -> __m512i {
        let [a, b, c, d] = match FROM_SIGNED {
            true => v,
            false => each(
                v,
                #[inline(always)]
                |v| self.f._mm512_min_epu32(v, self.dword(255)),
            ),
        };
        let words = [self.bw._mm512_packs_epi32(a, b), self.bw._mm512_packs_epi32(c, d)];
        self.unmix(self.saturated_words::<true, TO_SIGNED>(words))
    }

    /// The same of words in two registers, in the order of packing.
    #[inline(always)]
    fn saturated_words<const FROM_SIGNED: bool, const TO_SIGNED: bool>(
        self,
        v: [__m512i; 2],
    ) -> __m512i {
        let [a, b] = match FROM_SIGNED {
            true => v,
            false => both(
                v,
                #[inline(always)]
                |v| self.bw._mm512_min_epu16(v, self.word(255)),
            ),
        };
        match TO_SIGNED {
            true => self.bw._mm512_packs_epi16(a, b),
            false => self.bw._mm512_packus_epi16(a, b),
        }
    }
}
