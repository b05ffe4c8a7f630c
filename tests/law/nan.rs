//! "NaN gives NaN with its sign, and so does an overflow that ends in NaN, where the format's NaN
//! has a sign."

use crate::cases::cast;
use crate::support::floats::{Class, FORMATS, Format, format};
use crate::support::options::{FIXED_ROUNDINGS, OVERFLOWS};
use simdcast_kernels::{DType, Options, Overflow};

/// Every NaN of an 8-bit format; of a wide one quiet and signalling ones, payloads at either end.
fn nans(format: &Format) -> Vec<u64> {
    if format.sign <= 0x80 {
        return (0..=0xff).filter(|code| format.is_nan(*code)).collect();
    }
    let infinity = format.infinity.expect("wide formats have infinities");
    let quiet = 1 << (format.fraction - 1);
    let all = (1 << format.fraction) - 1;
    let fractions = [1, quiet - 1, quiet, quiet | 1, quiet | quiet >> 1, quiet >> 1, all];
    fractions
        .into_iter()
        .flat_map(|fraction| [infinity | fraction, infinity | fraction | format.sign])
        .collect()
}

/// Whether a NaN's code says that it is negative: "a fnuz or e8m0 NaN is positive".
fn is_negative(format: &Format, code: u64) -> bool {
    !matches!(format.class, Class::Fnuz | Class::Power) && code & format.sign != 0
}

fn with_nan() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.nan.is_some())
}

/// "Among float16, bfloat16, float32 and float64 the top payload bits are kept and the quiet bit is
/// set (what the hardware does)."
#[test]
fn wide_formats_keep_the_top_of_the_payload_and_are_quiet() {
    let wide = || FORMATS.iter().filter(|format| format.class == Class::Wide);
    for from in wide() {
        for to in wide().filter(|to| to.dtype != from.dtype) {
            for code in nans(from) {
                let fraction = code & ((1 << from.fraction) - 1);
                let kept = if from.fraction > to.fraction {
                    fraction >> (from.fraction - to.fraction)
                } else {
                    fraction << (to.fraction - from.fraction)
                };
                let wanted = to.nan.expect("has NaNs") | kept;
                let wanted = to.signed(wanted, code & from.sign != 0);
                for options in every_option_of_floats() {
                    let case = cast(from.dtype, to.dtype).options(options);
                    case.gives(code.into(), wanted.into());
                }
            }
        }
    }
}

fn every_option_of_floats() -> impl Iterator<Item = Options> {
    let settings = OVERFLOWS.into_iter().flat_map(|overflow| {
        [true, false].map(|saturate| Options { overflow, saturate, ..Options::DEFAULT })
    });
    settings.flat_map(|options| FIXED_ROUNDINGS.map(|rounding| Options { rounding, ..options }))
}

#[test]
fn payloads_by_example() {
    let narrows = cast(DType::Float64, DType::Float32);
    narrows.gives_all(&[
        (0x7ff0_0000_0000_0001, 0x7fc0_0000),
        (0xfff0_0000_2000_0000, 0xffc0_0001),
        (0x7ff8_0000_0000_0000, 0x7fc0_0000),
        (0xffff_ffff_ffff_ffff, 0xffff_ffff),
    ]);
    let to_half = cast(DType::Float32, DType::Float16);
    to_half.gives_all(&[(0x7f80_0001, 0x7e00), (0xffa0_2000, 0xff01), (0xffc0_0000, 0xfe00)]);
    cast(DType::Float32, DType::BFloat16)
        .gives_all(&[(0x7f80_0001, 0x7fc0), (0xffff_ffff, 0xffff)]);
    cast(DType::Float16, DType::Float32).gives_all(&[(0x7d01, 0x7fe0_2000), (0xfe00, 0xffc0_0000)]);
    cast(DType::Float16, DType::BFloat16).gives_all(&[(0x7c01, 0x7fc0), (0xfff8, 0xffff)]);
    cast(DType::BFloat16, DType::Float16).gives_all(&[(0x7f81, 0x7e08), (0xffc1, 0xfe08)]);
}

