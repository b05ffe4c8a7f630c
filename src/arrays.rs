//! Casts of `ndarray`'s arrays.

use crate::cast::Cast;
use crate::element::{Element, sealed};
use crate::error::CastError;
use crate::options::CastOptions;
use crate::strided::view_error;
use ndarray::{Array, ArrayRef, Dimension};
use simdcast_kernels::{InOrder, Join, Kernel, Overflow, Rounding, StridedView, StridedViewMut};

/// Casts of arrays and views of any layout, owned or not, and of references to either (`ArrayRef`). The indices of draws
/// and errors count in row-major order.
///
/// A new array has the layout of the one that it comes from if that is column-major, and else is
/// row-major. (It is row-major, too, where an element's index makes a difference: under stochastic
/// rounding, and of a checked cast.)
pub trait CastArray: sealed::Sealed {
    /// The dimensions.
    type Dim: Dimension;

    /// Casts every element into a new array, under the default options.
    ///
    /// # Errors
    /// [`CastError::Layout`] if there are more than 32 dimensions, and [`CastError::Memory`] if there is none for the
    /// results, of which an array that repeats elements may have any number.
    ///
    /// ```
    /// use ndarray::array;
    /// use simdcast::CastArray;
    ///
    /// let floats = array![[1.5f32, -2.0], [3.0, 300.0]];
    /// assert_eq!(floats.cast_to::<u8>()?, array![[1, 0], [3, 255]]);
    /// assert_eq!(floats.t().cast_to::<i64>()?, array![[1, 3], [-2, 300]]);
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    fn cast_to<B: Element>(&self) -> Result<Array<B, Self::Dim>, CastError> {
        self.cast_to_with(&CastOptions::new())
    }

    /// Casts every element into a new array.
    ///
    /// # Errors
    /// As [`cast_to`](Self::cast_to), and [`CastError::Unfit`] under [`Overflow::Error`].
    fn cast_to_with<B: Element>(
        &self,
        options: &CastOptions,
    ) -> Result<Array<B, Self::Dim>, CastError>;

    /// Casts every element into one of another array of the same shape.
    ///
    /// # Errors
    /// As [`Cast::run_strided`]; and [`CastError::Layout`] if there are more than 32 dimensions.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use simdcast::{CastArray, CastOptions};
    ///
    /// let mut truths = Array2::from_elem((2, 2), false);
    /// array![[0, -1], [300, 0]].cast_into(&mut truths, &CastOptions::new())?;
    /// assert_eq!(truths, array![[false, true], [true, false]]);
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    fn cast_into<B: Element>(
        &self,
        target: &mut ArrayRef<B, Self::Dim>,
        options: &CastOptions,
    ) -> Result<(), CastError>;

    /// As [`cast_into`](Self::cast_into), by the threads of rayon if there is enough to do.
    ///
    /// # Errors
    /// As [`cast_into`](Self::cast_into).
    #[cfg(feature = "rayon")]
    fn par_cast_into<B: Element>(
        &self,
        target: &mut ArrayRef<B, Self::Dim>,
        options: &CastOptions,
    ) -> Result<(), CastError>;

    /// As [`cast_to`](Self::cast_to), by the threads of rayon if there is enough to do.
    ///
    /// # Errors
    /// As [`cast_to`](Self::cast_to).
    #[cfg(feature = "rayon")]
    fn par_cast_to<B: Element>(&self) -> Result<Array<B, Self::Dim>, CastError> {
        self.par_cast_to_with(&CastOptions::new())
    }

    /// As [`cast_to_with`](Self::cast_to_with), by the threads of rayon if there is enough to do.
    ///
    /// # Errors
    /// As [`cast_to_with`](Self::cast_to_with).
    #[cfg(feature = "rayon")]
    fn par_cast_to_with<B: Element>(
        &self,
        options: &CastOptions,
    ) -> Result<Array<B, Self::Dim>, CastError>;
}

impl<A: Element, D: Dimension> sealed::Sealed for ArrayRef<A, D> {}

impl<A: Element, D: Dimension> CastArray for ArrayRef<A, D> {
    type Dim = D;

    fn cast_to_with<B: Element>(&self, options: &CastOptions) -> Result<Array<B, D>, CastError> {
        collect(self, options, &InOrder)
    }

    fn cast_into<B: Element>(
        &self,
        target: &mut ArrayRef<B, D>,
        options: &CastOptions,
    ) -> Result<(), CastError> {
        into(self, target, options, Cast::run_strided)
    }

    #[cfg(feature = "rayon")]
    fn par_cast_into<B: Element>(
        &self,
        target: &mut ArrayRef<B, D>,
        options: &CastOptions,
    ) -> Result<(), CastError> {
        into(self, target, options, Cast::par_run_strided)
    }

    #[cfg(feature = "rayon")]
    fn par_cast_to_with<B: Element>(
        &self,
        options: &CastOptions,
    ) -> Result<Array<B, D>, CastError> {
        collect(self, options, &crate::parallel::FRESH)
    }
}

/// How a cast goes from a view to another.
type Run = fn(&Cast, &StridedView<'_>, &mut StridedViewMut<'_>) -> Result<(), CastError>;

fn into<A: Element, B: Element, D: Dimension>(
    array: &ArrayRef<A, D>,
    target: &mut ArrayRef<B, D>,
    options: &CastOptions,
    run: Run,
) -> Result<(), CastError> {
    let cast = Cast::new(A::DTYPE, B::DTYPE, *options)?;
    let src = StridedView::of_array(&array.view())?;
    run(&cast, &src, &mut B::target(target.view_mut())?)
}

fn collect<A: Element, B: Element, D: Dimension>(
    array: &ArrayRef<A, D>,
    options: &CastOptions,
    join: &impl Join,
) -> Result<Array<B, D>, CastError> {
    let kernel = Kernel::new(A::DTYPE, B::DTYPE, options.as_options());
    let places_count = matches!(options.as_options().rounding, Rounding::Stochastic { .. })
        || matches!(options.as_options().overflow, Overflow::Error);
    let turned = array.t();
    if turned.is_standard_layout() && !array.is_standard_layout() && !places_count {
        let (view, shape) = (StridedView::of_array(&turned)?, turned.raw_dim());
        return Ok(of_vec(shape, elements(&kernel, &view, join)?).reversed_axes());
    }
    let view = StridedView::of_array(&array.view())?;
    Ok(of_vec(array.raw_dim(), elements(&kernel, &view, join)?))
}

fn elements<B: Element>(
    kernel: &Kernel,
    src: &StridedView<'_>,
    join: &impl Join,
) -> Result<Vec<B>, CastError> {
    B::collect_strided(kernel, src, join).map_err(|error| view_error(error, kernel, src))
}

fn of_vec<B, D: Dimension>(shape: D, values: Vec<B>) -> Array<B, D> {
    match Array::from_shape_vec(shape, values) {
        Ok(array) => array,
        Err(error) => unreachable!("as many elements as the shape has: {error}"),
    }
}
