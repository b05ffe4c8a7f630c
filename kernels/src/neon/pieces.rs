//! The rearrangements of packed and complex elements that a tile is made of, by the loads and stores
//! that take two to four registers apart. What is left after the last whole group is done by the
//! portable ones.

use super::lanes::{load, store};
use super::ops::*;
use crate::scalar::pieces::PIECES as PORTABLE;
use crate::table::Pieces;

pub(crate) const PIECES: Pieces =
    Pieces { unpack, pack, pack_fitting: None, real_parts, with_zero_imaginary, ..PORTABLE };

/// # Safety
/// As [`Pieces::unpack`].
unsafe fn unpack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's: a group is inside both buffers while `n - i` is no less; the portable piece
    // goes on where a whole number of bytes is done.
    unsafe {
        let group = if bits == 1 {
            16
        } else if bits == 4 {
            32
        } else {
            64
        };
        let mut i = 0;
        while n - i >= group {
            let (from, to) = (src.add(i / 8 * bits), dst.add(i));
            match bits {
                1 => store(to, spread_1(from.cast::<u16>().read_unaligned())),
                2 => core::arch::aarch64::vst4q_u8(to, spread_2(load(from))),
                4 => core::arch::aarch64::vst2q_u8(to, spread_4(load(from))),
                _ => {
                    core::arch::aarch64::vst4q_u8(to, spread_6(core::arch::aarch64::vld3q_u8(from)))
                }
            }
            i += group;
        }
        (PORTABLE.unpack)(bits, src.add(i / 8 * bits), dst.add(i), n - i);
    }
}

/// # Safety
/// As [`Pieces::pack`].
unsafe fn pack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: as in `unpack`, with the sides exchanged.
    unsafe {
        let group = if bits == 4 { 32 } else { 64 };
        let mut i = 0;
        while n - i >= group {
            let (from, to) = (src.add(i), dst.add(i / 8 * bits));
            match bits {
                1 => store(to, gather_1(load(from))),
                2 => store(to, gather_2(core::arch::aarch64::vld4q_u8(from))),
                4 => store(to, gather_4(core::arch::aarch64::vld2q_u8(from))),
                _ => {
                    core::arch::aarch64::vst3q_u8(to, gather_6(core::arch::aarch64::vld4q_u8(from)))
                }
            }
            i += group;
        }
        (PORTABLE.pack)(bits, src.add(i), dst.add(i / 8 * bits), n - i);
    }
}

/// Sixteen bits, a byte each: every byte eight times, tested for a bit each.
#[inline(always)]
fn spread_1(bits: u16) -> uint8x16_t {
    let both = vreinterpretq_u8_u16(vdupq_n_u16(bits));
    let repeated = vcombine_u8(vdup_laneq_u8::<0>(both), vdup_laneq_u8::<1>(both));
    let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    vandq_u8(vtstq_u8(repeated, bit), vdupq_n_u8(1))
}

/// The first, second, third and fourth of every four elements.
#[inline(always)]
fn spread_2(v: uint8x16_t) -> uint8x16x4_t {
    let three = vdupq_n_u8(3);
    uint8x16x4_t(
        vandq_u8(v, three),
        vandq_u8(vshrq_n_u8::<2>(v), three),
        vandq_u8(vshrq_n_u8::<4>(v), three),
        vshrq_n_u8::<6>(v),
    )
}

/// The first and second of every two elements.
#[inline(always)]
fn spread_4(v: uint8x16_t) -> uint8x16x2_t {
    uint8x16x2_t(vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8::<4>(v))
}

/// The first to fourth of every four elements, given the first to third of every three bytes.
#[inline(always)]
fn spread_6(uint8x16x3_t(a, b, c): uint8x16x3_t) -> uint8x16x4_t {
    let low = vdupq_n_u8(63);
    uint8x16x4_t(
        vandq_u8(a, low),
        vandq_u8(vsliq_n_u8::<2>(vshrq_n_u8::<6>(a), b), low),
        vandq_u8(vsliq_n_u8::<4>(vshrq_n_u8::<4>(b), c), low),
        vshrq_n_u8::<2>(c),
    )
}

/// Sixty-four bytes' lowest bits: each moved to its place in a byte of the result, then eight added up.
#[inline(always)]
fn gather_1(v: [uint8x16_t; 4]) -> uint8x8_t {
    let places = vreinterpretq_s8_u64(vdupq_n_u64(0x0706_0504_0302_0100));
    let placed = |v| vshlq_u8(vandq_u8(v, vdupq_n_u8(1)), places);
    let [a, b, c, d] = v;
    let pairs = vpaddq_u8(placed(a), placed(b));
    let fours = vpaddq_u8(pairs, vpaddq_u8(placed(c), placed(d)));
    vget_low_u8(vpaddq_u8(fours, fours))
}

/// Bits above a number are shifted out, or written over by the next one's.
#[inline(always)]
fn gather_2(uint8x16x4_t(a, b, c, d): uint8x16x4_t) -> uint8x16_t {
    vsliq_n_u8::<6>(vsliq_n_u8::<4>(vsliq_n_u8::<2>(a, b), c), d)
}

#[inline(always)]
fn gather_4(uint8x16x2_t(a, b): uint8x16x2_t) -> uint8x16_t {
    vsliq_n_u8::<4>(a, b)
}

/// The first to third of every three bytes, given the first to fourth of every four elements.
#[inline(always)]
fn gather_6(uint8x16x4_t(a, b, c, d): uint8x16x4_t) -> uint8x16x3_t {
    // (What is above an element, or is shifted out, is written over.)
    uint8x16x3_t(
        vsliq_n_u8::<6>(a, b),
        vsliq_n_u8::<4>(vshrq_n_u8::<2>(b), c),
        vsliq_n_u8::<2>(vshrq_n_u8::<4>(c), d),
    )
}

/// # Safety
/// As [`Pieces::real_parts`].
unsafe fn real_parts(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's: 16 bytes of real parts come from 32 of complex elements.
    unsafe {
        let group = 16 / bytes;
        let mut i = 0;
        while n - i >= group {
            let (from, to) = (src.add(2 * bytes * i), dst.add(bytes * i));
            match bytes {
                2 => store(to, core::arch::aarch64::vld2q_u16(from.cast()).0),
                4 => store(to, core::arch::aarch64::vld2q_u32(from.cast()).0),
                _ => store(to, core::arch::aarch64::vld2q_u64(from.cast()).0),
            }
            i += group;
        }
        (PORTABLE.real_parts)(bytes, src.add(2 * bytes * i), dst.add(bytes * i), n - i);
    }
}

/// # Safety
/// As [`Pieces::with_zero_imaginary`].
unsafe fn with_zero_imaginary(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: as in `real_parts`, with the sides exchanged.
    unsafe {
        let group = 16 / bytes;
        let mut i = 0;
        while n - i >= group {
            let (from, to) = (src.add(bytes * i), dst.add(2 * bytes * i));
            match bytes {
                2 => core::arch::aarch64::vst2q_u16(
                    to.cast(),
                    uint16x8x2_t(load(from), vdupq_n_u16(0)),
                ),
                4 => core::arch::aarch64::vst2q_u32(
                    to.cast(),
                    uint32x4x2_t(load(from), vdupq_n_u32(0)),
                ),
                _ => core::arch::aarch64::vst2q_u64(
                    to.cast(),
                    uint64x2x2_t(load(from), vdupq_n_u64(0)),
                ),
            }
            i += group;
        }
        (PORTABLE.with_zero_imaginary)(bytes, src.add(bytes * i), dst.add(2 * bytes * i), n - i);
    }
}
