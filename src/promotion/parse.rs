//! Reads the text of a promotion table.

use super::checks::{
    check_categories, check_commutative, check_diagonal, check_one_way, check_reflexive,
    check_scalars_of_weak_types, known_rows, same_diagonal, same_rows, square,
};
use super::text::{
    CASTINGS, CATEGORIES, CODES, CanCast, Code, Grid, INDEX, List, NAMES, NOTHING, Rule, SCALARS,
    TableError, Text, WEAK, Weak, type_name,
};
use std::borrow::Cow;

/// Reads a text.
pub(crate) fn parse(text: &str) -> Result<Text, TableError> {
    let all = sections(text)?;
    let (head, rest) = all.split_first().expect("one to begin with");
    head.only(&["system", "title", "weak"])?;
    if let Some((line, words)) = head.lines.first() {
        return Err(at(*line, format!("{:?} before the first section", words.join(" "))));
    }
    let (line, system) = head.needed("system")?;
    if !system.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
        return Err(at(line, format!("{system:?} is not of lower-case letters, digits and _")));
    }
    let weak = weak_types(head)?;
    let pairs_section = match rest.first() {
        Some(section) if section.name == "pairs" => section,
        other => {
            return Err(at(other.map_or(1, |s| s.line), "the first section must be [pairs]"));
        }
    };
    let pairs = pairs(pairs_section, &weak)?;
    let mut read = Text {
        system: Cow::Owned(system.to_owned()),
        title: Cow::Owned(head.needed("title")?.1.to_owned()),
        order: Cow::Owned(order(pairs_section, &pairs)?),
        weak: Cow::Owned(weak),
        pairs,
        scalars: None,
        pairwise: Cow::Borrowed(&[]),
        zero_dim: None,
        can_cast: Cow::Borrowed(&[]),
        is_dtype: None,
        defaults: None,
        aliases: None,
    };
    for section in &rest[1..] {
        read_section(section, &mut read)?;
    }
    // Last, since sections may come in any order.
    check_one_way(rest, &read)?;
    if let Some(section) = rest.iter().find(|s| s.name == "scalars") {
        check_scalars_of_weak_types(section, &read)?;
    }
    Ok(read)
}

fn read_section(section: &Section<'_>, read: &mut Text) -> Result<(), TableError> {
    match section.name {
        "scalars" => {
            section.only(&["source", "pairwise"])?;
            let cells = Words::Cells(&read.weak);
            let grid = grid(section, Words::Types(&read.weak), Words::Scalars, cells)?;
            same_rows(section, &grid, &read.pairs.rows, &read.weak)?;
            let pairwise = section.codes("pairwise", &Words::DTypes)?;
            if let Some(code) = pairwise.iter().find(|code| !read.pairs.rows.contains(code)) {
                let name = NAMES[usize::from(*code)];
                return Err(at(section.line, format!("pairwise: {name} has no row")));
            }
            read.pairwise = Cow::Owned(pairwise);
            read.scalars = Some(grid);
        }
        "zero_dim" => {
            section.only(&["source"])?;
            let cells = Words::Cells(&read.weak);
            let grid = grid(section, Words::DTypes, Words::DTypes, cells)?;
            let strong = strong(&read.pairs.rows);
            same_rows(section, &grid, &strong, &read.weak)?;
            square(section, &grid)?;
            same_diagonal(section, &grid, &read.pairs)?;
            read.zero_dim = Some(grid);
        }
        "isdtype" => {
            section.only(&["source"])?;
            let grid = grid(section, Words::DTypes, Words::Categories, Words::YesNo)?;
            known_rows(section, &grid, &read.pairs.rows, &read.weak)?;
            check_categories(section, &grid)?;
            read.is_dtype = Some(grid);
        }
        "defaults" => read.defaults = Some(defaults(section, &read.weak)?),
        "aliases" => read.aliases = Some(aliases(section)?),
        name => match name.strip_prefix("can_cast ") {
            Some(kind) => {
                let rule = can_cast(section, kind, &read.pairs)?;
                read.can_cast.to_mut().push(rule);
            }
            None => return Err(at(section.line, format!("no section is called [{name}]"))),
        },
    }
    Ok(())
}

