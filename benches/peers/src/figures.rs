//! What a record comes to, in numbers: for the report, for the terminal, and for the README.

use crate::measuring::{CONTEST_SIZES, SIZES};
use crate::record::{Contest, Grid, Record};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Less than this is no difference that could be told from noise.
pub(crate) const TIE: f64 = 1.05;

pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (count, logs) =
        values.into_iter().fold((0, 0.0), |(n, sum), value| (n + 1, sum + value.ln()));
    (count > 0).then(|| (logs / f64::from(count)).exp())
}

/// The geometric mean of a grid's ratios.
pub(crate) fn mean_ratio(grid: &Grid) -> Option<f64> {
    geometric_mean(grid.ratio.iter().flatten().flatten().copied())
}

/// The library beside another at a size.
pub(crate) struct Beside<'a> {
    pub(crate) name: &'a str,
    /// For each pair that the other has: its time by the library's.
    pub(crate) factors: Vec<(String, f64)>,
}

impl Beside<'_> {
    pub(crate) fn mean(&self) -> f64 {
        geometric_mean(self.factors.iter().map(|(_, factor)| *factor)).unwrap_or(1.0)
    }

    /// The pairs that the other is faster at, most so first, and how many times.
    pub(crate) fn losses(&self) -> Vec<(&str, f64)> {
        let slower = self.factors.iter().filter(|(_, factor)| factor * TIE < 1.0);
        let mut losses: Vec<_> =
            slower.map(|(pair, factor)| (pair.as_str(), 1.0 / factor)).collect();
        losses.sort_by(|a, b| b.1.total_cmp(&a.1));
        losses
    }
}

/// What stands for the fastest of all others at each pair.
pub(crate) const BEST: &str = "the best of them";

/// The sizes that pairs were measured at beside others.
pub(crate) fn sizes(record: &Record) -> BTreeSet<usize> {
    record.contests.iter().map(|contest| contest.n).collect()
}

/// The library beside each of the others and the best of them, at a size.
pub(crate) fn beside(record: &Record, n: usize) -> Vec<Beside<'_>> {
    let contests = || record.contests.iter().filter(move |contest| contest.n == n);
    let names: BTreeSet<&str> =
        contests().flat_map(|c| c.rivals.keys().map(String::as_str)).collect();
    let factors = |time: &dyn Fn(&Contest) -> Option<f64>| {
        contests().filter_map(|c| Some((c.pair(), time(c)? / c.ns))).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = names
        .into_iter()
        .map(|name| Beside { name, factors: factors(&|c| c.rivals.get(name).copied()) })
        .collect();
    all.push(Beside { name: BEST, factors: factors(&|c| Some(c.best()?.1)) });
    all.retain(|beside| !beside.factors.is_empty());
    all
}

/// The means and the losses as text.
pub(crate) fn summary(record: &Record) -> String {
    let mut out = format!("{}\n", record.machine.describe());
    if !record.grids.is_empty() {
        out += "\ntime / memcpy, geometric mean of all pairs\n";
        for grid in &record.grids {
            let mean = mean_ratio(grid).unwrap_or(f64::NAN);
            let _ = writeln!(out, "{:14} {:>9} elements {mean:>7.2}", grid.isa, grid.n);
        }
    }
    if record.contests.is_empty() {
        return out;
    }
    let _ = writeln!(
        out,
        "\ntime of another / time of simdcast, geometric mean over the pairs that it has; and at how many of\n\
         them it is more than {TIE} times as fast as simdcast"
    );
    for n in sizes(record) {
        for beside in beside(record, n) {
            let (pairs, losses) = (beside.factors.len(), beside.losses());
            let _ = write!(
                out,
                "{:18} {n:>10} elements {pairs:>4} pairs {:>8.2}   {:>3}",
                beside.name,
                beside.mean(),
                losses.len()
            );
            let worst: Vec<String> =
                losses.iter().take(6).map(|(pair, times)| format!("{pair} {times:.2}")).collect();
            let _ = writeln!(out, "  {}", worst.join(", "));
        }
    }
    out
}

/// Where the README's figures begin and end.
const MARKS: [&str; 2] =
    ["<!-- figures: by benches/peers, from a record -->", "<!-- end of figures -->"];

/// The README with the figures of a record in the place of those that were there.
fn with_figures(readme: &str, record: &Record) -> Result<String, String> {
    let (before, rest) = readme.split_once(MARKS[0]).ok_or("no figures begin there")?;
    let (_, after) = rest.split_once(MARKS[1]).ok_or("its figures have no end")?;
    Ok(format!("{before}{}\n{}{}{after}", MARKS[0], markdown(record), MARKS[1]))
}

