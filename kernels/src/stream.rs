//! Results that go past the caches.
//!
//! A store to memory that is in no cache reads it first. Where the results are far more than the caches
//! hold, this is a third or half of all that is moved, in vain: stores that stream write whole lines to
//! memory without. In a cache they would be in the way: they push out what is there, and who reads the
//! results next finds them far away. So they are used only where both sides together are larger than the
//! last-level cache, whose size the CPU tells.
//!
//! Kernels don't know of this. They store into a buffer in the L1 cache, which is streamed from there, so
//! that any pair can. (What is turned over after it is cast, of a transposed matrix, is [streamed](crate::strided) as it is
//! written where it belongs.) Pairs whose results are a small part of all that is moved save less by it than it
//! takes; [`wanted`] leaves them out.

use crate::align::{self, LINE};
use crate::buffer::Buffer;
use crate::dtypes::{DType, bytes};
use crate::table::{Kernel, Params};

/// How a long cast writes its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stores {
    /// Past the caches if they are too large for them.
    #[default]
    Auto,
    /// Past the caches if the pair can, and there are some KiB of results and source.
    Streaming,
    /// Through the caches.
    Cached,
}

/// The bytes of a piece's results on their way, at most, and of its source, at most if that makes whole lines of results.
///
/// Many pairs go by several loops, which few elements take as long to enter as to go through. On a Zen 5, casts of 64 MiB took
/// 0.91 times as long so on AVX-512, and 0.88 times on AVX2, in geometric mean, as with 1 KiB of the source and 2 KiB of
/// results, and down to 0.4 times between complex and real numbers and to packed ones; with twice as much as here 0.99 and
/// 1.02 times.
const BUFFER: usize = 4 << 10;

/// How many elements are streamed at once.
///
/// While they are, source is fetched for others: how far ahead, [`cpu::ahead`] says.
const fn piece(from: usize, to: usize) -> usize {
    // So many elements are whole cache lines, and no fewer are.
    let grain = 512 >> if to.trailing_zeros() < 9 { to.trailing_zeros() } else { 9 };
    let piece = BUFFER * 8 / if from > to { from } else { to };
    if piece < grain { grain } else { piece / grain * grain }
}

/// Of whatever pair, a piece is whole bytes of the source and whole lines of results, which fit the buffer.
const _: () = {
    let mut i = 0;
    while i < DType::COUNT * DType::COUNT {
        let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
        let (piece, to) = (piece(from.bits(), to.bits()), to.bits());
        assert!(piece > 0 && piece % 8 == 0 && piece * to % 512 == 0 && piece * to <= BUFFER * 8);
        i += 1;
    }
};

/// Whether so many bytes are more than half of what the last-level cache holds, as far as the CPU tells that.
pub(crate) fn fill_half_a_cache(bytes: usize) -> bool {
    bytes > cpu::last_level_cache() / 2
}

/// Whether the results of so many elements are to be streamed. Where they are less than a ninth of all
/// that is moved, as from float64 to two to a byte, the way through a buffer takes about what it saves.
#[inline]
pub(crate) fn wanted(params: &Params, n: usize) -> bool {
    let (from, to) = (params.from.bits(), params.to.bits());
    match params.stores {
        _ if !cpu::AVAILABLE => false,
        Stores::Auto => {
            let bytes = n.saturating_mul(from + to) / 8;
            9 * to >= from + to && bytes > cpu::last_level_cache()
        }
        Stores::Streaming => true,
        Stores::Cached => false,
    }
}

