//! Every error, made to happen where the interface can, and the facts in its words.

use super::support::{noise, pairs};
use num_complex::Complex;
use simdcast::{
    Cast, CastError, CastOptions, DType, Element, Overflow, Rounding, Value, cast, cast_vec_with,
    cast_with, isa, reference,
};
use std::fmt::Display;

/// Fails unless each fact stands in the text.
fn tells(error: impl Display, facts: &[&str]) {
    let text = error.to_string();
    for fact in facts {
        assert!(text.contains(fact), "{text:?} does not tell {fact:?}");
    }
    assert!(!text.contains('\n'), "{text:?} is more than a line");
}

const CHECKED: CastOptions = CastOptions::new().overflow(Overflow::Error);

#[test]
fn an_unknown_dtype_comes_with_the_nearest_name() {
    for (name, nearest) in [
        ("flaot32", "float32"),
        ("float8e4m3", "float8_e4m3"),
        ("UINT9", "uint8"),
        ("int4x3", "int4x2"),
        ("cplx64", "complex64"),
    ] {
        let unknown = name.parse::<DType>().unwrap_err();
        assert_eq!(unknown.nearest.name(), nearest);
        assert_eq!(CastError::from(unknown.clone()), CastError::UnknownDType(unknown.clone()));
        tells(&unknown, &[&format!("{name:?}"), nearest]);
        tells(CastError::from(unknown), &[&format!("{name:?}"), nearest]);
    }
    // Whatever is asked for, something is the nearest, and the text stays on its line.
    for odd in ["", " float32", "float32\0", "\n\u{1b}[31m", "\u{fe0f}ﬂoat", &"x".repeat(100_000)]
    {
        let unknown = odd.parse::<DType>().unwrap_err();
        assert_eq!(unknown.name, odd);
        tells(&unknown, &[unknown.nearest.name()]);
    }
}

#[test]
fn a_wrong_length_comes_with_both_counts_and_bytes() {
    let mut bytes = [0xee; 2];
    let error = cast(&[1.0f32, 2.0, 3.0], &mut bytes).unwrap_err();
    let typed = CastError::LengthMismatch {
        from: DType::Float32,
        to: DType::UInt8,
        elements: Some(2),
        src_bytes: 12,
        dst_bytes: 2,
    };
    assert_eq!(error, typed);
    tells(&error, &["3 elements of float32 in 12 bytes", "2 elements of uint8 in 2 bytes"]);
    assert_eq!(cast_with(&[1.0f32, 2.0, 3.0], &mut bytes, &CHECKED), Err(typed));
    assert_eq!(bytes, [0xee; 2]);

    let cast = Cast::new(DType::Int32, DType::Int4x2, CastOptions::new()).unwrap();
    let error = cast.run(&[0; 13], &mut bytes).unwrap_err();
    let facts = ["3 elements of int32 in 13 bytes", "1 left over", "2 bytes of int4x2"];
    tells(&error, &facts);
    let error = cast.run_n(&[0; 12], &mut bytes, 5).unwrap_err();
    tells(&error, &["3 elements of int32 in 12 bytes", "5 elements take 20 and 3 bytes"]);
    assert_eq!(bytes, [0xee; 2]);
}

#[test]
fn more_elements_than_memory_are_refused() {
    for (from, to) in pairs() {
        let cast = Cast::new(from, to, CastOptions::new()).unwrap();
        for elements in [usize::MAX, usize::MAX / 2 + 1, usize::MAX / 8 + 1] {
            let error = cast.run_n(&[], &mut [], elements).unwrap_err();
            tells(&error, &["0 bytes", &format!("{elements} elements take")]);
        }
    }
    let cast = Cast::new(DType::UInt8, DType::Complex128, CastOptions::new()).unwrap();
    let error = cast.run_n(&[], &mut [], usize::MAX).unwrap_err();
    tells(&error, &["more than memory can hold"]);
}

