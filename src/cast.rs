//! Casts: the typed functions and the dynamic [`Cast`]. Everything is checked here; then a kernel runs.

use crate::element::Element;
use crate::error::CastError;
use crate::isa::{Level, LevelError};
use crate::options::{ByteOrder, CastOptions};
use simdcast_kernels::{
    DType, InOrder, Join, Kernel, Options, Out, Road, run_pair_defaults, run_plain_defaults,
};
use std::fmt;
use std::mem::MaybeUninit;

/// Whether a cast under these options can fail on some value: never without [`Overflow::Error`](crate::Overflow::Error). They are [`CastOptions`],
/// or the kernels' [`Options`].
///
/// ```
/// use simdcast::{CastOptions, DType, Overflow, can_fail};
///
/// let checked = CastOptions::new().overflow(Overflow::Error);
/// assert!(can_fail(DType::Float32, DType::Int8, &checked));
/// assert!(!can_fail(DType::Int32, DType::Float32, &checked)); // it may be rounded, but is never out of range
/// assert!(!can_fail(DType::Float32, DType::Int8, &CastOptions::new()));
/// ```
pub fn can_fail(from: DType, to: DType, options: &impl AsRef<Options>) -> bool {
    simdcast_kernels::can_fail(from, to, options.as_ref())
}

/// Casts every element of `src` into `dst`, under the default options.
///
/// # Errors
/// [`CastError::LengthMismatch`] if the slices have different lengths; nothing is written then.
///
/// ```
/// let mut bytes = [0u8; 4];
/// simdcast::cast(&[1.9f32, -3.0, 1e10, f32::NAN], &mut bytes)?;
/// assert_eq!(bytes, [1, 0, 255, 0]);
/// # Ok::<(), simdcast::CastError>(())
/// ```
#[inline]
pub fn cast<A: Element, B: Element>(src: &[A], dst: &mut [B]) -> Result<(), CastError> {
    let (bytes, n) = (A::bytes(src), dst.len());
    let mut out = B::out(dst);
    if run_plain_defaults::<A, B>(bytes, &mut out, n) {
        Ok(())
    } else {
        cast_any((A::DTYPE, B::DTYPE), bytes, B::out(dst), n)
    }
}

/// The same where lengths are no good, to tell so, or another question is to be asked first. Apart, so that a cast which is
/// done at once does not make room for what an error needs.
#[cold]
#[inline(never)]
fn cast_any(pair: (DType, DType), src: &[u8], dst: Out<'_>, n: usize) -> Result<(), CastError> {
    run_pair_defaults(pair, src, dst, n).map_err(|error| {
        CastError::from_run(error, &Kernel::new(pair.0, pair.1, &Options::DEFAULT), src)
    })
}

/// Casts every element of `src` into `dst`.
///
/// # Errors
/// [`CastError::LengthMismatch`] if the slices have different lengths; nothing is written then.
/// [`CastError::Unfit`] under [`Overflow::Error`](crate::Overflow::Error); the elements before the index it names are
/// written then, the others unspecified.
pub fn cast_with<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
) -> Result<(), CastError> {
    let kernel = Kernel::new(A::DTYPE, B::DTYPE, options.as_options());
    let (bytes, n) = (A::bytes(src), dst.len());
    kernel.run(bytes, B::out(dst), n).map_err(|error| CastError::from_run(error, &kernel, bytes))
}

/// Casts every element of `src` into a new vector, under the default options. The vector's memory is
/// written to once.
///
/// # Panics
/// If there is no memory for the results, which [`cast_vec_with`] answers by an error.
///
/// ```
/// let halves: Vec<half::f16> = simdcast::cast_vec(&[1u64, 65519, 65520]);
/// assert_eq!(halves, [1.0, 65504.0, f32::INFINITY].map(half::f16::from_f32));
/// ```
pub fn cast_vec<A: Element, B: Element>(src: &[A]) -> Vec<B> {
    let kernel = Kernel::new(A::DTYPE, B::DTYPE, &Options::DEFAULT);
    collect(&kernel, src).unwrap_or_else(|error| panic!("{error}"))
}

/// Casts every element of `src` into a new vector.
///
/// # Errors
/// [`CastError::Unfit`] under [`Overflow::Error`](crate::Overflow::Error); [`CastError::Memory`] if there is none for the results.
pub fn cast_vec_with<A: Element, B: Element>(
    src: &[A],
    options: &CastOptions,
) -> Result<Vec<B>, CastError> {
    collect(&Kernel::new(A::DTYPE, B::DTYPE, options.as_options()), src)
}

fn collect<A: Element, B: Element>(kernel: &Kernel, src: &[A]) -> Result<Vec<B>, CastError> {
    let bytes = A::bytes(src);
    B::collect(kernel, bytes, src.len(), &InOrder)
        .map_err(|error| CastError::from_run(error, kernel, bytes))
}

