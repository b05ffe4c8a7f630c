//! Tables of bytes, made when a cast begins, by rows of 16 where an instruction set looks up 4 bits at a time: most rows
//! of a map between small dtypes are alike.
//!
//! A row begins with some byte, and what the others have more than that is its *kind*. Floats that are rounded to fewer
//! bits, and what that makes of integers, have the same kind in row after row. And a kind that changes once or twice along
//! its row needs no look-up of its own: codes are compared with those before the changes, which are looked up by row.

use core::array;

/// Sixteen bytes of a table.
pub(super) type Row = [u8; 16];

/// The most changes along a row that are found by comparing.
const CHANGES: usize = 2;

/// The most kinds that are marked by one look-up.
const MARKED: usize = 8;

/// How a table is looked up. With c a byte, or what stands for it, and r = c / 16:
/// * `bases[r]`, or if c is above the first of `changes` in `last[r]`, as signed bytes, what that has in `bases[r]`; and so
///   on with the second one,
/// * and what is more by the row's kind, at c % 16: the first of `kinds` if `is_begun`, if no mark tells another. The k-th of
///   the others has a mark in `marks[k / 8][r]`, with the highest bit first.
///
/// If c is not below 128 and it `is_negated`, that is negated. (Then the first byte of the table is zero.)
pub(crate) struct Rows {
    /// About how many instructions it takes.
    pub(crate) work: usize,
    /// Whether bytes stand for their magnitude and sign as two's complement has them.
    pub(crate) is_absolute: bool,
    pub(crate) is_negated: bool,
    /// Whether there is a kind without a mark. (Then no changes are compared.)
    pub(crate) is_begun: bool,
    pub(crate) bases: [u8; 32],
    pub(crate) changes: [Change; CHANGES],
    pub(crate) change_count: usize,
    pub(crate) kinds: [[u8; 32]; 16],
    kind_count: usize,
    marks: [[u8; 32]; 16 / MARKED],
}

/// Where rows change, each of which is in both lanes.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    /// The last code before it.
    pub(crate) last: [u8; 32],
    /// The byte from there on.
    pub(crate) bases: [u8; 32],
}

impl Rows {
    /// The shortest way that is known to look up the low bits of a table's bytes. (It does not matter what the others become.)
    /// Whether its codes are in two's complement is a hint.
    pub(crate) fn of(table: &[u8; 256], bits: u8, is_twos_complement: bool) -> Self {
        /// As many instructions as most tables take at least.
        const FEW: usize = 11;
        let table = table.map(|byte| byte & bits);
        let mut best = Ways::of(table, bits, false, false);
        let can_negate = table[0] == 0;
        if best.work > FEW && can_negate {
            best.improve(Ways::of(table, bits, false, true));
        }
        if best.work > FEW && is_twos_complement {
            // The code that stands for -m is 128 + m, and for -128 it is 128.
            let by_size = array::from_fn(|code| match code {
                0..=128 => table[code],
                _ => table[384 - code],
            });
            best.improve(Ways::of(by_size, bits, true, false));
            if can_negate {
                best.improve(Ways::of(by_size, bits, true, true));
            }
        }
        best.rows()
    }

    /// The marks of a group of kinds, and those kinds.
    pub(crate) fn marked(&self, group: usize) -> (&[u8; 32], &[[u8; 32]]) {
        let start = usize::from(self.is_begun) + MARKED * group;
        (&self.marks[group], &self.kinds[start..self.kind_count.min(start + MARKED)])
    }

    /// How many such groups there are.
    pub(crate) const fn mark_count(&self) -> usize {
        (self.kind_count - self.is_begun as usize).div_ceil(MARKED)
    }
}

/// The kinds of a table's rows, and the way by them that takes the fewest instructions.
struct Ways {
    rows: [Row; 16],
    is_absolute: bool,
    is_negated: bool,
    /// Those that differ.
    kinds: [Kind; 16],
    count: usize,
    /// Of each row which it has.
    places: [u8; 16],
    /// How many changes are found by comparing.
    compared: usize,
    work: usize,
}

/// What a row has more than its first byte: sixteen bytes, lowest first.
#[derive(Clone, Copy)]
struct Kind {
    more: u128,
    /// The highest bit of each byte that differs from the one before.
    edges: u128,
    changes: usize,
}

impl Kind {
    const NONE: Self = Self { more: 0, edges: 0, changes: 0 };

    fn of(more: u128) -> Self {
        let differing = more ^ more << 8;
        // A sum that carries into the highest bit has others.
        let edges = (((differing & !HIGHEST) + !HIGHEST) | differing) & HIGHEST;
        Self { more, edges, changes: edges.count_ones() as usize }
    }
}

