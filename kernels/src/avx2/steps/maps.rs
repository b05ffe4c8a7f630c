//! Between one-byte dtypes, by look-ups, by a ramp with look-ups for the rest, by thresholds, or by the one look-up of a
//! window. Where the sign bit does nothing but change the sign, the look-ups are of magnitudes only, and there are
//! half as many of them.

use crate::avx2::Avx2;
use crate::avx2::code_tables::Codes;
use crate::avx2::direct::{Step, by_memory};
use crate::avx2::few_bits::{FewBits, OfFewBits};
use crate::avx2::low_bits::low_bits;
use crate::avx2::nibbles::{Lanes, Maps, Nibbles, magnitude_bits};
use crate::avx2::ramps::{Climbs, Ramp};
use crate::avx2::steps::moved::Moved;
use crate::avx2::thresholds::{Stepped, Thresholds};
use crate::avx2::windows::{Paned, Panes, Window, Windowed};
use crate::dtypes::{DType, Kind, Real};
use crate::format::Numbers;
use crate::options::{Options, Overflow, Rounding};
use crate::scalar::direct::{ByteTable, table8_under};
use crate::shape::Mode;
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// Between one-byte dtypes, by a sum of look-ups.
pub(in crate::avx2) struct ByteMap<const HOW: u8>;

/// How numbers are cast: under the default options, the same but not saturating, rounded away from zero, which is as good as
/// up where nothing is negative, and the same on both sides of zero, so that there is less to look up; or to their low bits.
/// Any other is the number of a [`Mode`].
pub(in crate::avx2) const BY_DEFAULT: u8 = u8::MAX;
pub(in crate::avx2) const OVERFLOWING: u8 = u8::MAX - 1;
pub(in crate::avx2) const FROM_ZERO: u8 = u8::MAX - 2;
pub(in crate::avx2) const LOW_BITS: u8 = u8::MAX - 3;

const UP: u8 = Mode::Up as u8;
const DOWN: u8 = Mode::Down as u8;
const TO_ZERO: u8 = Mode::TowardZero as u8;
const AWAY: u8 = Mode::NearestAway as u8;
const EVEN: u8 = Mode::NearestEven as u8;

const fn options(how: u8) -> Options {
    let rounding = match how {
        OVERFLOWING => return Options { saturate: false, ..Options::DEFAULT },
        LOW_BITS => return Options { overflow: Overflow::Wrap, ..Options::DEFAULT },
        UP => Rounding::Up,
        DOWN => Rounding::Down,
        TO_ZERO => Rounding::TowardZero,
        AWAY => Rounding::NearestAway,
        EVEN => Rounding::NearestEven,
        _ => panic!("no such mode"),
    };
    Options { rounding, ..Options::DEFAULT }
}

/// What the sign of the source does.
#[derive(Clone, Copy)]
enum Sign {
    /// Anything: the look-ups are of all codes.
    Any,
    /// It becomes that of the destination.
    Kept,
    /// The same, by the look-up of the high nibble.
    LookedUp,
    /// The same, but zero stays positive.
    KeptOffZero,
    /// It flips the one that the magnitude gives: NaN becomes a zero of the other sign.
    Flips,
    /// The look-ups give the negative numbers' magnitudes, of which the positive ones are clamped.
    Negates,
    /// All negative numbers give this.
    Gives(u8),
    /// The look-ups give the positive numbers' low bits.
    OfLowBits,
    /// All but positive codes up to this give zero, of which the look-ups don't know.
    OfPositive(u8),
}

/// What may take the place of a sum of look-ups.
#[derive(Clone, Copy)]
enum Other {
    None,
    Ramp(Ramp),
    Thresholds(Thresholds),
    Window(Window),
    Panes(Panes),
    FewBits(FewBits),
}

/// A map between one-byte dtypes.
#[derive(Clone, Copy)]
struct Plan {
    sign: Sign,
    /// Whether the source is in two's complement.
    absolute: bool,
    /// Whether -128 is to be taken for -127, since the look-ups have nothing for it.
    clamped: bool,
    /// The bits of the codes that are looked up.
    bits: usize,
    nibbles: Nibbles,
    /// What is less work than the nibbles, if it is.
    other: Other,
    /// What the rule gets wrong in the code 0x80, which often is no number but a NaN.
    minus_zero: u8,
    /// Which numbers are moved away from zero, if some are.
    moved: Option<Moved>,
    work: usize,
}

/// Whether a dtype has negative numbers in the upper half of the bytes, counting back from 256.
pub(super) const fn two_s_complement(dtype: DType) -> bool {
    matches!(dtype, DType::Int8)
}

