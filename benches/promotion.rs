//! What it costs to ask where dtypes meet, and to get the casts that bring them there.
//!
//! ```text
//! cargo bench --bench promotion
//! ```

use simdcast::promotion::{Operand, System, plan, resolve, resolve_all};
use simdcast::{CastOptions, DType};
use std::hint::black_box;
use std::time::Instant;

/// The least of so many takes: what else the machine does only adds.
const TAKES: usize = 41;

/// Every pair of dtypes, in an order that no branch predictor knows.
fn pairs() -> Vec<(DType, DType)> {
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

/// Nanoseconds a call, over all pairs.
fn nanoseconds(pairs: &[(DType, DType)], mut call: impl FnMut(DType, DType)) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..TAKES {
        let start = Instant::now();
        for (a, b) in pairs {
            call(*a, *b);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / pairs.len() as f64);
    }
    best
}

fn main() {
    let pairs = pairs();
    println!("ns a call, over all {} pairs in random order", pairs.len());
    println!("{:<24}{:>9}{:>9}{:>17}", "system", "resolve", "plan", "three operands");
    for system in System::ALL {
        let (system, options) = (black_box(system), CastOptions::new());
        let resolved = nanoseconds(&pairs, |a, b| {
            black_box(resolve(system, a, b));
        });
        // Where there is no answer, an error is made, which takes longer and is not in question.
        let met: Vec<_> =
            pairs.iter().copied().filter(|(a, b)| resolve(system, *a, *b).is_some()).collect();
        let planned = nanoseconds(&met, |a, b| {
            black_box(plan(system, a, b, options).is_ok());
        });
        let several = nanoseconds(&pairs, |a, b| {
            let operands: [Operand; 3] = [a.into(), b.into(), a.into()];
            black_box(resolve_all(system, &operands));
        });
        println!("{:<24}{resolved:>9.1}{planned:>9.1}{several:>17.1}", system.name());
    }
}
