//! From float16 and bfloat16 to numbers of at most 8 bits, by tables of the high byte and thresholds
//! of the low one.
//!
//! Over the 256 magnitudes with the same high byte, the code takes few steps of one, and where it takes
//! them is a threshold of the low byte each:
//!
//! ```text
//! code = FIRST[high] + (low > LAST[0][high]) + (low > LAST[1][high]) + ...
//! ```
//!
//! Infinity's low byte is 0 and the rest of its high byte's are NaN, which is one more step, of another
//! size. Where the high byte knows too little for two steps to do, magnitudes are first brought to
//! *keys* of 15 bits: cut off where all below has code 0 and above where all has the largest, and
//! shifted up so that this range fills the 15 bits. NaN, which is cut off too, is then seen to apart.
//!
//! Where the smallest magnitudes take more steps, as many as there are codes, a table tells the codes
//! of the first 128.
//!
//! All tables are made from the reference; that two steps do is checked while they are made. Signs
//! are left out of this, and how they come in depends on what the codes are of: see [`Finish`].

use super::Features;
use super::codes::{Codes, Pair, store, store_part};
use super::shim::Vbmi;
use super::small::Small;
use super::tables::LookUp;
use crate::dtypes::{DType, Kind, Real};
use crate::format::{FloatFormat, IntFormat, Numbers};
use crate::options::{Options, Rounding};
use crate::reference::{decode, encode};
use crate::shape::Mode;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// Whether [`to_small`] is for a pair.
pub(super) const fn has_small(from: DType, to: DType) -> bool {
    is_half(from)
        && matches!(to.kind(), Kind::Float)
        && to.bits() == 8
        && !matches!(to, DType::Float8E8M0Fnu)
}

/// Whether [`to_whole`] is for a pair: integers of 8 bits take too many steps.
pub(super) const fn has_whole(from: DType, to: DType) -> bool {
    is_half(from) && matches!(to.kind(), Kind::Int | Kind::UInt) && to.significant_bits() <= 4
}

const fn is_half(from: DType) -> bool {
    matches!(from, DType::Float16 | DType::BFloat16)
}

/// What the codes of a kind of number need, apart from their magnitudes.
pub(super) trait Finish<B: Real>: 'static {
    /// Magnitudes up to two to the first are 0, from two to the second on all is the largest.
    const EXPONENTS: (i32, i32);

    /// The most codes that a binade has.
    const DENSITY: usize;

    /// The code of NaN.
    const NAN: u8;

    /// How numbers become codes.
    const OPTIONS: Options = Options::DEFAULT;

    /// The lowest of the magnitudes that the steps are for, if not 0: those below, which are as many
    /// as a table holds, then have one of their own.
    const APART: u16 = 0;

    /// The codes of numbers from those of their magnitudes, and signs in the top bits of bytes.
    fn finish(x: Features, codes: __m512i, signs: __m512i) -> __m512i;
}

/// Small floats: the nearest, or those toward zero. Where they do not saturate, past the largest one's code is that of
/// infinity, or of NaN, a step as any other.
pub(super) struct Float<const CUT: bool, const SATURATES: bool>;

impl<B: Real, const CUT: bool, const SATURATES: bool> Finish<B> for Float<CUT, SATURATES> {
    const EXPONENTS: (i32, i32) = {
        let to = Small::<B>::FORMAT;
        (to.min_exponent() - to.mantissa_bits as i32 - 1, to.max_exponent() + 1)
    };
    const DENSITY: usize = 1 << Small::<B>::FORMAT.mantissa_bits;
    const NAN: u8 = Small::<B>::NAN_CODE;
    const OPTIONS: Options = Options {
        rounding: if CUT { Rounding::TowardZero } else { Rounding::Default },
        saturate: SATURATES,
        ..Options::DEFAULT
    };

    #[inline(always)]
    fn finish(x: Features, codes: __m512i, signs: __m512i) -> __m512i {
        Small::<B>::finish(x, codes, signs)
    }
}

/// Integers of at most 4 bits.
struct Whole;

const fn whole<B: Real>() -> IntFormat {
    match B::DTYPE.numbers() {
        Numbers::Int(format) => format,
        _ => panic!("not an integer"),
    }
}

impl<B: Real> Finish<B> for Whole {
    const EXPONENTS: (i32, i32) = (-1, whole::<B>().bits as i32);
    const DENSITY: usize = 8;
    const NAN: u8 = 0;

