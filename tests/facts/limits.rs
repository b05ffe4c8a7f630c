//! `finfo` and `iinfo` against those of NumPy 2.4.6 and ml_dtypes 0.6.0, as these print them.

use crate::support::dtypes::{COMPLEX, Numbers, PACKED, ROWS};
use crate::support::floats::{Class, FORMATS};
use simdcast_kernels::DType;

/// dtype bits eps min max smallest_normal smallest_subnormal
const FIGURES: &str = "
int8 8 - -128 127 - -
int16 16 - -32768 32767 - -
int32 32 - -2147483648 2147483647 - -
int64 64 - -9223372036854775808 9223372036854775807 - -
uint8 8 - 0 255 - -
uint16 16 - 0 65535 - -
uint32 32 - 0 4294967295 - -
uint64 64 - 0 18446744073709551615 - -
float16 16 0.0009765625 -65504.0 65504.0 6.103515625e-05 5.960464477539063e-08
float32 32 1.1920928955078125e-07 -3.4028234663852886e+38 3.4028234663852886e+38 1.1754943508222875e-38 1.401298464324817e-45
float64 64 2.220446049250313e-16 -1.7976931348623157e+308 1.7976931348623157e+308 2.2250738585072014e-308 5e-324
int1 1 - -1 0 - -
int2 2 - -2 1 - -
int4 4 - -8 7 - -
uint1 1 - 0 1 - -
uint2 2 - 0 3 - -
uint4 4 - 0 15 - -
float4_e2m1fn 4 0.5 -6.0 6.0 1.0 0.5
float6_e2m3fn 6 0.125 -7.5 7.5 1.0 0.125
float6_e3m2fn 6 0.25 -28.0 28.0 0.25 0.0625
float8_e3m4 8 0.0625 -15.5 15.5 0.25 0.015625
float8_e4m3 8 0.125 -240.0 240.0 0.015625 0.001953125
float8_e4m3b11fnuz 8 0.125 -30.0 30.0 0.0009765625 0.0001220703125
float8_e4m3fn 8 0.125 -448.0 448.0 0.015625 0.001953125
float8_e4m3fnuz 8 0.125 -240.0 240.0 0.0078125 0.0009765625
float8_e5m2 8 0.25 -57344.0 57344.0 6.103515625e-05 1.52587890625e-05
float8_e5m2fnuz 8 0.25 -57344.0 57344.0 3.0517578125e-05 7.62939453125e-06
float8_e8m0fnu 8 1.0 5.877471754111438e-39 1.7014118346046923e+38 5.877471754111438e-39 5.877471754111438e-39
bfloat16 16 0.0078125 -3.3895313892515355e+38 3.3895313892515355e+38 1.1754943508222875e-38 9.183549615799121e-41
";

fn rows() -> impl Iterator<Item = (DType, Vec<&'static str>)> {
    FIGURES.trim().lines().map(|line| {
        let mut words = line.split(' ');
        let dtype = words.next().expect("a name").parse().expect("a known name");
        (dtype, words.collect())
    })
}

#[test]
fn the_figures_of_numpy_and_ml_dtypes() {
    let mut seen = 0;
    for (dtype, words) in rows() {
        let [bits, eps, min, max, normal, subnormal] = words[..] else {
            panic!("{dtype}: {words:?}");
        };
        seen += 1;
        if eps == "-" {
            let info = dtype.iinfo().expect("an integer");
            assert_eq!(dtype.finfo(), None, "{dtype}");
            let found = [info.bits.to_string(), info.min.to_string(), info.max.to_string()];
            assert_eq!(found, [bits, min, max], "{dtype}");
        } else {
            let info = dtype.finfo().expect("a float");
            assert_eq!(dtype.iinfo(), None, "{dtype}");
            assert_eq!(info.bits.to_string(), bits, "{dtype}");
            let found =
                [info.eps, info.min, info.max, info.smallest_normal, info.smallest_subnormal];
            let wanted =
                [eps, min, max, normal, subnormal].map(|word| word.parse().expect("a number"));
            assert_eq!(found.map(f64::to_bits), wanted.map(f64::to_bits), "{dtype}");
        }
    }
    assert_eq!(seen, 29, "every integer and float dtype that is not packed");
}

#[test]
fn a_packed_dtype_has_the_limits_of_its_numbers_and_a_complex_one_those_of_its_components() {
    for (dtype, of) in PACKED.into_iter().chain(COMPLEX) {
        assert_eq!(dtype.finfo(), of.finfo(), "{dtype}");
        assert_eq!(dtype.iinfo(), of.iinfo(), "{dtype}");
    }
}

#[test]
fn bool_has_none() {
    for row in ROWS.iter().filter(|row| row.numbers == Numbers::Bool) {
        assert_eq!((row.dtype.finfo(), row.dtype.iinfo()), (None, None), "{}", row.name);
    }
}

#[test]
fn the_shape_of_every_float_format() {
    for format in &FORMATS {
        let info = format.dtype.finfo().expect("a float");
        let sign = u32::from(format.sign != 0);
        assert_eq!(info.mantissa_bits, format.fraction, "{}", format.dtype);
        assert_eq!(info.exponent_bits + info.mantissa_bits + sign, info.bits, "{}", format.dtype);
        assert_eq!(info.has_infinity, format.infinity.is_some(), "{}", format.dtype);
        assert_eq!(info.has_nan, format.nan.is_some(), "{}", format.dtype);
        let minus_zero = !matches!(format.class, Class::Fnuz | Class::Power);
        assert_eq!(info.has_negative_zero, minus_zero, "{}", format.dtype);
    }
}
