//! What a cast can be told: the options, and the order of bytes.

use crate::error::CastError;
use simdcast_kernels::{BadOption, DType, Options, Overflow, Rounding};
use std::fmt;
use std::str::FromStr;

/// Names both ways: the one that is shown, and those that are taken, in lower or upper case.
macro_rules! named {
    ($type:ident $option:literal $names:literal { $($variant:ident $name:literal)* }) => {
        impl $type {
            /// All of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Their names, which [`FromStr`] takes.
            pub const NAMES: &str = $names;

            /// The name, in lower case.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        /// In lower or upper case.
        impl FromStr for $type {
            type Err = BadOption;

            fn from_str(name: &str) -> Result<Self, BadOption> {
                let named = |known: &Self| known.name().eq_ignore_ascii_case(name);
                let bad = || BadOption::name($option, name, Self::NAMES);
                Self::ALL.into_iter().find(named).ok_or_else(bad)
            }
        }

        /// The name.
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// How a cast treats what has no place in the destination, and how it rounds. An option that cannot
/// affect a pair is ignored.
///
/// ```
/// use simdcast::{CastOptions, Overflow, Rounding, cast_with};
///
/// let options = CastOptions::new().overflow(Overflow::Wrap).rounding(Rounding::NearestEven);
/// let mut bytes = [0u8; 3];
/// cast_with(&[2.5f32, 300.7, -1.0], &mut bytes, &options)?;
/// assert_eq!(bytes, [2, 45, 255]);
/// # Ok::<(), simdcast::CastError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[must_use = "options change nothing but the casts that are given them"]
pub struct CastOptions {
    options: Options,
}

/// ONNX's `round_mode` of casts to float8_e8m0fnu.
///
/// ```
/// use simdcast::{CastOptions, DType, OnnxRounding};
///
/// let mode: OnnxRounding = "nearest".parse()?; // as the attribute has it
/// let options = CastOptions::onnx(DType::Float32, DType::Float8E8M0Fnu, true, mode);
/// assert_eq!(simdcast::cast_vec_with::<_, simdcast::Float8E8M0Fnu>(&[1.4f32], &options)?[0].to_f32(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnnxRounding {
    /// `"up"`, the default.
    #[default]
    Up,
    /// `"down"`.
    Down,
    /// `"nearest"`.
    Nearest,
}

named!(OnnxRounding "round_mode" "up, down, nearest" { Up "up" Down "down" Nearest "nearest" });

impl CastOptions {
    /// The defaults: [`Overflow::As`], saturating, [`Rounding::Default`].
    pub const fn new() -> Self {
        Self { options: Options::DEFAULT }
    }

    /// What becomes of a number that an integer destination cannot hold; with [`Overflow::Error`],
    /// of one that any destination cannot.
    pub const fn overflow(mut self, overflow: Overflow) -> Self {
        self.options.overflow = overflow;
        self
    }

    /// Whether the 8-bit floats clamp to their largest finite number, rather than turn to infinity
    /// or NaN; `float8_e8m0fnu` to its smallest, too. [`Overflow::Error`] does not look at it.
    pub const fn saturate(mut self, saturate: bool) -> Self {
        self.options.saturate = saturate;
        self
    }

    /// How numbers between two of the destination's are rounded.
    pub const fn rounding(mut self, rounding: Rounding) -> Self {
        self.options.rounding = rounding;
        self
    }

    /// For [`Rounding::Stochastic`]: the index, in the whole, of the first element cast, so that a
    /// buffer cast in parts draws what it would draw in one. Indices are counted modulo 2^64. Where
    /// either side is complex, element i draws number 2i for its real and 2i + 1 for its imaginary
    /// part, and what element i + 2^63 draws.
    ///
    /// ```
    /// use simdcast::{CastOptions, Rounding, cast_vec_with};
    ///
    /// let options = CastOptions::new().rounding(Rounding::Stochastic { seed: 7 });
    /// let values: Vec<f32> = (0..64).map(|i| i as f32 + 0.25).collect();
    /// let whole: Vec<i8> = cast_vec_with(&values, &options)?;
    /// let mut parts: Vec<i8> = cast_vec_with(&values[..13], &options)?;
    /// parts.extend(cast_vec_with::<f32, i8>(&values[13..], &options.first_index(13))?);
    /// assert_eq!(parts, whole);
    /// // About a quarter of them have moved up.
    /// assert!(whole.iter().enumerate().all(|(i, &n)| n == i as i8 || n == i as i8 + 1));
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub const fn first_index(mut self, index: u64) -> Self {
        self.options.first_index = index;
        self
    }

    /// Options by the codes of the C ABI.
    ///
    /// # Errors
    /// [`CastError::BadOption`] for a code that stands for nothing.
    pub fn from_codes(
        overflow: u8,
        saturate: u8,
        rounding: u8,
        seed: u64,
        first_index: u64,
    ) -> Result<Self, CastError> {
        let bad =
            |option, given: u8, allowed| BadOption { option, given: given.to_string(), allowed };
        let options = Options {
            overflow: Overflow::from_code(overflow).ok_or_else(|| {
                bad("overflow", overflow, "0 (as), 1 (wrap), 2 (saturate), 3 (error)")
            })?,
            saturate: match saturate {
                0 => false,
                1 => true,
                _ => return Err(bad("saturate", saturate, "0, 1").into()),
            },
            rounding: Rounding::from_code(rounding, seed).ok_or_else(|| {
                bad(
                    "rounding",
                    rounding,
                    "0 (default), 1 (toward zero), 2 (up), 3 (down), 4 (nearest away), \
                     5 (stochastic), 6 (nearest even)",
                )
            })?,
            first_index,
        };
        Ok(Self { options })
    }

    /// Options by name: see [`Overflow::NAMES`] and [`Rounding::NAMES`]; `seed` is for `stochastic`.
    ///
    /// # Errors
    /// [`CastError::BadOption`] for a name that stands for nothing.
    ///
    /// ```
    /// use simdcast::CastOptions;
    ///
    /// assert_eq!(CastOptions::from_names("as", "default", 0)?, CastOptions::new());
    /// assert!(CastOptions::from_names("clip", "default", 0).is_err());
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn from_names(overflow: &str, rounding: &str, seed: u64) -> Result<Self, CastError> {
        let rounding = Rounding::parse(rounding, seed)
            .ok_or_else(|| BadOption::name("rounding", rounding, Rounding::NAMES))?;
        Ok(Self::new().overflow(overflow.parse()?).rounding(rounding))
    }

    /// What Rust's `as` does, for every pair: the defaults. Between Rust's own number types the two
    /// agree to the bit, but for the payloads of NaNs, which `as` leaves open.
    pub const fn rust_as(_from: DType, _to: DType) -> Self {
        Self::new()
    }

    /// What ONNX's Cast does: the defaults with its `saturate` (1 by default), its `round_mode` for
    /// float8_e8m0fnu, and integers of 4 and 2 bits that keep the low bits of floats too, as ONNX's
    /// test files have it.
    ///
    /// ONNX leaves open what other integers become of floats out of range. Its reference
    /// implementation rounds float64 twice on the way to 16 bits and fewer; here it is once.
    pub const fn onnx(_from: DType, to: DType, saturate: bool, round_mode: OnnxRounding) -> Self {
        let options = Self::new().saturate(saturate);
        match to.logical() {
            DType::Float8E8M0Fnu => options.rounding(match round_mode {
                OnnxRounding::Up => Rounding::Up,
                OnnxRounding::Down => Rounding::Down,
                OnnxRounding::Nearest => Rounding::NearestEven,
            }),
            DType::Int4 | DType::UInt4 | DType::Int2 | DType::UInt2 => {
                options.overflow(Overflow::Wrap)
            }
            _ => options,
        }
    }

    /// What NumPy's `astype` does: integers keep low bits, whatever they come from.
    ///
    /// NumPy leaves floats out of an integer's range, infinities and NaNs to the CPU. On x86-64 its
    /// result is often that of a conversion to 32 or 64 bits cut to size, as here, and else the lowest
    /// integer; infinities and NaNs are 0 here. It keeps signalling NaNs signalling between float16
    /// and other floats.
    pub const fn numpy(_from: DType, _to: DType) -> Self {
        Self::new().overflow(Overflow::Wrap).saturate(false)
    }

    /// What ml_dtypes' `astype` does: as NumPy, with the 8-bit floats turning to infinity or NaN and
    /// float8_e8m0fnu rounded to nearest.
    ///
    /// Some results differ, with its version 0.6.0 for one. It rounds float64 and integers of 32 and
    /// 64 bits twice on the way to its types; here it is once. NaNs lose their payload on the way to
    /// bfloat16 and stay signalling on the way from it, and the NaN of the `fnuz` formats comes out
    /// negative; here it is positive. Positive numbers below 2^-126 become other powers in
    /// float8_e8m0fnu than the nearest, and the smallest where here that would be out of range, hence
    /// NaN. Floats out of an integer's range are left to the CPU, and the infinities of 8-bit floats
    /// clamp; here the low bits are kept and infinities are 0. Its complex32 and bcomplex32 become each
    /// other and bool in a way of their own.
    pub const fn ml_dtypes(_from: DType, to: DType) -> Self {
        let options = Self::new().overflow(Overflow::Wrap).saturate(false);
        match to.logical() {
            DType::Float8E8M0Fnu => options.rounding(Rounding::NearestEven),
            _ => options,
        }
    }

    /// The options as the kernels take them.
    pub const fn as_options(&self) -> &Options {
        &self.options
    }
}

impl From<Options> for CastOptions {
    fn from(options: Options) -> Self {
        Self { options }
    }
}

impl From<CastOptions> for Options {
    fn from(options: CastOptions) -> Self {
        options.options
    }
}

impl AsRef<Options> for CastOptions {
    fn as_ref(&self) -> &Options {
        &self.options
    }
}

/// The order of the bytes of a number in memory.
///
/// ```
/// use simdcast::ByteOrder;
///
/// assert_eq!("BIG".parse(), Ok(ByteOrder::Big));
/// let error = "middle".parse::<ByteOrder>().unwrap_err();
/// assert_eq!(error.to_string(), "byte order cannot be \"middle\": it is one of native, little, big");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The machine's own.
    #[default]
    Native,
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

named!(ByteOrder "byte order" "native, little, big" {
    Native "native" Little "little" Big "big"
});

impl ByteOrder {
    /// Whether it is not the machine's own.
    pub const fn is_swapped(self) -> bool {
        match self {
            Self::Native => false,
            Self::Little => cfg!(target_endian = "big"),
            Self::Big => cfg!(target_endian = "little"),
        }
    }

    /// The machine's own, or the other one.
    pub(crate) const fn of(swapped: bool) -> Self {
        match swapped {
            false => Self::Native,
            true if cfg!(target_endian = "big") => Self::Little,
            true => Self::Big,
        }
    }
}
