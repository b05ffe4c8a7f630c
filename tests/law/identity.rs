//! "One rounding", and "a dtype to itself keeps every number, infinity and NaN bit whatever the
//! options".

use crate::cases::{cast, real_dtypes};
use crate::support::dtypes::{COMPLEX, complex, num, width};
use crate::support::options::every_option;
use crate::support::random::Random;
use simdcast_kernels::DType;

#[test]
fn float64_to_float8_e4m3fn_is_rounded_once() {
    cast(DType::Float64, DType::Float8E4M3Fn).maps(-431.99999999999994, -416.0);
}

#[test]
fn float64_to_bfloat16_is_rounded_once() {
    let value = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
    cast(DType::Float64, DType::BFloat16).maps(value, 1.0078125);
}

#[test]
fn int64_to_bfloat16_is_rounded_once() {
    cast(DType::Int64, DType::BFloat16).maps(16973823.0, 16908288.0);
}

#[test]
fn a_dtype_to_itself_keeps_every_bit_under_every_option() {
    for dtype in real_dtypes() {
        let width = width(dtype);
        let codes: Vec<u128> = if width <= 16 {
            (0..1 << width).collect()
        } else {
            let mut random = Random::new(2);
            let mask = u128::MAX >> (128 - width);
            // Random bits, and NaNs of all kinds: the top bits set, the others random.
            let any = (0..500).map(|_| u128::from(random.bits()) & mask).collect::<Vec<_>>();
            let top = mask ^ mask >> 13;
            any.iter().copied().chain(any.iter().map(|code| code | top)).collect()
        };
        let cases: Vec<_> = codes.into_iter().map(|code| (code, code)).collect();
        let effective = every_option().step_by(if width > 8 { 5 } else { 1 });
        for options in effective {
            cast(dtype, dtype).options(options).anywhere(&cases);
        }
    }
}

#[test]
fn a_complex_dtype_to_itself_keeps_every_bit_under_every_option() {
    for (dtype, of) in COMPLEX {
        let mut random = Random::new(3);
        let mask = u128::MAX >> (128 - width(of));
        let any = |random: &mut Random| u128::from(random.bits()) & mask;
        let mut codes: Vec<_> =
            (0..300).map(|_| complex(dtype, any(&mut random), any(&mut random))).collect();
        let signalling = num(of, f64::from(1u8)) | mask >> 5;
        codes.extend([complex(dtype, signalling, mask), complex(dtype, mask ^ mask >> 9, 1)]);
        let cases: Vec<_> = codes.into_iter().map(|code| (code, code)).collect();
        for options in every_option() {
            cast(dtype, dtype).options(options).anywhere(&cases);
        }
    }
}

/// The component's format stays: nothing quiets a NaN on the way into or out of a complex number.
#[test]
fn a_component_whose_format_stays_is_copied() {
    for (dtype, of) in COMPLEX {
        let format = crate::support::floats::format(of);
        let signalling = u128::from(format.infinity.expect("wide") | 1);
        let code = complex(dtype, signalling, 0);
        for options in every_option() {
            cast(of, dtype).options(options).anywhere(&[(signalling, code)]);
            cast(dtype, of).options(options).anywhere(&[(code, signalling)]);
        }
    }
    cast(DType::Float32, DType::Complex64).gives(0xff80_0001, 0xff80_0001);
}
