//! From integers and floats to float8_e8m0fnu, the next power of two, or another by a mode; and from there to float16, and to
//! integers by shifts.
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
use crate::avx2::steps::words::NEAREST;
use crate::codec::Decode;
use crate::dtypes::{DType, Kind, Real};
use crate::shape::Mode;
use core::arch::x86_64::{__m128i, __m256i};

/// Integers to powers of two.
pub(in crate::avx2) struct IntToPower<const MODE: u8, const SATURATE: bool>;

/// Float16 and bfloat16 to powers of two.
pub(in crate::avx2) struct WordsToPower<const MODE: u8, const SATURATE: bool>;

/// Float32 and float64 to the next power of two.
pub(in crate::avx2) struct FloatToNextPower<const SATURATE: bool>;

/// The same to another power, by a mode.
pub(in crate::avx2) struct FloatToPower<const MODE: u8>;

/// Powers of two to float16.
pub(in crate::avx2) struct PowerToHalf<const MODE: u8>;

/// Powers of two to integers of more than 8 bits, or to their low bits.
pub(in crate::avx2) struct PowerToInt<const WRAP: bool>;

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

/// The low bytes of float16's subnormals that are powers of two, from 2^-24 on, and the high ones.
const LOW_SUBNORMALS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
const HIGH_SUBNORMALS: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0];

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

impl<A: Real, B: Real, const MODE: u8> Step<A, B> for PowerToHalf<MODE> {
    const LEN: usize = 32;
    const AT_ONCE: usize = if MODE == NEAREST { 2 } else { 1 };

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const LOW: [u8; 32] = twice(&LOW_SUBNORMALS);
        const HIGH: [u8; 32] = twice(&HIGH_SUBNORMALS);
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let codes = isa.in_order(isa.load(src));
            // What is no subnormal is looked up at 15, where there is nothing.
            let at = isa.min_u8(isa.sub8(codes, isa.all8(ONE as i8 - 24)), isa.all8(15));
            let low = isa.shuffle8(isa.constant(&LOW), at);
            // The exponent field, which is that of infinity at most; NaN has the bit below it as well.
            let field = isa.sub_clamped_u8(codes, isa.all8(ONE as i8 - 15));
            let field = isa.min_u8(field, isa.all8(31));
            let nan = isa.sub_clamped_u8(codes, isa.all8(-2));
            let twice = isa.add8(isa.add8(field, field), nan);
            let high = isa.add8(isa.add8(twice, twice), isa.shuffle8(isa.constant(&HIGH), at));
            let [low, high] = if MODE == Mode::TowardZero as u8 {
                // Not infinity, but the number before. (No power is negative.)
                let past = isa.andnot(isa.eq8(nan, isa.all8(1)), isa.eq8(field, isa.all8(31)));
                [isa.or(low, past), isa.add8(high, past)]
            } else {
                [isa.sub8(low, isa.raised_to_least::<MODE>(codes)), high]
            };
            isa.store(dst, isa.low8(low, high));
            isa.store(dst.add(32), isa.high8(low, high));
        }
    }
}

impl Avx2 {
    /// -1 for codes below that of float16's least number that a mode rounds to it.
    #[inline(always)]
    fn raised_to_least<const MODE: u8>(self, codes: __m256i) -> __m256i {
        let half = self.all8(ONE as i8 - 25);
        if MODE == Mode::Up as u8 {
            self.eq8(self.min_u8(codes, half), codes)
        } else if MODE == Mode::NearestAway as u8 {
            self.eq8(codes, half)
        } else {
            self.zero()
        }
    }
}

/// A table for both lanes.
const fn twice(table: &[u8; 16]) -> [u8; 32] {
    let mut both = [0; 32];
    let mut i = 0;
    while i < 32 {
        both[i] = table[i % 16];
        i += 1;
    }
    both
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
                isa.doubles_in_order(isa.powers_of_tops::<A, UP, SATURATE>(v, w))
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

    /// Puts in order the bytes to which two vectors of those are packed.
    #[inline(always)]
    fn doubles_in_order(self, v: __m256i) -> __m256i {
        // By lanes there are the first two of each four, then the other two.
        const PLACES: [u8; 32] = twice(&[0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]);
        self.shuffle8(self.in_order(v), self.constant(&PLACES))
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

/// The low or the high bytes of the powers of two as a 16-bit integer, up to the first that is clamped.
const fn bytes_of_powers(clamped: usize, high: bool) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        if i % 16 < clamped {
            bytes[i] = (1u16 << (i % 16)).to_le_bytes()[high as usize];
        }
        i += 1;
    }
    bytes
}

impl<A: Real, B: Real, const WRAP: bool> Step<A, B> for PowerToInt<WRAP> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            if const { B::DTYPE.bits() == 16 } {
                return isa.store_powers_in_words::<B, WRAP>(isa.load(src), dst);
            }
            isa.store_powers::<B, WRAP>(isa.loadx(src), dst);
            isa.store_powers::<B, WRAP>(isa.loadx(src.add(16)), dst.add(2 * B::DTYPE.bits()));
        }
    }
}

