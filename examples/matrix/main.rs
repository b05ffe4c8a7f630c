//! How fast is which cast on this machine, and by which kernel?
//!
//! `cargo run --release --example matrix` times every pair of dtypes and shows the figures as a heat
//! table; `--help` lists what else can be asked.
//!
//! A figure in GB/s says little without the machine that it was taken on. So each cast is timed
//! beside a memcpy that moves as many bytes, by turns in the same process, and the best of many such
//! turns is kept for either; the ratio of the two is what carries over to other machines of the kind.
//! [`measure`] says how a turn goes, [`data`] what is cast. [`against`] compares options with the
//! default ones instead, by turns likewise.

mod against;
mod args;
mod csv;
mod data;
mod measure;
mod progress;
mod report;

use args::{Args, Request};
use csv::Csv;
use measure::{Bench, Measurement, ROUNDS, Times};
use progress::Progress;
use simdcast::{Cast, isa};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match args::parse(std::env::args_os().skip(1)).and_then(answer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // If nobody listens there, the status still tells.
            let _ = writeln!(io::stderr(), "matrix: {message}");
            ExitCode::from(2)
        }
    }
}

fn answer(request: Request) -> Result<(), String> {
    let text = match request {
        Request::Help => args::HELP.to_owned(),
        Request::Measure(args) if args.against_default => {
            against::text(&args, report::Style::of_stdout())?
        }
        Request::Measure(args) => {
            let measurements = measure_all(&args)?;
            report::text(&args, &measurements, report::Style::of_stdout())
        }
    };
    print(&text).map_err(|error| format!("cannot write to stdout: {error}"))
}

/// Writes to stdout. A reader that has seen enough, such as `head`, is not an error.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

const HEADER: &str = "from,to,isa,road,n,ns_per_element,gb_per_s,ratio_to_memcpy\n";

/// A row of the file; none if nothing was measured.
fn row(measurement: &Measurement) -> String {
    let Some(figures) = measurement.figures else { return String::new() };
    let (cast, n) = (&measurement.cast, measurement.n);
    format!(
        "{},{},{},{},{n},{:.5},{:.4},{:.4}\n",
        cast.from(),
        cast.to(),
        cast.isa(),
        cast.road(),
        figures.ns_per_element,
        figures.gb_per_s,
        figures.ratio,
    )
}

/// Every pair at every size on every instruction set that was asked for, in this order: sets, sizes,
/// pairs.
fn measure_all(args: &Args) -> Result<Vec<Measurement>, String> {
    let mut csv = Csv::create(args.csv.as_deref(), HEADER)?;
    let total = args.levels.len() * args.sizes.len() * args.pairs.len() * ROUNDS;
    let mut progress = Progress::new(total, io::stderr().is_terminal());
    let mut measurements = Vec::new();
    for level in &args.levels {
        isa::set(level.name()).map_err(|error| error.to_string())?;
        for &n in &args.sizes {
            let mut bench = Bench::new(&args.pairs, n, args.offset)?;
            let mut times: Vec<Option<Times>> = vec![None; args.pairs.len()];
            for round in 1..=ROUNDS {
                for (&(from, to), best) in args.pairs.iter().zip(&mut times) {
                    let cast = Cast::new(from, to, args.options);
                    let cast = cast.map_err(|error| error.to_string())?;
                    progress.show(&cast);
                    let these = bench.times(&cast, &args.options);
                    *best = match (these, *best) {
                        (Some(these), Some(best)) => Some(best.or_shorter(these)),
                        (these, _) => these,
                    };
                    if round == ROUNDS {
                        let measurement = bench.measurement(cast, *best);
                        csv.write(&row(&measurement))?;
                        measurements.push(measurement);
                    }
                }
            }
        }
    }
    Ok(measurements)
}
