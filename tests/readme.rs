//! The README's tables against the code. Its examples are tests of their own, in the library's docs.

use simdcast::promotion::System;
use simdcast::{Cast, CastOptions, DType, Overflow, Road, isa};

/// The words in backticks in a column of the table whose heading begins so.
fn column(heading: &str, column: usize) -> Vec<&'static str> {
    const README: &str = include_str!("../README.md");
    let mut tables = README.lines().skip_while(|line| !line.starts_with(heading)).peekable();
    assert!(tables.peek().is_some(), "no table {heading}");
    // (After the heading there is a line between it and the rows.)
    let rows = tables.skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(column));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_table_of_dtypes_lists_each_once() {
    let mut listed = column("| family | dtypes |", 2);
    let mut dtypes = DType::ALL.map(DType::name);
    listed.sort_unstable();
    dtypes.sort_unstable();
    assert_eq!(listed, dtypes);
}

#[test]
fn the_table_of_instruction_sets_lists_those_of_this_build() {
    let listed = column("| name | family |", 1);
    let families = column("| name | family |", 2);
    for level in isa::levels() {
        assert!(listed.contains(&level.name()), "{} is not in {listed:?}", level.name());
        let family = level.family();
        let told = family == level.name() || families.contains(&family);
        assert!(told, "the family {family} is not in {families:?}");
    }
}

#[test]
fn the_table_of_promotion_lists_each_system_once() {
    let (names, variants) = (column("| name | `System` |", 1), column("| name | `System` |", 2));
    assert_eq!(names.len(), variants.len());
    let listed: Vec<_> = names.into_iter().zip(variants).collect();
    let systems = System::ALL.map(|system| (system.name(), format!("{system:?}")));
    for (name, variant) in &systems {
        assert!(listed.contains(&(name, variant)), "{name}, {variant} is not in {listed:?}");
    }
    assert_eq!(listed.len(), systems.len(), "{listed:?}");
}

#[test]
fn the_table_of_roads_lists_each_once() {
    let mut listed = column("| road |", 1);
    listed.sort_unstable();
    let roads = [Road::Components, Road::Copy, Road::Direct, Road::Fused, Road::Table, Road::Tile];
    assert_eq!(listed, roads.map(Road::name));
    for (from, to) in DType::ALL.into_iter().flat_map(|from| DType::ALL.map(|to| (from, to))) {
        for overflow in Overflow::ALL {
            let options = CastOptions::new().overflow(overflow);
            let road = Cast::new(from, to, options).unwrap().road();
            assert!(roads.contains(&road), "{from} -> {to}: {road}");
        }
    }
}
