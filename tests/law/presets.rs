//! "Presets are functions of the pair": `rust_as` and `onnx` are the defaults (onnx takes `saturate`
//! and its `round_mode`, which is for e8m0 alone; 4- and 2-bit integers want `Wrap`), `numpy` is
//! `Wrap` with saturate false, `ml_dtypes` is `Wrap`, saturate false, nearest for e8m0.

use crate::support::dtypes::component;
use simdcast::{CastOptions, OnnxRounding};
use simdcast_kernels::{DType, Options, Overflow, Rounding};

fn every_pair() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.into_iter().flat_map(|from| DType::ALL.into_iter().map(move |to| (from, to)))
}

fn is_e8m0(dtype: DType) -> bool {
    dtype == DType::Float8E8M0Fnu
}

const WRAPS: Options = Options { overflow: Overflow::Wrap, saturate: false, ..Options::DEFAULT };

#[test]
fn rust_as_is_the_default() {
    for (from, to) in every_pair() {
        assert_eq!(CastOptions::rust_as(from, to), CastOptions::new());
    }
    assert_eq!(*CastOptions::new().as_options(), Options::DEFAULT);
    let Options { overflow, saturate, rounding, first_index } = Options::DEFAULT;
    assert_eq!((overflow, saturate), (Overflow::As, true));
    assert_eq!((rounding, first_index), (Rounding::Default, 0));
}

#[test]
fn numpy_wraps_and_does_not_saturate() {
    for (from, to) in every_pair() {
        assert_eq!(*CastOptions::numpy(from, to).as_options(), WRAPS, "{from} -> {to}");
    }
}

#[test]
fn ml_dtypes_is_numpy_with_the_nearest_power() {
    for (from, to) in every_pair() {
        let nearest = Options { rounding: Rounding::NearestEven, ..WRAPS };
        let wanted = if is_e8m0(to) { nearest } else { WRAPS };
        assert_eq!(*CastOptions::ml_dtypes(from, to).as_options(), wanted, "{from} -> {to}");
    }
}

#[test]
fn onnx_is_the_default_but_for_e8m0_and_the_narrow_integers() {
    let modes = [
        (OnnxRounding::Up, Rounding::Up),
        (OnnxRounding::Down, Rounding::Down),
        (OnnxRounding::Nearest, Rounding::NearestEven),
    ];
    for (from, to) in every_pair() {
        for saturate in [true, false] {
            for (mode, rounding) in modes {
                let mut wanted = Options { saturate, ..Options::DEFAULT };
                if is_e8m0(to) {
                    wanted.rounding = rounding;
                }
                if [DType::Int4, DType::UInt4, DType::Int2, DType::UInt2].contains(&component(to)) {
                    wanted.overflow = Overflow::Wrap;
                }
                let found = CastOptions::onnx(from, to, saturate, mode);
                assert_eq!(*found.as_options(), wanted, "{from} -> {to}");
            }
        }
    }
}
