//! Float32s and float64s rounded by draws, and stored at once: see `shape::drawn_stores`.
//!
//! A significand, with its leading one, is shifted down by `cut` places, such that its last bit is that of the destination's
//! numbers of this size: what is left is *whole*, and the first 32 bits of what is shifted out are the *rest*, which a draw is
//! compared with. Of a subnormal number of the destination more is shifted out, so that `normal`, the exponent field, is that
//! of its smallest normal number. Since a normal number's leading one counts as one in the exponent field, its code is
//!
//! ```text
//! code = whole + (normal - least << places), one more if the draw is less than the rest
//! ```
//!
//! One more is what a code further from zero is, across powers of two as well. Float64s go the same way with 32 bits in a
//! lane: those on top have sign, exponent and 20 bits of the fraction, and the others are but part of the rest, unless the
//! destination is float32.

use super::Avx2;
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::shape::{Form, StoreDrawn, Target, brains, store_loops};
use core::arch::x86_64::__m256i;

/// The elements of a step.
const STEP: usize = 32;

/// The loop of a pair, if there is one.
pub(super) fn stores_drawn(from: DType, to: DType) -> Option<StoreDrawn> {
    match (from, to) {
        (DType::Float32, DType::BFloat16) => Some(brains::<Avx2>),
        (DType::Float64, DType::Float32) => Some(floats),
        (DType::Float32, _) => loop_to::<SHORT>(to),
        (DType::Float64, _) => loop_to::<LONG>(to),
        _ => None,
    }
}

fn loop_to<const LONG: bool>(to: DType) -> Option<StoreDrawn> {
    Some(match Form::of(to)? {
        Form::Byte => codes::<LONG, false>,
        Form::ByteOfOneZero => codes::<LONG, true>,
        Form::Power => powers::<LONG>,
        Form::Half => halves::<LONG>,
        Form::ByteInteger(true) => bytes::<LONG, true>,
        Form::ByteInteger(false) => bytes::<LONG, false>,
        Form::WordInteger(true) => words::<LONG, true>,
        Form::WordInteger(false) => words::<LONG, false>,
    })
}

/// What is rounded, as a const parameter: float32s, or float64s.
const SHORT: bool = false;
const LONG: bool = true;

/// Eight numbers.
#[derive(Clone, Copy)]
struct Eight {
    /// Float32s, or the bits on top of float64s.
    top: __m256i,
    /// The other bits of float64s.
    low: __m256i,
}

store_loops! {
    Avx2 as isa, isa;
    /// To floats of a byte, of which those with one zero have no code for a negative one.
    codes[const LONG: bool, const ONE_ZERO: bool] = size(LONG), 1, STEP => Floats::new::<LONG>,
        |floats, src, dst, draws| {
            isa.store(dst, floats.bytes::<LONG, ONE_ZERO>(isa, isa.numbers::<LONG>(src), draws));
        };
    /// To float16 and bfloat16.
    halves[const LONG: bool] = size(LONG), 2, STEP => Floats::new::<LONG>,
        |floats, src, dst, draws| {
            let [a, b, c, d] = isa.numbers::<LONG>(src);
            isa.store(dst, floats.halves::<LONG>(isa, [a, b], draws));
            isa.store(dst.add(32), floats.halves::<LONG>(isa, [c, d], draws.add(16)));
        };
    /// Float64s to float32s.
    floats[] = 8, 4, STEP => Floats::new::<LONG>,
        |floats, src, dst, draws| {
            for i in 0..STEP / 8 {
                let number = isa.eight::<LONG>(src.add(64 * i));
                isa.store(dst.add(32 * i), floats.float(isa, number, isa.draws(draws, i)));
            }
        };
    /// To powers of two.
    powers[const LONG: bool] = size(LONG), 1, STEP => Powers::new,
        |powers, src, dst, draws| {
            let [a, b, c, d] = isa.numbers::<LONG>(src);
            let draws = isa.all_draws(draws);
            let (a, b) = (powers.code::<LONG>(isa, a, draws[0]), powers.code::<LONG>(isa, b, draws[1]));
            let (c, d) = (powers.code::<LONG>(isa, c, draws[2]), powers.code::<LONG>(isa, d, draws[3]));
            let codes = isa.pack_u16(isa.packs32(a, b), isa.packs32(c, d));
            isa.store(dst, isa.packed_in_order(codes));
        };
    /// To integers of a byte.
    bytes[const LONG: bool, const SIGNED: bool] = size(LONG), 1, STEP => Integers::new::<SIGNED>,
        |integers, src, dst, draws| {
            let numbers = isa.numbers::<LONG>(src);
            isa.store(dst, integers.bytes::<LONG, SIGNED>(isa, numbers, draws));
        };
    /// To integers of two bytes.
    words[const LONG: bool, const SIGNED: bool] = size(LONG), 2, STEP => |_, _| (),
        |_nothing, src, dst, draws| {
            let [a, b, c, d] = isa.numbers::<LONG>(src);
            isa.store(dst, isa.words::<LONG, SIGNED>([a, b], draws));
            isa.store(dst.add(32), isa.words::<LONG, SIGNED>([c, d], draws.add(16)));
        };
}

