//! From packed dtypes to those that are but wider than what another step makes of them: complex numbers of two 16-bit
//! floats, of which the second is zero, and integers of 16 bits that come from 6-bit floats. What the other step makes
//! stays in the nearest memory, from which the wider elements are loaded.

use super::Avx2;
use super::by_codes::StepByCodes;
use super::code_tables::{Words, codes_in, words};
use super::packed::{ByCodes, Step, stepped};
use super::pieces::GROUP;
use super::steps::maps;
use crate::dtypes::mark::{Float6E2M3Fn, Float6E3M2Fn, Int8, UInt8};
use crate::dtypes::{DType, Kind, Real};
use crate::options::{Overflow, Rounding};
use crate::shape::{Mode, Tells};
use crate::stepwise;
use crate::table::{Kernel, Params};
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// What another step writes: a group of words at most. (It is aligned for what the compiler puts on the stack beside it:
/// see [`align_stack`](crate::codec::align_stack).)
#[repr(align(64))]
struct Narrow([MaybeUninit<u8>; 2 * GROUP]);

impl Narrow {
    /// Runs a step, and tells where its results are.
    ///
    /// # Safety
    /// `src` is valid for reading `S::LEN` elements of the step.
    #[inline(always)]
    unsafe fn take<S: Step>(&mut self, isa: Avx2, tables: S::Tables, src: *const u8) -> *const u8 {
        const { assert!(S::LEN * S::OUT <= 8 * size_of::<Self>()) };
        let narrow = self.0.as_mut_ptr().cast::<u8>();
        // SAFETY: the caller's; the results have a place here, as was asserted.
        unsafe { S::step(isa, tables, src, narrow) };
        narrow
    }
}

/// To complex numbers of two 16-bit floats, of which `S` makes the first.
pub(super) struct AndZeros<S>(PhantomData<S>);

impl<S: Step> Step for AndZeros<S> {
    const IN: usize = S::IN;
    const OUT: usize = 32;
    const LEN: usize = S::LEN;
    const WRITES_TURNED: bool = S::WRITES_TURNED;
    type Tables = S::Tables;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> S::Tables {
        S::tables(isa, params)
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, tables: S::Tables, src: *const u8, dst: *mut u8) {
        const { assert!(S::OUT == 16 && S::LEN.is_multiple_of(8)) };
        let mut narrow = Narrow([MaybeUninit::uninit(); 2 * GROUP]);
        // SAFETY: the caller's: as many elements are read as `S` reads; it writes as many words, of which each is
        // widened to four bytes of the destination, and their number is a multiple of the 8 that are at a time.
        unsafe {
            let words = narrow.take::<S>(isa, tables, src);
            isa.with_zero_imaginary_of(2, words, dst, S::LEN);
        }
    }
}

/// The kernel of a pair whose elements become words by `S`, or such complex numbers.
pub(super) const fn words_by<S: Step, const MODE: usize>(to: DType) -> Kernel {
    if to.is_complex() { stepped::<AndZeros<S>, MODE> } else { stepped::<S, MODE> }
}

/// A step by a table of the words that codes become.
pub(super) trait StepByWords: Step {
    /// What [`Step::tables`] gives, for these words.
    fn tables_by_words(isa: Avx2, words: &Words) -> Self::Tables;
}

/// The same to words in the other byte order, of which the table is made.
struct Turned<S>(PhantomData<S>);

impl<S: StepByWords> Step for Turned<S> {
    const IN: usize = S::IN;
    const OUT: usize = S::OUT;
    const LEN: usize = S::LEN;
    const WRITES_TURNED: bool = true;
    type Tables = S::Tables;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> S::Tables {
        S::tables_by_words(isa, &words(params).map(u16::swap_bytes))
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, tables: S::Tables, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { S::step(isa, tables, src, dst) }
    }
}

/// The same as [`words_by`] by a table of words, which is made of turned ones where the results are.
pub(super) const fn words_by_table<S: StepByWords, const MODE: usize>(to: DType) -> Kernel {
    match MODE {
        stepwise::RESULTS => words_by::<Turned<S>, MODE>(to),
        _ => words_by::<S, MODE>(to),
    }
}

/// To integers of 16 bits, which `S` makes integers of 8 bits.
pub(super) struct FromBytes<S>(PhantomData<S>);

impl<S: StepByCodes> Step for FromBytes<S> {
    const IN: usize = S::IN;
    const OUT: usize = 16;
    const LEN: usize = S::LEN;
    const TELLS: Tells = S::TELLS;
    const ABOVE: Option<usize> = S::ABOVE;
    type Tables = S::Tables;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> S::Tables {
        S::tables_of(isa, codes_in(params.from, byte_of(params.to)))
    }

