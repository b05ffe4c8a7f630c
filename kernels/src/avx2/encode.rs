//! Encoders: numbers as they are, bools as 0 and 1, small integers filled to a byte, and the floats
//! below 32 bits rounded from float32s that round as the exact values would.

use super::Avx2;
use super::bridge::{Brain, Falsehood, Int, Power, Sticky, UNORDERED};
use super::decode::{F32, F64, I64, U64};
use crate::codec::Encode;
use crate::dtypes::{Real, mark};
use crate::format::{FloatFormat, Numbers, Specials};
use crate::shape::{Mode, TINY};
use core::arch::x86_64::{__m128i, __m256, __m256i};
use core::marker::PhantomData;

macro_rules! encoders {
    ($($variant:ident <= $home:ty, |$isa:ident, $values:pat_param, $dst:ident| $store:expr;)*) => {$(
        impl Encode<mark::$variant> for Avx2 {
            type Home = $home;

            #[inline(always)]
            unsafe fn encode(self, $values: $home, $dst: *mut u8) {
                let $isa = self;
                // SAFETY: the caller's: 16 elements are writable at `dst`.
                unsafe { $store }
            }
        }
    )*};
}

encoders! {
    Bool <= Falsehood, |isa, Falsehood(v), dst| {
        let words = isa.packs32(v[0], v[1]);
        let falsehood = isa.quarters_in_order(isa.packs16x(isa.lower(words), isa.half::<1>(words)));
        isa.storex(dst, isa.andnotx(falsehood, isa.all8x(1)));
    };
    Int8 <= Int<8, true>, |isa, Int(v), dst| isa.storex(dst, isa.low_bytes(v));
    Int16 <= Int<16, true>, |isa, Int(v), dst| isa.store(dst, isa.low_words(v));
    Int32 <= Int<32, true>, |isa, Int(v), dst| isa.store_two(dst, v);
    Int64 <= I64, |isa, I64(v), dst| isa.store_four(dst, v);
    UInt8 <= Int<8, false>, |isa, Int(v), dst| isa.storex(dst, isa.low_bytes(v));
    UInt16 <= Int<16, false>, |isa, Int(v), dst| isa.store(dst, isa.low_words(v));
    UInt32 <= Int<32, false>, |isa, Int(v), dst| isa.store_two(dst, v);
    UInt64 <= U64, |isa, U64(v), dst| isa.store_four(dst, v);
    Int1 <= Int<1, true>, |isa, v, dst| isa.storex(dst, isa.fill(v));
    Int2 <= Int<2, true>, |isa, v, dst| isa.storex(dst, isa.fill(v));
    Int4 <= Int<4, true>, |isa, v, dst| isa.storex(dst, isa.fill(v));
    UInt1 <= Int<1, false>, |isa, v, dst| isa.storex(dst, isa.fill(v));
    UInt2 <= Int<2, false>, |isa, v, dst| isa.storex(dst, isa.fill(v));
    UInt4 <= Int<4, false>, |isa, v, dst| isa.storex(dst, isa.fill(v));
    Float16 <= Sticky, |isa, v, dst| isa.store_float16(v, dst);
    BFloat16 <= Brain, |isa, Brain(v), dst| isa.store(dst, isa.to_bfloat16(v));
    Float32 <= F32, |isa, F32(v), dst| isa.store_two(dst, [isa.ps_bits(v[0]), isa.ps_bits(v[1])]);
    Float64 <= F64, |isa, F64([a, b, c, d]), dst| {
        let bits = [isa.pd_bits(a), isa.pd_bits(b), isa.pd_bits(c), isa.pd_bits(d)];
        isa.store_four(dst, bits);
    };
    Float8E4M3Fn <= Sticky, |isa, v, dst| isa.storex(dst, isa.small_floats::<mark::Float8E4M3Fn>(v));
    Float8E5M2 <= Sticky, |isa, v, dst| isa.storex(dst, isa.small_floats::<mark::Float8E5M2>(v));
    Float8E4M3Fnuz <= Sticky, |isa, v, dst| {
        isa.storex(dst, isa.small_floats::<mark::Float8E4M3Fnuz>(v))
    };
    Float8E5M2Fnuz <= Sticky, |isa, v, dst| {
        isa.storex(dst, isa.small_floats::<mark::Float8E5M2Fnuz>(v))
    };
    Float8E4M3 <= Sticky, |isa, v, dst| isa.storex(dst, isa.small_floats::<mark::Float8E4M3>(v));
    Float8E3M4 <= Sticky, |isa, v, dst| isa.storex(dst, isa.small_floats::<mark::Float8E3M4>(v));
    Float8E4M3B11Fnuz <= Sticky, |isa, v, dst| {
        isa.storex(dst, isa.small_floats::<mark::Float8E4M3B11Fnuz>(v))
    };
    Float8E8M0Fnu <= Power, |isa, Power(v), dst| isa.storex(dst, isa.low_bytes(v));
    Float6E2M3Fn <= Sticky, |isa, v, dst| isa.storex(dst, isa.small_floats::<mark::Float6E2M3Fn>(v));
    Float6E3M2Fn <= Sticky, |isa, v, dst| isa.storex(dst, isa.small_floats::<mark::Float6E3M2Fn>(v));
    Float4E2M1Fn <= Sticky, |isa, v, dst| isa.storex(dst, isa.small_floats::<mark::Float4E2M1Fn>(v));
}

