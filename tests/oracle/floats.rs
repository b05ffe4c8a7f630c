//! Every pair of float16, bfloat16, float32, float64, float8_e5m2 and float8_e4m3fn.

use crate::grid::MODES;
use crate::ieee::{Known, Wanted, from_float};
use crate::points;
use rustc_apfloat::ieee::{
    BFloatS, DoubleS, Float8E4M3FNS, Float8E5M2S, HalfS, IeeeFloat, SingleS,
};
use rustc_apfloat::{FloatConvert, Round};
use simdcast_kernels::reference::cast;
use simdcast_kernels::{DType, Options, Overflow, Rounding};

const RANDOM: usize = 300_000;

/// Compares one cast under every option that can matter.
fn compare(from: DType, to: DType, code: u128, rounding: Rounding, wanted: &Wanted) {
    let plain = Options { rounding, saturate: false, ..Options::DEFAULT };
    let saturated = Options { saturate: true, ..plain };
    let checked = Options { overflow: Overflow::Error, ..saturated };
    let found = Wanted {
        saturated: cast(from, to, code, &saturated, 0).expect("nothing is refused"),
        plain: cast(from, to, code, &plain, 0).expect("nothing is refused"),
        checked: cast(from, to, code, &checked, 0),
    };
    assert_eq!(&found, wanted, "{from} -> {to}, {code:#x}, {rounding:?}");
}

fn compare_all<S: Known, T: Known>(codes: &[u64])
where
    IeeeFloat<S>: FloatConvert<IeeeFloat<T>> + FloatConvert<IeeeFloat<T::Unbounded>>,
{
    for &code in codes {
        let code = u128::from(code);
        for (rounding, round) in MODES {
            let wanted = from_float::<S, T>(code, round);
            compare(S::DTYPE, T::DTYPE, code, rounding, &wanted);
            if round == Round::NearestTiesToEven {
                // "To a float. Rounded to nearest, ties to even, unless `rounding` says otherwise."
                compare(S::DTYPE, T::DTYPE, code, Rounding::Default, &wanted);
            }
        }
    }
}

/// A small source: every code.
macro_rules! every_code {
    ($name:ident, $source:ty, $last:literal, $($target:ty),*) => {
        #[test]
        fn $name() {
            let codes: Vec<u64> = (0..=$last).collect();
            $(compare_all::<$source, $target>(&codes);)*
        }
    };
}
every_code!(every_float8_e5m2, Float8E5M2S, 0xff, Float8E4M3FNS, HalfS, BFloatS, SingleS, DoubleS);
every_code!(
    every_float8_e4m3fn,
    Float8E4M3FNS,
    0xff,
    Float8E5M2S,
    HalfS,
    BFloatS,
    SingleS,
    DoubleS
);
every_code!(every_float16, HalfS, 0xffff, Float8E5M2S, Float8E4M3FNS, BFloatS, SingleS, DoubleS);
every_code!(every_bfloat16, BFloatS, 0xffff, Float8E5M2S, Float8E4M3FNS, HalfS, SingleS, DoubleS);

/// A large source: what is about the destination's boundaries, and random codes.
macro_rules! boundaries {
    ($($name:ident, $source:ty => $target:ty;)*) => {$(
        #[test]
        fn $name() {
            let codes = points::around(<$source>::DTYPE, <$target>::DTYPE, RANDOM);
            compare_all::<$source, $target>(&codes);
        }
    )*};
}
boundaries! {
    float32_to_float8_e5m2, SingleS => Float8E5M2S;
    float32_to_float8_e4m3fn, SingleS => Float8E4M3FNS;
    float32_to_float16, SingleS => HalfS;
    float32_to_bfloat16, SingleS => BFloatS;
    float32_to_float64, SingleS => DoubleS;
    float64_to_float8_e5m2, DoubleS => Float8E5M2S;
    float64_to_float8_e4m3fn, DoubleS => Float8E4M3FNS;
    float64_to_float16, DoubleS => HalfS;
    float64_to_bfloat16, DoubleS => BFloatS;
    float64_to_float32, DoubleS => SingleS;
}

/// "A dtype to itself keeps every number, infinity and NaN bit whatever the options."
#[test]
fn a_format_to_itself_keeps_its_bits() {
    let keeps = |dtype, codes: &mut dyn Iterator<Item = u64>| {
        for code in codes.map(u128::from) {
            for options in crate::support::options::every_option() {
                assert_eq!(cast(dtype, dtype, code, &options, 0), Ok(code), "{dtype} {code:#x}");
            }
        }
    };
    keeps(DType::Float8E5M2, &mut (0..=0xff));
    keeps(DType::Float8E4M3Fn, &mut (0..=0xff));
    keeps(DType::Float16, &mut (0..=0xffff));
    keeps(DType::BFloat16, &mut (0..=0xffff));
    for dtype in [DType::Float32, DType::Float64] {
        keeps(dtype, &mut points::around(dtype, DType::Float8E4M3Fn, 1000).into_iter());
    }
}
