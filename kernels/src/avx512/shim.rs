//! The instructions that pulp has no method for, as methods of tokens that prove them.

use super::{Avx512, Bf16Features, Features, VbmiFeatures};
use crate::codec::Isa;
use core::arch::x86_64::*;

/// The token of AVX-512 with VBMI and VBMI2.
#[derive(Clone, Copy)]
pub(crate) struct Vbmi {
    pub(super) features: Features,
    proof: VbmiFeatures,
}

impl Isa for Vbmi {
    const STEP: usize = Avx512::STEP;
    const OVERLAPS: bool = false;

    #[inline(always)]
    unsafe fn summon() -> Self {
        // SAFETY: the caller's; the features of `Avx512` are among them.
        unsafe {
            Self { features: Features::new_unchecked(), proof: VbmiFeatures::new_unchecked() }
        }
    }

    #[inline(always)]
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        self.proof.vectorize(body)
    }
}

impl Vbmi {
    /// For each byte the one of `table` that its low 6 bits tell.
    #[inline(always)]
    pub(super) fn permutexvar_epi8(self, indices: __m512i, table: __m512i) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI.
        unsafe { _mm512_permutexvar_epi8(indices, table) }
    }

    /// For each byte that is asked for the one of `table` that its low 6 bits tell, else 0.
    #[inline(always)]
    pub(super) fn maskz_permutexvar_epi8(
        self,
        asked: __mmask64,
        indices: __m512i,
        table: __m512i,
    ) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI.
        unsafe { _mm512_maskz_permutexvar_epi8(asked, indices, table) }
    }

    /// For each byte that is asked for the one of `table` that its low 6 bits tell, else that of `rest`.
    #[inline(always)]
    pub(super) fn mask_permutexvar_epi8(
        self,
        rest: __m512i,
        asked: __mmask64,
        indices: __m512i,
        table: __m512i,
    ) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI.
        unsafe { _mm512_mask_permutexvar_epi8(rest, asked, indices, table) }
    }

    /// For each byte the one of both tables together that its low 7 bits tell.
    #[inline(always)]
    pub(super) fn permutex2var_epi8(self, a: __m512i, indices: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI.
        unsafe { _mm512_permutex2var_epi8(a, indices, b) }
    }

    /// The upper halves of dwords of `a` and `b` together, shifted left by so many bits, modulo 32.
    #[inline(always)]
    pub(super) fn shldv_epi32(self, a: __m512i, b: __m512i, bits: __m512i) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI2.
        unsafe { _mm512_shldv_epi32(a, b, bits) }
    }

    /// The upper halves of words of `a` and `b` together, shifted left by so many bits, modulo 16.
    #[inline(always)]
    pub(super) fn shldv_epi16(self, a: __m512i, b: __m512i, bits: __m512i) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI2.
        unsafe { _mm512_shldv_epi16(a, b, bits) }
    }

    /// The same of half registers.
    #[inline(always)]
    pub(super) fn half_shldv_epi16(self, a: __m256i, b: __m256i, bits: __m256i) -> __m256i {
        // SAFETY: the token proves AVX512_VBMI2, and AVX512_VL.
        unsafe { _mm256_shldv_epi16(a, b, bits) }
    }

    /// For each byte the 8 bits of its qword from the bit on that `starts` tells.
    #[inline(always)]
    pub(super) fn multishift_epi64_epi8(self, starts: __m512i, v: __m512i) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI.
        unsafe { _mm512_multishift_epi64_epi8(starts, v) }
    }

    /// The same of half registers.
    #[inline(always)]
    pub(super) fn half_multishift_epi64_epi8(self, starts: __m256i, v: __m256i) -> __m256i {
        // SAFETY: the token proves AVX512_VBMI, and AVX512_VL.
        unsafe { _mm256_multishift_epi64_epi8(starts, v) }
    }
}

/// The token of AVX-512 with VBMI, VBMI2 and BF16.
#[derive(Clone, Copy)]
pub(crate) struct Bf16 {
    pub(super) vbmi: Vbmi,
    proof: Bf16Features,
}

impl Isa for Bf16 {
    const STEP: usize = Avx512::STEP;
    const OVERLAPS: bool = false;

    #[inline(always)]
    unsafe fn summon() -> Self {
        // SAFETY: the caller's; the features of `Vbmi` are among them.
        unsafe { Self { vbmi: Vbmi::summon(), proof: Bf16Features::new_unchecked() } }
    }

    #[inline(always)]
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        self.proof.vectorize(body)
    }
}

impl Bf16 {
    /// Two registers to the nearest bfloat16, ties to even, `low` first, whatever the environment.
    /// Subnormal numbers become zero, which is not the law: for numbers that are none.
    #[inline(always)]
    pub(super) fn cvtne2ps_pbh(self, low: __m512, high: __m512) -> __m512i {
        // SAFETY: the token proves AVX512_BF16; both types are 64 bytes of any bits.
        unsafe { core::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low)) }
    }
}
