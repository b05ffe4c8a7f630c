//! Between packed dtypes, between them and those of a byte with at most 64 codes, and from packed ones to
//! those of 16 bits and complex ones of two of these: in registers, by one table per pair of what the codes
//! become.
//!
//! The loops know but the numbers of bits on both sides, and find the pair's table when they are
//! called. Codes of up to 4 bits are looked up as many at a time as fit 4 bits: a half byte of the
//! source becomes some bits or bytes of the destination, and no code is ever alone in a byte.

use super::Avx2;
use super::bits::{BitsToBytes, BitsToSixes, BitsToWords};
use super::by_codes::StepByCodes;
use super::code_tables::{Codes, codes, codes_in};
use super::half_bytes::ByHalves;
use super::in_registers::Most;
use super::marked::while_fitting;
use super::permutes;
use super::pieces::{GROUP, SIXES};
use super::quarters::QuartersToWords;
use super::sixes;
use super::widened::words_by_table;
use crate::codec::Isa;
use crate::dtypes::DType;
use crate::scalar::direct::is_packed_copy;
use crate::shape::Tells;
use crate::stepwise::{self, Side};
use crate::table::{Entry, Kernel, Params, RealPairs, Road};
use crate::tile;
use core::arch::x86_64::__m256i;
use core::mem::MaybeUninit;

/// A step between elements of `IN` and `OUT` bits.
pub(super) trait Step {
    const IN: usize;
    const OUT: usize;
    /// The elements of a step, which are whole bytes on both sides.
    const LEN: usize;
    /// Of which sides it loads or stores half registers.
    const HALVES: [bool; 2] = [false; 2];
    /// Whether its source is turned ahead, see [`Side::ahead`].
    const AHEAD: bool = false;
    /// Whether its source is turned already when it is in the other byte order.
    const READS_TURNED: bool = false;
    /// Whether its results are turned already when they are to be.
    const WRITES_TURNED: bool = false;
    /// The pair whose steps these are, if they are of one only.
    const OF: Option<(DType, DType)> = None;
    /// Else how it is told that all codes of a byte or less fit, and how many bits are above them, if that is known.
    const TELLS: Tells = Tells::Any;
    const ABOVE: Option<usize> = None;
    /// What the steps look up.
    type Tables: Copy;

    fn tables(isa: Avx2, params: &Params) -> Self::Tables;

    /// What takes elements of 6 bits apart, so that a test and the step after it do that once.
    #[inline(always)]
    fn sixes(isa: Avx2, _: Self::Tables) -> __m256i {
        isa.all32(SIXES)
    }

    /// Casts a step.
    ///
    /// # Safety
    /// `src` is valid for reading `LEN` elements and `dst` for writing as many, at any alignment;
    /// they don't overlap.
    unsafe fn step(isa: Avx2, tables: Self::Tables, src: *const u8, dst: *mut u8);
}

/// The most bytes that a step reads, and those that it writes.
const LONGEST: (usize, usize) = (1024, 1024);

