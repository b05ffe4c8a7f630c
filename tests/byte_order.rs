//! Casts with sides in the other byte order, against those in the machine's own between buffers whose
//! components were turned one by one.

mod support;

use simdcast::{
    ByteOrder, Cast, CastError, CastOptions, CastReader, CastWriter, DType, Overflow, StridedView,
    StridedViewMut, Value, reference,
};
use simdcast_kernels::{InOrder, Kernel, Options, RunError, Stores};
use std::io::{self, BufReader, Read, Write};
use support::guarded::Guarded;
use support::{
    CHECKED, DRAWN, Parts, SIDES, Tally, fewer_pairs, noise, on_every_kind, on_every_level, turned,
};

fn lengths() -> impl Iterator<Item = usize> {
    let blocks = [255, 256, 257, 511, 513, 1023, 1025, 2049, 4096, 4097, 9001, 9009];
    (0..=300).step_by(11).chain([1, 2, 3, 5, 8, 15, 16, 17, 63, 64, 65, 129]).chain(blocks)
}

fn some_bytes(seed: u64, len: usize) -> Vec<u8> {
    let byte = |i: usize| {
        let random = noise(seed ^ noise(i as u64));
        if random >> 16 & 1 == 0 { 0 } else { random as u8 }
    };
    (0..len).map(byte).collect()
}

fn check(kernel: &Kernel, sides: [bool; 2], n: usize) -> Result<(), String> {
    let source = some_bytes(n as u64, kernel.from().bytes_for(n).unwrap());
    check_of(kernel, sides, n, &source)
}

fn check_of(kernel: &Kernel, sides: [bool; 2], n: usize, source: &[u8]) -> Result<(), String> {
    let (from, to) = (kernel.from(), kernel.to());
    let mut right = vec![0; to.bytes_for(n).unwrap()];
    let result = kernel.run(&turned(from, source, sides[0]), &mut right, n);
    let right = turned(to, &right, sides[1]);
    // Long ones through the caches, and past them.
    let stores = if n.is_multiple_of(2) { Stores::Auto } else { Stores::Streaming };
    let swapped = kernel.with_swapped(sides).with_stores(stores);
    let mut src = Guarded::new(source.len(), n % 13);
    // Whole elements off a line, or not.
    let mut dst = Guarded::new(right.len(), n % 7 * if n.is_multiple_of(2) { 5 } else { 8 });
    src.bytes().copy_from_slice(source);
    if swapped.run(src.bytes(), dst.bytes(), n) != result {
        return Err(format!("{swapped:?}: {n} elements: not {result:?}"));
    }
    // What comes after an element that does not fit is not told.
    let told = match result {
        Ok(()) => right.len(),
        Err(RunError::Unfit { index }) => index * to.bits() / 8,
        Err(_) => 0,
    };
    if dst.bytes()[..told] != right[..told] {
        return Err(format!("{swapped:?}: {n} elements: wrong bytes"));
    }
    if !dst.untouched() || !src.untouched() || *src.bytes() != *source {
        return Err(format!("{swapped:?}: {n} elements: wrote outside"));
    }
    Ok(())
}

#[test]
#[cfg(all(target_arch = "x86_64", not(simdcast_portable)))]
fn the_loops_for_other_cores() {
    support::on_every_core(|level, (from, to)| {
        let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
        let mut tally = Tally::default();
        for (sides, n) in SIDES.iter().flat_map(|&sides| lengths().map(move |n| (sides, n))) {
            check(&kernel, sides, n)?;
            tally.values += 1;
        }
        Ok(tally)
    });
}

#[test]
fn every_pair_of_many_lengths() {
    on_every_kind(|kernel, k| {
        let mut runs = 0;
        for sides in SIDES {
            // Long ones have several blocks, whose draws go on from one to the next.
            for n in lengths().filter(|&n| k == 0 || n % 4 == k || n > 1000) {
                check(kernel, sides, n)?;
                runs += 1;
            }
        }
        Ok(runs)
    });
}

