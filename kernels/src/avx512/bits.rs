//! From packed elements of one and two bits to wider ones: single bits are masks, and pairs of bits, shifted down in
//! lanes of their own, are the indices of a permutation, which sees nothing above them.

use super::codes::{Codes, Pair};
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::dtypes::Real;
use crate::options::Options;
use crate::reference::{decode, encode};
use crate::scalar::direct::ByteTable;
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem;

/// The bytes of the source that hold 64 elements, at most.
const GROUP: usize = 16;

/// Whether [`widened`] is for a pair.
pub(super) const fn has_widened<A: Codes, B: Codes>() -> bool {
    let bytes = Codewords::<A, B>::BYTES;
    match (A::BITS, B::BITS) {
        (1, 8) => true,
        // (Bytes and words of them are in one register by one look-up.)
        (2, 8) => bytes == 4 || bytes == 8,
        _ => false,
    }
}

/// What codes become.
struct Codewords<A, B>(PhantomData<(A, B)>);

impl<A: Codes, B: Codes> Codewords<A, B> {
    /// The bytes of a result.
    const BYTES: usize = size_of::<<B::Numbers as Real>::Stored>() * if B::COMPLEX { 2 } else { 1 };

    /// A result, of a complex number the real part. (The imaginary one is zero.)
    const fn of(code: u64) -> u64 {
        if Self::BYTES == 1 {
            return ByteTable::<A::Numbers, B::Numbers>::BYTES[code as usize] as u64;
        }
        let value = decode(A::Numbers::DTYPE, code);
        match encode(B::Numbers::DTYPE, value, false, &Options::DEFAULT, 0) {
            Ok(code) => code,
            Err(_) => panic!("the default options refuse nothing"),
        }
    }

    const BITS: [u64; 2] = [Self::of(0), Self::of(1)];

    /// Those of an index's last two bits, which has as many bits as a permutation of dwords takes.
    const PAIRS: [u32; 16] = {
        let mut all = [0; 16];
        let mut i = 0;
        while i < 16 {
            all[i] = Self::of(i as u64 % 4) as u32;
            i += 1;
        }
        all
    };

    /// The same for qwords.
    const LONG_PAIRS: [u64; 8] = {
        let mut all = [0; 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Self::of(i as u64 % 4);
            i += 1;
        }
        all
    };
}

/// Packed elements of one or two bits to wider ones.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn widened<A: Codes, B: Codes>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let bytes = const { Codewords::<A, B>::BYTES };
    let (mut src, mut dst, mut left) = (src, dst, n);
    // SAFETY: the caller's: 64 elements are `8 * A::BITS` bytes and fill `bytes` registers. The last ones are copied
    // to where as many can be read; what is stored of a register ends where the destination does.
    unsafe {
        while left >= 64 {
            for i in 0..bytes {
                x.store_dwords(dst.add(64 * i), register::<A, B>(x, src, i));
            }
            (src, dst, left) = (src.add(8 * A::BITS), dst.add(64 * bytes), left - 64);
        }
        if left > 0 {
            let mut group = [0u8; GROUP];
            src.copy_to_nonoverlapping(group.as_mut_ptr(), (left * A::BITS).div_ceil(8));
            for i in 0..(left * bytes).div_ceil(64) {
                let v = register::<A, B>(x, group.as_ptr(), i);
                x.store_first(dst.add(64 * i), v, (left * bytes - 64 * i).min(64));
            }
        }
    }
}

/// The `i`th of the registers that 64 elements fill.
///
/// # Safety
/// `src` is valid for reading 64 elements.
#[inline(always)]
unsafe fn register<A: Codes, B: Codes>(x: Features, src: *const u8, i: usize) -> __m512i {
    // SAFETY: the caller's: what is read are the elements of this register, or with others of the 64 before or after them.
    unsafe {
        match A::BITS {
            1 => of_bits::<A, B>(x, src, i),
            _ => of_pairs::<A, B>(x, src, i),
        }
    }
}

