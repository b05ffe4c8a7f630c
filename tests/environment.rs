//! The caller's floating-point environment: with every rounding mode, every way to treat subnormals,
//! and exceptions that trap, every cast stores what it stores otherwise, and leaves the control bits
//! as they were.

mod support;

use simdcast::{
    Cast, CastError, CastOptions, CastReader, CastWriter, DType, Overflow, Rounding, StridedView,
    StridedViewMut, reference,
};
use simdcast_kernels::{Kernel, Options, Out, RunError, run_pair_defaults, run_plain_defaults};
use std::cell::Cell;
use std::io::{Read, Write};
use support::environment::Environment;
use support::{
    CHECKED, Case, DRAWN, SIDES, Tally, WRAPPED, assert_none, distinct_options, effective,
    fewer_pairs, in_parallel, pairs, say, turned, values,
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

/// Some pairs under all options, the others under one of each kind.
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
    let rounded = |rounding| Options { rounding, ..Options::DEFAULT };
    let saturated = Options { overflow: Overflow::Saturate, ..Options::DEFAULT };
    let roundings = [Rounding::TowardZero, Rounding::Up, Rounding::Down, Rounding::NearestAway];
    let mut others = vec![WRAPPED, DRAWN, CHECKED, saturated];
    others.extend(roundings.map(rounded));
    let (levels, environments) = (support::tested_levels(), environments());
    let is_one = |from, to| some.contains(&from) && some.contains(&to);
    let fewer: Vec<_> = fewer_pairs().collect();
    let jobs: Vec<_> =
        pairs().filter(|&(from, to)| is_one(from, to) || fewer.contains(&(from, to))).collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let (options, n) = match is_one(from, to) {
            true => (distinct_options(from, to), 256),
            false => (effective(&others, from, to), 131),
        };
        let codes = values::some_codes(from, to, n);
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for options in options {
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
    assert_eq!(tally.pairs as usize, jobs.len());
    assert!(tally.options > 4 * tally.pairs, "{tally:?}");
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
        say("NOT TESTED: whether environments are what they are called, where only one is known");
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

/// A way to cast bytes, elements one after the other.
type Way = fn(&Cast, &[u8], &mut [u8]) -> Result<(), CastError>;

const WAYS: [(&str, Way); 6] = [
    ("run", Cast::run),
    ("run_in_place", |cast, src, dst| {
        let mut buffer = src.to_vec();
        cast.run_in_place(&mut buffer, dst.len() / 4)?;
        dst.copy_from_slice(&buffer[..dst.len()]);
        Ok(())
    }),
    ("run_strided", |cast, src, dst| {
        // The other way around, into every second place, and from there.
        let n = dst.len() / 4;
        let from = StridedView::new(cast.from(), src, 8 * (n - 1), &[n], &[-8]).unwrap();
        let mut places = vec![0; 8 * n];
        let mut to = StridedViewMut::new(cast.to(), &mut places, 0, &[n], &[8]).unwrap();
        cast.run_strided(&from, &mut to)?;
        for (place, element) in places.chunks(8).rev().zip(dst.chunks_mut(4)) {
            element.copy_from_slice(&place[..4]);
        }
        Ok(())
    }),
    ("run_masked", |cast, src, dst| {
        let mut valid = vec![0; (dst.len() / 4).div_ceil(8)];
        cast.run_masked(src, dst, &mut valid)
    }),
    ("CastReader", |cast, src, dst| {
        CastReader::new(*cast, src).read_exact(dst).unwrap();
        Ok(())
    }),
    ("CastWriter", |cast, src, dst| {
        let mut writer = CastWriter::new(*cast, dst);
        writer.write_all(src).unwrap();
        writer.finish().unwrap();
        Ok(())
    }),
];

/// Numbers between two float32s of either sign, and those that are subnormal there.
#[test]
fn every_way_to_cast_is_guarded() {
    let above = f64::EPSILON;
    let src: Vec<f64> = (0..40)
        .flat_map(|i| [1.0 + above, -1.0 - above, f64::from(i) * 2f64.powi(-149), -above])
        .collect();
    let right: Vec<f32> = src.iter().map(|&value| value as f32).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&src);
    let cast = Cast::new(DType::Float64, DType::Float32, CastOptions::new()).unwrap();
    for environment in environments() {
        for (name, way) in WAYS {
            let mut dst = vec![0f32; src.len()];
            let casts = || way(&cast, bytes, bytemuck::cast_slice_mut(&mut dst));
            let (result, _) = environment.within(casts);
            assert_eq!(result, Ok(()), "{name}, {environment:?}");
            let same = dst.iter().map(|v| v.to_bits()).eq(right.iter().map(|v| v.to_bits()));
            assert!(same, "{name}, {environment:?}: {dst:?}");
        }
        // Of those that change, the first, and of those that don't, none: there and back.
        let mut dst = vec![0f32; src.len()];
        let changed = || cast.run_same_value(bytes, bytemuck::cast_slice_mut(&mut dst));
        let (result, _) = environment.within(changed);
        let is_first = matches!(result, Err(CastError::Changed { index: 0, .. }));
        assert!(is_first, "{environment:?}: {result:?}");
        let exact: Vec<f64> = right.iter().map(|&value| f64::from(value)).collect();
        let kept = || simdcast::cast_same_value(&exact, &mut dst);
        assert_eq!(environment.within(kept).0, Ok(()), "{environment:?}");
        assert_eq!(dst, right, "{environment:?}");
    }
}

/// The threads of a pool come with an environment each, in which they are found again.
#[cfg(feature = "rayon")]
#[test]
fn the_threads_of_a_pool_are_guarded() {
    // Work for both: more than 4 MiB, or 16 MiB into a new vector.
    let some = [1.0 + f64::EPSILON, -1.0 - f64::EPSILON, 3.0 * 2f64.powi(-149), 0.1];
    let src: Vec<f64> = some.into_iter().cycle().take(1_500_003).collect();
    let right: Vec<f32> = src.iter().map(|&value| value as f32).collect();
    let exact: Vec<f64> = right.iter().map(|&value| f64::from(value)).collect();
    let (bytes, n) = (bytemuck::cast_slice::<_, u8>(&src), src.len());
    let cast = Cast::new(DType::Float64, DType::Float32, CastOptions::new()).unwrap();
    let view = StridedView::contiguous(DType::Float64, bytes, &[3, n / 3]).unwrap();
    for environment in environments() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
        let Ok(pool) = pool.start_handler(move |_| environment.enter()).build() else {
            return say("NOT TESTED: A POOL OF THREADS, WHICH ARE REFUSED");
        };
        let mut dst = vec![vec![0f32; n]; 4];
        let [run, strided, masked, same] = &mut dst[..] else { unreachable!() };
        let target = bytemuck::cast_slice_mut(strided);
        let mut target = StridedViewMut::contiguous(DType::Float32, target, &[3, n / 3]).unwrap();
        let mut valid = vec![0; n.div_ceil(8)];
        let (results, new) = pool.install(|| {
            let results = [
                cast.par_run(bytes, bytemuck::cast_slice_mut(run)),
                cast.par_run_strided(&view, &mut target),
                cast.par_run_masked(bytes, bytemuck::cast_slice_mut(masked), &mut valid),
                simdcast::par_cast_same_value(&exact, same),
            ];
            (results, simdcast::par_cast_vec::<f64, f32>(&src))
        });
        let held = pool.broadcast(|_| environment.is_entered());
        drop(pool);
        assert_eq!((results, held), ([const { Ok(()) }; 4], vec![true; 2]), "{environment:?}");
        for (i, dst) in dst.iter().chain([&new]).enumerate() {
            assert!(
                bytemuck::cast_slice::<_, u32>(dst) == bytemuck::cast_slice::<_, u32>(&right),
                "{i}, {environment:?}"
            );
        }
    }
}
