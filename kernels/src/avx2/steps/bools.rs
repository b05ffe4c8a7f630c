//! To and from bool.

use super::turned::FOR_UNPACKING;
use crate::avx2::Avx2;
use crate::avx2::direct::{Step, by_memory};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::exact::Exact;
use crate::format::Numbers;
use crate::options::Options;
use crate::reference;
use crate::swap;
use core::arch::x86_64::__m256i;

/// Any dtype to bool. Floats are zero if no bit but the sign is set: no comparison of floats is
/// needed, and so no subnormal is taken for zero, whatever the environment. If they are turned, the sign is the top bit
/// of the lowest byte.
pub(in crate::avx2) struct ToBool<const TURNED: bool>;

/// Bool to any dtype: the code of one where it is true, else that of zero, which is 0 everywhere. Results that are floats are
/// turned, if so.
pub(in crate::avx2) struct FromBool<const TURNED: bool>;

/// The bits of a one-byte dtype that are all zero for zero; none if zero is no number of it.
const fn nonzero_bits(dtype: DType) -> u8 {
    match dtype.numbers() {
        Numbers::Bool => 0xff,
        Numbers::Int(format) => format.mask() as u8,
        Numbers::Float(format) if !format.has_zero() => 0,
        Numbers::Float(format) if format.has_negative_zero() => {
            (format.mask() ^ format.sign_mask()) as u8
        }
        Numbers::Float(format) => format.mask() as u8,
    }
}

impl<const TURNED: bool, A: Real, B: Real> Step<A, B> for ToBool<TURNED> {
    const LEN: usize = 32;
    const AT_ONCE: usize = by_memory(A::DTYPE, B::DTYPE, 32);
    const READS_TURNED: bool = TURNED;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = match const { A::DTYPE.bits() } {
                8 => isa.bytes_by_zero::<A>(isa.load(src)),
                16 => isa.words_by_zero::<A, TURNED>(src),
                32 => isa.dwords_by_zero::<A, TURNED>(src),
                _ => isa.bytes_of_qwords(
                    src,
                    #[inline(always)]
                    |v| isa.by_zero::<A, 64, TURNED>(v),
                ),
            };
            isa.store(dst, isa.min_u8(bytes, isa.all8(1)));
        }
    }
}

/// Bytes that are zero where a number is, and anything else where it is not. Packing with saturation makes zero of
/// nothing else: numbers need not be compared before.
impl Avx2 {
    #[inline(always)]
    fn bytes_by_zero<A: Real>(self, bytes: __m256i) -> __m256i {
        match const { nonzero_bits(A::DTYPE) } {
            0 => self.all8(1),
            0xff => bytes,
            bits => self.and(bytes, self.all8(bits as i8)),
        }
    }

    /// # Safety
    /// 32 elements are readable at `src`.
    #[inline(always)]
    unsafe fn words_by_zero<A: Real, const TURNED: bool>(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.load(src), self.load(src.add(32))) };
        let (a, b) = (self.by_zero::<A, 16, TURNED>(a), self.by_zero::<A, 16, TURNED>(b));
        self.in_order(self.packs16(a, b))
    }

    /// # Safety
    /// 32 elements are readable at `src`.
    #[inline(always)]
    unsafe fn dwords_by_zero<A: Real, const TURNED: bool>(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let at = |k: usize| unsafe { self.by_zero::<A, 32, TURNED>(self.load(src.add(32 * k))) };
        let [ab, cd] = [self.packs32(at(0), at(1)), self.packs32(at(2), at(3))];
        self.packed_in_order(self.packs16(ab, cd))
    }

    /// Lanes of so many bits in the same way.
    #[inline(always)]
    fn by_zero<A: Real, const BITS: usize, const TURNED: bool>(self, v: __m256i) -> __m256i {
        match A::DTYPE.kind() {
            Kind::Float => self.sizes::<BITS, TURNED>(v),
            _ => v,
        }
    }

    /// Floats of so many bits without their signs, which turned ones have in the lowest byte.
    #[inline(always)]
    pub(in crate::avx2) fn sizes<const BITS: usize, const TURNED: bool>(
        self,
        v: __m256i,
    ) -> __m256i {
        let mask = match (BITS, TURNED) {
            (16, false) => self.all16(i16::MAX),
            (32, false) => self.all32(i32::MAX),
            (_, false) => self.all64(i64::MAX),
            (16, true) => self.all16(i16::MAX.swap_bytes()),
            (32, true) => self.all32(i32::MAX.swap_bytes()),
            (_, true) => self.all64(i64::MAX.swap_bytes()),
        };
        self.and(v, mask)
    }

    /// A byte for each of 32 qwords, by what four become: zero if that is, ones of ones.
    ///
    /// # Safety
    /// 32 qwords are readable at `src`.
    #[inline(always)]
    pub(in crate::avx2) unsafe fn bytes_of_qwords(
        self,
        src: *const u8,
        ones: impl Fn(__m256i) -> __m256i,
    ) -> __m256i {
        // SAFETY: the caller's.
        let [a, b] = unsafe {
            [self.words_of_qwords(src, &ones), self.words_of_qwords(src.add(128), &ones)]
        };
        // Of each of eight vectors, two elements are in the lower and two in the upper lane, as a
        // word a pair. Packing words with words then halves elements to bytes.
        self.low_high_pairs(self.in_order(self.packs16(a, b)))
    }

    /// # Safety
    /// 16 qwords are readable at `src`.
    #[inline(always)]
    unsafe fn words_of_qwords(self, src: *const u8, ones: &impl Fn(__m256i) -> __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe {
            let ab = self.packs32(ones(self.load(src)), ones(self.load(src.add(32))));
            let cd = self.packs32(ones(self.load(src.add(64))), ones(self.load(src.add(96))));
            self.packs16(ab, cd)
        }
    }

    /// Words 0-3 and 4-7 of each lane, in turns.
    #[inline(always)]
    pub(in crate::avx2) fn low_high_pairs(self, v: __m256i) -> __m256i {
        const TURNS: [u8; 32] = [
            0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, //
            0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15,
        ];
        self.shuffle8(v, self.constant(&TURNS))
    }
}

