//! Complex dtypes and their components, also where one has float32 and the other float64, and complex
//! numbers to bools, without a tile between.

use super::lanes::first;
use super::{Avx512, Features, pieces};
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::*;

/// Sets the kernels of the pairs that have one.
pub(super) const fn with_complex(mut pairs: RealPairs) -> RealPairs {
    let all = [DType::Complex32, DType::BComplex32, DType::Complex64, DType::Complex128];
    let mut i = 0;
    while i < all.len() {
        let (complex, part) = (all[i], all[i].component());
        let [reals, zeros, bools, bits] = match part.bits() {
            16 => kernels::<2>(),
            32 => kernels::<4>(),
            _ => kernels::<8>(),
        };
        pairs.set(complex, part, Entry { kernel: reals, road: Road::Direct });
        pairs.set(part, complex, Entry { kernel: zeros, road: Road::Direct });
        pairs.set(complex, DType::Bool, Entry { kernel: bools, road: Road::Direct });
        pairs.set(complex, DType::Bool1x8, Entry { kernel: bits, road: Road::Direct });
        i += 1;
    }
    let mut i = 0;
    while i < ACROSS.len() {
        let (from, to, kernel) = ACROSS[i];
        pairs.set(from, to, Entry { kernel, road: Road::Direct });
        i += 1;
    }
    pairs
}

/// Between complex and real numbers of float32 and float64.
const ACROSS: [(DType, DType, Kernel); 4] = [
    (DType::Complex64, DType::Float64, complex64_to_float64),
    (DType::Complex128, DType::Float32, complex128_to_float32),
    (DType::Float32, DType::Complex128, float32_to_complex128),
    (DType::Float64, DType::Complex64, float64_to_complex64),
];

/// Kernels of eight elements of so many bytes at a time, on either side.
macro_rules! across {
    ($($name:ident $from:literal $to:literal, |$x:ident, $v:pat_param| $result:expr;)*) => {$(
        /// # Safety
        /// As for every kernel, see [`crate::table::Kernel`].
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $name(src: *const u8, dst: *mut u8, n: usize, _: &Params) -> usize {
            // SAFETY: the caller's.
            unsafe {
                let Avx512($x) = Avx512::summon();
                by_eights::<$from, $to>($x, src, dst, n, #[inline(always)] |$v| $result);
            }
            n
        }
    )*};
}

across! {
    complex64_to_float64 8 8, |x, [v, _]| {
        let reals = x.avx._mm256_castsi256_ps(x.f._mm512_cvtepi64_epi32(v));
        [x.f._mm512_castpd_si512(x.f._mm512_cvtps_pd(reals)), v]
    };
    complex128_to_float32 16 4, |x, v| {
        let reals = x.f._mm512_castsi512_pd(pieces::reals::<8>(x, v));
        [x.f._mm512_castsi256_si512(narrowed(x, reals)), v[1]]
    };
    float32_to_complex128 4 16, |x, [v, _]| {
        let v = x.f._mm512_cvtps_pd(x.f._mm512_castps512_ps256(x.f._mm512_castsi512_ps(v)));
        let [low, high] = x.halves(x.f._mm512_castpd_si512(v));
        [pieces::apart::<8>(x, low), pieces::apart::<8>(x, high)]
    };
    float64_to_complex64 8 8, |x, [v, _]| {
        [pieces::apart::<4>(x, narrowed(x, x.f._mm512_castsi512_pd(v))), v]
    };
}

/// Float64s to the nearest float32s.
#[inline(always)]
fn narrowed(x: Features, v: __m512d) -> __m256i {
    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    x.avx._mm256_castps_si256(x.f._mm512_cvt_roundpd_ps::<NEAREST>(v))
}

/// Casts eight elements of `FROM` bytes to as many of `TO` bytes at a time: 4 bytes are half a register,
/// 8 bytes one, and 16 bytes two.
///
/// # Safety
/// `src` is valid for reading `n` elements of `FROM` bytes and `dst` for writing `n` of `TO` bytes; they
/// don't overlap.
#[inline(always)]
unsafe fn by_eights<const FROM: usize, const TO: usize>(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    each: impl Fn([__m512i; 2]) -> [__m512i; 2],
) {
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read and written that the buffers have.
    unsafe {
        while n - i >= 8 {
            let (from, to) = (src.add(FROM * i), dst.add(TO * i));
            let v = match FROM {
                4 => [x.f._mm512_castsi256_si512(x.load_words(from)), x.f._mm512_setzero_si512()],
                8 => [x.load_dwords(from), x.f._mm512_setzero_si512()],
                _ => x.load_qwords(from),
            };
            let [a, b] = each(v);
            match TO {
                4 => x.store_words(to, x.f._mm512_castsi512_si256(a)),
                8 => x.store_dwords(to, a),
                _ => {
                    x.store_dwords(to, a);
                    x.store_dwords(to.add(64), b);
                }
            }
            i += 8;
        }
        if i < n {
            let left = n - i;
            let [a, b] = each(x.load_first_pair(src.add(FROM * i), FROM * left));
            let to = dst.add(TO * i);
            x.store_first(to, a, (TO * left).min(64));
            if TO * left > 64 {
                x.store_first(to.add(64), b, TO * left - 64);
            }
        }
    }
}

/// The kernels for components of so many bytes: to real parts, from them, to bool and to bool1x8.
const fn kernels<const BYTES: usize>() -> [Kernel; 4] {
    [real_parts::<BYTES>, with_zeros::<BYTES>, truths::<BYTES, 8>, truths::<BYTES, 1>]
}

/// To real parts of the same format.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn real_parts<const BYTES: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe { pieces::real_parts_of::<BYTES>(src, dst, n) };
    n
}

