//! What is done in registers with a step of elements before it is cast, or after it: see [`stepwise`](crate::stepwise).

use super::Neon;
use super::lanes::{load, store};
use super::ops::{
    uint8x16_t, uint64x2_t, vaddq_u16, vaddq_u32, vaddq_u64, vandq_u64, vdupq_n_u64, vorrq_u64,
    vqtbl1q_u8,
};
use crate::shape::Screen;
use crate::stepwise::{InRegisters, Side, places};

impl InRegisters for Neon {
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
        let all = |v: u64| match side.width {
            2 => u64::from(v as u16) * 0x0001_0001_0001_0001,
            4 => u64::from(v as u32) * 0x0000_0001_0000_0001,
            _ => v,
        };
        let (addend, keep) = (vdupq_n_u64(all(screen.addend)), all(screen.keep));
        let (second, mask) = (vdupq_n_u64(all(screen.second)), vdupq_n_u64(all(screen.mask)));
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
        let [low, high]: [u64; 2] = bytemuck::cast(any);
        let [low_signs, high_signs]: [u64; 2] = bytemuck::cast(signs);
        let signs = if screen.signs { low_signs | high_signs } else { 0 };
        (low | high | signs) & keep != 0
    }
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
