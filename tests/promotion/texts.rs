//! Users' own tables, and texts that are not as they must be: each is refused with its line, and the
//! cell if it is one. The build reads the crate's own texts by the same code.

use simdcast::promotion::{
    Casting, Category, Operand, Scalar, System, Table, TableError, Type, can_cast, isdtype, plan,
    resolve, resolve_all,
};
use simdcast::{CastOptions, DType};

/// Everything that a text can have. Its first line is line 1.
const GOOD: &str = "\
# A comment.
system: mine
title: My own rules
weak: num* float32

[pairs]
source: my own invention, version 1
commutative: yes
_        uint8    float16  float32  num*
uint8    uint8    float16  float32  num*
float16  float16  float16  -        float16
float32  float32  -        float32  float32
num*     num*     float16  float32  num*

[scalars]
source: my own invention, version 1
_        float
uint8    num*
float16  float16
float32  float32
num*     num*

[defaults]
source: my own invention, version 1
float  num*

[can_cast safe]
source: my own invention, version 1
_        uint8  float16  float32
uint8    1      1        1
float16  0      1        1
float32  0      0        1

[can_cast no]
source: my own invention, version 1
rule: identity

[can_cast default]
source: my own invention, version 1
rule: promotion

[isdtype]
source: my own invention, version 1
_        unsigned_integer  signed_integer  integral
uint8    1                 0               1
float16  0                 0               0

[aliases]
source: my own invention, version 1
byte  uint8
";

#[test]
fn a_users_own_table() {
    let mine = Table::parse(GOOD).unwrap();
    assert_eq!((mine.name(), mine.title()), ("mine", "My own rules"));
    let (byte, half, single) = (DType::UInt8, DType::Float16, DType::Float32);
    let number = Type::weak(single);
    assert_eq!(resolve(&mine, byte, half), Some(half));
    assert_eq!(resolve(&mine, half, single), None);
    assert_eq!(resolve(&mine, half, DType::Int8), None);
    assert_eq!(mine.meet(byte.into(), number), Some(number));
    assert_eq!(mine.meet_scalar(byte.into(), Scalar::Float), Some(number));
    assert_eq!(mine.meet_scalar(byte.into(), Scalar::Int), None);
    let operands = [Operand::from(Scalar::Float), byte.into(), half.into()];
    assert_eq!(resolve_all(&mine, &operands), Some(half.into()));
    assert_eq!(mine.default_type(Scalar::Float), Some(number));
    assert_eq!(mine.default_type(Scalar::Int), None);
    assert_eq!(mine.parse_alias("byte"), Some(byte));
    assert_eq!(mine.parse_alias("int8"), None);
    assert_eq!(can_cast(&mine, half, byte, Casting::Safe), Some(false));
    assert_eq!(can_cast(&mine, byte, half, Casting::Default), Some(true));
    assert_eq!(can_cast(&mine, byte, half, Casting::No), Some(false));
    assert_eq!(can_cast(&mine, byte, half, Casting::Unsafe), None);
    assert_eq!(isdtype(&mine, byte, Category::Integral), Some(true));
    assert_eq!(isdtype(&mine, single, Category::Integral), None);
    let error = plan(&mine, half, single, CastOptions::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "mine leaves undefined where float16, float32 meet; float16 meets uint8, float16, float32*; \
         float32 meets uint8, float32, float32*"
    );
}

#[test]
fn a_table_can_be_had_from_the_text_of_a_system() {
    for system in System::ALL {
        let file = format!("{}/src/promotion/{system}.txt", env!("CARGO_MANIFEST_DIR"));
        let table = Table::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
        let types: Vec<Type> = system.table().types().collect();
        assert_eq!(table.types().collect::<Vec<_>>(), types, "{system}");
        for a in &types {
            for b in &types {
                assert_eq!(table.meet(*a, *b), system.table().meet(*a, *b), "{system}: {a}, {b}");
            }
        }
    }
}

/// The error of the good text with one thing replaced.
fn refused(old: &str, new: &str) -> TableError {
    assert_eq!(GOOD.matches(old).count(), 1, "{old:?} stands in the text once");
    let text = GOOD.replace(old, new);
    Table::parse(&text).map(|_| ()).expect_err(&format!("{old:?} as {new:?} is accepted"))
}

fn check(old: &str, new: &str, expected: &str) {
    let error = refused(old, new).to_string();
    assert_eq!(error, expected, "{old:?} as {new:?}");
}

