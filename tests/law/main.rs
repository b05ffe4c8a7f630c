//! The law of casting, sentence by sentence and row by row, with its own examples.
//!
//! Every case is put to the definition (`reference::cast`), to the public `Cast`, and to the kernels
//! of every instruction set that this machine has; and each of those in every storage that the
//! numbers come in (packed, complex). See [`cases`].

#[path = "../support_oracle/mod.rs"]
mod support;

mod cases;

mod bool;
mod checked;
mod complex;
mod e8m0;
mod float;
mod identity;
mod integer;
mod nan;
mod peers;
mod presets;
mod statistics;
mod stochastic;
mod storage;
