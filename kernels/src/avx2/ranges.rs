//! From floats to single bits, and from integers to packed bools: taken for integers, the codes that become 1 follow
//! each other, from a first to a last. One comparison of unsigned integers tells them, of the distance from the first with
//! their number. AVX2 compares signed ones, so that the lowest signed integer is added on both sides.
//!
//! To an unsigned bit these are the numbers from 1 to infinity, to a signed one those from -1 to minus infinity, and to bool
//! all but zero: of both signs, where there are two zeros, once the sign is shifted away.
//!
//! By other modes these are numbers from somewhere else on, which the cast's plan knows: loops are told that when they are
//! called.
//!
//! The words on top of wide floats tell it, too, so that of turned ones only these are put in order, and that all of a group
//! fit: see [`TopWords`].

use super::Avx2;
use super::packed::{Step, stepped};
use super::pieces::GROUP;
use super::sixes::SixesToBits;
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::format::Numbers;
use crate::stepwise::{self, places};
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// Numbers of at most 32 bits to the bits that a dtype of single ones has; or turned floats of 16 and 32 bits to bools; or, if
/// `FIT`, floats to unsigned bits that are known to fit them.
struct InRange<A, B, const TURNED: bool, const FIT: bool>(PhantomData<(A, B)>);

impl<A: Real, B: Real, const TURNED: bool, const FIT: bool> InRange<A, B, TURNED, FIT> {
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
        let bits = A::DTYPE.bits();
        if TURNED {
            // What is not zero but for its sign, which is a bit of the lowest byte.
            const { assert!(!TURNED || Self::DOUBLES) };
            let is_zero = match bits {
                16 => isa.eq16(isa.sizes::<16, true>(v), isa.zero()),
                _ => isa.eq32(isa.sizes::<32, true>(v), isa.zero()),
            };
            return isa.andnot(is_zero, isa.all8(-1));
        }
        if FIT {
            const { assert!(!FIT || matches!(B::DTYPE, DType::UInt1)) };
            // What has a sign and fits becomes 0, and as a signed integer is less than all that has none.
            let below = isa.all(bits, const { Self::RANGE.0 as i64 - 1 });
            return match bits {
                8 => isa.gt8(v, below),
                16 => isa.gt16(v, below),
                _ => isa.gt32(v, below),
            };
        }
        let (shift, past) = const { Self::SHIFT_AND_PAST };
        let v = match bits {
            _ if !Self::DOUBLES => v,
            8 => isa.add8(v, v),
            16 => isa.add16(v, v),
            _ => isa.add32(v, v),
        };
        isa.before(bits, v, [isa.all(bits, shift.into()), isa.all(bits, past.into())])
    }
}

impl<A: Real, B: Real, const TURNED: bool, const FIT: bool> Step for InRange<A, B, TURNED, FIT> {
    const IN: usize = A::DTYPE.bits();
    const OUT: usize = 1;
    const LEN: usize = GROUP;
    const READS_TURNED: bool = TURNED;
    const OF: Option<(DType, DType)> = Some((A::DTYPE, B::DTYPE));
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            isa.store_told::<1>(
                A::DTYPE.bits(),
                isa.zero(),
                src,
                dst,
                #[inline(always)]
                |v| Self::of(isa, v),
            );
        }
    }
}

/// Floats of 32 and 64 bits to integers of a bit, by the words on top; of floats of 16 bits, which are not turned, these are all.
///
/// The first code that becomes 1 has nothing below its word on top, so that this word says of all codes whether they are
/// past it. It says as much of the last one, infinity, but for NaNs whose word is infinity's: a group that has such a word
/// is told by whole numbers. Turned, the words on top are the lowest ones. Those of neighbouring vectors come together by
/// blends, if vectors are loaded from where their words lie in the next places: 16 words are then turned by one
/// instruction, where the numbers take two or four.
struct TopWords<A, B, const TURNED: bool>(PhantomData<(A, B)>);

impl<A: Real, B: Real, const TURNED: bool> TopWords<A, B, TURNED> {
    const BITS: usize = A::DTYPE.bits();

    /// The bits below a word on top.
    const BELOW: usize = Self::BITS - 16;

