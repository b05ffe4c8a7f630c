//! Decoders: integers that float32 holds exactly come as dwords, the larger ones as they are, the
//! floats below 64 bits as float32. With VBMI small floats are looked up, and some words read in the
//! other byte order.

use super::bridge::{NEAREST, QUIETLY};
use super::codes::Plain;
use super::from_small::FromSmall;
use super::lanes::each;
use super::maps::{FOR_WORDS, dwords};
use super::shim::{Bf16, Vbmi};
use super::{Avx512, Features, Quarter};
use crate::codec::{Decode, unknown};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::scalar::direct::ByteTable;
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem;

/// Integers of at most 17 bits with a sign, as dwords: exact in float32.
#[derive(Clone, Copy)]
pub(crate) struct Narrow(pub(super) __m512i);

#[derive(Clone, Copy)]
pub(crate) struct I32(pub(super) __m512i);

#[derive(Clone, Copy)]
pub(crate) struct U32(pub(super) __m512i);

#[derive(Clone, Copy)]
pub(crate) struct I64(pub(super) [__m512i; 2]);

#[derive(Clone, Copy)]
pub(crate) struct U64(pub(super) [__m512i; 2]);

#[derive(Clone, Copy)]
pub(crate) struct F32(pub(super) __m512);

/// Float32s among which there may be signalling NaNs.
#[derive(Clone, Copy)]
pub(crate) struct Unquiet(pub(super) __m512);

#[derive(Clone, Copy)]
pub(crate) struct F64(pub(super) [__m512d; 2]);

/// Decoders of a quarter, by what its elements are loaded as.
macro_rules! decoders {
    ($($variant:ident $load:ident $load_part:ident => $hub:ty, |$x:ident, $v:ident| $value:expr;)*) => {$(
        impl Decode<mark::$variant> for Quarter {
            type Hub = $hub;

            #[inline(always)]
            unsafe fn decode(self, src: *const u8) -> $hub {
                let $x = self.0;
                // SAFETY: the caller's.
                let $v = unsafe { $x.$load(src) };
                $value
            }

            #[inline(always)]
            unsafe fn decode_part(self, src: *const u8, n: usize) -> $hub {
                let $x = self.0;
                // SAFETY: the caller's.
                let $v = unsafe { $x.$load_part(src, n) };
                $value
            }
        }
    )*};
}

decoders! {
    Bool load_bytes load_bytes_part => Narrow, |x, v| {
        let truth = x.sse2._mm_min_epu8(v, x.sse2._mm_set1_epi8(1));
        Narrow(x.f._mm512_cvtepu8_epi32(truth))
    };
    Int8 load_bytes load_bytes_part => Narrow, |x, v| Narrow(x.f._mm512_cvtepi8_epi32(v));
    Int16 load_words load_words_part => Narrow, |x, v| Narrow(x.f._mm512_cvtepi16_epi32(v));
    Int32 load_dwords load_dwords_part => I32, |x, v| I32(v);
    Int64 load_qwords load_qwords_part => I64, |x, v| I64(v);
    UInt8 load_bytes load_bytes_part => Narrow, |x, v| Narrow(x.f._mm512_cvtepu8_epi32(v));
    UInt16 load_words load_words_part => Narrow, |x, v| Narrow(x.f._mm512_cvtepu16_epi32(v));
    UInt32 load_dwords load_dwords_part => U32, |x, v| U32(v);
    UInt64 load_qwords load_qwords_part => U64, |x, v| U64(v);
    Int1 load_bytes load_bytes_part => Narrow, |x, v| signed::<1>(x, v);
    Int2 load_bytes load_bytes_part => Narrow, |x, v| signed::<2>(x, v);
    Int4 load_bytes load_bytes_part => Narrow, |x, v| signed::<4>(x, v);
    UInt1 load_bytes load_bytes_part => Narrow, |x, v| unsigned::<1>(x, v);
    UInt2 load_bytes load_bytes_part => Narrow, |x, v| unsigned::<2>(x, v);
    UInt4 load_bytes load_bytes_part => Narrow, |x, v| unsigned::<4>(x, v);
    Float16 load_words load_words_part => F32, |x, v| F32(x.floats_of_halves(v));
    BFloat16 load_words load_words_part => Unquiet, |x, v| from_bfloat16(x, v);
    Float32 load_dwords load_dwords_part => F32, |x, v| F32(x.f._mm512_castsi512_ps(v));
    Float64 load_qwords load_qwords_part => F64, |x, v| {
        F64([x.f._mm512_castsi512_pd(v[0]), x.f._mm512_castsi512_pd(v[1])])
    };
    Float8E4M3Fn load_bytes load_bytes_part => F32, |x, v| small::<mark::Float8E4M3Fn>(x, v);
    Float8E5M2 load_bytes load_bytes_part => F32, |x, v| small::<mark::Float8E5M2>(x, v);
    Float8E4M3Fnuz load_bytes load_bytes_part => F32, |x, v| small::<mark::Float8E4M3Fnuz>(x, v);
    Float8E5M2Fnuz load_bytes load_bytes_part => F32, |x, v| small::<mark::Float8E5M2Fnuz>(x, v);
    Float8E4M3 load_bytes load_bytes_part => F32, |x, v| small::<mark::Float8E4M3>(x, v);
    Float8E3M4 load_bytes load_bytes_part => F32, |x, v| small::<mark::Float8E3M4>(x, v);
    Float8E4M3B11Fnuz load_bytes load_bytes_part => F32, |x, v| small::<mark::Float8E4M3B11Fnuz>(x, v);
    Float8E8M0Fnu load_bytes load_bytes_part => F32, |x, v| power(x, v);
    Float6E2M3Fn load_bytes load_bytes_part => F32, |x, v| tiny::<mark::Float6E2M3Fn>(x, v);
    Float6E3M2Fn load_bytes load_bytes_part => F32, |x, v| tiny::<mark::Float6E3M2Fn>(x, v);
    Float4E2M1Fn load_bytes load_bytes_part => F32, |x, v| tiny::<mark::Float4E2M1Fn>(x, v);
}

