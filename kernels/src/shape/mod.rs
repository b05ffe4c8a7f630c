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
//! * *Wrap, clamp* ([`whole`]): for integers.
//! * *Test* ([`fit`]): for checked casts, whose first unfit element ends them, and for 8-bit floats
//!   that don't saturate, whose bytes it replaces. Where rounding is stochastic, rounded numbers are
//!   tested.
//!
//! This way an option costs a handful of loops for each instruction set, not one for every pair. The
//! loops are written once, in integer arithmetic that the compiler makes vector code of, and
//! compiled for each instruction set.

mod fit;
mod grid;
mod narrow;
mod stores;
mod whole;

use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::format::{FloatFormat, Numbers, Specials};
use crate::options::{self, Options, Overflow};
use crate::philox;
use crate::table::{Params, Table, Tabled};
use core::mem::MaybeUninit;
use core::{array, ptr, slice};
use fit::{Fit, Fits, Question, Substitute};
use grid::{Rounding, Rounds};
use narrow::{Conversions, Side};
use whole::{Clamps, Range, Wraps};

pub(crate) use grid::{Grid, Mode};
pub(crate) use stores::{Store, Stores};

/// An element as the bytes it is stored in.
type Bytes<const N: usize> = [u8; N];

/// Writes for each byte the one of a table that it tells.
///
/// # Safety
/// The pointers are valid for so many bytes, and don't overlap. The CPU has the instruction set.
pub(crate) type LookUp = unsafe fn(&[u8; 256], *const u8, *mut u8, usize);

/// # Safety
/// As for every [`LookUp`].
unsafe fn look_up(table: &[u8; 256], src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; bytes have no alignment.
    let (src, dst) = unsafe {
        (slice::from_raw_parts(src, n), slice::from_raw_parts_mut(dst.cast::<MaybeUninit<u8>>(), n))
    };
    for (&code, out) in src.iter().zip(dst) {
        out.write(table[usize::from(code)]);
    }
}

/// The loops of an instruction set.
pub(crate) struct Shapes {
    pub(crate) rounds: Rounds,
    pub(crate) fits: Fits,
    clamps: Clamps,
    pub(crate) conversions: Conversions,
    pub(crate) stores: Stores,
    wraps: Wraps,
    pub(crate) draw: Draw,
    pub(crate) look_up: LookUp,
}

impl Shapes {
    /// Whatever the instruction set, compiled for it, with so many blocks of draws made at a time.
    pub(crate) const fn of<I: Isa, const BLOCKS: usize>() -> Self {
        Self {
            rounds: Rounds::of::<I>(),
            fits: Fits::of::<I>(),
            clamps: Clamps::of::<I>(),
            conversions: Conversions::of::<I>(),
            stores: Stores::of::<I>(),
            wraps: Wraps::of::<I>(),
            draw: draw::<I, BLOCKS>,
            look_up,
        }
    }
}

/// How a pair of real dtypes is cast under some options: a few steps, each of which reads what the one
/// before has written; and a test of what comes before one of them.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    steps: [Step; STEPS],
    count: usize,
    /// The largest size of an element on the way.
    widest: usize,
    /// What does not fit, and how many steps come before that is asked.
    fit: Option<(Fit, usize)>,
    /// What becomes of unfit elements: if nothing is written for them, they end the cast.
    substitute: Option<Substitute>,
    /// The infinities of the source, and what they become: for a checked cast that keeps them.
    infinities: Option<(Fit, Substitute)>,
    /// The seed of stochastic rounding.
    seed: Option<u64>,
    /// Whether a long cast is one by a table, which the steps make of all codes.
    by_table: bool,
}

/// The most steps of any plan.
const STEPS: usize = 4;

/// What is done with the numbers.
#[derive(Clone, Copy)]
enum Step {
    /// The default kernel of a pair casts them.
    Cast(DType, DType),
    /// They become float32 or float64, rounded to a side.
    Convert(DType, DType, Side),
    /// They are rounded to a grid.
    Round(Rounding),
    /// They are rounded, and stored as another dtype, saturating or not.
    Store(Store, bool),
    /// Their low bits become integers of a dtype's size.
    Wrap(DType, DType),
    /// They are clamped to a range, and become integers of another dtype.
    Clamp(DType, DType, Range),
}

impl Plan {
    /// For a pair whose options are the default ones: never run.
    pub(crate) const NONE: Self = Self {
        steps: [Step::Cast(DType::Bool, DType::Bool); STEPS],
        count: 0,
        widest: 1,
        fit: None,
        substitute: None,
        infinities: None,
        seed: None,
        by_table: false,
    };

