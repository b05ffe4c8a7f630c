//! `ndarray`'s views as views.

use super::view::{DIMENSIONS, LayoutError, StridedView, StridedViewMut};
use crate::typed::Typed;
use bytemuck::{NoUninit, Pod};
use ndarray::{ArrayView, ArrayViewMut, Dimension};

/// Whether elements of a type are as large as those of its dtype.
const fn has_size<A: Typed>() -> bool {
    matches!(A::DTYPE.size(), Some(size) if size == size_of::<A>())
}

/// The bytes from an element to the next in each dimension. (Where there is no other element they mean
/// nothing, and may be more than can be counted.)
fn byte_strides<A>(strides: &[isize]) -> Result<[isize; DIMENSIONS], LayoutError> {
    let mut bytes = [0; DIMENSIONS];
    if strides.len() > DIMENSIONS {
        return Err(LayoutError::Dimensions { given: strides.len() });
    }
    for (bytes, stride) in bytes.iter_mut().zip(strides) {
        *bytes = stride.wrapping_mul(size_of::<A>() as isize);
    }
    Ok(bytes)
}

impl<'a> StridedView<'a> {
    /// The elements of an array.
    ///
    /// # Errors
    /// [`LayoutError::Dimensions`] if it has more than 32 dimensions.
    pub fn of_array<A: Typed + NoUninit, D: Dimension>(
        array: &ArrayView<'a, A, D>,
    ) -> Result<Self, LayoutError> {
        const { assert!(has_size::<A>()) };
        let strides = byte_strides::<A>(array.strides())?;
        // SAFETY: the array's elements are borrowed for `'a`, have no byte without a value, and lie where
        // its strides tell.
        unsafe {
            let (shape, strides) = (array.shape(), &strides[..array.ndim()]);
            Self::from_raw(A::DTYPE, array.as_ptr().cast(), shape, strides)
        }
    }
}

impl<'a> StridedViewMut<'a> {
    /// The elements of an array, to be written to.
    ///
    /// # Errors
    /// [`LayoutError::Dimensions`] if it has more than 32 dimensions; [`LayoutError::Unclear`] if elements lie between each
    /// other in a way that slices of arrays don't, and it takes too long to tell whether they overlap.
    pub fn of_array<A: Typed + Pod, D: Dimension>(
        array: ArrayViewMut<'a, A, D>,
    ) -> Result<Self, LayoutError> {
        // SAFETY: they may hold any bytes.
        unsafe { Self::of_elements(array) }
    }

    /// The same of an array of bools.
    ///
    /// # Errors
    /// As [`of_array`](Self::of_array).
    pub fn of_bools<D: Dimension>(array: ArrayViewMut<'a, bool, D>) -> Result<Self, LayoutError> {
        // SAFETY: a view is written to by casts to its dtype alone, and those to bool write 0 and 1.
        unsafe { Self::of_elements(array) }
    }

    /// # Safety
    /// The elements may hold whatever casts to their dtype write.
    unsafe fn of_elements<A: Typed, D: Dimension>(
        mut array: ArrayViewMut<'a, A, D>,
    ) -> Result<Self, LayoutError> {
        const { assert!(has_size::<A>()) };
        let strides = byte_strides::<A>(array.strides())?;
        let first = array.as_mut_ptr().cast();
        // SAFETY: the array's elements are borrowed exclusively for `'a`, and lie where its strides tell; what is written
        // there is the caller's.
        unsafe { Self::from_raw(A::DTYPE, first, array.shape(), &strides[..array.ndim()]) }
    }
}
