//! From floats of 6 bits, packed or one in each byte, to packed dtypes, to bytes of which the sign decides in a simple way,
//! and to floats of 16 bits: what decides is in the upper bits of a byte, and what is below them need not be cleared.

use super::Avx2;
use super::by_codes::{StepByCodes, with_codes};
use super::code_tables::{Codes, codes, codes_in};
use super::packed::{ByCodes, Step, stepped};
use super::pieces::GROUP;
use super::widened::{FromBytes, byte_of, words_by};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::scalar::direct::table16;
use crate::shape::Tells;
use crate::table::{Kernel, Params};
use core::arch::x86_64::__m256i;
use core::array;
use core::marker::PhantomData;

/// From `IN` bits to single ones, by one comparison: a bit is set where the magnitude is large enough, of the sign that
/// counts. Under options the plan's [`Interval`](crate::shape::Plan) tells where that is.
pub(super) struct SixesToBits<const IN: usize>;

/// What [`SixesToBits`] needs.
#[derive(Clone, Copy)]
pub(super) struct Threshold {
    /// The bits that count.
    mask: __m256i,
    /// The sign that counts, as the bit of it.
    sign: __m256i,
    /// The last byte that gives no bit.
    last: __m256i,
    /// See [`Avx2::hidden_sixes`].
    sixes: __m256i,
}

impl<const IN: usize> Step for SixesToBits<IN> {
    const IN: usize = IN;
    const OUT: usize = 1;
    const LEN: usize = GROUP;
    const TELLS: Tells = Tells::Signs;
    const ABOVE: Option<usize> = Some(2);
    type Tables = Threshold;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> Threshold {
        if matches!(params.to.kind(), Kind::Bool) {
            let (sign, last, sixes) = (isa.zero(), isa.zero(), isa.hidden_sixes());
            return Threshold { mask: isa.all8(0x7c), sign, last, sixes };
        }
        // The first code that gives a bit: what follows it, of its sign, gives one, too.
        let first = match params.plan.as_ref().and_then(|plan| plan.interval) {
            Some(interval) => interval.first as usize,
            None => codes(params).iter().position(|&code| code & 1 == 1).unwrap_or(0),
        };
        let (negative, unset) = (first >= 32, first % 32);
        Threshold {
            mask: isa.all8(-1),
            sign: isa.all8(if negative { i8::MIN } else { 0 }),
            last: isa.all8(((4 * unset) as i8).wrapping_sub(1)),
            sixes: isa.hidden_sixes(),
        }
    }

    #[inline(always)]
    fn sixes(_: Avx2, by: Threshold) -> __m256i {
        by.sixes
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, by: Threshold, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: a group is read and 16 bytes are written.
        unsafe {
            // (All before the first store, after which the compiler would not know that a test has loaded the same.)
            let mut tops = [isa.zero(); 4];
            for (k, bytes) in tops.iter_mut().enumerate() {
                *bytes = isa.sixes_on_top(IN, by.sixes, src, k);
            }
            for (k, bytes) in tops.into_iter().enumerate() {
                // With the other sign a byte is negative.
                let set = isa.gt8(isa.xor(isa.and(bytes, by.mask), by.sign), by.last);
                dst.add(4 * k).cast::<i32>().write_unaligned(isa.signs8(set));
            }
        }
    }
}

/// From `IN` bits to `OUT`, which the lowest bit of a magnitude does not change: by its other four, and the sign.
pub(super) struct SixesByPairs<const IN: usize, const OUT: usize>;

impl<const IN: usize, const OUT: usize> Step for SixesByPairs<IN, OUT> {
    const IN: usize = IN;
    const OUT: usize = OUT;
    const LEN: usize = GROUP;
    const TELLS: Tells = Tells::Signs;
    const ABOVE: Option<usize> = Some(2);

