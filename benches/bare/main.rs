//! Casts against bare loops: the best that is known of a pair written as a plain loop over registers, of which
//! nothing is asked but speed. No tails, no alignment, no options, no choice of an instruction set. How far a kernel
//! is behind its loop does not depend on the CPU as much as how far it is behind memcpy.
//!
//! ```text
//! cargo bench --bench bare [-- FILTER]            by a part of ISA/FROM-TO
//! cargo bench --bench bare -- --check [FILTER]    only whether loops and kernels come to the same bits
//! ```

/// A level's loops: for a pair, so many elements at a time, what is done with the pointers to the first of them on
/// both sides. `no_nan` says that the loop takes it that no element is NaN.
#[cfg(target_arch = "x86_64")]
macro_rules! loops {
    ($features:literal: $(
        $from:ident => $to:ident, $step:literal $(, $no_nan:ident)?: |$src:ident, $dst:ident| $body:block
    )*) => {
        pub(super) const LOOPS: &[crate::Loop] = &[$({
            /// # Safety
            /// `src` is valid for reading `n` elements and `dst` for writing them, they don't overlap, and `n` is a
            /// multiple of [`crate::STEP`]. The CPU has the features.
            #[target_feature(enable = $features)]
            unsafe fn run(src: *const u8, dst: *mut u8, n: usize) {
                use simdcast::DType;
                const { assert!(crate::STEP.is_multiple_of($step)) };
                let bytes = |dtype: DType| $step * dtype.bits() / 8;
                let (from, to) = (bytes(DType::$from), bytes(DType::$to));
                for i in 0..n / $step {
                    // SAFETY: the caller's; the body reads and writes `$step` elements.
                    unsafe {
                        let ($src, $dst) = (src.add(i * from), dst.add(i * to));
                        $body
                    }
                }
            }
            crate::Loop {
                from: simdcast::DType::$from,
                to: simdcast::DType::$to,
                run,
                no_nan: matches!(concat!($(stringify!($no_nan))?).as_bytes(), b"no_nan"),
            }
        }),*];
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[allow(dead_code, unused_imports)] // It is for checked casts, too, and has tests, which a bench does not run.
#[path = "../../examples/matrix/data.rs"]
mod data;
#[allow(dead_code, unused_imports)] // It is for casts under options, too, and has tests.
#[path = "../../examples/matrix/measure.rs"]
mod measure;

use data::Pool;
use measure::{Bench, ROUNDS, Shape, Times, Warming};
use simdcast::{Cast, CastOptions, DType, isa};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Casts elements, a multiple of [`STEP`] of them, from one buffer to another.
type Function = unsafe fn(*const u8, *mut u8, usize);

/// What all loops' steps divide.
const STEP: usize = 256;

/// The loop of a pair.
struct Loop {
    from: DType,
    to: DType,
    run: Function,
    /// Whether it takes it that no element is NaN.
    no_nan: bool,
}

/// In the L1 cache and in the L2 cache.
const SIZES: [usize; 2] = [4096, 65536];

/// How far behind its loop a kernel may be.
const BAR: f64 = 1.15;

/// The loops of an instruction set, if this CPU has what they need.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
fn loops(level: &str) -> &'static [Loop] {
    #[cfg(target_arch = "x86_64")]
    match level {
        "avx512_bf16" => return avx512::LOOPS,
        "avx2" => return avx2::LOOPS,
        _ => (),
    }
    &[]
}

impl Loop {
    fn cast(&self) -> Cast {
        Cast::new(self.from, self.to, CastOptions::new()).expect("options of every pair")
    }

    fn pool(&self) -> Pool {
        let pool = Pool::new(self.from, self.to, &CastOptions::new());
        pool.expect("numbers that fit, where all do")
    }

    /// Runs it on whole buffers.
    fn run(&self, src: &[u8], dst: &mut [u8], n: usize) {
        assert!(n.is_multiple_of(STEP));
        assert!(src.len() >= self.from.bytes_for(n).expect("it is in memory"));
        assert!(dst.len() >= self.to.bytes_for(n).expect("it is in memory"));
        // SAFETY: `loops` gives what the CPU can run, and the buffers are as large as is said.
        unsafe { (self.run)(src.as_ptr(), dst.as_mut_ptr(), n) };
    }

    /// Whether it comes to the same bits as the kernel.
    fn agrees(&self) -> bool {
        let n = SIZES[1];
        let mut src = vec![0; self.from.bytes_for(n).expect("it is in memory")];
        self.pool().draw(&mut src);
        if self.no_nan {
            self.without_nan(&mut src);
        }
        let (mut ours, mut bare) =
            (vec![0; self.to.bytes_for(n).expect("it is in memory")], vec![]);
        bare.resize(ours.len(), 0xff);
        self.cast().run(&src, &mut ours).expect("lengths that fit");
        self.run(&src, &mut bare, n);
        let wrong = ours.iter().zip(&bare).position(|(a, b)| a != b);
        if let Some(at) = wrong {
            println!(
                "{} -> {}: byte {at}: {:#x}, not {:#x}",
                self.from, self.to, bare[at], ours[at]
            );
        }
        wrong.is_none()
    }

    /// Puts 0 in place of NaN.
    fn without_nan(&self, bytes: &mut [u8]) {
        let to_float64 = Cast::new(self.from, DType::Float64, CastOptions::new());
        let to_float = to_float64.expect("options of every pair");
        let size = self.from.bits() / 8;
        for element in bytes.chunks_exact_mut(size) {
            let mut float = [0; 8];
            to_float.run(element, &mut float).expect("lengths that fit");
            if f64::from_ne_bytes(float).is_nan() {
                element.fill(0);
            }
        }
    }

    /// Times the kernel, memcpy and the loop.
    fn times(&self, bench: &mut Bench, pool: &mut Pool, n: usize) -> Option<(Times, f64)> {
        let shape = Shape::of(self.from, self.to, n);
        let mut bare = |bench: &mut Bench, pool: &mut Pool, _: usize| -> Option<Duration> {
            Some(bench.on_new_elements(shape, pool, |src, dst| {
                if let Some(few) = Warming::of(self.from, self.to, n) {
                    self.run(src, dst, few.n);
                }
                let start = Instant::now();
                for window in src.chunks_exact(shape.src) {
                    self.run(black_box(window), dst, n);
                }
                black_box(dst);
                start.elapsed()
            }))
        };
        let (times, others) = bench.times_on(&self.cast(), pool, &mut [&mut bare])?;
        Some((times, others[0]?))
    }
}

/// Times the loops of a level that a filter leaves, and tells the ratios.
fn compare(level: &str, loops: &[&Loop]) -> Result<(), String> {
    for n in SIZES {
        println!(
            "\n{level}, {n} elements: ns an element, over memcpy, and the kernel over the loop"
        );
        println!("{:<36}{:>9}{:>9}{:>9}{:>9}{:>9}", "", "kernel", "loop", "kernel", "loop", "");
        let pairs: Vec<_> = loops.iter().map(|one| (one.from, one.to)).collect();
        let mut bench = Bench::new(&pairs, n, 0)?;
        let mut pools: Vec<_> = loops.iter().map(|one| one.pool()).collect();
        let mut best: Vec<Option<(Times, f64)>> = vec![None; loops.len()];
        for _ in 0..ROUNDS {
            for ((one, pool), best) in loops.iter().zip(&mut pools).zip(&mut best) {
                let now = one.times(&mut bench, pool, n);
                *best = match (*best, now) {
                    (Some((times, bare)), Some((more, again))) => {
                        Some((times.or_shorter(more), bare.min(again)))
                    }
                    (before, now) => before.or(now),
                };
            }
        }
        let (mut sum, mut behind) = (0.0, 0);
        for (one, best) in loops.iter().zip(best) {
            let (times, bare) = best.ok_or("a cast failed")?;
            let ratio = times.cast / bare;
            let per = |time: f64| time / n as f64;
            println!(
                "{:<36}{:>9.4}{:>9.4}{:>9.2}{:>9.2}{ratio:>9.2}{}",
                format!("{} -> {}", one.from, one.to),
                per(times.cast),
                per(bare),
                times.cast / times.memcpy,
                bare / times.memcpy,
                if ratio > BAR { "  behind" } else { "" }
            );
            sum += ratio.ln();
            behind += usize::from(ratio > BAR);
        }
        let mean = (sum / loops.len() as f64).exp();
        println!("geometric mean {mean:.2}; {behind} of {} more than {BAR}", loops.len());
    }
    Ok(())
}

fn main() -> Result<(), String> {
    let args: Vec<_> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let check = args.iter().any(|arg| arg == "--check");
    let filter = args.iter().find(|arg| !arg.starts_with('-'));
    let mut wrong = 0;
    for level in isa::available() {
        isa::set(level.name()).expect("the CPU has it");
        let name = |one: &Loop| format!("{}/{}-{}", level.name(), one.from, one.to);
        let wanted = |one: &&Loop| filter.is_none_or(|filter| name(one).contains(filter.as_str()));
        let loops: Vec<_> = loops(level.name()).iter().filter(wanted).collect();
        wrong += loops.iter().filter(|one| !one.agrees()).count();
        if !check && !loops.is_empty() {
            compare(level.name(), &loops)?;
        }
    }
    if wrong > 0 {
        return Err(format!("{wrong} loops come to other bits"));
    }
    Ok(())
}
