//! Floats of 8 and 16 bits by draws: see `shape::drawn_floats`.
//!
//! A significand of float32, of 24 bits with its leading one, is shifted down by as many places as the number is below the
//! destination's smallest normal one. That leaves, above the bits that are cut off, the `places + 1` bits of a normal
//! number's significand, or as many as there are of a subnormal one. Since a normal number's leading one counts as one in the
//! exponent field, the code is that integer, and `places` bits up how far the exponent is above the smallest:
//!
//! ```text
//! code = (significand >> cut) + (exponent - least << places), one more if the draw is less than the rest
//! ```
//!
//! One more is what a code further from zero is, across powers of two as well. And that one is no comparison: of the draw's
//! upper `cut` bits `D`, and `S`, the integer with its rest, `-((D - S) >> cut)`, shifted with the sign, is the integer, and
//! one more if `D` is less than the rest: the quotient of `S - D`, rounded up.
//!
//! Bits of a number may have been shifted out, and a draw has more bits, too: neither counts unless `D` is the rest.

use super::bridge::{NEAREST, QUIETLY};
use super::generator::{Keys, SETS};
use super::lanes::both;
use super::{Avx512, Features};
use crate::codec::{Isa, unknown};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::shape::{EncodeDrawn, Form, Target};
use core::arch::x86_64::*;

/// What codes are like, as a const parameter: those of a byte, those of them without a negative zero, float16s, bfloat16s,
/// whose exponents are float32's, and powers of two, which are nothing but such exponents.
const BYTES: u8 = 0;
const UNSIGNED_ZERO: u8 = 1;
const HALVES: u8 = 2;
const BRAINS: u8 = 3;
const POWERS: u8 = 4;

/// The loop of a pair, if there is one.
pub(super) fn loops(from: DType, to: DType) -> Option<EncodeDrawn> {
    match from {
        DType::Float32 => loop_to::<mark::Float32>(to),
        DType::Float16 => loop_to::<mark::Float16>(to),
        DType::BFloat16 => loop_to::<mark::BFloat16>(to),
        DType::Int16 => loop_to::<mark::Int16>(to),
        DType::UInt16 => loop_to::<mark::UInt16>(to),
        _ => None,
    }
}

fn loop_to<A: Real>(to: DType) -> Option<EncodeDrawn> {
    Some(match Form::of(to)? {
        Form::Half if matches!(to, DType::BFloat16) => const { to_other::<A, BRAINS>() }?,
        Form::Half => const { to_other::<A, HALVES>() }?,
        Form::Byte => encode::<A, BYTES>,
        Form::ByteOfOneZero => encode::<A, UNSIGNED_ZERO>,
        Form::Power => encode::<A, POWERS>,
        Form::ByteInteger(_) | Form::WordInteger(_) => return None,
    })
}

/// The loop to floats of 16 bits, but for those that the source has.
const fn to_other<A: Real, const KIND: u8>() -> Option<EncodeDrawn> {
    match (A::DTYPE, KIND) {
        (DType::Float16, HALVES) | (DType::BFloat16, BRAINS) => None,
        _ => Some(encode::<A, KIND>),
    }
}

/// # Safety
/// As for every [`EncodeDrawn`].
unsafe fn encode<A: Real, const KIND: u8>(
    target: &Target,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    seed: u64,
    place: u64,
) -> usize {
    // SAFETY: the caller's.
    let isa = unsafe { Avx512::summon() };
    let Avx512(x) = isa;
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let (keys, step) = (Keys::new(x, seed), Step::<KIND>::new(x, target));
            let (mut done, mut block) = (0, place / 4);
            while n - done >= 64 {
                for draws in keys.draws(x, block).as_chunks().0 {
                    if n - done < 64 {
                        break;
                    }
                    // SAFETY: the caller's: 64 elements are left on both sides.
                    let ties = unsafe {
                        let src = src.add(size_of::<A::Stored>() * done);
                        step.run::<A>(x, src, dst.add(const { bytes::<KIND>() } * done), draws)
                    };
                    if ties {
                        return done;
                    }
                    done += 64;
                }
                block = block.wrapping_add(8 * SETS as u64);
            }
            done
        },
    )
}

/// The bytes of a code.
const fn bytes<const KIND: u8>() -> usize {
    if matches!(KIND, HALVES | BRAINS) { 2 } else { 1 }
}

const fn is_float<A: Real>() -> bool {
    matches!(A::DTYPE.kind(), Kind::Float)
}

/// 32 numbers as float32s.
///
/// # Safety
/// `src` is valid for reading as many elements.
#[inline(always)]
unsafe fn two_registers<A: Real>(x: Features, src: *const u8) -> [__m512i; 2] {
    // SAFETY: the caller's.
    unsafe { [floats::<A>(x, src), floats::<A>(x, src.add(16 * size_of::<A::Stored>()))] }
}

