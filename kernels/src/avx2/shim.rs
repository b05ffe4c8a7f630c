//! The instructions of F16C, for which `pulp` has no methods. Both keep NaNs' signs and top payload
//! bits, make them quiet, and heed no rounding mode and no flush-to-zero. And what keeps one of them apart from a store.

use super::Avx2;
use core::arch::asm;
use core::arch::x86_64::{
    __m128, __m128i, __m256, __m256i, _mm_cvtps_ph, _mm256_cvtph_ps, _mm256_cvtps_ph,
};

impl Avx2 {
    /// Float16 to float32, exactly.
    #[inline(always)]
    pub(super) fn half_to_ps(self, a: __m128i) -> __m256 {
        // SAFETY: the token proves that the CPU has F16C.
        unsafe { _mm256_cvtph_ps(a) }
    }

    /// Half a register, of which the compiler is not to know where it came from. (It would store what a conversion makes by the
    /// conversion itself, which takes a Zen 4 more than twice the time of the two.)
    #[inline(always)]
    pub(super) fn apart(self, mut v: __m128i) -> __m128i {
        // SAFETY: there is no instruction in it.
        unsafe {
            asm!("/* {} */", inlateout(xmm_reg) v, options(pure, nomem, nostack, preserves_flags));
        }
        v
    }

    /// A constant of which the compiler is not to know the value, kept in a register over a loop, which what is
    /// [`unknown`](crate::codec::unknown) is not. (Knowing a shuffle's places, the compiler makes two of a shuffle of what it was
    /// to load into both halves of a register. A whole register would need a function with AVX for itself.)
    #[inline(always)]
    pub(super) fn hidden(self, v: __m256i) -> __m256i {
        self.join(self.apart(self.half::<1>(v)), self.apart(self.lower(v)))
    }

    /// Four float32s to float16, to nearest, ties to even; zeros above them.
    #[inline(always)]
    pub(super) fn psx_to_half(self, a: __m128) -> __m128i {
        // SAFETY: the token proves that the CPU has F16C.
        unsafe { _mm_cvtps_ph::<0>(a) }
    }

    /// Eight float32s to float16, rounded as the instruction's operand says.
    #[inline(always)]
    pub(super) fn ps_to_half<const ROUND: i32>(self, a: __m256) -> __m128i {
        // SAFETY: the token proves that the CPU has F16C.
        unsafe { _mm256_cvtps_ph::<ROUND>(a) }
    }
}
