//! dtypes x dtypes -> kernel, for one instruction set.

use crate::align;
use crate::dtypes::DType;
use crate::environment::Arithmetic;
use crate::options::Options;
use crate::shape::{LookUpMarked, Plan, Screen, Shapes};
use crate::shifted::Shift;
use crate::stepwise::Stepwise;
use crate::stream::Stores;
use crate::strided::Units;
use crate::swap::{Swap, Swaps};
use crate::tile;
use core::fmt;

/// A kernel casts `n` elements and answers how many it did before the first that
/// [`Overflow::Error`](crate::Overflow::Error) refuses: `n` if none. The elements before that one
/// are written; others may be.
///
/// # Safety
/// `src` is valid for reading the bytes of `n` elements of `params.from` and `dst` for writing those
/// of `n` elements of `params.to`, both at any alignment; they don't overlap. The CPU has the
/// instruction set of the kernel's table. The pair is the one whose kernel this is, and so are the
/// options: the default ones for a kernel of [`Pairs`].
pub(crate) type Kernel = unsafe fn(*const u8, *mut u8, usize, &Params) -> usize;

/// What a kernel is told beside its buffers.
#[derive(Clone, Copy)]
pub(crate) struct Params {
    /// The dtype of the source.
    pub(crate) from: DType,
    /// The dtype of the destination.
    pub(crate) to: DType,
    /// The options of the cast, as plain as they can be for the pair.
    pub(crate) options: Options,
    /// The same for the pair of the components.
    pub(crate) component_options: Options,
    /// How far the draws of neighbouring elements lie apart, see
    /// [`Rounding::Stochastic`](crate::Rounding::Stochastic): 2 for the real parts of complex
    /// elements, else 1.
    pub(crate) draw_step: u64,
    /// Whether the cast may be run in parts, see [`align`].
    pub(crate) in_parts: bool,
    /// How a long cast writes its results.
    pub(crate) stores: Stores,
    /// Which sides are in the other byte order, if one is.
    pub(crate) swap: Option<Swap>,
    /// What other options than the default ones do to the pair of the components. (A plan is large: none
    /// is made for a short cast that needs none.)
    pub(crate) plan: Option<Plan>,
}

impl Params {
    /// A pair under the default options.
    pub(crate) const fn defaults(from: DType, to: DType) -> Self {
        Self::plain(from, to, align::is_for(from, to, &Options::DEFAULT, [false; 2]))
    }

    /// The same, where it is known whether the cast may be run in parts.
    #[inline(always)]
    pub(crate) const fn plain(from: DType, to: DType, in_parts: bool) -> Self {
        Self {
            from,
            to,
            options: Options::DEFAULT,
            component_options: Options::DEFAULT,
            draw_step: 1,
            in_parts,
            stores: Stores::Auto,
            swap: None,
            plan: None,
        }
    }

    /// A pair under any options, which are brought to their plainest form.
    pub(crate) fn new(from: DType, to: DType, options: &Options, shapes: &Shapes) -> Self {
        let component_options = options.effective(from.component(), to.component());
        let options = options.effective(from, to);
        let in_parts = align::is_for(from, to, &options, [false; 2]);
        let (a, b) = (from.component(), to.component());
        let plan = Some(Plan::new(a, b, &component_options, shapes));
        Self { options, component_options, in_parts, plan, ..Self::defaults(from, to) }
    }

    /// The same for the kernel of another pair, which casts by default and asks for no plan.
    pub(crate) const fn by_default(&self, from: DType, to: DType) -> Self {
        Self {
            from,
            to,
            options: Options::DEFAULT,
            component_options: Options::DEFAULT,
            plan: None,
            ..*self
        }
    }

    /// The plan.
    #[inline(always)]
    pub(crate) const fn plan(&self) -> &Plan {
        match &self.plan {
            Some(plan) => plan,
            None => const { &Plan::NONE },
        }
    }

    /// Makes them those of the elements that come after so many others.
    pub(crate) const fn advance(&mut self, elements: u64) {
        let Self { options, component_options: components, .. } = self;
        options.first_index = options.first_index.wrapping_add(elements);
        components.first_index = components.first_index.wrapping_add(elements);
    }
}

