//! From lanes of 16 and 32 bits to codes of a byte by a few clamps and masks, where the hubs would
//! widen first or come to bytes that are yet to be packed.

use super::Features;
use super::bridge::{Hub, QUIETLY};
use super::by_codes::{Four, One, Two};
use super::codes::{Codes, Pair, Plain, load_four, load_pair, over_pair, store_all, turning};
use super::decode::F32;
use super::encode::{bytes, fill};
use super::lanes::{both, each};
use super::shim::Vbmi;
use super::tables::LookUp;
use crate::codec::{Isa, unknown};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::options::{Overflow, Rounding};
use crate::shape::{Mode, Stores, all_wraps};
use crate::table::{Kernel, Params};
use core::arch::x86_64::*;
use core::marker::PhantomData;

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
                // (Of turned words the low bytes are the high ones.)
                let bytes = if A::TURNED { isa.high_bytes(a, b) } else { isa.low_bytes(a, b) };
                filled::<B>(isa.features(), bytes)
            },
        )
    }
}

/// Bytes with the low bits that integers have, and above them what a byte of theirs has there.
#[inline(always)]
fn filled<B: Codes>(x: Features, bytes: __m512i) -> __m512i {
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
}

/// The loops of floats that wrap around.
pub(super) const fn stores(stores: Stores) -> Stores {
    all_wraps! {
        stores: Float16 BFloat16 => [Int1 Int2 Int4 Int8 UInt1 UInt2 UInt4 UInt8] by low_bits
    }
}

/// Float16 and bfloat16 to the low bits of the integers that they are cut to.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn low_bits<A: Real, B: Real>(src: *const u8, dst: *mut u8, n: usize, _: bool) {
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Vbmi, A, B>(
            #[inline(always)]
            |isa, pair| {
                let x = isa.features();
                let by = told_by::<A>(x);
                bytes_of_words(
                    isa,
                    src,
                    dst,
                    n,
                    pair,
                    #[inline(always)]
                    |words| {
                        if const { of_masks(A::DTYPE, B::DTYPE) } {
                            let bits = last_bits::<A>(x, words, by);
                            return match const { B::DTYPE.kind() } {
                                Kind::Int => x.bw._mm512_movm_epi8(bits),
                                _ => x.bw._mm512_maskz_mov_epi8(bits, x.byte(1)),
                            };
                        }
                        let [a, b] = both(
                            words,
                            #[inline(always)]
                            |v| low_words::<A, B>(x, v),
                        );
                        filled::<Plain<B>>(x, isa.low_bytes(a, b))
                    },
                );
            },
        );
    }
}

/// The kernel of a pair under options, if it is floats of 16 bits that wrap around to packed integers. (Through bytes in
/// memory they would take up to twice the time.)
pub(super) fn under_options<L: LookUp + Isa>(params: &Params) -> Option<Kernel> {
    use mark::{BFloat16, Float16};
    let (Params { from, to, .. }, options) = (params, &params.options);
    let is_whole = matches!(to.kind(), Kind::Int | Kind::UInt);
    let are_cut = matches!(options.rounding, Rounding::Default);
    if !is_whole || !are_cut || !matches!(options.overflow, Overflow::Wrap) {
        return None;
    }
    Some(match (from, to.bits()) {
        (DType::Float16, 1) => wrapped::<L, Float16, One>,
        (DType::Float16, 2) => wrapped::<L, Float16, Two>,
        (DType::Float16, 4) => wrapped::<L, Float16, Four>,
        (DType::BFloat16, 1) => wrapped::<L, BFloat16, One>,
        (DType::BFloat16, 2) => wrapped::<L, BFloat16, Two>,
        (DType::BFloat16, 4) => wrapped::<L, BFloat16, Four>,
        _ => return None,
    })
}

/// Float16 and bfloat16 to the low bits of the integers that they are cut to, packed.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`]; `B` has as many bits as the destination.
unsafe fn wrapped<L: LookUp + Isa, A: Real, B: Codes>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        let isa = L::summon();
        isa.vectorize(
            #[inline(always)]
            move || {
                let x = isa.features();
                let by = told_by::<A>(x);
                bytes_of_words(
                    isa,
                    src,
                    dst,
                    n,
                    Pair::<Plain<A>, B>(PhantomData),
                    #[inline(always)]
                    |words| {
                        if B::BITS == 1 {
                            let bits = last_bits::<A>(x, words, by);
                            return x.bw._mm512_maskz_mov_epi8(bits, x.byte(1));
                        }
                        let [a, b] = both(
                            words,
                            #[inline(always)]
                            |v| low_words::<A, B::Numbers>(x, v),
                        );
                        isa.low_bytes(a, b)
                    },
                );
            },
        );
    }
    n
}

