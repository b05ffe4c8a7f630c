//! What the library is compared with: for a pair of dtypes, everything else that casts it.
//!
//! A rival does what its users would call for a buffer. `half`, `float8`, NumKong and the plain loops write
//! into a buffer that is there, as the library does; arrow and candle make a new array in each call, and
//! whatever that costs is theirs. (Their arrays of the source are made before the clock starts.)

#[cfg(feature = "peers")]
mod arrow;
#[cfg(feature = "peers")]
mod candle;
#[cfg(feature = "peers")]
mod float8;
#[cfg(feature = "peers")]
mod half;
mod loops;
#[cfg(feature = "peers")]
mod numkong;
#[path = "../../../casts/plain.rs"]
mod plain;

use bytemuck::Pod;
use simdcast::DType;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Casts each of the windows, all of the same length, to the destination, and answers how long that took;
/// None if it failed.
type Run = dyn FnMut(&[&[u8]], &mut [u8]) -> Option<Duration>;

/// Another way to cast a pair.
pub(crate) struct Rival {
    pub(crate) name: &'static str,
    pub(crate) run: Box<Run>,
}

/// All other ways to cast a pair.
pub(crate) fn of(from: DType, to: DType) -> Vec<Rival> {
    loops::rivals(from, to).into_iter().chain(libraries(from, to)).collect()
}

#[cfg(feature = "peers")]
fn libraries(from: DType, to: DType) -> impl Iterator<Item = Rival> {
    [half::rival, float8::rival, numkong::rival, arrow::rival, candle::rival]
        .into_iter()
        .filter_map(move |rival| rival(from, to))
}

#[cfg(not(feature = "peers"))]
fn libraries(_: DType, _: DType) -> impl Iterator<Item = Rival> {
    std::iter::empty()
}

/// The crates whose versions matter.
pub(crate) const CRATES: [&str; 6] =
    ["simdcast", "half", "float8", "numkong", "arrow-cast", "candle-core"];

/// A rival that writes into a buffer that is there. Both are aligned to cache lines.
fn on_slices<A: Pod, B: Pod>(name: &'static str, cast: impl Fn(&[A], &mut [B]) + 'static) -> Rival {
    let run = move |windows: &[&[u8]], dst: &mut [u8]| {
        let windows: Vec<&[A]> =
            windows.iter().map(|window| bytemuck::cast_slice(window)).collect();
        let dst: &mut [B] = bytemuck::cast_slice_mut(dst);
        Some(timed(&windows, |window| {
            cast(window, dst);
            black_box(&mut *dst);
        }))
    };
    Rival { name, run: Box::new(run) }
}

/// How long it takes to do something to all of them.
fn timed<T>(windows: &[T], mut each: impl FnMut(&T)) -> Duration {
    let windows = black_box(windows);
    let start = Instant::now();
    for window in windows {
        each(window);
    }
    start.elapsed()
}

/// The same, where each may fail.
#[cfg(feature = "peers")]
fn timed_if_it_works<T, R, E>(
    windows: &[T],
    mut each: impl FnMut(&T) -> Result<R, E>,
) -> Option<Duration> {
    let mut works = true;
    let time = timed(windows, |window| works &= black_box(each(window)).is_ok());
    works.then_some(time)
}

/// Makes a function from pairs of dtypes to rivals, of a macro that makes a rival of two types.
#[cfg(feature = "peers")]
macro_rules! by_types {
    ($make:ident: $($dtype:ident $type:ty),* $(,)?) => {
        $crate::rivals::by_types!(@from $make [$($dtype $type),*] $(($dtype $type))*)
    };
    (@from $make:ident $all:tt $($from:tt)*) => {
        |from: DType, to: DType| -> Option<Rival> {
            if from == to {
                return None;
            }
            $($crate::rivals::by_types!(@to from to $make $from $all);)*
            None
        }
    };
    (@to $x:ident $y:ident $make:ident ($dtype:ident $type:ty) [$($to:ident $other:ty),*]) => {
        if $x == DType::$dtype {
            return match $y {
                $(DType::$to => Some($make::<$type, $other>()),)*
                _ => None,
            };
        }
    };
}
#[cfg(feature = "peers")]
pub(crate) use by_types;
