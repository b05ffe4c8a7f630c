//! From integers and floats to float8_e8m0fnu, the next power of two, or another by a mode.
//!
//! Where results do not saturate, zero and what is beyond the largest power are NaN, and the codes need not be cut.
//!
//! Of floats of 32 and 64 bits sixteen bits are enough to tell the next power, if these are rounded up: it takes two thirds of
//! the time of dwords.
//!
//! Of an integer from 2 on, that is the power above the highest bit of the number before it. As a byte
//! that number is looked up by nibbles. Wider ones are converted to float32 for their exponent, after
//! taking away the bit below the highest if it is set: then nothing can be rounded up to a power.

use crate::avx2::Avx2;
use crate::avx2::bridge::UP;
use crate::avx2::decode::{F32, F64};
use crate::avx2::direct::Step;
use crate::codec::Decode;
use crate::dtypes::{DType, Kind, Real};
use crate::shape::Mode;
use core::arch::x86_64::__m256i;

/// Integers to powers of two.
pub(in crate::avx2) struct IntToPower<const MODE: u8, const SATURATE: bool>;

/// Float16 and bfloat16 to powers of two.
pub(in crate::avx2) struct WordsToPower<const MODE: u8, const SATURATE: bool>;

/// Float32 and float64 to the next power of two.
pub(in crate::avx2) struct FloatToNextPower<const SATURATE: bool>;

/// The same to another power, by a mode.
pub(in crate::avx2) struct FloatToPower<const MODE: u8>;

/// The code of one.
pub(super) const ONE: u8 = 127;

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

/// What is added to the bits of a float with the exponents of float32, so many of them a fraction's, that its exponent field
/// is that of the power it is rounded to; and the last of the subnormals, or below them, that are rounded to 2^-127 or less,
/// whose code is 0. That is the highest bit of the fraction, so that their step is half as wide.
pub(in crate::avx2) const fn carry<const MODE: u8>(fraction: u32) -> (i32, i32) {
    let half = 1 << (fraction - 1);
    if MODE == UP {
        (2 * half - 1, half)
    } else if MODE == Mode::TowardZero as u8 {
        (0, 0)
    } else {
        (half, half + half / 2 - 1)
    }
}

impl<A: Real, B: Real, const MODE: u8, const SATURATE: bool> Step<A, B>
    for IntToPower<MODE, SATURATE>
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // Bytes are looked up.
        const { assert!(MODE == UP || A::DTYPE.bits() > 8) };
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let codes = match const { A::DTYPE.bits() } {
                8 => isa.powers_of_bytes::<A, SATURATE>(isa.load(src)),
                16 => {
                    isa.powers_of_words::<A, MODE, SATURATE>(isa.load(src), isa.load(src.add(32)))
                }
                32 => isa.bytes_of_dwords([
                    isa.powers_of_dwords::<A, MODE, SATURATE>(isa.load(src)),
                    isa.powers_of_dwords::<A, MODE, SATURATE>(isa.load(src.add(32))),
                    isa.powers_of_dwords::<A, MODE, SATURATE>(isa.load(src.add(64))),
                    isa.powers_of_dwords::<A, MODE, SATURATE>(isa.load(src.add(96))),
                ]),
                _ => isa.bytes_of_dwords([
                    isa.powers_of_qwords::<A, MODE, SATURATE>(src),
                    isa.powers_of_qwords::<A, MODE, SATURATE>(src.add(64)),
                    isa.powers_of_qwords::<A, MODE, SATURATE>(src.add(128)),
                    isa.powers_of_qwords::<A, MODE, SATURATE>(src.add(192)),
                ]),
            };
            isa.store(dst, codes);
        }
    }
}

/// The codes of integers.
impl Avx2 {
    #[inline(always)]
    fn powers_of_bytes<A: Real, const SATURATE: bool>(self, v: __m256i) -> __m256i {
        let before = self.add8(v, self.all8(-1));
        let (low, high) =
            (self.nibble_powers(before, &above(0)), self.high_powers(before, &above(4)));
        self.with_rest::<A, SATURATE>(self.max_u8(low, high), self.eq8(v, self.zero()), v)
    }

