//! What must hold of a grid, beyond being one.

use super::parse::{Section, at, in_cell};
use super::text::{
    CATEGORIES, Code, Grid, NAMES, NOTHING, SCALARS, TableError, Text, Weak, type_name,
};

/// The line of a row.
fn line_of(section: &Section<'_>, grid: &Grid, row: Code) -> usize {
    let place = grid.rows.iter().position(|r| *r == row);
    place.and_then(|i| section.lines.get(i + 1)).map_or(section.line, |(line, _)| *line)
}

/// The rows are the columns.
pub(crate) fn square(section: &Section<'_>, grid: &Grid) -> Result<(), TableError> {
    let heads = &section.lines[0].1[1..];
    for (column, head) in grid.columns.iter().zip(heads) {
        if !grid.rows.contains(column) {
            return Err(at(section.line, format!("column {head} has no row")));
        }
    }
    for row in grid.rows.iter() {
        if !grid.columns.contains(row) {
            return Err(at(line_of(section, grid, *row), "the row has no column of its name"));
        }
    }
    Ok(())
}

/// A type meets itself in itself, unless the text says that it does not.
pub(crate) fn check_diagonal(
    section: &Section<'_>,
    pairs: &Grid,
    holes: &[Code],
    weak: &[Weak],
) -> Result<(), TableError> {
    for code in pairs.rows.iter().copied() {
        let (name, line) = (type_name(code, weak), line_of(section, pairs, code));
        let (cell, hole) = (pairs.cell(code, code).unwrap_or(NOTHING), holes.contains(&code));
        let problem = match cell == NOTHING {
            true if !hole => format!("a hole on the diagonal; declare it as hole: {name}"),
            false if hole => "declared a hole, and is none".to_owned(),
            false if cell != code => {
                format!("{name} with itself is {}, not itself", type_name(cell, weak))
            }
            _ => continue,
        };
        return Err(in_cell(line, name, name, problem));
    }
    match holes.iter().find(|hole| !pairs.rows.contains(hole)) {
        Some(hole) => Err(at(section.line, format!("hole: no row {}", type_name(*hole, weak)))),
        None => Ok(()),
    }
}

pub(crate) fn check_commutative(
    section: &Section<'_>,
    pairs: &Grid,
    weak: &[Weak],
) -> Result<(), TableError> {
    let (line, declared) = section.needed("commutative")?;
    let declared = match declared {
        "yes" => true,
        "no" => false,
        other => return Err(at(line, format!("commutative: {other:?} is neither yes nor no"))),
    };
    let name = |code| type_name(code, weak);
    for row in pairs.rows.iter().copied() {
        for column in pairs.rows.iter().copied() {
            let (this, that) = (pairs.cell(row, column), pairs.cell(column, row));
            if this == that {
                continue;
            }
            if !declared {
                return Ok(());
            }
            let [this, that] = [this, that].map(|cell| name(cell.unwrap_or(NOTHING)));
            let problem =
                format!("{this}, but {that} the other way round, in a table declared commutative");
            return Err(in_cell(line_of(section, pairs, row), name(row), name(column), problem));
        }
    }
    if declared { Ok(()) } else { Err(at(line, "the table is commutative, declared not to be")) }
}

/// The rows are those, in any order.
pub(crate) fn same_rows(
    section: &Section<'_>,
    grid: &Grid,
    wanted: &[Code],
    weak: &[Weak],
) -> Result<(), TableError> {
    for row in wanted {
        if !grid.rows.contains(row) {
            let name = type_name(*row, weak);
            return Err(at(section.line, format!("[{}] has no row {name}", section.name)));
        }
    }
    known_rows(section, grid, wanted, weak)
}

/// The rows are among those of the pairs. (Nothing is looked up for any other.)
pub(crate) fn known_rows(
    section: &Section<'_>,
    grid: &Grid,
    known: &[Code],
    weak: &[Weak],
) -> Result<(), TableError> {
    match grid.rows.iter().copied().find(|row| !known.contains(row)) {
        Some(row) => {
            let problem = format!("[pairs] has no row {}", type_name(row, weak));
            Err(at(line_of(section, grid, row), problem))
        }
        None => Ok(()),
    }
}