/// Decoders of a step as four quarters.
macro_rules! in_quarters {
    ($($variant:ident)*) => {$(
        impl Decode<mark::$variant> for Avx512 {
            type Hub = [<Quarter as Decode<mark::$variant>>::Hub; 4];

            #[inline(always)]
            unsafe fn decode(self, src: *const u8) -> Self::Hub {
                let quarter = Quarter(self.0);
                let size = 16 * size_of::<<mark::$variant as Real>::Stored>();
                // SAFETY: the caller's: 64 elements are readable.
                unsafe {
                    [
                        Decode::<mark::$variant>::decode(quarter, src),
                        Decode::<mark::$variant>::decode(quarter, src.add(size)),
                        Decode::<mark::$variant>::decode(quarter, src.add(2 * size)),
                        Decode::<mark::$variant>::decode(quarter, src.add(3 * size)),
                    ]
                }
            }
        }
    )*};
}

in_quarters! {
    Bool Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64
    Int1 Int2 Int4 UInt1 UInt2 UInt4 Float16 Float32 Float64
    Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
    Float8E4M3B11Fnuz Float8E8M0Fnu Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
}

/// Each word is put above a zero one.
impl Decode<mark::BFloat16> for Avx512 {
    type Hub = [Unquiet; 4];

    #[inline(always)]
    unsafe fn decode(self, src: *const u8) -> [Unquiet; 4] {
        // SAFETY: the caller's: 128 bytes are readable.
        let (a, b) = unsafe { (self.0.load_dwords(src), self.0.load_dwords(src.add(64))) };
        let ([a, b], [c, d]) = (above_zeros(self.0, a), above_zeros(self.0, b));
        [a, b, c, d]
    }
}

#[inline(always)]
fn above_zeros(x: Features, v: __m512i) -> [Unquiet; 2] {
    let v = x.f._mm512_permutexvar_epi64(x.constant(&FOR_WORDS), v);
    let zero = x.f._mm512_setzero_si512();
    [
        Unquiet(x.f._mm512_castsi512_ps(x.bw._mm512_unpacklo_epi16(zero, v))),
        Unquiet(x.f._mm512_castsi512_ps(x.bw._mm512_unpackhi_epi16(zero, v))),
    ]
}

/// How 32 words in the other byte order become dwords: by a permutation of bytes for each half of them, which leaves those of
/// a constant where it asks for none.
#[derive(Clone, Copy)]
pub(crate) struct ToDwords {
    places: [__m512i; 2],
    asked: u64,
}

/// Decoders that a step in the other byte order, too, can be given to.
pub(crate) trait DecodeTurned<A: Real>: Decode<A> {
    /// Whether this is one: where turning and decoding take no more than decoding does.
    const IS_ONE: bool = false;

