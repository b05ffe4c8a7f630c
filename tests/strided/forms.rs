//! Where the elements of a view lie, and what a plain loop over them does.

use crate::support::guarded::Guarded;
use crate::support::noise;
use simdcast::{DType, StridedView, StridedViewMut, reference};
use simdcast_kernels::{InOrder, Join, Kernel, Options, RunError, Stores};

/// What differs by where results are stored: elsewhere nothing goes past the caches.
pub const STORES: &[Stores] =
    if cfg!(target_arch = "x86_64") { &[Stores::Auto, Stores::Streaming] } else { &[Stores::Auto] };

/// Pairs of elements that are narrower, wider and as wide, complex, packed on either side, and single bytes.
pub const PAIRS: [(DType, DType); 7] = [
    (DType::Float32, DType::Float16),
    (DType::UInt8, DType::Float64),
    (DType::Complex128, DType::Complex64),
    (DType::Int16, DType::Int16),
    (DType::Float64, DType::Float4E2M1FnX2),
    (DType::Int4x2, DType::Float32),
    (DType::Float32, DType::Int8),
];

/// How one side lies in memory.
#[derive(Clone, Debug)]
pub struct Form {
    /// Numbers by whose size the dimensions lie further in.
    pub order: Vec<u8>,
    /// For each dimension: how many elements an element takes the room of, bytes left free after it,
    /// whether it runs backward, and whether in a source its elements overlap: then each starts as many bytes after the one
    /// before as would be left free, so that without any all are one.
    pub steps: Vec<(usize, usize, bool, bool)>,
    /// Bytes before the first element.
    pub before: usize,
}

/// Where elements lie: the first one, the strides, and the bytes of the buffer.
pub struct Place {
    pub offset: usize,
    pub strides: Vec<isize>,
    pub bytes: usize,
}

impl Form {
    pub fn from_noise(seed: u64, rank: usize) -> Self {
        let one = |i: usize, k: u64| noise(seed ^ noise(i as u64 * 8 + k));
        let steps = |i| {
            let step = [1, 1, 1, 2, 3][one(i, 1) as usize % 5];
            let gap = [0, 0, 0, 1, 5][one(i, 2) as usize % 5];
            (step, gap, one(i, 3).is_multiple_of(3), one(i, 4).is_multiple_of(5))
        };
        Self {
            order: (0..rank).map(|i| one(i, 0) as u8).collect(),
            steps: (0..rank).map(steps).collect(),
            before: one(0, 5) as usize % 3,
        }
    }

    /// Where the elements of a shape lie. Those of a destination don't overlap.
    pub fn place(&self, dtype: DType, shape: &[usize], may_overlap: bool) -> Place {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.order[i]));
        let mut strides = vec![0; shape.len()];
        let mut room = dtype.size().unwrap_or(1);
        let mut offset = self.before;
        if dtype.is_packed()
            && let Some(last) = shape.len().checked_sub(1)
        {
            strides[last] = 1;
            room = dtype.bytes_for(shape[last]).unwrap();
            order.retain(|&i| i != last);
        }
        for i in order {
            let (step, gap, backward, overlaps) = self.steps[i];
            let stride = if overlaps && may_overlap { gap } else { room * step + gap };
            let reach = stride * shape[i].saturating_sub(1);
            if backward {
                offset += reach;
            }
            strides[i] = if backward { -(stride as isize) } else { stride as isize };
            room += reach;
        }
        let bytes = if shape.contains(&0) { offset } else { self.before + room };
        Place { offset, strides, bytes }
    }
}

impl Place {
    /// The byte at which an element starts, or its packed row, and its place in there.
    pub fn of(&self, dtype: DType, shape: &[usize], index: &[usize]) -> (usize, usize) {
        let mut at = self.offset as isize;
        let mut column = 0;
        for (i, (&index, &stride)) in index.iter().zip(&self.strides).enumerate() {
            if dtype.is_packed() && i + 1 == shape.len() {
                column = index;
            } else {
                at += index as isize * stride;
            }
        }
        (usize::try_from(at).unwrap(), column)
    }
}

/// Visits every index of a shape, in row-major order, with its number.
pub fn for_each_index(shape: &[usize], mut visit: impl FnMut(usize, &[usize])) {
    let mut index = vec![0; shape.len()];
    for i in 0..shape.iter().product() {
        visit(i, &index);
        for (at, len) in index.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < *len {
                break;
            }
            *at = 0;
        }
    }
}

pub const FREE: u8 = 0x5a;

/// A cast between two places, by a plain loop: the bytes of the destination, the first element that does
/// not fit, and how far the bytes are told then.
pub struct Expected {
    pub bytes: Vec<u8>,
    pub unfit: Option<usize>,
    /// Which bytes are certain.
    pub told: Vec<bool>,
}

