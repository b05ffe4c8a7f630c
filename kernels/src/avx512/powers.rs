//! To powers of two by the modes that the default kernels don't round by: toward zero, and to the nearest. (What is below
//! zero has no power, so that down is toward zero.)
//!
//! The code of a power of two is its exponent field in float32, and 0 that of the smallest, which is subnormal there. So the
//! exponent field of a positive number is the code of the power toward zero, and of the nearest one if half of what lies
//! between two powers was added before: half of a power's own size, and half of that below the second smallest.

use super::codes::over_pair;
use super::lanes::each;
use super::narrow::powers_of_brains;
use super::shim::Vbmi;
use super::stores::{Cut, Quarters, steps};
use super::words::{Power, by_tables};
use super::{Avx512, Features, bridge, small};
use crate::codec::Decode;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::shape::{Mode, Stores, all_stores};
use core::arch::x86_64::*;

pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = all_stores! {
        stores: Float32 Float16 Int16 Int32 Int64 UInt16 UInt32 UInt64 => [Float8E8M0Fnu]
            by powers [TowardZero NearestAway]
    };
    all_stores! {
        stores: BFloat16 => [Float8E8M0Fnu] by powers_of_words [TowardZero NearestAway]
    }
}

/// The same with VBMI.
pub(super) const fn stores_vbmi(stores: Stores) -> Stores {
    all_stores! {
        stores: Float16 => [Float8E8M0Fnu] by powers_of_halves [TowardZero NearestAway]
    }
}

/// From numbers that become float32s.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn powers<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) where
    Avx512: Decode<A, Hub: Quarters<Hub: Cut>>,
{
    debug_assert!(saturate);
    // SAFETY: the caller's.
    unsafe {
        each_power::<A, B, _, true>(
            src,
            dst,
            n,
            #[inline(always)]
            |x, v| x.power_by::<A, MODE>(v.cut(x)),
        );
    }
}

/// Stores the powers of two that a step's numbers become, as they come or saturating.
///
/// # Safety
/// The pointers are valid for `n` elements of `A` and as many bytes, and don't overlap. The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn each_power<A: Real, B: Real, H: Copy, const SATURATES: bool>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    power: impl Fn(Features, H) -> bridge::Power,
) where
    Avx512: Decode<A, Hub: Quarters<Hub = H>>,
{
    const { assert!(matches!(B::DTYPE, DType::Float8E8M0Fnu)) };
    // SAFETY: the caller's; a step reads 64 elements of `A`, and writes as many bytes.
    unsafe {
        steps::<A, B>(
            src,
            dst,
            n,
            #[inline(always)]
            |isa, src, dst| {
                let Avx512(x) = isa;
                let v = each(
                    Decode::<A>::decode(isa, src).quarters(),
                    #[inline(always)]
                    |v| power(x, v),
                );
                x.store_dwords(dst, small::powers::<SATURATES>(x, v));
            },
        );
    }
}

/// From bfloat16, in words.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn powers_of_words<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) {
    debug_assert!(saturate);
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Avx512, A, B>(
            #[inline(always)]
            |isa, pair| powers_of_brains::<_, _, _, MODE, true>(isa, src, dst, n, pair),
        );
    }
}

/// From float16, by tables.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn powers_of_halves<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) {
    debug_assert!(saturate);
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Vbmi, A, B>(
            #[inline(always)]
            |isa, pair| by_tables::<_, _, Power<MODE, true>>(isa, src, dst, n, pair),
        );
    }
}

impl Features {
    /// The powers of two that a mode rounds float32s to that were `A`s. (What was cut off is on the same side of every
    /// power, and of the middle of two, or was on it.)
    #[inline(always)]
    fn power_by<A: Real, const MODE: u8>(self, v: __m512) -> bridge::Power {
        const INFINITY: u32 = 0xff << 23;
        const NORMAL: u32 = 1 << 23;
        let is_float = const { matches!(A::DTYPE.kind(), Kind::Float) };
        let bits = self.f._mm512_castps_si512(v);
        let mut moved = bits;
        if MODE == Mode::NearestAway as u8 {
            let mut half = self.dword(NORMAL / 2);
            if matches!(A::DTYPE, DType::Float32) {
                let subnormal = self.f._mm512_cmplt_epu32_mask(bits, self.dword(NORMAL));
                half = self.f._mm512_mask_mov_epi32(half, subnormal, self.dword(NORMAL / 4));
            }
            moved = self.f._mm512_add_epi32(bits, half);
        }
        let code = self.f._mm512_srli_epi32::<23>(moved);
        if !is_float {
            // What is below zero has codes past 255.
            return bridge::Power(code);
        }
        let past = self.f._mm512_cmpgt_epu32_mask(bits, self.dword(INFINITY));
        let nan = self.f._mm512_mask_cmpneq_epi32_mask(past, bits, self.dword(1 << 31));
        // -0 is the only one past infinity that is no NaN.
        let code = self.f._mm512_maskz_mov_epi32(!past, code);
        bridge::Power(self.f._mm512_mask_mov_epi32(code, nan, self.dword(256)))
    }
}
