//! The integers narrower than a byte.

use super::for_each_newtype;
use bytemuck::{Pod, Zeroable};
use simdcast_kernels::{DType, Typed};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An integer that one of the narrow integers cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OutOfRange {
    /// The dtype that was to hold it.
    pub dtype: DType,
    /// The integer.
    pub value: i128,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not fit {}", self.value, self.dtype)?;
        match self.dtype.iinfo() {
            Some(info) => write!(f, ", which holds {} to {}", info.min, info.max),
            None => Ok(()),
        }
    }
}

impl std::error::Error for OutOfRange {}

/// `From` into every number type that holds all values: all of them fit `i8`, the unsigned ones `u8`.
macro_rules! widen {
    ($name:ident i8) => {
        widen! { $name => i8 i16 i32 i64 i128 isize f32 f64 }
    };
    ($name:ident u8) => {
        widen! { $name i8 }
        widen! { $name => u8 u16 u32 u64 u128 usize }
    };
    ($name:ident => $($wide:ident)*) => {$(
        impl From<$name> for $wide {
            #[inline]
            fn from(value: $name) -> $wide {
                value.get() as $wide
            }
        }
    )*};
}

macro_rules! narrow {
    ($name:ident <= $($wide:ident)*) => {$(
        impl TryFrom<$wide> for $name {
            type Error = OutOfRange;

            #[inline]
            fn try_from(value: $wide) -> Result<Self, OutOfRange> {
                let kept = Self::from_bits(value as u8);
                if kept.get() as i128 == value as i128 {
                    Ok(kept)
                } else {
                    Err(OutOfRange { dtype: DType::$name, value: value as i128 })
                }
            }
        }
    )*};
}

macro_rules! define {
    (
        ints { $($name:ident $int:ident $dtype:literal $min:literal $max:literal;)* }
        floats { $($floats:tt)* }
    ) => {$(
        #[doc = concat!("An integer of `", $dtype, "`: ", $min, " to ", $max, ".")]
        ///
        /// Any byte is a value. Its high bits, which the number leaves unused, are ignored: two
        /// values are equal, and hash alike, if their numbers are. `Default` is 0.
        ///
        /// With the feature `serde` it is serialised as its number.
        ///
        /// ```
        #[doc = concat!("use simdcast::", stringify!($name), ";")]
        ///
        #[doc = concat!("type T = ", stringify!($name), ";")]
        #[doc = concat!(
            "assert_eq!((T::MIN.get(), T::MAX.get()), (", $min, ", ", $max, "));"
        )]
        #[doc = concat!("assert_eq!(T::new(", $max, "), Some(T::MAX));")]
        #[doc = concat!("assert_eq!(T::new(", $max, " + 1), None);")]
        #[doc = concat!("assert_eq!(T::wrapping(", $max, " + 1), T::MIN);")]
        #[doc = concat!("assert_eq!(T::saturating(", $max, " + 1), T::MAX);")]
        #[doc = concat!("assert_eq!(T::try_from(", $max, "i64)?, T::MAX);")]
        #[doc = concat!("assert_eq!(i32::from(T::MIN), ", $min, ");")]
        ///
        /// let mut numbers = [T::default(); 3];
        /// simdcast::cast(&[0.9f32, -1e9, 1e9], &mut numbers)?;
        #[doc = concat!("assert_eq!(numbers, [T::wrapping(0), T::MIN, T::MAX]);")]
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Copy, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(u8);

        impl $name {
            /// Bits of a number.
            pub const BITS: u32 = <Self as Typed>::DTYPE.significant_bits() as u32;
            /// The lowest number.
            pub const MIN: Self = Self::wrapping($int::MIN >> Self::UNUSED);
            /// The highest number.
            pub const MAX: Self = Self::wrapping($int::MAX >> Self::UNUSED);

            const UNUSED: u32 = 8 - Self::BITS;

            /// The number, if it is one of these.
            #[inline]
            pub const fn new(value: $int) -> Option<Self> {
                let kept = Self::wrapping(value);
                if kept.get() == value { Some(kept) } else { None }
            }

            /// The number that has the low bits of `value`.
            #[inline]
            pub const fn wrapping(value: $int) -> Self {
                Self::from_bits(value as u8)
            }

            /// The number nearest to `value`.
            #[inline]
            pub const fn saturating(value: $int) -> Self {
                if value < Self::MIN.get() {
                    Self::MIN
                } else if value > Self::MAX.get() {
                    Self::MAX
                } else {
                    Self::wrapping(value)
                }
            }

            /// The number.
            #[inline]
            pub const fn get(self) -> $int {
                // Up and down again: the way down fills with the sign, or with zeros.
                (self.0 as $int) << Self::UNUSED >> Self::UNUSED
            }

            /// The number whose code is in the low bits of a byte; the others are ignored.
            #[inline]
            pub const fn from_bits(bits: u8) -> Self {
                Self(Self(bits).get() as u8)
            }

            /// The byte that a cast stores for this number: the unused bits are copies of the sign
            /// bit, or zeros if there is no sign.
            #[inline]
            pub const fn to_bits(self) -> u8 {
                self.get() as u8
            }
        }

        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.get() == other.get()
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            #[inline]
            fn cmp(&self, other: &Self) -> Ordering {
                self.get().cmp(&other.get())
            }
        }

        impl Hash for $name {
            #[inline]
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.get().hash(state);
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.get(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.get(), f)
            }
        }

        widen! { $name $int }
        narrow! { $name <= i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    )*};
}
for_each_newtype!(define);
