//! Elements that lie so close together that several are moved at a time.

use crate::forms::{Form, check};
use crate::support::{Tally, noise, on_every_level};
use simdcast::DType;
use simdcast_kernels::{Kernel, Options};

/// Elements that lie so close together that several are moved at a time: of slices with short steps, forward and back, on
/// either side, and of short rows.
#[test]
fn elements_that_lie_close_together() {
    use DType::*;
    let pairs = [
        (UInt8, Int16),
        (Int16, UInt8),
        (Float16, Float64),
        (Float32, Float16),
        (Float64, Float32),
        (Complex64, Complex128),
        (Complex128, Complex64),
        (Int8, UInt8),
    ];
    let jobs: Vec<_> =
        pairs.iter().flat_map(|&pair| (0..24).map(move |seed| (pair, seed))).collect();
    on_every_level(&jobs, |level, &((from, to), seed)| {
        let random = |k: u64| noise(seed ^ noise(k)) as usize;
        let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
        for shape in [&[300][..], &[150, 2], &[3, 130], &[70, 9], &[2, 60, 4]] {
            // Of each side one dimension at most has steps that are not those of what lies in it.
            let form = |k: u64| {
                let mut steps = vec![(1, 0, random(k).is_multiple_of(3), false); shape.len()];
                let apart = (random(k + 1) % 5 + 1, [0, 0, 1][random(k + 2) % 3]);
                let at = random(k + 3) % shape.len();
                steps[at] = (apart.0, apart.1, random(k + 4).is_multiple_of(2), false);
                let order = (0..shape.len() as u64).map(|i| random(k + 5 + i) as u8).collect();
                Form { order, steps, before: random(k + 9) % 3 }
            };
            check(&kernel, &Options::DEFAULT, shape, [&form(0), &form(16)], seed)?;
        }
        Ok(Tally { pairs: 1, values: 5, ..Tally::default() })
    });
}

/// The first and the last element of slices with short steps lie at unreadable pages, on both sides.
#[test]
#[cfg(unix)]
fn slices_between_unreadable_pages() {
    use crate::forms::FREE;
    use crate::support::guarded::pages::Pages;
    use DType::*;
    use simdcast::{StridedView, StridedViewMut, reference};
    let (mut memory, mut out) = (Pages::new(1 << 14), Pages::new(1 << 14));
    for level in crate::support::tested_levels() {
        for (from, to) in [(UInt8, Int8), (Float16, UInt8), (Float32, Float16), (Float64, Int64)] {
            let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
            let (a, b) = (from.size().unwrap(), to.size().unwrap());
            for (steps, n) in [1, 2, 3, 5].into_iter().flat_map(|s| [(s, 256), (s, 257), (s, 290)])
            {
                for (backward, ends) in [(false, false), (false, true), (true, false), (true, true)]
                {
                    // One of the sides has gaps.
                    for step in [[steps, 1], [1, steps]] {
                        let reach = [(n - 1) * a * step[0], (n - 1) * b * step[1]];
                        let (src, dst) = match ends {
                            false => (memory.first(reach[0] + a), out.first(reach[1] + b)),
                            true => (memory.last(reach[0] + a), out.last(reach[1] + b)),
                        };
                        src.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i % 61) as u8);
                        dst.fill(FREE);
                        let strides = [(a * step[0]) as isize, (b * step[1]) as isize];
                        let (start, stride) = match backward {
                            true => (reach[0], -strides[0]),
                            false => (0, strides[0]),
                        };
                        let view = StridedView::new(from, src, start, &[n], &[stride]).unwrap();
                        let mut target =
                            StridedViewMut::new(to, dst, 0, &[n], &[strides[1]]).unwrap();
                        kernel.run_strided(&view, &mut target, &simdcast_kernels::InOrder).unwrap();
                        for i in 0..n {
                            let at = if backward { n - 1 - i } else { i };
                            let code = reference::load(from, &src[at * a * step[0]..][..a], 0);
                            let wanted =
                                reference::cast(from, to, code, &Options::DEFAULT, 0).unwrap();
                            let (out, gap) = dst[i * b * step[1]..].split_at(b);
                            let about =
                                || format!("{kernel:?}: element {i} of {n}, steps {step:?}");
                            assert_eq!(reference::load(to, out, 0), wanted, "{}", about());
                            let gap = &gap[..gap.len().min(b * (step[1] - 1))];
                            assert!(gap.iter().all(|&byte| byte == FREE), "{}", about());
                        }
                    }
                }
            }
        }
    }
}

