//! Casts of elements that lie apart: any shape, any strides.

use crate::cast::Cast;
use crate::error::{CastError, Value};
use simdcast_kernels::{InOrder, Join, Kernel, RunError, StridedView, StridedViewMut};

impl Cast {
    /// Casts all elements of a view into those of another of the same shape: of slices with steps,
    /// reversed and transposed arrays, rows with gaps between them. The indices of draws and errors count
    /// in row-major order.
    ///
    /// # Errors
    /// [`CastError::DType`] if a view is not of the cast's dtype, [`CastError::Shapes`] if the two have
    /// different shapes; nothing is written then. [`CastError::Unfit`] under
    /// [`Overflow::Error`](crate::Overflow::Error): the elements before the index it names are written
    /// then, the others unspecified.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType, StridedView, StridedViewMut};
    ///
    /// // The first two columns of three rows, transposed.
    /// let rows = [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
    /// let columns =
    ///     StridedView::new(DType::Float32, bytemuck::bytes_of(&rows), 0, &[2, 3], &[4, 12])?;
    /// let mut bytes = [0; 6];
    /// let mut target = StridedViewMut::contiguous(DType::UInt8, &mut bytes, &[2, 3])?;
    /// let cast = Cast::new(DType::Float32, DType::UInt8, CastOptions::new())?;
    /// cast.run_strided(&columns, &mut target)?;
    /// assert_eq!(bytes, [1, 4, 7, 2, 5, 8]);
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn run_strided(
        &self,
        src: &StridedView<'_>,
        dst: &mut StridedViewMut<'_>,
    ) -> Result<(), CastError> {
        self.run_views(src, dst, &InOrder)
    }

    /// As [`run_strided`](Self::run_strided), by the threads of rayon if there is enough to do.
    ///
    /// # Errors
    /// As [`run_strided`](Self::run_strided).
    #[cfg(feature = "rayon")]
    pub fn par_run_strided(
        &self,
        src: &StridedView<'_>,
        dst: &mut StridedViewMut<'_>,
    ) -> Result<(), CastError> {
        self.run_views(src, dst, &crate::parallel::ALL)
    }

    fn run_views(
        &self,
        src: &StridedView<'_>,
        dst: &mut StridedViewMut<'_>,
        join: &impl Join,
    ) -> Result<(), CastError> {
        let shapes = |src: &StridedView<'_>, dst: &StridedViewMut<'_>| CastError::Shapes {
            src: src.shape().collect(),
            dst: dst.shape().collect(),
        };
        match self.kernel().run_strided(src, dst, join) {
            Ok(()) => Ok(()),
            Err(RunError::Shape) => Err(shapes(src, dst)),
            Err(error) => Err(view_error(error, self.kernel(), src)),
        }
    }
}

/// What a kernel ran into whose source is a view.
#[cold]
pub(crate) fn view_error(error: RunError, kernel: &Kernel, src: &StridedView<'_>) -> CastError {
    let (from, to) = (kernel.from(), kernel.to());
    match error {
        RunError::ViewType { dst, given, needed } => {
            CastError::DType { argument: if dst { "dst" } else { "src" }, given, needed }
        }
        RunError::Unfit { index } => {
            let code = src.code(index).unwrap_or(0);
            CastError::Unfit { from, to, index, value: Value::of(from, kernel.native(code)) }
        }
        other => CastError::from_run(other, kernel, &[]),
    }
}
