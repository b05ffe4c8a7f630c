//! Kernels that turn elements in registers, between memory and the loop of a pair.
//!
//! Turning a block of elements first takes a pass of its own, over memory that no kernel waits for, and the CPU doesn't
//! look far enough ahead to do both at once. That is nothing beside a kernel that calculates much, but of those that
//! take little longer than their memory does, it took twice the time. So these are compiled once more for each side
//! that may be turned, a step at a time:
//!
//! ```text
//! source -- turn --> step -- the kernel's own step --> step -- turn --> destination
//! ```
//!
//! The steps are on the stack and of constant size, so that the compiler mostly keeps them in registers.
//!
//! Such a kernel casts whole steps only, and answers how many elements these were. The others go by blocks.

use super::is_swappable;
use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::scalar::direct::is_copy;
use crate::table::{Kernel, RealPairs};

/// Sides that are turned, as a number that a function can be compiled for: none, for the pair's kernel itself, or those
/// with a bit.
pub(crate) const NONE: usize = 0;
/// The bit of the source.
pub(crate) const SOURCE: usize = 1;
/// The bit of the results.
pub(crate) const RESULTS: usize = 2;

/// An instruction set that turns what is in registers.
pub(crate) trait Turns: Isa {
    /// Which byte goes where.
    type Places: Copy;

    /// The places of the bytes of a side's components, which have 2, 4 or 8 bytes. (Of others any.)
    fn places(self, side: Side) -> Self::Places;

    /// Turns the components in so many bytes, which are whole registers.
    ///
    /// # Safety
    /// The pointers are valid for reading and writing them, at any alignment, and don't overlap.
    unsafe fn turn(self, places: Self::Places, src: *const u8, dst: *mut u8, bytes: usize);

    /// The same, by half registers.
    ///
    /// # Safety
    /// As for [`turn`](Self::turn).
    #[inline(always)]
    unsafe fn turn_halves(self, places: Self::Places, src: *const u8, dst: *mut u8, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { self.turn(places, src, dst, bytes) }
    }
}

/// Of 16 bytes, which comes to each place, if components of so many, 2, 4 or 8, are turned.
pub(crate) const fn places(width: usize) -> [u8; 16] {
    let mut places = [0; 16];
    let mut i = 0;
    while i < 16 {
        places[i] = (i ^ (width - 1)) as u8;
        i += 1;
    }
    places
}

/// How the elements of a side lie in memory.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    /// The bytes of a component.
    pub(crate) width: usize,
    /// The bits of an element.
    pub(crate) bits: usize,
    /// Whether half registers are stored, as conversions to float16 leave them. (What was just stored in two parts a CPU
    /// doesn't load as one before it is in the cache.)
    pub(crate) halves: bool,
}

impl Side {
    /// That of a dtype.
    pub(crate) const fn of(dtype: DType) -> Self {
        let halves = matches!(dtype, DType::Float16);
        Self { width: dtype.component().bits() / 8, bits: dtype.bits(), halves }
    }
}

/// The bytes of the longest step.
const LONGEST: usize = 1024;

