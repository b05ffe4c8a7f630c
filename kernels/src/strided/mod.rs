//! Casts of elements that lie apart: slices with steps, reversed or repeated dimensions, transposed
//! matrices.
//!
//! The kernels cast runs of elements. So what does not lie in runs goes through buffers that stay in the
//! L1 cache, a block at a time, in an order that suits the destination, two axes at once:
//!
//! ```text
//! source -- gather --> a block, row by row -- cast --> rows of elements -- scatter --> destination
//! ```
//!
//! A side whose rows are runs is read or written where it is. A block has the axis along which the
//! destination has its shortest steps, and that along which the source has, so that of a transposed
//! matrix whole cache lines are read and written. It is turned over on the side with the smaller elements:
//! before the cast if that is the source, else after.

#[cfg(feature = "ndarray")]
mod arrays;
mod moves;
mod plan;
mod transpose;
mod view;

pub use view::{LayoutError, StridedView, StridedViewMut};

use crate::buffer::Buffer;
use crate::dtypes::DType;
use crate::environment::{self, Guard};
use crate::kernel::{InOrder, Join, Kernel, RunError, SMALLEST};
use crate::table::{self, Params};
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use moves::{Far, move_elements};
use plan::{Axis, Plan};
use transpose::bring_all_near;
use view::{DIMENSIONS, Layout};

/// The bytes of a block on its larger side.
const BLOCK: usize = 32 << 10;

/// The fewest elements worth a call of their own.
const ROW: usize = 64;

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

impl Kernel {
    /// Casts all elements of one view into those of another of the same shape, in parts that may be cast
    /// at once if there is enough to do.
    ///
    /// Of elements that don't fit the first is told, in row-major order. Those before it are written
    /// then; any other may have been.
    pub fn run_strided(
        &self,
        src: &StridedView<'_>,
        dst: &mut StridedViewMut<'_>,
        join: &impl Join,
    ) -> Result<(), RunError> {
        for (argument, given, needed) in
            [(false, src.dtype(), self.from()), (true, dst.dtype(), self.to())]
        {
            if given as u8 != needed as u8 {
                return Err(RunError::ViewType { dst: argument, given, needed });
            }
        }
        if !src.shape().eq(dst.shape()) {
            return Err(RunError::Shape);
        }
        // SAFETY: the views have the kernel's dtypes and one shape, so that for each element of one there
        // is one of the other. What is borrowed shared cannot overlap what is borrowed exclusively, and
        // no two elements of the destination overlap.
        unsafe { self.run_layouts((src.start, &src.layout), (dst.start, &dst.layout), join) }
    }

    /// Casts all elements of a view into a new vector, in row-major order, in parts that may be cast at once.
    /// `T` is the Rust type of an element.
    pub fn collect_strided<T: bytemuck::AnyBitPattern>(
        &self,
        src: &StridedView<'_>,
        join: &impl Join,
    ) -> Result<Vec<T>, RunError> {
        // SAFETY: any bytes make a `T`.
        unsafe { self.collect_view_as(src, join) }
    }

    /// As [`collect_strided`](Self::collect_strided), into bools.
    pub fn collect_bools_strided(
        &self,
        src: &StridedView<'_>,
        join: &impl Join,
    ) -> Result<Vec<bool>, RunError> {
        if self.to() as u8 != DType::Bool as u8 {
            return Err(RunError::Type);
        }
        // SAFETY: a cast to bool writes only 0 and 1.
        unsafe { self.collect_view_as(src, join) }
    }

    /// # Safety
    /// What a cast to the kernel's dtype writes makes `T`s.
    unsafe fn collect_view_as<T>(
        &self,
        src: &StridedView<'_>,
        join: &impl Join,
    ) -> Result<Vec<T>, RunError> {
        if self.to().size() != Some(size_of::<T>()) {
            return Err(RunError::Type);
        }
        let (given, needed) = (src.dtype(), self.from());
        if given as u8 != needed as u8 {
            return Err(RunError::ViewType { dst: false, given, needed });
        }
        let n = src.len();
        let mut values = self.room_for::<T>(n)?;
        let kernel = self.for_fresh(values.spare_capacity_mut());
        let layout = src.layout.contiguous_as(self.to());
        // SAFETY: the vector has room for as many elements of the destination's size as the view has, one
        // after the other, apart from the source; after success all are written, and they make `T`s.
        unsafe {
            let dst = values.as_mut_ptr().cast();
            kernel.run_layouts((src.start, &src.layout), (dst, &layout), join)?;
            values.set_len(n);
        }
        Ok(values)
    }