#[test]
fn an_unknown_dtype() {
    check(
        "uint8    uint8    float16  float32  num*\nfloat16",
        "uint8    uint8    float61  float32  num*\nfloat16",
        "line 10, row uint8, column float16: no dtype is called \"float61\"",
    );
    check(
        "_        uint8    float16",
        "_        uint8    half",
        "line 9: column: no dtype is called \"half\"",
    );
    check(
        "float32  float32  -  ",
        "f32      float32  -  ",
        "line 12: row: no dtype is called \"f32\"",
    );
    check("byte  uint8", "byte  u8", "line 50: no dtype is called \"u8\"");
    let error = refused("-        float16", "-        half   ");
    assert_eq!((error.line(), error.cell()), (11, Some(("float16", "num*"))));
    assert_eq!(error.problem(), "no dtype is called \"half\"");
}

#[test]
fn a_ragged_row() {
    check(
        "-        float16",
        "-               ",
        "line 11, row float16, column num*: the row has 3 cells, for 4 columns",
    );
    check(
        "-        float16",
        "-        float16 -",
        "line 11, row float16, column beyond the last: the row has 5 cells, for 4 columns",
    );
}

#[test]
fn a_hole_on_the_diagonal() {
    check(
        "float16  float16  float16  -  ",
        "float16  float16  -        -  ",
        "line 11, row float16, column float16: a hole on the diagonal; declare it as hole: float16",
    );
    let declared = GOOD
        .replace("float16  float16  float16  -  ", "float16  float16  -        -  ")
        .replace("commutative: yes", "commutative: yes\nhole: float16");
    let table = Table::parse(&declared).unwrap();
    assert_eq!(resolve(&table, DType::Float16, DType::Float16), None);
    check(
        "commutative: yes",
        "commutative: yes\nhole: float16",
        "line 12, row float16, column float16: declared a hole, and is none",
    );
    check("commutative: yes", "commutative: yes\nhole: int8", "line 6: hole: no row int8");
}

#[test]
fn another_dtype_on_the_diagonal() {
    check(
        "float16  float16  float16  -  ",
        "float16  float16  float32  -  ",
        "line 11, row float16, column float16: float16 with itself is float32, not itself",
    );
}

#[test]
fn a_table_that_is_not_commutative_as_declared() {
    check(
        "float16  float16  float16  -  ",
        "float16  uint8    float16  -  ",
        "line 10, row uint8, column float16: float16, but uint8 the other way round, in a table \
         declared commutative",
    );
    check(
        "commutative: yes",
        "commutative: no",
        "line 8: the table is commutative, declared not to be",
    );
    check(
        "commutative: yes",
        "commutative: maybe",
        "line 8: commutative: \"maybe\" is neither yes nor no",
    );
    check("commutative: yes\n", "", "line 6: \"commutative\" is missing in [pairs]");
    let other = GOOD
        .replace("float16  float16  float16  -  ", "float16  uint8    float16  -  ")
        .replace("commutative: yes", "commutative: no");
    let table = Table::parse(&other).unwrap();
    assert_eq!(resolve(&table, DType::Float16, DType::UInt8), Some(DType::UInt8));
    assert_eq!(resolve(&table, DType::UInt8, DType::Float16), Some(DType::Float16));
}

#[test]
fn weak_types() {
    check("weak: num* float32\n", "", "line 8: column: no weak type is declared as \"num*\"");
    check(
        "weak: num* float32",
        "weak: num float32",
        "line 4: \"num\" must end in * and be declared once",
    );
    check(
        "weak: num* float32",
        "weak: num*",
        "line 4: a weak type is declared by its name and a dtype",
    );
    check("weak: num* float32", "weak: num* f32", "line 4: no dtype is called \"f32\"");
    check(
        "weak: num* float32",
        "weak: num* float32\nweak: x* float64",
        "line 7: [pairs] has no row x*",
    );
    check(
        "weak: num* float32",
        "weak: num* float32\nweak: x* float32",
        "line 5: a second weak type of float32",
    );
    let text = GOOD.replace("num*     num*\n\n[defaults]", "num*     float16\n\n[defaults]");
    let error = Table::parse(&text).unwrap_err().to_string();
    let expected = "line 21, row num*, column float: float16, but [pairs] has num* for num*";
    assert_eq!(error, expected);
}

#[test]
fn scalars() {
    check(
        "_        float\n",
        "_        double\n",
        "line 17: column: no scalar is called \"double\"; it can be bool, int, float, complex",
    );
    check("float16  float16\n", "", "line 15: [scalars] has no row float16");
    check(
        "float16  float16\n",
        "int8  int8\nfloat16  float16\n",
        "line 19: [pairs] has no row int8",
    );
    check(
        "float  num*",
        "real  num*",
        "line 25: no scalar is called \"real\"; it can be bool, int, float, complex",
    );
    check("float  num*", "float  num*\nindex  num*", "line 26: no dtype is called \"num*\"");
    check("float  num*", "float", "line 25: a name and what it stands for, a line each");
}

