//! Casts that need next to no questions: see [`Plain`].

use super::{Kernel, Out};
use crate::align;
use crate::environment::{self, Guard};
use crate::options::Overflow;
use crate::scalar::direct;
use crate::single::{self, Single};
use crate::table::Params;
use core::ptr;

/// What a kernel knows of its pair if neither side is packed and no element can be refused: then all that a call asks is
/// whether the buffers are those of the elements. A short cast takes a few nanoseconds, of which the general questions
/// would be half.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    /// More elements than any memory has, so few that no product with the bytes of one overflows; 0 of other pairs.
    pub(super) below: usize,
    /// The elements below which a cast is one call of the kernel, and nothing else is to be asked; 0 if there always is.
    pub(super) below_one_call: usize,
    /// What casts an element that is all there is, if that has a way of its own.
    single: Option<Single>,
    /// The bytes of an element of either side, and the power of two that the source's are.
    src: usize,
    dst: usize,
    src_shift: u8,
    /// Whether it is a copy, for which a kernel would have to find out again how long it is.
    pub(super) is_copy: bool,
}

impl Plain {
    const NONE: Self = Self {
        below: 0,
        below_one_call: 0,
        single: None,
        src: 0,
        dst: 0,
        src_shift: 0,
        is_copy: false,
    };

    pub(super) const fn new(params: &Params, guard: Guard) -> Self {
        let (src, dst) = match (params.from.size(), params.to.size(), params.options.overflow) {
            (None, ..) | (_, None, _) | (.., Overflow::Error) => return Self::NONE,
            (Some(src), Some(dst), _) => (src, dst),
        };
        let is_native = params.swap.is_none() && params.options.is_default();
        let is_copy = is_native && direct::is_copy(params.from, params.to);
        let single = if is_native { single::of(params.from, params.to) } else { None };
        let asks_more = is_copy || !matches!(guard, Guard::None);
        Self {
            below: usize::MAX >> 8,
            below_one_call: if asks_more { 0 } else { align::LONG },
            single,
            src,
            dst,
            src_shift: src.trailing_zeros() as u8,
            is_copy,
        }
    }

    /// Whether so many bytes are those of `n` elements, on both sides, if `n` is below a bound of this one's: then no
    /// product overflows.
    #[inline(always)]
    const fn fills(&self, src_bytes: usize, dst_bytes: usize, n: usize) -> bool {
        src_bytes == n.wrapping_mul(self.src) && dst_bytes == n.wrapping_mul(self.dst)
    }
}

impl Kernel {
    /// Casts `n` elements that are all there is in either buffer, if that is a single one and there is a way of its own for
    /// it, and answers whether it did. If not, nothing is done.
    #[inline(always)]
    pub fn run_single(&self, src: &[u8], dst: &mut Out<'_>, n: usize) -> bool {
        let Some(single) = self.plain.single else { return false };
        if n != 1 || dst.bools || !self.plain.fills(src.len(), dst.bytes, 1) {
            return false;
        }
        // SAFETY: both sides have just the bytes of an element of the pair, whose function this is, and the destination
        // takes any byte.
        unsafe { single(src.as_ptr(), dst.start) };
        true
    }

    /// Casts `n` elements that are all there is in either buffer, if nothing else is to be asked, and answers whether it
    /// did. If not, nothing is done; [`run_any`](Self::run_any) does it, or tells why not.
    #[inline(always)]
    pub fn run_plain(&self, src: &[u8], dst: &mut Out<'_>, n: usize) -> bool {
        let Plain { below, below_one_call, .. } = self.plain;
        let (start, params) = (src.as_ptr(), &self.params);
        if dst.bools || !self.plain.fills(src.len(), dst.bytes, n) {
            return false;
        }
        // SAFETY: both sides have exactly the bytes of `n` elements, if those are below a bound, and what is borrowed
        // shared cannot overlap what is borrowed exclusively. Only `Overflow::Error` refuses elements, and no such cast
        // is plain: so all results are written, as memory that nothing was written to needs it. The level is available:
        // `on` has asserted it, or `dispatch` found it.
        unsafe {
            if n < below_one_call {
                let done = (self.kernel)(start, dst.start, n, params);
                debug_assert_eq!(done, n);
                true
            } else if n < below {
                self.do_plain(src, dst.start, n);
                true
            } else {
                false
            }
        }
    }

    /// # Safety
    /// The source has `n` elements, of which none can be refused, and `dst` is valid for writing as many, elsewhere.
    #[inline(always)]
    unsafe fn do_plain(&self, src: &[u8], dst: *mut u8, n: usize) {
        let start = src.as_ptr();
        // SAFETY: the caller's; a copy writes as many bytes as it reads.
        unsafe {
            if self.plain.is_copy {
                ptr::copy_nonoverlapping(start, dst, src.len());
            } else {
                let done = environment::run(self.guard, self.kernel, &self.params, start, dst, n);
                debug_assert_eq!(done, n);
            }
        }
    }

    /// How many elements so many bytes of the source hold; of some pairs, of which no cast is plain, any number.
    #[inline(always)]
    pub const fn plain_elements(&self, src_bytes: usize) -> usize {
        src_bytes >> self.plain.src_shift
    }
}
