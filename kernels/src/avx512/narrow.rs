//! From lanes of 16 and 32 bits to codes of a byte by a few clamps and masks, where the hubs would
//! widen first or come to bytes that are yet to be packed.

use super::Features;
use super::bridge::{Hub, Odd, QUIETLY};
use super::codes::{Codes, Pair, load_pair, store_all, turning};
use super::decode::F32;
use super::encode::{bytes, fill};
use super::lanes::{both, each};
use super::maps::Maps;
use super::small::Small;
use super::tables::LookUp;
use super::turned::words_to_bytes;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::format::Numbers;
use crate::shape::Mode;
use core::arch::x86_64::*;

/// Whether [`low_bytes`] is for a pair.
pub(super) const fn has_low_bytes(from: DType, to: DType) -> bool {
    let whole = matches!(from, DType::Int16 | DType::UInt16);
    whole && matches!(to.kind(), Kind::Int | Kind::UInt) && to.bits() == 8
}

/// 16-bit integers to those of at most 8 bits, be they packed, which keeps but the bits that they have, or not.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn low_bytes<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe {
        bytes_of_words(
            isa,
            src,
            dst,
            n,
            pair.unturned(),
            #[inline(always)]
            |[a, b]| {
                let x = isa.features();
                // (Of turned words the low bytes are the high ones.)
                let bytes = if A::TURNED { isa.high_bytes(a, b) } else { isa.low_bytes(a, b) };
                match B::Numbers::DTYPE {
                    _ if B::BITS < 8 => bytes,
                    DType::Int1 => fill::<1, true>(x, bytes),
                    DType::Int2 => fill::<2, true>(x, bytes),
                    DType::Int4 => fill::<4, true>(x, bytes),
                    DType::UInt1 => fill::<1, false>(x, bytes),
                    DType::UInt2 => fill::<2, false>(x, bytes),
                    DType::UInt4 => fill::<4, false>(x, bytes),
                    _ => bytes,
                }
            },
        )
    }
}

/// Bfloat16 to float8_e8m0fnu: as from float32, see [`super::small`], with its upper half.
///
/// # Safety
/// As for [`low_bytes`].
#[inline(always)]
pub(super) unsafe fn powers<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { powers_of_brains::<L, A, B, { Mode::Up as u8 }, true>(isa, src, dst, n, pair) }
}

/// The same by a mode, which saturates or not: then 255, past the largest power, stays that, which is NaN.
///
/// # Safety
/// As for [`low_bytes`].
#[inline(always)]
pub(super) unsafe fn powers_of_brains<
    L: LookUp,
    A: Codes,
    B: Codes,
    const MODE: u8,
    const SATURATES: bool,
>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
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
            |[a, b]| {
                let x = isa.features();
                let (a, nan_a) = power::<MODE, SATURATES>(x, a);
                let (b, nan_b) = power::<MODE, SATURATES>(x, b);
                let mut codes = x.unmix_words(x.bw._mm512_packus_epi16(a, b));
                if SATURATES {
                    codes = x.bw._mm512_min_epu8(codes, x.byte(0xfe));
                }
                let nan = u64::from(nan_a) | u64::from(nan_b) << 32;
                x.bw._mm512_mask_mov_epi8(codes, nan, x.byte(0xff))
            },
        )
    }
}

/// The codes of powers of two in each word, see [`powers`](super::powers), and which are NaN or below zero; or else, where
/// nothing saturates, zero or too small: up to half of the smallest power.
#[inline(always)]
fn power<const MODE: u8, const SATURATES: bool>(x: Features, v: __m512i) -> (__m512i, __mmask32) {
    const { assert!(SATURATES || MODE == Mode::Up as u8) };
    let magnitude = x.f._mm512_and_si512(v, x.word(0x7fff));
    let code = if MODE == Mode::Up as u8 {
        let above = x.bw._mm512_cmpgt_epu16_mask(magnitude, x.word(0x40));
        let up = x.bw._mm512_add_epi16(magnitude, x.word(0x7f));
        x.bw._mm512_maskz_srli_epi16::<7>(above, up)
    } else if MODE == Mode::NearestAway as u8 {
        let subnormal = x.bw._mm512_cmplt_epu16_mask(magnitude, x.word(0x80));
        let half = x.bw._mm512_mask_mov_epi16(x.word(0x40), subnormal, x.word(0x20));
        x.bw._mm512_srli_epi16::<7>(x.bw._mm512_add_epi16(magnitude, half))
    } else {
        x.bw._mm512_srli_epi16::<7>(magnitude)
    };
    let past = x.bw._mm512_cmpgt_epu16_mask(v, x.word(0x7f80));
    let nan = x.bw._mm512_mask_cmpneq_epi16_mask(past, v, x.word(0x8000));
    match SATURATES {
        true => (code, nan),
        false => (code, nan | x.bw._mm512_cmple_epu16_mask(magnitude, x.word(0x20))),
    }
}

