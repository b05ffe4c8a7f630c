//! From numbers of 16 bits to bools, by packing what is not zero, and to integers of one bit, to which also from float32: by
//! what comparisons tell. From floats of 32 and 64 bits in the other byte order to bools, of which none need be turned.

use super::Features;
use super::bridge::QUIETLY;
use super::codes::{Codes, Pair, load_pair, store_all, turning};
use super::lanes::{both, each, join_masks, join_two};
use super::narrow::{bytes_of_dwords, bytes_of_words};
use super::tables::LookUp;
use crate::dtypes::{DType, Kind, Real};
use core::arch::x86_64::*;

/// Whether [`truths`] is for a pair.
pub(super) const fn has_truths(from: DType, to: DType) -> bool {
    from.bits() == 16 && matches!(to, DType::Bool)
}

/// 16-bit numbers to bool.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn truths<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let whole = matches!(A::Numbers::DTYPE.kind(), Kind::Int | Kind::UInt);
    // SAFETY: the caller's.
    unsafe { truths_of(isa, src, dst, n, pair, if whole { 0xffff } else { 0x7fff }) }
}

/// 16-bit floats to bool, of which the sign is in the lower byte.
///
/// # Safety
/// As for [`truths`].
#[inline(always)]
pub(super) unsafe fn truths_of_turned<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { truths_of(isa, src, dst, n, pair, 0xff7f) }
}

/// Whether words have any of some bits.
///
/// # Safety
/// As for [`truths`].
#[inline(always)]
unsafe fn truths_of<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
    bits: u16,
) {
    let x = isa.features();
    // SAFETY: the caller's.
    unsafe {
        if B::BITS == 1 {
            return tests_of_words(
                isa,
                src,
                dst,
                n,
                pair,
                #[inline(always)]
                |v| x.bw._mm512_test_epi16_mask(v, x.word(bits)),
                #[inline(always)]
                |tests| x.bw._mm512_maskz_mov_epi8(tests, x.byte(1)),
            );
        }
        bytes_of_words(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |words| {
                let [a, b] = both(
                    words,
                    #[inline(always)]
                    |v| x.f._mm512_and_si512(v, x.word(bits)),
                );
                // (Clamped, what is not zero stays so.)
                x.truth_of_bytes(x.unmix_words(x.bw._mm512_packs_epi16(a, b)))
            },
        )
    }
}

/// Whether [`truths_of_turned_longs`] is for a pair.
pub(super) const fn has_long_truths(from: DType, to: DType) -> bool {
    matches!(from, DType::Float32 | DType::Float64) && matches!(to, DType::Bool)
}

/// Floats of 32 and 64 bits to bool, of which the sign is in the lowest byte.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn truths_of_turned_longs<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let turning = turning::<L, A, B>(isa);
    let size = size_of::<<A::Numbers as Real>::Stored>();
    // SAFETY: the caller's; where a pair begins past the last element, nothing is read.
    unsafe {
        store_all::<L, B>(
            isa,
            dst,
            n,
            false,
            #[inline(always)]
            |i, count| {
                let (src, bytes) = (src.add(size * i), size * count);
                let mut tests = 0;
                for k in 0..size / 2 {
                    let left = bytes.saturating_sub(128 * k).min(128);
                    let pair = load_pair::<A>(x, turning, src.wrapping_add(128 * k), left);
                    tests |= x.nonzero_of_turned(size, pair) << (128 / size * k);
                }
                x.bw._mm512_maskz_mov_epi8(tests, x.byte(1))
            },
        );
    }
}

impl Features {
    /// Bools of bytes, of which any but 0 is true.
    #[inline(always)]
    pub(super) fn truth_of_bytes(self, bytes: __m512i) -> __m512i {
        self.bw._mm512_min_epu8(bytes, self.byte(1))
    }

