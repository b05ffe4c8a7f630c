//! The rearrangements of packed and complex elements that a tile is made of.

use crate::table::Pieces;
use core::ops::{BitOr, Shl};

pub(crate) const PIECES: Pieces = Pieces {
    unpack,
    pack,
    pack_fitting: None,
    real_parts,
    real_parts_of_reals,
    with_zero_imaginary,
};

/// Writes the numbers of packed elements to a byte each, in its low bits.
///
/// # Safety
/// `src` is valid for reading `n` elements of `bits` bits, and `dst` for writing `n` bytes; they
/// don't overlap. `bits` is 1, 2, 4 or 6.
pub(crate) unsafe fn unpack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bits {
            1 => unpack_of::<1>(src, dst, n),
            2 => unpack_of::<2>(src, dst, n),
            4 => unpack_of::<4>(src, dst, n),
            _ => unpack_of::<6>(src, dst, n),
        }
    }
}

/// # Safety
/// As for [`unpack`].
unsafe fn unpack_of<const BITS: usize>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: 8 elements are BITS bytes, so group `i / 8` of the source is inside it while
    // `i + 8 <= n`, and of the rest exactly the bytes that hold its elements are read.
    unsafe {
        let mut i = 0;
        while i + 8 <= n {
            let group = src.add(i / 8 * BITS).cast::<[u8; BITS]>().read();
            dst.add(i).cast::<[u8; 8]>().write(spread(group));
            i += 8;
        }
        if i < n {
            let mut group = [0; BITS];
            let bytes = ((n - i) * BITS).div_ceil(8);
            src.add(i / 8 * BITS).copy_to_nonoverlapping(group.as_mut_ptr(), bytes);
            let last = spread(group);
            last.as_ptr().copy_to_nonoverlapping(dst.add(i), n - i);
        }
    }
}

/// A place for two halves, of so many bits each, and a one at the start of every such place in 64 bits.
const PLACES: [(usize, u64); 3] = [(32, 1), (16, 0x1_0000_0001), (8, 0x1_0001_0001_0001)];

/// The 8 numbers in so many bytes, a byte each: the upper four move to the upper 32 bits, the upper two of each four to the
/// upper 16 of their 32, the upper one of each two to the upper 8 of their 16.
#[inline(always)]
fn spread<const BITS: usize>(group: [u8; BITS]) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..BITS].copy_from_slice(&group);
    let numbers = PLACES.iter().fold(u64::from_le_bytes(bytes), |x, &(place, starts)| {
        let bits = BITS * place / 8;
        let lower = starts * ((1 << bits) - 1);
        (x & lower) | (x << (place - bits) & lower << place)
    });
    numbers.to_le_bytes()
}

/// The other way round: numbers in the low bits of a byte each, as so many bytes.
#[inline(always)]
fn gather<const BITS: usize>(numbers: [u8; 8]) -> [u8; BITS] {
    let packed = PLACES.iter().rev().fold(u64::from_le_bytes(numbers), |x, &(place, starts)| {
        let bits = BITS * place / 8;
        let lower = starts * ((1 << bits) - 1);
        (x & lower) | (x >> (place - bits) & lower << bits)
    });
    let bytes = packed.to_le_bytes();
    core::array::from_fn(|k| bytes[k])
}

/// Packs numbers from the low bits of a byte each; what is left of the last byte becomes zero.
///
/// # Safety
/// `src` is valid for reading `n` bytes and `dst` for writing `n` elements of `bits` bits; they don't
/// overlap. `bits` is 1, 2, 4 or 6.
pub(crate) unsafe fn pack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bits {
            1 => pack_of::<1>(src, dst, n),
            2 => pack_of::<2>(src, dst, n),
            4 => pack_of::<4>(src, dst, n),
            _ => pack_of::<6>(src, dst, n),
        }
    }
}

/// # Safety
/// As for [`pack`].
unsafe fn pack_of<const BITS: usize>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: as in `unpack_of`, with the sides exchanged.
    unsafe {
        let mut i = 0;
        while i + 8 <= n {
            let numbers = src.add(i).cast::<[u8; 8]>().read();
            dst.add(i / 8 * BITS).cast::<[u8; BITS]>().write(gather(numbers));
            i += 8;
        }
        if i < n {
            let mut numbers = [0; 8];
            src.add(i).copy_to_nonoverlapping(numbers.as_mut_ptr(), n - i);
            let last: [u8; BITS] = gather(numbers);
            let bytes = ((n - i) * BITS).div_ceil(8);
            last.as_ptr().copy_to_nonoverlapping(dst.add(i / 8 * BITS), bytes);
        }
    }
}

/// Copies the real parts of complex elements.
///
/// # Safety
/// `src` is valid for reading `n` elements of two components of `bytes` bytes, `dst` for writing `n`
/// components; they don't overlap. `bytes` is 2, 4 or 8.
pub(crate) unsafe fn real_parts(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            2 => real_parts_of::<u16>(src, dst, n),
            4 => real_parts_of::<u32>(src, dst, n),
            _ => real_parts_of::<u64>(src, dst, n),
        }
    }
}

/// # Safety
/// As for [`real_parts`].
unsafe fn real_parts_of<T: Copy>(src: *const u8, dst: *mut u8, n: usize) {
    let (src, dst) = (src.cast::<[T; 2]>(), dst.cast::<T>());
    for i in 0..n {
        // SAFETY: the caller's.
        unsafe { dst.add(i).write_unaligned(src.add(i).read_unaligned()[0]) };
    }
}

/// The same, and whether all imaginary parts are zero, of either sign.
///
/// # Safety
/// As for [`real_parts`].
pub(crate) unsafe fn real_parts_of_reals(
    bytes: usize,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            2 => tested_parts_of::<u16>(src, dst, n),
            4 => tested_parts_of::<u32>(src, dst, n),
            _ => tested_parts_of::<u64>(src, dst, n),
        }
    }
}

/// # Safety
/// As for [`real_parts`].
unsafe fn tested_parts_of<T>(src: *const u8, dst: *mut u8, n: usize) -> bool
where
    T: Copy + Default + PartialEq + BitOr<Output = T> + Shl<u32, Output = T>,
{
    let (src, dst) = (src.cast::<[T; 2]>(), dst.cast::<T>());
    let mut any = T::default();
    for i in 0..n {
        // SAFETY: the caller's.
        unsafe {
            let [re, im] = src.add(i).read_unaligned();
            dst.add(i).write_unaligned(re);
            // (Without its sign.)
            any = any | im << 1;
        }
    }
    any == T::default()
}

/// Makes complex elements of real parts, with zero as imaginary part.
///
/// # Safety
/// `src` is valid for reading `n` components of `bytes` bytes, `dst` for writing `n` elements of two
/// components; they don't overlap. `bytes` is 2, 4 or 8.
pub(crate) unsafe fn with_zero_imaginary(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            2 => with_zero_imaginary_of::<u16>(src, dst, n),
            4 => with_zero_imaginary_of::<u32>(src, dst, n),
            _ => with_zero_imaginary_of::<u64>(src, dst, n),
        }
    }
}

/// # Safety
/// As for [`with_zero_imaginary`].
unsafe fn with_zero_imaginary_of<T: Copy + Default>(src: *const u8, dst: *mut u8, n: usize) {
    let (src, dst) = (src.cast::<T>(), dst.cast::<[T; 2]>());
    for i in 0..n {
        // SAFETY: the caller's.
        unsafe { dst.add(i).write_unaligned([src.add(i).read_unaligned(), T::default()]) };
    }
}
