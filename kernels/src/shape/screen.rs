//! A quick look at many codes at once, before each is compared: whether any of them may be unfit.
//!
//! Codes that fit are next to each other, but for the sign. Moved by a number, those of them from zero on leave some
//! upper bits as they are, which others change: of all together these bits are joined, and looked at once. That
//! takes an addition and an OR for a vector, in any width, where the least of 64-bit lanes takes six instructions. If as many
//! fit as are no power of two, they are moved by another number, too, which the last of them bear without reaching those bits.

/// Which bits tell that a code may be unfit: of `(code & mask) + addend` and of `(code & mask) + second`, those to `keep`, and
/// of the code itself its highest, if `signs` asks for it. If none is set, it fits. (Of screens that [double](Self::doubles)
/// codes, or [ask for the last](Self::asks_for_last), it is the largest of all codes that tells.)
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) mask: u64,
    pub(crate) addend: u64,
    /// The same as the first, but for spans whose length is no power of two.
    pub(crate) second: u64,
    pub(crate) keep: u64,
    pub(crate) signs: bool,
    /// Of codes next to each other: the last that fits once it is moved by the first number, which lets the largest of all
    /// tell.
    pub(crate) last: u64,
    /// Of floats: the first codes of positive and of negative numbers that may be unfit. The largest of all codes as
    /// numbers with a sign is one of positive numbers, and the largest as numbers without is one of negative ones, if there
    /// is any: two instructions for a vector, where it has them. Unless NaN fits, they tell exactly.
    pub(crate) first: [u64; 2],
    /// Whether codes have their sign shifted out first, for a span that goes around: of floats whose NaNs fit, with or without
    /// infinity, and so do small numbers, which follow them then. The last that fits once it is moved tells exactly.
    pub(crate) doubles: bool,
}

/// The codes of lanes of so many bits.
const fn lane(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

impl Screen {
    /// Nothing is unfit.
    pub(crate) const NONE: Self = Self {
        mask: 0,
        addend: 0,
        second: 0,
        keep: 0,
        signs: false,
        last: 0,
        first: [0; 2],
        doubles: false,
    };

    /// Whether it tells of all codes that they fit.
    pub(crate) const fn asks_nothing(&self) -> bool {
        self.keep == 0
    }

    /// Whether the first codes that may be unfit tell.
    pub(crate) const fn is_of_floats(&self) -> bool {
        self.first[0] > 0
    }

    /// Whether it is one of codes next to each other that fill lanes of so many bytes.
    pub(super) const fn is_of_span(&self, bytes: usize) -> bool {
        !self.is_of_floats() && self.mask == lane(bytes)
    }

    /// Whether it tells in loops for lanes of so many bytes, whatever the instruction set: of those of 8 many CPUs have no
    /// largest.
    pub(super) const fn tells_in_lanes(&self, bytes: usize) -> bool {
        (self.is_single() || self.is_of_span(bytes)) && !(bytes == 8 && self.asks_for_last())
    }

    /// Whether the last that fits tells where bits need not.
    pub(crate) const fn asks_for_last(&self) -> bool {
        self.keep == self.mask && !self.doubles
    }

    /// Whether one addition tells.
    pub(crate) const fn is_single(&self) -> bool {
        self.second == self.addend
    }

    /// Of codes of so many bits at the foot of their lanes, for those from `low` on, going around.
    ///
    /// Without `low` they are the numbers below `fitting`. Upper bits tell of numbers that they are below the next power of two;
    /// and then that they are below `fitting`, if they still are below the power with as much added as it is more than that.
    /// Where more than half of all fit, and fill their lanes, nothing but the last that fits tells.
    pub(super) const fn of_span(low: u64, fitting: u64, bits: usize) -> Option<Self> {
        let all = u64::MAX >> (64 - bits);
        let addend = low.wrapping_neg() & all;
        if fitting > all / 2 + 1 && fitting <= all && matches!(bits, 16 | 32 | 64) {
            // (The second, which is another, so that this is no single one.)
            let (second, last) = (addend.wrapping_add(1) & all, fitting - 1);
            return Some(Self { mask: all, addend, second, keep: all, last, ..Self::NONE });
        } else if fitting == 0 || fitting > all / 2 + 1 {
            return None;
        }
        let power = fitting.next_power_of_two();
        Some(Self {
            mask: all,
            addend,
            second: addend.wrapping_add(power - fitting) & all,
            keep: all & !(power - 1),
            last: fitting - 1,
            ..Self::NONE
        })
    }

    /// Of codes of floats, for magnitudes below one and from another on.
    pub(super) const fn of_ends(below: u64, from: u64, bytes: usize) -> Self {
        let all = lane(bytes);
        let addend = (2 * from).wrapping_neg() & all;
        let last = 2 * (below + all / 2 - from);
        Self { mask: all, addend, second: addend, keep: all, last, doubles: true, ..Self::NONE }
    }

    /// Of codes of floats, with the sign at the top of their lanes, for magnitudes of positive and of negative numbers that are
    /// below one each; if `signs`, hardly a negative number fits, so that the quicker look is for a sign.
    pub(super) fn of_magnitudes(below: [u64; 2], bytes: usize, signs: bool) -> Self {
        let top = (lane(bytes) >> 1) + 1;
        let [positive, negative] = below;
        let addend = top - if signs { positive } else { positive.min(negative) };
        let first = [positive, top + negative];
        Self { mask: top - 1, addend, second: addend, keep: top, signs, first, ..Self::NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every number of 8 bits, from a few on, as many as there may be.
    #[test]
    fn a_span_is_told_from_all_else() {
        for low in [0, 1, 100, 0x7f, 0x80, 0xf0] {
            for fitting in 1..=0x80 {
                let screen = Screen::of_span(low, fitting, 8).unwrap();
                assert_eq!(screen.is_single(), fitting.is_power_of_two());
                for code in 0..=0xff {
                    let moved = [screen.addend, screen.second].map(|addend| (code + addend) & 0xff);
                    let tells = (moved[0] | moved[1]) & screen.keep != 0;
                    let fits = (code + 0x100 - low) % 0x100 < fitting;
                    assert_eq!(tells, !fits, "{code} of {fitting} from {low}");
                    assert_eq!(moved[0] > screen.last, !fits);
                }
            }
            assert!(Screen::of_span(low, 0x81, 8).is_none());
        }
        let most = Screen::of_span(1, u64::MAX, 64).unwrap();
        assert!(most.asks_for_last() && !most.is_single());
        for code in [0, 1, 2, u64::MAX] {
            assert_eq!(code.wrapping_add(most.addend) > most.last, code == 0);
            assert!((code.wrapping_add(most.addend) | code.wrapping_add(most.second)) != 0);
        }
        assert!(Screen::of_span(0, 0, 8).is_none());
        assert!(Screen::of_span(0, 1 << 63, 64).unwrap().is_single());
    }
}
