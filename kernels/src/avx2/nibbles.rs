//! Maps of bytes to bytes as sums of look-ups by nibble, found at compile time. A small float's code
//! is its exponent and fraction side by side, so that what most formats make of it is linear in the
//! code, with a constant; that holds nibble by nibble. Subnormals all have the high nibble 0,
//! infinities and NaNs the high nibble 7, so a table each corrects those.
//!
//! `vpshufb` looks up 4 bits in 16 bytes, and gives 0 where the index is negative: so that a
//! correction by `magnitude + 0x70` applies to magnitudes below 16, and one by `magnitude - 0x70` to
//! those from 0x70 on.

use super::Avx2;
use crate::dtypes::{DType, Real};
use crate::scalar::direct::{table8, table16};
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// What a byte is mapped to: `high[b / 16] + low[m % 16] + bottom[m] + top[m - 0x70]`, where m is
/// `b` without its sign bit and a table read outside gives 0. What is then wrong for the code of -0
/// is `minus_zero`.
#[derive(Clone, Copy)]
pub(super) struct Nibbles {
    high: [u8; 16],
    low: [u8; 16],
    bottom: [u8; 16],
    top: [u8; 16],
    minus_zero: u8,
}

impl Nibbles {
    /// The sum for a map of codes of `bits` bits, if there is one.
    const fn solve(map: &[u8; 256], bits: usize) -> Option<Self> {
        let sign = 1 << (bits - 1);
        let mut sum =
            Self { high: [0; 16], low: [0; 16], bottom: [0; 16], top: [0; 16], minus_zero: 0 };
        let mut i = 0;
        while i < 16 {
            sum.low[i] = if bits == 4 { map[i] } else { map[0x10 + i].wrapping_sub(map[0x10]) };
            i += 1;
        }
        let mut i = 1;
        while i < 1 << bits >> 4 {
            sum.high[i] = map[i << 4];
            i += 1;
        }
        if bits > 4 {
            // -0 may be no number; the next code tells what the sign adds.
            sum.high[sign >> 4] = map[sign + 1].wrapping_sub(map[1]);
        }
        let mut i = 0;
        while i < 16 && bits > 4 {
            sum.bottom[i] = map[i].wrapping_sub(sum.low[i]);
            if bits == 8 {
                sum.top[i] = map[0x70 + i].wrapping_sub(sum.low[i]).wrapping_sub(sum.high[7]);
            }
            i += 1;
        }
        sum.minus_zero = map[sign] ^ sum.at(sign, bits);
        let mut i = 0;
        while i < 1 << bits {
            if sum.at(i, bits) != map[i] {
                return None;
            }
            i += 1;
        }
        Some(sum)
    }

    const fn at(&self, byte: usize, bits: usize) -> u8 {
        let sign = 1 << (bits - 1);
        let m = byte % sign;
        let mut value = self.high[byte >> 4].wrapping_add(self.low[byte % 16]);
        if m < 16 {
            value = value.wrapping_add(self.bottom[m]);
        }
        if m >= 0x70 {
            value = value.wrapping_add(self.top[m - 0x70]);
        }
        if byte == sign { value ^ self.minus_zero } else { value }
    }
}

/// Two maps at once: one for each lane of 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    high: [u8; 32],
    low: [u8; 32],
    bottom: [u8; 32],
    top: [u8; 32],
    minus_zero: [u8; 32],
}

const fn beside(a: &[u8; 16], b: &[u8; 16]) -> [u8; 32] {
    let mut both = [0; 32];
    let mut i = 0;
    while i < 16 {
        both[i] = a[i];
        both[i + 16] = b[i];
        i += 1;
    }
    both
}

const fn any(table: &[u8; 32]) -> bool {
    let mut i = 0;
    while i < 32 {
        if table[i] != 0 {
            return true;
        }
        i += 1;
    }
    false
}

impl Lanes {
    const fn of(a: &Nibbles, b: &Nibbles) -> Self {
        Self {
            high: beside(&a.high, &b.high),
            low: beside(&a.low, &b.low),
            bottom: beside(&a.bottom, &b.bottom),
            top: beside(&a.top, &b.top),
            minus_zero: beside(&[a.minus_zero; 16], &[b.minus_zero; 16]),
        }
    }
}

/// Maps for the codes of `A` that differ by lane.
pub(super) trait Maps<A: Real> {
    const LANES: Lanes;
}

/// What the look-ups of one vector of codes share.
#[derive(Clone, Copy)]
pub(super) struct Indices {
    codes: __m256i,
    high: __m256i,
    magnitude: __m256i,
}