/// Puts the figures of a record into the README, or answers whether they are there.
pub(crate) fn write(record: &Record, readme: &Path, only_check: bool) -> Result<bool, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", readme.display());
    let text = fs::read_to_string(readme).map_err(|error| at(&error))?;
    let with_figures = with_figures(&text, record).map_err(|error| at(&error))?;
    if text == with_figures || only_check {
        return Ok(text == with_figures);
    }
    fs::write(readme, with_figures).map_err(|error| at(&error))?;
    Ok(true)
}

fn markdown(record: &Record) -> String {
    let mut out = format!("\nMeasured on: {}.\n\n", record.machine.describe());
    let _ = writeln!(out, "Time / `memcpy`, geometric mean of all 1936 pairs:\n");
    let _ =
        writeln!(out, "| instruction set |{}", SIZES.map(|n| format!(" {n} elements |")).concat());
    let _ = writeln!(out, "|---|{}", SIZES.map(|_| "---|").concat());
    for isa in &record.machine.isa {
        let _ = write!(out, "| `{isa}` |");
        for n in SIZES {
            let mean = record.grid(isa, n).and_then(mean_ratio);
            let _ = write!(out, " {} |", mean.map_or("-".to_owned(), |mean| format!("{mean:.2}")));
        }
        out.push('\n');
    }
    beside_others(&mut out, record);
    out
}

fn beside_others(out: &mut String, record: &Record) {
    let sizes = sizes(record);
    let all: Vec<Vec<Beside>> = sizes.iter().map(|&n| beside(record, n)).collect();
    let mut names: Vec<&str> = Vec::new();
    for beside in all.iter().flatten() {
        if !names.contains(&beside.name) {
            names.push(beside.name);
        }
    }
    names.sort_by_key(|name| *name == BEST);
    let _ = writeln!(
        out,
        "\nHow many times as long others take, geometric mean over the pairs that they have (in brackets: how \
         many; and at\nhow many of these they are more than {TIE} times as fast); {}:\n",
        record
            .versions
            .iter()
            .filter(|(name, _)| *name != "simdcast")
            .map(|(name, version)| format!("{name} {version}"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    let header = |n: &usize| {
        let place = if CONTEST_SIZES.contains(n) { "" } else { ", past the caches" };
        format!(" {n} elements{place} |")
    };
    let _ = writeln!(out, "| |{}", sizes.iter().map(header).collect::<String>());
    let _ = writeln!(out, "|---|{}", "---|".repeat(sizes.len()));
    for name in names {
        let _ = write!(out, "| {name} |");
        for besides in &all {
            let cell = besides.iter().find(|beside| beside.name == name).map(|beside| {
                let (pairs, losses) = (beside.factors.len(), beside.losses().len());
                format!(" {:.2} ({pairs}; {losses}) |", beside.mean())
            });
            out.push_str(&cell.unwrap_or_else(|| " - |".to_owned()));
        }
        out.push('\n');
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn record() -> Record {
        let mut record = Record::new();
        let contest = |to: &str, ns, others: &[(&str, f64)]| Contest {
            from: "int8".into(),
            to: to.into(),
            n: 64,
            isa: "scalar".into(),
            ns,
            memcpy: 1.0,
            rivals: others
                .iter()
                .map(|&(name, ns)| (name.to_owned(), ns))
                .collect::<BTreeMap<_, _>>(),
        };
        record.contests.push(contest("int16", 1.0, &[("a", 8.0), ("b", 0.5)]));
        record.contests.push(contest("int32", 1.0, &[("a", 2.0)]));
        record
    }

    #[test]
    fn others_are_compared_pair_by_pair() {
        let record = record();
        let all = beside(&record, 64);
        let of = |name: &str| all.iter().find(|beside| beside.name == name).unwrap();
        assert_eq!(all.len(), 3);
        assert!((of("a").mean() - 4.0).abs() < 1e-12);
        assert!(of("a").losses().is_empty());
        assert_eq!(of("b").losses(), [("int8 -> int16", 2.0)]);
        assert!((of(BEST).mean() - 1.0).abs() < 1e-12);
        assert!(beside(&record, 65).is_empty());
        assert!(summary(&record).contains("int8 -> int16 2.00"));
    }

    #[test]
    fn figures_stand_between_their_marks_and_nothing_else_changes() {
        let readme = format!("before\n{}\nold\n{}\nafter\n", MARKS[0], MARKS[1]);
        let new = with_figures(&readme, &record()).unwrap();
        assert!(new.starts_with("before\n<!--") && new.ends_with("-->\nafter\n"), "{new}");
        assert!(!new.contains("old") && new.contains("| a |"), "{new}");
        assert_eq!(with_figures(&new, &record()).unwrap(), new);
        assert!(with_figures("nothing", &record()).is_err());
    }
}
