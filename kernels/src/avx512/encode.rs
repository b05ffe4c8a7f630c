//! Encoders: integers cut or clamped to their width, bools as 0 and 1, float16 by its instruction,
//! the other narrow floats from [`Odd`] float32s by integer arithmetic or one rounding sum.

use super::bridge::{Int, Long, Odd, Power, QUIETLY, Truth};
use super::decode::{F32, F64};
use super::lanes::{each, join_masks};
use super::shim::{Bf16, Vbmi};
use super::small::{self, Small};
use super::{Avx512, Features, Quarter};
use crate::codec::Encode;
use crate::dtypes::{DType, Kind, Real, mark};
use core::arch::x86_64::*;

/// Encoders by how a quarter's elements are stored and how a step's are.
macro_rules! encoders {
    ($(
        $variant:ident <= $home:ty, $store_part:ident:
        |$x:ident, $v:ident| $quarter:expr, |$dst:ident, $w:ident| $step:expr;
    )*) => {$(
        impl Encode<mark::$variant> for Quarter {
            type Home = $home;

            #[inline(always)]
            unsafe fn encode(self, values: $home, dst: *mut u8) {
                // SAFETY: the caller's.
                unsafe { Encode::<mark::$variant>::encode_part(self, values, dst, 16) }
            }

            #[inline(always)]
            unsafe fn encode_part(self, $v: $home, dst: *mut u8, n: usize) {
                let $x = self.0;
                let stored = $quarter;
                // SAFETY: the caller's.
                unsafe { $x.$store_part(dst, stored, n) }
            }
        }

        impl Encode<mark::$variant> for Avx512 {
            type Home = [$home; 4];

            #[inline(always)]
            unsafe fn encode(self, $w: [$home; 4], $dst: *mut u8) {
                let $x = self.0;
                // SAFETY: the caller's: 64 elements are writable.
                unsafe { $step }
            }
        }
    )*};
}

encoders! {
    Bool <= Truth, store_bytes_part:
        |x, v| x.bw._mm_maskz_mov_epi8(v.0, x.sse2._mm_set1_epi8(1)),
        |dst, w| x.store_dwords(dst, truths(x, w));
    Int8 <= Int<8, true>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    Int16 <= Int<16, true>, store_words_part:
        |x, v| word(x, v), |dst, w| store_words(x, dst, w);
    Int32 <= Int<32, true>, store_dwords_part:
        |x, v| v.lanes, |dst, w| store_dwords(x, dst, w);
    Int64 <= Long<true>, store_qwords_part:
        |x, v| v.0, |dst, w| store_qwords(x, dst, each(w, #[inline(always)] |v| v.0));
    UInt8 <= Int<8, false>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    UInt16 <= Int<16, false>, store_words_part:
        |x, v| word(x, v), |dst, w| store_words(x, dst, w);
    UInt32 <= Int<32, false>, store_dwords_part:
        |x, v| v.lanes, |dst, w| store_dwords(x, dst, w);
    UInt64 <= Long<false>, store_qwords_part:
        |x, v| v.0, |dst, w| store_qwords(x, dst, each(w, #[inline(always)] |v| v.0));
    Int1 <= Int<1, true>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    Int2 <= Int<2, true>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    Int4 <= Int<4, true>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    UInt1 <= Int<1, false>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    UInt2 <= Int<2, false>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    UInt4 <= Int<4, false>, store_bytes_part:
        |x, v| byte(x, v), |dst, w| x.store_dwords(dst, bytes(x, w));
    Float16 <= Odd<false>, store_words_part:
        |x, v| float16(x, v),
        |dst, w| {
            x.store_words(dst, float16(x, w[0]));
            x.store_words(dst.add(32), float16(x, w[1]));
            x.store_words(dst.add(64), float16(x, w[2]));
            x.store_words(dst.add(96), float16(x, w[3]));
        };
    BFloat16 <= Odd<true>, store_words_part:
        |x, v| x.f._mm512_cvtepi32_epi16(x.f._mm512_srli_epi32::<16>(bfloat16(x, v.lanes))),
        |dst, w| {
            let [a, b, c, d] = w;
            x.store_dwords(dst, bfloat16s(x, [a.lanes, b.lanes]));
            x.store_dwords(dst.add(64), bfloat16s(x, [c.lanes, d.lanes]));
        };
    Float32 <= F32, store_dwords_part:
        |x, v| x.f._mm512_castps_si512(v.0),
        |dst, w| {
            x.store_dwords(dst, x.f._mm512_castps_si512(w[0].0));
            x.store_dwords(dst.add(64), x.f._mm512_castps_si512(w[1].0));
            x.store_dwords(dst.add(128), x.f._mm512_castps_si512(w[2].0));
            x.store_dwords(dst.add(192), x.f._mm512_castps_si512(w[3].0));
        };
    Float64 <= F64, store_qwords_part:
        |x, v| float64(x, v), |dst, w| store_qwords(x, dst, each(w, #[inline(always)] |v| float64(x, v)));
    Float8E4M3Fn <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float8E4M3Fn>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float8E4M3Fn>::step(x, w));
    Float8E5M2 <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float8E5M2>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float8E5M2>::step(x, w));
    Float8E4M3Fnuz <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float8E4M3Fnuz>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float8E4M3Fnuz>::step(x, w));
    Float8E5M2Fnuz <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float8E5M2Fnuz>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float8E5M2Fnuz>::step(x, w));
    Float8E4M3 <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float8E4M3>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float8E4M3>::step(x, w));
    Float8E3M4 <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float8E3M4>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float8E3M4>::step(x, w));
    Float8E4M3B11Fnuz <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float8E4M3B11Fnuz>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float8E4M3B11Fnuz>::step(x, w));
    Float8E8M0Fnu <= Power, store_bytes_part:
        |x, v| small::power(x, v),
        |dst, w| {
            x.store_dwords(dst, small::powers::<true>(x, w));
        };
    Float6E2M3Fn <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float6E2M3Fn>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float6E2M3Fn>::step(x, w));
    Float6E3M2Fn <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float6E3M2Fn>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float6E3M2Fn>::step(x, w));
    Float4E2M1Fn <= Odd<false>, store_bytes_part:
        |x, v| Small::<mark::Float4E2M1Fn>::quarter(x, v),
        |dst, w| x.store_dwords(dst, Small::<mark::Float4E2M1Fn>::step(x, w));
}

