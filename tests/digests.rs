//! One digest for each pair and class of options, over the same inputs everywhere, of what the kernels
//! store. The file beside this one keeps them: that every instruction set of every target comes to the
//! digests in it is the promise that a result does not depend on the CPU, whatever the byte order and the
//! size of pointers.
//!
//! After a change of the law (or of the inputs below) the file is written anew by
//!
//! ```text
//! SIMDCAST_RECORD_DIGESTS=1 cargo test --test digests
//! ```

mod support;

use simdcast::isa::Level;
use simdcast::{DType, Kind, Overflow, Rounding, reference};
use simdcast_kernels::{Kernel, Options, RunError};
use support::{assert_none, in_parallel, noise, pairs, say, tested_levels};

const FILE: &str = "tests/digests.txt";

/// The classes, in the order of the file's columns, each with its options.
fn classes() -> [(&'static str, Vec<Options>); 4] {
    let default = Options::DEFAULT;
    let overflow = |overflow| Options { overflow, ..default };
    let rounding = |rounding| Options { rounding, first_index: 5, ..default };
    let stochastic = Rounding::Stochastic { seed: 0x1234_5678_9abc_def0 };
    [
        ("default", vec![default]),
        ("overflow", [Overflow::Wrap, Overflow::Saturate, Overflow::Error].map(overflow).into()),
        ("saturate", vec![Options { saturate: false, ..default }]),
        (
            "rounding",
            [
                Rounding::NearestEven,
                Rounding::NearestAway,
                Rounding::TowardZero,
                Rounding::Up,
                Rounding::Down,
                stochastic,
            ]
            .map(rounding)
            .into(),
        ),
    ]
}

/// All codes of a dtype of up to 16 bits, or some of a wider one, a multiple of 8 of them, so that they
/// are whole bytes of any dtype.
fn inputs(from: DType) -> Vec<u128> {
    let bits = from.significant_bits();
    let mut codes: Vec<u128> = if bits <= 16 {
        (0..1 << bits).collect()
    } else if from.is_complex() {
        let parts = inputs(from.component());
        let other = |i: usize| parts[(7 * i + 3) % parts.len()];
        let shift = from.component().bits();
        let indices = (0..parts.len()).step_by(parts.len().div_ceil(SAMPLE));
        indices.map(|i| parts[i] | other(i) << shift).collect()
    } else {
        (0..SAMPLE as u64).map(|i| sample(from, i)).collect()
    };
    while !codes.len().is_multiple_of(8) {
        codes.push(codes[codes.len() / 2]);
    }
    codes
}

/// The codes of a dtype of more than 16 bits.
const SAMPLE: usize = 4096;

/// A code at random; or a number of 16 bits, or a neighbour of one, since that is where rounding and
/// ranges end.
fn sample(from: DType, i: u64) -> u128 {
    let (draw, bits) = (noise(i), from.bits() as u64);
    let random = u128::from(noise(!i));
    let mask = (1 << bits) - 1;
    if i.is_multiple_of(4) {
        return random & mask;
    }
    let near = if from.kind() == Kind::Float {
        let half = if i.is_multiple_of(2) { DType::Float16 } else { DType::BFloat16 };
        let code = u128::from(draw & 0xffff);
        reference::cast(half, from, code, &Options::DEFAULT, 0).expect("nothing is refused")
    } else {
        // The top bits of a draw, as many as another one says, of either sign.
        let magnitude = (random & mask) >> (draw % bits);
        if i.is_multiple_of(2) { magnitude } else { magnitude.wrapping_neg() & mask }
    };
    near.wrapping_add(u128::from(draw >> 32 & 3)).wrapping_sub(1) & mask
}

/// A digest in the making (FNV-1a over 64-bit words, with a finish).
struct Digest(u64);

impl Digest {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    fn add_code(&mut self, code: u128) {
        self.add(code as u64);
        self.add((code >> 64) as u64);
    }

    fn finish(self) -> u32 {
        (noise(self.0) >> 32) as u32
    }
}

/// The digest of what a level makes of these codes under the options of a class.
fn digest(
    level: &'static Level,
    (from, to): (DType, DType),
    class: &[Options],
    codes: &[u128],
) -> Result<u32, String> {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    for options in class {
        let kernel = Kernel::on(level, from, to, options);
        // Where elements are refused, each eight have a run of their own.
        let len = if options.overflow == Overflow::Error { 8 } else { codes.len() };
        for codes in codes.chunks_exact(len) {
            let src = support::source_bytes(from, codes);
            let mut dst = vec![0; to.bytes_for(len).expect("it is short")];
            let done = match kernel.run(&src, &mut dst, len) {
                Ok(()) => len,
                Err(RunError::Unfit { index }) => index,
                Err(other) => return Err(format!("{kernel:?}: {other:?}")),
            };
            digest.add(done as u64);
            (0..done).for_each(|i| digest.add_code(reference::load(to, &dst, i)));
        }
    }
    Ok(digest.finish())
}

/// The line of a pair, on which all levels must agree.
fn line(levels: &[&'static Level], pair: (DType, DType)) -> Result<String, String> {
    let all = inputs(pair.0);
    let some: Vec<u128> =
        all.chunks_exact(8).step_by((all.len() / 1024).max(1)).flatten().copied().collect();
    let mut line = format!("{} {}", pair.0, pair.1);
    for (class, options) in classes() {
        let codes = if class == "default" { &all } else { &some };
        let mut digests = Vec::new();
        for level in levels {
            digests.push(digest(level, pair, &options, codes)?);
        }
        let digest = digests[0];
        if let Some(i) = digests.iter().position(|&other| other != digest) {
            return Err(format!("{line}, {class}: {:?} and {:?} differ", levels[0], levels[i]));
        }
        line += &format!(" {digest:08x}");
    }
    Ok(line)
}

#[test]
fn every_level_of_every_target_comes_to_the_recorded_digests() {
    let levels = tested_levels();
    let jobs: Vec<_> = pairs().enumerate().collect();
    let lines = std::sync::Mutex::new(vec![String::new(); jobs.len()]);
    let (_, mut errors) = in_parallel(&jobs, |&(i, pair)| {
        let line = line(&levels, pair)?;
        lines.lock().expect("nothing panics with it")[i] = line;
        Ok(support::Tally::default())
    });
    let lines = lines.into_inner().expect("nothing panicked with it");
    assert_none(&errors);
    if std::env::var_os("SIMDCAST_RECORD_DIGESTS").is_some() {
        let text =
            format!("# {}\n{}\n", classes().map(|(name, _)| name).join(" "), lines.join("\n"));
        std::fs::write(FILE, text).expect("the file can be written");
        say(&format!("{FILE}: written from {levels:?}"));
        return;
    }
    let recorded: Vec<&str> = include_str!("digests.txt").lines().skip(1).collect();
    assert_eq!(recorded.len(), lines.len());
    for (recorded, line) in recorded.iter().zip(&lines) {
        if recorded != line {
            errors.push(format!("recorded {recorded}\n    here {line}"));
        }
    }
    say(&format!("{levels:?}: digests of {} pairs in 4 classes of options", lines.len()));
    assert_none(&errors);
}
