//! From codes of a byte by draws: by tables of the two numbers that each is between, and of which draws choose.
//!
//! The draw of an element is compared with what is cut off of it, its *rest*, in units of 2^-32 of the step between the two
//! numbers. A code of a byte has so few bits that this has mostly zeros below its upper half: then the upper half of the
//! draw decides, and a comparison of two bytes, or of two after two that are the same, takes the place of arithmetic in
//! float32. What rounds is the loop for float32 still: by the greatest draw and by the least one it gives both numbers, and
//! they and what is between them the rest.

use super::grid::{Mode, Rounding};
use super::pieces;
use super::rounded::{self, Floats, Through};
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::format::Numbers;
use crate::options::{self, Options, Overflow};
use crate::table::{Params, Table};
use core::array;

/// What codes become by the upper half of a draw.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has loops that look these up.
pub(crate) struct DrawnMap {
    /// What a code becomes by the greatest draw, and by the least: of the two numbers around it the one nearer to zero, and
    /// the other.
    pub(crate) near: [u8; 256],
    pub(crate) far: [u8; 256],
    /// The upper bytes of its rest, which a draw must be less than for the other. (Where both are the same, it is zero.)
    pub(crate) rests: Rests,
    /// The loop for its pattern.
    cast: CastDrawn,
}

/// The bytes of upper halves of rests.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // As above.
pub(crate) struct Rests {
    pub(crate) upper: [u8; 256],
    pub(crate) lower: [u8; 256],
    /// Whether any lower one is not zero.
    pub(crate) any_lower: bool,
}

impl Rests {
    fn of(rests: &[u16; 256]) -> Self {
        let lower = rests.map(|rest| rest as u8);
        let any_lower = lower.iter().fold(0, |any, byte| any | byte) != 0;
        Self { upper: rests.map(|rest| (rest >> 8) as u8), lower, any_lower }
    }
}

/// What is known of a map without looking anything up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Bit 7 of a code is that of both results, and makes no other difference, and the further one is one more.
    Signs,
    /// Bit 7 makes no difference to the rest, and the further result is one more, or with that bit one less.
    Sides,
    /// The further result is one more.
    Next,
    Any,
}

impl Pattern {
    /// That of the nearer and the further results, and the rests.
    fn of(near: &[u8; 256], far: &[u8; 256], rests: &[u16; 256]) -> Self {
        let step: [u8; 256] = array::from_fn(|code| far[code].wrapping_sub(near[code]));
        let most = |steps: &[u8]| steps.iter().fold(0, |most, &step| step.max(most));
        let (below, above) = step.split_at(128);
        let (near_below, near_above) = near.split_at(128);
        let is_signed = rests[..128] == rests[128..];
        let is_next = most(&step) <= 1;
        let sides = near_below.iter().zip(near_above).fold(0, |any, (a, b)| any | a ^ b ^ 0x80);
        let back = above.iter().fold(0, |most, step| step.wrapping_neg().max(most));
        match () {
            _ if is_signed && is_next && sides == 0 => Self::Signs,
            _ if is_signed && most(below) <= 1 && back <= 1 => Self::Sides,
            _ if is_next => Self::Next,
            _ => Self::Any,
        }
    }
}

/// Writes what bytes become by their draws under a seed, of which the first has such a place.
///
/// # Safety
/// The pointers are valid for reading and writing so many elements, and don't overlap. The CPU has the instruction set.
pub(crate) type CastDrawn = unsafe fn(&DrawnMap, *const u8, *mut u8, usize, u64, u64);

/// The upper halves of the rests of all codes, which are all there is to these.
///
/// # Safety
/// The CPU has the instruction set.
type FindRests = unsafe fn(&Floats, &[Floats; 2], [&[u8; 256]; 2]) -> [u16; 256];

/// The loop for maps with such a pattern, of whose rests the lower bytes count, too, or not.
pub(crate) type Loops = fn(Pattern, bool) -> CastDrawn;

