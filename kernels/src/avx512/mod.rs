//! Kernels for x86-64 with AVX-512 F, BW, CD, DQ and VL: 64 elements a step, and what is left of
//! them under masks, in quarters of 16 where decoders and encoders are fused.
//!
//! A step is four registers of dwords. That way bytes and words are packed and stored at full width,
//! whatever they were made from, and the 32 registers still hold all that a step needs.

mod bits;
mod bridge;
mod by_codes;
mod clamps;
mod codes;
mod complex;
mod decode;
mod direct;
mod drawn;
mod drawn_floats;
mod drawn_stores;
mod draws;
mod eights;
mod encode;
mod float8s;
mod from_floats;
mod from_integers;
mod from_small;
mod fused;
mod generator;
mod halves;
mod in_registers;
mod lanes;
mod longer;
mod maps;
mod marked;
mod moved;
mod narrow;
mod overflows;
mod packed;
mod pieces;
mod powers;
mod ranges;
mod shapes;
mod shim;
mod shorter;
mod sixty_fours;
mod small;
mod stores;
mod tables;
mod ties;
mod to_small;
mod truths;
mod turned;
mod units;
mod uppers;
mod widen;
mod words;

use crate::align::LINE;
use crate::codec::Isa;
use crate::cpuid;
use crate::dtypes::{DType, Kind, Real, for_each_dtype, mark};
use crate::environment::Arithmetic;
use crate::fields;
use crate::scalar;
use crate::shifted;
use crate::stepwise::{self, OfCodes, Stepwise};
use crate::swap::Swaps;
use crate::table::{Entry, Kernel, Params, RealPairs, Road, Table, Tabled, real_pairs};
use crate::tile;
use by_codes::{by_codes, by_codes_marked, has_marks};
use codes::{Complex, Packed, Plain};
use complex::with_complex;
use direct::For;
use eights::with_eights;
use fused::{Fuses, fused, fused_bf16, fused_vbmi};
use shim::{Bf16, Vbmi};
use sixty_fours::with_sixty_fours;
use tables::LookUp;
use turned::with_turned;

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

pulp::simd_type! {
    /// The same with permutations of bytes: since Ice Lake and Zen 4.
    pub(crate) struct VbmiFeatures {
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
        vbmi: "avx512vbmi",
        vbmi2: "avx512vbmi2",
    }
}

pulp::simd_type! {
    /// The same with an instruction for bfloat16: since Cooper Lake's successors and Zen 4.
    pub(crate) struct Bf16Features {
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
        vbmi: "avx512vbmi",
        vbmi2: "avx512vbmi2",
        bf16: "avx512bf16",
    }
}

/// The token of the AVX-512 kernels, of a step at a time.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(Features);

/// The token of their tails, of a quarter of a step at a time.
#[derive(Clone, Copy)]
pub(crate) struct Quarter(Features);

/// Whether this CPU has what the kernels need, and the system saves its registers. Without std to
/// ask, whether the build is for such CPUs only.
pub(crate) fn detect() -> bool {
    if cfg!(feature = "std") {
        Features::is_available()
    } else {
        crate::avx2::detect()
            && cfg!(all(
                target_feature = "avx512bw",
                target_feature = "avx512cd",
                target_feature = "avx512dq",
                target_feature = "avx512vl"
            ))
    }
}

/// The same for the kernels with VBMI.
pub(crate) fn detect_vbmi() -> bool {
    if cfg!(feature = "std") {
        VbmiFeatures::is_available()
    } else {
        detect() && cfg!(all(target_feature = "avx512vbmi", target_feature = "avx512vbmi2"))
    }
}

/// The same for the kernels with VBMI and BF16.
pub(crate) fn detect_bf16() -> bool {
    if cfg!(feature = "std") {
        Bf16Features::is_available()
    } else {
        detect_vbmi() && cfg!(target_feature = "avx512bf16")
    }
}

/// The bytes of the longest access: of AMD's cores those of family 25, Zen 4, load and store a register in halves.
pub(crate) fn access() -> usize {
    if cpuid::amd().is_some_and(|(family, _)| family == 25) { LINE / 2 } else { LINE }
}

