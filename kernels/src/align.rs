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
//! those from 16 bits to a byte, which take up to 1.24 times as long on AVX-512 with the source at the start of a line. (Not
//! floats of 16 bits that are rounded: bfloat16 to int8 and the like take 1.03 to 1.10 times as long so, and 1.12 to 1.17 times
//! with the results at the start of one.)
//!
//! What starts where a register of half a line could is as good as at the start of a line where no access is longer than
//! that: on AVX2, and on CPUs that do what AVX-512 wants in halves.

use crate::dtypes::{DType, Kind};
use crate::options::Options;
use crate::scalar::direct::{is_copy, is_packed_copy};
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

#[inline(always)]
fn access() -> usize {
    ACCESS.load(Ordering::Relaxed)
}

/// Whether what starts there is in one line at each access.
#[inline(always)]
fn is_aligned(address: usize) -> bool {
    address & (access() - 1) == 0
}

/// The elements below which nothing is looked at: more than any line holds.
pub(crate) const LONG: usize = 1024;
const _: () = assert!(LONG >= LINE * 8);

/// How many elements kernels cast in a step.
const STEP: usize = 64;
const _: () = assert!(LONG.is_multiple_of(STEP));

/// The bytes of both sides from which on a second call pays, in the L1 cache already, times those of the longest access: of
/// shorter ones fewer are in two lines. (On a Zen 4 with halves of lines, int16 to int8 of 12 KiB took 53 ns from one call,
/// its results 16 bytes past a line, and 56 ns from two; with 64 bytes an access, 8 KiB are enough.)
const LARGE: usize = LINE * (8 << 10);

/// Whether long casts of a pair may be run in two parts. Under other options than the default ones a
/// kernel's work depends on where an element stands, and is no matter of loads and stores; memcpy, which copies what has
/// both sides in one byte order, sees to its own.
pub(crate) const fn is_for(
    from: DType,
    to: DType,
    options: &Options,
    [source_swapped, results_swapped]: [bool; 2],
) -> bool {
    let copies = is_packed_copy(from, to) || is_copy(from, to) && source_swapped == results_swapped;
    options.is_default() && !copies
}

/// Whether so few elements are cast in one part whatever the pair.
#[inline(always)]
pub(crate) const fn is_short(n: usize) -> bool {
    n < LONG
}

/// The elements below which [`run`] is one call of the kernel.
pub(crate) fn below_parts(params: &Params) -> usize {
    match params.in_parts {
        true => least_large(params.from.bits() + params.to.bits(), access()).max(LONG),
        false => usize::MAX,
    }
}

/// Whether so many bits of both sides are [`LARGE`].
#[inline(always)]
const fn is_large(bits: usize, access: usize) -> bool {
    bits.saturating_mul(access) >= LARGE * 8
}

/// The fewest elements that are, of so many bits each.
const fn least_large(bits: usize, access: usize) -> usize {
    (LARGE * 8).div_ceil(bits * access)
}

/// The bytes of both sides that any last-level cache holds: so few are never streamed unless that is asked for.
const CACHED: usize = 256 << 10;

/// The most elements of a call: the bits of so many of any dtype are fewer than a word counts, so that no kernel need fear a
/// product of both. (Where a word has 32 bits, longer casts do fit memory.)
pub(crate) const MOST: usize = 1 << (usize::BITS - 8);
const _: () = assert!(MOST.is_multiple_of(8) && MOST > LONG);

/// Runs a kernel, in two parts if that takes less time.
///
/// What is asked of most casts comes first, and of few ones in functions of their own: a call of some thousand elements takes
/// but thirty nanoseconds.
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
        match n <= MOST {
            true => run_at_once(kernel, params, src, dst, n),
            false => run_in_turn(src, dst, n, params, kernel, MOST),
        }
    }
}

/// Runs a kernel for so many elements at a time.
///
/// # Safety
/// As for the kernel, see [`Kernel`]; so many elements are whole bytes on both sides.
#[cold]
#[inline(never)]
unsafe fn run_in_turn(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    kernel: Kernel,
    most: usize,
) -> usize {
    let (from, to) = (params.from.bits(), params.to.bits());
    let (mut params, mut start) = (*params, 0);
    while start < n {
        let len = most.min(n - start);
        // SAFETY: the caller's: `len` elements are left at `start`, a multiple of 8, and have room.
        let done = unsafe {
            let (src, dst) = (src.add(start / 8 * from), dst.add(start / 8 * to));
            run_at_once(kernel, &params, src, dst, len)
        };
        start += done;
        if done < len {
            break;
        }
        params.advance(len as u64);
    }
    start
}

