//! Elements moved a register at a time, where several lie in the bytes of one.
//!
//! So do those of a slice with a short step, of a reversed one, and of short rows with gaps between them. What of them lies in a
//! register on both sides is a unit: a load, a permutation of bytes, and a store. Other units are as far from each other as
//! it is from the next. Loads and stores are masked, as what lies between elements may be someone else's, who writes it at the
//! same time: it is neither read nor written.

/// The bytes of the largest register.
const LARGEST: usize = 64;

/// The fewest elements for which a unit is found out, which takes the time in which so many are moved.
const WORTH: usize = 256;

/// How an instruction set moves units.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    /// The bytes of a register.
    pub(crate) register: usize,
    /// The bytes that are permuted together, from a multiple of so many on.
    pub(crate) granule: usize,
    pub(crate) gaps: Gaps,
    /// The fewest elements of a unit for which it takes less time than they do one by one.
    pub(crate) fewest: usize,
    /// The loop: see [`MoveUnits`].
    pub(crate) run: MoveUnits,
}

/// Where there may be gaps between the elements of units.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Whose instruction sets have masks.
pub(crate) enum Gaps {
    /// Nowhere: a unit is a whole register on both sides.
    None,
    /// On the side that is read. What is written is the first bytes of a register, and those of the next unit follow them.
    Read,
    /// On both.
    Both,
}

/// Moves so many units, as the first tells, of which the first is at these addresses.
///
/// # Safety
/// The unit [suits](Unit::suits) the loop, and its elements and steps are whole granules. What each of the units reads is
/// valid for reading, and what it writes for writing, at any alignment; they don't overlap. The CPU has the instruction set.
pub(crate) type MoveUnits = unsafe fn(&Unit, *const u8, *mut u8, usize);

/// What is done to the bytes from an address on.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))] // Where they are moved by registers.
pub(crate) struct Unit {
    /// Those that are read, and those that are written: a bit for each.
    pub(crate) read: u64,
    pub(crate) written: u64,
    /// Where those that are written come from. (Of others it does not matter.)
    pub(crate) places: [u8; LARGEST],
    /// How far the next unit is, on both sides.
    pub(crate) steps: [isize; 2],
}

/// Elements in rows and columns, on both sides.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    /// The bytes of an element.
    pub(super) size: usize,
    /// How many there are along each axis, and how many bytes on the next is, first of the source, then of the destination.
    pub(super) axes: [(usize, [isize; 2]); 2],
}

impl Grid {
    /// Moves them, and answers whether it has: they are as many and lie as close together as makes this worth it.
    ///
    /// # Safety
    /// Those of the source, of which the first is at `src`, are valid for reading, those of the destination for writing, and
    /// don't overlap those or each other. The CPU has the instruction set of the units.
    pub(super) unsafe fn move_by(self, units: Units, src: *const u8, dst: *mut u8) -> bool {
        let [(rows, _), (cols, _)] = self.axes;
        if rows * cols < WORTH || !self.is_of(units.granule) {
            return false;
        }
        let turned = Self { axes: [self.axes[1], self.axes[0]], ..self };
        let (grid, of_unit) = match (self.most(units.register), turned.most(units.register)) {
            (a, b) if b[0] * b[1] > a[0] * a[1] => (turned, b),
            (a, _) => (self, a),
        };
        if of_unit[0] * of_unit[1] < units.fewest {
            return false;
        }
        let (unit, back) = grid.unit(of_unit);
        if !unit.suits(units) {
            return false;
        }
        // SAFETY: the caller's; a unit has at most as many rows and columns as there are, what it reads and writes are
        // elements, in whole granules as has been seen, and it suits the loop.
        unsafe { grid.run(units.run, (&unit, back, of_unit), src, dst) };
        true
    }

    /// Whether elements and steps are whole granules.
    fn is_of(&self, granule: usize) -> bool {
        let is_whole = |step: isize| step.unsigned_abs().is_multiple_of(granule);
        self.size.is_multiple_of(granule)
            && self.axes.iter().all(|(_, steps)| steps.iter().all(|&step| is_whole(step)))
    }

    /// The most rows and columns that lie in a register on both sides: of more rows than one only if all columns do.
    fn most(&self, register: usize) -> [usize; 2] {
        let [(rows, row_steps), (cols, col_steps)] = self.axes;
        let left = register - self.size;
        let fit = |len: usize, steps: [isize; 2], left: [usize; 2]| {
            let of_side = |side: usize| match steps[side].unsigned_abs() {
                0 => len,
                step => left[side] / step + 1,
            };
            len.min(of_side(0)).min(of_side(1))
        };
        let in_row = fit(cols, col_steps, [left; 2]);
        if in_row < cols {
            return [1, in_row];
        }
        let left = col_steps.map(|step| left - (cols - 1) * step.unsigned_abs());
        [fit(rows, row_steps, left), cols]
    }

