//! From integers to wider ones, and to float32, of which one or both are in the other byte order: one permutation puts each
//! byte where it belongs, in whatever order there is on either side.

use crate::avx2::Avx2;
use crate::avx2::direct::Step;
use crate::dtypes::{DType, Kind, Real};
use crate::stepwise::places;
use core::arch::x86_64::__m256i;

/// Integers of 16 or 32 bits to wider ones, of which the source is in the other byte order, or the results are, or both; and
/// unsigned ones of 16 bits to float32. (Signed ones take no less time so.)
pub(in crate::avx2) struct WidenTurned<const SOURCE: bool, const RESULTS: bool>;

/// Whether integers are widened so to others. (The signs of four take more than is saved.)
pub(in crate::avx2) const fn widens(from: DType, to: DType) -> bool {
    match (from.bits(), to.bits()) {
        (16, 32 | 64) => true,
        (32, 64) => matches!(from.kind(), Kind::UInt),
        _ => false,
    }
}

impl<A: Real, B: Real, const SOURCE: bool, const RESULTS: bool> Step<A, B>
    for WidenTurned<SOURCE, RESULTS>
{
    const LEN: usize = 16;
    const AT_ONCE: usize = 2;
    const READS_TURNED: bool = SOURCE;
    const WRITES_TURNED: bool = RESULTS;

    #[inline(always)]
    unsafe fn step(isa: Avx2, src: *const u8, dst: *mut u8) {
        let (from, to) = const { (A::DTYPE.bits() / 8, B::DTYPE.bits() / 8) };
        let turned = isa.twice(bytemuck::cast(const { places(4) }));
        let mut i = 0;
        while i < 16 {
            // SAFETY: the caller's: as many elements as fill a register are left on both sides.
            unsafe {
                let (src, dst) = (src.add(i * from), dst.add(i * to));
                let v = if const { matches!(B::DTYPE, DType::Float32) } {
                    let v = isa.widened_turned::<A, B, SOURCE, false>(src);
                    let v = isa.ps_bits(isa.i32_to_ps(v));
                    if RESULTS { isa.shuffle8(v, turned) } else { v }
                } else {
                    isa.widened_turned::<A, B, SOURCE, RESULTS>(src)
                };
                isa.store(dst, v);
            }
            i += 32 / to;
        }
    }
}

/// A place that becomes zero.
const NOTHING: u8 = 0x80;

/// Of the bytes of the elements that fill a register once they are widened, which comes to each place: the integers', with
/// nothing above them, or their highest above them, with nothing below.
const fn sources<A: Real, B: Real>(source: bool, results: bool, is_above: bool) -> [u8; 32] {
    let (from, to) = (A::DTYPE.bits() / 8, B::DTYPE.bits() / 8);
    let mut indices = [NOTHING; 32];
    let mut i = 0;
    while i < 32 {
        let weight = weight(to, results, i);
        if (weight >= from) == is_above {
            let byte = if is_above { from - 1 } else { weight };
            let byte = if source { from - 1 - byte } else { byte };
            indices[i] = (i / to * from + byte) as u8;
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
    /// As many elements as fill a register once they are widened.
    ///
    /// # Safety
    /// `src` is valid for reading them.
    #[inline(always)]
    unsafe fn widened_turned<A: Real, B: Real, const SOURCE: bool, const RESULTS: bool>(
        self,
        src: *const u8,
    ) -> __m256i {
        // SAFETY: the caller's: they are 16 bytes, or 8.
        let v = unsafe {
            match const { 4 * A::DTYPE.bits() / B::DTYPE.bits() } {
                2 => self.twice(self.loadx(src)),
                _ => self.all64(src.cast::<i64>().read_unaligned()),
            }
        };
        let places = const { &sources::<A, B>(SOURCE, RESULTS, false) };
        let integers = self.shuffle8(v, self.constant(places));
        match const { A::DTYPE.kind() } {
            Kind::UInt => integers,
            _ => {
                let places = const { &sources::<A, B>(SOURCE, RESULTS, true) };
                let highest = self.shuffle8(v, self.constant(places));
                self.or(integers, self.gt8(self.zero(), highest))
            }
        }
    }
}
