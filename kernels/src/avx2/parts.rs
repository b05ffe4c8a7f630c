//! Complex numbers and their real parts: the [pieces](super::pieces) that part and join them.

use super::Avx2;
use crate::codec::Isa;
use crate::scalar::pieces::PIECES as PORTABLE;

/// # Safety
/// As [`Pieces::real_parts`](crate::table::Pieces::real_parts); the CPU has AVX2.
pub(super) unsafe fn real_parts(bytes: usize, src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx2::summon();
        let done = isa.vectorize(
            #[inline(always)]
            move || isa.real_parts_of(bytes, src, dst, n),
        );
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
        let isa = Avx2::summon();
        let (done, are_real) = isa.vectorize(
            #[inline(always)]
            move || isa.tested_parts(bytes, src, dst, n),
        );
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
    /// The real parts of groups of 32 elements, how many these are, and whether all imaginary parts are zero.
    ///
    /// # Safety
    /// As [`Pieces::real_parts_of_reals`](crate::table::Pieces::real_parts_of_reals).
    #[inline(always)]
    unsafe fn tested_parts(
        self,
        bytes: usize,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> (usize, bool) {
        const LEN: usize = 32;
        let asked = match bytes {
            2 => self.all32(i32::MAX & !0xffff),
            4 => self.all64(i64::MAX & !0xffff_ffff),
            _ => self.0.avx._mm256_set_epi64x(i64::MAX, 0, i64::MAX, 0),
        };
        let mut any = self.zero();
        let mut i = 0;
        while i + LEN <= n {
            // SAFETY: the caller's: so many elements are left on both sides, a multiple of what each piece casts at once.
            unsafe {
                let (src, dst) = (src.add(2 * bytes * i), dst.add(bytes * i));
                for at in (0..2 * bytes * LEN).step_by(32) {
                    any = self.or(any, self.load(src.add(at)));
                }
                self.real_parts_of(bytes, src, dst, LEN);
            }
            i += LEN;
        }
        (i, self.testz(any, asked) != 0)
    }

    /// The real parts of as many elements as fill whole vectors, and how many these are.
    ///
    /// # Safety
    /// As [`Pieces::real_parts`](crate::table::Pieces::real_parts).
    #[inline(always)]
    pub(super) unsafe fn real_parts_of(
        self,
        bytes: usize,
        src: *const u8,
        dst: *mut u8,
        n: usize,
    ) -> usize {
        // SAFETY: the caller's.
        unsafe {
            match bytes {
                2 => self.real_parts_2(src, dst, n),
                4 => self.real_parts_4(src, dst, n),
                _ => self.real_parts_8(src, dst, n),
            }
        }
    }

    /// # Safety
    /// As [`Pieces::real_parts`](crate::table::Pieces::real_parts), of parts of 2 bytes.
    #[inline(always)]
    unsafe fn real_parts_2(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let low = self.all32(0xffff);
        let mut i = 0;
        while i + 16 <= n {
            // SAFETY: 16 elements are left: 64 bytes of the source, 32 of the destination.
            unsafe {
                let a = self.and(self.load(src.add(4 * i)), low);
                let b = self.and(self.load(src.add(4 * i + 32)), low);
                self.store(dst.add(2 * i), self.in_order(self.pack_u32(a, b)));
            }
            i += 16;
        }
        i
    }

    /// # Safety
    /// As [`Pieces::real_parts`](crate::table::Pieces::real_parts), of parts of 4 bytes.
    #[inline(always)]
    unsafe fn real_parts_4(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let mut i = 0;
        // SAFETY: so many elements are left, of 8 bytes in the source and 4 in the destination.
        unsafe {
            while i + 32 <= n {
                for k in [0, 8, 16, 24] {
                    self.real_dwords(src.add(8 * (i + k)), dst.add(4 * (i + k)));
                }
                i += 32;
            }
            while i + 8 <= n {
                self.real_dwords(src.add(8 * i), dst.add(4 * i));
                i += 8;
            }
        }
        i
    }

    /// # Safety
    /// `src` is valid for reading 64 bytes and `dst` for writing 32.
    #[inline(always)]
    unsafe fn real_dwords(self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            let parts = self.even_dwords(self.load(src), self.load(src.add(32)));
            self.store(dst, self.in_order(parts));
        }
    }

    /// # Safety
    /// As [`Pieces::real_parts`](crate::table::Pieces::real_parts), of parts of 8 bytes.
    #[inline(always)]
    unsafe fn real_parts_8(self, src: *const u8, dst: *mut u8, n: usize) -> usize {
        let mut i = 0;
        while i + 8 <= n {
            // SAFETY: 8 elements are left: 128 bytes of the source, 64 of the destination.
            unsafe {
                for k in [0, 4] {
                    let from = src.add(16 * (i + k));
                    let parts = self.low64(self.load(from), self.load(from.add(32)));
                    self.store(dst.add(8 * (i + k)), self.in_order(parts));
                }
            }
            i += 8;
        }
        i
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
