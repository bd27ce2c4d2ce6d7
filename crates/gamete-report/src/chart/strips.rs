use std::fmt::Write;

use gamete_stats::Interval;

use super::frame::{Frame, nothing, spread_out, text_width};
use super::scale::{Axis, Scale, is_drawable};
use crate::text::Escaped;

/// Where values lie: a row of dots for each thing, on one axis.
pub struct Strips<'a> {
    /// What is seen, in words.
    pub about: &'a str,
    /// What the axis counts.
    pub name: &'a str,
    /// How wide it is.
    pub width: f64,
    /// How high a row is.
    pub row: f64,
    /// The rows from above.
    pub rows: Vec<Strip>,
}

/// One row.
pub struct Strip {
    /// What it is.
    pub name: String,
    /// Its colour, by number.
    pub color: usize,
    /// The dots.
    pub dots: Vec<f64>,
    /// Fainter dots behind them.
    pub behind: Vec<f64>,
    /// A value to mark among them.
    pub mark: f64,
    /// How far it is uncertain.
    pub interval: Option<Interval>,
    /// What to say of it.
    pub hint: String,
}

const MAX_DOTS: usize = 150;
/// So many can be larger.
const FEW_DOTS: usize = 20;

impl Strips<'_> {
    /// The drawing.
    pub fn svg(&self) -> String {
        let names = self.rows.iter().map(|row| text_width(&row.name)).fold(0.0, f64::max);
        let (left, top) = (names.min(self.width * 0.4) + 14.0, 6.0);
        let bottom = top + self.row * self.rows.len() as f64;
        let height = bottom + if self.name.is_empty() { 22.0 } else { 38.0 };
        let frame = Frame { width: self.width, height, left, right: self.width - 16.0, top, bottom };
        let values = self.rows.iter().flat_map(|row| {
            row.dots
                .iter()
                .chain(&row.behind)
                .copied()
                .chain([row.mark])
                .chain(row.interval.into_iter().flat_map(|interval| [interval.low, interval.high]))
        });
        let ticks = ((frame.right - left) / 65.0) as usize;
        let Some(x) = Scale::new(Axis::Linear, values, [left, frame.right], ticks) else { return nothing() };
        let mut svg = frame.open(self.about);
        for (value, _) in x.ticks() {
            let Some(place) = x.place(value) else { continue };
            let _ = write!(svg, "<path class=\"grid\" d=\"M{place:.1} {top}V{bottom}\"/>");
        }
        for (index, row) in self.rows.iter().enumerate() {
            let middle = top + self.row * (index as f64 + 0.5);
            let color = row.color % super::lines::MAX_COLORS;
            let _ = write!(
                svg,
                "<g><text class=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
                left - 8.0,
                middle + 4.0,
                Escaped(&row.name)
            );
            if let Some(Interval { low, high }) = row.interval
                && let (Some(low), Some(high)) = (x.place(low), x.place(high))
            {
                let _ =
                    write!(svg, "<path class=\"interval c{color}\" d=\"M{low:.1} {middle:.1}H{high:.1}\"/>");
            }
            let size = if row.dots.len() <= FEW_DOTS { "few" } else { "" };
            for (class, dots) in [("behind", &row.behind), (size, &row.dots)] {
                if !dots.is_empty() {
                    let d = draw_dots(dots, &x, middle, self.row * 0.62);
                    let _ = write!(svg, "<path class=\"dots {class} c{color}\" d=\"{d}\"/>");
                }
            }
            if let Some(place) = x.place(row.mark) {
                let reach = self.row * 0.36;
                let _ = write!(
                    svg,
                    "<path class=\"here c{color}\" d=\"M{place:.1} {:.1}v{:.1}\"/>",
                    middle - reach,
                    2.0 * reach
                );
            }
            let _ = write!(
                svg,
                "<rect class=\"hint\" x=\"0\" y=\"{:.1}\" width=\"{}\" height=\"{}\"/><title>{}</title></g>",
                middle - self.row / 2.0,
                self.width,
                self.row,
                Escaped(&row.hint)
            );
        }
        svg.push_str(&frame.x_axis(&x, self.name));
        svg.push_str("</svg>");
        svg
    }
}

/// Dots in the order of their values, up and down as little alike as can be, so that they cover each other little.
fn draw_dots(values: &[f64], x: &Scale, middle: f64, height: f64) -> String {
    let mut values: Vec<f64> = values.iter().copied().filter(|&value| is_drawable(value)).collect();
    values.sort_by(f64::total_cmp);
    let mut path = String::new();
    let alone = values.len() == 1;
    for (index, at) in spread_out(values.len(), MAX_DOTS).into_iter().enumerate() {
        let Some(place) = x.place(values[at]) else { continue };
        let offset = if alone { 0.0 } else { (radical_inverse(index + 1) - 0.5) * height };
        let _ = write!(path, "M{place:.1} {:.1}h0", middle + offset);
    }
    path
}

/// The digits of a number in base 2 behind the point, in reverse: 1/2, 1/4, 3/4, 1/8, …
fn radical_inverse(index: usize) -> f64 {
    (index as u32).reverse_bits() as f64 / 2_f64.powi(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_dot() {
        let strip = |dots: Vec<f64>| Strip {
            name: "a&b".to_owned(),
            color: 0,
            dots,
            behind: vec![0.0, f64::NAN],
            mark: 2.0,
            interval: Some(Interval { low: 1.0, high: f64::INFINITY }),
            hint: String::new(),
        };
        let strips = Strips {
            about: "x",
            name: "value",
            width: 300.0,
            row: 30.0,
            rows: vec![strip(vec![1.0, 2.0, 3.0])],
        };
        let svg = strips.svg();
        assert_eq!(svg.matches("h0").count(), 4);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("a&amp;b"));
    }

    #[test]
    fn offsets_are_spread_evenly() {
        assert_eq!([1, 2, 3, 4].map(radical_inverse), [0.5, 0.25, 0.75, 0.125]);
    }
}