/// A pair cast by such steps.
///
/// # Safety
/// As for every kernel, see [`crate::table::Kernel`].
pub(super) unsafe fn stepped<S: Step, const MODE: usize>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    if MODE == stepwise::CODES && const { tells_by_signs_of_sixes::<S>() } {
        // SAFETY: the caller's.
        return unsafe { sixes_while_fitting::<S>(src, dst, n, params) };
    }
    if MODE != stepwise::NONE {
        let reads = if S::READS_TURNED { stepwise::SOURCE } else { stepwise::NONE };
        let writes = if S::WRITES_TURNED { stepwise::RESULTS } else { stepwise::NONE };
        // SAFETY: the caller's, who knows that the CPU has the instruction set of this table.
        let isa = unsafe { Avx2::summon() };
        return isa.vectorize_on_lines(
            #[inline(always)]
            move || {
                let tables = S::tables(isa, params);
                let [from, to] = match const { sides_of::<S>() } {
                    Some(known) => known,
                    None => {
                        let [from, to] = Side::both(params.from, params.to, S::HALVES);
                        let above = S::ABOVE.unwrap_or(from.above);
                        [Side { tells: S::TELLS, above, ..from }, to]
                    }
                };
                let from = Side { bits: S::IN, ahead: S::AHEAD, ..from };
                let (lie, sixes) = ([from, Side { bits: S::OUT, ..to }], S::sixes(isa, tables));
                // SAFETY: the caller's; a step is whole registers of elements of two bytes or more. The test reads as much as
                // it is told: steps of codes, which are whole groups of 6 bits, or else whole registers.
                unsafe {
                    stepwise::tested_steps(
                        isa,
                        MODE & !reads & !writes,
                        lie,
                        S::LEN,
                        src,
                        dst,
                        n,
                        params,
                        #[inline(always)]
                        |src, dst| S::step(isa, tables, src, dst),
                        #[inline(always)]
                        |tops, src, bytes| isa.any_past_tops_of(tops, from, sixes, src, bytes),
                    )
                }
            },
        );
    }
    // SAFETY: the caller's, who knows that the CPU has the instruction set of this table.
    unsafe {
        all_steps::<S>(
            src,
            dst,
            n,
            #[inline(always)]
            |isa| S::tables(isa, params),
        );
    }
    n
}

/// Whether groups of floats of 6 bits are tested by both signs, on top of bytes, where they lie for a step, too.
const fn tells_by_signs_of_sixes<S: Step>() -> bool {
    matches!((S::ABOVE, S::TELLS), (Some(2), Tells::Signs)) && S::LEN == GROUP
}

/// Casts such groups as long as all fit, as [`stepwise`] has it. (What a test ends with takes as long as that of a group, so
/// it is asked after some of them.)
///
/// # Safety
/// As there; the CPU has AVX2.
unsafe fn sixes_while_fitting<S: Step>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    params: &Params,
) -> usize {
    const GROUPS: usize = 4;
    let Some(tops) = params.plan().tops().filter(|_| n >= GROUP) else { return 0 };
    // SAFETY: the caller's.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize_on_lines(
        #[inline(always)]
        move || {
            let tables = S::tables(isa, params);
            let sixes = S::sixes(isa, tables);
            let mut i = 0;
            while n - i >= GROUP {
                let mut most = Most::none(isa, tops, Tells::Signs);
                let groups = GROUPS.min((n - i) / GROUP);
                for k in 0..groups {
                    let at = (i + k * GROUP) / 8;
                    // SAFETY: the caller's: so many groups are left on both sides.
                    unsafe {
                        let (src, dst) = (src.add(at * S::IN), dst.add(at * S::OUT));
                        for quarter in 0..4 {
                            most.see(isa, isa.sixes_on_top(S::IN, sixes, src, quarter));
                        }
                        S::step(isa, tables, src, dst);
                    }
                }
                if most.is_past(isa, tops) {
                    break;
                }
                i += groups * GROUP;
            }
            i
        },
    )
}

/// How the sides of steps lie in memory that are of one pair only.
const fn sides_of<S: Step>() -> Option<[Side; 2]> {
    match S::OF {
        Some((from, to)) => Some(Side::both(from, to, S::HALVES)),
        None => None,
    }
}

/// # Safety
/// As for [`stepped`].
#[inline(always)]
pub(super) unsafe fn all_steps<S: Step>(
    src: *const u8,
    dst: *mut u8,
    n: usize,
    tables: impl FnOnce(Avx2) -> S::Tables,
) {
    // SAFETY: the caller's.
    let isa = unsafe { Avx2::summon() };
    isa.vectorize(
        #[inline(always)]
        move || {
            let tables = tables(isa);
            // SAFETY: the caller's; this is a step.
            unsafe {
                in_steps(
                    [S::IN, S::OUT],
                    S::LEN,
                    src,
                    dst,
                    n,
                    #[inline(always)]
                    |src, dst| S::step(isa, tables, src, dst),
                );
            }
        },
    );
}

