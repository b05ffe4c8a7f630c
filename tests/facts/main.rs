//! What the library says of pairs and dtypes without casting anything, against casting everything:
//! every code of every source whose components have 16 bits or fewer, or literal tables.

#[path = "../support_oracle/mod.rs"]
mod support;

mod can_fail;
mod codes;
mod effective;
mod limits;
mod lossless;
mod names;
