//! Which steps a pair takes under some options.

use super::Shapes;
use super::drawn::Drawn;
use super::drawn_floats::DrawnFloats;
use super::drawn_stores::DrawnStore;
use super::fit::{Fit, Question, Substitute};
use super::grid::{Mode, Rounding};
use super::interval::Interval;
use super::longer::{self, LookUpLonger};
use super::narrow::Side;
use super::rounded::Rounded;
use super::screen::Screen;
use super::sticky;
use super::stores::Store;
use super::tops::Tops;
use super::whole::Range;
use crate::dtypes::{DType, Kind};
use crate::format::{FloatFormat, Numbers, Specials};
use crate::options::{self, Options, Overflow};

/// How a pair of real dtypes is cast under some options: a few steps, each of which reads what the one
/// before has written; and a test of what comes before one of them.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(super) steps: [Step; STEPS],
    pub(super) count: usize,
    /// The largest size of an element on the way.
    pub(super) widest: usize,
    /// What does not fit, and how many steps come before that is asked.
    pub(super) fit: Option<(Fit, usize)>,
    /// What becomes of unfit elements: if nothing is written for them, they end the cast.
    pub(super) substitute: Option<Substitute>,
    /// The infinities of the source, and what they become: for a checked cast that keeps them.
    pub(super) infinities: Option<(Fit, Substitute)>,
    /// Whether finite elements of a checked cast that keeps infinities are cast by the default kernel.
    casts_finite: bool,
    /// To a float of 8 bits, a loop that makes infinity or NaN of what does not fit, so that its results tell.
    pub(super) telling: Option<Store>,
    /// The seed of stochastic rounding.
    pub(super) seed: Option<u64>,
    /// Whether what a byte becomes depends on it alone, so that the steps can make a table of all.
    pub(super) is_map: bool,
    /// Whether a long cast is one by that table.
    pub(super) by_table: bool,
    /// The integers of a byte that stand for all that the source has, where those beyond them become the same as the
    /// last ones; and their range.
    pub(super) narrowed: Option<(DType, Range)>,
    /// How a long cast rounds the codes of floats first.
    pub(super) rounded: Option<Rounded>,
    /// How a long cast rounds bytes by draws.
    pub(super) drawn: Option<Drawn>,
    /// The loop of a long cast to small floats by draws.
    pub(super) drawn_floats: Option<DrawnFloats>,
    /// The loop of a long cast of bytes to longer integers, if what one becomes depends on it alone.
    pub(super) longer: Option<LookUpLonger>,
    /// The codes that do not become zero, if these are all that there is to know.
    pub(crate) interval: Option<Interval>,
}

/// The most steps of any plan.
const STEPS: usize = 4;