    /// Magnitudes go as far as negative numbers do; positive ones end one before.
    #[inline(always)]
    fn finish(x: Features, codes: __m512i, signs: __m512i) -> __m512i {
        let negative = x.bw._mm512_movepi8_mask(signs);
        let zero = x.f._mm512_setzero_si512();
        if !whole::<B>().signed {
            return x.bw._mm512_mask_mov_epi8(codes, negative, zero);
        }
        let positive = x.bw._mm512_min_epu8(codes, x.byte(whole::<B>().max() as u8));
        x.bw._mm512_mask_sub_epi8(positive, negative, zero, codes)
    }
}

pub(super) struct Keys<A, B, F>(PhantomData<(A, B, F)>);

/// How many steps the tables know.
const MOST_STEPS: usize = 2;

struct Tables {
    first: [u8; 128],
    last: [[u8; 128]; MOST_STEPS],
    /// The codes of the lowest magnitudes.
    apart: [u8; 128],
    /// How far the first step goes.
    step: [u8; 128],
}

impl<A: Real, B: Real, F: Finish<B>> Keys<A, B, F> {
    const FROM: FloatFormat = match A::DTYPE.numbers() {
        Numbers::Float(format) => format,
        _ => panic!("not a float"),
    };
    pub(super) const INFINITY: u16 = Self::FROM.max_finite() as u16 + 1;

    /// The magnitude of the normal number `2^exponent`.
    const fn power(exponent: i32) -> u16 {
        let field = exponent + Self::FROM.bias;
        assert!(field > 0);
        (field << Self::FROM.mantissa_bits) as u16
    }

    /// Whether magnitudes are their own keys: those with one high byte are a quarter of a binade of
    /// float16, but two binades of bfloat16.
    const WHOLE: bool = matches!(A::DTYPE, DType::Float16) && F::DENSITY <= 4 * MOST_STEPS;

    /// The first magnitude of a range and the last: all, or those between that round to zero and
    /// those that are past the largest.
    const RANGE: (u16, u16) = {
        let (low, high) = F::EXPONENTS;
        if Self::WHOLE {
            (0, 0x7fff)
        } else {
            assert!(low >= Self::FROM.min_exponent() && high <= Self::FROM.max_exponent());
            (Self::power(low), Self::power(high) - 1)
        }
    };

    /// How far the range can be shifted up.
    const SHIFT: u32 = {
        let shift = (Self::RANGE.1 - Self::RANGE.0).leading_zeros() - 1;
        assert!(Self::WHOLE || shift > 0);
        shift
    };

    /// The code of a key up to infinity's.
    const fn code(key: u16) -> u8 {
        let magnitude = (Self::RANGE.0 + (key >> Self::SHIFT)) as u64;
        // Of signed integers the negative ones go further.
        let (sign, mask) = match B::DTYPE.numbers() {
            Numbers::Int(format) if format.signed => (Self::FROM.sign_mask(), format.mask() as u8),
            _ => (0, 0),
        };
        match encode(B::DTYPE, decode(A::DTYPE, magnitude | sign), true, &F::OPTIONS, 0) {
            Ok(code) if sign != 0 => (code as u8).wrapping_neg() & mask,
            Ok(code) => code as u8,
            Err(_) => panic!("no options that are used here refuse anything"),
        }
    }

    /// The last of the keys with a high byte whose code is at most that; the first of them is not beyond it.
    const fn last(high: u16, first: u8, code: u8) -> u8 {
        let (mut low, mut end) = (first as u16, 255u16);
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
        let mut tables = Tables {
            first: [F::NAN; 128],
            last: [[255; 128]; MOST_STEPS],
            apart: [0; 128],
            step: [1; 128],
        };
        let infinity = Self::INFINITY >> 8;
        let end = if Self::WHOLE { infinity } else { 128 };
        let mut high = 0;
        while high < end {
            let (at, lowest) = (high as usize, if high == 0 { F::APART } else { high << 8 });
            let (first, highest) = (Self::code(lowest), Self::code(high << 8 | 255));
            assert!(highest <= first + MOST_STEPS as u8);
            tables.first[at] = first;
            let (mut i, mut last) = (0, lowest as u8);
            while first + (i as u8) < highest {
                last = Self::last(high, last, first + i as u8);
                tables.last[i][at] = last;
                i += 1;
            }
            high += 1;
        }
        let mut magnitude = 0;
        while magnitude < F::APART {
            tables.apart[magnitude as usize] = Self::code(magnitude);
            magnitude += 1;
        }
        if Self::WHOLE {
            assert!(Self::INFINITY.is_multiple_of(256));
            let (at, code) = (infinity as usize, Self::code(Self::INFINITY));
            tables.first[at] = code;
            tables.last[0][at] = 0;
            tables.step[at] = F::NAN.wrapping_sub(code);
            // Additions that stop at 255 are used with numbers apart.
            assert!(F::APART == 0 || F::NAN >= code);
        }
        tables
    };

