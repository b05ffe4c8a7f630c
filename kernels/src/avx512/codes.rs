//! How the codes of dtypes lie in memory, and, for those of at most 8 bits, the ways from there to a
//! byte each and back.

use super::lanes::first_of_64;
use super::tables::LookUp;
use super::{Features, pieces};
use crate::codec::Isa;
use crate::dtypes::{DType, Real};
use crate::stepwise::Side;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// How the codes of a real dtype lie in memory.
pub(super) trait Codes: 'static {
    type Numbers: Real;

    /// Bits from one to the next, if the dtype has no more than 8.
    const BITS: usize;

    /// Whether each is the real part of a complex number.
    const COMPLEX: bool = false;
}

/// As the real dtype has them.
pub(super) struct Plain<T>(PhantomData<T>);

/// As a packed dtype has them.
pub(super) struct Packed<T>(PhantomData<T>);

impl<T: Real> Codes for Plain<T> {
    type Numbers = T;
    const BITS: usize = 8;
}

impl<T: Real> Codes for Packed<T> {
    type Numbers = T;
    const BITS: usize = T::DTYPE.significant_bits();
}

/// As a complex dtype has its components.
pub(super) struct Complex<T>(PhantomData<T>);

impl<T: Real> Codes for Complex<T> {
    type Numbers = T;
    const BITS: usize = 8;
    const COMPLEX: bool = true;
}

/// How elements lie in memory, for those who turn their bytes.
const fn side<A: Codes>() -> Side {
    let side = Side::of(A::Numbers::DTYPE);
    let components = if A::COMPLEX { 2 } else { 1 };
    Side { bits: if A::BITS < 8 { A::BITS } else { side.bits * components }, ..side }
}

pub(super) const fn sides<A: Codes, B: Codes>() -> [Side; 2] {
    [side::<A>(), side::<B>()]
}

/// The sides of a kernel that calculates in lanes of 32 bits and more: words are loaded by half registers, and so are
/// float16s stored. (Other words are joined first.)
pub(super) const fn fused_sides<A: Codes, B: Codes>() -> [Side; 2] {
    let [from, to] = sides::<A, B>();
    let stores_halves = matches!(B::Numbers::DTYPE, DType::Float16);
    [Side { halves: from.width == 2, ..from }, Side { halves: stores_halves, ..to }]
}

/// The dtypes of a kernel.
pub(super) struct Pair<A, B>(pub(super) PhantomData<(A, B)>);

/// Runs a loop over a pair of whole bytes, compiled for an instruction set.
///
/// # Safety
/// The CPU has it.
#[inline(always)]
pub(super) unsafe fn over_pair<L: Isa, A: Real, B: Real>(
    cast: impl FnOnce(L, Pair<Plain<A>, Plain<B>>),
) {
    // SAFETY: the caller's.
    let isa = unsafe { L::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || cast(isa, Pair(PhantomData)),
    );
}

/// The codes of 64 elements, a byte each.
///
/// # Safety
/// `src` is valid for reading them.
#[inline(always)]
pub(super) unsafe fn load<L: LookUp, A: Codes>(isa: L, src: *const u8) -> __m512i {
    let x = isa.features();
    // SAFETY: the caller's.
    let v = unsafe {
        match A::BITS {
            8 => x.load_dwords(src),
            bits => isa.spread(bits, pieces::load_group(x, bits, src)),
        }
    };
    whole_codes::<A>(x, v)
}

/// The codes of the first `n` elements, with anything for the others.
///
/// # Safety
/// `src` is valid for reading `n <= 64` elements.
#[inline(always)]
pub(super) unsafe fn load_part<L: LookUp, A: Codes>(isa: L, src: *const u8, n: usize) -> __m512i {
    let x = isa.features();
    // SAFETY: the caller's.
    let v = unsafe { x.load_first(src, (n * A::BITS).div_ceil(8)) };
    whole_codes::<A>(x, if A::BITS == 8 { v } else { isa.spread(A::BITS, v) })
}

/// Any nonzero bool is as good as 1.
#[inline(always)]
fn whole_codes<A: Codes>(x: Features, v: __m512i) -> __m512i {
    match A::Numbers::DTYPE {
        DType::Bool if A::BITS == 8 => x.bw._mm512_min_epu8(v, x.byte(1)),
        _ => v,
    }
}

/// Writes 64 codes, a byte each.
///
/// # Safety
/// `dst` is valid for writing 64 elements.
#[inline(always)]
pub(super) unsafe fn store<L: LookUp, B: Codes>(isa: L, dst: *mut u8, v: __m512i) {
    let x = isa.features();
    // SAFETY: the caller's.
    unsafe {
        match B::BITS {
            8 => x.store_dwords(dst, v),
            bits => pieces::store_group(x, bits, dst, isa.gather(bits, v)),
        }
    }
}

/// Writes the first `n` codes; what is left of the last byte becomes zero.
///
/// # Safety
/// `dst` is valid for writing `n <= 64` elements.
#[inline(always)]
pub(super) unsafe fn store_part<L: LookUp, B: Codes>(isa: L, dst: *mut u8, v: __m512i, n: usize) {
    let x = isa.features();
    // SAFETY: the caller's.
    unsafe {
        match B::BITS {
            8 => x.store_first(dst, v, n),
            bits => {
                let v = x.bw._mm512_maskz_mov_epi8(first_of_64(n), v);
                let packed = isa.gather(bits, v);
                pieces::store_part(x, bits, dst, packed, (n * bits).div_ceil(8));
            }
        }
    }
}
