//! Casts by the threads of rayon.

use crate::cast::Cast;
use crate::element::Element;
use crate::error::CastError;
use crate::options::CastOptions;
use rayon::ThreadPoolBuilder;
use simdcast_kernels::{Join, Kernel, Options};
use std::error::Error;
use std::io::ErrorKind;
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::thread;

/// The threads of the pool that the caller is in; outside of one, of rayon's own.
pub(crate) struct Threads {
    /// How many may be at work at once, if that is stated.
    limit: Option<NonZeroUsize>,
    /// Work of fewer parts than this is left to the thread that asks.
    worth: usize,
}

/// All of them.
pub(crate) const ALL: Threads = Threads { limit: None, worth: WORTH };

/// All of them, into memory that is new.
pub(crate) const FRESH: Threads = Threads { limit: None, worth: WORTH_FRESH };

/// How many parts there are for a thread, so that one that comes late leaves some to the others.
const PARTS_OF_A_THREAD: usize = 8;

/// What is worth more threads than one: 4 MiB of source and destination. Less may be in that thread's own cache, from where
/// others would have to fetch it. (Measured on two cores with 2 MiB of L2 cache each, six pairs: two threads take 0.85 to 1.5
/// times as long as one for 1 MiB, 0.63 to 1.02 times for 2 MiB, and 0.59 to 0.79 times for 4 MiB.)
const WORTH: usize = 16;

/// The same where memory is new: 16 MiB. (Two threads of a Zen 5 take as long as one for 8 MiB in the mean, and at best, which
/// is in memory that the allocator had kept, 1.3 times as long; from 16 MiB on 0.5 to 0.9 times.)
const WORTH_FRESH: usize = 64;

impl Threads {
    /// At most so many.
    pub(crate) const fn at_most(limit: NonZeroUsize) -> Self {
        Self { limit: Some(limit), ..ALL }
    }
}

impl Join for Threads {
    fn parts(&self, most: usize) -> usize {
        // (Asking rayon for its threads starts them, if no one has yet.)
        let limit = self.limit.map_or(usize::MAX, NonZeroUsize::get);
        if most < self.worth || limit == 1 {
            return 1;
        }
        match threads() {
            threads if limit < threads => limit,
            1 => 1,
            threads => most.min(threads * PARTS_OF_A_THREAD),
        }
    }

    fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        rayon::join(a, b)
    }
}

/// How many threads rayon has: 1 if the system grants it none, at which rayon itself panics.
fn threads() -> usize {
    /// What is known of rayon's own pool, for good.
    static POOL: OnceLock<bool> = OnceLock::new();
    // (A pool that the caller is in is there.)
    let is_there = rayon::current_thread_index().is_some()
        || POOL.get().copied().unwrap_or_else(|| match can_have_threads() {
            true => *POOL.get_or_init(is_granted),
            false => false,
        });
    if is_there { rayon::current_num_threads() } else { 1 }
}

/// Whether the system grants one more thread now, or has none at all, where rayon makes do with the caller's. What rayon is
/// refused once it is for good, while others may use it later: so it is not asked before.
fn can_have_threads() -> bool {
    match thread::Builder::new().spawn(|| ()) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::Unsupported,
    }
}

/// Whether rayon's own pool is there, or can be, which does not change any more.
fn is_granted() -> bool {
    match ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // A refusal has what the system says as its source. Else someone has asked before: that it was refused then is told
        // by a panic alone.
        Err(error) => error.source().is_none() && catch_unwind(rayon::current_num_threads).is_ok(),
    }
}

/// As [`cast`](crate::cast), by the threads of rayon if there is enough to do: of the pool that the
/// caller is in, or else of the global one. The bits don't depend on how many there are.
///
/// The global ones are started when there is work for several at first; if the system grants none, the caller's thread does
/// it all. A process that is forked afterwards does not have them: what casts so there waits for ever.
///
/// # Errors
/// As [`cast`](crate::cast).
///
/// ```
/// let floats: Vec<f32> = (0..1_000_000).map(|i| i as f32).collect();
/// let mut halves = vec![half::f16::ZERO; floats.len()];
/// simdcast::par_cast(&floats, &mut halves)?;
/// assert_eq!(halves[2049].to_f32(), 2048.0);
/// # Ok::<(), simdcast::CastError>(())
/// ```
pub fn par_cast<A: Element, B: Element>(src: &[A], dst: &mut [B]) -> Result<(), CastError> {
    par_cast_with(src, dst, &CastOptions::new())
}

