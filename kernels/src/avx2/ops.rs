//! The kernels' vocabulary: the instructions that they use, under short names. A number in a name is
//! the width of a lane in bits; `u` marks the unsigned form. Names without an `x` are of 256 bits.

use super::Avx2;
use core::arch::x86_64::{__m128, __m128i, __m256, __m256d, __m256i};

macro_rules! words {
    ($($set:ident { $($name:ident = $intrinsic:ident ($($a:ident: $t:ty),*) -> $r:ty;)* })*) => {
        impl Avx2 {$($(
            #[inline(always)]
            #[allow(clippy::too_many_arguments)] // Lanes, one by one.
            pub(super) fn $name(self $(, $a: $t)*) -> $r {
                self.0.$set.$intrinsic($($a),*)
            }
        )*)*}
    };
}

words! {
    avx2 {
        and = _mm256_and_si256(a: __m256i, b: __m256i) -> __m256i;
        or = _mm256_or_si256(a: __m256i, b: __m256i) -> __m256i;
        xor = _mm256_xor_si256(a: __m256i, b: __m256i) -> __m256i;
        // `b` where `a` has zeros.
        andnot = _mm256_andnot_si256(a: __m256i, b: __m256i) -> __m256i;
        // `b` where the bytes of `mask` are negative, else `a`.
        blend8 = _mm256_blendv_epi8(a: __m256i, b: __m256i, mask: __m256i) -> __m256i;
        add8 = _mm256_add_epi8(a: __m256i, b: __m256i) -> __m256i;
        add16 = _mm256_add_epi16(a: __m256i, b: __m256i) -> __m256i;
        add32 = _mm256_add_epi32(a: __m256i, b: __m256i) -> __m256i;
        add64 = _mm256_add_epi64(a: __m256i, b: __m256i) -> __m256i;
        sub8 = _mm256_sub_epi8(a: __m256i, b: __m256i) -> __m256i;
        sub16 = _mm256_sub_epi16(a: __m256i, b: __m256i) -> __m256i;
        sub32 = _mm256_sub_epi32(a: __m256i, b: __m256i) -> __m256i;
        sub64 = _mm256_sub_epi64(a: __m256i, b: __m256i) -> __m256i;
        eq8 = _mm256_cmpeq_epi8(a: __m256i, b: __m256i) -> __m256i;
        eq16 = _mm256_cmpeq_epi16(a: __m256i, b: __m256i) -> __m256i;
        eq32 = _mm256_cmpeq_epi32(a: __m256i, b: __m256i) -> __m256i;
        eq64 = _mm256_cmpeq_epi64(a: __m256i, b: __m256i) -> __m256i;
        gt8 = _mm256_cmpgt_epi8(a: __m256i, b: __m256i) -> __m256i;
        gt16 = _mm256_cmpgt_epi16(a: __m256i, b: __m256i) -> __m256i;
        gt32 = _mm256_cmpgt_epi32(a: __m256i, b: __m256i) -> __m256i;
        max_u8 = _mm256_max_epu8(a: __m256i, b: __m256i) -> __m256i;
        min_u8 = _mm256_min_epu8(a: __m256i, b: __m256i) -> __m256i;
        add_clamped_u8 = _mm256_adds_epu8(a: __m256i, b: __m256i) -> __m256i;
        add_clamped_u16 = _mm256_adds_epu16(a: __m256i, b: __m256i) -> __m256i;
        add_clamped16 = _mm256_adds_epi16(a: __m256i, b: __m256i) -> __m256i;
        sub_clamped8 = _mm256_subs_epi8(a: __m256i, b: __m256i) -> __m256i;
        sub_clamped_u8 = _mm256_subs_epu8(a: __m256i, b: __m256i) -> __m256i;
        sub_clamped_u16 = _mm256_subs_epu16(a: __m256i, b: __m256i) -> __m256i;
        min8 = _mm256_min_epi8(a: __m256i, b: __m256i) -> __m256i;
        max8 = _mm256_max_epi8(a: __m256i, b: __m256i) -> __m256i;
        min16 = _mm256_min_epi16(a: __m256i, b: __m256i) -> __m256i;
        max16 = _mm256_max_epi16(a: __m256i, b: __m256i) -> __m256i;
        min_u16 = _mm256_min_epu16(a: __m256i, b: __m256i) -> __m256i;
        max_u16 = _mm256_max_epu16(a: __m256i, b: __m256i) -> __m256i;
        min32 = _mm256_min_epi32(a: __m256i, b: __m256i) -> __m256i;
        max32 = _mm256_max_epi32(a: __m256i, b: __m256i) -> __m256i;
        min_u32 = _mm256_min_epu32(a: __m256i, b: __m256i) -> __m256i;
        max_u32 = _mm256_max_epu32(a: __m256i, b: __m256i) -> __m256i;
        // `a`, or zero where `b` is, or the negative of `a` where `b` is negative.
        sign8 = _mm256_sign_epi8(a: __m256i, b: __m256i) -> __m256i;
        sign16 = _mm256_sign_epi16(a: __m256i, b: __m256i) -> __m256i;
        sign32 = _mm256_sign_epi32(a: __m256i, b: __m256i) -> __m256i;
        // Rounded up.
        average_u8 = _mm256_avg_epu8(a: __m256i, b: __m256i) -> __m256i;
        abs8 = _mm256_abs_epi8(a: __m256i) -> __m256i;
        abs16 = _mm256_abs_epi16(a: __m256i) -> __m256i;
        abs32 = _mm256_abs_epi32(a: __m256i) -> __m256i;
        gt64 = _mm256_cmpgt_epi64(a: __m256i, b: __m256i) -> __m256i;
        sllv64 = _mm256_sllv_epi64(a: __m256i, by: __m256i) -> __m256i;
        sll16 = _mm256_sll_epi16(a: __m256i, by: __m128i) -> __m256i;
        srlv32 = _mm256_srlv_epi32(a: __m256i, by: __m256i) -> __m256i;
        srav32 = _mm256_srav_epi32(a: __m256i, by: __m256i) -> __m256i;
        srlv64 = _mm256_srlv_epi64(a: __m256i, by: __m256i) -> __m256i;
        sllv32 = _mm256_sllv_epi32(a: __m256i, by: __m256i) -> __m256i;
        // Products of the lower halves of 64-bit lanes.
        mul_u32 = _mm256_mul_epu32(a: __m256i, b: __m256i) -> __m256i;
        madd16 = _mm256_madd_epi16(a: __m256i, b: __m256i) -> __m256i;
        // Unsigned bytes of `a` times signed ones of `b`, and the sums of neighbours.
        madd8 = _mm256_maddubs_epi16(a: __m256i, b: __m256i) -> __m256i;
        mul16 = _mm256_mullo_epi16(a: __m256i, b: __m256i) -> __m256i;
        // The upper halves of unsigned products.
        mul_high_u16 = _mm256_mulhi_epu16(a: __m256i, b: __m256i) -> __m256i;
        signs8 = _mm256_movemask_epi8(a: __m256i) -> i32;
        shuffle8 = _mm256_shuffle_epi8(a: __m256i, at: __m256i) -> __m256i;
        permute32 = _mm256_permutevar8x32_epi32(a: __m256i, at: __m256i) -> __m256i;
        // By lanes of 128 bits: results from `a`, then results from `b`.
        packs16 = _mm256_packs_epi16(a: __m256i, b: __m256i) -> __m256i;
        packs32 = _mm256_packs_epi32(a: __m256i, b: __m256i) -> __m256i;
        pack_u16 = _mm256_packus_epi16(a: __m256i, b: __m256i) -> __m256i;
        pack_u32 = _mm256_packus_epi32(a: __m256i, b: __m256i) -> __m256i;
        // By lanes of 128 bits: the lower or higher halves, interleaved.
        low8 = _mm256_unpacklo_epi8(a: __m256i, b: __m256i) -> __m256i;
        high8 = _mm256_unpackhi_epi8(a: __m256i, b: __m256i) -> __m256i;
        low16 = _mm256_unpacklo_epi16(a: __m256i, b: __m256i) -> __m256i;
        high16 = _mm256_unpackhi_epi16(a: __m256i, b: __m256i) -> __m256i;
        low32 = _mm256_unpacklo_epi32(a: __m256i, b: __m256i) -> __m256i;
        high32 = _mm256_unpackhi_epi32(a: __m256i, b: __m256i) -> __m256i;
        low64 = _mm256_unpacklo_epi64(a: __m256i, b: __m256i) -> __m256i;
        high64 = _mm256_unpackhi_epi64(a: __m256i, b: __m256i) -> __m256i;
        twice = _mm256_broadcastsi128_si256(a: __m128i) -> __m256i;
        i8_to_i16 = _mm256_cvtepi8_epi16(a: __m128i) -> __m256i;
        u8_to_i16 = _mm256_cvtepu8_epi16(a: __m128i) -> __m256i;
        i8_to_i32 = _mm256_cvtepi8_epi32(a: __m128i) -> __m256i;
        u8_to_i32 = _mm256_cvtepu8_epi32(a: __m128i) -> __m256i;
        i8_to_i64 = _mm256_cvtepi8_epi64(a: __m128i) -> __m256i;
        u8_to_i64 = _mm256_cvtepu8_epi64(a: __m128i) -> __m256i;
        i16_to_i64 = _mm256_cvtepi16_epi64(a: __m128i) -> __m256i;
        u16_to_i64 = _mm256_cvtepu16_epi64(a: __m128i) -> __m256i;
        i16_to_i32 = _mm256_cvtepi16_epi32(a: __m128i) -> __m256i;
        u16_to_i32 = _mm256_cvtepu16_epi32(a: __m128i) -> __m256i;
        i32_to_i64 = _mm256_cvtepi32_epi64(a: __m128i) -> __m256i;
        u32_to_i64 = _mm256_cvtepu32_epi64(a: __m128i) -> __m256i;
    }
    avx {
        // 1 if no bit is set in both.
        testz = _mm256_testz_si256(a: __m256i, b: __m256i) -> i32;
        zero = _mm256_setzero_si256() -> __m256i;
        all8 = _mm256_set1_epi8(a: i8) -> __m256i;
        all16 = _mm256_set1_epi16(a: i16) -> __m256i;
        all32 = _mm256_set1_epi32(a: i32) -> __m256i;
        all64 = _mm256_set1_epi64x(a: i64) -> __m256i;
        all_ps = _mm256_set1_ps(a: f32) -> __m256;
        all_pd = _mm256_set1_pd(a: f64) -> __m256d;
        lanes32 = _mm256_setr_epi32(a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32) -> __m256i;
        as_ps = _mm256_castsi256_ps(a: __m256i) -> __m256;
        as_pd = _mm256_castsi256_pd(a: __m256i) -> __m256d;
        ps_bits = _mm256_castps_si256(a: __m256) -> __m256i;
        pd_bits = _mm256_castpd_si256(a: __m256d) -> __m256i;
        lower = _mm256_castsi256_si128(a: __m256i) -> __m128i;
        lower_ps = _mm256_castps256_ps128(a: __m256) -> __m128;
        join = _mm256_set_m128i(high: __m128i, low: __m128i) -> __m256i;
        join_ps = _mm256_set_m128(high: __m128, low: __m128) -> __m256;
        signs_ps = _mm256_movemask_ps(a: __m256) -> i32;
        sub_ps = _mm256_sub_ps(a: __m256, b: __m256) -> __m256;
        add_ps = _mm256_add_ps(a: __m256, b: __m256) -> __m256;
        mul_ps = _mm256_mul_ps(a: __m256, b: __m256) -> __m256;
        mul_pd = _mm256_mul_pd(a: __m256d, b: __m256d) -> __m256d;
        add_pd = _mm256_add_pd(a: __m256d, b: __m256d) -> __m256d;
        sub_pd = _mm256_sub_pd(a: __m256d, b: __m256d) -> __m256d;
        // If either is NaN: `b`.
        min_ps = _mm256_min_ps(a: __m256, b: __m256) -> __m256;
        max_ps = _mm256_max_ps(a: __m256, b: __m256) -> __m256;
        min_pd = _mm256_min_pd(a: __m256d, b: __m256d) -> __m256d;
        max_pd = _mm256_max_pd(a: __m256d, b: __m256d) -> __m256d;
        // `b` where `mask` is negative, else `a`.
        blend_ps = _mm256_blendv_ps(a: __m256, b: __m256, mask: __m256) -> __m256;
        blend_pd = _mm256_blendv_pd(a: __m256d, b: __m256d, mask: __m256d) -> __m256d;
        i32_to_ps = _mm256_cvtepi32_ps(a: __m256i) -> __m256;
        i32_to_pd = _mm256_cvtepi32_pd(a: __m128i) -> __m256d;
        ps_to_pd = _mm256_cvtps_pd(a: __m128) -> __m256d;
        pd_to_ps = _mm256_cvtpd_ps(a: __m256d) -> __m128;
        // Toward zero; 0x80000000 for NaN and what is out of range.
        ps_to_i32 = _mm256_cvttps_epi32(a: __m256) -> __m256i;
        // To the nearest, ties to even; 0x80000000 for NaN and what is out of range.
        ps_to_near_i32 = _mm256_cvtps_epi32(a: __m256) -> __m256i;
        pd_to_i32 = _mm256_cvttpd_epi32(a: __m256d) -> __m128i;
    }
    ssse3 {
        shuffle8x = _mm_shuffle_epi8(a: __m128i, at: __m128i) -> __m128i;
    }
    fma {
        // `a * b + c`, rounded once.
        fma_ps = _mm256_fmadd_ps(a: __m256, b: __m256, c: __m256) -> __m256;
        fma_pd = _mm256_fmadd_pd(a: __m256d, b: __m256d, c: __m256d) -> __m256d;
        // `c - a * b`, rounded once.
        fnma_ps = _mm256_fnmadd_ps(a: __m256, b: __m256, c: __m256) -> __m256;
        fnma_pd = _mm256_fnmadd_pd(a: __m256d, b: __m256d, c: __m256d) -> __m256d;
    }
    sse2 {
        join_low_64x = _mm_unpacklo_epi64(a: __m128i, b: __m128i) -> __m128i;
        low32x = _mm_unpacklo_epi32(a: __m128i, b: __m128i) -> __m128i;
        low16x = _mm_unpacklo_epi16(a: __m128i, b: __m128i) -> __m128i;
        high16x = _mm_unpackhi_epi16(a: __m128i, b: __m128i) -> __m128i;
        as_psx = _mm_castsi128_ps(a: __m128i) -> __m128;
        low8x = _mm_unpacklo_epi8(a: __m128i, b: __m128i) -> __m128i;
        high8x = _mm_unpackhi_epi8(a: __m128i, b: __m128i) -> __m128i;
        pack_u16x = _mm_packus_epi16(a: __m128i, b: __m128i) -> __m128i;
        packs16x = _mm_packs_epi16(a: __m128i, b: __m128i) -> __m128i;
        andx = _mm_and_si128(a: __m128i, b: __m128i) -> __m128i;
        andnotx = _mm_andnot_si128(a: __m128i, b: __m128i) -> __m128i;
        orx = _mm_or_si128(a: __m128i, b: __m128i) -> __m128i;
        xorx = _mm_xor_si128(a: __m128i, b: __m128i) -> __m128i;
        sub8x = _mm_sub_epi8(a: __m128i, b: __m128i) -> __m128i;
        eq8x = _mm_cmpeq_epi8(a: __m128i, b: __m128i) -> __m128i;
        min_u8x = _mm_min_epu8(a: __m128i, b: __m128i) -> __m128i;
        all8x = _mm_set1_epi8(a: i8) -> __m128i;
        zerox = _mm_setzero_si128() -> __m128i;
    }
}

