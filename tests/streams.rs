//! Readers and writers that cast, in pieces of all sizes, against one cast of the whole.

mod support;

use proptest::prelude::*;
use simdcast::{
    ByteOrder, Cast, CastError, CastOptions, CastReader, CastWriter, DType, Overflow, Overlong,
    Rounding, Truncated,
};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use support::{Tally, assert_none, fewer_pairs, in_parallel, noise};

/// Sizes of pieces, and now and then an interruption or something to wait for.
#[derive(Clone)]
struct Whims {
    seed: u64,
    most: usize,
    interrupts: bool,
}

impl Whims {
    fn next(&mut self) -> io::Result<usize> {
        self.seed = noise(self.seed);
        match self.seed >> 40 & 15 {
            0 if self.interrupts => Err(ErrorKind::Interrupted.into()),
            1 if self.interrupts => Err(ErrorKind::WouldBlock.into()),
            _ => Ok(1 + (self.seed >> 8) as usize % self.most),
        }
    }
}

/// Memory that is read, or written to, in pieces.
struct Pieces<'a> {
    source: &'a [u8],
    written: Vec<u8>,
    whims: Whims,
}

impl<'a> Pieces<'a> {
    fn of(source: &'a [u8], whims: &Whims) -> Self {
        Self { source, written: Vec::new(), whims: whims.clone() }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.whims.next()?.min(out.len());
        self.source.read(&mut out[..n])
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.whims.next()?.min(bytes.len());
        self.written.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn passes(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// All that a reader gives, asked for in pieces, and the error that it ends with.
fn read_all(reader: &mut impl Read, whims: &Whims) -> (Vec<u8>, Option<io::Error>) {
    let (mut whims, mut all) = (Whims { interrupts: false, ..whims.clone() }, Vec::new());
    loop {
        let mut out = vec![0; whims.next().unwrap()];
        match reader.read(&mut out) {
            Ok(0) => return (all, None),
            Ok(n) => all.extend_from_slice(&out[..n]),
            Err(error) if passes(&error) => {}
            Err(error) => return (all, Some(error)),
        }
    }
}

/// What arrives at a writer of bytes that come in pieces, all of them or those of a stated number of elements, and the error
/// that it ends with.
fn write_all(
    cast: Cast,
    source: &[u8],
    stated: Option<usize>,
    whims: &Whims,
) -> (Vec<u8>, Option<io::Error>) {
    let mut sizes = Whims { interrupts: false, ..whims.clone() };
    let mut arrived = Pieces::of(&[], whims);
    let mut writer = CastWriter::new(cast, &mut arrived);
    if let Some(n) = stated {
        writer = writer.elements(n as u64);
    }
    let (mut rest, mut end) = (source, None);
    while !rest.is_empty() && end.is_none() {
        let n = sizes.next().unwrap().min(rest.len());
        match writer.write(&rest[..n]) {
            Ok(n) => rest = &rest[n..],
            Err(error) if passes(&error) => {}
            Err(error) => end = Some(error),
        }
    }
    while let Err(error) = writer.flush() {
        assert!(passes(&error), "{error}");
    }
    if let (Some(n), Some(error)) = (stated, &end)
        && error.kind() == ErrorKind::InvalidInput
    {
        // All that the elements take was taken, and flushed.
        assert_eq!(rest.len(), source.len() - cast.from().bytes_for(n).unwrap());
        assert_eq!(writer.get_ref().written.len(), cast.to().bytes_for(n).unwrap());
    }
    loop {
        let (error, unfinished) = match writer.finish() {
            Ok(_) => break end = None,
            Err(error) => error.into_parts(),
        };
        if !passes(&error) {
            break end = Some(error);
        }
        writer = unfinished;
    }
    (arrived.written, end)
}

fn some_bytes(seed: u64, len: usize) -> Vec<u8> {
    (0..len).map(|i| noise(seed ^ noise(i as u64)) as u8).collect()
}

fn check(cast: Cast, n: usize, whims: &Whims) -> Result<(), String> {
    let (from, to) = (cast.from(), cast.to());
    let source = some_bytes(n as u64, from.bytes_for(n).unwrap());
    // Packed elements are as many as the bytes hold, unless it is stated.
    let held = source.len() * 8 / from.bits();
    let whole = |n: usize| {
        let mut right = vec![0; to.bytes_for(n).unwrap()];
        let result = cast.run_n(&source[..from.bytes_for(n).unwrap()], &mut right, n);
        let unfit = match result {
            Ok(()) => None,
            Err(CastError::Unfit { index, .. }) => Some(index),
            Err(error) => panic!("{error}"),
        };
        if let Some(unfit) = unfit {
            right.truncate(to.bytes_for(unfit).unwrap());
            let bits = unfit * to.bits();
            if bits % 8 != 0 {
                right[bits / 8] &= (1 << (bits % 8)) - 1;
            }
        }
        (right, result.err())
    };
    let same = |what: &str, (given, end): (Vec<u8>, Option<io::Error>), n: usize| {
        let (right, error) = whole(n);
        let told = end.map(|end| match end.downcast::<CastError>() {
            Ok(error) => error,
            Err(other) => panic!("{what}: {other}"),
        });
        if given != right || told != error {
            let name = cast.kernel_name();
            return Err(format!("{name}: {what}: {n} elements: {told:?}, not {error:?}"));
        }
        Ok(())
    };
    let mut reader = CastReader::buffered(cast, Pieces::of(&source, whims));
    same("read", read_all(&mut reader, whims), held)?;
    let buffered = BufReader::with_capacity(whims.most, Pieces::of(&source, whims));
    let mut reader = CastReader::new(cast, buffered);
    same("read from a small buffer", read_all(&mut reader, whims), held)?;
    let mut longer = source.clone();
    longer.extend([1, 2, 3, 4, 5]);
    let mut reader = CastReader::new(cast, &longer[..]).elements(n as u64);
    let all = read_all(&mut reader, whims);
    let untouched = all.1.is_some() || reader.into_inner() == [1, 2, 3, 4, 5];
    same("read by count", all, n)?;
    if !untouched {
        return Err(format!("{}: {n} elements: read further", cast.kernel_name()));
    }
    same("written", write_all(cast, &source, None, whims), held)?;
    same("written by count", write_all(cast, &source, Some(n), whims), n)?;
    same("written by count, and on", write_all(cast, &longer, Some(n), whims), n)
}

#[test]
fn every_pair_in_pieces() {
    let jobs: Vec<_> = fewer_pairs().collect();
    let (_, errors) = in_parallel(&jobs, |&(from, to)| {
        let seed = from as u64 * 64 + to as u64;
        let kinds = [
            CastOptions::new(),
            CastOptions::new().rounding(Rounding::Stochastic { seed: 5 }).first_index(3),
            CastOptions::new().overflow(Overflow::Error),
        ];
        for (k, options) in kinds.into_iter().enumerate() {
            let cast = Cast::new(from, to, options).unwrap();
            for (i, most) in [1, 3, 7, 40, 300].into_iter().enumerate() {
                let interrupts = i % 2 == 0;
                let whims = Whims { seed: noise(seed ^ i as u64), most, interrupts };
                check(cast, (noise(seed) as usize + k * 5 + i) % 200, &whims)?;
            }
            check(cast, 3001, &Whims { seed, most: 5000, interrupts: true })?;
        }
        Ok(Tally { pairs: 1, ..Tally::default() })
    });
    assert_none(&errors);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_pieces(
        (from, to) in (0..DType::COUNT, 0..DType::COUNT),
        n in prop_oneof![0..100usize, 0..30_000usize],
        most in prop_oneof![1..20usize, 1..100_000usize],
        seed in any::<u64>(),
        interrupts in any::<bool>(),
    ) {
        let cast = Cast::new(DType::ALL[from], DType::ALL[to], CastOptions::new()).unwrap();
        check(cast, n, &Whims { seed, most: most.max(n / 50), interrupts }).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn an_end_amid_an_element_is_told() {
    let cast = Cast::new(DType::Int32, DType::Float64, CastOptions::new()).unwrap();
    let source = [1, 0, 0, 0, 2, 0];
    let mut reader = CastReader::new(cast, &source[..]);
    let mut all = Vec::new();
    let error = reader.read_to_end(&mut all).unwrap_err();
    assert_eq!((error.kind(), all.len()), (ErrorKind::UnexpectedEof, 8));
    let truncated = Truncated { dtype: DType::Int32, elements: 1, rest: 2, stated: None };
    assert_eq!(error.get_ref().unwrap().downcast_ref::<Truncated>(), Some(&truncated));
    assert!(reader.read(&mut [0; 9]).is_err());

    let mut reader = CastReader::new(cast, &source[..4]).elements(3);
    let error = reader.read_to_end(&mut all).unwrap_err();
    let text = "the stream ended 0 bytes after 1 element of int32, of which there were to be 3";
    assert_eq!(error.to_string(), text);

    let mut writer = CastWriter::new(cast, Vec::new());
    writer.write_all(&source).unwrap();
    let text = "the stream ended 2 bytes after 1 element of int32, each of which takes 32 bits";
    assert_eq!(writer.finish().unwrap_err().to_string(), text);
}

#[test]
fn an_unfit_element_is_told_by_its_place_in_the_stream() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    let cast = Cast::new(DType::Int16, DType::UInt8, checked).unwrap();
    let mut source = vec![0; 400_000];
    source[2 * 150_000..][..2].fill(0x80);
    let mut reader = CastReader::new(cast, &source[..]);
    let mut all = Vec::new();
    for _ in 0..2 {
        let error = reader.read_to_end(&mut all).unwrap_err();
        assert_eq!((error.kind(), all.len()), (ErrorKind::InvalidData, 150_000));
        let error = error.downcast::<CastError>().unwrap();
        assert!(matches!(error, CastError::Unfit { index: 150_000, .. }), "{error}");
    }
    let mut writer = CastWriter::new(cast, Vec::new());
    assert!(writer.write_all(&source).is_err());
    assert!(writer.write_all(&source).is_err());
    writer.flush().unwrap();
    assert_eq!(writer.get_ref().len(), 150_000);
    assert_eq!(writer.finish().unwrap_err().error().kind(), ErrorKind::InvalidData);
}

/// Some bytes, after which there is nothing yet.
struct NoMore<'a>(&'a [u8]);

impl Read for NoMore<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(ErrorKind::WouldBlock.into()),
            n => Ok(n),
        }
    }
}

