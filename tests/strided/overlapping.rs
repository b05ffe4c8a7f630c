//! Sources whose elements overlap: what is read for one is read again for others.

use crate::forms::{Form, PAIRS, STORES, check, check_by};
use crate::support::{KINDS, Parts, Tally, effective, on_every_level, one_in};
use simdcast::DType;
use simdcast_kernels::Kernel;

/// How one dimension of a source lies.
#[derive(Clone, Copy)]
enum Lies {
    /// Around what lies further in.
    Around,
    /// Each element so many elements after the one before, whatever lies further in.
    On(usize),
    /// Each element so many bytes after the one before.
    Bytes(usize),
    /// All are one.
    Again,
}

use Lies::*;

/// Shapes of sources, and how their dimensions lie.
const SOURCES: [&[(usize, Lies)]; 13] = [
    // Windows that slide along a row, longer ones, and those every second element.
    &[(100, On(1)), (3, Around)],
    &[(200, On(1)), (70, Around)],
    &[(60, On(2)), (5, Around)],
    // The same number everywhere in a diagonal, in whole blocks.
    &[(304, On(1)), (301, Around)],
    // Windows of an image of 40 columns, and of three channels.
    &[(20, On(40)), (30, On(1)), (3, On(40)), (3, Around)],
    &[(9, On(60)), (18, On(3)), (3, On(60)), (3, On(3)), (3, Around)],
    // Nearer to each other than an element is long.
    &[(300, Bytes(1))],
    &[(40, Bytes(3)), (50, Bytes(1))],
    &[(70, Around), (5, Bytes(1)), (3, Bytes(2))],
    // The same again amid others, and at last.
    &[(7, Around), (5, Again), (90, Around)],
    &[(6, Around), (4, Again), (5, Again), (70, Around)],
    &[(3, Again), (80, Around), (4, Again), (66, Around), (2, Again)],
    &[(80, Around), (90, Again)],
];

/// What lies so, of a dtype; packed elements lie one after the other in the last dimension.
fn source(dtype: DType, dimensions: &[(usize, Lies)]) -> Form {
    let size = dtype.size().unwrap_or(1);
    let steps = dimensions.iter().map(|&(_, lies)| match lies {
        Around => (1, 0, false, false),
        On(elements) => (1, elements * size, false, true),
        Bytes(bytes) => (1, bytes, false, true),
        Again => (1, 0, false, true),
    });
    Form { order: (0..dimensions.len() as u8).collect(), steps: steps.collect(), before: 1 }
}

/// In either order of dimensions, forward or back.
fn destination(rank: usize, turned: bool, backward: bool) -> Form {
    let order = 0..rank as u8;
    Form {
        order: if turned { order.rev().collect() } else { order.collect() },
        steps: vec![(1, 0, backward, false); rank],
        before: 0,
    }
}

#[test]
fn overlapping_sources() {
    let pairs = PAIRS.into_iter().chain([(DType::UInt8, DType::UInt8)]);
    let jobs = pairs.flat_map(|pair| SOURCES.map(|source| (pair, source)));
    let jobs: Vec<_> = jobs.step_by(one_in(3)).collect();
    on_every_level(&jobs, |level, &((from, to), dimensions)| {
        let shape: Vec<usize> = dimensions.iter().map(|&(len, _)| len).collect();
        let source = source(from, dimensions);
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for (i, options) in effective(&KINDS, from, to).into_iter().enumerate() {
            let kernel = Kernel::on(level, from, to, &options);
            for turned in [false, true] {
                let target = destination(shape.len(), turned, i > 1);
                for &stores in STORES {
                    let kernel = kernel.with_stores(stores);
                    check(&kernel, &options, &shape, [&source, &target], i as u64)?;
                    tally.values += 1;
                }
            }
            tally.options += 1;
        }
        Ok(tally)
    });
}

/// Parts read what others read, too.
#[test]
fn overlapping_sources_in_parts() {
    use DType::*;
    let windows = [(60_000, On(1)), (5, Around)];
    let again = [(300, Around), (4, Again), (250, Around)];
    let jobs =
        [(&windows[..], Float32, Float16), (&again, Float64, Int8), (&windows, Int16, Float32)];
    on_every_level(&jobs, |level, &(dimensions, from, to)| {
        let shape: Vec<usize> = dimensions.iter().map(|&(len, _)| len).collect();
        let source = source(from, dimensions);
        for (i, options) in KINDS.into_iter().enumerate() {
            let kernel = Kernel::on(level, from, to, &options);
            let target = destination(shape.len(), i % 2 == 0, false);
            let forms = [&source, &target];
            check_by(&Parts(3), &kernel, &options, &shape, forms, i as u64)?;
        }
        Ok(Tally { pairs: 1, options: 4, values: 4 })
    });
}
