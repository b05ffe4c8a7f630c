//! Kernels with two or three loops, of which one takes less time on some CPUs and another on others with the same instructions.
//!
//! All come to the same bits. Which it is to be is asked when a kernel is called, of what the CPU has told once.

use super::Avx2;
use super::direct::{Step, stepped};
use crate::codec::{Bridge, Decode, Encode};
use crate::cpuid;
use crate::dtypes::Real;
use crate::scalar::Scalar;
use crate::table::Params;
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
    fn this() -> Self {
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

/// How a kernel chooses among its loops.
pub(super) trait Choice {
    /// Which of them is the one for a core.
    fn place(core: Core) -> Place;
}

/// A place in a list of three.
pub(super) enum Place {
    First,
    Second,
    Third,
}

/// A kernel by one of three steps, of which two may be the same.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[inline(always)]
pub(super) unsafe fn one_of<C, First, Second, Third, A, B, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize
where
    C: Choice,
    First: Step<A, B>,
    Second: Step<A, B>,
    Third: Step<A, B>,
    A: Real,
    B: Real,
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    // SAFETY: the caller's.
    unsafe {
        match C::place(Core::this()) {
            Place::First => stepped::<First, A, B, MODE>(src, dst, n, params),
            Place::Second => stepped::<Second, A, B, MODE>(src, dst, n, params),
            Place::Third => stepped::<Third, A, B, MODE>(src, dst, n, params),
        }
    }
}
