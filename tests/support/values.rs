//! The values that a pair is tested with: all codes of narrow sources; of wide ones every place where
//! the destination's rounding or range changes its mind, one code to either side, and noise.

use super::noise;
use simdcast::format::{Numbers, Specials};
use simdcast::reference::{decode, encode};
use simdcast::{DType, Exact, Rounding};
use simdcast_kernels::Options;

/// Where `SIMDCAST_TEST_STRIDE=N` is set, one in N of the codes are tested, but of a byte all: for emulated CPUs, on
/// which all of them would take hours. The test says so.
fn thinned(codes: Vec<u128>) -> Vec<u128> {
    match stride() {
        1 => codes,
        _ if codes.len() <= 256 => codes,
        stride => {
            let kept = |i: &usize| noise(*i as u64).is_multiple_of(stride as u64) || *i < 64;
            (0..codes.len()).filter(kept).map(|i| codes[i]).collect()
        }
    }
}

pub fn stride() -> usize {
    static STRIDE: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
        std::env::var("SIMDCAST_TEST_STRIDE").map_or(1, |text| {
            let stride = text.parse().expect("SIMDCAST_TEST_STRIDE is a number");
            super::say(&format!("THINNED OUT: one value in {stride} is tested"));
            stride
        })
    });
    *STRIDE
}

/// The codes to test a pair with under every option. Those of a source of up to 16 bits are all.
pub fn codes(from: DType, to: DType) -> Vec<u128> {
    thinned(all_codes(from, to))
}

/// Some of them where they are many, from all over, with those next to zero.
pub fn some_codes(from: DType, to: DType, at_most: usize) -> Vec<u128> {
    let codes = codes(from, to);
    let (n, ends) = (codes.len(), 64);
    let kept = |i: &usize| {
        *i < ends || n - i <= ends || noise(*i as u64) % (n as u64) < (at_most - 2 * ends) as u64
    };
    (0..n).filter(kept).map(|i| codes[i]).collect()
}

fn all_codes(from: DType, to: DType) -> Vec<u128> {
    let (a, b) = (from.component(), to.component());
    let parts = component_codes(a, b);
    if !from.is_complex() {
        let mut codes: Vec<u128> = parts.into_iter().map(u128::from).collect();
        if from.significant_bits() < 8 {
            // So that each code stands at many places of a byte, a word, a tile.
            let all = codes.clone();
            codes.extend((0..1200).map(|i| all[noise(i) as usize % all.len()]));
        }
        return codes;
    }
    // The components are cast as in the pair of real dtypes, which is tested with all these codes;
    // here each stands once as real part, with zero as imaginary part or another code, and some as
    // imaginary part.
    let half = from.bits() / 2;
    let n = parts.len();
    let join = |re: u64, im: u64| u128::from(re) | u128::from(im) << half;
    let minus_zero = 1 << (half - 1);
    let beside = |i: usize| match i % 4 {
        0 => minus_zero,
        1 => parts[noise(i as u64) as usize % n],
        _ => 0,
    };
    let imaginary = (0..n).step_by(8).map(|i| join(0, parts[i]));
    (0..n).map(|i| join(parts[i], beside(i))).chain(imaginary).collect()
}

fn component_codes(a: DType, b: DType) -> Vec<u64> {
    let bits = a.significant_bits();
    if bits <= 16 {
        return (0..1 << bits).collect();
    }
    let mut codes = Codes { dtype: a, codes: special_codes(a) };
    for i in 0..4096 {
        codes.add(noise(i));
        // Small and middling integers, and floats of all magnitudes.
        codes.add(noise(i) >> (noise(i + 4096) % 64));
    }
    boundaries(b, |value| codes.around(value));
    codes.codes.sort_unstable();
    codes.codes.dedup();
    codes.codes
}

/// Zeros, limits and NaNs of every kind.
fn special_codes(dtype: DType) -> Vec<u64> {
    let Numbers::Float(format) = dtype.numbers() else { return vec![0] };
    let (sign, max) = (format.sign_mask(), format.max_finite());
    let m = format.mantissa_bits;
    let magnitudes = [
        0,
        1,
        (1 << m) - 1,
        1 << m,
        max,
        max + 1,        // infinity
        max + 2,        // a signalling NaN
        max + (1 << m), // a quiet NaN with all payload bits
        max + 1 + (1 << (m - 1)),
        max + 1 + (5 << (m - 4)),
        max + 1 + (1 << (m - 1)) + 1,
        max + 1 + (1 << (m - 2)),
    ];
    magnitudes.into_iter().flat_map(|code| [code, code | sign]).collect()
}

