//! What has a better way than its hubs.
//!
//! * From one byte to one or two bytes, and to float32: byte tables made from the reference, one for
//!   each byte of the result. Float32 takes the bytes of bfloat16, which holds all numbers of one
//!   byte. With VBMI also where a side is packed.
//! * From float16 and bfloat16 to the small floats, see [`words`].
//! * What needs no more than 16-bit lanes: float16 and bfloat16 to bool, 16-bit to 8-bit integers.

use super::codes::{Codes, Pair, Plain, load, load_part, store, store_part};
use super::shim::Vbmi;
use super::tables::{ByteMap, LookUp};
use super::{Avx512, Features, packed, words};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real};
use crate::scalar::direct::{table8, table16};
use crate::table::{Entry, Kernel, Params, Road};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// The kernel of a pair of real dtypes for which the hubs are the longer way.
pub(super) const fn entry<A: Real, B: Real>() -> Option<Entry> {
    let (from, to) = (A::DTYPE, B::DTYPE);
    let whole = matches!(from.kind(), Kind::Int | Kind::UInt);
    let kernel = if let Some(bytes) = by_table::<Plain<A>, Plain<B>>() {
        return Some(Entry { kernel: bytes.bw(), road: Road::Table });
    } else if from.bits() == 16 && matches!(to, DType::Bool) && !whole {
        bw::truths_of_floats::<Plain<A>, Plain<B>>
    } else if from.bits() == 16 && matches!(to, DType::Int8 | DType::UInt8) && whole {
        bw::low_bytes::<Plain<A>, Plain<B>>
    } else if matches!((from, to), (DType::BFloat16, DType::Float8E8M0Fnu)) {
        bw::powers::<Plain<A>, Plain<B>>
    } else {
        return None;
    };
    Some(Entry { kernel, road: Road::Direct })
}

/// The same with VBMI.
pub(super) const fn entry_vbmi<A: Real, B: Real>() -> Option<Entry> {
    if let Some(bytes) = by_table::<Plain<A>, Plain<B>>() {
        Some(Entry { kernel: bytes.vbmi(), road: Road::Table })
    } else if words::suits(A::DTYPE, B::DTYPE) {
        Some(Entry { kernel: vbmi::to_small::<Plain<A>, Plain<B>>, road: Road::Table })
    } else {
        entry::<A, B>()
    }
}

/// From a byte to so many bytes.
struct ByTable<A, B> {
    bytes: usize,
    pair: PhantomData<(A, B)>,
}

const fn by_table<A: Codes, B: Codes>() -> Option<ByTable<A, B>> {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    if from.bits() != 8 {
        return None;
    }
    // Widening integers is no look-up.
    let whole = matches!(from, DType::Int8 | DType::UInt8);
    let float = matches!(to.kind(), Kind::Float);
    match to.bits() {
        8 | 16 if !whole || float || to.significant_bits() < 8 => {}
        32 if float => {}
        _ => return None,
    }
    Some(ByTable { bytes: to.bits() / 8, pair: PhantomData })
}

impl<A: Codes, B: Codes> ByTable<A, B> {
    const fn bw(&self) -> Kernel {
        match self.bytes {
            1 => bw::to_8::<A, B>,
            2 => bw::to_16::<A, B>,
            _ => bw::to_32::<A, B>,
        }
    }

    const fn vbmi(&self) -> Kernel {
        match self.bytes {
            1 => vbmi::to_8::<A, B>,
            2 => vbmi::to_16::<A, B>,
            _ => vbmi::to_32::<A, B>,
        }
    }
}

/// The kernel with VBMI of a pair one side of which is packed, if the other is no more than a byte
/// or can be reached from one by table.
pub(super) const fn entry_packed<A: Codes, B: Codes>() -> Option<Entry> {
    if packed::suits::<A, B>() {
        Some(Entry { kernel: vbmi::regroup::<A, B>, road: Road::Table })
    } else if let Some(bytes) = by_table::<A, B>() {
        Some(Entry { kernel: bytes.vbmi(), road: Road::Table })
    } else if words::suits(A::Numbers::DTYPE, B::Numbers::DTYPE) {
        Some(Entry { kernel: vbmi::to_small::<A, B>, road: Road::Table })
    } else {
        None
    }
}

