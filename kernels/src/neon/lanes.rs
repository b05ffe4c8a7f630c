//! Memory and lanes: loads and stores at any alignment, and the ways between lanes of different
//! widths. A step is 16 elements: one register of bytes, two of words, four of dwords, eight of
//! qwords.

use super::ops::*;

/// Four registers of 32-bit lanes.
pub(super) type Dwords = [uint32x4_t; 4];
/// Eight registers of 64-bit lanes.
pub(super) type Qwords = [uint64x2_t; 8];

/// Both results of a function.
#[inline(always)]
pub(super) fn both<A, B>([a, b]: [A; 2], f: impl Fn(A) -> B) -> [B; 2] {
    [f(a), f(b)]
}

/// All four results of a function.
#[inline(always)]
pub(super) fn four<A, B>([a, b, c, d]: [A; 4], f: impl Fn(A) -> B) -> [B; 4] {
    [f(a), f(b), f(c), f(d)]
}

/// All eight results of a function.
#[inline(always)]
pub(super) fn eight<A, B>([a, b, c, d, e, f, g, h]: [A; 8], each: impl Fn(A) -> B) -> [B; 8] {
    [each(a), each(b), each(c), each(d), each(e), each(f), each(g), each(h)]
}

/// One result of every two.
#[inline(always)]
pub(super) fn pairs<A, B>([a, b, c, d, e, f, g, h]: [A; 8], join: impl Fn(A, A) -> B) -> [B; 4] {
    [join(a, b), join(c, d), join(e, f), join(g, h)]
}

/// Two results of every one.
#[inline(always)]
pub(super) fn halves<A, B>([a, b, c, d]: [A; 4], split: impl Fn(A) -> [B; 2]) -> [B; 8] {
    let ([a, b], [c, d], [e, f], [g, h]) = (split(a), split(b), split(c), split(d));
    [a, b, c, d, e, f, g, h]
}

/// Reads a register, or several in a row.
///
/// # Safety
/// `src` is valid for reading its bytes.
#[inline(always)]
pub(super) unsafe fn load<T: Copy>(src: *const u8) -> T {
    // SAFETY: the caller's; any bytes are a register's.
    unsafe { src.cast::<T>().read_unaligned() }
}

/// Writes a register, or several in a row.
///
/// # Safety
/// `dst` is valid for writing its bytes.
#[inline(always)]
pub(super) unsafe fn store<T: Copy>(dst: *mut u8, v: T) {
    // SAFETY: the caller's.
    unsafe { dst.cast::<T>().write_unaligned(v) }
}

/// Words as dwords, with zeros above.
#[inline(always)]
pub(super) fn dwords_of_words([a, b]: [uint16x8_t; 2]) -> Dwords {
    [vmovl_u16(vget_low_u16(a)), vmovl_high_u16(a), vmovl_u16(vget_low_u16(b)), vmovl_high_u16(b)]
}

/// The same with signs.
#[inline(always)]
pub(super) fn dwords_of_signed_words([a, b]: [int16x8_t; 2]) -> [int32x4_t; 4] {
    [vmovl_s16(vget_low_s16(a)), vmovl_high_s16(a), vmovl_s16(vget_low_s16(b)), vmovl_high_s16(b)]
}

/// Bytes as words, with zeros above.
#[inline(always)]
pub(super) fn words_of_bytes(v: uint8x16_t) -> [uint16x8_t; 2] {
    [vmovl_u8(vget_low_u8(v)), vmovl_high_u8(v)]
}

/// The same with signs.
#[inline(always)]
pub(super) fn words_of_signed_bytes(v: int8x16_t) -> [int16x8_t; 2] {
    [vmovl_s8(vget_low_s8(v)), vmovl_high_s8(v)]
}

/// The low words of dwords.
#[inline(always)]
pub(super) fn low_words([a, b, c, d]: Dwords) -> [uint16x8_t; 2] {
    let word = |v| vreinterpretq_u16_u32(v);
    [vuzp1q_u16(word(a), word(b)), vuzp1q_u16(word(c), word(d))]
}

/// The high words of dwords.
#[inline(always)]
pub(super) fn high_words([a, b, c, d]: Dwords) -> [uint16x8_t; 2] {
    let word = |v| vreinterpretq_u16_u32(v);
    [vuzp2q_u16(word(a), word(b)), vuzp2q_u16(word(c), word(d))]
}

/// The low bytes of words.
#[inline(always)]
pub(super) fn low_bytes([a, b]: [uint16x8_t; 2]) -> uint8x16_t {
    vuzp1q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b))
}

/// The high bytes of words.
#[inline(always)]
pub(super) fn high_bytes([a, b]: [uint16x8_t; 2]) -> uint8x16_t {
    vuzp2q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b))
}

/// The low dwords of qwords.
#[inline(always)]
pub(super) fn low_dwords(v: Qwords) -> Dwords {
    let dword = |v| vreinterpretq_u32_u64(v);
    pairs(v, |a, b| vuzp1q_u32(dword(a), dword(b)))
}

/// Words made of two bytes each.
#[inline(always)]
pub(super) fn zip_bytes(low: uint8x16_t, high: uint8x16_t) -> [uint16x8_t; 2] {
    [vreinterpretq_u16_u8(vzip1q_u8(low, high)), vreinterpretq_u16_u8(vzip2q_u8(low, high))]
}

/// Dwords made of words above zeros.
#[inline(always)]
pub(super) fn above_zeros([a, b]: [uint16x8_t; 2]) -> Dwords {
    [
        vshll_n_u16::<16>(vget_low_u16(a)),
        vshll_high_n_u16::<16>(a),
        vshll_n_u16::<16>(vget_low_u16(b)),
        vshll_high_n_u16::<16>(b),
    ]
}