impl<B: Real> Encode<B> for Vbmi
where
    Avx512: Encode<B>,
{
    type Home = <Avx512 as Encode<B>>::Home;

    #[inline(always)]
    unsafe fn encode(self, values: Self::Home, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { Avx512(self.features).encode(values, dst) }
    }
}

/// Whether no number of a dtype is subnormal in float32, so that the instruction for bfloat16 gives
/// what the law wants. (Bytes have their tables.)
pub(super) const fn suits_bf16(from: DType) -> bool {
    let whole = matches!(from.kind(), Kind::Int | Kind::UInt);
    from.bits() > 8 && (whole || matches!(from, DType::Float16))
}

/// For the dtypes that [`suits_bf16`] tells.
impl Encode<mark::BFloat16> for Bf16 {
    type Home = [Odd<true>; 4];

    #[inline(always)]
    unsafe fn encode(self, [a, b, c, d]: [Odd<true>; 4], dst: *mut u8) {
        let x = self.vbmi.features;
        // SAFETY: the caller's: 128 bytes are writable.
        unsafe {
            x.store_dwords(dst, self.cvtne2ps_pbh(a.lanes, b.lanes));
            x.store_dwords(dst.add(64), self.cvtne2ps_pbh(c.lanes, d.lanes));
        }
    }
}

/// A byte 0 or 1 for each bit.
#[inline(always)]
fn truths(x: Features, [a, b, c, d]: [Truth; 4]) -> __m512i {
    x.bw._mm512_maskz_mov_epi8(join_masks([a.0, b.0, c.0, d.0]), x.byte(1))
}

/// A quarter of integers of at most 8 bits.
#[inline(always)]
fn byte<const BITS: u32, const SIGNED: bool>(x: Features, v: Int<BITS, SIGNED>) -> __m128i {
    if !v.clamp {
        let stored = fill::<BITS, SIGNED>(x, v.lanes);
        return x.f._mm512_cvtepi32_epi8(stored);
    }
    let (least, most) = limits::<BITS, SIGNED>();
    let v = x.f._mm512_max_epi32(v.lanes, x.f._mm512_set1_epi32(least));
    x.f._mm512_cvtepi32_epi8(x.f._mm512_min_epi32(v, x.f._mm512_set1_epi32(most)))
}

const fn limits<const BITS: u32, const SIGNED: bool>() -> (i32, i32) {
    if SIGNED { (-1 << (BITS - 1), (1 << (BITS - 1)) - 1) } else { (0, (1 << BITS) - 1) }
}

/// Sign- or zero-fills the bits of each byte above a small integer; the byte is the lowest of its
/// lane, whatever the lane's size.
#[inline(always)]
pub(super) fn fill<const BITS: u32, const SIGNED: bool>(x: Features, v: __m512i) -> __m512i {
    if BITS >= 8 {
        return v;
    }
    let low = x.f._mm512_and_si512(v, x.byte((1 << BITS) - 1));
    if SIGNED {
        // Flipping the sign bit and taking its weight away again: 0..half stays, half.. becomes
        // negative.
        let sign = x.byte(1 << (BITS - 1));
        x.bw._mm512_sub_epi8(x.f._mm512_xor_si512(low, sign), sign)
    } else {
        low
    }
}

