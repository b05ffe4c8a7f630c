//! Decoders: what fits 16 bits goes to 32-bit lanes, wider integers and the two big floats are their
//! own hubs, the smaller floats go to float32.

use super::Avx2;
use crate::codec::Decode;
use crate::dtypes::{Real, mark};
use core::arch::x86_64::{__m128i, __m256, __m256d, __m256i};

/// Integers of at most 16 bits and a sign, in 32-bit lanes: exact in float32.
#[derive(Clone, Copy)]
pub(crate) struct Narrow(pub(super) [__m256i; 2]);

/// Signed 32-bit integers.
#[derive(Clone, Copy)]
pub(crate) struct I32(pub(super) [__m256i; 2]);

/// Unsigned 32-bit integers.
#[derive(Clone, Copy)]
pub(crate) struct U32(pub(super) [__m256i; 2]);

/// Signed 64-bit integers.
#[derive(Clone, Copy)]
pub(crate) struct I64(pub(super) [__m256i; 4]);

/// Unsigned 64-bit integers.
#[derive(Clone, Copy)]
pub(crate) struct U64(pub(super) [__m256i; 4]);

/// Float32s.
#[derive(Clone, Copy)]
pub(crate) struct F32(pub(super) [__m256; 2]);

/// Float32s whose NaNs may not be quiet.
#[derive(Clone, Copy)]
pub(crate) struct Loud(pub(super) [__m256; 2]);

/// Float64s.
#[derive(Clone, Copy)]
pub(crate) struct F64(pub(super) [__m256d; 4]);

macro_rules! decoders {
    ($($variant:ident => $hub:ty, |$isa:ident, $src:ident| $value:expr;)*) => {$(
        impl Decode<mark::$variant> for Avx2 {
            type Hub = $hub;

            #[inline(always)]
            unsafe fn decode(self, $src: *const u8) -> $hub {
                let $isa = self;
                // SAFETY: the caller's: 16 elements are readable at `src`.
                unsafe { $value }
            }
        }
    )*};
}

decoders! {
    Bool => Narrow, |isa, src| isa.unsigned_bytes(isa.min_u8x(isa.loadx(src), isa.all8x(1)));
    Int8 => Narrow, |isa, src| Narrow([
        isa.i8_to_i32(isa.load_64x(src)),
        isa.i8_to_i32(isa.load_64x(src.add(8))),
    ]);
    Int16 => Narrow, |isa, src| Narrow([
        isa.i16_to_i32(isa.loadx(src)),
        isa.i16_to_i32(isa.loadx(src.add(16))),
    ]);
    Int32 => I32, |isa, src| I32([isa.load(src), isa.load(src.add(32))]);
    Int64 => I64, |isa, src| I64(isa.load_four(src));
    UInt8 => Narrow, |isa, src| Narrow([
        isa.u8_to_i32(isa.load_64x(src)),
        isa.u8_to_i32(isa.load_64x(src.add(8))),
    ]);
    UInt16 => Narrow, |isa, src| Narrow([
        isa.u16_to_i32(isa.loadx(src)),
        isa.u16_to_i32(isa.loadx(src.add(16))),
    ]);
    UInt32 => U32, |isa, src| U32([isa.load(src), isa.load(src.add(32))]);
    UInt64 => U64, |isa, src| U64(isa.load_four(src));
    Int1 => Narrow, |isa, src| isa.filled_bytes::<1>(isa.loadx(src));
    Int2 => Narrow, |isa, src| isa.filled_bytes::<2>(isa.loadx(src));
    Int4 => Narrow, |isa, src| isa.filled_bytes::<4>(isa.loadx(src));
    UInt1 => Narrow, |isa, src| isa.unsigned_bytes(isa.andx(isa.loadx(src), isa.all8x(1)));
    UInt2 => Narrow, |isa, src| isa.unsigned_bytes(isa.andx(isa.loadx(src), isa.all8x(3)));
    UInt4 => Narrow, |isa, src| isa.unsigned_bytes(isa.andx(isa.loadx(src), isa.all8x(15)));
    Float16 => F32, |isa, src| F32([
        isa.half_to_ps(isa.loadx(src)),
        isa.half_to_ps(isa.loadx(src.add(16))),
    ]);
    BFloat16 => Loud, |isa, src| Loud(isa.load_brains::<false>(src));
    Float32 => F32, |isa, src| F32([
        isa.as_ps(isa.load(src)),
        isa.as_ps(isa.load(src.add(32))),
    ]);
    Float64 => F64, |isa, src| {
        let [a, b, c, d] = isa.load_four(src);
        F64([isa.as_pd(a), isa.as_pd(b), isa.as_pd(c), isa.as_pd(d)])
    };
    Float8E4M3Fn => F32, |isa, src| isa.small::<mark::Float8E4M3Fn>(isa.loadx(src));
    Float8E5M2 => F32, |isa, src| isa.small::<mark::Float8E5M2>(isa.loadx(src));
    Float8E4M3Fnuz => F32, |isa, src| isa.small::<mark::Float8E4M3Fnuz>(isa.loadx(src));
    Float8E5M2Fnuz => F32, |isa, src| isa.small::<mark::Float8E5M2Fnuz>(isa.loadx(src));
    Float8E4M3 => F32, |isa, src| isa.small::<mark::Float8E4M3>(isa.loadx(src));
    Float8E3M4 => F32, |isa, src| isa.small::<mark::Float8E3M4>(isa.loadx(src));
    Float8E4M3B11Fnuz => F32, |isa, src| isa.small::<mark::Float8E4M3B11Fnuz>(isa.loadx(src));
    Float8E8M0Fnu => F32, |isa, src| {
        let codes = isa.loadx(src);
        F32([isa.power(codes), isa.power(isa.shr_bytes_x::<8>(codes))])
    };
    Float6E2M3Fn => F32, |isa, src| isa.small::<mark::Float6E2M3Fn>(isa.loadx(src));
    Float6E3M2Fn => F32, |isa, src| isa.small::<mark::Float6E3M2Fn>(isa.loadx(src));
    Float4E2M1Fn => F32, |isa, src| isa.small::<mark::Float4E2M1Fn>(isa.loadx(src));
}

