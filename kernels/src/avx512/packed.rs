//! Packed codes: with VBMI to a byte each and back by one permutation of bytes, and from packed to
//! packed without coming to elements at all.
//!
//! Half a byte of elements of 1, 2 or 4 bits is the index of a table that tells what all of them become
//! together.

use super::Features;
use super::codes::{Codes, Pair};
use super::lanes::each;
use super::pieces;
use super::shim::Vbmi;
use super::tables::LookUp;
use crate::codec::Isa;
use crate::scalar::direct::ByteTable;
use crate::table::Params;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// The 64 codes at the front of a register, a byte each.
#[inline(always)]
pub(super) fn spread(isa: Vbmi, bits: usize, packed: __m512i) -> __m512i {
    let x = isa.features();
    let v = match bits {
        2 => by_eights::<2>(isa, packed),
        6 => by_eights::<6>(isa, packed),
        _ => return pieces::spread(x, bits, packed),
    };
    x.f._mm512_and_si512(v, x.byte((1 << bits) - 1))
}

/// Eight codes to a qword, then each to the foot of its byte, with others above it.
#[inline(always)]
fn by_eights<const BITS: u8>(isa: Vbmi, packed: __m512i) -> __m512i {
    let x = isa.features();
    let qwords = isa.permutexvar_epi8(x.constant(&const { eights(BITS) }), packed);
    isa.multishift_epi64_epi8(x.constant(&const { starts(BITS) }), qwords)
}

/// Which bytes make the qwords: the first `bits` of each are eight codes.
const fn eights(bits: u8) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (qword, byte) = (i as u8 / 8, i as u8 % 8);
        indices[i] = qword * bits + if byte < bits { byte } else { 0 };
        i += 1;
    }
    indices
}

/// Where in its qword each code starts.
const fn starts(bits: u8) -> [u8; 64] {
    let mut starts = [0; 64];
    let mut i = 0;
    while i < 64 {
        starts[i] = i as u8 % 8 * bits;
        i += 1;
    }
    starts
}

/// 64 codes in the low bits of a byte each, packed at the front of a register.
#[inline(always)]
pub(super) fn gather(isa: Vbmi, bits: usize, v: __m512i) -> __m512i {
    let x = isa.features();
    let order = match bits {
        2 => const { &feet(1, 4) },
        4 => const { &feet(1, 2) },
        6 => const { &feet(3, 4) },
        _ => return pieces::gather(x, bits, v),
    };
    isa.permutexvar_epi8(x.constant(order), pieces::join(x, bits, v))
}

/// Writes four groups of 64 codes each, which come with nothing above their bits: their joined bytes by whole registers,
/// since a part of a register takes as long to store, and lies across a line sooner. Single bits are whole words of a general
/// register each; of these it counts that the source of all four is read before one is stored, which might be there.
///
/// # Safety
/// `dst` is valid for writing them.
#[inline(always)]
pub(super) unsafe fn store_four_groups(
    isa: Vbmi,
    bits: usize,
    mixed: bool,
    dst: *mut u8,
    v: [__m512i; 4],
) {
    let x = isa.features();
    if bits == 1 {
        // SAFETY: the caller's: they are 8 bytes each.
        return unsafe { store_four_masks(x, mixed, dst, v) };
    }
    let [a, b, c, d] = each(
        v,
        #[inline(always)]
        |v| pieces::join_clean(x, bits, v),
    );
    let two = |first, indices: &'static [u8; 64], second| {
        isa.permutex2var_epi8(first, x.constant(indices), second)
    };
    // SAFETY: the caller's: they are `32 * bits` bytes.
    unsafe {
        match bits {
            2 => {
                let feet =
                    const { [&two_groups(2, 0, false), &two_groups(2, 0, true)] }[mixed as usize];
                let (low, high) = (two(a, feet, b), x.f._mm512_castsi512_si256(two(c, feet, d)));
                x.store_dwords(dst, x.f._mm512_inserti64x4::<1>(low, high));
            }
            4 => {
                let feet =
                    const { [&two_groups(4, 0, false), &two_groups(4, 0, true)] }[mixed as usize];
                x.store_dwords(dst, two(a, feet, b));
                x.store_dwords(dst.add(64), two(c, feet, d));
            }
            _ => {
                let feet = const {
                    [
                        [
                            &two_groups(6, 0, false),
                            &two_groups(6, 16, false),
                            &two_groups(6, 32, false),
                        ],
                        [
                            &two_groups(6, 0, true),
                            &two_groups(6, 16, true),
                            &two_groups(6, 32, true),
                        ],
                    ]
                }[mixed as usize];
                x.store_dwords(dst, two(a, feet[0], b));
                x.store_dwords(dst.add(64), two(b, feet[1], c));
                x.store_dwords(dst.add(128), two(c, feet[2], d));
            }
        }
    }
}

