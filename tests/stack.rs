//! How much of its thread's stack a cast takes: no more than the README tells. More than there is would end the process. What
//! is not optimised takes more, and what other architectures' compilers make is not told.

mod support;

#[cfg(not(all(target_arch = "x86_64", not(debug_assertions))))]
#[test]
fn casts_take_no_more_stack_than_the_readme_tells() {
    support::say(
        "NOT TESTED: HOW MUCH STACK CASTS TAKE, WHICH IS TOLD OF RELEASE BUILDS FOR x86-64",
    );
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
mod stack {
    use super::support::{Parts, pairs, tested_levels};
    use simdcast::{
        ByteOrder, Cast, CastOptions, DType, Options, Overflow, Rounding, StridedView,
        StridedViewMut, isa,
    };
    use simdcast_kernels::{Kernel, Stores};

    /// What every pair does under some options, in turn, on the best instruction set, and one in seven on each of the others;
    /// whether elements fit, and keep their values, is no matter.
    fn on_a_thread_with(kib: usize, job: fn(DType, DType, CastOptions)) {
        let every_pair = move || {
            for (k, level) in tested_levels().into_iter().enumerate() {
                isa::set(level.name()).unwrap();
                let each = if k == 0 { 1 } else { 7 };
                for (i, (from, to)) in pairs().enumerate().skip(k).step_by(each) {
                    let options = match i % 4 {
                        0 => CastOptions::new(),
                        1 => CastOptions::new().overflow(Overflow::Error),
                        2 => CastOptions::new().overflow(Overflow::Wrap).rounding(Rounding::Up),
                        _ => CastOptions::new().rounding(Rounding::Stochastic { seed: i as u64 }),
                    };
                    job(from, to, options);
                }
            }
        };
        let thread = std::thread::Builder::new().stack_size(kib << 10);
        thread.spawn(every_pair).unwrap().join().unwrap();
    }

    /// So many elements of each that source and destination have more than 512 KiB, from where on casts may go by parts.
    fn many(from: DType, to: DType) -> usize {
        (600 << 13) / (from.bits() + to.bits()) + 77
    }

    /// (One after the other: the instruction set is all threads'.)
    #[test]
    fn casts_take_no_more_than_the_readme_tells() {
        casts_of_bytes();
        casts_of_views();
    }

    fn casts_of_bytes() {
        on_a_thread_with(112, |from, to, options| {
            let cast = Cast::new(from, to, options).unwrap();
            let swapped = cast.with_byte_order(ByteOrder::Big, ByteOrder::Big);
            for n in [5000, many(from, to)] {
                let bytes = |dtype: DType| vec![0; dtype.bytes_for(n).unwrap()];
                let (src, mut dst) = (bytes(from), bytes(to));
                for cast in [cast, swapped] {
                    _ = cast.run_n(&src, &mut dst, n);
                    _ = cast.run_same_value_n(&src, &mut dst, n);
                    _ = cast.run_masked_n(&src, &mut dst, &mut bytes(DType::Bool1x8), n);
                    let mut both = vec![0; src.len().max(dst.len())];
                    _ = cast.run_in_place(&mut both, n);
                }
                // Past the caches, and in parts.
                let options: Options = options.into();
                for sides in [[false; 2], [true; 2]] {
                    let kernel = Kernel::new(from, to, &options).with_swapped(sides);
                    _ = kernel.with_stores(Stores::Streaming).run(&src, &mut dst, n);
                    _ = kernel.run_in_parts(&src, &mut dst, n, &Parts(8));
                }
            }
        });
    }

    /// The bytes of n times n times n rows of n elements, and the strides of three dimensions, the first of them n times as
    /// long: one row after the other, or in an order of their own. Packed elements stay in their rows.
    fn layout(dtype: DType, n: usize, turned: bool) -> (usize, [isize; 3]) {
        let row = dtype.bytes_for(n).unwrap();
        let strides = match (dtype.size(), turned) {
            (Some(size), true) => [n * n * size, size, n * size],
            (None, true) => [row, n * n * row, 1],
            (size, false) => [n * row, row, size.unwrap_or(1)],
        };
        (n * n * n * row, strides.map(|stride| stride as isize))
    }

    /// (Those of eight are cast by lists of places, others by blocks of two axes; those of 24 have more than 512 KiB, but for the
    /// shortest elements.)
    fn casts_of_views() {
        on_a_thread_with(160, |from, to, options| {
            let cast = Cast::new(from, to, options).unwrap();
            let kernel = Kernel::new(from, to, &options.into());
            for n in [2, 8, 16, 24] {
                let shape = [n * n, n, n];
                let ((reads, steps), (writes, dst_steps)) =
                    (layout(from, n, true), layout(to, n, false));
                let (src, mut dst) = (vec![0; reads], vec![0; writes]);
                let view = StridedView::new(from, &src, 0, &shape, &steps).unwrap();
                let mut target = StridedViewMut::new(to, &mut dst, 0, &shape, &dst_steps).unwrap();
                _ = cast.run_strided(&view, &mut target);
                _ = kernel.run_strided(&view, &mut target, &Parts(8));
            }
            // A matrix as those that results of go past the caches.
            if let (Some(i), Some(o)) = (from.size(), to.size()) {
                let (src, mut dst) = (vec![0; 128 * 128 * i], vec![0; 128 * 128 * o]);
                let steps = [i as isize, 128 * i as isize];
                let view = StridedView::new(from, &src, 0, &[128, 128], &steps).unwrap();
                let mut target = StridedViewMut::contiguous(to, &mut dst, &[128, 128]).unwrap();
                let kernel = kernel.with_stores(Stores::Streaming);
                _ = kernel.run_strided(&view, &mut target, &Parts(1));
            }
        });
    }
}
