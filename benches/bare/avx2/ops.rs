//! What the loops for AVX2 do with registers. No function needs more of the caller than that the CPU has AVX2, F16C
//! and FMA, and that pointers are valid for so many bytes as it says.

use core::arch::x86_64::*;

pub(super) const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;
pub(super) const TRUNCATE: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

/// Puts the qwords in order that a pack by lanes of 128 bits leaves as 0, 2, 1, 3.
pub(super) const IN_ORDER: i32 = 0b11_01_10_00;

pub(super) const TWO_31: f32 = (1u64 << 31) as f32;
pub(super) const TWO_32: f64 = (1u64 << 32) as f64;
pub(super) const TWO_52: f64 = (1u64 << 52) as f64;
pub(super) const TWO_63: f64 = (1u64 << 63) as f64;
pub(super) const TWO_84: f64 = (1u128 << 84) as f64;

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load(p: *const u8) -> __m256i {
    // SAFETY: the caller's: 32 bytes.
    unsafe { _mm256_loadu_si256(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load_half(p: *const u8) -> __m128i {
    // SAFETY: the caller's: 16 bytes.
    unsafe { _mm_loadu_si128(p.cast()) }
}

/// 16 bytes in both lanes: no work for the ports that shuffle.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load_twice(p: *const u8) -> __m256i {
    // SAFETY: the caller's: 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { load_half(p) })
}

/// A lane each from two places.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load_lanes(low: *const u8, high: *const u8) -> __m256i {
    // SAFETY: the caller's: 16 bytes each.
    unsafe { _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load_half(low)), load_half(high)) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load_ps(p: *const u8) -> __m256 {
    // SAFETY: the caller's: 32 bytes.
    unsafe { _mm256_loadu_ps(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load_pd(p: *const u8) -> __m256d {
    // SAFETY: the caller's: 32 bytes.
    unsafe { _mm256_loadu_pd(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load_halves(p: *const u8) -> __m256 {
    // SAFETY: the caller's: 16 bytes, and the CPU has F16C, as it has for all the loops.
    unsafe { _mm256_cvtph_ps(load_half(p)) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn store(p: *mut u8, v: __m256i) {
    // SAFETY: the caller's: 32 bytes.
    unsafe { _mm256_storeu_si256(p.cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn store_half(p: *mut u8, v: __m128i) {
    // SAFETY: the caller's: 16 bytes.
    unsafe { _mm_storeu_si128(p.cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bits(v: __m256) -> __m256i {
    _mm256_castps_si256(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn ps(v: __m256i) -> __m256 {
    _mm256_castsi256_ps(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bits_pd(v: __m256d) -> __m256i {
    _mm256_castpd_si256(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn pd(v: __m256i) -> __m256d {
    _mm256_castsi256_pd(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all8(v: i8) -> __m256i {
    _mm256_set1_epi8(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all16(v: i16) -> __m256i {
    _mm256_set1_epi16(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all32(v: i32) -> __m256i {
    _mm256_set1_epi32(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all64(v: i64) -> __m256i {
    _mm256_set1_epi64x(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all_ps(v: f32) -> __m256 {
    _mm256_set1_ps(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all_pd(v: f64) -> __m256d {
    _mm256_set1_pd(v)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn and(a: __m256i, b: __m256i) -> __m256i {
    _mm256_and_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn or(a: __m256i, b: __m256i) -> __m256i {
    _mm256_or_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

/// What is in `b` and not in `a`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn andnot(a: __m256i, b: __m256i) -> __m256i {
    _mm256_andnot_si256(a, b)
}

/// A row of 16 in both lanes, for look-ups.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn row(row: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes.
    unsafe { load_twice(row.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn constant(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes.
    unsafe { load(bytes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn join(low: __m128, high: __m128) -> __m256 {
    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
}

/// Sixteen bfloat16s of float32s whose upper words are `high` and lower words `low`, in any order; for NaN, which
/// `nan` tells, the upper word.
///
/// Words are rounded up if the lower one is above half, or half and the upper one odd: as signed numbers, if the lower
/// word less half is not below 1 less what is odd.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn rounded(high: __m256i, low: __m256i, nan: __m256i) -> __m256i {
    let over = _mm256_adds_epi16(xor(low, all16(i16::MIN)), and(high, all16(1)));
    let up = _mm256_cmpgt_epi16(or(over, nan), _mm256_setzero_si256());
    _mm256_sub_epi16(high, up)
}

/// For words of eight dwords and of the next eight in turns: all of the first, then all of the second.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn out_of_turns(words: __m256i) -> __m256i {
    const EVEN_ODD: [u8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
    _mm256_permute4x64_epi64::<IN_ORDER>(_mm256_shuffle_epi8(words, row(&EVEN_ODD)))
}

/// Sixteen bfloat16s of quiet float32s.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn to_brain(a: __m256i, b: __m256i) -> __m256i {
    let high = _mm256_blend_epi16::<0xaa>(_mm256_srli_epi32::<16>(a), b);
    let low = _mm256_blend_epi16::<0xaa>(a, _mm256_slli_epi32::<16>(b));
    let nan = _mm256_cmpgt_epi16(and(high, all16(i16::MAX)), all16(0x7f80));
    out_of_turns(rounded(high, low, nan))
}

/// Float64 with 24 bits, the last of which is set if any was after it: what is rounded once more, to fewer than 23
/// bits, comes to the same. The low dword becomes 0 or 1, and is shifted to the last place of float32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn odd(p: *const u8) -> __m128 {
    // SAFETY: the caller's: 32 bytes.
    let v = _mm256_min_epu32(unsafe { load(p) }, all64(-1 << 32 | 1));
    _mm256_cvtpd_ps(pd(_mm256_sllv_epi32(v, all64(29))))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn odd8(p: *const u8) -> __m256 {
    // SAFETY: the caller's: 64 bytes.
    unsafe { join(odd(p), odd(p.add(32))) }
}

/// Float64 to float32 with ten bits and an eleventh that is set if any was after them: exact in float32's subnormals,
/// too, as far as bfloat16 has any.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn odd_10(v: __m256i) -> __m128 {
    const LAST: i64 = 1 << 43;
    let any = and(_mm256_add_epi64(v, all64(LAST - 1)), all64(LAST));
    _mm256_cvtpd_ps(pd(and(or(v, any), all64(-LAST))))
}

/// An encoder to a float of 8 bits: see `codes`.
pub(super) struct Small {
    pub(super) largest: f32,
    /// The number that would have the code of NaN.
    pub(super) nan: f32,
    /// The smallest normal number.
    pub(super) least: f32,
    pub(super) factor: f32,
    pub(super) weights: i32,
}

pub(super) const E4M3: Small = Small {
    largest: 448.0,
    nan: 480.0,
    least: 1.0 / 64.0,
    factor: factor(3, -6),
    weights: 16 << 16 | 256,
};

pub(super) const E5M2: Small = Small {
    largest: 57344.0,
    nan: 98304.0,
    least: 1.0 / 16384.0,
    factor: factor(2, -14),
    weights: 8 << 16 | 256,
};

pub(super) const fn factor(mantissa_bits: i32, min_exponent: i32) -> f32 {
    let offset = -(1 << mantissa_bits) * (min_exponent + 150 - mantissa_bits);
    f32::from_bits((((150 - mantissa_bits) << 23) + (1 << 16) + offset) as u32)
}

/// 256 times the codes of magnitudes: the sum has the last place of the destination, so that it is rounded, and its
/// own exponent; a weighted sum of its words is the code.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn codes(x: __m256, to: &Small) -> __m256i {
    let magnitude = ps(and(bits(x), all32(i32::MAX)));
    // A minimum is its second operand if one is NaN.
    let number = _mm256_min_ps(_mm256_min_ps(all_ps(to.largest), magnitude), all_ps(to.nan));
    let power = and(bits(number), all32(0xff << 23));
    let power = _mm256_max_epi32(power, bits(all_ps(to.least)));
    let sum = _mm256_fmadd_ps(ps(power), all_ps(to.factor), number);
    _mm256_madd_epi16(bits(sum), all32(to.weights))
}

/// Puts the dwords in order that two packs by lanes of 128 bits have left.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn packed_in_order(v: __m256i) -> __m256i {
    _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn to_small([a, b, c, d]: [__m256; 4], to: &Small) -> __m256i {
    let ab = _mm256_srli_epi16::<8>(_mm256_packus_epi32(codes(a, to), codes(b, to)));
    let cd = _mm256_srli_epi16::<8>(_mm256_packus_epi32(codes(c, to), codes(d, to)));
    let (signs_ab, signs_cd) =
        (_mm256_packs_epi32(bits(a), bits(b)), _mm256_packs_epi32(bits(c), bits(d)));
    let signs = and(_mm256_packs_epi16(signs_ab, signs_cd), all8(i8::MIN));
    packed_in_order(or(_mm256_packus_epi16(ab, cd), signs))
}

/// To the nearest float64: the high dword is put into the fraction of 2^84, the low one into that of 2^52.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn u64_to_pd(v: __m256i) -> __m256d {
    let high = or(_mm256_srli_epi64::<32>(v), bits_pd(all_pd(TWO_84)));
    let low = _mm256_blend_epi32::<0xaa>(v, bits_pd(all_pd(TWO_52)));
    _mm256_add_pd(_mm256_sub_pd(pd(high), all_pd(TWO_84 + TWO_52)), pd(low))
}

/// The same with 2^63 more, which is taken away again.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn i64_to_pd(v: __m256i) -> __m256d {
    let high = xor(_mm256_srli_epi64::<32>(v), all64(TWO_84.to_bits() as i64 | 1 << 31));
    let low = _mm256_blend_epi32::<0xaa>(v, bits_pd(all_pd(TWO_52)));
    _mm256_add_pd(_mm256_sub_pd(pd(high), all_pd(TWO_84 + TWO_63 + TWO_52)), pd(low))
}

/// Clears the bits of a mask in the low words, and leaves the number odd above them if any was set: the addition
/// stops at the word's largest number.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn gathered(v: __m256i, mask: __m256i) -> __m256i {
    andnot(mask, _mm256_adds_epu16(v, mask))
}

/// With 52 bits or fewer, so that float64 is exact, and rounding that to float32 is rounding once.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn gathered_i64(v: __m256i) -> __m256i {
    let large = _mm256_cmpgt_epi32(_mm256_abs_epi32(v), all32(256));
    gathered(v, _mm256_srli_epi64::<52>(large))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn gathered_u64(v: __m256i) -> __m256i {
    gathered(v, _mm256_sign_epi16(all64(0xfff), _mm256_srli_epi64::<49>(v)))
}

/// An integer rounded to the 8 bits of bfloat16, which are the last of a float64 that is so much larger.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn i64_to_eight_bits(v: __m256i) -> __m128 {
    let x = i64_to_pd(gathered_i64(v));
    let power = _mm256_and_pd(x, all_pd(f64::INFINITY));
    let summand = all_pd(1.5 * (1u64 << 45) as f64);
    let sum = _mm256_fmadd_pd(power, summand, x);
    _mm256_cvtpd_ps(_mm256_fnmadd_pd(power, summand, sum))
}

/// Eight 32-bit integers of float32s: out of range the conversion gives the lowest one, and its complement is the
/// highest.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn to_i32(x: __m256) -> __m256i {
    let above = bits(_mm256_cmp_ps::<_CMP_NLT_US>(x, all_ps(TWO_31)));
    let number = bits(_mm256_cmp_ps::<_CMP_ORD_Q>(x, x));
    and(xor(_mm256_cvttps_epi32(x), above), number)
}

/// Clamped, with a NaN as the lowest 32-bit integer: a minimum or maximum is its second operand if that is NaN.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn clamped(x: __m256, least: f32, largest: f32) -> __m256i {
    _mm256_cvttps_epi32(_mm256_max_ps(all_ps(least), _mm256_min_ps(all_ps(largest), x)))
}

/// Words of sixteen float32s, clamped to 8 bits. What has become the lowest word was NaN.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn to_byte_words(a: __m256, b: __m256) -> __m256i {
    let words = _mm256_packs_epi32(clamped(a, -128.0, 127.0), clamped(b, -128.0, 127.0));
    andnot(_mm256_cmpeq_epi16(words, all16(i16::MIN)), words)
}

/// Words with 8 bits each: two 4-bit integers of 32 float32s.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn nibbles(p: *const u8) -> __m256i {
    // SAFETY: the caller's: 128 bytes.
    let (a, b, c, d) =
        unsafe { (load_ps(p), load_ps(p.add(32)), load_ps(p.add(64)), load_ps(p.add(96))) };
    let ab = _mm256_packs_epi32(clamped(a, -8.0, 7.0), clamped(b, -8.0, 7.0));
    let cd = _mm256_packs_epi32(clamped(c, -8.0, 7.0), clamped(d, -8.0, 7.0));
    // NaN has become -128, of which these bits are 0.
    _mm256_maddubs_epi16(and(_mm256_packs_epi16(ab, cd), all8(15)), all16(0x1001))
}

/// Sixteen float16s cut to integers of at most 255, signed.
///
/// Below 256 and from 1 on, `power` is the power of two below the number, and its fraction times that is the rest.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn cut_halves(v: __m256i) -> __m256i {
    const POWERS: [u8; 16] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0];
    let magnitude = and(v, all16(i16::MAX));
    let number = andnot(_mm256_cmpgt_epi16(magnitude, all16(0x7c00)), magnitude);
    let most = _mm256_min_epi16(number, all16(0x5bff));
    let place = _mm256_srli_epi16::<10>(_mm256_subs_epu16(most, all16(14 << 10)));
    let power = _mm256_shuffle_epi8(row(&POWERS), place);
    let rest = _mm256_mulhi_epu16(_mm256_slli_epi16::<6>(most), power);
    _mm256_sign_epi16(_mm256_add_epi16(power, rest), v)
}

/// Where a float8_e4m3fn of that magnitude is in tables: subnormals have places from 0 to 7, other numbers are at 8,
/// NaN at 9.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn place(magnitude: __m256i) -> __m256i {
    _mm256_add_epi8(_mm256_min_epu8(magnitude, all8(8)), _mm256_subs_epu8(magnitude, all8(0x7e)))
}

/// A table for [`place`].
pub(super) const fn places(subnormals: [u8; 8], normal: u8, nan: u8) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h] = subnormals;
    [a, b, c, d, e, f, g, h, normal, nan, 0, 0, 0, 0, 0, 0]
}

/// What magnitudes of float16s are more than 2^-10, up to which all is zero, but no more than 448 is.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn key(magnitude: __m256i) -> __m256i {
    _mm256_subs_epu16(_mm256_min_epi16(magnitude, all16(0x5f00)), all16(0x1400))
}

/// For high bytes of keys below 16: what the code is more than twice the high byte less 24, and the last low byte,
/// with its sign turned over, that gives that code and not the next one; less 0x40 with its sign turned over.
pub(super) const KEYS: ([u8; 16], [u8; 16]) = {
    let (mut more, mut last) = ([0; 16], [0; 16]);
    let mut high = 0;
    while high < 16 {
        // In eighths of the smallest number, in units of which codes are rounded.
        let eighths = (4 + high % 4) << (high / 4);
        let (whole, rest) = (eighths / 8, eighths % 8);
        let code = whole + (rest > 4 || rest == 4 && whole % 2 == 1) as usize;
        let low = (((code * 8 + 4 - eighths) * 256) >> (high / 4)) as i32 - (code % 2) as i32;
        let low = if low > 255 { 255 } else { low as u8 };
        more[high] = (code as u8).wrapping_sub((high as u8 * 2).wrapping_sub(24));
        last[high] = low.wrapping_sub(0x40);
        high += 1;
    }
    (more, last)
};

/// 32 floats of 6 bits in the upper bits of a byte each, with anything below.
///
/// Of three bytes the first two make a word and the last two another, in which the numbers are two bits apart from
/// where they should be, or are there.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sixes(p: *const u8) -> __m256i {
    const PAIRS: [u8; 32] = [
        0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11, //
        4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14, 14, 15,
    ];
    // SAFETY: the caller's: 24 bytes.
    let v = unsafe { load_lanes(p, p.add(8)) };
    let words = _mm256_mullo_epi16(_mm256_shuffle_epi8(v, constant(&PAIRS)), all32(0x0001_0010));
    or(and(words, all16(-256)), and(_mm256_srli_epi16::<2>(words), all16(255)))
}

/// The bits of 64-bit integers of magnitude 2^64 at most, as float64s: the number in units of 2^32, and the rest, each
/// in the last places of a large number, whose own bits cancel each other.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn split(x: __m256d) -> __m256i {
    const MAGIC: f64 = 1.5 * TWO_52;
    const LESS: f64 = MAGIC - 0x4338_0000 as f64;
    let high = _mm256_fmadd_pd(x, all_pd(1.0 / TWO_32), all_pd(LESS));
    let low = _mm256_fnmadd_pd(_mm256_sub_pd(high, all_pd(LESS)), all_pd(TWO_32), x);
    let low = _mm256_add_pd(low, all_pd(MAGIC));
    _mm256_add_epi64(_mm256_slli_epi64::<32>(bits_pd(high)), bits_pd(low))
}

/// Stores 32 bfloat16s, given by their low and their high bytes, as float32s: the upper words of dwords. The bytes
/// stand as [`in_turns`] leaves them.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn store_brains(dst: *mut u8, low: __m256i, high: __m256i) {
    let zero = _mm256_setzero_si256();
    let (a, b) = (_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high));
    // SAFETY: the caller's: 128 bytes.
    unsafe {
        store(dst, _mm256_unpacklo_epi16(zero, a));
        store(dst.add(32), _mm256_unpackhi_epi16(zero, a));
        store(dst.add(64), _mm256_unpacklo_epi16(zero, b));
        store(dst.add(96), _mm256_unpackhi_epi16(zero, b));
    }
}

/// Puts dwords so that [`store_brains`] leaves them in order.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn in_turns(v: __m256i) -> __m256i {
    _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7))
}

/// Puts words of the lower and of the upper half of a lane in turns.
pub(super) const TURNS: [u8; 16] = [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15];

/// The even dwords of two vectors.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn even_dwords(p: *const u8) -> __m256i {
    // SAFETY: the caller's: 64 bytes.
    let v = unsafe { _mm256_shuffle_ps::<0x88>(load_ps(p), load_ps(p.add(32))) };
    _mm256_permute4x64_epi64::<IN_ORDER>(bits(v))
}
