//! Casts of real numbers under options that are not the default ones.
//!
//! An option changes which number of the destination a value becomes, not how that number is stored.
//! So a cast under options first *shapes* its source, a piece at a time that stays in the L1 cache,
//! into numbers of which the default kernels make the right ones:
//!
//! ```text
//! source -- default kernel --> hub -- round --> rounded -- wrap or cast by a default kernel --> stored
//!                               |                  |                                              |
//!                               +---- test of what does not fit: stop there, or replace it -------+
//! ```
//!
//! * *Hub*: the source itself if that can be rounded or tested as it is; else float32 or float64,
//!   whichever holds it exactly.
//! * *Round* ([`grid`]): to numbers that the destination has, which the default kernel then only
//!   stores.
//! * *Wrap, clamp* ([`whole`]): for integers.
//! * *Test* ([`fit`]): for checked casts, whose first unfit element ends them, and for 8-bit floats
//!   that don't saturate, whose bytes it replaces.
//!
//! This way an option costs a handful of loops for each instruction set, not one for every pair. The
//! loops are written once, in integer arithmetic that the compiler makes vector code of, and
//! compiled for each instruction set.

mod fit;
mod grid;
mod whole;

use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::format::{FloatFormat, Numbers, Specials};
use crate::options::{self, Options, Overflow};
use crate::philox;
use crate::table::{Params, Table, Tabled};
use core::mem::MaybeUninit;
use core::ptr;
use fit::{Fit, Fits, Question, Substitute};
use grid::{Mode, Rounding, Rounds};
use whole::{Clamps, Range};

/// An element as the bytes it is stored in.
type Bytes<const N: usize> = [u8; N];

/// The loops of an instruction set.
pub(crate) struct Shapes {
    rounds: Rounds,
    fits: Fits,
    clamps: Clamps,
    wrap32: whole::Wrap,
    wrap64: whole::Wrap,
    draw: Draw,
}

impl Shapes {
    pub(crate) const fn of<I: Isa>() -> Self {
        Self {
            rounds: Rounds::of::<I>(),
            fits: Fits::of::<I>(),
            clamps: Clamps::of::<I>(),
            wrap32: whole::wrap32::<I>,
            wrap64: whole::wrap64::<I>,
            draw: draw::<I>,
        }
    }
}

/// How a pair of real dtypes is cast under some options.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    hub: DType,
    fit: Option<Fit>,
    /// Whether what fits is asked of the rounded numbers, not of the hub's.
    fit_rounded: bool,
    /// What becomes of unfit elements: if nothing is written for them, they end the cast.
    substitute: Option<Substitute>,
    rounding: Option<Rounding>,
    seed: u64,
    end: End,
}

/// What is done with the numbers at last.
#[derive(Clone, Copy)]
enum End {
    /// The default kernel stores them.
    Cast,
    /// Their low bits are stored.
    Wrap,
    /// Integers are clamped, and stored.
    Clamp(Range),
}

impl Plan {
    /// For a pair whose options are the default ones: never run.
    pub(crate) const NONE: Self = Self {
        hub: DType::Bool,
        fit: None,
        fit_rounded: false,
        substitute: None,
        rounding: None,
        seed: 0,
        end: End::Cast,
    };

    /// For a pair of real dtypes under options as plain as they can be.
    pub(crate) fn new(from: DType, to: DType, options: &Options) -> Self {
        if options.is_default() {
            return Self::NONE;
        }
        let mode = mode(to, options.rounding);
        let rounds = !matches!(options.rounding, options::Rounding::Default);
        let wraps = matches!(options.overflow, Overflow::Wrap);
        let clamps = matches!(options.overflow, Overflow::Saturate);
        let hub = if rounds || wraps {
            float_hub(from, to, rounds)
        } else if clamps || matches!(from, DType::Bool) {
            byte_integer(from)
        } else {
            from
        };
        let rounding = rounds.then(|| Rounding::new(hub, to, mode));
        let rounded = rounding.map_or(hub, |rounding| rounding.to());
        let fit_rounded = matches!(mode, Mode::Stochastic);
        let tested = if fit_rounded { rounded } else { hub };
        let checked = matches!(options.overflow, Overflow::Error);
        let question = if checked { Question::Refused } else { Question::Overflows };
        let replaces = !options.saturate && !checked;
        let seed = match options.rounding {
            options::Rounding::Stochastic { seed } => seed,
            _ => 0,
        };
        Self {
            hub,
            fit: (checked || replaces).then(|| Fit::new(tested, to, mode, question)),
            fit_rounded,
            substitute: replaces.then(|| substitute(to)),
            rounding,
            seed,
            end: if wraps {
                End::Wrap
            } else if clamps {
                End::Clamp(common_range(hub, to))
            } else {
                End::Cast
            },
        }
    }
}

