//! Casts that change no value: every pair on every instruction set against the reference, the places
//! of failures, misuse.

mod support;

use simdcast::isa::{self, Level};
use simdcast::{
    Cast, CastError, CastOptions, DType, Exact, Float4E2M1Fn, Int1, cast_same_value, is_lossless,
    reference,
};
use support::{CHECKED, Tally, assert_none, in_parallel, noise, pairs, say, source_bytes, values};

/// The parts of an element's value; the imaginary part of a real number is 0.
fn parts(dtype: DType, code: u128) -> [Exact; 2] {
    let part = |code: u128| reference::decode(dtype.component(), code as u64);
    if dtype.is_complex() {
        let half = dtype.bits() / 2;
        [part(code & ((1 << half) - 1)), part(code >> half)]
    } else {
        [part(code), Exact::from_bool(false)]
    }
}

/// What is stored for an element whose value stays.
fn kept(from: DType, to: DType, code: u128) -> Option<u128> {
    let stored = reference::cast(from, to, code, &CHECKED, 0).ok()?;
    let (before, after) = (parts(from, code), parts(to, stored));
    let same = (0..2).all(|i| before[i].same_number(after[i]));
    same.then_some(stored)
}

/// Elements, and what is stored for those whose value stays.
struct Case {
    codes: Vec<u128>,
    kept: Vec<Option<u128>>,
}

impl Case {
    fn new(from: DType, to: DType, codes: &[u128]) -> Self {
        Self {
            codes: codes.to_vec(),
            kept: codes.iter().map(|&code| kept(from, to, code)).collect(),
        }
    }

    /// The elements whose value stays, or the others.
    fn only(&self, stay: bool) -> Self {
        let both = self.codes.iter().zip(&self.kept).filter(|(_, kept)| kept.is_some() == stay);
        let (codes, kept) = both.unzip();
        Self { codes, kept }
    }

    /// The first element again and again, but at one place the first of the others.
    fn repeated(&self, n: usize, other: &Self, at: usize) -> Self {
        let mut long = Self { codes: vec![self.codes[0]; n], kept: vec![self.kept[0]; n] };
        (long.codes[at], long.kept[at]) = (other.codes[0], other.kept[0]);
        long
    }

    /// Whether the cast ends where it must, and stores what it must before that.
    fn check(&self, cast: &Cast) -> Result<(), String> {
        let (from, to, n) = (cast.from(), cast.to(), self.codes.len());
        let mut dst = vec![0x5a; to.bytes_for(n).unwrap()];
        let end = match cast.run_same_value_n(&source_bytes(from, &self.codes), &mut dst, n) {
            Ok(()) => None,
            Err(CastError::Changed { index, .. }) => Some(index),
            Err(other) => return Err(format!("{cast:?}: {other}")),
        };
        let wanted = self.kept.iter().position(Option::is_none);
        if end != wanted {
            let code = self.codes[end.or(wanted).unwrap_or(0)];
            return Err(format!("{cast:?}: ends at {end:?}, not {wanted:?}, with {code:#x}"));
        }
        for (i, kept) in self.kept[..end.unwrap_or(n)].iter().enumerate() {
            let found = reference::load(to, &dst, i);
            if *kept != Some(found) {
                let code = self.codes[i];
                return Err(format!("{cast:?}: {code:#x} gives {found:#x}, not {kept:x?}"));
            }
        }
        Ok(())
    }
}

fn compare(casts: &[Cast]) -> Result<Tally, String> {
    let (from, to) = (casts[0].from(), casts[0].to());
    let all = Case::new(from, to, &values::some_codes(from, to, 2000));
    let (same, changed) = (all.only(true), all.only(false));
    if is_lossless(from, to) && !changed.codes.is_empty() {
        return Err(format!("{from} -> {to}: {:#x} is lost", changed.codes[0]));
    }
    for cast in casts {
        all.check(cast)?;
        same.check(cast)?;
        for code in &changed.codes {
            Case { codes: vec![*code], kept: vec![None] }.check(cast)?;
        }
        // Failures far into a long cast.
        if !same.codes.is_empty() && !changed.codes.is_empty() {
            for at in [1023, 1024, 8191, 8999] {
                same.repeated(9000, &changed, at).check(cast)?;
            }
        }
    }
    Ok(Tally { pairs: 1, options: 0, values: all.codes.len() as u64 })
}

#[test]
fn every_pair_keeps_or_refuses_as_the_reference_has_it() {
    let levels: Vec<&'static Level> = support::tested_levels();
    let start = std::time::Instant::now();
    let on_level = |level: &&'static Level| {
        isa::set(level.name()).unwrap();
        let cast = |(from, to)| Cast::new(from, to, CastOptions::new()).unwrap();
        pairs().map(cast).collect::<Vec<_>>()
    };
    let by_level: Vec<_> = levels.iter().map(on_level).collect();
    let by_pair = |pair: usize| by_level.iter().map(|casts| casts[pair]).collect::<Vec<_>>();
    let jobs: Vec<_> = (0..pairs().count()).map(by_pair).collect();
    let (tally, errors) = in_parallel(&jobs, |casts| compare(casts));
    let seconds = start.elapsed().as_secs_f64();
    say(&format!("{levels:?}: {} pairs, {} values, {seconds:.1} s", tally.pairs, tally.values));
    assert_none(&errors);
    assert_eq!(tally.pairs as usize, DType::COUNT * DType::COUNT);
}

