//! From packed elements of 1 and 2 bits to dwords, and to float64: eight lanes look up three bits each,
//! in a table that repeats itself, so that the bits of the next element make no difference.

use super::Avx2;
use super::nibbles::upper_words;
use super::packed::{Step, stepped};
use super::pieces::GROUP;
use crate::dtypes::{DType, Real, mark};
use crate::scalar::direct::table32;
use crate::stepwise;
use crate::table::{Entry, Kernel, Params, Road};
use core::arch::x86_64::__m256i;

/// What the codes of a dtype become in int32, uint32 and float32, and the upper halves of float64.
type Wide = [[u32; 4]; 4];

const fn wide_of<A: Real>() -> Wide {
    let tables =
        [table32::<A>(DType::Int32), table32::<A>(DType::UInt32), table32::<A>(DType::Float32)];
    let words = upper_words::<A>();
    let mut wide = [[0; 4]; 4];
    let mut code = 0;
    while code < 4 {
        let mut k = 0;
        while k < 3 {
            wide[k][code] = tables[k][code];
            k += 1;
        }
        wide[3][code] = (words[code] as u32) << 16;
        code += 1;
    }
    wide
}

static BOOL: Wide = wide_of::<mark::Bool>();
static INT1: Wide = wide_of::<mark::Int1>();
static UINT1: Wide = wide_of::<mark::UInt1>();
static INT2: Wide = wide_of::<mark::Int2>();
static UINT2: Wide = wide_of::<mark::UInt2>();

/// The table of a pair.
#[inline(always)]
fn wide(params: &Params) -> &'static [u32; 4] {
    let all = match params.from {
        DType::Bool1x8 => &BOOL,
        DType::Int1x8 => &INT1,
        DType::UInt1x8 => &UINT1,
        DType::Int2x4 => &INT2,
        _ => &UINT2,
    };
    match params.to {
        DType::Int32 => &all[0],
        DType::UInt32 => &all[1],
        DType::Float32 => &all[2],
        _ => &all[3],
    }
}

/// From `IN` bits, 1 or 2, to 32, or to the 64 of float64, turned or not.
struct ByPermutes<const IN: usize, const OUT: usize, const TURNED: bool>;

impl<const IN: usize, const OUT: usize, const TURNED: bool> ByPermutes<IN, OUT, TURNED> {
    /// The vectors that 32 bits become.
    const VECTORS: usize = OUT / IN / 8;

    /// How far 32 bits are to be shifted right for the lanes of each of those vectors. The lower halves
    /// of float64 get what zero has.
    const SHIFTS: [[u8; 32]; 8] = {
        let mut shifts = [[0; 32]; 8];
        let mut i = 0;
        while i < 8 * Self::VECTORS {
            shifts[i / 8][i % 8 * 4] = match OUT {
                32 => (IN * i) as u8,
                _ if i % 2 == TURNED as usize => 32,
                _ => (IN * (i / 2)) as u8,
            };
            i += 1;
        }
        shifts
    };
}

impl<const IN: usize, const OUT: usize, const TURNED: bool> Step for ByPermutes<IN, OUT, TURNED> {
    const IN: usize = IN;
    const OUT: usize = OUT;
    const LEN: usize = GROUP;
    const WRITES_TURNED: bool = TURNED;
    type Tables = __m256i;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> __m256i {
        let codes = wide(params);
        let mut lanes = [0; 8];
        for (i, lane) in lanes.iter_mut().enumerate() {
            let code = codes[i % (1 << IN)];
            *lane = if TURNED { code.swap_bytes() } else { code } as i32;
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        isa.lanes32(a, b, c, d, e, f, g, h)
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, table: __m256i, src: *const u8, dst: *mut u8) {
        let shifts = const { &Self::SHIFTS };
        let mut i = 0;
        while i < 4 * IN {
            // SAFETY: the caller's: a group, which is 4 * `IN` times 32 bits.
            unsafe {
                let bits = isa.all32(src.add(4 * i).cast::<i32>().read_unaligned());
                let to = dst.add(32 * Self::VECTORS * i);
                let mut k = 0;
                while k < Self::VECTORS {
                    let at = isa.srlv32(bits, isa.constant(&shifts[k]));
                    isa.store(to.add(32 * k), isa.permute32(table, at));
                    k += 1;
                }
            }
            i += 1;
        }
    }
}

/// The kernel of a pair that has one.
pub(super) const fn entry<const MODE: usize>(from: DType, to: DType) -> Option<Entry> {
    match MODE {
        stepwise::RESULTS => entry_of::<MODE, true>(from, to),
        _ => entry_of::<MODE, false>(from, to),
    }
}

const fn entry_of<const MODE: usize, const TURNED: bool>(from: DType, to: DType) -> Option<Entry> {
    let kernel: Kernel = match (from.bits(), to) {
        (1, DType::Int32 | DType::UInt32 | DType::Float32) => {
            stepped::<ByPermutes<1, 32, TURNED>, MODE>
        }
        (2, DType::Int32 | DType::UInt32 | DType::Float32) => {
            stepped::<ByPermutes<2, 32, TURNED>, MODE>
        }
        (1, DType::Float64) => stepped::<ByPermutes<1, 64, TURNED>, MODE>,
        (2, DType::Float64) => stepped::<ByPermutes<2, 64, TURNED>, MODE>,
        _ => return None,
    };
    Some(Entry { kernel, road: Road::Table })
}
