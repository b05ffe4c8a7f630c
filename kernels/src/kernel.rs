//! Resolved casts, and the safe doors to them: over slices of bytes, over bools, into memory that
//! nothing has been written to yet.

use crate::align;
use crate::copies;
use crate::dispatch::{self, Level};
use crate::dtypes::DType;
use crate::environment::{self, Arithmetic, Guard};
use crate::memory;
use crate::options::{Options, Rounding};
use crate::reference;
use crate::single;
use crate::stream::Stores;
use crate::swap::{self, Swap};
use crate::table::{self, Params, Road};
use crate::typed::Typed;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::slice;

mod in_place;
mod masked;
mod out;
mod parts;
mod plain;

pub use masked::MaskedKernel;
pub use out::Out;
pub(crate) use parts::SMALLEST;
pub use parts::{Cuts, InOrder, Join, Work};
use plain::Plain;

/// The kernel of a pair under some options, ready to run.
#[derive(Clone, Copy)]
#[must_use = "a kernel does nothing before it is run"]
pub struct Kernel {
    kernel: table::Kernel,
    params: Params,
    road: Road,
    level: &'static Level,
    /// What of the floating-point environment must be the default, see [`environment`].
    guard: Guard,
    /// What it knows of its pair.
    plain: Plain,
}

/// Why a kernel did not run, or how far it came.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// A buffer's size is not that of the elements.
    Length {
        /// The elements to cast.
        elements: usize,
        /// The bytes of the source.
        src_bytes: usize,
        /// The bytes that the elements take in the source; None if more than memory can hold.
        src_needed: Option<usize>,
        /// The bytes of the destination.
        dst_bytes: usize,
        /// The bytes that the elements take in the destination; None if more than memory can hold.
        dst_needed: Option<usize>,
    },
    /// A buffer is too small for a cast in place.
    InPlace {
        /// The elements to cast.
        elements: usize,
        /// The bytes that there are.
        bytes: usize,
        /// The bytes that the elements take; None if more than memory can hold.
        src_needed: Option<usize>,
        /// The bytes that the results take; None if more than memory can hold.
        dst_needed: Option<usize>,
    },
    /// A bitmap's size is not that of a bit for each element.
    Bitmap {
        /// The elements to cast.
        elements: usize,
        /// The bytes of the bitmap.
        bytes: usize,
        /// The bytes that the elements' bits take.
        needed: usize,
    },
    /// The Rust type of the destination is not the kernel's dtype.
    Type,
    /// A view is not of the kernel's dtype.
    ViewType {
        /// Whether it is the destination.
        dst: bool,
        /// Its dtype.
        given: DType,
        /// The kernel's.
        needed: DType,
    },
    /// Views of different shapes.
    Shape,
    /// There is no memory for the results.
    Memory {
        /// The elements to cast.
        elements: usize,
        /// The bytes that the results take; None if more than memory can hold.
        bytes: Option<usize>,
    },
    /// [`Overflow::Error`](crate::Overflow::Error): this element is the first that does not fit.
    /// Those before it are written.
    Unfit {
        /// Its index.
        index: usize,
    },
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Params { from, to, options, .. } = self.params;
        f.debug_struct("Kernel")
            .field("from", &from)
            .field("to", &to)
            .field("options", &options)
            .field("swapped", &self.swapped())
            .field("level", &self.level)
            .field("road", &self.road)
            .finish()
    }
}

impl Kernel {
    /// The kernel of a pair on the level in use.
    pub fn new(from: DType, to: DType, options: &Options) -> Self {
        Self::of(dispatch::current(), from, to, options)
    }

    /// The kernel of a pair on a level.
    ///
    /// # Panics
    /// If this CPU cannot run the level.
    pub fn on(level: &'static Level, from: DType, to: DType, options: &Options) -> Self {
        assert!(level.is_available(), "this CPU cannot run {}", level.name());
        Self::of(level, from, to, options)
    }