    /// # Safety
    /// As for [`move_by`](Self::move_by); the loop moves such units, of so many rows and columns, which start so many bytes on
    /// from their first element.
    unsafe fn run(
        self,
        run: MoveUnits,
        (unit, back, of_unit): (&Unit, [isize; 2], [usize; 2]),
        src: *const u8,
        dst: *mut u8,
    ) {
        let [(rows, row_steps), (cols, col_steps)] = self.axes;
        let at = |row: usize, col: usize| {
            let offset =
                |side: usize| row as isize * row_steps[side] + col as isize * col_steps[side];
            // (No element's address wraps.)
            (src.wrapping_offset(offset(0)), dst.wrapping_offset(offset(1)))
        };
        let [unit_rows, unit_cols] = of_unit;
        // SAFETY: the caller's; these units are of elements that are there. (The last one may move some for a second time.)
        unsafe {
            let units = |row: usize, col: usize, n: usize| {
                let (src, dst) = at(row, col);
                run(unit, src.wrapping_offset(back[0]), dst.wrapping_offset(back[1]), n);
            };
            if unit_cols < cols {
                for row in 0..rows {
                    units(row, 0, cols / unit_cols);
                    if !cols.is_multiple_of(unit_cols) {
                        units(row, cols - unit_cols, 1);
                    }
                }
            } else {
                units(0, 0, rows / unit_rows);
                if !rows.is_multiple_of(unit_rows) {
                    units(rows - unit_rows, 0, 1);
                }
            }
        }
    }

    /// The unit of so many rows and columns, and how many bytes on from its first element it starts on either side: before it,
    /// if others lie there.
    fn unit(&self, [rows, cols]: [usize; 2]) -> (Unit, [isize; 2]) {
        let [(_, row_steps), (all_cols, col_steps)] = self.axes;
        let start = |side: usize| {
            let last = |len: usize, step: isize| (len as isize - 1) * step.min(0);
            last(rows, row_steps[side]) + last(cols, col_steps[side])
        };
        let back = [start(0), start(1)];
        let steps = match cols < all_cols {
            true => col_steps.map(|step| step * cols as isize),
            false => row_steps.map(|step| step * rows as isize),
        };
        let mut unit = Unit { read: 0, written: 0, places: [0; LARGEST], steps };
        let element = u64::MAX >> (64 - self.size);
        let mut first = back.map(|start| -start);
        for _ in 0..rows {
            let [mut from, mut to] = first;
            for _ in 0..cols {
                unit.read |= element << from;
                unit.written |= element << to;
                let places = unit.places[to as usize..][..self.size].iter_mut();
                places.zip(from as u8..).for_each(|(place, byte)| *place = byte);
                (from, to) = (from.wrapping_add(col_steps[0]), to.wrapping_add(col_steps[1]));
            }
            // (A step of one row, which leads nowhere, may be a long one.)
            first = [0, 1].map(|side| first[side].wrapping_add(row_steps[side]));
        }
        (unit, back)
    }
}

