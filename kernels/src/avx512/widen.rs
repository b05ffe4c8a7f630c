//! From codes of at most a byte to numbers of 32 and 64 bits, and to complex ones, where the hubs
//! would convert lane by lane, or a tile be filled first; and from integers and from float16 to 64-bit
//! integers.
//!
//! * Integers become wider as they are loaded, a register of results at a time. (By way of a hub of 32 bits
//!   each register would be widened twice, and taken in halves between: three shuffles for two registers, of
//!   which many CPUs do one a cycle.)
//! * Packed numbers have no more than six bits, so that the integer that one becomes fits a byte. A
//!   table makes that byte, and widening it the rest.
//! * Of a small number as float32 or float64 only the upper word is not zero. Two tables make the
//!   words, and permutations put them at their places among zeros, be these the rest of a float or an
//!   imaginary part.

use super::bridge::{Hub, QUIETLY};
use super::codes::{Codes, Pair, load, load_part};
use super::decode::{F32, I32, U32};
use super::eights::{self, inlined};
use super::in_registers::Turn;
use super::lanes::both;
use super::maps::{Maps, words};
use super::shim::Vbmi;
use super::tables::{ByteMap, LookUp};
use super::turned::dwords_to_longs;
use super::{Avx512, Features};
use crate::codec::unknown;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::format::Numbers;
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem;

/// Whether [`integers`] is for a pair, the first of which is packed.
pub(super) const fn has_integers(to: DType) -> bool {
    matches!(to.kind(), Kind::Int | Kind::UInt) && to.bits() >= 32
}

/// Packed numbers to integers of 32 or 64 bits.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn integers<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let size = size_of::<<B::Numbers as Real>::Stored>();
    let map = const { integer_map::<A, B>() };
    let mut i = 0;
    // SAFETY: the caller's; of the last elements those are read and written that are left.
    unsafe {
        while n - i >= 64 {
            let v = isa.look_up(map, load::<L, A>(isa, src.add(i / 8 * A::BITS)));
            for (j, v) in quarters(x, v).into_iter().enumerate() {
                let [a, b] = widened::<A, B>(x, v);
                let to = dst.add((i + 16 * j) * size);
                x.store_dwords(to, a);
                if size == 8 {
                    x.store_dwords(to.add(64), b);
                }
            }
            i += 64;
        }
        if i < n {
            let left = n - i;
            let v = isa.look_up(map, load_part::<L, A>(isa, src.add(i / 8 * A::BITS), left));
            for (j, v) in quarters(x, v).into_iter().enumerate().take(left.div_ceil(16)) {
                let [a, b] = widened::<A, B>(x, v);
                let to = dst.add((i + 16 * j) * size);
                let part = (left - 16 * j).min(16);
                match size {
                    4 => x.store_dwords_part(to, a, part),
                    _ => x.store_qwords_part(to, [a, b], part),
                }
            }
        }
    }
}

/// What the codes become as integers of a byte: below zero only where the destination goes there, or
/// the source has integers, which keep their bits.
const fn integer_map<A: Codes, B: Codes>() -> &'static ByteMap {
    if fills_with_sign::<A, B>() {
        const { &Maps::<A::Numbers, mark::Int8>::BYTE }
    } else {
        const { &Maps::<A::Numbers, mark::UInt8>::BYTE }
    }
}

const fn fills_with_sign<A: Codes, B: Codes>() -> bool {
    let whole = matches!(A::Numbers::DTYPE.kind(), Kind::Int);
    whole || matches!(B::Numbers::DTYPE.kind(), Kind::Int)
}

#[inline(always)]
fn quarters(x: Features, v: __m512i) -> [__m128i; 4] {
    [
        x.f._mm512_castsi512_si128(v),
        x.f._mm512_extracti32x4_epi32::<1>(v),
        x.f._mm512_extracti32x4_epi32::<2>(v),
        x.f._mm512_extracti32x4_epi32::<3>(v),
    ]
}

