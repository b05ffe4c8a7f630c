//! Memory that was just allocated.
//!
//! The system hands it out page by page, at the first touch of each, and clears every one: that takes
//! several times as long as casting into it. Large pages are a five-hundredth as many. Linux gives them
//! to who asks for them (its setting `madvise`) or to all (`always`).

use core::mem::MaybeUninit;

/// The bytes of a large page.
#[cfg(all(target_os = "linux", feature = "std"))]
const LARGE_PAGE: usize = 2 << 20;

/// Asks the system for large pages where that is worth it. What memory holds stays what it is, and
/// whether there are any cannot be told.
#[cfg(all(target_os = "linux", feature = "std"))]
pub(crate) fn want_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use core::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
    /// `MADV_HUGEPAGE`, on all architectures that this crate is tested on.
    const HUGE_PAGE: c_int = 14;

    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    // Whole large pages only, so that no one else's memory is meant.
    let skipped = start.addr().wrapping_neg() % LARGE_PAGE;
    let Some(whole) = bytes.checked_sub(skipped).map(|rest| rest & !(LARGE_PAGE - 1)) else {
        return;
    };
    if whole == 0 {
        return;
    }
    // SAFETY: the pages lie within memory that is borrowed exclusively; the advice changes neither what
    // they hold nor who may use them. An error means that there are none.
    unsafe { madvise(start.add(skipped).cast(), whole, HUGE_PAGE) };
}

/// Nothing is known of other systems.
#[cfg(not(all(target_os = "linux", feature = "std")))]
pub(crate) fn want_large_pages<T>(_memory: &mut [MaybeUninit<T>]) {}
