//! What is found out about all bytes before many elements are cast: a table of 256 bytes takes the time of a few hundred
//! elements to make, and then a look-up does what steps would.

use super::drawn::{Drawn, DrawnMap};
use super::drawn_floats::DrawnFloats;
use super::fit::Fit;
use super::longer::{self, LongerMap, LookUpLonger};
use super::rounded::Rounded;
#[cfg(target_arch = "x86_64")]
use super::rows::Rows;
#[cfg(target_arch = "x86_64")]
use super::sums::Sum;
use super::whole::Range;
use super::{BUFFER, LONG, Shapes, pieces};
use crate::buffer::Buffer;
use crate::dtypes::DType;
#[cfg(target_arch = "x86_64")]
use crate::dtypes::Kind;
use crate::table::{Kernel, Params, Table};
use core::mem::MaybeUninit;
use core::{array, ptr, slice};

/// What each byte becomes, as an instruction set's loop looks it up.
pub(crate) struct Map {
    table: [u8; 256],
    /// Where that takes less time.
    #[cfg(target_arch = "x86_64")] // Which has an instruction set of that kind.
    pub(crate) by_nibbles: Option<ByNibbles>,
}

/// A table as it is looked up by 4 bits at a time.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::large_enum_variant)] // There is one of it in a cast, on the stack.
pub(crate) enum ByNibbles {
    Sum(Sum),
    Rows(Rows),
}

#[cfg(target_arch = "x86_64")]
impl ByNibbles {
    /// For the codes of a dtype.
    fn of(table: &[u8; 256], codes: DType) -> Self {
        /// As many instructions as rows take at least, mostly.
        const FEW: usize = 7;
        let sum = Sum::of(table);
        match sum {
            Some(sum) if sum.work() <= FEW => return Self::Sum(sum),
            _ => (),
        }
        let rows = Rows::of(table, u8::MAX, matches!(codes.kind(), Kind::Int));
        match sum {
            Some(sum) if sum.work() <= rows.work => Self::Sum(sum),
            _ => Self::Rows(rows),
        }
    }
}

impl Map {
    /// For the loop of an instruction set, which looks up the codes of a dtype.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // Where it may have another form.
    fn of(shapes: &Shapes, table: [u8; 256], codes: DType) -> Self {
        Self {
            table,
            #[cfg(target_arch = "x86_64")]
            by_nibbles: shapes.looks_up_nibbles.then(|| ByNibbles::of(&table, codes)),
        }
    }

    /// What each byte becomes.
    #[cfg(target_arch = "x86_64")] // Where there are loops that want it so.
    pub(crate) const fn table(&self) -> &[u8; 256] {
        &self.table
    }
}

/// Writes for each byte the one that it becomes.
///
/// # Safety
/// The pointers are valid for so many bytes, and don't overlap. The CPU has the instruction set.
pub(crate) type LookUp = unsafe fn(&Map, *const u8, *mut u8, usize);

/// Writes for each byte the one of the first table that it tells, and answers whether any byte is 1 by the second, which has
/// zeros for the others.
///
/// # Safety
/// As for every [`LookUp`].
pub(crate) type LookUpMarked = unsafe fn([&[u8; 256]; 2], *const u8, *mut u8, usize) -> bool;

/// Answers whether the table has anything but zero for a half of one of so many bytes; it may answer yes if only that
/// for zero is.
///
/// # Safety
/// The pointer is valid for reading so many bytes. The CPU has the instruction set.
pub(crate) type MarkedHalves = unsafe fn(&[u8; 16], *const u8, usize) -> bool;

/// # Safety
/// As for every [`LookUp`].
pub(crate) unsafe fn look_up(map: &Map, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; bytes have no alignment.
    let (src, dst) = unsafe {
        (slice::from_raw_parts(src, n), slice::from_raw_parts_mut(dst.cast::<MaybeUninit<u8>>(), n))
    };
    for (&code, out) in src.iter().zip(dst) {
        out.write(map.table[usize::from(code)]);
    }
}