/// Sixteen bytes as dwords in the first register, or as qwords in both.
#[inline(always)]
fn widened<A: Codes, B: Codes>(x: Features, v: __m128i) -> [__m512i; 2] {
    let signed = const { fills_with_sign::<A, B>() };
    if size_of::<<B::Numbers as Real>::Stored>() == 4 {
        let dwords = if signed { x.f._mm512_cvtepi8_epi32(v) } else { x.f._mm512_cvtepu8_epi32(v) };
        return [dwords, x.f._mm512_setzero_si512()];
    }
    both(
        [v, x.sse2._mm_unpackhi_epi64(v, v)],
        #[inline(always)]
        |v| if signed { x.f._mm512_cvtepi8_epi64(v) } else { x.f._mm512_cvtepu8_epi64(v) },
    )
}

/// Whether [`integers_of_bytes`] is for a pair: whether all that the source has, as integers, fits a byte.
pub(super) const fn has_integers_of_bytes(from: DType, to: DType) -> bool {
    let fits = match from.numbers() {
        Numbers::Float(format) => format.max_exponent() < 7 && format.infinity().is_none(),
        _ => from.significant_bits() <= 8,
    };
    from.bits() <= 8 && fits && has_integers(to)
}

/// Numbers of at most a byte to integers of 32 or 64 bits, of which the highest byte comes last, or first if they are turned.
///
/// A byte among copies of its sign is such an integer. So these are permutations of 32 bytes and their signs, with no shuffle
/// to turn anything.
///
/// # Safety
/// As for [`integers`].
#[inline(always)]
pub(super) unsafe fn integers_of_bytes<A: Codes, B: Codes, const TURNED: bool>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let size = size_of::<<B::Numbers as Real>::Stored>();
    let map = const { integer_map::<A, B>() };
    let [a, b, c, d] = const { &Places::<B, TURNED>::OF_BYTES };
    let places = [unknown(a), unknown(b), unknown(c), unknown(d)];
    let registers = size / 2;
    let mut i = 0;
    // SAFETY: the caller's; of the last elements those are read and written that are left.
    unsafe {
        while n - i >= 64 {
            let v = isa.look_up(map, load::<Vbmi, A>(isa, src.add(i / 8 * A::BITS)));
            for (half, v) in with_signs::<A, B>(x, v).into_iter().enumerate() {
                let to = dst.add((i + 32 * half) * size);
                for (j, &places) in places.iter().enumerate().take(registers) {
                    x.store_dwords(to.add(64 * j), isa.permutexvar_epi8(places, v));
                }
            }
            i += 64;
        }
        if i < n {
            let bytes = (n - i) * size;
            let v = isa.look_up(map, load_part::<Vbmi, A>(isa, src.add(i / 8 * A::BITS), n - i));
            let [low, high] = with_signs::<A, B>(x, v);
            for j in 0..bytes.div_ceil(64) {
                let v = if j < registers { low } else { high };
                let v = isa.permutexvar_epi8(places[j % registers], v);
                x.store_first(dst.add(i * size + 64 * j), v, (bytes - 64 * j).min(64));
            }
        }
    }
}

/// The lower and the upper 32 bytes, each with their signs behind them.
#[inline(always)]
fn with_signs<A: Codes, B: Codes>(x: Features, v: __m512i) -> [__m512i; 2] {
    let has_signs = const {
        let is_unsigned = matches!(A::Numbers::DTYPE.kind(), Kind::Bool | Kind::UInt);
        fills_with_sign::<A, B>() && !is_unsigned
    };
    let signs = match has_signs {
        true => x.bw._mm512_movm_epi8(x.bw._mm512_movepi8_mask(v)),
        false => x.f._mm512_setzero_si512(),
    };
    [
        x.f._mm512_inserti64x4::<1>(v, x.f._mm512_castsi512_si256(signs)),
        x.f._mm512_shuffle_i64x2::<0b11_10_11_10>(v, signs),
    ]
}

/// Where the bytes of such integers come from.
struct Places<B, const TURNED: bool>(PhantomData<B>);

impl<B: Codes, const TURNED: bool> Places<B, TURNED> {
    /// Of 32 bytes and 32 signs, which comes to each place of each register.
    const OF_BYTES: [__m512i; 4] = {
        let size = size_of::<<B::Numbers as Real>::Stored>();
        let lowest = if TURNED { size - 1 } else { 0 };
        let mut places = [[0; 64]; 4];
        let mut i = 0;
        while i < 32 * size {
            let is_lowest = i % size == lowest;
            places[i / 64][i % 64] = (i / size) as u8 + if is_lowest { 0 } else { 32 };
            i += 1;
        }
        // SAFETY: any 64 bytes make a register.
        unsafe { mem::transmute::<[[u8; 64]; 4], [__m512i; 4]>(places) }
    };
}

