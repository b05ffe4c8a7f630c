//! The report: a page that needs nothing but itself.

use crate::figures::{BEST, TIE, beside, mean_ratio, sizes};
use crate::measuring::CHOSEN;
use crate::pictures::{self, CELL, LEFT, TOP};
use crate::record::{Contest, Grid, Record};
use std::fmt::Write;

const STYLE: &str = "
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1040px; padding: 0 1rem; color: #222 }
h1 { font-size: 1.6rem } h2 { font-size: 1.25rem; margin-top: 2.2rem }
table { border-collapse: collapse; margin: .6rem 0 } td, th { border: 1px solid #ccc; padding: .2rem .6rem; text-align: right }
td:first-child, th:first-child { text-align: left } .heat { position: relative; overflow-x: auto }
svg { max-width: 100%; height: auto } summary { cursor: pointer; font-weight: 600; margin: .4rem 0 }
#tip { position: fixed; display: none; pointer-events: none; background: #222; color: #fff; padding: .3rem .5rem;
  border-radius: .2rem; font-size: 13px; white-space: pre }
";

/// Shows the figures of the cell that the pointer is on.
const SCRIPT: &str = r"
const tip = document.getElementById('tip');
document.querySelectorAll('.heat').forEach(heat => {
  const svg = heat.querySelector('svg'), grid = grids[heat.dataset.grid];
  svg.addEventListener('mousemove', event => {
    const box = svg.getBoundingClientRect(), scale = svg.width.baseVal.value / box.width;
    const column = Math.floor(((event.clientX - box.left) * scale - left) / cell);
    const row = Math.floor(((event.clientY - box.top) * scale - top_) / cell);
    const ratio = (grid.ratio[row] || [])[column];
    tip.style.display = ratio == null ? 'none' : 'block';
    if (ratio == null) return;
    const ns = grid.ns[row][column];
    tip.textContent = `${dtypes[row]} -> ${dtypes[column]}\n${ratio} times memcpy\n${ns} ns an element\n` +
      `rounds differ by ${grid.spread[row][column]}`;
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 4) + 'px';
    tip.style.top = event.clientY + 14 + 'px';
  });
  svg.addEventListener('mouseleave', () => tip.style.display = 'none');
});
";

/// Text as HTML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The page.
pub(crate) fn page(record: &Record) -> Result<String, String> {
    let mut out = String::from("<!doctype html>\n<html lang=en><meta charset=utf-8>\n");
    let _ = write!(
        out,
        "<title>simdcast</title>\n<style>{STYLE}</style>\n<h1>simdcast, measured</h1>\n"
    );
    let versions: Vec<String> =
        record.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let _ = writeln!(out, "<p>{}</p>", escaped(&record.machine.describe()));
    let _ = writeln!(out, "<p>{}</p>", escaped(&versions.join(", ")));
    out += "<p>Every figure is the shortest of many takes, and every ratio is of two times that were taken by \
            turns in one process, on the same buffers.</p>\n";
    means(&mut out, record);
    others(&mut out, record)?;
    heats(&mut out, record)?;
    curves(&mut out, record)?;
    data(&mut out, record)?;
    out += "</html>\n";
    Ok(out)
}

