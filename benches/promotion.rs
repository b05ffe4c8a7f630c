//! What it costs to ask where dtypes meet, and to get the casts that bring them there: a call each for all pairs of
//! dtypes, in an order that no branch predictor knows.
//!
//! ```text
//! cargo bench --bench promotion [-- FILTER]        by a part of SYSTEM/CALL
//! ```

#[path = "casts/quick.rs"]
mod quick;

use criterion::{Criterion, Throughput};
use simdcast::promotion::{Operand, System, plan, resolve, resolve_all};
use simdcast::{CastOptions, DType};
use std::hint::black_box;

type Pair = (DType, DType);

fn pairs() -> Vec<Pair> {
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) % n as u64) as usize
    };
    let mut pairs: Vec<_> =
        DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|b| (a, b))).collect();
    for i in (1..pairs.len()).rev() {
        pairs.swap(i, below(i + 1));
    }
    pairs
}

/// Criterion tells calls a second: their number is the throughput.
fn bench(c: &mut Criterion, system: System, name: &str, pairs: &[Pair], call: impl Fn(Pair)) {
    let mut group = c.benchmark_group(system.name());
    group.throughput(Throughput::Elements(pairs.len() as u64));
    group.bench_function(name, |bencher| bencher.iter(|| pairs.iter().copied().for_each(&call)));
    group.finish();
}

fn main() {
    let mut criterion = quick::criterion();
    let (c, pairs, options) = (&mut criterion, pairs(), CastOptions::new());
    for system in System::ALL {
        let asked = black_box(system);
        bench(c, system, "resolve", &pairs, |(a, b)| {
            black_box(resolve(asked, a, b));
        });
        bench(c, system, "resolve_all-3", &pairs, |(a, b)| {
            let operands: [Operand; 3] = [a.into(), b.into(), a.into()];
            black_box(resolve_all(asked, &operands));
        });
        // Where there is no answer, an error is made, which takes longer and is not in question.
        let mut met = pairs.clone();
        met.retain(|(a, b)| resolve(system, *a, *b).is_some());
        bench(c, system, "plan", &met, |(a, b)| {
            black_box(plan(asked, a, b, options).is_ok());
        });
    }
    criterion.final_summary();
}
