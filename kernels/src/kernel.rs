//! Resolved casts, and the safe doors to them: over slices of bytes, over bools, into memory that
//! nothing has been written to yet; and the one unsafe door, over raw pointers, for other languages.

use crate::dispatch::{self, Level};
use crate::dtypes::DType;
use crate::options::Options;
use crate::table::{self, Params, Road};
use crate::tile;
use alloc::vec::Vec;
use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Range;

/// The kernel of a pair under some options, ready to run.
#[derive(Clone, Copy)]
pub struct Kernel {
    kernel: table::Kernel,
    params: Params,
    road: Road,
    level: &'static Level,
}

/// Why a kernel did not run, or how far it came.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// A buffer's size is not that of the elements.
    Length {
        /// The elements to cast.
        elements: usize,
        /// The bytes of the source.
        src_bytes: usize,
        /// The bytes that the elements take in the source; None if more than memory can hold.
        src_needed: Option<usize>,
        /// The bytes of the destination.
        dst_bytes: usize,
        /// The bytes that the elements take in the destination; None if more than memory can hold.
        dst_needed: Option<usize>,
    },
    /// The buffers share bytes.
    Overlap {
        /// The addresses of the source.
        src: Range<usize>,
        /// The addresses of the destination.
        dst: Range<usize>,
    },
    /// A pointer to elements is null.
    Null {
        /// Whether it is the destination's.
        dst: bool,
    },
    /// The Rust type of the destination is not the kernel's dtype.
    Type,
    /// [`Overflow::Error`](crate::Overflow::Error): this element is the first that does not fit.
    /// Those before it are written.
    Unfit {
        /// Its index.
        index: usize,
    },
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Params { from, to, options, .. } = self.params;
        f.debug_struct("Kernel")
            .field("from", &from)
            .field("to", &to)
            .field("options", &options)
            .field("level", &self.level)
            .field("road", &self.road)
            .finish()
    }
}

impl Kernel {
    /// The kernel of a pair on the level in use.
    pub fn new(from: DType, to: DType, options: &Options) -> Self {
        Self::on(dispatch::current(), from, to, options)
    }

    /// The kernel of a pair on a level.
    ///
    /// # Panics
    /// If this CPU cannot run the level.
    pub fn on(level: &'static Level, from: DType, to: DType, options: &Options) -> Self {
        assert!(level.is_available(), "this CPU cannot run {}", level.name());
        if options.is_default() {
            return Self::by_default(level, from, to);
        }
        let effective = options.effective(from, to);
        if effective.is_default() {
            return Self::by_default(level, from, to);
        }
        let entry = tile::with_options(from, to);
        let component_options = options.effective(from.component(), to.component());
        let params = Params {
            from,
            to,
            options: effective,
            component_options,
            draw_step: 1,
            table: level.table,
        };
        Self { kernel: entry.kernel, params, road: entry.road, level }
    }

    /// The kernel of a pair under the default options, on the level in use: as [`new`](Self::new),
    /// with less to look at.
    #[inline(always)]
    pub fn with_defaults(from: DType, to: DType) -> Self {
        Self::by_default(dispatch::current(), from, to)
    }

    #[inline(always)]
    fn by_default(level: &'static Level, from: DType, to: DType) -> Self {
        let entry = level.table.pairs.get(from, to);
        let params = Params {
            from,
            to,
            options: Options::DEFAULT,
            component_options: Options::DEFAULT,
            draw_step: 1,
            table: level.table,
        };
        Self { kernel: entry.kernel, params, road: entry.road, level }
    }

    /// The dtype of the source.
    pub const fn from(&self) -> DType {
        self.params.from
    }

    /// The dtype of the destination.
    pub const fn to(&self) -> DType {
        self.params.to
    }

    /// The options, as plain as they can be for this pair: see [`Options::effective`].
    pub const fn options(&self) -> &Options {
        &self.params.options
    }

    /// How the kernel gets from source to destination.
    pub const fn road(&self) -> Road {
        self.road
    }

