//! Bridges: from each hub to each home, for a quarter; for a whole step four times. From integers to
//! integers the low bits are kept, from floats numbers are cut and clamped and NaN gives 0, from
//! integers to floats rounding is to the nearest.
//!
//! Conversions that round have the rounding mode in the instruction, so that the environment's does
//! not matter.

use super::decode::{Biased, F32, F64, I32, I64, Narrow, U32, U64};
use super::lanes::both;
use super::shim::{Bf16, Vbmi};
use super::{Avx512, Features, Quarter, small};
use crate::codec::{Bridge, Isa};
use core::arch::x86_64::*;

/// An integer destination of at most 32 bits, as dwords. From integers, the low bits count. From
/// floats, `clamp` is set: the dwords are signed numbers that are yet to be clamped (unsigned ones of
/// 32 bits are done).
#[derive(Clone, Copy)]
pub(crate) struct Int<const BITS: u32, const SIGNED: bool> {
    pub(super) lanes: __m512i,
    pub(super) clamp: bool,
}

/// A 64-bit integer destination.
#[derive(Clone, Copy)]
pub(crate) struct Long<const SIGNED: bool>(pub(super) [__m512i; 2]);

/// A bit per element.
#[derive(Clone, Copy)]
pub(crate) struct Truth(pub(super) __mmask16);

/// Float32 on the way to a narrower float: rounded to odd at 13 bits of precision or more. If the
/// exact value is none of those numbers, this is the neighbour whose last bit is odd, so that it lies
/// on the same side of every number and midpoint of a format of at most 11 bits of precision, and
/// rounding it gives what rounding the exact value would.
///
/// Formats that are not `WIDE` end before 2^24: whatever rounds an integer past that does.
#[derive(Clone, Copy)]
pub(crate) struct Odd<const WIDE: bool> {
    pub(super) lanes: __m512,
    /// Whether there may be NaNs among them.
    pub(super) nan: bool,
}

/// Codes of float8_e8m0fnu as signed dwords yet to be clamped: below 0 they become 0, 255 is past the
/// largest power, and from 256 on they are NaN's.
#[derive(Clone, Copy)]
pub(crate) struct Power(pub(super) __m512i);

/// Raising no exception: of instructions that round by themselves, or not at all.
pub(super) const QUIETLY: i32 = _MM_FROUND_NO_EXC;
pub(super) const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
pub(super) const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
pub(super) const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
pub(super) const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

impl<A: Copy, B> Bridge<[A; 4], [B; 4]> for Avx512
where
    Quarter: Bridge<A, B>,
{
    #[inline(always)]
    fn bridge(self, [a, b, c, d]: [A; 4]) -> [B; 4] {
        let quarter = Quarter(self.0);
        [quarter.bridge(a), quarter.bridge(b), quarter.bridge(c), quarter.bridge(d)]
    }
}

impl<Hub, Home> Bridge<Hub, Home> for Bf16
where
    Avx512: Bridge<Hub, Home>,
{
    #[inline(always)]
    fn bridge(self, values: Hub) -> Home {
        Avx512(self.vbmi.features).bridge(values)
    }
}

impl<Hub, Home> Bridge<Hub, Home> for Vbmi
where
    Avx512: Bridge<Hub, Home>,
{
    #[inline(always)]
    fn bridge(self, values: Hub) -> Home {
        Avx512(self.features).bridge(values)
    }
}

/// What the bridges of several homes need of a hub.
pub(super) trait Hub: Copy {
    const HAS_NAN: bool;

    /// To an integer of at most 32 bits.
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED>;
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2];
    fn truth(self, x: Features) -> __mmask16;
    fn odd<const WIDE: bool>(self, x: Features) -> __m512;

    /// The next power of two. Integers may be rounded up to float32 first, which takes none past a
    /// power.
    fn power(self, x: Features) -> Power;

    fn f32(self, x: Features) -> __m512;
    fn f64(self, x: Features) -> [__m512d; 2];
}

impl<H: Hub, const BITS: u32, const SIGNED: bool> Bridge<H, Int<BITS, SIGNED>> for Quarter {
    #[inline(always)]
    fn bridge(self, values: H) -> Int<BITS, SIGNED> {
        values.int(self.0)
    }
}

impl<H: Hub, const SIGNED: bool> Bridge<H, Long<SIGNED>> for Quarter {
    #[inline(always)]
    fn bridge(self, values: H) -> Long<SIGNED> {
        Long(values.long::<SIGNED>(self.0))
    }
}