/// How numbers are rounded.
const fn mode(to: DType, rounding: options::Rounding) -> Mode {
    let powers =
        matches!(to.numbers(), Numbers::Float(FloatFormat { specials: Specials::PowersOfTwo, .. }));
    match rounding {
        options::Rounding::Default if powers => Mode::Up,
        // Between powers of two the upper one counts as even.
        options::Rounding::NearestEven if powers => Mode::NearestAway,
        options::Rounding::Default if matches!(to.kind(), Kind::Float) => Mode::NearestEven,
        options::Rounding::Default | options::Rounding::TowardZero => Mode::TowardZero,
        options::Rounding::NearestEven => Mode::NearestEven,
        options::Rounding::NearestAway => Mode::NearestAway,
        options::Rounding::Up => Mode::Up,
        options::Rounding::Down => Mode::Down,
        options::Rounding::Stochastic { .. } => Mode::Stochastic,
    }
}

/// The dtype that numbers are rounded or wrapped in, which holds them exactly.
const fn float_hub(from: DType, to: DType, rounds: bool) -> DType {
    // float32's own subnormal numbers are no grid of powers of two, and its integers have 32 bits.
    let powers = matches!(to, DType::Float8E8M0Fnu) && rounds;
    let narrow = !powers && !(to.bits() == 64 && matches!(to.kind(), Kind::Int | Kind::UInt));
    match from {
        DType::Int64 | DType::UInt64 => from,
        DType::Float64 | DType::Int32 | DType::UInt32 => DType::Float64,
        _ if narrow => DType::Float32,
        _ => DType::Float64,
    }
}

/// Small integers and bools as integers of a byte.
const fn byte_integer(from: DType) -> DType {
    match (from.kind(), from.bits()) {
        (Kind::Int, 8) => DType::Int8,
        (Kind::UInt | Kind::Bool, 8) => DType::UInt8,
        _ => from,
    }
}

/// What an 8-bit float stores for an overflow when it does not saturate.
const fn substitute(to: DType) -> Substitute {
    let Numbers::Float(format) = to.numbers() else {
        panic!("only floats saturate or not");
    };
    let code = match (format.infinity(), format.nan()) {
        (Some(infinity), _) => infinity,
        (None, Some(nan)) => nan,
        (None, None) => panic!("a format with neither infinity nor NaN always saturates"),
    };
    let sign = if format.nan_has_sign() { format.sign_mask() } else { 0 };
    Substitute { code: code as u8, sign: sign as u8 }
}

/// The numbers that two integer dtypes share, as the first has them.
const fn common_range(from: DType, to: DType) -> Range {
    let (Numbers::Int(a), Numbers::Int(b)) = (from.numbers(), to.numbers()) else {
        panic!("only integers clamp");
    };
    let (low_a, low_b) = (a.min_magnitude(), b.min_magnitude());
    let low = if low_a < low_b { low_a } else { low_b };
    let high = if a.max() < b.max() { a.max() } else { b.max() };
    Range(low.wrapping_neg(), high)
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

/// Casts real numbers under options that matter, and answers as a kernel does.
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
    unsafe {
        if params.plan.fit_rounded {
            let mut draws = Draws::new(params);
            pieces(table, src, dst, n, params, |len| draws.next(&table.shapes, len))
        } else {
            pieces(table, src, dst, n, params, |_| ptr::null())
        }
    }
}

/// Bytes of a buffer: the elements that are cast at a time stay in the L1 cache through all steps.
const BUFFER: usize = 8192;

#[repr(align(64))]
struct Buffer([MaybeUninit<u8>; BUFFER]);

