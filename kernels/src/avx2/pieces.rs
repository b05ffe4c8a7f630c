//! The rearrangements of packed and complex elements that a tile is made of. What is left after the
//! last whole vector is done by the portable ones.

use super::Avx2;
use crate::codec::Isa;
use crate::scalar::pieces::PIECES as PORTABLE;
use crate::table::Pieces;
use core::arch::x86_64::{__m128i, __m256i};

pub(crate) const PIECES: Pieces = Pieces { unpack, pack, real_parts, with_zero_imaginary };

/// # Safety
/// As [`Pieces::unpack`]; the CPU has AVX2.
unsafe fn unpack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; the portable piece goes on where a whole number of bytes is done.
    unsafe {
        let isa = Avx2::summon();
        let done = isa.vectorize(
            #[inline(always)]
            || match bits {
                1 => isa.unpack_1(src, dst, n),
                2 => isa.unpack_2(src, dst, n),
                4 => isa.unpack_4(src, dst, n),
                _ => isa.unpack_6(src, dst, n),
            },
        );
        (PORTABLE.unpack)(bits, src.add(done / 8 * bits), dst.add(done), n - done);
    }
}

/// # Safety
/// As [`Pieces::pack`]; the CPU has AVX2.
unsafe fn pack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; the portable piece goes on where a whole number of bytes is done.
    unsafe {
        let isa = Avx2::summon();
        let done = isa.vectorize(
            #[inline(always)]
            || match bits {
                1 => isa.pack_1(src, dst, n),
                2 => isa.pack_2(src, dst, n),
                4 => isa.pack_4(src, dst, n),
                _ => isa.pack_6(src, dst, n),
            },
        );
        (PORTABLE.pack)(bits, src.add(done), dst.add(done / 8 * bits), n - done);
    }
}

/// # Safety
/// As [`Pieces::real_parts`]; the CPU has AVX2.
unsafe fn real_parts(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx2::summon();
        let done = isa.vectorize(
            #[inline(always)]
            || match bytes {
                2 => isa.real_parts_2(src, dst, n),
                4 => isa.real_parts_4(src, dst, n),
                _ => isa.real_parts_8(src, dst, n),
            },
        );
        (PORTABLE.real_parts)(bytes, src.add(2 * bytes * done), dst.add(bytes * done), n - done);
    }
}

/// # Safety
/// As [`Pieces::with_zero_imaginary`]; the CPU has AVX2.
unsafe fn with_zero_imaginary(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx2::summon();
        let done = isa.vectorize(
            #[inline(always)]
            || match bytes {
                2 => isa.with_zero_imaginary_2(src, dst, n),
                4 => isa.with_zero_imaginary_4(src, dst, n),
                _ => isa.with_zero_imaginary_8(src, dst, n),
            },
        );
        let (src, dst) = (src.add(bytes * done), dst.add(2 * bytes * done));
        (PORTABLE.with_zero_imaginary)(bytes, src, dst, n - done);
    }
}

/// Reads a vector, at any alignment.
///
/// # Safety
/// `src` is valid for reading 32 bytes.
#[inline(always)]
unsafe fn load(src: *const u8) -> __m256i {
    // SAFETY: the caller's.
    unsafe { src.cast::<__m256i>().read_unaligned() }
}

/// Reads half a vector, at any alignment.
///
/// # Safety
/// `src` is valid for reading 16 bytes.
#[inline(always)]
unsafe fn load_half(src: *const u8) -> __m128i {
    // SAFETY: the caller's.
    unsafe { src.cast::<__m128i>().read_unaligned() }
}

/// Writes a vector, at any alignment.
///
/// # Safety
/// `dst` is valid for writing 32 bytes.
#[inline(always)]
unsafe fn store(dst: *mut u8, value: __m256i) {
    // SAFETY: the caller's.
    unsafe { dst.cast::<__m256i>().write_unaligned(value) }
}

/// Each answers how many elements it did: a multiple of 8, at most `n`.
///
/// # Safety
/// Of all: as the field of [`Pieces`] that the function is for.
impl Avx2 {
    /// Every byte eight times, tested for a bit each.
    #[inline(always)]
    unsafe fn unpack_1(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let (one, two) = (0x0101_0101_0101_0101, 0x0202_0202_0202_0202);
        let repeat = avx._mm256_setr_epi64x(0, one, two, one + two);
        let bit = avx._mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
        let mut i = 0;
        while i + 32 <= n {
            // SAFETY: 32 elements are left: 4 bytes of the source, 32 of the destination.
            unsafe {
                let bytes = src.add(i / 8).cast::<i32>().read_unaligned();
                let repeated = avx2._mm256_shuffle_epi8(avx._mm256_set1_epi32(bytes), repeat);
                let set = avx2._mm256_cmpeq_epi8(avx2._mm256_and_si256(repeated, bit), bit);
                store(dst.add(i), avx2._mm256_and_si256(set, avx._mm256_set1_epi8(1)));
            }
            i += 32;
        }
        i
    }

