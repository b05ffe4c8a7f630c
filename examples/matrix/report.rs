//! What was measured, as text.

use crate::args::Args;
use crate::measure::{Figures, Measurement};
use simdcast::DType;
use std::fmt::Write;
use std::io::{self, IsTerminal};

/// Up to so many pairs are listed one by one.
const FEW: usize = 100;
const SLOWEST: usize = 10;
const CELL: usize = 4;
/// Colours of a terminal's 256, from green to red.
const HEAT: [u8; 11] = [46, 82, 118, 154, 190, 226, 220, 214, 208, 202, 196];

/// What the reader of the text can do with it.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) colour: bool,
    /// Characters in a line.
    pub(crate) columns: usize,
}

impl Style {
    pub(crate) fn of_stdout() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let columns = set("COLUMNS").and_then(|columns| columns.to_str()?.parse().ok());
        Self {
            colour: io::stdout().is_terminal() && set("NO_COLOR").is_none() && !dumb,
            columns: columns.unwrap_or(usize::MAX),
        }
    }

    /// The text on the colour of a ratio.
    pub(crate) fn paint(self, text: &str, ratio: f64) -> String {
        if self.colour {
            format!("\x1b[38;5;16;48;5;{}m{text}\x1b[0m", heat(ratio))
        } else {
            text.to_owned()
        }
    }
}

/// The colour of a ratio: green to 1, then a step for each factor of the root of 2, red from 32.
fn heat(ratio: f64) -> u8 {
    // The conversion clamps at 0.
    let step = (2.0 * ratio.log2()) as usize;
    HEAT[step.min(HEAT.len() - 1)]
}

/// Everything that was measured: one by one if it is few pairs, else a table per instruction set and
/// size.
pub(crate) fn text(args: &Args, measurements: &[Measurement], style: Style) -> String {
    let mut out = String::new();
    legend(&mut out, args, style);
    if args.pairs.len() <= FEW {
        lines(&mut out, measurements, style);
        return out;
    }
    for block in measurements.chunks(args.pairs.len()) {
        let first = &block[0];
        let _ = writeln!(out, "\n{}, {} elements", first.cast.isa(), first.n);
        table(&mut out, block, style);
        roads(&mut out, block, style);
        slowest(&mut out, block, style);
    }
    out
}

fn legend(out: &mut String, args: &Args, style: Style) {
    let options = args.options.as_options();
    let saturate = if options.saturate { "yes" } else { "no" };
    let _ = write!(
        out,
        "ratio: time of the cast / time of memcpy of the same in+out bytes (1.0 = memcpy, lower is \
         better)\nGB/s: bytes read and written; - : no number is sure to fit under these options\n\
         overflow {}, saturate {saturate}, rounding {}\n",
        options.overflow.name(),
        options.rounding.name(),
    );
    if style.colour {
        let scale = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0];
        let cells = scale.map(|ratio| style.paint(&cell(Some(ratio)), ratio)).concat();
        let _ = writeln!(out, "{cells}");
    }
}

/// A ratio in four characters.
fn cell(ratio: Option<f64>) -> String {
    match ratio {
        None => format!("{:>CELL$}", "-"),
        Some(ratio) if ratio < 9.95 => format!("{ratio:>CELL$.1}"),
        Some(ratio) => format!("{:>CELL$.0}", ratio.min(9999.0)),
    }
}

fn lines(out: &mut String, measurements: &[Measurement], style: Style) {
    let names = measurements
        .iter()
        .map(|m| (m.cast.from().name().len() + m.cast.to().name().len() + 4, m.cast.isa().len()));
    let (pair, isa) = names.fold((4, 3), |(a, b), (c, d)| (a.max(c), b.max(d)));
    let _ = writeln!(
        out,
        "\n{:pair$} {:>9} {:isa$} {:10} {:>10} {:>8} {:>6}",
        "pair", "n", "isa", "road", "ns/element", "GB/s", "ratio"
    );
    for m in measurements {
        let name = format!("{} -> {}", m.cast.from(), m.cast.to());
        let _ = write!(out, "{name:pair$} {:>9} {:isa$} {:10} ", m.n, m.cast.isa(), m.cast.road());
        let _ = match m.figures {
            Some(Figures { ns_per_element, gb_per_s, ratio }) => {
                let ratio = style.paint(&format!("{ratio:>6.2}"), ratio);
                writeln!(out, "{ns_per_element:>10.4} {gb_per_s:>8.2} {ratio}")
            }
            None => writeln!(out, "{:>10} {:>8} {:>6}", "-", "-", "-"),
        };
    }
}

