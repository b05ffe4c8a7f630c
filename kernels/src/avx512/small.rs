//! Encoders of the floats of 8, 6 and 4 bits, from float32.
//!
//! Let `e` be the exponent of a magnitude `a`, or the format's lowest if that is higher, `m` the
//! format's fraction bits and `g = 23 - m`. A unit of the destination near `a` is `2^(e - m)`, the
//! last place of a float32 of exponent `e + g`. So
//!
//! ```text
//! t = 2^e * K + a,    K = 2^g * (1 + c * 2^-23)
//! ```
//!
//! in one fused multiply-add has, below its exponent field, `c` plus the number of units nearest to
//! `a`, ties to even if `c` is even: one rounding. The code is that number of units plus the steps
//! `(e - lowest) << m` (the leading unit counts itself into the exponent field), and `t`'s exponent
//! field is `e + g + 127`. Take
//!
//! ```text
//! c = 2^16 - ((lowest + g + 127) << m)
//! ```
//!
//! then the low word of `t`, as a signed number, is `units - ((lowest + g + 127) << m)`; it neither
//! passes 2^15 nor carries. The high word is `(e + g + 127) << 7`. The code, times `2^(7 - m)`, is
//! therefore the low word times `2^(7 - m)` plus the high word: one `vpmaddwd`.
//!
//! NaN is replaced by float32's largest number, for which `t` is infinity, whatever the format. That
//! comes out as a code of more than 8 bits, and is clamped to NaN's, which is past all numbers'; where
//! there is no NaN, to 0x80, which no number has.
//!
//! An Intel's core takes a hundred times as long for a multiply-add of a subnormal number, though not
//! for a sum. So of floats, to the nearest, it is the least magnitude that is clamped, to one that
//! becomes zero as well, and the largest of codes, when two of them are in a dword: what is past the
//! format's numbers has a larger code, up to 0x7f80, which is infinity's. NaN is then replaced by a
//! negative one, whose words are negative: these are clamped by no limit, and have a code of more than
//! 8 bits once they are shifted. By other modes, to some of which zero is not what is next to it, the
//! product is made by itself, and a sum is left.
//!
//! AMD's cores take no longer for subnormal numbers, so there magnitudes are clamped at their upper end and multiplied and
//! added at once by any mode. Nor do they take longer for a permutation of the bytes of two registers than for packing them:
//! they *gather* codes and signs. With the weights `2^8` and `2^(8 - SHIFT)` a code is the second byte of its dword. NaN's,
//! infinity's or little less, is 0xee there or more, and past [`NAN_CODE`](Small::NAN_CODE).

use super::Features;
use super::bridge::{Odd, Power, QUIETLY};
use super::lanes::{both, each};
use super::shim::Vbmi;
use super::tables::LookUp;
use crate::dtypes::Real;
use crate::format::{FloatFormat, Specials};
use crate::shape::{Mode, TINY};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// For `range`: the smaller magnitude, without a sign; a number, if the other operand is NaN.
const MIN_OF_MAGNITUDES: i32 = 0b1010;

/// The same: the larger one.
const MAX_OF_MAGNITUDES: i32 = 0b1011;

/// For `fixupimm`: of the classes of numbers, quiet and signalling NaNs are replaced by the largest
/// finite number.
const NAN_TO_LARGEST: u32 = 0xee;

/// The same by a NaN that is negative and has no other payload.
const NAN_TO_NEGATIVE: u32 = 0x33;

/// What magnitudes are clamped to: they themselves, or their codes, as they stand in words.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    magnitude: __m512,
    code: __m512i,
}

/// The encoder of a format of at most 8 bits with a sign.
pub(super) struct Small<B>(PhantomData<B>);

impl<B: Real> Small<B> {
    pub(super) const FORMAT: FloatFormat = B::DTYPE.float_format();
    const M: u32 = Self::FORMAT.mantissa_bits;
    const LOWEST: i32 = Self::FORMAT.min_exponent();

    /// The magnitude that a code would have if every exponent field were a number's, as float32 bits.
    const fn magnitude(code: u64) -> u32 {
        let m = Self::M;
        let field = (code >> m) as i32;
        assert!(field > 0);
        let exponent = field - 1 + Self::LOWEST + 127;
        (exponent as u32) << 23 | ((code & Self::FORMAT.mantissa_mask()) as u32) << (23 - m)
    }

