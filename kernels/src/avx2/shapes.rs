//! The loops for other options that AVX2 does better than portable code. Its arithmetic rounds to nearest only, but where the
//! control register is set (see [`directed`]).

use super::Avx2;
use super::bridge::EQUAL;
use super::clamps::clamps;
use super::directed;
use super::drawn_stores::stores_drawn;
use super::draws::{ints_by_draws, longs_by_draws, whole_by_draws, wholes_by_draws};
use super::encode::LESS;
use super::generator::draw;
use super::look_ups::{look_up, marked_halves};
use super::stores::stores;
use crate::codec::Isa;
use crate::philox::{AllDraws, EvenDraws};
use crate::shape::{Grid, Mode, Shapes, Side};
use core::arch::x86_64::{__m256, __m256d, __m256i};

/// For comparisons; true if an operand is NaN.
const UNEQUAL: i32 = 0x04;

pub(super) const NEAREST: i32 = 8;
pub(super) const DOWN: i32 = 8 | 1;
pub(super) const UP: i32 = 8 | 2;
pub(super) const CUT: i32 = 8 | 3;

/// The loops of a conversion.
macro_rules! all_sides {
    ($kernel:ident) => {
        last_sides!($kernel, $kernel::<{ Side::Odd as u8 }>)
    };
}

/// The same, with that one to odd.
macro_rules! last_sides {
    ($kernel:ident, $odd:expr) => {
        [
            $kernel::<{ Side::TowardZero as u8 }>,
            $kernel::<{ Side::Up as u8 }>,
            $kernel::<{ Side::Down as u8 }>,
            $kernel::<{ Side::NearestAway as u8 }>,
            $odd,
        ]
    };
}

/// The same of numbers without a sign, of which down is toward zero.
macro_rules! unsigned_sides {
    ($kernel:ident) => {
        unsigned_sides!($kernel, $kernel::<{ Side::Odd as u8 }>)
    };
    ($kernel:ident, $odd:expr) => {{
        let toward_zero = $kernel::<{ Side::TowardZero as u8 }>;
        let (up, near) = ($kernel::<{ Side::Up as u8 }>, $kernel::<{ Side::NearestAway as u8 }>);
        [toward_zero, up, toward_zero, near, $odd]
    }};
}

/// The portable loops, and in place of some of them those below.
pub(super) const fn shapes() -> Shapes {
    let mut shapes = Shapes::of::<Avx2, 8>();
    shapes.look_up = look_up;
    shapes.looks_up_nibbles = true;
    shapes.rounds_codes = 8;
    shapes.stores_clamp = 7;
    shapes.overflows_clamp = 7;
    shapes.tells_powers = true;
    shapes.marked_halves = Some(marked_halves);
    shapes.stores = stores(shapes.stores);
    shapes.draw = draw::<AllDraws>;
    shapes.draw_even = draw::<EvenDraws>;
    shapes.stores_drawn = stores_drawn;
    shapes.clamps = clamps(shapes.clamps);
    // (Those that the CPU itself rounds leave the last of their elements, and few of them, to the others.)
    let doubles = &mut shapes.conversions.float64_to_32;
    *doubles = all_sides!(nearby_doubles);
    doubles[Side::TowardZero as usize] = directed::doubles::<{ Side::TowardZero as u8 }>;
    doubles[Side::Up as usize] = directed::doubles::<{ Side::Up as u8 }>;
    doubles[Side::Down as usize] = directed::doubles::<{ Side::Down as u8 }>;
    shapes.conversions.int32_to_32 = all_sides!(ints);
    shapes.conversions.uint32_to_32 = unsigned_sides!(uints);
    shapes.conversions.int64_to_32 = all_sides!(longs);
    shapes.conversions.uint64_to_32 = unsigned_sides!(ulongs);
    // (To odd nothing is rounded that is float64 in the end.)
    let [.., odd] = shapes.conversions.int64_to_64;
    shapes.conversions.int64_to_64 = last_sides!(wide_longs, odd);
    let [.., odd] = shapes.conversions.uint64_to_64;
    shapes.conversions.uint64_to_64 = unsigned_sides!(wide_ulongs, odd);
    let whole = &mut shapes.rounds.whole32;
    whole[Mode::Up as usize] = whole32::<UP>;
    whole[Mode::Down as usize] = whole32::<DOWN>;
    whole[Mode::NearestEven as usize] = whole32::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away32;
    whole[Mode::Stochastic as usize] = whole_by_draws;
    let whole = &mut shapes.rounds.whole64;
    whole[Mode::Up as usize] = whole64::<UP>;
    whole[Mode::Down as usize] = whole64::<DOWN>;
    whole[Mode::NearestEven as usize] = whole64::<NEAREST>;
    whole[Mode::NearestAway as usize] = nearest_away64;
    whole[Mode::Stochastic as usize] = wholes_by_draws;
    shapes.rounds.int32 = ints_by_draws::<true>;
    shapes.rounds.uint32 = ints_by_draws::<false>;
    shapes.rounds.int64 = longs_by_draws::<true>;
    shapes.rounds.uint64 = longs_by_draws::<false>;
    shapes
}

