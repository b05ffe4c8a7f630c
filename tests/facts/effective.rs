//! "An option that cannot affect a pair is ignored": [`Options::effective`] sets it to its default,
//! and kernels are chosen by what is left. So the options and the effective ones must give the same
//! results, for every pair and every combination.

use crate::codes;
use crate::support::dtypes::{component, is_complex, is_float, width};
use crate::support::options::every_option;
use simdcast::{can_fail, is_lossless};
use simdcast_kernels::reference::{Unfit, cast};
use simdcast_kernels::{DType, Options, Overflow, Rounding};

/// Seeds beyond the one of `every_option`.
const SEEDS: [u64; 2] = [0, 0xffff_ffff_0000_0001];

/// Every combination, with three seeds and with a first index of 0 and another.
fn options() -> Vec<Options> {
    let seeded = every_option().flat_map(|options| {
        let others =
            SEEDS.map(|seed| Options { rounding: Rounding::Stochastic { seed }, ..options });
        let stochastic = matches!(options.rounding, Rounding::Stochastic { .. });
        [options].into_iter().chain(others.into_iter().filter(move |_| stochastic))
    });
    seeded.flat_map(|options| [Options { first_index: 0, ..options }, options]).collect()
}

fn results(from: DType, to: DType, codes: &[u128], options: &Options) -> Vec<Result<u128, Unfit>> {
    let numbered = codes.iter().enumerate();
    numbered.map(|(i, code)| cast(from, to, *code, options, i as u64)).collect()
}

fn compare(from: DType, to: DType, codes: &[u128], options: &[Options]) {
    let mut known: Vec<(Options, Vec<Result<u128, Unfit>>)> = Vec::new();
    for options in options {
        let effective = options.effective(from, to);
        assert_eq!(effective.effective(from, to), effective, "{from} -> {to}, {options:?}");
        if effective == *options {
            continue;
        }
        if !known.iter().any(|(other, _)| *other == effective) {
            known.push((effective, results(from, to, codes, &effective)));
        }
        let (_, wanted) = known.iter().find(|(other, _)| *other == effective).expect("just made");
        let found =
            codes.iter().enumerate().map(|(i, code)| cast(from, to, *code, options, i as u64));
        if let Some(i) = found.zip(wanted).position(|(found, wanted)| found != *wanted) {
            panic!("{from} -> {to}, {:#x}: {options:?} differ from {effective:?}", codes[i]);
        }
    }
}

#[test]
fn of_every_source_of_8_bits_and_fewer() {
    let options = options();
    for from in codes::small().filter(|from| width(component(*from)) <= 8) {
        let codes = codes::of(from, 1);
        DType::ALL.into_iter().for_each(|to| compare(from, to, &codes, &options));
    }
}

#[test]
fn of_the_sources_of_16_bits() {
    let options = options();
    for from in codes::small().filter(|from| width(component(*from)) == 16) {
        let codes = codes::of(from, 211);
        DType::ALL.into_iter().for_each(|to| compare(from, to, &codes, &options));
    }
}

#[test]
fn of_larger_sources() {
    let options: Vec<_> = every_option().collect();
    for from in codes::large() {
        let codes = codes::sample(from);
        DType::ALL.into_iter().for_each(|to| compare(from, to, &codes, &options));
    }
}

/// What the law says of a class of pairs by name, whatever the values are.
#[test]
fn options_of_no_consequence_are_at_their_default() {
    for options in options() {
        for from in DType::ALL {
            for to in DType::ALL {
                let effective = options.effective(from, to);
                for (rule, holds) in rules(from, to, &options, &effective) {
                    assert!(holds, "{from} -> {to}: {rule}: {options:?} became {effective:?}");
                }
            }
        }
    }
}

/// Whether a real dtype has numbers below zero.
fn has_sign(dtype: DType) -> bool {
    dtype.finfo().is_some_and(|numbers| numbers.min < 0.0)
        || dtype.iinfo().is_some_and(|numbers| numbers.min < 0)
}

fn rules(from: DType, to: DType, given: &Options, left: &Options) -> Vec<(&'static str, bool)> {
    let (a, b) = (component(from), component(to));
    let drops = is_complex(from) && !is_complex(to);
    let checked = given.overflow == Overflow::Error;
    let default = *left == Options::DEFAULT;
    let mut rules = Vec::new();
    let mut rule = |text, applies: bool, holds| rules.extend(applies.then_some((text, holds)));
    rule("to bool, under every option", b == DType::Bool, default);
    rule("to itself, whatever the options", a == b && !(drops && checked), default);
    rule("every value arrives", is_lossless(from, to), default);
    rule("saturate is for 8-bit floats", !is_float(b) || width(b) != 8, left.saturate);
    let flipped = Options { saturate: !given.saturate, ..*given }.effective(from, to);
    rule("Error ignores saturate", checked, flipped == *left);
    rule("an integer is whole", !is_float(a) && !is_float(b), left.rounding == Rounding::Default);
    let is_down = left.rounding == Rounding::Down;
    rule("without a sign, down is toward zero", !has_sign(a), !is_down);
    let is_power = a == DType::Float8E8M0Fnu;
    let is_even = left.rounding == Rounding::NearestEven;
    rule("to integers powers of two are cut", is_power && !is_float(b), !is_even);
    let clamps = !has_sign(b) && !is_float(b) && left.overflow == Overflow::As;
    rule("what is below zero clamps", clamps, !is_down);
    let kept = left.overflow == Overflow::Error || left.overflow == Overflow::As;
    rule("As, Wrap and Saturate differ for integers", is_float(b), kept);
    let draws = matches!(left.rounding, Rounding::Stochastic { .. });
    rule("the index is for draws", !draws, left.first_index == 0);
    let fails = can_fail(from, to, given);
    rule(
        "a cast that cannot fail is not checked",
        checked && !fails,
        left.overflow == Overflow::As,
    );
    rule("a cast that can is", checked && fails, left.overflow == Overflow::Error);
    rules
}

#[test]
fn stochastic_options_are_the_default_where_nothing_is_rounded() {
    let mode = Rounding::Stochastic { seed: 1 };
    let options = Options { rounding: mode, first_index: 9, ..Options::DEFAULT };
    let exact = [
        (DType::Int8, DType::Float32),
        (DType::Float16, DType::Float64),
        (DType::Int4, DType::Float8E4M3Fn),
        (DType::UInt8, DType::Int8),
        (DType::Float32, DType::Bool),
        (DType::Complex64, DType::Complex128),
        (DType::Float4E2M1FnX2, DType::Float8E3M4),
        (DType::Float64, DType::Complex128),
    ];
    for (from, to) in exact {
        assert_eq!(options.effective(from, to), Options::DEFAULT, "{from} -> {to}");
    }
    let rounded = options.effective(DType::Float32, DType::Float16);
    assert_eq!((rounded.rounding, rounded.first_index), (mode, 9));
}