/// Runs a step from each multiple of `len` elements of so many bits on, the last one by way of the stack if less is left.
///
/// # Safety
/// The pointers are valid for `n` elements, and don't overlap. `step` reads and writes `len` elements, which are whole
/// bytes on both sides.
#[inline(always)]
pub(super) unsafe fn in_steps(
    [from, to]: [usize; 2],
    len: usize,
    src: *const u8,
    dst: *mut u8,
    n: usize,
    step: impl Fn(*const u8, *mut u8),
) {
    assert!(len * from <= 8 * LONGEST.0 && len * to <= 8 * LONGEST.1);
    let mut buffers = Buffers::new();
    let mut i = 0;
    while i < n {
        // SAFETY: the caller's: element `i` starts a byte on both sides, and `left` are left.
        // What is less than a step is cast between buffers, which hold one; the second has
        // been written to where it is read. One place in the code does every step.
        unsafe {
            let (src, dst) = (src.add(i / 8 * from), dst.add(i / 8 * to));
            let left = n - i;
            let (step_src, step_dst) = if left < len {
                buffers.fill(src, (left * from).div_ceil(8), len * from / 8)
            } else {
                (src, dst)
            };
            step(step_src, step_dst);
            if left < len {
                buffers.empty(dst, left * to);
                break;
            }
        }
        i += len;
    }
}

/// Memory for a step. (It is aligned for what the compiler puts on the stack beside it: see
/// [`align_stack`](crate::codec::align_stack).)
#[repr(align(64))]
struct Buffers {
    from: [MaybeUninit<u8>; LONGEST.0],
    to: [MaybeUninit<u8>; LONGEST.1],
}

impl Buffers {
    #[inline(always)]
    const fn new() -> Self {
        Self { from: [MaybeUninit::uninit(); LONGEST.0], to: [MaybeUninit::uninit(); LONGEST.1] }
    }

    /// Copies the source, with zeros after it, and tells where from and to a step is to be cast, of so many bytes.
    ///
    /// # Safety
    /// `src` is valid for reading `bytes`, which are less than those of the step, which the buffer holds.
    #[inline(always)]
    unsafe fn fill(
        &mut self,
        src: *const u8,
        bytes: usize,
        of_step: usize,
    ) -> (*const u8, *mut u8) {
        let from = self.from.as_mut_ptr().cast::<u8>();
        // SAFETY: the caller's.
        unsafe {
            from.write_bytes(0, of_step);
            src.copy_to_nonoverlapping(from, bytes);
        }
        (from, self.to.as_mut_ptr().cast())
    }

    /// Copies the first bits of the results; what is left of the last byte becomes zero.
    ///
    /// # Safety
    /// So many bits have been written to the buffer, and `dst` is valid for writing them.
    #[inline(always)]
    unsafe fn empty(&mut self, dst: *mut u8, bits: usize) {
        let to = self.to.as_mut_ptr().cast::<u8>();
        // SAFETY: the caller's.
        unsafe {
            if !bits.is_multiple_of(8) {
                *to.add(bits / 8) &= (1 << (bits % 8)) - 1;
            }
            to.copy_to_nonoverlapping(dst, bits.div_ceil(8));
        }
    }
}

/// By a look-up of single codes: from `IN` bits, of which `CODE` count, to `OUT` bits. More than 4
/// bits are looked up in four rows.
pub(super) struct ByCodes<const IN: usize, const CODE: usize, const OUT: usize>;

/// What [`ByCodes`] needs.
#[derive(Clone, Copy)]
pub(super) struct CodeTables {
    /// The codes from 0 to 15, and for the next three rows what distinguishes each from the one
    /// before.
    rows: [__m256i; 4],
    /// The bits of a source that count, and the largest code there is.
    mask: __m256i,
    most: __m256i,
}

impl CodeTables {
    /// The same with marks in the codes of the first row, which become those of all that it has.
    #[inline(always)]
    pub(super) fn with_marks(mut self, isa: Avx2, marks: __m256i) -> Self {
        self.rows[0] = isa.or(self.rows[0], marks);
        self
    }
}

