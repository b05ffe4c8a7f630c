//! The options of a cast: what to do with a number that has no place in the destination, and how to
//! round. Their meaning, pair by pair, is defined in [`reference`](crate::reference).

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// What becomes of a number that an integer destination cannot hold. A float destination looks at
/// [`Options::saturate`] instead, and at [`Overflow::Error`].
///
/// ```
/// # use simdcast_kernels::Overflow;
/// assert_eq!("wrap".parse(), Ok(Overflow::Wrap));
/// assert_eq!(Overflow::Wrap.to_string(), "wrap");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overflow {
    /// As Rust's `as`: integers keep their low bits, floats clamp, NaN is 0.
    #[default]
    As,
    /// Everything keeps its low bits, floats too (after rounding, exactly); infinities and NaN are 0.
    Wrap,
    /// Everything clamps; NaN is 0.
    Saturate,
    /// The first element that has no place in the destination, integer or float, ends the cast.
    Error,
}

/// How a number between two neighbours of the destination chooses one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Rounding {
    /// To the nearest, ties to even, for floats; toward zero for integers; up to the next power of
    /// two for float8_e8m0fnu.
    #[default]
    Default,
    /// To the nearest, ties to even.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// Toward zero.
    TowardZero,
    /// Toward positive infinity.
    Up,
    /// Toward negative infinity.
    Down,
    /// Away from zero with the probability of the discarded fraction, drawn from Philox4x32-10: see
    /// [`reference`](crate::reference). The draws depend on an element's index alone, counted from
    /// [`Options::first_index`].
    Stochastic {
        /// The generator's key.
        seed: u64,
    },
}

impl Overflow {
    /// All of them, by code: as the C ABI numbers them.
    pub const ALL: [Self; 4] = [Self::As, Self::Wrap, Self::Saturate, Self::Error];

    /// The names that [`parse`](Self::parse) takes.
    pub const NAMES: &str = "as, wrap, saturate, error";

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::As => "as",
            Self::Wrap => "wrap",
            Self::Saturate => "saturate",
            Self::Error => "error",
        }
    }

    /// The code, as the C ABI numbers them.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The one with that code.
    pub const fn from_code(code: u8) -> Option<Self> {
        if (code as usize) < Self::ALL.len() { Some(Self::ALL[code as usize]) } else { None }
    }

    /// The one with that name, in lower or upper case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|overflow| overflow.name().eq_ignore_ascii_case(name))
    }
}

impl Rounding {
    /// The names that [`parse`](Self::parse) takes.
    pub const NAMES: &str =
        "default, toward_zero, up, down, nearest_away, stochastic, nearest_even";

    /// The name, in lower case and without the seed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::TowardZero => "toward_zero",
            Self::Up => "up",
            Self::Down => "down",
            Self::NearestAway => "nearest_away",
            Self::Stochastic { .. } => "stochastic",
            Self::NearestEven => "nearest_even",
        }
    }

    /// The code, as the C ABI numbers them.
    pub const fn code(self) -> u8 {
        match self {
            Self::Default => 0,
            Self::TowardZero => 1,
            Self::Up => 2,
            Self::Down => 3,
            Self::NearestAway => 4,
            Self::Stochastic { .. } => 5,
            Self::NearestEven => 6,
        }
    }

    /// The one with that code, as the C ABI numbers them. The seed matters for 5, stochastic, alone.
    pub const fn from_code(code: u8, seed: u64) -> Option<Self> {
        match code {
            0 => Some(Self::Default),
            1 => Some(Self::TowardZero),
            2 => Some(Self::Up),
            3 => Some(Self::Down),
            4 => Some(Self::NearestAway),
            5 => Some(Self::Stochastic { seed }),
            6 => Some(Self::NearestEven),
            _ => None,
        }
    }

    /// The one with that name, in lower or upper case; the seed is for `stochastic`.
    pub fn parse(name: &str, seed: u64) -> Option<Self> {
        (0..=6)
            .filter_map(|code| Self::from_code(code, seed))
            .find(|rounding| rounding.name().eq_ignore_ascii_case(name))
    }
}

/// See [`Overflow::parse`].
impl FromStr for Overflow {
    type Err = BadOption;

    fn from_str(name: &str) -> Result<Self, BadOption> {
        Self::parse(name).ok_or_else(|| BadOption::name("overflow", name, Self::NAMES))
    }
}

/// The name.
impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name, without the seed.
impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A value that an option cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadOption {
    /// The option.
    pub option: &'static str,
    /// What was given; a name in quotes.
    pub given: String,
    /// What it can be.
    pub allowed: &'static str,
}

impl BadOption {
    /// A name that stands for nothing.
    pub fn name(option: &'static str, given: &str, allowed: &'static str) -> Self {
        Self { option, given: format!("{given:?}"), allowed }
    }
}

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, given, allowed } = self;
        write!(f, "{option} cannot be {given}: it is one of {allowed}")
    }
}

impl core::error::Error for BadOption {}

/// Everything that may change what a cast stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    /// What becomes of a number that the destination cannot hold.
    pub overflow: Overflow,
    /// Whether the 8-bit floats clamp to the largest finite number rather than turn to infinity or NaN;
    /// float8_e8m0fnu to its smallest power, too. [`Overflow::Error`] does not look at it.
    pub saturate: bool,
    /// How numbers are rounded.
    pub rounding: Rounding,
    /// For [`Rounding::Stochastic`]: the index of the first element, so that the parts of a buffer
    /// can be cast one by one with the draws of the whole. Indices are counted modulo 2^64 (and
    /// of complex elements, which draw twice, the draws are the same again after 2^63).
    pub first_index: u64,
}

impl Options {
    /// [`Overflow::As`], `saturate`, [`Rounding::Default`].
    pub const DEFAULT: Self = Self {
        overflow: Overflow::As,
        saturate: true,
        rounding: Rounding::Default,
        first_index: 0,
    };

    /// Whether the law's defaults hold: what the kernels of the table do.
    pub const fn is_default(&self) -> bool {
        matches!(self.overflow, Overflow::As)
            && self.saturate
            && matches!(self.rounding, Rounding::Default)
    }
}

impl AsRef<Options> for Options {
    fn as_ref(&self) -> &Options {
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}
