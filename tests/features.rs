//! What a build without some features leaves out of the tests: files that need one are empty then, and pass. It is said here.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use support::say;

/// The features that tests need, and whether this build has them.
const FEATURES: [(&str, bool); 4] = [
    ("capi", cfg!(feature = "capi")),
    ("ndarray", cfg!(feature = "ndarray")),
    ("rayon", cfg!(feature = "rayon")),
    ("serde", cfg!(feature = "serde")),
];

/// The files in a folder, and in those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn what_is_left_out_for_want_of_a_feature_is_said() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut needs = BTreeMap::<String, BTreeSet<String>>::new();
    for path in files(&folder) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let attributes = text.lines().map(str::trim_start).filter(|line| line.starts_with('#'));
        for (_, feature) in attributes.filter_map(|line| line.split_once("cfg(feature = \"")) {
            let name = path.strip_prefix(&folder).unwrap().display().to_string();
            let feature = feature.split('"').next().unwrap().to_owned();
            needs.entry(feature).or_default().insert(name);
        }
    }
    assert!(needs.keys().eq(FEATURES.map(|(name, _)| name)), "tests need {needs:?}");
    for (feature, _) in FEATURES.into_iter().filter(|(_, is_here)| !is_here) {
        let files = needs[feature].iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        say(&format!("NOT TESTED: WHAT NEEDS THE FEATURE {feature} IN {files}"));
    }
}