pub(super) const fn sign_bit(dtype: DType) -> u8 {
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
        let by_half = Self::by_half(map, from, to);
        let bits = from.significant_bits();
        // (A sum of look-ups of all codes of 8 bits is longer than one of half of them, and takes the compiler long to find.)
        let (nibbles, to_beat, most) = match by_half {
            Some(plan) if bits == 8 => (plan.nibbles, plan.work + 1, plan.work),
            _ => {
                let nibbles = Nibbles::of(map, bits, from);
                (nibbles, nibbles.work(), usize::MAX - 1)
            }
        };
        let (other, work) = shorter(map, bits, to, to_beat, 0, most);
        match by_half {
            Some(plan) if plan.work < work => plan,
            _ => Self {
                sign: Sign::Any,
                absolute: false,
                clamped: false,
                bits,
                nibbles,
                other,
                minus_zero: 0,
                moved: None,
                work,
            },
        }
    }

    /// The map by half of its codes, if a rule gives the others.
    const fn by_half(map: &[u8; 256], from: DType, to: DType) -> Option<Self> {
        let bits = if two_s_complement(from) { 7 } else { magnitude_bits(from) };
        // More than one rule is rarely followed, and of those the first is the shortest.
        let rules = [
            (Sign::Gives(map[0xff]), 2),
            (Sign::Kept, 3),
            (Sign::Flips, 3),
            (Sign::KeptOffZero, 4),
            (Sign::Negates, 5),
            (Sign::OfLowBits, 3),
        ];
        let mut i = 0;
        while i < rules.len() && bits < from.significant_bits() {
            let (sign, work) = rules[i];
            if let Some(plan) = Self::by_magnitude(map, from, to, bits, sign, work) {
                return Some(plan);
            }
            i += 1;
        }
        None
    }

    /// The map by that rule, if it follows it.
    const fn by_magnitude(
        map: &[u8; 256],
        from: DType,
        to: DType,
        bits: usize,
        sign: Sign,
        work: usize,
    ) -> Option<Self> {
        let absolute = two_s_complement(from);
        let codes = 1 << bits;
        let mut values = [0; 256];
        let mut minus_zero = 0;
        // Zero, whose negative code is the one that may break the rule, comes last.
        let mut m = codes;
        while m > 0 {
            m -= 1;
            let negative = if absolute { 256 - m } else { codes + m };
            let value = match sign {
                Sign::Negates if m > 0 => 0u8.wrapping_sub(map[negative]),
                _ => map[m],
            };
            values[m] = value;
            if apply(sign, value, false, to) != map[m] {
                return None;
            }
            // In two's complement 0x80 is -128, taken for -127.
            let (negative, value) = match (absolute, m) {
                (true, 0) => (128, values[127]),
                _ => (negative, value),
            };
            let found = apply(sign, value, true, to);
            if found != map[negative] {
                if negative != 128 {
                    return None;
                }
                minus_zero = found ^ map[negative];
            }
        }
        let nibbles = Nibbles::of(&values, bits, from);
        let whole = bits == 7 && !absolute && sign_bit(to) == 0x80 && all_below(&values, 0x80);
        let (found, nibbles, own) = match (sign, nibbles.with_sign(0x80)) {
            (Sign::Kept, Some(signed)) if whole => (Sign::LookedUp, signed, 0),
            _ => (sign, nibbles, work),
        };
        let (other, least) = shorter(&values, bits, to, nibbles.work() + own, work, usize::MAX - 1);
        let (other, clamped) = match other {
            Other::Thresholds(thresholds) if absolute && minus_zero == 0 => {
                (Other::Thresholds(thresholds.followed_by(values[127])), false)
            }
            other => (other, absolute),
        };
        let sign = if matches!(other, Other::None) { found } else { sign };
        let work =
            least + absolute as usize + clamped as usize + if minus_zero != 0 { 3 } else { 0 };
        Some(Self { sign, absolute, clamped, bits, nibbles, other, minus_zero, moved: None, work })
    }

    /// The map of numbers with a sign that is rounded up, or down, by that of such that are cut.
    const fn to_one_side(cut: &[u8; 256], from: DType, to: DType, moved: Moved) -> Self {
        let plan = match to.kind() {
            Kind::Int => match Self::by_magnitude(cut, from, to, 7, Sign::Negates, 5) {
                Some(plan) => plan,
                None => panic!("integers that are cut are the same on both sides of zero"),
            },
            _ => Self::of(cut, from, to),
        };
        // (What is before the first negative float may be a NaN, which is seen to apart from look-ups that know the sign;
        // and in two's complement the byte before a negative number's is further from zero.)
        assert!(has_minus_zero(from) || !matches!(plan.sign, Sign::Any));
        Self { moved: Some(moved), work: plan.work + 4, ..plan }
    }

    /// This plan, or a window of the positive numbers if that is less work. Rounded up, they are 1 from the first one on, so
    /// that there is a window if it need not show that zero is not.
    const fn or_of_positive(self, map: &[u8; 256]) -> Self {
        let mut last = 127;
        while last > 0 && map[last] == 0 {
            last -= 1;
        }
        let mut values = [map[last]; 256];
        let mut code = 0;
        while code < 256 {
            let is_positive = code > 0 && code <= last;
            if !is_positive && map[code] != 0 {
                return self;
            }
            if code <= last {
                values[code] = map[if code == 0 { 1 } else { code }];
            }
            code += 1;
        }
        let Some(window) = Window::of(&values, 256) else { return self };
        let work = window.work() + 2 + (last < 127) as usize;
        if work >= self.work {
            return self;
        }
        let (sign, other) = (Sign::OfPositive(last as u8), Other::Window(window));
        Self { sign, bits: 8, other, minus_zero: 0, moved: None, work, ..self }
    }

    /// This plan, or the low bits of floats in a shorter way.
    const fn or_of_few_bits(self, map: &[u8; 256], from: DType, to: DType) -> Self {
        match FewBits::of(map, from, to) {
            Some(bits) if bits.work() < self.work => {
                let other = Other::FewBits(bits);
                Self { sign: Sign::Any, bits: 8, other, minus_zero: 0, work: bits.work(), ..self }
            }
            _ => self,
        }
    }
}

