//! Between integers of different widths, bools as their source, and from integers to small floats.

use crate::avx2::Avx2;
use crate::avx2::direct::{Step, by_memory};
use crate::avx2::encode::Small;
use crate::avx2::steps::floats::limits;
use crate::avx2::steps::words::NEAREST;
use crate::codec::unknown;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::format::{FloatFormat, Specials};
use crate::stepwise::places;
use core::arch::x86_64::{__m128i, __m256i};
use core::mem;

/// Integers of 8 bits to wider ones, and those of 16 to 64 bits.
pub(in crate::avx2) struct Widen;

/// Numbers that fit a byte, from one, to wider integers in the other byte order: bytes and their signs, which need not be
/// turned to stand the other way round.
pub(in crate::avx2) struct WidenHighestFirst;

/// Integers of more than 8 bits to those of at most 8. In the other byte order the lowest byte is on top.
pub(in crate::avx2) struct NarrowToByte<const TURNED: bool>;

/// Unsigned and wider integers to small floats of which all numbers are less than 128: by way of int8,
/// to which what is beyond is clamped. Or those of 64 bits in the other byte order: what is clamped need not be turned.
pub(in crate::avx2) struct ClampToSmall<const TURNED: bool>;

/// Integers of a byte to smaller ones, clamped to these.
pub(in crate::avx2) struct ClampByte;

/// Integers to small floats of which all numbers are less than 128, in a way that [`maps`](super::maps) knows.
pub(in crate::avx2) struct ClampedBy<const HOW: u8>;

/// Integers of 16 bits to other small floats: by magnitude and sign, since magnitudes are widened and
/// packed again where they are.
pub(in crate::avx2) struct EncodeWords<const SATURATE: bool>;

impl<const HOW: u8, A: Real, B: Real> Step<A, B> for ClampedBy<HOW> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe { isa.store(dst, isa.clamped_by::<A, B, HOW>(src, true)) }
    }
}

impl<A: Real, B: Real> Step<A, B> for ClampByte {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        let (least, largest) = const { limits(B::DTYPE) };
        let (least, largest) = (isa.all8(least as i8), isa.all8(largest as i8));
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = isa.load(src);
            let clamped = match const { A::DTYPE.kind() } {
                Kind::Int => isa.max8(isa.min8(bytes, largest), least),
                _ => isa.min_u8(bytes, largest),
            };
            isa.store(dst, clamped);
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for Widen {
    const LEN: usize = if A::DTYPE.bits() == 8 { 32 } else { 16 };
    const AT_ONCE: usize = by_memory(A::DTYPE, B::DTYPE, <Self as Step<A, B>>::LEN);
    const HALVES: [bool; 2] = [A::DTYPE.bits() == 16, false];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: LEN elements on both sides.
        unsafe {
            if const { A::DTYPE.bits() == 16 } {
                isa.widen_words::<A>(src, dst);
            } else {
                isa.store_widened::<A, B>(isa.significant::<A>(isa.load(src)), dst);
            }
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for WidenHighestFirst {
    const LEN: usize = 32;
    const WRITES_TURNED: bool = true;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let codes = isa.load(src);
            match const { (A::DTYPE.kind(), B::DTYPE.kind()) } {
                (Kind::Float, Kind::Int) => {
                    let bytes = isa.mapped::<A, mark::Int8>(codes);
                    isa.store_highest_first::<mark::Int8, B>(bytes, dst);
                }
                (Kind::Float, _) => {
                    let bytes = isa.mapped::<A, mark::UInt8>(codes);
                    isa.store_highest_first::<mark::UInt8, B>(bytes, dst);
                }
                _ => isa.store_highest_first::<A, B>(isa.significant::<A>(codes), dst),
            }
        }
    }
}

impl<A: Real, B: Real, const TURNED: bool> Step<A, B> for ClampToSmall<TURNED> {
    const LEN: usize = 32;
    const AT_ONCE_TURNED: usize = if A::DTYPE.bits() == 64 { 1 } else { 2 };
    const READS_TURNED: bool = TURNED;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let clamped = isa.clamped_to_i8::<A, TURNED>(src);
            isa.store(dst, isa.mapped::<mark::Int8, B>(clamped))
        }
    }
}

