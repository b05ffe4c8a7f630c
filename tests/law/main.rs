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

#[test]
fn what_this_cpu_does_not_tell() {
    use std::io::Write;
    for level in simdcast::isa::levels().iter().filter(|level| !level.is_available()) {
        // (Tests that pass are heard by what no test harness keeps.)
        let text = format!("NOT TESTED: this CPU cannot run the kernels of {}", level.name());
        writeln!(std::io::stderr(), "{text}").unwrap();
    }
}