/// A row per source, a column per destination, in blocks of columns that fit a line.
fn table(out: &mut String, block: &[Measurement], style: Style) {
    let mut by_pair = [[None; DType::COUNT]; DType::COUNT];
    for m in block {
        by_pair[m.cast.from().code() as usize][m.cast.to().code() as usize] = Some(m.figures);
    }
    let in_use = |used: &dyn Fn(usize) -> bool| -> Vec<DType> {
        DType::ALL.into_iter().filter(|dtype| used(dtype.code() as usize)).collect()
    };
    let sources = in_use(&|from| by_pair[from].iter().any(Option::is_some));
    let destinations = in_use(&|to| by_pair.iter().any(|row| row[to].is_some()));
    let label = longest(&sources);
    let fitting = (style.columns.saturating_sub(label) / CELL).max(1);
    for columns in destinations.chunks(fitting) {
        headers(out, columns, label);
        for from in &sources {
            let _ = write!(out, "{from:label$}");
            for to in columns {
                match by_pair[from.code() as usize][to.code() as usize] {
                    None => out.push_str("    "),
                    Some(None) => out.push_str(&cell(None)),
                    Some(Some(Figures { ratio, .. })) => {
                        out.push_str(&style.paint(&cell(Some(ratio)), ratio));
                    }
                }
            }
            out.push('\n');
        }
    }
}

fn longest(dtypes: &[DType]) -> usize {
    dtypes.iter().map(|dtype| dtype.name().len()).max().unwrap_or(0)
}

/// The names of the columns, from top to bottom.
fn headers(out: &mut String, columns: &[DType], label: usize) {
    let height = longest(columns);
    for line in 0..height {
        let mut text = " ".repeat(label);
        for to in columns {
            let name = to.name().as_bytes();
            let letter = (line + name.len()).checked_sub(height).map_or(b' ', |i| name[i]);
            let _ = write!(text, "{:>CELL$}", char::from(letter));
        }
        let _ = writeln!(out, "{}", text.trim_end());
    }
}

/// How many pairs take which road, and the geometric means of their ratios.
fn roads(out: &mut String, block: &[Measurement], style: Style) {
    let mut roads: Vec<(&str, usize, Vec<f64>)> = Vec::new();
    for m in block {
        let ratio = m.figures.map(|figures| figures.ratio);
        for name in [m.cast.road().name(), "all"] {
            match roads.iter_mut().find(|road| road.0 == name) {
                Some((_, pairs, ratios)) => {
                    *pairs += 1;
                    ratios.extend(ratio);
                }
                None => roads.push((name, 1, ratio.into_iter().collect())),
            }
        }
    }
    roads.sort_by_key(|(name, pairs, _)| (*name == "all", usize::MAX - pairs));
    let _ = writeln!(out, "\nroad       pairs ratio (geometric mean)");
    for (name, pairs, ratios) in roads {
        let mean = geometric_mean(&ratios);
        let mean = mean.map_or("     -".into(), |m| style.paint(&format!("{m:>6.2}"), m));
        let _ = writeln!(out, "{name:10} {pairs:>5} {mean}");
    }
}

pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
}

fn slowest(out: &mut String, block: &[Measurement], style: Style) {
    let mut timed: Vec<_> =
        block.iter().filter_map(|m| Some((m.figures?, m.cast.kernel_name()))).collect();
    timed.sort_by(|(a, _), (b, _)| b.ratio.total_cmp(&a.ratio));
    timed.truncate(SLOWEST);
    let _ = writeln!(out, "\nslowest, by ratio\n ratio    GB/s kernel");
    for (Figures { gb_per_s, ratio, .. }, kernel) in timed {
        let ratio = style.paint(&format!("{ratio:>6.2}"), ratio);
        let _ = writeln!(out, "{ratio} {gb_per_s:>7.2} {kernel}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdcast::{Cast, CastOptions};

    const PLAIN: Style = Style { colour: false, columns: usize::MAX };

    #[test]
    fn cells_have_four_characters_whatever_the_ratio() {
        for ratio in [0.0, 0.04, 1.0, 9.94, 9.951, 99.96, 1234.5, 1e9, f64::INFINITY] {
            assert_eq!(cell(Some(ratio)).len(), CELL, "{ratio}");
        }
        assert_eq!((cell(Some(9.97)), cell(None)), ("  10".to_owned(), "   -".to_owned()));
    }

    #[test]
    fn colours_go_from_green_to_red() {
        for (ratio, colour) in
            [(0.0, 46), (0.5, 46), (1.0, 46), (5.7, 226), (32.0, 196), (1e9, 196)]
        {
            assert_eq!(heat(ratio), colour, "{ratio}");
        }
        assert_eq!(PLAIN.paint("x", 2.0), "x");
    }

    #[test]
    fn a_table_is_as_wide_as_it_may_be() {
        let block = DType::ALL.map(|to| Measurement {
            cast: Cast::new(DType::Int8, to, CastOptions::new()).unwrap(),
            n: 1,
            figures: Some(Figures { ns_per_element: 1.0, gb_per_s: 1.0, ratio: 2.0 }),
        });
        for (columns, widest) in [(usize::MAX, 4 + 44 * CELL), (80, 80), (1, 4 + CELL)] {
            let mut out = String::new();
            table(&mut out, &block, Style { columns, ..PLAIN });
            assert_eq!(out.lines().map(str::len).max(), Some(widest));
            assert_eq!(out.matches("2.0").count(), DType::COUNT);
        }
    }
}
