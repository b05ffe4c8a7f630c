//! To numbers of 16 bits, where whole registers can be loaded and stored: from integers of a byte, between float16 and
//! bfloat16, and from float16 to integers, these in lanes of 16 bits.

use super::codes::{Codes, Pair, over_pair};
use super::lanes::both;
use super::shim::Vbmi;
use super::tables::LookUp;
use super::uppers::Uppers;
use super::{Avx512, Features};
use crate::dtypes::{DType, Real};
use crate::shape::Mode;
use core::arch::x86_64::*;

/// 8-bit integers to 16-bit ones.
///
/// # Safety
/// `src` is valid for reading `n` bytes and `dst` for writing `2 * n`; they don't overlap.
#[inline(always)]
pub(super) unsafe fn words_of_bytes<A: Codes, B: Codes>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let mut i = 0;
    // SAFETY: the caller's.
    unsafe {
        while n - i >= 64 {
            let (low, high) = (x.load_words(src.add(i)), x.load_words(src.add(i + 32)));
            x.store_dwords(dst.add(2 * i), widened::<A>(x, low));
            x.store_dwords(dst.add(2 * i + 64), widened::<A>(x, high));
            i += 64;
        }
        if i < n {
            let [low, high] = x.halves(x.load_first(src.add(i), n - i));
            let bytes = 2 * (n - i);
            x.store_first(dst.add(2 * i), widened::<A>(x, low), bytes.min(64));
            if bytes > 64 {
                x.store_first(dst.add(2 * i + 64), widened::<A>(x, high), bytes - 64);
            }
        }
    }
}

#[inline(always)]
fn widened<A: Codes>(x: Features, v: __m256i) -> __m512i {
    match A::Numbers::DTYPE {
        DType::Int8 => x.bw._mm512_cvtepi8_epi16(v),
        _ => x.bw._mm512_cvtepu8_epi16(v),
    }
}

/// Bfloat16 to float16. NaNs, which are float32's as well, the conversion makes quiet.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing as many; they don't overlap.
#[inline(always)]
pub(super) unsafe fn float16s<A: Codes, B: Codes>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let (x, uppers) = (isa.features(), Uppers::of_words());
    // SAFETY: the caller's.
    unsafe {
        float16s_of(
            x,
            src,
            dst,
            n,
            #[inline(always)]
            |half, v| uppers.floats(x, half, v),
        )
    }
}

/// The same of bfloat16s whose bytes are turned.
///
/// # Safety
/// As for [`float16s`].
#[inline(always)]
pub(super) unsafe fn float16s_of_turned<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let uppers = Uppers::of_turned_words();
    // SAFETY: the caller's.
    unsafe {
        float16s_of(
            isa.features,
            src,
            dst,
            n,
            #[inline(always)]
            |half, v| uppers.turned_floats(isa, half, v),
        )
    }
}

/// Bfloat16s, which are turned or not, to turned float16s: one permutation puts what both halves of a register become together,
/// and turns it.
///
/// # Safety
/// As for [`float16s`].
#[inline(always)]
pub(super) unsafe fn turned_float16s<A: Codes, B: Codes, const TURNED: bool>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features;
    let uppers = if TURNED { Uppers::of_turned_words() } else { Uppers::of_words() };
    let places = x.constant(const { &turned_words_of_halves() });
    let half = |i: usize, v| {
        let floats = match TURNED {
            true => uppers.turned_floats(isa, i, v),
            false => uppers.floats(x, i, v),
        };
        x.f._mm512_castsi256_si512(x.float16s::<_MM_FROUND_TO_NEAREST_INT>(floats))
    };
    // SAFETY: the caller's.
    unsafe {
        words_of_words(
            x,
            src,
            dst,
            n,
            #[inline(always)]
            |v| isa.permutex2var_epi8(half(0, v), places, half(1, v)),
        )
    }
}

/// The bytes of words in the lower halves of two registers, of each word the upper one first.
const fn turned_words_of_halves() -> [u8; 64] {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        let byte = i as u8 ^ 1;
        // (The second register's places are those from 64 on.)
        places[i] = byte % 32 + if i < 32 { 0 } else { 64 };
        i += 1;
    }
    places
}

/// To float16s from float32s that the halves of registers become.
///
/// # Safety
/// As for [`float16s`].
#[inline(always)]
unsafe fn float16s_of(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    floats: impl Fn(usize, __m512i) -> __m512,
) {
    let half = |i: usize, v| x.float16s::<_MM_FROUND_TO_NEAREST_INT>(floats(i, v));
    let mut i = 0;
    // SAFETY: the caller's; of the last register that part is read and written that the buffers have.
    unsafe {
        while n - i >= 32 {
            let (v, to) = (x.load_dwords(src.add(2 * i)), dst.add(2 * i));
            x.store_words(to, half(0, v));
            x.store_words(to.add(32), half(1, v));
            i += 32;
        }
        if i < n {
            let (left, to) = (n - i, dst.add(2 * i));
            let v = x.load_first(src.add(2 * i), 2 * left);
            x.store_words_part(to, half(0, v), left.min(16));
            if left > 16 {
                x.store_words_part(to.add(32), half(1, v), left - 16);
            }
        }
    }
}