    #[inline(always)]
    fn powers_of_words<A: Real, const MODE: u8, const SATURATE: bool>(
        self,
        v: __m256i,
        w: __m256i,
    ) -> __m256i {
        let zero = self.zero();
        let no = self.packs16(self.eq16(v, zero), self.eq16(w, zero));
        let signs = self.packs16(v, w);
        let (v, w) = (self.below_power::<MODE>(v), self.below_power::<MODE>(w));
        let high = self.pack_u16(self.shr16::<8>(v), self.shr16::<8>(w));
        let byte = self.all16(0xff);
        let low = self.pack_u16(self.and(v, byte), self.and(w, byte));
        let codes = self.max_u8(
            self.max_u8(self.nibble_powers(low, &above(0)), self.high_powers(low, &above(4))),
            self.max_u8(self.nibble_powers(high, &above(8)), self.high_powers(high, &above(12))),
        );
        self.in_order(self.with_rest::<A, SATURATE>(codes, no, signs))
    }

    /// Numbers whose highest bit is below the power that these are rounded to, which for one is nothing.
    ///
    /// Up that is the number before, and toward zero half of it. To the nearest it is two thirds, since from the middle of two
    /// powers on, three quarters of the upper one, these are half of that. (The factor is more by 2^-17 of it: less than the
    /// third by which every other number's two thirds are below a power.)
    #[inline(always)]
    fn below_power<const MODE: u8>(self, v: __m256i) -> __m256i {
        if MODE == UP {
            self.add16(v, self.all16(-1))
        } else if MODE == Mode::TowardZero as u8 {
            self.shr16::<1>(v)
        } else {
            self.mul_high_u16(v, self.all16(43691u16 as i16))
        }
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
    fn with_rest<A: Real, const SATURATE: bool>(
        self,
        codes: __m256i,
        no: __m256i,
        signs: __m256i,
    ) -> __m256i {
        let codes = if SATURATE { self.andnot(no, codes) } else { self.or(no, codes) };
        match const { A::DTYPE.kind() } {
            Kind::Int => self.or(codes, self.gt8(self.zero(), signs)),
            _ => codes,
        }
    }

    /// In the low bytes.
    #[inline(always)]
    fn powers_of_dwords<A: Real, const MODE: u8, const SATURATE: bool>(
        self,
        v: __m256i,
    ) -> __m256i {
        let below = if MODE == UP {
            self.add32(v, self.all32(-1))
        } else {
            self.below_power_by::<MODE>(v, self.shr32::<1>(v), self.add32(v, v))
        };
        let bits = self.andnot(self.shr32::<1>(below), below);
        let code = self.max32(self.exponents(bits), self.all32(ONE as i32 - 1));
        let code = self.sub32(code, self.all32(-1));
        match const { A::DTYPE.kind() } {
            Kind::Int if !SATURATE => self.or(code, self.gt32(self.all32(1), v)),
            _ if !SATURATE => self.or(code, self.eq32(v, self.zero())),
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
    unsafe fn powers_of_qwords<A: Real, const MODE: u8, const SATURATE: bool>(
        self,
        src: *const u8,
    ) -> __m256i {
        // SAFETY: the caller's.
        let (v, w) = unsafe { (self.load(src), self.load(src.add(32))) };
        let (a, b) = (self.highest_below::<MODE>(v), self.highest_below::<MODE>(w));
        let low = self.exponents(self.even_dwords(a, b));
        let high = self.add32(self.exponents(self.odd_dwords(a, b)), self.all32(32));
        let code = self.max32(self.max32(low, high), self.all32(ONE as i32 - 1));
        let code = self.sub32(code, self.all32(-1));
        let zero = self.zero();
        let no = self.even_dwords(self.eq64(v, zero), self.eq64(w, zero));
        let code = if SATURATE { self.andnot(no, code) } else { self.or(no, code) };
        self.in_order(match const { A::DTYPE.kind() } {
            Kind::Int => self.or(code, self.sar32::<31>(self.odd_dwords(v, w))),
            _ => code,
        })
    }

    /// The highest bit of what is below a power, and what is left below the next one.
    #[inline(always)]
    fn highest_below<const MODE: u8>(self, v: __m256i) -> __m256i {
        let below = if MODE == UP {
            self.add64(v, self.all64(-1))
        } else {
            self.below_power_by::<MODE>(v, self.shr64::<1>(v), self.add64(v, v))
        };
        self.andnot(self.shr64::<1>(below), below)
    }

    /// As [`below_power`](Self::below_power) of wider numbers that don't go up, from their halves and doubles.
    ///
    /// To the nearest it has the number's own highest bit where the next one is set, too: in the double that is in this
    /// place. Any two bits further down that follow each other leave one that is below it.
    #[inline(always)]
    fn below_power_by<const MODE: u8>(self, v: __m256i, half: __m256i, double: __m256i) -> __m256i {
        if MODE == Mode::TowardZero as u8 { half } else { self.or(half, self.and(v, double)) }
    }
}

impl<A: Real, B: Real, const MODE: u8, const SATURATE: bool> Step<A, B>
    for WordsToPower<MODE, SATURATE>
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const { assert!(SATURATE || MODE == UP) };
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let (v, w) = (isa.load(src), isa.load(src.add(32)));
            if const { !matches!(A::DTYPE, DType::Float16) } {
                let codes = isa.powers_of_tops::<A, MODE, SATURATE>(v, w);
                return isa.store(dst, isa.in_order(codes));
            }
            let codes = isa.packed_in_order(isa.powers_of_halves::<MODE, SATURATE>(v, w));
            let rest = isa.in_order(isa.no_powers::<A, SATURATE>(v, w));
            isa.store(dst, isa.or(codes, rest));
        }
    }
}

