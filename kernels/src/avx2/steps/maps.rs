//! Between one-byte dtypes, by look-ups. Where the sign bit does nothing but change the sign, the
//! look-ups are of magnitudes only, and there are half as many of them.

use crate::avx2::Avx2;
use crate::avx2::direct::Step;
use crate::avx2::nibbles::{Lanes, Maps, Nibbles};
use crate::dtypes::{DType, Kind, Real};
use crate::format::Numbers;
use crate::scalar::direct::table8;
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// Between one-byte dtypes, by a sum of look-ups.
pub(in crate::avx2) struct ByteMap;

/// What the sign of the source does.
#[derive(Clone, Copy)]
enum Sign {
    /// Anything: the look-ups are of all codes.
    Any,
    /// It becomes that of the destination.
    Kept,
    /// The same, but zero stays positive.
    KeptOffZero,
    /// It flips the one that the magnitude gives: NaN becomes a zero of the other sign.
    Flips,
    /// The look-ups give the negative numbers' magnitudes, of which the positive ones are clamped.
    Negates,
    /// All negative numbers give this.
    Gives(u8),
}

/// A map between one-byte dtypes.
#[derive(Clone, Copy)]
struct Plan {
    sign: Sign,
    /// Whether the source is in two's complement.
    absolute: bool,
    nibbles: Nibbles,
    /// What the rule gets wrong in the code 0x80, which often is no number but a NaN.
    minus_zero: u8,
    work: usize,
}

/// Whether a dtype has negative numbers in the upper half of the bytes, counting back from 256.
const fn two_s_complement(dtype: DType) -> bool {
    matches!(dtype, DType::Int8)
}

const fn sign_bit(dtype: DType) -> u8 {
    match dtype.numbers() {
        Numbers::Float(format) => format.sign_mask() as u8,
        _ => 0,
    }
}

/// The largest number of an integer dtype.
const fn largest(dtype: DType) -> u8 {
    match dtype.numbers() {
        Numbers::Int(format) => format.max() as u8,
        _ => 0xff,
    }
}

impl Plan {
    const fn of(map: &[u8; 256], from: DType, to: DType) -> Self {
        let bits = from.significant_bits();
        let nibbles = Nibbles::of(map, bits);
        let work = 3 * nibbles.work();
        let absolute = false;
        let mut best = Self { sign: Sign::Any, absolute, nibbles, minus_zero: 0, work };
        let signed = bits == 8 && matches!(from.kind(), Kind::Int | Kind::Float);
        let rules = [
            (Sign::Kept, 3),
            (Sign::KeptOffZero, 5),
            (Sign::Flips, 3),
            (Sign::Negates, 5),
            (Sign::Gives(map[0xff]), 2),
        ];
        let mut i = 0;
        while i < rules.len() && signed {
            let (sign, work) = rules[i];
            if let Some(plan) = Self::by_magnitude(map, from, to, sign, work)
                && plan.work < best.work
            {
                best = plan;
            }
            i += 1;
        }
        best
    }

    /// The map by that rule, if it follows it.
    const fn by_magnitude(
        map: &[u8; 256],
        from: DType,
        to: DType,
        sign: Sign,
        work: usize,
    ) -> Option<Self> {
        let absolute = two_s_complement(from);
        let mut values = [0; 256];
        let mut m = 0;
        while m < 128 {
            let negative = if absolute { 256 - m } else { 128 + m };
            values[m] = match sign {
                Sign::Negates if m > 0 => 0u8.wrapping_sub(map[negative]),
                _ => map[m],
            };
            m += 1;
        }
        let mut minus_zero = 0;
        let mut byte = 0;
        while byte < 256 {
            let m = match (absolute, byte) {
                (true, 128) => 127,
                (true, 129..) => 256 - byte,
                _ => byte % 128,
            };
            let found = apply(sign, values[m], byte >= 128, to);
            if found != map[byte] {
                if byte != 128 {
                    return None;
                }
                minus_zero = found ^ map[byte];
            }
            byte += 1;
        }
        let nibbles = Nibbles::of(&values, 7);
        let extra = 2 * absolute as usize + if minus_zero != 0 { 3 } else { 0 };
        let work = 3 * nibbles.work() + work + extra;
        Some(Self { sign, absolute, nibbles, minus_zero, work })
    }
}

/// What a rule makes of the look-ups' result.
const fn apply(sign: Sign, value: u8, negative: bool, to: DType) -> u8 {
    let bit = if negative { sign_bit(to) } else { 0 };
    match sign {
        Sign::Any => value,
        Sign::Kept => value | bit,
        Sign::KeptOffZero => {
            if value == 0 {
                0
            } else {
                value | bit
            }
        }
        Sign::Flips => value ^ bit,
        Sign::Negates => {
            if negative {
                0u8.wrapping_sub(value)
            } else if value > largest(to) {
                largest(to)
            } else {
                value
            }
        }
        Sign::Gives(code) => {
            if negative {
                code
            } else {
                value
            }
        }
    }
}

/// The map from `A` to `B`.
struct Pair<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> Pair<A, B> {
    const PLAN: Plan = Plan::of(&table8::<A>(B::DTYPE), A::DTYPE, B::DTYPE);
}

impl<A: Real, B: Real> Maps<A> for Pair<A, B> {
    const LANES: Lanes = Lanes::of(&Self::PLAN.nibbles, &Self::PLAN.nibbles);
}

/// About how many instructions the map takes beyond the least.
pub(in crate::avx2) const fn work<A: Real, B: Real>() -> usize {
    Pair::<A, B>::PLAN.work
}

impl<A: Real, B: Real> Step<A, B> for ByteMap {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = isa.load(src);
            let plan = const { &Pair::<A, B>::PLAN };
            let codes =
                if plan.absolute { isa.min_u8(isa.abs8(bytes), isa.all8(0x7f)) } else { bytes };
            let at = match plan.sign {
                Sign::Any => isa.indices::<A>(codes),
                _ => isa.magnitudes(codes),
            };
            let values = isa.look_up::<A, Pair<A, B>>(at);
            let values = isa.signed::<A, B>(values, bytes);
            isa.store(
                dst,
                if plan.minus_zero == 0 {
                    values
                } else {
                    let code = isa.eq8(bytes, isa.all8(i8::MIN));
                    isa.xor(values, isa.and(code, isa.all8(plan.minus_zero as i8)))
                },
            );
        }
    }
}

impl Avx2 {
    /// [`apply`] to 32 bytes.
    #[inline(always)]
    fn signed<A: Real, B: Real>(self, values: __m256i, bytes: __m256i) -> __m256i {
        let sign = self.and(bytes, self.all8(i8::MIN));
        let bit = match const { sign_bit(B::DTYPE) } {
            0x08 => self.shr16::<4>(sign),
            0x20 => self.shr16::<2>(sign),
            _ => sign,
        };
        let negative = self.gt8(self.zero(), bytes);
        match const { Pair::<A, B>::PLAN.sign } {
            Sign::Any => values,
            Sign::Kept => self.or(values, bit),
            Sign::KeptOffZero => self.or(values, self.andnot(self.eq8(values, self.zero()), bit)),
            Sign::Flips => self.xor(values, bit),
            Sign::Negates => {
                let limit = self.or(negative, self.all8(const { largest(B::DTYPE) as i8 }));
                let numbers = self.sub8(self.xor(values, negative), negative);
                self.min_u8(numbers, limit)
            }
            Sign::Gives(code) => self.blend8(values, self.all8(code as i8), negative),
        }
    }
}
