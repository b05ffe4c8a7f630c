//! Some pairs beside memcpy and everyone else who casts them, in GB/s.

use super::{colour, legend, picture, text};
use crate::record::Contest;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

const WIDTH: i32 = 1020;
const LEFT: i32 = 210;
const TOP: i32 = 62;
const BAR: i32 = 9;
const GAP: i32 = 10;

/// The names in the picture's legend: the library, memcpy, and others.
fn names<'a>(contests: &[&'a Contest]) -> Vec<&'a str> {
    let mut names = vec!["simdcast", "memcpy"];
    for contest in contests {
        for name in contest.rivals.keys() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    names
}

/// GB/s of source and destination, of each of the names that has any.
fn speeds(contest: &Contest, names: &[&str]) -> Vec<(usize, f64)> {
    let bits = |name: &str| name.parse::<simdcast::DType>().map_or(0, |dtype| dtype.bits());
    let bytes = (bits(&contest.from) + bits(&contest.to)) as f64 / 8.0;
    let speed = |(index, name): (usize, &&str)| {
        let ns = match *name {
            "simdcast" => Some(contest.ns),
            "memcpy" => Some(contest.memcpy),
            name => contest.rivals.get(name).copied(),
        };
        Some((index, bytes / ns?))
    };
    names.iter().enumerate().filter_map(speed).collect()
}

/// The picture of some contests of one size.
pub(crate) fn bars(title: &str, contests: &[&Contest]) -> Result<String, String> {
    let names = names(contests);
    let groups: Vec<_> = contests.iter().map(|c| (c.pair(), speeds(c, &names))).collect();
    let bars: usize = groups.iter().map(|(_, speeds)| speeds.len()).sum();
    let height = TOP + bars as i32 * BAR + groups.len() as i32 * GAP + 10;
    let fastest = groups.iter().flat_map(|(_, speeds)| speeds).map(|(_, speed)| *speed);
    let fastest = fastest.fold(1.0, f64::max);
    picture(WIDTH, height, |area| {
        area.draw(&Text::new(title, (8, 6), text(16, HPos::Left, VPos::Top)))?;
        legend(area, &names, (8, 36), (WIDTH - 8) / names.len() as i32)?;
        let mut y = TOP;
        for (pair, speeds) in &groups {
            let middle = y + speeds.len() as i32 * BAR / 2;
            let label =
                Text::new(pair.as_str(), (LEFT - 8, middle), text(13, HPos::Right, VPos::Center));
            area.draw(&label)?;
            for (index, speed) in speeds {
                let x = LEFT + (f64::from(WIDTH - LEFT - 60) * speed / fastest) as i32;
                area.draw(&Rectangle::new([(LEFT, y), (x, y + BAR - 1)], colour(*index).filled()))?;
                let figure = format!("{speed:.1}");
                let style = text(9, HPos::Left, VPos::Center);
                area.draw(&Text::new(figure, (x + 3, y + BAR / 2), style))?;
                y += BAR;
            }
            y += GAP;
        }
        Ok(())
    })
}
