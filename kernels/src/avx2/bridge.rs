//! Bridges: from each hub to each home.

use super::Avx2;
use super::decode::{F32, F64, I32, I64, Loud, Narrow, U32, U64};
use super::steps::powers::carry;
use crate::codec::Bridge;
use crate::shape::Mode;
use core::arch::x86_64::{__m256, __m256d, __m256i};

/// Integers of so many bits, at most 32, in the low bits of 32-bit lanes, with anything above them.
#[derive(Clone, Copy)]
pub(crate) struct Int<const BITS: u32, const SIGNED: bool>(pub(super) [__m256i; 2]);

/// Bools in 32-bit lanes: all ones for false, zero for true.
#[derive(Clone, Copy)]
pub(crate) struct Falsehood(pub(super) [__m256i; 2]);

/// Float32s that round to every format of at most 11 bits of precision and a largest number below
/// 2^17 as the exact values would: those that lie between two float32s are cut, and one of the bits
/// that such a format drops is set. Above 2^24 any float32 on the right side of that will do.
#[derive(Clone, Copy)]
pub(crate) struct Sticky(pub(super) [__m256; 2]);

/// Float32s that round to bfloat16 as the exact values would.
#[derive(Clone, Copy)]
pub(crate) struct Brain(pub(super) [__m256; 2]);

/// Codes of e8m0, in 32-bit lanes; the higher bits hold nothing or, with the code 0xff, ones.
#[derive(Clone, Copy)]
pub(crate) struct Power(pub(super) [__m256i; 2]);

/// How powers of two are rounded to by default.
pub(super) const UP: u8 = Mode::Up as u8;

/// Predicates of comparisons.
pub(super) const EQUAL: i32 = 0;
pub(super) const UNORDERED: i32 = 3;
pub(super) const ORDERED: i32 = 7;
pub(super) const NOT_LESS: i32 = 0x1d;
/// An expression for each of two, or of four, vectors.
macro_rules! two {
    (|$x:ident| $each:expr, $of:expr) => {{
        let [a, b] = $of;
        let [a, b] = [
            {
                let $x = a;
                $each
            },
            {
                let $x = b;
                $each
            },
        ];
        [a, b]
    }};
}
macro_rules! four {
    (|$x:ident| $each:expr, $of:expr) => {{
        let [a, b, c, d] = $of;
        [
            {
                let $x = a;
                $each
            },
            {
                let $x = b;
                $each
            },
            {
                let $x = c;
                $each
            },
            {
                let $x = d;
                $each
            },
        ]
    }};
}

pub(super) use two;

macro_rules! bridges {
    ($($hub:ident => $home:ident, |$isa:ident, $v:ident| $value:expr;)*) => {$(
        impl Bridge<$hub, $home> for Avx2 {
            #[inline(always)]
            fn bridge(self, $hub($v): $hub) -> $home {
                let $isa = self;
                $home($value)
            }
        }
    )*};
}

// From integers. The low bits are at hand in every hub.
macro_rules! low_bits {
    ($($hub:ident |$isa:ident, $v:ident| $value:expr;)*) => {$(
        impl<const BITS: u32, const SIGNED: bool> Bridge<$hub, Int<BITS, SIGNED>> for Avx2 {
            #[inline(always)]
            fn bridge(self, $hub($v): $hub) -> Int<BITS, SIGNED> {
                let $isa = self;
                Int($value)
            }
        }
    )*};
}

low_bits! {
    Narrow |_isa, v| v;
    I32 |_isa, v| v;
    U32 |_isa, v| v;
    I64 |isa, v| isa.low_dwords(v);
    U64 |isa, v| isa.low_dwords(v);
}

