//! Long casts in parts, which may be done at once. This crate knows nothing of threads: who does know
//! hands in a [`Join`].

use super::{Kernel, Out, RunError, check};
use crate::align;
use crate::dtypes::bytes;
use crate::stream::{self, Stores};
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Does two things, one after the other or at once.
///
/// Memory is taken for written when [`join`](Self::join) has returned. No implementation in safe code, however wrong, can
/// return before both closures have: it has to answer an `A` and a `B`, of which it knows nothing, and they alone make these.
pub trait Join: Sync {
    /// In how many parts to do work that could be done in `most`, each of which reads and writes at least
    /// 256 KiB.
    fn parts(&self, most: usize) -> usize;

    /// Does both, and answers what they did. Neither is being done any more when this returns or
    /// panics.
    fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B);
}

/// One thing after the other, on the thread that asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct InOrder;

impl Join for InOrder {
    fn parts(&self, _most: usize) -> usize {
        1
    }

    fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        (a(), b())
    }
}

/// The bytes of all sides of the smallest part.
pub(crate) const SMALLEST: usize = 256 << 10;

/// What the elements of a part are a multiple of: those of whole cache lines, and of whole steps of any
/// kernel, whatever the bits of an element.
const GRAIN: usize = 512;

/// Work on elements, one after the other, that can be cut in two.
pub trait Work: Send + Sized {
    /// The work on so many elements, which are whole bytes on all sides, and that on those after them.
    fn cut(self, elements: usize) -> (Self, Self);

    /// Does the work on all `n` elements, the first of which has the index `first` in the whole, up to one that ends it.
    /// Answers how many come before that: `n` if none does.
    fn run(self, first: usize, n: usize) -> usize;
}

/// Where work is cut into parts.
#[derive(Clone, Copy, Debug)]
pub struct Cuts {
    /// How many elements there are.
    n: usize,
    /// The elements that the first part has beside its own.
    head: usize,
    /// The elements of a part; the last may have fewer.
    part: usize,
}

impl Cuts {
    /// The cuts of work on `n` elements of so many bits, on all sides together; None if it is better done in one.
    /// Each part but the last has a multiple of 8 elements.
    #[inline(always)]
    pub fn new(n: usize, bits: usize, join: &impl Join) -> Option<Self> {
        let most = n.saturating_mul(bits) / (SMALLEST * 8);
        let parts = if most > 1 { join.parts(most).min(most) } else { 1 };
        let part = || n.div_ceil(parts).next_multiple_of(GRAIN);
        (parts > 1).then(|| Self { n, head: 0, part: part() })
    }

    /// The same of what comes after so many elements, which the first part has beside its own.
    pub(super) fn after(self, head: usize) -> Self {
        Self { head: head.min(self.n), ..self }
    }

    /// Does all parts, and answers how many elements come before the first that ended one: all if none did. (The first of
    /// all that would is never left out; parts after it may be done or not.)
    pub fn run(&self, work: impl Work, join: &impl Join) -> usize {
        let ended = AtomicUsize::new(self.n);
        self.run_some(work, 0..self.count(), join, &ended);
        ended.into_inner()
    }

    /// How many parts there are.
    fn count(&self) -> usize {
        (self.n - self.head).div_ceil(self.part).max(1)
    }

    /// The first element of a part.
    fn start(&self, part: usize) -> usize {
        match part {
            0 => 0,
            // (The end of the last one may be past what a word counts.)
            _ => self.n.min(part.saturating_mul(self.part).saturating_add(self.head)),
        }
    }

    /// Does some parts, but for those after an element that is known to end one.
    fn run_some<W: Work>(
        &self,
        work: W,
        parts: Range<usize>,
        join: &impl Join,
        ended: &AtomicUsize,
    ) {
        let (first, end) = (self.start(parts.start), self.start(parts.end));
        if parts.len() > 1 {
            let middle = parts.start + parts.len() / 2;
            let (before, after) = work.cut(self.start(middle) - first);
            join.join(
                || self.run_some(before, parts.start..middle, join, ended),
                || self.run_some(after, middle..parts.end, join, ended),
            );
        } else if first < ended.load(Ordering::Relaxed) {
            let done = work.run(first, end - first);
            if done < end - first {
                ended.fetch_min(first + done, Ordering::Relaxed);
            }
        }
    }
}

