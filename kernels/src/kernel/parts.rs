//! Long casts in parts, which may be done at once. This crate knows nothing of threads: who does know
//! hands in a [`Join`].

use super::{Kernel, Out, RunError, check};
use crate::align;
use crate::dtypes::bytes;
use crate::stream::{self, Stores};
use core::ops::Range;
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

/// The bytes of both sides of the smallest part.
pub(crate) const SMALLEST: usize = 256 << 10;

/// What the elements of a part are a multiple of: those of whole cache lines, and of whole steps of any
/// kernel, whatever the bits of an element.
const GRAIN: usize = 512;

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
        let most = n.saturating_mul(from + to) / (SMALLEST * 8);
        let parts = if most > 1 { join.parts(most).min(most) } else { 1 };
        if parts <= 1 {
            // SAFETY: the caller's.
            return unsafe { self.run_unchecked(src, dst, n) };
        }
        let head = align::to_line((dst.addr(), to), from).unwrap_or(0).min(n);
        let part = n.div_ceil(parts).next_multiple_of(GRAIN);
        // Each part by itself is small, whatever the whole is.
        let kernel = self.with_stores(match stream::wanted(&self.params, n) {
            true => Stores::Streaming,
            false => Stores::Cached,
        });
        let cast = Parts { kernel, src, dst, n, head, part, join, unfit: AtomicUsize::new(n) };
        // SAFETY: the caller's, for all parts.
        unsafe { cast.run(0..(n - head).div_ceil(part).max(1)) };
        match cast.unfit.into_inner() {
            unfit if unfit < n => Err(RunError::Unfit { index: unfit }),
            _ => Ok(()),
        }
    }
}

/// A cast that is done in parts.
struct Parts<'a, J> {
    kernel: Kernel,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    /// The elements before the first that starts a line of the destination: the first part has them
    /// beside its own.
    head: usize,
    /// The elements of a part; the last may have fewer.
    part: usize,
    join: &'a J,
    /// The first element known not to fit; else how many there are.
    unfit: AtomicUsize,
}

// SAFETY: the pointers are used in `cast` alone, which reads shared memory and writes to memory that is
// its part's only.
unsafe impl<J: Sync> Sync for Parts<'_, J> {}

impl<J: Join> Parts<'_, J> {
    /// Casts some parts.
    ///
    /// # Safety
    /// `src` is valid for reading and `dst` for writing the elements of these parts; they don't overlap,
    /// and no one else uses those of `dst`.
    unsafe fn run(&self, parts: Range<usize>) {
        if parts.len() > 1 {
            let middle = parts.start + parts.len() / 2;
            let (first, second) = (parts.start..middle, middle..parts.end);
            // SAFETY: the caller's; no element is in both. (When this returns both are done, see `Join`.)
            self.join.join(|| unsafe { self.run(first) }, || unsafe { self.run(second) });
        } else {
            // SAFETY: the caller's.
            unsafe { self.cast(self.start(parts.start)..self.start(parts.end)) };
        }
    }

    /// The first element of a part.
    fn start(&self, part: usize) -> usize {
        match part {
            0 => 0,
            // (The end of the last one may be past what a word counts.)
            _ => self.n.min(part.saturating_mul(self.part).saturating_add(self.head)),
        }
    }

    /// Casts the elements of a part, unless one before them is known not to fit. (So the first of all
    /// that don't is never left out.)
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn cast(&self, range: Range<usize>) {
        if range.start >= self.unfit.load(Ordering::Relaxed) {
            return;
        }
        let kernel = self.kernel.advanced(range.start as u64);
        let (from, to) = (kernel.params.from.bits(), kernel.params.to.bits());
        // SAFETY: the caller's. A head and a grain are whole bytes on both sides.
        let result = unsafe {
            let src = self.src.add(bytes(range.start, from));
            let dst = self.dst.add(bytes(range.start, to));
            kernel.run_unchecked(src, dst, range.len())
        };
        if let Err(RunError::Unfit { index }) = result {
            self.unfit.fetch_min(range.start + index, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtypes::DType;
    use crate::options::Options;

    #[test]
    fn the_last_part_ends_with_the_elements_however_many_they_are() {
        let kernel = Kernel::new(DType::UInt1x8, DType::UInt1x8, &Options::DEFAULT);
        let (src, dst) = (core::ptr::null(), core::ptr::null_mut());
        for (n, head) in [(usize::MAX, 0), (usize::MAX, 504), (usize::MAX - 511, 8), (10_000, 8)] {
            let part = n.div_ceil(16).next_multiple_of(GRAIN);
            let (join, unfit) = (&InOrder, AtomicUsize::new(n));
            let parts = Parts { kernel, src, dst, n, head, part, join, unfit };
            let count = (n - head).div_ceil(part);
            let ends = (0..=count).map(|part| parts.start(part));
            assert!(ends.is_sorted_by(|a, b| a < b), "{n}, {head}");
            assert_eq!((parts.start(0), parts.start(count)), (0, n), "{head}");
        }
    }
}