#[test]
fn every_code_of_8_and_16_bits() {
    let is_short = |dtype: DType| matches!(dtype.bits(), 8 | 16);
    let jobs: Vec<_> = fewer_pairs().filter(|&(from, _)| is_short(from)).collect();
    on_every_level(&jobs, |level, &(from, to)| {
        let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
        let codes = 1 << from.bits();
        let source: Vec<u8> = match from.bits() {
            8 => (0..=u8::MAX).collect(),
            _ => (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect(),
        };
        for sides in SIDES {
            check_of(&kernel, sides, codes, &source)?;
        }
        Ok(Tally { pairs: 1, options: 1, values: (SIDES.len() * codes) as u64 })
    });
}

#[test]
fn an_order_means_something_to_wide_components_only() {
    let cast = |from, to| Cast::new(from, to, CastOptions::new()).unwrap();
    let other = if cfg!(target_endian = "big") { ByteOrder::Little } else { ByteOrder::Big };
    let same = if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
    let name = |from, to, src, dst| cast(from, to).with_byte_order(src, dst).kernel_name();
    let text = name(DType::Int8, DType::Complex64, other, other);
    assert!(text.starts_with("int8 -> complex64 (swapped): "), "{text}");
    let text = name(DType::Int16, DType::Float4E2M1FnX2, other, other);
    assert!(text.starts_with("int16 (swapped) -> float4_e2m1fn_x2: "), "{text}");
    let native = cast(DType::Int16, DType::Float32);
    let again = native.with_byte_order(other, other).with_byte_order(same, ByteOrder::Native);
    assert_eq!(again.kernel_name(), native.kernel_name());
    let text = name(DType::Int32, DType::UInt32, other, other);
    assert!(text.starts_with("int32 (swapped) -> uint32 (swapped): "), "{text}");
}

/// Also where the kernels are others: of the masked casts and those of the same value.
#[test]
fn values_are_told_in_the_right_order() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    let source: Vec<u8> = [1i16, -1, 300, 2].into_iter().flat_map(i16::to_be_bytes).collect();
    let cast = Cast::new(DType::Int16, DType::UInt16, checked).unwrap();
    let cast = cast.with_byte_order(ByteOrder::Big, ByteOrder::Little);
    let error = cast.run(&source, &mut [0; 8]).unwrap_err();
    assert_eq!(error.to_string(), "element 1 of int16, -1, does not fit uint16");

    let (mut stored, mut valid) = ([0; 8], [0]);
    cast.run_masked(&source, &mut stored, &mut valid).unwrap();
    assert_eq!((stored, valid), ([1, 0, 0xff, 0xff, 0x2c, 1, 2, 0], [0b1101]));

    let halve = Cast::new(DType::Int16, DType::BFloat16, CastOptions::new()).unwrap();
    let halve = halve.with_byte_order(ByteOrder::Big, ByteOrder::Big);
    let source: Vec<u8> = [1i16, -2, 257].into_iter().flat_map(i16::to_be_bytes).collect();
    let error = halve.run_same_value(&source, &mut stored[..6]).unwrap_err();
    assert!(matches!(error, CastError::Changed { index: 2, .. }), "{error}");
    assert_eq!(error.to_string(), "element 2 of int16, 257, would become 256 in bfloat16");
    assert_eq!(stored[..4], [0x3f, 0x80, 0xc0, 0x00]);
    halve.run_same_value(&source[..4], &mut stored[..4]).unwrap();

    let mut buffer = source.clone();
    halve.run_in_place(&mut buffer, 3).unwrap();
    assert_eq!(buffer, [0x3f, 0x80, 0xc0, 0x00, 0x43, 0x80]);
}

