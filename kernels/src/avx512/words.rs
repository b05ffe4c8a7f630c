//! From float16 and bfloat16 to the small floats, by tables of the high byte and thresholds of the
//! low one.
//!
//! A magnitude is first brought to a *key* of 15 bits: cut off where all below it gives code 0 and
//! above where all gives the largest number, and shifted up so that this range fills the 15 bits. The
//! high byte of the key then knows the exponent and the top of the fraction. Over the 256 keys with
//! the same high byte the code takes at most two steps of one, and where it takes them is a threshold
//! of the low byte each:
//!
//! ```text
//! code = FIRST[high] + (low > LAST_0[high]) + (low > LAST_1[high])
//! ```
//!
//! All three tables are made from the reference; that more than two steps don't occur is checked while
//! they are made. NaN and signs are seen to apart.

use super::Features;
use super::codes::{Codes, Pair, store, store_part};
use super::shim::Vbmi;
use super::small::Small;
use crate::dtypes::{DType, Kind, Real};
use crate::format::{FloatFormat, Numbers};
use crate::options::Options;
use crate::reference::{decode, encode};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// Whether the kernel is for a pair.
pub(super) const fn suits(from: DType, to: DType) -> bool {
    matches!(from, DType::Float16 | DType::BFloat16)
        && matches!(to.kind(), Kind::Float)
        && to.bits() == 8
        && !matches!(to, DType::Float8E8M0Fnu)
}

struct Keys<A, B>(PhantomData<(A, B)>);

struct Tables {
    first: [u8; 128],
    last_0: [u8; 128],
    last_1: [u8; 128],
}

impl<A: Real, B: Real> Keys<A, B> {
    const FROM: FloatFormat = match A::DTYPE.numbers() {
        Numbers::Float(format) => format,
        _ => panic!("not a float"),
    };
    const TO: FloatFormat = Small::<B>::FORMAT;

    /// The magnitude of the normal number `2^exponent`.
    const fn power(exponent: i32) -> u16 {
        let field = exponent + Self::FROM.bias;
        assert!(field > 0);
        (field << Self::FROM.mantissa_bits) as u16
    }

    /// The first magnitude of a range and the last: half the smallest number of the destination,
    /// which still rounds to zero, and the last before the power of two above its largest. All
    /// magnitudes, where that range is no narrower.
    const RANGE: (u16, u16) = {
        let low = Self::TO.min_exponent() - Self::TO.mantissa_bits as i32 - 1;
        let high = Self::TO.max_exponent() + 1;
        if low < Self::FROM.min_exponent() || high > Self::FROM.max_exponent() {
            (0, 0x7fff)
        } else {
            let (low, high) = (Self::power(low), Self::power(high) - 1);
            if high - low < 0x4000 { (low, high) } else { (0, 0x7fff) }
        }
    };

    /// How far the range can be shifted up.
    const SHIFT: u32 = (Self::RANGE.1 - Self::RANGE.0).leading_zeros() - 1;

    /// The code of a key.
    const fn code(key: u16) -> u8 {
        let infinity = Self::FROM.max_finite() + 1;
        let magnitude = (Self::RANGE.0 + (key >> Self::SHIFT)) as u64;
        let magnitude = if magnitude > infinity { infinity } else { magnitude };
        let value = decode(A::DTYPE, magnitude);
        match encode(B::DTYPE, value, true, &Options::DEFAULT, 0) {
            Ok(code) => code as u8,
            Err(_) => panic!("the default options refuse nothing"),
        }
    }

    /// The last of the keys with a high byte whose code is at most that.
    const fn last(high: u16, code: u8) -> u8 {
        let (mut low, mut end) = (0u16, 255u16);
        while low < end {
            let middle = (low + end).div_ceil(2);
            if Self::code(high << 8 | middle) <= code {
                low = middle;
            } else {
                end = middle - 1;
            }
        }
        low as u8
    }

    const TABLES: Tables = {
        let mut tables = Tables { first: [0; 128], last_0: [0; 128], last_1: [0; 128] };
        let mut high = 0;
        while high < 128 {
            let first = Self::code((high as u16) << 8);
            assert!(Self::code((high as u16) << 8 | 255) <= first + 2);
            tables.first[high] = first;
            tables.last_0[high] = Self::last(high as u16, first);
            tables.last_1[high] = Self::last(high as u16, first + 1);
            high += 1;
        }
        tables
    };

