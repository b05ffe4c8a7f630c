//! From floats to integers: truncated, clamped, NaN to 0. None of it needs the instructions that the
//! set has not got, between floats and unsigned or 64-bit integers.

use super::Avx2;
use super::bridge::{NOT_LESS, ORDERED, TWO_52, TWO_63, two};
use super::shapes::CUT;
use core::arch::x86_64::{__m256, __m256d, __m256i};

/// Next to nothing.
const TINY: f32 = 1.0 / (1u64 << 60) as f32;

/// By the conversions to signed 32-bit integers, and from float64 by arithmetic.
impl Avx2 {
    #[inline(always)]
    pub(super) fn ps_to_clamped_i32(self, x: __m256) -> __m256i {
        // Out of range is the lowest integer; flipped, the highest.
        let above = self.ps_bits(self.cmp_ps::<NOT_LESS>(x, self.all_ps(2147483648.0)));
        let number = self.ps_bits(self.cmp_ps::<ORDERED>(x, x));
        self.and(self.xor(self.ps_to_i32(x), above), number)
    }

    /// From 2^31 on the conversion gives 2^31, and what is missing comes from the number less 2^31;
    /// if that is out of range too, its sign fills all bits.
    #[inline(always)]
    pub(super) fn ps_to_clamped_u32(self, x: __m256) -> __m256i {
        let zero = self.all_ps(0.0);
        let x = self.max_ps(x, zero);
        let rest = self.max_ps(self.sub_ps(x, self.all_ps(2147483648.0)), zero);
        let (a, b) = (self.ps_to_i32(x), self.ps_to_i32(rest));
        self.or(self.or(a, b), self.sar32::<31>(b))
    }

    #[inline(always)]
    pub(super) fn ps_to_signed<const BITS: u32>(self, x: __m256) -> __m256i {
        let number = self.and_ps(x, self.cmp_ps::<ORDERED>(x, x));
        let largest = self.all_ps(const { ((1u64 << (BITS - 1)) - 1) as f32 });
        // What is too low has become the lowest 32-bit integer.
        let integer = self.ps_to_i32(self.min_ps(number, largest));
        self.max32(integer, self.all32(-1 << (BITS - 1)))
    }

    #[inline(always)]
    pub(super) fn ps_to_unsigned<const BITS: u32>(self, x: __m256) -> __m256i {
        // The second operand where the first is NaN.
        let number = self.max_ps(x, self.all_ps(0.0));
        let largest = self.all_ps(const { ((1u64 << BITS) - 1) as f32 });
        self.ps_to_i32(self.min_ps(number, largest))
    }

    /// In the low dwords.
    #[inline(always)]
    pub(super) fn pd_to_clamped_u32(self, x: __m256d) -> __m256i {
        let number = self.min_pd(self.max_pd(x, self.all_pd(0.0)), self.all_pd(4294967295.0));
        let integer = self.round_pd::<CUT>(number);
        self.pd_bits(self.add_pd(integer, self.all_pd(TWO_52)))
    }

    #[inline(always)]
    pub(super) fn pd_to_i64(self, x: __m256d) -> __m256i {
        let number = self.cmp_pd::<ORDERED>(x, x);
        let above = self.cmp_pd::<NOT_LESS>(x, self.all_pd(TWO_63));
        // The first operand is less than the second only if it is a number.
        let integer = self.round_pd::<CUT>(self.max_pd(self.all_pd(-TWO_63), x));
        let integer = self.as_pd(self.split(integer));
        let clamped = self.blend_pd(integer, self.as_pd(self.all64(i64::MAX)), above);
        self.pd_bits(self.and_pd(clamped, number))
    }

    /// The significand of 2^63 is its integer with the leading bit on top; that of a smaller number is shifted
    /// from there by as many places as the number has powers of two less. All bits are set from 2^64 on, and are
    /// not shifted.
    #[inline(always)]
    pub(super) fn pd_to_u64(self, x: __m256d) -> __m256i {
        // The second operand where the first is NaN. Floats without a sign compare as their bits do.
        let x = self.pd_bits(self.max_pd(x, self.all_pd(0.0)));
        let above = self.gt64(x, self.all64((TWO_63 * 2.0).to_bits() as i64 - 1));
        let places = self.sub_clamped_u16(self.all64(1023 + 63), self.shr64::<52>(x));
        let significand = self.or(self.shl64::<11>(x), self.all64(i64::MIN));
        self.srlv64(self.or(significand, above), places)
    }

    /// The 64 bits of an integral number of magnitude 2^64 at most.
    ///
    /// `high` is the number in units of 2^32, rounded; `low` the exact rest, from -2^31 to 2^31. A
    /// number added to 1.5 * 2^52 stands in the low bits of the sum, in two's complement, under the
    /// high dword 0x43380000. For the sum of both as integers that dword must go: so `high` is added
    /// to a number less by so much.
    #[inline(always)]
    pub(super) fn split(self, x: __m256d) -> __m256i {
        const MAGIC: f64 = 1.5 * TWO_52;
        const LESS: f64 = MAGIC - 0x4338_0000 as f64;
        let less = self.all_pd(LESS);
        let high = self.fma_pd(x, self.all_pd(1.0 / 4294967296.0), less);
        let units = self.sub_pd(high, less);
        let low = self.fnma_pd(units, self.all_pd(4294967296.0), x);
        let low = self.add_pd(low, self.all_pd(MAGIC));
        self.add64(self.shl64::<32>(self.pd_bits(high)), self.pd_bits(low))
    }
}

