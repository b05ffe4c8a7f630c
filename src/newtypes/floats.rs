//! The floats of 8, 6 and 4 bits.
//!
//! A number is read from a table of all 256 bytes, made at compile time by the reference. It is made
//! by the reference itself, which is far slower than a kernel but rounds once, works in constants
//! and depends on no floating-point environment.

use super::for_each_newtype;
use bytemuck::{Pod, Zeroable};
use simdcast_kernels::format::{FloatFormat, Numbers};
use simdcast_kernels::reference::{decode, encode};
use simdcast_kernels::{DType, Exact, Options, Typed};
use std::cmp::Ordering;
use std::fmt;

const fn format_of(dtype: DType) -> FloatFormat {
    match dtype.numbers() {
        Numbers::Float(format) => format,
        _ => panic!("only a float dtype has a float format"),
    }
}

/// The code of a value in any float dtype, under the default options.
const fn rounded(dtype: DType, value: Exact) -> u64 {
    match encode(dtype, value, true, &Options::DEFAULT, 0) {
        Ok(code) => code,
        Err(_) => panic!("only Overflow::Error refuses a value"),
    }
}

/// What every byte reads as: float32 holds the numbers of all these formats.
const fn all_f32(dtype: DType) -> [f32; 256] {
    let mut numbers = [0.0; 256];
    let mut byte = 0;
    while byte < numbers.len() {
        let code = rounded(DType::Float32, decode(dtype, byte as u64));
        numbers[byte] = f32::from_bits(code as u32);
        byte += 1;
    }
    numbers
}

/// The same in float64. Widening the other table's numbers with `as` would leave the sign of a NaN
/// open, and turn the subnormal 2^-127 of e8m0 to zero where the environment says so.
const fn all_f64(dtype: DType) -> [f64; 256] {
    let mut numbers = [0.0; 256];
    let mut byte = 0;
    while byte < numbers.len() {
        numbers[byte] = f64::from_bits(rounded(DType::Float64, decode(dtype, byte as u64)));
        byte += 1;
    }
    numbers
}

const fn existing(code: Option<u64>) -> u8 {
    match code {
        Some(code) => code as u8,
        None => panic!("the list of newtypes gives this format a special that it lacks"),
    }
}

/// How many of the constants that only some formats have this one has.
const fn count_specials(format: FloatFormat) -> usize {
    format.has_zero() as usize
        + format.nan().is_some() as usize
        + 2 * format.infinity().is_some() as usize
}

/// The place of a code in the order of `total_cmp`.
const fn place(format: FloatFormat, code: u8) -> i16 {
    let magnitude = (code as u64 & !format.sign_mask()) as i16;
    let negative = magnitude != code as i16;
    if negative && magnitude == 0 && !format.has_negative_zero() {
        // The code that would be -0 is the only NaN, a positive one.
        i16::MAX
    } else if negative {
        -1 - magnitude
    } else {
        magnitude
    }
}

/// The constants that only some formats have.
macro_rules! special {
    (ZERO) => {
        /// Zero.
        pub const ZERO: Self = {
            assert!(Self::FORMAT.has_zero());
            Self(0)
        };
    };
    (NAN) => {
        /// The canonical NaN, positive where NaN has a sign.
        pub const NAN: Self = Self(existing(Self::FORMAT.nan()));
    };
    (INFINITY) => {
        /// Positive infinity.
        pub const INFINITY: Self = Self(existing(Self::FORMAT.infinity()));
    };
    (NEG_INFINITY) => {
        /// Negative infinity.
        pub const NEG_INFINITY: Self =
            Self(existing(Self::FORMAT.infinity()) | Self::FORMAT.sign_mask() as u8);
    };
}

