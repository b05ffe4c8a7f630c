//! Casts: the options, the typed functions and the dynamic [`Cast`]. Everything is checked here;
//! then a kernel runs.

use crate::element::Element;
use crate::error::CastError;
use simdcast_kernels::{
    DType, InOrder, Kernel, Options, Out, Overflow, Road, Rounding, run_pair_defaults,
    run_plain_defaults,
};
use std::fmt;

/// How a cast treats what has no place in the destination, and how it rounds. An option that cannot
/// affect a pair is ignored.
///
/// ```
/// use simdcast::{CastOptions, Overflow, Rounding, cast_with};
///
/// let options = CastOptions::new().overflow(Overflow::Wrap).rounding(Rounding::NearestEven);
/// let mut bytes = [0u8; 3];
/// cast_with(&[2.5f32, 300.7, -1.0], &mut bytes, &options)?;
/// assert_eq!(bytes, [2, 45, 255]);
/// # Ok::<(), simdcast::CastError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[must_use = "options change nothing but the casts that are given them"]
pub struct CastOptions {
    options: Options,
}

/// ONNX's `round_mode` of casts to float8_e8m0fnu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnnxRounding {
    /// `"up"`, the default.
    #[default]
    Up,
    /// `"down"`.
    Down,
    /// `"nearest"`.
    Nearest,
}

impl CastOptions {
    /// The defaults: [`Overflow::As`], saturating, [`Rounding::Default`].
    pub const fn new() -> Self {
        Self { options: Options::DEFAULT }
    }

    /// What becomes of a number that an integer destination cannot hold; with [`Overflow::Error`],
    /// of one that any destination cannot.
    pub const fn overflow(mut self, overflow: Overflow) -> Self {
        self.options.overflow = overflow;
        self
    }

    /// Whether the 8-bit floats clamp to their largest finite number, rather than turn to infinity
    /// or NaN; `float8_e8m0fnu` to its smallest, too. [`Overflow::Error`] does not look at it.
    pub const fn saturate(mut self, saturate: bool) -> Self {
        self.options.saturate = saturate;
        self
    }

    /// How numbers between two of the destination's are rounded.
    pub const fn rounding(mut self, rounding: Rounding) -> Self {
        self.options.rounding = rounding;
        self
    }

    /// For [`Rounding::Stochastic`]: the index, in the whole, of the first element cast, so that a
    /// buffer cast in parts draws what it would draw in one. Indices are counted modulo 2^64. Where
    /// either side is complex, element i draws number 2i for its real and 2i + 1 for its imaginary
    /// part, and what element i + 2^63 draws.
    ///
    /// ```
    /// use simdcast::{CastOptions, Rounding, cast_vec_with};
    ///
    /// let options = CastOptions::new().rounding(Rounding::Stochastic { seed: 7 });
    /// let values: Vec<f32> = (0..64).map(|i| i as f32 + 0.25).collect();
    /// let whole: Vec<i8> = cast_vec_with(&values, &options)?;
    /// let mut parts: Vec<i8> = cast_vec_with(&values[..13], &options)?;
    /// parts.extend(cast_vec_with::<f32, i8>(&values[13..], &options.first_index(13))?);
    /// assert_eq!(parts, whole);
    /// // About a quarter of them have moved up.
    /// assert!(whole.iter().enumerate().all(|(i, &n)| n == i as i8 || n == i as i8 + 1));
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub const fn first_index(mut self, index: u64) -> Self {
        self.options.first_index = index;
        self
    }

    /// Options by the codes of the C ABI.
    ///
    /// # Errors
    /// [`CastError::BadOption`] for a code that stands for nothing.
    pub fn from_codes(
        overflow: u8,
        saturate: u8,
        rounding: u8,
        seed: u64,
        first_index: u64,
    ) -> Result<Self, CastError> {
        let bad = |option, given: u8, allowed| CastError::BadOption {
            option,
            given: given.to_string(),
            allowed,
        };
        let options = Options {
            overflow: Overflow::from_code(overflow).ok_or_else(|| {
                bad("overflow", overflow, "0 (as), 1 (wrap), 2 (saturate), 3 (error)")
            })?,
            saturate: match saturate {
                0 => false,
                1 => true,
                _ => return Err(bad("saturate", saturate, "0, 1")),
            },
            rounding: Rounding::from_code(rounding, seed).ok_or_else(|| {
                bad(
                    "rounding",
                    rounding,
                    "0 (default), 1 (toward zero), 2 (up), 3 (down), 4 (nearest away), \
                     5 (stochastic), 6 (nearest even)",
                )
            })?,
            first_index,
        };
        Ok(Self { options })
    }

    /// Options by name: see [`Overflow::NAMES`] and [`Rounding::NAMES`]; `seed` is for `stochastic`.
    ///
    /// # Errors
    /// [`CastError::BadOption`] for a name that stands for nothing.
    ///
    /// ```
    /// use simdcast::CastOptions;
    ///
    /// assert_eq!(CastOptions::from_names("as", "default", 0)?, CastOptions::new());
    /// assert!(CastOptions::from_names("clip", "default", 0).is_err());
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn from_names(overflow: &str, rounding: &str, seed: u64) -> Result<Self, CastError> {
        let bad = |option, given: &str, allowed| CastError::BadOption {
            option,
            given: format!("{given:?}"),
            allowed,
        };
        Ok(Self::new()
            .overflow(
                Overflow::parse(overflow)
                    .ok_or_else(|| bad("overflow", overflow, Overflow::NAMES))?,
            )
            .rounding(
                Rounding::parse(rounding, seed)
                    .ok_or_else(|| bad("rounding", rounding, Rounding::NAMES))?,
            ))
    }

