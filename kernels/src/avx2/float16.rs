//! Conversions to float16, as many at once as this CPU does best; and of turned float16s, in the way that it does best.
//!
//! One instruction converts four float32s, another one eight. Intel's CPUs take as long for either, and have one port only
//! for all that parts eights into fours and puts them together again; AMD's, from Zen 4 on, do more than twice as many fours in
//! the time of one eight, if numbers come by fours. Float32 to float16, in the L2 cache, takes 1.7 times as long by eights as by
//! fours on a Zen 5, 1.3 times on a Zen 4, and half as long on an Intel with AVX-512 FP16. Integers are eights, of which parting
//! them takes a Zen 4 more than it gains: 1.3 times as long. (These figures are of eights that the conversion itself stored.) On a
//! Zen 3 all are done by eights: by fours float32s take 1.05 to 1.4 times as long, bfloat16s 1.5 times.
//!
//! Eights can be stored by the conversion itself, which takes an Intel a port less, and 0.7 of the time for float32s in its L1
//! cache, 0.55 for integers of 8 bits; or apart from it, which takes a Zen 4 less than half the time. So what ends with such
//! conversions has [three loops](one_of), but for what is joined before it is stored.

use super::Avx2;
use super::bridge::Sticky;
use super::choices::{Choice, Place, one_of};
use super::direct::{Bridges, Step, stepped};
use crate::codec::{Bridge, Decode, Encode};
use crate::cores::Core;
use crate::dtypes::{DType, Real};
use crate::scalar::Scalar;
use crate::stepwise::{self, places};
use crate::table::Kernel;
use core::arch::x86_64::__m128;

/// How float16s are made and stored.
mod way {
    /// By eights, which conversions store.
    pub(super) const STORED: u8 = 0;
    /// By eights, which are stored [apart](super::Avx2::apart) from their conversions.
    pub(super) const APART: u8 = 1;
    /// By fours.
    pub(super) const FOURS: u8 = 2;
}
use way::{APART, FOURS, STORED};

/// Where numbers come by fours: these, eights apart, or eights that conversions store.
enum Loaded {}

impl Choice for Loaded {
    fn place(core: Core) -> Place {
        match core {
            Core::Zen4 | Core::Zen5 => Place::First,
            Core::Zen3 => Place::Second,
            Core::Any => Place::Third,
        }
    }
}

/// The same where they have to be parted, as float32s that were turned a register at a time. (Of turned bfloat16s a Zen 4 does
/// eights in less time, too.)
enum Parted {}

impl Choice for Parted {
    fn place(core: Core) -> Place {
        match core {
            Core::Zen5 => Place::First,
            Core::Zen3 | Core::Zen4 => Place::Second,
            Core::Any => Place::Third,
        }
    }
}

/// The kernel to float16 from a dtype that is converted by way of float32s which round as its numbers do.
pub(super) const fn kernel<A, B, const MODE: usize>() -> Kernel
where
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Avx2: Bridges<<Avx2 as Decode<A>>::Hub>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    let is_loaded = MODE & stepwise::SOURCE == 0;
    match A::DTYPE {
        DType::BFloat16 if is_loaded => {
            type By<const WAY: u8> = FromBrains<WAY, false>;
            one_of::<Loaded, By<FOURS>, By<APART>, By<STORED>, A, B, MODE>
        }
        DType::BFloat16 => {
            type Turned<const WAY: u8> = FromBrains<WAY, true>;
            one_of::<Parted, FromBrains<FOURS, false>, Turned<APART>, Turned<STORED>, A, B, MODE>
        }
        DType::Int16 | DType::UInt16 if !is_loaded => {
            type By<const WAY: u8> = FromTurnedWords<WAY>;
            one_of::<Parted, By<FOURS>, By<APART>, By<STORED>, A, B, MODE>
        }
        DType::UInt32 if MODE & stepwise::RESULTS != 0 => stepped::<FromUnsigned, A, B, MODE>,
        DType::Float32 if is_loaded => {
            one_of::<Loaded, ToFloat16<FOURS>, ToFloat16<APART>, ToFloat16<STORED>, A, B, MODE>
        }
        _ => one_of::<Parted, ToFloat16<FOURS>, ToFloat16<APART>, ToFloat16<STORED>, A, B, MODE>,
    }
}

/// What has a bridge to float32s that round as its numbers do.
struct ToFloat16<const WAY: u8>;

impl<const WAY: u8, A: Real, B: Real> Step<A, B> for ToFloat16<WAY>
where
    Avx2: Decode<A> + Bridges<<Avx2 as Decode<A>>::Hub>,
{
    const LEN: usize = 16;
    const AT_ONCE: usize = if A::DTYPE.bits() <= 32 { 4 } else { 1 };
    const AT_ONCE_TURNED: usize = 2;
    const HALVES: [bool; 2] = [A::DTYPE.bits() == 16, true];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let floats: Sticky = isa.bridge(Decode::<A>::decode(isa, src));
            isa.store_float16_by::<WAY>(floats, dst);
        }
    }
}

/// Bfloat16: float32 is bfloat16 with zeros below. The shuffle that makes eights of them reads them in either byte order.
struct FromBrains<const WAY: u8, const TURNED: bool>;