impl Kernel {
    /// As [`run`](Self::run), in parts that may be cast at once if there is enough to do. They end where
    /// cache lines of the destination do, if elements can end there. Of elements that don't fit the first is told; any element
    /// may have been written then.
    pub fn run_in_parts<'a>(
        &self,
        src: &[u8],
        dst: impl Into<Out<'a>>,
        n: usize,
        join: &impl Join,
    ) -> Result<(), RunError> {
        let dst = dst.into();
        check(&self.params, src, &dst, n)?;
        // SAFETY: both sides have exactly the bytes of `n` elements, and what is borrowed shared cannot
        // overlap what is borrowed exclusively. Where the destination holds bools, bools are written.
        unsafe { self.run_parts(src.as_ptr(), dst.start, n, join) }
    }

    /// As [`run_in_parts`](Self::run_in_parts), into memory that may be uninitialised. Answers its bytes, which are not then.
    pub fn run_uninit_in_parts<'a>(
        &self,
        src: &[u8],
        dst: &'a mut [MaybeUninit<u8>],
        n: usize,
        join: &impl Join,
    ) -> Result<&'a mut [u8], RunError> {
        self.run_in_parts(src, &mut *dst, n, join)?;
        // SAFETY: these are the bytes of `n` elements, no more, or there would be an error. All have been written: each part has
        // done all of its elements, or there would be an error, too, and a kernel writes whole bytes; `run_in_parts` comes back
        // when all parts have, however a `Join` runs them, which has to answer with what they answered.
        Ok(unsafe { &mut *(ptr::from_mut(dst) as *mut [u8]) })
    }

    /// # Safety
    /// `src` is valid for reading `n` elements and `dst` for writing `n`; they don't overlap.
    pub(crate) unsafe fn run_parts(
        &self,
        src: *const u8,
        dst: *mut u8,
        n: usize,
        join: &impl Join,
    ) -> Result<(), RunError> {
        let (from, to) = (self.params.from.bits(), self.params.to.bits());
        let Some(cuts) = Cuts::new(n, from + to, join) else {
            // SAFETY: the caller's.
            return unsafe { self.run_unchecked(src, dst, n) };
        };
        let head = align::to_line((dst.addr(), to), from).unwrap_or(0);
        // Each part by itself is small, whatever the whole is.
        let kernel = self.with_stores(match stream::wanted(&self.params, n) {
            true => Stores::Streaming,
            false => Stores::Cached,
        });
        // SAFETY: the caller's; the piece is cut as work on `n` elements.
        let piece = unsafe { Piece::new(&kernel, src, dst) };
        match cuts.after(head).run(piece, join) {
            unfit if unfit < n => Err(RunError::Unfit { index: unfit }),
            _ => Ok(()),
        }
    }
}

/// A cast of elements that can be read and written: as many as it is run for, or cut off. They don't overlap, and no one
/// else uses those of the destination.
struct Piece<'a> {
    kernel: &'a Kernel,
    src: *const u8,
    dst: *mut u8,
}

// SAFETY: the pointers are used in `cut` and `run` alone, which read shared memory and write to memory that is the piece's
// only.
unsafe impl Send for Piece<'_> {}

impl<'a> Piece<'a> {
    /// # Safety
    /// Whatever the piece is run for, or cut into, are elements that are valid for reading at `src`, and for writing at `dst`.
    /// They don't overlap, and no one else uses those of `dst`.
    const unsafe fn new(kernel: &'a Kernel, src: *const u8, dst: *mut u8) -> Self {
        Self { kernel, src, dst }
    }
}

