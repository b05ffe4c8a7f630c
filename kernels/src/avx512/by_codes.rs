//! From packed elements, to them, or both, by a table that is told when the loop is called: what other options than
//! the default ones make of each code. A loop knows but how many bits an element has on both sides.

use super::codes::{Codes, Packed, Plain};
use super::maps::{mapped, mapped_then};
use super::marked::codes_marked;
use super::packed::{self, Halves};
use super::tables::{ByteMap, LookUp, Shape};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::shape::LookUpMarked;
use crate::table::ByCodes;

// Elements of so many bits.
pub(super) type One = Packed<mark::UInt1>;
pub(super) type Two = Packed<mark::UInt2>;
pub(super) type Four = Packed<mark::UInt4>;
pub(super) type Six = Packed<mark::Float6E2M3Fn>;
pub(super) type Eight = Plain<mark::UInt8>;
// A byte each, of which at most six bits count.
type Few = Plain<mark::Float6E2M3Fn>;

/// # Safety
/// As for every [`ByCodes`]: the pair's dtypes have as many bits as `A` and `B`.
unsafe fn by_map<L: LookUp + Isa, A: Codes, B: Codes>(
    map: &[u8; 256],
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        let isa = L::summon();
        isa.vectorize(
            #[inline(always)]
            move || {
                if packed::suits::<A, B>() {
                    let halves = &Halves::of::<A, B>(map);
                    return packed::regroup_by::<L, A, B>(isa, halves, src, dst, n);
                }
                let bits = u8::MAX >> (8 - B::BITS);
                let map = map.map(
                    #[inline(always)]
                    |code| code & bits,
                );
                let map = map_of::<A>(map);
                if matches!(map.shape, Shape::Any) && map.bytes[..128] == map.bytes[128..] {
                    let map = ByteMap { shape: Shape::Low7, ..map };
                    return mapped::<L, A, B>(isa, &map, src, dst, n);
                }
                if const { may_negate::<A, B>() } && negates(&map, bits) {
                    return negated::<L, A, B>(isa, map, src, dst, n);
                }
                mapped::<L, A, B>(isa, &map, src, dst, n);
            },
        );
    }
}

/// Whether of a pair's maps some are such that a byte with bit 7 becomes the negative of what it does without.
const fn may_negate<A: Codes, B: Codes>() -> bool {
    A::Numbers::DTYPE.significant_bits() == 8 && matches!(B::BITS, 2 | 4)
}

/// Whether a map is, of which these bits count.
#[inline(always)]
fn negates(map: &ByteMap, bits: u8) -> bool {
    let (positive, negative) = map.bytes.split_at(128);
    let sums = positive.iter().zip(negative).fold(0, |any, (a, b)| any | a.wrapping_add(*b));
    sums & bits == 0
}

/// By the lower half of such a map. (What is above the bits that count is cleared where results are stored.)
///
/// # Safety
/// As for [`mapped`].
#[inline(always)]
unsafe fn negated<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    map: ByteMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    debug_assert!(matches!(B::Numbers::DTYPE.kind(), Kind::UInt));
    let map = ByteMap { shape: Shape::Low7, ..map };
    let (x, bw) = (isa.features(), isa.features().bw);
    // SAFETY: the caller's.
    unsafe {
        mapped_then::<L, A, B>(
            isa,
            &map,
            src,
            dst,
            n,
            #[inline(always)]
            |found, v| {
                let zero = x.f._mm512_setzero_si512();
                bw._mm512_mask_sub_epi8(found, bw._mm512_movepi8_mask(v), zero, found)
            },
        );
    }
}

/// A table for elements that lie so.
#[inline(always)]
pub(super) fn map_of<A: Codes>(table: [u8; 256]) -> ByteMap {
    match A::Numbers::DTYPE.significant_bits() {
        ..=6 => ByteMap::of_six(table),
        _ => ByteMap::of_any(table),
    }
}

/// Whether a pair, one side of which is packed, is looked up with marks. (Half bytes have [their own](packed::leaves_room), and
/// integers are told in no more time apart.)
pub(super) const fn has_marks(from: DType, to: DType) -> bool {
    let looks_up = matches!(from.bits(), 6 | 8) && to.bits() <= 8;
    matches!(from.kind(), Kind::Float) && looks_up && from.bits() + to.bits() < 16
}

/// The loop that casts elements of such a pair, and tells marked ones.
pub(super) fn by_codes_marked<L: LookUp + Isa>(from: DType, to: DType) -> Option<LookUpMarked> {
    if !has_marks(from, to) {
        return None;
    }
    Some(match (from.bits(), to.bits()) {
        (6, 1) => codes_marked::<L, Six, One>,
        (6, 2) => codes_marked::<L, Six, Two>,
        (6, 4) => codes_marked::<L, Six, Four>,
        (6, 6) => codes_marked::<L, Six, Six>,
        (6, 8) => codes_marked::<L, Six, Eight>,
        (8, 1) if has_few(from) => codes_marked::<L, Few, One>,
        (8, 2) if has_few(from) => codes_marked::<L, Few, Two>,
        (8, 4) if has_few(from) => codes_marked::<L, Few, Four>,
        (8, 6) if has_few(from) => codes_marked::<L, Few, Six>,
        (8, 1) => codes_marked::<L, Eight, One>,
        (8, 2) => codes_marked::<L, Eight, Two>,
        (8, 4) => codes_marked::<L, Eight, Four>,
        (8, 6) => codes_marked::<L, Eight, Six>,
        _ => return None,
    })
}

/// Whether a dtype has so few codes that a register holds what they become.
const fn has_few(from: DType) -> bool {
    from.significant_bits() <= 6
}

/// The loop of a pair, one side of which is packed.
pub(super) fn by_codes<L: LookUp + Isa>(from: DType, to: DType) -> Option<ByCodes> {
    macro_rules! loops {
        ($($from:literal $A:ident: [$($to:literal $B:ident),*];)*) => {
            match (from.bits(), to.bits()) {
                $($(($from, $to) => by_map::<L, $A, $B>,)*)*
                _ => return None,
            }
        };
    }
    if from.bits() == 8 && has_few(from) {
        return Some(loops! { 8 Few: [1 One, 2 Two, 4 Four, 6 Six]; });
    }
    Some(loops! {
        1 One: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        2 Two: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        4 Four: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        6 Six: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        8 Eight: [1 One, 2 Two, 4 Four, 6 Six];
    })
}