const fn has_minus_zero(from: DType) -> bool {
    matches!(from.numbers(), Numbers::Float(format) if format.has_negative_zero())
}

/// What makes a map with less work, if with so much more to do it is; and how much is left. What is more than the most that
/// is of use need not be found.
const fn shorter(
    map: &[u8; 256],
    bits: usize,
    to: DType,
    work: usize,
    more: usize,
    most: usize,
) -> (Other, usize) {
    let (mut best, mut least) = (Other::None, work);
    if bits >= 7
        && let Some(window) = Window::of(map, 1 << bits)
        && window.work() + more < work
    {
        (best, least) = (Other::Window(window), window.work() + more);
    }
    if bits == 7
        && let Some(panes) = Panes::of(map, 1 << bits)
        && panes.work() + more < least
    {
        (best, least) = (Other::Panes(panes), panes.work() + more);
    }
    if bits < 7 || least <= 12 {
        return (best, least);
    }
    let limit = work + Ramp::most_bonus(work);
    let limit = if limit > most { most + 1 } else { limit }.saturating_sub(more);
    if matches!(best, Other::None)
        && let Some(ramp) = Ramp::of(map, 1 << bits, limit)
        && ramp.work() + more < work + ramp.bonus(work)
    {
        (best, least) = (Other::Ramp(ramp), ramp.work() + more);
    }
    let limit = least.saturating_sub(more);
    if let Some(thresholds) = Thresholds::of(map, 1 << bits, to.significant_bits(), limit) {
        (best, least) = (Other::Thresholds(thresholds), thresholds.work() + more);
    }
    (best, least)
}

const fn all_below(values: &[u8; 256], limit: u8) -> bool {
    let mut i = 0;
    while i < 256 {
        if values[i] >= limit {
            return false;
        }
        i += 1;
    }
    true
}

/// What a rule makes of the look-ups' result.
const fn apply(sign: Sign, value: u8, negative: bool, to: DType) -> u8 {
    let bit = if negative { sign_bit(to) } else { 0 };
    match sign {
        Sign::Any | Sign::LookedUp | Sign::OfPositive(_) => value,
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
        Sign::OfLowBits => low_bits(if negative { 0u8.wrapping_sub(value) } else { value }, to),
    }
}

/// The map from `A` to `B`.
struct Pair<A, B, const HOW: u8>(PhantomData<(A, B)>);

