//! Bytes by a table that is made when the cast begins: by a [`Sum`] of look-ups as [`nibbles`](super::nibbles) finds
//! them at compile time.

use super::Avx2;
use super::packed::in_steps;
use super::pieces::GROUP;
use crate::codec::Isa;
use crate::shape::{self, Map, More, Sum, Upper};
use core::arch::x86_64::__m256i;
use core::array;

/// The vectors that share what is loaded of a sum: those of a group.
const VECTORS: usize = GROUP / 32;

/// What codes become, four vectors of them at a time.
trait Look: Copy {
    /// Of a sum that is such a one.
    fn of(isa: Avx2, sum: &Sum) -> Self;

    fn look_up(self, isa: Avx2, sum: &Sum, codes: [__m256i; VECTORS]) -> [__m256i; VECTORS];
}

/// A sum for the lower halves of tables that has so many rows, which stay in registers, and something in `high` or not.
#[derive(Clone, Copy)]
struct Few<const COUNT: usize, const HIGH: bool> {
    mask: __m256i,
    high: __m256i,
    low: __m256i,
    rows: [[__m256i; 2]; COUNT],
}

impl<const COUNT: usize, const HIGH: bool> Look for Few<COUNT, HIGH> {
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

/// Any other sum, whose rows are loaded for each step.
#[derive(Clone, Copy)]
struct Many<const UPPER: u8, const ABSOLUTE: bool>;

impl<const UPPER: u8, const ABSOLUTE: bool> Look for Many<UPPER, ABSOLUTE> {
    #[inline(always)]
    fn of(_: Avx2, _: &Sum) -> Self {
        Self
    }

    #[inline(always)]
    fn look_up(self, isa: Avx2, sum: &Sum, mut codes: [__m256i; VECTORS]) -> [__m256i; VECTORS] {
        let (mask, sign) = (isa.all8(sum.mask as i8), isa.all8(i8::MIN));
        let (high, low) = (isa.constant(&sum.high), isa.constant(&sum.low));
        let (mut sizes, mut found) = (codes, codes);
        for k in 0..VECTORS {
            if ABSOLUTE {
                codes[k] = isa.or(isa.abs8(codes[k]), isa.and(codes[k], sign));
            }
            codes[k] = isa.and(codes[k], mask);
            // (If the halves are apart, negative codes are for no row of the lower one: of these a look-up makes zero.)
            let is_apart = UPPER == Upper::Apart as u8;
            sizes[k] = if is_apart { codes[k] } else { isa.and(codes[k], isa.all8(i8::MAX)) };
            let at = isa.and(isa.shr16::<4>(codes[k]), isa.all8(15));
            found[k] = isa.add8(isa.shuffle8(high, at), isa.shuffle8(low, sizes[k]));
        }
        for more in &sum.rows[..sum.lower] {
            found = isa.add_more(more, sizes, found);
        }
        if UPPER == Upper::Negated as u8 {
            for k in 0..VECTORS {
                // (Of code zero it makes zero, which that becomes.)
                found[k] = isa.sign8(found[k], codes[k]);
            }
        }
        if sum.lower < sum.count {
            // What is below 128 is below every row: subtraction stops at -128.
            for upper in &mut codes {
                *upper = isa.xor(*upper, sign);
            }
            for more in &sum.rows[sum.lower..sum.count] {
                found = isa.add_more(more, codes, found);
            }
        }
        found
    }
}

/// A loop that looks up elements of `OUT` bits by a sum of some kind.
///
/// # Safety
/// The pointers are valid for `n` bytes, and as many elements of `OUT` bits, and don't overlap. The CPU has AVX2.
unsafe fn looked_up<L: Look, const OUT: usize>(sum: &Sum, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; a group is of four vectors.
    unsafe {
        let isa = Avx2::summon();
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                let look = L::of(isa, sum);
                let bits = isa.all8((u8::MAX >> (8 - OUT)) as i8);
                in_steps(
                    [8, OUT],
                    GROUP,
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |src, dst| {
                        let [a, b, c, d] = look.look_up(isa, sum, isa.load_four(src));
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

/// The same by a sum of any kind but few rows.
///
/// # Safety
/// As for [`looked_up`].
unsafe fn by_many<const OUT: usize>(sum: &Sum, src: *const u8, dst: *mut u8, n: usize) {
    const SAME: u8 = Upper::Same as u8;
    const NEGATED: u8 = Upper::Negated as u8;
    const APART: u8 = Upper::Apart as u8;
    // SAFETY: the caller's.
    unsafe {
        match (sum.upper, sum.absolute) {
            (Upper::Same, false) => looked_up::<Many<SAME, false>, OUT>(sum, src, dst, n),
            (Upper::Same, true) => looked_up::<Many<SAME, true>, OUT>(sum, src, dst, n),
            (Upper::Negated, false) => looked_up::<Many<NEGATED, false>, OUT>(sum, src, dst, n),
            (Upper::Negated, true) => looked_up::<Many<NEGATED, true>, OUT>(sum, src, dst, n),
            (Upper::Apart, _) => looked_up::<Many<APART, false>, OUT>(sum, src, dst, n),
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
        let Some(sum) = &map.sum else {
            return shape::look_up(map, src, dst, n);
        };
        let is_lower = !sum.absolute && sum.mask < 0x80;
        let has_high = sum.high != [0; 32];
        match (sum.count, has_high) {
            _ if !is_lower => by_many::<8>(sum, src, dst, n),
            (0, false) => looked_up::<Few<0, false>, 8>(sum, src, dst, n),
            (0, true) => looked_up::<Few<0, true>, 8>(sum, src, dst, n),
            (1, false) => looked_up::<Few<1, false>, 8>(sum, src, dst, n),
            (1, true) => looked_up::<Few<1, true>, 8>(sum, src, dst, n),
            (2, false) => looked_up::<Few<2, false>, 8>(sum, src, dst, n),
            (2, true) => looked_up::<Few<2, true>, 8>(sum, src, dst, n),
            (3, false) => looked_up::<Few<3, false>, 8>(sum, src, dst, n),
            (3, true) => looked_up::<Few<3, true>, 8>(sum, src, dst, n),
            _ => by_many::<8>(sum, src, dst, n),
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
    // SAFETY: the caller's.
    unsafe { by_many::<OUT>(&Sum::of(table), src, dst, n) }
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
