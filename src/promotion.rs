//! Promotion: where two dtypes meet, by the rules of the array libraries or by a user's own, and the
//! casts that bring them there.
//!
//! ```
//! use simdcast::promotion::{self, System};
//! use simdcast::{CastOptions, DType};
//!
//! // An int8 buffer and a bfloat16 one are to be added.
//! let (a, b) = (DType::Int8, DType::BFloat16);
//! assert_eq!(promotion::resolve(System::Torch, a, b), Some(DType::BFloat16));
//! assert_eq!(promotion::resolve(System::ArrayApi, a, b), None);
//!
//! let promoted = promotion::plan(System::Numpy, DType::Int32, DType::Float32, CastOptions::new())?;
//! assert_eq!(promoted.common.dtype, DType::Float64);
//! let mut left = [0u8; 8];
//! promoted.left.run(&7i32.to_ne_bytes(), &mut left)?;
//! assert_eq!(left, 7.0f64.to_ne_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rules are grids of text, a file for each [`System`], which the build turns into constants;
//! [`tables`] shows them all. Most of what they state was got by running the system itself; each
//! section names its source. What a system leaves undefined is `None` here, never a guess.
//!
//! * A dtype is looked up as it is, then as the numbers that it packs: NumPy knows `int4x2` as
//!   `int4`, Torch has a packed float4 of its own. A dtype meets itself in itself, packed or not,
//!   listed by the system or not; but not where the system says that it does not (MegEngine's
//!   bfloat16).
//! * Some types are weak: JAX's and TensorFlow's, of Python's numbers, which give way to others. A
//!   weak result is a [`Type`] of its own; where a dtype is needed, it is the system's default one.
//! * With JAX's `x64` disabled, arrays of 64 bits don't exist, but its lattice has an answer for
//!   them, which is the one in the table.
//! * What is not known: MegEngine's complex scalar, and any scalar of its elementwise rule; the
//!   Array API's default dtypes, which it leaves to each library; the dtype of positions in MindSpore
//!   and in TensorFlow, whose operators differ there. NumPy's answer to ml_dtypes' types, a Python
//!   scalar and another operand, which may vary with their order; whether JAX lets a dtype be cast to another.
//!
//! A user's own rules are a [`Table`], read at run time from the same kind of text, which all
//! functions take in a system's place.

mod checks;
mod error;
mod operands;
mod parse;
mod table;
mod text;

pub use error::{PromotionError, UnknownSystem};
pub use table::Table;
pub use text::TableError;

use crate::{Cast, CastOptions};
use simdcast_kernels::DType;
use std::fmt;
use std::str::FromStr;

/// The tables of all systems, as their own docs show them.
#[doc = include_str!(concat!(env!("OUT_DIR"), "/promotion.md"))]
pub mod tables {}

/// The tables as constants.
mod constants {
    use super::table::Table;
    use super::text::{CanCast, Grid, List, Rule, Text, Weak};
    use std::borrow::Cow;

    include!(concat!(env!("OUT_DIR"), "/promotion.rs"));
}

