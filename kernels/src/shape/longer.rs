//! What each byte becomes as an integer of 16 bits or more: by a table of all, which takes the time of some thousand
//! elements to make, and tells but the lowest two bytes and the sign. More have hardly any integers that a byte becomes:
//! powers of two, and infinities, which are clamped. (Powers of two become float16s in the same way, whose bits are
//! integers, too: the one float of a byte of which some are no float16s.)

use super::pieces;
use crate::dtypes::{DType, Kind};
use crate::format::Numbers;
use crate::table::{Params, Table};
use core::{array, ptr};

/// The integers that bytes become, or the bits of float16s.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has the loops that read them.
pub(crate) struct LongerMap {
    /// Their lowest bytes.
    pub(crate) low: [u8; 256],
    /// The bytes above.
    pub(crate) high: [u8; 256],
    /// All bytes above these: zeros, or ones. (Of integers of 16 bits there are none, and these are zeros.)
    pub(crate) above: [u8; 256],
    /// Whether any of those are ones.
    pub(crate) any_above: bool,
    /// Whether but the lowest six bits of a byte count.
    pub(crate) is_short: bool,
    /// The bits of an element where they are read: those of a byte, or of a packed dtype, whose elements are the lowest
    /// bits of the bytes that the map tells of.
    pub(crate) bits: usize,
}

/// Writes what bytes, or elements of fewer bits, become.
///
/// # Safety
/// The pointers are valid for reading so many elements and writing as many integers of the loop's size, and don't
/// overlap. The CPU has the instruction set.
pub(crate) type LookUpLonger = unsafe fn(&LongerMap, *const u8, *mut u8, usize);

/// Whether a pair is one of bytes to such integers, under an option that wraps, or another. (Integers of 8 bits are clamped
/// in less time.)
pub(super) const fn suits(from: DType, to: DType, wraps: bool) -> bool {
    let is_power = matches!(from, DType::Float8E8M0Fnu);
    // (Any bit makes a bool that is a byte true, and all casts to so many bits are the default one.)
    if is_power && matches!(to, DType::Float16) {
        return true;
    } else if from.bits() > 8
        || matches!(from, DType::Bool)
        || to.bits() <= 8
        || !matches!(to.kind(), Kind::Int | Kind::UInt)
    {
        return false;
    }
    match from.numbers() {
        _ if matches!(from, DType::Int8 | DType::UInt8) => false,
        // An infinity is clamped, but wraps to zero.
        Numbers::Float(format) if to.bits() > 16 => {
            !is_power && (wraps || format.infinity().is_none())
        }
        _ => true,
    }
}

/// The map of a pair under options, if there is one.
///
/// # Safety
/// The CPU has the instruction set of the table; the pair is one that [`suits`], and what an element becomes depends on it
/// alone.
pub(super) unsafe fn map(table: &Table, params: &Params) -> Option<LongerMap> {
    const LONGEST: usize = 8;
    let codes: [u8; 256] = array::from_fn(|code| code as u8);
    let mut results = [0; 256 * LONGEST];
    // SAFETY: the caller's; the arrays have room for 256 elements.
    unsafe { pieces(table, codes.as_ptr(), results.as_mut_ptr(), 256, params, |_| ptr::null()) };
    let integers: [i64; 256] = match params.to.bits() {
        16 => array::from_fn(|i| u16::from_ne_bytes(of(&results, i)).into()),
        32 => array::from_fn(|i| i32::from_ne_bytes(of(&results, i)).into()),
        _ => array::from_fn(|i| i64::from_ne_bytes(of(&results, i))),
    };
    let map = LongerMap {
        low: integers.map(|integer| integer as u8),
        high: integers.map(|integer| (integer >> 8) as u8),
        above: integers.map(|integer| (integer >> 16) as u8),
        any_above: integers.iter().any(|&integer| integer < 0),
        is_short: params.from.significant_bits() <= 6,
        bits: params.from.bits(),
    };
    integers.iter().all(|integer| matches!(integer >> 16, -1..=0)).then_some(map)
}

/// The `i`th element.
fn of<const SIZE: usize>(elements: &[u8], i: usize) -> [u8; SIZE] {
    let (all, _) = elements.as_chunks();
    all[i]
}
