//! The newtypes of the small formats, against the reference, the kernels and the limits that the
//! dtypes state. Codes are exhaustive; what is rounded is sampled densely and at every boundary.

use bytemuck::Pod;
use simdcast::reference::{decode, encode, stored};
use simdcast::{
    CastOptions, DType, Element, Exact, Float4E2M1Fn, Float6E2M3Fn, Float6E3M2Fn, Float8E3M4,
    Float8E4M3, Float8E4M3B11Fnuz, Float8E4M3Fn, Float8E4M3Fnuz, Float8E5M2, Float8E5M2Fnuz,
    Float8E8M0Fnu, Int1, Int2, Int4, UInt1, UInt2, UInt4, cast, cast_vec,
};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the tests of integers ask of a type.
trait Narrow: Element + Pod + Ord + Hash + Default + Debug + Display + TryFrom<i64> {
    const LIMITS: (Self, Self, u32);
    fn get(self) -> i64;
    fn bits(self) -> u8;
    fn of_bits(bits: u8) -> Self;
    /// `new`, `wrapping` and `saturating` of the low byte, as the integer they take.
    fn made(byte: u8) -> (i64, [Option<Self>; 3]);
    /// `From` into signed integers, floats and what unsigned types go into besides.
    fn widened(self) -> Vec<f64>;
    fn refusal(value: i64) -> Option<simdcast::OutOfRange>;
}

macro_rules! narrow {
    ($($name:ident $int:ident [$($wide:ident)*])*) => {$(
        impl Narrow for $name {
            const LIMITS: (Self, Self, u32) = (Self::MIN, Self::MAX, Self::BITS);
            fn get(self) -> i64 {
                $name::get(self) as i64
            }
            fn bits(self) -> u8 {
                self.to_bits()
            }
            fn of_bits(bits: u8) -> Self {
                Self::from_bits(bits)
            }
            fn made(byte: u8) -> (i64, [Option<Self>; 3]) {
                let given = byte as $int;
                let wrapping = Some(Self::wrapping(given));
                (given as i64, [Self::new(given), wrapping, Some(Self::saturating(given))])
            }
            fn widened(self) -> Vec<f64> {
                vec![$($wide::from(self) as f64),*]
            }
            fn refusal(value: i64) -> Option<simdcast::OutOfRange> {
                Self::try_from(value).err()
            }
        }
    )*};
}
narrow! {
    Int1 i8 [i8 i16 i32 i64 i128 isize f32 f64]
    Int2 i8 [i8 i16 i32 i64 i128 isize f32 f64]
    Int4 i8 [i8 i16 i32 i64 i128 isize f32 f64]
    UInt1 u8 [i8 i16 i32 i64 i128 isize f32 f64 u8 u16 u32 u64 u128 usize]
    UInt2 u8 [i8 i16 i32 i64 i128 isize f32 f64 u8 u16 u32 u64 u128 usize]
    UInt4 u8 [i8 i16 i32 i64 i128 isize f32 f64 u8 u16 u32 u64 u128 usize]
}

/// What the tests of floats ask of a type.
trait Small: Element + Pod + PartialOrd + Default + Debug + Display + Into<f32> + Into<f64> {
    /// MAX, MIN, MIN_POSITIVE, MIN_POSITIVE_SUBNORMAL, EPSILON, ONE.
    const LIMITS: [Self; 6];
    /// ZERO, NAN, INFINITY, NEG_INFINITY, where they exist.
    const SPECIALS: [Option<Self>; 4];
    fn bits(self) -> u8;
    fn of_bits(bits: u8) -> Self;
    fn of_f32(value: f32) -> Self;
    fn of_f64(value: f64) -> Self;
    fn f32(self) -> f32;
    fn f64(self) -> f64;
    /// NaN, infinite, finite, negative.
    fn is(self) -> [bool; 4];
    fn order(self, other: Self) -> Ordering;
}