macro_rules! systems {
    ($($(#[$doc:meta])* $variant:ident $table:ident;)*) => {
        /// An array library, or a standard for them, whose rules are known.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum System {
            $($(#[$doc])* $variant,)*
        }

        impl System {
            /// Every system.
            pub const ALL: [System; [$(System::$variant),*].len()] = [$(System::$variant),*];

            /// Its rules.
            #[inline]
            pub fn table(self) -> &'static Table {
                match self {
                    $(Self::$variant => &constants::$table,)*
                }
            }
        }
    };
}

// A system is a line here and a text in `promotion/`.
systems! {
    /// `array_api`: the Python array API standard.
    ArrayApi ARRAY_API;
    /// `numpy`: NumPy under NEP 50, with the dtypes of ml_dtypes.
    Numpy NUMPY;
    /// `mindspore`: MindSpore.
    MindSpore MINDSPORE;
    /// `megengine`: MegEngine's documented rule.
    MegEngine MEGENGINE;
    /// `megengine_elementwise`: the rule of MegEngine's elementwise operators, which is another.
    MegEngineElementwise MEGENGINE_ELEMENTWISE;
    /// `torch`: PyTorch.
    Torch TORCH;
    /// `jax`: JAX with 64-bit dtypes enabled.
    Jax JAX;
    /// `jax_x32`: JAX with 64-bit dtypes disabled, its default.
    JaxX32 JAX_X32;
    /// `jax_strict`: JAX's strict promotion.
    JaxStrict JAX_STRICT;
    /// `tensorflow_all`: TensorFlow's numpy-style promotion, mode `all`.
    TensorFlowAll TENSORFLOW_ALL;
    /// `tensorflow_safe`: the same, mode `safe`.
    TensorFlowSafe TENSORFLOW_SAFE;
}

impl System {
    /// The name that text and the C ABI know it by.
    pub fn name(self) -> &'static str {
        self.table().name()
    }

    /// The system of that name.
    ///
    /// ```
    /// use simdcast::promotion::System;
    ///
    /// assert_eq!(System::parse("jax_x32"), Some(System::JaxX32));
    /// assert_eq!(System::parse("abacus"), None);
    /// ```
    pub fn parse(name: &str) -> Option<System> {
        Self::ALL.into_iter().find(|system| system.name() == name)
    }

    /// The dtype of that name in the system's own words: see [`Table::parse_alias`].
    ///
    /// ```
    /// use simdcast::DType;
    /// use simdcast::promotion::System;
    ///
    /// assert_eq!(System::MindSpore.parse_alias("int"), Some(DType::Int32));
    /// assert_eq!(System::Numpy.parse_alias("int"), Some(DType::Int64));
    /// ```
    pub fn parse_alias(self, name: &str) -> Option<DType> {
        self.table().parse_alias(name)
    }

    /// The type that the system gives a Python scalar by itself: see [`Table::default_type`].
    pub fn default_type(self, scalar: Scalar) -> Option<Type> {
        self.table().default_type(scalar)
    }
}

impl AsRef<Table> for System {
    #[inline]
    fn as_ref(&self) -> &Table {
        self.table()
    }
}

impl FromStr for System {
    type Err = UnknownSystem;

    fn from_str(name: &str) -> Result<Self, UnknownSystem> {
        Self::parse(name).ok_or_else(|| UnknownSystem { name: name.to_owned() })
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A dtype, or a weak type, which gives way to others and becomes `dtype` where one is needed. A
/// system has its own weak types, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type {
    /// The dtype; of a weak type, the default one.
    pub dtype: DType,
    /// Whether it gives way.
    pub weak: bool,
}

impl Type {
    /// The weak type that becomes `dtype`: JAX's `float*` becomes float64, or float32 with x64
    /// disabled.
    pub const fn weak(dtype: DType) -> Self {
        Self { dtype, weak: true }
    }
}

impl From<DType> for Type {
    #[inline]
    fn from(dtype: DType) -> Self {
        Self { dtype, weak: false }
    }
}

/// `int64`; `int64*` if weak.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, if self.weak { "*" } else { "" })
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A number of Python's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Scalar {
    /// `True`.
    Bool,
    /// `1`.
    Int,
    /// `1.0`.
    Float,
    /// `1j`.
    Complex,
}

impl Scalar {
    /// Every one, by the order in which one gives way to the next.
    pub const ALL: [Scalar; 4] = [Self::Bool, Self::Int, Self::Float, Self::Complex];

    /// Python's name of it.
    pub const fn name(self) -> &'static str {
        text::SCALARS[self as usize]
    }
}

/// What takes part in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A tensor.
    Tensor(Type),
    /// A tensor without dimensions, which counts less in Torch.
    ZeroDim(Type),
    /// A Python number.
    Scalar(Scalar),
}

impl Operand {
    fn tensor(self) -> Option<Type> {
        match self {
            Self::Tensor(tensor) | Self::ZeroDim(tensor) => Some(tensor),
            Self::Scalar(_) => None,
        }
    }
}

impl From<DType> for Operand {
    fn from(dtype: DType) -> Self {
        Self::Tensor(dtype.into())
    }
}

impl From<Type> for Operand {
    fn from(tensor: Type) -> Self {
        Self::Tensor(tensor)
    }
}

impl From<Scalar> for Operand {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::ZeroDim(tensor) => write!(f, "{tensor} without dimensions"),
            Self::Scalar(scalar) => write!(f, "Python's {}", scalar.name()),
        }
    }
}

/// The rules by which a system may let a dtype be cast to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Casting {
    /// The system's default rule: of Torch and the Array API the only one, of NumPy `Safe`.
    Default,
    /// NumPy's `no`: to itself.
    No,
    /// NumPy's `equiv`: to itself, in any byte order.
    Equiv,
    /// NumPy's `safe`.
    Safe,
    /// NumPy's `same_kind`.
    SameKind,
    /// NumPy's `unsafe`: whatever there is a cast for.
    Unsafe,
    /// NumPy's `same_value`: whether there is a cast that checks its values;
    /// [`cast_same_value`](crate::cast_same_value) does that.
    SameValue,
}

/// The Array API's kinds of dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Category {
    /// `bool`.
    Bool,
    /// `signed integer`.
    SignedInteger,
    /// `unsigned integer`.
    UnsignedInteger,
    /// `integral`: signed and unsigned integers.
    Integral,
    /// `real floating`.
    RealFloating,
    /// `complex floating`.
    ComplexFloating,
    /// `numeric`: all but bool.
    Numeric,
}

/// Where two dtypes meet; None where the system leaves that undefined. Of a weak result, its default
/// dtype: [`Table::meet`] tells the two apart.
///
/// ```
/// use simdcast::DType;
/// use simdcast::promotion::{System, resolve};
///
/// let (a, b) = (DType::Int64, DType::UInt64);
/// assert_eq!(resolve(System::Numpy, a, b), Some(DType::Float64));
/// assert_eq!(resolve(System::JaxX32, a, b), Some(DType::Float32));
/// assert_eq!(resolve(System::Torch, a, b), None);
/// ```
#[inline]
pub fn resolve(system: impl AsRef<Table>, a: DType, b: DType) -> Option<DType> {
    system.as_ref().meet(a.into(), b.into()).map(|common| common.dtype)
}

