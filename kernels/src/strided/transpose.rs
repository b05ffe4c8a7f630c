//! Squares of elements turned over, a register to a row.
//!
//! Zipping two registers takes their elements in turns. Let row i of a square of 2^k rows be zipped with
//! the one half of the rows on, which gives rows 2i and 2i + 1: the highest bit of the row's number has
//! become the lowest bit of the column's, whose highest bit has become the lowest of the row's. Done k
//! times, all bits have changed places. The registers are those that every CPU of an architecture has,
//! so that nothing need be chosen: what is turned over comes from far away, and waits for that.

use crate::align::LINE;
pub(super) use registers::bring_near;
use registers::{Register, stream, zip_high, zip_low};

/// The bytes of a register.
pub(super) const REGISTER: usize = 16;

/// Has the lines of so many bytes, or none, [brought near](bring_near), whatever is there.
#[inline(always)]
pub(super) fn bring_all_near(first: *const u8, bytes: usize) {
    // (Of bytes that don't start with a line there may be one more: that of the last.)
    let places = (0..bytes).step_by(LINE).chain(bytes.checked_sub(1));
    places.for_each(|byte| bring_near(first.wrapping_add(byte)));
}

/// The registers of a line.
const REGISTERS: usize = LINE / REGISTER;

/// Turns a square over: the first row's elements become the first of each row. A square has as many rows as a register has
/// elements; those of 16 bytes are squares by themselves.
///
/// What is streamed goes past the caches, and needs a [fence](crate::stream::fence) when all is done.
///
/// # Safety
/// `src` is valid for reading as many rows as a register has elements of `N` bytes, each `src_step` bytes on and a register long;
/// and `dst` for writing as many, each `dst_step` bytes on. They don't overlap. Rows that are streamed are aligned in `dst`.
#[inline(always)]
pub(super) unsafe fn square<const N: usize, const STREAMED: bool>(
    src: *const u8,
    src_step: isize,
    dst: *mut u8,
    dst_step: isize,
) {
    // SAFETY: the caller's.
    unsafe {
        match N {
            1 => turn::<N, 16, 1, STREAMED>(src, src_step, dst, dst_step),
            2 => turn::<N, 8, 1, STREAMED>(src, src_step, dst, dst_step),
            4 => turn::<N, 4, 1, STREAMED>(src, src_step, dst, dst_step),
            8 => turn::<N, 2, 1, STREAMED>(src, src_step, dst, dst_step),
            _ => turn::<N, 1, 1, STREAMED>(src, src_step, dst, dst_step),
        }
    }
}

/// Turns as many squares over as have a line in each row, and streams line by line.
///
/// What is written by turns to more lines than one, CPUs collect before it goes to memory; but a Zen 4 not if these are at
/// the same place of their pages, as the rows of a matrix of 4096 float32s are: it took six times as long to write them.
///
/// # Safety
/// As for [`square`], of rows that are streamed, and of so many squares that are read one below the other and written one beside
/// the other.
#[inline(always)]
pub(super) unsafe fn lines<const N: usize>(
    src: *const u8,
    src_step: isize,
    dst: *mut u8,
    dst_step: isize,
) {
    // SAFETY: the caller's.
    unsafe {
        match N {
            1 => turn::<N, 16, REGISTERS, true>(src, src_step, dst, dst_step),
            2 => turn::<N, 8, REGISTERS, true>(src, src_step, dst, dst_step),
            4 => turn::<N, 4, REGISTERS, true>(src, src_step, dst, dst_step),
            8 => turn::<N, 2, REGISTERS, true>(src, src_step, dst, dst_step),
            _ => turn::<N, 1, REGISTERS, true>(src, src_step, dst, dst_step),
        }
    }
}

/// # Safety
/// As for [`square`], of so many squares of `ROWS` rows, as for [`lines`].
#[inline(always)]
unsafe fn turn<const N: usize, const ROWS: usize, const SQUARES: usize, const STREAMED: bool>(
    src: *const u8,
    src_step: isize,
    dst: *mut u8,
    dst_step: isize,
) {
    // SAFETY: the caller's; registers are read and written at any alignment, but for those that are streamed.
    unsafe {
        let squares: [[Register; ROWS]; SQUARES] = core::array::from_fn(|square| {
            turned::<N, ROWS>(src.offset((square * ROWS) as isize * src_step), src_step)
        });
        for row in 0..ROWS {
            for (i, square) in squares.iter().enumerate() {
                let dst = dst.offset(row as isize * dst_step).add(i * REGISTER);
                let dst = dst.cast::<Register>();
                if STREAMED { stream(dst, square[row]) } else { dst.write_unaligned(square[row]) }
            }
        }
    }
}

