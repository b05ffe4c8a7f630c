//! What can go wrong, with the facts in it.

use simdcast_kernels::dispatch::LevelError;
use simdcast_kernels::reference::{self, decode};
use simdcast_kernels::{
    BadOption, DType, Exact, Kernel, LayoutError, Options, RunError, UnknownDType,
};
use std::fmt;
use std::io;

/// Why a cast was refused or ended. No misuse panics.
///
/// It turns into an [`io::Error`] that holds it: of the kind [`InvalidData`](io::ErrorKind::InvalidData) for an element that
/// does not fit or would change, [`OutOfMemory`](io::ErrorKind::OutOfMemory) where there is no memory, else
/// [`InvalidInput`](io::ErrorKind::InvalidInput).
///
/// ```
/// use simdcast::{CastOptions, Overflow, cast_vec_with};
/// use std::io;
///
/// fn bytes(numbers: &[f32]) -> io::Result<Vec<u8>> {
///     Ok(cast_vec_with(numbers, &CastOptions::new().overflow(Overflow::Error))?)
/// }
/// assert_eq!(bytes(&[1.0, 300.0]).unwrap_err().kind(), io::ErrorKind::InvalidData);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CastError {
    /// No dtype has this name.
    UnknownDType(UnknownDType),
    /// The buffers hold different numbers of elements, or part of one. Nothing was written.
    LengthMismatch {
        /// The dtype of the source.
        from: DType,
        /// The dtype of the destination.
        to: DType,
        /// The elements to cast, where they were stated or one side that is not packed tells them.
        elements: Option<usize>,
        /// The bytes of the source.
        src_bytes: usize,
        /// The bytes of the destination.
        dst_bytes: usize,
    },
    /// Both dtypes are packed, so the bytes don't tell how many elements there are:
    /// [`Cast::run_n`](crate::Cast::run_n) states it. Nothing was written.
    CountNeeded {
        /// The dtype of the source.
        from: DType,
        /// The dtype of the destination.
        to: DType,
    },
    /// A buffer is too small for a cast in place. Nothing was written.
    InPlace {
        /// The dtype of the elements.
        from: DType,
        /// The dtype that they are to have.
        to: DType,
        /// The elements to cast.
        elements: usize,
        /// The bytes of the buffer.
        bytes: usize,
    },
    /// Elements of one type cannot become those of another where they are: they have different sizes, or
    /// need not lie where those must. Nothing was written.
    Recast {
        /// The dtype of the elements.
        from: DType,
        /// The bytes of one, and what its address, or that of the allocation, is a multiple of.
        from_layout: (usize, usize),
        /// The dtype that they are to have.
        to: DType,
        /// The bytes of one, and what its address must be a multiple of.
        to_layout: (usize, usize),
    },
    /// A bitmap has another number of bytes than a bit for each element takes. Nothing was written.
    BitmapLength {
        /// The elements to cast.
        elements: usize,
        /// The bytes of the bitmap.
        given: usize,
        /// The bytes that the elements' bits take.
        needed: usize,
    },
    /// A view is of another dtype than the cast. Nothing was written.
    DType {
        /// The argument: `"src"` or `"dst"`.
        argument: &'static str,
        /// The view's dtype.
        given: DType,
        /// The cast's.
        needed: DType,
    },
    /// Views have different shapes. Nothing was written.
    Shapes {
        /// That of the source.
        src: Vec<usize>,
        /// That of the destination.
        dst: Vec<usize>,
    },
    /// There is no such view.
    Layout(LayoutError),
    /// There is no memory for the results. Nothing was cast.
    Memory {
        /// The dtype that they were to have.
        to: DType,
        /// How many there were to be.
        elements: usize,
    },
    /// An option has a value that it cannot have.
    BadOption(BadOption),
    /// Under [`Overflow::Error`](crate::Overflow::Error), an element does not fit. The elements
    /// before it are written, and the rest of the destination is unspecified, if nothing else is said where it is cast:
    /// what is cast in place stays as it was.
    Unfit {
        /// The dtype of the source.
        from: DType,
        /// The dtype of the destination.
        to: DType,
        /// The index of the first such element. (In a stream, which may be longer than `usize` counts: `usize::MAX` then.)
        index: usize,
        /// Its value.
        value: Value,
    },
    /// A cast that changes no value, such as [`cast_same_value`](crate::cast_same_value), would change
    /// that of an element. The elements before it are written; the rest of the destination is
    /// unspecified.
    Changed {
        /// The dtype of the source.
        from: DType,
        /// The dtype of the destination.
        to: DType,
        /// The index of the first such element.
        index: usize,
        /// Its value.
        value: Value,
        /// What a cast under the default options makes of it.
        becomes: Value,
    },
    /// No instruction set of this name can be used.
    Isa {
        /// What was given.
        name: String,
        /// Why not.
        why: LevelError,
    },
}

