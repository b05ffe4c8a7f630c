//! Tables of few bytes, made when a cast begins, as sums of look-ups by nibble, where an instruction set looks up 4 bits at a
//! time and has registers for all of them: of up to 8 rows of 16, only those take part that have more than the row before by
//! something that differs along the row.

use super::rows::{Row, twice};
use core::array;

/// The most rows that take part.
const MOST: usize = 3;

/// The sum for a table. With c a byte, but for bits that make no difference, which are the upper one at least:
/// * `high[c / 16]`, and `low[c % 16]`,
/// * what the low four bits of c tell, for each of `rows` up to c's.
pub(crate) struct Sum {
    pub(crate) mask: u8,
    /// In both lanes.
    pub(crate) high: [u8; 32],
    /// In both lanes.
    pub(crate) low: [u8; 32],
    pub(crate) rows: [More; MOST],
    pub(crate) count: usize,
}

/// What a row has more than the one before, and where it begins, each in both lanes.
#[derive(Clone, Copy)]
pub(crate) struct More {
    pub(crate) bytes: [u8; 32],
    pub(crate) start: [u8; 32],
}

impl Sum {
    /// One for a table, if it is short.
    pub(crate) fn of(table: &[u8; 256]) -> Option<Self> {
        let (rows, _) = table.as_chunks::<16>();
        // After how many rows they begin again.
        let kinds = [1, 2, 4, 8].into_iter().find(|&kinds| rows[kinds..] == rows[..16 - kinds])?;
        let mut sum = Self {
            mask: (16 * kinds - 1) as u8,
            high: [0; 32],
            low: twice(&rows[0]),
            rows: [More { bytes: [0; 32], start: [0; 32] }; MOST],
            count: 0,
        };
        let mut high = [0u8; 16];
        for k in 1..kinds {
            let more = array::from_fn(|i| rows[k][i].wrapping_sub(rows[k - 1][i]));
            high[k] = high[k - 1];
            if is_level(&more) {
                high[k] = high[k].wrapping_add(more[0]);
            } else {
                let start = [16 * k as u8; 32];
                *sum.rows.get_mut(sum.count)? = More { bytes: twice(&more), start };
                sum.count += 1;
            }
        }
        sum.high = twice(&high);
        Some(sum)
    }

    pub(crate) fn has_high(&self) -> bool {
        self.high != [0; 32]
    }

    /// About how many instructions it takes.
    pub(crate) fn work(&self) -> usize {
        2 + 3 * self.count + 3 * usize::from(self.has_high())
    }
}

fn is_level(row: &Row) -> bool {
    let row = u128::from_ne_bytes(*row);
    row == row.rotate_left(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::rows::tests::arbitrary;

    /// What a code becomes, one look-up after the other.
    fn value(sum: &Sum, code: u8) -> u8 {
        let code = code & sum.mask;
        let column = usize::from(code % 16);
        let told = sum.rows[..sum.count].iter().filter(|row| code >= row.start[0]);
        let more = told.fold(0u8, |all, row| all.wrapping_add(row.bytes[column]));
        sum.high[usize::from(code / 16)].wrapping_add(sum.low[column]).wrapping_add(more)
    }

    /// Every code becomes what the table tells, by so many rows.
    fn sums_up(table: [u8; 256], rows: usize) {
        let sum = Sum::of(&table).expect("a short one");
        assert_eq!(sum.count, rows);
        for code in 0..=255 {
            assert_eq!(value(&sum, code), table[usize::from(code)], "{code:#x}");
        }
    }

    #[test]
    fn a_sum_is_its_table() {
        let arbitrary = arbitrary();
        // Of few codes, as small dtypes have.
        for (codes, rows) in [(1, 0), (16, 0), (32, 1), (64, 3)] {
            sums_up(array::from_fn(|code| arbitrary[code % codes]), rows);
        }
        // Straight lines, as of numbers that stay the same.
        sums_up(array::from_fn(|code| (code % 64) as u8), 0);
        sums_up(array::from_fn(|code| (code % 128).clamp(3, 40) as u8), 3);
        // More rows, or codes, than there is room for.
        assert!(Sum::of(&array::from_fn(|code| arbitrary[code % 128])).is_none());
        assert!(Sum::of(&array::from_fn(|code| code as u8)).is_none());
    }
}