fn weak_types(head: &Section<'_>) -> Result<Vec<Weak>, TableError> {
    let mut weak: Vec<Weak> = Vec::new();
    for (line, value) in head.all("weak") {
        let words: Vec<&str> = value.split_whitespace().collect();
        let [name, dtype] = words[..] else {
            return Err(at(line, "a weak type is declared by its name and a dtype"));
        };
        if !name.ends_with('*') || weak.iter().any(|w| w.name == name) {
            return Err(at(line, format!("{name:?} must end in * and be declared once")));
        }
        let dtype = Words::DTypes.code(dtype).map_err(|problem| at(line, problem))?;
        if weak.iter().any(|w| w.dtype == dtype) {
            return Err(at(line, format!("a second weak type of {}", NAMES[usize::from(dtype)])));
        }
        weak.push(Weak { name: Cow::Owned(name.to_owned()), dtype });
        if usize::from(WEAK) + weak.len() > CODES {
            return Err(at(line, "too many weak types"));
        }
    }
    Ok(weak)
}

fn pairs(section: &Section<'_>, weak: &[Weak]) -> Result<Grid, TableError> {
    section.only(&["source", "commutative", "hole", "order"])?;
    let types = Words::Types(weak);
    let pairs = grid(section, types, types, Words::Cells(weak))?;
    square(section, &pairs)?;
    for (i, declared) in weak.iter().enumerate() {
        if !pairs.rows.contains(&(WEAK + i as Code)) {
            return Err(at(section.line, format!("[pairs] has no row {}", declared.name)));
        }
    }
    check_diagonal(section, &pairs, &section.codes("hole", &types)?, weak)?;
    check_commutative(section, &pairs, weak)?;
    Ok(pairs)
}

fn order(section: &Section<'_>, pairs: &Grid) -> Result<Vec<Code>, TableError> {
    let order = section.codes("order", &Words::DTypes)?;
    if order.is_empty() {
        return Ok(order);
    }
    let line = section.all("order").next().map_or(section.line, |(line, _)| line);
    let rows = strong(&pairs.rows);
    let missing = rows.iter().find(|row| !order.contains(row));
    let foreign = order.iter().find(|code| !pairs.rows.contains(code));
    match (missing, foreign) {
        (Some(row), _) => Err(at(line, format!("order: {} is missing", type_name(*row, &[])))),
        (_, Some(code)) => {
            Err(at(line, format!("order: {} has no row", NAMES[usize::from(*code)])))
        }
        _ => Ok(order),
    }
}

fn strong(codes: &[Code]) -> Vec<Code> {
    codes.iter().copied().filter(|code| *code < WEAK).collect()
}

fn can_cast(section: &Section<'_>, kind: &str, pairs: &Grid) -> Result<CanCast, TableError> {
    section.only(&["source", "rule"])?;
    let casting = CASTINGS.iter().position(|known| *known == kind);
    let casting =
        casting.ok_or_else(|| at(section.line, not_among("rule", kind, &CASTINGS)))? as u8;
    let rule = match section.one("rule")? {
        None => {
            let grid = grid(section, Words::DTypes, Words::DTypes, Words::YesNo)?;
            square(section, &grid)?;
            known_rows(section, &grid, &pairs.rows, &[])?;
            check_reflexive(section, &grid)?;
            Rule::Grid(grid)
        }
        Some((_, "identity")) => Rule::Identity,
        Some((_, "promotion")) => Rule::Promotion,
        Some((line, other)) => {
            return Err(at(line, format!("rule: {other:?} is neither identity nor promotion")));
        }
    };
    Ok(CanCast { casting, source: section.source()?, rule })
}

fn defaults(section: &Section<'_>, weak: &[Weak]) -> Result<List, TableError> {
    list(section, |scalar, default| {
        if scalar == INDEX {
            return Words::DTypes.code(default);
        }
        Words::Scalars.code(scalar)?;
        Words::Types(weak).code(default)
    })
}

fn aliases(section: &Section<'_>) -> Result<List, TableError> {
    list(section, |_, dtype| Words::DTypes.code(dtype))
}

