//! What a record shows, drawn.

mod bars;
mod curves;
mod heat;

pub(crate) use bars::bars;
pub(crate) use curves::{lengths, threads};
pub(crate) use heat::{CELL, LEFT, TOP, heat};

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
/// Drawing into memory does not fail, but is allowed to.
type Drawn = Result<(), Box<dyn std::error::Error>>;

const FONT: &str = "sans-serif";

/// Colours that can be told apart, by people who see few of them as well.
const COLOURS: [RGBColor; 9] = [
    RGBColor(0, 90, 181),
    RGBColor(150, 150, 150),
    RGBColor(220, 50, 32),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(90, 60, 20),
    RGBColor(120, 90, 200),
];

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

/// A picture of so many pixels.
fn picture(width: i32, height: i32, draw: impl FnOnce(&Area) -> Drawn) -> Result<String, String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width as u32, height as u32));
        let area = area.into_drawing_area();
        area.fill(&WHITE)
            .map_err(Into::into)
            .and_then(|()| draw(&area))
            .and_then(|()| area.present().map_err(Into::into))
            .map_err(|error| format!("cannot draw: {error}"))?;
    }
    Ok(svg)
}

/// A style of text, and which point of it is put where it is drawn.
fn text(size: i32, h: HPos, v: VPos) -> TextStyle<'static> {
    (FONT, size).into_font().color(&BLACK).pos(Pos::new(h, v))
}

/// Names beside the colours that they are drawn in, from a point to the right.
fn legend(area: &Area, names: &[&str], (left, top): (i32, i32), step: i32) -> Drawn {
    for (i, name) in names.iter().enumerate() {
        let x = left + i as i32 * step;
        area.draw(&Rectangle::new([(x, top), (x + 12, top + 12)], colour(i).filled()))?;
        area.draw(&Text::new(*name, (x + 16, top + 6), text(13, HPos::Left, VPos::Center)))?;
    }
    Ok(())
}
