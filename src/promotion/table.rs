//! A table, and what can be looked up in it.

use super::parse;
use super::text::{
    ABSENT, CODES, Code, Grid, INDEX, List, NAMES, NOTHING, Rule, TableError, Text, WEAK,
};
use super::{Casting, Category, Scalar, Type};
use simdcast_kernels::DType;
use std::fmt;

// The texts name the dtypes by their own list, which must be THE LIST.
const _: () = {
    assert!(NAMES.len() == DType::COUNT && CODES > DType::COUNT);
    let mut i = 0;
    while i < NAMES.len() {
        let (here, there) = (NAMES[i].as_bytes(), DType::ALL[i].name().as_bytes());
        assert!(
            here.len() == there.len(),
            "NAMES of the promotion texts are not those of THE LIST"
        );
        let mut k = 0;
        while k < here.len() {
            assert!(here[k] == there[k], "NAMES of the promotion texts are not those of THE LIST");
            k += 1;
        }
        i += 1;
    }
};

/// A system's rules of promotion: one of the crate's own, by [`System::table`](super::System::table),
/// or a user's, by [`Table::parse`].
#[derive(Clone)]
pub struct Table {
    pub(super) text: Text,
}

impl Table {
    /// Reads a table from text of the form that the crate's own have (`src/promotion/*.txt`).
    ///
    /// ```
    /// use simdcast::promotion::{self, Table};
    /// use simdcast::{CastOptions, DType};
    ///
    /// let mine = Table::parse("
    ///     system: mine
    ///     title: My own rules
    ///
    ///     [pairs]
    ///     source: my own invention, version 1
    ///     commutative: yes
    ///     _         uint8     bfloat16  float32
    ///     uint8     uint8     -         float32
    ///     bfloat16  -         bfloat16  float32
    ///     float32   float32   float32   float32
    /// ")?;
    /// assert_eq!(promotion::resolve(&mine, DType::UInt8, DType::Float32), Some(DType::Float32));
    /// assert_eq!(promotion::resolve(&mine, DType::UInt8, DType::BFloat16), None);
    /// # Ok::<(), simdcast::promotion::TableError>(())
    /// ```
    ///
    /// A line that starts with `#` is a comment. `weak: int* int64`, before the first section,
    /// declares a weak type and the dtype that it is where one is needed. The sections, of which all
    /// but the first may be missing:
    ///
    /// * `[pairs]`: where two dtypes meet, `-` where they don't. `commutative:` is `yes` or `no`;
    ///   `hole:` names what does not even meet itself; `order:` lists the dtypes by what they know
    ///   of others, the least first, where several operands are to meet as NumPy's do rather than
    ///   from left to right.
    /// * `[scalars]`: a tensor with Python's `bool`, `int`, `float` and `complex`. `pairwise:` names
    ///   the dtypes of which nothing is said if there are more operands than two.
    /// * `[zero_dim]`: tensors with dimensions with those that have none, where these count less.
    /// * `[can_cast KIND]`, the kind being `default`, `no`, `equiv`, `safe`, `same_kind`, `unsafe` or
    ///   `same_value`: 1 or 0, or instead of a grid `rule: identity` or `rule: promotion`. Where none is
    ///   the `default`, the first one is.
    /// * `[isdtype]`: dtypes and kinds, 1 or 0.
    /// * `[defaults]`: a scalar, or `index`, and its type a line.
    /// * `[aliases]`: a name and its dtype a line.
    ///
    /// Every section says in `source:` where its facts are from.
    ///
    /// # Errors
    /// [`TableError`], with the line and the cell: an unknown dtype, a ragged row, a hole or another
    /// dtype on the diagonal, a row that `[pairs]` does not have, a table that is not commutative as
    /// declared, scalars that disagree with the weak types they stand for, kinds that don't add up, two
    /// ways for several operands to meet (weak types, `[zero_dim]`, `order:`), and whatever is not of the
    /// form.
    pub fn parse(text: &str) -> Result<Table, TableError> {
        parse::parse(text).map(|text| Table { text })
    }

    /// The system's name: `"numpy"`.
    pub fn name(&self) -> &str {
        &self.text.system
    }

    /// The system's name in full: `"NumPy"`.
    pub fn title(&self) -> &str {
        &self.text.title
    }

