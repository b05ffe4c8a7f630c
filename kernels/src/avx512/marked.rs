//! Look-ups of codes with marks of those that a checked cast refuses: both tables in one loop, or, where a result is less
//! than a byte, one with both.
//!
//! What tells of floats with signs is mostly the same for both: then one half of a table is looked up, which takes two of
//! four instructions.

use super::Features;
use super::by_codes::map_of;
use super::codes::{Codes, load_up_to, store_all};
use super::lanes::first_of_64;
use super::tables::{ByteMap, LookUp, STEP, Shape};
use crate::codec::Isa;
use crate::dtypes::{Kind, Real};
use core::arch::x86_64::*;
use core::array;

/// What `n` bytes become by the first table, and whether any of them is 1 by the second, which has zeros for the others. What
/// becomes of these may be anything.
///
/// # Safety
/// As for [`map_bytes`](super::tables::map_bytes).
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
                let results = results_of_unmarked(results, marks, 0x80);
                let (marks, alone, _) = marks_of_both(marks);
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
/// become other bytes than a sign bit makes of each other, or nothing.
#[inline(always)]
fn results_of_unmarked(results: &[u8; 256], marks: &[u8; 256], sign_bit: u8) -> ByteMap {
    let (mut sign, mut same) = (0, 0);
    for code in 0..128 {
        let negative = code + 128;
        let differing = results[code] ^ results[negative];
        // All ones if neither is marked.
        let counts = (marks[code] | marks[negative]).wrapping_sub(1);
        sign |= (differing ^ sign_bit) & counts;
        same |= differing & counts;
    }
    let (shape, bit) = match (sign, same) {
        (0, _) => (Shape::Sign, sign_bit),
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

/// The marks of bytes as bit 6, and as bit 7 those that they have with that bit set; whether any has the first alone; and
/// whether any has but one of them.
#[inline(always)]
fn marks_of_both(marks: &[u8; 256]) -> (ByteMap, bool, bool) {
    let (mut bytes, mut alone, mut one) = ([0; 256], 0, 0);
    for code in 0..128 {
        bytes[code] = marks[code] << 6 | marks[code + 128] << 7;
        alone |= marks[code] & !marks[code + 128];
        one |= marks[code] ^ marks[code + 128];
    }
    (ByteMap { bytes, shape: Shape::Low7 }, alone != 0, one != 0)
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
    x.has_marks(any)
}

/// The same of codes, one side of which is packed: the pair's dtypes have as many bits as `A` and `B`.
///
/// # Safety
/// As for [`map_marked`], with elements in the place of bytes.
pub(super) unsafe fn codes_marked<L: LookUp + Isa, A: Codes, B: Codes>(
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
                let buffers = (src, dst, n);
                let own = const { u8::MAX >> (8 - B::BITS) };
                let of_each = marks.map(
                    #[inline(always)]
                    |mark| mark << 7,
                );
                // (A register holds what few codes become as they are.)
                if B::BITS == 8 || A::Numbers::DTYPE.significant_bits() <= 6 {
                    let tables =
                        [map_of::<A>(joined::<B>(results, &of_each)), map_of::<A>(of_each)];
                    return marked_groups::<L, A, B>(isa, tables, Marks::OfEach, buffers);
                }
                let codes = results.map(
                    #[inline(always)]
                    |code| code & own,
                );
                let codes = results_of_unmarked(&codes, marks, const { 1 << (B::BITS - 1) });
                let (of_both, alone, one) = marks_of_both(marks);
                let bytes = joined::<B>(&codes.bytes, &of_both.bytes);
                let half = |shape| [ByteMap { bytes, shape }, ByteMap { bytes, shape }];
                let twins = |alone| Marks::OfTwins { alone };
                match (codes.shape, one, alone) {
                    (Shape::Sign, false, _) => {
                        marked_groups::<L, A, B>(isa, half(Shape::Sign), Marks::OfEach, buffers)
                    }
                    (Shape::Sign, _, false) => {
                        marked_groups::<L, A, B>(isa, half(Shape::Sign), twins(false), buffers)
                    }
                    (Shape::Low7, _, false) => {
                        marked_groups::<L, A, B>(isa, half(Shape::Low7), twins(false), buffers)
                    }
                    (Shape::Low7, ..) => {
                        marked_groups::<L, A, B>(isa, half(Shape::Low7), twins(true), buffers)
                    }
                    _ => {
                        let all = ByteMap::of_any(joined::<B>(results, &of_each));
                        let tables = [all, ByteMap::of_any(of_each)];
                        marked_groups::<L, A, B>(isa, tables, Marks::OfEach, buffers)
                    }
                }
            },
        )
    }
}

