//! Casts between views of any shape and strides, against a plain loop over their elements: every pair
//! on every instruction set with some layouts, and random layouts by proptest.

#[path = "../support/mod.rs"]
mod support;

mod forms;
mod near;
mod overlapping;

use forms::{Form, PAIRS, check, check_by, some_bytes};
use proptest::prelude::*;
use simdcast::{
    Cast, CastError, CastOptions, DType, LayoutError, Overflow, StridedView, StridedViewMut,
};
use simdcast_kernels::{Kernel, Options, RunError, Stores};
use support::{CHECKED, KINDS, Parts, Tally, effective, noise, on_every_kind, on_every_level};

/// Shapes with short and long rows, in one block and in several.
const SHAPES: [&[usize]; 18] = [
    &[],
    &[0],
    &[1],
    &[7],
    &[3, 5],
    &[5, 0, 2],
    &[70, 67],
    &[2, 300],
    &[300, 3],
    &[1, 129],
    &[4, 3, 9, 2],
    &[2, 1, 65, 1, 33],
    &[1100],
    &[3, 66, 7, 1],
    &[700, 2, 3],
    &[4, 5, 70, 3],
    &[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    &[3, 1, 150, 70],
];

#[test]
fn every_pair_in_many_forms() {
    on_every_kind(|kernel, k| {
        let pair = kernel.from() as u64 * 64 + kernel.to() as u64;
        let one_in = |some| support::one_in(some) as u64;
        let mut runs = 0;
        for (s, shape) in SHAPES.iter().enumerate() {
            // Few are cast under each of the other options, others by each pair.
            let seed = noise(pair) ^ (s * 4 + k) as u64;
            if k > 0 && !noise(seed).is_multiple_of(4)
                || !(pair + s as u64).is_multiple_of(one_in(3))
            {
                continue;
            }
            let forms = [1, 2].map(|i| Form::from_noise(noise(seed) ^ i, shape.len()));
            check(kernel, kernel.options(), shape, [&forms[0], &forms[1]], seed)?;
            runs += 1;
        }
        Ok(runs)
    });
}

/// A matrix of several blocks each way, transposed, whole and from the middle of lines.
#[test]
fn transposed_matrices() {
    let form = |order: [u8; 2], gap| Form {
        order: order.to_vec(),
        steps: vec![(1, gap, false, false); 2],
        before: gap,
    };
    for level in support::tested_levels() {
        for (from, to) in PAIRS.into_iter().step_by(support::one_in(3)) {
            for options in KINDS {
                let kernel = Kernel::on(level, from, to, &options);
                // (As if they were so large that results go past the caches, where one way round rows are whole registers.)
                let streams = kernel.with_stores(Stores::Streaming);
                let runs = [
                    (kernel, 0, [200, 301]),
                    (kernel, 3, [200, 301]),
                    (streams, 0, [304, 301]),
                    (streams, 3, [200, 301]),
                ];
                for (kernel, gap, shape) in runs {
                    let forms = [form([0, 1], gap), form([1, 0], gap)];
                    check(&kernel, &options, &shape, [&forms[0], &forms[1]], 5).unwrap();
                    check(&kernel, &options, &shape, [&forms[1], &forms[0]], 5).unwrap();
                }
            }
        }
    }
}

/// Matrices one after the other, each transposed as if they were so large that results go past the caches: of several blocks each
/// way, from their first rows on or from their last, to narrower, equal and wider elements, and of more than whole squares.
#[test]
fn matrices_past_the_caches() {
    use DType::*;
    let form = |order: [u8; 3], steps| Form { order: order.to_vec(), steps, before: 0 };
    let jobs = [
        (Float32, Float16),
        (Float16, Int16),
        (Int8, Float16),
        (Float64, UInt32),
        (UInt8, Float32),
        (Complex128, Complex64),
        (Float32, Int64),
        (Complex64, Complex128),
        (Float32, Int8),
        (UInt8, Float8E4M3Fn),
    ];
    on_every_level(&jobs, |level, &(from, to)| {
        let shapes = [[2, 275, 261], [3, 70, 141], [1, 530, 67], [1, 40, 1100]];
        let kinds = effective(&KINDS, from, to);
        for options in &kinds {
            let kernel = Kernel::on(level, from, to, options).with_stores(Stores::Streaming);
            for (i, shape) in shapes.iter().enumerate() {
                let step = |gap, backward| (1, gap, backward, false);
                let src = vec![step(0, false), step(0, i == 1), step(0, false)];
                // Rows of the destination start with whole registers.
                let gap = (shape[1] * to.size().unwrap()).wrapping_neg() % 16;
                let dst = vec![step(0, false), step(0, false), step(gap, false)];
                let forms = [&form([0, 1, 2], src), &form([0, 2, 1], dst)];
                check(&kernel, options, shape, forms, 5)?;
            }
        }
        let casts = (kinds.len() * shapes.len()) as u64;
        Ok(Tally { pairs: 1, options: kinds.len() as u64, values: casts })
    });
}

/// The first of those that don't fit, wherever it is among blocks that are cast while others are scattered, whole or in parts.
#[test]
fn an_unfit_element_of_matrices_past_the_caches() {
    const SHAPE: [usize; 3] = [2, 272, 301];
    const N: usize = SHAPE[0] * SHAPE[1] * SHAPE[2];
    let turned = [(SHAPE[1] * SHAPE[2] * 2) as isize, 2, SHAPE[1] as isize * 2];
    for level in support::tested_levels() {
        let kernel = Kernel::on(level, DType::Float32, DType::Int16, &CHECKED);
        let kernel = kernel.with_stores(Stores::Streaming);
        for first in [0, 300, 40_000, N / 2 - 1, N / 2, N - 302, N - 1] {
            let mut source = vec![1f32; N];
            source[first] = 40_000.0;
            source[N - 1] = f32::NAN;
            let source: &[u8] = bytemuck::cast_slice(&source);
            let view = StridedView::contiguous(DType::Float32, source, &SHAPE).unwrap();
            for parts in [1, 3] {
                let mut results = vec![0u16; N];
                let out = bytemuck::cast_slice_mut(&mut results);
                let mut target =
                    StridedViewMut::new(DType::Int16, out, 0, &SHAPE, &turned).unwrap();
                let result = kernel.run_strided(&view, &mut target, &Parts(parts));
                assert_eq!(result, Err(RunError::Unfit { index: first }), "{kernel:?}");
                for i in 0..first {
                    let (matrix, row, col) = (i / (N / 2), i / SHAPE[2] % SHAPE[1], i % SHAPE[2]);
                    let at = matrix * (N / 2) + col * SHAPE[1] + row;
                    assert_eq!(results[at], 1, "{kernel:?}: {i} before {first}");
                }
            }
        }
    }
}

/// A matrix that is larger than the caches next to a core, transposed, from its first row on or from its last.
#[test]
fn a_large_matrix_transposed() {
    use DType::*;
    let form = |order: [u8; 2], backward| Form {
        order: order.to_vec(),
        steps: vec![(1, 0, backward, false); 2],
        before: 5,
    };
    for level in support::tested_levels() {
        for (from, to, shape) in [(Float32, Float16, [601, 530]), (Float64, Int8, [430, 401])] {
            let kernel = Kernel::on(level, from, to, &Options::DEFAULT);
            for backward in [false, true] {
                let forms = [form([0, 1], backward), form([1, 0], false)];
                check(&kernel, &Options::DEFAULT, &shape, [&forms[0], &forms[1]], 5).unwrap();
                check(&kernel, &Options::DEFAULT, &shape, [&forms[1], &forms[0]], 5).unwrap();
            }
        }
    }
}

/// Up to as many as a view may have: fourteen of two elements, and of the others one, in orders of their own on either side.
#[test]
fn as_many_dimensions_as_there_may_be() {
    use DType::*;
    let pairs = [
        (Float32, Float16),
        (UInt8, Complex128),
        (Complex64, Int8),
        (Int16, Int16),
        (Float64, Float4E2M1FnX2),
        (Int4x2, Float32),
        (UInt1x8, Float6E2M3FnX4),
    ];
    let ranks = (13..=32).rev().step_by(support::one_in(7));
    let jobs: Vec<_> = ranks.flat_map(|rank| pairs.map(|(from, to)| (from, to, rank))).collect();
    on_every_level(&jobs, |level, &(from, to, rank)| {
        let seed = noise(rank as u64) ^ from as u64;
        let options = KINDS[seed as usize % 4];
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_by_key(|&i| noise(seed ^ noise(i as u64)));
        let mut shape = vec![1; rank];
        order.iter().take(14).for_each(|&i| shape[i] = 2);
        let forms = [1, 2].map(|i| Form::from_noise(noise(seed) ^ i, rank));
        let kernel = Kernel::on(level, from, to, &options);
        check(&kernel, &options, &shape, [&forms[0], &forms[1]], seed)?;
        Ok(Tally { pairs: 1, options: 1, values: 1 })
    });
}

/// Parts of a transposed matrix, and of a batch of small ones, have the draws of the whole, and tell the first of all elements
/// that do not fit.
#[test]
fn views_in_parts() {
    use DType::*;
    let pairs = [(Float32, Int4x2), (Int4x2, Float32), (Float64, Int8)];
    // (A part has 256 KiB at least.)
    let shapes: [&[usize]; 4] = [&[301, 600], &[530, 341], &[30_000, 2, 3], &[3, 101, 600]];
    let jobs = pairs.into_iter().flat_map(|pair| shapes.map(|shape| (pair, shape)));
    // (Where they are fewer, each pair has another shape.)
    let jobs: Vec<_> = jobs.step_by(support::one_in(5)).collect();
    on_every_level(&jobs, |level, &((from, to), shape)| {
        let form = |backward: bool, order: &[u8]| Form {
            order: order[..shape.len()].to_vec(),
            steps: (0..shape.len()).map(|i| (1, 0, backward && i != 1, false)).collect(),
            before: 1,
        };
        for (i, options) in KINDS.into_iter().enumerate() {
            let kernel = Kernel::on(level, from, to, &options);
            let forms = [form(i > 1, &[0, 1, 2]), form(i % 2 == 1, &[2, 1, 0])];
            for (a, b, parts) in [(0, 1, 3), (1, 0, 2)] {
                let forms = [&forms[a], &forms[b]];
                check_by(&Parts(parts), &kernel, &options, shape, forms, i as u64)?;
            }
        }
        Ok(Tally { pairs: 1, options: 4, values: 8 })
    });
}

fn form(rank: usize) -> impl Strategy<Value = Form> {
    let step =
        (1..4usize, prop_oneof![Just(0), 0..9usize], any::<bool>(), prop::bool::weighted(0.2));
    let order = prop::collection::vec(any::<u8>(), rank);
    (order, prop::collection::vec(step, rank), 0..9usize).prop_map(|(order, steps, before)| Form {
        order,
        steps,
        before,
    })
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        prop::collection::vec(0..9usize, 0..6),
        prop::collection::vec(prop_oneof![1..4usize, 60..140usize], 1..3),
        prop::collection::vec(1..3usize, 6..9),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_shape_and_strides(
        (shape, a, b) in shape().prop_flat_map(|shape| {
            let rank = shape.len();
            (Just(shape), form(rank), form(rank))
        }),
        (from, to) in (0..DType::COUNT, 0..DType::COUNT),
        kind in 0..4usize,
        seed in any::<u64>(),
    ) {
        let (from, to) = (DType::ALL[from], DType::ALL[to]);
        let options = KINDS[kind];
        let kernel = Kernel::new(from, to, &options);
        check(&kernel, &options, &shape, [&a, &b], seed).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn the_code_of_an_element_is_read_where_it_lies() {
    let bytes = [0x21, 0x43, 0x65, 0x87];
    let view = StridedView::new(DType::UInt4x2, &bytes, 3, &[2, 2], &[-2, 1]).unwrap();
    assert_eq!((0..4).map(|i| view.code(i).unwrap()).collect::<Vec<_>>(), [7, 8, 3, 4]);
    assert_eq!(view.code(4), None);
    let view = StridedView::new(DType::UInt16, &bytes, 1, &[3], &[-1]).unwrap_err();
    assert_eq!(view.to_string(), "the elements lie at bytes -1..3 of a buffer of 4");
    let view = StridedView::new(DType::UInt8, &bytes, 0, &[3, 0], &[100, 1]).unwrap();
    assert!(view.is_empty());
    assert_eq!(view.code(0), None);
}

/// What a view tells of itself makes it again.
#[test]
fn a_view_tells_its_shape_and_strides() {
    let mut memory = some_bytes(5, 4 * 3 * 8 * 16);
    let bytes = memory.clone();
    for dtype in DType::ALL {
        let view = StridedView::contiguous(dtype, &bytes, &[4, 3, 8]).unwrap();
        let (shape, strides): (Vec<_>, Vec<_>) = (view.shape().collect(), view.strides().collect());
        assert_eq!((view.ndim(), &shape[..]), (3, &[4, 3, 8][..]));
        let row = dtype.bits() as isize;
        assert_eq!(strides, [3 * row, row, dtype.size().unwrap_or(1) as isize], "{dtype}");
        let again = StridedView::new(dtype, &bytes, 0, &shape, &strides).unwrap();
        assert!((0..=view.len()).all(|i| view.code(i) == again.code(i)), "{dtype}");
        let same = StridedViewMut::contiguous(dtype, &mut memory, &[4, 3, 8]).unwrap();
        assert!(same.shape().eq(shape) && same.strides().eq(strides) && same.ndim() == 3);
    }
    // As they were given, also where they mean nothing, or the same again and again.
    let view = StridedView::new(DType::UInt8, &bytes, 9, &[1, 2, 5], &[77, -3, 0]).unwrap();
    assert!(view.strides().eq([77, -3, 0]));
    let none = StridedView::new(DType::Float64, &[], 0, &[], &[]).map(|view| view.ndim());
    assert!(matches!(none, Err(LayoutError::Outside { .. })));
    assert_eq!(StridedView::new(DType::Float64, &bytes, 0, &[], &[]).unwrap().strides().len(), 0);
}

fn layout(dtype: DType, bytes: usize, shape: &[usize], strides: &[isize]) -> LayoutError {
    let mut bytes = vec![0; bytes];
    StridedViewMut::new(dtype, &mut bytes, 0, shape, strides).unwrap_err()
}

#[test]
fn what_is_no_layout_is_refused_with_the_facts() {
    use DType::{Float32, Int4x2, UInt8};
    assert_eq!(layout(UInt8, 9, &[1; 33], &[0; 33]), LayoutError::Dimensions { given: 33 });
    assert_eq!(layout(UInt8, 9, &[2], &[]), LayoutError::Strides { dimensions: 1, given: 0 });
    let elements = |dimension, len, before| LayoutError::Elements { dimension, len, before };
    assert_eq!(layout(UInt8, 9, &[usize::MAX, 3, 0], &[0; 3]), elements(1, 3, usize::MAX));
    let many = layout(UInt8, 9, &[5, 0, 1, usize::MAX / 4, 7], &[0; 5]);
    assert_eq!(many, elements(3, usize::MAX / 4, 5));
    let text = format!(
        "counted: 5 times {} in the dimensions up to 3, those of length 0 left out",
        usize::MAX / 4
    );
    assert!(many.to_string().ends_with(&text), "{many}");
    let far = layout(Float32, 9, &[3], &[isize::MAX]);
    assert!(matches!(far, LayoutError::Outside { first: 0, bytes: 9, .. }), "{far:?}");
    let all = layout(UInt8, 9, &[usize::MAX], &[isize::MIN]);
    assert!(matches!(all, LayoutError::Outside { .. }), "{all:?}");
    // Overlapping: repeated, too close, and one within the reach of others.
    let overlap = |dimension, stride, reach| LayoutError::Overlap { dimension, stride, reach };
    assert_eq!(layout(UInt8, 9, &[3], &[0]), overlap(0, 0, 1));
    assert_eq!(layout(Float32, 99, &[3], &[3]), overlap(0, 3, 4));
    assert_eq!(layout(UInt8, 99, &[3, 4], &[3, 1]), overlap(0, 3, 4));
    assert_eq!(layout(Int4x2, 99, &[3, 5], &[2, 1]), overlap(0, 2, 3));
    assert_eq!(
        layout(Int4x2, 99, &[3, 5], &[3, 2]),
        LayoutError::PackedStride { dtype: Int4x2, stride: 2 }
    );
    let mut bytes = [0; 99];
    assert_eq!(
        StridedViewMut::contiguous(Int4x2, &mut bytes, &[3, 5]).unwrap_err(),
        LayoutError::PackedRow { dtype: Int4x2, elements: 5 }
    );
    assert!(StridedViewMut::contiguous(Int4x2, &mut bytes, &[1, 5]).is_ok());
    // Where there are no elements they lie as they may.
    assert!(StridedViewMut::contiguous(Int4x2, &mut bytes, &[2, 0, 3]).is_ok());
    assert!(StridedViewMut::new(Int4x2, &mut bytes, 0, &[0, 3], &[3, 2]).is_ok());
    assert!(StridedViewMut::contiguous(Int4x2, &mut bytes, &[3, 6]).is_ok());
    assert!(StridedViewMut::contiguous(UInt8, &mut bytes, &[33, 3]).is_ok());
    assert!(StridedViewMut::contiguous(UInt8, &mut bytes, &[34, 3]).is_err());
    let huge = StridedView::contiguous(UInt8, &bytes, &[usize::MAX / 2, 2]).unwrap_err();
    assert!(matches!(huge, LayoutError::Outside { .. }), "{huge:?}");
}

/// Of memory that nothing is written to there is but one page.
#[test]
fn sizes_are_right_where_bits_are_more_than_a_word_counts() {
    const HALF: usize = 1 << 29;
    let bytes = vec![0u8; 2 * HALF];
    let row = |dtype, bytes, len| StridedView::new(dtype, bytes, 0, &[len], &[1]);
    let half = &bytes[..HALF];
    let held = row(DType::Int4x2, half, 2 * HALF).unwrap();
    assert_eq!((held.code(2 * HALF - 1), held.code(2 * HALF)), (Some(0), None));
    for (dtype, elements) in
        [(DType::Int4x2, 4 * HALF), (DType::Int4x2, 2 * HALF + 1), (DType::Float6E2M3FnX4, HALF)]
    {
        let needed = dtype.bytes_for(elements).unwrap();
        let refused = row(dtype, &bytes[..needed - 1], elements).map(drop).unwrap_err();
        let end = needed as i128;
        assert_eq!(refused, LayoutError::Outside { first: 0, end, bytes: needed - 1 });
        assert!(row(dtype, &bytes[..needed], elements).is_ok());
    }
    let rows = StridedView::contiguous(DType::UInt8, &bytes, &[2, HALF]).unwrap();
    assert_eq!((rows.code(2 * HALF - 1), rows.code(2 * HALF)), (Some(0), None));
    let refused = StridedView::contiguous(DType::Float32, half, &[2, HALF / 8 + 1]).map(drop);
    let (first, end) = (0, (HALF + 8) as i128);
    assert_eq!(refused, Err(LayoutError::Outside { first, end, bytes: HALF }));
}

#[test]
fn views_that_a_cast_is_not_for_are_refused() {
    let cast = Cast::new(DType::Float32, DType::UInt8, CastOptions::new()).unwrap();
    let (src, mut dst) = ([0; 24], [7; 6]);
    let floats = StridedView::contiguous(DType::Float32, &src, &[2, 3]).unwrap();
    let mut bytes = StridedViewMut::contiguous(DType::Int8, &mut dst, &[2, 3]).unwrap();
    let error = cast.run_strided(&floats, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "dst is a view of int8, not of uint8 as the cast has it");
    let mut bytes = StridedViewMut::contiguous(DType::UInt8, &mut dst, &[3, 2]).unwrap();
    let error = cast.run_strided(&floats, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "the source has the shape [2, 3], the destination [3, 2]");
    assert_eq!(dst, [7; 6]);
}

#[test]
fn an_unfit_element_is_told_with_its_value_and_place_in_the_shape() {
    let options = CastOptions::new().overflow(Overflow::Error);
    let cast = Cast::new(DType::Float32, DType::UInt8, options).unwrap();
    let columns: Vec<u8> =
        [1.0f32, 2.0, 3.0, -5.0, 300.0, 6.0].into_iter().flat_map(f32::to_ne_bytes).collect();
    // Row-major order is 1, 3, 300, 2, -5, 6.
    let src = StridedView::new(DType::Float32, &columns, 0, &[2, 3], &[4, 8]).unwrap();
    let mut bytes = [0; 6];
    let mut dst = StridedViewMut::contiguous(DType::UInt8, &mut bytes, &[2, 3]).unwrap();
    let error = cast.run_strided(&src, &mut dst).unwrap_err();
    assert!(matches!(error, CastError::Unfit { index: 2, .. }), "{error}");
    assert_eq!(error.to_string(), "element 2 of float32, 300, does not fit uint8");
    assert_eq!(bytes[..2], [1, 3]);
}