/// The exact value of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// Of a real dtype.
    Real(Exact),
    /// Of a complex dtype: real and imaginary part.
    Complex(Exact, Exact),
}

impl Value {
    /// The value of an element of a kernel's source.
    pub(crate) fn read(kernel: &Kernel, src: &[u8], index: usize) -> Self {
        Self::of(kernel.from(), kernel.load(src, index))
    }

    /// The value of a code.
    pub(crate) fn of(dtype: DType, code: u128) -> Self {
        let part = dtype.component();
        if dtype.is_complex() {
            let half = dtype.bits() / 2;
            let real = decode(part, code as u64 & (u64::MAX >> (64 - half)));
            Self::Complex(real, decode(part, (code >> half) as u64))
        } else {
            Self::Real(decode(part, code as u64))
        }
    }

    /// Whether two values of a dtype are the same: 0 is -0, and a NaN is any NaN.
    pub(crate) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Real(a), Self::Real(b)) => a.same_number(b),
            (Self::Complex(a, b), Self::Complex(c, d)) => a.same_number(c) && b.same_number(d),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(value) => value.fmt(f),
            Self::Complex(re, im) => write!(f, "({re}, {im})"),
        }
    }
}

impl CastError {
    /// What a kernel that did not run through ran into.
    #[cold]
    pub(crate) fn from_run(error: RunError, kernel: &Kernel, src: &[u8]) -> Self {
        let (from, to) = (kernel.from(), kernel.to());
        match error {
            RunError::Length { elements, src_bytes, dst_bytes, .. } => {
                Self::LengthMismatch { from, to, elements: Some(elements), src_bytes, dst_bytes }
            }
            RunError::InPlace { elements, bytes, .. } => {
                Self::InPlace { from, to, elements, bytes }
            }
            RunError::Bitmap { elements, bytes, needed } => {
                Self::BitmapLength { elements, given: bytes, needed }
            }
            RunError::Memory { elements, .. } => Self::Memory { to, elements },
            RunError::Unfit { index } => {
                Self::Unfit { from, to, index, value: Value::read(kernel, src, index) }
            }
            // A typed cast takes the kernel by its own types.
            other => unreachable!("{from} -> {to}: {other:?}"),
        }
    }

    /// The same where the number of elements was not stated: it is told by a side that is not packed, if the other one is.
    #[cold]
    pub(crate) fn without_count(self) -> Self {
        match self {
            Self::LengthMismatch { from, to, src_bytes, dst_bytes, .. } => {
                let told = |dtype: DType, bytes: usize| {
                    dtype.size().filter(|size| bytes.is_multiple_of(*size)).map(|size| bytes / size)
                };
                let elements = match (from.is_packed(), to.is_packed()) {
                    (true, false) => told(to, dst_bytes),
                    (false, true) => told(from, src_bytes),
                    _ => None,
                };
                Self::LengthMismatch { from, to, elements, src_bytes, dst_bytes }
            }
            other => other,
        }
    }

    /// The error of an element whose value a kernel's pair would change.
    #[cold]
    pub(crate) fn changed(kernel: &Kernel, src: &[u8], index: usize) -> Self {
        let (from, to) = (kernel.from(), kernel.to());
        let code = kernel.load(src, index);
        let stored = match reference::cast(from, to, code, &Options::DEFAULT, 0) {
            Ok(stored) => stored,
            Err(_) => unreachable!("a cast under the default options refuses nothing"),
        };
        let (value, becomes) = (Value::of(from, code), Value::of(to, stored));
        Self::Changed { from, to, index, value, becomes }
    }
}

