//! "`can_fail(from, to, options)` (int32 -> float32 is lossy and cannot fail)": whether a checked
//! cast refuses any value, against refusing each.

use crate::codes;
use crate::support::dtypes::{component, is_complex, is_float};
use crate::support::options::{FIXED_ROUNDINGS, OVERFLOWS, STOCHASTIC, roundings};
use simdcast::can_fail;
use simdcast_kernels::reference::{cast, decode, encode};
use simdcast_kernels::{DType, Options, Overflow, Rounding};

fn checked(rounding: Rounding) -> Options {
    Options { overflow: Overflow::Error, rounding, ..Options::DEFAULT }
}

/// Whether some draw makes a checked stochastic cast refuse the code. A number moves away from zero
/// for all draws below some bound or for none, so that the least and the greatest draw show both
/// ends that it can have.
fn refused_by_some_draw(from: DType, to: DType, code: u128) -> bool {
    if matches!(component(to), DType::Bool) {
        return false;
    }
    let (re, im) = codes::parts(from, code);
    let (a, b) = (component(from), component(to));
    let refused = |part: u64| {
        let draws = [0, u32::MAX].into_iter();
        a != b
            && draws
                .map(|draw| encode(b, decode(a, part), is_float(a), &checked(STOCHASTIC), draw))
                .any(|result| result.is_err())
    };
    let dropped = !is_complex(to) && im.is_some_and(|im| !decode(a, im).is_zero());
    refused(re) || dropped || (is_complex(to) && im.is_some_and(refused))
}

fn refused(from: DType, to: DType, code: u128, rounding: Rounding) -> bool {
    match rounding {
        Rounding::Stochastic { .. } => refused_by_some_draw(from, to, code),
        _ => cast(from, to, code, &checked(rounding), 0).is_err(),
    }
}

fn compare(from: DType, to: DType, codes: &[u128]) {
    for rounding in roundings() {
        let failing = codes.iter().find(|code| refused(from, to, **code, rounding));
        for saturate in [true, false] {
            let options = Options { saturate, ..checked(rounding) };
            let found = can_fail(from, to, &options);
            assert_eq!(found, failing.is_some(), "{from} -> {to}, {options:?}: {failing:x?}");
        }
    }
}

#[test]
fn of_every_small_source_to_every_destination() {
    for from in codes::small() {
        let codes = codes::of(from, 1);
        DType::ALL.into_iter().for_each(|to| compare(from, to, &codes));
    }
}

#[test]
fn of_every_large_source_to_every_destination() {
    for from in codes::large() {
        let codes = codes::sample(from);
        DType::ALL.into_iter().for_each(|to| compare(from, to, &codes));
    }
}

#[test]
fn never_without_error() {
    for from in DType::ALL {
        for to in DType::ALL {
            for overflow in OVERFLOWS.into_iter().filter(|other| *other != Overflow::Error) {
                for rounding in FIXED_ROUNDINGS {
                    let options = Options { overflow, ..checked(rounding) };
                    assert!(!can_fail(from, to, &options), "{from} -> {to}, {options:?}");
                }
            }
        }
    }
}

#[test]
fn the_examples() {
    let default = checked(Rounding::Default);
    assert!(!can_fail(DType::Int32, DType::Float32, &default));
    assert!(can_fail(DType::Bool, DType::Int1, &default));
    assert!(can_fail(DType::Bool, DType::Float8E8M0Fnu, &default));
    assert!(!can_fail(DType::Complex128, DType::Bool, &default));
    assert!(can_fail(DType::Complex64, DType::Float32, &default));
    assert!(!can_fail(DType::UInt8, DType::Float8E4M3Fn, &default));
    assert!(can_fail(DType::Float8E5M2, DType::Float8E4M3Fn, &default));
}
