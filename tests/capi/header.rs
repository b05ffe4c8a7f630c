//! The header against the code: C compilers read the one, and these tests the other.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;

const HEADER: &str = include_str!("../../include/simdcast.h");
const SOURCES: [&str; 3] = [
    include_str!("../../src/capi.rs"),
    include_str!("../../src/capi/dtypes.rs"),
    include_str!("../../src/capi/failure.rs"),
];

/// The dtypes by code. These never change: what is added comes last.
const DTYPES: [&str; 44] = [
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

/// The other constants. These never change either.
const CONSTANTS: [(&str, i64); 45] = [
    ("ABI_VERSION", 1),
    ("OK", 0),
    ("ERROR_NULL", 1),
    ("ERROR_DTYPE", 2),
    ("ERROR_LENGTH", 3),
    ("ERROR_OVERLAP", 4),
    ("ERROR_OPTION", 5),
    ("ERROR_UNFIT", 6),
    ("ERROR_CHANGED", 7),
    ("ERROR_ISA", 8),
    ("ERROR_LAYOUT", 9),
    ("ERROR_SYSTEM", 10),
    ("ERROR_UNDEFINED", 11),
    ("ERROR_INTERNAL", 12),
    ("BIG_ENDIAN", 0x100),
    ("LITTLE_ENDIAN", 0x200),
    ("KIND_BOOL", 0),
    ("KIND_INT", 1),
    ("KIND_UINT", 2),
    ("KIND_FLOAT", 3),
    ("KIND_COMPLEX", 4),
    ("DLPACK_NONE", 255),
    ("OVERFLOW_AS", 0),
    ("OVERFLOW_WRAP", 1),
    ("OVERFLOW_SATURATE", 2),
    ("OVERFLOW_ERROR", 3),
    ("ROUNDING_DEFAULT", 0),
    ("ROUNDING_TOWARD_ZERO", 1),
    ("ROUNDING_UP", 2),
    ("ROUNDING_DOWN", 3),
    ("ROUNDING_NEAREST_AWAY", 4),
    ("ROUNDING_STOCHASTIC", 5),
    ("ROUNDING_NEAREST_EVEN", 6),
    ("SCALAR_BOOL", 0x1000),
    ("SCALAR_INT", 0x1001),
    ("SCALAR_FLOAT", 0x1002),
    ("SCALAR_COMPLEX", 0x1003),
    ("ZERO_DIM", 0x2000),
    ("CASTING_DEFAULT", 0),
    ("CASTING_NO", 1),
    ("CASTING_EQUIV", 2),
    ("CASTING_SAFE", 3),
    ("CASTING_SAME_KIND", 4),
    ("CASTING_UNSAFE", 5),
    ("CASTING_SAME_VALUE", 6),
];

/// What Rust calls them by.
#[test]
fn the_constants_are_those_of_the_code() {
    use simdcast::promotion::Casting;
    for (code, name) in DTYPES.into_iter().enumerate() {
        assert_eq!(DType::from_code(code as u8).map(DType::name), Some(name));
    }
    let constant = |name: &str| CONSTANTS.iter().find(|(known, _)| *known == name).unwrap().1;
    let statuses = [
        ("OK", Status::Ok),
        ("ERROR_NULL", Status::Null),
        ("ERROR_DTYPE", Status::DType),
        ("ERROR_LENGTH", Status::Length),
        ("ERROR_OVERLAP", Status::Overlap),
        ("ERROR_OPTION", Status::Option),
        ("ERROR_UNFIT", Status::Unfit),
        ("ERROR_CHANGED", Status::Changed),
        ("ERROR_ISA", Status::Isa),
        ("ERROR_LAYOUT", Status::Layout),
        ("ERROR_SYSTEM", Status::System),
        ("ERROR_UNDEFINED", Status::Undefined),
        ("ERROR_INTERNAL", Status::Internal),
    ];
    for (name, status) in statuses {
        assert_eq!(constant(name), status as i64, "{name}");
    }
    assert_eq!(constant("ABI_VERSION"), i64::from(ABI_VERSION));
    for (name, overflow) in [
        ("OVERFLOW_AS", Overflow::As),
        ("OVERFLOW_WRAP", Overflow::Wrap),
        ("OVERFLOW_SATURATE", Overflow::Saturate),
        ("OVERFLOW_ERROR", Overflow::Error),
    ] {
        assert_eq!(Overflow::from_code(constant(name) as u8), Some(overflow));
    }
    for (name, rounding) in [
        ("ROUNDING_DEFAULT", Rounding::Default),
        ("ROUNDING_TOWARD_ZERO", Rounding::TowardZero),
        ("ROUNDING_UP", Rounding::Up),
        ("ROUNDING_DOWN", Rounding::Down),
        ("ROUNDING_NEAREST_AWAY", Rounding::NearestAway),
        ("ROUNDING_STOCHASTIC", Rounding::Stochastic { seed: 0 }),
        ("ROUNDING_NEAREST_EVEN", Rounding::NearestEven),
    ] {
        assert_eq!(Rounding::from_code(constant(name) as u8, 0), Some(rounding));
    }
    for (name, scalar) in ["BOOL", "INT", "FLOAT", "COMPLEX"].into_iter().zip(Scalar::ALL) {
        assert_eq!(constant(&format!("SCALAR_{name}")), 0x1000 + scalar as i64);
    }
    for (name, casting) in [
        ("CASTING_DEFAULT", Casting::Default),
        ("CASTING_NO", Casting::No),
        ("CASTING_EQUIV", Casting::Equiv),
        ("CASTING_SAFE", Casting::Safe),
        ("CASTING_SAME_KIND", Casting::SameKind),
        ("CASTING_UNSAFE", Casting::Unsafe),
        ("CASTING_SAME_VALUE", Casting::SameValue),
    ] {
        assert_eq!(constant(name), casting as i64, "{name}");
    }
}

/// The functions of the code, as C declares them.
fn functions() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for source in SOURCES {
        for rest in source.split("extern \"C\" fn ").skip(1) {
            let (name, rest) = rest.split_once('(').expect("arguments");
            let (arguments, rest) = rest.split_once(')').expect("arguments end");
            let result = rest.split_once('{').expect("a body").0.trim();
            let result = result.strip_prefix("->").map_or("void".to_owned(), |ty| in_c(ty.trim()));
            let arguments = arguments.split(',').map(str::trim).filter(|text| !text.is_empty());
            let arguments: Vec<_> = arguments
                .map(|text| in_c(text.split_once(':').expect("a type").1.trim()))
                .collect();
            let arguments =
                if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
            let before = found.insert(name.to_owned(), format!("{result} {name}({arguments});"));
            assert_eq!(before, None, "{name} is there twice");
        }
    }
    found
}

