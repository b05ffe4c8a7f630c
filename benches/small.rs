//! What a call costs: casts of 1 to 256 elements by `cast`, between types, and by `Cast::run`, between dtypes
//! known at run time, beside the plain loop where there is one, for the build's target and for this CPU.
//!
//! ```text
//! cargo bench --bench small [-- FILTER]
//! ```

mod casts;
#[path = "casts/plain.rs"]
mod plain;

use criterion::{BenchmarkGroup, Criterion, measurement::WallTime};
use plain::AsTo;
use simdcast::{CastOptions, DType, Element, Float8E4M3Fn, cast};
use std::hint::black_box;

const LENGTHS: [usize; 14] = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 100, 256];

/// A pair of types, at all lengths.
fn typed<A: Element + Default, B: Element + Default>(
    c: &mut Criterion,
    others: impl Fn(&mut BenchmarkGroup<WallTime>, usize),
) {
    for n in LENGTHS {
        let mut group = c.benchmark_group(format!("{}-{}/{n}", A::DTYPE, B::DTYPE));
        let (src, mut dst) = (vec![A::default(); n], vec![B::default(); n]);
        group.bench_function("cast", |b| {
            b.iter(|| cast(black_box(&src), black_box(&mut dst)).expect("lengths that fit"));
        });
        casts::bench(&mut group, "run", (A::DTYPE, B::DTYPE, n), CastOptions::new());
        others(&mut group, n);
        group.finish();
    }
}

/// The same with the plain loop beside it.
fn with_loop<A: Element + Default + AsTo<B>, B: Element + Default>(c: &mut Criterion) {
    typed::<A, B>(c, |group, n| {
        let (src, mut dst) = (vec![A::default(); n], vec![B::default(); n]);
        group.bench_function("loop", |b| b.iter(|| A::plain(black_box(&src), black_box(&mut dst))));
        if let Some(native) = A::native() {
            group.bench_function("native", |b| {
                b.iter(|| native(black_box(&src), black_box(&mut dst)))
            });
        }
    });
}

fn main() {
    let mut criterion = casts::criterion();
    let c = &mut criterion;
    with_loop::<u8, f32>(c);
    with_loop::<f32, i8>(c);
    with_loop::<f64, f32>(c);
    with_loop::<i64, i32>(c);
    typed::<f32, half::f16>(c, |_, _| ());
    typed::<half::bf16, f32>(c, |_, _| ());
    typed::<f32, Float8E4M3Fn>(c, |_, _| ());
    // Packed dtypes have no types.
    for n in LENGTHS {
        let mut group = c.benchmark_group(format!("int4x2-float32/{n}"));
        casts::bench(&mut group, "run", (DType::Int4x2, DType::Float32, n), CastOptions::new());
        group.finish();
    }
    criterion.final_summary();
}
