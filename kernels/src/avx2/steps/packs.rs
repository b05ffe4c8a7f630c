//! To packed dtypes from those of a byte with many codes, and from wider numbers: the steps to a
//! byte, four at a time, whose results are packed before they reach memory. And from packed dtypes
//! to float32 and float64: the steps from a byte, four at a time.

use crate::avx2::code_tables::words_in;
use crate::avx2::direct;
use crate::avx2::packed::{Step, stepped};
use crate::avx2::pieces::GROUP;
use crate::avx2::steps::bytes::{EncodeSmall, SmallToFloat64};
use crate::avx2::steps::floats::{
    BrainToByte, CUT, FittingToByte, Float64ToByte, FloatToBits, FloatToByte,
};
use crate::avx2::steps::ints::{ClampByte, ClampToSmall, ClampedBy};
use crate::avx2::steps::maps::{BY_DEFAULT, ByteMap, FROM_ZERO, LOW_BITS};
use crate::avx2::steps::words::{Constants, NEAREST, WordsToInt};
use crate::avx2::{Avx2, sides_of};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::options::{Overflow, Rounding};
use crate::shape::Mode;
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::__m256i;
use core::hint::black_box;
use core::marker::PhantomData;

/// By `S`, a step from `A` to `B`, to `OUT` bits.
struct Packs<S, A, B, const OUT: usize>(PhantomData<(S, A, B)>);

impl<S, A, B, const OUT: usize> Step for Packs<S, A, B, OUT>
where
    S: direct::Step<A, B>,
    A: Real,
    B: Real,
{
    const IN: usize = A::DTYPE.bits();
    const OUT: usize = OUT;
    const LEN: usize = GROUP;
    const AHEAD: bool = sides_of(A::DTYPE, B::DTYPE, [false; 2])[0].ahead;
    const OF: Option<(DType, DType)> = Some((A::DTYPE, B::DTYPE));
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        const { assert!(S::LEN == 32 && B::DTYPE.significant_bits() == OUT && !S::READS_TURNED) };
        let bits = isa.all8(const { (1 << OUT) - 1 });
        let mut codes = [isa.zero(); 4];
        for (k, code) in codes.iter_mut().enumerate() {
            // SAFETY: the caller's: a quarter of the group; a vector holds what becomes of it.
            unsafe {
                let from = src.add(32 * k * size_of::<A::Stored>());
                S::step(isa, from, core::ptr::from_mut(code).cast());
            }
            if matches!(B::DTYPE.kind(), Kind::Int) {
                *code = isa.and(*code, bits);
            }
        }
        // SAFETY: the caller's: a group.
        unsafe { isa.squeeze::<OUT>(codes, dst) }
    }
}

/// From float16 or bfloat16 to small floats of `OUT` bits.
///
/// The constants are more than there are registers for. Those that the compiler knows it makes again wherever it is out
/// of registers, by instructions of their own; of these it does not know what they are, so it reads them from memory where
/// they are used.
struct PacksWords<A, B, const OUT: usize>(PhantomData<(A, B)>);

impl<A: Real, B: Real, const OUT: usize> Step for PacksWords<A, B, OUT> {
    const IN: usize = 16;
    const OUT: usize = OUT;
    const LEN: usize = GROUP;
    const OF: Option<(DType, DType)> = Some((A::DTYPE, B::DTYPE));
    type Tables = Constants;

    #[inline(always)]
    fn tables(isa: Avx2, _: &Params) -> Constants {
        black_box(Constants::of::<A, B, NEAREST>(isa))
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, by: Constants, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: a group.
        unsafe {
            let codes = [
                isa.small_of_words::<A, B, NEAREST>(&by, src),
                isa.small_of_words::<A, B, NEAREST>(&by, src.add(64)),
                isa.small_of_words::<A, B, NEAREST>(&by, src.add(128)),
                isa.small_of_words::<A, B, NEAREST>(&by, src.add(192)),
            ];
            isa.squeeze::<OUT>(codes, dst)
        }
    }
}

