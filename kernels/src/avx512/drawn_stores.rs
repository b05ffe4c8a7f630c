//! Float64s rounded by draws, and stored at once: see `shape::drawn_stores`.
//!
//! As AVX2 does that, 32 bits of a number in a lane: those on top have sign, exponent and 20 bits of the fraction, and the
//! others are but part of the rest, which a draw is compared with, unless the destination is float32. A code is
//!
//! ```text
//! whole + (how far the exponent is above the smallest normal number's << places), one more if the draw is less than the rest
//! ```

use super::{Avx512, Features};
use crate::codec::{Isa, unknown};
use crate::dtypes::DType;
use crate::format::FloatFormat;
use crate::shape::{Form, StoreDrawn, Target, brains, store_loops};
use core::arch::x86_64::{__m512i, __mmask16};

/// The loop of a pair, if there is one. (Long casts of shorter floats take loops that draw, too.)
pub(super) fn stores_drawn(from: DType, to: DType) -> Option<StoreDrawn> {
    Some(match (from, to) {
        (DType::Float32, DType::BFloat16) => brains::<Avx512>,
        (DType::Float64, DType::Float32) => floats,
        (DType::Float64, _) => match Form::of(to)? {
            Form::Byte => codes::<false>,
            Form::ByteOfOneZero => codes::<true>,
            Form::Power => powers,
            Form::Half => halves,
            Form::ByteInteger(true) => bytes::<true>,
            Form::ByteInteger(false) => bytes::<false>,
            Form::WordInteger(true) => words::<true>,
            Form::WordInteger(false) => words::<false>,
        },
        _ => return None,
    })
}

/// Sixteen float64s, as the bits on top and the others.
#[derive(Clone, Copy)]
struct Sixteen {
    top: __m512i,
    low: __m512i,
}

/// The bits of the fraction on top, the exponent field of 1, and infinity, as far as it is on top.
const WIDTH: u32 = 20;
const ONE: u32 = 1023;
const INFINITY: u32 = 0x7ff << WIDTH;

store_loops! {
    Avx512 as Avx512(x), x;
    /// To floats of a byte, of which those with one zero have no code for a negative one.
    codes[const ONE_ZERO: bool] = 8, 1, 64 => Floats::new, |floats, src, dst, draws| {
        let a = floats.code::<ONE_ZERO>(x, src, draws, 0);
        let b = floats.code::<ONE_ZERO>(x, src, draws, 1);
        let c = floats.code::<ONE_ZERO>(x, src, draws, 2);
        let d = floats.code::<ONE_ZERO>(x, src, draws, 3);
        x.store_dwords(dst, x.clamp_to_bytes::<false>([a, b, c, d]));
    };
    /// To float16 and bfloat16.
    halves[] = 8, 2, 32 => Floats::new, |floats, src, dst, draws| {
        let (a, b) = (floats.half(x, src, draws, 0), floats.half(x, src, draws, 1));
        x.store_dwords(dst, x.low_words(a, b));
    };
    /// To float32s.
    floats[] = 8, 4, 16 => Floats::new, |floats, src, dst, draws| {
        x.store_dwords(dst, floats.float(x, x.sixteen(src, 0), x.drawn(draws, 0)));
    };
    /// To powers of two.
    powers[] = 8, 1, 64 => Powers::new, |powers, src, dst, draws| {
        let a = powers.code(x, x.sixteen(src, 0), x.drawn(draws, 0));
        let b = powers.code(x, x.sixteen(src, 1), x.drawn(draws, 1));
        let c = powers.code(x, x.sixteen(src, 2), x.drawn(draws, 2));
        let d = powers.code(x, x.sixteen(src, 3), x.drawn(draws, 3));
        x.store_dwords(dst, x.clamp_to_bytes::<false>([a, b, c, d]));
    };
    /// To integers of a byte.
    bytes[const SIGNED: bool] = 8, 1, 64 => Integers::new::<SIGNED>, |integers, src, dst, draws| {
        let a = integers.integers(x, x.sixteen(src, 0), x.drawn(draws, 0));
        let b = integers.integers(x, x.sixteen(src, 1), x.drawn(draws, 1));
        let c = integers.integers(x, x.sixteen(src, 2), x.drawn(draws, 2));
        let d = integers.integers(x, x.sixteen(src, 3), x.drawn(draws, 3));
        let bytes = x.clamp_to_bytes::<SIGNED>([a, b, c, d]);
        x.store_dwords(dst, integers.clamped::<SIGNED>(x, bytes));
    };
    /// To integers of two bytes.
    words[const SIGNED: bool] = 8, 2, 32 => Integers::new::<SIGNED>, |integers, src, dst, draws| {
        let a = integers.integers(x, x.sixteen(src, 0), x.drawn(draws, 0));
        let b = integers.integers(x, x.sixteen(src, 1), x.drawn(draws, 1));
        x.store_dwords(dst, x.clamp_to_words::<SIGNED>(a, b));
    };
}

