//! The README's tables against the code. Its examples are tests of their own, in the library's docs.

use simdcast::{DType, isa};

/// The words in backticks in a column of the table in a section.
fn column(section: &str, column: usize) -> Vec<&'static str> {
    const README: &str = include_str!("../README.md");
    let title = format!("\n## {section}\n");
    let (_, text) = README.split_once(&title).unwrap_or_else(|| panic!("no section {section}"));
    let text = text.split("\n## ").next().unwrap_or(text);
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(column));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_table_of_dtypes_lists_each_once() {
    let mut listed = column("Dtypes", 2);
    let mut dtypes = DType::ALL.map(DType::name);
    listed.sort_unstable();
    dtypes.sort_unstable();
    assert_eq!(listed, dtypes);
}

#[test]
fn the_table_of_instruction_sets_lists_those_of_this_build() {
    let listed = column("Instruction sets", 1);
    let families = column("Instruction sets", 2);
    for level in isa::levels() {
        assert!(listed.contains(&level.name()), "{} is not in {listed:?}", level.name());
        let family = level.family();
        let told = family == level.name() || families.contains(&family);
        assert!(told, "the family {family} is not in {families:?}");
    }
}
