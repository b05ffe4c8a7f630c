//! What has a better way than decoder, bridge and encoder: loops of longer steps, at full register
//! width on both sides.

use super::bridge::{Brain, Power, Sticky, UP};
use super::choices::one_of;
use super::decode::{F32, F64};
use super::steps::bools::{FromBool, ToBool};
use super::steps::bytes::{
    self, CutSmall, EncodeSmall, FillByte, SlowSubnormals, SmallToAny, SmallToFloat16,
    SmallToFloat64, SmallToInt,
};
use super::steps::cuts::{BrainToInt64, BrainToWord, DoubleToWord, HalfToByte, HalfToWord};
use super::steps::floats::{
    BrainToByte, BrainToFloat32, ByHubs, CUT, CutHalf, CutToBrain, FittingToByte, FittingToWord,
    Float64ToByte, Float64ToFloat32, FloatToBrain, FloatToByte, HalfToBrain, RoundToBrain,
    UpperByteToFloat16,
};
use super::steps::from_powers::{PowerToHalf, PowerToInt};
use super::steps::ints::{ClampToSmall, EncodeWords, NarrowToByte, Widen, WidenHighestFirst};
use super::steps::maps::{self, BY_DEFAULT, ByteMap};
use super::steps::powers::{self, FloatToNextPower, IntToPower, WordsToPower};
use super::steps::turned::{
    self, BrainToFloat64, LongsToWords, TurnedBrains, WidenTurned, WordsToBrain,
};
use super::steps::words::{self, NEAREST, WordsToInt, WordsToSmall};
use super::{Avx2, float16, fused, narrowed, sides_of};
use crate::codec::{Bridge, Decode, Encode, Isa, align_stack, cast_all};
use crate::convert::in_order;
use crate::dtypes::{DType, Kind, Real};
use crate::environment::{self, Guard};
use crate::scalar::{Scalar, direct as portable};
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, Road};

/// A step of a direct kernel.
pub(super) trait Step<A: Real, B: Real> {
    /// The elements of a step.
    const LEN: usize;

    /// The steps in an iteration of the loop: more than one if a step does so little that the loop around it would count,
    /// see [`by_memory`].
    const AT_ONCE: usize = 1;

    /// The same where its source is turned.
    const AT_ONCE_TURNED: usize = Self::AT_ONCE;

    /// Whether its source is turned already when it is in the other byte order.
    const READS_TURNED: bool = false;

    /// Whether its results are turned already.
    const WRITES_TURNED: bool = false;

    /// Of which sides it loads or stores half registers.
    const HALVES: [bool; 2] = [false; 2];

    /// Casts a step.
    ///
    /// # Safety
    /// `src` is valid for reading `LEN` elements of `A` and `dst` for writing `LEN` elements of `B`,
    /// at any alignment; they don't overlap.
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8);
}

/// The steps in an iteration of a loop that does little more than to move memory.
///
/// If a loop begins where a line of code does, which is a matter of luck, an iteration takes Zen 5 four cycles at least. In
/// these it moves four vectors from one place to another, if the caches keep up.
pub(super) const fn by_memory(from: DType, to: DType, len: usize) -> usize {
    if len * (from.bits() + to.bits()) / 8 < 128 { 4 } else { 2 }
}

/// A pair cast by steps of its own, the last of which overlaps the one before. Less than a step is
/// left to the fused kernel.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(super) unsafe fn stepped<S, A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    S: Step<A, B>,
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    if MODE != stepwise::NONE {
        // SAFETY: the caller's.
        return unsafe { more_steps::<S, A, B, MODE>(src, dst, n, params) };
    }
    if n < S::LEN {
        let calculates = n >= Avx2::STEP && const { only_short_ones_calculate(A::DTYPE, B::DTYPE) };
        let guard = if calculates { Guard::All } else { Guard::None };
        // SAFETY: the caller's.
        return unsafe {
            environment::run(guard, fused::<A, B, { stepwise::NONE }>, params, src, dst, n)
        };
    }
    // SAFETY: the caller knows that the CPU has the instruction set of this table.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let (src, dst, n) = in_order(src, dst, n);
            if S::AT_ONCE == 1 {
                align_stack();
            }
            let last = n - S::LEN;
            let mut i = 0;
            while S::AT_ONCE > 1 && i + (S::AT_ONCE - 1) * S::LEN <= last {
                let mut k = 0;
                while k < S::AT_ONCE {
                    // SAFETY: the caller's: so many steps are left in both buffers.
                    unsafe { step_at::<S, A, B>(isa, src, dst, i + k * S::LEN) };
                    k += 1;
                }
                i += S::AT_ONCE * S::LEN;
            }
            if i == n {
                return cast_all(n);
            }
            i = i.min(last);
            loop {
                // SAFETY: the caller's: `i <= last`, so a step is left in both buffers. Casting
                // elements a second time reads what it read before, since nothing is written to the
                // source.
                unsafe { step_at::<S, A, B>(isa, src, dst, i) };
                i += S::LEN;
                if i > last {
                    if i == n {
                        return cast_all(n);
                    }
                    i = last;
                }
            }
        },
    )
}

