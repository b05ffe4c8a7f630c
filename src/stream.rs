//! Casts of what comes and goes in pieces: bytes from a [`Read`] to a [`Read`], and to a [`Write`].

use crate::cast::Cast;
use crate::error::CastError;
use simdcast_kernels::{DType, Kernel};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

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
}

impl Stream {
    const fn new(cast: &Cast) -> Self {
        Self { kernel: *cast.kernel(), done: 0 }
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

/// An error that stays what it is, to be told again.
fn io_error(error: &CastError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.clone())
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
        write!(f, "the stream ended {rest} bytes after element {elements} of {dtype}")?;
        match stated {
            Some(stated) => write!(f, ", of which there were to be {stated}"),
            None => write!(f, ", each of which takes {} bits", dtype.bits()),
        }
    }
}

impl std::error::Error for Truncated {}

/// Reads elements of one dtype from a reader of another's.
///
/// They are cast from the reader's own buffer to where they are asked for, without another copy: what is
/// in memory (a slice, a `Cursor`) is read about as fast as it is cast. [`buffered`](Self::buffered) gives
/// a buffer to a reader that has none.
///
/// Whatever pieces the bytes come in and are asked for in, the result is that of one cast of all of
/// them: elements may be split, and draws and the indices of errors count on. Where the source is packed
/// its bytes don't tell how many elements there are: all that they hold, unless
/// [`elements`](Self::elements) states it.
///
/// # Errors
/// Those of the reader are passed on; what was read before is not lost, and reading can go on after
/// those that pass. An element that does not fit, under [`Overflow::Error`](crate::Overflow::Error), is an
/// error of the kind [`InvalidData`](io::ErrorKind::InvalidData) that holds a [`CastError`], after all
/// elements before it; a source that ends amid an element is one of the kind
/// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) that holds a [`Truncated`]. These two are told again
/// whenever more is asked for.
///
/// ```
/// use simdcast::{Cast, CastOptions, CastReader, DType};
/// use std::io::Read;
///
/// let cast = Cast::new(DType::UInt8, DType::Float32, CastOptions::new())?;
/// let mut bytes = Vec::new();
/// CastReader::new(cast, &[1u8, 2, 3][..]).read_to_end(&mut bytes)?;
/// assert_eq!(bytes, [1f32, 2.0, 3.0].map(f32::to_ne_bytes).concat());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a reader reads nothing before it is read from"]
pub struct CastReader<R> {
    stream: Stream,
    reader: R,
    /// How many elements are to come, if that was stated.
    left: Option<u64>,
    stated: Option<u64>,
    /// Bytes of the source that are not yet a grain.
    part: Vec<u8>,
    /// Results that have not been asked for yet, from the index on.
    ready: Vec<u8>,
    given: usize,
    /// Why there is no more.
    end: Option<End>,
}

#[derive(Clone, Debug)]
enum End {
    All,
    Unfit(CastError),
    Truncated(Truncated),
}

impl<R: Read> CastReader<BufReader<R>> {
    /// Casts what a reader gives that has no buffer, by way of one that stays in the cache.
    pub fn buffered(cast: Cast, reader: R) -> Self {
        Self::new(cast, BufReader::with_capacity(BUFFER, reader))
    }
}

impl<R: BufRead> CastReader<R> {
    /// Casts what a reader has in its buffer, from there.
    pub fn new(cast: Cast, reader: R) -> Self {
        Self {
            stream: Stream::new(&cast),
            reader,
            left: None,
            stated: None,
            part: Vec::new(),
            ready: Vec::new(),
            given: 0,
            end: None,
        }
    }

    /// Reads so many elements in all, and of the reader not a byte more than they take. (Stated once more after something was
    /// read, it may be fewer than have been: then no more are. It may be more than were to be, too, unless either side is packed:
    /// those have ended with a whole byte, and are over.)
    pub fn elements(mut self, elements: u64) -> Self {
        self.stated = Some(elements);
        self.left = Some(elements.saturating_sub(self.stream.done));
        if matches!(self.end, Some(End::All)) && self.stream.grain() == 1 {
            // Whether there is more is for the reader to tell.
            self.end = None;
        }
        self
    }