/// In whatever block: those before are written, in the right order.
#[test]
fn the_first_unfit_element_is_told_wherever_it_is() {
    const N: usize = 5003;
    let jobs: Vec<_> = fewer_pairs().collect();
    on_every_level(&jobs, |level, &(from, to)| {
        let kernel = Kernel::on(level, from, to, &CHECKED);
        let mut runs = 0;
        for place in [N - 1, 4096, 2048, 1024, 1023, 512, 511, 1] {
            // Zeros, and a number as large in either byte order, if that does not fit.
            let mut source = vec![0; from.bytes_for(N).unwrap()];
            let Some(size) = from.size().filter(|&size| size > 1) else { continue };
            source[place * size..][..size].fill(0x7f);
            let mut right = vec![0x5a; to.bytes_for(N).unwrap()];
            let result = kernel.run(&source, &mut right, N);
            let refuses = |element: &[u8]| {
                kernel.run(element, &mut vec![0; to.bytes_for(1).unwrap()][..], 1).is_err()
            };
            // (Powers of two have no zero.)
            if !refuses(&source[place * size..][..size]) || refuses(&vec![0; size]) {
                continue;
            }
            if result != Err(RunError::Unfit { index: place }) {
                return Err(format!("{kernel:?}: {place} is unfit, but {result:?}"));
            }
            let mut stored = vec![0x5a; right.len()];
            for sides in SIDES {
                stored.fill(0x5a);
                let whole = place * to.bits() / 8;
                let swapped = kernel.with_swapped(sides);
                let told = swapped.run(&source, &mut stored, N);
                // (Zeros are zeros in any order: negative ones, or ones that are not, are not here.)
                if told != result || stored[..whole] != right[..whole] {
                    return Err(format!("{swapped:?}: {place} is unfit, but {told:?}"));
                }
                runs += 1;
            }
        }
        Ok(Tally { pairs: u64::from(runs > 0), options: 0, values: runs })
    });
}

/// The bitmaps of long casts, whose test goes by blocks.
#[test]
fn masked_casts_of_every_pair() {
    let jobs: Vec<_> = fewer_pairs().collect();
    on_every_level(&jobs, |level, &(from, to)| {
        let n = 5003;
        let options = Options::DEFAULT;
        let native = simdcast_kernels::MaskedKernel::on(level, from, to, &options);
        let source = some_bytes(3, from.bytes_for(n).unwrap());
        let (mut stored, mut valid) = (vec![0; to.bytes_for(n).unwrap()], vec![0; n.div_ceil(8)]);
        let turned_source = turned(from, &source, true);
        native.run(&turned_source, &mut stored, &mut valid, n).map_err(|e| format!("{e:?}"))?;
        let right = (turned(to, &stored, true), valid.clone());
        let swapped = native.with_swapped([true, true]);
        swapped.run(&source, &mut stored, &mut valid, n).map_err(|e| format!("{e:?}"))?;
        if (stored, valid) != right {
            return Err(format!("{swapped:?}: wrong"));
        }
        Ok(Tally { pairs: 1, ..Tally::default() })
    });
}

/// In a group of infinities and numbers, wherever it is: a NaN with little of its payload in the upper half.
#[test]
fn nan_is_told_from_infinity() {
    const N: usize = 517;
    let jobs: Vec<_> = [DType::Float32, DType::Float64]
        .into_iter()
        .flat_map(|from| DType::ALL.into_iter().map(move |to| (from, to)))
        .collect();
    on_every_level(&jobs, |level, &(from, to)| {
        let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
        let mut runs = 0;
        for place in [0, 1, 7, 31, 32, 77, 127, 128, 300, 511, 516] {
            for sign in [0, 1 << 63] {
                let code = |i: usize| match i {
                    i if i == place => f64::INFINITY.to_bits() + 1,
                    i if i.is_multiple_of(3) => f64::INFINITY.to_bits(),
                    i => (i as f64 / 2.0).to_bits(),
                };
                let source: Vec<u8> = match from {
                    DType::Float64 => (0..N).flat_map(|i| (code(i) | sign).to_ne_bytes()).collect(),
                    _ => (0..N)
                        .map(|i| if i == place { 0x7f80_0001 } else { f32_of(code(i)) })
                        .flat_map(|bits| (bits | (sign >> 32) as u32).to_ne_bytes())
                        .collect(),
                };
                let bytes = to.bytes_for(N).unwrap();
                let (mut right, mut found) = (vec![0; bytes], vec![0; bytes]);
                kernel.run(&source, &mut right, N).unwrap();
                let swapped = kernel.with_swapped([true, false]);
                swapped.run(&turned(from, &source, true), &mut found, N).unwrap();
                if found != right {
                    return Err(format!("{swapped:?}: NaN at {place}: wrong bytes"));
                }
                runs += 1;
            }
        }
        Ok(Tally { pairs: 1, options: 0, values: runs })
    });
}

fn f32_of(code: u64) -> u32 {
    (f64::from_bits(code) as f32).to_bits()
}

