//! Memory and lanes: whole and masked loads and stores, and the ways from lanes of 32 and 64 bits to
//! narrower ones.
//!
//! A quarter is 16 elements: a `__m128i` of bytes, a `__m256i` of words, a `__m512i` of dwords or two
//! of qwords. Masked-out elements are neither read nor written, which AVX-512 promises even where
//! they lie in memory that cannot be accessed.

use super::Features;
use super::bridge::QUIETLY;
use crate::codec::hidden;
use core::arch::x86_64::*;

/// Both results of a function. (Of `array::map` the compiler doesn't promise that it is inlined.)
#[inline(always)]
pub(super) fn both<A, B>([a, b]: [A; 2], f: impl Fn(A) -> B) -> [B; 2] {
    [f(a), f(b)]
}

/// All four results of a function.
#[inline(always)]
pub(super) fn each<A, B>([a, b, c, d]: [A; 4], f: impl Fn(A) -> B) -> [B; 4] {
    [f(a), f(b), f(c), f(d)]
}

/// A mask of the first `n` of 16.
#[inline(always)]
pub(super) fn first(n: usize) -> __mmask16 {
    ((1u32 << n) - 1) as __mmask16
}

const LOW_WORDS: [u16; 32] = every_other_word(0);

const HIGH_WORDS: [u16; 32] = every_other_word(1);

const fn every_other_word(first: u16) -> [u16; 32] {
    let mut indices = [0; 32];
    let mut i = 0;
    while i < 32 {
        indices[i] = 2 * i as u16 + first;
        i += 1;
    }
    indices
}

const fn every_other_dword(first: u32) -> [u32; 16] {
    let mut indices = [0; 16];
    let mut i = 0;
    while i < 16 {
        indices[i] = 2 * i as u32 + first;
        i += 1;
    }
    indices
}

/// A mask of the first `n` of 64.
#[inline(always)]
pub(super) fn first_of_64(n: usize) -> __mmask64 {
    if n < 64 { (1 << n) - 1 } else { !0 }
}

/// The masks of four quarters as that of a step.
#[inline(always)]
pub(super) fn join_masks([a, b, c, d]: [__mmask16; 4]) -> __mmask64 {
    let low = u32::from(a) | u32::from(b) << 16;
    let high = u32::from(c) | u32::from(d) << 16;
    u64::from(low) | u64::from(high) << 32
}

/// The masks of two registers of qwords as that of 16. (If the compiler saw all eight that make 64, it would put them
/// together in a vector, by twice as many instructions as all else takes.)
#[inline(always)]
pub(super) fn join_two(low: __mmask8, high: __mmask8) -> __mmask16 {
    hidden(usize::from(low) | usize::from(high) << 8) as __mmask16
}

/// Those of eight as that of 64.
#[inline(always)]
pub(super) fn join_octets([a, b, c, d, e, f, g, h]: [__mmask8; 8]) -> __mmask64 {
    join_masks([join_two(a, b), join_two(c, d), join_two(e, f), join_two(g, h)])
}

impl Features {
    /// The first `n` bytes of a register, with zeros for the others.
    ///
    /// # Safety
    /// `src` is valid for reading `n` bytes; `n <= 64`.
    #[inline(always)]
    pub(super) unsafe fn load_first(self, src: *const u8, n: usize) -> __m512i {
        // SAFETY: the caller's.
        unsafe { self.bw._mm512_maskz_loadu_epi8(first_of_64(n), src.cast()) }
    }

    /// The same of two registers.
    ///
    /// # Safety
    /// `src` is valid for reading `n` bytes; `n <= 128`.
    #[inline(always)]
    pub(super) unsafe fn load_first_pair(self, src: *const u8, n: usize) -> [__m512i; 2] {
        // SAFETY: the caller's.
        unsafe {
            if n <= 64 {
                [self.load_first(src, n), self.f._mm512_setzero_si512()]
            } else {
                [self.load_dwords(src), self.load_first(src.add(64), n - 64)]
            }
        }
    }

    /// Stores the first `n` bytes of a register.
    ///
    /// # Safety
    /// `dst` is valid for writing `n` bytes; `n <= 64`.
    #[inline(always)]
    pub(super) unsafe fn store_first(self, dst: *mut u8, v: __m512i, n: usize) {
        // SAFETY: the caller's.
        unsafe { self.bw._mm512_mask_storeu_epi8(dst.cast(), first_of_64(n), v) }
    }
}

