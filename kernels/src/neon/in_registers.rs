//! What is done in registers with a step of elements before it is cast, or after it: see [`stepwise`](crate::stepwise).

use super::Neon;
use super::lanes::{load, store};
use super::ops::{
    uint8x16_t, uint16x8_t, uint64x2_t, vaddq_u16, vaddq_u32, vaddq_u64, vandq_u64, vcgtq_u16,
    vcgtq_u32, vcgtq_u64, vdupq_n_u16, vdupq_n_u64, vmaxq_s16, vmaxq_s32, vmaxq_u16, vmaxq_u32,
    vmaxvq_s16, vmaxvq_s32, vmaxvq_u16, vmaxvq_u32, vorrq_u64, vqtbl1q_u8,
};
use crate::shape::Screen;
use crate::stepwise::{InRegisters, Side, places};

impl InRegisters for Neon {
    const REGISTER: usize = 16;

    type Places = uint8x16_t;

    #[inline(always)]
    fn places(self, side: Side) -> uint8x16_t {
        bytemuck::cast(places(side.width))
    }

    #[inline(always)]
    unsafe fn turn(self, places: uint8x16_t, src: *const u8, dst: *mut u8, bytes: usize) {
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            unsafe { store(dst.add(i), vqtbl1q_u8(load(src.add(i)), places)) };
            i += 16;
        }
    }

    #[inline(always)]
    unsafe fn any_unfit(
        self,
        screen: &Screen,
        single: bool,
        side: Side,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        if side.nan_fits {
            // SAFETY: the caller's.
            return unsafe { any_between_ends(screen, src, bytes) };
        }
        if side.is_span || !side.is_float && screen.asks_for_last() {
            // SAFETY: the caller's.
            return unsafe { any_past_span(screen, side.width, src, bytes) };
        }
        if side.is_float && side.width < 8 {
            // SAFETY: the caller's.
            return unsafe { any_past(screen, side.width, src, bytes) };
        }
        let (addend, second) = (all(side.width, screen.addend), all(side.width, screen.second));
        let (keep, mask) = (all(side.width, screen.keep), all(side.width, screen.mask));
        let (mut any, mut signs) = (vdupq_n_u64(0), vdupq_n_u64(0));
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let mut v: uint64x2_t = unsafe { load(src.add(i)) };
            if side.is_float {
                signs = vorrq_u64(signs, v);
                v = vandq_u64(v, mask);
            }
            any = vorrq_u64(any, added(side.width, v, addend));
            if !single {
                any = vorrq_u64(any, added(side.width, v, second));
            }
            i += 16;
        }
        let any = if screen.signs { vorrq_u64(any, signs) } else { any };
        let [low, high]: [u64; 2] = bytemuck::cast(vandq_u64(any, keep));
        low | high != 0
    }
}

/// Whether a float of 16 bits is between those ends that fit.
///
/// # Safety
/// As for [`InRegisters::any_unfit`].
#[inline(always)]
unsafe fn any_between_ends(screen: &Screen, src: *const u8, bytes: usize) -> bool {
    let addend = vdupq_n_u16(screen.addend as u16);
    let (mut most, mut i) = (vdupq_n_u16(0), 0);
    while i < bytes {
        // SAFETY: the caller's: whole registers are left.
        let v: uint16x8_t = unsafe { load(src.add(i)) };
        most = vmaxq_u16(most, vaddq_u16(vaddq_u16(v, v), addend));
        i += 16;
    }
    vmaxvq_u16(most) > screen.last as u16
}

/// Whether a float of 16 or 32 bits may be unfit, by the first codes of either sign that may be. (Of 64 bits there is no
/// largest.)
///
/// # Safety
/// As for [`InRegisters::any_unfit`].
#[inline(always)]
unsafe fn any_past(screen: &Screen, width: usize, src: *const u8, bytes: usize) -> bool {
    let (mut most, mut most_unsigned, mut i) = (vdupq_n_u64(0), vdupq_n_u64(0), 0);
    while i < bytes {
        // SAFETY: the caller's: whole registers are left.
        let v: uint64x2_t = unsafe { load(src.add(i)) };
        (most, most_unsigned) = match width {
            2 => (
                bytemuck::cast(vmaxq_s16(bytemuck::cast(most), bytemuck::cast(v))),
                bytemuck::cast(vmaxq_u16(bytemuck::cast(most_unsigned), bytemuck::cast(v))),
            ),
            _ => (
                bytemuck::cast(vmaxq_s32(bytemuck::cast(most), bytemuck::cast(v))),
                bytemuck::cast(vmaxq_u32(bytemuck::cast(most_unsigned), bytemuck::cast(v))),
            ),
        };
        i += 16;
    }
    // (The first is no less than zero.)
    let (most, most_unsigned) = match width {
        2 => (
            vmaxvq_s16(bytemuck::cast(most)) as u64,
            u64::from(vmaxvq_u16(bytemuck::cast(most_unsigned))),
        ),
        _ => (
            vmaxvq_s32(bytemuck::cast(most)) as u64,
            u64::from(vmaxvq_u32(bytemuck::cast(most_unsigned))),
        ),
    };
    let [positive, negative] = screen.first;
    most >= positive || most_unsigned >= negative
}

/// Whether a number is past the last that fits, of those next to each other.
///
/// # Safety
/// As for [`InRegisters::any_unfit`].
#[inline(always)]
unsafe fn any_past_span(screen: &Screen, width: usize, src: *const u8, bytes: usize) -> bool {
    let (addend, last) = (all(width, screen.addend), all(width, screen.last));
    let (mut any, mut i) = (vdupq_n_u64(0), 0);
    while i < bytes {
        // SAFETY: the caller's: whole registers are left.
        let moved = added(width, unsafe { load(src.add(i)) }, addend);
        let past: uint64x2_t = match width {
            2 => bytemuck::cast(vcgtq_u16(bytemuck::cast(moved), bytemuck::cast(last))),
            4 => bytemuck::cast(vcgtq_u32(bytemuck::cast(moved), bytemuck::cast(last))),
            _ => vcgtq_u64(moved, last),
        };
        any = vorrq_u64(any, past);
        i += 16;
    }
    let [low, high]: [u64; 2] = bytemuck::cast(any);
    low | high != 0
}

/// A number in all lanes of so many bytes.
#[inline(always)]
fn all(width: usize, v: u64) -> uint64x2_t {
    vdupq_n_u64(match width {
        2 => u64::from(v as u16) * 0x0001_0001_0001_0001,
        4 => u64::from(v as u32) * 0x0000_0001_0000_0001,
        _ => v,
    })
}

/// Integers of so many bytes with as much added to each.
#[inline(always)]
fn added(width: usize, v: uint64x2_t, addend: uint64x2_t) -> uint64x2_t {
    match width {
        2 => bytemuck::cast(vaddq_u16(bytemuck::cast(v), bytemuck::cast(addend))),
        4 => bytemuck::cast(vaddq_u32(bytemuck::cast(v), bytemuck::cast(addend))),
        _ => vaddq_u64(v, addend),
    }
}
