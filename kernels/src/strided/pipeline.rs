//! Large matrices turned over: while a block is scattered, the next is cast, and lines of what comes after it are fetched.
//!
//! What takes longest is to read rows that lie far apart, in pieces so short that the CPU hardly sees before they end that more
//! follows. A core waits for some dozens of lines at a time: more of them, asked for at once, hold up what comes after them, and
//! memory rests while none is asked for. So a few are asked for at a time, between squares that are turned over. On a Zen 5 a
//! matrix of 4096 x 4096 went from float32 to float16 in 0.63 of the speed of a cast of as many that lie one after the other,
//! and in 0.43 where each block was cast and then scattered.

use super::moves::{Far, is_streamed, turn_over};
use super::plan::{Axis, Plan, for_each_place};
use super::transpose::{REGISTER, bring_near};
use super::{Outcome, ROW, Runs};
use crate::align::LINE;
use crate::buffer::Buffer;
use crate::stream::{fence, fill_half_a_cache};
use alloc::vec::Vec;
use core::iter::once;
use core::ops::Range;

/// The bytes of a block's results, at most.
const BLOCK: usize = 64 << 10;

/// The bytes of them that go to each row of the destination: lines one after the other, as memory takes them best. (With 512
/// of the elements of 2 bytes, of which the source's pieces are half as long then, a Zen 5 took 1.2 times as long; with 256 of
/// larger ones 1.15 to 1.25 times.)
const fn run(to: usize) -> usize {
    if to < 4 { 256 } else { 512 }
}

/// The bytes left free after a row of a block: of rows that lie a power of two apart the L1 cache has room for a few only.
const GAP: usize = REGISTER;

/// In how many steps a block is cast, and another scattered.
const STEPS: usize = 16;

/// How many steps before they are cast rows are fetched.
const AHEAD: usize = 2;

/// What matrices are cast with.
pub(super) struct Pipeline<'a> {
    runs: Runs<'a>,
    /// The bytes of an element.
    from: usize,
    to: usize,
    /// Along rows the destination has its elements one after the other, along columns the source has.
    rows: Axis,
    cols: Axis,
    /// Their places among the plan's axes.
    matrix: [Option<usize>; 2],
    /// The most rows and columns of a block.
    most: [usize; 2],
    /// Two blocks of results, with gaps between rows: one that is cast, and one that is scattered.
    results: Vec<Buffer<LINE>>,
    /// Which of them is cast.
    cast: usize,
}

/// Rows and columns that are cast at once.
#[derive(Clone, Copy)]
struct Block {
    src: *const u8,
    dst: *mut u8,
    rows: usize,
    cols: usize,
}

impl<'a> Pipeline<'a> {
    /// That of a plan, if it is one of matrices that are turned over, so large that it pays, and there is memory for it.
    pub(super) fn new(plan: &Plan, dst: *const u8, runs: Runs<'a>) -> Option<Self> {
        let bytes = plan.elements().saturating_mul(plan.from.bits() + plan.to.bits()) / 8;
        if !(runs.streams || fill_half_a_cache(bytes)) {
            return None;
        }
        let [row_axis, col_axis] = turned(plan)?;
        let (from, to) = (plan.from.size()?, plan.to.size()?);
        let (rows, cols) = (plan.axes()[row_axis], plan.axes()[col_axis]);
        let pays = runs.streams && is_aligned(plan, row_axis, dst)
            || pays_through_caches([from, to], runs.streams);
        if !pays || rows.len * to < LINE || cols.len < ROW {
            return None;
        }
        let most_rows = (run(to) / to).min(rows.len);
        let most_cols = ((BLOCK / to / most_rows) & !(ROW - 1)).min(cols.len);
        let (matrix, most) = ([Some(row_axis), Some(col_axis)], [most_rows, most_cols]);
        let mut pipeline =
            Self { runs, from, to, rows, cols, matrix, most, results: Vec::new(), cast: 0 };
        let lines = (2 * pipeline.block_bytes()).div_ceil(LINE);
        pipeline.results.try_reserve_exact(lines).ok()?;
        Some(pipeline)
    }

    /// Casts the elements of the plan.
    ///
    /// # Safety
    /// As for [`Kernel::run_layouts`](super::Kernel), of these; the addresses are those of the views' first elements.
    pub(super) unsafe fn cast(&mut self, plan: &Plan, src: *const u8, dst: *mut u8) -> Outcome {
        let whole = for_each_place(plan.axes(), self.matrix, plan.first, |place| {
            // SAFETY: the caller's: the places along the outer axes are within them.
            unsafe { self.blocks(src.offset(place.src), dst.offset(place.dst)) }
        });
        fence();
        self.runs.outcome(whole)
    }

