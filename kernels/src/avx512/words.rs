//! From float16 and bfloat16 to numbers of at most 8 bits, by tables of the high byte and thresholds
//! of the low one.
//!
//! Over the 256 magnitudes of float16 with the same high byte, the code takes few steps of one, and where it
//! takes them is a threshold of the low byte each:
//!
//! ```text
//! code = FIRST[high] + (low > LAST[0][high]) + (low > LAST[1][high]) + ...
//! ```
//!
//! Infinity's low byte is 0 and the rest of its high byte's are NaN, which is one more step, of another
//! size.
//!
//! The high byte of bfloat16 knows too little. Its magnitudes are first clamped to a range: up to the first in it all have
//! code 0, from the last on the largest. Higher bits than it takes to tell these apart then do not matter, and as many more
//! below the high byte's can be looked up: *keys* are the 15 bits from there on, of which those below the lowest one of the
//! magnitude stand for nothing. NaN is given a high byte of its own.
//!
//! Where the smallest magnitudes take more steps, as many as there are codes, a table tells the codes
//! of the first 128.
//!
//! All tables are made from the reference; that the steps do is checked while they are made. Signs
//! are left out of this, and how they come in depends on what the codes are of: see [`Finish`].

use super::Features;
use super::codes::{Codes, Pair, load_pair, store_all, turning};
use super::shim::Vbmi;
use super::small::Small;
use super::tables::LookUp;
use crate::codec::unknown;
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

/// Whether [`to_whole`] is for a pair: integers of 8 bits take too many steps, and those of one bit none.
pub(super) const fn has_whole(from: DType, to: DType) -> bool {
    let is_whole = matches!(to.kind(), Kind::Int | Kind::UInt);
    is_half(from) && is_whole && matches!(to.significant_bits(), 2..=4)
}

const fn is_half(from: DType) -> bool {
    matches!(from, DType::Float16 | DType::BFloat16)
}

/// What the codes of a kind of number need, apart from their magnitudes.
pub(super) trait Finish<B: Real>: 'static {
    /// Magnitudes up to two to the first are 0, from two to the second on all is the largest.
    const EXPONENTS: (i32, i32);

    /// The code of NaN.
    const NAN: u8;

    /// That of the largest finite magnitude, where numbers are moved before they are looked up.
    const LARGEST: u8 = u8::MAX;

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
    const NAN: u8 = Small::<B>::NAN_CODE;
    const LARGEST: u8 = Small::<B>::FORMAT.max_finite() as u8;
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

/// Integers of 2 to 4 bits, rounded by a mode that does not depend on the sign.
pub(super) struct Whole<const MODE: u8>;

const fn whole<B: Real>() -> IntFormat {
    match B::DTYPE.numbers() {
        Numbers::Int(format) => format,
        _ => panic!("not an integer"),
    }
}

impl<B: Real, const MODE: u8> Finish<B> for Whole<MODE> {
    /// (A half may become 1, but a quarter does not.)
    const EXPONENTS: (i32, i32) = (-2, whole::<B>().bits as i32);
    const NAN: u8 = 0;
    /// (That of a negative number.)
    const LARGEST: u8 = match whole::<B>().signed {
        true => whole::<B>().min_magnitude() as u8,
        false => whole::<B>().max() as u8,
    };
    const OPTIONS: Options = Options { rounding: Mode::rounding(MODE), ..Options::DEFAULT };

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

/// How many steps the tables know: float8_e3m4 has four codes where 256 magnitudes of float16 have the same high byte.
const MOST_STEPS: usize = 4;

struct Tables {
    first: [u8; 128],
    last: [[u8; 128]; MOST_STEPS],
    /// The codes of the lowest magnitudes.
    apart: [u8; 128],
    /// How far the first step goes.
    step: [u8; 128],
}

impl<A: Real, B: Real, F: Finish<B>> Keys<A, B, F> {
    const FROM: FloatFormat = A::DTYPE.float_format();
    pub(super) const INFINITY: u16 = Self::FROM.max_finite() as u16 + 1;

    /// The magnitude of the normal number `2^exponent`.
    const fn power(exponent: i32) -> u16 {
        let field = exponent + Self::FROM.bias;
        assert!(field > 0);
        (field << Self::FROM.mantissa_bits) as u16
    }

    /// Whether magnitudes are their own keys: those with one high byte are a quarter of a binade of
    /// float16, but two binades of bfloat16, whose keys are in a range.
    const WHOLE: bool = matches!(A::DTYPE, DType::Float16);

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

