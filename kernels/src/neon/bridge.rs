//! Bridges: from each hub to each home. From integers to integers the low bits are kept, from floats
//! numbers are cut and clamped and NaN gives 0 (as the instructions do by themselves), from integers to
//! floats rounding is to the nearest.

use super::Neon;
use super::decode::{F32, F64, I32, I64, Loud, Narrow, U32, U64};
use super::lanes::*;
use super::ops::*;
use crate::codec::Bridge;

/// An integer destination of at most 32 bits. From integers, the low bits count. From floats, `clamp` is
/// set: these are signed numbers that are yet to be clamped (those of 32 bits are done).
#[derive(Clone, Copy)]
pub(crate) struct Int<const BITS: u32, const SIGNED: bool> {
    pub(super) lanes: Dwords,
    pub(super) clamp: bool,
}

/// All ones where true, zeros where false.
#[derive(Clone, Copy)]
pub(crate) struct Truth(pub(super) Dwords);

/// Float32 on the way to a narrower float. If the exact value is no float32, it is rounded to odd, at 13
/// bits of precision or more: to the neighbour whose last bit is odd, so that it lies on the same side of
/// every number and midpoint of a format of at most 11 bits of precision, and rounding it gives what
/// rounding the exact value would.
///
/// Formats that are not `WIDE` end before 2^24: whatever rounds an integer past that does.
#[derive(Clone, Copy)]
pub(crate) struct Odd<const WIDE: bool> {
    pub(super) lanes: [float32x4_t; 4],
    /// Whether there may be NaNs among them.
    pub(super) nan: bool,
}

/// Codes of float8_e8m0fnu.
#[derive(Clone, Copy)]
pub(crate) struct Power(pub(super) Dwords);

/// What the bridges of several homes need of a hub.
pub(super) trait Hub: Copy {
    const HAS_NAN: bool;

    /// The low bits of integers; floats cut and clamped.
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED>;
    fn long<const SIGNED: bool>(self) -> Qwords;
    fn truth(self) -> Dwords;
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4];
    fn f32(self) -> [float32x4_t; 4];
    fn f64(self) -> [float64x2_t; 8];
}

impl<H: Hub, const BITS: u32, const SIGNED: bool> Bridge<H, Int<BITS, SIGNED>> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> Int<BITS, SIGNED> {
        values.int()
    }
}

impl<H: Hub> Bridge<H, I64> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> I64 {
        I64(eight(values.long::<true>(), |v| vreinterpretq_s64_u64(v)))
    }
}

impl<H: Hub> Bridge<H, U64> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> U64 {
        U64(values.long::<false>())
    }
}

impl<H: Hub> Bridge<H, Truth> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> Truth {
        Truth(values.truth())
    }
}

impl<H: Hub, const WIDE: bool> Bridge<H, Odd<WIDE>> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> Odd<WIDE> {
        Odd { lanes: values.odd::<WIDE>(), nan: H::HAS_NAN }
    }
}

impl<H: Hub> Bridge<H, Power> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> Power {
        Power(four(values.odd::<true>(), next_power))
    }
}

impl<H: Hub> Bridge<H, F32> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> F32 {
        F32(values.f32())
    }
}

impl<H: Hub> Bridge<H, F64> for Neon {
    #[inline(always)]
    fn bridge(self, values: H) -> F64 {
        F64(values.f64())
    }
}

#[inline(always)]
fn bits<const BITS: u32, const SIGNED: bool>(lanes: Dwords) -> Int<BITS, SIGNED> {
    Int { lanes, clamp: false }
}

#[inline(always)]
fn clamped<const BITS: u32, const SIGNED: bool>(lanes: Dwords) -> Int<BITS, SIGNED> {
    Int { lanes, clamp: true }
}

impl Hub for Narrow {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        I32(self.0).int()
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        I32(self.0).long::<SIGNED>()
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        I32(self.0).truth()
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        self.f32()
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        I32(self.0).f32()
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        I32(self.0).f64()
    }
}

