//! A quick look at many codes at once, before each is compared: whether any of them may be unfit.
//!
//! Codes that fit are next to each other, but for the sign. Moved by a number, those of them from zero on leave some
//! upper bits as they are, which others change: of all together these bits are joined, and looked at once. That
//! takes an addition and an OR for a vector, in any width, where the least of 64-bit lanes takes six instructions.

/// Which bits tell that a code may be unfit: of `(code & mask) + addend`, those to `keep`, and of the code itself its
/// highest, if `signs` asks for it. If none is set, it fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) mask: u64,
    pub(crate) addend: u64,
    pub(crate) keep: u64,
    pub(crate) signs: bool,
}

/// The codes of lanes of so many bits.
const fn lane(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

impl Screen {
    /// Nothing is unfit.
    pub(crate) const NONE: Self = Self { mask: 0, addend: 0, keep: 0, signs: false };

    /// Whether it tells of all codes that they fit.
    pub(crate) const fn asks_nothing(&self) -> bool {
        self.keep == 0
    }

    /// Of codes of so many bits at the foot of their lanes, for those from `low` on, going around, as many as a power of two.
    pub(super) const fn of_span(low: u64, fitting: u64, bits: usize) -> Option<Self> {
        if !fitting.is_power_of_two() {
            return None;
        }
        let all = u64::MAX >> (64 - bits);
        Some(Self {
            mask: all,
            addend: low.wrapping_neg() & all,
            keep: all & !(fitting - 1),
            signs: false,
        })
    }

    /// Of codes with the sign at the top of their lanes, for magnitudes below one, of either sign or of positive ones.
    pub(super) const fn of_magnitudes(below: u64, bytes: usize, signs: bool) -> Self {
        let top = (lane(bytes) >> 1) + 1;
        Self { mask: top - 1, addend: top - below, keep: top, signs }
    }
}
