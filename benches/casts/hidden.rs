//! Slices and numbers that the compiler knows nothing of, at no cost.
//!
//! `black_box` stores what it is given and loads it again. Beside a call of ten cycles that is as much as the stores of
//! the call, and where on the stack it happens to be decides on two or three cycles: plain loops and casts differed by
//! them, either way, whose machine code is the same. These stay in registers.

#[cfg(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64"))]
macro_rules! unknown {
    ($($value:ident)*) => {$(
        // SAFETY: there is no instruction, nothing is read through a pointer, and the register stays as it is.
        #[allow(clippy::pointers_in_nomem_asm_block, reason = "a pointer that nothing follows")]
        unsafe {
            core::arch::asm!("/* {} */", inout(reg) $value, options(nomem, nostack, preserves_flags))
        }
    )*};
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
macro_rules! unknown {
    ($($value:ident)*) => {
        $($value = core::hint::black_box($value);)*
    };
}

/// The slice.
#[inline(always)]
pub(crate) fn hidden<T>(slice: &[T]) -> &[T] {
    let (mut start, mut len) = (slice.as_ptr(), slice.len());
    unknown!(start len);
    // SAFETY: the slice's.
    unsafe { core::slice::from_raw_parts(start, len) }
}

/// The slice.
#[inline(always)]
pub(crate) fn hidden_mut<T>(slice: &mut [T]) -> &mut [T] {
    let (mut start, mut len) = (slice.as_mut_ptr(), slice.len());
    unknown!(start len);
    // SAFETY: the slice's, which is lent on.
    unsafe { core::slice::from_raw_parts_mut(start, len) }
}

/// The number.
#[inline(always)]
pub(crate) fn hidden_number(mut number: usize) -> usize {
    unknown!(number);
    number
}
