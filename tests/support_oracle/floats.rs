//! The 15 float formats as literal rows, and what a code of theirs is worth by the formula that
//! defines binary floating point.

use simdcast_kernels::DType;

/// Which row of the table "to a float" a format obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// float16, bfloat16, float32, float64.
    Wide,
    /// float8 with infinities.
    Ieee8,
    /// float8_e4m3fn: NaN with a sign, no infinity.
    Fn8,
    /// `*fnuz`: one NaN, no infinity, no -0.
    Fnuz,
    /// float8_e8m0fnu.
    Power,
    /// float6 and float4: numbers only.
    Finite,
}

pub(crate) struct Format {
    pub(crate) dtype: DType,
    pub(crate) class: Class,
    /// The sign's bit; 0 where there is none.
    pub(crate) sign: u64,
    /// Bits of the fraction.
    pub(crate) fraction: u32,
    /// The exponent field of 1.0.
    pub(crate) bias: i32,
    /// The code of the largest finite number.
    pub(crate) largest: u64,
    /// The code of +infinity.
    pub(crate) infinity: Option<u64>,
    /// The code of the canonical quiet NaN, positive where NaN has a sign.
    pub(crate) nan: Option<u64>,
}

macro_rules! format {
    ($dtype:ident, $class:ident, $sign:literal, $fraction:literal, $bias:literal, $largest:literal,
     $infinity:expr, $nan:expr) => {
        Format {
            dtype: DType::$dtype,
            class: Class::$class,
            sign: $sign,
            fraction: $fraction,
            bias: $bias,
            largest: $largest,
            infinity: $infinity,
            nan: $nan,
        }
    };
}

pub(crate) const FORMATS: [Format; 15] = [
    format!(Float16, Wide, 0x8000, 10, 15, 0x7bff, Some(0x7c00), Some(0x7e00)),
    format!(BFloat16, Wide, 0x8000, 7, 127, 0x7f7f, Some(0x7f80), Some(0x7fc0)),
    format!(Float32, Wide, 0x8000_0000, 23, 127, 0x7f7f_ffff, Some(0x7f80_0000), Some(0x7fc0_0000)),
    format!(
        Float64,
        Wide,
        0x8000_0000_0000_0000,
        52,
        1023,
        0x7fef_ffff_ffff_ffff,
        Some(0x7ff0_0000_0000_0000),
        Some(0x7ff8_0000_0000_0000)
    ),
    format!(Float8E5M2, Ieee8, 0x80, 2, 15, 0x7b, Some(0x7c), Some(0x7e)),
    format!(Float8E4M3, Ieee8, 0x80, 3, 7, 0x77, Some(0x78), Some(0x7c)),
    format!(Float8E3M4, Ieee8, 0x80, 4, 3, 0x6f, Some(0x70), Some(0x78)),
    format!(Float8E4M3Fn, Fn8, 0x80, 3, 7, 0x7e, None, Some(0x7f)),
    format!(Float8E4M3Fnuz, Fnuz, 0x80, 3, 8, 0x7f, None, Some(0x80)),
    format!(Float8E5M2Fnuz, Fnuz, 0x80, 2, 16, 0x7f, None, Some(0x80)),
    format!(Float8E4M3B11Fnuz, Fnuz, 0x80, 3, 11, 0x7f, None, Some(0x80)),
    format!(Float8E8M0Fnu, Power, 0, 0, 127, 0xfe, None, Some(0xff)),
    format!(Float6E2M3Fn, Finite, 0x20, 3, 1, 0x1f, None, None),
    format!(Float6E3M2Fn, Finite, 0x20, 2, 3, 0x1f, None, None),
    format!(Float4E2M1Fn, Finite, 0x8, 1, 1, 0x7, None, None),
];

pub(crate) fn format(dtype: DType) -> &'static Format {
    FORMATS.iter().find(|format| format.dtype == dtype).expect("a float dtype")
}

