//! Kernels for AArch64 with NEON, which all such CPUs have: 16 elements a step. (Little-endian only: the
//! lanes of registers lie in memory the other way round on the others.)

mod bridge;
mod decode;
mod direct;
mod encode;
mod lanes;
mod ops;
mod pieces;
mod shim;
mod small;
mod tables;

use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::convert::convert;
use crate::dtypes::{Real, for_each_dtype};
use crate::environment::Arithmetic;
use crate::scalar::{self, Scalar};
use crate::shape::Shapes;
use crate::table::{Entry, Params, Road, Table, Tabled, real_pairs};
use crate::tile;

/// The token of the NEON kernels, which proves nothing that the target doesn't.
#[derive(Clone, Copy)]
pub(crate) struct Neon;

const STEP: usize = 16;

impl Isa for Neon {
    const STEP: usize = STEP;
    const OVERLAPS: bool = true;

    #[inline(always)]
    unsafe fn summon() -> Self {
        Self
    }

    #[inline(always)]
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        body()
    }
}

/// A pair of dtypes that the codecs of an instruction set can cast.
trait Fuses<A: Real, B: Real>:
    Decode<A> + Encode<B> + Bridge<<Self as Decode<A>>::Hub, <Self as Encode<B>>::Home>
{
}

impl<I, A: Real, B: Real> Fuses<A, B> for I where
    I: Decode<A> + Encode<B> + Bridge<<I as Decode<A>>::Hub, <I as Encode<B>>::Home>
{
}

/// A pair whose codecs are fused in one loop. Less than a step is left to the portable kernel.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn fused<A, B>(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize
where
    A: Real,
    B: Real,
    Neon: Fuses<A, B>,
    Scalar: Fuses<A, B>,
{
    if n < STEP {
        // SAFETY: the caller's; this is the pair's kernel.
        return unsafe { (const { scalar::entry::<A, B>().kernel })(src, dst, n, params) };
    }
    // SAFETY: the caller's.
    unsafe { convert::<Neon, A, B>(Neon::summon(), src, dst, n) };
    n
}

/// The kernel of a pair of real dtypes under the default options.
const fn entry<A, B>() -> Entry
where
    A: Real,
    B: Real,
    Neon: Fuses<A, B>,
    Scalar: Fuses<A, B>,
{
    match direct::entry::<A, B>() {
        Some(direct) => direct,
        None => Entry { kernel: fused::<A, B>, road: Road::Fused },
    }
}

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { for_each_dtype!(real_pairs entry).complete::<Neon>() },
    shapes: Shapes::of::<Neon, 4>(),
    composed: tile::with_options::<Neon>,
    by_codes: |_, _| None,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Ambient,
    marks: crate::shape::marks::kernel::<Neon>,
    swaps: crate::swap::Swaps::of::<Neon>(),
};

impl Tabled for Neon {
    fn table() -> &'static Table {
        &TABLE
    }
}
