//! Exact values: what a code stands for, with nothing rounded away.

use crate::dtypes::DType;
use crate::options::Options;
use crate::reference::encode;
use core::fmt;

/// The value of a real number's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// `significand * 2^exponent`, negated if `negative`. Zero has significand 0 and may be negative.
    Finite {
        /// The sign.
        negative: bool,
        /// The magnitude in units of `2^exponent`.
        significand: u64,
        /// The weight of the significand's lowest bit.
        exponent: i32,
    },
    /// An infinity.
    Infinity {
        /// The sign.
        negative: bool,
    },
    /// Not a number.
    Nan {
        /// The sign.
        negative: bool,
        /// The fraction field, quiet bit included, as float64 would have it; 0 where the format's
        /// NaNs carry none.
        payload: u64,
    },
}

/// Past the exponents of all dtypes, of which float64's are the furthest from zero, with 64 bits of a significand to spare.
const FAR: i32 = 2000;

/// A float64's field holds the exponent while it is rounded: 12 bits above the fraction's 52, one more than the format has.
const _: () = assert!(1100 + 64 < FAR && FAR + 64 + 1022 < 1 << 12);

impl Exact {
    /// The integer 0 or 1.
    pub const fn from_bool(value: bool) -> Self {
        Self::Finite { negative: false, significand: value as u64, exponent: 0 }
    }

    /// A signed integer.
    pub const fn from_i64(value: i64) -> Self {
        Self::Finite { negative: value < 0, significand: value.unsigned_abs(), exponent: 0 }
    }

    /// An unsigned integer.
    pub const fn from_u64(value: u64) -> Self {
        Self::Finite { negative: false, significand: value, exponent: 0 }
    }

    /// Whether this is zero of either sign.
    pub const fn is_zero(self) -> bool {
        matches!(self, Self::Finite { significand: 0, .. })
    }

    /// Whether this is a NaN.
    pub const fn is_nan(self) -> bool {
        matches!(self, Self::Nan { .. })
    }

    /// The same value as a float64: of the numbers of any dtype exactly, but for integers of more than
    /// 53 bits, which are rounded to the nearest. A NaN keeps its sign and its payload, and is quiet.
    ///
    /// ```
    /// # use simdcast_kernels::Exact;
    /// assert_eq!(Exact::from_i64(-3).to_f64(), -3.0);
    /// assert_eq!(Exact::from_u64(u64::MAX).to_f64(), u64::MAX as f64);
    /// assert_eq!(Exact::Infinity { negative: true }.to_f64(), f64::NEG_INFINITY);
    /// ```
    pub const fn to_f64(self) -> f64 {
        // (By its bits: what a product comes to is up to the floating-point environment.)
        match encode(DType::Float64, self.reduced(), true, &Options::DEFAULT, 0) {
            Ok(code) => f64::from_bits(code),
            Err(_) => panic!("a cast under the default options refuses nothing"),
        }
    }

    /// The integer that the value is, if it is one, and less than 2^127 on either side of zero.
    ///
    /// ```
    /// # use simdcast_kernels::Exact;
    /// assert_eq!(Exact::from_u64(u64::MAX).to_i128(), Some(u64::MAX.into()));
    /// assert_eq!(Exact::Finite { negative: true, significand: 3, exponent: -1 }.to_i128(), None);
    /// ```
    pub const fn to_i128(self) -> Option<i128> {
        match self.reduced() {
            Self::Finite { negative, significand, exponent: exponent @ 0..127 }
                if significand.leading_zeros() as i32 + 63 >= exponent =>
            {
                let magnitude = (significand as i128) << exponent;
                Some(if negative { -magnitude } else { magnitude })
            }
            _ => None,
        }
    }

