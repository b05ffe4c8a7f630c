//! What an option costs: casts under each option that makes a difference to a pair, by turns with
//! casts of the same numbers under the default options.

use crate::args::Args;
use crate::csv::Csv;
use crate::data::Pool;
use crate::measure::Bench;
use crate::progress::Progress;
use crate::report::{Style, geometric_mean};
use simdcast::{Cast, CastOptions, Overflow, Rounding, isa};
use std::fmt::Write;
use std::io::{self, IsTerminal};

const WORST: usize = 10;
const HEADER: &str = "option,from,to,isa,n,road,default_road,ns_per_element,\
    default_ns_per_element,ratio_to_default,more_ns_per_element\n";

/// One option other than the default ones.
struct Choice {
    name: &'static str,
    options: CastOptions,
}

/// Each option on its own.
fn choices(seed: u64) -> Vec<Choice> {
    let overflow = |name, overflow| (name, CastOptions::new().overflow(overflow));
    let rounding = |rounding: Rounding| (rounding.name(), CastOptions::new().rounding(rounding));
    let all = [
        ("saturate no", CastOptions::new().saturate(false)),
        overflow("wrap", Overflow::Wrap),
        overflow("saturate", Overflow::Saturate),
        overflow("error", Overflow::Error),
        rounding(Rounding::NearestEven),
        rounding(Rounding::TowardZero),
        rounding(Rounding::Up),
        rounding(Rounding::Down),
        rounding(Rounding::NearestAway),
        rounding(Rounding::Stochastic { seed }),
    ];
    all.into_iter().map(|(name, options)| Choice { name, options }).collect()
}

/// A pair under an option.
struct Comparison {
    option: &'static str,
    cast: Cast,
    default: Cast,
    /// The ns that an element takes, and that it takes by default. None if no number is sure to fit.
    ns: Option<(f64, f64)>,
}

impl Comparison {
    fn ratio(&self) -> Option<f64> {
        self.ns.map(|(ns, default)| ns / default)
    }

    fn row(&self, n: usize) -> Option<String> {
        let Self { option, cast, default, ns } = self;
        let (ns, by_default) = (*ns)?;
        let (from, to, isa) = (cast.from(), cast.to(), cast.isa());
        let (road, default_road) = (cast.road(), default.road());
        let (ratio, more) = (ns / by_default, ns - by_default);
        Some(format!(
            "{option},{from},{to},{isa},{n},{road},{default_road},{ns:.5},{by_default:.5},\
             {ratio:.4},{more:.5}\n"
        ))
    }
}

/// Measures what was asked for, and says what came out.
pub(crate) fn text(args: &Args, style: Style) -> Result<String, String> {
    let choices = choices(args.seed);
    let mut csv = Csv::create(args.csv.as_deref(), HEADER)?;
    let mut out = String::from(
        "ratio: time of the cast under one option / time of the same cast by default (lower is better)\n\
         more ns: the difference of the two, for an element; pairs: those that the option matters to\n",
    );
    let total = args.levels.len() * args.sizes.len() * args.pairs.len();
    let mut progress = Progress::new(total, io::stderr().is_terminal());
    for level in &args.levels {
        isa::set(level.name()).map_err(|error| error.to_string())?;
        for &n in &args.sizes {
            let comparisons = compare(args, &choices, n, &mut progress, &mut csv)?;
            let _ = writeln!(out, "\n{}, {n} elements", level.name());
            means(&mut out, &choices, &comparisons, style);
            worst(&mut out, &choices, &comparisons, style);
        }
    }
    Ok(out)
}

