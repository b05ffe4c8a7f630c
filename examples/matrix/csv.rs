//! The file of figures.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The file of figures, if one is wanted. Each row is written when it is known, so that a run that is
/// cut short leaves those it came to.
pub(crate) struct Csv<'a>(Option<(&'a Path, File)>);

impl<'a> Csv<'a> {
    pub(crate) fn create(path: Option<&'a Path>, header: &str) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self(None)) };
        let file = File::create(path).map_err(|error| Self::error(path, &error))?;
        let mut csv = Self(Some((path, file)));
        csv.write(header)?;
        Ok(csv)
    }

    /// Writes a row, whose line it ends itself.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), String> {
        let Some((path, file)) = &mut self.0 else { return Ok(()) };
        file.write_all(text.as_bytes()).map_err(|error| Self::error(path, &error))
    }

    fn error(path: &Path, error: &io::Error) -> String {
        format!("cannot write to {}: {error}", path.display())
    }
}
