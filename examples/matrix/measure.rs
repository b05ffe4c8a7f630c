//! How a cast is timed.
//!
//! A turn is: new elements into the source, one timed cast, the same memory written anew, one timed
//! memcpy of half of the bytes that the cast reads and writes, which moves as many in all. Before
//! either the destination is written, too. Both thus find source and destination in the cache as far
//! as they fit, whatever else the turn has read (new elements come from memory that fills much of an
//! L2 cache), and neither has a rest that the other hasn't.
//! Turns go on for [`BUDGET`], and [`LEAST_TURNS`] of them at any rate; the shortest time of either
//! counts, less what the clock takes itself.
//!
//! The turns go over several places in the buffers, and [`ROUNDS`] times over all pairs. A plain loop
//! that copies through the L2 cache has been seen to take, from its first turn at a place to the last
//! and on for some 20 ms, 1.0 or 1.3 times as long as memcpy, as if by the toss of a coin; the next
//! place, or the same one later, was another toss.
//!
//! New elements in each turn keep branches from being learnt. Where a cast is too short for the clock,
//! a turn times it on several windows of the source, side by side in [`WINDOWS`] bytes, and so with
//! memcpy.
//!
//! Other libraries, or the same cast under other options, have a part in a turn as memcpy has. Every second turn
//! goes the other way round: who comes after a library that makes a new array of its results finds the caches
//! full of them, and took up to 1.7 times as long for that.

use crate::data::Pool;
use bytemuck::{Pod, Zeroable};
use simdcast::{Cast, CastOptions, DType};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often all pairs are timed.
pub(crate) const ROUNDS: usize = 5;
/// The time for one pair at one size in a round.
const BUDGET: Duration = Duration::from_millis(8);
const LEAST_TURNS: usize = 4;
/// The time for a pair that is timed but once, against another cast of it.
const WHOLE_BUDGET: Duration = Duration::from_millis(30);
/// The places that a pair is timed at, one after the other.
const PLACES: usize = 16;
/// How far they lie apart in the source and in the destination: not the same number of pages, so that
/// the two lie differently to each other, too.
const STRIDES: (usize, usize) = (3 << 12, 5 << 12);
/// The bytes that short casts are spread over; with the other side they fit an L1 cache.
const WINDOWS: usize = 16 << 10;

/// What was found out about a cast.
pub(crate) struct Measurement {
    pub(crate) cast: Cast,
    /// The number of elements.
    pub(crate) n: usize,
    /// None if no number is sure to fit the destination.
    pub(crate) figures: Option<Figures>,
}

/// How fast a cast is.
#[derive(Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) ns_per_element: f64,
    /// Of bytes read and written.
    pub(crate) gb_per_s: f64,
    /// Its time by that of memcpy of the same bytes.
    pub(crate) ratio: f64,
}

/// The shortest times seen of a cast and of its memcpy, in ns.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) cast: f64,
    pub(crate) memcpy: f64,
}

impl Times {
    /// Of either the shorter one.
    pub(crate) fn or_shorter(self, other: Self) -> Self {
        Self { cast: self.cast.min(other.cast), memcpy: self.memcpy.min(other.memcpy) }
    }
}

/// Something that is timed by turns with a cast: it is told the turn, and answers how long it took, None if
/// it failed.
pub(crate) type Other<'a> = dyn FnMut(&mut Bench, &mut Pool, usize) -> Option<Duration> + 'a;

/// The buffers for casts of `n` elements.
pub(crate) struct Bench {
    n: usize,
    /// The time for one pair in a round.
    pub(crate) budget: Duration,
    /// Where the cast's elements begin at a place.
    offset: usize,
    place: usize,
    src: Vec<Line>,
    dst: Vec<Line>,
    clock: Duration,
}

/// The unit of the buffers' alignment.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The bytes of a window in the source and in the destination, and how many windows there are.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) src: usize,
    dst: usize,
    windows: usize,
}

impl Shape {
    pub(crate) fn of(from: DType, to: DType, n: usize) -> Self {
        let bytes = |dtype: DType| dtype.bytes_for(n).unwrap_or(usize::MAX);
        let (src, dst) = (bytes(from), bytes(to));
        Self { src, dst, windows: (WINDOWS / src.max(dst)).max(1) }
    }

    /// A memcpy of as many bytes, read and written.
    fn of_memcpy(self) -> Self {
        let half = (self.src + self.dst).div_ceil(2);
        Self { src: half, dst: half, windows: self.windows }
    }
}

/// What is cast or copied before the clock starts: enough that the code, and what the CPU knows of the branches
/// around it, is there again, whatever ran meanwhile (without, a call of 0.1 us has been seen to take half as long
/// again), and so few elements that once is not enough to learn them. A short cast that is timed on many windows
/// has that from the first of them.
pub(crate) struct Warming {
    pub(crate) n: usize,
    /// Bytes of the source and of the destination.
    pub(crate) src: usize,
    pub(crate) dst: usize,
}

