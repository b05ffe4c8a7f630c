//! To single bits under options: which numbers become one is an interval of codes that the cast's plan knows. Of unsigned
//! integers a comparison tells them, of the distance from the first with their number.

use super::lanes::{first_of_64, join_masks, join_octets};
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::dtypes::Kind;
use crate::table::{Kernel, Params};
use core::arch::x86_64::*;

/// The kernel of a pair of real dtypes under options, if an interval tells all. (Packed elements are looked up by as many at
/// once as there are in half a byte, or once they are a byte each.)
pub(super) fn under_options(params: &Params) -> Option<Kernel> {
    let (from, to) = (params.from, params.to);
    if params.plan().interval.is_none() || from.is_packed() {
        return None;
    }
    Some(match (from.bits(), to.bits()) {
        (8, 1) => in_interval::<1, 1>,
        (8, 8) => in_interval::<1, 8>,
        (16, 1) => in_interval::<2, 1>,
        (16, 8) => in_interval::<2, 8>,
        (32, 1) => in_interval::<4, 1>,
        (32, 8) => in_interval::<4, 8>,
        (64, 1) => in_interval::<8, 1>,
        (64, 8) => in_interval::<8, 8>,
        _ => return None,
    })
}

/// What tells numbers in an interval, in every lane.
#[derive(Clone, Copy)]
struct Told {
    /// The bits of a byte that count.
    mask: __m512i,
    first: __m512i,
    count: __m512i,
}

/// Numbers of `SIZE` bytes to the bits that the plan's [`Interval`](crate::shape::Plan) tells, in `OUT` bits each.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`]; the plan has an interval.
unsafe fn in_interval<const SIZE: usize, const OUT: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    let isa = unsafe { Avx512::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let x = isa.0;
            let Some(interval) = params.plan().interval else {
                unreachable!("the kernel is for plans that have one");
            };
            let told = Told {
                mask: x.byte(u8::MAX >> (8 - params.from.significant_bits().min(8))),
                first: x.integers(SIZE, interval.first),
                count: x.integers(SIZE, interval.count),
            };
            let one = x.byte(if matches!(params.to.kind(), Kind::Int) { u8::MAX } else { 1 });
            let mut i = 0;
            // SAFETY: the caller's: so many elements are left on both sides, of which 64 are whole bytes.
            unsafe {
                while n - i >= 64 {
                    let ones = x.told::<SIZE>(told, src.add(SIZE * i), 64);
                    if OUT == 1 {
                        dst.add(i / 8).cast::<u64>().write_unaligned(ones);
                    } else {
                        x.store_dwords(dst.add(i), x.bw._mm512_maskz_mov_epi8(ones, one));
                    }
                    i += 64;
                }
                if i < n {
                    let left = n - i;
                    let ones = x.told::<SIZE>(told, src.add(SIZE * i), left) & first_of_64(left);
                    if OUT == 1 {
                        x.store_first(dst.add(i / 8), x.qword(ones), left.div_ceil(8));
                    } else {
                        let v = x.bw._mm512_maskz_mov_epi8(ones, one);
                        x.store_first(dst.add(i), v, left);
                    }
                }
            }
        },
    );
    n
}

impl Features {
    /// The low bits of a number in lanes of so many bytes.
    #[inline(always)]
    fn integers(self, size: usize, number: u64) -> __m512i {
        match size {
            1 => self.byte(number as u8),
            2 => self.word(number as u16),
            4 => self.dword(number as u32),
            _ => self.qword(number),
        }
    }

    /// Which of up to 64 numbers of `SIZE` bytes are in an interval; of those past `n` it is anything.
    ///
    /// # Safety
    /// `src` is valid for reading `n` numbers.
    #[inline(always)]
    unsafe fn told<const SIZE: usize>(self, by: Told, src: *const u8, n: usize) -> u64 {
        // SAFETY: the caller's.
        unsafe {
            match SIZE {
                1 => self.inside::<1>(by, src, n, 0),
                2 => self.inside::<2>(by, src, n, 0) | self.inside::<2>(by, src, n, 1) << 32,
                4 => join_masks([
                    self.inside::<4>(by, src, n, 0) as __mmask16,
                    self.inside::<4>(by, src, n, 1) as __mmask16,
                    self.inside::<4>(by, src, n, 2) as __mmask16,
                    self.inside::<4>(by, src, n, 3) as __mmask16,
                ]),
                _ => join_octets([
                    self.inside::<8>(by, src, n, 0) as __mmask8,
                    self.inside::<8>(by, src, n, 1) as __mmask8,
                    self.inside::<8>(by, src, n, 2) as __mmask8,
                    self.inside::<8>(by, src, n, 3) as __mmask8,
                    self.inside::<8>(by, src, n, 4) as __mmask8,
                    self.inside::<8>(by, src, n, 5) as __mmask8,
                    self.inside::<8>(by, src, n, 6) as __mmask8,
                    self.inside::<8>(by, src, n, 7) as __mmask8,
                ]),
            }
        }
    }

    /// The same of the `k`-th register of them.
    ///
    /// # Safety
    /// As for [`told`](Self::told).
    #[inline(always)]
    unsafe fn inside<const SIZE: usize>(self, by: Told, src: *const u8, n: usize, k: usize) -> u64 {
        let (f, bw) = (self.f, self.bw);
        // SAFETY: the caller's.
        let v = unsafe { self.load_of_64(src, SIZE, n, k) };
        match SIZE {
            1 => {
                let past = bw._mm512_sub_epi8(f._mm512_and_si512(v, by.mask), by.first);
                bw._mm512_cmplt_epu8_mask(past, by.count)
            }
            2 => bw._mm512_cmplt_epu16_mask(bw._mm512_sub_epi16(v, by.first), by.count).into(),
            4 => f._mm512_cmplt_epu32_mask(f._mm512_sub_epi32(v, by.first), by.count).into(),
            _ => f._mm512_cmplt_epu64_mask(f._mm512_sub_epi64(v, by.first), by.count).into(),
        }
    }
}
