//! Elements in the other byte order.
//!
//! Kernels know the machine's own order. Those that take little longer than their memory does are compiled again with
//! elements [turned in registers](crate::stepwise). For all others, and under other options than the default ones, a
//! block of a source in the other order is turned into a buffer that stays in the L1 cache, and cast from there; results
//! are turned where they are, as long as they are in that cache.
//!
//! What is packed is unpacked and packed apart, and of complex numbers that become real ones, or the other way round, only
//! the real parts are turned. Of a cast that only copies one side in the other order is a loop of its own, and both are
//! none. And some casts of integers need not turn anything, which helps where registers can't:
//!
//! * Whether a number is zero does not depend on the order.
//! * What takes the lowest bytes of each number finds them at the end of a number with the highest byte
//!   first, and in that order. So they lie where the kernel looks for them that reads from there on: each
//!   number's lowest bytes, and behind them the highest ones of the next, which are not used. Behind the
//!   last number they lie outside.
//! * What puts bytes in the lowest places of a number, and zeros in the others, puts those of a number and
//!   the zeros that come before the next one's, if it writes from the first one's on.
//!
//! Both come to a kernel that *skips* so many bytes of a side, for all elements but the last ones.

use crate::buffer::Buffer;
use crate::codec::Isa;
use crate::dtypes::{DType, Kind};
use crate::scalar::direct::is_copy;
use crate::table::{Kernel, Params, Road, Table};
use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

/// The bytes of a block of the source that is turned.
const BLOCK: usize = 8 << 10;

/// The bytes of a block of results that are turned: so few that the CPU, which looks some hundred instructions ahead, casts
/// the next one's first elements while this one's last are turned. (Where results are few, as packed ones are, the source's
/// block counts.)
const RESULTS: usize = 3 << 10;

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
    table: &'static Table,
    /// Whether source and destination are in the other one.
    pub(crate) sides: [bool; 2],
    /// What is done about that for all elements but perhaps the last ones.
    way: Way,
}

/// What is done about a source and a destination: whether elements are turned, and how many bytes are
/// skipped.
#[derive(Clone, Copy)]
struct Way {
    turned: [bool; 2],
    skipped: [usize; 2],
}

impl Way {
    const fn turning(turned: [bool; 2]) -> Self {
        Self { turned, skipped: [0, 0] }
    }

    /// The way of a pair under the default options.
    const fn of(from: DType, to: DType, sides: [bool; 2]) -> Self {
        if !HIGHEST_FIRST || !is_integer(to) {
            return Self::turning(sides);
        }
        let (source, result) = (from.bits().div_ceil(8), to.bits().div_ceil(8));
        // (What has one byte is in any order.)
        let [source_first, result_first] = [sides[0] || source == 1, sides[1] || result == 1];
        if sides[0] && is_integer(from) && source > result {
            Self { turned: [false, !result_first], skipped: [source - result, 0] }
        } else if sides[1] && is_zero_extended(from, to) {
            Self { turned: [!source_first, false], skipped: [0, result - source] }
        } else {
            Self::turning(sides)
        }
    }

    const fn skips(&self) -> bool {
        self.skipped[0] + self.skipped[1] > 0
    }
}

impl Swap {
    /// The swap of the sides that are to be, and the kernel for it; None if no side has an order.
    pub(crate) fn new(
        inner: Kernel,
        params: &Params,
        table: &'static Table,
        sides: [bool; 2],
    ) -> Option<(Self, Kernel)> {
        let (from, to) = (params.from, params.to);
        let sides = [sides[0] && is_swappable(from), sides[1] && is_swappable(to)];
        let mut way = Way::turning(sides);
        let swapped = match sides {
            [false, false] => return None,
            _ if !params.options.is_default() => kernel,
            // (Zero, as an imaginary part, is the same in any order.)
            [true, true] if is_copy(from.component(), to.component()) => inner,
            _ if is_copy(from, to) => copy,
            [true, false] if is_integer(from) && matches!(to.kind(), Kind::Bool) => inner,
            _ if table.stepwise.turned(from, to, sides).is_some() => in_registers,
            _ if from.is_complex() && to.is_complex() => by_components,
            _ if is_by_parts(from, to, table) => by_parts,
            _ => {
                way = Way::of(from, to, sides);
                kernel
            }
        };
        Some((Self { inner, table, sides, way }, swapped))
    }

