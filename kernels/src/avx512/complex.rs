//! Complex dtypes and their components, and complex numbers to bools, without a tile between.

use super::lanes::first;
use super::{Avx512, Features, pieces};
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::*;

/// Sets the kernels of the pairs that have one.
pub(super) const fn with_complex<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    let all = [DType::Complex32, DType::BComplex32, DType::Complex64, DType::Complex128];
    let mut i = 0;
    while i < all.len() {
        let (complex, part) = (all[i], all[i].component());
        let [reals, zeros, bools, bits] = match part.bits() {
            16 => kernels::<2, MODE>(),
            32 => kernels::<4, MODE>(),
            _ => kernels::<8, MODE>(),
        };
        pairs.set(complex, part, Entry { kernel: reals, road: Road::Direct });
        pairs.set(part, complex, Entry { kernel: zeros, road: Road::Direct });
        pairs.set(complex, DType::Bool, Entry { kernel: bools, road: Road::Direct });
        pairs.set(complex, DType::Bool1x8, Entry { kernel: bits, road: Road::Direct });
        i += 1;
    }
    pairs
}

/// The kernels for components of so many bytes: to real parts, from them, to bool and to bool1x8.
const fn kernels<const BYTES: usize, const MODE: usize>() -> [Kernel; 4] {
    let (bools, bits) = (truths::<BYTES, 8, MODE>, truths::<BYTES, 1, MODE>);
    [real_parts::<BYTES, MODE>, with_zeros::<BYTES, MODE>, bools, bits]
}

/// To real parts of the same format.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn real_parts<const BYTES: usize, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe { pieces::real_parts_of::<BYTES, MODE>(src, dst, n) };
    n
}

/// From real parts of the same format.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn with_zeros<const BYTES: usize, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe { pieces::with_zeros_of::<BYTES, MODE>(src, dst, n) };
    n
}

/// To bools of `BITS` bits.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn truths<const BYTES: usize, const BITS: usize, const MODE: usize>(
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
            let truth = nonzero::<BYTES, MODE>(x, load::<BYTES>(x, from));
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
            let truth = nonzero::<BYTES, MODE>(x, [a, b, c, d]);
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
/// many bytes fill the registers from the first on. They may be turned: then the sign is in the lowest byte.
#[inline(always)]
fn nonzero<const BYTES: usize, const MODE: usize>(x: Features, v: [__m512i; 4]) -> __mmask16 {
    let [a, b, c, d] = v;
    let is_turned = const { MODE & stepwise::SOURCE != 0 };
    let sizes = match (BYTES, is_turned) {
        (2, false) => x.word(!SIGN_16),
        (4, false) => x.dword(!SIGN_32),
        (_, false) => x.qword(!SIGN_64),
        (2, true) => x.word(!SIGN_16.swap_bytes()),
        (4, true) => x.dword(!SIGN_32.swap_bytes()),
        (_, true) => x.qword(!SIGN_64.swap_bytes()),
    };
    match BYTES {
        2 => x.f._mm512_test_epi32_mask(a, sizes),
        4 => {
            let low = x.f._mm512_test_epi64_mask(a, sizes);
            __mmask16::from_le_bytes([low, x.f._mm512_test_epi64_mask(b, sizes)])
        }
        _ => {
            let low = x.f._mm512_test_epi64_mask(either_part(x, a, b), sizes);
            __mmask16::from_le_bytes([low, x.f._mm512_test_epi64_mask(either_part(x, c, d), sizes)])
        }
    }
}

const SIGN_16: u16 = 1 << 15;
const SIGN_32: u32 = 1 << 31;
const SIGN_64: u64 = 1 << 63;

/// The bits that either part of each of 8 complex numbers of two float64s has.
#[inline(always)]
fn either_part(x: Features, a: __m512i, b: __m512i) -> __m512i {
    const REAL: [u64; 8] = [0, 2, 4, 6, 8, 10, 12, 14];
    const IMAGINARY: [u64; 8] = [1, 3, 5, 7, 9, 11, 13, 15];
    let re = x.f._mm512_permutex2var_epi64(a, x.constant(&REAL), b);
    x.f._mm512_or_si512(re, x.f._mm512_permutex2var_epi64(a, x.constant(&IMAGINARY), b))
}
