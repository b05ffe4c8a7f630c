//! Casts that end at the first element whose value they would change.
//!
//! A checked cast refuses what is out of range. What it has rounded is found by casting back, checked
//! again. A number that was rounded is none of the destination's; but what it became, a multiple of a
//! larger power of two, is one of the source's or out of their range: so it comes back as another
//! number or is refused. A bool comes back as 0 or 1. (Without the checks the largest int64 would
//! become 2^63, and that the largest int64 again.)

use crate::cast::Cast;
use crate::element::Element;
use crate::error::{CastError, Value};
use simdcast_kernels::dispatch::{self, Level};
use simdcast_kernels::{
    Cuts, DType, InOrder, Join, Kernel, Kind, Options, Out, Overflow, RunError, Work, is_lossless,
};

/// Casts every element of `src` into `dst`, up to the first whose value would change: one that would
/// be rounded, one out of range, a NaN where the destination has none.
///
/// A NaN that becomes a NaN is the same value, whatever its sign and payload, and so are 0 and -0. To
/// bool, 0 and 1 keep their value; to a real number, a complex one whose imaginary part is 0. There
/// are no options, since a number that a dtype has is cast to it the same way under all of them. An
/// infinity stays one if there is one in the destination, also in an 8-bit float, which saturates by
/// default.
///
/// The test takes a second cast, back, except where no value can change
/// ([`is_lossless`](crate::is_lossless)) and among integers. -0 and uncommon NaNs among the elements
/// that don't come back to the bit make it slower.
///
/// # Errors
/// [`CastError::LengthMismatch`] if the slices have different lengths; nothing is written then.
/// [`CastError::Changed`] for the first element whose value would change; the elements before it are
/// written then, the others unspecified.
///
/// ```
/// use simdcast::{CastError, cast_same_value};
///
/// let mut floats = [0.0f32; 3];
/// cast_same_value(&[1.0f64, -0.5, f64::NAN], &mut floats)?;
/// assert_eq!(floats[..2], [1.0, -0.5]);
///
/// let error = cast_same_value(&[16777216i64, 16777217, 0], &mut floats).unwrap_err();
/// assert!(matches!(error, CastError::Changed { index: 1, .. }));
/// assert_eq!(error.to_string(), "element 1 of int64, 16777217, would become 16777216 in float32");
/// # Ok::<(), CastError>(())
/// ```
pub fn cast_same_value<A: Element, B: Element>(src: &[A], dst: &mut [B]) -> Result<(), CastError> {
    cast_all(src, dst, &InOrder)
}

/// As [`cast_same_value`], by the threads of rayon if there is enough to do.
///
/// # Errors
/// As [`cast_same_value`]: of all elements whose value would change the first is told, but any may have been written then.
///
/// ```
/// use simdcast::{CastError, par_cast_same_value};
///
/// let mut ints: Vec<i64> = (0..1_000_000).collect();
/// let mut floats = vec![0f32; ints.len()];
/// par_cast_same_value(&ints, &mut floats)?;
/// assert_eq!(floats[999_999], 999_999.0);
///
/// ints[700_000] = 16_777_217;
/// ints[900_000] = 16_777_219;
/// let error = par_cast_same_value(&ints, &mut floats).unwrap_err();
/// assert!(matches!(error, CastError::Changed { index: 700_000, .. }));
/// # Ok::<(), CastError>(())
/// ```
#[cfg(feature = "rayon")]
pub fn par_cast_same_value<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
) -> Result<(), CastError> {
    cast_all(src, dst, &crate::parallel::ALL)
}

fn cast_all<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    join: &impl Join,
) -> Result<(), CastError> {
    let (bytes, n) = (A::bytes(src), dst.len());
    Kernels::on(dispatch::current(), A::DTYPE, B::DTYPE).run(bytes, B::out(dst), n, join)
}