impl Hub for I32 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        bits(four(self.0, |v| vreinterpretq_u32_s32(v)))
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        eight(signed_qwords(self.0), |v| vreinterpretq_u64_s64(v))
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        four(self.0, |v| vtstq_s32(v, v))
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        if !WIDE {
            return self.f32();
        }
        four(self.0, |v| {
            // Two's complement makes no difference: a number moves only between two multiples of what
            // is gathered. The lowest integer has no magnitude and stays; it is exact.
            let large = vcgtq_s32(vabsq_s32(v), vdupq_n_s32((1 << 24) - 1));
            let gathered = gathered(vreinterpretq_u32_s32(v), vshrq_n_u32::<25>(large));
            vcvtq_f32_s32(vreinterpretq_s32_u32(gathered))
        })
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        four(self.0, |v| vcvtq_f32_s32(v))
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        eight(signed_qwords(self.0), |v| vcvtq_f64_s64(v))
    }
}

impl Hub for U32 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        bits(self.0)
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        halves(self.0, |v| [vmovl_u32(vget_low_u32(v)), vmovl_high_u32(v)])
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        four(self.0, |v| vtstq_u32(v, v))
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        if !WIDE {
            return self.f32();
        }
        four(self.0, |v| {
            let large = vcgtq_u32(v, vdupq_n_u32((1 << 24) - 1));
            vcvtq_f32_u32(gathered(v, vshrq_n_u32::<24>(large)))
        })
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        four(self.0, |v| vcvtq_f32_u32(v))
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        eight(self.long::<false>(), |v| vcvtq_f64_u64(v))
    }
}

/// Gathers the low bits, as many as `mask` has, in the one above them: set if any of them is.
#[inline(always)]
fn gathered(v: uint32x4_t, mask: uint32x4_t) -> uint32x4_t {
    let carried = vaddq_u32(vandq_u32(v, mask), mask);
    vbicq_u32(vorrq_u32(v, carried), mask)
}

/// The same of 64 bits.
#[inline(always)]
fn gathered_64(v: uint64x2_t, mask: uint64x2_t) -> uint64x2_t {
    let carried = vaddq_u64(vandq_u64(v, mask), mask);
    vbicq_u64(vorrq_u64(v, carried), mask)
}

#[inline(always)]
fn signed_qwords(v: [int32x4_t; 4]) -> [int64x2_t; 8] {
    halves(v, |v| [vmovl_s32(vget_low_s32(v)), vmovl_high_s32(v)])
}

#[inline(always)]
fn truth_of_qwords(v: Qwords) -> Dwords {
    low_dwords(eight(v, |v| vtstq_u64(v, v)))
}

impl Hub for I64 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        bits(low_dwords(self.long::<true>()))
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        eight(self.0, |v| vreinterpretq_u64_s64(v))
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        truth_of_qwords(self.long::<true>())
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        if !WIDE {
            // What does not fit 32 bits is clamped to them, which is past all numbers.
            return I32(pairs(self.0, |a, b| vqmovn_high_s64(vqmovn_s64(a), b))).f32();
        }
        odd_of_doubles(eight(self.0, exact_double))
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        nearest(eight(self.0, exact_double))
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        eight(self.0, |v| vcvtq_f64_s64(v))
    }
}

/// Float64s that round to float32 and anything narrower as the integers themselves. From 2^53 on the low
/// 12 bits are gathered in the one above them: what is left is exact.
#[inline(always)]
fn exact_double(v: int64x2_t) -> float64x2_t {
    let large = vcgtq_s64(vabsq_s64(v), vdupq_n_s64((1 << 53) - 1));
    let gathered = gathered_64(vreinterpretq_u64_s64(v), vshrq_n_u64::<52>(large));
    vcvtq_f64_s64(vreinterpretq_s64_u64(gathered))
}

#[inline(always)]
fn exact_double_of_unsigned(v: uint64x2_t) -> float64x2_t {
    let large = vcgtq_u64(v, vdupq_n_u64((1 << 53) - 1));
    vcvtq_f64_u64(gathered_64(v, vshrq_n_u64::<52>(large)))
}

impl Hub for U64 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        bits(low_dwords(self.0))
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        self.0
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        truth_of_qwords(self.0)
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        if !WIDE {
            return U32(pairs(self.0, |a, b| vqmovn_high_u64(vqmovn_u64(a), b))).f32();
        }
        odd_of_doubles(eight(self.0, exact_double_of_unsigned))
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        nearest(eight(self.0, exact_double_of_unsigned))
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        eight(self.0, |v| vcvtq_f64_u64(v))
    }
}