bridges! {
    Narrow => I64, |isa, v| isa.extend_signs(v);
    Narrow => U64, |isa, v| isa.extend_signs(v);
    Narrow => F32, |isa, v| two!(|x| isa.i32_to_ps(x), v);
    Narrow => F64, |isa, v| isa.i32s_to_pd(v);
    Narrow => Sticky, |isa, v| two!(|x| isa.i32_to_ps(x), v);
    Narrow => Brain, |isa, v| two!(|x| isa.i32_to_ps(x), v);
    Narrow => Power, |isa, v| two!(|x| isa.power_of::<{ UP }>(isa.i32_to_ps(x)), v);
    Narrow => Falsehood, |isa, v| two!(|x| isa.eq32(x, isa.zero()), v);

    I32 => I64, |isa, v| isa.extend_signs(v);
    I32 => U64, |isa, v| isa.extend_signs(v);
    I32 => F32, |isa, v| two!(|x| isa.i32_to_ps(x), v);
    I32 => F64, |isa, v| isa.i32s_to_pd(v);
    // Below 2^24 this is exact, and so stays everything above.
    I32 => Sticky, |isa, v| two!(|x| isa.i32_to_ps(x), v);
    I32 => Brain, |isa, v| two!(|x| isa.i32_to_brain(x), v);
    I32 => Power, |isa, v| two!(|x| isa.power_of::<{ UP }>(isa.i32_to_brain(x)), v);
    I32 => Falsehood, |isa, v| two!(|x| isa.eq32(x, isa.zero()), v);

    U32 => I64, |isa, v| isa.extend_zeros(v);
    U32 => U64, |isa, v| isa.extend_zeros(v);
    U32 => F32, |isa, v| two!(|x| isa.u32_to_ps(x), v);
    U32 => F64, |isa, v| four!(|x| isa.u52_to_pd(x), isa.extend_zeros(v));
    // Beyond all the destinations' numbers a clamped one is as good.
    U32 => Sticky, |isa, v| two!(|x| isa.i32_to_ps(isa.min_u32(x, isa.all32(i32::MAX))), v);
    U32 => Brain, |isa, v| two!(|x| isa.u32_to_brain(x), v);
    U32 => Power, |isa, v| two!(|x| isa.power_of::<{ UP }>(isa.u32_to_brain(x)), v);
    U32 => Falsehood, |isa, v| two!(|x| isa.eq32(x, isa.zero()), v);

    I64 => I64, |_isa, v| v;
    I64 => U64, |_isa, v| v;
    I64 => F32, |isa, v| isa.narrow(isa.gathered_i64(v));
    I64 => F64, |isa, v| four!(|x| isa.i64_to_pd(x), v);
    I64 => Sticky, |isa, v| isa.i64_to_sticky(v);
    I64 => Brain, |isa, v| isa.narrow(four!(|x| isa.integer_to_eight_bits(x), isa.gathered_i64(v)));
    I64 => Power, |isa, v| isa.powers::<{ UP }>(isa.gathered_i64(v));
    I64 => Falsehood, |isa, v| isa.low_dwords(four!(|x| isa.eq64(x, isa.zero()), v));

    U64 => I64, |_isa, v| v;
    U64 => U64, |_isa, v| v;
    U64 => F32, |isa, v| isa.narrow(isa.gathered_u64(v));
    U64 => F64, |isa, v| four!(|x| isa.u64_to_pd(x), v);
    U64 => Sticky, |isa, v| isa.u64_to_sticky(v);
    U64 => Brain, |isa, v| isa.narrow(four!(|x| isa.integer_to_eight_bits(x), isa.gathered_u64(v)));
    U64 => Power, |isa, v| isa.powers::<{ UP }>(isa.gathered_u64(v));
    U64 => Falsehood, |isa, v| isa.low_dwords(four!(|x| isa.eq64(x, isa.zero()), v));

    F32 => I64, |isa, v| isa.ps_to_i64(v);
    F32 => U64, |isa, v| isa.ps_to_u64(v);
    F32 => F32, |_isa, v| v;
    F32 => F64, |isa, v| isa.widen(v);
    F32 => Sticky, |_isa, v| v;
    F32 => Brain, |_isa, v| v;
    F32 => Power, |isa, v| two!(|x| isa.power_of::<{ UP }>(x), v);
    F32 => Falsehood, |isa, v| two!(|x| {
        isa.ps_bits(isa.cmp_ps::<EQUAL>(x, isa.all_ps(0.0)))
    }, v);

    F64 => I64, |isa, v| four!(|x| isa.pd_to_i64(x), v);
    F64 => U64, |isa, v| four!(|x| isa.pd_to_u64(x), v);
    F64 => F32, |isa, v| isa.narrow(v);
    F64 => F64, |_isa, v| v;
    F64 => Sticky, |isa, v| isa.narrow(four!(|x| isa.sticky_23(x), v));
    F64 => Brain, |isa, v| isa.brain(v);
    F64 => Power, |isa, v| isa.powers::<{ UP }>(v);
    F64 => Falsehood, |isa, v| isa.low_dwords(four!(|x| {
        isa.pd_bits(isa.cmp_pd::<EQUAL>(x, isa.all_pd(0.0)))
    }, v));
}

