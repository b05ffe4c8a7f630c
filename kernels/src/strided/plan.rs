//! In which order elements that lie apart are cast: with the steps that are shortest in the
//! destination innermost, and dimensions that are one in memory taken as one.
//!
//! Where an element's place among all counts, each axis knows how far it is there from one element to the next, and the innermost
//! one stays what it is, so that elements of a run are counted one by one.

use super::ROW;
use super::view::{DIMENSIONS, Layout};
use crate::dtypes::{DType, bytes};

/// A dimension of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) len: usize,
    /// The bytes from an element to the next, in source and destination. On a side that is packed the
    /// innermost axis has none.
    pub(crate) src: isize,
    pub(crate) dst: isize,
    /// The elements of the views from one to the next, in row-major order, if they are counted; modulo what a word counts, as a
    /// step may go back.
    pub(crate) index: usize,
}

impl Axis {
    /// No dimension.
    pub(crate) const ONE: Self = Self { len: 1, src: 0, dst: 0, index: 1 };

    /// Whether elements are counted on along it where those along an inner one end.
    pub(crate) const fn counts_on(&self, inner: &Self) -> bool {
        self.index == inner.index.wrapping_mul(inner.len)
    }
}

/// Where an element is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// How far it lies from the first element of the views.
    pub(crate) src: isize,
    pub(crate) dst: isize,
    /// How many elements come before, in row-major order, if they are counted.
    pub(crate) index: usize,
}

impl Place {
    /// The place so many steps on along an axis, modulo what a word counts, as that may be back. (Where that is no element's, it
    /// may wrap.)
    pub(crate) const fn on(self, axis: Axis, steps: usize) -> Self {
        Self {
            src: self.src.wrapping_add(axis.src.wrapping_mul(steps as isize)),
            dst: self.dst.wrapping_add(axis.dst.wrapping_mul(steps as isize)),
            index: self.index.wrapping_add(axis.index.wrapping_mul(steps)),
        }
    }
}

/// Visits all places along axes but for some, from one on, in the axes' order, for as long as it is answered that it is to go
/// on. Answers whether it has visited all.
pub(crate) fn for_each_place(
    axes: &[Axis],
    but: [Option<usize>; 2],
    first: Place,
    mut visit: impl FnMut(Place) -> bool,
) -> bool {
    let mut at = [0; DIMENSIONS + 1];
    let mut place = first;
    loop {
        if !visit(place) {
            return false;
        }
        // On to the next, as an odometer goes.
        let mut wheel = axes.len();
        loop {
            if wheel == 0 {
                return true;
            }
            wheel -= 1;
            if but.contains(&Some(wheel)) {
                continue;
            }
            let axis = axes[wheel];
            at[wheel] += 1;
            place = place.on(axis, 1);
            if at[wheel] < axis.len {
                break;
            }
            at[wheel] = 0;
            place = place.on(axis, axis.len.wrapping_neg());
        }
    }
}

/// The elements of two views of one shape, in an order.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    axes: [Axis; DIMENSIONS + 1],
    count: usize,
    /// The elements' dtypes.
    pub(crate) from: DType,
    pub(crate) to: DType,
    /// Whether elements' places among all count.
    pub(crate) counted: bool,
    pub(crate) first: Place,
}

impl Plan {
    /// A plan of no elements. (One is [filled](Self::fill) where it is to stay, as it is so long that moving it takes longer than
    /// what else is done for it.)
    #[inline(always)]
    pub(crate) const fn empty(from: DType, to: DType, counted: bool) -> Self {
        let first = Place { src: 0, dst: 0, index: 0 };
        Self { axes: [Axis::ONE; DIMENSIONS + 1], count: 0, from, to, counted, first }
    }

    /// Makes it that of two views of one shape with elements, of its dtypes, in an order that suits memory.
    pub(crate) fn fill(&mut self, src: &Layout, dst: &Layout) {
        let last = src.dimensions().len().wrapping_sub(1);
        let mut index = if self.counted { src.elements() } else { 0 };
        for (i, (a, b)) in src.dimensions().iter().zip(dst.dimensions()).enumerate() {
            let innermost = i == last && self.is_packed();
            if self.counted {
                index /= a.len;
            }
            self.push(Axis { len: a.len, src: a.stride, dst: b.stride, index }, innermost);
        }
        // A dimension to start from where there is none, or none in which packed elements lie.
        if self.count == 0 {
            let size = |dtype: DType| dtype.size().unwrap_or(0) as isize;
            self.axes[0] = Axis { src: size(self.from), dst: size(self.to), ..Axis::ONE };
            self.count = 1;
        }
        self.go_forward();
        self.sort();
        self.coalesce();
    }

