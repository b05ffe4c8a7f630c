//! Which elements a checked cast would refuse, told of all of them: a bitmap beside a cast that goes
//! on.
//!
//! What is asked is what the plan of the checked cast asks, at the same place on the way: of the
//! source's codes or, where rounding is stochastic, of the rounded numbers, with the same draws. The
//! answers are a byte each until a tile of them is packed.

use super::draws::Draws;
use super::fit::Fit;
use super::{BUFFER, step};
use crate::buffer::Buffer;
use crate::options::Overflow;
use crate::table::{Params, Table, Tabled};
use crate::tile::component_params;
use core::mem::MaybeUninit;
use core::{ptr, slice};

/// The marks of a tile: one for each element or, if it is complex, for each component. A multiple of
/// 16, so that packed tiles are whole bytes.
pub(crate) const MARKS: usize = 4096;

/// Writes a bitmap of the elements that a checked cast accepts, in the place of the destination. What
/// is left of its last byte becomes zero. `params` are those of the checked cast, which is not one to
/// bool.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`], the destination being one of bool1x8.
pub(crate) unsafe fn kernel<I: Tabled>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    let table = I::table();
    let mut inner = component_params(params);
    let parts = if params.from.is_complex() { 2 } else { 1 };
    if parts == 2 {
        // Every component has its draw, also one that is not kept.
        inner.draw_step = 1;
    }
    let tile = MARKS / parts;
    let mut marks = Buffer::<MARKS>::new();
    let mut start = 0;
    while start < n {
        let len = tile.min(n - start);
        // SAFETY: the caller's. `start` is a multiple of 8, so that both pointers move by whole bytes,
        // to where `len` elements are left; and as many have marks.
        unsafe {
            let src = src.add(start / 8 * params.from.bits());
            mark_tile(table, src, marks.start(), len, params, &inner);
            (table.pieces.pack)(1, marks.start(), dst.add(start / 8), len);
        }
        let draws = ((len * parts) as u64).wrapping_mul(inner.draw_step);
        inner.options.first_index = inner.options.first_index.wrapping_add(draws);
        start += len;
    }
    n
}

/// Writes 1 for each of `len` elements that is accepted, 0 for the others.
///
/// # Safety
/// As for [`kernel`]; `inner` is what [`component_params`] makes of `params`; `marks` is valid for
/// [`MARKS`] bytes, and so many are enough for a tile.
unsafe fn mark_tile(
    table: &Table,
    src: *const u8,
    marks: *mut u8,
    len: usize,
    params: &Params,
    inner: &Params,
) {
    let (mut first, mut second) = (Buffer::<MARKS>::new(), Buffer::<MARKS>::new());
    let (real, mut imaginary) = (first.start(), second.start());
    // SAFETY: the caller's. The bytes are apart from all other memory and from each other, and have
    // room for the numbers of a tile, if they are packed, and for a mark of each component, if it is
    // complex.
    unsafe {
        if params.from.is_packed() {
            (table.pieces.unpack)(params.from.bits(), src, real, len);
            mark(table, real, marks, len, inner);
        } else if params.from.is_complex() {
            mark(table, src, real, 2 * len, inner);
            if params.to.is_complex() {
                imaginary = real;
            } else {
                table.shapes.fits.mark(&Fit::zeros(inner.from), src, imaginary, 2 * len);
            }
            both(real, imaginary, marks, len);
        } else {
            mark(table, src, marks, len, inner);
        }
    }
}

/// Joins the marks of the real parts, which are every other one of the first, to those of the imaginary
/// parts, which are the others of the second.
///
/// # Safety
/// The first two are valid for reading `2 * n` bytes; they may be the same. `marks` is valid for writing
/// `n` bytes, which don't overlap those.
unsafe fn both(real: *const u8, imaginary: *const u8, marks: *mut u8, n: usize) {
    // SAFETY: the caller's; bytes have no alignment.
    let (real, imaginary, marks) = unsafe {
        (
            slice::from_raw_parts(real.cast::<[u8; 2]>(), n),
            slice::from_raw_parts(imaginary.cast::<[u8; 2]>(), n),
            slice::from_raw_parts_mut(marks.cast::<MaybeUninit<u8>>(), n),
        )
    };
    for ((mark, [re, _]), [_, im]) in marks.iter_mut().zip(real).zip(imaginary) {
        mark.write(re & im);
    }
}

/// Writes 1 for each of `n` real numbers that is accepted, 0 for the others.
///
/// # Safety
/// As for [`super::cast`], with a byte for each element as the destination.
unsafe fn mark(table: &Table, src: *const u8, marks: *mut u8, n: usize, params: &Params) {
    let test = match &params.plan().fit {
        Some(test) if matches!(params.options.overflow, Overflow::Error) => test,
        // Only imaginary parts are refused.
        _ => {
            // SAFETY: the caller's.
            unsafe { marks.write_bytes(1, n) };
            return;
        }
    };
    // SAFETY: the caller's.
    unsafe {
        if let Some(seed) = params.plan().seed {
            let mut draws = Draws::new(seed, params);
            pieces(table, src, marks, n, params, test, |len| draws.next(&table.shapes, len));
        } else {
            pieces(table, src, marks, n, params, test, |_| ptr::null());
        }
    }
}

/// Takes the numbers, a piece at a time, through the steps that come before the test, and marks what
/// they have become. The closure gives a draw for each of the next so many elements, if the rounding
/// takes any.
///
/// # Safety
/// As for [`mark`]; the test is the plan's.
#[inline(always)]
unsafe fn pieces(
    table: &Table,
    src: *const u8,
    marks: *mut u8,
    n: usize,
    params: &Params,
    (fit, before): &(Fit, usize),
    mut draws: impl FnMut(usize) -> *const u32,
) {
    let (mut first, mut second) = (Buffer::<BUFFER>::new(), Buffer::<BUFFER>::new());
    let buffers = [first.start(), second.start()];
    let len = BUFFER / params.plan().widest;
    let mut start = 0;
    while start < n {
        let len = len.min(n - start);
        let draws = draws(len);
        // SAFETY: the caller's: `len` elements are left at `start`, and fit a buffer as anything that
        // the plan makes of them. Every step reads elements that are the caller's or that the step
        // before wrote, and writes them to the buffer that it does not read.
        unsafe {
            let mut numbers = src.add(start * params.from.bits() / 8);
            for (i, next) in params.plan().steps[..*before].iter().enumerate() {
                let target = buffers[i % 2];
                step(table, next, numbers, target, len, params, draws);
                numbers = target;
            }
            table.shapes.fits.mark(fit, numbers, marks.add(start), len);
        }
        start += len;
    }
}