impl<A: Real, B: Real, const SATURATE: bool> Step<A, B> for FloatToNextPower<SATURATE> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let at = |k: usize| isa.load(src.add(32 * k));
            let codes = if const { A::DTYPE.bits() == 32 } {
                let v = isa.tops_of_floats(at(0), at(1));
                let w = isa.tops_of_floats(at(2), at(3));
                isa.packed_in_order(isa.powers_of_tops::<A, UP, SATURATE>(v, w))
            } else {
                let v = isa.tops_of_doubles(at(0), at(1), at(2), at(3));
                let w = isa.tops_of_doubles(at(4), at(5), at(6), at(7));
                // By lanes there are the first two of each four, then the other two.
                let codes = isa.powers_of_tops::<A, UP, SATURATE>(v, w);
                isa.low_high_pairs(isa.in_order(codes))
            };
            isa.store(dst, codes);
        }
    }
}

impl<A: Real, B: Real, const MODE: u8> Step<A, B> for FloatToPower<MODE>
where
    Avx2: Decode<A, Hub: Floating>,
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let second = src.add(16 * size_of::<A::Stored>());
            let [a, b] = Decode::<A>::decode(isa, src).powers::<MODE>(isa);
            let [c, d] = Decode::<A>::decode(isa, second).powers::<MODE>(isa);
            isa.store(dst, isa.bytes_of_dwords([a, b, c, d]));
        }
    }
}

/// Hubs of floats.
pub(in crate::avx2) trait Floating {
    /// The codes of powers of two, in the low bytes.
    fn powers<const MODE: u8>(self, isa: Avx2) -> [__m256i; 2];
}

impl Floating for F32 {
    #[inline(always)]
    fn powers<const MODE: u8>(self, isa: Avx2) -> [__m256i; 2] {
        let [a, b] = self.0;
        [isa.power_of::<MODE>(a), isa.power_of::<MODE>(b)]
    }
}

impl Floating for F64 {
    #[inline(always)]
    fn powers<const MODE: u8>(self, isa: Avx2) -> [__m256i; 2] {
        isa.powers::<MODE>(self.0)
    }
}

/// The sixteen uppermost bits of wider floats, rounded away from zero: to them one is added if there is anything below. (The
/// highest negative code, which would wrap, is made the one before; the highest positive one grows to 2^15, which is packed as
/// that code again. Both are NaN.)
impl Avx2 {
    /// Float32s, of which that is a bfloat16, as packing leaves them.
    #[inline(always)]
    fn tops_of_floats(self, a: __m256i, b: __m256i) -> __m256i {
        let (most, ones) = (self.all32(0xfffe_0001u32 as i32), self.all16(1));
        self.packs32(
            self.madd16(self.min_u16(a, most), ones),
            self.madd16(self.min_u16(b, most), ones),
        )
    }

