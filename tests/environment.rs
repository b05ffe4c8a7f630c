//! The caller's floating-point environment: with every rounding mode, every way to treat subnormals,
//! and exceptions that trap, every cast stores what it stores otherwise, and leaves the control bits
//! as they were.

mod support;

use simdcast::{DType, Overflow, Rounding, reference};
use simdcast_kernels::{Kernel, Options, Out, RunError, run_pair_defaults, run_plain_defaults};
use std::cell::Cell;
use support::environment::Environment;
use support::{
    CHECKED, Case, SIDES, Tally, assert_none, distinct_options, in_parallel, pairs, say, turned,
    values,
};

/// All, those that trap last. Says so where this CPU has none, or this build doesn't know how to set
/// them.
fn environments() -> Vec<Environment> {
    let (mut all, trapping) = (Environment::all(), Environment::trapping());
    if all.len() == 1 {
        say("NOT TESTED: other floating-point environments, on this architecture");
    } else if trapping.is_empty() {
        say("NOT TESTED: this CPU has no floating-point exceptions that trap");
    }
    all.extend(trapping);
    all
}

/// How a source is cast.
#[derive(Clone, Copy, Debug)]
enum Runs {
    /// An element at a time; where a side is packed, 8 of them.
    Single,
    /// The same, each by the way that single elements have, where they have one.
    Alone,
    /// As many, twice as many, and so on up to 70 times, and again.
    Growing,
    /// In one run.
    Whole,
}

/// Casts a source in runs.
fn in_runs(
    kernel: &Kernel,
    runs: Runs,
    (src, dst, n): (&[u8], &mut [u8], usize),
) -> Result<(), RunError> {
    let (from, to) = (kernel.from(), kernel.to());
    let unit = if from.is_packed() || to.is_packed() { 8 } else { 1 };
    let lengths = (1..=70).cycle().map(|length| match runs {
        Runs::Single | Runs::Alone => unit,
        Runs::Growing => length * unit,
        Runs::Whole => n,
    });
    let mut start = 0;
    for length in lengths {
        let end = n.min(start + length);
        let bytes = |dtype: DType| dtype.bytes_for(start).unwrap()..dtype.bytes_for(end).unwrap();
        let (src, dst, length) = (&src[bytes(from)], &mut dst[bytes(to)], end - start);
        let is_alone = matches!(runs, Runs::Alone);
        if !(is_alone && kernel.run_plain::<true>(src, &mut (&mut *dst).into(), length)) {
            kernel.run(src, dst, length)?;
        }
        start = end;
        if end == n {
            break;
        }
    }
    Ok(())
}

/// Checks a kernel in some environments. In others than the default one it must not raise a flag
/// either, for then it would trap where exceptions do.
fn check(
    case: &Case,
    kernel: &Kernel,
    environments: &[Environment],
    runs: &[Runs],
) -> Result<(), String> {
    check_in_order(case, kernel, [false; 2], environments, runs)
}

/// The same with sides in the other byte order.
fn check_in_order(
    case: &Case,
    kernel: &Kernel,
    sides: [bool; 2],
    environments: &[Environment],
    runs: &[Runs],
) -> Result<(), String> {
    let kernel = &kernel.with_swapped(sides);
    for environment in environments {
        for &runs in runs {
            let flags = Cell::new(false);
            let result = case.check_by(kernel, |src, dst, n| {
                let src = turned(kernel.from(), src, sides[0]);
                let cast = || in_runs(kernel, runs, (&src, dst, n));
                let (result, raised) = environment.within(cast);
                flags.set(raised);
                dst.copy_from_slice(&turned(kernel.to(), dst, sides[1]));
                result
            });
            result.map_err(|error| format!("{environment:?}, {runs:?}: {error}"))?;
            if flags.get() && !environment.is_default() {
                return Err(format!("{environment:?}, {runs:?}: {kernel:?} raises a flag"));
            }
        }
    }
    Ok(())
}

#[test]
fn every_pair_gives_the_same_bits_in_every_environment() {
    let start = std::time::Instant::now();
    let (levels, environments) = (support::tested_levels(), environments());
    let jobs: Vec<_> = pairs().collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let codes = values::some_codes(from, to, 3001);
        let values = codes.len() as u64;
        let case = Case::new(from, to, &Options::DEFAULT, codes);
        for level in &levels {
            let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
            check(&case, &kernel, &environments, &[Runs::Single, Runs::Growing, Runs::Whole])?;
        }
        // (Which is the same on every level.)
        let kernel = Kernel::new(from, to, &Options::DEFAULT);
        check(&case, &kernel, &environments, &[Runs::Alone])?;
        Ok(Tally { pairs: 1, options: 1, values })
    });
    say(&format!(
        "{} environments: {levels:?}, {} pairs, {} values of each on average, {:.1} s",
        environments.len(),
        tally.pairs,
        tally.values / tally.pairs.max(1),
        start.elapsed().as_secs_f64()
    ));
    assert_none(&errors);
    assert_eq!(tally.pairs as usize, DType::COUNT * DType::COUNT);
}

