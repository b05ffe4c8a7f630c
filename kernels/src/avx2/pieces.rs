//! The rearrangements of packed and complex elements that a tile is made of. What is left after the
//! last whole vector is done by the portable ones.

use super::Avx2;
use crate::codec::Isa;
use crate::scalar::pieces::PIECES as PORTABLE;
use crate::shape::Screen;
use crate::table::Pieces;
use core::arch::x86_64::{__m128i, __m256i};
use core::hint::black_box;

pub(crate) const PIECES: Pieces = Pieces {
    unpack,
    pack,
    pack_fitting: Some(pack_fitting),
    real_parts,
    real_parts_of_reals,
    with_zero_imaginary,
};

/// Elements of a packed dtype that are packed together.
pub(super) const GROUP: usize = 128;

/// # Safety
/// As [`Pieces::unpack`]; the CPU has AVX2.
unsafe fn unpack(bits: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; the portable piece goes on where a whole number of bytes is done.
    unsafe {
        let isa = Avx2::summon();
        let done = isa.vectorize(
            #[inline(always)]
            move || match bits {
                1 => isa.unpack_of::<1>(src, dst, n),
                2 => isa.unpack_of::<2>(src, dst, n),
                4 => isa.unpack_of::<4>(src, dst, n),
                _ => isa.unpack_of::<6>(src, dst, n),
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
            move || match bits {
                1 => isa.pack_of::<1>(None, src, dst, n),
                2 => isa.pack_of::<2>(None, src, dst, n),
                4 => isa.pack_of::<4>(None, src, dst, n),
                _ => isa.pack_of::<6>(None, src, dst, n),
            },
        );
        (PORTABLE.pack)(bits, src.add(done), dst.add(done / 8 * bits), n - done);
    }
}

/// # Safety
/// As for every [`PackFitting`](crate::table::PackFitting); the CPU has AVX2.
unsafe fn pack_fitting(
    bits: usize,
    screen: &Screen,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx2::summon();
        isa.vectorize(
            #[inline(always)]
            move || match bits {
                1 => isa.pack_of::<1>(Some(screen), src, dst, n),
                2 => isa.pack_of::<2>(Some(screen), src, dst, n),
                4 => isa.pack_of::<4>(Some(screen), src, dst, n),
                _ => isa.pack_of::<6>(Some(screen), src, dst, n),
            },
        )
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
            move || match bytes {
                2 => isa.real_parts_2(src, dst, n),
                4 => isa.real_parts_4(src, dst, n),
                _ => isa.real_parts_8(src, dst, n),
            },
        );
        (PORTABLE.real_parts)(bytes, src.add(2 * bytes * done), dst.add(bytes * done), n - done);
    }
}