/// What is done with the numbers.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// The default kernel of a pair casts them.
    Cast(DType, DType),
    /// They become float32 or float64, rounded to a side.
    Convert(DType, DType, Side),
    /// They are rounded to a grid.
    Round(Rounding),
    /// They are rounded by draws, and stored as another dtype.
    StoreDrawn(DrawnStore),
    /// They are rounded, and stored as another dtype, saturating or not.
    Store(Store, bool),
    /// The last bits of words below such a code are set.
    Sticky(u16),
    /// Float32s become powers of two: the nearest, or those below.
    Powers(bool),
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
        casts_finite: false,
        telling: None,
        seed: None,
        is_map: false,
        by_table: false,
        narrowed: None,
        rounded: None,
        drawn: None,
        drawn_floats: None,
        longer: None,
        interval: None,
    };

    /// Whether elements are tested, and those that fit are cast by the default kernel.
    pub(super) const fn is_checked_default(&self) -> bool {
        let replaces = self.substitute.is_some() || self.infinities.is_some();
        self.count == 1 && matches!(self.steps[0], Step::Cast(..)) && !replaces
    }

    /// The dtype as which a pair's numbers are stored, if all there is to its cast is the default kernel to that one.
    pub(crate) const fn stored_as(&self) -> Option<DType> {
        match self.steps[0] {
            Step::Cast(_, to) if self.is_checked_default() && self.fit.is_none() => Some(to),
            _ => None,
        }
    }

    /// Whether all results are zero.
    pub(crate) fn gives_zeros(&self) -> bool {
        self.interval.is_some_and(|interval| interval.is_empty())
    }

    /// Whether a loop does all there is to do.
    const fn is_store(&self) -> bool {
        self.count == 1 && matches!(self.steps[0], Step::Store(..))
    }

    /// What tells that elements fit, if the same is done, and there is such a thing. (An infinity that is kept may be unfit.)
    #[inline(always)]
    pub(crate) const fn screen(&self) -> Option<&Screen> {
        match &self.fit {
            Some((fit, _)) if self.is_checked_default() || self.casts_finite => fit.screen(),
            _ => None,
        }
    }

    /// What is refused, if that is asked of the source, and what is not refused is cast by the default kernel.
    #[inline(always)]
    pub(crate) const fn refused(&self) -> Option<&Fit> {
        match &self.fit {
            Some((fit, _)) if self.is_checked_default() => Some(fit),
            _ => None,
        }
    }

    /// What tells the same of codes of a byte or less.
    #[inline(always)]
    pub(crate) const fn tops(&self) -> Option<&Tops> {
        match self.refused() {
            Some(fit) => fit.tops(),
            None => None,
        }
    }

    /// What does not fit, if that is asked of the source, all elements are bytes, and a look-up tells unfit ones
    /// in less time than comparisons.
    pub(super) fn marked_bytes(&self, from: DType, to: DType) -> Option<&Fit> {
        let (fit, before) = self.fit.as_ref()?;
        let is_asked = *before == 0 && self.substitute.is_none() && self.seed.is_none();
        let bytes = from.bits() == 8 && to.bits() == 8;
        // (Between integers there is often nothing to look up, and of powers of two a comparison tells sooner.)
        let is_signed = matches!(from.numbers(), Numbers::Float(format) if format.signed());
        (is_asked && bytes && (is_signed || !fit.is_quick())).then_some(fit)
    }

    /// For a pair of real dtypes under options as plain as they can be.
    pub(crate) fn new(from: DType, to: DType, options: &Options, shapes: &Shapes) -> Self {
        let plan = Self::NONE;
        if options.is_default() {
            return plan;
        }
        let checked = matches!(options.overflow, Overflow::Error);
        let mode = mode(to, options.rounding);
        let mut way = Way { plan, from, is: from, to, mode };
        way.plan.interval = Interval::new(from, to, options, mode);
        let bytes = from.bits() == 8 && to.bits() == 8;
        if matches!(options.overflow, Overflow::Wrap)
            && let Some(signed) = signed(to)
            && options.effective(from, signed).is_default()
        {
            // All fit that, and what is negative has the bits that are kept.
            way.plan.is_map = bytes;
            way.cast_to(signed);
            return way.plan;
        }
        let keeps_infinities = checked && keeps_infinities(from, to);
        way.plan.casts_finite =
            keeps_infinities && matches!(options.rounding, options::Rounding::Default);
        if let options::Rounding::Stochastic { seed } = options.rounding {
            way.plan.seed = Some(seed);
            if !way.store_by_draws(options, shapes) {
                way.cast_to(exact_float(from));
                way.round();
                way.test(checked, options.saturate);
            }
            if shapes.by_draws.is_some() && !checked {
                way.plan.drawn = Drawn::new(from, to, options);
            }
            let loops = shapes.encodes_drawn;
            way.plan.drawn_floats =
                loops.and_then(|loops| DrawnFloats::new(from, to, options, loops));
        } else {
            let store = way.store_of_overflows(shapes);
            way.test(checked, options.saturate || store.is_some());
            let tells_power = shapes.tells_powers && from.bits() >= 16;
            if checked && (is_told_by_results(from, to) || tells_power && to.is_powers()) {
                way.plan.telling = store;
            }
            if let Some(store) = store
                && (!options.saturate || keeps_infinities)
            {
                way.step(Step::Store(store, false), to);
                way.plan.is_map = bytes && !checked;
                if !checked {
                    way.plan.narrowed = way.narrowed(shapes.overflows_clamp, false);
                }
                return way.plan;
            }
            if !matches!(options.rounding, options::Rounding::Default) {
                way.round_by_steps(shapes, matches!(options.overflow, Overflow::Wrap));
            }
        }
        way.plan.infinities = keeps_infinities.then(|| (Fit::infinities(from), substitute(to)));
        let floats = matches!(from.kind(), Kind::Float) || matches!(to.kind(), Kind::Float);
        way.plan.is_map = bytes && !checked && way.plan.seed.is_none();
        if !checked && way.plan.seed.is_none() {
            let wraps = matches!(options.overflow, Overflow::Wrap);
            let loops = shapes.look_up_longer.filter(|_| longer::suits(from, to, wraps));
            way.plan.longer = loops.map(|loops| loops[to.bits().trailing_zeros() as usize - 4]);
            way.plan.narrowed = way.narrowed(shapes.stores_clamp, options.saturate);
            if matches!(options.overflow, Overflow::As)
                && from.significant_bits() <= shapes.rounds_codes
                && !matches!(way.plan.steps[0], Step::Store(..))
            {
                way.plan.rounded = Rounded::new(from, to, mode);
            }
        }
        let plan = way.finish(options.overflow, shapes);
        Self { by_table: plan.is_map && floats && !plan.is_store(), ..plan }
    }
}