    /// Casts the elements of all rows and columns. Answers whether all fit; if one does not, others are not written.
    ///
    /// # Safety
    /// As for [`cast`](Self::cast), of a matrix whose first elements are here.
    unsafe fn blocks(&mut self, src: *const u8, dst: *mut u8) -> bool {
        let [most_rows, most_cols] = self.most;
        let [rows, cols] = [self.rows, self.cols];
        // The destination's first rows end with a line, so that those of the following blocks start with one.
        let first = (dst.addr().wrapping_neg() % LINE / self.to).min(rows.len);
        let others = (first..rows.len).step_by(most_rows);
        let others = others.map(|row| row..rows.len.min(row + most_rows));
        let ranges = once(0..first).filter(|first| !first.is_empty()).chain(others);
        let mut blocks = ranges.flat_map(|range| {
            (0..cols.len).step_by(most_cols).map(move |col| Block {
                // (Offsets of elements that there are.)
                src: src.wrapping_offset(range.start as isize * rows.src + col as isize * cols.src),
                dst: dst.wrapping_offset(range.start as isize * rows.dst + col as isize * cols.dst),
                rows: range.len(),
                cols: most_cols.min(cols.len - col),
            })
        });
        let (mut scattered, mut next) = (None, blocks.next());
        while let Some(block) = next {
            next = blocks.next();
            for step in 0..STEPS {
                let mut lines = self.lines(block, next, step + AHEAD);
                // SAFETY: the caller's; what is scattered has been cast into the other buffer.
                unsafe {
                    if let Some(block) = scattered {
                        self.scatter(block, step, &mut lines);
                    }
                    lines.bring_near(usize::MAX);
                    if !self.cast_rows(block, step) {
                        return false;
                    }
                }
            }
            scattered = Some(block);
            self.cast = 1 - self.cast;
        }
        if let Some(block) = scattered {
            // SAFETY: as before.
            (0..STEPS).for_each(|step| unsafe { self.scatter(block, step, &mut Lines::none()) });
        }
        true
    }

    /// The bytes from a row of a block of results to the next.
    const fn row_bytes(&self) -> usize {
        self.most[1] * self.to + GAP
    }

    const fn block_bytes(&self) -> usize {
        self.most[0] * self.row_bytes()
    }

    /// Where the first or the second block of results is.
    fn block(&mut self, which: usize) -> *mut u8 {
        debug_assert!(which < 2);
        let bytes = which * self.block_bytes();
        // SAFETY: there is room for two blocks; `cast` is 0 or 1, and 1 less it is the other one.
        unsafe { self.results.as_mut_ptr().cast::<u8>().add(bytes) }
    }

    /// The lines of those rows of the source that are cast in a step of a block or, counted on, of the next.
    fn lines(&self, block: Block, next: Option<Block>, step: usize) -> Lines {
        let (block, step) = match (step.checked_sub(STEPS), next) {
            (None, _) => (block, step),
            (Some(step), Some(next)) => (next, step),
            (Some(_), None) => return Lines::none(),
        };
        let rows = share(block.rows, step);
        let row = block.src.wrapping_offset(rows.start as isize * self.rows.src);
        Lines::new(row, self.rows.src, rows.len(), block.cols * self.from)
    }

    /// Casts those rows of a block that are cast in a step. Answers whether all elements fit.
    ///
    /// # Safety
    /// As for [`blocks`](Self::blocks), of the block, which is at most as large as one may be.
    unsafe fn cast_rows(&mut self, block: Block, step: usize) -> bool {
        let (results, row_bytes) = (self.block(self.cast), self.row_bytes());
        share(block.rows, step).all(|row| {
            // SAFETY: the caller's: the row is the block's. There is room for as many rows and columns as a block may have, and
            // nothing else lies there.
            unsafe {
                let src = block.src.offset(row as isize * self.rows.src);
                let dst = results.add(row * row_bytes);
                self.runs.cast(src, dst, block.cols, 0) == block.cols
            }
        })
    }

    /// Scatters those columns of a block that are scattered in a step, while lines come near.
    ///
    /// # Safety
    /// As for [`blocks`](Self::blocks), of the block, which has been cast before the one that is cast now.
    unsafe fn scatter(&mut self, block: Block, step: usize, lines: &mut Lines) {
        let side = REGISTER / self.to;
        let squares = share(block.cols.div_ceil(side), step);
        let cols = squares.start * side..(squares.end * side).min(block.cols);
        // (A block of the first rows, up to where the destination has a line's end, has no whole line.)
        let far = match self.runs.streams && is_streamed(block.dst, self.cols.dst) {
            true => Far::Memory,
            false => Far::Destination,
        };
        let by_lines = matches!(far, Far::Memory) && block.rows * self.to >= LINE;
        let moved = if by_lines { LINE } else { REGISTER };
        let turns = cols.len() / side * (block.rows * self.to / moved);
        let each = lines.count().div_ceil(turns.max(1));
        // SAFETY: the caller's: the columns are the block's, of which all rows have been written. The results are this one's own,
        // and so don't overlap the destination. The units are those of the kernel's instruction set.
        unsafe {
            let src = self.block(1 - self.cast).cast_const().add(cols.start * self.to);
            let dst = block.dst.offset(cols.start as isize * self.cols.dst);
            let (src, dst) = ((src, self.row_bytes() as isize), (dst, self.cols.dst));
            let (len, units) = ([cols.len(), block.rows], self.runs.units);
            turn_over(self.to, src, dst, len, far, units, || lines.bring_near(each));
        }
    }
}

