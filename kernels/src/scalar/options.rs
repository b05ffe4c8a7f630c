//! Casts under any options, from the three dtypes that between them hold every number (float64,
//! int64, uint64) to any real dtype but bool. Integer arithmetic throughout.
//!
//! A number is taken apart into a sign, a significand whose leading one is bit 63, and an exponent.
//! What rounding cuts off is kept left-aligned in 64 bits, where its top bit is the half and any
//! comparison that a rounding mode makes is one with a constant or a draw.

use crate::dtypes::DType;
use crate::format::{FloatFormat, IntFormat, Numbers, Specials};
use crate::options::{Overflow, Rounding};
use crate::philox;
use crate::table::Params;

/// Casts from float64, int64 or uint64 to any real dtype but bool.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(crate) unsafe fn encode(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    // SAFETY: the caller's; the source is read as the dtype it has.
    unsafe {
        match params.from {
            DType::Float64 => from_source::<f64>(src, dst, n, params),
            DType::UInt64 => from_source::<u64>(src, dst, n, params),
            _ => from_source::<i64>(src, dst, n, params),
        }
    }
}

/// # Safety
/// As for [`encode`]; `S` is the source's type.
unsafe fn from_source<S: Source>(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    // SAFETY: the caller's.
    unsafe {
        match params.to.numbers() {
            Numbers::Bool => unreachable!("no option matters for a cast to bool"),
            Numbers::Int(format) => {
                let target = Integers::new::<S>(format, params);
                by_width::<S, _>(src, dst, n, params, target)
            }
            Numbers::Float(format) if matches!(format.specials, Specials::PowersOfTwo) => {
                let target =
                    Powers { floats: Floats::new(format, Mode::Directed([true, false]), params) };
                by_width::<S, _>(src, dst, n, params, target)
            }
            Numbers::Float(format) => by_width::<S, _>(
                src,
                dst,
                n,
                params,
                Floats::new(format, Mode::NearestEven, params),
            ),
        }
    }
}

/// # Safety
/// As for [`encode`].
unsafe fn by_width<S: Source, T: Target>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    target: T,
) -> usize {
    // SAFETY: the caller's; the elements are written at the size they have.
    unsafe {
        match params.to.bits() {
            8 => cast::<S, T, u8>(src, dst, n, params, target),
            16 => cast::<S, T, u16>(src, dst, n, params, target),
            32 => cast::<S, T, u32>(src, dst, n, params, target),
            _ => cast::<S, T, u64>(src, dst, n, params, target),
        }
    }
}

/// # Safety
/// As for [`encode`]; `S` is the source's type and `W` of the size of the destination's elements.
unsafe fn cast<S: Source, T: Target, W: Width>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    target: T,
) -> usize {
    let mut draws = Draws::new(params);
    for i in 0..n {
        // SAFETY: element `i` is inside both buffers.
        let value = unsafe { src.cast::<S>().add(i).read_unaligned() };
        let Some(stored) = target.encode(value.take_apart(), draws.next()) else {
            return i;
        };
        // SAFETY: as above.
        unsafe { dst.cast::<W>().add(i).write_unaligned(W::low_bits(stored)) };
    }
    n
}

/// A source element.
trait Source: Copy {
    const IS_FLOAT: bool;

    fn take_apart(self) -> Number;
}

/// A number taken apart.
struct Number {
    negative: bool,
    value: Value,
}

enum Value {
    /// `significand * 2^(exponent - 63)`, with bit 63 of the significand set.
    Nonzero {
        significand: u64,
        exponent: i32,
    },
    Zero,
    Infinity,
    /// With the fraction field of float64.
    Nan {
        payload: u64,
    },
}

impl Value {
    #[inline(always)]
    fn of(significand: u64, exponent: i32) -> Self {
        if significand == 0 {
            return Value::Zero;
        }
        let zeros = significand.leading_zeros();
        Value::Nonzero { significand: significand << zeros, exponent: exponent + 63 - zeros as i32 }
    }
}

impl Source for f64 {
    const IS_FLOAT: bool = true;

    #[inline(always)]
    fn take_apart(self) -> Number {
        const FRACTION: u64 = (1 << 52) - 1;
        let bits = self.to_bits();
        let field = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & FRACTION;
        let value = match field {
            0x7ff if fraction == 0 => Value::Infinity,
            0x7ff => Value::Nan { payload: fraction },
            0 => Value::of(fraction, -1074),
            _ => Value::of(fraction | 1 << 52, field - 1075),
        };
        Number { negative: bits >> 63 != 0, value }
    }
}

impl Source for i64 {
    const IS_FLOAT: bool = false;

    #[inline(always)]
    fn take_apart(self) -> Number {
        Number { negative: self < 0, value: Value::of(self.unsigned_abs(), 0) }
    }
}

impl Source for u64 {
    const IS_FLOAT: bool = false;

    #[inline(always)]
    fn take_apart(self) -> Number {
        Number { negative: false, value: Value::of(self, 0) }
    }
}