/// The same of single bits.
///
/// # Safety
/// As for [`store_four_groups`].
#[inline(always)]
unsafe fn store_four_masks(x: Features, mixed: bool, dst: *mut u8, v: [__m512i; 4]) {
    let bits = each(
        v,
        #[inline(always)]
        |v| {
            let v = if mixed { x.unmix_words(v) } else { v };
            x.bw._mm512_test_epi8_mask(v, x.byte(1))
        },
    );
    for (k, bits) in bits.into_iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { dst.add(8 * k).cast::<u64>().write_unaligned(bits) };
    }
}

/// Where the packed bytes of two joined groups are, from one of the first group's on, as far as a register goes.
const fn two_groups(bits: usize, start: usize, mixed: bool) -> [u8; 64] {
    // The bytes that stay of a joined lane, which may be mixed by qwords.
    let (keep, lane) = match bits {
        6 => (3, 4),
        2 => (1, 4),
        _ => (1, 2),
    };
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 && start + i < 2 * 8 * bits {
        let at = start + i;
        let (group, byte) = (at / (8 * bits), at % (8 * bits));
        let spread = byte / keep * lane + byte % keep;
        let qword = if mixed { MIXED[spread / 8] } else { spread / 8 };
        indices[i] = (64 * group + 8 * qword + spread % 8) as u8;
        i += 1;
    }
    indices
}

/// Which qword of two packed registers has the elements of one.
const MIXED: [usize; 8] = [0, 2, 4, 6, 1, 3, 5, 7];

/// The first `keep` of every `of` bytes.
const fn feet(keep: u8, of: u8) -> [u8; 64] {
    let mut indices = [0; 64];
    let mut i = 0;
    while i < 64 / of * keep {
        indices[i as usize] = i / keep * of + i % keep;
        i += 1;
    }
    indices
}

/// Whether [`regroup`] is for a pair.
pub(super) const fn suits<A: Codes, B: Codes>() -> bool {
    A::BITS <= 4 && B::BITS <= 4
}

/// Whether what half a byte becomes leaves room for a mark in a byte.
pub(super) const fn leaves_room<A: Codes, B: Codes>() -> bool {
    suits::<A, B>() && bits::<A, B>() <= 4
}

/// What half a byte of elements becomes: up to 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    /// In words, again from the 16th on: bit 4 of an index does not matter.
    words: [u16; 32],
    /// What lower halves become in bytes, and higher ones where they stand in a byte joined of both; bits 4 and 5 of an
    /// index do not matter.
    lower: [u8; 64],
    higher: [u8; 64],
}

impl Halves {
    /// From elements of `A`'s bits to those of `B`'s, by what each code becomes.
    pub(super) const fn of<A: Codes, B: Codes>(codes: &[u8; 256]) -> Self {
        let mut halves = Self { words: [0; 32], lower: [0; 64], higher: [0; 64] };
        let place = if bits::<A, B>() <= 4 { bits::<A, B>() } else { 0 };
        let mut half = 0;
        while half < 64 {
            let (mut word, mut i) = (0, 0);
            while i < 4 / A::BITS {
                let from = half >> (i * A::BITS) & ((1 << A::BITS) - 1);
                let to = codes[from] as u16 & ((1 << B::BITS) - 1);
                word |= to << (i * B::BITS);
                i += 1;
            }
            if half < 32 {
                halves.words[half] = word;
            }
            (halves.lower[half], halves.higher[half]) = (word as u8, (word << place) as u8);
            half += 1;
        }
        halves
    }
}

