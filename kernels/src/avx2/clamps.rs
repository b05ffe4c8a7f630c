//! Integers clamped to the range of others, where AVX2 does better than portable code.
//!
//! What is packed with saturation is clamped by that. 64-bit integers, which no instruction packs or clamps, are taken
//! apart into their halves, which are packed as far as the destination's size, each of them with saturation:
//!
//! ```text
//! low half, saturated as the destination has it     what it is, if the number fits 32 bits
//! low half, saturated as a signed integer           its sign: whether the number is too large for 32 bits with sign
//! high half, saturated as a signed integer          whether it is 0, and its sign
//! ```
//!
//! Signs and zeros outlast saturation. So what the high halves say is worked in once for as many numbers as fill a
//! register when they are packed.

use super::Avx2;
use super::shapes::{stepped, steps};
use crate::dtypes::DType;
use crate::shape::{Clamps, Range};
use core::arch::x86_64::__m256i;

/// The portable loops, and in place of some of them those below.
pub(super) const fn clamps(portable: Clamps) -> Clamps {
    use DType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    portable
        .with(Int16, Int8, word_to_byte::<true, true>)
        .with(Int16, UInt8, word_to_byte::<true, false>)
        .with(UInt16, Int8, word_to_byte::<false, true>)
        .with(UInt16, UInt8, word_to_byte::<false, false>)
        .with(Int32, Int8, int_to_byte::<true, true>)
        .with(Int32, UInt8, int_to_byte::<true, false>)
        .with(UInt32, Int8, int_to_byte::<false, true>)
        .with(UInt32, UInt8, int_to_byte::<false, false>)
        .with(Int64, Int8, long_to_byte::<true, true>)
        .with(Int64, UInt8, long_to_byte::<true, false>)
        .with(UInt64, Int8, long_to_byte::<false, true>)
        .with(UInt64, UInt8, long_to_byte::<false, false>)
        .with(Int64, Int16, long_to_word::<true, true>)
        .with(Int64, UInt16, long_to_word::<true, false>)
        .with(UInt64, Int16, long_to_word::<false, true>)
        .with(UInt64, UInt16, long_to_word::<false, false>)
        .with(Int64, Int32, long_to_int::<true, true>)
        .with(Int64, UInt32, long_to_int::<true, false>)
        .with(UInt64, Int32, long_to_int::<false, true>)
        .with(UInt64, UInt32, long_to_int::<false, false>)
        .with(Int64, UInt64, long_to_ulong)
        .with(UInt64, Int64, ulong_to_long)
}

stepped! {
    /// Integers of 16 bits to those of 8, clamped to a range of theirs.
    word_to_byte [const FROM_SIGNED: bool, const TO_SIGNED: bool] (range: Range) = 2 1 32, |isa, src, dst| {
        let (a, b) = (isa.load(src), isa.load(src.add(32)));
        let bytes = if FROM_SIGNED {
            isa.within::<TO_SIGNED>(isa.packed::<TO_SIGNED>(a, b), range)
        } else {
            // None is below zero, and packing clamps no more.
            let high = isa.all16(range.1 as i16);
            isa.pack_u16(isa.min_u16(a, high), isa.min_u16(b, high))
        };
        isa.store(dst, isa.in_order(bytes));
    };
    /// Integers of 32 bits to those of 8, clamped to a range of theirs.
    int_to_byte [const FROM_SIGNED: bool, const TO_SIGNED: bool] (range: Range) = 4 1 32, |isa, src, dst| {
        let [a, b, c, d] = [
            isa.load(src),
            isa.load(src.add(32)),
            isa.load(src.add(64)),
            isa.load(src.add(96)),
        ];
        let bytes = if FROM_SIGNED {
            let (ab, cd) = (isa.packs32(a, b), isa.packs32(c, d));
            isa.within::<TO_SIGNED>(isa.packed::<TO_SIGNED>(ab, cd), range)
        } else {
            // None is below zero, and packing clamps no more.
            let high = isa.all32(range.1 as i32);
            let ab = isa.packs32(isa.min_u32(a, high), isa.min_u32(b, high));
            let cd = isa.packs32(isa.min_u32(c, high), isa.min_u32(d, high));
            isa.pack_u16(ab, cd)
        };
        isa.store(dst, isa.packed_in_order(bytes));
    };
    /// Integers of 64 bits to those of 8, clamped to a range of theirs.
    long_to_byte [const FROM_SIGNED: bool, const TO_SIGNED: bool] (range: Range) = 8 1 32, |isa, src, dst| {
        let [a, b] = [isa.words_of_longs(src), isa.words_of_longs(src.add(128))];
        let signed = isa.packs16(a.low, b.low);
        let value = if TO_SIGNED { signed } else { isa.pack_u16(a.low, b.low) };
        let bytes = isa.joined8::<FROM_SIGNED, TO_SIGNED>(value, signed, isa.packs16(a.high, b.high));
        let bytes = isa.within::<TO_SIGNED>(bytes, range);
        isa.store(dst, isa.low_high_pairs(isa.in_order(bytes)));
    };
    /// The same to those of 16 bits, all of which are in the range.
    long_to_word [const FROM_SIGNED: bool, const TO_SIGNED: bool] (_range: Range) = 8 2 16, |isa, src, dst| {
        let (a, b) = (isa.halves_of_longs(src), isa.halves_of_longs(src.add(64)));
        let signed = isa.packs32(a.low, b.low);
        let value = if TO_SIGNED { signed } else { isa.pack_u32(a.low, b.low) };
        let high = isa.packs32(a.high, b.high);
        let words = isa.joined16::<FROM_SIGNED, TO_SIGNED>(value, signed, high);
        let words = isa.as_ps(isa.in_order(words));
        isa.store(dst, isa.ps_bits(isa.pick_ps::<0b11_01_10_00>(words, words)));
    };
    /// The same to those of 32 bits.
    long_to_int [const FROM_SIGNED: bool, const TO_SIGNED: bool] (_range: Range) = 8 4 8, |isa, src, dst| {
        let Halves { low, high } = isa.halves_of_longs(src);
        // Without a sign all low halves are fit.
        let signed = if TO_SIGNED { low } else { isa.zero() };
        let ints = isa.joined32::<FROM_SIGNED, TO_SIGNED>(low, signed, high);
        isa.store(dst, isa.in_order(ints));
    };
    /// Negative ones to 0.
    long_to_ulong [] (_range: Range) = 8 8 4, |isa, src, dst| {
        let v = isa.load(src);
        isa.store(dst, isa.andnot(isa.gt64(isa.zero(), v), v));
    };
    /// Those past the largest to that.
    ulong_to_long [] (_range: Range) = 8 8 4, |isa, src, dst| {
        let v = isa.load(src);
        let any = isa.or(v, isa.gt64(isa.zero(), v));
        isa.store(dst, isa.and(any, isa.all64(i64::MAX)));
    };
}