/// What is written for an element.
trait Width: Copy {
    fn low_bits(stored: u64) -> Self;
}

macro_rules! widths {
    ($($width:ident)*) => {$(
        impl Width for $width {
            #[inline(always)]
            fn low_bits(stored: u64) -> Self {
                stored as $width
            }
        }
    )*};
}
widths! { u8 u16 u32 u64 }

/// The random words of successive elements; zeros where the rounding is not stochastic.
struct Draws {
    seed: Option<u64>,
    place: u64,
    step: u64,
    words: [u32; 4],
    block: Option<u64>,
}

impl Draws {
    fn new(params: &Params) -> Self {
        let seed = match params.options.rounding {
            Rounding::Stochastic { seed } => Some(seed),
            _ => None,
        };
        let (place, step) = (params.options.first_index, params.draw_step);
        Self { seed, place, step, words: [0; 4], block: None }
    }

    #[inline(always)]
    fn next(&mut self) -> u32 {
        let Some(seed) = self.seed else { return 0 };
        let block = self.place / 4;
        if self.block != Some(block) {
            self.block = Some(block);
            self.words = philox::draws(seed, block);
        }
        let word = self.words[(self.place % 4) as usize];
        self.place = self.place.wrapping_add(self.step);
        word
    }
}

/// How what is cut off decides whether the magnitude goes up.
#[derive(Clone, Copy)]
enum Mode {
    NearestEven,
    NearestAway,
    /// Up if anything is cut off a number of that sign: positive, negative.
    Directed([bool; 2]),
    Stochastic,
}

impl Mode {
    fn new(rounding: Rounding, default: Mode) -> Self {
        match rounding {
            Rounding::Default => default,
            Rounding::NearestEven => Mode::NearestEven,
            Rounding::NearestAway => Mode::NearestAway,
            Rounding::TowardZero => Mode::Directed([false, false]),
            Rounding::Up => Mode::Directed([true, false]),
            Rounding::Down => Mode::Directed([false, true]),
            Rounding::Stochastic { .. } => Mode::Stochastic,
        }
    }

    /// Whether an overflow of that sign stops at the largest finite number.
    fn stops(self, negative: bool) -> bool {
        matches!(self, Mode::Directed(up) if !up[usize::from(negative)])
    }

    /// `significand * 2^-cut`, rounded to an integer, for `cut >= 0`.
    #[inline(always)]
    fn round(self, significand: u64, cut: u32, negative: bool, draw: u32) -> u64 {
        const HALF: u64 = 1 << 63;
        let (kept, rest) = match cut {
            0 => (significand, 0),
            1..64 => (significand >> cut, significand << (64 - cut)),
            64 => (0, significand),
            // Below the 64 bits, what is left is recorded in the last one.
            65..128 => (0, significand >> (cut - 64) | 1),
            _ => (0, 1),
        };
        let up = match self {
            Mode::NearestEven => rest > HALF || (rest == HALF && kept & 1 == 1),
            Mode::NearestAway => rest >= HALF,
            Mode::Directed(up) => rest != 0 && up[usize::from(negative)],
            Mode::Stochastic => draw < (rest >> 32) as u32,
        };
        kept + u64::from(up)
    }
}

/// A destination: what is stored for a number, None if the cast is checked and it does not fit.
trait Target {
    fn encode(&self, number: Number, draw: u32) -> Option<u64>;
}

struct Integers {
    format: IntFormat,
    mode: Mode,
    checked: bool,
    clamps: bool,
}

impl Integers {
    fn new<S: Source>(format: IntFormat, params: &Params) -> Self {
        let overflow = params.options.overflow;
        Self {
            format,
            mode: Mode::new(params.options.rounding, Mode::Directed([false, false])),
            checked: matches!(overflow, Overflow::Error),
            clamps: match overflow {
                Overflow::As => S::IS_FLOAT,
                Overflow::Saturate => true,
                Overflow::Wrap | Overflow::Error => false,
            },
        }
    }

    /// The number whose low bits are those of the magnitude with its sign, filled to 64 bits.
    fn fill(&self, magnitude: u64, negative: bool) -> u64 {
        let unused = 64 - self.format.bits;
        let value = if negative { magnitude.wrapping_neg() } else { magnitude } << unused;
        if self.format.signed { (value as i64 >> unused) as u64 } else { value >> unused }
    }
}

impl Target for Integers {
    #[inline(always)]
    fn encode(&self, number: Number, draw: u32) -> Option<u64> {
        let negative = number.negative;
        let most = if negative { self.format.min_magnitude() } else { self.format.max() };
        // The low 64 bits of the rounded magnitude, and whether it is larger than they say.
        let (low, more) = match number.value {
            Value::Zero => return Some(0),
            Value::Nan { .. } => return if self.checked { None } else { Some(0) },
            Value::Infinity => (0, true),
            Value::Nonzero { significand, exponent } if exponent <= 63 => {
                (self.mode.round(significand, (63 - exponent) as u32, negative, draw), false)
            }
            Value::Nonzero { significand, exponent } => {
                (significand.checked_shl((exponent - 63) as u32).unwrap_or(0), true)
            }
        };
        if !more && low <= most {
            Some(self.fill(low, negative))
        } else if self.checked {
            None
        } else {
            Some(self.fill(if self.clamps { most } else { low }, negative))
        }
    }
}