impl Avx2 {
    /// # Safety
    /// 128 bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn load_four(self, src: *const u8) -> [__m256i; 4] {
        // SAFETY: the caller's.
        unsafe {
            [self.load(src), self.load(src.add(32)), self.load(src.add(64)), self.load(src.add(96))]
        }
    }

    #[inline(always)]
    fn unsigned_bytes(self, bytes: __m128i) -> Narrow {
        Narrow([self.u8_to_i32(bytes), self.u8_to_i32(self.shr_bytes_x::<8>(bytes))])
    }

    #[inline(always)]
    fn signed_bytes(self, bytes: __m128i) -> Narrow {
        Narrow([self.i8_to_i32(bytes), self.i8_to_i32(self.shr_bytes_x::<8>(bytes))])
    }

    /// Signed integers in the low bits of bytes. Flipping the sign bit adds its weight to every
    /// number, modulo twice that; taking the weight away again leaves the sign in all higher bits.
    #[inline(always)]
    fn filled_bytes<const BITS: u32>(self, bytes: __m128i) -> Narrow {
        let sign = self.all8x(1 << (BITS - 1));
        let code = self.andx(bytes, self.all8x((1 << BITS) - 1));
        self.signed_bytes(self.sub8x(self.xorx(code, sign), sign))
    }

    /// Makes bfloat16 NaNs quiet.
    #[inline(always)]
    pub(super) fn quiet_bfloat16(self, words: __m256i) -> __m256i {
        let magnitude = self.and(words, self.all16(0x7fff));
        let nan = self.gt16(magnitude, self.all16(0x7f80));
        self.or(words, self.and(nan, self.all16(0x40)))
    }

    /// Two vectors of bfloat16s to float32.
    #[inline(always)]
    fn bfloat16_to_ps(self, first: __m128i, second: __m128i) -> F32 {
        let first = self.shl32::<16>(self.u16_to_i32(first));
        let second = self.shl32::<16>(self.u16_to_i32(second));
        F32([self.as_ps(first), self.as_ps(second)])
    }

    /// Floats of at most 8 bits, by their bytes as bfloat16, in which all of them are exact.
    #[inline(always)]
    fn small<A: Real>(self, codes: __m128i) -> F32 {
        let bytes = self.small_to_lanes::<A, mark::BFloat16>(self.twice(codes));
        let (low, high) = (self.lower(bytes), self.half::<1>(bytes));
        self.bfloat16_to_ps(self.low8x(low, high), self.high8x(low, high))
    }

    /// Eight e8m0 codes. The code is float32's exponent field; 0 stands for 2^-127, a subnormal.
    #[inline(always)]
    fn power(self, codes: __m128i) -> __m256 {
        let field = self.shl32::<23>(self.u8_to_i32(codes));
        let nan = self.eq32(field, self.all32(0xff << 23));
        let quiet = self.and(nan, self.all32(1 << 22));
        self.as_ps(self.or(self.max32(field, self.all32(1 << 22)), quiet))
    }
}
