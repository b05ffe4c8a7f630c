//! What has a better way than decoder, bridge and encoder: copies, and look-ups in tables made from
//! the reference.

use crate::copies;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::dtypes::mark;
use crate::dtypes::{DType, Kind, Real, bytes};
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
    unsafe { copies::bytes(src, dst, n * (params.from.bits() / 8)) };
    n
}

/// Copies packed elements; what is left of the last byte becomes zero.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(crate) unsafe fn copy_packed(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    let bits = params.from.bits();
    let whole = bytes(n, bits);
    let rest = n % 8 * bits % 8;
    // SAFETY: the caller's: `n` elements are `whole` bytes and, if bits remain, one more.
    unsafe {
        copies::bytes(src, dst, whole);
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
    (@options) => { &Options::DEFAULT };
    (@options $options:ident) => { $options };
    ($($(#[$attribute:meta])* $table:ident $($options:ident)? => $stored:ident;)*) => {$(
        /// What each byte of `A` becomes in `to`, of that size, under the default options or some that refuse nothing.
        $(#[$attribute])*
        pub(crate) const fn $table<A: Real>(
            to: DType,
            $($options: &Options,)?
        ) -> [$stored; 256] {
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
                    stored(to, byte as u64) as $stored
                } else {
                    match encode(to, values[byte], from_float, tables!(@options $($options)?), 0) {
                        Ok(code) => stored(to, code) as $stored,
                        Err(_) => panic!("the options refuse nothing"),
                    }
                };
                byte += 1;
            }
            table
        }
    )*};
}

tables! {
    table8 => u8;
    #[cfg(target_arch = "x86_64")]
    table8_under options => u8;
    table16 => u16;
    table32 => u32;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    table64 => u64;
}

/// The tables of a pair, which the compiler works out once for all that use them, and the kernels that
/// look things up there.
pub(crate) struct ByteTable<A, B>(PhantomData<(A, B)>);

macro_rules! table_kernels {
    ($($kernel:ident $name:ident $table:ident $stored:ident;)*) => {
        impl<A: Real, B: Real> ByteTable<A, B> {$(
            pub(crate) const $name: [$stored; 256] = $table::<A>(B::DTYPE);

            /// # Safety
            /// As for every kernel, see [`crate::table::Kernel`].
            unsafe fn $kernel(src: *const u8, dst: *mut u8, n: usize, _: &Params) -> usize {
                const { assert!(size_of::<A::Stored>() == 1) };
                const { assert!(size_of::<B::Stored>() == size_of::<$stored>()) };
                let table = const { &Self::$name };
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
    kernel8 BYTES table8 u8;
    kernel16 WORDS table16 u16;
    kernel32 DWORDS table32 u32;
}

/// The tables as kernels take them that look bytes up in registers.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<A: Real, B: Real> ByteTable<A, B> {
    /// What each byte becomes. Of bool, what 0 and 1 become is repeated: such kernels leave no others.
    pub(crate) const fn of_whole_codes() -> [u8; 256] {
        Self::repeated(Self::BYTES)
    }

    /// The same of one of the word's bytes that each byte becomes: of larger floats the uppermost word,
    /// all others being zero.
    pub(crate) const fn byte_of_word(i: usize) -> [u8; 256] {
        let words = match B::DTYPE {
            DType::Float32 => &ByteTable::<A, mark::BFloat16>::WORDS,
            DType::Float64 => &upper_words::<A>(),
            _ => &Self::WORDS,
        };
        let mut bytes = [0; 256];
        let mut code = 0;
        while code < 256 {
            bytes[code] = words[code].to_le_bytes()[i];
            code += 1;
        }
        Self::repeated(bytes)
    }

    const fn repeated(mut bytes: [u8; 256]) -> [u8; 256] {
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

/// The upper words of float64s of which the rest is zero.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const fn upper_words<A: Real>() -> [u16; 256] {
    let qwords = table64::<A>(DType::Float64);
    let mut words = [0; 256];
    let mut code = 0;
    while code < 256 {
        assert!(qwords[code] << 16 == 0);
        words[code] = (qwords[code] >> 48) as u16;
        code += 1;
    }
    words
}