/// Whether [`longs_of_integers`] is for a pair.
pub(super) const fn has_longs_of_integers(from: DType, to: DType) -> bool {
    use DType::{Bool, Int8, Int16, Int32, UInt8, UInt16, UInt32};
    matches!(from, Bool | Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32)
        && matches!(to, DType::Int64 | DType::UInt64)
}

/// Integers of whole bytes, and truth values, to integers of 64 bits.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `8 * n` bytes; they don't overlap.
#[inline(always)]
pub(super) unsafe fn longs_of_integers<A: Codes, B: Codes>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let size = size_of::<<A::Numbers as Real>::Stored>();
    let mut i = 0;
    // SAFETY: the caller's; of the last elements those are read and written that are left.
    unsafe {
        while i < n - n % 64 {
            for i in [i, i + 8, i + 16, i + 24, i + 32, i + 40, i + 48, i + 56] {
                lengthen_eight::<A>(x, src.add(i * size), dst.add(8 * i));
            }
            i += 64;
        }
        while i < n - n % 8 {
            lengthen_eight::<A>(x, src.add(i * size), dst.add(8 * i));
            i += 8;
        }
        if i < n {
            let (part, from) = (n - i, src.add(i * size));
            let v = match size {
                1 => eights::load_part::<1>(x, from, part),
                2 => eights::load_part::<2>(x, from, part),
                _ => eights::load_part::<4>(x, from, part),
            };
            eights::store_part::<8>(x, dst.add(8 * i), [lengthened::<A>(x, v); 2], part);
        }
    }
}

/// Eight integers to qwords.
///
/// # Safety
/// `src` is valid for reading eight elements of `A` and `dst` for writing 64 bytes.
#[inline(always)]
unsafe fn lengthen_eight<A: Codes>(x: Features, src: *const u8, dst: *mut u8) {
    // SAFETY: the caller's: as many bytes are loaded as eight elements have.
    unsafe {
        let v = match size_of::<<A::Numbers as Real>::Stored>() {
            1 => x.f._mm512_zextsi128_si512(x.sse2._mm_loadl_epi64(src.cast())),
            2 => x.f._mm512_zextsi128_si512(x.load_bytes(src)),
            _ => x.f._mm512_zextsi256_si512(x.load_words(src)),
        };
        x.store_dwords(dst, lengthened::<A>(x, v));
    }
}

/// The first eight integers of a register as qwords.
#[inline(always)]
fn lengthened<A: Codes>(x: Features, v: __m512i) -> __m512i {
    let signed = const { matches!(A::Numbers::DTYPE.kind(), Kind::Int) };
    let (bytes, words) = (x.f._mm512_castsi512_si128(v), x.f._mm512_castsi512_si256(v));
    if matches!(A::Numbers::DTYPE, DType::Bool) {
        return x.f._mm512_cvtepu8_epi64(x.sse2._mm_min_epu8(bytes, x.sse2._mm_set1_epi8(1)));
    }
    match (size_of::<<A::Numbers as Real>::Stored>(), signed) {
        (1, true) => x.f._mm512_cvtepi8_epi64(bytes),
        (1, false) => x.f._mm512_cvtepu8_epi64(bytes),
        (2, true) => x.f._mm512_cvtepi16_epi64(bytes),
        (2, false) => x.f._mm512_cvtepu16_epi64(bytes),
        (_, true) => x.f._mm512_cvtepi32_epi64(words),
        (_, false) => x.f._mm512_cvtepu32_epi64(words),
    }
}

