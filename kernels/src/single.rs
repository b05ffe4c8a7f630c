//! One integer at a time, in general registers: what scalars of array libraries are. A kernel needs a mask for what it
//! reads and another for what it writes, which take it longer than the first element of a step; a single integer is
//! loaded and stored.
//!
//! Only pairs of which the compiler makes a few instructions without a branch are here: integers and bools under the
//! default options, to such and to the same number as a float. Nothing depends on the floating-point environment, and no
//! exception is raised. (Of floats the sign, the range and what is no number would each be a branch, which in arbitrary
//! data is taken now and then: that was slower than a kernel.)

use crate::dtypes::{DType, Kind, Real, mark};

/// Casts one element.
///
/// # Safety
/// `src` is valid for reading an element of the source, and `dst` for writing one of the destination.
pub(crate) type Single = unsafe fn(*const u8, *mut u8);

/// Whether [`cast`] is for a pair.
pub(crate) const fn is_for(from: DType, to: DType) -> bool {
    if !is_whole(from) || !(is_whole(to) || matches!(to, DType::Float32 | DType::Float64)) {
        return false;
    }
    match (from, to) {
        // (A copy, whatever the byte is.)
        (DType::Bool, DType::Bool) => false,
        (DType::Int32, DType::Float64) => true,
        // (Where words are shorter, there is no instruction for it.)
        (DType::UInt32, DType::Float64) => cfg!(target_pointer_width = "64"),
        (_, DType::Float32 | DType::Float64) => from.bits() <= 16,
        _ => true,
    }
}

/// Whether it is an integer of a type of Rust's, or a bool. (Not packed: those are not dense.)
const fn is_whole(dtype: DType) -> bool {
    let is_integer = matches!(dtype.kind(), Kind::Int | Kind::UInt);
    is_integer && dtype.is_dense() || matches!(dtype, DType::Bool)
}

/// What casts an element of a pair, of those that [`is_for`] tells of.
pub(crate) const fn of(from: DType, to: DType) -> Option<Single> {
    match from {
        DType::Bool => to_any::<mark::Bool>(to),
        DType::Int8 => to_any::<mark::Int8>(to),
        DType::Int16 => to_any::<mark::Int16>(to),
        DType::Int32 => to_any::<mark::Int32>(to),
        DType::Int64 => to_any::<mark::Int64>(to),
        DType::UInt8 => to_any::<mark::UInt8>(to),
        DType::UInt16 => to_any::<mark::UInt16>(to),
        DType::UInt32 => to_any::<mark::UInt32>(to),
        DType::UInt64 => to_any::<mark::UInt64>(to),
        _ => None,
    }
}

const fn to_any<A: Real>(to: DType) -> Option<Single> {
    if !is_for(A::DTYPE, to) {
        return None;
    }
    Some(match (to, to.bits()) {
        (DType::Bool, _) => single::<A, mark::Bool>,
        (DType::Float32, _) => single::<A, mark::Float32>,
        (DType::Float64, _) => single::<A, mark::Float64>,
        (_, 8) => single::<A, mark::UInt8>,
        (_, 16) => single::<A, mark::UInt16>,
        (_, 32) => single::<A, mark::UInt32>,
        _ => single::<A, mark::UInt64>,
    })
}

/// # Safety
/// As for [`Single`].
unsafe fn single<A: Real, B: Real>(src: *const u8, dst: *mut u8) {
    // SAFETY: the caller's.
    unsafe { cast(A::DTYPE, B::DTYPE, src, dst) }
}

/// Casts an element of a pair that [`is_for`] tells of, which is known when this is compiled.
///
/// # Safety
/// As for [`Single`].
#[inline(always)]
pub(crate) unsafe fn cast(from: DType, to: DType, src: *const u8, dst: *mut u8) {
    // SAFETY: the caller's.
    let integer = unsafe { load(from, src) };
    let code = match (from, to) {
        (_, DType::Bool) => u64::from(integer != 0),
        (_, DType::Float32) => (integer as i32 as f32).to_bits().into(),
        (DType::UInt32, DType::Float64) => (integer as i64 as f64).to_bits(),
        (_, DType::Float64) => (integer as i32 as f64).to_bits(),
        _ => integer,
    };
    // SAFETY: the caller's.
    unsafe { store(to, code, dst) };
}

/// An integer, with copies of its sign above it.
///
/// # Safety
/// `src` is valid for reading an element.
#[inline(always)]
unsafe fn load(from: DType, src: *const u8) -> u64 {
    // SAFETY: the caller's; a type is as long as the dtype's elements.
    unsafe {
        match from {
            DType::Bool => u64::from(src.read() != 0),
            DType::Int8 => src.cast::<i8>().read() as u64,
            DType::UInt8 => src.read().into(),
            DType::Int16 => src.cast::<i16>().read_unaligned() as u64,
            DType::UInt16 => src.cast::<u16>().read_unaligned().into(),
            DType::Int32 => src.cast::<i32>().read_unaligned() as u64,
            DType::UInt32 => src.cast::<u32>().read_unaligned().into(),
            _ => src.cast::<u64>().read_unaligned(),
        }
    }
}

/// Stores as many low bits as an element has.
///
/// # Safety
/// `dst` is valid for writing an element.
#[inline(always)]
unsafe fn store(to: DType, code: u64, dst: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        match to.bits() {
            8 => dst.write(code as u8),
            16 => dst.cast::<u16>().write_unaligned(code as u16),
            32 => dst.cast::<u32>().write_unaligned(code as u32),
            _ => dst.cast::<u64>().write_unaligned(code),
        }
    }
}
