//! The portable kernels: an element a step, in code that any target compiles and that the compiler
//! may vectorise. Every other instruction set falls back on these.

mod bridge;
mod decode;
pub(crate) mod direct;
mod encode;
pub(crate) mod options;
pub(crate) mod pieces;

use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::convert::convert;
use crate::dtypes::{Real, for_each_dtype};
use crate::table::{Entry, Params, Road, Table, Tabled, real_pairs};
use crate::tile;

/// The token of the portable kernels, which need nothing of the CPU.
#[derive(Clone, Copy)]
pub(crate) struct Scalar;

impl Isa for Scalar {
    const STEP: usize = 1;
    const OVERLAPS: bool = false;

    unsafe fn summon() -> Self {
        Self
    }

    #[inline(always)]
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        body()
    }
}

/// A pair whose codecs are fused in one loop.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn fused<A, B>(src: *const u8, dst: *mut u8, n: usize, _: &Params) -> usize
where
    A: Real,
    B: Real,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    // SAFETY: the caller's; `Scalar` needs nothing of the CPU.
    unsafe { convert::<Scalar, A, B>(Scalar::summon(), src, dst, n) };
    n
}

/// The kernel of a pair of real dtypes under the default options.
pub(crate) const fn entry<A, B>() -> Entry
where
    A: Real,
    B: Real,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    match direct::entry::<A, B>() {
        Some(direct) => direct,
        None => Entry { kernel: fused::<A, B>, road: Road::Fused },
    }
}

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { for_each_dtype!(real_pairs entry).complete::<Scalar>() },
    with_options: options::encode,
    composed: tile::with_options::<Scalar>,
    pieces: pieces::PIECES,
};

impl Tabled for Scalar {
    fn table() -> &'static Table {
        &TABLE
    }
}