    /// How many bits of a key are below those of the magnitude: as many as leave each high byte of the range but once among
    /// 128, and one for NaN.
    const SHIFT: u32 = {
        let (low, high) = Self::RANGE;
        let mut shift = 0;
        while shift < 7 && (high >> (7 - shift)) - (low >> (7 - shift)) < 127 {
            shift += 1;
        }
        assert!(Self::WHOLE || shift > 0);
        shift
    };

    /// The first high byte of the range, of magnitudes that are shifted up but lose no higher bits.
    const FIRST: u32 = (Self::RANGE.0 >> (8 - Self::SHIFT)) as u32;

    /// Where NaN is looked up: before the first.
    const NAN_AT: u32 = Self::FIRST.wrapping_sub(1) % 128;

    /// The high byte of the range that is looked up at a place.
    const fn high(at: u32) -> u32 {
        Self::FIRST + at.wrapping_sub(Self::FIRST) % 128
    }

    /// The code of a key.
    const fn code(key: u32) -> u8 {
        let magnitude = (key >> Self::SHIFT) as u64;
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
    const fn last(high: u32, first: u8, code: u8) -> u8 {
        let (mut low, mut end) = (first as u32, 255u32);
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
        let last = (Self::RANGE.1 >> (8 - Self::SHIFT)) as u32;
        let infinity = (Self::INFINITY >> 8) as u32;
        let mut at = 0;
        while at < 128 {
            let high = Self::high(at);
            if high > last || (Self::WHOLE && high >= infinity) {
                at += 1;
                continue;
            }
            let at_byte = at as usize;
            let lowest = if high == 0 { F::APART as u32 } else { high << 8 };
            let (code, highest) = (Self::code(lowest), Self::code(high << 8 | 255));
            assert!(highest <= code + MOST_STEPS as u8);
            tables.first[at_byte] = code;
            let (mut i, mut low) = (0, lowest as u8);
            while code + (i as u8) < highest {
                low = Self::last(high, low, code + i as u8);
                tables.last[i][at_byte] = low;
                i += 1;
            }
            at += 1;
        }
        let mut magnitude = 0;
        while magnitude < F::APART {
            tables.apart[magnitude as usize] = Self::code(magnitude as u32);
            magnitude += 1;
        }
        if Self::WHOLE {
            assert!(Self::INFINITY.is_multiple_of(256));
            let (at, code) = (infinity as usize, Self::code(Self::INFINITY as u32));
            tables.first[at] = code;
            tables.last[0][at] = 0;
            tables.step[at] = F::NAN.wrapping_sub(code);
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

    /// Twice the magnitudes of 32 numbers in the range, which leaves no sign, or NaN's key.
    #[inline(always)]
    fn in_range(x: Features, v: __m512i) -> __m512i {
        let (low, high) = const { (2 * Self::RANGE.0, 2 * Self::RANGE.1) };
        let nan = x.word(const { (Self::NAN_AT << (9 - Self::SHIFT)) as u16 });
        let doubles = x.bw._mm512_add_epi16(v, v);
        let number = x.bw._mm512_cmple_epu16_mask(doubles, x.word(2 * Self::INFINITY));
        let below = x.bw._mm512_min_epu16(doubles, x.word(high));
        x.bw._mm512_mask_max_epu16(nan, number, below, x.word(low))
    }

    /// Of each four words with twice a magnitude the high bytes of their keys, then the low ones. A key is the magnitude times
    /// `2^SHIFT`: its low byte starts `SHIFT` below the magnitude, which starts at bit 1, and its high byte 8 above that. What
    /// is below a magnitude is of the word before, and decides nothing: a threshold has all bits set there.
    const PARTS: [u8; 64] = {
        let mut starts = [0; 64];
        let mut i = 0;
        while i < 64 {
            let start = if i % 8 < 4 { 9 } else { 1 };
            starts[i] = ((16 * (i % 4) + start + 64 - Self::SHIFT as usize) % 64) as u8;
            i += 1;
        }
        starts
    };

    /// Whether [`codes`](Self::codes) come as two registers are packed.
    const MIXED: bool = !Self::WHOLE;

    /// The codes of 64 numbers, which may be turned if their magnitudes are keys.
    #[inline(always)]
    fn codes(isa: Vbmi, one: __m512i, turned: bool, numbers: [__m512i; 2]) -> __m512i {
        let [magnitudes, signs] = Self::parts(isa, one, turned, numbers);
        F::finish(isa.features, magnitudes, signs)
    }

    /// The codes of their magnitudes, and their signs in the top bits of bytes.
    #[inline(always)]
    pub(super) fn magnitudes(isa: Vbmi, one: __m512i, numbers: [__m512i; 2]) -> [__m512i; 2] {
        let x = isa.features;
        let [magnitudes, signs] = Self::parts(isa, one, false, numbers);
        match Self::MIXED {
            true => [x.unmix_words(magnitudes), x.unmix_words(signs)],
            false => [magnitudes, signs],
        }
    }

    /// The same, mixed or not.
    #[inline(always)]
    fn parts(isa: Vbmi, one: __m512i, turned: bool, [a, b]: [__m512i; 2]) -> [__m512i; 2] {
        let x = isa.features;
        if Self::WHOLE {
            // With the sign in the top bit, where look-ups don't see it.
            let (mut high, mut low) = (isa.high_bytes(a, b), isa.low_bytes(a, b));
            if turned {
                (high, low) = (low, high);
            }
            return [Self::steps(isa, one, high, low), high];
        }
        let starts = x.constant(const { &Self::PARTS });
        let parts = |v| {
            let doubles = Self::in_range(x, v);
            x.f._mm512_castsi512_ps(isa.multishift_epi64_epi8(starts, doubles))
        };
        let (c, d) = (parts(a), parts(b));
        let high = x.f._mm512_castps_si512(x.f._mm512_shuffle_ps::<0x88>(c, d));
        let low = x.f._mm512_castps_si512(x.f._mm512_shuffle_ps::<0xdd>(c, d));
        // Packing clamps, which keeps the sign.
        [Self::steps(isa, one, high, low), x.bw._mm512_packs_epi16(a, b)]
    }

    /// The codes of the magnitudes of 64 keys.
    #[inline(always)]
    fn steps(isa: Vbmi, one: __m512i, high: __m512i, low: __m512i) -> __m512i {
        let x = isa.features;
        let tables = const { &Self::TABLES };
        let step = if const { Self::EVEN } { one } else { look_up_128(isa, &tables.step, high) };
        let codes = look_up_128(isa, &tables.first, high);
        let codes = Self::step::<0>(isa, codes, [high, low], step);
        let codes = Self::step::<1>(isa, codes, [high, low], one);
        let codes = Self::step::<2>(isa, codes, [high, low], one);
        let codes = Self::step::<3>(isa, codes, [high, low], one);
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
        x.bw._mm512_mask_add_epi8(codes, past, codes, step)
    }
}

/// Bytes of one, which steps are, made before a loop: the addition under a mask of a one that the compiler knows it makes two
/// instructions.
#[inline(always)]
pub(super) fn one(x: Features) -> __m512i {
    x.byte(unknown(&1))
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
    const NAN: u8 = 0xff;
    const OPTIONS: Options =
        Options { rounding: Mode::rounding(MODE), saturate: SATURATES, ..Options::DEFAULT };
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
    unsafe { by_tables::<A, B, Whole<{ Mode::TowardZero as u8 }>>(isa, src, dst, n, pair) }
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
    let one = one(isa.features);
    // SAFETY: the caller's.
    unsafe {
        match Keys::<A::Numbers, B::Numbers, F>::MIXED {
            true => to_codes(
                isa,
                src,
                dst,
                n,
                pair,
                true,
                #[inline(always)]
                |isa, numbers| Keys::<A::Numbers, B::Numbers, F>::codes(isa, one, false, numbers),
            ),
            // (Bytes are taken from turned words as they are.)
            false => to_codes(
                isa,
                src,
                dst,
                n,
                pair.unturned(),
                false,
                #[inline(always)]
                |isa, numbers| {
                    Keys::<A::Numbers, B::Numbers, F>::codes(isa, one, A::TURNED, numbers)
                },
            ),
        }
    }
}

/// What a loop makes of 64 numbers at a time, mixed as two registers are packed or not.
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
    mixed: bool,
    codes: impl Fn(Vbmi, [__m512i; 2]) -> __m512i,
) {
    let (x, turning) = (isa.features, turning::<_, A, B>(isa));
    // SAFETY: the caller's; of the last registers that part is read that the source has.
    unsafe {
        store_all::<_, B>(
            isa,
            dst,
            n,
            mixed,
            #[inline(always)]
            |i, count| codes(isa, load_pair::<A>(x, turning, src.add(2 * i), 2 * count)),
        );
    }
}