impl Avx2 {
    /// Prepares codes of `A`.
    #[inline(always)]
    pub(super) fn indices<A: Real>(self, bytes: __m256i) -> Indices {
        let bits = const { A::DTYPE.significant_bits() };
        let codes = if bits == 8 {
            bytes
        } else {
            self.and(bytes, self.all8(const { ((1 << A::DTYPE.significant_bits()) - 1) as i8 }))
        };
        let high = self.and(self.shr16::<4>(codes), self.all8(15));
        let magnitude = self
            .and(codes, self.all8(const { ((1 << (A::DTYPE.significant_bits() - 1)) - 1) as i8 }));
        Indices { codes, high, magnitude }
    }

    /// The bytes that `M` makes of codes of `A`.
    #[inline(always)]
    pub(super) fn look_up<A: Real, M: Maps<A>>(self, at: Indices) -> __m256i {
        let table = |bytes: &'static [u8; 32]| {
            // SAFETY: an array of 32 bytes.
            unsafe { self.load(bytes.as_ptr()) }
        };
        if const { A::DTYPE.significant_bits() == 4 } {
            return self.shuffle8(table(const { &M::LANES.low }), at.codes);
        }
        let mut sum = self.shuffle8(table(const { &M::LANES.high }), at.high);
        if const { any(&M::LANES.low) } {
            sum = self.add8(sum, self.shuffle8(table(const { &M::LANES.low }), at.magnitude));
        }
        if const { any(&M::LANES.bottom) } {
            let small = self.add8(at.magnitude, self.all8(0x70));
            sum = self.add8(sum, self.shuffle8(table(const { &M::LANES.bottom }), small));
        }
        if const { any(&M::LANES.top) } {
            let special = self.sub8(at.magnitude, self.all8(0x70));
            sum = self.add8(sum, self.shuffle8(table(const { &M::LANES.top }), special));
        }
        if const { any(&M::LANES.minus_zero) } {
            let sign = const { (1 << (A::DTYPE.significant_bits() - 1)) as u8 as i8 };
            let minus_zero = self.eq8(at.codes, self.all8(sign));
            sum = self.xor(sum, self.and(minus_zero, table(const { &M::LANES.minus_zero })));
        }
        sum
    }
}

/// The low byte of what codes of `A` are as a 16-bit float, in the lower lane, and the high byte in
/// the upper one.
pub(super) struct BothBytes<A, B>(PhantomData<(A, B)>);
/// The low byte, in both lanes.
pub(super) struct LowByte<A, B>(PhantomData<(A, B)>);
/// The high byte, in both lanes.
pub(super) struct HighByte<A, B>(PhantomData<(A, B)>);
/// What codes of `A` are in another one-byte dtype.
pub(super) struct OneByte<A, B>(PhantomData<(A, B)>);

/// Whether the codes of `A` have such a sum for a 16-bit float: all small floats but e8m0.
const fn bytes_of<A: Real>(to: DType, high: bool) -> Nibbles {
    let values = table16::<A>(to);
    let mut map = [0; 256];
    let mut i = 0;
    while i < 256 {
        map[i] = if high { (values[i] >> 8) as u8 } else { values[i] as u8 };
        i += 1;
    }
    match Nibbles::solve(&map, A::DTYPE.significant_bits()) {
        Some(nibbles) => nibbles,
        None => panic!("not a sum of nibbles"),
    }
}

struct Bytes<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> Bytes<A, B> {
    const LOW: Nibbles = bytes_of::<A>(B::DTYPE, false);
    const HIGH: Nibbles = bytes_of::<A>(B::DTYPE, true);
}

impl<A: Real, B: Real> Maps<A> for BothBytes<A, B> {
    const LANES: Lanes = Lanes::of(&Bytes::<A, B>::LOW, &Bytes::<A, B>::HIGH);
}

impl<A: Real, B: Real> Maps<A> for LowByte<A, B> {
    const LANES: Lanes = Lanes::of(&Bytes::<A, B>::LOW, &Bytes::<A, B>::LOW);
}

impl<A: Real, B: Real> Maps<A> for HighByte<A, B> {
    const LANES: Lanes = Lanes::of(&Bytes::<A, B>::HIGH, &Bytes::<A, B>::HIGH);
}

/// The sum for a map between one-byte dtypes, if there is one.
pub(super) const fn one_byte<A: Real, B: Real>() -> Option<Nibbles> {
    Nibbles::solve(&table8::<A>(B::DTYPE), A::DTYPE.significant_bits())
}

impl<A: Real, B: Real> Maps<A> for OneByte<A, B> {
    const LANES: Lanes = match one_byte::<A, B>() {
        Some(nibbles) => Lanes::of(&nibbles, &nibbles),
        None => panic!("not a sum of nibbles"),
    };
}
