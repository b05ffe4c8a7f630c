//! The [bridges](super::bridge) from floats, which have numbers to clamp and NaNs.

use super::bridge::{CUT, Hub, Int, NEAREST, Power, QUIETLY, any_bit};
use super::decode::{F32, F64, Unquiet, quiet};
use super::lanes::both;
use super::{Features, small};
use core::arch::x86_64::*;

/// For `fixupimm`: of the classes of numbers, quiet and signalling NaNs are replaced by +0.
pub(super) const NAN_TO_ZERO: u32 = 0x88;

impl Hub for F32 {
    const HAS_NAN: bool = true;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED> {
        let v = self.0;
        let lanes = if !SIGNED && BITS == 32 {
            // Past the largest, the conversion gives all ones.
            x.f._mm512_cvtt_roundps_epu32::<QUIETLY>(x.positive(v))
        } else if !SIGNED {
            // What is too small, and NaN, which the second operand of `min` lets through, gives the
            // lowest integer; the clamp makes it 0.
            let v =
                x.f._mm512_min_round_ps::<QUIETLY>(x.f._mm512_set1_ps((1u32 << BITS) as f32), v);
            x.f._mm512_cvtt_roundps_epi32::<QUIETLY>(v)
        } else {
            let v = x.f._mm512_fixupimm_round_ps::<0, QUIETLY>(v, v, x.dword(NAN_TO_ZERO));
            if BITS < 32 {
                let v = x.f._mm512_min_round_ps::<QUIETLY>(
                    v,
                    x.f._mm512_set1_ps((1u32 << (BITS - 1)) as f32),
                );
                x.f._mm512_cvtt_roundps_epi32::<QUIETLY>(v)
            } else {
                // What is too large would give the lowest integer.
                let limit = x.f._mm512_set1_ps((1u32 << 31) as f32);
                let fits = x.f._mm512_cmp_round_ps_mask::<_CMP_LT_OQ, QUIETLY>(v, limit);
                let most = x.dword(i32::MAX as u32);
                x.f._mm512_mask_cvtt_roundps_epi32::<QUIETLY>(most, fits, v)
            }
        };
        Int { lanes, clamp: true }
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        if !SIGNED {
            return both(
                x.float_halves(x.positive(self.0)),
                #[inline(always)]
                |half| x.dq._mm512_cvtt_roundps_epu64::<QUIETLY>(half),
            );
        }
        let v = x.f._mm512_fixupimm_round_ps::<0, QUIETLY>(self.0, self.0, x.dword(NAN_TO_ZERO));
        let limit = x.f._mm512_set1_ps((1u64 << 63) as f32);
        let fits = x.f._mm512_cmp_round_ps_mask::<_CMP_LT_OQ, QUIETLY>(v, limit);
        let ([a, b], [low, high]) = (x.float_halves(v), fits.to_le_bytes());
        let most = x.qword(i64::MAX as u64);
        both(
            [(low, a), (high, b)],
            #[inline(always)]
            |(fits, half)| x.dq._mm512_mask_cvtt_roundps_epi64::<QUIETLY>(most, fits, half),
        )
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        x.f._mm512_test_epi32_mask(x.f._mm512_castps_si512(self.0), x.dword(i32::MAX as u32))
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, _: Features) -> __m512 {
        self.0
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        small::powers_of_floats(x, self.0)
    }

    #[inline(always)]
    fn f32(self, _: Features) -> __m512 {
        self.0
    }

    #[inline(always)]
    fn f64(self, x: Features) -> [__m512d; 2] {
        both(
            x.float_halves(self.0),
            #[inline(always)]
            |half| x.f._mm512_cvt_roundps_pd::<QUIETLY>(half),
        )
    }
}

/// What a hub of float32s does as [`F32`] does it.
macro_rules! as_float32s {
    () => {
        #[inline(always)]
        fn truth(self, x: Features) -> __mmask16 {
            F32(self.0).truth(x)
        }

        #[inline(always)]
        fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
            F32(self.0).odd::<WIDE>(x)
        }

        #[inline(always)]
        fn power(self, x: Features) -> Power {
            F32(self.0).power(x)
        }

        #[inline(always)]
        fn f64(self, x: Features) -> [__m512d; 2] {
            F32(self.0).f64(x)
        }
    };
}

pub(super) use as_float32s;

/// All conversions make NaNs quiet, or lose them, but the one that is none.
impl Hub for Unquiet {
    const HAS_NAN: bool = true;

    as_float32s! {}

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED> {
        F32(self.0).int(x)
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        F32(self.0).long::<SIGNED>(x)
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        quiet(x, self.0)
    }
}

