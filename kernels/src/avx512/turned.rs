//! What needs no turning, or less, where a side is in the other byte order.
//!
//! * Unsigned words that are clamped to bytes: the byte that is stored is the upper one, and the other one tells whether the
//!   number is past it.
//! * Integers of two bytes to float64: one permutation puts each byte where it belongs in a number of 64 bits, in
//!   whatever order the source is, and that is a float64 but for a constant.
//! * Numbers of 32 bits that become 64-bit integers are turned before they are that long.

use super::eights::{NEAREST, by_eights, inlined};
use super::in_registers::Turn;
use super::lanes::both;
use super::tables::LookUp;
use super::{Avx512, Features};
use crate::codec::Isa;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::*;

/// Sets the kernels from integers of two bytes to turned float64s.
pub(super) const fn with_doubles<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    if MODE & stepwise::RESULTS == 0 {
        return pairs;
    }
    let [signed, unsigned]: [Kernel; 2] = match MODE {
        stepwise::BOTH => [doubles::<mark::Int16, true>, doubles::<mark::UInt16, true>],
        _ => [doubles::<mark::Int16, false>, doubles::<mark::UInt16, false>],
    };
    pairs.set(DType::Int16, DType::Float64, Entry { kernel: signed, road: Road::Direct });
    pairs.set(DType::UInt16, DType::Float64, Entry { kernel: unsigned, road: Road::Direct });
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
