//! One-byte dtypes: look-ups, and the encoder of the small floats at full width.

use crate::avx2::Avx2;
use crate::avx2::bridge::Sticky;
use crate::avx2::decode::F32;
use crate::avx2::direct::Step;
use crate::avx2::encode::Small;
use crate::avx2::nibbles::{HighByte, LowByte};
use crate::codec::{Bridge, Decode, Encode};
use crate::dtypes::{Kind, Real, mark};
use crate::format::Specials;
use core::arch::x86_64::__m256i;

/// Between one-byte integers.
pub(in crate::avx2) struct FillByte;

/// Small floats, and integers of at most 4 bits, to a 16-bit float: two look-ups.
pub(in crate::avx2) struct SmallToFloat16;

/// The same to what is wider, or wants more than a look-up, by way of bfloat16, in which all of them
/// are exact.
pub(in crate::avx2) struct SmallToAny;

/// Anything to a small float other than e8m0.
pub(in crate::avx2) struct EncodeSmall;

impl<A: Real, B: Real> Step<A, B> for FillByte {
    const LEN: usize = 32;
    const LIGHT: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe { isa.store(dst, isa.filled::<B>(isa.significant::<A>(isa.load(src)))) }
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

impl<A: Real, B: Real> Step<A, B> for SmallToAny
where
    Avx2: Encode<B> + Bridge<F32, <Avx2 as Encode<B>>::Home>,
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let at = isa.indices::<A>(isa.ready_to_unpack_twice(isa.load(src)));
            let low = isa.look_up::<A, LowByte<A, mark::BFloat16>>(at);
            let high = isa.look_up::<A, HighByte<A, mark::BFloat16>>(at);
            let (first, second) = (isa.low8(low, high), isa.high8(low, high));
            let zero = isa.zero();
            let (a, b) = (isa.low16(zero, first), isa.high16(zero, first));
            let (c, d) = (isa.low16(zero, second), isa.high16(zero, second));
            let first = F32([isa.as_ps(a), isa.as_ps(b)]);
            let second = F32([isa.as_ps(c), isa.as_ps(d)]);
            Encode::<B>::encode(isa, isa.bridge(first), dst);
            let dst = dst.add(16 * size_of::<B::Stored>());
            Encode::<B>::encode(isa, isa.bridge(second), dst);
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
            isa.store(
                dst,
                match const { A::DTYPE.kind() } {
                    Kind::UInt => isa.encode_positive::<B>(first, second),
                    _ => isa.encode_small::<B>(first, second),
                },
            );
        }
    }
}

impl Avx2 {
    #[inline(always)]
    fn encode_positive<B: Real>(self, Sticky([a, b]): Sticky, Sticky([c, d]): Sticky) -> __m256i {
        let (a, b) = (self.codes_of_positive::<B>(a), self.codes_of_positive::<B>(b));
        let (c, d) = (self.codes_of_positive::<B>(c), self.codes_of_positive::<B>(d));
        let (ab, cd) = (self.pack_u32(a, b), self.pack_u32(c, d));
        self.packed_in_order(self.pack_u16(self.shr16::<8>(ab), self.shr16::<8>(cd)))
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