impl Features {
    /// Float64s cut to 64-bit integers and clamped, NaN to 0.
    #[inline(always)]
    pub(super) fn longs_of_doubles<const SIGNED: bool>(self, v: __m512d) -> __m512i {
        if !SIGNED {
            return self.dq._mm512_cvtt_roundpd_epu64::<QUIETLY>(self.positive_doubles(v));
        }
        let nan = self.qword(NAN_TO_ZERO.into());
        let v = self.f._mm512_fixupimm_round_pd::<0, QUIETLY>(v, v, nan);
        let limit = self.f._mm512_set1_pd((1u64 << 63) as f64);
        let fits = self.f._mm512_cmp_round_pd_mask::<_CMP_LT_OQ, QUIETLY>(v, limit);
        let most = self.qword(i64::MAX as u64);
        self.dq._mm512_mask_cvtt_roundpd_epi64::<QUIETLY>(most, fits, v)
    }
}

impl Hub for F64 {
    const HAS_NAN: bool = true;

    #[inline(always)]
    fn int<const BITS: u32, const SIGNED: bool>(self, x: Features) -> Int<BITS, SIGNED> {
        let [a, b] = both(
            self.0,
            #[inline(always)]
            |v| {
                if !SIGNED && BITS == 32 {
                    x.f._mm512_cvtt_roundpd_epu32::<QUIETLY>(x.positive_doubles(v))
                } else if !SIGNED {
                    let v = x.f._mm512_min_round_pd::<QUIETLY>(
                        x.f._mm512_set1_pd((1u32 << BITS) as f64),
                        v,
                    );
                    x.f._mm512_cvtt_roundpd_epi32::<QUIETLY>(v)
                } else {
                    let v = x.f._mm512_fixupimm_round_pd::<0, QUIETLY>(
                        v,
                        v,
                        x.qword(NAN_TO_ZERO.into()),
                    );
                    let most = ((1u64 << (BITS - 1)) - 1) as f64;
                    let v = x.f._mm512_min_round_pd::<QUIETLY>(v, x.f._mm512_set1_pd(most));
                    x.f._mm512_cvtt_roundpd_epi32::<QUIETLY>(v)
                }
            },
        );
        Int { lanes: x.join(a, b), clamp: true }
    }

    #[inline(always)]
    fn long<const SIGNED: bool>(self, x: Features) -> [__m512i; 2] {
        both(
            self.0,
            #[inline(always)]
            |v| x.longs_of_doubles::<SIGNED>(v),
        )
    }

    #[inline(always)]
    fn truth(self, x: Features) -> __mmask16 {
        let bits = both(
            self.0,
            #[inline(always)]
            |v| x.f._mm512_castpd_si512(v),
        );
        any_bit(x, bits, x.qword(i64::MAX as u64))
    }

    #[inline(always)]
    fn odd<const WIDE: bool>(self, x: Features) -> __m512 {
        // If any of the low 40 bits is set, adding 2^40 - 1 flips bit 40, else it leaves it alone:
        // bit 40 of x OR (x + 2^40 - 1) says whether it or any bit below is set. The conversion cuts
        // what is below float32's last place. 12 bits of the fraction above bit 39 are left, also of
        // the numbers that become subnormal, down to 2^-137: those below round to 0 in any format.
        // A NaN stays one, since nothing but bit 40 changes, which is no bit of a narrower payload.
        let [a, b] = both(
            self.0,
            #[inline(always)]
            |v| {
                let bits = x.f._mm512_castpd_si512(v);
                let sum = x.f._mm512_add_epi64(bits, x.qword((1 << 40) - 1));
                // bits OR (sum AND 2^40)
                let odd = x.f._mm512_ternarylogic_epi64::<0xf8>(bits, sum, x.qword(1 << 40));
                x.f._mm512_cvt_roundpd_ps::<CUT>(x.f._mm512_castsi512_pd(odd))
            },
        );
        x.join_floats(a, b)
    }

    #[inline(always)]
    fn power(self, x: Features) -> Power {
        let [a, b] = self.0;
        small::powers_of_doubles(x, [x.f._mm512_castpd_si512(a), x.f._mm512_castpd_si512(b)])
    }

    #[inline(always)]
    fn f32(self, x: Features) -> __m512 {
        let [a, b] = both(
            self.0,
            #[inline(always)]
            |v| x.f._mm512_cvt_roundpd_ps::<NEAREST>(v),
        );
        x.join_floats(a, b)
    }

    #[inline(always)]
    fn f64(self, _: Features) -> [__m512d; 2] {
        self.0
    }
}