/// Makes a word of each word.
///
/// # Safety
/// As for [`integers_of_float16s`].
#[inline(always)]
unsafe fn words_of_words(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    words: impl Fn(__m512i) -> __m512i,
) {
    let mut i = 0;
    // SAFETY: the caller's; of the last register that part is read and written that the buffers have.
    unsafe {
        while n - i >= 32 {
            x.store_dwords(dst.add(2 * i), words(x.load_dwords(src.add(2 * i))));
            i += 32;
        }
        if i < n {
            let bytes = 2 * (n - i);
            let v = words(x.load_first(src.add(2 * i), bytes));
            x.store_first(dst.add(2 * i), v, bytes);
        }
    }
}

/// Float16 to bfloat16 by a mode: the upper halves of float32s, one further from zero where the mode says so by the sign, and
/// there is anything in the lower one. (NaN, which the conversion makes quiet, is past infinity and is not moved.)
///
/// # Safety
/// As for every store, see [`Stores`](crate::shape::Stores).
pub(super) unsafe fn brains_of_float16s<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: bool,
) {
    const INFINITY: u16 = 0x7f80;
    const { assert!(matches!((A::DTYPE, B::DTYPE), (DType::Float16, DType::BFloat16))) };
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Avx512, A, B>(
            #[inline(always)]
            |isa, _| {
                let x = isa.features();
                words_of_words(
                    x,
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |v| {
                        let [a, b] = both(
                            x.halves(v),
                            #[inline(always)]
                            |v| x.f._mm512_castps_si512(x.floats_of_halves(v)),
                        );
                        let upper = x.high_words(a, b);
                        let lower = x.low_words(a, b);
                        let rest = x.bw._mm512_test_epi16_mask(lower, lower);
                        let further = if MODE == Mode::Up as u8 {
                            x.bw._mm512_mask_cmple_epu16_mask(rest, upper, x.word(INFINITY))
                        } else if MODE == Mode::Down as u8 {
                            x.bw._mm512_mask_cmple_epi16_mask(
                                rest,
                                upper,
                                x.word(1 << 15 | INFINITY),
                            )
                        } else {
                            return upper;
                        };
                        x.bw._mm512_mask_add_epi16(upper, further, upper, x.word(1))
                    },
                );
            },
        );
    }
}

/// Float16 to integers of 16 bits.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing as many; they don't overlap.
#[inline(always)]
pub(super) unsafe fn integers_of_float16s<A: Codes, B: Codes>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    // SAFETY: the caller's.
    unsafe {
        words_of_words(
            x,
            src,
            dst,
            n,
            #[inline(always)]
            |v| integers_of::<B>(x, v),
        )
    }
}

#[inline(always)]
fn integers_of<B: Codes>(x: Features, v: __m512i) -> __m512i {
    let infinity = x.word(0x7c00);
    if matches!(B::Numbers::DTYPE, DType::UInt16) {
        // NaN and, by their signs, negative numbers are past infinity.
        let number = x.bw._mm512_cmple_epu16_mask(v, infinity);
        let infinite = x.bw._mm512_cmpeq_epi16_mask(v, infinity);
        let cut = whole_part(x, number, v);
        return x.bw._mm512_mask_mov_epi16(cut, infinite, x.word(0xffff));
    }
    let magnitude = x.f._mm512_and_si512(v, x.word(0x7fff));
    let number = x.bw._mm512_cmple_epu16_mask(magnitude, infinity);
    // Up to 2^15: what is past it becomes that.
    let cut = whole_part(x, number, x.bw._mm512_min_epu16(magnitude, x.word(0x7800)));
    let negative = x.bw._mm512_movepi16_mask(v);
    let positive = x.bw._mm512_min_epu16(cut, x.word(0x7fff));
    x.bw._mm512_mask_sub_epi16(positive, negative, x.f._mm512_setzero_si512(), cut)
}

/// What is above the point of float16s without a sign, where asked for, else 0.
///
/// With the leading bit at the top of the word, the significand of a number of exponent `e` is its
/// value times `2^(15 - e)`, and `30 - field` is that `15 - e`. For numbers below 1 it is 16 or more,
/// and nothing is left, nor of subnormal ones, although they have no leading bit.
#[inline(always)]
fn whole_part(x: Features, asked: __mmask32, v: __m512i) -> __m512i {
    let significand = x.f._mm512_or_si512(x.bw._mm512_slli_epi16::<5>(v), x.word(0x8000));
    let places = x.bw._mm512_sub_epi16(x.word(30), x.bw._mm512_srli_epi16::<10>(v));
    x.bw._mm512_maskz_srlv_epi16(asked, significand, places)
}
