//! A progress bar on stderr: how far, which pair, how long still. Nothing where stderr is not a
//! terminal.

use simdcast::Cast;
use std::io::{self, Write};
use std::time::{Duration, Instant};

const BAR: usize = 20;
/// What a terminal can be expected to show on a line.
const LINE: usize = 79;
const REDRAW: Duration = Duration::from_millis(100);

pub(crate) struct Progress {
    total: usize,
    begun: usize,
    start: Instant,
    drawn: Option<Instant>,
    visible: bool,
}

impl Progress {
    pub(crate) fn new(total: usize, visible: bool) -> Self {
        Self { total, begun: 0, start: Instant::now(), drawn: None, visible }
    }

    /// Says that the next cast is begun.
    pub(crate) fn show(&mut self, cast: &Cast) {
        let done = self.begun;
        self.begun += 1;
        if !self.visible || self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
            return;
        }
        self.drawn = Some(Instant::now());
        draw(&line(done, self.total, self.start.elapsed(), cast));
    }
}

/// The bar goes away with the last cast, or with the error that ended the run.
impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            draw("");
            let _ = write!(io::stderr(), "\r");
        }
    }
}

fn line(done: usize, total: usize, elapsed: Duration, cast: &Cast) -> String {
    let full = BAR * done / total.max(1);
    let left = match done {
        0 => String::new(),
        _ => {
            let seconds = elapsed.as_secs_f64() / done as f64 * (total - done) as f64;
            format!("{seconds:.0} s left, ")
        }
    };
    let (bar, rest) = ("#".repeat(full), ".".repeat(BAR - full));
    format!("[{bar}{rest}] {done}/{total} {left}{} -> {}", cast.from(), cast.to())
}

/// Overwrites the line. A bar that cannot be drawn is no reason to stop.
fn draw(line: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r{line:<LINE$.LINE$}");
    let _ = err.flush();
}
