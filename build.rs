//! Turns the promotion tables, texts in `src/promotion`, into constants, and into the page that
//! shows them. A text that is not as it must be ends the build, with the file, the line and the
//! cell. Nothing is parsed at run time.

#[path = "src/promotion/checks.rs"]
mod checks;
#[path = "src/promotion/parse.rs"]
mod parse;
#[allow(dead_code, reason = "what only the crate asks for")]
#[path = "src/promotion/text.rs"]
mod text;

use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};
use text::{CASTINGS, CATEGORIES, Code, Grid, List, NAMES, Rule, SCALARS, Text, type_name};

const TEXTS: &str = "src/promotion";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={TEXTS}");
    println!("cargo::rerun-if-changed=build.rs");
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            println!("cargo::error={}", problem.replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), String> {
    let (mut tables, mut page) = (String::new(), String::new());
    for file in texts()? {
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let read = parse::parse(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        if file.file_stem().is_none_or(|stem| *stem != *read.system) {
            return Err(format!("{}: is the text of {:?}", file.display(), read.system));
        }
        write_table(&mut tables, &read);
        write_page(&mut page, &read);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    write(&out.join("promotion.rs"), &tables)?;
    write(&out.join("promotion.md"), &page)
}

/// The texts, by name.
fn texts() -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(TEXTS).map_err(|e| format!("{TEXTS}: {e}"))?;
    let mut texts = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| format!("{TEXTS}: {e}"))?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            texts.push(path);
        }
    }
    texts.sort();
    Ok(texts)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

macro_rules! put {
    ($to:expr, $($text:tt)*) => {
        write!($to, $($text)*).expect("a String takes all")
    };
}

/// The table as a constant.
fn write_table(out: &mut String, read: &Text) {
    let name = read.system.to_uppercase();
    put!(out, "pub(super) static {name}: Table = Table {{ text: Text {{\n");
    put!(out, "    system: Cow::Borrowed({:?}),\n", read.system);
    put!(out, "    title: Cow::Borrowed({:?}),\n", read.title);
    let weak = read.weak.iter().map(|weak| {
        format!("Weak {{ name: Cow::Borrowed({:?}), dtype: {} }}", weak.name, weak.dtype)
    });
    put!(out, "    weak: Cow::Borrowed(&[{}]),\n", weak.collect::<Vec<_>>().join(", "));
    put!(out, "    pairs: {},\n", grid(&read.pairs));
    put!(out, "    order: Cow::Borrowed(&{:?}),\n", read.order);
    put!(out, "    scalars: {},\n", option(read.scalars.as_ref().map(grid)));
    put!(out, "    pairwise: Cow::Borrowed(&{:?}),\n", read.pairwise);
    put!(out, "    zero_dim: {},\n", option(read.zero_dim.as_ref().map(grid)));
    let rules = read.can_cast.iter().map(|rule| {
        let what = match &rule.rule {
            Rule::Identity => "Rule::Identity".to_owned(),
            Rule::Promotion => "Rule::Promotion".to_owned(),
            Rule::Grid(cells) => format!("Rule::Grid({})", grid(cells)),
        };
        let (casting, source) = (rule.casting, &rule.source);
        format!("CanCast {{ casting: {casting}, source: Cow::Borrowed({source:?}), rule: {what} }}")
    });
    put!(out, "    can_cast: Cow::Borrowed(&[{}]),\n", rules.collect::<Vec<_>>().join(", "));
    put!(out, "    is_dtype: {},\n", option(read.is_dtype.as_ref().map(grid)));
    put!(out, "    defaults: {},\n", option(read.defaults.as_ref().map(list)));
    put!(out, "    aliases: {},\n}} }};\n", option(read.aliases.as_ref().map(list)));
}

fn option(inner: Option<String>) -> String {
    inner.map_or("None".to_owned(), |inner| format!("Some({inner})"))
}

fn grid(grid: &Grid) -> String {
    format!(
        "Grid {{ source: Cow::Borrowed({:?}), rows: Cow::Borrowed(&{:?}), columns: Cow::Borrowed(&{:?}), \
         cells: Cow::Borrowed(&{:?}), row_starts: {:?}, column_places: {:?} }}",
        grid.source, grid.rows, grid.columns, grid.cells, grid.row_starts, grid.column_places
    )
}

