//! Casts of real numbers under options that are not the default ones.
//!
//! An option changes which number of the destination a value becomes, not how that number is stored.
//! So a cast under options first *shapes* its source, a piece at a time that stays in the L1 cache,
//! into numbers of which the default kernels make the right ones:
//!
//! ```text
//! source -- cast or convert --> float32 or the like -- round --> rounded -- wrap or cast --> stored
//!   |                                                                                         |
//!   +------------------- test of what does not fit: stop there, or replace it -------------------+
//! ```
//!
//! * *Cast*: by the default kernel of a pair.
//! * *Convert* ([`narrow`]): to float32, from what it does not hold exactly, such that rounding goes
//!   on from there.
//! * *Round* ([`grid`]): to numbers that the destination has, which its default kernel then only
//!   stores.
//! * *Make sticky* ([`sticky`]): ties are changed to what is no tie, for the default kernel.
//! * *Powers* ([`powers`]): numbers are changed to powers of two, for the default kernel.
//! * *Wrap, clamp* ([`whole`]): for integers.
//! * *Store* ([`stores`], by draws [`drawn_stores`]): some pairs have a loop that does all of that.
//! * *Look up* ([`bytes`], [`longer`], [`rounded`], [`drawn`]): what is found out about all codes of a byte stands for
//!   the steps.
//! * *Test* ([`fit`]): for checked casts, whose first unfit element ends them, and for 8-bit floats
//!   that don't saturate, whose bytes it replaces. Where rounding is stochastic, rounded numbers are
//!   tested. Of long numbers to be checked that become 8-bit floats the results are looked at first: a *store*
//!   that does not saturate shows there what may not fit.
//!
//! This way an option costs a handful of loops for each instruction set, not one for every pair. The
//! loops are written once, in integer arithmetic that the compiler makes vector code of, and
//! compiled for each instruction set.

mod bounds;
mod bytes;
mod drawn;
mod drawn_floats;
mod drawn_stores;
mod draws;
mod fit;
mod fits;
mod grid;
mod halves;
mod imaginary;
mod interval;
mod longer;
pub(crate) mod marks;
mod narrow;
mod plan;
mod powers;
mod rounded;
#[cfg(target_arch = "x86_64")] // Whose AVX2 looks bytes up so.
mod rows;
mod screen;
mod sticky;
mod stores;
#[cfg(target_arch = "x86_64")] // As it does few ones.
mod sums;
mod tops;
mod whole;

use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::philox::{AllDraws, EvenDraws};
use crate::table::{Kernel, Params, Table, Tabled};
use core::mem::MaybeUninit;
use core::{ptr, slice};
use drawn_floats::EncodeLoops;
use drawn_stores::StoresDrawn;
use draws::{Draw, Draws};
use fit::Fit;
use fits::Fits;
use grid::Rounds;
use halves::AnyBits;
use imaginary::Imaginary;
use narrow::Conversions;
use plan::Step;
use powers::Powers;
use sticky::Sticky;
use stores::Store;
use whole::Wraps;