impl<A: Real, B: Real, const SATURATE: bool> Step<A, B> for EncodeWords<SATURATE> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let (v, w) = (isa.load(src), isa.load(src.add(32)));
            let codes = match const { A::DTYPE.kind() } {
                Kind::Int => {
                    let codes = isa.codes_of_words::<B, SATURATE>(isa.abs16(v), isa.abs16(w));
                    // No number but zero becomes zero. (NaN has the sign, or ignores it.)
                    isa.or(codes, isa.and(isa.packs16(v, w), isa.all8(i8::MIN)))
                }
                _ => isa.codes_of_words::<B, SATURATE>(v, w),
            };
            isa.store(dst, isa.in_order(codes));
        }
    }
}

impl<A: Real, B: Real, const TURNED: bool> Step<A, B> for NarrowToByte<TURNED> {
    const LEN: usize = 32;
    const AT_ONCE: usize = by_memory(A::DTYPE, B::DTYPE, 32);
    const READS_TURNED: bool = TURNED;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let bytes = match const { A::DTYPE.bits() } {
                16 => {
                    let (a, b) = (isa.load(src), isa.load(src.add(32)));
                    isa.in_order(isa.pack_u16(
                        isa.low_byte_of_words::<TURNED>(a),
                        isa.low_byte_of_words::<TURNED>(b),
                    ))
                }
                32 => isa.packed_in_order(isa.packed_bytes::<TURNED>([
                    isa.load(src),
                    isa.load(src.add(32)),
                    isa.load(src.add(64)),
                    isa.load(src.add(96)),
                ])),
                _ => isa.low_bytes_of_qwords::<TURNED>(src),
            };
            isa.store(dst, isa.filled::<B>(bytes));
        }
    }
}

/// The last integer that is rounded to a finite number of a format, whose largest is less than 127: it is nearer to that one
/// than to the next, or as near, if that one is even.
const fn last_finite(format: FloatFormat) -> i8 {
    let significand = format.max_finite() & format.mantissa_mask() | 1 << format.mantissa_bits;
    // In halves of the largest number's unit, of which an integer has so many.
    let middle = 2 * significand + 1;
    let bits = format.mantissa_bits as i32 + 1 - format.max_exponent();
    let (middle, halves) = if bits < 0 { (middle << -bits, 1) } else { (middle, 1 << bits) };
    let to_even = significand.is_multiple_of(2) && middle.is_multiple_of(halves);
    let last = middle.div_ceil(halves) - if to_even { 0 } else { 1 };
    assert!(last < 127);
    last as i8
}

impl Avx2 {
    /// The codes of 32 magnitudes in words, as packing leaves them.
    #[inline(always)]
    fn codes_of_words<B: Real, const SATURATE: bool>(self, v: __m256i, w: __m256i) -> __m256i {
        let (v, w) = (self.codes_of_16::<B, SATURATE>(v), self.codes_of_16::<B, SATURATE>(w));
        self.pack_u16(self.shr16::<8>(v), self.shr16::<8>(w))
    }

    /// 256 times the codes of 16.
    #[inline(always)]
    fn codes_of_16<B: Real, const SATURATE: bool>(self, magnitudes: __m256i) -> __m256i {
        let zero = self.zero();
        let a = self.i32_to_ps(self.low16(magnitudes, zero));
        let b = self.i32_to_ps(self.high16(magnitudes, zero));
        let limit = self.all_ps(const { Small::<B>::limit(SATURATE) });
        let a = self.codes_of_positive::<B, NEAREST>(a, limit);
        self.pack_u32(a, self.codes_of_positive::<B, NEAREST>(b, limit))
    }