/// What is found out about all bytes before many elements are cast.
#[allow(clippy::large_enum_variant)] // There is one of it in a cast, on the stack.
pub(crate) enum Known {
    Nothing,
    /// That all results are zero.
    Zeros,
    /// What does all there is to do.
    Kernel(Kernel),
    /// What each byte of the source becomes.
    Results(Map),
    /// The same of integers that have more bytes.
    Longer(LongerMap, LookUpLonger),
    /// What integers of a byte become, as which the source's are clamped.
    Narrowed(DType, Range, Map),
    /// What the codes of the source are rounded to.
    Rounded(Rounded, Map),
    /// What they become by draws.
    Drawn(Drawn, DrawnMap),
    /// The loop that draws, rounds and stores.
    DrawnFloats(DrawnFloats),
}

/// Finds out what pays for `n` elements.
///
/// # Safety
/// The CPU has the instruction set of the table; both dtypes are real and not packed.
pub(crate) unsafe fn known(table: &Table, n: usize, params: &Params) -> Known {
    let plan = params.plan();
    if plan.gives_zeros() {
        return Known::Zeros;
    } else if let Some(kernel) = (table.alone)(params) {
        return Known::Kernel(kernel);
    }
    // SAFETY: the caller's; what the plan has is for its pair.
    unsafe {
        if plan.by_table && n >= LONG {
            map(table, n, params).map_or(Known::Nothing, |results| {
                Known::Results(Map::of(&table.shapes, results, params.from))
            })
        } else if let Some(look_up) = plan.longer
            && n >= 4 * LONG
            && let Some(results) = longer::map(table, params)
        {
            Known::Longer(results, look_up)
        } else if let Some((byte, range)) = plan.narrowed
            && n >= 4 * LONG
        {
            let results = Map::of(&table.shapes, narrowed(table, params, byte), byte);
            Known::Narrowed(byte, range, results)
        } else if let Some(rounded) = plan.rounded
            && n >= LONG
        {
            let codes = rounded.codes(table, params);
            Known::Rounded(rounded, Map::of(&table.shapes, codes, params.from))
        } else if let (Some(drawn), Some(loops)) = (plan.drawn, &table.shapes.by_draws)
            && n >= 4 * LONG
        {
            Known::Drawn(drawn, drawn.map(loops, table, params))
        } else if let Some(drawn) = plan.drawn_floats
            && n >= LONG
            && params.draw_step == 1
        {
            Known::DrawnFloats(drawn)
        } else {
            Known::Nothing
        }
    }
}

/// What integers of a byte become, which stand for those of the source.
///
/// # Safety
/// As for [`known`]; the byte dtype is the plan's.
unsafe fn narrowed(table: &Table, params: &Params, byte: DType) -> [u8; 256] {
    let size = params.from.bits() / 8;
    let (mut numbers, mut results) = ([0; 256 * 8], [0; 256]);
    for (code, number) in numbers.chunks_exact_mut(size).take(256).enumerate() {
        let extended = match byte {
            DType::Int8 => code as i8 as i64,
            _ => code as i64,
        };
        match size {
            2 => number.copy_from_slice(&(extended as i16).to_ne_bytes()),
            4 => number.copy_from_slice(&(extended as i32).to_ne_bytes()),
            _ => number.copy_from_slice(&extended.to_ne_bytes()),
        }
    }
    let (numbers, bytes) = (numbers.as_ptr(), results.as_mut_ptr());
    // SAFETY: the caller's. The arrays hold 256 elements.
    unsafe { pieces(table, numbers, bytes, 256, params, |_| ptr::null()) };
    results
}

/// A cast of integers that are clamped to those of a byte, of which is known what they become.
///
/// # Safety
/// As for [`super::cast_knowing`].
pub(super) unsafe fn by_narrowed(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    from: DType,
    (byte, range): (DType, Range),
    results: &Map,
) {
    let clamp = table.shapes.clamps.get(from, byte);
    let mut bytes = Buffer::<BUFFER>::new();
    for start in (0..n).step_by(BUFFER) {
        let len = BUFFER.min(n - start);
        // SAFETY: the caller's. `len` elements are left at `start`, and fit the buffer.
        unsafe {
            clamp(src.add(start * from.bits() / 8), bytes.start(), len, range);
            (table.shapes.look_up)(results, bytes.start(), dst.add(start), len);
        }
    }
}

