//! The rearrangements of packed and complex elements that a tile is made of: 64 packed elements at a
//! time, or a register of complex ones; what is left of them under masks.

use super::{Avx512, Features};
use crate::codec::Isa;
use crate::shape::Screen;
use crate::stepwise;
use crate::table::Pieces;
use core::arch::x86_64::*;

pub(crate) const PIECES: Pieces = Pieces {
    unpack,
    pack,
    pack_fitting: Some(pack_fitting),
    real_parts,
    real_parts_of_reals,
    with_zero_imaginary,
};

/// Elements of a packed dtype that are rearranged together.
const GROUP: usize = 64;

/// Writes the numbers of packed elements to a byte each, in its low bits.
///
/// # Safety
/// `src` is valid for reading `n` elements of `bits` bits, and `dst` for writing `n` bytes; they
/// don't overlap. `bits` is 1, 2, 4 or 6. The CPU has AVX-512.
unsafe fn unpack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bits {
            1 => unpack_of::<1>(src, dst, n),
            2 => unpack_of::<2>(src, dst, n),
            4 => unpack_of::<4>(src, dst, n),
            _ => unpack_of::<6>(src, dst, n),
        }
    }
}

/// # Safety
/// As for [`unpack`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn unpack_of<const BITS: usize>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's: a group is 8 * BITS bytes, and inside the source while `i + GROUP <= n`;
    // the elements left then are in `(n - i) * BITS` bits.
    unsafe {
        let Avx512(x) = Avx512::summon();
        let mut i = 0;
        while n - i >= GROUP {
            let packed = load_group(x, BITS, src.add(i / 8 * BITS));
            x.store_dwords(dst.add(i), spread(x, BITS, packed));
            i += GROUP;
        }
        if i < n {
            let bytes = ((n - i) * BITS).div_ceil(8);
            let packed = x.load_first(src.add(i / 8 * BITS), bytes);
            x.store_first(dst.add(i), spread(x, BITS, packed), n - i);
        }
    }
}

/// Reads a group of packed elements. (A masked store is no match for a plain one.)
///
/// # Safety
/// `src` is valid for reading `8 * bits` bytes.
#[inline(always)]
pub(super) unsafe fn load_group(x: Features, bits: usize, src: *const u8) -> __m512i {
    // SAFETY: the caller's; what is read has that many bytes.
    unsafe {
        match bits {
            1 => {
                let packed = src.cast::<u64>().read_unaligned();
                x.f._mm512_castsi128_si512(bytemuck::cast([packed, 0]))
            }
            2 => x.f._mm512_castsi128_si512(x.load_bytes(src)),
            4 => x.f._mm512_castsi256_si512(x.load_words(src)),
            _ => {
                let low = x.f._mm512_castsi256_si512(x.load_words(src));
                x.f._mm512_inserti32x4::<2>(low, x.load_bytes(src.add(32)))
            }
        }
    }
}

/// Writes a group of packed elements from the front of a register.
///
/// # Safety
/// `dst` is valid for writing `8 * bits` bytes.
#[inline(always)]
pub(super) unsafe fn store_group(x: Features, bits: usize, dst: *mut u8, v: __m512i) {
    let low = x.f._mm512_castsi512_si128(v);
    // SAFETY: the caller's; what is written has that many bytes.
    unsafe {
        match bits {
            1 => {
                let [bits, _]: [u64; 2] = bytemuck::cast(low);
                dst.cast::<u64>().write_unaligned(bits);
            }
            2 => x.store_bytes(dst, low),
            4 => x.store_words(dst, x.f._mm512_castsi512_si256(v)),
            _ => {
                x.store_words(dst, x.f._mm512_castsi512_si256(v));
                x.store_bytes(dst.add(32), x.f._mm512_extracti32x4_epi32::<2>(v));
            }
        }
    }
}