    /// What integers clamped to int8 become by a mode; past the largest number infinity, or NaN if there is none, if that does
    /// not saturate (and numbers are rounded to the nearest).
    ///
    /// # Safety
    /// `src` is valid for reading 32 elements of `A`.
    #[inline(always)]
    pub(in crate::avx2) unsafe fn clamped_by<A: Real, B: Real, const HOW: u8>(
        self,
        src: *const u8,
        saturate: bool,
    ) -> __m256i {
        // SAFETY: the caller's.
        let clamped = unsafe { self.clamped_to_i8::<A, false>(src) };
        let codes = self.mapped_by::<mark::Int8, B, HOW>(clamped);
        if saturate { codes } else { self.overflown::<B>(codes, clamped) }
    }

    /// Codes, in which integers that are past the largest number become infinity, or NaN if there is none.
    #[inline(always)]
    fn overflown<B: Real>(self, codes: __m256i, v: __m256i) -> __m256i {
        let size = self.min_u8(self.abs8(v), self.all8(i8::MAX));
        let over = self.gt8(size, self.all8(const { last_finite(Small::<B>::FORMAT) }));
        match const { Small::<B>::FORMAT.specials } {
            Specials::Fnuz => self.blend8(codes, self.all8(i8::MIN), over),
            // The code past the largest number's.
            _ => self.sub8(codes, over),
        }
    }

    /// 32 integers, clamped to int8.
    ///
    /// Packing clamps, but takes unsigned numbers for signed ones. What is past those is negative then, and stays so: as a byte
    /// without a sign it is more than 127.
    ///
    /// # Safety
    /// `src` is valid for reading 32 elements of `A`.
    #[inline(always)]
    unsafe fn clamped_to_i8<A: Real, const TURNED: bool>(self, src: *const u8) -> __m256i {
        const { assert!(!TURNED || A::DTYPE.bits() == 64) };
        // SAFETY: the caller's.
        let packed = unsafe {
            match const { A::DTYPE.bits() } {
                8 => self.load(src),
                16 => self.in_order(self.packs16(self.load(src), self.load(src.add(32)))),
                32 => {
                    let [a, b, c, d] = self.load_four(src);
                    self.packed_in_order(self.packs16(self.packs32(a, b), self.packs32(c, d)))
                }
                _ => {
                    let places = if TURNED { self.dwords_turned() } else { self.zero() };
                    let ab = self.packs32(
                        self.clamped_lanes::<A, TURNED>(src, places),
                        self.clamped_lanes::<A, TURNED>(src.add(64), places),
                    );
                    let cd = self.packs32(
                        self.clamped_lanes::<A, TURNED>(src.add(128), places),
                        self.clamped_lanes::<A, TURNED>(src.add(192), places),
                    );
                    self.low_high_pairs(self.in_order(self.packs16(ab, cd)))
                }
            }
        };
        match const { A::DTYPE } {
            DType::UInt8 | DType::UInt16 | DType::UInt32 => self.min_u8(packed, self.all8(127)),
            _ => packed,
        }
    }

    /// The places of turned dwords, of which the compiler is not to know. (It would make two shuffles of one behind one that
    /// puts two registers together.)
    #[inline(always)]
    pub(super) fn dwords_turned(self) -> __m256i {
        const PLACES: &__m128i = {
            // SAFETY: any 16 bytes make a register.
            &unsafe { mem::transmute::<[u8; 16], __m128i>(places(4)) }
        };
        self.twice(unknown(PLACES))
    }

    /// Eight 64-bit integers that are clamped to 32 bits, or, if they are turned, to what a float of a byte is yet clamped to:
    /// what is beyond 32 bits is then no less than 2^23, or no more than -2^23.
    ///
    /// # Safety
    /// As for [`clamped_lanes`](Self::clamped_lanes).
    #[inline(always)]
    pub(super) unsafe fn clamped_to_i32<A: Real, const TURNED: bool>(
        self,
        src: *const u8,
        turned: __m256i,
    ) -> __m256i {
        // SAFETY: the caller's.
        self.in_order(unsafe { self.clamped_lanes::<A, TURNED>(src, turned) })
    }

