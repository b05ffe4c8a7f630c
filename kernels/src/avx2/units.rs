//! Elements moved a register at a time: by dwords, with gaps between those that are read, and by bytes without any.

use super::Avx2;
use crate::codec::Isa;
use crate::strided::{Gaps, Unit, Units};
use core::arch::x86_64::__m256i;
use core::array;

pub(super) const UNITS: &[Units] = &[
    Units { register: 32, granule: 4, gaps: Gaps::Read, fewest: 4, run: by_dwords },
    Units { register: 16, granule: 1, gaps: Gaps::None, fewest: 4, run: by_bytes },
];

/// # Safety
/// As for every [`Units::run`], of units by dwords without gaps between what they write.
unsafe fn by_dwords(unit: &Unit, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let lanes =
                |mask: u64| isa.eight_lanes(array::from_fn(|i| -((mask >> (4 * i) & 1) as i32)));
            let (read, written) = (lanes(unit.read), lanes(unit.written));
            let places = isa.eight_lanes(array::from_fn(|i| i32::from(unit.places[4 * i]) / 4));
            let [src_step, dst_step] = unit.steps;
            // The units that a whole register is written for: what is behind one's own is that of the next ones.
            let before_last = n.saturating_sub(32usize.div_ceil(dst_step as usize) - 1);
            // (A unit may start before what it reads, where nothing need be.)
            let src = |i: usize| src.wrapping_offset(i as isize * src_step);
            // SAFETY: the caller's: the dwords that the masks tell are valid, and no others are read, nor written but for those
            // of the next units: a unit writes the `dst_step` bytes up to the next one, and after those of `before_last` come
            // enough to fill a register.
            unsafe {
                let put = |i: usize| isa.permute32(isa.load_lanes(src(i), read), places);
                let dst = |i: usize| dst.offset(i as isize * dst_step);
                (0..before_last).for_each(|i| isa.store(dst(i), put(i)));
                (before_last..n).for_each(|i| isa.store_lanes(dst(i), written, put(i)));
            }
        },
    );
}

/// # Safety
/// As for every [`Units::run`], of units that are whole registers on both sides.
unsafe fn by_bytes(unit: &Unit, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let [src_step, dst_step] = unit.steps;
            // SAFETY: the caller's: each unit is a whole register on both sides; and it has more than 16 places.
            unsafe {
                let places = isa.loadx(unit.places.as_ptr());
                for i in 0..n as isize {
                    let v = isa.loadx(src.offset(i * src_step));
                    isa.storex(dst.offset(i * dst_step), isa.shuffle8x(v, places));
                }
            }
        },
    );
}

impl Avx2 {
    #[inline(always)]
    fn eight_lanes(self, lanes: [i32; 8]) -> __m256i {
        // SAFETY: eight lanes are a register.
        unsafe { self.load(lanes.as_ptr().cast()) }
    }

    /// The lanes that a mask tells, and zeros.
    ///
    /// # Safety
    /// These are valid for reading.
    #[inline(always)]
    unsafe fn load_lanes(self, src: *const u8, mask: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.0.avx2._mm256_maskload_epi32(src.cast(), mask) }
    }

    /// Writes the lanes that a mask tells.
    ///
    /// # Safety
    /// These are valid for writing.
    #[inline(always)]
    unsafe fn store_lanes(self, dst: *mut u8, mask: __m256i, value: __m256i) {
        // SAFETY: the caller's.
        unsafe { self.0.avx2._mm256_maskstore_epi32(dst.cast(), mask, value) }
    }
}
