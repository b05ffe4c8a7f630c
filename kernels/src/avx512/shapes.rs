//! The loops for other options that AVX-512 does better than portable code: its conversions and its
//! arithmetic round in any direction that the instruction names.

use super::bridge::Odd;
use super::decode::{F32, Unquiet};
use super::lanes::{both, each};
use super::shim::Vbmi;
use super::small::Small;
use super::tables::{ByteMap, LookUp};
use super::{Avx512, Features};
use crate::codec::{Bridge, Decode, Encode, Isa};
use crate::dtypes::{DType, Real, mark};
use crate::philox;
use crate::shape::{Grid, Mode, Shapes, Stores};
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;

/// The same with VBMI.
pub(super) const fn shapes_vbmi() -> Shapes {
    let mut shapes = shapes();
    shapes.look_up = look_up::<Vbmi>;
    shapes
}

/// Bytes by a table of 256.
///
/// # Safety
/// The pointers are valid for `n` bytes, and don't overlap. The CPU has the token's instruction set.
unsafe fn look_up<L: LookUp + Isa>(table: &[u8; 256], src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        let isa = L::summon();
        isa.vectorize(
            #[inline(always)]
            || {
                let map = ByteMap::of_any(*table);
                let x = isa.features();
                let mut i = 0;
                while n - i >= 64 {
                    let v = isa.look_up(&map, x.load_dwords(src.add(i)));
                    x.store_dwords(dst.add(i), v);
                    i += 64;
                }
                if i < n {
                    let v = isa.look_up(&map, x.load_first(src.add(i), n - i));
                    x.store_first(dst.add(i), v, n - i);
                }
            },
        );
    }
}

/// For `fixupimm`: of the classes of numbers, quiet and signalling NaNs are replaced by themselves,
/// quieted.
const NAN_TO_QUIET: u32 = 0x22;

/// The portable loops, and in place of some of them those below.
pub(super) const fn shapes() -> Shapes {
    let mut shapes = Shapes::of::<Avx512, 8>();
    shapes.draw = draw;
    shapes.look_up = look_up::<Avx512>;
    shapes.stores = stores(shapes.stores);

    let to = &mut shapes.conversions;
    let [.., away, _] = to.float64_to_32;
    to.float64_to_32 = [doubles::<TO_ZERO>, doubles::<UP>, doubles::<DOWN>, away, odd_doubles];
    let [.., away, _] = to.int32_to_32;
    to.int32_to_32 = [ints::<TO_ZERO>, ints::<UP>, ints::<DOWN>, away, odd_ints];
    let [.., away, _] = to.uint32_to_32;
    to.uint32_to_32 = [uints::<TO_ZERO>, uints::<UP>, uints::<DOWN>, away, odd_uints];
    let [.., away, _] = to.int64_to_32;
    to.int64_to_32 = [longs::<TO_ZERO>, longs::<UP>, longs::<DOWN>, away, odd_longs];
    let [.., away, _] = to.uint64_to_32;
    to.uint64_to_32 = [ulongs::<TO_ZERO>, ulongs::<UP>, ulongs::<DOWN>, away, odd_ulongs];
    let [.., away, odd] = to.int64_to_64;
    to.int64_to_64 = [wide_longs::<TO_ZERO>, wide_longs::<UP>, wide_longs::<DOWN>, away, odd];
    let [.., away, odd] = to.uint64_to_64;
    to.uint64_to_64 = [wide_ulongs::<TO_ZERO>, wide_ulongs::<UP>, wide_ulongs::<DOWN>, away, odd];

    let whole = &mut shapes.rounds.whole32;
    whole[Mode::Up as usize] = whole32::<UP>;
    whole[Mode::Down as usize] = whole32::<DOWN>;
    whole[Mode::NearestEven as usize] = whole32::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away32;
    let whole = &mut shapes.rounds.whole64;
    whole[Mode::Up as usize] = whole64::<UP>;
    whole[Mode::Down as usize] = whole64::<DOWN>;
    whole[Mode::NearestEven as usize] = whole64::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away64;
    shapes
}