/// A cast between two dtypes known at run time, resolved to a kernel once and run as often as
/// needed, from any thread, on buffers of any alignment.
///
/// ```
/// use simdcast::{Cast, CastOptions, DType};
///
/// let from: DType = "int4x2".parse()?;
/// let cast = Cast::new(from, DType::Float32, CastOptions::new())?;
/// let mut floats = [0u8; 12];
/// cast.run(&[0x7f, 0x08], &mut floats)?;
/// let floats: [f32; 3] = bytemuck::cast(floats);
/// assert_eq!(floats, [-1.0, 7.0, -8.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
#[must_use = "a cast does nothing before it is run"]
pub struct Cast {
    kernel: Kernel,
    /// As they were given.
    options: CastOptions,
    /// Which sides are in the other byte order than the machine's.
    swapped: [bool; 2],
}

impl Cast {
    /// Resolves the kernel of a pair, on the instruction set in use now.
    ///
    /// # Errors
    /// None at present: every pair goes with all options.
    pub fn new(from: DType, to: DType, options: CastOptions) -> Result<Self, CastError> {
        let kernel = Kernel::new(from, to, options.as_options());
        Ok(Self { kernel, options, swapped: [false; 2] })
    }

    /// As [`new`](Self::new), on an instruction set that need not be the one in use: a library can choose for its own casts, which
    /// [`isa::set`](crate::isa::set) would do for all of a program.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType, isa};
    ///
    /// let level = isa::find("scalar")?;
    /// let cast = Cast::on(level, DType::Int8, DType::Float64, CastOptions::new())?;
    /// assert_eq!(cast.isa(), "scalar");
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    ///
    /// # Errors
    /// [`CastError::Isa`] if this CPU cannot run it.
    pub fn on(
        level: &'static Level,
        from: DType,
        to: DType,
        options: CastOptions,
    ) -> Result<Self, CastError> {
        if !level.is_available() {
            let name = level.name().to_owned();
            return Err(CastError::Isa { name, why: LevelError::Unavailable });
        }
        let kernel = Kernel::on(level, from, to, options.as_options());
        Ok(Self { kernel, options, swapped: [false; 2] })
    }

    /// The cast between buffers in these byte orders. Those of the parts of complex numbers are meant; to
    /// dtypes of one byte and packed ones it makes no difference.
    ///
    /// ```
    /// use simdcast::{ByteOrder, Cast, CastOptions, DType};
    ///
    /// let cast = Cast::new(DType::UInt16, DType::Float32, CastOptions::new())?
    ///     .with_byte_order(ByteOrder::Big, ByteOrder::Native);
    /// let mut floats = [0u8; 8];
    /// cast.run(&[0x01, 0x00, 0x00, 0x02], &mut floats)?;
    /// assert_eq!(bytemuck::cast::<_, [f32; 2]>(floats), [256.0, 2.0]);
    /// # #[cfg(target_endian = "little")]
    /// assert_eq!(cast.byte_orders(), [ByteOrder::Big, ByteOrder::Native]);
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn with_byte_order(mut self, src: ByteOrder, dst: ByteOrder) -> Self {
        self.swapped = [src.is_swapped(), dst.is_swapped()];
        self.kernel = self.kernel.with_swapped(self.swapped);
        self
    }

    /// The byte orders of source and destination, [`ByteOrder::Native`] where they are the machine's.
    pub const fn byte_orders(&self) -> [ByteOrder; 2] {
        let [src, dst] = self.swapped;
        [ByteOrder::of(src), ByteOrder::of(dst)]
    }

    /// Which sides are in the other byte order than the machine's.
    pub(crate) const fn swapped(&self) -> [bool; 2] {
        self.swapped
    }

    /// Casts all elements of `src` into `dst`, which must have room for exactly them.
    ///
    /// Where one dtype is packed, the other's bytes tell how many elements there are.
    ///
    /// # Errors
    /// [`CastError::LengthMismatch`], and [`CastError::CountNeeded`] if both dtypes are packed;
    /// nothing is written then. [`CastError::Unfit`] under [`Overflow::Error`](crate::Overflow::Error); the elements before
    /// the index it names are written then, the others unspecified.
    #[inline]
    pub fn run(&self, src: &[u8], dst: &mut [u8]) -> Result<(), CastError> {
        let elements = self.kernel.plain_elements(src.len());
        if self.run_plain(src, dst, elements) { Ok(()) } else { self.run_any(src, dst) }
    }

    /// Casts what is cast at once, and answers whether it did.
    #[inline(always)]
    fn run_plain(&self, src: &[u8], dst: &mut [u8], elements: usize) -> bool {
        self.kernel.run_plain::<true>(src, &mut dst.into(), elements)
    }