/// Makes a byte of each word.
///
/// # Safety
/// As for [`low_bytes`].
#[inline(always)]
pub(super) unsafe fn bytes_of_words<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
    bytes: impl Fn([__m512i; 2]) -> __m512i,
) {
    let (x, turning) = (isa.features(), turning::<L, A, B>(isa));
    // SAFETY: the caller's.
    unsafe {
        store_all::<L, B>(
            isa,
            dst,
            n,
            false,
            #[inline(always)]
            |i, count| bytes(load_pair::<A>(x, turning, src.add(2 * i), 2 * count)),
        );
    }
}

/// Makes a byte of each dword.
///
/// # Safety
/// `src` is valid for reading `4 * n` bytes and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn bytes_of_dwords<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
    bytes: impl Fn([__m512i; 4]) -> __m512i,
) {
    let (x, turning) = (isa.features(), turning::<L, A, B>(isa));
    // SAFETY: the caller's.
    unsafe {
        store_all::<L, B>(
            isa,
            dst,
            n,
            false,
            #[inline(always)]
            |i, count| {
                let (from, left) = (src.add(4 * i), 4 * count);
                let [a, b] = load_pair::<A>(x, turning, from, left.min(128));
                let [c, d] =
                    load_pair::<A>(x, turning, from.wrapping_add(128), left.saturating_sub(128));
                bytes([a, b, c, d])
            },
        );
    }
}

/// The exponent of a small float's largest number, if it has one and a sign: what integers of 16 and
/// 32 bits are clamped to depends on it.
const fn top_of(to: DType) -> Option<i32> {
    match to.numbers() {
        Numbers::Float(format) if to.bits() == 8 && format.signed() => Some(format.max_exponent()),
        _ => None,
    }
}

/// Whether [`small_from_words`] is for a pair.
pub(super) const fn has_small_from_words(from: DType, to: DType) -> bool {
    matches!(from, DType::Int16 | DType::UInt16) && top_of(to).is_some()
}

/// 16-bit integers to small floats. Where the number that every integer past a byte becomes is the
/// largest, and fits that byte: clamped to it, and by its table. Else by [`from_magnitudes`].
///
/// # Safety
/// As for [`low_bytes`].
#[inline(always)]
pub(super) unsafe fn small_from_words<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { small_of_words::<L, A, B, true>(isa, src, dst, n, pair) }
}

/// The same, which saturate or not.
///
/// # Safety
/// As for [`low_bytes`].
#[inline(always)]
pub(super) unsafe fn small_of_words<L: LookUp, A: Codes, B: Codes, const SATURATES: bool>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let x = isa.features();
    let clamps = matches!(A::Numbers::DTYPE, DType::UInt16)
        && const { matches!(top_of(B::Numbers::DTYPE), Some(..8)) };
    if A::TURNED && clamps {
        // SAFETY: the caller's.
        return unsafe {
            bytes_of_words(
                isa,
                src,
                dst,
                n,
                pair.unturned(),
                #[inline(always)]
                |v| from_unsigned::<L, B, SATURATES>(isa, words_to_bytes(isa, v)),
            )
        };
    }
    // SAFETY: the caller's.
    unsafe {
        bytes_of_words(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |[a, b]| match (A::Numbers::DTYPE, const { top_of(B::Numbers::DTYPE) }) {
                (DType::UInt16, Some(8..)) => from_magnitudes::<L, B, SATURATES>(isa, [a, b]),
                (_, Some(8..)) => {
                    let (c, d) = (x.bw._mm512_abs_epi16(a), x.bw._mm512_abs_epi16(b));
                    let signs = x.unmix_words(x.bw._mm512_packs_epi16(a, b));
                    Small::<B::Numbers>::finish(
                        x,
                        from_magnitudes::<L, B, SATURATES>(isa, [c, d]),
                        signs,
                    )
                }
                (DType::UInt16, _) => from_unsigned::<L, B, SATURATES>(isa, clamp(x, a, b)),
                (_, Some(7)) => {
                    // Past a signed byte: magnitude and sign apart.
                    let (c, d) = (x.bw._mm512_abs_epi16(a), x.bw._mm512_abs_epi16(b));
                    let signs = x.unmix_words(x.bw._mm512_packs_epi16(a, b));
                    Small::<B::Numbers>::finish(
                        x,
                        from_unsigned::<L, B, SATURATES>(isa, clamp(x, c, d)),
                        signs,
                    )
                }
                _ => from_signed::<L, B, SATURATES>(
                    isa,
                    x.unmix_words(x.bw._mm512_packs_epi16(a, b)),
                ),
            },
        )
    }
}

