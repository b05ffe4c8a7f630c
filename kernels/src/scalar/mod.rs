//! The portable kernels: an element a step, in code that any target compiles and that the compiler
//! may vectorise. Every other instruction set falls back on these.

mod bridge;
mod decode;
pub(crate) mod direct;
mod encode;
pub(crate) mod pieces;

use crate::codec::{Bridge, Decode, Encode, Isa, cast_all};
use crate::dtypes::{DType, Real, for_each_dtype};
use crate::environment::Arithmetic;
use crate::fields;
use crate::shape::Shapes;
use crate::shifted;
use crate::table::{Entry, Params, Road, Table, Tabled, real_pairs};
use crate::tile;
use core::mem::MaybeUninit;
use core::{ptr, slice};

/// The token of the portable kernels, which need nothing of the CPU.
#[derive(Clone, Copy)]
pub(crate) struct Scalar;

impl Isa for Scalar {
    const STEP: usize = 1;
    const OVERLAPS: bool = false;

    unsafe fn summon() -> Self {
        Self
    }

    #[inline(always)]
    fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        body()
    }
}

/// An element at any alignment.
#[repr(C, packed)]
struct Unaligned<T>(T);

/// A pair whose codecs are fused in one loop.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
unsafe fn fused<A, B>(src: *const u8, dst: *mut u8, n: usize, _: &Params) -> usize
where
    A: Real,
    B: Real,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    // SAFETY: the caller's: `n` elements are readable and writable, and don't overlap. The types
    // have the elements' sizes and no alignment; any bytes make the first, and of the second nothing
    // is read.
    let (src, dst) = unsafe {
        (
            slice::from_raw_parts(src.cast::<Unaligned<A::Stored>>(), n),
            slice::from_raw_parts_mut(dst.cast::<MaybeUninit<Unaligned<B::Stored>>>(), n),
        )
    };
    each::<A, B>(src, dst)
}

/// The loop over two slices that the compiler knows best. Over pointers and an index, as in
/// [`convert`](crate::convert), the same body took up to 1.8 times as long; and only as arguments of
/// a function are slices known not to overlap. It answers for the kernel, which then needs no more
/// than a jump to get here.
#[inline(never)]
fn each<A, B>(src: &[Unaligned<A::Stored>], dst: &mut [MaybeUninit<Unaligned<B::Stored>>]) -> usize
where
    A: Real,
    B: Real,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    match const { block(A::DTYPE, B::DTYPE) } {
        64 => each_by::<A, B, 64>(src, dst),
        16 => each_by::<A, B, 16>(src, dst),
        _ => each_by::<A, B, 1>(src, dst),
    }
    cast_all(src.len())
}

/// How many elements a turn of a pair's loop takes at least, in straight-line code. For the pairs
/// named, the compiler's own loop took 1.1 to 2 times as long on x86-64: it takes longer steps than
/// pays, or its speed hangs on where the linker puts it. For the others a block gains nothing.
const fn block(from: DType, to: DType) -> usize {
    use DType::{Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    match (from, to) {
        (Int8, Int16 | UInt16) | (Int16 | UInt16, Int8 | UInt8) => 64,
        (UInt8, Int16 | UInt16 | Int32 | UInt32 | Float64)
        | (UInt16, Int32 | UInt32 | Int64 | UInt64 | Float64)
        | (UInt32, Int8 | UInt8 | Int16 | UInt16 | Int64 | UInt64)
        | (Int32, Int8 | UInt8 | Int16 | UInt16)
        | (Int64 | UInt64, Int16 | UInt16 | Int32 | UInt32)
        | (Int8 | UInt32 | UInt64, Float32)
        | (Float32, Int32 | UInt32) => 16,
        _ => 1,
    }
}

/// [`each`], by blocks of `N`.
#[inline(always)]
fn each_by<A, B, const N: usize>(
    src: &[Unaligned<A::Stored>],
    dst: &mut [MaybeUninit<Unaligned<B::Stored>>],
) where
    A: Real,
    B: Real,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    let (mut src, mut dst) = (src, dst);
    // (Asked apart: few elements are cast in little more than the time that it takes to find out that they make no block.)
    if N > 1 && src.len() >= N {
        let (from, from_rest) = src.as_chunks::<N>();
        let (to, to_rest) = dst.as_chunks_mut::<N>();
        for (from, to) in from.iter().zip(to) {
            for (from, to) in from.iter().zip(to) {
                one::<A, B>(from, to);
            }
        }
        (src, dst) = (from_rest, to_rest);
    }
    for (from, to) in src.iter().zip(dst) {
        one::<A, B>(from, to);
    }
}

/// Casts an element.
#[inline(always)]
fn one<A, B>(from: &Unaligned<A::Stored>, to: &mut MaybeUninit<Unaligned<B::Stored>>)
where
    A: Real,
    B: Real,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    // SAFETY: references are valid for their element.
    unsafe {
        let hub = Decode::<A>::decode(Scalar, ptr::from_ref(from).cast());
        Encode::<B>::encode(Scalar, Scalar.bridge(hub), to.as_mut_ptr().cast());
    }
}

/// The kernel of a pair of real dtypes under the default options.
pub(crate) const fn entry<A, B>() -> Entry
where
    A: Real,
    B: Real,
    Scalar: Decode<A> + Encode<B> + Bridge<<Scalar as Decode<A>>::Hub, <Scalar as Encode<B>>::Home>,
{
    match direct::entry::<A, B>() {
        Some(direct) => direct,
        None => Entry { kernel: fused::<A, B>, road: Road::Fused },
    }
}

/// The kernels of all pairs.
pub(crate) static TABLE: Table = Table {
    pairs: const { for_each_dtype!(real_pairs entry).complete::<Scalar>() },
    shapes: Shapes::of::<Scalar, 4>(),
    composed: tile::with_options::<Scalar>,
    by_codes: |_, _| None,
    by_codes_marked: |_, _| None,
    alone: fields::clamping::<Scalar>,
    pieces: pieces::PIECES,
    arithmetic: Arithmetic::Ambient,
    marks: crate::shape::marks::kernel::<Scalar>,
    swaps: crate::swap::Swaps::of::<Scalar>(),
    shift: shifted::shift_down::<Scalar>,
    stepwise: crate::stepwise::Stepwise::NONE,
    units: &[],
};

impl Tabled for Scalar {
    fn table() -> &'static Table {
        &TABLE
    }
}
