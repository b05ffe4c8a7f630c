//! Options are serialised as the kernels', byte orders as their names.

use crate::options::{ByteOrder, CastOptions};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use simdcast_kernels::Options;
use simdcast_kernels::serialize::from_name;

/// As a struct of `overflow`, `saturate`, `rounding` and `first_index`.
///
/// ```
/// use simdcast::{CastOptions, Overflow, Rounding};
///
/// let options = CastOptions::new().overflow(Overflow::Error).rounding(Rounding::Stochastic { seed: 7 });
/// assert_eq!(
///     serde_json::to_string(&options)?,
///     r#"{"overflow":"error","saturate":true,"rounding":{"stochastic":{"seed":7}},"first_index":0}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for CastOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_options().serialize(serializer)
    }
}

/// From the same. What is left out has its default; another field is an error.
///
/// ```
/// use simdcast::{CastOptions, Rounding};
///
/// let options: CastOptions = serde_json::from_str(r#"{"rounding": "toward_zero"}"#)?;
/// assert_eq!(options, CastOptions::new().rounding(Rounding::TowardZero));
/// assert!(serde_json::from_str::<CastOptions>(r#"{"round": "up"}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for CastOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Options::deserialize(deserializer).map(Self::from)
    }
}

/// As its name.
impl Serialize for ByteOrder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// From what its [`FromStr`](std::str::FromStr) takes.
impl<'de> Deserialize<'de> for ByteOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_name(deserializer, Self::NAMES)
    }
}
