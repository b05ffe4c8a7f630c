//! The instructions that pulp has no method for, as methods of tokens that prove them.

use super::{Avx512, Features, VbmiFeatures};
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

    /// For each byte the one of both tables together that its low 7 bits tell.
    #[inline(always)]
    pub(super) fn permutex2var_epi8(self, a: __m512i, indices: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves AVX512_VBMI.
        unsafe { _mm512_permutex2var_epi8(a, indices, b) }
    }
}
