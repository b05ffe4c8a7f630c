//! Masked casts: every pair on every instruction set, the bits and what is stored, against the
//! reference; lengths; misuse.

mod support;

use simdcast::isa::Level;
use simdcast::{
    Cast, CastError, CastOptions, DType, Overflow, Rounding, can_fail, cast_masked,
    cast_masked_into, cast_vec, reference,
};
use simdcast_kernels::{MaskedKernel, Options};
use support::environment::Environment;
use support::guarded::Guarded;
use support::{Tally, assert_none, in_parallel, noise, pairs, say, source_bytes, values};

const SEED: u64 = 0x1234_5678_9abc_def0;
const STOCHASTIC: Rounding = Rounding::Stochastic { seed: SEED };

/// What is stored and what is marked under some options, by the reference.
struct Case {
    from: DType,
    to: DType,
    options: Options,
    src: Vec<u8>,
    stored: Vec<u8>,
    valid: Vec<u8>,
    n: usize,
}

impl Case {
    fn new(from: DType, to: DType, options: &Options, codes: &[u128]) -> Self {
        let n = codes.len();
        let mut stored = vec![0; to.bytes_for(n).unwrap()];
        let mut valid = vec![0; n.div_ceil(8)];
        let overflow =
            if options.overflow == Overflow::Error { Overflow::As } else { options.overflow };
        let storing = Options { overflow, ..*options };
        let checked = Options { overflow: Overflow::Error, ..*options };
        for (i, &code) in codes.iter().enumerate() {
            let cast = |options| reference::cast(from, to, code, options, i as u64);
            reference::store(to, &mut stored, i, cast(&storing).expect("nothing is refused"));
            valid[i / 8] |= u8::from(cast(&checked).is_ok()) << (i % 8);
        }
        let src = source_bytes(from, codes);
        Self { from, to, options: *options, src, stored, valid, n }
    }

    fn check_on(&self, level: &'static Level) -> Result<(), String> {
        let masked = MaskedKernel::on(level, self.from, self.to, &self.options);
        self.check(&masked)
    }

    fn check(&self, masked: &MaskedKernel) -> Result<(), String> {
        let (mut dst, mut valid) = (vec![0x5a; self.stored.len()], vec![0x5a; self.valid.len()]);
        let result = masked.run(&self.src, &mut dst, &mut valid, self.n);
        self.compare(result.map_err(|error| format!("{error:?}")), &dst, &valid)
            .map_err(|error| format!("{masked:?}: {error}"))
    }

    fn compare(&self, result: Result<(), String>, dst: &[u8], valid: &[u8]) -> Result<(), String> {
        result?;
        let wrong = |a: &[u8], b: &[u8]| a.iter().zip(b).position(|(a, b)| a != b);
        if let Some(at) = wrong(dst, &self.stored) {
            return Err(format!("stored {:#x} at byte {at}, not {:#x}", dst[at], self.stored[at]));
        }
        if let Some(at) = wrong(valid, &self.valid) {
            let (bits, right) = (valid[at], self.valid[at]);
            let i = 8 * at + (bits ^ right).trailing_zeros() as usize;
            let code = (i < self.n).then(|| reference::load(self.from, &self.src, i));
            return Err(format!(
                "element {i} of {}, {code:x?}: {bits:08b}, not {right:08b}",
                self.n
            ));
        }
        Ok(())
    }
}

/// The options that differ in what is stored or in what is marked.
fn distinct_options(from: DType, to: DType) -> Vec<Options> {
    let roundings = [
        Rounding::Default,
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::TowardZero,
        Rounding::Up,
        Rounding::Down,
        STOCHASTIC,
    ];
    let mut distinct: Vec<(Options, [Options; 2])> = Vec::new();
    for rounding in roundings {
        for (overflow, saturate) in [
            (Overflow::As, true),
            (Overflow::Error, false),
            (Overflow::Wrap, true),
            (Overflow::Saturate, false),
        ] {
            let options = Options { overflow, saturate, rounding, first_index: 3 };
            let storing = match overflow {
                Overflow::Error => Options { overflow: Overflow::As, ..options },
                _ => options,
            };
            let checked = Options { overflow: Overflow::Error, ..options };
            let effective = [storing, checked].map(|options| options.effective(from, to));
            if distinct.iter().all(|(_, other)| *other != effective) {
                distinct.push((options, effective));
            }
        }
    }
    distinct.into_iter().map(|(options, _)| options).collect()
}