    /// The code of NaN in magnitudes, 0x80 where there is none.
    pub(super) const NAN_CODE: u8 = {
        let code = match Self::FORMAT.nan() {
            Some(code) => code as u8,
            None => 0x80,
        };
        assert!(code as u64 > Self::FORMAT.max_finite());
        code
    };

    /// Where magnitudes are clamped: the default is to saturate. Without that, the code past the largest number's is that
    /// of infinity or NaN, which then is what larger magnitudes become.
    #[inline(always)]
    pub(super) fn limit(x: Features, saturate: bool) -> Limit {
        let code = Self::FORMAT.max_finite() + !saturate as u64;
        Limit {
            magnitude: x.float(Self::magnitude(code)),
            code: x.word((code as u16) << Self::SHIFT),
        }
    }

    /// Whether the largest magnitudes are clamped as codes.
    const fn clamps_codes<const MODE: u8, const GATHERS: bool>(nan: bool) -> bool {
        nan && MODE == Mode::NearestEven as u8 && !GATHERS
    }

    /// The smallest normal number.
    const SMALLEST: u32 = ((Self::LOWEST + 127) as u32) << 23;

    const K: u32 = {
        let g = 23 - Self::M;
        let c = (1 << 16) - (((Self::LOWEST + g as i32 + 127) as u32) << Self::M);
        assert!(c.is_multiple_of(2) && c > 1 << 15);
        (127 + g) << 23 | c
    };

    /// The factors of the low and the high word.
    const WEIGHTS: u32 = 1 << 16 | 1 << Self::SHIFT;

    /// How far the codes are shifted to the left by these.
    const SHIFT: u32 = 7 - Self::M;

    /// The factors that take codes to the second byte of a dword.
    const GATHERING_WEIGHTS: u32 = (1 << (8 - Self::SHIFT)) << 16 | 1 << 8;

    /// The magnitude bits of a stored code.
    const CODE: u8 = (Self::FORMAT.sign_mask() - 1) as u8;

    /// The code of each magnitude, at most `limit` or what is to be clamped yet, times `2^SHIFT`, or `2^8` if it is to be
    /// gathered, in a dword; of NaN that of infinity, 0x7f80 (the same times `2^(8 - SHIFT)`), or little less, or -64.
    ///
    /// Directed roundings are the fma's own, over numbers with their signs, which are taken off
    /// before they count. A number is rounded to nearest with ties away by adding half a unit, and
    /// cutting off; what the sum itself loses, cut off toward zero, would be cut off anyway.
    #[inline(always)]
    fn codes<const MODE: u8, const GATHERS: bool>(
        x: Features,
        v: Odd<false>,
        limit: Limit,
    ) -> __m512i {
        let clamps_codes = Self::clamps_codes::<MODE, GATHERS>(v.nan);
        let (most, tiny) = (limit.magnitude, x.float(TINY.to_bits()));
        let mut a = if clamps_codes {
            x.dq._mm512_range_round_ps::<MAX_OF_MAGNITUDES, QUIETLY>(v.lanes, tiny)
        } else {
            x.dq._mm512_range_round_ps::<MIN_OF_MAGNITUDES, QUIETLY>(v.lanes, most)
        };
        if v.nan {
            let table = if clamps_codes { NAN_TO_NEGATIVE } else { NAN_TO_LARGEST };
            a = x.f._mm512_fixupimm_round_ps::<0, QUIETLY>(a, v.lanes, x.dword(table));
        }
        let power = x.f._mm512_and_si512(x.f._mm512_castps_si512(a), x.dword(0xff << 23));
        let power = x.f._mm512_max_epi32(power, x.dword(Self::SMALLEST));
        let adds = v.nan && !clamps_codes && !GATHERS;
        let t = if MODE == Mode::TowardZero as u8 {
            x.product_and::<{ _MM_FROUND_TO_ZERO }>(adds, power, Self::K, a)
        } else if MODE == Mode::NearestAway as u8 {
            let half = (127 - 1 - Self::M) << 23;
            let more = x.product_and::<{ _MM_FROUND_TO_ZERO }>(adds, power, half, a);
            x.product_and::<{ _MM_FROUND_TO_ZERO }>(adds, power, Self::K, more)
        } else if MODE == Mode::Up as u8 || MODE == Mode::Down as u8 {
            let power = x.with_sign_of(x.f._mm512_castsi512_ps(power), v.lanes);
            let (a, power) = (x.with_sign_of(a, v.lanes), x.f._mm512_castps_si512(power));
            x.f._mm512_abs_ps(if MODE == Mode::Up as u8 {
                x.product_and::<{ _MM_FROUND_TO_POS_INF }>(adds, power, Self::K, a)
            } else {
                x.product_and::<{ _MM_FROUND_TO_NEG_INF }>(adds, power, Self::K, a)
            })
        } else {
            x.product_and::<{ _MM_FROUND_TO_NEAREST_INT }>(adds, power, Self::K, a)
        };
        let weights = if GATHERS { Self::GATHERING_WEIGHTS } else { Self::WEIGHTS };
        x.bw._mm512_madd_epi16(x.f._mm512_castps_si512(t), x.dword(weights))
    }

