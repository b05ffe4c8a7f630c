//! Packed codes: with VBMI to a byte each and back by one permutation of bytes, and from packed to
//! packed without coming to elements at all.
//!
//! A byte of elements of 1, 2 or 4 bits is itself the index of a table that tells what all of them
//! become together. Where they become wider, there is a table for each byte of the result; where they
//! become narrower, the parts of bytes that the table gives are joined like elements of that width.

use super::codes::{Codes, Pair};
use super::direct::{FOR_DWORDS, FOR_WORDS};
use super::pieces;
use super::shim::Vbmi;
use super::tables::{ByteMap, LookUp};
use crate::scalar::direct::ByteTable;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// The 64 codes at the front of a register, a byte each.
#[inline(always)]
pub(super) fn spread(isa: Vbmi, bits: usize, packed: __m512i) -> __m512i {
    let x = isa.features();
    let v = match bits {
        2 => by_eights::<2>(isa, packed),
        6 => by_eights::<6>(isa, packed),
        _ => return pieces::spread(x, bits, packed),
    };
    x.f._mm512_and_si512(v, x.byte((1 << bits) - 1))
}

/// Eight codes to a qword, then each to the foot of its byte, with others above it.
#[inline(always)]
fn by_eights<const BITS: u8>(isa: Vbmi, packed: __m512i) -> __m512i {
    let x = isa.features();
    let qwords = isa.permutexvar_epi8(x.constant(&const { eights(BITS) }), packed);
    isa.multishift_epi64_epi8(x.constant(&const { starts(BITS) }), qwords)
}

/// Which bytes make the qwords: the first `bits` of each are eight codes.
const fn eights(bits: u8) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (qword, byte) = (i as u8 / 8, i as u8 % 8);
        indices[i] = qword * bits + if byte < bits { byte } else { 0 };
        i += 1;
    }
    indices
}

/// Where in its qword each code starts.
const fn starts(bits: u8) -> [u8; 64] {
    let mut starts = [0; 64];
    let mut i = 0;
    while i < 64 {
        starts[i] = i as u8 % 8 * bits;
        i += 1;
    }
    starts
}

/// 64 codes in the low bits of a byte each, packed at the front of a register.
#[inline(always)]
pub(super) fn gather(isa: Vbmi, bits: usize, v: __m512i) -> __m512i {
    let x = isa.features();
    let order = match bits {
        2 => const { &feet(1, 4) },
        4 => const { &feet(1, 2) },
        6 => const { &feet(3, 4) },
        _ => return pieces::gather(x, bits, v),
    };
    isa.permutexvar_epi8(x.constant(order), pieces::join(x, bits, v))
}

/// The first `keep` of every `of` bytes.
const fn feet(keep: u8, of: u8) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 / of * keep {
        indices[i as usize] = i / keep * of + i % keep;
        i += 1;
    }
    indices
}

/// Whether [`regroup`] is for a pair.
pub(super) const fn suits<A: Codes, B: Codes>() -> bool {
    A::BITS <= 4 && B::BITS <= 4
}

/// What a byte of elements becomes.
struct Bytes<A, B>(PhantomData<(A, B)>);

impl<A: Codes, B: Codes> Bytes<A, B> {
    /// How many bytes a byte becomes.
    const WIDENS: usize = if B::BITS > A::BITS { B::BITS / A::BITS } else { 1 };

    /// How many bits the table gives for a byte.
    const BITS: usize = if B::BITS < A::BITS { 8 / A::BITS * B::BITS } else { 8 };

    const MAPS: [ByteMap; 4] = [Self::map(0), Self::map(1), Self::map(2), Self::map(3)];

