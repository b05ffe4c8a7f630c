//! Casts by several threads: the same bits as by one, whatever their number, and the same errors.
#![cfg(feature = "rayon")]

mod support;

use rayon::{ThreadPool, ThreadPoolBuilder};
use simdcast::{
    Cast, CastError, CastOptions, DType, Overflow, Rounding, StridedView, StridedViewMut, cast_vec,
    par_cast, par_cast_masked, par_cast_masked_into, par_cast_same_value, par_cast_vec,
    par_cast_vec_with,
};
use std::num::NonZeroUsize;
use support::{noise, say};

fn pools() -> impl Iterator<Item = ThreadPool> {
    [1, 2, 3, 7].into_iter().map(|threads| {
        ThreadPoolBuilder::new().num_threads(threads).build().expect("there are threads")
    })
}

fn some_bytes(len: usize) -> Vec<u8> {
    let words = (0..len.div_ceil(8) as u64).flat_map(|i| noise(i).to_ne_bytes());
    let mut bytes: Vec<u8> = words.collect();
    bytes.truncate(len);
    bytes
}

/// Enough elements for several parts, not a multiple of anything.
fn elements(from: DType, to: DType) -> usize {
    (5 << 23) / (from.bits() + to.bits()) + 77
}

/// Every thirteenth pair, all dtypes among them.
fn some_pairs() -> impl Iterator<Item = (DType, DType)> {
    support::pairs().step_by(13)
}

/// The threads of this process.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// Runs a test again in a process of its own, in which no other test starts threads, and answers whether this is that one.
#[cfg(target_os = "linux")]
fn is_alone(test: &str) -> bool {
    const CHILD: &str = "SIMDCAST_TEST_ALONE";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--test-threads", "1"]).env("RAYON_NUM_THREADS", "2");
    child.env_remove("RUST_MIN_STACK");
    let output = child.env(CHILD, "1").output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success() && said[0].contains("1 passed"), "{said:?}");
    if !said[1].is_empty() {
        say(said[1].trim_end());
    }
    false
}

/// Where there is no memory for another thread's stack, rayon panics.
#[cfg(target_os = "linux")]
#[test]
fn without_threads_one_does_all() {
    if !is_alone("without_threads_one_does_all") {
        return;
    }
    let (src, mut dst) = (vec![7u8; 3 << 20], vec![0f32; 3 << 20]);
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split_whitespace().next().unwrap().parse().unwrap();
    let mut own = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: what is asked for, and set, is that of this process, by structs of its own.
    let (page, was) = unsafe {
        (libc::sysconf(libc::_SC_PAGESIZE) as u64, libc::getrlimit(libc::RLIMIT_AS, &mut own))
    };
    let most = pages * page + (1 << 20);
    let set = |limit: libc::rlimit| {
        // SAFETY: as above.
        unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }
    };
    assert_eq!((was, set(libc::rlimit { rlim_cur: most as _, ..own })), (0, 0));
    assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "the limit is none");
    let before = threads();
    let mut cast = || {
        par_cast(&src, &mut dst).unwrap();
        assert!(dst.iter().all(|&value| value == 7.0));
        dst.fill(0.0);
    };
    cast();
    cast();
    assert_eq!(threads(), before);
    // What was refused may be granted later.
    assert_eq!(set(own), 0);
    cast();
    assert!(threads() > before || rayon::current_num_threads() == 1, "no thread was started");
}

#[cfg(target_os = "linux")]
#[test]
fn little_work_starts_no_threads() {
    if !is_alone("little_work_starts_no_threads") {
        return;
    }
    let before = threads();
    let (src, mut dst) = (vec![7u8; 300_000], vec![0f32; 300_000]);
    par_cast(&src, &mut dst).unwrap();
    let view = StridedView::new(DType::UInt8, &src, 1, &[2, 2], &[2, 4]).unwrap();
    let mut bytes = [0; 16];
    let mut target = StridedViewMut::contiguous(DType::Float32, &mut bytes, &[2, 2]).unwrap();
    let cast = Cast::new(DType::UInt8, DType::Float32, CastOptions::new()).unwrap();
    cast.par_run_strided(&view, &mut target).unwrap();
    let one = NonZeroUsize::new(1).unwrap();
    let (src, mut floats) = (vec![7; 1 << 21], vec![0; 4 << 21]);
    cast.par_run_limited(&src, &mut floats, 1 << 21, one).unwrap();
    assert_eq!(threads(), before);
    cast.par_run(&src, &mut floats).unwrap();
    assert!(threads() > before, "what is counted are threads");
}