const fn size(long: bool) -> usize {
    if long { 8 } else { 4 }
}

/// How many bits of the fraction are in a lane, and its exponent field of 1.
const fn layout(long: bool) -> (u32, u32) {
    if long { (20, 1023) } else { (23, 127) }
}

/// Infinity, as far as it is on top.
const fn infinity(long: bool) -> i32 {
    if long { 0x7ff0_0000 } else { 0x7f80_0000 }
}

/// A float dtype, in registers.
struct Floats {
    least: __m256i,
    places: __m256i,
    /// How far a normal number's significand is shifted, that less 32, and what is left of 32.
    cut: __m256i,
    beyond: __m256i,
    left: __m256i,
    /// What is counted too much, and the largest code with that.
    base: __m256i,
    limit: __m256i,
    nan: __m256i,
    sign: __m256i,
}

impl Floats {
    #[inline(always)]
    fn new<const LONG: bool>(isa: Avx2, target: &Target) -> Self {
        let (width, one) = layout(LONG);
        let (_, short_one) = layout(SHORT);
        let least = target.least + (one - short_one);
        let cut = width.wrapping_sub(target.places) as i32;
        let base = (least << target.places).wrapping_sub(1) as i32;
        Self {
            least: isa.all32(least as i32),
            places: isa.all32(target.places as i32),
            cut: isa.all32(cut),
            beyond: isa.all32(cut - 32),
            left: isa.all32(32 - cut),
            base: isa.all32(base),
            limit: isa.all32(base.wrapping_add(target.limit as i32)),
            nan: isa.all32(target.nan as i32),
            sign: isa.all32(1 << (target.bits - 1)),
        }
    }

    /// What is whole of eight numbers; and their codes, without signs and not limited, and [`base`](Self::base) more. Of NaNs,
    /// which are not shifted any further than other large numbers, whole is their leading one and what there is room for of the
    /// rest.
    #[inline(always)]
    fn code<const LONG: bool>(
        &self,
        isa: Avx2,
        number: Eight,
        draw: __m256i,
    ) -> (__m256i, __m256i) {
        let field = isa.field::<LONG>(isa.magnitude(number.top));
        let normal = isa.max32(field, self.least);
        let below = isa.sub32(normal, field);
        let cuts = [
            isa.add32(self.cut, below),
            isa.sub32(self.left, below),
            isa.add32(self.beyond, below),
        ];
        let significand = isa.significand::<LONG>(number.top);
        let (whole, stays) = isa.cut_off::<LONG>(significand, number.low, cuts, draw);
        (whole, isa.add32(isa.add32(whole, stays), isa.sllv32(normal, self.places)))
    }

    /// The codes of 32 numbers, of a byte each.
    ///
    /// # Safety
    /// As many draws are readable.
    #[inline(always)]
    unsafe fn bytes<const LONG: bool, const ONE_ZERO: bool>(
        &self,
        isa: Avx2,
        numbers: [Eight; 4],
        draws: *const u32,
    ) -> __m256i {
        let [a, b, c, d] = numbers;
        // SAFETY: the caller's.
        let draws = unsafe { isa.all_draws(draws) };
        let (_, first) = self.code::<LONG>(isa, a, draws[0]);
        let (_, second) = self.code::<LONG>(isa, b, draws[1]);
        let (_, third) = self.code::<LONG>(isa, c, draws[2]);
        let (_, fourth) = self.code::<LONG>(isa, d, draws[3]);
        // (All bases and limits fit 16 bits with a sign, and what does not is past the limit.)
        let (lower, upper) = (isa.packs32(first, second), isa.packs32(third, fourth));
        let (base, limit) =
            (isa.packs32(self.base, self.base), isa.packs32(self.limit, self.limit));
        let codes = isa.pack_u16(
            isa.sub16(isa.min16(lower, limit), base),
            isa.sub16(isa.min16(upper, limit), base),
        );
        let nans = isa.narrowed([
            isa.nan::<LONG>(a),
            isa.nan::<LONG>(b),
            isa.nan::<LONG>(c),
            isa.nan::<LONG>(d),
        ]);
        let negative = isa.gt8(isa.zero(), isa.narrowed([a.top, b.top, c.top, d.top]));
        let (nan, sign) = (isa.every_byte(self.nan), isa.every_byte(self.sign));
        let codes = if ONE_ZERO {
            // Its NaN, which has no sign, is the code that a negative zero would have, and past the largest number.
            let signs = isa.and(isa.gt8(codes, isa.zero()), isa.and(negative, sign));
            isa.blend8(isa.xor(codes, signs), nan, nans)
        } else {
            isa.xor(isa.blend8(codes, nan, nans), isa.and(negative, sign))
        };
        isa.packed_in_order(codes)
    }

