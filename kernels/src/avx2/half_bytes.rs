//! Look-ups of half bytes, which are as many codes of up to 4 bits as fit: see [`super::packed`].

use super::Avx2;
use super::by_codes::StepByCodes;
use super::code_tables::{Codes, Words, codes, words};
use super::packed::Step;
use super::widened::StepByWords;
use crate::table::Params;
use core::arch::x86_64::__m256i;
use core::array;

/// From `IN` to `OUT` bits, at most 4 and 16, by half bytes, which become at most 16 bits.
pub(super) struct ByHalves<const IN: usize, const OUT: usize>;

impl<const IN: usize, const OUT: usize> ByHalves<IN, OUT> {
    /// The bits that a half byte becomes.
    pub(super) const BITS: usize = 4 * OUT / IN;
    /// The vectors of the source in a step: what fills one of the destination, or as many as make the
    /// loop around them not count.
    const VECTORS: usize = match Self::BITS {
        ..=4 => 4,
        8 => 2,
        _ => 1,
    };
}

impl<const IN: usize, const OUT: usize> Step for ByHalves<IN, OUT> {
    const IN: usize = IN;
    const OUT: usize = OUT;
    const LEN: usize = Self::VECTORS * 256 / IN;

    /// For the lower half of a byte, and for the higher one: the first 8 bits of what it becomes, and
    /// those that follow.
    type Tables = [[__m256i; 2]; 2];

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> Self::Tables {
        match OUT {
            16 => Self::tables_for(isa, words(params).map(u32::from)),
            _ => Self::tables_of(isa, codes(params)),
        }
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, [low, high]: Self::Tables, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: `VECTORS` are read, and one to four written.
        unsafe {
            match Self::BITS {
                ..=4 => {
                    Self::to_no_longer(isa, [low, high], src, dst);
                }
                8 => {
                    let mut k = 0;
                    while k < 2 {
                        let (l, h) = isa.halves(isa.in_order(isa.load(src.add(32 * k))));
                        let (l, h) = (isa.shuffle8(low[0], l), isa.shuffle8(high[0], h));
                        isa.store(dst.add(64 * k), isa.low8(l, h));
                        isa.store(dst.add(64 * k + 32), isa.high8(l, h));
                        k += 1;
                    }
                }
                _ => {
                    const { assert!(Self::BITS <= 16) };
                    let (l, h) = isa.halves(isa.ready_to_unpack_twice(isa.load(src)));
                    let (l, l2) = (isa.shuffle8(low[0], l), isa.shuffle8(low[1], l));
                    let (h, h2) = (isa.shuffle8(high[0], h), isa.shuffle8(high[1], h));
                    isa.store_joined(isa.low8(l, l2), isa.low8(h, h2), dst);
                    isa.store_joined(isa.high8(l, l2), isa.high8(h, h2), dst.add(64));
                }
            }
        }
    }
}

impl<const IN: usize, const OUT: usize> StepByCodes for ByHalves<IN, OUT> {
    #[inline(always)]
    fn tables_of(isa: Avx2, codes: &Codes) -> Self::Tables {
        Self::tables_for(isa, array::from_fn(|i| u32::from(codes[i])))
    }
}

impl<const IN: usize> StepByWords for ByHalves<IN, 16> {
    #[inline(always)]
    fn tables_by_words(isa: Avx2, words: &Words) -> Self::Tables {
        Self::tables_for(isa, words.map(u32::from))
    }
}

impl<const IN: usize, const OUT: usize> ByHalves<IN, OUT> {
    /// A step to at most as many bits. It answers which bits there are of what was looked up: first, of the lower halves, and
    /// of the higher ones if these have bits of their own; then of the higher ones if they don't.
    ///
    /// # Safety
    /// As for [`Step::step`].
    #[inline(always)]
    pub(super) unsafe fn to_no_longer(
        isa: Avx2,
        [[low, _], [high, _]]: <Self as Step>::Tables,
        src: *const u8,
        dst: *mut u8,
    ) -> [__m256i; 2] {
        // SAFETY: the caller's: `VECTORS` are read, and one to four written.
        unsafe {
            let v = isa.load_four(src);
            if Self::BITS == 4 {
                let mut any = [isa.zero(); 2];
                for (k, v) in v.into_iter().enumerate() {
                    let (l, h) = isa.halves(v);
                    let (l, h) = (isa.shuffle8(low, l), isa.shuffle8(high, h));
                    any = [isa.or(any[0], l), isa.or(any[1], h)];
                    isa.store(dst.add(32 * k), isa.or(l, h));
                }
                return any;
            }
            let [a, b, c, d] = v;
            let (a, b) = (isa.joined_halves(low, high, a), isa.joined_halves(low, high, b));
            let (c, d) = (isa.joined_halves(low, high, c), isa.joined_halves(low, high, d));
            if Self::BITS == 1 {
                isa.squeeze::<2>([a, b, c, d], dst);
            } else {
                isa.store(dst, isa.squeeze_4(a, b));
                isa.store(dst.add(32), isa.squeeze_4(c, d));
            }
            [isa.or(isa.or(a, b), isa.or(c, d)), isa.zero()]
        }
    }

    /// What [`Step::tables`] gives, for what codes become.
    #[inline(always)]
    fn tables_for(isa: Avx2, codes: [u32; 16]) -> [[__m256i; 2]; 2] {
        let mut halves = [[0u8; 32]; 2];
        for i in 0..16 {
            let mut bits = 0;
            for k in 0..4 / IN {
                let code = i >> (IN * k) & ((1 << IN) - 1);
                bits |= (codes[code] & ((1 << OUT) - 1)) << (OUT * k);
            }
            for (half, byte) in halves.iter_mut().zip(bits.to_le_bytes()) {
                (half[i], half[i + 16]) = (byte, byte);
            }
        }
        // (Of `array::map` the compiler doesn't promise that it is inlined.)
        let [a, b] = &halves;
        let low = [isa.constant(a), isa.constant(b)];
        let high = match Self::BITS {
            1 => isa.add8(low[0], low[0]),
            2 => isa.shl16::<2>(low[0]),
            4 => isa.shl16::<4>(low[0]),
            _ => low[0],
        };
        [low, [high, low[1]]]
    }
}

impl Avx2 {
    /// The lower and the higher halves of bytes.
    #[inline(always)]
    fn halves(self, v: __m256i) -> (__m256i, __m256i) {
        (self.and(v, self.all8(15)), self.and(self.shr16::<4>(v), self.all8(15)))
    }

    /// What the halves of bytes become, which are different bits of a byte.
    #[inline(always)]
    fn joined_halves(self, low: __m256i, high: __m256i, v: __m256i) -> __m256i {
        let (l, h) = self.halves(v);
        self.or(self.shuffle8(low, l), self.shuffle8(high, h))
    }
}

impl Avx2 {
    /// Stores words of both in turns.
    ///
    /// # Safety
    /// `dst` is valid for writing 64 bytes.
    #[inline(always)]
    unsafe fn store_joined(self, v: __m256i, w: __m256i, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.store(dst, self.low16(v, w));
            self.store(dst.add(32), self.high16(v, w));
        }
    }
}
