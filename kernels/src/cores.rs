//! Which x86-64 core this is, for kernels that have more than one loop: with the same instructions one of them takes less time
//! on some cores, and another on others. The bits are the same.

use crate::cpuid;
use core::sync::atomic::{AtomicU8, Ordering};

/// What is told apart of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Core {
    /// Intel's, and whatever else there may be.
    Any = 1,
    /// Zen 3, and AMD's before it.
    Zen3,
    /// Zen 4.
    Zen4,
    /// Zen 5, and what may follow.
    Zen5,
}

impl Core {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Any, Self::Zen3, Self::Zen4, Self::Zen5];

    /// This CPU's.
    #[inline(always)]
    pub(crate) fn this() -> Self {
        match THIS.load(Ordering::Relaxed) {
            0 => ask(),
            1 => Self::Any,
            2 => Self::Zen3,
            3 => Self::Zen4,
            _ => Self::Zen5,
        }
    }
}

/// This CPU's core, or 0 before that has been asked.
static THIS: AtomicU8 = AtomicU8::new(0);

#[cold]
fn ask() -> Core {
    let core = match cpuid::amd() {
        None => Core::Any,
        // Zen 3 and 4 are of one family, of which these models are Zen 4. (That AVX-512 is there tells less: it may be hidden.)
        Some((25, 0x10..=0x1f | 0x60..=0xaf)) => Core::Zen4,
        Some((..26, _)) => Core::Zen3,
        Some((26.., _)) => Core::Zen5,
    };
    assume(core);
    core
}

/// Takes this CPU's core for another one. (It makes a difference to time only.)
pub(crate) fn assume(core: Core) {
    THIS.store(core as u8, Ordering::Relaxed);
}
