//! To elements of twice the size whose lower halves are zero: bytes to words, words to dwords.
//!
//! One permutation that leaves every other place empty does it, where widening and shifting take two instructions. But the
//! compiler, which sees through a permutation by indices and a mask that it knows, makes of it what it takes for shorter:
//! two or three others. So it does not get to know them.

use super::codes::{Codes, Pair};
use super::decode::{quiet, turned_places};
use super::maps::FOR_WORDS;
use super::shim::Vbmi;
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::codec::unknown;
use core::arch::x86_64::*;
use core::mem;

/// What the permutations need, in registers.
#[derive(Clone, Copy)]
pub(super) struct Uppers {
    /// Which element comes to each place, for the lower and the upper half of the elements.
    pub(super) places: [__m512i; 2],
    /// The places that are not left zero, or, of turned elements, those that are.
    pub(super) asked: __mmask64,
}

impl Uppers {
    /// For bytes that become words.
    #[inline(always)]
    pub(super) fn of_bytes() -> Self {
        const LOW: __m512i = bytes_from(0);
        const HIGH: __m512i = bytes_from(32);
        Self { places: [unknown(&LOW), unknown(&HIGH)], asked: unknown(&ODD_PLACES) }
    }

    /// For words that become dwords.
    #[inline(always)]
    pub(super) fn of_words() -> Self {
        const LOW: __m512i = words_from(0);
        const HIGH: __m512i = words_from(16);
        Self { places: [unknown(&LOW), unknown(&HIGH)], asked: unknown(&ODD_PLACES) }
    }

    /// For words whose bytes are turned.
    #[inline(always)]
    pub(super) fn of_turned_words() -> Self {
        const LOW: __m512i = turned_places(0, 2);
        const HIGH: __m512i = turned_places(32, 2);
        Self { places: [unknown(&LOW), unknown(&HIGH)], asked: unknown(&UPPER_PLACES) }
    }

    /// As [`floats`](Self::floats), of words whose bytes are turned.
    #[inline(always)]
    pub(super) fn turned_floats(&self, isa: Vbmi, half: usize, v: __m512i) -> __m512 {
        let v = isa.maskz_permutexvar_epi8(self.asked, self.places[half], v);
        isa.features.f._mm512_castsi512_ps(v)
    }

    /// The lower or the upper 16 of 32 bfloat16s as float32s, by what words need.
    #[inline(always)]
    pub(super) fn floats(&self, x: Features, half: usize, v: __m512i) -> __m512 {
        let (asked, places) = (self.asked as u32, self.places[half]);
        x.f._mm512_castsi512_ps(x.bw._mm512_maskz_permutexvar_epi16(asked, places, v))
    }

    /// For qwords, in an order in which bytes interleaved within lanes of 128 bits end up in theirs.
    #[inline(always)]
    pub(super) fn of_qwords(x: Features) -> Self {
        Self { places: [x.constant(&FOR_WORDS); 2], asked: 0 }
    }
}

const ODD_PLACES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
const UPPER_PLACES: u64 = 0xcccc_cccc_cccc_cccc;

/// Of bytes from one on, which comes to each place, the empty ones among them.
const fn bytes_from(first: u8) -> __m512i {
    let mut places = [0u8; 64];
    let mut i = 0;
    while i < 64 {
        places[i] = first + i as u8 / 2;
        i += 1;
    }
    // SAFETY: any 64 bytes make a register.
    unsafe { mem::transmute::<[u8; 64], __m512i>(places) }
}

/// The same of words.
const fn words_from(first: u16) -> __m512i {
    let mut places = [0u16; 32];
    let mut i = 0;
    while i < 32 {
        places[i] = first + i as u16 / 2;
        i += 1;
    }
    // SAFETY: any 64 bytes make a register.
    unsafe { mem::transmute::<[u16; 32], __m512i>(places) }
}

/// Bfloat16 to float32, whose NaNs are made quiet.
///
/// # Safety
/// `src` is valid for reading `2 * n` bytes and `dst` for writing `4 * n`; they don't overlap.
#[inline(always)]
pub(super) unsafe fn floats_of_brains<A: Codes, B: Codes>(
    isa: Avx512,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let uppers = Uppers::of_words();
    let float = |half, v| x.f._mm512_castps_si512(quiet(x, uppers.floats(x, half, v)));
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read and written that the buffers have.
    unsafe {
        while n - i >= 64 {
            let (a, b) = (x.load_dwords(src.add(2 * i)), x.load_dwords(src.add(2 * i + 64)));
            let to = dst.add(4 * i);
            x.store_dwords(to, float(0, a));
            x.store_dwords(to.add(64), float(1, a));
            x.store_dwords(to.add(128), float(0, b));
            x.store_dwords(to.add(192), float(1, b));
            i += 64;
        }
        while i < n {
            let part = (n - i).min(32);
            let v = x.load_first(src.add(2 * i), 2 * part);
            let to = dst.add(4 * i);
            x.store_dwords_part(to, float(0, v), part.min(16));
            if part > 16 {
                x.store_dwords_part(to.add(64), float(1, v), part - 16);
            }
            i += part;
        }
    }
}