    /// What the elements in one of `WIDENS` equal parts of a byte become.
    const fn map(part: usize) -> ByteMap {
        let codes = &ByteTable::<A::Numbers, B::Numbers>::BYTES;
        let elements = 8 / A::BITS / Self::WIDENS;
        let mut bytes = [0; 256];
        let mut byte = 0;
        while byte < 256 && part < Self::WIDENS {
            let mut i = 0;
            while i < elements {
                let from = byte >> ((part * elements + i) * A::BITS) & ((1 << A::BITS) - 1);
                bytes[byte] |= (codes[from] & ((1 << B::BITS) - 1)) << (i * B::BITS);
                i += 1;
            }
            byte += 1;
        }
        ByteMap::new(bytes)
    }
}

/// From packed elements to packed ones.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn regroup<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let group = 64 * 8 / A::BITS;
    let mut i = 0;
    // SAFETY: the caller's. A group is 64 bytes of the source, and inside it while that many elements
    // are left. Of the last one the bytes that hold elements are read and written; what is left of the
    // last byte is then cleared.
    unsafe {
        while n - i >= group {
            let v = x.load_dwords(src.add(i / 8 * A::BITS));
            let to = dst.add(i / 8 * B::BITS);
            let regrouped = bytes::<L, A, B>(isa, v);
            if Bytes::<A, B>::BITS < 8 {
                pieces::store_group(x, Bytes::<A, B>::BITS, to, regrouped[0]);
            } else {
                for (i, &v) in regrouped.iter().enumerate().take(Bytes::<A, B>::WIDENS) {
                    x.store_dwords(to.add(64 * i), v);
                }
            }
            i += group;
        }
        if i < n {
            let left = n - i;
            let v = x.load_first(src.add(i / 8 * A::BITS), (left * A::BITS).div_ceil(8));
            let to = dst.add(i / 8 * B::BITS);
            let len = (left * B::BITS).div_ceil(8);
            for (i, &v) in bytes::<L, A, B>(isa, v).iter().enumerate().take(len.div_ceil(64)) {
                x.store_first(to.add(64 * i), v, (len - 64 * i).min(64));
            }
            let rest = left * B::BITS % 8;
            if rest != 0 {
                *to.add(len - 1) &= (1 << rest) - 1;
            }
        }
    }
}

/// What 64 bytes of elements become: up to four registers, or the front of one.
#[inline(always)]
fn bytes<L: LookUp, A: Codes, B: Codes>(isa: L, v: __m512i) -> [__m512i; 4] {
    let x = isa.features();
    let [a, b, c, d] = const { &Bytes::<A, B>::MAPS };
    let zero = x.f._mm512_setzero_si512();
    match (Bytes::<A, B>::WIDENS, Bytes::<A, B>::BITS) {
        (1, 8) => [isa.look_up(a, v), zero, zero, zero],
        (1, bits) => [isa.gather(bits, isa.look_up(a, v)), zero, zero, zero],
        (2, _) => {
            let v = x.f._mm512_permutexvar_epi64(x.constant(&FOR_WORDS), v);
            let (a, b) = (isa.look_up(a, v), isa.look_up(b, v));
            [x.bw._mm512_unpacklo_epi8(a, b), x.bw._mm512_unpackhi_epi8(a, b), zero, zero]
        }
        _ => {
            let v = x.f._mm512_permutexvar_epi32(x.constant(&FOR_DWORDS), v);
            let (a, b) = (isa.look_up(a, v), isa.look_up(b, v));
            let (c, d) = (isa.look_up(c, v), isa.look_up(d, v));
            let (ab, cd) = (x.bw._mm512_unpacklo_epi8(a, b), x.bw._mm512_unpacklo_epi8(c, d));
            let (ef, gh) = (x.bw._mm512_unpackhi_epi8(a, b), x.bw._mm512_unpackhi_epi8(c, d));
            [
                x.bw._mm512_unpacklo_epi16(ab, cd),
                x.bw._mm512_unpackhi_epi16(ab, cd),
                x.bw._mm512_unpacklo_epi16(ef, gh),
                x.bw._mm512_unpackhi_epi16(ef, gh),
            ]
        }
    }
}