#[test]
fn errors_become_those_of_io() {
    use std::io::{Error, ErrorKind};
    let unfit = cast_vec_with::<f32, u8>(&[256.0], &CHECKED).unwrap_err();
    let changed = simdcast::cast_same_value(&[0.5f32], &mut [0u8]).unwrap_err();
    let length = cast(&[0.5f32], &mut [0u8; 2]).unwrap_err();
    let memory = CastError::Memory { to: DType::Int8, elements: usize::MAX / 2 };
    for (error, kind) in [
        (unfit, ErrorKind::InvalidData),
        (changed, ErrorKind::InvalidData),
        (length, ErrorKind::InvalidInput),
        (isa::find("abacus").unwrap_err(), ErrorKind::InvalidInput),
        (memory, ErrorKind::OutOfMemory),
    ] {
        let io = Error::from(error.clone());
        assert_eq!((io.kind(), io.to_string()), (kind, error.to_string()));
        assert_eq!(io.downcast::<CastError>().unwrap(), error);
    }
}

#[test]
fn packed_to_packed_needs_the_count() {
    let cast = Cast::new(DType::Int4x2, DType::Float6E2M3FnX4, CastOptions::new()).unwrap();
    let mut dst = [0xee; 3];
    let error = cast.run(&[0x21, 0x43], &mut dst).unwrap_err();
    assert_eq!(error, CastError::CountNeeded { from: DType::Int4x2, to: DType::Float6E2M3FnX4 });
    tells(&error, &["int4x2", "float6_e2m3fn_x4", "packed"]);
    assert_eq!(dst, [0xee; 3]);
    assert_eq!(cast.run_n(&[0x21, 0x43], &mut dst, 4), Ok(()));
    assert_eq!(cast.run_n(&[0x21, 0x43], &mut dst, 3), Ok(()));
    assert!(matches!(
        cast.run_n(&[0x21, 0x43], &mut dst, 2),
        Err(CastError::LengthMismatch { elements: Some(2), src_bytes: 2, dst_bytes: 3, .. })
    ));
}

#[test]
fn a_bad_option_comes_with_what_it_can_be() {
    for code in 0..=255 {
        let overflow = CastOptions::from_codes(code, 1, 0, 0, 0);
        assert_eq!(overflow.is_ok(), code < 4, "overflow {code}");
        let saturate = CastOptions::from_codes(0, code, 0, 0, 0);
        assert_eq!(saturate.is_ok(), code < 2, "saturate {code}");
        let rounding = CastOptions::from_codes(0, 1, code, 0, 0);
        assert_eq!(rounding.is_ok(), code < 7, "rounding {code}");
    }
    let bad = |overflow, saturate, rounding| {
        CastOptions::from_codes(overflow, saturate, rounding, 0, 0).unwrap_err()
    };
    tells(bad(4, 1, 0), &["overflow", " 4:", "0 (as)", "3 (error)"]);
    tells(bad(0, 2, 0), &["saturate", " 2:", "0, 1"]);
    tells(bad(0, 1, 255), &["rounding", " 255:", "5 (stochastic)", "6 (nearest even)"]);
    let named = |overflow, rounding| CastOptions::from_names(overflow, rounding, 0).unwrap_err();
    tells(named("clip", "default"), &["overflow", "\"clip\"", "as, wrap, saturate, error"]);
    tells(named("", "default"), &["overflow", "\"\""]);
    tells(named("as", "nearest"), &["rounding", "\"nearest\"", "nearest_away", "nearest_even"]);
}

#[test]
fn codes_and_names_mean_the_same_options() {
    for (code, overflow) in Overflow::ALL.into_iter().enumerate() {
        for number in 0..7 {
            let rounding = Rounding::from_code(number, 42).unwrap();
            let options = CastOptions::new().overflow(overflow).rounding(rounding);
            let codes = CastOptions::from_codes(code as u8, 1, number, 42, 0);
            assert_eq!(codes, Ok(options));
            assert_eq!((overflow.code(), rounding.code()), (code as u8, number));
            let shown = [overflow.to_string(), rounding.to_string()];
            assert_eq!(shown, [overflow.name(), rounding.name()]);
            let names = [overflow.name(), rounding.name()].map(str::to_uppercase);
            assert_eq!(CastOptions::from_names(&names[0], &names[1], 42), Ok(options));
        }
    }
    let all = CastOptions::from_codes(3, 0, 5, 7, 9);
    let built = CHECKED.saturate(false).rounding(Rounding::Stochastic { seed: 7 }).first_index(9);
    assert_eq!(all, Ok(built));
}