/// As [`cast_with`](crate::cast_with), by the threads of rayon.
///
/// # Errors
/// As [`cast_with`](crate::cast_with); under [`Overflow::Error`](crate::Overflow::Error) any element
/// may have been written.
pub fn par_cast_with<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
) -> Result<(), CastError> {
    let kernel = Kernel::new(A::DTYPE, B::DTYPE, options.as_options());
    let (bytes, n) = (A::bytes(src), dst.len());
    kernel
        .run_in_parts(bytes, B::out(dst), n, &ALL)
        .map_err(|error| CastError::from_run(error, &kernel, bytes))
}

/// As [`cast_vec`](crate::cast_vec), by the threads of rayon, each of which is the first to touch the
/// memory that it writes to.
///
/// (Less than 16 MiB of elements and results are left to the caller's thread, which takes no longer alone.)
///
/// # Panics
/// As [`cast_vec`](crate::cast_vec).
///
/// ```
/// let wide: Vec<f64> = simdcast::par_cast_vec(&vec![1u8; 100_000]);
/// assert_eq!(wide.iter().sum::<f64>(), 100_000.0);
/// ```
pub fn par_cast_vec<A: Element, B: Element>(src: &[A]) -> Vec<B> {
    let kernel = Kernel::new(A::DTYPE, B::DTYPE, &Options::DEFAULT);
    collect(&kernel, src).unwrap_or_else(|error| panic!("{error}"))
}

/// As [`cast_vec_with`](crate::cast_vec_with), by the threads of rayon.
///
/// # Errors
/// As [`cast_vec_with`](crate::cast_vec_with).
pub fn par_cast_vec_with<A: Element, B: Element>(
    src: &[A],
    options: &CastOptions,
) -> Result<Vec<B>, CastError> {
    collect(&Kernel::new(A::DTYPE, B::DTYPE, options.as_options()), src)
}

fn collect<A: Element, B: Element>(kernel: &Kernel, src: &[A]) -> Result<Vec<B>, CastError> {
    let bytes = A::bytes(src);
    B::collect(kernel, bytes, src.len(), &FRESH)
        .map_err(|error| CastError::from_run(error, kernel, bytes))
}

impl Cast {
    /// As [`run`](Self::run), by the threads of rayon if there is enough to do: of the pool that the
    /// caller is in, or else of the global one. The bits don't depend on how many there are.
    ///
    /// # Errors
    /// As [`run`](Self::run). Under [`Overflow::Error`](crate::Overflow::Error) the error tells the first
    /// element of all that don't fit; any element may have been written.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType};
    ///
    /// let cast = Cast::new(DType::UInt8, DType::Float32, CastOptions::new())?;
    /// let mut floats = vec![0; 4 << 20];
    /// cast.par_run(&vec![7; 1 << 20], &mut floats)?;
    /// assert_eq!(floats[..4], 7f32.to_ne_bytes());
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn par_run(&self, src: &[u8], dst: &mut [u8]) -> Result<(), CastError> {
        let elements = self.elements(src.len(), dst.len())?;
        self.par_run_n(src, dst, elements).map_err(CastError::without_count)
    }

    /// As [`par_run`](Self::par_run) for `elements` elements, which must be all that either buffer holds.
    ///
    /// # Errors
    /// As [`par_run`](Self::par_run), but for [`CastError::CountNeeded`].
    pub fn par_run_n(&self, src: &[u8], dst: &mut [u8], elements: usize) -> Result<(), CastError> {
        self.in_parts(src, dst, elements, &ALL)
    }

    /// As [`par_run_n`](Self::par_run_n), in at most so many parts at once.
    ///
    /// # Errors
    /// As [`par_run_n`](Self::par_run_n).
    pub fn par_run_limited(
        &self,
        src: &[u8],
        dst: &mut [u8],
        elements: usize,
        threads: NonZeroUsize,
    ) -> Result<(), CastError> {
        self.in_parts(src, dst, elements, &Threads::at_most(threads))
    }

