//! The law for the six formats that the oracle has, each rule mapped on what the oracle answers.

use crate::grid::{Grid, of_magnitude};
use crate::support::floats::{Class, Format, format};
use rustc_apfloat::ieee::{
    BFloatS, DoubleS, Float8E4M3FNS, Float8E5M2S, HalfS, IeeeFloat, Semantics, SingleS,
};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};
use simdcast_kernels::{DType, reference::Unfit};

/// A format that the oracle has.
pub(crate) trait Known: Semantics {
    const DTYPE: DType;
    /// The same precision and lowest exponent without an upper bound.
    type Unbounded: Semantics;
}

macro_rules! known {
    ($($semantics:ty, $dtype:ident, $precision:literal, $lowest:literal;)*) => {
        $(impl Known for $semantics {
            const DTYPE: DType = DType::$dtype;
            type Unbounded = Grid<$precision, $lowest>;
        })*
    };
}
known! {
    HalfS, Float16, 11, -14;
    BFloatS, BFloat16, 8, -126;
    SingleS, Float32, 24, -126;
    DoubleS, Float64, 53, -1022;
    Float8E5M2S, Float8E5M2, 3, -14;
    Float8E4M3FNS, Float8E4M3Fn, 4, -6;
}

/// What the law wants of a value under one rounding.
#[derive(Debug, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) saturated: u128,
    pub(crate) plain: u128,
    pub(crate) checked: Result<u128, Unfit>,
}

impl Wanted {
    fn always(code: u128) -> Self {
        Self { saturated: code, plain: code, checked: Ok(code) }
    }

    /// The table "to a float", for an overflow or an infinity.
    fn past_the_largest(format: &Format, negative: bool, checked: Result<u128, Unfit>) -> Self {
        let code = |saturate| u128::from(format.past_the_largest(negative, saturate));
        Self { saturated: code(true), plain: code(false), checked }
    }
}

/// A float that goes to another of the oracle's formats.
pub(crate) fn from_float<S: Known, T: Known>(code: u128, round: Round) -> Wanted
where
    IeeeFloat<S>: Float + FloatConvert<IeeeFloat<T>> + FloatConvert<IeeeFloat<T::Unbounded>>,
{
    let value = IeeeFloat::<S>::from_bits(code);
    let target = format(T::DTYPE);
    let negative = value.is_negative();
    if value.is_nan() {
        // "Among float16, bfloat16, float32 and float64 the top payload bits are kept and the quiet
        // bit is set": so does the oracle. "To or from an 8-bit float: the canonical quiet NaN, with
        // the sign bit": the oracle would carry an e5m2 payload, the law has none.
        let wide = format(S::DTYPE).class == Class::Wide && target.class == Class::Wide;
        return Wanted::always(if wide {
            convert::<S, T>(value, round).value.to_bits()
        } else {
            u128::from(target.signed_nan(negative).expect("all six have NaNs"))
        });
    }
    if value.is_infinite() {
        // "Infinities themselves follow the table", whatever the rounding. `Overflow::Error` "fails
        // on an infinity where the format has none", and ignores `saturate` where it has one.
        let infinity = target.infinity.map(|code| u128::from(target.signed(code, negative)));
        return Wanted::past_the_largest(target, negative, infinity.ok_or(Unfit));
    }
    let unbounded = convert::<S, T::Unbounded>(value, round);
    if target.class != Class::Fn8 {
        return finite::<T>(convert::<S, T>(value, round), unbounded);
    }
    // Of a format without infinities the oracle (0.2.3) is asked for the magnitude: it forgets to
    // mirror the mode when a negative number passes the largest finite one. IEEE 754 has -480
    // rounded up to -448, this oracle to NaN; and -465 rounded down the other way round.
    let magnitude = if negative { -value } else { value };
    let rounded = convert::<S, T>(magnitude, of_magnitude(round, negative));
    finite::<T>(rounded.map(|code| if negative { -code } else { code }), unbounded)
}

fn convert<S: Semantics, T: Semantics>(value: IeeeFloat<S>, round: Round) -> StatusAnd<IeeeFloat<T>>
where
    IeeeFloat<S>: FloatConvert<IeeeFloat<T>>,
{
    value.convert_r(round, &mut false)
}

/// An integer, cast to one of the oracle's formats.
pub(crate) fn from_integer<T: Known>(value: i128, round: Round) -> Wanted {
    let unbounded = IeeeFloat::<T::Unbounded>::from_i128_r(value, round);
    finite::<T>(IeeeFloat::<T>::from_i128_r(value, round), unbounded)
}

/// A finite number, rounded by the oracle into the format and into the unbounded one.
fn finite<T: Known>(
    rounded: StatusAnd<IeeeFloat<T>>,
    unbounded: StatusAnd<IeeeFloat<T::Unbounded>>,
) -> Wanted {
    let target = format(T::DTYPE);
    let signed = rounded.value.to_bits();

    // `Overflow::Error` "fails on a finite value past the largest finite (after rounding, exponent
    // unbounded, in every mode)": also where a directed rounding ends at the largest, of which IEEE
    // has only the inexact flag to tell.
    let negative = unbounded.value.is_negative();
    let magnitude = if negative { -unbounded.value } else { unbounded.value };
    let past = magnitude.to_bits() > u128::from(target.largest);
    let checked = if past { Err(Unfit) } else { Ok(signed) };

    if rounded.status.contains(Status::OVERFLOW) {
        // IEEE's overflow ends in an infinity, in e4m3fn in the NaN: the row of saturate = false.
        let wanted = Wanted::past_the_largest(target, negative, checked);
        assert_eq!(wanted.plain, signed, "the table and IEEE 754 differ");
        return wanted;
    }
    // "A directed rounding that moves a value toward zero stops at the largest finite instead, as
    // IEEE 754 has it", under either setting of `saturate`. And no overflow, no setting that matters.
    Wanted { saturated: signed, plain: signed, checked }
}