/// Storing, and lanes of other widths.
impl Avx2 {
    /// # Safety
    /// 64 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_two(self, dst: *mut u8, [a, b]: [__m256i; 2]) {
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, a);
            self.store(dst.add(32), b);
        }
    }

    /// # Safety
    /// 128 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_four(self, dst: *mut u8, [a, b, c, d]: [__m256i; 4]) {
        // SAFETY: the caller's.
        unsafe {
            self.store_two(dst, [a, b]);
            self.store_two(dst.add(64), [c, d]);
        }
    }

    /// Puts the dwords in order that two packs by lanes of 128 bits have left as 0, 2, 1, 3.
    #[inline(always)]
    fn quarters_in_order(self, v: __m128i) -> __m128i {
        self.shuffle32x::<0b11_01_10_00>(v)
    }

    /// The low bytes of 32-bit lanes.
    #[inline(always)]
    fn low_bytes(self, [a, b]: [__m256i; 2]) -> __m128i {
        let byte = self.all32(0xff);
        let words = self.pack_u32(self.and(a, byte), self.and(b, byte));
        self.quarters_in_order(self.pack_u16x(self.lower(words), self.half::<1>(words)))
    }

    /// The low words of 32-bit lanes.
    #[inline(always)]
    fn low_words(self, [a, b]: [__m256i; 2]) -> __m256i {
        let zero = self.zero();
        self.in_order(self.pack_u32(self.mix16::<0xaa>(a, zero), self.mix16::<0xaa>(b, zero)))
    }

    /// The low bits of 32-bit lanes, sign- or zero-filled to a byte. Flipping the sign bit adds its
    /// weight modulo twice that; taking the weight away again leaves the sign in all higher bits.
    #[inline(always)]
    fn fill<const BITS: u32, const SIGNED: bool>(self, Int(v): Int<BITS, SIGNED>) -> __m128i {
        let bytes = self.andx(self.low_bytes(v), self.all8x((1 << BITS) - 1));
        if !SIGNED {
            return bytes;
        }
        let sign = self.all8x(1 << (BITS - 1));
        self.sub8x(self.xorx(bytes, sign), sign)
    }
}

/// The 16-bit floats.
impl Avx2 {
    /// Eight float16s.
    #[inline(always)]
    pub(super) fn to_float16(self, x: __m256) -> __m128i {
        self.ps_to_half::<0>(x)
    }

    /// Sixteen bfloat16s.
    #[inline(always)]
    pub(super) fn to_bfloat16(self, [a, b]: [__m256; 2]) -> __m256i {
        let (low, high) = (self.ps_bits(a), self.ps_bits(b));
        // Words in turns: of `a` those at even places, of `b` those at odd ones.
        let upper = self.mix16::<0xaa>(self.shr32::<16>(low), high);
        let lower = self.mix16::<0xaa>(low, self.shl32::<16>(high));
        self.brains([a, b], upper, lower)
    }

    /// The bfloat16s of float32s whose words are in turns in two vectors.
    #[inline(always)]
    pub(super) fn brains(self, [a, b]: [__m256; 2], high: __m256i, low: __m256i) -> __m256i {
        let nan_a = self.ps_bits(self.cmp_ps::<UNORDERED>(a, a));
        let nan_b = self.ps_bits(self.cmp_ps::<UNORDERED>(b, b));
        let nan = self.mix16::<0xaa>(nan_a, nan_b);
        let rounded = self.rounded_by(high, low, nan);
        self.even_words_first(self.or(rounded, self.and(nan, self.all16(0x40))))
    }

    /// Upper words rounded by the lower ones; those of NaN, which `nan` tells, as they are.
    ///
    /// They are rounded up if the lower word is above half a unit, or is half of one and the upper one odd: if
    /// the lower one less half, as a signed number, and the odd bit come to more than 0. From the largest finite
    /// number that comes to infinity.
    #[inline(always)]
    pub(super) fn rounded_by(self, high: __m256i, low: __m256i, nan: __m256i) -> __m256i {
        let less_half = self.xor(low, self.all16(i16::MIN));
        let over = self.add_clamped16(less_half, self.and(high, self.all16(1)));
        let up = self.gt16(self.or(over, nan), self.zero());
        self.sub16(high, up)
    }