#[cfg(target_arch = "x86_64")]
pub(crate) use bytes::{ByNibbles, Map, look_up};
pub(crate) use bytes::{
    Known, LookUp, LookUpMarked, MarkedHalves, default_results, known, map, refused, refused_halves,
};
pub(crate) use drawn::ByDraws;
#[cfg(target_arch = "x86_64")] // Which has an instruction set with such loops.
pub(crate) use drawn::{CastDrawn, DrawnMap, Pattern};
#[cfg(target_arch = "x86_64")] // Which has such loops.
pub(crate) use drawn_floats::EncodeDrawn;
#[cfg(target_arch = "x86_64")] // Which has such loops.
pub(crate) use drawn_stores::{Form, StoreDrawn, Target, brains, steps, store_loops};
#[cfg(target_arch = "x86_64")] // Whose instruction sets have loops of their own.
pub(crate) use grid::{Grid, Mode};
pub(crate) use halves::Refused;
#[cfg(target_arch = "x86_64")] // Which has an instruction set with such loops.
pub(crate) use longer::LongerMap;
pub(crate) use longer::LookUpLonger;
#[cfg(target_arch = "x86_64")]
pub(crate) use narrow::Side;
pub(crate) use plan::{Plan, is_told_by_results};
#[cfg(target_arch = "x86_64")]
pub(crate) use rows::{Change, Rows};
pub(crate) use screen::Screen;
pub(crate) use stores::Stores;
#[cfg(target_arch = "x86_64")]
pub(crate) use stores::{TINY, all_stores, all_wraps, x86_stores};
#[cfg(target_arch = "x86_64")]
pub(crate) use sums::Sum;
pub(crate) use tops::{Asked, Tells, Tops, is_tested};
pub(crate) use whole::Clamps;
#[cfg(target_arch = "x86_64")]
pub(crate) use whole::{BIT, BIT_64, Range, is_zero_past_ints};

/// An element as the bytes it is stored in.
type Bytes<const N: usize> = [u8; N];

/// The elements of a loop, of `A` bytes each, and where what they become, of `B` bytes each, is written.
///
/// # Safety
/// The pointers are valid for reading and writing `n` of them as long as the slices are used, and don't overlap. (As
/// bytes they have no alignment.)
#[inline(always)]
pub(crate) unsafe fn elements<'a, const A: usize, const B: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> (&'a [Bytes<A>], &'a mut [MaybeUninit<Bytes<B>>]) {
    // SAFETY: the caller's.
    unsafe { (slice::from_raw_parts(src.cast(), n), slice::from_raw_parts_mut(dst.cast(), n)) }
}

/// The loops of an instruction set.
pub(crate) struct Shapes {
    pub(crate) rounds: Rounds,
    pub(crate) fits: Fits,
    pub(crate) imaginary: Imaginary,
    pub(crate) clamps: Clamps,
    pub(crate) conversions: Conversions,
    pub(crate) stores: Stores,
    pub(crate) stores_drawn: StoresDrawn,
    wraps: Wraps,
    sticky: Sticky,
    powers: [Powers; 2],
    pub(crate) draw: Draw<AllDraws>,
    pub(crate) draw_even: Draw<EvenDraws>,
    pub(crate) look_up: LookUp,
    /// Whether that loop is by 4 bits at a time.
    #[cfg(target_arch = "x86_64")]
    pub(crate) looks_up_nibbles: bool,
    /// Of floats of so many bits at most, codes are [rounded] by that look-up, which takes less time than numbers.
    pub(crate) rounds_codes: usize,
    /// Whether 64-bit integers become float32s rounded to a side in less time than those of 32 bits and a clamp.
    pub(crate) converts_longs: bool,
    /// Below which exponent of a small float's largest number loops of [`Stores`] clamp integers of up to 32 bits to bytes
    /// by themselves: of 8 those without a sign.
    pub(crate) stores_clamp: i32,
    /// The same of those that do not saturate.
    pub(crate) overflows_clamp: i32,
    /// Whether it takes less time to look for NaN among powers of two than to test what they come of, of 16 bits and more.
    pub(crate) tells_powers: bool,
    /// Where that takes less time than a test before.
    pub(crate) look_up_marked: Option<LookUpMarked>,
    pub(crate) any_bits: AnyBits,
    /// Where there is such a loop.
    pub(crate) marked_halves: Option<MarkedHalves>,
    /// Where there are such loops.
    pub(crate) by_draws: Option<ByDraws>,
    pub(crate) encodes_drawn: Option<EncodeLoops>,
    /// To integers of 2, 4 and 8 bytes, where there are such loops.
    pub(crate) look_up_longer: Option<[LookUpLonger; 3]>,
}

