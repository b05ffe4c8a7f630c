//! From numbers of 64 bits to those of at most 16, 64 at a time: what each becomes is told by one half of its bits, or of
//! those of a number that it is first made into, and these halves are brought together.
//!
//! An instruction narrows eight integers, with saturation, but takes the one port twice that moves bytes about, which
//! turning elements of the other byte order needs, too. Of registers that are joined pair by pair each takes it once.
//!
//! * Float64s become integers by clamping their magnitudes, and cutting them to 64-bit integers, of which the lower half is
//!   looked at. By modes other than the default one they are rounded before, in the same loop.
//! * Integers become powers of two by way of float64, whose upper half has the exponent.
//! * What is true is not zero in one half or the other.

use super::bridge::{QUIETLY, UP};
use super::direct::For;
use super::eights::{by_eights, in_front, inlined};
use super::from_floats::NAN_TO_ZERO;
use super::lanes::both;
use super::pieces::reals;
use super::shim::Vbmi;
use super::tables::LookUp;
use super::{Avx512, Features, truths};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::shape::{Mode, Stores, all_stores};
use crate::stepwise::{self, InRegisters, Side};
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// For `range`: of two numbers the one nearer to zero, with the sign of the first.
const NEARER: i32 = 0b0010;

/// How numbers of 64 bits become shorter ones.
trait Narrows: 'static {
    const FROM: DType;
    type To: Real;

    /// What eight become, each in a half of 64 bits.
    fn each(x: Features, v: __m512i) -> __m512i;

    /// These halves of two registers, those of each lane one after the other.
    fn halves(x: Features, a: __m512i, b: __m512i) -> __m512i;

    /// Eight results.
    fn eight(x: Features, v: __m512i) -> __m128i;

    /// Results of a byte each, from such that the halves were clamped to.
    #[inline(always)]
    fn finish(_: Features, bytes: __m512i) -> __m512i {
        bytes
    }

    const IS_COMPLEX: bool = Self::FROM.bits() == 128;

    /// The bytes of an element and of a result.
    const BYTES: [usize; 2] = [Self::FROM.bits() / 8, size_of::<<Self::To as Real>::Stored>()];
}

/// Float64s, or the real parts of complex numbers, as integers.
struct Cut<B, const COMPLEX: bool>(PhantomData<B>);

impl<B: Real, const COMPLEX: bool> Narrows for Cut<B, COMPLEX> {
    const FROM: DType = if COMPLEX { DType::Complex128 } else { DType::Float64 };
    type To = B;

    /// 64-bit integers no further from 0 than the numbers of `B` are: packing, or [`finish`](Narrows::finish), clamps them on
    /// the other side.
    ///
    /// (Of a Zen 5's ports, those that clamp one side at a time are those that convert. This way takes 0.73 of the time of
    /// clamping both by `min` and `max`, and conversion to dwords in half a register, which must be joined, takes longer than
    /// either.)
    #[inline(always)]
    fn each(x: Features, v: __m512i) -> __m512i {
        let v = x.f._mm512_castsi512_pd(v);
        let v = x.f._mm512_fixupimm_round_pd::<0, QUIETLY>(v, v, x.qword(NAN_TO_ZERO.into()));
        let furthest = x.f._mm512_set1_pd(const { furthest::<B>() });
        let v = x.dq._mm512_range_round_pd::<NEARER, QUIETLY>(v, furthest);
        x.dq._mm512_cvtt_roundpd_epi64::<QUIETLY>(v)
    }

    #[inline(always)]
    fn halves(x: Features, a: __m512i, b: __m512i) -> __m512i {
        let (a, b) = (x.f._mm512_castsi512_ps(a), x.f._mm512_castsi512_ps(b));
        x.f._mm512_castps_si512(x.f._mm512_shuffle_ps::<0b10_00_10_00>(a, b))
    }

    #[inline(always)]
    fn eight(x: Features, v: __m512i) -> __m128i {
        let (least, most) = const { limits::<B>() };
        // (On the other side their magnitude is clamped already.)
        let v = match B::DTYPE.kind() {
            Kind::UInt => x.f._mm512_max_epi64(v, x.f._mm512_set1_epi64(least)),
            _ => x.f._mm512_min_epi64(v, x.f._mm512_set1_epi64(most)),
        };
        match size_of::<B::Stored>() {
            1 => x.f._mm512_cvtepi64_epi8(v),
            _ => x.f._mm512_cvtepi64_epi16(v),
        }
    }

    #[inline(always)]
    fn finish(x: Features, bytes: __m512i) -> __m512i {
        match B::DTYPE.kind() {
            Kind::Int if B::DTYPE.significant_bits() < 8 => {
                x.bw._mm512_min_epi8(bytes, x.byte(const { limits::<B>().1 as u8 }))
            }
            _ => bytes,
        }
    }
}