    /// Which float32s are from one on, or from minus one down.
    #[inline(always)]
    fn are_one(self, signed: bool, v: __m512i) -> __mmask16 {
        let (f, v) = (self.f, self.f._mm512_castsi512_ps(v));
        match signed {
            true => f._mm512_cmp_round_ps_mask::<_CMP_LE_OQ, QUIETLY>(v, f._mm512_set1_ps(-1.0)),
            false => f._mm512_cmp_round_ps_mask::<_CMP_GE_OQ, QUIETLY>(v, f._mm512_set1_ps(1.0)),
        }
    }

    /// Integers of one bit, a byte each, of which those are set that are told.
    #[inline(always)]
    fn ones(self, signed: bool, tests: __mmask64) -> __m512i {
        match signed {
            true => self.bw._mm512_movm_epi8(tests),
            false => self.bw._mm512_maskz_mov_epi8(tests, self.byte(1)),
        }
    }

    /// Which turned floats of 4 or 8 bytes are not zero, of either sign.
    #[inline(always)]
    fn nonzero_of_turned(self, size: usize, [a, b]: [__m512i; 2]) -> u64 {
        if size == 4 {
            let magnitude = self.dword((i32::MAX as u32).swap_bytes());
            let low = u64::from(self.f._mm512_test_epi32_mask(a, magnitude));
            return low | u64::from(self.f._mm512_test_epi32_mask(b, magnitude)) << 16;
        }
        let magnitude = self.qword((i64::MAX as u64).swap_bytes());
        let low = self.f._mm512_test_epi64_mask(a, magnitude);
        join_two(low, self.f._mm512_test_epi64_mask(b, magnitude)).into()
    }
}

/// Whether [`ones`] is for a pair.
pub(super) const fn has_ones(from: DType, to: DType) -> bool {
    matches!(from, DType::Float16 | DType::BFloat16) && matches!(to, DType::Int1 | DType::UInt1)
}

/// 16-bit floats to integers of one bit. It is set from one on, or, where it stands for -1, from minus one down, as far as
/// infinity: in words a range of the unsigned.
///
/// # Safety
/// As for [`truths`].
#[inline(always)]
pub(super) unsafe fn ones<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let (x, signed) = (isa.features(), matches!(B::Numbers::DTYPE, DType::Int1));
    let (one, infinity) = const {
        let format = A::Numbers::DTYPE.float_format();
        ((format.bias as u16) << format.mantissa_bits, format.max_finite() as u16 + 1)
    };
    let first = if signed { 0x8000 | one } else { one };
    // SAFETY: the caller's.
    unsafe {
        tests_of_words(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |v| {
                let past = x.bw._mm512_sub_epi16(v, x.word(first));
                x.bw._mm512_cmple_epu16_mask(past, x.word(infinity - one))
            },
            #[inline(always)]
            |tests| x.ones(signed, tests),
        )
    }
}

/// Whether [`ones_of_floats`] is for a pair.
pub(super) const fn has_ones_of_floats(from: DType, to: DType) -> bool {
    matches!(from, DType::Float32) && matches!(to, DType::Int1 | DType::UInt1)
}

/// Float32s to integers of one bit, in the same way.
///
/// # Safety
/// `src` is valid for reading `4 * n` bytes and `dst` for writing `n` elements of `B`; they don't overlap.
#[inline(always)]
pub(super) unsafe fn ones_of_floats<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let (x, signed) = (isa.features(), matches!(B::Numbers::DTYPE, DType::Int1));
    // SAFETY: the caller's.
    unsafe {
        bytes_of_dwords(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |v| {
                let tests = each(
                    v,
                    #[inline(always)]
                    |v| x.are_one(signed, v),
                );
                x.ones(signed, join_masks(tests))
            },
        )
    }
}

/// What tests of words tell, and a byte each stands for.
///
/// # Safety
/// As for [`truths`].
#[inline(always)]
unsafe fn tests_of_words<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
    test: impl Fn(__m512i) -> __mmask32,
    bytes: impl Fn(__mmask64) -> __m512i,
) {
    // SAFETY: the caller's.
    unsafe {
        bytes_of_words(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |[a, b]| bytes(u64::from(test(a)) | u64::from(test(b)) << 32),
        )
    }
}