fn means(out: &mut String, record: &Record) {
    out.push_str(
        "<h2>All pairs</h2>\n<p>Time of the cast / time of memcpy of the same bytes (read and written), \
         geometric mean: 1 is as fast as memory can be copied.</p>\n<table><tr><th>instruction set",
    );
    let mut sizes: Vec<usize> = record.grids.iter().map(|grid| grid.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for n in &sizes {
        let _ = write!(out, "<th>{n} elements");
    }
    for isa in &record.machine.isa {
        let _ = write!(out, "\n<tr><td>{isa}");
        for &n in &sizes {
            let mean = record.grid(isa, n).and_then(mean_ratio);
            let _ = write!(out, "<td>{}", mean.map_or("-".to_owned(), |mean| format!("{mean:.2}")));
        }
    }
    out.push_str("</table>\n");
}

fn others(out: &mut String, record: &Record) -> Result<(), String> {
    if record.contests.is_empty() {
        return Ok(());
    }
    let _ = writeln!(
        out,
        "<h2>Beside others</h2>\n<p>How many times as long they take, geometric mean over the pairs that they have; \
         and where one of them is more than {TIE} times as fast as simdcast. arrow-cast and candle-core make a new \
         array in each call; and arrow-cast tests whether each number fits, and makes a null of one that does not.</p>\n<table><tr><th>elements<th>library<th>pairs<th>times as long<th>faster at"
    );
    for n in sizes(record) {
        for beside in beside(record, n) {
            let losses = beside.losses();
            let _ = write!(
                out,
                "\n<tr><td>{n}<td>{}<td>{}<td>{:.2}<td>{}",
                escaped(beside.name),
                beside.factors.len(),
                beside.mean(),
                losses.len(),
            );
        }
    }
    out.push_str("</table>\n");
    for n in sizes(record) {
        losses(out, record, n);
        let chosen = chosen(record, n);
        if !chosen.is_empty() {
            let title = format!("GB/s (read and written), {n} elements");
            *out += &pictures::bars(&title, &chosen)?;
        }
    }
    Ok(())
}

/// The contests of the chosen pairs at a size.
fn chosen(record: &Record, n: usize) -> Vec<&Contest> {
    let contest = |(from, to): &(simdcast::DType, simdcast::DType)| {
        let is_it = |c: &&Contest| c.n == n && c.from == from.name() && c.to == to.name();
        record.contests.iter().find(is_it)
    };
    CHOSEN.iter().filter_map(contest).collect()
}

fn losses(out: &mut String, record: &Record, n: usize) {
    let all = beside(record, n);
    let Some(best) = all.iter().find(|beside| beside.name == BEST) else { return };
    let losses = best.losses();
    if losses.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<details><summary>{n} elements: someone is faster at {}</summary>\n<p>",
        losses.len()
    );
    for (pair, times) in losses {
        let who =
            record.contests.iter().find(|c| c.n == n && c.pair() == pair).and_then(Contest::best);
        let who = who.map_or("", |(name, _)| name);
        let _ = write!(out, "{} {times:.2} ({who})<br>", escaped(pair));
    }
    out.push_str("</details>\n");
}

fn heats(out: &mut String, record: &Record) -> Result<(), String> {
    out.push_str("<h2>Every pair</h2>\n<p>Point at a cell for its figures.</p>\n");
    for (i, grid) in record.grids.iter().enumerate() {
        let open = if is_main(record, grid) { " open" } else { "" };
        let (isa, n) = (&grid.isa, grid.n);
        let _ = write!(
            out,
            "<details{open}><summary>{isa}, {n} elements</summary><div class=heat data-grid={i}>"
        );
        *out += &pictures::heat(grid, &record.dtypes)?;
        out.push_str("</div></details>\n");
    }
    Ok(())
}

/// Whether a grid is the one to be seen first: the best instruction set in the L2 cache.
fn is_main(record: &Record, grid: &Grid) -> bool {
    main_grid(record).is_some_and(|main| std::ptr::eq(main, grid))
}

/// The grid to be seen first.
pub(crate) fn main_grid(record: &Record) -> Option<&Grid> {
    let isa = record.machine.isa.first()?;
    record.grids.iter().filter(|grid| &grid.isa == isa).max_by_key(|grid| grid.n)
}

fn curves(out: &mut String, record: &Record) -> Result<(), String> {
    if !record.lengths.is_empty() {
        *out += "<h2>Over lengths</h2>\n";
        *out += &pictures::lengths(&record.lengths)?;
    }
    if !record.threads.is_empty() {
        *out += "\n<h2>Over threads</h2>\n";
        *out += &pictures::threads(&record.threads)?;
    }
    Ok(())
}

fn data(out: &mut String, record: &Record) -> Result<(), String> {
    let json = |value: Result<String, serde_json::Error>| value.map_err(|error| error.to_string());
    let grids = json(serde_json::to_string(&record.grids))?;
    let dtypes = json(serde_json::to_string(&record.dtypes))?;
    let _ = write!(
        out,
        "\n<div id=tip></div>\n<script>\nconst left = {LEFT}, top_ = {TOP}, cell = {CELL};\n\
         const dtypes = {dtypes};\nconst grids = {grids};\n{SCRIPT}</script>\n"
    );
    Ok(())
}