/// Casts elements to what a table tells of the byte that an element is when it is not packed, or of its bits alone.
///
/// # Safety
/// As for every [`Kernel`].
pub(crate) type ByCodes = unsafe fn(&[u8; 256], *const u8, *mut u8, usize);

/// How a kernel gets from source to destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Road {
    /// The bytes are copied.
    Copy,
    /// A loop written for the pair.
    Direct,
    /// Look-ups, of elements or of bytes that hold some, in tables made from the reference.
    Table,
    /// Decoder, bridge and encoder fused in one loop.
    Fused,
    /// The kernel of the components, over twice the elements.
    Components,
    /// Several kernels one after the other, through a buffer that stays in the L1 cache.
    Tile,
}

impl Road {
    /// The road's name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Road::Copy => "copy",
            Road::Direct => "direct",
            Road::Table => "table",
            Road::Fused => "fused",
            Road::Components => "components",
            Road::Tile => "tile",
        }
    }
}

impl fmt::Display for Road {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A kernel and how it works.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) kernel: Kernel,
    pub(crate) road: Road,
}

/// Everything an instruction set has.
pub(crate) struct Table {
    /// The kernels for the default options.
    pub(crate) pairs: Pairs,
    /// What other options do to numbers before a kernel for the default ones stores them.
    pub(crate) shapes: Shapes,
    /// Any pair under options that are not the default ones.
    pub(crate) composed: fn(DType, DType) -> Entry,
    /// Any map of codes of at most 8 bits, one side or both of which are packed and no side is a bool that is a byte, if
    /// there is a loop that is told the map when it is called.
    pub(crate) by_codes: fn(DType, DType) -> Option<ByCodes>,
    /// The same, if there is such a loop that tells, too, whether any element is marked.
    pub(crate) by_codes_marked: fn(DType, DType) -> Option<LookUpMarked>,
    /// The kernel that does all of a cast between real dtypes, packed or not, under options that are not the default ones, if
    /// there is one.
    pub(crate) alone: fn(&Params) -> Option<Kernel>,
    /// What packed and complex elements are taken apart and put together with.
    pub(crate) pieces: Pieces,
    /// What the floating-point environment means to the kernels.
    pub(crate) arithmetic: Arithmetic,
    /// Which elements a checked cast would refuse, see [`shape::marks`](crate::shape::marks).
    pub(crate) marks: Kernel,
    /// What elements in the other byte order are turned with.
    pub(crate) swaps: Swaps,
    /// What packed elements that start no byte are brought to one by.
    pub(crate) shift: Shift,
    /// The kernels that turn them in registers, or test there what a checked cast reads.
    pub(crate) stepwise: Stepwise,
    /// What elements that lie close together are moved by, several at a time.
    pub(crate) units: &'static [Units],
}

/// Rearrangements, for the kernels that go through a tile. Each takes a width, a source, a
/// destination and a number of elements; the source is valid for reading and the destination for
/// writing that many, at any alignment, and they don't overlap.
#[derive(Clone, Copy)]
pub(crate) struct Pieces {
    /// From packed elements of so many bits (1, 2, 4 or 6) to a byte each: the number in the low
    /// bits, zeros above it.
    pub(crate) unpack: unsafe fn(usize, *const u8, *mut u8, usize),
    /// From the low bits of a byte each to packed elements of so many bits (1, 2, 4 or 6); what is
    /// left of the last byte becomes zero.
    pub(crate) pack: unsafe fn(usize, *const u8, *mut u8, usize),
    /// The same for bytes of which a screen tells that they fit: it ends before a few that may not, or when fewer are left,
    /// and answers how many elements, which are whole bytes, are packed. If there is such a loop.
    pub(crate) pack_fitting: Option<PackFitting>,
    /// From complex elements with components of so many bytes (2, 4 or 8) to their real parts.
    pub(crate) real_parts: unsafe fn(usize, *const u8, *mut u8, usize),
    /// The same, and whether all imaginary parts are zero, of either sign.
    pub(crate) real_parts_of_reals: unsafe fn(usize, *const u8, *mut u8, usize) -> bool,
    /// From real parts of so many bytes (2, 4 or 8) to complex elements with zero as imaginary part.
    pub(crate) with_zero_imaginary: unsafe fn(usize, *const u8, *mut u8, usize),
}

