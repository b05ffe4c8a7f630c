//! From floats of 16 bits and more, to bfloat16, and from float8_e5m2, which is the upper half of float16.

use crate::avx2::bridge::{Brain, NOT_LESS, ORDERED, Sticky};
use crate::avx2::decode::F64;
use crate::avx2::direct::{Step, by_memory};
use crate::avx2::{Avx2, halves, shapes};
use crate::codec::{Bridge, Decode, Encode};
use crate::dtypes::{DType, Kind, Real};
use crate::format::Numbers;
use crate::shape::Mode;
use core::arch::x86_64::{__m128i, __m256, __m256d, __m256i};

/// How the default kernels make integers.
pub(in crate::avx2) const CUT: u8 = Mode::TowardZero as u8;

/// By the hubs, where they do so little that the loop around them counts.
pub(in crate::avx2) struct ByHubs;

/// Float16 to bfloat16.
pub(in crate::avx2) struct HalfToBrain;

/// Float32 to bfloat16, from memory that was not just written to, or not.
pub(in crate::avx2) struct FloatToBrain<const AT_REST: bool>;

/// Bfloat16 to float32.
pub(in crate::avx2) struct BrainToFloat32;

/// Float64 to float32.
pub(in crate::avx2) struct Float64ToFloat32;

/// Float8_e5m2, which is float16's upper byte, to float16.
pub(in crate::avx2) struct UpperByteToFloat16;

/// Float16 to unsigned integers of 32 bits, by a [`Mode`], and cut to those of 64 bits.
pub(in crate::avx2) struct CutHalf<const MODE: u8>;

/// To bfloat16 from what the bridge makes exact in it: 64-bit numbers and 8-bit integers.
pub(in crate::avx2) struct CutToBrain;

/// To bfloat16 from integers.
pub(in crate::avx2) struct RoundToBrain;

/// A float to an integer of at most 8 bits, by a [`Mode`].
pub(in crate::avx2) struct FloatToByte<const MODE: u8>;

/// The same to an integer of less than 8 bits that will be packed: what is above them is anything.
pub(in crate::avx2) struct FloatToBits;

/// Float32 to an integer of at most 8 bits that has room for it: nothing is clamped.
pub(in crate::avx2) struct FittingToByte;

/// The same to one of 16 bits.
pub(in crate::avx2) struct FittingToWord;

/// Bfloat16 to an integer of at most 8 bits, by a [`Mode`].
pub(in crate::avx2) struct BrainToByte<const MODE: u8>;

/// Float64 to an integer of less than 8 bits, by a [`Mode`].
pub(in crate::avx2) struct Float64ToByte<const MODE: u8>;

impl<A: Real, B: Real> Step<A, B> for ByHubs
where
    Avx2: Decode<A> + Encode<B> + Bridge<<Avx2 as Decode<A>>::Hub, <Avx2 as Encode<B>>::Home>,
{
    const LEN: usize = 16;
    const AT_ONCE: usize = 4;
    const HALVES: [bool; 2] = halves(A::DTYPE, B::DTYPE);

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe { Encode::<B>::encode(isa, isa.bridge(Decode::<A>::decode(isa, src)), dst) }
    }
}

impl<A: Real, B: Real> Step<A, B> for HalfToBrain {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const HALVES: [bool; 2] = [true, false];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        let (a, b) = unsafe { (isa.loadx(src), isa.loadx(src.add(16))) };
        let (a, b) = (isa.ps_bits(isa.half_to_ps(a)), isa.ps_bits(isa.half_to_ps(b)));
        // The words of both in turns. NaNs are quiet, and so are seen in the upper one.
        let high = isa.mix16::<0xaa>(isa.shr32::<16>(a), b);
        let low = isa.mix16::<0xaa>(a, isa.shl32::<16>(b));
        let nan = isa.gt16(isa.and(high, isa.all16(i16::MAX)), isa.all16(0x7f80));
        // SAFETY: the caller's.
        unsafe { isa.store(dst, isa.even_words_first(isa.rounded_by(high, low, nan))) };
    }
}

