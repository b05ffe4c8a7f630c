//! Integers of 16 bits and more to those of a byte or less, and of 32 bits to 16, as long as all fit: see
//! [`stepwise`](crate::stepwise).
//!
//! Packing clamps, and what it has clamped is unfit: it is the lowest number that a word or a byte has, or the largest,
//! neither of which fits, if the destination has fewer bits. So it is the packed numbers that are asked, of which there are
//! a half or a quarter as many registers as of the source's; and where that fits, packing needs no bits cleared before.
//!
//! All fit if, once the least that does is a zero, no bit above the range's is set. (Of signed integers the range is as long
//! on both sides; if one dtype has no sign, it starts at zero, and what is or seems to be negative has its highest bits set.)
//! Where results have as many bits as what clamps, and of 64-bit integers, of which nothing packs the upper halves, the numbers
//! are asked themselves.

use super::Avx2;
use super::steps::floats::limits;
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real};
use crate::table::Params;
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

/// Whether these loops are for a pair.
pub(super) const fn suits(from: DType, to: DType) -> bool {
    matches!(from.kind(), Kind::Int | Kind::UInt)
        && matches!(to.kind(), Kind::Int | Kind::UInt)
        && matches!((from.bits(), to.bits()), (16 | 32 | 64, 8) | (32, 16))
}

/// Casts elements as long as all fit, as [`stepwise`](crate::stepwise) has it.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(super) unsafe fn while_fitting<A: Real, B: Real>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    if params.plan().screen().is_none() {
        return 0;
    }
    // SAFETY: the caller's, who knows that the CPU has the instruction set of this table.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let group = const { if A::DTYPE.bits() == 64 { 2 } else { 4 } };
            let mut i = 0;
            while n - i >= STEP {
                let steps = if n - i >= group * STEP { group } else { 1 };
                let mut any = isa.zero();
                let mut k = 0;
                while k < steps {
                    let at = i + k * STEP;
                    // SAFETY: the caller's: so many steps are left on both sides.
                    let told = unsafe {
                        let dst = dst.add(at * size_of::<B::Stored>());
                        step::<A, B>(isa, src.add(at * size_of::<A::Stored>()), dst)
                    };
                    any = isa.or(any, told);
                    k += 1;
                }
                if isa.testz(any, isa.all(Asked::of::<A, B>().width(), Fit::<A, B>::ABOVE)) == 0 {
                    break;
                }
                i += steps * STEP;
            }
            i
        },
    )
}

/// The elements of a step.
const STEP: usize = 32;

/// What is asked whether it fits.
#[derive(Clone, Copy)]
enum Asked {
    /// The results, which have fewer bits than bytes.
    Bytes,
    /// The words that they are packed from.
    Words,
    /// The source's numbers, of 32 bits.
    Dwords,
    /// The same of 64 bits.
    Longs,
}

impl Asked {
    const fn of<A: Real, B: Real>() -> Self {
        match A::DTYPE.bits() {
            64 => Self::Longs,
            32 if B::DTYPE.bits() == 16 => Self::Dwords,
            _ if B::DTYPE.significant_bits() < 8 => Self::Bytes,
            _ => Self::Words,
        }
    }

    /// The bits of such a number.
    const fn width(self) -> usize {
        match self {
            Self::Bytes => 8,
            Self::Words => 16,
            Self::Dwords => 32,
            Self::Longs => 64,
        }
    }
}

/// Which integers fit.
struct Fit<A, B>(PhantomData<(A, B)>);

impl<A: Real, B: Real> Fit<A, B> {
    const IS_SIGNED: bool = matches!((A::DTYPE.kind(), B::DTYPE.kind()), (Kind::Int, Kind::Int));

    /// What makes the least of them zero.
    const ADDEND: i64 = if Self::IS_SIGNED { -(limits(B::DTYPE).0 as i64) } else { 0 };

    /// The bits above theirs then.
    const ABOVE: i64 = {
        // (The source has more bits.)
        let largest = limits(B::DTYPE).1 as i64 + Self::ADDEND;
        assert!(largest >= 0 && (largest + 1) & largest == 0);
        !largest
    };
}

