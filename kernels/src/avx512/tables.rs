//! Look-ups of bytes: what the 256 values of a byte become, by permutations of registers that hold
//! the table. How many that takes depends on what the table repeats.

use super::in_registers::Turn;
use super::shim::Vbmi;
use super::uppers::Uppers;
use super::words::every_other_byte;
use super::{Avx512, Features, packed, pieces};
use crate::codec::Isa;
use crate::stepwise::{self, InRegisters, Side, whole_steps};
use crate::table::Params;
use core::arch::x86_64::*;

/// A table, and what it repeats.
pub(super) struct ByteMap {
    pub(super) bytes: [u8; 256],
    pub(super) shape: Shape,
}

#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// The same for every byte.
    Constant,
    /// Bits 6 and 7 of the byte don't matter.
    Low6,
    /// Bit 7 does not matter.
    Low7,
    /// A byte is itself, but for what is added where its lower seven bits are at most 15 more than 0x70, whatever bit 7.
    Ends,
    /// Bit 7 is that of the result, turned over if it is set in the lower half of the table.
    Sign,
    /// Those past 127 are as good as that.
    Start,
    /// As bytes with a sign, those past 63 are as good as that, and those below -64.
    Middle,
    /// Anything.
    Any,
}

/// A byte with a sign, clamped to the numbers of [`Shape::Middle`].
const fn within_64(byte: i8) -> i8 {
    if byte > 63 {
        63
    } else if byte < -64 {
        -64
    } else {
        byte
    }
}

impl ByteMap {
    pub(super) const fn new(bytes: [u8; 256]) -> Self {
        let (mut constant, mut low6, mut low7, mut ends, mut sign) = (true, true, true, true, true);
        let (mut middle, mut start) = (true, true);
        let mut i = 0;
        while i < 256 {
            constant = constant && bytes[i] == bytes[0];
            low6 = low6 && bytes[i] == bytes[i % 64];
            low7 = low7 && bytes[i] == bytes[i % 128];
            let (code, twin) = (i as u8, bytes[i ^ 0x80]);
            ends = ends && twin == bytes[i] ^ 0x80 && (bytes[i] == code || i % 128 > 0x70);
            sign = sign && bytes[i] == bytes[i % 128] ^ (i as u8 & 0x80);
            middle = middle && bytes[i] == bytes[within_64(code as i8) as u8 as usize];
            start = start && (i < 128 || bytes[i] == bytes[127]);
            i += 1;
        }
        let shape = if constant {
            Shape::Constant
        } else if low6 {
            Shape::Low6
        } else if low7 {
            Shape::Low7
        } else if ends {
            Shape::Ends
        } else if sign {
            Shape::Sign
        } else if start {
            Shape::Start
        } else if middle {
            Shape::Middle
        } else {
            Shape::Any
        };
        Self { bytes, shape }
    }

    /// The same without looking at the table, for one that is made when it is needed.
    pub(super) const fn of_any(bytes: [u8; 256]) -> Self {
        Self { bytes, shape: Shape::Any }
    }

    /// The same, of which only the first quarter counts, for codes of at most 6 bits.
    pub(super) const fn of_six(bytes: [u8; 256]) -> Self {
        Self { bytes, shape: Shape::Low6 }
    }

    /// Whether all bytes become 0.
    pub(super) const fn is_zero(&self) -> bool {
        matches!(self.shape, Shape::Constant) && self.bytes[0] == 0
    }

    /// A quarter of the table.
    #[inline(always)]
    fn part(&self, x: Features, i: usize) -> __m512i {
        let part: &[u8; 64] = self.bytes[64 * i..].first_chunk().expect("i is below 4");
        x.constant(part)
    }