    /// As [`InRange::SHIFT_AND_PAST`], for words of the top and for whole numbers. Past the last one is here the last one:
    /// of words, one that is told by what is below it, or is unfit.
    const SHIFT_AND_LAST: ([i16; 2], [i64; 2]) = {
        let (first, last, doubles) = InRange::<A, B, false, false>::RANGE;
        let below = Self::BELOW;
        assert!(!doubles && (first | last) & ((1 << below) - 1) == 0);
        let lowest = i64::MIN >> (64 - Self::BITS);
        let shift = lowest.wrapping_sub(first as i64);
        let last = lowest.wrapping_add((last - first) as i64);
        ([(shift >> below) as i16, (last >> below) as i16], [shift, last])
    };

    /// Where the bytes of 16 words go, so that they are in native order and each lane has all of a vector's together.
    const TURNS: [u8; 16] = {
        let (each, words) = (128 / Self::BITS, Self::BITS / 16);
        let mut places = [0; 16];
        let mut i = 0;
        while i < 8 {
            let at = 2 * (i / each + i % each * words) as u8;
            (places[2 * i], places[2 * i + 1]) = if TURNED { (at + 1, at) } else { (at, at + 1) };
            i += 1;
        }
        places
    };

    /// The words on top of 16 numbers, in order by lanes of 128 bits.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    unsafe fn words(isa: Avx2, src: *const u8) -> __m256i {
        // In native order they are the highest ones: the last vector's are in their places.
        let first = if TURNED { 0 } else { Self::BELOW / 8 };
        // SAFETY: the caller's: turned, all but the first begin in the vector before, or else all but the last end in the one
        // after.
        let words = unsafe {
            if Self::BITS == 16 {
                const { assert!(!TURNED || Self::BITS > 16) };
                return isa.load(src);
            }
            let src = src.add(first);
            let (a, b) = (isa.load(src), isa.load(src.add(32 - 2)));
            match Self::BITS {
                32 => isa.mix16::<0b10_10_10_10>(a, b),
                _ => {
                    let (c, d) = (isa.load(src.add(64 - 4)), isa.load(src.add(96 - 6)));
                    let ac = isa.mix32::<0b10_10_10_10>(a, c);
                    isa.mix16::<0b10_10_10_10>(ac, isa.mix32::<0b10_10_10_10>(b, d))
                }
            }
        };
        isa.shuffle8(words, isa.twice(bytemuck::cast(const { Self::TURNS })))
    }

    /// Puts what is told of 32 numbers in order, in a byte each.
    #[inline(always)]
    fn in_order(isa: Avx2, told: __m256i) -> __m256i {
        match Self::BITS {
            16 => isa.in_order(told),
            32 => isa.packed_in_order(told),
            _ => isa.low_high_pairs(isa.in_order(told)),
        }
    }
}

impl<A: Real, B: Real> TopWords<A, B, true> {
    /// A group with words that don't tell.
    ///
    /// # Safety
    /// As for [`Step::step`].
    #[cold]
    #[inline(never)]
    unsafe fn by_numbers(src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's, whose CPU has the instruction set.
        let isa = unsafe { Avx2::summon() };
        isa.vectorize(
            #[inline(always)]
            || {
                let (_, [shift, last]) = const { Self::SHIFT_AND_LAST };
                let range = [isa.all(Self::BITS, shift), isa.all(Self::BITS, last + 1)];
                let places = isa.twice(bytemuck::cast(const { places(A::DTYPE.bits() / 8) }));
                // SAFETY: the caller's.
                unsafe {
                    isa.store_told::<1>(
                        Self::BITS,
                        isa.zero(),
                        src,
                        dst,
                        #[inline(always)]
                        |v| isa.before(Self::BITS, isa.shuffle8(v, places), range),
                    );
                }
            },
        );
    }
}

impl<A: Real, B: Real> Step for TopWords<A, B, true> {
    const IN: usize = Self::BITS;
    const OUT: usize = 1;
    const LEN: usize = GROUP;
    const READS_TURNED: bool = true;
    const OF: Option<(DType, DType)> = Some((A::DTYPE, B::DTYPE));
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        let ([shift, last], _) = const { Self::SHIFT_AND_LAST };
        let (shift, last) = (isa.all16(shift), isa.all16(last));
        let mut untold = isa.zero();
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: a quarter of the group, which is 4 bytes of bits.
            unsafe {
                let src = src.add(4 * Self::BITS * k);
                let a = isa.add16(Self::words(isa, src), shift);
                let b = isa.add16(Self::words(isa, src.add(2 * Self::BITS)), shift);
                let told = isa.packs16(isa.gt16(last, a), isa.gt16(last, b));
                isa.store_ones::<1>(Self::in_order(isa, told), isa.zero(), dst.add(4 * k));
                untold = isa.or(untold, isa.or(isa.eq16(last, a), isa.eq16(last, b)));
            }
            k += 1;
        }
        if isa.signs8(untold) != 0 {
            // SAFETY: the caller's.
            unsafe { Self::by_numbers(src, dst) }
        }
    }
}