/// A plan in the making.
struct Way {
    plan: Plan,
    /// What the numbers are before all steps.
    from: DType,
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

    /// The integers of a byte that stand for all that the source has, where they are looked up; loops that store small
    /// floats may clamp to them by themselves, below an exponent.
    fn narrowed(&self, below: i32, saturate: bool) -> Option<(DType, Range)> {
        let clamps = matches!(self.to.numbers(), Numbers::Float(f) if f.max_exponent() < below);
        if clamps && self.from.bits() < 64 && self.plan.is_store() {
            return None;
        }
        narrowed(self.from, self.to, saturate)
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

    /// The loop that makes infinity or NaN of overflows, if there is one: as the default kernels round, or to the nearest.
    /// (From 16 bits the default kernels are so much shorter than those to nearest, ties away, that replacing overflows
    /// afterwards takes less time.)
    fn store_of_overflows(&self, shapes: &Shapes) -> Option<Store> {
        let powers = self.to.is_powers();
        match self.mode {
            Mode::NearestEven if !powers => {}
            Mode::Up if powers => {}
            Mode::NearestAway if !powers && self.is.bits() >= 32 => {}
            // (Those to powers of two by other modes saturate.)
            _ => return None,
        }
        match shapes.stores.get(self.is, self.to, self.mode) {
            None => shapes.stores.overflow(self.is, self.to),
            store => store,
        }
    }

    /// Rounds by draws and stores, and answers whether there is a loop for that.
    fn store_by_draws(&mut self, options: &Options, shapes: &Shapes) -> bool {
        let keeps_low_bits = matches!(options.overflow, Overflow::Wrap)
            && matches!(self.to.kind(), Kind::Int | Kind::UInt);
        if matches!(options.overflow, Overflow::Error) || keeps_low_bits {
            return false;
        }
        let float = drawn_float(self.from, self.to);
        let Some(store) = DrawnStore::new(float, self.to, options.saturate, shapes.stores_drawn)
        else {
            return false;
        };
        match self.is {
            DType::Int64 | DType::UInt64 => {
                self.step(Step::Convert(self.is, float, Side::TowardZero), float);
            }
            _ => self.cast_to(float),
        }
        self.step(Step::StoreDrawn(store), self.to);
        true
    }

    /// Rounds by a mode that is not stochastic.
    fn round_by_steps(&mut self, shapes: &Shapes, wraps: bool) {
        let mode = self.mode;
        use DType::{Float32, Float64, Int32, Int64, UInt32, UInt64};
        if matches!(mode, Mode::NearestAway)
            && let Some(infinity) = sticky::infinity(self.is, self.to)
        {
            return self.step(Step::Sticky(infinity), self.is);
        }
        if let Some(store) = shapes.stores.get(self.is, self.to, mode)
            && !wraps
        {
            return self.step(Step::Store(store, true), self.to);
        }
        if let Some(byte) = byte_for(self.is, self.to)
            && let Some(store) = shapes.stores.get(self.is, byte, mode)
            && !wraps
        {
            // What is left is to widen them.
            return self.step(Step::Store(store, true), byte);
        }
        // (Ties are seen to by the same loops everywhere.)
        let converts = shapes.converts_longs && !matches!(mode, Mode::NearestAway);
        if !converts && let Some((half, range)) = halved(self.is, self.to) {
            self.step(Step::Clamp(self.is, half, range), half);
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
            _ if matches!((self.is, self.to), (Float32, DType::Float8E8M0Fnu)) => match mode {
                // As the default kernel does.
                Mode::Up => {}
                _ => self.step(Step::Powers(matches!(mode, Mode::NearestAway)), Float32),
            },
            _ => self.round(),
        }
    }

    /// The last steps: rounded numbers become the destination's.
    fn finish(mut self, overflow: Overflow, shapes: &Shapes) -> Plan {
        match overflow {
            Overflow::Wrap => return self.wrap(shapes),
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

    /// The last steps of a cast that keeps low bits.
    fn wrap(mut self, shapes: &Shapes) -> Plan {
        use DType::{Float16, Float32, Float64, Int32, Int64};
        if self.is.bits() == 8
            && let Some(store) = shapes.stores.wrap(self.is, self.to)
        {
            self.step(Step::Store(store, true), self.to);
            return self.plan;
        }
        // Its 2^-127 would be a subnormal float32 to calculate with.
        let powers = matches!(self.is, DType::Float8E8M0Fnu);
        let (wanted, long) = (self.to, self.to.bits() == 64);
        if long && is_below_2_31(self.from) && shapes.stores.wrap(self.is, self.to).is_none() {
            // The upper half is all sign.
            self.to = Int32;
        } else if long && shapes.stores.wrap(self.is, self.to).is_none() {
            self.cast_to(Float64);
        }
        if self.is.bits() < 32 && shapes.stores.wrap(self.is, self.to).is_none() {
            let halves = self.is.bits() == 8 && !powers;
            let has_loop = halves && shapes.stores.wrap(Float16, self.to).is_some();
            self.cast_to(if has_loop { Float16 } else { Float32 });
        }
        if let Some(store) = shapes.stores.wrap(self.is, self.to)
            && !powers
        {
            self.step(Step::Store(store, true), self.to);
        } else {
            // What has fewer bits than its bytes is left to the kernel that fills them.
            let whole = self.to.significant_bits() == self.to.bits();
            let result = if whole { self.to } else { DType::UInt8 };
            self.step(Step::Wrap(self.is, result), result);
            self.cast_to(self.to);
        }
        if matches!(self.to, Int32) && long {
            self.cast_to(Int64);
        }
        debug_assert_eq!(self.is.bits(), wanted.bits());
        self.plan
    }
}

/// For integers of more than a byte, those of one, if the numbers of a float of a byte are so small that what is beyond
/// the byte is more than twice the largest: of which only the sign makes a difference, however it is rounded. Where they
/// saturate, and have no sign, it is enough that what is beyond the byte is more than the largest.
const fn narrowed(from: DType, to: DType, saturate: bool) -> Option<(DType, Range)> {
    let (Numbers::Int(source), Numbers::Float(format)) = (from.numbers(), to.numbers()) else {
        return None;
    };
    let highest = if saturate && !source.signed { 7 } else { 4 };
    if source.bits <= 8 || format.bits() > 8 || format.max_exponent() > highest {
        return None;
    }
    Some(match source.signed {
        true => (DType::Int8, Range(i8::MIN as u64, i8::MAX as u64)),
        false => (DType::UInt8, Range(0, u8::MAX as u64)),
    })
}

/// The integers of a byte that have all numbers that a float dtype becomes as longer ones.
const fn byte_for(from: DType, to: DType) -> Option<DType> {
    let has_small_numbers = match from.numbers() {
        Numbers::Float(format) => format.infinity().is_none() && format.max_exponent() < 7,
        _ => false,
    };
    match to.kind() {
        _ if !has_small_numbers || to.bits() <= 8 => None,
        Kind::Int => Some(DType::Int8),
        Kind::UInt => Some(DType::UInt8),
        _ => None,
    }
}

/// For integers of 64 bits, those of 32, which are rounded in less time, if all beyond them are past the largest
/// number of a float dtype by far; and their range.
const fn halved(from: DType, to: DType) -> Option<(DType, Range)> {
    match to.numbers() {
        Numbers::Float(format) if format.max_exponent() < 30 => match from {
            DType::Int64 => Some((DType::Int32, Range(i32::MIN as i64 as u64, i32::MAX as u64))),
            DType::UInt64 => Some((DType::UInt32, Range(0, u32::MAX as u64))),
            _ => None,
        },
        _ => None,
    }
}

/// The integers with sign that are as large as those of an integer dtype without.
const fn signed(to: DType) -> Option<DType> {
    Some(match to {
        DType::UInt8 => DType::Int8,
        DType::UInt16 => DType::Int16,
        DType::UInt32 => DType::Int32,
        DType::UInt64 => DType::Int64,
        _ => return None,
    })
}

/// Whether all numbers of a float dtype, but for infinities, are nearer to zero than 2^31.
const fn is_below_2_31(from: DType) -> bool {
    matches!(from.numbers(), Numbers::Float(format) if format.max_exponent() < 31)
}

/// How numbers are rounded.
pub(super) const fn mode(to: DType, rounding: options::Rounding) -> Mode {
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
const fn exact_float(from: DType) -> DType {
    match from {
        DType::Int64 | DType::UInt64 | DType::Int32 | DType::UInt32 => from,
        DType::Float64 => DType::Float64,
        _ => DType::Float32,
    }
}

/// What numbers are rounded and stored by draws as. Of integers of 64 bits that are cut off to float64s, of 53 bits, nothing
/// is lost that counts to 16-bit floats or less: these have 11 bits at most, and 32 of the fraction are compared.
const fn drawn_float(from: DType, to: DType) -> DType {
    match from {
        DType::Int64 | DType::UInt64 if to.bits() <= 16 => DType::Float64,
        _ => exact_float(from),
    }
}

/// Small integers and bools as integers of a byte.
pub(super) const fn byte_integer(from: DType) -> DType {
    match (from.kind(), from.bits()) {
        (Kind::Int, 8) => DType::Int8,
        (Kind::UInt | Kind::Bool, 8) => DType::UInt8,
        _ => from,
    }
}

/// Whether it takes less time to look for infinities and NaN among the results than to test the source: if these are the
/// bytes of floats, and the source's numbers four times as long, and not such that bytes may stand for them. (Powers of two
/// take so little that it depends on the loop.)
pub(crate) const fn is_told_by_results(from: DType, to: DType) -> bool {
    let is_small = matches!(to.kind(), Kind::Float) && to.significant_bits() == 8 && to.bits() == 8;
    let is_long = from.bits() >= 32 && !from.is_complex();
    cfg!(target_arch = "x86_64")
        && (is_small && !to.is_powers() && is_long)
        && narrowed(from, to, false).is_none()
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