/// Loops over 16 elements of dwords or qwords.
macro_rules! loops {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$round:ident>)? ($($extra:ty),*) = $load:ident $load_part:ident $from:literal
            -> $store:ident $store_part:ident $to:literal, |$x:ident, $v:ident| $result:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The pointers are valid for reading and writing `n` elements, and don't overlap. The CPU
        /// has AVX-512.
        unsafe fn $name $(<const $round: i32>)? (src: *const u8, dst: *mut u8, n: usize $(, _: $extra)*) {
            // SAFETY: the caller's; of the last registers that part is read and written that the
            // buffers have.
            unsafe {
                let isa = Avx512::summon();
                let Avx512($x) = isa;
                isa.vectorize(
                    #[inline(always)]
                    || {
                        let mut i = 0;
                        while n - i >= 64 {
                            for quarter in 0..4 {
                                let at = i + 16 * quarter;
                                let $v = $x.$load(src.add($from * at));
                                $x.$store(dst.add($to * at), $result);
                            }
                            i += 64;
                        }
                        while n - i >= 16 {
                            let $v = $x.$load(src.add($from * i));
                            $x.$store(dst.add($to * i), $result);
                            i += 16;
                        }
                        if i < n {
                            let $v = $x.$load_part(src.add($from * i), n - i);
                            $x.$store_part(dst.add($to * i), $result, n - i);
                        }
                    },
                );
            }
        }
    )*};
}

