//! Casts under each option, on every instruction set, in GB/s:
//!
//! ```text
//! cargo bench --bench options [-- FILTER]        by a part of ISA/FROM-TO/OPTION
//! ```
//!
//! (What an option costs all pairs, each by turns with its default cast, the example `matrix` tells, by
//! `--against-default`.)

mod casts;

use simdcast::{CastOptions, DType, Overflow, Rounding, isa};

const ELEMENTS: usize = 65536;

const PAIRS: [(DType, DType); 10] = [
    (DType::Float32, DType::Int8),
    (DType::Float64, DType::Int64),
    (DType::Int64, DType::Int16),
    (DType::Float32, DType::Float16),
    (DType::Float32, DType::BFloat16),
    (DType::Float64, DType::Float32),
    (DType::Float32, DType::Float8E4M3Fn),
    (DType::BFloat16, DType::Float8E5M2),
    (DType::Float8E4M3Fn, DType::Int8),
    (DType::Float32, DType::Float4E2M1FnX2),
];

fn options() -> Vec<(&'static str, CastOptions)> {
    let new = CastOptions::new;
    let mut options = vec![
        ("default", new()),
        ("saturate-no", new().saturate(false)),
        ("wrap", new().overflow(Overflow::Wrap)),
        ("saturate", new().overflow(Overflow::Saturate)),
        ("error", new().overflow(Overflow::Error)),
    ];
    let roundings = [
        Rounding::NearestEven,
        Rounding::TowardZero,
        Rounding::Up,
        Rounding::Down,
        Rounding::NearestAway,
        Rounding::Stochastic { seed: 1 },
    ];
    options.extend(roundings.map(|rounding| (rounding.name(), new().rounding(rounding))));
    options
}

fn main() {
    let mut criterion = casts::criterion();
    for level in isa::available().map(|level| level.name()) {
        isa::set(level).expect("the CPU has it");
        for (from, to) in PAIRS {
            let mut group = criterion.benchmark_group(format!("{level}/{from}-{to}"));
            for (name, options) in options() {
                casts::bench(&mut group, name, (from, to, ELEMENTS), options);
            }
            group.finish();
        }
    }
    criterion.final_summary();
}
