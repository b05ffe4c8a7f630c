//! The command line.

use crate::compare;
use crate::figures;
use crate::measuring::{self, Time};
use crate::record::Record;
use simdcast::DType;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const HELP: &str = "\
Measures simdcast on this machine, beside memcpy, plain loops and other libraries.

Usage: cargo run --release -p simdcast-peers --features peers -- COMMAND

  report [--seconds N] [--out DIR]
      measures for about so long (default: 220), and writes to DIR (default: target/report) record.json, the
      page report.html, and its main picture casts.svg
  peers [--pairs FROM:TO,...] [--sizes N,...] [--seconds N]
      times pairs beside everyone else who casts them: by default all such pairs, with 64, 4096 and 65536
      elements and as many as no cache holds; for N seconds a size (default: 120)
  render RECORD [--out DIR]
      writes the page and the picture of a record again
  compare OLD NEW
      says what got slower or faster beyond noise between two records; exit status 1 if anything is slower
  check RECORD [--seconds N]
      measures 16 pairs on this machine (default: 20), and compares them with a record
  figures RECORD README [--check]
      puts a record's figures into the README, or says whether they are there; exit status 1 if not
  help
      this text

Without the crate's feature peers there are no other libraries, and without its feature pictures, which that has in it,
neither report nor render.
";

const UNDRAWN: &str =
    "this program was built without its pictures: build it with --features pictures, or peers";

/// What is asked for.
#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    Help,
    Report { time: Duration, out: PathBuf },
    Peers { pairs: Option<Vec<(DType, DType)>>, sizes: Option<Vec<usize>>, time: Duration },
    Render { record: PathBuf, out: PathBuf },
    Compare { old: PathBuf, new: PathBuf },
    Check { record: PathBuf, time: Duration },
    Figures { record: PathBuf, readme: PathBuf, only_check: bool },
}

/// What is told, and whether that is bad news.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) is_bad: bool,
}

impl Answer {
    fn good(text: String) -> Self {
        Self { text, is_bad: false }
    }
}

/// Understands the arguments after the program's name. The last of a repeated option counts.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let args = args.into_iter().map(|arg| {
        arg.into_string().map_err(|arg| format!("{} is not Unicode", arg.to_string_lossy()))
    });
    let mut args = args.collect::<Result<Vec<_>, _>>()?.into_iter();
    let command = args.next().unwrap_or_else(|| "help".to_owned());
    let (mut places, mut options) = (Vec::new(), Vec::new());
    while let Some(arg) = args.next() {
        if arg == "--check" {
            options.push((arg, String::new()));
        } else if arg.starts_with("--") {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (arg, args.next()),
            };
            let value = value.ok_or_else(|| format!("{name} needs a value"))?;
            options.push((name, value));
        } else {
            places.push(PathBuf::from(arg));
        }
    }
    Arguments { command, places, options }.request()
}

/// Arguments that are not understood yet.
struct Arguments {
    command: String,
    places: Vec<PathBuf>,
    options: Vec<(String, String)>,
}

impl Arguments {
    fn request(mut self) -> Result<Request, String> {
        let allowed: (usize, &[&str]) = match self.command.as_str() {
            "help" | "--help" | "-h" => return Ok(Request::Help),
            "report" => (0, &["--seconds", "--out"]),
            "peers" => (0, &["--pairs", "--sizes", "--seconds"]),
            "render" => (1, &["--out"]),
            "compare" => (2, &[]),
            "check" => (1, &["--seconds"]),
            "figures" => (2, &["--check"]),
            other => return Err(format!("unknown command {other:?}; see help")),
        };
        if let Some((name, _)) =
            self.options.iter().find(|(name, _)| !allowed.1.contains(&name.as_str()))
        {
            return Err(format!("{} takes no {name}; see help", self.command));
        }
        if self.places.len() != allowed.0 {
            let (command, given) = (&self.command, self.places.len());
            return Err(format!("{command} takes {} files, not {given}; see help", allowed.0));
        }
        let out =
            self.option("--out").map_or_else(|| PathBuf::from("target/report"), PathBuf::from);
        let seconds = self.option("--seconds").map(|text| parse_seconds(&text)).transpose()?;
        let time = |default: u64| seconds.unwrap_or(Duration::from_secs(default));
        let mut places = std::mem::take(&mut self.places).into_iter();
        let mut place = || places.next().unwrap_or_default();
        Ok(match self.command.as_str() {
            "report" => Request::Report { time: time(220), out },
            "peers" => Request::Peers {
                pairs: self.option("--pairs").map(|text| parse_pairs(&text)).transpose()?,
                sizes: self.option("--sizes").map(|text| parse_sizes(&text)).transpose()?,
                time: time(120),
            },
            "render" => Request::Render { record: place(), out },
            "compare" => Request::Compare { old: place(), new: place() },
            "check" => Request::Check { record: place(), time: time(20) },
            _ => Request::Figures {
                record: place(),
                readme: place(),
                only_check: self.option("--check").is_some(),
            },
        })
    }

