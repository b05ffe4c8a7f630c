//! How the codes of dtypes lie in memory, and the ways from there to registers: for those of at most 8
//! bits to a byte each, and back.

use super::in_registers::Turn;
use super::lanes::first_of_64;
use super::tables::LookUp;
use super::{Features, pieces, truths};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real};
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

    /// Whether their bytes are in the other order.
    const TURNED: bool = false;

    /// The same with their bytes in the other order, if [`load_pair`] can load them.
    type Turned: Codes<Numbers = Self::Numbers>;
}

/// As the real dtype has them.
pub(super) struct Plain<T>(PhantomData<T>);

/// The same in the other byte order, for the loops that load them by [`load_pair`].
pub(super) struct Turned<T>(PhantomData<T>);

/// As a packed dtype has them.
pub(super) struct Packed<T>(PhantomData<T>);

impl<T: Real> Codes for Plain<T> {
    type Numbers = T;
    type Turned = Turned<T>;
    const BITS: usize = 8;
}

impl<T: Real> Codes for Turned<T> {
    type Numbers = T;
    type Turned = Plain<T>;
    const BITS: usize = 8;
    const TURNED: bool = true;
}

impl<T: Real> Codes for Packed<T> {
    type Numbers = T;
    type Turned = Self;
    const BITS: usize = T::DTYPE.significant_bits();
}

/// As a complex dtype has its components.
pub(super) struct Complex<T>(PhantomData<T>);

impl<T: Real> Codes for Complex<T> {
    type Numbers = T;
    type Turned = Self;
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
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    let source = side::<A>();
    // (Whether bits tell of integers is known when a loop is called.)
    let source = match from.kind() {
        Kind::Float => source.towards(from, to),
        _ => source,
    };
    [source, side::<B>()]
}

/// The sides of a kernel that calculates in lanes of 32 bits and more: words are loaded by half registers, and so are
/// float16s stored. (Other words are joined first.) To make float16s of integers of 64 bits keeps the port busy that has to
/// turn them, but for those that are turned in another way.
pub(super) const fn fused_sides<A: Codes, B: Codes>() -> [Side; 2] {
    let [from, to] = sides::<A, B>();
    let stores_halves = matches!(B::Numbers::DTYPE, DType::Float16);
    let is_long = matches!(A::Numbers::DTYPE, DType::Int64 | DType::UInt64);
    let source = Side { halves: from.width == 2, mixed: is_long && stores_halves, ..from };
    [source, Side { halves: stores_halves, ..to }]
}

/// The sides of a kernel that stores float16s by half registers, from whole ones.
pub(super) const fn to_halves_sides<A: Codes, B: Codes>() -> [Side; 2] {
    let [from, to] = sides::<A, B>();
    [from, Side { halves: true, ..to }]
}

/// The dtypes of a kernel.
pub(super) struct Pair<A, B>(pub(super) PhantomData<(A, B)>);

impl<A: Codes, B: Codes> Pair<A, B> {
    /// The same with a source that is not turned when it is loaded, for loops that find its bytes in either order.
    pub(super) const fn unturned(self) -> Pair<Plain<A::Numbers>, B> {
        const { assert!(A::BITS == 8 && !A::COMPLEX) };
        Pair(PhantomData)
    }
}

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

/// The same of up to 64 elements.
///
/// # Safety
/// As for [`load_part`].
#[inline(always)]
pub(super) unsafe fn load_up_to<L: LookUp, A: Codes>(isa: L, src: *const u8, n: usize) -> __m512i {
    // SAFETY: the caller's.
    unsafe {
        match n {
            64 => load::<L, A>(isa, src),
            _ => load_part::<L, A>(isa, src, n),
        }
    }
}

/// Any nonzero bool is as good as 1.
#[inline(always)]
fn whole_codes<A: Codes>(x: Features, v: __m512i) -> __m512i {
    match A::Numbers::DTYPE {
        DType::Bool if A::BITS == 8 => x.bw._mm512_min_epu8(v, x.byte(1)),
        _ => v,
    }
}

/// How [`load_pair`] turns elements.
#[derive(Clone, Copy)]
pub(super) struct Turning {
    turn: Turn,
    /// Whether one of two registers of dwords is turned by rotation.
    mixed: bool,
}