/// A type meets itself as it does among the pairs, with dimensions or without. (There it is looked up.)
pub(crate) fn same_diagonal(
    section: &Section<'_>,
    grid: &Grid,
    pairs: &Grid,
) -> Result<(), TableError> {
    for code in grid.rows.iter().copied() {
        let [here, there] = [grid, pairs].map(|grid| grid.cell(code, code).unwrap_or(NOTHING));
        if here != there {
            let [name, here, there] = [code, here, there].map(|code| type_name(code, &[]));
            let problem = format!("{here}, but [pairs] has {there}");
            return Err(in_cell(line_of(section, grid, code), name, name, problem));
        }
    }
    Ok(())
}

/// Where there are weak types, a scalar is a value of its default type: the two grids must agree.
pub(crate) fn check_scalars_of_weak_types(
    section: &Section<'_>,
    read: &Text,
) -> Result<(), TableError> {
    let (Some(scalars), false) = (&read.scalars, read.weak.is_empty()) else { return Ok(()) };
    let Some(defaults) = &read.defaults else {
        return Err(at(section.line, "with weak types, [scalars] needs [defaults]"));
    };
    for scalar in scalars.columns.iter().copied() {
        let name = SCALARS[usize::from(scalar)];
        let Some((_, default)) = defaults.entries.iter().find(|(known, _)| known == name) else {
            return Err(at(section.line, format!("with weak types, {name} needs a default")));
        };
        for row in scalars.rows.iter().copied() {
            let cell = scalars.cell(row, scalar).unwrap_or(NOTHING);
            let pair = read.pairs.cell(row, *default).unwrap_or(NOTHING);
            if cell != pair {
                let words = [row, cell, *default, pair].map(|code| type_name(code, &read.weak));
                let problem =
                    format!("{}, but [pairs] has {} for {}", words[1], words[3], words[2]);
                return Err(in_cell(line_of(section, scalars, row), words[0], name, problem));
            }
        }
    }
    Ok(())
}

/// Several operands meet in one way: as weak types do, by rank, by knowledge, or else from left to
/// right. What a text says for another would not be looked at.
pub(crate) fn check_one_way(sections: &[Section<'_>], read: &Text) -> Result<(), TableError> {
    let weak = !read.weak.is_empty();
    let by_rank = read.zero_dim.is_some();
    let problem = if weak && by_rank {
        ("zero_dim", "[zero_dim] does not go with weak types")
    } else if weak && !read.order.is_empty() {
        ("pairs", "order: does not go with weak types")
    } else if by_rank && !read.order.is_empty() {
        ("pairs", "order: does not go with [zero_dim]")
    } else if (weak || by_rank) && !read.pairwise.is_empty() {
        ("scalars", "pairwise: goes with neither weak types nor [zero_dim]")
    } else {
        return Ok(());
    };
    let section = sections.iter().find(|section| section.name == problem.0);
    Err(at(section.map_or(1, |section| section.line), problem.1))
}

/// A dtype can be cast to itself under every rule.
pub(crate) fn check_reflexive(section: &Section<'_>, grid: &Grid) -> Result<(), TableError> {
    match grid.rows.iter().copied().find(|code| grid.cell(*code, *code) != Some(1)) {
        Some(code) => {
            let (name, line) = (NAMES[usize::from(code)], line_of(section, grid, code));
            Err(in_cell(line, name, name, "a dtype can be cast to itself under every rule"))
        }
        None => Ok(()),
    }
}

/// Whether the kinds that consist of others do.
pub(crate) fn check_categories(section: &Section<'_>, grid: &Grid) -> Result<(), TableError> {
    const WHOLES: [(Code, &[Code]); 2] = [(3, &[1, 2]), (6, &[1, 2, 4, 5])];
    for row in grid.rows.iter().copied() {
        for (whole, parts) in WHOLES {
            let Some(is) = grid.cell(row, whole) else { continue };
            let parts = parts.iter().map(|part| grid.cell(row, *part));
            let Some(part) = parts.into_iter().try_fold(0, |any, cell| Some(any | cell?)) else {
                continue;
            };
            if is != part {
                let problem = format!("{is}, but {part} by the kinds that it consists of");
                let (row_name, whole) = (NAMES[usize::from(row)], CATEGORIES[usize::from(whole)]);
                return Err(in_cell(line_of(section, grid, row), row_name, whole, problem));
            }
        }
    }
    Ok(())
}