/// # Safety
/// As [`Pieces::real_parts_of_reals`]; the CPU has AVX2.
unsafe fn real_parts_of_reals(bytes: usize, src: *const u8, dst: *mut u8, n: usize) -> bool {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx2::summon();
        let (done, are_real) = isa.vectorize(
            #[inline(always)]
            move || isa.tested_parts(bytes, src, dst, n),
        );
        let (src, dst) = (src.add(2 * bytes * done), dst.add(bytes * done));
        (PORTABLE.real_parts_of_reals)(bytes, src, dst, n - done) && are_real
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
            move || match bytes {
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

/// Of elements of 6 bits, four in three bytes, the bytes that hold two of them, in words: of twelve bytes at the start of
/// the lower lane, and of twelve at the end of the upper one.
const PAIRS: [u8; 32] = [
    0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11, //
    4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14, 14, 15,
];

/// The same of 24 bytes in the middle of a register.
const INNER_PAIRS: [u8; 32] = [
    4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14, 14, 15, //
    0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11,
];

/// The factors, of two such words, that bring their numbers to the upper bits: they are at bits 0 and 6 of the one, at 4 and
/// 10 of the other.
pub(super) const SIXES: i32 = 0x0001_0010;

/// Packed elements in registers.
impl Avx2 {
    /// 32 elements of `BITS` bits, a byte each, with zeros above.
    ///
    /// # Safety
    /// `src` is valid for reading `4 * BITS` bytes.
    #[inline(always)]
    pub(super) unsafe fn spread<const BITS: usize>(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.spread_by::<BITS>(self.all32(SIXES), src) }
    }

    /// The same, given [`SIXES`], hidden or not.
    ///
    /// # Safety
    /// As for [`spread`](Self::spread).
    #[inline(always)]
    unsafe fn spread_by<const BITS: usize>(self, sixes: __m256i, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        unsafe {
            match BITS {
                1 => self.spread_1(src.cast::<i32>().read_unaligned()),
                2 => self.spread_2(self.load_64x(src)),
                4 => self.spread_4(self.loadx(src)),
                // Twelve bytes each, at the start of the one and at the end of the other.
                _ => self.spread_6(sixes, self.join(self.loadx(src.add(8)), self.loadx(src))),
            }
        }
    }

    /// Ones and zeros.
    #[inline(always)]
    fn spread_1(self, bits: i32) -> __m256i {
        self.min_u8(self.own_bits(bits).0, self.all8(1))
    }

    /// All ones for bits that are set.
    #[inline(always)]
    pub(super) fn bits_to_bytes(self, bits: i32) -> __m256i {
        let (own, bit) = self.own_bits(bits);
        self.eq8(own, bit)
    }

    /// Every byte eight times, with one of its bits each; and those bits.
    #[inline(always)]
    fn own_bits(self, bits: i32) -> (__m256i, __m256i) {
        const REPEAT: [u8; 32] = {
            let mut at = [0; 32];
            let mut i = 0;
            while i < 32 {
                at[i] = i as u8 / 8;
                i += 1;
            }
            at
        };
        let bit = self.all64(0x8040_2010_0804_0201u64 as i64);
        let repeated = self.shuffle8(self.all32(bits), self.constant(&REPEAT));
        (self.and(repeated, bit), bit)
    }

    /// A byte alone in 32 bits: shifted left by 0, 6, 12 and 18 its pairs of bits stand at 0, 8, 16
    /// and 24, and what else comes with them stands where the mask is zero.
    #[inline(always)]
    fn spread_2(self, bytes: __m128i) -> __m256i {
        let v = self.u8_to_i32(bytes);
        let v = self.or(v, self.shl32::<6>(v));
        self.and(self.or(v, self.shl32::<12>(v)), self.all8(3))
    }

    /// A byte alone in 16 bits, and the same shifted left by 4: its halves stand at 0 and 8.
    #[inline(always)]
    fn spread_4(self, bytes: __m128i) -> __m256i {
        let v = self.u8_to_i16(bytes);
        self.and(self.or(v, self.shl16::<4>(v)), self.all8(15))
    }

    /// Of a word whose numbers are in its upper bits, `(64 high + low) * 16`, this makes `256 high + low` as
    /// `64 high + low` and 3 times `64 high`. Shifts are products, since it is shifts and shuffles of which
    /// there are too many.
    #[inline(always)]
    fn spread_6(self, sixes: __m256i, v: __m256i) -> __m256i {
        let words = self.mul16(self.shuffle8(v, self.constant(&PAIRS)), sixes);
        let high = self.and(words, self.all16(-64 * 16));
        let low = self.mul_high_u16(words, self.all16(1 << 12));
        self.add16(low, self.mul_high_u16(high, self.all16(3 << 12)))
    }

    /// What [`on_top`](Self::on_top) wants: [`SIXES`], hidden from the compiler, which would make a shift and a blend of
    /// the product.
    #[inline(always)]
    pub(super) fn hidden_sixes(self) -> __m256i {
        black_box(self.all32(SIXES))
    }

    /// A quarter of a group of elements of 6 bits in the upper bits of a byte each, with anything below.
    ///
    /// # Safety
    /// `src` is valid for reading the group's 96 bytes; the quarter is below 4.
    #[inline(always)]
    pub(super) unsafe fn on_top(self, sixes: __m256i, src: *const u8, quarter: usize) -> __m256i {
        // SAFETY: the caller's: the first and the last quarter load 24 bytes, the others 32, of which 4 are the quarter
        // before and 4 the one after.
        let pairs = unsafe {
            let src = src.add(24 * quarter);
            if quarter == 0 || quarter == 3 {
                let v = self.join(self.loadx(src.add(8)), self.loadx(src));
                self.shuffle8(v, self.constant(&PAIRS))
            } else {
                self.shuffle8(self.load(src.sub(4)), self.constant(&INNER_PAIRS))
            }
        };
        let words = self.mul16(pairs, sixes);
        self.blend8(self.shr16::<2>(words), words, self.all16(-256))
    }

    /// Packs a group of elements in the low `BITS` bits of a byte each, with zeros above.
    ///
    /// # Safety
    /// `dst` is valid for writing `16 * BITS` bytes.
    #[inline(always)]
    pub(super) unsafe fn squeeze<const BITS: usize>(
        self,
        [a, b, c, d]: [__m256i; 4],
        dst: *mut u8,
    ) {
        // SAFETY: the caller's.
        unsafe {
            match BITS {
                1 => {
                    let bits = [self.ones(a), self.ones(b), self.ones(c), self.ones(d)];
                    dst.cast::<[i32; 4]>().write_unaligned(bits);
                }
                2 => {
                    // Pairs joined by `a + 4 b`, then pairs of those by `a + 16 b`.
                    let (pairs, fours) = (self.all16(0x0401), self.all16(0x1001));
                    let ab = self.pack_u16(self.madd8(a, pairs), self.madd8(b, pairs));
                    let cd = self.pack_u16(self.madd8(c, pairs), self.madd8(d, pairs));
                    let bytes = self.pack_u16(self.madd8(ab, fours), self.madd8(cd, fours));
                    self.store(dst, self.packed_in_order(bytes));
                }
                4 => {
                    self.store(dst, self.squeeze_4(a, b));
                    self.store(dst.add(32), self.squeeze_4(c, d));
                }
                _ => self.squeeze_6([a, b, c, d], dst),
            }
        }
    }

    /// A bit per byte: its lowest.
    #[inline(always)]
    fn ones(self, v: __m256i) -> i32 {
        self.signs8(self.shl16::<7>(v))
    }

    /// Pairs joined by `a + 16 b`.
    #[inline(always)]
    pub(super) fn squeeze_4(self, a: __m256i, b: __m256i) -> __m256i {
        let pairs = self.all16(0x1001);
        self.in_order(self.pack_u16(self.madd8(a, pairs), self.madd8(b, pairs)))
    }

    /// # Safety
    /// As for [`squeeze`](Self::squeeze).
    #[inline(always)]
    unsafe fn squeeze_6(self, v: [__m256i; 4], dst: *mut u8) {
        // SAFETY: the caller's: 96 bytes. A lane has 12 of them; the 4 zeros that are written after
        // them are written over by the next one, and the last one is written without.
        unsafe {
            let mut k = 0;
            while k < 4 {
                let bytes = self.threes_of_6(v[k]);
                let (low, high) = (self.lower(bytes), self.half::<1>(bytes));
                self.storex(dst.add(24 * k), low);
                let to = dst.add(24 * k + 12);
                if k < 3 {
                    self.storex(to, high);
                } else {
                    let dwords: [u32; 4] = bytemuck::cast(high);
                    to.cast::<[u32; 3]>().write_unaligned([dwords[0], dwords[1], dwords[2]]);
                }
                k += 1;
            }
        }
    }

    /// Pairs joined by `a + 64 b`, then pairs of those by `a + 4096 b`: three bytes in 32 bits, which
    /// a shuffle puts side by side.
    #[inline(always)]
    fn threes_of_6(self, v: __m256i) -> __m256i {
        const THREES: [u8; 32] = {
            let lane = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 128, 128, 128, 128];
            let mut lanes = [0; 32];
            let mut i = 0;
            while i < 32 {
                lanes[i] = lane[i % 16];
                i += 1;
            }
            lanes
        };
        let fours = self.madd16(self.madd8(v, self.all16(0x4001)), self.all32(0x1000_0001));
        self.shuffle8(fours, self.constant(&THREES))
    }
}

