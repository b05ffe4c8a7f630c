//! Every cell of every grid against the text, by a reader of texts that shares nothing with the one
//! that made the tables.

use simdcast::DType;
use simdcast::promotion::{
    Casting, Category, Operand, Scalar, System, Type, can_cast, isdtype, resolve, resolve_all,
};
use std::path::Path;

/// The sections of a system's text: name, and lines of words.
fn sections(system: System) -> Vec<(String, Vec<Vec<String>>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/promotion");
    let file = folder.join(format!("{}.txt", system.name()));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut sections = vec![(String::new(), Vec::new())];
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match line.strip_prefix('[') {
            Some(name) => sections.push((name.trim_end_matches(']').to_owned(), Vec::new())),
            None => {
                let words = line.split_whitespace().map(str::to_owned).collect();
                sections.last_mut().unwrap().1.push(words);
            }
        }
    }
    sections
}

/// The types of a text's words.
struct Words(Vec<(String, DType)>);

impl Words {
    fn of(head: &[Vec<String>]) -> Self {
        let weak = head.iter().filter(|words| words[0] == "weak:");
        Self(weak.map(|words| (words[1].clone(), named(&words[2]))).collect())
    }

    fn read(&self, word: &str) -> Option<Type> {
        let weak = self.0.iter().find(|(name, _)| name == word);
        match weak {
            _ if word == "-" => None,
            Some((_, dtype)) => Some(Type::weak(*dtype)),
            None => Some(named(word).into()),
        }
    }
}

fn named(name: &str) -> DType {
    DType::ALL.into_iter().find(|d| d.name() == name).unwrap_or_else(|| panic!("{name}?"))
}

fn scalar(name: &str) -> Scalar {
    Scalar::ALL.into_iter().find(|s| s.name() == name).unwrap_or_else(|| panic!("{name}?"))
}

fn casting(name: &str) -> Casting {
    match name {
        "default" => Casting::Default,
        "no" => Casting::No,
        "equiv" => Casting::Equiv,
        "safe" => Casting::Safe,
        "same_kind" => Casting::SameKind,
        "unsafe" => Casting::Unsafe,
        "same_value" => Casting::SameValue,
        _ => panic!("{name}?"),
    }
}

fn category(name: &str) -> Category {
    match name {
        "bool" => Category::Bool,
        "signed_integer" => Category::SignedInteger,
        "unsigned_integer" => Category::UnsignedInteger,
        "integral" => Category::Integral,
        "real_floating" => Category::RealFloating,
        "complex_floating" => Category::ComplexFloating,
        "numeric" => Category::Numeric,
        _ => panic!("{name}?"),
    }
}

/// Calls for every cell with the row, the column and the cell.
fn cells(lines: &[Vec<String>], mut each: impl FnMut(&str, &str, &str)) -> usize {
    let start = lines.iter().position(|words| words[0] == "_").expect("a grid");
    let heads = &lines[start][1..];
    let rows = &lines[start + 1..];
    for words in rows {
        assert_eq!(words.len(), heads.len() + 1, "{}", words[0]);
        for (head, cell) in heads.iter().zip(&words[1..]) {
            each(&words[0], head, cell);
        }
    }
    rows.len() * heads.len()
}

fn pairs(system: System, words: &Words, lines: &[Vec<String>]) -> usize {
    cells(lines, |row, column, cell| {
        let (a, b) = (words.read(row).unwrap(), words.read(column).unwrap());
        let common = words.read(cell);
        assert_eq!(system.table().meet(a, b), common, "{system}: {row}, {column}");
        assert_eq!(resolve_all(system, &[a.into(), b.into()]), common, "{system}: {row}, {column}");
        if !a.weak && !b.weak {
            let dtype = common.map(|t| t.dtype);
            assert_eq!(resolve(system, a.dtype, b.dtype), dtype, "{system}: {row}, {column}");
        }
    })
}

fn scalars(system: System, words: &Words, lines: &[Vec<String>]) -> usize {
    cells(lines, |row, column, cell| {
        let (a, s) = (words.read(row).unwrap(), scalar(column));
        let common = words.read(cell);
        assert_eq!(system.table().meet_scalar(a, s), common, "{system}: {row}, {column}");
        for operands in [[a.into(), s.into()], [s.into(), a.into()]] {
            assert_eq!(resolve_all(system, &operands), common, "{system}: {row}, {column}");
        }
    })
}

