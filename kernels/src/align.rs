//! Long buffers off the alignment of cache lines.
//!
//! A load or store of a register that lies in two lines takes two accesses. Buffers that come from
//! anywhere, a slice of a larger one or the middle of a file, would make every one of them such. So
//! the first elements of a long cast are cast apart, as many as bring the side with more bytes, or
//! else the other, to the start of a line. (What lies between elements' addresses and a line's
//! cannot be bridged where the address is no multiple of the element's size.)
//!
//! A store in two lines takes longer than a load. That shows where a cast does little but load and store, and stores
//! half a register at a time, as its instruction leaves it: float64 to float32 with the source at the start of a line
//! and every other store in two took 1.3 times as long on AVX-512, in the L2 cache, as with both sides aligned, and 2.2
//! times on AVX2; with the destination at the start of a line 1.2 times on both. So of such a pair the results count, and of
//! those from 16 bits to a byte, which take up to 1.24 times as long on AVX-512 with the source at the start of a line.
//!
//! What starts where a register of half a line could is as good as at the start of a line where no access is longer than
//! that: on AVX2, and on CPUs that do what AVX-512 wants in halves.

use crate::dtypes::DType;
use crate::options::Options;
use crate::scalar::direct::is_copy;
use crate::shifted;
use crate::stream::{self, Stores};
use crate::table::{Kernel, Params};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a cache line, and of the longest register.
pub(crate) const LINE: usize = 64;

/// The bytes of the longest access that the level in use makes, a power of two: what starts at their multiples is in
/// one line each time.
static ACCESS: AtomicUsize = AtomicUsize::new(LINE);

/// Sets the bytes of the longest access. (They make a difference to time only.)
pub(crate) fn expect(access: usize) {
    debug_assert!(access.is_power_of_two() && access <= LINE);
    ACCESS.store(access, Ordering::Relaxed);
}

/// Whether what starts there is in one line at each access.
#[inline(always)]
fn is_aligned(address: usize) -> bool {
    address & (ACCESS.load(Ordering::Relaxed) - 1) == 0
}

/// The elements below which nothing is looked at: more than any line holds.
pub(crate) const LONG: usize = 1024;
const _: () = assert!(LONG >= LINE * 8);

/// The bytes of both sides from which on a second call pays, in the L1 cache already.
const LARGE: usize = 8 << 10;

/// Whether long casts of a pair may be run in two parts. Under other options than the default ones a
/// kernel's work depends on where an element stands, and is no matter of loads and stores; memcpy, which copies what has
/// both sides in one byte order, sees to its own.
pub(crate) const fn is_for(
    from: DType,
    to: DType,
    options: &Options,
    [source_swapped, results_swapped]: [bool; 2],
) -> bool {
    options.is_default() && (!is_copy(from, to) || source_swapped != results_swapped)
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
fn is_whole(params: &Params, src: usize, dst: usize, n: usize) -> bool {
    let bits = n.saturating_mul(params.from.bits() + params.to.bits());
    if !params.in_parts || bits < LARGE * 8 {
        return true;
    }
    let first = if results_count(params.from, params.to) { dst } else { src };
    let is_well = is_aligned(first) && !matches!(params.stores, Stores::Streaming);
    is_well && bits < CACHED * 8
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
    if !is_aligned(dst.addr()) {
        // SAFETY: the same.
        if let Some(done) = unsafe { shifted::run(kernel, params, src, dst, n) } {
            return done;
        }
    }
    let (from, to) = (params.from.bits(), params.to.bits());
    let of_results = results_count(params.from, params.to);
    let head = match is_aligned(if of_results { dst.addr() } else { src.addr() }) {
        true => 0,
        false => head(of_results, (src.addr(), from), (dst.addr(), to)),
    };
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

/// Whether the results are to be at the start of a line if not both sides can be.
#[inline(always)]
fn results_count(from: DType, to: DType) -> bool {
    RESULTS_COUNT[from as usize] >> to as u32 & 1 != 0
}

/// Of which pairs they are: a bit for each destination.
static RESULTS_COUNT: [u64; DType::COUNT] = {
    let mut rows = [0; DType::COUNT];
    let mut i = 0;
    while i < DType::COUNT * DType::COUNT {
        let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
        let (part, result) = (from.component().bits(), to.component().bits());
        let leaves_half = part == 2 * result
            && (matches!(part, 16 | 64) || matches!((from, to), (DType::Float32, DType::Float16)))
            && from.is_complex() == to.is_complex()
            && !to.is_packed();
        let count = leaves_half || from.bits() <= to.bits();
        rows[from as usize] |= (count as u64) << to as u32;
        i += 1;
    }
    rows
};

/// How many elements come before the first that starts a line, of the results or of the source, or else of the other
/// side: the address and the bits of an element, of either side.
const fn head(of_results: bool, src: (usize, usize), dst: (usize, usize)) -> usize {
    let (first, second) = if of_results { (dst, src) } else { (src, dst) };
    match to_line(first, second.1) {
        Some(head) => head,
        None => match to_line(second, first.1) {
            Some(head) => head,
            None => 0,
        },
    }
}

/// The bytes from an address to where a line starts.
pub(crate) const fn gap(address: usize) -> usize {
    address.wrapping_neg() % LINE
}

/// The same of one side, if these elements are whole bytes on the other, too.
pub(crate) const fn to_line((address, bits): (usize, usize), other_bits: usize) -> Option<usize> {
    let gap = gap(address) * 8;
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
        let widens = |src, dst| head(true, src, dst);
        let narrows = |src, dst| head(false, src, dst);
        // Aligned: nothing to do.
        assert_eq!(widens((128, 8), (192, 32)), 0);
        // The side that counts.
        assert_eq!(widens((129, 8), (192 + 4, 32)), 15);
        assert_eq!(narrows((128 + 62, 16), (192 + 3, 8)), 1);
        assert_eq!(head(true, (128 + 16, 64), (192 + 16, 32)), 12);
        // Bytes that no element of that side starts at: the other.
        assert_eq!(widens((128 + 60, 8), (192 + 3, 16)), 4);
        // Neither.
        assert_eq!(widens((128 + 61, 16), (192 + 3, 16)), 0);
        // Packed: whole bytes on both sides, three bytes for four elements of 6 bits.
        assert_eq!(narrows((128 + 60, 8), (192 + 63, 4)), 4);
        assert_eq!(narrows((128 + 63, 8), (192 + 63, 4)), 2);
        assert_eq!(narrows((128 + 61, 6), (192 + 61, 4)), 4);
        assert_eq!(widens((128 + 1, 1), (192 + 32, 32)), 8);
        assert_eq!(widens((128 + 1, 1), (192 + 36, 32)), 63 * 8);
    }

    #[test]
    fn results_count_where_they_are_halves_of_registers_or_larger() {
        assert!(results_count(DType::Float64, DType::Float32));
        assert!(results_count(DType::UInt64, DType::Int32));
        assert!(results_count(DType::Float32, DType::Float16));
        assert!(results_count(DType::Complex128, DType::Complex64));
        assert!(results_count(DType::Float16, DType::Float8E4M3Fn));
        assert!(results_count(DType::Float32, DType::Int32));
        assert!(results_count(DType::Int8, DType::Float64));
        assert!(!results_count(DType::Float32, DType::BFloat16));
        assert!(!results_count(DType::Float16, DType::Bool1x8));
        assert!(!results_count(DType::Float64, DType::Float16));
        assert!(!results_count(DType::Complex128, DType::Float64));
        assert!(!results_count(DType::Complex128, DType::Float32));
    }
}
