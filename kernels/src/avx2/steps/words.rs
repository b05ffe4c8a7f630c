//! From float16 and bfloat16 to the small floats with one to three bits of fraction, 32 at a time, by
//! the high and the low byte of each magnitude.
//!
//! A magnitude is first brought to a *key*: half the smallest number of the destination, which still
//! rounds to zero, is taken away, and what is below becomes zero; what is above the largest number is
//! cut. The low two bits of a key's high byte are the top of the fraction, the others count powers of
//! two. So the first 16 high bytes are those of numbers below 8 units, where the unit is the smallest
//! number, and that is where the subnormals are, whatever the format: what they round to is one table
//! of codes, and a threshold for the low byte from which on it is one more. From there on the code is
//! linear in the high byte, and the thresholds are always the same. (Of bfloat16 the low byte of a key is but the five bits
//! that are left of its fraction.)
//!
//! Rounding toward zero has other tables, and the same from there on. Away from zero, what is less by the smallest step of
//! the source is rounded toward zero, and the result is the next code.
//!
//! Integers up to 8 need no low byte: between neighbouring high bytes of keys there is none.
//!
//! Float16 has no room for the exponents of float8_e5m2, but needs none: the formats are nearly the
//! same, and all that there is to do is to round.

use crate::avx2::Avx2;
use crate::avx2::direct::Step;
use crate::avx2::encode::Small;
use crate::dtypes::{DType, Real};
use crate::format::{FloatFormat, Numbers, Specials};
use crate::shape::Mode;
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// Float16 or bfloat16 to a small float.
pub(in crate::avx2) struct WordsToSmall<const SATURATE: bool>;

/// Float16 or bfloat16 to an integer from -8 to 7 or less, cut or by a [`Mode`] that goes to a side.
pub(in crate::avx2) struct WordsToInt<const MODE: u8>;

/// Whether the step is for this pair.
pub(in crate::avx2) const fn suits(from: DType, to: DType) -> bool {
    let fits = match to.numbers() {
        Numbers::Float(format) => to.bits() == 8 && matches!(format.mantissa_bits, 1..=3),
        _ => false,
    };
    fits && matches!(from, DType::Float16 | DType::BFloat16)
}

/// Whether [`WordsToInt`] is for this pair.
pub(in crate::avx2) const fn suits_int(from: DType, to: DType) -> bool {
    let fits = match to.numbers() {
        Numbers::Int(format) => to.bits() == 8 && format.max() < 8,
        _ => false,
    };
    fits && matches!(from, DType::Float16 | DType::BFloat16)
}

/// How the default kernels round.
pub(in crate::avx2) const NEAREST: u8 = Mode::NearestEven as u8;

/// The same, but what is past the largest number becomes infinity, or NaN if there is none: a mode beside all [`Mode`]s.
const OVERFLOWING: u8 = 1 << 7 | NEAREST;

struct Keys<A, B, const MODE: u8>(PhantomData<(A, B)>);

/// The low bytes of words, then their high bytes.
const SPLIT: [u8; 32] = [
    0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, //
    0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
];

/// What is added to high bytes, so that 16 is the first that is negative.
const ROW: u8 = 0x70;

/// The last low byte that gives the first of two codes of a range, if that is even, and the last that gives the second.
const LAST_OF_TWO: (u8, u8) = (0x40, 0xbf);

impl<A: Real, B: Real, const MODE: u8> Keys<A, B, MODE> {
    /// Whether magnitudes are cut, rather than rounded to the nearest.
    const CUTS: bool = MODE != NEAREST && MODE != OVERFLOWING;

    const FROM: FloatFormat = A::DTYPE.float_format();
    const TO: FloatFormat = Small::<B>::FORMAT;

    /// Whether the formats have the same exponents, or all but.
    const SIMILAR: bool = Self::FROM.exponent_bits == Self::TO.exponent_bits;

    /// Half the smallest number of the destination.
    const LEAST: i16 = {
        let exponent = Self::TO.min_exponent() - Self::TO.mantissa_bits as i32 - 1;
        let field = exponent + Self::FROM.bias;
        assert!(field > 0 || Self::SIMILAR);
        (field << Self::FROM.mantissa_bits) as i16
    };

