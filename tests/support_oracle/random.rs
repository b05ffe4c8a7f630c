//! Random bits that are the same in every run: SplitMix64.

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Bits in runs of ones and zeros, where carries and ties hide.
    pub(crate) fn runs(&mut self) -> u64 {
        let mut bits = 0u64;
        for _ in 0..1 + self.below(4) {
            let length = 1 + self.below(64);
            bits ^= (u64::MAX >> (64 - length)) << self.below(64);
        }
        bits
    }
}