    /// Whether the code takes a second step anywhere.
    const TWO_STEPS: bool = {
        let mut any = false;
        let mut high = 0;
        while high < 128 {
            any |= Self::TABLES.last_1[high] < 255;
            high += 1;
        }
        any
    };

    /// The keys of 32 numbers, of which the magnitudes are given too, with their signs.
    #[inline(always)]
    fn keys(x: Features, numbers: __m512i, magnitudes: __m512i) -> __m512i {
        let (low, high) = Self::RANGE;
        if low == 0 {
            return numbers;
        }
        let v = x.bw._mm512_min_epu16(magnitudes, x.word(high));
        let v = x.bw._mm512_subs_epu16(v, x.word(low));
        let keys = match Self::SHIFT {
            1 => x.bw._mm512_slli_epi16::<1>(v),
            2 => x.bw._mm512_slli_epi16::<2>(v),
            3 => x.bw._mm512_slli_epi16::<3>(v),
            4 => x.bw._mm512_slli_epi16::<4>(v),
            _ => x.bw._mm512_slli_epi16::<5>(v),
        };
        // keys OR (numbers AND the top bit)
        x.f._mm512_ternarylogic_epi32::<0xf8>(keys, numbers, x.word(0x8000))
    }
}

const fn every_other_byte(first: u8) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 {
        indices[i] = 2 * i as u8 + first;
        i += 1;
    }
    indices
}

/// The codes of 64 words.
#[inline(always)]
fn codes<A: Real, B: Real>(isa: Vbmi, [a, b]: [__m512i; 2]) -> __m512i {
    let x = isa.features;
    let (even, odd) =
        (x.constant(&const { every_other_byte(0) }), x.constant(&const { every_other_byte(1) }));
    let largest = x.word(0x7fff);
    let (c, d) = (x.f._mm512_and_si512(a, largest), x.f._mm512_and_si512(b, largest));
    let infinity = x.word(Keys::<A, B>::FROM.max_finite() as u16 + 1);
    let nan_low = x.bw._mm512_cmpgt_epu16_mask(c, infinity);
    let nan_high = x.bw._mm512_cmpgt_epu16_mask(d, infinity);
    let (c, d) = (Keys::<A, B>::keys(x, a, c), Keys::<A, B>::keys(x, b, d));
    // With the sign in the top bit, where look-ups don't see it.
    let high = isa.permutex2var_epi8(c, odd, d);
    let low = isa.permutex2var_epi8(c, even, d);
    let tables = const { &Keys::<A, B>::TABLES };
    let first = by_high(isa, &tables.first, high);
    let past_0 = x.bw._mm512_cmpgt_epu8_mask(low, by_high(isa, &tables.last_0, high));
    let one = x.byte(1);
    let codes = x.bw._mm512_mask_add_epi8(first, past_0, first, one);
    let codes = if const { Keys::<A, B>::TWO_STEPS } {
        let past_1 = x.bw._mm512_cmpgt_epu8_mask(low, by_high(isa, &tables.last_1, high));
        x.bw._mm512_mask_add_epi8(codes, past_1, codes, one)
    } else {
        codes
    };
    let nan = u64::from(nan_low) | u64::from(nan_high) << 32;
    let codes = x.bw._mm512_mask_mov_epi8(codes, nan, x.byte(Small::<B>::NAN_CODE));
    Small::<B>::finish(x, codes, high)
}

/// What the low 7 bits of each byte stand for.
#[inline(always)]
fn by_high(isa: Vbmi, table: &'static [u8; 128], v: __m512i) -> __m512i {
    let x = isa.features;
    let (low, high) = table.split_at(64);
    let part = |part: &'static [u8]| part.first_chunk::<64>().expect("half a table");
    isa.permutex2var_epi8(x.constant(part(low)), v, x.constant(part(high)))
}

/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they
/// don't overlap.
#[inline(always)]
pub(super) unsafe fn to_small<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features;
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read that the source has.
    unsafe {
        while n - i >= 64 {
            let from = src.add(2 * i);
            let v = codes::<A::Numbers, B::Numbers>(
                isa,
                [x.load_dwords(from), x.load_dwords(from.add(64))],
            );
            store::<_, B>(isa, dst.add(i / 8 * B::BITS), v);
            i += 64;
        }
        if i < n {
            let v = codes::<A::Numbers, B::Numbers>(
                isa,
                x.load_first_pair(src.add(2 * i), 2 * (n - i)),
            );
            store_part::<_, B>(isa, dst.add(i / 8 * B::BITS), v, n - i);
        }
    }
}