    fn option(&self, name: &str) -> Option<String> {
        self.options.iter().rev().find(|option| option.0 == name).map(|option| option.1.clone())
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) if (1..=36_000).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("--seconds takes a number from 1 to 36000, not {text:?}")),
    }
}

fn parse_pairs(text: &str) -> Result<Vec<(DType, DType)>, String> {
    let pair = |text: &str| {
        let sides = text.split_once(':');
        let (from, to) = sides.ok_or_else(|| format!("{text:?} is no pair: write FROM:TO"))?;
        let dtype = |name: &str| name.parse::<DType>().map_err(|error| error.to_string());
        Ok((dtype(from)?, dtype(to)?))
    };
    text.split(',').map(pair).collect()
}

fn parse_sizes(text: &str) -> Result<Vec<usize>, String> {
    const MOST: usize = 1 << 28;
    let size = |text: &str| match text.parse() {
        Ok(n) if (1..=MOST).contains(&n) => Ok(n),
        _ => Err(format!("--sizes takes numbers of elements from 1 to {MOST}, not {text:?}")),
    };
    text.split(',').map(size).collect()
}

impl Request {
    pub(crate) fn answer(self) -> Result<Answer, String> {
        match self {
            Self::Help => Ok(Answer::good(HELP.to_owned())),
            Self::Report { time, out } => {
                // What cannot be drawn or written should not be measured first.
                can_draw()?;
                make(&out)?;
                let record = measuring::record(&Time::of(time))?;
                record.write(&out.join("record.json"))?;
                let written = render(&record, &out)?;
                Ok(Answer::good(format!("{}\n{written}", figures::summary(&record))))
            }
            Self::Peers { pairs, sizes, time } => peers(pairs, sizes, time),
            Self::Render { record, out } => {
                can_draw()?;
                make(&out)?;
                render(&Record::read(&record)?, &out).map(Answer::good)
            }
            Self::Compare { old, new } => {
                compare::records(&Record::read(&old)?, &Record::read(&new)?).map(told)
            }
            Self::Check { record, time } => compare::short(&Record::read(&record)?, time).map(told),
            Self::Figures { record, readme, only_check } => {
                let there = figures::write(&Record::read(&record)?, &readme, only_check)?;
                let text =
                    if there { "" } else { "the README has other figures than the record\n" };
                Ok(Answer { text: text.to_owned(), is_bad: !there })
            }
        }
    }
}

fn told(comparison: compare::Comparison) -> Answer {
    Answer { text: comparison.text, is_bad: comparison.is_slower }
}

fn make(directory: &Path) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))
}

fn can_draw() -> Result<(), String> {
    if cfg!(feature = "pictures") { Ok(()) } else { Err(UNDRAWN.to_owned()) }
}

/// Writes the page and the picture, and says where they are.
#[cfg(feature = "pictures")]
fn render(record: &Record, out: &Path) -> Result<String, String> {
    use crate::{html, pictures};
    let write = |name: &str, text: String| {
        let path = out.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok::<_, String>(format!("{}\n", path.display()))
    };
    let mut written = write("report.html", html::page(record)?)?;
    if let Some(grid) = html::main_grid(record) {
        written += &write("casts.svg", pictures::heat(grid, &record.dtypes)?)?;
    }
    Ok(written)
}