impl Warming {
    pub(crate) fn of(from: DType, to: DType, n: usize) -> Option<Self> {
        const FEW: usize = 4096;
        let shape = Shape::of(from, to, FEW);
        (n >= FEW).then_some(Self { n: FEW, src: shape.src, dst: shape.dst })
    }
}

impl Bench {
    /// Buffers large enough for all the pairs. The casts' elements begin `offset` bytes in.
    pub(crate) fn new(pairs: &[(DType, DType)], n: usize, offset: usize) -> Result<Self, String> {
        let bytes = pairs.iter().map(|&(from, to)| {
            let shape = Shape::of(from, to, n);
            shape.src.max(shape.dst) * shape.windows
        });
        let bytes = bytes.max().unwrap_or(0) + offset + (PLACES - 1) * STRIDES.0.max(STRIDES.1);
        let (src, dst) = (lines(bytes)?, lines(bytes)?);
        Ok(Self { n, budget: BUDGET, offset, place: 0, src, dst, clock: clock() })
    }

    /// Times a cast, made with these options, for one round. None if no number is sure to fit.
    pub(crate) fn times(&mut self, cast: &Cast, options: &CastOptions) -> Option<Times> {
        let mut pool = Pool::new(cast.from(), cast.to(), options)?;
        self.times_on(cast, &mut pool, &mut []).map(|(times, _)| times)
    }

    /// The same, on numbers of a pool, and the times of others.
    pub(crate) fn times_on(
        &mut self,
        cast: &Cast,
        pool: &mut Pool,
        others: &mut [&mut Other],
    ) -> Option<(Times, Vec<Option<f64>>)> {
        let shape = Shape::of(cast.from(), cast.to(), self.n);
        let warming = Warming::of(cast.from(), cast.to(), self.n);
        let few = warming.map_or(0, |few| (few.src + few.dst).div_ceil(2));
        let mut memcpy =
            |bench: &mut Self, _: &mut Pool, turn| Some(bench.memcpy(shape, few, turn));
        let mut all: Vec<&mut Other> = vec![&mut memcpy];
        all.extend(others.iter_mut().map(|other| &mut **other as &mut Other));
        let (cast, mut others) = self.best(cast, shape, pool, self.budget, &mut all)?;
        let memcpy = others.remove(0)?;
        Some((Times { cast, memcpy }, others))
    }

    /// What the times of a cast say.
    pub(crate) fn measurement(&self, cast: Cast, times: Option<Times>) -> Measurement {
        let shape = Shape::of(cast.from(), cast.to(), self.n);
        let figures = times.map(|Times { cast, memcpy }| Figures {
            ns_per_element: cast / self.n as f64,
            gb_per_s: (shape.src + shape.dst) as f64 / cast,
            ratio: cast / memcpy,
        });
        Measurement { cast, n: self.n, figures }
    }

    /// The ns that an element takes in a cast, and in another of the same pair by turns with it. None
    /// if one of them failed.
    pub(crate) fn against(
        &mut self,
        cast: &Cast,
        other: &Cast,
        pool: &mut Pool,
    ) -> Option<(f64, f64)> {
        let shape = Shape::of(cast.from(), cast.to(), self.n);
        let mut other = |bench: &mut Self, pool: &mut Pool, _| bench.cast(other, shape, pool);
        let (cast, others) = self.best(cast, shape, pool, WHOLE_BUDGET, &mut [&mut other])?;
        Some((cast / self.n as f64, others[0]? / self.n as f64))
    }

    /// The shortest times, in ns, of the cast and of others. None of a cast that failed, or of another that
    /// did; it is not asked again.
    fn best(
        &mut self,
        cast: &Cast,
        shape: Shape,
        pool: &mut Pool,
        budget: Duration,
        others: &mut [&mut Other],
    ) -> Option<(f64, Vec<Option<f64>>)> {
        let (mut best, mut best_others) = (Duration::MAX, vec![Some(Duration::MAX); others.len()]);
        let start = Instant::now();
        let mut turn = 0;
        let mut elapsed = Duration::ZERO;
        while turn < LEAST_TURNS || elapsed < budget {
            self.place = place_at(elapsed, budget);
            let first = turn % 2 == 0;
            if first {
                best = best.min(self.cast(cast, shape, pool)?);
            }
            let mut run = |(other, best): (&mut &mut Other, &mut Option<Duration>)| {
                *best = best.and_then(|best| Some(best.min(other(self, pool, turn)?)));
            };
            let all = others.iter_mut().zip(&mut best_others);
            if first {
                all.for_each(&mut run)
            } else {
                all.rev().for_each(&mut run)
            }
            if !first {
                best = best.min(self.cast(cast, shape, pool)?);
            }
            turn += 1;
            elapsed = start.elapsed();
        }
        let per_window = |time: Duration| {
            // The clock ticks in ns; a time below that is none.
            let ns = time.saturating_sub(self.clock).as_nanos().max(1);
            ns as f64 / shape.windows as f64
        };
        Some((per_window(best), best_others.iter().map(|best| best.map(per_window)).collect()))
    }

