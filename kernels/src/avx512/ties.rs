//! To the nearest float64, float32 or float16, of two the further one, by instructions that take the even one, or cut.
//!
//! Half way between two numbers of the narrower format all of the wider one's further bits are zeros, of which floats have two
//! at least. With the last one set it is no tie any more, but further from zero; and no other number becomes a tie, or comes to
//! lie beyond one. Zeros and infinities are left alone: the first would be subnormal, which takes time, the others NaN.

use super::Features;
use super::bridge::{CUT, Hub, NEAREST};
use super::decode::{F64, I32, I64, U32, U64};
use super::lanes::both;
use core::arch::x86_64::*;

/// For `fpclass`: zeros and infinities of either sign.
const ZERO_OR_INFINITE: i32 = 0b1_1110;

/// Hubs of numbers that become the nearest float32s.
pub(super) trait NearFloats: Hub {
    fn near_floats(self, x: Features) -> __m512i;
}

impl NearFloats for F64 {
    #[inline(always)]
    fn near_floats(self, x: Features) -> __m512i {
        x.near_floats(self.f64(x))
    }
}

impl NearFloats for I32 {
    #[inline(always)]
    fn near_floats(self, x: Features) -> __m512i {
        let floats = x.near_floats_of_sizes(x.f._mm512_abs_epi32(self.0));
        // floats OR (v AND the sign)
        x.f._mm512_ternarylogic_epi32::<0xf8>(floats, self.0, x.dword(1 << 31))
    }
}

impl NearFloats for U32 {
    #[inline(always)]
    fn near_floats(self, x: Features) -> __m512i {
        x.near_floats_of_sizes(self.0)
    }
}

/// As float64s, cut toward zero: whether a number is beyond a tie of float32s, cutting off does not change, since that takes
/// bits that are below a tie's.
impl NearFloats for I64 {
    #[inline(always)]
    fn near_floats(self, x: Features) -> __m512i {
        x.near_floats(both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepi64_pd::<CUT>(v),
        ))
    }
}

/// The same.
impl NearFloats for U64 {
    #[inline(always)]
    fn near_floats(self, x: Features) -> __m512i {
        x.near_floats(both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepu64_pd::<CUT>(v),
        ))
    }
}

impl Features {
    /// The nearest float32s of 32-bit integers without a sign, which need not become float64s. From 2^25 on they have two
    /// bits more than float32, or more, and the last one set is off a tie as of floats. From 2^24 on they have one: an odd
    /// number is a tie, and the next one is the further of both. Those below are exact.
    #[inline(always)]
    fn near_floats_of_sizes(self, v: __m512i) -> __m512i {
        let (first, one) = (self.dword(1 << 24), self.dword(1));
        let by_one = self.f._mm512_cmplt_epu32_mask(self.f._mm512_sub_epi32(v, first), first);
        let by_more = self.f._mm512_cmpge_epu32_mask(v, self.dword(1 << 25));
        let even = self.f._mm512_mask_add_epi32(v, by_one, v, self.f._mm512_and_si512(v, one));
        let off_ties = self.f._mm512_mask_or_epi32(even, by_more, even, one);
        self.f._mm512_castps_si512(self.f._mm512_cvt_roundepu32_ps::<NEAREST>(off_ties))
    }

    /// The nearest float64s of 64-bit integers without a sign: what is left when half a unit more is cut off. The unit is that
    /// of the number, 2^11 if its highest bit is set, so that the half is nothing where float64s have all integers. The sum
    /// may be 2^64, which is no integer of 64 bits: then it is less than the number, and a float64 that is known.
    #[inline(always)]
    pub(super) fn near_doubles_of_sizes(self, v: __m512i) -> __m512i {
        let half = self.f._mm512_srlv_epi64(self.qword(1 << 10), self.cd._mm512_lzcnt_epi64(v));
        let sum = self.f._mm512_add_epi64(v, half);
        let cut = self.f._mm512_castpd_si512(self.dq._mm512_cvt_roundepu64_pd::<CUT>(sum));
        let is_past = self.f._mm512_cmplt_epu64_mask(sum, v);
        let all = self.qword(18446744073709551616.0f64.to_bits());
        self.f._mm512_mask_mov_epi64(cut, is_past, all)
    }

    /// Float32s off the ties of float16s.
    #[inline(always)]
    pub(super) fn off_ties(self, v: __m512) -> __m512 {
        let alone = self.dq._mm512_fpclass_ps_mask::<ZERO_OR_INFINITE>(v);
        let bits = self.f._mm512_castps_si512(v);
        let moved = self.f._mm512_mask_or_epi32(bits, !alone, bits, self.dword(1));
        self.f._mm512_castsi512_ps(moved)
    }

    /// The nearest float32s.
    #[inline(always)]
    fn near_floats(self, v: [__m512d; 2]) -> __m512i {
        let [low, high] = both(
            v,
            #[inline(always)]
            |v| {
                let alone = self.dq._mm512_fpclass_pd_mask::<ZERO_OR_INFINITE>(v);
                let bits = self.f._mm512_castpd_si512(v);
                let moved = self.f._mm512_mask_or_epi64(bits, !alone, bits, self.qword(1));
                self.f._mm512_cvt_roundpd_ps::<NEAREST>(self.f._mm512_castsi512_pd(moved))
            },
        );
        self.f._mm512_castps_si512(self.join_floats(low, high))
    }
}
