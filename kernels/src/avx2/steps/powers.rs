//! From integers and bfloat16 to float8_e8m0fnu: the next power of two.
//!
//! Of an integer from 2 on, that is the power above the highest bit of the number before it. As a byte
//! that number is looked up by nibbles. Wider ones are converted to float32 for their exponent, after
//! taking away the bit below the highest if it is set: then nothing can be rounded up to a power.

use crate::avx2::Avx2;
use crate::avx2::direct::Step;
use crate::dtypes::{DType, Kind, Real};
use core::arch::x86_64::__m256i;

/// Integers to powers of two.
pub(in crate::avx2) struct IntToPower;

/// Bfloat16 to powers of two.
pub(in crate::avx2) struct BrainToPower;

/// The code of one.
const ONE: u8 = 127;

/// The code of the power above the highest bit of a nibble that stands so many bits up; without a bit,
/// of one, or 0 if there are bits below.
const fn above(up: u8) -> [u8; 32] {
    let mut codes = [0; 32];
    let mut i = 0;
    while i < 32 {
        codes[i] = match (i as u8 % 16, up) {
            (0, 0) => ONE,
            (0, _) => 0,
            (nibble, _) => ONE + up + (8 - nibble.leading_zeros() as u8),
        };
        i += 1;
    }
    codes
}

impl<A: Real, B: Real> Step<A, B> for IntToPower {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let codes = match const { A::DTYPE.bits() } {
                8 => isa.powers_of_bytes::<A>(isa.load(src)),
                16 => isa.powers_of_words::<A>(isa.load(src), isa.load(src.add(32))),
                32 => isa.bytes_of_dwords([
                    isa.powers_of_dwords::<A>(isa.load(src)),
                    isa.powers_of_dwords::<A>(isa.load(src.add(32))),
                    isa.powers_of_dwords::<A>(isa.load(src.add(64))),
                    isa.powers_of_dwords::<A>(isa.load(src.add(96))),
                ]),
                _ => isa.bytes_of_dwords([
                    isa.powers_of_qwords::<A>(src),
                    isa.powers_of_qwords::<A>(src.add(64)),
                    isa.powers_of_qwords::<A>(src.add(128)),
                    isa.powers_of_qwords::<A>(src.add(192)),
                ]),
            };
            isa.store(dst, codes);
        }
    }
}

/// The codes of integers.
impl Avx2 {
    #[inline(always)]
    fn powers_of_bytes<A: Real>(self, v: __m256i) -> __m256i {
        let before = self.add8(v, self.all8(-1));
        let (low, high) =
            (self.nibble_powers(before, &above(0)), self.high_powers(before, &above(4)));
        self.with_rest::<A>(self.max_u8(low, high), self.eq8(v, self.zero()), v)
    }

    #[inline(always)]
    fn powers_of_words<A: Real>(self, v: __m256i, w: __m256i) -> __m256i {
        let zero = self.zero();
        let no = self.packs16(self.eq16(v, zero), self.eq16(w, zero));
        let signs = self.packs16(v, w);
        let (v, w) = (self.add16(v, self.all16(-1)), self.add16(w, self.all16(-1)));
        let high = self.pack_u16(self.shr16::<8>(v), self.shr16::<8>(w));
        let byte = self.all16(0xff);
        let low = self.pack_u16(self.and(v, byte), self.and(w, byte));
        let codes = self.max_u8(
            self.max_u8(self.nibble_powers(low, &above(0)), self.high_powers(low, &above(4))),
            self.max_u8(self.nibble_powers(high, &above(8)), self.high_powers(high, &above(12))),
        );
        self.in_order(self.with_rest::<A>(codes, no, signs))
    }

    #[inline(always)]
    fn nibble_powers(self, bytes: __m256i, table: &[u8; 32]) -> __m256i {
        self.shuffle8(self.constant(table), self.and(bytes, self.all8(15)))
    }

    #[inline(always)]
    fn high_powers(self, bytes: __m256i, table: &[u8; 32]) -> __m256i {
        self.shuffle8(self.constant(table), self.and(self.shr16::<4>(bytes), self.all8(15)))
    }

