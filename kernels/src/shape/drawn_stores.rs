//! Loops that round by draws and store at once.
//!
//! Where numbers are rounded in place, and a default kernel stores them, that kernel looks once more for what a number
//! becomes: how large it is, whether it is subnormal, or a NaN. A loop that makes codes of what it rounds needs to know that
//! once. Each has its draws in memory.

use super::elements;
use super::stores::brain_of;
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::format::{FloatFormat, Numbers, Specials};
use core::slice;

/// Which loops store a dtype.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has such loops.
pub(crate) enum Form {
    /// Floats of a byte, and those of them without a negative zero.
    Byte,
    ByteOfOneZero,
    /// Powers of two.
    Power,
    /// Floats of two bytes.
    Half,
    /// Integers of one byte, and of two, with a sign or without.
    ByteInteger(bool),
    WordInteger(bool),
}

impl Form {
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn of(to: DType) -> Option<Self> {
        Some(match (to.numbers(), to.bits()) {
            (Numbers::Float(FloatFormat { specials, .. }), 8) => match specials {
                Specials::PowersOfTwo => Self::Power,
                Specials::Fnuz => Self::ByteOfOneZero,
                _ => Self::Byte,
            },
            (Numbers::Float(_), 16) => Self::Half,
            (Numbers::Int(format), 8) => Self::ByteInteger(format.signed),
            (Numbers::Int(format), 16) => Self::WordInteger(format.signed),
            _ => return None,
        })
    }
}

/// What loops know of a dtype that they store: of integers only the largest counts.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has such loops.
pub(crate) struct Target {
    /// The exponent field of its smallest normal number as a float32.
    pub(crate) least: u32,
    /// The bits of its fraction.
    pub(crate) places: u32,
    /// Those of a code.
    pub(crate) bits: u32,
    /// What is past the largest number, and infinity.
    pub(crate) limit: u32,
    /// What a positive NaN without a payload becomes.
    pub(crate) nan: u32,
}

impl Target {
    /// The NaN of powers of two: their limit if that is what becomes of all that is out of range, too.
    pub(crate) const NO_POWER: u32 = 0xff;

    /// Of a dtype, if there may be loops for it: none of bools, and what has more than 32 bits.
    pub(super) const fn new(to: DType, saturate: bool) -> Option<Self> {
        match to.numbers() {
            _ if to.bits() > 32 => None,
            Numbers::Float(format) => Some(Self::of(format, saturate)),
            Numbers::Int(format) => Some(Self {
                least: 0,
                places: 0,
                bits: format.bits,
                limit: format.max() as u32,
                nan: 0,
            }),
            Numbers::Bool => None,
        }
    }

    const fn of(format: FloatFormat, saturate: bool) -> Self {
        let largest = format.max_finite() as u32;
        let limit = match (format.infinity(), format.nan()) {
            (Some(infinity), _) if !saturate || format.bits() > 8 => infinity as u32,
            (None, Some(nan)) if !saturate => nan as u32,
            _ => largest,
        };
        if matches!(format.specials, Specials::PowersOfTwo) {
            return Self { least: 0, places: 0, bits: format.bits(), limit, nan: Self::NO_POWER };
        }
        Self {
            least: (format.min_exponent() + FloatFormat::FLOAT32.bias) as u32,
            places: format.mantissa_bits,
            bits: format.bits(),
            limit,
            // Where there is none, that of either sign becomes a zero of the other.
            nan: match format.nan() {
                Some(nan) => nan as u32,
                None => format.sign_mask() as u32,
            },
        }
    }
}

/// Writes what `n` elements from the first pointer become by as many draws.
///
/// # Safety
/// The pointers are valid for reading and writing as many elements, and as many draws, and don't overlap. The CPU has the
/// instruction set.
pub(crate) type StoreDrawn = unsafe fn(&Target, *const u8, *mut u8, usize, *const u32);

/// The loop of a pair, if there is one. Floats become integers that are clamped.
pub(crate) type StoresDrawn = fn(DType, DType) -> Option<StoreDrawn>;

/// A pair's loop, and what it is told.
#[derive(Clone, Copy)]
pub(crate) struct DrawnStore {
    target: Target,
    store: StoreDrawn,
}

impl DrawnStore {
    pub(super) fn new(from: DType, to: DType, saturate: bool, stores: StoresDrawn) -> Option<Self> {
        Some(Self { target: Target::new(to, saturate)?, store: stores(from, to)? })
    }

