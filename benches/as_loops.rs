//! Casts among integers, float32 and float64 against the plain `as` loop, compiled for the build's
//! target (`as`) and with every vector extension that this CPU and the compiler share (`native`): by
//! `cast`, between types, and by `Cast::run`, between dtypes known at run time.
//!
//! ```text
//! cargo bench --bench as_loops [-- FILTER]        by a part of FROM-TO/LENGTH
//! SIMDCAST_ISA=scalar cargo bench --bench as_loops
//! ```
//!
//! All four take turns on the same buffers, and the least time of each counts: what differs by a
//! nanosecond a call cannot be told from measurements that lie seconds apart, as criterion's do. Short calls are measured
//! with buffers at several places, as allocators give them, and the mean counts. The
//! buffers hold values of which about one in sixteen is out of the destination's range, so that
//! neither loop learns its branches; a short call finds other values than the one before it.

#[path = "casts/hidden.rs"]
mod hidden;
#[path = "casts/plain.rs"]
mod plain;

use hidden::{hidden, hidden_mut, hidden_number};
use plain::AsTo;
use simdcast::{Cast, CastOptions, DType, Element, Typed, cast, isa};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What a call costs, a short one, and in the L1 cache, in the L2 cache, and far past both.
const LENGTHS: [usize; 5] = [1, 64, 4096, 65536, 1 << 24];

/// The elements that short calls share: both sides, of 8 bytes each, are in the L1 cache.
const SHARED: usize = 1024;

/// At how many places short calls find their buffers. How those lie to each other, and to what else a call reads, decides
/// on a tenth of its time and more, either way: loads that seem to be of what was just stored, by the lower bits of their
/// addresses, wait for it.
const PLACES: usize = 16;
const PAGE: usize = 4096;

/// Calls of so many elements are no short ones.
const LONG: usize = 65536;

/// How long a pair is measured at one length, at least, and how many turns each of the four has then.
const TIME: Duration = Duration::from_millis(80);
const TURNS: usize = 12;

/// How long one turn takes, about, where calls are shorter than that.
const TURN: Duration = Duration::from_micros(20);

/// A hash (the finaliser of splitmix64).
fn noise(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

trait Number: Element + Default + bytemuck::Pod {
    /// A number below `limit` in magnitude mostly, far above it one time in sixteen.
    fn draw(seed: u64, limit: f64) -> Self;
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Number for $number {
            fn draw(seed: u64, limit: f64) -> Self {
                let signed = noise(seed) as i64 as f64 / (1u64 << 63) as f64;
                let scale = if noise(!seed) % 16 == 0 { 1e6 } else { 1.0 };
                (signed * limit * scale) as $number
            }
        }
    )*};
}
numbers! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

/// The magnitude that most values for a destination stay below.
fn limit(to: DType) -> f64 {
    to.iinfo().map_or(1e30, |info| info.max as f64)
}

/// Buffers of a pair, in windows of one call's length.
struct Buffers<A, B> {
    src: Vec<A>,
    dst: Vec<B>,
    /// Where both begin in their vectors, and how many elements they have.
    starts: [usize; 2],
    len: usize,
    n: usize,
}

impl<A: Number, B: Number> Buffers<A, B> {
    fn new(n: usize) -> Self {
        let len = n.max(SHARED / n * n);
        let spare = |size: usize| 2 * PAGE / size;
        let src = (0..(len + spare(size_of::<A>())) as u64).map(|i| A::draw(i, limit(B::DTYPE)));
        let dst = vec![B::default(); len + spare(size_of::<B>())];
        Self { src: src.collect(), dst, starts: [0; 2], len, n }
    }

    /// Moves both to the place of that number. Each begins where an allocator lets a vector begin, at any multiple of 16
    /// bytes from the start of a page.
    fn place(&mut self, number: usize) {
        let offset = |side: u64| noise(2 * number as u64 + side) as usize % (PAGE / 16) * 16;
        let start = |address: usize, side, size| {
            (address.next_multiple_of(PAGE) - address + offset(side)) / size
        };
        self.starts = [
            start(self.src.as_ptr().addr(), 0, size_of::<A>()),
            start(self.dst.as_ptr().addr(), 1, size_of::<B>()),
        ];
    }

    /// The time of a call, in ns, of so many rounds through the windows.
    #[inline(never)]
    fn turn(&mut self, rounds: usize, mut call: impl FnMut(&[A], &mut [B])) -> f64 {
        let src = &self.src[self.starts[0]..][..self.len];
        let dst = &mut self.dst[self.starts[1]..][..self.len];
        let (n, windows) = (self.n, self.len / self.n);
        if n >= LONG {
            // What the turn before has left in the caches, to be written to memory yet, is none of this one's.
            call(src, dst);
        }
        let start = Instant::now();
        for _ in 0..rounds {
            for window in 0..windows {
                // Where a window is follows from its number alone, not from where the one before was: that the compiler
                // might keep on the stack, from which it would be loaded only after stores of the call, if these seem to
                // be to the same place.
                let at = n * hidden_number(window);
                call(hidden(&src[at..][..n]), hidden_mut(&mut dst[at..][..n]));
            }
        }
        start.elapsed().as_nanos() as f64 / (rounds * windows) as f64
    }
}

