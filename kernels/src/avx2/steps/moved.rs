//! Maps of small floats that are rounded up, or down, by the look-ups of such that are cut.
//!
//! Numbers are rounded away from zero by what the code before is cut to, and the next one. So it is as long as neighbours are
//! not further apart than that. Where they are, they are numbers of both dtypes, or past the largest. By that the look-ups
//! stay those of magnitudes, where the map itself is another on either side of zero.

use super::maps::sign_bit;
use crate::avx2::Avx2;
use crate::dtypes::{DType, Kind, Real};
use core::arch::x86_64::__m256i;

/// Which numbers are moved to the code before.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    /// Whether it is the negative numbers that are.
    negative: bool,
    /// The first code that is, and how many after the last one are not.
    first: u8,
    others: u8,
}

impl Moved {
    /// Those from the first to the last of one sign that are not rounded by being cut, if there are any.
    pub(super) const fn of(rounded: &[u8; 256], cut: &[u8; 256], negative: bool) -> Option<Self> {
        let sign = if negative { 128 } else { 0 };
        let (mut first, mut end) = (128, 0);
        let mut code = 1;
        while code < 128 {
            if rounded[sign + code] != cut[sign + code] {
                if first > code {
                    first = code;
                }
                end = code + 1;
            }
            code += 1;
        }
        match end {
            0 => None,
            _ => Some(Self { negative, first: first as u8, others: (128 - end) as u8 }),
        }
    }

    /// Whether moving numbers and cutting them rounds them as a table does.
    pub(super) const fn rounds(self, rounded: &[u8; 256], cut: &[u8; 256], to: DType) -> bool {
        let mut code = 0;
        while code < 256 {
            let (magnitude, negative) = (code & 127, code > 127);
            let is_moved = negative == self.negative
                && magnitude >= self.first as usize
                && magnitude + (self.others as usize) < 128;
            let result = match to.kind() {
                _ if !is_moved => cut[code],
                Kind::Int => {
                    let more = cut[magnitude - 1] as i8 as i32 + 1;
                    let least = 1 << (to.significant_bits() - 1);
                    match negative {
                        true => -(if more > least { least } else { more }) as u8,
                        false => (if more > least - 1 { least - 1 } else { more }) as u8,
                    }
                }
                _ => (cut[magnitude - 1] + 1) | if negative { sign_bit(to) } else { 0 },
            };
            if result != rounded[code] {
                return false;
            }
            code += 1;
        }
        true
    }
}

impl Avx2 {
    /// The next of what is looked up for numbers that are moved. (What is past the least integer is not limited by its sign.)
    #[inline(always)]
    pub(super) fn next<B: Real>(self, values: __m256i, moved: __m256i) -> __m256i {
        let next = self.sub8(values, moved);
        match const { (B::DTYPE.kind(), B::DTYPE.significant_bits()) } {
            (Kind::Int, 2) => self.min_u8(next, self.all8(2)),
            (Kind::Int, 4) => self.min_u8(next, self.all8(8)),
            _ => next,
        }
    }

    /// -1 for numbers that are moved, else 0. (Codes after the last of them are made negative, and by that no negative one
    /// becomes more than is added.)
    #[inline(always)]
    pub(super) fn to_be_moved(self, moved: Moved, bytes: __m256i) -> __m256i {
        let bytes = if moved.negative { self.xor(bytes, self.all8(i8::MIN)) } else { bytes };
        let first = self.all8((moved.first + moved.others - 1) as i8);
        match moved.others {
            0 => self.gt8(bytes, first),
            others => self.gt8(self.add8(bytes, self.all8(others as i8)), first),
        }
    }
}
