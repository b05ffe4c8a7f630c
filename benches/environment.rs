//! What it costs that a cast's bits don't depend on the floating-point environment: the time of a call
//! that does not look at the environment, of one that looks and finds the default, and of one that
//! finds another, runs in the default, and puts the caller's back.
//!
//! ```text
//! cargo bench --bench environment
//! ```
//!
//! A pair whose kernel does not depend on the environment never looks: its times are the same.

#[path = "../tests/support/environment.rs"]
#[allow(dead_code)] // It is for environments in which exceptions trap, too.
mod environment;

use environment::Environment;
use simdcast::DType::{self, BFloat16, Float16, Float32, Float64, Int32, UInt8};
use simdcast::isa::levels;
use simdcast_kernels::{Kernel, Options};
use std::hint::black_box;
use std::time::Instant;

const LENGTHS: [usize; 3] = [1, 64, 4096];

const PAIRS: [(DType, DType); 6] = [
    (Float32, BFloat16),
    (Int32, Float32),
    (Float32, Int32),
    (Float64, Float32),
    (Float16, Float32),
    (UInt8, Float32),
];

/// The least of so many takes, by turns: what else the machine does only adds.
const TAKES: usize = 41;

/// Nanoseconds a call, of a kernel that doesn't look, of one that does, and of that in another
/// environment.
fn measure(kernel: Kernel, other: Environment, n: usize) -> [f64; 3] {
    let src = vec![0u8; kernel.from().bytes_for(n).unwrap()];
    let mut dst = vec![0u8; kernel.to().bytes_for(n).unwrap()];
    let calls = 200_000 / (n + 20);
    let mut take = |kernel: &Kernel| {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(kernel).run(black_box(&src), black_box(&mut dst), n).unwrap();
        }
        start.elapsed()
    };
    let mut best = [f64::MAX; 3];
    for _ in 0..TAKES {
        let elapsed = [take(&kernel.unguarded()), take(&kernel), other.within(|| take(&kernel)).0];
        for (best, elapsed) in best.iter_mut().zip(elapsed) {
            *best = best.min(elapsed.as_nanos() as f64 / calls as f64);
        }
    }
    best
}

fn main() {
    let environments = Environment::all();
    let [_, .., other] = environments[..] else {
        println!("There is no other environment here.");
        return;
    };
    println!(
        "nanoseconds a call: not looking / looking, in the default environment / in {other:?}"
    );
    println!("{:14}{:20}{}", "level", "pair", LENGTHS.map(|n| format!("{n:>22}")).concat());
    for level in levels().iter().filter(|level| level.is_available()) {
        for (from, to) in PAIRS {
            let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
            let times = LENGTHS.map(|n| {
                let [blind, looking, elsewhere] = measure(kernel, other, n);
                format!("{blind:>8.1}{looking:>7.1}{elsewhere:>7.1}")
            });
            let looks = if kernel.is_guarded() { "" } else { " (never looks)" };
            let pair = format!("{from} {to}");
            println!("{:14}{pair:20}{}{looks}", level.name(), times.concat());
        }
    }
}