#[test]
fn every_element_is_stored_and_marked_as_the_reference_has_it() {
    let start = std::time::Instant::now();
    let levels = support::tested_levels();
    let jobs: Vec<_> = pairs().collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let codes = values::some_codes(from, to, 10_000);
        let mut tally = Tally { pairs: 1, ..Tally::default() };
        for options in distinct_options(from, to) {
            let case = Case::new(from, to, &options, &codes);
            levels.iter().try_for_each(|level| case.check_on(level))?;
            tally += Tally { pairs: 0, options: 1, values: codes.len() as u64 };
        }
        Ok(tally)
    });
    say(&format!(
        "{levels:?}: {} pairs, {} pairs with options, {} values masked on each, {:.1} s",
        tally.pairs,
        tally.options,
        tally.values,
        start.elapsed().as_secs_f64()
    ));
    assert_none(&errors);
    assert_eq!(tally.pairs as usize, DType::COUNT * DType::COUNT);
}

/// Pairs of every kind: real, packed, complex on either side; to and from bool.
const KINDS: [(DType, DType); 14] = [
    (DType::Float32, DType::UInt8),
    (DType::Float64, DType::Float8E4M3Fn),
    (DType::Int64, DType::Float16),
    (DType::UInt8, DType::Float8E8M0Fnu),
    (DType::Bool, DType::Int1),
    (DType::Bool1x8, DType::Int1x8),
    (DType::Int4x2, DType::UInt2x4),
    (DType::Float6E3M2FnX4, DType::Float4E2M1FnX2),
    (DType::Float32, DType::Int2x4),
    (DType::Complex64, DType::Int16),
    (DType::Complex128, DType::Complex32),
    (DType::BComplex32, DType::UInt4x2),
    (DType::Float64, DType::Complex64),
    (DType::Complex64, DType::Float32),
];

/// An infinity, a NaN or the largest number of a float.
fn special(dtype: DType, i: u64) -> u128 {
    let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX][noise(i) as usize % 4];
    let code = u128::from(special.to_bits());
    reference::cast(DType::Float64, dtype, code, &Options::DEFAULT, 0).unwrap()
}

/// Numbers all over the source, half of them small so that some fit any destination.
fn any_codes(from: DType, n: usize) -> Vec<u128> {
    let part = |i: u64| match from.finfo() {
        // Numbers about 1, and some that are too large for many.
        Some(_) if i % 16 == 1 => special(from.component(), i),
        Some(_) if i.is_multiple_of(2) => {
            let options = &Options::DEFAULT;
            let value = f64::from(noise(i) as i16) / 4096.0;
            let code = u128::from(value.to_bits());
            reference::cast(DType::Float64, from.component(), code, options, 0).unwrap()
        }
        _ => {
            u128::from(noise(i) >> (i % 2 * 60))
                & (u128::MAX >> (128 - from.component().significant_bits()))
        }
    };
    let code = |i: u64| match (from.is_complex(), i % 3) {
        (false, _) => part(i),
        (true, 0) => part(i),
        (true, _) => part(i) | part(i + 1000) << (from.bits() / 2),
    };
    (0..n as u64).map(code).collect()
}

