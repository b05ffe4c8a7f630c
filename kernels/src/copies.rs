//! Copies of bytes.
//!
//! They are `memcpy`'s, which is made for the machine at hand, but for one trap. The GNU C library (2.36, and others of its time)
//! has copies of 4 KiB and more done by the instruction `rep movsb`, or of 2 KiB where it uses no AVX. On AMD's Zen 3 that copies
//! 6 GB/s, not 100, where the destination starts a few bytes after the source in its page, whatever pages these are. Of two
//! buffers that were asked of `malloc` one after the other, as large as powers of two, the second does: it starts 16 bytes
//! after where the first one ends.
//!
//! Shorter copies are done by loads and stores, which mind that little. So where a long one is in the trap, it is done in
//! short ones: there 65536 bytes took a sixteenth of the time, and as long as elsewhere. Other cores have no such trap: a Zen 5
//! takes up to 1.8 times as long in pieces.

use core::ptr;

/// Copies so many bytes.
///
/// # Safety
/// `src` is valid for reading them and `dst` for writing them; they don't overlap.
#[inline(always)]
pub(crate) unsafe fn bytes(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if n > trap::SHORT && trap::is_near(src, dst) {
            return trap::copy(src, dst, n);
        }
        ptr::copy_nonoverlapping(src, dst, n);
    }
}

#[cfg(target_arch = "x86_64")]
mod trap {
    use crate::cores::Core;
    use core::ptr;

    /// Where accesses are at the same place of a page, CPUs have to find out whether they are of the same memory.
    pub(super) const PAGE: usize = 4096;

    /// The destination is in the trap if it starts so much after the source, of a page: less than this, and not at the same
    /// place. (From half of it on less is lost: mostly a tenth to a quarter of the speed.)
    pub(super) const AHEAD: usize = 64;

    /// The bytes of a copy that is too short for the instruction, which that library uses from 2048 on at the earliest.
    pub(super) const SHORT: usize = 2048 - 64;

    /// The bytes of a copy that is done by loads and stores again: larger than the cache next to the core of any Zen 3.
    pub(super) const MOST: usize = 1 << 20;

    #[inline(always)]
    pub(super) fn is_near(src: *const u8, dst: *mut u8) -> bool {
        (1..AHEAD).contains(&(dst.addr().wrapping_sub(src.addr()) % PAGE))
    }

    /// # Safety
    /// As for [`bytes`](super::bytes).
    #[cold]
    pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, n: usize) {
        let in_pieces = match Core::this() {
            Core::Zen3 if n < MOST => n / SHORT * SHORT,
            _ => 0,
        };
        // SAFETY: the caller's: all offsets are below `n`, or it if nothing is left.
        unsafe {
            for start in (0..in_pieces).step_by(SHORT) {
                ptr::copy_nonoverlapping(src.add(start), dst.add(start), SHORT);
            }
            ptr::copy_nonoverlapping(src.add(in_pieces), dst.add(in_pieces), n - in_pieces);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::bytes;
    use super::trap::*;
    use crate::cores::{self, Core};
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn all_distances_copy_all_bytes_and_no_others() {
        let this = Core::this();
        for core in Core::ALL {
            cores::assume(core);
            copies_all_bytes_and_no_others();
        }
        cores::assume(this);
    }

    /// In the trap, at its edges and out of it; of lengths with and without whole pieces and a rest.
    fn copies_all_bytes_and_no_others() {
        const ROOM: usize = 3 * PAGE;
        let source: Vec<u8> = (0..ROOM + MOST).map(|i| (i * 31 + i / 251) as u8).collect();
        let mut memory = vec![0u8; ROOM + MOST];
        let lengths =
            [0, 1, SHORT - 1, SHORT, SHORT + 1, 2 * SHORT, 2 * SHORT + 1, 2 * PAGE, MOST - 1, MOST];
        for n in lengths {
            for ahead in [0, 1, 16, 31, 32, AHEAD - 1, AHEAD, PAGE / 2, PAGE - 1] {
                let base = source.as_ptr().addr() % PAGE + PAGE - memory.as_ptr().addr() % PAGE;
                let start = (base + ahead) % PAGE + 1;
                memory[..start + n + 1].fill(0xa5);
                let src = &source[1..1 + n];
                // SAFETY: both sides hold `n` bytes; they are of two allocations.
                unsafe { bytes(src.as_ptr(), memory[start..][..n].as_mut_ptr(), n) };
                let distance = memory[start..].as_ptr().addr().wrapping_sub(src.as_ptr().addr());
                assert_eq!(distance % PAGE, ahead);
                assert!(memory[start..][..n] == *src, "{n} bytes, {ahead} ahead");
                assert_eq!(
                    [memory[start - 1], memory[start + n]],
                    [0xa5; 2],
                    "{n} bytes, {ahead} ahead"
                );
            }
        }
    }
}
