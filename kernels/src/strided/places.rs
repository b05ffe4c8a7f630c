//! Elements of short axes, by a list of where they lie.
//!
//! A block of two short axes has too few elements for moving and casting them to be worth it: of a batch of 4 by 4 matrices,
//! turned over, there would be 16. So here a block has all the innermost axes that it has room for, in the plan's order, and
//! the next one as far as there is room. How far its elements lie from its first one is the same for all blocks, and is
//! calculated once.

use super::plan::{Axis, Place, Plan, for_each_place};
use super::{Outcome, ROW, Runs};
use crate::buffer::Buffer;

/// The most elements of a block.
const PLACES: usize = 512;

/// The fewest elements of all axes for which a list is made, which takes the time in which some thousand are moved without one.
const MANY: usize = 4096;

/// The fewest elements of two axes that are moved by themselves.
const ENOUGH: usize = 256;

/// The fewest elements of a run that is moved as such.
const RUN: usize = 16;

/// The bytes of the largest element.
const LARGEST: usize = 16;

/// What the blocks of a plan are.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// The plan's axes before those of a block, the last of them in steps of `planes`.
    outer: usize,
    planes: usize,
    /// The elements of one plane.
    plane: usize,
    /// The bytes of an element of the source, and of the destination.
    sizes: [usize; 2],
}

/// Blocks, and where their elements lie.
pub(super) struct Places {
    cut: Cut,
    src: Side,
    dst: Side,
}

/// Where the elements of a block lie on one side.
struct Side {
    size: usize,
    /// The bytes from the first to each, as many as there are elements.
    offsets: [isize; PLACES],
    /// Whether they are a run.
    is_run: bool,
    buffer: Buffer<{ PLACES * LARGEST }>,
}

impl Cut {
    /// That of a plan for which a list takes less time.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let axes = plan.axes();
        let (from, to) = (plan.from.size()?, plan.to.size()?);
        let (inner, others) = axes.split_last()?;
        let rows = others[plan.rows()?];
        let is_run = inner.src == from as isize && inner.dst == to as isize;
        if axes.len() < 3
            || inner.len >= if is_run { RUN } else { ROW }
            || inner.len * rows.len >= ENOUGH
            || plan.elements() < MANY
        {
            return None;
        }
        let (mut outer, mut plane) = (axes.len(), 1);
        while outer > 0 && axes[outer - 1].len <= PLACES / plane {
            outer -= 1;
            plane *= axes[outer].len;
        }
        let planes = if outer > 0 { PLACES / plane } else { 1 };
        let cut = Self { outer, planes, plane, sizes: [from, to] };
        // Elements that are counted are cast one after the other.
        let follow = cut.inside(plan).windows(2).all(|w| w[0].counts_on(&w[1]));
        (!plan.counted || follow).then_some(cut)
    }

    /// The axes of a block.
    fn inside(self, plan: &Plan) -> &[Axis] {
        &plan.axes()[self.outer - usize::from(self.planes > 1)..]
    }
}

impl Places {
    pub(super) fn new(plan: &Plan, cut: Cut) -> Self {
        let side = |size, step: fn(Place) -> isize| Side::new(cut.inside(plan), size, step);
        let [from, to] = cut.sizes;
        Self { cut, src: side(from, |place| place.src), dst: side(to, |place| place.dst) }
    }

    /// Casts the elements of the plan.
    ///
    /// # Safety
    /// As for [`Kernel::run_layouts`](super::Kernel), of these; the addresses are those of the views' first elements.
    pub(super) unsafe fn cast(
        &mut self,
        plan: &Plan,
        src: *const u8,
        dst: *mut u8,
        mut runs: Runs<'_>,
    ) -> Outcome {
        let (outer, inner) = plan.axes().split_at(self.cut.outer);
        let (last, outer) = match outer.split_last() {
            Some((&last, outer)) => (last, outer),
            None => (Axis::ONE, outer),
        };
        debug_assert_eq!(inner.iter().map(|axis| axis.len).product::<usize>(), self.cut.plane);
        let whole = for_each_place(outer, [None; 2], plan.first, |place| {
            (0..last.len).step_by(self.cut.planes).all(|at| {
                let n = self.cut.planes.min(last.len - at) * self.cut.plane;
                // SAFETY: the caller's: these are places of the plan.
                unsafe { self.block(src, dst, place.on(last, at), n, &mut runs) }
            })
        });
        runs.outcome(whole)
    }