/// How the elements of a pair's source are turned, if they are: to be made before a loop. (Most loops keep both ports busy.)
#[inline(always)]
pub(super) fn turning<L: LookUp, A: Codes, B: Codes>(isa: L) -> Option<Turning> {
    let (from, to) = (A::Numbers::DTYPE, B::Numbers::DTYPE);
    let mixed = matches!(from, DType::Int32) || truths::has_ones_of_floats(from, to);
    match A::TURNED {
        true => Some(Turning { turn: isa.turn_of(from.bits() / 8), mixed }),
        false => None,
    }
}

/// Two registers of elements of whole words, in the native order; of so many bytes, with zeros for the others.
///
/// # Safety
/// `src` is valid for reading `bytes` bytes, at most 128, which are whole elements.
#[inline(always)]
pub(super) unsafe fn load_pair<A: Codes>(
    x: Features,
    turning: Option<Turning>,
    src: *const u8,
    bytes: usize,
) -> [__m512i; 2] {
    const { assert!(A::BITS == 8 && !A::COMPLEX && A::Numbers::DTYPE.bits() >= 16) };
    // SAFETY: the caller's.
    let v = unsafe {
        match bytes {
            128 => [x.load_dwords(src), x.load_dwords(src.add(64))],
            _ => x.load_first_pair(src, bytes),
        }
    };
    match turning {
        Some(Turning { turn, mixed }) => x.turned_pair(turn, mixed, v),
        None => v,
    }
}

/// The same of four registers.
///
/// # Safety
/// As for [`load_pair`], of at most 256 bytes.
#[inline(always)]
pub(super) unsafe fn load_four<A: Codes>(
    x: Features,
    turning: Option<Turning>,
    src: *const u8,
    bytes: usize,
) -> [__m512i; 4] {
    // SAFETY: the caller's. (The second pair begins past the end where it has no bytes.)
    unsafe {
        let [a, b] = load_pair::<A>(x, turning, src, bytes.min(128));
        let [c, d] = load_pair::<A>(x, turning, src.wrapping_add(128), bytes.saturating_sub(128));
        [a, b, c, d]
    }
}

/// Codes that may have come as two registers of words are packed, as they are written.
#[inline(always)]
fn in_order(x: Features, mixed: bool, v: __m512i) -> __m512i {
    if mixed { x.unmix_words(v) } else { v }
}

/// Writes `n` codes, given what makes up to 64 of them from one on, a byte each: the number of the first is a multiple of
/// 64, and fewer than 64 are asked for but at the end. They may be mixed as two registers of words are packed.
///
/// # Safety
/// `dst` is valid for writing `n` elements.
#[inline(always)]
pub(super) unsafe fn store_all<L: LookUp, B: Codes>(
    isa: L,
    dst: *mut u8,
    n: usize,
    mixed: bool,
    mut codes: impl FnMut(usize, usize) -> __m512i,
) {
    let x = isa.features();
    let mut i = 0;
    // SAFETY: the caller's; 64 elements are whole bytes.
    unsafe {
        if const { L::STORES_TOGETHER && B::BITS < 8 } {
            while n - i >= 256 {
                let mut v = [x.f._mm512_setzero_si512(); 4];
                for (k, v) in v.iter_mut().enumerate() {
                    *v = clean::<B>(x, codes(i + 64 * k, 64));
                }
                isa.store_four_groups(B::BITS, mixed, dst.add(i / 8 * B::BITS), v);
                i += 256;
            }
        }
        while n - i >= 64 {
            store::<L, B>(isa, dst.add(i / 8 * B::BITS), in_order(x, mixed, codes(i, 64)));
            i += 64;
        }
        if i < n {
            let v = in_order(x, mixed, codes(i, n - i));
            store_part::<L, B>(isa, dst.add(i / 8 * B::BITS), v, n - i);
        }
    }
}

/// Codes without bits above theirs, which would come to lie in their neighbours': those of floats have none there, be they
/// from a table, or from an encoder.
#[inline(always)]
fn clean<B: Codes>(x: Features, v: __m512i) -> __m512i {
    match B::Numbers::DTYPE.kind() {
        Kind::Float => v,
        _ => x.f._mm512_and_si512(v, x.byte((1 << B::BITS) - 1)),
    }
}

/// Writes 64 codes, a byte each.
///
/// # Safety
/// `dst` is valid for writing 64 elements.
#[inline(always)]
unsafe fn store<L: LookUp, B: Codes>(isa: L, dst: *mut u8, v: __m512i) {
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
unsafe fn store_part<L: LookUp, B: Codes>(isa: L, dst: *mut u8, v: __m512i, n: usize) {
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
