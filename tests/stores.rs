//! Results that are streamed past the caches, or cut into parts: the same bits, by what the level in use streams with.

mod support;

use simdcast_kernels::{Kernel, Options, Stores, dispatch};
use support::guarded::Guarded;
use support::{Parts, Tally, noise, on_every_level, pairs, values};

/// Of every third pair, or fewer where values are thinned out: what is tested is around the kernels.
#[test]
fn streamed_or_in_parts_results_are_the_same() {
    let step = if values::stride() > 1 { 47 } else { 3 };
    let jobs: Vec<_> = pairs().step_by(step).collect();
    on_every_level(&jobs, |level, &(from, to)| {
        // (All threads are at one level, and this is all that the process does.)
        dispatch::set(level.name()).unwrap();
        let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
        let n = (1 << 23) / (from.bits() + to.bits()) + 77;
        let source: Vec<u8> = (0..from.bytes_for(n).unwrap() as u64 / 8 + 1)
            .flat_map(|i| noise(i).to_ne_bytes())
            .take(from.bytes_for(n).unwrap())
            .collect();
        let mut right = vec![0; to.bytes_for(n).unwrap()];
        let result = kernel.with_stores(Stores::Cached).run(&source, &mut right, n);
        assert_eq!(result, Ok(()));
        let mut runs = 0;
        for offset in [0, 1, 16, 60] {
            for (stores, parts) in
                [(Stores::Streaming, 1), (Stores::Streaming, 3), (Stores::Auto, 5)]
            {
                let mut dst = Guarded::new(right.len(), offset);
                let kernel = kernel.with_stores(stores);
                let result = kernel.run_in_parts(&source, dst.bytes(), n, &Parts(parts));
                if result.is_err() || dst.bytes() != right || !dst.untouched() {
                    return Err(format!("{kernel:?}: {stores:?}, {parts} parts, offset {offset}"));
                }
                runs += 1;
            }
        }
        Ok(Tally { pairs: 1, options: 1, values: runs })
    });
}
