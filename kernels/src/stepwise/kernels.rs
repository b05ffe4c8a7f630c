//! Which pairs have kernels that do more with each step, and where they are found.

use super::{BOTH, CODES, FITTING, NONE, RESULTS, SOURCE};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::fields::copy_fitting;
use crate::format::Numbers;
use crate::scalar::direct::{is_copy, is_packed_copy};
use crate::shape;
use crate::swap::is_swappable;
use crate::table::{Kernel, RealPairs};

/// Whether a pair has a kernel of a mode: not where something else is done. (All do nothing more.)
pub(crate) const fn suits(from: DType, to: DType, mode: usize) -> bool {
    let is_possible = match mode {
        NONE => return true,
        FITTING => has_screen(from),
        CODES => return shape::is_tested(from, to),
        _ => {
            (mode & SOURCE == 0 || is_swappable(from)) && (mode & RESULTS == 0 || is_swappable(to))
        }
    };
    // (Of so much longer numbers than their results these tell.)
    let is_told = mode == FITTING && shape::is_told_by_results(from, to);
    // (What has its components copied is turned back by being turned.)
    let turns_back = mode == BOTH && is_copy(from.component(), to.component());
    let is_done = is_copy(from, to) && !(mode == FITTING && is_checked_copy(from, to));
    if !is_possible || is_done || turns_back || is_told {
        return false;
    }
    let (a, b) = (from.component().kind(), to.component());
    // (Whether an integer is zero does not depend on its order.)
    let is_zero_test = matches!(a, Kind::Int | Kind::UInt) && matches!(b.kind(), Kind::Bool);
    let is_whole = matches!(b.kind(), Kind::Int | Kind::UInt);
    // (From floats of 32 bits and more to much narrower ones there is mostly more to calculate than to test.)
    let is_tested = match a {
        Kind::Float if from.bits() > 16 => {
            let is_powers = to.is_powers() && !from.is_complex();
            is_whole || is_powers || matches!(to, DType::Float16 | DType::BFloat16 | DType::Float32)
        }
        Kind::Float => {
            let is_small = to.significant_bits() <= 8 && !to.is_powers();
            is_whole || matches!(b.kind(), Kind::Float) && is_small || matches!(to, DType::Float16)
        }
        _ if all_integers_fit(from, to) => false,
        _ => is_whole || to.significant_bits() <= 8 || matches!(to, DType::Float16),
    };
    !is_zero_test && (mode != FITTING || is_tested)
}

/// Whether a copy of integers is one of those that fit only: of those without a sign to those with one, or the other way
/// round.
const fn is_checked_copy(from: DType, to: DType) -> bool {
    matches!((from.kind(), to.kind()), (Kind::Int, Kind::UInt) | (Kind::UInt, Kind::Int))
}

/// Whether a dtype is one of integers all of which fit another.
const fn all_integers_fit(from: DType, to: DType) -> bool {
    match (from.numbers(), to.numbers()) {
        (Numbers::Int(source), Numbers::Int(target)) => {
            source.max() <= target.max() && source.min_magnitude() <= target.min_magnitude()
        }
        // (The power of two that they may be rounded up to is one of the float's numbers.)
        (Numbers::Int(source), Numbers::Float(target)) => {
            let digits = source.bits as i32 - source.signed as i32;
            target.signed() && digits <= target.max_exponent()
        }
        _ => false,
    }
}

/// Whether elements of a dtype are tested in registers, which takes a handful of instructions at most.
const fn has_screen(from: DType) -> bool {
    match from.kind() {
        Kind::Int | Kind::UInt => !from.is_packed() && from.bits() > 8,
        // (Complex numbers of shorter parts have a tile between, where these are tested once they are apart.)
        _ => matches!(
            from,
            DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64 | DType::Complex128
        ),
    }
}

/// How many dtypes have a byte order.
const ORDERED: usize = {
    let (mut count, mut i) = (0, 0);
    while i < DType::COUNT {
        count += is_swappable(DType::ALL[i]) as usize;
        i += 1;
    }
    count
};

