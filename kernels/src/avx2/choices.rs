//! Kernels with two or three loops, of which one takes less time on some CPUs and another on others with the same instructions.
//!
//! All come to the same bits. Which it is to be is asked when a kernel is called, of what the CPU has told once.

use super::Avx2;
use super::direct::{Step, stepped};
use crate::codec::{Bridge, Decode, Encode};
use crate::cores::Core;
use crate::dtypes::Real;
use crate::scalar::Scalar;
use crate::table::Params;

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
