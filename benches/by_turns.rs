//! What one way of large casts costs over another: several threads, stores past the caches, fresh memory, elements
//! that lie apart, the other byte order, numbers out of the ordinary, streams. Each table is measured in one run, its columns by turns, which
//! criterion, the harness of the bench `bulk`, doesn't do.
//!
//! ```text
//! cargo bench --bench by_turns --features rayon            # all tables
//! cargo bench --bench by_turns --features rayon -- threads stores fresh strided orders numbers streams
//! ```

#[path = "casts/large.rs"]
mod large;

use large::{OTHER, PAIRS, elements, human, layouts, par_memcpy, some_bytes};
use simdcast::{
    ByteOrder, Cast, CastOptions, CastReader, CastWriter, DType, Element, Kind, Rounding,
    StridedView, StridedViewMut, cast, cast_vec, par_cast_vec,
};
use simdcast_kernels::{InOrder, Kernel, Options, Stores};
use std::hint::black_box;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// For how long a row is measured.
const TIME: Duration = Duration::from_millis(1500);

/// The least time of each of some actions, which are done in turns, and each at least five times.
fn least(actions: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut best = vec![f64::MAX; actions.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 5 || start.elapsed() < TIME {
        for (action, best) in actions.iter_mut().zip(&mut best) {
            let start = Instant::now();
            action();
            *best = best.min(start.elapsed().as_secs_f64());
        }
        rounds += 1;
    }
    best
}

fn row(name: &str, figures: impl IntoIterator<Item = f64>) {
    print!("{name:<44}");
    for figure in figures {
        print!("{figure:>12.2}");
    }
    println!();
}

fn head(title: &str, columns: &[&str]) {
    println!("\n{title}");
    print!("{:<44}", "");
    for column in columns {
        print!("{column:>12}");
    }
    println!();
}

/// One thread and all of them, against memcpy of as many bytes.
fn threads() {
    let count = rayon::current_num_threads();
    let all = format!("x{count}");
    head(
        &format!("Threads: GB/s of source and destination, and all {count} threads over one"),
        &["memcpy", &format!("memcpy {all}"), "cast", &format!("cast {all}"), "gain", "to memcpy"],
    );
    for bytes in [256 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 64 << 20, 1 << 30] {
        for (from, to) in PAIRS {
            let n = elements(from, to, bytes);
            let kernel = Cast::new(from, to, CastOptions::new()).unwrap();
            let src = some_bytes(from.bytes_for(n).unwrap());
            let mut dst = vec![0; to.bytes_for(n).unwrap()];
            let mut dst2 = dst.clone();
            let half = some_bytes(bytes / 2);
            let (mut copy, mut copy2) = (half.clone(), half.clone());
            let times = least(&mut [
                &mut || copy.copy_from_slice(black_box(&half)),
                &mut || par_memcpy(black_box(&half), &mut copy2),
                &mut || kernel.run(black_box(&src), &mut dst).unwrap(),
                &mut || kernel.par_run(black_box(&src), &mut dst2).unwrap(),
            ]);
            let speed = times.iter().map(|time| bytes as f64 / time / 1e9);
            let ratios = [times[2] / times[3], times[1] / times[3]];
            row(&format!("{}: {from} -> {to}", human(bytes)), speed.chain(ratios));
        }
    }
}

/// Stores through the caches and past them.
fn stores() {
    head("Stores: GB/s of source and destination", &["cached", "streaming", "auto", "gain"]);
    for bytes in [1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30] {
        for (from, to) in PAIRS {
            let n = elements(from, to, bytes);
            let src = some_bytes(from.bytes_for(n).unwrap());
            let mut dst = vec![0; to.bytes_for(n).unwrap()];
            let kernel = Kernel::new(from, to, &Options::DEFAULT);
            let mut take = |stores| {
                let kernel = kernel.with_stores(stores);
                kernel.run(black_box(&src), &mut dst, n).unwrap();
            };
            let mut best = [f64::MAX; 3];
            let start = Instant::now();
            while start.elapsed() < 2 * TIME {
                let kinds = [Stores::Cached, Stores::Streaming, Stores::Auto];
                for (stores, best) in kinds.into_iter().zip(&mut best) {
                    // What the other kind has left in the caches is none of this one's.
                    take(stores);
                    let start = Instant::now();
                    take(stores);
                    *best = best.min(start.elapsed().as_secs_f64());
                }
            }
            let speed = best.map(|time| bytes as f64 / time / 1e9);
            let name = format!("{}: {from} -> {to}", human(bytes));
            row(&name, speed.into_iter().chain([speed[1] / speed[0]]));
        }
    }
}

fn fresh_of<A: Element, B: Element + bytemuck::Pod>(
    n: usize,
    one: impl Fn(A) -> B,
    src: &[A],
    zero: B,
) {
    let bytes = n * (size_of::<A>() + size_of::<B>());
    let mut there = vec![zero; n];
    let streamed =
        Kernel::new(A::DTYPE, B::DTYPE, &Options::DEFAULT).with_stores(Stores::Streaming);
    let times = least(&mut [
        &mut || cast(black_box(src), &mut there).unwrap(),
        &mut || drop(black_box(cast_vec::<A, B>(src))),
        &mut || drop(black_box(streamed.collect::<B>(A::bytes(src), n))),
        &mut || drop(black_box(par_cast_vec::<A, B>(src))),
        &mut || {
            let mut zeroed = vec![zero; n];
            cast(src, &mut zeroed).unwrap();
            drop(black_box(zeroed));
        },
        &mut || drop(black_box(src.iter().map(|&value| one(value)).collect::<Vec<B>>())),
    ]);
    let name = format!("{}: {} -> {}", human(bytes), A::DTYPE, B::DTYPE);
    row(&name, times.iter().map(|time| bytes as f64 / time / 1e9));
}

/// Into memory that was just allocated.
fn fresh() {
    head(
        "Fresh memory: GB/s of source and destination",
        &["there", "cast_vec", "streamed", "par_cast_vec", "zeroed first", "map.collect"],
    );
    for n in [1 << 16, 1 << 20, 16 << 20, 128 << 20] {
        let bytes: Vec<u8> = some_bytes(n);
        fresh_of(n, |value: u8| f32::from(value), &bytes, 0f32);
        let floats: Vec<f32> = cast_vec(&bytes);
        fresh_of(n, half::f16::from_f32, &floats, half::f16::ZERO);
        fresh_of(n, |value: f32| value as i32, &floats, 0i32);
    }
}

/// Elements that lie apart, against as many that don't.
fn strided() {
    head(
        "Strided: ns an element, and contiguous over strided",
        &["contiguous", "strided", "ratio"],
    );
    for (from, to) in PAIRS {
        let kernel = Kernel::new(from, to, &Options::DEFAULT);
        let (a, b) = (from.bits() / 8, to.bits() / 8);
        for side in [256, 4096] {
            let n = side * side;
            let src = some_bytes(2 * n * a);
            let (mut dst, mut flat) = (vec![0; 2 * n * b], vec![0; n * b]);
            for layout in layouts(from, to, side) {
                let m = layout.shape[0] * layout.shape[1];
                let times = least(&mut [
                    &mut || kernel.run(black_box(&src[..m * a]), &mut flat[..m * b], m).unwrap(),
                    &mut || layout.cast(&kernel, &src, &mut dst, &InOrder),
                ]);
                let figures = times.iter().map(|time| time * 1e9 / m as f64);
                let name = format!("{}, {m}: {from} -> {to}", layout.name);
                row(&name, figures.chain([times[0] / times[1]]));
            }
        }
    }
    turned_over();
    near();
}

/// Slices with steps, rows with gaps, and images whose channels lie next to each other or apart.
fn near() {
    use DType::{Float16, Float32, Float64, UInt8};
    const N: usize = 1 << 20;
    const ROWS: isize = 480;
    const COLS: isize = 640;
    let image = vec![3, ROWS as usize, COLS as usize];
    let apart = |size: isize| vec![ROWS * COLS * size, COLS * size, size];
    let together = |size: isize| vec![size, 3 * COLS * size, 3 * size];
    let slice = |src: isize, dst: isize| (vec![N], vec![src], vec![dst]);
    for (name, from, to, (shape, src, dst)) in [
        ("channels taken apart", UInt8, Float32, (image.clone(), together(1), apart(4))),
        ("channels put together", Float32, UInt8, (image, apart(4), together(1))),
        ("three channels of four", UInt8, Float32, (vec![N, 3], vec![4, 1], vec![12, 4])),
        ("every second one", UInt8, Float32, slice(2, 4)),
        ("every second one", Float32, Float16, slice(8, 2)),
        ("every second one", Float64, Float32, slice(16, 4)),
        ("into every second place", Float32, Float16, slice(4, 4)),
        ("backward", UInt8, Float32, slice(-1, 4)),
        ("backward", Float32, Float16, slice(-4, 2)),
        (
            "rows of five, three left out",
            Float32,
            Float16,
            (vec![N / 5, 5], vec![32, 4], vec![10, 2]),
        ),
    ] {
        let kernel = Kernel::new(from, to, &Options::DEFAULT);
        let n = shape.iter().product();
        // The bytes that a side takes, and those before its first element.
        let memory = |strides: &[isize], size: usize| {
            let reach = |(&len, &step): (&usize, &isize)| (len - 1) * step.unsigned_abs();
            let back = |(_, step): &(&usize, &isize)| **step < 0;
            let ways = || shape.iter().zip(strides);
            (ways().map(reach).sum::<usize>() + size, ways().filter(back).map(reach).sum::<usize>())
        };
        let ((len, first), (room, start)) =
            (memory(&src, from.bits() / 8), memory(&dst, to.bits() / 8));
        let (source, mut target) = (some_bytes(len), vec![0; room]);
        let view = StridedView::new(from, &source, first, &shape, &src).unwrap();
        let mut out = StridedViewMut::new(to, &mut target, start, &shape, &dst).unwrap();
        let (flat, mut flat_out) = (some_bytes(n * from.bits() / 8), vec![0; n * to.bits() / 8]);
        let times = least(&mut [
            &mut || kernel.run(black_box(&flat), &mut flat_out, n).unwrap(),
            &mut || kernel.run_strided(black_box(&view), &mut out, &InOrder).unwrap(),
        ]);
        let figures = times.iter().map(|time| time * 1e9 / n as f64);
        row(&format!("{name}: {from} -> {to}"), figures.chain([times[0] / times[1]]));
    }
}

/// Matrices turned over of which one axis has to stay innermost, as elements are packed there or drawn for one after the other;
/// and batches of small ones.
fn turned_over() {
    use DType::{BFloat16, Float32, UInt4x2};
    const SIDE: usize = 4096;
    let draws = Options { rounding: Rounding::Stochastic { seed: 1 }, ..Options::DEFAULT };
    let turned = |shape: &[usize], size: usize| {
        let mut strides = strides(shape, size);
        let last = shape.len() - 1;
        strides[last - 1] = size as isize;
        strides[last] = (size * shape[last - 1]) as isize;
        strides
    };
    let matrix = vec![SIDE, SIDE];
    let batch = |side| vec![SIDE, side, side];
    for (from, to, options, shape, into) in [
        (Float32, UInt4x2, Options::DEFAULT, matrix.clone(), false),
        (UInt4x2, Float32, Options::DEFAULT, matrix.clone(), true),
        (Float32, BFloat16, draws, matrix, false),
        (Float32, BFloat16, Options::DEFAULT, batch(2), false),
        (Float32, BFloat16, Options::DEFAULT, batch(4), false),
        (Float32, BFloat16, Options::DEFAULT, batch(16), false),
    ] {
        let kernel = Kernel::new(from, to, &options);
        let n = shape.iter().product();
        let src = some_bytes(from.bytes_for(n).unwrap());
        let mut dst = vec![0; to.bytes_for(n).unwrap()];
        let mut flat = dst.clone();
        let size = |dtype: DType| dtype.size().unwrap_or(1);
        let view = if into {
            StridedView::contiguous(from, &src, &shape)
        } else {
            StridedView::new(from, &src, 0, &shape, &turned(&shape, size(from)))
        };
        let view = view.unwrap();
        let target = if into {
            StridedViewMut::new(to, &mut dst, 0, &shape, &turned(&shape, size(to)))
        } else {
            StridedViewMut::contiguous(to, &mut dst, &shape)
        };
        let mut target = target.unwrap();
        let times =
            least(&mut [&mut || kernel.run(black_box(&src), &mut flat, n).unwrap(), &mut || {
                kernel.run_strided(black_box(&view), &mut target, &InOrder).unwrap()
            }]);
        let figures = times.iter().map(|time| time * 1e9 / n as f64);
        let draws = if options.is_default() { "" } else { ", drawn" };
        let name = format!("turned {shape:?}: {from} -> {to}{draws}");
        row(&name, figures.chain([times[0] / times[1]]));
    }
}

/// The bytes from an element to the next where they lie one after the other.
fn strides(shape: &[usize], size: usize) -> Vec<isize> {
    let mut strides = vec![size as isize; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as isize;
    }
    strides
}

/// Memory in which elements lie at several places by turns, a number of pages apart. (At some of them a loop has been seen to
/// take up to twice as long as at others, as by the toss of a coin.)
struct Places {
    memory: Vec<u8>,
    first: usize,
    step: usize,
    len: usize,
}

impl Places {
    const COUNT: usize = 16;
    const PAGE: usize = 4096;

    fn new(len: usize, pages: usize) -> Self {
        let step = pages * Self::PAGE;
        let memory = vec![0; len + Self::COUNT * step];
        let first = memory.as_ptr().align_offset(Self::PAGE);
        Self { memory, first, step, len }
    }

    /// The place of a turn.
    fn at(&mut self, turn: usize) -> &mut [u8] {
        let first = self.first + turn % Self::COUNT * self.step;
        &mut self.memory[first..first + self.len]
    }
}

/// The other byte order, against the machine's own.
fn orders() {
    const N: usize = 65536;
    head(
        "Byte order, 65536 elements: ns an element, and over native",
        &["native", "source", "results", "both", "source", "results", "both"],
    );
    let (mut worst, mut over) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
    for (from, to) in DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|b| (a, b))) {
        let native = Cast::new(from, to, CastOptions::new()).unwrap();
        let own = ByteOrder::Native;
        let kinds = [(own, own), (OTHER, own), (own, OTHER), (OTHER, OTHER)]
            .map(|(source, results)| native.with_byte_order(source, results));
        if kinds[3].kernel_name() == native.kernel_name() {
            continue;
        }
        // (The same numbers in either order: some loops take longer for some numbers.)
        let numbers = some_bytes(from.bytes_for(N).unwrap());
        let mut turned = numbers.clone();
        if let width @ 2.. = from.bits() / 8 / if from.is_complex() { 2 } else { 1 } {
            turned.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        let mut source = Places::new(numbers.len(), 3);
        let mut results = Places::new(to.bytes_for(N).unwrap(), 5);
        let mut best = [f64::MAX; 4];
        for turn in 0..4 * Places::COUNT {
            let (src, dst) = (source.at(turn), results.at(turn));
            for (numbers, of_it) in [(&numbers, [0, 2]), (&turned, [1, 3])] {
                src.copy_from_slice(numbers);
                for kind in of_it {
                    kinds[kind].run_n(black_box(&*src), dst, N).unwrap();
                    let start = Instant::now();
                    kinds[kind].run_n(black_box(&*src), dst, N).unwrap();
                    best[kind] = best[kind].min(start.elapsed().as_secs_f64());
                }
            }
        }
        // (A side that has no order is as it is.)
        let ratios = [1, 2, 3].map(|kind| best[kind] / best[0]);
        let differs = |kind: usize| {
            let name = kinds[kind].kernel_name();
            (0..kind).all(|before| kinds[before].kernel_name() != name)
        };
        for (kind, over) in over.iter_mut().enumerate() {
            if differs(kind + 1) {
                over.push(ratios[kind]);
            }
        }
        let most = ratios.into_iter().fold(0.0, f64::max);
        let figures = best.map(|time| time * 1e9 / N as f64);
        worst.push((most, format!("{from} -> {to}"), figures, ratios));
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let over_bar = worst.iter().filter(|pair| pair.0 > 1.3).count();
    for (_, name, figures, ratios) in worst.iter().take(over_bar.max(40)) {
        row(name, figures.iter().chain(ratios).copied());
    }
    for (name, ratios) in ["source", "results", "both"].iter().zip(&over) {
        let more = |bar| ratios.iter().filter(|&&ratio| ratio > bar).count();
        let (all, far, further) = (ratios.len(), more(1.3), more(1.5));
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / all as f64).exp();
        println!(
            "{name}: {all} pairs; more than 1.3 times: {far}; 1.5 times: {further}; mean {mean:.3}"
        );
    }
}

