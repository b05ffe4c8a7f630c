//! Memory that casts write to.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Memory that a cast writes to.
#[derive(Debug)]
pub struct Out<'a> {
    pub(super) start: *mut u8,
    pub(super) bytes: usize,
    /// Whether only the bytes 0 and 1 may be written.
    pub(super) bools: bool,
    memory: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

impl Out<'_> {
    /// How many bytes there are.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first bytes, so many or all there are, and those after them.
    pub fn split_at(self, bytes: usize) -> (Self, Self) {
        let bytes = bytes.min(self.bytes);
        // SAFETY: so many bytes are there.
        let start = unsafe { self.start.add(bytes) };
        (Self { bytes, ..self }, Self { start, bytes: self.bytes - bytes, ..self })
    }

    /// The same made anew, for a call that rarely happens: what is handed on by its address has to be in memory from
    /// the start.
    #[inline(always)]
    pub(super) const fn anew(self) -> Self {
        Self { start: self.start, bytes: self.bytes, bools: self.bools, memory: PhantomData }
    }
}

// SAFETY: this is a slice borrowed exclusively, of bytes, which may be sent; only what may be written to
// it is not told by its type.
unsafe impl Send for Out<'_> {}

impl<'a> From<&'a mut [u8]> for Out<'a> {
    #[inline(always)]
    fn from(bytes: &'a mut [u8]) -> Self {
        let start = bytes.as_mut_ptr();
        Self { start, bytes: bytes.len(), bools: false, memory: PhantomData }
    }
}

impl<'a, const N: usize> From<&'a mut [u8; N]> for Out<'a> {
    #[inline(always)]
    fn from(bytes: &'a mut [u8; N]) -> Self {
        bytes.as_mut_slice().into()
    }
}

impl<'a> From<&'a mut Vec<u8>> for Out<'a> {
    #[inline(always)]
    fn from(bytes: &'a mut Vec<u8>) -> Self {
        bytes.as_mut_slice().into()
    }
}

/// Takes casts to bool only.
impl<'a> From<&'a mut [bool]> for Out<'a> {
    #[inline(always)]
    fn from(bools: &'a mut [bool]) -> Self {
        let start = bools.as_mut_ptr().cast();
        Self { start, bytes: bools.len(), bools: true, memory: PhantomData }
    }
}

/// Memory that nothing may have been written to. After a cast that succeeds all of it has been.
impl<'a> From<&'a mut [MaybeUninit<u8>]> for Out<'a> {
    #[inline(always)]
    fn from(bytes: &'a mut [MaybeUninit<u8>]) -> Self {
        let start = bytes.as_mut_ptr().cast();
        Self { start, bytes: bytes.len(), bools: false, memory: PhantomData }
    }
}
