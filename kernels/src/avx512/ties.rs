//! To the nearest float32 or float16, of two the further one, by the instructions that take the even one.
//!
//! Half way between two numbers of the narrower format all of the wider one's further bits are zeros, of which there are two at
//! least. With the last one set it is no tie any more, but further from zero; and no other number becomes a tie, or comes to
//! lie beyond one. Zeros and infinities are left alone: the first would be subnormal, which takes time, the others NaN.

use super::Features;
use super::bridge::Hub;
use super::decode::{F64, I32, I64, U32, U64};
use super::eights::NEAREST;
use super::lanes::both;
use super::shapes::TO_ZERO;
use core::arch::x86_64::*;

/// For `fpclass`: zeros and infinities of either sign.
const ZERO_OR_INFINITE: i32 = 0b1_1110;

/// Hubs of numbers as float64s, cut toward zero: whether one is beyond a tie of float32s, cutting off does not change, since
/// that takes bits that are below a tie's.
pub(super) trait Doubles: Hub {
    fn doubles(self, x: Features) -> [__m512d; 2];
}

macro_rules! exactly {
    ($($hub:ident)*) => {$(
        impl Doubles for $hub {
            #[inline(always)]
            fn doubles(self, x: Features) -> [__m512d; 2] {
                self.f64(x)
            }
        }
    )*};
}

exactly! { F64 I32 U32 }

impl Doubles for I64 {
    #[inline(always)]
    fn doubles(self, x: Features) -> [__m512d; 2] {
        both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepi64_pd::<TO_ZERO>(v),
        )
    }
}

impl Doubles for U64 {
    #[inline(always)]
    fn doubles(self, x: Features) -> [__m512d; 2] {
        both(
            self.0,
            #[inline(always)]
            |v| x.dq._mm512_cvt_roundepu64_pd::<TO_ZERO>(v),
        )
    }
}

impl Features {
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
    pub(super) fn near_floats(self, v: [__m512d; 2]) -> __m512i {
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