impl Halves {
    /// The same with bits that are no results: bit 7 of those of halves that have a mark, or, if the higher half fills that,
    /// bit 0 of its own.
    #[inline(always)]
    fn with_marks<A: Codes, B: Codes>(&self, marks: &[u8; 16]) -> Self {
        const { assert!(leaves_room::<A, B>()) };
        let place = if bits::<A, B>() == 4 { 0 } else { 7 };
        let mut halves = *self;
        for half in 0..64 {
            halves.lower[half] |= marks[half % 16] << 7;
            halves.higher[half] |= marks[half % 16] << place;
        }
        halves
    }
}

/// The bits that half a byte becomes.
const fn bits<A: Codes, B: Codes>() -> usize {
    4 / A::BITS * B::BITS
}

/// Those of a pair under the default options.
struct Known<A, B>(PhantomData<(A, B)>);

impl<A: Codes, B: Codes> Known<A, B> {
    const HALVES: Halves = Halves::of::<A, B>(&ByteTable::<A::Numbers, B::Numbers>::BYTES);
}

/// From packed elements to packed ones.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn regroup<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    // SAFETY: the caller's.
    unsafe { regroup_by::<L, A, B>(isa, const { &Known::<A, B>::HALVES }, src, dst, n) }
}

/// The same as long as nothing is refused, as [`crate::stepwise`] has it. What becomes of steps with a mark may be anything: they
/// are cast again in another way.
///
/// # Safety
/// As there.
pub(super) unsafe fn regroup_while_fitting<L: LookUp + Isa, A: Codes, B: Codes>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    /// Steps between which nothing is asked.
    const STEPS: usize = 8;
    let (from, step) = const { (64 * A::BITS / B::BITS, 64 * 8 / B::BITS) };
    let Some(fit) = params.plan().refused().filter(|_| n >= step) else { return 0 };
    // SAFETY: the caller's.
    let isa = unsafe { L::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let x = isa.features();
            let marks = fit.unfit_halves(A::BITS);
            let halves = const { &Known::<A, B>::HALVES }.with_marks::<A, B>(&marks);
            let mut i = 0;
            while n - i >= step {
                let (mut any, steps) = ([x.f._mm512_setzero_si512(); 2], STEPS.min((n - i) / step));
                for k in 0..steps {
                    let at = i / step + k;
                    // SAFETY: the caller's: so many steps are left on both sides.
                    let found = unsafe {
                        let v = load_step::<A, B>(x, src.add(at * from));
                        let (v, found) = regrouped::<L, A, B>(isa, &halves, v);
                        x.store_dwords(dst.add(64 * at), v);
                        found
                    };
                    any = [
                        x.f._mm512_or_si512(any[0], found[0]),
                        x.f._mm512_or_si512(any[1], found[1]),
                    ];
                }
                let of_second = x.bw._mm512_test_epi8_mask(any[1], x.byte(1));
                if x.bw._mm512_movepi8_mask(any[0]) | of_second != 0 {
                    break;
                }
                i += steps * step;
            }
            i
        },
    )
}

/// The same by what half bytes become.
///
/// # Safety
/// As for [`regroup`].
#[inline(always)]
pub(super) unsafe fn regroup_by<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    halves: &Halves,
    src: *const u8,
    dst: *mut u8,
    n: usize,
) {
    let x = isa.features();
    // The bytes of the source that become 64.
    let (from, step) = const { (64 * A::BITS / B::BITS, 64 * 8 / B::BITS) };
    let (mut src, mut dst, mut left) = (src, dst, n);
    // SAFETY: the caller's. A step is `from` bytes of the source and 64 of the destination, and inside of
    // both while that many elements are left. Of the last one the bytes that hold elements are read and
    // written; what is left of the last byte is then cleared.
    unsafe {
        while left >= step {
            let (v, _) = regrouped::<L, A, B>(isa, halves, load_step::<A, B>(x, src));
            x.store_dwords(dst, v);
            (src, dst, left) = (src.add(from), dst.add(64), left - step);
        }
        if left > 0 {
            let bytes = (left * A::BITS).div_ceil(8);
            let mut v = [x.f._mm512_setzero_si512(); 4];
            for (i, v) in v.iter_mut().enumerate().take(bytes.div_ceil(64)) {
                *v = x.load_first(src.add(64 * i), (bytes - 64 * i).min(64));
            }
            let len = (left * B::BITS).div_ceil(8);
            let (v, _) = regrouped::<L, A, B>(isa, halves, v);
            x.store_first(dst, v, len);
            let rest = left * B::BITS % 8;
            if rest != 0 {
                *dst.add(len - 1) &= (1 << rest) - 1;
            }
        }
    }
}

