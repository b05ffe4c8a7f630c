//! Eight numbers at a time, for pairs with a register of 64-bit numbers on a side: what they become,
//! or come from, is stored and loaded where it lies, without being joined with its neighbours' first.

use super::bridge::{NEAREST, QUIETLY};
use super::from_floats::NAN_TO_ZERO;
use super::lanes::{both, first};
use super::{Avx512, Features, pieces};
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::stepwise::{self, Side};
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::*;

/// Sets the kernels of the pairs that have one.
pub(super) const fn with_eights<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    let all = const { all::<MODE>() };
    let mut i = 0;
    while i < all.len() {
        let (from, to, kernel) = all[i];
        pairs.set(from, to, Entry { kernel, road: Road::Direct });
        i += 1;
    }
    pairs
}

/// A closure with an attribute, which it can't have where it is given a name.
#[inline(always)]
pub(super) fn inlined<T, R, F: Fn(T) -> R>(each: F) -> F {
    each
}

/// Kernels between two dtypes, each with the bytes of an element.
macro_rules! eights {
    ($($name:ident: $from:ident $a:literal => $to:ident $b:literal, |$x:ident, $v:ident| $result:expr;)*) => {
        const fn all<const MODE: usize>() -> [(DType, DType, Kernel); COUNT] {
            [$((DType::$from, DType::$to, $name::<MODE>)),*]
        }

        const COUNT: usize = [$($a),*].len();

        $(
            /// # Safety
            /// As for every kernel, see [`crate::table::Kernel`].
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn $name<const MODE: usize>(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
                // SAFETY: the caller's; 64 elements are whole registers of a source that is tested.
                unsafe {
                    let isa = Avx512::summon();
                    let Avx512($x) = isa;
                    let sides = const { Side::both(DType::$from, DType::$to, [false; 2]) };
                    let turns = [$x.turn(sides[0].width), $x.turn(sides[1].width)];
                    let each = inlined(#[inline(always)] |v| {
                        let $v = $x.turned_if(MODE & stepwise::SOURCE != 0, turns[0], v);
                        $result.registers($x, #[inline(always)] |v| {
                            $x.turned_if(MODE & stepwise::RESULTS != 0, turns[1], v)
                        })
                    });
                    if MODE == stepwise::FITTING {
                        return stepwise::whole_steps(
                            isa,
                            MODE,
                            sides,
                            64,
                            src,
                            dst,
                            n,
                            params,
                            #[inline(always)]
                            |src, dst| by_eights::<$a, $b>($x, src, dst, 64, each),
                        );
                    }
                    by_eights::<$a, $b>($x, src, dst, n, each);
                }
                n
            }
        )*
    };
}