impl<const AT_REST: bool, A: Real, B: Real> Step<A, B> for FloatToBrain<AT_REST> {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides; 64 bytes of the source, and both loads that are two bytes
        // aside are inside them.
        unsafe {
            let (a, b) = (isa.load(src), isa.load(src.add(32)));
            // Loads two bytes aside are shifts.
            let (a_shifted, b_shifted) = if AT_REST {
                (isa.load(src.add(2)), isa.load(src.add(30)))
            } else {
                (isa.shr32::<16>(a), isa.shl32::<16>(b))
            };
            // The words of both in turns.
            let (high, low) = (isa.mix16::<0xaa>(a_shifted, b), isa.mix16::<0xaa>(a, b_shifted));
            isa.store(dst, isa.brains([isa.as_ps(a), isa.as_ps(b)], high, low));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for Float64ToFloat32 {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 16 elements on both sides. (Two that are joined to one store the compiler parts again, and
            // stores the upper one first.)
            unsafe {
                let doubles = isa.as_pd(isa.load(src.add(32 * k)));
                isa.storex_ps(dst.add(16 * k), isa.pd_to_ps(doubles));
            }
            k += 1;
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for BrainToFloat32 {
    const LEN: usize = 16;
    const AT_ONCE: usize = by_memory(A::DTYPE, B::DTYPE, 16);

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let (words, zero) = (isa.quiet_bfloat16(isa.in_order(isa.load(src))), isa.zero());
            isa.store(dst, isa.low16(zero, words));
            isa.store(dst.add(32), isa.high16(zero, words));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for UpperByteToFloat16 {
    const LEN: usize = 32;
    const AT_ONCE: usize = 2;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const CANONICAL: [u8; 32] = {
            let mut more = [0; 32];
            (more[1], more[17]) = (1, 1);
            (more[3], more[19]) = (0xff, 0xff);
            more
        };
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let (bytes, zero) = (isa.in_order(isa.load(src)), isa.zero());
            // NaNs become the canonical one, which is the second of three.
            let nan = isa.sub_clamped_u8(isa.and(bytes, isa.all8(0x7f)), isa.all8(0x7c));
            let bytes = isa.add8(bytes, isa.shuffle8(isa.constant(&CANONICAL), nan));
            isa.store(dst, isa.low8(zero, bytes));
            isa.store(dst.add(32), isa.high8(zero, bytes));
        }
    }
}

impl<const MODE: u8, A: Real, B: Real> Step<A, B> for CutHalf<MODE> {
    const LEN: usize = 16;
    const HALVES: [bool; 2] = [true, false];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            isa.store_cut_half::<B, MODE>(isa.half_to_ps(isa.loadx(src)), dst);
            let dst = dst.add(8 * size_of::<B::Stored>());
            isa.store_cut_half::<B, MODE>(isa.half_to_ps(isa.loadx(src.add(16))), dst);
        }
    }
}

impl Avx2 {
    /// # Safety
    /// `dst` is valid for writing 8 elements of `B`.
    #[inline(always)]
    unsafe fn store_cut_half<B: Real, const MODE: u8>(self, x: __m256, dst: *mut u8) {
        // The second operand where the first is NaN.
        let positive = self.max_ps(x, self.all_ps(0.0));
        // SAFETY: the caller's.
        unsafe {
            match const { B::DTYPE } {
                DType::UInt32 => {
                    let integer = self.ps_to_whole::<MODE>(positive);
                    self.store(dst, self.or(integer, self.sar32::<31>(integer)));
                }
                to => {
                    const { assert!(B::DTYPE.bits() < 64 || MODE == CUT) };
                    let number = self.and_ps(x, self.cmp_ps::<ORDERED>(x, x));
                    let [a, b] = match to {
                        DType::Int64 => self.low_ps_to_i64(number),
                        _ => self.low_ps_to_u64(positive),
                    };
                    self.store(dst, a);
                    self.store(dst.add(32), b);
                }
            }
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for CutToBrain
where
    Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Brain>,
{
    const LEN: usize = 16;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let Brain([a, b]) = isa.bridge(Decode::<A>::decode(isa, src));
            isa.store(dst, isa.upper_words(isa.ps_bits(a), isa.ps_bits(b)));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for RoundToBrain
where
    Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Brain>,
{
    const LEN: usize = 16;
    const HALVES: [bool; 2] = [A::DTYPE.bits() == 16, false];

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let Brain([a, b]) = isa.bridge(Decode::<A>::decode(isa, src));
            isa.store(dst, isa.in_order(isa.packed_brains(a, b)));
        }
    }
}

impl<const MODE: u8, A: Real, B: Real> Step<A, B> for FloatToByte<MODE>
where
    Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Sticky>,
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            isa.store(dst, isa.bytes_of_floats::<B, MODE>(isa.four_floats::<A>(src)));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for FloatToBits
where
    Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Sticky>,
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const { assert!(B::DTYPE.significant_bits() < 8) };
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let [ab, cd] = isa.floats_to_words::<B, CUT>(isa.four_floats::<A>(src));
            // NaN has become the lowest word, and becomes the lowest byte, of which but the highest bit is set.
            isa.store(dst, isa.packed_in_order(isa.packs16(ab, cd)));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for FittingToByte {
    const LEN: usize = 32;
    const AT_ONCE: usize = 2;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const { assert!(matches!(A::DTYPE, DType::Float32)) };
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let (ab, cd) = (isa.fitting_words(src), isa.fitting_words(src.add(64)));
            let bytes = match const { limits(B::DTYPE).0 } {
                0 => isa.pack_u16(ab, cd),
                _ => isa.packs16(ab, cd),
            };
            isa.store(dst, isa.packed_in_order(bytes));
        }
    }
}

impl<A: Real, B: Real> Step<A, B> for FittingToWord {
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        const { assert!(matches!(A::DTYPE, DType::Float32)) };
        // SAFETY: the caller's: 16 elements on both sides.
        unsafe {
            let [a, b] = isa.fitting_dwords(src);
            let words = match const { B::DTYPE.kind() } {
                Kind::Int => isa.packs32(a, b),
                _ => isa.pack_u32(a, b),
            };
            isa.store(dst, isa.in_order(words));
        }
    }
}

