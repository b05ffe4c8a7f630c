//! Float32 and float64 from wider numbers: rounded in a direction, or to odd.
//!
//! Rounding twice in the same direction is rounding once: so what goes on to a narrower format may
//! come through float32. To the nearest it may not, but by way of rounding to *odd*: cut off toward
//! zero, and the last bit set if anything was cut off. With two bits to spare that tells what is
//! below, at or above the middle of two numbers of the narrower format.
//!
//! The processor rounds to nearest. What it is asked to convert back, exactly, shows on which side of
//! the number its result is, and that moves to the neighbour if it is the wrong one. Neighbours'
//! bits differ by one. (This is arithmetic in the default floating-point environment.)

use super::Bytes;
use super::grid::Mode;
use crate::codec::Isa;
use crate::dtypes::DType;
use core::mem::MaybeUninit;
use core::slice;

/// How conversions round: [`Mode`]s, except for nearest, which is what the default kernels do, and
/// stochastic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    TowardZero,
    Up,
    Down,
    NearestAway,
    Odd,
}

impl Side {
    /// Where numbers go that will be rounded again, to fewer bits, by a mode.
    pub(super) const fn before(mode: Mode) -> Self {
        match mode {
            Mode::TowardZero => Side::TowardZero,
            Mode::Up => Side::Up,
            Mode::Down => Side::Down,
            _ => Side::Odd,
        }
    }

    /// Where numbers go that are rounded once, by a mode.
    pub(super) const fn last(mode: Mode) -> Self {
        match mode {
            Mode::NearestAway => Side::NearestAway,
            _ => Self::before(mode),
        }
    }
}

/// The float32 of a float64.
#[inline(always)]
fn narrowed<const SIDE: u8>(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    // 1 or -1: what moves the bits of a number of this sign up.
    let up = (bits as i32 >> 31) as u32 | 1;
    let further = back.abs() > value.abs();
    f32::from_bits(if SIDE == Side::TowardZero as u8 {
        bits.wrapping_sub(further.into())
    } else if SIDE == Side::Odd as u8 {
        bits.wrapping_sub(further.into()) | u32::from(back != value)
    } else if SIDE == Side::Up as u8 {
        if back < value { bits.wrapping_add(up) } else { bits }
    } else if SIDE == Side::Down as u8 {
        if back > value { bits.wrapping_sub(up) } else { bits }
    } else {
        // A tie that went to the even neighbour, nearer to zero, goes to the other. (Both
        // differences are exact, and zero only where nothing was rounded.)
        let next = bits.wrapping_add(1);
        let other = f64::from(f32::from_bits(next));
        let tie = other - value == value - back && back != value;
        if tie && !further { next } else { bits }
    })
}

/// The float64 of a 64-bit integer. The two halves are floats of their own, made by putting their
/// bits where a power of two, taken off afterwards, has zeros; their sum is rounded, and what it lost
/// is what is missing from the lower half, since the upper one is either zero or larger.
#[inline(always)]
fn widened<const SIDE: u8, const SIGNED: bool>(code: u64) -> f64 {
    const TWO_TO_52: u64 = 0x4330 << 48;
    const TWO_TO_84: u64 = 0x4530 << 48;
    const TWO_TO_63: u64 = 0x43e0 << 48;
    let upper = if SIGNED {
        // The sign bit turned over: a number from 0 on, 2^31 too large.
        let offset = const { f64::from_bits(TWO_TO_84) + f64::from_bits(TWO_TO_63) };
        f64::from_bits((code >> 32) ^ (TWO_TO_84 | 1 << 31)) - offset
    } else {
        f64::from_bits((code >> 32) | TWO_TO_84) - f64::from_bits(TWO_TO_84)
    };
    let lower = f64::from_bits((code & 0xffff_ffff) | TWO_TO_52) - f64::from_bits(TWO_TO_52);
    let nearest = upper + lower;
    let lost = lower - (nearest - upper);
    let bits = nearest.to_bits();
    let up = (bits as i64 >> 63) as u64 | 1;
    // Negative if the result is further from zero than the number.
    let outward = f64::from_bits(lost.to_bits() ^ (bits & 1 << 63));
    f64::from_bits(if SIDE == Side::TowardZero as u8 {
        bits.wrapping_sub((outward < 0.0).into())
    } else if SIDE == Side::Odd as u8 {
        bits.wrapping_sub((outward < 0.0).into()) | u64::from(lost != 0.0)
    } else if SIDE == Side::Up as u8 {
        if lost > 0.0 { bits.wrapping_add(up) } else { bits }
    } else if SIDE == Side::Down as u8 {
        if lost < 0.0 { bits.wrapping_sub(up) } else { bits }
    } else {
        let next = bits.wrapping_add(1);
        let tie = f64::from_bits(next) - nearest == lost + lost;
        if tie && outward > 0.0 { next } else { bits }
    })
}

