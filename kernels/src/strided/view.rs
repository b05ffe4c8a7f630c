//! Elements that lie apart: bytes, a shape, and for each dimension how many bytes lie between
//! neighbours.

use super::apart;
use crate::dtypes::DType;
use crate::reference;
use core::fmt;
use core::marker::PhantomData;

/// The most dimensions of a view.
pub(crate) const DIMENSIONS: usize = 32;

/// Why there is no such view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// More dimensions than 32.
    Dimensions {
        /// How many there are.
        given: usize,
    },
    /// Not a stride for each dimension.
    Strides {
        /// How many lengths the shape has.
        dimensions: usize,
        /// How many strides were given.
        given: usize,
    },
    /// More elements than can be counted. (Where a dimension has none, those of the others must still be countable.)
    Elements {
        /// The dimension up to which they can't be counted any more.
        dimension: usize,
        /// Its length.
        len: usize,
        /// The elements of the dimensions before, but for those that have none.
        before: usize,
    },
    /// An element that lies outside of the buffer.
    Outside {
        /// Where the first element starts, in bytes from the start of the buffer.
        first: i128,
        /// Where the last one ends.
        end: i128,
        /// The bytes that there are.
        bytes: usize,
    },
    /// Elements of a destination that share bytes.
    Overlap {
        /// The dimension along which they do.
        dimension: usize,
        /// Its stride.
        stride: isize,
        /// The bytes that the dimensions with smaller strides reach over, which it does not step over.
        reach: usize,
    },
    /// Elements of a destination of which it takes too long to tell whether they share bytes, as steps in many dimensions lead
    /// between each other.
    Unclear {
        /// A dimension along which they do.
        dimension: usize,
        /// Its stride.
        stride: isize,
        /// The bytes that the dimensions with smaller strides reach over, which it does not step over.
        reach: usize,
    },
    /// Packed elements that don't lie one after the other in the last dimension.
    PackedStride {
        /// Their dtype.
        dtype: DType,
        /// The stride of the last dimension, which counts elements and can only be 1.
        stride: isize,
    },
    /// Rows of packed elements of which not all start with a byte.
    PackedRow {
        /// Their dtype.
        dtype: DType,
        /// The elements of a row.
        elements: usize,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dimensions { given } => {
                write!(f, "{given} dimensions are more than {DIMENSIONS}")
            }
            Self::Strides { dimensions, given } => {
                write!(f, "{dimensions} dimensions take as many strides, but there are {given}")
            }
            Self::Elements { dimension, len, before } => write!(
                f,
                "the shape has more elements than can be counted: {before} times {len} in the dimensions \
                 up to {dimension}, those of length 0 left out"
            ),
            Self::Outside { first, end, bytes } => {
                write!(f, "the elements lie at bytes {first}..{end} of a buffer of {bytes}")
            }
            Self::Overlap { dimension, stride, reach } => write!(
                f,
                "elements of the destination overlap: the stride of dimension {dimension} is {stride}, \
                 while what it steps over takes {reach} bytes"
            ),
            Self::Unclear { dimension, stride, reach } => write!(
                f,
                "it takes too long to tell whether elements of the destination overlap: the stride of dimension \
                 {dimension} is {stride}, while what it steps over takes {reach} bytes"
            ),
            Self::PackedStride { dtype, stride } => write!(
                f,
                "elements of {dtype}, which are packed, can only lie one after the other in the last \
                 dimension: its stride is 1, not {stride}"
            ),
            Self::PackedRow { dtype, elements } => write!(
                f,
                "rows of {elements} elements of {dtype}, one after the other, don't all start with a \
                 byte"
            ),
        }
    }
}

impl core::error::Error for LayoutError {}

/// The bytes of so many elements; if that is more than a word counts, as many as it does, which no buffer has.
fn bytes_of(dtype: DType, elements: usize) -> usize {
    dtype.bytes_for(elements).unwrap_or(usize::MAX)
}

/// A dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub(crate) len: usize,
    /// The bytes from an element to the next. In the last dimension of packed ones: 1.
    pub(crate) stride: isize,
}