/// Options of which the indices of elements make something, and the default ones.
const KINDS_ELSEWHERE: [Options; 3] = [Options::DEFAULT, DRAWN, CHECKED];

/// A source, and what a cast of it in one run, in the machine's byte order, comes to when both are turned.
struct Flat {
    source: Vec<u8>,
    right: Vec<u8>,
    result: Result<(), RunError>,
}

impl Flat {
    fn of(kernel: &Kernel, sides: [bool; 2], n: usize) -> Self {
        let (from, to) = (kernel.from(), kernel.to());
        let source = some_bytes(n as u64 + 1, from.bytes_for(n).unwrap());
        let mut right = vec![0; to.bytes_for(n).unwrap()];
        let result = kernel.run(&turned(from, &source, sides[0]), &mut right, n);
        Self { right: turned(to, &right, sides[1]), source, result }
    }

    /// What is wrong with results that came about in another way.
    fn check(
        &self,
        kernel: &Kernel,
        result: Result<(), RunError>,
        bytes: &[u8],
    ) -> Result<(), String> {
        let told = match result {
            Ok(()) => self.right.len(),
            Err(RunError::Unfit { index }) => index * kernel.to().bits() / 8,
            Err(_) => 0,
        };
        if result != self.result || bytes.get(..told) != self.right.get(..told) {
            return Err(format!("{kernel:?}: {result:?}, not {:?}, or wrong bytes", self.result));
        }
        Ok(())
    }
}

/// The shape of views, of which the last dimension's elements are whole bytes.
const SHAPE: [usize; 3] = [5, 6, 72];

/// Where the elements of the shape lie, in an order of their own that goes back once: the offset, the strides, and for each of
/// the others the byte at which it starts, with how many bytes it has; of packed ones, rows.
fn apart(dtype: DType) -> (usize, [isize; 3], Vec<usize>, usize) {
    let [a, b, c] = SHAPE;
    let (unit, last) = match dtype.size() {
        Some(size) => (size, ((a + 1) * b * size) as isize),
        None => (dtype.bytes_for(c).unwrap(), 1),
    };
    let strides = [-(unit as isize), ((a + 1) * unit) as isize, last];
    let columns = if dtype.is_packed() { 1 } else { c };
    let offset = (a - 1) * unit;
    let mut starts = Vec::new();
    for (i, j, k) in (0..a * b * columns).map(|n| (n / columns / b, n / columns % b, n % columns)) {
        starts.push(offset - i * unit + (j * (a + 1) + k * (a + 1) * b) * unit);
    }
    (offset, strides, starts, unit)
}

#[test]
fn elements_that_lie_apart() {
    let n = SHAPE.iter().product();
    let jobs: Vec<_> = fewer_pairs().collect();
    on_every_level(&jobs, |level, &(from, to)| {
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        let ((at, steps, places, unit), (dst_at, dst_steps, dst_places, dst_unit)) =
            (apart(from), apart(to));
        let bytes = |places: &[usize], unit| places.iter().max().unwrap() + unit;
        for (options, sides) in KINDS_ELSEWHERE.iter().flat_map(|o| SIDES.map(|sides| (o, sides))) {
            let kernel = Kernel::on(level, from, to, options);
            let flat = Flat::of(&kernel, sides, n);
            let mut source = vec![0x5a; bytes(&places, unit)];
            for (&place, element) in places.iter().zip(flat.source.chunks(unit)) {
                source[place..][..unit].copy_from_slice(element);
            }
            let mut memory = vec![0x5a; bytes(&dst_places, dst_unit)];
            let src = StridedView::new(from, &source, at, &SHAPE, &steps).unwrap();
            let mut dst = StridedViewMut::new(to, &mut memory, dst_at, &SHAPE, &dst_steps).unwrap();
            let swapped = kernel.with_swapped(sides);
            let result = swapped.run_strided(&src, &mut dst, &InOrder);
            let stored: Vec<u8> =
                dst_places.iter().flat_map(|&place| memory[place..][..dst_unit].to_vec()).collect();
            flat.check(&swapped, result, &stored)?;
            tally.values += 1;
        }
        Ok(tally)
    });
}

