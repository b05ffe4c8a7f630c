//! Elements moved as they are between places that lie apart.

use core::ptr;

/// Moves `rows` times `cols` elements of `size` bytes (1, 2, 4, 8 or 16).
///
/// # Safety
/// The element of every row and column, so many bytes on for each as the steps of a side tell (of a row
/// first, then of a column), is valid for reading at `src` and for writing at `dst`. What is read and
/// what is written don't overlap.
pub(crate) unsafe fn move_elements(
    size: usize,
    (src, src_steps): (*const u8, [isize; 2]),
    (dst, dst_steps): (*mut u8, [isize; 2]),
    [rows, cols]: [usize; 2],
) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => moves::<1>(src, src_steps, dst, dst_steps, rows, cols),
            2 => moves::<2>(src, src_steps, dst, dst_steps, rows, cols),
            4 => moves::<4>(src, src_steps, dst, dst_steps, rows, cols),
            8 => moves::<8>(src, src_steps, dst, dst_steps, rows, cols),
            16 => moves::<16>(src, src_steps, dst, dst_steps, rows, cols),
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
    rows: usize,
    cols: usize,
) {
    // The inner loop is the longer one.
    let (src_steps, dst_steps, rows, cols) = if rows > cols {
        ([src_steps[1], src_steps[0]], [dst_steps[1], dst_steps[0]], cols, rows)
    } else {
        (src_steps, dst_steps, rows, cols)
    };
    for row in 0..rows as isize {
        // SAFETY: the caller's.
        unsafe {
            let (src, dst) = (src.offset(row * src_steps[0]), dst.offset(row * dst_steps[0]));
            move_row::<N>(src, src_steps[1], dst, dst_steps[1], cols);
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
            ptr::copy_nonoverlapping(src, dst, cols * N);
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