impl Avx2 {
    /// The codes of powers of two that are integers, or are cut to what these are rounded to by a mode: up, or to the nearest,
    /// ties away from zero, of which a half is one.
    #[inline(always)]
    pub(in crate::avx2) fn whole_powers<const MODE: u8>(self, codes: __m256i) -> __m256i {
        const { assert!(MODE == Mode::Up as u8 || MODE == Mode::NearestAway as u8) };
        if MODE == Mode::Up as u8 {
            return self.max_u8(codes, self.all8(ONE as i8));
        }
        self.sub8(codes, self.eq8(codes, self.all8(ONE as i8 - 1)))
    }

    /// Stores 32 powers of two as 16-bit integers.
    ///
    /// # Safety
    /// `dst` is valid for writing 32 elements of `B`.
    #[inline(always)]
    pub(in crate::avx2) unsafe fn store_powers_in_words<B: Real, const WRAP: bool>(
        self,
        codes: __m256i,
        dst: *mut u8,
    ) {
        let [low, high] = self.powers_in_words::<B, WRAP>(self.in_order(codes));
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.low8(low, high));
            self.store(dst.add(32), self.high8(low, high));
        }
    }

    /// The low and the high bytes of powers of two as 16-bit integers.
    #[inline(always)]
    fn powers_in_words<B: Real, const WRAP: bool>(self, codes: __m256i) -> [__m256i; 2] {
        const fn clamped(dtype: DType, wraps: bool) -> usize {
            if matches!(dtype.kind(), Kind::Int) && !wraps { 15 } else { 16 }
        }
        // NaN's exponent is negative too.
        let exponents = self.sub8(codes, self.all8(ONE as i8));
        // Negative from 16 on.
        let at = self.add_clamped_u8(exponents, self.all8(0x70));
        let low = self.constant(const { &bytes_of_powers(clamped(B::DTYPE, WRAP), false) });
        let high = self.constant(const { &bytes_of_powers(clamped(B::DTYPE, WRAP), true) });
        let (low, high) = (self.shuffle8(low, at), self.shuffle8(high, at));
        if WRAP {
            return [low, high];
        }
        let most = self.all8(const { clamped(B::DTYPE, false) as i8 - 1 });
        let above = self.gt8(exponents, most);
        let limit = match const { B::DTYPE.kind() } {
            Kind::Int => self.and(above, self.all8(0x7f)),
            _ => above,
        };
        [self.or(low, above), self.or(high, limit)]
    }

    /// Stores 16 powers of two as wider integers.
    ///
    /// # Safety
    /// `dst` is valid for writing 16 elements of `B`.
    #[inline(always)]
    unsafe fn store_powers<B: Real, const WRAP: bool>(self, codes: __m128i, dst: *mut u8) {
        // NaN becomes the smallest power: nothing.
        let codes = self.andnotx(self.eq8x(codes, self.all8x(-1)), codes);
        // SAFETY: the caller's.
        unsafe {
            match const { B::DTYPE.bits() } {
                32 => {
                    self.store(dst, self.shifted_32::<B, WRAP>(codes));
                    self.store(
                        dst.add(32),
                        self.shifted_32::<B, WRAP>(self.shr_bytes_x::<8>(codes)),
                    );
                }
                _ => {
                    self.store(dst, self.shifted_64::<B, WRAP>(codes));
                    self.store(
                        dst.add(32),
                        self.shifted_64::<B, WRAP>(self.shr_bytes_x::<4>(codes)),
                    );
                    self.store(
                        dst.add(64),
                        self.shifted_64::<B, WRAP>(self.shr_bytes_x::<8>(codes)),
                    );
                    self.store(
                        dst.add(96),
                        self.shifted_64::<B, WRAP>(self.shr_bytes_x::<12>(codes)),
                    );
                }
            }
        }
    }
}

/// One, shifted; by too much or less than nothing, nothing.
impl Avx2 {
    #[inline(always)]
    fn shifted_32<B: Real, const WRAP: bool>(self, codes: __m128i) -> __m256i {
        let by = self.sub32(self.u8_to_i32(codes), self.all32(ONE as i32));
        let power = self.sllv32(self.all32(1), by);
        if WRAP {
            return power;
        }
        match const { B::DTYPE } {
            DType::UInt32 => self.or(power, self.gt32(by, self.all32(31))),
            _ => self.blend8(power, self.all32(i32::MAX), self.gt32(by, self.all32(30))),
        }
    }

    #[inline(always)]
    fn shifted_64<B: Real, const WRAP: bool>(self, codes: __m128i) -> __m256i {
        let by = self.add64(self.u8_to_i64(codes), self.all64(-(ONE as i64)));
        let power = self.sllv64(self.all64(1), by);
        if WRAP {
            return power;
        }
        match const { B::DTYPE.kind() } {
            Kind::UInt => self.or(power, self.gt64(by, self.all64(63))),
            _ => self.blend8(power, self.all64(i64::MAX), self.gt64(by, self.all64(62))),
        }
    }
}

/// Whether [`IntToPower`] is for a source.
pub(in crate::avx2) const fn suits(from: DType) -> bool {
    matches!(from.kind(), Kind::Int | Kind::UInt) && from.significant_bits() >= 8
}
