//! Float64 to float32, rounded in a direction by the CPU itself.
//!
//! AVX2's conversion rounds as the control register says, which takes some 10 ns to set and to put back. By what is done to
//! nearest results to make them others, two and a half times as much has to be calculated: that is done for few elements only.
//!
//! The compiler takes it for granted that arithmetic is rounded to nearest. So the register is set, numbers are converted and
//! the register is put back by one block of assembly, of which it sees nothing.

use super::shapes::nearby_doubles;
use crate::environment::mxcsr;
use crate::shape::Side;
use core::arch::asm;

/// The elements of an iteration, whose bytes the loop of [`convert`] counts.
const GROUP: usize = 16;

/// The elements from which on setting the register takes less.
const MANY: usize = 8 * GROUP;

/// Where the control register says how to round: a field of two bits, of which 0 is to the nearest.
const ROUNDING: u32 = 0b11 << 13;

/// Float64s to the float32s next to them on a side.
///
/// # Safety
/// The pointers are valid for `n` elements and don't overlap; the floating-point environment is as threads start with it. The
/// CPU has AVX2.
pub(super) unsafe fn doubles<const SIDE: u8>(src: *const u8, dst: *mut u8, n: usize) {
    let groups = if n < MANY { 0 } else { n / GROUP };
    let done = groups * GROUP;
    // SAFETY: the caller's, of the elements of the groups and of those after them.
    unsafe {
        if groups > 0 {
            convert(src, dst, groups, const { rounding(SIDE) });
        }
        if done < n {
            nearby_doubles::<SIDE>(src.add(8 * done), dst.add(4 * done), n - done);
        }
    }
}

/// What the field holds that rounds to a side.
const fn rounding(side: u8) -> u32 {
    const DOWN: u32 = 0b01 << 13;
    const UP: u32 = 0b10 << 13;
    if side == Side::TowardZero as u8 {
        ROUNDING
    } else if side == Side::Up as u8 {
        UP
    } else {
        assert!(side == Side::Down as u8);
        DOWN
    }
}

/// Groups of elements, rounded as a field says.
///
/// # Safety
/// As for [`doubles`], of at least one group.
unsafe fn convert(src: *const u8, dst: *mut u8, groups: usize, rounding: u32) {
    let before = mxcsr();
    let directed = before & !ROUNDING | rounding;
    const { assert!(GROUP == 16) };
    // SAFETY: the caller's: each iteration reads 128 bytes and writes 64, of one group. The register is again what it was, and
    // the other ones that are written are named. No exception traps.
    unsafe {
        asm!(
            "ldmxcsr [{directed}]",
            "2:",
            "vcvtpd2ps {a}, ymmword ptr [{src}]",
            "vcvtpd2ps {b}, ymmword ptr [{src} + 32]",
            "vcvtpd2ps {c}, ymmword ptr [{src} + 64]",
            "vcvtpd2ps {d}, ymmword ptr [{src} + 96]",
            "vmovups xmmword ptr [{dst}], {a}",
            "vmovups xmmword ptr [{dst} + 16], {b}",
            "vmovups xmmword ptr [{dst} + 32], {c}",
            "vmovups xmmword ptr [{dst} + 48], {d}",
            "add {src}, 128",
            "add {dst}, 64",
            "dec {groups}",
            "jnz 2b",
            "ldmxcsr [{before}]",
            directed = in(reg) &directed,
            before = in(reg) &before,
            src = inout(reg) src => _,
            dst = inout(reg) dst => _,
            groups = inout(reg) groups => _,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack),
        );
    }
}