loops! {
    /// Float64 to float32.
    doubles<ROUND>() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.floats_of_doubles::<ROUND>(v);
    /// The same to odd.
    odd_doubles() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.odd_floats_of_doubles(v);
    /// Int32 to float32.
    ints<ROUND>() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.f._mm512_cvt_roundepi32_ps::<ROUND>(v));
    /// The same to odd.
    odd_ints() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| x.odd(
            x.f._mm512_cvt_roundepi32_ps::<TO_ZERO>(v),
            x.f._mm512_cvt_roundepi32_ps::<UP>(v),
            x.f._mm512_cvt_roundepi32_ps::<DOWN>(v),
        );
    /// Uint32 to float32.
    uints<ROUND>() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.f._mm512_cvt_roundepu32_ps::<ROUND>(v));
    /// The same to odd.
    odd_uints() = load_dwords load_dwords_part 4 -> store_dwords store_dwords_part 4,
        |x, v| {
            let (down, up) = (
                x.f._mm512_cvt_roundepu32_ps::<TO_ZERO>(v),
                x.f._mm512_cvt_roundepu32_ps::<UP>(v),
            );
            x.odd(down, up, up)
        };
    /// Int64 to float32.
    longs<ROUND>() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.floats_of_longs::<ROUND>(v));
    /// The same to odd.
    odd_longs() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.odd(
            x.floats_of_longs::<TO_ZERO>(v),
            x.floats_of_longs::<UP>(v),
            x.floats_of_longs::<DOWN>(v),
        );
    /// Uint64 to float32.
    ulongs<ROUND>() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(x.floats_of_ulongs::<ROUND>(v));
    /// The same to odd.
    odd_ulongs() = load_qwords load_qwords_part 8 -> store_dwords store_dwords_part 4,
        |x, v| {
            let up = x.floats_of_ulongs::<UP>(v);
            x.odd(x.floats_of_ulongs::<TO_ZERO>(v), up, up)
        };
    /// Int64 to float64.
    wide_longs<ROUND>() = load_qwords load_qwords_part 8 -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.f._mm512_castpd_si512(x.dq._mm512_cvt_roundepi64_pd::<ROUND>(v))
        );
    /// Uint64 to float64.
    wide_ulongs<ROUND>() = load_qwords load_qwords_part 8 -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.f._mm512_castpd_si512(x.dq._mm512_cvt_roundepu64_pd::<ROUND>(v))
        );
    /// Float32 to integers.
    whole32<ROUND>(*const u32, &Grid) = load_dwords load_dwords_part 4
        -> store_dwords store_dwords_part 4,
        |x, v| x.f._mm512_castps_si512(
            x.f._mm512_roundscale_ps::<ROUND>(x.f._mm512_castsi512_ps(v))
        );
    /// Float64 to integers.
    whole64<ROUND>(*const u32, &Grid) = load_qwords load_qwords_part 8
        -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| x.f._mm512_castpd_si512(
                x.f._mm512_roundscale_pd::<ROUND>(x.f._mm512_castsi512_pd(v))
            )
        );
    /// Float32 to the nearest integers, ties away from zero.
    nearest_away32(*const u32, &Grid) = load_dwords load_dwords_part 4
        -> store_dwords store_dwords_part 4,
        |x, v| {
            let sum = x.half_further(x.f._mm512_castsi512_ps(v));
            x.f._mm512_castps_si512(x.f._mm512_roundscale_ps::<TO_ZERO>(sum))
        };
    /// Float64 in the same way.
    nearest_away64(*const u32, &Grid) = load_qwords load_qwords_part 8
        -> store_qwords store_qwords_part 8,
        |x, v| both(v, #[inline(always)] |v| {
                let half = x.f._mm512_ternarylogic_epi64::<0xf8>(
                    x.qword(0.5f64.to_bits() - 1), v, x.qword(1 << 63)
                );
                let sum = x.f._mm512_add_round_pd::<NEAREST>(
                    x.f._mm512_castsi512_pd(v), x.f._mm512_castsi512_pd(half)
                );
                x.f._mm512_castpd_si512(x.f._mm512_roundscale_pd::<TO_ZERO>(sum))
            }
        );
    /// Float32 to float16.
    halves<ROUND>(bool) = load_dwords load_dwords_part 4 -> store_words store_words_part 2,
        |x, v| x.f._mm512_cvtps_ph::<ROUND>(x.f._mm512_castsi512_ps(v));
    /// Float32 to float16, to nearest with ties away from zero: half a unit is added, and the rest cut
    /// off; what the sum itself loses, cut off toward zero, would be cut off anyway. Cutting off
    /// stops at the largest number: what is past it is made infinity before.
    near_halves(bool) = load_dwords load_dwords_part 4 -> store_words store_words_part 2,
        |x, v| {
            const LOWEST: u32 = (127 - 14) << 23;
            const HALF_UNIT: u32 = (127 - 11) << 23;
            const PAST: u32 = (127 + 16) << 23;
            const INFINITY: u32 = 0xff << 23;
            let power = x.f._mm512_and_si512(v, x.dword(INFINITY));
            let power = x.f._mm512_max_epi32(power, x.dword(LOWEST));
            // power OR (v AND the sign)
            let power = x.f._mm512_ternarylogic_epi32::<0xf8>(power, v, x.dword(1 << 31));
            let sum = x.f._mm512_castps_si512(x.f._mm512_fmadd_round_ps::<TO_ZERO>(
                x.f._mm512_castsi512_ps(power), x.float(HALF_UNIT), x.f._mm512_castsi512_ps(v)
            ));
            let size = x.f._mm512_and_si512(sum, x.dword(i32::MAX as u32));
            let past = x.f._mm512_cmpge_epi32_mask(size, x.dword(PAST));
            let past = x.f._mm512_mask_cmple_epi32_mask(past, size, x.dword(INFINITY));
            // infinity OR (sum AND the sign)
            let infinity =
                x.f._mm512_ternarylogic_epi32::<0xf8>(x.dword(INFINITY), sum, x.dword(1 << 31));
            let sum = x.f._mm512_mask_mov_epi32(sum, past, infinity);
            x.f._mm512_cvtps_ph::<_MM_FROUND_TO_ZERO>(x.f._mm512_castsi512_ps(sum))
        };
    /// Float32 to bfloat16, its upper half: what is added before the lower half is cut off carries
    /// into the upper one by the mode, and into the exponent up to infinity's.
    brains<MODE>(bool) = load_dwords load_dwords_part 4 -> store_words store_words_part 2,
        |x, v| {
            let negative = x.f._mm512_srai_epi32::<31>(v);
            let low = x.dword(0xffff);
            let moved = if MODE == Mode::Up as i32 {
                x.f._mm512_add_epi32(v, x.f._mm512_andnot_si512(negative, low))
            } else if MODE == Mode::Down as i32 {
                x.f._mm512_add_epi32(v, x.f._mm512_and_si512(negative, low))
            } else if MODE == Mode::NearestAway as i32 {
                x.f._mm512_add_epi32(v, x.dword(0x8000))
            } else {
                v
            };
            // NaNs are quieted only.
            let float = x.f._mm512_castsi512_ps(v);
            let quiet = x.f._mm512_fixupimm_ps::<0>(
                x.f._mm512_castsi512_ps(moved), float, x.dword(NAN_TO_QUIET)
            );
            let words = x.f._mm512_srli_epi32::<16>(x.f._mm512_castps_si512(quiet));
            x.f._mm512_cvtepi32_epi16(words)
        };
}

impl Features {
    #[inline(always)]
    fn floats_of_doubles<const ROUND: i32>(self, [a, b]: [__m512i; 2]) -> __m512i {
        let a = self.f._mm512_cvt_roundpd_ps::<ROUND>(self.f._mm512_castsi512_pd(a));
        let b = self.f._mm512_cvt_roundpd_ps::<ROUND>(self.f._mm512_castsi512_pd(b));
        self.join(self.bits_of(a), self.bits_of(b))
    }