    /// What Rust's `as` does, for every pair: the defaults. Between Rust's own number types the two
    /// agree to the bit, but for the payloads of NaNs, which `as` leaves open.
    pub const fn rust_as(_from: DType, _to: DType) -> Self {
        Self::new()
    }

    /// What ONNX's Cast does: the defaults with its `saturate` (1 by default), its `round_mode` for
    /// float8_e8m0fnu, and integers of 4 and 2 bits that keep the low bits of floats too, as ONNX's
    /// test files have it.
    ///
    /// ONNX leaves open what other integers become of floats out of range. Its reference
    /// implementation rounds float64 twice on the way to 16 bits and fewer; here it is once.
    pub const fn onnx(_from: DType, to: DType, saturate: bool, round_mode: OnnxRounding) -> Self {
        let options = Self::new().saturate(saturate);
        match to.logical() {
            DType::Float8E8M0Fnu => options.rounding(match round_mode {
                OnnxRounding::Up => Rounding::Up,
                OnnxRounding::Down => Rounding::Down,
                OnnxRounding::Nearest => Rounding::NearestEven,
            }),
            DType::Int4 | DType::UInt4 | DType::Int2 | DType::UInt2 => {
                options.overflow(Overflow::Wrap)
            }
            _ => options,
        }
    }

    /// What NumPy's `astype` does: integers keep low bits, whatever they come from.
    ///
    /// NumPy leaves floats out of an integer's range, infinities and NaNs to the CPU. On x86-64 its
    /// result is often that of a conversion to 32 or 64 bits cut to size, as here, and else the lowest
    /// integer; infinities and NaNs are 0 here. It keeps signalling NaNs signalling between float16
    /// and other floats.
    pub const fn numpy(_from: DType, _to: DType) -> Self {
        Self::new().overflow(Overflow::Wrap).saturate(false)
    }

    /// What ml_dtypes' `astype` does: as NumPy, with the 8-bit floats turning to infinity or NaN and
    /// float8_e8m0fnu rounded to nearest.
    ///
    /// Some results differ, with its version 0.6.0 for one. It rounds float64 and integers of 32 and
    /// 64 bits twice on the way to its types; here it is once. NaNs lose their payload on the way to
    /// bfloat16 and stay signalling on the way from it, and the NaN of the `fnuz` formats comes out
    /// negative; here it is positive. Positive numbers below 2^-126 become other powers in
    /// float8_e8m0fnu than the nearest, and the smallest where here that would be out of range, hence
    /// NaN. Floats out of an integer's range are left to the CPU, and the infinities of 8-bit floats
    /// clamp; here the low bits are kept and infinities are 0. Its complex32 and bcomplex32 become each
    /// other and bool in a way of their own.
    pub const fn ml_dtypes(_from: DType, to: DType) -> Self {
        let options = Self::new().overflow(Overflow::Wrap).saturate(false);
        match to.logical() {
            DType::Float8E8M0Fnu => options.rounding(Rounding::NearestEven),
            _ => options,
        }
    }

    /// The options as the kernels take them.
    pub const fn as_options(&self) -> &Options {
        &self.options
    }
}

impl From<Options> for CastOptions {
    fn from(options: Options) -> Self {
        Self { options }
    }
}

impl From<CastOptions> for Options {
    fn from(options: CastOptions) -> Self {
        options.options
    }
}

impl AsRef<Options> for CastOptions {
    fn as_ref(&self) -> &Options {
        &self.options
    }
}

/// Whether a cast under these options can fail on some value: never without [`Overflow::Error`]. They are [`CastOptions`],
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
/// [`CastError::Unfit`] under [`Overflow::Error`]; the elements before the index it names are
/// written then, the others unspecified.
pub fn cast_with<A: Element, B: Element>(
    src: &[A],
    dst: &mut [B],
    options: &CastOptions,
) -> Result<(), CastError> {
    let kernel = Kernel::new(A::DTYPE, B::DTYPE, &options.options);
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
/// [`CastError::Unfit`] under [`Overflow::Error`]; [`CastError::Memory`] if there is none for the results.
pub fn cast_vec_with<A: Element, B: Element>(
    src: &[A],
    options: &CastOptions,
) -> Result<Vec<B>, CastError> {
    collect(&Kernel::new(A::DTYPE, B::DTYPE, &options.options), src)
}

fn collect<A: Element, B: Element>(kernel: &Kernel, src: &[A]) -> Result<Vec<B>, CastError> {
    let bytes = A::bytes(src);
    B::collect(kernel, bytes, src.len(), &InOrder)
        .map_err(|error| CastError::from_run(error, kernel, bytes))
}

/// The order of the bytes of a number in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The machine's own.
    #[default]
    Native,
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

impl ByteOrder {
    /// Whether it is not the machine's own.
    pub const fn is_swapped(self) -> bool {
        match self {
            Self::Native => false,
            Self::Little => cfg!(target_endian = "big"),
            Self::Big => cfg!(target_endian = "little"),
        }
    }

    /// The machine's own, or the other one.
    const fn of(swapped: bool) -> Self {
        match swapped {
            false => Self::Native,
            true if cfg!(target_endian = "big") => Self::Little,
            true => Self::Big,
        }
    }
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
        let kernel = Kernel::new(from, to, &options.options);
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
    /// nothing is written then. [`CastError::Unfit`] under [`Overflow::Error`]; the elements before
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
    /// isa::set("scalar")?;
    /// let cast = Cast::new(DType::Int8, DType::Float64, CastOptions::new())?;
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
