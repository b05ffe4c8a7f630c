//! The public interface as a user meets it: here the typed functions and [`Cast`], in the modules what
//! is refused, the presets and the choice of an instruction set. Nothing may panic. That kernels store
//! the right bits is tested elsewhere: here it is enough that all ways to them agree.

mod errors;
mod isa;
mod presets;
#[path = "../support/mod.rs"]
mod support;

use half::{bf16, f16};
use num_complex::Complex;
use simdcast::isa::{Level, LevelError, available};
use simdcast::promotion::PromotionError;
use simdcast::{
    BadOption, ByteOrder, Cast, CastError, CastOptions, DType, Element, LayoutError, OnnxRounding,
    Overflow, Road, Rounding, UnknownCode, UnknownDType, cast, cast_vec, cast_vec_with, cast_with,
    reference,
};
use simdcast_kernels::{Kernel, Options};
use std::fmt::Debug;
use support::{Case, Tally, assert_none, distinct_options, in_parallel, noise, pairs, values};

const fn send_sync_copy<T: Copy + Send + Sync + Debug + 'static>() {}
const fn key<T: Copy + Eq + std::hash::Hash + Send + Sync>() {}
const fn error<T: std::error::Error + Clone + Eq + Send + Sync + 'static>() {}
const _: () = {
    send_sync_copy::<Cast>();
    send_sync_copy::<CastOptions>();
    send_sync_copy::<DType>();
    send_sync_copy::<&Level>();
    key::<DType>();
    key::<CastOptions>();
    key::<(Overflow, Rounding, OnnxRounding, ByteOrder)>();
    key::<(&Level, Road)>();
    error::<CastError>();
    error::<BadOption>();
    error::<UnknownCode>();
    error::<UnknownDType>();
    error::<LayoutError>();
    error::<LevelError>();
    error::<PromotionError>();
};

/// Numbers of which every dtype lacks some.
const NUMBERS: [f32; 11] =
    [0.0, -0.0, 1.0, -1.5, 2.5, 255.9, -300.0, 1e-3, 1e10, f32::INFINITY, f32::NAN];

/// The elements as the dynamic cast stores them.
fn dynamic<A: Element>(src: &[A], to: DType, options: CastOptions) -> Vec<u8> {
    let mut stored = vec![0xee; to.bytes_for(src.len()).unwrap()];
    Cast::new(A::DTYPE, to, options).unwrap().run(A::bytes(src), &mut stored).unwrap();
    stored
}

/// The four typed functions against the dynamic cast: float32 to `T`, and `T` to float64.
fn typed<T: Element + Debug>(nothing: T) {
    let odd = CastOptions::new().overflow(Overflow::Wrap).rounding(Rounding::Down).saturate(false);
    let default = CastOptions::new();

    let mut elements = [nothing; NUMBERS.len()];
    cast(&NUMBERS, &mut elements).unwrap();
    assert_eq!(T::bytes(&elements), dynamic(&NUMBERS, T::DTYPE, default), "{}", T::DTYPE);
    assert_eq!(T::bytes(&cast_vec::<_, T>(&NUMBERS)), T::bytes(&elements));
    for (number, element) in NUMBERS.iter().zip(&elements) {
        let mut alone = [nothing];
        cast(&[*number], &mut alone).unwrap();
        assert_eq!(T::bytes(&alone), T::bytes(&[*element]), "{number} to {}", T::DTYPE);
    }
    cast_with(&NUMBERS, &mut elements, &odd).unwrap();
    assert_eq!(T::bytes(&elements), dynamic(&NUMBERS, T::DTYPE, odd), "{}", T::DTYPE);
    let new = cast_vec_with::<_, T>(&NUMBERS, &odd).unwrap();
    assert_eq!(T::bytes(&new), T::bytes(&elements));

    let mut back = [0.0f64; NUMBERS.len()];
    cast(&elements, &mut back).unwrap();
    assert_eq!(f64::bytes(&back), dynamic(&elements, DType::Float64, default), "{}", T::DTYPE);
    assert_eq!(f64::bytes(&cast_vec::<_, f64>(&elements)), f64::bytes(&back));
    for (element, number) in elements.iter().zip(back) {
        let mut alone = [0.0f64];
        cast(&[*element], &mut alone).unwrap();
        assert_eq!(alone[0].to_bits(), number.to_bits(), "{number} from {}", T::DTYPE);
    }
    let (none, mut nowhere) = ([nothing; 0], [nothing; 0]);
    assert_eq!(cast(&none, &mut nowhere), Ok(()));
    assert_eq!(cast_with(&none, &mut nowhere, &odd), Ok(()));
    assert!(cast_vec::<T, f64>(&none).is_empty());
    assert!(cast_vec_with::<f64, T>(&[], &odd).unwrap().is_empty());
}

macro_rules! typed_all {
    ($($type:ty)*) => {
        $(typed(<$type>::default());)*
        let covered = [$(<$type as simdcast::Typed>::DTYPE),*];
        for dtype in DType::ALL {
            assert_eq!(covered.contains(&dtype), !dtype.is_packed(), "{dtype}");
        }
    };
}

