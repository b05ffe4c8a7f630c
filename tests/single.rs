//! One element that is all there is, which casts by type and by `Cast` do in ways of their own: just its bytes are written.

mod support;

use num_complex::Complex;
use simdcast::{
    ByteOrder, Cast, CastError, CastOptions, DType, Element, Float8E4M3Fn, cast, cast_vec, isa,
    reference,
};
use std::fmt::Debug;
use support::guarded::Guarded;
use support::{KINDS, noise, pairs, say, source_bytes, tested_levels, turned};

/// Casts the element of a code by itself, and answers whether it fits.
fn check(cast: &Cast, options: &CastOptions, code: u128, offset: usize) -> bool {
    let (from, to) = (cast.from(), cast.to());
    let (name, mut fits) = (cast.kernel_name(), true);
    for order in [ByteOrder::Native, ByteOrder::Little, ByteOrder::Big] {
        let cast = cast.with_byte_order(order, order);
        let swapped =
            order == if cfg!(target_endian = "big") { ByteOrder::Little } else { ByteOrder::Big };
        let source = turned(from, &source_bytes(from, &[code]), swapped);
        let mut src = Guarded::new(source.len(), offset);
        src.bytes().copy_from_slice(&source);
        let mut dst = Guarded::new(to.bytes_for(1).unwrap(), (offset * 5 + 3) % 64);
        let result = cast.run_n(src.bytes(), dst.bytes(), 1);
        assert!(dst.untouched(), "{name}, {order:?}: {code:#x}: wrote outside");
        assert!(src.untouched() && src.bytes() == source, "{name}: wrote to the source");
        match reference::cast(from, to, code, options.as_ref(), 0) {
            Ok(code) => {
                let mut right = vec![0; dst.bytes().len()];
                reference::store(to, &mut right, 0, code);
                assert_eq!(result, Ok(()), "{name}, {order:?}");
                assert_eq!(
                    dst.bytes(),
                    turned(to, &right, swapped),
                    "{name}, {order:?}: {code:#x}"
                );
            }
            Err(_) => {
                assert!(
                    matches!(result, Err(CastError::Unfit { index: 0, .. })),
                    "{name}: {result:?}"
                );
                fits = false;
            }
        }
    }
    fits
}

#[test]
fn a_cast_of_one_element_writes_no_other_byte() {
    for level in tested_levels() {
        isa::set(level.name()).unwrap();
        let (mut fit, mut unfit) = (0, 0);
        for (i, (from, to)) in pairs().enumerate() {
            for options in KINDS.map(CastOptions::from) {
                let cast = Cast::new(from, to, options).unwrap();
                let one = reference::cast(DType::UInt8, from, 1, CastOptions::new().as_ref(), 0);
                let random = noise(i as u64) as u128 | u128::from(noise(!i as u64)) << 64;
                let random = random & u128::MAX >> (128 - from.significant_bits());
                for (code, offset) in [(one.unwrap(), 0), (random, i % 16)] {
                    let fits = check(&cast, &options, code, offset);
                    (fit, unfit) = (fit + u32::from(fits), unfit + u32::from(!fits));
                }
            }
        }
        say(&format!("{}: {fit} single elements, and {unfit} that do not fit", level.name()));
        assert!(fit > 10_000 && unfit > 100);
    }
}

/// Between others of the same value, of either of two.
fn by_types<A, B>()
where
    A: Element + Copy,
    B: Element + Copy + PartialEq + Debug,
{
    for number in [0u8, 1, 100] {
        let element: A = cast_vec(&[number])[0];
        let right: B = cast_vec(&[element; 2])[1];
        for guard in [0u8, 1] {
            let guard: B = cast_vec(&[guard])[0];
            let mut dst = [guard; 5];
            cast(&[element], &mut dst[2..3]).unwrap();
            assert_eq!(dst, [guard, guard, right, guard, guard], "{} -> {}", A::DTYPE, B::DTYPE);
        }
    }
}

macro_rules! to_each {
    ($from:ty: $($to:ty)*) => {
        $(by_types::<$from, $to>();)*
    };
}

macro_rules! of_each {
    ($($from:ty)*) => {
        $(to_each! {
            $from: bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 half::f16 half::bf16 Float8E4M3Fn Complex<f32>
        })*
    };
}

#[test]
fn a_cast_by_types_of_one_element_leaves_its_neighbours() {
    of_each! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 half::f16 half::bf16 Float8E4M3Fn Complex<f32>
    }
}