/// The same of steps that calculate with floats in which the [`environment`] has a say, of a pair that is not guarded: so they
/// look at it. In the machine's order that is done for so many elements that it takes less time than the steps save, and fewer
/// are left to the fused kernel.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn stepped_if_many<S, A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    S: Step<A, B>,
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    const MANY: usize = 192;
    // SAFETY: the caller's.
    unsafe {
        if MODE == stepwise::NONE && n < MANY {
            return fused::<A, B, { stepwise::NONE }>(src, dst, n, params);
        } else if MODE != stepwise::NONE && n < 2 * S::LEN {
            // (Of turned elements whole steps are cast, two at once, and there are none.)
            return 0;
        }
        environment::run_within(stepped::<S, A, B, MODE>, src, dst, n, params)
    }
}

/// Casts as many whole steps, or pairs of those of which an iteration does more than one, as [`stepwise`] has it.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[inline(always)]
pub(super) unsafe fn more_steps<S: Step<A, B>, A: Real, B: Real, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller knows that the CPU has the instruction set of this table.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let read = if S::READS_TURNED { stepwise::SOURCE } else { stepwise::NONE };
            let written = if S::WRITES_TURNED { stepwise::RESULTS } else { stepwise::NONE };
            let sides = MODE & !(read | written);
            let at_once = if MODE & stepwise::SOURCE != 0 { S::AT_ONCE_TURNED } else { S::AT_ONCE };
            let at_once = at_once.min(2);
            // SAFETY: the caller's; a step is whole registers of elements of two bytes or more.
            unsafe {
                stepwise::whole_steps(
                    isa,
                    sides,
                    const { sides_of(A::DTYPE, B::DTYPE, S::HALVES) },
                    at_once * S::LEN,
                    src,
                    dst,
                    n,
                    params,
                    #[inline(always)]
                    |src, dst| {
                        step_at::<S, A, B>(isa, src, dst, 0);
                        if at_once > 1 {
                            step_at::<S, A, B>(isa, src, dst, S::LEN);
                        }
                    },
                )
            }
        },
    )
}

/// Whether the steps look codes up, so that the pair is not guarded, but the fused kernel calculates
/// with floats in which the [`environment`] has a say.
const fn only_short_ones_calculate(from: DType, to: DType) -> bool {
    let to_float = is_float(to) && to.bits() == 8;
    from.bits() == 8 && (to_float || is_float(from) && to.bits() <= 16)
}

/// Casts a step, from element `i` on.
///
/// # Safety
/// As for every kernel; `i + LEN` elements are in both buffers.
#[inline(always)]
unsafe fn step_at<S: Step<A, B>, A: Real, B: Real>(
    isa: Avx2,
    src: *const u8,
    dst: *mut u8,
    i: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        let from = src.add(i * size_of::<A::Stored>());
        S::step(isa, from, dst.add(i * size_of::<B::Stored>()));
    }
}

/// All that the steps need of a hub.
pub(crate) trait Bridges<Hub>:
    Bridge<Hub, Sticky> + Bridge<Hub, Brain> + Bridge<Hub, F32> + Bridge<Hub, F64> + Bridge<Hub, Power>
{
}

impl<Hub> Bridges<Hub> for Avx2 where
    Avx2: Bridge<Hub, Sticky>
        + Bridge<Hub, Brain>
        + Bridge<Hub, F32>
        + Bridge<Hub, F64>
        + Bridge<Hub, Power>
{
}

