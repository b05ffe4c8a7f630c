//! The low bits of the integers that floats are cut to: those of infinities and NaNs are zeros.
//!
//! The conversion to 32-bit integers gives -2^31 for all that those cannot hold, infinities and NaNs included. So it does
//! for low bits where [`is_zero_past_ints`] says that they are zeros of these anyway. Otherwise the whole multiples of a
//! power of two are taken off before, which is exact, since what is left is no larger and has no bits below the number's
//! own; an infinity leaves NaN then.

use super::Avx2;
use super::bridge::ORDERED;
use super::decode::{F32, F64, I32, Loud};
use super::packed::{Step, stepped};
use super::pieces::GROUP;
use super::shapes::{CUT, NEAREST};
use crate::dtypes::{DType, Kind, Real};
use crate::options::{Overflow, Rounding};
use crate::shape::{BIT, BIT_64, is_zero_past_ints};
use crate::stepwise;
use crate::table::{Kernel, Params};
use core::arch::x86_64::{__m256, __m256d, __m256i};
use core::marker::PhantomData;

/// Floats of `IN` bits, 32 or 64, to packed integers of a bit: the lowest one of what they are cut to.
pub(super) struct LowestBits<const IN: usize>;

impl<const IN: usize> Step for LowestBits<IN> {
    const IN: usize = IN;
    const OUT: usize = 1;
    const LEN: usize = GROUP;
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: a quarter of the group, which is 4 bytes of bits.
            unsafe {
                let src = src.add(4 * IN * k);
                let ones = match IN {
                    32 => isa.told(
                        32,
                        src,
                        #[inline(always)]
                        |v| isa.lowest_bit(v),
                    ),
                    _ => isa.told_by_eights(
                        src,
                        #[inline(always)]
                        |src| isa.lowest_bits_of_eight(src),
                    ),
                };
                isa.store_ones::<1>(ones, isa.zero(), dst.add(4 * k));
            }
            k += 1;
        }
    }
}

/// The kernel of a pair to single bits, if that does all of the cast.
pub(super) fn under_options(params: &Params) -> Option<Kernel> {
    if params.options.overflow != Overflow::Wrap || params.options.rounding != Rounding::Default {
        return None;
    }
    match (params.from, params.to) {
        (DType::Float32, DType::Int1x8 | DType::UInt1x8) => {
            Some(stepped::<LowestBits<32>, { stepwise::NONE }>)
        }
        (DType::Float64, DType::Int1x8 | DType::UInt1x8) => {
            Some(stepped::<LowestBits<64>, { stepwise::NONE }>)
        }
        _ => None,
    }
}

impl Avx2 {
    /// The lowest bit of what float32s are cut to, as the sign of a lane. (What is out of range becomes the lowest integer,
    /// which has no such bit either.)
    #[inline(always)]
    fn lowest_bit(self, v: __m256i) -> __m256i {
        self.shl32::<31>(self.ps_to_i32(self.as_ps(v)))
    }

    /// The same of eight float64s, as dwords: each two in the lower lane, and two in the upper one.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    unsafe fn lowest_bits_of_eight(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.load(src), self.load(src.add(32))) };
        self.odd_dwords(self.lowest_bit_on_top(a), self.lowest_bit_on_top(b))
    }

    /// The same of float64s, as the highest bit.
    ///
    /// Of 1 that bit is the leading one of the fraction, in whose place the exponent field of 1 has a one of its own; of
    /// numbers from every power of two on it is the next one down. So it goes to the top by as much as the field is more than
    /// 1012. By less than nothing, or by 64 and more, nothing is left; and by 10 at most, what numbers below 1 have at the top
    /// was cleared.
    #[inline(always)]
    fn lowest_bit_on_top(self, v: __m256i) -> __m256i {
        let field = self.shr64::<53>(self.add64(v, v));
        let fraction = self.and(v, self.all64((1 << 53) - 1));
        self.sllv64(fraction, self.sub64(field, self.all64(1023 - 11)))
    }
}

/// Hubs of floats.
pub(super) trait Floats {
    /// Integers with the low bits that `B` keeps.
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32;
}

impl Floats for F32 {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32 {
        let [a, b] = self.0;
        let (a, b) = (isa.without_multiples::<A, B>(a), isa.without_multiples::<A, B>(b));
        I32([isa.ps_to_i32(a), isa.ps_to_i32(b)])
    }
}

impl Floats for Loud {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32 {
        F32(self.0).low::<A, B>(isa)
    }
}

