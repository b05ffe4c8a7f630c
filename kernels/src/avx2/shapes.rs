//! The loops for other options that AVX2 does better than portable code.
//!
//! Its arithmetic rounds to nearest only. An encoder of small floats leaves the number of units that
//! it rounded to in the last bits of a sum: from that the sum's own rounding error is known, and one
//! unit more or less makes it another mode's.

use super::Avx2;
use super::bridge::Sticky;
use super::encode::Small;
use crate::codec::Isa;
use crate::dtypes::{DType, Real, mark};
use crate::shape::{Grid, Mode, Shapes, Stores};
use core::arch::x86_64::__m256i;

const NEAREST: i32 = 8;
const DOWN: i32 = 8 | 1;
const UP: i32 = 8 | 2;

/// The portable loops, and in place of some of them those below.
pub(super) const fn shapes() -> Shapes {
    let mut shapes = Shapes::of::<Avx2, 8>();
    shapes.look_up = look_up;
    shapes.stores = stores(shapes.stores);
    let whole = &mut shapes.rounds.whole32;
    whole[Mode::Up as usize] = whole32::<UP>;
    whole[Mode::Down as usize] = whole32::<DOWN>;
    whole[Mode::NearestEven as usize] = whole32::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away32;
    let whole = &mut shapes.rounds.whole64;
    whole[Mode::Up as usize] = whole64::<UP>;
    whole[Mode::Down as usize] = whole64::<DOWN>;
    whole[Mode::NearestEven as usize] = whole64::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away64;
    shapes
}

/// Stores of small floats by every mode that is not stochastic, for some dtypes.
macro_rules! small_stores {
    ($stores:ident: $($to:ident)*) => {
        $stores$(
            .with(DType::Float32, DType::$to, Mode::TowardZero, small::<mark::$to, { Mode::TowardZero as u8 }>)
            .with(DType::Float32, DType::$to, Mode::Up, small::<mark::$to, { Mode::Up as u8 }>)
            .with(DType::Float32, DType::$to, Mode::Down, small::<mark::$to, { Mode::Down as u8 }>)
            .with(DType::Float32, DType::$to, Mode::NearestEven, small::<mark::$to, { Mode::NearestEven as u8 }>)
            .with(DType::Float32, DType::$to, Mode::NearestAway, small::<mark::$to, { Mode::NearestAway as u8 }>)
        )*
    };
}

const fn stores(stores: Stores) -> Stores {
    let stores = stores
        .with(DType::Float32, DType::Float16, Mode::TowardZero, halves::<3>)
        .with(DType::Float32, DType::Float16, Mode::Up, halves::<2>)
        .with(DType::Float32, DType::Float16, Mode::Down, halves::<1>);
    small_stores! {
        stores: Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
    }
}

/// Runs a step from each multiple of `LEN` elements of so many bytes on, the last one so that it ends
/// with them; fewer than a step by way of the stack.
///
/// # Safety
/// The pointers are valid for `n` elements of `FROM` and `TO` bytes, at most 8, and don't overlap.
/// `step` reads and writes `LEN` elements, at most 32. The CPU has AVX2.
#[inline(always)]
unsafe fn steps<const FROM: usize, const TO: usize, const LEN: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    step: impl Fn(Avx2, *const u8, *mut u8),
) {
    // SAFETY: the caller's. Elements are cast a second time from what they were, since nothing is
    // written to the source. The buffers hold a step.
    unsafe {
        let isa = Avx2::summon();
        isa.vectorize(
            #[inline(always)]
            || {
                if n < LEN {
                    let (mut from, mut to) = ([0u8; 256], [0u8; 256]);
                    src.copy_to_nonoverlapping(from.as_mut_ptr(), n * FROM);
                    step(isa, from.as_ptr(), to.as_mut_ptr());
                    to.as_ptr().copy_to_nonoverlapping(dst, n * TO);
                    return;
                }
                let mut i = 0;
                while i + 2 * LEN <= n {
                    step(isa, src.add(i * FROM), dst.add(i * TO));
                    step(isa, src.add((i + LEN) * FROM), dst.add((i + LEN) * TO));
                    i += 2 * LEN;
                }
                while i < n {
                    i = i.min(n - LEN);
                    step(isa, src.add(i * FROM), dst.add(i * TO));
                    i += LEN;
                }
            },
        );
    }
}