/// Views whose first and last elements lie at unreadable pages, on both sides: transposed ones, short rows, rows of packed
/// elements, and images whose channels lie together or apart.
#[test]
#[cfg(unix)]
fn views_between_unreadable_pages() {
    use crate::forms::{STORES, check_in};
    use crate::support::guarded::pages::Pages;
    use crate::support::{KINDS, effective, one_in};
    use DType::*;
    use simdcast_kernels::InOrder;
    let pairs = [
        (UInt8, Int8),
        (Float16, UInt8),
        (Float32, Float16),
        (Float64, Int64),
        (UInt8, Float32),
        (Complex128, Complex64),
        (Float32, Int4x2),
        (Int4x2, Float32),
        (UInt1x8, Float6E2M3FnX4),
    ];
    let shapes: [&[usize]; 13] = [
        &[8, 8],
        &[16, 17],
        &[64, 64],
        &[70, 67],
        &[200, 33],
        &[9, 130],
        &[150, 2],
        &[129, 5],
        &[130, 3],
        &[50, 40, 3],
        &[3, 17, 40],
        &[70, 10, 7],
        &[2, 3, 5, 64],
    ];
    // In the order of the dimensions and in the other one, and, of both, with gaps in the rows or between them.
    let forms = |rank: usize| {
        let one = move |turned: bool, apart: Option<usize>| {
            let order = 0..rank as u8;
            let mut steps = vec![(1, 0, false, false); rank];
            apart.into_iter().for_each(|at| steps[at] = (2, 1, at == 0, false));
            let order = if turned { order.rev().collect() } else { order.collect() };
            Form { order, steps, before: 0 }
        };
        [one(false, None), one(true, None), one(false, Some(rank - 1)), one(true, Some(0))]
    };
    let jobs = pairs.into_iter().flat_map(|pair| shapes.map(|shape| (pair, shape)));
    // (Where they are fewer, each pair has three shapes or four, and the next pair others.)
    let jobs: Vec<_> = jobs.step_by(one_in(4)).collect();
    on_every_level(&jobs, |level, &((from, to), shape)| {
        let (mut memory, mut out) = (Pages::new(1 << 20), Pages::new(1 << 20));
        let forms = forms(shape.len());
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for (a, b) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 3), (0, 3), (3, 0), (2, 1)] {
            let places = [forms[a].place(from, shape, false), forms[b].place(to, shape, false)];
            let lens = [places[0].bytes, places[1].bytes];
            let kinds = effective(&KINDS, from, to).into_iter();
            let jobs = kinds.flat_map(|kind| STORES.iter().map(move |&stores| (kind, stores)));
            for (i, (options, stores)) in jobs.enumerate() {
                let kernel = Kernel::on(level, from, to, &options).with_stores(stores);
                let check = |buffers: [&mut [u8]; 2]| {
                    check_in(&InOrder, &kernel, &options, shape, &places, buffers, i as u64)
                };
                check([memory.first(lens[0]), out.first(lens[1])])?;
                check([memory.last(lens[0]), out.last(lens[1])])?;
                tally.values += 2;
            }
        }
        Ok(tally)
    });
}

#[test]
#[cfg(not(unix))]
fn views_between_unreadable_pages() {
    crate::support::say(
        "NOT TESTED: this platform has no mmap to put unreadable pages beside views and slices",
    );
}
