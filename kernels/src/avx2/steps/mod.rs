//! The steps of the direct kernels.

pub(super) mod bools;
pub(super) mod bytes;
pub(super) mod cuts;
pub(super) mod floats;
pub(super) mod from_powers;
pub(super) mod ints;
pub(super) mod maps;
mod moved;
pub(super) mod packs;
pub(super) mod powers;
pub(super) mod turned;
pub(super) mod words;

use super::Avx2;
use core::arch::x86_64::__m256i;

/// Orders of lanes.
impl Avx2 {
    /// Puts in order the dwords that two packs by lanes of 128 bits have left as 0, 2, 4, 6, 1, 3, 5,
    /// 7 of four vectors.
    #[inline(always)]
    pub(super) fn packed_in_order(self, v: __m256i) -> __m256i {
        self.permute32(v, self.lanes32(0, 4, 1, 5, 2, 6, 3, 7))
    }

    /// Puts 32 bytes so that unpacking them twice by lanes of 128 bits leaves them in order.
    #[inline(always)]
    pub(super) fn ready_to_unpack_twice(self, v: __m256i) -> __m256i {
        self.permute32(v, self.lanes32(0, 2, 4, 6, 1, 3, 5, 7))
    }
    /// Stores 32 bfloat16s, given by their low and their high bytes, as float32s; the bytes stand as
    /// [`ready_to_unpack_twice`](Self::ready_to_unpack_twice) leaves them.
    ///
    /// # Safety
    /// `dst` is valid for writing 128 bytes.
    #[inline(always)]
    pub(super) unsafe fn store_brains(self, low: __m256i, high: __m256i, dst: *mut u8) {
        let (first, second) = (self.low8(low, high), self.high8(low, high));
        let zero = self.zero();
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.low16(zero, first));
            self.store(dst.add(32), self.high16(zero, first));
            self.store(dst.add(64), self.low16(zero, second));
            self.store(dst.add(96), self.high16(zero, second));
        }
    }
}
