//! One-byte dtypes: look-ups, and the encoder of the small floats at full width.

use crate::avx2::Avx2;
use crate::avx2::bridge::{NOT_LESS, Sticky};
use crate::avx2::choices::{Choice, Place};
use crate::avx2::decode::F32;
use crate::avx2::direct::{Step, by_memory};
use crate::avx2::encode::Small;
use crate::avx2::steps::floats::CUT;
use crate::avx2::steps::words::NEAREST;
use crate::codec::{Bridge, Decode, Encode};
use crate::cores::Core;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::format::{Numbers, Specials};
use crate::stepwise::RESULTS;
use core::arch::x86_64::{__m256, __m256i};

/// Between one-byte integers, and from a dtype of a byte to itself.
pub(in crate::avx2) struct FillByte;

/// Small floats, and integers of at most 4 bits, to a 16-bit float: two look-ups.
pub(in crate::avx2) struct SmallToFloat16<const MODE: usize>;

/// The same to float64: to its two upper bytes, in which all of them are exact.
pub(in crate::avx2) struct SmallToFloat64<const MODE: usize>;

/// The same to what wants more than a look-up, by way of bfloat16, in which all of them are exact.
pub(in crate::avx2) struct SmallToAny;

/// Floats of which all numbers are less than 128 to wider integers, by way of a byte.
pub(in crate::avx2) struct SmallToInt;

/// Small floats other than e8m0 to wider integers, by way of bfloat16, and by a [`Mode`](crate::shape::Mode).
pub(in crate::avx2) struct CutSmall<const MODE: u8>;

/// Anything to a small float other than e8m0, floats by [sums](Avx2::codes_by) or not. Or 64-bit integers in the other byte
/// order.
pub(in crate::avx2) struct EncodeSmall<const TURNED: bool, const SATURATE: bool, const SUMS: bool>;

/// Where sums are worth it for numbers that may be subnormal.
pub(in crate::avx2) enum SlowSubnormals {}

impl Choice for SlowSubnormals {
    fn place(core: Core) -> Place {
        if core == Core::Any { Place::First } else { Place::Second }
    }
}

impl<A: Real, B: Real> Step<A, B> for FillByte {
    const LEN: usize = 32;
    const AT_ONCE: usize = by_memory(A::DTYPE, B::DTYPE, 32);

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = isa.load(src);
            let cuts = const { B::DTYPE.significant_bits() <= A::DTYPE.significant_bits() };
            let number = match const { (A::DTYPE.kind(), B::DTYPE.kind()) } {
                (Kind::Bool, _) => isa.significant::<A>(bytes),
                // What there is no room for need not be filled, and what was filled need not be once more.
                _ if cuts => isa.filled::<B>(bytes),
                (_, Kind::Int) => isa.significant::<A>(bytes),
                _ => isa.filled::<B>(isa.significant::<A>(bytes)),
            };
            isa.store(dst, number);
        }
    }
}

impl<A: Real, B: Real, const MODE: usize> Step<A, B> for SmallToFloat16<MODE> {
    const LEN: usize = 32;
    const WRITES_TURNED: bool = MODE & RESULTS != 0;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = isa.small_to_words::<A, B>(isa.in_order(isa.load(src)));
            let [first, second] = isa.words_of(MODE & RESULTS != 0, bytes);
            isa.store(dst, first);
            isa.store(dst.add(32), second);
        }
    }
}

impl<A: Real, B: Real, const MODE: usize> Step<A, B> for SmallToFloat64<MODE> {
    const LEN: usize = 32;
    const WRITES_TURNED: bool = MODE & RESULTS != 0;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = isa.even_words_first(isa.load(src));
            let turned = const { MODE & RESULTS != 0 };
            let [first, second] = isa.words_of(turned, isa.small_to_words::<A, B>(bytes));
            isa.store_upper_words(turned, first, dst);
            isa.store_upper_words(turned, second, dst.add(128));
        }
    }
}