/// The 64 elements at the front of a register, a byte each.
#[inline(always)]
pub(super) fn spread(x: Features, bits: usize, packed: __m512i) -> __m512i {
    match bits {
        1 => {
            let [bits, _]: [u64; 2] = bytemuck::cast(x.f._mm512_castsi512_si128(packed));
            x.bw._mm512_maskz_mov_epi8(bits, x.byte(1))
        }
        2 => {
            // A byte to a dword, then moved so that each pair of bits is at the foot of a byte.
            let v = x.f._mm512_cvtepu8_epi32(x.f._mm512_castsi512_si128(packed));
            let v = x.f._mm512_or_si512(v, x.f._mm512_slli_epi32::<6>(v));
            let v = x.f._mm512_or_si512(v, x.f._mm512_slli_epi32::<12>(v));
            x.f._mm512_and_si512(v, x.byte(3))
        }
        4 => {
            let v = x.bw._mm512_cvtepu8_epi16(x.f._mm512_castsi512_si256(packed));
            // v OR v << 4, and of each byte the low half
            let high = x.bw._mm512_slli_epi16::<4>(v);
            x.f._mm512_ternarylogic_epi32::<0xe0>(x.byte(15), v, high)
        }
        _ => {
            // Three bytes to a dword, then each group of six bits moved to the foot of a byte.
            let lanes = x.f._mm512_permutexvar_epi32(x.constant(&THREES), packed);
            let v = x.bw._mm512_shuffle_epi8(lanes, x.constant(&IN_LANES_TO_FOURS));
            let place = |v, shifted, mask| {
                // v OR (shifted AND mask)
                x.f._mm512_ternarylogic_epi32::<0xf8>(v, shifted, x.dword(mask))
            };
            let first = x.f._mm512_and_si512(v, x.dword(0x3f));
            let v1 = place(first, x.f._mm512_slli_epi32::<2>(v), 0x3f << 8);
            let v2 = place(v1, x.f._mm512_slli_epi32::<4>(v), 0x3f << 16);
            place(v2, x.f._mm512_slli_epi32::<6>(v), 0x3f << 24)
        }
    }
}

/// Which dword each takes so that a 128-bit lane has 12 of 48 bytes.
const THREES: [u32; 16] = [0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 9, 10, 11, 0];
/// The same back: the first three dwords of each lane.
const FOURS: [u32; 16] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0];

/// Three bytes of a lane to each of its dwords.
const IN_LANES_TO_FOURS: [u8; 64] =
    in_lanes([0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255]);
/// The low three bytes of each dword to the front of the lane.
const IN_LANES_TO_THREES: [u8; 64] =
    in_lanes([0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255]);

const fn in_lanes(lane: [u8; 16]) -> [u8; 64] {
    let mut all = [0; 64];
    let mut i = 0;
    while i < 64 {
        all[i] = lane[i % 16];
        i += 1;
    }
    all
}

/// Packs numbers from the low bits of a byte each; what is left of the last byte becomes zero.
///
/// # Safety
/// `src` is valid for reading `n` bytes and `dst` for writing `n` elements of `bits` bits; they don't
/// overlap. `bits` is 1, 2, 4 or 6. The CPU has AVX-512.
unsafe fn pack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bits {
            1 => pack_of::<1>(src, dst, n),
            2 => pack_of::<2>(src, dst, n),
            4 => pack_of::<4>(src, dst, n),
            _ => pack_of::<6>(src, dst, n),
        }
    }
}

/// # Safety
/// As for [`pack`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn pack_of<const BITS: usize>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: as in `unpack_of`, with the sides exchanged. The bytes loaded as zeros pack to zeros.
    unsafe {
        let Avx512(x) = Avx512::summon();
        let mut i = 0;
        while n - i >= GROUP {
            let packed = gather(x, BITS, x.load_dwords(src.add(i)));
            store_group(x, BITS, dst.add(i / 8 * BITS), packed);
            i += GROUP;
        }
        if i < n {
            let bytes = ((n - i) * BITS).div_ceil(8);
            let packed = gather(x, BITS, x.load_first(src.add(i), n - i));
            store_part(x, BITS, dst.add(i / 8 * BITS), packed, bytes);
        }
    }
}

/// The groups that are tested together.
const TESTED: usize = 4;

/// # Safety
/// As for every [`PackFitting`](crate::table::PackFitting); the CPU has AVX-512.
unsafe fn pack_fitting(
    bits: usize,
    screen: &Screen,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        match bits {
            1 => pack_fitting_of::<1>(screen, src, dst, n),
            2 => pack_fitting_of::<2>(screen, src, dst, n),
            4 => pack_fitting_of::<4>(screen, src, dst, n),
            _ => pack_fitting_of::<6>(screen, src, dst, n),
        }
    }
}

/// # Safety
/// As for [`pack_fitting`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn pack_fitting_of<const BITS: usize>(
    screen: &Screen,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> usize {
    // SAFETY: the caller's: so many groups are left on both sides.
    unsafe {
        let Avx512(x) = Avx512::summon();
        let (addend, keep) = (x.byte(screen.addend as u8), x.byte(screen.keep as u8));
        let mut i = 0;
        while n - i >= TESTED * GROUP {
            let mut groups = [addend; TESTED];
            let mut any = x.f._mm512_setzero_si512();
            for (k, group) in groups.iter_mut().enumerate() {
                *group = x.load_dwords(src.add(i + GROUP * k));
                any = x.f._mm512_or_si512(any, x.bw._mm512_add_epi8(*group, addend));
            }
            if x.f._mm512_test_epi32_mask(any, keep) != 0 {
                break;
            }
            for (k, group) in groups.into_iter().enumerate() {
                let at = dst.add((i / 8 + GROUP / 8 * k) * BITS);
                store_group(x, BITS, at, gather(x, BITS, group));
            }
            i += TESTED * GROUP;
        }
        i
    }
}

