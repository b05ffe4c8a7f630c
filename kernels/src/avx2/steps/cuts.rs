//! From bfloat16, float16 and float64 to integers of 16 and 64 bits, and from float64 to bytes: what
//! can be is done to the floats' bits, by which integer instructions order them as well, and of which
//! there are more in a vector, or more in a cycle.

use crate::avx2::Avx2;
use crate::avx2::bridge::ORDERED;
use crate::avx2::direct::Step;
use crate::dtypes::{DType, Kind, Real};
use core::arch::x86_64::{__m128i, __m256d, __m256i};

/// Bfloat16 to integers of 16 bits, by a [`Mode`](crate::shape::Mode).
pub(in crate::avx2) struct BrainToWord<const MODE: u8>;

/// Bfloat16 to int64. (Unsigned integers of 64 bits take less time by way of float32.)
pub(in crate::avx2) struct BrainToInt64;

/// Float16 to integers of 16 bits.
pub(in crate::avx2) struct HalfToWord;

/// Float16 to integers of 8 bits.
pub(in crate::avx2) struct HalfToByte;

/// Float64 to integers of 8 or 16 bits.
pub(in crate::avx2) struct DoubleToWord;

const fn is_signed(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Int)
}

impl<const MODE: u8, A: Real, B: Real> Step<A, B> for BrainToWord<MODE> {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let (words, zero) = (isa.load(src), isa.zero());
            // One more than the largest integer, which is packed to that one.
            let words = if is_signed(B::DTYPE) {
                isa.min16(isa.without_nan::<0x7f80>(words), isa.all16(0x4700))
            } else {
                isa.min16(isa.positive_without_nan(words), isa.all16(0x4780))
            };
            let a = isa.ps_to_whole::<MODE>(isa.as_ps(isa.low16(zero, words)));
            let b = isa.ps_to_whole::<MODE>(isa.as_ps(isa.high16(zero, words)));
            let packed = if is_signed(B::DTYPE) { isa.packs32(a, b) } else { isa.pack_u32(a, b) };
            isa.store(dst, packed);
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for HalfToWord {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let words = isa.load(src);
            let packed = if is_signed(B::DTYPE) {
                // Infinity to the largest finite number, which is large enough; -infinity becomes
                // the lowest 32-bit integer.
                let words = isa.min16(isa.without_nan::<0x7c00>(words), isa.all16(0x7bff));
                let a = isa.ps_to_i32(isa.half_to_ps(isa.lower(words)));
                isa.packs32(a, isa.ps_to_i32(isa.half_to_ps(isa.half::<1>(words))))
            } else {
                let words = isa.max16(words, isa.zero());
                let a = isa.half_to_largest_word(isa.lower(words));
                isa.pack_u32(a, isa.half_to_largest_word(isa.half::<1>(words)))
            };
            isa.store(dst, isa.in_order(packed));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for HalfToByte {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let a = isa.half_to_nine_bits(isa.load(src));
            let b = isa.half_to_nine_bits(isa.load(src.add(32)));
            let packed = if is_signed(B::DTYPE) { isa.packs16(a, b) } else { isa.pack_u16(a, b) };
            isa.store(dst, isa.in_order(packed));
        }
    }
}

impl Avx2 {
    /// Float16s cut to integers from -255 to 255, NaN to 0.
    ///
    /// Of a number 2^e * (1 + f), e from 0 to 7, the integer is 2^e plus what is whole of 2^e * f: the upper word of
    /// the power times the fraction, if that is all of a word. Below 1 the power is taken for 0.
    #[inline(always)]
    fn half_to_nine_bits(self, words: __m256i) -> __m256i {
        const BELOW_ONE: i16 = 14 << 10;
        const MOST: i16 = 0x5bff;
        const POWERS: [u8; 32] = {
            let mut powers = [0; 32];
            let mut e = 0;
            while e < 8 {
                (powers[e + 1], powers[e + 17]) = (1 << e, 1 << e);
                e += 1;
            }
            powers
        };
        let magnitude = self.and(words, self.all16(i16::MAX));
        let number = self.andnot(self.gt16(magnitude, self.all16(0x7c00)), magnitude);
        let most = self.min16(number, self.all16(MOST));
        let place = self.shr16::<10>(self.sub_clamped_u16(most, self.all16(BELOW_ONE)));
        let power = self.shuffle8(self.constant(&POWERS), place);
        let rest = self.mul_high_u16(self.shl16::<6>(most), power);
        self.sign16(self.add16(power, rest), words)
    }

    /// 16-bit floats with 0 for NaN: what is above this infinity.
    #[inline(always)]
    fn without_nan<const INFINITY: i16>(self, words: __m256i) -> __m256i {
        let magnitude = self.and(words, self.all16(i16::MAX));
        self.andnot(self.gt16(magnitude, self.all16(INFINITY)), words)
    }

    /// Bfloat16s with 0 for NaN and for what is nearer to zero than 2^-40, which keeps subnormal numbers from arithmetic.
    #[inline(always)]
    fn words_without_nan_or_tiny(self, words: __m256i) -> __m256i {
        const TINY: i16 = (127 - 40) << 7;
        // Infinity becomes the largest number in a word, and NaN more than that.
        const MOVED: i16 = i16::MAX - 0x7f80;
        let magnitude = self.and(words, self.all16(i16::MAX));
        let moved = self.add16(magnitude, self.all16(MOVED));
        self.and(words, self.gt16(moved, self.all16(TINY + MOVED - 1)))
    }