impl Work for Piece<'_> {
    fn cut(self, elements: usize) -> (Self, Self) {
        let (from, to) = (self.kernel.params.from.bits(), self.kernel.params.to.bits());
        // SAFETY: whoever made the piece has these elements in both buffers; they are whole bytes, as a head and a grain are.
        let (src, dst) =
            unsafe { (self.src.add(bytes(elements, from)), self.dst.add(bytes(elements, to))) };
        (Self { ..self }, Self { src, dst, ..self })
    }

    fn run(self, first: usize, n: usize) -> usize {
        // SAFETY: whoever made the piece has these elements on both sides.
        match unsafe { self.kernel.advanced(first as u64).run_unchecked(self.src, self.dst, n) } {
            Err(RunError::Unfit { index }) => index,
            _ => n,
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::dtypes::DType;
    use crate::options::Options;
    use crate::table::Params;
    use core::cell::RefCell;
    use std::vec;
    use std::vec::Vec;

    /// At most so many parts, one after the other.
    struct AtMost(usize);

    impl Join for AtMost {
        fn parts(&self, most: usize) -> usize {
            self.0.min(most)
        }

        fn join<A: Send, B: Send>(
            &self,
            a: impl FnOnce() -> A + Send,
            b: impl FnOnce() -> B + Send,
        ) -> (A, B) {
            InOrder.join(a, b)
        }
    }

    std::thread_local! {
        /// What kernels of this thread were called for: where either side starts, and how many elements.
        static CALLS: RefCell<Vec<(usize, usize, usize)>> = const { RefCell::new(Vec::new()) };
    }

    /// A kernel that notes what it is called for.
    unsafe fn note(src: *const u8, dst: *mut u8, n: usize, _: &Params) -> usize {
        CALLS.with_borrow_mut(|calls| calls.push((src.addr(), dst.addr(), n)));
        n
    }

    /// A dtype for each number of bits that an element may have.
    const SIZES: [DType; 9] = [
        DType::UInt1x8,
        DType::UInt2x4,
        DType::UInt4x2,
        DType::Float6E2M3FnX4,
        DType::UInt8,
        DType::UInt16,
        DType::UInt32,
        DType::UInt64,
        DType::Complex128,
    ];

    fn pairs() -> impl Iterator<Item = (DType, DType)> {
        SIZES.into_iter().flat_map(|from| SIZES.map(|to| (from, to)))
    }

    /// Elements that are no multiple of anything, and enough for so many parts.
    fn enough(parts: usize, bits: usize) -> usize {
        parts * (SMALLEST * 8).div_ceil(bits) + 77
    }

    /// Wherever the destination starts, and however many bits an element has on either side.
    #[test]
    fn parts_start_on_lines_of_the_destination_if_elements_do() {
        let mut on_lines = 0;
        for (from, to) in pairs() {
            let bits = from.bits() + to.bits();
            let n = enough(3, bits);
            let (read, written) = (from.bytes_for(n).unwrap(), to.bytes_for(n).unwrap());
            let (src, mut dst) = (vec![0; read], vec![0; written + 64]);
            let mut kernel = Kernel::new(from, to, &Options::DEFAULT);
            // (Of a part by itself nothing is streamed or aligned.)
            (kernel.kernel, kernel.params.in_parts) = (note, false);
            for offset in 0..64 {
                let out = &mut dst[offset..][..written];
                let (src_start, dst_start) = (src.as_ptr().addr(), out.as_ptr().addr());
                assert_eq!(kernel.run_in_parts(&src, out, n, &AtMost(3)), Ok(()));
                let calls = CALLS.take();
                assert_eq!(calls.len(), 3, "{from} to {to}, {offset}");
                // The elements before the first line, if it starts with one that starts a byte of the source, too.
                let gap = 8 * (dst_start.next_multiple_of(64) - dst_start);
                let head = (gap % to.bits() == 0).then_some(gap / to.bits());
                let head = head.filter(|n| (n * from.bits()).is_multiple_of(8));
                on_lines += usize::from(head.is_some() && gap > 0);
                let mut done = 0;
                for (i, (src, dst, len)) in calls.into_iter().enumerate() {
                    let about = std::format!("{from} to {to}, {offset}: part {i}");
                    // Each starts with the element after the last one of the part before, which starts a byte.
                    assert_eq!(8 * (src - src_start), done * from.bits(), "{about}");
                    assert_eq!(8 * (dst - dst_start), done * to.bits(), "{about}");
                    if i > 0 {
                        assert!(head.is_none() || dst.is_multiple_of(64), "{about} at {dst:#x}");
                        let steps = done - head.unwrap_or(0);
                        assert!(steps.is_multiple_of(GRAIN), "{about} after {done}");
                    }
                    done += len;
                }
                assert_eq!(done, n, "{from} to {to}, {offset}");
            }
        }
        assert!(on_lines > 1000, "{on_lines}");
    }

    /// As many parts as there may be have at least so many bytes each, of all sides, and none has many more than another.
    #[test]
    fn parts_are_of_bytes() {
        for (from, to) in pairs() {
            let bits = from.bits() + to.bits();
            let least = (2 * SMALLEST * 8).div_ceil(bits);
            assert!(Cuts::new(least, bits, &AtMost(9)).is_some(), "{from} to {to}");
            assert!(Cuts::new(least - 1, bits, &AtMost(9)).is_none(), "{from} to {to}");
            assert!(Cuts::new(least, bits, &AtMost(1)).is_none(), "{from} to {to}");
            for (parts, most) in [(2, 2), (5, 5), (12, 7), (100, usize::MAX)] {
                let n = enough(parts, bits);
                let cuts = Cuts::new(n, bits, &AtMost(most)).unwrap();
                let (count, about) = (cuts.count(), std::format!("{from} to {to}, {parts} parts"));
                // (Parts of whole steps can be fewer.)
                assert!(count <= parts.min(most), "{about}: {count}");
                assert!(cuts.part * bits >= SMALLEST * 8, "{about}");
                assert!(cuts.part * parts.min(most) < n + parts * GRAIN, "{about}: {}", cuts.part);
            }
        }
        // (Bits may be more than a word counts.)
        assert!(Cuts::new(usize::MAX / 256 + 1, 256, &AtMost(9)).is_some());
    }

    #[test]
    fn the_last_part_ends_with_the_elements_however_many_they_are() {
        for (n, head) in [(usize::MAX, 0), (usize::MAX, 504), (usize::MAX - 511, 8), (10_000, 8)] {
            let part = n.div_ceil(16).next_multiple_of(GRAIN);
            let cuts = Cuts { n, head: 0, part }.after(head);
            let ends = (0..=cuts.count()).map(|part| cuts.start(part));
            assert!(ends.is_sorted_by(|a, b| a < b), "{n}, {head}");
            assert_eq!((cuts.start(0), cuts.start(cuts.count())), (0, n), "{head}");
        }
    }
}
