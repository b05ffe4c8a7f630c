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
    unsafe fn any_unfit(
        self,
        screen: &Screen,
        single: bool,
        side: Side,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        let width = side.width;
        if side.is_float && width == 4 {
            // SAFETY: the caller's.
            return unsafe { self.any_large(screen, src, bytes) };
        }
        let all = |v: u64| match width {
            2 => self.all16(v as i16),
            4 => self.all32(v as i32),
            _ => self.all64(v as i64),
        };
        let (addend, keep) = (all(screen.addend), all(screen.keep));
        let (second, mask) = (all(screen.second), all(screen.mask));
        let (mut any, mut signs) = (self.zero(), self.zero());
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let mut v = unsafe { self.load(src.add(i)) };
            if side.is_float {
                signs = self.or(signs, v);
                v = self.and(v, mask);
            }
            any = self.or(any, self.added(width, v, addend));
            if !single {
                any = self.or(any, self.added(width, v, second));
            }
            i += 32;
        }
        let signs = if screen.signs { signs } else { self.zero() };
        self.testz(self.or(any, signs), keep) == 0
    }
}

impl Avx2 {
    /// Integers with as much added to each.
    #[inline(always)]
    fn added(self, width: usize, v: __m256i, addend: __m256i) -> __m256i {
        match width {
            2 => self.add16(v, addend),
            4 => self.add32(v, addend),
            _ => self.add64(v, addend),
        }
    }

    /// Of float32s: whether the largest code is too large, with the sign bit, where no negative number fits, or without, where
    /// it is shifted out.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_large(self, screen: &Screen, src: *const u8, bytes: usize) -> bool {
        let shift = if screen.signs { 0 } else { 1 };
        let past = self.all32(((screen.keep - screen.addend) << shift) as i32);
        let shift = self.all32(shift);
        let mut largest = self.zero();
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load(src.add(i)) };
            largest = self.max_u32(largest, self.sllv32(v, shift));
            i += 32;
        }
        let is_past = self.eq32(self.max_u32(largest, past), largest);
        self.signs8(is_past) != 0
    }
}
