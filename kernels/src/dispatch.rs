//! The door: which instruction sets are compiled in, which of them this CPU has, and which one casts
//! use. It is decided once, at the first cast: the best that there is, unless the environment
//! variable `SIMDCAST_ISA` names another. [`set`] changes it for casts resolved afterwards.

use crate::align::{self, LINE};
use crate::scalar;
use crate::stream;
use crate::table::Table;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// An instruction set that this build has kernels for.
pub struct Level {
    name: &'static str,
    family: &'static str,
    detect: fn() -> bool,
    /// The bytes of the longest access to memory that this CPU makes for it, half a line or a whole one.
    access: fn() -> usize,
    /// Whether it has registers of 32 bytes or more, which AVX does.
    is_wide: bool,
    pub(crate) table: &'static Table,
}

impl Level {
    /// The exact name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The name that stands for the best level of its kind.
    pub const fn family(&self) -> &'static str {
        self.family
    }

    /// Whether this CPU can run it.
    pub fn is_available(&self) -> bool {
        (self.detect)()
    }

    /// Tells what else moves memory how long this level's accesses are. It makes a difference to time only.
    fn expect(&self) {
        align::expect((self.access)());
        // SAFETY: registers are wide where the CPU has the level, and with it AVX.
        unsafe { stream::expect(self.is_wide && self.is_available()) };
    }
}

/// By name, which each has to itself.
impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Level {}

impl Hash for Level {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// The name.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// The best first; scalar, which every CPU has, last.
static LEVELS: &[Level] = &[
    #[cfg(all(
        target_arch = "x86_64",
        not(any(simdcast_portable, simdcast_without_avx512, test))
    ))]
    Level {
        name: "avx512_bf16",
        family: "avx512",
        detect: crate::avx512::detect_bf16,
        access: crate::avx512::access,
        is_wide: true,
        table: &crate::avx512::TABLE_BF16,
    },
    #[cfg(all(
        target_arch = "x86_64",
        not(any(simdcast_portable, simdcast_without_avx512, test))
    ))]
    Level {
        name: "avx512_vbmi",
        family: "avx512",
        detect: crate::avx512::detect_vbmi,
        access: crate::avx512::access,
        is_wide: true,
        table: &crate::avx512::TABLE_VBMI,
    },
    #[cfg(all(
        target_arch = "x86_64",
        not(any(simdcast_portable, simdcast_without_avx512, test))
    ))]
    Level {
        name: "avx512_bw",
        family: "avx512",
        detect: crate::avx512::detect,
        access: crate::avx512::access,
        is_wide: true,
        table: &crate::avx512::TABLE,
    },
    #[cfg(all(target_arch = "x86_64", not(any(simdcast_portable, test))))]
    Level {
        name: "avx2",
        family: "avx2",
        detect: crate::avx2::detect,
        access: || LINE / 2,
        is_wide: true,
        table: &crate::avx2::TABLE,
    },
    #[cfg(all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon",
        not(any(simdcast_portable, test))
    ))]
    Level {
        name: "neon",
        family: "neon",
        detect: || true,
        access: || LINE,
        is_wide: false,
        table: &crate::neon::TABLE,
    },
    Level {
        name: "scalar",
        family: "scalar",
        detect: || true,
        access: || LINE,
        is_wide: false,
        table: &scalar::TABLE,
    },
];

/// Every level that this build has kernels for, the best first.
pub fn levels() -> &'static [Level] {
    LEVELS
}

/// The levels that this CPU can run, the best first.
pub fn available() -> impl Iterator<Item = &'static Level> {
    levels().iter().filter(|level| level.is_available())
}

/// Why a name stands for no level that could be used. In words it tells which ones could be; whoever gave the name knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LevelError {
    /// No level of this build has that name.
    Unknown,
    /// This CPU cannot run it.
    Unavailable,
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "this build has none of that name, only",
            Self::Unavailable => "this CPU cannot run it, only",
        })?;
        let possible = |level: &&Level| *self == Self::Unknown || level.is_available();
        for (i, level) in levels().iter().filter(possible).enumerate() {
            write!(f, "{}{}", if i == 0 { " " } else { ", " }, level.name)?;
        }
        Ok(())
    }
}

impl core::error::Error for LevelError {}