    /// What a step is decoded to then.
    type Turned;

    /// What its words become dwords by then, to be made before a loop.
    #[inline(always)]
    fn to_dwords(self) -> ToDwords {
        unreachable!("this is none")
    }

    /// Reads `STEP` elements in the other byte order.
    ///
    /// # Safety
    /// As for [`Decode::decode`].
    #[inline(always)]
    unsafe fn decode_turned(self, _: ToDwords, _: *const u8) -> Self::Turned {
        unreachable!("this is none")
    }
}

impl<A: Real> DecodeTurned<A> for Quarter
where
    Quarter: Decode<A>,
{
    type Turned = Self::Hub;
}

impl<A: Real> DecodeTurned<A> for Avx512
where
    Avx512: Decode<A>,
{
    type Turned = Self::Hub;
}

impl<A: Real> DecodeTurned<A> for Bf16
where
    Vbmi: DecodeTurned<A>,
{
    const IS_ONE: bool = <Vbmi as DecodeTurned<A>>::IS_ONE;

    type Turned = <Vbmi as DecodeTurned<A>>::Turned;

    #[inline(always)]
    fn to_dwords(self) -> ToDwords {
        self.vbmi.to_dwords()
    }

    #[inline(always)]
    unsafe fn decode_turned(self, by: ToDwords, src: *const u8) -> Self::Turned {
        // SAFETY: the caller's.
        unsafe { self.vbmi.decode_turned(by, src) }
    }
}

/// Words that become dwords.
macro_rules! turned_words {
    ($(
        $variant:ident above $others:literal in $rest:literal xor $flip:literal => $hub:ident:
        |$x:ident, $v:ident| $lanes:expr;
    )*) => {$(
        impl DecodeTurned<mark::$variant> for Vbmi {
            const IS_ONE: bool = true;

            type Turned = [$hub; 4];

            #[inline(always)]
            fn to_dwords(self) -> ToDwords {
                const LOW: __m512i = turned_places(0, $others);
                const HIGH: __m512i = turned_places(32, $others);
                const ASKED: u64 = 0x3333_3333_3333_3333 << $others;
                ToDwords { places: [unknown(&LOW), unknown(&HIGH)], asked: unknown(&ASKED) }
            }

            #[inline(always)]
            unsafe fn decode_turned(self, by: ToDwords, src: *const u8) -> Self::Turned {
                let ToDwords { places, asked } = by;
                let ($x, rest) = (self.features, self.features.dword($rest));
                // SAFETY: the caller's: 128 bytes are readable.
                let words = unsafe { [$x.load_dwords(src), $x.load_dwords(src.add(64))] };
                let mut dwords = [[$x.f._mm512_setzero_si512(); 2]; 2];
                for (dwords, words) in dwords.iter_mut().zip(words) {
                    let words = $x.f._mm512_xor_si512(words, $x.word($flip));
                    for (dwords, places) in dwords.iter_mut().zip(places) {
                        *dwords = self.mask_permutexvar_epi8(rest, asked, places, words);
                    }
                }
                let [[a, b], [c, d]] = dwords;
                each(
                    [a, b, c, d],
                    #[inline(always)]
                    |$v| $lanes,
                )
            }
        }
    )*};
}

turned_words! {
    // Above -32768, which the sign bit stands for, that is their distance.
    Int16 above 0 in 0x4b00_0000 xor 0x0080 => Biased: |x, v| Biased(v);
    UInt16 above 0 in 0 xor 0 => Narrow: |x, v| Narrow(v);
    BFloat16 above 2 in 0 xor 0 => Unquiet: |x, v| Unquiet(x.f._mm512_castsi512_ps(v));
}

/// Signed words as float32s that are 2^23 + 2^15 larger: of floats from 2^23 on the last bit is a one.
#[derive(Clone, Copy)]
pub(crate) struct Biased(__m512i);

impl Biased {
    const ZERO: f32 = ((1 << 23) + (1 << 15)) as f32;

    #[inline(always)]
    pub(super) fn narrow(self, x: Features) -> Narrow {
        Narrow(x.f._mm512_sub_epi32(self.0, x.dword(const { Self::ZERO.to_bits() })))
    }

    /// (A difference that is zero has a sign, which depends on the rounding mode.)
    #[inline(always)]
    pub(super) fn f32(self, x: Features) -> __m512 {
        let zero = x.f._mm512_set1_ps(Self::ZERO);
        x.f._mm512_sub_round_ps::<NEAREST>(x.f._mm512_castsi512_ps(self.0), zero)
    }
}

