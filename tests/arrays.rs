//! Casts of `ndarray`'s arrays, of all layouts, against element by element.
#![cfg(feature = "ndarray")]

use ndarray::{Array, Array2, Array3, ArrayD, ArrayView, Axis, Dimension, IxDyn, arr0, array, s};
use num_complex::Complex;
use proptest::prelude::*;
use simdcast::{
    CastArray, CastError, CastOptions, DType, Element, Float8E4M3Fn, LayoutError, Overflow,
    Rounding, cast_vec, cast_vec_with,
};
use std::fmt::Debug;
use std::ops::Range;

/// What a cast must be, by way of row-major order.
fn right<D: Dimension>(source: ArrayView<'_, f32, D>, options: &CastOptions) -> Array<i16, D> {
    let flat: Vec<f32> = source.iter().copied().collect();
    Array::from_shape_vec(source.raw_dim(), cast_vec_with(&flat, options).unwrap()).unwrap()
}

fn check<D: Dimension>(source: ArrayView<'_, f32, D>) {
    for rounding in [Rounding::Default, Rounding::Stochastic { seed: 4 }] {
        let options = CastOptions::new().rounding(rounding);
        let right = right(source.view(), &options);
        assert_eq!(source.cast_to_with::<i16>(&options).unwrap(), right);
        #[cfg(feature = "rayon")]
        assert_eq!(source.par_cast_to_with::<i16>(&options).unwrap(), right);
        let mut target = Array::from_elem(source.raw_dim(), 7i16);
        source.cast_into(&mut target, &options).unwrap();
        assert_eq!(target, right);
    }
    assert_eq!(source.cast_to::<bool>().unwrap(), source.map(|&value| value != 0.0));
}

fn numbers(n: usize) -> Vec<f32> {
    cast_vec(&(0..n as i64).map(|i| i * 7919 % 2001 - 1000).collect::<Vec<_>>())
}

#[test]
fn arrays_of_all_layouts() {
    let cube = Array::from_shape_vec((7, 30, 41), numbers(7 * 30 * 41)).unwrap() * 0.5;
    check(cube.view());
    check(cube.t());
    check(cube.slice(s![1..;2, ..;-1, 3..40;5]));
    check(cube.index_axis(Axis(1), 4));
    check(cube.broadcast((3, 7, 30, 41)).unwrap());
    let mut swapped = cube.view();
    swapped.swap_axes(0, 2);
    swapped.invert_axis(Axis(1));
    check(swapped);
    check(cube.slice(s![2..2, .., ..]));
    check(arr0(2.5f32).view());
    check(cube.into_dyn().view());
}

#[test]
fn large_arrays() {
    // (More than 16 MiB of both sides, each: less is not worth two threads, as the results are a new array.)
    let square = Array2::from_shape_vec((2000, 1501), numbers(2000 * 1501)).unwrap();
    check(square.view());
    check(square.t());
    drop(square);
    let wide = Array2::from_shape_vec((1000, 9003), numbers(1000 * 9003)).unwrap();
    check(wide.slice(s![.., 1..;3]));
}

#[test]
fn column_major_arrays_stay_so() {
    let rows = Array2::from_shape_vec((3, 4), numbers(12)).unwrap();
    let columns = rows.t().cast_to::<f64>().unwrap();
    assert!(columns.t().is_standard_layout());
    assert_eq!(columns, rows.t().map(|&value| f64::from(value)));
    assert!(rows.cast_to::<u8>().unwrap().is_standard_layout());
}

#[test]
fn parts_of_an_array_are_written_to() {
    let source = array![[1.5f32, -2.5], [3.0, 1e9]];
    let mut target = Array2::<i8>::from_elem((4, 6), 9);
    let mut every_other = target.slice_mut(s![..;3, 1..5;2]);
    source.cast_into(&mut every_other, &CastOptions::new()).unwrap();
    #[cfg(feature = "rayon")]
    {
        every_other.fill(7);
        source.par_cast_into(&mut every_other, &CastOptions::new()).unwrap();
    }
    let right =
        array![[9, 1, 9, -2, 9, 9], [9, 9, 9, 9, 9, 9], [9, 9, 9, 9, 9, 9], [9, 3, 9, 127, 9, 9]];
    assert_eq!(target, right);
    let error = source.cast_into(&mut target, &CastOptions::new()).unwrap_err();
    assert_eq!(error, CastError::Shapes { src: vec![2, 2], dst: vec![4, 6] });
}

