//! Dtypes by code and name, and what C programs ask about them.

use super::arguments::{dtype, text};
use super::failure::{Failure, Status, status_of, value_of};
use simdcast_kernels::format::Numbers;
use simdcast_kernels::{DType, Kind};
use std::ffi::c_char;

/// The bytes of a name, with the zero that ends it.
const NAME: usize = 24;

/// The names as C has them.
static NAMES: [[u8; NAME]; DType::COUNT] = {
    let mut names = [[0; NAME]; DType::COUNT];
    let mut code = 0;
    while code < DType::COUNT {
        let name = DType::ALL[code].name().as_bytes();
        assert!(name.len() < NAME, "a dtype's name has no room");
        let mut i = 0;
        while i < name.len() {
            names[code][i] = name[i];
            i += 1;
        }
        code += 1;
    }
    names
};

/// What there is to know of a dtype; what each field means says the header.
#[allow(non_camel_case_types, missing_docs)] // As the header has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct simdcast_dtype_info {
    pub size: u32,
    pub kind: u8,
    pub bits: u8,
    pub significant_bits: u8,
    pub packed: u8,
    pub dlpack_code: u8,
    pub dlpack_bits: u8,
    pub dlpack_lanes: u16,
    pub dlpack_padded: u8,
    pub reserved: [u8; 3],
}

/// DLPack's code of a kind of numbers, and 255 where it has none.
const fn dlpack_code(dtype: DType) -> u8 {
    match dtype.logical() {
        DType::Bool => 6,
        DType::BFloat16 => 4,
        DType::Float8E3M4 => 7,
        DType::Float8E4M3 => 8,
        DType::Float8E4M3B11Fnuz => 9,
        DType::Float8E4M3Fn => 10,
        DType::Float8E4M3Fnuz => 11,
        DType::Float8E5M2 => 12,
        DType::Float8E5M2Fnuz => 13,
        DType::Float8E8M0Fnu => 14,
        DType::Float6E2M3Fn => 15,
        DType::Float6E3M2Fn => 16,
        DType::Float4E2M1Fn => 17,
        DType::BComplex32 => 255,
        other => match other.kind() {
            Kind::Int => 0,
            Kind::UInt => 1,
            Kind::Float => 2,
            Kind::Complex => 5,
            _ => 255,
        },
    }
}

const fn info(dtype: DType) -> simdcast_dtype_info {
    let kind = match dtype.kind() {
        Kind::Bool => 0,
        Kind::Int => 1,
        Kind::UInt => 2,
        Kind::Float => 3,
        _ => 4,
    };
    let (bits, significant) = (dtype.bits() as u8, dtype.significant_bits() as u8);
    // A bool that has a byte has all of it, in DLPack.
    let whole = matches!(dtype.numbers(), Numbers::Bool);
    let dlpack_bits = if whole { bits } else { significant };
    simdcast_dtype_info {
        size: size_of::<simdcast_dtype_info>() as u32,
        kind,
        bits,
        significant_bits: significant,
        packed: dtype.is_packed() as u8,
        dlpack_code: dlpack_code(dtype),
        dlpack_bits,
        dlpack_lanes: 1,
        dlpack_padded: (dlpack_bits < bits) as u8,
        reserved: [0; 3],
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_dtype_count() -> i32 {
    DType::COUNT as i32
}

/// See the header.
///
/// # Safety
/// `name` is null or ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_dtype_from_name(name: *const c_char) -> i32 {
    value_of(-1, || {
        // SAFETY: the caller's.
        let name = unsafe { text("name", name)? };
        let known = name.parse::<DType>();
        let known = known.map_err(|unknown| Failure::new(Status::DType, &unknown))?;
        Ok(i32::from(known.code()))
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_dtype_name(code: i32) -> *const c_char {
    value_of(std::ptr::null(), || {
        let known = dtype("dtype", code)?;
        Ok(NAMES[usize::from(known.code())].as_ptr().cast())
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_dtype_bytes(code: i32, elements: usize) -> usize {
    value_of(usize::MAX, || {
        let known = dtype("dtype", code)?;
        // (The number that tells of a failure is none of a success; nor is there so much memory.)
        known.bytes_for(elements).filter(|bytes| *bytes < usize::MAX).ok_or_else(|| {
            let said = format_args!(
                "elements: {elements} of {known} take more bytes than memory can hold"
            );
            Failure::new(Status::Length, &said)
        })
    })
}

/// See the header.
///
/// # Safety
/// `to` is null or valid for reading its first field and for writing as many bytes as that tells, of any
/// alignment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simdcast_dtype_get_info(code: i32, to: *mut simdcast_dtype_info) -> i32 {
    const SIZE: usize = size_of::<simdcast_dtype_info>();
    status_of(|| {
        let found = info(dtype("dtype", code)?);
        if to.is_null() {
            return Err(Failure::null("info"));
        }
        // SAFETY: the caller's: a size is always there, and then room for what it tells.
        unsafe {
            let size = to.cast::<u32>().read_unaligned() as usize;
            if size < SIZE {
                let said = format_args!("info: size cannot be {size}: it is {SIZE} or more");
                return Err(Failure::new(Status::Option, &said));
            }
            to.write_unaligned(found);
        }
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn simdcast_dtype_from_dlpack(code: u8, bits: u8, lanes: u16, padded: i32) -> i32 {
    value_of(-1, || {
        let is = |dtype: &DType| {
            let info = info(*dtype);
            // What fills its bytes is neither padded nor packed. As many as fill a byte, as one element, are packed.
            let whole = u32::from(bits) * u32::from(lanes) == 8;
            let is_padded = padded != 0 && lanes == 1;
            let fits = bits.is_multiple_of(8) || (info.dlpack_padded != 0) == is_padded;
            (info.dlpack_code, info.dlpack_bits) == (code, bits)
                && (lanes == info.dlpack_lanes || whole)
                && code != 255
                && fits
        };
        let found = DType::ALL.into_iter().find(is).ok_or_else(|| {
            let said =
                format_args!("no dtype is DLPack's code {code} with {bits} bits and {lanes} lanes");
            Failure::new(Status::DType, &said)
        })?;
        Ok(i32::from(found.code()))
    })
}
