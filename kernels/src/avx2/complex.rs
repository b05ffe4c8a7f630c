//! Complex numbers to bools, and between them and bools or floats of another width, without a tile. A
//! number is nonzero if any bit of its two parts is set that is no sign.

use super::Avx2;
use super::decode::{F32, Loud};
use super::packed::{Step, stepped};
use crate::codec::Bridge;
use crate::dtypes::DType;
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use core::arch::x86_64::__m256i;

/// Sets the kernels of the pairs that have one.
pub(super) const fn with_complex<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    let all = [DType::Complex32, DType::BComplex32, DType::Complex64, DType::Complex128];
    let mut i = 0;
    while i < all.len() {
        let [bools, bits] = match MODE {
            stepwise::SOURCE => truths::<MODE, true>(all[i]),
            _ => truths::<MODE, false>(all[i]),
        };
        pairs.set(all[i], DType::Bool, Entry { kernel: bools, road: Road::Direct });
        pairs.set(all[i], DType::Bool1x8, Entry { kernel: bits, road: Road::Direct });
        if MODE != stepwise::NONE {
            let (part, [reals, zeros]) = (all[i].component(), parts(all[i]));
            pairs.set(all[i], part, Entry { kernel: reals, road: Road::Direct });
            pairs.set(part, all[i], Entry { kernel: zeros, road: Road::Direct });
        }
        i += 1;
    }
    let floats: [(DType, DType, Kernel); 6] = [
        (DType::Bool, DType::Complex64, stepped::<FromBools, MODE>),
        (DType::Float32, DType::Complex32, stepped::<ToHalves, MODE>),
        (DType::Complex64, DType::Float16, stepped::<FromFloats, MODE>),
        (DType::BComplex32, DType::Float32, stepped::<FromBrains, MODE>),
        (DType::Float16, DType::Complex64, stepped::<ToFloats<false>, MODE>),
        (DType::BFloat16, DType::Complex64, stepped::<ToFloats<true>, MODE>),
    ];
    let mut i = 0;
    while i < floats.len() {
        let (from, to, kernel) = floats[i];
        pairs.set(from, to, Entry { kernel, road: Road::Direct });
        i += 1;
    }
    pairs
}

/// The kernels to bool and bool1x8.
const fn truths<const MODE: usize, const TURNED: bool>(from: DType) -> [Kernel; 2] {
    match from.bits() {
        32 => [stepped::<Truths<32, 8, TURNED>, MODE>, stepped::<Truths<32, 1, TURNED>, MODE>],
        64 => [stepped::<Truths<64, 8, TURNED>, MODE>, stepped::<Truths<64, 1, TURNED>, MODE>],
        _ => [stepped::<Truths<128, 8, TURNED>, MODE>, stepped::<Truths<128, 1, TURNED>, MODE>],
    }
}

/// The kernels to real parts, and from them, if one of the sides is turned: it is the parts that are, whichever it is.
const fn parts(complex: DType) -> [Kernel; 2] {
    const SOURCE: usize = stepwise::SOURCE;
    const RESULTS: usize = stepwise::RESULTS;
    match complex.bits() {
        32 => [stepped::<RealParts<2>, RESULTS>, stepped::<WithZeros<2>, SOURCE>],
        64 => [stepped::<RealParts<4>, RESULTS>, stepped::<WithZeros<4>, SOURCE>],
        _ => [stepped::<RealParts<8>, RESULTS>, stepped::<WithZeros<8>, SOURCE>],
    }
}

/// From complex numbers with components of so many bytes to their real parts.
struct RealParts<const BYTES: usize>;

impl<const BYTES: usize> Step for RealParts<BYTES> {
    const IN: usize = 16 * BYTES;
    const OUT: usize = 8 * BYTES;
    const LEN: usize = 32;
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides, which are whole groups of each.
        unsafe {
            isa.real_parts_of::<BYTES, false>(src, dst, Self::LEN);
        }
    }
}

/// From real parts of so many bytes to complex numbers.
struct WithZeros<const BYTES: usize>;

