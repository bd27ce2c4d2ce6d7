use std::fmt::Write;

use super::frame::{Frame, Size, nothing};
use super::scale::{Scale, is_drawable, nice_step};
use crate::text::{Escaped, fixed};

/// A number by two others, as bands of colour: above 0 in one, below in another.
pub struct Plane<'a> {
    /// What is seen, in words.
    pub about: &'a str,
    /// What is across and what upwards.
    pub names: [&'a str; 2],
    /// From where to where.
    pub ranges: [[f64; 2]; 2],
    /// Rows from below, each from the left.
    pub values: &'a [Vec<f64>],
    /// Small dots.
    pub dots: &'a [[f64; 2]],
    /// Places with a word.
    pub marks: [([f64; 2], &'a str); 2],
}

/// About so many bands have room between the smallest and the largest value.
const BANDS: f64 = 18.0;

impl Plane<'_> {
    /// How much a band is, which is a round number.
    pub fn step(values: &[Vec<f64>]) -> f64 {
        let all = || values.iter().flatten().copied().filter(|&value| is_drawable(value));
        let (low, high) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
        nice_step((high - low) / BANDS)
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let Size(width, _) = Size::SMALL;
        let frame = Frame { width, height: 300.0, left: 64.0, right: width - 18.0, top: 8.0, bottom: 258.0 };
        let rows = self.values.len();
        let columns = self.values.first().map_or(0, Vec::len);
        let is_flat = self.ranges.iter().any(|[low, high]| !(is_drawable(high - low) && high > low));
        if rows == 0 || columns == 0 || is_flat {
            return nothing();
        }
        let [x, y] =
            [([frame.left, frame.right], self.ranges[0]), ([frame.bottom, frame.top], self.ranges[1])]
                .map(|(place, [low, high])| Scale::exact(low, high, place, 5));
        let mut svg = frame.open(self.about);
        svg.push_str(&self.bands(&frame, rows, columns));
        svg.push_str("<path class=\"tried\" d=\"");
        for [across, up] in self.dots.iter().filter(|dot| self.has(**dot)) {
            if let (Some(x), Some(y)) = (x.place(*across), y.place(*up)) {
                let _ = write!(svg, "M{x:.1} {y:.1}h0");
            }
        }
        svg.push_str("\"/>");
        for (([across, up], word), class) in self.marks.iter().zip(["from", "to"]) {
            let (Some(x), Some(y)) = (x.place(*across), y.place(*up)) else { continue };
            let (anchor, aside) = if x > frame.right - 60.0 { ("end", -8.0) } else { ("", 8.0) };
            let _ = write!(
                svg,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/><text class=\"mark {anchor}\" x=\"{:.1}\" y=\"{:.1}\">{word}</text>",
                x + aside,
                y + 4.0
            );
        }
        for (value, label) in y.ticks() {
            let Some(place) = y.place(value) else { continue };
            let (left, text) = (frame.left, frame.left - 6.0);
            let _ = write!(
                svg,
                "<path class=\"axis\" d=\"M{left} {place:.1}h-4\"/><text class=\"end\" x=\"{text}\" y=\"{:.1}\">{label}</text>",
                place + 4.0
            );
        }
        let middle = f64::midpoint(frame.top, frame.bottom);
        let _ = write!(
            svg,
            "<text class=\"middle name\" transform=\"translate(12 {middle}) rotate(-90)\">{}</text>",
            Escaped(self.names[1])
        );
        svg + &frame.x_axis(&x, self.names[0]) + "</svg>"
    }

    fn has(&self, [across, up]: [f64; 2]) -> bool {
        let is_in = |[low, high]: [f64; 2], value: f64| (low..=high).contains(&value);
        is_in(self.ranges[0], across) && is_in(self.ranges[1], up)
    }

    /// The cells, those of a band together.
    fn bands(&self, frame: &Frame, rows: usize, columns: usize) -> String {
        let step = Self::step(self.values);
        let (width, height) =
            ((frame.right - frame.left) / columns as f64, (frame.bottom - frame.top) / rows as f64);
        let mut bands: Vec<(i64, String)> = Vec::new();
        for (row, values) in self.values.iter().enumerate() {
            for (column, &value) in values.iter().enumerate().filter(|(_, value)| is_drawable(**value)) {
                let band = (value / step).floor() as i64;
                let (x, y) = (frame.left + width * column as f64, frame.bottom - height * (row as f64 + 1.0));
                // A little larger, so that no lines show between cells.
                let cell =
                    format!("M{x:.1} {y:.1}h{:.1}v{:.1}h-{:.1}z", width + 0.3, height + 0.3, width + 0.3);
                match bands.iter_mut().find(|(known, _)| *known == band) {
                    Some((_, cells)) => cells.push_str(&cell),
                    None => bands.push((band, cell)),
                }
            }
        }
        bands.sort_by_key(|(band, _)| *band);
        let most = bands.iter().map(|(band, _)| strength(*band)).max().unwrap_or(1).max(1) as f64;
        let mut svg = String::new();
        for (band, cells) in bands {
            let class = if band < 0 { "minus" } else { "plus" };
            let opacity = 0.12 + 0.88 * strength(band) as f64 / most;
            let [low, high] = [band, band + 1].map(|edge| fixed(edge as f64 * step, 0));
            let _ = write!(
                svg,
                "<path class=\"{class}\" fill-opacity=\"{opacity:.2}\" d=\"{cells}\"><title>{low} to {high}</title></path>"
            );
        }
        svg
    }
}

/// How far a band is from 0, from 1.
fn strength(band: i64) -> i64 {
    if band < 0 { -band } else { band + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_band_are_drawn_together_and_dots_only_where_there_is_room() {
        let values = [vec![-12.0, 3.0, 4.0], vec![f64::NAN, 25.0, 55.0]];
        assert_eq!(Plane::step(&values), 5.0);
        let plane = Plane {
            about: "a<b",
            names: ["a", "b"],
            ranges: [[0.0, 30.0], [5.0, 9.0]],
            values: &values,
            dots: &[[10.0, 6.0], [40.0, 6.0]],
            marks: [([3.0, 6.0], "original"), ([29.0, 8.0], "tuned")],
        };
        let svg = plane.svg();
        assert_eq!(svg.matches("<title>").count(), 4, "{svg}");
        assert!(svg.contains("<title>−15 to −10</title>") && svg.contains("<title>0 to 5</title>"));
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN"));
        let dots = svg.split("class=\"tried\" d=\"").nth(1).and_then(|rest| rest.split('"').next());
        assert_eq!(dots.map(|dots| dots.matches('M').count()), Some(1));
        let flat = Plane { ranges: [[1.0, 1.0], [0.0, 1.0]], ..plane };
        assert!(flat.svg().contains("nothing to draw"));
    }
}
