//! The loops of codecs: 64 elements a step, then what is left in quarters, under masks; and those loops in which something
//! more is done with each step.

use super::codes::{self, Plain};
use super::decode::DecodeTurned;
use super::shim::{Bf16, Vbmi};
use super::{Avx512, Quarter};
use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::dtypes::{Real, mark};
use crate::stepwise::{self, InRegisters, Side};
use crate::table::Params;

/// A pair of dtypes that the codecs of an instruction set can cast.
pub(super) trait Fuses<A: Real, B: Real>:
    DecodeTurned<A>
    + Encode<B>
    + Bridge<<Self as Decode<A>>::Hub, <Self as Encode<B>>::Home>
    + Bridge<<Self as DecodeTurned<A>>::Turned, <Self as Encode<B>>::Home>
{
}

impl<I, A: Real, B: Real> Fuses<A, B> for I where
    I: DecodeTurned<A>
        + Encode<B>
        + Bridge<<I as Decode<A>>::Hub, <I as Encode<B>>::Home>
        + Bridge<<I as DecodeTurned<A>>::Turned, <I as Encode<B>>::Home>
{
}

/// A pair whose codecs are fused in one loop.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn fused<A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    A: Real,
    B: Real,
    Avx512: Fuses<A, B>,
    Quarter: Fuses<A, B>,
{
    // SAFETY: the caller's.
    unsafe { steps::<_, A, B, MODE>(Avx512::summon(), src, dst, n, params) }
}

/// The same with VBMI.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512vbmi,avx512vbmi2")]
pub(super) unsafe fn fused_vbmi<A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    A: Real,
    B: Real,
    Vbmi: Fuses<A, B>,
    Quarter: Fuses<A, B>,
{
    // SAFETY: the caller's.
    unsafe { steps::<_, A, B, MODE>(Vbmi::summon(), src, dst, n, params) }
}

/// To bfloat16 with BF16.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512vbmi,avx512vbmi2,avx512bf16")]
pub(super) unsafe fn fused_bf16<A, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    A: Real,
    Bf16: Fuses<A, mark::BFloat16>,
    Quarter: Fuses<A, mark::BFloat16>,
{
    // SAFETY: the caller's.
    unsafe { steps::<_, A, mark::BFloat16, MODE>(Bf16::summon(), src, dst, n, params) }
}

/// Casts `n` elements by the steps of the codecs, as [`in_order`] does.
///
/// # Safety
/// As for [`all_steps`].
#[inline(always)]
unsafe fn steps<I, A, B, const MODE: usize>(
    isa: I,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    A: Real,
    B: Real,
    I: Fuses<A, B> + InRegisters,
    Quarter: Fuses<A, B>,
{
    let sides = const { codes::fused_sides::<Plain<A>, Plain<B>>() };
    // SAFETY: the caller's; a decoder of turned elements is given them as they are, a step at a time.
    unsafe {
        if const { MODE & stepwise::SOURCE != 0 && <I as DecodeTurned<A>>::IS_ONE } {
            let (mode, by) = (MODE & !stepwise::SOURCE, isa.to_dwords());
            return stepwise::whole_steps(
                isa,
                mode,
                sides,
                I::STEP,
                src,
                dst,
                n,
                params,
                #[inline(always)]
                |src, dst| isa.encode(isa.bridge(isa.decode_turned(by, src)), dst),
            );
        }
        in_order::<I, MODE>(
            isa,
            sides,
            src,
            dst,
            n,
            params,
            #[inline(always)]
            |src, dst, n| all_steps::<I, A, B>(isa, src, dst, n),
        )
    }
}

/// Casts `n` elements, or by another mode than none as many whole steps as [`stepwise`] has it, and answers how many.
///
/// # Safety
/// `src` is valid for reading `n` elements of the first side and `dst` for writing `n` of the second, at any alignment;
/// they don't overlap. `cast` casts so many from one place to another.
#[inline(always)]
pub(super) unsafe fn in_order<I: InRegisters, const MODE: usize>(
    isa: I,
    sides: [Side; 2],
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    cast: impl Fn(*const u8, *mut u8, usize),
) -> usize {
    if MODE == stepwise::NONE {
        cast(src, dst, n);
        return n;
    }
    // (Packed elements are stored by whole registers, but for single bits, beside which a test of a few would count.)
    let stores_together = sides[1].bits < 8 && sides[0].bits <= 32;
    let len = match (MODE, sides[0].bits) {
        (stepwise::CODES, 1) => 8 * Avx512::STEP,
        // (Of longer results fewer are as many bytes as a step may have.)
        (stepwise::CODES, _) if sides[1].bits > 32 => 2 * Avx512::STEP,
        (stepwise::CODES, _) => 4 * Avx512::STEP,
        (stepwise::FITTING, _) if stores_together => 4 * Avx512::STEP,
        _ => Avx512::STEP,
    };
    // SAFETY: the caller's; a step is whole registers of elements of two bytes and more, and of codes that are tested, but
    // for those of 6 bits.
    unsafe {
        stepwise::whole_steps(
            isa,
            MODE,
            sides,
            len,
            src,
            dst,
            n,
            params,
            #[inline(always)]
            |src, dst| cast(src, dst, len),
        )
    }
}

/// Casts `n` elements: whole steps, then quarters under masks.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`, at any
/// alignment; the two don't overlap.
#[inline(always)]
unsafe fn all_steps<I, A, B>(isa: I, src: *const u8, dst: *mut u8, n: usize)
where
    A: Real,
    B: Real,
    I: Fuses<A, B>,
    Quarter: Fuses<A, B>,
{
    const PART: usize = Quarter::STEP;
    let mut i = 0;
    // SAFETY: element `i` is inside both buffers while `i < n`, a whole step while `i + STEP <= n`;
    // a part has as many elements as are left. Quarters need no more of the CPU than any `I`.
    unsafe {
        let quarter = Quarter::summon();
        while i < n - n % I::STEP {
            let hub = Decode::<A>::decode(isa, src.add(i * size_of::<A::Stored>()));
            let to = dst.add(i * size_of::<B::Stored>());
            Encode::<B>::encode(isa, isa.bridge(hub), to);
            i += I::STEP;
        }
        while i < n {
            let part = PART.min(n - i);
            let from = src.add(i * size_of::<A::Stored>());
            let hub = Decode::<A>::decode_part(quarter, from, part);
            let to = dst.add(i * size_of::<B::Stored>());
            Encode::<B>::encode_part(quarter, quarter.bridge(hub), to, part);
            i += part;
        }
    }
}