    /// What positive and what negative numbers become, and [`Avx2::hidden_sixes`].
    type Tables = [__m256i; 3];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 3] {
        Self::tables_of(isa, codes(params))
    }

    #[inline(always)]
    fn sixes(_: Avx2, [.., sixes]: [__m256i; 3]) -> __m256i {
        sixes
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, tables: [__m256i; 3], src: *const u8, dst: *mut u8) {
        let [positive, negative, sixes] = tables;
        let mut found = [isa.zero(); 4];
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: a group is read.
            let bytes = unsafe { isa.sixes_on_top(IN, sixes, src, k) };
            let at = isa.and(isa.shr16::<3>(bytes), isa.all8(15));
            let (above, below) = (isa.shuffle8(positive, at), isa.shuffle8(negative, at));
            found[k] = isa.blend8(above, below, bytes);
            k += 1;
        }
        // SAFETY: the caller's: a group.
        unsafe { isa.squeeze::<OUT>(found, dst) }
    }
}

impl<const IN: usize, const OUT: usize> StepByCodes for SixesByPairs<IN, OUT> {
    #[inline(always)]
    fn tables_of(isa: Avx2, codes: &Codes) -> [__m256i; 3] {
        let mut signs = [[0; 32]; 2];
        for (i, code) in codes.iter().step_by(2).enumerate() {
            let code = code & const { u8::MAX >> (8 - OUT) };
            (signs[i / 16][i % 16], signs[i / 16][i % 16 + 16]) = (code, code);
        }
        [isa.constant(&signs[0]), isa.constant(&signs[1]), isa.hidden_sixes()]
    }
}

/// From `IN` bits to `OUT`, by a look-up of magnitudes in so many rows of 16, and what the sign does to what is found. With
/// one row the lowest bit of a magnitude is left out.
struct SixesByRows<const IN: usize, const OUT: usize, const ROWS: usize, S>(PhantomData<S>);

/// To bytes.
type SixesToBytes<const ROWS: usize, S> = SixesByRows<6, 8, ROWS, S>;

/// What the sign of a number does to what its magnitude has become.
trait Sign {
    /// Whether a code may have more than the bits of its dtype: copies of the highest one.
    const FILLED: bool = false;

    /// How it is told that all numbers fit.
    const TELLS: Tells = Tells::Signs;

    /// What is looked up of what a magnitude and its negative become.
    #[inline(always)]
    fn looked_up(positive: u8, _negative: u8) -> u8 {
        positive
    }

    /// Puts the highest bits of codes into what their magnitudes have become.
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i;
}

/// It negates, zero has become zero, and positive numbers end at so much.
struct Negates<const MOST: i8>;

/// It is the highest of so many bits.
struct OnTop<const BITS: u32>;

/// It is the highest bit, but zero, which has become zero, has none.
struct OnTopOfSome;

/// Numbers below zero are zero.
struct Cuts;

/// Only numbers below zero are not zero.
struct Keeps;

/// Numbers below zero are NaN, which has all bits.
struct Forbids;

/// It makes no difference.
struct Drops;

impl<const MOST: i8> Sign for Negates<MOST> {
    const FILLED: bool = true;

    #[inline(always)]
    fn looked_up(_: u8, negative: u8) -> u8 {
        negative.wrapping_neg()
    }

    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        // (If a byte is zero, so is the code in it.)
        let number = isa.sign8(found, codes);
        if MOST == i8::MAX { number } else { isa.min8(number, isa.all8(MOST)) }
    }
}

impl<const BITS: u32> Sign for OnTop<BITS> {
    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        let signs = match BITS {
            4 => isa.shr16::<4>(codes),
            6 => isa.shr16::<2>(codes),
            _ => codes,
        };
        isa.or(found, isa.and(signs, isa.all8(const { (1u32 << (BITS - 1)) as i8 })))
    }
}

impl Sign for OnTopOfSome {
    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        // (What is found is no negative byte: the lowest one, or zero where it is zero.)
        isa.or(found, isa.and(codes, isa.sign8(isa.all8(i8::MIN), found)))
    }
}