/// Whatever is cast, the threads are those of the pool that the caller is in: rayon's own are not even started.
#[cfg(target_os = "linux")]
#[test]
fn in_a_pool_no_other_threads_are_started() {
    if !is_alone("in_a_pool_no_other_threads_are_started") {
        return;
    }
    let before = threads();
    let Ok(pool) = ThreadPoolBuilder::new().num_threads(3).build() else {
        return say("NOT TESTED: A POOL OF THE CALLER'S, AS THREADS ARE REFUSED HERE");
    };
    assert_eq!(threads(), before + 3, "what is counted are threads");
    let n = 4 << 20;
    let (src, options) = (vec![7u8; n], CastOptions::new());
    let (mut floats, mut bits) = (vec![0f32; n], vec![0; n / 8]);
    let cast = Cast::new(DType::UInt8, DType::Float32, options).unwrap();
    let view = StridedView::new(DType::UInt8, &src, 0, &[1024, 4096], &[1, 1024]).unwrap();
    pool.install(|| {
        par_cast(&src, &mut floats).unwrap();
        assert_eq!(par_cast_vec::<_, f32>(&src), floats);
        par_cast_masked_into(&src, &mut floats, &options, &mut bits).unwrap();
        par_cast_same_value(&src, &mut floats).unwrap();
        let bytes = bytemuck::cast_slice_mut(&mut floats);
        cast.par_run_limited(&src, bytes, n, NonZeroUsize::new(2).unwrap()).unwrap();
        let mut target = StridedViewMut::contiguous(DType::Float32, bytes, &[1024, 4096]).unwrap();
        cast.par_run_strided(&view, &mut target).unwrap();
    });
    assert_eq!(threads(), before + 3);
    assert!(floats.iter().all(|&value| value == 7.0));
    // Out of it they are started.
    par_cast(&src, &mut floats).unwrap();
    assert!(threads() > before + 3, "the same as in the pool");
}

#[test]
fn any_number_of_threads_stores_the_same() {
    let kinds = [
        CastOptions::new(),
        CastOptions::new().rounding(Rounding::Stochastic { seed: 3 }).first_index(u64::MAX - 999),
    ];
    let (pools, mut runs) = (pools().collect::<Vec<_>>(), 0);
    let source = some_bytes(6 << 20);
    for (from, to) in some_pairs() {
        let n = elements(from, to);
        let source = &source[..from.bytes_for(n).unwrap()];
        for options in kinds {
            let cast = Cast::new(from, to, options).unwrap();
            let mut right = vec![0; to.bytes_for(n).unwrap()];
            cast.run_n(source, &mut right, n).unwrap();
            // Off the lines of the cache, too.
            let mut memory = vec![0x5a; right.len() + 64];
            for (i, pool) in pools.iter().enumerate() {
                let (before, rest) = memory.split_at_mut(i * 5 % 17);
                let (stored, after) = rest.split_at_mut(right.len());
                pool.install(|| cast.par_run_n(source, stored, n)).unwrap();
                assert!(stored == right, "{cast:?}: {n} elements, pool {i}");
                assert!(before.iter().chain(&*after).all(|&byte| byte == 0x5a));
                memory.fill(0x5a);
                runs += 1;
            }
        }
    }
    say(&format!("{runs} runs"));
}

#[test]
fn a_limit_of_parts_changes_nothing() {
    let cast = Cast::new(DType::Float32, DType::Float6E2M3FnX4, CastOptions::new()).unwrap();
    let n = 1_200_003;
    let source = some_bytes(4 * n);
    let mut right = vec![0; cast.to().bytes_for(n).unwrap()];
    cast.run_n(&source, &mut right, n).unwrap();
    for pool in pools() {
        for limit in [1, 2, 3, 100, usize::MAX].map(|limit| NonZeroUsize::new(limit).unwrap()) {
            let mut stored = vec![0; right.len()];
            pool.install(|| cast.par_run_limited(&source, &mut stored, n, limit)).unwrap();
            assert!(stored == right);
        }
    }
}

#[test]
fn of_several_unfit_elements_the_first_is_told() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    // (More than 16 MiB: less is not worth two threads, as the vector is new.)
    let n = 4_000_003;
    let mut source = vec![1i32; n];
    for pool in pools() {
        source.fill(1);
        for first in [n - 1, 2_800_001, 2_000_000, 1_999_999, 1, 0] {
            source[first] = -1 - first as i32;
            for _ in 0..20 {
                let error = pool.install(|| par_cast_vec_with::<_, u8>(&source, &checked));
                let Err(CastError::Unfit { index, value, .. }) = error else {
                    panic!("{first} is unfit: {:?}", error.map(|values| values.len()));
                };
                assert_eq!((index, value.to_string()), (first, (-1 - first as i64).to_string()));
            }
        }
    }
}