    /// The reader, which may have been read further than results have been asked for: these, and part of
    /// an element, are lost.
    pub fn into_inner(self) -> R {
        self.reader
    }

    /// As [`into_inner`](Self::into_inner), to look at.
    pub const fn get_ref(&self) -> &R {
        &self.reader
    }

    /// At most so many elements, if only so many are to come.
    fn at_most(&self, elements: usize) -> usize {
        match self.left {
            Some(left) => usize::try_from(left).map_or(elements, |left| elements.min(left)),
            None => elements,
        }
    }

    /// Takes note of elements that were cast.
    fn count(&mut self, elements: usize) {
        let Some(left) = &mut self.left else { return };
        *left -= elements as u64;
        if *left == 0 && elements > 0 && self.stream.grain() != 1 {
            // (Others may be restated before that is asked for.)
            self.end = Some(End::All);
        }
    }

    /// Casts from the reader's buffer straight into `out`, as many elements as are whole in both. Answers
    /// how many bytes were written.
    fn straight(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (from, to) = (self.stream.from(), self.stream.to());
        let room = Stream::whole(to, out.len());
        if !self.part.is_empty() || room == 0 {
            return Ok(0);
        }
        let bytes = self.reader.fill_buf()?;
        let whole = Stream::whole(from, bytes.len()).min(room);
        let n = match self.left {
            Some(left) => usize::try_from(left).map_or(whole, |left| whole.min(left)),
            None => whole,
        };
        // Others than the last go by grains.
        let grain = self.stream.grain();
        let n = n / grain * grain;
        let (reads, writes) = (Stream::bytes(from, n), Stream::bytes(to, n));
        match self.stream.cast(&bytes[..reads], &mut out[..writes], n) {
            Ok(()) => {
                self.reader.consume(reads);
                self.count(n);
                Ok(writes)
            }
            Err((before, error)) => {
                self.reader.consume(reads);
                self.end = Some(End::Unfit(error));
                Ok(Stream::bytes(to, before))
            }
        }
    }

    /// Brings together a grain that is split, or the last elements, and casts it. What comes of it waits
    /// to be asked for.
    fn gather(&mut self) -> io::Result<()> {
        let (from, to) = (self.stream.from(), self.stream.to());
        let n = self.at_most(self.stream.grain());
        let wanted = Stream::bytes(from, n);
        while self.part.len() < wanted {
            let bytes = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if bytes.is_empty() {
                self.finish();
                return Ok(());
            }
            let taken = bytes.len().min(wanted - self.part.len());
            self.part.extend_from_slice(&bytes[..taken]);
            self.reader.consume(taken);
        }
        let mut part = std::mem::take(&mut self.part);
        // (There may be more of it than is to come, if that was stated after it was read.)
        self.cast_part(&part[..wanted], n, to);
        // Its memory is for the next one.
        part.clear();
        self.part = part;
        Ok(())
    }

    /// The source has ended: what is there of a grain is all there is.
    fn finish(&mut self) {
        let (from, to) = (self.stream.from(), self.stream.to());
        let part = std::mem::take(&mut self.part);
        let held = part.len() * 8 / from.bits();
        let n = self.at_most(held);
        let rest = part.len() - Stream::bytes(from, n).min(part.len());
        self.cast_part(&part[..part.len() - rest], n, to);
        let stated = self.stated;
        let early = stated.is_some_and(|stated| self.stream.done < stated);
        if self.end.is_none() {
            let (dtype, elements) = (from, self.stream.done);
            let truncated = End::Truncated(Truncated { dtype, elements, rest, stated });
            self.end = Some(if early || rest > 0 { truncated } else { End::All });
        }
    }