impl<const IN: usize, const CODE: usize, const OUT: usize> Step for ByCodes<IN, CODE, OUT> {
    const IN: usize = IN;
    const OUT: usize = OUT;
    const LEN: usize = GROUP;
    type Tables = CodeTables;

    #[inline(always)]
    fn tables(isa: Avx2, params: &Params) -> CodeTables {
        let tables = Self::tables_of(isa, codes(params));
        if matches!(params.from, DType::Bool) {
            return CodeTables { mask: isa.all8(-1), most: isa.all8(1), ..tables };
        }
        tables
    }

    #[inline(always)]
    unsafe fn step(isa: Avx2, tables: CodeTables, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { Self::to_codes(isa, tables, src, dst) };
    }
}

impl<const IN: usize, const CODE: usize, const OUT: usize> ByCodes<IN, CODE, OUT> {
    /// [`Step::step`], which answers what bits there are of what was looked up.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub(super) unsafe fn to_codes(
        isa: Avx2,
        tables: CodeTables,
        src: *const u8,
        dst: *mut u8,
    ) -> __m256i {
        // SAFETY: the caller's: a group of elements on both sides.
        unsafe {
            let v = [
                isa.look_up_codes::<IN, CODE>(tables, src),
                isa.look_up_codes::<IN, CODE>(tables, src.add(4 * IN)),
                isa.look_up_codes::<IN, CODE>(tables, src.add(8 * IN)),
                isa.look_up_codes::<IN, CODE>(tables, src.add(12 * IN)),
            ];
            isa.squeeze::<OUT>(v, dst);
            isa.or(isa.or(v[0], v[1]), isa.or(v[2], v[3]))
        }
    }
}

impl<const IN: usize, const CODE: usize, const OUT: usize> StepByCodes for ByCodes<IN, CODE, OUT> {
    #[inline(always)]
    fn tables_of(isa: Avx2, codes: &Codes) -> CodeTables {
        let bits = isa.all8(const { ((1u32 << OUT) - 1) as i8 });
        let mut rows = [isa.zero(); 4];
        let mut before = isa.zero();
        for (k, row) in rows.iter_mut().enumerate() {
            // SAFETY: a quarter of the table.
            let these = unsafe { isa.twice(isa.loadx(codes.as_ptr().add(16 * k))) };
            *row = isa.and(isa.xor(these, before), bits);
            before = these;
        }
        let mask = const { ((1u32 << CODE) - 1) as i8 };
        CodeTables { rows, mask: isa.all8(mask), most: isa.all8(-1) }
    }
}

impl Avx2 {
    /// What 32 elements become.
    ///
    /// # Safety
    /// `src` is valid for reading `4 * IN` bytes.
    #[inline(always)]
    unsafe fn look_up_codes<const IN: usize, const CODE: usize>(
        self,
        tables: CodeTables,
        src: *const u8,
    ) -> __m256i {
        // SAFETY: the caller's.
        let codes = unsafe {
            if IN < 8 {
                self.spread::<IN>(src)
            } else {
                self.min_u8(self.and(self.load(src), tables.mask), tables.most)
            }
        };
        let mut found = self.shuffle8(tables.rows[0], codes);
        let mut k = 1;
        while CODE > 4 && k < 4 {
            // Below the row the index is negative, which gives zero.
            let at = self.sub8(codes, self.all8(16 * k as i8));
            found = self.xor(found, self.shuffle8(tables.rows[k], at));
            k += 1;
        }
        found
    }
}

