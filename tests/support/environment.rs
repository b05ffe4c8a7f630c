//! Floating-point environments that a caller may come with: the CPU's control words, and what they
//! leave behind. The casts alone run in them, no arithmetic of the tests'.

use std::fmt;

/// What a thread's control registers hold, the flags that casts may raise left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Environment(u64);

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the environment {:#x}", self.0)
    }
}

/// Bits that are chosen apart, in every combination.
fn combinations(choices: &[u64]) -> impl Iterator<Item = u64> {
    (0..1u32 << choices.len()).map(|chosen| {
        let bits = choices.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
        bits.map(|(_, bit)| bit).sum()
    })
}

impl Environment {
    /// Every rounding mode with every way to treat subnormals (and NaNs, where there is one); first the
    /// default one.
    pub fn all() -> Vec<Self> {
        combinations(cpu::CHOICES).map(|bits| Self(cpu::DEFAULT ^ bits)).collect()
    }

    /// Some in which every exception traps, if the CPU can.
    pub fn trapping() -> Vec<Self> {
        let all = cpu::CHOICES.iter().sum::<u64>();
        let wanted = [0, all].map(|bits| Self(cpu::DEFAULT ^ cpu::TRAPS ^ bits));
        wanted.into_iter().filter(|environment| environment.is_held()).collect()
    }

    pub fn is_default(self) -> bool {
        self.0 == cpu::DEFAULT
    }

    /// Whether the CPU can be brought into it: bits that it has not stay zero.
    fn is_held(self) -> bool {
        let before = cpu::read();
        cpu::write(self.0);
        let held = cpu::read() & !cpu::FLAGS == self.0;
        cpu::write(before);
        held
    }

    /// Brings a thread into it that does nothing but to cast.
    pub fn enter(self) {
        cpu::write(self.0);
    }

    /// Whether this thread is in it.
    pub fn is_entered(self) -> bool {
        cpu::read() & !cpu::FLAGS == self.0
    }

    /// Runs a cast in the environment, which must be what it then still is. Tells, too, whether the
    /// cast has raised a flag.
    #[inline(never)]
    pub fn within<R>(self, cast: impl FnOnce() -> R) -> (R, bool) {
        let before = cpu::read();
        cpu::write(self.0);
        let result = cast();
        let after = cpu::read();
        cpu::write(before);
        assert_eq!(Self(after & !cpu::FLAGS), self, "the cast has left another environment");
        (result, after & cpu::FLAGS != 0)
    }
}

/// MXCSR in the low half; with 32 bits, the x87 unit's control and status words above it.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod cpu {
    use std::arch::asm;

    pub const DEFAULT: u64 = 0x1f80 | if cfg!(target_arch = "x86") { 0x37f << 32 } else { 0 };
    pub const FLAGS: u64 = 0x3f | if cfg!(target_arch = "x86") { 0xffff << 48 } else { 0 };
    pub const TRAPS: u64 = 0x1f80 | if cfg!(target_arch = "x86") { 0x3f << 32 } else { 0 };
    /// Rounding, denormals-are-zero, flush-to-zero; with 32 bits, the x87 unit's rounding and
    /// precision change along.
    pub const CHOICES: &[u64] = if cfg!(target_arch = "x86") {
        &[1 << 13 | 1 << 42, 1 << 14 | 1 << 43, 1 << 6 | 1 << 40, 1 << 15 | 1 << 41]
    } else {
        &[1 << 13, 1 << 14, 1 << 6, 1 << 15]
    };

    pub fn read() -> u64 {
        let mut mxcsr = 0u32;
        // SAFETY: writes the register to a local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut mxcsr, options(nostack, preserves_flags)) };
        u64::from(mxcsr) | x87::read() << 32
    }

    /// Control words from `word`, flags too.
    pub fn write(word: u64) {
        let mxcsr = word as u32;
        x87::write((word >> 32) as u16);
        // SAFETY: the test brings the environment back after a cast, which is all that runs in it.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &mxcsr, options(nostack)) };
    }

    #[cfg(target_arch = "x86")]
    mod x87 {
        use std::arch::asm;

        pub fn read() -> u64 {
            let (mut control, mut status) = (0u16, 0u16);
            // SAFETY: writes the registers to locals. Bits 3 to 5 of the top are the stack's height.
            unsafe {
                asm!("fnstcw [{}]", "fnstsw [{}]", in(reg) &mut control, in(reg) &mut status);
            }
            u64::from(control) | u64::from(status & 0x7f) << 16
        }

        pub fn write(control: u16) {
            // SAFETY: as for MXCSR.
            unsafe { asm!("fnclex", "fldcw [{}]", in(reg) &control) };
        }
    }

    #[cfg(target_arch = "x86_64")]
    mod x87 {
        pub fn read() -> u64 {
            0
        }

        pub fn write(_: u16) {}
    }
}

/// FPCR, and the flags of FPSR above it.
#[cfg(target_arch = "aarch64")]
mod cpu {
    use std::arch::asm;

    pub const DEFAULT: u64 = 0;
    pub const FLAGS: u64 = 0x9f << 32;
    pub const TRAPS: u64 = 0x9f << 8;
    /// Rounding, flush to zero (of float16, too), default NaN, alternative half precision.
    pub const CHOICES: &[u64] = &[1 << 22, 1 << 23, 1 << 24, 1 << 19, 1 << 25, 1 << 26];

    pub fn read() -> u64 {
        let (control, status): (u64, u64);
        // SAFETY: only reads.
        unsafe { asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status) };
        control | (status & 0x9f) << 32
    }

    pub fn write(word: u64) {
        let (control, status) = (word & u64::from(u32::MAX), word >> 32);
        // SAFETY: the test brings the environment back after a cast, which is all that runs in it.
        unsafe { asm!("msr fpsr, {}", "msr fpcr, {}", in(reg) status, in(reg) control) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
mod cpu {
    pub const DEFAULT: u64 = 0;
    pub const FLAGS: u64 = 0;
    pub const TRAPS: u64 = 1;
    pub const CHOICES: &[u64] = &[];

    pub fn read() -> u64 {
        0
    }

    pub fn write(_: u64) {}
}