/// Writes the first bytes of a group of packed elements.
///
/// Single bits go by a general register. From the mask register that they were tested in to a vector
/// and from there under a mask to memory is a way on which the compiler (LLVM 22) has been seen to
/// store the vector that was tested instead.
///
/// # Safety
/// `dst` is valid for writing `bytes` bytes, at most `8 * bits`.
#[inline(always)]
pub(super) unsafe fn store_part(x: Features, bits: usize, dst: *mut u8, v: __m512i, bytes: usize) {
    // SAFETY: the caller's.
    unsafe {
        if bits == 1 {
            let packed: [u8; 16] = bytemuck::cast(x.f._mm512_castsi512_si128(v));
            packed.as_ptr().copy_to_nonoverlapping(dst, bytes);
        } else {
            x.store_first(dst, v, bytes);
        }
    }
}

/// 64 elements in the low bits of a byte each, packed at the front of a register.
#[inline(always)]
pub(super) fn gather(x: Features, bits: usize, v: __m512i) -> __m512i {
    if bits == 1 {
        let packed: u64 = x.bw._mm512_test_epi8_mask(v, x.byte(1));
        return x.f._mm512_castsi128_si512(bytemuck::cast([packed, 0]));
    }
    let joined = join(x, bits, v);
    match bits {
        2 => x.f._mm512_castsi128_si512(x.f._mm512_cvtepi32_epi8(joined)),
        4 => x.f._mm512_castsi256_si512(x.bw._mm512_cvtepi16_epi8(joined)),
        _ => {
            let lanes = x.bw._mm512_shuffle_epi8(joined, x.constant(&IN_LANES_TO_THREES));
            x.f._mm512_permutexvar_epi32(x.constant(&FOURS), lanes)
        }
    }
}

/// Joins neighbours in the low bits of a byte each: two of 4 bits at the foot of their word, four of
/// 2 or 6 bits at the foot of their dword.
#[inline(always)]
pub(super) fn join(x: Features, bits: usize, v: __m512i) -> __m512i {
    join_clean(x, bits, x.f._mm512_and_si512(v, x.byte((1 << bits) - 1)))
}

/// The same where there is nothing above them.
#[inline(always)]
pub(super) fn join_clean(x: Features, bits: usize, v: __m512i) -> __m512i {
    // To words: low + high * 2^bits, none of which has a sign.
    let words = x.bw._mm512_maddubs_epi16(v, x.word((1 | 256 << bits) as u16));
    match bits {
        4 => words,
        _ => x.bw._mm512_madd_epi16(words, x.dword(1 | 1 << (16 + 2 * bits))),
    }
}

/// Copies the real parts of complex elements.
///
/// # Safety
/// `src` is valid for reading `n` elements of two components of `bytes` bytes, `dst` for writing `n`
/// components; they don't overlap. `bytes` is 2, 4 or 8. The CPU has AVX-512.
unsafe fn real_parts(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            2 => real_parts_of::<2, { stepwise::NONE }>(src, dst, n),
            4 => real_parts_of::<4, { stepwise::NONE }>(src, dst, n),
            _ => real_parts_of::<8, { stepwise::NONE }>(src, dst, n),
        }
    }
}

/// The same, and whether all imaginary parts are zero, of either sign.
///
/// # Safety
/// As for [`real_parts`].
unsafe fn real_parts_of_reals(bytes: usize, src: *const u8, dst: *mut u8, n: usize) -> bool {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            2 => parts_of::<2, { stepwise::NONE }, true>(src, dst, n),
            4 => parts_of::<4, { stepwise::NONE }, true>(src, dst, n),
            _ => parts_of::<8, { stepwise::NONE }, true>(src, dst, n),
        }
    }
}

/// If one of the sides is turned, the parts are turned on the way.
///
/// # Safety
/// As for [`real_parts`].
pub(super) unsafe fn real_parts_of<const BYTES: usize, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe { parts_of::<BYTES, MODE, false>(src, dst, n) };
}