    /// Rounds and stores.
    ///
    /// # Safety
    /// As for every [`StoreDrawn`].
    pub(super) unsafe fn run(&self, src: *const u8, dst: *mut u8, n: usize, draws: *const u32) {
        // SAFETY: the caller's.
        unsafe { (self.store)(&self.target, src, dst, n, draws) }
    }
}

/// The loops that any instruction set compiles.
pub(super) fn stores_drawn<I: Isa>(from: DType, to: DType) -> Option<StoreDrawn> {
    match (from, to) {
        (DType::Float32, DType::BFloat16) => Some(brains::<I>),
        _ => None,
    }
}

/// Rounds float32s to bfloat16s, which are their upper halves: the lower one exceeds as many top bits of the draw if and only
/// if adding the complement of those carries.
///
/// # Safety
/// As for every [`StoreDrawn`].
pub(crate) unsafe fn brains<I: Isa>(
    _: &Target,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    draws: *const u32,
) {
    // SAFETY: the caller's; elements as bytes have no alignment, and there is a draw for each.
    let ((src, dst), draws) =
        unsafe { (elements::<4, 2>(src, dst, n), slice::from_raw_parts(draws, n)) };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            for ((code, out), &draw) in src.iter().zip(dst).zip(draws) {
                let code = u32::from_ne_bytes(*code);
                out.write(brain_of(code, code.wrapping_add(!draw >> 16)).to_ne_bytes());
            }
        },
    );
}

/// Runs a step from each multiple of `STEP` elements of so many bytes on, the last one so that it ends with them; fewer by way
/// of the stack: in a function that is compiled for the instruction set.
///
/// # Safety
/// The pointers are valid for `n` elements of `from` and `to` bytes, at most 8, and as many draws, and don't overlap. `step`
/// reads and writes `STEP` of each.
#[inline(always)]
#[cfg(target_arch = "x86_64")] // Which has such loops.
pub(crate) unsafe fn steps<const STEP: usize>(
    (from, to): (usize, usize),
    src: *const u8,
    dst: *mut u8,
    n: usize,
    draws: *const u32,
    step: impl Fn(*const u8, *mut u8, *const u32),
) {
    const MOST: usize = 64;
    const { assert!(STEP <= MOST) };
    let mut i = 0;
    // SAFETY: the caller's. Elements are cast a second time from what they were, since nothing is written to the source. The
    // buffers hold a step.
    unsafe {
        if n < STEP {
            let (mut source, mut result) = ([0u8; 8 * MOST], [0u8; 8 * MOST]);
            let mut drawn = [0; MOST];
            src.copy_to_nonoverlapping(source.as_mut_ptr(), n * from);
            draws.copy_to_nonoverlapping(drawn.as_mut_ptr(), n);
            step(source.as_ptr(), result.as_mut_ptr(), drawn.as_ptr());
            result.as_ptr().copy_to_nonoverlapping(dst, n * to);
            return;
        }
        while i < n {
            i = i.min(n - STEP);
            step(src.add(i * from), dst.add(i * to), draws.add(i));
            i += STEP;
        }
    }
}

/// Loops of an instruction set, given by its token, the token as a pattern, and what of that the steps use. Each is from
/// elements of so many bytes to elements of so many, so many a step, with what it makes of a [`Target`] before it begins.
#[cfg(target_arch = "x86_64")]
macro_rules! store_loops {
    (
        $token:ty as $isa:pat_param, $of_isa:expr;
        $(
            $(#[$doc:meta])*
            $name:ident [$($params:tt)*] = $from:expr, $to:literal, $step_of:expr => $make:expr,
                |$made:ident, $src:ident, $dst:ident, $draws:ident| $step:expr;
        )*
    ) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for every [`StoreDrawn`].
        unsafe fn $name<$($params)*>(
            target: &Target,
            src: *const u8,
            dst: *mut u8,
            n: usize,
            draws: *const u32,
        ) {
            // SAFETY: the caller's.
            let isa = unsafe { <$token>::summon() };
            let $isa = isa;
            isa.vectorize_on_lines(
                #[inline(always)]
                move || {
                    let $made = $make($of_isa, target);
                    // SAFETY: the caller's; a step reads and writes as much as it says.
                    unsafe {
                        $crate::shape::steps::<{ $step_of }>(
                            ($from, $to),
                            src,
                            dst,
                            n,
                            draws,
                            #[inline(always)]
                            |$src, $dst, $draws| $step,
                        );
                    }
                },
            );
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
pub(crate) use store_loops;
