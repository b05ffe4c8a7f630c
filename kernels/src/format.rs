//! Number formats as data. A dtype's numbers are a [`Numbers`]: everything that decoding, rounding,
//! limits and questions such as "is this cast lossless" need to know, and nothing about storage.

/// What the codes of a real dtype stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numbers {
    /// False and true; the integers 0 and 1 where a number is wanted.
    Bool,
    /// Two's complement or unsigned integers.
    Int(IntFormat),
    /// Binary floating point.
    Float(FloatFormat),
}

/// The integer format of a dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntFormat {
    /// Two's complement if true.
    pub signed: bool,
    /// Bits of a number, 1 to 64.
    pub bits: u32,
}

impl IntFormat {
    /// The magnitude of the most negative number: 0 when unsigned.
    pub const fn min_magnitude(self) -> u64 {
        if self.signed { 1 << (self.bits - 1) } else { 0 }
    }

    /// The largest number.
    pub const fn max(self) -> u64 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { u64::MAX >> (64 - self.bits) }
    }

    /// Ones in the bits that a number occupies.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }
}

/// Which codes of a float format are not numbers. The names are the suffixes of ml_dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// As in IEEE 754: the highest exponent holds infinity (fraction 0) and NaNs.
    Ieee,
    /// `fn`: no infinity; the code with every exponent and fraction bit set is NaN.
    Fn,
    /// `fnuz`: no infinity and no -0, whose code is the one NaN.
    Fnuz,
    /// Finite numbers only.
    Finite,
    /// `fnu`, e8m0: unsigned powers of two, no zero; the highest code is NaN.
    PowersOfTwo,
}

/// A binary floating-point format: from the top, a sign bit (unless [`Specials::PowersOfTwo`]),
/// `exponent_bits` and `mantissa_bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FloatFormat {
    /// Bits of the exponent field.
    pub exponent_bits: u32,
    /// Bits of the fraction field.
    pub mantissa_bits: u32,
    /// The exponent field of 1.0.
    pub bias: i32,
    /// What infinity and NaN look like.
    pub specials: Specials,
}

impl FloatFormat {
    /// A format with the bias of IEEE 754, `2^(exponent_bits - 1) - 1`.
    pub(crate) const fn new(exponent_bits: u32, mantissa_bits: u32, specials: Specials) -> Self {
        Self { exponent_bits, mantissa_bits, bias: (1 << (exponent_bits - 1)) - 1, specials }
    }

    /// The same format with another bias.
    pub(crate) const fn with_bias(self, bias: i32) -> Self {
        Self { bias, ..self }
    }

    /// Whether there is a sign bit.
    pub const fn signed(&self) -> bool {
        !matches!(self.specials, Specials::PowersOfTwo)
    }

    /// Bits of a code.
    pub const fn bits(&self) -> u32 {
        self.signed() as u32 + self.exponent_bits + self.mantissa_bits
    }

    /// The sign bit, 0 if there is none.
    pub const fn sign_mask(&self) -> u64 {
        match self.specials {
            Specials::PowersOfTwo => 0,
            _ => 1 << (self.exponent_bits + self.mantissa_bits),
        }
    }

    /// Ones in the bits that a code occupies.
    pub const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Ones in the fraction field.
    pub const fn mantissa_mask(&self) -> u64 {
        (1 << self.mantissa_bits) - 1
    }

    /// The code of positive infinity.
    pub const fn infinity(&self) -> Option<u64> {
        match self.specials {
            Specials::Ieee => Some(((1 << self.exponent_bits) - 1) << self.mantissa_bits),
            _ => None,
        }
    }

    /// The code of the canonical quiet NaN, positive where NaN has a sign.
    pub const fn nan(&self) -> Option<u64> {
        let all_ones = (1 << (self.exponent_bits + self.mantissa_bits)) - 1;
        match self.specials {
            Specials::Ieee => Some(all_ones ^ (self.mantissa_mask() >> 1)),
            Specials::Fn | Specials::PowersOfTwo => Some(all_ones),
            Specials::Fnuz => Some(self.sign_mask()),
            Specials::Finite => None,
        }
    }

    /// Whether NaN comes with a sign.
    pub const fn nan_has_sign(&self) -> bool {
        matches!(self.specials, Specials::Ieee | Specials::Fn)
    }

    /// Whether -0 is a number of the format.
    pub const fn has_negative_zero(&self) -> bool {
        matches!(self.specials, Specials::Ieee | Specials::Fn | Specials::Finite)
    }

    /// Whether zero is a number of the format.
    pub const fn has_zero(&self) -> bool {
        self.signed()
    }

    /// The code of the largest finite number.
    pub const fn max_finite(&self) -> u64 {
        let all_ones = (1 << (self.exponent_bits + self.mantissa_bits)) - 1;
        match self.specials {
            Specials::Ieee => all_ones - (1 << self.mantissa_bits),
            Specials::Fn | Specials::PowersOfTwo => all_ones - 1,
            Specials::Fnuz | Specials::Finite => all_ones,
        }
    }

    /// The exponent of the smallest normal number, and of every subnormal one's leading place.
    pub const fn min_exponent(&self) -> i32 {
        match self.specials {
            Specials::PowersOfTwo => -self.bias,
            _ => 1 - self.bias,
        }
    }

    /// The exponent of the largest finite number.
    pub const fn max_exponent(&self) -> i32 {
        (self.max_finite() >> self.mantissa_bits) as i32 - self.bias
    }
}

/// The formats by the names of their dtypes.
#[allow(missing_docs)] // Their names say all.
impl FloatFormat {
    pub const FLOAT16: Self = Self::new(5, 10, Specials::Ieee);
    pub const BFLOAT16: Self = Self::new(8, 7, Specials::Ieee);
    pub const FLOAT32: Self = Self::new(8, 23, Specials::Ieee);
    pub const FLOAT64: Self = Self::new(11, 52, Specials::Ieee);
    pub const FLOAT8_E4M3FN: Self = Self::new(4, 3, Specials::Fn);
    pub const FLOAT8_E5M2: Self = Self::new(5, 2, Specials::Ieee);
    pub const FLOAT8_E4M3FNUZ: Self = Self::new(4, 3, Specials::Fnuz).with_bias(8);
    pub const FLOAT8_E5M2FNUZ: Self = Self::new(5, 2, Specials::Fnuz).with_bias(16);
    pub const FLOAT8_E4M3: Self = Self::new(4, 3, Specials::Ieee);
    pub const FLOAT8_E3M4: Self = Self::new(3, 4, Specials::Ieee);
    pub const FLOAT8_E4M3B11FNUZ: Self = Self::new(4, 3, Specials::Fnuz).with_bias(11);
    pub const FLOAT8_E8M0FNU: Self = Self::new(8, 0, Specials::PowersOfTwo);
    pub const FLOAT6_E2M3FN: Self = Self::new(2, 3, Specials::Finite);
    pub const FLOAT6_E3M2FN: Self = Self::new(3, 2, Specials::Finite);
    pub const FLOAT4_E2M1FN: Self = Self::new(2, 1, Specials::Finite);
}