impl Avx2 {
    /// Words of low and high bytes, turned or not: of the first eight of each lane, and of the others.
    #[inline(always)]
    fn words_of(self, turned: bool, [low, high]: [__m256i; 2]) -> [__m256i; 2] {
        let (first, second) = if turned { (high, low) } else { (low, high) };
        [self.low8(first, second), self.high8(first, second)]
    }

    /// Stores words with 48 zeros below each; if these are turned, they come first, as turned numbers do.
    ///
    /// # Safety
    /// `dst` is valid for writing 128 bytes.
    #[inline(always)]
    unsafe fn store_upper_words(self, turned: bool, words: __m256i, dst: *mut u8) {
        let zero = self.zero();
        let (a, b) = match turned {
            true => (self.low16(words, zero), self.high16(words, zero)),
            false => (self.low16(zero, words), self.high16(zero, words)),
        };
        let mut i = 0;
        while i < 2 {
            let v = if i == 0 { a } else { b };
            let (first, second) = match turned {
                true => (self.low32(v, zero), self.high32(v, zero)),
                false => (self.low32(zero, v), self.high32(zero, v)),
            };
            // SAFETY: the caller's.
            unsafe {
                self.store(dst.add(64 * i), first);
                self.store(dst.add(64 * i + 32), second);
            }
            i += 1;
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for SmallToAny
where
    Avx2: Encode<B> + Bridge<F32, <Avx2 as Encode<B>>::Home>,
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = isa.ready_to_unpack_twice(isa.load(src));
            let [low, high] = isa.small_to_words::<A, mark::BFloat16>(bytes);
            let (first, second) = (isa.low8(low, high), isa.high8(low, high));
            let zero = isa.zero();
            let (a, b) = (isa.low16(zero, first), isa.high16(zero, first));
            let (c, d) = (isa.low16(zero, second), isa.high16(zero, second));
            let first = F32([isa.as_ps(a), isa.as_ps(b)]);
            let second = F32([isa.as_ps(c), isa.as_ps(d)]);
            Encode::<B>::encode(isa, isa.bridge(first), dst);
            let dst = dst.add(16 * size_of::<B::Stored>());
            Encode::<B>::encode(isa, isa.bridge(second), dst);
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for SmallToInt {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let codes = isa.load(src);
            match const { B::DTYPE.kind() } {
                Kind::Int => {
                    let bytes = isa.mapped::<A, mark::Int8>(codes);
                    isa.store_widened::<mark::Int8, B>(bytes, dst);
                }
                _ => {
                    let bytes = isa.mapped::<A, mark::UInt8>(codes);
                    isa.store_widened::<mark::UInt8, B>(bytes, dst);
                }
            }
        }
    }
}

impl<const MODE: u8, A: Real, B: Real> Step<A, B> for CutSmall<MODE> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = isa.load(src);
            let bytes = match const { B::DTYPE.bits() } {
                16 => isa.in_order(bytes),
                _ => isa.ready_to_unpack_twice(bytes),
            };
            let [mut low, mut high] = isa.small_to_words::<A, B>(bytes);
            if const { B::DTYPE.bits() > 16 && matches!(B::DTYPE.kind(), Kind::UInt) } {
                let negative = isa.gt8(isa.zero(), bytes);
                (low, high) = (isa.andnot(negative, low), isa.andnot(negative, high));
            }
            isa.store_cut::<A, B, MODE>(isa.low8(low, high), dst);
            let dst = dst.add(16 * size_of::<B::Stored>());
            isa.store_cut::<A, B, MODE>(isa.high8(low, high), dst);
        }
    }
}