    /// Cut off toward zero, and made odd where the float64 is another number.
    #[inline(always)]
    fn odd_floats_of_doubles(self, [a, b]: [__m512i; 2]) -> __m512i {
        let (a, b) = (self.f._mm512_castsi512_pd(a), self.f._mm512_castsi512_pd(b));
        let low = self.f._mm512_cvt_roundpd_ps::<TO_ZERO>(a);
        let high = self.f._mm512_cvt_roundpd_ps::<TO_ZERO>(b);
        let rest_low = self.f._mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(a, self.f._mm512_cvtps_pd(low));
        let rest_high = self.f._mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(b, self.f._mm512_cvtps_pd(high));
        let rest = u16::from(rest_low) | u16::from(rest_high) << 8;
        let v = self.join(self.bits_of(low), self.bits_of(high));
        self.f._mm512_mask_or_epi32(v, rest, v, self.dword(1))
    }

    #[inline(always)]
    fn floats_of_longs<const ROUND: i32>(self, [a, b]: [__m512i; 2]) -> __m512 {
        let a = self.dq._mm512_cvt_roundepi64_ps::<ROUND>(a);
        let b = self.dq._mm512_cvt_roundepi64_ps::<ROUND>(b);
        self.f._mm512_castsi512_ps(self.join(self.bits_of(a), self.bits_of(b)))
    }

    #[inline(always)]
    fn floats_of_ulongs<const ROUND: i32>(self, [a, b]: [__m512i; 2]) -> __m512 {
        let a = self.dq._mm512_cvt_roundepu64_ps::<ROUND>(a);
        let b = self.dq._mm512_cvt_roundepu64_ps::<ROUND>(b);
        self.f._mm512_castsi512_ps(self.join(self.bits_of(a), self.bits_of(b)))
    }

    #[inline(always)]
    fn bits_of(self, v: __m256) -> __m256i {
        self.avx._mm256_castps_si256(v)
    }

    /// What is rounded toward zero, made odd if any of two others has an odd last bit: of neighbours,
    /// one has, and if all three are the same number, it stays as it is.
    #[inline(always)]
    fn odd(self, cut: __m512, one: __m512, other: __m512) -> __m512i {
        let (cut, one, other) = (
            self.f._mm512_castps_si512(cut),
            self.f._mm512_castps_si512(one),
            self.f._mm512_castps_si512(other),
        );
        // the last bit AND (one OR other)
        let rest = self.f._mm512_ternarylogic_epi32::<0xe0>(self.dword(1), one, other);
        self.f._mm512_or_si512(cut, rest)
    }
}

/// Stores by every mode that is not stochastic, for each of some sources to each of some destinations.
macro_rules! all_stores {
    ($stores:ident: $($from:ident)* => $tos:tt by $kernel:ident $modes:tt) => {{
        $(let $stores = all_stores!(@from $stores $from $tos $kernel $modes);)*
        $stores
    }};
    (@from $stores:ident $from:ident [$($to:ident)*] $kernel:ident $modes:tt) => {{
        $(let $stores = all_stores!(@to $stores $from $to $kernel $modes);)*
        $stores
    }};
    (@to $stores:ident $from:ident $to:ident $kernel:ident [$($mode:ident)*]) => {
        $stores$(.with(
            DType::$from,
            DType::$to,
            Mode::$mode,
            $kernel::<mark::$from, mark::$to, { Mode::$mode as u8 }>,
        ))*
    };
}

const fn stores(stores: Stores) -> Stores {
    let stores = stores
        .with(DType::Float32, DType::Float16, Mode::TowardZero, halves::<_MM_FROUND_TO_ZERO>)
        .with(DType::Float32, DType::Float16, Mode::Up, halves::<_MM_FROUND_TO_POS_INF>)
        .with(DType::Float32, DType::Float16, Mode::Down, halves::<_MM_FROUND_TO_NEG_INF>)
        .with(DType::Float32, DType::Float16, Mode::NearestAway, near_halves)
        .with(
            DType::Float32,
            DType::BFloat16,
            Mode::TowardZero,
            brains::<{ Mode::TowardZero as i32 }>,
        )
        .with(DType::Float32, DType::BFloat16, Mode::Up, brains::<{ Mode::Up as i32 }>)
        .with(DType::Float32, DType::BFloat16, Mode::Down, brains::<{ Mode::Down as i32 }>)
        .with(
            DType::Float32,
            DType::BFloat16,
            Mode::NearestAway,
            brains::<{ Mode::NearestAway as i32 }>,
        );
    let stores = all_stores! {
        stores: Float32 Float16 BFloat16 Int32 UInt32 => [
            Float8E4M3Fn Float8E5M2 Float8E4M3Fnuz Float8E5M2Fnuz Float8E4M3 Float8E3M4
            Float8E4M3B11Fnuz Float6E2M3Fn Float6E3M2Fn Float4E2M1Fn
        ] by small [TowardZero Up Down NearestEven NearestAway]
    };
    all_stores! {
        stores: Float32 Float16 BFloat16 => [
            Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64
            Int1 Int2 Int4 UInt1 UInt2 UInt4
        ] by integers [Up Down NearestEven NearestAway]
    }
}