    /// What larger magnitudes are taken for. That is the least number that is rounded to the largest of float4_e2m1fn, which
    /// has only one high byte beyond the first 16 below that; else the destination's largest number, or the one that would
    /// have the next code.
    const LARGEST: i16 = {
        if Self::TO.mantissa_bits == 1 && !Self::CUTS {
            // The first after 10 units, the middle of two numbers.
            Self::LEAST + (0x1108 >> (10 - Self::FROM.mantissa_bits))
        } else {
            let code = Self::TO.max_finite() + (MODE == OVERFLOWING) as u64;
            let fraction = code & Self::TO.mantissa_mask();
            let fraction = fraction << (Self::FROM.mantissa_bits - Self::TO.mantissa_bits);
            let exponent = (code >> Self::TO.mantissa_bits) as i32 - Self::TO.bias;
            let field = exponent + Self::FROM.bias;
            (field << Self::FROM.mantissa_bits) as i16 | fraction as i16
        }
    };

    const INFINITY: i16 = Self::FROM.max_finite() as i16 + 1;

    /// The sign bit of a code.
    const SIGN: i8 = (1u8 << (Self::TO.bits() - 1)) as i8;

    /// How far infinity is below the largest word, where the destination has no NaN. With this added, infinity is the
    /// largest magnitude, and NaNs go on to the other sign, where they are less than any number: they become zero, with
    /// the other sign, as they are to.
    const OVER: i16 = match Self::NAN {
        Some(_) => 0,
        None => i16::MAX - Self::INFINITY,
    };

    const NAN: Option<u8> = match Self::TO.nan() {
        Some(code) => Some(code as u8),
        None => None,
    };

    const BITS: u32 = Self::TO.mantissa_bits;

    /// For the first 16 high bytes, what the code is more than it would be further up.
    const MORE: [u8; 32] = {
        let mut more = [0; 32];
        let mut i = 0;
        while i < 32 {
            let high = i % 16;
            let further = linear(high as u8, Self::BITS);
            more[i] = first(high, Self::BITS, Self::CUTS).wrapping_sub(further);
            i += 1;
        }
        more
    };

    /// How many bits of a key the low byte has.
    const LOW_BITS: u32 = match A::DTYPE {
        DType::BFloat16 => 5,
        _ => 8,
    };

    /// Whether shuffles separate the bytes of a key: fewer instructions, but where there is NaN to be packed and blended
    /// shuffles are what there is too much of.
    const SHUFFLES: bool = Self::LOW_BITS == 8 && Self::NAN.is_none();

    /// What is taken from low bytes for a signed comparison. With two bits of fraction the middle of the range becomes
    /// zero; else it is nothing if they are no negative bytes anyway and zero has no meaning.
    const OFFSET: u8 = match (Self::LOW_BITS, Self::BITS) {
        (5, 3) => 0,
        (5, 2) => 16,
        _ => 0x80,
    };

    /// What becomes so of a low byte with eight bits, the last one of those that give a code.
    const fn low(last: u8) -> u8 {
        (last >> (8 - Self::LOW_BITS)).wrapping_sub(Self::OFFSET)
    }

    /// The last low byte that gives the same code as zero, for the first 16 high bytes; as it is compared, and without
    /// what [`Avx2::codes_of_keys`] adds whatever the high byte: so that zero, which a look-up gives further up, becomes
    /// what it is there.
    const LAST: [u8; 32] = {
        let mut last = [0; 32];
        let mut i = 0;
        while i < 32 {
            let high = i as u8 % 16;
            let added = match Self::BITS {
                _ if Self::CUTS => Self::LAST_CUT,
                3 => Self::low(LAST_OF_TWO.0),
                2 => (high & 1).wrapping_neg(),
                _ => high + ROW - 1,
            };
            last[i] = Self::low(last_low(i % 16, Self::BITS, Self::CUTS)).wrapping_sub(added);
            i += 1;
        }
        last
    };

    /// The last low byte that gives the first code of a high byte from 16 on, if magnitudes are cut: with three bits of
    /// fraction half of them, else all.
    const LAST_CUT: u8 = match Self::BITS {
        3 => Self::low(0x7f),
        _ => i8::MAX as u8,
    };

    /// What a linear code is less than its high byte, or twice that, or zero.
    const LESS: i8 = match Self::BITS {
        3 => 24,
        2 => 8,
        _ => -6,
    };
}

/// What the steps work with, in every place of a register.
#[derive(Clone, Copy)]
pub(in crate::avx2) struct Constants {
    over: __m256i,
    magnitude: __m256i,
    most: __m256i,
    least: __m256i,
    /// What separates the low bytes of keys from the high ones.
    split: __m256i,
    offset: __m256i,
    row: __m256i,
    top: __m256i,
    sign: __m256i,
    /// What a code is less than what is linear, without a sign and with one.
    less: [__m256i; 2],
    more: __m256i,
    last: __m256i,
    /// What the number of bits of fraction has a use for.
    own: [__m256i; 3],
}