/// One, in each lane. (What is masked of a number that the compiler knows it would make other operations of, some more.)
#[derive(Clone, Copy)]
struct One(__m512i);

impl One {
    #[inline(always)]
    fn new(x: Features) -> Self {
        Self(x.dword(unknown(&1)))
    }

    /// Numbers, one more where the mask is set.
    #[inline(always)]
    fn more(self, x: Features, v: __m512i, up: __mmask16) -> __m512i {
        x.f._mm512_mask_add_epi32(v, up, v, self.0)
    }

    /// What is on top, and more if there is anything else: that tells infinity from a NaN, and zero from what is not.
    #[inline(always)]
    fn with_rest(self, x: Features, Sixteen { top, low }: Sixteen) -> __m512i {
        x.f._mm512_or_si512(top, x.f._mm512_min_epu32(low, self.0))
    }

    /// Which are no NaNs.
    #[inline(always)]
    fn number(self, x: Features, number: Sixteen) -> __mmask16 {
        let magnitude = x.magnitude(self.with_rest(x, number));
        x.f._mm512_cmple_epu32_mask(magnitude, x.dword(INFINITY))
    }
}

/// A float dtype, in registers.
struct Floats {
    least: __m512i,
    places: __m512i,
    /// How far a normal number's significand is shifted, that less 32, and what is left of 32.
    cut: __m512i,
    beyond: __m512i,
    left: __m512i,
    limit: __m512i,
    nan: __m512i,
    /// How far a code's sign is below a number's.
    lower: __m512i,
    sign: __m512i,
    one: One,
}

impl Floats {
    #[inline(always)]
    fn new(x: Features, target: &Target) -> Self {
        let cut = WIDTH.wrapping_sub(target.places);
        Self {
            least: x.dword(target.least + (ONE - FloatFormat::FLOAT32.bias as u32)),
            places: x.dword(target.places),
            cut: x.dword(cut),
            beyond: x.dword(cut.wrapping_sub(32)),
            left: x.dword(32u32.wrapping_sub(cut)),
            limit: x.dword(target.limit),
            nan: x.dword(target.nan),
            lower: x.dword(32 - target.bits),
            sign: x.dword(1 << (target.bits - 1)),
            one: One::new(x),
        }
    }

    /// What is whole of sixteen numbers, and their codes without signs, not limited.
    #[inline(always)]
    fn whole_and_code(&self, x: Features, number: Sixteen, draw: __m512i) -> [__m512i; 2] {
        let field = x.f._mm512_srli_epi32::<WIDTH>(x.magnitude(number.top));
        // (Differences of what fits a word, which are zero where they would be less.)
        let above = x.bw._mm512_subs_epu16(field, self.least);
        let below = x.bw._mm512_subs_epu16(self.least, field);
        let cuts = [
            x.f._mm512_add_epi32(self.cut, below),
            x.f._mm512_sub_epi32(self.left, below),
            x.f._mm512_add_epi32(self.beyond, below),
        ];
        let (whole, up) = x.cut_off(x.significand(number.top), number.low, cuts, draw);
        let code = x.f._mm512_add_epi32(whole, x.f._mm512_sllv_epi32(above, self.places));
        [whole, self.one.more(x, code, up)]
    }

    /// Sixteen codes of a byte.
    ///
    /// # Safety
    /// Such a register of numbers is readable, and its draws are.
    #[inline(always)]
    unsafe fn code<const ONE_ZERO: bool>(
        &self,
        x: Features,
        src: *const u8,
        draws: *const u32,
        i: usize,
    ) -> __m512i {
        // SAFETY: the caller's.
        let (number, draw) = unsafe { (x.sixteen(src, i), x.drawn(draws, i)) };
        let [_, code] = self.whole_and_code(x, number, draw);
        let code =
            x.f._mm512_mask_min_epu32(self.nan, self.one.number(x, number), code, self.limit);
        let signs = x.f._mm512_srlv_epi32(number.top, self.lower);
        // code XOR (the signs AND the sign). NaN without a sign is the one that zero would be.
        if ONE_ZERO {
            let signed = x.f._mm512_test_epi32_mask(code, x.dword(0x7f));
            x.f._mm512_mask_ternarylogic_epi32::<0x78>(code, signed, signs, self.sign)
        } else {
            x.f._mm512_ternarylogic_epi32::<0x78>(code, signs, self.sign)
        }
    }