impl Sign for Cuts {
    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        isa.andnot(isa.gt8(isa.zero(), codes), found)
    }
}

impl Sign for Keeps {
    #[inline(always)]
    fn looked_up(_: u8, negative: u8) -> u8 {
        negative
    }

    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        isa.and(isa.gt8(isa.zero(), codes), found)
    }
}

impl Sign for Forbids {
    const TELLS: Tells = Tells::Span;

    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        // Below zero a byte is 0x84 or more, whatever is below the code, and with 0x7b more it is 0xff.
        let sums = isa.add_clamped_u8(codes, isa.all8(0x7b));
        isa.or(found, isa.eq8(sums, isa.all8(-1)))
    }
}

impl Sign for Drops {
    #[inline(always)]
    fn put(_: Avx2, found: __m256i, _: __m256i) -> __m256i {
        found
    }
}

impl<const IN: usize, const OUT: usize, const ROWS: usize, S: Sign> Step
    for SixesByRows<IN, OUT, ROWS, S>
{
    const IN: usize = IN;
    const OUT: usize = OUT;
    const LEN: usize = GROUP;
    const TELLS: Tells = S::TELLS;
    const ABOVE: Option<usize> = Some(2);

    /// The first row, what distinguishes the second one from it, and [`Avx2::hidden_sixes`].
    type Tables = [__m256i; 3];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 3] {
        Self::tables_of(isa, codes(params))
    }

    #[inline(always)]
    fn sixes(_: Avx2, [.., sixes]: [__m256i; 3]) -> __m256i {
        sixes
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [first, more, sixes]: [__m256i; 3], src: *const u8, dst: *mut u8) {
        const { assert!(ROWS == 1 || ROWS == 2) };
        let mut group = [isa.zero(); 4];
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: a group is read.
            unsafe {
                let codes = isa.sixes_on_top(IN, sixes, src, k);
                let found = if ROWS == 1 {
                    isa.shuffle8(first, isa.and(isa.shr16::<3>(codes), isa.all8(15)))
                } else {
                    let at = if IN == 8 {
                        isa.and(isa.load(src.add(32 * k)), isa.all8(31))
                    } else {
                        isa.and(isa.shr16::<2>(codes), isa.all8(31))
                    };
                    // Negative below the second row, which gives zero.
                    let second = isa.shuffle8(more, isa.sub8(at, isa.all8(16)));
                    isa.xor(isa.shuffle8(first, at), second)
                };
                group[k] = S::put(isa, found, codes);
                if OUT < 8 && S::FILLED {
                    group[k] = isa.and(group[k], isa.all8(const { ((1u32 << OUT) - 1) as i8 }));
                }
            }
            k += 1;
        }
        // SAFETY: the caller's: a group.
        unsafe { isa.squeeze::<OUT>(group, dst) }
    }
}

impl<const IN: usize, const OUT: usize, const ROWS: usize, S: Sign> StepByCodes
    for SixesByRows<IN, OUT, ROWS, S>
{
    #[inline(always)]
    fn tables_of(isa: Avx2, codes: &Codes) -> [__m256i; 3] {
        let mut rows = [[0; 32]; 2];
        for i in 0..16 {
            let code = |m: usize| S::looked_up(codes[m], codes[m + 32]);
            let (first, more) = match ROWS {
                1 => (code(2 * i), 0),
                _ => (code(i), code(i) ^ code(i + 16)),
            };
            (rows[0][i], rows[0][i + 16]) = (first, first);
            (rows[1][i], rows[1][i + 16]) = (more, more);
        }
        [isa.constant(&rows[0]), isa.constant(&rows[1]), isa.hidden_sixes()]
    }
}

