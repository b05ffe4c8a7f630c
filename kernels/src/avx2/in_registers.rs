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
        if side.is_float && width < 8 {
            // SAFETY: the caller's.
            return unsafe { self.any_past(screen, width, src, bytes) };
        }
        if side.is_float && bytes.is_multiple_of(64) {
            // SAFETY: the caller's.
            let any = unsafe { self.any_high_past(screen, src, bytes) };
            if !any {
                return false;
            }
        } else if !side.is_float && !single && width < 8 {
            // SAFETY: the caller's.
            return unsafe { self.any_past_span(screen, width, src, bytes) };
        }
        let (addend, keep) = (self.all_of(width, screen.addend), self.all_of(width, screen.keep));
        let (second, mask) = (self.all_of(width, screen.second), self.all_of(width, screen.mask));
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
    /// A number in all lanes of so many bytes.
    #[inline(always)]
    fn all_of(self, width: usize, v: u64) -> __m256i {
        match width {
            2 => self.all16(v as i16),
            4 => self.all32(v as i32),
            _ => self.all64(v as i64),
        }
    }

    /// Integers with as much added to each.
    #[inline(always)]
    fn added(self, width: usize, v: __m256i, addend: __m256i) -> __m256i {
        match width {
            2 => self.add16(v, addend),
            4 => self.add32(v, addend),
            _ => self.add64(v, addend),
        }
    }

    /// Of floats of 2 or 4 bytes, by the first codes of either sign that may be unfit.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_past(self, screen: &Screen, width: usize, src: *const u8, bytes: usize) -> bool {
        let [positive, negative] = screen.first;
        let (positive, negative) = (self.all_of(width, positive), self.all_of(width, negative));
        let (mut most, mut most_unsigned) = (self.zero(), self.zero());
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load(src.add(i)) };
            (most, most_unsigned) =
                (self.larger(width, most, v), self.larger_unsigned(width, most_unsigned, v));
            i += 32;
        }
        self.is_past(width, [most, most_unsigned], [positive, negative])
    }

    /// Whether the upper half of a float64 is past that of the first codes that may be unfit, or the same: the least of them
    /// mostly has zeros below, so that this tells, and 64-bit lanes have no largest. They are looked at from two vectors at
    /// once.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`]; the registers are an even number.
    #[inline(always)]
    unsafe fn any_high_past(self, screen: &Screen, src: *const u8, bytes: usize) -> bool {
        let [positive, negative] = screen.first;
        let (positive, negative) = (self.all_of(4, positive >> 32), self.all_of(4, negative >> 32));
        let (mut most, mut most_unsigned) = (self.zero(), self.zero());
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: two whole registers are left.
            let (a, b) = unsafe { (self.load(src.add(i)), self.load(src.add(i + 32))) };
            let v = self.ps_bits(self.pick_ps::<0b11_01_11_01>(self.as_ps(a), self.as_ps(b)));
            (most, most_unsigned) = (self.max32(most, v), self.max_u32(most_unsigned, v));
            i += 64;
        }
        self.is_past(4, [most, most_unsigned], [positive, negative])
    }

    /// Of integers of 2 or 4 bytes, of which a span fits.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_past_span(
        self,
        screen: &Screen,
        width: usize,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        let (addend, last) = (self.all_of(width, screen.addend), self.all_of(width, screen.last));
        let (mut most, mut i) = (self.zero(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load(src.add(i)) };
            most = self.larger_unsigned(width, most, self.added(width, v, addend));
            i += 32;
        }
        self.signs8(self.same(width, self.larger_unsigned(width, most, last), last)) != -1
    }

    /// Whether a lane is at one of these numbers or past it: the largest so far as numbers with a sign at the first, and those
    /// as numbers without at the second.
    #[inline(always)]
    fn is_past(
        self,
        width: usize,
        [most, most_unsigned]: [__m256i; 2],
        [positive, negative]: [__m256i; 2],
    ) -> bool {
        // A lane is past if it is the larger one of both.
        let past = self.same(width, self.larger(width, most, positive), most);
        let largest = self.larger_unsigned(width, most_unsigned, negative);
        let past_unsigned = self.same(width, largest, most_unsigned);
        self.signs8(self.or(past, past_unsigned)) != 0
    }

    /// The larger of integers of 2 or 4 bytes with a sign.
    #[inline(always)]
    fn larger(self, width: usize, a: __m256i, b: __m256i) -> __m256i {
        match width {
            2 => self.max16(a, b),
            _ => self.max32(a, b),
        }
    }

    /// The same without.
    #[inline(always)]
    fn larger_unsigned(self, width: usize, a: __m256i, b: __m256i) -> __m256i {
        match width {
            2 => self.max_u16(a, b),
            _ => self.max_u32(a, b),
        }
    }

    /// Which of them are the same, in all their bits.
    #[inline(always)]
    fn same(self, width: usize, a: __m256i, b: __m256i) -> __m256i {
        match width {
            2 => self.eq16(a, b),
            _ => self.eq32(a, b),
        }
    }
}