/// Where sides are turned, kernels are compiled once more, and some are others.
#[test]
fn the_other_byte_order_gives_the_same_bits_in_every_environment() {
    let (levels, environments) = (support::tested_levels(), environments());
    let jobs: Vec<_> = pairs().collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        // (What is left at the end is turned by blocks: so the largest codes come first.)
        let mut codes = values::some_codes(from, to, 401);
        let last = codes.len().min(64);
        codes.rotate_right(last);
        let case = Case::new(from, to, &Options::DEFAULT, codes);
        let kernels = levels.iter().map(|level| Kernel::on(level, from, to, &Options::DEFAULT));
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for (kernel, sides) in kernels.flat_map(|kernel| SIDES.map(|sides| (kernel, sides))) {
            // (A side may have no order, or it may make no difference.)
            if kernel.with_swapped(sides).swapped() == sides {
                check_in_order(
                    &case,
                    &kernel,
                    sides,
                    &environments,
                    &[Runs::Growing, Runs::Whole],
                )?;
                tally.options += 1;
            }
        }
        Ok(tally)
    });
    say(&format!(
        "{} environments: {levels:?}, {} pairs, {} kernels with sides in the other byte order",
        environments.len(),
        tally.pairs,
        tally.options
    ));
    assert_none(&errors);
    assert_eq!(tally.pairs as usize, DType::COUNT * DType::COUNT);
    assert!(tally.options > 0);
}

#[test]
fn options_give_the_same_bits_in_every_environment() {
    use DType::*;
    let some = [
        Bool,
        Int8,
        Int32,
        Int64,
        UInt4x2,
        UInt64,
        BFloat16,
        Float16,
        Float32,
        Float64,
        Float8E4M3Fn,
        Float8E8M0Fnu,
        Complex64,
    ];
    let (levels, environments) = (support::tested_levels(), environments());
    let jobs: Vec<_> = some.into_iter().flat_map(|from| some.map(|to| (from, to))).collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let codes = values::some_codes(from, to, 256);
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for options in distinct_options(from, to) {
            let mut codes = codes.clone();
            if options.overflow == Overflow::Error {
                codes.sort_by_key(|&code| reference::cast(from, to, code, &options, 0).is_err());
            }
            let case = Case::new(from, to, &options, codes);
            for level in &levels {
                let kernel = Kernel::on(level, from, to, &options);
                check(&case, &kernel, &environments, &[Runs::Whole])?;
            }
            tally.options += 1;
        }
        Ok(tally)
    });
    say(&format!(
        "{} environments: {levels:?}, {} pairs with {} options",
        environments.len(),
        tally.pairs,
        tally.options
    ));
    assert_none(&errors);
    assert_eq!(tally.pairs as usize, some.len() * some.len());
    assert!(tally.options > 5 * tally.pairs, "{tally:?}");
}

/// A number that float32 has none like, and that casts under each rounding to another: by every door.
#[test]
fn every_door_is_guarded() {
    let src: [f64; 2] = [1.0 + f64::EPSILON, -1.0 - f64::EPSILON];
    let right: [f32; 2] = [1.0, -1.0];
    let bytes: &[u8] = bytemuck::bytes_of(&src);
    let kernel = Kernel::new(DType::Float64, DType::Float32, &Options::DEFAULT);
    for environment in environments() {
        let mut dst = [[0f32; 2]; 3];
        let [typed, pair, run] = &mut dst;
        let doors = || {
            let mut out = Out::from(bytemuck::bytes_of_mut(typed));
            let typed = run_plain_defaults::<f64, f32>(bytes, &mut out, 2);
            let dtypes = (DType::Float64, DType::Float32);
            let pair = run_pair_defaults(dtypes, bytes, bytemuck::bytes_of_mut(pair), 2);
            let run = kernel.run(bytes, bytemuck::bytes_of_mut(run), 2);
            (typed, pair, run, kernel.collect::<f32>(bytes, 2))
        };
        let (results, _) = environment.within(doors);
        assert_eq!(results, (true, Ok(()), Ok(()), Ok(right.to_vec())), "{environment:?}");
        assert_eq!(dst, [right; 3], "{environment:?}");
    }
}

/// Every other test here rests on the environments being what they are called.
#[test]
fn a_kernel_that_does_not_look_depends_on_the_environment() {
    let environments = Environment::all();
    if environments.len() == 1 {
        return;
    }
    let codes: Vec<_> = values::some_codes(DType::Float64, DType::Float32, 1000);
    let case = Case::new(DType::Float64, DType::Float32, &Options::DEFAULT, codes);
    for level in support::tested_levels() {
        let kernel = Kernel::on(level, DType::Float64, DType::Float32, &Options::DEFAULT);
        assert_eq!(check(&case, &kernel, &environments, &[Runs::Whole]), Ok(()));
        // The first is the default one.
        let wrong = |environment: &Environment| {
            check(&case, &kernel.unguarded(), std::slice::from_ref(environment), &[Runs::Whole])
                .is_err()
        };
        assert!(environments[1..].iter().filter(|one| wrong(one)).count() > 0, "{level:?}");
    }
    let rounded = Options { rounding: Rounding::Up, ..Options::DEFAULT };
    for (from, to, options, guarded) in [
        (DType::Float64, DType::Float32, Options::DEFAULT, true),
        (DType::Float64, DType::Complex128, Options::DEFAULT, false),
        (DType::Int4x2, DType::Int64, Options::DEFAULT, false),
        (DType::Int64, DType::Int8, CHECKED, false),
        (DType::Int16, DType::Float8E4M3Fn, rounded, true),
    ] {
        assert_eq!(Kernel::new(from, to, &options).is_guarded(), guarded, "{from} {to}");
    }
}