/// What a buffer holds, in words.
struct Held(DType, usize);

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(dtype, bytes) = *self;
        match dtype.size() {
            None => write!(f, "{bytes} bytes of {dtype}"),
            Some(size) => {
                write!(f, "{} elements of {dtype} in {bytes} bytes", bytes / size)?;
                match bytes % size {
                    0 => Ok(()),
                    rest => write!(f, " ({rest} left over)"),
                }
            }
        }
    }
}

/// The bytes that elements take on either side.
fn taken(f: &mut fmt::Formatter<'_>, elements: usize, dtypes: [DType; 2]) -> fmt::Result {
    for (dtype, end) in dtypes.into_iter().zip([" and", " bytes"]) {
        match dtype.bytes_for(elements) {
            Some(bytes) => write!(f, " {bytes}{end}")?,
            None => write!(f, " more than memory can hold{end}")?,
        }
    }
    Ok(())
}

impl fmt::Display for CastError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownDType(unknown) => unknown.fmt(f),
            Self::LengthMismatch { from, to, elements, src_bytes, dst_bytes } => {
                let (src, dst) = (Held(*from, *src_bytes), Held(*to, *dst_bytes));
                write!(f, "the source has {src}, the destination {dst}")?;
                let Some(n) = *elements else { return Ok(()) };
                write!(f, "; {n} elements take")?;
                taken(f, n, [*from, *to])
            }
            Self::InPlace { from, to, elements, bytes } => {
                write!(
                    f,
                    "the buffer has {bytes} bytes; {elements} elements of {from} and {to} take"
                )?;
                taken(f, *elements, [*from, *to])
            }
            Self::Recast { from, from_layout, to, to_layout } => write!(
                f,
                "elements of {from} ({} bytes, at multiples of {}) cannot become {to} ({}, at {}) where \
                 they are",
                from_layout.0, from_layout.1, to_layout.0, to_layout.1
            ),
            Self::CountNeeded { from, to } => write!(
                f,
                "{from} and {to} are both packed, so their bytes don't tell the number of elements: \
                 state it"
            ),
            Self::BitmapLength { elements, given, needed } => {
                write!(f, "the bitmap has {given} bytes; {elements} bits take {needed}")
            }
            Self::DType { argument, given, needed } => {
                write!(f, "{argument} is a view of {given}, not of {needed} as the cast has it")
            }
            Self::Shapes { src, dst } => {
                write!(f, "the source has the shape {src:?}, the destination {dst:?}")
            }
            Self::Layout(error) => error.fmt(f),
            Self::Memory { to, elements } => {
                write!(f, "there is no memory for {elements} elements of {to}, which take")?;
                match to.bytes_for(*elements) {
                    Some(bytes) => write!(f, " {bytes} bytes"),
                    None => f.write_str(" more bytes than memory can hold"),
                }
            }
            Self::BadOption(bad) => bad.fmt(f),
            Self::Unfit { from, to, index, value } => {
                write!(f, "element {index} of {from}, {value}, does not fit {to}")
            }
            Self::Changed { from, to, index, value, becomes } => {
                write!(f, "element {index} of {from}, {value}, would become {becomes} in {to}")
            }
            Self::Isa { name, why } => {
                write!(f, "no instruction set {name:?} can be used: {why}")
            }
        }
    }
}

impl std::error::Error for CastError {}

impl From<CastError> for io::Error {
    fn from(error: CastError) -> Self {
        let kind = match error {
            CastError::Unfit { .. } | CastError::Changed { .. } => io::ErrorKind::InvalidData,
            CastError::Memory { .. } => io::ErrorKind::OutOfMemory,
            _ => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}

impl From<BadOption> for CastError {
    fn from(bad: BadOption) -> Self {
        Self::BadOption(bad)
    }
}

impl From<LayoutError> for CastError {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

impl From<UnknownDType> for CastError {
    fn from(unknown: UnknownDType) -> Self {
        Self::UnknownDType(unknown)
    }
}