fn list(list: &List) -> String {
    let entries =
        list.entries.iter().map(|(name, code)| format!("(Cow::Borrowed({name:?}), {code})"));
    let entries = entries.collect::<Vec<_>>().join(", ");
    format!(
        "List {{ source: Cow::Borrowed({:?}), entries: Cow::Borrowed(&[{entries}]) }}",
        list.source
    )
}

/// The table as a section of the page.
fn write_page(page: &mut String, read: &Text) {
    let of_type = |code| type_name(code, &read.weak).to_owned();
    let yes_no = |code| if code == 1 { "yes" } else { "no" }.to_owned();
    let scalar = |code| SCALARS[usize::from(code)].to_owned();
    let category = |code| CATEGORIES[usize::from(code)].replace('_', " ");
    put!(page, "# {}\n\nIn text: `{}`.\n\n", read.title, read.system);
    for weak in read.weak.iter() {
        let dtype = NAMES[usize::from(weak.dtype)];
        put!(page, "* `{}` is weak; where a dtype is needed, it is {dtype}.\n", weak.name);
    }
    write_grid(page, "Two tensors", &read.pairs, of_type, of_type, of_type);
    if let Some(grid) = &read.zero_dim {
        write_grid(
            page,
            "A tensor with dimensions, and one without",
            grid,
            of_type,
            of_type,
            of_type,
        );
    }
    if let Some(grid) = &read.scalars {
        write_grid(page, "A tensor and a Python scalar", grid, of_type, scalar, of_type);
    }
    if let Some(list) = &read.defaults {
        write_list(page, "The types of Python scalars, and of positions", list, of_type);
    }
    for rule in read.can_cast.iter() {
        let title = format!("Can be cast: {}", CASTINGS[usize::from(rule.casting)]);
        let words = match &rule.rule {
            Rule::Grid(grid) => {
                write_grid(page, &title, grid, of_type, of_type, yes_no);
                continue;
            }
            Rule::Identity => "A dtype to itself.",
            Rule::Promotion => "To the dtype where the two meet.",
        };
        put!(page, "\n## {title}\n\n{}\n\n{words}\n", Source(&rule.source));
    }
    if let Some(grid) = &read.is_dtype {
        write_grid(page, "Kinds", grid, of_type, category, yes_no);
    }
    if let Some(list) = &read.aliases {
        write_list(page, "Names of its own", list, of_type);
    }
    page.push('\n');
}

/// Where facts are from, with nothing in it taken for a link or an emphasis.
struct Source<'a>(&'a str);

impl Display for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source: {}.", self.0.replace('*', "\\*").replace('[', "\\["))
    }
}

fn write_grid(
    page: &mut String,
    title: &str,
    grid: &Grid,
    row: impl Fn(Code) -> String,
    column: impl Fn(Code) -> String,
    cell: impl Fn(Code) -> String,
) {
    let plain = |text: String| text.replace('*', "\\*");
    put!(page, "\n## {title}\n\n{}\n\n| |", Source(&grid.source));
    for code in grid.columns.iter() {
        put!(page, " {} |", plain(column(*code)));
    }
    put!(page, "\n|---|{}\n", "---|".repeat(grid.columns.len()));
    let rows = grid.cells.chunks(grid.columns.len().max(1));
    for (code, cells) in grid.rows.iter().zip(rows) {
        put!(page, "| **{}** |", plain(row(*code)));
        for code in cells {
            put!(page, " {} |", plain(cell(*code)));
        }
        page.push('\n');
    }
}

fn write_list(page: &mut String, title: &str, list: &List, value: impl Fn(Code) -> String) {
    put!(page, "\n## {title}\n\n{}\n\n| | |\n|---|---|\n", Source(&list.source));
    for (name, code) in list.entries.iter() {
        put!(page, "| `{name}` | {} |\n", value(*code).replace('*', "\\*"));
    }
}