/// Where the elements of a view lie, seen from its first.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) dtype: DType,
    dimensions: [Dimension; DIMENSIONS],
    count: usize,
    elements: usize,
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.dtype)?;
        f.debug_list().entries(self.dimensions().iter().map(|d| (d.len, d.stride))).finish()
    }
}

/// (A layout is filled where it is to stay: it is so long that returning it takes longer than what else is done for it.)
impl Layout {
    /// One element, in no dimension.
    const fn of_one(dtype: DType) -> Self {
        let dimensions = [Dimension { len: 1, stride: 0 }; DIMENSIONS];
        Self { dtype, dimensions, count: 0, elements: 1 }
    }

    #[cfg(test)]
    pub(super) fn new(
        dtype: DType,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let mut layout = Self::of_one(dtype);
        layout.fill(shape, strides)?;
        Ok(layout)
    }

    /// Gives it a shape and strides.
    fn fill(&mut self, shape: &[usize], strides: &[isize]) -> Result<(), LayoutError> {
        let count = shape.len();
        if count != strides.len() {
            return Err(LayoutError::Strides { dimensions: count, given: strides.len() });
        }
        self.fill_shape(shape)?;
        for (dimension, &stride) in self.dimensions.iter_mut().zip(strides) {
            dimension.stride = stride;
        }
        let dtype = self.dtype;
        match self.dimensions().last() {
            Some(&Dimension { len, stride })
                if dtype.is_packed() && len > 1 && stride != 1 && self.elements > 0 =>
            {
                Err(LayoutError::PackedStride { dtype, stride })
            }
            _ => Ok(()),
        }
    }

    /// Gives it a shape, without strides yet.
    fn fill_shape(&mut self, shape: &[usize]) -> Result<(), LayoutError> {
        let count = shape.len();
        if count > DIMENSIONS {
            return Err(LayoutError::Dimensions { given: count });
        }
        // What is not empty must be countable however many dimensions of length 0 there are.
        let mut most = 1usize;
        for (dimension, &len) in shape.iter().enumerate().filter(|&(_, &len)| len != 0) {
            let uncountable = LayoutError::Elements { dimension, len, before: most };
            most = most.checked_mul(len).ok_or(uncountable)?;
        }
        self.elements = if shape.contains(&0) { 0 } else { most };
        for (dimension, &len) in self.dimensions.iter_mut().zip(shape) {
            dimension.len = len;
        }
        self.count = count;
        Ok(())
    }

    /// Gives it a shape, all of whose elements lie within so many bytes of which the first one has such an offset: with
    /// strides, or one after the other.
    fn fill_within(
        &mut self,
        bytes: usize,
        offset: usize,
        shape: &[usize],
        strides: Option<&[isize]>,
    ) -> Result<(), LayoutError> {
        match strides {
            Some(strides) => self.fill(shape, strides)?,
            None => self.fill_contiguous(shape)?,
        }
        self.check_inside(bytes, offset)
    }

    /// Gives it a shape, one element after the other, the last dimension's first.
    fn fill_contiguous(&mut self, shape: &[usize]) -> Result<(), LayoutError> {
        self.fill_shape(shape)?;
        let dtype = self.dtype;
        match self.dimensions().split_last() {
            Some((last, outer))
                if !(last.len % 8 * dtype.bits()).is_multiple_of(8)
                    && self.elements > 0
                    && outer.iter().any(|dimension| dimension.len > 1) =>
            {
                Err(LayoutError::PackedRow { dtype, elements: last.len })
            }
            _ => {
                self.go_on();
                Ok(())
            }
        }
    }

    /// Has its elements lie one after the other.
    fn go_on(&mut self) {
        let dtype = self.dtype;
        let Some((last, outer)) = self.dimensions[..self.count].split_last_mut() else {
            return;
        };
        let row = bytes_of(dtype, last.len);
        last.stride = dtype.size().unwrap_or(1) as isize;
        // Where this is more than memory holds, the elements lie outside of any buffer.
        let mut stride = isize::try_from(row).unwrap_or(isize::MAX);
        for dimension in outer.iter_mut().rev() {
            dimension.stride = stride;
            stride = stride.saturating_mul(isize::try_from(dimension.len).unwrap_or(isize::MAX));
        }
    }