impl Unit {
    /// Whether it has gaps only where it may.
    fn suits(&self, units: Units) -> bool {
        let all = u64::MAX >> (64 - units.register);
        match units.gaps {
            Gaps::None => self.read == all && self.written == all,
            Gaps::Read => {
                self.written & self.written.wrapping_add(1) == 0
                    && self.steps[1] == self.written.count_ones() as isize
            }
            Gaps::Both => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves units as a loop with masks does, and sees to what they are.
    unsafe fn by_bytes(unit: &Unit, src: *const u8, dst: *mut u8, n: usize) {
        for i in 0..n as isize {
            let mut register = [0; LARGEST];
            let is_read = |byte: usize| unit.read >> byte & 1 == 1;
            for byte in (0..LARGEST).filter(|&byte| is_read(byte)) {
                // SAFETY: the caller's.
                register[byte] = unsafe { src.wrapping_offset(i * unit.steps[0]).add(byte).read() };
            }
            for byte in (0..LARGEST).filter(|byte| unit.written >> byte & 1 == 1) {
                let place = usize::from(unit.places[byte]);
                assert!(is_read(place), "byte {byte} comes from {place}, which is not read");
                // SAFETY: the caller's.
                unsafe {
                    dst.wrapping_offset(i * unit.steps[1]).add(byte).write(register[place]);
                }
            }
        }
    }

    const BOTH: Units =
        Units { register: 64, granule: 1, gaps: Gaps::Both, fewest: 4, run: by_bytes };

    /// Moves a grid in the middle of memory, and compares each byte with what is wanted there. Answers whether it was moved.
    fn moves(grid: Grid, units: Units) -> bool {
        const MIDDLE: usize = 1 << 15;
        let src: [u8; 2 * MIDDLE] = core::array::from_fn(|i| (i * 7 % 251) as u8);
        let (mut dst, mut wanted) = ([0xee; 2 * MIDDLE], [0xee; 2 * MIDDLE]);
        let [(rows, row_steps), (cols, col_steps)] = grid.axes;
        for (row, col) in
            (0..rows as isize).flat_map(|row| (0..cols as isize).map(move |col| (row, col)))
        {
            let [from, to] = [0, 1].map(|side| {
                MIDDLE.wrapping_add_signed(row * row_steps[side] + col * col_steps[side])
            });
            wanted[to..to + grid.size].copy_from_slice(&src[from..from + grid.size]);
        }
        // SAFETY: all elements lie in the arrays, as has just been seen.
        let moved =
            unsafe { grid.move_by(units, src.as_ptr().add(MIDDLE), dst.as_mut_ptr().add(MIDDLE)) };
        assert!(!moved || dst == wanted, "{:?}, elements of {} bytes", grid.axes, grid.size);
        assert!(moved || dst.iter().all(|&byte| byte == 0xee));
        moved
    }

    #[test]
    fn units_are_the_elements_and_nothing_else() {
        let mut moved = 0;
        for size in [1isize, 2, 4, 8, 16] {
            for step in [-3, -2, -1, 0, 1, 2, 3, 5] {
                for gap in [0, 1] {
                    let apart = step * size + gap * step.signum();
                    let slice = |from, to| Grid {
                        size: size as usize,
                        axes: [(1, [0, 0]), (259, [from, to])],
                    };
                    moved += u32::from(moves(slice(apart, size), BOTH));
                    if step != 0 {
                        moved += u32::from(moves(slice(size, apart), BOTH));
                        moved += u32::from(moves(slice(-2 * size, apart), BOTH));
                    }
                }
            }
            for cols in [2isize, 3, 5, 20] {
                // Rows with gaps, turned over, and their columns one after the other.
                let (row, all) = (size * (cols + 1), 300 / cols + 1);
                let lens = [all as usize, cols as usize];
                let of = |a: [isize; 2], b: [isize; 2]| Grid {
                    size: size as usize,
                    axes: [(lens[0], [a[0], b[0]]), (lens[1], [a[1], b[1]])],
                };
                let (apart, dense) = ([row, size], [cols * size, size]);
                let (turned, back) = ([size, all * size], [-row, -size]);
                for (a, b) in [
                    (apart, dense),
                    (dense, apart),
                    (turned, apart),
                    (back, dense),
                    (apart, turned),
                ] {
                    moved += u32::from(moves(of(a, b), BOTH));
                }
            }
        }
        assert!(moved > 100, "{moved} of the grids have units");
    }

    #[test]
    fn a_loop_is_given_the_units_that_suit_it() {
        let slice = |size: isize, steps: [isize; 2]| Grid {
            size: size as usize,
            axes: [(1, [0, 0]), (300, steps)],
        };
        let dwords = Units { register: 32, granule: 4, gaps: Gaps::Read, fewest: 4, run: by_bytes };
        let whole = Units { register: 16, granule: 1, gaps: Gaps::None, fewest: 4, run: by_bytes };
        // Every second one, into a run, and out of one.
        assert!(moves(slice(4, [8, 4]), dwords) && !moves(slice(4, [4, 8]), dwords));
        assert!(!moves(slice(4, [8, 4]), whole));
        // Backward.
        assert!(moves(slice(8, [-8, 8]), dwords) && moves(slice(1, [-1, 1]), whole));
        assert!(!moves(slice(2, [-2, 2]), dwords), "two are in a granule");
        assert!(!moves(slice(4, [9, 4]), dwords), "an element starts within a granule");
        // A repeated one is less than a register.
        assert!(moves(slice(4, [0, 4]), dwords) && !moves(slice(2, [0, 2]), whole));
        // Too few lie in a register, or there are too few of them.
        assert!(!moves(slice(8, [24, 8]), BOTH));
        let few = Grid { size: 1, axes: [(1, [0, 0]), (WORTH - 1, [2, 1])] };
        assert!(!moves(few, BOTH));
    }
}
