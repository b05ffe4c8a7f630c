//! From float16 and bfloat16 to small floats, and to integers of 2 to 4 bits, by a mode: by the tables of
//! [`words`](super::words), where the mode depends on the sign of numbers moved before.
//!
//! Magnitudes are counted by their codes: `m - 1` is the next one toward zero. Let `cut(m)` be the code of the destination's
//! number toward zero from the source's magnitude `m`. All numbers of the destination are numbers of the source there, so
//! away from zero the code is `cut(m - 1) + 1`, unless `m` is zero: the next after the last that is less than `m`. Past the
//! largest it is that. What is infinite or NaN stays as it is. Of integers this holds, too; what is past the range on the
//! other side of zero is clamped afterwards.

use super::Features;
use super::codes::over_pair;
use super::lanes::both;
use super::shim::Vbmi;
use super::words::{Finish, Float, Keys, Whole, by_tables, one, to_codes};
use crate::dtypes::{DType, Real, mark};
use crate::shape::{Mode, Stores, all_stores};
use core::arch::x86_64::*;

/// The loops for other modes than the default kernels'.
pub(super) const fn stores(stores: Stores) -> Stores {
    let stores = all_stores! {
        stores: Float16 BFloat16 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by small [TowardZero Up Down]
    };
    // (From bfloat16 moving takes longer than rounding float32s does.)
    let stores = all_stores! {
        stores: Float16 => [Int2 Int4 UInt2 UInt4] by whole [Up Down]
    };
    all_stores! {
        stores: Float16 BFloat16 => [Int2 Int4 UInt2 UInt4] by near [NearestEven NearestAway]
    }
}

/// To an integer, to the nearest.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn near<A: Real, B: Real, const MODE: u8>(src: *const u8, dst: *mut u8, n: usize, _: bool) {
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Vbmi, A, B>(
            #[inline(always)]
            |isa, pair| by_tables::<_, _, Whole<MODE>>(isa, src, dst, n, pair),
        );
    }
}

/// To an integer, up or down.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn whole<A: Real, B: Real, const MODE: u8>(src: *const u8, dst: *mut u8, n: usize, _: bool) {
    // SAFETY: the caller's.
    unsafe { moved::<A, B, Whole<{ Mode::TowardZero as u8 }>, MODE>(src, dst, n) }
}

/// To a small float, which saturates.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn small<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) {
    debug_assert!(saturate);
    // SAFETY: the caller's.
    unsafe { moved::<A, B, Float<true, true>, MODE>(src, dst, n) }
}

/// What is cut by tables, moved before.
///
/// # Safety
/// As for every store, see [`Stores`].
#[inline(always)]
unsafe fn moved<A: Real, B: Real, F: Finish<B>, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        over_pair::<Vbmi, A, B>(
            #[inline(always)]
            |isa, pair| {
                let one = one(isa.features);
                to_codes(
                    isa,
                    src,
                    dst,
                    n,
                    pair,
                    false,
                    #[inline(always)]
                    |isa, numbers| codes::<A, B, F, MODE>(isa, one, numbers),
                );
            },
        );
    }
}

/// The codes of 64 numbers.
#[inline(always)]
fn codes<A: Real, B: Real, F: Finish<B>, const MODE: u8>(
    isa: Vbmi,
    byte_one: __m512i,
    numbers: [__m512i; 2],
) -> __m512i {
    let x = isa.features;
    let away = both(
        numbers,
        #[inline(always)]
        |v| away::<A, B, F, MODE>(x, v),
    );
    let one = x.word(1);
    let before = |i: usize| x.bw._mm512_mask_sub_epi16(numbers[i], away[i], numbers[i], one);
    let [codes, signs] = Keys::<A, B, F>::magnitudes(isa, byte_one, [before(0), before(1)]);
    let away = u64::from(away[0]) | u64::from(away[1]) << 32;
    let next = x.bw._mm512_add_epi8(codes, byte_one);
    let largest = x.byte(F::LARGEST);
    let codes = x.bw._mm512_mask_min_epu8(codes, away, next, largest);
    F::finish(x, codes, signs)
}

/// Which of 32 numbers the mode moves away from zero: of one sign, and neither zero nor infinite nor NaN. Their codes follow
/// each other.
#[inline(always)]
fn away<A: Real, B: Real, F: Finish<B>, const MODE: u8>(x: Features, v: __m512i) -> __mmask32 {
    let first = match MODE {
        UP => 1,
        DOWN => 0x8001,
        _ => return 0,
    };
    let count = Keys::<A, B, F>::INFINITY - 1;
    x.bw._mm512_cmplt_epu16_mask(x.bw._mm512_sub_epi16(v, x.word(first)), x.word(count))
}

const UP: u8 = Mode::Up as u8;
const DOWN: u8 = Mode::Down as u8;