/// The times of a call of `cast`, of `Cast::run`, and of the loops, `as` and `native`, in ns: the least ones at each place,
/// and of those the mean.
type Times = [f64; 4];

fn measure<A: Number + AsTo<B>, B: Number>(n: usize) -> Times {
    let mut buffers = Buffers::<A, B>::new(n);
    let places = if n < LONG { PLACES } else { 1 };
    let mut mean = [0.0; 4];
    for place in 0..places {
        buffers.place(place);
        let least = least(&mut buffers, TIME / places as u32);
        for (mean, least) in mean.iter_mut().zip(least) {
            *mean += least / places as f64;
        }
    }
    mean
}

/// The least times at a place, of turns that take so long, at least.
fn least<A: Number + AsTo<B>, B: Number>(buffers: &mut Buffers<A, B>, time: Duration) -> Times {
    let windows = buffers.len / buffers.n;
    let dynamic = Cast::new(A::DTYPE, B::DTYPE, CastOptions::new()).expect("options of every pair");
    let native = black_box(A::native().unwrap_or(A::plain));
    let plain = black_box(A::plain as plain::Loop<A, B>);
    let mut turns = |rounds| {
        [
            buffers.turn(rounds, |src, dst| cast(src, dst).expect("one length")),
            buffers.turn(rounds, |src, dst| {
                dynamic
                    .run(bytemuck::cast_slice(src), bytemuck::cast_slice_mut(dst))
                    .expect("one length");
            }),
            buffers.turn(rounds, plain),
            buffers.turn(rounds, native),
        ]
    };
    // The first turns find the caches empty, and the second ones tell how long a round takes. What happens once a turn,
    // when branches turn out otherwise than in the one before, is not to show in the quickest.
    turns(2);
    let call = turns(2).into_iter().fold(f64::MAX, f64::min);
    let rounds = (TURN.as_nanos() as f64 / (call * windows as f64)).ceil().max(1.0) as usize;
    let mut least = [f64::MAX; 4];
    let (start, mut taken) = (Instant::now(), 0);
    while taken < TURNS || start.elapsed() < time {
        for (least, now) in least.iter_mut().zip(turns(rounds)) {
            *least = least.min(now);
        }
        taken += 1;
    }
    least
}

/// A pair's name, and how it is measured at a length.
struct Pair {
    from: DType,
    to: DType,
    measure: fn(usize) -> Times,
}

macro_rules! all_pairs {
    ($($from:ident)*) => {
        [$(all_pairs!(@from $from, [i8 i16 i32 i64 u8 u16 u32 u64 f32 f64])),*]
    };
    (@from $from:ident, [$($to:ident)*]) => {
        [$(Pair { from: $from::DTYPE, to: $to::DTYPE, measure: measure::<$from, $to> }),*]
    };
}

/// How a cast is called, and which of [`Times`] is its.
const CASTS: [(&str, usize); 2] = [("cast", 0), ("Cast::run", 1)];

/// The loops, and which of [`Times`] is theirs.
const LOOPS: [(&str, usize); 2] = [("as", 2), ("native", 3)];

/// From how much more than the loop's time on a pair is listed by name, and by how many ns.
const LISTED: (f64, f64) = (1.05, 0.3);

/// Prints time of the cast / time of a plain loop for every pair, and the pairs behind.
fn print_ratios(pairs: &[[Pair; 10]; 10], times: &[[Option<Times>; 10]; 10], n: usize) {
    let isa = isa::current().name();
    for ((name, ours), (other, theirs)) in
        CASTS.iter().flat_map(|cast| LOOPS.map(|one| (cast, one)))
    {
        println!("\ntime of {name} ({isa}) / time of the loop ({other}), {n} elements");
        println!("{:>8}{}", "", pairs[0].each_ref().map(|pair| format!("{:>8}", pair.to)).concat());
        let (mut logs, mut behind) = (Vec::new(), Vec::new());
        for (pairs, times) in pairs.iter().zip(times) {
            print!("{:>8}", pairs[0].from);
            for (pair, times) in pairs.iter().zip(times) {
                let Some(times) = times else {
                    print!("{:>8}", "-");
                    continue;
                };
                let (ours, theirs) = (times[*ours], times[theirs]);
                print!("{:>8.2}", ours / theirs);
                logs.push((ours / theirs).ln());
                if ours > theirs * LISTED.0 && ours > theirs + LISTED.1 {
                    behind.push(format!(
                        "{} -> {} ({ours:.1} of {theirs:.1} ns)",
                        pair.from, pair.to
                    ));
                }
            }
            println!();
        }
        let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        println!(
            "geometric mean {mean:.2}; {} of {} behind: {}",
            behind.len(),
            logs.len(),
            behind.join(", ")
        );
    }
}

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let pairs = all_pairs!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    for n in LENGTHS {
        let times = pairs.each_ref().map(|row| {
            row.each_ref().map(|pair| {
                let name = format!("{}-{}/{n}", pair.from, pair.to);
                name.contains(&filter).then(|| (pair.measure)(n))
            })
        });
        if times.iter().flatten().any(Option::is_some) {
            print_ratios(&pairs, &times, n);
        }
    }
}