/// The loops of an instruction set.
pub(crate) struct ByDraws {
    loops: Loops,
    rests: FindRests,
}

impl ByDraws {
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has such loops.
    pub(crate) const fn of<I: Isa>(loops: Loops) -> Self {
        Self { loops, rests: rests::<I> }
    }
}

/// How codes of a byte are rounded by draws.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    rounding: Rounding,
    seed: u64,
    results: Results,
}

/// What the numbers around a code become.
#[derive(Clone, Copy)]
enum Results {
    /// What the default kernel makes of them.
    Stored,
    /// What the plan makes of the code by two draws.
    Shaped,
    /// Codes, which are cast to wider integers.
    Through(Through),
}

impl Drawn {
    /// For a pair of real dtypes under options, if it is cast so: by draws whose upper halves choose.
    pub(super) fn new(from: DType, to: DType, options: &Options) -> Option<Self> {
        let options::Rounding::Stochastic { seed } = options.rounding else {
            return None;
        };
        // (Nor is any number a subnormal float32 then.)
        if from.bits() != 8 || lowest(from) < lowest(to) - 16 {
            return None;
        }
        // Other options may change a number once it is rounded.
        let is_plain = matches!(options.overflow, Overflow::As) && options.saturate;
        let results = match (to.bits(), is_plain) {
            (8, true) => Results::Stored,
            (8, false) => Results::Shaped,
            (_, true) => Results::Through(Through::new(from, to)?),
            (_, false) => return None,
        };
        let rounding = Rounding::new(DType::Float32, to, Mode::Stochastic);
        Some(Self { rounding, seed, results })
    }

    /// What is found out about all codes.
    ///
    /// # Safety
    /// The CPU has the loops' and the table's instruction set; the pair is the one that this was made for.
    pub(super) unsafe fn map(&self, loops: &ByDraws, table: &Table, params: &Params) -> DrawnMap {
        /// The greatest, and the least.
        const DRAWS: [[u32; 256]; 2] = [[u32::MAX; 256], [0; 256]];
        let mut around = [[0.0; 256]; 2];
        // SAFETY: the caller's; all arrays have 256 elements.
        unsafe {
            let exact = rounded::numbers(table, params);
            for (numbers, draws) in around.iter_mut().zip(&DRAWS) {
                let (src, dst) = (exact.as_ptr().cast(), numbers.as_mut_ptr().cast());
                self.rounding.run(&table.shapes.rounds, src, dst, 256, draws.as_ptr());
            }
            let results = |i: usize| match self.results {
                Results::Stored => rounded::stored(table, params, params.to, &around[i]),
                Results::Shaped => shaped(table, params, &DRAWS[i]),
                Results::Through(through) => through.codes_of(table, params, &exact, &around[i]),
            };
            let (near, far) = (results(0), results(1));
            let rests = (loops.rests)(&exact, &around, [&near, &far]);
            let pattern = Pattern::of(&near, &far, &rests);
            let rests = Rests::of(&rests);
            let cast = (loops.loops)(pattern, rests.any_lower);
            DrawnMap { near, far, rests, cast }
        }
    }

    /// Casts elements, of whose codes so much is known.
    ///
    /// # Safety
    /// As for every kernel; the pair is the one that this was made for, and the map, too. The CPU has the loops' and the
    /// table's instruction set.
    pub(super) unsafe fn cast(
        &self,
        table: &Table,
        src: *const u8,
        dst: *mut u8,
        n: usize,
        params: &Params,
        map: &DrawnMap,
    ) {
        debug_assert!(params.draw_step == 1, "no complex dtype is rounded to from 8 bits");
        let (cast, first) = (map.cast, params.options.first_index);
        let rounded = |start: usize, dst: *mut u8, len: usize| {
            let place = first.wrapping_add(start as u64);
            // SAFETY: the caller's; `len` elements are left at `start`, and have room.
            unsafe { cast(map, src.add(start), dst, len, self.seed, place) };
        };
        match self.results {
            // SAFETY: the caller's.
            Results::Through(through) => unsafe { through.cast(table, dst, n, params, rounded) },
            _ => rounded(0, dst, n),
        }
    }
}