impl Avx2 {
    /// A quarter of a group of elements of 6 bits, packed or one in each byte, in the upper bits of a byte each, with
    /// anything below.
    ///
    /// # Safety
    /// `src` is valid for reading the group, of elements of so many bits; the quarter is below 4.
    #[inline(always)]
    pub(super) unsafe fn sixes_on_top(
        self,
        bits: usize,
        sixes: __m256i,
        src: *const u8,
        quarter: usize,
    ) -> __m256i {
        // SAFETY: the caller's.
        unsafe {
            match bits {
                6 => self.on_top(sixes, src, quarter),
                _ => self.shl16::<2>(self.load(src.add(32 * quarter))),
            }
        }
    }
}

/// To floats of 16 bits, which have all of `A`'s numbers: both bytes by a look-up of magnitudes in two rows of 16, and
/// the sign on top.
struct SixesToWords<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> SixesToWords<A, B> {
    /// The first row and what distinguishes the second one from it, of the low bytes and of the high ones.
    const ROWS: [[[u8; 32]; 2]; 2] = {
        let words = table16::<A>(B::DTYPE);
        let mut rows = [[[0; 32]; 2]; 2];
        let mut i = 0;
        while i < 32 {
            let (m, mut byte) = (i % 16, 0);
            assert!(words[m + 32] == words[m] | 0x8000 && words[m + 48] == words[m + 16] | 0x8000);
            while byte < 2 {
                let (first, second) = (words[m].to_le_bytes(), words[m + 16].to_le_bytes());
                rows[byte][0][i] = first[byte];
                rows[byte][1][i] = first[byte] ^ second[byte];
                byte += 1;
            }
            i += 1;
        }
        rows
    };
}

impl<A: Real, B: Real> Step for SixesToWords<A, B> {
    const IN: usize = 6;
    const OUT: usize = 16;
    const LEN: usize = GROUP;

    /// See [`Avx2::hidden_sixes`].
    type Tables = __m256i;

    #[inline(always)]
    fn tables(isa: Avx2, _: &Params) -> __m256i {
        isa.hidden_sixes()
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, sixes: __m256i, src: *const u8, dst: *mut u8) {
        let [low, high] = const { &Self::ROWS };
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 96 bytes are read, and 256 written.
            unsafe {
                // (Unpacking takes from either lane what the order puts there.)
                let codes = isa.in_order(isa.on_top(sixes, src, k));
                let at = isa.and(isa.shr16::<2>(codes), isa.all8(31));
                // Negative below the second row, which gives zero.
                let second = isa.sub8(at, isa.all8(16));
                let [low, high] = [
                    isa.xor(
                        isa.shuffle8(isa.constant(&low[0]), at),
                        isa.shuffle8(isa.constant(&low[1]), second),
                    ),
                    isa.xor(
                        isa.shuffle8(isa.constant(&high[0]), at),
                        isa.shuffle8(isa.constant(&high[1]), second),
                    ),
                ];
                let high = <OnTop<8> as Sign>::put(isa, high, codes);
                isa.store(dst.add(64 * k), isa.low8(low, high));
                isa.store(dst.add(64 * k + 32), isa.high8(low, high));
            }
            k += 1;
        }
    }
}

/// The kernel that makes words of 6 bits, or complex numbers of two words.
pub(super) const fn to_words<const MODE: usize>(from: DType, to: DType) -> Kernel {
    if matches!(to, DType::Int16 | DType::UInt16) {
        return to_integers::<MODE>(codes_in(from, byte_of(to)));
    }
    match (from, to.component()) {
        (DType::Float6E2M3FnX4, DType::Float16) => {
            words_by::<SixesToWords<mark::Float6E2M3Fn, mark::Float16>, MODE>(to)
        }
        (DType::Float6E2M3FnX4, DType::BFloat16) => {
            words_by::<SixesToWords<mark::Float6E2M3Fn, mark::BFloat16>, MODE>(to)
        }
        (DType::Float6E3M2FnX4, DType::Float16) => {
            words_by::<SixesToWords<mark::Float6E3M2Fn, mark::Float16>, MODE>(to)
        }
        (DType::Float6E3M2FnX4, DType::BFloat16) => {
            words_by::<SixesToWords<mark::Float6E3M2Fn, mark::BFloat16>, MODE>(to)
        }
        _ => panic!("no words of 6 bits"),
    }
}

