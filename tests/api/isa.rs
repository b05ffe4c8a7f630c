//! The choice of an instruction set: by name, and by the environment variable.

use super::support::say;
use simdcast::isa::{self, LevelError};
use simdcast::{Cast, CastError, CastOptions, DType};
use std::ffi::OsStr;
use std::process::Command;

#[test]
fn names_are_found_in_any_case() {
    assert!(isa::available().count() >= 1);
    assert_eq!(isa::levels().last().map(isa::Level::name), Some("scalar"));
    for level in isa::available() {
        for name in [level.name().to_owned(), level.name().to_uppercase()] {
            assert!(std::ptr::eq(isa::find(&name).unwrap(), level));
        }
        let best = isa::available().find(|other| other.family() == level.family()).unwrap();
        assert!(std::ptr::eq(isa::find(&level.family().to_uppercase()).unwrap(), best));
    }
    let refused = |name: &str, why| {
        let error = CastError::Isa { name: name.to_owned(), why };
        assert_eq!(isa::find(name).unwrap_err(), error);
        assert_eq!(isa::set(name).unwrap_err(), error);
    };
    for level in isa::levels().iter().filter(|level| !level.is_available()) {
        refused(level.name(), LevelError::Unavailable);
    }
    for unknown in ["", "abacus", "scalar ", "avx2\0"] {
        refused(unknown, LevelError::Unknown);
    }
}

#[test]
fn a_cast_may_choose_for_itself() {
    for level in isa::levels() {
        let cast = Cast::on(level, DType::Float32, DType::Float16, CastOptions::new());
        if level.is_available() {
            let (cast, mut dst) = (cast.unwrap(), [0; 2]);
            assert_eq!(cast.isa(), level.name());
            assert_eq!(cast.run(&1.5f32.to_ne_bytes(), &mut dst), Ok(()));
            assert_eq!(u16::from_ne_bytes(dst), 0x3e00);
        } else {
            let (name, why) = (level.name().to_owned(), LevelError::Unavailable);
            assert_eq!(cast.unwrap_err(), CastError::Isa { name, why });
        }
    }
}

#[test]
fn a_level_is_itself_and_no_other() {
    for (i, level) in isa::levels().iter().enumerate() {
        for (j, other) in isa::levels().iter().enumerate() {
            assert_eq!(level == other, i == j, "{level} and {other}");
        }
        assert_eq!([level.to_string(), format!("{level:?}")], [level.name(); 2]);
        assert_eq!(format!("{level:>20}"), format!("{:>20}", level.name()));
    }
    let by_level: std::collections::HashMap<_, _> =
        isa::levels().iter().map(|level| (level, level.name())).collect();
    assert_eq!(by_level.len(), isa::levels().len());
    assert_eq!(by_level[isa::current()], isa::current().name());
}

/// Other tests may run meanwhile: what they check is the same on all instruction sets.
#[test]
fn a_set_holds_for_casts_resolved_afterwards() {
    let resolve = || Cast::new(DType::Float32, DType::UInt8, CastOptions::new()).unwrap();
    let before = isa::current();
    for level in isa::available() {
        let old = resolve();
        let name = old.isa();
        assert!(std::ptr::eq(isa::set(level.name()).unwrap(), level));
        assert!(std::ptr::eq(isa::current(), level));
        assert_eq!((resolve().isa(), old.isa()), (level.name(), name));
        assert!(isa::set("abacus").is_err());
        assert!(std::ptr::eq(isa::current(), level), "a refused set changes nothing");
        let mut bytes = [0u8; 2];
        simdcast::cast(&[300.0f32, 1.5], &mut bytes).unwrap();
        assert_eq!(bytes, [255, 1]);
    }
    isa::set(before.name()).unwrap();
}

/// The child that is asked what it uses is this test, too.
#[test]
fn the_first_cast_decides() {
    let cast = Cast::new(DType::Float32, DType::UInt8, CastOptions::new()).unwrap();
    let mut byte = [0];
    cast.run(bytemuck::bytes_of(&7.9f32), &mut byte).unwrap();
    assert_eq!(byte, [7]);
    let available: Vec<_> = isa::available().map(isa::Level::name).collect();
    assert!(available.contains(&cast.isa()));
    println!("{SAYS}{} of {available:?}", cast.isa());
}

