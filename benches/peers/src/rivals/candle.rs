//! candle's casts of tensors on the CPU.

use super::{Rival, timed_if_it_works};
use bytemuck::Pod;
use candle_core::{Device, Tensor, WithDType};
use float8::F8E4M3;
use half::{bf16, f16};
use simdcast::DType;

pub(crate) fn rival(from: DType, to: DType) -> Option<Rival> {
    if from == to {
        return None; // No cast: the tensor is shared.
    }
    if (from, to) == (DType::Float8E4M3Fn, DType::Float64) {
        return None; // In candle-core 0.11.1 this one calls itself, and never returns.
    }
    let (make, to) = (maker(from)?, dtype(to)?);
    let run = move |windows: &[&[u8]], _: &mut [u8]| {
        let tensors: Option<Vec<Tensor>> = windows.iter().map(|window| make(window)).collect();
        timed_if_it_works(&tensors?, |tensor| tensor.to_dtype(to))
    };
    Some(Rival { name: "candle-core", run: Box::new(run) })
}

fn dtype(dtype: DType) -> Option<candle_core::DType> {
    use candle_core::DType as Candle;
    Some(match dtype {
        DType::UInt8 => Candle::U8,
        DType::UInt32 => Candle::U32,
        DType::Int16 => Candle::I16,
        DType::Int32 => Candle::I32,
        DType::Int64 => Candle::I64,
        DType::BFloat16 => Candle::BF16,
        DType::Float16 => Candle::F16,
        DType::Float32 => Candle::F32,
        DType::Float64 => Candle::F64,
        DType::Float8E4M3Fn => Candle::F8E4M3,
        _ => return None,
    })
}

type Make = fn(&[u8]) -> Option<Tensor>;

fn maker(dtype: DType) -> Option<Make> {
    Some(match dtype {
        DType::UInt8 => tensor::<u8>,
        DType::UInt32 => tensor::<u32>,
        DType::Int16 => tensor::<i16>,
        DType::Int32 => tensor::<i32>,
        DType::Int64 => tensor::<i64>,
        DType::BFloat16 => tensor::<bf16>,
        DType::Float16 => tensor::<f16>,
        DType::Float32 => tensor::<f32>,
        DType::Float64 => tensor::<f64>,
        DType::Float8E4M3Fn => tensor::<F8E4M3>,
        _ => return None,
    })
}

fn tensor<T: WithDType + Pod>(bytes: &[u8]) -> Option<Tensor> {
    let elements: &[T] = bytemuck::cast_slice(bytes);
    Tensor::from_slice(elements, elements.len(), &Device::Cpu).ok()
}
