//! The hub of small floats that are looked up as float32s: which small floats they were tells what need not be asked of them.

use super::Features;
use super::bridge::{Hub, Int, Power, QUIETLY, bits};
use super::decode::{F32, I32, U32};
use super::from_floats::{NAN_TO_ZERO, as_float32s};
use crate::dtypes::Real;
use crate::format::FloatFormat;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// Float32s that were small floats.
pub(crate) struct FromSmall<A>(pub(super) __m512, PhantomData<A>);

impl<A> FromSmall<A> {
    #[inline(always)]
    pub(super) fn new(v: __m512) -> Self {
        Self(v, PhantomData)
    }
}

impl<A> Clone for FromSmall<A> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for FromSmall<A> {}

impl<A: Real> FromSmall<A> {
    const FORMAT: FloatFormat = A::DTYPE.float_format();

    /// Whether all but NaN fit an integer of 32 bits.
    const FITS: bool = Self::FORMAT.infinity().is_none() && Self::FORMAT.max_exponent() < 31;
}

/// As float32s, but for what is known of the dtype.
impl<A: Real> Hub for FromSmall<A> {
    const HAS_NAN: bool = Self::FORMAT.nan().is_some();

    as_float32s! {}

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED> {
        if !(SIGNED && BITS == 32 && Self::FITS) {
            return F32(self.0).int(x);
        }
        let mut v = self.0;
        if Self::HAS_NAN {
            v = x.f._mm512_fixupimm_round_ps::<0, QUIETLY>(v, v, x.dword(NAN_TO_ZERO));
        }
        bits(x.f._mm512_cvtt_roundps_epi32::<QUIETLY>(v))
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        match (Self::FITS, SIGNED) {
            (false, _) => F32(self.0).long::<SIGNED>(x),
            (_, true) => I32(self.int::<32, true>(x).lanes).long::<true>(x),
            (_, false) => U32(self.int::<32, false>(x).lanes).long::<false>(x),
        }
    }

    #[inline(always)]
    fn f32(self, _: Features) -> __m512 {
        self.0
    }
}