/// The best level of that name, exact or of a family, that this CPU can run.
///
/// # Errors
/// [`LevelError::Unknown`] if this build has none of that name, [`LevelError::Unavailable`] if this CPU runs none.
pub fn find(name: &str) -> Result<&'static Level, LevelError> {
    let named = |level: &&Level| {
        name.eq_ignore_ascii_case(level.name) || name.eq_ignore_ascii_case(level.family)
    };
    match available().find(named) {
        Some(level) => Ok(level),
        None if levels().iter().any(|level| named(&level)) => Err(LevelError::Unavailable),
        None => Err(LevelError::Unknown),
    }
}

/// The table of the level in use; null before the first cast. Whatever else is stored here is one of `LEVELS`'.
static CURRENT: AtomicPtr<Table> = AtomicPtr::new(ptr::null_mut());

/// What casts resolved now use.
#[inline(always)]
pub(crate) fn current_table() -> &'static Table {
    match known_table() {
        Some(table) => table,
        None => decide(),
    }
}

/// The same, if it is decided.
#[inline(always)]
pub(crate) fn known_table() -> Option<&'static Table> {
    // SAFETY: null or a reference to the table of one of `LEVELS`. Those are constants, so that seeing the
    // pointer is seeing what it points to: no ordering is needed.
    unsafe { CURRENT.load(Ordering::Relaxed).as_ref() }
}

/// The level that casts resolved now use.
pub fn current() -> &'static Level {
    let table = current_table();
    let level = LEVELS.iter().find(|level| ptr::eq(level.table, table));
    level.unwrap_or(&LEVELS[LEVELS.len() - 1])
}

/// Uses a level for the casts resolved from now on, in every thread.
///
/// # Errors
/// As [`find`].
pub fn set(name: &str) -> Result<&'static Level, LevelError> {
    let level = find(name)?;
    level.expect();
    CURRENT.store(ptr::from_ref(level.table).cast_mut(), Ordering::Relaxed);
    Ok(level)
}

/// Has the kernels take this CPU's core for another one, for which some have other loops. The bits are the same: it
/// is there to be tested.
#[doc(hidden)]
#[cfg(all(target_arch = "x86_64", not(any(simdcast_portable, test))))]
pub fn assume_core(core: Core) {
    crate::cores::assume(core);
}

#[doc(hidden)]
#[cfg(all(target_arch = "x86_64", not(any(simdcast_portable, test))))]
pub use crate::cores::Core;

/// Decides at the first cast. Threads that come here together decide the same, unless one of them
/// has set a level meanwhile, which then stays.
#[cold]
fn decide() -> &'static Table {
    let (level, complaint) = wanted();
    let decided = ptr::from_ref(level.table).cast_mut();
    let relaxed = Ordering::Relaxed;
    // (Whoever sets another level meanwhile may be overtaken in this, which makes a difference to time only.)
    match CURRENT.compare_exchange(ptr::null_mut(), decided, relaxed, relaxed) {
        Ok(_) => {
            level.expect();
            if let Some(complaint) = complaint {
                tell(&complaint);
            }
            level.table
        }
        // SAFETY: as in `current_table`; it is not null, or the exchange would have been made.
        Err(other) => unsafe { other.as_ref() }.unwrap_or(level.table),
    }
}

/// The best level there is.
fn best() -> &'static Level {
    available().next().unwrap_or(&LEVELS[LEVELS.len() - 1])
}

/// The level to use, and what is to be told if it is not the one that was asked for.
#[cfg(feature = "std")]
fn wanted() -> (&'static Level, Option<alloc::string::String>) {
    let Some(name) = std::env::var_os("SIMDCAST_ISA").filter(|name| !name.is_empty()) else {
        return (best(), None);
    };
    let shown = name.to_string_lossy();
    let why = match find(&shown) {
        Ok(level) => return (level, None),
        Err(why) => why,
    };
    let (best, shown) = (best(), shown.escape_debug());
    (best, Some(alloc::format!("simdcast: SIMDCAST_ISA={shown}: {why}; using {}", best.name)))
}

#[cfg(not(feature = "std"))]
fn wanted() -> (&'static Level, Option<&'static str>) {
    (best(), None)
}

/// Writes a line where messages go, if it can be written.
#[cfg(feature = "std")]
fn tell(line: &str) {
    use std::io::Write;
    let _ = std::writeln!(std::io::stderr(), "{line}");
}

#[cfg(not(feature = "std"))]
fn tell(_: &str) {}