    /// As [`run_uninit`](Self::run_uninit), by the threads of rayon if there is enough to do: 4 MiB, as into memory that is there
    /// already, not 16 MiB, as into a new vector.
    ///
    /// # Errors
    /// As [`run_uninit`](Self::run_uninit).
    pub fn par_run_uninit<'a>(
        &self,
        src: &[u8],
        dst: &'a mut [MaybeUninit<u8>],
        elements: usize,
    ) -> Result<&'a mut [u8], CastError> {
        self.uninit_in_parts(src, dst, elements, &ALL)
    }

    fn in_parts(
        &self,
        src: &[u8],
        dst: &mut [u8],
        elements: usize,
        join: &impl Join,
    ) -> Result<(), CastError> {
        self.kernel()
            .run_in_parts(src, dst, elements, join)
            .map_err(|error| CastError::from_run(error, self.kernel(), src))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdcast_kernels::DType;
    use std::collections::HashSet;
    use std::io::Write;
    use std::sync::{Condvar, Mutex};
    use std::thread::ThreadId;
    use std::time::Duration;

    /// Does as all threads do, but that none of them goes on before two are there: one alone would do everything where it
    /// is done before another wakes up.
    #[derive(Default)]
    struct Together {
        seen: Mutex<HashSet<ThreadId>>,
        more: Condvar,
    }

    impl Together {
        fn meet(&self) {
            let mut seen = self.seen.lock().unwrap();
            seen.insert(thread::current().id());
            self.more.notify_all();
            let is_alone = |seen: &mut HashSet<ThreadId>| seen.len() < 2;
            let long = Duration::from_secs(60);
            let (seen, waited) = self.more.wait_timeout_while(seen, long, is_alone).unwrap();
            drop(seen);
            assert!(!waited.timed_out(), "no other thread has come");
        }
    }

    impl Join for Together {
        fn parts(&self, most: usize) -> usize {
            ALL.parts(most)
        }

        fn join<A: Send, B: Send>(
            &self,
            a: impl FnOnce() -> A + Send,
            b: impl FnOnce() -> B + Send,
        ) -> (A, B) {
            ALL.join(
                || {
                    self.meet();
                    a()
                },
                || {
                    self.meet();
                    b()
                },
            )
        }
    }

    /// A pool that a caller may have, if the system grants it.
    fn pool(threads: usize) -> Option<rayon::ThreadPool> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        if pool.is_err() {
            _ = writeln!(std::io::stderr(), "NOT TESTED: A POOL OF THREADS, WHICH ARE REFUSED");
        }
        pool.ok()
    }

    #[test]
    fn new_memory_takes_more_work_to_be_worth_others() {
        let Some(pool) = pool(2) else { return };
        pool.install(|| {
            assert_eq!([ALL.parts(WORTH - 1), FRESH.parts(WORTH_FRESH - 1)], [1; 2]);
            assert!(ALL.parts(WORTH) > 1 && FRESH.parts(WORTH_FRESH) > 1);
        });
        assert_eq!(FRESH.parts(WORTH), 1);
    }

    #[test]
    fn threads_of_the_callers_pool_work() {
        let Some(pool) = pool(3) else { return };
        let kernel = Kernel::new(DType::UInt8, DType::Float32, &Options::DEFAULT);
        let (src, join) = (vec![7; 1 << 20], Together::default());
        let floats = pool.install(|| kernel.collect_in_parts::<f32>(&src, src.len(), &join));
        assert_eq!(floats, Ok(vec![7.0; 1 << 20]));
        let seen = join.seen.into_inner().unwrap();
        let theirs: HashSet<_> = pool.broadcast(|_| thread::current().id()).into_iter().collect();
        assert!(seen.len() > 1 && seen.is_subset(&theirs), "{seen:?} of {theirs:?}");
    }

    /// Some for each thread of the pool that the caller is in, if there is enough to do; but no more than are stated.
    #[test]
    fn parts_are_as_many_as_threads_need() {
        for threads in [1, 2, 3, 5] {
            let Some(pool) = pool(threads) else { return };
            let parts = |limit, most| {
                let threads = NonZeroUsize::new(limit).map_or(ALL, Threads::at_most);
                pool.install(|| threads.parts(most))
            };
            let all = if threads == 1 { 1 } else { 8 * threads };
            // (No limit is 0 here.)
            for (most, wanted) in [(15, 1), (16, all.min(16)), (17, all.min(17)), (1000, all)] {
                assert_eq!(parts(0, most), wanted, "{threads} threads, {most} parts");
            }
            assert_eq!([1, threads, 9].map(|limit| parts(limit, 1000)), [1, all, all]);
            if threads > 1 {
                assert_eq!(parts(threads - 1, 1000), threads - 1);
            }
        }
    }
}
