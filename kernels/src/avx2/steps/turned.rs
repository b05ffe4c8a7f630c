//! From integers to wider ones and to floats, and from bfloat16 to float64 and to integers of 32 bits, of which one side or both
//! are in the other byte order: one permutation puts each byte where it belongs, in whatever order there is on either side. And
//! from 64-bit integers to those of 16, which are picked out in either order, too.

use crate::avx2::Avx2;
use crate::avx2::decode::F32;
use crate::avx2::direct::Step;
use crate::codec::{Bridge, Encode};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::stepwise::{BOTH, RESULTS, SOURCE, places};
use core::arch::x86_64::{__m128i, __m256, __m256i};

/// Integers of 16 or 32 bits to wider ones, by a mode: the source is in the other byte order, or the results are, or both; and
/// to floats those that [`floats`] tells.
pub(in crate::avx2) struct WidenTurned<const MODE: usize>;

/// Whether integers are widened so to others. (The signs of four take more than is saved.)
pub(in crate::avx2) const fn widens(from: DType, to: DType) -> bool {
    match (from.bits(), to.bits()) {
        (16, 32 | 64) => true,
        (32, 64) => matches!(from.kind(), Kind::UInt),
        _ => false,
    }
}

/// Whether integers become floats so, by a mode: those of 16 bits float32, but native ones with a sign, which take no less time
/// so, and those of up to 16 bits float64.
pub(in crate::avx2) const fn floats<const MODE: usize>(from: DType, to: DType) -> bool {
    match to {
        DType::Float32 => {
            let sides = match from {
                DType::UInt16 => BOTH,
                DType::Int16 => SOURCE,
                _ => return false,
            };
            MODE & sides != 0
        }
        DType::Float64 => {
            let is_short =
                matches!(from, DType::Int8 | DType::UInt8 | DType::Int16 | DType::UInt16);
            MODE & BOTH != 0 && is_short
        }
        _ => false,
    }
}

impl<A: Real, B: Real, const MODE: usize> Step<A, B> for WidenTurned<MODE> {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = MODE & SOURCE != 0;
    const WRITES_TURNED: bool = MODE & RESULTS != 0;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        let (from, to) = const { (A::DTYPE.bits() / 8, B::DTYPE.bits() / 8) };
        let turned = isa.twice(bytemuck::cast(const { places(B::DTYPE.bits() / 8) }));
        let mut i = 0;
        while i < 16 {
            // SAFETY: the caller's: 16 bytes of elements are left in the source, and room for the registers that they fill.
            unsafe {
                let elements = isa.loadx(src.add(i * from));
                let v = isa.twice(elements);
                let mut k = 0;
                while k < const { B::DTYPE.bits() / A::DTYPE.bits() / 2 } {
                    let v = match const { B::DTYPE } {
                        DType::Float32 => isa.ps_bits(isa.words_to_ps::<A, MODE>(elements)),
                        DType::Float64 => isa.doubles::<A, MODE>(v, k),
                        _ => isa.widened_turned::<A, B, MODE>(v, k),
                    };
                    let is_to_turn =
                        const { MODE & RESULTS != 0 && matches!(B::DTYPE.kind(), Kind::Float) };
                    let v = if is_to_turn { isa.shuffle8(v, turned) } else { v };
                    isa.store(dst.add(i * to + 32 * k), v);
                    k += 1;
                }
            }
            i += 16 / from;
        }
    }
}

/// A place that becomes zero.
const NOTHING: u8 = 0x80;

/// The most registers that the elements of 16 bytes fill.
const MOST: usize = 4;

/// By a mode, of the 16 bytes of elements, which comes to each place of a register of these once they are widened, the first
/// register or one that follows: the integers', with nothing above them, or their highest above them, with nothing below.
/// (What becomes a float is turned once it is one.)
const fn sources<A: Real, B: Real>(mode: usize, is_above: bool) -> [[u8; 32]; MOST] {
    let (from, to) = (A::DTYPE.bits() / 8, B::DTYPE.bits() / 8);
    let source = mode & SOURCE != 0;
    let results = mode & RESULTS != 0 && !matches!(B::DTYPE.kind(), Kind::Float);
    let mut indices = [[NOTHING; 32]; MOST];
    let mut i = 0;
    while i < 16 * to / from {
        let weight = weight(to, results, i);
        if (weight >= from) == is_above {
            let byte = if is_above { from - 1 } else { weight };
            let byte = if source { from - 1 - byte } else { byte };
            indices[i / 32][i % 32] = (i / to * from + byte) as u8;
        }
        i += 1;
    }
    indices
}

