//! A panic amid the parts of a cast, which only whoever brings the threads can cause: when it has reached the caller no
//! thread writes any more, and memory for results that no one gets is given back.

use rayon::ThreadPoolBuilder;
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

/// The threads of rayon, one of which panics before it does what so many others come before.
struct Panics(AtomicUsize);

impl Panics {
    fn come(&self) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 0 {
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
        rayon::join(a, b)
    }
}

/// Whether a cast by several threads panics where it is to, which is not before all of them have ended.
fn panics(at: usize, cast: impl FnOnce(&Panics) + Send) {
    let Ok(pool) = ThreadPoolBuilder::new().num_threads(3).build() else {
        eprintln!("NOT TESTED: PANICS AMID PARTS, FOR WHICH THERE ARE NO THREADS");
        return;
    };
    let join = Panics(AtomicUsize::new(at));
    let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| cast(&join))));
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
    for (i, cast) in casts.into_iter().enumerate() {
        for at in AT {
            let mut dst = free.repeat(N + 1);
            // (Of one element more: this is not memory for results that is counted.)
            panics(at, |join| cast(&mut dst[..4 * N], join).unwrap());
            let written = dst.chunks(4).filter(|element| **element == right).count();
            let left = dst.chunks(4).filter(|element| **element == free).count();
            assert_eq!(written + left, N + 1, "cast {i}, {at}");
            // What was to be done where it panicked is not done; and of what three threads have come to twenty times something is.
            let is_amid = left > N / 64 && (at < 20 || written > 0);
            assert!(is_amid, "cast {i}, {at}: {written} of {N} written");
            dst.fill(0xa5);
            std::thread::sleep(Duration::from_millis(20));
            assert!(dst.iter().all(|&byte| byte == 0xa5), "cast {i}, {at}: written after the end");
        }
    }
}

#[test]
fn after_a_panic_memory_for_results_is_given_back() {
    let kernel = Kernel::new(DType::UInt8, DType::Float32, &Options::DEFAULT);
    let src = vec![7u8; N];
    let transposed = StridedView::new(DType::UInt8, &src, 0, &[ROWS, COLS], &[1, ROWS as isize]);
    let transposed = transposed.unwrap();
    for at in AT {
        panics(at, |join| drop(kernel.collect_in_parts::<f32>(&src, N, join).unwrap()));
        panics(at, |join| drop(kernel.collect_strided::<f32>(&transposed, join).unwrap()));
    }
    let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
    assert_eq!((count(&MEMORY.taken), count(&MEMORY.returned)), (12, 12));
    // The next cast is whole.
    assert!(
        kernel.collect_strided::<f32>(&transposed, &InOrder).unwrap().iter().all(|&x| x == 7.0)
    );
}