/// # Safety
/// As for [`square`], of what is read.
#[inline(always)]
unsafe fn turned<const N: usize, const ROWS: usize>(
    src: *const u8,
    src_step: isize,
) -> [Register; ROWS] {
    // SAFETY: the caller's; registers are read at any alignment.
    let mut rows: [Register; ROWS] = core::array::from_fn(|i| unsafe {
        src.offset(i as isize * src_step).cast::<Register>().read_unaligned()
    });
    // (Written out: rows that a loop gives its next turn the compiler may leave in memory.)
    if ROWS > 1 {
        rows = zipped::<N, ROWS>(rows);
    }
    if ROWS > 2 {
        rows = zipped::<N, ROWS>(rows);
    }
    if ROWS > 4 {
        rows = zipped::<N, ROWS>(rows);
    }
    if ROWS > 8 {
        rows = zipped::<N, ROWS>(rows);
    }
    rows
}

/// Each row zipped with the one half of them on.
#[inline(always)]
fn zipped<const N: usize, const ROWS: usize>(rows: [Register; ROWS]) -> [Register; ROWS] {
    let (mut zipped, mut i) = (rows, 0);
    while i < ROWS / 2 {
        let (a, b) = (rows[i], rows[i + ROWS / 2]);
        (zipped[2 * i], zipped[2 * i + 1]) = (zip_low::<N>(a, b), zip_high::<N>(a, b));
        i += 1;
    }
    zipped
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use core::arch::x86_64::{
        __m128i, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64,
        _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
    };
    use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};

    pub(super) type Register = __m128i;

    /// Has a line that is about to be read or written brought from memory to the second cache: that of the first
    /// has no room for lines that lie a power of two apart.
    #[inline(always)]
    pub(in crate::strided) fn bring_near(line: *const u8) {
        // SAFETY: any address may be asked for, and nothing is read.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) };
    }

    /// Writes past the caches.
    ///
    /// # Safety
    /// It can be written there, where registers are aligned; others see it after a [fence](crate::stream::fence).
    #[inline(always)]
    pub(super) unsafe fn stream(dst: *mut Register, row: Register) {
        // SAFETY: the caller's.
        unsafe { core::arch::x86_64::_mm_stream_si128(dst, row) };
    }

    #[inline(always)]
    pub(super) fn zip_low<const N: usize>(a: Register, b: Register) -> Register {
        // SAFETY: every x86-64 CPU has these instructions.
        unsafe {
            match N {
                1 => _mm_unpacklo_epi8(a, b),
                2 => _mm_unpacklo_epi16(a, b),
                4 => _mm_unpacklo_epi32(a, b),
                _ => _mm_unpacklo_epi64(a, b),
            }
        }
    }

    #[inline(always)]
    pub(super) fn zip_high<const N: usize>(a: Register, b: Register) -> Register {
        // SAFETY: every x86-64 CPU has these instructions.
        unsafe {
            match N {
                1 => _mm_unpackhi_epi8(a, b),
                2 => _mm_unpackhi_epi16(a, b),
                4 => _mm_unpackhi_epi32(a, b),
                _ => _mm_unpackhi_epi64(a, b),
            }
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod registers {
    use core::arch::aarch64::{
        uint8x16_t, vreinterpretq_u8_u16, vreinterpretq_u8_u32, vreinterpretq_u8_u64,
        vreinterpretq_u16_u8, vreinterpretq_u32_u8, vreinterpretq_u64_u8, vzip1q_u8, vzip1q_u16,
        vzip1q_u32, vzip1q_u64, vzip2q_u8, vzip2q_u16, vzip2q_u32, vzip2q_u64,
    };

    pub(super) type Register = uint8x16_t;

    /// What to ask for is left to the CPU.
    #[inline(always)]
    pub(in crate::strided) const fn bring_near(_line: *const u8) {}

    /// Writes as any: there is no way past the caches.
    ///
    /// # Safety
    /// It can be written there.
    #[inline(always)]
    pub(super) unsafe fn stream(dst: *mut Register, row: Register) {
        // SAFETY: the caller's.
        unsafe { dst.write_unaligned(row) };
    }

    macro_rules! zip {
        ($name:ident $bytes:ident $halves:ident $words:ident $longs:ident) => {
            #[inline(always)]
            pub(super) fn $name<const N: usize>(a: Register, b: Register) -> Register {
                use vreinterpretq_u8_u16 as from_halves;
                use vreinterpretq_u8_u32 as from_words;
                use vreinterpretq_u8_u64 as from_longs;
                use vreinterpretq_u16_u8 as halves;
                use vreinterpretq_u32_u8 as words;
                use vreinterpretq_u64_u8 as longs;
                // SAFETY: the code is compiled for CPUs with NEON.
                unsafe {
                    match N {
                        1 => $bytes(a, b),
                        2 => from_halves($halves(halves(a), halves(b))),
                        4 => from_words($words(words(a), words(b))),
                        _ => from_longs($longs(longs(a), longs(b))),
                    }
                }
            }
        };
    }

    zip! { zip_low vzip1q_u8 vzip1q_u16 vzip1q_u32 vzip1q_u64 }
    zip! { zip_high vzip2q_u8 vzip2q_u16 vzip2q_u32 vzip2q_u64 }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon"))))]
mod registers {
    pub(super) type Register = [u8; super::REGISTER];

    /// What to ask for is left to the CPU.
    #[inline(always)]
    pub(in crate::strided) const fn bring_near(_line: *const u8) {}

    /// Writes as any: there is no way past the caches.
    ///
    /// # Safety
    /// It can be written there.
    #[inline(always)]
    pub(super) unsafe fn stream(dst: *mut Register, row: Register) {
        // SAFETY: the caller's.
        unsafe { dst.write_unaligned(row) };
    }

    #[inline(always)]
    fn zip<const N: usize>(a: Register, b: Register, first: usize) -> Register {
        core::array::from_fn(|i| {
            let (element, byte) = (i / N, i % N);
            let from = if element.is_multiple_of(2) { a } else { b };
            from[first + element / 2 * N + byte]
        })
    }

    #[inline(always)]
    pub(super) fn zip_low<const N: usize>(a: Register, b: Register) -> Register {
        zip::<N>(a, b, 0)
    }

    #[inline(always)]
    pub(super) fn zip_high<const N: usize>(a: Register, b: Register) -> Register {
        zip::<N>(a, b, super::REGISTER / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of squares, or as many of them as have lines, all elements change places.
    fn turns<const N: usize, const STREAMED: bool>(squares: usize) {
        const STEP: usize = 24;
        #[repr(align(64))]
        struct Aligned([u8; 128 * 16]);
        let side = REGISTER / N;
        let mut src = [0u8; STEP * 64];
        for (i, byte) in src.iter_mut().enumerate() {
            *byte = (i * 7 % 251) as u8;
        }
        let mut dst = Aligned([0; 128 * 16]);
        let step = if STREAMED { 128 } else { STEP + 3 };
        // SAFETY: the source has 64 rows of a register, the destination 16 of a line, so many bytes apart, which are aligned where
        // they are streamed.
        unsafe {
            let dst = dst.0.as_mut_ptr();
            match squares {
                1 => square::<N, STREAMED>(src.as_ptr(), STEP as isize, dst, step as isize),
                _ => lines::<N>(src.as_ptr(), STEP as isize, dst, step as isize),
            }
            crate::stream::fence();
        }
        for row in 0..side {
            for col in 0..squares * side {
                let (a, b) =
                    (&src[col * STEP + row * N..][..N], &dst.0[row * step + col * N..][..N]);
                assert_eq!(a, b, "elements of {N} bytes: row {row}, column {col}");
            }
        }
    }

    #[test]
    fn squares_of_all_sizes_are_turned_over() {
        turns::<1, false>(1);
        turns::<2, false>(1);
        turns::<4, false>(1);
        turns::<8, false>(1);
        turns::<16, false>(1);
        for squares in [1, REGISTERS] {
            turns::<1, true>(squares);
            turns::<2, true>(squares);
            turns::<4, true>(squares);
            turns::<8, true>(squares);
            turns::<16, true>(squares);
        }
    }
}