/// Sixteen numbers as float32s, which all are exactly.
///
/// # Safety
/// `src` is valid for reading as many elements.
#[inline(always)]
unsafe fn floats<A: Real>(x: Features, src: *const u8) -> __m512i {
    // SAFETY: the caller's.
    unsafe {
        let words = match const { A::DTYPE } {
            DType::Float32 => return x.load_dwords(src),
            DType::Float16 => {
                return x.f._mm512_castps_si512(x.floats_of_halves(x.load_words(src)));
            }
            DType::Int16 => x.f._mm512_cvtepi16_epi32(x.load_words(src)),
            _ => x.f._mm512_cvtepu16_epi32(x.load_words(src)),
        };
        match const { A::DTYPE } {
            DType::BFloat16 => x.f._mm512_slli_epi32::<16>(words),
            _ => x.f._mm512_castps_si512(x.f._mm512_cvtepi32_ps(words)),
        }
    }
}

/// A target, in registers.
struct Step<const KIND: u8> {
    least: __m512i,
    places: __m512i,
    /// How many bits of a significand are cut off, these, and how many of a draw are not compared with them.
    cut: __m512i,
    rest: __m512i,
    beyond: __m512i,
    limit: __m512i,
    nan: __m512i,
    /// How far a code's sign is below float32's.
    lower: __m512i,
    sign: __m512i,
    /// What is below the smallest power of two comes to: as an unsigned number it is past all codes if it is less than zero.
    lowest: __m512i,
    one: __m512i,
}

impl<const KIND: u8> Step<KIND> {
    /// How far significands are shifted up, by which more bits are compared where there are few: all that float32's sign
    /// and exponent leave room for.
    const UP: u32 = if KIND == HALVES { 7 } else { 0 };

    #[inline(always)]
    fn new(x: Features, target: &Target) -> Self {
        let cut = 23 + Self::UP - target.places;
        Self {
            least: x.dword(target.least),
            places: x.dword(target.places),
            cut: x.dword(cut),
            rest: x.dword((1 << cut) - 1),
            beyond: x.dword(32 - cut),
            limit: x.dword(target.limit),
            nan: x.dword(target.nan),
            lower: x.dword(32 - target.bits),
            sign: x.dword(1 << (target.bits - 1)),
            lowest: x.dword(if target.limit == Target::NO_POWER { 1 << 31 } else { 0 }),
            one: x.dword(unknown(&1)),
        }
    }

    /// Writes the codes of 64 elements, and answers whether any of them is not sure.
    ///
    /// # Safety
    /// The pointers are valid for 64 elements.
    #[inline(always)]
    unsafe fn run<A: Real>(
        &self,
        x: Features,
        src: *const u8,
        dst: *mut u8,
        draws: &[[__m512i; 2]; 2],
    ) -> bool {
        let [[a, b], [c, d]] = *draws;
        // SAFETY: the caller's.
        unsafe {
            let half = 32 * size_of::<A::Stored>();
            let (low, high) = (two_registers::<A>(x, src), two_registers::<A>(x, src.add(half)));
            if KIND == BRAINS {
                let brains = [brains::<A>(x, low, [a, b]), brains::<A>(x, high, [c, d])];
                x.store_qwords(dst, brains);
                return false;
            }
            if KIND == POWERS {
                let (a, b) = (self.power::<A>(x, low[0], a), self.power::<A>(x, low[1], b));
                let (c, d) = (self.power::<A>(x, high[0], c), self.power::<A>(x, high[1], d));
                x.store_dwords(dst, x.clamp_to_bytes::<false>([a, b, c, d]));
                return false;
            }
            let (a, b) = (self.code::<A>(x, low[0], a), self.code::<A>(x, low[1], b));
            let (c, d) = (self.code::<A>(x, high[0], c), self.code::<A>(x, high[1], d));
            match KIND {
                HALVES => x.store_qwords(dst, [x.low_words(a.0, b.0), x.low_words(c.0, d.0)]),
                _ => x.store_dwords(dst, x.clamp_to_bytes::<false>([a.0, b.0, c.0, d.0])),
            }
            a.1 | b.1 | c.1 | d.1 != 0
        }
    }