/// Every pair under every option that matters to it.
fn compare(
    args: &Args,
    choices: &[Choice],
    n: usize,
    progress: &mut Progress,
    csv: &mut Csv,
) -> Result<Vec<Comparison>, String> {
    let mut bench = Bench::new(&args.pairs, n, args.offset)?;
    let mut comparisons = Vec::new();
    for &(from, to) in &args.pairs {
        let cast = |options| Cast::new(from, to, options).map_err(|error| error.to_string());
        let default = cast(CastOptions::new())?;
        progress.show(&default);
        let matters = |choice: &&Choice| {
            choice.options.as_options().effective(from, to) != *CastOptions::new().as_options()
        };
        for choice in choices.iter().filter(matters) {
            let cast = cast(choice.options)?;
            let ns = Pool::new(from, to, &choice.options)
                .and_then(|mut pool| bench.against(&cast, &default, &mut pool));
            let comparison = Comparison { option: choice.name, cast, default, ns };
            if let Some(row) = comparison.row(n) {
                csv.write(&row)?;
            }
            comparisons.push(comparison);
        }
    }
    Ok(comparisons)
}

/// How many pairs each option matters to, and the geometric means.
fn means(out: &mut String, choices: &[Choice], comparisons: &[Comparison], style: Style) {
    let _ = writeln!(out, "\noption       pairs  ratio (geometric mean)  more ns (mean)");
    for choice in choices {
        let of = || comparisons.iter().filter(|one| one.option == choice.name);
        let ratios: Vec<f64> = of().filter_map(Comparison::ratio).collect();
        let more: f64 = of().filter_map(|one| one.ns).map(|(ns, default)| ns - default).sum();
        let _ = write!(out, "{:12} {:>5} ", choice.name, of().count());
        let _ = match geometric_mean(&ratios) {
            Some(mean) => {
                let more = more / ratios.len() as f64;
                writeln!(out, "{} {more:>32.4}", style.paint(&format!("{mean:>6.2}"), mean))
            }
            None => writeln!(out, "{:>6} {:>32}", "-", "-"),
        };
    }
}

/// The pairs that each option costs most.
fn worst(out: &mut String, choices: &[Choice], comparisons: &[Comparison], style: Style) {
    for choice in choices {
        let mut timed: Vec<_> = comparisons
            .iter()
            .filter(|one| one.option == choice.name)
            .filter_map(|one| Some((one.ratio()?, one.ns?, one)))
            .collect();
        timed.sort_by(|a, b| b.0.total_cmp(&a.0));
        timed.truncate(WORST);
        if timed.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{}: the worst\n ratio  ns/element  default  kernel", choice.name);
        for (ratio, (ns, default), one) in timed {
            let ratio = style.paint(&format!("{ratio:>6.2}"), ratio);
            let name = one.cast.kernel_name();
            let road = one.default.road();
            let _ = writeln!(out, "{ratio} {ns:>11.4} {default:>8.4}  {name} (default: {road})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Request, parse};
    use simdcast::DType;

    #[test]
    fn every_option_is_compared_where_it_matters() {
        let names: Vec<_> = choices(0).iter().map(|choice| choice.name).collect();
        for name in Overflow::NAMES.split(", ").filter(|name| *name != "as") {
            assert!(names.contains(&name), "{name}");
        }
        for name in Rounding::NAMES.split(", ").filter(|name| *name != "default") {
            assert!(names.contains(&name), "{name}");
        }
        let line = "--against-default --pairs float32:int8,int8:int16 --sizes 100";
        let words = line.split(' ').map(Into::into);
        let Ok(Request::Measure(args)) = parse(words) else { panic!("{line}") };
        let mut csv = Csv::create(None, HEADER).unwrap();
        let mut progress = Progress::new(2, false);
        let found = compare(&args, &choices(0), 100, &mut progress, &mut csv).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|one| {
                assert_eq!((one.cast.from(), one.cast.to()), (DType::Float32, DType::Int8));
                assert_eq!(HEADER.matches(',').count(), one.row(1).unwrap().matches(',').count());
                one.option
            })
            .collect();
        let wanted = ["wrap", "error", "nearest_even", "up", "down", "nearest_away", "stochastic"];
        assert_eq!(found, wanted);
    }
}
