//! Reading: what is in a reader's buffer is cast from there to where it is asked for.

use super::{BUFFER, End, Stream};
use crate::cast::Cast;
use simdcast_kernels::DType;
use std::io::{self, BufRead, BufReader, Read};

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
/// error of the kind [`InvalidData`](io::ErrorKind::InvalidData) that holds a [`CastError`](crate::CastError), after all
/// elements before it; a source that ends amid an element is one of the kind
/// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) that holds a [`Truncated`](crate::Truncated). These two are told again
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
    /// Bytes of the source that are not yet a grain.
    part: Vec<u8>,
    /// Results that have not been asked for yet, from the index on.
    ready: Vec<u8>,
    given: usize,
    /// Why there is no more.
    end: Option<End>,
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
            part: Vec::new(),
            ready: Vec::new(),
            given: 0,
            end: None,
        }
    }

    /// Reads so many elements in all, and of the reader not a byte more than they take. (Stated once more after something was
    /// read, it may be fewer than have been: then no more are. It may be more than were to be, too, unless either side is packed
    /// and those were no multiple of eight: they have ended with a whole byte, and are over.)
    pub fn elements(mut self, elements: u64) -> Self {
        self.stream.stated = Some(elements);
        let is_whole = self.stream.done.is_multiple_of(self.stream.grain() as u64);
        if matches!(self.end, Some(End::All)) && is_whole {
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

    /// The same, to change. What is read from it so is not cast.
    ///
    /// ```
    /// use simdcast::{Cast, CastOptions, CastReader, DType};
    /// use std::io::{BufRead, Read};
    ///
    /// let cast = Cast::new(DType::UInt8, DType::UInt16, CastOptions::new())?;
    /// let mut reader = CastReader::new(cast, &[1u8, 2, 3][..]);
    /// let mut word = [0; 2];
    /// reader.read_exact(&mut word)?;
    /// reader.get_mut().consume(1);
    /// reader.read_exact(&mut word)?;
    /// assert_eq!(u16::from_ne_bytes(word), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Takes note of elements that were cast.
    fn count(&mut self, elements: usize) {
        if self.stream.left() == Some(0) && elements > 0 && self.stream.grain() != 1 {
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
        let n = self.stream.at_most(Stream::whole(from, bytes.len()).min(room));
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
        let n = self.stream.at_most(self.stream.grain());
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
        let n = self.stream.at_most(held);
        let rest = part.len() - Stream::bytes(from, n).min(part.len());
        self.cast_part(&part[..part.len() - rest], n, to);
        let early = self.stream.left().is_some_and(|left| left > 0);
        if self.end.is_none() {
            let truncated = End::Truncated(self.stream.truncated(rest));
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
            if let Some(end) = &self.end {
                return end.tell().map(|()| 0);
            }
            // The reader is not asked for more than there is to be.
            if self.stream.left() == Some(0) {
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