/// From floats of 16 and 64 bits to integers of a bit, in `OUT` bits, as long as all fit, as [`stepwise`] has it. The words on
/// top tell that, too, where the first codes that are unfit have nothing below theirs.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn ones_while_fitting<A: Real, B: Real, const OUT: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    type Words<A, B> = TopWords<A, B, false>;
    let (bits, below) = const { (Words::<A, B>::BITS, Words::<A, B>::BELOW) };
    let Some(screen) = params.plan().screen() else { return 0 };
    if !screen.is_of_floats() || screen.first.iter().any(|first| first & ((1 << below) - 1) != 0) {
        return 0;
    }
    let [positive, negative] = screen.first.map(|first| (first >> below) as i16);
    // SAFETY: the caller's, who knows that the CPU has the instruction set of this table.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let ([shift, last], _) = const { Words::<A, B>::SHIFT_AND_LAST };
            let (shift, last) = (isa.all16(shift), isa.all16(last));
            let (last_fit, unfit) = (isa.all16(positive.wrapping_sub(1)), isa.all16(negative));
            let one = isa.all8(if matches!(B::DTYPE.kind(), Kind::Int) { -1 } else { 1 });
            // The largest as signed words, and as unsigned ones, which is of negative numbers if there are any.
            let (mut most, mut most_unsigned) = (isa.zero(), isa.zero());
            let mut i = 0;
            while n - i >= GROUP {
                let mut k = 0;
                while k < GROUP {
                    // SAFETY: the caller's: a quarter of the group, on both sides.
                    unsafe {
                        let (src, dst) = (src.add(bits / 8 * (i + k)), dst.add((i + k) / 8 * OUT));
                        let (a, b) = (
                            Words::<A, B>::words(isa, src),
                            Words::<A, B>::words(isa, src.add(2 * bits)),
                        );
                        most = isa.max16(most, isa.max16(a, b));
                        most_unsigned = isa.max_u16(most_unsigned, isa.max_u16(a, b));
                        let (a, b) = (isa.add16(a, shift), isa.add16(b, shift));
                        let told = isa.packs16(isa.gt16(last, a), isa.gt16(last, b));
                        isa.store_ones::<OUT>(Words::<A, B>::in_order(isa, told), one, dst);
                    }
                    k += 32;
                }
                let is_unfit = isa.eq16(isa.max_u16(most_unsigned, unfit), most_unsigned);
                if isa.signs8(isa.or(isa.gt16(most, last_fit), is_unfit)) != 0 {
                    break;
                }
                i += GROUP;
            }
            i
        },
    )
}

/// Numbers of `IN` bits to single ones under options, in `OUT` bits: those that the plan's [`Interval`](crate::shape::Plan)
/// has. (Upper bits of a byte that don't count are cleared before.)
struct InInterval<const IN: usize, const OUT: usize, const CLEARS: bool>;

/// What [`InInterval`] works with, in every lane.
#[derive(Clone, Copy)]
struct Told {
    /// The bits of a number that count.
    mask: __m256i,
    /// As in [`InRange::SHIFT_AND_PAST`].
    shift_and_past: [__m256i; 2],
    /// What a number in the interval becomes.
    one: __m256i,
}

impl<const IN: usize, const OUT: usize, const CLEARS: bool> Step for InInterval<IN, OUT, CLEARS> {
    const IN: usize = IN;
    const OUT: usize = OUT;
    const LEN: usize = GROUP;
    type Tables = Told;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> Told {
        let Some(interval) = params.plan().interval else {
            unreachable!("the kernel is for plans that have one");
        };
        let lowest = i64::MIN >> (64 - IN);
        let one = if matches!(params.to.kind(), Kind::Int) { -1 } else { 1 };
        Told {
            mask: isa.all8((u8::MAX >> (8 - params.from.significant_bits().min(8))) as i8),
            shift_and_past: [
                isa.all(IN, lowest.wrapping_sub(interval.first as i64)),
                isa.all(IN, lowest.wrapping_add(interval.count as i64)),
            ],
            one: isa.all8(one),
        }
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, by: Told, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            isa.store_told::<OUT>(
                IN,
                by.one,
                src,
                dst,
                #[inline(always)]
                |v| {
                    let v = if CLEARS { isa.and(v, by.mask) } else { v };
                    isa.before(IN, v, by.shift_and_past)
                },
            );
        }
    }
}

