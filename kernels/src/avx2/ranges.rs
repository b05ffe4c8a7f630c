//! From floats to packed single bits, and from integers to packed bools: taken for integers, the codes that become 1 follow
//! each other, from a first to a last. One comparison of unsigned integers tells them, of the distance from the first with
//! their number. AVX2 compares signed ones, so that the lowest signed integer is added on both sides.
//!
//! To an unsigned bit these are the numbers from 1 to infinity, to a signed one those from -1 to minus infinity, and to bool
//! all but zero: of both signs, where there are two zeros, once the sign is shifted away.

use super::Avx2;
use super::packed::{Step, stepped};
use super::pieces::GROUP;
use crate::dtypes::{DType, Real, mark};
use crate::format::Numbers;
use crate::table::{Entry, Params, RealPairs, Road};
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// Numbers of at most 32 bits to the bits that a dtype of single ones has.
struct InRange<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> InRange<A, B> {
    /// The first code that becomes 1, and the last; and whether that is so once the sign is shifted away.
    const RANGE: (u64, u64, bool) = match (A::DTYPE.numbers(), B::DTYPE) {
        (Numbers::Float(format), DType::Bool) => (1, format.mask(), format.has_negative_zero()),
        (Numbers::Float(format), _) => {
            let one = (format.bias as u64) << format.mantissa_bits;
            let last = match format.infinity() {
                Some(code) => code,
                None => format.max_finite(),
            };
            let sign = if matches!(B::DTYPE, DType::Int1) { format.sign_mask() } else { 0 };
            (one | sign, last | sign, false)
        }
        (Numbers::Int(format), DType::Bool) => (1, format.mask(), false),
        _ => panic!("integers are cut in less"),
    };

    const DOUBLES: bool = Self::RANGE.2;

    /// What is added to codes, so that the first becomes the lowest signed integer; and the first number that is past all of
    /// them then. (They may be all but one, so many that their number wraps around to -1, which is as well.)
    const SHIFT_AND_PAST: (i32, i32) = {
        let (first, last, _) = Self::RANGE;
        let lowest = i32::MIN >> (32 - A::DTYPE.bits());
        let count = (last - first + 1) as i32;
        (lowest.wrapping_sub(first as i32), lowest.wrapping_add(count))
    };

    /// All ones for codes that become 1.
    #[inline(always)]
    fn of(isa: Avx2, v: __m256i) -> __m256i {
        let (shift, past) = const { Self::SHIFT_AND_PAST };
        match const { A::DTYPE.bits() } {
            8 => {
                let v = if Self::DOUBLES { isa.add8(v, v) } else { v };
                isa.gt8(isa.all8(past as i8), isa.add8(v, isa.all8(shift as i8)))
            }
            16 => {
                let v = if Self::DOUBLES { isa.add16(v, v) } else { v };
                isa.gt16(isa.all16(past as i16), isa.add16(v, isa.all16(shift as i16)))
            }
            _ => {
                let v = if Self::DOUBLES { isa.add32(v, v) } else { v };
                isa.gt32(isa.all32(past), isa.add32(v, isa.all32(shift)))
            }
        }
    }
}

impl<A: Real, B: Real> Step for InRange<A, B> {
    const IN: usize = A::DTYPE.bits();
    const OUT: usize = 1;
    const LEN: usize = GROUP;
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: a quarter of the group, which is 4 bytes of bits.
            unsafe {
                let src = src.add(4 * Self::IN * k);
                let ones = match Self::IN {
                    8 => Self::of(isa, isa.load(src)),
                    16 => {
                        let [a, b] = [isa.load(src), isa.load(src.add(32))];
                        isa.in_order(isa.packs16(Self::of(isa, a), Self::of(isa, b)))
                    }
                    _ => {
                        let [a, b] = [isa.load(src), isa.load(src.add(32))];
                        let [c, d] = [isa.load(src.add(64)), isa.load(src.add(96))];
                        let ab = isa.packs32(Self::of(isa, a), Self::of(isa, b));
                        let cd = isa.packs32(Self::of(isa, c), Self::of(isa, d));
                        isa.packed_in_order(isa.packs16(ab, cd))
                    }
                };
                dst.add(4 * k).cast::<i32>().write_unaligned(isa.signs8(ones));
            }
            k += 1;
        }
    }
}

macro_rules! set {
    ($pairs:ident [$($from:ident)*] $to:tt) => {$(
        set!(@row $pairs $from $to);
    )*};
    (@row $pairs:ident $from:ident [$($packed:ident $of:ident)*]) => {$(
        $pairs.set(DType::$from, DType::$packed, Entry {
            kernel: stepped::<InRange<mark::$from, mark::$of>, MODE>,
            road: Road::Direct,
        });
    )*};
}

/// Sets the kernels of the pairs that have one.
pub(super) const fn with_ranges<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    set!(pairs
    [
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float16 BFloat16 Float32
    ]
    [Bool1x8 Bool Int1x8 Int1 UInt1x8 UInt1]);
    set!(pairs [Float8E8M0Fnu] [UInt1x8 UInt1]);
    set!(pairs [Int8 UInt8 Int16 UInt16] [Bool1x8 Bool]);
    pairs
}
