//! Packed elements from any one on, for the other side to start lines.
//!
//! Where the results are many times what they are made of, as float64s are of single bits, a cast takes the time that it
//! takes to store them, and up to 1.4 times that if its stores lie in two lines each. How many elements come before the
//! first that starts a line is up to the destination: memory from an allocator is mostly 16 bytes past the start of one,
//! so six float64s. Six bits are no whole byte, from which on a kernel could read the rest. So what is left of the source
//! is shifted by as many bits first, a piece at a time, into a buffer in the L1 cache, and cast from there. The results
//! that come before, and those after the last piece, are cast from whole bytes, together with some that a piece has, too.
//!
//! The same goes for results that are but a few bits each of a source, whose loads would lie in two lines each: 64-bit integers
//! to those of 2 bits took 1.4 times as long with AVX-512, in the L2 cache. They are cast into such a buffer and shifted from there.

use crate::align::{LINE, gap};
use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::dispatch;
use crate::dtypes::{DType, bytes};
use crate::table::{Kernel, Params};

/// The most bytes of the packed side in a piece.
const PIECE: usize = 16 * GRAIN;

/// What a piece is a multiple of, in bytes: elements of any number of bits, and whole lines of the other side's.
const GRAIN: usize = 3 * LINE;

/// Whether a pair is cast so if the side that counts does not start a line where packed elements start a byte.
#[inline(always)]
pub(crate) const fn suits(from: DType, to: DType) -> bool {
    suits_source(from, to) || suits_results(from, to)
}

/// Whether the source is shifted: if that is so few bytes that it takes little time beside the stores. (6-bit floats to float64
/// took 1.4 to 1.5 times as long off the lines on an Intel with AVX-512; so it is 1.04.)
#[inline(always)]
const fn suits_source(from: DType, to: DType) -> bool {
    let is_wide = to.bits() >= 16 && to.bits() >= 8 * from.bits();
    from.is_packed() && is_wide && (from.bits() <= 2 || to.bits() >= 64)
}

/// Whether the results are, in the same way.
#[inline(always)]
const fn suits_results(from: DType, to: DType) -> bool {
    to.is_packed() && from.bits() >= 16 && from.bits() >= 8 * to.bits()
}

/// Where elements are parted whose side that is not packed does not start a line.
#[cfg_attr(test, derive(Debug, PartialEq))]
struct Split {
    /// How many come before the first that starts one.
    head: usize,
    /// The byte where that is on the packed side, and how many bits of it come before.
    first: usize,
    shift: u32,
    /// The bytes of the packed side that come in pieces.
    left: usize,
}

impl Split {
    /// That of `n` elements with the side that is not packed at an address; None if there is no reason to shift the other.
    /// (The bits of an element, of either side.)
    fn of(address: usize, bits: usize, packed_bits: usize, n: usize) -> Option<Self> {
        let gap = gap(address) * 8;
        let head = gap / bits;
        let (first, shift) = (head * packed_bits / 8, (head * packed_bits % 8) as u32);
        let left = (n - head.min(n)) * packed_bits / 8 / GRAIN * GRAIN;
        let starts_one = head * bits == gap;
        (starts_one && shift > 0 && left > 0).then_some(Self { head, first, shift, left })
    }
}

/// Runs a kernel so, of a pair that [`suits`], and whose results all depend on their elements alone; None if there is no
/// reason to.
///
/// # Safety
/// As for the kernel, see [`Kernel`]; it refuses nothing, and the place of an element makes no difference.
#[inline(always)]
pub(crate) unsafe fn run(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> Option<usize> {
    debug_assert!(suits(params.from, params.to));
    // SAFETY: the caller's.
    unsafe {
        match suits_source(params.from, params.to) {
            true => run_from_shifted(kernel, params, src, dst, n),
            false => run_to_shifted(kernel, params, src, dst, n),
        }
    }
}

/// From a packed source.
///
/// # Safety
/// As for [`run`].
// (Apart, for other pairs don't need so much room on the stack.)
#[inline(never)]
unsafe fn run_from_shifted(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> Option<usize> {
    let (from, to) = (params.from.bits(), params.to.bits());
    let Split { head, first, shift, left } = Split::of(dst.addr(), to, from, n)?;
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

/// To packed results. Those of a piece are shifted down from the byte before them on, on top of which are the bits that come
/// before: by less than a byte, that is up by the others.
///
/// # Safety
/// As for [`run`].
#[inline(never)]
unsafe fn run_to_shifted(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> Option<usize> {
    let (from, to) = (params.from.bits(), params.to.bits());
    let Split { head, first, shift, left } = Split::of(src.addr(), from, to, n)?;
    let down = u8::BITS - shift;
    let shift_down = dispatch::current_table().shift;
    let mut buffer = Buffer::<{ LINE + PIECE }>::new();
    // SAFETY: the caller's. The elements before the first piece are fewer than 32, and those of whole bytes with them no more
    // than 32, of which a piece has more; as the shift is by some bits, the byte where the pieces' results start is one of
    // those, and so has been written when it is read. A piece's results are whole bytes, which the buffer holds behind a line;
    // the byte before is written, too, and what is shifted ends with the piece. It comes to as many bytes from `first` on, all of
    // which are the destination's, since the last of a piece's bits are in the byte after those. From the last whole byte of
    // results before the end of the pieces on elements are cast again.
    unsafe {
        kernel(src, dst, head.next_multiple_of(8), params);
        let results = buffer.start().add(LINE);
        let mut before = dst.add(first).read() << down;
        for at in (0..left).step_by(PIECE) {
            let piece = PIECE.min(left - at);
            kernel(src.add(bytes(head + at * 8 / to, from)), results, piece * 8 / to, params);
            results.sub(1).write(before);
            before = results.add(piece - 1).read();
            shift_down(results.sub(1), dst.add(first + at), piece, down);
        }
        let done = (head + left * 8 / to) & !7;
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
    fn elements_are_parted_where_a_line_starts_within_a_byte() {
        // Six 64-bit numbers come before a line, and as many single bits before the bytes that come in pieces.
        let split = |left| Some(Split { head: 6, first: 0, shift: 6, left });
        assert_eq!(Split::of(64 + 16, 64, 1, 6 + 3 * GRAIN * 8 + 1), split(3 * GRAIN));
        assert_eq!(Split::of(64 + 16, 64, 1, 6 + GRAIN * 8), split(GRAIN));
        assert_eq!(Split::of(64 + 16, 64, 1, 5 + GRAIN * 8), None);
        let split = Some(Split { head: 6, first: 4, shift: 4, left: GRAIN });
        assert_eq!(Split::of(64 + 16, 64, 6, 1000 / 6 * 2), split);
        // Whole bytes, a line that starts already, and one that no element starts.
        assert_eq!(Split::of(64 + 16, 64, 4, 6 + GRAIN * 8), None);
        assert_eq!(Split::of(128, 64, 1, GRAIN * 8), None);
        assert_eq!(Split::of(64 + 17, 64, 1, 6 + GRAIN * 8), None);
    }

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
