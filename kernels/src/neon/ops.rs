//! The kernels' vocabulary: the instructions that they use, by the names of Arm's intrinsics.

pub(super) use core::arch::aarch64::{
    float32x2_t, float32x4_t, float64x2_t, int8x8_t, int8x16_t, int16x4_t, int16x8_t, int32x2_t,
    int32x4_t, int64x2_t, uint8x8_t, uint8x16_t, uint8x16x2_t, uint8x16x3_t, uint8x16x4_t,
    uint16x4_t, uint16x8_t, uint16x8x2_t, uint32x2_t, uint32x4_t, uint32x4x2_t, uint64x2_t,
    uint64x2x2_t,
};

macro_rules! safe {
    ($($name:ident $(<$n:ident>)? ($($a:ident: $t:ty),*) -> $r:ty;)*) => {$(
        #[inline(always)]
        pub(super) fn $name$(<const $n: i32>)?($($a: $t),*) -> $r {
            // SAFETY: what is compiled here is compiled for targets with NEON only.
            unsafe { core::arch::aarch64::$name$(::<$n>)?($($a),*) }
        }
    )*};
}

safe! {
    vabsq_f32(a: float32x4_t) -> float32x4_t;
    vabsq_s32(a: int32x4_t) -> int32x4_t;
    vabsq_s64(a: int64x2_t) -> int64x2_t;
    vaddhn_high_u32(r: uint16x4_t, a: uint32x4_t, b: uint32x4_t) -> uint16x8_t;
    vaddhn_u32(a: uint32x4_t, b: uint32x4_t) -> uint16x4_t;
    vaddq_u16(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t;
    vaddq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vaddq_u64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
    vandq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vandq_u64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
    vandq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vbicq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vbicq_u64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
    vbslq_f32(a: uint32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t;
    vbslq_u32(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t;
    vbslq_u8(a: uint8x16_t, b: uint8x16_t, c: uint8x16_t) -> uint8x16_t;
    vceqq_f32(a: float32x4_t, b: float32x4_t) -> uint32x4_t;
    vceqq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vceqq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vcgtq_s32(a: int32x4_t, b: int32x4_t) -> uint32x4_t;
    vcgtq_s64(a: int64x2_t, b: int64x2_t) -> uint64x2_t;
    vcgtq_u16(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t;
    vcgtq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vcgtq_u64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
    vcombine_u8(a: uint8x8_t, b: uint8x8_t) -> uint8x16_t;
    vcvt_f32_f64(a: float64x2_t) -> float32x2_t;
    vcvt_f64_f32(a: float32x2_t) -> float64x2_t;
    vcvt_high_f32_f64(a: float32x2_t, b: float64x2_t) -> float32x4_t;
    vcvt_high_f64_f32(a: float32x4_t) -> float64x2_t;
    vcvtq_f32_s32(a: int32x4_t) -> float32x4_t;
    vcvtq_f32_u32(a: uint32x4_t) -> float32x4_t;
    vcvtq_f64_s64(a: int64x2_t) -> float64x2_t;
    vcvtq_f64_u64(a: uint64x2_t) -> float64x2_t;
    vcvtq_s32_f32(a: float32x4_t) -> int32x4_t;
    vcvtq_s64_f64(a: float64x2_t) -> int64x2_t;
    vcvtq_u32_f32(a: float32x4_t) -> uint32x4_t;
    vcvtq_u64_f64(a: float64x2_t) -> uint64x2_t;
    vcvtx_f32_f64(a: float64x2_t) -> float32x2_t;
    vcvtx_high_f32_f64(a: float32x2_t, b: float64x2_t) -> float32x4_t;
    vdup_laneq_u8 <N>(a: uint8x16_t) -> uint8x8_t;
    vdupq_n_s32(value: i32) -> int32x4_t;
    vdupq_n_s64(value: i64) -> int64x2_t;
    vdupq_n_s8(value: i8) -> int8x16_t;
    vdupq_n_u16(value: u16) -> uint16x8_t;
    vdupq_n_u32(value: u32) -> uint32x4_t;
    vdupq_n_u64(value: u64) -> uint64x2_t;
    vdupq_n_u8(value: u8) -> uint8x16_t;
    veorq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vfmaq_f32(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t;
    vget_low_f32(a: float32x4_t) -> float32x2_t;
    vget_low_s16(a: int16x8_t) -> int16x4_t;
    vget_low_s32(a: int32x4_t) -> int32x2_t;
    vget_low_s8(a: int8x16_t) -> int8x8_t;
    vget_low_u16(a: uint16x8_t) -> uint16x4_t;
    vget_low_u32(a: uint32x4_t) -> uint32x2_t;
    vget_low_u8(a: uint8x16_t) -> uint8x8_t;
    vmaxq_s16(a: int16x8_t, b: int16x8_t) -> int16x8_t;
    vmaxq_s32(a: int32x4_t, b: int32x4_t) -> int32x4_t;
    vmaxq_s8(a: int8x16_t, b: int8x16_t) -> int8x16_t;
    vmaxq_u16(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t;
    vmaxq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vmaxvq_s16(a: int16x8_t) -> i16;
    vmaxvq_s32(a: int32x4_t) -> i32;
    vmaxvq_u16(a: uint16x8_t) -> u16;
    vmaxvq_u32(a: uint32x4_t) -> u32;
    vminq_f32(a: float32x4_t, b: float32x4_t) -> float32x4_t;
    vminq_s8(a: int8x16_t, b: int8x16_t) -> int8x16_t;
    vminq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vminq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vmovl_high_s16(a: int16x8_t) -> int32x4_t;
    vmovl_high_s32(a: int32x4_t) -> int64x2_t;
    vmovl_high_s8(a: int8x16_t) -> int16x8_t;
    vmovl_high_u16(a: uint16x8_t) -> uint32x4_t;
    vmovl_high_u32(a: uint32x4_t) -> uint64x2_t;
    vmovl_high_u8(a: uint8x16_t) -> uint16x8_t;
    vmovl_s16(a: int16x4_t) -> int32x4_t;
    vmovl_s32(a: int32x2_t) -> int64x2_t;
    vmovl_s8(a: int8x8_t) -> int16x8_t;
    vmovl_u16(a: uint16x4_t) -> uint32x4_t;
    vmovl_u32(a: uint32x2_t) -> uint64x2_t;
    vmovl_u8(a: uint8x8_t) -> uint16x8_t;
    vorrq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vorrq_u64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
    vorrq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vpaddq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vqmovn_high_s16(a: int8x8_t, b: int16x8_t) -> int8x16_t;
    vqmovn_high_s32(a: int16x4_t, b: int32x4_t) -> int16x8_t;
    vqmovn_high_s64(a: int32x2_t, b: int64x2_t) -> int32x4_t;
    vqmovn_high_u16(a: uint8x8_t, b: uint16x8_t) -> uint8x16_t;
    vqmovn_high_u64(a: uint32x2_t, b: uint64x2_t) -> uint32x4_t;
    vqmovn_s16(a: int16x8_t) -> int8x8_t;
    vqmovn_s32(a: int32x4_t) -> int16x4_t;
    vqmovn_s64(a: int64x2_t) -> int32x2_t;
    vqmovn_u16(a: uint16x8_t) -> uint8x8_t;
    vqmovn_u64(a: uint64x2_t) -> uint32x2_t;
    vqmovun_high_s32(a: uint16x4_t, b: int32x4_t) -> uint16x8_t;
    vqmovun_s32(a: int32x4_t) -> uint16x4_t;
    vqtbl1q_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vqtbl4q_u8(a: uint8x16x4_t, b: uint8x16_t) -> uint8x16_t;
    vqtbx4q_u8(a: uint8x16_t, b: uint8x16x4_t, c: uint8x16_t) -> uint8x16_t;
    vreinterpretq_f32_u32(a: uint32x4_t) -> float32x4_t;
    vreinterpretq_s16_u16(a: uint16x8_t) -> int16x8_t;
    vreinterpretq_s32_u32(a: uint32x4_t) -> int32x4_t;
    vreinterpretq_s64_u64(a: uint64x2_t) -> int64x2_t;
    vreinterpretq_s8_u64(a: uint64x2_t) -> int8x16_t;
    vreinterpretq_s8_u8(a: uint8x16_t) -> int8x16_t;
    vreinterpretq_u16_s16(a: int16x8_t) -> uint16x8_t;
    vreinterpretq_u16_u32(a: uint32x4_t) -> uint16x8_t;
    vreinterpretq_u16_u8(a: uint8x16_t) -> uint16x8_t;
    vreinterpretq_u32_f32(a: float32x4_t) -> uint32x4_t;
    vreinterpretq_u32_s32(a: int32x4_t) -> uint32x4_t;
    vreinterpretq_u32_u64(a: uint64x2_t) -> uint32x4_t;
    vreinterpretq_u64_f64(a: float64x2_t) -> uint64x2_t;
    vreinterpretq_u64_s64(a: int64x2_t) -> uint64x2_t;
    vreinterpretq_u8_s8(a: int8x16_t) -> uint8x16_t;
    vreinterpretq_u8_u16(a: uint16x8_t) -> uint8x16_t;
    vreinterpretq_u8_u64(a: uint64x2_t) -> uint8x16_t;
    vshll_high_n_u16 <N>(a: uint16x8_t) -> uint32x4_t;
    vshll_n_u16 <N>(a: uint16x4_t) -> uint32x4_t;
    vshlq_n_s8 <N>(a: int8x16_t) -> int8x16_t;
    vshlq_u8(a: uint8x16_t, b: int8x16_t) -> uint8x16_t;
    vshrq_n_s8 <N>(a: int8x16_t) -> int8x16_t;
    vshrq_n_u32 <N>(a: uint32x4_t) -> uint32x4_t;
    vshrq_n_u64 <N>(a: uint64x2_t) -> uint64x2_t;
    vshrq_n_u8 <N>(a: uint8x16_t) -> uint8x16_t;
    vsliq_n_u8 <N>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vsraq_n_u32 <N>(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vtstq_s32(a: int32x4_t, b: int32x4_t) -> uint32x4_t;
    vtstq_u16(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t;
    vtstq_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vtstq_u64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
    vtstq_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vuzp1q_u16(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t;
    vuzp1q_u32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t;
    vuzp1q_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vuzp2q_u16(a: uint16x8_t, b: uint16x8_t) -> uint16x8_t;
    vuzp2q_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vzip1q_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
    vzip2q_u8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t;
}