fn zero_dim(system: System, words: &Words, lines: &[Vec<String>]) -> usize {
    cells(lines, |row, column, cell| {
        let (a, b) = (words.read(row).unwrap(), words.read(column).unwrap());
        let common = words.read(cell);
        assert_eq!(system.table().meet_zero_dim(a, b), common, "{system}: {row}, {column}");
        let operands = [Operand::ZeroDim(b), Operand::Tensor(a)];
        assert_eq!(resolve_all(system, &operands), common, "{system}: {row}, {column}");
    })
}

fn can_casts(system: System, kind: &str, lines: &[Vec<String>]) -> usize {
    let check = |from: &str, to: &str, yes: bool| {
        let (a, b, casting) = (named(from), named(to), casting(kind));
        assert_eq!(can_cast(system, a, b, casting), Some(yes), "{system}: {from}, {to}, {kind}");
    };
    match lines.iter().find(|words| words[0] == "rule:") {
        None => cells(lines, |row, column, cell| check(row, column, cell == "1")),
        Some(rule) => {
            let listed = || system.table().types().filter(|t| !t.weak).map(|t| t.dtype);
            for (a, b) in listed().flat_map(|a| listed().map(move |b| (a, b))) {
                let yes = match rule[1].as_str() {
                    "identity" => a == b,
                    "promotion" => resolve(system, a, b) == Some(b),
                    other => panic!("{other}?"),
                };
                check(a.name(), b.name(), yes);
            }
            listed().count() * listed().count()
        }
    }
}

fn kinds(system: System, lines: &[Vec<String>]) -> usize {
    cells(lines, |row, column, cell| {
        let is = isdtype(system, named(row), category(column));
        assert_eq!(is, Some(cell == "1"), "{system}: {row}, {column}");
    })
}

fn lists(system: System, words: &Words, name: &str, lines: &[Vec<String>]) -> usize {
    let entries = lines.iter().filter(|words| words[0] != "source:");
    let check = |entry: &Vec<String>| {
        let (given, value) = (entry[0].as_str(), words.read(&entry[1]));
        let found = match name {
            "defaults" if given == "index" => system.table().index_dtype().map(Type::from),
            "defaults" => system.default_type(scalar(given)),
            _ => system.parse_alias(given).map(Type::from),
        };
        assert_eq!(found, value, "{system}: {given}");
    };
    entries.map(check).count()
}

/// How many cells and entries a system has.
fn checked(system: System) -> usize {
    let sections = sections(system);
    let words = Words::of(&sections[0].1);
    let count = sections[1..].iter().map(|(name, lines)| match name.as_str() {
        "pairs" => pairs(system, &words, lines),
        "scalars" => scalars(system, &words, lines),
        "zero_dim" => zero_dim(system, &words, lines),
        "isdtype" => kinds(system, lines),
        "defaults" | "aliases" => lists(system, &words, name, lines),
        name => can_casts(system, name.strip_prefix("can_cast ").expect("a section"), lines),
    });
    count.sum()
}

#[test]
fn every_cell_of_every_table_is_as_its_text_has_it() {
    let counted = System::ALL.map(|system| (system.name(), checked(system)));
    for (system, cells) in counted {
        println!("{system}: {cells} cells");
    }
    let expected = [
        ("array_api", 481),
        ("numpy", 8388),
        ("mindspore", 307),
        ("megengine", 111),
        ("megengine_elementwise", 100),
        ("torch", 1693),
        ("jax", 1603),
        ("jax_x32", 1603),
        ("jax_strict", 1603),
        ("tensorflow_all", 487),
        ("tensorflow_safe", 487),
    ];
    assert_eq!(counted, expected);
}

#[test]
fn every_section_names_its_source() {
    for system in System::ALL {
        let sources = system.table().sources();
        assert_eq!(sources[0].0, "pairs");
        assert!(sources.iter().all(|(_, source)| source.len() > 10), "{system}: {sources:?}");
        let sections = sections(system);
        assert_eq!(sources.len(), sections.len() - 1, "{system}");
    }
}
