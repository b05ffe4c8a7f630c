//! Rust types for the dtypes that Rust has none for: integers and floats narrower than a byte, and
//! the 8-bit floats. Each is a byte that reads as a number.
//!
//! Any byte is a value of any of them, so that a slice of bytes from anywhere can be viewed as a
//! slice of numbers: the bits that a number leaves of its byte are ignored when it is read and
//! compared, and filled when it is made.

mod floats;
mod ints;
#[cfg(feature = "serde")]
mod serialize;

pub use floats::*;
pub use ints::*;

use crate::element::plain_data;
use simdcast_kernels::{DType, Typed};

/// Hands the list of newtypes to the macro named by its argument. A type is called as the variant of
/// its dtype. What else a row has is for the docs and their examples, which run; all that the code
/// needs to know comes from the dtype, but for the specials, which decide what constants there are.
macro_rules! for_each_newtype {
    ($then:ident) => {
        $then! {
            ints {
                // type, the integer that it is read as, dtype, lowest, highest
                Int1 i8 "int1" -1 0;
                Int2 i8 "int2" -2 1;
                Int4 i8 "int4" -8 7;
                UInt1 u8 "uint1" 0 1;
                UInt2 u8 "uint2" 0 3;
                UInt4 u8 "uint4" 0 15;
            }
            floats {
                // type, dtype, bits of exponent and fraction, largest, what 2.2 is rounded to, specials
                Float8E4M3Fn "float8_e4m3fn" 4 3 448.0 2.25 [ZERO NAN];
                Float8E5M2 "float8_e5m2" 5 2 57344.0 2.0 [ZERO NAN INFINITY NEG_INFINITY];
                Float8E4M3Fnuz "float8_e4m3fnuz" 4 3 240.0 2.25 [ZERO NAN];
                Float8E5M2Fnuz "float8_e5m2fnuz" 5 2 57344.0 2.0 [ZERO NAN];
                Float8E4M3 "float8_e4m3" 4 3 240.0 2.25 [ZERO NAN INFINITY NEG_INFINITY];
                Float8E3M4 "float8_e3m4" 3 4 15.5 2.25 [ZERO NAN INFINITY NEG_INFINITY];
                Float8E4M3B11Fnuz "float8_e4m3b11fnuz" 4 3 30.0 2.25 [ZERO NAN];
                Float8E8M0Fnu "float8_e8m0fnu" 8 0 1.7014118e38 4.0 [NAN];
                Float6E2M3Fn "float6_e2m3fn" 2 3 7.5 2.25 [ZERO];
                Float6E3M2Fn "float6_e3m2fn" 3 2 28.0 2.0 [ZERO];
                Float4E2M1Fn "float4_e2m1fn" 2 1 6.0 2.0 [ZERO];
            }
        }
    };
}
use for_each_newtype;

macro_rules! elements {
    (
        ints { $($int:ident $as:ident $iname:literal $min:literal $max:literal;)* }
        floats {
            $($float:ident $fname:literal $e:literal $m:literal $most:literal $rounded:literal
                [$($special:ident)*];)*
        }
    ) => {
        $(impl Typed for $int {
            const DTYPE: DType = DType::$int;
        })*
        $(impl Typed for $float {
            const DTYPE: DType = DType::$float;
        })*
        plain_data! { $($int)* $($float)* }
    };
}
for_each_newtype!(elements);
