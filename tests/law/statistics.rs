//! Stochastic rounding as what it is for: right on average. Whether a number moves up is a matter of
//! chance with the discarded fraction as its probability, chances are independent, and the same
//! whatever kernel takes them and however a buffer is split.
//!
//! The seeds are fixed, so that a test that passes once passes always. Each bound is one that a seed would
//! break less than once in ten thousand times, and none was tried before these.

use crate::support::dtypes::{bytes, complex};
use crate::support::floats::power;
use crate::support::random::Random;
use simdcast::isa;
use simdcast_kernels::{DType, Exact, Kernel, Options, Rounding, reference};

fn stochastic(seed: u64, first_index: u64) -> Options {
    Options { rounding: Rounding::Stochastic { seed }, first_index, ..Options::DEFAULT }
}

/// A number that a float64 holds.
fn value(dtype: DType, code: u128) -> f64 {
    match reference::decode(dtype, code as u64) {
        Exact::Finite { negative, significand, exponent } => {
            let magnitude = significand as f64 * power(exponent);
            if negative { -magnitude } else { magnitude }
        }
        other => panic!("{dtype}: {other}"),
    }
}

/// The code of a number, or of the nearest to it.
fn nearest(dtype: DType, value: f64) -> u128 {
    let code = u128::from(value.to_bits());
    reference::cast(DType::Float64, dtype, code, &Options::DEFAULT, 0).unwrap()
}

/// The bytes that every instruction set makes of some.
fn on_all(from: DType, to: DType, options: &Options, src: &[u8], n: usize) -> Vec<u8> {
    let on = |level| {
        let mut dst = vec![0xa5; to.bytes_for(n).unwrap()];
        Kernel::on(level, from, to, options).run(src, &mut dst, n).unwrap();
        dst
    };
    let mut levels = isa::available();
    let first = on(levels.next().expect("there is one"));
    for level in levels {
        assert!(on(level) == first, "{} stores other bytes: {from} -> {to}", level.name());
    }
    first
}

/// A number between two neighbours of a destination.
struct Between {
    from: DType,
    to: DType,
    code: u128,
    /// The neighbour that is nearer to zero.
    near: u128,
    far: u128,
    /// How much of the way to the other is discarded.
    fraction: f64,
}

impl Between {
    fn new(from: DType, to: DType, code: u128) -> Self {
        let to_side = |rounding| {
            let options = Options { rounding, ..Options::DEFAULT };
            reference::cast(from, to, code, &options, 0).unwrap()
        };
        let exact = value(from, code);
        let away = if exact < 0.0 { Rounding::Down } else { Rounding::Up };
        let (near, far) = (to_side(Rounding::TowardZero), to_side(away));
        let (low, high) = (value(to, near), value(to, far));
        assert!(low.abs() < exact.abs() && exact.abs() < high.abs(), "{from} -> {to}: {exact}");
        Self { from, to, code, near, far, fraction: (exact - low) / (high - low) }
    }

    /// Which of `n` elements go up. On the instruction set in use: others have the same bits.
    fn ups(&self, n: usize, seed: u64) -> Vec<bool> {
        let src = bytes(self.from, &vec![self.code; n]);
        let mut dst = vec![0; self.to.bytes_for(n).unwrap()];
        let kernel = Kernel::new(self.from, self.to, &stochastic(seed, 0));
        kernel.run(&src, &mut dst, n).unwrap();
        let is_up = |i| match reference::load(self.to, &dst, i) {
            code if code == self.far => true,
            code if code == self.near => false,
            other => panic!("{} -> {}: {other:#x} is no neighbour", self.from, self.to),
        };
        (0..n).map(is_up).collect()
    }

    fn count(&self, n: usize, seed: u64) -> f64 {
        self.ups(n, seed).into_iter().filter(|up| *up).count() as f64
    }

    /// How far a count of those that went up is from the expected one: the square, in units of its
    /// variance. The counts of both neighbours make Pearson's sum just this.
    fn chi_square(&self, n: usize, seed: u64) -> f64 {
        let (p, n) = (self.fraction, n as f64);
        let off = self.count(n as usize, seed) - n * p;
        off * off / (n * p * (1.0 - p))
    }
}

