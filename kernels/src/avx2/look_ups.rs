//! Bytes by a table that is made when the cast begins, by a sum of look-ups as [`nibbles`](super::nibbles) finds
//! them at compile time: of 16 rows of 16, only those take part that have more than the row before by something that
//! differs along the row. Rounding towards one side makes few such rows, where the default rounding makes none.

use super::Avx2;
use super::shapes::steps;
use crate::codec::Isa;
use core::arch::x86_64::__m256i;
use core::array;

/// Sixteen bytes of a table.
type Row = [u8; 16];

/// The sum for a table. With c a byte, but for bits that make no difference, or what stands for it, and m its lower
/// seven bits:
/// * `high[c / 16]`, and `low[m % 16]`,
/// * of `rows`, the first `lower`: what the low four bits of m tell, for each row up to m's,
/// * the others, up to `count`: the same, if c is not below 128.
struct Sum {
    mask: u8,
    /// Whether bytes stand for their magnitude and sign as two's complement has them.
    absolute: bool,
    high: [u8; 32],
    low: [u8; 32],
    rows: [More; 15],
    lower: usize,
    count: usize,
}

/// What a row has more than the one before, and where it begins, each in both lanes.
#[derive(Clone, Copy)]
struct More {
    bytes: [u8; 32],
    start: [u8; 32],
}

impl Sum {
    fn of(table: &[u8; 256]) -> Self {
        const FEW: usize = 6;
        let sum = Self::by_rows(table, false);
        if sum.count <= FEW {
            return sum;
        }
        // The code that stands for -m is 128 + m, and for -128 it is 128.
        let by_size = array::from_fn(|code| match code {
            0..=128 => table[code],
            _ => table[384 - code],
        });
        let other = Self::by_rows(&by_size, true);
        if other.count < sum.count { other } else { sum }
    }

    fn by_rows(table: &[u8; 256], absolute: bool) -> Self {
        let (rows, _) = table.as_chunks::<16>();
        // Every so many rows they begin again.
        let kinds = [1, 2, 4, 8].into_iter().find(|&kinds| rows[kinds..] == rows[..16 - kinds]);
        let kinds = kinds.unwrap_or(16);
        let mut sum = Self {
            mask: (16 * kinds - 1) as u8,
            absolute,
            high: [0; 32],
            low: twice(&rows[0]),
            rows: [More { bytes: [0; 32], start: [0; 32] }; 15],
            lower: 0,
            count: 0,
        };
        let mut before = 0;
        for k in 1..kinds.min(8) {
            before = sum.step(minus(&rows[k], &rows[k - 1]), k, before);
            (sum.high[k], sum.high[k + 16]) = (before, before);
        }
        sum.lower = sum.count;
        let (mut last, mut more) = ([0; 16], 0);
        for k in 0..kinds - kinds.min(8) {
            let this = minus(&rows[k + 8], &rows[k]);
            more = sum.step(minus(&this, &last), k, more);
            let high = sum.high[k].wrapping_add(more);
            (sum.high[k + 8], sum.high[k + 24], last) = (high, high, this);
        }
        sum
    }

    /// Takes up what a row has more, and answers what that is, with what was before, if it is the same all along it.
    fn step(&mut self, more: Row, k: usize, before: u8) -> u8 {
        if more == [more[0]; 16] {
            return before.wrapping_add(more[0]);
        }
        self.rows[self.count] = More { bytes: twice(&more), start: [16 * k as u8; 32] };
        self.count += 1;
        before
    }
}

fn minus(a: &Row, b: &Row) -> Row {
    array::from_fn(|i| a[i].wrapping_sub(b[i]))
}

fn twice(row: &Row) -> [u8; 32] {
    array::from_fn(|i| row[i % 16])
}

/// The vectors that share what is loaded of a sum.
const VECTORS: usize = 4;

/// Bytes by a table of 256: see [`Shapes::look_up`](crate::shape::Shapes).
///
/// # Safety
/// The pointers are valid for `n` bytes, and don't overlap. The CPU has AVX2.
pub(super) unsafe fn look_up(table: &[u8; 256], src: *const u8, dst: *mut u8, n: usize) {
    let sum = &Sum::of(table);
    // SAFETY: the caller's; a step is of four vectors.
    unsafe {
        steps::<{ 32 * VECTORS }>(
            (1, 1),
            src,
            dst,
            n,
            #[inline(always)]
            |isa, src, dst| {
                let mut codes = [isa.zero(); VECTORS];
                for (k, codes) in codes.iter_mut().enumerate() {
                    *codes = isa.load(src.add(32 * k));
                }
                let found = isa.sum_up(sum, codes);
                for (k, found) in found.into_iter().enumerate() {
                    isa.store(dst.add(32 * k), found);
                }
            },
        );
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
            let marks = isa.constant(&twice(marks));
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

    #[inline(always)]
    fn sum_up(self, sum: &Sum, mut codes: [__m256i; VECTORS]) -> [__m256i; VECTORS] {
        let (mask, low7, sign) =
            (self.all8(sum.mask as i8), self.all8(i8::MAX), self.all8(i8::MIN));
        let (high, low) = (self.constant(&sum.high), self.constant(&sum.low));
        let (mut sizes, mut found) = ([self.zero(); VECTORS], [self.zero(); VECTORS]);
        for k in 0..VECTORS {
            if sum.absolute {
                codes[k] = self.or(self.abs8(codes[k]), self.and(codes[k], sign));
            }
            codes[k] = self.and(codes[k], mask);
            sizes[k] = self.and(codes[k], low7);
            let at = self.and(self.shr16::<4>(codes[k]), self.all8(15));
            found[k] = self.add8(self.shuffle8(high, at), self.shuffle8(low, sizes[k]));
        }
        for more in &sum.rows[..sum.lower] {
            found = self.add_more(more, sizes, found);
        }
        if sum.lower < sum.count {
            // What is below 128 is below every row: subtraction stops at -128.
            let mut uppers = codes;
            for upper in &mut uppers {
                *upper = self.xor(*upper, sign);
            }
            for more in &sum.rows[sum.lower..sum.count] {
                found = self.add_more(more, uppers, found);
            }
        }
        found
    }

    #[inline(always)]
    fn add_more(
        self,
        more: &More,
        codes: [__m256i; VECTORS],
        mut found: [__m256i; VECTORS],
    ) -> [__m256i; VECTORS] {
        let (bytes, start) = (self.constant(&more.bytes), self.constant(&more.start));
        for k in 0..VECTORS {
            // Negative before the row, which gives zero.
            let at = self.sub_clamped8(codes[k], start);
            found[k] = self.add8(found[k], self.shuffle8(bytes, at));
        }
        found
    }
}