/// Of up to 64 elements.
impl Features {
    /// The `k`-th register of `n` elements of so many bytes, with zeros for what is past the last.
    ///
    /// # Safety
    /// `src` is valid for reading them; `n <= 64`.
    #[inline(always)]
    pub(super) unsafe fn load_of_64(
        self,
        src: *const u8,
        size: usize,
        n: usize,
        k: usize,
    ) -> __m512i {
        let left = (size * n).saturating_sub(64 * k);
        // SAFETY: the caller's; where the register begins past the last element, nothing is read.
        unsafe {
            match n {
                64 => self.load_dwords(src.add(64 * k)),
                _ => self.load_first(src.wrapping_add(64 * k), left),
            }
        }
    }
}

/// Whole loads and stores.
///
/// # Safety
/// The pointers are valid for the bytes of the register, at any alignment.
impl Features {
    #[inline(always)]
    pub(super) unsafe fn load_bytes(self, src: *const u8) -> __m128i {
        // SAFETY: the caller's.
        unsafe { self.sse2._mm_loadu_si128(src.cast()) }
    }

    #[inline(always)]
    pub(super) unsafe fn load_words(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.avx._mm256_loadu_si256(src.cast()) }
    }

    #[inline(always)]
    pub(super) unsafe fn load_dwords(self, src: *const u8) -> __m512i {
        // SAFETY: the caller's.
        unsafe { self.f._mm512_loadu_si512(src.cast()) }
    }

    #[inline(always)]
    pub(super) unsafe fn load_qwords(self, src: *const u8) -> [__m512i; 2] {
        // SAFETY: the caller's.
        unsafe { [self.load_dwords(src), self.load_dwords(src.add(64))] }
    }

    #[inline(always)]
    pub(super) unsafe fn store_bytes(self, dst: *mut u8, v: __m128i) {
        // SAFETY: the caller's.
        unsafe { self.sse2._mm_storeu_si128(dst.cast(), v) }
    }

    #[inline(always)]
    pub(super) unsafe fn store_words(self, dst: *mut u8, v: __m256i) {
        // SAFETY: the caller's.
        unsafe { self.avx._mm256_storeu_si256(dst.cast(), v) }
    }

    #[inline(always)]
    pub(super) unsafe fn store_dwords(self, dst: *mut u8, v: __m512i) {
        // SAFETY: the caller's.
        unsafe { self.f._mm512_storeu_si512(dst.cast(), v) }
    }

    /// Two registers.
    #[inline(always)]
    pub(super) unsafe fn store_qwords(self, dst: *mut u8, [a, b]: [__m512i; 2]) {
        // SAFETY: the caller's: 128 bytes.
        unsafe {
            self.store_dwords(dst, a);
            self.store_dwords(dst.add(64), b);
        }
    }
}

/// The first `n` elements of a quarter, with zeros for the others.
///
/// # Safety
/// The pointers are valid for the bytes of `n` elements, at any alignment; `n <= 16`.
impl Features {
    #[inline(always)]
    pub(super) unsafe fn load_bytes_part(self, src: *const u8, n: usize) -> __m128i {
        // SAFETY: the caller's.
        unsafe { self.bw._mm_maskz_loadu_epi8(first(n), src.cast()) }
    }