/// As [`run`], of no more than [`MOST`] elements.
///
/// # Safety
/// As for the kernel, see [`Kernel`].
#[inline(always)]
unsafe fn run_at_once(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> usize {
    let bits = n.saturating_mul(params.from.bits() + params.to.bits());
    // SAFETY: the caller's.
    unsafe {
        if is_short(n) || !params.in_parts || !is_large(bits, access()) {
            kernel(src, dst, n, params)
        } else if bits >= CACHED * 8
            || matches!(params.stores, Stores::Streaming)
            || shifted::suits(params.from, params.to)
        {
            run_long(src, dst, n, params, kernel)
        } else if is_well(params, src, dst) {
            kernel(src, dst, n, params)
        } else {
            run_from_line(src, dst, n, params, kernel)
        }
    }
}

/// Whether the side that counts is aligned.
#[inline(always)]
fn is_well(params: &Params, src: *const u8, dst: *mut u8) -> bool {
    is_aligned(if results_count(params.from, params.to) { dst.addr() } else { src.addr() })
}

/// # Safety
/// As for the kernel, see [`Kernel`].
#[inline(never)]
unsafe fn run_long(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    kernel: Kernel,
) -> usize {
    // SAFETY: the caller's; under the default options nothing is refused, and places mean nothing.
    unsafe {
        let done = if stream::wanted(params, n) {
            stream::run(kernel, params, src, dst, n)
        } else if shifted::suits(params.from, params.to) && !is_well(params, src, dst) {
            shifted::run(kernel, params, src, dst, n)
        } else {
            None
        };
        match done {
            Some(done) => done,
            None if is_well(params, src, dst) => kernel(src, dst, n, params),
            None => run_from_line(src, dst, n, params, kernel),
        }
    }
}

/// Runs a kernel for the elements before a line, and from there on.
///
/// # Safety
/// As for the kernel, see [`Kernel`]; there are [`LONG`] elements.
#[inline(never)]
unsafe fn run_from_line(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    kernel: Kernel,
) -> usize {
    let (from, to) = (params.from.bits(), params.to.bits());
    let of_results = results_count(params.from, params.to);
    let head = head(of_results, (src.addr(), from), (dst.addr(), to));
    // SAFETY: the caller's. `head` elements are whole bytes on both sides and fewer than `LONG`, so
    // fewer than there are, and `STEP` divides that; under the default options nothing is refused.
    unsafe {
        if head > 0 {
            // In whole steps, which need no masks; what they cast of the rest is cast again to the same.
            kernel(src, dst, head.next_multiple_of(STEP), params);
        }
        let (src, dst) = (src.add(head * from / 8), dst.add(head * to / 8));
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
        let does_little = match part {
            64 => true,
            32 => matches!((from, to), (DType::Float32, DType::Float16)),
            16 => !matches!(from.kind(), Kind::Float) || matches!(to, DType::Bool),
            _ => false,
        };
        let is_stored_by_halves = part == 2 * result
            && does_little
            && from.is_complex() == to.is_complex()
            && !to.is_packed();
        let count = is_stored_by_halves || from.bits() <= to.bits();
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
    use crate::dtypes::bytes;
    use crate::options::{Overflow, Rounding};
    use crate::scalar::TABLE;

    #[test]
    fn the_fewest_large_elements_are_large_and_fewer_are_not() {
        for bits in 2..=256 {
            for access in [16, 32, 64] {
                let least = least_large(bits, access);
                assert!(is_large(least * bits, access), "{bits} bits, {access} bytes");
                assert!(!is_large((least - 1) * bits, access), "{bits} bits, {access} bytes");
            }
        }
    }

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

    /// A cast in turn, of so few elements at a time, is the cast of all of them: the draws are theirs, and of those that don't
    /// fit the first is told.
    #[test]
    fn a_cast_in_turn_is_one_cast() {
        const N: usize = 1000;
        let drawn = Options {
            rounding: Rounding::Stochastic { seed: 7 },
            first_index: u64::MAX - 300,
            ..Options::DEFAULT
        };
        let checked = Options { overflow: Overflow::Error, ..Options::DEFAULT };
        let pairs = [
            (DType::UInt4x2, DType::Float32, Options::DEFAULT),
            (DType::Float32, DType::Float8E5M2, drawn),
            (DType::Complex64, DType::Complex32, drawn),
            (DType::Float32, DType::Float6E2M3FnX4, drawn),
            (DType::Int16, DType::Int4x2, checked),
        ];
        for (from, to, options) in pairs {
            let params = Params::new(from, to, &options, &TABLE.shapes);
            let kernel = (TABLE.composed)(from, to).kernel;
            let mut src: [u8; N * 8] = core::array::from_fn(|i| (i * i % 251) as u8);
            if matches!(options.overflow, Overflow::Error) {
                src = core::array::from_fn(|i| if i == 2 * 777 { 8 } else { 0 });
            }
            let (mut whole, mut in_turn) = ([0u8; N * 8], [0u8; N * 8]);
            // SAFETY: no element has more than 8 bytes; any CPU has the instruction set.
            unsafe {
                let src = src.as_ptr();
                let count = kernel(src, whole.as_mut_ptr(), N, &params);
                assert_eq!(count, if from.bits() == 16 { 777 } else { N });
                assert_eq!(run_in_turn(src, in_turn.as_mut_ptr(), N, &params, kernel, 64), count);
                let bytes = bytes(count, to.bits());
                assert_eq!(whole[..bytes], in_turn[..bytes], "{from} to {to}");
            }
        }
    }

    #[test]
    fn results_count_where_they_are_halves_of_registers_or_larger() {
        assert!(results_count(DType::Float64, DType::Float32));
        assert!(results_count(DType::UInt64, DType::Int32));
        assert!(results_count(DType::Float32, DType::Float16));
        assert!(results_count(DType::Complex128, DType::Complex64));
        assert!(results_count(DType::Int16, DType::UInt8));
        assert!(results_count(DType::BFloat16, DType::Bool));
        assert!(results_count(DType::Float32, DType::Int32));
        assert!(results_count(DType::Int8, DType::Float64));
        assert!(!results_count(DType::Float32, DType::BFloat16));
        assert!(!results_count(DType::Float16, DType::Float8E4M3Fn));
        assert!(!results_count(DType::Float16, DType::Bool1x8));
        assert!(!results_count(DType::Float64, DType::Float16));
        assert!(!results_count(DType::Complex128, DType::Float64));
        assert!(!results_count(DType::Complex128, DType::Float32));
    }
}