/// The halves of 64-bit integers, as they are or packed.
struct Halves {
    low: __m256i,
    high: __m256i,
}

impl Avx2 {
    /// Eight integers of 64 bits: each two in the lower lane, and two in the upper one.
    ///
    /// # Safety
    /// `src` is valid for reading 64 bytes.
    #[inline(always)]
    unsafe fn halves_of_longs(self, src: *const u8) -> Halves {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.as_ps(self.load(src)), self.as_ps(self.load(src.add(32)))) };
        let low = self.ps_bits(self.pick_ps::<0b10_00_10_00>(a, b));
        let high = self.ps_bits(self.pick_ps::<0b11_01_11_01>(a, b));
        Halves { low, high }
    }

    /// The halves of 16 of them saturated to words.
    ///
    /// # Safety
    /// `src` is valid for reading 128 bytes.
    #[inline(always)]
    unsafe fn words_of_longs(self, src: *const u8) -> Halves {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.halves_of_longs(src), self.halves_of_longs(src.add(64))) };
        Halves { low: self.packs32(a.low, b.low), high: self.packs32(a.high, b.high) }
    }

    /// Words saturated to bytes.
    #[inline(always)]
    fn packed<const SIGNED: bool>(self, a: __m256i, b: __m256i) -> __m256i {
        if SIGNED { self.packs16(a, b) } else { self.pack_u16(a, b) }
    }

    /// Bytes clamped to a range, which without a sign starts at 0.
    #[inline(always)]
    fn within<const SIGNED: bool>(self, bytes: __m256i, range: Range) -> __m256i {
        let (low, high) = (self.all8(range.0 as i8), self.all8(range.1 as i8));
        if SIGNED { self.max8(self.min8(bytes, high), low) } else { self.min_u8(bytes, high) }
    }
}

/// Functions that join the halves of numbers in lanes of a size: the low halves saturated to the destination's range,
/// and those of which the signs are theirs, or zero where there is none; and the high halves.
macro_rules! joined {
    ($($name:ident: $gt:ident $eq:ident $all:ident $largest:expr;)*) => {
        impl Avx2 {$(
            #[inline(always)]
            fn $name<const FROM_SIGNED: bool, const TO_SIGNED: bool>(
                self,
                value: __m256i,
                signed: __m256i,
                high: __m256i,
            ) -> __m256i {
                let (zero, largest) = (self.zero(), self.$all($largest));
                let low_sign = self.$gt(zero, signed);
                let negative = self.$gt(zero, high);
                match (FROM_SIGNED, TO_SIGNED) {
                    (true, true) => {
                        let last = self.xor(negative, largest);
                        self.blend8(last, value, self.$eq(high, low_sign))
                    }
                    (true, false) => {
                        let above = self.or(self.$gt(high, zero), low_sign);
                        self.andnot(negative, self.or(value, above))
                    }
                    (false, _) => {
                        let fits = self.$eq(self.or(high, low_sign), zero);
                        let any = self.or(value, self.andnot(fits, self.$all(-1)));
                        if TO_SIGNED { self.and(any, largest) } else { any }
                    }
                }
            }
        )*}
    };
}

joined! {
    joined8: gt8 eq8 all8 i8::MAX;
    joined16: gt16 eq16 all16 i16::MAX;
    joined32: gt32 eq32 all32 i32::MAX;
}