/// One part may end long before the others, which other threads are at then. Whoever is told of its element has the destination
/// for himself again. (No part panics: there is nothing in it that could.)
#[test]
fn after_an_unfit_element_no_thread_writes_any_more() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    let cast = Cast::new(DType::Int32, DType::Int16, checked).unwrap();
    let n = 6_000_011;
    let mut source = vec![0x5a5ai32; n];
    for pool in pools() {
        for first in [0, 3, 400_000, n / 2, n - 1] {
            // (Those after it may fit or not.)
            for unfit in [first, n - 1] {
                source[unfit] = i32::MAX;
            }
            let mut stored = vec![0u8; 2 * n];
            let bytes = bytemuck::cast_slice(&source);
            let error = pool.install(|| cast.par_run(bytes, &mut stored)).unwrap_err();
            assert!(matches!(error, CastError::Unfit { index, .. } if index == first), "{error}");
            assert!(stored[..2 * first].iter().all(|&byte| byte == 0x5a), "{first}");
            // What is written from here on is whoever's has the memory.
            stored.fill(0xa5);
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(stored.iter().all(|&byte| byte == 0xa5), "{first}: written after the end");
            source.fill(0x5a5a);
        }
    }
}

/// Stored, marked and drawn the same, on whole bytes of the bitmap, wherever the destination starts.
#[test]
fn masked_casts_store_and_mark_the_same() {
    let kinds = [
        CastOptions::new(),
        CastOptions::new().rounding(Rounding::Stochastic { seed: 3 }).first_index(u64::MAX - 999),
    ];
    let (pools, source) = (pools().skip(1).collect::<Vec<_>>(), some_bytes(6 << 20));
    let mut parts = 0;
    for (from, to) in some_pairs().step_by(3) {
        let n = elements(from, to);
        let source = &source[..from.bytes_for(n).unwrap()];
        for options in kinds {
            let cast = Cast::new(from, to, options).unwrap();
            let (mut right, mut bits) = (vec![0; to.bytes_for(n).unwrap()], vec![0; n.div_ceil(8)]);
            cast.run_masked_n(source, &mut right, &mut bits, n).unwrap();
            parts += usize::from(bits[..n / 8].iter().any(|&byte| byte != 0 && byte != 0xff));
            let mut memory = vec![0x5a; right.len() + 64];
            for (i, pool) in pools.iter().enumerate() {
                let stored = &mut memory[i * 5 % 17..][..right.len()];
                let mut valid = vec![0x5a; bits.len()];
                pool.install(|| cast.par_run_masked_n(source, stored, &mut valid, n)).unwrap();
                assert!(stored == right, "{cast:?}: {n} elements, pool {i}");
                assert!(valid == bits, "{cast:?}: {n} elements, pool {i}");
                memory.fill(0x5a);
            }
        }
    }
    assert!(parts > 20, "only {parts} bitmaps tell much");
}

/// The same values as by one thread, and the first that would change, wherever that is.
#[test]
fn casts_that_keep_values_end_at_the_same_element() {
    let zeros = vec![0u8; 6 << 20];
    let pools = pools().skip(1).collect::<Vec<_>>();
    let mut refused = 0;
    for (from, to) in some_pairs().step_by(3) {
        // (Nothing but zeros, which any but one dtype has, and some elements that may be anything.)
        let n = elements(from, to);
        let mut source = zeros[..from.bytes_for(n).unwrap()].to_vec();
        let cast = Cast::new(from, to, CastOptions::new()).unwrap();
        for at in [source.len(), source.len() - 1, source.len() / 2, 1000] {
            if let Some(byte) = source.get_mut(at) {
                *byte = 0xa7;
            }
            let mut right = vec![0x5a; to.bytes_for(n).unwrap()];
            let wanted = cast.run_same_value_n(&source, &mut right, n);
            refused += usize::from(wanted.is_err());
            let kept = match &wanted {
                Ok(()) => right.len(),
                Err(CastError::Changed { index, .. }) => index * to.bits() / 8,
                Err(other) => panic!("{other}"),
            };
            for pool in &pools {
                let mut stored = vec![0x5a; right.len()];
                let result = pool.install(|| cast.par_run_same_value_n(&source, &mut stored, n));
                // (A NaN is no error's equal.)
                assert_eq!(format!("{result:?}"), format!("{wanted:?}"), "{cast:?}");
                assert!(stored[..kept] == right[..kept], "{cast:?}: {n} elements");
            }
        }
    }
    assert!(refused > 50, "only {refused} casts end early");
}

