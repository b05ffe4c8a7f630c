//! Speed over lengths and over threads.

use super::{FONT, colour, picture};
use crate::record::{Lengths, Threads};
use plotters::prelude::*;

const SIZE: (i32, i32) = (1020, 520);

/// The casts' GB/s over the number of elements, and memcpy's of the first pair as a broken line.
pub(crate) fn lengths(curves: &[Lengths]) -> Result<String, String> {
    let speed = |curve: &Lengths, ns: f64| {
        let bits = |name: &str| name.parse::<simdcast::DType>().map_or(0, |dtype| dtype.bits());
        (bits(&curve.from) + bits(&curve.to)) as f64 / 8.0 / ns
    };
    let lines: Vec<(String, Vec<(f64, f64)>)> = curves
        .iter()
        .map(|curve| {
            let point = |&(n, ns, _): &(usize, f64, f64)| (n as f64, speed(curve, ns));
            (format!("{} -> {}", curve.from, curve.to), curve.points.iter().map(point).collect())
        })
        .collect();
    let memcpy = curves.first().map(|curve| {
        let point = |&(n, _, memcpy): &(usize, f64, f64)| (n as f64, speed(curve, memcpy));
        curve.points.iter().map(point).collect::<Vec<_>>()
    });
    let range = |values: &dyn Fn(&(f64, f64)) -> f64| {
        let all = || {
            lines.iter().flat_map(|(_, points)| points).chain(memcpy.iter().flatten()).map(values)
        };
        (all().fold(f64::MAX, f64::min), all().fold(1.0, f64::max))
    };
    let (x, y) = (range(&|point| point.0), range(&|point| point.1));
    picture(SIZE.0, SIZE.1, |area| {
        let mut chart = ChartBuilder::on(area)
            .caption("GB/s (read and written) over the number of elements", (FONT, 16))
            .margin(10)
            .x_label_area_size(34)
            .y_label_area_size(56)
            .build_cartesian_2d((x.0..x.1).log_scale(), (y.0 * 0.8..y.1 * 1.2).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("elements")
            .y_desc("GB/s")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .draw()?;
        for (i, (name, points)) in lines.iter().enumerate() {
            let line = LineSeries::new(points.iter().copied(), colour(i).stroke_width(2));
            chart.draw_series(line)?.label(name).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 16, y)], colour(i).stroke_width(2))
            });
        }
        if let Some(points) = &memcpy {
            let style = BLACK.stroke_width(1);
            let line = DashedLineSeries::new(points.iter().copied(), 5, 4, style);
            chart
                .draw_series(line)?
                .label("memcpy of the first")
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        Ok(())
    })
}

/// GB/s over threads.
pub(crate) fn threads(curves: &[Threads]) -> Result<String, String> {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let most = all().map(|point| point.0).max().unwrap_or(1).max(2) as f64;
    let fastest = all().map(|point| point.1).fold(1.0, f64::max);
    let n = curves.first().map_or(0, |curve| curve.n);
    picture(SIZE.0, SIZE.1, |area| {
        let mut chart = ChartBuilder::on(area)
            .caption(format!("GB/s (read and written) over threads, {n} elements"), (FONT, 16))
            .margin(10)
            .x_label_area_size(34)
            .y_label_area_size(56)
            .build_cartesian_2d(0.8..most + 0.2, 0.0..fastest * 1.1)?;
        let ticks = (most as usize).min(16);
        chart
            .configure_mesh()
            .x_desc("threads")
            .y_desc("GB/s")
            .x_labels(ticks)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()?;
        for (i, curve) in curves.iter().enumerate() {
            let points = curve.points.iter().map(|&(threads, speed)| (threads as f64, speed));
            let line = LineSeries::new(points.clone(), colour(i).stroke_width(2)).point_size(3);
            let name = format!("{} -> {}", curve.from, curve.to);
            chart.draw_series(line)?.label(name).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 16, y)], colour(i).stroke_width(2))
            });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        Ok(())
    })
}
