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
            return unsafe { self.any_past(screen, side, src, bytes) };
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
                false => {
                    self.any_of(any, [self.added(width, v, addend), self.added(width, v, second)])
                }
            };
            i += 64;
        }
        self.f._mm512_test_epi32_mask(any, keep) != 0
    }

    /// The same of floats, by the first codes of either sign that may be unfit. Of complex ones' imaginary parts, which are in
    /// every other lane, these are those after zero.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_past(self, screen: &Screen, side: Side, src: *const u8, bytes: usize) -> bool {
        let [positive, negative] = screen.first;
        let mut positive = self.all(side.width, positive);
        let mut negative = self.all(side.width, negative);
        if side.is_complex() {
            debug_assert_eq!(side.width, 8);
            const IMAGINARY: __mmask8 = 0b1010_1010;
            positive = self.f._mm512_mask_mov_epi64(positive, IMAGINARY, self.qword(1));
            negative = self.f._mm512_mask_mov_epi64(negative, IMAGINARY, self.qword((1 << 63) + 1));
        }
        let (f, bw) = (self.f, self.bw);
        let zero = f._mm512_setzero_si512();
        let (mut most, mut most_unsigned) = (zero, zero);
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load_dwords(src.add(i)) };
            (most, most_unsigned) = match side.width {
                2 => (bw._mm512_max_epi16(most, v), bw._mm512_max_epu16(most_unsigned, v)),
                4 => (f._mm512_max_epi32(most, v), f._mm512_max_epu32(most_unsigned, v)),
                _ => (f._mm512_max_epi64(most, v), f._mm512_max_epu64(most_unsigned, v)),
            };
            i += 64;
        }
        match side.width {
            2 => {
                let past = bw._mm512_cmpge_epi16_mask(most, positive);
                past | bw._mm512_cmpge_epu16_mask(most_unsigned, negative) != 0
            }
            4 => {
                let past = f._mm512_cmpge_epi32_mask(most, positive);
                past | f._mm512_cmpge_epu32_mask(most_unsigned, negative) != 0
            }
            _ => {
                let past = f._mm512_cmpge_epi64_mask(most, positive);
                past | f._mm512_cmpge_epu64_mask(most_unsigned, negative) != 0
            }
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
