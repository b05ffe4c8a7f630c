//! From floats of a byte to wider integers by a mode: by a table of the codes' rounded numbers, and the default kernel.
//!
//! A number that is rounded to an integer is another number of the same format, if the format has zero and its largest
//! number is an integer: what has a fraction is less than the power of two from which on the format has integers only. So
//! bytes become bytes, and what those become as integers takes no rounding. Where a format has small numbers only, these
//! are integers of a byte already. (Among powers of two the least one stands for zero, which it is cut to.)
//!
//! What numbers are rounded to by draws goes the same way, see [`drawn`](super::drawn).

use super::BUFFER;
use super::bytes::Map;
use super::grid::{Mode, Rounding};
use crate::buffer::Buffer;
use crate::dtypes::{DType, Kind};
use crate::format::{FloatFormat, Numbers, Specials};
use crate::table::{Params, Table};
use core::{array, ptr};

/// The numbers of all codes of a byte, or what they are rounded to.
pub(super) type Floats = [f32; 256];

/// What has all numbers that those of a float of a byte are rounded to, and is cast to wider integers.
#[derive(Clone, Copy)]
pub(super) struct Through(DType);

/// How the codes of a dtype are rounded, by a mode that draws nothing.
#[derive(Clone, Copy)]
pub(crate) struct Rounded {
    through: Through,
    rounding: Rounding,
}

impl Rounded {
    /// For a pair of real dtypes, if it is cast so. (What draws is not.)
    pub(super) fn new(from: DType, to: DType, mode: Mode) -> Option<Self> {
        if matches!(mode, Mode::Stochastic) {
            return None;
        }
        let through = Through::new(from, to)?;
        Some(Self { through, rounding: Rounding::new(DType::Float32, to, mode) })
    }

    /// Casts elements, of whose codes is known what they are rounded to.
    ///
    /// # Safety
    /// As for every kernel; the pair is the one that this was made for. The CPU has the table's instruction set.
    pub(super) unsafe fn cast(
        &self,
        table: &Table,
        src: *const u8,
        dst: *mut u8,
        n: usize,
        params: &Params,
        codes: &Map,
    ) {
        let rounded = |start: usize, bytes: *mut u8, len: usize| {
            // SAFETY: the caller's; `len` elements are left at `start`, and have room.
            unsafe { (table.shapes.look_up)(codes, src.add(start), bytes, len) };
        };
        // SAFETY: the caller's.
        unsafe { self.through.cast(table, dst, n, params, rounded) };
    }

    /// What every byte is rounded to.
    ///
    /// # Safety
    /// The CPU has the table's instruction set; the pair is the one that this was made for.
    pub(super) unsafe fn codes(&self, table: &Table, params: &Params) -> [u8; 256] {
        let mut rounded = [0.0; 256];
        // SAFETY: the caller's; the arrays have 256 elements, and the mode draws nothing.
        unsafe {
            let exact = numbers(table, params);
            let (src, dst) = (exact.as_ptr().cast(), rounded.as_mut_ptr().cast());
            self.rounding.run(&table.shapes.rounds, src, dst, 256, ptr::null());
            self.through.codes_of(table, params, &exact, &rounded)
        }
    }
}

impl Through {
    /// For a pair of real dtypes, if it is one of a float of a byte and a wider integer.
    pub(super) fn new(from: DType, to: DType) -> Option<Self> {
        let Numbers::Float(format) = from.numbers() else {
            return None;
        };
        let is_for = from.bits() == 8 && to.bits() > 8 && !matches!(to.kind(), Kind::Float);
        if !is_for {
            return None;
        }
        Some(Self(match to.kind() {
            Kind::Int if has_small_numbers_only(format) => DType::Int8,
            Kind::UInt if has_small_numbers_only(format) => DType::UInt8,
            _ if has_whole_end(format) => from,
            _ => DType::Float8E4M3,
        }))
    }