    /// Whether two values are the same number: 0 equals -0, and a NaN any NaN.
    pub const fn same_number(self, other: Self) -> bool {
        match (self.reduced(), other.reduced()) {
            (Self::Nan { .. }, Self::Nan { .. }) => true,
            (Self::Infinity { negative: a }, Self::Infinity { negative: b }) => a == b,
            (
                Self::Finite { negative: a, significand: s, exponent: e },
                Self::Finite { negative: b, significand: t, exponent: f },
            ) => s == t && (s == 0 || (a == b && e == f)),
            _ => false,
        }
    }

    /// The same value with an odd significand, or 0 * 2^0; where the exponent can't be that large, with the largest, which is one
    /// form, too.
    const fn reduced(self) -> Self {
        match self {
            Self::Finite { negative, significand: 0, .. } => {
                Self::Finite { negative, significand: 0, exponent: 0 }
            }
            Self::Finite { negative, significand, exponent } => {
                let (zeros, most) = (significand.trailing_zeros(), exponent.abs_diff(i32::MAX));
                let zeros = if zeros < most { zeros } else { most };
                Self::Finite {
                    negative,
                    significand: significand >> zeros,
                    exponent: exponent + zeros as i32,
                }
            }
            other => other,
        }
    }

    /// A value that becomes the same in every dtype, and whose exponent can be calculated with: a number that is further from 1
    /// than those of all dtypes are comes nearer, but not near.
    pub(crate) const fn in_reach(self) -> Self {
        match self {
            Self::Finite { negative, significand, exponent } if exponent > FAR => {
                Self::Finite { negative, significand, exponent: FAR }
            }
            Self::Finite { negative, significand, exponent } if exponent < -FAR => {
                Self::Finite { negative, significand, exponent: -FAR }
            }
            near => near,
        }
    }
}

/// Integers below 2^64 in full, other numbers as the shortest decimal that names their float64 (every dtype's
/// numbers are exact in float64 or in 64-bit integers), with an exponent where they are smaller than 2^-14 or not below 2^64.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reduced() {
            Self::Nan { negative, .. } => f.pad(if negative { "-NaN" } else { "NaN" }),
            Self::Infinity { negative } => f.pad(if negative { "-inf" } else { "inf" }),
            Self::Finite { negative, significand, exponent }
                if (0..=significand.leading_zeros() as i32).contains(&exponent) =>
            {
                f.pad_integral(!negative, "", Digits::of(significand << exponent).as_str())
            }
            Self::Finite { significand, exponent, .. } => {
                let value = self.to_f64();
                let leading = exponent.saturating_add(63 - significand.leading_zeros() as i32);
                if (-14..64).contains(&leading) {
                    fmt::Display::fmt(&value, f)
                } else {
                    fmt::LowerExp::fmt(&value, f)
                }
            }
        }
    }
}

/// The decimal digits of an integer.
struct Digits {
    text: [u8; 20],
    start: usize,
}

