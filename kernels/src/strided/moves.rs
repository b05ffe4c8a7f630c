//! Elements moved as they are between places that lie apart: a matrix by squares, what lies close together by units, and the
//! rest one by one.

use super::transpose::{REGISTER, bring_all_near, lines, square};
use super::units::{Grid, Units};
use crate::align::LINE;
use crate::copies;

/// The side that lies further away than a buffer in the L1 cache does. (Who is done with memory sees to a
/// [fence](crate::stream::fence).)
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Far {
    Source,
    Destination,
    /// That, and so much of it that it need not go through the caches.
    Memory,
}

/// The fewest bytes of a run that is copied as such, even if shorter ones are moved several at a time.
const RUN: usize = 128;

/// Moves `rows` times `cols` elements of `size` bytes (1, 2, 4, 8 or 16), several at a time if there are units for that.
///
/// # Safety
/// The element of every row and column, so many bytes on for each as the steps of a side tell (of a row
/// first, then of a column), is valid for reading at `src` and for writing at `dst`. What is read and
/// what is written don't overlap. The CPU has the instruction set of the units.
pub(crate) unsafe fn move_elements(
    size: usize,
    (src, src_steps): (*const u8, [isize; 2]),
    (dst, dst_steps): (*mut u8, [isize; 2]),
    [rows, cols]: [usize; 2],
    far: Far,
    units: &[Units],
) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => moves::<1>(src, src_steps, dst, dst_steps, [rows, cols], far, units),
            2 => moves::<2>(src, src_steps, dst, dst_steps, [rows, cols], far, units),
            4 => moves::<4>(src, src_steps, dst, dst_steps, [rows, cols], far, units),
            8 => moves::<8>(src, src_steps, dst, dst_steps, [rows, cols], far, units),
            16 => moves::<16>(src, src_steps, dst, dst_steps, [rows, cols], far, units),
            _ => unreachable!("no dtype has elements of {size} bytes"),
        }
    }
}

/// # Safety
/// As for [`move_elements`].
unsafe fn moves<const N: usize>(
    src: *const u8,
    src_steps: [isize; 2],
    dst: *mut u8,
    dst_steps: [isize; 2],
    [rows, cols]: [usize; 2],
    far: Far,
    units: &[Units],
) {
    let n = N as isize;
    let turned =
        |src_steps: [isize; 2], dst_steps: [isize; 2]| src_steps[0] == n && dst_steps[1] == n;
    let other = |steps: [isize; 2]| [steps[1], steps[0]];
    let has_squares = rows.min(cols) >= REGISTER / N;
    // SAFETY: the caller's.
    unsafe {
        if has_squares && turned(src_steps, dst_steps) {
            let (src, dst) = ((src, src_steps[1]), (dst, dst_steps[0]));
            transpose::<N>(src, dst, [rows, cols], far, units, || ());
        } else if has_squares && turned(other(src_steps), other(dst_steps)) {
            let (src, dst) = ((src, src_steps[0]), (dst, dst_steps[1]));
            transpose::<N>(src, dst, [cols, rows], far, units, || ());
        } else {
            move_rows::<N>((src, src_steps), (dst, dst_steps), [rows, cols], units);
        }
    }
}

/// Turns elements of `size` bytes over from a buffer that is near, with something else done before each square.
///
/// # Safety
/// As for [`move_elements`], of elements that lie one after the other along a column in the source, along a row in the
/// destination, with the step from a column to the next in the source, and from a row to the next in the destination.
pub(super) unsafe fn turn_over(
    size: usize,
    src: (*const u8, isize),
    dst: (*mut u8, isize),
    len: [usize; 2],
    far: Far,
    units: &[Units],
    before: impl FnMut(),
) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => transpose::<1>(src, dst, len, far, units, before),
            2 => transpose::<2>(src, dst, len, far, units, before),
            4 => transpose::<4>(src, dst, len, far, units, before),
            8 => transpose::<8>(src, dst, len, far, units, before),
            16 => transpose::<16>(src, dst, len, far, units, before),
            _ => unreachable!("no dtype has elements of {size} bytes"),
        }
    }
}

/// Moves elements row by row, or column by column. (Apart from what turns squares over, whose registers it would take.)
///
/// # Safety
/// As for [`move_elements`].
#[inline(never)]
unsafe fn move_rows<const N: usize>(
    (src, src_steps): (*const u8, [isize; 2]),
    (dst, dst_steps): (*mut u8, [isize; 2]),
    [rows, cols]: [usize; 2],
    units: &[Units],
) {
    let n = N as isize;
    // The inner loop is the longer one.
    let (src_steps, dst_steps, rows, cols) = if rows > cols {
        ([src_steps[1], src_steps[0]], [dst_steps[1], dst_steps[0]], cols, rows)
    } else {
        (src_steps, dst_steps, rows, cols)
    };
    let are_runs = src_steps[1] == n && dst_steps[1] == n && cols * N >= RUN;
    let axis = |i: usize, len: usize| (len, [src_steps[i], dst_steps[i]]);
    let grid = Grid { size: N, axes: [axis(0, rows), axis(1, cols)] };
    // SAFETY: the caller's.
    unsafe {
        if !are_runs && units.iter().any(|&units| grid.move_by(units, src, dst)) {
            return;
        }
        for row in 0..rows as isize {
            let (src, dst) = (src.offset(row * src_steps[0]), dst.offset(row * dst_steps[0]));
            move_row::<N>(src, src_steps[1], dst, dst_steps[1], cols);
        }
    }
}