/// Casts as many whole steps of `len` elements as there are in `n`, with the sides turned, and answers how many elements
/// these are.
///
/// # Safety
/// `src` is valid for reading `n` elements and `dst` for writing `n`, at any alignment; they don't overlap. `step` casts
/// `len` elements, which are whole bytes, from one place to another, and a side that is turned whole registers of them.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // A cast's own, and what a step is.
pub(crate) unsafe fn whole_steps<I: Turns>(
    isa: I,
    sides: usize,
    [from, to]: [Side; 2],
    len: usize,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    step: impl Fn(*const u8, *mut u8),
) -> usize {
    let (mut source, mut results) = (Buffer::<LONGEST>::new(), Buffer::<LONGEST>::new());
    let (read, written) = (len * from.bits / 8, len * to.bits / 8);
    debug_assert!(read <= LONGEST && written <= LONGEST);
    let (from_places, to_places) = (isa.places(from), isa.places(to));
    let mut i = 0;
    while n - i >= len {
        // SAFETY: the caller's: a step is left on both sides, which the buffers hold; the results have been written when
        // they are turned.
        unsafe {
            let (src, dst) = (src.add(i / 8 * from.bits), dst.add(i / 8 * to.bits));
            let (mut step_src, mut step_dst) = (src, dst);
            if sides & SOURCE != 0 {
                isa.turn(from_places, src, source.start(), read);
                step_src = source.start();
            }
            if sides & RESULTS != 0 {
                step_dst = results.start();
            }
            step(step_src, step_dst);
            if sides & RESULTS != 0 && to.halves {
                isa.turn_halves(to_places, step_dst, dst, written);
            } else if sides & RESULTS != 0 {
                isa.turn(to_places, step_dst, dst, written);
            }
        }
        i += len;
    }
    i
}

/// Whether a pair has a kernel for the sides: not where turning a block first takes little of the time, nor where
/// something else is done.
const fn suits(from: DType, to: DType, sides: usize) -> bool {
    let [source, results] = [sides & SOURCE != 0, sides & RESULTS != 0];
    if is_copy(from, to) || source && !is_swappable(from) || results && !is_swappable(to) {
        return false;
    }
    let (a, b) = (from.component(), to.component());
    let is_zero_test = matches!(a.kind(), Kind::Int | Kind::UInt) && matches!(b.kind(), Kind::Bool);
    let rounds_to_few_bits = matches!(a.kind(), Kind::Float)
        && matches!(b.kind(), Kind::Float)
        && b.bits() == 8
        && !matches!(b, DType::Float8E8M0Fnu);
    !is_zero_test && !rounds_to_few_bits
}

/// How many dtypes have a byte order.
const ORDERED: usize = {
    let (mut count, mut i) = (0, 0);
    while i < DType::COUNT {
        count += is_swappable(DType::ALL[i]) as usize;
        i += 1;
    }
    count
};

/// The place of each of them among them.
const PLACES: [u8; DType::COUNT] = {
    let (mut places, mut count, mut i) = ([u8::MAX; DType::COUNT], 0, 0);
    while i < DType::COUNT {
        if is_swappable(DType::ALL[i]) {
            places[i] = count;
            count += 1;
        }
        i += 1;
    }
    places
};

/// The kernels of an instruction set: for each choice of sides, by the dtype of one that is turned, and the other's.
pub(crate) struct Turned([[[Option<Kernel>; DType::COUNT]; ORDERED]; 3]);

impl Turned {
    /// No kernels.
    pub(crate) const NONE: Self = Self([[[None; DType::COUNT]; ORDERED]; 3]);

    /// Adds those of such sides that suit their pairs.
    pub(crate) const fn with<const SIDES: usize>(mut self, pairs: RealPairs) -> Self {
        let mut i = 0;
        while i < DType::COUNT * DType::COUNT {
            let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
            if suits(from, to, SIDES) {
                let (row, column) = Self::place(from, to, SIDES);
                self.0[SIDES - 1][row][column] = pairs.get(from, to);
            }
            i += 1;
        }
        self
    }

    /// The kernel of a pair for sides one of which, at least, is turned, and all of which have a byte order.
    pub(crate) const fn get(
        &self,
        from: DType,
        to: DType,
        [source, results]: [bool; 2],
    ) -> Option<Kernel> {
        let sides = source as usize * SOURCE + results as usize * RESULTS;
        let (row, column) = Self::place(from, to, sides);
        self.0[sides - 1][row][column]
    }

    const fn place(from: DType, to: DType, sides: usize) -> (usize, usize) {
        if sides & SOURCE != 0 {
            (PLACES[from as usize] as usize, to as usize)
        } else {
            (PLACES[to as usize] as usize, from as usize)
        }
    }
}
