//! Maps of bytes to bytes as sums of look-ups by nibble, found at compile time.
//!
//! `vpshufb` looks up 4 bits in 16 bytes, and gives 0 where the index is negative. So a table read at
//! `m - 16 * k` counts for the magnitudes m (7 bits) from 16 * k on, and any map can be written as a
//! sum: what the first 16 codes give, plus for every later row of 16 what it has more than the row
//! before it. Small floats are exponent and fraction side by side, and what most formats make of that
//! is linear in the code, but for subnormals, infinities, NaNs and the ends of ranges: so nearly all
//! of these differences are constant along their row, and together they are one look-up by the high
//! nibble. What the first and the last few codes do is one more, if they are no more than 15.

use super::Avx2;
use crate::dtypes::{DType, Kind, Real};
use crate::format::Numbers;
use crate::scalar::direct::table16;
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// What a code is mapped to: with m its lower 7 bits, the sum of
/// * `high[code / 16]` and `low[m % 16]`,
/// * `ends[(code + top) % codes]` where that is below 15, and `ends[15]`, which is 0, elsewhere,
/// * `rows[k][m - 16 * k]` for every k from 1 to 7 with m >= 16 * k,
/// * `upper[k][m - 16 * k]` for every k from 0 to 7 with m >= 16 * k, if the highest of 8 bits is set,
///
/// where the indices of `rows` and `upper` count modulo 16; but no more than `most`. If `halved` is not
/// zero, m is half the code from there on, or half of that, so that it is below; with what is lost in
/// the lowest place: of a number twice as large a float has but the next exponent, and rounds alike.
#[derive(Clone, Copy)]
pub(super) struct Nibbles {
    high: [u8; 16],
    low: [u8; 16],
    ends: [u8; 16],
    top: u8,
    halved: u8,
    most: u8,
    rows: [[u8; 16]; 8],
    upper: [[u8; 16]; 8],
}

/// What stands for no look-up of the ends.
const NO_ENDS: usize = 15;

impl Nibbles {
    /// The sum for a map of which the first `1 << bits` codes count, with a look-up for the last few
    /// codes, as many as the dtype has that are no finite numbers, if that makes it shorter.
    pub(super) const fn of(map: &[u8; 256], bits: usize, from: DType) -> Self {
        let plain = Self::with_ends(map, bits, NO_ENDS);
        if matches!(from, DType::Int8 | DType::UInt8) {
            let mut best = plain;
            let mut below = 1 << (bits - 1);
            while below >= 64 {
                if let Some(halved) = Self::with_halves(map, bits, below)
                    && halved.work() < best.work()
                {
                    best = halved;
                }
                below /= 2;
            }
            return best;
        }
        let top = specials(from);
        if bits < 7 || top >= NO_ENDS {
            return plain;
        }
        let other = Self::with_ends(map, bits, top);
        if other.work() < plain.work() { other } else { plain }
    }

    /// A row that is the same all over goes to `high`, and is no work: that is what makes the sums
    /// short.
    const fn with_ends(map: &[u8; 256], bits: usize, top: usize) -> Self {
        let none = [[0; 16]; 8];
        let mut sum = Self {
            high: [0; 16],
            low: [0; 16],
            ends: [0; 16],
            top: top as u8,
            halved: 0,
            most: u8::MAX,
            rows: none,
            upper: none,
        };
        let mut map = *map;
        if top < NO_ENDS {
            sum.ends = take_ends(&mut map, 1 << bits, top);
        }
        let (mut jumps, mut last_jump) = (0, 0);
        let mut j = 0;
        while j < 16 {
            sum.low[j] = map[j];
            j += 1;
        }
        let mut k = 1;
        while k < 1 << bits >> 4 {
            let before = if k == 8 { 0 } else { k - 1 };
            let mut step = [0; 16];
            let mut constant = true;
            let mut j = 0;
            while j < 16 {
                let mut more = map[16 * k + j] as i32 - map[16 * before + j] as i32;
                if k > 8 {
                    // What the row below 128 adds is added here too.
                    more -= map[16 * (k - 8) + j] as i32 - map[16 * (k - 9) + j] as i32;
                }
                step[j] = more as u8;
                constant &= step[j] == step[0];
                j += 1;
            }
            let mut total = sum.high[before];
            if constant && step[0] != 0 {
                (jumps, last_jump) = (jumps + 1, k);
                total = total.wrapping_add(step[0]);
            }
            if k > 8 {
                let below = sum.high[k - 8].wrapping_sub(sum.high[k - 9]);
                total = total.wrapping_add(below);
            }
            sum.high[k] = total;
            if !constant {
                if k < 8 {
                    sum.rows[k] = step;
                } else {
                    sum.upper[k - 8] = step;
                }
            }
            k += 1;
        }
        if jumps == 1 && bits <= 7 {
            // As a row it takes less.
            sum.rows[last_jump] = [sum.high[last_jump]; 16];
            sum.high = [0; 16];
        } else if jumps > 0 && is_constant(&sum.low) {
            let mut k = 0;
            while k < 16 {
                sum.high[k] = sum.high[k].wrapping_add(sum.low[0]);
                k += 1;
            }
            sum.low = [0; 16];
        }
        sum
    }