    #[inline(always)]
    pub(super) unsafe fn load_words_part(self, src: *const u8, n: usize) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.bw._mm256_maskz_loadu_epi16(first(n), src.cast()) }
    }

    #[inline(always)]
    pub(super) unsafe fn load_dwords_part(self, src: *const u8, n: usize) -> __m512i {
        // SAFETY: the caller's.
        unsafe { self.f._mm512_maskz_loadu_epi32(first(n), src.cast()) }
    }

    #[inline(always)]
    pub(super) unsafe fn load_qwords_part(self, src: *const u8, n: usize) -> [__m512i; 2] {
        let [low, high] = first(n).to_le_bytes();
        // SAFETY: the caller's. The second pointer may lie outside the buffer; nothing is read
        // through it then.
        unsafe {
            [
                self.f._mm512_maskz_loadu_epi64(low, src.cast()),
                self.f._mm512_maskz_loadu_epi64(high, src.wrapping_add(64).cast()),
            ]
        }
    }

    #[inline(always)]
    pub(super) unsafe fn store_bytes_part(self, dst: *mut u8, v: __m128i, n: usize) {
        // SAFETY: the caller's.
        unsafe { self.bw._mm_mask_storeu_epi8(dst.cast(), first(n), v) }
    }

    #[inline(always)]
    pub(super) unsafe fn store_words_part(self, dst: *mut u8, v: __m256i, n: usize) {
        // SAFETY: the caller's.
        unsafe { self.bw._mm256_mask_storeu_epi16(dst.cast(), first(n), v) }
    }

    #[inline(always)]
    pub(super) unsafe fn store_dwords_part(self, dst: *mut u8, v: __m512i, n: usize) {
        // SAFETY: the caller's.
        unsafe { self.f._mm512_mask_storeu_epi32(dst.cast(), first(n), v) }
    }

    #[inline(always)]
    pub(super) unsafe fn store_qwords_part(self, dst: *mut u8, v: [__m512i; 2], n: usize) {
        let [low, high] = first(n).to_le_bytes();
        // SAFETY: the caller's; as in `load_qwords_part`.
        unsafe {
            self.f._mm512_mask_storeu_epi64(dst.cast(), low, v[0]);
            self.f._mm512_mask_storeu_epi64(dst.wrapping_add(64).cast(), high, v[1]);
        }
    }
}

/// Lanes.
impl Features {
    /// A constant register.
    #[inline(always)]
    pub(super) fn constant<T: bytemuck::NoUninit, const N: usize>(self, v: &[T; N]) -> __m512i {
        const { assert!(size_of::<[T; N]>() == 64) };
        // SAFETY: the array has 64 initialised bytes.
        unsafe { self.load_dwords(v.as_ptr().cast()) }
    }

    /// The same 16 bytes in all lanes of 128 bits.
    #[inline(always)]
    pub(super) fn in_lanes(self, v: &[u8; 16]) -> __m512i {
        self.f._mm512_broadcast_i32x4(bytemuck::cast(*v))
    }

    /// Float32s to float16s, rounded by the instruction's own mode.
    ///
    /// That suppresses exceptions, and so cannot store: on Intel's cores the form that does takes half as long again
    /// as a store apart.
    #[inline(always)]
    pub(super) fn float16s<const MODE: i32>(self, v: __m512) -> __m256i {
        match MODE {
            _MM_FROUND_TO_POS_INF => {
                self.f._mm512_cvtps_ph::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(v)
            }
            _MM_FROUND_TO_NEG_INF => {
                self.f._mm512_cvtps_ph::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(v)
            }
            _MM_FROUND_TO_ZERO => {
                self.f._mm512_cvtps_ph::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(v)
            }
            _ => {
                const { assert!(MODE <= _MM_FROUND_TO_ZERO) };
                self.f._mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(v)
            }
        }
    }

    #[inline(always)]
    pub(super) fn word(self, v: u16) -> __m512i {
        self.f._mm512_set1_epi16(v as i16)
    }

    #[inline(always)]
    pub(super) fn dword(self, v: u32) -> __m512i {
        self.f._mm512_set1_epi32(v as i32)
    }

    #[inline(always)]
    pub(super) fn qword(self, v: u64) -> __m512i {
        self.f._mm512_set1_epi64(v as i64)
    }

    #[inline(always)]
    pub(super) fn byte(self, v: u8) -> __m512i {
        self.f._mm512_set1_epi8(v as i8)
    }

    /// One register of two halves.
    #[inline(always)]
    pub(super) fn join(self, low: __m256i, high: __m256i) -> __m512i {
        self.f._mm512_inserti64x4::<1>(self.f._mm512_castsi256_si512(low), high)
    }

    #[inline(always)]
    pub(super) fn join_floats(self, low: __m256, high: __m256) -> __m512 {
        self.dq._mm512_insertf32x8::<1>(self.f._mm512_castps256_ps512(low), high)
    }

    #[inline(always)]
    pub(super) fn halves(self, v: __m512i) -> [__m256i; 2] {
        [self.f._mm512_castsi512_si256(v), self.f._mm512_extracti64x4_epi64::<1>(v)]
    }

