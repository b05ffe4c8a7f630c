//! Casts that go on past what does not fit, and tell in a bitmap what did.

use crate::cast::Cast;
use crate::element::Element;
use crate::error::CastError;
use crate::options::CastOptions;
use simdcast_kernels::{DType, InOrder, Join, MaskedKernel};

/// Casts every element of `src` into `dst`, and tells which of them fit: those that
/// [`Overflow::Error`](crate::Overflow::Error) would accept, under the same rounding (and with the
/// same draws, if it is stochastic).
///
/// The bitmap is one as Arrow has them: a bit for each element, the first in the lowest bit of the
/// first byte, 1 if the element fits; what is left of the last byte is 0.
///
/// Every element is stored, whether it fits or not, as a cast under the same options stores it. Since
/// one under `Overflow::Error` would stop, `Error` stores what [`Overflow::As`](crate::Overflow::As)
/// does: so an infinity, which fits an 8-bit float that has one, is stored as the largest number there
/// unless [`saturate(false)`](CastOptions::saturate) keeps it.
///
/// # Errors
/// [`CastError::LengthMismatch`] if the slices have different lengths, [`CastError::Memory`] if there is none for the
/// bitmap; nothing is written then.
///
/// ```
/// use simdcast::{CastOptions, cast_masked};
///
/// let mut bytes = [0u8; 5];
/// let valid = cast_masked(&[1.9f32, -1.0, f32::NAN, 300.0, -0.9], &mut bytes, &CastOptions::new())?;
/// assert_eq!(bytes, [1, 0, 0, 255, 0]);
/// assert_eq!(valid, [0b10001]);
/// # Ok::<(), simdcast::CastError>(())
/// ```
pub fn cast_masked<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
) -> Result<Vec<u8>, CastError> {
    let mut valid = bitmap(dst.len())?;
    cast_masked_into(src, dst, options, &mut valid)?;
    Ok(valid)
}

/// As [`cast_masked`], by the threads of rayon if there is enough to do. The bitmap, too, does not depend on how many there
/// are.
///
/// # Errors
/// As [`cast_masked`].
///
/// ```
/// use simdcast::{CastOptions, par_cast_masked};
///
/// let floats: Vec<f32> = (0..1_000_000).map(|i| i as f32).collect();
/// let mut bytes = vec![0u8; floats.len()];
/// let valid = par_cast_masked(&floats, &mut bytes, &CastOptions::new())?;
/// assert!(valid[..32].iter().all(|&bits| bits == 0xff));
/// assert!(valid[32..].iter().all(|&bits| bits == 0));
/// # Ok::<(), simdcast::CastError>(())
/// ```
#[cfg(feature = "rayon")]
pub fn par_cast_masked<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
) -> Result<Vec<u8>, CastError> {
    let mut valid = bitmap(dst.len())?;
    par_cast_masked_into(src, dst, options, &mut valid)?;
    Ok(valid)
}

/// A bitmap of so many elements.
fn bitmap(elements: usize) -> Result<Vec<u8>, CastError> {
    let (mut valid, bytes) = (Vec::new(), elements.div_ceil(8));
    let no_memory = |_| CastError::Memory { to: DType::Bool1x8, elements };
    valid.try_reserve_exact(bytes).map_err(no_memory)?;
    valid.resize(bytes, 0);
    Ok(valid)
}

/// As [`cast_masked`], into a bitmap that is there already: a byte for 8 elements, the last for what
/// is left of them. All of its bits are written.
///
/// # Errors
/// [`CastError::LengthMismatch`] if the slices have different lengths, [`CastError::BitmapLength`] if the bitmap has
/// another number of bytes than the elements take; nothing is written then.
pub fn cast_masked_into<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
    valid: &mut [u8],
) -> Result<(), CastError> {
    cast_all(src, dst, options, valid, &InOrder)
}

/// As [`cast_masked_into`], by the threads of rayon if there is enough to do.
///
/// # Errors
/// As [`cast_masked_into`].
#[cfg(feature = "rayon")]
pub fn par_cast_masked_into<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
    valid: &mut [u8],
) -> Result<(), CastError> {
    cast_all(src, dst, options, valid, &crate::parallel::ALL)
}

