//! Bytes by a table that is made when the cast begins: by few look-ups that stay in registers, as [`Sum`] has them, or row by
//! row, as [`Rows`] has it.

use super::Avx2;
use super::packed::in_steps;
use super::pieces::GROUP;
use crate::codec::Isa;
use crate::shape::{self, ByNibbles, Change, Map, Rows, Sum};
use core::arch::x86_64::__m256i;
use core::array;

/// The vectors that share what is loaded of a table: those of a group.
const VECTORS: usize = GROUP / 32;

/// What codes become, four vectors of them at a time.
trait Look: Copy {
    /// How a table is looked up.
    type By;

    fn of(isa: Avx2, by: &Self::By) -> Self;

    fn look_up(self, isa: Avx2, by: &Self::By, codes: [__m256i; VECTORS]) -> [__m256i; VECTORS];
}

/// A sum that has so many rows, which stay in registers, and something in `high` or not.
#[derive(Clone, Copy)]
struct Few<const COUNT: usize, const HIGH: bool> {
    mask: __m256i,
    high: __m256i,
    low: __m256i,
    rows: [[__m256i; 2]; COUNT],
}

impl<const COUNT: usize, const HIGH: bool> Look for Few<COUNT, HIGH> {
    type By = Sum;

    #[inline(always)]
    fn of(isa: Avx2, sum: &Sum) -> Self {
        let mut rows = [[isa.zero(); 2]; COUNT];
        for (row, more) in rows.iter_mut().zip(&sum.rows) {
            *row = [isa.constant(&more.bytes), isa.constant(&more.start)];
        }
        let (high, low) = (isa.constant(&sum.high), isa.constant(&sum.low));
        Self { mask: isa.all8(sum.mask as i8), high, low, rows }
    }

    #[inline(always)]
    fn look_up(self, isa: Avx2, _: &Sum, mut codes: [__m256i; VECTORS]) -> [__m256i; VECTORS] {
        for code in &mut codes {
            let own = isa.and(*code, self.mask);
            *code = isa.shuffle8(self.low, own);
            for [bytes, start] in self.rows {
                // Negative before the row, which gives zero.
                *code = isa.add8(*code, isa.shuffle8(bytes, isa.sub_clamped8(own, start)));
            }
            if HIGH {
                let at = isa.and(isa.shr16::<4>(own), isa.all8(15));
                *code = isa.add8(*code, isa.shuffle8(self.high, at));
            }
        }
        codes
    }
}

/// Rows, which are loaded for each step, with so many changes and look-ups of marks, and a kind that is not marked or not.
/// (What is asked at each step costs as much as half the look-ups.)
#[derive(Clone, Copy)]
struct ByRows<
    const CHANGES: usize,
    const MARKS: usize,
    const BEGUN: bool,
    const ABSOLUTE: bool,
    const NEGATED: bool,
>;

impl<
    const CHANGES: usize,
    const MARKS: usize,
    const BEGUN: bool,
    const ABSOLUTE: bool,
    const NEGATED: bool,
> Look for ByRows<CHANGES, MARKS, BEGUN, ABSOLUTE, NEGATED>
{
    type By = Rows;

    #[inline(always)]
    fn of(_: Avx2, _: &Rows) -> Self {
        Self
    }

    #[inline(always)]
    fn look_up(self, isa: Avx2, by: &Rows, mut codes: [__m256i; VECTORS]) -> [__m256i; VECTORS] {
        let (half, sign) = (isa.all8(15), isa.all8(i8::MIN));
        let bases = isa.constant(&by.bases);
        let (mut rows, mut found) = (codes, codes);
        for k in 0..VECTORS {
            if ABSOLUTE {
                codes[k] = isa.or(isa.abs8(codes[k]), isa.and(codes[k], sign));
            }
            rows[k] = isa.and(isa.shr16::<4>(codes[k]), half);
            found[k] = isa.shuffle8(bases, rows[k]);
        }
        for change in &by.changes[..CHANGES] {
            found = isa.changed(change, codes, rows, found);
        }
        if BEGUN || MARKS > 0 {
            let kinds = isa.kinds::<MARKS, BEGUN>(by, codes, rows);
            for k in 0..VECTORS {
                found[k] = isa.add8(found[k], kinds[k]);
            }
        }
        if NEGATED {
            for k in 0..VECTORS {
                // (Of code zero it makes zero, which that becomes.)
                found[k] = isa.sign8(found[k], codes[k]);
            }
        }
        found
    }
}

