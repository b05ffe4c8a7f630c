//! dtypes x dtypes -> kernel, for one instruction set.

use crate::dtypes::DType;
use crate::options::Options;
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
}

impl Params {
    /// A pair under the default options.
    pub(crate) const fn defaults(from: DType, to: DType) -> Self {
        let options = Options::DEFAULT;
        Self { from, to, options, component_options: options, draw_step: 1 }
    }

    /// A pair under any options, which are brought to their plainest form.
    pub(crate) const fn new(from: DType, to: DType, options: &Options) -> Self {
        Self {
            from,
            to,
            options: options.effective(from, to),
            component_options: options.effective(from.component(), to.component()),
            draw_step: 1,
        }
    }
}

/// How a kernel gets from source to destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Road {
    /// The bytes are copied.
    Copy,
    /// A loop written for the pair.
    Direct,
    /// One look-up per element in a table made from the reference.
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
    /// Float64, int64 or uint64 to any real dtype but bool, under any options.
    pub(crate) with_options: Kernel,
    /// Any pair under options that are not the default ones.
    pub(crate) composed: fn(DType, DType) -> Entry,
}

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