/// Bfloat16s as float32s: a NaN that is to stay one as float32 is yet to be made quiet. What else a
/// NaN can become is the same, quiet or not.
macro_rules! as_float32 {
    ($($home:ty)*) => {$(
        impl Bridge<Loud, $home> for Avx2 {
            #[inline(always)]
            fn bridge(self, Loud(v): Loud) -> $home {
                self.bridge(F32(v))
            }
        }
    )*};
}

as_float32! { I64 U64 F64 Sticky Brain Power Falsehood }

impl Bridge<Loud, F32> for Avx2 {
    #[inline(always)]
    fn bridge(self, Loud(v): Loud) -> F32 {
        F32(two!(
            |x| {
                let nan = self.ps_bits(self.cmp_ps::<UNORDERED>(x, x));
                let quiet = self.and(nan, self.all32(1 << 22));
                self.as_ps(self.or(self.ps_bits(x), quiet))
            },
            v
        ))
    }
}

impl<const BITS: u32, const SIGNED: bool> Bridge<Loud, Int<BITS, SIGNED>> for Avx2 {
    #[inline(always)]
    fn bridge(self, Loud(v): Loud) -> Int<BITS, SIGNED> {
        self.bridge(F32(v))
    }
}

impl<const BITS: u32, const SIGNED: bool> Bridge<F32, Int<BITS, SIGNED>> for Avx2 {
    #[inline(always)]
    fn bridge(self, F32(v): F32) -> Int<BITS, SIGNED> {
        Int(match (BITS, SIGNED) {
            (32, true) => two!(|x| self.ps_to_clamped_i32(x), v),
            (32, false) => two!(|x| self.ps_to_clamped_u32(x), v),
            (_, true) => two!(|x| self.ps_to_signed::<BITS>(x), v),
            (_, false) => two!(|x| self.ps_to_unsigned::<BITS>(x), v),
        })
    }
}

impl<const BITS: u32, const SIGNED: bool> Bridge<F64, Int<BITS, SIGNED>> for Avx2 {
    #[inline(always)]
    fn bridge(self, F64(v): F64) -> Int<BITS, SIGNED> {
        if BITS == 32 && !SIGNED {
            return Int(self.low_dwords(four!(|x| self.pd_to_clamped_u32(x), v)));
        }
        let largest = const { ((1u64 << (BITS - SIGNED as u32)) - 1) as f64 };
        let [a, b, c, d] = four!(
            |x| {
                let number = if SIGNED {
                    self.and_pd(x, self.cmp_pd::<ORDERED>(x, x))
                } else {
                    // The second operand where the first is NaN.
                    self.max_pd(x, self.all_pd(0.0))
                };
                self.pd_to_i32(self.min_pd(number, self.all_pd(largest)))
            },
            v
        );
        let integers = [self.join(b, a), self.join(d, c)];
        // What is too low has become the lowest 32-bit integer.
        Int(if SIGNED && BITS < 32 {
            two!(|x| self.max32(x, self.all32(-1 << (BITS - 1))), integers)
        } else {
            integers
        })
    }
}

/// Lanes of other widths.
impl Avx2 {
    #[inline(always)]
    pub(super) fn low_dwords(self, [a, b, c, d]: [__m256i; 4]) -> [__m256i; 2] {
        [self.in_order(self.even_dwords(a, b)), self.in_order(self.even_dwords(c, d))]
    }