fn cast_all<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
    valid: &mut [u8],
    join: &impl Join,
) -> Result<(), CastError> {
    let masked = MaskedKernel::new(A::DTYPE, B::DTYPE, options.as_options());
    let (bytes, n) = (A::bytes(src), dst.len());
    masked
        .run_in_parts(bytes, B::out(dst), valid, n, join)
        .map_err(|error| CastError::from_run(error, masked.kernel(), bytes))
}

impl Cast {
    /// Casts all elements of `src` into `dst`, as [`run`](Self::run) does, and tells in the bitmap
    /// `valid` which of them fit, as [`cast_masked`] does. The test is found anew in each call, which
    /// takes as long as [`Cast::new`].
    ///
    /// # Errors
    /// As [`run`](Self::run), but for [`CastError::Unfit`]; and [`CastError::BitmapLength`] if `valid`
    /// has another number of bytes than a bit for each element takes. Nothing is written then.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType};
    ///
    /// let cast = Cast::new(DType::Int8, DType::UInt4x2, CastOptions::new())?;
    /// let (mut packed, mut valid) = ([0; 2], [0; 1]);
    /// cast.run_masked(&[15, 16, 3], &mut packed, &mut valid)?;
    /// assert_eq!((packed, valid), ([0x0f, 0x03], [0b101]));
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn run_masked(
        &self,
        src: &[u8],
        dst: &mut [u8],
        valid: &mut [u8],
    ) -> Result<(), CastError> {
        let elements = self.elements(src.len(), dst.len())?;
        self.run_masked_n(src, dst, valid, elements).map_err(CastError::without_count)
    }

    /// As [`run_masked`](Self::run_masked) for `elements` elements, which must be all that any of the
    /// buffers holds.
    ///
    /// # Errors
    /// As [`run_masked`](Self::run_masked), but for [`CastError::CountNeeded`].
    pub fn run_masked_n(
        &self,
        src: &[u8],
        dst: &mut [u8],
        valid: &mut [u8],
        elements: usize,
    ) -> Result<(), CastError> {
        self.run_masked_into(src, dst, valid, elements, &InOrder)
    }

    /// As [`run_masked`](Self::run_masked), by the threads of rayon if there is enough to do.
    ///
    /// # Errors
    /// As [`run_masked`](Self::run_masked).
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType};
    ///
    /// let cast = Cast::new(DType::Int8, DType::UInt8, CastOptions::new())?;
    /// let (mut bytes, mut valid) = (vec![0; 4 << 20], vec![0; 1 << 19]);
    /// cast.par_run_masked(&[0xff, 0, 1, 2].repeat(1 << 20), &mut bytes, &mut valid)?;
    /// assert!(valid.iter().all(|&bits| bits == 0b11101110));
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_masked(
        &self,
        src: &[u8],
        dst: &mut [u8],
        valid: &mut [u8],
    ) -> Result<(), CastError> {
        let elements = self.elements(src.len(), dst.len())?;
        self.par_run_masked_n(src, dst, valid, elements).map_err(CastError::without_count)
    }

    /// As [`par_run_masked`](Self::par_run_masked) for `elements` elements, which must be all that any of the
    /// buffers holds.
    ///
    /// # Errors
    /// As [`par_run_masked`](Self::par_run_masked), but for [`CastError::CountNeeded`].
    #[cfg(feature = "rayon")]
    pub fn par_run_masked_n(
        &self,
        src: &[u8],
        dst: &mut [u8],
        valid: &mut [u8],
        elements: usize,
    ) -> Result<(), CastError> {
        self.run_masked_into(src, dst, valid, elements, &crate::parallel::ALL)
    }

    fn run_masked_into(
        &self,
        src: &[u8],
        dst: &mut [u8],
        valid: &mut [u8],
        elements: usize,
        join: &impl Join,
    ) -> Result<(), CastError> {
        let (level, options) = (self.kernel().level(), self.options().as_options());
        let masked = MaskedKernel::on(level, self.from(), self.to(), options);
        let masked = masked.with_swapped(self.swapped());
        masked
            .run_in_parts(src, dst, valid, elements, join)
            .map_err(|error| CastError::from_run(error, masked.kernel(), src))
    }
}
