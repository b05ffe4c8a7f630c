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

#[cfg(feature = "serde")]
mod serde {
    use serde_json::{from_str, json, to_value};
    use simdcast::{ByteOrder, CastOptions, Overflow, Rounding};

    const SEED: u64 = u64::MAX - 2;

    #[test]
    fn options_are_a_struct_of_names() {
        for overflow in Overflow::ALL {
            for rounding in (0..7).map(|code| Rounding::from_code(code, SEED).unwrap()) {
                let options = CastOptions::new().overflow(overflow).rounding(rounding);
                let options = options.saturate(false).first_index(SEED - 1);
                // (The names are those that are parsed.)
                let named = match rounding {
                    Rounding::Stochastic { seed } => json!({"stochastic": {"seed": seed}}),
                    other => json!(other.name()),
                };
                let json = json!({
                    "overflow": overflow.name(),
                    "saturate": false,
                    "rounding": named,
                    "first_index": SEED - 1,
                });
                assert_eq!(to_value(options).unwrap(), json);
                assert_eq!(from_str::<CastOptions>(&json.to_string()).unwrap(), options);
            }
        }
    }

    #[test]
    fn what_is_left_out_has_its_default_and_what_is_not_known_is_refused() {
        let read = from_str::<CastOptions>;
        assert_eq!(read("{}").unwrap(), CastOptions::new());
        let saturate = CastOptions::new().saturate(false);
        assert_eq!(read(r#"{"saturate": false}"#).unwrap(), saturate);
        assert_eq!(read(r#"{"overflow": "AS"}"#).unwrap(), CastOptions::new());
        for (text, told) in [
            (r#"{"overflow": "clip"}"#, "overflow cannot be \"clip\": it is one of as, wrap"),
            (r#"{"overflow": 1}"#, "expected as, wrap, saturate, error"),
            (r#"{"rounding": "nearest"}"#, "`nearest_even`"),
            (r#"{"rounding": "stochastic"}"#, "expected struct variant"),
            (r#"{"seed": 1}"#, "unknown field `seed`"),
            (r#"{"saturate": 1}"#, "a boolean"),
            (r#"{"first_index": -1}"#, "u64"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn byte_orders_are_their_names() {
        for order in ByteOrder::ALL {
            let json = to_value(order).unwrap();
            assert_eq!(json, json!(order.name()));
            assert_eq!(from_str::<ByteOrder>(&json.to_string()).unwrap(), order);
        }
        let error = from_str::<ByteOrder>("\"middle\"").unwrap_err().to_string();
        assert!(error.starts_with("byte order cannot be \"middle\""), "{error}");
        assert!(from_str::<ByteOrder>("1").is_err());
    }
}
