//! Decoders: integers and the two big floats are their own hubs, the smaller floats go to float32.

use super::Scalar;
use super::direct::ByteTable;
use crate::codec::Decode;
use crate::dtypes::{Real, mark};

/// Decoders whose hub is computed from the stored element.
macro_rules! decoders {
    ($($variant:ident => $hub:ty, |$stored:ident| $value:expr;)*) => {$(
        impl Decode<mark::$variant> for Scalar {
            type Hub = $hub;

            #[inline(always)]
            unsafe fn decode(self, src: *const u8) -> $hub {
                // SAFETY: the caller's: an element is readable at `src`, at any alignment.
                let $stored = unsafe { src.cast::<<mark::$variant as Real>::Stored>().read_unaligned() };
                $value
            }
        }
    )*};
}

decoders! {
    Bool => u8, |b| u8::from(b != 0);
    Int8 => i8, |v| v;
    Int16 => i16, |v| v;
    Int32 => i32, |v| v;
    Int64 => i64, |v| v;
    UInt8 => u8, |v| v;
    UInt16 => u16, |v| v;
    UInt32 => u32, |v| v;
    UInt64 => u64, |v| v;
    Int1 => i8, |b| (b << 7) as i8 >> 7;
    Int2 => i8, |b| (b << 6) as i8 >> 6;
    Int4 => i8, |b| (b << 4) as i8 >> 4;
    UInt1 => u8, |b| b & 1;
    UInt2 => u8, |b| b & 3;
    UInt4 => u8, |b| b & 15;
    Float16 => f32, |bits| f32::from_bits(from_float16(bits));
    BFloat16 => f32, |bits| f32::from_bits(from_bfloat16(bits));
    Float32 => f32, |bits| f32::from_bits(bits);
    Float64 => f64, |bits| f64::from_bits(bits);
    Float8E4M3Fn => f32, |code| small::<mark::Float8E4M3Fn>(code);
    Float8E5M2 => f32, |code| small::<mark::Float8E5M2>(code);
    Float8E4M3Fnuz => f32, |code| small::<mark::Float8E4M3Fnuz>(code);
    Float8E5M2Fnuz => f32, |code| small::<mark::Float8E5M2Fnuz>(code);
    Float8E4M3 => f32, |code| small::<mark::Float8E4M3>(code);
    Float8E3M4 => f32, |code| small::<mark::Float8E3M4>(code);
    Float8E4M3B11Fnuz => f32, |code| small::<mark::Float8E4M3B11Fnuz>(code);
    Float8E8M0Fnu => f32, |code| small::<mark::Float8E8M0Fnu>(code);
    Float6E2M3Fn => f32, |code| small::<mark::Float6E2M3Fn>(code);
    Float6E3M2Fn => f32, |code| small::<mark::Float6E3M2Fn>(code);
    Float4E2M1Fn => f32, |code| small::<mark::Float4E2M1Fn>(code);
}

/// The float32 bits of a float16.
#[inline(always)]
fn from_float16(bits: u16) -> u32 {
    let magnitude = u32::from(bits) & 0x7fff;
    let sign = (u32::from(bits) & 0x8000) << 16;
    let exponent = magnitude & 0x7c00;
    // The exponent's bias grows by 112. Infinity and NaN take the highest exponent: 112 once more.
    let special = if exponent == 0x7c00 { 112 << 23 } else { 0 };
    let quiet = if magnitude > 0x7c00 { 1 << 22 } else { 0 };
    let normal = ((magnitude << 13) + (112 << 23) + special) | quiet;
    // A subnormal is its fraction in units of 2^-24. Both steps are exact.
    let subnormal = (magnitude as i32 as f32 * f32::from_bits((127 - 24) << 23)).to_bits();
    sign | if exponent == 0 { subnormal } else { normal }
}

/// The float32 bits of a bfloat16: its own, with NaNs made quiet.
#[inline(always)]
fn from_bfloat16(bits: u16) -> u32 {
    let quiet = if bits & 0x7fff > 0x7f80 { 1 << 22 } else { 0 };
    u32::from(bits) << 16 | quiet
}

/// A float of 8 bits or fewer, by table.
#[inline(always)]
fn small<A: Real>(code: u8) -> f32 {
    f32::from_bits(const { &ByteTable::<A, mark::Float32>::DWORDS }[usize::from(code)])
}
