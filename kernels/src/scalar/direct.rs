//! What has a better way than decoder, bridge and encoder: copies, look-ups in tables made from the
//! reference, and the rearrangements of packed and complex elements that a tile is made of.

use crate::dtypes::{DType, Kind, Real};
use crate::exact::Exact;
use crate::options::Options;
use crate::reference::{decode, encode, stored};
use crate::table::{Entry, Params, Road};
use core::marker::PhantomData;

/// The kernel of a pair of real dtypes for which the hubs are the longer way.
///
/// A look-up serves one-byte sources where a small float is involved: the table costs at most 512
/// bytes, except for the values as float32, which the decoders need anyway. Larger destinations are
/// reached from there.
pub(super) const fn entry<A: Real, B: Real>() -> Option<Entry> {
    let (from, to) = (A::DTYPE, B::DTYPE);
    if is_copy(from, to) {
        return Some(Entry { kernel: copy, road: Road::Copy });
    }
    let small_float = is_small_float(from) || is_small_float(to);
    if !small_float || from.bits() != 8 {
        return None;
    }
    let kernel = match to.bits() {
        8 => ByteTable::<A, B>::kernel8,
        16 => ByteTable::<A, B>::kernel16,
        32 if matches!(to, DType::Float32) => ByteTable::<A, B>::kernel32,
        _ => return None,
    };
    Some(Entry { kernel, road: Road::Table })
}

const fn is_small_float(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Float) && dtype.bits() == 8
}

/// Whether the default cast copies bytes: a dtype to itself where all bits count, and integers of one
/// size, which keep their bits.
pub(crate) const fn is_copy(from: DType, to: DType) -> bool {
    let whole_integers = matches!(from.kind(), Kind::Int | Kind::UInt)
        && matches!(to.kind(), Kind::Int | Kind::UInt)
        && from.bits() == to.bits();
    from.is_dense() && to.is_dense() && (from as u8 == to as u8 || whole_integers)
}

/// The same for packed dtypes, where a bool is one more integer of one bit.
pub(crate) const fn is_packed_copy(from: DType, to: DType) -> bool {
    let integers = !matches!(from.kind(), Kind::Float) && !matches!(to.kind(), Kind::Float);
    let packed = from.is_packed() && to.is_packed();
    packed && (from as u8 == to as u8 || (integers && from.bits() == to.bits()))
}

/// Copies elements of whole bytes.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[inline]
pub(crate) unsafe fn copy(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    // SAFETY: the caller's; the elements are whole bytes.
    unsafe { src.copy_to_nonoverlapping(dst, n * (params.from.bits() / 8)) };
    n
}

/// Copies packed elements; what is left of the last byte becomes zero.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(crate) unsafe fn copy_packed(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    let bits = params.from.bits();
    // In this order nothing overflows: 8 elements are a whole number of bytes.
    let whole = n / 8 * bits + n % 8 * bits / 8;
    let rest = n % 8 * bits % 8;
    // SAFETY: the caller's: `n` elements are `whole` bytes and, if bits remain, one more.
    unsafe {
        src.copy_to_nonoverlapping(dst, whole);
        if rest != 0 {
            *dst.add(whole) = *src.add(whole) & ((1 << rest) - 1);
        }
    }
    n
}

/// The exact values of a one-byte dtype's codes, as many as it has.
struct Values<A>(PhantomData<A>);

impl<A: Real> Values<A> {
    const EXACT: [Exact; 256] = {
        let mut values = [Exact::from_u64(0); 256];
        let mut code = 0;
        while code < 1 << A::DTYPE.significant_bits() {
            values[code] = decode(A::DTYPE, code as u64);
            code += 1;
        }
        values
    };
}

macro_rules! tables {
    ($($table:ident $stored:ident;)*) => {$(
        /// What each byte of `A` becomes in `to`, of that size, under the default options.
        pub(super) const fn $table<A: Real>(to: DType) -> [$stored; 256] {
            let from_float = matches!(A::DTYPE.kind(), Kind::Float);
            let values = &Values::<A>::EXACT;
            let codes = 1 << A::DTYPE.significant_bits();
            let mut table = [0; 256];
            let mut byte = 0;
            while byte < 256 {
                table[byte] = if byte >= codes {
                    // Bits above the number are ignored; any nonzero byte is a true bool.
                    table[if matches!(A::DTYPE.kind(), Kind::Bool) { 1 } else { byte % codes }]
                } else if A::DTYPE as u8 == to as u8 {
                    byte as $stored
                } else {
                    match encode(to, values[byte], from_float, &Options::DEFAULT, 0) {
                        Ok(code) => stored(to, code) as $stored,
                        Err(_) => panic!("the default options refuse nothing"),
                    }
                };
                byte += 1;
            }
            table
        }
    )*};
}

