//! What is done in registers with a step of elements before it is cast, or after it: see [`stepwise`](crate::stepwise).

use super::shim::{Bf16, Vbmi};
use super::tables::LookUp;
use super::{Avx512, Features, pieces};
use crate::codec::unknown;
use crate::shape::{Asked, Screen, Tells, Tops};
use crate::stepwise::{InRegisters, Side, places};
use core::arch::x86_64::*;

/// How the components of a register are turned: each byte comes from a place in its lane. Kernels that widen or narrow numbers
/// need the ports for that, too: one of an Intel's, two of a Zen 4's. With VBMI2 words are rotated instead, by another port; so
/// can dwords be, in two steps. With VBMI what is longer is shifted byte by byte, which takes an Intel the same port, but a
/// Zen 4 mostly others. Where it is mixed, one of four registers is turned by three rotations instead: of words, of pairs of
/// them, and of fours.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    width: usize,
    places: __m512i,
    finer: Option<Finer>,
    /// Whether one of four registers of numbers of 64 bits is turned so.
    mixed: bool,
}

#[derive(Clone, Copy)]
struct Finer {
    isa: Vbmi,
    /// By how many bits words are rotated.
    eights: __m512i,
    /// The bits of 64 that bytes start at.
    starts: __m512i,
    /// By how many bits 64 are rotated.
    half: __m512i,
}

/// Where in 64 bits each byte starts of components of so many bytes that are turned.
const fn starts(width: usize) -> [u8; 16] {
    let mut starts = places(width);
    let mut i = 0;
    while i < 16 {
        starts[i] = 8 * (starts[i] % 8);
        i += 1;
    }
    starts
}

impl Vbmi {
    /// How components of so many bytes are turned by other instructions than a shuffle, too.
    #[inline(always)]
    pub(super) fn finer_turn(self, width: usize) -> Turn {
        let x = self.features;
        // (Of rotations that the compiler knows of it makes shuffles again.)
        let (eights, half) = (x.word(unknown(&8)), x.qword(unknown(&32)));
        let finer = Some(Finer { isa: self, eights, starts: x.in_lanes(&starts(width)), half });
        Turn { finer, ..x.turn(width) }
    }
}

/// The lanes of 64 bits with imaginary parts.
const IMAGINARY: __mmask8 = 0b1010_1010;

impl Features {
    /// How components of so many bytes are turned.
    #[inline(always)]
    pub(super) fn turn(self, width: usize) -> Turn {
        Turn { width, places: self.in_lanes(&places(width)), finer: None, mixed: false }
    }

    /// A register with its components turned, if they are to be.
    #[inline(always)]
    pub(super) fn turned_if(self, wanted: bool, turn: Turn, v: __m512i) -> __m512i {
        match turn.finer {
            _ if !wanted => v,
            Some(Finer { isa, eights, .. }) if turn.width == 2 => isa.shldv_epi16(v, v, eights),
            Some(Finer { isa, starts, .. }) => isa.multishift_epi64_epi8(starts, v),
            None => self.bw._mm512_shuffle_epi8(v, turn.places),
        }
    }

    /// Two registers with their components turned; dwords by both ports, if mixed.
    #[inline(always)]
    pub(super) fn turned_pair(self, turn: Turn, mixed: bool, [a, b]: [__m512i; 2]) -> [__m512i; 2] {
        match turn.finer {
            Some(Finer { isa, eights, .. }) if turn.width == 4 && mixed => [
                self.bw._mm512_shuffle_epi8(a, turn.places),
                self.f._mm512_rol_epi32::<16>(isa.shldv_epi16(b, b, eights)),
            ],
            _ => [self.turned_if(true, turn, a), self.turned_if(true, turn, b)],
        }
    }

    /// Numbers of 64 bits turned by rotations, by one port of an Intel's, where the others take another one.
    #[inline(always)]
    fn rotated(self, Finer { isa, eights, half, .. }: Finer, v: __m512i) -> __m512i {
        let words = self.f._mm512_rol_epi32::<16>(isa.shldv_epi16(v, v, eights));
        self.f._mm512_rolv_epi64(words, half)
    }