/// Kernels that are steps.
macro_rules! stepped {
    ($(
        $(#[$doc:meta])*
        $name:ident [$($params:tt)*] ($($arg:ident: $extra:ty),*) = $from:literal $to:literal $len:literal,
            |$isa:ident, $src:ident, $dst:ident| $step:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for [`steps`].
        unsafe fn $name<$($params)*>(src: *const u8, dst: *mut u8, n: usize $(, $arg: $extra)*) {
            // SAFETY: the caller's; a step reads and writes as much as it says.
            unsafe {
                steps::<$from, $to, $len>(
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |$isa, $src, $dst| $step,
                );
            }
        }
    )*};
}

stepped! {
    /// Float32 to integers.
    whole32 [const ROUND: i32] (_draws: *const u32, _grid: &Grid) = 4 4 8, |isa, src, dst| {
        let x = isa.as_ps(isa.load(src));
        isa.store(dst, isa.ps_bits(isa.round_ps::<ROUND>(x)));
    };
    /// Float64 to integers.
    whole64 [const ROUND: i32] (_draws: *const u32, _grid: &Grid) = 8 8 4, |isa, src, dst| {
        let x = isa.as_pd(isa.load(src));
        isa.store(dst, isa.pd_bits(isa.round_pd::<ROUND>(x)));
    };
    /// Float32 to the nearest integers, ties away from zero: the largest number below a half more,
    /// cut off. (With a half itself the number below a half would become 1.)
    nearest_away32 [] (_draws: *const u32, _grid: &Grid) = 4 4 8, |isa, src, dst| {
        let x = isa.load(src);
        let sign = isa.and(x, isa.all32(i32::MIN));
        let half = isa.as_ps(isa.or(sign, isa.all32(0.5f32.to_bits() as i32 - 1)));
        let sum = isa.add_ps(isa.as_ps(x), half);
        isa.store(dst, isa.ps_bits(isa.round_ps::<{ 8 | 3 }>(sum)));
    };
    /// Float64 in the same way.
    nearest_away64 [] (_draws: *const u32, _grid: &Grid) = 8 8 4, |isa, src, dst| {
        let x = isa.load(src);
        let sign = isa.and(x, isa.all64(i64::MIN));
        let half = isa.as_pd(isa.or(sign, isa.all64(0.5f64.to_bits() as i64 - 1)));
        let sum = isa.add_pd(isa.as_pd(x), half);
        isa.store(dst, isa.pd_bits(isa.round_pd::<{ 8 | 3 }>(sum)));
    };
    /// Float32 to float16.
    halves [const ROUND: i32] (_saturate: bool) = 4 2 8, |isa, src, dst| {
        let x = isa.as_ps(isa.load(src));
        let low = isa.ps_to_half_by::<ROUND>(isa.lower_ps(x));
        let high = isa.ps_to_half_by::<ROUND>(isa.half_ps::<1>(x));
        isa.storex(dst, isa.join_low_64x(low, high));
    };
    /// Float32 to a small float.
    small [B: Real, const MODE: u8] (saturate: bool) = 4 1 16, |isa, src, dst| {
        let x = [isa.as_ps(isa.load(src)), isa.as_ps(isa.load(src.add(32)))];
        let limit = isa.all_ps(Small::<B>::limit(saturate));
        isa.storex(dst, isa.small_floats_by::<B, MODE>(Sticky(x), limit));
    };
}

/// Bytes by a table of 256: see [`Shapes::look_up`].
///
/// Eight registers hold a half of the table, 16 bytes each, the first as they are and each other one
/// XORed with that before it. A byte that counts down by 16s takes, from each, the one that its low
/// four bits tell, until it is negative, and nothing from then on; and the XOR of what it took is what
/// the last table before then holds. (Subtraction stops at -128: what starts negative, in the other
/// half, stays so.)
///
/// # Safety
/// The pointers are valid for `n` bytes, and don't overlap. The CPU has AVX2.
unsafe fn look_up(table: &[u8; 256], src: *const u8, dst: *mut u8, n: usize) {
    let mut parts = [[0; 32]; 16];
    for (k, part) in parts.iter_mut().enumerate() {
        for (i, byte) in part.iter_mut().enumerate() {
            let at = 16 * k + i % 16;
            *byte = table[at] ^ if k % 8 > 0 { table[at - 16] } else { 0 };
        }
    }
    // SAFETY: the caller's; a step is of 32 bytes.
    unsafe {
        steps::<1, 1, 32>(
            src,
            dst,
            n,
            #[inline(always)]
            |isa, src, dst| {
                let v = isa.load(src);
                let (lower, upper) = parts.split_at(8);
                let lower = isa.look_up_half(lower, v);
                let upper = isa.look_up_half(upper, isa.xor(v, isa.all8(i8::MIN)));
                isa.store(dst, isa.or(lower, upper));
            },
        );
    }
}

impl Avx2 {
    /// What a half of a table has for bytes from 0 to 127, zero for the others.
    #[inline(always)]
    fn look_up_half(self, parts: &[[u8; 32]], v: __m256i) -> __m256i {
        let (mut at, mut found) = (v, self.zero());
        for part in parts {
            found = self.xor(found, self.shuffle8(self.constant(part), at));
            at = self.sub_clamped8(at, self.all8(16));
        }
        found
    }
}