macro_rules! words_with_constant {
    ($($set:ident $name:ident = $intrinsic:ident ($($a:ident: $t:ty),*) -> $r:ty;)*) => {
        impl Avx2 {$(
            #[inline(always)]
            pub(super) fn $name<const N: i32>(self $(, $a: $t)*) -> $r {
                self.0.$set.$intrinsic::<N>($($a),*)
            }
        )*}
    };
}

words_with_constant! {
    avx2 shl16 = _mm256_slli_epi16(a: __m256i) -> __m256i;
    avx2 shl32 = _mm256_slli_epi32(a: __m256i) -> __m256i;
    avx2 shl64 = _mm256_slli_epi64(a: __m256i) -> __m256i;
    avx2 shr16 = _mm256_srli_epi16(a: __m256i) -> __m256i;
    avx2 sar16 = _mm256_srai_epi16(a: __m256i) -> __m256i;
    avx2 shr32 = _mm256_srli_epi32(a: __m256i) -> __m256i;
    avx2 shr64 = _mm256_srli_epi64(a: __m256i) -> __m256i;
    avx2 sar32 = _mm256_srai_epi32(a: __m256i) -> __m256i;
    avx2 permute64 = _mm256_permute4x64_epi64(a: __m256i) -> __m256i;
    avx2 mix16 = _mm256_blend_epi16(a: __m256i, b: __m256i) -> __m256i;
    avx2 mix32 = _mm256_blend_epi32(a: __m256i, b: __m256i) -> __m256i;
    avx2 half = _mm256_extracti128_si256(a: __m256i) -> __m128i;
    avx half_ps = _mm256_extractf128_ps(a: __m256) -> __m128;
    avx cmp_ps = _mm256_cmp_ps(a: __m256, b: __m256) -> __m256;
    avx cmp_pd = _mm256_cmp_pd(a: __m256d, b: __m256d) -> __m256d;
    avx round_ps = _mm256_round_ps(a: __m256) -> __m256;
    avx round_pd = _mm256_round_pd(a: __m256d) -> __m256d;
    avx pick_ps = _mm256_shuffle_ps(a: __m256, b: __m256) -> __m256;
    sse2 shr16x = _mm_srli_epi16(a: __m128i) -> __m128i;
    sse2 shuffle32x = _mm_shuffle_epi32(a: __m128i) -> __m128i;
    sse2 shr_bytes_x = _mm_srli_si128(a: __m128i) -> __m128i;
}

