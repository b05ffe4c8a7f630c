//! The text of a promotion table: what it looks like, what must hold of it, and what is read out of
//! it. Compiled twice, so that there is one grammar and one set of checks: into `build.rs`, which
//! turns the texts beside this file into constants, and into the crate, for users' own tables.
//!
//! A text is made of lines. `#` starts a comment line; a property is `key: value`; a section starts
//! with its name in brackets and ends where the next one starts. What sections and properties there
//! are is told where users look for it, at [`Table::parse`].
//!
//! [`Table::parse`]: super::Table::parse

use std::borrow::Cow;
use std::fmt;

/// The dtypes' names, by code. `build.rs` cannot ask the kernels for them; that these are theirs is
/// checked where the crate is compiled.
pub(crate) const NAMES: [&str; 44] = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int1",
    "int2",
    "int4",
    "uint1",
    "uint2",
    "uint4",
    "bool1x8",
    "int4x2",
    "uint4x2",
    "int2x4",
    "uint2x4",
    "int1x8",
    "uint1x8",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e4m3",
    "float8_e3m4",
    "float8_e4m3b11fnuz",
    "float8_e8m0fnu",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
    "float4_e2m1fn_x2",
    "float6_e2m3fn_x4",
    "float6_e3m2fn_x4",
    "complex32",
    "bcomplex32",
    "complex64",
    "complex128",
];

/// A member of a grid: the code of a dtype, or `WEAK` + the place of a weak type; of a scalar, a
/// kind, in the lists below.
pub(crate) type Code = u8;

/// The code of the first weak type.
pub(crate) const WEAK: Code = NAMES.len() as Code;
/// How many codes there can be.
pub(crate) const CODES: usize = 64;
/// What a cell holds where two types don't meet.
pub(crate) const NOTHING: Code = Code::MAX;

/// Python's scalars, as columns of a text name them.
pub(crate) const SCALARS: [&str; 4] = ["bool", "int", "float", "complex"];
/// Among the defaults, what positions in a tensor are told in.
pub(crate) const INDEX: &str = "index";
/// The Array API's kinds of dtypes.
pub(crate) const CATEGORIES: [&str; 7] = [
    "bool",
    "signed_integer",
    "unsigned_integer",
    "integral",
    "real_floating",
    "complex_floating",
    "numeric",
];
/// The rules of `can_cast`.
pub(crate) const CASTINGS: [&str; 7] =
    ["default", "no", "equiv", "safe", "same_kind", "unsafe", "same_value"];

/// All that a text says.
#[derive(Clone)]
pub(crate) struct Text {
    pub(crate) system: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    pub(crate) weak: Cow<'static, [Weak]>,
    pub(crate) pairs: Grid,
    /// By what they know; empty if several operands meet from left to right.
    pub(crate) order: Cow<'static, [Code]>,
    pub(crate) scalars: Option<Grid>,
    pub(crate) pairwise: Cow<'static, [Code]>,
    pub(crate) zero_dim: Option<Grid>,
    pub(crate) can_cast: Cow<'static, [CanCast]>,
    pub(crate) is_dtype: Option<Grid>,
    pub(crate) defaults: Option<List>,
    pub(crate) aliases: Option<List>,
}

/// A type that gives way to others: its name, and the dtype that it becomes.
#[derive(Clone)]
pub(crate) struct Weak {
    pub(crate) name: Cow<'static, str>,
    pub(crate) dtype: Code,
}

#[derive(Clone)]
pub(crate) struct Grid {
    pub(crate) source: Cow<'static, str>,
    pub(crate) rows: Cow<'static, [Code]>,
    pub(crate) columns: Cow<'static, [Code]>,
    /// Row by row.
    pub(crate) cells: Cow<'static, [Code]>,
    /// Where the row of a code starts in `cells`; `ABSENT` if it has none.
    pub(crate) row_starts: [u16; CODES],
    /// Where the column of a code stands in a row; `ABSENT` if it has none.
    pub(crate) column_places: [u16; CODES],
}

/// Beyond the end of any grid, by so much that adding one to another passes no bound.
pub(crate) const ABSENT: u16 = 0x4000;

#[derive(Clone)]
pub(crate) struct CanCast {
    /// In [`CASTINGS`].
    pub(crate) casting: u8,
    pub(crate) source: Cow<'static, str>,
    pub(crate) rule: Rule,
}

#[allow(clippy::large_enum_variant, reason = "there are a handful, and in constants")]
#[derive(Clone)]
pub(crate) enum Rule {
    /// A dtype to itself.
    Identity,
    /// To the dtype where the two meet.
    Promotion,
    /// As the grid says: 1 or 0.
    Grid(Grid),
}

/// Names and what they stand for.
#[derive(Clone)]
pub(crate) struct List {
    pub(crate) source: Cow<'static, str>,
    pub(crate) entries: Cow<'static, [(Cow<'static, str>, Code)]>,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    pub(crate) line: usize,
    pub(crate) cell: Option<(String, String)>,
    pub(crate) problem: String,
}

impl TableError {
    /// The line, counted from 1; of something that is missing, the one after which it should stand.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The row and the column, where it is a cell.
    pub fn cell(&self) -> Option<(&str, &str)> {
        self.cell.as_ref().map(|(row, column)| (row.as_str(), column.as_str()))
    }

    /// What is wrong.
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some((row, column)) = &self.cell {
            write!(f, ", row {row}, column {column}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for TableError {}

/// The name of a type's code.
pub(crate) fn type_name(code: Code, weak: &[Weak]) -> &str {
    match weak.get(usize::from(code).wrapping_sub(usize::from(WEAK))) {
        Some(weak) => &weak.name,
        None => NAMES.get(usize::from(code)).copied().unwrap_or("-"),
    }
}

impl Grid {
    pub(crate) fn new(
        source: Cow<'static, str>,
        rows: Vec<Code>,
        columns: Vec<Code>,
        cells: Vec<Code>,
    ) -> Self {
        let (mut row_starts, mut column_places) = ([ABSENT; CODES], [ABSENT; CODES]);
        for (i, row) in rows.iter().enumerate() {
            row_starts[usize::from(*row)] = (i * columns.len()) as u16;
        }
        for (i, column) in columns.iter().enumerate() {
            column_places[usize::from(*column)] = i as u16;
        }
        let (rows, columns) = (Cow::Owned(rows), Cow::Owned(columns));
        Self { source, rows, columns, cells: Cow::Owned(cells), row_starts, column_places }
    }

    /// The cell of two codes; None if one of them is not there.
    #[inline]
    pub(crate) fn cell(&self, row: Code, column: Code) -> Option<Code> {
        let row = *self.row_starts.get(usize::from(row))?;
        let column = *self.column_places.get(usize::from(column))?;
        self.cells.get(usize::from(row) + usize::from(column)).copied()
    }
}