impl<const MODE: u8, A: Real, B: Real> Step<A, B> for BrainToByte<MODE> {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let first = isa.words_to_bytes::<B, MODE>(isa.load(src));
            let second = isa.words_to_bytes::<B, MODE>(isa.load(src.add(32)));
            isa.store(dst, isa.in_order(isa.bytes_of_words::<B>(first, second)));
        }
    }
}

impl<const MODE: u8, A: Real, B: Real> Step<A, B> for Float64ToByte<MODE>
where
    Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, F64>,
{
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides.
        unsafe {
            let F64(first) = isa.bridge(Decode::<A>::decode(isa, src));
            let second = src.add(16 * size_of::<A::Stored>());
            let F64(second) = isa.bridge(Decode::<A>::decode(isa, second));
            if const { B::DTYPE.significant_bits() == 1 } {
                const { assert!(MODE == CUT || B::DTYPE.significant_bits() > 1) };
                isa.store(dst, isa.ones_of_pds::<B>([first, second]));
                return;
            }
            let ab = isa.pds_to_words::<B, MODE>(first);
            let cd = isa.pds_to_words::<B, MODE>(second);
            isa.store(dst, isa.packed_in_order(isa.clamped_words::<B>(ab, cd)));
        }
    }
}

/// The least and the largest number of an integer dtype of at most 16 bits.
pub(in crate::avx2) const fn limits(dtype: DType) -> (i32, i32) {
    match dtype.numbers() {
        Numbers::Int(format) => (-(format.min_magnitude() as i32), format.max() as i32),
        _ => panic!("not an integer"),
    }
}

impl Avx2 {
    /// 32 floats.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    unsafe fn four_floats<A: Real>(self, src: *const u8) -> [__m256; 4]
    where
        Avx2: Decode<A> + Bridge<<Avx2 as Decode<A>>::Hub, Sticky>,
    {
        // SAFETY: the caller's.
        unsafe {
            let Sticky([a, b]) = self.bridge(Decode::<A>::decode(self, src));
            let second = src.add(16 * size_of::<A::Stored>());
            let Sticky([c, d]) = self.bridge(Decode::<A>::decode(self, second));
            [a, b, c, d]
        }
    }

