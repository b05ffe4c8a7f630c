//! From integers of 16 and 32 bits to small floats: clamped to bytes, or with what is past a byte moved down to one, and by a
//! table of what bytes become. So they take no longer by a mode than as the default kernels round.

use super::Features;
use super::codes::{Codes, Pair, Plain, over_pair};
use super::eights::inlined;
use super::lanes::{both, each};
use super::maps::Maps;
use super::narrow::{bytes_of_dwords, bytes_of_words};
use super::shim::Vbmi;
use super::small::Small;
use super::tables::{ByteMap, LookUp, Shape};
use super::turned::words_to_bytes;
use crate::dtypes::{DType, Real, mark};
use crate::format::Numbers;
use crate::options::{Options, Rounding};
use crate::scalar::direct::table8_under;
use crate::shape::{Mode, Stores, all_stores};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// The loops for other modes than the default kernels'.
pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = all_stores! {
        stores: Int16 UInt16 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by saturating [TowardZero Up NearestAway]
    };
    let stores = all_stores! {
        stores: Int32 UInt32 => [
            Float8E3M4 Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by saturating [TowardZero Up]
    };
    // (Of numbers without a sign, down is toward zero.)
    let stores = all_stores! {
        stores: Int16 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by saturating [Down]
    };
    let stores = all_stores! {
        stores: Int32 => [
            Float8E3M4 Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by saturating [Down]
    };
    let stores = all_stores! {
        stores: Int32 UInt32 => [
            Float8E3M4 Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by any [NearestAway]
    };
    let stores = all_stores! {
        stores: UInt32 => [Float8E4M3Fnuz Float8E4M3] by saturating [TowardZero Up]
    };
    all_stores! { stores: UInt32 => [Float8E4M3Fnuz Float8E4M3] by any [NearestAway] }
}

/// To a small float that saturates.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn saturating<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) {
    debug_assert!(saturate);
    // SAFETY: the caller's.
    unsafe { in_some_way::<A, B, By<MODE, true>>(src, dst, n) }
}

/// To one that saturates or not.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn any<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) {
    // SAFETY: the caller's.
    unsafe {
        match saturate {
            true => in_some_way::<A, B, By<MODE, true>>(src, dst, n),
            false => in_some_way::<A, B, By<MODE, false>>(src, dst, n),
        }
    }
}

/// From integers of 16 bits, or those of 32 to floats that end within a byte.
///
/// # Safety
/// As for every store, see [`Stores`].
#[inline(always)]
unsafe fn in_some_way<A: Real, B: Real, H: How>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Vbmi, A, B>(
            #[inline(always)]
            |isa, pair| match A::DTYPE.bits() {
                16 => small_of_words::<_, _, _, H>(isa, src, dst, n, pair),
                _ => small_of_dwords::<_, _, _, H>(isa, src, dst, n, pair),
            },
        );
    }
}

/// How bytes become small floats.
pub(super) trait How: 'static {
    const OPTIONS: Options;

    /// The same for the magnitudes of negative numbers, where they are rounded the other way.
    const OF_NEGATIVE: Options = Self::OPTIONS;

    /// Whether the two differ.
    const DEPENDS_ON_SIGN: bool = false;
}

/// As the default kernels have it.
pub(super) struct Saturates;

impl How for Saturates {
    const OPTIONS: Options = Options::DEFAULT;
}

/// By a mode, with saturation or not.
pub(super) struct By<const MODE: u8, const SATURATES: bool>;

impl<const MODE: u8, const SATURATES: bool> By<MODE, SATURATES> {
    const fn options(rounding: Rounding) -> Options {
        Options { rounding, saturate: SATURATES, ..Options::DEFAULT }
    }
}

impl<const MODE: u8, const SATURATES: bool> How for By<MODE, SATURATES> {
    const OPTIONS: Options = Self::options(Mode::rounding(MODE));
    const OF_NEGATIVE: Options = Self::options(match Mode::rounding(MODE) {
        Rounding::Up => Rounding::Down,
        Rounding::Down => Rounding::Up,
        same => same,
    });
    const DEPENDS_ON_SIGN: bool = matches!(Mode::rounding(MODE), Rounding::Up | Rounding::Down);
}

/// What bytes become.
struct Tables<A, B, H>(PhantomData<(A, B, H)>);

impl<A: Real, B: Real, H: How> Tables<A, B, H> {
    const MAP: ByteMap = match H::OPTIONS.is_default() {
        true => Maps::<A, B>::BYTE,
        false => ByteMap::new(table8_under::<A>(B::DTYPE, &H::OPTIONS)),
    };

    /// The magnitudes of negative numbers.
    const OTHER: ByteMap = match H::DEPENDS_ON_SIGN {
        true => ByteMap::new(table8_under::<A>(B::DTYPE, &H::OF_NEGATIVE)),
        false => Self::MAP,
    };
}

/// The exponent of a small float's largest number, if it has one and a sign: what integers of 16 and
/// 32 bits are clamped to depends on it.
pub(super) const fn top_of(to: DType) -> Option<i32> {
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
/// `src` is valid for reading `2 * n` bytes and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn small_from_words<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { small_of_words::<L, A, B, Saturates>(isa, src, dst, n, pair) }
}