/// Buffers in which one number of sixteen is such as some CPUs, or some loops, take long for, against ordinary ones.
fn numbers() {
    const N: usize = 65536;
    head(
        "One number of 16 out of the ordinary, 65536 elements: ns an element without, and over that",
        &["ordinary", "subnormal", "tiny", "NaN", "infinity", "large"],
    );
    let mut worst = Vec::new();
    for (from, to) in DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|b| (a, b))) {
        if !matches!(from.kind(), Kind::Float) || from.bits() < 16 || from.is_complex() {
            continue;
        }
        let cast = Cast::new(from, to, CastOptions::new()).unwrap();
        let of = |numbers: &[f64]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            let mut stored = vec![0; from.bytes_for(numbers.len()).unwrap()];
            Cast::new(DType::Float64, from, CastOptions::new())
                .unwrap()
                .run(&bytes, &mut stored)
                .unwrap();
            stored
        };
        let bytes = some_bytes(2 * N);
        let ordinary: Vec<f64> = bytes[..N].iter().map(|&byte| f64::from(byte as i8)).collect();
        let mut sources = vec![of(&ordinary)];
        let smallest = match from {
            DType::Float64 => f64::from_bits(77),
            DType::Float16 => 5e-7,
            _ => 1e-40,
        };
        // (What is tiny is a subnormal number of some destinations.)
        for other in [smallest, 1e-6, f64::NAN, f64::INFINITY, 6e4] {
            let numbers = ordinary.iter().zip(&bytes[N..]);
            let numbers =
                numbers.map(|(&number, byte)| if byte % 16 == 0 { other } else { number });
            sources.push(of(&numbers.collect::<Vec<_>>()));
        }
        let mut dst = vec![0; to.bytes_for(N).unwrap()];
        let mut best = [f64::MAX; 6];
        for _ in 0..40 {
            for (src, best) in sources.iter().zip(&mut best) {
                cast.run(src, &mut dst).unwrap();
                let start = Instant::now();
                cast.run(black_box(src), &mut dst).unwrap();
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        let ratios = [1, 2, 3, 4, 5].map(|kind| best[kind] / best[0]);
        let most = ratios.into_iter().fold(0.0, f64::max);
        worst.push((most, format!("{from} -> {to}"), best[0] * 1e9 / N as f64, ratios));
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, name, time, ratios) in &worst[..20] {
        row(name, [*time].into_iter().chain(*ratios));
    }
    let more = |bar: f64| worst.iter().filter(|(most, ..)| *most > bar).count();
    println!("{} pairs; more than 1.3 times: {}; twice: {}", worst.len(), more(1.3), more(2.0));
}