    /// As [`turned_if`](Self::turned_if), of half a register.
    #[inline(always)]
    pub(super) fn turned_half(self, turn: Turn, v: __m256i) -> __m256i {
        let half = |v| self.f._mm512_castsi512_si256(v);
        match turn.finer {
            Some(Finer { isa, eights, .. }) if turn.width == 2 => {
                isa.half_shldv_epi16(v, v, half(eights))
            }
            Some(Finer { isa, starts, .. }) => isa.half_multishift_epi64_epi8(half(starts), v),
            None => self.avx2._mm256_shuffle_epi8(v, half(turn.places)),
        }
    }

    /// # Safety
    /// As for [`InRegisters::turn`].
    #[inline(always)]
    unsafe fn turn_registers(self, turn: Turn, src: *const u8, dst: *mut u8, bytes: usize) {
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            unsafe {
                let v = self.load_dwords(src.add(i));
                let turned = match turn.finer {
                    Some(finer) if turn.mixed && i.is_multiple_of(256) => self.rotated(finer, v),
                    _ => self.turned_if(true, turn, v),
                };
                self.store_dwords(dst.add(i), turned);
            }
            i += 64;
        }
    }

    /// # Safety
    /// As for [`InRegisters::turn_halves`].
    #[inline(always)]
    unsafe fn turn_halves(self, turn: Turn, src: *const u8, dst: *mut u8, bytes: usize) {
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole halves are left.
            unsafe {
                let v = self.load_words(src.add(i));
                self.store_words(dst.add(i), self.turned_half(turn, v));
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
        if side.nan_fits {
            // SAFETY: the caller's.
            return unsafe { self.any_between_ends(screen, src, bytes) };
        }
        let width = side.width;
        if side.is_span || !side.is_float && !single {
            // SAFETY: the caller's.
            return unsafe { self.any_past_span(screen, width, src, bytes) };
        }
        if side.is_float {
            // (Steps of float64s are mostly an even number of registers, which the compiler knows.)
            let by_halves = side.width == 8 && bytes.is_multiple_of(128);
            // SAFETY: the caller's; by halves the registers are an even number.
            return unsafe {
                (!by_halves || self.any_high_past(screen, side, src, bytes))
                    && self.any_past(screen, side, src, bytes)
            };
        }
        let (addend, keep) = (self.all(width, screen.addend), self.all(width, screen.keep));
        let mut any = self.f._mm512_setzero_si512();
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load_dwords(src.add(i)) };
            any = self.f._mm512_or_si512(any, self.added(width, v, addend));
            i += 64;
        }
        self.f._mm512_test_epi32_mask(any, keep) != 0
    }

    /// The same of numbers of which those next to each other fit.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn any_past_span(
        self,
        screen: &Screen,
        width: usize,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        let (addend, last) = (self.all(width, screen.addend), self.all(width, screen.last));
        let (mut most, mut i) = (self.f._mm512_setzero_si512(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let moved = self.added(width, unsafe { self.load_dwords(src.add(i)) }, addend);
            most = match width {
                2 => self.bw._mm512_max_epu16(most, moved),
                4 => self.f._mm512_max_epu32(most, moved),
                _ => self.f._mm512_max_epu64(most, moved),
            };
            i += 64;
        }
        match width {
            2 => self.bw._mm512_cmpgt_epu16_mask(most, last) != 0,
            4 => self.f._mm512_cmpgt_epu32_mask(most, last) != 0,
            _ => self.f._mm512_cmpgt_epu64_mask(most, last) != 0,
        }
    }

    /// Whether a float of 16 bits is between those ends that fit.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn any_between_ends(self, screen: &Screen, src: *const u8, bytes: usize) -> bool {
        let (addend, last) = (self.word(screen.addend as u16), self.word(screen.last as u16));
        let (mut most, mut i) = (self.f._mm512_setzero_si512(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load_dwords(src.add(i)) };
            let moved = self.bw._mm512_add_epi16(self.bw._mm512_add_epi16(v, v), addend);
            most = self.bw._mm512_max_epu16(most, moved);
            i += 64;
        }
        self.bw._mm512_cmpgt_epu16_mask(most, last) != 0
    }

    /// Whether the upper half of a float64 is past that of the first codes that may be unfit, or the same: the least of them
    /// mostly has zeros below, so that this tells. (Of 64-bit lanes the largest takes Intel's CPUs two operations, for half as
    /// many numbers.) Of complex elements these are real parts; or else whether an imaginary one is not zero.
    ///
    /// # Safety
    /// As for [`InRegisters::any_unfit`]; the registers are an even number.
    #[inline(always)]
    unsafe fn any_high_past(
        self,
        screen: &Screen,
        side: Side,
        src: *const u8,
        bytes: usize,
    ) -> bool {
        let f = self.f;
        let zero = f._mm512_setzero_si512();
        let (mut most, mut most_unsigned, mut imaginary) = (zero, zero, zero);
        let mut i = 0;
        while i < bytes {
            // SAFETY: the caller's: two whole registers are left.
            let [a, b] = unsafe { self.load_qwords(src.add(i)) };
            let (low, high) = (f._mm512_castsi512_ps(a), f._mm512_castsi512_ps(b));
            let v = match side.is_complex() {
                true => f._mm512_shuffle_ps::<0b01_01_01_01>(low, high),
                false => f._mm512_shuffle_ps::<0b11_01_11_01>(low, high),
            };
            let v = f._mm512_castps_si512(v);
            most = f._mm512_max_epi32(most, v);
            most_unsigned = f._mm512_max_epu32(most_unsigned, v);
            if side.is_complex() {
                // imaginary OR a OR b
                imaginary = f._mm512_ternarylogic_epi64::<0xfe>(imaginary, a, b);
            }
            i += 128;
        }
        let [positive, negative] = screen.first;
        let (positive, negative) =
            (self.dword((positive >> 32) as u32), self.dword((negative >> 32) as u32));
        let past = f._mm512_cmpge_epi32_mask(most, positive);
        let past = past | f._mm512_cmpge_epu32_mask(most_unsigned, negative);
        // (Of either zero.)
        let magnitudes = self.qword(i64::MAX as u64);
        let imaginary = f._mm512_mask_test_epi64_mask(IMAGINARY, imaginary, magnitudes);
        past != 0 || imaginary != 0
    }

    /// Whether a float may be unfit, by the first codes of either sign that may be. Of complex ones' imaginary parts, which are
    /// in every other lane, these are those after zero.
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

