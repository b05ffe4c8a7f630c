//! Writing: results wait in a buffer until the writer takes them.

use super::{BUFFER, End, Overlong, Stream};
use crate::cast::Cast;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::mem;

/// Writes elements of one dtype, cast, to a writer of another's.
///
/// Whatever pieces the bytes come in, the result is that of one cast of all of them: elements may be
/// split, and draws and the indices of errors count on. Where the source is packed its bytes don't tell how many elements
/// there are: all that they hold, unless [`elements`](Self::elements) states it.
///
/// Flushing writes all whole elements; packed ones, on either side, eight at a time, and the last of a stated number.
/// [`finish`](Self::finish) writes what is left; a writer that is dropped tries to, and cannot tell whether it could. (Not if
/// the writer's `write` panicked: it may have taken what it was given.) [`into_parts`](Self::into_parts) writes nothing.
///
/// # Errors
/// Those of the writer are passed on; what was taken before is not lost, and is written first when more
/// comes. An element that does not fit, under [`Overflow::Error`](crate::Overflow::Error), is an error of
/// the kind [`InvalidData`](io::ErrorKind::InvalidData) that holds a [`CastError`](crate::CastError); the elements before
/// it have been taken, and no others are any more. Bytes after the elements that were stated are refused with one
/// of the kind [`InvalidInput`](io::ErrorKind::InvalidInput) that holds an [`Overlong`].
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
    end: Option<End>,
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
            .field("end", &self.end)
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
            end: None,
            panicked: false,
        }
    }

    /// Takes so many elements in all, and not a byte more than they take. Of packed ones the last byte may hold others, which
    /// are passed over.
    ///
    /// What is given beyond them is refused with an [`Overlong`], and changes nothing: a piece that goes over the last element
    /// is taken up to there, and the next one refused. If there are fewer when it comes to [`finish`](Self::finish), those
    /// that came are written, and a [`Truncated`](crate::Truncated) is the error.
    ///
    /// (Stated once more after something was written, it may be fewer than have been: then no more are, and what is beyond
    /// them and not yet cast is dropped. It may be more than were to be, too, unless either side is packed and those were no
    /// multiple of eight: they have ended with a whole byte, and are over.)
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, CastWriter, DType};
    /// use std::io::Write;
    ///
    /// let cast = Cast::new(DType::Int4x2, DType::Int8, CastOptions::new())?;
    /// let mut writer = CastWriter::new(cast, Vec::new()).elements(3);
    /// writer.write_all(&[0x21, 0x03])?;
    /// assert_eq!(
    ///     writer.write_all(&[0x54]).unwrap_err().to_string(),
    ///     "the stream goes on with 1 byte after 3 elements of int4x2, which had to be all"
    /// );
    /// assert_eq!(writer.finish()?, [1, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn elements(mut self, elements: u64) -> Self {
        if self.stream.done.is_multiple_of(self.stream.grain() as u64) {
            self.stream.stated = Some(elements);
        }
        self
    }

    /// The writer, to look at.
    pub fn get_ref(&self) -> &W {
        match &self.writer {
            Some(writer) => writer,
            None => unreachable!("whoever takes it takes this with it"),
        }
    }

    /// The writer, to change.
    pub fn get_mut(&mut self) -> &mut W {
        match &mut self.writer {
            Some(writer) => writer,
            None => unreachable!("whoever takes it takes this with it"),
        }
    }

    /// Writes all that is left, flushes the writer and gives it back.
    ///
    /// # Errors
    /// As for [`CastWriter`]; and an error of the kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) that
    /// holds a [`Truncated`](crate::Truncated) if the bytes end amid an element, or before as many as were stated. Nothing is lost: the
    /// [`FinishError`] has this writer, which can be finished again, or [taken apart](Self::into_parts). (Where the error is
    /// asked for alone, as by `?` in a function that answers an [`io::Result`], it is dropped.)
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, CastWriter, DType};
    /// use std::io::{self, Write};
    ///
    /// /// It may have to wait.
    /// struct Waits(Vec<u8>, bool);
    ///
    /// impl Write for Waits {
    ///     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
    ///         self.1 = !self.1;
    ///         if self.1 { Err(io::ErrorKind::WouldBlock.into()) } else { self.0.write(bytes) }
    ///     }
    /// #   fn flush(&mut self) -> io::Result<()> {
    /// #       Ok(())
    /// #   }
    /// }
    ///
    /// let cast = Cast::new(DType::UInt8, DType::UInt4x2, CastOptions::new())?;
    /// let mut writer = CastWriter::new(cast, Waits(Vec::new(), false));
    /// writer.write_all(&[1, 2, 3])?;
    /// let error = writer.finish().map(drop).unwrap_err();
    /// assert_eq!(error.error().kind(), io::ErrorKind::WouldBlock);
    /// assert_eq!(error.into_inner().finish()?.0, [0x21, 0x03]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finish(mut self) -> Result<W, FinishError<W>> {
        match self.write_rest() {
            Ok(()) => Ok(self.into_parts().writer),
            Err(error) => Err(FinishError { error, writer: Box::new(self) }),
        }
    }

    /// Takes it apart, and writes nothing.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, CastWriter, DType};
    /// use std::io::Write;
    ///
    /// let cast = Cast::new(DType::UInt16, DType::UInt8, CastOptions::new())?;
    /// let mut writer = CastWriter::new(cast, Vec::new());
    /// writer.write_all(&1u16.to_ne_bytes())?;
    /// writer.flush()?;
    /// writer.write_all(&2u16.to_ne_bytes())?;
    /// writer.write_all(&[7])?;
    /// let parts = writer.into_parts();
    /// assert_eq!((parts.writer, parts.results, parts.rest), (vec![1], vec![2], vec![7]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_parts(mut self) -> CastWriterParts<W> {
        let (mut results, rest) = (mem::take(&mut self.results), mem::take(&mut self.part));
        results.truncate(self.filled);
        results.drain(..self.written);
        match self.writer.take() {
            Some(writer) => CastWriterParts { writer, results, rest },
            None => unreachable!("whoever takes it takes this with it"),
        }
    }

    /// Writes all that is left, and takes no more.
    fn write_rest(&mut self) -> io::Result<()> {
        // What is left may need room; and what comes before an element that does not fit is written.
        self.drain()?;
        let last = self.last();
        self.flush()?;
        last
    }

    /// Casts what is left of a grain: so many elements there are.
    fn last(&mut self) -> io::Result<()> {
        self.goes_on()?;
        let (from, part) = (self.stream.from(), mem::take(&mut self.part));
        let n = self.stream.at_most(part.len() * 8 / from.bits());
        let rest = part.len() - Stream::bytes(from, n).min(part.len());
        self.cast(&part[..part.len() - rest], n)?;
        // (Bytes after all that there was to be were taken before that was stated.)
        if self.stream.left().map_or(rest > 0, |left| left > 0) {
            self.end = Some(End::Truncated(self.stream.truncated(rest)));
            self.part = part[part.len() - rest..].to_vec();
        } else {
            self.stream.stated = Some(self.stream.done);
        }
        self.goes_on()
    }

    /// Whether more elements may come.
    fn goes_on(&self) -> io::Result<()> {
        self.end.as_ref().map_or(Ok(()), End::tell)
    }

    /// Casts the last elements if they are there, but were not known to be the last when they came.
    fn settle(&mut self) -> io::Result<()> {
        // (What is there is less than a grain.)
        let n = self.stream.at_most(self.stream.grain());
        let bytes = Stream::bytes(self.stream.from(), n);
        if self.stream.stated.is_none() || n == 0 || self.part.len() < bytes || self.end.is_some() {
            return Ok(());
        }
        let part = mem::take(&mut self.part);
        self.cast(&part[..bytes], n)
    }

    /// How many of so many bytes belong to elements that are to come. It is an error if none of them does.
    fn wanted(&self, bytes: usize) -> io::Result<usize> {
        let Some(stated) = self.stream.stated else { return Ok(bytes) };
        let dtype = self.stream.from();
        let all = Stream::bytes(dtype, self.stream.at_most(usize::MAX));
        let wanted = bytes.min(all.saturating_sub(self.part.len()));
        if wanted == 0 && bytes > 0 {
            let overlong = Overlong { dtype, stated, rest: bytes };
            return Err(io::Error::new(io::ErrorKind::InvalidInput, overlong));
        }
        Ok(wanted)
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
                self.end = Some(End::Unfit(error));
                self.goes_on()
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
        self.goes_on()?;
        let bytes = &bytes[..self.wanted(bytes.len())?];
        if bytes.is_empty() {
            return Ok(0);
        }
        let (from, to) = (self.stream.from(), self.stream.to());
        let elements = self.stream.at_most(self.stream.grain());
        let grain = Stream::bytes(from, elements);
        // What was begun is brought to an end first.
        if !self.part.is_empty() || bytes.len() < grain {
            let taken = bytes.len().min(grain - self.part.len());
            self.part.extend_from_slice(&bytes[..taken]);
            if self.part.len() == grain {
                let mut part = mem::take(&mut self.part);
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
        // (Of packed ones the last byte may hold more than are to come.)
        let n = self.stream.at_most(n) / elements * elements;
        let reads = Stream::bytes(from, n);
        self.cast(&bytes[..reads], n)?;
        Ok(reads)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.drain()?;
        self.settle()?;
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

/// What a [`CastWriter`] consists of.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CastWriterParts<W> {
    /// The writer.
    pub writer: W,
    /// Bytes of the destination, all but those that the writer has taken. (If its `write` panicked, it may have taken some of
    /// these.)
    pub results: Vec<u8>,
    /// Bytes of the source that have not been cast: those of part of an element, or of less than eight where either side is
    /// packed. (None after an element that did not fit.)
    pub rest: Vec<u8>,
}

/// What kept a [`CastWriter`] from [finishing](CastWriter::finish), and the writer itself.
pub struct FinishError<W: Write> {
    error: io::Error,
    writer: Box<CastWriter<W>>,
}

impl<W: Write> FinishError<W> {
    /// What went wrong.
    pub fn error(&self) -> &io::Error {
        &self.error
    }

    /// What went wrong, without the writer, which is dropped.
    pub fn into_error(self) -> io::Error {
        self.error
    }

    /// The writer, to be finished again or taken apart. It takes no more elements, if it came to the last one.
    pub fn into_inner(self) -> CastWriter<W> {
        *self.writer
    }

    /// Both.
    pub fn into_parts(self) -> (io::Error, CastWriter<W>) {
        (self.error, *self.writer)
    }
}

impl<W: Write> fmt::Debug for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishError").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<W: Write> fmt::Display for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<W: Write> Error for FinishError<W> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

impl<W: Write> From<FinishError<W>> for io::Error {
    fn from(error: FinishError<W>) -> Self {
        error.into_error()
    }
}