#[cfg(not(feature = "pictures"))]
fn render(_: &Record, _: &Path) -> Result<String, String> {
    Err(UNDRAWN.to_owned())
}

fn peers(
    pairs: Option<Vec<(DType, DType)>>,
    sizes: Option<Vec<usize>>,
    time: Duration,
) -> Result<Answer, String> {
    let mut record = Record::new();
    let pairs = measuring::contested(&pairs.unwrap_or_else(measuring::all_pairs));
    if pairs.is_empty() {
        return Err("nobody else casts these pairs".to_owned());
    }
    let sizes = sizes.unwrap_or_else(|| {
        let past = measuring::elements_past_caches(record.machine.last_level());
        measuring::CONTEST_SIZES.into_iter().chain([past]).collect()
    });
    for &n in &sizes {
        record.contests.extend(measuring::contests(&pairs, &[n], time)?);
    }
    let mut text = String::new();
    for contest in &record.contests {
        text += &line(contest);
    }
    Ok(Answer::good(format!("{text}\n{}", figures::summary(&record))))
}

/// Nanoseconds an element of everyone.
fn line(contest: &crate::record::Contest) -> String {
    let mut line = format!("{:34} {:>10}  simdcast {:.4}", contest.pair(), contest.n, contest.ns);
    line += &format!("  memcpy {:.4}", contest.memcpy);
    for (name, ns) in &contest.rivals {
        line += &format!("  {name} {ns:.4}");
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn commands_have_defaults() {
        assert_eq!(parsed("").unwrap(), Request::Help);
        let out = PathBuf::from("target/report");
        let time = Duration::from_secs(220);
        assert_eq!(parsed("report").unwrap(), Request::Report { time, out });
        let check = parsed("check a.json --seconds 3").unwrap();
        assert_eq!(check, Request::Check { record: "a.json".into(), time: Duration::from_secs(3) });
        let figures = parsed("figures r.json README.md --check").unwrap();
        assert!(matches!(figures, Request::Figures { only_check: true, .. }));
        let peers = parsed("peers --pairs half:f32 --sizes=64,1").unwrap();
        let pairs = Some(vec![(DType::Float16, DType::Float32)]);
        let (sizes, time) = (Some(vec![64, 1]), Duration::from_secs(120));
        assert_eq!(peers, Request::Peers { pairs, sizes, time });
    }

    #[test]
    #[cfg(not(feature = "pictures"))]
    fn nothing_is_measured_for_pictures_that_cannot_be_drawn() {
        let out = std::env::temp_dir().join("simdcast-peers-undrawn");
        let record = PathBuf::from("no such record");
        let report = Request::Report { time: Duration::from_secs(1), out: out.clone() };
        for request in [report, Request::Render { record, out: out.clone() }] {
            assert_eq!(request.answer().err().as_deref(), Some(UNDRAWN));
            assert!(!out.exists());
        }
    }

    #[test]
    fn misuse_is_told_with_what_was_given() {
        for (line, facts) in [
            ("rapport", &["\"rapport\"", "help"][..]),
            ("report --pairs a:b", &["report", "--pairs"]),
            ("report --seconds", &["--seconds", "value"]),
            ("report --seconds 0", &["--seconds", "\"0\""]),
            ("report x", &["report", "0 files", "not 1"]),
            ("compare a.json", &["compare", "2 files", "not 1"]),
            ("peers --pairs int8", &["\"int8\"", "FROM:TO"]),
            ("peers --pairs int9:int8", &["\"int9\""]),
            ("peers --sizes 64,", &["--sizes", "\"\""]),
        ] {
            let message = parsed(line).expect_err(line);
            for fact in facts {
                assert!(message.contains(fact), "{line}: {message:?} does not tell {fact}");
            }
        }
        let missing = parsed("compare nowhere.json nowhere.json").unwrap().answer();
        assert!(missing.is_err_and(|message| message.contains("nowhere.json")));
    }
}