#[test]
fn yes_and_no() {
    check(
        "uint8    1      1        1",
        "uint8    1      2        1",
        "line 30, row uint8, column float16: \"2\" is neither 1 (yes) nor 0 (no)",
    );
    check(
        "float32  0      0        1",
        "float32  0      0        0",
        "line 32, row float32, column float32: a dtype can be cast to itself under every rule",
    );
    check("float32  0      0        1\n", "", "line 27: column float32 has no row");
    check(
        "uint8    1                 0               1",
        "uint8    1                 0               0",
        "line 45, row uint8, column integral: 0, but 1 by the kinds that it consists of",
    );
    check(
        "rule: identity",
        "rule: any",
        "line 36: rule: \"any\" is neither identity nor promotion",
    );
    check(
        "[can_cast no]",
        "[can_cast never]",
        "line 34: no rule is called \"never\"; it can be default, no, equiv, safe, same_kind, unsafe, same_value",
    );
    check(
        "unsigned_integer  signed_integer  integral",
        "unsigned_integer  signed_integer  whole",
        "line 44: column: no kind is called \"whole\"; it can be bool, signed_integer, \
         unsigned_integer, integral, real_floating, complex_floating, numeric",
    );
}

#[test]
fn a_row_that_no_pair_has() {
    check(
        "_        uint8  float16  float32\nuint8    1      1        1\nfloat16  0      1        1\n\
         float32  0      0        1\n",
        "_     int8\nint8  1\n",
        "line 30: [pairs] has no row int8",
    );
    check(
        "float16  0                 0               0",
        "int8     0                 1               1",
        "line 46: [pairs] has no row int8",
    );
}

#[test]
fn zero_dim() {
    let with = |rows: &str| {
        let text = format!("{GOOD}\n[zero_dim]\nsource: my own invention, version 1\n{rows}");
        Table::parse(&text).map(|_| ()).unwrap_err().to_string()
    };
    let rows = "_ uint8 float16\nuint8 uint8 uint8\nfloat16 float16 float16\n";
    assert_eq!(with(rows), "line 52: [zero_dim] has no row float32");
    let rows =
        "_ uint8 float16 float32\nuint8 float16 - -\nfloat16 - float16 -\nfloat32 - - float32\n";
    assert_eq!(with(rows), "line 55, row uint8, column uint8: float16, but [pairs] has uint8");
    let rows = "_ uint8 float16\nuint8 uint8 uint8\nfloat16 float16 float16\nfloat32 - -\n";
    assert_eq!(with(rows), "line 57: the row has no column of its name");
}

#[test]
fn one_way_for_several_operands_to_meet() {
    let zero_dim = "\n[zero_dim]\nsource: my own invention, version 1\n_ uint8 float16 float32\n\
                    uint8 uint8 uint8 uint8\nfloat16 float16 float16 float16\n\
                    float32 float32 float32 float32\n";
    let refused = |text: &str| Table::parse(text).map(|_| ()).unwrap_err().to_string();
    let text = format!("{GOOD}{zero_dim}");
    assert_eq!(refused(&text), "line 52: [zero_dim] does not go with weak types");
    let order = "commutative: yes\norder: uint8 float16 float32";
    let not_weak = "line 6: order: does not go with weak types";
    assert_eq!(refused(&GOOD.replace("commutative: yes", order)), not_weak);
    let pairwise = "[scalars]\npairwise: uint8";
    let neither = "line 15: pairwise: goes with neither weak types nor [zero_dim]";
    assert_eq!(refused(&GOOD.replace("[scalars]", pairwise)), neither);
    let pairs = "system: x\ntitle: x\n[pairs]\nsource: x\ncommutative: yes\n\
                 order: uint8 float16 float32\n_ uint8 float16 float32\nuint8 uint8 - -\n\
                 float16 - float16 -\nfloat32 - - float32\n";
    assert!(Table::parse(pairs).is_ok());
    let text = format!("{pairs}{zero_dim}");
    assert_eq!(refused(&text), "line 3: order: does not go with [zero_dim]");
    assert!(Table::parse(&text.replace("order: uint8 float16 float32\n", "")).is_ok());
}

