//! Casts of the numbers that the example `matrix` casts, for criterion.

#[allow(dead_code, unused_imports)] // It is for checked casts, too, and has tests, which a bench does not run.
#[path = "../../examples/matrix/data.rs"]
mod data;
mod quick;

use criterion::{BenchmarkGroup, Throughput, measurement::WallTime};
use simdcast::{Cast, CastOptions, DType};
use std::hint::black_box;

pub use quick::criterion;

/// A cast and its buffers.
pub struct Prepared {
    cast: Cast,
    n: usize,
    src: Vec<u8>,
    dst: Vec<u8>,
}

impl Prepared {
    /// None if no number is sure to fit under the options.
    pub fn new(from: DType, to: DType, n: usize, options: CastOptions) -> Option<Self> {
        let mut pool = data::Pool::new(from, to, &options)?;
        let (mut src, dst) = (vec![0; from.bytes_for(n)?], vec![0; to.bytes_for(n)?]);
        pool.draw(&mut src);
        Some(Self { cast: Cast::new(from, to, options).ok()?, n, src, dst })
    }

    pub fn run(&mut self) {
        let done = self.cast.run_n(black_box(&self.src), black_box(&mut self.dst), self.n);
        done.expect("numbers that fit");
    }
}

/// Times a cast of `n` elements, in bytes read and written. What it needs is made when it is not left out by a
/// filter, and once.
pub fn bench(
    group: &mut BenchmarkGroup<WallTime>,
    name: &str,
    (from, to, n): (DType, DType, usize),
    options: CastOptions,
) {
    let bytes = |dtype: DType| dtype.bytes_for(n).map_or(0, |bytes| bytes as u64);
    group.throughput(Throughput::BytesDecimal(bytes(from) + bytes(to)));
    let mut prepared = None;
    group.bench_function(name, |bencher| {
        let prepared = prepared.get_or_insert_with(|| {
            Prepared::new(from, to, n, options).expect("numbers that fit under the options")
        });
        bencher.iter(|| prepared.run());
    });
}