/// The kernel of a pair with a packed side and few codes; None where a piece of a tile is all that it
/// takes.
const fn entry<const MODE: usize>(from: DType, to: DType) -> Option<Entry> {
    if from.is_packed() && to.component().bits() == 16 {
        let kernel = match from.bits() {
            1 => words_by_table::<BitsToWords, MODE>(to),
            2 => words_by_table::<QuartersToWords, MODE>(to),
            4 => words_by_table::<ByHalves<4, 16>, MODE>(to),
            _ => sixes::to_words::<MODE>(from, to),
        };
        return Some(Entry { kernel, road: Road::Table });
    }
    if from.is_packed()
        && let Some(entry) = permutes::entry::<MODE>(from, to)
    {
        return Some(entry);
    }
    let no_wider = from.bits() <= 8 && to.bits() <= 8 && from.significant_bits() <= 6;
    let packed = from.is_packed() || to.is_packed();
    let spreads = tile::is_unpacking(from, to) && from.bits() == 6;
    if !no_wider || !packed || is_packed_copy(from, to) || spreads || tile::is_packing(from, to) {
        return None;
    }
    if from.bits() == 6
        && to.bits() == 8
        && let Some(kernel) = sixes::to_bytes::<MODE>(codes_in(from, to))
    {
        return Some(Entry { kernel, road: Road::Table });
    }
    let kernel: Kernel = match (from.bits(), to.bits()) {
        (1, 1) => stepped::<ByHalves<1, 1>, MODE>,
        (1, 2) => stepped::<ByHalves<1, 2>, MODE>,
        (1, 4) => stepped::<ByHalves<1, 4>, MODE>,
        (2, 1) => by_halves::<2, 1, MODE>(),
        (2, 2) => stepped::<ByHalves<2, 2>, MODE>,
        (2, 4) => stepped::<ByHalves<2, 4>, MODE>,
        (2, 8) => stepped::<ByHalves<2, 8>, MODE>,
        (4, 1) => by_halves::<4, 1, MODE>(),
        (4, 2) => by_halves::<4, 2, MODE>(),
        (4, 4) => by_halves::<4, 4, MODE>(),
        (4, 8) => stepped::<ByHalves<4, 8>, MODE>,
        (1, 6) => stepped::<BitsToSixes, MODE>,
        (1, _) => stepped::<BitsToBytes, MODE>,
        (2, _) => stepped::<ByCodes<2, 2, 6>, MODE>,
        (4, _) => stepped::<ByCodes<4, 4, 6>, MODE>,
        (6, 1) => sixes::to_packed::<6, 1, MODE>(codes_in(from, to)),
        (6, 2) => sixes::to_packed::<6, 2, MODE>(codes_in(from, to)),
        (6, 4) => sixes::to_packed::<6, 4, MODE>(codes_in(from, to)),
        (6, 6) => sixes::to_packed::<6, 6, MODE>(codes_in(from, to)),
        (6, _) => stepped::<ByCodes<6, 6, 8>, MODE>,
        (_, 1) => from_bytes::<1, MODE>(from, to),
        (_, 2) => from_bytes::<2, MODE>(from, to),
        (_, 4) => from_bytes::<4, MODE>(from, to),
        _ => from_bytes::<6, MODE>(from, to),
    };
    Some(Entry { kernel, road: Road::Table })
}

/// By half bytes, to no more bits.
const fn by_halves<const IN: usize, const OUT: usize, const MODE: usize>() -> Kernel {
    match MODE {
        stepwise::CODES => while_fitting::<ByHalves<IN, OUT>>,
        _ => stepped::<ByHalves<IN, OUT>, MODE>,
    }
}

/// From a dtype of one byte.
const fn from_bytes<const OUT: usize, const MODE: usize>(from: DType, to: DType) -> Kernel {
    match from.significant_bits() {
        1 => stepped::<ByCodes<8, 1, OUT>, MODE>,
        2 => stepped::<ByCodes<8, 2, OUT>, MODE>,
        4 if MODE == stepwise::CODES => while_fitting::<ByCodes<8, 4, OUT>>,
        4 => stepped::<ByCodes<8, 4, OUT>, MODE>,
        _ => sixes::to_packed::<8, OUT, MODE>(codes_in(from, to)),
    }
}

/// Sets the kernels of the pairs that have one.
pub(super) const fn with_packed<const MODE: usize>(mut pairs: RealPairs) -> RealPairs {
    let mut i = 0;
    while i < DType::COUNT * DType::COUNT {
        let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
        if let Some(entry) = entry::<MODE>(from, to) {
            pairs.set(from, to, entry);
        }
        i += 1;
    }
    pairs
}
