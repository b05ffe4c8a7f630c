//! Conversions to float16, as many at once as this CPU does best.
//!
//! One instruction converts four float32s, another one eight. Intel's CPUs take as long for either, and have one port only
//! for all that parts eights into fours and puts them together again; AMD's do more than twice as many fours in the time of
//! one eight. Float32 to float16, in the L2 cache, took 1.7 times as long by eights as by fours on a Zen 5, and half as long
//! on an Intel with AVX-512 FP16. So what ends with such conversions has two loops, and asks when it is called which of them
//! is for this CPU.

use super::Avx2;
use super::bridge::Sticky;
use super::direct::{Bridges, Step, stepped};
use crate::codec::{Bridge, Decode, Encode};
use crate::cpuid;
use crate::dtypes::{DType, Real};
use crate::scalar::Scalar;
use crate::table::{Kernel, Params};
use core::arch::x86_64::{__m128, __m128i, __m256};
use core::sync::atomic::{AtomicU8, Ordering};

/// How many are converted at once, or 0 before that has been asked.
static AT_ONCE: AtomicU8 = AtomicU8::new(0);

/// Whether this CPU does fours in less time.
#[inline(always)]
fn is_by_fours() -> bool {
    match AT_ONCE.load(Ordering::Relaxed) {
        0 => ask(),
        at_once => at_once == 4,
    }
}

#[cold]
fn ask() -> bool {
    let by_fours = cpuid::amd_family().is_some();
    set_by_fours(by_fours);
    by_fours
}

/// Has float16s converted by fours, or by eights. (It makes a difference to time only.)
pub(crate) fn set_by_fours(yes: bool) {
    AT_ONCE.store(if yes { 4 } else { 8 }, Ordering::Relaxed);
}

/// A kernel by one of two steps: that by fours, or that by eights.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn either<Fours, Eights, A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    Fours: Step<A, B>,
    Eights: Step<A, B>,
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    // SAFETY: the caller's.
    unsafe {
        if is_by_fours() {
            stepped::<Fours, A, B, MODE>(src, dst, n, params)
        } else {
            stepped::<Eights, A, B, MODE>(src, dst, n, params)
        }
    }
}

/// The kernel to float16 from a dtype that is converted by way of float32s which round as its numbers do.
pub(super) const fn kernel<A, B, const MODE: usize>() -> Kernel
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: Bridges<<Avx2 as Decode<A>>::Hub>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    match A::DTYPE {
        DType::BFloat16 => either::<FromBrains<true>, FromBrains<false>, A, B, MODE>,
        _ => either::<ToFloat16<true>, ToFloat16<false>, A, B, MODE>,
    }
}

/// What has a bridge to float32s that round as its numbers do, by fours or by eights.
struct ToFloat16<const BY_FOURS: bool>;

impl<const BY_FOURS: bool, A: Real, B: Real> Step<A, B> for ToFloat16<BY_FOURS>
where
    Avx2: Decode<A> + Bridges<<Avx2 as Decode<A>>::Hub>,
{
    const LEN: usize = 16;
    const AT_ONCE: usize = if A::DTYPE.bits() <= 32 { 4 } else { 1 };
    const HALVES: [bool; 2] = [A::DTYPE.bits() == 16, true];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let floats: Sticky = isa.bridge(Decode::<A>::decode(isa, src));
            match BY_FOURS {
                true => isa.store_float16_by_fours(isa.fours(floats), dst),
                false => isa.store_float16(floats, dst),
            }
        }
    }
}

/// Bfloat16: float32 is bfloat16 with zeros below.
struct FromBrains<const BY_FOURS: bool>;

impl<const BY_FOURS: bool, A: Real, B: Real> Step<A, B> for FromBrains<BY_FOURS> {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const HALVES: [bool; 2] = [true; 2];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let (first, second) = (isa.loadx(src), isa.loadx(src.add(16)));
            if !BY_FOURS {
                let floats = [isa.brains_to_ps(first), isa.brains_to_ps(second)];
                return isa.store_float16(Sticky(floats), dst);
            }
            let zero = isa.zerox();
            let fours = [
                isa.as_psx(isa.low16x(zero, first)),
                isa.as_psx(isa.high16x(zero, first)),
                isa.as_psx(isa.low16x(zero, second)),
                isa.as_psx(isa.high16x(zero, second)),
            ];
            isa.store_float16_by_fours(fours, dst);
        }
    }
}

impl Avx2 {
    /// Stores sixteen float16s.
    ///
    /// # Safety
    /// `dst` is valid for writing 32 bytes.
    #[inline(always)]
    pub(super) unsafe fn store_float16(self, Sticky([a, b]): Sticky, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.storex(dst, self.to_float16(a));
            self.storex(dst.add(16), self.to_float16(b));
        }
    }

    /// The same of fours: one half by conversions to memory, of which each is a store, the other by a shuffle, so that
    /// neither stores nor shuffles are what there is most of.
    ///
    /// # Safety
    /// `dst` is valid for writing 32 bytes.
    #[inline(always)]
    unsafe fn store_float16_by_fours(self, [a, b, c, d]: [__m128; 4], dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.store_64x(dst, self.psx_to_half(a));
            self.store_64x(dst.add(8), self.psx_to_half(b));
            let second = self.join_low_64x(self.psx_to_half(c), self.psx_to_half(d));
            self.storex(dst.add(16), second);
        }
    }

    /// Eight bfloat16s as float32s.
    #[inline(always)]
    fn brains_to_ps(self, brains: __m128i) -> __m256 {
        // By lanes of 128 bits, of the same eight words in each. (128 and more is zero.)
        const TO_UPPER_WORDS: [u8; 32] = [
            128, 128, 0, 1, 128, 128, 2, 3, 128, 128, 4, 5, 128, 128, 6, 7, //
            128, 128, 8, 9, 128, 128, 10, 11, 128, 128, 12, 13, 128, 128, 14, 15,
        ];
        self.as_ps(self.shuffle8(self.twice(brains), self.constant(&TO_UPPER_WORDS)))
    }

    #[inline(always)]
    fn fours(self, Sticky([a, b]): Sticky) -> [__m128; 4] {
        [self.lower_ps(a), self.half_ps::<1>(a), self.lower_ps(b), self.half_ps::<1>(b)]
    }
}