impl Avx2 {
    /// Makes integers of 16 numbers of which [`small_to_words`](Self::small_to_words) made words.
    ///
    /// # Safety
    /// `dst` is valid for writing 16 elements of `B`.
    #[inline(always)]
    unsafe fn store_cut<A: Real, B: Real, const MODE: u8>(self, words: __m256i, dst: *mut u8) {
        let zero = self.zero();
        let (a, b) = (self.as_ps(self.low16(zero, words)), self.as_ps(self.high16(zero, words)));
        // SAFETY: the caller's.
        unsafe {
            match const { (B::DTYPE.bits(), B::DTYPE.kind()) } {
                (16, kind) => {
                    let (a, b) = (self.ps_to_whole::<MODE>(a), self.ps_to_whole::<MODE>(b));
                    let words = match kind {
                        Kind::Int => self.packs32(a, b),
                        _ => self.pack_u32(a, b),
                    };
                    self.store(dst, words);
                }
                (32, _) => {
                    self.store(dst, self.cut::<A, B, MODE>(a));
                    self.store(dst.add(32), self.cut::<A, B, MODE>(b));
                }
                _ => {
                    const { assert!(B::DTYPE.bits() < 64 || MODE == CUT) };
                    self.store_cut_to_64::<A, B>(a, dst);
                    self.store_cut_to_64::<A, B>(b, dst.add(64));
                }
            }
        }
    }

    /// Makes 32-bit integers of float32s.
    #[inline(always)]
    fn cut<A: Real, B: Real, const MODE: u8>(self, x: __m256) -> __m256i {
        let integer = self.ps_to_whole::<MODE>(x);
        match const { (has_large(A::DTYPE), B::DTYPE.kind()) } {
            (false, _) => integer,
            // The lowest integer turned to the highest.
            (_, Kind::Int) => {
                let limit = self.all_ps(2147483648.0);
                self.xor(integer, self.ps_bits(self.cmp_ps::<NOT_LESS>(x, limit)))
            }
            // What is 2^31 was infinity.
            _ => self.or(integer, self.sar32::<31>(integer)),
        }
    }

    /// # Safety
    /// `dst` is valid for writing 64 bytes.
    #[inline(always)]
    unsafe fn store_cut_to_64<A: Real, B: Real>(self, x: __m256, dst: *mut u8) {
        let [a, b] = match const { (has_large(A::DTYPE), B::DTYPE.kind()) } {
            (false, kind) => {
                let integers = self.ps_to_i32(x);
                let (a, b) = (self.lower(integers), self.half::<1>(integers));
                match kind {
                    Kind::Int => [self.i32_to_i64(a), self.i32_to_i64(b)],
                    _ => [self.u32_to_i64(a), self.u32_to_i64(b)],
                }
            }
            (_, Kind::Int) => self.low_ps_to_i64(x),
            _ => self.low_ps_to_u64(x),
        };
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, a);
            self.store(dst.add(32), b);
        }
    }
}

/// Whether a small float has infinities. No other number is as large as 2^31.
const fn has_large(dtype: DType) -> bool {
    match dtype.numbers() {
        Numbers::Float(format) => format.infinity().is_some(),
        _ => false,
    }
}

/// Whether all finite numbers of a small float are less than 128.
pub(in crate::avx2) const fn fits_int8(dtype: DType) -> bool {
    match dtype.numbers() {
        Numbers::Float(format) => dtype.bits() == 8 && format.max_exponent() < 7,
        _ => false,
    }
}

/// Whether all others are NaN.
pub(in crate::avx2) const fn fits_a_byte(dtype: DType) -> bool {
    fits_int8(dtype) && !has_large(dtype)
}

impl<A: Real, B: Real, const TURNED: bool, const SATURATE: bool, const SUMS: bool> Step<A, B>
    for EncodeSmall<TURNED, SATURATE, SUMS>