/// By `S`, a step from `A` to `B`, from `A` packed in `IN` bits.
struct Unpacks<S, A, B, const IN: usize>(PhantomData<(S, A, B)>);

impl<S, A, B, const IN: usize> Step for Unpacks<S, A, B, IN>
where
    S: direct::Step<A, B>,
    A: Real,
    B: Real,
{
    const IN: usize = IN;
    const OUT: usize = B::DTYPE.bits();
    const LEN: usize = GROUP;
    const WRITES_TURNED: bool = S::WRITES_TURNED;
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        const { assert!(S::LEN == 32 && A::DTYPE.significant_bits() == IN) };
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: a quarter of the group; a vector holds what is cast.
            unsafe {
                let codes = isa.spread::<IN>(src.add(4 * IN * k));
                let to = dst.add(32 * k * size_of::<B::Stored>());
                S::step(isa, core::ptr::from_ref(&codes).cast(), to);
            }
            k += 1;
        }
    }
}

/// From 4 bits to float32, by a look-up of the bytes of bfloat16s.
struct FoursToFloat32;

impl Step for FoursToFloat32 {
    const IN: usize = 4;
    const OUT: usize = 32;
    const LEN: usize = GROUP;

    /// The low bytes and the high ones.
    type Tables = [__m256i; 2];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 2] {
        let mut bytes = [[0; 32]; 2];
        for (i, brain) in words_in(params.from, DType::BFloat16).iter().enumerate() {
            let [low, high] = brain.to_le_bytes();
            (bytes[0][i], bytes[0][i + 16]) = (low, low);
            (bytes[1][i], bytes[1][i + 16]) = (high, high);
        }
        [isa.constant(&bytes[0]), isa.constant(&bytes[1])]
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [low, high]: [__m256i; 2], src: *const u8, dst: *mut u8) {
        // A byte with two elements in a word, those of dwords 0, 2, 4 and 6 of the elements in the lower lane.
        const WORDS: [u8; 32] = [
            0, 128, 1, 128, 4, 128, 5, 128, 8, 128, 9, 128, 12, 128, 13, 128, //
            2, 128, 3, 128, 6, 128, 7, 128, 10, 128, 11, 128, 14, 128, 15, 128,
        ];
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 64 bytes are read and 512 written.
            unsafe {
                let bytes = isa.twice(isa.loadx(src.add(16 * k)));
                let words = isa.shuffle8(bytes, isa.constant(&WORDS));
                let at = isa.and(isa.or(words, isa.shl16::<4>(words)), isa.all8(15));
                let (low, high) = (isa.shuffle8(low, at), isa.shuffle8(high, at));
                isa.store_brains(low, high, dst.add(128 * k));
            }
            k += 1;
        }
    }
}

macro_rules! set_unpacking {
    ($pairs:ident ($step:ty) $to:ident [$($packed:ident $of:ident $bits:literal)*]) => {$(
        $pairs.set(DType::$packed, DType::$to, Entry {
            kernel: stepped::<Unpacks<$step, mark::$of, mark::$to, $bits>, MODE>,
            road: Road::Direct,
        });
    )*};
}

macro_rules! set {
    ($pairs:ident $step:ident [$($from:ident)*] $to:tt) => {$(
        set!(@row $pairs $step $from $to);
    )*};
    (@row $pairs:ident $step:ident $from:ident [$($packed:ident $of:ident $bits:literal)*]) => {$(
        $pairs.set(DType::$from, DType::$packed, Entry {
            kernel: stepped::<Packs<$step, mark::$from, mark::$of, $bits>, MODE>,
            road: Road::Direct,
        });
    )*};
}

