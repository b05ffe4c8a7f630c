//! What is done in registers with a step of elements before it is cast, or after it: see [`stepwise`](crate::stepwise).

use super::Avx2;
use crate::shape::Screen;
use crate::stepwise::{InRegisters, Side, places};
use core::arch::x86_64::__m256i;

impl InRegisters for Avx2 {
    type Places = __m256i;

    #[inline(always)]
    fn places(self, side: Side) -> __m256i {
        self.twice(bytemuck::cast(places(side.width)))
    }

    #[inline(always)]
    unsafe fn turn(self, places: __m256i, src: *const u8, dst: *mut u8, bytes: usize) {
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            unsafe { self.store(dst.add(i), self.shuffle8(self.load(src.add(i)), places)) };
            i += 32;
        }
    }

    #[inline(always)]
    unsafe fn turn_halves(self, places: __m256i, src: *const u8, dst: *mut u8, bytes: usize) {
        let places = self.lower(places);
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole halves are left.
            unsafe { self.storex(dst.add(i), self.shuffle8x(self.loadx(src.add(i)), places)) };
            i += 16;
        }
    }

    #[inline(always)]
    unsafe fn any_unfit(self, screen: &Screen, width: usize, src: *const u8, bytes: usize) -> bool {
        let all = |v: u64| match width {
            2 => self.all16(v as i16),
            4 => self.all32(v as i32),
            _ => self.all64(v as i64),
        };
        let (addend, keep) = (all(screen.addend), all(screen.keep));
        let mut any = self.zero();
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load(src.add(i)) };
            let moved = match width {
                2 => self.add16(v, addend),
                4 => self.add32(v, addend),
                _ => self.add64(v, addend),
            };
            any = self.or(any, moved);
            i += 32;
        }
        self.testz(any, keep) == 0
    }
}
