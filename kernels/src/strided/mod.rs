//! Casts of elements that lie apart: slices with steps, reversed or repeated dimensions, transposed
//! matrices.
//!
//! The kernels cast runs of elements. So what does not lie in runs goes through buffers that stay in the
//! caches next to the core, a block at a time, in an order that suits the destination:
//!
//! ```text
//! source -- gather --> a block, row by row -- cast --> rows of elements -- scatter --> destination
//! ```
//!
//! A side whose rows are runs is read or written where it is. [Blocks](blocks) have two axes; where these are short, they have
//! [as many as it takes](places). Large matrices that are turned over go by a [pipeline]. What is gathered and scattered is
//! [moved](moves) as it is: in [squares that are turned over](transpose), [several elements at a time](units), or one by one.
//!
//! Of elements that don't fit the first is told, in row-major order, which is seldom the order in which they are cast. So that is
//! stopped by the first that is found, and all are cast once more, to the last, to know which is the first.

mod apart;
#[cfg(feature = "ndarray")]
mod arrays;
mod blocks;
mod moves;
mod pipeline;
mod places;
mod plan;
mod transpose;
mod units;
mod view;

#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_imports))]
// Where elements are moved by registers.
pub(crate) use units::{Gaps, Unit, Units};
pub use view::{LayoutError, StridedView, StridedViewMut};

use crate::dtypes::DType;
use crate::environment::{self, Guard};
use crate::kernel::{Join, Kernel, RunError, SMALLEST};
use crate::stream;
use crate::table::{self, Params};
use alloc::vec::Vec;
use blocks::Blocks;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use pipeline::Pipeline;
use places::{Cut, Places};
use plan::{Place, Plan};
use view::Layout;

/// The fewest elements worth a call of their own.
const ROW: usize = 64;

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
        // after the other, apart from the source; after success all are written, in parts, too (see
        // `Join`), and they make `T`s.
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
        let mut plan = Plan::empty(src_layout.dtype, dst_layout.dtype, self.draws());
        plan.fill(src_layout, dst_layout);
        let bits = plan.elements().saturating_mul(self.from().bits() + self.to().bits());
        let most = (bits / (SMALLEST * 8)).max(1);
        let parts = join.parts(most).min(most);
        let streams = stream::wanted(self.parts().1, plan.elements());
        // SAFETY: the caller's: a plan has the elements of its layouts.
        unsafe {
            let done = if let Some(n) = plan.run_of_all() {
                let Place { src: from, dst: to, .. } = plan.first;
                self.run_parts(src.offset(from), dst.offset(to), n, join).is_ok()
            } else {
                let cast = Strided::new(self, (src, dst), streams, join);
                cast.run(&plan, parts);
                !cast.stopped.into_inner()
            };
            if done {
                return Ok(());
            }
            let mut counted = Plan::empty(src_layout.dtype, dst_layout.dtype, true);
            counted.fill(src_layout, dst_layout);
            let cast = Strided { goes_on: true, ..Strided::new(self, (src, dst), streams, join) };
            cast.run(&counted, parts);
            match cast.unfit.into_inner() {
                // All fit this time: someone else has changed the source. They have been cast.
                usize::MAX => Ok(()),
                index => Err(RunError::Unfit { index }),
            }
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
    /// Whether all results, of whatever parts they are made, are so many that they go past the caches.
    streams: bool,
    /// Whether it goes on after elements that do not fit, so that all before the first of them are written.
    goes_on: bool,
    /// Whether it has stopped at one.
    stopped: AtomicBool,
    /// The first of those that it has gone on after, if there is one.
    unfit: AtomicUsize,
}

// SAFETY: the pointers are used in what `cast` calls alone, which reads shared memory and writes to elements that
// are its plan's only.
unsafe impl<J: Sync> Sync for Strided<'_, J> {}

impl<'a, J: Join> Strided<'a, J> {
    fn new(
        kernel: &'a Kernel,
        (src, dst): (*const u8, *mut u8),
        streams: bool,
        join: &'a J,
    ) -> Self {
        let (stopped, unfit) = (AtomicBool::new(false), AtomicUsize::new(usize::MAX));
        Self { kernel, src, dst, join, streams, goes_on: false, stopped, unfit }
    }

