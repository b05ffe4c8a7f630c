//! Adds a buffer of one dtype to a buffer of another, as several array libraries would: each says
//! where the two dtypes meet, the plan's casts bring both there, and the sum is taken in that dtype.
//!
//! ```text
//! cargo run --release --example binary
//! cargo run --release --example binary -- uint8 float16
//! ```

use simdcast::promotion::{Promoted, System, plan};
use simdcast::{Cast, CastError, CastOptions, DType, Overflow};
use std::process::ExitCode;

const SYSTEMS: [System; 4] =
    [System::Torch, System::MegEngine, System::MegEngineElementwise, System::JaxStrict];

/// The numbers in either buffer.
const LEFT: [f64; 4] = [1.0, -3.0, 100.0, 127.0];
const RIGHT: [f64; 4] = [0.5, 3.0, 0.25, 1.0];

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let result = match names.as_slice() {
        [] => show(DType::Int8, DType::BFloat16),
        [a, b] => parsed(a).and_then(|a| show(a, parsed(b)?)),
        _ => Err("give two dtypes, or none".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("binary: {message}");
            ExitCode::from(2)
        }
    }
}

fn parsed(name: &str) -> Result<DType, String> {
    name.parse().map_err(|error: simdcast::UnknownDType| error.to_string())
}

fn show(a: DType, b: DType) -> Result<(), String> {
    let left = buffer(a, &LEFT).map_err(|error| error.to_string())?;
    let right = buffer(b, &RIGHT).map_err(|error| error.to_string())?;
    println!("{LEFT:?} as {a} + {RIGHT:?} as {b}");
    for system in SYSTEMS {
        // What has no common dtype is an answer, too.
        match plan(system, a, b, CastOptions::new()) {
            Ok(promoted) => {
                let sum = add(&promoted, &left, &right).map_err(|error| error.to_string())?;
                println!("{system} adds in {}: {sum:?}", promoted.common);
            }
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}

/// The numbers, as a buffer of a dtype.
fn buffer(dtype: DType, numbers: &[f64]) -> Result<Vec<u8>, CastError> {
    // Integers keep the low bits of a sum that does not fit.
    let options = CastOptions::new().overflow(Overflow::Wrap);
    run(&Cast::new(DType::Float64, dtype, options)?, bytemuck::cast_slice(numbers))
}

/// The numbers in a buffer of a dtype.
fn numbers(dtype: DType, buffer: &[u8]) -> Result<Vec<f64>, CastError> {
    let bytes = run(&Cast::new(dtype, DType::Float64, CastOptions::new())?, buffer)?;
    let number = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    Ok(bytes.chunks_exact(8).map(number).collect())
}

fn run(cast: &Cast, bytes: &[u8]) -> Result<Vec<u8>, CastError> {
    let n = LEFT.len();
    let mut out = vec![0; cast.to().bytes_for(n).expect("four elements have a size")];
    cast.run_n(bytes, &mut out, n)?;
    Ok(out)
}

/// Brings both buffers to the common dtype, and adds them there. A library has a kernel of its own
/// for this; here the numbers are added in float64 and rounded to the dtype, which for numbers as
/// small as these is the same.
fn add(promoted: &Promoted, left: &[u8], right: &[u8]) -> Result<Vec<f64>, CastError> {
    let common = promoted.common.dtype;
    let left = numbers(common, &run(&promoted.left, left)?)?;
    let right = numbers(common, &run(&promoted.right, right)?)?;
    let sums: Vec<f64> = left.iter().zip(&right).map(|(a, b)| a + b).collect();
    numbers(common, &buffer(common, &sums)?)
}
