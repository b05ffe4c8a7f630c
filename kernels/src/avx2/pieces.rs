//! The rearrangements of packed and complex elements that a tile is made of. What is left after the
//! last whole vector is done by the portable ones.

use super::Avx2;
use super::parts::{real_parts, real_parts_of_reals, with_zero_imaginary};
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

    /// Packs a group of elements in the low `BITS` bits of a byte each, with zeros above; all 8 are stored as they are.
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
                8 => {
                    self.store(dst, a);
                    self.store(dst.add(32), b);
                    self.store(dst.add(64), c);
                    self.store(dst.add(96), d);
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
}