#[test]
fn whole_elements_do_not_wait_for_others() {
    let cast = Cast::new(DType::UInt16, DType::UInt32, CastOptions::new()).unwrap();
    let source: Vec<u8> = [1u16, 2, 3].into_iter().flat_map(u16::to_ne_bytes).collect();
    let right: Vec<u8> = [1u32, 2, 3].into_iter().flat_map(u32::to_ne_bytes).collect();
    // Also those that are split.
    for most in [1, 2, 3, 64] {
        let mut reader = CastReader::new(cast, BufReader::with_capacity(most, NoMore(&source)));
        let mut all = [0; 12];
        reader.read_exact(&mut all).unwrap();
        assert_eq!(all[..], right);
        assert_eq!(reader.read(&mut all).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
    let mut writer = CastWriter::new(cast, Vec::new());
    writer.write_all(&source[..3]).unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.get_ref()[..], right[..4]);
    writer.write_all(&source[3..]).unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.get_ref()[..], right);
}

#[test]
fn a_reader_of_a_stated_count_asks_for_no_more() {
    let cast = Cast::new(DType::UInt4x2, DType::UInt8, CastOptions::new()).unwrap();
    for (n, bytes) in [(0, 0), (1, 1), (3, 2), (8, 4), (16, 8), (21, 11)] {
        let source = vec![0x21; bytes];
        let mut reader = CastReader::buffered(cast, NoMore(&source)).elements(n);
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert_eq!(all.len() as u64, n);
    }
}