impl<const BYTES: usize> Step for WithZeros<BYTES> {
    const IN: usize = 8 * BYTES;
    const OUT: usize = 16 * BYTES;
    const LEN: usize = 32;
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 elements on both sides, which are whole groups of each.
        unsafe {
            isa.with_zero_imaginary_of(BYTES, src, dst, Self::LEN);
        }
    }
}

/// From float32 to complex numbers of float16.
struct ToHalves;

impl Step for ToHalves {
    const IN: usize = 32;
    const OUT: usize = 32;
    const LEN: usize = 16;
    const HALVES: [bool; 2] = [true; 2];
    const OF: Option<(DType, DType)> = Some((DType::Float32, DType::Complex32));
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        let mut k = 0;
        while k < 4 {
            // SAFETY: the caller's: 64 bytes on both sides.
            unsafe {
                let halves = isa.psx_to_half(isa.load_psx(src.add(16 * k)));
                isa.storex(dst.add(16 * k), isa.low16x(halves, isa.zerox()));
            }
            k += 1;
        }
    }
}

/// From bools to complex numbers of float32.
struct FromBools;

impl Step for FromBools {
    const IN: usize = 8;
    const OUT: usize = 64;
    const LEN: usize = 32;
    const OF: Option<(DType, DType)> = Some((DType::Bool, DType::Complex64));
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        let one = isa.all64(1f32.to_bits() as i64);
        let mut k = 0;
        while k < 8 {
            // SAFETY: the caller's: 32 bytes are read and 256 written.
            unsafe {
                let no = isa.eq64(isa.u8_to_i64(isa.load_32x(src.add(4 * k))), isa.zero());
                isa.store(dst.add(32 * k), isa.andnot(no, one));
            }
            k += 1;
        }
    }
}

/// From complex numbers of float32 to float16.
struct FromFloats;

impl Step for FromFloats {
    const IN: usize = 64;
    const OUT: usize = 16;
    const LEN: usize = 16;
    const HALVES: [bool; 2] = [false, true];
    const OF: Option<(DType, DType)> = Some((DType::Complex64, DType::Float16));
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        let mut k = 0;
        while k < 2 {
            // SAFETY: the caller's: 128 bytes are read and 32 written.
            unsafe {
                let from = src.add(64 * k);
                // Elements 0, 1, 4, 5 in the lower lane, 2, 3, 6, 7 in the upper one.
                let parts = isa.as_ps(isa.even_dwords(isa.load(from), isa.load(from.add(32))));
                let lower = isa.psx_to_half(isa.lower_ps(parts));
                let upper = isa.psx_to_half(isa.half_ps::<1>(parts));
                isa.storex(dst.add(16 * k), isa.low32x(lower, upper));
            }
            k += 1;
        }
    }
}

/// From complex numbers of bfloat16 to float32.
struct FromBrains;

impl Step for FromBrains {
    const IN: usize = 32;
    const OUT: usize = 32;
    const LEN: usize = 16;
    const OF: Option<(DType, DType)> = Some((DType::BComplex32, DType::Float32));
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 64 bytes on both sides.
        unsafe {
            let a = isa.as_ps(isa.shl32::<16>(isa.load(src)));
            let b = isa.as_ps(isa.shl32::<16>(isa.load(src.add(32))));
            let F32([a, b]) = isa.bridge(Loud([a, b]));
            isa.store(dst, isa.ps_bits(a));
            isa.store(dst.add(32), isa.ps_bits(b));
        }
    }
}

/// From float16, or bfloat16, to complex numbers of float32.
struct ToFloats<const BRAIN: bool>;

impl<const BRAIN: bool> Step for ToFloats<BRAIN> {
    const IN: usize = 16;
    const OUT: usize = 64;
    const LEN: usize = 16;
    // (Float16s are converted from memory in less time than from registers.)
    const AHEAD: bool = !BRAIN;
    const OF: Option<(DType, DType)> = match BRAIN {
        true => Some((DType::BFloat16, DType::Complex64)),
        false => Some((DType::Float16, DType::Complex64)),
    };
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: 32 bytes are read and 128 written.
        unsafe {
            let zero = isa.zero();
            let (a, b) = if BRAIN {
                let words = isa.quiet_bfloat16(isa.ready_to_unpack_twice(isa.load(src)));
                (isa.low16(zero, words), isa.high16(zero, words))
            } else {
                let a = isa.in_order(isa.ps_bits(isa.half_to_ps(isa.loadx(src))));
                (a, isa.in_order(isa.ps_bits(isa.half_to_ps(isa.loadx(src.add(16))))))
            };
            isa.store(dst, isa.low32(a, zero));
            isa.store(dst.add(32), isa.high32(a, zero));
            isa.store(dst.add(64), isa.low32(b, zero));
            isa.store(dst.add(96), isa.high32(b, zero));
        }
    }
}