/// Unsigned words clamped to bytes.
#[inline(always)]
fn clamp(x: Features, a: __m512i, b: __m512i) -> __m512i {
    let most = x.word(255);
    let (a, b) = (x.bw._mm512_min_epu16(a, most), x.bw._mm512_min_epu16(b, most));
    x.unmix_words(x.bw._mm512_packus_epi16(a, b))
}

/// The codes of unsigned bytes.
#[inline(always)]
fn from_unsigned<L: LookUp, B: Codes, const SATURATES: bool>(isa: L, v: __m512i) -> __m512i {
    match SATURATES {
        true => isa.look_up(const { &Maps::<mark::UInt8, B::Numbers>::BYTE }, v),
        false => isa.look_up(const { &Maps::<mark::UInt8, B::Numbers>::OVERFLOWING }, v),
    }
}

/// The codes of signed bytes.
#[inline(always)]
fn from_signed<L: LookUp, B: Codes, const SATURATES: bool>(isa: L, v: __m512i) -> __m512i {
    match SATURATES {
        true => isa.look_up(const { &Maps::<mark::Int8, B::Numbers>::BYTE }, v),
        false => isa.look_up(const { &Maps::<mark::Int8, B::Numbers>::OVERFLOWING }, v),
    }
}

/// How many bits of a word are brought together in one by [`from_magnitudes`]. What is left of a word
/// past a byte has two bits more than a code's fraction and its leading one: the last says on which
/// side of a midpoint the number is.
const fn merged<B: Codes>() -> u32 {
    6 - Small::<B::Numbers>::FORMAT.mantissa_bits
}

/// The largest magnitude that is looked up, larger than all numbers.
const fn largest_magnitude<B: Codes>() -> u16 {
    match top_of(B::Numbers::DTYPE) {
        Some(top) if top < 15 => (1 << (8 + merged::<B>())) - 1,
        _ => u16::MAX,
    }
}

/// The codes of unsigned words, by the table of bytes. A number past a byte is looked up without its
/// last bits, but with those that are lost brought together in the last one left, and its code is so
/// many powers of two higher.
#[inline(always)]
fn from_magnitudes<L: LookUp, B: Codes, const SATURATES: bool>(isa: L, v: [__m512i; 2]) -> __m512i {
    let x = isa.features();
    let most = const { largest_magnitude::<B>() };
    let [(a, near_a, far_a), (b, near_b, far_b)] = both(
        v,
        #[inline(always)]
        |v| {
            let v = x.bw._mm512_min_epu16(v, x.word(most));
            let near = x.bw._mm512_cmpgt_epu16_mask(v, x.word(255));
            let far = x.bw._mm512_cmpgt_epu16_mask(v, x.word(4095));
            let byte = match const { merged::<B>() } {
                3 => x.bw._mm512_mask_srli_epi16::<3>(v, near, merge::<3>(x, v)),
                4 => {
                    let byte = x.bw._mm512_mask_srli_epi16::<4>(v, near, merge::<4>(x, v));
                    x.bw._mm512_mask_srli_epi16::<8>(byte, far, merge::<8>(x, v))
                }
                _ => unreachable!(),
            };
            (byte, near, far)
        },
    );
    let codes = from_unsigned::<L, B, SATURATES>(isa, isa.low_bytes(a, b));
    let powers = const { (merged::<B>() << Small::<B::Numbers>::FORMAT.mantissa_bits) as u8 };
    let near = u64::from(near_a) | u64::from(near_b) << 32;
    let codes = x.bw._mm512_mask_add_epi8(codes, near, codes, x.byte(powers));
    let codes = if most == u16::MAX {
        let far = u64::from(far_a) | u64::from(far_b) << 32;
        x.bw._mm512_mask_add_epi8(codes, far, codes, x.byte(powers))
    } else {
        codes
    };
    // (The code past the largest number's is that of infinity or NaN.)
    let most = Small::<B::Numbers>::FORMAT.max_finite() as u8 + !SATURATES as u8;
    x.bw._mm512_min_epu8(codes, x.byte(most))
}

