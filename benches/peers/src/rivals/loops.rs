//! Rivals that are [plain loops](super::plain).

use super::plain::AsTo;
use super::{Rival, on_slices};
use bytemuck::Pod;
use simdcast::{DType, Element};

/// The loops of a pair.
pub(crate) fn rivals(from: DType, to: DType) -> Vec<Rival> {
    macro_rules! first {
        ($($from:ident)*) => {$(
            if from == dtype::<$from>() {
                return second::<$from>(to);
            }
        )*};
    }
    first!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    Vec::new()
}

trait AsToAll:
    AsTo<i8>
    + AsTo<i16>
    + AsTo<i32>
    + AsTo<i64>
    + AsTo<u8>
    + AsTo<u16>
    + AsTo<u32>
    + AsTo<u64>
    + AsTo<f32>
    + AsTo<f64>
{
}

macro_rules! as_to_all {
    ($($from:ident)*) => {$(impl AsToAll for $from {})*};
}
as_to_all!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

fn second<A: AsToAll + Pod>(to: DType) -> Vec<Rival> {
    macro_rules! second {
        ($($to:ident)*) => {$(
            if to == dtype::<$to>() {
                return both::<A, $to>();
            }
        )*};
    }
    second!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    Vec::new()
}

fn both<A: AsTo<B> + Pod, B: Pod>() -> Vec<Rival> {
    let native = A::native().map(|native| on_slices("as loop, native", native));
    [on_slices("as loop", A::plain)].into_iter().chain(native).collect()
}

const fn dtype<T: Element>() -> DType {
    T::DTYPE
}
