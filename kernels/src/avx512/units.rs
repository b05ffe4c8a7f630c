//! Elements moved 64 bytes at a time: by words, and with VBMI by bytes.

use super::shim::Vbmi;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::strided::{Gaps, Unit, Units};
use core::arch::x86_64::__m512i;

pub(super) const UNITS: &[Units] =
    &[Units { register: 64, granule: 2, gaps: Gaps::Both, fewest: FEWEST, run: by_words }];

pub(super) const UNITS_VBMI: &[Units] =
    &[Units { register: 64, granule: 1, gaps: Gaps::Both, fewest: FEWEST, run: by_bytes }];

/// (Most registers are of two cache lines each, and two units of four are slower to come from afar than eight elements.)
const FEWEST: usize = 6;

/// # Safety
/// As for every [`Units::run`], of units by words.
unsafe fn by_words(unit: &Unit, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx512::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let Avx512(x) = isa;
            // Of each pair of bytes the lower one tells.
            let places = places(x, unit);
            let places = x.bw._mm512_maskz_mov_epi8(0x5555_5555_5555_5555, places);
            let places = x.bw._mm512_srli_epi16::<1>(places);
            // SAFETY: the caller's.
            unsafe {
                each(
                    x,
                    unit,
                    (src, dst, n),
                    #[inline(always)]
                    |v| x.bw._mm512_permutexvar_epi16(places, v),
                );
            }
        },
    );
}

/// # Safety
/// As for every [`Units::run`].
unsafe fn by_bytes(unit: &Unit, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    let isa = unsafe { Vbmi::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let places = places(isa.features, unit);
            // SAFETY: the caller's.
            unsafe {
                each(
                    isa.features,
                    unit,
                    (src, dst, n),
                    #[inline(always)]
                    |v| isa.permutexvar_epi8(places, v),
                );
            }
        },
    );
}

#[inline(always)]
fn places(x: Features, unit: &Unit) -> __m512i {
    // SAFETY: a unit has 64 places.
    unsafe { x.load_dwords(unit.places.as_ptr()) }
}

/// Moves units whose bytes are put to their places so.
///
/// # Safety
/// As for every [`Units::run`].
#[inline(always)]
unsafe fn each(
    x: Features,
    unit: &Unit,
    (src, dst, n): (*const u8, *mut u8, usize),
    put: impl Fn(__m512i) -> __m512i,
) {
    let (read, written, [src_step, dst_step]) = (unit.read, unit.written, unit.steps);
    for i in 0..n as isize {
        // (A unit may start before what it reads, where nothing need be.)
        let src = src.wrapping_offset(i * src_step).cast();
        let dst = dst.wrapping_offset(i * dst_step).cast();
        // SAFETY: the caller's: the bytes that the masks tell are valid, and no others are read or written.
        unsafe {
            let v = x.bw._mm512_maskz_loadu_epi8(read, src);
            x.bw._mm512_mask_storeu_epi8(dst, written, put(v));
        }
    }
}