/// The last byte of the bitmap ends in zeros, and the bytes around it stay as they are.
#[test]
fn a_bitmap_of_any_length() {
    let levels = support::tested_levels();
    let pairs = KINDS.into_iter().chain([(DType::Int8, DType::Int32), (DType::UInt8, DType::Bool)]);
    for (from, to) in pairs {
        let codes = any_codes(from, 130);
        for n in 0..=codes.len() {
            let options = Options { first_index: 1, rounding: STOCHASTIC, ..Options::DEFAULT };
            for options in [Options::DEFAULT, options] {
                let case = Case::new(from, to, &options, &codes[..n]);
                for level in &levels {
                    let masked = MaskedKernel::on(level, from, to, &options);
                    let mut dst = Guarded::new(case.stored.len(), n % 64);
                    let mut valid = Guarded::new(case.valid.len(), (n + 1) % 64);
                    let result = masked.run(&case.src, dst.bytes(), valid.bytes(), n);
                    let result = result.map_err(|error| format!("{error:?}"));
                    let compared = case.compare(result, dst.bytes(), valid.bytes());
                    assert_eq!(compared, Ok(()), "{masked:?}");
                    assert!(dst.untouched() && valid.untouched(), "{masked:?}, {n} elements");
                }
            }
        }
    }
}

/// A long cast is cut into blocks and tiles, whose draws go on where those before ended.
#[test]
fn long_casts_are_the_same_in_every_block() {
    let levels = support::tested_levels();
    let jobs: Vec<_> = KINDS.into_iter().collect();
    let (_, errors) = in_parallel(&jobs, |&(from, to)| {
        let codes = any_codes(from, 40_001);
        let stochastic =
            Options { rounding: STOCHASTIC, first_index: u64::MAX - 9, ..Options::DEFAULT };
        for options in [Options::DEFAULT, stochastic] {
            let case = Case::new(from, to, &options, &codes);
            levels.iter().try_for_each(|level| case.check_on(level))?;
            let fit = case.valid.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
            if fit == 0 || fit == case.n && can_fail(from, to, &checked(&options)) {
                return Err(format!("{from} -> {to}: {fit} of {} fit, which tests little", case.n));
            }
        }
        Ok(Tally::default())
    });
    assert_none(&errors);
}

fn checked(options: &Options) -> Options {
    Options { overflow: Overflow::Error, ..*options }
}

#[test]
fn in_every_environment() {
    let levels = support::tested_levels();
    for (from, to) in KINDS {
        let codes = any_codes(from, 2000);
        for options in [Options::DEFAULT, Options { rounding: STOCHASTIC, ..Options::DEFAULT }] {
            let case = Case::new(from, to, &options, &codes);
            for level in &levels {
                let masked = MaskedKernel::on(level, from, to, &options);
                for environment in Environment::all().into_iter().chain(Environment::trapping()) {
                    let mut dst = vec![0x5a; case.stored.len()];
                    let mut valid = vec![0x5a; case.valid.len()];
                    let (result, _) =
                        environment.within(|| masked.run(&case.src, &mut dst, &mut valid, case.n));
                    let result = result.map_err(|error| format!("{error:?}"));
                    let compared = case.compare(result, &dst, &valid);
                    assert_eq!(compared, Ok(()), "{masked:?} in {environment:?}");
                }
            }
        }
    }
}

#[test]
fn typed_and_dynamic_agree() {
    let src: Vec<f32> = (0..1000).map(|i| i as f32 * 0.7 - 90.0).collect();
    let src_bytes = bytemuck::cast_slice(&src);
    for overflow in Overflow::ALL {
        let options = CastOptions::new().overflow(overflow).rounding(STOCHASTIC).first_index(5);
        let mut numbers = vec![0i8; src.len()];
        let valid = cast_masked(&src, &mut numbers, &options).unwrap();
        let cast = Cast::new(DType::Float32, DType::Int8, options).unwrap();
        let (mut dst, mut bits) = (vec![0; src.len()], vec![0x5a; 125]);
        cast.run_masked(src_bytes, &mut dst, &mut bits).unwrap();
        assert_eq!((bytemuck::cast_slice(&numbers), &valid), (&dst[..], &bits));
        bits.fill(0x5a);
        cast.run_masked_n(src_bytes, &mut dst, &mut bits, src.len()).unwrap();
        assert_eq!(valid, bits);
        let to_bitmap = |number: &i8, element: &f32| {
            (f32::from(*number) - element).abs() < 1.0 || !(-129.0..128.0).contains(element)
        };
        assert!(numbers.iter().zip(&src).all(|(number, element)| to_bitmap(number, element)));
    }
    // Arrow's layout is that of bool1x8.
    let fits: Vec<bool> = cast_vec(&[1u8, 0, 0, 1]);
    let valid = cast_masked(&[0i32, 256, -1, 255], &mut [0u8; 4], &CastOptions::new()).unwrap();
    let to_bits = Cast::new(DType::Bool, DType::Bool1x8, CastOptions::new()).unwrap();
    let mut bits = [0];
    to_bits.run(bytemuck::cast_slice(&fits), &mut bits).unwrap();
    assert_eq!(valid, bits);
}

