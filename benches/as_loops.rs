//! Casts among integers, float32 and float64 against the plain `as` loop, compiled for the build's
//! target and, as `native`, with every vector extension that this CPU and the compiler share. Prints
//! the ratios when criterion is through:
//!
//! ```text
//! cargo bench --bench as_loops [-- FILTER]
//! SIMDCAST_ISA=scalar cargo bench --bench as_loops
//! ```
//!
//! The buffers hold values of which about one in sixteen is out of the destination's range, so that
//! neither loop learns its branches.

#[path = "casts/plain.rs"]
mod plain;

use criterion::{BenchmarkId, Criterion};
use plain::AsTo;
use simdcast::{DType, Element, cast};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What a call costs, a short one, and in the L1 cache, in the L2 cache, and far past both.
const LENGTHS: [usize; 5] = [1, 64, 4096, 65536, 1 << 24];

/// A hash (the finaliser of splitmix64).
fn noise(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

trait Number: Element + Default {
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

fn pair<A: Number + AsTo<B>, B: Number>(c: &mut Criterion) {
    let name = format!("{}-{}", A::DTYPE, B::DTYPE);
    let mut group = c.benchmark_group(&name);
    for n in LENGTHS {
        let src: Vec<A> = (0..n as u64).map(|i| A::draw(i, limit(B::DTYPE))).collect();
        let mut dst = vec![B::default(); n];
        group.bench_function(BenchmarkId::new("simdcast", n), |b| {
            b.iter(|| cast(black_box(&src), black_box(&mut dst)).unwrap())
        });
        group.bench_function(BenchmarkId::new("as", n), |b| {
            b.iter(|| A::plain(black_box(&src), black_box(&mut dst)))
        });
        if let Some(native) = A::native() {
            group.bench_function(BenchmarkId::new("native", n), |b| {
                b.iter(|| native(black_box(&src), black_box(&mut dst)))
            });
        }
    }
    group.finish();
}

macro_rules! all_pairs {
    ($c:ident, $($from:ident)*) => {
        $(all_pairs!(@from $c, $from, [i8 i16 i32 i64 u8 u16 u32 u64 f32 f64]);)*
    };
    (@from $c:ident, $from:ident, [$($to:ident)*]) => { $(pair::<$from, $to>($c);)* };
}

/// The median time that criterion has written down since `start`, in ns.
fn median(start: SystemTime, group: &str, function: &str, n: usize) -> Option<f64> {
    let root = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let file = format!("criterion/{group}/{function}/{n}/new/estimates.json");
    let file = Path::new(&root).join(file);
    if file.metadata().ok()?.modified().ok()? < start {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let median = text.split("\"median\"").nth(1)?;
    let value = median.split("\"point_estimate\":").nth(1)?;
    value.split([',', '}']).next()?.trim().parse().ok()
}

/// Prints time of the cast / time of a plain loop for every pair, a block per length.
fn print_ratios(start: SystemTime, other: &str) {
    const DTYPES: [&str; 10] = [
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
        "float64",
    ];
    let ratio = |from: &str, to: &str, n| {
        let group = format!("{from}-{to}");
        Some(median(start, &group, "simdcast", n)? / median(start, &group, other, n)?)
    };
    for n in LENGTHS {
        let measured = |from| DTYPES.iter().any(|to| ratio(from, to, n).is_some());
        if !DTYPES.into_iter().any(measured) {
            continue;
        }
        let isa = simdcast::isa::current().name();
        println!("\ntime of simdcast ({isa}) / time of the loop ({other}), {n} elements");
        println!("{:>8}{}", "", DTYPES.map(|to| format!("{to:>8}")).concat());
        let mut logs = Vec::new();
        for from in DTYPES {
            let ratios = DTYPES.map(|to| ratio(from, to, n));
            let cell =
                |ratio: Option<f64>| ratio.map_or("       -".into(), |r| format!("{r:>8.2}"));
            println!("{from:>8}{}", ratios.map(cell).concat());
            logs.extend(ratios.into_iter().flatten().map(f64::ln));
        }
        println!("geometric mean {:.2}", (logs.iter().sum::<f64>() / logs.len() as f64).exp());
    }
}

fn main() {
    let start = SystemTime::now();
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(150))
        .sample_size(20)
        .configure_from_args();
    let c = &mut criterion;
    all_pairs!(c, i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    criterion.final_summary();
    print_ratios(start, "as");
    print_ratios(start, "native");
}