/// Whether codes of a byte or less may be unfit, of those in whole registers, or of 6 bits in whole groups.
///
/// # Safety
/// `src` is valid for reading so many bytes, at any alignment.
#[inline(always)]
unsafe fn any_past_tops<L: LookUp>(
    isa: L,
    tops: &Tops,
    side: Side,
    src: *const u8,
    bytes: usize,
) -> bool {
    let x = isa.features();
    let told = |tells| Side { tells, ..side };
    let asked = tops.asked(side.tells, side.bits);
    // SAFETY: the caller's. (Each call has a way that the compiler knows.)
    unsafe {
        match asked {
            Asked::Set(bits) => x.any_set(bits, src, bytes),
            Asked::Other(bits) => x.any_other(bits, src, bytes),
            Asked::Tops(Tells::Signs) => any_top_past(isa, tops, told(Tells::Signs), src, bytes),
            Asked::Tops(Tells::NoMinusZero) => {
                any_top_past(isa, tops, told(Tells::NoMinusZero), src, bytes)
            }
            Asked::Tops(_) => any_top_past(isa, tops, told(Tells::Span), src, bytes),
            Asked::Nothing => true,
        }
    }
}

impl Features {
    /// Whether any byte has one of these bits.
    ///
    /// # Safety
    /// As for [`any_past_tops`], of whole registers.
    #[inline(always)]
    unsafe fn any_set(self, bits: u8, src: *const u8, bytes: usize) -> bool {
        let (mut any, mut i) = (self.f._mm512_setzero_si512(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            any = self.f._mm512_or_si512(any, unsafe { self.load_dwords(src.add(i)) });
            i += 64;
        }
        self.f._mm512_test_epi32_mask(any, self.byte(bits)) != 0
    }

    /// Whether one of these bits is another than the one below.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn any_other(self, bits: u8, src: *const u8, bytes: usize) -> bool {
        let (mut any, mut i) = (self.f._mm512_setzero_si512(), 0);
        while i < bytes {
            // SAFETY: the caller's: whole registers are left.
            let v = unsafe { self.load_dwords(src.add(i)) };
            // any OR (v XOR v + v)
            any = self.f._mm512_ternarylogic_epi32::<0xf6>(any, v, self.bw._mm512_add_epi8(v, v));
            i += 64;
        }
        self.f._mm512_test_epi32_mask(any, self.byte(bits)) != 0
    }
}

