//! Every combination of options.

use simdcast_kernels::{Options, Overflow, Rounding};

pub(crate) const OVERFLOWS: [Overflow; 4] =
    [Overflow::As, Overflow::Wrap, Overflow::Saturate, Overflow::Error];

/// The modes whose result depends on the value alone.
pub(crate) const FIXED_ROUNDINGS: [Rounding; 6] = [
    Rounding::Default,
    Rounding::NearestEven,
    Rounding::NearestAway,
    Rounding::TowardZero,
    Rounding::Up,
    Rounding::Down,
];

pub(crate) const STOCHASTIC: Rounding = Rounding::Stochastic { seed: 0x0123_4567_89ab_cdef };

pub(crate) fn roundings() -> impl Iterator<Item = Rounding> {
    FIXED_ROUNDINGS.into_iter().chain([STOCHASTIC])
}

/// Every combination of overflow, saturate and rounding, with a `first_index` of no significance.
pub(crate) fn every_option() -> impl Iterator<Item = Options> {
    OVERFLOWS.into_iter().flat_map(|overflow| {
        [true, false].into_iter().flat_map(move |saturate| {
            roundings().map(move |rounding| Options {
                overflow,
                saturate,
                rounding,
                first_index: 5,
            })
        })
    })
}