eights! {
    float64_to_int32: Float64 8 => Int32 4, |x, v| int32s(x, v);
    float64_to_uint32: Float64 8 => UInt32 4, |x, v| uint32s(x, v);
    float64_to_int64: Float64 8 => Int64 8, |x, v| int64s(x, v);
    float64_to_uint64: Float64 8 => UInt64 8, |x, v| [unsigned(x, v); 2];
    complex128_to_int32: Complex128 16 => Int32 4, |x, v| int32s(x, v);
    complex128_to_uint32: Complex128 16 => UInt32 4, |x, v| uint32s(x, v);
    complex128_to_int64: Complex128 16 => Int64 8, |x, v| int64s(x, v);
    complex128_to_uint64: Complex128 16 => UInt64 8, |x, v| [unsigned(x, v); 2];
    float32_to_int64: Float32 4 => Int64 8, |x, v| {
        let v = x.f._mm512_castsi512_ps(v);
        let v = x.f._mm512_fixupimm_round_ps::<0, QUIETLY>(v, v, x.dword(NAN_TO_ZERO));
        let limit = x.f._mm512_set1_ps((1u64 << 63) as f32);
        let fits = x.f._mm512_cmp_round_ps_mask::<_CMP_LT_OQ, QUIETLY>(v, limit) as __mmask8;
        let (most, half) = (x.qword(i64::MAX as u64), x.f._mm512_castps512_ps256(v));
        [x.dq._mm512_mask_cvtt_roundps_epi64::<QUIETLY>(most, fits, half); 2]
    };
    float32_to_uint64: Float32 4 => UInt64 8, |x, v| {
        let v = x.positive(x.f._mm512_castsi512_ps(v));
        [x.dq._mm512_cvtt_roundps_epu64::<QUIETLY>(x.f._mm512_castps512_ps256(v)); 2]
    };

    int8_to_float64: Int8 1 => Float64 8, |x, v| doubles(x, x.avx2._mm256_cvtepi8_epi32(low_bytes(x, v)));
    uint8_to_float64: UInt8 1 => Float64 8, |x, v| doubles(x, x.avx2._mm256_cvtepu8_epi32(low_bytes(x, v)));
    int16_to_float64: Int16 2 => Float64 8, |x, v| doubles(x, x.avx2._mm256_cvtepi16_epi32(low_bytes(x, v)));
    uint16_to_float64: UInt16 2 => Float64 8, |x, v| doubles(x, x.avx2._mm256_cvtepu16_epi32(low_bytes(x, v)));
    int32_to_float64: Int32 4 => Float64 8, |x, v| doubles(x, x.f._mm512_castsi512_si256(v));
    uint32_to_float64: UInt32 4 => Float64 8, |x, v| {
        whole(x, x.f._mm512_cvtepu32_pd(x.f._mm512_castsi512_si256(v)))
    };
    int64_to_float64: Int64 8 => Float64 8, |x, v| {
        whole(x, x.dq._mm512_cvt_roundepi64_pd::<NEAREST>(v))
    };
    uint64_to_float64: UInt64 8 => Float64 8, |x, v| {
        whole(x, x.dq._mm512_cvt_roundepu64_pd::<NEAREST>(v))
    };
    float32_to_float64: Float32 4 => Float64 8, |x, v| {
        let v = x.f._mm512_castps512_ps256(x.f._mm512_castsi512_ps(v));
        whole(x, x.f._mm512_cvt_roundps_pd::<QUIETLY>(v))
    };

    int8_to_complex128: Int8 1 => Complex128 16, |x, v| {
        Reals(x.dq._mm512_cvtepi64_pd(x.f._mm512_cvtepi8_epi64(low_bytes(x, v))))
    };
    uint8_to_complex128: UInt8 1 => Complex128 16, |x, v| {
        Reals(x.dq._mm512_cvtepi64_pd(x.f._mm512_cvtepu8_epi64(low_bytes(x, v))))
    };
    int16_to_complex128: Int16 2 => Complex128 16, |x, v| {
        Reals(x.dq._mm512_cvtepi64_pd(x.f._mm512_cvtepi16_epi64(low_bytes(x, v))))
    };
    uint16_to_complex128: UInt16 2 => Complex128 16, |x, v| {
        Reals(x.dq._mm512_cvtepi64_pd(x.f._mm512_cvtepu16_epi64(low_bytes(x, v))))
    };
    float16_to_complex128: Float16 2 => Complex128 16, |x, v| {
        Reals(x.f._mm512_cvt_roundps_pd::<QUIETLY>(float16s(x, v)))
    };
    bfloat16_to_complex128: BFloat16 2 => Complex128 16, |x, v| {
        let v = x.avx2._mm256_slli_epi32::<16>(x.avx2._mm256_cvtepu16_epi32(low_bytes(x, v)));
        Reals(x.f._mm512_cvt_roundps_pd::<QUIETLY>(x.avx._mm256_castsi256_ps(v)))
    };
    float32_to_complex128: Float32 4 => Complex128 16, |x, v| {
        let v = x.f._mm512_castps512_ps256(x.f._mm512_castsi512_ps(v));
        Reals(x.f._mm512_cvt_roundps_pd::<QUIETLY>(v))
    };

    complex64_to_float64: Complex64 8 => Float64 8, |x, v| {
        let reals = x.avx._mm256_castsi256_ps(x.f._mm512_cvtepi64_epi32(v));
        [x.f._mm512_castpd_si512(x.f._mm512_cvt_roundps_pd::<QUIETLY>(reals)), v]
    };
    complex128_to_float32: Complex128 16 => Float32 4, |x, v| {
        let reals = x.f._mm512_castsi512_pd(v);
        half(x, narrowed(x, reals))
    };
    float64_to_float32: Float64 8 => Float32 4, |x, v| {
        half(x, narrowed(x, x.f._mm512_castsi512_pd(v)))
    };
    int64_to_float32: Int64 8 => Float32 4, |x, v| {
        half(x, x.avx._mm256_castps_si256(x.dq._mm512_cvt_roundepi64_ps::<NEAREST>(v)))
    };
    uint64_to_float32: UInt64 8 => Float32 4, |x, v| {
        half(x, x.avx._mm256_castps_si256(x.dq._mm512_cvt_roundepu64_ps::<NEAREST>(v)))
    };
    float64_to_complex64: Float64 8 => Complex64 8, |x, v| {
        [pieces::apart::<4>(x, narrowed(x, x.f._mm512_castsi512_pd(v))), v]
    };
}

