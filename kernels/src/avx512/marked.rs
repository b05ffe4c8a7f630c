//! Look-ups of bytes with marks of those that a checked cast refuses: both tables in one loop.
//!
//! What tells of floats with signs is mostly the same for both: then one half of a table is looked up, which takes two of
//! four instructions.

use super::Features;
use super::lanes::first_of_64;
use super::tables::{ByteMap, LookUp, STEP, Shape};
use crate::codec::Isa;
use core::arch::x86_64::*;

/// What `n` bytes become by the first table, and whether any of them is 1 by the second, which has zeros for the others. What
/// becomes of these may be anything.
///
/// # Safety
/// As for [`map_bytes`].
pub(super) unsafe fn map_marked<L: LookUp + Isa>(
    [results, marks]: [&[u8; 256]; 2],
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        let isa = L::summon();
        isa.vectorize(
            #[inline(always)]
            move || {
                let results = results_of_unmarked(results, marks);
                let (marks, alone) = marks_of_both(marks);
                let (tables, buffers) = ([&results.bytes, &marks.bytes], (src, dst, n));
                match (results.shape, alone) {
                    (Shape::Sign, false) => marked_steps(isa, tables, Shape::Sign, false, buffers),
                    (Shape::Low7, false) => marked_steps(isa, tables, Shape::Low7, false, buffers),
                    (_, false) => marked_steps(isa, tables, Shape::Any, false, buffers),
                    (Shape::Sign, _) => marked_steps(isa, tables, Shape::Sign, true, buffers),
                    (Shape::Low7, _) => marked_steps(isa, tables, Shape::Low7, true, buffers),
                    _ => marked_steps(isa, tables, Shape::Any, true, buffers),
                }
            },
        )
    }
}

/// A table as far as bytes are not marked: its lower half tells of both, if there is none with and without bit 7 that
/// become other bytes than that bit makes of each other.
#[inline(always)]
fn results_of_unmarked(results: &[u8; 256], marks: &[u8; 256]) -> ByteMap {
    let (mut sign, mut same) = (0, 0);
    for code in 0..128 {
        let negative = code + 128;
        let differing = results[code] ^ results[negative];
        // All ones if neither is marked.
        let counts = (marks[code] | marks[negative]).wrapping_sub(1);
        sign |= (differing ^ 0x80) & counts;
        same |= differing & counts;
    }
    let (shape, bit) = match (sign, same) {
        (0, _) => (Shape::Sign, 0x80),
        (_, 0) => (Shape::Low7, 0),
        _ => return ByteMap::of_any(*results),
    };
    let mut bytes = *results;
    for code in 0..128 {
        let other = results[code + 128] ^ bit;
        bytes[code] = if marks[code] == 0 { results[code] } else { other };
    }
    ByteMap { bytes, shape }
}

/// The marks of bytes as bit 6, and as bit 7 those that they have with that bit set; and whether any has the first alone.
#[inline(always)]
fn marks_of_both(marks: &[u8; 256]) -> (ByteMap, bool) {
    let (mut bytes, mut alone) = ([0; 256], 0);
    for code in 0..128 {
        bytes[code] = marks[code] << 6 | marks[code + 128] << 7;
        alone |= marks[code] & !marks[code + 128];
    }
    (ByteMap { bytes, shape: Shape::Low7 }, alone != 0)
}

/// The same by tables of results of a known shape, and of marks [of both](marks_of_both), of which some may be alone, or not.
///
/// # Safety
/// As for [`map_marked`].
#[inline(always)]
unsafe fn marked_steps<L: LookUp>(
    isa: L,
    [results, marks]: [&[u8; 256]; 2],
    shape: Shape,
    alone: bool,
    (src, dst, n): (*const u8, *mut u8, usize),
) -> bool {
    // Tables of their own, as in `steps`.
    let results = ByteMap { bytes: *results, shape };
    let marks = ByteMap { bytes: *marks, shape: Shape::Low7 };
    let x = isa.features();
    let mut any = [x.f._mm512_setzero_si512(); 2];
    let mut i = 0;
    // SAFETY: the caller's. Of a register that is not full only what was read is marked.
    unsafe {
        while n - i >= STEP {
            let [a, b] = x.load_qwords(src.add(i));
            x.store_qwords(dst.add(i), [isa.look_up(&results, a), isa.look_up(&results, b)]);
            any = x.with_marks(any, isa.look_up(&marks, a), a, alone);
            any = x.with_marks(any, isa.look_up(&marks, b), b, alone);
            i += STEP;
        }
        while i < n {
            let left = (n - i).min(64);
            let v = x.load_first(src.add(i), left);
            x.store_first(dst.add(i), isa.look_up(&results, v), left);
            let found = x.bw._mm512_maskz_mov_epi8(first_of_64(left), isa.look_up(&marks, v));
            any = x.with_marks(any, found, v, alone);
            i += left;
        }
    }
    let [negative, positive] = any;
    let of_positive = x.bw._mm512_test_epi8_mask(positive, x.byte(0x40));
    x.bw._mm512_movepi8_mask(negative) | of_positive != 0
}

impl Features {
    /// Marks as bit 7 of the first and as bit 6 of the second, with those [of both](marks_of_both) that were found of bytes.
    #[inline(always)]
    fn with_marks(
        self,
        [negative, positive]: [__m512i; 2],
        found: __m512i,
        v: __m512i,
        alone: bool,
    ) -> [__m512i; 2] {
        // any OR (found AND v)
        let negative = self.f._mm512_ternarylogic_epi32::<0xf8>(negative, found, v);
        let positive = match alone {
            // any OR (found AND NOT the bit above)
            true => {
                let halved = self.bw._mm512_srli_epi16::<1>(v);
                self.f._mm512_ternarylogic_epi32::<0xf4>(positive, found, halved)
            }
            false => self.f._mm512_or_si512(positive, found),
        };
        [negative, positive]
    }
}

/// Whether a half byte is marked: see [`MarkedHalves`](crate::shape::MarkedHalves). (What is not read counts as zero.)
///
/// # Safety
/// As for every such loop. The CPU has the token's instruction set.
pub(super) unsafe fn marked_halves<L: LookUp + Isa>(
    marks: &[u8; 16],
    src: *const u8,
    n: usize,
) -> bool {
    // SAFETY: the caller's.
    let isa = unsafe { L::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let x = isa.features();
            let mut table = [0; 64];
            for (i, mark) in table.iter_mut().enumerate() {
                *mark = marks[i % 16];
            }
            let mut any = x.f._mm512_setzero_si512();
            // SAFETY: the caller's.
            unsafe {
                let mut i = 0;
                while i < n {
                    let left = n - i;
                    let v = match left {
                        64.. => x.load_dwords(src.add(i)),
                        _ => x.load_first(src.add(i), left),
                    };
                    let low = isa.look_up_halves(&table, v);
                    let high = isa.look_up_halves(&table, x.bw._mm512_srli_epi16::<4>(v));
                    // any OR low OR high
                    any = x.f._mm512_ternarylogic_epi32::<0xfe>(any, low, high);
                    i += 64;
                }
            }
            x.bw._mm512_test_epi8_mask(any, any) != 0
        },
    )
}