struct Floats {
    format: FloatFormat,
    mode: Mode,
    checked: bool,
    /// The magnitudes that an overflow, and an infinity, become.
    overflow: u64,
    max_finite: u64,
    sign_mask: u64,
}

impl Floats {
    fn new(format: FloatFormat, default: Mode, params: &Params) -> Self {
        let checked = matches!(params.options.overflow, Overflow::Error);
        let clamps = match format.bits() {
            4 | 6 => true,
            8 => params.options.saturate && !checked,
            _ => false,
        };
        let unclamped = format.infinity().or(format.nan()).unwrap_or(0);
        Self {
            format,
            mode: Mode::new(params.options.rounding, default),
            checked,
            overflow: if clamps { format.max_finite() } else { unclamped },
            max_finite: format.max_finite(),
            sign_mask: format.sign_mask(),
        }
    }

    fn with_sign(&self, magnitude: u64, negative: bool) -> u64 {
        magnitude | if negative { self.sign_mask } else { 0 }
    }

    fn zero(&self, negative: bool) -> u64 {
        self.with_sign(0, negative && self.format.has_negative_zero())
    }

    fn nan(&self, payload: u64, negative: bool) -> Option<u64> {
        match self.format.nan() {
            None if self.checked => None,
            None => Some(self.with_sign(0, !negative)),
            Some(nan) => {
                let wide = self.format.bits() > 8;
                let kept = if wide { payload >> (52 - self.format.mantissa_bits) } else { 0 };
                Some(self.with_sign(nan | kept, negative && self.format.nan_has_sign()))
            }
        }
    }

    /// A number past the largest, where a checked cast does not refuse it. The NaN of `fnuz` is the
    /// sign bit alone, so a sign adds nothing to it.
    fn past(&self, negative: bool) -> u64 {
        self.with_sign(self.overflow, negative)
    }
}

impl Target for Floats {
    #[inline(always)]
    fn encode(&self, number: Number, draw: u32) -> Option<u64> {
        let negative = number.negative;
        let (significand, exponent) = match number.value {
            Value::Nonzero { significand, exponent } => (significand, exponent),
            Value::Zero => return Some(self.zero(negative)),
            Value::Infinity if self.checked && self.format.infinity().is_none() => return None,
            Value::Infinity => return Some(self.past(negative)),
            Value::Nan { payload } => return self.nan(payload, negative),
        };
        let m = self.format.mantissa_bits;
        let lowest = self.format.min_exponent();
        // The exponent whose units count: a subnormal is counted in those of the smallest normal.
        let place = exponent.max(lowest);
        let cut = (63 - exponent + place) as u32 - m;
        let units = self.mode.round(significand, cut, negative, draw);
        // 2^m units at the lowest exponent make field 1: the leading unit counts itself in.
        let magnitude = units + (((place - lowest) as u64) << m);
        if magnitude > self.max_finite {
            if self.checked {
                None
            } else if self.mode.stops(negative) {
                Some(self.with_sign(self.max_finite, negative))
            } else {
                Some(self.past(negative))
            }
        } else if magnitude == 0 {
            Some(self.zero(negative))
        } else {
            Some(self.with_sign(magnitude, negative))
        }
    }
}

/// float8_e8m0fnu.
struct Powers {
    floats: Floats,
}

impl Powers {
    /// What is stored for a number that is not between the powers.
    fn outside(&self, clamped: u64, negative: bool) -> Option<u64> {
        if self.floats.checked {
            None
        } else if negative {
            self.floats.format.nan()
        } else if self.floats.overflow == self.floats.max_finite {
            Some(clamped)
        } else {
            self.floats.format.nan()
        }
    }
}

impl Target for Powers {
    #[inline(always)]
    fn encode(&self, number: Number, draw: u32) -> Option<u64> {
        let format = self.floats.format;
        let (significand, exponent) = match number.value {
            Value::Nonzero { significand, exponent } if !number.negative => (significand, exponent),
            Value::Nonzero { .. } => return self.outside(0, true),
            Value::Zero => return self.outside(0, false),
            Value::Infinity => return self.outside(format.max_finite(), number.negative),
            Value::Nan { .. } => return format.nan(),
        };
        // One or two units of the leading bit.
        let units = self.floats.mode.round(significand, 63, false, draw);
        let power = exponent + units as i32 - 1;
        if power < format.min_exponent() {
            self.outside(0, false)
        } else if power > format.max_exponent() {
            self.outside(format.max_finite(), false)
        } else {
            Some((power + format.bias) as u64)
        }
    }
}
