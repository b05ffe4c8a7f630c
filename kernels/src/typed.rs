//! The Rust types that are elements of a dtype. The newtypes of the small formats are the public
//! crate's.

use crate::dtypes::DType;

/// A Rust type that is an element of a dtype. It has the dtype's size; nothing unsafe relies on it.
pub trait Typed {
    /// The dtype.
    const DTYPE: DType;
}

macro_rules! typed {
    ($($type:ty => $dtype:ident;)*) => {
        $(impl Typed for $type {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}

typed! {
    bool => Bool;
    i8 => Int8;
    i16 => Int16;
    i32 => Int32;
    i64 => Int64;
    u8 => UInt8;
    u16 => UInt16;
    u32 => UInt32;
    u64 => UInt64;
    f32 => Float32;
    f64 => Float64;
}

#[cfg(target_pointer_width = "64")]
typed! {
    isize => Int64;
    usize => UInt64;
}

#[cfg(target_pointer_width = "32")]
typed! {
    isize => Int32;
    usize => UInt32;
}

#[cfg(feature = "half")]
typed! {
    half::f16 => Float16;
    half::bf16 => BFloat16;
}

#[cfg(feature = "num-complex")]
typed! {
    num_complex::Complex<f32> => Complex64;
    num_complex::Complex<f64> => Complex128;
}

#[cfg(all(feature = "half", feature = "num-complex"))]
typed! {
    num_complex::Complex<half::f16> => Complex32;
    num_complex::Complex<half::bf16> => BComplex32;
}

impl DType {
    /// The dtype of a Rust type.
    ///
    /// ```
    /// # use simdcast_kernels::DType;
    /// assert_eq!(DType::of::<f32>(), DType::Float32);
    /// ```
    pub const fn of<T: Typed>() -> DType {
        T::DTYPE
    }
}