/// The least number of an integer dtype and the largest.
const fn limits<B: Real>() -> (i64, i64) {
    let bits = B::DTYPE.significant_bits();
    match B::DTYPE.kind() {
        Kind::UInt => (0, (1 << bits) - 1),
        _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// The magnitude of the one further from 0.
const fn furthest<B: Real>() -> f64 {
    let (least, most) = limits::<B>();
    if least < 0 { -least as f64 } else { most as f64 }
}

/// Integers as powers of two, up.
struct Powers<A>(PhantomData<A>);

/// What exponents of float64 are larger by than those of float8_e8m0fnu.
const BIAS: u32 = 1023 - 127;

impl<A: Real> Narrows for Powers<A> {
    const FROM: DType = A::DTYPE;
    type To = mark::Float8E8M0Fnu;

    /// Float64s, rounded up, which takes none past a power of two; any bit of the fraction takes the exponent one up.
    #[inline(always)]
    fn each(x: Features, v: __m512i) -> __m512i {
        let v = match A::DTYPE.kind() {
            Kind::UInt => x.dq._mm512_cvt_roundepu64_pd::<UP>(v),
            _ => x.dq._mm512_cvt_roundepi64_pd::<UP>(v),
        };
        x.f._mm512_add_epi64(x.f._mm512_castpd_si512(v), x.qword((1 << 52) - 1))
    }

    /// Codes that are yet to be clamped: that of zero is negative, and those of negative numbers, for which it is NaN's that
    /// is the largest, have their sign above an exponent.
    #[inline(always)]
    fn halves(x: Features, a: __m512i, b: __m512i) -> __m512i {
        let (a, b) = (x.f._mm512_castsi512_ps(a), x.f._mm512_castsi512_ps(b));
        let upper = x.f._mm512_castps_si512(x.f._mm512_shuffle_ps::<0b11_01_11_01>(a, b));
        x.f._mm512_sub_epi32(x.f._mm512_srli_epi32::<20>(upper), x.dword(BIAS))
    }

    #[inline(always)]
    fn eight(x: Features, v: __m512i) -> __m128i {
        let codes = x.f._mm512_sub_epi64(x.f._mm512_srli_epi64::<52>(v), x.qword(BIAS.into()));
        x.f._mm512_cvtusepi64_epi8(x.f._mm512_max_epi64(codes, x.f._mm512_setzero_si512()))
    }
}

/// Numbers as bools.
struct Truths<A>(PhantomData<A>);

impl<A: Real> Narrows for Truths<A> {
    const FROM: DType = A::DTYPE;
    type To = mark::Bool;

    #[inline(always)]
    fn each(_: Features, v: __m512i) -> __m512i {
        v
    }

    /// The bits of both halves of each, but for a float's sign.
    #[inline(always)]
    fn halves(x: Features, a: __m512i, b: __m512i) -> __m512i {
        let (a, b) = (x.f._mm512_castsi512_ps(a), x.f._mm512_castsi512_ps(b));
        let lower = x.f._mm512_castps_si512(x.f._mm512_shuffle_ps::<0b10_00_10_00>(a, b));
        let upper = x.f._mm512_castps_si512(x.f._mm512_shuffle_ps::<0b11_01_11_01>(a, b));
        let upper = match A::DTYPE.kind() {
            Kind::Float => x.f._mm512_add_epi32(upper, upper),
            _ => upper,
        };
        x.f._mm512_or_si512(lower, upper)
    }

    #[inline(always)]
    fn eight(x: Features, v: __m512i) -> __m128i {
        let v = match A::DTYPE.kind() {
            Kind::Float => x.f._mm512_add_epi64(v, v),
            _ => v,
        };
        x.f._mm512_cvtepi64_epi8(x.f._mm512_min_epu64(v, x.qword(1)))
    }

    /// (Clamped, what is not zero stays so.)
    #[inline(always)]
    fn finish(x: Features, bytes: __m512i) -> __m512i {
        x.truth_of_bytes(bytes)
    }
}

/// The kernel of a pair.
const fn kernel<N: Narrows, const MODE: usize>(isa: For) -> Kernel {
    match isa {
        For::Vbmi if MODE & stepwise::BOTH != 0 => turned_by_bytes::<N, MODE>,
        _ => narrowed::<N, MODE>,
    }
}

/// Sets the kernels of the pairs, and has the loops of the other modes.
macro_rules! sixty_fours {
    (cut: $($to:ident)*; powers: $($from:ident)*; truths: $($of:ident)*;) => {
        /// Sets the kernels of the pairs.
        pub(super) const fn with_sixty_fours<const MODE: usize>(
            mut pairs: RealPairs,
            isa: For,
        ) -> RealPairs {
            $(set::<Cut<mark::$to, false>, MODE>(&mut pairs, isa);)*
            $(set::<Cut<mark::$to, true>, MODE>(&mut pairs, isa);)*
            $(set::<Powers<mark::$from>, MODE>(&mut pairs, isa);)*
            $(set::<Truths<mark::$of>, MODE>(&mut pairs, isa);)*
            pairs
        }

        /// The loops from float64 to integers by modes other than the default one.
        pub(super) const fn stores(stores: Stores) -> Stores {
            all_stores! {
                stores: Float64 => [$($to)*] by rounded [Up Down NearestEven NearestAway]
            }
        }
    };
}

sixty_fours! {
    cut: Int8 Int16 UInt8 UInt16 Int1 Int2 Int4 UInt1 UInt2 UInt4;
    powers: Int64 UInt64;
    truths: Float64 Int64 UInt64;
}

const fn set<N: Narrows, const MODE: usize>(pairs: &mut RealPairs, isa: For) {
    if MODE == stepwise::SOURCE && truths::has_long_truths(N::FROM, N::To::DTYPE) {
        // Such a source need not be turned.
        return;
    }
    pairs.set(N::FROM, N::To::DTYPE, Entry { kernel: kernel::<N, MODE>(isa), road: Road::Direct });
}

/// Numbers of 64 bits as shorter ones.
///
/// # Safety
/// As for every kernel, see [`Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn narrowed<N: Narrows, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx512::summon();
        let Avx512(x) = isa;
        let turn = x.turn(N::BYTES[1]);
        in_mode::<_, N, MODE>(
            isa,
            src,
            dst,
            n,
            params,
            #[inline(always)]
            |v| x.turned_if(MODE & stepwise::RESULTS != 0, turn, in_order(x, v)),
        )
    }
}