macro_rules! set_words {
    ($pairs:ident [$($from:ident)*] $to:tt) => {$(
        set_words!(@row $pairs $from $to);
    )*};
    (@row $pairs:ident $from:ident [$($packed:ident $of:ident $bits:literal)*]) => {$(
        $pairs.set(DType::$from, DType::$packed, Entry {
            kernel: stepped::<PacksWords<mark::$from, mark::$of, $bits>, MODE>,
            road: Road::Direct,
        });
    )*};
}

/// The steps of sources that are not turned.
type ClampBytes = ClampToSmall<false>;
type MapBytes = ByteMap<BY_DEFAULT>;
type CutFloats = FloatToByte<CUT>;
type CutBrains = BrainToByte<CUT>;
type CutWords = WordsToInt<CUT>;
type CutDoubles = Float64ToByte<CUT>;
type EncodeFloats = EncodeSmall<false, true, true>;

/// Sets the kernels of the pairs that have one.
pub(in crate::avx2) const fn with_packs<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    set!(pairs MapBytes
    [
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float8E8M0Fnu
    ]
    [
        Int4x2 Int4 4 UInt4x2 UInt4 4 Int2x4 Int2 2 UInt2x4 UInt2 2
        Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6
    ]);
    set!(pairs MapBytes [Float8E8M0Fnu] [Int1x8 Int1 1]);
    set!(pairs MapBytes [Int8]
        [Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6]);
    set!(pairs ClampBytes [UInt8 Int16 UInt16]
        [Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6]);
    set_words!(pairs [Float16 BFloat16]
        [Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6]);
    set!(pairs EncodeFloats [Float32 Float64]
        [Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6]);
    set!(pairs CutWords [Float16 BFloat16]
        [Int4x2 Int4 4 Int2x4 Int2 2 UInt2x4 UInt2 2]);
    set!(pairs CutFloats [Float16] [UInt4x2 UInt4 4]);
    if MODE == stepwise::FITTING {
        set!(pairs FittingToByte [Float32]
            [Int4x2 Int4 4 UInt4x2 UInt4 4 Int2x4 Int2 2 UInt2x4 UInt2 2]);
    } else {
        set!(pairs FloatToBits [Float32]
            [Int4x2 Int4 4 UInt4x2 UInt4 4 Int2x4 Int2 2 UInt2x4 UInt2 2]);
    }
    set!(pairs CutBrains [BFloat16] [UInt4x2 UInt4 4]);
    set!(pairs CutDoubles [Float64]
        [Int4x2 Int4 4 UInt4x2 UInt4 4 Int2x4 Int2 2 UInt2x4 UInt2 2 Int1x8 Int1 1 UInt1x8 UInt1 1]);
    let fours = Entry { kernel: stepped::<FoursToFloat32, MODE>, road: Road::Table };
    pairs.set(DType::Int4x2, DType::Float32, fours);
    pairs.set(DType::UInt4x2, DType::Float32, fours);
    pairs.set(DType::Float4E2M1FnX2, DType::Float32, fours);
    set_unpacking!(pairs (SmallToFloat64<MODE>) Float64 [
        Int4x2 Int4 4 UInt4x2 UInt4 4
        Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6
    ]);
    pairs
}

macro_rules! packs_by {
    ($step:ty: $pair:expr; $from:tt $to:tt) => {
        packs_by!(@rows $step; $pair; $from $to)
    };
    (@rows $step:ty; $pair:expr; [$($from:ident)*] $to:tt) => {{
        $(packs_by!(@row $step; $pair; $from $to);)*
    }};
    (@row $step:ty; $pair:expr; $from:ident [$($packed:ident $of:ident $bits:literal)*]) => {$(
        if let (DType::$from, DType::$packed) = $pair {
            type Steps<S> = Packs<S, mark::$from, mark::$of, $bits>;
            return Some(stepped::<Steps<$step>, { stepwise::NONE }>);
        }
    )*};
}

