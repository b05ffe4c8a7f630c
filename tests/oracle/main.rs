//! The definition of a cast against an implementation of floating point that nobody here wrote:
//! `rustc_apfloat`, the port of LLVM's APFloat.
//!
//! What is the oracle's: the worth of every code, rounding (five modes, from floats and integers, to
//! floats and integers), when IEEE 754 overflows, what is inexact, NaN payloads. What is not, since
//! no standard says it: where an overflow ends in the 8-, 6- and 4-bit formats, canonical NaNs,
//! `Overflow`. These are mapped on the oracle's answers in [`ieee`] and [`grid`], each with the
//! sentence of the law that it follows.
//!
//! * [`floats`]: the six formats that the oracle has, every pair of them.
//! * [`integers`]: integers to those floats, and back.
//! * [`exact`]: decoding and encoding of all fifteen formats, by the oracle's arithmetic on formats
//!   described to it, from values with more bits than any float here has.

#[path = "../support_oracle/mod.rs"]
mod support;

mod exact;
mod floats;
mod grid;
mod ieee;
mod integers;
mod points;
