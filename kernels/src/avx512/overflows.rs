//! To 8-bit floats that do not saturate, by the default kernels' loops and tables: the code past the largest number's is that
//! of infinity, or of NaN where there is none, so that what is cut off there may as well be cut off one code later. Powers of
//! two need not be cut: 255, past the largest, is NaN; and so become zero and what is below the smallest by half of it.

use super::bridge::{Hub, Power};
use super::codes::over_pair;
use super::decode::{F32, F64, I32, I64, Narrow, U32, U64};
use super::from_integers::{By, small_of_dwords, small_of_words};
use super::narrow::powers_of_brains;
use super::powers::each_power;
use super::shim::Vbmi;
use super::stores::Quarters;
use super::words::{self, Float, by_tables};
use super::{Avx512, Features};
use crate::codec::Decode;
use crate::dtypes::{DType, Real, mark};
use crate::shape::{Mode, Stores, all_stores};
use core::arch::x86_64::__mmask16;

/// The loops that round as the default kernels do.
pub(super) const fn stores(stores: Stores) -> Stores {
    all_stores! {
        stores: Float32 Float64 Int16 UInt16 Int32 UInt32 Int64 UInt64 => [Float8E8M0Fnu]
            by powers [Up]
    }
}

/// The same with VBMI.
pub(super) const fn stores_vbmi(stores: Stores) -> Stores {
    let stores = all_stores! { stores: Float16 => [Float8E8M0Fnu] by powers_of_halves [Up] };
    let stores = all_stores! { stores: BFloat16 => [Float8E8M0Fnu] by powers_of_words [Up] };
    let stores = all_stores! {
        stores: Float16 BFloat16 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz
        ] by floats [NearestEven]
    };
    let stores = all_stores! {
        stores: Int16 UInt16 => [
            Float8E4M3Fn Float8E4M3Fnuz Float8E4M3 Float8E3M4 Float8E4M3B11Fnuz
        ] by words [NearestEven]
    };
    // (All with a sign are in their range.)
    let stores = all_stores! {
        stores: UInt16 => [Float8E5M2 Float8E5M2Fnuz] by words [NearestEven]
    };
    let stores = all_stores! {
        stores: Int32 => [Float8E3M4 Float8E4M3B11Fnuz] by dwords [NearestEven]
    };
    all_stores! {
        stores: UInt32 => [Float8E4M3Fnuz Float8E4M3 Float8E3M4 Float8E4M3B11Fnuz]
            by dwords [NearestEven]
    }
}

/// As the default kernels round integers, without saturation.
type Near = By<{ Mode::NearestEven as u8 }, false>;

macro_rules! overflowing {
    ($($(#[$doc:meta])* $name:ident by $mode:path: |$isa:ident, $src:ident, $dst:ident, $n:ident, $pair:ident| $cast:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for every store, see [`Stores`].
        unsafe fn $name<A: Real, B: Real, const MODE: u8>(
            $src: *const u8,
            $dst: *mut u8,
            $n: usize,
            saturate: bool,
        ) {
            const { assert!(MODE == $mode as u8) };
            debug_assert!(!saturate);
            // SAFETY: the caller's.
            unsafe {
                over_pair::<Vbmi, A, B>(
                    #[inline(always)]
                    |$isa, $pair| $cast,
                );
            }
        }
    )*};
}

overflowing! {
    /// From floats of 16 bits.
    floats by Mode::NearestEven: |isa, src, dst, n, pair| by_tables::<_, _, Float<false, false>>(isa, src, dst, n, pair);
    /// From integers of 16 bits.
    words by Mode::NearestEven: |isa, src, dst, n, pair| small_of_words::<_, _, _, Near>(isa, src, dst, n, pair);
    /// From integers of 32 bits, to floats that end within a byte.
    dwords by Mode::NearestEven: |isa, src, dst, n, pair| small_of_dwords::<_, _, _, Near>(isa, src, dst, n, pair);
    /// From float16 to powers of two.
    powers_of_halves by Mode::Up: |isa, src, dst, n, pair| {
        by_tables::<_, _, words::Power<{ Mode::Up as u8 }, false>>(isa, src, dst, n, pair)
    };
    /// From bfloat16 to powers of two.
    powers_of_words by Mode::Up: |isa, src, dst, n, pair| {
        powers_of_brains::<_, _, _, { Mode::Up as u8 }, false>(isa, src, dst, n, pair)
    };
}

/// To powers of two.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn powers<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) where
    Avx512: Decode<A, Hub: Quarters<Hub: Loses>>,
{
    const { assert!(MODE == Mode::Up as u8) };
    debug_assert!(!saturate);
    // SAFETY: the caller's.
    unsafe {
        each_power::<A, B, _, false>(
            src,
            dst,
            n,
            #[inline(always)]
            |x, v| {
                let power = v.power(x);
                let lost = v.lost(x, power);
                // What is lost becomes NaN.
                Power(x.f._mm512_mask_mov_epi32(power.0, lost, x.dword(255)))
            },
        );
    }
}

/// Hubs of numbers some of which have no power of two, for being zero, or too small.
trait Loses: Hub {
    /// Which these are, given the powers that all become.
    fn lost(self, x: Features, power: Power) -> __mmask16;
}

/// Of integers but zero becomes the smallest power, whose code is 0.
macro_rules! loses_zero {
    ($($hub:ident)*) => {$(
        impl Loses for $hub {
            #[inline(always)]
            fn lost(self, x: Features, power: Power) -> __mmask16 {
                x.f._mm512_cmpeq_epi32_mask(power.0, x.f._mm512_setzero_si512())
            }
        }
    )*};
}

loses_zero! { Narrow I32 U32 I64 U64 }

impl Loses for F32 {
    /// All up to half of the smallest power. (The sign is shifted out: -0 is zero, and of a number below zero no power either.)
    #[inline(always)]
    fn lost(self, x: Features, _: Power) -> __mmask16 {
        const HALF: u32 = 1 << 21;
        let bits = x.f._mm512_castps_si512(self.0);
        x.f._mm512_cmple_epu32_mask(x.f._mm512_add_epi32(bits, bits), x.dword(2 * HALF))
    }
}

impl Loses for F64 {
    /// They have codes below that of the smallest power, which are not cut yet.
    #[inline(always)]
    fn lost(self, x: Features, power: Power) -> __mmask16 {
        x.f._mm512_cmplt_epi32_mask(power.0, x.f._mm512_setzero_si512())
    }
}