/// How many bytes are below one of a number of so many bytes, which is turned or not.
const fn weight(bytes: usize, turned: bool, place: usize) -> usize {
    let byte = place % bytes;
    if turned { bytes - 1 - byte } else { byte }
}

impl Avx2 {
    /// Eight bfloat16s, turned or not, as float32s.
    #[inline(always)]
    pub(in crate::avx2) fn brains_to_ps<const TURNED: bool>(self, brains: __m128i) -> __m256 {
        let places = const { &uppers(TURNED, [0, 4]) };
        self.as_ps(self.shuffle8(self.twice(brains), self.constant(places)))
    }

    /// Sixteen of them from memory.
    ///
    /// # Safety
    /// `src` is valid for reading 32 bytes.
    #[inline(always)]
    pub(in crate::avx2) unsafe fn load_brains<const TURNED: bool>(
        self,
        src: *const u8,
    ) -> [__m256; 2] {
        // SAFETY: the caller's.
        let (first, second) = unsafe { (self.loadx(src), self.loadx(src.add(16))) };
        [self.brains_to_ps::<TURNED>(first), self.brains_to_ps::<TURNED>(second)]
    }

    /// Of integers whose 16 bytes are in both lanes, those that come to a register of wider ones.
    #[inline(always)]
    fn widened_turned<A: Real, B: Real, const MODE: usize>(
        self,
        v: __m256i,
        register: usize,
    ) -> __m256i {
        let places = const { &sources::<A, B>(MODE, false) };
        let integers = self.shuffle8(v, self.constant(&places[register]));
        match const { A::DTYPE.kind() } {
            Kind::UInt => integers,
            _ => {
                let places = const { &sources::<A, B>(MODE, true) };
                let highest = self.shuffle8(v, self.constant(&places[register]));
                self.or(integers, self.gt8(self.zero(), highest))
            }
        }
    }

    /// Eight integers of 16 bits, turned or not by a mode, as float32s.
    ///
    /// A shuffle puts them in the upper halves of dwords, as bfloat16s are in float32s. There they are 2^16 times as large. Of
    /// those with a sign that is taken back from float32s, exactly, since shifts have the ports of conversions.
    #[inline(always)]
    pub(in crate::avx2) fn words_to_ps<A: Real, const MODE: usize>(self, words: __m128i) -> __m256 {
        let upper = self.ps_bits(match MODE & SOURCE {
            SOURCE => self.brains_to_ps::<true>(words),
            _ => self.brains_to_ps::<false>(words),
        });
        match const { A::DTYPE.kind() } {
            Kind::Int => self.mul_ps(self.i32_to_ps(upper), self.all_ps(const { 1.0 / 65536.0 })),
            // (The compiler makes one shuffle of a shift and the one before it.)
            _ => self.i32_to_ps(self.shr32::<16>(upper)),
        }
    }

    /// The low words of eight 64-bit integers, in dwords, by lanes of 128 bits; those of turned ones are on top of the dwords
    /// with the lowest bytes, and turned.
    ///
    /// # Safety
    /// `src` is valid for reading 64 bytes.
    #[inline(always)]
    unsafe fn lowest_words<const MODE: usize>(self, src: *const u8) -> __m256i {
        const N: u8 = NOTHING;
        const OTHER: [[u8; 16]; 2] = [
            [1, 0, N, N, 5, 4, N, N, 9, 8, N, N, 13, 12, N, N],
            [3, 2, N, N, 7, 6, N, N, 11, 10, N, N, 15, 14, N, N],
        ];
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.load(src), self.load(src.add(32))) };
        match MODE & BOTH {
            BOTH => self.shr32::<16>(self.odd_dwords(a, b)),
            SOURCE => self.shuffle8(self.odd_dwords(a, b), self.twice(bytemuck::cast(OTHER[1]))),
            RESULTS => self.shuffle8(self.even_dwords(a, b), self.twice(bytemuck::cast(OTHER[0]))),
            _ => self.and(self.even_dwords(a, b), self.all32(0xffff)),
        }
    }

    /// Those of at most 16 bits as float64s, a register of them.
    ///
    /// One below 2^52 is the fraction of the float64 of 2^52 and the integer, from which 2^52 is subtracted. Of one with a
    /// sign the sign's bit is turned over, which adds as much as that bit is worth, and that is subtracted, too. (Where
    /// numbers are rounded down, the difference of equal ones is -0: so zero is made of zero.)
    #[inline(always)]
    fn doubles<A: Real, const MODE: usize>(self, v: __m256i, register: usize) -> __m256i {
        const POWER: i64 = (1023 + 52) << 52;
        let places = const { &sources::<A, mark::Float64>(MODE, false) };
        let whole = self.shuffle8(v, self.constant(&places[register]));
        let sign = match const { A::DTYPE.kind() } {
            Kind::Int => const { 1i64 << (A::DTYPE.bits() - 1) },
            _ => 0,
        };
        let power = self.all64(POWER | sign);
        let sum = self.as_pd(self.xor(whole, power));
        let double = self.pd_bits(self.sub_pd(sum, self.as_pd(power)));
        match const { A::DTYPE.kind() } {
            Kind::UInt => self.and(double, self.all64(i64::MAX)),
            _ => self.andnot(self.eq64(whole, self.zero()), double),
        }
    }
}

