//! What has a better way than its hubs.
//!
//! * From one byte to one or two bytes, and to float32: byte tables made from the reference, one for
//!   each byte of the result. Float32 takes the bytes of bfloat16, which holds all numbers of one
//!   byte.

use super::shim::Vbmi;
use super::tables::{ByteMap, LookUp};
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real};
use crate::scalar::direct::{table8, table16};
use crate::table::{Entry, Kernel, Params, Road};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// The kernel of a pair of real dtypes for which the hubs are the longer way.
pub(super) const fn entry<A: Real, B: Real>() -> Option<Entry> {
    match by_table::<A, B>() {
        Some(bytes) => Some(Entry { kernel: bytes.bw(), road: Road::Table }),
        None => None,
    }
}

/// The same with VBMI.
pub(super) const fn entry_vbmi<A: Real, B: Real>() -> Option<Entry> {
    match by_table::<A, B>() {
        Some(bytes) => Some(Entry { kernel: bytes.vbmi(), road: Road::Table }),
        None => None,
    }
}

/// From a byte to so many bytes.
struct ByTable<A, B> {
    bytes: usize,
    pair: PhantomData<(A, B)>,
}

const fn by_table<A: Real, B: Real>() -> Option<ByTable<A, B>> {
    let (from, to) = (A::DTYPE, B::DTYPE);
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

impl<A: Real, B: Real> ByTable<A, B> {
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

/// Kernels for each instruction set, of the functions below.
macro_rules! kernels {
    ($($level:ident $token:ident $features:literal;)*) => {$(
        mod $level {
            use super::*;

            kernels! { @one $token $features to_8 to_16 to_32 }
        }
    )*};
    (@one $token:ident $features:literal $($name:ident)*) => {$(
        /// # Safety
        /// As for every kernel, see [`crate::table::Kernel`].
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name<A: Real, B: Real>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            _: &Params,
        ) -> usize {
            // SAFETY: the caller's.
            unsafe { super::$name::<_, A, B>($token::summon(), src, dst, n) };
            n
        }
    )*};
}

kernels! {
    bw Avx512 "avx512bw";
    vbmi Vbmi "avx512vbmi,avx512vbmi2";
}

/// # Safety
/// `src` is valid for reading `n` bytes and `dst` for writing `n` bytes; they don't overlap.
#[inline(always)]
unsafe fn to_8<L: LookUp, A: Real, B: Real>(isa: L, src: *const u8, dst: *mut u8, n: usize) {
    let x = isa.features();
    let map = const { &Maps::<A, B>::BYTE };
    let mut i = 0;
    // SAFETY: the caller's.
    unsafe {
        while n - i >= 64 {
            let v = whole_codes::<A>(x, x.load_dwords(src.add(i)));
            x.store_dwords(dst.add(i), isa.look_up(map, v));
            i += 64;
        }
        if i < n {
            let v = whole_codes::<A>(x, x.load_first(src.add(i), n - i));
            x.store_first(dst.add(i), isa.look_up(map, v), n - i);
        }
    }
}

/// Any nonzero bool is as good as 1.
#[inline(always)]
fn whole_codes<A: Real>(x: Features, v: __m512i) -> __m512i {
    match A::DTYPE {
        DType::Bool => x.bw._mm512_min_epu8(v, x.byte(1)),
        _ => v,
    }
}

/// # Safety
/// `src` is valid for reading `n` bytes and `dst` for writing `2 * n` bytes; they don't overlap.
#[inline(always)]
unsafe fn to_16<L: LookUp, A: Real, B: Real>(isa: L, src: *const u8, dst: *mut u8, n: usize) {
    let x = isa.features();
    let mut i = 0;
    // SAFETY: the caller's; what is stored of a register ends where the destination does.
    unsafe {
        while n - i >= 64 {
            let [a, b] = words::<L, A, B>(isa, x.load_dwords(src.add(i)));
            x.store_dwords(dst.add(2 * i), a);
            x.store_dwords(dst.add(2 * i + 64), b);
            i += 64;
        }
        if i < n {
            let left = n - i;
            let [a, b] = words::<L, A, B>(isa, x.load_first(src.add(i), left));
            x.store_first(dst.add(2 * i), a, 2 * left);
            if left > 32 {
                x.store_first(dst.add(2 * i + 64), b, 2 * left - 64);
            }
        }
    }
}

/// Which qword goes where, so that interleaving within 128-bit lanes leaves all in order.
const FOR_WORDS: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];
/// The same with dwords, for interleaving twice.
const FOR_DWORDS: [u32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// 64 words by two tables.
#[inline(always)]
fn words<L: LookUp, A: Real, B: Real>(isa: L, v: __m512i) -> [__m512i; 2] {
    let x = isa.features();
    interleaved::<L, A, B>(isa, x.f._mm512_permutexvar_epi64(x.constant(&FOR_WORDS), v))
}

#[inline(always)]
fn interleaved<L: LookUp, A: Real, B: Real>(isa: L, v: __m512i) -> [__m512i; 2] {
    let x = isa.features();
    let v = whole_codes::<A>(x, v);
    let low = isa.look_up(const { &Maps::<A, B>::LOW }, v);
    let high = isa.look_up(const { &Maps::<A, B>::HIGH }, v);
    [x.bw._mm512_unpacklo_epi8(low, high), x.bw._mm512_unpackhi_epi8(low, high)]
}

/// # Safety
/// `src` is valid for reading `n` bytes and `dst` for writing `4 * n` bytes; they don't overlap.
#[inline(always)]
unsafe fn to_32<L: LookUp, A: Real, B: Real>(isa: L, src: *const u8, dst: *mut u8, n: usize) {
    let x = isa.features();
    let mut i = 0;
    // SAFETY: the caller's; what is stored of a register ends where the destination does.
    unsafe {
        while n - i >= 64 {
            let [a, b, c, d] = dwords::<L, A, B>(isa, x.load_dwords(src.add(i)));
            x.store_dwords(dst.add(4 * i), a);
            x.store_dwords(dst.add(4 * i + 64), b);
            x.store_dwords(dst.add(4 * i + 128), c);
            x.store_dwords(dst.add(4 * i + 192), d);
            i += 64;
        }
        if i < n {
            let left = n - i;
            let [a, b, c, d] = dwords::<L, A, B>(isa, x.load_first(src.add(i), left));
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
pub(super) fn dwords<L: LookUp, A: Real, B: Real>(isa: L, v: __m512i) -> [__m512i; 4] {
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
