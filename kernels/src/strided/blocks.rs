//! Blocks of two axes.
//!
//! A block has the axis along which the destination has its shortest steps, and that along which the source has, so that of a
//! transposed matrix whole cache lines are read and written. It is turned over on the side with the smaller elements:
//! before the cast if that is the source, else after. Where an axis is pinned, as packed elements lie along it or elements are
//! counted, runs are cast along that one, and blocks turned over on the sides on which they have to be.

use super::moves::{Far, move_elements};
use super::plan::{Axis, Place, Plan, for_each_place};
use super::transpose::bring_all_near;
use super::{Outcome, ROW, Runs, is_run};
use crate::buffer::Buffer;
use crate::dtypes::DType;
use crate::stream::fence;
use core::ops::Range;

/// The bytes of a block on its larger side.
const BLOCK: usize = 32 << 10;

/// The bytes that go to each of the places that a matrix is turned over to: some cache lines one after the
/// other, as CPUs fetch the neighbours of a line, too.
const LINES: usize = 256;

/// The columns of a block that is turned over before the cast: enough of them for a call of the kernel.
const TURNED: usize = 256;

/// The columns of a matrix that are cast before others, each of which may lie in a page of its own.
const PAGES: usize = 512;

/// How many rows before it is cast a row of a block is fetched, if it is far from the others, and so short, in bytes, that the
/// CPU hardly sees before it ends that more follows; and if what a thread casts has so many bytes that it isn't in a cache that
/// is near.
const AHEAD: usize = 8;
const SHORT: usize = 1 << 10;
const LARGE: usize = 1 << 20;