impl<const WAY: u8, const TURNED: bool, A: Real, B: Real> Step<A, B> for FromBrains<WAY, TURNED> {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = TURNED;
    const HALVES: [bool; 2] = [true; 2];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const { assert!(WAY != FOURS || !TURNED) };
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            if WAY != FOURS {
                let floats = Sticky(isa.load_brains::<TURNED>(src));
                return isa.store_float16_by::<WAY>(floats, dst);
            }
            let (first, second) = (isa.loadx(src), isa.loadx(src.add(16)));
            let zero = isa.zerox();
            let fours = [
                isa.as_psx(isa.low16x(zero, first)),
                isa.as_psx(isa.high16x(zero, first)),
                isa.as_psx(isa.low16x(zero, second)),
                isa.as_psx(isa.high16x(zero, second)),
            ];
            isa.store_float16_by_fours(fours, dst);
        }
    }
}

/// Integers of 16 bits in the other byte order.
struct FromTurnedWords<const WAY: u8>;

impl<const WAY: u8, A: Real, B: Real> Step<A, B> for FromTurnedWords<WAY> {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = true;
    const HALVES: [bool; 2] = [true; 2];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let (first, second) = (isa.loadx(src), isa.loadx(src.add(16)));
            let floats = Sticky([
                isa.words_to_ps::<A, { stepwise::SOURCE }>(first),
                isa.words_to_ps::<A, { stepwise::SOURCE }>(second),
            ]);
            isa.store_float16_by::<WAY>(floats, dst);
        }
    }
}

/// Unsigned integers of 32 bits to float16s that are turned, two registers at a time.
///
/// They are taken for signed ones, and of float16s the negative ones, whose codes are the largest, become infinity with those
/// that are past it: it takes one operation for 16 results, as turning them does. (Numbers that float32 has to round are past
/// the largest float16, in whatever direction.)
struct FromUnsigned;

impl<A: Real, B: Real> Step<A, B> for FromUnsigned {
    const LEN: usize = 32;
    const AT_ONCE: usize = 2;
    const WRITES_TURNED: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const INFINITY: i16 = 0x7c00;
        let turned = isa.twice(bytemuck::cast(const { places(2) }));
        let mut i = 0;
        while i < 32 {
            // SAFETY: the caller's: 16 elements are left on both sides.
            unsafe {
                let (a, b) = (isa.load(src.add(4 * i)), isa.load(src.add(4 * i + 32)));
                let a = isa.to_float16(isa.i32_to_ps(a));
                let b = isa.to_float16(isa.i32_to_ps(b));
                let words = isa.min_u16(isa.join(b, a), isa.all16(INFINITY));
                isa.store(dst.add(2 * i), isa.shuffle8(words, turned));
            }
            i += 16;
        }
    }
}

/// Where float16s in the other byte order are turned ahead, see [`sides_of`](super::sides_of): where conversions take less
/// time from memory. (An Intel's take less, too, but then more to store what is turned and to load that again: 1.4 times as long
/// as if nothing was turned, in the L2 cache. A Zen 3 takes 1.05 to 1.15 times as long so as by registers, and a Zen 5 1.2 to 1.3
/// times, but 0.83 times where the results are turned, too: there shuffles are what it has too few of.)
pub(super) enum TurnedAhead<const MODE: usize> {}

impl<const MODE: usize> Choice for TurnedAhead<MODE> {
    fn place(core: Core) -> Place {
        match core {
            Core::Zen4 => Place::First,
            Core::Zen5 if MODE & stepwise::RESULTS != 0 => Place::First,
            Core::Zen3 | Core::Zen5 | Core::Any => Place::Second,
        }
    }
}

/// Float16s in the other byte order, turned in registers, to float32.
pub(super) struct TurnedToFloat32;

impl<A: Real, B: Real> Step<A, B> for TurnedToFloat32 {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        let turned = bytemuck::cast(const { places(2) });
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let first = isa.shuffle8x(isa.loadx(src), turned);
            let second = isa.shuffle8x(isa.loadx(src.add(16)), turned);
            isa.store(dst, isa.ps_bits(isa.half_to_ps(first)));
            isa.store(dst.add(32), isa.ps_bits(isa.half_to_ps(second)));
        }
    }
}

impl Avx2 {
    /// Stores sixteen float16s.
    ///
    /// # Safety
    /// `dst` is valid for writing 32 bytes.
    #[inline(always)]
    pub(super) unsafe fn store_float16(self, Sticky([a, b]): Sticky, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.storex(dst, self.to_float16(a));
            self.storex(dst.add(16), self.to_float16(b));
        }
    }

    /// The same in a [`way`].
    ///
    /// # Safety
    /// `dst` is valid for writing 32 bytes.
    #[inline(always)]
    unsafe fn store_float16_by<const WAY: u8>(self, floats: Sticky, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            match WAY {
                FOURS => self.store_float16_by_fours(self.fours(floats), dst),
                APART => {
                    let Sticky([a, b]) = floats;
                    self.storex(dst, self.apart(self.to_float16(a)));
                    self.storex(dst.add(16), self.apart(self.to_float16(b)));
                }
                _ => self.store_float16(floats, dst),
            }
        }
    }

    /// The same of fours: one half by conversions to memory, of which each is a store, the other by a shuffle, so that
    /// neither stores nor shuffles are what there is most of.
    ///
    /// # Safety
    /// `dst` is valid for writing 32 bytes.
    #[inline(always)]
    unsafe fn store_float16_by_fours(self, [a, b, c, d]: [__m128; 4], dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.store_64x(dst, self.psx_to_half(a));
            self.store_64x(dst.add(8), self.psx_to_half(b));
            let second = self.join_low_64x(self.psx_to_half(c), self.psx_to_half(d));
            self.storex(dst.add(16), second);
        }
    }

    #[inline(always)]
    fn fours(self, Sticky([a, b]): Sticky) -> [__m128; 4] {
        [self.lower_ps(a), self.half_ps::<1>(a), self.lower_ps(b), self.half_ps::<1>(b)]
    }
}