    /// 16 float32s that fit a dword, cut.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    unsafe fn fitting_dwords(self, src: *const u8) -> [__m256i; 2] {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (self.load(src), self.load(src.add(32))) };
        [self.ps_to_i32(self.as_ps(a)), self.ps_to_i32(self.as_ps(b))]
    }

    /// The same that fit a word, as packing leaves them.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn fitting_words(self, src: *const u8) -> __m256i {
        // SAFETY: the caller's.
        let [a, b] = unsafe { self.fitting_dwords(src) };
        self.packs32(a, b)
    }

    /// 32 floats as integers of a byte.
    #[inline(always)]
    fn bytes_of_floats<B: Real, const MODE: u8>(self, floats: [__m256; 4]) -> __m256i {
        let [ab, cd] = self.floats_to_words::<B, MODE>(floats);
        self.packed_in_order(self.bytes_of_words::<B>(ab, cd))
    }

    /// 32 floats as clamped words, in the order that packing leaves.
    #[inline(always)]
    fn floats_to_words<B: Real, const MODE: u8>(self, [a, b, c, d]: [__m256; 4]) -> [__m256i; 2] {
        [
            self.packs32(self.ps_to_byte::<B, MODE>(a), self.ps_to_byte::<B, MODE>(b)),
            self.packs32(self.ps_to_byte::<B, MODE>(c), self.ps_to_byte::<B, MODE>(d)),
        ]
    }
}

/// To bytes, clamped. A minimum or maximum is its second operand if either is NaN: so a signed
/// destination keeps the NaN, which becomes the lowest 32-bit integer, then the lowest 16-bit one,
/// which no number does, and at last 0; an unsigned one turns it to 0 at once.
impl Avx2 {
    #[inline(always)]
    fn ps_to_byte<B: Real, const MODE: u8>(self, x: __m256) -> __m256i {
        let (least, largest) = const { limits(B::DTYPE) };
        let (least_ps, largest) = (self.all_ps(least as f32), self.all_ps(largest as f32));
        self.ps_to_whole::<MODE>(if least < 0 {
            self.max_ps(least_ps, self.min_ps(largest, x))
        } else {
            self.min_ps(self.max_ps(x, least_ps), largest)
        })
    }

    /// Floats of less than 23 bits, and perhaps infinities and NaNs if they are no more, as integers. (Where ties go away from
    /// zero, those are made odd, and larger than ties: what was less than one still is.)
    #[inline(always)]
    pub(in crate::avx2) fn ps_to_whole<const MODE: u8>(self, x: __m256) -> __m256i {
        const UP: u8 = Mode::Up as u8;
        const DOWN: u8 = Mode::Down as u8;
        const EVEN: u8 = Mode::NearestEven as u8;
        match MODE {
            UP => self.ps_to_i32(self.round_ps::<{ shapes::UP }>(x)),
            DOWN => self.ps_to_i32(self.round_ps::<{ shapes::DOWN }>(x)),
            EVEN => self.ps_to_near_i32(x),
            CUT => self.ps_to_i32(x),
            _ => {
                let odd = self.or(self.ps_bits(x), self.all32(1));
                self.ps_to_near_i32(self.as_ps(odd))
            }
        }
    }

    /// Bfloat16s, clamped in their places.
    #[inline(always)]
    fn words_to_bytes<B: Real, const MODE: u8>(self, words: __m256i) -> __m256i {
        let zero = self.zero();
        let (a, b) = (self.as_ps(self.low16(zero, words)), self.as_ps(self.high16(zero, words)));
        self.packs32(self.ps_to_byte::<B, MODE>(a), self.ps_to_byte::<B, MODE>(b))
    }

    /// Float64s as 32-bit integers that packing clamps as it would the numbers: NaN as 0, and what is below the lowest as
    /// that. What is above the largest is clamped by its upper dword, which then is that of a number from 2^30 to 2^31. (An
    /// integer minimum leaves negative dwords alone, and all lower ones.)
    #[inline(always)]
    fn pd_to_dwords<B: Real, const MODE: u8>(self, x: __m256d) -> __m128i {
        const MOST: i64 = 0x41d0_0000 << 32 | 0x7fff_ffff;
        // The second operand where the first is NaN.
        let number = match const { limits(B::DTYPE).0 } {
            0 => self.max_pd(x, self.all_pd(0.0)),
            _ => self.and_pd(x, self.cmp_pd::<ORDERED>(x, x)),
        };
        let number = if MODE == CUT { number } else { self.whole_64::<MODE>(number) };
        self.pd_to_i32(self.as_pd(self.min32(self.pd_bits(number), self.all64(MOST))))
    }

    #[inline(always)]
    fn pds_to_words<B: Real, const MODE: u8>(self, [a, b, c, d]: [__m256d; 4]) -> __m256i {
        let (a, b) = (self.pd_to_dwords::<B, MODE>(a), self.pd_to_dwords::<B, MODE>(b));
        let (c, d) = (self.pd_to_dwords::<B, MODE>(c), self.pd_to_dwords::<B, MODE>(d));
        self.packs32(self.join(b, a), self.join(d, c))
    }

