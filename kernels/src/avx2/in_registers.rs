//! What is done in registers with a step of elements before it is cast, or after it: see [`stepwise`](crate::stepwise).

use super::Avx2;
use crate::codec::unknown;
use crate::shape::{Asked, Screen, Tells, Tops};
use crate::stepwise::{InRegisters, Side, places};
use core::arch::x86_64::{__m128i, __m256i};

impl InRegisters for Avx2 {
    const REGISTER: usize = 32;
    const TESTED: usize = 128;

    type Places = __m256i;

    #[inline(always)]
    fn places(self, side: Side) -> __m256i {
        let places = self.twice(bytemuck::cast(places(side.width)));
        // (Of a shuffle that it knows behind one that puts two registers together, the compiler makes two and a blend.)
        if side.width == 8 && !side.is_float { unknown(&places) } else { places }
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
        if side.nan_fits {
            // SAFETY: the caller's.
            return unsafe { self.any_between_ends(screen, src, bytes) };
        }
        if side.is_span || !side.is_float && !single {
            // SAFETY: the caller's.
            return unsafe { self.any_past_span(screen, side, src, bytes) };
        }
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
        }
        let (addend, keep) = (self.all_of(width, screen.addend), self.all_of(width, screen.keep));
        let mask = self.all_of(width, screen.mask);
        let (mut any, mut signs) = (self.zero(), self.zero());
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let mut v = unsafe { self.load(src.add(i)) };
            if side.is_float {
                signs = self.or(signs, v);
                v = self.and(v, mask);
            }
            any = self.or(any, if side.from_zero { v } else { self.added(width, v, addend) });
            i += 32;
        }
        let signs = if screen.signs { signs } else { self.zero() };
        self.testz(self.or(any, signs), keep) == 0
    }

    #[inline(always)]
    unsafe fn any_past_tops(self, tops: &Tops, side: Side, src: *const u8, bytes: usize) -> bool {
        // SAFETY: the caller's.
        unsafe { self.any_past_tops_of(tops, side, self.zero(), src, bytes) }
    }
}

impl Avx2 {
    /// Whether codes may be unfit, of those in whole registers, or of 6 bits in whole groups, which
    /// [`on_top`](Self::on_top) takes apart by these `sixes`.
    ///
    /// # Safety
    /// `src` is valid for reading so many bytes, at any alignment.
    #[inline(always)]
    pub(super) unsafe fn any_past_tops_of(
        self,
        tops: &Tops,
        side: Side,
        sixes: __m256i,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        let told = |tells| Side { tells, ..side };
        let asked = tops.asked(side.tells, side.bits);
        // SAFETY: the caller's. (Each call has a way that the compiler knows.)
        unsafe {
            match asked {
                Asked::Set(bits) => self.any_set(bits, src, bytes),
                Asked::Other(bits) => self.any_other(bits, src, bytes),
                Asked::Tops(Tells::Signs) => {
                    self.any_top_past(tops, told(Tells::Signs), sixes, src, bytes)
                }
                Asked::Tops(Tells::NoMinusZero) => {
                    self.any_top_past(tops, told(Tells::NoMinusZero), sixes, src, bytes)
                }
                Asked::Tops(_) => self.any_top_past(tops, told(Tells::Span), sixes, src, bytes),
                Asked::Nothing => true,
            }
        }
    }

    /// Whether any byte has one of these bits.
    ///
    /// # Safety
    /// As for [`any_past_tops_of`](Self::any_past_tops_of), of whole registers.
    #[inline(always)]
    unsafe fn any_set(self, bits: u8, src: *const u8, bytes: usize) -> bool {
        let (mut any, mut i) = (self.zero(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            any = self.or(any, unsafe { self.load(src.add(i)) });
            i += 32;
        }
        self.testz(any, self.all8(bits as i8)) == 0
    }

    /// The same of bits other than the one below.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn any_other(self, bits: u8, src: *const u8, bytes: usize) -> bool {
        let (mut any, mut i) = (self.zero(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load(src.add(i)) };
            any = self.or(any, self.xor(v, self.add8(v, v)));
            i += 32;
        }
        self.testz(any, self.all8(bits as i8)) == 0
    }