impl Floats for F64 {
    #[inline(always)]
    fn low<A: Real, B: Real>(self, isa: Avx2) -> I32 {
        let [a, b, c, d] = self.0;
        I32([isa.low_of_two::<B>(a, b), isa.low_of_two::<B>(c, d)])
    }
}

impl Avx2 {
    /// Numbers that the conversion makes integers of with the right low bits.
    #[inline(always)]
    fn without_multiples<A: Real, B: Real>(self, v: __m256) -> __m256 {
        if const { is_zero_past_ints(A::DTYPE, B::DTYPE) } {
            return v;
        }
        if const { B::DTYPE.significant_bits() } <= 23 {
            // Near this number float32s are the multiples of 2^24. So 0 is taken off numbers up to 2^23, and others have no
            // fraction, which what is left would have cut off on the wrong side. What is too large to be near it is a
            // multiple of 2^23, and so is what is left then: 0 in these bits, which -2^31 is, too.
            return self.sub_ps(v, self.multiples_near(v, (1u64 << 47) as f32 * 1.5));
        }
        // What is left lies between -2^31 and 2^31. (From 2^24 on numbers are integers anyway.)
        const ALL: f32 = 4294967296.0;
        if matches!(A::DTYPE, DType::Float32) {
            let v = self.no_subnormals(v);
            let whole = self.round_ps::<NEAREST>(self.part(v, 1.0 / ALL));
            let rest = self.fnma_ps(whole, self.all_ps(ALL), v);
            return self.and_ps(rest, self.cmp_ps::<ORDERED>(rest, rest));
        }
        // A bfloat16's low bits are zeros from 2^39 on; float16 has but infinities and NaNs there.
        const ZERO: i32 = (127 + 39) << 23;
        let bits = self.ps_bits(v);
        let large = self.gt32(self.and(bits, self.all32(i32::MAX)), self.all32(ZERO - 1));
        let v = self.as_ps(self.andnot(large, bits));
        if matches!(A::DTYPE, DType::Float16) {
            return v;
        }
        // Near this number float32s are the multiples.
        self.sub_ps(v, self.multiples_near(v, ALL * 1.5 * (1 << 23) as f32))
    }

    /// Numbers, rounded to multiples of what the float32s near another number, half as large again as a power of two, lie
    /// apart, where the sum of the two lies there, too.
    #[inline(always)]
    fn multiples_near(self, v: __m256, number: f32) -> __m256 {
        let near = self.all_ps(number);
        self.sub_ps(self.add_ps(v, near), near)
    }

    /// The low bits that `B` keeps, which are no more than 8, in words as packing leaves them.
    #[inline(always)]
    pub(super) fn low_bits_of_two<B: Real>(self, a: __m256, b: __m256) -> __m256i {
        let low = self.all32(const { (1 << B::DTYPE.significant_bits()) - 1 });
        self.pack_u32(self.and(self.ps_to_i32(a), low), self.and(self.ps_to_i32(b), low))
    }

    /// Numbers that are cut toward zero, without those that take long to multiply: what is added is too little to change any
    /// but those nearer to zero than 2^-38, and these stay nearer to it than 1.
    #[inline(always)]
    fn no_subnormals(self, v: __m256) -> __m256 {
        self.add_ps(v, self.all_ps(1.0 / (1u64 << 63) as f32))
    }

    /// Never subnormal, see [`BIT`].
    #[inline(always)]
    fn part(self, v: __m256, factor: f32) -> __m256 {
        self.fma_ps(v, self.all_ps(factor), self.all_ps(BIT))
    }

    #[inline(always)]
    fn part_64(self, v: __m256d, factor: f64) -> __m256d {
        self.fma_pd(v, self.all_pd(factor), self.all_pd(BIT_64))
    }

    /// The float32s of eight float32s or bfloat16s: in the lower lane the first two, and those after four.
    ///
    /// # Safety
    /// `src` is valid for reading these.
    #[inline(always)]
    pub(super) unsafe fn singles_by_twos<A: Real>(self, src: *const u8) -> __m256i {
        const BRAINS: [u8; 32] = {
            let firsts = [0, 2, 8, 10, 4, 6, 12, 14];
            let mut at = [128; 32];
            let mut i = 0;
            while i < 8 {
                (at[4 * i + 2], at[4 * i + 3]) = (firsts[i], firsts[i] + 1);
                i += 1;
            }
            at
        };
        const { assert!(matches!(A::DTYPE, DType::Float32 | DType::BFloat16)) };
        // SAFETY: the caller's.
        unsafe {
            match A::DTYPE {
                DType::Float32 => self.in_order(self.load(src)),
                _ => self.shuffle8(self.twice(self.loadx(src)), self.constant(&BRAINS)),
            }
        }
    }

