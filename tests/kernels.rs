//! Every kernel of every instruction set against the reference, bit for bit: every pair, every
//! option that makes a difference; all codes of sources of up to 16 bits, the rounding boundaries of
//! the destination (and their neighbours) for wider ones.

mod support;

use simdcast::{DType, Overflow, Rounding, reference};
use simdcast_kernels::{Kernel, Options};
use support::{
    CHECKED, Case, Tally, assert_none, compare, distinct_options, in_parallel, noise, pairs, say,
    values,
};

#[test]
fn every_kernel_is_the_reference_to_the_bit() {
    let start = std::time::Instant::now();
    let levels = support::tested_levels();
    let jobs: Vec<_> = pairs().collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let codes = long_enough(values::codes(from, to));
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for options in distinct_options(from, to) {
            tally += compare(&levels, from, to, &options, &codes)?;
        }
        Ok(tally)
    });
    let Tally { pairs, options, values } = tally;
    let seconds = start.elapsed().as_secs_f64();
    say(&format!(
        "{levels:?}: {pairs} pairs, {options} pairs with options, {values} values compared on each, \
         {seconds:.1} s"
    ));
    assert_none(&errors);
    assert_eq!(pairs as usize, DType::COUNT * DType::COUNT);
}

/// At least as many elements as make a long cast, which may take another way: the codes over and over.
fn long_enough(codes: Vec<u128>) -> Vec<u128> {
    const LONG: usize = 4203;
    let n = codes.len().max(LONG);
    codes.into_iter().cycle().take(n).collect()
}

#[test]
fn dense_samples_of_32_bit_sources() {
    let levels = support::tested_levels();
    let codes: Vec<u128> = values::dense_sample().collect();
    let wide = [DType::Int32, DType::UInt32, DType::Float32, DType::Complex32, DType::BComplex32];
    let jobs: Vec<_> = pairs().filter(|(from, _)| wide.contains(from)).collect();
    let (tally, errors) =
        in_parallel(&jobs, |&(from, to)| compare(&levels, from, to, &Options::DEFAULT, &codes));
    say(&format!("{levels:?}: {} values of 32-bit sources compared on each", tally.values));
    assert_none(&errors);
}

/// What lies next to each other in a vector, or a block that is tested at once, has nothing to do with each other here; and of
/// a checked cast all fit, or all but one anywhere.
#[test]
fn numbers_of_all_kinds_beside_each_other() {
    let levels = support::tested_levels();
    let jobs: Vec<_> = support::fewer_pairs().collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let codes = values::codes(from, to);
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for (i, options) in distinct_options(from, to).into_iter().enumerate() {
            let seed = noise(i as u64 ^ (from as u64) << 16 ^ (to as u64) << 32);
            for mixed in mixtures(from, to, &options, &codes, seed) {
                let case = Case::new(from, to, &options, mixed);
                levels.iter().try_for_each(|level| case.check_on(level))?;
                tally.options += 1;
            }
        }
        Ok(tally)
    });
    say(&format!("{levels:?}: {} mixtures of values", tally.options));
    assert_none(&errors);
    assert!(tally.options > 2 * tally.pairs, "there are options");
}

/// As many elements as make several pieces of a cast, of any of these codes; or of a checked cast of those that fit, and of
/// these with another one among them.
fn mixtures(
    from: DType,
    to: DType,
    options: &Options,
    codes: &[u128],
    seed: u64,
) -> Vec<Vec<u128>> {
    const LEN: u64 = 9001;
    let any_of = |codes: &[u128], i: u64| codes[noise(seed ^ i) as usize % codes.len()];
    let filled = |codes: &[u128]| (0..LEN).map(|i| any_of(codes, i)).collect::<Vec<_>>();
    if options.overflow != Overflow::Error {
        return vec![filled(codes)];
    }
    // (Of what is rounded by draws one that fits may not, at another place: the test sees which is the first.)
    let fits = |code: &u128| reference::cast(from, to, *code, options, 0).is_ok();
    let (fit, unfit): (Vec<u128>, Vec<u128>) = codes.iter().partition(|code| fits(code));
    if fit.is_empty() {
        return vec![];
    }
    let good = filled(&fit);
    let mut mixtures = vec![good.clone()];
    if !unfit.is_empty() {
        for round in 0..2 {
            let mut mixed = good.clone();
            let place = noise(seed ^ LEN ^ round << 40) % LEN;
            mixed[place as usize] = any_of(&unfit, LEN + round);
            mixtures.push(mixed);
        }
    }
    mixtures
}

#[test]
#[cfg(all(target_arch = "x86_64", not(simdcast_portable)))]
fn the_loops_for_other_cores() {
    let drawn = |options: &Options| matches!(options.rounding, Rounding::Stochastic { .. });
    support::on_every_core(|level, (from, to)| {
        let codes = long_enough(values::codes(from, to));
        // (On AVX2 under the default options only.)
        let all = distinct_options(from, to).into_iter();
        let some = all.filter(|options| options.overflow != Overflow::Wrap && !drawn(options));
        let most = if level.name() == "avx2" { 1 } else { usize::MAX };
        let mut tally = Tally::default();
        for options in some.take(most) {
            tally += compare(&[level], from, to, &options, &codes)?;
        }
        Ok(tally)
    });
}

/// Every other test of a kernel rests on the comparison, so that must be able to fail.
#[test]
fn the_comparison_sees_what_other_options_change() {
    let level = simdcast::isa::find("scalar").unwrap();
    let (from, to) = (DType::Float16, DType::Float8E4M3Fn);
    let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
    // All of them, however thinned out the others are.
    let codes: Vec<_> = (0..1 << 16).collect();
    let others = [
        Options { saturate: false, ..Options::DEFAULT },
        CHECKED,
        Options { rounding: Rounding::NearestAway, ..Options::DEFAULT },
    ];
    assert!(Case::new(from, to, &Options::DEFAULT, codes.clone()).check(&kernel).is_ok());
    for options in others {
        let case = Case::new(from, to, &options, codes.clone());
        assert!(case.check(&kernel).is_err(), "{options:?}");
    }
}

#[test]
#[cfg(not(all(target_arch = "x86_64", not(simdcast_portable))))]
fn the_loops_for_other_cores() {
    say("NOT TESTED: this build has no loops that are chosen by the core");
}