/// A checked cast of bytes to bytes: by two tables, of what all codes become that fit, and of those that don't.
///
/// # Safety
/// As for [`super::cast`]; both dtypes have 8 bits; `fit` is the plan's, and asked of the source.
pub(super) unsafe fn by_marks(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    fit: &Fit,
    look_up: LookUpMarked,
) -> usize {
    let mut start = 0;
    // SAFETY: the caller's. A piece is inside both buffers.
    unsafe {
        let marks = unfit_bytes(table, fit);
        // (If none fits, the first element does not.)
        let Some(results) = fitting_results(table, params, &marks) else { return 0 };
        while start < n {
            let (len, src) = ((2 * BUFFER).min(n - start), src.add(start));
            if look_up([&results, &marks], src, dst.add(start), len) {
                return start + table.shapes.fits.first(fit, src, len);
            }
            start += len;
        }
    }
    n
}

/// What every byte becomes that is not marked as unfit, if there is one; others become what one of those does.
///
/// # Safety
/// As for [`known`]; both dtypes have 8 bits.
unsafe fn fitting_results(table: &Table, params: &Params, marks: &[u8; 256]) -> Option<[u8; 256]> {
    let fitting = marks.iter().position(|&mark| mark == 0)?;
    let codes: [u8; 256] =
        array::from_fn(|code| if marks[code] == 0 { code } else { fitting } as u8);
    // SAFETY: the caller's.
    Some(unsafe { results_of(table, params, &codes) })
}

/// What such bytes become, none of which is refused.
///
/// # Safety
/// As for [`known`]; both dtypes have 8 bits.
unsafe fn results_of(table: &Table, params: &Params, codes: &[u8; 256]) -> [u8; 256] {
    let mut results = [0; 256];
    // SAFETY: the caller's; the arrays have a byte for each code.
    unsafe { pieces(table, codes.as_ptr(), results.as_mut_ptr(), 256, params, |_| ptr::null()) };
    results
}

/// What the default kernel makes of every byte.
///
/// # Safety
/// As for [`known`]; both dtypes have 8 bits.
pub(crate) unsafe fn default_results(table: &Table, params: &Params) -> [u8; 256] {
    let codes: [u8; 256] = array::from_fn(|code| code as u8);
    let mut results = [0; 256];
    let (from, to) = (params.from, params.to);
    let kernel = table.pairs.get(from, to).kernel;
    // SAFETY: the caller's; the arrays have a byte for each code.
    unsafe { kernel(codes.as_ptr(), results.as_mut_ptr(), 256, &params.by_default(from, to)) };
    results
}

/// 1 for each byte that does not fit, 0 for the others.
///
/// # Safety
/// The CPU has the instruction set of the table; `fit` is that of a dtype of 8 bits.
unsafe fn unfit_bytes(table: &Table, fit: &Fit) -> [u8; 256] {
    let codes: [u8; 256] = array::from_fn(|code| code as u8);
    let mut fitting = [0; 256];
    // SAFETY: the caller's; the arrays have a byte for each code.
    unsafe { table.shapes.fits.mark(fit, codes.as_ptr(), fitting.as_mut_ptr(), 256) };
    fitting.map(|fits: u8| 1 - fits)
}

/// 1 for each byte that a checked cast by the default kernel refuses, 0 for the others, if `n` elements are best
/// tested by that.
///
/// # Safety
/// As for [`known`].
pub(crate) unsafe fn refused(table: &Table, n: usize, params: &Params) -> Option<[u8; 256]> {
    // SAFETY: the caller's.
    refusing(n, params).map(|fit| unsafe { unfit_bytes(table, fit) })
}

/// 1 for each half byte of packed elements of so many bits, at most 4, of which a checked cast by the default kernel refuses
/// one, 0 for the others, if `n` is no small number.
pub(crate) fn refused_halves(bits: usize, n: usize, params: &Params) -> Option<[u8; 16]> {
    refusing(n, params).map(|fit| fit.unfit_halves(bits))
}

/// What a checked cast by the default kernel refuses, if `n` is no small number.
fn refusing(n: usize, params: &Params) -> Option<&Fit> {
    params.plan().refused().filter(|_| n >= LONG)
}

/// What every byte becomes, if that depends on it alone and `n` is no small number.
///
/// # Safety
/// As for [`known`].
pub(crate) unsafe fn map(table: &Table, n: usize, params: &Params) -> Option<[u8; 256]> {
    if !params.plan().is_map || n < LONG {
        return None;
    }
    let codes = array::from_fn(|code| code as u8);
    // SAFETY: the caller's; both dtypes have 8 bits.
    Some(unsafe { results_of(table, params, &codes) })
}