/// The highest bit of each byte.
const HIGHEST: u128 = 0x80 * all(1);

/// A byte, 16 times.
const fn all(byte: u8) -> u128 {
    u128::MAX / 0xff * byte as u128
}

/// What the bytes of a row have more than the first one, of which the low bits count.
fn more(row: &Row, bits: u8) -> u128 {
    let (bytes, first) = (u128::from_le_bytes(*row), u128::from_le_bytes([row[0]; 16]));
    // Subtraction, but for the highest bits, borrows from no other byte, if these are set.
    let low = (bytes | HIGHEST) - (first & !HIGHEST);
    (low ^ (bytes ^ !first) & HIGHEST) & u128::from_le_bytes([bits; 16])
}

impl Ways {
    fn of(mut table: [u8; 256], bits: u8, is_absolute: bool, is_negated: bool) -> Self {
        if is_negated {
            for byte in &mut table[128..] {
                *byte = byte.wrapping_neg() & bits;
            }
        }
        let mut ways = Self {
            rows: bytemuck::cast(table),
            is_absolute,
            is_negated,
            kinds: [Kind::NONE; 16],
            count: 0,
            places: [0; 16],
            compared: 0,
            work: usize::MAX,
        };
        for (row, place) in ways.rows.iter().zip(&mut ways.places) {
            let more = more(row, bits);
            let found = ways.kinds[..ways.count].iter().position(|kind| kind.more == more);
            *place = found.unwrap_or(ways.count) as u8;
            if found.is_none() {
                ways.kinds[ways.count] = Kind::of(more);
                ways.count += 1;
            }
        }
        for compared in 0..=CHANGES {
            let work = ways.work_of(compared);
            if work < ways.work {
                (ways.compared, ways.work) = (compared, work);
            }
        }
        ways
    }

    /// How many kinds are looked up if so many changes are compared.
    fn looked_up(&self, compared: usize) -> usize {
        self.kinds[..self.count].iter().filter(|kind| kind.changes > compared).count()
    }

    /// About how many instructions that takes.
    fn work_of(&self, compared: usize) -> usize {
        let looked_up = self.looked_up(compared);
        if compared > 0 && (looked_up == self.count || looked_up > MARKED) {
            // (There is no loop for that, which is no short way.)
            return usize::MAX;
        }
        let sign = usize::from(self.is_negated) + 3 * usize::from(self.is_absolute);
        let kinds = match (looked_up, looked_up == self.count) {
            (0, _) => 0,
            (1, true) => 3,
            (_, true) => 4 + 3 * (looked_up - 1),
            (_, false) => 3 + 3 * looked_up,
        };
        3 + 4 * compared + kinds + sign
    }

    fn improve(&mut self, other: Self) {
        if other.work < self.work {
            *self = other;
        }
    }

    fn rows(&self) -> Rows {
        let is_begun = self.looked_up(self.compared) == self.count;
        let mut found = Rows {
            work: self.work,
            is_absolute: self.is_absolute,
            is_negated: self.is_negated,
            is_begun,
            bases: twice(&self.rows.map(|row| row[0])),
            changes: [Change { last: [0; 32], bases: [0; 32] }; CHANGES],
            change_count: self.compared,
            kinds: [[0; 32]; 16],
            kind_count: 0,
            marks: [[0; 32]; 16 / MARKED],
        };
        let mut marked_at = [None; 16];
        for (kind, at) in self.kinds[..self.count].iter().zip(&mut marked_at) {
            if kind.changes > self.compared {
                found.kinds[found.kind_count] = twice(&kind.more.to_le_bytes());
                *at = found.kind_count.checked_sub(usize::from(is_begun));
                found.kind_count += 1;
            }
        }
        for (r, row) in self.rows.iter().enumerate() {
            let place = usize::from(self.places[r]);
            if let Some(k) = marked_at[place] {
                set(&mut found.marks[k / MARKED], r, 0x80 >> (k % MARKED));
            }
            let kind = &self.kinds[place];
            let mut edges = if kind.changes > self.compared { 0 } else { kind.edges };
            for change in &mut found.changes[..self.compared] {
                // What comes before no change is the whole row.
                let next = edges.trailing_zeros() as usize / 8;
                edges &= edges.wrapping_sub(1);
                set(&mut change.last, r, (16 * r + next - 1) as u8);
                set(&mut change.bases, r, row[next % 16]);
            }
        }
        found
    }
}

