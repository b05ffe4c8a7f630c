//! A [`DType`] is serialised as its name, in every format: names are what people and other libraries
//! write, and [`DType::parse`] takes their other spellings too.

use crate::dtypes::DType;
use core::fmt;
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
        deserializer.deserialize_str(Name)
    }
}

struct Name;

impl Visitor<'_> for Name {
    type Value = DType;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a dtype")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<DType, E> {
        name.parse().map_err(E::custom)
    }
}