/// 2 to some power that is a normal float64.
pub(crate) fn power(exponent: i32) -> f64 {
    assert!((-1022..=1023).contains(&exponent), "2^{exponent}");
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Format {
    /// The worth of a magnitude's code, past the largest too, as if the exponent had no bound. Not
    /// for codes past the largest of float64.
    pub(crate) fn magnitude(&self, code: u64) -> f64 {
        if self.dtype == DType::Float64 {
            return f64::from_bits(code);
        }
        let field = (code >> self.fraction) as i32;
        let fraction = code & ((1 << self.fraction) - 1);
        let unit = -(self.fraction as i32);
        if self.class == Class::Power {
            power(field - self.bias)
        } else if field == 0 {
            fraction as f64 * power(1 - self.bias + unit)
        } else {
            (fraction | 1 << self.fraction) as f64 * power(field - self.bias + unit)
        }
    }

    /// The worth of a code that is a finite number.
    pub(crate) fn value(&self, code: u64) -> f64 {
        let magnitude = self.magnitude(code & !self.sign);
        if code & self.sign == 0 { magnitude } else { -magnitude }
    }

    /// Whether a code is a finite number.
    pub(crate) fn is_finite(&self, code: u64) -> bool {
        code & !self.sign <= self.largest && !self.is_nan(code)
    }

    /// Whether a code is a NaN.
    pub(crate) fn is_nan(&self, code: u64) -> bool {
        match self.class {
            Class::Wide | Class::Ieee8 => Some(code & !self.sign) > self.infinity,
            Class::Fn8 | Class::Power => Some(code & !self.sign) == self.nan,
            Class::Fnuz => Some(code) == self.nan,
            Class::Finite => false,
        }
    }

    /// The code of the largest magnitude that is not above `value`, the exponent unbounded.
    pub(crate) fn at_or_below(&self, value: f64) -> u64 {
        let (mut low, mut high) = (0, self.largest + 1);
        while self.dtype != DType::Float64 && self.magnitude(high) <= value {
            high += 1 << self.fraction;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.magnitude(middle) <= value { low = middle } else { high = middle }
        }
        low
    }

    /// The code of a number of the format.
    pub(crate) fn code(&self, value: f64) -> u64 {
        let (magnitude, negative) = (self.at_or_below(value.abs()), value.is_sign_negative());
        let exists = self.magnitude(magnitude) == value.abs() && magnitude <= self.largest;
        let signed = match self.class {
            Class::Power => !negative,
            Class::Fnuz => !negative || magnitude != 0,
            _ => true,
        };
        assert!(exists && signed, "{value} is no number of {}", self.dtype);
        self.signed(magnitude, negative)
    }

    /// A magnitude's code with a sign.
    pub(crate) fn signed(&self, magnitude: u64, negative: bool) -> u64 {
        if negative { magnitude | self.sign } else { magnitude }
    }

    /// The canonical NaN, with its sign where the format's NaN has one.
    pub(crate) fn signed_nan(&self, negative: bool) -> Option<u64> {
        match self.class {
            Class::Wide | Class::Ieee8 | Class::Fn8 => {
                self.nan.map(|nan| self.signed(nan, negative))
            }
            _ => self.nan,
        }
    }

    /// Where an infinity and a number past the largest finite one end, by the table "to a float";
    /// not for e8m0, which has a row for each.
    pub(crate) fn past_the_largest(&self, negative: bool, saturate: bool) -> u64 {
        let largest = self.signed(self.largest, negative);
        match self.class {
            Class::Wide => self.signed(self.infinity.expect("has infinities"), negative),
            Class::Ieee8 if saturate => largest,
            Class::Ieee8 => self.signed(self.infinity.expect("has infinities"), negative),
            Class::Fn8 | Class::Fnuz if saturate => largest,
            Class::Fn8 | Class::Fnuz => self.signed_nan(negative).expect("has a NaN"),
            Class::Finite => largest,
            Class::Power => panic!("e8m0 has rows of its own"),
        }
    }
}