/// Converts `n` elements from the first pointer to the second.
///
/// # Safety
/// The pointers are valid for as many elements, and don't overlap. The CPU has the instruction set,
/// and the floating-point environment is the default one.
pub(crate) type Convert = unsafe fn(*const u8, *mut u8, usize);

/// The conversions of one pair, by [`Side`].
pub(crate) type Sides = [Convert; 5];

macro_rules! conversions {
    ($($kernel:ident $sides:ident: $from:ident to $to:ident, <$side:ident> |$value:ident| $result:expr;)*) => {$(
        /// # Safety
        /// As for every [`Convert`].
        unsafe fn $kernel<I: Isa, const $side: u8>(src: *const u8, dst: *mut u8, n: usize) {
            // SAFETY: the caller's; elements as bytes have no alignment.
            let (src, dst) = unsafe {
                (
                    slice::from_raw_parts(src.cast::<Bytes<{ size_of::<$from>() }>>(), n),
                    slice::from_raw_parts_mut(
                        dst.cast::<MaybeUninit<Bytes<{ size_of::<$to>() }>>>(),
                        n,
                    ),
                )
            };
            // SAFETY: the caller's.
            unsafe { I::summon() }.vectorize_on_lines(
                #[inline(always)]
                move || {
                    for (code, out) in src.iter().zip(dst) {
                        let $value = $from::from_ne_bytes(*code);
                        let result: $to = $result;
                        out.write(result.to_ne_bytes());
                    }
                },
            );
        }

        /// The loops of the pair.
        pub(super) const fn $sides<I: Isa>() -> Sides {
            [
                $kernel::<I, { Side::TowardZero as u8 }>,
                $kernel::<I, { Side::Up as u8 }>,
                $kernel::<I, { Side::Down as u8 }>,
                $kernel::<I, { Side::NearestAway as u8 }>,
                $kernel::<I, { Side::Odd as u8 }>,
            ]
        }
    )*};
}

conversions! {
    float64_to_32 float64_sides: f64 to f32, <SIDE> |value| narrowed::<SIDE>(value);
    int32_to_32 int32_sides: i32 to f32, <SIDE> |value| narrowed::<SIDE>(f64::from(value));
    uint32_to_32 uint32_sides: u32 to f32, <SIDE> |value| narrowed::<SIDE>(f64::from(value));
    int64_to_64 int64_sides: u64 to f64, <SIDE> |code| widened::<SIDE, true>(code);
    uint64_to_64 uint64_sides: u64 to f64, <SIDE> |code| widened::<SIDE, false>(code);
    int64_to_32 int64_to_32_sides: u64 to f32, <SIDE> |code| by_way_of_64::<SIDE, true>(code);
    uint64_to_32 uint64_to_32_sides: u64 to f32, <SIDE> |code| by_way_of_64::<SIDE, false>(code);
}

#[inline(always)]
fn by_way_of_64<const SIDE: u8, const SIGNED: bool>(code: u64) -> f32 {
    if SIDE == Side::NearestAway as u8 {
        narrowed::<SIDE>(widened::<{ Side::Odd as u8 }, SIGNED>(code))
    } else {
        narrowed::<SIDE>(widened::<SIDE, SIGNED>(code))
    }
}

/// Every conversion.
pub(crate) struct Conversions {
    pub(crate) float64_to_32: Sides,
    pub(crate) int32_to_32: Sides,
    pub(crate) uint32_to_32: Sides,
    pub(crate) int64_to_32: Sides,
    pub(crate) uint64_to_32: Sides,
    pub(crate) int64_to_64: Sides,
    pub(crate) uint64_to_64: Sides,
}

impl Conversions {
    /// In code that any instruction set compiles.
    pub(crate) const fn of<I: Isa>() -> Self {
        Self {
            float64_to_32: float64_sides::<I>(),
            int32_to_32: int32_sides::<I>(),
            uint32_to_32: uint32_sides::<I>(),
            int64_to_32: int64_to_32_sides::<I>(),
            uint64_to_32: uint64_to_32_sides::<I>(),
            int64_to_64: int64_sides::<I>(),
            uint64_to_64: uint64_sides::<I>(),
        }
    }

    /// The loop of a pair.
    pub(super) const fn get(&self, from: DType, to: DType, side: Side) -> Convert {
        let sides = match (from, to) {
            (DType::Float64, _) => &self.float64_to_32,
            (DType::Int32, _) => &self.int32_to_32,
            (DType::UInt32, _) => &self.uint32_to_32,
            (DType::Int64, DType::Float32) => &self.int64_to_32,
            (DType::UInt64, DType::Float32) => &self.uint64_to_32,
            (DType::Int64, _) => &self.int64_to_64,
            _ => &self.uint64_to_64,
        };
        sides[side as usize]
    }
}