    fn of(level: &'static Level, from: DType, to: DType, options: &Options) -> Self {
        let params = if options.is_default() {
            Params::defaults(from, to)
        } else {
            Params::new(from, to, options, &level.table.shapes)
        };
        let entry = if params.options.is_default() {
            level.table.pairs.get(from, to)
        } else {
            (level.table.composed)(from, to)
        };
        let guard = environment::guard(from, to, &params.options, level.table.arithmetic);
        let plain = Plain::new(&params, entry.kernel, guard);
        Self { kernel: entry.kernel, params, road: entry.road, level, guard, plain }
    }

    /// The dtype of the source.
    pub const fn from(&self) -> DType {
        self.params.from
    }

    /// The dtype of the destination.
    pub const fn to(&self) -> DType {
        self.params.to
    }

    /// The options, as plain as they can be for this pair: see [`Options::effective`].
    pub const fn options(&self) -> &Options {
        &self.params.options
    }

    /// How the kernel gets from source to destination.
    pub const fn road(&self) -> Road {
        self.road
    }

    /// The instruction set it is written for.
    pub const fn level(&self) -> &'static Level {
        self.level
    }

    /// Whether the cast looks at the floating-point environment first. (For tests.)
    #[doc(hidden)]
    pub const fn is_guarded(&self) -> bool {
        !matches!(self.guard, Guard::None)
    }

    /// The kernel before which nothing looks, and that may give other bits in another environment than the default
    /// one. (To measure what looking costs.)
    #[doc(hidden)]
    pub fn unguarded(mut self) -> Self {
        self.guard = Guard::None;
        self.plain = Plain::new(&self.params, self.kernel, Guard::None);
        self
    }

    /// The kernel for the elements that come after so many others: its draws are theirs. (Others than
    /// [`Rounding::Stochastic`] make no difference.)
    pub const fn advanced(mut self, elements: u64) -> Self {
        self.advance(elements);
        self
    }

    /// Makes it the one that [`advanced`](Self::advanced) gives.
    pub const fn advance(&mut self, elements: u64) {
        self.params.advance(elements);
    }

    /// The kernel that writes long results so. The bits are the same.
    pub fn with_stores(mut self, stores: Stores) -> Self {
        self.params.stores = stores;
        self
    }

    /// The kernel of the pair with its sides in the other byte order than the machine's, or not: first the
    /// source, then the destination. One-byte and packed dtypes have none.
    pub fn with_swapped(mut self, sides: [bool; 2]) -> Self {
        if let Some(swap) = self.params.swap.take() {
            self.kernel = swap.inner;
        }
        let table = self.level.table;
        if let Some((swap, kernel)) = Swap::new(self.kernel, &self.params, table, sides) {
            (self.params.swap, self.kernel) = (Some(swap), kernel);
        }
        let Params { from, to, .. } = self.params;
        self.params.in_parts = align::is_for(from, to, &self.params.options, self.swapped());
        self.plain = Plain::new(&self.params, self.kernel, self.guard);
        self
    }

    /// Which sides are in the other byte order, as far as that makes a difference.
    pub const fn swapped(&self) -> [bool; 2] {
        match &self.params.swap {
            Some(swap) => swap.sides,
            None => [false; 2],
        }
    }

    /// The code of an element of the source, which has it; in the machine's byte order whatever that of
    /// the source is.
    pub fn load(&self, src: &[u8], index: usize) -> u128 {
        self.native(reference::load(self.params.from, src, index))
    }

    /// A code of the source in the machine's byte order.
    pub fn native(&self, code: u128) -> u128 {
        if self.swapped()[0] { swap::swapped_code(self.params.from, code) } else { code }
    }

    /// Whether an element's place makes a difference.
    pub(crate) const fn draws(&self) -> bool {
        matches!(self.params.options.rounding, Rounding::Stochastic { .. })
            || matches!(self.params.component_options.rounding, Rounding::Stochastic { .. })
    }

    /// What it is run with: the kernel, what that is told, and what of the floating-point environment must be the
    /// default.
    pub(crate) const fn parts(&self) -> (table::Kernel, &Params, Guard) {
        (self.kernel, &self.params, self.guard)
    }

    /// Casts `n` elements that are all there is in either buffer.
    #[inline]
    pub fn run<'a>(&self, src: &[u8], dst: impl Into<Out<'a>>, n: usize) -> Result<(), RunError> {
        let mut dst = dst.into();
        if self.run_plain::<false>(src, &mut dst, n) {
            Ok(())
        } else {
            self.run_any(src, dst.anew(), n)
        }
    }

    /// As [`run`](Self::run), for casts that are not [plain](Self::run_plain).
    #[inline(always)]
    pub fn run_any(&self, src: &[u8], dst: Out<'_>, n: usize) -> Result<(), RunError> {
        // SAFETY: the level is available: `on` has asserted it, or `dispatch` found it.
        unsafe { run_checked(self.guard, self.kernel, &self.params, src, dst, n) }
    }

    /// Casts `n` elements that are all there is in either buffer, up to the first that does not fit. Answers how many come before
    /// it, and their bytes, which can be read then whatever was there before.
    pub fn run_up_to<'a>(
        &self,
        src: &[u8],
        dst: impl Into<Out<'a>>,
        n: usize,
    ) -> Result<(usize, &'a [u8]), RunError> {
        let dst = dst.into();
        let start = dst.start;
        let done = match self.run(src, dst, n) {
            Ok(()) => n,
            Err(RunError::Unfit { index }) => index,
            Err(other) => return Err(other),
        };
        // (These are in memory.)
        let bytes = self.params.to.bytes_for(done).unwrap_or(0);
        // SAFETY: the memory has the bytes of `n` elements, is borrowed exclusively for as long as these are, and those of the
        // elements that fit have been written.
        Ok((done, unsafe { slice::from_raw_parts(start, bytes) }))
    }

    /// Casts `n` elements into a new vector, whose memory is written to once. `T` is the Rust type
    /// of an element.
    pub fn collect<T: bytemuck::AnyBitPattern>(
        &self,
        src: &[u8],
        n: usize,
    ) -> Result<Vec<T>, RunError> {
        self.collect_in_parts(src, n, &InOrder)
    }

    /// As [`collect`](Self::collect), in parts that may be cast at once.
    pub fn collect_in_parts<T: bytemuck::AnyBitPattern>(
        &self,
        src: &[u8],
        n: usize,
        join: &impl Join,
    ) -> Result<Vec<T>, RunError> {
        // SAFETY: any bytes make a `T`.
        unsafe { self.collect_as(src, n, join) }
    }

    /// As [`collect`](Self::collect), into bools.
    pub fn collect_bools(&self, src: &[u8], n: usize) -> Result<Vec<bool>, RunError> {
        self.collect_bools_in_parts(src, n, &InOrder)
    }

    /// As [`collect_bools`](Self::collect_bools), in parts that may be cast at once.
    pub fn collect_bools_in_parts(
        &self,
        src: &[u8],
        n: usize,
        join: &impl Join,
    ) -> Result<Vec<bool>, RunError> {
        if self.params.to as u8 != DType::Bool as u8 {
            return Err(RunError::Type);
        }
        // SAFETY: a cast to bool writes only 0 and 1.
        unsafe { self.collect_as(src, n, join) }
    }

    /// # Safety
    /// What a cast to the kernel's dtype writes makes `T`s.
    unsafe fn collect_as<T>(
        &self,
        src: &[u8],
        n: usize,
        join: &impl Join,
    ) -> Result<Vec<T>, RunError> {
        if self.params.to.size() != Some(size_of::<T>()) {
            return Err(RunError::Type);
        }
        // The source is checked before any memory is asked for: a wrong count allocates nothing.
        if self.params.from.bytes_for(n) != Some(src.len()) {
            let dst_bytes = self.params.to.bytes_for(n).unwrap_or(usize::MAX);
            return Err(length_error(&self.params, src.len(), dst_bytes, n));
        }
        let mut values = self.room_for::<T>(n)?;
        let kernel = self.for_fresh(values.spare_capacity_mut());
        // SAFETY: the vector has room for `n` elements of the destination's size, apart from the
        // source; after success all are written, in parts, too (see `Join`), and they make `T`s.
        unsafe {
            kernel.run_parts(src.as_ptr(), values.as_mut_ptr().cast(), n, join)?;
            values.set_len(n);
        }
        Ok(values)
    }

    /// A vector with room for the results of `n` elements.
    pub(crate) fn room_for<T>(&self, n: usize) -> Result<Vec<T>, RunError> {
        let mut values = Vec::new();
        match values.try_reserve_exact(n) {
            Ok(()) => Ok(values),
            Err(_) => Err(RunError::Memory { elements: n, bytes: self.params.to.bytes_for(n) }),
        }
    }

    /// The kernel for results in memory that was just allocated.
    pub(crate) fn for_fresh<T>(&self, memory: &mut [MaybeUninit<T>]) -> Self {
        memory::want_large_pages(memory);
        // A page that the system has just cleared is in the cache: results need not go past that.
        match self.params.stores {
            Stores::Auto => self.with_stores(Stores::Cached),
            _ => *self,
        }
    }

    /// # Safety
    /// `src` is valid for reading `n` elements and `dst` for writing `n`; they don't overlap.
    unsafe fn run_unchecked(&self, src: *const u8, dst: *mut u8, n: usize) -> Result<(), RunError> {
        // SAFETY: the caller's; the level is available, as `on` asserted or `dispatch` found.
        let done = unsafe { environment::run(self.guard, self.kernel, &self.params, src, dst, n) };
        if done == n { Ok(()) } else { Err(RunError::Unfit { index: done }) }
    }
}