impl Buffer {
    const fn new() -> Self {
        Self([MaybeUninit::uninit(); BUFFER])
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

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
    let (mut hub, mut rounded) = (Buffer::new(), Buffer::new());
    let len = BUFFER / from.max(to).max(params.plan.hub.bits() / 8);
    let mut start = 0;
    while start < n {
        let len = len.min(n - start);
        // SAFETY: the caller's: `len` elements are left at `start`, and fit a buffer as anything
        // that they go through, none of which is wider than the source, the destination or the hub.
        let done = unsafe {
            let (src, dst) = (src.add(start * from), dst.add(start * to));
            piece(table, src, dst, len, params, draws(len), hub.start(), rounded.start())
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
/// As for [`cast`]; `draws` is valid for `n` numbers, if the rounding takes any, and `buffer` and
/// `other` for `n` elements of every dtype on the way. None overlaps another.
#[allow(clippy::too_many_arguments)]
unsafe fn piece(
    table: &Table,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    draws: *const u32,
    buffer: *mut u8,
    other: *mut u8,
) -> usize {
    let (plan, shapes) = (&params.plan, &table.shapes);
    let by_default = |from: DType, to: DType, src: *const u8, dst: *mut u8, n: usize| {
        let params = Params { from, to, options: Options::DEFAULT, ..*params };
        // SAFETY: see the calls.
        unsafe { (table.pairs.get(from, to).kernel)(src, dst, n, &params) };
    };
    // SAFETY: the caller's. Every step reads elements that are the caller's or that an earlier step
    // wrote, and writes to memory that no element still to be read is in: a buffer of its own, or
    // the destination.
    unsafe {
        let hub = if plan.hub as u8 == params.from as u8 {
            src
        } else {
            by_default(params.from, plan.hub, src, buffer, n);
            buffer.cast_const()
        };
        let test = |tested: *const u8, n: usize| match (&plan.fit, &plan.substitute) {
            (Some(fit), None) => shapes.fits.first(fit, tested, n),
            _ => n,
        };
        let mut n = if plan.fit_rounded { n } else { test(hub, n) };
        let (rounded, is) = match &plan.rounding {
            None => (hub, plan.hub),
            Some(rounding) => {
                let target = if rounding.to() as u8 == params.to as u8 { dst } else { other };
                rounding.run(&shapes.rounds, hub, target, n, draws);
                (target.cast_const(), rounding.to())
            }
        };
        if plan.fit_rounded {
            n = test(rounded, n);
        }
        match plan.end {
            End::Cast if is as u8 == params.to as u8 => {}
            End::Cast => by_default(is, params.to, rounded, dst, n),
            End::Clamp(range) => {
                shapes.clamps.get(is, params.to)(rounded, dst, n, range);
            }
            End::Wrap => {
                let wide = is.bits() == 64;
                let unsigned = if wide { DType::UInt64 } else { DType::UInt32 };
                let in_place = params.to.bits() == is.bits();
                // Numbers that were rounded are in the other buffer.
                let free = if plan.rounding.is_some() { buffer } else { other };
                let target = if in_place { dst } else { free };
                (if wide { shapes.wrap64 } else { shapes.wrap32 })(rounded, target, n);
                if !in_place {
                    by_default(unsigned, params.to, target, dst, n);
                }
            }
        }
        if let (Some(fit), Some(substitute)) = (&plan.fit, plan.substitute) {
            let tested = if plan.fit_rounded { rounded } else { hub };
            shapes.fits.replace(fit, tested, dst, n, substitute);
        }
        n
    }
}

/// Fills groups of draws from a block on.
///
/// # Safety
/// The CPU has the instruction set.
type Draw = unsafe fn(u64, u64, &mut [[MaybeUninit<u32>; philox::GROUP]]);

/// # Safety
/// As for every [`Draw`].
unsafe fn draw<I: Isa>(seed: u64, block: u64, groups: &mut [[MaybeUninit<u32>; philox::GROUP]]) {
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || philox::fill(seed, block, groups),
    );
}

/// The most draws that a piece spans: two for every element of two bytes, and up to three before the
/// first.
const GROUPS: usize = (BUFFER / 4 * 2 + 3).div_ceil(philox::GROUP);

/// The draws of elements in order.
struct Draws {
    seed: u64,
    /// The place of the next element's draw.
    place: u64,
    /// How far the places of neighbours lie apart: 1 or 2.
    step: u64,
    words: [[MaybeUninit<u32>; philox::GROUP]; GROUPS],
}

impl Draws {
    #[inline(always)]
    fn new(params: &Params) -> Self {
        Self {
            seed: params.plan.seed,
            place: params.options.first_index,
            step: params.draw_step,
            words: [[MaybeUninit::uninit(); philox::GROUP]; GROUPS],
        }
    }

    /// The draws of the next `len` elements, of at least 4 bytes in a piece.
    ///
    /// # Safety
    /// The CPU has the instruction set; `len` elements of 4 bytes fit a [`Buffer`].
    unsafe fn next(&mut self, shapes: &Shapes, len: usize) -> *const u32 {
        let (block, before) = (self.place / 4, (self.place % 4) as usize);
        let spanned = before + len * self.step as usize;
        let groups = &mut self.words[..spanned.div_ceil(philox::GROUP)];
        // SAFETY: the caller's.
        unsafe { (shapes.draw)(self.seed, block, groups) };
        let words = groups.as_flattened_mut();
        if self.step == 2 {
            for i in 0..len {
                words[i] = words[before + 2 * i];
            }
        }
        self.place = self.place.wrapping_add(len as u64 * self.step);
        let skipped = if self.step == 2 { 0 } else { before };
        words[skipped..].as_ptr().cast()
    }
}
