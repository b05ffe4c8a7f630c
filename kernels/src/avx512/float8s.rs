//! From floats of a byte, whose integers take two, to integers of 32 and 64 bits.
//!
//! Two tables make the integers as words, which become longer beside copies of their signs: before them, for results in the
//! other byte order, or behind.

use super::Features;
use super::codes::{Codes, Pair, Plain, load, load_part};
use super::maps::{FOR_DWORDS, interleaved};
use super::shim::Vbmi;
use super::tables::LookUp;
use super::widen::has_integers;
use crate::dtypes::{DType, Kind, Real, mark};
use crate::format::Numbers;
use core::arch::x86_64::*;

/// Whether [`integers`] is for a pair: whether all that the source has, as integers, fits a word, but for an infinity that
/// becomes nothing but ones.
pub(super) const fn suits(from: DType, to: DType) -> bool {
    let Numbers::Float(format) = from.numbers() else {
        return false;
    };
    let fits = match is_signed(to) {
        true => format.max_exponent() < 15 && format.infinity().is_none(),
        false => format.max_exponent() < 16,
    };
    from.bits() == 8 && fits && has_integers(to)
}

/// Floats of a byte to integers, of which the highest byte comes first or last.
///
/// # Safety
/// `src` is valid for reading `n` elements of `A` and `dst` for writing `n` elements of `B`; they don't
/// overlap.
#[inline(always)]
pub(super) unsafe fn integers<A: Codes, B: Codes, const TURNED: bool>(
    isa: Vbmi,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    _: Pair<A, B>,
) {
    let x = isa.features();
    let size = size_of::<<B::Numbers as Real>::Stored>();
    let mut i = 0;
    // SAFETY: the caller's; of the last elements those are read and written that are left.
    unsafe {
        while n - i >= 64 {
            let results = results::<A, B, TURNED>(isa, load::<Vbmi, A>(isa, src.add(i)));
            for (j, result) in results.into_iter().enumerate().take(size) {
                x.store_dwords(dst.add(i * size + 64 * j), result);
            }
            i += 64;
        }
        if i < n {
            let bytes = (n - i) * size;
            let v = load_part::<Vbmi, A>(isa, src.add(i), n - i);
            let results = results::<A, B, TURNED>(isa, v);
            for (j, result) in results.into_iter().enumerate().take(bytes.div_ceil(64)) {
                x.store_first(dst.add(i * size + 64 * j), result, (bytes - 64 * j).min(64));
            }
        }
    }
}

/// What 64 codes become: as many registers as a result has bytes.
#[inline(always)]
fn results<A: Codes, B: Codes, const TURNED: bool>(isa: Vbmi, v: __m512i) -> [__m512i; 8] {
    let x = isa.features();
    let above = const { Above::of::<A, B>() };
    let is_long = const { size_of::<<B::Numbers as Real>::Stored>() == 8 };
    let v = match is_long {
        true => x.bw._mm512_permutexvar_epi16(x.constant(&FOR_QWORDS), v),
        false => x.f._mm512_permutexvar_epi32(x.constant(&FOR_DWORDS), v),
    };
    let [a, b] = if const { is_signed(B::Numbers::DTYPE) } {
        interleaved::<Vbmi, A, Plain<mark::Int16>, TURNED>(isa, v)
    } else {
        interleaved::<Vbmi, A, Plain<mark::UInt16>, TURNED>(isa, v)
    };
    let [a, b] = [x.longer_words::<TURNED>(a, above), x.longer_words::<TURNED>(b, above)];
    if !is_long {
        let zero = x.f._mm512_setzero_si512();
        return [a[0], a[1], b[0], b[1], zero, zero, zero, zero];
    }
    let (c, d) = (x.longer_dwords::<TURNED>(a[0], above), x.longer_dwords::<TURNED>(a[1], above));
    let (e, f) = (x.longer_dwords::<TURNED>(b[0], above), x.longer_dwords::<TURNED>(b[1], above));
    [c[0], c[1], d[0], d[1], e[0], e[1], f[0], f[1]]
}

/// What stands above a word in a longer integer.
#[derive(Clone, Copy)]
enum Above {
    Zeros,
    /// Copies of its sign.
    Signs,
    /// Ones if it has nothing but ones, which stands for infinity.
    OnesAboveOnes,
}

impl Above {
    const fn of<A: Codes, B: Codes>() -> Self {
        let has_infinity = match A::Numbers::DTYPE.numbers() {
            Numbers::Float(format) => format.infinity().is_some(),
            _ => false,
        };
        match (is_signed(B::Numbers::DTYPE), has_infinity) {
            (true, _) => Self::Signs,
            (false, true) => Self::OnesAboveOnes,
            (false, false) => Self::Zeros,
        }
    }
}

const fn is_signed(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Int)
}

/// Which pair of bytes goes where, so that interleaving three times within 128-bit lanes leaves all in order: the first of
/// the four lanes of the `i`th register that comes of it are the `i`th pair of the first lane, and so on.
const FOR_QWORDS: [u16; 32] = {
    let mut pairs = [0; 32];
    let mut place = 0;
    while place < 32 {
        let (lane, register) = (place / 8, place % 8);
        pairs[place] = (4 * register + lane) as u16;
        place += 1;
    }
    pairs
};

impl Features {
    /// Words as dwords, turned or not, within lanes of 128 bits.
    #[inline(always)]
    fn longer_words<const TURNED: bool>(self, v: __m512i, above: Above) -> [__m512i; 2] {
        let above = match above {
            Above::Zeros => self.f._mm512_setzero_si512(),
            Above::OnesAboveOnes => {
                self.bw._mm512_movm_epi16(self.bw._mm512_cmpeq_epi16_mask(v, self.word(u16::MAX)))
            }
            // The highest byte of a word that is turned is the lower one.
            Above::Signs if TURNED => {
                self.bw._mm512_srai_epi16::<15>(self.bw._mm512_slli_epi16::<8>(v))
            }
            Above::Signs => self.bw._mm512_srai_epi16::<15>(v),
        };
        let (first, second) = if TURNED { (above, v) } else { (v, above) };
        [self.bw._mm512_unpacklo_epi16(first, second), self.bw._mm512_unpackhi_epi16(first, second)]
    }

    /// Dwords that come of [words](Self::longer_words) as qwords.
    #[inline(always)]
    fn longer_dwords<const TURNED: bool>(self, v: __m512i, above: Above) -> [__m512i; 2] {
        let above = match above {
            Above::Zeros => self.f._mm512_setzero_si512(),
            // The lower word of a dword that is turned is what stood above a word.
            _ if TURNED => self.f._mm512_srai_epi32::<31>(self.f._mm512_slli_epi32::<16>(v)),
            _ => self.f._mm512_srai_epi32::<31>(v),
        };
        let (first, second) = if TURNED { (above, v) } else { (v, above) };
        [self.f._mm512_unpacklo_epi32(first, second), self.f._mm512_unpackhi_epi32(first, second)]
    }
}
