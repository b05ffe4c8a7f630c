//! Bytes that become one of two by a draw: see `shape::drawn`.

use super::generator::{Keys, SETS};
use super::lanes::first_of_64;
use super::tables::{ByteMap, LookUp, Shape};
use crate::codec::Isa;
use crate::shape::{CastDrawn, DrawnMap, Pattern};
use core::arch::x86_64::*;

/// The loop for maps with such a pattern, of whose rests the lower bytes count, too, or not.
pub(super) fn loops<L: LookUp + Isa>(pattern: Pattern, any_lower: bool) -> CastDrawn {
    match (any_lower, pattern) {
        (false, Pattern::Signs) => cast::<L, false, SIGNS>,
        (false, Pattern::Sides) => cast::<L, false, SIDES>,
        (false, Pattern::Next) => cast::<L, false, NEXT>,
        (false, Pattern::Any) => cast::<L, false, ANY>,
        (true, Pattern::Signs) => cast::<L, true, SIGNS>,
        (true, Pattern::Sides) => cast::<L, true, SIDES>,
        (true, Pattern::Next) => cast::<L, true, NEXT>,
        (true, Pattern::Any) => cast::<L, true, ANY>,
    }
}

/// The patterns, as const parameters of the loops.
const SIGNS: u8 = Pattern::Signs as u8;
const SIDES: u8 = Pattern::Sides as u8;
const NEXT: u8 = Pattern::Next as u8;
const ANY: u8 = Pattern::Any as u8;

/// # Safety
/// As for every [`CastDrawn`]; the map has such a pattern, and no lower bytes of rests but zeros, unless `LOWER`.
unsafe fn cast<L: LookUp + Isa, const LOWER: bool, const PATTERN: u8>(
    map: &DrawnMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    seed: u64,
    place: u64,
) {
    // SAFETY: the caller's.
    let isa = unsafe { L::summon() };
    let x = isa.features();
    // Counted from the first element of a block of draws, of which up to three may come before what is cast.
    let before = (place % 4) as usize;
    let (src, dst, end) = (src.wrapping_sub(before), dst.wrapping_sub(before), before + n);
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let (keys, step) = (Keys::new(x, seed), Step::<LOWER, PATTERN>::new(map));
            let (mut start, mut block) = (0, place / 4);
            while start < end {
                for (i, &draws) in keys.tops(x, block).as_chunks().0.iter().enumerate() {
                    let at = start + 64 * i;
                    let (src, dst) = (src.wrapping_add(at), dst.wrapping_add(at));
                    // SAFETY: the caller's. All 64 elements are there, or those are read and written that are.
                    unsafe {
                        if at >= before && at + 64 <= end {
                            x.store_dwords(dst, step.run(isa, x.load_dwords(src), draws));
                        } else if at < end {
                            let asked =
                                first_of_64((end - at).min(64)) & !0 << before.saturating_sub(at);
                            let v = x.bw._mm512_maskz_loadu_epi8(asked, src.cast());
                            let v = step.run(isa, v, draws);
                            x.bw._mm512_mask_storeu_epi8(dst.cast(), asked, v);
                        }
                    }
                }
                start += 32 * SETS;
                block = block.wrapping_add(8 * SETS as u64);
            }
        },
    );
}

/// The tables, in registers.
struct Step<const LOWER: bool, const PATTERN: u8> {
    near: ByteMap,
    far: ByteMap,
    upper: ByteMap,
    lower: ByteMap,
}

impl<const LOWER: bool, const PATTERN: u8> Step<LOWER, PATTERN> {
    #[inline(always)]
    fn new(map: &DrawnMap) -> Self {
        let rests = if matches!(PATTERN, SIGNS | SIDES) { Shape::Low7 } else { Shape::Any };
        let near = if PATTERN == SIGNS { Shape::Sign } else { Shape::Any };
        Self {
            near: ByteMap { bytes: map.near, shape: near },
            far: ByteMap { bytes: map.far, shape: Shape::Any },
            upper: ByteMap { bytes: map.rests.upper, shape: rests },
            lower: ByteMap { bytes: map.rests.lower, shape: rests },
        }
    }

    /// What 64 bytes become by draws.
    #[inline(always)]
    fn run<L: LookUp>(&self, isa: L, v: __m512i, draws: [__m512i; 2]) -> __m512i {
        let x = isa.features();
        let (near, further) = (isa.look_up(&self.near, v), self.further(isa, v, draws));
        let one = x.byte(1);
        match PATTERN {
            SIGNS | NEXT => x.bw._mm512_mask_add_epi8(near, further, near, one),
            SIDES => {
                let step = x.bw._mm512_mask_mov_epi8(one, x.bw._mm512_movepi8_mask(v), x.byte(!0));
                x.bw._mm512_mask_add_epi8(near, further, near, step)
            }
            _ => x.bw._mm512_mask_mov_epi8(near, further, isa.look_up(&self.far, v)),
        }
    }

    /// Which of 64 bytes become the further number.
    #[inline(always)]
    fn further<L: LookUp>(&self, isa: L, v: __m512i, [a, b]: [__m512i; 2]) -> __mmask64 {
        let x = isa.features();
        let (draws, rests) = (isa.high_bytes(a, b), isa.look_up(&self.upper, v));
        let less = x.bw._mm512_cmplt_epu8_mask(draws, rests);
        if !LOWER {
            return less;
        }
        let same = x.bw._mm512_cmpeq_epi8_mask(draws, rests);
        let (draws, rests) = (isa.low_bytes(a, b), isa.look_up(&self.lower, v));
        less | x.bw._mm512_mask_cmplt_epu8_mask(same, draws, rests)
    }
}
