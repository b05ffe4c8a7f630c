//! Encoders: numbers as they are, bools as 0 and 1, small integers filled to a byte, and the floats
//! below 32 bits rounded from [`Odd`] float32s.

use super::Scalar;
use super::bridge::{Odd, Small};
use crate::codec::Encode;
use crate::dtypes::{Real, mark};
use crate::format::{FloatFormat, Specials};

macro_rules! encoders {
    ($($variant:ident <= $home:ty, |$value:ident| $stored:expr;)*) => {$(
        impl Encode<mark::$variant> for Scalar {
            type Home = $home;

            #[inline(always)]
            unsafe fn encode(self, $value: $home, dst: *mut u8) {
                let stored: <mark::$variant as Real>::Stored = $stored;
                // SAFETY: the caller's: an element is writable at `dst`, at any alignment.
                unsafe { dst.cast::<<mark::$variant as Real>::Stored>().write_unaligned(stored) }
            }
        }
    )*};
}

encoders! {
    Bool <= bool, |truth| u8::from(truth);
    Int8 <= i8, |v| v;
    Int16 <= i16, |v| v;
    Int32 <= i32, |v| v;
    Int64 <= i64, |v| v;
    UInt8 <= u8, |v| v;
    UInt16 <= u16, |v| v;
    UInt32 <= u32, |v| v;
    UInt64 <= u64, |v| v;
    Int1 <= Small<1, true>, |v| fill(v);
    Int2 <= Small<2, true>, |v| fill(v);
    Int4 <= Small<4, true>, |v| fill(v);
    UInt1 <= Small<1, false>, |v| fill(v);
    UInt2 <= Small<2, false>, |v| fill(v);
    UInt4 <= Small<4, false>, |v| fill(v);
    Float16 <= Odd, |v| narrow::<mark::Float16>(v) as u16;
    BFloat16 <= Odd, |v| to_bfloat16(v);
    Float32 <= f32, |v| v.to_bits();
    Float64 <= f64, |v| v.to_bits();
    Float8E4M3Fn <= Odd, |v| narrow::<mark::Float8E4M3Fn>(v) as u8;
    Float8E5M2 <= Odd, |v| narrow::<mark::Float8E5M2>(v) as u8;
    Float8E4M3Fnuz <= Odd, |v| narrow::<mark::Float8E4M3Fnuz>(v) as u8;
    Float8E5M2Fnuz <= Odd, |v| narrow::<mark::Float8E5M2Fnuz>(v) as u8;
    Float8E4M3 <= Odd, |v| narrow::<mark::Float8E4M3>(v) as u8;
    Float8E3M4 <= Odd, |v| narrow::<mark::Float8E3M4>(v) as u8;
    Float8E4M3B11Fnuz <= Odd, |v| narrow::<mark::Float8E4M3B11Fnuz>(v) as u8;
    Float8E8M0Fnu <= Odd, |v| to_power_of_two(v);
    Float6E2M3Fn <= Odd, |v| narrow::<mark::Float6E2M3Fn>(v) as u8;
    Float6E3M2Fn <= Odd, |v| narrow::<mark::Float6E3M2Fn>(v) as u8;
    Float4E2M1Fn <= Odd, |v| narrow::<mark::Float4E2M1Fn>(v) as u8;
}

/// Sign- or zero-fills the high bits.
#[inline(always)]
fn fill<const BITS: u32, const SIGNED: bool>(value: Small<BITS, SIGNED>) -> u8 {
    let high = value.0 << (8 - BITS);
    if SIGNED { (high as i8 >> (8 - BITS)) as u8 } else { high >> (8 - BITS) }
}

/// To the nearest bfloat16, ties to even.
#[inline(always)]
fn to_bfloat16(Odd(bits): Odd) -> u16 {
    // Adding half a unit, less one if the kept part is even, carries exactly when the nearest is the
    // next one up; from the largest finite number it carries into infinity.
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let nan = bits >> 16 | 0x40;
    (if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded }) as u16
}

