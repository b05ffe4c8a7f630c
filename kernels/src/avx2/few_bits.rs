//! The lowest bit, two or four of the integers that 8-bit floats are cut to, looked up by both halves of the code at once.
//!
//! These bits are some of the fraction's with its leading one, and the exponent says which. So one look-up, by the code's low
//! half, has bits of the fraction where numbers of some exponent or other have them, and one of a mask by the upper half
//! takes those that numbers of this exponent have. Tables are made from the map, or were found by trial, and are then asked for
//! each code: a format that they do not suit has none.

use super::Avx2;
use super::low_bits::low_bits;
use crate::dtypes::{DType, Kind, Real};
use crate::format::Numbers;
use core::arch::x86_64::__m256i;

/// How the bits are found.
#[derive(Clone, Copy)]
enum Way {
    /// The lowest bit is that of the code which the mask of the upper half leaves.
    OfCode,
    /// Two bits are looked up by the sum of what both halves give.
    BySum,
    /// The same by the bits that both have, of the magnitude.
    ByBoth,
    /// All are those that the mask leaves of what the low half gives; in the upper half of that there may be others.
    ByMask { joins: bool },
}

/// A map of 8-bit floats to so few bits.
#[derive(Clone, Copy)]
pub(super) struct FewBits {
    way: Way,
    /// What is added to codes.
    more: u8,
    /// Where the upper half of codes begins.
    shift: i32,
    low: [u8; 32],
    upper: [u8; 32],
    /// What is looked up by what both halves give.
    found: [u8; 32],
}

/// For floats with three bits of fraction, and 8 as the exponent of 1, what both halves give so that no two sums are the
/// same whose bits are not; and the bits of each sum. (They were found by trial.)
const LOW: [u8; 16] = [145, 150, 34, 66, 45, 77, 38, 54, 52, 39, 40, 47, 137, 46, 37, 42];
const UPPER: [u8; 16] = [96, 103, 98, 96, 233, 248, 203, 104, 101, 96, 99, 96, 225, 48, 203, 99];
const SUMS: [u8; 16] = [2, 2, 3, 3, 0, 2, 1, 3, 2, 2, 1, 1, 0, 2, 3, 1];

/// The same for floats with four bits of fraction, and 3 as the exponent of 1, by what both halves have of each other.
const BOTH_LOW: [u8; 16] = [11, 11, 10, 10, 15, 15, 14, 14, 15, 15, 14, 14, 13, 13, 12, 12];
const BOTH_UPPER: [u8; 16] = [10, 5, 10, 5, 10, 5, 8, 8, 6, 12, 14, 3, 13, 15, 10, 5];
const BOTH: [u8; 16] = [3, 3, 2, 2, 0, 0, 2, 1, 1, 0, 0, 2, 3, 2, 1, 0];

impl FewBits {
    /// One of zeros.
    pub(super) const NOTHING: Self =
        Self { way: Way::OfCode, more: 0, shift: 3, low: [0; 32], upper: [0; 32], found: [0; 32] };

    /// That of the map to the low bits of an integer dtype, if there is one.
    pub(super) const fn of(map: &[u8; 256], from: DType, to: DType) -> Option<Self> {
        let Numbers::Float(format) = from.numbers() else { return None };
        if !format.signed() || format.bits() != 8 || to.significant_bits() > 4 {
            return None;
        }
        let fraction = format.mantissa_mask().count_ones();
        let one = 1 - format.min_exponent();
        let found = match (to.significant_bits(), fraction) {
            (1, 3 | 4) => Self::of_code(map, fraction),
            (2, 3) => Self::by_sum(one, to),
            (2, 4) => Self::NOTHING.with_tables(Way::ByBoth, &BOTH_LOW, &BOTH_UPPER, &BOTH),
            (4, 2 | 3) => Self::by_mask(map, fraction, one),
            // (To one and two bits others have so few codes with any that the map's own look-ups are as short; to four there
            // is no such table.)
            _ => return None,
        };
        let mut code = 0;
        while code < 256 {
            if found.shown(code as u8, to) != map[code] {
                return None;
            }
            code += 1;
        }
        Some(found)
    }

    /// By one bit of the code, of which codes that have the upper half in common have the same.
    const fn of_code(map: &[u8; 256], fraction: u32) -> Self {
        let mut found = Self { shift: fraction as i32, ..Self::NOTHING };
        let mut half = 0;
        while half < 16 {
            // (Not the sign.)
            let mut mask = 0x40;
            while mask > 0 && !is_told_by(map, found.shift, half, mask) {
                mask >>= 1;
            }
            (found.upper[half], found.upper[half + 16]) = (mask, mask);
            half += 1;
        }
        found
    }

    const fn by_sum(one: i32, to: DType) -> Self {
        let mut numbers = SUMS;
        let mut i = 0;
        while i < 16 {
            numbers[i] = low_bits(SUMS[i], to);
            i += 1;
        }
        let more = (8 * (8 - one)) as u8;
        Self { more, shift: 4, ..Self::NOTHING.with_tables(Way::BySum, &LOW, &UPPER, &numbers) }
    }