/// Which byte comes to each place of 16 dwords, the first from a place on, above so many others.
pub(super) const fn turned_places(first: u8, others: usize) -> __m512i {
    let mut places = [0u8; 64];
    let mut i = 0;
    while i < 16 {
        places[4 * i + others] = first + 2 * i as u8 + 1;
        places[4 * i + others + 1] = first + 2 * i as u8;
        i += 1;
    }
    // SAFETY: any 64 bytes make a register.
    unsafe { mem::transmute::<[u8; 64], __m512i>(places) }
}

/// With VBMI, small floats are looked up; the others are decoded as without.
macro_rules! vbmi_decoders {
    (plain: $($plain:ident)*; words: $($words:ident)*; by table: $($small:ident)*;) => {
        vbmi_decoders! { @plain $($plain)* $($words)* }
        vbmi_decoders! { @as_it_is $($plain)* $($small)* }
        $(
            impl Decode<mark::$small> for Vbmi {
                type Hub = [FromSmall<mark::$small>; 4];

                #[inline(always)]
                unsafe fn decode(self, src: *const u8) -> Self::Hub {
                    let x = self.features;
                    // SAFETY: the caller's.
                    let v = unsafe { x.load_dwords(src) };
                    each(
                        dwords::<_, Plain<mark::$small>, Plain<mark::Float32>>(self, v),
                        #[inline(always)]
                        |v| FromSmall::new(x.f._mm512_castsi512_ps(v)),
                    )
                }
            }
        )*

        /// Whether decoding is by table with VBMI.
        pub(super) const fn has_table<A: Real>() -> bool {
            matches!(A::DTYPE, $(DType::$small)|*)
        }
    };
    (@as_it_is $($variant:ident)*) => {$(
            impl DecodeTurned<mark::$variant> for Vbmi {
                type Turned = Self::Hub;
            }
    )*};
    (@plain $($plain:ident)*) => {$(
            impl Decode<mark::$plain> for Vbmi {
                type Hub = <Avx512 as Decode<mark::$plain>>::Hub;

                #[inline(always)]
                unsafe fn decode(self, src: *const u8) -> Self::Hub {
                    // SAFETY: the caller's.
                    unsafe { Decode::<mark::$plain>::decode(Avx512(self.features), src) }
                }
            }
    )*};
}

vbmi_decoders! {
    plain:
        Bool Int8 Int32 Int64 UInt8 UInt32 UInt64
        Int1 Int2 Int4 UInt1 UInt2 UInt4 Float16 Float32 Float64;
    words: Int16 UInt16 BFloat16;
    by table:
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float8E8M0Fnu Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn;
}

impl<A: Real> Decode<A> for Bf16
where
    Vbmi: Decode<A>,
{
    type Hub = <Vbmi as Decode<A>>::Hub;

    #[inline(always)]
    unsafe fn decode(self, src: *const u8) -> Self::Hub {
        // SAFETY: the caller's.
        unsafe { self.vbmi.decode(src) }
    }
}

/// A signed integer in the low bits of each byte.
#[inline(always)]
fn signed<const BITS: u32>(x: Features, v: __m128i) -> Narrow {
    // The byte's other bits are shifted out, then copies of the sign in.
    let v = x.f._mm512_cvtepu8_epi32(v);
    let high = match BITS {
        1 => x.f._mm512_slli_epi32::<31>(v),
        2 => x.f._mm512_slli_epi32::<30>(v),
        _ => x.f._mm512_slli_epi32::<28>(v),
    };
    Narrow(match BITS {
        1 => x.f._mm512_srai_epi32::<31>(high),
        2 => x.f._mm512_srai_epi32::<30>(high),
        _ => x.f._mm512_srai_epi32::<28>(high),
    })
}

/// An unsigned integer in the low bits of each byte.
#[inline(always)]
fn unsigned<const BITS: u32>(x: Features, v: __m128i) -> Narrow {
    let v = x.sse2._mm_and_si128(v, x.sse2._mm_set1_epi8((1 << BITS) - 1));
    Narrow(x.f._mm512_cvtepu8_epi32(v))
}

/// Bfloat16 is the upper half of float32.
#[inline(always)]
fn from_bfloat16(x: Features, v: __m256i) -> Unquiet {
    let v = x.f._mm512_slli_epi32::<16>(x.f._mm512_cvtepu16_epi32(v));
    Unquiet(x.f._mm512_castsi512_ps(v))
}