fn list(
    section: &Section<'_>,
    code: impl Fn(&str, &str) -> Result<Code, String>,
) -> Result<List, TableError> {
    section.only(&["source"])?;
    let source = section.source()?;
    let mut entries: Vec<(Cow<'static, str>, Code)> = Vec::new();
    for (line, words) in &section.lines {
        let [name, value] = words[..] else {
            return Err(at(*line, "a name and what it stands for, a line each"));
        };
        if entries.iter().any(|(known, _)| known == name) {
            return Err(at(*line, format!("{name} stands there twice")));
        }
        let code = code(name, value).map_err(|problem| at(*line, problem))?;
        entries.push((Cow::Owned(name.to_owned()), code));
    }
    Ok(List { source, entries: Cow::Owned(entries) })
}

pub(crate) fn at(line: usize, problem: impl Into<String>) -> TableError {
    TableError { line, cell: None, problem: problem.into() }
}

pub(crate) fn in_cell(
    line: usize,
    row: &str,
    column: &str,
    problem: impl Into<String>,
) -> TableError {
    TableError { line, cell: Some((row.into(), column.into())), problem: problem.into() }
}

/// The lines between one section's name and the next.
pub(crate) struct Section<'a> {
    /// Empty before the first.
    pub(crate) name: &'a str,
    pub(crate) line: usize,
    properties: Vec<(usize, &'a str, &'a str)>,
    pub(crate) lines: Vec<(usize, Vec<&'a str>)>,
}

impl<'a> Section<'a> {
    /// The properties of that key.
    fn all(&self, key: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        self.properties.iter().filter(move |p| p.1 == key).map(|p| (p.0, p.2))
    }

    /// The property of that key, of which there is one at most.
    fn one(&self, key: &'a str) -> Result<Option<(usize, &'a str)>, TableError> {
        let mut found = self.all(key);
        let first = found.next();
        match found.next() {
            Some((line, _)) => Err(at(line, format!("{key:?} is stated twice"))),
            None => Ok(first),
        }
    }

    /// The property of that key, which must be there.
    pub(crate) fn needed(&self, key: &'a str) -> Result<(usize, &'a str), TableError> {
        if let Some((line, value)) = self.one(key)? {
            return match value {
                "" => Err(at(line, format!("{key:?} is empty"))),
                _ => Ok((line, value)),
            };
        }
        let place = match self.name {
            "" => "before the first section".to_owned(),
            name => format!("in [{name}]"),
        };
        Err(at(self.line, format!("{key:?} is missing {place}")))
    }

    fn source(&self) -> Result<Cow<'static, str>, TableError> {
        Ok(Cow::Owned(self.needed("source")?.1.to_owned()))
    }

    fn only(&self, keys: &[&str]) -> Result<(), TableError> {
        match self.properties.iter().find(|p| !keys.contains(&p.1)) {
            Some((line, key, _)) => {
                Err(at(*line, format!("no property {key:?} here; it can be {}", keys.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// The codes of the words of all properties of that key.
    fn codes(&self, key: &'a str, words: &Words<'_>) -> Result<Vec<Code>, TableError> {
        let mut codes = Vec::new();
        for (line, value) in self.all(key) {
            if value.is_empty() {
                return Err(at(line, format!("{key:?} is empty")));
            }
            for word in value.split_whitespace() {
                let code = words.code(word).map_err(|problem| at(line, problem))?;
                if codes.contains(&code) {
                    return Err(at(line, format!("{key}: {word} stands there twice")));
                }
                codes.push(code);
            }
        }
        Ok(codes)
    }
}

fn sections(text: &str) -> Result<Vec<Section<'_>>, TableError> {
    let section = |name, line| Section { name, line, properties: Vec::new(), lines: Vec::new() };
    let mut all = vec![section("", 1)];
    for (i, line) in text.lines().enumerate() {
        let (number, line) = (i + 1, line.trim());
        let last = all.last_mut().expect("one to begin with");
        if line.is_empty() || line.starts_with('#') {
        } else if let Some(name) = line.strip_prefix('[') {
            let name = name
                .strip_suffix(']')
                .ok_or_else(|| at(number, format!("{line:?} has no closing bracket")))?;
            if all.iter().any(|s| s.name == name) {
                return Err(at(number, format!("a second section [{name}]")));
            }
            all.push(section(name, number));
        } else if let Some((key, value)) = property(line).filter(|_| last.lines.is_empty()) {
            last.properties.push((number, key, value));
        } else {
            last.lines.push((number, line.split_whitespace().collect()));
        }
    }
    Ok(all)
}

fn property(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let word = key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    (word && !key.is_empty()).then(|| (key, value.trim()))
}

/// The words that a place in a text may hold.
#[derive(Clone, Copy)]
pub(crate) enum Words<'a> {
    DTypes,
    /// Dtypes and weak types.
    Types(&'a [Weak]),
    /// Types, or `-`.
    Cells(&'a [Weak]),
    YesNo,
    Scalars,
    Categories,
}

impl Words<'_> {
    pub(crate) fn code(&self, word: &str) -> Result<Code, String> {
        let listed = |list: &[&str]| list.iter().position(|known| *known == word);
        let weak =
            |weak: &[Weak]| weak.iter().position(|w| w.name == word).map(|i| usize::from(WEAK) + i);
        let (found, problem) = match *self {
            Self::DTypes => (listed(&NAMES), format!("no dtype is called {word:?}")),
            Self::Types(w) => (listed(&NAMES).or_else(|| weak(w)), no_dtype(word)),
            Self::Cells(_) if word == "-" => return Ok(NOTHING),
            Self::Cells(w) => (listed(&NAMES).or_else(|| weak(w)), no_dtype(word)),
            Self::YesNo => (listed(&["0", "1"]), format!("{word:?} is neither 1 (yes) nor 0 (no)")),
            Self::Scalars => (listed(&SCALARS), not_among("scalar", word, &SCALARS)),
            Self::Categories => (listed(&CATEGORIES), not_among("kind", word, &CATEGORIES)),
        };
        found.map(|code| code as Code).ok_or(problem)
    }
}

fn no_dtype(word: &str) -> String {
    if word.ends_with('*') {
        format!("no weak type is declared as {word:?}")
    } else {
        format!("no dtype is called {word:?}")
    }
}

fn not_among(what: &str, word: &str, known: &[&str]) -> String {
    format!("no {what} is called {word:?}; it can be {}", known.join(", "))
}

/// The codes of a header's or a first column's words, which must differ.
fn members<'a>(
    words: &Words<'_>,
    given: impl Iterator<Item = (usize, &'a str)>,
    what: &str,
) -> Result<Vec<Code>, TableError> {
    let mut codes = Vec::new();
    for (line, word) in given {
        let code = words.code(word).map_err(|problem| at(line, format!("{what}: {problem}")))?;
        if codes.contains(&code) {
            return Err(at(line, format!("a second {what} {word}")));
        }
        codes.push(code);
    }
    Ok(codes)
}

fn grid(
    section: &Section<'_>,
    rows: Words<'_>,
    columns: Words<'_>,
    cells: Words<'_>,
) -> Result<Grid, TableError> {
    let source = section.source()?;
    let Some(((line, header), body)) = section.lines.split_first() else {
        return Err(at(section.line, format!("[{}] has no grid", section.name)));
    };
    if header[0] != "_" {
        return Err(at(*line, "a grid starts with a line of _ and the columns"));
    }
    let heads = &header[1..];
    let columns = members(&columns, heads.iter().map(|word| (*line, *word)), "column")?;
    let rows = members(&rows, body.iter().map(|(line, words)| (*line, words[0])), "row")?;
    let mut codes = Vec::with_capacity(rows.len() * columns.len());
    for (line, words) in body {
        let (row, values) = (words[0], &words[1..]);
        if values.len() != heads.len() {
            let (given, wanted) = (values.len(), heads.len());
            let column = heads.get(given).copied().unwrap_or("beyond the last");
            let problem = format!("the row has {given} cells, for {wanted} columns");
            return Err(in_cell(*line, row, column, problem));
        }
        for (word, column) in values.iter().zip(heads) {
            codes.push(cells.code(word).map_err(|problem| in_cell(*line, row, column, problem))?);
        }
    }
    Ok(Grid::new(source, rows, columns, codes))
}