    /// Of 64 bytes those that are as good, and that the half of the table knows which is looked up.
    #[inline(always)]
    fn clamped(&self, x: Features, v: __m512i) -> __m512i {
        match self.shape {
            Shape::Middle => {
                x.bw._mm512_max_epi8(x.bw._mm512_min_epi8(v, x.byte(63)), x.byte(-64i8 as u8))
            }
            Shape::Start => x.bw._mm512_min_epu8(v, x.byte(127)),
            _ => v,
        }
    }

    /// The half of the table that is looked up, where that is enough: by the low seven bits of a byte.
    #[inline(always)]
    fn half(&self, x: Features) -> [__m512i; 2] {
        // (Of -64 to -1 the low seven bits are 64 to 127.)
        let upper = if let Shape::Middle = self.shape { 3 } else { 1 };
        [self.part(x, 0), self.part(x, upper)]
    }

    /// What 64 bytes become by a table whose shape is that of ends.
    #[inline(always)]
    fn with_ends(&self, x: Features, v: __m512i) -> __m512i {
        const CODES: [u8; 16] = {
            let mut codes = [0; 16];
            let mut i = 0;
            while i < 16 {
                codes[i] = 0x70 + i as u8;
                i += 1;
            }
            codes
        };
        let ends: &[u8; 16] = self.bytes[0x70..].first_chunk().expect("there are more");
        let more = x.bw._mm512_sub_epi8(x.in_lanes(ends), x.in_lanes(&CODES));
        let low7 = x.f._mm512_and_si512(v, x.byte(0x7f));
        let at = x.bw._mm512_subs_epu8(low7, x.byte(0x70));
        x.bw._mm512_add_epi8(v, x.bw._mm512_shuffle_epi8(more, at))
    }
}

/// An instruction set that can look bytes up, and move packed codes to bytes and back.
pub(super) trait LookUp: Copy {
    fn features(self) -> Features;

    /// What 64 bytes become.
    fn look_up(self, map: &ByteMap, v: __m512i) -> __m512i;

    /// What the lower halves of 64 bytes become, by a table that repeats itself from 16 to 16.
    fn look_up_halves(self, table: &[u8; 64], v: __m512i) -> __m512i;

    /// The 64 codes of so many bits at the front of a register, a byte each.
    fn spread(self, bits: usize, packed: __m512i) -> __m512i;

    /// 64 codes in the low bits of a byte each, packed at the front of a register.
    fn gather(self, bits: usize, v: __m512i) -> __m512i;

    /// Whether four groups of 64 codes are put together before they are written.
    const STORES_TOGETHER: bool = false;

    /// Writes four groups of 64 codes of so many bits, 6 at most, which come a byte each, with nothing above their bits, and
    /// mixed as two registers of words are packed or not.
    ///
    /// # Safety
    /// `dst` is valid for writing them, and [`STORES_TOGETHER`](Self::STORES_TOGETHER) holds.
    unsafe fn store_four_groups(self, _bits: usize, _mixed: bool, _dst: *mut u8, _v: [__m512i; 4]) {
        unreachable!();
    }

    /// The low bytes of 64 words.
    fn low_bytes(self, a: __m512i, b: __m512i) -> __m512i;

    /// The high bytes of 64 words.
    fn high_bytes(self, a: __m512i, b: __m512i) -> __m512i;

    /// How components of so many bytes are turned.
    #[inline(always)]
    fn turn_of(self, width: usize) -> Turn {
        self.features().turn(width)
    }

    /// What [`beside_zeros`](Self::beside_zeros) needs, to be made before a loop.
    fn uppers(self) -> Uppers;

    /// 64 words whose high bytes these are, or, if they are turned, the low ones; the others are zero.
    fn beside_zeros<const TURNED: bool>(self, uppers: &Uppers, v: __m512i) -> [__m512i; 2];
}

impl LookUp for Vbmi {
    const STORES_TOGETHER: bool = true;

    #[inline(always)]
    fn features(self) -> Features {
        self.features
    }