/// Casts `n` elements that are all there is in either buffer, between the dtypes of two Rust types, under the default
/// options, on the level in use, and answers whether it did: as [`Kernel::run_plain`], with nothing to set up. If not,
/// nothing is done; [`run_pair_defaults`] does it, or tells why not.
#[inline(always)]
pub fn run_plain_defaults<A: Typed, B: Typed>(src: &[u8], dst: &mut Out<'_>, n: usize) -> bool {
    let takes_bools = const { matches!(B::DTYPE, DType::Bool) };
    // What is asked of most casts is one comparison, of the slices' lengths, which the compiler finds in these.
    let fits = const { plain::suits(&Params::defaults(A::DTYPE, B::DTYPE)) }
        && holds::<A>(src.len(), n)
        && holds::<B>(dst.bytes, n)
        && (takes_bools || !dst.bools);
    if !fits {
        return false;
    }
    let (start, dst) = (src.as_ptr(), dst.start);
    // SAFETY: both sides have exactly the bytes of `n` elements, and what is borrowed shared cannot overlap what is
    // borrowed exclusively. A copy needs nothing of the CPU, which compilers may put here.
    unsafe {
        if const { single::is_for(A::DTYPE, B::DTYPE) } && n == 1 {
            single::cast::<OfTypes<A, B>>(start, dst);
        } else if const { plain::is_copy(&Params::defaults(A::DTYPE, B::DTYPE)) } {
            copies::bytes(start, dst, src.len());
        } else if !align::is_short(n) || !call_defaults::<A, B>(start, dst, n) {
            call_any_defaults::<A, B>(start, dst, n);
        }
    }
    true
}