    /// Sixteen codes of two bytes, with what there is room for of a NaN's payload: what is whole, since NaNs are not shifted
    /// any further than other large numbers.
    ///
    /// # Safety
    /// As for [`code`](Self::code).
    #[inline(always)]
    unsafe fn half(&self, x: Features, src: *const u8, draws: *const u32, i: usize) -> __m512i {
        // SAFETY: the caller's.
        let (number, draw) = unsafe { (x.sixteen(src, i), x.drawn(draws, i)) };
        let [whole, code] = self.whole_and_code(x, number, draw);
        let nan = x.f._mm512_or_si512(whole, self.nan);
        let code = x.f._mm512_mask_min_epu32(nan, self.one.number(x, number), code, self.limit);
        let signs = x.f._mm512_srlv_epi32(number.top, self.lower);
        x.f._mm512_ternarylogic_epi32::<0x78>(code, signs, self.sign)
    }

    /// Sixteen float32s, of whose significands 3 bits are not on top.
    #[inline(always)]
    fn float(&self, x: Features, number: Sixteen, draw: __m512i) -> __m512i {
        const LEADING: u32 = 1 << 23;
        let field = x.f._mm512_srli_epi32::<WIDTH>(x.magnitude(number.top));
        let above = x.bw._mm512_subs_epu16(field, self.least);
        let below = x.bw._mm512_subs_epu16(self.least, field);
        let top = x.f._mm512_slli_epi32::<3>(number.top);
        let middle = x.f._mm512_srli_epi32::<29>(number.low);
        // (The bits on top AND the fraction) OR those in the middle.
        let fraction = x.f._mm512_ternarylogic_epi32::<0xf8>(middle, top, x.dword(LEADING - 8));
        let significand = x.f._mm512_or_si512(fraction, x.dword(LEADING));
        let cuts = [
            below,
            x.f._mm512_sub_epi32(x.dword(32), below),
            x.f._mm512_sub_epi32(below, x.dword(32)),
        ];
        let low = x.f._mm512_slli_epi32::<3>(number.low);
        let (whole, up) = x.cut_off(significand, low, cuts, draw);
        // (255 above the smallest is past the limit, and fits a lane.)
        let above = x.f._mm512_slli_epi32::<23>(x.f._mm512_min_epi32(above, x.dword(255)));
        let code = x.f._mm512_add_epi32(whole, above);
        let code = self.one.more(x, code, up);
        let nan = x.f._mm512_or_si512(whole, self.nan);
        let code = x.f._mm512_mask_min_epu32(nan, self.one.number(x, number), code, self.limit);
        // code OR (the bits on top AND the sign)
        x.f._mm512_ternarylogic_epi32::<0xf8>(code, number.top, self.sign)
    }
}

/// Powers of two, in registers.
struct Powers {
    /// What is below the smallest comes to, and what is past the largest.
    lowest: __m512i,
    limit: __m512i,
    one: One,
}

impl Powers {
    #[inline(always)]
    fn new(x: Features, target: &Target) -> Self {
        // As unsigned numbers those below zero are past all codes.
        let lowest = if target.limit == Target::NO_POWER { 1 << 31 } else { 0 };
        Self { lowest: x.dword(lowest), limit: x.dword(target.limit), one: One::new(x) }
    }

    /// The codes of sixteen numbers: their exponents, one more if the draw is less than the fraction. (Subnormal numbers are
    /// far below all codes.)
    #[inline(always)]
    fn code(&self, x: Features, number: Sixteen, draw: __m512i) -> __m512i {
        let field = x.f._mm512_srli_epi32::<WIDTH>(x.magnitude(number.top));
        let bias = ONE - FloatFormat::FLOAT32.bias as u32;
        let code = x.f._mm512_sub_epi32(field, x.dword(bias));
        let upper = x.f._mm512_slli_epi32::<{ 32 - WIDTH }>(number.top);
        let rest = x.f._mm512_or_si512(upper, x.f._mm512_srli_epi32::<WIDTH>(number.low));
        let up = x.f._mm512_cmplt_epu32_mask(draw, rest);
        let code = self.one.more(x, code, up);
        let code = x.f._mm512_max_epi32(code, self.lowest);
        // What is less than zero is no power, as a NaN is none.
        let up_to_zero =
            x.f._mm512_cmple_epu32_mask(self.one.with_rest(x, number), x.dword(1 << 31));
        let power = up_to_zero & self.one.number(x, number);
        x.f._mm512_mask_min_epu32(x.dword(Target::NO_POWER), power, code, self.limit)
    }
}