    /// The stored bytes of codes, and of signs in the top bits of bytes.
    #[inline(always)]
    pub(super) fn finish(x: Features, codes: __m512i, signs: __m512i) -> __m512i {
        let sign = x.byte(0x80);
        match Self::FORMAT.specials {
            Specials::Fnuz => {
                // Adding 0x7f sets the top bit of all codes but 0, which stays unsigned; NaN is 0x80
                // and has it anyway.
                let nonzero = x.bw._mm512_add_epi8(codes, x.byte(0x7f));
                // signs AND nonzero AND the top bit
                let signs = x.f._mm512_ternarylogic_epi32::<0x80>(signs, nonzero, sign);
                x.f._mm512_or_si512(codes, signs)
            }
            Specials::Finite => {
                // NaN is 0x80, which turns the sign over: (signs XOR codes) AND the top bit.
                let signs = x.f._mm512_ternarylogic_epi32::<0x28>(signs, codes, sign);
                let signs = match Self::CODE {
                    0x1f => x.bw._mm512_srli_epi16::<2>(signs),
                    _ => x.bw._mm512_srli_epi16::<4>(signs),
                };
                // signs OR (codes AND the magnitude bits)
                x.f._mm512_ternarylogic_epi32::<0xf8>(signs, codes, x.byte(Self::CODE))
            }
            // codes OR (signs AND the top bit)
            _ => x.f._mm512_ternarylogic_epi32::<0xf8>(codes, signs, sign),
        }
    }

    /// The stored bytes of a step.
    #[inline(always)]
    pub(super) fn step(x: Features, v: [Odd<false>; 4]) -> __m512i {
        Self::step_by::<{ Mode::NearestEven as u8 }>(x, v, Self::limit(x, true))
    }

    /// The same by a mode, and with magnitudes clamped to a [limit](Self::limit).
    #[inline(always)]
    pub(super) fn step_by<const MODE: u8>(
        x: Features,
        v: [Odd<false>; 4],
        limit: Limit,
    ) -> __m512i {
        let [a, b, c, d] = each(
            v,
            #[inline(always)]
            |v| Self::codes::<MODE, false>(x, v, limit),
        );
        let mut words = [x.bw._mm512_packs_epi32(a, b), x.bw._mm512_packs_epi32(c, d)];
        if Self::clamps_codes::<MODE, false>(v[0].nan) {
            words = both(
                words,
                #[inline(always)]
                |w| x.bw._mm512_min_epi16(w, limit.code),
            );
        }
        let [ab, cd] = words;
        let mut codes = x.bw._mm512_packus_epi16(Self::shift(x, ab), Self::shift(x, cd));
        if v[0].nan {
            codes = x.bw._mm512_min_epu8(codes, x.byte(Self::NAN_CODE));
        }
        // Packing clamps, which keeps the sign.
        let [a, b, c, d] = each(
            v,
            #[inline(always)]
            |v| x.f._mm512_castps_si512(v.lanes),
        );
        let ab = x.bw._mm512_packs_epi32(a, b);
        let cd = x.bw._mm512_packs_epi32(c, d);
        let signs = x.bw._mm512_packs_epi16(ab, cd);
        x.unmix(Self::finish(x, codes, signs))
    }

