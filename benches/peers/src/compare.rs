//! Two records, or a record and a short run: what got slower or faster.
//!
//! What is compared are ratios to memcpy, each taken by turns with it in one process: most of what another load
//! or another clock does to one it does to the other. What is left is noise, and is bounded pair by pair: a
//! factor counts if it is more than [`NOISE`] times as much as the rounds of either record differed among
//! themselves. Between different CPUs nothing can be told by that; there [`OTHER_CPU`] stands for it.
//!
//! A short run is for machines that others share, who may take half of a core for as long as it lasts: loops that
//! calculate get slower then, and memcpy, which waits for the cache, does not. So what all its pairs have in common
//! is put down to the machine, see [`Judge::of_machine`], and only what is worse than that is a regression. (One in
//! all pairs alike shows in the number of instructions, which no neighbour changes: example `steps`.)

use crate::figures::geometric_mean;
use crate::machine::Machine;
use crate::measuring;
use crate::record::{Grid, Record};
use std::fmt::Write;
use std::time::Duration;

/// How many times as slow a pair may seem to be, although nothing changed.
const NOISE: f64 = 1.5;
/// The same between CPUs that are not the same.
const OTHER_CPU: f64 = 4.0;
/// How often a pair that seems slower is measured again.
const AGAIN: usize = 3;
const SHOWN: usize = 20;

/// How many times as slow so many pairs may seem to be together: what one run does to all of them, and what is
/// left of their own noise in their mean.
fn noise_of_mean(pairs: usize) -> f64 {
    1.05 + 0.4 / (pairs as f64).sqrt()
}

/// By what a factor is judged.
#[derive(Clone, Copy)]
struct Judge {
    /// How many times as slow a pair may seem to be.
    noise: f64,
    /// Whether the new record is of a short run.
    is_short: bool,
}

impl Judge {
    fn new(old: &Machine, new: &Machine, is_short: bool) -> Self {
        Self { noise: if old.cpu == new.cpu { NOISE } else { OTHER_CPU }, is_short }
    }

    /// How many times as slow the machine was for loops than for memcpy, if these are a grid's factors: the median,
    /// as far as it can be noise.
    fn of_machine(self, factors: &[f64]) -> f64 {
        if !self.is_short || factors.is_empty() {
            return 1.0;
        }
        let mut sorted = factors.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2].clamp(1.0, NOISE)
    }

    /// Whether pairs are slower together, though none of them is by itself. (Another CPU's mean is another one.)
    fn is_mean_slower(self, mean: f64, pairs: usize) -> bool {
        !self.is_short && self.noise == NOISE && mean > noise_of_mean(pairs)
    }
}

/// A pair whose ratio changed.
struct Change {
    row: usize,
    column: usize,
    /// The new ratio by the old one.
    factor: f64,
    /// What that must be beyond to count.
    bound: f64,
}

/// What a comparison found.
pub(crate) struct Comparison {
    pub(crate) text: String,
    pub(crate) is_slower: bool,
}

/// Compares two records.
pub(crate) fn records(old: &Record, new: &Record) -> Result<Comparison, String> {
    judged(old, new, Judge::new(&old.machine, &new.machine, false))
}

fn judged(old: &Record, new: &Record, judge: Judge) -> Result<Comparison, String> {
    if old.dtypes != new.dtypes {
        return Err("the records are of different dtypes".to_owned());
    }
    let mut text = heading(old, new, judge);
    let mut is_slower = false;
    let mut compared = 0;
    for new_grid in &new.grids {
        let Some(old_grid) = old.grid(&new_grid.isa, new_grid.n) else { continue };
        compared += 1;
        is_slower |= grids(&mut text, &old.dtypes, old_grid, new_grid, judge);
    }
    if compared == 0 {
        return Err("the records have no instruction set and size in common".to_owned());
    }
    text += if is_slower { "\nSLOWER\n" } else { "\nNothing is slower beyond noise.\n" };
    Ok(Comparison { text, is_slower })
}