/// Whether [`last_bits`] take less time than words do. (Those of bfloat16s do not where they become bytes again.)
const fn of_masks(from: DType, to: DType) -> bool {
    matches!(from, DType::Float16) && to.significant_bits() == 1
}

/// What [`last_bits`] are told by: of float16s masks by the exponent, of bfloat16s the last bit of its field.
#[inline(always)]
fn told_by<A: Real>(x: Features) -> __m512i {
    const HALVES: [u16; 32] = {
        let format = mark::Float16::DTYPE.float_format();
        let mut masks = [0; 32];
        let mut e = 0;
        while e <= format.mantissa_bits {
            masks[format.bias as usize + e as usize] = 1 << (format.mantissa_bits - e);
            e += 1;
        }
        masks
    };
    const { assert!(A::DTYPE.float_format().bias % 2 == 1) };
    match A::DTYPE {
        DType::Float16 => x.constant(&HALVES),
        // (Or the compiler would shift it instead, by what would have to be compared first.)
        _ => x.word(unknown(&(1 << A::DTYPE.float_format().mantissa_bits))),
    }
}

/// Which integers that floats of 16 bits are cut to are odd.
///
/// Of a number from 2^e to twice that it is told by the bit e below the significand's leading one. There the field of the
/// exponent ends: of numbers from 1 to 2 its last bit is set, and tells as the leading one does. Float16s have few enough
/// exponents to look up where the bit is, wherever there is one. Bfloat16s are shifted up by e, which brings the bit to where
/// the field ends: what is less than 1 has an e below zero, as a number without a sign a shift past all bits, as that of
/// infinity and NaN is.
#[inline(always)]
fn last_bits<A: Real>(x: Features, words: [__m512i; 2], by: __m512i) -> u64 {
    let format = const { A::DTYPE.float_format() };
    let width = x.sse2._mm_cvtsi32_si128(format.mantissa_bits as i32);
    let [a, b] = both(
        words,
        #[inline(always)]
        |v| match A::DTYPE {
            // (A look-up takes no more than five bits: the sign is not among them.)
            DType::Float16 => {
                let mask = x.bw._mm512_permutexvar_epi16(x.bw._mm512_srl_epi16(v, width), by);
                x.bw._mm512_test_epi16_mask(v, mask)
            }
            _ => {
                let magnitude = x.f._mm512_and_si512(v, x.word(0x7fff));
                let one = x.word((format.bias as u16) << format.mantissa_bits);
                let count = x.bw._mm512_srl_epi16(x.bw._mm512_sub_epi16(magnitude, one), width);
                x.bw._mm512_test_epi16_mask(x.bw._mm512_sllv_epi16(v, count), by)
            }
        },
    );
    u64::from(a) | u64::from(b) << 32
}

/// Words whose low bytes are those of integers that floats of 16 bits are cut to.
///
/// As in [`halves`](super::halves), the significand's leading bit is put at the top of the word. Of a number from 2^e to twice
/// that it is to be at bit e, a shift by 15 - e. That is more than 15 for what is less than 1, and as a number without a sign
/// for what is 2^16 and more, infinity and NaN: by so many bits all is shifted away. The low byte of what is 2^16 and more is
/// zero, indeed, if there is such a number and it has no more than 8 bits after its leading one: those are above it then.
#[inline(always)]
fn low_words<A: Real, B: Real>(x: Features, v: __m512i) -> __m512i {
    const TOP: u16 = 1 << 15;
    let format = const { A::DTYPE.float_format() };
    let width = format.mantissa_bits;
    const {
        let format = A::DTYPE.float_format();
        assert!(format.max_exponent() < 16 || format.mantissa_bits <= 8);
    }
    let fraction = x.bw._mm512_sll_epi16(v, x.sse2._mm_cvtsi32_si128(15 - width as i32));
    // (fraction AND its bits) OR the leading one
    let bits = x.word(((1 << width) - 1) << (15 - width));
    let top = x.f._mm512_ternarylogic_epi32::<0xea>(fraction, bits, x.word(TOP));
    let field = x.bw._mm512_srl_epi16(v, x.sse2._mm_cvtsi32_si128(width as i32));
    let field = x.f._mm512_and_si512(field, x.word((1 << (15 - width)) - 1));
    let count = x.bw._mm512_sub_epi16(x.word((format.bias + 15) as u16), field);
    let magnitude = x.bw._mm512_srlv_epi16(top, count);
    if const { B::DTYPE.significant_bits() == 1 } {
        // (The last bit of a number is that of the other sign's, too.)
        return magnitude;
    }
    let negative = x.bw._mm512_movepi16_mask(v);
    x.bw._mm512_mask_sub_epi16(magnitude, negative, x.f._mm512_setzero_si512(), magnitude)
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
            |i, count| bytes(load_four::<A>(x, turning, src.add(4 * i), 4 * count)),
        );
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
/// As for [`bytes_of_dwords`].
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