macro_rules! small {
    ($($name:ident [$($zero:ident)?] [$($nan:ident)?] [$($infinity:ident $lowest:ident)?])*) => {$(
        impl Small for $name {
            const LIMITS: [Self; 6] = [
                Self::MAX,
                Self::MIN,
                Self::MIN_POSITIVE,
                Self::MIN_POSITIVE_SUBNORMAL,
                Self::EPSILON,
                Self::ONE,
            ];
            const SPECIALS: [Option<Self>; 4] = {
                let mut specials = [None; 4];
                $(specials[0] = Some(Self::$zero);)?
                $(specials[1] = Some(Self::$nan);)?
                $(
                    specials[2] = Some(Self::$infinity);
                    specials[3] = Some(Self::$lowest);
                )?
                specials
            };
            fn bits(self) -> u8 {
                self.to_bits()
            }
            fn of_bits(bits: u8) -> Self {
                Self::from_bits(bits)
            }
            fn of_f32(value: f32) -> Self {
                Self::from_f32(value)
            }
            fn of_f64(value: f64) -> Self {
                Self::from_f64(value)
            }
            fn f32(self) -> f32 {
                self.to_f32()
            }
            fn f64(self) -> f64 {
                self.to_f64()
            }
            fn is(self) -> [bool; 4] {
                [self.is_nan(), self.is_infinite(), self.is_finite(), self.is_sign_negative()]
            }
            fn order(self, other: Self) -> Ordering {
                self.total_cmp(&other)
            }
        }
    )*};
}
small! {
    Float8E4M3Fn [ZERO] [NAN] []
    Float8E5M2 [ZERO] [NAN] [INFINITY NEG_INFINITY]
    Float8E4M3Fnuz [ZERO] [NAN] []
    Float8E5M2Fnuz [ZERO] [NAN] []
    Float8E4M3 [ZERO] [NAN] [INFINITY NEG_INFINITY]
    Float8E3M4 [ZERO] [NAN] [INFINITY NEG_INFINITY]
    Float8E4M3B11Fnuz [ZERO] [NAN] []
    Float8E8M0Fnu [] [NAN] []
    Float6E2M3Fn [ZERO] [] []
    Float6E3M2Fn [ZERO] [] []
    Float4E2M1Fn [ZERO] [] []
}

/// A test's body for every integer, or for every float.
macro_rules! for_each {
    (int $body:ident) => {
        for_each! { $body Int1 Int2 Int4 UInt1 UInt2 UInt4 }
    };
    (float $body:ident) => {
        for_each! {
            $body Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float8E8M0Fnu Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        }
    };
    ($body:ident $($name:ident)*) => {
        $($body::<$name>(DType::$name);)*
    };
}

fn all_bytes() -> [u8; 256] {
    std::array::from_fn(|byte| byte as u8)
}

fn mask(dtype: DType) -> u8 {
    (0xff >> (8 - dtype.significant_bits())) as u8
}