impl Cast {
    /// Casts all elements of `src` into `dst`, as [`run`](Self::run) does, up to the first whose value
    /// would change, as [`cast_same_value`] does: whatever the options are, since they make no
    /// difference to the others. The casts there and back are found anew in each call, which takes as
    /// long as [`Cast::new`] twice.
    ///
    /// # Errors
    /// As [`run`](Self::run), with [`CastError::Changed`] in the place of [`CastError::Unfit`].
    ///
    /// ```
    /// use simdcast::{Cast, CastError, CastOptions, DType};
    ///
    /// let cast = Cast::new(DType::UInt8, DType::Bool1x8, CastOptions::new())?;
    /// let error = cast.run_same_value(&[1, 0, 2], &mut [0]).unwrap_err();
    /// assert!(matches!(error, CastError::Changed { index: 2, .. }));
    /// # Ok::<(), CastError>(())
    /// ```
    pub fn run_same_value(&self, src: &[u8], dst: &mut [u8]) -> Result<(), CastError> {
        let elements = self.elements(src.len(), dst.len())?;
        self.run_same_value_n(src, dst, elements).map_err(CastError::without_count)
    }

    /// As [`run_same_value`](Self::run_same_value) for `elements` elements, which must be all that
    /// either buffer holds.
    ///
    /// # Errors
    /// As [`run_same_value`](Self::run_same_value), but for [`CastError::CountNeeded`].
    pub fn run_same_value_n(
        &self,
        src: &[u8],
        dst: &mut [u8],
        elements: usize,
    ) -> Result<(), CastError> {
        self.run_same_value_into(src, dst, elements, &InOrder)
    }

    /// As [`run_same_value`](Self::run_same_value), by the threads of rayon if there is enough to do.
    ///
    /// # Errors
    /// As [`run_same_value`](Self::run_same_value): of all elements whose value would change the first is told, but any may
    /// have been written then.
    ///
    /// ```
    /// use simdcast::{Cast, CastError, CastOptions, DType};
    ///
    /// let cast = Cast::new(DType::UInt8, DType::Bool, CastOptions::new())?;
    /// let (mut bytes, mut bools) = (vec![1; 3 << 20], vec![0; 3 << 20]);
    /// cast.par_run_same_value(&bytes, &mut bools)?;
    /// bytes[2_000_000..].fill(2);
    /// let error = cast.par_run_same_value(&bytes, &mut bools).unwrap_err();
    /// assert!(matches!(error, CastError::Changed { index: 2_000_000, .. }));
    /// # Ok::<(), CastError>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run_same_value(&self, src: &[u8], dst: &mut [u8]) -> Result<(), CastError> {
        let elements = self.elements(src.len(), dst.len())?;
        self.par_run_same_value_n(src, dst, elements).map_err(CastError::without_count)
    }

    /// As [`par_run_same_value`](Self::par_run_same_value) for `elements` elements, which must be all that
    /// either buffer holds.
    ///
    /// # Errors
    /// As [`par_run_same_value`](Self::par_run_same_value), but for [`CastError::CountNeeded`].
    #[cfg(feature = "rayon")]
    pub fn par_run_same_value_n(
        &self,
        src: &[u8],
        dst: &mut [u8],
        elements: usize,
    ) -> Result<(), CastError> {
        self.run_same_value_into(src, dst, elements, &crate::parallel::ALL)
    }

    /// The same, also into memory that nothing may have been written to.
    pub(crate) fn run_same_value_into<'a>(
        &self,
        src: &[u8],
        dst: impl Into<Out<'a>>,
        elements: usize,
        join: &impl Join,
    ) -> Result<(), CastError> {
        let kernels = Kernels::on(self.kernel().level(), self.from(), self.to());
        kernels.with_swapped(self.swapped()).run(src, dst.into(), elements, join)
    }
}

/// The bytes of a block of the larger side: there and back it stays in the L1 cache.
const BLOCK: usize = 8 << 10;

/// A cast that refuses what is out of range, and the one back, if what was rounded must be found.
struct Kernels {
    there: Kernel,
    back: Option<Kernel>,
}

impl Kernels {
    fn on(level: &'static Level, from: DType, to: DType) -> Self {
        let checked = Options { overflow: Overflow::Error, ..Options::DEFAULT };
        let lossless = is_lossless(from, to);
        let options = if lossless { Options::DEFAULT } else { checked };
        let is_integer = |dtype: DType| matches!(dtype.kind(), Kind::Int | Kind::UInt);
        let exact = lossless || (is_integer(from) && is_integer(to));
        let back = (!exact).then(|| Kernel::on(level, to, from, &checked));
        Self { there: Kernel::on(level, from, to, &options), back }
    }

