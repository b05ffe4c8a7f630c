//! Elements in the other byte order.
//!
//! Kernels know the machine's own order. So a block of a source in the other one is turned into a buffer
//! that stays in the L1 cache, and cast from there; results are turned where they are, as long as they are
//! in that cache. Of a cast that only copies one side in the other order is a loop of its own, and both
//! are none.

use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::scalar::direct::is_copy;
use crate::table::{Kernel, Params};
use core::mem::MaybeUninit;
use core::slice;

/// The bytes of a block on its larger side.
const BLOCK: usize = 4 << 10;

/// Turns the bytes of each of so many components from the first pointer to the second.
///
/// # Safety
/// The pointers are valid for reading and writing them, and don't overlap. The CPU has the instruction set.
type Turn = unsafe fn(*const u8, *mut u8, usize);

/// The same where they are.
///
/// # Safety
/// As for [`Turn`], of the one pointer.
type TurnHere = unsafe fn(*mut u8, usize);

/// The loops of an instruction set, for components of 2, 4 and 8 bytes.
pub(crate) struct Swaps {
    turn: [Turn; 3],
    here: [TurnHere; 3],
}

impl Swaps {
    pub(crate) const fn of<I: Isa>() -> Self {
        Self {
            turn: [turn::<I, 2>, turn::<I, 4>, turn::<I, 8>],
            here: [turn_here::<I, 2>, turn_here::<I, 4>, turn_here::<I, 8>],
        }
    }
}

/// # Safety
/// As for every [`Turn`].
unsafe fn turn<I: Isa, const N: usize>(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's; components as bytes have no alignment.
    let (src, dst) = unsafe {
        (
            slice::from_raw_parts(src.cast::<[u8; N]>(), n),
            slice::from_raw_parts_mut(dst.cast::<MaybeUninit<[u8; N]>>(), n),
        )
    };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || {
            for (component, out) in src.iter().zip(dst) {
                out.write(turned(*component));
            }
        },
    );
}

/// # Safety
/// As for every [`TurnHere`].
unsafe fn turn_here<I: Isa, const N: usize>(start: *mut u8, n: usize) {
    // SAFETY: the caller's; components as bytes have no alignment.
    let components = unsafe { slice::from_raw_parts_mut(start.cast::<[u8; N]>(), n) };
    // SAFETY: the caller's.
    unsafe { I::summon() }.vectorize(
        #[inline(always)]
        move || {
            for component in components {
                *component = turned(*component);
            }
        },
    );
}

#[inline(always)]
fn turned<const N: usize>(mut component: [u8; N]) -> [u8; N] {
    component.reverse();
    component
}

/// A cast with a side in the other byte order.
#[derive(Clone, Copy)]
pub(crate) struct Swap {
    /// The kernel of the pair in the machine's own.
    pub(crate) inner: Kernel,
    swaps: &'static Swaps,
    /// Whether source and destination are in the other one.
    pub(crate) sides: [bool; 2],
}

impl Swap {
    /// The swap of the sides that are to be, and the kernel for it; None if no side has an order.
    pub(crate) fn new(
        inner: Kernel,
        params: &Params,
        swaps: &'static Swaps,
        sides: [bool; 2],
    ) -> Option<(Self, Kernel)> {
        let [src, dst] = sides;
        let copies = params.options.is_default() && is_copy(params.from, params.to);
        let sides = [src && is_swappable(params.from), dst && is_swappable(params.to)];
        let swapped = match (sides, copies) {
            ([false, false], _) => return None,
            ([true, true], true) => inner,
            (_, true) => copy,
            _ => kernel,
        };
        Some((Self { inner, swaps, sides }, swapped))
    }

    /// Turns the components of `n` elements of a dtype from one place to another.
    ///
    /// # Safety
    /// As for every [`Turn`], of these.
    pub(crate) unsafe fn turn(&self, dtype: DType, src: *const u8, dst: *mut u8, n: usize) {
        let (width, count) = components(dtype, n);
        // SAFETY: the caller's.
        unsafe { self.swaps.turn[width](src, dst, count) };
    }
}

/// Whether a byte order means anything to a dtype.
pub(crate) const fn is_swappable(dtype: DType) -> bool {
    !dtype.is_packed() && dtype.component().bits() > 8
}

/// Which width the components of a dtype have, and how many there are in `n` elements.
fn components(dtype: DType, n: usize) -> (usize, usize) {
    let bits = dtype.component().bits();
    (bits.trailing_zeros() as usize - 4, n * (dtype.bits() / bits))
}

/// A code in the other byte order.
pub(crate) fn swapped_code(dtype: DType, code: u128) -> u128 {
    let bits = dtype.component().bits() as u32;
    let places = (0..dtype.bits() as u32).step_by(bits as usize);
    places.fold(0, |turned, place| {
        let component = (code >> place) << (128 - bits);
        turned | (component.swap_bytes() & (u128::MAX >> (128 - bits))) << place
    })
}

/// A pair that copies, with one side in the other byte order.
///
/// # Safety
/// As for every kernel, see [`Kernel`]; `params` has a swap.
unsafe fn copy(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    let Some(swap) = &params.swap else { return 0 };
    // SAFETY: the caller's: both sides have components of one size.
    unsafe { swap.turn(params.from, src, dst, n) };
    n
}

/// Any other pair with a side in the other byte order.
///
/// # Safety
/// As for every kernel, see [`Kernel`]; `params` has a swap.
unsafe fn kernel(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    let Some(swap) = &params.swap else { return 0 };
    let mut inner = *params;
    let (from, to) = (params.from, params.to);
    let mut buffer = Buffer::<BLOCK>::new();
    // Whole bytes of packed elements, and whole steps of any kernel.
    let block = (BLOCK * 8 / from.bits().max(to.bits())) & !63;
    let mut start = 0;
    while start < n {
        let len = block.min(n - start);
        // SAFETY: the caller's: `start` is a multiple of 8, so that both pointers move by whole bytes, to
        // where `len` elements are left. They fit the buffer, which is apart. Only results that have been
        // written are turned.
        let done = unsafe {
            let (src, dst) = (src.add(start / 8 * from.bits()), dst.add(start / 8 * to.bits()));
            let source = if swap.sides[0] {
                swap.turn(from, src, buffer.start(), len);
                buffer.start().cast_const()
            } else {
                src
            };
            let done = (swap.inner)(source, dst, len, &inner);
            if swap.sides[1] {
                let (width, count) = components(to, done);
                swap.swaps.here[width](dst, count);
            }
            done
        };
        if done < len {
            return start + done;
        }
        inner.advance(len as u64);
        start += len;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_turned_by_component() {
        assert_eq!(swapped_code(DType::Int16, 0x1234), 0x3412);
        assert_eq!(swapped_code(DType::Float64, 0x0123_4567_89ab_cdef), 0xefcd_ab89_6745_2301);
        assert_eq!(swapped_code(DType::Complex32, 0x1234_5678), 0x3412_7856);
        let wide = 0x0123_4567_89ab_cdef_0011_2233_4455_6677;
        assert_eq!(
            swapped_code(DType::Complex128, wide),
            0xefcd_ab89_6745_2301_7766_5544_3322_1100
        );
    }
}