/// Whether codes of 4, 6 or 8 bits may be unfit, by what they are at the top of a byte, which is told in a known way.
///
/// # Safety
/// As for [`any_past_tops`].
#[inline(always)]
unsafe fn any_top_past<L: LookUp>(
    isa: L,
    tops: &Tops,
    side: Side,
    src: *const u8,
    bytes: usize,
) -> bool {
    let x = isa.features();
    let mut most = Most::none(x, tops, side.tells);
    let above = x.sse2._mm_cvtsi32_si128(side.above as i32);
    let mut i = 0;
    while i < bytes {
        // SAFETY: the caller's: whole registers are left, or a group.
        unsafe {
            let src = src.add(i);
            match side.bits {
                6 => {
                    let codes = isa.spread(6, pieces::load_group(x, 6, src));
                    most.see(x, x.bw._mm512_slli_epi16::<2>(codes));
                }
                4 => {
                    let both = x.load_dwords(src);
                    most.see(x, both);
                    most.see(x, x.bw._mm512_slli_epi16::<4>(both));
                }
                _ => most.see(x, x.bw._mm512_sll_epi16(x.load_dwords(src), above)),
            }
        }
        i += if side.bits == 6 { 48 } else { 64 };
    }
    most.is_past(x, tops)
}

/// The largest bytes so far, of which it is told whether codes fit: see [`Tops`].
struct Most {
    tells: Tells,
    addend: __m512i,
    signed: __m512i,
    unsigned: __m512i,
}

impl Most {
    #[inline(always)]
    fn none(x: Features, tops: &Tops, tells: Tells) -> Self {
        let (addend, signed) = (x.byte(tops.addend), x.byte(i8::MIN as u8));
        Self { tells, addend, signed, unsigned: x.f._mm512_setzero_si512() }
    }

    #[inline(always)]
    fn see(&mut self, x: Features, tops: __m512i) {
        let bw = x.bw;
        let moved = match self.tells {
            Tells::Signs | Tells::NoMinusZero => tops,
            Tells::Span | Tells::Any => bw._mm512_add_epi8(tops, self.addend),
        };
        self.unsigned = bw._mm512_max_epu8(self.unsigned, moved);
        self.signed = match self.tells {
            Tells::Span => self.signed,
            Tells::Signs | Tells::Any => bw._mm512_max_epi8(self.signed, moved),
            // (NaN becomes the largest.)
            Tells::NoMinusZero => {
                bw._mm512_max_epi8(self.signed, bw._mm512_add_epi8(moved, x.byte(u8::MAX)))
            }
        };
    }

    #[inline(always)]
    fn is_past(&self, x: Features, tops: &Tops) -> bool {
        let (last_signed, last) = (x.byte(tops.last_signed as u8), x.byte(tops.last));
        let past = x.bw._mm512_cmpgt_epu8_mask(self.unsigned, last);
        past | x.bw._mm512_cmpgt_epi8_mask(self.signed, last_signed) != 0
    }
}

macro_rules! in_registers {
    ($($token:ident: |$isa:ident| $look_up:expr;)*) => {$(
        impl InRegisters for $token {
            type Places = Turn;

            #[inline(always)]
            fn places(self, side: Side) -> Turn {
                let $isa = self;
                let turn = $look_up.turn_of(side.width);
                debug_assert!(!side.mixed || side.width == 8);
                Turn { mixed: side.mixed, ..turn }
            }

            #[inline(always)]
            unsafe fn turn(self, turn: Turn, src: *const u8, dst: *mut u8, bytes: usize) {
                let $isa = self;
                // SAFETY: the caller's.
                unsafe { $look_up.features().turn_registers(turn, src, dst, bytes) }
            }

            #[inline(always)]
            unsafe fn turn_halves(self, turn: Turn, src: *const u8, dst: *mut u8, bytes: usize) {
                let $isa = self;
                // SAFETY: the caller's.
                unsafe { $look_up.features().turn_halves(turn, src, dst, bytes) }
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
                unsafe { $look_up.features().any_unfit(screen, single, side, src, bytes) }
            }

            #[inline(always)]
            unsafe fn any_past_tops(
                self,
                tops: &Tops,
                side: Side,
                src: *const u8,
                bytes: usize,
            ) -> bool {
                let $isa = self;
                // SAFETY: the caller's.
                unsafe { any_past_tops($look_up, tops, side, src, bytes) }
            }
        }
    )*};
}

in_registers! {
    Avx512: |isa| isa;
    Vbmi: |isa| isa;
    Bf16: |isa| isa.vbmi;
}