#[test]
fn typed_masked_casts_and_casts_that_keep_values() {
    let n = 1_500_011;
    let mut source: Vec<f64> = (0..n).map(|i| (i % 300) as f64).collect();
    let options = CastOptions::new().overflow(Overflow::Wrap);
    let mut right = vec![0u8; n];
    let bits = simdcast::cast_masked(&source, &mut right, &options).unwrap();
    for pool in pools() {
        let mut stored = vec![0u8; n];
        let valid = pool.install(|| par_cast_masked(&source, &mut stored, &options)).unwrap();
        assert!(stored == right && valid == bits);
        let (mut again, mut bools) = (vec![0x5a; bits.len()], vec![true; n]);
        pool.install(|| par_cast_masked_into(&source, &mut bools, &options, &mut again)).unwrap();
        assert_eq!((bools[0], bools[1], bools[n - 1]), (false, true, source[n - 1] != 0.0));
        assert!(again[..n / 8].iter().all(|&byte| byte == 0xff) && again[n / 8] == 0b111);
        let mut halves = vec![half::f16::ZERO; n];
        pool.install(|| par_cast_same_value(&source, &mut halves)).unwrap();
        assert!(halves == cast_vec::<_, half::f16>(&source));
        for (first, then) in [(n - 1, n - 1), (1_000_000, n - 2), (3, 4), (0, 1_200_000)] {
            (source[first], source[then]) = (0.1, 0.7);
            let error = pool.install(|| par_cast_same_value(&source, &mut halves)).unwrap_err();
            assert!(matches!(error, CastError::Changed { index, .. } if index == first), "{error}");
            (source[first], source[then]) = ((first % 300) as f64, (then % 300) as f64);
        }
    }
    let mut bits = [0xee; 2];
    let error = par_cast_masked_into(&[1u8; 8], &mut [0i8; 8], &options, &mut bits).unwrap_err();
    assert_eq!(error, CastError::BitmapLength { elements: 8, given: 2, needed: 1 });
    let error = par_cast_masked(&[1u8; 8], &mut [0i8; 9], &options).unwrap_err();
    assert!(matches!(error, CastError::LengthMismatch { elements: Some(9), .. }), "{error}");
    let error = par_cast_same_value(&[1u8; 8], &mut [0i8; 9]).unwrap_err();
    assert!(matches!(error, CastError::LengthMismatch { elements: Some(9), .. }), "{error}");
    let both = Cast::new(DType::Int4x2, DType::UInt2x4, CastOptions::new()).unwrap();
    let needed = CastError::CountNeeded { from: DType::Int4x2, to: DType::UInt2x4 };
    let error = both.par_run_masked(&[0; 2], &mut [0; 1], &mut [0; 1]).unwrap_err();
    assert_eq!(error, needed);
    assert_eq!(both.par_run_same_value(&[0; 2], &mut [0; 1]).unwrap_err(), needed);
}

#[test]
fn new_vectors_are_written_whole() {
    for pool in pools() {
        pool.install(|| {
            for n in [0, 1, 1000, 300_000, 4_000_001] {
                let source: Vec<i32> = (0..n).collect();
                assert!(par_cast_vec::<_, f64>(&source) == cast_vec::<_, f64>(&source));
                assert!(par_cast_vec::<_, bool>(&source) == cast_vec::<_, bool>(&source));
                let mut halves = vec![half::f16::ZERO; source.len()];
                par_cast(&source, &mut halves).unwrap();
                assert!(halves == cast_vec::<_, half::f16>(&source));
            }
        });
    }
    let error = par_cast(&[1u8, 2], &mut [0f32; 3]).unwrap_err();
    assert!(matches!(error, CastError::LengthMismatch { .. }));
}