/// Runs whole steps, and what is left by way of the stack.
///
/// # Safety
/// The pointers are valid for `n` elements of `A` and `B`, and don't overlap. `step` reads and writes
/// 64. The CPU has AVX-512.
#[inline(always)]
unsafe fn steps<A: Real, B: Real>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    step: impl Fn(Avx512, *const u8, *mut u8),
) {
    let (from, to) = (size_of::<A::Stored>(), size_of::<B::Stored>());
    // SAFETY: the caller's; a step fits the buffers.
    unsafe {
        let isa = Avx512::summon();
        isa.vectorize(
            #[inline(always)]
            || {
                let mut i = 0;
                while n - i >= 64 {
                    step(isa, src.add(i * from), dst.add(i * to));
                    i += 64;
                }
                if i < n {
                    let (mut source, mut result) = ([0u8; 512], [0u8; 512]);
                    src.add(i * from).copy_to_nonoverlapping(source.as_mut_ptr(), (n - i) * from);
                    step(isa, source.as_ptr(), result.as_mut_ptr());
                    result.as_ptr().copy_to_nonoverlapping(dst.add(i * to), (n - i) * to);
                }
            },
        );
    }
}

/// To a small float.
///
/// # Safety
/// As for every [`Store`](crate::shape::Store).
unsafe fn small<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    saturate: bool,
) where
    Avx512: Decode<A> + Bridge<<Avx512 as Decode<A>>::Hub, [Odd<false>; 4]>,
{
    // SAFETY: the caller's; a step is of 64 elements, a byte each as what they become.
    unsafe {
        steps::<A, B>(
            src,
            dst,
            n,
            #[inline(always)]
            |isa, src, dst| {
                let Avx512(x) = isa;
                let limit = x.float(Small::<B>::limit(saturate));
                let v = isa.bridge(Decode::<A>::decode(isa, src));
                x.store_dwords(dst, Small::<B>::step_by::<MODE>(x, v, limit));
            },
        );
    }
}

/// Hubs of float32s.
trait Floats: Copy {
    fn floats(self) -> __m512;
}

impl Floats for F32 {
    #[inline(always)]
    fn floats(self) -> __m512 {
        self.0
    }
}

impl Floats for Unquiet {
    #[inline(always)]
    fn floats(self) -> __m512 {
        self.0
    }
}

/// Float32, or what is exact in it, to an integer.
///
/// # Safety
/// As for every [`Store`](crate::shape::Store).
unsafe fn integers<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: bool,
) where
    Avx512: Decode<A, Hub: Quarters<Hub: Floats>> + Encode<B>,
    Avx512: Bridge<[F32; 4], <Avx512 as Encode<B>>::Home>,
{
    // SAFETY: the caller's; a step is of 64 elements.
    unsafe {
        steps::<A, B>(
            src,
            dst,
            n,
            #[inline(always)]
            |isa, src, dst| {
                let Avx512(x) = isa;
                let v = each(
                    Decode::<A>::decode(isa, src).quarters(),
                    #[inline(always)]
                    |v| F32(x.whole::<MODE>(v.floats())),
                );
                Encode::<B>::encode(isa, isa.bridge(v), dst);
            },
        );
    }
}

/// A step's hub, a quarter at a time.
trait Quarters {
    type Hub;

    fn quarters(self) -> [Self::Hub; 4];
}

impl<H> Quarters for [H; 4] {
    type Hub = H;

    #[inline(always)]
    fn quarters(self) -> [H; 4] {
        self
    }
}