/// Float16 to 64-bit integers. But for infinity, which is met seldom and then in a branch, they fit
/// 32 bits, and that conversion takes half the time of the one to 64. Results may be turned.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing `8 * n`; they don't overlap.
#[inline(always)]
pub(super) unsafe fn integers_of_float16s<L: LookUp, A: Codes, B: Codes, const TURNED: bool>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let (x, turns) = (isa.features(), [isa.turn_of(4), isa.turn_of(8)]);
    let mut i = 0;
    // SAFETY: the caller's; a part has as many elements as are left.
    unsafe {
        while n - i >= 32 {
            let v = x.load_dwords(src.add(2 * i));
            let magnitude = x.f._mm512_and_si512(v, x.word(0x7fff));
            let infinite = x.bw._mm512_cmpeq_epi16_mask(magnitude, x.word(0x7c00));
            let [a, b] = both(
                x.halves(v),
                #[inline(always)]
                |v| longs::<B, TURNED>(x, turns, v, infinite != 0),
            );
            let to = dst.add(8 * i);
            x.store_dwords(to, a[0]);
            x.store_dwords(to.add(64), a[1]);
            x.store_dwords(to.add(128), b[0]);
            x.store_dwords(to.add(192), b[1]);
            i += 32;
        }
        while i < n {
            let part = (n - i).min(16);
            let v = longs::<B, TURNED>(x, turns, x.load_words_part(src.add(2 * i), part), true);
            x.store_qwords_part(dst.add(8 * i), v, part);
            i += part;
        }
    }
}

/// Turned float16s to integers of 32 bits, which are turned, too. But for infinities and NaNs, which are met seldom and then in
/// a branch, nothing is to be clamped; and they are told as they lie.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing `4 * n`; they don't overlap.
#[inline(always)]
pub(super) unsafe fn turned_dwords_of_float16s<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let (x, turns) = (isa.features(), [isa.turn_of(2), isa.turn_of(4)]);
    let exponent = x.word(0x7c00u16.swap_bytes());
    let cut = inlined(
        #[inline(always)]
        |(v, special)| {
            let floats = F32(x.floats_of_halves(x.turned_half(turns[0], v)));
            let cut = match special {
                true => floats.int::<32, true>(x).lanes,
                false => x.f._mm512_cvtt_roundps_epi32::<QUIETLY>(floats.0),
            };
            x.turned_if(true, turns[1], cut)
        },
    );
    let mut i = 0;
    // SAFETY: the caller's; a part has as many elements as are left.
    unsafe {
        while n - i >= 32 {
            let (src, dst) = (src.add(2 * i), dst.add(4 * i));
            let exponents = x.f._mm512_and_si512(x.load_dwords(src), exponent);
            // (Loaded in each branch: the compiler would load what both have by parts of eight bytes.)
            if x.bw._mm512_cmpeq_epi16_mask(exponents, exponent) == 0 {
                x.store_dwords(dst, cut((x.load_words(src), false)));
                x.store_dwords(dst.add(64), cut((x.load_words(src.add(32)), false)));
            } else {
                x.store_dwords(dst, cut((x.load_words(src), true)));
                x.store_dwords(dst.add(64), cut((x.load_words(src.add(32)), true)));
            }
            i += 32;
        }
        while i < n {
            let part = (n - i).min(16);
            let v = cut((x.load_words_part(src.add(2 * i), part), true));
            x.store_dwords_part(dst.add(4 * i), v, part);
            i += part;
        }
    }
}

/// Sixteen float16s as 64-bit integers, turned or not. (Turns are those of dwords and of these.)
#[inline(always)]
fn longs<B: Codes, const TURNED: bool>(
    x: Features,
    turns: [Turn; 2],
    v: __m256i,
    infinite: bool,
) -> [__m512i; 2] {
    let v = F32(x.floats_of_halves(v));
    let signed = matches!(B::Numbers::DTYPE, DType::Int64);
    if infinite {
        let long = if signed { v.long::<true>(x) } else { v.long::<false>(x) };
        return both(
            long,
            #[inline(always)]
            |v| x.turned_if(TURNED, turns[1], v),
        );
    }
    match (signed, TURNED) {
        (true, true) => dwords_to_longs::<true>(x, turns[0], v.int::<17, true>(x).lanes),
        (false, true) => dwords_to_longs::<false>(x, turns[0], v.int::<32, false>(x).lanes),
        (true, false) => I32(v.int::<17, true>(x).lanes).long::<true>(x),
        (false, false) => U32(v.int::<32, false>(x).lanes).long::<false>(x),
    }
}

/// Whether [`floats`] is for a pair: the upper word of the destination's numbers, or their only one, holds those of the
/// source, or what they are rounded to.
pub(super) const fn has_floats<A: Codes, B: Codes>() -> bool {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    let eight_digits = matches!(from, DType::Int8 | DType::UInt8);
    from.bits() == 8
        && match to {
            DType::Float16 | DType::BFloat16 | DType::Float32 => B::COMPLEX,
            DType::Float64 => !eight_digits,
            _ => false,
        }
}