    /// With the codes from a power of two on halved, if that gives the same but for what is constant
    /// along a row.
    const fn with_halves(map: &[u8; 256], bits: usize, below: usize) -> Option<Self> {
        let mut sum = Self::with_ends(map, below.ilog2() as usize, NO_ENDS);
        sum.halved = below as u8;
        let last = map[(1 << bits) - 1];
        let mut code = below;
        while code < 1 << bits {
            let mut half = code;
            while half >= below {
                half = half >> 1 | half & 1;
            }
            let mut value = sum.low[half % 16];
            let mut k = 1;
            while k <= half / 16 {
                value = value.wrapping_add(sum.rows[k][half % 16]);
                k += 1;
            }
            if code.is_multiple_of(16) {
                sum.high[code / 16] = map[code].wrapping_sub(value);
            }
            let found = value.wrapping_add(sum.high[code / 16]);
            if found > map[code] && map[code] == last {
                sum.most = last;
            } else if found != map[code] {
                return None;
            }
            code += 1;
        }
        Some(sum)
    }

    /// The same for codes of 8 bits, of which the highest adds so much; None if that would be one more
    /// look-up.
    pub(super) const fn with_sign(mut self, sign: u8) -> Option<Self> {
        if !any(&self.high) {
            return if sign == 0 { Some(self) } else { None };
        }
        let mut k = 0;
        while k < 8 {
            self.high[k + 8] = self.high[k].wrapping_add(sign);
            k += 1;
        }
        Some(self)
    }

    /// About how many instructions the sum takes.
    pub(super) const fn work(&self) -> usize {
        let (mut count, mut k) = (0, 0);
        while k < 8 {
            count += any(&self.rows[k]) as usize + any(&self.upper[k]) as usize;
            k += 1;
        }
        3 * count
            + 5 * any(&self.ends) as usize
            + 5 * (self.halved != 0) as usize
            + (self.most != u8::MAX) as usize
            + 4 * any(&self.high) as usize
            + 2 * any(&self.low) as usize
    }
}

/// Takes the last `top` codes and the first ones out of a map: in their place it gets what the nearest
/// row suggests, and they become a table of the difference.
const fn take_ends(map: &mut [u8; 256], codes: usize, top: usize) -> [u8; 16] {
    let mut ends = [0; 16];
    let (first, last) = (map[15].wrapping_sub(map[31]), codes - 16);
    let after = map[last].wrapping_sub(map[last - 16]);
    let mut i = 0;
    while i < NO_ENDS {
        let (code, value) = if i < top {
            let code = codes - top + i;
            (code, map[code - 16].wrapping_add(after))
        } else {
            (i - top, map[i - top + 16].wrapping_add(first))
        };
        ends[i] = map[code].wrapping_sub(value);
        map[code] = value;
        i += 1;
    }
    ends
}