    /// The codes of sixteen float32s, and which of them are not sure.
    #[inline(always)]
    fn code<A: Real>(&self, x: Features, v: __m512i, draw: __m512i) -> (__m512i, __mmask16) {
        const INFINITY: u32 = 0xff << 23;
        let leading = const { 1 << (23 + Self::UP) };
        let magnitude = x.f._mm512_and_si512(v, x.dword(u32::MAX >> 1));
        // (Differences of what fits a word, which are zero where they would be less.)
        let field = x.f._mm512_srli_epi32::<23>(magnitude);
        let above = x.bw._mm512_subs_epu16(field, self.least);
        let below = x.bw._mm512_subs_epu16(self.least, field);
        let shifted = if KIND == HALVES { x.f._mm512_slli_epi32::<7>(v) } else { v };
        // (v AND the fraction) OR the leading one.
        let significand =
            x.f._mm512_ternarylogic_epi32::<0xea>(shifted, x.dword(leading - 1), x.dword(leading));
        let significand = x.f._mm512_srlv_epi32(significand, below);
        let draw = x.f._mm512_srlv_epi32(draw, self.beyond);
        let less = x.f._mm512_sub_epi32(draw, significand);
        let exponent = x.f._mm512_sllv_epi32(above, self.places);
        let code = x.f._mm512_sub_epi32(exponent, x.f._mm512_srav_epi32(less, self.cut));
        let code = if is_float::<A>() {
            let number = x.f._mm512_cmple_epu32_mask(magnitude, x.dword(INFINITY));
            x.f._mm512_mask_min_epu32(self.nan_of(x, v), number, code, self.limit)
        } else {
            x.f._mm512_min_epu32(code, self.limit)
        };
        let signs = x.f._mm512_srlv_epi32(v, self.lower);
        // code XOR (the signs AND the sign). NaN without a sign is the one that zero would be.
        let signed = if KIND == UNSIGNED_ZERO {
            let signed = x.f._mm512_test_epi32_mask(code, x.dword(0x7f));
            x.f._mm512_mask_ternarylogic_epi32::<0x78>(code, signed, signs, self.sign)
        } else {
            x.f._mm512_ternarylogic_epi32::<0x78>(code, signs, self.sign)
        };
        (signed, x.f._mm512_testn_epi32_mask(less, self.rest))
    }

    /// Sixteen float32s as powers of two: their exponents, one more if the draw is less than the fraction, and what is beyond
    /// the smallest and the largest of them clamped, or past all codes. Subnormal numbers are multiples of 2^-149, and as such
    /// exact.
    #[inline(always)]
    fn power<A: Real>(&self, x: Features, v: __m512i, draw: __m512i) -> __m512i {
        const INFINITY: u32 = 0xff << 23;
        let magnitude = x.f._mm512_and_si512(v, x.dword(u32::MAX >> 1));
        let subnormal = x.f._mm512_cmplt_epu32_mask(magnitude, x.dword(1 << 23));
        let multiple = x.f._mm512_cvt_roundepi32_ps::<NEAREST>(magnitude);
        let multiple = x.f._mm512_castps_si512(multiple);
        let number = x.f._mm512_mask_sub_epi32(magnitude, subnormal, multiple, x.dword(149 << 23));
        let up = x.f._mm512_cmplt_epu32_mask(draw, x.f._mm512_slli_epi32::<9>(number));
        let exponent = x.f._mm512_srai_epi32::<23>(number);
        let code = x.f._mm512_mask_add_epi32(exponent, up, exponent, self.one);
        let code = x.f._mm512_max_epi32(code, self.lowest);
        // What is less than zero is no power, as a NaN is none.
        let power = x.f._mm512_cmple_epu32_mask(v, x.dword(1 << 31));
        let power = if is_float::<A>() {
            x.f._mm512_mask_cmple_epu32_mask(power, magnitude, x.dword(INFINITY))
        } else {
            power
        };
        x.f._mm512_mask_min_epu32(x.dword(Target::NO_POWER), power, code, self.limit)
    }

    /// NaNs, with what there is room for of a payload where they have one.
    #[inline(always)]
    fn nan_of(&self, x: Features, v: __m512i) -> __m512i {
        match KIND {
            HALVES => {
                let payload = x.f._mm512_srli_epi32::<13>(v);
                x.f._mm512_ternarylogic_epi32::<0xea>(payload, x.dword(0x3ff), self.nan)
            }
            _ => self.nan,
        }
    }
}

/// Bfloat16s of 32 float32s: the upper half of each, which has its exponents and its sign, one more if the lower half of the
/// draw's bits is less than its own. (No more bits count. A carry past the largest number makes infinity.)
#[inline(always)]
fn brains<A: Real>(x: Features, v: [__m512i; 2], draws: [__m512i; 2]) -> __m512i {
    const QUIET: u16 = 1 << 6;
    let [a, b] = both(
        [0, 1],
        #[inline(always)]
        |i: usize| x.f._mm512_sub_epi32(x.f._mm512_srli_epi32::<16>(draws[i]), v[i]),
    );
    let up = x.high_words(a, b);
    let brains = x.bw._mm512_sub_epi16(x.f._mm512_setzero_si512(), up);
    let nans = both(
        v,
        #[inline(always)]
        |v| {
            let v = x.f._mm512_castsi512_ps(v);
            x.f._mm512_cmp_round_ps_mask::<_CMP_UNORD_Q, QUIETLY>(v, v)
        },
    );
    // (Which is met seldom, or all the time.)
    if is_float::<A>() && nans[0] | nans[1] != 0 {
        let nans = u32::from(nans[0]) | u32::from(nans[1]) << 16;
        let quiet = x.f._mm512_or_si512(x.high_words(v[0], v[1]), x.word(QUIET));
        return x.bw._mm512_mask_mov_epi16(brains, nans, quiet);
    }
    brains
}
