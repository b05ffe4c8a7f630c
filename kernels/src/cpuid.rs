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

/// The family and model of a CPU by AMD: of family 23 are Zen 1 and 2, of 25 Zen 3 and 4, of 26 Zen 5.
pub(crate) fn amd() -> Option<(u32, u32)> {
    let (vendor, version) = (ask(0, 0), ask(1, 0).eax);
    let vendor = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    // The base family and, where that is the largest number it can be, the extended one, which is added to it. The extended
    // model is the model's upper digit then.
    let base = [version >> 8 & 15, version >> 4 & 15];
    let [family, model] = match base {
        [15, model] => [15 + (version >> 20 & 255), (version >> 16 & 15) << 4 | model],
        base => base,
    };
    (vendor.as_flattened() == b"AuthenticAMD").then_some((family, model))
}