    /// Makes integers of rounded numbers, whose codes the closure writes, a piece at a time: those of the elements from one
    /// on, to a buffer, so many.
    ///
    /// # Safety
    /// `dst` is valid for writing `n` elements of the pair that this was made for, and the closure writes as many codes as it
    /// is told to. The CPU has the table's instruction set.
    pub(super) unsafe fn cast(
        &self,
        table: &Table,
        dst: *mut u8,
        n: usize,
        params: &Params,
        write: impl Fn(usize, *mut u8, usize),
    ) {
        let kernel = table.pairs.get(self.0, params.to).kernel;
        let inner = params.by_default(self.0, params.to);
        let mut codes = Buffer::<BUFFER>::new();
        for start in (0..n).step_by(BUFFER) {
            let len = BUFFER.min(n - start);
            write(start, codes.start(), len);
            // SAFETY: the caller's; `len` elements are left at `start`, and their codes are written.
            unsafe { kernel(codes.start(), dst.add(start * params.to.bits() / 8), len, &inner) };
        }
    }

    /// The codes of numbers that the source's have been rounded to.
    ///
    /// # Safety
    /// The CPU has the table's instruction set; the pair is the one that this was made for.
    pub(super) unsafe fn codes_of(
        &self,
        table: &Table,
        params: &Params,
        exact: &Floats,
        rounded: &Floats,
    ) -> [u8; 256] {
        // SAFETY: the caller's.
        let mut results = unsafe { stored(table, params, self.0, rounded) };
        // By default, infinity would become the largest number.
        if let Numbers::Float(format) = self.0.numbers()
            && let Some(infinity) = format.infinity()
        {
            for (code, number) in results.iter_mut().zip(exact) {
                if number.is_infinite() {
                    let sign = if number.is_sign_negative() { format.sign_mask() } else { 0 };
                    *code = (infinity | sign) as u8;
                }
            }
        }
        results
    }
}

/// The numbers that all codes are.
///
/// # Safety
/// The CPU has the table's instruction set; the pair is from a dtype of 8 bits, all of whose numbers float32 has.
pub(super) unsafe fn numbers(table: &Table, params: &Params) -> Floats {
    let codes: [u8; 256] = array::from_fn(|code| code as u8);
    let mut numbers = [0.0; 256];
    let kernel = table.pairs.get(params.from, DType::Float32).kernel;
    let params = params.by_default(params.from, DType::Float32);
    // SAFETY: the caller's; the arrays have 256 elements.
    unsafe { kernel(codes.as_ptr(), numbers.as_mut_ptr().cast(), 256, &params) };
    numbers
}

/// Such numbers as a dtype of 8 bits has them, by default.
///
/// # Safety
/// The CPU has the table's instruction set.
pub(super) unsafe fn stored(
    table: &Table,
    params: &Params,
    to: DType,
    numbers: &Floats,
) -> [u8; 256] {
    let mut results = [0; 256];
    let kernel = table.pairs.get(DType::Float32, to).kernel;
    let params = params.by_default(DType::Float32, to);
    // SAFETY: the caller's; the arrays have 256 elements.
    unsafe { kernel(numbers.as_ptr().cast(), results.as_mut_ptr(), 256, &params) };
    results
}

/// Whether integers of a byte have all numbers of a format that are not below what they begin with, once these are
/// integers; and it has nothing else.
const fn has_small_numbers_only(format: FloatFormat) -> bool {
    matches!(format.specials, Specials::Finite) && format.max_exponent() < 6
}

/// Whether the largest number of a format is an integer.
const fn has_whole_end(format: FloatFormat) -> bool {
    let largest = format.max_finite();
    let exponent = format.max_exponent();
    let fraction = largest & format.mantissa_mask();
    let places = format.mantissa_bits as i32 - fraction.trailing_zeros() as i32;
    fraction == 0 || places <= exponent
}
