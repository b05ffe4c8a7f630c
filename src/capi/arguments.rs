//! What C hands in, as what Rust calls it, or why that cannot be.

use super::failure::{Failure, Status};
use crate::options::ByteOrder;
use simdcast_kernels::DType;
use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::slice;

/// What is added to the code of a dtype whose elements have the highest byte first.
const BIG_ENDIAN: i32 = 0x100;

/// The same for the lowest byte first.
const LITTLE_ENDIAN: i32 = 0x200;

/// A dtype, and the byte order of its elements.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) dtype: DType,
    pub(super) order: ByteOrder,
}

impl Side {
    /// By its code.
    #[inline]
    pub(super) fn of(argument: &str, code: i32) -> Result<Self, Failure> {
        let (order, flag) = match code & !0xff {
            BIG_ENDIAN => (ByteOrder::Big, BIG_ENDIAN),
            LITTLE_ENDIAN => (ByteOrder::Little, LITTLE_ENDIAN),
            _ => (ByteOrder::Native, 0),
        };
        Ok(Self { dtype: dtype_with(argument, code, flag)?, order })
    }

    /// Whether its byte order is not the machine's own.
    #[inline]
    pub(super) const fn is_swapped(self) -> bool {
        self.order.is_swapped()
    }
}

/// The dtype of a code.
#[inline]
pub(super) fn dtype(argument: &str, code: i32) -> Result<DType, Failure> {
    dtype_with(argument, code, 0)
}

/// That of a code to which a flag was added, which is told with it.
#[inline]
pub(super) fn dtype_with(argument: &str, code: i32, flag: i32) -> Result<DType, Failure> {
    match u8::try_from(code & !flag).ok().and_then(DType::from_code) {
        Some(dtype) => Ok(dtype),
        None => Err(unknown(argument, code)),
    }
}

#[cold]
fn unknown(argument: &str, code: i32) -> Failure {
    let last = DType::COUNT - 1;
    let said = format_args!("{argument}: no dtype has the code {code}; known: 0 to {last}");
    Failure::new(Status::DType, &said)
}

/// The bytes that elements take, of as many as an argument tells.
#[inline]
pub(super) fn needed(
    argument: &str,
    dtype: DType,
    elements: usize,
    given: usize,
) -> Result<usize, Failure> {
    match dtype.bytes_for(elements) {
        Some(bytes) if bytes <= given && bytes <= isize::MAX as usize => Ok(bytes),
        bytes => Err(short(argument, dtype, elements, given, bytes)),
    }
}

#[cold]
fn short(
    argument: &str,
    dtype: DType,
    elements: usize,
    given: usize,
    needed: Option<usize>,
) -> Failure {
    let most = isize::MAX as usize;
    let message = match needed.filter(|&needed| needed <= most) {
        Some(needed) => {
            format!("{argument} is {given}, but {elements} elements of {dtype} take {needed} bytes")
        }
        None => format!(
            "elements: {elements} of {dtype} take more bytes than memory can hold, whatever \
             {argument} is"
        ),
    };
    Failure::new(Status::Length, &message)
}

/// Whether two buffers, each with its name, address and length, share no byte.
#[inline]
pub(super) fn apart(a: (&str, usize, usize), b: (&str, usize, usize)) -> Result<(), Failure> {
    let end = |(_, start, len): (&str, usize, usize)| start.saturating_add(len);
    if a.1 < end(b) && b.1 < end(a) && a.2 > 0 && b.2 > 0 {
        return Err(overlap(a, b));
    }
    Ok(())
}

#[cold]
fn overlap(a: (&str, usize, usize), b: (&str, usize, usize)) -> Failure {
    let said = format_args!(
        "{} ({} bytes from {:#x} on) and {} ({} bytes from {:#x} on) overlap",
        a.0, a.2, a.1, b.0, b.2, b.1
    );
    Failure::new(Status::Overlap, &said)
}

/// A buffer that is read.
///
/// # Safety
/// `start` is null or valid for reading so many bytes for `'a`, and nobody writes to them meanwhile.
#[inline]
pub(super) unsafe fn source<'a>(
    argument: &str,
    start: *const c_void,
    bytes: usize,
) -> Result<&'a [u8], Failure> {
    check(argument, start.addr(), bytes)?;
    if bytes == 0 {
        return Ok(&[]);
    }
    // SAFETY: the caller's: it is not null, and ends where addresses and lengths can.
    Ok(unsafe { slice::from_raw_parts(start.cast(), bytes) })
}

/// A buffer that is written to, and may hold nothing yet.
///
/// # Safety
/// `start` is null or valid for writing so many bytes for `'a`, and nobody else uses them meanwhile.
#[inline]
pub(super) unsafe fn target<'a>(
    argument: &str,
    start: *mut c_void,
    bytes: usize,
) -> Result<&'a mut [MaybeUninit<u8>], Failure> {
    check(argument, start.addr(), bytes)?;
    if bytes == 0 {
        return Ok(&mut []);
    }
    // SAFETY: the caller's: it is not null, and ends where addresses and lengths can.
    Ok(unsafe { slice::from_raw_parts_mut(start.cast(), bytes) })
}

/// The same where it is read, too.
///
/// # Safety
/// There are bytes in it, whichever.
#[inline]
pub(super) const unsafe fn written(target: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    // SAFETY: the caller's.
    unsafe { slice::from_raw_parts_mut(target.as_mut_ptr().cast(), target.len()) }
}

/// Whether there can be a buffer of so many bytes at an address.
#[inline]
pub(super) fn check(argument: &str, address: usize, bytes: usize) -> Result<(), Failure> {
    if bytes == 0 {
        return Ok(());
    } else if address == 0 {
        return Err(Failure::null(argument));
    }
    match address.checked_add(bytes) {
        Some(_) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(endless(argument, address, bytes)),
    }
}

#[cold]
fn endless(argument: &str, address: usize, bytes: usize) -> Failure {
    let said = format_args!("{argument}: there cannot be {bytes} bytes from {address:#x} on");
    Failure::new(Status::Length, &said)
}

/// Numbers one after the other.
///
/// # Safety
/// `start` is null or valid for reading so many of them for `'a`, and nobody writes to them meanwhile.
pub(super) unsafe fn array<'a, T>(
    argument: &str,
    start: *const T,
    count: usize,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    } else if !start.is_null() && !start.is_aligned() {
        let said = format_args!("{argument}: {start:p} is no address of a number of that type");
        return Err(Failure::new(Status::Layout, &said));
    }
    check(argument, start.addr(), count.saturating_mul(size_of::<T>()))?;
    // SAFETY: the caller's: it is aligned and not null, and ends where addresses and lengths can.
    Ok(unsafe { slice::from_raw_parts(start, count) })
}

/// A name. Bytes that are no UTF-8 are none of any name's.
///
/// # Safety
/// `start` is null or ends in a zero byte, and stays as it is for `'a`.
pub(super) unsafe fn text<'a>(
    argument: &str,
    start: *const c_char,
) -> Result<Cow<'a, str>, Failure> {
    if start.is_null() {
        return Err(Failure::null(argument));
    }
    // SAFETY: the caller's.
    Ok(unsafe { CStr::from_ptr(start) }.to_string_lossy())
}
