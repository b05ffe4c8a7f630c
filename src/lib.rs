//! Casts between every pair of array dtypes: bool, integers of 1 to 64 bits, float16, bfloat16,
//! float32, float64, the 8-, 6- and 4-bit floats, complex numbers, packed or not. One definition,
//! one rounding, the same bits on every CPU.
//!
//! ```
//! use simdcast::{Cast, CastOptions, DType, Float8E4M3Fn, cast};
//!
//! // Typed: slices of Rust types.
//! let mut codes = [Float8E4M3Fn::default(); 3];
//! cast(&[1.0f64, -431.99999999999994, 1e9], &mut codes)?;
//! assert_eq!(codes.map(f32::from), [1.0, -416.0, 448.0]);
//!
//! // Dynamic: bytes and dtypes known at run time. The kernel is resolved once.
//! let to_bits = Cast::new(DType::UInt8, DType::Bool1x8, CastOptions::new())?;
//! let mut bitmap = [0u8; 1];
//! to_bits.run(&[0, 7, 0, 1], &mut bitmap)?;
//! assert_eq!(bitmap, [0b1010]);
//! # Ok::<(), simdcast::CastError>(())
//! ```
//!
//! # What a cast means
//!
//! Every code of every dtype is an exact number, an infinity, a NaN or a signed zero. A cast rounds
//! that value once into the destination. By default floats are rounded to the nearest with ties to
//! even, a float becomes an integer by dropping its fraction and clamping, an integer becomes a
//! smaller one by keeping its low bits, and the 8-bit floats saturate; [`CastOptions`] says what else
//! there is. The whole law, with every special case, stands in [`reference`](mod@reference), whose
//! functions are its definition and what every kernel is tested against.
//!
//! # How elements may lie
//!
//! * Slices of Rust's types: [`cast`], [`cast_vec`], and with options [`cast_with`]; bytes of dtypes known at run time:
//!   [`Cast`].
//! * Checked: [`cast_masked`] tells in a bitmap which elements fit, [`cast_same_value`] ends where a value would change.
//! * Apart, in any shape and strides: [`Cast::run_strided`], from a [`StridedView`] into a [`StridedViewMut`].
//! * Where they are, in one buffer: [`cast_in_place`], [`cast_vec_in_place`], [`Cast::run_in_place`].
//! * In the other byte order: [`Cast::with_byte_order`].
//! * In pieces that come or go one after the other: [`CastReader`], [`CastWriter`].
//!
//! # Where two dtypes meet
//!
//! [`promotion`] says in which dtype two operands meet, by the rules of NumPy, PyTorch, JAX and other
//! systems, and hands back the casts that bring them there.
//!
//! # Features
//!
//! None is on by default. `rayon`: `par_cast` and its like, `Cast::par_run`, by the threads of rayon's
//! pool. `ndarray`: the trait `CastArray`, for arrays of ndarray 0.17. `serde`: `Serialize` and
//! `Deserialize` for [`DType`], [`CastOptions`] and what is in them, [`ByteOrder`], and the small formats'
//! types. `capi`: the functions of the C library, and with them `rayon`.
//!
//! The environment variable `SIMDCAST_ISA` chooses an instruction set by name, see [`isa`].

#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "ndarray")]
mod arrays;
#[cfg(feature = "capi")]
#[allow(unsafe_code)] // What C hands in are pointers.
pub mod capi;
mod cast;
mod element;
mod error;
mod in_place;
mod masked;
mod newtypes;
mod options;
#[cfg(feature = "rayon")]
mod parallel;
pub mod promotion;
mod same_value;
#[cfg(feature = "serde")]
mod serialize;
mod stream;
mod strided;

#[cfg(feature = "ndarray")]
pub use arrays::CastArray;
pub use cast::{Cast, can_fail, cast, cast_vec, cast_vec_with, cast_with};
pub use element::Element;
pub use error::{CastError, Value};
pub use in_place::{cast_in_place, cast_in_place_with, cast_vec_in_place, cast_vec_in_place_with};
pub use masked::{cast_masked, cast_masked_into};
#[cfg(feature = "rayon")]
pub use masked::{par_cast_masked, par_cast_masked_into};
pub use newtypes::*;
pub use options::{ByteOrder, CastOptions, OnnxRounding};
#[cfg(feature = "rayon")]
pub use parallel::{par_cast, par_cast_vec, par_cast_vec_with, par_cast_with};
pub use same_value::cast_same_value;
#[cfg(feature = "rayon")]
pub use same_value::par_cast_same_value;
pub use simdcast_kernels::{
    BadOption, DType, Exact, FloatInfo, IntInfo, Kind, LayoutError, Options, Overflow, Road,
    Rounding, StridedView, StridedViewMut, Typed, UnknownCode, UnknownDType, is_lossless,
};
pub use simdcast_kernels::{format, reference};
// What the API has types of, in the versions that it has them of.
pub use half;
#[cfg(feature = "ndarray")]
pub use ndarray;
pub use num_complex;
pub use stream::{CastReader, CastWriter, CastWriterParts, FinishError, Overlong, Truncated};

/// The instruction sets: which ones this build has kernels for, which of them this CPU can run, and
/// which one casts use. That is the best one, unless the environment variable `SIMDCAST_ISA` names
/// another when it is first asked for, or [`set`](isa::set) does. Results do not depend on it.
pub mod isa {
    pub use simdcast_kernels::dispatch::{Level, LevelError, available, current, levels};

    use crate::CastError;
    use simdcast_kernels::dispatch;

    /// The best level that this CPU can run of those that have that name, or are of the family that has.
    ///
    /// # Errors
    /// [`CastError::Isa`] if no level has that name, or this CPU runs none that has.
    ///
    /// ```
    /// assert_eq!(simdcast::isa::find("SCALAR")?.name(), "scalar");
    /// let error = simdcast::isa::find("abacus").unwrap_err().to_string();
    /// assert!(error.contains("\"abacus\"") && error.contains("scalar"));
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn find(name: &str) -> Result<&'static Level, CastError> {
        dispatch::find(name).map_err(|why| CastError::Isa { name: name.to_owned(), why })
    }

    /// Uses an instruction set for the casts resolved from now on, in every thread. `name` is that
    /// of a level (`"scalar"`) or of a family of them, whose best available one is taken.
    ///
    /// # Errors
    /// As [`find`].
    ///
    /// ```
    /// let level = simdcast::isa::set("scalar")?;
    /// assert_eq!(level.name(), "scalar");
    /// assert!(simdcast::isa::set("abacus").is_err());
    /// # Ok::<(), simdcast::CastError>(())
    /// ```
    pub fn set(name: &str) -> Result<&'static Level, CastError> {
        dispatch::set(name).map_err(|why| CastError::Isa { name: name.to_owned(), why })
    }
}

/// The README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