    /// Casts elements whose results wait to be asked for.
    fn cast_part(&mut self, part: &[u8], n: usize, to: DType) {
        self.ready.clear();
        self.given = 0;
        self.ready.resize(Stream::bytes(to, n), 0);
        match self.stream.cast(part, &mut self.ready, n) {
            Ok(()) => self.count(n),
            Err((before, error)) => {
                self.ready.truncate(Stream::bytes(to, before));
                self.end = Some(End::Unfit(error));
            }
        }
    }

    /// Gives of what waits.
    fn give(&mut self, out: &mut [u8]) -> usize {
        let waiting = &self.ready[self.given..];
        let n = waiting.len().min(out.len());
        out[..n].copy_from_slice(&waiting[..n]);
        self.given += n;
        n
    }
}

impl<R: BufRead> Read for CastReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let given = self.give(out);
            if given > 0 {
                return Ok(given);
            }
            match &self.end {
                None => {}
                Some(End::All) => return Ok(0),
                Some(End::Unfit(error)) => return Err(io_error(error)),
                Some(End::Truncated(truncated)) => {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, *truncated));
                }
            }
            // The reader is not asked for more than there is to be.
            if self.left == Some(0) {
                self.end = Some(End::All);
                continue;
            }
            let written = self.straight(out)?;
            if written > 0 {
                return Ok(written);
            }
            if self.end.is_none() {
                self.gather()?;
            }
        }
    }
}

/// Writes elements of one dtype, cast, to a writer of another's.
///
/// Whatever pieces the bytes come in, the result is that of one cast of all of them: elements may be
/// split, and draws and the indices of errors count on. Flushing writes all whole elements; packed ones, on
/// either side, eight at a time. [`finish`](Self::finish) writes what is left; a writer that is dropped
/// tries to, and cannot tell whether it could. (Not if the writer's `write` panicked: it may have taken what it was given.)
///
/// # Errors
/// Those of the writer are passed on; what was taken before is not lost, and is written first when more
/// comes. An element that does not fit, under [`Overflow::Error`](crate::Overflow::Error), is an error of
/// the kind [`InvalidData`](io::ErrorKind::InvalidData) that holds a [`CastError`]; the elements before
/// it have been taken, and no others are any more.
///
/// ```
/// use simdcast::{Cast, CastOptions, CastWriter, DType};
/// use std::io::Write;
///
/// let cast = Cast::new(DType::UInt8, DType::UInt4x2, CastOptions::new())?;
/// let mut writer = CastWriter::new(cast, Vec::new());
/// writer.write_all(&[1, 2])?;
/// writer.write_all(&[3])?;
/// assert_eq!(writer.finish()?, [0x21, 0x03]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "what is not written to a writer is not cast"]
pub struct CastWriter<W: Write> {
    stream: Stream,
    /// None once it was given back.
    writer: Option<W>,
    /// Bytes of the source that are not yet a grain.
    part: Vec<u8>,
    /// Room for results: those from the first index to the second are still to be written.
    results: Vec<u8>,
    written: usize,
    filled: usize,
    /// Why no more elements are taken.
    failed: Option<CastError>,
    /// Whether the writer panicked, and may or may not have taken what it was given.
    panicked: bool,
}