/// Gives some bytes, then has none for the moment, and then all others.
struct Late<'a>(&'a [u8], usize, bool);

impl Read for Late<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let waits = self.1 == 0 && !self.2;
        self.2 = self.2 || waits;
        if waits {
            return Err(ErrorKind::WouldBlock.into());
        }
        let most = if self.2 { self.0.len() } else { self.1 };
        let n = self.0[..most].as_ref().read(out)?;
        self.0 = &self.0[n..];
        self.1 = self.1.saturating_sub(n);
        Ok(n)
    }
}

#[test]
fn a_count_that_is_stated_late_holds() {
    let source: Vec<u8> = (1..=16u8).flat_map(|i| f32::from(i).to_ne_bytes()).collect();
    let cast = Cast::new(DType::Float32, DType::UInt4x2, CastOptions::new()).unwrap();
    for (n, right) in
        [(2, &[0x21][..]), (5, &[0x21, 0x43, 0x05]), (10, &[0x21, 0x43, 0x65, 0x87, 0xa9])]
    {
        let mut reader = CastReader::buffered(cast, Late(&source, 20, false));
        let mut first = [0; 8];
        // Five elements are there, which is no whole step of packed ones.
        assert_eq!(reader.read(&mut first).unwrap_err().kind(), ErrorKind::WouldBlock);
        let mut all = Vec::new();
        reader.elements(n).read_to_end(&mut all).unwrap();
        assert_eq!(all, right, "{n}");
    }
    // After the end of what was to be, too.
    let cast = Cast::new(DType::UInt8, DType::UInt16, CastOptions::new()).unwrap();
    let mut reader = CastReader::new(cast, &[1u8, 2, 3, 4, 5, 6][..]);
    for (n, right) in [(2, &[1u16, 2][..]), (4, &[3, 4]), (3, &[])] {
        reader = reader.elements(n);
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert_eq!(all, bytemuck::cast_slice::<_, u8>(right), "{n}");
    }
    let mut all = Vec::new();
    let error = reader.elements(7).read_to_end(&mut all).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    assert_eq!(all, [5u16, 6].map(u16::to_ne_bytes).concat());
    // Packed elements have ended with a whole byte.
    let cast = Cast::new(DType::UInt4x2, DType::UInt8, CastOptions::new()).unwrap();
    let mut reader = CastReader::new(cast, &[0x21u8, 0x43, 0x65][..]).elements(3);
    for right in [&[1u8, 2, 3][..], &[]] {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert_eq!(all, right);
        reader = reader.elements(6);
    }
    // So they have where the end was not asked for.
    let to_packed = Cast::new(DType::UInt8, DType::UInt4x2, CastOptions::new()).unwrap();
    for (cast, source, right) in [
        (cast, &[0x21u8, 0x43, 0x65][..], &[1u8, 2, 3][..]),
        (to_packed, &[1, 2, 3, 4, 5, 6], &[0x21, 0x03]),
    ] {
        let mut reader = CastReader::new(cast, source).elements(0).elements(3);
        let mut all = vec![0; right.len()];
        reader.read_exact(&mut all).unwrap();
        assert_eq!(all, right);
        reader.elements(6).read_to_end(&mut all).unwrap();
        assert_eq!(all, right);
    }
    // But after whole eights they go on.
    let mut reader = CastReader::new(cast, &[0x21u8, 0x43, 0x65, 0x07, 0x21, 0x43][..]).elements(8);
    for (elements, right) in [(11, &[1u8, 2, 3, 4, 5, 6, 7, 0][..]), (12, &[1, 2, 3]), (12, &[])] {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert_eq!(all, right);
        reader = reader.elements(elements);
    }
}