impl<H: Hub> Bridge<H, Truth> for Quarter {
    #[inline(always)]
    fn bridge(self, values: H) -> Truth {
        Truth(values.truth(self.0))
    }
}

impl<H: Hub, const WIDE: bool> Bridge<H, Odd<WIDE>> for Quarter {
    #[inline(always)]
    fn bridge(self, values: H) -> Odd<WIDE> {
        Odd { lanes: values.odd::<WIDE>(self.0), nan: H::HAS_NAN }
    }
}

impl<H: Hub> Bridge<H, Power> for Quarter {
    #[inline(always)]
    fn bridge(self, values: H) -> Power {
        values.power(self.0)
    }
}

impl<H: Hub> Bridge<H, F32> for Quarter {
    #[inline(always)]
    fn bridge(self, values: H) -> F32 {
        F32(values.f32(self.0))
    }
}

impl<H: Hub> Bridge<H, F64> for Quarter {
    #[inline(always)]
    fn bridge(self, values: H) -> F64 {
        F64(values.f64(self.0))
    }
}

#[inline(always)]
pub(super) fn bits<const BITS: u32, const SIGNED: bool>(lanes: __m512i) -> Int<BITS, SIGNED> {
    Int { lanes, clamp: false }
}

impl Hub for Narrow {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, _: Features) -> Int<BITS, SIGNED> {
        bits(self.0)
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        I32(self.0).long::<SIGNED>(x)
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        I32(self.0).truth(x)
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
        self.f32(x)
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        small::powers_of_wholes(x, self.f32(x))
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        x.f._mm512_cvtepi32_ps(self.0)
    }

    #[inline(always)]
    fn f64(self, x: Features) -> [__m512d; 2] {
        I32(self.0).f64(x)
    }
}

impl Hub for Biased {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED> {
        self.narrow(x).int(x)
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        self.narrow(x).long::<SIGNED>(x)
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        self.narrow(x).truth(x)
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
        self.f32(x)
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        small::powers_of_wholes(x, self.f32(x))
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        Biased::f32(self, x)
    }

    #[inline(always)]
    fn f64(self, x: Features) -> [__m512d; 2] {
        self.narrow(x).f64(x)
    }
}

impl Hub for I32 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, _: Features) -> Int<BITS, SIGNED> {
        bits(self.0)
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        both(
            x.halves(self.0),
            #[inline(always)]
            |half| x.f._mm512_cvtepi32_epi64(half),
        )
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        x.f._mm512_test_epi32_mask(self.0, self.0)
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
        if !WIDE {
            return self.f32(x);
        }
        // The numbers on both sides of an inexact one are neighbours, one of which is odd. The one
        // nearer to zero has the bits of the other, or those less one: its odd form is the wanted.
        let cut = x.f._mm512_cvt_roundepi32_ps::<CUT>(self.0);
        let down = x.f._mm512_cvt_roundepi32_ps::<DOWN>(self.0);
        let up = x.f._mm512_cvt_roundepi32_ps::<UP>(self.0);
        // Exact ones are three times the same number, which keeps its last bit.
        let sides = x.dq._mm512_or_ps(down, up);
        last_bit_of(x, cut, sides)
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        small::powers_of_wholes(x, x.f._mm512_cvt_roundepi32_ps::<UP>(self.0))
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        x.f._mm512_cvt_roundepi32_ps::<NEAREST>(self.0)
    }

    #[inline(always)]
    fn f64(self, x: Features) -> [__m512d; 2] {
        both(
            x.halves(self.0),
            #[inline(always)]
            |half| x.f._mm512_cvtepi32_pd(half),
        )
    }
}

/// `value` with its last bit set if that of `other` is.
#[inline(always)]
fn last_bit_of(x: Features, value: __m512, other: __m512) -> __m512 {
    let (value, other) = (x.f._mm512_castps_si512(value), x.f._mm512_castps_si512(other));
    // value OR (other AND 1)
    x.f._mm512_castsi512_ps(x.f._mm512_ternarylogic_epi32::<0xf8>(value, other, x.dword(1)))
}

/// The same of half a register.
#[inline(always)]
fn half_with_last_bit_of(x: Features, value: __m256, other: __m256) -> __m256 {
    let (value, other) = (x.avx._mm256_castps_si256(value), x.avx._mm256_castps_si256(other));
    let one = x.avx._mm256_set1_epi32(1);
    x.avx._mm256_castsi256_ps(x.f._mm256_ternarylogic_epi32::<0xf8>(value, other, one))
}