    #[inline(always)]
    fn sixes(isa: Avx2, tables: S::Tables) -> __m256i {
        S::sixes(isa, tables)
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, tables: S::Tables, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { isa.widen_bytes_of::<S>(tables, src, dst) }
    }
}

/// The same from `A` by what its codes become as `B`, integers of 8 bits, in such a way.
struct ByMap<A, B, const HOW: u8>(PhantomData<(A, B)>);

/// To bytes by codes of 6 bits.
type SixesByCodes = ByCodes<6, 6, 8>;

impl<A: Real, B: Real, const HOW: u8> Step for ByMap<A, B, HOW> {
    const IN: usize = 6;
    const OUT: usize = 16;
    const LEN: usize = SixesByCodes::LEN;
    type Tables = <SixesByCodes as Step>::Tables;

    #[inline(always)]
    fn tables(isa: Avx2, _: &Params) -> Self::Tables {
        SixesByCodes::tables_of(isa, const { &maps::codes::<A, B, HOW>() })
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, tables: Self::Tables, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { isa.widen_bytes_of::<SixesByCodes>(tables, src, dst) }
    }
}

impl Avx2 {
    /// # Safety
    /// As for a step of `S`, which writes bytes; `dst` is valid for writing as many words.
    #[inline(always)]
    unsafe fn widen_bytes_of<S: Step>(self, tables: S::Tables, src: *const u8, dst: *mut u8) {
        const { assert!(S::OUT == 8 && S::LEN.is_multiple_of(16)) };
        let mut narrow = Narrow([MaybeUninit::uninit(); 2 * GROUP]);
        // SAFETY: the caller's: as many elements are read as `S` reads; it writes as many bytes, of which each is
        // widened to two of the destination.
        unsafe {
            let bytes = narrow.take::<S>(self, tables, src);
            let mut i = 0;
            while i < S::LEN {
                let words: __m256i = self.i8_to_i16(self.loadx(bytes.add(i)));
                self.store(dst.add(2 * i), words);
                i += 16;
            }
        }
    }
}

/// The kernel of a pair from floats of 6 bits to integers of 16 by a mode.
pub(super) fn under_options(params: &Params) -> Option<Kernel> {
    if matches!(params.options.overflow, Overflow::Wrap | Overflow::Error) {
        return None;
    }
    let rounding = params.options.rounding;
    match (params.from, params.to) {
        (DType::Float6E2M3FnX4, DType::Int16) => by_mode::<Float6E2M3Fn, Int8>(rounding),
        // (To those without a sign, down is toward zero, as the default kernels go.)
        (DType::Float6E2M3FnX4, DType::UInt16) => by_mode::<Float6E2M3Fn, UInt8>(rounding),
        (DType::Float6E3M2FnX4, DType::Int16) => by_mode::<Float6E3M2Fn, Int8>(rounding),
        (DType::Float6E3M2FnX4, DType::UInt16) => by_mode::<Float6E3M2Fn, UInt8>(rounding),
        _ => None,
    }
}

fn by_mode<A: Real, B: Real>(rounding: Rounding) -> Option<Kernel> {
    Some(match rounding {
        Rounding::Up => stepped::<ByMap<A, B, { Mode::Up as u8 }>, { stepwise::NONE }>,
        Rounding::Down => const { down::<A, B>() }?,
        Rounding::NearestEven => {
            stepped::<ByMap<A, B, { Mode::NearestEven as u8 }>, { stepwise::NONE }>
        }
        Rounding::NearestAway => {
            stepped::<ByMap<A, B, { Mode::NearestAway as u8 }>, { stepwise::NONE }>
        }
        _ => return None,
    })
}

/// Down, to integers with a sign.
const fn down<A: Real, B: Real>() -> Option<Kernel> {
    match B::DTYPE.kind() {
        Kind::Int => Some(stepped::<ByMap<A, B, { Mode::Down as u8 }>, { stepwise::NONE }>),
        _ => None,
    }
}

/// The integers of 8 bits that stand for those of 16: the same numbers if none is past 127, as of 6-bit floats, of
/// which the largest is 28.
pub(super) const fn byte_of(words: DType) -> DType {
    match words {
        DType::Int16 => DType::Int8,
        DType::UInt16 => DType::UInt8,
        _ => panic!("no integers of 16 bits"),
    }
}