/// The registers, as many as it takes, that become one.
///
/// # Safety
/// `src` is valid for reading what becomes 64 bytes.
#[inline(always)]
unsafe fn load_step<A: Codes, B: Codes>(x: Features, src: *const u8) -> [__m512i; 4] {
    let from = const { 64 * A::BITS / B::BITS };
    let mut v = [x.f._mm512_setzero_si512(); 4];
    for (i, v) in v.iter_mut().enumerate().take(from.div_ceil(64)) {
        // SAFETY: the caller's.
        *v = unsafe {
            match from {
                16 => x.f._mm512_castsi128_si512(x.load_bytes(src)),
                32 => x.f._mm512_castsi256_si512(x.load_words(src)),
                _ => x.load_dwords(src.add(64 * i)),
            }
        };
    }
    v
}

/// What the first bytes of four registers become: as many as become 64. And, of halves that become no more bits, which bits
/// any of what was looked up has: of both, or, if the higher ones fill a byte's other half, of these apart.
///
/// A byte whose halves become one each or two is widened so that these have an index of their own: the
/// byte, and the byte shifted, of which [`LookUp::look_up_halves`] and the permutation of 32 words see
/// the lower halves. Of narrower ones, neighbours are joined by multiplying and adding, in the registers'
/// lanes, and are put in order once they fill 64 bytes.
#[inline(always)]
fn regrouped<L: LookUp, A: Codes, B: Codes>(
    isa: L,
    halves: &Halves,
    [a, b, c, d]: [__m512i; 4],
) -> (__m512i, [__m512i; 2]) {
    let x = isa.features();
    let zero = x.f._mm512_setzero_si512();
    let looked_up = |v: __m512i| {
        let higher = x.bw._mm512_srli_epi16::<4>(v);
        [isa.look_up_halves(&halves.lower, v), isa.look_up_halves(&halves.higher, higher)]
    };
    let or = |a, b| x.f._mm512_or_si512(a, b);
    let joined = |v: __m512i| {
        let [lower, higher] = looked_up(v);
        or(lower, higher)
    };
    // Bytes of so many bits to words of twice as many, and those of two registers to bytes.
    let words = |bits: u32, v| x.bw._mm512_maddubs_epi16(v, x.word(1 | 256 << bits));
    let two = |bits, a, b| x.bw._mm512_packus_epi16(words(bits, a), words(bits, b));
    match const { bits::<A, B>() } {
        1 => {
            let (a, b, c, d) = (joined(a), joined(b), joined(c), joined(d));
            let (ab, cd) = (two(2, a, b), two(2, c, d));
            (x.unmix(two(4, ab, cd)), [or(or(a, b), or(c, d)), zero])
        }
        2 => {
            let (a, b) = (joined(a), joined(b));
            (x.unmix_words(two(4, a, b)), [or(a, b), zero])
        }
        4 => {
            let [lower, higher] = looked_up(a);
            (or(lower, higher), [lower, higher])
        }
        8 => {
            let v = x.bw._mm512_cvtepu8_epi16(x.f._mm512_castsi512_si256(a));
            let v = or(v, x.bw._mm512_slli_epi16::<4>(v));
            (isa.look_up_halves(&halves.lower, v), [zero; 2])
        }
        _ => {
            let v = x.f._mm512_cvtepu8_epi32(x.f._mm512_castsi512_si128(a));
            let v = or(v, x.f._mm512_slli_epi32::<12>(v));
            let words = x.constant(&halves.words);
            (x.bw._mm512_permutexvar_epi16(v, words), [zero; 2])
        }
    }
}
