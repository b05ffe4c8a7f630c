//! Formats whose exponent has no upper bound, for the oracle to round into: the law judges overflow
//! "after rounding, with the exponent unbounded".

use rustc_apfloat::ieee::{IeeeFloat, Quad, Semantics};
use rustc_apfloat::{Float, FloatConvert, Round};
use simdcast_kernels::Rounding;

/// `PRECISION` significant bits, subnormals below `2^LOWEST`, and an exponent that reaches past
/// every value that is rounded here.
pub(crate) struct Grid<const PRECISION: usize, const LOWEST: i32>;

impl<const PRECISION: usize, const LOWEST: i32> Semantics for Grid<PRECISION, LOWEST> {
    const BITS: usize = 15 + PRECISION;
    const EXP_BITS: usize = 15;
    const MIN_EXP: i32 = LOWEST;
    /// As the trait has it, but for a precision of 1, whose shift would be by -1. No NaN comes here.
    const QNAN_SIGNIFICAND: u128 = if PRECISION > 1 { 1 << (PRECISION - 2) } else { 0 };
}

/// The law's roundings, with the oracle's name for each. The default is the nearest with ties to
/// even "to a float" and toward zero "to an integer": see the users.
pub(crate) const MODES: [(Rounding, Round); 5] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::NearestAway, Round::NearestTiesToAway),
    (Rounding::TowardZero, Round::TowardZero),
    (Rounding::Up, Round::TowardPositive),
    (Rounding::Down, Round::TowardNegative),
];

/// The mode that rounds a magnitude as `round` rounds the number.
///
/// IEEE 754's modes are symmetric: rounding -x up is the negative of rounding x down.
pub(crate) fn of_magnitude(round: Round, negative: bool) -> Round {
    if negative { -round } else { round }
}

/// The code of a finite nonzero magnitude in a format with `PRECISION` significant bits and the
/// lowest exponent `LOWEST`, the exponent unbounded.
///
/// A format's bias is `1 - LOWEST`, and the oracle's is the same; so its bits are the format's code,
/// as far as the format's codes go and beyond.
pub(crate) fn magnitude<const PRECISION: usize, const LOWEST: i32>(
    magnitude: Quad,
    round: Round,
) -> u128 {
    assert!(magnitude.is_finite_non_zero() && !magnitude.is_negative());
    let rounded: IeeeFloat<Grid<PRECISION, LOWEST>> = magnitude.convert_r(round, &mut false).value;
    rounded.to_bits()
}

/// The worth of a magnitude's code, by the oracle.
pub(crate) fn worth<const PRECISION: usize, const LOWEST: i32>(code: u64) -> Quad {
    let mut loses = false;
    let value = IeeeFloat::<Grid<PRECISION, LOWEST>>::from_bits(u128::from(code));
    let wide = value.convert(&mut loses).value;
    assert!(!loses, "{code:#x} has more than 113 bits");
    wide
}
