//! The instructions between float16 and float32, whose intrinsics have types that are not stable in
//! the oldest compiler that is supported.

use super::ops::*;
use core::arch::asm;

/// Eight float16s to float32, exactly; NaNs become quiet.
#[inline(always)]
pub(super) fn float32s_of_float16s(v: uint16x8_t) -> [float32x4_t; 2] {
    let (low, high): (float32x4_t, float32x4_t);
    // SAFETY: instructions of the base set, which write nothing but these registers, and flags of exceptions. What they read
    // of the environment is the default one's, where it matters: see [`guard`](crate::environment).
    unsafe {
        asm!("fcvtl {0:v}.4s, {1:v}.4h", out(vreg) low, in(vreg) v,
             options(pure, nomem, nostack));
        asm!("fcvtl2 {0:v}.4s, {1:v}.8h", out(vreg) high, in(vreg) v,
             options(pure, nomem, nostack));
    }
    [low, high]
}

/// Eight float32s to the nearest float16s, ties to even; NaNs become quiet.
#[inline(always)]
pub(super) fn float16s_of_float32s([low, high]: [float32x4_t; 2]) -> uint16x8_t {
    let mut v: uint16x8_t;
    // SAFETY: as above.
    unsafe {
        asm!("fcvtn {0:v}.4h, {1:v}.4s", out(vreg) v, in(vreg) low,
             options(pure, nomem, nostack));
        asm!("fcvtn2 {0:v}.8h, {1:v}.4s", inout(vreg) v, in(vreg) high,
             options(pure, nomem, nostack));
    }
    v
}