    /// The even dwords, by lanes of 128 bits.
    #[inline(always)]
    pub(super) fn even_dwords(self, a: __m256i, b: __m256i) -> __m256i {
        self.ps_bits(self.pick_ps::<0x88>(self.as_ps(a), self.as_ps(b)))
    }

    /// The odd dwords, by lanes of 128 bits.
    #[inline(always)]
    pub(super) fn odd_dwords(self, a: __m256i, b: __m256i) -> __m256i {
        self.ps_bits(self.pick_ps::<0xdd>(self.as_ps(a), self.as_ps(b)))
    }

    /// Puts in order what was joined by lanes of 128 bits.
    #[inline(always)]
    pub(super) fn in_order(self, v: __m256i) -> __m256i {
        self.permute64::<0b11_01_10_00>(v)
    }

    #[inline(always)]
    fn extend_signs(self, [a, b]: [__m256i; 2]) -> [__m256i; 4] {
        let (c, d) = (self.half::<1>(a), self.half::<1>(b));
        let (a, b) = (self.lower(a), self.lower(b));
        four!(|x| self.i32_to_i64(x), [a, c, b, d])
    }

    #[inline(always)]
    fn extend_zeros(self, [a, b]: [__m256i; 2]) -> [__m256i; 4] {
        let (c, d) = (self.half::<1>(a), self.half::<1>(b));
        let (a, b) = (self.lower(a), self.lower(b));
        four!(|x| self.u32_to_i64(x), [a, c, b, d])
    }

    #[inline(always)]
    fn i32s_to_pd(self, [a, b]: [__m256i; 2]) -> [__m256d; 4] {
        let (c, d) = (self.half::<1>(a), self.half::<1>(b));
        let (a, b) = (self.lower(a), self.lower(b));
        four!(|x| self.i32_to_pd(x), [a, c, b, d])
    }

    #[inline(always)]
    fn widen(self, [a, b]: [__m256; 2]) -> [__m256d; 4] {
        let (c, d) = (self.half_ps::<1>(a), self.half_ps::<1>(b));
        let (a, b) = (self.lower_ps(a), self.lower_ps(b));
        four!(|x| self.ps_to_pd(x), [a, c, b, d])
    }

    #[inline(always)]
    pub(super) fn narrow(self, v: [__m256d; 4]) -> [__m256; 2] {
        let [a, b, c, d] = four!(|x| self.pd_to_ps(x), v);
        [self.join_ps(b, a), self.join_ps(d, c)]
    }
}

/// From integers to floats.
impl Avx2 {
    /// To the nearest float32: both halves are exact, and are put together with one rounding.
    #[inline(always)]
    fn u32_to_ps(self, v: __m256i) -> __m256 {
        let high = self.i32_to_ps(self.shr32::<16>(v));
        let low = self.i32_to_ps(self.mix16::<0xaa>(v, self.zero()));
        self.fma_ps(high, self.all_ps(65536.0), low)
    }

    /// From 2^24 on the low 15 bits are gathered in the one above them, which leaves 17: exact. The
    /// lowest integer has no magnitude and stays; it is exact.
    #[inline(always)]
    fn i32_to_brain(self, v: __m256i) -> __m256 {
        let large = self.gt32(self.abs32(v), self.all32((1 << 24) - 1));
        self.i32_to_ps(self.gather(v, self.and(large, self.all32(0x7fff))))
    }

    /// The same. From 2^31 on the conversion gives 2^32 too little, a negative number, whose bits are
    /// more than those of a positive one; below, 2^32 too much has the greater bits. So the lesser bits
    /// are the right ones.
    #[inline(always)]
    fn u32_to_brain(self, v: __m256i) -> __m256 {
        let mask = self.sign16(self.all32(0x7fff), self.shr32::<24>(v));
        let x = self.i32_to_ps(self.gather(v, mask));
        let more = self.add_ps(x, self.all_ps(4294967296.0));
        self.as_ps(self.min_u32(self.ps_bits(x), self.ps_bits(more)))
    }