/// Of its buffers, how full they are.
impl<W: Write + fmt::Debug> fmt::Debug for CastWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CastWriter")
            .field("stream", &self.stream)
            .field("writer", &self.writer)
            .field("part", &format_args!("{} bytes", self.part.len()))
            .field(
                "results",
                &format_args!("{} of {} bytes", self.filled - self.written, self.results.len()),
            )
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl<W: Write> CastWriter<W> {
    /// Casts to a writer.
    pub fn new(cast: Cast, writer: W) -> Self {
        let stream = Stream::new(&cast);
        let (part, results) = (Vec::new(), vec![0; 2 * BUFFER]);
        Self {
            stream,
            writer: Some(writer),
            part,
            results,
            written: 0,
            filled: 0,
            failed: None,
            panicked: false,
        }
    }

    /// The writer, to look at.
    pub fn get_ref(&self) -> &W {
        match &self.writer {
            Some(writer) => writer,
            None => unreachable!("only `finish` takes it, and this with it"),
        }
    }

    /// The writer, to change.
    pub fn get_mut(&mut self) -> &mut W {
        match &mut self.writer {
            Some(writer) => writer,
            None => unreachable!("only `finish` takes it, and this with it"),
        }
    }

    /// Writes all that is left, flushes the writer and gives it back. After an error it is lost with what
    /// it did not take: one that may have to wait should be flushed before, until that is done.
    ///
    /// # Errors
    /// As for [`CastWriter`]; and an error of the kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) that
    /// holds a [`Truncated`] if the bytes end amid an element.
    pub fn finish(mut self) -> io::Result<W> {
        // What is left may need room; and what comes before an element that does not fit is written.
        self.drain()?;
        let last = self.last();
        self.flush()?;
        last?;
        self.writer.take().ok_or_else(|| io::Error::other("the writer was given back"))
    }

    /// Casts what is left of a grain.
    fn last(&mut self) -> io::Result<()> {
        if let Some(error) = &self.failed {
            return Err(io_error(error));
        }
        let (from, part) = (self.stream.from(), std::mem::take(&mut self.part));
        let n = part.len() * 8 / from.bits();
        let rest = part.len() - Stream::bytes(from, n).min(part.len());
        self.cast(&part[..part.len() - rest], n)?;
        if rest > 0 {
            let elements = self.stream.done;
            let truncated = Truncated { dtype: from, elements, rest, stated: None };
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, truncated));
        }
        Ok(())
    }

    /// Casts at most a buffer of elements; the results are to be written.
    fn cast(&mut self, src: &[u8], n: usize) -> io::Result<()> {
        let to = self.stream.to();
        let end = self.filled + Stream::bytes(to, n);
        match self.stream.cast(src, &mut self.results[self.filled..end], n) {
            Ok(()) => {
                self.filled = end;
                Ok(())
            }
            Err((before, error)) => {
                self.filled += Stream::bytes(to, before);
                self.failed = Some(error.clone());
                Err(io_error(&error))
            }
        }
    }

    /// Writes the results that there are.
    fn drain(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        while self.written < self.filled {
            self.panicked = true;
            let written = writer.write(&self.results[self.written..self.filled]);
            self.panicked = false;
            match written {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => self.written += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        (self.written, self.filled) = (0, 0);
        Ok(())
    }
}

impl<W: Write> Write for CastWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // There is room for a buffer of results then. What is not a few elements is written at once, as
        // long as it is in the cache.
        if self.filled >= BUFFER / 2 {
            self.drain()?;
        }
        if let Some(error) = &self.failed {
            return Err(io_error(error));
        }
        let (from, to) = (self.stream.from(), self.stream.to());
        let elements = self.stream.grain();
        let grain = Stream::bytes(from, elements);
        // What was begun is brought to an end first.
        if !self.part.is_empty() || bytes.len() < grain {
            let taken = bytes.len().min(grain - self.part.len());
            self.part.extend_from_slice(&bytes[..taken]);
            if self.part.len() == grain {
                let mut part = std::mem::take(&mut self.part);
                let cast = self.cast(&part, elements);
                // Its memory is for the next one.
                part.clear();
                self.part = part;
                cast?;
            }
            return Ok(taken);
        }
        let most = (BUFFER * 8 / from.bits().max(to.bits())) / elements * elements;
        let n = (bytes.len() / grain).saturating_mul(elements).min(most);
        let reads = Stream::bytes(from, n);
        self.cast(&bytes[..reads], n)?;
        Ok(reads)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.drain()?;
        match &mut self.writer {
            Some(writer) => writer.flush(),
            None => Ok(()),
        }
    }
}

impl<W: Write> Drop for CastWriter<W> {
    fn drop(&mut self) {
        if self.writer.is_some() && !self.panicked {
            let _ = self.drain();
            let _ = self.last();
            let _ = self.drain();
        }
    }
}