/// The exponent of the least bit that any number of a dtype has.
const fn lowest(dtype: DType) -> i32 {
    match dtype.numbers() {
        Numbers::Float(format) => format.min_exponent() - format.mantissa_bits as i32,
        _ => 0,
    }
}

/// What the plan makes of all codes by such draws.
///
/// # Safety
/// The CPU has the table's instruction set; both dtypes have 8 bits, and the rounding takes draws.
unsafe fn shaped(table: &Table, params: &Params, draws: &[u32; 256]) -> [u8; 256] {
    let codes: [u8; 256] = array::from_fn(|code| code as u8);
    let mut results = [0; 256];
    let (src, dst) = (codes.as_ptr(), results.as_mut_ptr());
    // SAFETY: the caller's; all arrays have 256 elements.
    unsafe { pieces(table, src, dst, 256, params, |_| draws.as_ptr()) };
    results
}

/// # Safety
/// As for every [`FindRests`].
unsafe fn rests<I: Isa>(
    exact: &Floats,
    around: &[Floats; 2],
    [near, far]: [&[u8; 256]; 2],
) -> [u16; 256] {
    let mut rests = [0; 256];
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || {
            let mut below = 0;
            for (code, upper) in rests.iter_mut().enumerate() {
                let numbers = [exact[code], around[0][code], around[1][code]];
                let rest =
                    if near[code] == far[code] { 0 } else { rest(numbers.map(f32::to_bits)) };
                *upper = (rest >> 16) as u16;
                below |= rest & 0xffff;
            }
            debug_assert!(below == 0, "upper halves are not all there is");
            rests
        },
    )
}

