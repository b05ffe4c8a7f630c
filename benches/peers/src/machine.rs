//! What a record was taken on.

use serde::{Deserialize, Serialize};
use simdcast::isa;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A computer, as far as it matters to a cast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The CPU's name, and what tells it from others of that name.
    pub(crate) cpu: String,
    pub(crate) arch: String,
    pub(crate) os: String,
    /// Logical CPUs that this process may use.
    pub(crate) threads: usize,
    /// Bytes of the caches that the first CPU uses, by level (`L1d`, `L2`, ...), as far as the system tells.
    pub(crate) caches: BTreeMap<String, usize>,
    /// The instruction sets of the library that the CPU has, best first.
    pub(crate) isa: Vec<String>,
}

impl Machine {
    pub(crate) fn this() -> Self {
        Self {
            cpu: cpu().unwrap_or_else(|| "unknown".to_owned()),
            arch: std::env::consts::ARCH.to_owned(),
            os: std::env::consts::OS.to_owned(),
            threads: std::thread::available_parallelism().map_or(1, |threads| threads.get()),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            isa: isa::available().map(|level| level.name().to_owned()).collect(),
        }
    }

    /// In a line, for people.
    pub(crate) fn describe(&self) -> String {
        let caches: Vec<String> = self
            .caches
            .iter()
            .map(|(level, bytes)| format!("{level} {}", in_units(*bytes)))
            .collect();
        let caches =
            if caches.is_empty() { "caches unknown".to_owned() } else { caches.join(", ") };
        format!("{}, {} threads, {caches} ({}, {})", self.cpu, self.threads, self.arch, self.os)
    }

    /// The last-level cache's bytes, or what is seldom less.
    pub(crate) fn last_level(&self) -> usize {
        self.caches.values().copied().max().unwrap_or(32 << 20)
    }
}

/// A number of bytes in KiB or MiB.
pub(crate) fn in_units(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

/// What Linux says of the first CPU. (Names of cloud machines say little without the numbers.)
fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    if let Some(name) = field("model name") {
        let (family, model) = (field("cpu family")?, field("model")?);
        return Some(format!("{name}, family {family} model {model}"));
    }
    Some(format!("implementer {} part {}", field("CPU implementer")?, field("CPU part")?))
}

fn caches(directory: &Path) -> BTreeMap<String, usize> {
    let mut caches = BTreeMap::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let read = |name| fs::read_to_string(entry.path().join(name)).ok();
        let (Some(level), Some(kind), Some(size)) = (read("level"), read("type"), read("size"))
        else {
            continue;
        };
        let Some(bytes) = bytes(size.trim()) else { continue };
        let name = match kind.trim() {
            "Data" => format!("L{}d", level.trim()),
            "Unified" => format!("L{}", level.trim()),
            _ => continue,
        };
        caches.insert(name, bytes);
    }
    caches
}

/// `48K` or `2M` as a number.
fn bytes(text: &str) -> Option<usize> {
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => (text.strip_suffix('M')?, 1 << 20),
    };
    Some(digits.parse::<usize>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("48K"), Some(48 << 10));
        assert_eq!(bytes("2M"), Some(2 << 20));
        assert_eq!(bytes("2"), None);
        assert_eq!(in_units(48 << 10), "48 KiB");
        assert_eq!(in_units(260 << 20), "260 MiB");
    }

    #[test]
    fn this_machine_has_an_instruction_set_and_a_thread() {
        let machine = Machine::this();
        assert!(machine.isa.iter().any(|name| name == "scalar"));
        assert!(machine.threads > 0);
        assert!(machine.last_level() > 0);
    }
}
