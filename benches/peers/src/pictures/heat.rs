//! All pairs at once: a row per source, a column per destination, the colour of a cell the ratio to memcpy.

use super::{Area, Drawn, picture, text};
use crate::record::Grid;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// Pixels left of the cells, above them, and of a cell's side.
pub(crate) const LEFT: i32 = 138;
pub(crate) const TOP: i32 = 168;
pub(crate) const CELL: i32 = 17;
const BELOW: i32 = 46;

/// The colours of ratios: each is that of its ratio and more, between them it changes evenly.
const SCALE: [(f64, RGBColor); 6] = [
    (1.0, RGBColor(26, 122, 62)),
    (1.5, RGBColor(140, 200, 100)),
    (2.5, RGBColor(250, 230, 130)),
    (5.0, RGBColor(245, 150, 70)),
    (12.0, RGBColor(205, 50, 45)),
    (40.0, RGBColor(95, 10, 60)),
];

fn shade(ratio: f64) -> RGBColor {
    let at = ratio.max(SCALE[0].0).ln();
    for pair in SCALE.windows(2) {
        let (low, high) = (pair[0].0.ln(), pair[1].0.ln());
        if at <= high {
            let share = (at - low) / (high - low);
            let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))) as u8;
            let (a, b) = (pair[0].1, pair[1].1);
            return RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2));
        }
    }
    SCALE[SCALE.len() - 1].1
}

/// The picture of a grid.
pub(crate) fn heat(grid: &Grid, dtypes: &[String]) -> Result<String, String> {
    let side = dtypes.len() as i32 * CELL;
    picture(LEFT + side + 12, TOP + side + BELOW, |area| {
        let title = format!("{}, {} elements: time / memcpy", grid.isa, grid.n);
        area.draw(&Text::new(title, (8, 6), text(16, HPos::Left, VPos::Top)))?;
        labels(area, dtypes)?;
        for (row, cells) in grid.ratio.iter().enumerate() {
            for (column, ratio) in cells.iter().enumerate() {
                let colour = ratio.map_or(RGBColor(225, 225, 225), shade);
                let (x, y) = (LEFT + column as i32 * CELL, TOP + row as i32 * CELL);
                let cell = [(x, y), (x + CELL - 1, y + CELL - 1)];
                area.draw(&Rectangle::new(cell, colour.filled()))?;
            }
        }
        scale(area, TOP + side + 14)
    })
}

fn labels(area: &Area, dtypes: &[String]) -> Drawn {
    let across = text(12, HPos::Right, VPos::Center);
    let up = text(12, HPos::Left, VPos::Center).transform(FontTransform::Rotate270);
    for (i, name) in dtypes.iter().enumerate() {
        let middle = i as i32 * CELL + CELL / 2;
        area.draw(&Text::new(name.as_str(), (LEFT - 6, TOP + middle), across.clone()))?;
        area.draw(&Text::new(name.as_str(), (LEFT + middle, TOP - 6), up.clone()))?;
    }
    area.draw(&Text::new("from \\ to", (LEFT - 6, TOP - 10), across))?;
    Ok(())
}

fn scale(area: &Area, top: i32) -> Drawn {
    const STEP: i32 = 90;
    for (i, (ratio, colour)) in SCALE.iter().enumerate() {
        let x = LEFT + i as i32 * STEP;
        area.draw(&Rectangle::new([(x, top), (x + 16, top + 16)], colour.filled()))?;
        let sign = if i == 0 { "≤ " } else { "" };
        let label = format!("{sign}{ratio}");
        area.draw(&Text::new(label, (x + 22, top + 8), text(13, HPos::Left, VPos::Center)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_has_the_colour_of_the_scale() {
        for (ratio, colour) in SCALE {
            let shade = shade(ratio);
            assert!(shade.0.abs_diff(colour.0) < 2 && shade.1.abs_diff(colour.1) < 2, "{ratio}");
        }
        assert_eq!(shade(0.3), SCALE[0].1);
        assert_eq!(shade(1e6), SCALE[5].1);
    }

    #[test]
    fn every_cell_and_every_name_is_there() {
        let cells = vec![vec![Some(1.0), None], vec![Some(3.0), Some(80.0)]];
        let (ns, ratio, spread) = (cells.clone(), cells.clone(), cells);
        let grid = Grid { isa: "scalar".into(), n: 64, ns, ratio, spread };
        let svg = heat(&grid, &["int8".to_owned(), "bool".to_owned()]).unwrap();
        // The background, the cells, the scale.
        assert_eq!(svg.matches("<rect").count(), 1 + 4 + SCALE.len());
        assert_eq!(svg.matches("int8").count(), 2);
        assert!(svg.contains("scalar, 64 elements"));
    }
}