fn set(both: &mut [u8; 32], r: usize, byte: u8) {
    (both[r], both[r + 16]) = (byte, byte);
}

/// A row in both lanes.
pub(super) fn twice(row: &Row) -> [u8; 32] {
    array::from_fn(|i| row[i % 16])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What a code becomes, one look-up after the other.
    fn value(rows: &Rows, code: u8) -> u8 {
        let code = match code as i8 {
            negative if rows.is_absolute && negative < 0 => negative.unsigned_abs() | 0x80,
            _ => code,
        };
        let (row, column) = (usize::from(code / 16), usize::from(code % 16));
        let mut base = rows.bases[row];
        for change in &rows.changes[..rows.change_count] {
            if code as i8 > change.last[row] as i8 {
                base = change.bases[row];
            }
        }
        let mut more = if rows.is_begun { rows.kinds[0][column] } else { 0 };
        for (marks, kinds) in (0..rows.mark_count()).map(|group| rows.marked(group)) {
            for (k, kind) in kinds.iter().enumerate() {
                if marks[row] << k & 0x80 != 0 {
                    more = kind[column];
                }
            }
        }
        let found = base.wrapping_add(more);
        if rows.is_negated && code >= 128 { found.wrapping_neg() } else { found }
    }

    /// Every code becomes what the table tells, by so many changes and kinds.
    fn are_the_table(table: [u8; 256], bits: u8, is_whole: bool, counts: (usize, usize)) {
        let rows = Rows::of(&table, bits, is_whole);
        assert_eq!((rows.change_count, rows.kind_count), counts);
        for code in 0..=255 {
            let expected = table[usize::from(code)] & bits;
            assert_eq!(value(&rows, code) & bits, expected, "{code:#x}");
        }
    }

    pub(in crate::shape) fn arbitrary() -> [u8; 256] {
        let mut state = 1u32;
        array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
    }

    #[test]
    fn rows_are_their_table() {
        let bytes = arbitrary();
        // Every row of a kind of its own; the same in few bits, where one may be alike; with one kind, or none.
        are_the_table(bytes, 0xff, false, (0, 16));
        are_the_table(bytes, 0x0f, false, (0, 16));
        are_the_table(array::from_fn(|code| bytes[code % 16]), 0xff, false, (0, 1));
        are_the_table([7; 256], 0xff, false, (0, 0));
        are_the_table(array::from_fn(|code| code as u8), 0xff, false, (0, 1));
        // Eight kinds; nine, of which eight are marked, or all, beside rows that don't change.
        are_the_table(array::from_fn(|code| bytes[code % 128]), 0xff, false, (0, 8));
        let nine = |code: usize| if code < 144 { bytes[code] } else { bytes[code % 16] };
        are_the_table(array::from_fn(nine), 0xff, false, (0, 9));
        let level = |code: usize| if code < 144 { bytes[code] } else { 3 };
        are_the_table(array::from_fn(level), 0xff, false, (0, 9));
    }

    #[test]
    fn changes_are_compared() {
        // Once along some rows, and twice, below 128 and above.
        let once = |code: usize| [9, 7, 3, 200][code / 75];
        are_the_table(array::from_fn(once), 0xff, false, (1, 0));
        let twice = |code: usize| match code {
            17..=25 => 3,
            26..=40 => 90,
            150 => 4,
            _ => 8,
        };
        are_the_table(array::from_fn(twice), 0xff, false, (2, 0));
        // Beside two kinds of rows that change often.
        let bytes = arbitrary();
        let mixed = |code: usize| match code / 16 {
            2 | 5 | 9 => bytes[code % 16],
            3 => bytes[code],
            _ => once(code),
        };
        are_the_table(array::from_fn(mixed), 0xff, false, (1, 2));
    }

    #[test]
    fn signs_are_undone() {
        let bytes = arbitrary();
        let lower = |code: usize| if code & 127 == 0 { 0 } else { bytes[code & 127] };
        let negated = |code: usize| match code {
            0..128 => lower(code),
            _ => lower(code).wrapping_neg(),
        };
        are_the_table(array::from_fn(negated), 0xff, false, (0, 8));
        are_the_table(array::from_fn(negated), 0x3f, false, (0, 8));
        let by_size = |code: usize| if code < 128 { code } else { 128 + (256 - code) % 128 };
        are_the_table(array::from_fn(|code| negated(by_size(code))), 0xff, true, (0, 8));
        let with_sign = |code: usize| lower(code) & 0x7f | (code & 0x80) as u8;
        are_the_table(array::from_fn(|code| with_sign(by_size(code))), 0xff, true, (0, 8));
    }
}