impl Isa for Avx512 {
    const STEP: usize = 64;
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

impl Isa for Quarter {
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

/// Whether VBMI's ways to turn elements make a difference to a pair whose codecs are fused, by a mode: to words, and to longer
/// elements of those pairs that were found to gain, whose casts leave other ports free than shuffles have.
const fn turns_otherwise(from: DType, to: DType, mode: usize) -> bool {
    use DType::{BFloat16, Float8E8M0Fnu, Float16, Float32, Float64, Int64, UInt64};
    let source = mode & stepwise::SOURCE != 0
        && match from {
            _ if from.bits() == 16 => true,
            Float32 => matches!(to.kind(), Kind::Int | Kind::UInt) && to.bits() == 8,
            Float64 => matches!(to, Float16 | Float8E8M0Fnu),
            Int64 | UInt64 => matches!(to, Float16),
            _ => false,
        };
    let results = mode & stepwise::RESULTS != 0
        && match from {
            _ if to.bits() == 16 => true,
            Float16 | BFloat16 => to.bits() >= 32,
            _ => false,
        };
    source || results
}

/// The kernel of a pair of real dtypes under the default options.
const fn entry<A, B, const MODE: usize>() -> Entry
where
    A: Real,
    B: Real,
    Avx512: Fuses<A, B>,
    Quarter: Fuses<A, B>,
{
    if scalar::direct::is_copy(A::DTYPE, B::DTYPE) {
        return Entry { kernel: scalar::direct::copy, road: Road::Copy };
    }
    match direct::entry::<A, B, MODE>(For::Bw) {
        Some(direct) => direct,
        None => Entry { kernel: fused::<A, B, MODE>, road: Road::Fused },
    }
}

/// The same with VBMI, where that makes a difference.
const fn entry_vbmi<A, B, const MODE: usize>() -> Entry
where
    A: Real,
    B: Real,
    Avx512: Fuses<A, B>,
    Vbmi: Fuses<A, B>,
    Quarter: Fuses<A, B>,
{
    let plain = entry::<A, B, MODE>();
    if matches!(plain.road, Road::Copy) {
        return plain;
    }
    match direct::entry::<A, B, MODE>(For::Vbmi) {
        Some(direct) => direct,
        None if decode::has_table::<A>() || turns_otherwise(A::DTYPE, B::DTYPE, MODE) => {
            Entry { kernel: fused_vbmi::<A, B, MODE>, road: Road::Fused }
        }
        None => plain,
    }
}

/// Sets the kernels of the pairs with a packed or complex side that have one of their own, but
/// those that [`with_complex`], [`with_eights`], [`with_turned`] and [`with_sixty_fours`] set, for [`for_each_dtype`].
macro_rules! composed_pairs {
    (
        $pairs:ident $isa:ident
        real { $($code:literal $real:ident $name:literal $store:ident ($numbers:expr) [$($alias:literal),*];)* }
        packed { $($pcode:literal $packed:ident $pname:literal $of:ident;)* }
        complex { $($ccode:literal $complex:ident $cname:literal $part:ident [$($calias:literal),*];)* }
    ) => {
        composed_pairs!(@from $pairs $isa [$($packed $of)*] [$(Plain $real $real)* $(Packed $packed $of)*]);
        composed_pairs!(@to $pairs $isa [$($packed $of)*] [$($real)*]);
        composed_pairs!(
            @complex $pairs $isa
            [$(Plain $real $real)* $(Packed $packed $of)*] [$($complex $part)*]
        );
    };
    (@from $pairs:ident $isa:ident [$($packed:ident $of:ident)*] $to:tt) => {$(
        composed_pairs!(@row $pairs $isa $packed (Packed $of) $to);
    )*};
    (@to $pairs:ident $isa:ident $to:tt [$($real:ident)*]) => {$(
        composed_pairs!(@column $pairs $isa $real $to);
    )*};
    (@column $pairs:ident $isa:ident $real:ident [$($packed:ident $of:ident)*]) => {
        composed_pairs!(@row $pairs $isa $real (Plain $real) [$(Packed $packed $of)*]);
    };
    (@complex $pairs:ident $isa:ident [$($lie:ident $from:ident $numbers:ident)*] $to:tt) => {$(
        composed_pairs!(@complex_row $pairs $isa $from ($lie $numbers) $to);
    )*};
    (
        @complex_row $pairs:ident $isa:ident $from:ident ($lie:ident $numbers:ident)
        [$($to:ident $part:ident)*]
    ) => {$(
        if stepwise::suits(DType::$from, DType::$to, MODE)
            && let Some(entry) = direct::widening::<$lie<mark::$numbers>, Complex<mark::$part>, MODE>($isa)
        {
            $pairs.set(DType::$from, DType::$to, entry);
        }
    )*};
    (@row $pairs:ident $isa:ident $from:ident ($lie:ident $numbers:ident) [$($to_lie:ident $to:ident $of:ident)*]) => {$(
        // (Codes that are marked as they are looked up need no test.)
        if stepwise::suits(DType::$from, DType::$to, MODE)
            && !scalar::direct::is_packed_copy(DType::$from, DType::$to)
            && !(MODE == stepwise::CODES && has_marks(DType::$from, DType::$to))
        {
            let entry = direct::entry_packed::<$lie<mark::$numbers>, $to_lie<mark::$of>, MODE>($isa);
            if let Some(entry) = entry {
                $pairs.set(DType::$from, DType::$to, entry);
            }
        }
    )*};
}

const fn with_composed<const MODE: usize>(mut pairs: RealPairs, isa: For) -> RealPairs {
    for_each_dtype!(composed_pairs pairs isa);
    let pairs = with_turned::<MODE>(with_eights::<MODE>(with_complex::<MODE>(pairs)));
    with_sixty_fours::<MODE>(pairs, isa)
}

/// Functions that make the kernels of a mode, each by what `entry` tells. (The compiler checks a function once, whatever
/// the mode, and takes a while.)
macro_rules! all_pairs {
    ($($name:ident = $entry:ident, $isa:expr;)*) => {$(
        const fn $name<const MODE: usize>() -> RealPairs {
            with_composed::<MODE>(for_each_dtype!(real_pairs $entry <MODE>), $isa)
        }
    )*};
}

all_pairs! {
    pairs = entry, For::Bw;
    pairs_vbmi = entry_vbmi, For::Vbmi;
    pairs_bf16 = entry_bf16, For::Vbmi;
}

/// The kernels that do more with each step, of the pairs that such a function tells.
macro_rules! stepwise {
    ($pairs:ident, $of_codes:ident) => {
        const {
            Stepwise::NONE
                .with::<Avx512, 1>($pairs::<1>())
                .with::<Avx512, 2>($pairs::<2>())
                .with::<Avx512, 3>($pairs::<3>())
                .with::<Avx512, 4>($pairs::<4>())
                .with_codes(&$of_codes)
        }
    };
}

/// The kernel that does all of a cast under options, see [`Table::alone`].
fn alone<L: LookUp + Isa>(params: &Params) -> Option<Kernel> {
    ranges::under_options(params)
        .or_else(|| clamps::under_options::<L>(params))
        .or_else(|| narrow::under_options::<L>(params))
        .or_else(|| fields::clamping::<Avx512>(params))
}

/// The kernels that test codes of a byte or less.
static OF_CODES: OfCodes = OfCodes::of::<Avx512>(pairs::<{ stepwise::CODES }>());

/// The same with VBMI.
static OF_CODES_VBMI: OfCodes = OfCodes::of::<Vbmi>(pairs_vbmi::<{ stepwise::CODES }>());

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { pairs::<0>().complete::<Avx512>() },
    shapes: shapes::shapes(),
    composed: tile::with_options::<Avx512>,
    by_codes: by_codes::<Avx512>,
    by_codes_marked: by_codes_marked::<Avx512>,
    alone: alone::<Avx512>,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Explicit,
    marks: crate::shape::marks::kernel::<Avx512>,
    swaps: Swaps::of::<Avx512>(),
    shift: shifted::shift_down::<Avx512>,
    stepwise: stepwise!(pairs, OF_CODES),
    units: units::UNITS,
};

impl Tabled for Avx512 {
    fn table() -> &'static Table {
        &TABLE
    }
}