/// Moves elements that lie one after the other along a column in the source, along a row in the
/// destination. On the side that is far they are moved one after the other. Something else is done before each square, or line of
/// squares, that is written where it is far.
///
/// # Safety
/// As for [`move_elements`], with the step from a column to the next in the source, and from a row to the
/// next in the destination.
unsafe fn transpose<const N: usize>(
    (src, src_step): (*const u8, isize),
    (dst, dst_step): (*mut u8, isize),
    [rows, cols]: [usize; 2],
    far: Far,
    units: &[Units],
    before: impl FnMut(),
) {
    let n = N as isize;
    let side = REGISTER / N;
    let whole @ [whole_rows, whole_cols] = [rows / side * side, cols / side * side];
    // SAFETY: the caller's; squares and what is left beside and below them are all elements. The rows of squares start registers
    // on from an aligned address, by aligned steps, if they are streamed.
    unsafe {
        match far {
            Far::Source => squares_by_columns::<N>((src, src_step), (dst, dst_step), whole),
            Far::Memory if is_streamed(dst, dst_step) => {
                squares_by_rows::<N, true>((src, src_step), (dst, dst_step), whole, before);
            }
            _ => squares_by_rows::<N, false>((src, src_step), (dst, dst_step), whole, before),
        }
        let (src_steps, dst_steps) = ([n, src_step], [dst_step, n]);
        let beside = |row: usize, col: usize, len: [usize; 2]| {
            let (row, col) = (row as isize, col as isize);
            let src = src.offset(row * n + col * src_step);
            let dst = dst.offset(row * dst_step + col * n);
            move_rows::<N>((src, src_steps), (dst, dst_steps), len, units);
        };
        if whole_cols < cols {
            beside(0, whole_cols, [whole_rows, cols - whole_cols]);
        }
        if whole_rows < rows {
            beside(whole_rows, 0, [rows - whole_rows, cols]);
        }
    }
}

/// Whether squares can be streamed to rows that lie so: all of them start registers.
pub(super) fn is_streamed(dst: *const u8, dst_step: isize) -> bool {
    (dst.addr() | dst_step as usize).is_multiple_of(REGISTER)
}

/// Turns squares over, in an order in which the source is read row after row.
///
/// # Safety
/// As for [`transpose`], of whole squares.
unsafe fn squares_by_columns<const N: usize>(
    (src, src_step): (*const u8, isize),
    (dst, dst_step): (*mut u8, isize),
    [rows, cols]: [usize; 2],
) {
    let side = REGISTER / N;
    for col in (0..cols).step_by(side) {
        for row in (0..rows).step_by(side) {
            // SAFETY: the caller's.
            unsafe {
                let src = src.offset(col as isize * src_step).add(row * N);
                let dst = dst.offset(row as isize * dst_step).add(col * N);
                square::<N, false>(src, src_step, dst, dst_step);
            }
        }
    }
}

/// The same, in an order in which the destination is written row after row.
///
/// # Safety
/// As for [`transpose`], of whole squares; if they are streamed, the destination and its steps are aligned to registers.
unsafe fn squares_by_rows<const N: usize, const STREAMED: bool>(
    (src, src_step): (*const u8, isize),
    (dst, dst_step): (*mut u8, isize),
    [rows, cols]: [usize; 2],
    mut before: impl FnMut(),
) {
    let side = REGISTER / N;
    for row in (0..rows).step_by(side) {
        // SAFETY: the caller's. Columns are whole squares, so that one begins at each `col`; where what is left of them has a line's
        // bytes there are the squares that a line is of. Registers start at a line's start, too.
        unsafe {
            // While these are moved the lines of the next come near.
            for next in row + side..rows.min(row + 2 * side) {
                if !STREAMED {
                    bring_all_near(dst.offset(next as isize * dst_step), cols * N);
                }
            }
            let mut col = 0;
            while col < cols {
                let src = src.offset(col as isize * src_step).add(row * N);
                let dst = dst.offset(row as isize * dst_step).add(col * N);
                let is_line =
                    STREAMED && dst.addr().is_multiple_of(LINE) && (cols - col) * N >= LINE;
                before();
                col += if is_line {
                    lines::<N>(src, src_step, dst, dst_step);
                    LINE / N
                } else {
                    square::<N, STREAMED>(src, src_step, dst, dst_step);
                    side
                }
            }
        }
    }
}

/// # Safety
/// As for [`move_elements`], of one row.
#[inline(always)]
unsafe fn move_row<const N: usize>(
    src: *const u8,
    src_step: isize,
    dst: *mut u8,
    dst_step: isize,
    cols: usize,
) {
    let n = N as isize;
    // SAFETY: the caller's.
    unsafe {
        if src_step == n && dst_step == n {
            copies::bytes(src, dst, cols * N);
            return;
        }
        // A step that is known is one instruction less.
        match (src_step == n, dst_step == n) {
            (true, _) => apart::<N>(src, n, dst, dst_step, cols),
            (_, true) => apart::<N>(src, src_step, dst, n, cols),
            _ => apart::<N>(src, src_step, dst, dst_step, cols),
        }
    }
}

/// # Safety
/// As for [`move_elements`], of one row.
#[inline(always)]
unsafe fn apart<const N: usize>(
    src: *const u8,
    src_step: isize,
    dst: *mut u8,
    dst_step: isize,
    cols: usize,
) {
    for col in 0..cols as isize {
        // SAFETY: the caller's; arrays of bytes have no alignment.
        unsafe {
            let element = src.offset(col * src_step).cast::<[u8; N]>().read();
            dst.offset(col * dst_step).cast::<[u8; N]>().write(element);
        }
    }
}