    /// The same with tables of two bits.
    const fn with_tables(
        mut self,
        way: Way,
        low: &[u8; 16],
        upper: &[u8; 16],
        found: &[u8; 16],
    ) -> Self {
        let mut i = 0;
        while i < 32 {
            (self.low[i], self.upper[i], self.found[i]) =
                (low[i % 16], upper[i % 16], found[i % 16]);
            i += 1;
        }
        Self { way, ..self }
    }

    const fn by_mask(map: &[u8; 256], fraction: u32, one: i32) -> Self {
        // Where numbers from 1 on, from 2 on, and so on have their bits. The low half of codes has one bit of the exponent, or
        // two, so that the look-up tells every second one, or every fourth, from the others, which may use the same places.
        let places: &[u8] = match fraction {
            3 => &[0x01, 0x03, 0x70, 0xf0, 0x0e, 0x0c, 0x80],
            _ => &[0x01, 0x03, 0x07, 0x0e, 0x0c, 0x08],
        };
        let way = Way::ByMask { joins: fraction == 3 };
        let mut found = Self { way, ..Self::NOTHING };
        let mut code = (one as usize) << fraction;
        while code < 128 {
            let above_one = (code >> fraction) - one as usize;
            if above_one < places.len() {
                let (place, bits) = (places[above_one], map[code] & 15);
                let bits = (if place > 0x0f { bits << 4 } else { bits }) & place;
                let (low, upper) = (code % 16, code >> found.shift);
                found.low[low] |= bits;
                found.low[low + 16] |= bits;
                found.upper[upper] |= place;
                found.upper[upper + 16] |= place;
            }
            code += 1;
        }
        found
    }

    /// What a code is mapped to.
    const fn shown(&self, code: u8, to: DType) -> u8 {
        let at = code.wrapping_add(self.more);
        let upper = self.upper[(at >> self.shift & 15) as usize];
        let low = self.low[(at & 15) as usize];
        let number = match self.way {
            Way::OfCode => (code & upper != 0) as u8,
            Way::BySum => match low.wrapping_add(upper) {
                sum @ 0..0x80 => return self.found[sum as usize % 16],
                _ => 0,
            },
            Way::ByBoth => self.found[(low & upper) as usize % 16],
            Way::ByMask { joins: true } => low & upper | (low & upper) >> 4,
            Way::ByMask { joins: false } => low & upper,
        };
        let number = if code < 0x80 { number } else { 0u8.wrapping_sub(number) };
        low_bits(number & u8::MAX >> (8 - to.significant_bits()), to)
    }

    /// About how many instructions it takes.
    pub(super) const fn work(&self) -> usize {
        match self.way {
            Way::OfCode => 5,
            Way::BySum => 7 + (self.more != 0) as usize,
            Way::ByBoth => 9,
            Way::ByMask { joins } => 8 + 2 * joins as usize,
        }
    }
}

/// Whether the lowest bit of what codes are mapped to that have this upper half is what the mask leaves of them.
const fn is_told_by(map: &[u8; 256], shift: i32, half: usize, mask: u8) -> bool {
    let mut code = 0;
    while code < 256 {
        let is_one = code as u8 & mask != 0;
        if code >> shift & 15 == half && is_one != (map[code] & 1 == 1) {
            return false;
        }
        code += 1;
    }
    true
}

/// A map to few bits.
pub(super) trait OfFewBits {
    const FEW_BITS: FewBits;
}

impl Avx2 {
    /// The integers that codes are mapped to.
    #[inline(always)]
    pub(super) fn few_bits<M: OfFewBits, B: Real>(self, bytes: __m256i) -> __m256i {
        let by = const { &M::FEW_BITS };
        let codes = match by.more {
            0 => bytes,
            more => self.add8(bytes, self.all8(more as i8)),
        };
        let moved = if by.shift == 3 { self.shr16::<3>(codes) } else { self.shr16::<4>(codes) };
        let halves = self.all8(15);
        let upper = self.shuffle8(self.constant(&by.upper), self.and(moved, halves));
        if let Way::OfCode = by.way {
            // (What is left of the code is not its sign, so that it is not negative.)
            let bit = self.and(bytes, upper);
            return match const { B::DTYPE.kind() } {
                Kind::Int => self.gt8(bit, self.zero()),
                _ => self.sign8(self.all8(1), bit),
            };
        }
        let low = self.shuffle8(self.constant(&by.low), self.and(codes, halves));
        let bits = match by.way {
            Way::BySum => return self.shuffle8(self.constant(&by.found), self.add8(low, upper)),
            Way::ByBoth => self.shuffle8(self.constant(&by.found), self.and(low, upper)),
            Way::ByMask { joins: true } => {
                let bits = self.and(low, upper);
                self.or(bits, self.shr16::<4>(bits))
            }
            _ => self.and(low, upper),
        };
        self.low_bits_with_sign::<B>(bits, bytes)
    }
}