/// The same with turned sides: the source by bits, which takes none of the ports that packing does, and words by the
/// permutation of bytes that brings them into order, too.
///
/// # Safety
/// As for every kernel, see [`Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512vbmi,avx512vbmi2")]
unsafe fn turned_by_bytes<N: Narrows, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    const PLACES: [u8; 64] = {
        let mut places = [0; 64];
        let mut i = 0;
        while i < 64 {
            places[i] = (4 * DWORDS[i / 4] + i as u32 % 4) as u8;
            i += 1;
        }
        places
    };
    const TURNED: [u8; 64] = {
        let (mut places, mut i) = (PLACES, 0);
        while i < 64 {
            places[i] ^= 1;
            i += 1;
        }
        places
    };
    // SAFETY: the caller's.
    unsafe {
        let isa = Vbmi::summon();
        let turns_results = const { MODE & stepwise::RESULTS != 0 };
        let places = isa.features().constant(if turns_results { &TURNED } else { &PLACES });
        in_mode::<_, N, MODE>(
            isa,
            src,
            dst,
            n,
            params,
            #[inline(always)]
            |v| isa.permutexvar_epi8(places, v),
        )
    }
}

/// Float64s, rounded, or moved by half a unit, before they are cut.
///
/// # Safety
/// As for every store, see [`Stores`].
unsafe fn rounded<A: Real, B: Real, const MODE: u8>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: bool,
) {
    // SAFETY: the caller's.
    unsafe {
        let isa = Avx512::summon();
        let Avx512(x) = isa;
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                all::<Cut<B, false>>(
                    x,
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |v| x.cut_to_whole::<MODE>(v),
                    #[inline(always)]
                    |v| in_order(x, v),
                    #[inline(always)]
                    |v| v,
                );
            },
        );
    }
}

/// Casts `n` elements, or by another mode than none as many as [`stepwise`] has it, and answers how many. `words` brings
/// words into order, as [`step`] asks, and turns them if they are to be.
///
/// # Safety
/// As for every kernel, see [`Kernel`].
#[inline(always)]
unsafe fn in_mode<L: LookUp + InRegisters, N: Narrows, const MODE: usize>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
    words: impl Fn(__m512i) -> __m512i + Copy,
) -> usize {
    let x = isa.features();
    // SAFETY: the caller's; a step is whole registers.
    unsafe {
        if MODE == stepwise::FITTING {
            return stepwise::whole_steps(
                isa,
                MODE,
                const { Side::both(N::FROM, N::To::DTYPE, [false; 2]) },
                64,
                src,
                dst,
                n,
                params,
                #[inline(always)]
                |src, dst| {
                    step::<N>(
                        x,
                        src,
                        dst,
                        #[inline(always)]
                        |v| v,
                        words,
                    );
                },
            );
        }
        let (from, to) = (isa.turn_of(8), isa.turn_of(N::BYTES[1]));
        all::<N>(
            x,
            src,
            dst,
            n,
            #[inline(always)]
            |v| x.turned_if(MODE & stepwise::SOURCE != 0, from, v),
            words,
            #[inline(always)]
            |v| x.turned_if(MODE & stepwise::RESULTS != 0, to, v),
        );
        n
    }
}