    /// # Safety
    /// The layouts are of one shape and of the kernel's dtypes. The elements of the first are valid for
    /// reading, those of the second for writing, and these overlap neither those nor each other.
    unsafe fn run_layouts(
        &self,
        (src, src_layout): (*const u8, &Layout),
        (dst, dst_layout): (*mut u8, &Layout),
        join: &impl Join,
    ) -> Result<(), RunError> {
        if src_layout.elements() == 0 {
            return Ok(());
        }
        let plan = Plan::new(src_layout, dst_layout, self.draws());
        // SAFETY: the caller's: a plan has the elements of its layouts.
        unsafe {
            let cast = Strided { kernel: self, src, dst, join, stopped: AtomicBool::new(false) };
            let done = if let Some(n) = plan.run_of_all() {
                self.run_parts(src.offset(plan.src), dst.offset(plan.dst), n, join).is_ok()
            } else {
                let bits = plan.elements().saturating_mul(self.from().bits() + self.to().bits());
                let most = (bits / (SMALLEST * 8)).max(1);
                cast.run(&plan, join.parts(most).min(most)).is_ok()
            };
            if done {
                return Ok(());
            }
            // Once more, element by element in the order of the views: so all are written that come
            // before the first that does not fit, and its index is known.
            let ordered = Plan::new(src_layout, dst_layout, true);
            let join = &InOrder;
            let cast = Strided { kernel: self, src, dst, join, stopped: AtomicBool::new(false) };
            cast.run(&ordered, 1).map_err(|index| RunError::Unfit { index })
        }
    }
}

impl Plan {
    /// How many elements there are, if they are one run on both sides.
    fn run_of_all(&self) -> Option<usize> {
        match self.axes() {
            [axis] if is_run(self.from, axis.src) && is_run(self.to, axis.dst) => Some(axis.len),
            _ => None,
        }
    }
}

/// Whether elements with such a step between them, along the innermost axis, are a run.
fn is_run(dtype: DType, step: isize) -> bool {
    dtype.size().is_none_or(|size| step == size as isize)
}

/// A cast of elements that lie apart.
struct Strided<'a, J> {
    kernel: &'a Kernel,
    src: *const u8,
    dst: *mut u8,
    join: &'a J,
    /// Whether an element does not fit.
    stopped: AtomicBool,
}

// SAFETY: the pointers are used in `cast` alone, which reads shared memory and writes to elements that
// are its plan's only.
unsafe impl<J: Sync> Sync for Strided<'_, J> {}

impl<J: Join> Strided<'_, J> {
    /// Casts the elements of a plan in about so many parts. An error tells how many elements come before
    /// one that does not fit, in the order of the plan.
    ///
    /// # Safety
    /// As for [`Kernel::run_layouts`], of the elements of the plan.
    unsafe fn run(&self, plan: &Plan, parts: usize) -> Result<(), usize> {
        if self.stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        if parts > 1
            && let Some((first, second)) = plan.split()
        {
            let half = parts / 2;
            // SAFETY: the caller's; no element is in both.
            let (a, b) = self.join.join(
                || unsafe { self.run(&first, parts - half) },
                || unsafe { self.run(&second, half) },
            );
            return a.and(b);
        }
        // SAFETY: the caller's.
        let result = unsafe { self.cast(plan) };
        if result.is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        result
    }

    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn cast(&self, plan: &Plan) -> Result<(), usize> {
        let mut walk = Walk::new(self.kernel.advanced(plan.first as u64), plan);
        // SAFETY: the caller's.
        let whole =
            unsafe { walk.outer(plan, self.src.offset(plan.src), self.dst.offset(plan.dst)) };
        if whole { Ok(()) } else { Err(plan.first + walk.done) }
    }
}