/// A step of integers of at most 8 bits.
#[inline(always)]
pub(super) fn bytes<const BITS: u32, const SIGNED: bool>(
    x: Features,
    w: [Int<BITS, SIGNED>; 4],
) -> __m512i {
    let [a, b, c, d] = w;
    let lanes = [a.lanes, b.lanes, c.lanes, d.lanes];
    if !a.clamp {
        return fill::<BITS, SIGNED>(x, x.low_bytes(lanes));
    }
    let v = x.clamp_to_bytes::<SIGNED>(lanes);
    if BITS == 8 {
        return v;
    }
    let (least, most) = limits::<BITS, SIGNED>();
    if SIGNED {
        let v = x.bw._mm512_max_epi8(v, x.byte(least as u8));
        x.bw._mm512_min_epi8(v, x.byte(most as u8))
    } else {
        x.bw._mm512_min_epu8(v, x.byte(most as u8))
    }
}

/// A quarter of 16-bit integers.
#[inline(always)]
fn word<const SIGNED: bool>(x: Features, v: Int<16, SIGNED>) -> __m256i {
    if !v.clamp {
        x.f._mm512_cvtepi32_epi16(v.lanes)
    } else if SIGNED {
        x.f._mm512_cvtsepi32_epi16(v.lanes)
    } else {
        let v = x.f._mm512_max_epi32(v.lanes, x.f._mm512_setzero_si512());
        x.f._mm512_cvtusepi32_epi16(v)
    }
}

/// Two quarters of 16-bit integers.
#[inline(always)]
fn words<const SIGNED: bool>(x: Features, a: Int<16, SIGNED>, b: Int<16, SIGNED>) -> __m512i {
    if a.clamp {
        x.clamp_to_words::<SIGNED>(a.lanes, b.lanes)
    } else {
        x.low_words(a.lanes, b.lanes)
    }
}

/// # Safety
/// `dst` is valid for writing 128 bytes.
#[inline(always)]
unsafe fn store_words<const SIGNED: bool>(x: Features, dst: *mut u8, w: [Int<16, SIGNED>; 4]) {
    let [a, b, c, d] = w;
    // SAFETY: the caller's.
    unsafe {
        x.store_dwords(dst, words(x, a, b));
        x.store_dwords(dst.add(64), words(x, c, d));
    }
}

/// # Safety
/// `dst` is valid for writing 256 bytes.
#[inline(always)]
unsafe fn store_dwords<const SIGNED: bool>(x: Features, dst: *mut u8, w: [Int<32, SIGNED>; 4]) {
    // SAFETY: the caller's.
    unsafe {
        x.store_dwords(dst, w[0].lanes);
        x.store_dwords(dst.add(64), w[1].lanes);
        x.store_dwords(dst.add(128), w[2].lanes);
        x.store_dwords(dst.add(192), w[3].lanes);
    }
}

/// # Safety
/// `dst` is valid for writing 512 bytes.
#[inline(always)]
unsafe fn store_qwords(x: Features, dst: *mut u8, [a, b, c, d]: [[__m512i; 2]; 4]) {
    // SAFETY: the caller's.
    unsafe {
        x.store_dwords(dst, a[0]);
        x.store_dwords(dst.add(64), a[1]);
        x.store_dwords(dst.add(128), b[0]);
        x.store_dwords(dst.add(192), b[1]);
        x.store_dwords(dst.add(256), c[0]);
        x.store_dwords(dst.add(320), c[1]);
        x.store_dwords(dst.add(384), d[0]);
        x.store_dwords(dst.add(448), d[1]);
    }
}

#[inline(always)]
fn float64(x: Features, F64([a, b]): F64) -> [__m512i; 2] {
    [x.f._mm512_castpd_si512(a), x.f._mm512_castpd_si512(b)]
}

/// To the nearest float16, ties to even, by the immediate.
#[inline(always)]
fn float16(x: Features, v: Odd<false>) -> __m256i {
    x.float16s::<_MM_FROUND_TO_NEAREST_INT>(v.lanes)
}

/// To the nearest bfloat16s, ties to even.
#[inline(always)]
fn bfloat16s(x: Features, [a, b]: [__m512; 2]) -> __m512i {
    x.high_words(bfloat16(x, a), bfloat16(x, b))
}

/// To the nearest bfloat16, ties to even, in the high words.
#[inline(always)]
fn bfloat16(x: Features, v: __m512) -> __m512i {
    let bits = x.f._mm512_castps_si512(v);
    // Adding 0x7fff carries into the kept part if the rest is more than half a unit; with the last
    // bit of the rest set where the kept part is odd, if it is half a unit, too. From the largest
    // finite number it carries into infinity.
    let kept = x.f._mm512_srli_epi32::<16>(bits);
    let sticky = x.f._mm512_ternarylogic_epi32::<0xf8>(bits, kept, x.dword(1));
    let rounded = x.f._mm512_add_epi32(sticky, x.dword(0x7fff));
    // Where the number was NaN, itself made quiet.
    let rounded = x.f._mm512_castsi512_ps(rounded);
    x.f._mm512_castps_si512(x.f._mm512_fixupimm_round_ps::<0, QUIETLY>(rounded, v, x.dword(0x22)))
}