    /// Turns the components of `n` elements of a dtype from one place to another.
    ///
    /// # Safety
    /// As for every [`Turn`], of these.
    pub(crate) unsafe fn turn(&self, dtype: DType, src: *const u8, dst: *mut u8, n: usize) {
        let (width, count) = components(dtype, n);
        // SAFETY: the caller's.
        unsafe { self.table.swaps.turn[width](src, dst, count) };
    }

    /// Turns the components of `n` elements of a dtype where they are.
    ///
    /// # Safety
    /// As for every [`TurnHere`], of these.
    unsafe fn turn_here(&self, dtype: DType, start: *mut u8, n: usize) {
        let (width, count) = components(dtype, n);
        // SAFETY: the caller's.
        unsafe { self.table.swaps.here[width](start, count) };
    }
}

/// Whether the other order is that with the highest byte first.
const HIGHEST_FIRST: bool = cfg!(target_endian = "little");

const fn is_integer(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Int | Kind::UInt)
}

/// Whether a pair is best cast by way of its components: its own kernel does it that way, or would read and write
/// imaginary parts that nothing is done to.
fn is_by_parts(from: DType, to: DType, table: &Table) -> bool {
    let is_tile = matches!(table.pairs.get(from, to).road, Road::Tile);
    let is_bool = matches!(to.kind(), Kind::Bool);
    match (from.is_complex(), to.is_complex()) {
        (true, _) => !is_bool,
        (_, true) => true,
        _ => is_tile,
    }
}

