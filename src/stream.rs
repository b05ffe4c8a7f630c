//! Casts of what comes and goes in pieces: bytes from a [`Read`](io::Read) to a [`Read`](io::Read), and to a
//! [`Write`](io::Write).

use crate::cast::Cast;
use crate::error::CastError;
use simdcast_kernels::{DType, Kernel};
use std::fmt;
use std::io;

mod reader;
mod writer;

pub use reader::CastReader;
pub use writer::{CastWriter, CastWriterParts, FinishError};

/// What packed elements in one piece are a multiple of, so that each piece starts with a byte.
const GRAIN: usize = 8;

/// The bytes that are read or written at a time: they stay in the L1 cache until they are cast, or until
/// they are written.
const BUFFER: usize = 16 << 10;

/// Casts pieces of a stream one after the other.
#[derive(Clone, Debug)]
struct Stream {
    /// That of the elements after those cast so far.
    kernel: Kernel,
    /// The elements cast so far.
    done: u64,
    /// How many there are to be, if that was stated.
    stated: Option<u64>,
}

impl Stream {
    const fn new(cast: &Cast) -> Self {
        Self { kernel: *cast.kernel(), done: 0, stated: None }
    }

    const fn from(&self) -> DType {
        self.kernel.from()
    }

    const fn to(&self) -> DType {
        self.kernel.to()
    }

    /// What elements in one piece are a multiple of.
    const fn grain(&self) -> usize {
        if self.from().is_packed() || self.to().is_packed() { GRAIN } else { 1 }
    }

    /// How many elements are to come, if that was stated.
    fn left(&self) -> Option<u64> {
        self.stated.map(|stated| stated.saturating_sub(self.done))
    }

    /// At most so many elements, if only so many are to come.
    fn at_most(&self, elements: usize) -> usize {
        match self.left() {
            Some(left) => usize::try_from(left).map_or(elements, |left| elements.min(left)),
            None => elements,
        }
    }

    /// What there is to tell of an end so many bytes after the elements cast so far.
    const fn truncated(&self, rest: usize) -> Truncated {
        let (dtype, elements, stated) = (self.from(), self.done, self.stated);
        Truncated { dtype, elements, rest, stated }
    }

    /// Casts all elements of a piece. An error tells how many of them come before it, too.
    fn cast(&mut self, src: &[u8], dst: &mut [u8], n: usize) -> Result<(), (usize, CastError)> {
        match self.kernel.run(src, &mut *dst, n) {
            Ok(()) => {
                self.done += n as u64;
                self.kernel.advance(n as u64);
                Ok(())
            }
            Err(error) => {
                let mut error = CastError::from_run(error, &self.kernel, src);
                let mut before = 0;
                if let CastError::Unfit { index, .. } = &mut error {
                    before = *index;
                    self.done += before as u64;
                    *index = usize::try_from(self.done).unwrap_or(usize::MAX);
                    // Of packed elements the last byte may hold more than those.
                    let (bits, few) = (self.to().bits(), before % 8);
                    if !(few * bits).is_multiple_of(8) {
                        dst[before / 8 * bits + few * bits / 8] &= (1 << (few * bits % 8)) - 1;
                    }
                }
                Err((before, error))
            }
        }
    }

    /// The bytes of elements.
    fn bytes(dtype: DType, elements: usize) -> usize {
        dtype.bytes_for(elements).unwrap_or(usize::MAX)
    }

    /// How many whole elements, in grains of whole bytes, so many bytes hold.
    fn whole(dtype: DType, bytes: usize) -> usize {
        match dtype.size() {
            Some(size) => bytes / size,
            None => (bytes / dtype.bits()).saturating_mul(GRAIN),
        }
    }
}

/// Why no more elements come or are taken.
#[derive(Clone, Debug)]
enum End {
    All,
    Unfit(CastError),
    Truncated(Truncated),
}

impl End {
    /// What there is to tell of it, again and again.
    fn tell(&self) -> io::Result<()> {
        match self {
            Self::All => Ok(()),
            Self::Unfit(error) => Err(error.clone().into()),
            Self::Truncated(truncated) => {
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, *truncated))
            }
        }
    }
}

/// A stream that ended before its last element did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated {
    /// The dtype of the source.
    pub dtype: DType,
    /// The elements that came whole.
    pub elements: u64,
    /// The bytes that came after them.
    pub rest: usize,
    /// How many elements there were to be, if that was stated.
    pub stated: Option<u64>,
}

impl fmt::Display for Truncated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dtype, elements, rest, stated } = self;
        let (bytes, of) = (Counted(*rest as u64, "byte"), Counted(*elements, "element"));
        write!(f, "the stream ended {bytes} after {of} of {dtype}")?;
        match stated {
            Some(stated) => write!(f, ", of which there were to be {stated}"),
            None => write!(f, ", each of which takes {} bits", dtype.bits()),
        }
    }
}

impl std::error::Error for Truncated {}

/// A stream that goes on after the last element that there was to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlong {
    /// The dtype of the source.
    pub dtype: DType,
    /// How many elements there were to be.
    pub stated: u64,
    /// The bytes that were given after them, of which none was taken.
    pub rest: usize,
}

impl fmt::Display for Overlong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dtype, stated, rest } = self;
        let (bytes, of) = (Counted(*rest as u64, "byte"), Counted(*stated, "element"));
        write!(f, "the stream goes on with {bytes} after {of} of {dtype}, which had to be all")
    }
}

impl std::error::Error for Overlong {}

/// So many of something, in words.
struct Counted(u64, &'static str);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, what) = self;
        write!(f, "{count} {what}{}", if *count == 1 { "" } else { "s" })
    }
}