    /// The same shape, of elements of a dtype one after the other. Rows of packed ones start with a byte.
    pub(super) fn contiguous_as(&self, dtype: DType) -> Self {
        let mut layout = Self { dtype, ..*self };
        layout.go_on();
        layout
    }

    pub(crate) fn dimensions(&self) -> &[Dimension] {
        &self.dimensions[..self.count]
    }

    pub(crate) const fn elements(&self) -> usize {
        self.elements
    }

    /// The bytes of the elements of the last dimension if they are packed, else those of one.
    fn unit(&self) -> (usize, &[Dimension]) {
        match (self.dtype.size(), self.dimensions()) {
            (Some(size), all) => (size, all),
            (None, []) => (1, &[]),
            (None, [outer @ .., last]) => (bytes_of(self.dtype, last.len), outer),
        }
    }

    /// Whether all elements lie in a buffer of so many bytes if the first starts `offset` bytes after
    /// its start.
    fn check_inside(&self, bytes: usize, offset: usize) -> Result<(), LayoutError> {
        if self.elements == 0 {
            return Ok(());
        }
        let (unit, dimensions) = self.unit();
        let (mut first, mut end) = (offset as i128, offset as i128 + unit as i128);
        for &Dimension { len, stride } in dimensions {
            // (Less than 2^64 times at most 2^63.)
            let reach = (len as i128 - 1) * stride as i128;
            if reach < 0 {
                first = first.saturating_add(reach);
            } else {
                end = end.saturating_add(reach);
            }
        }
        if first < 0 || end > bytes as i128 {
            return Err(LayoutError::Outside { first, end, bytes });
        }
        Ok(())
    }

    /// Whether no two elements share a byte. They lie in memory.
    fn check_apart(&self) -> Result<(), LayoutError> {
        let (unit, dimensions) = self.unit();
        if self.elements == 0 { Ok(()) } else { apart::check(unit, dimensions) }
    }

    /// The shape.
    fn shape(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.dimensions().iter().map(|dimension| dimension.len)
    }

    /// The strides.
    fn strides(&self) -> impl ExactSizeIterator<Item = isize> + '_ {
        self.dimensions().iter().map(|dimension| dimension.stride)
    }

    /// How many bytes after the first element that of an index, in row-major order, starts; of packed
    /// ones its row, with its place in there.
    fn place(&self, index: usize) -> (isize, usize) {
        let (mut rest, mut offset, mut column) = (index, 0, 0);
        for (i, &Dimension { len, stride }) in self.dimensions().iter().enumerate().rev() {
            let at = rest % len;
            rest /= len;
            if self.dtype.is_packed() && i + 1 == self.count {
                column = at;
            } else {
                offset += at as isize * stride;
            }
        }
        (offset, column)
    }
}

/// Elements of a dtype that may lie apart, to be read.
///
/// ```
/// # use simdcast_kernels::{DType, StridedView};
/// // Every second element of three, the last first.
/// let values = [1u16, 2, 3, 4, 5, 6];
/// let bytes = bytemuck::cast_slice(&values);
/// let view = StridedView::new(DType::UInt16, bytes, 8, &[3], &[-4])?;
/// assert_eq!((view.len(), view.ndim()), (3, 1));
/// assert!(view.shape().eq([3]) && view.strides().eq([-4]));
///
/// let error = StridedView::new(DType::UInt16, bytes, 8, &[4], &[-4]).unwrap_err();
/// assert_eq!(error.to_string(), "the elements lie at bytes -4..10 of a buffer of 12");
/// # Ok::<(), simdcast_kernels::LayoutError>(())
/// ```
#[derive(Clone, Copy)]
pub struct StridedView<'a> {
    pub(super) start: *const u8,
    pub(super) layout: Layout,
    memory: PhantomData<&'a [u8]>,
}

