//! Kernels for AArch64 with NEON, which all such CPUs have: 16 elements a step. (Little-endian only: the
//! lanes of registers lie in memory the other way round on the others.)

mod bridge;
mod decode;
mod direct;
mod encode;
mod in_registers;
mod lanes;
mod ops;
mod pieces;
mod shim;
mod small;
mod tables;
mod units;

use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::convert::convert;
use crate::dtypes::{Real, for_each_dtype};
use crate::environment::Arithmetic;
use crate::fields;
use crate::scalar::{self, Scalar};
use crate::shape::Shapes;
use crate::shifted;
use crate::stepwise::{self, Side, Stepwise};
use crate::swap::Swaps;
use crate::table::{Entry, Params, RealPairs, Road, Table, Tabled, real_pairs};
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
unsafe fn fused<A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    A: Real,
    B: Real,
    Neon: Fuses<A, B>,
    Scalar: Fuses<A, B>,
{
    if MODE != stepwise::NONE {
        // SAFETY: the caller's; a step is 16 elements.
        return unsafe {
            in_order::<A, B, MODE>(src, dst, n, params, |src, dst| {
                let hub = Decode::<A>::decode(Neon, src);
                Encode::<B>::encode(Neon, Neon.bridge(hub), dst);
            })
        };
    }
    if n < STEP {
        // SAFETY: the caller's; this is the pair's kernel.
        return unsafe { (const { scalar::entry::<A, B>().kernel })(src, dst, n, params) };
    }
    // SAFETY: the caller's.
    unsafe { convert::<Neon, A, B>(Neon::summon(), src, dst, n) }
}

/// Casts as many whole steps as [`stepwise`] has it, and answers how many elements these are.
///
/// # Safety
/// As for [`stepwise::whole_steps`].
#[inline(always)]
unsafe fn in_order<A: Real, B: Real, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    step: impl Fn(*const u8, *mut u8),
) -> usize {
    let sides = Side::both(A::DTYPE, B::DTYPE, [false; 2]);
    // SAFETY: the caller's.
    unsafe { stepwise::whole_steps(Neon, MODE, sides, STEP, src, dst, n, params, step) }
}

/// The kernel of a pair of real dtypes under the default options.
const fn entry<A, B, const MODE: usize>() -> Entry
where
    A: Real,
    B: Real,
    Neon: Fuses<A, B>,
    Scalar: Fuses<A, B>,
{
    match direct::entry::<A, B, MODE>() {
        Some(direct) => direct,
        None => Entry { kernel: fused::<A, B, MODE>, road: Road::Fused },
    }
}

/// The kernels of a mode. (The compiler checks a function once, whatever the mode, and takes a while.)
const fn pairs<const MODE: usize>() -> RealPairs {
    for_each_dtype!(real_pairs entry <MODE>)
}

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { pairs::<0>().complete::<Neon>() },
    shapes: Shapes::of::<Neon, 4>(),
    composed: tile::with_options::<Neon>,
    by_codes: |_, _| None,
    by_codes_marked: |_, _| None,
    alone: fields::clamping::<Neon>,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Ambient,
    marks: crate::shape::marks::kernel::<Neon>,
    swaps: Swaps::of::<Neon>(),
    shift: shifted::shift_down::<Neon>,
    stepwise: const {
        Stepwise::NONE
            .with::<Neon, 1>(pairs::<1>())
            .with::<Neon, 2>(pairs::<2>())
            .with::<Neon, 3>(pairs::<3>())
            .with::<Neon, 4>(pairs::<4>())
    },
    units: units::UNITS,
};

impl Tabled for Neon {
    fn table() -> &'static Table {
        &TABLE
    }
}