/// Whatever is written to a writer of a stated number, that is what arrives.
#[test]
fn a_writer_of_a_stated_count_takes_no_more_and_misses_fewer() {
    use DType::{Float32, Int4x2, UInt4x2, UInt8};
    let source = [0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f];
    let unpacked: Vec<u8> = (1..=15).chain([0]).collect();
    for (from, to) in [(UInt4x2, UInt8), (UInt4x2, UInt4x2), (Int4x2, UInt4x2), (UInt8, UInt4x2)] {
        let cast = Cast::new(from, to, CastOptions::new()).unwrap();
        let source = if from == UInt8 { &unpacked[..] } else { &source };
        for n in 0..=13 {
            let (takes, gives) = (from.bytes_for(n).unwrap(), to.bytes_for(n).unwrap());
            let mut right = vec![0; gives];
            cast.run_n(&source[..takes], &mut right, n).unwrap();
            let mut writer = CastWriter::new(cast, Vec::new()).elements(n as u64);
            assert_eq!(writer.write(&[]).unwrap(), 0);
            let error = writer.write_all(source).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            let rest = source.len() - takes;
            let overlong = Overlong { dtype: from, stated: n as u64, rest };
            assert_eq!(error.downcast::<Overlong>().unwrap(), overlong);
            // It stays so, and what came before is whole.
            assert!(writer.write(&[1]).is_err());
            assert_eq!(writer.write(&[]).unwrap(), 0);
            writer.flush().unwrap();
            assert_eq!(writer.get_ref(), &right, "{from} -> {to}, {n}");
            assert_eq!(writer.finish().unwrap(), right);
            // Fewer than stated.
            let mut out = Vec::new();
            let mut writer = CastWriter::new(cast, &mut out).elements(n as u64 + 8);
            writer.write_all(&source[..takes]).unwrap();
            let error = writer.finish().unwrap_err().into_error();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
            let held = (takes * 8 / from.bits()) as u64;
            let stated = Some(n as u64 + 8);
            let truncated = Truncated { dtype: from, elements: held, rest: 0, stated };
            assert_eq!(error.downcast::<Truncated>().unwrap(), truncated);
            assert_eq!(out.len(), to.bytes_for(held as usize).unwrap());
        }
    }
    // An end amid an element is told as such, also by one that has a count.
    let cast = Cast::new(Float32, UInt8, CastOptions::new()).unwrap();
    let mut writer = CastWriter::new(cast, Vec::new()).elements(2);
    writer.write_all(&[0; 6]).unwrap();
    let text = "the stream ended 2 bytes after 1 element of float32, of which there were to be 2";
    assert_eq!(writer.finish().unwrap_err().to_string(), text);
    let mut writer = CastWriter::new(cast, Vec::new()).elements(u64::MAX);
    writer.write_all(&[0; 8]).unwrap();
    let text = "the stream ended 0 bytes after 2 elements of float32, of which there were to be 18446744073709551615";
    assert_eq!(writer.finish().unwrap_err().to_string(), text);
    // One that is dropped writes as many, too.
    let cast = Cast::new(UInt4x2, UInt8, CastOptions::new()).unwrap();
    let mut out = Vec::new();
    CastWriter::new(cast, &mut out).elements(3).write_all(&[0x21, 0x43]).unwrap();
    assert_eq!(out, [1, 2, 3]);
}