    /// Of zero 0, of negative numbers NaN.
    #[inline(always)]
    fn with_rest<A: Real>(self, codes: __m256i, no: __m256i, signs: __m256i) -> __m256i {
        let codes = self.andnot(no, codes);
        match const { A::DTYPE.kind() } {
            Kind::Int => self.or(codes, self.gt8(self.zero(), signs)),
            _ => codes,
        }
    }

    /// In the low bytes.
    #[inline(always)]
    fn powers_of_dwords<A: Real>(self, v: __m256i) -> __m256i {
        let before = self.add32(v, self.all32(-1));
        let bits = self.andnot(self.shr32::<1>(before), before);
        let code = self.max32(self.exponents(bits), self.all32(ONE as i32 - 1));
        let code = self.sub32(code, self.all32(-1));
        match const { A::DTYPE.kind() } {
            Kind::Int => self.or(self.and(code, self.gt32(v, self.zero())), self.sar32::<31>(v)),
            _ => self.andnot(self.eq32(v, self.zero()), code),
        }
    }

    /// The exponent fields of unsigned integers as float32: those with the highest bit set are
    /// converted as negative ones, and have a sign above that field.
    #[inline(always)]
    fn exponents(self, v: __m256i) -> __m256i {
        let field = self.shr32::<23>(self.ps_bits(self.i32_to_ps(v)));
        self.min32(field, self.all32(ONE as i32 + 31))
    }

    /// The same of eight.
    ///
    /// # Safety
    /// `src` is valid for reading 64 bytes.
    #[inline(always)]
    unsafe fn powers_of_qwords<A: Real>(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let (v, w) = unsafe { (self.load(src), self.load(src.add(32))) };
        let (a, b) = (self.highest_bit(v), self.highest_bit(w));
        let low = self.exponents(self.even_dwords(a, b));
        let high = self.add32(self.exponents(self.odd_dwords(a, b)), self.all32(32));
        let code = self.max32(self.max32(low, high), self.all32(ONE as i32 - 1));
        let code = self.sub32(code, self.all32(-1));
        let zero = self.zero();
        let no = self.even_dwords(self.eq64(v, zero), self.eq64(w, zero));
        let code = self.andnot(no, code);
        self.in_order(match const { A::DTYPE.kind() } {
            Kind::Int => self.or(code, self.sar32::<31>(self.odd_dwords(v, w))),
            _ => code,
        })
    }

    /// The highest bit of the number before, and what is left below the next one.
    #[inline(always)]
    fn highest_bit(self, v: __m256i) -> __m256i {
        let before = self.add64(v, self.all64(-1));
        self.andnot(self.shr64::<1>(before), before)
    }
}

impl<A: Real, B: Real> Step<A, B> for BrainToPower {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let (v, w) = (isa.load(src), isa.load(src.add(32)));
            let codes = isa.pack_u16(isa.next_power(v), isa.next_power(w));
            let nan = isa.packs16(isa.no_power(v), isa.no_power(w));
            isa.store(dst, isa.in_order(isa.or(codes, nan)));
        }
    }
}

impl Avx2 {
    /// The code of bfloat16s that are no NaN and not negative: any fraction bit takes the exponent one
    /// up. 2^-127, a subnormal, is code 0.
    #[inline(always)]
    fn next_power(self, v: __m256i) -> __m256i {
        let up = self.shr16::<7>(self.add16(v, self.all16(0x7f)));
        let up = self.min16(up, self.all16(0xfe));
        self.and(up, self.gt16(v, self.all16(0x40)))
    }

    /// Ones for NaN and negative numbers, but for -0, which wraps to the highest.
    #[inline(always)]
    fn no_power(self, v: __m256i) -> __m256i {
        let nan = self.gt16(v, self.all16(0x7f80));
        self.or(nan, self.gt16(self.zero(), self.add16(v, self.gt16(self.zero(), v))))
    }
}

/// Whether [`IntToPower`] is for a source.
pub(in crate::avx2) const fn suits(from: DType) -> bool {
    matches!(from.kind(), Kind::Int | Kind::UInt) && from.significant_bits() >= 8
}