/// The index and the value in the error that casts of these elements end with.
fn unfit<A: Element, B: Element>(src: &[A]) -> (usize, String) {
    let error = cast_vec_with::<A, B>(src, &CHECKED).map(|_| ()).unwrap_err();
    let CastError::Unfit { from, to, index, value } = &error else { panic!("{error}") };
    assert_eq!((*from, *to), (A::DTYPE, B::DTYPE));
    tells(
        &error,
        &[&format!("element {index} of {from}, "), &value.to_string(), &format!("not fit {to}")],
    );
    (*index, value.to_string())
}

#[test]
fn what_does_not_fit_comes_with_its_index_and_exact_value() {
    let told = |index, value: &str| (index, value.to_owned());
    assert_eq!(unfit::<u64, i64>(&[1, 1 << 63]), told(1, "9223372036854775808"));
    assert_eq!(unfit::<u64, u8>(&[255, 255, u64::MAX]), told(2, "18446744073709551615"));
    assert_eq!(unfit::<i64, u64>(&[0, i64::MIN]), told(1, "-9223372036854775808"));
    assert_eq!(unfit::<i64, half::f16>(&[65519, 65520]), told(1, "65520"));
    assert_eq!(unfit::<f32, i32>(&[2147483500.0, 2147483648.0]), told(1, "2147483648"));
    assert_eq!(unfit::<f32, u8>(&[-0.9, -1.0]), told(1, "-1"));
    assert_eq!(unfit::<f64, f32>(&[1e-300, 1e300]), told(1, "1e300"));
    assert_eq!(unfit::<f64, i8>(&[f64::NAN]), told(0, "NaN"));
    assert_eq!(unfit::<f64, i8>(&[0.0, -f64::INFINITY]), told(1, "-inf"));
    assert_eq!(unfit::<f32, simdcast::Float8E8M0Fnu>(&[1.5, -0.0]), told(1, "-0"));
    assert_eq!(unfit::<f64, simdcast::Float4E2M1Fn>(&[6.9, 7.25]), told(1, "7.25"));

    let complex = |re, im| Complex::<f32>::new(re, im);
    let with_parts = [complex(1.0, -0.0), complex(2.0, 0.5)];
    assert_eq!(unfit::<_, f64>(&with_parts), told(1, "(2, 0.5)"));
    assert_eq!(unfit::<_, i8>(&[complex(300.0, 0.0)]), told(0, "(300, 0)"));
    assert_eq!(unfit::<_, f32>(&[complex(0.0, f32::NAN)]), told(0, "(0, NaN)"));
    let wide = [Complex::new(-1e300, 1.0)];
    assert_eq!(unfit::<Complex<f64>, Complex<f32>>(&wide), told(0, "(-1e300, 1)"));
}

#[test]
fn of_every_pair_the_first_unfit_element_is_told() {
    let n = 1001;
    for (from, to) in pairs() {
        let mut src = vec![0; from.bytes_for(n).unwrap()];
        src.iter_mut().enumerate().for_each(|(i, byte)| *byte = noise(i as u64) as u8);
        let refused = |&i: &usize| {
            let code = reference::load(from, &src, i);
            reference::cast(from, to, code, CHECKED.as_options(), i as u64).is_err()
        };
        let mut dst = vec![0; to.bytes_for(n).unwrap()];
        let result = Cast::new(from, to, CHECKED).unwrap().run_n(&src, &mut dst, n);
        let Some(first) = (0..n).find(refused) else {
            assert_eq!(result, Ok(()), "{from} -> {to}");
            continue;
        };
        let code = reference::load(from, &src, first);
        let part = |code: u128| reference::decode(from.component(), code as u64);
        let half = from.bits() / 2;
        let value = if from.is_complex() {
            Value::Complex(part(code & ((1 << half) - 1)), part(code >> half))
        } else {
            Value::Real(part(code))
        };
        let expected = CastError::Unfit { from, to, index: first, value };
        assert_eq!(result, Err(expected), "{from} -> {to}");
    }
}

#[test]
fn an_unknown_instruction_set_comes_with_those_there_are() {
    let error = isa::set("abacus").unwrap_err();
    assert!(matches!(&error, CastError::Isa { name, .. } if name == "abacus"));
    let names: Vec<_> = isa::levels().iter().map(isa::Level::name).collect();
    tells(&error, &["\"abacus\""]);
    tells(&error, &names);
    for level in isa::levels().iter().filter(|level| !level.is_available()) {
        let error = isa::set(level.name()).unwrap_err();
        tells(&error, &[&format!("{:?}", level.name()), "cannot run", "scalar"]);
    }
}