macro_rules! define {
    (
        ints { $($ints:tt)* }
        floats {
            $($name:ident $dtype:literal $exponent:literal $fraction:literal $max:literal
                $rounded:literal [$($special:ident)*];)*
        }
    ) => {$(
        #[doc = concat!(
            "A number of `", $dtype, "`: exponent bits ", $exponent, ", fraction bits ", $fraction,
            ", largest number ", $max, "."
        )]
        ///
        /// Any byte is a value; bits that the code leaves unused are ignored. `==` and `<` compare
        /// numbers, as they do for `f32`: NaN is not equal to itself, -0 is equal to 0. `Default` is
        /// code 0: zero, or 2^-127 in `float8_e8m0fnu`, which has none.
        ///
        /// With the feature `serde` it is serialised as the byte of [`to_bits`](Self::to_bits), in
        /// JSON too, which has no NaN or infinity.
        ///
        /// ```
        #[doc = concat!("use simdcast::", stringify!($name), ";")]
        ///
        #[doc = concat!("type T = ", stringify!($name), ";")]
        #[doc = concat!("assert_eq!(T::MAX.to_f32(), ", $max, ");")]
        #[doc = concat!("assert_eq!(T::from_f32(2.2).to_f64(), ", $rounded, ");")]
        /// assert_eq!(T::from_f64(1e300), T::MAX);
        ///
        /// let mut numbers = [T::default(); 3];
        /// simdcast::cast(&[1.0f64, 2.2, f64::INFINITY], &mut numbers)?;
        #[doc = concat!("assert_eq!(numbers.map(f32::from), [1.0, ", $rounded, ", ", $max, "]);")]
        /// # Ok::<(), simdcast::CastError>(())
        /// ```
        #[derive(Clone, Copy, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(u8);

        const _: () = {
            let listed: &[$name] = &[$($name::$special),*];
            assert!(
                listed.len() == count_specials($name::FORMAT),
                "the list of newtypes lacks a special that this format has"
            );
        };

        impl $name {
            const FORMAT: FloatFormat = format_of(<Self as Typed>::DTYPE);
            const MASK: u8 = Self::FORMAT.mask() as u8;

            /// The largest finite number.
            pub const MAX: Self = Self(Self::FORMAT.max_finite() as u8);
            /// The lowest finite number.
            pub const MIN: Self = if Self::FORMAT.signed() {
                Self((Self::FORMAT.max_finite() | Self::FORMAT.sign_mask()) as u8)
            } else {
                Self(0)
            };
            /// The smallest positive number with the full precision.
            pub const MIN_POSITIVE: Self =
                Self((Self::FORMAT.has_zero() as u8) << Self::FORMAT.mantissa_bits);
            /// The smallest positive number.
            pub const MIN_POSITIVE_SUBNORMAL: Self = Self(Self::FORMAT.has_zero() as u8);
            /// The distance from 1 to the next larger number.
            pub const EPSILON: Self = Self::round(Exact::Finite {
                negative: false,
                significand: 1,
                exponent: -(Self::FORMAT.mantissa_bits as i32),
            });
            /// One.
            pub const ONE: Self = Self::round(Exact::from_u64(1));
            $(special!($special);)*

            const fn round(value: Exact) -> Self {
                Self(rounded(<Self as Typed>::DTYPE, value) as u8)
            }

            /// The number nearest to `value`, as [`cast`](crate::cast()) has it: rounded once, under
            /// the default options. What is too large, infinity too, gives the largest finite number;
            /// NaN gives NaN, or a zero with the other sign where there is none.
            ///
            /// Slices are better left to `cast`, which is many times faster and gives the same.
            pub const fn from_f32(value: f32) -> Self {
                Self::round(decode(DType::Float32, value.to_bits() as u64))
            }

            /// As [`from_f32`](Self::from_f32), from an `f64`: rounded once.
            pub const fn from_f64(value: f64) -> Self {
                Self::round(decode(DType::Float64, value.to_bits()))
            }

            /// The number, exactly.
            #[inline]
            pub const fn to_f32(self) -> f32 {
                static NUMBERS: [f32; 256] = all_f32(DType::$name);
                NUMBERS[self.0 as usize]
            }

            /// The number, exactly.
            #[inline]
            pub const fn to_f64(self) -> f64 {
                static NUMBERS: [f64; 256] = all_f64(DType::$name);
                NUMBERS[self.0 as usize]
            }

            /// The number whose code is in the low bits of a byte; others, if any, are ignored.
            #[inline]
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits & Self::MASK)
            }

            /// The code, in the byte that a cast stores for it: unused bits are zeros.
            #[inline]
            pub const fn to_bits(self) -> u8 {
                self.0 & Self::MASK
            }

            /// Whether this is a NaN.
            #[inline]
            pub const fn is_nan(self) -> bool {
                self.to_f32().is_nan()
            }

            /// Whether this is an infinity.
            #[inline]
            pub const fn is_infinite(self) -> bool {
                self.to_f32().is_infinite()
            }

            /// Whether this is neither an infinity nor a NaN.
            #[inline]
            pub const fn is_finite(self) -> bool {
                self.to_f32().is_finite()
            }

            /// Whether the sign is negative: of a number, -0, or a NaN that has one. The NaN of the
            /// `fnuz` formats is positive, and so is everything in `float8_e8m0fnu`.
            #[inline]
            pub const fn is_sign_negative(self) -> bool {
                self.to_f32().is_sign_negative()
            }

            /// The total order of IEEE 754, as [`f32::total_cmp`] has it: negative NaNs, -infinity,
            /// the numbers with -0 before 0, infinity, positive NaNs. Only equal codes are equal.
            #[inline]
            pub const fn total_cmp(&self, other: &Self) -> Ordering {
                let (a, b) = (
                    place(Self::FORMAT, self.to_bits()),
                    place(Self::FORMAT, other.to_bits()),
                );
                if a < b {
                    Ordering::Less
                } else if a > b {
                    Ordering::Greater
                } else {
                    Ordering::Equal
                }
            }
        }

        // The one number that is subnormal in float32, 2^-127 of e8m0, has no zero to be taken for
        // where the environment flushes: these hold in any.
        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl PartialOrd for $name {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }

        impl From<$name> for f32 {
            #[inline]
            fn from(value: $name) -> f32 {
                value.to_f32()
            }
        }

        impl From<$name> for f64 {
            #[inline]
            fn from(value: $name) -> f64 {
                value.to_f64()
            }
        }

        as_f32! { $name Display Debug LowerExp UpperExp }
    )*};
}

/// Formats the number as `f32` does.
macro_rules! as_f32 {
    ($name:ident $($trait:ident)*) => {$(
        impl fmt::$trait for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::$trait::fmt(&self.to_f32(), f)
            }
        }
    )*};
}

for_each_newtype!(define);