/// A type as C has it.
fn in_c(ty: &str) -> String {
    if let Some(to) = ty.strip_prefix("*const ") {
        return format!("const {} *", in_c(to));
    } else if let Some(to) = ty.strip_prefix("*mut ") {
        return format!("{} *", in_c(to));
    }
    let plain = match ty {
        "i32" => "int32_t",
        "u32" => "uint32_t",
        "u16" => "uint16_t",
        "u8" => "uint8_t",
        "usize" => "size_t",
        "isize" => "ptrdiff_t",
        "c_void" => "void",
        "c_char" => "char",
        other if other.starts_with("simdcast_") => other,
        other => panic!("what is {other} in C?"),
    };
    plain.to_owned()
}

/// The header without its comments.
fn code_of_the_header() -> String {
    let mut code = String::new();
    let mut rest = HEADER;
    while let Some((before, after)) = rest.split_once("/*") {
        code += before;
        rest = after.split_once("*/").expect("a comment ends").1;
    }
    code + rest
}

/// The names in the header that something is said of, `pick`ed from the text after them.
fn names(code: &str, pick: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("simdcast_") {
        let name: String = code[at..].chars().take_while(|&c| is_part(c)).collect();
        if pick(&code[at + name.len()..]) {
            found.insert(name);
        }
    }
    found
}

#[test]
fn the_header_declares_what_the_code_has() {
    let declared = names(&code_of_the_header(), |after| after.starts_with('('));
    let defined: BTreeSet<_> = functions().into_keys().collect();
    assert_eq!(declared, defined);
}

fn defined() -> Vec<String> {
    let code = code_of_the_header();
    let lines = code.lines().filter_map(|line| line.strip_prefix("#define SIMDCAST_"));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| !["H", "OPTIONS_DEFAULT"].contains(name)).map(str::to_owned).collect()
}