/// The kernel to integers of 16 bits, given what the bytes that stand for them are.
const fn to_integers<const MODE: usize>(codes: &Codes) -> Kernel {
    match (Way::of(codes), is_by_pairs(codes, u8::MAX)) {
        (Some(Way::Negates), true) => {
            stepped::<FromBytes<SixesToBytes<1, Negates<{ i8::MAX }>>>, MODE>
        }
        (Some(Way::Negates), _) => {
            stepped::<FromBytes<SixesToBytes<2, Negates<{ i8::MAX }>>>, MODE>
        }
        (Some(Way::Cuts), true) => stepped::<FromBytes<SixesToBytes<1, Cuts>>, MODE>,
        (Some(Way::Cuts), _) => stepped::<FromBytes<SixesToBytes<2, Cuts>>, MODE>,
        _ => panic!("integers follow the sign, or end at zero"),
    }
}

/// Whether the lowest of the 6 bits of a code makes no difference to these bits of what it becomes.
pub(super) const fn is_by_pairs(codes: &Codes, bits: u8) -> bool {
    let mut code = 0;
    while code < 64 {
        if (codes[code] ^ codes[code + 1]) & bits != 0 {
            return false;
        }
        code += 2;
    }
    true
}

/// The kernel that makes packed elements of `OUT` bits of floats of 6, of which `IN` are a packed one or a byte.
pub(super) const fn to_packed<const IN: usize, const OUT: usize, const MODE: usize>(
    codes: &Codes,
) -> Kernel {
    if OUT == 1 {
        return stepped::<SixesToBits<IN>, MODE>;
    }
    if is_by_pairs(codes, (1 << OUT) - 1) {
        return stepped::<SixesByPairs<IN, OUT>, MODE>;
    }
    match Way::of(codes) {
        Some(Way::NegatesTo7) => stepped::<SixesByRows<IN, OUT, 2, Negates<7>>, MODE>,
        Some(Way::Cuts) => stepped::<SixesByRows<IN, OUT, 2, Cuts>, MODE>,
        Some(Way::OnTopOf6) => stepped::<SixesByRows<IN, OUT, 2, OnTop<6>>, MODE>,
        Some(Way::OnTopOf4) => stepped::<SixesByRows<IN, OUT, 2, OnTop<4>>, MODE>,
        _ => panic!("numbers are cut, or signs are kept"),
    }
}

/// The kernel that makes bytes of 6 bits, if there is one here for what they become.
pub(super) const fn to_bytes<const MODE: usize>(codes: &Codes) -> Option<Kernel> {
    Some(match Way::of(codes) {
        Some(Way::Negates) => kernel::<Negates<{ i8::MAX }>, MODE>(codes),
        Some(Way::NegatesTo7) => kernel::<Negates<7>, MODE>(codes),
        Some(Way::NegatesTo1) => kernel::<Negates<1>, MODE>(codes),
        Some(Way::OnTopOf8) => kernel::<OnTop<8>, MODE>(codes),
        Some(Way::OnTopOf6) => kernel::<OnTop<6>, MODE>(codes),
        Some(Way::OnTopOf4) => kernel::<OnTop<4>, MODE>(codes),
        Some(Way::OnTopOfSome) => kernel::<OnTopOfSome, MODE>(codes),
        Some(Way::Cuts) => kernel::<Cuts, MODE>(codes),
        Some(Way::Keeps) => kernel::<Keeps, MODE>(codes),
        Some(Way::Forbids) => kernel::<Forbids, MODE>(codes),
        Some(Way::Drops) => kernel::<Drops, MODE>(codes),
        None => return None,
    })
}

