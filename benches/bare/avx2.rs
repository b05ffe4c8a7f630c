//! Loops for AVX2 with F16C and FMA.
//!
//! They are written for cores with three vector ports, where a variable blend is three operations and a shuffle
//! across lanes goes to one port only: so masks are used by AND and OR, and loads put halves where they belong.

mod ops;

use core::arch::x86_64::*;
use ops::*;

loops! {
    "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt":

    Float32 => Float16, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(16 * i));
            store_half(dst, _mm256_cvtps_ph::<NEAREST>(load_ps(src)));
        }
    }
    UInt8 => Float32, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(8 * i), dst.add(32 * i));
            let v = _mm256_cvtepu8_epi32(_mm_loadl_epi64(src.cast()));
            store(dst, bits(_mm256_cvtepi32_ps(v)));
        }
    }
    Float32 => BFloat16, 32: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(64 * i), dst.add(32 * i));
            let (a, b) = (load(src), load(src.add(32)));
            // Loads two bytes aside are shifts.
            let high = _mm256_blend_epi16::<0xaa>(load(src.add(2)), b);
            let low = _mm256_blend_epi16::<0xaa>(a, load(src.add(30)));
            let nan = [a, b].map(|v| bits(_mm256_cmp_ps::<_CMP_UNORD_Q>(ps(v), ps(v))));
            let nan = _mm256_blend_epi16::<0xaa>(nan[0], nan[1]);
            let quiet = and(nan, all16(0x40));
            store(dst, out_of_turns(or(rounded(high, low, nan), quiet)));
        }
    }
    BFloat16 => Float16, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(16 * i), dst.add(16 * i));
            const UPPER: [u8; 32] = [
                128, 128, 0, 1, 128, 128, 2, 3, 128, 128, 4, 5, 128, 128, 6, 7, //
                128, 128, 8, 9, 128, 128, 10, 11, 128, 128, 12, 13, 128, 128, 14, 15,
            ];
            let v = _mm256_shuffle_epi8(load_twice(src), constant(&UPPER));
            store_half(dst, _mm256_cvtps_ph::<NEAREST>(ps(v)));
        }
    }
    Float16 => BFloat16, 16: |src, dst| {
        store(dst, to_brain(bits(load_halves(src)), bits(load_halves(src.add(16)))));
    }
    Float64 => Float32, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(16 * i));
            _mm_storeu_ps(dst.cast(), _mm256_cvtpd_ps(load_pd(src)));
        }
    }
    Float64 => Float16, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(64 * i), dst.add(16 * i));
            store_half(dst, _mm256_cvtps_ph::<NEAREST>(odd8(src)));
        }
    }
    Float64 => BFloat16, 16: |src, dst| {
        let four = [0, 32, 64, 96].map(|at| odd_10(load(src.add(at))));
        let (a, b) = (join(four[0], four[1]), join(four[2], four[3]));
        store(dst, to_brain(bits(a), bits(b)));
    }
    Float64 => Float8E4M3Fn, 32: |src, dst| {
        let four = [odd8(src), odd8(src.add(64)), odd8(src.add(128)), odd8(src.add(192))];
        store(dst, to_small(four, &E4M3));
    }
    Int64 => Float64, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(32 * i));
            store(dst, bits_pd(i64_to_pd(load(src))));
        }
    }
    UInt64 => Float64, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(32 * i));
            store(dst, bits_pd(u64_to_pd(load(src))));
        }
    }
    Int64 => Float32, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(16 * i));
            let v = _mm256_cvtpd_ps(i64_to_pd(gathered_i64(load(src))));
            _mm_storeu_ps(dst.cast(), v);
        }
    }
    UInt64 => Float32, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(16 * i));
            let v = _mm256_cvtpd_ps(u64_to_pd(gathered_u64(load(src))));
            _mm_storeu_ps(dst.cast(), v);
        }
    }
    Float64 => Int64, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(32 * i));
            let x = load_pd(src);
            let number = bits_pd(_mm256_cmp_pd::<_CMP_ORD_Q>(x, x));
            // Positive floats compare as their bits.
            let above = _mm256_cmpgt_epi64(bits_pd(x), all64(TWO_63.to_bits() as i64 - 1));
            let y = _mm256_max_pd(all_pd(-TWO_63), _mm256_min_pd(all_pd(TWO_63), x));
            // 2^63 has the bits of the lowest integer: their complement is the highest.
            store(dst, and(xor(split(_mm256_round_pd::<TRUNCATE>(y)), above), number));
        }
    }
    Float64 => UInt64, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(32 * i));
            // The significand at the top, shifted to its place: 2^63 is there.
            let x = bits_pd(_mm256_max_pd(load_pd(src), _mm256_setzero_pd()));
            let above = _mm256_cmpgt_epi64(x, all64((TWO_63 * 2.0).to_bits() as i64 - 1));
            let by = _mm256_subs_epu16(all64(1023 + 63), _mm256_srli_epi64::<52>(x));
            let significand = or(_mm256_slli_epi64::<11>(x), all64(i64::MIN));
            store(dst, _mm256_srlv_epi64(or(significand, above), by));
        }
    }
    Float32 => UInt64, 16: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(32 * i), dst.add(64 * i));
            // The same; the lower dwords are zero.
            let x = _mm256_castsi256_pd(load(src));
            let x = ps(bits_pd(_mm256_permute4x64_pd::<IN_ORDER>(x)));
            let x = bits(_mm256_max_ps(x, _mm256_setzero_ps()));
            let above = _mm256_cmpgt_epi32(x, all32((191 << 23) - 1));
            let by = _mm256_subs_epu16(all32(127 + 63), _mm256_srli_epi32::<23>(x));
            let high = or(or(_mm256_slli_epi32::<8>(x), all32(i32::MIN)), above);
            let zero = _mm256_setzero_si256();
            let (a, b) = (_mm256_unpacklo_epi32(above, high), _mm256_unpackhi_epi32(above, high));
            store(dst, _mm256_srlv_epi64(a, _mm256_unpacklo_epi32(by, zero)));
            store(dst.add(32), _mm256_srlv_epi64(b, _mm256_unpackhi_epi32(by, zero)));
        }
    }
    Int64 => BFloat16, 16: |src, dst| {
        let four = [0, 32, 64, 96].map(|at| i64_to_eight_bits(load(src.add(at))));
        // Lanes so that packing leaves all in order.
        let (a, b) = (bits(join(four[0], four[2])), bits(join(four[1], four[3])));
        let v = _mm256_packus_epi32(_mm256_srli_epi32::<16>(a), _mm256_srli_epi32::<16>(b));
        store(dst, v);
    }
    Float32 => Float8E4M3Fn, 32: |src, dst| {
        store(dst, to_small([0, 32, 64, 96].map(|at| load_ps(src.add(at))), &E4M3));
    }
    Float32 => Float8E5M2, 32: |src, dst| {
        store(dst, to_small([0, 32, 64, 96].map(|at| load_ps(src.add(at))), &E5M2));
    }
    Float16 => Float8E4M3Fn, 32: |src, dst| {
        // From lanes that packing leaves in order.
        let (v, w) = (load_lanes(src, src.add(32)), load_lanes(src.add(16), src.add(48)));
        let (a, b) = (and(v, all16(i16::MAX)), and(w, all16(i16::MAX)));
        let infinity = all16(0x7c00);
        let (nan_a, nan_b) = (_mm256_cmpgt_epi16(a, infinity), _mm256_cmpgt_epi16(b, infinity));
        let nan = _mm256_packs_epi16(nan_a, nan_b);
        let signs = and(_mm256_packs_epi16(v, w), all8(i8::MIN));
        let (a, b) = (key(a), key(b));
        // The low bytes and the high bytes.
        const APART: [u8; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];
        let (a, b) = (_mm256_shuffle_epi8(a, row(&APART)), _mm256_shuffle_epi8(b, row(&APART)));
        let high = _mm256_unpackhi_epi64(a, b);
        let low = xor(_mm256_unpacklo_epi64(a, b), all8(i8::MIN));
        // Negative from 16 on, which gives zero.
        let at = _mm256_adds_epu8(high, all8(0x70));
        let more = _mm256_shuffle_epi8(row(&KEYS.0), at);
        let last = _mm256_add_epi8(_mm256_shuffle_epi8(row(&KEYS.1), at), all8(0x40 ^ i8::MIN));
        // A second threshold from 16 on, and before that none.
        let second = _mm256_max_epi8(or(at, all8(15)), all8(0x3f));
        let linear = _mm256_add_epi8(_mm256_add_epi8(high, high), more);
        let up = _mm256_add_epi8(_mm256_cmpgt_epi8(low, last), _mm256_cmpgt_epi8(low, second));
        // NaN has become the largest number, whose code is one less.
        let up = _mm256_add_epi8(_mm256_add_epi8(up, nan), all8(24));
        store(dst, or(_mm256_sub_epi8(linear, up), signs));
    }
    Float8E4M3Fn => Float32, 32: |src, dst| {
        // As bfloat16: exponents have 120 added, and the fraction is four bits further up.
        const LOW: [u8; 16] = places(
            [0x00, 0xf0, 0x60, 0x90, 0xc0, 0xd0, 0xe0, 0xf0],
            0,
            0xd0,
        );
        const HIGH: [u8; 16] = places([0x00, 0x3b, 0x3b, 0x3b, 0x3c, 0x3c, 0x3c, 0x3c], 0x3c, 0x78);
        const FRACTION: [u8; 16] = {
            let mut fraction = [0; 16];
            let mut i = 0;
            while i < 16 {
                fraction[i] = (i as u8) << 4;
                i += 1;
            }
            fraction
        };
        // With the sign, of the high nibble.
        const EXPONENT: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 128, 129, 130, 131, 132, 133, 134, 135];
        let b = in_turns(load(src));
        let m = and(b, all8(0x7f));
        let at = place(m);
        let low = _mm256_shuffle_epi8(row(&FRACTION), m);
        let high = and(_mm256_srli_epi16::<4>(b), all8(15));
        let high = _mm256_shuffle_epi8(row(&EXPONENT), high);
        let low = _mm256_add_epi8(low, _mm256_shuffle_epi8(row(&LOW), at));
        let high = _mm256_add_epi8(high, _mm256_shuffle_epi8(row(&HIGH), at));
        store_brains(dst, low, high);
    }
    Float8E4M3Fn => Float16, 64: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(32 * i), dst.add(64 * i));
            // Exponents have 8 added; the lowest bit is the highest of the low byte. The mean is half the magnitude and
            // 0x40.
            const HIGH: [u8; 16] = places(
                [0xc0, 0xd8, 0xdb, 0xdd, 0xde, 0xdf, 0xdf, 0xe0],
                0xe0,
                0xff,
            );
            const LOW: [u8; 16] = places([0; 8], 0x80, 0);
            let b = _mm256_permute4x64_epi64::<IN_ORDER>(load(src));
            let m = and(b, all8(0x7f));
            let at = place(m);
            let high = _mm256_add_epi8(_mm256_sub_epi8(b, m), _mm256_avg_epu8(m, all8(0x7f)));
            let high = _mm256_add_epi8(high, _mm256_shuffle_epi8(row(&HIGH), at));
            let low = and(_mm256_slli_epi16::<7>(m), _mm256_shuffle_epi8(row(&LOW), at));
            store(dst, _mm256_unpacklo_epi8(low, high));
            store(dst.add(32), _mm256_unpackhi_epi8(low, high));
        }
    }
    Float8E5M2 => Float16, 64: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(32 * i), dst.add(64 * i));
            // NaNs become the canonical one, which is the second of three.
            const NAN: [u8; 16] = [0, 1, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            let b = _mm256_permute4x64_epi64::<IN_ORDER>(load(src));
            let nan = _mm256_subs_epu8(and(b, all8(0x7f)), all8(0x7c));
            let b = _mm256_add_epi8(b, _mm256_shuffle_epi8(row(&NAN), nan));
            let zero = _mm256_setzero_si256();
            store(dst, _mm256_unpacklo_epi8(zero, b));
            store(dst.add(32), _mm256_unpackhi_epi8(zero, b));
        }
    }
    Float8E4M3Fn => Float8E5M2, 64: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(32 * i), dst.add(32 * i));
            // Half the magnitude, to even, and one more; exponents have 8 added.
            const UP: [u8; 16] = [1, 1, 1, 3, 1, 1, 1, 3, 1, 1, 1, 3, 1, 1, 1, 3];
            const MORE: [u8; 16] = places(
                [0xff, 0x17, 0x1a, 0x1b, 0x1d, 0x1e, 0x1e, 0x1e],
                0x1f,
                0x3d,
            );
            let b = load(src);
            let m = and(b, all8(0x7f));
            let half = _mm256_avg_epu8(m, _mm256_shuffle_epi8(row(&UP), m));
            let more = _mm256_shuffle_epi8(row(&MORE), place(m));
            store(dst, _mm256_add_epi8(_mm256_add_epi8(half, more), _mm256_sub_epi8(b, m)));
        }
    }
    Int8 => Float8E4M3Fn, 32: |src, dst| {
        // By the high nibble of the magnitude the code, by the low one what is added: twice as many codes between 16
        // and 31 as in the rows after, half as many from 64 on. A row's index is negative before it; what it adds is
        // what is more than the rows before gave.
        const fn nearest(number: usize, step: usize) -> u8 {
            let (whole, rest) = (number / step, number % step);
            (whole + (2 * rest > step || (2 * rest == step && whole % 2 == 1)) as usize) as u8
        }
        const fn code(number: usize) -> u8 {
            if number == 0 {
                return 0;
            }
            let exponent = number.ilog2() as usize;
            // In eighths of the power of two below, from which on codes are 8 more than a multiple of that.
            ((exponent + 7) * 8) as u8 + nearest(number * 8, 1 << exponent) - 8
        }
        const ROWS: ([u8; 16], [[u8; 16]; 4]) = {
            let (mut base, mut rows) = ([0; 16], [[0; 16]; 4]);
            let mut i = 0;
            while i < 16 {
                base[i] = if i <= 8 { code(16 * i) } else { 0 };
                let at = [code(i), code(16 + i), code(32 + i), code(64 + i)];
                let add = [at[0], at[1] - code(16), at[2] - code(32), at[3] - code(64)];
                rows[0][i] = add[0];
                rows[1][i] = add[1].wrapping_sub(add[0]);
                rows[2][i] = add[2].wrapping_sub(add[1]);
                rows[3][i] = add[3].wrapping_sub(add[2]);
                i += 1;
            }
            (base, rows)
        };
        let v = load(src);
        let m = _mm256_abs_epi8(v);
        let high = and(_mm256_srli_epi16::<4>(m), all8(15));
        let look = |table: &[u8; 16], at| _mm256_shuffle_epi8(row(table), at);
        let a = _mm256_add_epi8(look(&ROWS.0, high), look(&ROWS.1[0], m));
        let b = look(&ROWS.1[1], _mm256_sub_epi8(m, all8(16)));
        let c = look(&ROWS.1[2], _mm256_sub_epi8(m, all8(32)));
        let d = look(&ROWS.1[3], _mm256_sub_epi8(m, all8(64)));
        let code = _mm256_add_epi8(_mm256_add_epi8(a, b), _mm256_add_epi8(c, d));
        store(dst, or(code, and(v, all8(i8::MIN))));
    }
    Float32 => Int32, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(32 * i));
            store(dst, to_i32(load_ps(src)));
        }
    }
    Float32 => UInt32, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(32 * i));
            // What is missing from 2^31 on, and beyond 2^32 the sign of what is out of range.
            let x = _mm256_max_ps(load_ps(src), _mm256_setzero_ps());
            let rest = _mm256_max_ps(_mm256_sub_ps(x, all_ps(TWO_31)), _mm256_setzero_ps());
            let (a, b) = (_mm256_cvttps_epi32(x), _mm256_cvttps_epi32(rest));
            store(dst, or(or(a, b), _mm256_srai_epi32::<31>(b)));
        }
    }
    Float32 => Int8, 32: |src, dst| {
        let ab = to_byte_words(load_ps(src), load_ps(src.add(32)));
        let cd = to_byte_words(load_ps(src.add(64)), load_ps(src.add(96)));
        store(dst, packed_in_order(_mm256_packs_epi16(ab, cd)));
    }
    Float16 => Int32, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(16 * i), dst.add(32 * i));
            store(dst, to_i32(load_halves(src)));
        }
    }
    Float16 => Int8, 32: |src, dst| {
        // From lanes that packing leaves in order.
        let a = cut_halves(load_lanes(src, src.add(32)));
        let b = cut_halves(load_lanes(src.add(16), src.add(48)));
        store(dst, _mm256_packs_epi16(a, b));
    }
    Int8 => Float16, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(8 * i), dst.add(16 * i));
            let v = _mm256_cvtepi8_epi32(_mm_loadl_epi64(src.cast()));
            store_half(dst, _mm256_cvtps_ph::<NEAREST>(_mm256_cvtepi32_ps(v)));
        }
    }
    Int32 => Float16, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(32 * i), dst.add(16 * i));
            // What float32 does not hold exactly is infinity.
            store_half(dst, _mm256_cvtps_ph::<NEAREST>(_mm256_cvtepi32_ps(load(src))));
        }
    }
    Bool => Float32, 32: |src, dst| {
        let zero = _mm256_cmpeq_epi8(in_turns(load(src)), _mm256_setzero_si256());
        store_brains(dst, andnot(zero, all8(i8::MIN)), andnot(zero, all8(0x3f)));
    }
    Int64 => Int32, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(64 * i), dst.add(32 * i));
            store(dst, even_dwords(src));
        }
    }
    Complex64 => Float32, 32: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(64 * i), dst.add(32 * i));
            store(dst, even_dwords(src));
        }
    }
    Int64 => Int8, 32: |src, dst| {
        let [a, b, c, d] = [0, 64, 128, 192].map(|at| {
            let v = _mm256_shuffle_ps::<0x88>(load_ps(src.add(at)), load_ps(src.add(at + 32)));
            and(bits(v), all32(255))
        });
        let (ab, cd) = (_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
        // Pairs, in turns from both lanes.
        let v = _mm256_permute4x64_epi64::<IN_ORDER>(_mm256_packus_epi16(ab, cd));
        store(dst, _mm256_shuffle_epi8(v, row(&TURNS)));
    }
    Int32 => Int8, 64: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(128 * i), dst.add(32 * i));
            let [a, b, c, d] = [0, 32, 64, 96].map(|at| and(load(src.add(at)), all32(255)));
            let (ab, cd) = (_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
            store(dst, packed_in_order(_mm256_packus_epi16(ab, cd)));
        }
    }
    Float32 => Bool, 64: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(128 * i), dst.add(32 * i));
            let zero = _mm256_setzero_ps();
            let [a, b, c, d] = [0, 32, 64, 96]
                .map(|at| bits(_mm256_cmp_ps::<_CMP_NEQ_UQ>(load_ps(src.add(at)), zero)));
            let (ab, cd) = (_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
            store(dst, and(packed_in_order(_mm256_packs_epi16(ab, cd)), all8(1)));
        }
    }
    Float32 => Complex64, 16: |src, dst| {
        for i in 0..4 {
            let (src, dst) = (src.add(16 * i), dst.add(32 * i));
            store(dst, _mm256_cvtepu32_epi64(load_half(src)));
        }
    }
    Int4x2 => Float32, 32: |src, dst| {
        // Two elements in a word, in the order that `store_brains` wants.
        const WORDS: [u8; 32] = [
            0, 128, 1, 128, 4, 128, 5, 128, 8, 128, 9, 128, 12, 128, 13, 128, //
            2, 128, 3, 128, 6, 128, 7, 128, 10, 128, 11, 128, 14, 128, 15, 128,
        ];
        // The bytes of bfloat16s.
        const BRAINS: [[u8; 16]; 2] = {
            let mut brains = [[0; 16]; 2];
            let mut i = 0;
            while i < 16 {
                let number = if i < 8 { i as f32 } else { i as f32 - 16.0 };
                let [_, _, low, high] = number.to_bits().to_le_bytes();
                (brains[0][i], brains[1][i]) = (low, high);
                i += 1;
            }
            brains
        };
        let words = _mm256_shuffle_epi8(load_twice(src), constant(&WORDS));
        let at = and(or(words, _mm256_slli_epi16::<4>(words)), all8(15));
        let [low, high] = [&BRAINS[0], &BRAINS[1]].map(|t| _mm256_shuffle_epi8(row(t), at));
        store_brains(dst, low, high);
    }
    Float32 => Int4x2, 64: |src, dst| {
        let (a, b) = (nibbles(src), nibbles(src.add(128)));
        let v = _mm256_permute4x64_epi64::<IN_ORDER>(_mm256_packus_epi16(a, b));
        store(dst, _mm256_shuffle_epi8(v, row(&TURNS)));
    }
    Float6E2M3FnX4 => Int8, 64: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(24 * i), dst.add(32 * i));
            // The lowest bit makes no difference.
            const CUT: [u8; 16] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7];
            let v = sixes(src);
            let at = and(_mm256_srli_epi16::<3>(v), all8(15));
            store(dst, _mm256_sign_epi8(_mm256_shuffle_epi8(row(&CUT), at), v));
        }
    }
    Float6E3M2FnX4 => Float8E5M2, 64: |src, dst| {
        for i in 0..2 {
            let (src, dst) = (src.add(24 * i), dst.add(32 * i));
            // Exponents have 12 added; of the subnormals two become other powers.
            const MORE: [u8; 16] = [0, 0x2b, 0x2e, 0x2f, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            let v = sixes(src);
            let m = and(_mm256_srli_epi16::<2>(v), all8(0x1f));
            let more = _mm256_shuffle_epi8(row(&MORE), _mm256_min_epu8(m, all8(4)));
            store(dst, or(_mm256_add_epi8(m, more), and(v, all8(i8::MIN))));
        }
    }
    Float8E3M4 => Int4x2, 64: |src, dst| {
        // From 1 on the upper two bits of a fraction make a difference, and from 8 on nothing.
        const CUT: [u8; 16] = [0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 8, 8];
        let pairs = |src| {
            let v = load(src);
            let m = and(v, all8(i8::MAX));
            let at = _mm256_min_epu8(_mm256_subs_epu8(m, all8(0x2c)), all8(0x3f));
            let at = and(_mm256_srli_epi16::<2>(at), all8(15));
            let cut = andnot(_mm256_cmpgt_epi8(m, all8(0x70)), _mm256_shuffle_epi8(row(&CUT), at));
            let number = _mm256_min_epi8(_mm256_sign_epi8(cut, v), all8(7));
            _mm256_maddubs_epi16(and(number, all8(15)), all16(1 | 16 << 8))
        };
        let v = _mm256_packus_epi16(pairs(src), pairs(src.add(32)));
        store(dst, _mm256_permute4x64_epi64::<IN_ORDER>(v));
    }
    // What follows does little but store.
    Int8 => Int64, 16: |src, dst| {
        for i in 0..4 {
            let four = _mm_cvtsi32_si128(src.add(4 * i).cast::<i32>().read_unaligned());
            store(dst.add(32 * i), _mm256_cvtepi8_epi64(four));
        }
    }
    Bool => Float64, 16: |src, dst| {
        for i in 0..4 {
            let four = _mm_cvtsi32_si128(src.add(4 * i).cast::<i32>().read_unaligned());
            let zero = _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(four), _mm256_setzero_si256());
            store(dst.add(32 * i), andnot(zero, all64(1f64.to_bits() as i64)));
        }
    }
}