#[test]
fn bools_take_every_element() {
    let mut bools = [false; 9];
    let src = [0.0, -0.0, f64::NAN, f64::INFINITY, 1e-320, 1.0, 2.0, 0.5, -1.0];
    let valid = cast_masked(&src, &mut bools, &CastOptions::new()).unwrap();
    assert_eq!(bools, [false, false, true, true, true, true, true, true, true]);
    assert_eq!(valid, [0xff, 0x01]);
}

#[test]
fn misuse_is_told_and_writes_nothing() {
    let mut dst = [0xeeu8; 9];
    for wrong in [0, 1, 3, 100] {
        let mut valid = vec![0xee; wrong];
        let src = [1i16; 9];
        let error = cast_masked_into(&src, &mut dst, &CastOptions::new(), &mut valid).unwrap_err();
        assert_eq!(error, CastError::BitmapLength { elements: 9, given: wrong, needed: 2 });
        let text = error.to_string();
        assert_eq!(text, format!("the bitmap has {wrong} bytes; 9 bits take 2"));
        let cast = Cast::new(DType::Int16, DType::UInt8, CastOptions::new()).unwrap();
        let bytes = bytemuck::cast_slice(&src);
        assert_eq!(cast.run_masked(bytes, &mut dst, &mut valid), Err(error.clone()));
        assert_eq!(cast.run_masked_n(bytes, &mut dst, &mut valid, 9), Err(error));
        assert!(valid.iter().chain(&dst).all(|&byte| byte == 0xee));
    }
    let mut valid = [0xee; 2];
    let error = cast_masked(&[1i16; 8], &mut dst, &CastOptions::new()).unwrap_err();
    assert!(matches!(error, CastError::LengthMismatch { elements: Some(9), src_bytes: 16, .. }));
    let cast = Cast::new(DType::Int16, DType::UInt8, CastOptions::new()).unwrap();
    let error = cast.run_masked(&[0; 17], &mut dst, &mut valid).unwrap_err();
    assert!(matches!(error, CastError::LengthMismatch { elements: None, src_bytes: 17, .. }));
    for elements in [8, 10, usize::MAX] {
        let error = cast.run_masked_n(&[0; 18], &mut dst, &mut valid, elements).unwrap_err();
        assert!(
            matches!(error, CastError::LengthMismatch { elements: Some(n), .. } if n == elements)
        );
    }
    let both = Cast::new(DType::Int4x2, DType::UInt2x4, CastOptions::new()).unwrap();
    let error = both.run_masked(&[0; 2], &mut dst[..1], &mut valid[..1]).unwrap_err();
    assert_eq!(error, CastError::CountNeeded { from: DType::Int4x2, to: DType::UInt2x4 });
    assert!(valid.iter().chain(&dst).all(|&byte| byte == 0xee));
    assert_eq!(both.run_masked_n(&[0x4f, 0x02], &mut dst[..1], &mut valid[..1], 3), Ok(()));
    assert_eq!((dst[0], valid[0]), (0b10_00_11, 0b100));
    let none: [u8; 0] = [];
    assert_eq!(cast_masked(&none, &mut [0i8; 0], &CastOptions::new()), Ok(vec![]));
}