/// Each answers how many elements it did: a multiple of 8, at most `n`.
///
/// # Safety
/// Of all: as the field of [`Pieces`] that the function is for.
impl Avx2 {
    #[inline(always)]
    unsafe fn unpack_of<const BITS: usize>(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let sixes = if BITS == 6 { self.hidden_sixes() } else { self.zero() };
        let mut i = 0;
        // (One vector in an iteration would take less than four cycles, see `direct::by_memory`.)
        while i + GROUP <= n {
            for k in [0, 32, 64, 96] {
                // SAFETY: a group is left.
                unsafe {
                    self.store(
                        dst.add(i + k),
                        self.spread_by::<BITS>(sixes, src.add((i + k) / 8 * BITS)),
                    )
                };
            }
            i += GROUP;
        }
        while i + 32 <= n {
            // SAFETY: 32 elements are left.
            unsafe { self.store(dst.add(i), self.spread_by::<BITS>(sixes, src.add(i / 8 * BITS))) };
            i += 32;
        }
        i
    }

    #[inline(always)]
    unsafe fn pack_of<const BITS: usize>(
        self,
        screen: Option<&Screen>,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> usize {
        let mask = self.all8(const { (1 << BITS) - 1 });
        let (addend, keep) = match screen {
            Some(screen) => (self.all8(screen.addend as i8), self.all8(screen.keep as i8)),
            None => (self.zero(), self.zero()),
        };
        let mut i = 0;
        while i + GROUP <= n {
            // SAFETY: a group is left.
            unsafe {
                let from = src.add(i);
                let (a, b) = (self.load(from), self.load(from.add(32)));
                let (c, d) = (self.load(from.add(64)), self.load(from.add(96)));
                if screen.is_some() {
                    let ab = self.or(self.add8(a, addend), self.add8(b, addend));
                    let cd = self.or(self.add8(c, addend), self.add8(d, addend));
                    if self.testz(self.or(ab, cd), keep) == 0 {
                        break;
                    }
                }
                let numbers =
                    [self.and(a, mask), self.and(b, mask), self.and(c, mask), self.and(d, mask)];
                self.squeeze::<BITS>(numbers, dst.add(i / 8 * BITS));
            }
            i += GROUP;
        }
        i
    }

    /// The real parts of groups of 32 elements, how many these are, and whether all imaginary parts are zero.
    ///
    /// # Safety
    /// As [`Pieces::real_parts_of_reals`].
    #[inline(always)]
    unsafe fn tested_parts(
        self,
        bytes: usize,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> (usize, bool) {
        const LEN: usize = 32;
        let asked = match bytes {
            2 => self.all32(i32::MAX & !0xffff),
            4 => self.all64(i64::MAX & !0xffff_ffff),
            _ => self.0.avx._mm256_set_epi64x(i64::MAX, 0, i64::MAX, 0),
        };
        let mut any = self.zero();
        let mut i = 0;
        while i + LEN <= n {
            // SAFETY: the caller's: so many elements are left on both sides, a multiple of what each piece casts at once.
            unsafe {
                let (src, dst) = (src.add(2 * bytes * i), dst.add(bytes * i));
                for at in (0..2 * bytes * LEN).step_by(32) {
                    any = self.or(any, self.load(src.add(at)));
                }
                match bytes {
                    2 => self.real_parts_2(src, dst, LEN),
                    4 => self.real_parts_4(src, dst, LEN),
                    _ => self.real_parts_8(src, dst, LEN),
                };
            }
            i += LEN;
        }
        (i, self.testz(any, asked) != 0)
    }

    #[inline(always)]
    pub(super) unsafe fn real_parts_2(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
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
    pub(super) unsafe fn real_parts_4(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let mut i = 0;
        // SAFETY: so many elements are left, of 8 bytes in the source and 4 in the destination.
        unsafe {
            while i + 32 <= n {
                for k in [0, 8, 16, 24] {
                    self.real_dwords(src.add(8 * (i + k)), dst.add(4 * (i + k)));
                }
                i += 32;
            }
            while i + 8 <= n {
                self.real_dwords(src.add(8 * i), dst.add(4 * i));
                i += 8;
            }
        }
        i
    }

    /// # Safety
    /// `src` is valid for reading 64 bytes and `dst` for writing 32.
    #[inline(always)]
    unsafe fn real_dwords(self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            let parts = self.even_dwords(self.load(src), self.load(src.add(32)));
            self.store(dst, self.in_order(parts));
        }
    }

    #[inline(always)]
    pub(super) unsafe fn real_parts_8(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
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
    pub(super) unsafe fn with_zero_imaginary_2(
        self,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> usize {
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
    pub(super) unsafe fn with_zero_imaginary_4(
        self,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> usize {
        let mut i = 0;
        // SAFETY: so many elements are left, of 4 bytes in the source and 8 in the destination.
        unsafe {
            while i + 32 <= n {
                for k in [0, 4, 8, 12, 16, 20, 24, 28] {
                    self.with_zero_dwords(src.add(4 * (i + k)), dst.add(8 * (i + k)));
                }
                i += 32;
            }
            while i + 8 <= n {
                for k in [0, 4] {
                    self.with_zero_dwords(src.add(4 * (i + k)), dst.add(8 * (i + k)));
                }
                i += 8;
            }
        }
        i
    }

    /// # Safety
    /// `src` is valid for reading 16 bytes and `dst` for writing 32.
    #[inline(always)]
    unsafe fn with_zero_dwords(self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { self.store(dst, self.u32_to_i64(self.loadx(src))) }
    }

    #[inline(always)]
    pub(super) unsafe fn with_zero_imaginary_8(
        self,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> usize {
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