/// The same, and, if it is asked and nothing turned, whether all imaginary parts are zero, of either sign.
///
/// # Safety
/// As for [`real_parts`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn parts_of<const BYTES: usize, const MODE: usize, const ASKED: bool>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> bool {
    // (Both sides turned are neither.)
    const { assert!((!ASKED || MODE == stepwise::NONE) && MODE != stepwise::BOTH) };
    // SAFETY: the caller's: a register of real parts comes from two of complex elements.
    unsafe {
        let Avx512(x) = Avx512::summon();
        let (mut src, mut dst, mut left) = (src, dst, n * BYTES);
        let turn = x.turn(BYTES);
        let parts = |v| x.turned_if(MODE != stepwise::NONE, turn, reals::<BYTES>(x, v));
        let mut any = x.f._mm512_setzero_si512();
        while left >= 64 {
            let v = [x.load_dwords(src), x.load_dwords(src.add(64))];
            if ASKED {
                any = x.any_of(any, v);
            }
            x.store_dwords(dst, parts(v));
            (src, dst, left) = (src.add(128), dst.add(64), left - 64);
        }
        if left > 0 {
            let v = x.load_first_pair(src, 2 * left);
            if ASKED {
                any = x.any_of(any, v);
            }
            x.store_first(dst, parts(v), left);
        }
        ASKED && !has_imaginary::<BYTES>(x, any)
    }
}

/// Whether a bit of an imaginary part is set that is not its sign.
#[inline(always)]
fn has_imaginary<const BYTES: usize>(x: Features, any: __m512i) -> bool {
    let asked = match BYTES {
        2 => x.dword((u32::MAX >> 1) & !0xffff),
        4 => x.qword((u64::MAX >> 1) & !0xffff_ffff),
        _ => x.f._mm512_maskz_mov_epi64(0b1010_1010, x.qword(u64::MAX >> 1)),
    };
    x.f._mm512_test_epi64_mask(any, asked) != 0
}

#[inline(always)]
pub(super) fn reals<const BYTES: usize>(x: Features, [a, b]: [__m512i; 2]) -> __m512i {
    const EVEN: [u64; 8] = [0, 2, 4, 6, 8, 10, 12, 14];
    match BYTES {
        2 => x.low_words(a, b),
        4 => x.low_dwords([a, b]),
        _ => x.f._mm512_permutex2var_epi64(a, x.constant(&EVEN), b),
    }
}

/// Makes complex elements of real parts, with zero as imaginary part.
///
/// # Safety
/// `src` is valid for reading `n` components of `bytes` bytes, `dst` for writing `n` elements of two
/// components; they don't overlap. `bytes` is 2, 4 or 8. The CPU has AVX-512.
unsafe fn with_zero_imaginary(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            2 => with_zeros_of::<2, { stepwise::NONE }>(src, dst, n),
            4 => with_zeros_of::<4, { stepwise::NONE }>(src, dst, n),
            _ => with_zeros_of::<8, { stepwise::NONE }>(src, dst, n),
        }
    }
}

/// If one of the sides is turned, the parts are turned on the way.
///
/// # Safety
/// As for [`with_zero_imaginary`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn with_zeros_of<const BYTES: usize, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    const { assert!(MODE != stepwise::BOTH) };
    // SAFETY: the caller's: half a register of real parts makes one of complex elements.
    unsafe {
        let Avx512(x) = Avx512::summon();
        let (mut src, mut dst, mut left) = (src, dst, n * BYTES);
        let turn = x.turn(BYTES);
        let apart = |v| x.turned_if(MODE != stepwise::NONE, turn, apart::<BYTES>(x, v));
        while left >= 64 {
            x.store_dwords(dst, apart(x.load_words(src)));
            x.store_dwords(dst.add(64), apart(x.load_words(src.add(32))));
            (src, dst, left) = (src.add(64), dst.add(128), left - 64);
        }
        if left >= 32 {
            x.store_dwords(dst, apart(x.load_words(src)));
            (src, dst, left) = (src.add(32), dst.add(64), left - 32);
        }
        if left > 0 {
            let v = x.f._mm512_castsi512_si256(x.load_first(src, left));
            x.store_first(dst, apart(v), 2 * left);
        }
    }
}

/// Elements with zeros between them.
#[inline(always)]
pub(super) fn apart<const BYTES: usize>(x: Features, v: __m256i) -> __m512i {
    const TWICE: [u64; 8] = [0, 0, 1, 1, 2, 2, 3, 3];
    match BYTES {
        2 => x.f._mm512_cvtepu16_epi32(v),
        4 => x.f._mm512_cvtepu32_epi64(v),
        _ => {
            let v = x.f._mm512_castsi256_si512(v);
            x.f._mm512_maskz_permutexvar_epi64(0x55, x.constant(&TWICE), v)
        }
    }
}