    /// The instruction set it is written for.
    pub const fn level(&self) -> &'static Level {
        self.level
    }

    /// Casts `n` elements that are all there is in either buffer.
    #[inline]
    pub fn run(&self, src: &[u8], dst: &mut [u8], n: usize) -> Result<(), RunError> {
        self.check_lengths(src.len(), dst.len(), n)?;
        // SAFETY: both slices have exactly the bytes of `n` elements, and a shared and an exclusive
        // borrow cannot overlap.
        unsafe { self.run_unchecked(src.as_ptr(), dst.as_mut_ptr(), n) }
    }

    /// As [`run`](Self::run), into bools.
    pub fn run_bools(&self, src: &[u8], dst: &mut [bool]) -> Result<(), RunError> {
        if self.params.to as u8 != DType::Bool as u8 {
            return Err(RunError::Type);
        }
        self.check_lengths(src.len(), dst.len(), dst.len())?;
        // SAFETY: as in `run`; a cast to bool writes only 0 and 1.
        unsafe { self.run_unchecked(src.as_ptr(), dst.as_mut_ptr().cast(), dst.len()) }
    }

    /// As [`run`](Self::run), into memory that may not have been written to. After `Ok` all of it
    /// has been.
    pub fn run_uninit(
        &self,
        src: &[u8],
        dst: &mut [MaybeUninit<u8>],
        n: usize,
    ) -> Result<(), RunError> {
        self.check_lengths(src.len(), dst.len(), n)?;
        // SAFETY: as in `run`; kernels only write to the destination.
        unsafe { self.run_unchecked(src.as_ptr(), dst.as_mut_ptr().cast(), n) }
    }

    /// Casts `n` elements into a new vector, whose memory is written to once. `T` is the Rust type
    /// of an element.
    pub fn collect<T: bytemuck::AnyBitPattern>(
        &self,
        src: &[u8],
        n: usize,
    ) -> Result<Vec<T>, RunError> {
        // SAFETY: any bytes make a `T`.
        unsafe { self.collect_as(src, n) }
    }

    /// As [`collect`](Self::collect), into bools.
    pub fn collect_bools(&self, src: &[u8], n: usize) -> Result<Vec<bool>, RunError> {
        if self.params.to as u8 != DType::Bool as u8 {
            return Err(RunError::Type);
        }
        // SAFETY: a cast to bool writes only 0 and 1.
        unsafe { self.collect_as(src, n) }
    }

    /// # Safety
    /// What a cast to the kernel's dtype writes makes `T`s.
    unsafe fn collect_as<T>(&self, src: &[u8], n: usize) -> Result<Vec<T>, RunError> {
        if self.params.to.size() != Some(size_of::<T>()) {
            return Err(RunError::Type);
        }
        // The source is checked before any memory is asked for: a wrong count allocates nothing.
        let dst_bytes = self.params.to.bytes_for(n).unwrap_or(0);
        self.check_lengths(src.len(), dst_bytes, n)?;
        let mut values = Vec::<T>::with_capacity(n);
        // SAFETY: the vector has room for `n` elements of the destination's size, apart from the
        // source; after success all are written, and they make `T`s.
        unsafe {
            self.run_unchecked(src.as_ptr(), values.as_mut_ptr().cast(), n)?;
            values.set_len(n);
        }
        Ok(values)
    }

    /// Casts `n` elements between raw buffers of at least their size. Null pointers are fine where
    /// there are no elements.
    ///
    /// # Safety
    /// `src` is null or valid for reading `src_bytes` bytes, `dst` null or valid for writing
    /// `dst_bytes`. Other threads write to neither and don't read `dst`.
    pub unsafe fn run_raw(
        &self,
        src: *const u8,
        src_bytes: usize,
        dst: *mut u8,
        dst_bytes: usize,
        n: usize,
    ) -> Result<(), RunError> {
        let (src_needed, dst_needed) = self.needed(n);
        let (Some(reads), Some(writes)) = (src_needed, dst_needed) else {
            return Err(self.length_error(src_bytes, dst_bytes, n));
        };
        if reads > src_bytes || writes > dst_bytes {
            return Err(self.length_error(src_bytes, dst_bytes, n));
        }
        if n == 0 {
            return Ok(());
        }
        if src.is_null() || dst.is_null() {
            return Err(RunError::Null { dst: !src.is_null() });
        }
        let read = src.addr()..src.addr().saturating_add(reads);
        let written = dst.addr()..dst.addr().saturating_add(writes);
        if read.start < written.end && written.start < read.end {
            return Err(RunError::Overlap { src: read, dst: written });
        }
        // SAFETY: the caller's, for at least the bytes of `n` elements, which don't overlap.
        unsafe { self.run_unchecked(src, dst, n) }
    }

    /// # Safety
    /// `src` is valid for reading `n` elements and `dst` for writing `n`; they don't overlap.
    #[inline(always)]
    unsafe fn run_unchecked(&self, src: *const u8, dst: *mut u8, n: usize) -> Result<(), RunError> {
        // SAFETY: the caller's; the level is available, as `on` asserted or `dispatch` found.
        let done = unsafe { (self.kernel)(src, dst, n, &self.params) };
        if done == n { Ok(()) } else { Err(RunError::Unfit { index: done }) }
    }

    /// The bytes of `n` elements on either side.
    #[inline(always)]
    fn needed(&self, n: usize) -> (Option<usize>, Option<usize>) {
        (self.params.from.bytes_for(n), self.params.to.bytes_for(n))
    }

    #[inline(always)]
    fn check_lengths(&self, src_bytes: usize, dst_bytes: usize, n: usize) -> Result<(), RunError> {
        if self.needed(n) == (Some(src_bytes), Some(dst_bytes)) {
            Ok(())
        } else {
            Err(self.length_error(src_bytes, dst_bytes, n))
        }
    }

    #[cold]
    fn length_error(&self, src_bytes: usize, dst_bytes: usize, elements: usize) -> RunError {
        let (src_needed, dst_needed) = self.needed(elements);
        RunError::Length { elements, src_bytes, src_needed, dst_bytes, dst_needed }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::options::Overflow;

    fn widen() -> Kernel {
        Kernel::new(DType::UInt8, DType::UInt16, &Options::DEFAULT)
    }

    #[test]
    fn wrong_lengths_are_told_with_both_sides() {
        let expected = RunError::Length {
            elements: 3,
            src_bytes: 3,
            src_needed: Some(3),
            dst_bytes: 5,
            dst_needed: Some(6),
        };
        assert_eq!(widen().run(&[1, 2, 3], &mut [0; 5], 3), Err(expected));
        let RunError::Length { src_needed, dst_needed, .. } =
            widen().run(&[], &mut [], usize::MAX).unwrap_err()
        else {
            panic!("not a length");
        };
        assert_eq!((src_needed, dst_needed), (Some(usize::MAX), None));
        assert!(widen().collect::<u16>(&[1, 2], usize::MAX / 4).is_err());
    }

    #[test]
    fn raw_buffers_may_touch_but_not_overlap() {
        let mut memory = [1u8, 2, 3, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee];
        let start = memory.as_mut_ptr();
        // SAFETY: all pointers and lengths lie inside `memory`, which nothing else uses.
        unsafe {
            let at = |offset| start.add(offset);
            assert_eq!(widen().run_raw(start, 3, at(3), 6, 3), Ok(()));
            for (offset, overlaps) in [(0, true), (2, true), (3, false), (4, false)] {
                let result = widen().run_raw(start, 3, at(offset), 6, 3);
                let found = matches!(result, Err(RunError::Overlap { .. }));
                assert_eq!(found, overlaps, "destination {offset} bytes on");
            }
            // The source behind the destination.
            let result = widen().run_raw(at(5), 3, at(0), 6, 3);
            assert!(matches!(result, Err(RunError::Overlap { .. })));
            assert_eq!(widen().run_raw(at(6), 3, at(0), 6, 3), Ok(()));
            assert_eq!(
                widen().run_raw(core::ptr::null(), 3, at(0), 6, 3),
                Err(RunError::Null { dst: false })
            );
            assert_eq!(
                widen().run_raw(at(6), 3, core::ptr::null_mut(), 6, 3),
                Err(RunError::Null { dst: true })
            );
            assert_eq!(widen().run_raw(core::ptr::null(), 0, core::ptr::null_mut(), 0, 0), Ok(()));
            assert!(matches!(
                widen().run_raw(at(6), 2, at(0), 6, 3),
                Err(RunError::Length { src_bytes: 2, .. })
            ));
        }
    }

    #[test]
    fn bools_come_from_casts_to_bool_only() {
        let mut bools = [false; 2];
        assert_eq!(widen().run_bools(&[1, 0], &mut bools), Err(RunError::Type));
        assert_eq!(widen().collect_bools(&[1, 0], 2), Err(RunError::Type));
        assert_eq!(widen().collect::<u32>(&[1, 0], 2), Err(RunError::Type));
        let truth = Kernel::new(DType::UInt8, DType::Bool, &Options::DEFAULT);
        assert_eq!(truth.run_bools(&[7, 0], &mut bools), Ok(()));
        assert_eq!(bools, [true, false]);
        assert_eq!(truth.collect_bools(&[0, 9], 2), Ok(std::vec![false, true]));
    }

    #[test]
    fn uninitialised_memory_is_written_whole() {
        let mut dst = [MaybeUninit::<u8>::uninit(); 6];
        widen().run_uninit(&[1, 2, 3], &mut dst, 3).unwrap();
        // SAFETY: the cast succeeded, so every byte is initialised.
        let bytes = dst.map(|byte| unsafe { byte.assume_init() });
        let values: [u16; 3] =
            core::array::from_fn(|i| u16::from_ne_bytes([bytes[2 * i], bytes[2 * i + 1]]));
        assert_eq!(values, [1, 2, 3]);
    }

    #[test]
    fn a_failure_tells_its_index() {
        let checked = Options { overflow: Overflow::Error, ..Options::DEFAULT };
        let kernel = Kernel::new(DType::Int8, DType::UInt4, &checked);
        assert_eq!(
            kernel.run(&[1, 15, 16, 255], &mut [0; 4], 4),
            Err(RunError::Unfit { index: 2 })
        );
        assert_eq!(kernel.collect::<u8>(&[255], 1), Err(RunError::Unfit { index: 0 }));
    }
}
