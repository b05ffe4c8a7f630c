//! What is done in registers with a step of elements before it is cast, or after it: see [`stepwise`](crate::stepwise).

use super::shim::{Bf16, Vbmi};
use super::{Avx512, Features};
use crate::shape::Screen;
use crate::stepwise::{InRegisters, Side, places};
use core::arch::x86_64::*;

impl Features {
    /// Which byte comes to each place, if components of so many are turned.
    #[inline(always)]
    pub(super) fn places(self, width: usize) -> __m512i {
        self.in_lanes(&places(width))
    }

    /// A register with its components turned, if they are to be.
    #[inline(always)]
    pub(super) fn turned_if(self, wanted: bool, places: __m512i, v: __m512i) -> __m512i {
        if wanted { self.bw._mm512_shuffle_epi8(v, places) } else { v }
    }

    /// # Safety
    /// As for [`InRegisters::turn`].
    #[inline(always)]
    unsafe fn turn(self, places: __m512i, src: *const u8, dst: *mut u8, bytes: usize) {
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            unsafe {
                let v = self.load_dwords(src.add(i));
                self.store_dwords(dst.add(i), self.turned_if(true, places, v));
            }
            i += 64;
        }
    }

    /// # Safety
    /// As for [`InRegisters::turn_halves`].
    #[inline(always)]
    unsafe fn turn_halves(self, places: __m512i, src: *const u8, dst: *mut u8, bytes: usize) {
        let places = self.f._mm512_castsi512_si256(places);
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole halves are left.
            unsafe {
                let v = self.load_words(src.add(i));
                self.store_words(dst.add(i), self.avx2._mm256_shuffle_epi8(v, places));
            }
            i += 32;
        }
    }

    /// A number in all lanes of so many bytes.
    #[inline(always)]
    fn all(self, width: usize, v: u64) -> __m512i {
        match width {
            2 => self.word(v as u16),
            4 => self.dword(v as u32),
            _ => self.qword(v),
        }
    }

    /// Integers with as much added to each.
    #[inline(always)]
    fn added(self, width: usize, v: __m512i, addend: __m512i) -> __m512i {
        match width {
            2 => self.bw._mm512_add_epi16(v, addend),
            4 => self.f._mm512_add_epi32(v, addend),
            _ => self.f._mm512_add_epi64(v, addend),
        }
    }

    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_unfit(
        self,
        screen: &Screen,
        single: bool,
        side: Side,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        if side.is_float {
            // SAFETY: the caller's.
            return unsafe { self.any_large(screen, side.width, src, bytes) };
        }
        let width = side.width;
        let (addend, keep) = (self.all(width, screen.addend), self.all(width, screen.keep));
        let second = self.all(width, screen.second);
        let mut any = self.f._mm512_setzero_si512();
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load_dwords(src.add(i)) };
            any = match single {
                true => self.f._mm512_or_si512(any, self.added(width, v, addend)),
                // One, or another, or the third.
                false => self.f._mm512_ternarylogic_epi32::<0xfe>(
                    any,
                    self.added(width, v, addend),
                    self.added(width, v, second),
                ),
            };
            i += 64;
        }
        self.f._mm512_test_epi32_mask(any, keep) != 0
    }

    /// The same of floats of 4 or 8 bytes: whether the largest code is too large, with the sign bit, where no negative number
    /// fits, or without, where it is shifted out.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_large(self, screen: &Screen, width: usize, src: *const u8, bytes: usize) -> bool {
        let shift = if screen.signs { 0 } else { 1 };
        let past = self.all(width, (screen.keep - screen.addend) << shift);
        let shift = self.all(width, shift);
        let mut largest = self.f._mm512_setzero_si512();
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load_dwords(src.add(i)) };
            largest = match width {
                4 => self.f._mm512_max_epu32(largest, self.f._mm512_sllv_epi32(v, shift)),
                _ => self.f._mm512_max_epu64(largest, self.f._mm512_sllv_epi64(v, shift)),
            };
            i += 64;
        }
        match width {
            4 => self.f._mm512_cmpge_epu32_mask(largest, past) != 0,
            _ => self.f._mm512_cmpge_epu64_mask(largest, past) != 0,
        }
    }
}

macro_rules! turns {
    ($($token:ident: |$isa:ident| $features:expr;)*) => {$(
        impl InRegisters for $token {
            type Places = __m512i;

            #[inline(always)]
            fn places(self, side: Side) -> __m512i {
                let $isa = self;
                $features.places(side.width)
            }

            #[inline(always)]
            unsafe fn turn(self, places: __m512i, src: *const u8, dst: *mut u8, bytes: usize) {
                let $isa = self;
                // SAFETY: the caller's.
                unsafe { $features.turn(places, src, dst, bytes) }
            }

            #[inline(always)]
            unsafe fn turn_halves(self, places: __m512i, src: *const u8, dst: *mut u8, bytes: usize) {
                let $isa = self;
                // SAFETY: the caller's.
                unsafe { $features.turn_halves(places, src, dst, bytes) }
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
                let $isa = self;
                // SAFETY: the caller's.
                unsafe { $features.any_unfit(screen, single, side, src, bytes) }
            }
        }
    )*};
}

turns! {
    Avx512: |isa| isa.0;
    Vbmi: |isa| isa.features;
    Bf16: |isa| isa.vbmi.features;
}
