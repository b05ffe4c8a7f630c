//! From packed elements, to them, or both, by a table that is told when the loop is called: what other options than
//! the default ones make of each code. A loop knows but how many bits an element has on both sides.

use super::Avx2;
use super::bits::BitsToCodes;
use super::code_tables::Codes;
use super::half_bytes::ByHalves;
use super::look_ups::look_up_packed;
use super::packed::{ByCodes, Step, all_steps};
use super::sixes;
use crate::dtypes::{DType, Kind};
use crate::table::ByCodes as ByCodesKernel;

/// A step that only needs the codes.
pub(super) trait StepByCodes: Step {
    fn tables_of(isa: Avx2, codes: &Codes) -> Self::Tables;
}

/// A cast to what codes tell, by such steps.
///
/// # Safety
/// As for every [`ByCodesKernel`].
unsafe fn stepped_by<S: StepByCodes>(map: &[u8; 256], src: *const u8, dst: *mut u8, n: usize) {
    let codes = map.first_chunk().expect("there are more");
    // SAFETY: the caller's.
    unsafe { with_codes::<S>(codes, src, dst, n) }
}

/// The same, of what so many codes become.
///
/// # Safety
/// As there.
pub(super) unsafe fn with_codes<S: StepByCodes>(
    codes: &Codes,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        all_steps::<S>(
            src,
            dst,
            n,
            #[inline(always)]
            |isa| S::tables_of(isa, codes),
        );
    }
}

/// Any map of codes, of which one side is packed.
pub(super) fn by_codes(from: DType, to: DType) -> Option<ByCodesKernel> {
    let are_whole = !matches!(from.kind(), Kind::Float) && !matches!(to.kind(), Kind::Float);
    if from.bits() > 8 || to.bits() > 8 || (from.significant_bits() == 8 && are_whole) {
        // (Whole numbers are clamped in less time.)
        return None;
    } else if from.significant_bits() == 8 && to.bits() == 6 {
        // (All but powers of two have a kernel of their own. Of these almost all become zero or the largest number: the map
        // to bytes, packed then, takes less time.)
        return None;
    }
    Some(match (from.significant_bits(), to.bits()) {
        (8, 1) => look_up_packed::<1>,
        (8, 2) => look_up_packed::<2>,
        (8, 4) => look_up_packed::<4>,
        _ => few_by_codes(from, to),
    })
}

/// The same for codes of at most 6 bits.
fn few_by_codes(from: DType, to: DType) -> ByCodesKernel {
    match (from.bits(), to.bits()) {
        (1, 1) => stepped_by::<ByHalves<1, 1>>,
        (1, 2) => stepped_by::<ByHalves<1, 2>>,
        (1, 4) => stepped_by::<ByHalves<1, 4>>,
        (1, 8) => stepped_by::<BitsToCodes>,
        (2, 1) => stepped_by::<ByHalves<2, 1>>,
        (2, 2) => stepped_by::<ByHalves<2, 2>>,
        (2, 4) => stepped_by::<ByHalves<2, 4>>,
        (2, 8) => stepped_by::<ByHalves<2, 8>>,
        (4, 1) => stepped_by::<ByHalves<4, 1>>,
        (4, 2) => stepped_by::<ByHalves<4, 2>>,
        (4, 4) => stepped_by::<ByHalves<4, 4>>,
        (4, 8) => stepped_by::<ByHalves<4, 8>>,
        (1, _) => stepped_by::<ByCodes<1, 1, 6>>,
        (2, _) => stepped_by::<ByCodes<2, 2, 6>>,
        (4, _) => stepped_by::<ByCodes<4, 4, 6>>,
        (6, 1) => sixes::by_codes::<6, 1>,
        (6, 2) => sixes::by_codes::<6, 2>,
        (6, 4) => sixes::by_codes::<6, 4>,
        (6, 6) => sixes::by_codes::<6, 6>,
        (6, _) => sixes::by_codes::<6, 8>,
        (_, 1) => bytes_by_codes::<1>(from),
        (_, 2) => bytes_by_codes::<2>(from),
        (_, 4) => bytes_by_codes::<4>(from),
        _ => bytes_by_codes::<6>(from),
    }
}

/// The same from a dtype of one byte.
fn bytes_by_codes<const OUT: usize>(from: DType) -> ByCodesKernel {
    match from.significant_bits() {
        1 => stepped_by::<ByCodes<8, 1, OUT>>,
        2 => stepped_by::<ByCodes<8, 2, OUT>>,
        4 => stepped_by::<ByCodes<8, 4, OUT>>,
        _ => sixes::by_codes::<8, OUT>,
    }
}