/// What a float32 has above the nearer to zero of the two numbers around it, in units of 2^-32 of the step between these.
/// (They have its sign. Zeros, NaNs and infinities are both numbers themselves. None is a subnormal float32: with such
/// numbers no pair of dtypes is rounded here.)
#[inline(always)]
fn rest([exact, near, far]: [u32; 3]) -> u32 {
    const SIGN: u32 = 1 << 31;
    const MANTISSA: u32 = 23;
    let magnitude = exact & !SIGN;
    // From zero the step is a power of two, and the rest a significand, whose leading one is the half's bit just below that.
    let significand = magnitude << (31 - MANTISSA) | SIGN;
    let fields = ((far & !SIGN) >> MANTISSA).wrapping_sub(1).wrapping_sub(magnitude >> MANTISSA);
    let from_zero = if fields < 32 { significand >> fields } else { 0 };
    // Else all three are in one binade, but for the further one at its end: so the codes are as far apart as the numbers,
    // and the step is a power of two of codes.
    let cut = (far.wrapping_sub(near) | SIGN).trailing_zeros();
    let from_near = (u64::from(exact.wrapping_sub(near)) << 32 >> cut) as u32;
    match () {
        _ if near == far => 0,
        _ if near & !SIGN == 0 => from_zero,
        _ => from_near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtypes::Kind;
    use crate::options::Rounding;
    use crate::reference::{decode, encode};
    use crate::scalar::{Scalar, TABLE};

    unsafe fn never(_: &DrawnMap, _: *const u8, _: *mut u8, _: usize, _: u64, _: u64) {
        unreachable!("nothing is cast here");
    }

    /// What the code becomes by the upper half of a draw.
    fn result(map: &DrawnMap, code: u8, draw: u32) -> u8 {
        let code = usize::from(code);
        let rest = u16::from_be_bytes([map.rests.upper[code], map.rests.lower[code]]);
        if ((draw >> 16) as u16) < rest { map.far[code] } else { map.near[code] }
    }

    /// What a loop that goes by the pattern makes of it.
    fn result_by_pattern(map: &DrawnMap, pattern: Pattern, code: u8, draw: u32) -> u8 {
        let i = usize::from(code);
        let upper = (draw >> 24) as u8;
        let below = map.rests.any_lower && upper == map.rests.upper[i];
        let is_further =
            upper < map.rests.upper[i] || below && ((draw >> 16) as u8) < map.rests.lower[i];
        let low7 = i % 128;
        let step = u8::from(is_further);
        match pattern {
            Pattern::Signs => (map.near[low7] ^ code & 0x80).wrapping_add(step),
            Pattern::Sides if i != low7 => map.near[i].wrapping_sub(step),
            Pattern::Sides | Pattern::Next => map.near[i].wrapping_add(step),
            Pattern::Any => result(map, code, draw),
        }
    }

    /// Checks the least and the greatest draw, and those around where the result changes, of all codes.
    fn check(from: DType, to: DType, options: &Options) -> Option<Pattern> {
        let drawn = Drawn::new(from, to, options)?;
        let loops = ByDraws::of::<Scalar>(|_, _| never);
        let params = Params::new(from, to, options, &TABLE.shapes);
        // SAFETY: any CPU has the instruction set.
        let map = unsafe { drawn.map(&loops, &TABLE, &params) };
        let rests = &map.rests;
        let rests = array::from_fn(|i| u16::from_be_bytes([rests.upper[i], rests.lower[i]]));
        let pattern = Pattern::of(&map.near, &map.far, &rests);
        for code in 0..=u8::MAX {
            let value = match from {
                DType::Bool => decode(from, u64::from(code != 0)),
                _ => decode(from, u64::from(code) & ((1 << from.significant_bits()) - 1)),
            };
            let is_float = matches!(from.kind(), Kind::Float);
            let i = usize::from(code);
            let rest = u32::from_be_bytes([map.rests.upper[i], map.rests.lower[i], 0, 0]);
            for draw in [0, u32::MAX, rest, rest.wrapping_sub(1)] {
                let wanted =
                    encode(to, value, is_float, options, draw).expect("nothing is refused");
                let found = result(&map, code, draw);
                if let Results::Through(through) = drawn.results {
                    let mut element = [0; 8];
                    // SAFETY: the array has room for any element.
                    unsafe {
                        let dst = element.as_mut_ptr();
                        through.cast(&TABLE, dst, 1, &params, |_, codes, _| codes.write(found));
                    }
                    assert_eq!(
                        u64::from_le_bytes(element),
                        wanted,
                        "{from} {code:#x} to {to} by {draw:#x}"
                    );
                } else {
                    let mask = (1u64 << to.significant_bits()) - 1;
                    assert_eq!(
                        u64::from(found) & mask,
                        wanted,
                        "{from} {code:#x} to {to} by {draw:#x}"
                    );
                }
                assert_eq!(
                    result_by_pattern(&map, pattern, code, draw),
                    found,
                    "{from} {code:#x} to {to}, {pattern:?}"
                );
            }
        }
        Some(pattern)
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn a_map_is_the_reference_by_every_draw() {
        let mut counts = [0; 4];
        let rounding = Rounding::Stochastic { seed: 1 };
        for from in DType::ALL.into_iter().filter(|from| from.bits() == 8 && !from.is_packed()) {
            for to in DType::ALL.into_iter().filter(|to| to.component() as u8 == *to as u8) {
                for overflow in [Overflow::As, Overflow::Wrap, Overflow::Saturate] {
                    for saturate in [true, false] {
                        let options = Options { overflow, saturate, rounding, first_index: 0 };
                        let options = options.effective(from, to);
                        if matches!(options.rounding, Rounding::Stochastic { .. })
                            && let Some(pattern) = check(from, to, &options)
                        {
                            counts[pattern as usize] += 1;
                        }
                    }
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
    }
}