/// Casts a step, and answers numbers of which none has a bit [above](Fit::ABOVE) those that fit if all fit.
///
/// # Safety
/// `src` is valid for reading so many elements of `A` and `dst` for writing as many of `B`; they don't overlap.
#[inline(always)]
unsafe fn step<A: Real, B: Real>(isa: Avx2, src: *const u8, dst: *mut u8) -> __m256i {
    let asked = const { Asked::of::<A, B>() };
    let addend = isa.all(asked.width(), Fit::<A, B>::ADDEND);
    // SAFETY: the caller's.
    unsafe {
        match asked {
            Asked::Dwords => return words_of_dwords::<B>(isa, addend, src, dst),
            Asked::Longs => {
                let (words, told) = Told { isa, addend }.words_of_longs(src);
                let bytes = isa.in_order(bytes_of::<B>(isa, words));
                isa.store(dst, isa.low_high_pairs(bytes));
                return told;
            }
            _ => (),
        }
        let (words, is_packed) = match A::DTYPE.bits() {
            16 => ([isa.load(src), isa.load(src.add(32))], false),
            _ => {
                let [a, b, c, d] = isa.load_four(src);
                ([isa.packs32(a, b), isa.packs32(c, d)], true)
            }
        };
        let bytes = bytes_of::<B>(isa, words);
        let in_order = if is_packed { isa.packed_in_order(bytes) } else { isa.in_order(bytes) };
        isa.store(dst, in_order);
        match asked {
            Asked::Bytes => isa.add8(bytes, addend),
            _ => isa.or(isa.add16(words[0], addend), isa.add16(words[1], addend)),
        }
    }
}

/// Words packed to bytes.
#[inline(always)]
fn bytes_of<B: Real>(isa: Avx2, [a, b]: [__m256i; 2]) -> __m256i {
    match B::DTYPE {
        DType::UInt8 => isa.pack_u16(a, b),
        _ => isa.packs16(a, b),
    }
}

/// The step from 32 bits to 16.
///
/// # Safety
/// As for [`step`].
#[inline(always)]
unsafe fn words_of_dwords<B: Real>(
    isa: Avx2,
    addend: __m256i,
    src: *const u8,
    dst: *mut u8,
) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        let [a, b, c, d] = isa.load_four(src);
        let (ab, cd) = match B::DTYPE {
            DType::UInt16 => (isa.pack_u32(a, b), isa.pack_u32(c, d)),
            _ => (isa.packs32(a, b), isa.packs32(c, d)),
        };
        isa.store(dst, isa.in_order(ab));
        isa.store(dst.add(32), isa.in_order(cd));
        let (a, b) = (isa.add32(a, addend), isa.add32(b, addend));
        let (c, d) = (isa.add32(c, addend), isa.add32(d, addend));
        isa.or(isa.or(a, b), isa.or(c, d))
    }
}

/// What asks 64-bit integers.
#[derive(Clone, Copy)]
struct Told {
    isa: Avx2,
    addend: __m256i,
}

impl Told {
    /// The lower halves of 32 of them packed as words, where they fit, and what tells that.
    ///
    /// # Safety
    /// `src` is valid for reading 256 bytes.
    #[inline(always)]
    unsafe fn words_of_longs(self, src: *const u8) -> ([__m256i; 2], __m256i) {
        let isa = self.isa;
        // SAFETY: the caller's.
        let [(a, m), (b, n), (c, o), (d, p)] = unsafe {
            [
                self.lower_halves(src),
                self.lower_halves(src.add(64)),
                self.lower_halves(src.add(128)),
                self.lower_halves(src.add(192)),
            ]
        };
        let any = isa.or(isa.or(m, n), isa.or(o, p));
        ([isa.packs32(a, b), isa.packs32(c, d)], any)
    }

    /// The same of eight, not packed.
    ///
    /// # Safety
    /// `src` is valid for reading 64 bytes.
    #[inline(always)]
    unsafe fn lower_halves(self, src: *const u8) -> (__m256i, __m256i) {
        let isa = self.isa;
        // SAFETY: the caller's.
        let (a, b) = unsafe { (isa.load(src), isa.load(src.add(32))) };
        let any = isa.or(isa.add64(a, self.addend), isa.add64(b, self.addend));
        (isa.even_dwords(a, b), any)
    }
}
