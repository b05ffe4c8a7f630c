//! Tables of bytes, made when a cast begins, as sums of look-ups by nibble, where an instruction set looks up 4 bits at a
//! time: of 16 rows of 16, only those take part that have more than the row before by something that differs along the
//! row. Rounding towards one side makes few such rows, where the default rounding makes none.

use core::array;

/// Sixteen bytes of a table.
type Row = [u8; 16];

/// What the upper half of a table has to do with the lower one: what its rows have more than those below, with the sign
/// bit taken away, is that much more than
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upper {
    /// what those have, as where a sign stays a sign.
    Same,
    /// what those have, negated, as where floats become integers. (Then the first byte of the table is zero.)
    Negated,
    /// nothing, as where all numbers of a sign become the same.
    Apart,
}

/// The sum for a table. With c a byte, but for bits that make no difference, or what stands for it, and m its lower
/// seven bits:
/// * `high[c / 16]`, and `low[m % 16]`,
/// * of `rows`, the first `lower`: what the low four bits of m tell, for each row up to m's,
/// * the others, up to `count`: the same, if c is not below 128.
///
/// If c is not below 128, what comes before the others is negated, or is `high` alone, if so says `upper`.
pub(crate) struct Sum {
    pub(crate) mask: u8,
    /// Whether bytes stand for their magnitude and sign as two's complement has them.
    pub(crate) absolute: bool,
    pub(crate) upper: Upper,
    /// In both lanes.
    pub(crate) high: [u8; 32],
    /// In both lanes.
    pub(crate) low: [u8; 32],
    pub(crate) rows: [More; 15],
    pub(crate) lower: usize,
    pub(crate) count: usize,
}

/// What a row has more than the one before, and where it begins, each in both lanes.
#[derive(Clone, Copy)]
pub(crate) struct More {
    pub(crate) bytes: [u8; 32],
    pub(crate) start: [u8; 32],
}

/// A table, and what its rows have more than those before.
struct Steps {
    steps: [Row; 16],
    /// After how many rows they begin again.
    kinds: usize,
    absolute: bool,
    upper: Upper,
}

impl Steps {
    fn of(table: &[u8; 256], absolute: bool, upper: Upper) -> Self {
        let (rows, _) = table.as_chunks::<16>();
        let kinds = [1, 2, 4, 8].into_iter().find(|&kinds| rows[kinds..] == rows[..16 - kinds]);
        let kinds = kinds.unwrap_or(16);
        let mut steps = [[0; 16]; 16];
        steps[0] = rows[0];
        for k in 1..kinds.min(8) {
            steps[k] = minus(&rows[k], &rows[k - 1]);
        }
        let mut last = [0; 16];
        for k in 8..kinds {
            let (row, below) = (&rows[k], &rows[k - 8]);
            let more = match upper {
                Upper::Same => minus(row, below),
                Upper::Negated => array::from_fn(|i| row[i].wrapping_add(below[i])),
                Upper::Apart => *row,
            };
            (steps[k], last) = (minus(&more, &last), more);
        }
        Self { steps, kinds, absolute, upper }
    }

    /// How many rows take part.
    fn count(&self) -> usize {
        self.steps[1..].iter().filter(|step| !is_level(step)).count()
    }

    fn sum(&self) -> Sum {
        let mut sum = Sum {
            mask: (16 * self.kinds - 1) as u8,
            absolute: self.absolute,
            upper: self.upper,
            high: [0; 32],
            low: twice(&self.steps[0]),
            rows: [More { bytes: [0; 32], start: [0; 32] }; 15],
            lower: 0,
            count: 0,
        };
        let mut high = [0u8; 16];
        for k in 1..self.kinds {
            let level = sum.take(&self.steps[k], k % 8);
            if k < 8 {
                high[k] = high[k - 1].wrapping_add(level);
                sum.lower = sum.count;
            } else {
                // What the rows of this half have more than the others, so far.
                let before = if k == 8 { 0 } else { self.more_above(&high, k - 1) };
                let more = before.wrapping_add(level);
                high[k] = match self.upper {
                    Upper::Same => high[k - 8].wrapping_add(more),
                    Upper::Negated => high[k - 8].wrapping_sub(more),
                    Upper::Apart => more,
                };
            }
        }
        sum.high = twice(&high);
        sum
    }

    /// What a row of the upper half has more in `high`.
    fn more_above(&self, high: &Row, k: usize) -> u8 {
        match self.upper {
            Upper::Same => high[k].wrapping_sub(high[k - 8]),
            Upper::Negated => high[k - 8].wrapping_sub(high[k]),
            Upper::Apart => high[k],
        }
    }
}

