//! Calls from several threads at once, while the instruction set is changed.

use super::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

const THREADS: usize = 8;
const ROUNDS: usize = 300;
/// How often the instruction set has changed before a thread may end, whatever the scheduler does.
const CHANGES: usize = 100;

/// What a thread casts: a pair of its own, against the result of the first cast.
fn work(thread: usize, changes: &AtomicUsize) {
    let from = [DType::Float32, DType::Int64, DType::Float16, DType::UInt4x2][thread % 4];
    let to = [DType::Float8E5M2, DType::Float16, DType::Int8, DType::Complex64][thread / 2];
    let n = 1000 + thread;
    let src = bytes(from.bytes_for(n).unwrap());
    let mut expected = vec![0; to.bytes_for(n).unwrap()];
    Cast::new(from, to, CastOptions::new()).unwrap().run_n(&src, &mut expected, n).unwrap();
    let options = simdcast_options { threads: (thread % 3) as u32, ..Default::default() };
    for round in 0.. {
        if round >= ROUNDS && changes.load(Ordering::Relaxed) >= CHANGES {
            break;
        }
        let mut dst = vec![0xee; expected.len()];
        assert_eq!(cast(code(from), &src, code(to), &mut dst, n, Some(&options)), 0);
        assert_eq!(dst, expected, "thread {thread}, round {round}");
        // Each thread has its own message, whatever the others do.
        assert_eq!(cast(1000 + thread as i32, &[], 0, &mut [], 0, None), Status::DType as i32);
        assert_eq!(
            message(),
            format!("from: no dtype has the code {}; known: 0 to 43", 1000 + thread)
        );
    }
}

#[test]
fn eight_threads_at_once_while_the_instruction_set_changes() {
    let before = said(simdcast_isa());
    let names: Vec<String> = (0..)
        .map(|index| simdcast_isa_at(index))
        .take_while(|name| !name.is_null())
        .map(said)
        .collect();
    assert!(names.contains(&before) && names.last().is_some_and(|name| name == "scalar"));
    let (changes, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let changes = &changes;
        let workers: Vec<_> = (0..THREADS).map(|i| scope.spawn(move || work(i, changes))).collect();
        // What is refused is told when all have ended: they wait for its changes.
        let changing = scope.spawn(|| {
            let mut refused = Vec::new();
            while !over.load(Ordering::Relaxed) {
                for name in &names {
                    // SAFETY: the name ends in a zero byte.
                    if unsafe { simdcast_set_isa(c(name).as_ptr()) } != 0 {
                        refused.push(name);
                    }
                    changes.fetch_add(1, Ordering::Relaxed);
                }
                thread::yield_now();
            }
            refused
        });
        let results: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        assert_eq!(changing.join().unwrap(), [] as [&String; 0]);
        assert!(results.into_iter().all(|result| result.is_ok()));
    });
    // SAFETY: the name ends in a zero byte.
    assert_eq!(unsafe { simdcast_set_isa(c(&before).as_ptr()) }, 0);
    assert_eq!(said(simdcast_isa()), before);
}

#[test]
fn a_plan_is_run_by_many_threads() {
    // SAFETY: a plan is freed after all threads have run it.
    let plan = unsafe { simdcast_plan_new(code(DType::UInt8), code(DType::Float32), null()) };
    let shared = plan.expose_provenance();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let plan = std::ptr::with_exposed_provenance::<simdcast_plan>(shared);
                let src = vec![thread as u8; 4096];
                let mut dst = vec![0f32; 4096];
                for _ in 0..ROUNDS {
                    let (src, dst) = (src.as_ptr().cast(), dst.as_mut_ptr().cast());
                    // SAFETY: both buffers have these bytes.
                    let status = unsafe { simdcast_plan_run(plan, src, 4096, dst, 16384, 4096) };
                    assert_eq!(status, 0);
                }
                assert!(dst.iter().all(|&value| value == thread as f32));
            });
        }
    });
    // SAFETY: no thread runs it any more.
    unsafe { simdcast_plan_free(plan) };
}

#[test]
fn any_number_of_threads_marks_the_same() {
    let n = 9 * 160_001;
    let src = [1.9f32, -1.0, f32::NAN, 300.0, -0.9, 7.0, 8.0, 9.0, 1e9].repeat(n / 9);
    let right = [1, 0, 0, 255, 0, 7, 8, 9, 255].repeat(n / 9);
    let fits = |i: usize| matches!(i % 9, 0 | 4..8);
    let (from, to) = (code(DType::Float32), code(DType::UInt8));
    for threads in 0..4 {
        let (mut dst, mut valid) = (vec![0xee_u8; n], vec![0xee_u8; n.div_ceil(8)]);
        let options = simdcast_options { threads, ..Default::default() };
        // SAFETY: the buffers have these bytes.
        let status = unsafe {
            let (src, dst) = (src.as_ptr().cast(), dst.as_mut_ptr().cast());
            let (bits, bytes) = (valid.as_mut_ptr(), valid.len());
            simdcast_cast_masked(from, src, 4 * n, to, dst, n, bits, bytes, n, &options)
        };
        assert!(status == 0 && dst == right, "{threads} threads");
        assert!((0..n).all(|i| (valid[i / 8] >> (i % 8) & 1 == 1) == fits(i)), "{threads} threads");
    }
}

/// A transposed matrix, and the first element of it that does not fit.
#[test]
fn any_number_of_threads_casts_views_alike() {
    let shape = [1501, 1003];
    let (n, strides) = (shape[0] * shape[1], [4, 4 * shape[0] as isize]);
    let mut src: Vec<f32> = (0..n).map(|i| (i % 251) as f32).collect();
    let run = |src: &[f32], dst: &mut [u8], overflow, threads| {
        let options = simdcast_options { overflow, threads, ..Default::default() };
        let (from, to) = (code(DType::Float32), code(DType::UInt8));
        let (src, dst) = (src.as_ptr().cast(), dst.as_mut_ptr().cast());
        let (shape, strides) = (shape.as_ptr(), strides.as_ptr());
        // SAFETY: the buffers have these bytes; there are two lengths and two strides.
        unsafe {
            simdcast_cast_strided(
                from,
                src,
                4 * n,
                0,
                strides,
                to,
                dst,
                n,
                0,
                null(),
                shape,
                2,
                &options,
            )
        }
    };
    let place = |index: usize| index % shape[1] * shape[0] + index / shape[1];
    let right: Vec<u8> = (0..n).map(|index| src[place(index)] as u8).collect();
    for threads in 0..4 {
        let mut dst = vec![0xee_u8; n];
        assert_eq!(run(&src, &mut dst, 3, threads), 0, "{threads} threads: {}", message());
        assert!(dst == right, "{threads} threads");
    }
    // Of these the second is the first in memory.
    for index in [700 * shape[1] + 900, 1100 * shape[1]] {
        src[place(index)] = 300.0;
    }
    for threads in 0..4 {
        let mut dst = vec![0xee_u8; n];
        assert_eq!(run(&src, &mut dst, 3, threads), Status::Unfit as i32, "{threads} threads");
        assert_eq!(simdcast_last_error_index(), 700 * shape[1] + 900, "{threads} threads");
        assert_eq!(run(&src, &mut dst, 0, threads), 0, "{threads} threads: {}", message());
        assert_eq!(dst[700 * shape[1] + 900], 255, "{threads} threads");
    }
}
