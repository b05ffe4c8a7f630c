//! Complex numbers and their real parts: the [pieces](super::pieces) that part and join them.

use super::Avx2;
use crate::codec::Isa;
use crate::scalar::pieces::PIECES as PORTABLE;
use core::arch::x86_64::__m256i;

/// # Safety
/// As [`Pieces::real_parts`](crate::table::Pieces::real_parts); the CPU has AVX2.
pub(super) unsafe fn real_parts(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        let (done, _) = Avx2::summon().real_parts::<false>(bytes, src, dst, n);
        (PORTABLE.real_parts)(bytes, src.add(2 * bytes * done), dst.add(bytes * done), n - done);
    }
}

/// # Safety
/// As [`Pieces::real_parts_of_reals`](crate::table::Pieces::real_parts_of_reals); the CPU has AVX2.
pub(super) unsafe fn real_parts_of_reals(
    bytes: usize,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        let (done, are_real) = Avx2::summon().real_parts::<true>(bytes, src, dst, n);
        let (src, dst) = (src.add(2 * bytes * done), dst.add(bytes * done));
        (PORTABLE.real_parts_of_reals)(bytes, src, dst, n - done) && are_real
    }
}

/// # Safety
/// As [`Pieces::with_zero_imaginary`](crate::table::Pieces::with_zero_imaginary); the CPU has AVX2.
pub(super) unsafe fn with_zero_imaginary(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx2::summon();
        let done = isa.vectorize(
            #[inline(always)]
            move || isa.with_zero_imaginary_of(bytes, src, dst, n),
        );
        let (src, dst) = (src.add(bytes * done), dst.add(2 * bytes * done));
        (PORTABLE.with_zero_imaginary)(bytes, src, dst, n - done);
    }
}