/// See [`Pieces::pack_fitting`].
///
/// # Safety
/// The source is valid for reading so many bytes, and the destination for writing as many packed elements of so many
/// bits, 1, 2, 4 or 6; they don't overlap. The CPU has the instruction set.
pub(crate) type PackFitting = unsafe fn(usize, &Screen, *const u8, *mut u8, usize) -> usize;

/// An instruction set that has a table, so that composed kernels find those they are made of.
pub(crate) trait Tabled: 'static {
    /// The table.
    fn table() -> &'static Table;
}

/// A kernel for every pair of dtypes.
#[derive(Clone, Copy)]
pub(crate) struct Pairs([[Entry; DType::COUNT]; DType::COUNT]);

impl Pairs {
    /// The kernel of a pair under the default options.
    #[inline(always)]
    pub(crate) const fn get(&self, from: DType, to: DType) -> Entry {
        self.0[from as usize][to as usize]
    }
}

/// Makes [`RealPairs`] of what `entry::<A, B>()` gives for every pair of real dtypes: for
/// [`for_each_dtype`](crate::dtypes::for_each_dtype). Or of `entry::<A, B, MODE>()`, see [`Stepwise`].
macro_rules! real_pairs {
    (
        $entry:ident $(<$mode:ident>)?
        real { $($code:literal $variant:ident $name:literal $store:ident ($numbers:expr) [$($alias:literal),*];)* }
        $($rest:tt)*
    ) => {
        $crate::table::real_pairs!(@rows $entry [$($mode)?] [$($variant)*] [$($variant)*])
    };
    (@rows $entry:ident $mode:tt [$($from:ident)*] $to:tt) => {{
        let mut pairs = $crate::table::RealPairs::new();
        $($crate::table::real_pairs!(@row $entry $mode pairs $from $to);)*
        pairs
    }};
    (@row $entry:ident [] $pairs:ident $from:ident [$($to:ident)*]) => {$(
        $pairs.set(
            $crate::dtypes::DType::$from,
            $crate::dtypes::DType::$to,
            $entry::<$crate::dtypes::mark::$from, $crate::dtypes::mark::$to>(),
        );
    )*};
    (@row $entry:ident [$mode:ident] $pairs:ident $from:ident [$($to:ident)*]) => {$(
        let (from, to) = ($crate::dtypes::DType::$from, $crate::dtypes::DType::$to);
        if $crate::stepwise::suits(from, to, $mode) {
            let entry = $entry::<$crate::dtypes::mark::$from, $crate::dtypes::mark::$to, $mode>();
            $pairs.set(from, to, entry);
        }
    )*};
}
pub(crate) use real_pairs;

/// A table of pairs in the making.
#[derive(Clone, Copy)]
pub(crate) struct RealPairs([[Option<Entry>; DType::COUNT]; DType::COUNT]);

impl RealPairs {
    pub(crate) const fn new() -> Self {
        Self([[None; DType::COUNT]; DType::COUNT])
    }

    pub(crate) const fn set(&mut self, from: DType, to: DType, entry: Entry) {
        self.0[from as usize][to as usize] = Some(entry);
    }

    /// The kernel of a pair, if it has one.
    pub(crate) const fn get(&self, from: DType, to: DType) -> Option<Kernel> {
        match &self.0[from as usize][to as usize] {
            Some(entry) => Some(entry.kernel),
            None => None,
        }
    }

    /// Adds the pairs that have no kernel yet, made of the others': complex dtypes by component, the
    /// rest through a tile. Stops the build if a pair of real dtypes is missing.
    pub(crate) const fn complete<I: Tabled>(self) -> Pairs {
        let any = Entry { kernel: tile::by_tile::<I>, road: Road::Tile };
        let mut pairs = Pairs([[any; DType::COUNT]; DType::COUNT]);
        let mut i = 0;
        while i < DType::COUNT * DType::COUNT {
            let (from, to) = (DType::ALL[i / DType::COUNT], DType::ALL[i % DType::COUNT]);
            pairs.0[from as usize][to as usize] = match self.0[from as usize][to as usize] {
                Some(entry) => entry,
                None => match tile::by_default::<I>(from, to) {
                    Some(entry) => entry,
                    None => panic!("a pair of real dtypes has no kernel"),
                },
            };
            i += 1;
        }
        pairs
    }
}
