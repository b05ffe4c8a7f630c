//! From float8_e8m0fnu to float16, by the field of the exponent and a table of subnormals, and to integers by shifts.

use crate::avx2::Avx2;
use crate::avx2::direct::Step;
use crate::avx2::steps::powers::ONE;
use crate::avx2::steps::words::NEAREST;
use crate::dtypes::{DType, Kind, Real};
use crate::shape::Mode;
use core::arch::x86_64::{__m128i, __m256i};

/// Powers of two to float16.
pub(in crate::avx2) struct PowerToHalf<const MODE: u8>;

/// Powers of two to integers of more than 8 bits, or to their low bits.
pub(in crate::avx2) struct PowerToInt<const WRAP: bool>;

/// The low bytes of float16's subnormals that are powers of two, from 2^-24 on, and the high ones.
const LOW_SUBNORMALS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
const HIGH_SUBNORMALS: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0];

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