/// Float64s cut to 64-bit integers without sign, saturating.
#[inline(always)]
fn unsigned(x: Features, v: __m512i) -> __m512i {
    x.longs_of_doubles::<false>(x.f._mm512_castsi512_pd(v))
}

#[inline(always)]
fn int64s(x: Features, v: __m512i) -> [__m512i; 2] {
    [x.longs_of_doubles::<true>(x.f._mm512_castsi512_pd(v)); 2]
}

#[inline(always)]
fn int32s(x: Features, v: __m512i) -> [__m512i; 2] {
    let v = x.f._mm512_castsi512_pd(v);
    let v = x.f._mm512_fixupimm_round_pd::<0, QUIETLY>(v, v, x.qword(NAN_TO_ZERO.into()));
    let v = x.f._mm512_min_round_pd::<QUIETLY>(v, x.f._mm512_set1_pd(i32::MAX.into()));
    half(x, x.f._mm512_cvtt_roundpd_epi32::<QUIETLY>(v))
}

#[inline(always)]
fn uint32s(x: Features, v: __m512i) -> [__m512i; 2] {
    half(
        x,
        x.f._mm512_cvtt_roundpd_epu32::<QUIETLY>(x.positive_doubles(x.f._mm512_castsi512_pd(v))),
    )
}

/// The lowest 8 words as float16s.
#[inline(always)]
fn float16s(x: Features, v: __m512i) -> __m256 {
    x.f._mm512_castps512_ps256(x.floats_of_halves(x.f._mm512_castsi512_si256(v)))
}

/// What eight numbers become.
trait Eight {
    /// The registers that are stored, turned or not.
    fn registers(self, x: Features, turned: impl Fn(__m512i) -> __m512i) -> [__m512i; 2];
}

impl Eight for [__m512i; 2] {
    #[inline(always)]
    fn registers(self, _: Features, turned: impl Fn(__m512i) -> __m512i) -> [__m512i; 2] {
        both(self, turned)
    }
}

/// Float64s that are real parts, with zeros as imaginary ones, which are the same in either order.
struct Reals(__m512d);

impl Eight for Reals {
    #[inline(always)]
    fn registers(self, x: Features, turned: impl Fn(__m512i) -> __m512i) -> [__m512i; 2] {
        let [low, high] = x.halves(turned(x.f._mm512_castpd_si512(self.0)));
        [pieces::apart::<8>(x, low), pieces::apart::<8>(x, high)]
    }
}

/// Float64s to the nearest float32s.
#[inline(always)]
fn narrowed(x: Features, v: __m512d) -> __m256i {
    x.avx._mm256_castps_si256(x.f._mm512_cvt_roundpd_ps::<NEAREST>(v))
}

/// A register of float64s as a result.
#[inline(always)]
fn whole(x: Features, v: __m512d) -> [__m512i; 2] {
    [x.f._mm512_castpd_si512(v); 2]
}

/// Integers of 32 bits as float64s.
#[inline(always)]
fn doubles(x: Features, v: __m256i) -> [__m512i; 2] {
    whole(x, x.f._mm512_cvtepi32_pd(v))
}

/// Half a register as a result.
#[inline(always)]
fn half(x: Features, v: __m256i) -> [__m512i; 2] {
    [x.f._mm512_castsi256_si512(v); 2]
}

/// The lowest 16 bytes of a register.
#[inline(always)]
fn low_bytes(x: Features, v: __m512i) -> __m128i {
    x.f._mm512_castsi512_si128(v)
}

/// The same back, as a result that ends within them.
#[inline(always)]
pub(super) fn in_front(x: Features, v: __m128i) -> [__m512i; 2] {
    [x.f._mm512_castsi128_si512(v); 2]
}