    /// Whether elements of either side share bytes.
    pub(crate) const fn is_packed(&self) -> bool {
        self.from.is_packed() || self.to.is_packed()
    }

    /// Whether the innermost axis must stay what it is: elements share bytes there, or are counted.
    pub(crate) const fn is_pinned(&self) -> bool {
        self.counted || self.is_packed()
    }

    pub(crate) fn axes(&self) -> &[Axis] {
        &self.axes[..self.count]
    }

    pub(crate) fn elements(&self) -> usize {
        self.axes().iter().map(|axis| axis.len).product()
    }

    fn push(&mut self, mut axis: Axis, innermost_packed: bool) {
        if innermost_packed {
            for (dtype, stride) in [(self.from, &mut axis.src), (self.to, &mut axis.dst)] {
                match dtype.size() {
                    None => *stride = 0,
                    // Whatever step one element has, none is taken.
                    Some(size) if axis.len == 1 => *stride = size as isize,
                    _ => {}
                }
            }
        } else if axis.len == 1 {
            return;
        }
        self.axes[self.count] = axis;
        self.count += 1;
    }

    /// The axes that may go another way or stand in another place.
    fn free(&mut self) -> &mut [Axis] {
        let count = self.count - usize::from(self.is_pinned());
        &mut self.axes[..count]
    }

    /// Lets axes that go back in the destination start from their other ends.
    fn go_forward(&mut self) {
        let mut first = self.first;
        for axis in self.free().iter_mut().filter(|axis| axis.dst < 0) {
            first = first.on(*axis, axis.len - 1);
            let Axis { len, src, dst, index } = *axis;
            *axis = Axis { len, src: -src, dst: -dst, index: index.wrapping_neg() };
        }
        self.first = first;
    }

    /// Puts the axes with longer steps in the destination further out.
    fn sort(&mut self) {
        self.free().sort_by_key(|axis| core::cmp::Reverse(axis.dst.unsigned_abs()));
    }

    /// Makes one of two axes where the outer one goes on where the inner one ends, on both sides.
    fn coalesce(&mut self) {
        let mut count = 1;
        for i in 1..self.count {
            let (outer, inner) = (self.axes[count - 1], self.axes[i]);
            let innermost = i + 1 == self.count;
            let reaches =
                |dtype, stride, step| reach(dtype, stride, inner.len, innermost) == Some(step);
            if (!self.counted || outer.counts_on(&inner))
                && reaches(self.from, inner.src, outer.src)
                && reaches(self.to, inner.dst, outer.dst)
            {
                self.axes[count - 1] = Axis { len: outer.len * inner.len, ..inner };
            } else {
                self.axes[count] = inner;
                count += 1;
            }
        }
        self.count = count;
    }

    /// Cuts the elements in two, to be cast in so many parts, if there are axes to cut, such that whole bytes and, as
    /// far as they can, whole lines stay together. Answers in how many parts each is to be cast.
    ///
    /// The outermost axis is cut if all parts have about as much to do then, else the first for which they have, or for which
    /// they have most nearly: of three matrices two parts are halves of each.
    pub(crate) fn split(&self, parts: usize) -> Option<([Self; 2], [usize; 2])> {
        let cuts = (0..self.count).filter_map(|at| self.cut(at, parts));
        let Halves { at, len, parts: cast_in, .. } =
            cuts.min_by_key(|cut| cut.longest.max(FAIR))?;
        let axis = self.axes[at];
        let (mut first, mut second) = (*self, *self);
        first.axes[at].len = len;
        second.axes[at].len = axis.len - len;
        let steps = |dtype, stride| reach(dtype, stride, len, at + 1 == self.count);
        second.first.src += steps(self.from, axis.src)?;
        second.first.dst += steps(self.to, axis.dst)?;
        second.first.index = second.first.index.wrapping_add(axis.index.wrapping_mul(len));
        Some(([first, second], cast_in))
    }