impl Avx2 {
    /// The low bits of a number in lanes of so many.
    #[inline(always)]
    pub(super) fn all(self, bits: usize, number: i64) -> __m256i {
        match bits {
            8 => self.all8(number as i8),
            16 => self.all16(number as i16),
            32 => self.all32(number as i32),
            _ => self.all64(number),
        }
    }

    /// All ones for lanes of so many bits that are not past a range once they are shifted.
    #[inline(always)]
    fn before(self, bits: usize, v: __m256i, [shift, past]: [__m256i; 2]) -> __m256i {
        match bits {
            8 => self.gt8(past, self.add8(v, shift)),
            16 => self.gt16(past, self.add16(v, shift)),
            32 => self.gt32(past, self.add32(v, shift)),
            _ => self.gt64(past, self.add64(v, shift)),
        }
    }

    /// Stores what a group of numbers of so many bits become (by a closure that is passed by value: one behind a reference
    /// would be called by a function that is not inlined): of lanes that `tells` makes all ones a bit, or what is said in
    /// every byte.
    ///
    /// # Safety
    /// `src` is valid for reading a group, and `dst` for writing one of `OUT` bits, 1 or 8.
    #[inline(always)]
    unsafe fn store_told<const OUT: usize>(
        self,
        bits: usize,
        one: __m256i,
        src: *const u8,
        dst: *mut u8,
        tells: impl Fn(__m256i) -> __m256i + Copy,
    ) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: a quarter of the group, which is 4 bytes of bits.
            unsafe {
                let ones = self.told(bits, src.add(4 * bits * k), tells);
                self.store_ones::<OUT>(ones, one, dst.add(4 * OUT * k));
            }
            k += 1;
        }
    }

    /// Stores what is told of 32 numbers.
    ///
    /// # Safety
    /// `dst` is valid for writing so many elements of `OUT` bits.
    #[inline(always)]
    pub(super) unsafe fn store_ones<const OUT: usize>(
        self,
        ones: __m256i,
        one: __m256i,
        dst: *mut u8,
    ) {
        // SAFETY: the caller's.
        unsafe {
            match OUT {
                1 => dst.cast::<i32>().write_unaligned(self.signs8(ones)),
                _ => self.store(dst, self.and(ones, one)),
            }
        }
    }

    /// What is told of 32 numbers of so many bits, in a byte each.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    pub(super) unsafe fn told(
        self,
        bits: usize,
        src: *const u8,
        tells: impl Fn(__m256i) -> __m256i + Copy,
    ) -> __m256i {
        // SAFETY: the caller's.
        unsafe {
            match bits {
                8 => tells(self.load(src)),
                16 => {
                    let [a, b] = [self.load(src), self.load(src.add(32))];
                    self.in_order(self.packs16(tells(a), tells(b)))
                }
                32 => {
                    let [a, b, c, d] = self.load_four(src);
                    let ab = self.packs32(tells(a), tells(b));
                    let cd = self.packs32(tells(c), tells(d));
                    self.packed_in_order(self.packs16(ab, cd))
                }
                _ => self.told_by_eights(
                    src,
                    #[inline(always)]
                    |src| self.two_told(src, tells),
                ),
            }
        }
    }

    /// What is told of 32 numbers of 64 bits, in a byte each, by what is told of 8 of them, whose address is told, as dwords:
    /// each two in the lower lane, and two in the upper one.
    ///
    /// # Safety
    /// `src` is valid for reading them; so many are all that `eight` reads.
    #[inline(always)]
    pub(super) unsafe fn told_by_eights(
        self,
        src: *const u8,
        eight: impl Fn(*const u8) -> __m256i,
    ) -> __m256i {
        // SAFETY: the caller's: within the numbers.
        let [b, c, d] = unsafe { [src.add(64), src.add(128), src.add(192)] };
        let (ab, cd) = (self.packs32(eight(src), eight(b)), self.packs32(eight(c), eight(d)));
        self.low_high_pairs(self.in_order(self.packs16(ab, cd)))
    }

    /// What is told of 8 numbers of 64 bits, each two in the lower lane, and two in the upper one.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    unsafe fn two_told(self, src: *const u8, tells: impl Fn(__m256i) -> __m256i + Copy) -> __m256i {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (tells(self.load(src)), tells(self.load(src.add(32)))) };
        self.ps_bits(self.pick_ps::<0b10_00_10_00>(self.as_ps(a), self.as_ps(b)))
    }
}

