//! Casts among integers, float32 and float64 against the plain `as` loop compiled for the same
//! target, at lengths from 64 elements up. Prints the ratios when criterion is through:
//!
//! ```text
//! cargo bench --bench as_loops [-- FILTER]
//! ```
//!
//! The buffers hold values of which about one in sixteen is out of the destination's range, so that
//! neither loop learns its branches.

use criterion::{BenchmarkId, Criterion};
use simdcast::{DType, Element, cast};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

const LENGTHS: [usize; 3] = [64, 4096, 65536];

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

fn pair<A: Number, B: Number>(c: &mut Criterion, plain: impl Fn(&[A], &mut [B])) {
    let name = format!("{}-{}", A::DTYPE, B::DTYPE);
    let mut group = c.benchmark_group(&name);
    for n in LENGTHS {
        let src: Vec<A> = (0..n as u64).map(|i| A::draw(i, limit(B::DTYPE))).collect();
        let mut dst = vec![B::default(); n];
        group.bench_function(BenchmarkId::new("simdcast", n), |b| {
            b.iter(|| cast(black_box(&src), black_box(&mut dst)).unwrap())
        });
        group.bench_function(BenchmarkId::new("as", n), |b| {
            b.iter(|| plain(black_box(&src), black_box(&mut dst)))
        });
    }
    group.finish();
}

macro_rules! all_pairs {
    ($c:ident, $($from:ident)*) => { all_pairs!(@each $c, [$($from)*], [i8 i16 i32 i64 u8 u16 u32 u64 f32 f64]); };
    (@each $c:ident, [$($from:ident)*], $to:tt) => { $(all_pairs!(@from $c, $from, $to);)* };
    (@from $c:ident, $from:ident, [$($to:ident)*]) => {$({
        #[inline(never)]
        #[allow(clippy::unnecessary_cast)]
        fn plain(src: &[$from], dst: &mut [$to]) {
            for (d, s) in dst.iter_mut().zip(src) {
                *d = *s as $to;
            }
        }
        pair::<$from, $to>($c, plain);
    })*};
}

/// The median time that criterion has written down, in ns.
fn median(group: &str, function: &str, n: usize) -> Option<f64> {
    let root = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let file = format!("criterion/{group}/{function}/{n}/new/estimates.json");
    let text = std::fs::read_to_string(Path::new(&root).join(file)).ok()?;
    let median = text.split("\"median\"").nth(1)?;
    let value = median.split("\"point_estimate\":").nth(1)?;
    value.split([',', '}']).next()?.trim().parse().ok()
}

/// Prints time of the cast / time of the `as` loop for every pair, a block per length.
fn print_ratios() {
    let dtypes = [
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
        "float64",
    ];
    for n in LENGTHS {
        println!("\ntime of simdcast / time of the plain `as` loop, {n} elements");
        print!("{:>8}", "");
        dtypes.iter().for_each(|to| print!("{to:>8}"));
        println!();
        for from in dtypes {
            print!("{from:>8}");
            for to in dtypes {
                let group = format!("{from}-{to}");
                match (median(&group, "simdcast", n), median(&group, "as", n)) {
                    (Some(ours), Some(plain)) => print!("{:>8.2}", ours / plain),
                    _ => print!("{:>8}", "-"),
                }
            }
            println!();
        }
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(150))
        .sample_size(20)
        .configure_from_args();
    let c = &mut criterion;
    all_pairs!(c, i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    criterion.final_summary();
    print_ratios();
}