impl Digits {
    fn of(mut value: u64) -> Self {
        let mut digits = Self { text: [b'0'; 20], start: 20 };
        loop {
            digits.start -= 1;
            digits.text[digits.start] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                return digits;
            }
        }
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.text[self.start..]).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::reference::decode;
    use std::format;
    use std::string::ToString;

    #[test]
    fn is_a_number_of_rust_where_there_is_one() {
        for v in [0.0, -0.0, 1.5, -1e300, 5e-324, f64::MAX, f64::NEG_INFINITY, -f64::NAN] {
            assert_eq!(decode(DType::Float64, v.to_bits()).to_f64().to_bits(), v.to_bits(), "{v}");
        }
        // A NaN that is not quiet becomes so.
        let (signalling, quiet) = (0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0001);
        assert_eq!(decode(DType::Float64, signalling).to_f64().to_bits(), quiet);
        let finite = |significand, exponent| {
            Exact::Finite { negative: true, significand, exponent }.to_i128()
        };
        assert_eq!(Exact::from_i64(i64::MIN).to_i128(), Some(i64::MIN.into()));
        assert_eq!([finite(0, 0), finite(0, -9), finite(0, 999)], [Some(0); 3]);
        assert_eq!([finite(12, -2), finite(12, -3)], [Some(-3), None]);
        assert_eq!(finite(u64::MAX, 63), Some(i128::MIN + (1 << 63)));
        assert_eq!([finite(1, 126), finite(1, 127)], [Some(-1 << 126), None]);
        assert_eq!([finite(u64::MAX, 64), finite(1, -1)], [None; 2]);
        assert_eq!(Exact::Infinity { negative: false }.to_i128(), None);
    }

    #[test]
    fn prints_as_rust_prints_the_number() {
        let some = [0.0f64, 0.1, -2.5, 1e300, 5e-324, -1e-310, 448.0, 1e22, 123456789.0];
        let steps = (0..28_000).map(|i| f64::from_bits(i * 0x1_2345_6789_abcd));
        let steps = steps.take_while(|v| v.is_finite());
        let powers = (0..0x7ff).map(|field| f64::from_bits(field << 52));
        let subnormal = (0..52).map(|bit| f64::from_bits(1 << bit));
        let ends = powers.flat_map(|power| [power, power.next_down(), power.next_up()]);
        for v in some.into_iter().chain(steps).chain(subnormal).chain(ends) {
            let shown = decode(DType::Float64, v.to_bits()).to_string();
            assert_eq!(shown.parse::<f64>().map(f64::to_bits), Ok(v.to_bits()), "{v} as {shown}");
        }
        // What float64 does not hold is as near as it gets.
        let finite = |significand, exponent| {
            Exact::Finite { negative: true, significand, exponent }.to_string()
        };
        assert_eq!(finite(u64::MAX, -1), "-9223372036854776000");
        for (value, shown) in [
            (0.3, "0.3"),
            (-123.456, "-123.456"),
            (2f64.powi(-14), "0.00006103515625"),
            (2f64.powi(-15), "3.0517578125e-5"),
            (0.1 * 2f64.powi(70), "1.1805916207174114e20"),
        ] {
            assert_eq!(decode(DType::Float64, value.to_bits()).to_string(), shown);
        }
        for far in [1025, 2000, 2001, 3073, 4000, 5000, i32::MAX - 1, i32::MAX] {
            assert_eq!([finite(1, far), finite(6, far)], ["-inf"; 2], "{far}");
        }
        for far in [-1139, -1140, -2000, -2001, -5000, i32::MIN + 1, i32::MIN] {
            assert_eq!([finite(1, far), finite(u64::MAX, far)], ["-0e0"; 2], "{far}");
        }
        assert_eq!(Exact::from_u64(u64::MAX).to_string(), "18446744073709551615");
        assert_eq!(Exact::from_i64(i64::MIN).to_string(), "-9223372036854775808");
        assert_eq!(format!("{:>6}", Exact::from_i64(-7)), "    -7");
        assert_eq!(decode(DType::Float32, 0xffc0_0000).to_string(), "-NaN");
        assert_eq!(decode(DType::Float16, 0xfc00).to_string(), "-inf");
        assert_eq!(decode(DType::Float16, 0x8000).to_string(), "-0");
    }

    #[test]
    fn sameness_ignores_the_sign_of_zero_and_the_unit() {
        let two = Exact::Finite { negative: false, significand: 2, exponent: 0 };
        let two_again = Exact::Finite { negative: false, significand: 1, exponent: 1 };
        let minus_zero = Exact::Finite { negative: true, significand: 0, exponent: 7 };
        assert!(two.same_number(two_again));
        assert!(Exact::from_u64(0).same_number(minus_zero));
        assert!(!two.same_number(Exact::from_i64(-2)));
        assert!(!two.same_number(Exact::Nan { negative: false, payload: 0 }));
        let far = |significand, exponent| Exact::Finite { negative: false, significand, exponent };
        assert!(far(4, i32::MAX - 1).same_number(far(2, i32::MAX)));
        assert!(!far(4, i32::MAX).same_number(far(2, i32::MAX)));
    }
}