/// The place of each of them among them.
const PLACES: [u8; DType::COUNT] = {
    let (mut places, mut count, mut i) = ([u8::MAX; DType::COUNT], 0, 0);
    while i < DType::COUNT {
        if is_swappable(DType::ALL[i]) {
            places[i] = count;
            count += 1;
        }
        i += 1;
    }
    places
};

/// The kernels of an instruction set: for each mode, by the dtype of a side that has a byte order, and the other's. (What
/// has a screen has a byte order, too.) Other than a [`Kernel`] says they answer how many elements they cast.
pub(crate) struct Stepwise {
    modes: [[[Option<Kernel>; DType::COUNT]; ORDERED]; FITTING],
    /// Where there are such.
    codes: Option<&'static OfCodes>,
}

/// The kernels of an instruction set that test codes of a byte or less.
pub(crate) struct OfCodes([[Option<Kernel>; DType::COUNT]; DType::COUNT]);

impl OfCodes {
    /// Those of a mode's that suit their pairs, and copies.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has an instruction set of such ones.
    pub(crate) const fn of<I: Isa>(pairs: RealPairs) -> Self {
        let mut kernels: [[Option<Kernel>; DType::COUNT]; DType::COUNT] =
            [[None; DType::COUNT]; DType::COUNT];
        let mut i = 0;
        while i < DType::COUNT * DType::COUNT {
            let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
            if suits(from, to, CODES) {
                kernels[from as usize][to as usize] = match from.bits() {
                    1 if is_packed_copy(from, to) => Some(copy_fitting::<I, 1>),
                    2 if is_packed_copy(from, to) => Some(copy_fitting::<I, 2>),
                    4 if is_packed_copy(from, to) => Some(copy_fitting::<I, 4>),
                    8 if is_copy(from, to) => Some(copy_fitting::<I, 8>),
                    _ => pairs.get(from, to),
                };
            }
            i += 1;
        }
        Self(kernels)
    }
}

impl Stepwise {
    /// No kernels.
    pub(crate) const NONE: Self =
        Self { modes: [[[None; DType::COUNT]; ORDERED]; FITTING], codes: None };

    /// Adds those that test codes of a byte or less.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Which has an instruction set of such ones.
    pub(crate) const fn with_codes(self, codes: &'static OfCodes) -> Self {
        Self { codes: Some(codes), ..self }
    }

    /// Adds those of a mode that suit their pairs, and copies.
    pub(crate) const fn with<I: Isa, const MODE: usize>(mut self, pairs: RealPairs) -> Self {
        let mut i = 0;
        while i < DType::COUNT * DType::COUNT {
            let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
            if suits(from, to, MODE) {
                let (row, column) = Self::place(from, to, MODE);
                self.modes[MODE - 1][row][column] = match from.bits() {
                    16 if is_copy(from, to) => Some(copy_fitting::<I, 16>),
                    32 if is_copy(from, to) => Some(copy_fitting::<I, 32>),
                    64 if is_copy(from, to) => Some(copy_fitting::<I, 64>),
                    _ => pairs.get(from, to),
                };
            }
            i += 1;
        }
        self
    }

    /// The kernel of a pair that turns sides, one of which it is, at least, and all of which have a byte order.
    pub(crate) const fn turned(&self, from: DType, to: DType, sides: [bool; 2]) -> Option<Kernel> {
        let [source, results] = sides;
        let mode = source as usize * SOURCE + results as usize * RESULTS;
        let (row, column) = Self::place(from, to, mode);
        self.modes[mode - 1][row][column]
    }

    /// The kernel of a pair that casts what fits.
    pub(crate) const fn fitting(&self, from: DType, to: DType) -> Option<Kernel> {
        if !has_screen(from) {
            return match self.codes {
                Some(OfCodes(kernels)) => kernels[from as usize][to as usize],
                None => None,
            };
        }
        let (row, column) = Self::place(from, to, FITTING);
        self.modes[FITTING - 1][row][column]
    }

    const fn place(from: DType, to: DType, mode: usize) -> (usize, usize) {
        if mode == RESULTS {
            (PLACES[to as usize] as usize, from as usize)
        } else {
            (PLACES[from as usize] as usize, to as usize)
        }
    }
}
