//! The rearrangements of packed and complex elements that a tile is made of, 32 packed or 16 complex
//! elements at a time. What is left then is so little that the portable piece does it: it starts at a
//! whole byte, since 32 elements of any width are whole bytes.

use super::Avx2;
use crate::codec::Isa;
use crate::scalar::pieces as portable;
use crate::table::Pieces;
use core::arch::x86_64::__m256i;

pub(crate) const PIECES: Pieces = Pieces { unpack, pack, real_parts, with_zero_imaginary };

macro_rules! pieces {
    ($(
        $(#[$doc:meta])*
        $piece:ident $group:literal |$isa:ident, $src:ident, $dst:ident| {
            $($width:literal => $from:literal $to:literal $step:expr;)*
        }
    )*) => {$(
        $(#[$doc])*
        unsafe fn $piece(width: usize, src: *const u8, dst: *mut u8, n: usize) {
            // SAFETY: the caller knows that the CPU has the instruction set of this table.
            let $isa = unsafe { Avx2::summon() };
            let groups = n / $group;
            let (from, to) = match width {
                $($width => {
                    $isa.vectorize(
                        #[inline(always)]
                        || {
                            for i in 0..groups {
                                // SAFETY: the caller's: a group is so many bytes on either side, and
                                // `groups` of them are in both buffers.
                                unsafe {
                                    let ($src, $dst) = (src.add($from * i), dst.add($to * i));
                                    $step;
                                }
                            }
                        },
                    );
                    ($from * groups, $to * groups)
                })*
                _ => (0, 0),
            };
            let rest = n - $group * groups;
            if rest != 0 {
                // SAFETY: the caller's; so many bytes are the elements already done.
                unsafe { portable::$piece(width, src.add(from), dst.add(to), rest) }
            }
        }
    )*};
}

pieces! {
    /// Writes the numbers of packed elements to a byte each, in its low bits.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements of `width` bits, and `dst` for writing `n` bytes; they
    /// don't overlap. `width` is 1, 2, 4 or 6. The CPU has the instruction set of this table.
    unpack 32 |isa, src, dst| {
        1 => 4 32 isa.store(dst, isa.unpack_1(src.cast::<i32>().read_unaligned()));
        2 => 8 32 isa.store(dst, isa.unpack_2(isa.u8_to_i32(isa.load_64x(src))));
        4 => 16 32 isa.store(dst, isa.unpack_4(isa.u8_to_i16(isa.loadx(src))));
        6 => 24 32 isa.store(dst, isa.unpack_6(isa.join(isa.loadx(src.add(8)), isa.loadx(src))));
    }

    /// Packs numbers from the low bits of a byte each.
    ///
    /// # Safety
    /// `src` is valid for reading `n` bytes and `dst` for writing `n` elements of `width` bits; they
    /// don't overlap. `width` is 1, 2, 4 or 6. The CPU has the instruction set of this table.
    pack 32 |isa, src, dst| {
        1 => 32 4 {
            let bits = isa.signs_of_bytes(isa.shl16::<7>(isa.load(src)));
            dst.cast::<i32>().write_unaligned(bits)
        };
        2 => 32 8 isa.store_64x(dst, isa.lower(isa.pack_2(isa.load(src))));
        4 => 32 16 {
            let words = isa.pack_4(isa.load(src));
            isa.storex(dst, isa.pack_u16x(isa.lower(words), isa.half::<1>(words)))
        };
        6 => 32 24 {
            let bytes = isa.pack_6(isa.load(src));
            isa.storex(dst, isa.lower(bytes));
            isa.store_64x(dst.add(16), isa.half::<1>(bytes))
        };
    }

    /// Copies the real parts of complex elements.
    ///
    /// # Safety
    /// `src` is valid for reading `n` elements of two components of `width` bytes, `dst` for writing
    /// `n` components; they don't overlap. `width` is 2, 4 or 8. The CPU has the instruction set of
    /// this table.
    real_parts 16 |isa, src, dst| {
        2 => 64 32 isa.store(dst, isa.even_words(isa.load(src), isa.load(src.add(32))));
        4 => 128 64 {
            isa.store(dst, isa.low_dwords_of(src));
            isa.store(dst.add(32), isa.low_dwords_of(src.add(64)));
        };
        8 => 256 128 {
            isa.store(dst, isa.even_qwords(src));
            isa.store(dst.add(32), isa.even_qwords(src.add(64)));
            isa.store(dst.add(64), isa.even_qwords(src.add(128)));
            isa.store(dst.add(96), isa.even_qwords(src.add(192)));
        };
    }

    /// Makes complex elements of real parts, with zero as imaginary part.
    ///
    /// # Safety
    /// `src` is valid for reading `n` components of `width` bytes, `dst` for writing `n` elements of
    /// two components; they don't overlap. `width` is 2, 4 or 8. The CPU has the instruction set of
    /// this table.
    with_zero_imaginary 16 |isa, src, dst| {
        2 => 32 64 {
            isa.store(dst, isa.u16_to_i32(isa.loadx(src)));
            isa.store(dst.add(32), isa.u16_to_i32(isa.loadx(src.add(16))));
        };
        4 => 64 128 {
            isa.store(dst, isa.u32_to_i64(isa.loadx(src)));
            isa.store(dst.add(32), isa.u32_to_i64(isa.loadx(src.add(16))));
            isa.store(dst.add(64), isa.u32_to_i64(isa.loadx(src.add(32))));
            isa.store(dst.add(96), isa.u32_to_i64(isa.loadx(src.add(48))));
        };
        8 => 128 256 {
            isa.store_qwords_apart(isa.load(src), dst);
            isa.store_qwords_apart(isa.load(src.add(32)), dst.add(64));
            isa.store_qwords_apart(isa.load(src.add(64)), dst.add(128));
            isa.store_qwords_apart(isa.load(src.add(96)), dst.add(192));
        };
    }
}

/// Packed numbers.
impl Avx2 {
    /// 32 bits to a byte each.
    #[inline(always)]
    fn unpack_1(self, bits: i32) -> __m256i {
        // Each byte eight times, then of each the bit that is its place's.
        let byte = |k: i64| k * 0x0101_0101_0101_0101;
        let bytes =
            self.shuffle8(self.all32(bits), self.lanes64(byte(0), byte(1), byte(2), byte(3)));
        let bit = self.all64(0x8040_2010_0804_0201_u64 as i64);
        self.and(self.eq8(self.and(bytes, bit), bit), self.all8(1))
    }

    /// A byte in each dword to its four pairs of bits. A pair must go 6 bits further up than the one
    /// before it.
    #[inline(always)]
    fn unpack_2(self, v: __m256i) -> __m256i {
        let v = self.or(v, self.shl32::<12>(v));
        self.and(self.or(v, self.shl32::<6>(v)), self.all8(3))
    }

    /// A byte in each word to its two nibbles.
    #[inline(always)]
    fn unpack_4(self, v: __m256i) -> __m256i {
        self.and(self.or(v, self.shl16::<4>(v)), self.all8(15))
    }

    /// Twelve bytes from byte 0 of the lower lane and from byte 4 of the upper one to numbers of 6
    /// bits, four in three bytes. Each must go 2 bits further up than the one before it.
    #[inline(always)]
    fn unpack_6(self, v: __m256i) -> __m256i {
        let lower = self.lanes32(0x0c02_0100, 0x0c05_0403, 0x0c08_0706, 0x0c0b_0a09, 0, 0, 0, 0);
        let upper = self.lanes32(0, 0, 0, 0, 0x0006_0504, 0x0009_0807, 0x000c_0b0a, 0x000f_0e0d);
        let v = self.shuffle8(v, self.or(lower, upper));
        let pick = |v, mask| self.and(v, self.all32(mask));
        let (a, b) = (pick(v, 0x3f), pick(self.shl32::<2>(v), 0x3f00));
        let c = pick(self.shl32::<4>(v), 0x3f_0000);
        let d = pick(self.shl32::<6>(v), 0x3f00_0000);
        self.or(self.or(a, b), self.or(c, d))
    }

    /// 32 pairs of bits to 8 bytes.
    #[inline(always)]
    fn pack_2(self, v: __m256i) -> __m256i {
        let fours = self.maddubs(self.and(v, self.all8(3)), self.all16(0x0401));
        let dwords = self.madd16(fours, self.all32(0x0010_0001));
        let first = 0x0c08_0400;
        let bytes = self.shuffle8(dwords, self.lanes32(first, -1, -1, -1, first, -1, -1, -1));
        self.permute32(bytes, self.lanes32(0, 4, 1, 1, 1, 1, 1, 1))
    }

    /// 32 nibbles to 16 words.
    #[inline(always)]
    fn pack_4(self, v: __m256i) -> __m256i {
        self.maddubs(self.and(v, self.all8(15)), self.all16(0x1001))
    }

    /// 32 numbers of 6 bits to 24 bytes.
    #[inline(always)]
    fn pack_6(self, v: __m256i) -> __m256i {
        let twelves = self.maddubs(self.and(v, self.all8(0x3f)), self.all16(0x4001));
        let dwords = self.madd16(twelves, self.all32(0x1000_0001));
        let (a, b, c) = (0x0402_0100, 0x0908_0605, 0x0e0d_0c0a);
        let bytes = self.shuffle8(dwords, self.lanes32(a, b, c, -1, a, b, c, -1));
        self.permute32(bytes, self.lanes32(0, 1, 2, 4, 5, 6, 7, 7))
    }
}

/// Complex numbers.
impl Avx2 {
    #[inline(always)]
    fn even_words(self, a: __m256i, b: __m256i) -> __m256i {
        let zero = self.zero();
        self.in_order(self.pack_u32(self.mix16::<0xaa>(a, zero), self.mix16::<0xaa>(b, zero)))
    }

    /// # Safety
    /// 64 bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn low_dwords_of(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.in_order(self.even_dwords(self.load(src), self.load(src.add(32)))) }
    }

    /// # Safety
    /// 64 bytes are readable at `src`.
    #[inline(always)]
    unsafe fn even_qwords(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.in_order(self.low64(self.load(src), self.load(src.add(32)))) }
    }

    /// Four qwords with a zero after each.
    ///
    /// # Safety
    /// 64 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_qwords_apart(self, v: __m256i, dst: *mut u8) {
        let v = self.in_order(v);
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.low64(v, self.zero()));
            self.store(dst.add(32), self.high64(v, self.zero()));
        }
    }
}
