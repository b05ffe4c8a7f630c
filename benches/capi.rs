//! What a call across the C border costs, beside the Rust calls that do the same, in one run.
//!
//! ```text
//! cargo bench --bench capi --features capi
//! ```

use simdcast::capi::{simdcast_cast, simdcast_options, simdcast_plan_new, simdcast_plan_run};
use simdcast::{Cast, CastOptions, Element, cast};
use std::hint::black_box;
use std::ptr::null;
use std::time::Instant;

/// The least time of a call, in nanoseconds, of several actions that are done in turns.
fn least<const N: usize>(mut actions: [&mut dyn FnMut(); N], n: usize) -> [f64; N] {
    let calls = (100_000 / (n + 50)).max(20) as u32;
    let mut best = [f64::MAX; N];
    for _ in 0..300 {
        for (action, best) in actions.iter_mut().zip(&mut best) {
            let start = Instant::now();
            (0..calls).for_each(|_| action());
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
        }
    }
    best
}

fn pair<A: Element + bytemuck::Pod, B: Element + bytemuck::Pod>(n: usize) {
    let (from, to) = (A::DTYPE, B::DTYPE);
    let (a, b) = (i32::from(from.code()), i32::from(to.code()));
    let src = vec![A::zeroed(); n];
    let mut dst = vec![B::zeroed(); n];
    let (src_bytes, dst_bytes) = (size_of_val(&src[..]), size_of_val(&dst[..]));
    let (mut dst2, mut dst3) = (dst.clone(), dst.clone());
    let (mut dst4, mut dst5, mut dst6) = (dst.clone(), dst.clone(), dst.clone());
    let resolved = Cast::new(from, to, CastOptions::new()).unwrap();
    let options = simdcast_options { overflow: 2, ..Default::default() };
    // SAFETY: null is for the default options.
    let plan = unsafe { simdcast_plan_new(a, b, null()) };
    let times = least(
        [
            &mut || cast(black_box(&src), &mut dst).unwrap(),
            &mut || {
                let bytes = bytemuck::cast_slice_mut(&mut dst2);
                let cast = Cast::new(black_box(from), black_box(to), CastOptions::new()).unwrap();
                cast.run_n(bytemuck::cast_slice(black_box(&src)), bytes, n).unwrap();
            },
            &mut || {
                let bytes = bytemuck::cast_slice_mut(&mut dst3);
                resolved.run_n(bytemuck::cast_slice(black_box(&src)), bytes, n).unwrap();
            },
            &mut || {
                let (src, dst) = (black_box(&src).as_ptr().cast(), dst4.as_mut_ptr().cast());
                let [a, b] = black_box([a, b]);
                // SAFETY: the buffers have these bytes.
                let status =
                    unsafe { simdcast_cast(a, src, src_bytes, b, dst, dst_bytes, n, null()) };
                assert_eq!(status, 0);
            },
            &mut || {
                let (src, dst) = (black_box(&src).as_ptr().cast(), dst5.as_mut_ptr().cast());
                // SAFETY: the buffers have these bytes, and the plan is there.
                let status = unsafe { simdcast_plan_run(plan, src, src_bytes, dst, dst_bytes, n) };
                assert_eq!(status, 0);
            },
            &mut || {
                let (src, dst) = (black_box(&src).as_ptr().cast(), dst6.as_mut_ptr().cast());
                let [a, b] = black_box([a, b]);
                // SAFETY: the buffers have these bytes.
                let status =
                    unsafe { simdcast_cast(a, src, src_bytes, b, dst, dst_bytes, n, &options) };
                assert_eq!(status, 0);
            },
        ],
        n,
    );
    print!("{:<32}", format!("{n}: {from} -> {to}"));
    times.iter().for_each(|time| print!("{time:>14.1}"));
    println!();
    // SAFETY: it came from there, and is not run any more.
    unsafe { simdcast::capi::simdcast_plan_free(plan) };
}

fn main() {
    println!("ns a call");
    print!("{:<32}", "");
    for column in ["cast", "Cast::new, run", "Cast::run_n", "C cast", "C plan_run", "C saturate"] {
        print!("{column:>14}");
    }
    println!();
    for n in [1, 64, 4096] {
        pair::<f32, half::f16>(n);
        pair::<f32, i32>(n);
        pair::<u8, f32>(n);
        pair::<f64, f32>(n);
        pair::<i32, u8>(n);
        pair::<i64, i64>(n);
    }
}
