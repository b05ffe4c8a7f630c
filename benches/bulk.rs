//! Large casts, in GB/s: by one thread and by all, of elements that lie apart, in the other byte order, into fresh
//! memory, through readers and writers.
//!
//! ```text
//! cargo bench --bench bulk --features rayon [-- FILTER]       by a part of WHAT/SIZE/FROM-TO/HOW
//! ```
//!
//! (What one way costs over another is told by the bench `by_turns`, which times the two by turns.)

#[path = "casts/large.rs"]
mod large;
#[path = "casts/quick.rs"]
mod quick;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use large::{OTHER, PAIRS, elements, human, layouts, par_memcpy, some_bytes};
use simdcast::{
    ByteOrder, Cast, CastOptions, CastReader, CastWriter, DType, cast_vec, par_cast_vec,
};
use simdcast_kernels::{InOrder, Kernel, Options};
use std::hint::black_box;
use std::io::{Read, Write};

/// A group of `n` elements, and its buffers: made once, and only when the first of it is not left out by a filter.
struct Large<'c> {
    group: BenchmarkGroup<'c, WallTime>,
    sizes: [usize; 2],
    buffers: Option<(Vec<u8>, Vec<u8>)>,
}

impl<'c> Large<'c> {
    /// `room` is how many times as large as the elements the buffers are.
    fn new(
        c: &'c mut Criterion,
        name: String,
        pair: (DType, DType),
        n: usize,
        room: usize,
    ) -> Self {
        let sizes = [pair.0, pair.1].map(|dtype| dtype.bytes_for(n).expect("it is in memory"));
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::BytesDecimal((sizes[0] + sizes[1]) as u64));
        Self { group, sizes: sizes.map(|size| size * room), buffers: None }
    }

    fn bench(&mut self, name: &str, mut action: impl FnMut(&[u8], &mut [u8])) {
        let ([from, to], buffers) = (self.sizes, &mut self.buffers);
        self.group.bench_function(name, |bencher| {
            let (src, dst) = buffers.get_or_insert_with(|| (some_bytes(from), vec![0; to]));
            bencher.iter(|| action(black_box(src), black_box(dst)));
        });
    }
}

fn plain(from: DType, to: DType) -> Cast {
    Cast::new(from, to, CastOptions::new()).expect("options of every pair")
}

/// One thread and all of them, against memcpy of as many bytes.
fn threads(c: &mut Criterion) {
    for bytes in [256 << 10, 4 << 20, 64 << 20, 1 << 30] {
        let mut group = Large::new(
            c,
            format!("threads/{}/memcpy", human(bytes)),
            (DType::UInt8, DType::UInt8),
            bytes / 2,
            1,
        );
        group.bench("one", |src, dst| dst.copy_from_slice(src));
        group.bench("all", par_memcpy);
        drop(group);
        for (from, to) in PAIRS {
            let name = format!("threads/{}/{from}-{to}", human(bytes));
            let mut group = Large::new(c, name, (from, to), elements(from, to, bytes), 1);
            let cast = plain(from, to);
            group.bench("one", |src, dst| cast.run(src, dst).unwrap());
            group.bench("all", |src, dst| cast.par_run(src, dst).unwrap());
        }
    }
}

/// Elements that lie apart, in buffers with room for twice as many.
fn strided(c: &mut Criterion) {
    for side in [256, 4096] {
        for (from, to) in PAIRS {
            let n = side * side;
            let name = format!("strided/{side}x{side}/{from}-{to}");
            let mut group = Large::new(c, name, (from, to), n, 2);
            let kernel = Kernel::new(from, to, &Options::DEFAULT);
            group.bench("contiguous", |src, dst| {
                let (from, to) = (src.len() / 2, dst.len() / 2);
                kernel.run(&src[..from], &mut dst[..to], n).unwrap();
            });
            for layout in layouts(from, to, side) {
                let name = layout.name.replace(' ', "-");
                group.bench(&name, |src, dst| layout.cast(&kernel, src, dst, &InOrder));
            }
        }
    }
}

/// The other byte order, on either side and on both.
fn orders(c: &mut Criterion) {
    const N: usize = 65536;
    for (from, to) in PAIRS {
        let mut group = Large::new(c, format!("orders/{N}/{from}-{to}"), (from, to), N, 1);
        let own = ByteOrder::Native;
        for (name, source, destination) in [
            ("native", own, own),
            ("source", OTHER, own),
            ("destination", own, OTHER),
            ("both", OTHER, OTHER),
        ] {
            let cast = plain(from, to).with_byte_order(source, destination);
            group.bench(name, |src, dst| cast.run(src, dst).unwrap());
        }
    }
}

/// Memory that was just allocated, against memory that was there.
fn fresh(c: &mut Criterion) {
    for n in [1 << 16, 1 << 20, 16 << 20, 128 << 20] {
        let name = format!("fresh/{n}/float32-float16");
        let mut group = Large::new(c, name, (DType::Float32, DType::Float16), n, 1);
        let cast = plain(DType::Float32, DType::Float16);
        group.bench("there", |src, dst| cast.run(src, dst).unwrap());
        let made = |halves: Vec<half::f16>| drop(black_box(halves));
        group.bench("cast_vec", |src, _| made(cast_vec(floats(src))));
        group.bench("par_cast_vec", |src, _| made(par_cast_vec(floats(src))));
        group.bench("map-collect", |src, _| {
            made(floats(src).iter().map(|&value| half::f16::from_f32(value)).collect());
        });
    }
}

fn floats(bytes: &[u8]) -> &[f32] {
    bytemuck::cast_slice(bytes)
}

/// Readers and writers of memory, against a cast from memory to memory.
fn streams(c: &mut Criterion) {
    for n in [65536, 4 << 20] {
        for (from, to) in PAIRS {
            let mut group = Large::new(c, format!("streams/{n}/{from}-{to}"), (from, to), n, 1);
            let cast = plain(from, to);
            group.bench("memory", |src, dst| cast.run(src, dst).unwrap());
            group.bench("reader", |src, dst| {
                CastReader::new(cast, src).read_exact(dst).unwrap();
            });
            group.bench("buffered", |src, dst| {
                CastReader::buffered(cast, src).read_exact(dst).unwrap();
            });
            group.bench("writer", |src, dst| {
                let mut writer = CastWriter::new(cast, dst);
                writer.write_all(src).unwrap();
                writer.finish().unwrap();
            });
        }
    }
}

fn main() {
    let mut criterion = quick::criterion();
    for what in [threads, strided, orders, fresh, streams] {
        what(&mut criterion);
    }
    criterion.final_summary();
}