#[test]
fn what_is_there_twice() {
    check("[can_cast no]", "[can_cast safe]", "line 34: a second section [can_cast safe]");
    check("byte  uint8", "byte  uint8\nbyte  uint8", "line 51: byte stands there twice");
    check("title: My own rules", "title: x\ntitle: y", "line 4: \"title\" is stated twice");
    check(
        "_        uint8    float16",
        "_        uint8    uint8  ",
        "line 9: a second column uint8",
    );
    let row = "float16  float16  float16  -        float16\n";
    check(row, &row.repeat(2), "line 12: a second row float16");
    check(
        "commutative: yes",
        "commutative: yes\norder: uint8 uint8",
        "line 9: order: uint8 stands there twice",
    );
}

#[test]
fn order() {
    check(
        "commutative: yes",
        "commutative: yes\norder: uint8 float16",
        "line 9: order: float32 is missing",
    );
    let text = GOOD
        .replace("weak: num* float32\n", "")
        .replace("  num*\nuint8    uint8", "\nuint8    uint8");
    // The table without its weak type, and all that needs it.
    let (pairs, _) = text.split_once("\n[scalars]").unwrap();
    let mut lines: Vec<String> = pairs.lines().map(str::to_owned).collect();
    lines.pop();
    for line in &mut lines[8..] {
        *line = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    }
    let with = |order: &str| {
        let mut lines = lines.clone();
        lines.insert(7, format!("order: {order}"));
        Table::parse(&lines.join("\n")).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(with("uint8 float16 float32"), Ok(()));
    assert_eq!(with("uint8 float16 float32 int8"), Err("line 8: order: int8 has no row".into()));
}

#[test]
fn what_is_not_of_the_form() {
    check(
        "system: mine",
        "system: My Own",
        "line 2: \"My Own\" is not of lower-case letters, digits and _",
    );
    check("system: mine\n", "", "line 1: \"system\" is missing before the first section");
    check("title: My own rules\n", "", "line 1: \"title\" is missing before the first section");
    check(
        "title: My own rules",
        "name: x",
        "line 3: no property \"name\" here; it can be system, title, weak",
    );
    check(
        "title: My own rules",
        "title: x\nstray words",
        "line 4: \"stray words\" before the first section",
    );
    check("[isdtype]", "[isdtype", "line 42: \"[isdtype\" has no closing bracket");
    check("[isdtype]", "[is_dtype]", "line 42: no section is called [is_dtype]");
    check("[pairs]", "[couples]", "line 6: the first section must be [pairs]");
    check(
        "_        uint8    float16",
        "uint8    float16",
        "line 9: a grid starts with a line of _ and the columns",
    );
    check(
        "_        uint8  float16  float32\n",
        "x\n",
        "line 29: a grid starts with a line of _ and the columns",
    );
    assert_eq!(
        Table::parse("").map(|_| ()).unwrap_err().to_string(),
        "line 1: \"system\" is missing before the first section"
    );
    let only_head = "system: x\ntitle: x\n";
    assert_eq!(
        Table::parse(only_head).map(|_| ()).unwrap_err().to_string(),
        "line 1: the first section must be [pairs]"
    );
    let no_grid = "system: x\ntitle: x\n[pairs]\nsource: x\ncommutative: yes\n";
    assert_eq!(
        Table::parse(no_grid).map(|_| ()).unwrap_err().to_string(),
        "line 3: [pairs] has no grid"
    );
}

#[test]
fn a_source_is_missing() {
    let (before, after) = GOOD.split_once("source: my own invention, version 1\nbyte").unwrap();
    let error = Table::parse(&format!("{before}byte{after}")).unwrap_err();
    assert_eq!(error.to_string(), "line 48: \"source\" is missing in [aliases]");
    check("title: My own rules", "title:", "line 3: \"title\" is empty");
    let empty = "commutative: yes\norder:";
    check("commutative: yes", empty, "line 9: \"order\" is empty");
    let foreign = "[scalars]\npairwise: int8";
    check("[scalars]", foreign, "line 15: pairwise: int8 has no row");
}

#[test]
fn no_text_panics() {
    // Every prefix, and every line left out, repeated or cut in half.
    for end in 0..GOOD.len() {
        let _ = Table::parse(&GOOD[..end]);
    }
    let lines: Vec<&str> = GOOD.lines().collect();
    for i in 0..lines.len() {
        for replacement in
            [vec![], vec![lines[i]; 2], vec![&lines[i][..lines[i].len() / 2]], vec!["_"]]
        {
            let mut changed = lines.clone();
            changed.splice(i..=i, replacement);
            let _ = Table::parse(&changed.join("\n"));
        }
    }
}