impl Shapes {
    /// Whatever the instruction set, compiled for it, with so many blocks of draws made at a time.
    pub(crate) const fn of<I: Isa, const BLOCKS: usize>() -> Self {
        Self {
            rounds: Rounds::of::<I>(),
            fits: Fits::of::<I>(),
            imaginary: Imaginary::of::<I>(),
            clamps: Clamps::of::<I>(),
            conversions: Conversions::of::<I>(),
            stores: Stores::of::<I>(),
            stores_drawn: drawn_stores::stores_drawn::<I>,
            wraps: Wraps::of::<I>(),
            sticky: sticky::sticky::<I>,
            powers: powers::powers::<I>(),
            draw: draws::draw::<I, BLOCKS, AllDraws>,
            draw_even: draws::draw::<I, BLOCKS, EvenDraws>,
            look_up: bytes::look_up,
            #[cfg(target_arch = "x86_64")]
            looks_up_nibbles: false,
            rounds_codes: 0,
            converts_longs: false,
            stores_clamp: 0,
            overflows_clamp: 0,
            tells_powers: false,
            look_up_marked: None,
            any_bits: halves::any_bits::<I>,
            marked_halves: None,
            by_draws: None,
            encodes_drawn: None,
            look_up_longer: None,
        }
    }
}

/// The kernel of any pair of real dtypes that are not packed, under options that are not the default
/// ones.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(crate) unsafe fn kernel<I: Tabled>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe { cast(I::table(), src, dst, n, params) }
}

/// Casts real numbers under any options, and answers as a kernel does.
///
/// # Safety
/// As for every kernel; both dtypes are real and not packed.
pub(crate) unsafe fn cast(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe { cast_knowing(&known(table, n, params), table, src, dst, n, params) }
}

/// Casts real numbers, knowing so much.
///
/// # Safety
/// As for every kernel; both dtypes are real and not packed, and what is known is so of the pair and its options. The CPU
/// has the instruction set of the table.
pub(crate) unsafe fn cast_knowing(
    known: &Known,
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    if params.options.is_default() {
        // SAFETY: the caller's; this is the pair's kernel.
        return unsafe { (table.pairs.get(params.from, params.to).kernel)(src, dst, n, params) };
    }
    // SAFETY: the caller's.
    unsafe {
        match known {
            Known::Zeros => dst.write_bytes(0, params.to.bits() / 8 * n),
            Known::Kernel(kernel) => return kernel(src, dst, n, params),
            Known::Results(results) => (table.shapes.look_up)(results, src, dst, n),
            Known::Longer(results, look_up) => look_up(results, src, dst, n),
            Known::Narrowed(byte, range, results) => {
                bytes::by_narrowed(table, src, dst, n, params.from, (*byte, *range), results);
            }
            Known::Rounded(rounded, codes) => rounded.cast(table, src, dst, n, params, codes),
            Known::Drawn(drawn, map) => drawn.cast(table, src, dst, n, params, map),
            Known::DrawnFloats(drawn) => drawn.cast(table, src, dst, n, params),
            Known::Nothing => return cast_by_steps(table, src, dst, n, params),
        }
    }
    n
}

/// Casts real numbers by the steps of their plan, or tests them as they are cast.
///
/// # Safety
/// As for [`cast_knowing`].
unsafe fn cast_by_steps(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        if let Some(store) = params.plan().telling
            && n >= LONG
        {
            by_results(store, table, src, dst, n, params)
        } else if let Some(kernel) = fitting_kernel(table, n, params) {
            while_fitting(kernel, table, src, dst, n, params)
        } else if let Some(look_up) = table.shapes.look_up_marked
            && let Some(fit) = params.plan().marked_bytes(params.from, params.to)
            && n >= LONG
        {
            bytes::by_marks(table, src, dst, n, params, fit, look_up)
        } else if let Some(seed) = params.plan().seed {
            let mut draws = Draws::new(seed, params);
            pieces(table, src, dst, n, params, |len| draws.next(&table.shapes, len))
        } else {
            pieces(table, src, dst, n, params, |_| ptr::null())
        }
    }
}

