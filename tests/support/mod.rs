//! The one comparison of kernels with the reference, for every test that makes it: which options
//! there are, which values deserve a look, and whether a kernel stores for them what it must.
//! A new instruction set is one more level in `simdcast::isa::levels()`, and tested by that.

#![allow(dead_code)] // Each test binary uses a part.

pub mod environment;
pub mod guarded;
pub mod values;

use simdcast::isa::{Level, levels};
use simdcast::{DType, Overflow, Rounding, reference};
use simdcast_kernels::{Kernel, Options, RunError};
use std::io::Write;

/// Says something although the test passes: `cargo test` keeps what `println!` prints of those.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The levels to test: those that this CPU has. Says which ones it hasn't.
pub fn tested_levels() -> Vec<&'static Level> {
    let (here, missing): (Vec<_>, Vec<_>) = levels().iter().partition(|l| l.is_available());
    for level in missing {
        say(&format!("NOT TESTED: this CPU cannot run the kernels of {}", level.name()));
    }
    here
}

/// Every pair of dtypes.
pub fn pairs() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.into_iter().flat_map(|from| DType::ALL.into_iter().map(move |to| (from, to)))
}

/// Every pair of dtypes, or one in fifteen where values are thinned out: for tests of what is done around kernels that
/// others test.
pub fn fewer_pairs() -> impl Iterator<Item = (DType, DType)> {
    pairs().step_by(one_in(15))
}

/// The step by which tests thin out whole cases: so many if [values](values::stride) are thinned out, else 1.
pub fn one_in(some: usize) -> usize {
    if values::stride() > 1 { some } else { 1 }
}

/// The seeds with which stochastic rounding is tested.
const SEEDS: [u64; 3] = [0, 0x1234_5678_9abc_def0, u64::MAX];

/// Every combination of options, with a first index for the stochastic ones.
fn all_options() -> impl Iterator<Item = Options> {
    let mut roundings = vec![
        (Rounding::Default, 0),
        (Rounding::NearestEven, 0),
        (Rounding::NearestAway, 0),
        (Rounding::TowardZero, 0),
        (Rounding::Up, 0),
        (Rounding::Down, 0),
    ];
    for (i, seed) in SEEDS.into_iter().enumerate() {
        roundings.push((Rounding::Stochastic { seed }, [0, 3, u64::MAX - 5][i]));
    }
    Overflow::ALL.into_iter().flat_map(move |overflow| {
        roundings.clone().into_iter().flat_map(move |(rounding, first_index)| {
            [true, false].map(|saturate| Options { overflow, saturate, rounding, first_index })
        })
    })
}

/// The options to test a pair with: of those that provably do the same for it, one. The default
/// ones come first.
pub fn distinct_options(from: DType, to: DType) -> Vec<Options> {
    effective(&all_options().collect::<Vec<_>>(), from, to)
}

/// Options by which floats and integers wrap, and infinities stay.
pub const WRAPPED: Options =
    Options { overflow: Overflow::Wrap, saturate: false, ..Options::DEFAULT };

/// Options under which what is stored depends on where an element is, the first one being in the middle of four.
pub const DRAWN: Options =
    Options { rounding: Rounding::Stochastic { seed: 7 }, first_index: 1, ..Options::DEFAULT };

/// Options that refuse elements.
pub const CHECKED: Options = Options { overflow: Overflow::Error, ..Options::DEFAULT };

/// The options that take different kernels: for tests of what is done around kernels that others test.
pub const KINDS: [Options; 4] = [Options::DEFAULT, WRAPPED, DRAWN, CHECKED];

/// Of options those that differ for a pair, without what makes no difference to it.
pub fn effective(kinds: &[Options], from: DType, to: DType) -> Vec<Options> {
    let mut distinct = Vec::new();
    for options in kinds.iter().map(|options| options.effective(from, to)) {
        if !distinct.contains(&options) {
            distinct.push(options);
        }
    }
    distinct
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub pairs: u64,
    pub options: u64,
    pub values: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.options += other.options;
        self.values += other.values;
    }
}

/// The bytes of elements with these codes, with noise where bits are unused.
pub fn source_bytes(dtype: DType, codes: &[u128]) -> Vec<u8> {
    let mut bytes = vec![0; dtype.bytes_for(codes.len()).unwrap()];
    for (i, &code) in codes.iter().enumerate() {
        reference::store(dtype, &mut bytes, i, code);
    }
    if dtype.size() == Some(1) && dtype != DType::Bool {
        let mask = ((1u32 << dtype.significant_bits()) - 1) as u8;
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = *byte & mask | noise(i as u64) as u8 & !mask;
        }
    } else if dtype == DType::Bool {
        for (i, byte) in bytes.iter_mut().enumerate().filter(|(_, byte)| **byte != 0) {
            *byte = (noise(i as u64) as u8).max(1);
        }
    } else if dtype.is_packed() {
        let used = codes.len() * dtype.bits() % 8;
        if let Some(last) = bytes.last_mut().filter(|_| used != 0) {
            *last |= 0xff << used;
        }
    }
    bytes
}