impl Avx2 {
    /// What codes above the last one before a change become by it.
    #[inline(always)]
    fn changed(
        self,
        change: &Change,
        codes: [__m256i; VECTORS],
        rows: [__m256i; VECTORS],
        mut found: [__m256i; VECTORS],
    ) -> [__m256i; VECTORS] {
        let (last, bases) = (self.constant(&change.last), self.constant(&change.bases));
        for k in 0..VECTORS {
            let is_past = self.gt8(codes[k], self.shuffle8(last, rows[k]));
            found[k] = self.blend8(found[k], self.shuffle8(bases, rows[k]), is_past);
        }
        found
    }

    /// What codes have more than their rows begin with.
    #[inline(always)]
    fn kinds<const MARKS: usize, const BEGUN: bool>(
        self,
        by: &Rows,
        mut codes: [__m256i; VECTORS],
        rows: [__m256i; VECTORS],
    ) -> [__m256i; VECTORS] {
        let mut found = [self.zero(); VECTORS];
        for code in &mut codes {
            *code = self.and(*code, self.all8(15));
        }
        if BEGUN {
            let kind = self.constant(&by.kinds[0]);
            for k in 0..VECTORS {
                found[k] = self.shuffle8(kind, codes[k]);
            }
        }
        for group in 0..MARKS {
            found = self.marked(by.marked(group), codes, rows, found);
        }
        found
    }

    /// What codes have by the kinds that are marked.
    #[inline(always)]
    fn marked(
        self,
        (marks, kinds): (&[u8; 32], &[[u8; 32]]),
        codes: [__m256i; VECTORS],
        rows: [__m256i; VECTORS],
        mut found: [__m256i; VECTORS],
    ) -> [__m256i; VECTORS] {
        let (all, mut marks) = (self.constant(marks), rows);
        for mark in &mut marks {
            *mark = self.shuffle8(all, *mark);
        }
        let Some((last, kinds)) = kinds.split_last() else {
            return found;
        };
        for kind in kinds {
            let kind = self.constant(kind);
            for k in 0..VECTORS {
                // The highest bit of a mark counts.
                found[k] = self.blend8(found[k], self.shuffle8(kind, codes[k]), marks[k]);
                marks[k] = self.add8(marks[k], marks[k]);
            }
        }
        let last = self.constant(last);
        for k in 0..VECTORS {
            found[k] = self.blend8(found[k], self.shuffle8(last, codes[k]), marks[k]);
        }
        found
    }
}

/// A loop that looks up elements of `OUT` bits in some way.
///
/// # Safety
/// The pointers are valid for `n` bytes, and as many elements of `OUT` bits, and don't overlap. The CPU has AVX2.
unsafe fn looked_up<L: Look, const OUT: usize>(by: &L::By, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; a group is of four vectors.
    unsafe {
        let isa = Avx2::summon();
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                let look = L::of(isa, by);
                let bits = isa.all8((u8::MAX >> (8 - OUT)) as i8);
                in_steps(
                    [8, OUT],
                    GROUP,
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |src, dst| {
                        let [a, b, c, d] = look.look_up(isa, by, isa.load_four(src));
                        if OUT == 8 {
                            isa.store(dst, a);
                            isa.store(dst.add(32), b);
                            isa.store(dst.add(64), c);
                            isa.store(dst.add(96), d);
                        } else {
                            let [a, b] = [isa.and(a, bits), isa.and(b, bits)];
                            isa.squeeze::<OUT>([a, b, isa.and(c, bits), isa.and(d, bits)], dst);
                        }
                    },
                );
            },
        );
    }
}