impl Constants {
    #[inline(always)]
    pub(in crate::avx2) fn of<A: Real, B: Real, const MODE: u8>(isa: Avx2) -> Self {
        Self {
            over: isa.all16(const { Keys::<A, B, MODE>::OVER }),
            magnitude: isa.all16(i16::MAX),
            most: isa.all16(const { Keys::<A, B, MODE>::LARGEST + Keys::<A, B, MODE>::OVER }),
            least: isa.all16(const { Keys::<A, B, MODE>::LEAST + Keys::<A, B, MODE>::OVER }),
            split: match const { Keys::<A, B, MODE>::SHUFFLES } {
                true => isa.constant(&SPLIT),
                false => isa.all16(const { (1 << Keys::<A, B, MODE>::LOW_BITS) - 1 }),
            },
            offset: isa.all8(const { Keys::<A, B, MODE>::OFFSET as i8 }),
            row: isa.all8(ROW as i8),
            top: isa.all8(i8::MIN),
            sign: isa.all8(const { Keys::<A, B, MODE>::SIGN }),
            less: [
                isa.all8(const { Keys::<A, B, MODE>::LESS }),
                isa.all8(const { Keys::<A, B, MODE>::LESS.wrapping_sub(Keys::<A, B, MODE>::SIGN) }),
            ],
            more: isa.constant(const { &Keys::<A, B, MODE>::MORE }),
            last: isa.constant(const { &Keys::<A, B, MODE>::LAST }),
            own: match const { Keys::<A, B, MODE>::BITS } {
                bits if const { Keys::<A, B, MODE>::CUTS } => [
                    isa.all8(const { Keys::<A, B, MODE>::LAST_CUT as i8 }),
                    if bits == 1 { isa.all8(LARGEST_OF_4 - 1) } else { isa.zero() },
                    isa.zero(),
                ],
                3 => [
                    isa.all8(const { Keys::<A, B, MODE>::low(LAST_OF_TWO.0) as i8 }),
                    isa.all8(15),
                    isa.all8(const { Keys::<A, B, MODE>::low(LAST_OF_TWO.1) as i8 }),
                ],
                _ => [isa.all8(1), isa.zero(), isa.zero()],
            },
        }
    }
}

/// The high byte of float4_e2m1fn's largest number, 12 units.
const LARGEST_OF_4: i8 = 18;

/// The code at a high byte from 16 on if the low byte is zero: at 8 units.
const fn linear(high: u8, bits: u32) -> u8 {
    match bits {
        3 => high.wrapping_mul(2).wrapping_sub(24),
        2 => high.wrapping_sub(8),
        _ => 6,
    }
}

/// Eight times the number of units at a high byte below 16, and how many codes there are in eight
/// units.
const fn eighths(high: usize, bits: u32) -> (usize, usize) {
    // With one bit of fraction every second number from 4 units on.
    let codes = if bits == 1 && high >= 12 { 4 } else { 8 };
    ((4 + high % 4) << (high / 4), codes)
}

/// The code at a high byte below 16 if the low byte is zero.
const fn first(high: usize, bits: u32, cuts: bool) -> u8 {
    let (units, codes) = eighths(high, bits);
    let (whole, rest) = (units * codes / 64, units * codes % 64);
    let up = !cuts && (rest > 32 || (rest == 32 && whole % 2 == 1));
    (whole + up as usize + if codes == 4 { 2 } else { 0 }) as u8
}

/// The last low byte that gives that code.
const fn last_low(high: usize, bits: u32, cuts: bool) -> u8 {
    let (units, codes) = eighths(high, bits);
    let span = 1 << (high / 4);
    let code = first(high, bits, cuts) as usize - if codes == 4 { 2 } else { 0 };
    // Where the next code begins: half a step further up, or a whole one.
    let next = (code * 64 + if cuts { 64 } else { 32 }) / codes - units;
    // To the even one of two codes if it is as near.
    let low = next * 256 / span - if cuts { 1 } else { code % 2 };
    if low > 255 { 255 } else { low as u8 }
}

