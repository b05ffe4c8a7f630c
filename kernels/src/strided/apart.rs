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

/// How many numbers of steps are tried, which takes a few milliseconds at most.
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
                return search(unit, dimensions, order);
            }
            reach += (len - 1) * stride.unsigned_abs();
        }
    }
    Ok(())
}

/// The same where there is a step that does not go over all that shorter ones reach; of dimensions in the order of their steps.
/// What is told is the first of them along which elements overlap.
#[cold]
fn search(unit: usize, dimensions: &[Dimension], order: &[usize]) -> Result<(), LayoutError> {
    let mut all = [Steps { most: 0, stride: 0, reach: 0 }; DIMENSIONS];
    let (mut count, mut reach) = (0, unit);
    let mut search = Search { tries: TRIED };
    for &dimension in order {
        let Dimension { len, stride } = dimensions[dimension];
        if len > 1 {
            all[count] = Steps { most: len - 1, stride: stride.unsigned_abs(), reach };
            count += 1;
            match search.leads_near(&all[..count]) {
                Some(false) => {}
                Some(true) => return Err(LayoutError::Overlap { dimension, stride, reach }),
                None => return Err(LayoutError::Unclear { dimension, stride, reach }),
            }
            reach += (len - 1) * stride.unsigned_abs();
        }
    }
    Ok(())
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
    /// Whether some of these steps, the shortest first, lead to less than an element away, among them one of the longest. None if
    /// it takes too long to tell.
    fn leads_near(&mut self, steps: &[Steps]) -> Option<bool> {
        let Some((longest, shorter)) = steps.split_last() else { return Some(false) };
        if longest.stride == 0 {
            return Some(true);
        }
        // (Of two ways, there and back, one is tried.)
        let last = ((longest.reach - 1) / longest.stride).min(longest.most);
        for n in 1..=last {
            self.tries = self.tries.checked_sub(1)?;
            if self.is_near(shorter, (n * longest.stride) as i128)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The same once they have led so many bytes away, where no more of them need be taken.
    fn is_near(&mut self, steps: &[Steps], away: i128) -> Option<bool> {
        // The shortest ones end less than an element away.
        let Some((longest, shorter)) = steps.split_last() else { return Some(true) };
        let Steps { most, stride, reach } = *longest;
        let (most, stride, reach) = (most as i128, stride as i128, reach as i128);
        // Those after which the shorter ones can take back what remains.
        let first = (-reach - away).div_euclid(stride) + 1;
        let last = (reach - away - 1).div_euclid(stride);
        for n in first.max(-most)..=last.min(most) {
            self.tries = self.tries.checked_sub(1)?;
            if self.is_near(shorter, away + n * stride)? {
                return Some(true);
            }
        }
        Some(false)
    }
}
