//! arrow's casts of arrays. Its bools are packed.

use super::{Rival, timed_if_it_works};
use arrow_array::types::*;
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use arrow_schema::DataType;
use simdcast::DType;
use std::sync::Arc;

pub(crate) fn rival(from: DType, to: DType) -> Option<Rival> {
    if from == to {
        return None; // No cast: the array is shared.
    }
    let (make, to) = (maker(from)?, data_type(to)?);
    let run = move |windows: &[&[u8]], _: &mut [u8]| {
        let arrays: Vec<ArrayRef> = windows.iter().map(|window| make(window)).collect();
        timed_if_it_works(&arrays, |array| arrow_cast::cast(array, &to))
    };
    Some(Rival { name: "arrow-cast", run: Box::new(run) })
}

fn data_type(dtype: DType) -> Option<DataType> {
    Some(match dtype {
        DType::Bool1x8 => DataType::Boolean,
        DType::Int8 => DataType::Int8,
        DType::Int16 => DataType::Int16,
        DType::Int32 => DataType::Int32,
        DType::Int64 => DataType::Int64,
        DType::UInt8 => DataType::UInt8,
        DType::UInt16 => DataType::UInt16,
        DType::UInt32 => DataType::UInt32,
        DType::UInt64 => DataType::UInt64,
        DType::Float16 => DataType::Float16,
        DType::Float32 => DataType::Float32,
        DType::Float64 => DataType::Float64,
        _ => return None,
    })
}

type Make = fn(&[u8]) -> ArrayRef;

fn maker(dtype: DType) -> Option<Make> {
    Some(match data_type(dtype)? {
        DataType::Boolean => |bytes| {
            let bits = BooleanBuffer::new(Buffer::from(bytes), 0, 8 * bytes.len());
            Arc::new(BooleanArray::new(bits, None))
        },
        DataType::Int8 => array::<Int8Type>,
        DataType::Int16 => array::<Int16Type>,
        DataType::Int32 => array::<Int32Type>,
        DataType::Int64 => array::<Int64Type>,
        DataType::UInt8 => array::<UInt8Type>,
        DataType::UInt16 => array::<UInt16Type>,
        DataType::UInt32 => array::<UInt32Type>,
        DataType::UInt64 => array::<UInt64Type>,
        DataType::Float16 => array::<Float16Type>,
        DataType::Float32 => array::<Float32Type>,
        DataType::Float64 => array::<Float64Type>,
        _ => return None,
    })
}

fn array<T: ArrowPrimitiveType>(bytes: &[u8]) -> ArrayRef {
    let values = ScalarBuffer::<T::Native>::from(Buffer::from(bytes));
    Arc::new(PrimitiveArray::<T>::new(values, None))
}