    #[inline(always)]
    fn look_up(self, map: &ByteMap, v: __m512i) -> __m512i {
        let x = self.features;
        let [a, b] = map.half(x);
        let lower = self.permutex2var_epi8(a, map.clamped(x, v), b);
        match map.shape {
            Shape::Constant => x.byte(map.bytes[0]),
            Shape::Low6 => self.permutexvar_epi8(v, map.part(x, 0)),
            Shape::Low7 | Shape::Middle | Shape::Start => lower,
            Shape::Ends => map.with_ends(x, v),
            // lower XOR (v AND the top bit)
            Shape::Sign => x.f._mm512_ternarylogic_epi32::<0x78>(lower, v, x.byte(0x80)),
            Shape::Any => {
                let upper = self.permutex2var_epi8(map.part(x, 2), v, map.part(x, 3));
                x.bw._mm512_mask_mov_epi8(lower, x.bw._mm512_movepi8_mask(v), upper)
            }
        }
    }

    #[inline(always)]
    fn look_up_halves(self, table: &[u8; 64], v: __m512i) -> __m512i {
        self.permutexvar_epi8(v, self.features.constant(table))
    }

    #[inline(always)]
    fn spread(self, bits: usize, packed: __m512i) -> __m512i {
        packed::spread(self, bits, packed)
    }

    #[inline(always)]
    fn gather(self, bits: usize, v: __m512i) -> __m512i {
        packed::gather(self, bits, v)
    }

    #[inline(always)]
    unsafe fn store_four_groups(self, bits: usize, mixed: bool, dst: *mut u8, v: [__m512i; 4]) {
        // SAFETY: the caller's.
        unsafe { packed::store_four_groups(self, bits, mixed, dst, v) }
    }

    #[inline(always)]
    fn low_bytes(self, a: __m512i, b: __m512i) -> __m512i {
        let even = self.features.constant(&const { every_other_byte(0) });
        self.permutex2var_epi8(a, even, b)
    }

    #[inline(always)]
    fn high_bytes(self, a: __m512i, b: __m512i) -> __m512i {
        let odd = self.features.constant(&const { every_other_byte(1) });
        self.permutex2var_epi8(a, odd, b)
    }

    #[inline(always)]
    fn turn_of(self, width: usize) -> Turn {
        self.finer_turn(width)
    }

    #[inline(always)]
    fn uppers(self) -> Uppers {
        Uppers::of_bytes()
    }

    #[inline(always)]
    fn beside_zeros<const TURNED: bool>(self, uppers: &Uppers, v: __m512i) -> [__m512i; 2] {
        let [low, high] = uppers.places;
        let asked = if TURNED { !uppers.asked } else { uppers.asked };
        [self.maskz_permutexvar_epi8(asked, low, v), self.maskz_permutexvar_epi8(asked, high, v)]
    }
}

/// Without a permutation of bytes, one of words finds the pair that a byte's result is in by all bits
/// of the byte but the last, which then tells the two apart; even and odd bytes take turns.
impl LookUp for Avx512 {
    #[inline(always)]
    fn features(self) -> Features {
        self.0
    }

    #[inline(always)]
    fn look_up(self, map: &ByteMap, v: __m512i) -> __m512i {
        let x = self.0;
        if let Shape::Constant = map.shape {
            return x.byte(map.bytes[0]);
        }
        if let Shape::Ends = map.shape {
            return map.with_ends(x, v);
        }
        let v = map.clamped(x, v);
        // Bits 1 to 7 of the even bytes and of the odd ones, each at the foot of its word, with the
        // rest of the word above, where the permutation does not look.
        let even = pair(x, map, x.bw._mm512_srli_epi16::<1>(v));
        let odd = pair(x, map, x.bw._mm512_srli_epi16::<9>(v));
        // Which byte of the pair: shifted down for the even places, up for the odd ones.
        let one = x.f._mm512_set1_epi16(1);
        let down = x.bw._mm512_slli_epi16::<3>(x.f._mm512_and_si512(v, one));
        let even = x.bw._mm512_srlv_epi16(even, down);
        let up = x.bw._mm512_test_epi16_mask(v, x.f._mm512_set1_epi16(0x100));
        let odd = x.bw._mm512_mask_mov_epi16(x.bw._mm512_slli_epi16::<8>(odd), up, odd);
        // Low bytes from `even`, high ones from `odd`.
        let low = x.f._mm512_set1_epi16(0xff);
        let found = x.f._mm512_ternarylogic_epi32::<0xca>(low, even, odd);
        if let Shape::Sign = map.shape {
            return x.f._mm512_ternarylogic_epi32::<0x78>(found, v, x.byte(0x80));
        }
        found
    }