    /// A byte `b` alone in 32 bits: shifted left by 0, 6, 12 and 18 its pairs of bits stand at 0, 8,
    /// 16 and 24, and what else comes with them stands where the mask is zero.
    #[inline(always)]
    unsafe fn unpack_2(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let mask = avx._mm256_set1_epi32(0x0303_0303);
        let mut i = 0;
        while i + 32 <= n {
            // SAFETY: 32 elements are left: 8 bytes of the source, 32 of the destination.
            unsafe {
                let bytes = src.add(i / 4).cast::<i64>().read_unaligned();
                let x = avx2._mm256_cvtepu8_epi32(self.0.sse2._mm_set_epi64x(0, bytes));
                let x = avx2._mm256_or_si256(x, avx2._mm256_slli_epi32::<6>(x));
                let x = avx2._mm256_or_si256(x, avx2._mm256_slli_epi32::<12>(x));
                store(dst.add(i), avx2._mm256_and_si256(x, mask));
            }
            i += 32;
        }
        i
    }

    /// A byte alone in 16 bits, and the same shifted left by 4: its halves stand at 0 and 8.
    #[inline(always)]
    unsafe fn unpack_4(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let mask = avx._mm256_set1_epi8(15);
        let mut i = 0;
        while i + 32 <= n {
            // SAFETY: 32 elements are left: 16 bytes of the source, 32 of the destination.
            unsafe {
                let x = avx2._mm256_cvtepu8_epi16(load_half(src.add(i / 2)));
                let x = avx2._mm256_or_si256(x, avx2._mm256_slli_epi16::<4>(x));
                store(dst.add(i), avx2._mm256_and_si256(x, mask));
            }
            i += 32;
        }
        i
    }