tables! {
    table8 u8;
    table16 u16;
    table32 u32;
}

struct ByteTable<A, B>(PhantomData<(A, B)>);

macro_rules! table_kernels {
    ($($kernel:ident $table:ident $stored:ident;)*) => {
        impl<A: Real, B: Real> ByteTable<A, B> {$(
            /// # Safety
            /// As for every kernel, see [`crate::table::Kernel`].
            unsafe fn $kernel(src: *const u8, dst: *mut u8, n: usize, _: &Params) -> usize {
                const { assert!(size_of::<A::Stored>() == 1) };
                const { assert!(size_of::<B::Stored>() == size_of::<$stored>()) };
                let table = const { &$table::<A>(B::DTYPE) };
                let dst = dst.cast::<$stored>();
                for i in 0..n {
                    // SAFETY: the caller's: `n` elements of the asserted sizes.
                    unsafe { dst.add(i).write_unaligned(table[usize::from(*src.add(i))]) };
                }
                n
            }
        )*}
    };
}

table_kernels! {
    kernel8 table8 u8;
    kernel16 table16 u16;
    kernel32 table32 u32;
}

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
    let one = |group: [u8; BITS], k: usize| {
        let mut wide = [0; 8];
        wide[..BITS].copy_from_slice(&group);
        (u64::from_le_bytes(wide) >> (k * BITS)) as u8 & ((1 << BITS) - 1)
    };
    // SAFETY: 8 elements are BITS bytes, so group `i / 8` of the source is inside it while
    // `i + 8 <= n`, and of the rest exactly the bytes that hold its elements are read.
    unsafe {
        let mut i = 0;
        while i + 8 <= n {
            let group = src.add(i / 8 * BITS).cast::<[u8; BITS]>().read();
            let numbers: [u8; 8] = core::array::from_fn(|k| one(group, k));
            dst.add(i).cast::<[u8; 8]>().write(numbers);
            i += 8;
        }
        if i < n {
            let mut group = [0; BITS];
            let bytes = ((n - i) * BITS).div_ceil(8);
            src.add(i / 8 * BITS).copy_to_nonoverlapping(group.as_mut_ptr(), bytes);
            for k in 0..n - i {
                *dst.add(i + k) = one(group, k);
            }
        }
    }
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
    let group = |numbers: [u8; 8]| -> [u8; BITS] {
        let mut wide = 0u64;
        for (k, number) in numbers.into_iter().enumerate() {
            wide |= u64::from(number & ((1 << BITS) - 1)) << (k * BITS);
        }
        let bytes = wide.to_le_bytes();
        core::array::from_fn(|k| bytes[k])
    };
    // SAFETY: as in `unpack_of`, with the sides exchanged.
    unsafe {
        let mut i = 0;
        while i + 8 <= n {
            let numbers = src.add(i).cast::<[u8; 8]>().read();
            dst.add(i / 8 * BITS).cast::<[u8; BITS]>().write(group(numbers));
            i += 8;
        }
        if i < n {
            let mut numbers = [0; 8];
            src.add(i).copy_to_nonoverlapping(numbers.as_mut_ptr(), n - i);
            let last = group(numbers);
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

/// Joins the bools of real and imaginary parts: true if either is. The results are written over the
/// front of the pairs.
///
/// # Safety
/// `pairs` is valid for reading and writing `2 * n` bytes.
pub(crate) unsafe fn either(pairs: *mut u8, n: usize) {
    for i in 0..n {
        // SAFETY: `i` and `2 * i + 1` are below `2 * n`, and pair `i` is read before a later
        // result could be written over it.
        unsafe { *pairs.add(i) = *pairs.add(2 * i) | *pairs.add(2 * i + 1) };
    }
}
