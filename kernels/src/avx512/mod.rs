//! Kernels for x86-64 with AVX-512 F, BW, CD, DQ and VL: 16 elements a step.

use crate::codec::Isa;
use crate::dtypes::for_each_dtype;
use crate::scalar::{self, entry};
use crate::table::{Table, Tabled, real_pairs};
use crate::tile;

pulp::simd_type! {
    /// What every server CPU with AVX-512 has, since Skylake.
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
        f: "avx512f",
        bw: "avx512bw",
        cd: "avx512cd",
        dq: "avx512dq",
        vl: "avx512vl",
    }
}

/// The token of the AVX-512 kernels.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(Features);

/// Whether this CPU has what the kernels need, and the system saves its registers. Without std to
/// ask, whether the build is for such CPUs only.
pub(crate) fn detect() -> bool {
    if cfg!(feature = "std") {
        Features::is_available()
    } else {
        cfg!(all(
            target_feature = "avx512bw",
            target_feature = "avx512dq",
            target_feature = "avx512vl"
        ))
    }
}

impl Isa for Avx512 {
    const STEP: usize = 16;
    const OVERLAPS: bool = false;

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
    pairs: const { for_each_dtype!(real_pairs entry).complete::<Avx512>() },
    with_options: scalar::options::encode,
    composed: tile::with_options::<Avx512>,
    pieces: crate::avx2::pieces::PIECES,
};

impl Tabled for Avx512 {
    fn table() -> &'static Table {
        &TABLE
    }
}
