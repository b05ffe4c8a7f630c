//! Bytes, and packed elements, to integers of 16 bits and more, by a table that is told when the loop is called: see
//! `shape::longer`.

use super::Features;
use super::by_codes::{Eight, Four, One, Six, Two};
use super::codes::{Codes, load, load_part};
use super::maps::FOR_WORDS;
use super::shim::Vbmi;
use super::tables::{ByteMap, LookUp};
use crate::codec::{Isa, unknown};
use crate::shape::{LongerMap, LookUpLonger};
use core::arch::x86_64::*;
use core::mem;

/// To integers of 2, 4 and 8 bytes.
pub(super) const LOOPS: [LookUpLonger; 3] = [look_up::<2>, look_up::<4>, look_up::<8>];

/// # Safety
/// As for every [`LookUpLonger`].
unsafe fn look_up<const SIZE: usize>(map: &LongerMap, src: *const u8, dst: *mut u8, n: usize) {
    let by = match (map.bits, map.is_short) {
        (1, _) => look_up_by::<SIZE, One, true>,
        (2, _) => look_up_by::<SIZE, Two, true>,
        (4, _) => look_up_by::<SIZE, Four, true>,
        (6, _) => look_up_by::<SIZE, Six, true>,
        (_, true) => look_up_by::<SIZE, Eight, true>,
        (_, false) => look_up_by::<SIZE, Eight, false>,
    };
    // SAFETY: the caller's.
    unsafe { by(map, src, dst, n) }
}

/// # Safety
/// As for every [`LookUpLonger`]; elements have as many bits as `A`, and the map is short, if so.
unsafe fn look_up_by<const SIZE: usize, A: Codes, const SHORT: bool>(
    map: &LongerMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        match map.any_above {
            false => steps::<SIZE, A, SHORT, false>(map, src, dst, n),
            true => steps::<SIZE, A, SHORT, true>(map, src, dst, n),
        }
    }
}

/// # Safety
/// As for [`look_up_by`]; the map has ones above, if so.
unsafe fn steps<const SIZE: usize, A: Codes, const SHORT: bool, const ABOVE: bool>(
    map: &LongerMap,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's: 64 elements are whole bytes, and become as many integers. Of the last ones no more bytes are read
    // than there are, and what they become goes to an array, which has room for 64 integers of any size.
    unsafe {
        let isa = Vbmi::summon();
        isa.vectorize(
            #[inline(always)]
            move || {
                let step = Step::<SIZE>::of::<SHORT>(map);
                let mut i = 0;
                while n - i >= 64 {
                    let v = load::<Vbmi, A>(isa, src.add(i / 8 * A::BITS));
                    step.run::<ABOVE>(isa, v, dst.add(SIZE * i));
                    i += 64;
                }
                if i < n {
                    let mut integers = [0; 64 * 8];
                    let v = load_part::<Vbmi, A>(isa, src.add(i / 8 * A::BITS), n - i);
                    step.run::<ABOVE>(isa, v, integers.as_mut_ptr());
                    integers.as_ptr().copy_to_nonoverlapping(dst.add(SIZE * i), SIZE * (n - i));
                }
            },
        );
    }
}

/// What is looked up, and how words become integers of so many bytes.
struct Step<const SIZE: usize> {
    low: ByteMap,
    high: ByteMap,
    above: ByteMap,
    /// Which word comes to each place, in registers that 32 words fill.
    places: [__m512i; 4],
    /// The places that are not left zero.
    asked: __mmask32,
}

impl<const SIZE: usize> Step<SIZE> {
    /// Of 32 words, which one each of the words of the `i`th register is part of.
    const fn owners(i: usize) -> __m512i {
        let words = SIZE / 2;
        let (mut owners, mut word) = ([0; 32], 0);
        while word < 32 {
            owners[word] = ((32 * i + word) / words % 32) as u16;
            word += 1;
        }
        // SAFETY: any 64 bytes make a register.
        unsafe { mem::transmute::<[u16; 32], __m512i>(owners) }
    }

    const OWNERS: [__m512i; 4] =
        [Self::owners(0), Self::owners(1), Self::owners(2), Self::owners(3)];

    /// The lowest word of each integer.
    const LOWEST: __mmask32 = match SIZE {
        2 => 0xffff_ffff,
        4 => 0x5555_5555,
        _ => 0x1111_1111,
    };

    #[inline(always)]
    fn of<const SHORT: bool>(map: &LongerMap) -> Self {
        let table = |bytes| if SHORT { ByteMap::of_six(bytes) } else { ByteMap::of_any(bytes) };
        let [a, b, c, d] = const { &Self::OWNERS };
        Self {
            low: table(map.low),
            high: table(map.high),
            above: table(map.above),
            places: [unknown(a), unknown(b), unknown(c), unknown(d)],
            asked: unknown(const { &Self::LOWEST }),
        }
    }

    /// Writes what 64 codes become, a byte each.
    ///
    /// # Safety
    /// `dst` is valid for writing 64 integers.
    #[inline(always)]
    unsafe fn run<const ABOVE: bool>(&self, isa: Vbmi, v: __m512i, dst: *mut u8) {
        let x = isa.features();
        let spread = x.f._mm512_permutexvar_epi64(x.constant(&FOR_WORDS), v);
        let (low, high) = (isa.look_up(&self.low, spread), isa.look_up(&self.high, spread));
        let words = [x.bw._mm512_unpacklo_epi8(low, high), x.bw._mm512_unpackhi_epi8(low, high)];
        let above = match ABOVE && SIZE > 2 {
            true => x.bw._mm512_movepi8_mask(isa.look_up(&self.above, v)),
            false => 0,
        };
        let count = 64 / SIZE;
        for (half, words) in words.into_iter().enumerate() {
            for (i, &places) in self.places.iter().enumerate().take(SIZE / 2) {
                let at = 32 * half + count * i;
                let mut integers = self.placed(x, places, words);
                if ABOVE {
                    integers = filled::<SIZE>(x, integers, above >> at);
                }
                // SAFETY: the caller's: `count` integers fill a register.
                unsafe { x.store_dwords(dst.add(SIZE * at), integers) };
            }
        }
    }

    /// Words at the lowest places of integers, zeros at the others.
    #[inline(always)]
    fn placed(&self, x: Features, places: __m512i, words: __m512i) -> __m512i {
        match SIZE {
            2 => words,
            _ => x.bw._mm512_maskz_permutexvar_epi16(self.asked, places, words),
        }
    }
}

/// Integers with ones above their lowest words where a bit is set.
#[inline(always)]
fn filled<const SIZE: usize>(x: Features, v: __m512i, above: __mmask64) -> __m512i {
    match SIZE {
        2 => v,
        4 => x.f._mm512_mask_or_epi32(v, above as __mmask16, v, x.dword(0xffff_0000)),
        _ => x.f._mm512_mask_or_epi64(v, above as __mmask8, v, x.qword(0xffff_ffff_ffff_0000)),
    }
}