const SAYS: &str = "uses ";

/// What a child with that variable says.
struct Child {
    /// The instruction set of its first cast.
    uses: String,
    available: Vec<String>,
    stderr: String,
}

impl Child {
    fn new(variable: Option<&OsStr>) -> Self {
        let mut child = command();
        child.args(["--exact", "isa::the_first_cast_decides"]);
        child.args(["--nocapture", "--test-threads", "1"]);
        match variable {
            Some(value) => child.env("SIMDCAST_ISA", value),
            None => child.env_remove("SIMDCAST_ISA"),
        };
        let output = child.output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{variable:?}: {stdout}{stderr}");
        let said = stdout.lines().find_map(|line| line.split_once(SAYS));
        let (uses, available) = said.and_then(|(_, said)| said.split_once(" of ")).expect(&stdout);
        let available = available.split('"').skip(1).step_by(2).map(str::to_owned).collect();
        Self { uses: uses.to_owned(), available, stderr }
    }

    fn assert_uses(&self, name: &str) {
        assert_eq!(self.uses, name, "{}", self.stderr);
    }
}

/// This binary, to be run as Cargo has run it: where a variable names an emulator, by that one.
fn command() -> Command {
    let this = std::env::current_exe().unwrap();
    let target = format!("CARGO_TARGET_{}", std::env::consts::ARCH.to_uppercase());
    let is_runner = |name: &str| name.starts_with(&target) && name.ends_with("_RUNNER");
    let Some((_, runner)) = std::env::vars().find(|(name, _)| is_runner(name)) else {
        return Command::new(this);
    };
    let mut words = runner.split_whitespace();
    let mut command = Command::new(words.next().expect("a runner has a name"));
    command.args(words).arg(this);
    command
}

/// As it is of many a service: what is said to no one is not said, and the cast is done.
#[cfg(target_os = "linux")]
#[test]
fn a_line_that_cannot_be_written_is_left_out() {
    let mut child = command();
    child.args(["--exact", "isa::the_first_cast_decides", "--nocapture", "--test-threads", "1"]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = child.env("SIMDCAST_ISA", "nonsense").stderr(full).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(SAYS), "{said}");
}

#[test]
fn simdcast_isa_is_honoured_in_any_case() {
    let best = Child::new(None);
    best.assert_uses(&best.available[0]);
    assert_eq!(best.stderr.trim(), "");
    let empty = Child::new(Some(OsStr::new("")));
    empty.assert_uses(&best.available[0]);
    assert_eq!(empty.stderr.trim(), "");
    for name in &best.available {
        for name_as_given in [name.to_lowercase(), name.to_uppercase()] {
            let child = Child::new(Some(OsStr::new(&name_as_given)));
            child.assert_uses(name);
            assert_eq!(child.stderr.trim(), "");
        }
    }
    say(&format!("SIMDCAST_ISA: {:?} each used when told", best.available));
}

#[test]
fn simdcast_isa_that_cannot_be_used_gives_one_line() {
    let mut unusable = vec![("nonsense".into(), "has none of that name")];
    let best = Child::new(None);
    for level in isa::levels() {
        if !best.available.iter().any(|name| name == level.name()) {
            unusable.push((level.name().into(), "cannot run it"));
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        let name = std::ffi::OsString::from_vec(b"avx\xff".to_vec());
        unusable.push((name, "has none of that name"));
    }
    for (name, why) in unusable {
        let child = Child::new(Some(&name));
        child.assert_uses(&best.available[0]);
        let lines: Vec<_> = child.stderr.lines().collect();
        assert_eq!(lines.len(), 1, "{name:?}: {lines:?}");
        let shown = name.to_string_lossy();
        let used = format!("using {}", best.available[0]);
        for fact in ["simdcast:", "SIMDCAST_ISA", &shown, why, "scalar", &used] {
            assert!(lines[0].contains(fact), "{lines:?} does not tell {fact:?}");
        }
    }
}

#[cfg(not(target_os = "linux"))]
#[test]
fn a_line_that_cannot_be_written_is_left_out() {
    crate::support::say(
        "NOT TESTED: this platform has no /dev/full, to which nothing can be written",
    );
}