/// Float32s with their NaNs made quiet, the payload kept.
#[inline(always)]
pub(super) fn quiet(x: Features, v: __m512) -> __m512 {
    // Of the classes of numbers, two are replaced: quiet and signalling NaNs, by themselves, quiet.
    x.f._mm512_fixupimm_round_ps::<0, QUIETLY>(v, v, x.dword(0x22))
}

/// Small floats are bfloat16s, exactly: tables of their upper halves, by magnitude.
struct Values<A>(PhantomData<A>);

impl<A: Real> Values<A> {
    /// A stretch of 32 of them.
    const fn part(first: usize) -> [u16; 32] {
        let words = &ByteTable::<A, mark::BFloat16>::WORDS;
        let mut part = [0; 32];
        let mut i = 0;
        while i < 32 {
            part[i] = words[first + i];
            i += 1;
        }
        part
    }

    const PARTS: [[u16; 32]; 4] = [Self::part(0), Self::part(32), Self::part(64), Self::part(96)];

    const IS_FNUZ: bool = !matches!(A::DTYPE.kind(), Kind::Float)
        || matches!(
            A::DTYPE,
            DType::Float8E4M3Fnuz | DType::Float8E5M2Fnuz | DType::Float8E4M3B11Fnuz
        );
}

/// The codes at the top of each dword, ready to be an index that leaves the low word zero.
#[inline(always)]
fn at_word_1(x: Features, v: __m128i) -> __m512i {
    x.f._mm512_slli_epi32::<16>(x.f._mm512_cvtepu8_epi32(v))
}

/// Odd words only.
const HIGH: __mmask32 = 0xaaaa_aaaa;

/// A float of 8 bits: half a table by its magnitude's low 6 bits, which half by the seventh.
#[inline(always)]
fn small<A: Real>(x: Features, v: __m128i) -> F32 {
    let code = at_word_1(x, v);
    let [a, b, c, d] = const { &Values::<A>::PARTS };
    let (a, b, c, d) = (x.constant(a), x.constant(b), x.constant(c), x.constant(d));
    let low = x.bw._mm512_maskz_permutex2var_epi16(HIGH, a, code, b);
    let upper = x.bw._mm512_test_epi16_mask(code, x.dword(0x40 << 16));
    let high = x.bw._mm512_permutex2var_epi16(c, code, d);
    let magnitude = x.bw._mm512_mask_mov_epi16(low, upper, high);
    let sign = x.f._mm512_slli_epi32::<8>(code);
    // magnitude OR (sign AND the top bit)
    let value = x.f._mm512_ternarylogic_epi32::<0xf8>(magnitude, sign, x.dword(1 << 31));
    let value = if Values::<A>::IS_FNUZ {
        let nan = x.f._mm512_cmpeq_epi32_mask(code, x.dword(0x80 << 16));
        x.f._mm512_mask_mov_epi32(value, nan, x.dword(0x7fc0_0000))
    } else {
        value
    };
    F32(x.f._mm512_castsi512_ps(value))
}

/// A float of 6 or 4 bits: a table of all its codes, repeated in what it leaves of 64.
#[inline(always)]
fn tiny<A: Real>(x: Features, v: __m128i) -> F32 {
    let [a, b, ..] = const { &Values::<A>::PARTS };
    let (a, b) = (x.constant(a), x.constant(b));
    let value = x.bw._mm512_maskz_permutex2var_epi16(HIGH, a, at_word_1(x, v), b);
    F32(x.f._mm512_castsi512_ps(value))
}

/// A power of two: the code is float32's exponent field, but for the lowest, which is subnormal
/// there, and the highest, which is NaN. Both get a fraction of a half.
#[inline(always)]
fn power(x: Features, v: __m128i) -> F32 {
    let code = x.f._mm512_cvtepu8_epi32(v);
    let value = x.f._mm512_slli_epi32::<23>(code);
    // (code + 1) mod 256 is below 2 for codes 255 and 0.
    let next = x.f._mm512_add_epi32(code, x.dword(1));
    let special = x.f._mm512_testn_epi32_mask(next, x.dword(0xfe));
    let half = x.dword(1 << 22);
    F32(x.f._mm512_castsi512_ps(x.f._mm512_mask_or_epi32(value, special, value, half)))
}