/// Casts `n` elements: whole steps, then those left by eights. `prepare` makes of the source's numbers those that are cut,
/// `finish` of eight results such as are stored. (All by value: a reference to a function is one more, which need not be
/// inlined.)
///
/// # Safety
/// `src` is valid for reading `n` elements and `dst` for writing `n` elements of `B`; they don't overlap.
#[inline(always)]
unsafe fn all<N: Narrows>(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    prepare: impl Fn(__m512i) -> __m512i + Copy,
    words: impl Fn(__m512i) -> __m512i + Copy,
    finish: impl Fn(__m512i) -> __m512i + Copy,
) {
    let [from, to] = N::BYTES;
    let mut i = 0;
    // SAFETY: the caller's.
    unsafe {
        while n - i >= 64 {
            step::<N>(x, src.add(from * i), dst.add(to * i), prepare, words);
            i += 64;
        }
        let (src, dst, left) = (src.add(from * i), dst.add(to * i), n - i);
        let each = inlined(
            #[inline(always)]
            |v| both(in_front(x, N::eight(x, N::each(x, prepare(v)))), finish),
        );
        match (from, to) {
            (8, 1) => by_eights::<8, 1>(x, src, dst, left, each),
            (8, _) => by_eights::<8, 2>(x, src, dst, left, each),
            (_, 1) => by_eights::<16, 1>(x, src, dst, left, each),
            _ => by_eights::<16, 2>(x, src, dst, left, each),
        }
    }
}

/// Casts 64 elements. Of each 32 that are words, a lane has those in two lanes of each register that they come from, one
/// after the other, and `words` is to bring them into order.
///
/// # Safety
/// `src` is valid for reading so many and `dst` for writing as many of `B`; they don't overlap.
#[inline(always)]
unsafe fn step<N: Narrows>(
    x: Features,
    src: *const u8,
    dst: *mut u8,
    prepare: impl Fn(__m512i) -> __m512i + Copy,
    words: impl Fn(__m512i) -> __m512i + Copy,
) {
    // (What is true may have a sign, which must not make it zero.)
    let signed = matches!(N::To::DTYPE.kind(), Kind::Int | Kind::Bool);
    // SAFETY: the caller's.
    let each = inlined(
        #[inline(always)]
        |k: usize| unsafe {
            let v = match N::IS_COMPLEX {
                true => reals::<8>(x, x.load_qwords(src.add(128 * k))),
                false => x.load_dwords(src.add(64 * k)),
            };
            N::each(x, prepare(v))
        },
    );
    let halves = inlined(
        #[inline(always)]
        |k| N::halves(x, each(k), each(k + 1)),
    );
    let words_of = inlined(
        #[inline(always)]
        |k| x.packed_dwords(signed, halves(k), halves(k + 2)),
    );
    // SAFETY: the caller's.
    unsafe {
        if N::BYTES[1] == 2 {
            x.store_dwords(dst, words(words_of(0)));
            x.store_dwords(dst.add(64), words(words_of(4)));
            return;
        }
        let bytes = x.packed_words(signed, words_of(0), words_of(4));
        let bytes = x.bw._mm512_permutexvar_epi16(x.constant(&WORDS), bytes);
        x.store_dwords(dst, N::finish(x, bytes));
    }
}

impl Features {
    /// Signed dwords of two registers as words, clamped.
    #[inline(always)]
    fn packed_dwords(self, signed: bool, a: __m512i, b: __m512i) -> __m512i {
        match signed {
            true => self.bw._mm512_packs_epi32(a, b),
            false => self.bw._mm512_packus_epi32(a, b),
        }
    }

    /// Signed words of two registers as bytes, clamped.
    #[inline(always)]
    fn packed_words(self, signed: bool, a: __m512i, b: __m512i) -> __m512i {
        match signed {
            true => self.bw._mm512_packs_epi16(a, b),
            false => self.bw._mm512_packus_epi16(a, b),
        }
    }
}

/// Which word goes where, of bytes that a lane has of each of eight registers, two at a time.
const WORDS: [u16; 32] = {
    let mut words = [0; 32];
    let mut i = 0;
    while i < 32 {
        words[i] = (8 * (i % 4) + i / 4) as u16;
        i += 1;
    }
    words
};

/// Which dword goes where, of words that a lane has of each of four registers, two at a time.
const DWORDS: [u32; 16] = {
    let mut dwords = [0; 16];
    let mut i = 0;
    while i < 16 {
        dwords[i] = (4 * (i % 4) + i / 4) as u32;
        i += 1;
    }
    dwords
};

/// The words of a step in order.
#[inline(always)]
fn in_order(x: Features, v: __m512i) -> __m512i {
    x.f._mm512_permutexvar_epi32(x.constant(&DWORDS), v)
}
