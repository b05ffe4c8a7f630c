//! Why operands have no common dtype.

use super::{Operand, System, Table, Type};
use crate::CastError;
use std::fmt;

/// Why operands could not be brought together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromotionError {
    /// The system does not know a type, so that it leaves undefined where the operands meet.
    Unlisted {
        /// The system.
        system: String,
        /// The operands.
        operands: Vec<Operand>,
        /// The first type among them that it does not know.
        unlisted: Type,
        /// The types that the system knows.
        accepted: Vec<Type>,
    },
    /// The system leaves undefined where the operands meet.
    Undefined {
        /// The system.
        system: String,
        /// The operands.
        operands: Vec<Operand>,
        /// For each tensor among them, the types that it meets under the system.
        accepted: Vec<(Type, Vec<Type>)>,
    },
    /// The table tells where a scalar and such a dtype meet, and nothing of both beside others. (What NumPy makes of a dtype
    /// of ml_dtypes, a scalar and others may depend on their order.)
    Unknown {
        /// The system.
        system: String,
        /// The operands.
        operands: Vec<Operand>,
        /// The first dtype among them of which that is so.
        dtype: Type,
    },
    /// There is no operand.
    NoOperands {
        /// The system.
        system: String,
    },
    /// A cast to the common dtype could not be made.
    Cast(CastError),
}

impl PromotionError {
    /// Why `operands`, which don't meet under a table, don't.
    pub(crate) fn of(table: &Table, operands: &[Operand]) -> Self {
        let system = table.name().to_owned();
        let operands = operands.to_vec();
        if operands.is_empty() {
            return Self::NoOperands { system };
        }
        let tensors = || operands.iter().filter_map(|operand| operand.tensor());
        if let Some(unlisted) = tensors().find(|tensor| table.code(*tensor).is_none()) {
            let accepted = table.types().collect();
            return Self::Unlisted { system, operands, unlisted, accepted };
        }
        if let Some(dtype) = super::operands::of_two_only(table, &operands) {
            return Self::Unknown { system, operands, dtype };
        }
        let mut accepted: Vec<(Type, Vec<Type>)> = Vec::new();
        for tensor in tensors() {
            if accepted.iter().all(|(known, _)| *known != tensor) {
                accepted.push((tensor, table.met_by(tensor)));
            }
        }
        Self::Undefined { system, operands, accepted }
    }
}

struct Names<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Names<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        for (i, name) in self.0.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for PromotionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlisted { system, operands, unlisted, accepted } => {
                write!(f, "{system} leaves undefined where {} meet: ", Names(operands))?;
                write!(f, "it does not know {unlisted}; it knows {}", Names(accepted))
            }
            Self::Undefined { system, operands, accepted } => {
                write!(f, "{system} leaves undefined where {} meet", Names(operands))?;
                for (tensor, others) in accepted {
                    write!(f, "; {tensor} meets {}", Names(others))?;
                }
                Ok(())
            }
            Self::Unknown { system, operands, dtype } => {
                write!(f, "where {} meet in {system} is not known: ", Names(operands))?;
                write!(f, "of {dtype} and a scalar it is only if there is nothing else")
            }
            Self::NoOperands { system } => write!(f, "{system}: no operand is given"),
            Self::Cast(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PromotionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // (It tells what that error does, whose own source comes next.)
            Self::Cast(error) => error.source(),
            _ => None,
        }
    }
}

impl From<CastError> for PromotionError {
    fn from(error: CastError) -> Self {
        Self::Cast(error)
    }
}

/// A name that no system has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSystem {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = System::ALL.map(System::name);
        write!(f, "no promotion system is called {:?}; there are {}", self.name, Names(&names))
    }
}

impl std::error::Error for UnknownSystem {}
