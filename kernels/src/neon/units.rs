//! Elements moved a register at a time, without gaps between them.

use super::Neon;
use super::lanes::{load, store};
use super::ops::vqtbl1q_u8;
use crate::codec::Isa;
use crate::strided::{Gaps, Unit, Units};

pub(super) const UNITS: &[Units] =
    &[Units { register: 16, granule: 1, gaps: Gaps::None, fewest: 4, run: by_bytes }];

/// # Safety
/// As for every [`Units::run`], of units that are whole registers on both sides.
unsafe fn by_bytes(unit: &Unit, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe { Neon::summon() }.vectorize(
        #[inline(always)]
        move || {
            let [src_step, dst_step] = unit.steps;
            // SAFETY: the caller's: each unit is a whole register on both sides; and it has more than 16 places.
            unsafe {
                let places = load(unit.places.as_ptr());
                for i in 0..n as isize {
                    let v = load(src.offset(i * src_step));
                    store(dst.offset(i * dst_step), vqtbl1q_u8(v, places));
                }
            }
        },
    );
}