/// How codes' marks lie in what is looked up.
#[derive(Clone, Copy)]
enum Marks {
    /// As bit 7, be it of both or not.
    OfEach,
    /// [Of both](marks_of_both) with the same lower bits, of which some positive ones may be marked alone.
    OfTwins { alone: bool },
}

/// Results with marks above them, if they have room for these.
#[inline(always)]
fn joined<B: Codes>(results: &[u8; 256], marks: &[u8; 256]) -> [u8; 256] {
    let own = const { u8::MAX >> (8 - B::BITS) };
    array::from_fn(
        #[inline(always)]
        |code| match B::BITS {
            8 => results[code],
            _ => results[code] & own | marks[code],
        },
    )
}

/// The same by tables of results, with their marks if they have room for these, and of marks. Where results have the sign
/// of codes of a byte, they are looked up without it.
///
/// # Safety
/// As for [`codes_marked`].
#[inline(always)]
unsafe fn marked_groups<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    [results, marks]: [ByteMap; 2],
    lying: Marks,
    (src, dst, n): (*const u8, *mut u8, usize),
) -> bool {
    let x = isa.features();
    let has_sign = matches!(results.shape, Shape::Sign);
    let results = match results.shape {
        Shape::Sign => ByteMap { shape: Shape::Low7, ..results },
        _ => results,
    };
    let (own, sign) = const { (u8::MAX >> (8 - B::BITS), 1 << (B::BITS - 1)) };
    let above = x.sse2._mm_cvtsi32_si128(const { 8 - B::BITS as i32 });
    let mut any = [x.f._mm512_setzero_si512(); 2];
    // SAFETY: the caller's; 64 elements are whole bytes on both sides.
    unsafe {
        store_all::<L, B>(
            isa,
            dst,
            n,
            false,
            #[inline(always)]
            |i, count| {
                let v = load_up_to::<L, A>(isa, src.add(i / 8 * A::BITS), count);
                let result = isa.look_up(&results, v);
                let found = if B::BITS < 8 { result } else { isa.look_up(&marks, v) };
                let found = match count {
                    64 => found,
                    _ => x.bw._mm512_maskz_mov_epi8(first_of_64(count), found),
                };
                any = match lying {
                    Marks::OfEach => [x.f._mm512_or_si512(any[0], found), any[1]],
                    Marks::OfTwins { alone } => x.with_marks(any, found, v, alone),
                };
                // (Others lose what is above them before they are stored.)
                let result = match B::Numbers::DTYPE.kind() {
                    Kind::Float if B::BITS < 8 => x.f._mm512_and_si512(result, x.byte(own)),
                    _ => result,
                };
                match has_sign {
                    // result XOR (v, moved down, AND the sign)
                    true => {
                        let moved = x.bw._mm512_srl_epi16(v, above);
                        x.f._mm512_ternarylogic_epi32::<0x78>(result, moved, x.byte(sign))
                    }
                    false => result,
                }
            },
        );
    }
    x.has_marks(any)
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

    /// Whether there is any mark in these.
    #[inline(always)]
    fn has_marks(self, [negative, positive]: [__m512i; 2]) -> bool {
        let of_positive = self.bw._mm512_test_epi8_mask(positive, self.byte(0x40));
        self.bw._mm512_movepi8_mask(negative) | of_positive != 0
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
