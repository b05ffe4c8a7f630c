//! Maps of bytes to bytes in steps of one, found at compile time.
//!
//! Where a destination has far fewer numbers than the source, a row of 16 codes takes few of its
//! codes: the first one's, and from some place in the row on the next, and perhaps once more. A
//! look-up by the high nibble gives the first one, two more give the last codes that are not yet
//! beyond those places, and a comparison each counts them. (The comparison is of signed bytes: in a
//! row all have the same sign.) The sign of the source is but one bit of the nibble, and free.
//!
//! Integers start with more than that: the closer to zero, the more numbers have floats. So the first
//! two rows may be looked up code by code. Their look-ups need no limit if codes don't fall: what
//! further rows read in them is less than what those give, and the maximum is taken.

use super::Avx2;
use core::arch::x86_64::__m256i;

/// What a code is mapped to: the maximum of
/// * `base[row]`, plus 1 for every one of `last[row]`, as signed bytes, that the code is above,
/// * `low[k][code % 16]` for both k, if the code minus 16 * k is not negative as a signed byte,
///
/// of which the bits in `mask` are kept.
#[derive(Clone, Copy)]
pub(super) struct Thresholds {
    base: [u8; 32],
    last: [[u8; 32]; 2],
    low: [[u8; 32]; 2],
    /// How many of `last` and of `low` count.
    steps: usize,
    rows: usize,
    mask: u8,
}

impl Thresholds {
    /// None that counts.
    pub(super) const NOTHING: Self = Self {
        base: [0; 32],
        last: [[0; 32]; 2],
        low: [[0; 32]; 2],
        steps: 0,
        rows: 0,
        mask: u8::MAX,
    };

    /// The thresholds of a map of which the first `codes` count, to codes of so many bits, if it has
    /// no more than those, and they are less work than that.
    pub(super) const fn of(
        map: &[u8; 256],
        codes: usize,
        bits: usize,
        limit: usize,
    ) -> Option<Self> {
        let mut found = Self { mask: ((1u32 << bits) - 1) as u8, ..Self::NOTHING };
        let mut row = 0;
        while row < codes / 16 {
            if !found.take(map, row) {
                if row > 1 {
                    return None;
                }
                found.look_up(map, row);
            }
            if found.least_work() >= limit {
                return None;
            }
            row += 1;
        }
        if found.is(map, codes, u8::MAX) {
            found.mask = u8::MAX;
        } else if !found.is(map, codes, found.mask) {
            return None;
        }
        if found.work() < limit { Some(found) } else { None }
    }

    /// With 128, after the 128 codes that count, mapped to this.
    pub(super) const fn followed_by(mut self, value: u8) -> Self {
        // The second row's look-up takes it for the first code of that row; the first row's gives 0.
        assert!(self.low[1][0] <= value);
        self.set(8, value, [143; 2]);
        self
    }

    /// Makes a row one of steps, if it is.
    const fn take(&mut self, map: &[u8; 256], row: usize) -> bool {
        let mut last = [(16 * row + 15) as u8; 2];
        let mut steps = 0;
        let mut j = 1;
        while j < 16 {
            let code = 16 * row + j;
            let more = map[code].wrapping_sub(map[code - 1]) & self.mask;
            if more == 1 && steps < 2 {
                last[steps] = (code - 1) as u8;
                steps += 1;
            } else if more != 0 {
                return false;
            }
            j += 1;
        }
        if steps > self.steps {
            self.steps = steps;
        }
        self.set(row, map[16 * row], last);
        true
    }

    /// Makes a row, and those before it, one of look-ups.
    const fn look_up(&mut self, map: &[u8; 256], row: usize) {
        self.rows = row + 1;
        let mut k = 0;
        while k <= row {
            self.set(k, 0, [(16 * k + 15) as u8; 2]);
            let mut j = 0;
            while j < 32 {
                self.low[k][j] = map[16 * k + j % 16];
                j += 1;
            }
            k += 1;
        }
    }

    const fn set(&mut self, row: usize, base: u8, last: [u8; 2]) {
        let mut i = row;
        while i < 32 {
            self.base[i] = base;
            self.last[0][i] = last[0];
            self.last[1][i] = last[1];
            i += 16;
        }
    }

    /// Whether this is the map, with that mask.
    const fn is(&self, map: &[u8; 256], codes: usize, mask: u8) -> bool {
        let mut code = 0;
        while code < codes {
            let row = code / 16;
            let mut value = self.base[row];
            let mut k = 0;
            while k < 2 {
                let beyond = k < self.steps && code as u8 as i8 > self.last[k][row] as i8;
                value = value.wrapping_add(beyond as u8);
                k += 1;
            }
            let mut k = 0;
            while k < self.rows {
                let at = (code as u8).wrapping_sub(16 * k as u8);
                if at < 128 && self.low[k][at as usize % 16] > value {
                    value = self.low[k][at as usize % 16];
                }
                k += 1;
            }
            if value & mask != map[code] {
                return false;
            }
            code += 1;
        }
        true
    }

    /// About how many instructions it takes, counted as those of a sum of nibbles are.
    pub(super) const fn work(&self) -> usize {
        self.least_work() + (self.mask != u8::MAX) as usize
    }

    /// The same if no bits need to be cut off.
    const fn least_work(&self) -> usize {
        let low = match self.rows {
            0 => 0,
            1 => 2,
            _ => 5,
        };
        3 + 3 * self.steps + low
    }
}

/// A map in steps.
pub(super) trait Stepped {
    const THRESHOLDS: Thresholds;
}

impl Avx2 {
    /// The bytes that thresholds make of codes, which have zeros above their bits.
    #[inline(always)]
    pub(super) fn count_steps<M: Stepped>(self, codes: __m256i) -> __m256i {
        let by = const { &M::THRESHOLDS };
        let row = self.and(self.shr16::<4>(codes), self.all8(15));
        let mut value = self.shuffle8(self.constant(&by.base), row);
        if by.steps > 0 {
            let last = self.shuffle8(self.constant(&by.last[0]), row);
            value = self.sub8(value, self.gt8(codes, last));
        }
        if by.steps > 1 {
            let last = self.shuffle8(self.constant(&by.last[1]), row);
            value = self.sub8(value, self.gt8(codes, last));
        }
        if by.rows > 0 {
            value = self.max_u8(value, self.shuffle8(self.constant(&by.low[0]), codes));
        }
        if by.rows > 1 {
            let at = self.sub8(codes, self.all8(16));
            value = self.max_u8(value, self.shuffle8(self.constant(&by.low[1]), at));
        }
        if by.mask == u8::MAX { value } else { self.and(value, self.all8(by.mask as i8)) }
    }
}