/// The codes at the end of those without a sign that are no finite numbers.
const fn specials(dtype: DType) -> usize {
    match dtype.numbers() {
        Numbers::Float(format) if format.bits() == 8 => {
            let codes = if format.signed() { 0x80 } else { 0x100 };
            codes - 1 - format.max_finite() as usize
        }
        _ => NO_ENDS,
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

const fn any(table: &[u8]) -> bool {
    let mut i = 0;
    while i < table.len() {
        if table[i] != 0 {
            return true;
        }
        i += 1;
    }
    false
}

/// Two maps at once: one for each lane of 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    high: [u8; 32],
    low: [u8; 32],
    ends: [u8; 32],
    /// By lane.
    top: [u8; 32],
    /// Of both.
    halved: u8,
    /// Of both.
    most: u8,
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

impl Lanes {
    pub(super) const fn of(a: &Nibbles, b: &Nibbles) -> Self {
        assert!(a.halved == b.halved && a.most == b.most);
        let mut both = Self {
            high: beside(&a.high, &b.high),
            low: beside(&a.low, &b.low),
            ends: beside(&a.ends, &b.ends),
            top: beside(&[a.top; 16], &[b.top; 16]),
            halved: a.halved,
            most: a.most,
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
}

/// Maps for codes of so many bits that differ by lane.
pub(super) trait Maps {
    const BITS: usize;
    const LANES: Lanes;
}

impl Avx2 {
    /// The bytes that `M` makes of codes, which have zeros above their bits. If `high` is to add a sign,
    /// `whole` still has it; else it is the same.
    #[inline(always)]
    pub(super) fn look_up<M: Maps>(self, codes: __m256i, whole: __m256i) -> __m256i {
        let magnitudes = match (const { M::LANES.halved }, M::BITS) {
            (0, 8) => self.and(codes, self.all8(0x7f)),
            (0, _) => codes,
            (64, 8) => self.upper_halved::<64>(self.upper_halved::<128>(codes)),
            (64, _) => self.upper_halved::<64>(codes),
            _ => self.upper_halved::<128>(codes),
        };
        let mut sum = None;
        if const { any(&M::LANES.high) } {
            let at = self.and(self.shr16::<4>(whole), self.all8(15));
            sum = self.plus(sum, self.shuffle8(self.constant(const { &M::LANES.high }), at));
        }
        if const { any(&M::LANES.low) } {
            let low = self.shuffle8(self.constant(const { &M::LANES.low }), magnitudes);
            sum = self.plus(sum, low);
        }
        if const { any(&M::LANES.ends) } {
            let at = self.add8(codes, self.constant(const { &M::LANES.top }));
            let at = if M::BITS == 8 { at } else { self.and(at, self.all8(0x7f)) };
            let at = self.min_u8(at, self.all8(15));
            sum = self.plus(sum, self.shuffle8(self.constant(const { &M::LANES.ends }), at));
        }
        sum = self.correct::<M, 0>(sum, codes, magnitudes);
        sum = self.correct::<M, 1>(sum, codes, magnitudes);
        sum = self.correct::<M, 2>(sum, codes, magnitudes);
        sum = self.correct::<M, 3>(sum, codes, magnitudes);
        sum = self.correct::<M, 4>(sum, codes, magnitudes);
        sum = self.correct::<M, 5>(sum, codes, magnitudes);
        sum = self.correct::<M, 6>(sum, codes, magnitudes);
        match (self.correct::<M, 7>(sum, codes, magnitudes), const { M::LANES.most }) {
            (Some(sum), u8::MAX) => sum,
            (Some(sum), most) => self.min_u8(sum, self.all8(most as i8)),
            (None, _) => self.zero(),
        }
    }

    /// Halves the codes from 64 or 128 on, to odd if a bit is lost.
    #[inline(always)]
    fn upper_halved<const FROM: u8>(self, codes: __m256i) -> __m256i {
        let half = self.and(self.shr16::<1>(codes), self.all8(0x7f));
        let odd = self.or(half, self.and(codes, self.all8(1)));
        let upper = if FROM == 64 { self.add8(codes, codes) } else { codes };
        self.blend8(codes, odd, upper)
    }

    #[inline(always)]
    fn correct<M: Maps, const K: usize>(
        self,
        sum: Option<__m256i>,
        codes: __m256i,
        magnitudes: __m256i,
    ) -> Option<__m256i> {
        let mut sum = sum;
        let index = self.sub8(magnitudes, self.all8(const { (16 * K) as i8 }));
        if const { any(&M::LANES.rows[K]) } {
            let row = self.shuffle8(self.constant(const { &M::LANES.rows[K] }), index);
            sum = self.plus(sum, row);
        }
        if const { any(&M::LANES.upper[K]) } {
            // Negative where the highest bit is not set.
            let index = self.or(index, self.andnot(codes, self.all8(i8::MIN)));
            let row = self.shuffle8(self.constant(const { &M::LANES.upper[K] }), index);
            sum = self.plus(sum, row);
        }
        sum
    }

    #[inline(always)]
    fn plus(self, sum: Option<__m256i>, more: __m256i) -> Option<__m256i> {
        match sum {
            Some(sum) => Some(self.add8(sum, more)),
            None => Some(more),
        }
    }
}

/// The bits of a dtype's codes below the sign, where that is a bit of its own; all of them where there
/// is none, or so few that it is no use to tell it apart.
pub(super) const fn magnitude_bits(dtype: DType) -> usize {
    let bits = dtype.significant_bits();
    match dtype.numbers() {
        Numbers::Float(format) if bits > 4 && format.signed() => bits - 1,
        _ => bits,
    }
}

/// What codes become in two bytes.
#[derive(Clone, Copy)]
struct Words {
    low: Nibbles,
    high: Nibbles,
    /// The bits of the codes that are looked up. If that is not all of them, the other one is the sign
    /// of the result.
    bits: usize,
    /// Whether that sign is yet to be put in its place.
    unsigned: bool,
    /// What is wrong, in the low and the high byte, of the code with no bit set but the sign.
    minus_zero: [u8; 2],
}

impl Words {
    const fn of(words: &[u16; 256], from: DType) -> Self {
        let (mut low, mut high) = ([0; 256], [0; 256]);
        let mut code = 0;
        while code < 256 {
            [low[code], high[code]] = words[code].to_le_bytes();
            code += 1;
        }
        let bits = from.significant_bits();
        let all = Self {
            low: Nibbles::of(&low, bits, from),
            high: Nibbles::of(&high, bits, from),
            bits,
            unsigned: false,
            minus_zero: [0; 2],
        };
        let bits = magnitude_bits(from);
        let Some(minus_zero) = exception(words, bits, all.bits) else { return all };
        let low = Nibbles::of(&low, bits, from);
        let high = Nibbles::of(&high, bits, from);
        let split = match (bits, low.with_sign(0), high.with_sign(0x80)) {
            (7, Some(low), Some(high)) => Self { low, high, bits, unsigned: false, minus_zero },
            _ => Self { low, high, bits, unsigned: true, minus_zero },
        };
        if split.work() < all.work() { split } else { all }
    }

    /// About how many instructions it takes.
    const fn work(&self) -> usize {
        let exceptions = (self.minus_zero[0] != 0) as usize + (self.minus_zero[1] != 0) as usize;
        let exceptions = if exceptions > 0 { 1 + 2 * exceptions } else { 0 };
        self.low.work() + self.high.work() + 2 * self.unsigned as usize + exceptions
    }
}

/// If the bit above `bits` is the sign of the result and changes nothing else: what is wrong about that
/// for the code with no other bit set. None else.
const fn exception(words: &[u16; 256], bits: usize, all_bits: usize) -> Option<[u8; 2]> {
    if bits == all_bits {
        return None;
    }
    let codes = 1 << bits;
    let mut m = 1;
    while m < codes {
        if words[codes + m] != words[m] ^ 0x8000 {
            return None;
        }
        m += 1;
    }
    let wrong = words[codes] ^ words[0] ^ 0x8000;
    if wrong != 0 && bits != 7 { None } else { Some(wrong.to_le_bytes()) }
}

/// What codes of small floats are as bfloat16, if that is to be cut to an integer: 0 instead of NaN,
/// and never more than 2^31, of which comes the lowest 32-bit integer; or if the integer will be clamped
/// to 16 bits, than 2^17.
const fn words_for_integers<A: Real>(to: DType) -> [u16; 256] {
    let limit = if to.bits() == 16 { 0x4800 } else { 0x4f00 };
    let mut words = table16::<A>(DType::BFloat16);
    let mut code = 0;
    while code < 256 {
        let (sign, magnitude) = (words[code] & 0x8000, words[code] & 0x7fff);
        if magnitude > 0x7f80 {
            words[code] = sign;
        } else if magnitude > limit {
            words[code] = sign | limit;
        }
        code += 1;
    }
    words
}

/// The upper words of what codes of small floats are as float64.
pub(super) const fn upper_words<A: Real>() -> [u16; 256] {
    let mut words = table16::<A>(DType::BFloat16);
    let mut code = 0;
    while code < 256 {
        let (sign, magnitude) = (words[code] & 0x8000, words[code] & 0x7fff);
        // The subnormal one is 2^-127.
        assert!(magnitude == 0x40 || magnitude.is_multiple_of(8), "no more bits than these");
        let upper = match magnitude {
            0 => 0,
            0x40 => (1023 - 127) << 4,
            0x7f80.. => 0x7ff0 | (magnitude & 0x7f) >> 3,
            _ => (magnitude >> 3) + ((1023 - 127) << 4),
        };
        words[code] = sign | upper;
        code += 1;
    }
    words
}

struct Bytes<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> Bytes<A, B> {
    const WORDS: Words = match B::DTYPE.kind() {
        Kind::Float if B::DTYPE.bits() == 64 => Words::of(&upper_words::<A>(), A::DTYPE),
        Kind::Float => Words::of(&table16::<A>(B::DTYPE), A::DTYPE),
        _ => Words::of(&words_for_integers::<A>(B::DTYPE), A::DTYPE),
    };
    /// For [`BothBytes`].
    const SIGNS: [u8; 32] = beside(&[0; 16], &[0x80; 16]);
    const MINUS_ZERO: [u8; 32] =
        beside(&[Self::WORDS.minus_zero[0]; 16], &[Self::WORDS.minus_zero[1]; 16]);
}

/// The low byte in the lower lane, and the high byte in the upper one.
struct BothBytes<A, B>(PhantomData<(A, B)>);
/// The low byte, in both lanes.
struct LowByte<A, B>(PhantomData<(A, B)>);
/// The high byte, in both lanes.
struct HighByte<A, B>(PhantomData<(A, B)>);

macro_rules! maps {
    ($($maps:ident $low:ident $high:ident;)*) => {$(
        impl<A: Real, B: Real> Maps for $maps<A, B> {
            const BITS: usize = Bytes::<A, B>::WORDS.bits;
            const LANES: Lanes =
                Lanes::of(&Bytes::<A, B>::WORDS.$low, &Bytes::<A, B>::WORDS.$high);
        }
    )*};
}

maps! {
    BothBytes low high;
    LowByte low low;
    HighByte high high;
}

impl Avx2 {
    /// The low bytes and the high bytes of what codes of `A` are as `B`, a 16-bit float; or of what
    /// [`upper_words`] or [`words_for_integers`] says, if `B` is float64 or an integer.
    #[inline(always)]
    pub(super) fn small_to_words<A: Real, B: Real>(self, bytes: __m256i) -> [__m256i; 2] {
        let words = const { &Bytes::<A, B>::WORDS };
        let codes = self.lower_bits(bytes, words.bits);
        let whole = if words.bits == 7 && !words.unsigned { bytes } else { codes };
        let mut low = self.look_up::<LowByte<A, B>>(codes, whole);
        let mut high = self.look_up::<HighByte<A, B>>(codes, whole);
        if const { Bytes::<A, B>::WORDS.unsigned } {
            let sign = self.and(self.sign_on_top::<A>(bytes), self.all8(i8::MIN));
            high = self.or(high, sign);
        }
        let [wrong_low, wrong_high] = words.minus_zero;
        if wrong_low != 0 {
            let minus_zero = self.eq8(bytes, self.all8(i8::MIN));
            low = self.xor(low, self.and(minus_zero, self.all8(wrong_low as i8)));
        }
        if wrong_high != 0 {
            let minus_zero = self.eq8(bytes, self.all8(i8::MIN));
            high = self.xor(high, self.and(minus_zero, self.all8(wrong_high as i8)));
        }
        [low, high]
    }

    /// The same of the same 16 codes in both lanes: the low bytes in the lower one, the high bytes in
    /// the upper one.
    #[inline(always)]
    pub(super) fn small_to_lanes<A: Real, B: Real>(self, bytes: __m256i) -> __m256i {
        let words = const { &Bytes::<A, B>::WORDS };
        let codes = self.lower_bits(bytes, words.bits);
        let whole = if words.bits == 7 && !words.unsigned { bytes } else { codes };
        let mut found = self.look_up::<BothBytes<A, B>>(codes, whole);
        if const { Bytes::<A, B>::WORDS.unsigned } {
            let sign = self.constant(const { &Bytes::<A, B>::SIGNS });
            found = self.or(found, self.and(self.sign_on_top::<A>(bytes), sign));
        }
        if const { any(&Bytes::<A, B>::MINUS_ZERO) } {
            let wrong = self.constant(const { &Bytes::<A, B>::MINUS_ZERO });
            let minus_zero = self.eq8(bytes, self.all8(i8::MIN));
            found = self.xor(found, self.and(minus_zero, wrong));
        }
        found
    }

    #[inline(always)]
    pub(super) fn lower_bits(self, bytes: __m256i, bits: usize) -> __m256i {
        if bits == 8 { bytes } else { self.and(bytes, self.all8(((1 << bits) - 1) as i8)) }
    }

    /// The sign bit of codes of `A` as the highest of their bytes; what is below is anything.
    #[inline(always)]
    pub(super) fn sign_on_top<A: Real>(self, bytes: __m256i) -> __m256i {
        match const { A::DTYPE.significant_bits() } {
            6 => self.shl16::<2>(bytes),
            4 => self.shl16::<4>(bytes),
            _ => bytes,
        }
    }
}