/// Up to the next power of two, clamped; NaN for NaN and negative numbers.
#[inline(always)]
fn to_power_of_two(Odd(bits): Odd) -> u8 {
    const SMALLEST: u32 = 0x0040_0000;
    let magnitude = bits & 0x7fff_ffff;
    // The exponent field of float32 is the code; any fraction bit takes it one up. 2^-127 itself, a
    // subnormal, is code 0.
    let up = ((magnitude + 0x7f_ffff) >> 23).min(0xfe);
    let code = if magnitude <= SMALLEST { 0 } else { up };
    let nan = magnitude > 0x7f80_0000 || bits > 0x8000_0000;
    (if nan { 0xff } else { code }) as u8
}

/// The constants of an encoder, as float32 bits where they are magnitudes.
struct Narrow<B>(core::marker::PhantomData<B>);

impl<B: Real> Narrow<B> {
    const FORMAT: FloatFormat = B::DTYPE.float_format();

    /// The exponent field of the smallest normal number.
    const LOWEST: i32 = (Self::FORMAT.min_exponent() + 127) << 23;

    /// Where magnitudes are clamped: at the largest finite number, since the default is to saturate;
    /// where an overflow gives infinity, at the power of two whose code is infinity's.
    const LIMIT: i32 = {
        let format = Self::FORMAT;
        let m = format.mantissa_bits;
        let exponent = (format.max_exponent() + 127) << 23;
        if format.bits() > 8 {
            exponent + (1 << 23)
        } else {
            let fraction = format.max_finite() & format.mantissa_mask();
            exponent | (fraction << (23 - m)) as i32
        }
    };

    /// What is added to a power of two's float32 bits to get that of the number whose last fraction
    /// bit is a unit of the destination at that power.
    const GRID: i32 = (23 - Self::FORMAT.mantissa_bits as i32) << 23;
}

/// To the nearest code of a format whose exponents all lie well inside float32's, ties to even.
#[inline(always)]
fn narrow<B: Real>(Odd(bits): Odd) -> u32 {
    let format = Narrow::<B>::FORMAT;
    let m = format.mantissa_bits;
    let magnitude = (bits & 0x7fff_ffff) as i32;
    let clamped = magnitude.min(Narrow::<B>::LIMIT);
    // `grid` is the power of two at which float32's last place is one unit of the destination near
    // the number (in its subnormals: near its smallest normal). Adding it leaves the number of units,
    // rounded by the addition, in the low bits of the sum.
    let exponent = (clamped & 0x7f80_0000).max(Narrow::<B>::LOWEST);
    let grid = exponent + Narrow::<B>::GRID;
    let sum = f32::from_bits(clamped as u32) + f32::from_bits(grid as u32);
    let units = sum.to_bits() as i32 - grid;
    // 2^m units at the lowest exponent make field 1: the leading unit counts itself in.
    let code = units + ((exponent - Narrow::<B>::LOWEST) >> (23 - m));
    let sign = bits >> 31 << (format.bits() - 1);
    let code = code as u32;
    let number = match format.specials {
        Specials::Fnuz => {
            if code == 0 {
                0
            } else {
                code | sign
            }
        }
        _ => code | sign,
    };
    if magnitude > 0x7f80_0000 { nan(format, sign, magnitude as u32) } else { number }
}

/// The code of a NaN.
#[inline(always)]
fn nan(format: FloatFormat, sign: u32, magnitude: u32) -> u32 {
    let sign_mask = format.sign_mask() as u32;
    match format.nan() {
        None => sign ^ sign_mask,
        Some(code) => {
            let payload = (magnitude & 0x7f_ffff) >> (23 - format.mantissa_bits);
            code as u32
                | if format.nan_has_sign() { sign } else { 0 }
                | if format.bits() > 8 { payload } else { 0 }
        }
    }
}
