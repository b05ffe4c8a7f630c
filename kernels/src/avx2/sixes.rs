//! From packed floats of 6 bits to packed integers of less, and to bytes of which the sign decides in a simple way: what
//! decides is in the upper bits of a byte, and what is below them need not be cleared.

use super::Avx2;
use super::code_tables::{Codes, codes};
use super::packed::{Step, stepped};
use super::pieces::GROUP;
use crate::dtypes::Kind;
use crate::table::{Kernel, Params};
use core::arch::x86_64::__m256i;
use core::marker::PhantomData;

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

/// To bytes, by a look-up of magnitudes in so many rows of 16, and what the sign does to what is found. With one row
/// the lowest bit of a magnitude is left out.
struct SixesToBytes<const ROWS: usize, S>(PhantomData<S>);

/// What the sign of a number does to what its magnitude has become.
trait Sign {
    /// Puts the highest bits of codes into what their magnitudes have become.
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i;
}

/// It negates, and zero has become zero.
struct Negates;

/// It is the highest bit.
struct OnTop;

/// Numbers below zero are zero.
struct Cuts;

impl Sign for Negates {
    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        // (If a byte is zero, so is the code in it.)
        isa.sign8(found, codes)
    }
}

impl Sign for OnTop {
    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        isa.or(found, isa.and(codes, isa.all8(i8::MIN)))
    }
}

impl Sign for Cuts {
    #[inline(always)]
    fn put(isa: Avx2, found: __m256i, codes: __m256i) -> __m256i {
        isa.andnot(isa.gt8(isa.zero(), codes), found)
    }
}

impl<const ROWS: usize, S: Sign> Step for SixesToBytes<ROWS, S> {
    const IN: usize = 6;
    const OUT: usize = 8;
    const LEN: usize = GROUP;

    /// The first row, and what distinguishes the second one from it.
    type Tables = [__m256i; 2];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> [__m256i; 2] {
        let codes = codes(params);
        let mut rows = [[0; 32]; 2];
        for i in 0..16 {
            let (first, more) = match ROWS {
                1 => (codes[2 * i], 0),
                _ => (codes[i], codes[i] ^ codes[i + 16]),
            };
            (rows[0][i], rows[0][i + 16]) = (first, first);
            (rows[1][i], rows[1][i + 16]) = (more, more);
        }
        [isa.constant(&rows[0]), isa.constant(&rows[1])]
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [first, more]: [__m256i; 2], src: *const u8, dst: *mut u8) {
        const { assert!(ROWS == 1 || ROWS == 2) };
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 96 bytes are read, and 128 written.
            unsafe {
                let codes = isa.spread_6_on_top(src.add(24 * k));
                let found = if ROWS == 1 {
                    isa.shuffle8(first, isa.and(isa.shr16::<3>(codes), isa.all8(15)))
                } else {
                    let at = isa.and(isa.shr16::<2>(codes), isa.all8(31));
                    // Negative below the second row, which gives zero.
                    let second = isa.shuffle8(more, isa.sub8(at, isa.all8(16)));
                    isa.xor(isa.shuffle8(first, at), second)
                };
                isa.store(dst.add(32 * k), S::put(isa, found, codes));
            }
            k += 1;
        }
    }
}

/// The kernel that makes bytes of 6 bits, if there is one here for what they become.
pub(super) const fn to_bytes(codes: &Codes) -> Option<Kernel> {
    let (mut pairs, mut negates, mut on_top, mut cuts) = (true, codes[0] == 0, true, true);
    let mut m = 0;
    while m < 32 {
        let (positive, negative) = (codes[m], codes[m + 32]);
        pairs &= positive == codes[m & !1];
        negates &= negative == positive.wrapping_neg();
        on_top &= negative == positive | 0x80;
        cuts &= negative == 0;
        m += 1;
    }
    Some(match (negates, on_top, cuts) {
        (true, _, _) if pairs => stepped::<SixesToBytes<1, Negates>>,
        (true, _, _) => stepped::<SixesToBytes<2, Negates>>,
        (_, true, _) if pairs => stepped::<SixesToBytes<1, OnTop>>,
        (_, true, _) => stepped::<SixesToBytes<2, OnTop>>,
        (_, _, true) if pairs => stepped::<SixesToBytes<1, Cuts>>,
        (_, _, true) => stepped::<SixesToBytes<2, Cuts>>,
        _ => return None,
    })
}
