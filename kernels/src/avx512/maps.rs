//! From codes of at most a byte to one or two bytes, and to float32: byte tables made from the reference, one for each byte
//! of the result. Float32 takes the bytes of bfloat16, which holds all numbers of one byte.

use super::Features;
use super::codes::{Codes, Pair, load, load_part, load_up_to, sides, store_all};
use super::tables::{ByteMap, LookUp, map_bytes, map_fitting};
use super::uppers::Uppers;
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real};
use crate::scalar::direct::ByteTable;
use crate::stepwise::InRegisters;
use crate::table::Params;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// The tables of a pair.
pub(super) struct Maps<A, B>(PhantomData<(A, B)>);

/// A table by the magnitudes of 8-bit integers: bit 7 does not matter, and 128, which has no other, gives what 0 does.
const fn of_sizes(bytes: [u8; 256]) -> ByteMap {
    let mut all = bytes;
    let mut i = 128;
    while i < 256 {
        all[i] = bytes[i - 128];
        i += 1;
    }
    ByteMap::new(all)
}

impl<A: Real, B: Real> Maps<A, B> {
    pub(super) const BYTE: ByteMap = ByteMap::new(ByteTable::<A, B>::of_whole_codes());
    const LOW: ByteMap = ByteMap::new(ByteTable::<A, B>::byte_of_word(0));
    const HIGH: ByteMap = ByteMap::new(ByteTable::<A, B>::byte_of_word(1));
    const LOW_BY_SIZE: ByteMap = of_sizes(ByteTable::<A, B>::byte_of_word(0));
    const HIGH_BY_SIZE: ByteMap = of_sizes(ByteTable::<A, B>::byte_of_word(1));

    /// What a code becomes, of larger floats the uppermost word.
    const fn word(code: usize) -> u16 {
        let bytes = [ByteTable::<A, B>::byte_of_word(0), ByteTable::<A, B>::byte_of_word(1)];
        u16::from_le_bytes([bytes[0][code], bytes[1][code]])
    }
}

/// Bytes of one number each to such bytes.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(super) unsafe fn to_byte<L: LookUp + Isa, A: Codes, B: Codes>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe { map_bytes::<L>(&Maps::<A::Numbers, B::Numbers>::BYTE, src, dst, n) };
    n
}

/// The same as [`crate::stepwise`] has it.
///
/// # Safety
/// As there.
pub(super) unsafe fn to_byte_while_fitting<L: LookUp + Isa + InRegisters, A: Codes, B: Codes>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    let (map, sides) = const { (&Maps::<A::Numbers, B::Numbers>::BYTE, sides::<A, B>()) };
    // SAFETY: the caller's.
    unsafe { map_fitting::<L>(map, sides, src, dst, n, params) }
}

/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn to_8<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { mapped::<L, A, B>(isa, const { &Maps::<A::Numbers, B::Numbers>::BYTE }, src, dst, n) }
}

/// By a table of what the codes become.
///
/// # Safety
/// As for [`to_8`].
#[inline(always)]
pub(super) unsafe fn mapped<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    map: &ByteMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        mapped_then::<L, A, B>(
            isa,
            map,
            src,
            dst,
            n,
            #[inline(always)]
            |found, _| found,
        );
    }
}

/// The same, given what then becomes of what is found, and of the codes.
///
/// # Safety
/// As for [`to_8`].
#[inline(always)]
pub(super) unsafe fn mapped_then<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    map: &ByteMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    then: impl Fn(__m512i, __m512i) -> __m512i,
) {
    // SAFETY: the caller's; 64 elements are whole bytes on both sides.
    unsafe {
        store_all::<L, B>(
            isa,
            dst,
            n,
            false,
            #[inline(always)]
            |i, count| {
                let v = load_up_to::<L, A>(isa, src.add(i / 8 * A::BITS), count);
                then(isa.look_up(map, v), v)
            },
        );
    }
}

/// To words, turned or not: which of two bytes comes first makes no difference where they are put together.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `2 * n` bytes; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn to_16<L: LookUp, A: Codes, B: Codes, const TURNED: bool>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let uppers = isa.uppers();
    let mut i = 0;
    // SAFETY: the caller's; what is stored of a register ends where the destination does.
    unsafe {
        while n - i >= 64 {
            let [a, b] =
                words::<L, A, B, TURNED>(isa, &uppers, load::<L, A>(isa, src.add(i / 8 * A::BITS)));
            x.store_dwords(dst.add(2 * i), a);
            x.store_dwords(dst.add(2 * i + 64), b);
            i += 64;
        }
        if i < n {
            let left = n - i;
            let [a, b] = words::<L, A, B, TURNED>(
                isa,
                &uppers,
                load_part::<L, A>(isa, src.add(i / 8 * A::BITS), left),
            );
            x.store_first(dst.add(2 * i), a, 2 * left);
            if left > 32 {
                x.store_first(dst.add(2 * i + 64), b, 2 * left - 64);
            }
        }
    }
}

