//! Packed elements from any one on, for results that start lines.
//!
//! Where the results are many times what they are made of, as float64s are of single bits, a cast takes the time that it
//! takes to store them, and up to 1.4 times that if its stores lie in two lines each. How many elements come before the
//! first that starts a line is up to the destination: memory from an allocator is mostly 16 bytes past the start of one,
//! so six float64s. Six bits are no whole byte, from which on a kernel could read the rest. So what is left of the source
//! is shifted by as many bits first, a piece at a time, into a buffer in the L1 cache, and cast from there. The results
//! that come before, and those after the last piece, are cast from whole bytes, together with some that a piece has, too.

use crate::align::{LINE, gap};
use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::dispatch;
use crate::dtypes::DType;
use crate::stream::bytes;
use crate::table::{Kernel, Params};

/// The most bytes of the source in a piece.
const PIECE: usize = 16 * GRAIN;

/// What a piece is a multiple of, in bytes: elements of any number of bits, and whole lines of their results.
const GRAIN: usize = 3 * LINE;

/// Whether a pair is cast so if its results don't start a line where elements of the source start a byte: if these are so
/// few bytes that to shift them takes little time beside the stores. (Of 4- and 6-bit numbers to 64 bits it took what it
/// saved.)
#[inline(always)]
pub(crate) const fn suits(from: DType, to: DType) -> bool {
    let is_wide = to.bits() >= 16 && to.bits() >= 8 * from.bits();
    from.is_packed() && is_wide && (from.bits() <= 2 || to.bits() == 128)
}

/// Runs a kernel so, of a pair that [`suits`], and whose results all depend on their elements alone; None if there is no
/// reason to.
///
/// # Safety
/// As for the kernel, see [`Kernel`]; it refuses nothing, and the place of an element makes no difference.
// (Apart, for other pairs don't need so much room on the stack.)
#[inline(never)]
pub(crate) unsafe fn run(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> Option<usize> {
    debug_assert!(suits(params.from, params.to));
    let (from, to) = (params.from.bits(), params.to.bits());
    let gap = gap(dst.addr()) * 8;
    let head = gap / to;
    let (first, shift) = (head * from / 8, (head * from % 8) as u32);
    let left = (n - head.min(n)) * from / 8 / GRAIN * GRAIN;
    if head * to != gap || shift == 0 || left == 0 {
        return None;
    }
    // (What the bits are moved by makes no difference to them: any level that the CPU has would do.)
    let shift_down = dispatch::current_table().shift;
    let mut buffer = Buffer::<PIECE>::new();
    // SAFETY: the caller's. The elements before the first piece are fewer than 32, and so are those of whole bytes with them
    // no more than 32, of which a piece has more. A piece's elements are whole bytes, and end in the byte after them, which is the
    // source's since they don't end with it: the shift is by less than a byte, but by some bits. After the last piece
    // elements are cast from the last whole byte before.
    unsafe {
        kernel(src, dst, head.next_multiple_of(8), params);
        for at in (0..left).step_by(PIECE) {
            let piece = PIECE.min(left - at);
            shift_down(src.add(first + at), buffer.start(), piece, shift);
            let dst = dst.add(bytes(head + at * 8 / from, to));
            kernel(buffer.start(), dst, piece * 8 / from, params);
        }
        let done = (head + left * 8 / from) & !7;
        kernel(src.add(bytes(done, from)), dst.add(bytes(done, to)), n - done, params);
    }
    Some(n)
}

/// Writes so many bytes, a multiple of [`GRAIN`], of the bits from the one on that so many others, fewer than 8, come before.
///
/// # Safety
/// The first pointer is valid for reading these bytes and one more, and the second for writing them; they don't overlap.
/// The CPU has the instruction set.
pub(crate) type Shift = unsafe fn(*const u8, *mut u8, usize, u32);

/// # Safety
/// As for every [`Shift`].
pub(crate) unsafe fn shift_down<I: Isa>(src: *const u8, dst: *mut u8, bytes: usize, bits: u32) {
    let (down, up) = (bits & 7, 8 - (bits & 7));
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || {
            for at in (0..bytes / GRAIN * GRAIN).step_by(8) {
                // SAFETY: the caller's: eight bytes are left from `at` on, and one more of the source.
                unsafe {
                    let read = |at: usize| u64::from_le_bytes(src.add(at).cast::<[u8; 8]>().read());
                    // What both have of the source comes to the same place.
                    let shifted = read(at) >> down | read(at + 1) << up;
                    dst.add(at).cast::<[u8; 8]>().write(shifted.to_le_bytes());
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Scalar;

    #[test]
    fn bits_move_down_over_all_bytes() {
        let src: [u8; PIECE + 1] = core::array::from_fn(|i| (i * i * 7 + i / 3) as u8);
        for bits in 1..8 {
            let mut dst = [0; PIECE];
            // SAFETY: the arrays have so many bytes, and every CPU can.
            unsafe { shift_down::<Scalar>(src.as_ptr(), dst.as_mut_ptr(), PIECE, bits) };
            for (i, &byte) in dst.iter().enumerate() {
                let pair = u16::from_le_bytes([src[i], src[i + 1]]);
                assert_eq!(byte, (pair >> bits) as u8, "byte {i}, {bits} bits");
            }
        }
    }
}