/// Elements of a dtype that may lie apart, to be written to. No two of them share a byte.
///
/// ```
/// # use simdcast_kernels::{DType, StridedViewMut};
/// let mut bytes = [0; 12];
/// let rows = StridedViewMut::contiguous(DType::UInt16, &mut bytes, &[2, 3])?;
/// assert!(rows.strides().eq([6, 2]));
///
/// let error = StridedViewMut::new(DType::Float32, &mut bytes, 0, &[3], &[2]).unwrap_err();
/// assert!(error.to_string().starts_with("elements of the destination overlap"));
/// # Ok::<(), simdcast_kernels::LayoutError>(())
/// ```
pub struct StridedViewMut<'a> {
    pub(super) start: *mut u8,
    pub(super) layout: Layout,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: a view borrows its elements' bytes, as a slice does, and passes over others.
unsafe impl Send for StridedView<'_> {}
// SAFETY: as above.
unsafe impl Sync for StridedView<'_> {}
// SAFETY: as above, borrowed exclusively.
unsafe impl Send for StridedViewMut<'_> {}
// SAFETY: as above; what is shared can only be looked at.
unsafe impl Sync for StridedViewMut<'_> {}

impl<'a> StridedView<'a> {
    /// The elements of a buffer whose first starts `offset` bytes after the buffer's start, with so many
    /// bytes, forward or back or none, from each to the next in a dimension. Neither the buffer nor the
    /// strides need be aligned.
    ///
    /// Elements of a packed dtype lie one after the other in the last dimension, whose stride is 1; the
    /// other dimensions' strides count bytes, too.
    ///
    /// # Errors
    /// [`LayoutError`] if an element lies outside of the buffer, there are more than 32 dimensions, or
    /// not a stride for each.
    pub fn new(
        dtype: DType,
        bytes: &'a [u8],
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        // SAFETY: these bytes are borrowed.
        unsafe { Self::within(dtype, bytes.as_ptr(), bytes.len(), offset, shape, Some(strides)) }
    }

    /// The elements at the start of a buffer, one after the other, the last dimension's first.
    ///
    /// # Errors
    /// [`LayoutError`] if the buffer has fewer, there are more than 32 dimensions, or packed elements
    /// of several rows don't all start with a byte.
    pub fn contiguous(dtype: DType, bytes: &'a [u8], shape: &[usize]) -> Result<Self, LayoutError> {
        // SAFETY: these bytes are borrowed.
        unsafe { Self::within(dtype, bytes.as_ptr(), bytes.len(), 0, shape, None) }
    }

    /// As [`new`](Self::new), or without strides [`contiguous`](Self::contiguous) from the offset on, in memory of which no
    /// byte counts but the elements': others may write to it meanwhile, or nothing may ever have been written to it.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`contiguous`](Self::contiguous).
    ///
    /// # Safety
    /// Of so many bytes from the pointer on, those of the elements can be read for `'a`, and no one writes to them meanwhile.
    pub unsafe fn within(
        dtype: DType,
        memory: *const u8,
        bytes: usize,
        offset: usize,
        shape: &[usize],
        strides: Option<&[isize]>,
    ) -> Result<Self, LayoutError> {
        // Without elements the start may lie anywhere, and is not used.
        let start = memory.wrapping_add(offset);
        let mut view = Self { start, layout: Layout::of_one(dtype), memory: PhantomData };
        view.layout.fill_within(bytes, offset, shape, strides)?;
        Ok(view)
    }

    /// The elements at and around an address.
    ///
    /// # Errors
    /// As [`new`](Self::new), but for elements outside.
    ///
    /// # Safety
    /// All elements can be read for `'a`, and no one writes to them meanwhile.
    pub unsafe fn from_raw(
        dtype: DType,
        first: *const u8,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let mut view = Self { start: first, layout: Layout::of_one(dtype), memory: PhantomData };
        view.layout.fill(shape, strides)?;
        Ok(view)
    }

