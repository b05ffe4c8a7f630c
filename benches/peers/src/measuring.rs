//! What is measured for a record, and how the time is spent.
//!
//! Half of it goes to all pairs on all instruction sets, in [`ROUNDS`] rounds that are far apart, so that what
//! else the machine did in one of them shows in the other; the rest to the pairs that someone else casts,
//! too, in the caches and past them, and to few pairs over lengths and threads.

use crate::data::Pool;
use crate::measure::{Bench, Other, Shape, Times, Warming};
use crate::progress::Progress;
use crate::record::{Cells, Contest, Grid, Lengths, Record, Threads, rounded};
use crate::rivals::{self, Rival};
use simdcast::{Cast, CastOptions, DType, isa};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

const ROUNDS: usize = 2;
/// In the L1 cache, and in the L2 cache.
pub(crate) const SIZES: [usize; 2] = [4096, 65536];
/// A short call, and the two.
pub(crate) const CONTEST_SIZES: [usize; 3] = [64, 4096, 65536];
/// The most bytes of both sides in a contest past the caches.
const MOST_BYTES: usize = 4 << 30;

/// The pairs of bars, and the first eight of curves and past the caches, too: what there is most of.
pub(crate) const CHOSEN: [(DType, DType); 16] = [
    (DType::Float32, DType::Float16),
    (DType::Float16, DType::Float32),
    (DType::Float32, DType::BFloat16),
    (DType::BFloat16, DType::Float32),
    (DType::Float64, DType::Float32),
    (DType::Float32, DType::Float8E4M3Fn),
    (DType::Float8E4M3Fn, DType::Float32),
    (DType::Float32, DType::Float8E5M2),
    (DType::Float32, DType::Int8),
    (DType::Float32, DType::Int32),
    (DType::Float64, DType::Int64),
    (DType::UInt8, DType::Float32),
    (DType::Int32, DType::Float16),
    (DType::Int64, DType::Float32),
    (DType::Int64, DType::Int32),
    (DType::BFloat16, DType::Float16),
];

/// How long the parts of a record may take.
pub(crate) struct Time {
    grids: Duration,
    contests: Duration,
    past_caches: Duration,
    curves: Duration,
}

impl Time {
    pub(crate) fn of(all: Duration) -> Self {
        Self {
            grids: all.mul_f64(0.5),
            contests: all.mul_f64(0.25),
            past_caches: all.mul_f64(0.15),
            curves: all.mul_f64(0.1),
        }
    }
}

/// All pairs of dtypes.
pub(crate) fn all_pairs() -> Vec<(DType, DType)> {
    DType::ALL.into_iter().flat_map(|from| DType::ALL.map(|to| (from, to))).collect()
}

/// The whole record of this machine.
pub(crate) fn record(time: &Time) -> Result<Record, String> {
    let mut record = Record::new();
    let levels = record.machine.isa.clone();
    let best = isa::current().name();
    record.grids = grids(&all_pairs(), &levels, &SIZES, time.grids)?;
    use_level(best)?;
    let contested = contested(&all_pairs());
    record.contests = contests(&contested, &CONTEST_SIZES, time.contests)?;
    let past = elements_past_caches(record.machine.last_level());
    record.contests.extend(contests(&CHOSEN[..8], &[past], time.past_caches)?);
    record.lengths = lengths(&CHOSEN[..8], time.curves / 2)?;
    record.threads = threads(&CHOSEN[..8], past, time.curves / 2)?;
    Ok(record)
}

/// So many elements of four bytes that source and destination are twice what a cache holds.
pub(crate) fn elements_past_caches(last_level: usize) -> usize {
    const WHOLE: usize = 1 << 20;
    (2 * last_level / 8).next_multiple_of(WHOLE).clamp(4 * WHOLE, MOST_BYTES / 32)
}

/// The pairs that someone else casts.
pub(crate) fn contested(pairs: &[(DType, DType)]) -> Vec<(DType, DType)> {
    pairs.iter().copied().filter(|&(from, to)| !rivals::of(from, to).is_empty()).collect()
}

fn use_level(name: &str) -> Result<(), String> {
    isa::set(name).map(|_| ()).map_err(|error| error.to_string())
}

fn cast(from: DType, to: DType) -> Result<Cast, String> {
    Cast::new(from, to, CastOptions::new()).map_err(|error| error.to_string())
}

fn progress(total: usize) -> Progress {
    Progress::new(total, io::stderr().is_terminal())
}

