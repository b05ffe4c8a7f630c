//! Every pair of dtypes on every instruction set, in the L1 and in the L2 cache, in GB/s:
//!
//! ```text
//! cargo bench --bench pairs                                  all 19 360 on a CPU with five (20 minutes)
//! cargo bench --bench pairs -- avx2/65536/float32            some, by a part of ISA/ELEMENTS/FROM-TO
//! ```
//!
//! (To know how a cast stands to memcpy, ask the example `matrix`, which times the two by turns.)

mod casts;

use simdcast::{CastOptions, DType, isa};

fn main() {
    let mut criterion = casts::criterion();
    for level in isa::available().map(|level| level.name()) {
        isa::set(level).expect("the CPU has it");
        for n in [4096, 65536] {
            let mut group = criterion.benchmark_group(format!("{level}/{n}"));
            for from in DType::ALL {
                for to in DType::ALL {
                    let options = CastOptions::new();
                    casts::bench(&mut group, &format!("{from}-{to}"), (from, to, n), options);
                }
            }
            group.finish();
        }
    }
    criterion.final_summary();
}