/// The kernel of a checked cast that tests elements in registers, if `n` of them are best cast by one.
#[inline(always)]
fn fitting_kernel(table: &Table, n: usize, params: &Params) -> Option<Kernel> {
    let plan = params.plan();
    let is_wanted = n >= LONG && (plan.screen().is_some() || plan.tops().is_some());
    if is_wanted { table.stepwise.fitting(params.from, params.to) } else { None }
}

/// Casts by such a kernel, and a piece in the other way where it ends: there elements are left for less than a step, or
/// one of them may be unfit.
///
/// # Safety
/// As for [`cast`]; the kernel is the pair's.
unsafe fn while_fitting(
    kernel: Kernel,
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    let (from, to) = (params.from.bits() / 8, params.to.bits() / 8);
    let mut done = 0;
    while done < n {
        // SAFETY: the caller's: what is left follows the elements that are done.
        unsafe {
            done += kernel(src.add(done * from), dst.add(done * to), n - done, params);
            let len = LONG.min(n - done);
            let (src, dst) = (src.add(done * from), dst.add(done * to));
            let fitting = pieces(table, src, dst, len, params, |_| ptr::null());
            done += fitting;
            if fitting < len {
                break;
            }
        }
    }
    done
}

/// Casts by a loop that makes infinity or NaN of what does not fit. Where it makes none, all fit. (They may come of the
/// source's, too: that is tested then.)
///
/// # Safety
/// As for [`cast`]; the loop is the pair's, and makes the results of what fits.
unsafe fn by_results(
    store: Store,
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    /// Bytes of the source at a time: these, and the results, are still in the L1 cache when they are looked at.
    const PIECE: usize = 16384;
    let Some((fit, _)) = &params.plan().fit else {
        unreachable!("the cast is checked");
    };
    let beyond = Fit::beyond(params.to.float_format());
    let from = params.from.bits() / 8;
    let mut done = 0;
    while done < n {
        let len = (PIECE / from).min(n - done);
        // SAFETY: the caller's: what is left follows the elements that are done.
        unsafe {
            let (src, dst) = (src.add(done * from), dst.add(done));
            store(src, dst, len, false);
            let fits = &table.shapes.fits;
            if fits.first(&beyond, dst, len) < len {
                let fitting = fits.first(fit, src, len);
                if fitting < len {
                    return done + fitting;
                }
            }
        }
        done += len;
    }
    n
}

/// What tells that the real parts of complex elements fit, if all there is to their cast but for tests is the default
/// kernel.
pub(crate) fn screen_of_parts(params: &Params) -> Option<Screen> {
    let plan = params.plan();
    match &plan.fit {
        _ if params.options.is_default() => Some(Screen::NONE),
        Some((fit, _)) if plan.is_checked_default() => match fit.is_whole() {
            true => Some(Screen::NONE),
            false => fit.screen().filter(|screen| screen.is_of_floats()).copied(),
        },
        _ => None,
    }
}

/// How many elements come before the first that does not fit, if all there is to a cast but for that
/// test is the default kernel; else None.
///
/// # Safety
/// `src` is valid for reading `n` elements of `params.from`, which is real and not packed. The CPU has
/// the instruction set of the table.
pub(crate) unsafe fn fitting(
    table: &Table,
    src: *const u8,
    n: usize,
    params: &Params,
) -> Option<usize> {
    match (params.plan().is_checked_default(), &params.plan().fit) {
        // SAFETY: the caller's.
        (true, Some((fit, _))) => Some(unsafe { table.shapes.fits.first(fit, src, n) }),
        _ => None,
    }
}

/// The elements from which on a table pays.
const LONG: usize = 1024;

/// Bytes of a buffer: the elements that are cast at a time stay in the L1 cache through all steps. Where
/// there is but one step, so that no buffer is needed, twice as much is: it is the source that stays.
const BUFFER: usize = 8192;