#[test]
fn every_type_casts_as_its_dtype() {
    use simdcast::*;
    typed_all! {
        bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64
        Complex<f16> Complex<bf16> Complex<f32> Complex<f64>
        Int1 Int2 Int4 UInt1 UInt2 UInt4
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float8E8M0Fnu Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
    }
}

#[test]
fn typed_results_are_numbers() {
    let bools: Vec<bool> = cast_vec(&[0.0f64, -0.0, f64::NAN, 1e-320]);
    assert_eq!(bools, [false, false, true, true]);
    assert_eq!(cast_vec::<bool, i64>(&[false, true]), [0, 1]);
    let halves = [f16::from_f32(1.5), f16::INFINITY];
    assert_eq!(cast_vec::<_, bf16>(&halves), [bf16::from_f32(1.5), bf16::INFINITY]);
    let parts = [Complex::new(1.5f32, -2.0), Complex::new(0.0, 3.0)];
    assert_eq!(cast_vec::<_, i32>(&parts), [1, 0]);
    assert_eq!(cast_vec::<_, bool>(&parts), [true, true]);
    assert_eq!(cast_vec::<_, Complex<f64>>(&parts)[0], Complex::new(1.5, -2.0));
    assert_eq!(cast_vec::<_, Complex<f16>>(&[2u8]), [Complex::new(f16::from_f32(2.0), f16::ZERO)]);
}

#[test]
fn memory_that_nothing_was_written_to_is_written_in_full() {
    use std::mem::MaybeUninit;
    let checked = CastOptions::new().overflow(Overflow::Error);
    for (from, to) in support::fewer_pairs() {
        for n in [0, 1, 2, 7, 63, 64, 130, 1001] {
            let src: Vec<u8> =
                (0..from.bytes_for(n).unwrap()).map(|i| noise(i as u64) as u8).collect();
            let cast = Cast::new(from, to, CastOptions::new()).unwrap();
            let mut right = vec![0xee; to.bytes_for(n).unwrap()];
            cast.run_n(&src, &mut right, n).unwrap();
            let mut memory = vec![MaybeUninit::uninit(); right.len()];
            assert_eq!(cast.run_uninit(&src, &mut memory, n).as_deref(), Ok(&*right), "{cast:?}");
            // One byte more is one too many.
            memory.push(MaybeUninit::uninit());
            let error = cast.run_uninit(&src, &mut memory, n).unwrap_err();
            assert_eq!(error, cast.run_n(&src, &mut vec![0; memory.len()], n).unwrap_err());
        }
    }
    let cast = Cast::new(DType::Float32, DType::UInt8, checked).unwrap();
    let src: Vec<u8> = [0.0f32, 255.9, 256.0, 1.0].iter().flat_map(|v| v.to_ne_bytes()).collect();
    let error = cast.run_uninit(&src, &mut [MaybeUninit::uninit(); 4], 4).unwrap_err();
    assert!(matches!(error, CastError::Unfit { index: 2, .. }), "{error}");
}

#[test]
fn a_checked_cast_leaves_what_comes_before_the_failure() {
    let checked = CastOptions::new().overflow(Overflow::Error);
    // Long enough for whole steps of any instruction set and several tiles.
    let n = 2000;
    for at in [0, 1, 15, 64, 511, 512, 513, 1600, n - 1] {
        let mut src: Vec<f32> = (0..n).map(|i| (i % 200) as f32 + 0.5).collect();
        src[at] = 256.0;
        let mut dst = vec![0xee; n];
        let error = cast_with(&src, &mut dst, &checked).unwrap_err();
        assert!(matches!(error, CastError::Unfit { index, .. } if index == at), "{error}");
        assert!((0..at).all(|i| dst[i] == (i % 200) as u8), "before {at}");
        assert_eq!(cast_vec_with::<_, u8>(&src, &checked), Err(error));
        src[at] = 255.9;
        assert_eq!(cast_with(&src, &mut dst, &checked), Ok(()));
        assert_eq!(dst[at], 255);
    }
}

/// An element alone may be cast another way than among others: it becomes what the reference says, too, of all codes of
/// narrow sources, and of wide ones where the destination changes its mind.
#[test]
fn one_element_is_cast_as_among_others() {
    let jobs: Vec<_> = pairs().filter(|(from, to)| !from.is_packed() && !to.is_packed()).collect();
    let (tally, errors) = in_parallel(&jobs, |&(from, to)| {
        let cast = Cast::new(from, to, CastOptions::new()).unwrap();
        let [a, b] = [from, to].map(|dtype| dtype.size().unwrap());
        let codes = values::codes(from, to);
        let values = codes.len() as u64;
        let case = Case::new(from, to, &Options::DEFAULT, codes);
        case.check_by(&Kernel::new(from, to, &Options::DEFAULT), |src, dst, _| {
            let elements = src.chunks_exact(a).zip(dst.chunks_exact_mut(b));
            elements.for_each(|(src, dst)| cast.run(src, dst).expect("an element of each"));
            Ok(())
        })?;
        Ok(Tally { pairs: 1, options: 1, values })
    });
    assert_none(&errors);
    assert!(tally.values > 64 * tally.pairs, "{tally:?}");
}

