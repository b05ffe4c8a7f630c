//! Casts by the threads of rayon.

use crate::cast::Cast;
use crate::element::Element;
use crate::error::CastError;
use crate::options::CastOptions;
use rayon::ThreadPoolBuilder;
use simdcast_kernels::{Join, Kernel, Options};
use std::error::Error;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::thread;

/// The threads of the pool that the caller is in; outside of one, of rayon's own.
pub(crate) struct Threads {
    /// How many may be at work at once, if that is stated.
    pub(crate) limit: Option<NonZeroUsize>,
}

/// All of them.
pub(crate) const ALL: Threads = Threads { limit: None };

/// How many parts there are for a thread, so that one that comes late leaves some to the others.
const PARTS_OF_A_THREAD: usize = 8;

/// Work of fewer parts than this is left to the thread that asks. It is 4 MiB of source and destination:
/// less may be in that thread's own cache, from where others would have to fetch it. (Measured on two
/// cores with 2 MiB of L2 cache each, six pairs: two threads take 0.85 to 1.5 times as long as one for 1
/// MiB, 0.63 to 1.02 times for 2 MiB, and 0.59 to 0.79 times for 4 MiB.)
const WORTH: usize = 16;

impl Join for Threads {
    fn parts(&self, most: usize) -> usize {
        // (Asking rayon for its threads starts them, if no one has yet.)
        let limit = self.limit.map_or(usize::MAX, NonZeroUsize::get);
        if most < WORTH || limit == 1 {
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
    B::collect(kernel, bytes, src.len(), &ALL)
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
        self.in_parts(src, dst, elements, &Threads { limit: Some(threads) })
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