/// Casts a piece at a time. The closure gives a draw for each of the next so many elements, if the
/// rounding takes any.
///
/// # Safety
/// As for [`cast`].
#[inline(always)]
unsafe fn pieces(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    mut draws: impl FnMut(usize) -> *const u32,
) -> usize {
    let (from, to) = (params.from.bits() / 8, params.to.bits() / 8);
    let (mut first, mut second) = (Buffer::<BUFFER>::new(), Buffer::<BUFFER>::new());
    let direct = params.plan().count == 1 && params.plan().seed.is_none();
    let len = if direct { 2 * BUFFER } else { BUFFER } / params.plan().widest;
    let mut start = 0;
    while start < n {
        let len = len.min(n - start);
        // SAFETY: the caller's: `len` elements are left at `start`, and fit a buffer as anything
        // that the plan makes of them.
        let done = unsafe {
            let (src, dst) = (src.add(start * from), dst.add(start * to));
            piece(table, src, dst, len, params, draws(len), [first.start(), second.start()])
        };
        start += done;
        if done < len {
            break;
        }
    }
    start
}

/// Takes `n` elements through all steps, and answers as a kernel does.
///
/// # Safety
/// As for [`cast`]; `draws` is valid for `n` numbers, if the rounding takes any, and the buffers for
/// `n` elements of every dtype on the way. None overlaps another.
unsafe fn piece(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    draws: *const u32,
    buffers: [*mut u8; 2],
) -> usize {
    let (plan, shapes) = (params.plan(), &table.shapes);
    let (mut n, mut numbers, mut tested) = (n, src, src);
    // SAFETY: the caller's. Every step reads elements that are the caller's or that the step before
    // wrote, and writes them to the buffer that it does not read, or to the destination. The test
    // comes before the last step, so that what was tested is still there at the end.
    unsafe {
        for i in 0..=plan.count {
            if let Some((fit, before)) = &plan.fit
                && *before == i
            {
                tested = numbers;
                if plan.substitute.is_none() {
                    n = shapes.fits.first(fit, numbers, n);
                }
            }
            if i == plan.count {
                break;
            }
            let target = if i + 1 == plan.count { dst } else { buffers[i % 2] };
            step(table, &plan.steps[i], numbers, target, n, params, draws);
            numbers = target;
        }
        if let (Some((fit, _)), Some(substitute)) = (&plan.fit, plan.substitute) {
            shapes.fits.replace(fit, tested, dst, n, substitute);
        }
        if let Some((infinities, substitute)) = &plan.infinities {
            shapes.fits.replace(infinities, src, dst, n, *substitute);
        }
    }
    n
}

/// # Safety
/// As for [`piece`], with the step's source and destination.
unsafe fn step(
    table: &Table,
    step: &Step,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    draws: *const u32,
) {
    let shapes = &table.shapes;
    // SAFETY: the caller's.
    unsafe {
        match *step {
            Step::Cast(from, to) => {
                (table.pairs.get(from, to).kernel)(src, dst, n, &params.by_default(from, to));
            }
            Step::Convert(from, to, side) => shapes.conversions.get(from, to, side)(src, dst, n),
            Step::Store(store, saturate) => store(src, dst, n, saturate),
            Step::StoreDrawn(ref store) => store.run(src, dst, n, draws),
            Step::Round(ref rounding) => rounding.run(&shapes.rounds, src, dst, n, draws),
            Step::Sticky(infinity) => (shapes.sticky)(src, dst, n, infinity),
            Step::Powers(nearest) => shapes.powers[usize::from(nearest)](src, dst, n),
            Step::Wrap(from, to) => shapes.wraps.get(from, to)(src, dst, n),
            Step::Clamp(from, to, range) => shapes.clamps.get(from, to)(src, dst, n, range),
        }
    }
}
