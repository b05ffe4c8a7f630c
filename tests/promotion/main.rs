//! Promotion: the tables against their texts, the laws that hold and where they don't, several
//! operands against the systems themselves, and texts that are not as they must be.

mod cells;
mod laws;
mod operands;
mod plans;
mod texts;