    /// For a pair of real dtypes under options as plain as they can be.
    pub(crate) fn new(from: DType, to: DType, options: &Options, shapes: &Shapes) -> Self {
        let plan = Self::NONE;
        if options.is_default() {
            return plan;
        }
        let checked = matches!(options.overflow, Overflow::Error);
        let mode = mode(to, options.rounding);
        let mut way = Way { plan, is: from, to, mode };
        let keeps_infinities = checked && keeps_infinities(from, to);
        if let options::Rounding::Stochastic { seed } = options.rounding {
            way.plan.seed = Some(seed);
            way.cast_to(exact_float(from, to));
            way.round();
            way.test(checked, options.saturate);
        } else {
            let store = way.store_of_overflows(shapes);
            way.test(checked, options.saturate || store.is_some());
            if let Some(store) = store
                && (!options.saturate || keeps_infinities)
            {
                way.store_overflows(store);
                return way.plan;
            }
            if !matches!(options.rounding, options::Rounding::Default) {
                way.round_by_steps(shapes, matches!(options.overflow, Overflow::Wrap));
            }
        }
        way.plan.infinities = keeps_infinities.then(|| (Fit::infinities(from), substitute(to)));
        let bytes = from.bits() == 8 && to.bits() == 8;
        let floats = matches!(from.kind(), Kind::Float) || matches!(to.kind(), Kind::Float);
        way.plan.by_table = bytes && floats && !checked && way.plan.seed.is_none();
        way.finish(options.overflow)
    }
}

/// A plan in the making.
struct Way {
    plan: Plan,
    /// What the numbers are after the steps so far.
    is: DType,
    to: DType,
    mode: Mode,
}

impl Way {
    fn step(&mut self, step: Step, to: DType) {
        let sizes = [self.is.bits() / 8, to.bits() / 8, self.plan.widest];
        self.plan.widest = sizes.into_iter().fold(1, usize::max);
        self.plan.steps[self.plan.count] = step;
        self.plan.count += 1;
        self.is = to;
    }

    fn cast_to(&mut self, to: DType) {
        if self.is as u8 != to as u8 {
            self.step(Step::Cast(self.is, to), to);
        }
    }

    fn round(&mut self) {
        let rounding = Rounding::new(self.is, self.to, self.mode);
        self.step(Step::Round(rounding), rounding.to());
    }

    /// Tests numbers as they are now, if the cast is checked or does not saturate.
    fn test(&mut self, checked: bool, saturate: bool) {
        let question = if checked {
            Question::Refused
        } else if !saturate {
            self.plan.substitute = Some(substitute(self.to));
            Question::Overflows
        } else {
            return;
        };
        let fit = Fit::new(self.is, self.to, self.mode, question);
        self.plan.fit = Some((fit, self.plan.count));
    }

    /// The loop that rounds numbers of 32 bits and more, float64s by way of float32, and makes infinity
    /// or NaN of overflows.
    fn store_of_overflows(&self, shapes: &Shapes) -> Option<Store> {
        let from = match self.is {
            DType::Float64 => DType::Float32,
            other if other.bits() == 32 => other,
            _ => return None,
        };
        match self.mode {
            Mode::NearestEven | Mode::NearestAway => shapes.stores.get(from, self.to, self.mode),
            _ => None,
        }
    }

    /// Goes all the way by that loop.
    fn store_overflows(&mut self, store: Store) {
        if matches!(self.is, DType::Float64) {
            self.step(Step::Convert(self.is, DType::Float32, Side::Odd), DType::Float32);
        }
        self.step(Step::Store(store, false), self.to);
    }

    /// Rounds by a mode that is not stochastic.
    fn round_by_steps(&mut self, shapes: &Shapes, wraps: bool) {
        let mode = self.mode;
        use DType::{Float32, Float64, Int32, Int64, UInt32, UInt64};
        if let Some(store) = shapes.stores.get(self.is, self.to, mode)
            && !wraps
        {
            return self.step(Step::Store(store, true), self.to);
        }
        let to_float = matches!(self.to.kind(), Kind::Float);
        match self.is {
            Int64 | UInt64 if matches!(self.to, Float64) => {
                let step = Step::Convert(self.is, Float64, Side::last(mode));
                return self.step(step, Float64);
            }
            Float64 | Int32 | UInt32 | Int64 | UInt64 if to_float => {
                let side = match self.to {
                    Float32 => Side::last(mode),
                    // A sign counts there, even if little else is left.
                    DType::Float8E8M0Fnu => Side::Odd,
                    _ => Side::before(mode),
                };
                self.step(Step::Convert(self.is, Float32, side), Float32);
            }
            Float64 => {}
            _ => self.cast_to(Float32),
        }
        if matches!(self.to, Float32) {
            return;
        }
        match shapes.stores.get(self.is, self.to, mode) {
            Some(store) if !wraps => self.step(Step::Store(store, true), self.to),
            _ => self.round(),
        }
    }