    /// The time of one cast per window. None if it failed.
    fn cast(&mut self, cast: &Cast, shape: Shape, pool: &mut Pool) -> Option<Duration> {
        let n = self.n;
        let warming = Warming::of(cast.from(), cast.to(), n);
        self.on_new_elements(shape, pool, |src, dst| {
            if let Some(Warming { n, src: few, dst: room }) = warming {
                black_box(cast.run_n(&src[..few], &mut dst[..room], n)).ok();
            }
            let start = Instant::now();
            let mut done = true;
            for window in src.chunks_exact(shape.src) {
                // (What a call does for each cast is not to be done once for all windows.)
                done &= black_box(cast).run_n(window, dst, n).is_ok();
            }
            black_box(dst);
            let time = start.elapsed();
            done.then_some(time)
        })
    }

    /// Does something with new elements in all windows, and a destination that was written to.
    pub(crate) fn on_new_elements<R>(
        &mut self,
        shape: Shape,
        pool: &mut Pool,
        run: impl FnOnce(&[u8], &mut [u8]) -> R,
    ) -> R {
        let offset = self.offset;
        for window in self.buffers(shape, offset).0.chunks_exact_mut(shape.src) {
            pool.draw(window);
        }
        let (src, dst) = black_box(self.buffers(shape, offset));
        dst.fill(0xff);
        run(src, dst)
    }

    /// The time of one memcpy per window, of as many bytes as a cast's, after one of `few`.
    fn memcpy(&mut self, shape: Shape, few: usize, turn: usize) -> Duration {
        let (shape, value) = (shape.of_memcpy(), turn as u8);
        self.buffers(shape, 0).0.fill(value);
        let (src, dst) = black_box(self.buffers(shape, 0));
        dst.fill(value);
        black_box(&mut dst[..few]).copy_from_slice(&src[..few]);
        let start = Instant::now();
        for window in src.chunks_exact(shape.src) {
            dst.copy_from_slice(window);
            black_box(&mut *dst);
        }
        start.elapsed()
    }

    /// All windows of the source, and the destination of each.
    fn buffers(&mut self, shape: Shape, offset: usize) -> (&mut [u8], &mut [u8]) {
        let (src_start, dst_start) = (self.place * STRIDES.0, self.place * STRIDES.1);
        let src = &mut bytemuck::cast_slice_mut(&mut self.src)[src_start + offset..];
        let src = &mut src[..shape.src * shape.windows];
        let dst = &mut bytemuck::cast_slice_mut(&mut self.dst)[dst_start + offset..][..shape.dst];
        (src, dst)
    }
}

/// Which place's turn it is.
fn place_at(elapsed: Duration, budget: Duration) -> usize {
    let share = elapsed.as_nanos() * PLACES as u128 / budget.as_nanos();
    share.min(PLACES as u128 - 1) as usize
}

/// Memory for that many bytes, all of it written to once.
fn lines(bytes: usize) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    let count = bytes.div_ceil(size_of::<Line>());
    lines.try_reserve_exact(count).map_err(|_| format!("no memory for {bytes} bytes"))?;
    lines.resize(count, Line([1; 64]));
    Ok(lines)
}

/// How long it takes to ask for the time.
fn clock() -> Duration {
    (0..1000).map(|_| Instant::now().elapsed()).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memcpy_moves_the_bytes_of_the_cast_and_has_room() {
        for n in [1, 7, 64, 100_000] {
            for from in DType::ALL {
                for to in DType::ALL {
                    let shape = Shape::of(from, to, n);
                    let memcpy = shape.of_memcpy();
                    let moved = memcpy.src + memcpy.dst - (shape.src + shape.dst);
                    assert!(moved <= 1, "{from} -> {to}, {n}: {moved} more");
                    assert!(memcpy.src <= shape.src.max(shape.dst));
                }
            }
        }
    }

    #[test]
    fn figures_agree_with_each_other() {
        let (from, to, n) = (DType::Float6E2M3FnX4, DType::Complex128, 1001);
        let options = CastOptions::new();
        let mut bench = Bench::new(&[(from, to)], n, 5).unwrap();
        let cast = Cast::new(from, to, options).unwrap();
        let times = bench.times(&cast, &options);
        let measurement = bench.measurement(cast, times);
        let figures = measurement.figures.unwrap();
        let bytes = (751 + 16016) as f64;
        let ns = bytes / figures.gb_per_s;
        assert!((ns / n as f64 / figures.ns_per_element - 1.0).abs() < 1e-9);
        assert!(figures.ratio > 0.0);
    }
}