/// The bits of one, turned or not.
const fn one(dtype: DType, turned: bool) -> u64 {
    match reference::encode(dtype, Exact::from_u64(1), false, &Options::DEFAULT, 0) {
        Ok(code) => {
            let bits = reference::stored(dtype, code);
            if turned { swap::swapped_code(dtype, bits as u128) as u64 } else { bits }
        }
        Err(_) => panic!("the default options refuse nothing"),
    }
}

impl<const TURNED: bool, A: Real, B: Real> Step<A, B> for FromBool<TURNED> {
    const LEN: usize = 32;
    const AT_ONCE: usize = by_memory(A::DTYPE, B::DTYPE, 32);
    const WRITES_TURNED: bool = TURNED;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        let one = const { one(B::DTYPE, TURNED) };
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            match const { B::DTYPE.bits() } {
                8 => {
                    let no = isa.eq8(isa.load(src), isa.zero());
                    isa.store(dst, isa.andnot(no, isa.all8(one as i8)));
                }
                16 => {
                    let no = isa.in_order(isa.eq8(isa.load(src), isa.zero()));
                    let one = isa.all16(one as i16);
                    isa.store(dst, isa.andnot(isa.low8(no, no), one));
                    isa.store(dst.add(32), isa.andnot(isa.high8(no, no), one));
                }
                32 | 64 if one == 1 => {
                    let bools = isa.min_u8(isa.load(src), isa.all8(1));
                    isa.store_widened::<mark::UInt8, B>(bools, dst);
                }
                32 if TURNED => isa.store_ones_of_32(src, dst, one as i32),
                32 => {
                    // (That is float32, of whose one the lower word is zero.)
                    let bools = isa.ready_to_unpack_twice(isa.load(src));
                    let no = isa.eq8(bools, isa.zero());
                    let [low, high] = [isa.all8((one >> 16) as i8), isa.all8((one >> 24) as i8)];
                    isa.store_brains(isa.andnot(no, low), isa.andnot(no, high), dst);
                }
                _ => isa.store_ones_of_64(src, dst, one as i64),
            }
        }
    }
}

/// Some bits for each bool that is true, in lanes, and zeros for others.
impl Avx2 {
    /// Ones for each of 16 bools that is false, in both lanes.
    ///
    /// # Safety
    /// 16 bools are readable at `src`.
    #[inline(always)]
    unsafe fn no_of_16(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let bools = unsafe { self.twice(self.loadx(src)) };
        self.eq8(bools, self.zero())
    }

    /// # Safety
    /// `src` is valid for reading 32 bools, and `dst` for writing as many lanes of 32 bits.
    #[inline(always)]
    unsafe fn store_ones_of_32(self, src: *const u8, dst: *mut u8, one: i32) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 16 bools are left for two iterations, and a register for eight.
            unsafe {
                let no = self.no_of_16(src.add(k / 2 * 16));
                let places = const { &copies_of_eight([0, 1, 2, 3, 4, 5, 6, 7]) };
                let no = self.shuffle8(no, self.constant(&places[k % 2]));
                self.store(dst.add(32 * k), self.andnot(no, self.all32(one)));
            }
            k += 1;
        }
    }

    /// One dword of a lane is zero anyway: what is unpacked beside it is the other.
    ///
    /// # Safety
    /// `src` is valid for reading 32 bools, and `dst` for writing as many lanes of 64 bits.
    #[inline(always)]
    unsafe fn store_ones_of_64(self, src: *const u8, dst: *mut u8, one: i64) {
        let (lower, upper) = (one as i32, (one >> 32) as i32);
        debug_assert!(lower == 0 || upper == 0);
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 16 bools are left for two iterations, and two registers for eight.
            unsafe {
                let no = self.no_of_16(src.add(k / 2 * 16));
                let places = const { &copies_of_eight(FOR_UNPACKING) };
                let no = self.shuffle8(no, self.constant(&places[k % 2]));
                let ones = self.andnot(no, self.all32(lower | upper));
                let (below, above) = match lower {
                    0 => (self.zero(), ones),
                    _ => (ones, self.zero()),
                };
                self.store(dst.add(64 * k), self.low32(below, above));
                self.store(dst.add(64 * k + 32), self.high32(below, above));
            }
            k += 1;
        }
    }
}

/// Of the 16 bytes of each lane, which are the same, where four copies of each come to of eight, the first eight or those that
/// follow, in that order.
const fn copies_of_eight(order: [usize; 8]) -> [[u8; 32]; 2] {
    let mut places = [[0; 32]; 2];
    let mut i = 0;
    while i < 64 {
        places[i / 32][i % 32] = (i / 32 * 8 + order[i % 32 / 4]) as u8;
        i += 1;
    }
    places
}