#[test]
fn a_count_that_a_writer_is_told_late_holds() {
    let widen = Cast::new(DType::UInt8, DType::UInt16, CastOptions::new()).unwrap();
    let writer = CastWriter::new(widen, Vec::new()).elements(2);
    let mut writer = writer.elements(3);
    writer.write_all(&[1, 2, 3]).unwrap();
    let mut writer = writer.elements(1);
    assert!(writer.write(&[4]).is_err());
    let mut writer = writer.elements(4);
    writer.write_all(&[4]).unwrap();
    let right = [1u16, 2, 3, 4].map(u16::to_ne_bytes).concat();
    assert_eq!(writer.elements(4).finish().unwrap(), right);
    // Packed ones may end before some that were taken, and not yet cast.
    let pack = Cast::new(DType::UInt8, DType::UInt4x2, CastOptions::new()).unwrap();
    for (n, right) in [(0, &[][..]), (3, &[0x21, 0x03]), (5, &[0x21, 0x43, 0x05])] {
        let mut writer = CastWriter::new(pack, Vec::new());
        writer.write_all(&[1, 2, 3, 4, 5]).unwrap();
        let mut writer = writer.elements(n);
        assert_eq!(writer.write(&[]).unwrap(), 0);
        assert!(writer.write(&[6]).is_err());
        writer.flush().unwrap();
        assert_eq!(writer.get_ref(), right, "flushing writes the last of a stated number");
        assert_eq!(writer.finish().unwrap(), right);
    }
    // After whole eights they can go on, else they are over.
    for (n, more, right) in [
        (8, true, &[0x21, 0x43, 0x65, 0x87, 0x09][..]),
        (3, false, &[0x21, 0x03]),
        (7, false, &[0x21, 0x43, 0x65, 0x07]),
    ] {
        let mut writer = CastWriter::new(pack, Vec::new()).elements(n);
        writer.write_all(&[1, 2, 3, 4, 5, 6, 7, 8][..n as usize]).unwrap();
        let mut writer = writer.elements(n + 1);
        match writer.write(&[9]) {
            Ok(taken) => assert_eq!((taken, more), (1, true)),
            Err(error) => {
                let overlong = Overlong { dtype: DType::UInt8, stated: n, rest: 1 };
                assert_eq!(error.downcast::<Overlong>().unwrap(), overlong);
                assert!(!more);
            }
        }
        assert_eq!(writer.finish().unwrap(), right);
    }
}