    #[inline(always)]
    fn look_up_halves(self, table: &[u8; 64], v: __m512i) -> __m512i {
        let x = self.0;
        let halves = x.f._mm512_and_si512(v, x.byte(15));
        x.bw._mm512_shuffle_epi8(x.constant(table), halves)
    }

    #[inline(always)]
    fn spread(self, bits: usize, packed: __m512i) -> __m512i {
        pieces::spread(self.0, bits, packed)
    }

    #[inline(always)]
    fn gather(self, bits: usize, v: __m512i) -> __m512i {
        pieces::gather(self.0, bits, v)
    }

    #[inline(always)]
    fn low_bytes(self, a: __m512i, b: __m512i) -> __m512i {
        let x = self.0;
        let byte = x.word(0xff);
        let (a, b) = (x.f._mm512_and_si512(a, byte), x.f._mm512_and_si512(b, byte));
        x.unmix_words(x.bw._mm512_packus_epi16(a, b))
    }

    #[inline(always)]
    fn high_bytes(self, a: __m512i, b: __m512i) -> __m512i {
        let bw = self.0.bw;
        let (a, b) = (bw._mm512_srli_epi16::<8>(a), bw._mm512_srli_epi16::<8>(b));
        self.0.unmix_words(bw._mm512_packus_epi16(a, b))
    }

    #[inline(always)]
    fn uppers(self) -> Uppers {
        Uppers::of_qwords(self.0)
    }

    #[inline(always)]
    fn beside_zeros<const TURNED: bool>(self, uppers: &Uppers, v: __m512i) -> [__m512i; 2] {
        let x = self.0;
        let v = x.f._mm512_permutexvar_epi64(uppers.places[0], v);
        x.interleaved_bytes::<TURNED>(x.f._mm512_setzero_si512(), v)
    }
}

/// What `n` bytes become. One loop for each shape serves all tables.
///
/// # Safety
/// The pointers are valid for `n` bytes, and don't overlap. The CPU has the token's instruction set.
#[inline(never)]
pub(super) unsafe fn map_bytes<L: LookUp + Isa>(
    map: &ByteMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        let isa = L::summon();
        isa.vectorize(
            #[inline(always)]
            move || match map.shape {
                Shape::Constant => steps(isa, Shape::Constant, map, src, dst, n),
                Shape::Low6 => steps(isa, Shape::Low6, map, src, dst, n),
                Shape::Low7 => steps(isa, Shape::Low7, map, src, dst, n),
                Shape::Ends => steps(isa, Shape::Ends, map, src, dst, n),
                Shape::Sign => steps(isa, Shape::Sign, map, src, dst, n),
                Shape::Middle => steps(isa, Shape::Middle, map, src, dst, n),
                Shape::Start => steps(isa, Shape::Start, map, src, dst, n),
                Shape::Any => steps(isa, Shape::Any, map, src, dst, n),
            },
        );
    }
}