    /// The codes of eight numbers, without their signs, with what there is room for of a NaN's payload.
    #[inline(always)]
    fn half<const LONG: bool>(&self, isa: Avx2, number: Eight, draw: __m256i) -> __m256i {
        let (whole, code) = self.code::<LONG>(isa, number, draw);
        let code = isa.sub32(isa.min32(code, self.limit), self.base);
        isa.blend8(code, isa.or(whole, self.nan), isa.nan::<LONG>(number))
    }

    /// The codes of 16 numbers, of two bytes each.
    ///
    /// # Safety
    /// As many draws are readable.
    #[inline(always)]
    unsafe fn halves<const LONG: bool>(
        &self,
        isa: Avx2,
        numbers: [Eight; 2],
        draws: *const u32,
    ) -> __m256i {
        let [a, b] = numbers;
        // SAFETY: the caller's.
        let (c, d) = unsafe { (isa.draws(draws, 0), isa.draws(draws, 1)) };
        let codes = isa.packs32(self.half::<LONG>(isa, a, c), self.half::<LONG>(isa, b, d));
        let signs = isa.and(isa.packs32(a.top, b.top), isa.all16(i16::MIN));
        isa.in_order(isa.or(codes, signs))
    }

    /// Eight float64s as float32s, of whose significands 3 bits are not in the lane on top.
    #[inline(always)]
    fn float(&self, isa: Avx2, number: Eight, draw: __m256i) -> __m256i {
        let field = isa.field::<LONG>(isa.magnitude(number.top));
        let normal = isa.max32(field, self.least);
        let below = isa.sub32(normal, field);
        let cuts = [below, isa.sub32(isa.all32(32), below), isa.sub32(below, isa.all32(32))];
        let significand = isa
            .or(isa.shl32::<3>(isa.significand::<LONG>(number.top)), isa.shr32::<29>(number.low));
        let low = isa.shl32::<3>(number.low);
        let (whole, stays) = isa.cut_off::<LONG>(significand, low, cuts, draw);
        // (255 above the smallest is past the limit, and fits a lane.)
        let normal = isa.min32(normal, isa.add32(self.least, isa.all32(255)));
        let code = isa.add32(isa.add32(whole, stays), isa.shl32::<23>(normal));
        let code = isa.min_u32(isa.sub32(code, self.base), isa.all32(infinity(SHORT)));
        let code = isa.blend8(code, isa.or(whole, self.nan), isa.nan::<LONG>(number));
        isa.or(code, isa.and(number.top, isa.all32(i32::MIN)))
    }
}

/// Powers of two, in registers.
struct Powers {
    /// What is below the smallest comes to, and what is past the largest.
    lowest: __m256i,
    limit: __m256i,
}

impl Powers {
    #[inline(always)]
    fn new(isa: Avx2, target: &Target) -> Self {
        // As unsigned numbers those below zero are past all codes.
        let lowest = if target.limit == Target::NO_POWER { i32::MIN } else { 0 };
        Self { lowest: isa.all32(lowest), limit: isa.all32(target.limit as i32) }
    }

    /// The codes of eight numbers: their exponents, one more if the draw is less than the fraction.
    #[inline(always)]
    fn code<const LONG: bool>(&self, isa: Avx2, number: Eight, draw: __m256i) -> __m256i {
        let [code, rest] = isa.exponent_and_fraction::<LONG>(number);
        let stays = isa.eq32(isa.max_u32(draw, rest), draw);
        let code = isa.add32(isa.add32(code, isa.all32(1)), stays);
        let code = isa.min_u32(isa.max32(code, self.lowest), self.limit);
        // What is less than zero is no power, as a NaN is none.
        let magnitude = isa.magnitude_with_rest::<LONG>(number);
        let other = isa.gt32(magnitude, isa.zero());
        let negative = isa.and(isa.sar32::<31>(number.top), other);
        let none = isa.or(isa.gt32(magnitude, isa.all32(infinity(LONG))), negative);
        isa.or(code, isa.shr32::<24>(none))
    }
}

