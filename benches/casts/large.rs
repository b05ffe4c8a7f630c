//! What the benchmarks of large casts share: pairs, buffers, and how elements lie apart.

use rayon::prelude::*;
use simdcast::{ByteOrder, DType, StridedView, StridedViewMut};
use simdcast_kernels::{Join, Kernel};
use std::hint::black_box;

/// Narrowing and widening, light and heavy.
pub const PAIRS: [(DType, DType); 6] = [
    (DType::Float32, DType::Float16),
    (DType::Float16, DType::Float32),
    (DType::Float64, DType::Float32),
    (DType::UInt8, DType::Float32),
    (DType::Float32, DType::Float8E4M3Fn),
    (DType::Float32, DType::Int8),
];

/// The order that is not the machine's own.
pub const OTHER: ByteOrder =
    if cfg!(target_endian = "big") { ByteOrder::Little } else { ByteOrder::Big };

/// Bytes of numbers that no branch learns; small exponents are not rare.
pub fn some_bytes(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut bytes = vec![0; len];
    for chunk in bytes.chunks_mut(8) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let word = (state ^ state >> 29) & 0xbfff_bfbf_bfff_bfbf;
        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
    }
    bytes
}

/// How many elements take so many bytes on both sides.
pub fn elements(from: DType, to: DType, bytes: usize) -> usize {
    bytes * 8 / (from.bits() + to.bits())
}

pub fn human(bytes: usize) -> String {
    if bytes >= 1 << 30 {
        format!("{} GiB", bytes >> 30)
    } else if bytes >= 1 << 20 {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{} KiB", bytes >> 10)
    }
}

/// memcpy, by all threads of the pool.
pub fn par_memcpy(src: &[u8], dst: &mut [u8]) {
    let part = (src.len() / (8 * rayon::current_num_threads())).max(4096);
    dst.par_chunks_mut(part).zip(src.par_chunks(part)).for_each(|(dst, src)| {
        dst.copy_from_slice(src);
    });
}

/// Elements that lie apart.
pub struct Layout {
    pub name: &'static str,
    pub shape: [usize; 2],
    from: [isize; 2],
    to: [isize; 2],
}

impl Layout {
    /// Casts between buffers of at least twice as many elements, by `join`.
    pub fn cast(&self, kernel: &Kernel, src: &[u8], dst: &mut [u8], join: &impl Join) {
        let src = StridedView::new(kernel.from(), src, 0, &self.shape, &self.from).unwrap();
        let mut dst = StridedViewMut::new(kernel.to(), dst, 0, &self.shape, &self.to).unwrap();
        kernel.run_strided(black_box(&src), &mut dst, join).unwrap();
    }
}

/// The ways that `side` times `side` elements may lie apart, about as many each.
pub fn layouts(from: DType, to: DType, side: usize) -> [Layout; 6] {
    let n = side * side;
    let (i, o, s) = ((from.bits() / 8) as isize, (to.bits() / 8) as isize, side as isize);
    let layout = |name, shape, from, to| Layout { name, shape, from, to };
    [
        layout("transposed", [side, side], [i, s * i], [s * o, o]),
        layout("rows apart", [side, side], [2 * s * i, i], [s * o, o]),
        layout("every second", [side, side], [2 * s * i, 2 * i], [s * o, o]),
        layout("into every second", [side, side], [s * i, i], [2 * s * o, 2 * o]),
        layout("3 channels last to first", [3, n / 3], [i, 3 * i], [(n / 3) as isize * o, o]),
        layout("rows of 8", [n / 8, 8], [16 * i, i], [8 * o, o]),
    ]
}