    /// As [`run`](Self::run). Apart, as [`run_any_n`](Self::run_any_n), so that most casts do not make room for what
    /// others need.
    #[inline(never)]
    fn run_any(&self, src: &[u8], dst: &mut [u8]) -> Result<(), CastError> {
        let elements = self.elements(src.len(), dst.len())?;
        self.run_elements(src, dst, elements).map_err(CastError::without_count)
    }

    /// How many elements buffers of so many bytes hold, as the side tells that is not packed.
    #[inline]
    pub(crate) fn elements(&self, src_bytes: usize, dst_bytes: usize) -> Result<usize, CastError> {
        let (from, to) = (self.kernel.from(), self.kernel.to());
        // Sizes are powers of two, except those of packed dtypes.
        match (from.size(), to.size()) {
            (Some(size), _) => Ok(src_bytes >> size.trailing_zeros()),
            (None, Some(size)) => Ok(dst_bytes >> size.trailing_zeros()),
            (None, None) => Err(CastError::CountNeeded { from, to }),
        }
    }

    /// Casts `elements` elements, which must be all that either buffer holds.
    ///
    /// # Errors
    /// As [`run`](Self::run), but for [`CastError::CountNeeded`].
    #[inline]
    pub fn run_n(&self, src: &[u8], dst: &mut [u8], elements: usize) -> Result<(), CastError> {
        if self.run_plain(src, dst, elements) { Ok(()) } else { self.run_any_n(src, dst, elements) }
    }

    /// As [`run_n`](Self::run_n), into memory that may be uninitialised, such as a new buffer's. Answers its bytes, which are
    /// not then. (`par_run_uninit` does it by several threads, with the feature `rayon`.)
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType};
    ///
    /// let cast = Cast::new(DType::UInt8, DType::UInt16, CastOptions::new())?;
    /// let mut buffer = Vec::with_capacity(4);
    /// let bytes = cast.run_uninit(&[7, 255], &mut buffer.spare_capacity_mut()[..4], 2)?;
    /// assert_eq!(bytes, bytemuck::cast_slice::<u16, u8>(&[7, 255]));
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    ///
    /// # Errors
    /// As [`run_n`](Self::run_n). The elements before one that does not fit have been written, as far as they are whole bytes.
    pub fn run_uninit<'a>(
        &self,
        src: &[u8],
        dst: &'a mut [MaybeUninit<u8>],
        elements: usize,
    ) -> Result<&'a mut [u8], CastError> {
        self.uninit_in_parts(src, dst, elements, &InOrder)
    }

    pub(crate) fn uninit_in_parts<'a>(
        &self,
        src: &[u8],
        dst: &'a mut [MaybeUninit<u8>],
        elements: usize,
        join: &impl Join,
    ) -> Result<&'a mut [u8], CastError> {
        let result = self.kernel.run_uninit_in_parts(src, dst, elements, join);
        result.map_err(|error| CastError::from_run(error, &self.kernel, src))
    }

    /// As [`run_n`](Self::run_n).
    #[inline(never)]
    fn run_any_n(&self, src: &[u8], dst: &mut [u8], elements: usize) -> Result<(), CastError> {
        self.run_elements(src, dst, elements)
    }

    #[inline(always)]
    fn run_elements(&self, src: &[u8], dst: &mut [u8], n: usize) -> Result<(), CastError> {
        let result = self.kernel.run_any(src, dst.into(), n);
        result.map_err(|error| CastError::from_run(error, &self.kernel, src))
    }

    /// The kernel.
    pub(crate) const fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The options as they were given.
    pub const fn options(&self) -> &CastOptions {
        &self.options
    }

    /// The dtype of the source.
    pub const fn from(&self) -> DType {
        self.kernel.from()
    }

    /// The dtype of the destination.
    pub const fn to(&self) -> DType {
        self.kernel.to()
    }

    /// The name of the instruction set that the kernel is written for.
    pub const fn isa(&self) -> &'static str {
        self.kernel.level().name()
    }

    /// How the kernel gets from source to destination.
    pub const fn road(&self) -> Road {
        self.kernel.road()
    }

    /// The kernel's name: pair, instruction set and road.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, DType, isa};
    ///
    /// let scalar = isa::find("scalar")?;
    /// let cast = Cast::on(scalar, DType::Int8, DType::Float64, CastOptions::new())?;
    /// assert_eq!(cast.kernel_name(), "int8 -> float64: scalar, fused");
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn kernel_name(&self) -> String {
        let other = |swapped| if swapped { " (swapped)" } else { "" };
        let [src, dst] = self.kernel.swapped().map(other);
        format!("{}{src} -> {}{dst}: {}, {}", self.from(), self.to(), self.isa(), self.road())
    }
}

impl fmt::Debug for Cast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kernel.fmt(f)
    }
}
