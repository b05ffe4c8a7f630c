//! Elements in the other byte order, turned in registers: see [`crate::swap`].

use super::shim::{Bf16, Vbmi};
use super::{Avx512, Features};
use crate::swap::turned::places;
use crate::swap::{Side, Turns};
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
    /// As for [`Turns::turn`].
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
}

macro_rules! turns {
    ($($token:ident: |$isa:ident| $features:expr;)*) => {$(
        impl Turns for $token {
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
        }
    )*};
}

turns! {
    Avx512: |isa| isa.0;
    Vbmi: |isa| isa.features;
    Bf16: |isa| isa.vbmi.features;
}