    /// The same by lanes: 0, 1, 4 and 5 in the lower one.
    ///
    /// Of those in the other byte order the high dword comes first, and only the low one is turned, to these places: the high
    /// one is but compared, and its sign is on top of the lowest byte. What is beyond an int32 becomes that byte at the top of a
    /// dword, with a bit below that makes it no less than 2^23, or no more than -2^23.
    ///
    /// # Safety
    /// `src` is valid for reading 64 bytes.
    #[inline(always)]
    unsafe fn clamped_lanes<A: Real, const TURNED: bool>(
        self,
        src: *const u8,
        turned: __m256i,
    ) -> __m256i {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.load(src), self.load(src.add(32))) };
        let (even, odd) = (self.even_dwords(a, b), self.odd_dwords(a, b));
        let (low, high) = if TURNED { (self.shuffle8(odd, turned), even) } else { (even, odd) };
        match const { A::DTYPE.kind() } {
            Kind::Int if TURNED => {
                let limit = self.or(self.shl32::<24>(high), self.all32(1 << 23));
                self.clamped_i64(low, high, limit)
            }
            Kind::Int => self.i64_to_i32((low, high)),
            _ => self.u64_to_i32((low, high)),
        }
    }

    /// Widens 32 bytes that are integers with the signs of `A`.
    ///
    /// # Safety
    /// `dst` is valid for writing 32 elements of `B`.
    #[inline(always)]
    pub(super) unsafe fn store_widened<A: Real, B: Real>(self, bytes: __m256i, dst: *mut u8) {
        let (first, second) = (self.lower(bytes), self.half::<1>(bytes));
        // SAFETY: the caller's.
        unsafe {
            match const { B::DTYPE.bits() } {
                16 => {
                    self.store(dst, self.to_16::<A>(first));
                    self.store(dst.add(32), self.to_16::<A>(second));
                }
                32 => {
                    self.store_16_as_32::<A>(first, dst);
                    self.store_16_as_32::<A>(second, dst.add(64));
                }
                _ => {
                    self.store_16_as_64::<A>(first, dst);
                    self.store_16_as_64::<A>(second, dst.add(128));
                }
            }
        }
    }

    /// The same in the other byte order, the highest byte first.
    ///
    /// # Safety
    /// As for [`store_widened`](Self::store_widened).
    #[inline(always)]
    unsafe fn store_highest_first<A: Real, B: Real>(self, bytes: __m256i, dst: *mut u8) {
        let bytes = match const { B::DTYPE.bits() } {
            16 => self.in_order(bytes),
            32 => self.ready_to_unpack_twice(bytes),
            _ => self.even_words_first(bytes),
        };
        // SAFETY: the caller's.
        unsafe {
            match const { A::DTYPE.kind() } {
                Kind::Int => self.store_behind_signs::<B>(bytes, dst),
                _ => self.store_behind_zeros::<B>(bytes, dst),
            }
        }
    }

    /// Stores signed bytes, which stand so that unpacking them by lanes of 128 bits leaves them in order.
    ///
    /// # Safety
    /// As for [`store_widened`](Self::store_widened).
    #[inline(always)]
    unsafe fn store_behind_signs<B: Real>(self, bytes: __m256i, dst: *mut u8) {
        const PLACES: [[[u8; 32]; 4]; 2] = [behind_signs(4), behind_signs(8)];
        let signs = self.gt8(self.zero(), bytes);
        // Each byte behind its sign.
        let (low, high) = (self.low8(signs, bytes), self.high8(signs, bytes));
        // SAFETY: the caller's.
        unsafe {
            if const { B::DTYPE.bits() == 16 } {
                self.store(dst, low);
                self.store(dst.add(32), high);
                return;
            }
            let places = const { &PLACES[B::DTYPE.bits() / 64] };
            let registers = const { B::DTYPE.bits() / 16 };
            // (In the order of memory, so that most stores are to the line of the one before.)
            for (half, bytes) in [low, high].into_iter().enumerate() {
                for (i, places) in places.iter().enumerate().take(registers) {
                    let wide = self.shuffle8(bytes, self.constant(places));
                    self.store(dst.add(32 * (half * registers + i)), wide);
                }
            }
        }
    }

    /// The same of unsigned ones: nothing need be unpacked where shuffles put zeros before a byte.
    ///
    /// # Safety
    /// As for [`store_widened`](Self::store_widened).
    #[inline(always)]
    unsafe fn store_behind_zeros<B: Real>(self, bytes: __m256i, dst: *mut u8) {
        let places = const { &behind_zeros(B::DTYPE.bits() / 8) };
        for (i, places) in places.iter().enumerate().take(const { B::DTYPE.bits() / 8 }) {
            let wide = self.shuffle8(bytes, self.constant(places));
            // SAFETY: the caller's: 32 elements are as many registers as an element has bytes.
            unsafe { self.store(dst.add(32 * i), wide) };
        }
    }

    #[inline(always)]
    fn to_16<A: Real>(self, bytes: __m128i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Int => self.i8_to_i16(bytes),
            _ => self.u8_to_i16(bytes),
        }
    }

    #[inline(always)]
    fn to_32<A: Real>(self, bytes: __m128i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Int => self.i8_to_i32(bytes),
            _ => self.u8_to_i32(bytes),
        }
    }

    #[inline(always)]
    fn to_64<A: Real>(self, bytes: __m128i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Int => self.i8_to_i64(bytes),
            _ => self.u8_to_i64(bytes),
        }
    }

    /// # Safety
    /// 64 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_16_as_32<A: Real>(self, bytes: __m128i, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.to_32::<A>(bytes));
            self.store(dst.add(32), self.to_32::<A>(self.shr_bytes_x::<8>(bytes)));
        }
    }

    /// # Safety
    /// 128 bytes are writable at `dst`.
    #[inline(always)]
    unsafe fn store_16_as_64<A: Real>(self, bytes: __m128i, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.to_64::<A>(bytes));
            self.store(dst.add(32), self.to_64::<A>(self.shr_bytes_x::<4>(bytes)));
            self.store(dst.add(64), self.to_64::<A>(self.shr_bytes_x::<8>(bytes)));
            self.store(dst.add(96), self.to_64::<A>(self.shr_bytes_x::<12>(bytes)));
        }
    }

    /// Sixteen 16-bit integers to 64 bits.
    ///
    /// # Safety
    /// 32 bytes are readable at `src`, 128 writable at `dst`.
    #[inline(always)]
    unsafe fn widen_words<A: Real>(self, src: *const u8, dst: *mut u8) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's.
            unsafe {
                let words = self.load_64x(src.add(8 * k));
                let wide = match const { A::DTYPE.kind() } {
                    Kind::Int => self.i16_to_i64(words),
                    _ => self.u16_to_i64(words),
                };
                self.store(dst.add(32 * k), wide);
            }
            k += 1;
        }
    }

    /// The low bytes of 32 qwords, which are turned or not. What gathering dwords leaves out of order, two from a lane and two
    /// from the other, is put in order once they are bytes.
    ///
    /// # Safety
    /// 256 bytes are readable at `src`.
    #[inline(always)]
    unsafe fn low_bytes_of_qwords<const TURNED: bool>(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let dwords = unsafe {
            [
                self.lowest_dwords::<TURNED>(self.load(src), self.load(src.add(32))),
                self.lowest_dwords::<TURNED>(self.load(src.add(64)), self.load(src.add(96))),
                self.lowest_dwords::<TURNED>(self.load(src.add(128)), self.load(src.add(160))),
                self.lowest_dwords::<TURNED>(self.load(src.add(192)), self.load(src.add(224))),
            ]
        };
        self.low_high_pairs(self.in_order(self.packed_bytes::<TURNED>(dwords)))
    }

    /// The low dwords of qwords, by lanes of 128 bits: of turned ones, and turned, the second.
    #[inline(always)]
    fn lowest_dwords<const TURNED: bool>(self, a: __m256i, b: __m256i) -> __m256i {
        if TURNED { self.odd_dwords(a, b) } else { self.even_dwords(a, b) }
    }

    /// The low bytes of 32 dwords.
    #[inline(always)]
    pub(super) fn bytes_of_dwords(self, dwords: [__m256i; 4]) -> __m256i {
        self.packed_in_order(self.packed_bytes::<false>(dwords))
    }

    /// The same, of dwords that are turned or not, as packing leaves them: in each lane four of each vector.
    #[inline(always)]
    fn packed_bytes<const TURNED: bool>(self, [a, b, c, d]: [__m256i; 4]) -> __m256i {
        let (a, b) = (self.low_byte_of_dwords::<TURNED>(a), self.low_byte_of_dwords::<TURNED>(b));
        let (c, d) = (self.low_byte_of_dwords::<TURNED>(c), self.low_byte_of_dwords::<TURNED>(d));
        self.pack_u16(self.pack_u32(a, b), self.pack_u32(c, d))
    }

    /// The low bytes of dwords, which are turned or not, in dwords.
    #[inline(always)]
    fn low_byte_of_dwords<const TURNED: bool>(self, v: __m256i) -> __m256i {
        if TURNED { self.shr32::<24>(v) } else { self.and(v, self.all32(0xff)) }
    }

    /// The low bytes of words, which are turned or not, in words.
    #[inline(always)]
    fn low_byte_of_words<const TURNED: bool>(self, v: __m256i) -> __m256i {
        if TURNED { self.shr16::<8>(v) } else { self.and(v, self.all16(0xff)) }
    }

    /// The integers of a one-byte dtype, filled to 8 bits.
    #[inline(always)]
    pub(super) fn significant<A: Real>(self, bytes: __m256i) -> __m256i {
        match const { A::DTYPE.kind() } {
            Kind::Bool => self.min_u8(bytes, self.all8(1)),
            _ => self.filled::<A>(bytes),
        }
    }

    /// The low bits of bytes, filled as an integer dtype wants it. Signed ones of more than one are looked up: from arithmetic
    /// the compiler makes shifts, which bytes have none of, and puts two of words and two masks in their place.
    #[inline(always)]
    pub(super) fn filled<B: Real>(self, bytes: __m256i) -> __m256i {
        let bits = const { B::DTYPE.significant_bits() };
        if bits == 8 {
            return bytes;
        }
        match const { B::DTYPE.kind() } {
            Kind::Int if bits > 1 => {
                debug_assert!(bits <= 4);
                let numbers = self.constant(const { &sign_filled(B::DTYPE.significant_bits()) });
                self.shuffle8(numbers, self.and(bytes, self.all8(15)))
            }
            Kind::Int => self.sub8(self.zero(), self.and(bytes, self.all8(1))),
            _ => self.and(bytes, self.all8((1 << bits) - 1)),
        }
    }
}