impl<A: Real, B: Real, const HOW: u8> Pair<A, B, HOW> {
    const PLAN: Plan = match Self::moved() {
        Some(moved) => {
            assert!(moved.rounds(&Self::TABLE, &Self::cut(), A::DTYPE, B::DTYPE));
            Plan::to_one_side(&Self::cut(), A::DTYPE, B::DTYPE, moved)
        }
        None => {
            let plan = Plan::of(&Self::TABLE, A::DTYPE, B::DTYPE);
            match (A::DTYPE.numbers(), B::DTYPE.kind()) {
                (Numbers::Float(format), Kind::UInt) if HOW == UP && format.bits() == 8 => {
                    plan.or_of_positive(&Self::TABLE)
                }
                _ if HOW == LOW_BITS => plan.or_of_few_bits(&Self::TABLE, A::DTYPE, B::DTYPE),
                _ => plan,
            }
        }
    };

    /// What each byte becomes. The compiler takes long to cast by the reference, so that plans share what it found.
    const TABLE: [u8; 256] = match HOW {
        BY_DEFAULT => ByteTable::<A, B>::BYTES,
        // (Which is the default.)
        TO_ZERO if !matches!(B::DTYPE.kind(), Kind::Float) => ByteTable::<A, B>::BYTES,
        FROM_ZERO => Self::from_zero(),
        _ => table8_under::<A>(B::DTYPE, &options(HOW)),
    };

    /// What numbers are cut to. (A function names no other table than its own: all that it names are made when it is called.)
    const fn cut() -> [u8; 256] {
        Pair::<A, B, TO_ZERO>::TABLE
    }

    /// Which numbers are moved if they are cut then: from the first to the last of those that would not be rounded.
    const fn moved() -> Option<Moved> {
        let signs = match (A::DTYPE.numbers(), B::DTYPE.kind()) {
            (Numbers::Float(format), Kind::Int | Kind::Float) => {
                format.signed() && format.bits() == 8 && !matches!(B::DTYPE, DType::Float8E8M0Fnu)
            }
            (Numbers::Int(_), Kind::Float) => two_s_complement(A::DTYPE),
            _ => false,
        };
        if !signs || !matches!(HOW, UP | DOWN) {
            return None;
        }
        Moved::of(&Self::TABLE, &Self::cut(), HOW == DOWN, A::DTYPE)
    }

    const fn from_zero() -> [u8; 256] {
        let mut table = Pair::<A, B, UP>::TABLE;
        let negative = Pair::<A, B, DOWN>::TABLE;
        let mut code = 128;
        while code < 256 {
            table[code] = negative[code];
            code += 1;
        }
        table
    }
}

impl<A: Real, B: Real, const HOW: u8> Maps for Pair<A, B, HOW> {
    const BITS: usize = Self::PLAN.bits;
    const LANES: Lanes = Lanes::of(&Self::PLAN.nibbles, &Self::PLAN.nibbles);
}

impl<A: Real, B: Real, const HOW: u8> Climbs for Pair<A, B, HOW> {
    const RAMP: Ramp = match Self::PLAN.other {
        Other::Ramp(ramp) => ramp,
        _ => Ramp::NOTHING,
    };
}

impl<A: Real, B: Real, const HOW: u8> Stepped for Pair<A, B, HOW> {
    const THRESHOLDS: Thresholds = match Self::PLAN.other {
        Other::Thresholds(thresholds) => thresholds,
        _ => Thresholds::NOTHING,
    };
}

impl<A: Real, B: Real, const HOW: u8> Windowed for Pair<A, B, HOW> {
    const WINDOW: Window = match Self::PLAN.other {
        Other::Window(window) => window,
        _ => Window::NOTHING,
    };
}

impl<A: Real, B: Real, const HOW: u8> OfFewBits for Pair<A, B, HOW> {
    const FEW_BITS: FewBits = match Self::PLAN.other {
        Other::FewBits(bits) => bits,
        _ => FewBits::NOTHING,
    };
}

impl<A: Real, B: Real, const HOW: u8> Paned for Pair<A, B, HOW> {
    const PANES: Panes = match Self::PLAN.other {
        Other::Panes(panes) => panes,
        _ => Panes::NOTHING,
    };
}

/// What the first codes become.
pub(in crate::avx2) const fn codes<A: Real, B: Real, const HOW: u8>() -> Codes {
    match Pair::<A, B, HOW>::TABLE.first_chunk() {
        Some(codes) => *codes,
        None => panic!("there are more"),
    }
}

/// About how many instructions the map takes beyond the least.
pub(in crate::avx2) const fn work<A: Real, B: Real, const HOW: u8>() -> usize {
    Pair::<A, B, HOW>::PLAN.work
}

