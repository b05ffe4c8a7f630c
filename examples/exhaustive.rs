//! Every code of a source, through every kernel asked for, against the reference, bit for bit.
//!
//! The ordinary tests take all codes of sources of up to 16 bits and samples of wider ones. This is
//! the long run that leaves nothing out of the 2^32 codes of a 32-bit source; `--help` says how to ask
//! for it. It makes the same comparison as the tests, a block of codes at a time, on all cores.

#[path = "matrix/progress.rs"]
mod progress;
#[path = "../tests/support/mod.rs"]
mod support;

use progress::Progress;
use simdcast::isa::{self, Level};
use simdcast::{Cast, CastOptions, DType};
use simdcast_kernels::Options;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;
use support::{Tally, compare, distinct_options, in_parallel};

const HELP: &str = "\
Compares every code of the source dtypes with the reference, on all cores.

Usage: cargo run --release --example exhaustive -- FROM[,FROM...] TO[,TO...] [options]

  FROM, TO                    dtypes, by name or alias; sources of up to 32 bits
  --isa NAME[,NAME...] | all  instruction sets (default: the one in use)
  --options default | all     the default options, or each that makes a difference (default: default)
  --help                      this text

A line per pair tells what was compared. The status is 1 if something differs from the reference,
which a second line shows for the lowest such code, and 2 if the arguments are wrong.
";

/// The codes of a block.
const BLOCK: u64 = 1 << 20;
/// The bits of the widest source: with more, no run would end.
const WIDEST: usize = 32;

/// What is to be compared.
#[derive(Debug, Default)]
struct Request {
    sources: Vec<DType>,
    destinations: Vec<DType>,
    levels: Vec<&'static Level>,
    all_options: bool,
}

fn main() -> ExitCode {
    let args = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    let request = match parse(args) {
        Ok(Some(request)) => request,
        Ok(None) => {
            say(HELP.trim_end());
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            let _ = writeln!(io::stderr(), "exhaustive: {message}");
            return ExitCode::from(2);
        }
    };
    if answer(&request) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a line. If nobody reads on, the status still tells.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Understands the arguments. None if they ask for help.
fn parse(args: impl IntoIterator<Item = String>) -> Result<Option<Request>, String> {
    let mut args = args.into_iter();
    let mut request = Request { levels: vec![isa::current()], ..Request::default() };
    let mut sides = Vec::new();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--isa" => request.levels = parse_levels(&value()?)?,
            "--options" => {
                request.all_options = match value()?.as_str() {
                    "default" => false,
                    "all" => true,
                    other => return Err(format!("--options takes default or all, not {other:?}")),
                };
            }
            _ if arg.starts_with('-') => return Err(format!("unknown option {arg:?}; see --help")),
            _ => sides.push(parse_dtypes(&arg)?),
        }
    }
    let [sources, destinations] = <[_; 2]>::try_from(sides)
        .map_err(|sides| format!("takes FROM and TO, not {} lists; see --help", sides.len()))?;
    if let Some(wide) = sources.iter().find(|from| from.significant_bits() > WIDEST) {
        let bits = wide.significant_bits();
        return Err(format!("{wide} has 2^{bits} codes: sources of up to {WIDEST} bits only"));
    }
    Ok(Some(Request { sources, destinations, ..request }))
}

fn parse_dtypes(names: &str) -> Result<Vec<DType>, String> {
    names.split(',').map(|name| name.parse().map_err(|e| format!("{e}"))).collect()
}

fn parse_levels(names: &str) -> Result<Vec<&'static Level>, String> {
    if names.eq_ignore_ascii_case("all") {
        return Ok(isa::available().collect());
    }
    let level = |name: &str| isa::find(name).map_err(|error| error.to_string());
    names.split(',').map(level).collect()
}

/// Does what is asked for. Whether everything is as the reference says.
fn answer(request: &Request) -> bool {
    let mut right = true;
    for &from in &request.sources {
        for &to in &request.destinations {
            right &= pair(&request.levels, from, to, request.all_options);
        }
    }
    right
}