/// The same as long as all of those fit that a test looks at once; answers how many bytes are done.
///
/// # Safety
/// As for [`map_bytes`]; the sides are those of a pair of a byte each, whose cast `params` tell.
#[inline(never)]
pub(super) unsafe fn map_fitting<L: LookUp + Isa + InRegisters>(
    map: &ByteMap,
    sides: [Side; 2],
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        let isa = L::summon();
        isa.vectorize(
            #[inline(always)]
            move || match map.shape {
                Shape::Constant => fitting(isa, Shape::Constant, map, sides, src, dst, n, params),
                Shape::Low6 => fitting(isa, Shape::Low6, map, sides, src, dst, n, params),
                Shape::Low7 => fitting(isa, Shape::Low7, map, sides, src, dst, n, params),
                Shape::Ends => fitting(isa, Shape::Ends, map, sides, src, dst, n, params),
                Shape::Sign => fitting(isa, Shape::Sign, map, sides, src, dst, n, params),
                Shape::Middle => fitting(isa, Shape::Middle, map, sides, src, dst, n, params),
                Shape::Start => fitting(isa, Shape::Start, map, sides, src, dst, n, params),
                Shape::Any => fitting(isa, Shape::Any, map, sides, src, dst, n, params),
            },
        )
    }
}

/// # Safety
/// As for [`map_fitting`].
#[inline(always)]
#[allow(clippy::too_many_arguments)] // A cast's own, and what a table is.
unsafe fn fitting<L: LookUp + InRegisters>(
    isa: L,
    shape: Shape,
    map: &ByteMap,
    sides: [Side; 2],
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    let map = &ByteMap { bytes: map.bytes, shape };
    // (What the compiler is to know.)
    let sides = sides.map(|side| Side { bits: 8, ..side });
    // SAFETY: the caller's; a step is so many bytes on both sides.
    unsafe {
        whole_steps(
            isa,
            stepwise::CODES,
            sides,
            STEP,
            src,
            dst,
            n,
            params,
            #[inline(always)]
            |src, dst| step(isa, map, src, dst),
        )
    }
}

/// The bytes of a step.
pub(super) const STEP: usize = 128;

/// # Safety
/// The pointers are valid for a step, and don't overlap.
#[inline(always)]
unsafe fn step<L: LookUp>(isa: L, map: &ByteMap, src: *const u8, dst: *mut u8) {
    let x = isa.features();
    // SAFETY: the caller's.
    unsafe {
        let [a, b] = x.load_qwords(src);
        let to = [isa.look_up(map, a), isa.look_up(map, b)];
        x.store_qwords(dst, to);
    }
}

/// # Safety
/// The pointers are valid for `n` bytes, and don't overlap.
#[inline(always)]
unsafe fn steps<L: LookUp>(
    isa: L,
    shape: Shape,
    map: &ByteMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // A table of its own, of a shape known here, which no store to the destination can change: it stays
    // in registers.
    let map = &ByteMap { bytes: map.bytes, shape };
    let x = isa.features();
    let mut i = 0;
    // SAFETY: the caller's; of the last register that part is read and written that there is.
    unsafe {
        while n - i >= STEP {
            step(isa, map, src.add(i), dst.add(i));
            i += STEP;
        }
        while i < n {
            let left = (n - i).min(64);
            let v = isa.look_up(map, x.load_first(src.add(i), left));
            x.store_first(dst.add(i), v, left);
            i += left;
        }
    }
}

/// The pairs of results that the low 7 bits of each word tell.
#[inline(always)]
fn pair(x: Features, map: &ByteMap, indices: __m512i) -> __m512i {
    let [a, b] = map.half(x);
    let lower = x.bw._mm512_permutex2var_epi16(a, indices, b);
    match map.shape {
        Shape::Low6 => x.bw._mm512_permutexvar_epi16(indices, map.part(x, 0)),
        Shape::Any => {
            let upper = x.bw._mm512_permutex2var_epi16(map.part(x, 2), indices, map.part(x, 3));
            let is_upper = x.bw._mm512_test_epi16_mask(indices, x.f._mm512_set1_epi16(0x40));
            x.bw._mm512_mask_mov_epi16(lower, is_upper, upper)
        }
        _ => lower,
    }
}