    /// Where an axis is cut for so many parts, if it can be.
    fn cut(&self, at: usize, parts: usize) -> Option<Halves> {
        const GRAIN: usize = 512;
        let whole = self.axes[at].len;
        if whole < 2 {
            return None;
        }
        // `a` times `b` / `whole`, to the nearest.
        let share = |a: usize, b: usize, whole: usize| {
            ((a as u128 * b as u128 + whole as u128 / 2) / whole as u128) as usize
        };
        let mut len = share(whole, parts - parts / 2, parts).clamp(1, whole - 1);
        // (Of an axis as long as that the parts are as good as equal yet. It may have short steps.)
        if at + 1 == self.count || len >= 16 * GRAIN {
            len = len.next_multiple_of(GRAIN);
        }
        if len >= whole {
            return None;
        }
        let first = share(parts, len, whole).clamp(1, parts - 1);
        // (Parts are fewer than 2^43, as each has 256 KiB.)
        let longest = |len: usize, cast_in: usize| {
            let equal = whole as u128 * cast_in as u128;
            (EQUAL * len as u128 * parts as u128).div_ceil(equal)
        };
        let longest = longest(len, first).max(longest(whole - len, parts - first));
        Some(Halves { at, len, parts: [first, parts - first], longest })
    }

    /// The axis that a block has beside the innermost one, if there is another: along which the source is read best, or the
    /// destination written, if that is not the innermost one. But where that is pinned, and so short that a run of it is not
    /// worth a call of the kernel, the one along which runs are one.
    pub(crate) fn rows(&self) -> Option<usize> {
        let (inner, outer) = self.axes().split_last()?;
        if self.is_pinned()
            && inner.len < ROW
            && let Some(at) = outer.iter().position(|axis| self.goes_on(axis, inner))
        {
            return Some(at);
        }
        let shorter = |step: fn(&Axis) -> isize| {
            let step = move |axis: &Axis| step(axis).unsigned_abs();
            let axes = outer.iter().enumerate();
            axes.filter(move |(_, axis)| axis.len > 1 && (1..step(inner)).contains(&step(axis)))
                .min_by_key(move |(_, axis)| step(axis))
                .map(|(at, _)| at)
        };
        shorter(|axis| axis.src).or_else(|| shorter(|axis| axis.dst)).or(outer.len().checked_sub(1))
    }

    /// Whether runs of the innermost axis, which is pinned, are one along another, on the sides for which it is.
    fn goes_on(&self, axis: &Axis, inner: &Axis) -> bool {
        let reaches = |dtype: DType, step| {
            !dtype.is_packed() || reach(dtype, 0, inner.len, true) == Some(step)
        };
        (!self.counted || axis.counts_on(inner))
            && reaches(self.from, axis.src)
            && reaches(self.to, axis.dst)
    }
}

/// Where elements are cut in two.
struct Halves {
    /// The axis, and the steps of it that come before.
    at: usize,
    len: usize,
    /// In how many parts what comes before is to be cast, and what comes after.
    parts: [usize; 2],
    /// How much the longest part has to do, of which [`EQUAL`] would be the same for all.
    longest: u128,
}

/// What parts have to do if they are equal.
const EQUAL: u128 = 1 << 10;

/// What the longest one may have to do.
const FAIR: u128 = EQUAL + EQUAL / 32;