/// Pairs on instruction sets, at sizes, in about so much time.
pub(crate) fn grids(
    pairs: &[(DType, DType)],
    levels: &[String],
    sizes: &[usize],
    time: Duration,
) -> Result<Vec<Grid>, String> {
    let total = pairs.len() * levels.len() * sizes.len() * ROUNDS;
    let mut progress = progress(total);
    let mut benches = benches(pairs, sizes, time / total.max(1) as u32)?;
    let mut grids = Vec::new();
    for level in levels {
        grids.extend(sizes.iter().map(|&n| Rounds::new(level, n)));
    }
    for _ in 0..ROUNDS {
        for &(from, to) in pairs {
            let pool = || Pool::new(from, to, &CastOptions::new());
            let mut pool = pool().ok_or_else(|| format!("{from} -> {to}: no numbers"))?;
            for grid in &mut grids {
                use_level(&grid.isa)?;
                let cast = cast(from, to)?;
                progress.show(&cast);
                let bench = &mut benches.iter_mut().find(|(n, _)| *n == grid.n);
                let Some((_, bench)) = bench else { continue };
                let times = bench.times_on(&cast, &mut pool, &mut []);
                grid.times[from.code() as usize][to.code() as usize]
                    .extend(times.map(|(times, _)| times));
            }
        }
    }
    Ok(grids.into_iter().map(Rounds::grid).collect())
}

fn benches(
    pairs: &[(DType, DType)],
    sizes: &[usize],
    budget: Duration,
) -> Result<Vec<(usize, Bench)>, String> {
    let bench = |&n: &usize| {
        let mut bench = Bench::new(pairs, n, 0)?;
        bench.budget = budget;
        Ok((n, bench))
    };
    sizes.iter().map(bench).collect()
}

/// What was measured of a grid in all rounds.
struct Rounds {
    isa: String,
    n: usize,
    times: Vec<Vec<Vec<Times>>>,
}

impl Rounds {
    fn new(isa: &str, n: usize) -> Self {
        let times = vec![vec![Vec::new(); DType::COUNT]; DType::COUNT];
        Self { isa: isa.to_owned(), n, times }
    }

    fn grid(self) -> Grid {
        let cells = |value: &dyn Fn(&[Times]) -> Option<f64>| -> Cells {
            let row =
                |row: &Vec<Vec<Times>>| row.iter().map(|times| value(times).map(rounded)).collect();
            self.times.iter().map(row).collect()
        };
        let best = |times: &[Times]| times.iter().copied().reduce(Times::or_shorter);
        let ratio = |times: Times| times.cast / times.memcpy;
        let (ns, ratios, spread) = (
            cells(&|times| Some(best(times)?.cast / self.n as f64)),
            cells(&|times| best(times).map(ratio)),
            cells(&|times| {
                let least = times.iter().copied().map(ratio).reduce(f64::min)?;
                Some(times.iter().copied().map(ratio).reduce(f64::max)? / least)
            }),
        );
        Grid { isa: self.isa, n: self.n, ns, ratio: ratios, spread }
    }
}

/// Pairs beside all others who cast them, at sizes, in about so much time.
pub(crate) fn contests(
    pairs: &[(DType, DType)],
    sizes: &[usize],
    time: Duration,
) -> Result<Vec<Contest>, String> {
    let total = pairs.len() * sizes.len();
    let mut progress = progress(total);
    let mut contests = Vec::new();
    for &n in sizes {
        for &(from, to) in pairs {
            let cast = cast(from, to)?;
            progress.show(&cast);
            let mut bench = Bench::new(&[(from, to)], n, 0)?;
            bench.budget = time / total.max(1) as u32;
            contests.extend(contest(&mut bench, &cast, n, rivals::of(from, to)));
        }
    }
    Ok(contests)
}