    /// Whether the code takes as many steps anywhere.
    const fn has_step(i: usize) -> bool {
        let mut any = false;
        let mut high = 0;
        while high < 128 {
            any |= Self::TABLES.last[i][high] < 255;
            high += 1;
        }
        any
    }

    /// Whether all steps are of one.
    const EVEN: bool = {
        let mut even = true;
        let mut high = 0;
        while high < 128 {
            even &= Self::TABLES.step[high] == 1;
            high += 1;
        }
        even
    };

    /// The keys of 32 numbers, given twice their magnitudes, which leaves no sign.
    #[inline(always)]
    fn keys(x: Features, doubles: __m512i) -> __m512i {
        let (low, high) = const { (2 * Self::RANGE.0, 2 * Self::RANGE.1) };
        let v = x.bw._mm512_subs_epu16(x.bw._mm512_min_epu16(doubles, x.word(high)), x.word(low));
        // One shift less, since they are doubled.
        match const { Self::SHIFT.saturating_sub(1) } {
            0 => v,
            1 => x.bw._mm512_slli_epi16::<1>(v),
            2 => x.bw._mm512_slli_epi16::<2>(v),
            3 => x.bw._mm512_slli_epi16::<3>(v),
            4 => x.bw._mm512_slli_epi16::<4>(v),
            5 => x.bw._mm512_slli_epi16::<5>(v),
            _ => x.bw._mm512_slli_epi16::<6>(v),
        }
    }

    /// The codes of 64 numbers.
    #[inline(always)]
    fn codes(isa: Vbmi, numbers: [__m512i; 2]) -> __m512i {
        let [magnitudes, signs] = Self::magnitudes(isa, numbers);
        F::finish(isa.features, magnitudes, signs)
    }

    /// The codes of their magnitudes, and their signs in the top bits of bytes.
    #[inline(always)]
    pub(super) fn magnitudes(isa: Vbmi, [a, b]: [__m512i; 2]) -> [__m512i; 2] {
        let x = isa.features;
        // With the sign in the top bit, where look-ups don't see it.
        let high = high_bytes(isa, [a, b]);
        if Self::WHOLE {
            return [Self::steps(isa, high, isa.low_bytes(a, b)), high];
        }
        let (a, b) = (x.bw._mm512_add_epi16(a, a), x.bw._mm512_add_epi16(b, b));
        let infinity = x.word(2 * Self::INFINITY);
        let nan_low = x.bw._mm512_cmpgt_epu16_mask(a, infinity);
        let nan_high = x.bw._mm512_cmpgt_epu16_mask(b, infinity);
        let nan = u64::from(nan_low) | u64::from(nan_high) << 32;
        let keys = [Self::keys(x, a), Self::keys(x, b)];
        let codes = Self::steps(isa, high_bytes(isa, keys), isa.low_bytes(keys[0], keys[1]));
        [x.bw._mm512_mask_mov_epi8(codes, nan, x.byte(F::NAN)), high]
    }

    /// The codes of the magnitudes of 64 keys.
    #[inline(always)]
    fn steps(isa: Vbmi, high: __m512i, low: __m512i) -> __m512i {
        let x = isa.features;
        let tables = const { &Self::TABLES };
        let one = x.byte(1);
        let step = if const { Self::EVEN } { one } else { look_up_128(isa, &tables.step, high) };
        let codes = look_up_128(isa, &tables.first, high);
        let codes = Self::step::<0>(isa, codes, [high, low], step);
        let codes = Self::step::<1>(isa, codes, [high, low], one);
        if F::APART == 0 {
            return codes;
        }
        const { assert!(F::APART == 0 || (F::APART == 128 && Self::WHOLE)) };
        let low_byte = x.bw._mm512_testn_epi8_mask(high, x.byte(0x7f));
        let apart = x.bw._mm512_mask_testn_epi8_mask(low_byte, low, x.byte(0x80));
        x.bw._mm512_mask_mov_epi8(codes, apart, look_up_128(isa, &tables.apart, low))
    }

    /// Takes a step where low bytes are past its threshold.
    #[inline(always)]
    fn step<const I: usize>(
        isa: Vbmi,
        codes: __m512i,
        [high, low]: [__m512i; 2],
        step: __m512i,
    ) -> __m512i {
        let x = isa.features;
        if !const { Self::has_step(I) } {
            return codes;
        }
        let last = look_up_128(isa, const { &Self::TABLES.last[I] }, high);
        let past = x.bw._mm512_cmpgt_epu8_mask(low, last);
        if Self::WHOLE && F::APART == 0 {
            return x.bw._mm512_mask_add_epi8(codes, past, codes, step);
        }
        // (The same: no sum is past 255, for where one is added codes have seven bits. That addition of one the compiler makes two instructions, of which one makes
        // bytes of the mask; where there is more to do than this, one takes less.)
        x.bw._mm512_mask_adds_epu8(codes, past, codes, step)
    }
}