/// Which qword goes where, so that interleaving within 128-bit lanes leaves all in order.
pub(super) const FOR_WORDS: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];
/// The same with dwords, for interleaving twice.
pub(super) const FOR_DWORDS: [u32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// 64 words, turned or not: of truth values two kinds; else by two tables, or one if the low bytes are all zero.
#[inline(always)]
pub(super) fn words<L: LookUp, A: Codes, B: Codes, const TURNED: bool>(
    isa: L,
    uppers: &Uppers,
    v: __m512i,
) -> [__m512i; 2] {
    let x = isa.features();
    if matches!(A::Numbers::DTYPE, DType::Bool) {
        let is_true = x.bw._mm512_test_epi8_mask(v, v);
        let word = const { Maps::<A::Numbers, B::Numbers>::word(1) };
        let word = x.word(if TURNED { word.swap_bytes() } else { word });
        // (Not by `map`, which isn't always inlined, and then calls the instruction as a function.)
        let low = x.bw._mm512_maskz_mov_epi16(is_true as u32, word);
        return [low, x.bw._mm512_maskz_mov_epi16((is_true >> 32) as u32, word)];
    }
    if const { Maps::<A::Numbers, B::Numbers>::LOW.is_zero() } {
        let high = isa.look_up(const { &Maps::<A::Numbers, B::Numbers>::HIGH }, v);
        return isa.beside_zeros::<TURNED>(uppers, high);
    }
    interleaved::<L, A, B, TURNED>(isa, x.f._mm512_permutexvar_epi64(x.constant(&FOR_WORDS), v))
}

/// Words of 64 bytes by two tables, within lanes of 128 bits.
#[inline(always)]
pub(super) fn interleaved<L: LookUp, A: Codes, B: Codes, const TURNED: bool>(
    isa: L,
    v: __m512i,
) -> [__m512i; 2] {
    let x = isa.features();
    let to_float = matches!(B::Numbers::DTYPE.kind(), Kind::Float);
    let [low, high] = if matches!(A::Numbers::DTYPE, DType::Int8) && to_float {
        by_size::<L, A::Numbers, B::Numbers>(isa, v)
    } else {
        let low = isa.look_up(const { &Maps::<A::Numbers, B::Numbers>::LOW }, v);
        [low, isa.look_up(const { &Maps::<A::Numbers, B::Numbers>::HIGH }, v)]
    };
    x.interleaved_bytes::<TURNED>(low, high)
}

impl Features {
    /// Words of low and high bytes, or turned ones, within lanes of 128 bits.
    #[inline(always)]
    pub(super) fn interleaved_bytes<const TURNED: bool>(
        self,
        low: __m512i,
        high: __m512i,
    ) -> [__m512i; 2] {
        let (first, second) = if TURNED { (high, low) } else { (low, high) };
        [self.bw._mm512_unpacklo_epi8(first, second), self.bw._mm512_unpackhi_epi8(first, second)]
    }
}

/// The low and the high bytes of the words of floats, by the magnitudes of integers, and their signs. A magnitude of
/// 128 is looked up as 0, whose low byte is the same. (The function is compiled for other dtypes, too, and not called.)
#[inline(always)]
fn by_size<L: LookUp, A: Real, B: Real>(isa: L, v: __m512i) -> [__m512i; 2] {
    const { assert!(!matches!(A::DTYPE, DType::Int8) || Maps::<A, B>::word(128) & 0xff == 0) };
    let x = isa.features();
    let size = x.bw._mm512_abs_epi8(v);
    let low = isa.look_up(const { &Maps::<A, B>::LOW_BY_SIZE }, size);
    let high = isa.look_up(const { &Maps::<A, B>::HIGH_BY_SIZE }, size);
    let lowest = x.bw._mm512_cmpeq_epi8_mask(v, x.byte(0x80));
    let of_lowest = x.byte(const { (Maps::<A, B>::word(128) >> 8) as u8 });
    let high = x.bw._mm512_mask_mov_epi8(high, lowest, of_lowest);
    // high OR (v AND the top bit)
    [low, x.f._mm512_ternarylogic_epi32::<0xf8>(high, v, x.byte(0x80))]
}

/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `4 * n` bytes; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn to_32<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let mut i = 0;
    // SAFETY: the caller's; what is stored of a register ends where the destination does.
    unsafe {
        while n - i >= 64 {
            let [a, b, c, d] = dwords::<L, A, B>(isa, load::<L, A>(isa, src.add(i / 8 * A::BITS)));
            x.store_dwords(dst.add(4 * i), a);
            x.store_dwords(dst.add(4 * i + 64), b);
            x.store_dwords(dst.add(4 * i + 128), c);
            x.store_dwords(dst.add(4 * i + 192), d);
            i += 64;
        }
        if i < n {
            let left = n - i;
            let [a, b, c, d] =
                dwords::<L, A, B>(isa, load_part::<L, A>(isa, src.add(i / 8 * A::BITS), left));
            let dst = dst.add(4 * i);
            x.store_dwords_part(dst, a, left.min(16));
            if left > 16 {
                x.store_dwords_part(dst.add(64), b, (left - 16).min(16));
            }
            if left > 32 {
                x.store_dwords_part(dst.add(128), c, (left - 32).min(16));
            }
            if left > 48 {
                x.store_dwords_part(dst.add(192), d, left - 48);
            }
        }
    }
}

/// 64 dwords, of which two tables make the high words; the low ones are zero.
#[inline(always)]
pub(super) fn dwords<L: LookUp, A: Codes, B: Codes>(isa: L, v: __m512i) -> [__m512i; 4] {
    let x = isa.features();
    let v = x.f._mm512_permutexvar_epi32(x.constant(&FOR_DWORDS), v);
    let [low, high] = interleaved::<L, A, B, false>(isa, v);
    let zero = x.f._mm512_setzero_si512();
    [
        x.bw._mm512_unpacklo_epi16(zero, low),
        x.bw._mm512_unpackhi_epi16(zero, low),
        x.bw._mm512_unpacklo_epi16(zero, high),
        x.bw._mm512_unpackhi_epi16(zero, high),
    ]
}