    /// Float64s, of which that has four bits of fraction, in the order of the dwords of [pairs](Self::odd_dwords) of vectors,
    /// packed.
    #[inline(always)]
    fn tops_of_doubles(self, a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> __m256i {
        let (first, second) = (self.even_dwords(a, b), self.even_dwords(c, d));
        let one = self.all32(1);
        // To the high dword, whose last bit no power has that is not far below the least, it is the same to add one or to set
        // that bit.
        let first = self.or(self.odd_dwords(a, b), self.min_u32(first, one));
        let second = self.or(self.odd_dwords(c, d), self.min_u32(second, one));
        self.tops_of_floats(first, second)
    }
}

impl Avx2 {
    /// The codes of two vectors of bfloat16s, or [tops](Self::tops_of_floats) of wider floats, as packing leaves them.
    #[inline(always)]
    fn powers_of_tops<A: Real, const MODE: u8, const SATURATE: bool>(
        self,
        v: __m256i,
        w: __m256i,
    ) -> __m256i {
        let mut codes = self.pack_u16(self.raised::<A, MODE>(v), self.raised::<A, MODE>(w));
        if SATURATE {
            codes = self.min_u8(codes, self.all8(-2));
        }
        self.or(codes, self.no_powers::<A, SATURATE>(v, w))
    }

    /// The codes of two vectors of float16s, as packing leaves them. Negative numbers have any, but for -0, and so have zeros
    /// if it does not saturate.
    #[inline(always)]
    fn powers_of_halves<const MODE: u8, const SATURATE: bool>(
        self,
        v: __m256i,
        w: __m256i,
    ) -> __m256i {
        let (a, b) = (self.raised_half::<MODE>(v), self.raised_half::<MODE>(w));
        if !SATURATE {
            return self.pack_u16(a, b);
        }
        // -0 has a sign above the code.
        let code = self.all16(0xff);
        self.min_u8(self.pack_u16(self.and(a, code), self.and(b, code)), self.all8(-2))
    }

    /// Ones for what is no power: NaN and negative numbers, but for -0. If it does not saturate, for what is none rounded up,
    /// too, as is -0; but of what is past the largest one, and of NaN, the code is NaN's by itself.
    #[inline(always)]
    fn no_powers<A: Real, const SATURATE: bool>(self, v: __m256i, w: __m256i) -> __m256i {
        let (infinity, least) = const { ends(A::DTYPE) };
        if !SATURATE {
            let least = self.all16(least);
            return self.packs16(self.gt16(least, v), self.gt16(least, w));
        }
        // A code past infinity's by as much is more than nothing, and so is a negative one negated, if it does not wrap.
        let past = self.all16(-infinity);
        let a = self.max16(self.add_clamped16(v, past), self.sub16(self.zero(), v));
        let b = self.max16(self.add_clamped16(w, past), self.sub16(self.zero(), w));
        self.gt8(self.packs16(a, b), self.zero())
    }

    /// The codes of such floats before they are cut to bytes: the exponent field, into which fractions carry. 2^-127, as
    /// float32 a subnormal, is code 0, and so is what is rounded to it.
    #[inline(always)]
    fn raised<A: Real, const MODE: u8>(self, v: __m256i) -> __m256i {
        if const { matches!(A::DTYPE, DType::Float64) } {
            const { assert!(!matches!(A::DTYPE, DType::Float64) || MODE == UP) };
            // Negative numbers are far below those of code 0.
            let rebiased = self.add_clamped16(v, self.all16(15 - ((1023 - 127) << 4)));
            return self.sar16::<4>(rebiased);
        }
        let (carried, zeros) = const { carry::<MODE>(7) };
        let up = self.shr16::<7>(self.add16(v, self.all16(carried as i16)));
        self.and(up, self.gt16(v, self.all16(zeros as i16)))
    }

    /// The same of float16s, as float32s, as which all are normal; with a sign, which is above it, and as packing leaves them.
    #[inline(always)]
    fn raised_half<const MODE: u8>(self, v: __m256i) -> __m256i {
        let (carried, _) = const { carry::<MODE>(23) };
        let by = self.all32(carried);
        let a = self.add32(self.ps_bits(self.half_to_ps(self.lower(v))), by);
        let b = self.add32(self.ps_bits(self.half_to_ps(self.half::<1>(v))), by);
        self.pack_u32(self.shr32::<23>(a), self.shr32::<23>(b))
    }
}

/// Infinity of a float, by its sixteen uppermost bits, and the first that is rounded up to a power: past half of 2^-127, or the
/// least one, if that is no number.
const fn ends(dtype: DType) -> (i16, i16) {
    match dtype {
        DType::Float16 => (0x7c00, 1),
        DType::Float64 => (0x7ff0, ((1023 - 128) << 4) + 1),
        _ => (0x7f80, 0x21),
    }
}

/// Whether [`IntToPower`] is for a source.
pub(in crate::avx2) const fn suits(from: DType) -> bool {
    matches!(from.kind(), Kind::Int | Kind::UInt) && from.significant_bits() >= 8
}
