//! Maps of bytes to bytes as sums of look-ups by nibble, found at compile time.
//!
//! `vpshufb` looks up 4 bits in 16 bytes, and gives 0 where the index is negative. So a table read at
//! `m - 16 * k` counts for the magnitudes m (7 bits) from 16 * k on, and any map can be written as a
//! sum: what the first 16 codes give, plus for every later row of 16 what it has more than the row
//! before it. Small floats are exponent and fraction side by side, and what most formats make of that
//! is linear in the code, but for subnormals, infinities, NaNs and the ends of ranges: so nearly all
//! of these differences are constant along their row, and together they are one look-up by the high
//! nibble. A map is then four or five look-ups.

use super::Avx2;
use crate::dtypes::{DType, Real};
use crate::scalar::direct::table16;
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// What a byte is mapped to: with m its lower 7 bits, the sum of
/// * `high[b / 16]` and `low[b % 16]`,
/// * `rows[k][m - 16 * k]` for every k from 1 to 7 with m >= 16 * k,
/// * `upper[k][m - 16 * k]` for every k from 0 to 7 with m >= 16 * k, if the highest bit is set,
///
/// where the indices of `rows` and `upper` count modulo 16.
#[derive(Clone, Copy)]
pub(super) struct Nibbles {
    high: [u8; 16],
    low: [u8; 16],
    rows: [[u8; 16]; 8],
    upper: [[u8; 16]; 8],
}

impl Nibbles {
    /// The sum for a map of which the first `1 << bits` codes count. A row that is the same all over
    /// goes to `high`, and is no work: that is what makes the sums short.
    pub(super) const fn of(map: &[u8; 256], bits: usize) -> Self {
        let mut sum = Self { high: [0; 16], low: [0; 16], rows: [[0; 16]; 8], upper: [[0; 16]; 8] };
        let mut j = 0;
        while j < 16 {
            sum.low[j] = map[j];
            j += 1;
        }
        let mut k = 1;
        while k < 1 << bits >> 4 {
            let before = if k == 8 { 0 } else { k - 1 };
            let mut step = [0; 16];
            let mut j = 0;
            while j < 16 {
                step[j] = map[16 * k + j].wrapping_sub(map[16 * before + j]);
                if k > 8 {
                    // What the row below 128 adds is added here too.
                    let there = map[16 * (k - 8) + j].wrapping_sub(map[16 * (k - 9) + j]);
                    step[j] = step[j].wrapping_sub(there);
                }
                j += 1;
            }
            let constant = if is_constant(&step) { step[0] } else { 0 };
            let mut total = sum.high[before].wrapping_add(constant);
            if k > 8 {
                let below = sum.high[k - 8].wrapping_sub(sum.high[k - 9]);
                total = total.wrapping_add(below);
            }
            sum.high[k] = total;
            if !is_constant(&step) {
                if k < 8 {
                    sum.rows[k] = step;
                } else {
                    sum.upper[k - 8] = step;
                }
            }
            k += 1;
        }
        sum
    }

    /// How many of the corrections there are.
    pub(super) const fn work(&self) -> usize {
        let (mut count, mut k) = (0, 0);
        while k < 8 {
            count += !is_constant(&self.rows[k]) as usize + !is_constant(&self.upper[k]) as usize;
            k += 1;
        }
        count
    }
}

const fn is_constant(row: &[u8; 16]) -> bool {
    let mut j = 1;
    while j < 16 {
        if row[j] != row[0] {
            return false;
        }
        j += 1;
    }
    true
}

/// Two maps at once: one for each lane of 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    high: [u8; 32],
    low: [u8; 32],
    rows: [[u8; 32]; 8],
    upper: [[u8; 32]; 8],
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
    pub(super) const fn of(a: &Nibbles, b: &Nibbles) -> Self {
        let mut both = Self {
            high: beside(&a.high, &b.high),
            low: beside(&a.low, &b.low),
            rows: [[0; 32]; 8],
            upper: [[0; 32]; 8],
        };
        let mut k = 0;
        while k < 8 {
            both.rows[k] = beside(&a.rows[k], &b.rows[k]);
            both.upper[k] = beside(&a.upper[k], &b.upper[k]);
            k += 1;
        }
        both
    }

    const fn any_upper(&self) -> bool {
        let mut k = 0;
        while k < 8 {
            if any(&self.upper[k]) {
                return true;
            }
            k += 1;
        }
        false
    }
}