    /// The last steps: rounded numbers become the destination's.
    fn finish(mut self, overflow: Overflow) -> Plan {
        match overflow {
            Overflow::Wrap => {
                if self.to.bits() == 64 {
                    self.cast_to(DType::Float64);
                } else if self.is.bits() < 32 {
                    self.cast_to(DType::Float32);
                }
                // What has fewer bits than its bytes is left to the kernel that fills them.
                let whole = self.to.significant_bits() == self.to.bits();
                let result = if whole { self.to } else { DType::UInt8 };
                self.step(Step::Wrap(self.is, result), result);
            }
            Overflow::Saturate => {
                self.cast_to(byte_integer(self.is));
                let range = common_range(self.is, self.to);
                self.step(Step::Clamp(self.is, self.to, range), self.to);
            }
            _ => {}
        }
        self.cast_to(self.to);
        self.plan
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

/// What numbers are rounded stochastically in, which must hold them exactly: wide integers as they
/// are, others as floats.
const fn exact_float(from: DType, to: DType) -> DType {
    match from {
        DType::Int64 | DType::UInt64 | DType::Int32 | DType::UInt32 => from,
        DType::Float64 => DType::Float64,
        // Float32's own subnormal numbers are no powers of two.
        _ if matches!(to, DType::Float8E8M0Fnu) => DType::Float64,
        _ => DType::Float32,
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

/// Whether a cast that would saturate, but for being checked, keeps infinities.
const fn keeps_infinities(from: DType, to: DType) -> bool {
    match (from.numbers(), to.numbers()) {
        (Numbers::Float(a), Numbers::Float(b)) => {
            a.infinity().is_some() && b.infinity().is_some() && to.bits() == 8
        }
        _ => false,
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

/// The numbers that two integer dtypes share, as the second has them.
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
        if params.plan.by_table && n >= LONG {
            let codes: [u8; 256] = array::from_fn(|code| code as u8);
            let mut results = [0; 256];
            pieces(table, codes.as_ptr(), results.as_mut_ptr(), 256, params, |_| ptr::null());
            (table.shapes.look_up)(&results, src, dst, n);
            n
        } else if let Some(seed) = params.plan.seed {
            let mut draws = Draws::new(seed, params);
            pieces(table, src, dst, n, params, |len| draws.next(&table.shapes, len))
        } else {
            pieces(table, src, dst, n, params, |_| ptr::null())
        }
    }
}

/// The elements from which on a table pays.
const LONG: usize = 1024;

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
    let (mut first, mut second) = (Buffer::new(), Buffer::new());
    let len = BUFFER / params.plan.widest;
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
    let (plan, shapes) = (&params.plan, &table.shapes);
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
                let params = Params { from, to, options: Options::DEFAULT, ..*params };
                (table.pairs.get(from, to).kernel)(src, dst, n, &params);
            }
            Step::Convert(from, to, side) => shapes.conversions.get(from, to, side)(src, dst, n),
            Step::Store(store, saturate) => store(src, dst, n, saturate),
            Step::Round(ref rounding) => rounding.run(&shapes.rounds, src, dst, n, draws),
            Step::Wrap(from, to) => shapes.wraps.get(from, to)(src, dst, n),
            Step::Clamp(from, to, range) => shapes.clamps.get(from, to)(src, dst, n, range),
        }
    }
}

/// Writes the draws of blocks from one on.
///
/// # Safety
/// The CPU has the instruction set.
pub(crate) type Draw = unsafe fn(u64, u64, &mut [MaybeUninit<[u32; 4]>]);

/// # Safety
/// As for every [`Draw`].
unsafe fn draw<I: Isa, const BLOCKS: usize>(
    seed: u64,
    block: u64,
    draws: &mut [MaybeUninit<[u32; 4]>],
) {
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || philox::fill::<BLOCKS>(seed, block, draws),
    );
}

/// The most blocks that a piece spans: two draws for every element of four bytes, and up to three
/// before the first.
const SPAN: usize = (BUFFER / 4 * 2 + 3).div_ceil(4);

/// The draws of elements in order.
struct Draws {
    seed: u64,
    /// The place of the next element's draw.
    place: u64,
    /// How far the places of neighbours lie apart: 1 or 2.
    step: u64,
    blocks: [MaybeUninit<[u32; 4]>; SPAN],
}

impl Draws {
    #[inline(always)]
    fn new(seed: u64, params: &Params) -> Self {
        let blocks = [MaybeUninit::uninit(); SPAN];
        Self { seed, place: params.options.first_index, step: params.draw_step, blocks }
    }

    /// A draw for each of the next `len` elements.
    ///
    /// # Safety
    /// The CPU has the instruction set; `len` elements of 4 bytes fit a [`Buffer`].
    unsafe fn next(&mut self, shapes: &Shapes, len: usize) -> *const u32 {
        let (block, before) = (self.place / 4, (self.place % 4) as usize);
        let spanned = before + len * self.step as usize;
        let blocks = &mut self.blocks[..spanned.div_ceil(4)];
        // SAFETY: the caller's.
        unsafe { (shapes.draw)(self.seed, block, blocks) };
        self.place = self.place.wrapping_add(len as u64 * self.step);
        let words = blocks.as_mut_ptr().cast::<u32>();
        // SAFETY: all words of the blocks were written just now, and `before` and twice `len` more
        // are among them.
        unsafe {
            let first = words.add(before);
            if self.step == 2 {
                for i in 0..len {
                    *first.add(i) = *first.add(2 * i);
                }
            }
            first
        }
    }
}
