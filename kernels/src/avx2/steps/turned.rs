//! From integers to wider ones and to floats, and from bfloat16 to float64 and to integers of 32 bits, of which one side or both
//! are in the other byte order: one permutation puts each byte where it belongs, in whatever order there is on either side;
//! signs are spread, and what becomes a float is calculated, before it or behind. And from 64-bit integers to those of 16,
//! which are picked out in either order, too.

use crate::avx2::Avx2;
use crate::avx2::decode::F32;
use crate::avx2::direct::Step;
use crate::codec::{Bridge, Encode};
use crate::dtypes::{DType, Kind, Real, mark};
use crate::stepwise::{BOTH, RESULTS, SOURCE, places};
use core::arch::x86_64::{__m128i, __m256, __m256i};

/// Integers of 16 or 32 bits to wider ones, by a mode: the source is in the other byte order, or the results are, or both; and
/// to floats those that [`floats`] tells, some of them in the machine's order, too.
pub(in crate::avx2) struct WidenTurned<const MODE: usize>;

/// Whether integers are widened so to others.
pub(in crate::avx2) const fn widens(from: DType, to: DType) -> bool {
    matches!((from.bits(), to.bits()), (16, 32 | 64) | (32, 64))
}

/// Whether integers become floats so, by a mode: those of 16 bits float32, but native ones with a sign, which take no less time
/// so, and those of up to 16 bits float64, in any order, and turned ones of 32 bits.
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
        DType::Float64 => match from {
            DType::Int8 | DType::UInt8 | DType::Int16 | DType::UInt16 => true,
            DType::Int32 | DType::UInt32 => MODE & SOURCE != 0,
            _ => false,
        },
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
        let mut i = 0;
        while i < 16 {
            // SAFETY: the caller's: 16 bytes of elements are left in the source, and room for what they become.
            unsafe {
                let elements = isa.loadx(src.add(i * from));
                let dst = dst.add(i * to);
                match const { B::DTYPE } {
                    DType::Float32 => isa.store_words_as_floats::<A, MODE>(elements, dst),
                    DType::Float64 => isa.store_as_doubles::<A, MODE>(isa.twice(elements), dst),
                    _ => isa.store_as_integers::<A, B, MODE>(isa.twice(elements), dst),
                }
            }
            i += 16 / from;
        }
    }
}

/// A place that becomes zero.
const NOTHING: u8 = 0x80;

/// The float64 2^52, by its bits.
const POWER: i64 = (1023 + 52) << 52;

/// The most registers that the elements of 16 bytes fill.
const MOST: usize = 4;

/// By a mode, of the 16 bytes of elements above which is nothing, which comes to each place of a register of these once they
/// are widened, the first register or one that follows.
const fn sources<A: Real, B: Real>(mode: usize) -> [[u8; 32]; MOST] {
    let (from, to) = (A::DTYPE.bits() / 8, B::DTYPE.bits() / 8);
    let results = mode & RESULTS != 0;
    let mut indices = [[NOTHING; 32]; MOST];
    let mut i = 0;
    while i < 16 * to / from {
        let weight = weight(to, results, i);
        if weight < from {
            indices[i / 32][i % 32] = place::<A>(mode, i / to, weight);
        }
        i += 1;
    }
    indices
}

/// The same of elements with signs. Each turned result ends with its number, highest byte first; before it are copies in the
/// machine's order, whose top bits a shift spreads over them. Otherwise each dword has the number at its top and nothing below.
const fn signed_sources<A: Real, B: Real>(mode: usize) -> [[u8; 32]; MOST] {
    let (from, to) = (A::DTYPE.bits() / 8, B::DTYPE.bits() / 8);
    let mut indices = [[NOTHING; 32]; MOST];
    let mut i = 0;
    while i < 16 * to / from {
        let is_number = i % to >= to - from;
        let weight = match mode & RESULTS {
            RESULTS => Some(weight(from, is_number, i)),
            _ => (i % 4).checked_sub(4 - from),
        };
        if let Some(weight) = weight {
            indices[i / 32][i % 32] = place::<A>(mode, i / to, weight);
        }
        i += 1;
    }
    indices
}