/// Compares a pair, and says how that went. Whether everything is as the reference says.
fn pair(levels: &[&'static Level], from: DType, to: DType, all_options: bool) -> bool {
    let options = if all_options { distinct_options(from, to) } else { vec![Options::DEFAULT] };
    let blocks: Vec<_> = options.iter().flat_map(|options| blocks(from, options)).collect();
    // Sure to exist: every pair goes with all options.
    let Ok(cast) = Cast::new(from, to, CastOptions::new()) else { return false };
    let progress = Mutex::new(Progress::new(blocks.len(), io::stderr().is_terminal()));
    let start = Instant::now();
    let (tally, first) = every_block(&blocks, |block| {
        if let Ok(mut progress) = progress.lock() {
            progress.show(&cast);
        }
        compare(levels, from, to, &block.options, &block.codes().collect::<Vec<_>>())
    });
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    let verdict = if first.is_none() { "all as the reference has it" } else { "DIFFERENT" };
    let sets = if options.len() == 1 { "1 set".into() } else { format!("{} sets", options.len()) };
    say(&format!(
        "{levels:?}: {from} -> {to}: {} values compared under {sets} of options, {seconds:.1} s, \
         {verdict}",
        tally.values,
    ));
    if let Some(difference) = &first {
        say(&format!("  {difference}"));
    }
    first.is_none()
}

/// Codes that are compared in one go, under options whose first index is that of the first code.
struct Block {
    start: u64,
    end: u64,
    options: Options,
}

impl Block {
    fn codes(&self) -> impl Iterator<Item = u128> {
        (self.start..self.end).map(u128::from)
    }
}

/// All codes of a source in blocks.
fn blocks(from: DType, options: &Options) -> impl Iterator<Item = Block> {
    let (codes, options) = (1u64 << from.significant_bits(), *options);
    (0..codes).step_by(BLOCK as usize).map(move |start| {
        let first_index = options.first_index.wrapping_add(start);
        let options = Options { first_index, ..options };
        Block { start, end: codes.min(start + BLOCK), options }
    })
}

/// Compares every block, or all before the first that differs, and what was wrong there.
fn every_block(
    blocks: &[Block],
    compare: impl Fn(&Block) -> Result<Tally, String> + Sync,
) -> (Tally, Option<String>) {
    let first: Mutex<Option<(usize, String)>> = Mutex::new(None);
    let numbered: Vec<_> = blocks.iter().enumerate().collect();
    let (tally, errors) = in_parallel(&numbered, |&(number, block)| {
        // Blocks are begun in order: all those before one that differs are done anyway.
        let known = |known: &Option<(usize, String)>| known.as_ref().is_some_and(|k| k.0 < number);
        if first.lock().is_ok_and(|first| known(&first)) {
            return Ok(Tally::default());
        }
        let result = compare(block);
        if let (Err(error), Ok(mut first)) = (&result, first.lock())
            && !known(&first)
        {
            *first = Some((number, error.clone()));
        }
        result
    });
    let first = first.into_inner().ok().flatten().map(|(_, error)| error);
    (tally, first.or_else(|| errors.into_iter().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(str::to_owned)).map(|request| request.expect("no help"))
    }

    #[test]
    fn arguments_are_understood_or_refused_with_what_was_given() {
        let asked = request("--isa all f32,half INT8 --options all").unwrap();
        assert_eq!(asked.sources, [DType::Float32, DType::Float16]);
        assert_eq!(asked.destinations, [DType::Int8]);
        assert_eq!(asked.levels.len(), isa::available().count());
        assert!(asked.all_options);
        assert!(parse(["--help".to_owned()]).unwrap().is_none());
        for (line, fact) in [
            ("float64 int8", "float64 has 2^64 codes"),
            ("int8,complex64 bool", "complex64 has 2^64 codes"),
            ("flot32 int8", "\"flot32\""),
            ("* int8", "\"*\""),
            ("int8", "1 lists"),
            ("int8 int8 int8", "3 lists"),
            ("int8 bool --isa abacus", "\"abacus\""),
            ("int8 bool --isa", "--isa needs"),
            ("int8 bool --options some", "\"some\""),
            ("int8 bool --fast", "\"--fast\""),
        ] {
            let message = request(line).unwrap_err();
            assert!(message.contains(fact), "{line}: {message}");
        }
    }

    #[test]
    fn blocks_are_all_codes_once() {
        for from in [DType::Int1x8, DType::Int8, DType::BFloat16, DType::Complex32] {
            let mut next = 0;
            for block in blocks(from, &Options { first_index: 7, ..Options::DEFAULT }) {
                assert_eq!((block.start, block.options.first_index), (next, next + 7));
                next = block.end;
            }
            assert_eq!(next, 1 << from.significant_bits());
        }
    }

    #[test]
    fn narrow_sources_are_compared_under_all_options() {
        let levels: Vec<_> = isa::available().collect();
        for (from, to) in [(DType::Float8E5M2, DType::Int4x2), (DType::UInt2x4, DType::Complex64)] {
            assert!(pair(&levels, from, to, true), "{from} -> {to}");
        }
    }

    #[test]
    fn of_all_that_differs_the_lowest_is_told() {
        let blocks: Vec<_> = blocks(DType::Float32, &Options::DEFAULT).collect();
        let (tally, first) = every_block(&blocks, |block| match block.start / BLOCK {
            number @ (1001 | 1002 | 4000) => Err(format!("block {number}")),
            _ => Ok(Tally { values: 1, ..Tally::default() }),
        });
        assert_eq!(first.as_deref(), Some("block 1001"));
        assert!((1001..4095).contains(&tally.values), "{}", tally.values);
        let (tally, first) =
            every_block(&blocks, |_| Ok(Tally { values: BLOCK, ..Tally::default() }));
        assert_eq!((tally.values, first), (1 << 32, None));
    }
}