/// Of words in lanes of 128 bits, or copies of them, which bytes come to the upper halves of dwords: of the first four in each
/// lane, or of as many from another one on.
const fn uppers(turned: bool, firsts: [usize; 2]) -> [u8; 32] {
    let mut indices = [NOTHING; 32];
    let mut i = 0;
    while i < 32 {
        if i % 4 >= 2 {
            let byte = if turned { 3 - i % 4 } else { i % 4 - 2 };
            indices[i] = (2 * (firsts[i / 16] + i % 16 / 4) + byte) as u8;
        }
        i += 1;
    }
    indices
}

/// Bfloat16 to float64, of which the source is in the other byte order or not.
pub(in crate::avx2) struct BrainToFloat64<const TURNED: bool>;

impl<A: Real, B: Real, const TURNED: bool> Step<A, B> for BrainToFloat64<TURNED> {
    const LEN: usize = 16;
    const READS_TURNED: bool = TURNED;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        let mut i = 0;
        while i < 16 {
            // SAFETY: the caller's: eight elements are left on both sides.
            unsafe {
                let floats = isa.brains_to_ps::<TURNED>(isa.loadx(src.add(2 * i)));
                let dst = dst.add(8 * i);
                isa.store(dst, isa.pd_bits(isa.ps_to_pd(isa.lower_ps(floats))));
                isa.store(dst.add(32), isa.pd_bits(isa.ps_to_pd(isa.half_ps::<1>(floats))));
            }
            i += 8;
        }
    }
}

/// Bfloat16s in the other byte order to integers, by way of float32s.
pub(in crate::avx2) struct TurnedBrains;

impl<A: Real, B: Real> Step<A, B> for TurnedBrains
where
    Avx2: Encode<B> + Bridge<F32, <Avx2 as Encode<B>>::Home>,
{
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            Encode::<B>::encode(isa, isa.bridge(F32(isa.load_brains::<true>(src))), dst);
        }
    }
}

/// Integers of 64 bits to those of 16, either of which are in the other byte order or not, by a mode.
pub(in crate::avx2) struct LongsToWords<const MODE: usize>;

impl<A: Real, B: Real, const MODE: usize> Step<A, B> for LongsToWords<MODE> {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = MODE & SOURCE != 0;
    const WRITES_TURNED: bool = MODE & RESULTS != 0;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let first = isa.lowest_words::<MODE>(src);
            let second = isa.lowest_words::<MODE>(src.add(64));
            // (Of each four, two are in one lane and two in the other.)
            isa.store(dst, isa.packed_in_order(isa.pack_u32(first, second)));
        }
    }
}

/// Integers of 16 bits, in the other byte order, to bfloat16.
pub(in crate::avx2) struct WordsToBrain;

impl<A: Real, B: Real> Step<A, B> for WordsToBrain {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let v = isa.load(src);
            let a = isa.shuffle8(v, isa.constant(const { &uppers(true, [0, 0]) }));
            let b = isa.shuffle8(v, isa.constant(const { &uppers(true, [4, 4]) }));
            let (a, b) = match const { A::DTYPE.kind() } {
                Kind::Int => (isa.sar32::<16>(a), isa.sar32::<16>(b)),
                _ => (isa.shr32::<16>(a), isa.shr32::<16>(b)),
            };
            // (Packing puts together what was in a lane.)
            isa.store(dst, isa.packed_brains(isa.i32_to_ps(a), isa.i32_to_ps(b)));
        }
    }
}