    /// Three bytes alone in 32 bits, `v`: the four numbers are spread by shifts of 0, 2, 4 and 6.
    #[inline(always)]
    unsafe fn unpack_6(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let threes = avx2._mm256_broadcastsi128_si256(
            self.0.sse2._mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1),
        );
        let at = |k: u32| avx._mm256_set1_epi32(0x3f << (8 * k));
        let mut i = 0;
        // The second half reads 16 bytes from byte 12 on: 28, of which 32 elements have only 24.
        while i + 40 <= n {
            // SAFETY: 40 elements are left: 30 bytes of the source, and 32 of the destination.
            unsafe {
                let from = src.add(i / 4 * 3);
                let v = avx._mm256_set_m128i(load_half(from.add(12)), load_half(from));
                let v = avx2._mm256_shuffle_epi8(v, threes);
                let first = avx2._mm256_and_si256(v, at(0));
                let second = avx2._mm256_and_si256(avx2._mm256_slli_epi32::<2>(v), at(1));
                let third = avx2._mm256_and_si256(avx2._mm256_slli_epi32::<4>(v), at(2));
                let fourth = avx2._mm256_and_si256(avx2._mm256_slli_epi32::<6>(v), at(3));
                let low = avx2._mm256_or_si256(first, second);
                store(dst.add(i), avx2._mm256_or_si256(low, avx2._mm256_or_si256(third, fourth)));
            }
            i += 32;
        }
        i
    }

    /// The lowest bit of each byte, moved to where `vpmovmskb` takes it.
    #[inline(always)]
    unsafe fn pack_1(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let avx2 = self.0.avx2;
        let mut i = 0;
        while i + 32 <= n {
            // SAFETY: 32 elements are left: 32 bytes of the source, 4 of the destination.
            unsafe {
                let high = avx2._mm256_slli_epi16::<7>(load(src.add(i)));
                let bits = avx2._mm256_movemask_epi8(high);
                dst.add(i / 8).cast::<i32>().write_unaligned(bits);
            }
            i += 32;
        }
        i
    }

    /// Pairs joined by `a + 4 b`, then pairs of those by `a + 16 b`.
    #[inline(always)]
    unsafe fn pack_2(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let (pairs, fours) = (avx._mm256_set1_epi16(0x0401), avx._mm256_set1_epi32(0x0010_0001));
        let mask = avx._mm256_set1_epi8(3);
        // The two packings work within halves: dwords 0, 4, 1, 5 ... bring the bytes back in order.
        let order = avx._mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        let mut i = 0;
        while i + 128 <= n {
            // SAFETY: 128 elements are left: 128 bytes of the source, 32 of the destination.
            unsafe {
                let join = |k: usize| {
                    let numbers = avx2._mm256_and_si256(load(src.add(i + 32 * k)), mask);
                    avx2._mm256_madd_epi16(avx2._mm256_maddubs_epi16(numbers, pairs), fours)
                };
                let (low, high) = (
                    avx2._mm256_packus_epi32(join(0), join(1)),
                    avx2._mm256_packus_epi32(join(2), join(3)),
                );
                let bytes = avx2._mm256_packus_epi16(low, high);
                store(dst.add(i / 4), avx2._mm256_permutevar8x32_epi32(bytes, order));
            }
            i += 128;
        }
        i
    }

    /// Pairs joined by `a + 16 b`.
    #[inline(always)]
    unsafe fn pack_4(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let (pairs, mask) = (avx._mm256_set1_epi16(0x1001), avx._mm256_set1_epi8(15));
        let mut i = 0;
        while i + 64 <= n {
            // SAFETY: 64 elements are left: 64 bytes of the source, 32 of the destination.
            unsafe {
                let join = |k: usize| {
                    let numbers = avx2._mm256_and_si256(load(src.add(i + 32 * k)), mask);
                    avx2._mm256_maddubs_epi16(numbers, pairs)
                };
                let bytes = avx2._mm256_packus_epi16(join(0), join(1));
                store(dst.add(i / 2), avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(bytes));
            }
            i += 64;
        }
        i
    }

    /// Pairs joined by `a + 64 b`, then pairs of those by `a + 4096 b`: three bytes in 32 bits, which
    /// a shuffle puts side by side.
    #[inline(always)]
    unsafe fn pack_6(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let (pairs, fours) = (avx._mm256_set1_epi16(0x4001), avx._mm256_set1_epi32(0x1000_0001));
        let mask = avx._mm256_set1_epi8(63);
        let threes = avx2._mm256_broadcastsi128_si256(
            self.0.sse2._mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1),
        );
        let mut i = 0;
        // The second half writes 16 bytes from byte 12 on: 28, the last four of which are zeros that
        // the elements after these 32 write over.
        while i + 40 <= n {
            // SAFETY: 40 elements are left: 32 bytes of the source are read, and 28 of the
            // destination's 30 written.
            unsafe {
                let numbers = avx2._mm256_and_si256(load(src.add(i)), mask);
                let joined =
                    avx2._mm256_madd_epi16(avx2._mm256_maddubs_epi16(numbers, pairs), fours);
                let bytes = avx2._mm256_shuffle_epi8(joined, threes);
                let to = dst.add(i / 4 * 3);
                let low = avx._mm256_castsi256_si128(bytes);
                to.cast::<__m128i>().write_unaligned(low);
                let high = avx2._mm256_extracti128_si256::<1>(bytes);
                to.add(12).cast::<__m128i>().write_unaligned(high);
            }
            i += 32;
        }
        i
    }

    #[inline(always)]
    unsafe fn real_parts_2(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let low = avx._mm256_set1_epi32(0xffff);
        let mut i = 0;
        while i + 16 <= n {
            // SAFETY: 16 elements are left: 64 bytes of the source, 32 of the destination.
            unsafe {
                let a = avx2._mm256_and_si256(load(src.add(4 * i)), low);
                let b = avx2._mm256_and_si256(load(src.add(4 * i + 32)), low);
                let words = avx2._mm256_packus_epi32(a, b);
                store(dst.add(2 * i), avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(words));
            }
            i += 16;
        }
        i
    }

    #[inline(always)]
    unsafe fn real_parts_4(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 64 bytes of the source, 32 of the destination.
            unsafe {
                let a = avx._mm256_castsi256_ps(load(src.add(8 * i)));
                let b = avx._mm256_castsi256_ps(load(src.add(8 * i + 32)));
                let parts = avx._mm256_castps_si256(avx._mm256_shuffle_ps::<0b10_00_10_00>(a, b));
                store(dst.add(4 * i), avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(parts));
            }
            i += 8;
        }
        i
    }

    #[inline(always)]
    unsafe fn real_parts_8(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let avx2 = self.0.avx2;
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 128 bytes of the source, 64 of the destination.
            unsafe {
                for k in [0, 4] {
                    let from = src.add(16 * (i + k));
                    let parts = avx2._mm256_unpacklo_epi64(load(from), load(from.add(32)));
                    let parts = avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(parts);
                    store(dst.add(8 * (i + k)), parts);
                }
            }
            i += 8;
        }
        i
    }

    #[inline(always)]
    unsafe fn with_zero_imaginary_2(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let avx2 = self.0.avx2;
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 16 bytes of the source, 32 of the destination.
            unsafe {
                store(dst.add(4 * i), avx2._mm256_cvtepu16_epi32(load_half(src.add(2 * i))));
            }
            i += 8;
        }
        i
    }

    #[inline(always)]
    unsafe fn with_zero_imaginary_4(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let avx2 = self.0.avx2;
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 32 bytes of the source, 64 of the destination.
            unsafe {
                for k in [0, 4] {
                    let parts = load_half(src.add(4 * (i + k)));
                    store(dst.add(8 * (i + k)), avx2._mm256_cvtepu32_epi64(parts));
                }
            }
            i += 8;
        }
        i
    }

    #[inline(always)]
    unsafe fn with_zero_imaginary_8(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let zero = avx._mm256_setzero_si256();
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 64 bytes of the source, 128 of the destination.
            unsafe {
                for k in [0, 4] {
                    let parts = load(src.add(8 * (i + k)));
                    // Parts 0, 2 in the low half and 1, 3 in the high one.
                    let parts = avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(parts);
                    let to = dst.add(16 * (i + k));
                    store(to, avx2._mm256_unpacklo_epi64(parts, zero));
                    store(to.add(32), avx2._mm256_unpackhi_epi64(parts, zero));
                }
            }
            i += 8;
        }
        i
    }
}
