//! Kernels for x86-64 with AVX2, F16C and FMA: 16 elements a step.

pub(crate) mod pieces;

use crate::codec::Isa;
use crate::dtypes::for_each_dtype;
use crate::scalar::{self, entry};
use crate::table::{Table, Tabled, real_pairs};
use crate::tile;

pulp::simd_type! {
    /// What every CPU with AVX2 has.
    pub(crate) struct Features {
        sse: "sse",
        sse2: "sse2",
        sse3: "sse3",
        ssse3: "ssse3",
        sse4_1: "sse4.1",
        sse4_2: "sse4.2",
        avx: "avx",
        avx2: "avx2",
        bmi1: "bmi1",
        bmi2: "bmi2",
        lzcnt: "lzcnt",
        popcnt: "popcnt",
        f16c: "f16c",
        fma: "fma",
    }
}

/// The token of the AVX2 kernels.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(Features);

/// Whether this CPU has what the kernels need, and the system saves its registers. Without std to
/// ask, whether the build is for such CPUs only.
pub(crate) fn detect() -> bool {
    if cfg!(feature = "std") {
        Features::is_available()
    } else {
        cfg!(all(target_feature = "avx2", target_feature = "f16c", target_feature = "fma"))
    }
}

impl Isa for Avx2 {
    const STEP: usize = 16;
    const OVERLAPS: bool = true;

    #[inline(always)]
    unsafe fn summon() -> Self {
        // SAFETY: the caller's.
        Self(unsafe { Features::new_unchecked() })
    }

    #[inline(always)]
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        self.0.vectorize(body)
    }
}

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { for_each_dtype!(real_pairs entry).complete::<Avx2>() },
    with_options: scalar::options::encode,
    composed: tile::with_options::<Avx2>,
    pieces: pieces::PIECES,
};

impl Tabled for Avx2 {
    fn table() -> &'static Table {
        &TABLE
    }
}
