//! Whether elements that lie apart share no byte.
//!
//! They don't where each step goes over all that shorter ones reach, and so it is in whatever is made of an array by slicing
//! it, reversing dimensions and changing their order: this is seen at once. Elsewhere steps of several lengths may bring one
//! element near another. Two share a byte if a way from one to the other, so many steps forward or back in each dimension,
//! and not none in all, is shorter than an element. Of the longest steps only so many can be on such a way as the shorter
//! ones can take back; these are tried, and so on with the shorter ones. Of few dimensions that are not very long this takes
//! no time, but of many it may take more than can be waited for, as it does to fill a knapsack: the search ends somewhere,
//! and what is not known to be apart by then is refused.

use super::view::{DIMENSIONS, Dimension, LayoutError};

/// How many numbers of steps are tried, which takes up to a millisecond.
const TRIED: usize = 1 << 16;

/// Answers an error unless no two elements share a byte, or rows of packed ones, which have so many bytes. They lie in
/// memory, so that nothing overflows.
pub(super) fn check(unit: usize, dimensions: &[Dimension]) -> Result<(), LayoutError> {
    let mut order = [0; DIMENSIONS];
    for (i, place) in order.iter_mut().enumerate() {
        *place = i;
    }
    let order = &mut order[..dimensions.len()];
    order.sort_unstable_by_key(|&i| dimensions[i].stride.unsigned_abs());
    let mut reach = unit;
    for &i in &*order {
        let Dimension { len, stride } = dimensions[i];
        if len > 1 {
            if stride.unsigned_abs() < reach {
                return search(unit, dimensions, order, (i, stride, reach));
            }
            reach += (len - 1) * stride.unsigned_abs();
        }
    }
    Ok(())
}

/// The same where there is a step, of this dimension, that does not go over all that shorter ones reach; of dimensions in the
/// order of their steps.
#[cold]
fn search(
    unit: usize,
    dimensions: &[Dimension],
    order: &[usize],
    (dimension, stride, reach): (usize, isize, usize),
) -> Result<(), LayoutError> {
    let mut all = [Steps { most: 0, stride: 0, reach: 0 }; DIMENSIONS];
    let (mut count, mut end) = (0, unit);
    for Dimension { len, stride } in order.iter().map(|&i| dimensions[i]) {
        if len > 1 {
            let stride = stride.unsigned_abs();
            all[count] = Steps { most: len - 1, stride, reach: end };
            count += 1;
            end += (len - 1) * stride;
        }
    }
    let steps = &all[..count];
    // Neighbours are nearest along the shortest steps.
    let overlap = steps[0].stride < unit;
    match if overlap { Some(true) } else { Search { tries: TRIED }.is_near(steps, 0, false) } {
        Some(false) => Ok(()),
        Some(true) => Err(LayoutError::Overlap { dimension, stride, reach }),
        None => Err(LayoutError::Unclear { dimension, stride, reach }),
    }
}

/// The steps of a dimension.
#[derive(Clone, Copy)]
struct Steps {
    /// How many there are.
    most: usize,
    /// The bytes of one.
    stride: usize,
    /// The bytes that all shorter ones and an element reach over.
    reach: usize,
}

struct Search {
    /// How many numbers of steps may still be tried.
    tries: usize,
}

impl Search {
    /// Whether some of these steps, the shortest first, lead from so many bytes away to less than an element; where none have
    /// been taken yet, some have to be. None if it takes too long to tell.
    fn is_near(&mut self, steps: &[Steps], away: i128, moved: bool) -> Option<bool> {
        // The shortest ones end less than an element away.
        let Some((longest, shorter)) = steps.split_last() else { return Some(moved) };
        let Steps { most, stride, reach } = *longest;
        let (most, stride, reach) = (most as i128, stride as i128, reach as i128);
        // Those after which the shorter ones can take back what remains. (Of two ways, there and back, one is tried.)
        let first = if moved { (-reach - away).div_euclid(stride) + 1 } else { 0 };
        let last = (reach - away - 1).div_euclid(stride);
        for n in first.max(-most)..=last.min(most) {
            self.tries = self.tries.checked_sub(1)?;
            if self.is_near(shorter, away + n * stride, moved || n != 0)? {
                return Some(true);
            }
        }
        Some(false)
    }
}