#[test]
fn the_header_defines_what_the_code_has() {
    let upper = DTYPES.map(str::to_uppercase);
    let mut expected: Vec<_> = CONSTANTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    expected.extend(upper);
    let mut found = defined();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

/// A program that prints what a compiler makes of the header, after declaring every function again as the
/// code has it: declarations that differ end the compilation.
fn program() -> String {
    let mut text = String::from("#include \"simdcast.h\"\n#include <stdio.h>\n");
    text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for declaration in functions().values() {
        text += declaration;
        text.push('\n');
    }
    text += "#ifdef __cplusplus\n}\n#endif\n";
    text += "int main(void) {\n  const simdcast_options o = SIMDCAST_OPTIONS_DEFAULT;\n";
    for name in defined() {
        writeln!(text, "  printf(\"{name} %ld\\n\", (long)SIMDCAST_{name});").unwrap();
    }
    for (name, fields) in [("options", &OPTIONS[..]), ("dtype_info", &INFO[..])] {
        writeln!(text, "  printf(\"{name} %zu\\n\", sizeof(simdcast_{name}));").unwrap();
        for (field, ..) in fields {
            let of = format!("offsetof(simdcast_{name}, {field})");
            let size = format!("sizeof(((simdcast_{name} *)0)->{field})");
            writeln!(text, "  printf(\"{name}.{field} %zu %zu\\n\", {of}, {size});").unwrap();
        }
    }
    for (field, ..) in OPTIONS {
        writeln!(text, "  printf(\"default.{field} %lu\\n\", (unsigned long)o.{field});").unwrap();
    }
    text + "  return 0;\n}\n"
}

macro_rules! fields {
    ($struct:ident: $($field:ident)*) => {
        [$((
            stringify!($field),
            offset_of!($struct, $field),
            {
                const fn size<T>(_: fn(&$struct) -> &T) -> usize {
                    size_of::<T>()
                }
                size(|value| &value.$field)
            },
        )),*]
    };
}

const OPTIONS: [(&str, usize, usize); 9] = fields! {
    simdcast_options: size overflow saturate rounding reserved seed first_index threads reserved2
};
const INFO: [(&str, usize, usize); 10] = fields! {
    simdcast_dtype_info:
        size kind bits significant_bits packed dlpack_code dlpack_bits dlpack_lanes dlpack_padded reserved
};

/// What the program prints if the header is as it must be.
fn expected() -> String {
    let mut text = String::new();
    for name in defined() {
        let value = CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let value = value.or_else(|| {
            DTYPES.iter().position(|dtype| dtype.to_uppercase() == name).map(|i| i as i64)
        });
        writeln!(text, "{name} {}", value.expect("a known constant")).unwrap();
    }
    let structs = [
        ("options", size_of::<simdcast_options>(), &OPTIONS[..]),
        ("dtype_info", size_of::<simdcast_dtype_info>(), &INFO[..]),
    ];
    for (name, size, fields) in structs {
        writeln!(text, "{name} {size}").unwrap();
        for (field, offset, size) in fields {
            writeln!(text, "{name}.{field} {offset} {size}").unwrap();
        }
    }
    let simdcast_options {
        size,
        overflow,
        saturate,
        rounding,
        reserved,
        seed,
        first_index,
        threads,
        reserved2,
    } = simdcast_options::default();
    let codes = [overflow, saturate, rounding, reserved].map(u64::from);
    let values = [[u64::from(size)].as_slice(), &codes, &[seed, first_index]].concat();
    let values = values.into_iter().chain([threads, reserved2].map(u64::from));
    for ((field, ..), value) in OPTIONS.iter().zip(values) {
        writeln!(text, "default.{field} {value}").unwrap();
    }
    text
}

/// Compiles the program and runs it; None if there is no such compiler here.
fn compiled(compiler: &str, extension: &str, standard: &str) -> Option<String> {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let source = place.join(format!("header.{extension}"));
    let binary = place.join(format!("header-{extension}"));
    std::fs::write(&source, program()).expect("a place for the program");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let done = Command::new(compiler)
        .args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"])
        .args([&include, &source])
        .arg("-o")
        .arg(&binary)
        .output()
        .ok()?;
    assert!(done.status.success(), "{compiler}: {}", String::from_utf8_lossy(&done.stderr));
    let ran = Command::new(&binary).output().expect("the program runs");
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn compilers_read_the_header_as_the_code_is() {
    for (compiler, extension, standard) in [("cc", "c", "-std=c99"), ("c++", "cpp", "-std=c++11")] {
        match compiled(compiler, extension, standard) {
            Some(found) => assert_eq!(found, expected(), "{compiler}"),
            None => {
                // (What `println!` prints of a test that passes is kept from all.)
                let said = format!("NOT TESTED: THE HEADER WITH {compiler}, WHICH IS NOT HERE");
                let _ = writeln!(std::io::stderr(), "{said}");
            }
        }
    }
}