    /// Clears the low bits, as many as `mask` has in the low words, and takes the number up if any was
    /// set, though not as far as to the next multiple of 2^16: the sum of words is clamped. So nothing
    /// comes to lie on the other side of a multiple of 2^16, or on one, that it was not on. Two's
    /// complement makes no difference.
    #[inline(always)]
    fn gather(self, v: __m256i, mask: __m256i) -> __m256i {
        self.andnot(mask, self.add_clamped_u16(v, mask))
    }

    /// 64-bit integers below 2^52, as the low bits of a float64 of 2^52 and more.
    #[inline(always)]
    pub(super) fn u52_to_pd(self, v: __m256i) -> __m256d {
        let magic = self.all_pd(TWO_52);
        self.sub_pd(self.as_pd(self.or(v, self.pd_bits(magic))), magic)
    }

    /// To the nearest float64. The high dword is put into the fraction of 2^84, where a unit of it is
    /// 2^32, the low one into that of 2^52; both become numbers, and their sum is rounded once.
    #[inline(always)]
    pub(super) fn u64_to_pd(self, v: __m256i) -> __m256d {
        let [high, low] = self.parts_of_u64(v);
        self.add_pd(high, low)
    }

    /// The same of numbers with a sign.
    #[inline(always)]
    pub(super) fn i64_to_pd(self, v: __m256i) -> __m256d {
        let [high, low] = self.parts_of_i64(v);
        self.add_pd(high, low)
    }

    /// Two float64s whose sum is the number: the low dword over 2^52, and what is left, a multiple of 2^32.
    #[inline(always)]
    pub(super) fn parts_of_u64(self, v: __m256i) -> [__m256d; 2] {
        let high = self.or(self.shr64::<32>(v), self.all64(TWO_84.to_bits() as i64));
        [self.sub_pd(self.as_pd(high), self.all_pd(TWO_84 + TWO_52)), self.low_over_52(v)]
    }

    /// The same, with 2^63 added to the number first, and taken away again.
    #[inline(always)]
    pub(super) fn parts_of_i64(self, v: __m256i) -> [__m256d; 2] {
        let biased = TWO_84.to_bits() as i64 | 1 << 31;
        let high = self.xor(self.shr64::<32>(v), self.all64(biased));
        [self.sub_pd(self.as_pd(high), self.all_pd(TWO_84 + TWO_63 + TWO_52)), self.low_over_52(v)]
    }

    #[inline(always)]
    fn low_over_52(self, v: __m256i) -> __m256d {
        self.as_pd(self.mix32::<0xaa>(v, self.all64(TWO_52.to_bits() as i64)))
    }

    /// Beyond 2^40 the low 12 bits are gathered in those above them: what is left is exact in float64,
    /// and rounds to float32 and anything narrower as the number itself, since the middle of any two
    /// neighbours is a multiple of 2^16.
    #[inline(always)]
    fn gathered_i64(self, [a, b, c, d]: [__m256i; 4]) -> [__m256d; 4] {
        let ([a, b], [c, d]) = (self.pair_of_i64::<false>(a, b), self.pair_of_i64::<false>(c, d));
        [a, b, c, d]
    }

    #[inline(always)]
    fn gathered_u64(self, [a, b, c, d]: [__m256i; 4]) -> [__m256d; 4] {
        let ([a, b], [c, d]) = (self.pair_of_u64(a, b), self.pair_of_u64(c, d));
        [a, b, c, d]
    }

    /// The same of eight numbers, whose dwords are taken apart first, so that one instruction does for eight. Where a high dword
    /// has no magnitude, nothing is gathered, and whatever the conversion makes of the low one is far below a unit of float32;
    /// `EVERY` one is gathered where that counts, too.
    #[inline(always)]
    pub(super) fn pair_of_i64<const EVERY: bool>(self, a: __m256i, b: __m256i) -> [__m256d; 2] {
        let (low, high) = (self.even_dwords(a, b), self.odd_dwords(a, b));
        let magnitude = self.abs32(high);
        let large = if EVERY {
            self.eq32(self.max_u32(magnitude, self.all32(257)), magnitude)
        } else {
            self.gt32(magnitude, self.all32(256))
        };
        let low = self.gather(low, self.shr32::<20>(large));
        let biased = self.xor(high, self.all32(i32::MIN));
        self.dwords_to_pd(low, biased, TWO_84 + TWO_63 + TWO_52)
    }