/// The tables of a pair.
struct Maps<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> Maps<A, B> {
    const BYTE: ByteMap = ByteMap::new(Self::of_whole_codes(table8::<A>(B::DTYPE)));
    const LOW: ByteMap = ByteMap::new(Self::byte_of_word(0));
    const HIGH: ByteMap = ByteMap::new(Self::byte_of_word(1));

    const fn byte_of_word(i: usize) -> [u8; 256] {
        let words = table16::<A>(match B::DTYPE {
            DType::Float32 => DType::BFloat16,
            to => to,
        });
        let mut bytes = [0; 256];
        let mut code = 0;
        while code < 256 {
            bytes[code] = words[code].to_le_bytes()[i];
            code += 1;
        }
        Self::of_whole_codes(bytes)
    }

    /// Repeats what codes 0 and 1 of bool become: [`whole_codes`] leaves no others.
    const fn of_whole_codes(mut bytes: [u8; 256]) -> [u8; 256] {
        if matches!(A::DTYPE, DType::Bool) {
            let mut i = 2;
            while i < 256 {
                bytes[i] = bytes[i % 2];
                i += 1;
            }
        }
        bytes
    }
}

/// Kernels of the functions below, compiled for an instruction set.
macro_rules! kernels {
    ($($level:ident $token:ident $features:literal: $($function:path => $name:ident)*;)*) => {$(
        mod $level {
            use super::*;

            kernels! { @each $token $features $($function => $name)* }
        }
    )*};
    (@each $token:ident $features:literal $($function:path => $name:ident)*) => {$(
        /// # Safety
        /// As for every kernel, see [`crate::table::Kernel`].
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name<A: Codes, B: Codes>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            _: &Params,
        ) -> usize {
            // SAFETY: the caller's.
            unsafe { $function($token::summon(), src, dst, n, Pair::<A, B>(PhantomData)) };
            n
        }
    )*};
}

kernels! {
    bw Avx512 "avx512bw":
        super::to_8 => to_8
        super::to_16 => to_16
        super::to_32 => to_32
        super::truths_of_floats => truths_of_floats
        super::low_bytes => low_bytes
        super::powers => powers;
    vbmi Vbmi "avx512vbmi,avx512vbmi2":
        super::to_8 => to_8
        super::to_16 => to_16
        super::to_32 => to_32
        packed::regroup => regroup
        words::to_small => to_small;
}

/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
unsafe fn to_8<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let map = const { &Maps::<A::Numbers, B::Numbers>::BYTE };
    let mut i = 0;
    // SAFETY: the caller's; 64 elements are whole bytes on both sides.
    unsafe {
        while n - i >= 64 {
            let v = isa.look_up(map, load::<L, A>(isa, src.add(i / 8 * A::BITS)));
            store::<L, B>(isa, dst.add(i / 8 * B::BITS), v);
            i += 64;
        }
        if i < n {
            let left = n - i;
            let v = isa.look_up(map, load_part::<L, A>(isa, src.add(i / 8 * A::BITS), left));
            store_part::<L, B>(isa, dst.add(i / 8 * B::BITS), v, left);
        }
    }
}

