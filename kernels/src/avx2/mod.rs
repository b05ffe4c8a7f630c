//! Kernels for x86-64 with AVX2, F16C and FMA: 16 elements a step where decoders and encoders are fused, 16 or 32 in loops
//! that were written for their pair, and up to 1024 of packed elements.

mod bits;
mod bridge;
mod by_codes;
mod byte_stores;
mod choices;
mod clamps;
mod code_tables;
mod complex;
mod decode;
mod direct;
mod directed;
mod drawn_stores;
mod draws;
mod encode;
mod few_bits;
mod float16;
mod generator;
mod half_bytes;
mod in_registers;
mod look_ups;
mod low_bits;
mod marked;
mod narrowed;
mod nibbles;
mod ops;
mod packed;
mod parts;
mod permutes;
mod pieces;
mod quarters;
mod ramps;
mod ranges;
mod shapes;
mod shim;
mod sixes;
mod steps;
mod stores;
mod thresholds;
mod to_ints;
mod units;
mod widened;
mod windows;

use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::convert::convert;
use crate::dtypes::{DType, Real, for_each_dtype};
use crate::environment::Arithmetic;
use crate::fields;
use crate::scalar::{self, Scalar};
use crate::shifted;
use crate::stepwise::{self, OfCodes, Side, Stepwise};
use crate::swap::Swaps;
use crate::table::{Entry, Kernel, Params, RealPairs, Road, Table, Tabled, real_pairs};
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
        cfg!(all(
            target_feature = "avx2",
            target_feature = "bmi1",
            target_feature = "bmi2",
            target_feature = "f16c",
            target_feature = "fma",
            target_feature = "lzcnt",
            target_feature = "popcnt"
        ))
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
unsafe fn fused<A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    if MODE & stepwise::BOTH != 0 {
        // SAFETY: the caller's.
        return unsafe {
            direct::more_steps::<steps::floats::ByHubs, A, B, MODE>(src, dst, n, params)
        };
    }
    if MODE != stepwise::NONE {
        // SAFETY: the caller's, who knows that the CPU has the instruction set of this table.
        let isa = unsafe { Avx2::summon() };
        return isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                let lie = const { sides_of(A::DTYPE, B::DTYPE, halves(A::DTYPE, B::DTYPE)) };
                // SAFETY: the caller's; 16 elements of two bytes or more are whole registers.
                unsafe {
                    stepwise::whole_steps(
                        isa,
                        MODE,
                        lie,
                        Avx2::STEP,
                        src,
                        dst,
                        n,
                        params,
                        #[inline(always)]
                        |src, dst| step::<A, B>(isa, src, dst),
                    )
                }
            },
        );
    }
    if n < Avx2::STEP {
        // SAFETY: the caller's; this is the pair's kernel, and needs nothing of the CPU.
        return unsafe { (const { scalar::entry::<A, B>().kernel })(src, dst, n, params) };
    }
    // SAFETY: the caller's, who knows that the CPU has the instruction set of this table.
    unsafe { convert::<Avx2, A, B>(Avx2::summon(), src, dst, n) }
}

/// The sides of which the hubs' steps load or store half registers.
const fn halves(from: DType, to: DType) -> [bool; 2] {
    let widens = from.bits() == 16 || from.bits() == 32 && to.bits() == 64;
    [widens, matches!(to, DType::Float16)]
}

/// How the sides of a pair of real dtypes lie in memory, of which steps load or store halves of registers, if so.
///
/// Float16s are converted to float32 from memory in two thirds of the time that it takes from registers. So they are turned
/// ahead where that was found to take less: to what is as long as float32 (to which itself only [some CPUs'](float16::TurnedAhead)
/// are), and to three real dtypes that come from it, one of them packed or not.
/// (To bytes that are integers it takes longer; other small floats come from the words themselves.)
const fn sides_of(from: DType, to: DType, halves: [bool; 2]) -> [Side; 2] {
    let takes_less =
        to.bits() >= 32 || matches!(to, DType::BFloat16 | DType::UInt4 | DType::Float8E3M4);
    let [source, results] = Side::both(from, to, halves);
    [Side { ahead: matches!(from, DType::Float16) && takes_less, ..source }, results]
}

/// Casts a step.
///
/// # Safety
/// `src` is valid for reading 16 elements of `A` and `dst` for writing 16 of `B`, at any alignment; they don't overlap.
#[inline(always)]
unsafe fn step<A, B>(isa: Avx2, src: *const u8, dst: *mut u8)
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
{
    // SAFETY: the caller's.
    unsafe { Encode::<B>::encode(isa, isa.bridge(Decode::<A>::decode(isa, src)), dst) }
}

/// The kernel of a pair of real dtypes under the default options.
const fn entry<A, B, const MODE: usize>() -> Entry
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: direct::Bridges<<Avx2 as Decode<A>>::Hub>,
    Avx2: Bridge<decode::F32, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    match direct::entry::<A, B, MODE>() {
        Some(direct) => direct,
        None => Entry { kernel: fused::<A, B, MODE>, road: Road::Fused },
    }
}

/// Adds the kernels of the pairs with a packed or a complex side that have one of their own.
const fn with_composed<const MODE: usize>(pairs: RealPairs) -> RealPairs {
    let pairs = packed::with_packed::<MODE>(steps::packs::with_packs::<MODE>(pairs));
    let pairs = ranges::with_ranges::<MODE>(pairs);
    complex::with_complex::<MODE>(pairs)
}

/// The kernels of a mode. (The compiler checks a function once, whatever the mode, and takes a while.)
const fn pairs<const MODE: usize>() -> RealPairs {
    with_composed::<MODE>(for_each_dtype!(real_pairs entry <MODE>))
}

/// The kernel that does all of a cast under options, see [`Table::alone`].
fn alone(params: &Params) -> Option<Kernel> {
    if params.plan().interval.is_some() {
        return ranges::under_options(params);
    }
    steps::packs::under_options(params)
        .or_else(|| widened::under_options(params))
        .or_else(|| low_bits::under_options(params))
        .or_else(|| fields::clamping::<Avx2>(params))
}

/// The kernels that test codes of a byte or less.
static OF_CODES: OfCodes = OfCodes::of::<Avx2>(pairs::<{ stepwise::CODES }>());

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { pairs::<0>().complete::<Avx2>() },
    shapes: shapes::shapes(),
    composed: tile::with_options::<Avx2>,
    by_codes: by_codes::by_codes,
    by_codes_marked: |_, _| None,
    alone,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Ambient,
    marks: crate::shape::marks::kernel::<Avx2>,
    swaps: Swaps::of::<Avx2>(),
    shift: shifted::shift_down::<Avx2>,
    stepwise: const {
        Stepwise::NONE
            .with::<Avx2, 1>(pairs::<1>())
            .with::<Avx2, 2>(pairs::<2>())
            .with::<Avx2, 3>(pairs::<3>())
            .with::<Avx2, 4>(pairs::<4>())
            .with_codes(&OF_CODES)
    },
    units: units::UNITS,
};

impl Tabled for Avx2 {
    fn table() -> &'static Table {
        &TABLE
    }
}