/// From complex numbers of `IN` bits, turned or not, to bools of `OUT` bits.
struct Truths<const IN: usize, const OUT: usize, const TURNED: bool>;

impl<const IN: usize, const OUT: usize, const TURNED: bool> Step for Truths<IN, OUT, TURNED> {
    const IN: usize = IN;
    const OUT: usize = OUT;
    const READS_TURNED: bool = TURNED;
    const LEN: usize = if IN == 128 { 8 } else { 32 };
    type Tables = ();

    #[inline(always)]
    fn tables(_: Avx2, _: &Params) {}

    #[inline(always)]
    unsafe fn step(isa: Avx2, (): (), src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's: `LEN` elements are read, and a byte or a bit for each of them written.
        unsafe {
            let zeros = match IN {
                64 => isa.bytes_of_qwords(
                    src,
                    #[inline(always)]
                    |v| isa.zero_complex::<64, TURNED>(v),
                ),
                _ => isa.zero_complexes::<IN, TURNED>(src),
            };
            match (IN, OUT) {
                (32 | 64, 8) => isa.store(dst, isa.andnot(zeros, isa.all8(1))),
                (32 | 64, _) => dst.cast::<i32>().write_unaligned(!isa.signs8(zeros)),
                (_, 8) => {
                    let words = isa.packs32(zeros, zeros);
                    let words = isa.join_low_64x(isa.lower(words), isa.half::<1>(words));
                    let truths = isa.eq8x(isa.packs16x(words, words), isa.zerox());
                    let [bools, _]: [u64; 2] = bytemuck::cast(isa.andx(truths, isa.all8x(1)));
                    dst.cast::<u64>().write_unaligned(bools);
                }
                _ => *dst = !isa.signs_ps(isa.as_ps(zeros)) as u8,
            }
        }
    }
}

impl Avx2 {
    /// Bytes of ones, a byte for each 32 bits of an element, or of zeros if it is not zero.
    ///
    /// # Safety
    /// 128 bytes are readable at `src`.
    #[inline(always)]
    unsafe fn zero_complexes<const BITS: usize, const TURNED: bool>(
        self,
        src: *const u8,
    ) -> __m256i {
        // SAFETY: the caller's.
        let (a, b, c, d) = unsafe {
            (self.load(src), self.load(src.add(32)), self.load(src.add(64)), self.load(src.add(96)))
        };
        let bytes = if BITS == 128 {
            self.packs32(self.zero_pairs::<TURNED>(a, b), self.zero_pairs::<TURNED>(c, d))
        } else {
            let ab = self.packs32(
                self.zero_complex::<BITS, TURNED>(a),
                self.zero_complex::<BITS, TURNED>(b),
            );
            let cd = self.packs32(
                self.zero_complex::<BITS, TURNED>(c),
                self.zero_complex::<BITS, TURNED>(d),
            );
            self.packs16(ab, cd)
        };
        self.packed_in_order(bytes)
    }

    /// Ones where a complex number is zero.
    #[inline(always)]
    fn zero_complex<const BITS: usize, const TURNED: bool>(self, v: __m256i) -> __m256i {
        match BITS {
            32 => self.eq32(self.sizes::<16, TURNED>(v), self.zero()),
            _ => self.eq64(self.sizes::<32, TURNED>(v), self.zero()),
        }
    }

    /// The same of those of 128 bits, two vectors in one, the lower halves of both first.
    #[inline(always)]
    fn zero_pairs<const TURNED: bool>(self, a: __m256i, b: __m256i) -> __m256i {
        let either = self.or(self.low64(a, b), self.high64(a, b));
        self.eq64(self.sizes::<64, TURNED>(either), self.zero())
    }
}
