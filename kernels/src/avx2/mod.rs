//! Kernels for x86-64 with AVX2, F16C and FMA: 16 elements a step.

mod bits;
mod bridge;
mod code_tables;
mod complex;
mod decode;
mod direct;
mod encode;
mod look_ups;
mod nibbles;
mod ops;
mod packed;
mod permutes;
mod pieces;
mod ramps;
mod shapes;
mod shim;
mod sixes;
mod steps;
mod stores;
mod thresholds;
mod to_ints;

use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::convert::convert;
use crate::dtypes::{Real, for_each_dtype};
use crate::environment::Arithmetic;
use crate::scalar::{self, Scalar};
use crate::table::{Entry, Params, RealPairs, Road, Table, Tabled, real_pairs};
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

/// A pair whose codecs are fused in one loop. Less than a step is left to the portable kernel: a
/// step by way of the stack would take longer.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn fused<A, B>(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    if n < Avx2::STEP {
        // SAFETY: the caller's; this is the pair's kernel, and needs nothing of the CPU.
        return unsafe { (const { scalar::entry::<A, B>().kernel })(src, dst, n, params) };
    }
    // SAFETY: the caller's, who knows that the CPU has the instruction set of this table.
    unsafe { convert::<Avx2, A, B>(Avx2::summon(), src, dst, n) };
    n
}

/// The kernel of a pair of real dtypes under the default options.
const fn entry<A, B>() -> Entry
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: direct::Bridges<<Avx2 as Decode<A>>::Hub>,
    Avx2: Bridge<decode::F32, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    match direct::entry::<A, B>() {
        Some(direct) => direct,
        None => Entry { kernel: fused::<A, B>, road: Road::Fused },
    }
}

/// Adds the kernels of the pairs with a packed or a complex side that have one of their own.
const fn with_composed(pairs: RealPairs) -> RealPairs {
    complex::with_complex(packed::with_packed(steps::packs::with_packs(pairs)))
}

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { with_composed(for_each_dtype!(real_pairs entry)).complete::<Avx2>() },
    shapes: shapes::shapes(),
    composed: tile::with_options::<Avx2>,
    by_codes: packed::by_codes,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Ambient,
    marks: crate::shape::marks::kernel::<Avx2>,
    swaps: crate::swap::Swaps::of::<Avx2>(),
};

impl Tabled for Avx2 {
    fn table() -> &'static Table {
        &TABLE
    }
}