/// Elements of 6 bits, packed or one in each byte, by a table that is told when the loop is called: by less than all of it
/// where the sign or the lowest bit of a magnitude makes no difference.
///
/// # Safety
/// As for every [`ByCodes`](crate::table::ByCodes): the pair's dtypes have `IN` bits and `OUT`. The CPU has AVX2.
pub(super) unsafe fn by_codes<const IN: usize, const OUT: usize>(
    map: &[u8; 256],
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    let bits = const { u8::MAX >> (8 - OUT) };
    let codes: Codes = array::from_fn(|code| map[code] & bits);
    let drops_sign = codes[..32] == codes[32..];
    // SAFETY: the caller's.
    unsafe {
        match (drops_sign, is_by_pairs(&codes, bits)) {
            (true, true) => with_codes::<SixesByRows<IN, OUT, 1, Drops>>(&codes, src, dst, n),
            (true, false) => with_codes::<SixesByRows<IN, OUT, 2, Drops>>(&codes, src, dst, n),
            (false, true) => with_codes::<SixesByPairs<IN, OUT>>(&codes, src, dst, n),
            (false, false) => with_codes::<ByCodes<IN, 6, OUT>>(&codes, src, dst, n),
        }
    }
}

/// The kernel for a way.
const fn kernel<S: Sign, const MODE: usize>(codes: &Codes) -> Kernel {
    if is_by_pairs(codes, u8::MAX) {
        stepped::<SixesToBytes<1, S>, MODE>
    } else {
        stepped::<SixesToBytes<2, S>, MODE>
    }
}

/// What a sign does: a [`Sign`].
#[derive(Clone, Copy)]
enum Way {
    Drops,
    Negates,
    NegatesTo7,
    NegatesTo1,
    OnTopOf8,
    OnTopOf6,
    OnTopOf4,
    OnTopOfSome,
    Cuts,
    Keeps,
    Forbids,
}

impl Way {
    /// Those that take least first.
    const ALL: [Self; 11] = [
        Self::Drops,
        Self::Negates,
        Self::OnTopOf8,
        Self::Cuts,
        Self::Keeps,
        Self::NegatesTo7,
        Self::NegatesTo1,
        Self::OnTopOf6,
        Self::OnTopOf4,
        Self::OnTopOfSome,
        Self::Forbids,
    ];

    const fn of(codes: &Codes) -> Option<Self> {
        let mut i = 0;
        while i < Self::ALL.len() {
            let way = Self::ALL[i];
            let mut m = 0;
            while m < 32 && way.is(m, codes[m], codes[m + 32]) {
                m += 1;
            }
            if m == 32 {
                return Some(way);
            }
            i += 1;
        }
        None
    }

    /// Whether it is the way if a magnitude and its negative become these.
    const fn is(self, magnitude: usize, positive: u8, negative: u8) -> bool {
        match self {
            Self::Drops => negative == positive,
            Self::Negates => negates(positive, negative, i8::MAX),
            Self::NegatesTo7 => negates(positive, negative, 7),
            Self::NegatesTo1 => negates(positive, negative, 1),
            Self::OnTopOf8 => negative == positive | 0x80,
            Self::OnTopOf6 => negative == positive | 0x20,
            Self::OnTopOf4 => negative == positive | 8,
            Self::OnTopOfSome => {
                positive < 0x80 && negative == if positive == 0 { 0 } else { positive | 0x80 }
            }
            Self::Cuts => negative == 0,
            Self::Keeps => positive == 0,
            Self::Forbids => negative == if magnitude == 0 { positive } else { 0xff },
        }
    }
}

/// Whether a number is the other one's negative, if that did not end at so much. (Zero's is zero.)
const fn negates(positive: u8, negative: u8, most: i8) -> bool {
    let size = (negative as i8).wrapping_neg();
    positive as i8 == if size < most { size } else { most }
}