impl Features {
    /// Float32s as integers; by [`Mode::NearestAway`] before they are cut off toward zero.
    #[inline(always)]
    fn whole<const MODE: u8>(self, v: __m512) -> __m512 {
        if MODE == Mode::Up as u8 {
            self.f._mm512_roundscale_ps::<UP>(v)
        } else if MODE == Mode::Down as u8 {
            self.f._mm512_roundscale_ps::<DOWN>(v)
        } else if MODE == Mode::NearestEven as u8 {
            self.f._mm512_roundscale_ps::<NEAREST>(v)
        } else {
            self.half_further(v)
        }
    }

    /// Numbers further from zero by the largest number below a half: cut off, those are the nearest
    /// integers, with ties away from zero. (With a half itself the number below a half would become
    /// 1.)
    #[inline(always)]
    fn half_further(self, v: __m512) -> __m512 {
        let half = self.with_sign_of(self.float(0.5f32.to_bits() - 1), v);
        self.f._mm512_add_round_ps::<NEAREST>(v, half)
    }
}

/// Draws of 32 blocks at a time: each word of 8 blocks in a register, in lanes twice as wide; four
/// such sets, whose multiplications overlap.
///
/// # Safety
/// The CPU has AVX-512.
unsafe fn draw(seed: u64, block: u64, blocks: &mut [MaybeUninit<[u32; 4]>]) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx512::summon() };
    let Avx512(x) = isa;
    isa.vectorize(
        #[inline(always)]
        || {
            let (groups, rest) = blocks.as_chunks_mut::<32>();
            let mut first = block;
            for group in groups {
                let sets = each(
                    [0, 8, 16, 24],
                    #[inline(always)]
                    |offset| x.counters(first.wrapping_add(offset)),
                );
                let sets = x.philox(seed, sets);
                for (set, blocks) in sets.into_iter().zip(group.as_chunks_mut::<8>().0) {
                    // SAFETY: 8 blocks are two registers.
                    unsafe { x.store_qwords(blocks.as_mut_ptr().cast(), x.in_order(set)) };
                }
                first = first.wrapping_add(32);
            }
            philox::fill::<8>(seed, first, rest);
        },
    );
}

impl Features {
    /// The counters of 8 blocks, as their words. Blocks are counted modulo 2^62.
    #[inline(always)]
    fn counters(self, first: u64) -> [__m512i; 4] {
        let lanes = self.constant(&[0u64, 1, 2, 3, 4, 5, 6, 7]);
        let block = self.f._mm512_add_epi64(self.qword(first), lanes);
        let block = self.f._mm512_and_si512(block, self.qword(u64::MAX >> 2));
        let zero = self.f._mm512_setzero_si512();
        [block, self.f._mm512_srli_epi64::<32>(block), zero, zero]
    }

    /// Ten rounds. Of each lane the lower half counts.
    #[inline(always)]
    fn philox(self, seed: u64, mut sets: [[__m512i; 4]; 4]) -> [[__m512i; 4]; 4] {
        let [m0, m1] = philox::MULTIPLIERS;
        let (m0, m1) = (self.qword(m0.into()), self.qword(m1.into()));
        let mut key = [seed as u32, (seed >> 32) as u32];
        for _ in 0..philox::ROUNDS {
            let (k0, k1) = (self.qword(key[0].into()), self.qword(key[1].into()));
            for [a, b, c, d] in &mut sets {
                let p0 = self.f._mm512_mul_epu32(*a, m0);
                let p1 = self.f._mm512_mul_epu32(*c, m1);
                let (h0, h1) =
                    (self.f._mm512_srli_epi64::<32>(p0), self.f._mm512_srli_epi64::<32>(p1));
                *a = self.f._mm512_ternarylogic_epi64::<0x96>(h1, *b, k0);
                *c = self.f._mm512_ternarylogic_epi64::<0x96>(h0, *d, k1);
                (*b, *d) = (p1, p0);
            }
            key = philox::next_key(key);
        }
        sets
    }

    /// The words of 8 blocks, block by block.
    #[inline(always)]
    fn in_order(self, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 2] {
        const ODD: u16 = 0xaaaa;
        let ab = self.f._mm512_mask_blend_epi32(ODD, a, self.f._mm512_slli_epi64::<32>(b));
        let cd = self.f._mm512_mask_blend_epi32(ODD, c, self.f._mm512_slli_epi64::<32>(d));
        let low = self.constant(&[0u64, 8, 1, 9, 2, 10, 3, 11]);
        let high = self.constant(&[4u64, 12, 5, 13, 6, 14, 7, 15]);
        [
            self.f._mm512_permutex2var_epi64(ab, low, cd),
            self.f._mm512_permutex2var_epi64(ab, high, cd),
        ]
    }
}
