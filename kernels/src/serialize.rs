//! A [`DType`] is serialised as its name, in every format: names are what people and other libraries
//! write, and [`DType::parse`] takes their other spellings too. So are options that have one.

use crate::dtypes::DType;
use crate::options::Overflow;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// As its name.
impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// From what [`DType::parse`] takes.
impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_name(deserializer, "the name of a dtype")
    }
}

/// As its name.
impl Serialize for Overflow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// From what [`Overflow::parse`] takes.
impl<'de> Deserialize<'de> for Overflow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_name(deserializer, Self::NAMES)
    }
}

/// What has a name, from that. In an error it is told what was expected.
///
/// # Errors
/// The deserialiser's, that there is no string; and that of the type, that it is no name.
pub fn from_name<'de, T, D>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_str(Name(expected, PhantomData))
}

struct Name<T>(&'static str, PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Name<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        name.parse().map_err(E::custom)
    }
}