/// The places of the axes along which a plan's destination and its source have elements one after the other, if these are two,
/// and elements are neither packed nor counted.
fn turned(plan: &Plan) -> Option<[usize; 2]> {
    let along = |step: fn(&Axis) -> isize, size: usize| {
        plan.axes().iter().position(|axis| axis.len > 1 && step(axis) == size as isize)
    };
    let (from, to) = (plan.from.size()?, plan.to.size()?);
    let (rows, cols) = (along(|axis| axis.dst, to)?, along(|axis| axis.src, from)?);
    // (Where windows overlap the source has elements one after the other along both.)
    let are_two = rows != cols && plan.axes()[rows].src != from as isize;
    (are_two && !plan.counted).then_some([rows, cols])
}

/// Whether it pays even if what is scattered goes through the caches, as registers do that are not aligned, and what is not past
/// the caches.
///
/// A Zen 5 took 0.65 to 0.85 times as long so from 4 bytes to 4, from 8 to 4 or 8 and from 16 to 8, of 3001 x 3001 elements, but
/// 1.1 to 1.6 times to 2 bytes and to wider elements. Of what its last-level cache holds, from half of that on, it took 0.4 to
/// 0.9 times as long from 4 bytes to 4 and from 8 to 8, but 0.95 to 1.15 times to narrower elements.
fn pays_through_caches([from, to]: [usize; 2], past_caches: bool) -> bool {
    to >= 4 && (from == to || from > to && past_caches)
}

/// Whether all rows of the destination, along an axis, start with whole registers.
fn is_aligned(plan: &Plan, row_axis: usize, dst: *const u8) -> bool {
    let first = dst.addr().wrapping_add_signed(plan.first.dst);
    let others = plan.axes().iter().enumerate().filter(|&(at, _)| at != row_axis);
    others.fold(first, |all, (_, axis)| all | axis.dst as usize).is_multiple_of(REGISTER)
}

/// What of so many is done in a step.
fn share(n: usize, step: usize) -> Range<usize> {
    n * step / STEPS..n * (step + 1) / STEPS
}

/// Lines to come near, row by row.
struct Lines {
    row: *const u8,
    step: isize,
    rows: usize,
    bytes: usize,
    /// How many bytes after the row's first line the next line starts.
    at: usize,
}

impl Lines {
    const fn none() -> Self {
        Self::new(core::ptr::null(), 0, 0, 0)
    }

    /// Those of so many rows of some bytes, each so many bytes on.
    const fn new(row: *const u8, step: isize, rows: usize, bytes: usize) -> Self {
        Self { row, step, rows, bytes, at: 0 }
    }

    /// About how many are left: all, if none has been taken, and rows start with lines.
    fn count(&self) -> usize {
        self.rows * self.bytes.div_ceil(LINE)
    }

    /// Has some of them brought near.
    #[inline(always)]
    fn bring_near(&mut self, lines: usize) {
        for _ in 0..lines {
            if self.rows == 0 {
                return;
            }
            let before = self.row.addr() % LINE;
            bring_near(self.row.wrapping_sub(before).wrapping_add(self.at));
            self.at += LINE;
            if self.at >= before + self.bytes {
                let row = self.row.wrapping_offset(self.step);
                *self = Self { row, rows: self.rows - 1, at: 0, ..*self };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::{StridedView, StridedViewMut};
    use super::*;
    use crate::dtypes::DType;

    #[test]
    fn what_is_turned_is_read_along_one_axis_and_written_along_another() {
        let axes = |src: [isize; 3], dst: [isize; 3], counted| {
            let (a, mut b) = ([0; 1 << 17], [0; 1 << 15]);
            let (from, to) = (DType::Float32, DType::UInt8);
            let src = StridedView::new(from, &a, 0, &[2, 80, 90], &src).unwrap();
            let dst = StridedViewMut::new(to, &mut b, 0, &[2, 80, 90], &dst).unwrap();
            let mut plan = Plan::empty(from, to, counted);
            plan.fill(&src.layout, &dst.layout);
            turned(&plan)
        };
        assert_eq!(axes([28_800, 4, 320], [7200, 90, 1], false), Some([2, 1]));
        assert_eq!(axes([28_800, 360, 4], [7200, 1, 80], false), Some([2, 1]));
        assert_eq!(axes([28_800, 4, 320], [7200, 90, 1], true), None);
        // In one order, with gaps, windows that overlap, and what is next to nothing.
        assert_eq!(axes([28_800, 360, 4], [7400, 91, 1], false), None);
        assert_eq!(axes([28_800, 4, 4], [7200, 90, 1], false), None);
        assert_eq!(axes([28_800, 8, 640], [7200, 90, 1], false), None);
        assert_eq!(axes([28_800, 4, 320], [14_400, 180, 2], false), None);
    }

    #[test]
    fn steps_share_all() {
        for n in 0..100 {
            assert!((0..STEPS).flat_map(|step| share(n, step)).eq(0..n));
        }
    }
}
