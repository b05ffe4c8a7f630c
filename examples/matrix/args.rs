//! The command line.

use simdcast::isa::{self, Level};
use simdcast::{CastOptions, DType};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Times casts between dtypes against memcpy, and says which kernel does them.

Usage: cargo run --release --example matrix -- [options]

  --pairs FROM:TO[,FROM:TO...]  the pairs; a side is a dtype's name or alias, or * for all
                                (default: *:*)
  --sizes N[,N...]              numbers of elements (default: 65536)
  --offset BYTES                how far both buffers of the cast, not those of memcpy, are from
                                the alignment of cache lines, 0 to 63 (default: 0)
  --isa NAME[,NAME...] | all    instruction sets (default: the one in use)
  --overflow NAME               as, wrap, saturate, error (default: as)
  --saturate yes | no           whether 8-bit floats clamp (default: yes)
  --rounding NAME               default, toward_zero, up, down, nearest_away, stochastic,
                                nearest_even (default: default)
  --seed N                      of stochastic rounding (default: 0)
  --against-default             times each option, where it makes a difference, against the default
                                ones instead; takes no --overflow, --saturate or --rounding
  --csv FILE                    writes every measurement to FILE, too
  --help                        this text

Up to 100 pairs are listed one by one. More make a table of ratios, a row per source and a
column per destination; all 44 columns take 194 characters, or blocks that fit if the
environment variable COLUMNS is set. NO_COLOR turns the colours off.
";

/// More elements than these are no question of casts but of memory.
const MOST: usize = 1 << 28;

/// What is asked for.
pub(crate) enum Request {
    Help,
    Measure(Args),
}

/// What is to be measured.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) pairs: Vec<(DType, DType)>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) offset: usize,
    pub(crate) levels: Vec<&'static Level>,
    pub(crate) options: CastOptions,
    pub(crate) seed: u64,
    /// Whether to compare all options with the default ones.
    pub(crate) against_default: bool,
    pub(crate) csv: Option<PathBuf>,
}

/// Understands the arguments after the program's name. The last of a repeated option counts.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut args = args.into_iter().map(|arg| {
        arg.into_string().map_err(|arg| format!("{} is not Unicode", arg.to_string_lossy()))
    });
    let (mut pairs, mut sizes, mut levels, mut csv) = (None, None, None, None);
    let (mut overflow, mut rounding) = ("as".to_owned(), "default".to_owned());
    let (mut saturate, mut seed, mut offset) = (true, 0, 0);
    let (mut against_default, mut chosen) = (false, None);
    while let Some(arg) = args.next() {
        let arg = arg?;
        let (name, inline) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (arg.as_str(), None),
        };
        if name == "--help" || name == "-h" {
            return Ok(Request::Help);
        }
        if arg == "--against-default" {
            against_default = true;
            continue;
        }
        check_option(name)?;
        if ["--overflow", "--saturate", "--rounding"].contains(&name) {
            chosen = Some(name.to_owned());
        }
        let value = match inline {
            Some(value) => value,
            None => args.next().unwrap_or_else(|| Err(format!("{name} needs a value")))?,
        };
        match name {
            "--pairs" => pairs = Some(parse_pairs(&value)?),
            "--sizes" => sizes = Some(list(&value, parse_size)?),
            "--offset" => offset = parse_offset(&value)?,
            "--isa" => levels = Some(parse_levels(&value)?),
            "--overflow" => overflow = value,
            "--saturate" => saturate = parse_yes_no(name, &value)?,
            "--rounding" => rounding = value,
            "--seed" => seed = parse_seed(&value)?,
            _ => csv = Some(PathBuf::from(value)),
        }
    }
    if let (true, Some(name)) = (against_default, chosen) {
        return Err(format!("--against-default times every option: it does not go with {name}"));
    }
    let options = CastOptions::from_names(&overflow, &rounding, seed)
        .map_err(|error| error.to_string())?
        .saturate(saturate);
    Ok(Request::Measure(Args {
        pairs: pairs.map_or_else(|| parse_pairs("*:*"), Ok)?,
        sizes: sizes.unwrap_or_else(|| vec![65536]),
        offset,
        levels: levels.unwrap_or_else(|| vec![isa::current()]),
        options,
        seed,
        against_default,
        csv,
    }))
}

fn check_option(name: &str) -> Result<(), String> {
    const OPTIONS: [&str; 9] = [
        "--pairs",
        "--sizes",
        "--offset",
        "--isa",
        "--overflow",
        "--saturate",
        "--rounding",
        "--seed",
        "--csv",
    ];
    if OPTIONS.contains(&name) {
        Ok(())
    } else {
        Err(format!("unknown argument {name:?}; see --help"))
    }
}

/// The items of a list, each once.
fn list<T: PartialEq>(
    text: &str,
    item: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let mut items = Vec::new();
    for part in text.split(',') {
        let value = item(part)?;
        if !items.contains(&value) {
            items.push(value);
        }
    }
    Ok(items)
}

fn parse_pairs(text: &str) -> Result<Vec<(DType, DType)>, String> {
    let sides = list(text, |pair| match pair.split_once(':') {
        Some((from, to)) => Ok((parse_side(from)?, parse_side(to)?)),
        None => Err(format!("{pair:?} is no pair: write FROM:TO, such as int8:float32 or *:bool")),
    })?;
    let mut seen = [[false; DType::COUNT]; DType::COUNT];
    let mut pairs = Vec::new();
    for (froms, tos) in &sides {
        for &from in froms {
            for &to in tos {
                let known = &mut seen[from.code() as usize][to.code() as usize];
                if !std::mem::replace(known, true) {
                    pairs.push((from, to));
                }
            }
        }
    }
    Ok(pairs)
}