    /// With source and destination in the other byte order, or not.
    fn with_swapped(self, [src, dst]: [bool; 2]) -> Self {
        let back = self.back.map(|back| back.with_swapped([dst, src]));
        Self { there: self.there.with_swapped([src, dst]), back }
    }

    fn run(&self, src: &[u8], dst: Out<'_>, n: usize, join: &impl Join) -> Result<(), CastError> {
        let (from, to) = (self.there.from(), self.there.to());
        let (src_bytes, dst_bytes) = (src.len(), dst.bytes());
        if (from.bytes_for(n), to.bytes_for(n)) != (Some(src_bytes), Some(dst_bytes)) {
            let elements = Some(n);
            return Err(CastError::LengthMismatch { from, to, elements, src_bytes, dst_bytes });
        }
        let kept = match &self.back {
            None => match self.there.run_in_parts(src, dst, n, join) {
                Ok(()) => n,
                Err(RunError::Unfit { index }) => index,
                Err(other) => return Err(CastError::from_run(other, &self.there, src)),
            },
            Some(back) => {
                let work = ThereAndBack { kernels: self, back, src, dst };
                match Cuts::new(n, from.bits() + to.bits(), join) {
                    None => work.run(0, n),
                    Some(cuts) => cuts.run(work, join),
                }
            }
        };
        if kept < n { Err(CastError::changed(&self.there, src, kept)) } else { Ok(()) }
    }

    /// Casts a block, and answers how many elements come before the first whose value that changes.
    fn keep(
        &self,
        back: &Kernel,
        src: &[u8],
        dst: Out<'_>,
        n: usize,
        again: &mut [u8; BLOCK],
    ) -> Result<usize, RunError> {
        let (fitting, stored) = self.there.run_up_to(src, dst, n)?;
        let from = self.there.from();
        let again = &mut again[..(fitting * from.bits()).div_ceil(8)];
        let (returning, _) = back.run_up_to(stored, &mut *again, fitting)?;
        // Most come back to the bit; of the others it takes a look at the values.
        if src[..again.len()] == *again {
            return Ok(returning);
        }
        let other = src.iter().zip(&*again).position(|(a, b)| a != b).unwrap_or(0);
        let changed =
            |&i: &usize| !Value::read(&self.there, src, i).is(Value::read(&self.there, again, i));
        Ok((other * 8 / from.bits()..returning).find(changed).unwrap_or(returning))
    }
}

/// A cast there and back, of elements that are all there is in either buffer.
struct ThereAndBack<'a> {
    kernels: &'a Kernels,
    back: &'a Kernel,
    src: &'a [u8],
    dst: Out<'a>,
}

impl ThereAndBack<'_> {
    /// The bytes that so many elements take on either side, of which there are at least as many.
    fn bytes_for(&self, elements: usize) -> (usize, usize) {
        let there = &self.kernels.there;
        let bytes = |dtype: DType, all| dtype.bytes_for(elements).unwrap_or(all).min(all);
        (bytes(there.from(), self.src.len()), bytes(there.to(), self.dst.bytes()))
    }
}

impl Work for ThereAndBack<'_> {
    fn cut(self, elements: usize) -> (Self, Self) {
        let (reads, writes) = self.bytes_for(elements);
        let (src, dst) = (self.src.split_at(reads), self.dst.split_at(writes));
        (Self { src: src.0, dst: dst.0, ..self }, Self { src: src.1, dst: dst.1, ..self })
    }

    fn run(mut self, _first: usize, n: usize) -> usize {
        let Kernels { there, .. } = self.kernels;
        // Whole bytes of packed elements.
        let block = (BLOCK * 8 / there.from().bits().max(there.to().bits())) & !7;
        let mut again = [0; BLOCK];
        for start in (0..n).step_by(block) {
            let elements = block.min(n - start);
            let (one, others) = self.cut(elements);
            let kept = one.kernels.keep(one.back, one.src, one.dst, elements, &mut again);
            match kept {
                Ok(kept) if kept == elements => self = others,
                Ok(kept) => return start + kept,
                Err(error) => unreachable!("these are the bytes of the elements: {error:?}"),
            }
        }
        n
    }
}
