//! `float8`'s numbers, one by one: it has nothing for slices.

use super::{Rival, on_slices};
use bytemuck::Pod;
use float8::{F8E4M3, F8E5M2};
use half::f16;
use simdcast::DType;

pub(crate) fn rival(from: DType, to: DType) -> Option<Rival> {
    use DType::{Float8E4M3Fn as E4, Float8E5M2 as E5, Float16, Float32, Float64};
    Some(match (from, to) {
        (Float32, E4) => each(F8E4M3::from_f32),
        (Float64, E4) => each(F8E4M3::from_f64),
        (Float32, E5) => each(F8E5M2::from_f32),
        (Float64, E5) => each(F8E5M2::from_f64),
        (E4, Float16) => each::<F8E4M3, f16>(|code| code.to_f16()),
        (E4, Float32) => each::<F8E4M3, f32>(|code| code.to_f32()),
        (E4, Float64) => each::<F8E4M3, f64>(|code| code.to_f64()),
        (E5, Float16) => each::<F8E5M2, f16>(|code| code.to_f16()),
        (E5, Float32) => each::<F8E5M2, f32>(|code| code.to_f32()),
        (E5, Float64) => each::<F8E5M2, f64>(|code| code.to_f64()),
        _ => return None,
    })
}

fn each<A: Pod, B: Pod>(cast: impl Fn(A) -> B + 'static) -> Rival {
    on_slices("float8", move |src: &[A], dst: &mut [B]| {
        for (from, to) in src.iter().zip(dst) {
            *to = cast(*from);
        }
    })
}