impl Avx2 {
    /// [`real_parts_of`](Self::real_parts_of) parts of so many bytes.
    ///
    /// # Safety
    /// As [`Pieces::real_parts`](crate::table::Pieces::real_parts).
    unsafe fn real_parts<const ASKED: bool>(
        self,
        bytes: usize,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> (usize, bool) {
        self.vectorize(
            #[inline(always)]
            move || {
                // SAFETY: the caller's.
                unsafe {
                    match bytes {
                        2 => self.real_parts_of::<2, ASKED>(src, dst, n),
                        4 => self.real_parts_of::<4, ASKED>(src, dst, n),
                        _ => self.real_parts_of::<8, ASKED>(src, dst, n),
                    }
                }
            },
        )
    }

    /// The real parts, of `BYTES` bytes, of as many elements as fill whole vectors; how many these are; and, if it is asked,
    /// whether all their imaginary parts are zero, of either sign.
    ///
    /// # Safety
    /// As [`Pieces::real_parts`](crate::table::Pieces::real_parts).
    #[inline(always)]
    pub(super) unsafe fn real_parts_of<const BYTES: usize, const ASKED: bool>(
        self,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> (usize, bool) {
        let len = 32 / BYTES;
        let mut any = self.zero();
        let mut i = 0;
        // SAFETY: the caller's: a vector of parts, or four, is left on the side of the results, and twice that on the other.
        unsafe {
            let at = |i: usize| (src.add(2 * BYTES * i), dst.add(BYTES * i));
            while i + 4 * len <= n {
                for k in [0, 1, 2, 3] {
                    any = self.or(any, self.real_vector::<BYTES>(at(i + k * len)));
                }
                i += 4 * len;
            }
            while i + len <= n {
                any = self.or(any, self.real_vector::<BYTES>(at(i)));
                i += len;
            }
        }
        (i, ASKED && self.testz(any, self.asked_of_parts::<BYTES>()) != 0)
    }

    /// Writes a vector of real parts, of `BYTES` bytes, and answers which bits any of their elements has.
    ///
    /// # Safety
    /// The source is valid for reading 64 bytes, the destination for writing 32.
    #[inline(always)]
    unsafe fn real_vector<const BYTES: usize>(self, (src, dst): (*const u8, *mut u8)) -> __m256i {
        // SAFETY: the caller's.
        unsafe {
            let pair = [self.load(src), self.load(src.add(32))];
            self.store(dst, self.reals::<BYTES>(pair));
            self.or(pair[0], pair[1])
        }
    }

    /// The bits of imaginary parts, of `BYTES` bytes, but for their signs.
    #[inline(always)]
    fn asked_of_parts<const BYTES: usize>(self) -> __m256i {
        match BYTES {
            2 => self.all32(i32::MAX & !0xffff),
            4 => self.all64(i64::MAX & !0xffff_ffff),
            _ => self.0.avx._mm256_set_epi64x(i64::MAX, 0, i64::MAX, 0),
        }
    }

    /// The real parts, of `BYTES` bytes, of two vectors of elements.
    #[inline(always)]
    fn reals<const BYTES: usize>(self, [a, b]: [__m256i; 2]) -> __m256i {
        let low = self.all32(0xffff);
        self.in_order(match BYTES {
            2 => self.pack_u32(self.and(a, low), self.and(b, low)),
            4 => self.even_dwords(a, b),
            _ => self.low64(a, b),
        })
    }

    /// Writes real parts and zeros for as many elements as fill whole vectors, and tells how many these are.
    ///
    /// # Safety
    /// As [`Pieces::with_zero_imaginary`](crate::table::Pieces::with_zero_imaginary).
    #[inline(always)]
    pub(super) unsafe fn with_zero_imaginary_of(
        self,
        bytes: usize,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> usize {
        // SAFETY: the caller's.
        unsafe {
            match bytes {
                2 => self.with_zero_imaginary_2(src, dst, n),
                4 => self.with_zero_imaginary_4(src, dst, n),
                _ => self.with_zero_imaginary_8(src, dst, n),
            }
        }
    }

    /// # Safety
    /// As [`Pieces::with_zero_imaginary`](crate::table::Pieces::with_zero_imaginary), of parts of 2 bytes.
    #[inline(always)]
    unsafe fn with_zero_imaginary_2(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 16 bytes of the source, 32 of the destination.
            unsafe {
                self.store(dst.add(4 * i), self.u16_to_i32(self.loadx(src.add(2 * i))));
            }
            i += 8;
        }
        i
    }

    /// # Safety
    /// As [`Pieces::with_zero_imaginary`](crate::table::Pieces::with_zero_imaginary), of parts of 4 bytes.
    #[inline(always)]
    unsafe fn with_zero_imaginary_4(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let mut i = 0;
        // SAFETY: so many elements are left, of 4 bytes in the source and 8 in the destination.
        unsafe {
            while i + 32 <= n {
                for k in [0, 4, 8, 12, 16, 20, 24, 28] {
                    self.with_zero_dwords(src.add(4 * (i + k)), dst.add(8 * (i + k)));
                }
                i += 32;
            }
            while i + 8 <= n {
                for k in [0, 4] {
                    self.with_zero_dwords(src.add(4 * (i + k)), dst.add(8 * (i + k)));
                }
                i += 8;
            }
        }
        i
    }

    /// # Safety
    /// `src` is valid for reading 16 bytes and `dst` for writing 32.
    #[inline(always)]
    unsafe fn with_zero_dwords(self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { self.store(dst, self.u32_to_i64(self.loadx(src))) }
    }

    /// # Safety
    /// As [`Pieces::with_zero_imaginary`](crate::table::Pieces::with_zero_imaginary), of parts of 8 bytes.
    #[inline(always)]
    unsafe fn with_zero_imaginary_8(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 64 bytes of the source, 128 of the destination.
            unsafe {
                for k in [0, 4] {
                    // Parts 0, 2 in the low half and 1, 3 in the high one.
                    let parts = self.in_order(self.load(src.add(8 * (i + k))));
                    let to = dst.add(16 * (i + k));
                    self.store(to, self.low64(parts, self.zero()));
                    self.store(to.add(32), self.high64(parts, self.zero()));
                }
            }
            i += 8;
        }
        i
    }
}
