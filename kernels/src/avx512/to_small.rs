//! From float32 and float64 to the small floats, whole bytes or packed: 64 at a time by the encoder of [`small`](super::small),
//! which with VBMI has two forms. AMD's cores gather codes and signs by permutations of bytes: a Zen 5 takes 32 instructions
//! for 64 float32s, and 0.86 of the time of the other form's 37. A permutation of two registers' bytes takes an Intel's core
//! three of them.

use super::bridge::{Hub, Odd};
use super::codes::{Codes, Pair, Turning, load_four, load_pair, over_pair, store_all, turning};
use super::decode::F64;
use super::eights::inlined;
use super::from_integers::top_of;
use super::lanes::each;
use super::shim::Vbmi;
use super::small::Small;
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::cores::Core;
use crate::dtypes::{DType, Real, mark};
use crate::shape::{Mode, Stores, all_stores};
use core::arch::x86_64::*;

/// Whether these loops are for a pair.
pub(super) const fn suits(from: DType, to: DType) -> bool {
    matches!(from, DType::Float32 | DType::Float64) && top_of(to).is_some()
}

/// The loops for other options than the default ones, which round to the nearest, ties to even, and saturate.
pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = all_stores! {
        stores: Float32 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by by_mode [TowardZero Up Down NearestAway]
    };
    // (The way from float64 loses what is only above or below zero.)
    let stores = all_stores! {
        stores: Float64 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by by_mode [NearestAway]
    };
    all_stores! {
        stores: Float32 Float64 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz
        ] by by_mode [NearestEven]
    }
}

/// By any mode.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn by_mode<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) {
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Vbmi, A, B>(
            #[inline(always)]
            |isa, pair| by_core::<_, _, MODE>(isa, src, dst, n, pair, saturate),
        );
    }
}

/// By default.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't overlap.
#[inline(always)]
pub(super) unsafe fn by_packing<A: Codes, B: Codes>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let Avx512(x) = isa;
    let steps = steps::<B>(n);
    // SAFETY: the caller's.
    unsafe {
        bytes_of_floats(
            isa,
            src,
            dst,
            steps,
            pair,
            #[inline(always)]
            |v| Small::<B::Numbers>::step(x, v),
        );
        quarters::<_, A, B>(isa, src, dst, steps, n);
    }
}

/// The same with VBMI.
///
/// # Safety
/// As for [`by_packing`].
#[inline(always)]
pub(super) unsafe fn by_packing_or_gathering<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    let steps = steps::<B>(n);
    // SAFETY: the caller's.
    unsafe {
        if steps > 0 {
            by_core::<_, _, { Mode::NearestEven as u8 }>(isa, src, dst, steps, pair, true);
        }
        quarters::<_, A, B>(isa, src, dst, steps, n);
    }
}

/// The elements that are cast by steps: all that make whole ones; and of packed results the rest, too, which end with a byte
/// that may not be whole.
const fn steps<B: Codes>(n: usize) -> usize {
    if B::BITS == 8 { n - n % 64 } else { n }
}

/// Casts the elements from `i` on by quarters of a step, the last of which need not be whole. (A whole step takes short casts
/// too long.)
///
/// # Safety
/// As for [`by_packing`]; results are whole bytes, unless no element is left.
#[inline(always)]
unsafe fn quarters<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    mut i: usize,
    n: usize,
) {
    const QUARTER: usize = 16;
    let (x, turning) = (isa.features(), turning::<L, A, B>(isa));
    let size = const { size_of::<<A::Numbers as Real>::Stored>() };
    while i < n {
        let part = QUARTER.min(n - i);
        // SAFETY: the caller's: so many are left.
        unsafe {
            let v = load_pair::<A>(x, turning, src.add(size * i), size * part);
            let codes = Small::<B::Numbers>::quarter(x, odd_of::<A>(x, v));
            x.store_bytes_part(dst.add(i), codes, part);
        }
        i += part;
    }
}

/// By the form of the encoder that this core does best.
///
/// # Safety
/// As for [`by_packing`].
#[inline(always)]
unsafe fn by_core<A: Codes, B: Codes, const MODE: u8>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
    saturate: bool,
) {
    let x = isa.features();
    let limit = Small::<B::Numbers>::limit(x, saturate);
    // SAFETY: the caller's.
    unsafe {
        match Core::this() {
            Core::Any => bytes_of_floats(
                isa,
                src,
                dst,
                n,
                pair,
                #[inline(always)]
                |v| Small::<B::Numbers>::step_by::<MODE>(x, v, limit),
            ),
            _ => bytes_of_floats(
                isa,
                src,
                dst,
                n,
                pair,
                #[inline(always)]
                |v| Small::<B::Numbers>::gathered_by::<MODE>(isa, v, limit),
            ),
        }
    }
}

/// Makes a byte of each float.
///
/// # Safety
/// As for [`by_packing`].
#[inline(always)]
unsafe fn bytes_of_floats<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
    bytes: impl Fn([Odd<false>; 4]) -> __m512i,
) {
    let (x, turning) = (isa.features(), turning::<L, A, B>(isa));
    let size = const { size_of::<<A::Numbers as Real>::Stored>() };
    // SAFETY: the caller's.
    unsafe {
        store_all::<L, B>(
            isa,
            dst,
            n,
            false,
            #[inline(always)]
            |i, count| bytes(load::<A>(x, turning, src.add(size * i), size * count)),
        );
    }
}

/// Floats of 64 elements at most, so many bytes, and zeros.
///
/// # Safety
/// `src` is valid for reading so many bytes, which are whole elements.
#[inline(always)]
unsafe fn load<A: Codes>(
    x: Features,
    turning: Option<Turning>,
    src: *const u8,
    bytes: usize,
) -> [Odd<false>; 4] {
    // SAFETY: the caller's. (No four begin past the end but such as have no bytes.)
    let four = inlined(
        #[inline(always)]
        |i: usize| unsafe {
            let left = bytes.saturating_sub(256 * i).min(256);
            load_four::<A>(x, turning, src.wrapping_add(256 * i), left)
        },
    );
    let [a, b, c, d] = four(0);
    let quarters = match A::Numbers::DTYPE {
        DType::Float32 => [[a, a], [b, b], [c, c], [d, d]],
        _ => {
            let [e, f, g, h] = four(1);
            [[a, b], [c, d], [e, f], [g, h]]
        }
    };
    each(
        quarters,
        #[inline(always)]
        |v| odd_of::<A>(x, v),
    )
}

/// A quarter's floats: float32s, which are the first register, or float64s.
#[inline(always)]
fn odd_of<A: Codes>(x: Features, [a, b]: [__m512i; 2]) -> Odd<false> {
    let lanes = match A::Numbers::DTYPE {
        DType::Float32 => x.f._mm512_castsi512_ps(a),
        _ => F64([x.f._mm512_castsi512_pd(a), x.f._mm512_castsi512_pd(b)]).odd::<false>(x),
    };
    Odd { lanes, nan: true }
}
