//! Maps of small numbers that are rounded up, or down, by the look-ups of such that are cut.
//!
//! Numbers are rounded away from zero by what the code before is cut to, and the next one. So it is as long as neighbours are
//! not further apart than that. Where they are, they are numbers of both dtypes, or past the largest. By that the look-ups
//! stay those of magnitudes, where the map itself is another on either side of zero.

use super::maps::{sign_bit, two_s_complement};
use crate::avx2::Avx2;
use crate::dtypes::{DType, Kind, Real};
use core::arch::x86_64::__m256i;

/// Which numbers are moved to the code before: those of one sign from a magnitude to another.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    negative: bool,
    first: u8,
    last: u8,
}

/// The byte of a number.
const fn code_of(magnitude: u8, negative: bool, from: DType) -> u8 {
    match negative {
        false => magnitude,
        true if two_s_complement(from) => magnitude.wrapping_neg(),
        true => magnitude | 0x80,
    }
}

impl Moved {
    /// Those from the first to the last of one sign that are not rounded by being cut, if there are any.
    pub(super) const fn of(
        rounded: &[u8; 256],
        cut: &[u8; 256],
        negative: bool,
        from: DType,
    ) -> Option<Self> {
        let (mut first, mut last) = (128, 0);
        let mut magnitude = 1;
        while magnitude < 128 {
            let code = code_of(magnitude, negative, from) as usize;
            if rounded[code] != cut[code] {
                if first > magnitude {
                    first = magnitude;
                }
                last = magnitude;
            }
            magnitude += 1;
        }
        match last {
            0 => None,
            _ => Some(Self { negative, first, last }),
        }
    }

    /// Whether moving numbers and cutting them rounds them as a table does.
    pub(super) const fn rounds(
        self,
        rounded: &[u8; 256],
        cut: &[u8; 256],
        from: DType,
        to: DType,
    ) -> bool {
        let mut i = 0;
        while i < 256 {
            let (magnitude, negative) = ((i & 127) as u8, i > 127);
            let code = code_of(magnitude, negative, from) as usize;
            let is_moved =
                negative == self.negative && magnitude >= self.first && magnitude <= self.last;
            let result = match to.kind() {
                _ if !is_moved => cut[code],
                Kind::Int => {
                    let more = cut[magnitude as usize - 1] as i8 as i32 + 1;
                    let least = 1 << (to.significant_bits() - 1);
                    match negative {
                        true => -(if more > least { least } else { more }) as u8,
                        false => (if more > least - 1 { least - 1 } else { more }) as u8,
                    }
                }
                _ => (cut[magnitude as usize - 1] + 1) | if negative { sign_bit(to) } else { 0 },
            };
            if result != rounded[code] {
                return false;
            }
            i += 1;
        }
        // (In two's complement there is one number more.)
        rounded[128] == cut[128] || !two_s_complement(from)
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

    /// -1 for numbers that are moved, else 0. Their bytes follow each other: with something added, going around, they are the
    /// largest bytes with a sign.
    #[inline(always)]
    pub(super) fn to_be_moved<A: Real>(self, moved: Moved, bytes: __m256i) -> __m256i {
        let nearest = code_of(moved.first, moved.negative, A::DTYPE);
        let furthest = code_of(moved.last, moved.negative, A::DTYPE);
        // (In two's complement negative numbers further from zero come first.)
        let (first, last) = (nearest.min(furthest), nearest.max(furthest));
        let before = (i8::MAX as u8 - (last - first)) as i8 - 1;
        let bytes = match (i8::MAX as u8).wrapping_sub(last) {
            0 => bytes,
            more => self.add8(bytes, self.all8(more as i8)),
        };
        self.gt8(bytes, self.all8(before))
    }
}
