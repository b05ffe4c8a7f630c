//! A panic amid the parts of a cast, which only whoever brings the threads can cause: when it has reached the caller no
//! thread writes any more, and memory for results that no one gets is given back.

use rayon::{ThreadPool, ThreadPoolBuilder};
use simdcast_kernels::{
    DType, InOrder, Join, Kernel, Options, RunError, StridedView, StridedViewMut,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const ROWS: usize = 1203;
const COLS: usize = 997;
const N: usize = ROWS * COLS;

/// How often memory for results has been taken and given back.
struct Counted {
    taken: AtomicUsize,
    returned: AtomicUsize,
}

#[global_allocator]
static MEMORY: Counted = Counted { taken: AtomicUsize::new(0), returned: AtomicUsize::new(0) };

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // (Nothing else here has as many bytes.)
        self.taken.fetch_add(usize::from(layout.size() == 4 * N), Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        self.returned.fetch_add(usize::from(layout.size() == 4 * N), Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.dealloc(start, layout) }
    }
}

/// One thread, or those of rayon, one of which panics before it does what so many others come before.
struct Panics {
    at: AtomicUsize,
    by_threads: bool,
}

impl Panics {
    fn come(&self) {
        if self.at.fetch_sub(1, Ordering::Relaxed) == 0 {
            // (As a panic does, but silently.)
            resume_unwind(Box::new("on purpose"));
        }
    }
}

impl Join for Panics {
    fn parts(&self, most: usize) -> usize {
        most
    }

    fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let a = || {
            self.come();
            a()
        };
        let b = || {
            self.come();
            b()
        };
        if self.by_threads { rayon::join(a, b) } else { InOrder.join(a, b) }
    }
}

/// Who casts: one thread, and three if there are so many.
fn pools() -> Vec<Option<ThreadPool>> {
    let three = ThreadPoolBuilder::new().num_threads(3).build();
    if three.is_err() {
        eprintln!("NOT TESTED: PANICS AMID THE PARTS OF SEVERAL THREADS, WHICH ARE REFUSED");
    }
    [None].into_iter().chain(three.ok().map(Some)).collect()
}

/// A cast that panics where it is to, and by several threads not before all of them have ended.
fn panics(pool: Option<&ThreadPool>, at: usize, cast: impl FnOnce(&Panics) + Send) {
    let join = Panics { at: AtomicUsize::new(at), by_threads: pool.is_some() };
    let result = catch_unwind(AssertUnwindSafe(|| match pool {
        Some(pool) => pool.install(|| cast(&join)),
        None => cast(&join),
    }));
    let message = result.expect_err("there are so many parts");
    assert_eq!(message.downcast_ref(), Some(&"on purpose"));
}

/// The places of the panic: in the first halves, and within smaller ones.
const AT: [usize; 6] = [0, 1, 2, 5, 9, 20];

/// A cast into a buffer.
type CastInto<'a> = dyn Fn(&mut [u8], &Panics) -> Result<(), RunError> + Sync + 'a;

#[test]
fn after_a_panic_nothing_is_written_any_more() {
    let kernel = Kernel::new(DType::UInt8, DType::Float32, &Options::DEFAULT);
    let src = vec![7u8; N];
    let transposed = StridedView::new(DType::UInt8, &src, 0, &[ROWS, COLS], &[1, ROWS as isize]);
    let transposed = transposed.unwrap();
    let flat = |dst: &mut [u8], join: &Panics| kernel.run_in_parts(&src, dst, N, join);
    let strided = |dst: &mut [u8], join: &Panics| {
        let mut dst = StridedViewMut::contiguous(DType::Float32, dst, &[ROWS, COLS]).unwrap();
        kernel.run_strided(&transposed, &mut dst, join)
    };
    let casts: [&CastInto; 2] = [&flat, &strided];
    let (right, free) = (7f32.to_ne_bytes(), [0x5a; 4]);
    for pool in pools() {
        for (cast, at) in casts.into_iter().flat_map(|cast| AT.map(|at| (cast, at))) {
            let mut dst = free.repeat(N + 1);
            // (Of one element more: this is not memory for results that is counted.)
            panics(pool.as_ref(), at, |join| cast(&mut dst[..4 * N], join).unwrap());
            let written = dst.chunks(4).filter(|element| **element == right).count();
            let left = dst.chunks(4).filter(|element| **element == free).count();
            assert_eq!(written + left, N + 1, "{pool:?}, {at}");
            // What was to be done where it panicked is not done; and of what is begun twenty times something is.
            let is_amid = left > N / 64 && (at < 20 || written > 0);
            assert!(is_amid, "{pool:?}, {at}: {written} of {N} written");
            dst.fill(0xa5);
            std::thread::sleep(Duration::from_millis(20));
            assert!(dst.iter().all(|&byte| byte == 0xa5), "{pool:?}, {at}: written after the end");
        }
    }
}

#[test]
fn after_a_panic_memory_for_results_is_given_back() {
    let kernel = Kernel::new(DType::UInt8, DType::Float32, &Options::DEFAULT);
    let src = vec![7u8; N];
    let transposed = StridedView::new(DType::UInt8, &src, 0, &[ROWS, COLS], &[1, ROWS as isize]);
    let transposed = transposed.unwrap();
    let pools = pools();
    for (pool, at) in pools.iter().flat_map(|pool| AT.map(|at| (pool.as_ref(), at))) {
        panics(pool, at, |join| drop(kernel.collect_in_parts::<f32>(&src, N, join).unwrap()));
        panics(pool, at, |join| drop(kernel.collect_strided::<f32>(&transposed, join).unwrap()));
    }
    let casts = pools.len() * AT.len() * 2;
    let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
    assert_eq!((count(&MEMORY.taken), count(&MEMORY.returned)), (casts, casts));
    // The next cast is whole.
    assert_eq!(kernel.collect::<f32>(&src, N), Ok(vec![7.0; N]));
    assert_eq!(kernel.collect_strided::<f32>(&transposed, &InOrder), Ok(vec![7.0; N]));
}
