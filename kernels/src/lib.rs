//! The machine room of `simdcast`: the list of dtypes, the definition of a cast between any two of
//! them, and the kernels that do it on each instruction set. Knows nothing of promotion or threads.
//!
//! Most users want the `simdcast` crate, which puts types, options and errors of their own in front
//! of this one.
//!
//! * [`DType`] and [`format`](mod@format): the dtypes, and their number formats as data.
//! * [`reference`](mod@reference): what a cast means, exactly.
//! * [`Kernel`]: a cast ready to run.
//! * [`dispatch`]: the instruction sets, and the choice among them.
//!
//! # Where things are
//!
//! The law is in `reference`, which knows the dtypes, their formats and the options, and no kernels. `dispatch` has a table
//! of kernels for each instruction set, and `kernel` the doors to them.
//!
//! The instruction sets have folders: `scalar` (any target), `neon`, `avx2` and `avx512`. In these the same name is the same
//! thing:
//!
//! * `decode`, `bridge` and `encode`: the way of most pairs, by hubs.
//! * `direct`: the pairs that have loops of their own.
//! * `pieces`: packed and complex elements taken apart.
//! * `shapes` and `stores`: what options make of a pair.
//! * `draws` and `generator`: stochastic rounding.
//! * `shim`: instructions that `pulp` or the oldest compiler does not have.
//!
//! What is in one folder only is a loop that this instruction set has, and its file says for which pairs and why.
//!
//! Beside them is what all share:
//!
//! * `shape`: how a cast under options goes, step by step.
//! * `tile`: what goes through buffers.
//! * `swap`, `strided`, `stream`, `align` and `shifted`: other ways of memory.
//!
//! # Fewer kernels
//!
//! Built with `--cfg simdcast_portable`, it has the portable kernels only, and takes half a minute to build. So do its unit
//! tests, which are of what plans and checks. With `--cfg simdcast_without_avx512` it has all but those of AVX-512.

#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_op_in_unsafe_fn)]
// Much is there for instruction sets with kernels of their own: what a build leaves out, or has none of, does not use it.
#![cfg_attr(
    any(
        simdcast_portable,
        simdcast_without_avx512,
        test,
        not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
        ))
    ),
    allow(dead_code, unused_imports, unused_macros)
)]

extern crate alloc;

mod align;
#[cfg(all(target_arch = "x86_64", not(any(simdcast_portable, test))))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(any(simdcast_portable, simdcast_without_avx512, test))))]
mod avx512;
mod buffer;
mod codec;
mod convert;
mod copies;
#[cfg(target_arch = "x86_64")]
mod cores;
#[cfg(target_arch = "x86_64")]
mod cpuid;
pub mod dispatch;
mod dtypes;
mod environment;
mod exact;
mod facts;
mod fields;
pub mod format;
mod kernel;
mod memory;
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon",
    not(any(simdcast_portable, test))
))]
mod neon;
mod options;
pub mod philox;
pub mod reference;
mod scalar;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod serialize;
mod shape;
mod shifted;
mod single;
mod stepwise;
mod stream;
mod strided;
mod swap;
mod table;
mod tile;
mod typed;

pub use dtypes::{DType, Kind, UnknownCode, UnknownDType};
pub use exact::Exact;
pub use facts::{FloatInfo, IntInfo, can_fail, is_lossless};
pub use kernel::{
    Cuts, InOrder, Join, Kernel, MaskedKernel, Out, RunError, Work, run_pair_defaults,
    run_plain_defaults,
};
pub use options::{BadOption, Options, Overflow, Rounding};
pub use stream::Stores;
pub use strided::{LayoutError, StridedView, StridedViewMut};
pub use table::Road;
pub use typed::Typed;