    #[inline(always)]
    pub(super) fn float_halves(self, v: __m512) -> [__m256; 2] {
        [self.f._mm512_castps512_ps256(v), self.dq._mm512_extractf32x8_ps::<1>(v)]
    }

    /// Numbers above zero, and zero for all else: of two operands of which one is NaN the instruction answers the second.
    #[inline(always)]
    pub(super) fn positive(self, v: __m512) -> __m512 {
        self.f._mm512_max_round_ps::<QUIETLY>(v, self.f._mm512_setzero_ps())
    }

    /// The same of float64.
    #[inline(always)]
    pub(super) fn positive_doubles(self, v: __m512d) -> __m512d {
        self.f._mm512_max_round_pd::<QUIETLY>(v, self.f._mm512_setzero_pd())
    }

    /// The low words of 32 dwords.
    #[inline(always)]
    pub(super) fn low_words(self, a: __m512i, b: __m512i) -> __m512i {
        self.bw._mm512_permutex2var_epi16(a, self.constant(&LOW_WORDS), b)
    }

    /// The high words of 32 dwords.
    #[inline(always)]
    pub(super) fn high_words(self, a: __m512i, b: __m512i) -> __m512i {
        self.bw._mm512_permutex2var_epi16(a, self.constant(&HIGH_WORDS), b)
    }

    /// The bits that any of three registers has.
    #[inline(always)]
    pub(super) fn any_of(self, any: __m512i, [a, b]: [__m512i; 2]) -> __m512i {
        self.f._mm512_ternarylogic_epi32::<0xfe>(any, a, b)
    }

    /// The low dwords of 16 qwords.
    #[inline(always)]
    pub(super) fn low_dwords(self, [a, b]: [__m512i; 2]) -> __m512i {
        self.f._mm512_permutex2var_epi32(a, self.constant(&const { every_other_dword(0) }), b)
    }

    /// The high dwords of 16 qwords.
    #[inline(always)]
    pub(super) fn high_dwords(self, [a, b]: [__m512i; 2]) -> __m512i {
        self.f._mm512_permutex2var_epi32(a, self.constant(&const { every_other_dword(1) }), b)
    }

    /// Brings into order what two rounds of packing leave of four registers of dwords: in each
    /// 128-bit lane, four elements of the first register, four of the second, and so on.
    #[inline(always)]
    pub(super) fn unmix(self, packed: __m512i) -> __m512i {
        const ORDER: [u32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
        self.f._mm512_permutexvar_epi32(self.constant(&ORDER), packed)
    }

    /// The same after one round of packing of two registers.
    #[inline(always)]
    pub(super) fn unmix_words(self, packed: __m512i) -> __m512i {
        const ORDER: [u64; 8] = [0, 2, 4, 6, 1, 3, 5, 7];
        self.f._mm512_permutexvar_epi64(self.constant(&ORDER), packed)
    }

    /// The low bytes of 64 dwords.
    #[inline(always)]
    pub(super) fn low_bytes(self, [a, b, c, d]: [__m512i; 4]) -> __m512i {
        let low = |v| self.f._mm512_and_si512(v, self.dword(0xff));
        let ab = self.bw._mm512_packus_epi32(low(a), low(b));
        let cd = self.bw._mm512_packus_epi32(low(c), low(d));
        self.unmix(self.bw._mm512_packus_epi16(ab, cd))
    }

    /// 64 dwords clamped to bytes.
    #[inline(always)]
    pub(super) fn clamp_to_bytes<const SIGNED: bool>(self, v: [__m512i; 4]) -> __m512i {
        let [a, b, c, d] = v;
        let ab = self.bw._mm512_packs_epi32(a, b);
        let cd = self.bw._mm512_packs_epi32(c, d);
        self.unmix(if SIGNED {
            self.bw._mm512_packs_epi16(ab, cd)
        } else {
            self.bw._mm512_packus_epi16(ab, cd)
        })
    }

    /// 32 dwords clamped to words.
    #[inline(always)]
    pub(super) fn clamp_to_words<const SIGNED: bool>(self, a: __m512i, b: __m512i) -> __m512i {
        self.unmix_words(if SIGNED {
            self.bw._mm512_packs_epi32(a, b)
        } else {
            self.bw._mm512_packus_epi32(a, b)
        })
    }
}