/// Sets bit `BITS` of a word, the last that will be left, if one below it is set.
#[inline(always)]
fn merge<const BITS: u32>(x: Features, v: __m512i) -> __m512i {
    // If any of those below is set, the sum's bit is the other one than the word's, else the same.
    let sum = x.bw._mm512_add_epi16(v, x.word((1 << BITS) - 1));
    // v OR (sum AND the bit)
    x.f._mm512_ternarylogic_epi32::<0xf8>(v, sum, x.word(1 << BITS))
}

/// Whether [`small_from_dwords`] is for a pair.
pub(super) const fn has_small_from_dwords(from: DType, to: DType) -> bool {
    match (from, top_of(to)) {
        (DType::Int32, Some(top)) => top <= 6,
        (DType::UInt32, Some(top)) => top <= 7,
        _ => false,
    }
}

/// 32-bit integers to small floats, in the same way.
///
/// # Safety
/// `src` is valid for reading `4 * n` bytes and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn small_from_dwords<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { small_of_dwords::<L, A, B, true>(isa, src, dst, n, pair) }
}

/// The same, which saturate or not.
///
/// # Safety
/// As for [`small_from_dwords`].
#[inline(always)]
pub(super) unsafe fn small_of_dwords<L: LookUp, A: Codes, B: Codes, const SATURATES: bool>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let x = isa.features();
    // SAFETY: the caller's.
    unsafe {
        bytes_of_dwords(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |v| match A::Numbers::DTYPE {
                DType::UInt32 => {
                    let v = each(
                        v,
                        #[inline(always)]
                        |v| x.f._mm512_min_epu32(v, x.dword(255)),
                    );
                    from_unsigned::<L, B, SATURATES>(isa, x.clamp_to_bytes::<false>(v))
                }
                _ => from_signed::<L, B, SATURATES>(isa, x.clamp_to_bytes::<true>(v)),
            },
        )
    }
}

/// Whether [`small_from_floats`] is for a pair.
pub(super) const fn has_small_from_floats(from: DType, to: DType) -> bool {
    matches!(from, DType::Float32) && top_of(to).is_some()
}

/// Float32 to packed small floats.
///
/// # Safety
/// As for [`small_from_dwords`].
#[inline(always)]
pub(super) unsafe fn small_from_floats<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let x = isa.features();
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
                let v = each(
                    v,
                    #[inline(always)]
                    |v| Odd { lanes: x.f._mm512_castsi512_ps(v), nan: true },
                );
                Small::<B::Numbers>::step(x, v)
            },
        )
    }
}

/// Whether [`whole_from_floats`] is for a pair.
pub(super) const fn has_whole_from_floats(from: DType, to: DType) -> bool {
    let is_whole = matches!(to.kind(), Kind::Int | Kind::UInt);
    matches!(from, DType::Float32) && is_whole && matches!(to.significant_bits(), 2..=4)
}

/// Float32 to packed integers of 2 and 4 bits.
///
/// # Safety
/// As for [`small_from_dwords`].
#[inline(always)]
pub(super) unsafe fn whole_from_floats<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let x = isa.features();
    // SAFETY: the caller's.
    unsafe {
        bytes_of_dwords(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |v| match B::Numbers::DTYPE {
                DType::Int2 => whole::<2, true>(x, v),
                DType::Int4 => whole::<4, true>(x, v),
                DType::UInt2 => whole::<2, false>(x, v),
                _ => whole::<4, false>(x, v),
            },
        )
    }
}

/// Float32s cut to integers of so many bits, a byte each.
#[inline(always)]
fn whole<const BITS: u32, const SIGNED: bool>(x: Features, v: [__m512i; 4]) -> __m512i {
    if !SIGNED {
        // Up to the largest, or NaN, the second operand, which becomes the lowest integer: packing clamps that and what is
        // negative to 0.
        let most = x.f._mm512_set1_ps(const { ((1u32 << BITS) - 1) as f32 });
        let cut = each(
            v,
            #[inline(always)]
            |v| {
                let v = x.f._mm512_min_round_ps::<QUIETLY>(most, x.f._mm512_castsi512_ps(v));
                x.f._mm512_cvtt_roundps_epi32::<QUIETLY>(v)
            },
        );
        return x.clamp_to_bytes::<false>(cut);
    }
    let cut = each(
        v,
        #[inline(always)]
        |v| F32(x.f._mm512_castsi512_ps(v)).int::<BITS, SIGNED>(x),
    );
    bytes(x, cut)
}
