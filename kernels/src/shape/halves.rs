//! Which half bytes of packed elements are refused, and whether any is: a half byte holds one, two or four of them.
//!
//! Where integers become integers, it is bits that tell. What is not negative, and not too large, has none of its upper
//! bits set; and where a sign stays one, none of the upper bits that are left is another than the one below it.

use crate::codec::Isa;
use core::slice;

/// What is refused of half bytes.
pub(crate) enum Refused {
    /// Those that have some of the first bits set, or some of the second ones other than the bit below: each for both
    /// halves of a byte.
    Bits([u8; 2]),
    /// Those that are marked.
    Marked([u8; 16]),
}

impl Refused {
    /// Of what is marked in so many bits of one element, or of each element in a half byte.
    pub(crate) fn of(marked: [u8; 16]) -> Self {
        // Bit h of these is set if half byte h has the bit, or another one than the bit below.
        const SET: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];
        const OTHER: [u16; 4] = [0, SET[1] ^ SET[0], SET[2] ^ SET[1], SET[3] ^ SET[2]];
        let all = (0..16).fold(0u16, |all, half| all | u16::from(marked[half] != 0) << half);
        let (mut bits, mut told) = ([0; 2], 0);
        for (bits, codes) in bits.iter_mut().zip([SET, OTHER]) {
            for (bit, codes) in codes.into_iter().enumerate() {
                if codes != 0 && codes & !all == 0 {
                    *bits |= 0x11 << bit;
                    told |= codes;
                }
            }
        }
        if told == all { Self::Bits(bits) } else { Self::Marked(marked) }
    }
}

/// Answers whether any byte has some of the first bits set, or some of the second ones other than the bit below.
///
/// # Safety
/// The pointer is valid for reading so many bytes. The CPU has the instruction set.
pub(crate) type AnyBits = unsafe fn([u8; 2], *const u8, usize) -> bool;

/// # Safety
/// As for [`AnyBits`].
pub(super) unsafe fn any_bits<I: Isa>([set, other]: [u8; 2], src: *const u8, n: usize) -> bool {
    // SAFETY: the caller's.
    let (isa, bytes) = unsafe { (I::summon(), slice::from_raw_parts(src, n)) };
    isa.vectorize(
        #[inline(always)]
        move || {
            let (mut any, mut any_other) = (0, 0);
            if other == 0 {
                for &byte in bytes {
                    any |= byte;
                }
            } else {
                for &byte in bytes {
                    any |= byte;
                    any_other |= byte ^ byte.wrapping_add(byte);
                }
            }
            any & set | any_other & other != 0
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::array;

    /// The bits of a test say of every half byte what its table says.
    fn is_by_bits(refused: impl Fn(u8) -> bool) -> bool {
        let marked = array::from_fn(|half| u8::from(refused(half as u8)));
        let Refused::Bits([set, other]) = Refused::of(marked) else {
            return false;
        };
        for half in 0..16u8 {
            for byte in [half, half << 4] {
                let told = byte & set != 0 || (byte ^ byte.wrapping_add(byte)) & other != 0;
                assert_eq!(told, refused(half), "{half:#x}");
            }
        }
        true
    }

    #[test]
    fn integers_are_told_by_bits() {
        // int4 to uint4, uint4 to int2, and int4 to int2; pairs of int2 to int1.
        assert!(is_by_bits(|half| half >= 8));
        assert!(is_by_bits(|half| half >= 2));
        assert!(is_by_bits(|half| (2..14).contains(&half)));
        assert!(is_by_bits(|half| [half & 3, half >> 2].iter().any(|&two| two == 1 || two == 2)));
        assert!(is_by_bits(|half| half != 0));
        assert!(is_by_bits(|_| false));
    }

    #[test]
    fn other_codes_are_marked() {
        // float4_e2m1fn to int2: from 2 on, and below -2.
        assert!(!is_by_bits(|half| (4..8).contains(&half) || half > 12));
    }
}