/// Every other byte of two registers.
pub(super) const fn every_other_byte(first: u8) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 {
        indices[i] = 2 * i as u8 + first;
        i += 1;
    }
    indices
}

/// The high bytes of 64 words.
#[inline(always)]
fn high_bytes(isa: Vbmi, [a, b]: [__m512i; 2]) -> __m512i {
    let odd = isa.features.constant(&const { every_other_byte(1) });
    isa.permutex2var_epi8(a, odd, b)
}

/// What the low 7 bits of each byte stand for.
#[inline(always)]
fn look_up_128(isa: Vbmi, table: &'static [u8; 128], v: __m512i) -> __m512i {
    let x = isa.features;
    let (low, high) = table.split_at(64);
    let part = |part: &'static [u8]| part.first_chunk::<64>().expect("half a table");
    isa.permutex2var_epi8(x.constant(part(low)), v, x.constant(part(high)))
}

/// To small floats.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they
/// don't overlap.
#[inline(always)]
pub(super) unsafe fn to_small<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { by_tables::<A, B, Float<false, true>>(isa, src, dst, n, pair) }
}

/// Whether [`to_powers`] is for a pair.
pub(super) const fn has_powers(from: DType, to: DType) -> bool {
    matches!((from, to), (DType::Float16, DType::Float8E8M0Fnu))
}

/// The magnitudes of float16 as powers of two, by a mode.
pub(super) struct Power<const MODE: u8, const SATURATES: bool>;

impl<B: Real, const MODE: u8, const SATURATES: bool> Finish<B> for Power<MODE, SATURATES> {
    /// Not those of magnitudes that are their own keys.
    const EXPONENTS: (i32, i32) = (0, 0);
    const DENSITY: usize = 1;
    const NAN: u8 = 0xff;
    const OPTIONS: Options = Options {
        rounding: if MODE == Mode::Up as u8 {
            Rounding::Up
        } else if MODE == Mode::NearestAway as u8 {
            Rounding::NearestAway
        } else {
            Rounding::TowardZero
        },
        saturate: SATURATES,
        ..Options::DEFAULT
    };
    /// Subnormals take as many steps as they have bits.
    const APART: u16 = 128;

    /// What is below zero is NaN.
    #[inline(always)]
    fn finish(x: Features, codes: __m512i, signs: __m512i) -> __m512i {
        let negative = x.bw._mm512_movepi8_mask(signs);
        let negative = x.bw._mm512_mask_test_epi8_mask(negative, codes, codes);
        x.bw._mm512_mask_mov_epi8(codes, negative, x.byte(0xff))
    }
}

/// Float16 to float8_e8m0fnu.
///
/// # Safety
/// As for [`to_small`].
#[inline(always)]
pub(super) unsafe fn to_powers<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { by_tables::<A, B, Power<{ Mode::Up as u8 }, true>>(isa, src, dst, n, pair) }
}

/// To integers of at most 4 bits.
///
/// # Safety
/// As for [`to_small`].
#[inline(always)]
pub(super) unsafe fn to_whole<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { by_tables::<A, B, Whole>(isa, src, dst, n, pair) }
}

/// # Safety
/// As for [`to_small`].
#[inline(always)]
pub(super) unsafe fn by_tables<A: Codes, B: Codes, F: Finish<B::Numbers>>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    pair: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe {
        to_codes(
            isa,
            src,
            dst,
            n,
            pair,
            #[inline(always)]
            |isa, numbers| Keys::<A::Numbers, B::Numbers, F>::codes(isa, numbers),
        );
    }
}

/// What a loop makes of 64 numbers at a time.
///
/// # Safety
/// As for [`to_small`].
#[inline(always)]
pub(super) unsafe fn to_codes<A: Codes, B: Codes>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
    codes: impl Fn(Vbmi, [__m512i; 2]) -> __m512i,
) {
    let x = isa.features;
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read that the source has.
    unsafe {
        while n - i >= 64 {
            let from = src.add(2 * i);
            let v = codes(isa, [x.load_dwords(from), x.load_dwords(from.add(64))]);
            store::<_, B>(isa, dst.add(i / 8 * B::BITS), v);
            i += 64;
        }
        if i < n {
            let v = codes(isa, x.load_first_pair(src.add(2 * i), 2 * (n - i)));
            store_part::<_, B>(isa, dst.add(i / 8 * B::BITS), v, n - i);
        }
    }
}
