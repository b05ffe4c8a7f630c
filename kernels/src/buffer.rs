//! Memory that elements pass through on their way.

use core::mem::MaybeUninit;

/// So many bytes, aligned for every element and register, to which nothing has been written yet.
#[repr(align(64))]
pub(crate) struct Buffer<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

impl<const BYTES: usize> Buffer<BYTES> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self([MaybeUninit::uninit(); BYTES])
    }

    #[inline(always)]
    pub(crate) fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}
