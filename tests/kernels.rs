//! Every kernel of every instruction set against the reference, bit for bit: every pair, every
//! option that makes a difference; all codes of sources of up to 16 bits, the rounding boundaries of
//! the destination (and their neighbours) for wider ones.

mod support;

use simdcast::{DType, Overflow, Rounding};
use simdcast_kernels::{Kernel, Options};
use std::borrow::Cow;
use support::{
    Case, Tally, assert_none, compare, distinct_options, in_parallel, noise, pairs, say, values,
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
            tally += compare(&levels, from, to, &options, &affordable(&options, &codes))?;
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

/// All codes; but where each that is refused takes runs of its own, some from all over.
fn affordable<'a>(options: &Options, codes: &'a [u128]) -> Cow<'a, [u128]> {
    const SOME: usize = 4096;
    match options {
        Options { overflow: Overflow::Error, rounding: Rounding::Stochastic { .. }, .. } => {
            // (Any of each few that follow each other: all bits are some number's.)
            let few = codes.chunks(codes.len().div_ceil(SOME)).enumerate();
            few.map(|(i, few)| few[noise(i as u64) as usize % few.len()]).collect()
        }
        _ => codes.into(),
    }
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

#[test]
#[cfg(all(target_arch = "x86_64", not(simdcast_portable)))]
fn the_loops_for_other_cores() {
    support::on_every_core(|avx2, (from, to)| {
        let codes = long_enough(values::codes(from, to));
        compare(&[avx2], from, to, &Options::DEFAULT, &codes)
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
        Options { overflow: Overflow::Error, ..Options::DEFAULT },
        Options { rounding: Rounding::NearestAway, ..Options::DEFAULT },
    ];
    assert!(Case::new(from, to, &Options::DEFAULT, codes.clone()).check(&kernel).is_ok());
    for options in others {
        let case = Case::new(from, to, &options, codes.clone());
        assert!(case.check(&kernel).is_err(), "{options:?}");
    }
}