/// The same by rows.
///
/// # Safety
/// As for [`looked_up`].
unsafe fn by_rows<const OUT: usize, const ABSOLUTE: bool, const NEGATED: bool>(
    rows: &Rows,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        match (rows.change_count, rows.mark_count(), rows.is_begun) {
            (0, 0, false) => {
                looked_up::<ByRows<0, 0, false, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (0, 0, true) => {
                looked_up::<ByRows<0, 0, true, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (0, 1, false) => {
                looked_up::<ByRows<0, 1, false, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (0, 1, true) => {
                looked_up::<ByRows<0, 1, true, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (0, _, false) => {
                looked_up::<ByRows<0, 2, false, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (0, _, true) => {
                looked_up::<ByRows<0, 2, true, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (1, 0, _) => {
                looked_up::<ByRows<1, 0, false, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (1, _, _) => {
                looked_up::<ByRows<1, 1, false, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (_, 0, _) => {
                looked_up::<ByRows<2, 0, false, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
            (_, _, _) => {
                looked_up::<ByRows<2, 1, false, ABSOLUTE, NEGATED>, OUT>(rows, src, dst, n)
            }
        }
    }
}

/// The same by a sum.
///
/// # Safety
/// As for [`looked_up`].
unsafe fn by_sum(sum: &Sum, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match (sum.count, sum.has_high()) {
            (0, false) => looked_up::<Few<0, false>, 8>(sum, src, dst, n),
            (0, true) => looked_up::<Few<0, true>, 8>(sum, src, dst, n),
            (1, false) => looked_up::<Few<1, false>, 8>(sum, src, dst, n),
            (1, true) => looked_up::<Few<1, true>, 8>(sum, src, dst, n),
            (2, false) => looked_up::<Few<2, false>, 8>(sum, src, dst, n),
            (2, true) => looked_up::<Few<2, true>, 8>(sum, src, dst, n),
            (_, false) => looked_up::<Few<3, false>, 8>(sum, src, dst, n),
            (_, true) => looked_up::<Few<3, true>, 8>(sum, src, dst, n),
        }
    }
}

/// Bytes by a table of 256: see [`Shapes::look_up`](crate::shape::Shapes).
///
/// # Safety
/// The pointers are valid for `n` bytes, and don't overlap. The CPU has AVX2.
pub(super) unsafe fn look_up(map: &Map, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match &map.by_nibbles {
            Some(ByNibbles::Sum(sum)) => by_sum(sum, src, dst, n),
            Some(ByNibbles::Rows(rows)) => match (rows.is_absolute, rows.is_negated) {
                (false, false) => by_rows::<8, false, false>(rows, src, dst, n),
                (false, true) => by_rows::<8, false, true>(rows, src, dst, n),
                (true, false) => by_rows::<8, true, false>(rows, src, dst, n),
                (true, true) => by_rows::<8, true, true>(rows, src, dst, n),
            },
            None => shape::look_up(map, src, dst, n),
        }
    }
}

/// Elements of `OUT` bits by such a table, of which it tells the low ones.
///
/// # Safety
/// As for every [`ByCodes`](crate::table::ByCodes): the pair's dtypes have 8 bits and `OUT`. The CPU has AVX2.
pub(super) unsafe fn look_up_packed<const OUT: usize>(
    table: &[u8; 256],
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    let rows = Rows::of(table, u8::MAX >> (8 - OUT), false);
    // SAFETY: the caller's.
    unsafe {
        match rows.is_negated {
            false => by_rows::<OUT, false, false>(&rows, src, dst, n),
            true => by_rows::<OUT, false, true>(&rows, src, dst, n),
        }
    }
}

/// Whether a half byte is marked: see [`MarkedHalves`](crate::shape::MarkedHalves).
///
/// # Safety
/// As for every such loop. The CPU has AVX2.
pub(super) unsafe fn marked_halves(marks: &[u8; 16], src: *const u8, n: usize) -> bool {
    // SAFETY: the caller's.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let marks = isa.constant(&array::from_fn(|i| marks[i % 16]));
            let (mut any, mut i) = (isa.zero(), 0);
            // SAFETY: the caller's. What is left is looked at with the first half byte that is there, again.
            unsafe {
                while n - i >= 32 {
                    any = isa.or(any, isa.marks_of_halves(marks, isa.load(src.add(i))));
                    i += 32;
                }
                if i < n {
                    let mut rest = [*src.add(i) & 15; 32];
                    rest = rest.map(|half| half | half << 4);
                    src.add(i).copy_to_nonoverlapping(rest.as_mut_ptr(), n - i);
                    any = isa.or(any, isa.marks_of_halves(marks, isa.constant(&rest)));
                }
            }
            isa.signs8(isa.eq8(any, isa.zero())) != -1
        },
    )
}

impl Avx2 {
    #[inline(always)]
    fn marks_of_halves(self, marks: __m256i, bytes: __m256i) -> __m256i {
        let (low, high) = (bytes, self.shr16::<4>(bytes));
        let half = self.all8(15);
        let low = self.shuffle8(marks, self.and(low, half));
        self.or(low, self.shuffle8(marks, self.and(high, half)))
    }
}