/// An integer dtype, in registers: its range if it is of a byte.
struct Integers {
    lowest: __m512i,
    largest: __m512i,
    one: One,
}

impl Integers {
    #[inline(always)]
    fn new<const SIGNED: bool>(x: Features, target: &Target) -> Self {
        let largest = target.limit as u8;
        let lowest = if SIGNED { !largest } else { 0 };
        Self { lowest: x.byte(lowest), largest: x.byte(largest), one: One::new(x) }
    }

    /// The integers that sixteen numbers become, where what is past 16 bits is past them, too.
    #[inline(always)]
    fn integers(&self, x: Features, number: Sixteen, draw: __m512i) -> __m512i {
        const PAST: u32 = (ONE + 17) << WIDTH;
        const UNIT: u32 = ONE + WIDTH;
        let magnitude = x.f._mm512_min_epu32(x.magnitude(number.top), x.dword(PAST));
        let field = x.f._mm512_srli_epi32::<WIDTH>(magnitude);
        let cuts = [
            x.f._mm512_sub_epi32(x.dword(UNIT), field),
            x.f._mm512_sub_epi32(field, x.dword(UNIT - 32)),
            x.f._mm512_sub_epi32(x.dword(UNIT - 32), field),
        ];
        let (whole, up) = x.cut_off(x.significand(magnitude), number.low, cuts, draw);
        let whole = self.one.more(x, whole, up);
        let whole = x.f._mm512_maskz_mov_epi32(self.one.number(x, number), whole);
        let negative = x.dq._mm512_movepi32_mask(number.top);
        x.f._mm512_mask_sub_epi32(whole, negative, x.f._mm512_setzero_si512(), whole)
    }

    /// Bytes within the range.
    #[inline(always)]
    fn clamped<const SIGNED: bool>(&self, x: Features, v: __m512i) -> __m512i {
        if SIGNED {
            x.bw._mm512_max_epi8(x.bw._mm512_min_epi8(v, self.largest), self.lowest)
        } else {
            x.bw._mm512_min_epu8(v, self.largest)
        }
    }
}

impl Features {
    /// Sixteen numbers, after so many times sixteen.
    ///
    /// # Safety
    /// They are readable.
    #[inline(always)]
    unsafe fn sixteen(self, src: *const u8, i: usize) -> Sixteen {
        // SAFETY: the caller's.
        let numbers = unsafe { self.load_qwords(src.add(128 * i)) };
        Sixteen { top: self.high_dwords(numbers), low: self.low_dwords(numbers) }
    }

    /// Their draws.
    ///
    /// # Safety
    /// They are readable.
    #[inline(always)]
    unsafe fn drawn(self, draws: *const u32, i: usize) -> __m512i {
        // SAFETY: the caller's.
        unsafe { self.load_dwords(draws.add(16 * i).cast()) }
    }

    #[inline(always)]
    fn magnitude(self, top: __m512i) -> __m512i {
        self.f._mm512_and_si512(top, self.dword(u32::MAX >> 1))
    }

    /// The fraction with its leading one, as far as it is on top. (What has none is so small that it makes no difference.)
    #[inline(always)]
    fn significand(self, top: __m512i) -> __m512i {
        const LEADING: u32 = 1 << WIDTH;
        // (The bits on top AND the fraction) OR the leading one.
        self.f._mm512_ternarylogic_epi32::<0xf8>(self.dword(LEADING), top, self.dword(LEADING - 1))
    }

    /// What is whole of significands, and where the draw is less than the rest: from how far they are shifted, what is left of
    /// 32, and how far that is past 32. (Shifts by less than 0, and by more than 31, leave nothing.)
    #[inline(always)]
    fn cut_off(
        self,
        significand: __m512i,
        low: __m512i,
        [cut, left, beyond]: [__m512i; 3],
        draw: __m512i,
    ) -> (__m512i, __mmask16) {
        let rest = self.any_of(
            self.f._mm512_sllv_epi32(significand, left),
            [self.f._mm512_srlv_epi32(significand, beyond), self.f._mm512_srlv_epi32(low, cut)],
        );
        let whole = self.f._mm512_srlv_epi32(significand, cut);
        (whole, self.f._mm512_cmplt_epu32_mask(draw, rest))
    }
}