struct OfTypes<A, B>(PhantomData<(A, B)>);

impl<A: Typed, B: Typed> single::Pair for OfTypes<A, B> {
    const FROM: DType = A::DTYPE;
    const TO: DType = B::DTYPE;
}

/// Whether so many bytes are those of `n` elements, which are not packed.
#[inline(always)]
const fn holds<T: Typed>(bytes: usize, n: usize) -> bool {
    let size = const { if T::DTYPE.bits() < 8 { 1 } else { T::DTYPE.bits() / 8 } };
    bytes.is_multiple_of(size) && bytes / size == n
}

/// Calls the kernel of a short cast, and answers whether it did: not if something else is to be done first. Callers have
/// this in their code, so it is little, and nothing is kept past the call.
///
/// # Safety
/// As for a kernel of the pair, see [`table::Kernel`]. No element is packed.
#[inline(always)]
unsafe fn call_defaults<A: Typed, B: Typed>(src: *const u8, dst: *mut u8, n: usize) -> bool {
    let Some(table) = dispatch::known_table() else { return false };
    let (kernel, params, guard) = defaults::<A, B>(table);
    // SAFETY: the caller's; the level in use is available.
    unsafe {
        if !guard.lets_pass() {
            return false;
        }
        let done = kernel(src, dst, n, params);
        debug_assert_eq!(done, n);
    }
    true
}

