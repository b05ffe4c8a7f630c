//! What has a better way than decoder, bridge and encoder: a byte to one or two by tables, integers of 8
//! and 16 bits to each other, and whether these are zero.

use super::lanes::{both, load, low_bytes, store, words_of_bytes, words_of_signed_bytes};
use super::ops::*;
use super::{Fuses, fused, in_order, tables};
use crate::dtypes::{DType, Kind, Real};
use crate::scalar::{Scalar, direct as portable};
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, Road};

/// A step of a direct kernel, of 16 elements.
trait Step<A: Real, B: Real> {
    /// Casts a step.
    ///
    /// # Safety
    /// `src` is valid for reading 16 elements of `A` and `dst` for writing 16 of `B`, at any alignment;
    /// they don't overlap.
    unsafe fn step(src: *const u8, dst: *mut u8);
}

const LEN: usize = super::STEP;

/// A pair cast by steps of its own, the last of which overlaps the one before. Less than a step is left
/// to the fused kernel.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn stepped<S, A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    S: Step<A, B>,
    A: Real,
    B: Real,
    super::Neon: Fuses<A, B>,
    Scalar: Fuses<A, B>,
{
    if MODE != stepwise::NONE {
        // SAFETY: the caller's; a step is 16 elements.
        return unsafe {
            in_order::<A, B, MODE>(src, dst, n, params, |src, dst| S::step(src, dst))
        };
    }
    if n < LEN {
        // SAFETY: the caller's.
        return unsafe { fused::<A, B, { stepwise::NONE }>(src, dst, n, params) };
    }
    let last = n - LEN;
    let mut i = 0;
    loop {
        // SAFETY: the caller's: `i <= last`, so a step is left in both buffers. Casting elements a second
        // time reads what it read before, since nothing is written to the source.
        unsafe {
            let from = src.add(i * size_of::<A::Stored>());
            S::step(from, dst.add(i * size_of::<B::Stored>()));
        }
        i += LEN;
        if i > last {
            if i == n {
                return n;
            }
            i = last;
        }
    }
}

/// The kernel of a pair of real dtypes for which the hubs are the longer way.
pub(super) const fn entry<A, B, const MODE: usize>() -> Option<Entry>
where
    A: Real,
    B: Real,
    super::Neon: Fuses<A, B>,
    Scalar: Fuses<A, B>,
{
    let (from, to) = (A::DTYPE, B::DTYPE);
    if portable::is_copy(from, to) {
        return Some(Entry { kernel: portable::copy, road: Road::Copy });
    }
    let (kernel, road): (Kernel, Road) = match (from.bits(), to.bits()) {
        (16, 8) if matches!(to, DType::Bool) => (stepped::<Truths, A, B, MODE>, Road::Direct),
        (8, 8) if matches!(to, DType::Bool) && is_whole(from) => {
            (stepped::<Truths, A, B, MODE>, Road::Direct)
        }
        (8, 8) => (stepped::<ByteToByte, A, B, MODE>, Road::Table),
        (8, 16) if is_whole(from) && is_whole(to) => (stepped::<Widen, A, B, MODE>, Road::Direct),
        (8, 16) if !is_whole(from) => (stepped::<ByteToWord, A, B, MODE>, Road::Table),
        (16, 8) if is_whole(from) && is_whole(to) => (stepped::<Narrow, A, B, MODE>, Road::Direct),
        _ => return None,
    };
    Some(Entry { kernel, road })
}

/// Whether a dtype is an integer of whole bytes.
const fn is_whole(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Int | Kind::UInt) && dtype.significant_bits() >= 8
}

struct ByteToByte;

impl<A: Real, B: Real> Step<A, B> for ByteToByte {
    #[inline(always)]
    unsafe fn step(src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: a register each.
        unsafe { store(dst, tables::bytes::<A, B>(load(src))) }
    }
}

struct ByteToWord;

impl<A: Real, B: Real> Step<A, B> for ByteToWord {
    #[inline(always)]
    unsafe fn step(src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: a register, and two.
        unsafe { store(dst, tables::words::<A, B>(load(src))) }
    }
}

/// Integers of 8 bits to those of 16.
struct Widen;

impl<A: Real, B: Real> Step<A, B> for Widen {
    #[inline(always)]
    unsafe fn step(src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: a register, and two.
        unsafe {
            match A::DTYPE {
                DType::Int8 => store(dst, words_of_signed_bytes(load(src))),
                _ => store(dst, words_of_bytes(load(src))),
            }
        }
    }
}

/// Integers of 16 bits to those of 8.
struct Narrow;

impl<A: Real, B: Real> Step<A, B> for Narrow {
    #[inline(always)]
    unsafe fn step(src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: two registers, and one.
        unsafe { store::<uint8x16_t>(dst, low_bytes(load(src))) }
    }
}

/// Integers of 8 bits, and all numbers of 16, to bool.
struct Truths;

impl<A: Real, B: Real> Step<A, B> for Truths {
    #[inline(always)]
    unsafe fn step(src: *const u8, dst: *mut u8) {
        let one = vdupq_n_u8(1);
        // SAFETY: the caller's: a register or two, and one.
        unsafe {
            if A::DTYPE.bits() == 8 {
                return store(dst, vminq_u8(load(src), one));
            }
            let magnitude = vdupq_n_u16(if is_whole(A::DTYPE) { 0xffff } else { 0x7fff });
            let truths = both(load::<[uint16x8_t; 2]>(src), |v| vtstq_u16(v, magnitude));
            store(dst, vandq_u8(low_bytes(truths), one));
        }
    }
}
