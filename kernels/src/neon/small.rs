//! Encoders of the floats of 8, 6 and 4 bits, from float32.
//!
//! Let `e` be the exponent of a magnitude `a`, or the format's lowest if that is higher, `m` the format's
//! fraction bits and `g = 23 - m`. A unit of the destination near `a` is `2^(e - m)`, the last place of a
//! float32 of exponent `e + g`. So
//!
//! ```text
//! t = 2^e * K + a,    K = 2^g * (1 + c * 2^-23)
//! ```
//!
//! in one fused multiply-add has, below its exponent field, `c` plus the number of units nearest to `a`,
//! ties to even if `c` is even: one rounding. The code is that number of units plus the steps
//! `(e - lowest) << m` (the leading unit counts itself into the exponent field), and `t`'s exponent field
//! is `e + g + 127`. So `t + (t >> g)`, one instruction, has in its low byte `c`, the units, and
//! `(e + g + 127) << m`, of which `c` is to make up for all but the steps:
//!
//! ```text
//! c = -((lowest + g + 127) << m) mod 256
//! ```
//!
//! (What `t >> g` brings of `t`'s fraction is the uppermost `m` bits, which are zero: `c` and the units
//! have no more than 9 bits, and `g` is 19 at least.)

use super::bridge::Odd;
use super::lanes::*;
use super::ops::*;
use crate::dtypes::Real;
use crate::format::{FloatFormat, Numbers, Specials};
use core::marker::PhantomData;

/// The encoder of a format of at most 8 bits with a sign.
pub(super) struct Small<B>(PhantomData<B>);

impl<B: Real> Small<B> {
    const FORMAT: FloatFormat = match B::DTYPE.numbers() {
        Numbers::Float(format) if format.bits() <= 8 => format,
        _ => panic!("not a small float"),
    };
    const M: u32 = Self::FORMAT.mantissa_bits;
    const LOWEST: i32 = Self::FORMAT.min_exponent();

    /// The magnitude that a code would have if every exponent field were a number's, as float32 bits.
    const fn magnitude(code: u64) -> u32 {
        let field = (code >> Self::M) as i32;
        assert!(field > 0);
        let exponent = field - 1 + Self::LOWEST + 127;
        let fraction = (code & Self::FORMAT.mantissa_mask()) as u32;
        (exponent as u32) << 23 | fraction << (23 - Self::M)
    }

    /// Where magnitudes are clamped: the default is to saturate.
    const LIMIT: u32 = Self::magnitude(Self::FORMAT.max_finite());

    /// The code of NaN without its sign; 0x80 where there is none.
    const NAN_CODE: u8 = match Self::FORMAT.nan() {
        Some(code) => code as u8,
        None => 0x80,
    };

    /// What stands for NaN.
    const NAN: u32 = Self::magnitude(Self::NAN_CODE as u64);

    /// The smallest normal number.
    const SMALLEST: u32 = ((Self::LOWEST + 127) as u32) << 23;

    const K: u32 = {
        let g = 23 - Self::M;
        let c = (((Self::LOWEST + g as i32 + 127) as u32) << Self::M).wrapping_neg() & 0xff;
        assert!(c.is_multiple_of(2));
        (127 + g) << 23 | c
    };

    /// The magnitude bits of a stored code.
    const CODE: u8 = (Self::FORMAT.sign_mask() - 1) as u8;

    /// The stored bytes of 16 numbers.
    #[inline(always)]
    pub(super) fn codes(v: Odd<false>) -> uint8x16_t {
        let codes = low_bytes(low_words(four(v.lanes, |number| Self::code(number, v.nan))));
        let signs = high_bytes(high_words(four(v.lanes, |v| vreinterpretq_u32_f32(v))));
        Self::finish(codes, signs)
    }

    /// The code of each magnitude, in the low byte.
    #[inline(always)]
    fn code(v: float32x4_t, nan: bool) -> uint32x4_t {
        let float = |bits| vreinterpretq_f32_u32(vdupq_n_u32(bits));
        let mut a = vminq_f32(vabsq_f32(v), float(Self::LIMIT));
        if nan {
            a = vbslq_f32(vceqq_f32(v, v), a, float(Self::NAN));
        }
        let power = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(0xff << 23));
        let power = vreinterpretq_f32_u32(vmaxq_u32(power, vdupq_n_u32(Self::SMALLEST)));
        let t = vreinterpretq_u32_f32(vfmaq_f32(a, power, float(Self::K)));
        match Self::M {
            1 => vsraq_n_u32::<22>(t, t),
            2 => vsraq_n_u32::<21>(t, t),
            3 => vsraq_n_u32::<20>(t, t),
            _ => vsraq_n_u32::<19>(t, t),
        }
    }

    /// Puts signs, in the top bits of bytes, to codes.
    #[inline(always)]
    fn finish(codes: uint8x16_t, signs: uint8x16_t) -> uint8x16_t {
        let sign = vdupq_n_u8(0x80);
        match Self::FORMAT.specials {
            // No sign for zero; NaN is 0x80 and has it anyway.
            Specials::Fnuz => {
                vorrq_u8(codes, vandq_u8(vandq_u8(signs, sign), vtstq_u8(codes, codes)))
            }
            Specials::Finite => {
                // NaN is 0x80, which turns the sign over and is no code.
                let signs = vandq_u8(veorq_u8(signs, codes), sign);
                let signs = match Self::CODE {
                    0x1f => vshrq_n_u8::<2>(signs),
                    _ => vshrq_n_u8::<4>(signs),
                };
                vorrq_u8(vandq_u8(codes, vdupq_n_u8(Self::CODE)), signs)
            }
            _ => vbslq_u8(sign, signs, codes),
        }
    }
}