/// Casts eight elements of `FROM` bytes to as many of `TO` bytes at a time: of results 16 bytes are two registers,
/// 8 bytes one, and fewer as much of its front.
///
/// # Safety
/// `src` is valid for reading `n` elements of `FROM` bytes and `dst` for writing `n` of `TO` bytes; they
/// don't overlap.
#[inline(always)]
pub(super) unsafe fn by_eights<const FROM: usize, const TO: usize>(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    each: impl Fn(__m512i) -> [__m512i; 2],
) {
    let mut i = 0;
    // SAFETY: the caller's; of the last registers that part is read and written that the buffers have.
    unsafe {
        // Eight times eight: a call of 64 elements goes round once. Each is stored before the next are loaded, for a call
        // that begins with many loads waits for stores of the one before, if they seem to be to the same place.
        while i < n - n % 64 {
            // (These the compiler does in a row. Over an array of eight starts it did not, where both sides of float16 to
            // complex128 are turned.)
            let mut k = 0;
            while k < 64 {
                let at = i + k;
                store::<TO>(x, dst.add(TO * at), each(load::<FROM>(x, src.add(FROM * at))));
                k += 8;
            }
            i += 64;
        }
        if i == n {
            return;
        }
        while i < n - n % 8 {
            store::<TO>(x, dst.add(TO * i), each(load::<FROM>(x, src.add(FROM * i))));
            i += 8;
        }
        if i < n {
            let v = each(load_part::<FROM>(x, src.add(FROM * i), n - i));
            store_part::<TO>(x, dst.add(TO * i), v, n - i);
        }
    }
}

/// Eight elements of so many bytes; of 16, which are complex numbers of two float64s, the real parts.
///
/// # Safety
/// `src` is valid for reading them.
#[inline(always)]
unsafe fn load<const BYTES: usize>(x: Features, src: *const u8) -> __m512i {
    // SAFETY: the caller's.
    unsafe {
        match BYTES {
            1 => {
                let bytes = src.cast::<u64>().read_unaligned();
                x.f._mm512_castsi128_si512(bytemuck::cast([bytes, 0]))
            }
            2 => x.f._mm512_castsi128_si512(x.load_bytes(src)),
            4 => x.f._mm512_castsi256_si512(x.load_words(src)),
            8 => x.load_dwords(src),
            _ => pieces::reals::<8>(x, x.load_qwords(src)),
        }
    }
}

/// # Safety
/// `dst` is valid for writing eight elements of so many bytes.
#[inline(always)]
unsafe fn store<const BYTES: usize>(x: Features, dst: *mut u8, [a, b]: [__m512i; 2]) {
    // SAFETY: the caller's.
    unsafe {
        match BYTES {
            1 => {
                let [bytes, _]: [u64; 2] = bytemuck::cast(low_bytes(x, a));
                dst.cast::<u64>().write_unaligned(bytes);
            }
            2 => x.store_bytes(dst, low_bytes(x, a)),
            4 => x.store_words(dst, x.f._mm512_castsi512_si256(a)),
            8 => x.store_dwords(dst, a),
            _ => x.store_qwords(dst, [a, b]),
        }
    }
}

/// The first of eight elements. (Of those of up to eight bytes one mask tells which, for the source and for results.)
///
/// # Safety
/// `src` is valid for reading `n <= 8` of them.
#[inline(always)]
pub(super) unsafe fn load_part<const BYTES: usize>(
    x: Features,
    src: *const u8,
    n: usize,
) -> __m512i {
    let [part, _] = first(n).to_le_bytes();
    // SAFETY: the caller's.
    unsafe {
        match BYTES {
            1 => x.f._mm512_castsi128_si512(x.bw._mm_maskz_loadu_epi8(part.into(), src.cast())),
            2 => x.f._mm512_castsi128_si512(x.bw._mm_maskz_loadu_epi16(part, src.cast())),
            4 => x.f._mm512_castsi256_si512(x.f._mm256_maskz_loadu_epi32(part, src.cast())),
            8 => x.f._mm512_maskz_loadu_epi64(part, src.cast()),
            _ => pieces::reals::<8>(x, x.load_first_pair(src, 16 * n)),
        }
    }
}

/// # Safety
/// `dst` is valid for writing `n <= 8` elements of so many bytes.
#[inline(always)]
pub(super) unsafe fn store_part<const BYTES: usize>(
    x: Features,
    dst: *mut u8,
    [a, b]: [__m512i; 2],
    n: usize,
) {
    let [part, _] = first(n).to_le_bytes();
    // SAFETY: the caller's.
    unsafe {
        match BYTES {
            1 => x.bw._mm_mask_storeu_epi8(dst.cast(), part.into(), low_bytes(x, a)),
            2 => x.bw._mm_mask_storeu_epi16(dst.cast(), part, low_bytes(x, a)),
            4 => x.f._mm256_mask_storeu_epi32(dst.cast(), part, x.f._mm512_castsi512_si256(a)),
            8 => x.f._mm512_mask_storeu_epi64(dst.cast(), part, a),
            _ => {
                x.store_first(dst, a, (16 * n).min(64));
                if n > 4 {
                    x.store_first(dst.add(64), b, 16 * n - 64);
                }
            }
        }
    }
}