impl<A: Real, B: Real, const SATURATE: bool> Step<A, B> for WordsToSmall<SATURATE> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let codes = if SATURATE {
                let constants = &Constants::of::<A, B, NEAREST>(isa);
                isa.small_of_words::<A, B, NEAREST>(constants, src)
            } else {
                let constants = &Constants::of::<A, B, OVERFLOWING>(isa);
                isa.small_of_words::<A, B, OVERFLOWING>(constants, src)
            };
            isa.store(dst, codes);
        }
    }
}

impl Avx2 {
    /// The codes of 32 floats.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    pub(in crate::avx2) unsafe fn small_of_words<A: Real, B: Real, const MODE: u8>(
        self,
        by: &Constants,
        src: *const u8,
    ) -> __m256i {
        // SAFETY: the caller's.
        self.small_of::<A, B, MODE>(by, unsafe { [self.load(src), self.load(src.add(32))] })
    }

    /// The same of two vectors of floats.
    #[inline(always)]
    pub(in crate::avx2) fn small_of<A: Real, B: Real, const MODE: u8>(
        self,
        by: &Constants,
        words: [__m256i; 2],
    ) -> __m256i {
        self.in_order(match const { Keys::<A, B, MODE>::NAN } {
            Some(nan) => self.words_to_small::<A, B, MODE>(by, words, nan),
            None => self.words_to_numbers::<A, B, MODE>(by, words),
        })
    }

    /// The codes of two vectors of floats, as packing leaves them, among which there is one of NaN.
    #[inline(always)]
    fn words_to_small<A: Real, B: Real, const MODE: u8>(
        self,
        by: &Constants,
        [v, w]: [__m256i; 2],
        nan: u8,
    ) -> __m256i {
        let magnitudes = [self.and(v, by.magnitude), self.and(w, by.magnitude)];
        let away = [self.away::<A, B, MODE>(v), self.away::<A, B, MODE>(w)];
        let infinity = self.all16(const { Keys::<A, B, MODE>::INFINITY });
        let [a, b] = magnitudes;
        let is_nan = self.packs16(self.gt16(a, infinity), self.gt16(b, infinity));
        let codes = if const { Keys::<A, B, MODE>::SIMILAR } {
            self.rounded_words::<A, B, MODE>(magnitudes, away)
        } else {
            self.codes_of_keys::<A, B, MODE>(by, magnitudes, away, by.less[0])
        };
        let codes = match nan {
            // All bits but the sign.
            0x7f => self.andnot(by.top, self.or(codes, is_nan)),
            _ => self.blend8(codes, self.all8(nan as i8), is_nan),
        };
        let signs = self.and(self.packs16(v, w), by.sign);
        let signs = match const { Small::<B>::FORMAT.specials } {
            // There is no -0.
            Specials::Fnuz => self.andnot(self.eq8(codes, self.zero()), signs),
            _ => signs,
        };
        self.or(codes, signs)
    }

    /// The same where there is none, see [`Keys::OVER`].
    #[inline(always)]
    fn words_to_numbers<A: Real, B: Real, const MODE: u8>(
        self,
        by: &Constants,
        [v, w]: [__m256i; 2],
    ) -> __m256i {
        let (v, w) = (self.add16(v, by.over), self.add16(w, by.over));
        let magnitudes = [self.and(v, by.magnitude), self.and(w, by.magnitude)];
        let away = [self.away::<A, B, MODE>(v), self.away::<A, B, MODE>(w)];
        let less = self.blend8(by.less[0], by.less[1], self.packs16(v, w));
        self.codes_of_keys::<A, B, MODE>(by, magnitudes, away, less)
    }

    /// -1 for words that are rounded away from zero, to which what [`Keys::OVER`] says has been added. (Then NaNs are less
    /// than that, on either side of zero.)
    #[inline(always)]
    fn away<A: Real, B: Real, const MODE: u8>(self, v: __m256i) -> __m256i {
        self.away_from::<MODE>(v, const { Keys::<A, B, MODE>::OVER })
    }

    #[inline(always)]
    fn away_from<const MODE: u8>(self, v: __m256i, over: i16) -> __m256i {
        const UP: u8 = Mode::Up as u8;
        const DOWN: u8 = Mode::Down as u8;
        let zero = self.all16(over);
        match MODE {
            UP => self.gt16(v, zero),
            DOWN => self.gt16(self.xor(v, self.all16(i16::MIN)), zero),
            _ => self.zero(),
        }
    }

    /// Codes, or the next ones of what is rounded away from zero.
    #[inline(always)]
    fn codes_away<const MODE: u8>(self, codes: __m256i, [a, b]: [__m256i; 2]) -> __m256i {
        if MODE == Mode::Up as u8 || MODE == Mode::Down as u8 {
            return self.sub8(codes, self.packs16(a, b));
        }
        codes
    }

    /// To the exponents that float16 has itself, or to those with one more below.
    #[inline(always)]
    fn rounded_words<A: Real, B: Real, const MODE: u8>(
        self,
        [a, b]: [__m256i; 2],
        away: [__m256i; 2],
    ) -> __m256i {
        let a = self.rounded_word::<A, B, MODE>(a, away[0]);
        let b = self.rounded_word::<A, B, MODE>(b, away[1]);
        self.codes_away::<MODE>(self.pack_u16(a, b), away)
    }

    #[inline(always)]
    fn rounded_word<A: Real, B: Real, const MODE: u8>(
        self,
        magnitude: __m256i,
        away: __m256i,
    ) -> __m256i {
        let most = self.all16(const { Keys::<A, B, MODE>::LARGEST });
        let mut v = self.add16(self.min16(magnitude, most), away);
        if const { Keys::<A, B, MODE>::TO.bias > Keys::<A, B, MODE>::FROM.bias } {
            // Twice a subnormal, of anything else one exponent more: whichever is less.
            v = self.min_u16(self.add16(v, v), self.add16(v, self.all16(0x400)));
        }
        if const { Keys::<A, B, MODE>::CUTS } {
            return self.shr16::<8>(v);
        }
        let odd = self.and(self.shr16::<8>(v), self.all16(1));
        self.shr16::<8>(self.add16(self.add16(v, self.all16(0x7f)), odd))
    }

    /// By keys; with what codes are less than what is linear.
    #[inline(always)]
    fn codes_of_keys<A: Real, B: Real, const MODE: u8>(
        self,
        by: &Constants,
        [a, b]: [__m256i; 2],
        away: [__m256i; 2],
        less: __m256i,
    ) -> __m256i {
        let keys = [self.key(by, a, away[0]), self.key(by, b, away[1])];
        let (high, low) = self.split_keys::<A, B, MODE>(by, keys);
        if const { Keys::<A, B, MODE>::CUTS } {
            let codes = self.cut_keys::<A, B, MODE>(by, high, low, less);
            return self.codes_away::<MODE>(codes, away);
        }
        // From 16 on the index is negative, which gives zero.
        let at = self.add_clamped_u8(high, by.row);
        let (more, last) = (self.shuffle8(by.more, at), self.shuffle8(by.last, at));
        let [a, b, c] = by.own;
        match const { Keys::<A, B, MODE>::BITS } {
            3 => {
                // Every half of the low byte's range is a code; the first one is even. (Below 16 no low byte is beyond the
                // second threshold, the largest signed byte.)
                let first = self.gt8(low, self.add8(last, a));
                let second = self.gt8(low, self.max8(self.or(at, b), c));
                let linear = self.add8(self.add8(high, high), more);
                self.sub8(linear, self.add8(self.add8(first, second), less))
            }
            2 => {
                // A code is the low byte's range; halfway it goes to the even one.
                let up = self.gt8(low, self.sub8(last, self.and(at, a)));
                self.sub8(self.add8(self.sub8(high, less), more), up)
            }
            _ => {
                // Only past 10 units, where the second high byte begins, there is another code: of the two that are left,
                // one less is the last low byte that gives the same.
                let up = self.gt8(low, self.add8(last, self.sub8(at, a)));
                self.sub8(self.sub8(more, less), up)
            }
        }
    }

    /// By the high and the low bytes of keys, cut.
    #[inline(always)]
    fn cut_keys<A: Real, B: Real, const MODE: u8>(
        self,
        by: &Constants,
        high: __m256i,
        low: __m256i,
        less: __m256i,
    ) -> __m256i {
        let at = self.add_clamped_u8(high, by.row);
        let (more, last) = (self.shuffle8(by.more, at), self.shuffle8(by.last, at));
        let [last_cut, below_largest, _] = by.own;
        let up = self.gt8(low, self.add8(last, last_cut));
        let linear = match const { Keys::<A, B, MODE>::BITS } {
            3 => self.add8(high, high),
            2 => high,
            _ => self.sub8(self.zero(), self.gt8(high, below_largest)),
        };
        self.sub8(self.add8(linear, more), self.add8(up, less))
    }

    /// The high and the low bytes of keys, the low ones as they are compared.
    #[inline(always)]
    fn split_keys<A: Real, B: Real, const MODE: u8>(
        self,
        by: &Constants,
        [a, b]: [__m256i; 2],
    ) -> (__m256i, __m256i) {
        let (high, low) = if const { Keys::<A, B, MODE>::SHUFFLES } {
            let (a, b) = (self.shuffle8(a, by.split), self.shuffle8(b, by.split));
            (self.high64(a, b), self.low64(a, b))
        } else {
            let (high_a, high_b) = match const { Keys::<A, B, MODE>::LOW_BITS } {
                5 => (self.shr16::<5>(a), self.shr16::<5>(b)),
                _ => (self.shr16::<8>(a), self.shr16::<8>(b)),
            };
            let low = self.pack_u16(self.and(a, by.split), self.and(b, by.split));
            (self.pack_u16(high_a, high_b), low)
        };
        match const { Keys::<A, B, MODE>::OFFSET } {
            0 => (high, low),
            _ => (high, self.sub8(low, by.offset)),
        }
    }

    #[inline(always)]
    fn key(self, by: &Constants, magnitude: __m256i, away: __m256i) -> __m256i {
        let magnitude = self.add16(self.min16(magnitude, by.most), away);
        self.sub_clamped_u16(magnitude, by.least)
    }
}