fn heading(old: &Record, new: &Record, judge: Judge) -> String {
    let mut text = format!("old: {}\nnew: {}\n", old.machine.describe(), new.machine.describe());
    let _ = writeln!(
        text,
        "new ratio to memcpy / old one; a pair counts beyond {} times what its rounds differed by{}",
        judge.noise,
        if judge.is_short { ", and what most pairs have in common" } else { "" }
    );
    text
}

/// All pairs that both grids have, and that changed beyond noise: slowest first.
fn changes(old: &Grid, new: &Grid, judge: Judge) -> (Vec<f64>, Vec<Change>) {
    let mut all = Vec::new();
    for (row, cells) in new.ratio.iter().enumerate() {
        for (column, new_ratio) in cells.iter().enumerate() {
            let (Some(new_ratio), Some(old_ratio)) = (*new_ratio, old.ratio[row][column]) else {
                continue;
            };
            let spread = |grid: &Grid| grid.spread[row][column].unwrap_or(1.0);
            let bound = judge.noise * spread(old) * spread(new);
            all.push(Change { row, column, factor: new_ratio / old_ratio, bound });
        }
    }
    let factors: Vec<f64> = all.iter().map(|change| change.factor).collect();
    let of_machine = judge.of_machine(&factors);
    let mut changes = all;
    changes.retain_mut(|change| {
        let is_faster = change.factor * change.bound < 1.0;
        change.bound *= of_machine;
        is_faster || change.factor > change.bound
    });
    changes.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    (factors, changes)
}

/// Says what changed between two grids, and whether anything became slower.
fn grids(text: &mut String, dtypes: &[String], old: &Grid, new: &Grid, judge: Judge) -> bool {
    let (factors, changes) = changes(old, new, judge);
    let mean = geometric_mean(factors.iter().copied()).unwrap_or(1.0);
    let slower = changes.iter().filter(|change| change.factor > 1.0).count();
    let _ = writeln!(
        text,
        "\n{}, {} elements: {} pairs, geometric mean {mean:.3}; slower {slower}, faster {}",
        new.isa,
        new.n,
        factors.len(),
        changes.len() - slower,
    );
    let mut show = |change: &Change| {
        let pair = format!("{} -> {}", dtypes[change.row], dtypes[change.column]);
        let (old, new) =
            (old.ratio[change.row][change.column], new.ratio[change.row][change.column]);
        let (old, new) = (old.unwrap_or(f64::NAN), new.unwrap_or(f64::NAN));
        let _ = writeln!(
            text,
            "  {pair:42} {old:>7.2} -> {new:>7.2}  {:.2} (bound {:.2})",
            change.factor, change.bound
        );
    };
    let shown = slower.min(SHOWN);
    changes[..shown].iter().for_each(&mut show);
    changes[slower..].iter().rev().take(SHOWN).for_each(&mut show);
    if changes.len() > shown + (changes.len() - slower).min(SHOWN) {
        text.push_str("  ...\n");
    }
    slower > 0 || judge.is_mean_slower(mean, factors.len())
}

/// Measures the chosen pairs on this machine for about so long, and compares them with a record. Those that
/// seem slower are measured again: what is slower stays it.
pub(crate) fn short(old: &Record, time: Duration) -> Result<Comparison, String> {
    let mut new = Record::new();
    let levels: Vec<String> = new
        .machine
        .isa
        .iter()
        .filter(|isa| measuring::SIZES.iter().any(|&n| old.grid(isa, n).is_some()))
        .cloned()
        .collect();
    if levels.is_empty() {
        return Err(format!("the record has none of {}", new.machine.isa.join(", ")));
    }
    new.grids = measuring::grids(&measuring::CHOSEN, &levels, &measuring::SIZES, time)?;
    let judge = Judge::new(&old.machine, &new.machine, true);
    for _ in 0..AGAIN {
        let mut again = false;
        for grid in &mut new.grids {
            let Some(old_grid) = old.grid(&grid.isa, grid.n) else { continue };
            let (_, changes) = changes(old_grid, grid, judge);
            for change in changes.iter().filter(|change| change.factor > 1.0) {
                again = true;
                measure_again(grid, change)?;
            }
        }
        if !again {
            break;
        }
    }
    judged(old, &new, judge)
}

