//! Long buffers off the alignment of cache lines.
//!
//! A load or store of a register that lies in two lines takes two accesses. Buffers that come from
//! anywhere, a slice of a larger one or the middle of a file, would make every one of them such. So
//! the first elements of a long cast are cast apart, as many as bring the side with more bytes, or
//! else the other, to the start of a line. (What lies between elements' addresses and a line's
//! cannot be bridged where the address is no multiple of the element's size.)

use crate::dtypes::DType;
use crate::options::Options;
use crate::scalar::direct::is_copy;
use crate::stream::{self, Stores};
use crate::table::{Kernel, Params};

/// Bytes of a cache line, and of the longest register.
const LINE: usize = 64;

/// The elements below which nothing is looked at: more than any line holds.
pub(crate) const LONG: usize = 1024;
const _: () = assert!(LONG >= LINE * 8);

/// The bytes of both sides from which on a second call pays, in the L1 cache already.
const LARGE: usize = 8 << 10;

/// Whether long casts of a pair may be run in two parts. Under other options than the default ones a
/// kernel's work depends on where an element stands, and is no matter of loads and stores; memcpy sees
/// to its own.
pub(crate) const fn is_for(from: DType, to: DType, options: &Options) -> bool {
    options.is_default() && !is_copy(from, to)
}

/// Whether so few elements are cast in one part whatever the pair.
#[inline(always)]
pub(crate) const fn is_short(n: usize) -> bool {
    n < LONG
}

/// The bytes of both sides that any last-level cache holds: so few are never streamed unless that is asked for.
const CACHED: usize = 256 << 10;

/// Runs a kernel, in two parts if that takes less time.
///
/// # Safety
/// As for the kernel, see [`Kernel`].
#[inline(always)]
pub(crate) unsafe fn run(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        if is_short(n) || is_whole(params, src.addr(), dst.addr(), n) {
            kernel(src, dst, n, params)
        } else {
            run_long(kernel, params, src, dst, n)
        }
    }
}

/// Whether a long cast is plainly run in one part: what [`run_long`] finds, for most casts with less to ask, for a call
/// of some thousand elements takes but a hundred nanoseconds.
#[inline(always)]
const fn is_whole(params: &Params, src: usize, dst: usize, n: usize) -> bool {
    let (from, to) = (params.from.bits(), params.to.bits());
    let wide = if from > to { src } else { dst };
    let starts_line = wide.is_multiple_of(LINE) && !matches!(params.stores, Stores::Streaming);
    let most = if starts_line { CACHED } else { LARGE };
    !params.in_parts || n.saturating_mul(from + to) < most * 8
}

/// # Safety
/// As for the kernel, see [`Kernel`].
#[inline(never)]
unsafe fn run_long(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> usize {
    if stream::wanted(params, n) {
        // SAFETY: the caller's; under the default options nothing is refused, and places mean nothing.
        if let Some(done) = unsafe { stream::run(kernel, params, src, dst, n) } {
            return done;
        }
    }
    let (from, to) = (params.from.bits(), params.to.bits());
    let head = head((src.addr(), from), (dst.addr(), to));
    // SAFETY: the caller's. `head` elements are whole bytes on both sides and fewer than `LONG`, so
    // fewer than there are; under the default options nothing is refused.
    unsafe {
        if head > 0 {
            kernel(src, dst, head, params);
        }
        let (src, dst) = (src.add(stream::bytes(head, from)), dst.add(stream::bytes(head, to)));
        head + kernel(src, dst, n - head, params)
    }
}

/// How many elements come before the first that starts a line, on the side with more bytes if there
/// is one: the address and the bits of an element, of either side.
const fn head(src: (usize, usize), dst: (usize, usize)) -> usize {
    let (wide, narrow) = if src.1 > dst.1 { (src, dst) } else { (dst, src) };
    match to_line(wide, narrow.1) {
        Some(head) => head,
        None => match to_line(narrow, wide.1) {
            Some(head) => head,
            None => 0,
        },
    }
}

/// The same of one side, if these elements are whole bytes on the other, too.
pub(crate) const fn to_line((address, bits): (usize, usize), other_bits: usize) -> Option<usize> {
    let gap = address.wrapping_neg() % LINE * 8;
    // Spelt out, for a division by what the compiler does not know takes its time.
    let elements = if bits == 6 { gap / 6 } else { gap >> bits.trailing_zeros() };
    if elements * bits == gap && (elements * other_bits).is_multiple_of(8) {
        Some(elements)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_ends_where_a_line_starts() {
        // Aligned: nothing to do.
        assert_eq!(head((128, 8), (192, 32)), 0);
        // The wider side.
        assert_eq!(head((129, 8), (192 + 4, 32)), 15);
        assert_eq!(head((128 + 62, 16), (192 + 3, 8)), 1);
        // The same width: the destination.
        assert_eq!(head((128 + 32, 32), (128 + 16, 32)), 12);
        // Bytes that no element of the wider side starts at: the other.
        assert_eq!(head((128 + 60, 8), (192 + 3, 16)), 4);
        // Neither.
        assert_eq!(head((128 + 61, 16), (192 + 3, 16)), 0);
        // Packed: whole bytes on both sides, three bytes for four elements of 6 bits.
        assert_eq!(head((128 + 60, 8), (192 + 63, 4)), 4);
        assert_eq!(head((128 + 63, 8), (192 + 63, 4)), 2);
        assert_eq!(head((128 + 61, 6), (192 + 61, 4)), 4);
        assert_eq!(head((128 + 1, 1), (192 + 32, 32)), 8);
        assert_eq!(head((128 + 1, 1), (192 + 36, 32)), 63 * 8);
    }
}