/// Whether a side is in the other byte order.
const fn turns<const MODE: usize>() -> bool {
    MODE & stepwise::BOTH != 0
}

/// The kernel of a pair of real dtypes for which the hubs are the longer way.
pub(super) const fn entry<A, B, const MODE: usize>() -> Option<Entry>
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: Bridges<<Avx2 as Decode<A>>::Hub> + Bridge<F32, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    let (from, to) = (A::DTYPE, B::DTYPE);
    if portable::is_copy(from, to) {
        return Some(Entry { kernel: portable::copy, road: Road::Copy });
    }
    let (kernel, road): (Kernel, Road) = if is(from, to) {
        (stepped::<FillByte, A, B, MODE>, Road::Direct)
    } else if is(to, DType::Bool) {
        (to_bool::<A, B, MODE>(), Road::Direct)
    } else if is(from, DType::Bool)
        && is_integer(to)
        && to.bits() > 8
        && MODE & stepwise::RESULTS != 0
    {
        (stepped::<WidenHighestFirst, A, B, MODE>, Road::Direct)
    } else if is(from, DType::Bool) {
        match MODE & stepwise::RESULTS {
            stepwise::RESULTS => (stepped::<FromBool<true>, A, B, MODE>, Road::Direct),
            _ => (stepped::<FromBool<false>, A, B, MODE>, Road::Direct),
        }
    } else if is_integer(from) && is_integer(to) {
        match (from.bits(), to.bits()) {
            (8, 8) => (stepped::<FillByte, A, B, MODE>, Road::Direct),
            _ if MODE == stepwise::FITTING && narrowed::suits(from, to) => {
                (narrowed::while_fitting::<A, B>, Road::Direct)
            }
            (_, 8) if MODE & stepwise::SOURCE != 0 => {
                (stepped::<NarrowToByte<true>, A, B, MODE>, Road::Direct)
            }
            (_, 8) => (stepped::<NarrowToByte<false>, A, B, MODE>, Road::Direct),
            (64, 16) => (stepped::<LongsToWords<MODE>, A, B, MODE>, Road::Direct),
            (8, _) if MODE & stepwise::RESULTS != 0 => {
                (stepped::<WidenHighestFirst, A, B, MODE>, Road::Direct)
            }
            _ if turned::widens(from, to) && turns::<MODE>() => {
                (stepped::<WidenTurned<MODE>, A, B, MODE>, Road::Direct)
            }
            (8, _) | (16, 64) => (stepped::<Widen, A, B, MODE>, Road::Direct),
            _ => return None,
        }
    } else if turned::floats::<MODE>(from, to) {
        // (Of these that one alone is guarded.)
        match is(to, DType::Float64) && !is(from, DType::UInt32) {
            true => (stepped_if_many::<WidenTurned<MODE>, A, B, MODE>, Road::Direct),
            false => (stepped::<WidenTurned<MODE>, A, B, MODE>, Road::Direct),
        }
    } else if is(from, DType::BFloat16) && is(to, DType::Float64) && turns::<MODE>() {
        match MODE & stepwise::SOURCE {
            stepwise::NONE => (stepped::<BrainToFloat64<false>, A, B, MODE>, Road::Direct),
            _ => (stepped::<BrainToFloat64<true>, A, B, MODE>, Road::Direct),
        }
    } else if is(from, DType::BFloat16)
        && is_integer(to)
        && to.bits() == 32
        && MODE & stepwise::SOURCE != 0
    {
        (stepped::<TurnedBrains, A, B, MODE>, Road::Direct)
    } else if is_integer(from)
        && from.bits() == 16
        && is(to, DType::BFloat16)
        && MODE & stepwise::SOURCE != 0
    {
        (stepped::<WordsToBrain, A, B, MODE>, Road::Direct)
    } else if is(to, DType::Float8E8M0Fnu) && powers::suits(from) {
        (stepped::<IntToPower<{ UP }, true>, A, B, MODE>, Road::Direct)
    } else if is_whole(from) && !is(from, DType::Int8) && bytes::fits_int8(to) {
        match is_turned_long::<MODE>(from) {
            true => (stepped::<ClampToSmall<true>, A, B, MODE>, Road::Table),
            false => (stepped::<ClampToSmall<false>, A, B, MODE>, Road::Table),
        }
    } else if from.bits() == 8
        && to.bits() == 8
        && maps::work::<A, B, BY_DEFAULT>() <= most_work(from)
    {
        (stepped::<ByteMap<BY_DEFAULT>, A, B, MODE>, Road::Table)
    } else if let Some(kernel) = to_small_float::<A, B, MODE>() {
        (kernel, Road::Direct)
    } else if is_tabled(from) {
        from_small::<A, B, MODE>()
    } else if let Some(kernel) = from_float::<A, B, MODE>() {
        (kernel, Road::Direct)
    } else if is(to, DType::BFloat16) && (from.bits() == 64 || is_integer(from) && from.bits() == 8)
    {
        (stepped::<CutToBrain, A, B, MODE>, Road::Direct)
    } else if is(to, DType::BFloat16) && is_integer(from) {
        (stepped::<RoundToBrain, A, B, MODE>, Road::Direct)
    } else if is(to, DType::Float16) {
        (float16::kernel::<A, B, MODE>(), Road::Direct)
    } else if let (DType::UInt32, DType::Float32) | (DType::Float32, DType::Int32) = (from, to) {
        (stepped::<ByHubs, A, B, MODE>, Road::Direct)
    } else {
        return None;
    };
    Some(Entry { kernel, road })
}