/// Where several operands meet, as the system has it: from left to right, or in any order. None where
/// it leaves that undefined, or what it says is not known, or if there is no operand.
///
/// ```
/// use simdcast::DType;
/// use simdcast::promotion::{Operand, Scalar, System, Type, resolve_all};
///
/// let operands = [DType::Int16, DType::UInt16, DType::Float32].map(Operand::from);
/// assert_eq!(resolve_all(System::Numpy, &operands), Some(DType::Float32.into()));
///
/// let with_a_number = [DType::Int8.into(), Scalar::Float.into()];
/// assert_eq!(resolve_all(System::Torch, &with_a_number), Some(DType::Float32.into()));
/// assert_eq!(resolve_all(System::Jax, &with_a_number), Some(Type::weak(DType::Float64)));
/// ```
pub fn resolve_all(system: impl AsRef<Table>, operands: &[Operand]) -> Option<Type> {
    operands::meet(system.as_ref(), operands)
}

/// Whether the system lets a dtype be cast to another; None where it does not say.
///
/// ```
/// use simdcast::DType;
/// use simdcast::promotion::{Casting, System, can_cast};
///
/// let (from, to) = (DType::Float64, DType::Float32);
/// assert_eq!(can_cast(System::Numpy, from, to, Casting::Safe), Some(false));
/// assert_eq!(can_cast(System::Numpy, from, to, Casting::SameKind), Some(true));
/// assert_eq!(can_cast(System::Jax, from, to, Casting::Safe), None);
/// ```
pub fn can_cast(
    system: impl AsRef<Table>,
    from: DType,
    to: DType,
    casting: Casting,
) -> Option<bool> {
    system.as_ref().can_cast(from, to, casting)
}

/// Whether a dtype is of a kind; None where the system does not say.
///
/// ```
/// use simdcast::DType;
/// use simdcast::promotion::{Category, System, isdtype};
///
/// assert_eq!(isdtype(System::ArrayApi, DType::UInt8, Category::Integral), Some(true));
/// assert_eq!(isdtype(System::ArrayApi, DType::BFloat16, Category::RealFloating), None);
/// assert_eq!(isdtype(System::Jax, DType::BFloat16, Category::RealFloating), Some(true));
/// ```
pub fn isdtype(system: impl AsRef<Table>, dtype: DType, category: Category) -> Option<bool> {
    system.as_ref().isdtype(dtype, category)
}

/// Two operands' common type, and the casts that bring them there. Where nothing changes, the cast is
/// a copy.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Promoted {
    /// Where they meet. The casts go to its dtype.
    pub common: Type,
    /// The cast of the first operand.
    pub left: Cast,
    /// The cast of the second operand.
    pub right: Cast,
}

/// Where two dtypes meet, with the casts that bring them there, ready to run.
///
/// # Errors
/// [`PromotionError::Unlisted`] and [`PromotionError::Undefined`], where the system has no answer;
/// with what it would accept.
///
/// ```
/// use simdcast::promotion::{System, plan};
/// use simdcast::{CastOptions, DType};
///
/// let error = plan(System::MindSpore, DType::UInt16, DType::Int8, CastOptions::new()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "mindspore leaves undefined where uint16, int8 meet; uint16 meets bool, uint16; int8 meets \
///      bool, int8, int16, int32, int64, uint8, float16, bfloat16, float32, float64, complex64, \
///      complex128",
/// );
/// ```
pub fn plan(
    system: impl AsRef<Table>,
    a: DType,
    b: DType,
    options: CastOptions,
) -> Result<Promoted, PromotionError> {
    let table = system.as_ref();
    let Some(common) = table.meet(a.into(), b.into()) else {
        return Err(PromotionError::of(table, &[a.into(), b.into()]));
    };
    let cast = |from| Cast::new(from, common.dtype, options);
    Ok(Promoted { common, left: cast(a)?, right: cast(b)? })
}

/// The common type of several operands, and the casts that bring them there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PromotedAll {
    /// Where they meet. The casts go to its dtype.
    pub common: Type,
    /// The cast of each operand; None for a Python number, which has no buffer.
    pub casts: Vec<Option<Cast>>,
}

/// Where several operands meet, with the casts that bring them there.
///
/// # Errors
/// As [`plan`], [`PromotionError::NoOperands`], and [`PromotionError::Unknown`].
pub fn plan_all(
    system: impl AsRef<Table>,
    operands: &[Operand],
    options: CastOptions,
) -> Result<PromotedAll, PromotionError> {
    let table = system.as_ref();
    let common = operands::meet(table, operands);
    let common = common.ok_or_else(|| PromotionError::of(table, operands))?;
    let cast = |tensor: Type| Cast::new(tensor.dtype, common.dtype, options);
    let casts = operands.iter().map(|operand| operand.tensor().map(cast).transpose());
    Ok(PromotedAll { common, casts: casts.collect::<Result<_, _>>()? })
}