struct Codes {
    dtype: DType,
    codes: Vec<u64>,
}

impl Codes {
    fn add(&mut self, code: u64) {
        self.codes.push(code & u64::MAX >> (64 - self.dtype.significant_bits()));
    }

    /// Adds the codes around a positive value and around its negative.
    fn around(&mut self, value: Exact) {
        let cut = Options { rounding: Rounding::TowardZero, ..Options::DEFAULT };
        let Exact::Finite { significand, exponent, .. } = value else { return };
        for negative in [false, true] {
            let value = Exact::Finite { negative, significand, exponent };
            let Ok(code) = encode(self.dtype, value, true, &cut, 0) else { continue };
            for near in [code.wrapping_sub(1), code, code.wrapping_add(1)] {
                self.add(near);
            }
        }
    }
}

/// Names positive values at which casts to `b` change their mind: numbers and midpoints.
fn boundaries(b: DType, mut name: impl FnMut(Exact)) {
    let whole = |significand| Exact::Finite { negative: false, significand, exponent: 0 };
    // Powers of two and the middles between them, past the longest integers, too; and odd multiples of those.
    for exponent in -1..66 {
        for significand in [1, 3, 5] {
            name(Exact::Finite { negative: false, significand, exponent });
        }
    }
    name(whole(u64::MAX));
    match b.numbers() {
        Numbers::Int(format) if format.bits <= 16 => {
            // Integers and the halves between them, past the range too.
            for halves in 0..=(4u64 << format.bits).min(1 << 18) {
                name(Exact::Finite { negative: false, significand: halves, exponent: -1 });
            }
        }
        Numbers::Int(format) => {
            for i in 0..2000 {
                let value = noise(i) >> (noise(i + 2000) % 64);
                name(Exact::Finite { negative: false, significand: value | 1, exponent: -1 });
            }
            for limit in [format.max(), format.min_magnitude()] {
                name(whole(limit));
                name(Exact::Finite { negative: false, significand: limit, exponent: 1 });
                // The middles between the range's ends and what is next to them.
                if let Some(twice) = limit.checked_mul(2) {
                    for halves in [twice.saturating_sub(1), twice + 1] {
                        name(Exact::Finite { negative: false, significand: halves, exponent: -1 });
                    }
                }
            }
        }
        Numbers::Float(format) => {
            let max = format.max_finite();
            let step = (max / 30_000).max(1);
            let mut code = 0;
            while code <= max {
                // With a stride, take a code at random in each stretch.
                let chosen = code + noise(code) % step;
                number_and_midpoint(b, chosen.min(max), max, &mut name);
                code += step;
            }
            for code in (0..4).chain(max.saturating_sub(3)..=max).chain([1 << format.mantissa_bits])
            {
                number_and_midpoint(b, code.min(max), max, &mut name);
            }
            past_the_largest(b, max, &mut name);
            if matches!(format.specials, Specials::PowersOfTwo) {
                // Halves and three quarters of the smallest.
                for significand in [2, 3] {
                    let exponent = format.min_exponent() - 2;
                    name(Exact::Finite { negative: false, significand, exponent });
                }
            }
        }
        _ => {}
    }
}

/// A number of `b` and the midpoint between it and the next.
fn number_and_midpoint(b: DType, code: u64, max: u64, name: &mut impl FnMut(Exact)) {
    let here = decode(b, code);
    name(here);
    let (
        Exact::Finite { significand: s, exponent: e, .. },
        Exact::Finite { significand: t, exponent: f, .. },
    ) = (here, decode(b, (code + 1).min(max)))
    else {
        return;
    };
    // The next number's exponent is the same or, from one power of two to the next, one larger.
    let sum = s + (t << (f - e));
    name(Exact::Finite { negative: false, significand: sum, exponent: e - 1 });
}

/// The number after the largest, were there one, and the midpoints around.
fn past_the_largest(b: DType, max: u64, name: &mut impl FnMut(Exact)) {
    let Exact::Finite { significand, exponent, .. } = decode(b, max) else { return };
    for quarters in 1..=8 {
        let significand = significand * 4 + quarters;
        name(Exact::Finite { negative: false, significand, exponent: exponent - 2 });
    }
}

/// Codes all over a 32-bit source, for the default options.
pub fn dense_sample() -> impl Iterator<Item = u128> {
    (0u64..1 << 32).step_by((4093 * stride()) | 1).map(u128::from)
}