/// The kernel of a pair from a small float to packed integers, in such a way.
fn packs_by<const HOW: u8>(from: DType, to: DType) -> Option<Kernel> {
    packs_by!(ByteMap<HOW>: (from, to);
    [
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float8E8M0Fnu
    ]
    [Int4x2 Int4 4 UInt4x2 UInt4 4 Int2x4 Int2 2 UInt2x4 UInt2 2]);
    None
}

/// The same to packed floats.
fn packs_small<const HOW: u8>(from: DType, to: DType) -> Option<Kernel> {
    packs_by!(ByteMap<HOW>: (from, to);
    [
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float8E8M0Fnu
    ]
    [Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6]);
    None
}

/// The same from integers of a byte to packed floats; those without a sign may go another way.
fn packs_floats<const HOW: u8, const OF_POSITIVE: u8>(from: DType, to: DType) -> Option<Kernel> {
    packs_by!(ClampedBy<HOW>: (from, to);
    [Int8]
    [Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6]);
    packs_by!(ClampedBy<OF_POSITIVE>: (from, to);
    [UInt8]
    [Float4E2M1FnX2 Float4E2M1Fn 4 Float6E2M3FnX4 Float6E2M3Fn 6 Float6E3M2FnX4 Float6E3M2Fn 6]);
    None
}

/// The same from small floats to their low bits, which are the same with a sign and without one.
fn packs_low_bits(from: DType, to: DType) -> Option<Kernel> {
    packs_by!(ByteMap<LOW_BITS>: (from, to);
    [
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float8E8M0Fnu
    ]
    [
        Int4x2 UInt4 4 UInt4x2 UInt4 4 Int2x4 UInt2 2 UInt2x4 UInt2 2 Int1x8 UInt1 1 UInt1x8 UInt1 1
    ]);
    None
}

/// The same from integers that are clamped.
fn packs_clamped(from: DType, to: DType) -> Option<Kernel> {
    packs_by!(ClampByte: (from, to);
    [Int8 UInt8] [Int4x2 Int4 4 UInt4x2 UInt4 4 Int2x4 Int2 2 UInt2x4 UInt2 2]);
    None
}

/// The kernel of a pair of real dtypes under options, if there is one.
pub(in crate::avx2) fn under_options(params: &Params) -> Option<Kernel> {
    const UP: u8 = Mode::Up as u8;
    const DOWN: u8 = Mode::Down as u8;
    const EVEN: u8 = Mode::NearestEven as u8;
    const AWAY: u8 = Mode::NearestAway as u8;
    let (from, to) = (params.from, params.to);
    match (params.options.overflow, params.options.rounding) {
        (Overflow::Wrap, Rounding::Default) => packs_low_bits(from, to),
        (Overflow::Saturate, Rounding::Default) => packs_clamped(from, to),
        (Overflow::Wrap | Overflow::Error, _) => None,
        (_, Rounding::TowardZero) => {
            packs_floats::<CUT, CUT>(from, to).or_else(|| packs_small::<CUT>(from, to))
        }
        (_, Rounding::Up) if matches!(to.kind(), Kind::Float) => {
            packs_floats::<UP, FROM_ZERO>(from, to).or_else(|| packs_small::<UP>(from, to))
        }
        (_, Rounding::Down) if matches!(to.kind(), Kind::Float) => {
            packs_floats::<DOWN, CUT>(from, to).or_else(|| packs_small::<DOWN>(from, to))
        }
        (_, Rounding::NearestAway) if matches!(to.kind(), Kind::Float) => {
            packs_floats::<AWAY, AWAY>(from, to).or_else(|| packs_small::<AWAY>(from, to))
        }
        (_, Rounding::Up) => packs_by::<UP>(from, to),
        (_, Rounding::Down) => packs_by::<DOWN>(from, to),
        (_, Rounding::NearestEven) => packs_by::<EVEN>(from, to),
        (_, Rounding::NearestAway) => packs_by::<AWAY>(from, to),
        _ => None,
    }
}