#[test]
fn views_are_cast_by_any_number_of_threads() {
    let (rows, cols) = (901, 1203);
    let source = some_bytes(4 * rows * cols + 3);
    let row = 4 * cols as isize;
    let layouts: [(usize, [isize; 2]); 3] =
        [(1, [row, 4]), (0, [4, 4 * rows as isize]), (4 * cols * (rows - 1), [-row, 4])];
    for (offset, strides) in layouts {
        let src =
            StridedView::new(DType::Float32, &source, offset, &[rows, cols], &strides).unwrap();
        for (to, rounding) in [
            (DType::Float16, Rounding::Default),
            (DType::Float16, Rounding::Stochastic { seed: 1 }),
            (DType::Int4x2, Rounding::Stochastic { seed: 2 }),
            (DType::Float64, Rounding::Default),
        ] {
            let cast =
                Cast::new(DType::Float32, to, CastOptions::new().rounding(rounding)).unwrap();
            let pad = to.bytes_for(cols).unwrap() as isize + 1;
            let inner = to.size().unwrap_or(1) as isize;
            let bytes = pad as usize * rows;
            let into = |memory: &mut Vec<u8>, run: &dyn Fn(&mut StridedViewMut<'_>)| {
                let mut dst = StridedViewMut::new(to, memory, 0, &[rows, cols], &[pad, inner]);
                run(dst.as_mut().unwrap());
            };
            let mut right = vec![0x5a; bytes];
            into(&mut right, &|dst| cast.run_strided(&src, dst).unwrap());
            for pool in pools() {
                let mut stored = vec![0x5a; bytes];
                into(&mut stored, &|dst| {
                    pool.install(|| cast.par_run_strided(&src, dst)).unwrap();
                });
                assert!(stored == right, "{cast:?}, strides {strides:?}");
            }
        }
    }
}

/// Whichever of them is met first by whatever thread: of transposed matrices those of the first columns, of reversed ones the
/// last.
#[test]
fn of_several_unfit_elements_of_views_the_first_is_told() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    let cast = Cast::new(DType::Int32, DType::UInt8, checked).unwrap();
    let (rows, cols) = (1201, 1003);
    let n = rows * cols;
    let (row, column) = (4 * cols as isize, 4 * rows as isize);
    let layouts = [(0, [4, column]), (4 * (n - 1), [-row, -4]), (4 * (cols - 1), [row, -4])];
    let all: [&[usize]; 8] = [
        &[n - 1],
        &[0, n - 1],
        &[cols - 1, cols, n - cols],
        &[5 * cols + 900, 600 * cols, 601 * cols],
        &[600 * cols + 500, 600 * cols + 501, 601 * cols + 500],
        &[300 * cols + 999, 301 * cols, 900 * cols + 1, 1200 * cols],
        &[n / 2, n / 2 + 1, n / 2 + cols],
        &[n - cols - 1, n - cols],
    ];
    let shape = [rows, cols];
    let pools: Vec<_> = pools().collect();
    let jobs = pools.iter().flat_map(|pool| layouts.map(|layout| (pool, layout)));
    for (pool, (offset, strides)) in jobs {
        for unfit in all {
            let mut source = vec![7i32; n];
            for &index in unfit {
                let (at, then) = ((index / cols) as isize, (index % cols) as isize);
                let byte = offset as isize + at * strides[0] + then * strides[1];
                source[byte as usize / 4] = -1 - index as i32;
            }
            let source = bytemuck::cast_slice(&source);
            let src = StridedView::new(DType::Int32, source, offset, &shape, &strides).unwrap();
            let about = format!("{strides:?}, {unfit:?}");
            for _ in 0..5 {
                let mut stored = vec![0; n];
                let dst = StridedViewMut::contiguous(DType::UInt8, &mut stored, &shape);
                let error =
                    pool.install(|| cast.par_run_strided(&src, &mut dst.unwrap())).unwrap_err();
                let CastError::Unfit { index, value, .. } = error else { panic!("{error}") };
                let told = (unfit[0], (-1 - unfit[0] as i64).to_string());
                assert_eq!((index, value.to_string()), told, "{about}");
                assert!(stored[..index].iter().all(|&byte| byte == 7), "{about}");
            }
        }
    }
}

#[test]
fn memory_that_nothing_was_written_to_is_written_in_full() {
    let n = (5 << 20) + 3;
    let src: Vec<u8> = (0..n).map(noise).map(|v| v as u8).collect();
    let cast = Cast::new(DType::UInt8, DType::Float32, CastOptions::new()).unwrap();
    let mut dst = Vec::with_capacity(4 * n as usize);
    let memory = &mut dst.spare_capacity_mut()[..4 * n as usize];
    let bytes = cast.par_run_uninit(&src, memory, n as usize).unwrap();
    assert!(bytes.chunks(4).zip(&src).all(|(float, &v)| float == f32::from(v).to_ne_bytes()));
}

#[cfg(not(target_os = "linux"))]
#[test]
fn what_this_platform_does_not_tell() {
    say(
        "NOT TESTED: which threads are started, and what is done without any, which Linux tells or can be kept from giving",
    );
}