    /// Casts the elements of a plan in about so many parts.
    ///
    /// # Safety
    /// As for [`Kernel::run_layouts`], of the elements of the plan.
    unsafe fn run(&self, plan: &Plan, parts: usize) {
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        if parts > 1
            && let Some(([first, second], [a, b])) = plan.split(parts)
        {
            // SAFETY: the caller's; no element is in both. (When this returns both are done, see `Join`.)
            self.join.join(|| unsafe { self.run(&first, a) }, || unsafe { self.run(&second, b) });
            return;
        }
        // SAFETY: the caller's.
        unsafe { self.cast(plan) };
    }

    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn cast(&self, plan: &Plan) {
        // SAFETY: the caller's.
        let outcome = unsafe {
            match Cut::of(plan) {
                Some(cut) => self.cast_by_places(plan, cut),
                None => match self.cast_by_pipeline(plan) {
                    Some(outcome) => outcome,
                    None => self.cast_by_blocks(plan),
                },
            }
        };
        match outcome {
            Outcome::Stopped => self.stopped.store(true, Ordering::Relaxed),
            Outcome::Done { unfit } => _ = self.unfit.fetch_min(unfit, Ordering::Relaxed),
        }
    }
}

/// (None is inlined, as a block is large: so they don't lie on the stack all, nor as often as [`run`](Strided::run) calls
/// itself.)
impl<J: Join> Strided<'_, J> {
    /// # Safety
    /// As for [`run`](Self::run); the plan is cut so.
    #[inline(never)]
    unsafe fn cast_by_places(&self, plan: &Plan, cut: Cut) -> Outcome {
        // SAFETY: the caller's.
        unsafe { Places::new(plan, cut).cast(plan, self.src, self.dst, self.runs(plan)) }
    }

    /// If the plan is one for that.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    #[inline(never)]
    unsafe fn cast_by_pipeline(&self, plan: &Plan) -> Option<Outcome> {
        let mut pipeline = Pipeline::new(plan, self.dst, self.runs(plan))?;
        // SAFETY: the caller's.
        Some(unsafe { pipeline.cast(plan, self.src, self.dst) })
    }

    /// # Safety
    /// As for [`run`](Self::run).
    #[inline(never)]
    unsafe fn cast_by_blocks(&self, plan: &Plan) -> Outcome {
        // SAFETY: the caller's.
        unsafe { Blocks::new(plan, self.runs(plan)).cast(plan, self.src, self.dst) }
    }

    fn runs(&self, plan: &Plan) -> Runs<'_> {
        let unfit = self.unfit.load(Ordering::Relaxed);
        Runs::new(self.kernel, plan, self.goes_on.then_some(unfit), self.streams)
    }
}

/// What has become of a plan's elements.
enum Outcome {
    /// One did not fit.
    Stopped,
    /// All have been cast. Those that did not fit were gone on after, of which the first had this index; or `usize::MAX`.
    Done { unfit: usize },
}

/// What runs of elements are cast with.
struct Runs<'a> {
    kernel: table::Kernel,
    /// Those of the first element of the views.
    params: &'a Params,
    guard: Guard,
    counted: bool,
    /// The index of the first element known not to fit, or `usize::MAX`, if it is gone on after such.
    unfit: Option<usize>,
    /// What several elements are moved by.
    units: &'static [Units],
    /// Whether results that are scattered go past the caches, as far as they can.
    streams: bool,
}

impl<'a> Runs<'a> {
    fn new(kernel: &'a Kernel, plan: &Plan, unfit: Option<usize>, streams: bool) -> Self {
        let units = kernel.level().table.units;
        let (kernel, params, guard) = kernel.parts();
        debug_assert!(unfit.is_none() || plan.counted);
        Self { kernel, params, guard, counted: plan.counted, unfit, units, streams }
    }

    /// Casts a run, of which the first element has an index that matters if they are counted. Answers how many have been cast:
    /// all, or those before one that does not fit.
    ///
    /// # Safety
    /// As for every kernel, see [`crate::table::Kernel`].
    unsafe fn cast(&mut self, src: *const u8, dst: *mut u8, n: usize, index: usize) -> usize {
        // SAFETY: the caller's.
        let run = |params: &Params| unsafe {
            environment::run(self.guard, self.kernel, params, src, dst, n)
        };
        let done = if self.counted {
            let mut params = *self.params;
            params.advance(index as u64);
            run(&params)
        } else {
            run(self.params)
        };
        if done < n
            && let Some(unfit) = &mut self.unfit
        {
            *unfit = (*unfit).min(index.wrapping_add(done));
        }
        done
    }

    /// Whether it is known that nothing from an element on needs to be cast any more.
    fn are_over(&self, index: usize) -> bool {
        self.unfit.is_some_and(|unfit| unfit < index)
    }

    /// What has become of elements that have all been cast, or some of them.
    fn outcome(&self, whole: bool) -> Outcome {
        if whole {
            Outcome::Done { unfit: self.unfit.unwrap_or(usize::MAX) }
        } else {
            Outcome::Stopped
        }
    }
}
