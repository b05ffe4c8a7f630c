//! Options as text: their names, both ways, and as serde has them.

use simdcast::{BadOption, ByteOrder, CastError, OnnxRounding, Overflow};
use std::fmt::{Debug, Display};
use std::str::FromStr;

/// Every name is taken and shown, in any case; others are refused with all of them.
fn names<T>(option: &str, all: impl IntoIterator<Item = T>, names: &str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = BadOption>,
{
    let shown: Vec<String> = all
        .into_iter()
        .map(|value| {
            let name = value.to_string();
            assert_eq!(name.parse(), Ok(value));
            assert_eq!(name.to_uppercase().parse(), Ok(value));
            assert_eq!(format!("{value:>20}"), format!("{name:>20}"));
            name
        })
        .collect();
    assert_eq!(shown.join(", "), names);
    for none in ["", "none", &shown[0][1..], " as", "up\0"] {
        let bad = none.parse::<T>().unwrap_err();
        assert_eq!(bad.to_string(), format!("{option} cannot be {none:?}: it is one of {names}"));
        assert_eq!(CastError::from(bad.clone()), CastError::BadOption(bad));
    }
}

#[test]
fn names_go_both_ways() {
    names("overflow", Overflow::ALL, Overflow::NAMES);
    names("round_mode", OnnxRounding::ALL, OnnxRounding::NAMES);
    names("byte order", ByteOrder::ALL, ByteOrder::NAMES);
    assert_eq!(ByteOrder::ALL.map(|order| order as u8), [0, 1, 2]);
    assert_eq!(OnnxRounding::default().name(), "up");
    assert_eq!(ByteOrder::default().name(), "native");
}