/// Of the numbers from 0 to 15 the low `bits`, 4 at most, with the highest of them in all places above; for either lane.
const fn sign_filled(bits: usize) -> [u8; 32] {
    let above = 8usize.saturating_sub(bits);
    let mut numbers = [0; 32];
    let mut i = 0;
    while i < 32 {
        numbers[i] = (((i as u8 % 16) << above) as i8 >> above) as u8;
        i += 1;
    }
    numbers
}

/// Which bytes of each lane of 128 bits are the last of numbers of such a size, for as many registers as the bytes fill; what is
/// before them is zero.
const fn behind_zeros(size: usize) -> [[u8; 32]; 8] {
    let mut places = [[0x80; 32]; 8];
    let mut i = 0;
    while i < 16 * size {
        if i % size == size - 1 {
            let byte = (i / size) as u8;
            places[i / 16][i % 16] = byte;
            places[i / 16][i % 16 + 16] = byte;
        }
        i += 1;
    }
    places
}

/// Of words that are a byte behind its sign, 8 in each lane of 128 bits, which bytes come to each place of registers of
/// integers of `size` bytes, of which each is such a byte behind copies of its sign.
const fn behind_signs(size: usize) -> [[u8; 32]; 4] {
    let mut places = [[0; 32]; 4];
    let mut i = 0;
    while i < 8 * size {
        let word = (i / size) as u8;
        let byte = 2 * word + (i % size == size - 1) as u8;
        places[i / 16][i % 16] = byte;
        places[i / 16][i % 16 + 16] = byte;
        i += 1;
    }
    places
}
