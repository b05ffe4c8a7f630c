//! What the tests of the definition share, written from the specification and not from the code
//! under test: the list of dtypes, the float formats, storage, and a generator of random bits.
//!
//! Nothing in here calls the library, so that a mistake there cannot hide behind itself.

#![allow(dead_code, reason = "each test program uses its part of it")]

pub(crate) mod dtypes;
pub(crate) mod floats;
pub(crate) mod options;
pub(crate) mod random;