/// An integer dtype of a byte, in registers.
struct Integers {
    lowest: __m256i,
    largest: __m256i,
}

impl Integers {
    #[inline(always)]
    fn new<const SIGNED: bool>(isa: Avx2, target: &Target) -> Self {
        let largest = target.limit as i8;
        Self { lowest: isa.all8(if SIGNED { !largest } else { 0 }), largest: isa.all8(largest) }
    }

    /// What becomes of 32 numbers.
    ///
    /// # Safety
    /// As many draws are readable.
    #[inline(always)]
    unsafe fn bytes<const LONG: bool, const SIGNED: bool>(
        &self,
        isa: Avx2,
        numbers: [Eight; 4],
        draws: *const u32,
    ) -> __m256i {
        /// Past all bytes, and one more still fits 16 bits.
        const PAST: u32 = 14;
        let [a, b, c, d] = numbers;
        // SAFETY: the caller's.
        let draws = unsafe { isa.all_draws(draws) };
        let a = isa.one_less::<LONG, PAST>(a, draws[0]);
        let b = isa.one_less::<LONG, PAST>(b, draws[1]);
        let c = isa.one_less::<LONG, PAST>(c, draws[2]);
        let d = isa.one_less::<LONG, PAST>(d, draws[3]);
        let one = isa.all16(1);
        let (a, b) = (isa.add16(isa.packs32(a, b), one), isa.add16(isa.packs32(c, d), one));
        let clamped = if SIGNED {
            isa.max8(isa.min8(isa.packs16(a, b), self.largest), self.lowest)
        } else {
            isa.min_u8(isa.pack_u16(a, b), self.largest)
        };
        isa.packed_in_order(clamped)
    }
}

impl Avx2 {
    /// 32 numbers.
    ///
    /// # Safety
    /// As many are readable.
    #[inline(always)]
    unsafe fn numbers<const LONG: bool>(self, src: *const u8) -> [Eight; 4] {
        let bytes = const { 8 * size(LONG) };
        // SAFETY: the caller's.
        unsafe {
            [
                self.eight::<LONG>(src),
                self.eight::<LONG>(src.add(bytes)),
                self.eight::<LONG>(src.add(2 * bytes)),
                self.eight::<LONG>(src.add(3 * bytes)),
            ]
        }
    }

    /// # Safety
    /// Eight numbers are readable.
    #[inline(always)]
    unsafe fn eight<const LONG: bool>(self, src: *const u8) -> Eight {
        // SAFETY: the caller's.
        unsafe {
            if !LONG {
                return Eight { top: self.load(src), low: self.zero() };
            }
            let a = self.join(self.loadx(src.add(32)), self.loadx(src));
            let b = self.join(self.loadx(src.add(48)), self.loadx(src.add(16)));
            Eight { top: self.odd_dwords(a, b), low: self.even_dwords(a, b) }
        }
    }

    #[inline(always)]
    fn magnitude(self, top: __m256i) -> __m256i {
        self.and(top, self.all32(i32::MAX))
    }

    /// The exponent field of a magnitude.
    #[inline(always)]
    fn field<const LONG: bool>(self, magnitude: __m256i) -> __m256i {
        if LONG { self.shr32::<20>(magnitude) } else { self.shr32::<23>(magnitude) }
    }

    /// The fraction with its leading one, as far as it is on top. (What has none is so small that it makes no difference.)
    #[inline(always)]
    fn significand<const LONG: bool>(self, top: __m256i) -> __m256i {
        let leading = const { 1 << layout(LONG).0 };
        self.or(self.and(top, self.all32(leading - 1)), self.all32(leading))
    }

    /// The exponents of magnitudes, as the codes of powers of two have them, and the first 32 bits of their fractions.
    /// Subnormal float32s are multiples of 2^-149, and as such exact; float64s are far below all codes.
    #[inline(always)]
    fn exponent_and_fraction<const LONG: bool>(self, Eight { top, low }: Eight) -> [__m256i; 2] {
        let magnitude = self.magnitude(top);
        if LONG {
            let bias = const { (layout(LONG).1 - layout(SHORT).1) as i32 };
            let exponent = self.sub32(self.field::<LONG>(magnitude), self.all32(bias));
            return [exponent, self.or(self.shl32::<12>(top), self.shr32::<20>(low))];
        }
        let multiple = self.ps_bits(self.i32_to_ps(magnitude));
        let multiple = self.sub32(multiple, self.all32(149 << 23));
        let subnormal = self.gt32(self.all32(1 << 23), magnitude);
        let number = self.blend8(magnitude, multiple, subnormal);
        [self.sar32::<23>(number), self.shl32::<9>(number)]
    }

