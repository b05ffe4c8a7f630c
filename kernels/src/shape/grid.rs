//! Rounding floats, in their own format, to the numbers of another: the *grid*.
//!
//! In the bits of a magnitude, rounding is integer arithmetic. The grid's numbers have zeros in the
//! lowest `cut` bits; adding up to `2^cut - 1` before those are cleared moves the magnitude to the
//! grid's next number, or not, and a carry into the exponent is right as it comes. What is added
//! decides the mode: nothing (toward zero), all ones (away), half of the step (to nearest), or a
//! random number of `cut` bits.
//!
//! Below the grid's smallest normal number the steps stay as wide as they are there, so that every
//! exponent less cuts one bit more, until not even the leading one is left: magnitudes below the
//! grid's smallest, the *quantum*, become zero or the quantum by a rule of their own. Above the
//! largest the steps go on, as if the exponent had no bound; where the mode moves toward zero, the
//! law stops finite numbers at the largest. What is beyond then is the business of whoever stores.
//!
//! Rounding to integers is the same with a grid whose steps are never narrower than 1.
//!
//! All of this is integer arithmetic on every CPU, hence independent of the floating-point
//! environment, in loops that the compiler makes vector code of for each instruction set.

use super::Bytes;
use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::format::{FloatFormat, Numbers, Specials};
use crate::options;
use core::mem::MaybeUninit;
use core::slice;

/// How a magnitude between two numbers of a grid chooses one: the const parameter of the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    TowardZero,
    Up,
    Down,
    NearestEven,
    NearestAway,
    Stochastic,
}

impl Mode {
    /// What the options call a mode, given as the const parameter of a loop.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Whose loops have tables by a mode.
    pub(crate) const fn rounding(mode: u8) -> options::Rounding {
        use options::Rounding;
        const UP: u8 = Mode::Up as u8;
        const DOWN: u8 = Mode::Down as u8;
        const EVEN: u8 = Mode::NearestEven as u8;
        const AWAY: u8 = Mode::NearestAway as u8;
        const TO_ZERO: u8 = Mode::TowardZero as u8;
        match mode {
            UP => Rounding::Up,
            DOWN => Rounding::Down,
            EVEN => Rounding::NearestEven,
            AWAY => Rounding::NearestAway,
            TO_ZERO => Rounding::TowardZero,
            _ => panic!("no mode, or one with a seed"),
        }
    }

    /// Whether numbers of this sign move toward zero.
    pub(super) const fn moves_toward_zero(self, negative: bool) -> bool {
        match self {
            Mode::TowardZero => true,
            Mode::Up => negative,
            Mode::Down => !negative,
            _ => false,
        }
    }
}

/// What is rounded to, in terms of the format that is rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// The lowest bits, which the normal numbers of the grid have as zeros.
    pub(crate) cut: u32,
    /// How many more bits the subnormal numbers cut at most. Where the grid has no subnormal numbers but
    /// float32's, 1 if these are cut at their leading bit, and 0 if no less than others.
    pub(crate) span: u32,
    /// The exponent field below which numbers are subnormal on the grid.
    pub(crate) least: u64,
    /// The smallest positive number of the grid.
    pub(crate) quantum: u64,
    /// The largest finite number of the grid.
    pub(super) largest: u64,
    /// What is left of a number that is not zero, at least: 1 where its sign matters still.
    pub(super) floor: u64,
}

impl Grid {
    /// The grid of the numbers of `to`, a float dtype, for float32 or float64.
    pub(super) const fn of(to: FloatFormat, within: FloatFormat) -> Self {
        let (t, m) = (to.mantissa_bits, within.mantissa_bits);
        let units = to.max_finite() & to.mantissa_mask();
        let largest = field(within, to.max_exponent()) << m | units << (m - t);
        if matches!(to.specials, Specials::PowersOfTwo) {
            // The steps go on below the smallest power, what ends there being out of range; but
            // that is a subnormal of float32, whose leading bit is one lower.
            let span = (to.min_exponent() < within.min_exponent()) as u32;
            return Self { cut: m, span, least: 1, quantum: 1, largest, floor: 1 };
        }
        let lowest = to.min_exponent();
        // float32 within which bfloat16 lies has the same lowest exponent: no steps to widen.
        let (span, quantum) = if lowest == within.min_exponent() {
            (0, 1 << (m - t))
        } else {
            (t, field(within, lowest - t as i32) << m)
        };
        Self { cut: m - t, span, least: field(within, lowest), quantum, largest, floor: 0 }
    }

