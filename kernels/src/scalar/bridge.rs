//! Bridges: from each hub (Rust's ten number types) to each home. Between the number types Rust's
//! `as` is the law: integers keep their low bits, floats clamp and turn NaN to 0, integers round to
//! the nearest float.

use super::Scalar;
use crate::codec::Bridge;

/// Float32 bits on the way to a narrower float. If the exact value lies between two float32s it is
/// the one whose last bit is odd: round to odd. Narrowing that to at most 22 bits of precision by
/// any rounding gives what narrowing the exact value would, since the odd bit keeps the value off
/// every number and midpoint of the narrower format, and on the right side of each.
#[derive(Clone, Copy)]
pub(crate) struct Odd(pub(crate) u32);

/// An integer of fewer than 8 bits, in the low bits.
#[derive(Clone, Copy)]
pub(crate) struct Small<const BITS: u32, const SIGNED: bool>(pub(crate) u8);

macro_rules! by_as {
    ($($hub:ident => $($home:ident)*;)*) => {$($(
        impl Bridge<$hub, $home> for Scalar {
            #[inline(always)]
            fn bridge(self, value: $hub) -> $home {
                value as $home
            }
        }
    )*)*};
}

by_as! {
    i8 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    i16 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    i32 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    i64 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    u8 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    u16 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    u32 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    u64 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    f32 => i8 i16 i32 i64 u8 u16 u32 u64 f32;
    f64 => i8 i16 i32 i64 u8 u16 u32 u64 f64;
}

/// Whether converting between float32 and float64 keeps a NaN's sign and top payload bits and makes
/// it quiet, as the law wants it and these instruction sets do. Rust promises no NaN's bits; the
/// comparison with the reference on each target shows them.
const KEEPS_NAN: bool = cfg!(any(
    target_arch = "x86_64",
    all(target_arch = "x86", target_feature = "sse2"),
    target_arch = "aarch64",
));

impl Bridge<f32, f64> for Scalar {
    #[inline(always)]
    fn bridge(self, value: f32) -> f64 {
        let widened = value as f64;
        if KEEPS_NAN || !value.is_nan() {
            return widened;
        }
        let bits = u64::from(value.to_bits());
        f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8 << 48 | (bits & 0x7f_ffff) << 29)
    }
}

impl Bridge<f64, f32> for Scalar {
    #[inline(always)]
    fn bridge(self, value: f64) -> f32 {
        let narrowed = value as f32;
        if KEEPS_NAN || !value.is_nan() {
            return narrowed;
        }
        f32::from_bits(quiet_nan(value.to_bits()))
    }
}

/// The float32 NaN of a float64 NaN.
#[inline(always)]
fn quiet_nan(bits: u64) -> u32 {
    (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x3f_ffff
}

/// What the bridges of several homes need to know of a hub.
trait Hub: Copy {
    const IS_FLOAT: bool;

    fn is_nonzero(self) -> bool;

    /// The low bits of an integer; a float clamped, by way of a signed or unsigned 8-bit integer.
    fn to_u8(self) -> u8;
    fn to_i8(self) -> i8;

    fn to_odd(self) -> Odd;
}

macro_rules! hubs {
    ($($hub:ident $is_float:literal |$value:ident| $odd:expr;)*) => {$(
        impl Hub for $hub {
            const IS_FLOAT: bool = $is_float;

            #[inline(always)]
            fn is_nonzero(self) -> bool {
                self != 0 as $hub
            }

            #[inline(always)]
            fn to_u8(self) -> u8 {
                self as u8
            }

            #[inline(always)]
            fn to_i8(self) -> i8 {
                self as i8
            }

            #[inline(always)]
            fn to_odd(self) -> Odd {
                let $value = self;
                Odd($odd)
            }
        }
    )*};
}

hubs! {
    i8 false |v| f32::from(v).to_bits();
    i16 false |v| f32::from(v).to_bits();
    i32 false |v| odd_from_f64(f64::from(v));
    i64 false |v| {
        let magnitude = sticky_53(v.unsigned_abs());
        odd_from_f64(magnitude) | (v >> 32) as u32 & 0x8000_0000
    };
    u8 false |v| f32::from(v).to_bits();
    u16 false |v| f32::from(v).to_bits();
    u32 false |v| odd_from_f64(f64::from(v));
    u64 false |v| odd_from_f64(sticky_53(v));
    f32 true |v| v.to_bits();
    f64 true |v| odd_from_f64(v);
}

/// A float64 that rounds to odd to float32 as the integer does: at 2^53 and above the low 11 bits
/// are gathered in the one above them, which leaves at most 53 significant ones.
#[inline(always)]
fn sticky_53(value: u64) -> f64 {
    let low = value & 0x7ff;
    let gathered = (value - low) | if low == 0 { 0 } else { 0x800 };
    (if value >> 53 == 0 { value } else { gathered }) as f64
}

/// Float64 to float32 bits, rounded to odd.
#[inline(always)]
fn odd_from_f64(value: f64) -> u32 {
    let nearest = value as f32;
    let back = nearest as f64;
    // One unit back from a nearest that is too far from zero is the value cut toward zero, infinity
    // included; the last bit then records whether anything was cut.
    let too_far = u32::from(back.abs() > value.abs());
    let inexact = u32::from(back != value);
    let odd = nearest.to_bits().wrapping_sub(too_far) | inexact;
    if value.is_nan() { quiet_nan(value.to_bits()) } else { odd }
}

impl<H: Hub> Bridge<H, Odd> for Scalar {
    #[inline(always)]
    fn bridge(self, value: H) -> Odd {
        value.to_odd()
    }
}

impl<H: Hub> Bridge<H, bool> for Scalar {
    #[inline(always)]
    fn bridge(self, value: H) -> bool {
        value.is_nonzero()
    }
}

impl<H: Hub, const BITS: u32, const SIGNED: bool> Bridge<H, Small<BITS, SIGNED>> for Scalar {
    #[inline(always)]
    fn bridge(self, value: H) -> Small<BITS, SIGNED> {
        Small(match (H::IS_FLOAT, SIGNED) {
            (false, _) => value.to_u8(),
            (true, true) => value.to_i8().clamp(-1 << (BITS - 1), (1 << (BITS - 1)) - 1) as u8,
            (true, false) => value.to_u8().min((1 << BITS) - 1),
        })
    }
}