    /// Magnitudes, more than what is on top if there is anything else: that tells infinity from a NaN, and zero from what is
    /// not.
    #[inline(always)]
    fn magnitude_with_rest<const LONG: bool>(self, Eight { top, low }: Eight) -> __m256i {
        let magnitude = self.magnitude(top);
        match LONG {
            true => self.or(magnitude, self.min_u32(low, self.all32(1))),
            false => magnitude,
        }
    }

    /// Where numbers are NaNs.
    #[inline(always)]
    fn nan<const LONG: bool>(self, number: Eight) -> __m256i {
        self.gt32(self.magnitude_with_rest::<LONG>(number), self.all32(infinity(LONG)))
    }

    /// What is whole of significands, and -1 where the draw is not less than the rest: from how far they are shifted, what is
    /// left of 32, and how far that is past 32. (Shifts by less than 0, and by more than 31, leave nothing.)
    #[inline(always)]
    fn cut_off<const LONG: bool>(
        self,
        significand: __m256i,
        low: __m256i,
        [cut, left, beyond]: [__m256i; 3],
        draw: __m256i,
    ) -> (__m256i, __m256i) {
        let rest = self.or(self.sllv32(significand, left), self.srlv32(significand, beyond));
        let rest = if LONG { self.or(rest, self.srlv32(low, cut)) } else { rest };
        (self.srlv32(significand, cut), self.eq32(self.max_u32(draw, rest), draw))
    }

    /// One less than the integers that eight numbers become, where what is past such a power of two is that power or one more;
    /// -1 for NaNs.
    #[inline(always)]
    fn one_less<const LONG: bool, const PAST: u32>(self, number: Eight, draw: __m256i) -> __m256i {
        let (width, one) = const { layout(LONG) };
        let past = const { ((layout(LONG).1 + PAST) << layout(LONG).0) as i32 };
        let magnitude = self.min32(self.magnitude(number.top), self.all32(past));
        let field = self.field::<LONG>(magnitude);
        let unit = (one + width) as i32;
        let cuts = [
            self.sub32(self.all32(unit), field),
            self.sub32(field, self.all32(unit - 32)),
            self.sub32(self.all32(unit - 32), field),
        ];
        let significand = self.significand::<LONG>(magnitude);
        let (whole, stays) = self.cut_off::<LONG>(significand, number.low, cuts, draw);
        // One less than the magnitude, of which the complement is its negative.
        let less = self.add32(whole, stays);
        let negative = self.sar32::<31>(number.top);
        let less = self.add32(self.xor(less, negative), negative);
        self.or(less, self.nan::<LONG>(number))
    }

    /// The integers of two bytes that 16 numbers become.
    ///
    /// # Safety
    /// As many draws are readable.
    #[inline(always)]
    unsafe fn words<const LONG: bool, const SIGNED: bool>(
        self,
        [a, b]: [Eight; 2],
        draws: *const u32,
    ) -> __m256i {
        const PAST: u32 = 17;
        // SAFETY: the caller's.
        let (c, d) = unsafe { (self.draws(draws, 0), self.draws(draws, 1)) };
        let one = self.all32(1);
        let a = self.add32(self.one_less::<LONG, PAST>(a, c), one);
        let b = self.add32(self.one_less::<LONG, PAST>(b, d), one);
        let packed = if SIGNED { self.packs32(a, b) } else { self.pack_u32(a, b) };
        self.in_order(packed)
    }

    /// Words of 32 bits packed to bytes, by lanes of 128 bits.
    #[inline(always)]
    fn narrowed(self, [a, b, c, d]: [__m256i; 4]) -> __m256i {
        self.packs16(self.packs32(a, b), self.packs32(c, d))
    }

    /// The lowest byte of each word of 32 bits, all of which are the same, in all bytes.
    #[inline(always)]
    fn every_byte(self, v: __m256i) -> __m256i {
        let v = self.and(v, self.all32(0xff));
        let v = self.pack_u32(v, v);
        self.pack_u16(v, v)
    }
}