    /// The code of the element of an index, in row-major order; None if there is none.
    pub fn code(&self, index: usize) -> Option<u128> {
        if index >= self.len() {
            return None;
        }
        let (offset, column) = self.layout.place(index);
        let dtype = self.layout.dtype;
        // SAFETY: the element, or a packed one's row as far as the element, lies in the buffer.
        let bytes = unsafe {
            let bytes = dtype.size().unwrap_or_else(|| bytes_of(dtype, column + 1));
            core::slice::from_raw_parts(self.start.offset(offset), bytes)
        };
        Some(reference::load(dtype, bytes, column))
    }
}

impl<'a> StridedViewMut<'a> {
    /// As [`StridedView::new`], of elements that don't overlap. That is seen at once where each stride steps over all that those
    /// smaller than it reach, as it is for whatever is made of an array by slicing it, reversing dimensions and changing their
    /// order. Otherwise elements that do are searched for, for a few milliseconds at most.
    ///
    /// # Errors
    /// As [`StridedView::new`]; [`LayoutError::Overlap`] if elements overlap, and [`LayoutError::Unclear`] if it takes too
    /// long to tell whether they do, which may be so of many dimensions, or very long ones.
    pub fn new(
        dtype: DType,
        bytes: &'a mut [u8],
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let (memory, len) = (bytes.as_mut_ptr(), bytes.len());
        // SAFETY: these bytes are borrowed exclusively.
        unsafe { Self::within(dtype, memory, len, offset, shape, Some(strides)) }
    }

    /// As [`StridedView::contiguous`].
    ///
    /// # Errors
    /// As [`StridedView::contiguous`].
    pub fn contiguous(
        dtype: DType,
        bytes: &'a mut [u8],
        shape: &[usize],
    ) -> Result<Self, LayoutError> {
        // SAFETY: these bytes are borrowed exclusively.
        unsafe { Self::within(dtype, bytes.as_mut_ptr(), bytes.len(), 0, shape, None) }
    }

    /// As [`StridedView::within`], of elements that don't overlap.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`contiguous`](Self::contiguous).
    ///
    /// # Safety
    /// Of so many bytes from the pointer on, those of the elements can be written to for `'a`, and no one else uses them
    /// meanwhile. What they are made of may hold any bytes, or those that casts to `dtype` store.
    pub unsafe fn within(
        dtype: DType,
        memory: *mut u8,
        bytes: usize,
        offset: usize,
        shape: &[usize],
        strides: Option<&[isize]>,
    ) -> Result<Self, LayoutError> {
        let start = memory.wrapping_add(offset);
        let mut view = Self { start, layout: Layout::of_one(dtype), memory: PhantomData };
        view.layout.fill_within(bytes, offset, shape, strides)?;
        view.layout.check_apart()?;
        Ok(view)
    }

    /// As [`StridedView::from_raw`], of elements that don't overlap.
    ///
    /// # Errors
    /// As [`new`](Self::new), but for elements outside.
    ///
    /// # Safety
    /// All elements can be written to for `'a`, and no one else uses them meanwhile. What they are made
    /// of may hold any bytes, or those that casts to `dtype` store.
    pub unsafe fn from_raw(
        dtype: DType,
        first: *mut u8,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let mut view = Self { start: first, layout: Layout::of_one(dtype), memory: PhantomData };
        view.layout.fill(shape, strides)?;
        view.layout.check_apart()?;
        Ok(view)
    }
}

macro_rules! common {
    ($($view:ident)*) => {$(
        impl $view<'_> {
            /// The dtype of the elements.
            pub const fn dtype(&self) -> DType {
                self.layout.dtype
            }

            /// How many elements there are.
            pub const fn len(&self) -> usize {
                self.layout.elements()
            }

            /// Whether there are none.
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// How many dimensions there are.
            pub const fn ndim(&self) -> usize {
                self.layout.count
            }

            /// The length of each dimension.
            pub fn shape(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
                self.layout.shape()
            }

            /// The strides that it was made with; of elements one after the other, the bytes from each to the next in each
            /// dimension (1 in the last one of packed elements).
            pub fn strides(&self) -> impl ExactSizeIterator<Item = isize> + '_ {
                self.layout.strides()
            }
        }

        impl fmt::Debug for $view<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($view), " {:?}"), self.layout)
            }
        }
    )*};
}

common! {
    StridedView
    StridedViewMut
}
