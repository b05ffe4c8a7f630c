//! Where a rounding can go wrong: the numbers of a destination and the midpoints between them, each
//! with its neighbours in the source.

use crate::support::floats::{Class, Format, format, power};
use crate::support::random::Random;
use simdcast_kernels::DType;

/// Every number of a format, zero aside, every midpoint, and the same a little way past the largest.
/// Of float32 and float64, which have too many: those at the ends of every binade, and some between.
pub(crate) fn boundaries(destination: &Format) -> Vec<f64> {
    let past = destination.largest + (4 << destination.fraction).min(64);
    let mut codes: Vec<u64> = match destination.dtype {
        DType::Float32 | DType::Float64 => sampled(destination),
        _ => (0..=past).collect(),
    };
    codes.retain(|code| destination.dtype != DType::Float64 || *code < destination.largest);
    let mut points = Vec::with_capacity(2 * codes.len() + 3);
    for code in codes {
        let (low, high) = (destination.magnitude(code), destination.magnitude(code + 1));
        points.push(low);
        points.push(low + (high - low) / 2.0);
    }
    if destination.class == Class::Power {
        // Below the smallest power the rounding goes on.
        points.extend([power(-128), 1.5 * power(-128), power(-129), 1.5 * power(-129)]);
    }
    points.extend([power(200), f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1)]);
    points.retain(|value| *value > 0.0);
    points
}

fn sampled(format: &Format) -> Vec<u64> {
    let mut random = Random::new(7);
    let (fields, ones) = (format.largest >> format.fraction, (1u64 << format.fraction) - 1);
    let mut codes = Vec::new();
    for field in 0..=fields + 1 {
        let mut fractions = vec![0, 1, 2, ones / 2, ones / 2 + 1, ones - 1, ones];
        fractions.extend((0..format.fraction).step_by(5).map(|bit| 1 << bit));
        fractions.extend((0..4).map(|_| random.bits() & ones));
        codes.extend(fractions.into_iter().map(|fraction| field << format.fraction | fraction));
    }
    codes
}

/// The boundaries of a destination as codes of a wider source, each with its neighbours, of both
/// signs; and random ones from the destination's range.
pub(crate) fn around(source: DType, destination: DType, random: usize) -> Vec<u64> {
    let from = format(source);
    let mut codes = Vec::new();
    for point in boundaries(format(destination)) {
        let code = rounded(from, point);
        for near in code.saturating_sub(1)..=code + 1 {
            codes.extend([near, near | from.sign]);
        }
    }
    let mut bits = Random::new(random as u64);
    for _ in 0..random {
        codes.push(near_range(from, format(destination), &mut bits));
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// A point's code in the source, or a neighbour's of a point that the source does not have.
fn rounded(source: &Format, point: f64) -> u64 {
    match source.dtype {
        DType::Float32 => u64::from((point as f32).to_bits()),
        DType::Float64 => point.to_bits(),
        _ => panic!("{} is small enough to be taken whole", source.dtype),
    }
}

/// Random bits; three of four have an exponent near the destination's.
fn near_range(source: &Format, destination: &Format, random: &mut Random) -> u64 {
    let any = if random.below(2) == 0 { random.bits() } else { random.runs() };
    if random.below(4) == 0 {
        return any & (source.sign | (source.sign - 1));
    }
    let (least, most) = match destination.dtype {
        DType::Float64 => (1, 2046),
        _ => {
            let field = |value: f64| rounded(source, value) >> source.fraction;
            let smallest = destination.magnitude(u64::from(destination.class != Class::Power));
            let least = field(smallest).saturating_sub(3);
            (least, field(destination.magnitude(destination.largest)) + 2)
        }
    };
    let field = least + random.below(most - least + 1);
    let fraction = any & ((1 << source.fraction) - 1);
    let field = field.min(source.largest >> source.fraction);
    source.signed(field << source.fraction | fraction, any >> 63 == 1)
}
