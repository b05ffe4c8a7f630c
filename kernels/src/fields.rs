//! Integers that become others of as many bits: codes that fit stay what they are, and others are clamped where they lie, if
//! they are packed, eight bytes of them at once.

use crate::codec::Isa;
use crate::dtypes::Kind;
use crate::options::Overflow;
use crate::scalar::direct::is_packed_copy;
use crate::shape::{Asked, Tells, elements};
use crate::table::{Kernel, Params};

/// Copies integers of so many bits, packed or of whole bytes, as long as they fit, as [`stepwise`](crate::stepwise) has it.
///
/// # Safety
/// As there; the CPU has the instruction set.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has an instruction set with such kernels.
pub(crate) unsafe fn copy_fitting<I: Isa, const BITS: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    /// The words of a block, after which it is asked whether one had a bit that it may not have.
    const BLOCK: usize = 512;
    // (Such integers fit if they are below a power of two: of those of more than a byte if their highest bit is 0.)
    let unfit = if BITS > 8 {
        params.plan().screen().map(|_| (u64::MAX / (u64::MAX >> (64 - BITS))) << (BITS - 1))
    } else {
        match params.plan().tops().map(|tops| tops.asked(Tells::Any, BITS)) {
            Some(Asked::Set(unfit)) => Some(u64::from_ne_bytes([unfit; 8])),
            _ => None,
        }
    };
    let Some(unfit) = unfit else { return 0 };
    // SAFETY: the caller's; elements as bytes have no alignment, and so many words are whole elements of the `n`.
    let (words, results) = unsafe { elements::<8, 8>(src, dst, n / (64 / BITS)) };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || {
            let mut done = 0;
            for (words, results) in words.chunks(BLOCK).zip(results.chunks_mut(BLOCK)) {
                let mut any = 0;
                for (word, result) in words.iter().zip(results) {
                    any |= u64::from_ne_bytes(*word);
                    result.write(*word);
                }
                if any & unfit != 0 {
                    break;
                }
                done += words.len();
            }
            done * (64 / BITS)
        },
    )
}

/// The kernel of a pair under options if these clamp integers of as many bits, more than one.
pub(crate) fn clamping<I: Isa>(params: &Params) -> Option<Kernel> {
    let (from, to) = (params.from, params.to);
    if !matches!(params.options.overflow, Overflow::Saturate) || !is_packed_copy(from, to) {
        return None;
    }
    Some(match (from.kind(), from.bits()) {
        (Kind::Int, 2) => clamp::<I, 2, true>,
        (Kind::Int, 4) => clamp::<I, 4, true>,
        (Kind::UInt, 2) => clamp::<I, 2, false>,
        (Kind::UInt, 4) => clamp::<I, 4, false>,
        _ => return None,
    })
}

/// Integers with a sign to such without, or the other way round.
///
/// # Safety
/// As for every [`Kernel`]; the CPU has the instruction set.
unsafe fn clamp<I: Isa, const BITS: usize, const SIGNED: bool>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    const { assert!(BITS == 2 || BITS == 4) };
    // In this order nothing overflows: 64 elements are whole words.
    let (whole, rest) = (n / 64 * BITS, n % 64 * BITS);
    // SAFETY: the caller's; elements as bytes have no alignment. Of what is less than 64 elements, and at most 32 bytes, those
    // are read and written that have elements.
    unsafe {
        let (words, results) = elements::<8, 8>(src, dst, whole);
        I::summon().vectorize(
            #[inline(always)]
            move || {
                for (word, result) in words.iter().zip(results) {
                    let word = u64::from_ne_bytes(*word);
                    result.write(clamped::<BITS, SIGNED>(word).to_ne_bytes());
                }
            },
        );
        let (src, dst, mut last) = (src.add(8 * whole), dst.add(8 * whole), [0; 32]);
        src.copy_to_nonoverlapping(last.as_mut_ptr(), rest.div_ceil(8));
        for word in last.as_chunks_mut().0 {
            *word = clamped::<BITS, SIGNED>(u64::from_ne_bytes(*word)).to_ne_bytes();
        }
        if !rest.is_multiple_of(8) {
            last[rest / 8] &= (1 << (rest % 8)) - 1;
        }
        last.as_ptr().copy_to_nonoverlapping(dst, rest.div_ceil(8));
    }
    n
}

/// The integers in a word, clamped: of negative ones nothing stays, and those that are too large have all bits but the highest.
#[inline(always)]
const fn clamped<const BITS: usize, const SIGNED: bool>(word: u64) -> u64 {
    let lowest = u64::MAX / ((1 << BITS) - 1);
    if BITS == 2 {
        // The one below the highest bit, which is no longer needed.
        let highest = word >> 1;
        return if SIGNED { word & !highest & lowest } else { (word | highest) & lowest };
    }
    // The highest bit of each, and from it those below: no difference of two borrows from the next.
    let highest = word & lowest << (BITS - 1);
    let below = highest - (highest >> (BITS - 1));
    if SIGNED { word & !(highest | below) } else { (word & !highest) | below }
}

#[cfg(test)]
mod tests {
    use super::clamped;

    #[test]
    fn every_field_is_clamped_alone() {
        fn check<const BITS: usize>() {
            let (most, highest) = ((1 << BITS) - 1, 1 << (BITS - 1));
            for code in 0..=most {
                for others in [0, most] {
                    for place in (0..64).step_by(BITS) {
                        let fill = |other: u64, code: u64| {
                            let all = u64::MAX / most * other;
                            all & !(most << place) | code << place
                        };
                        let unsigned = |code: u64| if code < highest { code } else { 0 };
                        let signed = |code: u64| code.min(highest - 1);
                        let word = fill(others, code);
                        let wanted = fill(unsigned(others), unsigned(code));
                        assert_eq!(clamped::<BITS, true>(word), wanted, "{word:#x}");
                        let wanted = fill(signed(others), signed(code));
                        assert_eq!(clamped::<BITS, false>(word), wanted, "{word:#x}");
                    }
                }
            }
        }
        check::<2>();
        check::<4>();
    }
}
