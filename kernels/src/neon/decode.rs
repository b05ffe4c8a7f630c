//! Decoders: what fits 16 bits goes to 32-bit lanes, wider integers and the two big floats are their
//! own hubs, the smaller floats go to float32.

use super::Neon;
use super::lanes::*;
use super::ops::*;
use super::shim::float32s_of_float16s;
use super::tables::words;
use crate::codec::Decode;
use crate::dtypes::mark;

/// Integers of at most 16 bits and a sign: exact in float32.
#[derive(Clone, Copy)]
pub(crate) struct Narrow(pub(super) [int32x4_t; 4]);

#[derive(Clone, Copy)]
pub(crate) struct I32(pub(super) [int32x4_t; 4]);

#[derive(Clone, Copy)]
pub(crate) struct U32(pub(super) Dwords);

#[derive(Clone, Copy)]
pub(crate) struct I64(pub(super) [int64x2_t; 8]);

#[derive(Clone, Copy)]
pub(crate) struct U64(pub(super) Qwords);

#[derive(Clone, Copy)]
pub(crate) struct F32(pub(super) [float32x4_t; 4]);

/// Float32s whose NaNs may not be quiet.
#[derive(Clone, Copy)]
pub(crate) struct Loud(pub(super) [float32x4_t; 4]);

#[derive(Clone, Copy)]
pub(crate) struct F64(pub(super) [float64x2_t; 8]);

macro_rules! decoders {
    ($($variant:ident => $hub:ty, |$v:ident: $load:ty| $value:expr;)*) => {$(
        impl Decode<mark::$variant> for Neon {
            type Hub = $hub;

            #[inline(always)]
            unsafe fn decode(self, src: *const u8) -> $hub {
                // SAFETY: the caller's: 16 elements are these registers' bytes.
                let $v: $load = unsafe { load(src) };
                $value
            }
        }
    )*};
}

decoders! {
    Bool => Narrow, |v: uint8x16_t| unsigned(vminq_u8(v, vdupq_n_u8(1)));
    Int8 => Narrow, |v: int8x16_t| signed(v);
    Int16 => Narrow, |v: [int16x8_t; 2]| Narrow(dwords_of_signed_words(v));
    Int32 => I32, |v: [int32x4_t; 4]| I32(v);
    Int64 => I64, |v: [int64x2_t; 8]| I64(v);
    UInt8 => Narrow, |v: uint8x16_t| unsigned(v);
    UInt16 => Narrow, |v: [uint16x8_t; 2]| {
        Narrow(four(dwords_of_words(v), |v| vreinterpretq_s32_u32(v)))
    };
    UInt32 => U32, |v: Dwords| U32(v);
    UInt64 => U64, |v: Qwords| U64(v);
    Int1 => Narrow, |v: int8x16_t| signed(vshrq_n_s8::<7>(vshlq_n_s8::<7>(v)));
    Int2 => Narrow, |v: int8x16_t| signed(vshrq_n_s8::<6>(vshlq_n_s8::<6>(v)));
    Int4 => Narrow, |v: int8x16_t| signed(vshrq_n_s8::<4>(vshlq_n_s8::<4>(v)));
    UInt1 => Narrow, |v: uint8x16_t| unsigned(vandq_u8(v, vdupq_n_u8(1)));
    UInt2 => Narrow, |v: uint8x16_t| unsigned(vandq_u8(v, vdupq_n_u8(3)));
    UInt4 => Narrow, |v: uint8x16_t| unsigned(vandq_u8(v, vdupq_n_u8(15)));
    Float16 => F32, |v: [uint16x8_t; 2]| {
        let [[a, b], [c, d]] = both(v, float32s_of_float16s);
        F32([a, b, c, d])
    };
    BFloat16 => Loud, |v: [uint16x8_t; 2]| Loud(four(above_zeros(v), |v| vreinterpretq_f32_u32(v)));
    Float32 => F32, |v: [float32x4_t; 4]| F32(v);
    Float64 => F64, |v: [float64x2_t; 8]| F64(v);
}

/// Floats of at most 8 bits, by their bytes as bfloat16, in which all of them are exact.
macro_rules! small_decoders {
    ($($variant:ident)*) => {$(
        decoders! {
            $variant => F32, |v: uint8x16_t| {
                let words = words::<mark::$variant, mark::BFloat16>(v);
                F32(four(above_zeros(words), |v| vreinterpretq_f32_u32(v)))
            };
        }
    )*};
}

small_decoders! {
    Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4 Float8E4M3B11Fnuz
    Float8E8M0Fnu Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
}

#[inline(always)]
fn unsigned(v: uint8x16_t) -> Narrow {
    Narrow(four(dwords_of_words(words_of_bytes(v)), |v| vreinterpretq_s32_u32(v)))
}

#[inline(always)]
fn signed(v: int8x16_t) -> Narrow {
    Narrow(dwords_of_signed_words(words_of_signed_bytes(v)))
}