/// The integers that magnitudes are cut to, by the high bytes of their keys above 0.625: at 15 it is 8.
const CUT: [u8; 32] = {
    let mut cut = [0; 32];
    let mut i = 0;
    while i < 32 {
        // Quarters above a power of two, from 0.5 on.
        let quarters = i % 16 + 1;
        cut[i] = (((4 + quarters % 4) << (quarters / 4)) / 8) as u8;
        i += 1;
    }
    cut
};

/// Of a format: how far infinity is below the largest word, 0.625 and 8. As in [`Keys::OVER`], with that added NaNs are less
/// than any number, and become zero.
const fn range_of_cut(dtype: DType) -> (i16, i16, i16) {
    match dtype {
        DType::Float16 => (0x7fff - 0x7c00, 0x3900, 0x4800),
        _ => (0x7fff - 0x7f80, 0x3f20, 0x4100),
    }
}

impl<const MODE: u8, A: Real, B: Real> Step<A, B> for WordsToInt<MODE> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let words = [isa.load(src), isa.load(src.add(32))];
            isa.store(dst, isa.in_order(isa.words_to_int::<A, B, MODE>(words)));
        }
    }
}

impl Avx2 {
    /// Two vectors of floats as integers, as packing leaves them. (Below 8 floats are closer to each other than integers: so
    /// away from zero is one more than what the float before is cut to.)
    #[inline(always)]
    fn words_to_int<A: Real, B: Real, const MODE: u8>(self, [v, w]: [__m256i; 2]) -> __m256i {
        let over = const { range_of_cut(A::DTYPE).0 };
        let (v, w) = (self.add16(v, self.all16(over)), self.add16(w, self.all16(over)));
        let away = [self.away_from::<MODE>(v, over), self.away_from::<MODE>(w, over)];
        let (v, w) = (self.add16(v, away[0]), self.add16(w, away[1]));
        let high = self.pack_u16(self.cut_key::<A>(v), self.cut_key::<A>(w));
        let cut = self.codes_away::<MODE>(self.shuffle8(self.constant(&CUT), high), away);
        let signs = self.packs16(v, w);
        let (least, most) = match const { B::DTYPE.numbers() } {
            Numbers::Int(format) => (format.min_magnitude() as i8, format.max() as i8),
            _ => (0, 0),
        };
        if least == 0 {
            let positive = self.min_u8(cut, self.all8(most));
            return self.andnot(self.gt8(self.zero(), signs), positive);
        }
        // A negative number may be one more.
        let negative = self.gt8(self.zero(), signs);
        let limited = self.min_u8(cut, self.sub8(self.all8(most), negative));
        self.sub8(self.xor(limited, negative), negative)
    }

    #[inline(always)]
    fn cut_key<A: Real>(self, word: __m256i) -> __m256i {
        let (over, least, most) = const { range_of_cut(A::DTYPE) };
        let magnitude = self.min16(self.and(word, self.all16(i16::MAX)), self.all16(most + over));
        let key = self.sub_clamped_u16(magnitude, self.all16(least + over));
        match const { A::DTYPE } {
            DType::Float16 => self.shr16::<8>(key),
            _ => self.shr16::<5>(key),
        }
    }
}