impl Sum {
    /// One that is short.
    pub(crate) fn of(table: &[u8; 256]) -> Self {
        const FEW: usize = 3;
        let mut best = Steps::of(table, false, Upper::Same);
        if best.count() > FEW {
            // The code that stands for -m is 128 + m, and for -128 it is 128.
            let by_size = array::from_fn(|code| match code {
                0..=128 => table[code],
                _ => table[384 - code],
            });
            for (table, absolute, upper) in [
                (table, false, Upper::Apart),
                (table, false, Upper::Negated),
                (&by_size, true, Upper::Same),
                (&by_size, true, Upper::Negated),
            ] {
                let other = Steps::of(table, absolute, upper);
                if (upper != Upper::Negated || table[0] == 0) && other.count() < best.count() {
                    best = other;
                }
            }
        }
        best.sum()
    }

    /// Takes up what a row has more, or answers what that is, if it is the same all along it.
    fn take(&mut self, more: &Row, k: usize) -> u8 {
        if is_level(more) {
            return more[0];
        }
        self.rows[self.count] = More { bytes: twice(more), start: [16 * k as u8; 32] };
        self.count += 1;
        0
    }
}

fn is_level(row: &Row) -> bool {
    let row = u128::from_ne_bytes(*row);
    row == row.rotate_left(8)
}

fn minus(a: &Row, b: &Row) -> Row {
    array::from_fn(|i| a[i].wrapping_sub(b[i]))
}

fn twice(row: &Row) -> [u8; 32] {
    array::from_fn(|i| row[i % 16])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a code becomes, one look-up after the other.
    fn value(sum: &Sum, code: u8) -> u8 {
        let code = match code as i8 {
            negative if sum.absolute && negative < 0 => negative.unsigned_abs() | 0x80,
            _ => code,
        };
        let code = code & sum.mask;
        let (is_upper, low7) = (code >= 128, code % 128);
        let of_rows = |rows: &[More]| {
            let told = rows.iter().filter(|row| low7 >= row.start[0]);
            told.fold(0u8, |all, row| all.wrapping_add(row.bytes[usize::from(low7 % 16)]))
        };
        let high = sum.high[usize::from(code / 16)];
        let lower = sum.low[usize::from(low7 % 16)].wrapping_add(of_rows(&sum.rows[..sum.lower]));
        let found = match sum.upper {
            Upper::Apart if is_upper => high,
            Upper::Negated if is_upper => high.wrapping_add(lower).wrapping_neg(),
            _ => high.wrapping_add(lower),
        };
        let more = if is_upper { of_rows(&sum.rows[sum.lower..sum.count]) } else { 0 };
        found.wrapping_add(more)
    }

    /// Every code becomes what the table tells, by so many rows at most.
    fn sums_up(table: [u8; 256], most: usize) {
        let sum = Sum::of(&table);
        assert!(sum.count <= most, "{} rows", sum.count);
        for code in 0..=255 {
            assert_eq!(value(&sum, code), table[usize::from(code)], "{code:#x}");
        }
    }

    #[test]
    fn a_sum_is_its_table() {
        let mut state = 1u32;
        let arbitrary: [u8; 256] = array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        sums_up(arbitrary, 15);
        // Of few codes, as small dtypes have.
        for (codes, most) in [(1, 0), (16, 0), (32, 1), (64, 3), (128, 7)] {
            sums_up(array::from_fn(|code| arbitrary[code % codes]), most);
        }
        // With a sign, as a bit or in two's complement on either side, or of one sign only.
        let lower = |code: usize| arbitrary[code % 128];
        sums_up(array::from_fn(|code| lower(code) & 0x7f | code as u8 & 0x80), 7);
        sums_up(array::from_fn(|code| if code < 128 { lower(code) } else { 9 }), 7);
        let to_whole = |code: usize| match code % 128 {
            0 => 0,
            _ if code < 128 => lower(code),
            _ => lower(code).wrapping_neg(),
        };
        sums_up(array::from_fn(to_whole), 7);
        let by_size = |code: usize| if code < 128 { code } else { 128 + (256 - code) % 128 };
        sums_up(array::from_fn(|code| to_whole(by_size(code))), 8);
        let with_sign = |code: usize| lower(code) & 0x7f | (code & 0x80) as u8;
        sums_up(array::from_fn(|code| with_sign(by_size(code))), 8);
        // Straight lines, as of numbers that stay the same.
        sums_up(array::from_fn(|code| code as u8), 0);
        sums_up(array::from_fn(|code| (code as u8).clamp(3, 200)), 4);
    }
}