/// Runs a kernel whose results are streamed; None if the destination's lines don't start with elements.
///
/// # Safety
/// As for the kernel, see [`Kernel`]; it refuses nothing, and the place of an element makes no difference.
pub(crate) unsafe fn run(
    kernel: Kernel,
    params: &Params,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> Option<usize> {
    let (from, to) = (params.from.bits(), params.to.bits());
    let head = align::to_line((dst.addr(), to), from)?.min(n);
    let (piece, ahead) = (piece(from, to), cpu::ahead());
    let whole = (n - head) / piece * piece;
    let mut buffer = Buffer::<BUFFER>::new();
    // SAFETY: the caller's. The head and a piece are whole bytes on both sides; a piece fits the
    // buffer, and its bytes are whole lines, which start where the destination's do.
    unsafe {
        let at = |i: usize| (src.add(bytes(i, from)), dst.add(bytes(i, to)));
        kernel(src, dst, head, params);
        let (read, written) = (bytes(piece, from), bytes(piece, to));
        for i in (head..head + whole).step_by(piece) {
            let (src, dst) = at(i);
            kernel(src, buffer.start(), piece, params);
            cpu::stream(Lines {
                src: buffer.start(),
                dst,
                bytes: written,
                next: src.wrapping_add(read + ahead),
                ahead: read.max(LINE),
            });
        }
        let (src, dst) = at(head + whole);
        kernel(src, dst, n - head - whole, params);
    }
    fence();
    Some(n)
}

pub(crate) use cpu::{expect, fence};

/// Lines to be streamed from `src` to `dst`, so many bytes, while `ahead` others are fetched from `next` on, if they are there.
///
/// `src` is to be valid for reading and `dst` for writing the bytes, a multiple of 64; both are to be addresses of lines, and not
/// to overlap. (`next` may be any address.)
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Where they are streamed.
struct Lines {
    src: *const u8,
    dst: *mut u8,
    bytes: usize,
    next: *const u8,
    ahead: usize,
}

#[cfg(target_arch = "x86_64")]
mod cpu {
    use super::Lines;
    use crate::align::LINE;
    use crate::cores::Core;
    use crate::cpuid::ask;
    use core::arch::x86_64::{
        __m128i, __m256i, _MM_HINT_T0, _mm_load_si128, _mm_prefetch, _mm_sfence, _mm_stream_si128,
        _mm256_load_si256, _mm256_stream_si256,
    };
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    pub(super) const AVAILABLE: bool = true;

    /// Whether the level in use has registers of 32 bytes or more.
    static WIDE: AtomicBool = AtomicBool::new(false);

    /// Sets whether a line is streamed by two stores rather than four, which makes a difference to time only. (While it waits for
    /// stores, a cast that calculates for long can't. Of 64 MiB, casts take a Zen 5 0.98 times as long so on AVX2, in geometric
    /// mean, and 403 of 1829 pairs longer than through the caches, not 528.)
    ///
    /// # Safety
    /// Two only if the CPU has AVX.
    pub(crate) unsafe fn expect(wide: bool) {
        WIDE.store(wide, Ordering::Relaxed);
    }

    /// How far past the end of a piece's source lies what is fetched while the piece is streamed.
    ///
    /// A Zen 4 fetches the next piece's. With 8 KiB in between, casts of 64 MiB and more took it 1.24 times as long on AVX-512,
    /// and 1.23 times on AVX2, in geometric mean: for one in two pairs longer than through the
    /// caches. (A Zen 3, on which neither was measured, has an L1 cache of the same size and ways.)
    ///
    /// On a Zen 5, 8 KiB are about as much as memory delivers before the first of it arrives: casts of 128 MiB to results half or
    /// a quarter as wide took 0.78 to 0.88 times as long so as with the next piece's, and to wider ones as long; with three times
    /// as much ahead they took 0.95 to 1.1 times what they did so.
    pub(super) fn ahead() -> usize {
        match Core::this() {
            Core::Zen3 | Core::Zen4 => 0,
            Core::Zen5 | Core::Any => 8 << 10,
        }
    }

    /// Streams lines.
    ///
    /// # Safety
    /// As [`Lines`] says.
    pub(super) unsafe fn stream(lines: Lines) {
        // SAFETY: the caller's. `WIDE` is only ever set to true where the CPU has AVX, whatever thread did so.
        unsafe {
            match WIDE.load(Ordering::Relaxed) {
                true => stream_wide(lines),
                false => stream_narrow(lines),
            }
        }
    }

    /// The same by registers of 16 bytes.
    ///
    /// # Safety
    /// As for [`stream`].
    pub(super) unsafe fn stream_narrow(lines: Lines) {
        // SAFETY: the caller's; every x86-64 CPU has these instructions, and a line is four registers.
        unsafe {
            stream_each(lines, |src, dst| {
                let (src, dst) = (src.cast::<__m128i>(), dst.cast::<__m128i>());
                for i in 0..4 {
                    _mm_stream_si128(dst.add(i), _mm_load_si128(src.add(i)));
                }
            });
        }
    }

    /// The same by registers of 32 bytes.
    ///
    /// # Safety
    /// As for [`stream`]; the CPU has AVX.
    #[target_feature(enable = "avx")]
    pub(super) unsafe fn stream_wide(lines: Lines) {
        // SAFETY: the caller's; a line is two registers.
        unsafe {
            stream_each(lines, |src, dst| {
                let (src, dst) = (src.cast::<__m256i>(), dst.cast::<__m256i>());
                for i in 0..2 {
                    _mm256_stream_si256(dst.add(i), _mm256_load_si256(src.add(i)));
                }
            });
        }
    }

    /// The same, given what streams a line.
    ///
    /// # Safety
    /// As for [`stream`]; `line` reads no more than a line of the source, and writes no more than one of the destination.
    #[inline(always)]
    unsafe fn stream_each(lines: Lines, line: impl Fn(*const u8, *mut u8)) {
        // (In registers, as nothing that is streamed changes them.)
        let Lines { src, dst, bytes, next, ahead } = lines;
        let (mut fetched, mut due) = (0, 0);
        for start in (0..bytes).step_by(LINE) {
            // A line's share of what is ahead.
            due += ahead;
            while due >= bytes {
                due -= bytes;
                // SAFETY: every x86-64 CPU has the instruction. To fetch what isn't there does nothing.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(fetched).cast()) };
                fetched += LINE;
            }
            // SAFETY: the caller's: a line is left on both sides.
            unsafe { line(src.add(start), dst.add(start)) };
        }
    }

    /// Orders what was streamed before all stores to come, as other stores are by themselves.
    pub(crate) fn fence() {
        // SAFETY: every x86-64 CPU has the instruction.
        unsafe { _mm_sfence() };
    }

    /// What is taken for the size of the last-level cache where the CPU tells of none.
    const UNKNOWN: usize = 32 << 20;

    /// The bytes of the last-level cache.
    pub(super) fn last_level_cache() -> usize {
        static KNOWN: AtomicUsize = AtomicUsize::new(0);
        match KNOWN.load(Ordering::Relaxed) {
            0 => {
                let bytes = asked();
                KNOWN.store(bytes, Ordering::Relaxed);
                bytes
            }
            known => known,
        }
    }

    /// Asks the CPU, some times.
    #[cold]
    fn asked() -> usize {
        let amd = {
            let known = ask(0x8000_0000, 0).eax >= 0x8000_001d;
            // Whether the leaf is there at all ("topology extensions").
            known && ask(0x8000_0001, 0).ecx & 1 << 22 != 0
        };
        let leaf = if amd {
            0x8000_001d
        } else if ask(0, 0).eax >= 4 {
            4
        } else {
            return UNKNOWN;
        };
        // Each subleaf is a cache, until one whose type is 0; type 2 is for instructions.
        let caches = (0..16).map(|i| ask(leaf, i)).take_while(|id| id.eax & 31 != 0);
        let sizes = caches.filter(|id| id.eax & 31 != 2).map(|id| {
            let (ways, partitions) = (id.ebx >> 22 & 0x3ff, id.ebx >> 12 & 0x3ff);
            let (line, sets) = (id.ebx & 0xfff, id.ecx);
            [ways, partitions, line, sets].iter().fold(1usize, |bytes, &part| {
                bytes.saturating_mul((part as usize).saturating_add(1))
            })
        });
        sizes.max().unwrap_or(UNKNOWN)
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod cpu {
    use super::Lines;

    pub(super) const AVAILABLE: bool = false;

    /// # Safety
    /// None: it does nothing.
    pub(crate) unsafe fn expect(_wide: bool) {}

    pub(super) const fn ahead() -> usize {
        0
    }

    /// # Safety
    /// None: it does nothing.
    pub(super) unsafe fn stream(_lines: Lines) {}

    pub(crate) const fn fence() {}

    pub(super) const fn last_level_cache() -> usize {
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::options::{Options, Overflow, Rounding};
    use crate::scalar::TABLE;
    use core::cell::RefCell;
    use std::vec;
    use std::vec::Vec;

    fn params(from: DType, to: DType, options: &Options, stores: Stores) -> Params {
        Params { stores, ..Params::new(from, to, options, &TABLE.shapes) }
    }

    /// Whether it is left to how much there is.
    fn is_wanted(from: DType, to: DType, n: usize) -> bool {
        wanted(&params(from, to, &Options::DEFAULT, Stores::Auto), n)
    }

    #[test]
    fn what_the_cache_does_not_hold_is_streamed() {
        use DType::*;
        let cache = cpu::last_level_cache();
        assert!(cache > 4096, "{cache} bytes");
        for (from, to) in [(UInt8, Float32), (Float32, Float16), (Int4x2, Complex128), (Bool, Bool)]
        {
            // As many as there can be in the cache, of whole bytes of both sides.
            let bits = from.bits() + to.bits();
            let most = (cache.saturating_mul(8).saturating_add(7)) / bits;
            for n in [0, 1, most / 2, most - 1, most] {
                assert!(!is_wanted(from, to, n), "{n} from {from} to {to}");
            }
            // (The last but one of these has more bits than a word counts.)
            for n in [most + 1, 2 * most, usize::MAX / bits + 2, usize::MAX] {
                assert_eq!(is_wanted(from, to, n), cpu::AVAILABLE, "{n} from {from} to {to}");
            }
        }
    }

    #[test]
    fn results_that_are_little_of_what_is_moved_are_not_streamed() {
        use DType::*;
        let ninth = [
            (Float64, Int8),
            (Complex128, Float16),
            (Float32, Int4x2),
            (Float16, UInt2x4),
            (UInt8, Bool1x8),
        ];
        let less = [
            (Float64, Float6E2M3FnX4),
            (Complex128, Int8),
            (Float32, Int2x4),
            (Float16, Bool1x8),
            (Complex64, Float4E2M1FnX2),
        ];
        for (from, to) in ninth {
            assert_eq!(is_wanted(from, to, usize::MAX), cpu::AVAILABLE, "{from} to {to}");
        }
        for (from, to) in less {
            assert!(!is_wanted(from, to, usize::MAX), "{from} to {to}");
        }
    }

    #[test]
    fn half_a_cache_is_not_filled_by_as_much() {
        let half = cpu::last_level_cache() / 2;
        assert!(!fill_half_a_cache(half) && fill_half_a_cache(half + 1));
    }

    /// Whatever the pair, and however few.
    #[test]
    fn what_is_asked_for_is_done() {
        for (from, to) in [(DType::Float32, DType::Float16), (DType::Complex128, DType::Int1x8)] {
            let asked = |stores, n| wanted(&params(from, to, &Options::DEFAULT, stores), n);
            assert_eq!(asked(Stores::Streaming, 1), cpu::AVAILABLE);
            assert!(!asked(Stores::Cached, usize::MAX));
        }
    }

    /// By halves of lines or by quarters, and nothing beside them.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn lines_are_streamed_as_they_are() {
        #[repr(align(64))]
        #[derive(Clone, Copy, PartialEq, Debug)]
        struct Line([u8; LINE]);
        let src: Vec<Line> =
            (0..8u8).map(|i| Line(core::array::from_fn(|k| i ^ k as u8))).collect();
        let untouched = Line([0xee; LINE]);
        let has_avx = std::is_x86_feature_detected!("avx");
        for wide in [false, true].into_iter().filter(|wide| has_avx || !wide) {
            for lines in 0..=6 {
                let mut dst = vec![untouched; 8];
                let (from, to) = (src.as_ptr().cast(), dst[1..].as_mut_ptr().cast());
                let bytes = lines * LINE;
                let streamed = Lines { src: from, dst: to, bytes, next: from, ahead: bytes };
                let stream = if wide { cpu::stream_wide } else { cpu::stream_narrow };
                // SAFETY: both sides have so many lines; the CPU has AVX where that is used.
                unsafe { stream(streamed) };
                fence();
                let expected = [&[untouched], &src[..lines], &[untouched; 8][lines + 1..]].concat();
                assert_eq!(dst, expected, "{lines} lines, wide: {wide}");
            }
        }
    }

    std::thread_local! {
        /// Where kernels of this thread were to write, and how many elements.
        static CALLS: RefCell<Vec<(usize, usize)>> = const { RefCell::new(Vec::new()) };
    }

    /// A kernel that notes where it is to write, and writes zeros.
    unsafe fn note(_: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
        CALLS.with_borrow_mut(|calls| calls.push((dst.addr(), n)));
        // SAFETY: so many elements can be written.
        unsafe { dst.write_bytes(0, bytes(n, params.to.bits())) };
        n
    }

    /// Pieces go through a buffer under the default options alone: under others they would not have their places. What is a
    /// copy is one.
    #[test]
    fn only_casts_under_the_default_options_are_streamed() {
        use DType::*;
        const N: usize = 5000;
        let rounded = Options { rounding: Rounding::Up, ..Options::DEFAULT };
        let drawn = Options { rounding: Rounding::Stochastic { seed: 1 }, ..Options::DEFAULT };
        let checked = Options { overflow: Overflow::Error, ..Options::DEFAULT };
        let cases = [
            (Float32, Float16, Options::DEFAULT, cpu::AVAILABLE),
            (Float32, Float16, rounded, false),
            (Float32, Float16, drawn, false),
            (Float32, UInt8, checked, false),
            (Float32, Float32, Options::DEFAULT, false),
            // What makes no difference to a pair is no other option.
            (UInt8, Float32, checked, cpu::AVAILABLE),
        ];
        for (from, to, options, streams) in cases {
            let params = params(from, to, &options, Stores::Streaming);
            let (src, mut dst) = (vec![0u8; 4 * N], vec![0u8; 4 * N]);
            let (start, memory) = (dst.as_mut_ptr(), dst.as_ptr().addr());
            // SAFETY: no element has more than 4 bytes.
            let done = unsafe { align::run(note, &params, src.as_ptr(), start, N) };
            assert_eq!(done, N);
            let calls = CALLS.take();
            let is_elsewhere = |&(at, _): &(usize, usize)| !(memory..memory + 4 * N).contains(&at);
            assert_eq!(calls.iter().any(is_elsewhere), streams, "{from} to {to}, {options:?}");
            if !params.in_parts {
                assert_eq!(calls, [(memory, N)], "{from} to {to}, {options:?}");
            }
        }
    }
}