/// Runs a step from each multiple of `LEN` elements of so many bytes on, the last one so that it ends
/// with them; fewer than a step by way of the stack.
///
/// # Safety
/// The pointers are valid for `n` elements of `from` and `to` bytes, at most 8, and don't overlap.
/// `step` reads and writes `LEN` elements, which are at most 256 bytes. The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn steps<const LEN: usize>(
    (from, to): (usize, usize),
    src: *const u8,
    dst: *mut u8,
    n: usize,
    step: impl Fn(Avx2, *const u8, *mut u8),
) {
    assert!(LEN * from <= 256 && LEN * to <= 256);
    // SAFETY: the caller's. Elements are cast a second time from what they were, since nothing is
    // written to the source. The buffers hold a step.
    unsafe {
        let isa = Avx2::summon();
        isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                if n < LEN {
                    let (mut source, mut result) = ([0u8; 256], [0u8; 256]);
                    src.copy_to_nonoverlapping(source.as_mut_ptr(), n * from);
                    step(isa, source.as_ptr(), result.as_mut_ptr());
                    result.as_ptr().copy_to_nonoverlapping(dst, n * to);
                    return;
                }
                let mut i = 0;
                while i + 2 * LEN <= n {
                    step(isa, src.add(i * from), dst.add(i * to));
                    step(isa, src.add((i + LEN) * from), dst.add((i + LEN) * to));
                    i += 2 * LEN;
                }
                while i < n {
                    i = i.min(n - LEN);
                    step(isa, src.add(i * from), dst.add(i * to));
                    i += LEN;
                }
            },
        );
    }
}

