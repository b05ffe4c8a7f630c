//! Measures simdcast on this machine, beside other libraries, and compares what was measured.
//!
//! See [`args::HELP`] for what can be asked. [`measuring`] says what is measured, [`rivals`] what it is compared
//! with; how a cast is timed is in the library's example `matrix`.

mod args;
mod compare;
#[allow(dead_code)] // It is for checked casts, too.
#[path = "../../../examples/matrix/data.rs"]
mod data;
mod figures;
#[cfg(feature = "pictures")]
mod html;
mod machine;
#[allow(dead_code)] // It is for casts under options, too.
#[path = "../../../examples/matrix/measure.rs"]
mod measure;
mod measuring;
#[cfg(feature = "pictures")]
mod pictures;
#[path = "../../../examples/matrix/progress.rs"]
mod progress;
mod record;
mod rivals;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match args::parse(std::env::args_os().skip(1)).and_then(args::Request::answer) {
        Ok(answer) => match print(&answer.text) {
            Err(error) => fail(&format!("cannot write to stdout: {error}")),
            Ok(()) if answer.is_bad => ExitCode::from(1),
            Ok(()) => ExitCode::SUCCESS,
        },
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    // If nobody listens there, the status still tells.
    let _ = writeln!(io::stderr(), "simdcast-peers: {message}");
    ExitCode::from(2)
}

/// Writes to stdout. A reader that has seen enough, such as `head`, is not an error.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
