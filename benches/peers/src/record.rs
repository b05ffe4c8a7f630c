//! What was measured, as it is kept: a file in JSON.

use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use simdcast::DType;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The number of the file's form. Another one cannot be compared with.
const FORM: u32 = 1;

/// All figures of a machine.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) form: u32,
    pub(crate) machine: Machine,
    /// Crates and their versions.
    pub(crate) versions: BTreeMap<String, String>,
    /// The rows and columns of grids.
    pub(crate) dtypes: Vec<String>,
    pub(crate) grids: Vec<Grid>,
    pub(crate) contests: Vec<Contest>,
    pub(crate) lengths: Vec<Lengths>,
    pub(crate) threads: Vec<Threads>,
}

/// A cell for each pair: a row per source, a column per destination.
pub(crate) type Cells = Vec<Vec<Option<f64>>>;

/// All pairs on an instruction set, at a size.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Grid {
    pub(crate) isa: String,
    pub(crate) n: usize,
    /// Nanoseconds an element.
    pub(crate) ns: Cells,
    /// The time of the cast by that of memcpy of the same bytes.
    pub(crate) ratio: Cells,
    /// How far the ratios of the single rounds lie apart: the largest by the smallest.
    pub(crate) spread: Cells,
}

/// A pair at a size, beside others.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Contest {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) n: usize,
    pub(crate) isa: String,
    /// Nanoseconds an element, of the library, of memcpy of the same bytes, and of others.
    pub(crate) ns: f64,
    pub(crate) memcpy: f64,
    pub(crate) rivals: BTreeMap<String, f64>,
}

impl Contest {
    /// The fastest of the others, but for the loop of a build that nobody ships.
    pub(crate) fn best(&self) -> Option<(&str, f64)> {
        let rivals = self.rivals.iter().map(|(name, ns)| (name.as_str(), *ns));
        rivals.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    pub(crate) fn pair(&self) -> String {
        format!("{} -> {}", self.from, self.to)
    }
}

/// A pair at many sizes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Lengths {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) isa: String,
    /// The number of elements, and nanoseconds an element of the cast and of memcpy.
    pub(crate) points: Vec<(usize, f64, f64)>,
}

/// A pair on several threads.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Threads {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) isa: String,
    pub(crate) n: usize,
    /// The number of threads, and GB/s (read and written).
    pub(crate) points: Vec<(usize, f64)>,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self {
            form: FORM,
            machine: Machine::this(),
            versions: versions(),
            dtypes: DType::ALL.map(|dtype| dtype.name().to_owned()).to_vec(),
            grids: Vec::new(),
            contests: Vec::new(),
            lengths: Vec::new(),
            threads: Vec::new(),
        }
    }

    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let at = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
        let text = fs::read_to_string(path).map_err(|error| at(&error))?;
        let record: Self = serde_json::from_str(&text).map_err(|error| at(&error))?;
        if record.form != FORM {
            return Err(at(&format!("form {}, where this program knows {FORM}", record.form)));
        }
        let dtypes = record.dtypes.len();
        let is_square =
            |cells: &Cells| cells.len() == dtypes && cells.iter().all(|row| row.len() == dtypes);
        for grid in &record.grids {
            if ![&grid.ns, &grid.ratio, &grid.spread].into_iter().all(is_square) {
                let (isa, n) = (&grid.isa, grid.n);
                return Err(at(&format!("{isa}, {n} elements: not {dtypes} rows and columns")));
            }
        }
        Ok(record)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        // A line for each row of a grid, or for anything else: what a diff can show.
        let text = text.replace("},{", "},\n{").replace("],[", "],\n[") + "\n";
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(crate) fn grid(&self, isa: &str, n: usize) -> Option<&Grid> {
        self.grids.iter().find(|grid| grid.isa == isa && grid.n == n)
    }
}

/// Three significant digits: more would be noise.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Versions as the lock file has them.
fn versions() -> BTreeMap<String, String> {
    let packages = include_str!("../../../Cargo.lock").split("[[package]]");
    let field = |package: &str, name: &str| {
        let start = format!("{name} = \"");
        let line = package.lines().find(|line| line.starts_with(&start))?;
        Some(line[start.len()..].trim_end_matches('"').to_owned())
    };
    packages
        .filter_map(|package| Some((field(package, "name")?, field(package, "version")?)))
        .filter(|(name, _)| crate::rivals::CRATES.contains(&name.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(rounded(0.123_456), 0.123);
        assert_eq!(rounded(123_456.0), 123_000.0);
    }

    #[test]
    fn versions_come_from_the_lock_file() {
        assert_eq!(versions().len(), crate::rivals::CRATES.len());
    }

    #[test]
    fn what_is_written_can_be_read_and_nothing_else() {
        let path = std::env::temp_dir().join(format!("record-{}.json", std::process::id()));
        let mut record = Record::new();
        let cells = vec![vec![Some(1.5), None]; 2];
        record.dtypes = vec!["int8".into(), "bool".into()];
        let (ns, ratio, spread) = (cells.clone(), cells.clone(), cells);
        record.grids.push(Grid { isa: "scalar".into(), n: 64, ns, ratio, spread });
        record.write(&path).unwrap();
        let again = Record::read(&path).unwrap();
        assert_eq!(again.machine, record.machine);
        assert_eq!(again.grid("scalar", 64).unwrap().ratio[1][0], Some(1.5));

        record.dtypes.pop();
        record.write(&path).unwrap();
        let error = Record::read(&path).unwrap_err();
        assert!(error.contains("scalar, 64 elements: not 1 rows"), "{error}");
        record.grids.clear();
        record.form = 77;
        record.write(&path).unwrap();
        assert!(Record::read(&path).unwrap_err().contains("form 77"));
        fs::write(&path, "{").unwrap();
        assert!(Record::read(&path).unwrap_err().contains("record-"));
        fs::remove_file(&path).unwrap();
        assert!(Record::read(&path).is_err());
    }
}
