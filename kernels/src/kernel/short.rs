//! Casts that need next to no questions: see [`Short`].

use super::{Kernel, Out};
use crate::align;
use crate::environment;
use crate::options::Overflow;
use crate::scalar::direct;
use crate::table::Params;
use core::ptr;

/// Casts of which nothing is asked but whether the buffers are those of the elements: so few elements that there
/// is nothing to gain by parts, neither side packed, and none that could fail. A call of such a cast takes a few
/// nanoseconds, of which the general questions would be half.
#[derive(Clone, Copy)]
pub(super) struct Short {
    /// They have fewer elements than this; 0 if no cast by this kernel is one.
    pub(super) below: usize,
    /// The power of two that is an element's size, on either side.
    src: u8,
    dst: u8,
    /// Whether it is a copy, for which a kernel would have to find out again how long it is.
    pub(super) is_copy: bool,
}

impl Short {
    pub(super) const fn new(params: &Params) -> Self {
        let (Some(src), Some(dst)) = (params.from.size(), params.to.size()) else {
            return Self { below: 0, src: 0, dst: 0, is_copy: false };
        };
        let below = match params.options.overflow {
            Overflow::Error => 0,
            _ if params.in_parts => align::LONG,
            // No memory has so many; `is` needs the upper bits.
            _ => usize::MAX >> 8,
        };
        Self {
            below,
            src: src.trailing_zeros() as u8,
            dst: dst.trailing_zeros() as u8,
            is_copy: params.swap.is_none()
                && params.options.is_default()
                && direct::is_copy(params.from, params.to),
        }
    }

    /// Whether these are the lengths of a short cast of so many elements. A length that is no multiple of the
    /// element's size has a bit among those that come around to the top, and is no number below `below`.
    #[inline(always)]
    const fn is(&self, src_bytes: usize, dst_bytes: usize, n: usize) -> bool {
        n < self.below
            && src_bytes.rotate_right(self.src as u32) == n
            && dst_bytes.rotate_right(self.dst as u32) == n
    }
}

impl Kernel {
    /// Casts `n` elements that are all there is in either buffer, if that is a short cast, and answers whether it
    /// was. If not, nothing is done; [`run`](Self::run) tells why, or does it.
    #[inline(always)]
    pub fn run_short(&self, src: &[u8], dst: &mut Out<'_>, n: usize) -> bool {
        let is = self.short.is(src.len(), dst.bytes, n) && !dst.bools;
        if is {
            // SAFETY: both sides have exactly the bytes of `n` elements, and what is borrowed shared cannot
            // overlap what is borrowed exclusively. The level is available: `on` has asserted it, or `dispatch`
            // found it.
            unsafe { self.do_short(src, dst.start, n) };
        }
        is
    }

    /// # Safety
    /// The source has `n` elements, and `dst` is valid for writing as many, elsewhere. This is a short cast.
    #[inline(always)]
    unsafe fn do_short(&self, src: &[u8], dst: *mut u8, n: usize) {
        let (start, params) = (src.as_ptr(), &self.params);
        // SAFETY: the caller's; a copy writes as many bytes as it reads.
        unsafe {
            if self.short.is_copy {
                ptr::copy_nonoverlapping(start, dst, src.len());
            } else {
                let done = environment::run_short(self.guarded, self.kernel, params, start, dst, n);
                debug_assert_eq!(done, n);
            }
        }
    }

    /// How many elements there are in so many bytes of the source, if it is not packed.
    #[inline(always)]
    pub const fn src_elements(&self, bytes: usize) -> usize {
        bytes >> self.short.src
    }
}