/// The kernels of all pairs, with VBMI.
pub(crate) static TABLE_VBMI: Table = Table {
    pairs: const { pairs_vbmi::<0>().complete::<Vbmi>() },
    shapes: shapes::shapes_vbmi(),
    composed: tile::with_options::<Vbmi>,
    by_codes: by_codes::<Vbmi>,
    by_codes_marked: by_codes_marked::<Vbmi>,
    alone: alone::<Vbmi>,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Explicit,
    marks: crate::shape::marks::kernel::<Vbmi>,
    swaps: Swaps::of::<Vbmi>(),
    shift: shifted::shift_down::<Vbmi>,
    stepwise: stepwise!(pairs_vbmi, OF_CODES_VBMI),
    units: units::UNITS_VBMI,
};

impl Tabled for Vbmi {
    fn table() -> &'static Table {
        &TABLE_VBMI
    }
}

/// The kernel of a pair with BF16, where that makes a difference.
const fn entry_bf16<A, B, const MODE: usize>() -> Entry
where
    A: Real,
    B: Real,
    Avx512: Fuses<A, B>,
    Vbmi: Fuses<A, B>,
    Bf16: Fuses<A, mark::BFloat16>,
    Quarter: Fuses<A, B> + Fuses<A, mark::BFloat16>,
{
    if matches!(B::DTYPE, DType::BFloat16) && encode::suits_bf16(A::DTYPE) {
        return Entry { kernel: fused_bf16::<A, MODE>, road: Road::Fused };
    }
    entry_vbmi::<A, B, MODE>()
}

/// The kernels of all pairs, with VBMI and BF16.
pub(crate) static TABLE_BF16: Table = Table {
    pairs: const { pairs_bf16::<0>().complete::<Bf16>() },
    shapes: shapes::shapes_vbmi(),
    composed: tile::with_options::<Bf16>,
    by_codes: by_codes::<Vbmi>,
    by_codes_marked: by_codes_marked::<Vbmi>,
    alone: alone::<Vbmi>,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Explicit,
    marks: crate::shape::marks::kernel::<Bf16>,
    swaps: Swaps::of::<Bf16>(),
    shift: shifted::shift_down::<Bf16>,
    stepwise: stepwise!(pairs_bf16, OF_CODES_VBMI),
    units: units::UNITS_VBMI,
};

impl Tabled for Bf16 {
    fn table() -> &'static Table {
        &TABLE_BF16
    }
}