    #[inline(always)]
    pub(super) fn pair_of_u64(self, a: __m256i, b: __m256i) -> [__m256d; 2] {
        let (low, high) = (self.even_dwords(a, b), self.odd_dwords(a, b));
        // From 2^49 on, which is early enough; the shifted number is a word, and not negative.
        let low = self.gather(low, self.sign16(self.all32(0xfff), self.shr32::<17>(high)));
        self.dwords_to_pd(low, high, TWO_84 + TWO_52)
    }

    /// As [`u64_to_pd`](Self::u64_to_pd), from the dwords of eight numbers by lanes of 128 bits; `bias` is what is to be taken
    /// from the sum.
    #[inline(always)]
    fn dwords_to_pd(self, low: __m256i, high: __m256i, bias: f64) -> [__m256d; 2] {
        let over_52 = self.all32((TWO_52.to_bits() >> 32) as i32);
        let over_84 = self.all32((TWO_84.to_bits() >> 32) as i32);
        let (low, high) = (
            [self.low32(low, over_52), self.high32(low, over_52)],
            [self.low32(high, over_84), self.high32(high, over_84)],
        );
        let [a, b] = two!(|x| self.sub_pd(self.as_pd(x), self.all_pd(bias)), high);
        [self.add_pd(a, self.as_pd(low[0])), self.add_pd(b, self.as_pd(low[1]))]
    }

    /// What does not fit 32 bits is clamped to them: beyond all the destinations' numbers.
    #[inline(always)]
    fn i64_to_sticky(self, [a, b, c, d]: [__m256i; 4]) -> [__m256; 2] {
        two!(|x| self.i32_to_ps(self.in_order(self.i64_to_i32(x))), self.dwords(a, b, c, d))
    }

    #[inline(always)]
    fn u64_to_sticky(self, [a, b, c, d]: [__m256i; 4]) -> [__m256; 2] {
        two!(|x| self.i32_to_ps(self.in_order(self.u64_to_i32(x))), self.dwords(a, b, c, d))
    }

    /// From low and high dwords, clamped.
    #[inline(always)]
    pub(super) fn i64_to_i32(self, (low, high): (__m256i, __m256i)) -> __m256i {
        let (most, least) = (self.all32(i32::MAX), self.all32(i32::MIN));
        let limit = self.blend_ps(self.as_ps(most), self.as_ps(least), self.as_ps(high));
        self.clamped_i64(low, high, self.ps_bits(limit))
    }

    /// The same, with what the others become. The high dwords may be turned: all that is asked of them is whether they are all
    /// zeros or all ones.
    #[inline(always)]
    pub(super) fn clamped_i64(self, low: __m256i, high: __m256i, limit: __m256i) -> __m256i {
        let fits = self.eq32(high, self.gt32(self.zero(), low));
        self.blend8(limit, low, fits)
    }

    /// From unsigned ones; the high dwords may be turned.
    #[inline(always)]
    pub(super) fn u64_to_i32(self, (low, high): (__m256i, __m256i)) -> __m256i {
        let limit = self.all32(i32::MAX);
        let fits = self.eq32(high, self.zero());
        self.blend8(limit, self.min_u32(low, limit), fits)
    }

    #[inline(always)]
    fn dwords(self, a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> [(__m256i, __m256i); 2] {
        [
            (self.even_dwords(a, b), self.odd_dwords(a, b)),
            (self.even_dwords(c, d), self.odd_dwords(c, d)),
        ]
    }
}

pub(super) const TWO_52: f64 = (1u64 << 52) as f64;
pub(super) const TWO_63: f64 = (1u64 << 63) as f64;
const TWO_84: f64 = (1u128 << 84) as f64;

/// From float64 to narrower floats.
impl Avx2 {
    /// Cuts the fraction to the 20 bits in the high dword, and sets its 23rd bit if any of the low
    /// dword's was set: exact in float32, unless that is subnormal, and so next to nothing to the
    /// formats for which this is meant.
    #[inline(always)]
    pub(super) fn sticky_23(self, x: __m256d) -> __m256d {
        let bits = self.pd_bits(x);
        let any = self.min_u32(bits, self.all64(-1 << 32 | 1));
        self.as_pd(self.sllv32(any, self.all64(29)))
    }