impl<A: Real, B: Real, const HOW: u8> Step<A, B> for ByteMap<HOW> {
    const LEN: usize = 32;
    // (Of longer ones, found to be those of more work than 14, two wait less for each other.)
    const AT_ONCE: usize = match work::<A, B, HOW>() {
        ..=14 => by_memory(A::DTYPE, B::DTYPE, 32),
        _ => 2,
    };

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe { isa.store(dst, isa.mapped_by::<A, B, HOW>(isa.load(src))) }
    }
}

impl Avx2 {
    /// What 32 bytes become under the default options.
    #[inline(always)]
    pub(super) fn mapped<A: Real, B: Real>(self, bytes: __m256i) -> __m256i {
        self.mapped_by::<A, B, BY_DEFAULT>(bytes)
    }

    /// The same in another way.
    #[inline(always)]
    pub(super) fn mapped_by<A: Real, B: Real, const HOW: u8>(self, bytes: __m256i) -> __m256i {
        let plan = const { &Pair::<A, B, HOW>::PLAN };
        let codes = match (plan.absolute, plan.clamped) {
            (true, true) => self.min_u8(self.abs8(bytes), self.all8(0x7f)),
            (true, false) => self.abs8(bytes),
            _ => self.lower_bits(bytes, plan.bits),
        };
        let moved = match plan.moved {
            Some(moved) => self.to_be_moved::<A>(moved, bytes),
            None => self.zero(),
        };
        let codes = if plan.moved.is_some() { self.add8(codes, moved) } else { codes };
        let whole = match plan.sign {
            Sign::LookedUp => self.add8(bytes, moved),
            _ => codes,
        };
        let values = match plan.other {
            Other::None => self.look_up::<Pair<A, B, HOW>>(codes, whole),
            Other::Ramp(_) => self.climb::<Pair<A, B, HOW>>(codes),
            Other::Thresholds(_) => self.count_steps::<Pair<A, B, HOW>>(codes),
            Other::Window(_) => self.look_out::<Pair<A, B, HOW>>(codes),
            Other::Panes(_) => self.look_through::<Pair<A, B, HOW>>(codes),
            Other::FewBits(_) => self.few_bits::<Pair<A, B, HOW>, B>(codes),
        };
        let values = match plan.moved {
            Some(_) => self.next::<B>(values, moved),
            None => values,
        };
        let values = self.signed::<A, B, HOW>(values, self.sign_on_top::<A>(bytes));
        if plan.minus_zero == 0 {
            return values;
        }
        let code = self.eq8(bytes, self.all8(i8::MIN));
        self.xor(values, self.and(code, self.all8(plan.minus_zero as i8)))
    }

    /// [`apply`] to 32 bytes, with signs from others.
    #[inline(always)]
    fn signed<A: Real, B: Real, const HOW: u8>(self, values: __m256i, signs: __m256i) -> __m256i {
        let sign = self.and(signs, self.all8(i8::MIN));
        let bit = match const { sign_bit(B::DTYPE) } {
            0x08 => self.shr16::<4>(sign),
            0x20 => self.shr16::<2>(sign),
            _ => sign,
        };
        match const { Pair::<A, B, HOW>::PLAN.sign } {
            Sign::Any | Sign::LookedUp => values,
            Sign::Kept if sign_bit(B::DTYPE) == 0 => values,
            Sign::Kept => self.or(values, bit),
            // The bit is the same as its negative.
            Sign::KeptOffZero if sign_bit(B::DTYPE) == 0x80 => {
                self.or(values, self.sign8(bit, values))
            }
            Sign::KeptOffZero => self.or(values, self.andnot(self.eq8(values, self.zero()), bit)),
            Sign::Flips => self.xor(values, bit),
            // (Zero has no sign, and is none.)
            Sign::Negates if const { largest(B::DTYPE) < 127 } => {
                let number = self.sign8(values, signs);
                self.min8(number, self.all8(const { largest(B::DTYPE) as i8 }))
            }
            Sign::Negates => {
                let positive = self.min_u8(values, self.all8(const { largest(B::DTYPE) as i8 }));
                self.blend8(positive, self.sub8(self.zero(), values), signs)
            }
            Sign::Gives(code) => self.blend8(values, self.all8(code as i8), signs),
            // (With something added, the codes past the last positive one go around, and none comes from below zero.)
            Sign::OfPositive(last) => {
                let more = i8::MAX - last as i8;
                let codes = if more == 0 { signs } else { self.add8(signs, self.all8(more)) };
                self.and(values, self.gt8(codes, self.all8(more)))
            }
            Sign::OfLowBits => self.low_bits_with_sign::<B>(values, signs),
        }
    }
}