where
    Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Sticky>,
{
    const LEN: usize = 32;
    const READS_TURNED: bool = TURNED;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let second = src.add(16 * size_of::<A::Stored>());
            let (first, second): (Sticky, Sticky) = if TURNED {
                (isa.turned_longs::<A>(src), isa.turned_longs::<A>(second))
            } else {
                let first = isa.bridge(Decode::<A>::decode(isa, src));
                (first, isa.bridge(Decode::<A>::decode(isa, second)))
            };
            // (To which turned integers of 64 bits are yet to be clamped.)
            const { assert!(!TURNED || Small::<B>::limit(SATURATE) < (1u32 << 23) as f32) };
            let limit = isa.all_ps(const { Small::<B>::limit(SATURATE) });
            isa.store(
                dst,
                match const { A::DTYPE.kind() } {
                    Kind::UInt => isa.encode_positive::<B, NEAREST>(first, second, limit),
                    Kind::Int => isa.encode_small::<B, NEAREST, false>(first, second, limit),
                    _ => isa.encode_small::<B, NEAREST, SUMS>(first, second, limit),
                },
            );
        }
    }
}

impl Avx2 {
    /// Sixteen 64-bit integers in the other byte order, clamped to 32 bits: beyond all the destinations' numbers.
    ///
    /// # Safety
    /// `src` is valid for reading 128 bytes.
    #[inline(always)]
    unsafe fn turned_longs<A: Real>(self, src: *const u8) -> Sticky {
        // SAFETY: the caller's.
        let (a, b) = unsafe {
            let turned = self.dwords_turned();
            let a = self.clamped_to_i32::<A, true>(src, turned);
            (a, self.clamped_to_i32::<A, true>(src.add(64), turned))
        };
        Sticky([self.i32_to_ps(a), self.i32_to_ps(b)])
    }

    /// Float32s rounded by a mode, of magnitudes clamped to a [limit](Small::limit). Or those that are positive and no NaN.
    #[inline(always)]
    pub(in crate::avx2) fn encode_positive<B: Real, const MODE: u8>(
        self,
        Sticky([a, b]): Sticky,
        Sticky([c, d]): Sticky,
        limit: __m256,
    ) -> __m256i {
        let a = self.codes_of_positive::<B, MODE>(a, limit);
        let b = self.codes_of_positive::<B, MODE>(b, limit);
        let c = self.codes_of_positive::<B, MODE>(c, limit);
        let d = self.codes_of_positive::<B, MODE>(d, limit);
        let (ab, cd) = (self.pack_u32(a, b), self.pack_u32(c, d));
        self.packed_in_order(self.pack_u16(self.shr16::<8>(ab), self.shr16::<8>(cd)))
    }

    #[inline(always)]
    pub(in crate::avx2) fn encode_small<B: Real, const MODE: u8, const SUMS: bool>(
        self,
        Sticky([a, b]): Sticky,
        Sticky([c, d]): Sticky,
        limit: __m256,
    ) -> __m256i {
        let low = self.codes_by::<B, MODE, SUMS>(a, limit);
        let ab = self.pack_u32(low, self.codes_by::<B, MODE, SUMS>(b, limit));
        let low = self.codes_by::<B, MODE, SUMS>(c, limit);
        let cd = self.pack_u32(low, self.codes_by::<B, MODE, SUMS>(d, limit));
        let codes = self.pack_u16(self.shr16::<8>(ab), self.shr16::<8>(cd));
        let ab = self.packs32(self.signs::<B>(a), self.signs::<B>(b));
        let cd = self.packs32(self.signs::<B>(c), self.signs::<B>(d));
        let signs = self.and(self.packs16(ab, cd), self.all8(i8::MIN));
        let signs = match const { Small::<B>::FORMAT.bits() } {
            4 => self.shr16::<4>(signs),
            6 => self.shr16::<2>(signs),
            _ => signs,
        };
        let signs = match const { Small::<B>::FORMAT.specials } {
            // There is no -0.
            Specials::Fnuz => self.andnot(self.eq8(codes, self.zero()), signs),
            _ => signs,
        };
        self.packed_in_order(self.or(codes, signs))
    }
}