    /// Bfloat16s with 0 for NaN and negative numbers.
    #[inline(always)]
    fn positive_without_nan(self, words: __m256i) -> __m256i {
        let nan = self.gt16(words, self.all16(0x7f80));
        self.andnot(nan, self.max16(words, self.zero()))
    }

    /// Float16s that are not negative, as integers of at most 16 bits. A NaN, which the minimum keeps,
    /// becomes the lowest 32-bit integer.
    #[inline(always)]
    fn half_to_largest_word(self, halves: __m128i) -> __m256i {
        self.ps_to_i32(self.min_ps(self.all_ps(65535.0), self.half_to_ps(halves)))
    }
}

impl<A: Real, B: Real> Step<A, B> for BrainToInt64 {
    const LEN: usize = 16;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let words = isa.ready_to_unpack_twice(isa.load(src));
            let integers = isa.brain_to_i64(words);
            isa.store(dst, integers[0]);
            isa.store(dst.add(32), integers[1]);
            isa.store(dst.add(64), integers[2]);
            isa.store(dst.add(96), integers[3]);
        }
    }
}

/// From bfloat16s that are [`ready_to_unpack_twice`](Avx2::ready_to_unpack_twice).
impl Avx2 {
    /// By dwords, see [`ps_dwords`](Self::ps_dwords). From 2^63 on the high one is the lowest integer;
    /// flipped, the highest.
    #[inline(always)]
    fn brain_to_i64(self, words: __m256i) -> [__m256i; 4] {
        let (words, zero) = (self.words_without_nan_or_tiny(words), self.zero());
        let above = self.gt16(words, self.all16(0x5eff));
        // As unsigned numbers, those of lower floats than -2^63 are more than its bits.
        let words = self.min_u16(words, self.all16(0xdf00u16 as i16));
        let (low, high) = self.ps_dwords(self.as_ps(self.low16(zero, words)));
        let clamp = self.low16(above, above);
        let (low, high) = (self.or(low, clamp), self.xor(high, clamp));
        let (a, b) = (self.low32(low, high), self.high32(low, high));
        let (low, high) = self.ps_dwords(self.as_ps(self.high16(zero, words)));
        let clamp = self.high16(above, above);
        let (low, high) = (self.or(low, clamp), self.xor(high, clamp));
        [a, b, self.low32(low, high), self.high32(low, high)]
    }
}

impl<A: Real, B: Real> Step<A, B> for DoubleToWord {
    const LEN: usize = if B::DTYPE.bits() == 8 { 32 } else { 16 };

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: LEN elements on both sides.
        unsafe {
            let first = isa.doubles_to_words::<B>(src);
            if const { B::DTYPE.bits() == 16 } {
                isa.store(dst, isa.in_order(first));
                return;
            }
            let second = isa.doubles_to_words::<B>(src.add(128));
            let bytes = if is_signed(B::DTYPE) {
                isa.packs16(first, second)
            } else {
                isa.pack_u16(first, second)
            };
            isa.store(dst, isa.packed_in_order(bytes));
        }
    }
}

impl Avx2 {
    /// Sixteen numbers, cut to integers and clamped to words, as packing leaves them.
    ///
    /// # Safety
    /// `src` is valid for reading 128 bytes.
    #[inline(always)]
    unsafe fn doubles_to_words<B: Real>(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let [a, b, c, d] = unsafe {
            [
                self.as_pd(self.load(src)),
                self.as_pd(self.load(src.add(32))),
                self.as_pd(self.load(src.add(64))),
                self.as_pd(self.load(src.add(96))),
            ]
        };
        let ab = self.join(self.cut_below::<B>(b), self.cut_below::<B>(a));
        let cd = self.join(self.cut_below::<B>(d), self.cut_below::<B>(c));
        if const { is_signed(B::DTYPE) || B::DTYPE.bits() == 8 } {
            self.packs32(ab, cd)
        } else {
            self.pack_u32(ab, cd)
        }
    }

    /// Cuts to integers what is no more than one above the destination's largest number, NaN to 0.
    /// Where the high dword of a number is more than that of the limit, the minimum makes it the same,
    /// and the number one between the limit and the next integer; of the low dwords, the minimum as
    /// signed numbers is with the largest. What is too low becomes the lowest 32-bit integer.
    #[inline(always)]
    fn cut_below<B: Real>(self, x: __m256d) -> __m128i {
        let number = if is_signed(B::DTYPE) {
            self.and_pd(x, self.cmp_pd::<ORDERED>(x, x))
        } else {
            // The second operand where the first is NaN.
            self.max_pd(x, self.all_pd(0.0))
        };
        let limit = const {
            let bits = B::DTYPE.bits() - is_signed(B::DTYPE) as usize;
            ((1u64 << bits) as f64).to_bits() as i64 | i32::MAX as i64
        };
        self.pd_to_i32(self.as_pd(self.min32(self.pd_bits(number), self.all64(limit))))
    }
}
