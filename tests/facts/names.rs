//! Names, codes and sizes of the dtypes: what files and C callers hold must not move.

use crate::support::dtypes::{ROWS, component, is_complex, packed_of, width};
use simdcast_kernels::{DType, UnknownCode, UnknownDType};

#[test]
fn the_44_codes_and_names_are_fixed() {
    assert_eq!(DType::COUNT, 44);
    assert_eq!(DType::ALL.len(), 44);
    for (place, row) in ROWS.iter().enumerate() {
        assert_eq!(usize::from(row.code), place);
        assert_eq!(DType::ALL[place], row.dtype, "code {place}");
        assert_eq!(row.dtype.code(), row.code, "{}", row.name);
        assert_eq!(row.dtype as u8, row.code, "{}", row.name);
        assert_eq!(DType::from_code(row.code), Some(row.dtype));
        assert_eq!(DType::try_from(row.code), Ok(row.dtype));
        assert_eq!(row.dtype.name(), row.name, "code {place}");
        assert_eq!(row.dtype.to_string(), row.name);
    }
    for code in 44..=u8::MAX {
        assert_eq!(DType::from_code(code), None, "code {code}");
        let unknown = DType::try_from(code).unwrap_err();
        assert_eq!(unknown, UnknownCode { code });
        assert_eq!(unknown.to_string(), format!("no dtype has the code {code}; known: 0 to 43"));
    }
}

fn in_every_case(name: &str) -> [String; 4] {
    let alternate = |first: bool| {
        let letters = name.chars().enumerate().map(move |(i, c)| {
            if (i % 2 == 0) == first { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
        });
        letters.collect()
    };
    [name.to_ascii_lowercase(), name.to_ascii_uppercase(), alternate(true), alternate(false)]
}

#[test]
fn names_and_aliases_are_parsed_in_any_case() {
    for dtype in DType::ALL {
        for known in dtype.aliases().iter().chain([&dtype.name()]) {
            for written in in_every_case(known) {
                assert_eq!(DType::parse(&written), Some(dtype), "{written}");
                assert_eq!(written.parse(), Ok(dtype), "{written}");
            }
        }
    }
}

#[test]
fn an_alias_means_one_dtype() {
    let mut known: Vec<(String, DType)> = Vec::new();
    for dtype in DType::ALL {
        for name in dtype.aliases().iter().chain([&dtype.name()]) {
            let lower = name.to_ascii_lowercase();
            if let Some((_, other)) = known.iter().find(|(known, _)| *known == lower) {
                panic!("{name} is {dtype} and {other}");
            }
            known.push((lower, dtype));
        }
    }
    // Not one dtype wherever they are used: Rust's and NumPy's i8, C's and Python's float, ...
    for ambiguous in [
        "float", "int", "uint", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "f16",
        "complex", "byte", "long", "ulong", "f8E4M3", "F8_E4M3",
    ] {
        assert_eq!(DType::parse(ambiguous), None, "{ambiguous}");
        // What is nearest would be a guess.
        let error = ambiguous.parse::<DType>().unwrap_err().to_string();
        let start = format!("the name {ambiguous:?} is not taken: it is ");
        assert!(error.starts_with(&start) && !error.contains("nearest"), "{error}");
    }
}

#[test]
fn other_names_are_refused_with_the_nearest() {
    for wrong in
        ["", " int8", "int8 ", "int_8", "float8", "float8_e4m3fn_x2", "\u{ff49}nt8", "int8\0"]
    {
        assert_eq!(DType::parse(wrong), None, "{wrong:?}");
        let nearest = DType::nearest(wrong);
        let error = UnknownDType { name: wrong.into(), nearest };
        assert!(error.to_string().contains(nearest.name()));
        assert_eq!(wrong.parse::<DType>(), Err(error));
    }
    for (wrong, nearest) in [
        ("uint8_t", DType::UInt8),
        ("flaot32", DType::Float32),
        ("bfloat_16", DType::BFloat16),
        ("FLOAT8_E5M2FNUZZ", DType::Float8E5M2Fnuz),
        ("float6_e3m2fn_x8", DType::Float6E3M2FnX4),
        ("complex-128", DType::Complex128),
    ] {
        assert_eq!(DType::nearest(wrong), nearest, "{wrong}");
    }
    // Whatever the text is, there is an answer.
    DType::nearest(&"\u{1f980}".repeat(10_000));
}

/// Levenshtein's distance by the textbook, letters' case aside.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_ascii_lowercase().into_bytes(), b.to_ascii_lowercase().into_bytes());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
            };
        }
    }
    table[a.len()][b.len()]
}

#[test]
fn the_nearest_name_is_the_one_of_fewest_edits() {
    let fewest = |wrong: &str, dtype: DType| {
        let names = dtype.aliases().iter().copied().chain([dtype.name()]);
        names.map(|name| distance(wrong, name)).min().expect("a name")
    };
    for row in &ROWS {
        for at in 0..row.name.len() {
            let (head, tail) = row.name.split_at(at);
            for wrong in
                [format!("{head}{}", &tail[1..]), format!("{head}Q{tail}"), head.to_owned()]
            {
                let least = DType::ALL.into_iter().map(|d| fewest(&wrong, d)).min().expect("44");
                assert_eq!(fewest(&wrong, DType::nearest(&wrong)), least, "{wrong}");
            }
        }
    }
}

#[test]
fn bytes_are_the_bits_of_all_elements_rounded_up() {
    for row in &ROWS {
        for n in (0..70).chain([1000, 4097, usize::MAX / 64, usize::MAX / 16, usize::MAX]) {
            let wanted = (n as u128 * row.stride as u128).div_ceil(8);
            assert_eq!(row.dtype.bytes_for(n), usize::try_from(wanted).ok(), "{n} of {}", row.name);
        }
        assert_eq!(row.dtype.bits(), row.stride, "{}", row.name);
    }
    for dtype in [DType::Float6E2M3FnX4, DType::Float6E3M2FnX4] {
        assert_eq!([1, 2, 3, 4].map(|n| dtype.bytes_for(n)), [1, 2, 3, 3].map(Some), "{dtype}");
    }
    assert_eq!(DType::Float64.bytes_for(usize::MAX), None);
    assert_eq!(DType::UInt8.bytes_for(usize::MAX), Some(usize::MAX));
    assert_eq!(DType::Bool1x8.bytes_for(usize::MAX), Some(usize::MAX / 8 + 1));
}

#[test]
fn layouts_are_those_of_the_table() {
    for row in &ROWS {
        let dtype = row.dtype;
        assert_eq!(dtype.significant_bits(), width(dtype) as usize, "{dtype}");
        assert_eq!(dtype.component(), component(dtype), "{dtype}");
        assert_eq!(dtype.is_complex(), is_complex(dtype), "{dtype}");
        let packed = row.stride < 8;
        assert_eq!(dtype.is_packed(), packed, "{dtype}");
        assert_eq!(dtype.size(), (!packed).then_some(row.stride / 8), "{dtype}");
        assert_eq!(dtype.logical(), if packed { component(dtype) } else { dtype }, "{dtype}");
        assert!(!packed || packed_of(component(dtype)) == Some(dtype), "{dtype}");
    }
}
