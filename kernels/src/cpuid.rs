//! What an x86-64 CPU says of itself.

use core::arch::x86_64::{__cpuid_count, CpuidResult};

/// Asks the CPU: takes some hundred nanoseconds, and in a virtual machine some microseconds.
pub(crate) fn ask(leaf: u32, subleaf: u32) -> CpuidResult {
    // SAFETY: every x86-64 CPU has the instruction. (Newer compilers know that it is safe.)
    #[allow(unused_unsafe)]
    unsafe {
        __cpuid_count(leaf, subleaf)
    }
}

/// The family of a CPU by AMD: 23 is Zen 1 and 2, 25 Zen 3 and 4, 26 Zen 5.
pub(crate) fn amd_family() -> Option<u32> {
    let (vendor, version) = (ask(0, 0), ask(1, 0).eax);
    let vendor = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    // The base family and, where that is the largest number it can be, the extended one, which is added to it.
    let base = version >> 8 & 15;
    let family = if base == 15 { base + (version >> 20 & 255) } else { base };
    (vendor.as_flattened() == b"AuthenticAMD").then_some(family)
}
