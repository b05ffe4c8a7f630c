//! From packed elements, to them, or both, by a table that is told when the loop is called: what other options than
//! the default ones make of each code. A loop knows but how many bits an element has on both sides.

use super::codes::{Codes, Packed, Plain};
use super::direct::mapped;
use super::packed::{self, Halves};
use super::tables::{ByteMap, LookUp};
use crate::codec::Isa;
use crate::dtypes::{DType, mark};
use crate::table::ByCodes;

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
                let map = if A::BITS < 8 { ByteMap::of_six(map) } else { ByteMap::of_any(map) };
                mapped::<L, A, B>(isa, &map, src, dst, n);
            },
        );
    }
}

/// The loop of a pair, one side of which is packed.
pub(super) fn by_codes<L: LookUp + Isa>(from: DType, to: DType) -> Option<ByCodes> {
    type One = Packed<mark::UInt1>;
    type Two = Packed<mark::UInt2>;
    type Four = Packed<mark::UInt4>;
    type Six = Packed<mark::Float6E2M3Fn>;
    type Eight = Plain<mark::UInt8>;
    macro_rules! loops {
        ($($from:literal $A:ident: [$($to:literal $B:ident),*];)*) => {
            match (from.bits(), to.bits()) {
                $($(($from, $to) => by_map::<L, $A, $B>,)*)*
                _ => return None,
            }
        };
    }
    Some(loops! {
        1 One: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        2 Two: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        4 Four: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        6 Six: [1 One, 2 Two, 4 Four, 6 Six, 8 Eight];
        8 Eight: [1 One, 2 Two, 4 Four, 6 Six];
    })
}