    /// Rounds to the 8 bits of a bfloat16, or to its subnormals' unit: `power` is the power of two
    /// below the number, and float64's last place at 1.5 * 2^45 * `power` is 2^-7 * `power`. The sum
    /// is rounded, and taking the summand away is exact.
    #[inline(always)]
    fn to_eight_bits(self, x: __m256d) -> __m256d {
        const SUBNORMAL: f64 = f64::from_bits((1023 - 126) << 52);
        const BEYOND: f64 = f64::from_bits((1023 + 200) << 52);
        let power = self.and_pd(x, self.all_pd(f64::INFINITY));
        let power = self.min_pd(self.max_pd(power, self.all_pd(SUBNORMAL)), self.all_pd(BEYOND));
        let rounded = self.to_eight_bits_of(power, x);
        // Zeros have lost their sign.
        let sign = self.and(self.pd_bits(x), self.all64(i64::MIN));
        self.as_pd(self.or(self.pd_bits(rounded), sign))
    }

    /// The same of integers: there are no subnormals, no infinities and no -0.
    #[inline(always)]
    fn integer_to_eight_bits(self, x: __m256d) -> __m256d {
        self.to_eight_bits_of(self.and_pd(x, self.all_pd(f64::INFINITY)), x)
    }

    #[inline(always)]
    fn to_eight_bits_of(self, power: __m256d, x: __m256d) -> __m256d {
        const SUMMAND: f64 = 1.5 * (1u64 << 45) as f64;
        let summand = self.all_pd(SUMMAND);
        self.fnma_pd(power, summand, self.fma_pd(power, summand, x))
    }

    #[inline(always)]
    pub(super) fn brain(self, v: [__m256d; 4]) -> [__m256; 2] {
        self.narrow(four!(|x| self.to_eight_bits(x), v))
    }
}

/// To powers of two.
impl Avx2 {
    /// The exponent field of float32 is the code, into which the fraction [carries](carry).
    #[inline(always)]
    pub(super) fn power_of<const MODE: u8>(self, x: __m256) -> __m256i {
        let bits = self.ps_bits(x);
        let (carried, zeros) = const { carry::<MODE>(23) };
        let up = self.shr32::<23>(self.add32(bits, self.all32(carried)));
        // As signed numbers, those of negative floats are below.
        let code = self.and(self.min32(up, self.all32(0xfe)), self.gt32(bits, self.all32(zeros)));
        let nan = self.gt32(bits, self.all32(0x7f80_0000));
        let negative = self.gt32(self.xor(bits, self.all32(i32::MIN)), self.zero());
        self.or(code, self.or(nan, negative))
    }

    /// The same from float64, whose high dword and whether there is anything below tell all.
    #[inline(always)]
    pub(super) fn powers<const MODE: u8>(self, v: [__m256d; 4]) -> [__m256i; 2] {
        let [a, b, c, d] = four!(|x| self.pd_bits(x), v);
        let (carried, _) = const { carry::<MODE>(20) };
        two!(
            |x| {
                let (low, high) = x;
                let bits = self.or(high, self.min_u32(low, self.all32(1)));
                let magnitude = self.and(bits, self.all32(i32::MAX));
                let rebiased = self.sub32(magnitude, self.all32((1023 - 127) << 20));
                let up = self.sar32::<20>(self.add32(rebiased, self.all32(carried)));
                let code = self.max32(self.min32(up, self.all32(0xfe)), self.zero());
                let nan = self.gt32(magnitude, self.all32(0x7ff0_0000));
                let negative = self.gt32(self.xor(bits, self.all32(i32::MIN)), self.zero());
                self.in_order(self.or(code, self.or(nan, negative)))
            },
            self.dwords(a, b, c, d)
        )
    }
}