/// Readers and writers of memory, against a cast from memory to memory.
fn streams() {
    head(
        "Streams: GB/s of source and destination, and over memory to memory",
        &["memory", "reader", "buffered", "writer", "reader", "buffered", "writer"],
    );
    for (from, to) in PAIRS {
        for n in [65536, 4 << 20] {
            let cast = Cast::new(from, to, CastOptions::new()).unwrap();
            let src = some_bytes(from.bytes_for(n).unwrap());
            let mut dst = vec![0; to.bytes_for(n).unwrap()];
            let (mut read, mut buffered, mut written) = (dst.clone(), dst.clone(), dst.clone());
            let times = least(&mut [
                &mut || cast.run(black_box(&src), &mut dst).unwrap(),
                &mut || CastReader::new(cast, black_box(&src[..])).read_exact(&mut read).unwrap(),
                &mut || {
                    let mut reader = CastReader::buffered(cast, black_box(&src[..]));
                    reader.read_exact(&mut buffered).unwrap();
                },
                &mut || {
                    let mut writer = CastWriter::new(cast, &mut written[..]);
                    writer.write_all(black_box(&src)).unwrap();
                    writer.finish().unwrap();
                },
            ]);
            let bytes = src.len() + dst.len();
            let speed = times.iter().map(|time| bytes as f64 / time / 1e9);
            let ratios = times[1..].iter().map(|time| times[0] / time);
            row(&format!("{n}: {from} -> {to}"), speed.chain(ratios));
        }
    }
}

fn main() {
    let named: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let tables: [(&str, fn()); 7] = [
        ("threads", threads),
        ("stores", stores),
        ("fresh", fresh),
        ("strided", strided),
        ("orders", orders),
        ("numbers", numbers),
        ("streams", streams),
    ];
    if let Some(unknown) = named.iter().find(|name| tables.iter().all(|(known, _)| known != name)) {
        eprintln!("no table is called {unknown:?}: {}", tables.map(|(name, _)| name).join(", "));
        std::process::exit(2);
    }
    for (name, table) in tables {
        if named.is_empty() || named.iter().any(|wanted| wanted == name) {
            table();
        }
    }
}