/// A hash (the finaliser of splitmix64).
pub fn noise(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// What the reference makes of elements with these codes, None where it refuses one.
fn results(from: DType, to: DType, options: &Options, codes: &[u128]) -> Vec<Option<u128>> {
    // Codes may be there over and over: what becomes of one depends on its place only where something is drawn.
    let drawn = matches!(options.rounding, Rounding::Stochastic { .. });
    let period = (1..codes.len()).find(|&i| codes[i] == codes[0] && !drawn);
    let mut results = Vec::with_capacity(codes.len());
    for (i, &code) in codes.iter().enumerate() {
        let before = period.and_then(|period| i.checked_sub(period));
        results.push(match before.filter(|&before| codes[before] == code) {
            Some(before) => results[before],
            None => reference::cast(from, to, code, options, i as u64).ok(),
        });
    }
    results
}

/// Which sides of a cast are in the other byte order, if one is.
pub const SIDES: [[bool; 2]; 3] = [[true, false], [false, true], [true, true]];

/// The bytes of each component turned, if they are a dtype's to turn.
pub fn turned(dtype: DType, bytes: &[u8], swapped: bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let width = dtype.component().bits() / 8;
    if swapped && !dtype.is_packed() && width > 1 {
        bytes.chunks_mut(width).for_each(<[u8]>::reverse);
    }
    bytes
}

/// A source, and what the reference makes of it under some options.
pub struct Case {
    from: DType,
    to: DType,
    options: Options,
    codes: Vec<u128>,
    src: Vec<u8>,
    /// What must be stored, up to the first failure.
    stored: Vec<u8>,
    /// The first element that is refused.
    failure: Option<usize>,
}

impl Case {
    pub fn new(from: DType, to: DType, options: &Options, codes: Vec<u128>) -> Self {
        let mut stored = vec![0; to.bytes_for(codes.len()).unwrap()];
        let results = results(from, to, options, &codes);
        let failure = results.iter().position(Option::is_none);
        for (i, result) in results.into_iter().map_while(|result| result).enumerate() {
            reference::store(to, &mut stored, i, result);
        }
        let src = source_bytes(from, &codes);
        Self { from, to, options: *options, codes, src, stored, failure }
    }

    /// Whether a level's kernel does what the reference does.
    pub fn check_on(&self, level: &'static Level) -> Result<(), String> {
        self.check(&Kernel::on(level, self.from, self.to, &self.options))
    }

    /// Whether a kernel of the pair does: up to the first failure everything must be stored as the
    /// reference says, and the failure must be reported, with its index, if and only if there is
    /// one.
    pub fn check(&self, kernel: &Kernel) -> Result<(), String> {
        self.check_by(kernel, |src, dst, n| kernel.run(src, dst, n))
    }

    /// The same where something runs the kernel in a way of its own.
    pub fn check_by(
        &self,
        kernel: &Kernel,
        cast: impl FnOnce(&[u8], &mut [u8], usize) -> Result<(), RunError>,
    ) -> Result<(), String> {
        const UNTOUCHED: u8 = 0x5a;
        let n = self.codes.len();
        let mut dst = vec![UNTOUCHED; self.stored.len()];
        let reported = match cast(&self.src, &mut dst, n) {
            Ok(()) => None,
            Err(RunError::Unfit { index }) => Some(index),
            Err(other) => return Err(format!("{kernel:?}: {other:?}")),
        };
        if reported != self.failure {
            let right = self.failure;
            return Err(format!("{kernel:?}: failed at {reported:?}, the reference at {right:?}"));
        }
        let whole = |elements: usize| elements * self.to.bits() / 8;
        let end = self.failure.map_or(dst.len(), whole);
        if dst[..end] == self.stored[..end] {
            return Ok(());
        }
        Err(difference(kernel, &self.codes[..self.failure.unwrap_or(n)], &dst, &self.stored))
    }
}

/// Compares the kernels of some levels with the reference on elements with these codes; under
/// [`Overflow::Error`], also those that fit in a run of their own, and each that doesn't.
pub fn compare(
    levels: &[&'static Level],
    from: DType,
    to: DType,
    options: &Options,
    codes: &[u128],
) -> Result<Tally, String> {
    let case = |codes: &[u128], options: &Options| Case::new(from, to, options, codes.to_vec());
    let on_all = |case: Case| levels.iter().try_for_each(|level| case.check_on(level));
    on_all(case(codes, options))?;
    if options.overflow != Overflow::Error {
        // (Nothing is refused.)
    } else if matches!(options.rounding, Rounding::Stochastic { .. }) {
        // What is drawn takes a number to where one of the directed roundings does: what all of them refuse never fits, and what
        // none refuses does anywhere.
        let ways = [Rounding::TowardZero, Rounding::Up, Rounding::Down]
            .map(|rounding| Options { rounding, ..*options });
        let refused = |&code: &u128| {
            ways.iter().filter(|way| reference::cast(from, to, code, way, 0).is_err()).count()
        };
        let (never, some): (Vec<_>, Vec<_>) =
            codes.iter().copied().partition(|code| refused(code) == ways.len());
        let always: Vec<_> = some.iter().copied().filter(|code| refused(code) == 0).collect();
        each_is_refused(levels, [from, to], options, &never, always)?;
        // Others fit anywhere or in some places: runs a little past each failure, the next of which begins right after it.
        let mut rest = &some[..];
        let mut shifted = *options;
        while !rest.is_empty() {
            let refused =
                |&i: &usize| reference::cast(from, to, rest[i], &shifted, i as u64).is_err();
            let end = (0..rest.len()).find(refused).map_or(rest.len(), |i| i + 1);
            on_all(case(&rest[..rest.len().min(end + PAST)], &shifted))?;
            rest = &rest[end..];
            shifted.first_index = shifted.first_index.wrapping_add(end as u64);
        }
    } else {
        let (mut fit, mut unfit) = (Vec::new(), Vec::new());
        for (&code, result) in codes.iter().zip(results(from, to, options, codes)) {
            if result.is_some() { fit.push(code) } else { unfit.push(code) }
        }
        on_all(case(&fit, options))?;
        each_is_refused(levels, [from, to], options, &unfit, fit)?;
    }
    Ok(Tally { pairs: 0, options: 1, values: codes.len() as u64 })
}

/// How many elements follow one that is refused in some places.
const PAST: usize = 16;

/// Among how many elements that fit one is put that does not: more than two of the longest steps have.
const AMONG: usize = 256;

/// Whether kernels refuse each of these codes, which are refused wherever they are: alone; and those next to a code that fits,
/// where a bound may be missed by one, and one in sixteen of the others, among many that fit, where a test of them all at once
/// sees it or nothing does.
fn each_is_refused(
    levels: &[&'static Level],
    [from, to]: [DType; 2],
    options: &Options,
    unfit: &[u128],
    mut fit: Vec<u128>,
) -> Result<(), String> {
    fit.sort_unstable();
    let fits = |code: u128| fit.binary_search(&code).is_ok();
    let is_put = |&(i, &code): &(usize, &u128)| {
        i.is_multiple_of(16) || fits(code.wrapping_sub(1)) || fits(code.wrapping_add(1))
    };
    let put: Vec<_> = unfit.iter().enumerate().filter(is_put).map(|(_, &code)| code).collect();
    // (Of all that fit, from the first to the last; none if none does.)
    let apart = (fit.len() / AMONG).max(1);
    let many: Vec<_> = fit.iter().copied().step_by(apart).cycle().take(AMONG).collect();
    let mut source = source_bytes(from, &many);
    let mut stored = vec![0; to.bytes_for(AMONG).unwrap()];
    let one = to.bytes_for(1).unwrap();
    for level in levels {
        let kernel = Kernel::on(level, from, to, options);
        let see = |code, index, result| match result {
            Err(RunError::Unfit { index: told }) if told == index => Ok(()),
            other => Err(format!("{kernel:?}: {code:#x} at {index}, but {other:?}")),
        };
        for &code in unfit {
            see(code, 0, kernel.run(&source_bytes(from, &[code]), &mut stored[..one], 1))?;
        }
        for (k, &code) in put.iter().enumerate().take_while(|_| !many.is_empty()) {
            let place = k * 67 % AMONG;
            reference::store(from, &mut source, place, code);
            see(code, place, kernel.run(&source, &mut stored, AMONG))?;
            reference::store(from, &mut source, place, many[place]);
        }
    }
    Ok(())
}

fn difference(kernel: &Kernel, codes: &[u128], dst: &[u8], expected: &[u8]) -> String {
    let n = codes.len();
    let (from, to) = (kernel.from(), kernel.to());
    let wrong = |i: &usize| reference::load(to, dst, *i) != reference::load(to, expected, *i);
    let Some(i) = (0..n).find(wrong) else {
        return format!("{kernel:?}: unused bits differ: {dst:x?} for {expected:x?}");
    };
    let (code, got) = (codes[i], reference::load(to, dst, i));
    let right = reference::load(to, expected, i);
    let value = if from.is_complex() {
        String::new()
    } else {
        format!(" ({})", reference::decode(from.component(), code as u64))
    };
    let count = (0..n).filter(wrong).count();
    format!(
        "{kernel:?}: element {i}, code {code:#x}{value}: stored {got:#x}, the reference says \
         {right:#x}; {count} of {n} elements differ"
    )
}

/// Does jobs on all cores, adds up what they compared and collects what they found wrong.
pub fn in_parallel<J: Sync>(
    jobs: &[J],
    work: impl Fn(&J) -> Result<Tally, String> + Sync,
) -> (Tally, Vec<String>) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut total = (Tally::default(), Vec::new());
    std::thread::scope(|scope| {
        let worker = || {
            let mut mine = (Tally::default(), Vec::new());
            while let Some(job) = jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
            {
                match work(job) {
                    Ok(tally) => mine.0 += tally,
                    Err(error) => mine.1.push(error),
                }
            }
            mine
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            let (tally, errors) = worker.join().expect("a worker panicked");
            total.0 += tally;
            total.1.extend(errors);
        }
    });
    total
}

/// Does some work for each job on each level, and says how much that was.
pub fn on_every_level<J: Sync>(
    jobs: &[J],
    work: impl Fn(&'static Level, &J) -> Result<Tally, String> + Sync,
) {
    for level in tested_levels() {
        let (tally, errors) = in_parallel(jobs, |job| work(level, job));
        let Tally { pairs, options, values: runs } = tally;
        say(&format!("{}: {pairs} pairs, {options} with options, {runs} runs", level.name()));
        assert!(pairs > 0, "nothing was tested");
        assert_none(&errors);
    }
}

/// Does some work for each of [fewer pairs](fewer_pairs) by the kernel of each of the [kinds of options](KINDS) that differ for
/// it, on each level. The work is told which of these it is, the default ones being number 0, and answers how many runs it made.
pub fn on_every_kind(work: impl Fn(&Kernel, usize) -> Result<u64, String> + Sync) {
    let jobs: Vec<_> = fewer_pairs().collect();
    on_every_level(&jobs, |level, &(from, to)| {
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for (k, options) in effective(&KINDS, from, to).iter().enumerate() {
            tally.options += 1;
            tally.values += work(&Kernel::on(level, from, to, options), k)?;
        }
        Ok(tally)
    });
}

/// Does some work for each pair of which a level may have loops for other CPUs' cores, with the loops for each core: on AVX2
/// those to float16, float32 and floats of a byte, on AVX-512 those from float32 and float64 to the small floats.
#[cfg(all(target_arch = "x86_64", not(simdcast_portable)))]
pub fn on_every_core(
    work: impl Fn(&'static Level, (DType, DType)) -> Result<Tally, String> + Sync,
) {
    use simdcast::Kind;
    use simdcast_kernels::dispatch::{Core, assume_core};
    let is_small = |to: DType| to.kind() == Kind::Float && to.bits() <= 8;
    let of_avx2 = |(_, to): (DType, DType)| {
        matches!(to, DType::Float16 | DType::Complex32 | DType::Float32 | DType::Complex64)
            || is_small(to) && to.bits() == 8
    };
    let of_avx512 = |(from, to): (DType, DType)| {
        matches!(from, DType::Float32 | DType::Float64) && is_small(to)
    };
    let levels: [(_, &dyn Fn(_) -> bool); 2] = [("avx2", &of_avx2), ("avx512_vbmi", &of_avx512)];
    for (name, has_loops) in levels {
        let Ok(level) = simdcast::isa::find(name) else {
            say(&format!(
                "NOT TESTED: THE LOOPS OF {name} FOR OTHER CORES, WHICH THIS CPU DOES NOT HAVE"
            ));
            continue;
        };
        let jobs: Vec<_> = pairs().filter(|&pair| has_loops(pair)).collect();
        for core in Core::ALL {
            assume_core(core);
            let (tally, errors) = in_parallel(&jobs, |&pair| {
                work(level, pair).map(|tally| Tally { pairs: 1, ..tally })
            });
            assert_none(&errors);
            assert_eq!(tally.pairs as usize, jobs.len(), "{name}, {core:?}");
            assert!(tally.values as usize > jobs.len(), "{name}, {core:?}");
        }
    }
}

/// In at most so many parts, the second half first.
pub struct Parts(pub usize);

impl simdcast_kernels::Join for Parts {
    fn parts(&self, most: usize) -> usize {
        self.0.min(most)
    }

    fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let b = b();
        (a(), b)
    }
}

/// Fails with the first few of the things found wrong.
pub fn assert_none(errors: &[String]) {
    let shown = errors.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(errors.is_empty(), "{} comparisons failed, the first of them:\n{shown}", errors.len());
}