/// Numbers between neighbours: of either sign, normal and subnormal ones, from floats and integers, by
/// every way that numbers are rounded.
fn samples() -> Vec<Between> {
    use DType::*;
    let float = |from, to, value| Between::new(from, to, nearest(from, value));
    let int = |from, to, value: i64| Between::new(from, to, value as u64 as u128);
    vec![
        float(Float64, Float32, 1.0 + 0.3 * power(-23)),
        float(Float64, Float16, -2.0 - 0.7 * power(-9)),
        float(Float64, Float8E4M3Fn, 401.0),
        float(Float64, Float8E8M0Fnu, 1.3),
        float(Float64, Float6E2M3Fn, 0.01),
        float(Float64, Int8, -2.3),
        float(Float64, UInt64, 3.9),
        float(Float32, BFloat16, 0.1),
        float(Float32, Float16, 0.37 * power(-24)),
        float(Float32, Float8E5M2, -3.3e-5),
        float(Float32, Int4, 5.5),
        float(Float32, Float4E2M1Fn, 3.25),
        float(Float16, Float8E4M3, 0.123),
        float(BFloat16, UInt8, 50.25),
        float(Float8E5M2, Float4E2M1Fn, 0.625),
        int(Int32, Float16, 4099),
        int(UInt32, BFloat16, 1_000_001),
        int(Int64, BFloat16, 123_456_789),
        int(UInt64, Float32, (1 << 40) + 12_345),
        int(Int16, Float8E5M2, 333),
    ]
}

/// An element is `fraction` too low (in units of the neighbours' distance) or `1 - fraction` too high,
/// the latter with the probability p, which is the fraction cut to 32 bits. Its error thus has the mean
/// p - fraction, from -2^-32 to 0, and the variance p (1 - p); the mean error of n elements has the
/// n-th part of that variance. Four of its standard deviations are passed once in 16 000.
#[test]
fn the_mean_error_is_none() {
    let n = 1_000_000;
    for (i, between) in samples().iter().enumerate() {
        let p = between.fraction;
        let mean_error = between.count(n, i as u64) / n as f64 - p;
        let bound = 4.0 * (p * (1.0 - p) / n as f64).sqrt() + power(-32);
        let Between { from, to, .. } = between;
        assert!(mean_error.abs() < bound, "{from} -> {to}, {p}: {mean_error:e}, {bound:e}");
    }
}

/// The sum of k squares of independent standard normal variables is as large as this, or as small, once
/// in ten thousand times (by Wilson and Hilferty's approximation).
fn chi_square_range(k: usize) -> (f64, f64) {
    const DEVIATIONS: f64 = 3.72;
    let spread = 2.0 / (9.0 * k as f64);
    let end = |sign: f64| k as f64 * (1.0 - spread + sign * DEVIATIONS * spread.sqrt()).powi(3);
    (end(-1.0).max(0.0), end(1.0))
}

/// Of fractions from the tiny to the nearly whole: no count is too far off, nor are all of them
/// together too far off, or too near.
#[test]
fn both_neighbours_come_as_often_as_they_should() {
    let fractions =
        [power(-18), power(-12), 0.01, 0.25, 1.0 / 3.0, 0.5, 0.75, 0.99, 1.0 - power(-12)];
    let pairs = [
        (DType::Float64, DType::Int32, 7.0, 1.0),
        (DType::Float64, DType::Float16, -1024.0, -1.0),
        (DType::Float64, DType::Float32, power(-149), power(-149)),
        (DType::Float32, DType::Float8E4M3Fn, 0.0, power(-9)),
        (DType::Float64, DType::Float8E8M0Fnu, 4.0, 4.0),
    ];
    let n = 4_000_000;
    let mut squares = Vec::new();
    for (from, to, low, unit) in pairs {
        for fraction in fractions {
            let between = Between::new(from, to, nearest(from, low + unit * fraction));
            let square = between.chi_square(n, squares.len() as u64);
            // 4.4 standard deviations, passed once in ninety thousand.
            assert!(square < 19.4, "{from} -> {to}, {}: {square}", between.fraction);
            squares.push(square);
        }
    }
    let (sum, (least, most)) = (squares.iter().sum::<f64>(), chi_square_range(squares.len()));
    assert!((least..most).contains(&sum), "{sum} of {squares:?}");
}

