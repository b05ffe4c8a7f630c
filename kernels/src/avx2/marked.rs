//! Look-ups of half bytes, or of codes of 4 bits in a byte each, with marks of those that a checked cast refuses: in bits that
//! results don't take, so that they cost hardly more than the look-ups.
//!
//! What becomes of steps with a mark may be anything: they are cast again in another way.

use super::Avx2;
use super::half_bytes::ByHalves;
use super::packed::{ByCodes, CodeTables, Step};
use crate::codec::Isa;
use crate::table::Params;
use core::arch::x86_64::__m256i;

/// Steps that leave room for marks.
pub(super) trait Marked: Step {
    /// The bits of a code in a half byte that is looked up.
    const CODE: usize;

    /// Tables whose entries have a mark, those for the lower half of a byte, or for all of it, as bit 7. Those for the higher
    /// half have the same, or, if results fill it, bit 0.
    fn with_marks(isa: Avx2, tables: Self::Tables, marks: __m256i) -> Self::Tables;

    /// [`Step::step`], and what was looked up, in which marks are bit 7 of the first and bit 0 of the second.
    ///
    /// # Safety
    /// As for [`Step::step`].
    unsafe fn looked_up(
        isa: Avx2,
        tables: Self::Tables,
        src: *const u8,
        dst: *mut u8,
    ) -> [__m256i; 2];
}

/// Casts steps as long as nothing is refused, as [`stepwise`](crate::stepwise) has it.
///
/// # Safety
/// As there; the CPU has AVX2.
pub(super) unsafe fn while_fitting<S: Marked>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    /// Steps between which nothing is asked.
    const STEPS: usize = 8;
    let Some(fit) = params.plan().refused().filter(|_| n >= S::LEN) else { return 0 };
    // SAFETY: the caller's.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let marks = isa.twice(bytemuck::cast(fit.unfit_halves(S::CODE)));
            let tables = S::with_marks(isa, S::tables(isa, params), isa.shl16::<7>(marks));
            let mut i = 0;
            while n - i >= S::LEN {
                let (mut any, steps) = ([isa.zero(); 2], STEPS.min((n - i) / S::LEN));
                for k in 0..steps {
                    let at = i + k * S::LEN;
                    // SAFETY: the caller's: so many steps are left on both sides.
                    let found = unsafe {
                        S::looked_up(isa, tables, src.add(at / 8 * S::IN), dst.add(at / 8 * S::OUT))
                    };
                    any = [isa.or(any[0], found[0]), isa.or(any[1], found[1])];
                }
                // Bit 0 becomes bit 7, and what else there is of the second comes to other bytes' lower bits, or is lost.
                let any = isa.or(any[0], isa.shl16::<7>(any[1]));
                if isa.signs8(any) != 0 {
                    break;
                }
                i += steps * S::LEN;
            }
            i
        },
    )
}

impl<const IN: usize, const OUT: usize> Marked for ByHalves<IN, OUT> {
    const CODE: usize = IN;

    #[inline(always)]
    fn with_marks(isa: Avx2, [low, high]: Self::Tables, marks: __m256i) -> Self::Tables {
        let of_high = match Self::BITS {
            4 => isa.and(isa.shr16::<7>(marks), isa.all8(1)),
            _ => marks,
        };
        [[isa.or(low[0], marks), low[1]], [isa.or(high[0], of_high), high[1]]]
    }

    #[inline(always)]
    unsafe fn looked_up(
        isa: Avx2,
        tables: Self::Tables,
        src: *const u8,
        dst: *mut u8,
    ) -> [__m256i; 2] {
        const { assert!(Self::BITS <= 4) };
        // SAFETY: the caller's.
        unsafe { Self::to_no_longer(isa, tables, src, dst) }
    }
}

impl<const OUT: usize> Marked for ByCodes<8, 4, OUT> {
    const CODE: usize = 4;

    #[inline(always)]
    fn with_marks(isa: Avx2, tables: CodeTables, marks: __m256i) -> CodeTables {
        tables.with_marks(isa, marks)
    }

    #[inline(always)]
    unsafe fn looked_up(
        isa: Avx2,
        tables: CodeTables,
        src: *const u8,
        dst: *mut u8,
    ) -> [__m256i; 2] {
        const { assert!(OUT < 8) };
        // SAFETY: the caller's.
        [unsafe { Self::to_codes(isa, tables, src, dst) }, isa.zero()]
    }
}