#[test]
fn no_elements_are_a_cast_too() {
    for (from, to) in pairs() {
        for options in distinct_options(from, to) {
            let cast = Cast::new(from, to, options.into()).unwrap();
            assert_eq!(cast.run_n(&[], &mut [], 0), Ok(()), "{cast:?}");
            let both_packed = from.is_packed() && to.is_packed();
            let expected =
                if both_packed { Err(CastError::CountNeeded { from, to }) } else { Ok(()) };
            assert_eq!(cast.run(&[], &mut []), expected, "{cast:?}");
        }
    }
}

/// Buffers of any length: a cast either takes them, and then they have just the room for its elements,
/// or refuses and writes nothing.
#[test]
fn a_packed_side_takes_the_count_from_the_other() {
    for (from, to) in pairs().filter(|(from, to)| !(from.is_packed() && to.is_packed())) {
        let cast = Cast::new(from, to, CastOptions::new()).unwrap();
        for (src_len, dst_len) in (0..18).flat_map(|a| (0..18).map(move |b| (a, b))) {
            let counted = if from.is_packed() { (to, dst_len) } else { (from, src_len) };
            let n = counted.1 * 8 / counted.0.bits();
            let lengths = (from.bytes_for(n), to.bytes_for(n));
            let mut dst = vec![0xee; dst_len];
            let result = cast.run(&vec![0; src_len], &mut dst);
            if lengths == (Some(src_len), Some(dst_len)) {
                assert_eq!(result, Ok(()), "{from} -> {to}, {src_len} and {dst_len} bytes");
            } else {
                let refused = matches!(result, Err(CastError::LengthMismatch { .. }));
                assert!(refused, "{from} -> {to}, {src_len} and {dst_len} bytes");
                assert!(dst.iter().all(|&byte| byte == 0xee));
            }
        }
    }
}

#[test]
fn a_cast_is_shared_by_threads_and_tells_what_it_is() {
    let options = CastOptions::new().rounding(Rounding::Stochastic { seed: 77 }).first_index(5);
    let cast = Cast::new(DType::Float32, DType::Int4x2, options).unwrap();
    assert_eq!((cast.from(), cast.to()), (DType::Float32, DType::Int4x2));
    assert!(available().any(|level| level.name() == cast.isa()));
    let name = cast.kernel_name();
    assert_eq!(name, format!("float32 -> int4x2: {}, {}", cast.isa(), cast.road()));
    let shown = format!("{cast:?}");
    for fact in ["float32", "int4x2", "Stochastic", "77", "first_index: 5", cast.isa()] {
        assert!(shown.contains(fact), "{shown}");
    }
    let same = Cast::new(DType::Int16, DType::Int16, options).unwrap();
    assert_eq!((same.road(), same.road().to_string()), (Road::Copy, "copy".to_owned()));

    let src: Vec<f32> = (0..999).map(|i| i as f32 * 0.01 - 5.0).collect();
    let run = || {
        let mut dst = vec![0; 500];
        cast.run_n(f32::bytes(&src), &mut dst, src.len()).map(|()| dst)
    };
    let alone = run();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        others.into_iter().for_each(|other| assert_eq!(other.join().unwrap(), alone));
    });
}

#[test]
fn an_option_that_cannot_matter_is_ignored() {
    let mut ignored = 0;
    for (from, to) in pairs() {
        let mut src = vec![0; from.bytes_for(24).unwrap()];
        src.iter_mut().enumerate().for_each(|(i, byte)| *byte = noise(i as u64) as u8);
        let run = |options: CastOptions| {
            let mut dst = vec![0; to.bytes_for(24).unwrap()];
            Cast::new(from, to, options).unwrap().run_n(&src, &mut dst, 24).unwrap();
            dst
        };
        let defaults = run(CastOptions::new());
        assert_eq!(run(CastOptions::new().first_index(9)), defaults, "{from} -> {to}");
        let other = CastOptions::new()
            .overflow(Overflow::Saturate)
            .saturate(false)
            .rounding(Rounding::NearestAway);
        if reference_ignores(from, to, &other, &src) {
            assert_eq!(run(other), defaults, "{from} -> {to}");
            ignored += 1;
        }
    }
    assert!(ignored > 1000, "{ignored}");
}

fn reference_ignores(from: DType, to: DType, options: &CastOptions, src: &[u8]) -> bool {
    (0..24).all(|i| {
        let code = reference::load(from, src, i);
        let cast =
            |options: &CastOptions| reference::cast(from, to, code, options.as_options(), i as u64);
        cast(options) == cast(&CastOptions::new())
    })
}