/// How an element lies in words, turned or not.
struct Lay<B, const TURNED: bool>(PhantomData<B>);

impl<B: Codes, const TURNED: bool> Lay<B, TURNED> {
    const SIZE: usize = size_of::<<B::Numbers as Real>::Stored>();
    const WORDS: usize = Self::SIZE / 2 * if B::COMPLEX { 2 } else { 1 };

    /// The words that are not zero: the upper ones of numbers, which come first if they are turned.
    const TOPS: u32 = {
        let mut mask = 0;
        let mut place = if TURNED { 0 } else { Self::SIZE / 2 - 1 };
        while place < 32 {
            mask |= 1 << place;
            place += Self::WORDS;
        }
        mask
    };

    /// Whose word each of the `i`th register's words is, if 32 elements fill `WORDS` registers.
    const fn owners(i: usize) -> [u16; 32] {
        let mut owners = [0; 32];
        let mut word = 0;
        while word < 32 {
            owners[word] = ((32 * i + word) / Self::WORDS % 32) as u16;
            word += 1;
        }
        owners
    }

    const OWNERS: [[u16; 32]; 8] = [
        Self::owners(0),
        Self::owners(1),
        Self::owners(2),
        Self::owners(3),
        Self::owners(4),
        Self::owners(5),
        Self::owners(6),
        Self::owners(7),
    ];
}

/// Small numbers to float64 and to complex numbers, whose components may be turned: that is words whose bytes are, at other
/// places.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn floats<L: LookUp, A: Codes, B: Codes, const TURNED: bool>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let size = 2 * Lay::<B, TURNED>::WORDS;
    let uppers = isa.uppers();
    let mut i = 0;
    // SAFETY: the caller's; what is stored of a register ends where the destination does.
    unsafe {
        while n - i >= 64 {
            let [a, b] =
                words::<L, A, B, TURNED>(isa, &uppers, load::<L, A>(isa, src.add(i / 8 * A::BITS)));
            store_all::<B, TURNED>(x, dst.add(i * size), a);
            store_all::<B, TURNED>(x, dst.add((i + 32) * size), b);
            i += 64;
        }
        if i < n {
            let left = n - i;
            let v = load_part::<L, A>(isa, src.add(i / 8 * A::BITS), left);
            let [a, b] = words::<L, A, B, TURNED>(isa, &uppers, v);
            store_first::<B, TURNED>(x, dst.add(i * size), a, left.min(32));
            if left > 32 {
                store_first::<B, TURNED>(x, dst.add((i + 32) * size), b, left - 32);
            }
        }
    }
}

/// Writes the elements of 32 words.
///
/// # Safety
/// `dst` is valid for writing 32 elements.
#[inline(always)]
unsafe fn store_all<B: Codes, const TURNED: bool>(x: Features, dst: *mut u8, words: __m512i) {
    for (i, owners) in Lay::<B, TURNED>::OWNERS.iter().enumerate().take(Lay::<B, TURNED>::WORDS) {
        let v =
            x.bw._mm512_maskz_permutexvar_epi16(Lay::<B, TURNED>::TOPS, x.constant(owners), words);
        // SAFETY: the caller's: 32 elements are `WORDS` registers.
        unsafe { x.store_dwords(dst.add(64 * i), v) };
    }
}

/// The same of the first `n`.
///
/// # Safety
/// `dst` is valid for writing `n <= 32` elements.
#[inline(always)]
unsafe fn store_first<B: Codes, const TURNED: bool>(
    x: Features,
    dst: *mut u8,
    words: __m512i,
    n: usize,
) {
    let bytes = n * 2 * Lay::<B, TURNED>::WORDS;
    for (i, owners) in Lay::<B, TURNED>::OWNERS.iter().enumerate().take(bytes.div_ceil(64)) {
        let v =
            x.bw._mm512_maskz_permutexvar_epi16(Lay::<B, TURNED>::TOPS, x.constant(owners), words);
        // SAFETY: the caller's; the register begins inside the destination.
        unsafe { x.store_first(dst.add(64 * i), v, (bytes - 64 * i).min(64)) };
    }
}
