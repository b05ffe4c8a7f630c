//! Destinations whose elements lie between each other as those of no slice of an array do: which of them are refused, against
//! all pairs of elements, and what is cast into the others.

mod support;

use proptest::prelude::*;
use simdcast::{Cast, CastOptions, DType, LayoutError, StridedView, StridedViewMut};
use support::noise;

/// Where the elements of a shape start, and how long they are; or its packed rows.
fn places(dtype: DType, shape: &[usize], strides: &[isize]) -> (Vec<isize>, isize) {
    let (mut shape, mut unit) = (shape, dtype.size().unwrap_or(1));
    if dtype.is_packed()
        && let Some((last, outer)) = shape.split_last()
    {
        (shape, unit) = (outer, dtype.bytes_for(*last).unwrap());
    }
    let mut starts = vec![0];
    for (&len, &stride) in shape.iter().zip(strides) {
        let along = |start| (0..len as isize).map(move |i| start + i * stride);
        starts = starts.into_iter().flat_map(along).collect();
    }
    (starts, unit as isize)
}

/// Whether any two of them share a byte.
fn overlap(starts: &[isize], unit: isize) -> bool {
    let mut sorted = starts.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[1] - pair[0] < unit)
}

/// Bytes of a buffer that holds them, and where the first starts in it.
fn room(starts: &[isize], unit: isize) -> (usize, usize) {
    let (least, most) = (starts.iter().min().unwrap(), starts.iter().max().unwrap());
    ((most - least + unit) as usize, -least as usize)
}

fn layout() -> impl Strategy<Value = (Vec<usize>, Vec<isize>)> {
    let dimensions = prop_oneof![
        (1..4usize, Just(7usize), Just(40isize)),
        (2..6usize, Just(3usize), Just(90isize)),
        (2..3usize, Just(70usize), Just(300isize)),
    ];
    dimensions.prop_flat_map(|(count, len, stride)| {
        let strides = prop::collection::vec(-stride..stride, count);
        (prop::collection::vec(1..=len, count), strides)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_destination_is_refused_if_elements_overlap(
        (shape, mut strides) in layout(),
        dtype in prop::sample::select(vec![DType::UInt8, DType::Int16, DType::Float32, DType::Int4x2]),
    ) {
        if dtype.is_packed() {
            *strides.last_mut().unwrap() = 1;
        }
        let (starts, unit) = places(dtype, &shape, &strides);
        let (bytes, offset) = room(&starts, unit);
        let mut memory = vec![0; bytes];
        let view = StridedViewMut::new(dtype, &mut memory, offset, &shape, &strides).map(drop);
        let refused = matches!(view, Err(LayoutError::Overlap { .. }));
        prop_assert_eq!(refused, overlap(&starts, unit), "{:?}", view);
        prop_assert!(refused || view.is_ok(), "{:?}", view);
    }
}

/// Shapes and strides in bytes of one element's.
const INTERLEAVED: [(&[usize], &[isize]); 7] = [
    (&[3, 2], &[2, 3]),
    (&[2, 3], &[-3, 2]),
    (&[5, 4], &[4, 5]),
    (&[90, 71], &[71, 90]),
    (&[2, 200], &[199, 2]),
    (&[3, 2, 50], &[2, 3, 300]),
    (&[20, 2, 3, 10], &[300, -3, 2, 12]),
];

#[test]
fn what_lies_between_each_other_is_cast_to_where_it_lies() {
    let pairs = [
        (DType::Float32, DType::UInt8),
        (DType::UInt8, DType::Float32),
        (DType::Int16, DType::Int16),
        (DType::Float64, DType::Complex128),
    ];
    for (from, to) in pairs {
        let (size, step) = (from.size().unwrap(), to.size().unwrap());
        for (shape, strides) in INTERLEAVED {
            let strides: Vec<_> = strides.iter().map(|stride| stride * step as isize).collect();
            let (starts, unit) = places(to, shape, &strides);
            assert!(!overlap(&starts, unit), "{shape:?}, {strides:?}");
            let n = starts.len();
            let source: Vec<u8> = (0..n * size).map(|i| noise(i as u64) as u8).collect();
            let cast = Cast::new(from, to, CastOptions::new()).unwrap();
            let mut flat = vec![0; n * step];
            cast.run(&source, &mut flat).unwrap();
            let (bytes, offset) = room(&starts, unit);
            let mut right = vec![0x5a; bytes];
            for (start, element) in starts.iter().zip(flat.chunks(step)) {
                right[(offset as isize + start) as usize..][..step].copy_from_slice(element);
            }
            let mut memory = vec![0x5a; bytes];
            let view = StridedView::contiguous(from, &source, shape).unwrap();
            let mut target = StridedViewMut::new(to, &mut memory, offset, shape, &strides).unwrap();
            cast.run_strided(&view, &mut target).unwrap();
            assert_eq!(memory, right, "{from} -> {to}: {shape:?}, {strides:?}");
        }
    }
}

/// Dimensions 0 and 1 lie between each other, and overlap nothing.
#[test]
fn the_dimension_that_overlaps_is_told() {
    let mut memory = [0; 20];
    let view = StridedViewMut::new(DType::UInt8, &mut memory, 0, &[3, 2, 2], &[2, 3, 5]);
    let error = view.map(drop).unwrap_err();
    assert_eq!(error, LayoutError::Overlap { dimension: 2, stride: 5, reach: 8 });
}

/// Of 16 dimensions, each step a power of two longer than another, no two ways are the same; but there are millions.
#[test]
fn what_takes_too_long_to_tell_is_refused_as_that() {
    let strides: Vec<isize> = (0..16).map(|i| (1 << 17) + (1 << i)).collect();
    let mut memory = vec![0; (16 << 17) + (1 << 16)];
    let view = StridedViewMut::new(DType::UInt8, &mut memory, 0, &[2; 16], &strides);
    let error = view.map(drop).unwrap_err();
    let (dimension, stride, reach) = (12, (1 << 17) + (1 << 12), (12 << 17) + (1 << 12));
    assert_eq!(error, LayoutError::Unclear { dimension, stride, reach });
    let text = "it takes too long to tell whether elements of the destination overlap: the stride of \
                dimension 12 is 135168, while what it steps over takes 1576960 bytes";
    assert_eq!(error.to_string(), text);
}