/// Float64s to the nearest float32s.
#[inline(always)]
fn nearest(v: [float64x2_t; 8]) -> [float32x4_t; 4] {
    pairs(v, |a, b| vcvt_high_f32_f64(vcvt_f32_f64(a), b))
}

/// Float64s rounded to odd float32s, by an instruction.
#[inline(always)]
fn odd_of_doubles(v: [float64x2_t; 8]) -> [float32x4_t; 4] {
    pairs(v, |a, b| vcvtx_high_f32_f64(vcvtx_f32_f64(a), b))
}

impl Hub for F32 {
    const HAS_NAN: bool = true;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        clamped(four(self.0, |v| {
            if BITS == 32 && !SIGNED {
                vcvtq_u32_f32(v)
            } else {
                vreinterpretq_u32_s32(vcvtq_s32_f32(v))
            }
        }))
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        F64(self.f64()).long::<SIGNED>()
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        let magnitude = vdupq_n_u32(i32::MAX as u32);
        four(self.0, |v| vtstq_u32(vreinterpretq_u32_f32(v), magnitude))
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        self.0
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        self.0
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        halves(self.0, |v| [vcvt_f64_f32(vget_low_f32(v)), vcvt_high_f64_f32(v)])
    }
}

/// A NaN that is to stay one as float32 is yet to be made quiet. What else a NaN can become is the same,
/// quiet or not.
impl Hub for Loud {
    const HAS_NAN: bool = true;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        F32(self.0).int()
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        F32(self.0).long::<SIGNED>()
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        F32(self.0).truth()
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        self.0
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        four(self.0, |v| vreinterpretq_f32_u32(quiet(v, vreinterpretq_u32_f32(v))))
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        F32(self.0).f64()
    }
}

/// `bits`, with the quiet bit where `v` is NaN.
#[inline(always)]
fn quiet(v: float32x4_t, bits: uint32x4_t) -> uint32x4_t {
    vorrq_u32(bits, vbicq_u32(vdupq_n_u32(1 << 22), vceqq_f32(v, v)))
}

impl Hub for F64 {
    const HAS_NAN: bool = true;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self) -> Int<BITS, SIGNED> {
        clamped(if BITS == 32 && !SIGNED {
            pairs(eight(self.0, |v| vcvtq_u64_f64(v)), |a, b| vqmovn_high_u64(vqmovn_u64(a), b))
        } else {
            let integers = eight(self.0, |v| vcvtq_s64_f64(v));
            pairs(integers, |a, b| vreinterpretq_u32_s32(vqmovn_high_s64(vqmovn_s64(a), b)))
        })
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self) -> Qwords {
        eight(self.0, |v| {
            if SIGNED { vreinterpretq_u64_s64(vcvtq_s64_f64(v)) } else { vcvtq_u64_f64(v) }
        })
    }

    #[inline(always)]
    fn truth(self) -> Dwords {
        let magnitude = vdupq_n_u64(i64::MAX as u64);
        low_dwords(eight(self.0, |v| vtstq_u64(vreinterpretq_u64_f64(v), magnitude)))
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self) -> [float32x4_t; 4] {
        odd_of_doubles(self.0)
    }

    #[inline(always)]
    fn f32(self) -> [float32x4_t; 4] {
        nearest(self.0)
    }

    #[inline(always)]
    fn f64(self) -> [float64x2_t; 8] {
        self.0
    }
}

/// The code of the next power of two. The exponent field of float32 is the code; any fraction bit takes
/// it one up. 2^-127 itself, a subnormal, is code 0, as is all below it, and -0. A number that was
/// rounded to odd is on the same side of every power.
#[inline(always)]
fn next_power(v: float32x4_t) -> uint32x4_t {
    let bits = vreinterpretq_u32_f32(v);
    let up = vshrq_n_u32::<23>(vaddq_u32(bits, vdupq_n_u32(0x7f_ffff)));
    let code = vminq_u32(up, vdupq_n_u32(0xfe));
    let code = vandq_u32(code, vcgtq_u32(bits, vdupq_n_u32(0x40_0000)));
    // NaN and, by their signs, all negative numbers but -0, which becomes 0.
    let past = vcgtq_u32(bits, vdupq_n_u32(0x7f80_0000));
    let zero = vceqq_u32(bits, vdupq_n_u32(1 << 31));
    vbicq_u32(vorrq_u32(code, past), zero)
}