/// Amid an element, after it, before one that does not fit: whoever is told so has the writer, and is told it again.
#[test]
fn a_writer_that_did_not_finish_is_as_it_was() {
    use DType::*;
    let checked = CastOptions::new().overflow(Overflow::Error);
    let texts = [
        (&[1, 0, 3][..], "the stream ended 1 byte after 1 element of uint16"),
        (&[1, 0, 0xff, 0xff, 3, 0], "element 1 of uint16, 65535, does not fit uint8"),
    ];
    for to in [UInt8, UInt4x2] {
        let cast = Cast::new(UInt16, to, checked)
            .unwrap()
            .with_byte_order(ByteOrder::Little, ByteOrder::Native);
        for (source, text) in texts {
            let mut writer = CastWriter::new(cast, Vec::new());
            _ = writer.write_all(source);
            for _ in 0..3 {
                let error = writer.finish().unwrap_err();
                assert!(
                    error.to_string().starts_with(&text.replace("uint8", to.name())),
                    "{error}"
                );
                writer = error.into_inner();
                assert_eq!(writer.get_ref(), &[1]);
                assert!(writer.write(&[1]).is_err() && writer.flush().is_ok());
            }
            // What was no whole element is not lost.
            let rest = if source.len() == 3 { &[3][..] } else { &[] };
            assert_eq!(writer.into_parts().rest, rest);
        }
        // All is cast, but the writer is full. There are as many elements as came.
        let mut writer = CastWriter::new(cast, Full(0));
        writer.write_all(&[1, 0, 2, 0, 3, 0]).unwrap();
        let (error, mut writer) = writer.finish().map(drop).unwrap_err().into_parts();
        assert_eq!(error.kind(), ErrorKind::WriteZero);
        if to == UInt8 {
            // (It was full before it came to the last one.)
            writer.write_all(&[4, 0]).unwrap();
            assert_eq!(writer.into_parts().results, [1, 2, 3, 4]);
            continue;
        }
        // (Less than eight are not cast before the end.)
        let overlong = Overlong { dtype: UInt16, stated: 3, rest: 1 };
        let refused = writer.write(&[4]).unwrap_err();
        assert_eq!(refused.downcast::<Overlong>().unwrap(), overlong);
        assert_eq!(writer.into_parts().results, [0x21, 0x03]);
    }
}

#[test]
fn a_writer_in_debug_tells_how_full_it_is() {
    let cast = Cast::new(DType::UInt16, DType::UInt8, CastOptions::new()).unwrap();
    let mut writer = CastWriter::new(cast, Vec::new());
    writer.write_all(&[1, 0, 2]).unwrap();
    let text = format!("{writer:?}");
    assert!(text.contains("part: 1 bytes, results: 1 of "), "{text}");
    assert!(text.len() < 1000, "{text}");
}

/// A writer that takes what it is given, and panics.
struct Panics<'a>(&'a mut Vec<u8>);

impl Write for Panics<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        panic!("as it is to")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_is_written_again_after_a_panic() {
    let cast = Cast::new(DType::UInt8, DType::UInt8, CastOptions::new()).unwrap();
    let mut taken = Vec::new();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut writer = CastWriter::new(cast, Panics(&mut taken));
        writer.write_all(b"abc").unwrap();
        writer.flush()
    }));
    assert!(panicked.is_err());
    assert_eq!(taken, b"abc");
}

/// Writes, in its destructor, by a writer of its own.
struct Writes<'a>(Cast, &'a mut Vec<u8>);

impl Drop for Writes<'_> {
    fn drop(&mut self) {
        CastWriter::new(self.0, &mut *self.1).write_all(b"abc").unwrap();
    }
}

#[test]
fn a_writer_that_is_dropped_while_the_thread_panics_writes() {
    let cast = Cast::new(DType::UInt8, DType::UInt8, CastOptions::new()).unwrap();
    let mut taken = Vec::new();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _writes = Writes(cast, &mut taken);
        panic!("as it is to");
    }));
    assert!(panicked.is_err());
    assert_eq!(taken, b"abc");
}

/// A writer that takes nothing more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.0);
        self.0 -= n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_writer_and_a_dropped_one() {
    let cast = Cast::new(DType::UInt8, DType::UInt16, CastOptions::new()).unwrap();
    let mut writer = CastWriter::new(cast, Full(10));
    writer.write_all(&[1; 20]).unwrap();
    assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::WriteZero);
    // What it did not take is there, and it takes that later.
    let (error, mut writer) = writer.finish().map(drop).unwrap_err().into_parts();
    assert_eq!(error.kind(), ErrorKind::WriteZero);
    writer.get_mut().0 = 7;
    let parts = writer.finish().map(drop).unwrap_err().into_inner().into_parts();
    assert_eq!((parts.writer.0, parts.results.len(), parts.rest), (0, 23, vec![]));
    assert_eq!(parts.results[..3], 1u16.to_ne_bytes().repeat(2)[1..]);

    let mut out = Vec::new();
    CastWriter::new(cast, &mut out).write_all(&[7; 3]).unwrap();
    assert_eq!(out, [7u16; 3].map(u16::to_ne_bytes).concat());
    assert_eq!((&[1u8][..]).fill_buf().unwrap().len(), 1);
}
