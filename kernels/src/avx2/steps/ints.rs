//! Between integers of different widths, and bools as their source.

use crate::avx2::Avx2;
use crate::avx2::direct::Step;
use crate::dtypes::{Kind, Real};
use core::arch::x86_64::{__m128i, __m256i};

/// Integers of 8 bits to wider ones, and those of 16 to 64 bits.
pub(in crate::avx2) struct Widen;

/// Integers of more than 8 bits to those of at most 8.
pub(in crate::avx2) struct NarrowToByte;

impl<A: Real, B: Real> Step<A, B> for Widen {
    const LEN: usize = if A::DTYPE.bits() == 8 { 32 } else { 16 };
    const LIGHT: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: LEN elements on both sides.
        unsafe {
            match const { (A::DTYPE.significant_bits(), B::DTYPE.bits()) } {
                (16, _) => isa.widen_words::<A>(src, dst),
                (8, 16) => {
                    isa.store(dst, isa.to_16::<A>(isa.loadx(src)));
                    isa.store(dst.add(32), isa.to_16::<A>(isa.loadx(src.add(16))));
                }
                (8, 32) => {
                    let mut k = 0;
                    while k < 4 {
                        let bytes = isa.load_64x(src.add(8 * k));
                        isa.store(dst.add(32 * k), isa.to_32::<A>(bytes));
                        k += 1;
                    }
                }
                (8, _) => {
                    let mut k = 0;
                    while k < 8 {
                        let bytes = isa.load_32x(src.add(4 * k));
                        isa.store(dst.add(32 * k), isa.to_64::<A>(bytes));
                        k += 1;
                    }
                }
                (_, to) => {
                    let bytes = isa.significant::<A>(isa.load(src));
                    let (first, second) = (isa.lower(bytes), isa.half::<1>(bytes));
                    match to {
                        16 => {
                            isa.store(dst, isa.to_16::<A>(first));
                            isa.store(dst.add(32), isa.to_16::<A>(second));
                        }
                        32 => {
                            isa.store_16_as_32::<A>(first, dst);
                            isa.store_16_as_32::<A>(second, dst.add(64));
                        }
                        _ => {
                            isa.store_16_as_64::<A>(first, dst);
                            isa.store_16_as_64::<A>(second, dst.add(128));
                        }
                    }
                }
            }
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for NarrowToByte {
    const LEN: usize = 32;
    const LIGHT: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = match const { A::DTYPE.bits() } {
                16 => {
                    let byte = isa.all16(0xff);
                    let a = isa.and(isa.load(src), byte);
                    let b = isa.and(isa.load(src.add(32)), byte);
                    isa.in_order(isa.pack_u16(a, b))
                }
                32 => isa.bytes_of_dwords([
                    isa.load(src),
                    isa.load(src.add(32)),
                    isa.load(src.add(64)),
                    isa.load(src.add(96)),
                ]),
                _ => isa.bytes_of_dwords([
                    isa.load_low_dwords(src),
                    isa.load_low_dwords(src.add(64)),
                    isa.load_low_dwords(src.add(128)),
                    isa.load_low_dwords(src.add(192)),
                ]),
            };
            isa.store(dst, isa.filled::<B>(bytes));
        }
    }
}

impl Avx2 {
    #[inline(always)]
    fn to_16<A: Real>(self, bytes: __m128i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Int => self.i8_to_i16(bytes),
            _ => self.u8_to_i16(bytes),
        }
    }

    #[inline(always)]
    fn to_32<A: Real>(self, bytes: __m128i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Int => self.i8_to_i32(bytes),
            _ => self.u8_to_i32(bytes),
        }
    }

    #[inline(always)]
    fn to_64<A: Real>(self, bytes: __m128i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Int => self.i8_to_i64(bytes),
            _ => self.u8_to_i64(bytes),
        }
    }

    /// # Safety
    /// 64 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_16_as_32<A: Real>(self, bytes: __m128i, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.to_32::<A>(bytes));
            self.store(dst.add(32), self.to_32::<A>(self.shr_bytes_x::<8>(bytes)));
        }
    }

    /// # Safety
    /// 128 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_16_as_64<A: Real>(self, bytes: __m128i, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.to_64::<A>(bytes));
            self.store(dst.add(32), self.to_64::<A>(self.shr_bytes_x::<4>(bytes)));
            self.store(dst.add(64), self.to_64::<A>(self.shr_bytes_x::<8>(bytes)));
            self.store(dst.add(96), self.to_64::<A>(self.shr_bytes_x::<12>(bytes)));
        }
    }

    /// Sixteen 16-bit integers to 64 bits.
    ///
    /// # Safety
    /// 32 bytes are readable at `src`, 128 writable at `dst`.
    #[inline(always)]
    unsafe fn widen_words<A: Real>(self, src: *const u8, dst: *mut u8) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's.
            unsafe {
                let words = self.load_64x(src.add(8 * k));
                let wide = match const { A::DTYPE.kind() } {
                    Kind::Int => self.i16_to_i64(words),
                    _ => self.u16_to_i64(words),
                };
                self.store(dst.add(32 * k), wide);
            }
            k += 1;
        }
    }

    /// # Safety
    /// 64 bytes are readable at `src`.
    #[inline(always)]
    unsafe fn load_low_dwords(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.in_order(self.even_dwords(self.load(src), self.load(src.add(32)))) }
    }

    /// The low bytes of 32 dwords.
    #[inline(always)]
    fn bytes_of_dwords(self, [a, b, c, d]: [__m256i; 4]) -> __m256i {
        let byte = self.all32(0xff);
        let ab = self.pack_u32(self.and(a, byte), self.and(b, byte));
        let cd = self.pack_u32(self.and(c, byte), self.and(d, byte));
        self.packed_in_order(self.pack_u16(ab, cd))
    }

    /// The integers of a one-byte dtype, filled to 8 bits.
    #[inline(always)]
    pub(super) fn significant<A: Real>(self, bytes: __m256i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Bool => self.min_u8(bytes, self.all8(1)),
            _ => self.filled::<A>(bytes),
        }
    }

    /// The low bits of bytes, filled as an integer dtype wants it. Flipping the sign bit adds its
    /// weight modulo twice that; taking the weight away again leaves the sign in all higher bits.
    #[inline(always)]
    pub(super) fn filled<B: Real>(self, bytes: __m256i) -> __m256i {
        let bits = const { B::DTYPE.significant_bits() };
        if bits == 8 {
            return bytes;
        }
        let code = self.and(bytes, self.all8((1 << bits) - 1));
        match const { B::DTYPE.kind() } {
            Kind::Int => {
                let sign = self.all8(1 << (bits - 1));
                self.sub8(self.xor(code, sign), sign)
            }
            _ => code,
        }
    }
}