    /// The words at even places, then those at odd ones: of words of eight dwords and of the next eight in turns all of the
    /// first, then all of the second; and bytes so that unpacking them three times by lanes of 128 bits leaves them in order.
    #[inline(always)]
    pub(super) fn even_words_first(self, words: __m256i) -> __m256i {
        const EVEN_ODD: [u8; 32] = [
            0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, //
            0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
        ];
        self.in_order(self.shuffle8(words, self.constant(&EVEN_ODD)))
    }
}

/// The constants of an encoder to a float of at most 8 bits, as float32s.
pub(super) struct Small<B>(PhantomData<B>);

impl<B: Real> Small<B> {
    pub(super) const FORMAT: FloatFormat = match B::DTYPE.numbers() {
        Numbers::Float(format) if format.bits() <= 8 => format,
        _ => panic!("not a small float"),
    };
    const M: i32 = Self::FORMAT.mantissa_bits as i32;

    /// A magnitude's code read as that of a normal number, though it may be none.
    const fn value(code: u64) -> i32 {
        let exponent = (code >> Self::M) as i32 - Self::FORMAT.bias;
        let fraction = (code & Self::FORMAT.mantissa_mask()) as i32;
        ((exponent + 127) << 23) | fraction << (23 - Self::M)
    }

    const LARGEST: f32 = f32::from_bits(Self::value(Self::FORMAT.max_finite()) as u32);

    /// What larger magnitudes become: without saturation the code past the largest number's, which is
    /// that of infinity or NaN.
    pub(super) const fn limit(saturate: bool) -> f32 {
        let past = Self::FORMAT.max_finite() + 1;
        if saturate { Self::LARGEST } else { f32::from_bits(Self::value(past) as u32) }
    }

    /// What NaN is taken for: the number that would have its code. In fnuz that is the one after the
    /// largest, whose code is the sign bit. Without NaN it is zero.
    const NAN: Option<f32> = match Self::FORMAT.nan() {
        Some(code) => Some(f32::from_bits(Self::value(code) as u32)),
        None => None,
    };

    /// The smallest normal number.
    const LOWEST: i32 = (Self::FORMAT.min_exponent() + 127) << 23;

    /// What makes 2^e what is added, see [`Avx2::codes_by`], as bits.
    const FACTOR: i32 = {
        let offset = -(1 << Self::M) * (Self::FORMAT.min_exponent() + 150 - Self::M);
        ((23 - Self::M) << 23) + (1 << 16) + offset
    };

    const WEIGHTS: i32 = 256 | 2 << Self::M << 16;
}

/// For comparisons; false if an operand is NaN.
pub(super) const LESS: i32 = 0x11;

/// Floats of at most 8 bits.
impl Avx2 {
    /// 256 times the codes of magnitudes.
    ///
    /// Let 2^e be the power of two below the number (in subnormals: the smallest normal), and m the
    /// fraction bits of the destination, whose unit near the number is then 2^(e-m). What is added is
    /// 2^(e+23-m) * (1 + k), of which that unit is the last place: so the sum rounds, and leaves the number
    /// of units in the low word of the sum, plus what k has put there; the exponent field, e + 150 - m,
    /// is in the high word from bit 7 up. The code is units + 2^m * (e - lowest), since 2^m units make
    /// the first normal code. Multiplying the high word by 2^(m+1) gives 256 * 2^m * (e + 150 - m), the
    /// low word by 256 gives 256 * units, and k makes up for the constants: its low word is
    /// -2^m * (lowest + 150 - m), which is even, so that ties go where they should.
    ///
    /// Where numbers are integers, an fma multiplies and adds. If one may be subnormal, with which that takes an Intel's core a
    /// hundred times as long, it is a sum alone, whose other operand is exact and takes an instruction: an eighth more of the
    /// time of AMD's cores, to which subnormal numbers make no difference.
    ///
    /// Magnitudes are clamped to a [limit](Small::limit), and rounded by a mode.
    #[inline(always)]
    pub(super) fn codes_by<B: Real, const MODE: u8, const SUMS: bool>(
        self,
        x: __m256,
        limit: __m256,
    ) -> __m256i {
        let magnitude = self.and_ps(x, self.as_ps(self.all32(i32::MAX)));
        // A minimum or maximum is its second operand if either is NaN.
        let clamped = self.min_ps(limit, magnitude);
        let number = match Small::<B>::NAN {
            Some(nan) => self.min_ps(clamped, self.all_ps(nan)),
            None => self.max_ps(clamped, self.all_ps(0.0)),
        };
        self.codes_in_range::<B, MODE, SUMS>(number, self.ps_bits(x))
    }

