//! `half`'s slices.

use super::{Rival, on_slices};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use simdcast::DType;

pub(crate) fn rival(from: DType, to: DType) -> Option<Rival> {
    use DType::{BFloat16, Float16, Float32, Float64};
    const NAME: &str = "half";
    Some(match (from, to) {
        (Float32, Float16) => {
            on_slices(NAME, |src: &[f32], dst: &mut [f16]| dst.convert_from_f32_slice(src))
        }
        (Float64, Float16) => {
            on_slices(NAME, |src: &[f64], dst: &mut [f16]| dst.convert_from_f64_slice(src))
        }
        (Float32, BFloat16) => {
            on_slices(NAME, |src: &[f32], dst: &mut [bf16]| dst.convert_from_f32_slice(src))
        }
        (Float64, BFloat16) => {
            on_slices(NAME, |src: &[f64], dst: &mut [bf16]| dst.convert_from_f64_slice(src))
        }
        (Float16, Float32) => {
            on_slices(NAME, |src: &[f16], dst: &mut [f32]| src.convert_to_f32_slice(dst))
        }
        (Float16, Float64) => {
            on_slices(NAME, |src: &[f16], dst: &mut [f64]| src.convert_to_f64_slice(dst))
        }
        (BFloat16, Float32) => {
            on_slices(NAME, |src: &[bf16], dst: &mut [f32]| src.convert_to_f32_slice(dst))
        }
        (BFloat16, Float64) => {
            on_slices(NAME, |src: &[bf16], dst: &mut [f64]| src.convert_to_f64_slice(dst))
        }
        _ => return None,
    })
}
