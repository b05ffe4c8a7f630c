//! Encoders: integers cut or clamped to their width, bools as 0 and 1, and the floats below 32 bits
//! rounded once from [`Odd`] float32s.

use super::Neon;
use super::bridge::{Int, Odd, Power, Truth};
use super::decode::{F32, F64, I64, U64};
use super::lanes::*;
use super::ops::*;
use super::shim::float16s_of_float32s;
use super::small::Small;
use crate::codec::Encode;
use crate::dtypes::mark;

macro_rules! encoders {
    ($($variant:ident <= $home:ty, |$values:pat_param| $stored:expr;)*) => {$(
        impl Encode<mark::$variant> for Neon {
            type Home = $home;

            #[inline(always)]
            unsafe fn encode(self, $values: $home, dst: *mut u8) {
                // SAFETY: the caller's: 16 elements are these registers' bytes.
                unsafe { store(dst, $stored) }
            }
        }
    )*};
}

encoders! {
    Bool <= Truth, |Truth(v)| vandq_u8(low_bytes(low_words(v)), vdupq_n_u8(1));
    Int8 <= Int<8, true>, |v| bytes(v);
    Int16 <= Int<16, true>, |v| words(v);
    Int32 <= Int<32, true>, |v| v.lanes;
    Int64 <= I64, |I64(v)| v;
    UInt8 <= Int<8, false>, |v| bytes(v);
    UInt16 <= Int<16, false>, |v| words(v);
    UInt32 <= Int<32, false>, |v| v.lanes;
    UInt64 <= U64, |U64(v)| v;
    Int1 <= Int<1, true>, |v| bytes(v);
    Int2 <= Int<2, true>, |v| bytes(v);
    Int4 <= Int<4, true>, |v| bytes(v);
    UInt1 <= Int<1, false>, |v| bytes(v);
    UInt2 <= Int<2, false>, |v| bytes(v);
    UInt4 <= Int<4, false>, |v| bytes(v);
    Float16 <= Odd<false>, |v| {
        let [a, b, c, d] = v.lanes;
        both([[a, b], [c, d]], float16s_of_float32s)
    };
    BFloat16 <= Odd<true>, |v| bfloat16s(v);
    Float32 <= F32, |F32(v)| v;
    Float64 <= F64, |F64(v)| v;
    Float8E4M3Fn <= Odd<false>, |v| Small::<mark::Float8E4M3Fn>::codes(v);
    Float8E5M2 <= Odd<false>, |v| Small::<mark::Float8E5M2>::codes(v);
    Float8E4M3Fnuz <= Odd<false>, |v| Small::<mark::Float8E4M3Fnuz>::codes(v);
    Float8E5M2Fnuz <= Odd<false>, |v| Small::<mark::Float8E5M2Fnuz>::codes(v);
    Float8E4M3 <= Odd<false>, |v| Small::<mark::Float8E4M3>::codes(v);
    Float8E3M4 <= Odd<false>, |v| Small::<mark::Float8E3M4>::codes(v);
    Float8E4M3B11Fnuz <= Odd<false>, |v| Small::<mark::Float8E4M3B11Fnuz>::codes(v);
    Float8E8M0Fnu <= Power, |Power(v)| low_bytes(low_words(v));
    Float6E2M3Fn <= Odd<false>, |v| Small::<mark::Float6E2M3Fn>::codes(v);
    Float6E3M2Fn <= Odd<false>, |v| Small::<mark::Float6E3M2Fn>::codes(v);
    Float4E2M1Fn <= Odd<false>, |v| Small::<mark::Float4E2M1Fn>::codes(v);
}

/// Integers of 16 bits.
#[inline(always)]
fn words<const BITS: u32, const SIGNED: bool>(v: Int<BITS, SIGNED>) -> [uint16x8_t; 2] {
    if !v.clamp {
        return low_words(v.lanes);
    }
    let [a, b, c, d] = four(v.lanes, |v| vreinterpretq_s32_u32(v));
    both([[a, b], [c, d]], |[a, b]| {
        if SIGNED {
            vreinterpretq_u16_s16(vqmovn_high_s32(vqmovn_s32(a), b))
        } else {
            vqmovun_high_s32(vqmovun_s32(a), b)
        }
    })
}

/// Integers of at most 8 bits, sign- or zero-filled to a byte.
#[inline(always)]
fn bytes<const BITS: u32, const SIGNED: bool>(v: Int<BITS, SIGNED>) -> uint8x16_t {
    if !v.clamp {
        return filled::<BITS, SIGNED>(low_bytes(low_words(v.lanes)));
    }
    let [a, b] = words(v);
    let most = (1u32 << (BITS - SIGNED as u32)) - 1;
    if SIGNED {
        let (a, b) = (vreinterpretq_s16_u16(a), vreinterpretq_s16_u16(b));
        let v = vqmovn_high_s16(vqmovn_s16(a), b);
        if BITS == 8 {
            return vreinterpretq_u8_s8(v);
        }
        let v = vmaxq_s8(v, vdupq_n_s8(-1 - most as i8));
        vreinterpretq_u8_s8(vminq_s8(v, vdupq_n_s8(most as i8)))
    } else {
        let v = vqmovn_high_u16(vqmovn_u16(a), b);
        if BITS == 8 { v } else { vminq_u8(v, vdupq_n_u8(most as u8)) }
    }
}

/// Sign- or zero-fills the bits above a small integer.
#[inline(always)]
fn filled<const BITS: u32, const SIGNED: bool>(v: uint8x16_t) -> uint8x16_t {
    let signed = vreinterpretq_s8_u8(v);
    let signed = match (BITS, SIGNED) {
        (1, true) => vshrq_n_s8::<7>(vshlq_n_s8::<7>(signed)),
        (2, true) => vshrq_n_s8::<6>(vshlq_n_s8::<6>(signed)),
        (4, true) => vshrq_n_s8::<4>(vshlq_n_s8::<4>(signed)),
        (8, _) => signed,
        _ => return vandq_u8(v, vdupq_n_u8(((1u32 << BITS) - 1) as u8)),
    };
    vreinterpretq_u8_s8(signed)
}

/// To the nearest bfloat16s, ties to even.
#[inline(always)]
fn bfloat16s(v: Odd<true>) -> [uint16x8_t; 2] {
    let [a, b, c, d] = four(v.lanes, |number| half_way(number, v.nan));
    // The sum's upper half.
    let less = vdupq_n_u32(0x7fff);
    both([[a, b], [c, d]], |[a, b]| vaddhn_high_u32(vaddhn_u32(a, less), b, less))
}

/// What carries into the upper half, when 0x7fff is added, exactly if the nearest number is the next one
/// up: one more than the number if its upper half is odd. From the largest finite number that carries
/// into infinity. A NaN keeps its upper bits, and becomes quiet.
#[inline(always)]
fn half_way(v: float32x4_t, nan: bool) -> uint32x4_t {
    let bits = vreinterpretq_u32_f32(v);
    let number = vsraq_n_u32::<16>(bits, vandq_u32(bits, vdupq_n_u32(0x1_0000)));
    if !nan {
        return number;
    }
    let upper = vbicq_u32(bits, vdupq_n_u32(0xffff));
    let quiet = vorrq_u32(upper, vdupq_n_u32(1 << 22));
    vbslq_u32(vceqq_f32(v, v), number, quiet)
}