/// Measures a pair once more, and keeps what is better.
fn measure_again(grid: &mut Grid, change: &Change) -> Result<(), String> {
    const TIME: Duration = Duration::from_millis(400);
    let (row, column) = (change.row, change.column);
    let pair = (simdcast::DType::ALL[row], simdcast::DType::ALL[column]);
    let again = measuring::grids(&[pair], std::slice::from_ref(&grid.isa), &[grid.n], TIME)?;
    let Some(again) = again.first() else { return Ok(()) };
    if again.ratio[row][column] < grid.ratio[row][column] {
        grid.ratio[row][column] = again.ratio[row][column];
        grid.ns[row][column] = again.ns[row][column];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(ratios: [f64; 2], spread: f64) -> Record {
        of_pairs([[Some(ratios[0]), None], [None, Some(ratios[1])]], spread)
    }

    fn of_pairs(ratios: [[Option<f64>; 2]; 2], spread: f64) -> Record {
        let mut record = Record::new();
        record.dtypes = vec!["int8".into(), "bool".into()];
        let ratio = ratios.map(Vec::from).to_vec();
        let spread = vec![vec![Some(spread); 2]; 2];
        record.grids.push(Grid { isa: "scalar".into(), n: 64, ns: ratio.clone(), ratio, spread });
        record
    }

    #[test]
    fn what_is_slower_beyond_noise_is_a_regression() {
        let old = record([1.0, 2.0], 1.0);
        let same = records(&old, &record([1.0, 2.0], 1.0)).unwrap();
        assert!(!same.is_slower && same.text.contains("slower 0, faster 0"), "{}", same.text);
        let slower = records(&old, &record([1.6, 2.0], 1.0)).unwrap();
        assert!(slower.is_slower && slower.text.contains("int8 -> int8"), "{}", slower.text);
        let faster = records(&old, &record([0.6, 2.0], 1.0)).unwrap();
        assert!(!faster.is_slower && faster.text.contains("slower 0, faster 1"), "{}", faster.text);
    }

    #[test]
    fn rounds_that_differ_widen_the_bound() {
        let old = record([1.0, 2.0], 1.0);
        let new = records(&old, &record([1.7, 1.2], 1.2)).unwrap();
        assert!(!new.is_slower, "{}", new.text);
    }

    #[test]
    fn all_pairs_together_are_bounded_closer() {
        let new = records(&record([1.0, 2.0], 1.0), &record([1.4, 2.8], 1.0)).unwrap();
        assert!(new.is_slower && new.text.contains("mean 1.400; slower 0"), "{}", new.text);
        assert!(noise_of_mean(1936) < 1.06);
    }

    #[test]
    fn what_all_pairs_of_a_short_run_have_in_common_is_the_machine() {
        let old = of_pairs([[Some(1.0); 2]; 2], 1.0);
        let judge = Judge::new(&old.machine, &old.machine, true);
        let is_slower = |a: f64, b: f64| {
            let new = of_pairs([[Some(a), Some(a)], [Some(a), Some(b)]], 1.0);
            judged(&old, &new, judge).unwrap().is_slower
        };
        assert!(!is_slower(1.3, 1.3) && !is_slower(1.3, 1.9) && is_slower(1.3, 2.0));
        assert!(!is_slower(1.0, 1.45) && is_slower(1.0, 1.55) && is_slower(0.5, 1.55));
        // Even a machine has its bound.
        assert!(!is_slower(2.2, 2.2) && is_slower(2.3, 2.3));
    }

    #[test]
    fn another_cpu_has_another_bound() {
        let mut old = record([1.0, 2.0], 1.0);
        old.machine.cpu = "another".into();
        assert!(!records(&old, &record([3.0, 6.0], 1.0)).unwrap().is_slower);
        assert!(records(&old, &record([5.0, 6.0], 1.0)).unwrap().is_slower);
    }

    #[test]
    fn records_that_share_nothing_are_refused() {
        let old = record([1.0, 2.0], 1.0);
        let mut new = record([1.0, 2.0], 1.0);
        new.grids[0].n = 65;
        assert!(records(&old, &new).is_err());
        new.dtypes.pop();
        assert!(records(&old, &new).is_err());
    }
}