/// From real parts of the same format.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn with_zeros<const BYTES: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe { pieces::with_zeros_of::<BYTES>(src, dst, n) };
    n
}

/// To bools of `BITS` bits.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn truths<const BYTES: usize, const BITS: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    let mut i = 0;
    // SAFETY: the caller's: 16 elements are 32 components; of those that are left that many are
    // read and written.
    unsafe {
        let Avx512(x) = Avx512::summon();
        while n - i >= 16 {
            let from = src.add(i * 2 * BYTES);
            let truth = nonzero::<BYTES>(x, load::<BYTES>(x, from));
            match BITS {
                8 => x.store_bytes(dst.add(i), bytes(x, truth)),
                _ => dst.add(i / 8).cast::<u16>().write_unaligned(truth),
            }
            i += 16;
        }
        if i < n {
            let left = n - i;
            let from = src.add(i * 2 * BYTES);
            let [a, b] = x.load_first_pair(from, (left * 2 * BYTES).min(128));
            let rest = (left * 2 * BYTES).saturating_sub(128);
            let [c, d] = x.load_first_pair(from.wrapping_add(128), rest);
            let truth = nonzero::<BYTES>(x, [a, b, c, d]);
            match BITS {
                8 => x.store_bytes_part(dst.add(i), bytes(x, truth), left),
                _ => {
                    let stored = (truth & first(left)).to_le_bytes();
                    let bytes = left.div_ceil(8);
                    stored.as_ptr().copy_to_nonoverlapping(dst.add(i / 8), bytes);
                }
            }
        }
    }
    n
}

/// The registers that 16 complex numbers fill.
///
/// # Safety
/// `src` is valid for reading them.
#[inline(always)]
unsafe fn load<const BYTES: usize>(x: Features, src: *const u8) -> [__m512i; 4] {
    let mut v = [x.f._mm512_setzero_si512(); 4];
    // SAFETY: the caller's: 32 components of `BYTES` bytes.
    unsafe {
        v[0] = x.load_dwords(src);
        if BYTES >= 4 {
            v[1] = x.load_dwords(src.add(64));
        }
        if BYTES == 8 {
            v[2] = x.load_dwords(src.add(128));
            v[3] = x.load_dwords(src.add(192));
        }
    }
    v
}

#[inline(always)]
fn bytes(x: Features, truth: __mmask16) -> __m128i {
    x.bw._mm_maskz_mov_epi8(truth, x.sse2._mm_set1_epi8(1))
}

/// Which of 16 complex numbers have a part that is neither zero nor minus zero, if components of so
/// many bytes fill the registers from the first on.
#[inline(always)]
fn nonzero<const BYTES: usize>(x: Features, [a, b, c, d]: [__m512i; 4]) -> __mmask16 {
    match BYTES {
        2 => x.f._mm512_test_epi32_mask(a, x.dword(0x7fff_7fff)),
        4 => {
            let magnitudes = x.dword(0x7fff_ffff);
            let low = x.f._mm512_test_epi64_mask(a, magnitudes);
            let high = x.f._mm512_test_epi64_mask(b, magnitudes);
            __mmask16::from_le_bytes([low, high])
        }
        _ => __mmask16::from_le_bytes([nonzero_of_8(x, a, b), nonzero_of_8(x, c, d)]),
    }
}

/// Which of 8 complex numbers of two float64s.
#[inline(always)]
fn nonzero_of_8(x: Features, a: __m512i, b: __m512i) -> __mmask8 {
    const REAL: [u64; 8] = [0, 2, 4, 6, 8, 10, 12, 14];
    const IMAGINARY: [u64; 8] = [1, 3, 5, 7, 9, 11, 13, 15];
    let re = x.f._mm512_permutex2var_epi64(a, x.constant(&REAL), b);
    let im = x.f._mm512_permutex2var_epi64(a, x.constant(&IMAGINARY), b);
    x.f._mm512_test_epi64_mask(x.f._mm512_or_si512(re, im), x.qword(i64::MAX as u64))
}