    /// The stored bytes of a step, gathered.
    #[inline(always)]
    pub(super) fn gathered_by<const MODE: u8>(
        isa: Vbmi,
        v: [Odd<false>; 4],
        limit: Limit,
    ) -> __m512i {
        let x = isa.features();
        let codes = each(
            v,
            #[inline(always)]
            |v| Self::codes::<MODE, true>(x, v, limit),
        );
        let mut codes = isa.one_byte_of_each::<1>(codes);
        if v[0].nan {
            codes = x.bw._mm512_min_epu8(codes, x.byte(Self::NAN_CODE));
        }
        let numbers = each(
            v,
            #[inline(always)]
            |v| x.f._mm512_castps_si512(v.lanes),
        );
        Self::finish(x, codes, isa.one_byte_of_each::<3>(numbers))
    }

    #[inline(always)]
    fn shift(x: Features, words: __m512i) -> __m512i {
        match Self::SHIFT {
            3 => x.bw._mm512_srli_epi16::<3>(words),
            4 => x.bw._mm512_srli_epi16::<4>(words),
            5 => x.bw._mm512_srli_epi16::<5>(words),
            _ => x.bw._mm512_srli_epi16::<6>(words),
        }
    }

    /// The stored bytes of a quarter.
    #[inline(always)]
    pub(super) fn quarter(x: Features, v: Odd<false>) -> __m128i {
        let limit = Self::limit(x, true);
        let mut codes = Self::codes::<{ Mode::NearestEven as u8 }, false>(x, v, limit);
        if Self::clamps_codes::<{ Mode::NearestEven as u8 }, false>(v.nan) {
            let most = const { (Self::FORMAT.max_finite() as u32) << Self::SHIFT };
            codes = x.f._mm512_min_epi32(codes, x.dword(most));
        }
        let mut codes = Self::shift(x, codes);
        if v.nan {
            codes = x.f._mm512_min_epi32(codes, x.dword(Self::NAN_CODE.into()));
        }
        let signs = x.f._mm512_srli_epi32::<24>(x.f._mm512_castps_si512(v.lanes));
        x.f._mm512_cvtepi32_epi8(Self::finish(x, codes, signs))
    }
}

impl Vbmi {
    /// One byte of each of 64 dwords.
    #[inline(always)]
    fn one_byte_of_each<const PLACE: u8>(self, [a, b, c, d]: [__m512i; 4]) -> __m512i {
        let x = self.features();
        let places = x.constant(
            const {
                &{
                    let (mut places, mut i) = ([0; 64], 0);
                    while i < 64 {
                        places[i as usize] = 4 * (i % 32) + PLACE;
                        i += 1;
                    }
                    places
                }
            },
        );
        let [ab, cd] = both(
            [[a, b], [c, d]],
            #[inline(always)]
            |[a, b]| x.f._mm512_castsi512_si256(self.permutex2var_epi8(a, places, b)),
        );
        x.join(ab, cd)
    }
}

impl Features {
    /// `power * factor + a` with one rounding, where `power` is a power of two, with any sign, and the factor positive, and
    /// the product is in range: by an fma, or by a sum whose other operand is exact, which takes an instruction more, but not
    /// longer if `a` is subnormal. (Out of range is but what stands for NaN, float32's largest number, which then is the sum,
    /// or infinity.)
    #[inline(always)]
    fn product_and<const ROUND: i32>(
        self,
        adds: bool,
        power: __m512i,
        factor: u32,
        a: __m512,
    ) -> __m512 {
        // What the module's functions for rounding take is the mode, and that nothing is signalled.
        macro_rules! by {
            ($round:expr) => {{
                const QUIET: i32 = $round | _MM_FROUND_NO_EXC;
                if adds {
                    let by = factor.wrapping_sub(1f32.to_bits());
                    let product = self.f._mm512_add_epi32(power, self.dword(by));
                    self.f._mm512_add_round_ps::<QUIET>(self.f._mm512_castsi512_ps(product), a)
                } else {
                    let power = self.f._mm512_castsi512_ps(power);
                    self.f._mm512_fmadd_round_ps::<QUIET>(power, self.float(factor), a)
                }
            }};
        }
        match ROUND {
            _MM_FROUND_TO_ZERO => by!(_MM_FROUND_TO_ZERO),
            _MM_FROUND_TO_POS_INF => by!(_MM_FROUND_TO_POS_INF),
            _MM_FROUND_TO_NEG_INF => by!(_MM_FROUND_TO_NEG_INF),
            _ => by!(_MM_FROUND_TO_NEAREST_INT),
        }
    }

