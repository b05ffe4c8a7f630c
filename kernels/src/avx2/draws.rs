//! Stochastic rounding by draws: of float32 and float64 to integers, and of integers to them.

use super::Avx2;
use super::bridge::NOT_LESS;
use super::shapes::CUT;
use crate::codec::Isa;
use crate::shape::{Grid, steps};
use core::arch::x86_64::__m256i;

/// The elements of a step.
const STEP: usize = 32;

/// Loops that round in place, a register at a time, by the draws of as many elements.
macro_rules! round_loops {
    ($(
        $(#[$doc:meta])*
        $name:ident [$($params:tt)*] = $bytes:literal by $made:expr, $draws:ident,
            |$isa:ident, $made_as:ident, $code:ident, $draw:ident| $step:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for every loop that rounds, see [`crate::shape`].
        pub(super) unsafe fn $name<$($params)*>(
            src: *const u8,
            dst: *mut u8,
            n: usize,
            draws: *const u32,
            grid: &Grid,
        ) {
            // SAFETY: the caller's.
            let $isa = unsafe { Avx2::summon() };
            $isa.vectorize_on_lines(
                #[inline(always)]
                move || {
                    let $made_as = $made($isa, grid);
                    // SAFETY: the caller's; a step reads and writes as much as it says.
                    unsafe {
                        steps::<STEP>(
                            ($bytes, $bytes),
                            src,
                            dst,
                            n,
                            draws,
                            #[inline(always)]
                            |src, dst, draws| {
                                for i in 0..STEP * $bytes / 32 {
                                    let $code = $isa.load(src.add(32 * i));
                                    let $draw = $isa.$draws(draws, i);
                                    $isa.store(dst.add(32 * i), $step);
                                }
                            },
                        );
                    }
                },
            );
        }
    )*};
}

round_loops! {
    /// Rounds float32s to integers by a draw each.
    whole_by_draws[] = 4 by |_, _| (), draws,
        |isa, _nothing, code, draw| isa.whole_by_draw(code, draw);
    /// Rounds float64s in the same way.
    wholes_by_draws[] = 8 by |_, _| (), long_draws,
        |isa, _nothing, code, draw| isa.long_whole_by_draw(code, draw);
    /// Rounds integers of 32 bits to as many leading bits as the grid's format has, and makes them float32s, which are exact
    /// then.
    ints_by_draws[const SIGNED: bool] = 4 by longest_int, draws,
        |isa, longest, code, draw| isa.int_by_draw::<SIGNED>(code, draw, longest);
    /// The same of 64 bits, and float64.
    longs_by_draws[const SIGNED: bool] = 8 by longest_long, long_draws,
        |isa, longest, code, draw| isa.long_by_draw::<SIGNED>(code, draw, longest);
}

/// The exponent field that a float32 has of integers with as many bits as are kept.
#[inline(always)]
fn longest_int(isa: Avx2, grid: &Grid) -> __m256i {
    const ONE: i32 = 127;
    isa.all32(ONE + 23 - grid.cut as i32)
}

/// The same of float64.
#[inline(always)]
fn longest_long(isa: Avx2, grid: &Grid) -> __m256i {
    const ONE: i64 = 1023;
    isa.all64(ONE + 52 - i64::from(grid.cut))
}

impl Avx2 {
    /// The draws of the next eight numbers but so many times eight.
    ///
    /// # Safety
    /// As many are readable.
    #[inline(always)]
    pub(super) unsafe fn draws(self, draws: *const u32, i: usize) -> __m256i {
        // SAFETY: the caller's.
        unsafe { self.load(draws.add(8 * i).cast()) }
    }

    /// Those of the next four numbers but so many times four, in lanes of 64 bits.
    ///
    /// # Safety
    /// As many are readable.
    #[inline(always)]
    unsafe fn long_draws(self, draws: *const u32, i: usize) -> __m256i {
        // SAFETY: the caller's.
        self.u32_to_i64(unsafe { self.loadx(draws.add(4 * i).cast()) })
    }

    /// Those of 32 numbers.
    ///
    /// # Safety
    /// As many are readable.
    #[inline(always)]
    pub(super) unsafe fn all_draws(self, draws: *const u32) -> [__m256i; 4] {
        // SAFETY: the caller's.
        unsafe {
            [self.draws(draws, 0), self.draws(draws, 1), self.draws(draws, 2), self.draws(draws, 3)]
        }
    }

    /// Float32s cut to integers, and one further away from zero where the draw is less than what is cut off: the significand,
    /// its leading one being the highest bit, shifted up by what is whole, or down by how far it is from that. (Negative zero
    /// loses its sign, which no integer has.)
    #[inline(always)]
    fn whole_by_draw(self, code: __m256i, draw: __m256i) -> __m256i {
        const BELOW_ONE: i32 = 126;
        let sign = self.all32(i32::MIN);
        let significand = self.or(self.shl32::<8>(code), sign);
        let field = self.shr32::<24>(self.shl32::<1>(code));
        let up = self.sub32(field, self.all32(BELOW_ONE));
        let down = self.sub32(self.all32(BELOW_ONE), field);
        let rest = self.or(self.sllv32(significand, up), self.srlv32(significand, down));
        let stays = self.eq32(self.max_u32(draw, rest), draw);
        let one = self.or(self.and(code, sign), self.all32(1f32.to_bits() as i32));
        let further = self.as_ps(self.andnot(stays, one));
        self.ps_bits(self.add_ps(self.round_ps::<CUT>(self.as_ps(code)), further))
    }

    /// The same of float64s, by draws in lanes of 64 bits: a draw is less than the whole units of 2^-32 that are cut off if,
    /// with one added, it is no more than what is cut off. All of that is exact. (What is cut off of infinities is no number;
    /// that, and numbers so small that some CPUs are slow with them, are taken for the smallest normal one, which is less than
    /// any draw with one added.)
    #[inline(always)]
    fn long_whole_by_draw(self, code: __m256i, draw: __m256i) -> __m256i {
        /// A number whose last bit is 1.
        const BIAS: f64 = (1u64 << 52) as f64;
        let sign = self.all64(i64::MIN);
        let number = self.as_pd(code);
        let cut = self.round_pd::<CUT>(number);
        let rest = self.as_pd(self.andnot(sign, self.pd_bits(self.sub_pd(number, cut))));
        let rest = self.max_pd(rest, self.all_pd(f64::MIN_POSITIVE));
        let rest = self.mul_pd(rest, self.all_pd((1u64 << 32) as f64));
        let draw = self.as_pd(self.or(draw, self.pd_bits(self.all_pd(BIAS))));
        let draw = self.sub_pd(draw, self.all_pd(BIAS - 1.0));
        let goes = self.pd_bits(self.cmp_pd::<NOT_LESS>(rest, draw));
        let one = self.or(self.and(code, sign), self.pd_bits(self.all_pd(1.0)));
        self.pd_bits(self.add_pd(cut, self.as_pd(self.and(goes, one))))
    }

    /// Integers as float32s, of which as many bits are left as those with this exponent field have. What is cut off exceeds as
    /// many top bits of a draw if and only if adding the complement of those carries.
    #[inline(always)]
    fn int_by_draw<const SIGNED: bool>(
        self,
        v: __m256i,
        draw: __m256i,
        longest: __m256i,
    ) -> __m256i {
        let magnitude = if SIGNED { self.abs32(v) } else { v };
        // Halves have no sign. Without the bit below the leading one no rounding comes to the next power of two.
        let half = self.shr32::<1>(magnitude);
        let short = self.andnot(self.shr32::<1>(half), half);
        let field = self.shr32::<23>(self.ps_bits(self.i32_to_ps(short)));
        let cut = self.max32(self.sub32(field, self.sub32(longest, self.all32(1))), self.zero());
        let ones = self.all32(-1);
        let left = self.sub32(self.all32(32), cut);
        let sum = self.add32(magnitude, self.srlv32(self.xor(draw, ones), left));
        let rounded = self.andnot(self.srlv32(ones, left), sum);
        if SIGNED {
            // (Of 2^31 the conversion makes the negative.)
            let number = self.and(self.ps_bits(self.i32_to_ps(rounded)), self.all32(i32::MAX));
            return self.or(number, self.and(v, self.all32(i32::MIN)));
        }
        let high = self.i32_to_ps(self.shr32::<16>(rounded));
        let low = self.i32_to_ps(self.and(rounded, self.all32(0xffff)));
        let number = self.fma_ps(high, self.all_ps(65536.0), low);
        // A carry out of all bits leaves no leading one.
        let carried = self.as_ps(self.andnot(sum, magnitude));
        self.ps_bits(self.blend_ps(number, self.all_ps(4_294_967_296.0), carried))
    }

    /// The same of integers of 64 bits, as float64s, by draws in as long lanes. Of more than 32 bits that are cut off what is
    /// below them is not looked at, where zeros are added.
    #[inline(always)]
    fn long_by_draw<const SIGNED: bool>(
        self,
        v: __m256i,
        draw: __m256i,
        longest: __m256i,
    ) -> __m256i {
        let magnitude = match SIGNED {
            true => {
                let negative = self.gt64(self.zero(), v);
                self.sub64(self.xor(v, negative), negative)
            }
            false => v,
        };
        // Without the bit below the leading one no rounding comes to the next power of two.
        let short = self.andnot(self.shr64::<1>(magnitude), magnitude);
        let field = self.shr64::<52>(self.pd_bits(self.u64_to_pd(short)));
        // (Of less than zero the upper half is less than zero, too.)
        let cut = self.max32(self.sub64(field, longest), self.zero());
        let ones = self.all64(-1);
        let left = self.sub64(self.all64(64), cut);
        let added = self.srlv64(self.shl64::<32>(self.xor(draw, ones)), left);
        let sum = self.add64(magnitude, added);
        let rounded = self.u64_to_pd(self.andnot(self.srlv64(ones, left), sum));
        if SIGNED {
            return self.or(self.pd_bits(rounded), self.and(v, self.all64(i64::MIN)));
        }
        // A carry out of all bits leaves no leading one.
        let carried = self.as_pd(self.andnot(sum, magnitude));
        let past = self.all_pd(18_446_744_073_709_551_616.0);
        self.pd_bits(self.blend_pd(rounded, past, carried))
    }
}
