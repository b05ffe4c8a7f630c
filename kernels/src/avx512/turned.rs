//! What needs no turning, or less, where a side is in the other byte order.
//!
//! * Unsigned words that are clamped to bytes: the byte that is stored is the upper one, and the other one tells whether the
//!   number is past it.
//! * Integers of two bytes to float64: one permutation puts each byte where it belongs in a number of 64 bits, in
//!   whatever order the source is, and that is a float64 but for a constant.
//! * Numbers of 32 bits that become 64-bit integers are turned before they are that long.
//! * Float64s that become float16s are turned in another order than the hubs' loop does it in.

use super::bridge::{Hub, NEAREST};
use super::decode::F64;
use super::eights::{by_eights, inlined};
use super::in_registers::Turn;
use super::lanes::both;
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::stepwise::{self, Side};
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::*;

/// Sets the kernels from integers of two bytes to turned float64s, and from float64s to float16s if both are turned.
pub(super) const fn with_turned<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    if MODE & stepwise::RESULTS == 0 {
        return pairs;
    }
    let [signed, unsigned]: [Kernel; 2] = match MODE {
        stepwise::BOTH => [doubles::<mark::Int16, true>, doubles::<mark::UInt16, true>],
        _ => [doubles::<mark::Int16, false>, doubles::<mark::UInt16, false>],
    };
    pairs.set(DType::Int16, DType::Float64, Entry { kernel: signed, road: Road::Direct });
    pairs.set(DType::UInt16, DType::Float64, Entry { kernel: unsigned, road: Road::Direct });
    if MODE == stepwise::BOTH {
        let entry = Entry { kernel: float16s_of_doubles, road: Road::Direct };
        pairs.set(DType::Float64, DType::Float16, entry);
    }
    pairs
}

/// Of eight words, which are in each lane of 128 bits, where each byte of the two comes from that a lane has room for as
/// 64-bit integers without a sign, in the machine's order. (128 is zero.)
const fn places_of_two(turned: bool) -> [u8; 64] {
    let mut places = [128; 64];
    let mut word = 0;
    while word < 8 {
        places[8 * word] = (2 * word) as u8 + turned as u8;
        places[8 * word + 1] = (2 * word) as u8 + !turned as u8;
        word += 1;
    }
    places
}

/// Integers of two bytes, turned or not, to float64, which is turned.
///
/// One below 2^52 is the fraction of the float64 of 2^52 and the integer, from which 2^52 is subtracted. Of one with a sign the
/// sign's bit is turned over, which adds as much as that bit is worth, and that is subtracted, too. (The difference of equal
/// numbers is -0 where they are rounded down, so that the instruction says how.)
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn doubles<A: Real, const TURNED: bool>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: &Params,
) -> usize {
    const POWER: u64 = (1023 + 52) << 52;
    // SAFETY: the caller's.
    let Avx512(x) = unsafe { Avx512::summon() };
    let sign = if matches!(A::DTYPE.kind(), Kind::Int) { 1 << 15 } else { 0 };
    let power = x.qword(POWER | sign);
    let turn = x.turn(8);
    let each = inlined(
        #[inline(always)]
        |v| {
            let eight = x.f._mm512_broadcast_i32x4(x.f._mm512_castsi512_si128(v));
            let places = x.constant(const { &places_of_two(TURNED) });
            let sum = x.f._mm512_xor_si512(x.bw._mm512_shuffle_epi8(eight, places), power);
            let (sum, power) = (x.f._mm512_castsi512_pd(sum), x.f._mm512_castsi512_pd(power));
            let double = x.f._mm512_sub_round_pd::<NEAREST>(sum, power);
            [x.turned_if(true, turn, x.f._mm512_castpd_si512(double)); 2]
        },
    );
    // SAFETY: the caller's.
    unsafe { by_eights::<2, 8>(x, src, dst, n, each) };
    n
}

/// Float64s to float16s, both turned: all of a step before anything else, and results by shuffles, too. (Calculations and
/// shuffles keep an Intel's two ports as busy as each other, and in the order that the hubs' loop has it takes 1.04 times as
/// long.)
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn float16s_of_doubles(src: *const u8, dst: *mut u8, n: usize, params: &Params) -> usize {
    // SAFETY: the caller's.
    let isa = unsafe { Avx512::summon() };
    let Avx512(x) = isa;
    let (from, to) = (x.turn(8), x.turn(2));
    let turned = inlined(
        #[inline(always)]
        |src: *const u8| {
            // SAFETY: one of the eight registers of the step below.
            let v = unsafe { x.load_dwords(src) };
            x.f._mm512_castsi512_pd(x.turned_if(true, from, v))
        },
    );
    // SAFETY: the caller's; a step reads eight registers, and writes four halves.
    unsafe {
        stepwise::whole_steps(
            isa,
            stepwise::NONE,
            const { Side::both(DType::Float64, DType::Float16, [false; 2]) },
            64,
            src,
            dst,
            n,
            params,
            #[inline(always)]
            |src, dst| {
                let at = |k: usize| turned(src.add(64 * k));
                let v = [[at(0), at(1)], [at(2), at(3)], [at(4), at(5)], [at(6), at(7)]];
                let mut k = 0;
                while k < 4 {
                    let odd = F64(v[k]).odd::<false>(x);
                    let halves = x.float16s::<_MM_FROUND_TO_NEAREST_INT>(odd);
                    x.store_words(dst.add(32 * k), x.turned_half(to, halves));
                    k += 1;
                }
            },
        )
    }
}

/// Where the dwords of 64-bit integers come from, of sixteen turned dwords and what is above them, which comes first.
const LONGER: [[u32; 16]; 2] = {
    let mut from = [[0; 16]; 2];
    let mut i = 0;
    while i < 32 {
        from[i / 16][i % 16] = i as u32 / 2 + if i % 2 == 0 { 16 } else { 0 };
        i += 1;
    }
    from
};

/// Sixteen dwords as 64-bit integers, which are turned as dwords are.
#[inline(always)]
pub(super) fn dwords_to_longs<const SIGNED: bool>(
    x: Features,
    turn: Turn,
    v: __m512i,
) -> [__m512i; 2] {
    let turned = x.turned_if(true, turn, v);
    let above = match SIGNED {
        true => x.f._mm512_srai_epi32::<31>(v),
        false => x.f._mm512_setzero_si512(),
    };
    both(
        [&LONGER[0], &LONGER[1]],
        #[inline(always)]
        |from| x.f._mm512_permutex2var_epi32(turned, x.constant(from), above),
    )
}

/// Unsigned words clamped to bytes.
#[inline(always)]
pub(super) fn words_to_bytes<L: LookUp>(isa: L, [a, b]: [__m512i; 2]) -> __m512i {
    let x = isa.features();
    let above = isa.low_bytes(a, b);
    let past = x.bw._mm512_test_epi8_mask(above, above);
    x.bw._mm512_mask_mov_epi8(isa.high_bytes(a, b), past, x.byte(0xff))
}