/// What a block is cast with, and how.
struct Walk {
    kernel: table::Kernel,
    params: Params,
    guard: Guard,
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
    /// How many elements have been cast.
    done: usize,
    gathered: Buffer<BLOCK>,
    cast: Buffer<BLOCK>,
}

impl Walk {
    fn new(kernel: Kernel, plan: &Plan) -> Self {
        let (kernel, params, guard) = kernel.parts();
        let (from, to) = (plan.from.size().unwrap_or(0), plan.to.size().unwrap_or(0));
        let axes = plan.axes();
        let inner = axes.len() - 1;
        let other = plan.rows();
        let (mut rows, mut cols) =
            (other.map_or(Axis { len: 1, src: 0, dst: 0 }, |at| axes[at]), axes[inner]);
        let free = !plan.ordered && !plan.is_packed();
        let turned = other.is_some() && free && rows.src.abs() < cols.src.abs();
        if turned && to < from {
            (rows, cols) = (cols, rows);
        }
        // A row of all columns, if it fits, and as many of them as do; but of a matrix that is turned over
        // whole lines both ways.
        let after = turned && to < from && is_run(plan.from, cols.src);
        let room = BLOCK / if after { to } else { from.max(to).max(1) };
        let wanted = match (turned, to < from) {
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
        Self {
            kernel,
            params,
            guard,
            from,
            to,
            rows,
            cols,
            block_axes,
            most,
            fetches,
            done: 0,
            gathered,
            cast,
        }
    }

    /// Casts the blocks of all places along the axes that blocks don't have. Answers whether all
    /// elements fit.
    ///
    /// # Safety
    /// As for [`Kernel::run_layouts`], of the elements of the plan from these addresses on.
    unsafe fn outer(&mut self, plan: &Plan, src: *const u8, dst: *mut u8) -> bool {
        let mut at = [0; DIMENSIONS + 1];
        let (mut src, mut dst) = (src, dst);
        loop {
            // SAFETY: the caller's: the places along the outer axes are within them.
            if !unsafe { self.blocks(src, dst) } {
                return false;
            }
            // On to the next place, as an odometer goes.
            let mut axis = plan.axes().len();
            loop {
                if axis == 0 {
                    return true;
                }
                axis -= 1;
                if self.block_axes.contains(&Some(axis)) {
                    continue;
                }
                let Axis { len, src: src_step, dst: dst_step } = plan.axes()[axis];
                at[axis] += 1;
                src = src.wrapping_offset(src_step);
                dst = dst.wrapping_offset(dst_step);
                if at[axis] < len {
                    break;
                }
                at[axis] = 0;
                src = src.wrapping_offset(src_step.wrapping_mul(len as isize).wrapping_neg());
                dst = dst.wrapping_offset(dst_step.wrapping_mul(len as isize).wrapping_neg());
            }
        }
    }

    /// Casts all rows and columns from an address on.
    ///
    /// # Safety
    /// As for [`outer`](Self::outer), of these.
    unsafe fn blocks(&mut self, src: *const u8, dst: *mut u8) -> bool {
        // Of a matrix with many rows and columns some columns after the others: each takes the CPU to
        // other pages of memory, of which it remembers a limited number. (What is fetched isn't waited for, and pages are
        // left once they have been read whole.)
        let [rows, cols] = self.most;
        let many = rows > 1 && cols < self.cols.len && !self.fetches;
        let some = if many { PAGES } else { self.cols.len };
        (0..self.cols.len).step_by(some).all(|col| {
            // SAFETY: the caller's.
            unsafe { self.some_columns(src, dst, col..self.cols.len.min(col + some)) }
        })
    }

    /// Casts all rows of some columns.
    ///
    /// # Safety
    /// As for [`outer`](Self::outer), of these; the first column is a multiple of 8.
    unsafe fn some_columns(&mut self, src: *const u8, dst: *mut u8, columns: Range<usize>) -> bool {
        let [most_rows, most_cols] = self.most;
        let bits = (self.params.from.bits(), self.params.to.bits());
        for row in (0..self.rows.len).step_by(most_rows) {
            let rows = most_rows.min(self.rows.len - row);
            for col in columns.clone().step_by(most_cols) {
                let cols = most_cols.min(columns.end - col);
                let place = |size, step: isize, row_step: isize, bits| {
                    // Packed columns are cut at multiples of `ROW` only.
                    let along =
                        if size == 0 { (col / 8 * bits) as isize } else { col as isize * step };
                    row as isize * row_step + along
                };
                // SAFETY: the caller's.
                let whole = unsafe {
                    let src = src.offset(place(self.from, self.cols.src, self.rows.src, bits.0));
                    let dst = dst.offset(place(self.to, self.cols.dst, self.rows.dst, bits.1));
                    self.block(src, dst, [rows, cols])
                };
                if !whole {
                    return false;
                }
            }
        }
        true
    }

    /// Casts a block.
    ///
    /// # Safety
    /// As for [`outer`](Self::outer), of these rows and columns, which are at most as many as a block has.
    unsafe fn block(&mut self, src: *const u8, dst: *mut u8, [rows, cols]: [usize; 2]) -> bool {
        let (from, to) = (self.from, self.to);
        let src_steps = [self.rows.src, self.cols.src];
        let dst_steps = [self.rows.dst, self.cols.dst];
        // Rows of a run each may be too short for a call of the kernel.
        let fits = |size: usize| rows * cols * size <= BLOCK;
        let short = cols < ROW && from != 0 && to != 0 && fits(from) && fits(to);
        let one = |bits, row_step| {
            rows == 1 || (cols * bits % 8 == 0 && row_step == (cols * bits / 8) as isize)
        };
        let src_one = one(self.params.from.bits(), src_steps[0]);
        let dst_one = one(self.params.to.bits(), dst_steps[0]);
        let gathers = !is_run(self.params.from, src_steps[1]) || (short && !src_one);
        let scatters = !is_run(self.params.to, dst_steps[1]) || (short && !dst_one);
        debug_assert!((fits(from) || !gathers) && (fits(to) || !scatters));
        let (gathered, cast) = (self.gathered.start(), self.cast.start());
        // SAFETY: what is gathered or scattered fits a buffer, by the choice of `most` or as just seen, and
        // is not packed; nothing else uses the buffers. Only what the kernel has written is scattered; the
        // rows that are fetched are the block's.
        unsafe {
            let source = if gathers {
                let steps = [(cols * from) as isize, from as isize];
                move_elements(from, (src, src_steps), (gathered, steps), [rows, cols], Far::Source);
                (gathered.cast_const(), steps[0], true)
            } else {
                (src, src_steps[0], src_one)
            };
            let target = if scatters {
                (cast, (cols * to) as isize, true)
            } else {
                (dst, dst_steps[0], dst_one)
            };
            let before = self.done;
            let whole = if source.2 && target.2 {
                self.call(source.0, target.0, rows * cols)
            } else {
                (0..rows).all(|row| {
                    if self.fetches && row + AHEAD < rows {
                        let next = src.offset((row + AHEAD) as isize * src_steps[0]);
                        bring_all_near(next, cols * from);
                    }
                    let row = row as isize;
                    let (src, dst) =
                        (source.0.offset(row * source.1), target.0.offset(row * target.1));
                    self.call(src, dst, cols)
                })
            };
            if scatters {
                let steps = [(cols * to) as isize, to as isize];
                let done = self.done - before;
                let (rows, rest) = (done / cols, done % cols);
                let target = (dst, dst_steps);
                move_elements(
                    to,
                    (cast.cast_const(), steps),
                    target,
                    [rows, cols],
                    Far::Destination,
                );
                if rest > 0 {
                    let cast = cast.offset(rows as isize * steps[0]).cast_const();
                    let dst = dst.offset(rows as isize * dst_steps[0]);
                    move_elements(to, (cast, steps), (dst, dst_steps), [1, rest], Far::Destination);
                }
            }
            whole
        }
    }

    /// Casts a run.
    ///
    /// # Safety
    /// As for every kernel, see [`crate::table::Kernel`].
    unsafe fn call(&mut self, src: *const u8, dst: *mut u8, n: usize) -> bool {
        // SAFETY: the caller's.
        let done = unsafe { environment::run(self.guard, self.kernel, &self.params, src, dst, n) };
        self.params.advance(n as u64);
        self.done += done;
        done == n
    }
}