/// The index and the words of a failure.
fn told<A: simdcast::Element, B: simdcast::Element>(src: &[A], mut dst: Vec<B>) -> (usize, String) {
    match cast_same_value(src, &mut dst) {
        Err(error @ CastError::Changed { index, .. }) => (index, error.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_value_and_what_it_would_become_are_told() {
    let tells = |told: (usize, String), index: usize, text: &str| {
        assert_eq!(told, (index, format!("element {index} of {text}")));
    };
    tells(
        told(&[0.5, 0.1], vec![0f32; 2]),
        1,
        "float64, 0.1, would become 0.10000000149011612 in float32",
    );
    tells(told(&[1u16, 300], vec![0u8; 2]), 1, "uint16, 300, would become 44 in uint8");
    tells(told(&[f32::NAN], vec![0i64]), 0, "float32, NaN, would become 0 in int64");
    tells(told(&[-0.0, 2.5], vec![0i8; 2]), 1, "float64, 2.5, would become 2 in int8");
    tells(told(&[true], vec![Int1::default()]), 0, "bool, 1, would become -1 in int1");
    tells(told(&[1i8, 0, 2], vec![false; 3]), 2, "int8, 2, would become 1 in bool");
    tells(told(&[f32::NAN], vec![false]), 0, "float32, NaN, would become 1 in bool");
    let most = [9223372036854775807i64];
    let text = "int64, 9223372036854775807, would become 9223372036854775808 in float64";
    tells(told(&most, vec![0f64]), 0, text);
    let complex = [num_complex::Complex::new(1.0f32, 2.0)];
    tells(told(&complex, vec![0f32]), 0, "complex64, (1, 2), would become 1 in float32");
    tells(
        told(&[f32::NAN], vec![Float4E2M1Fn::default()]),
        0,
        "float32, NaN, would become -0 in float4_e2m1fn",
    );
}

#[test]
fn what_counts_as_the_same_value_is_kept() {
    let mut floats = [0f32; 5];
    cast_same_value(&[f64::NAN, -0.0, f64::NEG_INFINITY, 0.5, 1e-45f32.into()], &mut floats)
        .unwrap();
    assert!(floats[0].is_nan() && floats[1].is_sign_negative());
    assert_eq!(floats[2..], [f32::NEG_INFINITY, 0.5, 1e-45]);
    let mut zeros = [1u8; 1000];
    assert_eq!(cast_same_value(&[-0.0f32; 1000], &mut zeros), Ok(()));
    assert_eq!(zeros, [0; 1000]);
    // An infinity stays one, though it would be clamped by default.
    let mut small = [simdcast::Float8E5M2::default()];
    cast_same_value(&[f32::INFINITY], &mut small).unwrap();
    assert_eq!(f32::from(small[0]), f32::INFINITY);
}

/// Every NaN of 16 bits stays one, among elements that come back to the bit and others.
#[test]
fn nans_and_zeros_among_numbers_keep_the_cast_going() {
    let src: Vec<f32> = (0..5000)
        .map(|i| match noise(i) % 4 {
            0 => f32::from_bits(0x7f80_0001 | noise(i + 7) as u32 & 0x803f_ffff),
            1 => -0.0,
            _ => f32::from(noise(i) as i8),
        })
        .collect();
    let mut halves = vec![half::f16::ZERO; src.len()];
    assert_eq!(cast_same_value(&src, &mut halves), Ok(()));
    let mut src = src;
    src[4321] = 1e9;
    let error = cast_same_value(&src, &mut halves).unwrap_err();
    assert!(matches!(error, CastError::Changed { index: 4321, .. }), "{error}");
}

#[test]
fn misuse_is_told_and_writes_nothing() {
    let mut dst = [0xee; 4];
    for n in [0, 3, 5] {
        let error = cast_same_value(&vec![1u16; n], &mut dst).unwrap_err();
        assert!(matches!(error, CastError::LengthMismatch { elements: Some(4), .. }), "{error}");
        let error = cast_same_value(&vec![1.0f32; n], &mut dst).unwrap_err();
        assert!(matches!(error, CastError::LengthMismatch { dst_bytes: 4, .. }), "{error}");
    }
    for from in [DType::Float32, DType::UInt32, DType::Bool] {
        let cast = Cast::new(from, DType::UInt8, CastOptions::new()).unwrap();
        for (src, elements) in [(4, 3), (4, 5), (5, 4), (3, 4), (0, usize::MAX)] {
            let src = vec![0; src * from.size().unwrap()];
            let src_bytes = src.len();
            let (to, dst_bytes) = (DType::UInt8, 4);
            let wrong =
                |elements| CastError::LengthMismatch { from, to, elements, src_bytes, dst_bytes };
            let error = cast.run_same_value_n(&src, &mut dst, elements).unwrap_err();
            assert_eq!(error, wrong(Some(elements)));
            if src_bytes != 4 * from.size().unwrap() {
                assert_eq!(cast.run_same_value(&src, &mut dst), Err(wrong(None)));
            }
        }
    }
    let both = Cast::new(DType::Int4x2, DType::Float4E2M1FnX2, CastOptions::new()).unwrap();
    let error = both.run_same_value(&[0; 2], &mut dst[..2]).unwrap_err();
    assert_eq!(error, CastError::CountNeeded { from: DType::Int4x2, to: DType::Float4E2M1FnX2 });
    assert_eq!(dst, [0xee; 4]);
    assert_eq!(both.run_same_value_n(&[0x21, 0xf4], &mut dst[..2], 3), Ok(()));
    assert_eq!(dst[..2], [0x42, 0x06]);
}