/// From float32 to 64-bit integers, by their dwords.
impl Avx2 {
    #[inline(always)]
    pub(super) fn ps_to_i64(self, v: [__m256; 2]) -> [__m256i; 4] {
        let [a, b] = two!(
            |x| {
                let x = self.ps_without_nan_or_tiny(x);
                let above = self.ps_bits(self.cmp_ps::<NOT_LESS>(x, self.all_ps(TWO_63 as f32)));
                let x = self.max_ps(self.all_ps(-TWO_63 as f32), x);
                let (low, high) = self.ps_dwords(x);
                // Out of range the high dword is the lowest integer; flipped, the highest.
                self.qwords(self.or(low, above), self.xor(high, above))
            },
            v
        );
        [a[0], a[1], b[0], b[1]]
    }

    /// Float32s with zero for NaN, and for what is nearer to zero than [`TINY`]: a product of a subnormal number takes an Intel's
    /// core a hundred times as long.
    #[inline(always)]
    fn ps_without_nan_or_tiny(self, x: __m256) -> __m256 {
        let magnitude = self.and_ps(x, self.as_ps(self.all32(i32::MAX)));
        self.and_ps(x, self.cmp_ps::<NOT_LESS>(magnitude, self.all_ps(TINY)))
    }

    #[inline(always)]
    pub(super) fn ps_to_u64(self, v: [__m256; 2]) -> [__m256i; 4] {
        let [a, b] = two!(
            |x| {
                // As float64 in `pd_to_u64`; the lower dwords are zero, and are set where all bits are.
                let x = self.in_order(self.ps_bits(self.max_ps(x, self.all_ps(0.0))));
                let above = self.gt32(x, self.all32((TWO_63 as f32 * 2.0).to_bits() as i32 - 1));
                let places = self.sub_clamped_u16(self.all32(127 + 63), self.shr32::<23>(x));
                let high = self.or(self.or(self.shl32::<8>(x), self.all32(i32::MIN)), above);
                let zero = self.zero();
                [
                    self.srlv64(self.low32(above, high), self.low32(places, zero)),
                    self.srlv64(self.high32(above, high), self.high32(places, zero)),
                ]
            },
            v
        );
        [a[0], a[1], b[0], b[1]]
    }

    /// From numbers below 2^31 and infinities, the conversion of which is the lowest 32-bit integer.
    #[inline(always)]
    pub(super) fn low_ps_to_i64(self, x: __m256) -> [__m256i; 2] {
        let integer = self.ps_to_i32(x);
        let infinite = self.eq32(integer, self.all32(i32::MIN));
        // The high dword of an infinity, and what is wrong in the low one.
        let limit = self.xor(self.sar32::<31>(self.ps_bits(x)), self.all32(i32::MAX));
        let low = self.xor(integer, self.and(infinite, limit));
        self.qwords(low, self.blend8(self.sar32::<31>(integer), limit, infinite))
    }

    /// The same of what is not negative.
    #[inline(always)]
    pub(super) fn low_ps_to_u64(self, x: __m256) -> [__m256i; 2] {
        let integer = self.ps_to_i32(x);
        let infinite = self.sar32::<31>(integer);
        self.qwords(self.or(integer, infinite), infinite)
    }

    /// The dwords of the integers that numbers from -2^63 up to below 2^63 are cut to, which are 0 or no less than 2^-94, so
    /// that no product is subnormal.
    ///
    /// The high dword is the number in units of 2^32, rounded; the low one the exact rest, from -2^31
    /// to 2^31, and one is borrowed from the high one where that is negative. Only a number of
    /// magnitude below 2^24, which is its own rest, has a fraction to be cut. A rest of 2^31 is out of
    /// the conversion's range, which gives those very bits.
    #[inline(always)]
    pub(super) fn ps_dwords(self, x: __m256) -> (__m256i, __m256i) {
        let units = self.ps_to_near_i32(self.mul_ps(x, self.all_ps(1.0 / 4294967296.0)));
        let rest = self.fnma_ps(self.i32_to_ps(units), self.all_ps(4294967296.0), x);
        let low = self.ps_to_i32(rest);
        let borrow = self.and(low, self.ps_bits(rest));
        (low, self.add32(units, self.sar32::<31>(borrow)))
    }

    /// Eight 64-bit integers from their dwords.
    #[inline(always)]
    pub(super) fn qwords(self, low: __m256i, high: __m256i) -> [__m256i; 2] {
        let (low, high) = (self.in_order(low), self.in_order(high));
        [self.low32(low, high), self.high32(low, high)]
    }
}
