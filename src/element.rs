//! Rust types <-> dtypes.

use bytemuck::NoUninit;
use simdcast_kernels::{Join, Kernel, Out, RunError, StridedView, Typed};
#[cfg(feature = "ndarray")]
use simdcast_kernels::{LayoutError, StridedViewMut};

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A Rust type whose values are elements of a dtype: Rust's integers but those of 128 bits (`isize` and `usize` are those of
/// as many bits), bool, f32 and f64; `half`'s `f16` and `bf16`; `num_complex::Complex` of these four floats; and the newtypes
/// of this crate, such as [`Float8E4M3Fn`](crate::Float8E4M3Fn).
pub trait Element: Typed + NoUninit + Send + Sync + 'static + sealed::Sealed {
    /// The bytes of a slice.
    #[doc(hidden)]
    fn bytes(values: &[Self]) -> &[u8];

    /// A slice as what a kernel writes to.
    #[doc(hidden)]
    fn out(values: &mut [Self]) -> Out<'_>;

    /// Runs a kernel into a new vector of `n` elements.
    #[doc(hidden)]
    fn collect(
        kernel: &Kernel,
        src: &[u8],
        n: usize,
        join: &impl Join,
    ) -> Result<Vec<Self>, RunError>;

    /// Runs a kernel from a view into a new vector.
    #[doc(hidden)]
    fn collect_strided(
        kernel: &Kernel,
        src: &StridedView<'_>,
        join: &impl Join,
    ) -> Result<Vec<Self>, RunError>;

    /// The elements of an array, as what a kernel writes to.
    #[cfg(feature = "ndarray")]
    #[doc(hidden)]
    fn target<D: ndarray::Dimension>(
        array: ndarray::ArrayViewMut<'_, Self, D>,
    ) -> Result<StridedViewMut<'_>, LayoutError>;
}

/// Makes elements of types that any bytes are values of: Rust's own numbers here, the newtypes in
/// their module.
macro_rules! plain_data {
    ($($type:ty)*) => {$(
        impl $crate::element::sealed::Sealed for $type {}

        impl $crate::Element for $type {
            #[inline(always)]
            fn bytes(values: &[Self]) -> &[u8] {
                bytemuck::cast_slice(values)
            }

            #[inline(always)]
            fn out(values: &mut [Self]) -> simdcast_kernels::Out<'_> {
                bytemuck::cast_slice_mut::<Self, u8>(values).into()
            }

            fn collect(
                kernel: &simdcast_kernels::Kernel,
                src: &[u8],
                n: usize,
                join: &impl simdcast_kernels::Join,
            ) -> Result<Vec<Self>, simdcast_kernels::RunError> {
                kernel.collect_in_parts(src, n, join)
            }

            fn collect_strided(
                kernel: &simdcast_kernels::Kernel,
                src: &simdcast_kernels::StridedView<'_>,
                join: &impl simdcast_kernels::Join,
            ) -> Result<Vec<Self>, simdcast_kernels::RunError> {
                kernel.collect_strided(src, join)
            }

            #[cfg(feature = "ndarray")]
            fn target<D: ndarray::Dimension>(
                array: ndarray::ArrayViewMut<'_, Self, D>,
            ) -> Result<simdcast_kernels::StridedViewMut<'_>, simdcast_kernels::LayoutError> {
                simdcast_kernels::StridedViewMut::of_array(array)
            }
        }
    )*};
}
pub(crate) use plain_data;

#[cfg(any(target_pointer_width = "32", target_pointer_width = "64"))]
plain_data! {
    isize
    usize
}

plain_data! {
    i8
    i16
    i32
    i64
    u8
    u16
    u32
    u64
    half::f16
    half::bf16
    f32
    f64
    num_complex::Complex<half::f16>
    num_complex::Complex<half::bf16>
    num_complex::Complex<f32>
    num_complex::Complex<f64>
}

impl sealed::Sealed for bool {}

impl Element for bool {
    #[inline(always)]
    fn bytes(values: &[Self]) -> &[u8] {
        bytemuck::cast_slice(values)
    }

    #[inline(always)]
    fn out(values: &mut [Self]) -> Out<'_> {
        values.into()
    }

    fn collect(
        kernel: &Kernel,
        src: &[u8],
        n: usize,
        join: &impl Join,
    ) -> Result<Vec<Self>, RunError> {
        kernel.collect_bools_in_parts(src, n, join)
    }

    fn collect_strided(
        kernel: &Kernel,
        src: &StridedView<'_>,
        join: &impl Join,
    ) -> Result<Vec<Self>, RunError> {
        kernel.collect_bools_strided(src, join)
    }

    #[cfg(feature = "ndarray")]
    fn target<D: ndarray::Dimension>(
        array: ndarray::ArrayViewMut<'_, Self, D>,
    ) -> Result<StridedViewMut<'_>, LayoutError> {
        StridedViewMut::of_bools(array)
    }
}