/// Kernels that are steps.
macro_rules! stepped {
    ($(
        $(#[$doc:meta])*
        $vis:vis $name:ident [$($params:tt)*] ($($arg:ident: $extra:ty),*) = $from:literal $to:literal $len:literal,
            |$isa:ident, $src:ident, $dst:ident| $step:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for [`steps`].
        $vis unsafe fn $name<$($params)*>(src: *const u8, dst: *mut u8, n: usize $(, $arg: $extra)*) {
            // SAFETY: the caller's; a step reads and writes as much as it says.
            unsafe {
                steps::<$len>(
                    ($from, $to),
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |$isa, $src, $dst| $step,
                );
            }
        }
    )*};
}

pub(super) use stepped;

stepped! {
    /// Float64 to float32.
    pub(super) nearby_doubles[const SIDE: u8] () = 8 4 8, |isa, src, dst| {
        let v = [isa.as_pd(isa.load(src)), isa.as_pd(isa.load(src.add(32)))];
        isa.store(dst, isa.sided_floats::<SIDE>(v));
    };
    /// Int32 to float32.
    ints[const SIDE: u8] () = 4 4 8, |isa, src, dst| {
        let v = isa.load(src);
        let nearest = isa.i32_to_ps(v);
        isa.store(dst, isa.sided::<SIDE>(v, nearest));
    };
    /// Uint32 to float32.
    uints[const SIDE: u8] () = 4 4 8, |isa, src, dst| {
        isa.store(dst, isa.sided_unsigned::<SIDE>(isa.load(src)));
    };
    /// Int64 to float32.
    longs[const SIDE: u8] () = 8 4 8, |isa, src, dst| {
        let numbers = isa.pair_of_i64::<true>(isa.load(src), isa.load(src.add(32)));
        isa.store(dst, isa.sided_wholes::<SIDE>(numbers));
    };
    /// Uint64 to float32.
    ulongs[const SIDE: u8] () = 8 4 8, |isa, src, dst| {
        let numbers = isa.pair_of_u64(isa.load(src), isa.load(src.add(32)));
        isa.store(dst, isa.sided_wholes::<SIDE>(numbers));
    };
    /// Int64 to float64.
    wide_longs[const SIDE: u8] () = 8 8 4, |isa, src, dst| {
        let v = isa.load(src);
        isa.store(dst, isa.sided_parts::<SIDE, true>(v, isa.parts_of_i64(v)));
    };
    /// Uint64 to float64.
    wide_ulongs[const SIDE: u8] () = 8 8 4, |isa, src, dst| {
        let v = isa.load(src);
        isa.store(dst, isa.sided_parts::<SIDE, false>(v, isa.parts_of_u64(v)));
    };
    /// Float32 to integers.
    whole32 [const ROUND: i32] (_draws: *const u32, _grid: &Grid) = 4 4 8, |isa, src, dst| {
        let x = isa.as_ps(isa.load(src));
        isa.store(dst, isa.ps_bits(isa.round_ps::<ROUND>(x)));
    };
    /// Float64 to integers.
    whole64 [const ROUND: i32] (_draws: *const u32, _grid: &Grid) = 8 8 4, |isa, src, dst| {
        let x = isa.as_pd(isa.load(src));
        isa.store(dst, isa.pd_bits(isa.round_pd::<ROUND>(x)));
    };
    /// Float32 to the nearest integers, ties away from zero.
    nearest_away32 [] (_draws: *const u32, _grid: &Grid) = 4 4 8, |isa, src, dst| {
        let sum = isa.half_further(isa.as_ps(isa.load(src)));
        isa.store(dst, isa.ps_bits(isa.round_ps::<CUT>(sum)));
    };
    /// Float64 in the same way.
    nearest_away64 [] (_draws: *const u32, _grid: &Grid) = 8 8 4, |isa, src, dst| {
        let sum = isa.half_further_64(isa.as_pd(isa.load(src)));
        isa.store(dst, isa.pd_bits(isa.round_pd::<CUT>(sum)));
    };
}

impl Avx2 {
    /// Float32s of which those that are cut to integers are the nearest ones, the further of two. (The largest number below
    /// a half is added: with a half itself what is next below one would come to one.)
    #[inline(always)]
    pub(super) fn half_further(self, x: __m256) -> __m256 {
        let sign = self.and(self.ps_bits(x), self.all32(i32::MIN));
        let half = self.as_ps(self.or(sign, self.all32(0.5f32.to_bits() as i32 - 1)));
        self.add_ps(x, half)
    }

    /// The same of float64.
    #[inline(always)]
    pub(super) fn half_further_64(self, x: __m256d) -> __m256d {
        let sign = self.and(self.pd_bits(x), self.all64(i64::MIN));
        let half = self.as_pd(self.or(sign, self.all64(0.5f64.to_bits() as i64 - 1)));
        self.add_pd(x, half)
    }

    /// The bits of the float32s next to integers on a side of them, from those that are nearest.
    ///
    /// What rounding lost is a difference of integers: even of 2^31, which the conversion back turns
    /// into -2^31, since differences wrap around.
    #[inline(always)]
    fn sided<const SIDE: u8>(self, v: __m256i, nearest: __m256) -> __m256i {
        let (bits, back) = (self.ps_bits(nearest), self.ps_to_i32(nearest));
        let lost = self.sub32(v, back);
        // Negative if the nearest is further from zero than the number.
        let outward = self.sign32(lost, bits);
        // 1 or -1: what moves the bits of a number of this sign up.
        let up = self.or(self.sar32::<31>(bits), self.all32(1));
        let cut = self.add32(bits, self.sar32::<31>(outward));
        if SIDE == Side::TowardZero as u8 {
            cut
        } else if SIDE == Side::Up as u8 {
            self.add32(bits, self.and(self.gt32(lost, self.zero()), up))
        } else if SIDE == Side::Down as u8 {
            self.sub32(bits, self.and(self.gt32(self.zero(), lost), up))
        } else if SIDE == Side::Odd as u8 {
            let exact = self.eq32(lost, self.zero());
            self.or(cut, self.andnot(exact, self.all32(1)))
        } else {
            // A tie that went to the even neighbour, nearer to zero, goes to the other: the number is in the middle of both.
            // (Below 2^23 the other is no integer, and is cut to the number itself.)
            let next = self.ps_to_i32(self.as_ps(self.add32(bits, self.all32(1))));
            let middle = self.eq32(self.add32(next, back), self.add32(v, v));
            self.sub32(bits, self.andnot(self.eq32(v, back), middle))
        }
    }

    /// The same of unsigned integers. The sum of their halves is rounded, and what that lost of the lower one is exact.
    #[inline(always)]
    fn sided_unsigned<const SIDE: u8>(self, v: __m256i) -> __m256i {
        const WEIGHT: f32 = 65536.0;
        let (weight, zero) = (self.all_ps(WEIGHT), self.all_ps(0.0));
        let high = self.i32_to_ps(self.shr32::<16>(v));
        let low = self.i32_to_ps(self.and(v, self.all32(0xffff)));
        let nearest = self.fma_ps(high, weight, low);
        let lost = self.sub_ps(low, self.fnma_ps(high, weight, nearest));
        let bits = self.ps_bits(nearest);
        if SIDE == Side::Up as u8 {
            return self.sub32(bits, self.ps_bits(self.cmp_ps::<LESS>(zero, lost)));
        }
        if SIDE == Side::NearestAway as u8 {
            let next = self.as_ps(self.add32(bits, self.all32(1)));
            let step = self.sub_ps(next, nearest);
            let tie = self.cmp_ps::<EQUAL>(step, self.add_ps(lost, lost));
            return self.sub32(bits, self.ps_bits(tie));
        }
        let cut = self.add32(bits, self.ps_bits(self.cmp_ps::<LESS>(lost, zero)));
        if SIDE == Side::Odd as u8 {
            let other = self.ps_bits(self.cmp_ps::<UNEQUAL>(lost, zero));
            return self.or(cut, self.and(other, self.all32(1)));
        }
        cut
    }

    /// The bits of the float64s next to 64-bit integers on a side of them, but for odd ones, from two parts that they are the
    /// sum of.
    ///
    /// What the sum lost of the lower part is exact. Below 2^53 it is nothing, and the sum without the higher part is the
    /// lower one. Beyond, the sum and the higher part are multiples of a unit of the sum, 2 at least and 2^11 at most, and so is
    /// their difference: the lower part, a little more than 2^52, but for half a unit at most. Float64 has all integers up to
    /// 2^53.
    #[inline(always)]
    fn sided_parts<const SIDE: u8, const SIGNED: bool>(
        self,
        v: __m256i,
        [high, low]: [__m256d; 2],
    ) -> __m256i {
        const { assert!(SIDE != Side::Odd as u8) };
        let nearest = self.add_pd(high, low);
        let lost = self.sub_pd(low, self.sub_pd(nearest, high));
        let (bits, zero) = (self.pd_bits(nearest), self.all_pd(0.0));
        if SIDE == Side::NearestAway as u8 {
            let next = self.as_pd(self.add64(bits, self.all64(1)));
            let tie = self.cmp_pd::<EQUAL>(self.sub_pd(next, nearest), self.add_pd(lost, lost));
            return self.sub64(bits, self.pd_bits(tie));
        }
        if SIDE == Side::Up as u8 || SIDE == Side::Down as u8 {
            let (less, more) = if SIDE == Side::Up as u8 { (zero, lost) } else { (lost, zero) };
            let moves = self.pd_bits(self.cmp_pd::<LESS>(less, more));
            // 1 or -1: what moves the bits of a number of this sign up.
            let up = match SIGNED {
                true => self.or(self.gt64(self.zero(), v), self.all64(1)),
                false => self.all64(1),
            };
            let step = self.and(moves, up);
            return match SIDE == Side::Up as u8 {
                true => self.add64(bits, step),
                false => self.sub64(bits, step),
            };
        }
        let outward = match SIGNED {
            true => self.as_pd(self.xor(self.pd_bits(lost), self.and(v, self.all64(i64::MIN)))),
            false => lost,
        };
        self.add64(bits, self.pd_bits(self.cmp_pd::<LESS>(outward, zero)))
    }

    /// Numbers that the conversion to float16, ties to even, rounds as these are by ties away from zero. A tie has zeros
    /// where float16 has no bits any more: with the last one set it is further from zero, and no other number comes to a tie
    /// by that, or past one. (Zero would become a number that is slow to calculate with, and infinity NaN: what is the same
    /// as twice itself stays what it is.)
    #[inline(always)]
    pub(super) fn beyond_ties(self, x: __m256) -> __m256 {
        let other = self.ps_bits(self.cmp_ps::<UNEQUAL>(x, self.add_ps(x, x)));
        self.as_ps(self.or(self.ps_bits(x), self.and(other, self.all32(1))))
    }

    /// The same of float64 and the conversion to float32.
    #[inline(always)]
    fn beyond_ties_64(self, x: __m256d) -> __m256d {
        let other = self.pd_bits(self.cmp_pd::<UNEQUAL>(x, self.add_pd(x, x)));
        self.as_pd(self.or(self.pd_bits(x), self.and(other, self.all64(1))))
    }

    /// The bits of the float32s next to float64s on a side of them: nearest first, and its neighbour where comparing that
    /// with the number asks for it.
    #[inline(always)]
    fn sided_floats<const SIDE: u8>(self, v: [__m256d; 2]) -> __m256i {
        let [a, b] = match SIDE == Side::NearestAway as u8 {
            true => [self.beyond_ties_64(v[0]), self.beyond_ties_64(v[1])],
            false => v,
        };
        let (low, high) = (self.pd_to_ps(a), self.pd_to_ps(b));
        let bits = self.ps_bits(self.join_ps(high, low));
        if SIDE == Side::NearestAway as u8 {
            return bits;
        }
        let (near_a, near_b) = (self.ps_to_pd(low), self.ps_to_pd(high));
        if SIDE == Side::Up as u8 || SIDE == Side::Down as u8 {
            let (less, more) = match SIDE == Side::Up as u8 {
                true => ([near_a, near_b], [a, b]),
                false => ([a, b], [near_a, near_b]),
            };
            let moves = self.masks32([
                self.cmp_pd::<LESS>(less[0], more[0]),
                self.cmp_pd::<LESS>(less[1], more[1]),
            ]);
            // -1 where the bits of a number of this sign go up with it, 1 where they go down.
            let against = self.sign32(moves, self.or(bits, self.all32(1)));
            return match SIDE == Side::Up as u8 {
                true => self.sub32(bits, against),
                false => self.add32(bits, against),
            };
        }
        let magnitude = self.as_pd(self.all64(i64::MAX));
        let further = [
            self.cmp_pd::<LESS>(self.and_pd(a, magnitude), self.and_pd(near_a, magnitude)),
            self.cmp_pd::<LESS>(self.and_pd(b, magnitude), self.and_pd(near_b, magnitude)),
        ];
        let cut = self.add32(bits, self.masks32(further));
        if SIDE == Side::TowardZero as u8 {
            return cut;
        }
        let other = [self.cmp_pd::<UNEQUAL>(a, near_a), self.cmp_pd::<UNEQUAL>(b, near_b)];
        self.or(cut, self.and(self.masks32(other), self.all32(1)))
    }

    /// The same of float64s that are integers, on any side. These are no subnormals, infinities or NaNs: what float32 has no
    /// room for is the low bits, which carry into the others as the side wants, and are cleared.
    #[inline(always)]
    fn sided_wholes<const SIDE: u8>(self, [a, b]: [__m256d; 2]) -> __m256i {
        let (a, b) = (self.sided_whole::<SIDE>(a), self.sided_whole::<SIDE>(b));
        self.ps_bits(self.join_ps(self.pd_to_ps(b), self.pd_to_ps(a)))
    }

    #[inline(always)]
    fn sided_whole<const SIDE: u8>(self, x: __m256d) -> __m256d {
        const UNIT: i64 = 1 << (52 - 23);
        let (bits, low) = (self.pd_bits(x), self.all64(UNIT - 1));
        let negative = self.gt64(self.zero(), bits);
        let moved = if SIDE == Side::Up as u8 {
            self.add64(bits, self.andnot(negative, low))
        } else if SIDE == Side::Down as u8 {
            self.add64(bits, self.and(negative, low))
        } else if SIDE == Side::NearestAway as u8 {
            self.add64(bits, self.all64(UNIT / 2))
        } else if SIDE == Side::Odd as u8 {
            // What is there carries into the unit.
            self.or(bits, self.add64(self.and(bits, low), low))
        } else {
            bits
        };
        self.as_pd(self.andnot(low, moved))
    }

    /// Masks of eight qwords as masks of dwords.
    #[inline(always)]
    fn masks32(self, [a, b]: [__m256d; 2]) -> __m256i {
        let (a, b) = (self.as_ps(self.pd_bits(a)), self.as_ps(self.pd_bits(b)));
        self.permute64::<0b11_01_10_00>(self.ps_bits(self.pick_ps::<0b10_00_10_00>(a, b)))
    }
}
