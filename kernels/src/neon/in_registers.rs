//! What is done in registers with a step of elements before it is cast, or after it: see [`stepwise`](crate::stepwise).

use super::Neon;
use super::lanes::{load, store};
use super::ops::{
    uint8x16_t, uint64x2_t, vaddq_u16, vaddq_u32, vaddq_u64, vdupq_n_u64, vorrq_u64, vqtbl1q_u8,
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
    unsafe fn any_unfit(self, screen: &Screen, width: usize, src: *const u8, bytes: usize) -> bool {
        let all: uint8x16_t = bytemuck::cast(match width {
            2 => [u64::from(screen.addend as u16) * 0x0001_0001_0001_0001; 2],
            4 => [u64::from(screen.addend as u32) * 0x0000_0001_0000_0001; 2],
            _ => [screen.addend; 2],
        });
        let keep = match width {
            2 => u64::from(screen.keep as u16) * 0x0001_0001_0001_0001,
            4 => u64::from(screen.keep as u32) * 0x0000_0001_0000_0001,
            _ => screen.keep,
        };
        let mut any = vdupq_n_u64(0);
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v: uint8x16_t = unsafe { load(src.add(i)) };
            let moved: uint64x2_t = match width {
                2 => bytemuck::cast(vaddq_u16(bytemuck::cast(v), bytemuck::cast(all))),
                4 => bytemuck::cast(vaddq_u32(bytemuck::cast(v), bytemuck::cast(all))),
                _ => vaddq_u64(bytemuck::cast(v), bytemuck::cast(all)),
            };
            any = vorrq_u64(any, moved);
            i += 16;
        }
        let [low, high]: [u64; 2] = bytemuck::cast(any);
        (low | high) & keep != 0
    }
}
