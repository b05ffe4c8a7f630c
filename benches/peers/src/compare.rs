//! Two records, or a record and a short run: what got slower or faster.
//!
//! What is compared are ratios to memcpy, each taken by turns with it in one process: most of what another load
//! or another clock does to one it does to the other. What is left is noise, and is bounded pair by pair: a
//! factor counts if it is more than [`NOISE`] times as much as the rounds of either record differed among
//! themselves. Between different CPUs nothing can be told by that; there [`OTHER_CPU`] stands for it.

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
    if old.dtypes != new.dtypes {
        return Err("the records are of different dtypes".to_owned());
    }
    let noise = noise_between(&old.machine, &new.machine);
    let mut text = heading(old, new, noise);
    let mut is_slower = false;
    let mut compared = 0;
    for new_grid in &new.grids {
        let Some(old_grid) = old.grid(&new_grid.isa, new_grid.n) else { continue };
        compared += 1;
        is_slower |= grids(&mut text, &old.dtypes, old_grid, new_grid, noise);
    }
    if compared == 0 {
        return Err("the records have no instruction set and size in common".to_owned());
    }
    text += if is_slower { "\nSLOWER\n" } else { "\nNothing is slower beyond noise.\n" };
    Ok(Comparison { text, is_slower })
}

fn noise_between(old: &Machine, new: &Machine) -> f64 {
    if old.cpu == new.cpu { NOISE } else { OTHER_CPU }
}

fn heading(old: &Record, new: &Record, noise: f64) -> String {
    let mut text = format!("old: {}\nnew: {}\n", old.machine.describe(), new.machine.describe());
    let _ = writeln!(
        text,
        "new ratio to memcpy / old one; a pair counts beyond {noise} times what its rounds differed by"
    );
    text
}

/// All pairs that both grids have, and that changed beyond noise: slowest first.
fn changes(old: &Grid, new: &Grid, noise: f64) -> (Vec<f64>, Vec<Change>) {
    let (mut factors, mut changes) = (Vec::new(), Vec::new());
    for (row, cells) in new.ratio.iter().enumerate() {
        for (column, new_ratio) in cells.iter().enumerate() {
            let (Some(new_ratio), Some(old_ratio)) = (*new_ratio, old.ratio[row][column]) else {
                continue;
            };
            let factor = new_ratio / old_ratio;
            factors.push(factor);
            let spread = |grid: &Grid| grid.spread[row][column].unwrap_or(1.0);
            let bound = noise * spread(old) * spread(new);
            if factor > bound || factor * bound < 1.0 {
                changes.push(Change { row, column, factor, bound });
            }
        }
    }
    changes.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    (factors, changes)
}

/// Says what changed between two grids, and whether anything became slower.
fn grids(text: &mut String, dtypes: &[String], old: &Grid, new: &Grid, noise: f64) -> bool {
    let (factors, changes) = changes(old, new, noise);
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
    // (Another CPU's mean is another one.)
    slower > 0 || noise == NOISE && mean > noise_of_mean(factors.len())
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
    for _ in 0..AGAIN {
        let mut again = false;
        for grid in &mut new.grids {
            let Some(old_grid) = old.grid(&grid.isa, grid.n) else { continue };
            let noise = noise_between(&old.machine, &new.machine);
            let (_, changes) = changes(old_grid, grid, noise);
            for change in changes.iter().filter(|change| change.factor > 1.0) {
                again = true;
                measure_again(grid, change)?;
            }
        }
        if !again {
            break;
        }
    }
    records(old, &new)
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
        let mut record = Record::new();
        record.dtypes = vec!["int8".into(), "bool".into()];
        let ratio = vec![vec![Some(ratios[0]), None], vec![None, Some(ratios[1])]];
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