/// In parts, the later ones first, and by threads where there are some.
#[test]
fn long_casts_in_parts() {
    use DType::*;
    let pairs = [
        (Float32, Float16),
        (Int16, Float64),
        (Float64, Int4x2),
        (UInt4x2, Complex64),
        (BFloat16, Float8E4M3Fn),
        (Complex128, Complex32),
        (UInt64, UInt64),
    ];
    on_every_level(&pairs, |level, &(from, to)| {
        let n = (5 << 21) / (from.bits() + to.bits()) * 8 + 77;
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for (options, sides) in KINDS_ELSEWHERE.iter().flat_map(|o| SIDES.map(|sides| (o, sides))) {
            let kernel = Kernel::on(level, from, to, options);
            let flat = Flat::of(&kernel, sides, n);
            let swapped = kernel.with_swapped(sides);
            let mut stored = vec![0x5a; flat.right.len()];
            let result = swapped.run_in_parts(&flat.source, &mut stored[..], n, &Parts(3));
            flat.check(&swapped, result, &stored)?;
            tally.values += 1;
        }
        Ok(tally)
    });
}

/// A cast with sides in the other byte order.
fn with_sides(from: DType, to: DType, options: &Options, sides: [bool; 2]) -> Cast {
    let other = if cfg!(target_endian = "big") { ByteOrder::Little } else { ByteOrder::Big };
    let [src, dst] = sides.map(|swapped| if swapped { other } else { ByteOrder::Native });
    Cast::new(from, to, (*options).into()).unwrap().with_byte_order(src, dst)
}

#[test]
fn streams_whose_pieces_split_elements() {
    let n = 3001;
    for (from, to) in fewer_pairs() {
        for (options, sides) in KINDS_ELSEWHERE.iter().flat_map(|o| SIDES.map(|sides| (o, sides))) {
            let flat = Flat::of(&Kernel::new(from, to, options), sides, n);
            let cast = with_sides(from, to, options, sides);
            let kernel = Kernel::new(from, to, options).with_swapped(sides);
            let outcome = |result: io::Result<()>| match result {
                Ok(()) => Ok(()),
                Err(error) => match error.downcast::<CastError>() {
                    Ok(CastError::Unfit { index, value, .. }) => {
                        let code = kernel.load(&flat.source, index);
                        let part = reference::decode(from.component(), code as u64);
                        assert!(
                            from.is_complex() || value == Value::Real(part),
                            "{kernel:?}: {value}"
                        );
                        Err(RunError::Unfit { index })
                    }
                    other => panic!("{kernel:?}: {other:?}"),
                },
            };
            let mut read = Vec::new();
            let buffer = BufReader::with_capacity(101, &flat.source[..]);
            let mut reader = CastReader::new(cast, buffer).elements(n as u64);
            let result = outcome(reader.read_to_end(&mut read).map(drop));
            flat.check(&kernel, result, &read).unwrap();
            let mut written = Vec::new();
            let mut writer = CastWriter::new(cast, &mut written).elements(n as u64);
            let result = flat.source.chunks(101).try_for_each(|piece| writer.write_all(piece));
            let finished = writer.finish().map(drop).map_err(io::Error::from);
            flat.check(&kernel, outcome(result.and(finished)), &written).unwrap();
        }
    }
}

/// As in `parallel.rs`.
#[cfg(feature = "rayon")]
#[test]
fn threads() {
    for sides in SIDES {
        for options in &KINDS_ELSEWHERE {
            let n = 1_000_003;
            let (from, to) = (DType::Float32, DType::BFloat16);
            let kernel = Kernel::new(from, to, options);
            let flat = Flat::of(&kernel, sides, n);
            let cast = with_sides(from, to, options, sides);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            let mut stored = vec![0; flat.right.len()];
            let result = match pool.install(|| cast.par_run(&flat.source, &mut stored)) {
                Ok(()) => Ok(()),
                Err(CastError::Unfit { index, .. }) => Err(RunError::Unfit { index }),
                Err(other) => panic!("{other}"),
            };
            flat.check(&kernel.with_swapped(sides), result, &stored).unwrap();
        }
    }
}

#[test]
#[cfg(not(all(target_arch = "x86_64", not(simdcast_portable))))]
fn the_loops_for_other_cores() {
    support::say("NOT TESTED: this build has no loops that are chosen by the core");
}