fn contest(bench: &mut Bench, cast: &Cast, n: usize, mut rivals: Vec<Rival>) -> Option<Contest> {
    let (from, to) = (cast.from(), cast.to());
    let mut pool = Pool::new(from, to, &CastOptions::new())?;
    let shape = Shape::of(from, to, n);
    let names: Vec<&str> = rivals.iter().map(|rival| rival.name).collect();
    let mut others: Vec<Box<Other>> = Vec::new();
    for rival in &mut rivals {
        others.push(Box::new(move |bench: &mut Bench, pool: &mut Pool, _| {
            bench.on_new_elements(shape, pool, |src, dst| {
                let windows: Vec<&[u8]> = src.chunks_exact(shape.src).collect();
                if let Some(Warming { src: few, dst: room, .. }) = Warming::of(from, to, n) {
                    (rival.run)(&[&src[..few]], &mut dst[..room]);
                }
                let time = (rival.run)(&windows, dst);
                leave_no_upper_halves();
                time
            })
        }));
    }
    let mut others: Vec<&mut Other> = others.iter_mut().map(|other| &mut **other).collect();
    let (times, others) = bench.times_on(cast, &mut pool, &mut others)?;
    let per_element = |time: f64| rounded(time / n as f64);
    let rivals = names.iter().zip(others);
    let rivals = rivals.filter_map(|(name, ns)| Some((name.to_string(), per_element(ns?))));
    Some(Contest {
        from: from.to_string(),
        to: to.to_string(),
        n,
        isa: cast.isa().to_string(),
        ns: per_element(times.cast),
        memcpy: per_element(times.memcpy),
        rivals: rivals.collect::<BTreeMap<_, _>>(),
    })
}

/// Clears the upper halves of vector registers: where a library leaves something in them, which it should
/// not, all code for plain x86-64 that runs after it takes longer, and so would those that it is compared with.
fn leave_no_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        // SAFETY: detected.
        unsafe { std::arch::x86_64::_mm256_zeroupper() };
    }
}

/// Pairs over all lengths that are powers of two, in about so much time.
fn lengths(pairs: &[(DType, DType)], time: Duration) -> Result<Vec<Lengths>, String> {
    const LARGEST: u32 = 24;
    let total = pairs.len() * (LARGEST as usize + 1);
    let mut progress = progress(total);
    let mut curves = Vec::new();
    for &(from, to) in pairs {
        let cast = cast(from, to)?;
        let mut points = Vec::new();
        for n in (0..=LARGEST).map(|power| 1 << power) {
            progress.show(&cast);
            let mut bench = Bench::new(&[(from, to)], n, 0)?;
            bench.budget = time / total as u32;
            let times = bench.times(&cast, &CastOptions::new());
            let per_element = |time: f64| rounded(time / n as f64);
            points.extend(times.map(|t| (n, per_element(t.cast), per_element(t.memcpy))));
        }
        let (from, to, isa) = (from.to_string(), to.to_string(), cast.isa().to_string());
        curves.push(Lengths { from, to, isa, points });
    }
    Ok(curves)
}

/// Pairs on 1, 2, 4, ... threads, and on all, in about so much time.
fn threads(pairs: &[(DType, DType)], n: usize, time: Duration) -> Result<Vec<Threads>, String> {
    let all = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let mut counts: Vec<usize> = (0..).map(|power| 1 << power).take_while(|&n| n < all).collect();
    counts.push(all);
    let mut progress = progress(pairs.len() * counts.len());
    let budget = time / (pairs.len() * counts.len()) as u32;
    let mut curves = Vec::new();
    for &(from, to) in pairs {
        let cast = cast(from, to)?;
        let bytes = |dtype: DType| dtype.bytes_for(n).ok_or_else(|| format!("{n} {dtype}"));
        let mut src = vec![0; bytes(from)?];
        let mut dst = vec![0xff; bytes(to)?];
        let pool = Pool::new(from, to, &CastOptions::new());
        pool.ok_or_else(|| format!("{from} -> {to}: no numbers"))?.draw(&mut src);
        let mut points = Vec::new();
        for &count in &counts {
            progress.show(&cast);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.map_err(|error| error.to_string())?;
            let best = pool.install(|| best_in_parallel(&cast, &src, &mut dst, n, budget))?;
            let bytes = (src.len() + dst.len()) as f64;
            points.push((count, rounded(bytes / best.as_nanos().max(1) as f64)));
        }
        let (from, to, isa) = (from.to_string(), to.to_string(), cast.isa().to_string());
        curves.push(Threads { from, to, isa, n, points });
    }
    Ok(curves)
}

/// The shortest of the times of a cast on the threads of the pool that this is in.
fn best_in_parallel(
    cast: &Cast,
    src: &[u8],
    dst: &mut [u8],
    n: usize,
    budget: Duration,
) -> Result<Duration, String> {
    const LEAST: usize = 3;
    let (begin, mut best, mut turns) = (Instant::now(), Duration::MAX, 0);
    while turns < LEAST || begin.elapsed() < budget {
        let start = Instant::now();
        let done = cast.par_run_n(black_box(src), black_box(&mut *dst), n);
        best = best.min(start.elapsed());
        done.map_err(|error| error.to_string())?;
        turns += 1;
    }
    Ok(best)
}