impl Hub for U32 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, _: Features) -> Int<BITS, SIGNED> {
        bits(self.0)
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        both(
            x.halves(self.0),
            #[inline(always)]
            |half| x.f._mm512_cvtepu32_epi64(half),
        )
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        I32(self.0).truth(x)
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
        if !WIDE {
            return self.f32(x);
        }
        let cut = x.f._mm512_cvt_roundepu32_ps::<CUT>(self.0);
        let up = x.f._mm512_cvt_roundepu32_ps::<UP>(self.0);
        last_bit_of(x, cut, up)
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        small::powers_of_wholes(x, x.f._mm512_cvt_roundepu32_ps::<UP>(self.0))
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        x.f._mm512_cvt_roundepu32_ps::<NEAREST>(self.0)
    }

    #[inline(always)]
    fn f64(self, x: Features) -> [__m512d; 2] {
        both(
            x.halves(self.0),
            #[inline(always)]
            |half| x.f._mm512_cvtepu32_pd(half),
        )
    }
}

/// Whether 16 qwords have any of the bits of `mask`.
#[inline(always)]
pub(super) fn any_bit(x: Features, [a, b]: [__m512i; 2], mask: __m512i) -> __mmask16 {
    let low = x.f._mm512_test_epi64_mask(a, mask);
    let high = x.f._mm512_test_epi64_mask(b, mask);
    __mmask16::from_le_bytes([low, high])
}

impl Hub for I64 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED> {
        bits(x.low_dwords(self.0))
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, _: Features) -> [__m512i; 2] {
        self.0
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        any_bit(x, self.0, x.qword(u64::MAX))
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
        if !WIDE {
            return self.f32(x);
        }
        let [a, b] = self.0;
        let magnitude = U64([x.f._mm512_abs_epi64(a), x.f._mm512_abs_epi64(b)]).odd::<true>(x);
        let magnitude = x.f._mm512_castps_si512(magnitude);
        // magnitude OR (sign AND the top bit)
        let sign = x.high_dwords(self.0);
        let value = x.f._mm512_ternarylogic_epi32::<0xf8>(magnitude, sign, x.dword(1 << 31));
        x.f._mm512_castsi512_ps(value)
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        let [a, b] = self.0;
        let (a, b) =
            (x.dq._mm512_cvt_roundepi64_ps::<UP>(a), x.dq._mm512_cvt_roundepi64_ps::<UP>(b));
        small::powers_of_wholes(x, x.join_floats(a, b))
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        let [a, b] = self.0;
        x.join_floats(
            x.dq._mm512_cvt_roundepi64_ps::<NEAREST>(a),
            x.dq._mm512_cvt_roundepi64_ps::<NEAREST>(b),
        )
    }

    #[inline(always)]
    fn f64(self, x: Features) -> [__m512d; 2] {
        both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepi64_pd::<NEAREST>(v),
        )
    }
}

impl Hub for U64 {
    const HAS_NAN: bool = false;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED> {
        bits(x.low_dwords(self.0))
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, _: Features) -> [__m512i; 2] {
        self.0
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        I64(self.0).truth(x)
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
        if !WIDE {
            return self.f32(x);
        }
        // (Halves take their last bits before they are joined: it takes as many instructions, but one less that moves lanes.)
        let [a, b] = both(
            self.0,
            #[inline(always)]
            |v| {
                let cut = x.dq._mm512_cvt_roundepu64_ps::<CUT>(v);
                half_with_last_bit_of(x, cut, x.dq._mm512_cvt_roundepu64_ps::<UP>(v))
            },
        );
        x.join_floats(a, b)
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        let [a, b] = self.0;
        let (a, b) =
            (x.dq._mm512_cvt_roundepu64_ps::<UP>(a), x.dq._mm512_cvt_roundepu64_ps::<UP>(b));
        small::powers_of_wholes(x, x.join_floats(a, b))
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        let [a, b] = self.0;
        x.join_floats(
            x.dq._mm512_cvt_roundepu64_ps::<NEAREST>(a),
            x.dq._mm512_cvt_roundepu64_ps::<NEAREST>(b),
        )
    }

    #[inline(always)]
    fn f64(self, x: Features) -> [__m512d; 2] {
        both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepu64_pd::<NEAREST>(v),
        )
    }
}

// The step of four quarters is what the loop runs on.
const _: () = assert!(<Avx512 as Isa>::STEP == 4 * <Quarter as Isa>::STEP);