    /// Casts a block of so many elements. Answers whether all fit, or were gone on after.
    ///
    /// # Safety
    /// As for [`cast`](Self::cast), of these.
    unsafe fn block(
        &mut self,
        src: *const u8,
        dst: *mut u8,
        place: Place,
        n: usize,
        runs: &mut Runs<'_>,
    ) -> bool {
        if runs.are_over(place.index) {
            return true;
        }
        // SAFETY: the caller's. A buffer has room for a block, and what is scattered has been written.
        unsafe {
            let (src, dst) = (src.offset(place.src), dst.offset(place.dst));
            let source = if self.src.is_run { src } else { self.src.gather(src, n) };
            let target = if self.dst.is_run { dst } else { self.dst.buffer.start() };
            let done = runs.cast(source, target, n, place.index);
            if !self.dst.is_run {
                self.dst.scatter(dst, done);
            }
            done == n || runs.unfit.is_some()
        }
    }
}

impl Side {
    /// Where the first elements along axes lie, as many as a block has.
    fn new(axes: &[Axis], size: usize, step: fn(Place) -> isize) -> Self {
        let mut offsets = [0; PLACES];
        let mut n = 0;
        let first = Place { src: 0, dst: 0, index: 0 };
        for_each_place(axes, [None; 2], first, |place| {
            offsets[n] = step(place);
            n += 1;
            n < PLACES
        });
        let is_run = offsets[..n].iter().enumerate().all(|(i, &at)| at == (i * size) as isize);
        Self { size, offsets, is_run, buffer: Buffer::new() }
    }

    /// Moves so many elements to the buffer, and answers where they are.
    ///
    /// # Safety
    /// They can be read from there on.
    unsafe fn gather(&mut self, src: *const u8, n: usize) -> *const u8 {
        let buffer = self.buffer.start();
        // SAFETY: the caller's; there is room for all elements of a block.
        unsafe {
            each::<true>(self.size, &self.offsets[..n], src.cast_mut(), buffer);
        }
        buffer
    }

    /// Moves so many elements from the buffer.
    ///
    /// # Safety
    /// They have been written there, and can be from `dst` on.
    unsafe fn scatter(&mut self, dst: *mut u8, n: usize) {
        // SAFETY: the caller's.
        unsafe { each::<false>(self.size, &self.offsets[..n], dst, self.buffer.start()) };
    }
}

/// Moves elements of so many bytes between places that lie apart, from which they are gathered or not, and others one after the
/// other.
///
/// # Safety
/// Those from which they are moved can be read, and those to which they are moved be written.
unsafe fn each<const GATHERS: bool>(size: usize, at: &[isize], apart: *mut u8, run: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => each_of::<1, GATHERS>(at, apart, run),
            2 => each_of::<2, GATHERS>(at, apart, run),
            4 => each_of::<4, GATHERS>(at, apart, run),
            8 => each_of::<8, GATHERS>(at, apart, run),
            LARGEST => each_of::<LARGEST, GATHERS>(at, apart, run),
            _ => unreachable!("no dtype has elements of {size} bytes"),
        }
    }
}

/// # Safety
/// As for [`each`].
unsafe fn each_of<const N: usize, const GATHERS: bool>(at: &[isize], apart: *mut u8, run: *mut u8) {
    for (i, &offset) in at.iter().enumerate() {
        // SAFETY: the caller's; arrays of bytes have no alignment.
        unsafe {
            let (apart, run) =
                (apart.offset(offset).cast::<[u8; N]>(), run.cast::<[u8; N]>().add(i));
            if GATHERS { run.write(apart.read()) } else { apart.write(run.read()) }
        }
    }
}