/// Whether the kernel of a pair of integers, or from a truth value, writes an element's bytes and zeros.
const fn is_zero_extended(from: DType, to: DType) -> bool {
    matches!(from.kind(), Kind::UInt | Kind::Bool) && from.bits().div_ceil(8) < to.bits() / 8
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
pub(crate) const fn swapped_code(dtype: DType, code: u128) -> u128 {
    let bits = dtype.component().bits() as u32;
    let (mut turned, mut place) = (0, 0);
    while place < dtype.bits() as u32 {
        let component = (code >> place) << (128 - bits);
        turned |= (component.swap_bytes() & (u128::MAX >> (128 - bits))) << place;
        place += bits;
    }
    turned
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
    let most = if swap.way.skips() { n.saturating_sub(1) & !7 } else { n };
    // SAFETY: the caller's. A way that skips bytes is taken for elements that one comes after, whose first
    // bytes are the last that are read or written. So the destination has an element whose first bytes
    // are skipped.
    unsafe {
        if most > 0 {
            dst.write_bytes(0, swap.way.skipped[1]);
        }
        let done = blocks(swap, &swap.way, [src.cast_mut(), dst], 0..most, params);
        if done < most {
            return done;
        }
        blocks(swap, &Way::turning(swap.sides), [src.cast_mut(), dst], most..n, params)
    }
}

/// The elements of a range, which starts with a multiple of 8, in a way. Answers how many of all, those
/// before included, were cast before one that is refused.
///
/// # Safety
/// As for every kernel, see [`Kernel`], of the elements of the range, at pointers to the first of all; what
/// the way skips is followed by that many bytes more.
unsafe fn blocks(
    swap: &Swap,
    way: &Way,
    [src, dst]: [*mut u8; 2],
    range: Range<usize>,
    params: &Params,
) -> usize {
    let mut inner = *params;
    let (from, to) = (params.from, params.to);
    let mut buffer = Buffer::<BLOCK>::new();
    let most = match way.turned {
        [true, _] => block(BLOCK, from).min(block(RESULTS, to)),
        [false, true] => block(RESULTS, to),
        [false, false] => range.len(),
    };
    let mut start = range.start;
    while start < range.end {
        let len = most.min(range.end - start);
        // SAFETY: the caller's: `start` is a multiple of 8, so that both pointers move by whole bytes, to
        // where `len` elements are left. They fit the buffer, which is apart. Only results that have been
        // written are turned.
        let done = unsafe {
            let src = src.add(start / 8 * from.bits() + way.skipped[0]).cast_const();
            let dst = dst.add(start / 8 * to.bits() + way.skipped[1]);
            let source = if way.turned[0] {
                swap.turn(from, src, buffer.start(), len);
                buffer.start().cast_const()
            } else {
                src
            };
            let done = (swap.inner)(source, dst, len, &inner);
            if way.turned[1] {
                swap.turn_here(to, dst, done);
            }
            done
        };
        if done < len {
            return start + done;
        }
        inner.advance(len as u64);
        start += len;
    }
    range.end
}

/// How many elements so many bytes hold: whole bytes of packed elements, and whole steps of any kernel.
const fn block(bytes: usize, dtype: DType) -> usize {
    (bytes * 8 / dtype.bits()) & !63
}

/// Pairs whose kernels turn elements in registers: these, and what is left after their last whole step.
///
/// # Safety
/// As for every kernel, see [`Kernel`]; `params` has a swap that they suit.
unsafe fn in_registers(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    let Some(swap) = &params.swap else { return 0 };
    let Some(turned) = swap.table.stepwise.turned(params.from, params.to, swap.sides) else {
        return 0;
    };
    // SAFETY: the caller's. The elements that are done are whole steps, whole bytes on both sides.
    unsafe {
        let done = turned(src, dst, n, params);
        blocks(swap, &Way::turning(swap.sides), [src.cast_mut(), dst], done..n, params)
    }
}

/// Complex numbers to such ones: their components.
///
/// # Safety
/// As for every kernel, see [`Kernel`]; `params` has a swap and the default options.
unsafe fn by_components(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    let (kernel, inner) = of_components(params);
    // SAFETY: the caller's: `n` complex elements are `2 * n` components.
    unsafe { kernel(src, dst, 2 * n, &inner) / 2 }
}

/// Any pair that is not complex to complex, by way of its components: what is packed or has imaginary parts goes
/// through a buffer.
///
/// # Safety
/// As for every kernel, see [`Kernel`]; `params` has a swap and the default options. The pair is no complex one to bool.
unsafe fn by_parts(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    let Some(swap) = &params.swap else { return 0 };
    let (from, to, pieces) = (params.from, params.to, &swap.table.pieces);
    let (part, result) = (from.component(), to.component());
    let (kernel, inner) = of_components(params);
    let (mut parts, mut results) = (Buffer::<BLOCK>::new(), Buffer::<BLOCK>::new());
    let most = block(BLOCK, part).min(block(BLOCK, result));
    for start in (0..n).step_by(most) {
        let len = most.min(n - start);
        // SAFETY: the caller's: `start` is a multiple of 8, so that both pointers move by whole bytes, to
        // where `len` elements are left. Their parts and results fit the buffers, which are apart.
        unsafe {
            let (mut src, dst) = (src.add(start / 8 * from.bits()), dst.add(start / 8 * to.bits()));
            if from.is_packed() {
                (pieces.unpack)(from.bits(), src, parts.start(), len);
                src = parts.start();
            } else if from.is_complex() {
                (pieces.real_parts)(part.bits() / 8, src, parts.start(), len);
                src = parts.start();
            }
            let is_stored = to.is_packed() || to.is_complex();
            kernel(src, if is_stored { results.start() } else { dst }, len, &inner);
            if to.is_packed() {
                (pieces.pack)(to.bits(), results.start(), dst, len);
            } else if to.is_complex() {
                (pieces.with_zero_imaginary)(result.bits() / 8, results.start(), dst, len);
            }
        }
    }
    n
}

/// The kernel of the pair of the components, with its sides in the order of the whole, and what it is told.
fn of_components(params: &Params) -> (Kernel, Params) {
    let (from, to) = (params.from.component(), params.to.component());
    let mut inner = Params::plain(from, to, false);
    let Some(Swap { table, sides, .. }) = params.swap else {
        unreachable!("the params of a swap's kernels have one")
    };
    let kernel = table.pairs.get(from, to).kernel;
    match Swap::new(kernel, &inner, table, sides) {
        Some((swap, kernel)) => {
            inner.swap = Some(swap);
            (kernel, inner)
        }
        None => (kernel, inner),
    }
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