/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `2 * n` bytes; they don't
/// overlap.
#[inline(always)]
unsafe fn to_16<L: LookUp, A: Codes, B: Codes>(
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
            let [a, b] = words::<L, A, B>(isa, load::<L, A>(isa, src.add(i / 8 * A::BITS)));
            x.store_dwords(dst.add(2 * i), a);
            x.store_dwords(dst.add(2 * i + 64), b);
            i += 64;
        }
        if i < n {
            let left = n - i;
            let [a, b] =
                words::<L, A, B>(isa, load_part::<L, A>(isa, src.add(i / 8 * A::BITS), left));
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

/// 64 words by two tables.
#[inline(always)]
fn words<L: LookUp, A: Codes, B: Codes>(isa: L, v: __m512i) -> [__m512i; 2] {
    let x = isa.features();
    interleaved::<L, A, B>(isa, x.f._mm512_permutexvar_epi64(x.constant(&FOR_WORDS), v))
}

#[inline(always)]
fn interleaved<L: LookUp, A: Codes, B: Codes>(isa: L, v: __m512i) -> [__m512i; 2] {
    let x = isa.features();
    let low = isa.look_up(const { &Maps::<A::Numbers, B::Numbers>::LOW }, v);
    let high = isa.look_up(const { &Maps::<A::Numbers, B::Numbers>::HIGH }, v);
    [x.bw._mm512_unpacklo_epi8(low, high), x.bw._mm512_unpackhi_epi8(low, high)]
}

/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `4 * n` bytes; they don't
/// overlap.
#[inline(always)]
unsafe fn to_32<L: LookUp, A: Codes, B: Codes>(
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
    let [low, high] = interleaved::<L, A, B>(isa, v);
    let zero = x.f._mm512_setzero_si512();
    [
        x.bw._mm512_unpacklo_epi16(zero, low),
        x.bw._mm512_unpackhi_epi16(zero, low),
        x.bw._mm512_unpacklo_epi16(zero, high),
        x.bw._mm512_unpackhi_epi16(zero, high),
    ]
}

/// Float16 or bfloat16 to bool.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing `n` bytes; they don't overlap.
#[inline(always)]
unsafe fn truths_of_floats<A, B>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let x = isa.0;
    let magnitude = x.f._mm512_set1_epi16(0x7fff);
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
                let low = x.bw._mm512_test_epi16_mask(a, magnitude);
                let high = x.bw._mm512_test_epi16_mask(b, magnitude);
                x.bw._mm512_maskz_mov_epi8(u64::from(low) | u64::from(high) << 32, x.byte(1))
            },
        )
    }
}

/// 16-bit to 8-bit integers.
///
/// # Safety
/// As for [`truths_of_floats`].
#[inline(always)]
unsafe fn low_bytes<A, B>(isa: Avx512, src: *const u8, dst: *mut u8, n: usize, pair: Pair<A, B>) {
    let x = isa.0;
    let byte = x.f._mm512_set1_epi16(0xff);
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
                let (a, b) = (x.f._mm512_and_si512(a, byte), x.f._mm512_and_si512(b, byte));
                x.unmix_words(x.bw._mm512_packus_epi16(a, b))
            },
        )
    }
}

/// Bfloat16 to float8_e8m0fnu: as from float32, see [`super::small`], with its upper half.
///
/// # Safety
/// As for [`truths_of_floats`].
#[inline(always)]
unsafe fn powers<A, B>(isa: Avx512, src: *const u8, dst: *mut u8, n: usize, pair: Pair<A, B>) {
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
                let x = isa.0;
                let (a, nan_a) = next_power(x, a);
                let (b, nan_b) = next_power(x, b);
                let codes = x.unmix_words(x.bw._mm512_packus_epi16(a, b));
                let codes = x.bw._mm512_min_epu8(codes, x.byte(0xfe));
                let nan = u64::from(nan_a) | u64::from(nan_b) << 32;
                x.bw._mm512_mask_mov_epi8(codes, nan, x.byte(0xff))
            },
        )
    }
}

/// The next power of two in each word, and which are NaN or below zero.
#[inline(always)]
fn next_power(x: Features, v: __m512i) -> (__m512i, __mmask32) {
    let magnitude = x.f._mm512_and_si512(v, x.word(0x7fff));
    let above = x.bw._mm512_cmpgt_epu16_mask(magnitude, x.word(0x40));
    let up = x.bw._mm512_add_epi16(magnitude, x.word(0x7f));
    let code = x.bw._mm512_maskz_srli_epi16::<7>(above, up);
    let past = x.bw._mm512_cmpgt_epu16_mask(v, x.word(0x7f80));
    (code, x.bw._mm512_mask_cmpneq_epi16_mask(past, v, x.word(0x8000)))
}

/// Makes a byte of each word.
///
/// # Safety
/// As for [`truths_of_floats`].
#[inline(always)]
unsafe fn bytes_of_words<A, B>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
    bytes: impl Fn([__m512i; 2]) -> __m512i,
) {
    let x = isa.0;
    let mut i = 0;
    // SAFETY: the caller's.
    unsafe {
        while n - i >= 64 {
            let from = src.add(2 * i);
            x.store_dwords(dst.add(i), bytes([x.load_dwords(from), x.load_dwords(from.add(64))]));
            i += 64;
        }
        if i < n {
            let v = x.load_first_pair(src.add(2 * i), 2 * (n - i));
            x.store_first(dst.add(i), bytes(v), n - i);
        }
    }
}
