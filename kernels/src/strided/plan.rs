//! In which order elements that lie apart are cast: with the steps that are shortest in the
//! destination innermost, and dimensions that are one in memory taken as one.

use super::view::{DIMENSIONS, Dimension, Layout};
use crate::dtypes::{DType, bytes};

/// A dimension of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) len: usize,
    /// The bytes from an element to the next, in source and destination. On a side that is packed the
    /// innermost axis has none.
    pub(crate) src: isize,
    pub(crate) dst: isize,
}

/// The elements of two views of one shape, in an order.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    axes: [Axis; DIMENSIONS + 1],
    count: usize,
    /// The elements' dtypes.
    pub(crate) from: DType,
    pub(crate) to: DType,
    /// How far the first element lies from that of the views.
    pub(crate) src: isize,
    pub(crate) dst: isize,
    /// Whether the order is that of the views, so that elements can be counted.
    pub(crate) ordered: bool,
    /// How many elements come before.
    pub(crate) first: usize,
}

impl Plan {
    /// The plan for two views of one shape with elements, in their order or in the one that suits memory.
    pub(crate) fn new(src: &Layout, dst: &Layout, ordered: bool) -> Self {
        let one = Axis { len: 1, src: 0, dst: 0 };
        let mut plan = Self {
            axes: [one; DIMENSIONS + 1],
            count: 0,
            from: src.dtype,
            to: dst.dtype,
            src: 0,
            dst: 0,
            ordered,
            first: 0,
        };
        let last = src.dimensions().len().wrapping_sub(1);
        for (i, (a, b)) in src.dimensions().iter().zip(dst.dimensions()).enumerate() {
            let innermost = i == last && plan.is_packed();
            plan.push(a, b, innermost);
        }
        // A dimension to start from where there is none, or none in which packed elements lie.
        if src.dimensions().is_empty() || plan.count == 0 {
            let size = |dtype: DType| dtype.size().unwrap_or(0) as isize;
            plan.axes[0] = Axis { len: 1, src: size(plan.from), dst: size(plan.to) };
            plan.count = 1;
        }
        if !ordered {
            plan.sort();
        }
        plan.coalesce();
        plan
    }

    /// Whether elements of either side share bytes, so that the innermost axis must stay what it is.
    pub(crate) const fn is_packed(&self) -> bool {
        self.from.is_packed() || self.to.is_packed()
    }

    pub(crate) fn axes(&self) -> &[Axis] {
        &self.axes[..self.count]
    }

    pub(crate) fn elements(&self) -> usize {
        self.axes().iter().map(|axis| axis.len).product()
    }

    fn push(&mut self, src: &Dimension, dst: &Dimension, innermost_packed: bool) {
        let mut axis = Axis { len: src.len, src: src.stride, dst: dst.stride };
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
        } else if !self.ordered && axis.dst < 0 {
            // From the other end.
            let back = axis.len as isize - 1;
            self.src += back * axis.src;
            self.dst += back * axis.dst;
            axis = Axis { src: -axis.src, dst: -axis.dst, ..axis };
        }
        self.axes[self.count] = axis;
        self.count += 1;
    }

    /// Puts the axes with longer steps in the destination further out.
    fn sort(&mut self) {
        let free = self.count - usize::from(self.is_packed());
        self.axes[..free].sort_by_key(|axis| core::cmp::Reverse(axis.dst.unsigned_abs()));
    }

    /// Makes one of two axes where the outer one goes on where the inner one ends, on both sides.
    fn coalesce(&mut self) {
        let mut count = 1;
        for i in 1..self.count {
            let (outer, inner) = (self.axes[count - 1], self.axes[i]);
            let innermost = i + 1 == self.count;
            let reaches =
                |dtype, stride, step| reach(dtype, stride, inner.len, innermost) == Some(step);
            if reaches(self.from, inner.src, outer.src) && reaches(self.to, inner.dst, outer.dst) {
                self.axes[count - 1] = Axis { len: outer.len * inner.len, ..inner };
            } else {
                self.axes[count] = inner;
                count += 1;
            }
        }
        self.count = count;
    }

    /// Cuts the elements in two, if there are axes to cut, such that whole lines and bytes stay together.
    pub(crate) fn split(&self) -> Option<(Self, Self)> {
        const GRAIN: usize = 512;
        let at = self.axes().iter().position(|axis| axis.len > 1)?;
        let axis = self.axes[at];
        let innermost = at + 1 == self.count;
        let mut half = axis.len / 2;
        if half > GRAIN {
            half = half.next_multiple_of(GRAIN);
        } else if innermost {
            return None;
        }
        let (mut first, mut second) = (*self, *self);
        first.axes[at].len = half;
        second.axes[at].len = axis.len - half;
        let steps = |dtype, stride| reach(dtype, stride, half, innermost);
        second.src += steps(self.from, axis.src)?;
        second.dst += steps(self.to, axis.dst)?;
        second.first += first.elements();
        Some((first, second))
    }

    /// The axis along which the source is best read beside the innermost one, if there is another.
    pub(crate) fn rows(&self) -> Option<usize> {
        let (inner, outer) = self.axes().split_last()?;
        let step = |axis: &Axis| axis.src.unsigned_abs();
        if !self.ordered && !self.is_packed() {
            let shorter = outer
                .iter()
                .enumerate()
                .filter(|(_, axis)| axis.src != 0 && step(axis) < step(inner));
            if let Some((shortest, _)) = shorter.min_by_key(|(_, axis)| step(axis)) {
                return Some(shortest);
            }
        }
        outer.len().checked_sub(1)
    }
}

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

    const BYTES: usize = 4096;

    fn plan(from: DType, a: (&[usize], &[isize]), to: DType, b: &[isize], ordered: bool) -> Plan {
        let (src, mut dst) = ([0; BYTES], [0; BYTES]);
        let src = StridedView::new(from, &src, BYTES / 2, a.0, a.1).unwrap();
        let dst = StridedViewMut::new(to, &mut dst, BYTES / 2, a.0, b).unwrap();
        Plan::new(&src.layout, &dst.layout, ordered)
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
        assert_eq!((back.src, back.dst), (-24, -6));
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
        let (first, second) = whole.split().unwrap();
        assert!(axes(&first).eq([(2, 4, 9), (9, 40, 1)]));
        assert!(axes(&second).eq([(2, 4, 9), (9, 40, 1)]));
        assert_eq!((second.src, second.dst, second.first), (8, 18, 18));
        assert!(plan(F32, (&[9], &[4]), U8, &[2], true).split().is_none());
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
