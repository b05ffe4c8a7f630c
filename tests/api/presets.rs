//! What the presets give for pairs that the systems treat unlike each other.

use super::{dynamic, support::noise};
use simdcast::{Cast, CastOptions, DType, OnnxRounding, cast, cast_vec, cast_vec_with};

/// A function for each pair and for the numbers: in one, the compiler would take a minute to look at all of them.
macro_rules! as_pairs {
    ([$($from:ident)*] $to:tt) => { $(as_pairs!(@from $from $to);)* };
    (@from $from:ident [$($to:ident)*]) => {{
        #[inline(never)]
        fn numbers() -> Vec<$from> {
            (0..64)
                .flat_map(|shift| {
                    let near = |d: u64| $from::from_ne_bytes(low((1u64 << shift).wrapping_add(d)));
                    [near(0), near(1), near(!0), $from::from_ne_bytes(low(noise(shift)))]
                })
                .chain([1e10, -1e10, -0.5, 255.9, -128.9, 65535.5, f64::INFINITY, f64::NAN]
                    .map(|number| number as $from))
                .collect()
        }
        let numbers = numbers();
        $({
            #[inline(never)]
            fn casts_as_rust(numbers: &[$from]) {
                let options = CastOptions::rust_as(DType::of::<$from>(), DType::of::<$to>());
                let results = cast_vec_with::<$from, $to>(numbers, &options).unwrap();
                for (&number, result) in numbers.iter().zip(results) {
                    let right = number as $to;
                    let same = right.to_ne_bytes() == result.to_ne_bytes();
                    // Rust leaves open which NaN it is.
                    let nans = right as f64 != right as f64 && result as f64 != result as f64;
                    assert!(same || nans, "{number} as {}: {result}, not {right}", stringify!($to));
                }
                for (&number, among_others) in numbers.iter().zip(cast_vec::<$from, $to>(numbers)) {
                    let mut alone = [$to::default()];
                    cast(&[number], &mut alone).unwrap();
                    let [right, alone] = [among_others, alone[0]].map(|one| one.to_ne_bytes());
                    assert_eq!(alone, right, "{number} alone to {}", stringify!($to));
                }
            }
            casts_as_rust(&numbers);
        })*
    }};
}

/// The low bytes of a number.
fn low<const N: usize>(number: u64) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.iter_mut().enumerate().for_each(|(i, byte)| *byte = (number >> (8 * i)) as u8);
    bytes
}

#[test]
fn rust_as_is_what_as_does() {
    as_pairs! {
        [i8 i16 i32 i64 u8 u16 u32 u64 f32 f64] [i8 i16 i32 i64 u8 u16 u32 u64 f32 f64]
    }
}

/// What a preset makes of float64 numbers, as float64s.
fn preset(to: DType, options: CastOptions, numbers: &[f64]) -> Vec<String> {
    let stored = dynamic(numbers, to, options);
    let mut back = vec![0.0f64; numbers.len()];
    let widen = Cast::new(to, DType::Float64, CastOptions::new()).unwrap();
    widen.run_n(&stored, bytemuck::cast_slice_mut(&mut back), numbers.len()).unwrap();
    back.iter().map(f64::to_string).collect()
}

#[test]
fn onnx_saturates_if_told_and_wraps_its_small_integers() {
    use OnnxRounding::{Down, Nearest, Up};
    let onnx = |to, saturate, mode, numbers: &[f64]| {
        preset(to, CastOptions::onnx(DType::Float64, to, saturate, mode), numbers)
    };
    let large = [500.0, f64::INFINITY, -1e9, f64::NAN];
    assert_eq!(onnx(DType::Float8E4M3Fn, true, Up, &large), ["448", "448", "-448", "NaN"]);
    assert_eq!(onnx(DType::Float8E4M3Fn, false, Up, &large), ["NaN", "NaN", "NaN", "NaN"]);
    assert_eq!(onnx(DType::Float8E5M2, false, Up, &large), ["512", "inf", "-inf", "NaN"]);
    assert_eq!(onnx(DType::Float16, true, Up, &[1e9, 2047.5]), ["inf", "2048"]);
    for to in [DType::Int4, DType::Int4x2] {
        assert_eq!(onnx(to, true, Up, &[7.9, 9.0, -9.0, 25.0]), ["7", "-7", "7", "-7"]);
    }
    assert_eq!(onnx(DType::UInt2x4, true, Up, &[5.0, -1.0]), ["1", "3"]);
    assert_eq!(onnx(DType::UInt8, true, Up, &[300.0, -1.0]), ["255", "0"]);
    for (mode, right) in
        [(Up, ["2", "2", "2"]), (Down, ["1", "1", "1"]), (Nearest, ["1", "2", "2"])]
    {
        assert_eq!(onnx(DType::Float8E8M0Fnu, true, mode, &[1.4, 1.5, 1.6]), right);
    }
    assert_eq!(onnx(DType::Float8E8M0Fnu, false, Up, &[0.0]), ["NaN"]);
    assert_eq!(OnnxRounding::default(), Up);
}

#[test]
fn numpy_and_ml_dtypes_keep_low_bits_and_do_not_saturate() {
    let presets = [CastOptions::numpy, CastOptions::ml_dtypes];
    for of in presets {
        let of = |to, numbers: &[f64]| preset(to, of(DType::Float64, to), numbers);
        assert_eq!(of(DType::UInt8, &[300.7, -1.0, f64::NAN, 1e10]), ["44", "255", "0", "0"]);
        assert_eq!(of(DType::Int4, &[7.9, 9.0, -9.0]), ["7", "-7", "7"]);
        assert_eq!(of(DType::Float8E4M3Fn, &[464.0, 465.0, -1e9]), ["448", "NaN", "NaN"]);
        assert_eq!(of(DType::Float8E5M2, &[1e9, -1e9]), ["inf", "-inf"]);
        assert_eq!(of(DType::Float4E2M1Fn, &[1e9, -1e9]), ["6", "-6"]);
        assert_eq!(of(DType::Float16, &[65519.0, 65520.0]), ["65504", "inf"]);
        assert_eq!(of(DType::Bool, &[0.0, 0.1]), ["0", "1"]);
    }
    let [numpy, ml_dtypes] = presets.map(|of| {
        preset(DType::Float8E8M0Fnu, of(DType::Float64, DType::Float8E8M0Fnu), &[1.4, 1.5])
    });
    assert_eq!((numpy, ml_dtypes), (vec!["2".into(), "2".into()], vec!["1".into(), "2".into()]));
    let rust = CastOptions::rust_as(DType::Float64, DType::UInt8);
    assert_eq!(preset(DType::UInt8, rust, &[300.7, -1.0, f64::NAN]), ["255", "0", "0"]);
}