/// The same in some way.
///
/// # Safety
/// As for [`small_from_words`].
#[inline(always)]
pub(super) unsafe fn small_of_words<L: LookUp, A: Codes, B: Codes, H: How>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let x = isa.features();
    let clamps = matches!(A::Numbers::DTYPE, DType::UInt16)
        && const { matches!(top_of(B::Numbers::DTYPE), Some(..8)) && !ends_early::<B, H>() };
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
                |v| from_unsigned::<L, B, H>(isa, words_to_bytes(isa, v)),
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
                (DType::UInt16, Some(8..)) => from_magnitudes::<L, B, H>(isa, [a, b], None),
                (DType::UInt16, _) if const { ends_early::<B, H>() } => {
                    from_unsigned::<L, B, H>(isa, x.unmix_words(x.bw._mm512_packs_epi16(a, b)))
                }
                (DType::UInt16, _) => from_unsigned::<L, B, H>(isa, clamp(x, a, b)),
                (_, Some(7..)) => {
                    // Past a signed byte: magnitude and sign apart.
                    let sizes = [x.bw._mm512_abs_epi16(a), x.bw._mm512_abs_epi16(b)];
                    let signs = x.unmix_words(x.bw._mm512_packs_epi16(a, b));
                    let codes = match const { top_of(B::Numbers::DTYPE) } {
                        Some(8..) => from_magnitudes::<L, B, H>(isa, sizes, Some(signs)),
                        _ => from_sizes::<L, B, H>(isa, clamp(x, sizes[0], sizes[1]), Some(signs)),
                    };
                    Small::<B::Numbers>::finish(x, codes, signs)
                }
                _ => from_signed::<L, B, H>(isa, x.unmix_words(x.bw._mm512_packs_epi16(a, b))),
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
fn from_unsigned<L: LookUp, B: Codes, H: How>(isa: L, v: __m512i) -> __m512i {
    isa.look_up(const { &Tables::<mark::UInt8, B::Numbers, H>::MAP }, v)
}

/// Whether all bytes from 127 on become the same. Then it is as good to clamp unsigned numbers as signed ones, which packing
/// does: what is past those is negative then, and stays so, and as a byte without a sign it is more than 127.
const fn ends_early<B: Codes, H: How>() -> bool {
    matches!(Tables::<mark::UInt8, B::Numbers, H>::MAP.shape, Shape::Start)
}

const _: () = assert!(ends_early::<Plain<mark::Float8E3M4>, Saturates>());

/// The codes of signed bytes.
#[inline(always)]
fn from_signed<L: LookUp, B: Codes, H: How>(isa: L, v: __m512i) -> __m512i {
    isa.look_up(const { &Tables::<mark::Int8, B::Numbers, H>::MAP }, v)
}

/// The codes of magnitudes in bytes, whose signs, if they have any, are in the top bits of others.
#[inline(always)]
fn from_sizes<L: LookUp, B: Codes, H: How>(isa: L, v: __m512i, signs: Option<__m512i>) -> __m512i {
    let codes = from_unsigned::<L, B, H>(isa, v);
    match signs {
        Some(signs) if H::DEPENDS_ON_SIGN => {
            let negative = isa.features().bw._mm512_movepi8_mask(signs);
            let others = isa.look_up(const { &Tables::<mark::UInt8, B::Numbers, H>::OTHER }, v);
            isa.features().bw._mm512_mask_mov_epi8(codes, negative, others)
        }
        _ => codes,
    }
}

/// How many bits of a word are brought together in one by [`from_magnitudes`]. What is left of a word
/// past a byte has two bits more than a code's fraction and its leading one: the last says on which
/// side of a midpoint, or of a code, the number is.
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
/// many powers of two higher. (Signs are those of [`from_sizes`].)
#[inline(always)]
fn from_magnitudes<L: LookUp, B: Codes, H: How>(
    isa: L,
    v: [__m512i; 2],
    signs: Option<__m512i>,
) -> __m512i {
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
    let codes = from_sizes::<L, B, H>(isa, isa.low_bytes(a, b), signs);
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
    let most = Small::<B::Numbers>::FORMAT.max_finite() as u8 + !H::OPTIONS.saturate as u8;
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
    unsafe { small_of_dwords::<L, A, B, Saturates>(isa, src, dst, n, pair) }
}

/// The same in some way.
///
/// # Safety
/// As for [`small_from_dwords`].
#[inline(always)]
pub(super) unsafe fn small_of_dwords<L: LookUp, A: Codes, B: Codes, H: How>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let x = isa.features();
    let of_unsigned = inlined(
        #[inline(always)]
        |v| match const { ends_early::<B, H>() } {
            true => from_unsigned::<L, B, H>(isa, x.clamp_to_bytes::<true>(v)),
            false => {
                let v = each(
                    v,
                    #[inline(always)]
                    |v| x.f._mm512_min_epu32(v, x.dword(255)),
                );
                from_unsigned::<L, B, H>(isa, x.clamp_to_bytes::<false>(v))
            }
        },
    );
    if A::TURNED && matches!(A::Numbers::DTYPE, DType::UInt32) {
        // Rotated, the highest byte of a turned number is its lowest, and what is past a byte is above it, in whatever order.
        // SAFETY: the caller's.
        return unsafe {
            bytes_of_dwords(
                isa,
                src,
                dst,
                n,
                pair.unturned(),
                #[inline(always)]
                |v| {
                    of_unsigned(each(
                        v,
                        #[inline(always)]
                        |v| x.f._mm512_rol_epi32::<8>(v),
                    ))
                },
            )
        };
    }
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
                DType::UInt32 => of_unsigned(v),
                _ => from_signed::<L, B, H>(isa, x.clamp_to_bytes::<true>(v)),
            },
        )
    }
}
