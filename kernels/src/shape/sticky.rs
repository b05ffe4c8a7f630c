//! To the nearest, with ties away from zero, by the kernel that rounds ties to even.
//!
//! Half way between two numbers of a small float there is one of float16 or bfloat16, whose last bit is zero: they have two
//! bits more at least. With that bit set it is no tie any more, but further from zero, and no other number comes to lie on
//! the other side of a tie or to be one. What is next to zero becomes zero in any small float, so zero may have it, too.

use super::elements;
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::format::{Numbers, Specials};

/// Sets the last bits of words that are, without the highest bit, less than the last argument.
///
/// # Safety
/// The pointers are valid for so many words, and don't overlap. The CPU has the instruction set.
pub(crate) type Sticky = unsafe fn(*const u8, *mut u8, usize, u16);

/// The code of a dtype's infinity, below which a bit makes ties of a pair ones no more; None for all other pairs.
pub(super) const fn infinity(from: DType, to: DType) -> Option<u16> {
    let (Numbers::Float(wide), Numbers::Float(small)) = (from.numbers(), to.numbers()) else {
        return None;
    };
    let halves = matches!(from, DType::Float16 | DType::BFloat16);
    let smalls = to.bits() <= 8;
    if !halves || !smalls || matches!(small.specials, Specials::PowersOfTwo) {
        return None;
    }
    assert!(wide.mantissa_bits >= small.mantissa_bits + 2);
    let least = wide.min_exponent() - wide.mantissa_bits as i32;
    assert!(least < small.min_exponent() - small.mantissa_bits as i32 - 1);
    Some(wide.max_finite() as u16 + 1)
}

/// Of all such pairs, the bits are there that the argument needs.
const _: () = {
    let mut i = 0;
    while i < DType::COUNT * DType::COUNT {
        infinity(DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
        i += 1;
    }
};

/// # Safety
/// As for every [`Sticky`].
pub(super) unsafe fn sticky<I: Isa>(src: *const u8, dst: *mut u8, n: usize, infinity: u16) {
    // SAFETY: the caller's; elements as bytes have no alignment.
    let (src, dst) = unsafe { elements::<2, 2>(src, dst, n) };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize_on_lines(
        #[inline(always)]
        move || {
            for (code, out) in src.iter().zip(dst) {
                let code = u16::from_ne_bytes(*code);
                let finite = (code & i16::MAX as u16) < infinity;
                out.write((code | u16::from(finite)).to_ne_bytes());
            }
        },
    );
}