/// Logic on floats' bits, and memory.
impl Avx2 {
    /// The halves of each lane of 64 bits, in the other order.
    #[inline(always)]
    pub(super) fn swap_halves(self, a: __m256i) -> __m256i {
        self.0.avx2._mm256_shuffle_epi32::<0b10_11_00_01>(a)
    }

    #[inline(always)]
    pub(super) fn lanes64(self, [a, b, c, d]: [u64; 4]) -> __m256i {
        self.0.avx._mm256_setr_epi64x(a as i64, b as i64, c as i64, d as i64)
    }

    #[inline(always)]
    pub(super) fn and_ps(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_and_ps(a, b)
    }

    #[inline(always)]
    pub(super) fn and_pd(self, a: __m256d, b: __m256d) -> __m256d {
        self.0.avx._mm256_and_pd(a, b)
    }

    #[inline(always)]
    pub(super) fn constant(self, bytes: &[u8; 32]) -> __m256i {
        // SAFETY: an array of 32 bytes.
        unsafe { self.load(bytes.as_ptr()) }
    }

    /// # Safety
    /// 32 bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn load(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.0.avx._mm256_loadu_si256(src.cast()) }
    }

    /// # Safety
    /// 16 bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn loadx(self, src: *const u8) -> __m128i {
        // SAFETY: the caller's.
        unsafe { self.0.sse2._mm_loadu_si128(src.cast()) }
    }

    /// # Safety
    /// 16 bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn load_psx(self, src: *const u8) -> __m128 {
        // SAFETY: the caller's.
        unsafe { self.0.sse._mm_loadu_ps(src.cast()) }
    }

    /// # Safety
    /// 8 bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn load_64x(self, src: *const u8) -> __m128i {
        // SAFETY: the caller's.
        unsafe { self.0.sse2._mm_loadl_epi64(src.cast()) }
    }

    /// # Safety
    /// 4 bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn load_32x(self, src: *const u8) -> __m128i {
        // SAFETY: the caller's.
        let bytes = unsafe { src.cast::<i32>().read_unaligned() };
        self.0.sse2._mm_cvtsi32_si128(bytes)
    }

    /// # Safety
    /// 32 bytes are writable at `dst`.
    #[inline(always)]
    pub(super) unsafe fn store(self, dst: *mut u8, value: __m256i) {
        // SAFETY: the caller's.
        unsafe { self.0.avx._mm256_storeu_si256(dst.cast(), value) }
    }

    /// # Safety
    /// 16 bytes are writable at `dst`.
    #[inline(always)]
    pub(super) unsafe fn storex(self, dst: *mut u8, value: __m128i) {
        // SAFETY: the caller's.
        unsafe { self.0.sse2._mm_storeu_si128(dst.cast(), value) }
    }
    /// # Safety
    /// 16 bytes are writable at `dst`.
    #[inline(always)]
    pub(super) unsafe fn storex_ps(self, dst: *mut u8, value: __m128) {
        // SAFETY: the caller's.
        unsafe { self.0.sse._mm_storeu_ps(dst.cast(), value) }
    }
    /// Stores the lower half.
    ///
    /// # Safety
    /// 8 bytes are writable at `dst`.
    #[inline(always)]
    pub(super) unsafe fn store_64x(self, dst: *mut u8, value: __m128i) {
        // SAFETY: the caller's.
        unsafe { self.0.sse2._mm_storel_epi64(dst.cast(), value) }
    }
}