/// Does the same for any number of elements, and all that is to be done.
///
/// # Safety
/// As for a kernel of the pair, see [`table::Kernel`].
#[inline(never)]
unsafe fn call_any_defaults<A: Typed, B: Typed>(src: *const u8, dst: *mut u8, n: usize) {
    let (kernel, params, guard) = defaults::<A, B>(dispatch::current_table());
    // SAFETY: the caller's; the level in use is available.
    let done = unsafe { environment::run_here(src, dst, n, params, kernel, guard) };
    debug_assert_eq!(done, n);
}

/// What a level has for a pair under the default options.
#[inline(always)]
fn defaults<A: Typed, B: Typed>(table: &table::Table) -> (table::Kernel, &'static Params, Guard) {
    let guard = match table.arithmetic {
        Arithmetic::Ambient => const { guard::<A, B>(Arithmetic::Ambient) },
        Arithmetic::Explicit => const { guard::<A, B>(Arithmetic::Explicit) },
    };
    let params = const { &Params::defaults(A::DTYPE, B::DTYPE) };
    (table.pairs.get(A::DTYPE, B::DTYPE).kernel, params, guard)
}

/// Casts `n` elements that are all there is in either buffer under the default options, on the level in use: as
/// [`Kernel::new`] and [`Kernel::run`], of which the first takes longer than a short cast does.
#[inline]
pub fn run_pair_defaults<'a>(
    (from, to): (DType, DType),
    src: &[u8],
    dst: impl Into<Out<'a>>,
    n: usize,
) -> Result<(), RunError> {
    let table = dispatch::current_table();
    let guard = environment::guard_by_default(from, to, table.arithmetic);
    let entry = table.pairs.get(from, to);
    let in_parts = !matches!(entry.road, Road::Copy);
    debug_assert_eq!(in_parts, Params::defaults(from, to).in_parts);
    let params = Params::plain(from, to, in_parts);
    // SAFETY: the level in use is available.
    unsafe { run_checked(guard, entry.kernel, &params, src, dst.into(), n) }
}

const fn guard<A: Typed, B: Typed>(arithmetic: Arithmetic) -> Guard {
    environment::guard(A::DTYPE, B::DTYPE, &Options::DEFAULT, arithmetic)
}

/// # Safety
/// The kernel is that of `params` on an available level.
#[inline(always)]
unsafe fn run_checked(
    guard: Guard,
    kernel: table::Kernel,
    params: &Params,
    src: &[u8],
    dst: Out<'_>,
    n: usize,
) -> Result<(), RunError> {
    check(params, src, &dst, n)?;
    // SAFETY: both sides have exactly the bytes of `n` elements, and what is borrowed shared cannot
    // overlap what is borrowed exclusively. Kernels only write to the destination, and where it
    // holds bools they write bools.
    let done = unsafe { environment::run(guard, kernel, params, src.as_ptr(), dst.start, n) };
    if done == n { Ok(()) } else { Err(RunError::Unfit { index: done }) }
}

/// Whether the buffers are those of `n` elements of the pair.
#[inline(always)]
fn check(params: &Params, src: &[u8], dst: &Out<'_>, n: usize) -> Result<(), RunError> {
    if dst.bools && params.to as u8 != DType::Bool as u8 {
        return Err(RunError::Type);
    }
    if !params.from.fills(n, src.len()) || !params.to.fills(n, dst.bytes) {
        return Err(length_error(params, src.len(), dst.bytes, n));
    }
    Ok(())
}

#[cold]
fn length_error(params: &Params, src_bytes: usize, dst_bytes: usize, elements: usize) -> RunError {
    let (src_needed, dst_needed) = (params.from.bytes_for(elements), params.to.bytes_for(elements));
    RunError::Length { elements, src_bytes, src_needed, dst_bytes, dst_needed }
}