/// # Safety
/// As for [`register`].
#[inline(always)]
unsafe fn of_bits<A: Codes, B: Codes>(x: Features, src: *const u8, i: usize) -> __m512i {
    let [unset, set] = const { Codewords::<A, B>::BITS };
    // SAFETY: the caller's.
    unsafe {
        match const { Codewords::<A, B>::BYTES } {
            1 => {
                let bits = src.add(8 * i).cast::<u64>().read_unaligned();
                x.bw._mm512_mask_blend_epi8(bits, x.byte(unset as u8), x.byte(set as u8))
            }
            2 => {
                let bits = src.add(4 * i).cast::<u32>().read_unaligned();
                x.bw._mm512_mask_blend_epi16(bits, x.word(unset as u16), x.word(set as u16))
            }
            4 => {
                let bits = src.add(2 * i).cast::<u16>().read_unaligned();
                let (unset, set) = (x.dword(unset as u32), x.dword(set as u32));
                x.f._mm512_mask_blend_epi32(bits, unset, set)
            }
            8 => {
                let (unset, set) = (x.qword(unset), x.qword(set));
                x.f._mm512_mask_blend_epi64(src.add(i).read(), unset, set)
            }
            _ => {
                // Four elements, the first qword of two of each.
                let four = src.add(i / 2).read() >> (4 * (i % 2)) & 15;
                let real = (0x55 & SPREAD[four as usize]) as __mmask8;
                let v = x.f._mm512_maskz_mov_epi64(0x55, x.qword(unset));
                x.f._mm512_mask_mov_epi64(v, real, x.qword(set))
            }
        }
    }
}

/// Four bits, each twice.
const SPREAD: [u8; 16] = {
    let mut all = [0; 16];
    let mut four = 0;
    while four < 16 {
        let mut bit = 0;
        while bit < 4 {
            if four >> bit & 1 == 1 {
                all[four] |= 3 << (2 * bit);
            }
            bit += 1;
        }
        four += 1;
    }
    all
};

/// # Safety
/// As for [`register`].
#[inline(always)]
unsafe fn of_pairs<A: Codes, B: Codes>(x: Features, src: *const u8, i: usize) -> __m512i {
    if const { Codewords::<A, B>::BYTES == 4 } {
        // SAFETY: the caller's.
        let sixteen = unsafe { src.add(4 * i).cast::<u32>().read_unaligned() };
        let at = x.f._mm512_srlv_epi32(x.dword(sixteen), DWORD_PLACES);
        return x.f._mm512_permutexvar_epi32(at, x.constant(const { &Codewords::<A, B>::PAIRS }));
    }
    // SAFETY: the caller's.
    let sixteen = unsafe { src.add(i / 2 * 4).cast::<u32>().read_unaligned() };
    let places = if i.is_multiple_of(2) { QWORD_PLACES } else { LATER_QWORD_PLACES };
    let at = x.f._mm512_srlv_epi64(x.dword(sixteen), places);
    x.f._mm512_permutexvar_epi64(at, x.constant(const { &Codewords::<A, B>::LONG_PAIRS }))
}

/// Where pairs of bits begin, to be shifted by in dwords. (Registers, not memory to load: the compiler sees what is in them,
/// and need not take care of places past the lanes' ends.)
const DWORD_PLACES: __m512i = {
    let (mut places, mut i) = ([0u32; 16], 0);
    while i < 16 {
        places[i] = 2 * i as u32;
        i += 1;
    }
    // SAFETY: any 64 bytes make a register.
    unsafe { mem::transmute::<[u32; 16], __m512i>(places) }
};

/// The same in qwords, for the first eight.
const QWORD_PLACES: __m512i = qword_places(0);

/// And for those after them.
const LATER_QWORD_PLACES: __m512i = qword_places(16);

const fn qword_places(first: u64) -> __m512i {
    let (mut places, mut i) = ([0u64; 8], 0);
    while i < 8 {
        places[i] = first + 2 * i as u64;
        i += 1;
    }
    // SAFETY: any 64 bytes make a register.
    unsafe { mem::transmute::<[u64; 8], __m512i>(places) }
}