/// No place in a block of draws or in a vector is luckier than another, nor follows its neighbour.
#[test]
fn every_place_has_the_same_chances() {
    const PLACES: usize = 64;
    let (n, p) = (1 << 20, 0.5);
    let between = Between::new(DType::Float32, DType::Int8, nearest(DType::Float32, 2.5));
    let ups = between.ups(n, 12);
    let mut counts = [0.0; PLACES];
    let mut pairs = [0.0; PLACES];
    for (i, up) in ups.iter().enumerate() {
        counts[i % PLACES] += f64::from(*up);
        pairs[i % PLACES] += f64::from(*up == ups[(i + 1) % n]);
    }
    let each = (n / PLACES) as f64;
    let (least, most) = chi_square_range(PLACES);
    for counts in [counts, pairs] {
        let square = |count: &f64| (count - each * p).powi(2) / (each * p * (1.0 - p));
        let sum: f64 = counts.iter().map(square).sum();
        assert!((least..most).contains(&sum), "{sum}: {counts:?}");
    }
}

/// Pairs of every kind, with complex and packed ones on either side.
const KINDS: [(DType, DType); 12] = [
    (DType::Float32, DType::Float8E4M3Fn),
    (DType::Float64, DType::Float16),
    (DType::Float16, DType::Float8E3M4),
    (DType::Int64, DType::BFloat16),
    (DType::Int32, DType::Float16),
    (DType::Float32, DType::Int4x2),
    (DType::Float6E3M2FnX4, DType::Float4E2M1FnX2),
    (DType::Complex64, DType::Complex32),
    (DType::Complex128, DType::Float16),
    (DType::Float64, DType::BComplex32),
    (DType::Complex64, DType::Int2x4),
    (DType::Float6E2M3FnX4, DType::Complex64),
];

/// Elements that need rounding, most of them.
fn elements(dtype: DType, n: usize) -> Vec<u128> {
    let mut random = Random::new(9);
    let mut number = || {
        let part = dtype.component();
        if dtype.finfo().is_none() || part.significant_bits() <= 8 {
            return u128::from(random.bits()) & (u128::MAX >> (128 - part.significant_bits()));
        }
        nearest(part, f64::from(random.bits() as i32) * power(-29))
    };
    let mut element = || match dtype.is_complex() {
        true => complex(dtype, number(), number()),
        false => number(),
    };
    (0..n).map(|_| element()).collect()
}

fn by_definition(from: DType, to: DType, options: &Options, codes: &[u128]) -> Vec<u8> {
    let cast = |(i, code): (usize, &u128)| {
        reference::cast(from, to, *code, options, i as u64).expect("nothing is refused")
    };
    bytes(to, &codes.iter().enumerate().map(cast).collect::<Vec<_>>())
}

#[test]
fn any_length_draws_the_same_on_every_instruction_set() {
    for (from, to) in KINDS {
        let codes = elements(from, 5003);
        for n in (0..=130).chain([511, 1024, 1025, 2047, 4097, codes.len()]) {
            let options = stochastic(n as u64, 2);
            let found = on_all(from, to, &options, &bytes(from, &codes[..n]), n);
            let wanted = by_definition(from, to, &options, &codes[..n]);
            assert!(found == wanted, "{from} -> {to}, {n} elements");
        }
    }
}

/// Parts with their first index, at every place of a block of draws and of a vector, and where indices,
/// or twice those, start anew.
#[test]
fn any_split_by_first_index_draws_the_same_on_every_instruction_set() {
    for (from, to) in KINDS {
        let codes = elements(from, 700);
        for first in [0, 1, 6, (1 << 63) - 350, u64::MAX - 99] {
            let options = |start: usize| stochastic(77, first.wrapping_add(start as u64));
            let whole = by_definition(from, to, &options(0), &codes);
            let cuts = (0..70).chain([127, 130, 257, 510, 513, 699, 700]);
            for cut in cuts.filter(|cut| cut * to.bits() % 8 == 0) {
                let parts = [(0, &codes[..cut]), (cut, &codes[cut..])].map(|(start, part)| {
                    on_all(from, to, &options(start), &bytes(from, part), part.len())
                });
                assert!(parts.concat() == whole, "{from} -> {to} at {cut}, from {first}");
            }
        }
    }
}