/// Whether the source has 64-bit integers in the other byte order.
const fn is_turned_long<const MODE: usize>(from: DType) -> bool {
    MODE & stepwise::SOURCE != 0 && is_integer(from) && from.bits() == 64
}

/// The kernel of a pair whose destination is bool. (A number is zero in any order; a float whose sign is not looked at.)
const fn to_bool<A, B, const MODE: usize>() -> Kernel
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    if MODE & stepwise::SOURCE != 0 {
        stepped::<ToBool<true>, A, B, MODE>
    } else {
        stepped::<ToBool<false>, A, B, MODE>
    }
}

/// The kernel of a pair whose destination is a small float, if there is one.
const fn to_small_float<A, B, const MODE: usize>() -> Option<Kernel>
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: Bridges<<Avx2 as Decode<A>>::Hub>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    let (from, to) = (A::DTYPE, B::DTYPE);
    if !is_float(to) || to.bits() != 8 {
        return None;
    }
    if is(to, DType::Float8E8M0Fnu) {
        return match from {
            DType::Float16 | DType::BFloat16 => {
                Some(stepped::<WordsToPower<{ UP }, true>, A, B, MODE>)
            }
            DType::Float32 | DType::Float64 => Some(stepped::<FloatToNextPower<true>, A, B, MODE>),
            _ => None,
        };
    }
    Some(if words::suits(from, to) {
        stepped::<WordsToSmall<true>, A, B, MODE>
    } else if is_integer(from) && from.bits() == 16 {
        stepped::<EncodeWords<true>, A, B, MODE>
    } else if is_turned_long::<MODE>(from) {
        stepped::<EncodeSmall<true, true, false>, A, B, MODE>
    } else if is_float(from) {
        type By<const SUMS: bool> = EncodeSmall<false, true, SUMS>;
        one_of::<SlowSubnormals, By<true>, By<false>, By<false>, A, B, MODE>
    } else {
        stepped::<EncodeSmall<false, true, false>, A, B, MODE>
    })
}

/// The kernel of a pair whose source's numbers are in short tables, to what is wider than a byte.
const fn from_small<A, B, const MODE: usize>() -> (Kernel, Road)
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: Bridge<F32, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    let (from, to) = (A::DTYPE, B::DTYPE);
    match (is_float(to), to.bits()) {
        (true, 16) => match (from, to) {
            (DType::Float8E8M0Fnu, DType::Float16) => {
                (stepped::<PowerToHalf<NEAREST>, A, B, MODE>, Road::Direct)
            }
            (DType::Float8E5M2, DType::Float16) => {
                (stepped::<UpperByteToFloat16, A, B, MODE>, Road::Direct)
            }
            _ => (stepped::<SmallToFloat16<MODE>, A, B, MODE>, Road::Table),
        },
        (true, 64) => (stepped::<SmallToFloat64<MODE>, A, B, MODE>, Road::Table),
        (false, _) if is(from, DType::Float8E8M0Fnu) => {
            (stepped::<PowerToInt<false>, A, B, MODE>, Road::Direct)
        }
        (false, _) if bytes::fits_a_byte(from) && MODE & stepwise::RESULTS != 0 => {
            (stepped::<WidenHighestFirst, A, B, MODE>, Road::Direct)
        }
        (false, _) if bytes::fits_a_byte(from) => (stepped::<SmallToInt, A, B, MODE>, Road::Direct),
        (false, _) => (stepped::<CutSmall<CUT>, A, B, MODE>, Road::Direct),
        _ => (stepped::<SmallToAny, A, B, MODE>, Road::Direct),
    }
}