    /// The integers.
    pub(super) const fn of_integers(within: FloatFormat) -> Self {
        let m = within.mantissa_bits;
        let one = within.bias as u64;
        Self {
            cut: 0,
            span: m,
            least: one + m as u64,
            quantum: one << m,
            largest: within.max_finite(),
            floor: 0,
        }
    }
}

/// The exponent field of a power of two.
const fn field(within: FloatFormat, exponent: i32) -> u64 {
    (exponent + within.bias) as u64
}

/// Rounds `n` elements from the first pointer to the second. The third has a draw for each, or
/// anything if the mode takes none.
///
/// # Safety
/// The pointers are valid for as many elements, and don't overlap. The CPU has the instruction set.
pub(crate) type Round = unsafe fn(*const u8, *mut u8, usize, *const u32, &Grid);

macro_rules! rounded {
    ($(#[$doc:meta])* $name:ident, $lane:ident, $signed:ident, $mantissa:literal) => {
        $(#[$doc])*
        #[inline(always)]
        fn $name<const MODE: u8, const EVEN: bool>(code: $lane, draw: u32, grid: &Grid) -> $lane {
            const SIGN: $lane = 1 << ($lane::BITS - 1);
            const INFINITY: $lane = ((SIGN >> $mantissa) - 1) << $mantissa;
            let (quantum, largest) = (grid.quantum as $lane, grid.largest as $lane);
            let magnitude = code & !SIGN;
            let negative = (code as $signed >> ($lane::BITS - 1)) as $lane;
            let field = magnitude >> $mantissa;
            let least = grid.least as $lane;
            const { assert!(!EVEN || MODE == Mode::Stochastic as u8) };
            let cut = if EVEN && $lane::BITS == 32 {
                // Powers of two have steps that go on below the smallest. Of other numbers the span less
                // one is all ones, so that all are cut alike.
                let leading = $lane::BITS - 1 - (magnitude | 1).leading_zeros();
                (grid.cut as $lane).min(leading as $lane | (grid.span as $lane).wrapping_sub(1))
            } else if EVEN {
                grid.cut as $lane
            } else {
                grid.cut as $lane + (least.max(field) - field).min(grid.span as $lane)
            };
            let low = !($lane::MAX << cut);
            // What is added, and what becomes of less than the quantum.
            let half_quantum = quantum.wrapping_sub(1 << $mantissa);
            let (added, tiny) = if MODE == Mode::Up as u8 {
                (low & !negative, if magnitude != 0 { quantum & !negative } else { 0 })
            } else if MODE == Mode::Down as u8 {
                (low & negative, if magnitude != 0 { quantum & negative } else { 0 })
            } else if MODE == Mode::NearestEven as u8 {
                let odd = (magnitude >> cut) & low & 1;
                ((low >> 1) + odd, if magnitude > half_quantum { quantum } else { 0 })
            } else if MODE == Mode::NearestAway as u8 {
                ((low + 1) >> 1, if magnitude >= half_quantum { quantum } else { 0 })
            } else if MODE == Mode::Stochastic as u8 {
                // The rest, of `cut` bits, exceeds the draw's as many top bits if and only if adding
                // the complement of those carries. What a rest of more than 32 bits has below them
                // is cut off by leaving the addend zero there.
                const SPARE: u32 = $lane::BITS - 32;
                let addend = ((!draw as $lane) << SPARE >> 1) >> ($lane::BITS as $lane - 1 - cut);
                // Less than the quantum is a rest already: its significand's leading one is the
                // half's bit just below the quantum, and lower by the difference of exponents.
                let significand = (magnitude << ($lane::BITS - 1 - $mantissa)) | SIGN;
                let lower = (quantum >> $mantissa).wrapping_sub(1).wrapping_sub(field);
                let rest = if lower < $lane::BITS as $lane { significand >> lower } else { 0 };
                (addend, if draw < (rest >> SPARE) as u32 { quantum } else { 0 })
            } else {
                (0, 0)
            };
            let mut rounded = (magnitude.wrapping_add(added)) & !low;
            rounded = if EVEN {
                rounded.max(magnitude.min(grid.floor as $lane))
            } else if magnitude < quantum {
                tiny
            } else {
                rounded
            };
            if MODE == Mode::TowardZero as u8 {
                rounded = rounded.min(largest);
            } else if MODE == Mode::Up as u8 {
                rounded = rounded.min(largest | !negative);
            } else if MODE == Mode::Down as u8 {
                rounded = rounded.min(largest | negative);
            } else if MODE == Mode::Stochastic as u8 {
                // A number past the largest is out of range, and a checked cast must see that it was
                // no infinity.
                rounded = rounded.min(INFINITY - 1);
            }
            // Infinities and NaNs stay what they are.
            rounded = if magnitude >= INFINITY { magnitude } else { rounded };
            rounded | (code & SIGN)
        }
    };
}

rounded!(
    /// Rounds a float32. `EVEN` promises a grid without subnormal numbers but float32's own.
    round32, u32, i32, 23
);
rounded!(
    /// Rounds a float64.
    round64, u64, i64, 52
);

macro_rules! rounded_integers {
    ($(#[$doc:meta])* $name:ident, $lane:ident, $signed:ident, $float:ident, $leading:literal, $past:expr) => {
        $(#[$doc])*
        #[inline(always)]
        fn $name<const MODE: u8, const SIGNED: bool>(code: $lane, draw: u32, grid: &Grid) -> $lane {
            const TOP: u32 = $lane::BITS - 1;
            const SPARE: u32 = $lane::BITS - 32;
            const { assert!(MODE == Mode::Stochastic as u8) };
            let negative = if SIGNED { (code as $signed >> TOP) as $lane } else { 0 };
            let magnitude = (code ^ negative).wrapping_sub(negative);
            let length = ($lane::BITS - magnitude.leading_zeros()) as $lane;
            let kept = $leading - grid.cut as $lane;
            let cut = length.max(kept) - kept;
            let low = !($lane::MAX << cut);
            // As for floats.
            let added = ((!draw as $lane) << SPARE >> 1) >> (TOP as $lane - cut);
            let sum = magnitude.wrapping_add(added);
            let wrapped = sum < magnitude;
            let float = if wrapped { $past } else { (sum & !low) as $float };
            float.to_bits() | (negative & 1 << TOP)
        }
    };
}

rounded_integers!(
    /// Rounds the magnitude of a 64-bit integer, by a draw, to as many leading bits as the grid's format has, and makes it a
    /// float64, which is exact then. The `cut` of the grid is float64's, of 53 bits. (By other modes integers go other ways.)
    round_integer64, u64, i64, f64, 53, 18_446_744_073_709_551_616.0
);
rounded_integers!(
    /// The same of a 32-bit integer, to float32.
    round_integer32, u32, i32, f32, 24, 4_294_967_296.0
);

macro_rules! kernels {
    ($($name:ident<$flag:ident> = $one:ident over $lane:ident;)*) => {$(
        /// # Safety
        /// As for every [`Round`].
        unsafe fn $name<I: Isa, const MODE: u8, const $flag: bool>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            draws: *const u32,
            grid: &Grid,
        ) {
            let grid = *grid;
            // SAFETY: the caller's; elements as bytes have no alignment.
            let (src, dst) = unsafe {
                (
                    slice::from_raw_parts(src.cast::<Bytes<{ size_of::<$lane>() }>>(), n),
                    slice::from_raw_parts_mut(dst.cast::<MaybeUninit<Bytes<{ size_of::<$lane>() }>>>(), n),
                )
            };
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    if MODE == Mode::Stochastic as u8 {
                        // SAFETY: the caller's: there is a draw for each element.
                        let draws = unsafe { slice::from_raw_parts(draws, n) };
                        for ((code, out), &draw) in src.iter().zip(dst).zip(draws) {
                            let code = $lane::from_ne_bytes(*code);
                            out.write($one::<MODE, $flag>(code, draw, &grid).to_ne_bytes());
                        }
                    } else {
                        for (code, out) in src.iter().zip(dst) {
                            let code = $lane::from_ne_bytes(*code);
                            out.write($one::<MODE, $flag>(code, 0, &grid).to_ne_bytes());
                        }
                    }
                },
            );
        }
    )*};
}

kernels! {
    floats32<EVEN> = round32 over u32;
    floats64<EVEN> = round64 over u64;
    integers64<SIGNED> = round_integer64 over u64;
    integers32<SIGNED> = round_integer32 over u32;
}

/// The loops of one kind, by mode.
pub(crate) type Modes = [Round; 6];

macro_rules! modes {
    ($kernel:ident, $flag:literal) => {
        [
            $kernel::<I, { Mode::TowardZero as u8 }, $flag>,
            $kernel::<I, { Mode::Up as u8 }, $flag>,
            $kernel::<I, { Mode::Down as u8 }, $flag>,
            $kernel::<I, { Mode::NearestEven as u8 }, $flag>,
            $kernel::<I, { Mode::NearestAway as u8 }, $flag>,
            $kernel::<I, { Mode::Stochastic as u8 }, $flag>,
        ]
    };
}

/// Every loop that rounds.
pub(crate) struct Rounds {
    pub(crate) floats32: Modes,
    pub(crate) floats64: Modes,
    /// By draws, to grids without subnormal numbers but float32's. (By other modes these have loops that store.)
    even_floats32: Round,
    even_floats64: Round,
    /// Integers, by draws.
    pub(crate) int64: Round,
    pub(crate) uint64: Round,
    pub(crate) int32: Round,
    pub(crate) uint32: Round,
    /// Float32 and float64 to integers.
    pub(crate) whole32: Modes,
    pub(crate) whole64: Modes,
}

impl Rounds {
    pub(super) const fn of<I: Isa>() -> Self {
        Self {
            floats32: modes!(floats32, false),
            floats64: modes!(floats64, false),
            even_floats32: floats32::<I, { Mode::Stochastic as u8 }, true>,
            even_floats64: floats64::<I, { Mode::Stochastic as u8 }, true>,
            int64: integers64::<I, { Mode::Stochastic as u8 }, true>,
            uint64: integers64::<I, { Mode::Stochastic as u8 }, false>,
            int32: integers32::<I, { Mode::Stochastic as u8 }, true>,
            uint32: integers32::<I, { Mode::Stochastic as u8 }, false>,
            whole32: modes!(floats32, false),
            whole64: modes!(floats64, false),
        }
    }
}

/// A rounding: which loop, and what it is told.
#[derive(Clone, Copy)]
pub(crate) struct Rounding {
    /// The dtype that is rounded: float32, float64, or an integer dtype of 32 or 64 bits.
    from: DType,
    pub(super) mode: Mode,
    grid: Grid,
    even: bool,
    whole: bool,
}

impl Rounding {
    /// To the numbers of a float dtype, or to integers.
    pub(super) fn new(from: DType, to: DType, mode: Mode) -> Self {
        let within = match from {
            DType::Float32 | DType::Int32 | DType::UInt32 => FloatFormat::FLOAT32,
            _ => FloatFormat::FLOAT64,
        };
        let whole = !matches!(to.kind(), Kind::Float);
        let (grid, even) = match to.numbers() {
            Numbers::Float(format) => {
                let powers = matches!(format.specials, Specials::PowersOfTwo);
                let as_low = format.min_exponent() == within.min_exponent();
                (Grid::of(format, within), powers || as_low)
            }
            _ => (Grid::of_integers(within), false),
        };
        Self { from, mode, grid, even, whole }
    }

    /// The dtype of what comes out.
    pub(super) const fn to(&self) -> DType {
        match self.from {
            DType::Float32 | DType::Int32 | DType::UInt32 => DType::Float32,
            _ => DType::Float64,
        }
    }

    /// Rounds.
    ///
    /// # Safety
    /// As for every [`Round`].
    pub(super) unsafe fn run(
        &self,
        rounds: &Rounds,
        src: *const u8,
        dst: *mut u8,
        n: usize,
        draws: *const u32,
    ) {
        let of_mode = |modes: &Modes| modes[self.mode as usize];
        let by_draws = |round: Round| {
            debug_assert!(matches!(self.mode, Mode::Stochastic));
            round
        };
        let round = match self.from {
            DType::Float32 if self.whole => of_mode(&rounds.whole32),
            DType::Float64 if self.whole => of_mode(&rounds.whole64),
            DType::Float32 if self.even => by_draws(rounds.even_floats32),
            DType::Float64 if self.even => by_draws(rounds.even_floats64),
            DType::Float32 => of_mode(&rounds.floats32),
            DType::Float64 => of_mode(&rounds.floats64),
            DType::UInt64 => by_draws(rounds.uint64),
            DType::Int32 => by_draws(rounds.int32),
            DType::UInt32 => by_draws(rounds.uint32),
            _ => by_draws(rounds.int64),
        };
        // SAFETY: the caller's. Loops that take draws are those of the one mode that has them: so by the plan's choice of steps
        // are those of integers and even grids, whose other modes go other ways.
        unsafe { round(src, dst, n, draws, &self.grid) }
    }
}