/// What the blocks of a plan are cast with, and how.
pub(super) struct Blocks<'a> {
    runs: Runs<'a>,
    /// The bytes of an element that is moved; of packed ones, which are not, 0.
    from: usize,
    to: usize,
    /// The axes of a block.
    rows: Axis,
    cols: Axis,
    /// Their places among the plan's axes: one axis need not be any of those.
    block_axes: [Option<usize>; 2],
    /// The most rows and columns of a block.
    most: [usize; 2],
    /// Whether rows of the source, which are runs then, are fetched before they are cast.
    fetches: bool,
    gathered: Buffer<BLOCK>,
    cast: Buffer<BLOCK>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(plan: &Plan, runs: Runs<'a>) -> Self {
        let (from, to) = (plan.from.size().unwrap_or(0), plan.to.size().unwrap_or(0));
        let axes = plan.axes();
        let inner = axes.len() - 1;
        let other = plan.rows();
        let (mut rows, mut cols) = (other.map_or(Axis::ONE, |at| axes[at]), axes[inner]);
        let shorter = |a: isize, b: isize| a != 0 && a.unsigned_abs() < b.unsigned_abs();
        let turned = shorter(rows.src, cols.src) || shorter(rows.dst, cols.dst);
        // What is pinned is turned over where it has to be.
        let smaller_after = turned && to < from && !plan.is_pinned();
        if smaller_after {
            (rows, cols) = (cols, rows);
        }
        // A row of all columns, if it fits, and as many of them as do; but of a matrix that is turned over
        // whole lines both ways.
        let after = smaller_after && is_run(plan.from, cols.src);
        let room = BLOCK / if after { to } else { from.max(to).max(1) };
        let wanted = match (turned, smaller_after) {
            (false, _) => 1,
            (true, true) => (LINES / to).min(room / ROW),
            (true, false) => (room / TURNED).max(8),
        };
        let wanted = wanted.min(rows.len);
        let mut width = room / wanted;
        if width < cols.len {
            width &= !(ROW - 1);
        }
        let width = width.min(cols.len);
        let most = [if width < cols.len { wanted } else { (room / width).min(rows.len) }, width];
        let is_short = after && most[1] * from <= SHORT && rows.src.unsigned_abs() > SHORT;
        let fetches = is_short && plan.elements().saturating_mul(from) > LARGE;
        let block_axes = [Some(inner), other];
        let (gathered, cast) = (Buffer::new(), Buffer::new());
        Self { runs, from, to, rows, cols, block_axes, most, fetches, gathered, cast }
    }

    /// Casts the elements of the plan.
    ///
    /// # Safety
    /// As for [`Kernel::run_layouts`](super::Kernel), of these; the addresses are those of the views' first elements.
    pub(super) unsafe fn cast(&mut self, plan: &Plan, src: *const u8, dst: *mut u8) -> Outcome {
        let whole = for_each_place(plan.axes(), self.block_axes, plan.first, |place| {
            // SAFETY: the caller's: the places along the outer axes are within them.
            unsafe { self.blocks(src, dst, place) }
        });
        if self.runs.streams {
            fence();
        }
        self.runs.outcome(whole)
    }

    /// Casts all rows and columns from a place on. Answers whether all elements fit, or were gone on after.
    ///
    /// # Safety
    /// As for [`cast`](Self::cast), of these.
    unsafe fn blocks(&mut self, src: *const u8, dst: *mut u8, place: Place) -> bool {
        // Of a matrix with many rows and columns some columns after the others: each takes the CPU to
        // other pages of memory, of which it remembers a limited number. (What is fetched isn't waited for, and pages are
        // left once they have been read whole.)
        let [rows, cols] = self.most;
        let many = rows > 1 && cols < self.cols.len && !self.fetches;
        let some = if many { PAGES } else { self.cols.len };
        (0..self.cols.len).step_by(some).all(|col| {
            let columns = col..self.cols.len.min(col + some);
            // SAFETY: the caller's.
            unsafe { self.some_columns(src, dst, place, columns) }
        })
    }

    /// Casts all rows of some columns.
    ///
    /// # Safety
    /// As for [`blocks`](Self::blocks); the first column is a multiple of 8.
    unsafe fn some_columns(
        &mut self,
        src: *const u8,
        dst: *mut u8,
        place: Place,
        columns: Range<usize>,
    ) -> bool {
        let [most_rows, most_cols] = self.most;
        for row in (0..self.rows.len).step_by(most_rows) {
            let rows = most_rows.min(self.rows.len - row);
            for col in columns.clone().step_by(most_cols) {
                let cols = most_cols.min(columns.end - col);
                let mut place = place.on(self.rows, row).on(self.cols, col);
                // Packed columns, which have no step, are cut at multiples of `ROW` only.
                let packed = |dtype: DType| (col / 8 * dtype.bits()) as isize;
                if self.from == 0 {
                    place.src += packed(self.runs.params.from);
                }
                if self.to == 0 {
                    place.dst += packed(self.runs.params.to);
                }
                // SAFETY: the caller's.
                if !unsafe { self.block(src, dst, place, [rows, cols]) } {
                    return false;
                }
            }
        }
        true
    }

    /// Casts a block.
    ///
    /// # Safety
    /// As for [`blocks`](Self::blocks), of these rows and columns, which are at most as many as a block has.
    unsafe fn block(
        &mut self,
        src: *const u8,
        dst: *mut u8,
        place: Place,
        [rows, cols]: [usize; 2],
    ) -> bool {
        // (Rows may go back.)
        let before_last = place.on(self.rows, rows - 1).index;
        if self.runs.are_over(place.index.min(before_last)) {
            return true;
        }
        // SAFETY: the caller's.
        let (src, dst) = unsafe { (src.offset(place.src), dst.offset(place.dst)) };
        let (from, to) = (self.from, self.to);
        let dtypes = (self.runs.params.from, self.runs.params.to);
        let src_steps = [self.rows.src, self.cols.src];
        let dst_steps = [self.rows.dst, self.cols.dst];
        // Rows of a run each may be too short for a call of the kernel.
        let fits = |size: usize| rows * cols * size <= BLOCK;
        let short = cols < ROW && from != 0 && to != 0 && fits(from) && fits(to);
        let one = |dtype: DType, row_step| {
            let bits = dtype.bits();
            rows == 1 || ((cols * bits).is_multiple_of(8) && row_step == (cols * bits / 8) as isize)
        };
        let (src_one, dst_one) = (one(dtypes.0, src_steps[0]), one(dtypes.1, dst_steps[0]));
        let gathers = !is_run(dtypes.0, src_steps[1]) || (short && !src_one);
        let scatters = !is_run(dtypes.1, dst_steps[1]) || (short && !dst_one);
        debug_assert!((fits(from) || !gathers) && (fits(to) || !scatters));
        let (gathered, cast) = (self.gathered.start(), self.cast.start());
        let units = self.runs.units;
        // SAFETY: what is gathered or scattered fits a buffer, by the choice of `most` or as just seen, and
        // is not packed; nothing else uses the buffers. Only what the kernel has written is scattered; the
        // rows that are fetched are the block's.
        unsafe {
            let source = if gathers {
                let steps = [(cols * from) as isize, from as isize];
                let into = (gathered, steps);
                move_elements(from, (src, src_steps), into, [rows, cols], Far::Source, units);
                Rows { start: gathered.cast_const(), step: steps[0], are_one: true }
            } else {
                Rows { start: src, step: src_steps[0], are_one: src_one }
            };
            let target = if scatters {
                Rows { start: cast, step: (cols * to) as isize, are_one: true }
            } else {
                Rows { start: dst, step: dst_steps[0], are_one: dst_one }
            };
            let scattered = scatters.then_some((dst, dst_steps));
            if self.cast_rows(source, target, place.index, [rows, cols]) {
                if let Some(scattered) = scattered {
                    let target = (target.start.cast_const(), [target.step, to as isize]);
                    let far = if self.runs.streams { Far::Memory } else { Far::Destination };
                    move_elements(to, target, scattered, [rows, cols], far, units);
                }
                return true;
            }
            if self.runs.unfit.is_some() {
                self.go_on(source, target, scattered, place.index, [rows, cols]);
                return true;
            }
            false
        }
    }

    /// Casts rows, up to an element that does not fit. Answers whether there is none.
    ///
    /// # Safety
    /// As for [`block`](Self::block): the rows are valid for reading and writing.
    unsafe fn cast_rows(
        &mut self,
        source: Rows<*const u8>,
        target: Rows<*mut u8>,
        index: usize,
        [rows, cols]: [usize; 2],
    ) -> bool {
        let count_on = rows == 1 || !self.runs.counted || self.rows.index == cols;
        // SAFETY: the caller's; the rows that are fetched are those of the block.
        unsafe {
            if source.are_one && target.are_one && count_on {
                let n = rows * cols;
                return self.runs.cast(source.start, target.start, n, index) == n;
            }
            (0..rows).all(|row| {
                if self.fetches && row + AHEAD < rows {
                    bring_all_near(source.row(row + AHEAD), cols * self.from);
                }
                let index = index.wrapping_add(row.wrapping_mul(self.rows.index));
                self.runs.cast(source.row(row), target.row(row), cols, index) == cols
            })
        }
    }

    /// Casts rows of which an element does not fit, and all others that come before it in the order of the views, which may be
    /// in any of the rows; each row as far as it fits.
    ///
    /// # Safety
    /// As for [`block`](Self::block): the rows are valid for reading and writing.
    unsafe fn go_on(
        &mut self,
        source: Rows<*const u8>,
        target: Rows<*mut u8>,
        scattered: Option<(*mut u8, [isize; 2])>,
        index: usize,
        [rows, cols]: [usize; 2],
    ) {
        for row in 0..rows {
            let index = index.wrapping_add(row.wrapping_mul(self.rows.index));
            // SAFETY: the caller's. What is scattered has just been written.
            unsafe {
                let written = target.row(row);
                let done = self.runs.cast(source.row(row), written, cols, index);
                if let Some((dst, steps)) = scattered {
                    let to = self.to;
                    let dst = dst.offset(row as isize * steps[0]);
                    let written = (written.cast_const(), [target.step, to as isize]);
                    let units = self.runs.units;
                    move_elements(to, written, (dst, steps), [1, done], Far::Destination, units);
                }
            }
        }
    }
}

/// Rows of runs.
#[derive(Clone, Copy)]
struct Rows<P> {
    start: P,
    /// The bytes from one to the next.
    step: isize,
    /// Whether each goes on where the one before ends.
    are_one: bool,
}

macro_rules! rows_of {
    ($($pointer:ty),*) => {$(
        impl Rows<$pointer> {
            /// # Safety
            /// There is such a row.
            #[inline(always)]
            unsafe fn row(&self, row: usize) -> $pointer {
                // SAFETY: the caller's.
                unsafe { self.start.offset(row as isize * self.step) }
            }
        }
    )*};
}

rows_of!(*const u8, *mut u8);