    /// 32 float64s as single bits: whether they are 1 or more, or -1 or less to a signed one.
    #[inline(always)]
    fn ones_of_pds<B: Real>(self, [first, second]: [[__m256d; 4]; 2]) -> __m256i {
        let ab = self.packs32(
            self.ones_of_two::<B>(first[0], first[1]),
            self.ones_of_two::<B>(first[2], first[3]),
        );
        let cd = self.packs32(
            self.ones_of_two::<B>(second[0], second[1]),
            self.ones_of_two::<B>(second[2], second[3]),
        );
        // Of the eight vectors, two and two in turns, two elements are in the lower and two in the upper lane.
        const ONE_BY_ONE: [u8; 16] = [0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15];
        let ones = self.in_order(self.packs16(ab, cd));
        let ones = self.shuffle8(ones, self.twice(bytemuck::cast(ONE_BY_ONE)));
        match const { B::DTYPE.kind() } {
            Kind::Int => ones,
            _ => self.and(ones, self.all8(1)),
        }
    }

    /// The same of eight, as all ones in dwords, in turns. (Any port puts them together so: those that shuffle are wanted for
    /// what is turned.)
    #[inline(always)]
    fn ones_of_two<B: Real>(self, a: __m256d, b: __m256d) -> __m256i {
        self.mix32::<0b10_10_10_10>(self.is_one::<B>(a), self.is_one::<B>(b))
    }

    #[inline(always)]
    fn is_one<B: Real>(self, x: __m256d) -> __m256i {
        self.pd_bits(match const { B::DTYPE.kind() } {
            Kind::Int => self.cmp_pd::<NOT_LESS>(self.all_pd(-1.0), x),
            _ => self.cmp_pd::<NOT_LESS>(x, self.all_pd(1.0)),
        })
    }

    /// Words clamped, as packing leaves them.
    #[inline(always)]
    fn clamped_words<B: Real>(self, a: __m256i, b: __m256i) -> __m256i {
        let (least, largest) = const { limits(B::DTYPE) };
        let largest = self.all8(largest as i8);
        match least {
            0 => self.min_u8(self.pack_u16(a, b), largest),
            _ => self.max8(self.min8(self.packs16(a, b), largest), self.all8(least as i8)),
        }
    }

    #[inline(always)]
    fn bytes_of_words<B: Real>(self, a: __m256i, b: __m256i) -> __m256i {
        if const { limits(B::DTYPE).0 == 0 } {
            return self.pack_u16(a, b);
        }
        let nan = self.all16(i16::MIN);
        self.packs16(self.andnot(self.eq16(a, nan), a), self.andnot(self.eq16(b, nan), b))
    }
}

impl Avx2 {
    /// The upper words of 32-bit lanes.
    #[inline(always)]
    pub(in crate::avx2) fn upper_words(self, a: __m256i, b: __m256i) -> __m256i {
        self.in_order(self.pack_u32(self.shr32::<16>(a), self.shr32::<16>(b)))
    }

    /// The bfloat16s of integers as float32s, as packing leaves them.
    #[inline(always)]
    pub(in crate::avx2) fn packed_brains(self, a: __m256, b: __m256) -> __m256i {
        self.packs32(self.brain_of(a), self.brain_of(b))
    }

    /// The bfloat16s of float32s that are no subnormals, infinities or NaNs, in 32-bit lanes.
    ///
    /// Let 2^e be the power of two below the number, with its sign. The fma adds 2^(e+16) * (1 + k), of
    /// which the last place is bfloat16's: so it rounds, and leaves the number of units, from 128 to
    /// 256, in the low word of the sum, plus what k has put there; sign and exponent, e + 127 + 16, are
    /// in the high word. The exponent should be less by 16, and by one for the first 128 units: k puts
    /// -(16 + 1) * 128 in the low word, which is even, so that ties go where they should. The sum of
    /// both words, as signed numbers, is the code. Of zero all is zero.
    #[inline(always)]
    fn brain_of(self, x: __m256) -> __m256i {
        const FACTOR: f32 = f32::from_bits(((127 + 16) << 23) + (1 << 16) - 17 * 128);
        let power = self.and(self.ps_bits(x), self.all32(-1 << 23));
        let sum = self.fma_ps(self.as_ps(power), self.all_ps(FACTOR), x);
        self.madd16(self.ps_bits(sum), self.all16(1))
    }
}