/// Where the source has a byte of an element, of which so many are below it.
const fn place<A: Real>(mode: usize, element: usize, weight: usize) -> u8 {
    let bytes = A::DTYPE.bits() / 8;
    let byte = if mode & SOURCE != 0 { bytes - 1 - weight } else { weight };
    (element * bytes + byte) as u8
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

    /// Stores integers, whose 16 bytes are in both lanes, as wider ones.
    ///
    /// # Safety
    /// `dst` is valid for writing as many elements of `B` as 16 bytes have of `A`.
    #[inline(always)]
    unsafe fn store_as_integers<A: Real, B: Real, const MODE: usize>(
        self,
        v: __m256i,
        dst: *mut u8,
    ) {
        let mut k = 0;
        while k < const { B::DTYPE.bits() / A::DTYPE.bits() / 2 } {
            let wide = match const { A::DTYPE.kind() } {
                Kind::UInt => {
                    let places = const { &sources::<A, B>(MODE) };
                    self.shuffle8(v, self.constant(&places[k]))
                }
                _ => self.with_signs::<A, B, MODE>(v, k),
            };
            // SAFETY: the caller's: the elements fill so many registers.
            unsafe { self.store(dst.add(32 * k), wide) };
            k += 1;
        }
    }

    /// Of integers with signs, those that come to a register of wider ones: one shuffle for these, and one instruction more, or
    /// two.
    #[inline(always)]
    fn with_signs<A: Real, B: Real, const MODE: usize>(
        self,
        v: __m256i,
        register: usize,
    ) -> __m256i {
        let places = const { &signed_sources::<A, B>(MODE) };
        let v = self.shuffle8(v, self.hidden(self.constant(&places[register])));
        let (from, to) = const { (A::DTYPE.bits(), B::DTYPE.bits()) };
        match (MODE & RESULTS, from, to) {
            (RESULTS, 16, 32) => self.mix16::<0b1010_1010>(self.sar16::<15>(v), v),
            (RESULTS, 16, _) => self.mix16::<0b1000_1000>(self.sar16::<15>(v), v),
            (RESULTS, ..) => self.mix32::<0b1010_1010>(self.sar32::<31>(v), v),
            (_, 16, 32) => self.sar32::<16>(v),
            // The upper dword is nothing but the sign.
            _ => self.srav32(v, self.all64(const { 31 << 32 | (32 - A::DTYPE.bits() as i64) })),
        }
    }

    /// Stores eight integers of 16 bits as float32s, which are turned or not by a mode.
    ///
    /// # Safety
    /// 32 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_words_as_floats<A: Real, const MODE: usize>(
        self,
        words: __m128i,
        dst: *mut u8,
    ) {
        let floats = self.ps_bits(self.words_to_ps::<A, MODE>(words));
        let floats = match MODE & RESULTS {
            RESULTS => self.shuffle8(floats, self.twice(bytemuck::cast(const { places(4) }))),
            _ => floats,
        };
        // SAFETY: the caller's.
        unsafe { self.store(dst, floats) };
    }

    /// Stores integers of at most 32 bits, whose 16 bytes are in both lanes, as float64s.
    ///
    /// # Safety
    /// `dst` is valid for writing as many float64s as 16 bytes have elements of `A`.
    #[inline(always)]
    unsafe fn store_as_doubles<A: Real, const MODE: usize>(self, v: __m256i, dst: *mut u8) {
        if const { A::DTYPE.bits() == 32 } {
            let places = const { &sources::<A, mark::Float64>(MODE & SOURCE) };
            let whole = self.shuffle8(v, self.constant(&places[0]));
            let sum = self.xor(whole, self.all64(const { POWER | sign::<A>() }));
            // SAFETY: the caller's: four float64s.
            return unsafe { self.store(dst, self.less_power::<A, MODE>(sum)) };
        }
        let mut k = 0;
        while k < const { 16 / A::DTYPE.bits() } {
            // SAFETY: the caller's: two registers are left.
            unsafe { self.store_doubles::<A, MODE>(v, k, dst.add(64 * k)) };
            k += 1;
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

    /// Stores eight integers of at most 16 bits as float64s, the first ones or those that follow.
    ///
    /// One below 2^52 is the fraction of the float64 of 2^52 and the integer, whose upper dword is unpacked beside it, and from
    /// which 2^52 is subtracted. (That takes a Zen 5, which unpacks by any of four ports, two thirds as long as the conversion,
    /// which takes two shuffles for four numbers.) Where there are signs, the bits of these are turned over, which adds as much as
    /// such a bit is worth, and as much more is subtracted.
    ///
    /// (Where numbers are rounded down, the difference of equal ones is -0: so it takes the default environment.)
    ///
    /// # Safety
    /// 64 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_doubles<A: Real, const MODE: usize>(
        self,
        v: __m256i,
        eight: usize,
        dst: *mut u8,
    ) {
        let dwords = const { &dwords_of_eight::<A>(MODE) };
        let integers = self.shuffle8(v, self.hidden(self.constant(&dwords[eight])));
        let integers = self.xor(integers, self.all32(const { sign::<A>() as i32 }));
        let upper = self.all32((POWER >> 32) as i32);
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.less_power::<A, MODE>(self.low32(integers, upper)));
            self.store(dst.add(32), self.less_power::<A, MODE>(self.high32(integers, upper)));
        }
    }

    /// Four float64s without the 2^52 that is in them, and what their sign's bit is worth, turned or not by a mode.
    #[inline(always)]
    fn less_power<A: Real, const MODE: usize>(self, sum: __m256i) -> __m256i {
        let power = self.as_pd(self.all64(const { POWER | sign::<A>() }));
        let double = self.pd_bits(self.sub_pd(self.as_pd(sum), power));
        match MODE & RESULTS {
            RESULTS => self.shuffle8(double, self.twice(bytemuck::cast(const { places(8) }))),
            _ => double,
        }
    }
}

/// What the bit of a sign is worth, if there is one.
const fn sign<A: Real>() -> i64 {
    match A::DTYPE.kind() {
        Kind::Int => 1 << (A::DTYPE.bits() - 1),
        _ => 0,
    }
}

/// Which elements come to dwords, so that the first two of each lane become a register of float64s, and the last two another.
pub(super) const FOR_UNPACKING: [usize; 8] = [0, 1, 4, 5, 2, 3, 6, 7];

/// Of the 16 bytes of elements, which comes to each place of dwords of eight, the first eight or those that follow: below
/// zeros.
const fn dwords_of_eight<A: Real>(mode: usize) -> [[u8; 32]; 2] {
    let bytes = A::DTYPE.bits() / 8;
    let mut indices = [[NOTHING; 32]; 2];
    let mut i = 0;
    while i < 64 / bytes {
        let element = i / 32 * 8 + FOR_UNPACKING[i % 32 / 4];
        if i % 4 < bytes {
            indices[i / 32][i % 32] = place::<A>(mode, element, i % 4);
        }
        i += 1;
    }
    indices
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
