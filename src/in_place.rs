//! Casts of elements where they are.

use crate::cast::Cast;
use crate::element::Element;
use crate::error::CastError;
use crate::options::CastOptions;
use bytemuck::{Pod, allocation};
use simdcast_kernels::Kernel;

impl Cast {
    /// Casts the first `elements` elements of a buffer into as many that it starts with afterwards. It must
    /// have room for both; elements may become larger or smaller.
    ///
    /// Bytes after the larger of both stay as they are. Where elements become smaller, bytes of theirs are
    /// left over after the results, unspecified.
    ///
    /// # Errors
    /// [`CastError::InPlace`] if the buffer is too small. [`CastError::Unfit`] under
    /// [`Overflow::Error`](crate::Overflow::Error), for the first element that does not fit. In either case
    /// the buffer is as it was: to know that all elements fit takes a pass of its own.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType};
    ///
    /// let mut buffer = [1, 0xff, 3, 0, 0, 0, 0, 0];
    /// Cast::new(DType::Int8, DType::Int16, CastOptions::new())?.run_in_place(&mut buffer, 3)?;
    /// assert_eq!(bytemuck::cast::<_, [i16; 4]>(buffer), [1, -1, 3, 0]);
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn run_in_place(&self, buffer: &mut [u8], elements: usize) -> Result<(), CastError> {
        in_place(self.kernel(), buffer, elements)
    }
}

fn in_place(kernel: &Kernel, buffer: &mut [u8], elements: usize) -> Result<(), CastError> {
    // What does not fit is still there to be told.
    let result = kernel.run_in_place(buffer, elements);
    result.map_err(|error| CastError::from_run(error, kernel, buffer))
}

/// Casts every element of a slice into one of another type of the same size, where it is, under the
/// default options.
///
/// Bools are not among these types, as not any byte is one: [`Cast::run_in_place`] casts theirs.
///
/// # Errors
/// [`CastError::Recast`] if the types have different sizes, or the slice does not start where elements
/// of the other type may; it is as it was then.
///
/// ```
/// let mut floats = [1.5f32, -2.0, 1e10];
/// let ints: &mut [i32] = simdcast::cast_in_place(&mut floats)?;
/// assert_eq!(ints, [1, -2, i32::MAX]);
/// # Ok::<(), simdcast::CastError>(())
/// ```
pub fn cast_in_place<A: Element + Pod, B: Element + Pod>(
    values: &mut [A],
) -> Result<&mut [B], CastError> {
    cast_in_place_with(values, &CastOptions::new())
}

/// Casts every element of a slice into one of another type of the same size, where it is.
///
/// # Errors
/// As [`cast_in_place`], and [`CastError::Unfit`] under [`Overflow::Error`](crate::Overflow::Error).
/// Then, too, the slice is as it was.
pub fn cast_in_place_with<'a, A: Element + Pod, B: Element + Pod>(
    values: &'a mut [A],
    options: &CastOptions,
) -> Result<&'a mut [B], CastError> {
    if values.is_empty() && size_of::<A>() == size_of::<B>() {
        // It may start anywhere.
        return Ok(&mut []);
    }
    let aligned = values.as_ptr().addr().is_multiple_of(align_of::<B>());
    if size_of::<A>() != size_of::<B>() || !aligned {
        return Err(recast::<A, B>(1 << values.as_ptr().addr().trailing_zeros().min(12)));
    }
    let kernel = Kernel::new(A::DTYPE, B::DTYPE, options.as_options());
    let elements = values.len();
    in_place(&kernel, bytemuck::cast_slice_mut(values), elements)?;
    Ok(bytemuck::cast_slice_mut(values))
}

/// Casts every element of a vector into one of another type of the same size, under the default options,
/// in the memory that the vector has.
///
/// # Errors
/// [`CastError::Recast`] with the vector, as it was, if the types have different sizes or alignments.
///
/// ```
/// let floats = vec![1.5f32, -2.0, 1e10];
/// let memory = floats.as_ptr().addr();
/// let ints: Vec<i32> = simdcast::cast_vec_in_place(floats).map_err(|(error, _)| error)?;
/// assert_eq!(ints, [1, -2, i32::MAX]);
/// assert_eq!(ints.as_ptr().addr(), memory);
/// # Ok::<(), simdcast::CastError>(())
/// ```
pub fn cast_vec_in_place<A: Element + Pod, B: Element + Pod>(
    values: Vec<A>,
) -> Result<Vec<B>, (CastError, Vec<A>)> {
    cast_vec_in_place_with(values, &CastOptions::new())
}

/// Casts every element of a vector into one of another type of the same size, in the memory that the
/// vector has.
///
/// # Errors
/// As [`cast_vec_in_place`], and [`CastError::Unfit`] under [`Overflow::Error`](crate::Overflow::Error);
/// each with the vector as it was.
pub fn cast_vec_in_place_with<A: Element + Pod, B: Element + Pod>(
    mut values: Vec<A>,
    options: &CastOptions,
) -> Result<Vec<B>, (CastError, Vec<A>)> {
    // Memory is given back as it was asked for: with the alignment of its elements.
    if (size_of::<A>(), align_of::<A>()) != (size_of::<B>(), align_of::<B>()) {
        return Err((recast::<A, B>(align_of::<A>()), values));
    }
    if let Err(error) = cast_in_place_with::<A, B>(&mut values, options) {
        return Err((error, values));
    }
    allocation::try_cast_vec(values)
        .map_err(|(_, values)| (recast::<A, B>(align_of::<A>()), values))
}

/// `alignment` is that of the elements that there are.
#[cold]
fn recast<A: Element, B: Element>(alignment: usize) -> CastError {
    CastError::Recast {
        from: A::DTYPE,
        from_layout: (size_of::<A>(), alignment),
        to: B::DTYPE,
        to_layout: (size_of::<B>(), align_of::<B>()),
    }
}