/// "The canonical quiet NaN (`7e` in e5m2, `7f` in e4m3fn, `7c` in e4m3, `78` in e3m4, `80` in fnuz,
/// `ff` in e8m0, with the sign bit where there is one)."
#[test]
fn to_8_bits_the_canonical_nan() {
    let canonical = [
        (DType::Float8E5M2, 0x7e, 0xfe),
        (DType::Float8E4M3Fn, 0x7f, 0xff),
        (DType::Float8E4M3, 0x7c, 0xfc),
        (DType::Float8E3M4, 0x78, 0xf8),
        (DType::Float8E4M3Fnuz, 0x80, 0x80),
        (DType::Float8E5M2Fnuz, 0x80, 0x80),
        (DType::Float8E4M3B11Fnuz, 0x80, 0x80),
        (DType::Float8E8M0Fnu, 0xff, 0xff),
    ];
    for (to, plus, minus) in canonical {
        for from in with_nan().filter(|from| from.dtype != to) {
            let wanted =
                |&code: &u64| (code.into(), if is_negative(from, code) { minus } else { plus });
            let cases: Vec<_> = nans(from).iter().map(wanted).collect();
            for options in every_option_of_floats() {
                cast(from.dtype, to).options(options).gives_all(&cases);
            }
        }
    }
}

/// "To the larger formats the quiet NaN with no payload; a fnuz or e8m0 NaN is positive."
#[test]
fn from_8_bits_the_quiet_nan_without_a_payload() {
    for from in with_nan().filter(|from| from.class != Class::Wide) {
        for (to, plus, minus) in [
            (DType::Float16, 0x7e00, 0xfe00),
            (DType::BFloat16, 0x7fc0, 0xffc0),
            (DType::Float32, 0x7fc0_0000, 0xffc0_0000),
            (DType::Float64, 0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000),
        ] {
            let wanted =
                |&code: &u64| (code.into(), if is_negative(from, code) { minus } else { plus });
            let cases: Vec<_> = nans(from).iter().map(wanted).collect();
            for options in every_option_of_floats() {
                cast(from.dtype, to).options(options).gives_all(&cases);
            }
        }
    }
}

/// "float6 and float4 have no NaN: +NaN gives -0 and -NaN gives +0."
#[test]
fn to_float6_and_float4_a_nan_is_a_zero_of_the_other_sign() {
    let zeros =
        [(DType::Float6E2M3Fn, 0x20), (DType::Float6E3M2Fn, 0x20), (DType::Float4E2M1Fn, 0x08)];
    for (to, minus_zero) in zeros {
        for from in with_nan() {
            let wanted =
                |&code: &u64| (code.into(), if is_negative(from, code) { 0 } else { minus_zero });
            let cases: Vec<_> = nans(from).iter().map(wanted).collect();
            for options in every_option_of_floats() {
                let case = cast(from.dtype, to).options(options);
                if options.overflow == Overflow::Error {
                    case.refuses(&cases.iter().map(|(code, _)| *code).collect::<Vec<_>>());
                } else {
                    case.gives_all(&cases);
                }
            }
        }
    }
}

#[test]
fn an_overflow_that_ends_in_nan_has_the_sign_of_the_number() {
    let (plus, minus) = (u128::from(1e9f32.to_bits()), u128::from((-1e9f32).to_bits()));
    let ends = |to| cast(DType::Float32, to).saturate(false);
    ends(DType::Float8E4M3Fn).gives_all(&[(plus, 0x7f), (minus, 0xff)]);
    for to in [DType::Float8E4M3Fnuz, DType::Float8E5M2Fnuz, DType::Float8E4M3B11Fnuz] {
        ends(to).gives_all(&[(plus, 0x80), (minus, 0x80)]);
    }
    let infinity = format(DType::Float8E5M2).infinity.expect("has infinities");
    let from_e5m2 = cast(DType::Float8E5M2, DType::Float8E4M3Fn).saturate(false);
    from_e5m2.gives_all(&[(infinity.into(), 0x7f), (0xfc, 0xff), (0xfb, 0xff)]);
    let ints = cast(DType::Int16, DType::Float8E4M3Fn).saturate(false);
    ints.gives_all(&[(1000, 0x7f), (0xfc18, 0xff)]);
}
