//! How the newtypes are serialised: an integer as its number, a float as its code, since JSON and its
//! like have no NaN, no infinity and, in part, no -0. A code is a small number in every format.

use super::{for_each_newtype, *};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

macro_rules! define {
    (
        ints { $($int:ident $as:ident $iname:literal $min:literal $max:literal;)* }
        floats {
            $($float:ident $fname:literal $e:literal $m:literal $most:literal $rounded:literal
                [$($special:ident)*];)*
        }
    ) => {
        $(
            /// As the number.
            impl Serialize for $int {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    self.get().serialize(serializer)
                }
            }

            /// From the number; one out of range is an error.
            impl<'de> Deserialize<'de> for $int {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    Self::try_from($as::deserialize(deserializer)?).map_err(D::Error::custom)
                }
            }
        )*
        $(
            /// As the byte of `to_bits`.
            impl Serialize for $float {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    self.to_bits().serialize(serializer)
                }
            }

            /// From any byte, as `from_bits` takes it.
            impl<'de> Deserialize<'de> for $float {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    u8::deserialize(deserializer).map(Self::from_bits)
                }
            }
        )*
    };
}
for_each_newtype!(define);