/// Maps for the codes of `A` that differ by lane.
pub(super) trait Maps<A: Real> {
    const LANES: Lanes;
}

/// What the look-ups of one vector of codes share.
#[derive(Clone, Copy)]
pub(super) struct Indices {
    high: __m256i,
    /// Without the highest bit, so that it selects by its lower nibble.
    magnitude: __m256i,
    /// The highest bit, if the code has not got it.
    not_upper: __m256i,
}

impl Avx2 {
    /// Prepares codes of `A`.
    #[inline(always)]
    pub(super) fn indices<A: Real>(self, bytes: __m256i) -> Indices {
        let mask = const { ((1 << A::DTYPE.significant_bits()) - 1) as u8 };
        let codes = if mask == 0xff { bytes } else { self.and(bytes, self.all8(mask as i8)) };
        Indices {
            high: self.and(self.shr16::<4>(codes), self.all8(15)),
            magnitude: self.and(codes, self.all8(0x7f)),
            not_upper: self.andnot(codes, self.all8(i8::MIN)),
        }
    }

    /// Prepares the lower 7 bits of bytes.
    #[inline(always)]
    pub(super) fn magnitudes(self, bytes: __m256i) -> Indices {
        let magnitude = self.and(bytes, self.all8(0x7f));
        let high = self.and(self.shr16::<4>(magnitude), self.all8(15));
        Indices { high, magnitude, not_upper: self.all8(i8::MIN) }
    }

    /// The bytes that `M` makes of codes of `A`.
    #[inline(always)]
    pub(super) fn look_up<A: Real, M: Maps<A>>(self, at: Indices) -> __m256i {
        let low = self.shuffle8(self.constant(const { &M::LANES.low }), at.magnitude);
        if const { A::DTYPE.significant_bits() <= 4 } {
            return low;
        }
        let mut sum = self.shuffle8(self.constant(const { &M::LANES.high }), at.high);
        if const { any(&M::LANES.low) } {
            sum = self.add8(sum, low);
        }
        sum = self.correct::<A, M, 0>(sum, at);
        sum = self.correct::<A, M, 1>(sum, at);
        sum = self.correct::<A, M, 2>(sum, at);
        sum = self.correct::<A, M, 3>(sum, at);
        sum = self.correct::<A, M, 4>(sum, at);
        sum = self.correct::<A, M, 5>(sum, at);
        sum = self.correct::<A, M, 6>(sum, at);
        self.correct::<A, M, 7>(sum, at)
    }

    #[inline(always)]
    fn correct<A: Real, M: Maps<A>, const K: usize>(self, sum: __m256i, at: Indices) -> __m256i {
        let mut sum = sum;
        let index = self.sub8(at.magnitude, self.all8(const { (16 * K) as i8 }));
        if const { any(&M::LANES.rows[K]) } {
            sum = self.add8(sum, self.shuffle8(self.constant(const { &M::LANES.rows[K] }), index));
        }
        if const { M::LANES.any_upper() && any(&M::LANES.upper[K]) } {
            let index = self.or(index, at.not_upper);
            sum = self.add8(sum, self.shuffle8(self.constant(const { &M::LANES.upper[K] }), index));
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
const fn bytes_of<A: Real>(to: DType, high: bool) -> Nibbles {
    let values = table16::<A>(to);
    let mut map = [0; 256];
    let mut i = 0;
    while i < 256 {
        map[i] = if high { (values[i] >> 8) as u8 } else { values[i] as u8 };
        i += 1;
    }
    Nibbles::of(&map, A::DTYPE.significant_bits())
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