/// The kernel of a pair of real dtypes under options, if an interval tells all: to single bits, packed or not.
pub(super) fn under_options(params: &Params) -> Option<Kernel> {
    let from = params.from;
    Some(match (from.bits(), params.to.bits()) {
        (6, 1) => stepped::<SixesToBits<6>, { stepwise::NONE }>,
        _ if from.is_packed() => return None,
        (8, 1) if from.significant_bits() < 8 => in_interval::<8, 1, true>(),
        (8, 8) if from.significant_bits() < 8 => in_interval::<8, 8, true>(),
        (8, 1) => in_interval::<8, 1, false>(),
        (8, 8) => in_interval::<8, 8, false>(),
        (16, 1) => in_interval::<16, 1, false>(),
        (16, 8) => in_interval::<16, 8, false>(),
        (32, 1) => in_interval::<32, 1, false>(),
        (32, 8) => in_interval::<32, 8, false>(),
        (64, 1) => in_interval::<64, 1, false>(),
        (64, 8) => in_interval::<64, 8, false>(),
        _ => return None,
    })
}

const fn in_interval<const IN: usize, const OUT: usize, const CLEARS: bool>() -> Kernel {
    stepped::<InInterval<IN, OUT, CLEARS>, { stepwise::NONE }>
}

macro_rules! set {
    ($pairs:ident $step:ident [$($from:ident)*] $to:tt) => {$(
        set!(@row $pairs $step $from $to);
    )*};
    (@row $pairs:ident $step:ident $from:ident [$($packed:ident $of:ident)*]) => {$(
        $pairs.set(DType::$from, DType::$packed, Entry {
            kernel: stepped::<$step<mark::$from, mark::$of>, MODE>,
            road: Road::Direct,
        });
    )*};
}

macro_rules! set_fitting {
    ($pairs:ident $from:ident [$($to:ident $of:ident $bits:literal)*]) => {$(
        $pairs.set(DType::$from, DType::$to, Entry {
            kernel: ones_while_fitting::<mark::$from, mark::$of, $bits>,
            road: Road::Direct,
        });
    )*};
}

/// The steps, by what they are told of.
type Native<A, B> = InRange<A, B, false, false>;
type Fitting<A, B> = InRange<A, B, false, true>;
type Turned<A, B> = InRange<A, B, true, false>;
type TurnedOnTop<A, B> = TopWords<A, B, true>;

/// Sets the kernels of the pairs that have one.
pub(super) const fn with_ranges<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    set!(pairs Native
    [
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float16 BFloat16 Float32
    ]
    [Bool1x8 Bool Int1x8 Int1 UInt1x8 UInt1]);
    // (These modes cast what they have tested.)
    if MODE == stepwise::FITTING || MODE == stepwise::CODES {
        set!(pairs Fitting
        [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float16 BFloat16 Float32
        ]
        [UInt1x8 UInt1]);
    }
    set!(pairs Native [Float8E8M0Fnu] [UInt1x8 UInt1]);
    set!(pairs Native [Int8 UInt8 Int16 UInt16] [Bool1x8 Bool]);
    if MODE == stepwise::FITTING {
        set_fitting!(pairs Float64 [Int1x8 Int1 1 Int1 Int1 8 UInt1x8 UInt1 1 UInt1 UInt1 8]);
        set_fitting!(pairs Float16 [Int1x8 Int1 1 UInt1x8 UInt1 1]);
        set_fitting!(pairs BFloat16 [Int1x8 Int1 1 UInt1x8 UInt1 1]);
    }
    if MODE & stepwise::SOURCE != 0 {
        set!(pairs Turned [Float16 BFloat16 Float32] [Bool1x8 Bool]);
        set!(pairs TurnedOnTop [Float32 Float64] [Int1x8 Int1 UInt1x8 UInt1]);
    }
    pairs
}