    /// The types that the table lists: dtypes, and the system's weak types.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.text.pairs.rows.iter().filter_map(|code| self.type_of(*code))
    }

    /// Where the table's facts are from: its sections, and the source of each.
    pub fn sources(&self) -> Vec<(&'static str, &str)> {
        let Text { pairs, scalars, zero_dim, can_cast, is_dtype, defaults, aliases, .. } =
            &self.text;
        let mut sources = vec![("pairs", &*pairs.source)];
        let grids = [("scalars", scalars), ("zero_dim", zero_dim), ("isdtype", is_dtype)];
        let grids =
            grids.into_iter().filter_map(|(name, grid)| Some((name, &*grid.as_ref()?.source)));
        sources.extend(grids);
        sources.extend(can_cast.iter().map(|rule| ("can_cast", &*rule.source)));
        let lists = [("defaults", defaults), ("aliases", aliases)];
        let lists =
            lists.into_iter().filter_map(|(name, list)| Some((name, &*list.as_ref()?.source)));
        sources.extend(lists);
        sources
    }

    /// The dtype of that name in the system's own words, such as MindSpore's `int` for int32 and
    /// NumPy's for int64; else the dtype whose own name it is, if the table lists it. (Other names that [`DType::parse`]
    /// takes may be something else to a system, as `U16` is a string to NumPy.)
    ///
    /// ```
    /// use simdcast::DType;
    /// use simdcast::promotion::System;
    ///
    /// assert_eq!(System::MindSpore.table().parse_alias("int"), Some(DType::Int32));
    /// assert_eq!(System::Numpy.table().parse_alias("int"), Some(DType::Int64));
    /// assert_eq!(System::Numpy.table().parse_alias("bfloat16"), Some(DType::BFloat16));
    /// assert_eq!(System::ArrayApi.table().parse_alias("bfloat16"), None);
    /// ```
    pub fn parse_alias(&self, name: &str) -> Option<DType> {
        let own = self.text.aliases.as_ref().and_then(|list| entry(list, name));
        match own {
            Some(code) => DType::from_code(code),
            None => DType::ALL
                .into_iter()
                .find(|dtype| dtype.name() == name && self.code((*dtype).into()).is_some()),
        }
    }

    /// The type that the system gives a Python scalar by itself; None if it has none, or leaves it
    /// to others.
    pub fn default_type(&self, scalar: Scalar) -> Option<Type> {
        let list = self.text.defaults.as_ref()?;
        self.type_of(entry(list, scalar.name())?)
    }

    /// The dtype in which the system tells positions in a tensor, such as those of maxima; None if it
    /// leaves it to others, or has more than one.
    ///
    /// ```
    /// use simdcast::DType;
    /// use simdcast::promotion::System;
    ///
    /// assert_eq!(System::JaxX32.table().index_dtype(), Some(DType::Int32));
    /// assert_eq!(System::ArrayApi.table().index_dtype(), None);
    /// ```
    pub fn index_dtype(&self) -> Option<DType> {
        DType::from_code(entry(self.text.defaults.as_ref()?, INDEX)?)
    }

    /// Where two tensors meet.
    #[inline]
    pub fn meet(&self, a: Type, b: Type) -> Option<Type> {
        match (self.code(a), self.code(b)) {
            (Some(row), Some(column)) => {
                let common = self.type_of(self.text.pairs.cell(row, column)?)?;
                // Two of a packed dtype stay packed, although the table knows their numbers only.
                Some(if a == b { a } else { common })
            }
            // A dtype meets itself in itself, listed or not; a weak type that is none of the
            // system's is nothing to it.
            _ if a == b && !a.weak => Some(a),
            _ => None,
        }
    }

    /// What a tensor becomes beside a Python scalar.
    pub fn meet_scalar(&self, tensor: Type, scalar: Scalar) -> Option<Type> {
        let grid = self.text.scalars.as_ref()?;
        self.type_of(grid.cell(self.code(tensor)?, scalar as Code)?)
    }

    /// Where a tensor with dimensions meets one without. Where the system makes no difference, that
    /// is where two tensors meet.
    pub fn meet_zero_dim(&self, tensor: Type, zero_dim: Type) -> Option<Type> {
        match &self.text.zero_dim {
            Some(grid) if tensor != zero_dim => {
                let common = grid.cell(self.code(tensor)?, self.code(zero_dim)?)?;
                self.type_of(common)
            }
            _ => self.meet(tensor, zero_dim),
        }
    }

    /// Whether the system lets a dtype be cast to another; None where it does not say.
    pub fn can_cast(&self, from: DType, to: DType, casting: Casting) -> Option<bool> {
        let rules = &self.text.can_cast;
        let named = rules.iter().find(|rule| rule.casting == casting as u8);
        let rule = match casting {
            Casting::Default => named.or(rules.first())?,
            _ => named?,
        };
        let (row, column) = (self.code(from.into())?, self.code(to.into())?);
        match &rule.rule {
            Rule::Identity => Some(row == column),
            Rule::Promotion => Some(self.text.pairs.cell(row, column) == Some(column)),
            Rule::Grid(grid) => grid.cell(row, column).map(|cell| cell == 1),
        }
    }

    /// Whether a dtype is of a kind; None where the system does not say.
    pub fn isdtype(&self, dtype: DType, category: Category) -> Option<bool> {
        let grid = self.text.is_dtype.as_ref()?;
        grid.cell(self.code(dtype.into())?, category as Code).map(|cell| cell == 1)
    }

    /// The code of a type in this table: a dtype is looked up as it is, then as the numbers that it
    /// packs.
    #[inline]
    pub(super) fn code(&self, given: Type) -> Option<Code> {
        if given.weak {
            let place = self.text.weak.iter().position(|weak| weak.dtype == given.dtype.code())?;
            return Some(WEAK + place as Code);
        }
        let known = |dtype: DType| self.text.pairs.row_starts[usize::from(dtype.code())] != ABSENT;
        [given.dtype, given.dtype.logical()].into_iter().find(|d| known(*d)).map(DType::code)
    }

    /// The type of a cell; None if it is empty.
    #[inline]
    pub(super) fn type_of(&self, code: Code) -> Option<Type> {
        if let Some(dtype) = DType::from_code(code) {
            return Some(dtype.into());
        }
        let weak = self.text.weak.get(usize::from(code.wrapping_sub(WEAK)))?;
        Some(Type { dtype: DType::from_code(weak.dtype)?, weak: true })
    }

    /// The types that one meets.
    pub(super) fn met_by(&self, given: Type) -> Vec<Type> {
        let Some(row) = self.code(given) else { return Vec::new() };
        let Grid { columns, .. } = &self.text.pairs;
        let met = |column: &&Code| self.text.pairs.cell(row, **column) != Some(NOTHING);
        columns.iter().filter(met).filter_map(|code| self.type_of(*code)).collect()
    }
}

fn entry(list: &List, name: &str) -> Option<Code> {
    list.entries.iter().find(|(known, _)| known == name).map(|(_, code)| *code)
}

impl AsRef<Table> for Table {
    fn as_ref(&self) -> &Table {
        self
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({})", self.name())
    }
}
