//! From packed floats of 6 bits to packed integers of less: what decides is in the upper bits of a byte,
//! and what is below them need not be cleared.

use super::Avx2;
use super::packed::{Step, codes};
use super::pieces::GROUP;
use crate::dtypes::Kind;
use crate::table::Params;
use core::arch::x86_64::__m256i;

/// To single bits, by one comparison: a bit is set where the magnitude is large enough, of the sign that
/// counts.
pub(super) struct SixesToBits;

/// What [`SixesToBits`] needs.
#[derive(Clone, Copy)]
pub(super) struct Threshold {
    /// The bits that count.
    mask: __m256i,
    /// The sign that counts, as the bit of it.
    sign: __m256i,
    /// The last byte that gives no bit.
    last: __m256i,
}

impl Step for SixesToBits {
    const IN: usize = 6;
    const OUT: usize = 1;
    const LEN: usize = GROUP;
    type Tables = Threshold;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> Threshold {
        if matches!(params.to.kind(), Kind::Bool) {
            return Threshold { mask: isa.all8(0x7c), sign: isa.zero(), last: isa.zero() };
        }
        let codes = codes(params);
        let negative = codes[31] & 1 == 0;
        let magnitudes = if negative { &codes[32..] } else { &codes[..32] };
        let unset = magnitudes.iter().filter(|&&code| code & 1 == 0).count();
        Threshold {
            mask: isa.all8(-1),
            sign: isa.all8(if negative { i8::MIN } else { 0 }),
            last: isa.all8(((4 * unset) as i8).wrapping_sub(1)),
        }
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, by: Threshold, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 96 bytes are read and 16 written.
        unsafe {
            let mut k = 0;
            while k < 4 {
                let bytes = isa.and(isa.spread_6_on_top(src.add(24 * k)), by.mask);
                // With the other sign a byte is negative.
                let set = isa.gt8(isa.xor(bytes, by.sign), by.last);
                dst.add(4 * k).cast::<i32>().write_unaligned(isa.signs8(set));
                k += 1;
            }
        }
    }
}

/// To `OUT` bits, which the lowest bit of a magnitude does not change: by its other four, and the sign.
pub(super) struct SixesByPairs<const OUT: usize>;

impl<const OUT: usize> Step for SixesByPairs<OUT> {
    const IN: usize = 6;
    const OUT: usize = OUT;
    const LEN: usize = GROUP;

    /// What positive and what negative numbers become.
    type Tables = [__m256i; 2];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 2] {
        let codes = codes(params);
        let mut signs = [[0; 32]; 2];
        for (i, code) in codes.iter().step_by(2).enumerate() {
            let code = code & ((1 << OUT) - 1);
            (signs[i / 16][i % 16], signs[i / 16][i % 16 + 16]) = (code, code);
        }
        [isa.constant(&signs[0]), isa.constant(&signs[1])]
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [positive, negative]: [__m256i; 2], src: *const u8, dst: *mut u8) {
        let mut found = [isa.zero(); 4];
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 96 bytes are read.
            let bytes = unsafe { isa.spread_6_on_top(src.add(24 * k)) };
            let at = isa.and(isa.shr16::<3>(bytes), isa.all8(15));
            let (above, below) = (isa.shuffle8(positive, at), isa.shuffle8(negative, at));
            found[k] = isa.blend8(above, below, bytes);
            k += 1;
        }
        // SAFETY: the caller's: a group.
        unsafe { isa.squeeze::<OUT>(found, dst) }
    }
}