/// The kernel of a pair whose source is a float of 16 bits or more, if there is one.
const fn from_float<A, B, const MODE: usize>() -> Option<Kernel>
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: Bridges<<Avx2 as Decode<A>>::Hub>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    let (from, to) = (A::DTYPE, B::DTYPE);
    Some(match (from, to) {
        _ if words::suits_int(from, to) => stepped::<WordsToInt<CUT>, A, B, MODE>,
        (DType::BFloat16, _) if is_integer(to) && to.bits() == 8 => {
            stepped::<BrainToByte<CUT>, A, B, MODE>
        }
        (DType::BFloat16, DType::Int16 | DType::UInt16) => stepped::<BrainToWord<CUT>, A, B, MODE>,
        (DType::BFloat16, DType::Int64) => stepped::<BrainToInt64, A, B, MODE>,
        (DType::Float16, DType::Int8 | DType::UInt8) => stepped::<HalfToByte, A, B, MODE>,
        (DType::Float16, DType::Int16 | DType::UInt16) => stepped::<HalfToWord, A, B, MODE>,
        (DType::Float64, DType::Int8 | DType::UInt8 | DType::Int16 | DType::UInt16) => {
            stepped::<DoubleToWord, A, B, MODE>
        }
        (DType::Float64, _) if is_integer(to) && to.bits() == 8 => {
            stepped::<Float64ToByte<CUT>, A, B, MODE>
        }
        (DType::Float32, _) if MODE == stepwise::FITTING && is_integer(to) && to.bits() == 8 => {
            stepped::<FittingToByte, A, B, MODE>
        }
        (DType::Float32, DType::Int16 | DType::UInt16) if MODE == stepwise::FITTING => {
            stepped::<FittingToWord, A, B, MODE>
        }
        _ if is_float(from) && is_integer(to) && to.bits() == 8 => {
            stepped::<FloatToByte<CUT>, A, B, MODE>
        }
        (DType::Float16, DType::UInt32 | DType::Int64 | DType::UInt64) => {
            stepped::<CutHalf<CUT>, A, B, MODE>
        }
        (DType::Float16, DType::BFloat16) => stepped::<HalfToBrain, A, B, MODE>,
        (DType::Float16, DType::Float32) if MODE & stepwise::SOURCE != 0 => {
            type Turned = float16::TurnedToFloat32;
            one_of::<float16::TurnedAhead<MODE>, ByHubs, Turned, Turned, A, B, MODE>
        }
        (DType::Float32, DType::BFloat16) if MODE & stepwise::SOURCE != 0 => {
            stepped::<FloatToBrain<false>, A, B, MODE>
        }
        (DType::Float32, DType::BFloat16) => stepped::<FloatToBrain<true>, A, B, MODE>,
        (DType::BFloat16, DType::Float32) => stepped::<BrainToFloat32, A, B, MODE>,
        (DType::Float64, DType::Float32) => stepped::<Float64ToFloat32, A, B, MODE>,
        _ => return None,
    })
}

/// Up to here a map by look-ups takes less time than the hubs, which are nearer for integers, the more
/// so without signs.
pub(super) const fn most_work(from: DType) -> usize {
    match from.kind() {
        Kind::Float => 75,
        Kind::UInt => 35,
        _ => 39,
    }
}

const fn is(a: DType, b: DType) -> bool {
    a as u8 == b as u8
}

const fn is_float(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Float)
}

const fn is_integer(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Int | Kind::UInt)
}

/// Whether a dtype is an integer of whole bytes.
const fn is_whole(dtype: DType) -> bool {
    is_integer(dtype) && dtype.significant_bits() >= 8
}

/// Whether short tables hold all numbers: floats of at most 8 bits, integers of at most 4.
const fn is_tabled(dtype: DType) -> bool {
    dtype.bits() == 8 && (is_float(dtype) || dtype.significant_bits() <= 4)
}