/// The value as float64, which holds the numbers of every small format, by multiplication.
fn number(value: Exact) -> f64 {
    let signed = |negative: bool, magnitude: f64| if negative { -magnitude } else { magnitude };
    match value {
        Exact::Finite { negative, significand, exponent } => {
            signed(negative, significand as f64 * 2f64.powi(exponent))
        }
        Exact::Infinity { negative } => signed(negative, f64::INFINITY),
        Exact::Nan { negative, .. } => f64::NAN.copysign(if negative { -1.0 } else { 1.0 }),
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn every_small_dtype_has_a_type() {
    let mut typed = HashSet::from([DType::Bool, DType::Int8, DType::UInt8]);
    macro_rules! note {
        ($($name:ident)*) => {$(
            assert_eq!(DType::of::<$name>(), DType::$name);
            assert_eq!((size_of::<$name>(), align_of::<$name>()), (1, 1));
            typed.insert(DType::of::<$name>());
        )*};
    }
    note! {
        Int1 Int2 Int4 UInt1 UInt2 UInt4
        Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
        Float8E4M3B11Fnuz Float8E8M0Fnu Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
    }
    let small = DType::ALL.into_iter().filter(|dtype| dtype.size() == Some(1));
    assert_eq!(typed, small.collect());
}

#[test]
fn ints_read_every_byte() {
    fn check<T: Narrow>(dtype: DType) {
        let bytes = all_bytes();
        let viewed: &[T] = bytemuck::cast_slice(&bytes);
        let seen: Vec<i32> = cast_vec(viewed);
        for byte in bytes {
            let expected = number(decode(dtype, byte.into()));
            let index = usize::from(byte);
            for value in [viewed[index], T::of_bits(byte)] {
                assert_eq!(value.get() as f64, expected, "{dtype} {byte:#x}");
                let normal = stored(dtype, (byte & mask(dtype)).into());
                assert_eq!(u64::from(value.bits()), normal, "{dtype} {byte:#x}");
                assert!(value.widened().iter().all(|&wide| wide == expected), "{dtype} {byte:#x}");
                assert_eq!(value.to_string(), expected.to_string());
                assert_eq!(format!("{value:?}"), expected.to_string());
            }
            assert_eq!(f64::from(seen[index]), expected, "cast of {dtype} {byte:#x}");
            assert_eq!(bytemuck::bytes_of(&T::of_bits(byte)), [T::of_bits(byte).bits()]);
        }
        assert_eq!(T::default().get(), 0);
    }
    for_each!(int check);
}

#[test]
fn ints_are_made_of_what_fits() {
    fn check<T: Narrow>(dtype: DType) {
        let info = dtype.iinfo().expect("an integer dtype");
        let (min, max) = (info.min, info.max as i64);
        assert_eq!((T::LIMITS.0.get(), T::LIMITS.1.get(), T::LIMITS.2), (min, max, info.bits));
        let fits = |value: i64| (min..=max).contains(&value);
        for byte in 0..=255u8 {
            let (given, [new, wrapping, saturating]) = T::made(byte);
            assert_eq!(new.map(T::get), fits(given).then_some(given), "{dtype} {given}");
            assert_eq!(wrapping, Some(T::of_bits(byte)), "{dtype} {given}");
            assert_eq!(saturating.map(T::get), Some(given.clamp(min, max)), "{dtype} {given}");
        }
        for value in (-600..600).chain([i64::MIN, i64::MAX, 1 << 32, -1 << 8]) {
            assert_eq!(T::try_from(value).ok().map(T::get), fits(value).then_some(value));
            match T::refusal(value) {
                None => assert!(fits(value), "{dtype} {value}"),
                Some(error) => {
                    assert_eq!((error.dtype, error.value), (dtype, value.into()));
                    let words = format!("{value} does not fit {dtype}, which holds {min} to {max}");
                    assert_eq!(error.to_string(), words);
                }
            }
        }
    }
    for_each!(int check);
    assert!(UInt4::try_from(-1i8).is_err() && UInt4::try_from(255u8).is_err());
    assert!(Int4::try_from(248u8).is_err() && Int4::try_from(u64::MAX).is_err());
    assert_eq!(Int4::try_from(u64::MAX).map_err(|e| e.value), Err(u64::MAX.into()));
    assert_eq!(Int4::try_from(-8isize).map(Int4::get), Ok(-8));
}

#[test]
fn ints_compare_as_their_numbers() {
    fn check<T: Narrow>(dtype: DType) {
        let bytes = all_bytes();
        let values: &[T] = bytemuck::cast_slice(&bytes);
        for &a in values {
            for &b in values {
                let expected = a.get().cmp(&b.get());
                assert_eq!(a.cmp(&b), expected, "{dtype} {a} {b}");
                assert_eq!(a.partial_cmp(&b), Some(expected), "{dtype} {a} {b}");
                assert_eq!(a == b, expected.is_eq(), "{dtype} {a} {b}");
                assert_eq!(hash(a) == hash(b), expected.is_eq(), "{dtype} {a} {b}");
            }
        }
        let distinct: HashSet<T> = values.iter().copied().collect();
        assert_eq!(distinct.len(), 1 << dtype.significant_bits());
    }
    for_each!(int check);
}

#[test]
fn floats_read_every_byte() {
    fn check<T: Small>(dtype: DType) {
        let bytes = all_bytes();
        let viewed: &[T] = bytemuck::cast_slice(&bytes);
        let (singles, doubles): (Vec<f32>, Vec<f64>) = (cast_vec(viewed), cast_vec(viewed));
        for byte in bytes {
            let exact = decode(dtype, byte.into());
            let expected = number(exact);
            let what = format!("{dtype} {byte:#x}, {exact}");
            let index = usize::from(byte);
            for value in [viewed[index], T::of_bits(byte)] {
                let (single, double): (f32, f64) = (value.into(), value.into());
                assert_eq!(value.f32().to_bits(), single.to_bits(), "{what}");
                assert_eq!(value.f64().to_bits(), double.to_bits(), "{what}");
                assert_eq!(double.is_nan(), exact.is_nan(), "{what}");
                assert_eq!(f64::from(single).is_nan(), exact.is_nan(), "{what}");
                if !exact.is_nan() {
                    assert_eq!(double.to_bits(), expected.to_bits(), "{what}");
                    assert_eq!(f64::from(single).to_bits(), expected.to_bits(), "{what}");
                }
                assert_eq!(single.to_bits(), singles[index].to_bits(), "cast of {what}");
                assert_eq!(double.to_bits(), doubles[index].to_bits(), "cast of {what}");
                let class = [exact.is_nan(), expected.is_infinite(), expected.is_finite()];
                assert_eq!(value.is()[..3], class, "{what}");
                assert_eq!(value.is()[3], expected.is_sign_negative(), "{what}");
                assert_eq!(value.bits(), byte & mask(dtype), "{what}");
                assert_eq!(value.to_string(), single.to_string());
                assert_eq!(format!("{value:?} {value:.3}"), format!("{single:?} {single:.3}"));
            }
            assert_eq!(bytemuck::bytes_of(&T::of_bits(byte)), [byte & mask(dtype)]);
        }
        assert_eq!(T::default().bits(), 0);
    }
    for_each!(float check);
}

/// Every number halfway between two of the format, or past the last, with the float64s and float32s
/// around it, and as many of both at even distances through all codes.
fn inputs(dtype: DType) -> (Vec<f32>, Vec<f64>) {
    let mut finite: Vec<f64> = (0..=255).map(|byte| number(decode(dtype, byte))).collect();
    finite.retain(|number| number.is_finite());
    finite.sort_by(f64::total_cmp);
    finite.dedup_by(|a, b| a.to_bits() == b.to_bits());
    let (lowest, highest) = (finite[0], finite[finite.len() - 1]);
    finite.extend([2.0 * highest, 1e300, lowest - highest, -1e300, 0.0]);
    finite.sort_by(f64::total_cmp);
    let mut doubles: Vec<f64> = Vec::new();
    for pair in finite.windows(2) {
        // Half of each, since the sum may overflow.
        let middle = pair[0] / 2.0 + pair[1] / 2.0;
        for near in [pair[0], middle, pair[1]] {
            doubles.extend([near.next_down(), near, near.next_up()]);
            let single = near as f32;
            doubles.extend([single.next_down(), single, single.next_up()].map(f64::from));
        }
    }
    doubles.extend([f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 5e-324]);
    let mut singles: Vec<f32> = doubles.iter().map(|&double| double as f32).collect();
    singles.extend((0..=u32::MAX).step_by(65_537).map(f32::from_bits));
    const STEP: u64 = 1 << 48 | 0x1357_9bdf;
    doubles.extend((0..=u64::MAX / STEP).map(|i| f64::from_bits(i * STEP)));
    // The exponents that matter here are few of float64's: as many again among them.
    doubles.extend((0..1 << 15).map(|i| {
        let (scale, fraction) = (i % 64 - 40, f64::from(i) / f64::from(1 << 15));
        (1.0 + fraction) * 2f64.powi(scale) * if i % 3 == 0 { -1.0 } else { 1.0 }
    }));
    (singles, doubles)
}

#[test]
fn floats_are_rounded_as_a_cast_rounds() {
    fn check<T: Small>(dtype: DType) {
        let (singles, doubles) = inputs(dtype);
        for (value, cast) in singles.iter().zip(cast_vec::<f32, T>(&singles)) {
            let made = T::of_f32(*value);
            assert_eq!(made.bits(), cast.bits(), "{value:e} to {dtype}: {made}, cast {cast}");
        }
        for (value, cast) in doubles.iter().zip(cast_vec::<f64, T>(&doubles)) {
            let made = T::of_f64(*value);
            assert_eq!(made.bits(), cast.bits(), "{value:e} to {dtype}: {made}, cast {cast}");
        }
        assert!(singles.len() > 60_000 && doubles.len() > 90_000);
    }
    for_each!(float check);
}

#[test]
fn floats_are_rounded_once() {
    const ONCE: Float8E4M3Fn = Float8E4M3Fn::from_f64(-431.99999999999994);
    assert_eq!(ONCE.to_f32(), -416.0);
    assert_eq!(Float8E4M3Fn::from_f32(-432.0).to_f32(), -448.0);
    assert_eq!(Float8E8M0Fnu::from_f32(1.5).to_f32(), 2.0);
    assert_eq!(Float8E8M0Fnu::from_f32(0.0), Float8E8M0Fnu::MIN);
    assert!(Float8E8M0Fnu::from_f32(-1.0).is_nan());
    assert_eq!(Float8E5M2Fnuz::from_f32(-0.0).to_bits(), 0);
    assert_eq!(Float4E2M1Fn::from_f32(f32::NAN.copysign(1.0)).to_bits(), 0b1000);
    assert_eq!(Float4E2M1Fn::from_f64(2.5).to_f64(), 2.0);
    assert_eq!(Float6E3M2Fn::from_f64(-1e9), Float6E3M2Fn::MIN);
}

#[test]
fn limits_are_those_of_finfo() {
    fn check<T: Small>(dtype: DType) {
        let info = dtype.finfo().expect("a float dtype");
        let limits =
            [info.max, info.min, info.smallest_normal, info.smallest_subnormal, info.eps, 1.0];
        assert_eq!(T::LIMITS.map(T::f64), limits, "{dtype}");
        for limit in T::LIMITS {
            assert_eq!(limit.bits() & !mask(dtype), 0, "{dtype}");
        }
        let [zero, nan, infinity, lowest] = T::SPECIALS;
        assert_eq!(zero.is_some(), decode(dtype, 0).is_zero(), "{dtype}");
        assert!(zero.is_none_or(|zero| zero.f64().to_bits() == 0), "{dtype}");
        assert_eq!(nan.is_some(), info.has_nan, "{dtype}");
        let quiet = Exact::Nan { negative: false, payload: 0 };
        let canonical = encode(dtype, quiet, true, CastOptions::new().as_options(), 0);
        assert!(nan.is_none_or(|nan| Ok(nan.bits().into()) == canonical), "{dtype}");
        assert!(nan.is_none_or(|nan| nan.f64().is_nan()), "{dtype}");
        assert_eq!([infinity, lowest].map(|i| i.is_some()), [info.has_infinity; 2], "{dtype}");
        assert!(infinity.is_none_or(|i| i.f64() == f64::INFINITY), "{dtype}");
        assert!(lowest.is_none_or(|i| i.f64() == f64::NEG_INFINITY), "{dtype}");
    }
    for_each!(float check);
}

#[test]
fn limits_are_those_of_ml_dtypes() {
    // finfo of ml_dtypes: max, smallest_normal, smallest_subnormal, eps.
    fn check<T: Small>(limits: [f64; 4]) {
        let [max, _, normal, subnormal, eps, _] = T::LIMITS.map(T::f64);
        assert_eq!([max, normal, subnormal, eps], limits, "{}", T::DTYPE);
    }
    let two = |exponent: i32| 2f64.powi(exponent);
    check::<Float8E4M3Fn>([448.0, two(-6), two(-9), 0.125]);
    check::<Float8E5M2>([57344.0, two(-14), two(-16), 0.25]);
    check::<Float8E4M3Fnuz>([240.0, two(-7), two(-10), 0.125]);
    check::<Float8E5M2Fnuz>([57344.0, two(-15), two(-17), 0.25]);
    check::<Float8E4M3>([240.0, two(-6), two(-9), 0.125]);
    check::<Float8E3M4>([15.5, 0.25, two(-6), 0.0625]);
    check::<Float8E4M3B11Fnuz>([30.0, two(-10), two(-13), 0.125]);
    check::<Float8E8M0Fnu>([two(127), two(-127), two(-127), 1.0]);
    check::<Float6E2M3Fn>([7.5, 1.0, 0.125, 0.125]);
    check::<Float6E3M2Fn>([28.0, 0.25, 0.0625, 0.25]);
    check::<Float4E2M1Fn>([6.0, 1.0, 0.5, 0.5]);
}

#[test]
fn floats_compare_as_their_numbers() {
    fn check<T: Small>(dtype: DType) {
        let bytes = all_bytes();
        let values: &[T] = bytemuck::cast_slice(&bytes);
        let exact = |value: T| number(decode(dtype, value.bits().into()));
        for &a in values {
            for &b in values {
                let (x, y) = (exact(a), exact(b));
                let what = format!("{dtype} {:#x} {:#x}", a.bits(), b.bits());
                assert_eq!(a == b, x == y, "{what}");
                assert_eq!(a.partial_cmp(&b), x.partial_cmp(&y), "{what}");
                assert_eq!(a.order(b), b.order(a).reverse(), "{what}");
                assert_eq!(a.order(b).is_eq(), a.bits() == b.bits(), "{what}");
                // Among NaNs of one sign float64 here knows no order.
                if !(x.is_nan() && y.is_nan()) || x.to_bits() != y.to_bits() {
                    assert_eq!(a.order(b), x.total_cmp(&y), "{what}");
                }
            }
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(|a, b| a.order(*b));
        assert!(sorted.windows(2).all(|pair| pair[0].order(pair[1]).is_le()), "{dtype}");
    }
    for_each!(float check);
}

#[test]
fn casts_take_and_give_them() -> Result<(), Box<dyn std::error::Error>> {
    let mut codes = [Float6E2M3Fn::default(); 3];
    cast(&[UInt4::MAX, UInt4::wrapping(3), UInt4::MIN], &mut codes)?;
    assert_eq!(codes.map(f32::from), [7.5, 3.0, 0.0]);
    let dirty: [Int4; 2] = bytemuck::cast([0x0fu8, 0xf7]);
    let clean: Vec<Int4> = cast_vec(&dirty);
    assert_eq!(bytemuck::cast_slice::<Int4, u8>(&clean), [0xff, 0x07]);
    assert_eq!(clean, dirty);
    let mut bytes = [1u8, 2, 3];
    bytemuck::cast_slice_mut::<u8, Float8E5M2>(&mut bytes)[1] = Float8E5M2::INFINITY;
    assert_eq!(bytes, [1, 0x7c, 3]);
    Ok(())
}

#[cfg(feature = "serde")]
mod serde {
    use super::*;
    use ::serde::{Serialize, de::DeserializeOwned};
    use serde_json::{from_str, json, to_value};

    #[test]
    fn ints_are_their_numbers() {
        fn check<T: Narrow + Serialize + DeserializeOwned>(dtype: DType) {
            for byte in all_bytes() {
                let value: T = bytemuck::cast(byte);
                let json = to_value(value).expect("a number");
                assert_eq!(json, json!(value.get()), "{dtype}");
                assert_eq!(from_str::<T>(&json.to_string()).expect("the number"), value);
            }
            let beyond = T::LIMITS.1.get() + 1;
            let error = from_str::<T>(&beyond.to_string()).expect_err("out of range");
            assert!(error.to_string().starts_with(&format!("{beyond} does not fit {dtype}")));
            assert!(from_str::<T>("300").is_err() && from_str::<T>("\"1\"").is_err());
        }
        for_each!(int check);
    }

    #[test]
    fn floats_are_their_codes() {
        fn check<T: Small + Serialize + DeserializeOwned>(dtype: DType) {
            for byte in all_bytes() {
                let value: T = bytemuck::cast(byte);
                let json = to_value(value).expect("a number");
                assert_eq!(json, json!(byte & mask(dtype)), "{dtype}");
                let back: T = from_str(&json.to_string()).expect("the code");
                assert_eq!(back.bits(), value.bits(), "{dtype}");
                let dirty: T = from_str(&byte.to_string()).expect("any byte");
                assert_eq!(bytemuck::bytes_of(&dirty), [byte & mask(dtype)], "{dtype}");
            }
            assert!(from_str::<T>("256").is_err() && from_str::<T>("1.5").is_err());
        }
        for_each!(float check);
    }

    #[test]
    fn dtypes_are_their_names() {
        for dtype in DType::ALL {
            let json = to_value(dtype).expect("a name");
            assert_eq!(json, json!(dtype.name()));
            assert_eq!(from_str::<DType>(&json.to_string()).expect("the name"), dtype);
            for alias in dtype.aliases() {
                assert_eq!(from_str::<DType>(&json!(alias).to_string()).expect("alias"), dtype);
            }
        }
        let error = from_str::<DType>("\"float8_e4m3fm\"").expect_err("no such dtype");
        assert!(error.to_string().contains("the nearest name is float8_e4m3fn"), "{error}");
        assert!(from_str::<DType>("24").is_err());
    }
}