/// Casts into targets whose axes lie in any order, are reversed or not, and have gaps or not.
fn check_targets<A: Element + Copy, B: Element + Copy + PartialEq + Debug>(
    shape: [usize; 3],
    flips: Range<u8>,
) {
    let small: Vec<u8> = (0..shape.iter().product()).map(|i| (i * 37 % 101) as u8).collect();
    let source = Array3::from_shape_vec(shape, cast_vec::<u8, A>(&small)).unwrap();
    let flat: Vec<A> = source.iter().copied().collect();
    let right = Array3::from_shape_vec(shape, cast_vec::<A, B>(&flat)).unwrap();
    // (Two values to be written over: an element that is not may have the one that it was to get.)
    let one = right[[0, 1, 0]];
    let other = right.iter().copied().find(|&value| value != one).unwrap();
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (order, free) in orders.into_iter().flat_map(|order| [(order, one), (order, other)]) {
        for (flips, step) in flips.clone().flat_map(|flips| [(flips, 1), (flips, 2)]) {
            // As many elements again lie between those of the last axis in memory, and one at its end.
            let last = shape[order[2]] * step;
            let lens = [shape[order[0]], shape[order[1]], last + step - 1];
            let mut memory = Array3::from_elem(lens, free);
            let mut places = [0; 3];
            order.into_iter().enumerate().for_each(|(place, axis)| places[axis] = place);
            let every = memory.slice_mut(s![.., .., ..last;step as isize]);
            let mut target = every.permuted_axes(places);
            (0..3)
                .filter(|axis| flips >> axis & 1 == 1)
                .for_each(|axis| target.invert_axis(Axis(axis)));
            let about = format!("{} to {}, {order:?}, {flips}", A::DTYPE, B::DTYPE);
            source.cast_into(&mut target, &CastOptions::new()).unwrap();
            assert!(target == right, "{about}");
            target.fill(free);
            #[cfg(feature = "rayon")]
            {
                source.par_cast_into(&mut target, &CastOptions::new()).unwrap();
                assert!(target == right, "{about}");
                target.fill(free);
            }
            assert!(memory.iter().all(|&value| value == free), "{about}");
        }
    }
}

#[test]
fn targets_are_reversed_and_permuted() {
    for shape in [[5, 21, 34], [3, 70, 65]] {
        check_targets::<f32, half::f16>(shape, 0..8);
        check_targets::<u8, f64>(shape, 0..8);
        check_targets::<i16, i16>(shape, 0..8);
        check_targets::<f64, i8>(shape, 0..8);
        check_targets::<f32, bool>(shape, 0..8);
        check_targets::<bool, u32>(shape, 0..8);
        check_targets::<i64, Float8E4M3Fn>(shape, 0..8);
        check_targets::<Complex<f64>, Complex<f32>>(shape, 0..8);
        check_targets::<Complex<f32>, u16>(shape, 0..8);
    }
    // Enough for several threads.
    check_targets::<f32, half::f16>([40, 130, 171], 5..6);
    check_targets::<u8, i64>([3, 401, 431], 2..3);
}

#[test]
fn errors_are_told() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    let source = array![[1i32, -1], [-2, 3]];
    let error = source.t().cast_to_with::<u8>(&checked).unwrap_err();
    // The transposed array is 1, -2, -1, 3.
    assert_eq!(error.to_string(), "element 1 of int32, -2, does not fit uint8");
    let deep = ArrayD::<u8>::zeros(IxDyn(&[1; 33]));
    let error = deep.cast_to::<i8>().unwrap_err();
    assert_eq!(error, CastError::Layout(LayoutError::Dimensions { given: 33 }));
    // One number, again and again.
    let elements = isize::MAX as usize;
    let one = arr0(1f32);
    let error = one.broadcast(elements).unwrap().cast_to::<f64>().unwrap_err();
    assert_eq!(error, CastError::Memory { to: DType::Float64, elements });
    let said = format!(
        "there is no memory for {elements} elements of float64, which take more bytes than memory can hold"
    );
    assert_eq!(error.to_string(), said);
}

proptest! {
    #[test]
    fn any_slice_of_a_cube(
        shape in (1..9usize, 1..40usize, 1..70usize),
        steps in (1..4isize, 1..3isize, 1..5isize),
        flips in (any::<bool>(), any::<bool>(), any::<bool>()),
        axes in Just([0usize, 1, 2]).prop_shuffle(),
    ) {
        let cube = Array::from_shape_vec(shape, numbers(shape.0 * shape.1 * shape.2)).unwrap();
        let mut view = cube.slice(s![..;steps.0, ..;steps.1, ..;steps.2]);
        for (axis, flip) in [flips.0, flips.1, flips.2].into_iter().enumerate() {
            if flip {
                view.invert_axis(Axis(axis));
            }
        }
        check(view.permuted_axes(axes));
    }
}
