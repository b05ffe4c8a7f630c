//! Casts that need next to no questions: see [`Plain`].

use super::{Kernel, Out};
use crate::align;
use crate::copies;
use crate::environment::{self, Guard};
use crate::options::Overflow;
use crate::scalar::direct;
use crate::single;
use crate::table::{self, Params};

/// What a kernel knows of its pair if neither side is packed and no element can be refused: then all that a call asks is
/// whether the buffers are those of the elements. A short cast takes a few nanoseconds, of which the general questions
/// would be half.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    /// So few elements that no product with the bytes of one overflows; 0 of other pairs. (Where a word has 64 bits, more than
    /// any memory has. The other bounds are no higher.)
    below: usize,
    /// The elements below which a cast is one call of the kernel, and nothing else is to be asked; 0 if there always is.
    below_call: usize,
    /// The same where an element that is all there is goes to `alone`, of which nothing is to be asked.
    below_call_or_alone: usize,
    /// The elements below which it is one call if the kernel's guard lets it pass.
    below_guarded: usize,
    /// What casts an element that is all there is: if that has no way of its own, the kernel.
    alone: table::Kernel,
    /// The bytes of an element of either side, and the power of two that the source's are.
    src: usize,
    dst: usize,
    src_shift: u8,
    /// Whether it is a copy, for which a kernel would have to find out again how long it is.
    is_copy: bool,
}

impl Plain {
    pub(super) fn new(params: &Params, kernel: table::Kernel, guard: Guard) -> Self {
        let other = Self {
            below: 0,
            below_call: 0,
            below_call_or_alone: 0,
            below_guarded: 0,
            alone: kernel,
            src: 0,
            dst: 0,
            src_shift: 0,
            is_copy: false,
        };
        let (src, dst) = match (params.from.size(), params.to.size()) {
            (Some(src), Some(dst)) if suits(params) => (src, dst),
            _ => return other,
        };
        let is_copy = is_copy(params);
        let below = usize::MAX >> 8;
        let below_parts = align::below_parts(params).min(below);
        let (below_call, below_guarded) = match guard {
            _ if is_copy => (0, 0),
            Guard::None => (below_parts, 0),
            Guard::Subnormals | Guard::All => (0, below_parts),
        };
        let (alone, below_call_or_alone) = match single::of(params.from, params.to) {
            // (No elements are nothing to ask about, either.)
            Some(single) if is_default(params) => (single, below_call.max(2)),
            _ => (kernel, below_call),
        };
        Self {
            below,
            below_call,
            below_call_or_alone,
            below_guarded,
            alone,
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

/// Whether a cast is plain.
pub(super) const fn suits(params: &Params) -> bool {
    let is_sized = params.from.size().is_some() && params.to.size().is_some();
    is_sized && !matches!(params.options.overflow, Overflow::Error)
}

/// Whether a plain cast copies bytes.
pub(super) const fn is_copy(params: &Params) -> bool {
    is_default(params) && direct::is_copy(params.from, params.to)
}

/// Whether options and byte orders are the default ones.
const fn is_default(params: &Params) -> bool {
    params.swap.is_none() && params.options.is_default()
}

impl Kernel {
    /// Casts `n` elements that are all there is in either buffer, if nothing else is to be asked, and answers whether it
    /// did. If not, nothing is done; [`run_any`](Self::run_any) does it, or tells why not.
    ///
    /// A single element may go a way of its own, where there is one, if it is `ALONE`.
    #[inline(always)]
    pub fn run_plain<const ALONE: bool>(&self, src: &[u8], dst: &mut Out<'_>, n: usize) -> bool {
        let (plain, params) = (&self.plain, &self.params);
        if dst.bools || !plain.fills(src.len(), dst.bytes, n) {
            return false;
        }
        let (start, dst) = (src.as_ptr(), dst.start);
        let below_call = if ALONE { plain.below_call_or_alone } else { plain.below_call };
        // (Which of two is called takes no branch.)
        let kernel = if ALONE && n == 1 { plain.alone } else { self.kernel };
        // SAFETY: both sides have exactly the bytes of `n` elements, if those are below a bound, and what is borrowed
        // shared cannot overlap what is borrowed exclusively. Only `Overflow::Error` refuses elements, and no such cast
        // is plain: so all results are written, as memory that nothing was written to needs it. The level is available:
        // `on` has asserted it, or `dispatch` found it. What is for one element is called for one.
        unsafe {
            if n < below_call {
                let done = kernel(start, dst, n, params);
                debug_assert_eq!(done, n);
            } else if n < plain.below_guarded && self.guard.lets_pass() {
                let done = (self.kernel)(start, dst, n, params);
                debug_assert_eq!(done, n);
            } else if n >= plain.below {
                return false;
            } else if plain.is_copy {
                copies::bytes(start, dst, src.len());
            } else {
                self.run_long(start, dst, n);
            }
        }
        true
    }

    /// Runs the kernel of a cast that is long, or guarded. Apart, so that calls which are neither stay small.
    ///
    /// # Safety
    /// As for the kernel, see [`table::Kernel`]; it refuses nothing.
    #[inline(never)]
    unsafe fn run_long(&self, src: *const u8, dst: *mut u8, n: usize) {
        let Self { kernel, params, guard, .. } = self;
        // SAFETY: the caller's.
        let done = unsafe { environment::run_here(src, dst, n, params, *kernel, *guard) };
        debug_assert_eq!(done, n);
    }

    /// How many elements so many bytes of the source hold; of some pairs, of which no cast is plain, any number.
    #[inline(always)]
    pub const fn plain_elements(&self, src_bytes: usize) -> usize {
        src_bytes >> self.plain.src_shift
    }
}
