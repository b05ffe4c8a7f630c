//! Loops for AVX-512 with VBMI, VBMI2 and BF16.

use core::arch::x86_64::*;

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;

/// For `vfixupimm`: NaN becomes 0. (A table has four bits for each of eight kinds, NaN's two first.)
const NAN_TO_ZERO: i32 = 0x88;

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(p: *const u8) -> __m512i {
    // SAFETY: the caller's: 64 bytes.
    unsafe { _mm512_loadu_si512(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn floats(p: *const u8) -> __m512 {
    // SAFETY: the caller's: 64 bytes.
    unsafe { _mm512_loadu_ps(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn doubles(p: *const u8) -> __m512d {
    // SAFETY: the caller's: 64 bytes.
    unsafe { _mm512_loadu_pd(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(p: *mut u8, v: __m512i) {
    // SAFETY: the caller's: 64 bytes.
    unsafe { _mm512_storeu_si512(p.cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_half(p: *const u8) -> __m256i {
    // SAFETY: the caller's: 32 bytes.
    unsafe { _mm256_loadu_si256(p.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_half(p: *mut u8, v: __m256i) {
    // SAFETY: the caller's: 32 bytes.
    unsafe { _mm256_storeu_si256(p.cast(), v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn join(low: __m256, high: __m256) -> __m512 {
    let low = _mm512_castpd256_pd512(_mm256_castps_pd(low));
    _mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(high)))
}

/// Float64s to float32s, rounded to odd at the bit of which `below` has all that are lower: a sum carries into it
/// if one of those is set, and the conversion cuts them off.
#[inline]
#[target_feature(enable = "avx512f")]
fn odd(v: __m512d, below: i64) -> __m256 {
    let bits = _mm512_castpd_si512(v);
    let carried = _mm512_add_epi64(bits, _mm512_set1_epi64(below));
    // bits OR (carried AND the bit)
    let bits = _mm512_ternarylogic_epi64::<0xf8>(bits, carried, _mm512_set1_epi64(below + 1));
    _mm512_cvt_roundpd_ps::<CUT>(_mm512_castsi512_pd(bits))
}

/// Integers without sign to float32s, rounded to odd: of the neighbours one is odd.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn odd_of_u64(v: __m512i) -> __m256i {
    let down = _mm256_castps_si256(_mm512_cvt_roundepu64_ps::<CUT>(v));
    let up = _mm256_castps_si256(_mm512_cvt_roundepu64_ps::<UP>(v));
    _mm256_ternarylogic_epi32::<0xf8>(down, up, _mm256_set1_epi32(1))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn odd_of_i32(v: __m512i) -> __m512 {
    let cut = _mm512_castps_si512(_mm512_cvt_roundepi32_ps::<CUT>(v));
    let up = _mm512_castps_si512(_mm512_cvt_roundepi32_ps::<UP>(v));
    let down = _mm512_castps_si512(_mm512_cvt_roundepi32_ps::<DOWN>(v));
    let odd = _mm512_ternarylogic_epi32::<0xa8>(_mm512_set1_epi32(1), up, down);
    _mm512_castsi512_ps(_mm512_or_si512(cut, odd))
}

/// Float32s to bfloat16s, `low` first. By integers: the instruction takes subnormals for 0, and what tells them from
/// zeros is as blind if the environment says so.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn brains(low: __m512, high: __m512) -> __m512i {
    let rounded = |v: __m512| {
        let bits = _mm512_castps_si512(v);
        let last = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
        let sum = _mm512_add_epi32(_mm512_add_epi32(bits, last), _mm512_set1_epi32(0x7fff));
        let sum = _mm512_castsi512_ps(sum);
        _mm512_castps_si512(_mm512_fixupimm_ps::<0>(sum, v, _mm512_set1_epi32(0x22)))
    };
    // The odd words of both.
    let mut order = [0u16; 32];
    for (i, at) in order.iter_mut().enumerate() {
        *at = 2 * i as u16 + 1;
    }
    // SAFETY: both types are 64 bytes of any bits.
    let order = unsafe { core::mem::transmute::<[u16; 32], __m512i>(order) };
    _mm512_permutex2var_epi16(rounded(low), order, rounded(high))
}

/// Integers that a conversion cut: what was past the largest is the lowest of all, and becomes the largest where the
/// number had no sign.
#[inline]
#[target_feature(enable = "avx512f")]
fn past_is_largest(cut: __m512i, v: __m512) -> __m512i {
    let past = _mm512_andnot_si512(_mm512_castps_si512(v), cut);
    _mm512_xor_si512(cut, _mm512_srai_epi32::<31>(past))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn int32s(v: __m512) -> __m512i {
    let v = _mm512_fixupimm_ps::<0>(v, v, _mm512_set1_epi32(NAN_TO_ZERO));
    past_is_largest(_mm512_cvttps_epi32(v), v)
}

/// Float32s as the dwords whose second byte is the code of float8_e4m3fn, but for the sign and NaN.
///
/// A power of two that is 2^20 times the number's own, plus 2^19 times the number, has the code's significand
/// in its lowest bits, rounded, and the exponent's in its high word; one sum of products brings them together.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn e4m3(v: __m512) -> __m512i {
    const LEAST_WITHOUT_SIGN: i32 = 0b1010;
    let size = _mm512_range_ps::<LEAST_WITHOUT_SIGN>(v, _mm512_set1_ps(448.0));
    let power = _mm512_and_si512(_mm512_castps_si512(size), _mm512_set1_epi32(0x7f80_0000));
    let power = _mm512_max_epi32(power, _mm512_set1_epi32((127 - 6) << 23));
    let power = _mm512_add_epi32(power, _mm512_set1_epi32(39 << 23));
    let scale = _mm512_set1_ps((1 << 19) as f32);
    let sum = _mm512_fmadd_round_ps::<NEAREST>(size, scale, _mm512_castsi512_ps(power));
    _mm512_madd_epi16(_mm512_castps_si512(sum), _mm512_set1_epi32(16 << 16 | 256))
}

loops! {
    "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,avx512bf16,avx2,fma,f16c,bmi2,popcnt":

    Float32 => Float16, 16: |src, dst| {
        store_half(dst, _mm512_cvtps_ph::<NEAREST>(floats(src)));
    }
    Float16 => Float32, 16: |src, dst| {
        store(dst, _mm512_castps_si512(_mm512_cvtph_ps(load_half(src))));
    }
    Float32 => BFloat16, 32: |src, dst| {
        store(dst, brains(floats(src), floats(src.add(64))));
    }
    BFloat16 => Float32, 16: |src, dst| {
        let v = _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(load_half(src)));
        let v = _mm512_castsi512_ps(v);
        // NaNs become quiet.
        let v = _mm512_fixupimm_ps::<0>(v, v, _mm512_set1_epi32(0x22));
        store(dst, _mm512_castps_si512(v));
    }
    Float16 => BFloat16, 32: |src, dst| {
        let (low, high) = (_mm512_cvtph_ps(load_half(src)), _mm512_cvtph_ps(load_half(src.add(32))));
        let v = _mm512_cvtne2ps_pbh(high, low);
        store(dst, core::mem::transmute::<__m512bh, __m512i>(v));
    }
    BFloat16 => Float16, 16: |src, dst| {
        let v = _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(load_half(src)));
        store_half(dst, _mm512_cvtps_ph::<NEAREST>(_mm512_castsi512_ps(v)));
    }
    Float64 => Float32, 8: |src, dst| {
        store_half(dst, _mm256_castps_si256(_mm512_cvt_roundpd_ps::<NEAREST>(doubles(src))));
    }
    Float64 => Float16, 16: |src, dst| {
        let v = join(odd(doubles(src), (1 << 40) - 1), odd(doubles(src.add(64)), (1 << 40) - 1));
        store_half(dst, _mm512_cvtps_ph::<NEAREST>(v));
    }
    Float64 => BFloat16, 32: |src, dst| {
        const BELOW: i64 = (1 << 43) - 1;
        let low = join(odd(doubles(src), BELOW), odd(doubles(src.add(64)), BELOW));
        let high = join(odd(doubles(src.add(128)), BELOW), odd(doubles(src.add(192)), BELOW));
        store(dst, brains(low, high));
    }
    Float32 => Int32, 16: |src, dst| {
        store(dst, int32s(floats(src)));
    }
    Float16 => Int32, 16: |src, dst| {
        store(dst, int32s(_mm512_cvtph_ps(load_half(src))));
    }
    Float32 => Int8, 64: |src, dst| {
        let one = |at| {
            let v = floats(src.add(at));
            let v = _mm512_fixupimm_ps::<0>(v, v, _mm512_set1_epi32(NAN_TO_ZERO));
            _mm512_cvttps_epi32(_mm512_min_ps(v, _mm512_set1_ps(127.0)))
        };
        let (a, b) = (_mm512_packs_epi32(one(0), one(64)), _mm512_packs_epi32(one(128), one(192)));
        let order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
        store(dst, _mm512_permutexvar_epi32(order, _mm512_packs_epi16(a, b)));
    }
    Float32 => Int64, 8: |src, dst| {
        let v = _mm256_loadu_ps(src.cast());
        let v = _mm256_fixupimm_ps::<0>(v, v, _mm256_set1_epi32(NAN_TO_ZERO));
        let past = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(v, _mm256_set1_ps(9_223_372_036_854_775_808.0));
        store(dst, _mm512_mask_mov_epi64(_mm512_cvttps_epi64(v), past, _mm512_set1_epi64(i64::MAX)));
    }
    Float32 => UInt64, 8: |src, dst| {
        let v = _mm256_max_ps(_mm256_loadu_ps(src.cast()), _mm256_setzero_ps());
        store(dst, _mm512_cvttps_epu64(v));
    }
    Float64 => Int32, 8: |src, dst| {
        let v = doubles(src);
        let v = _mm512_fixupimm_pd::<0>(v, v, _mm512_set1_epi64(NAN_TO_ZERO.into()));
        let v = _mm512_min_pd(v, _mm512_set1_pd(i32::MAX.into()));
        store_half(dst, _mm512_cvttpd_epi32(v));
    }
    Int64 => Float32, 8: |src, dst| {
        store_half(dst, _mm256_castps_si256(_mm512_cvt_roundepi64_ps::<NEAREST>(load(src))));
    }
    UInt64 => Float32, 8: |src, dst| {
        store_half(dst, _mm256_castps_si256(_mm512_cvt_roundepu64_ps::<NEAREST>(load(src))));
    }
    Int64 => Float64, 8: |src, dst| {
        store(dst, _mm512_castpd_si512(_mm512_cvt_roundepi64_pd::<NEAREST>(load(src))));
    }
    Int64 => Float16, 16: |src, dst| {
        let low = _mm512_cvt_roundepi64_ps::<NEAREST>(load(src));
        let high = _mm512_cvt_roundepi64_ps::<NEAREST>(load(src.add(64)));
        store_half(dst, _mm512_cvtps_ph::<NEAREST>(join(low, high)));
    }
    Int64 => BFloat16, 16: |src, dst| {
        let one = |at| {
            let v = load(src.add(at));
            let size = odd_of_u64(_mm512_abs_epi64(v));
            let sign = _mm512_movepi64_mask(v);
            let v = _mm256_mask_or_epi32(size, sign, size, _mm256_set1_epi32(i32::MIN));
            _mm256_castsi256_ps(v)
        };
        let v = _mm512_cvtneps_pbh(join(one(0), one(64)));
        store_half(dst, core::mem::transmute::<__m256bh, __m256i>(v));
    }
    UInt64 => BFloat16, 16: |src, dst| {
        let one = |at| _mm256_castsi256_ps(odd_of_u64(load(src.add(at))));
        let v = _mm512_cvtneps_pbh(join(one(0), one(64)));
        store_half(dst, core::mem::transmute::<__m256bh, __m256i>(v));
    }
    Int32 => Float16, 16: |src, dst| {
        store_half(dst, _mm512_cvtps_ph::<NEAREST>(_mm512_cvtepi32_ps(load(src))));
    }
    Int32 => BFloat16, 32: |src, dst| {
        let v = _mm512_cvtne2ps_pbh(odd_of_i32(load(src.add(64))), odd_of_i32(load(src)));
        store(dst, core::mem::transmute::<__m512bh, __m512i>(v));
    }
    Int32 => Int8, 64: |src, dst| {
        let one = |at| _mm512_and_si512(load(src.add(at)), _mm512_set1_epi32(0xff));
        let (a, b) = (_mm512_packus_epi32(one(0), one(64)), _mm512_packus_epi32(one(128), one(192)));
        let order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
        store(dst, _mm512_permutexvar_epi32(order, _mm512_packus_epi16(a, b)));
    }
    UInt8 => Float32, 16: |src, dst| {
        let v = _mm512_cvtepu8_epi32(_mm_loadu_si128(src.cast()));
        store(dst, _mm512_castps_si512(_mm512_cvtepi32_ps(v)));
    }
    Float32 => Float8E4M3Fn, 64, no_nan: |src, dst| {
        let v = [floats(src), floats(src.add(64)), floats(src.add(128)), floats(src.add(192))];
        // Of codes the second byte of each dword, of numbers the sign.
        let (a, b) = (_mm512_srli_epi32::<8>(e4m3(v[0])), _mm512_srli_epi32::<8>(e4m3(v[1])));
        let (c, d) = (_mm512_srli_epi32::<8>(e4m3(v[2])), _mm512_srli_epi32::<8>(e4m3(v[3])));
        let byte = _mm512_set1_epi32(0xff);
        let ab = _mm512_packus_epi32(_mm512_and_si512(a, byte), _mm512_and_si512(b, byte));
        let cd = _mm512_packus_epi32(_mm512_and_si512(c, byte), _mm512_and_si512(d, byte));
        let codes = _mm512_packus_epi16(ab, cd);
        let [a, b, c, d] = v.map(|v| _mm512_castps_si512(v));
        let signs = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
        let codes = _mm512_ternarylogic_epi32::<0xca>(_mm512_set1_epi8(0x7f), codes, signs);
        let order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
        store(dst, _mm512_permutexvar_epi32(order, codes));
    }
    Int8 => Float16, 32: |src, dst| {
        let one = |at| {
            let v = _mm512_cvtepi8_epi32(_mm_loadu_si128(src.add(at).cast()));
            _mm512_cvtps_ph::<NEAREST>(_mm512_cvtepi32_ps(v))
        };
        store_half(dst, one(0));
        store_half(dst.add(32), one(16));
    }
    Complex64 => Float32, 16: |src, dst| {
        let order = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        store(dst, _mm512_permutex2var_epi32(load(src), order, load(src.add(64))));
    }
    Float32 => Complex64, 8: |src, dst| {
        store(dst, _mm512_cvtepu32_epi64(load_half(src)));
    }
    Bool => Float16, 32: |src, dst| {
        let v = _mm512_cvtepu8_epi16(load_half(src));
        let one = _mm512_set1_epi16(0x3c00);
        store(dst, _mm512_maskz_mov_epi16(_mm512_test_epi16_mask(v, v), one));
    }
    Float16 => Bool, 64: |src, dst| {
        let size = _mm512_set1_epi16(0x7fff);
        let low = _mm512_test_epi16_mask(load(src), size);
        let high = _mm512_test_epi16_mask(load(src.add(64)), size);
        let set = u64::from(low) | u64::from(high) << 32;
        store(dst, _mm512_maskz_mov_epi8(set, _mm512_set1_epi8(1)));
    }
    Float8E5M2 => Float16, 64: |src, dst| {
        let v = load(src);
        // What is added to 0x7c (infinity) to 0x7f: NaNs become 0x7e.
        let more = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        let size = _mm512_and_si512(v, _mm512_set1_epi8(0x7f));
        let past = _mm512_subs_epu8(size, _mm512_set1_epi8(0x7c));
        let v = _mm512_add_epi8(v, _mm512_shuffle_epi8(more, past));
        let (low, high) = (_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v));
        store(dst, _mm512_slli_epi16::<8>(_mm512_cvtepu8_epi16(low)));
        store(dst.add(64), _mm512_slli_epi16::<8>(_mm512_cvtepu8_epi16(high)));
    }
    // What follows does little but store.
    Int8 => Int32, 16: |src, dst| {
        store(dst, _mm512_cvtepi8_epi32(_mm_loadu_si128(src.cast())));
    }
    Int8 => Int64, 8: |src, dst| {
        store(dst, _mm512_cvtepi8_epi64(_mm_loadl_epi64(src.cast())));
    }
    Int16 => Int64, 8: |src, dst| {
        store(dst, _mm512_cvtepi16_epi64(_mm_loadu_si128(src.cast())));
    }
    Bool => UInt64, 8: |src, dst| {
        let v = _mm_min_epu8(_mm_loadl_epi64(src.cast()), _mm_set1_epi8(1));
        store(dst, _mm512_cvtepu8_epi64(v));
    }
    Bool => UInt32, 16: |src, dst| {
        let v = _mm_min_epu8(_mm_loadu_si128(src.cast()), _mm_set1_epi8(1));
        store(dst, _mm512_cvtepu8_epi32(v));
    }
    UInt8 => Float64, 8: |src, dst| {
        let v = _mm256_cvtepu8_epi32(_mm_loadl_epi64(src.cast()));
        store(dst, _mm512_castpd_si512(_mm512_cvtepi32_pd(v)));
    }
    Int16 => Float64, 8: |src, dst| {
        let v = _mm256_cvtepi16_epi32(_mm_loadu_si128(src.cast()));
        store(dst, _mm512_castpd_si512(_mm512_cvtepi32_pd(v)));
    }
    Float8E4M3Fn => Float64, 16, no_nan: |src, dst| {
        // As float16 it has another bias.
        let v = _mm256_cvtepi8_epi16(_mm_loadu_si128(src.cast()));
        let v = _mm256_and_si256(_mm256_slli_epi16::<7>(v), _mm256_set1_epi16(0xbfff_u16 as i16));
        let v = _mm512_mul_ps(_mm512_cvtph_ps(v), _mm512_set1_ps(256.0));
        let [low, high] = [v, _mm512_shuffle_f32x4::<0x0e>(v, v)].map(|v| _mm512_castps512_ps256(v));
        store(dst, _mm512_castpd_si512(_mm512_cvtps_pd(low)));
        store(dst.add(64), _mm512_castpd_si512(_mm512_cvtps_pd(high)));
    }
    Int4x2 => Int64, 8: |src, dst| {
        let v = _mm512_set1_epi64(src.cast::<u32>().read_unaligned().into());
        let places = _mm512_set_epi64(32, 36, 40, 44, 48, 52, 56, 60);
        store(dst, _mm512_srai_epi64::<60>(_mm512_sllv_epi64(v, places)));
    }
    UInt2x4 => Int64, 8: |src, dst| {
        let v = _mm512_set1_epi64(src.cast::<u16>().read_unaligned().into());
        let v = _mm512_srlv_epi64(v, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0));
        store(dst, _mm512_and_si512(v, _mm512_set1_epi64(3)));
    }
    UInt2x4 => Float32, 16: |src, dst| {
        let v = _mm512_set1_epi32(src.cast::<i32>().read_unaligned());
        let places = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        let v = _mm512_and_si512(_mm512_srlv_epi32(v, places), _mm512_set1_epi32(3));
        store(dst, _mm512_castps_si512(_mm512_cvtepi32_ps(v)));
    }
    Bool1x8 => Int64, 8: |src, dst| {
        store(dst, _mm512_maskz_mov_epi64(src.read(), _mm512_set1_epi64(1)));
    }
    Int1x8 => Float32, 16: |src, dst| {
        let minus_one = _mm512_castps_si512(_mm512_set1_ps(-1.0));
        store(dst, _mm512_maskz_mov_epi32(src.cast::<u16>().read_unaligned(), minus_one));
    }
    Bool1x8 => Float16, 32: |src, dst| {
        let one = _mm512_set1_epi16(0x3c00);
        store(dst, _mm512_maskz_mov_epi16(src.cast::<u32>().read_unaligned(), one));
    }
    Int1x8 => Float8E4M3Fn, 64: |src, dst| {
        let minus_one = _mm512_set1_epi8(0xb8_u8 as i8);
        store(dst, _mm512_maskz_mov_epi8(src.cast::<u64>().read_unaligned(), minus_one));
    }
}