    /// Whether codes of 4, 6 or 8 bits may be unfit, by what they are at the top of a byte, which is told in a known way.
    ///
    /// # Safety
    /// As for [`any_past_tops_of`](Self::any_past_tops_of).
    #[inline(always)]
    unsafe fn any_top_past(
        self,
        tops: &Tops,
        side: Side,
        sixes: __m256i,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        let mut most = Most::none(self, tops, side.tells);
        let above = self.count(side.above);
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left, or a group.
            unsafe {
                let src = src.add(i);
                match side.bits {
                    6 => {
                        most.see(self, self.on_top(sixes, src, 0));
                        most.see(self, self.on_top(sixes, src, 1));
                        most.see(self, self.on_top(sixes, src, 2));
                        most.see(self, self.on_top(sixes, src, 3));
                    }
                    4 => {
                        let both = self.load(src);
                        most.see(self, both);
                        most.see(self, self.shl16::<4>(both));
                    }
                    _ => most.see(self, self.sll16(self.load(src), above)),
                }
            }
            i += if side.bits == 6 { 96 } else { 32 };
        }
        most.is_past(self, tops)
    }
}

/// The largest bytes so far, of which it is told whether codes fit: see [`Tops`].
pub(super) struct Most {
    tells: Tells,
    addend: __m256i,
    signed: __m256i,
    unsigned: __m256i,
}

impl Most {
    #[inline(always)]
    pub(super) fn none(isa: Avx2, tops: &Tops, tells: Tells) -> Self {
        let addend = isa.all8(tops.addend as i8);
        Self { tells, addend, signed: isa.all8(i8::MIN), unsigned: isa.zero() }
    }

    #[inline(always)]
    pub(super) fn see(&mut self, isa: Avx2, tops: __m256i) {
        let moved = match self.tells {
            Tells::Signs | Tells::NoMinusZero => tops,
            Tells::Span | Tells::Any => isa.add8(tops, self.addend),
        };
        self.unsigned = isa.max_u8(self.unsigned, moved);
        self.signed = match self.tells {
            Tells::Span => self.signed,
            Tells::Signs | Tells::Any => isa.max8(self.signed, moved),
            // (NaN becomes the largest.)
            Tells::NoMinusZero => isa.max8(self.signed, isa.add8(moved, isa.all8(-1))),
        };
    }

    #[inline(always)]
    pub(super) fn is_past(&self, isa: Avx2, tops: &Tops) -> bool {
        let (last_signed, last) = (isa.all8(tops.last_signed), isa.all8(tops.last as i8));
        let fits = isa.eq8(isa.max_u8(self.unsigned, last), last);
        let fits = isa.andnot(isa.gt8(self.signed, last_signed), fits);
        isa.signs8(fits) != -1
    }
}

impl Avx2 {
    /// How far all lanes are shifted.
    #[inline(always)]
    fn count(self, bits: usize) -> __m128i {
        self.lower(self.all64(bits as i64))
    }

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

    /// Of numbers of which those next to each other fit. (64-bit lanes have no largest. If the last that fits, once it is
    /// moved, is below 2^32, the largest of either half tell the same: of the upper ones that is zero.)
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_past_span(
        self,
        screen: &Screen,
        side: Side,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        let width = side.width;
        if width == 8 && screen.last > u64::from(u32::MAX) {
            // SAFETY: the caller's.
            return unsafe { self.any_past_span_64(screen, src, bytes) };
        }
        let (addend, last) = (self.all_of(width, screen.addend), self.all_of(width, screen.last));
        let lane = width.min(4);
        let (mut most, mut i) = (self.zero(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load(src.add(i)) };
            let moved = if side.from_zero { v } else { self.added(width, v, addend) };
            most = self.larger_unsigned(lane, most, moved);
            i += 32;
        }
        self.signs8(self.same(lane, self.larger_unsigned(lane, most, last), last)) != -1
    }

    /// The same of 64-bit lanes, by comparisons, which take them for numbers with a sign.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_past_span_64(self, screen: &Screen, src: *const u8, bytes: usize) -> bool {
        const TOP: u64 = 1 << 63;
        let addend = self.all64((screen.addend ^ TOP) as i64);
        let last = self.all64((screen.last ^ TOP) as i64);
        let (mut any, mut i) = (self.zero(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let moved = self.add64(unsafe { self.load(src.add(i)) }, addend);
            any = self.or(any, self.gt64(moved, last));
            i += 32;
        }
        self.signs8(any) != 0
    }

    /// Whether a float of 16 bits is between those ends that fit.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`].
    #[inline(always)]
    unsafe fn any_between_ends(self, screen: &Screen, src: *const u8, bytes: usize) -> bool {
        let (addend, last) = (self.all16(screen.addend as i16), self.all16(screen.last as i16));
        let (mut most, mut i) = (self.zero(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load(src.add(i)) };
            most = self.max_u16(most, self.add16(self.add16(v, v), addend));
            i += 32;
        }
        self.signs8(self.eq16(self.max_u16(most, last), last)) != -1
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