fn parse_side(name: &str) -> Result<Vec<DType>, String> {
    match name {
        "*" => Ok(DType::ALL.to_vec()),
        _ => match name.parse::<DType>() {
            Ok(dtype) => Ok(vec![dtype]),
            Err(unknown) => Err(unknown.to_string()),
        },
    }
}

fn parse_size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=MOST).contains(&n) => Ok(n),
        _ => Err(format!("--sizes takes numbers of elements from 1 to {MOST}, not {text:?}")),
    }
}

fn parse_offset(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(offset) if offset < 64 => Ok(offset),
        _ => Err(format!("--offset takes a number of bytes from 0 to 63, not {text:?}")),
    }
}

fn parse_levels(text: &str) -> Result<Vec<&'static Level>, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(isa::available().collect());
    }
    let names = list(text, |name| match isa::find(name) {
        Ok(level) => Ok(level.name()),
        Err(error) => Err(error.to_string()),
    })?;
    Ok(isa::available().filter(|level| names.contains(&level.name())).collect())
}

fn parse_yes_no(name: &str, text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("{name} takes yes or no, not {text:?}")),
    }
}

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("--seed takes a number from 0 to {}, not {text:?}", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdcast::{Overflow, Rounding};

    fn args(line: &str) -> Result<Args, String> {
        match parse(line.split_whitespace().map(OsString::from))? {
            Request::Measure(args) => Ok(args),
            Request::Help => Err("help".to_owned()),
        }
    }

    fn refusal(line: &str) -> String {
        args(line).expect_err(line)
    }

    #[test]
    fn without_arguments_it_is_every_pair_at_one_size() {
        let args = args("").unwrap();
        assert_eq!(args.pairs.len(), DType::COUNT * DType::COUNT);
        assert_eq!(args.sizes, [65536]);
        assert_eq!(args.levels.len(), 1);
        assert_eq!(args.options, CastOptions::new());
        assert_eq!(args.csv, None);
    }

    #[test]
    fn pairs_are_names_aliases_and_stars_each_pair_once() {
        let pairs = args("--pairs half:BF16,*:bool,bool:bool").unwrap().pairs;
        assert_eq!(pairs.len(), 1 + DType::COUNT);
        assert_eq!(pairs[0], (DType::Float16, DType::BFloat16));
        assert_eq!(args("--pairs=int8:*").unwrap().pairs.len(), DType::COUNT);
    }

    #[test]
    fn all_options_arrive() {
        let args = args(
            "--sizes 1,64,1 --isa all --overflow wrap --saturate no --rounding stochastic \
             --seed 7 --offset 3 --csv=out.csv",
        )
        .unwrap();
        assert_eq!(args.sizes, [1, 64]);
        assert_eq!(args.levels.len(), isa::available().count());
        let options = args.options.as_options();
        assert_eq!(options.overflow, Overflow::Wrap);
        assert!(!options.saturate);
        assert_eq!(options.rounding, Rounding::Stochastic { seed: 7 });
        assert_eq!(args.csv, Some(PathBuf::from("out.csv")));
    }

    #[test]
    fn all_options_are_asked_for_in_one_word() {
        assert!(!args("").unwrap().against_default);
        let args = args("--sizes 64 --against-default --seed 3").unwrap();
        assert!(args.against_default);
        assert_eq!((args.sizes, args.seed), (vec![64], 3));
    }

    #[test]
    fn misuse_is_told_with_what_was_given() {
        for (line, facts) in [
            ("--pairs flot32:int8", &["\"flot32\"", "float32"][..]),
            ("--pairs int8", &["\"int8\"", "FROM:TO"]),
            ("--pairs int8:bool,", &["\"\""]),
            ("--sizes ten", &["--sizes", "\"ten\""]),
            ("--sizes 0", &["--sizes", "\"0\""]),
            ("--sizes 18446744073709551616", &["18446744073709551616"]),
            ("--sizes=", &["\"\""]),
            ("--isa abacus", &["\"abacus\"", "scalar"]),
            ("--overflow clip", &["overflow", "\"clip\"", "wrap"]),
            ("--rounding sideways", &["rounding", "\"sideways\"", "nearest_away"]),
            ("--saturate maybe", &["--saturate", "\"maybe\""]),
            ("--seed -1", &["--seed", "\"-1\""]),
            ("--offset 64", &["--offset", "63", "\"64\""]),
            ("--csv", &["--csv", "value"]),
            ("--against-default=yes", &["\"--against-default\""]),
            ("--against-default --overflow wrap", &["--against-default", "--overflow"]),
            ("--frobnicate", &["\"--frobnicate\"", "--help"]),
            ("int8:bool", &["\"int8:bool\""]),
        ] {
            let message = refusal(line);
            for fact in facts {
                assert!(message.contains(fact), "{line}: {message:?} does not tell {fact}");
            }
        }
        assert_eq!(refusal("--help"), "help");
    }

    #[cfg(unix)]
    #[test]
    fn arguments_that_are_not_unicode_are_refused() {
        use std::os::unix::ffi::OsStringExt;
        let bad = OsString::from_vec(b"--csv=\xff".to_vec());
        assert!(parse([bad]).is_err_and(|message| message.contains("not Unicode")));
    }
}
