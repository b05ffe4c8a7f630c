//! From integers of 32 and 64 bits to shorter ones: one permutation takes the low bytes of two registers, and what it gives
//! is stored where it lies, before the next two are loaded. (Of packed ones that is too little to store.)
//!
//! Narrowing lane by lane first, and joining what that gives, takes up to twice as many instructions, which a short cast has
//! no time for. Nor has it for waiting: a call that begins with many loads waits for stores of the one before, if they seem
//! to be to the same place.

use super::Features;
use super::codes::{Codes, Pair, store_all};
use super::eights::{self, inlined};
use super::shim::Vbmi;
use super::tables::LookUp;
use crate::dtypes::{DType, Kind, Real};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// Whether [`integers`] is for a pair.
pub(super) const fn suits(from: DType, to: DType) -> bool {
    use DType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let is_byte = matches!(to, Int8 | UInt8);
    match from {
        Int32 | UInt32 => is_byte,
        Int64 | UInt64 => is_byte || matches!(to, Int16 | UInt16 | Int32 | UInt32),
        _ => false,
    }
}

/// What becomes of two registers.
struct Both<A, B>(PhantomData<(A, B)>);

impl<A: Codes, B: Codes> Both<A, B> {
    const FROM: usize = size_of::<<A::Numbers as Real>::Stored>();
    const TO: usize = size_of::<<B::Numbers as Real>::Stored>();
    /// The elements, and the bytes of the results.
    const LEN: usize = 128 / Self::FROM;
    const BYTES: usize = Self::LEN * Self::TO;

    /// Where in both registers the low bytes of their elements are, one element after the other.
    const PLACES: [u8; 64] = {
        let mut places = [0; 64];
        let mut i = 0;
        while i < Self::BYTES {
            places[i] = (i / Self::TO * Self::FROM + i % Self::TO) as u8;
            i += 1;
        }
        places
    };
}

/// Keeps the low bytes of integers.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn integers<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let (from, to) = (Both::<A, B>::FROM, Both::<A, B>::TO);
    let (len, bytes) = (Both::<A, B>::LEN, Both::<A, B>::BYTES);
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read and written that the buffers have.
    unsafe {
        while i < n - n % 64 {
            for j in 0..64 / len {
                let at = i + j * len;
                let v = low_bytes::<A, B>(isa, x.load_qwords(src.add(at * from)));
                store_front(x, bytes, dst.add(at * to), v);
            }
            i += 64;
        }
        while n - i >= len {
            let v = low_bytes::<A, B>(isa, x.load_qwords(src.add(i * from)));
            store_front(x, bytes, dst.add(i * to), v);
            i += len;
        }
        while i < n {
            let part = (n - i).min(64 / from);
            narrow_part(x, from, to, src.add(i * from), dst.add(i * to), part);
            i += part;
        }
    }
}

/// Whether [`to_packed`] is for a pair of which the second is packed.
pub(super) const fn packs(from: DType, to: DType) -> bool {
    let is_long = matches!(from, DType::Int32 | DType::UInt32 | DType::Int64 | DType::UInt64);
    is_long && matches!(to.kind(), Kind::Int | Kind::UInt)
}

/// Keeps the low bits of integers, packed.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn to_packed<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let size = const { size_of::<<A::Numbers as Real>::Stored>() };
    // SAFETY: the caller's; 64 elements are whole bytes on both sides.
    unsafe {
        store_all::<Vbmi, B>(
            isa,
            dst,
            n,
            false,
            #[inline(always)]
            |i, count| lowest_bytes::<A>(isa, src.add(size * i), count),
        );
    }
}

/// The lowest bytes of up to 64 integers, wherever their order puts them, and any for those past `n`.
///
/// # Safety
/// `src` is valid for reading `n` of them.
#[inline(always)]
unsafe fn lowest_bytes<A: Codes>(isa: Vbmi, src: *const u8, n: usize) -> __m512i {
    let (x, size) = (isa.features(), const { size_of::<<A::Numbers as Real>::Stored>() });
    // Those of two registers, as often as a register has room for them.
    let places = x.constant(
        const {
            &{
                let size = size_of::<<A::Numbers as Real>::Stored>();
                let mut places = [0; 64];
                let mut i = 0;
                while i < 64 {
                    let lowest = if A::TURNED { size - 1 } else { 0 };
                    places[i] = (i % (128 / size) * size + lowest) as u8;
                    i += 1;
                }
                places
            }
        },
    );
    let two = inlined(
        #[inline(always)]
        |k| {
            // SAFETY: the caller's.
            let (a, b) =
                unsafe { (x.load_of_64(src, size, n, k), x.load_of_64(src, size, n, k + 1)) };
            isa.permutex2var_epi8(a, places, b)
        },
    );
    let (first, second) = (two(0), two(2));
    if size == 4 {
        return x.f._mm512_mask_blend_epi64(0xf0, first, second);
    }
    let (low, high) = (
        x.f._mm512_mask_blend_epi64(0x0c, first, second),
        x.f._mm512_mask_blend_epi64(0xc0, two(4), two(6)),
    );
    x.f._mm512_mask_blend_epi64(0xf0, low, high)
}

/// Keeps the low bytes of a part of a register's integers.
///
/// # Safety
/// `src` is valid for reading `n` elements of `from` bytes, which a register has room for, and `dst` for writing `n` of
/// `to` bytes.
#[inline(always)]
unsafe fn narrow_part(x: Features, from: usize, to: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        if from == 4 {
            return x.store_bytes_part(
                dst,
                x.f._mm512_cvtepi32_epi8(x.load_dwords_part(src, n)),
                n,
            );
        }
        let v = eights::load_part::<8>(x, src, n);
        let front = |v| [x.f._mm512_castsi128_si512(v); 2];
        match to {
            1 => eights::store_part::<1>(x, dst, front(x.f._mm512_cvtepi64_epi8(v)), n),
            2 => eights::store_part::<2>(x, dst, front(x.f._mm512_cvtepi64_epi16(v)), n),
            _ => {
                let v = x.f._mm512_castsi256_si512(x.f._mm512_cvtepi64_epi32(v));
                eights::store_part::<4>(x, dst, [v; 2], n);
            }
        }
    }
}

/// The low bytes of the elements of two registers, in front.
#[inline(always)]
fn low_bytes<A: Codes, B: Codes>(isa: Vbmi, [a, b]: [__m512i; 2]) -> __m512i {
    let x = isa.features();
    match Both::<A, B>::TO {
        // (On many CPUs in half the time.)
        4 => x.low_dwords([a, b]),
        _ => isa.permutex2var_epi8(a, x.constant(const { &Both::<A, B>::PLACES }), b),
    }
}

/// # Safety
/// `dst` is valid for writing so many bytes, 16, 32 or 64.
#[inline(always)]
unsafe fn store_front(x: Features, bytes: usize, dst: *mut u8, v: __m512i) {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            16 => x.store_bytes(dst, x.f._mm512_castsi512_si128(v)),
            32 => x.store_words(dst, x.f._mm512_castsi512_si256(v)),
            _ => x.store_dwords(dst, v),
        }
    }
}