/// The bytes from an element to the one `len` steps on; None if it does not start a byte, or lies farther than memory
/// does.
fn reach(dtype: DType, stride: isize, len: usize, innermost: bool) -> Option<isize> {
    if dtype.is_packed() && innermost {
        let bits = dtype.bits();
        (len % 8 * bits).is_multiple_of(8).then_some(bytes(len, bits) as isize)
    } else {
        // (Where it overflows, nothing starts there.)
        isize::try_from(len).ok()?.checked_mul(stride)
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::{StridedView, StridedViewMut};
    use super::*;
    use alloc::vec::Vec;

    const BYTES: usize = 4096;

    fn plan(from: DType, a: (&[usize], &[isize]), to: DType, b: &[isize], counted: bool) -> Plan {
        let (src, mut dst) = ([0; BYTES], [0; BYTES]);
        let src = StridedView::new(from, &src, BYTES / 2, a.0, a.1).unwrap();
        let dst = StridedViewMut::new(to, &mut dst, BYTES / 2, a.0, b).unwrap();
        let mut plan = Plan::empty(from, to, counted);
        plan.fill(&src.layout, &dst.layout);
        plan
    }

    fn axes(plan: &Plan) -> impl Iterator<Item = (usize, isize, isize)> {
        plan.axes().iter().map(|axis| (axis.len, axis.src, axis.dst))
    }

    const F32: DType = DType::Float32;
    const U8: DType = DType::UInt8;

    #[test]
    fn what_is_one_in_memory_is_one_axis() {
        let shape = [2, 3, 4, 5];
        let whole = plan(F32, (&shape, &[240, 80, 20, 4]), U8, &[60, 20, 5, 1], true);
        assert!(axes(&whole).eq([(120, 4, 1)]));
        // The same order in memory, whatever it is.
        let turned = plan(F32, (&shape, &[4, 8, 24, 96]), U8, &[1, 2, 6, 24], false);
        assert!(axes(&turned).eq([(120, 4, 1)]));
        let turned = plan(F32, (&shape, &[4, 8, 24, 96]), U8, &[1, 2, 6, 24], true);
        assert_eq!(axes(&turned).count(), 4);
        // A gap after each second dimension.
        let apart = plan(F32, (&shape, &[240, 80, 20, 4]), U8, &[100, 20, 5, 1], true);
        assert!(axes(&apart).eq([(2, 240, 100), (60, 4, 1)]));
    }

    /// A row that is read again and again ends far from where it starts, even if that is as many bits as a word counts from zero
    /// on.
    #[test]
    fn what_a_row_reaches_over_is_no_less_than_it_is() {
        let int4 = DType::Int4x2;
        assert_eq!(reach(int4, 1, 1 << 30, true), Some(1 << 29));
        assert_eq!(reach(int4, 1, (1 << 30) + 1, true), None);
        assert_eq!(reach(DType::Float6E2M3FnX4, 1, 1 << 31, true), Some(3 << 29));
        assert_eq!(reach(U8, 0, usize::MAX / 2, false), Some(0));
        assert_eq!(reach(U8, isize::MAX, 2, false), None);
    }

    #[test]
    fn both_reversed_is_forward() {
        let back = plan(F32, (&[7], &[-4]), U8, &[-1], false);
        assert!(axes(&back).eq([(7, 4, 1)]));
        assert_eq!((back.first.src, back.first.dst, back.first.index), (-24, -6, 0));
        let back = plan(F32, (&[7], &[-4]), U8, &[-1], true);
        assert!(axes(&back).eq([(7, -4, -1)]));
    }

    #[test]
    fn packed_rows_stay_and_join_where_they_are_whole_bytes() {
        let int4 = DType::Int4x2;
        let joined = plan(int4, (&[3, 4], &[2, 1]), U8, &[4, 1], false);
        assert!(axes(&joined).eq([(12, 0, 1)]));
        let padded = plan(int4, (&[3, 3], &[2, 1]), U8, &[3, 1], false);
        assert!(axes(&padded).eq([(3, 2, 3), (3, 0, 1)]));
        // The destination would rather have it the other way.
        let turned = plan(int4, (&[3, 4], &[2, 1]), U8, &[1, 3], false);
        assert!(axes(&turned).eq([(3, 2, 1), (4, 0, 3)]));
        for step in [1, -7, isize::MAX, isize::MIN] {
            let one = plan(int4, (&[3, 1], &[2, 1]), U8, &[1, step], false);
            assert!(axes(&one).eq([(3, 2, 1), (1, 0, 1)]));
        }
    }

    #[test]
    fn halves_are_what_the_whole_is() {
        let whole = plan(F32, (&[4, 9], &[4, 40]), U8, &[9, 1], true);
        let ([first, second], parts) = whole.split(2).unwrap();
        assert!(axes(&first).eq([(2, 4, 9), (9, 40, 1)]));
        assert!(axes(&second).eq([(2, 4, 9), (9, 40, 1)]));
        let Place { src, dst, index } = second.first;
        assert_eq!((src, dst, index, parts), (8, 18, 18, [1, 1]));
        assert!(plan(F32, (&[9], &[4]), U8, &[2], true).split(2).is_none());
        // Of three rows parts are not halves. Nor are a hundred in three parts equal, but they are as good as that.
        let shape = [3, 10, 9];
        let columns = plan(F32, (&shape, &[4, 12, 160]), U8, &[90, 9, 1], true);
        let ([first, second], parts) = columns.split(2).unwrap();
        assert!(
            axes(&first).eq([(3, 4, 90), (5, 12, 9), (9, 160, 1)])
                && axes(&second).eq(axes(&first))
        );
        let Place { src, dst, index } = second.first;
        assert_eq!((src, dst, index, parts), (60, 45, 45, [1, 1]));
        let rows = plan(U8, (&[100, 6, 2], &[1, 100, 600]), U8, &[12, 2, 1], false);
        let ([first, _], parts) = rows.split(3).unwrap();
        assert_eq!((first.axes()[0].len, parts), (67, [2, 1]));
    }

    /// Parts that are to be cast at once have about as much to do each, however many there are.
    #[test]
    fn parts_are_about_equal() {
        fn longest(plan: &Plan, parts: usize) -> usize {
            match (parts > 1).then(|| plan.split(parts)).flatten() {
                Some(([a, b], [m, n])) => longest(&a, m).max(longest(&b, n)),
                None => plan.elements(),
            }
        }
        let layout =
            |dtype, shape: &[usize], strides: &[isize]| Layout::new(dtype, shape, strides).unwrap();
        for rows in [3, 7, 100, 1020, 1030, 1500, 10_000, 100_000] {
            let src = layout(F32, &[rows, 1000], &[1, 4 * rows as isize]);
            let dst = layout(U8, &[rows, 1000], &[1001, 1]);
            for parts in [2, 3, 4, 5, 16, 128] {
                let mut plan = Plan::empty(F32, U8, false);
                plan.fill(&src, &dst);
                let longest = longest(&plan, parts);
                let whole = rows.div_ceil(parts.min(rows));
                assert!(longest <= whole * 1000 * 8 / 7 + 1000, "{rows} in {parts}: {longest}");
            }
        }
        // Of axes that are short the outermost one cannot be cut so.
        let shapes: [&[usize]; 6] = [
            &[3, 1000, 1000],
            &[1000, 3, 700],
            &[5, 3, 900, 90],
            &[2, 3, 90_001],
            &[3, 9001, 7],
            &[7, 5, 3, 30_000],
        ];
        for (shape, counted) in shapes.into_iter().flat_map(|s| [(s, false), (s, true)]) {
            let step = |lens: &[usize]| lens.iter().product::<usize>() as isize;
            let src: Vec<_> = (0..shape.len()).map(|i| 4 * step(&shape[..i])).collect();
            let dst: Vec<_> = (0..shape.len()).map(|i| step(&shape[i + 1..])).collect();
            let mut plan = Plan::empty(F32, U8, counted);
            plan.fill(&layout(F32, shape, &src), &layout(U8, shape, &dst));
            for parts in [2, 3, 4, 5, 7, 16] {
                let (longest, equal) = (longest(&plan, parts), plan.elements() / parts);
                assert!(longest <= equal + equal / 8, "{shape:?} in {parts}: {longest}");
            }
        }
    }

    #[test]
    fn blocks_have_the_axis_along_which_short_runs_go_on() {
        let steps = |plan: &Plan| plan.rows().map(|at| (plan.axes()[at].src, plan.axes()[at].dst));
        // Two elements to a byte, of columns that lie far apart in the source.
        let packed = plan(F32, (&[5, 6, 2], &[4, 20, 120]), DType::Int4x2, &[6, 1, 1], false);
        assert_eq!(steps(&packed), Some((20, 1)));
        let drawn = plan(F32, (&[5, 6, 3], &[72, 12, 4]), U8, &[1, 5, 30], true);
        assert_eq!(steps(&drawn), Some((12, 5)));
        // Long runs are worth a call each, and are read and written where they lie next to each other.
        let long = plan(F32, (&[5, 100], &[4, 20]), DType::Int4x2, &[50, 1], false);
        assert_eq!(steps(&long), Some((4, 50)));
        // Along an axis of one element nothing lies next to another.
        let halves = plan(F32, (&[2, 5, 9], &[4, 8, 40]), U8, &[45, 9, 1], false).split(2);
        let ([one, _], _) = halves.unwrap();
        assert_eq!(steps(&one), Some((8, 9)));
    }

    #[test]
    fn what_is_counted_has_its_innermost_axis_and_each_element_its_index() {
        // Columns of the destination, in rows that go back in it.
        let (shape, src, dst) = ([3, 4, 5], [20, -80, 400], [-4, 12, 50]);
        let plan = plan(F32, (&shape, &src), U8, &dst, true);
        assert_eq!(axes(&plan).last(), Some((5, 400, 50)));
        let mut seen = 0;
        for_each_place(plan.axes(), [None; 2], plan.first, |place| {
            let at = |len, before| (place.index / before % len) as isize;
            let at = [at(3, 20), at(4, 5), at(5, 1)];
            let offset = |steps: [isize; 3]| at.iter().zip(steps).map(|(at, step)| at * step).sum();
            assert_eq!((place.src, place.dst), (offset(src), offset(dst)));
            seen += place.index;
            true
        });
        assert_eq!(seen, 60 * 59 / 2);
    }

    #[test]
    fn no_dimensions_are_one_element() {
        let one = plan(F32, (&[], &[]), U8, &[], false);
        assert!(axes(&one).eq([(1, 4, 1)]));
        assert_eq!(one.elements(), 1);
        let ones = plan(F32, (&[1, 1], &[99, -7]), U8, &[0, 0], false);
        assert!(axes(&ones).eq([(1, 4, 1)]));
    }
}