    /// Positive numbers with the signs of others.
    #[inline(always)]
    pub(super) fn with_sign_of(self, v: __m512, signs: __m512) -> __m512 {
        let (v, signs) = (self.f._mm512_castps_si512(v), self.f._mm512_castps_si512(signs));
        // v OR (signs AND the top bit)
        let v = self.f._mm512_ternarylogic_epi32::<0xf8>(v, signs, self.dword(1 << 31));
        self.f._mm512_castsi512_ps(v)
    }

    /// A float of these bits in every lane.
    #[inline(always)]
    pub(super) fn float(self, bits: u32) -> __m512 {
        self.f._mm512_castsi512_ps(self.dword(bits))
    }
}

/// The next power of two of float32s, as [`Power`]s.
///
/// The exponent field is the code, and any fraction bit takes it one up: past the largest power it is
/// 255, for NaN 256, for what is below zero more. 2^-127 itself, a subnormal, is code 0, as is all
/// below it, and -0.
#[inline(always)]
pub(super) fn powers_of_floats(x: Features, v: __m512) -> Power {
    let bits = x.f._mm512_castps_si512(v);
    let above = x.f._mm512_cmpgt_epu32_mask(bits, x.dword(0x0040_0000));
    let counts = x.f._mm512_mask_cmpneq_epi32_mask(above, bits, x.dword(1 << 31));
    // One more than the exponent field of the number before, which cannot carry out of the dword.
    let before = x.f._mm512_srli_epi32::<23>(x.f._mm512_sub_epi32(bits, x.dword(1)));
    Power(x.f._mm512_maskz_add_epi32(counts, before, x.dword(1)))
}

/// The same of whole numbers, among which are neither subnormal ones nor -0, nor NaN.
#[inline(always)]
pub(super) fn powers_of_wholes(x: Features, v: __m512) -> Power {
    let up = x.f._mm512_add_epi32(x.f._mm512_castps_si512(v), x.dword(0x7f_ffff));
    Power(x.f._mm512_srli_epi32::<23>(up))
}

/// The same of float64s, by their high dwords: all that counts of the low ones is whether they are 0.
#[inline(always)]
pub(super) fn powers_of_doubles(x: Features, v: [__m512i; 2]) -> Power {
    let (low, high) = (x.low_dwords(v), x.high_dwords(v));
    let rest = x.f._mm512_test_epi32_mask(low, low);
    let high = x.f._mm512_mask_or_epi32(high, rest, high, x.dword(1));
    let counts = x.f._mm512_test_epi32_mask(high, x.dword(i32::MAX as u32));
    let before = x.f._mm512_srli_epi32::<20>(x.f._mm512_sub_epi32(high, x.dword(1)));
    let code = x.f._mm512_maskz_add_epi32(counts, before, x.dword(1));
    // From the exponent field's bias to the code's; what is past the largest power becomes 255.
    let code = x.f._mm512_min_epi32(code, x.dword(255 + 1023 - 127));
    let code = x.f._mm512_sub_epi32(code, x.dword(1023 - 127));
    let nan = x.f._mm512_mask_cmpgt_epu32_mask(counts, high, x.dword(0x7ff0_0000));
    Power(x.f._mm512_mask_mov_epi32(code, nan, x.dword(256)))
}

/// The codes of a quarter of powers of two.
#[inline(always)]
pub(super) fn power(x: Features, v: Power) -> __m128i {
    let past = x.f._mm512_cmpeq_epi32_mask(v.0, x.dword(255));
    let code = x.f._mm512_mask_mov_epi32(v.0, past, x.dword(254));
    let code = x.f._mm512_max_epi32(code, x.f._mm512_setzero_si512());
    x.f._mm512_cvtusepi32_epi8(code)
}

/// The codes of a step. Those that do not saturate have none below 0; of them 255 stays, which is NaN's code.
#[inline(always)]
pub(super) fn powers<const SATURATES: bool>(x: Features, [a, b, c, d]: [Power; 4]) -> __m512i {
    let [ab, cd] = both(
        [x.bw._mm512_packus_epi32(a.0, b.0), x.bw._mm512_packus_epi32(c.0, d.0)],
        #[inline(always)]
        |v| {
            if !SATURATES {
                return v;
            }
            let past = x.bw._mm512_cmpeq_epi16_mask(v, x.word(255));
            x.bw._mm512_mask_mov_epi16(v, past, x.word(254))
        },
    );
    x.unmix(x.bw._mm512_packus_epi16(ab, cd))
}
