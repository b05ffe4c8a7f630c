//! One-byte dtypes: look-ups, and the encoder of the small floats at full width.

use crate::avx2::Avx2;
use crate::avx2::bridge::Sticky;
use crate::avx2::direct::Step;
use crate::avx2::encode::Small;
use crate::avx2::nibbles::{HighByte, LowByte, OneByte};
use crate::codec::{Bridge, Decode};
use crate::dtypes::{Real, mark};
use crate::format::Specials;
use core::arch::x86_64::__m256i;

/// Between one-byte integers.
pub(in crate::avx2) struct FillByte;

/// Between one-byte dtypes, by a sum of look-ups.
pub(in crate::avx2) struct ByteMap;

/// Small floats, and integers of at most 4 bits, to a 16-bit float: two look-ups.
pub(in crate::avx2) struct SmallToFloat16;

/// The same to float32 or float64, by way of bfloat16, in which all of them are exact.
pub(in crate::avx2) struct SmallToWide;

/// Anything to a small float other than e8m0.
pub(in crate::avx2) struct EncodeSmall;

impl<A: Real, B: Real> Step<A, B> for FillByte {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe { isa.store(dst, isa.filled::<B>(isa.significant::<A>(isa.load(src)))) }
    }
}

impl<A: Real, B: Real> Step<A, B> for ByteMap {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let at = isa.indices::<A>(isa.load(src));
            isa.store(dst, isa.look_up::<A, OneByte<A, B>>(at));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for SmallToFloat16 {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let at = isa.indices::<A>(isa.in_order(isa.load(src)));
            let low = isa.look_up::<A, LowByte<A, B>>(at);
            let high = isa.look_up::<A, HighByte<A, B>>(at);
            isa.store(dst, isa.low8(low, high));
            isa.store(dst.add(32), isa.high8(low, high));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for SmallToWide {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides, and 8 of the destination are as many
        // bytes as one has bits.
        unsafe {
            let at = isa.indices::<A>(isa.ready_to_unpack_twice(isa.load(src)));
            let low = isa.look_up::<A, LowByte<A, mark::BFloat16>>(at);
            let high = isa.look_up::<A, HighByte<A, mark::BFloat16>>(at);
            let (first, second) = (isa.low8(low, high), isa.high8(low, high));
            let bits = const { B::DTYPE.bits() };
            let zero = isa.zero();
            isa.store_wide(isa.low16(zero, first), bits, dst);
            isa.store_wide(isa.high16(zero, first), bits, dst.add(bits));
            isa.store_wide(isa.low16(zero, second), bits, dst.add(2 * bits));
            isa.store_wide(isa.high16(zero, second), bits, dst.add(3 * bits));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for EncodeSmall
where
    Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Sticky>,
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let first: Sticky = isa.bridge(Decode::<A>::decode(isa, src));
            let second = src.add(16 * size_of::<A::Stored>());
            let second: Sticky = isa.bridge(Decode::<A>::decode(isa, second));
            isa.store(dst, isa.encode_small::<B>(first, second));
        }
    }
}

impl Avx2 {
    /// Eight float32s, as such or as float64.
    ///
    /// # Safety
    /// `bits` bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_wide(self, values: __m256i, bits: usize, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            if bits == 32 {
                self.store(dst, values);
            } else {
                let values = self.as_ps(values);
                let (low, high) = (self.lower_ps(values), self.half_ps::<1>(values));
                self.store(dst, self.pd_bits(self.ps_to_pd(low)));
                self.store(dst.add(32), self.pd_bits(self.ps_to_pd(high)));
            }
        }
    }

    #[inline(always)]
    fn encode_small<B: Real>(self, Sticky([a, b]): Sticky, Sticky([c, d]): Sticky) -> __m256i {
        let ab = self.pack_u32(self.codes::<B>(a), self.codes::<B>(b));
        let cd = self.pack_u32(self.codes::<B>(c), self.codes::<B>(d));
        let codes = self.pack_u16(self.shr16::<8>(ab), self.shr16::<8>(cd));
        let ab = self.packs32(self.signs::<B>(a), self.signs::<B>(b));
        let cd = self.packs32(self.signs::<B>(c), self.signs::<B>(d));
        let signs = self.and(self.packs16(ab, cd), self.all8(i8::MIN));
        let signs = match const { Small::<B>::FORMAT.bits() } {
            4 => self.shr16::<4>(signs),
            6 => self.shr16::<2>(signs),
            _ => signs,
        };
        let signs = match const { Small::<B>::FORMAT.specials } {
            // There is no -0.
            Specials::Fnuz => self.andnot(self.eq8(codes, self.zero()), signs),
            _ => signs,
        };
        self.packed_in_order(self.or(codes, signs))
    }
}