pub fn expected(
    (from, src, bytes): (DType, &Place, &[u8]),
    (to, dst): (DType, &Place),
    shape: &[usize],
    options: &Options,
) -> Expected {
    let mut stored = vec![FREE; dst.bytes];
    let mut told = vec![true; dst.bytes];
    let mut unfit = None;
    for_each_index(shape, |i, index| {
        let (at, column) = dst.of(to, shape, index);
        let len = (column * to.bits() + to.bits()).div_ceil(8);
        let element = &mut stored[at..at + len];
        if to.is_packed() && (column * to.bits()).is_multiple_of(8) {
            element[column * to.bits() / 8] = 0;
        }
        if unfit.is_some() {
            // Of packed elements the last byte is shared with those that were before.
            told[at + column * to.bits() / 8..at + len].fill(false);
            return;
        }
        let (place, place_column) = src.of(from, shape, index);
        let code = reference::load(from, &bytes[place..], place_column);
        match reference::cast(from, to, code, options, i as u64) {
            Ok(code) => {
                if to.is_packed() && column * to.bits() % 8 + to.bits() > 8 {
                    element[len - 1] = 0;
                }
                reference::store(to, element, column, code);
            }
            Err(_) => {
                unfit = Some(i);
                told[at + column * to.bits() / 8..at + len].fill(false);
            }
        }
    });
    Expected { bytes: stored, unfit, told }
}

/// Bytes of all sorts, of which small ones are not rare.
pub fn some_bytes(seed: u64, len: usize) -> Vec<u8> {
    let byte = |i: usize| {
        let random = noise(seed ^ noise(i as u64));
        let common = [0, 0x3f, 0xff, 1][random as usize >> 8 & 3];
        if random >> 16 & 1 == 0 { common } else { random as u8 }
    };
    (0..len).map(byte).collect()
}

/// Casts between two forms of a shape, and compares.
pub fn check(
    kernel: &Kernel,
    options: &Options,
    shape: &[usize],
    forms: [&Form; 2],
    seed: u64,
) -> Result<(), String> {
    check_by(&InOrder, kernel, options, shape, forms, seed)
}

/// The same, in parts.
pub fn check_by(
    join: &impl Join,
    kernel: &Kernel,
    options: &Options,
    shape: &[usize],
    [a, b]: [&Form; 2],
    seed: u64,
) -> Result<(), String> {
    let places = [a.place(kernel.from(), shape, true), b.place(kernel.to(), shape, false)];
    let offsets = [seed as usize % 16, seed as usize / 16 % 16];
    let mut memory = Guarded::new(places[0].bytes, offsets[0]);
    let mut out = Guarded::new(places[1].bytes, offsets[1]);
    let buffers = [memory.bytes(), out.bytes()];
    check_in(join, kernel, options, shape, &places, buffers, seed)?;
    if !out.untouched() || !memory.untouched() {
        return Err(format!("{kernel:?}: {shape:?}, {a:?} to {b:?}: wrote outside"));
    }
    Ok(())
}

/// The same between two places, in buffers of as many bytes as they have.
pub fn check_in(
    join: &impl Join,
    kernel: &Kernel,
    options: &Options,
    shape: &[usize],
    [src, dst]: &[Place; 2],
    [memory, out]: [&mut [u8]; 2],
    seed: u64,
) -> Result<(), String> {
    let (from, to) = (kernel.from(), kernel.to());
    let source = some_bytes(seed, src.bytes);
    let right = expected((from, src, &source), (to, dst), shape, options);
    memory.copy_from_slice(&source);
    out.fill(FREE);
    let view = StridedView::new(from, memory, src.offset, shape, &src.strides);
    let target = StridedViewMut::new(to, out, dst.offset, shape, &dst.strides);
    let (view, mut target) = (view.map_err(|e| e.to_string())?, target.map_err(|e| e.to_string())?);
    let result = kernel.run_strided(&view, &mut target, join);
    let wanted = right.unfit.map_or(Ok(()), |index| Err(RunError::Unfit { index }));
    let about = || {
        let (a, b) = (&src.strides, &dst.strides);
        format!("{kernel:?}: {shape:?}, strides {a:?} to {b:?}")
    };
    if result != wanted {
        return Err(format!("{}: {result:?}, not {wanted:?}", about()));
    }
    let pairs = out.iter().zip(&right.bytes).zip(&right.told);
    if let Some(at) = pairs.into_iter().position(|((a, b), told)| *told && a != b) {
        return Err(format!("{}: byte {at} of {} is wrong", about(), dst.bytes));
    }
    if *memory != source {
        return Err(format!("{}: wrote to the source", about()));
    }
    Ok(())
}