    /// The low bits of the long integers that float32s are cut to, of which each lane has four: first those of the lower
    /// two, then those of the upper two.
    ///
    /// A number is its fraction with the leading one, which has 24 bits, shifted up by what the exponent field is more than
    /// 150. Where it is less, the fraction is shifted down while it has 32 bits, in which there is room for its sign, too.
    /// By 32 bits and more, or 64, nothing is left: nothing of subnormals, whose leading one is not there, and of zero; and
    /// nothing of infinities and NaNs, which are shifted up by 105.
    #[inline(always)]
    pub(super) fn low_longs(self, v: __m256i) -> [__m256i; 2] {
        let field = self.and(self.shr32::<23>(v), self.all32(0xff));
        let leading = self.all32(1 << 23);
        let fraction = self.or(self.and(v, self.all32((1 << 23) - 1)), leading);
        let below = self.sub32(self.all32(150), field);
        let down = self.max32(below, self.zero());
        let up = self.sub32(down, below);
        let short = self.sign32(self.srlv32(fraction, down), v);
        let signs = self.sar32::<31>(short);
        [
            self.sllv64(self.low32(short, signs), self.low32(up, self.zero())),
            self.sllv64(self.high32(short, signs), self.high32(up, self.zero())),
        ]
    }

    /// Integers with the low bits that `B` keeps.
    #[inline(always)]
    fn low_of_two<B: Real>(self, a: __m256d, b: __m256d) -> __m256i {
        let (a, b) = (self.without_multiples_64::<B>(a), self.without_multiples_64::<B>(b));
        self.join(self.pd_to_i32(b), self.pd_to_i32(a))
    }

    /// As [`without_multiples`](Self::without_multiples), of float64s.
    #[inline(always)]
    fn without_multiples_64<B: Real>(self, v: __m256d) -> __m256d {
        if const { B::DTYPE.significant_bits() } < 32 {
            let whole = self.round_pd::<CUT>(self.part_64(v, 1.0 / 65536.0));
            return self.fnma_pd(whole, self.all_pd(65536.0), v);
        }
        const ALL: f64 = 4294967296.0;
        let v = self.round_pd::<CUT>(v);
        let whole = self.round_pd::<NEAREST>(self.part_64(v, 1.0 / ALL));
        let rest = self.fnma_pd(whole, self.all_pd(ALL), v);
        self.and_pd(rest, self.cmp_pd::<ORDERED>(rest, rest))
    }
}

/// The integer with such low bits.
pub(super) const fn low_bits(value: u8, to: DType) -> u8 {
    let above = 8 - to.significant_bits() as u32;
    match to.kind() {
        Kind::Int => (((value << above) as i8) >> above) as u8,
        _ => value << above >> above,
    }
}

/// Integers of up to four bits, by these.
struct Extended<B>(PhantomData<B>);

impl<B: Real> Extended<B> {
    const BYTES: [u8; 32] = {
        let mut bytes = [0; 32];
        let mut i = 0;
        while i < 32 {
            bytes[i] = low_bits(i as u8, B::DTYPE);
            i += 1;
        }
        bytes
    };
}

impl Avx2 {
    /// The integers whose low bits are those of numbers, or of their negatives.
    #[inline(always)]
    pub(super) fn low_bits_with_sign<B: Real>(self, numbers: __m256i, signs: __m256i) -> __m256i {
        // (Zero has no sign, and is none.)
        let number = self.sign8(numbers, signs);
        let low = self.all8(const { u8::MAX >> (8 - B::DTYPE.significant_bits()) } as i8);
        match const { B::DTYPE.significant_bits() } {
            8 => number,
            _ => self.extended::<B>(self.and(number, low)),
        }
    }

    /// The integers of a byte that have such low bits, and zeros above them.
    #[inline(always)]
    pub(super) fn extended<B: Real>(self, bits: __m256i) -> __m256i {
        match const { B::DTYPE.kind() } {
            Kind::Int if B::DTYPE.significant_bits() < 8 => {
                self.shuffle8(self.constant(const { &Extended::<B>::BYTES }), bits)
            }
            _ => bits,
        }
    }
}