    /// The same of what is positive and no NaN.
    #[inline(always)]
    pub(super) fn codes_of_positive<B: Real, const MODE: u8>(
        self,
        x: __m256,
        limit: __m256,
    ) -> __m256i {
        self.codes_in_range::<B, MODE, false>(self.min_ps(limit, x), self.zero())
    }

    #[inline(always)]
    fn codes_in_range<B: Real, const MODE: u8, const SUMS: bool>(
        self,
        number: __m256,
        signs: __m256i,
    ) -> __m256i {
        let number = match MODE == Mode::NearestAway as u8 {
            // A tie ends with zeros: it is further from zero then, and nothing else is on another side of one.
            true => {
                let number = self.max_ps(number, self.all_ps(TINY));
                self.as_ps(self.or(self.ps_bits(number), self.all32(1)))
            }
            false => number,
        };
        let exponent = self.and(self.ps_bits(number), self.all32(0xff << 23));
        let power = self.max32(exponent, self.all32(Small::<B>::LOWEST));
        let added = self.as_ps(self.add32(power, self.all32(Small::<B>::FACTOR)));
        let sum = if SUMS {
            self.add_ps(added, number)
        } else {
            let factor = const { f32::from_bits((Small::<B>::FACTOR + (127 << 23)) as u32) };
            self.fma_ps(self.as_ps(power), self.all_ps(factor), number)
        };
        let bits = self.ps_bits(sum);
        let units = if MODE == Mode::NearestEven as u8 || MODE == Mode::NearestAway as u8 {
            bits
        } else {
            // What the number was rounded to: exact, as is all that is compared.
            let rounded = self.sub_ps(sum, added);
            self.moved::<MODE>(bits, number, rounded, signs)
        };
        self.madd16(units, self.all32(Small::<B>::WEIGHTS))
    }

    /// Units of a number that was rounded to nearest, ties to even, as a mode has them that goes to a side.
    #[inline(always)]
    fn moved<const MODE: u8>(
        self,
        units: __m256i,
        number: __m256,
        rounded: __m256,
        signs: __m256i,
    ) -> __m256i {
        if MODE == Mode::TowardZero as u8 {
            let up = self.cmp_ps::<LESS>(number, rounded);
            self.add32(units, self.ps_bits(up))
        } else {
            // 1 or -1 as what was lost is above zero or below, if that has the number's own sign, or the other one where
            // numbers go down. (Where nothing was lost that is +0.)
            let lost = self.ps_bits(self.sub_ps(number, rounded));
            let one = self.sign32(self.all32(1), lost);
            let (kept, other) = match MODE == Mode::Up as u8 {
                true => (one, self.zero()),
                false => (self.zero(), one),
            };
            let differ = self.as_ps(self.xor(lost, signs));
            let moved = self.blend_ps(self.as_ps(kept), self.as_ps(other), differ);
            self.add32(units, self.ps_bits(moved))
        }
    }

    /// Numbers whose sign bits are those of the results: where there is no NaN it becomes zero, with
    /// the other sign, into which the sum runs over from infinity's successor on.
    #[inline(always)]
    pub(super) fn signs<B: Real>(self, x: __m256) -> __m256i {
        let bits = self.ps_bits(x);
        if const { Small::<B>::NAN.is_some() } {
            return bits;
        }
        self.add32(bits, self.all32(0x7f_ffff))
    }

    #[inline(always)]
    fn small_floats<B: Real>(self, Sticky([a, b]): Sticky) -> __m128i {
        let largest = self.all_ps(const { Small::<B>::limit(true) });
        let low = self.codes_by::<B, { Mode::NearestEven as u8 }, true>(a, largest);
        let high = self.codes_by::<B, { Mode::NearestEven as u8 }, true>(b, largest);
        let words = self.shr16::<8>(self.pack_u32(low, high));
        let codes = self.pack_u16x(self.lower(words), self.half::<1>(words));
        let words = self.packs32(self.signs::<B>(a), self.signs::<B>(b));
        let signs = self.packs16x(self.lower(words), self.half::<1>(words));
        let signs = self.andx(signs, self.all8x(i8::MIN));
        let signs = match const { Small::<B>::FORMAT.bits() } {
            4 => self.shr16x::<4>(signs),
            6 => self.shr16x::<2>(signs),
            _ => signs,
        };
        let signs = match const { Small::<B>::FORMAT.specials } {
            Specials::Fnuz => self.andnotx(self.eq8x(codes, self.zerox()), signs),
            _ => signs,
        };
        self.quarters_in_order(self.orx(codes, signs))
    }
}
