use std::fmt::Write;

use super::frame::{Frame, Size, nothing, spread_out, text_width};
use super::scale::{Axis, Scale, is_drawable};
use crate::text::{Escaped, short};

/// A value with what is around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

impl Point {
    /// A value alone.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: f64::NAN, high: f64::NAN }
    }
}

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// Its colour, by number.
    pub color: usize,
    /// Its points from left to right.
    pub points: Vec<Point>,
}

/// Lines over generations or something else that is counted, with bands where points have them.
pub struct Lines<'a> {
    /// What is seen, in words.
    pub about: &'a str,
    /// How values lie.
    pub axis: Axis,
    /// Written behind each number of the axis.
    pub unit: &'a str,
    /// How large it is.
    pub size: Size,
    /// The lines.
    pub series: Vec<Series>,
    /// A value to draw a line across at, and its name.
    pub mark: Option<(f64, &'a str)>,
}

/// Points beyond these are not told apart by eyes.
const MAX_POINTS: usize = 120;
const MAX_HINTS: usize = 50;
/// So many can be larger.
const FEW_DOTS: usize = 2;
/// As many as there are colours; more are a crowd, in which none is named.
pub const MAX_COLORS: usize = 8;

impl Lines<'_> {
    /// The drawing, over generations.
    pub fn svg(self) -> String {
        self.over("generation", &[])
    }

    /// The drawing over what the axis is named after, with dots in the colours of the lines.
    pub fn over(self, name: &str, dots: &[Series]) -> String {
        self.draw(name, Vec::new(), dots)
    }

    /// The drawing over generations with thin lines of single runs behind, and dots, in the colours of the lines.
    pub fn over_runs(self, runs: Vec<Series>, dots: &[Series]) -> String {
        self.draw("generation", runs, dots)
    }

    fn draw(mut self, name: &str, mut runs: Vec<Series>, dots: &[Series]) -> String {
        for series in self.series.iter_mut().chain(&mut runs) {
            let points = &series.points;
            series.points = spread_out(points.len(), MAX_POINTS).into_iter().map(|at| points[at]).collect();
        }
        let points = || self.series.iter().chain(&runs).chain(dots).flat_map(|series| &series.points);
        let values = points()
            .flat_map(|point| [point.y, point.low, point.high])
            .chain(self.mark.map(|(value, _)| value));
        let Size(width, height) = self.size;
        let (top, bottom) = (10.0, height - 38.0);
        let Some(y) = Scale::new(self.axis, values, [bottom, top], if height > 250.0 { 6 } else { 4 }) else {
            return nothing();
        };
        let (first, last) = points()
            .fold((f64::INFINITY, 0.0_f64), |(first, last), point| (first.min(point.x), last.max(point.x)));
        let crowd = self.series.len() > MAX_COLORS;
        let widest =
            |texts: &mut dyn Iterator<Item = String>| texts.map(|text| text_width(&text)).fold(0.0, f64::max);
        let left = widest(&mut y.ticks().into_iter().map(|(_, label)| label + self.unit)) + 12.0;
        let named = self.series.len() > 1 && !crowd;
        let names = widest(&mut self.series.iter().filter(|_| named).map(|series| series.name.clone()));
        let right = width - if named { names.min(width / 3.0) + 14.0 } else { 12.0 };
        let x = Scale::whole(first, last, [left, right], ((right - left) / 55.0) as usize);
        let frame = Frame { width, height, left, right, top, bottom };

        let mut svg = frame.open(self.about);
        svg.push_str(&frame.y_axis(&y, self.unit));
        svg.push_str(&frame.x_axis(&x, name));
        self.draw_mark(&mut svg, &frame, &y);
        for series in &runs {
            draw_series(&mut svg, series, &format!("run c{}", series.color % MAX_COLORS), [&x, &y]);
        }
        for series in &self.series {
            let color = if crowd { "crowd".to_owned() } else { format!("c{}", series.color % MAX_COLORS) };
            draw_series(&mut svg, series, &color, [&x, &y]);
        }
        for series in dots {
            draw_dots(&mut svg, series, [&x, &y]);
        }
        if named {
            self.draw_names(&mut svg, &frame, [&x, &y]);
        }
        self.draw_hints(&mut svg, &frame, &x, (name, dots));
        svg.push_str("</svg>");
        svg
    }

    fn draw_mark(&self, svg: &mut String, frame: &Frame, y: &Scale) {
        let Some((value, name)) = self.mark else { return };
        let Some(at) = y.place(value) else { return };
        let _ = write!(
            svg,
            "<path class=\"mark\" d=\"M{} {at:.1}H{}\"/><text class=\"mark end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            frame.left,
            frame.right,
            frame.right - 2.0,
            if at < frame.top + 16.0 { at + 13.0 } else { at - 4.0 },
            Escaped(name)
        );
    }

    /// Names at the ends of lines, pushed apart where they would cover each other.
    fn draw_names(&self, svg: &mut String, frame: &Frame, [x, y]: [&Scale; 2]) {
        const GAP: f64 = 13.0;
        let end = |series: &Series| {
            let place = |point: &Point| Some((x.place(point.x)?, y.place(point.y)?));
            let (x, y) = series.points.iter().rev().find_map(place)?;
            Some((x, y, series.color % MAX_COLORS, series.name.clone()))
        };
        // Where a line ends early there is room for its name.
        let (mut last, early): (Vec<_>, Vec<_>) =
            self.series.iter().filter_map(end).partition(|(x, ..)| *x > frame.right - 20.0);
        last.sort_by(|one, other| one.1.total_cmp(&other.1));
        let mut lowest = frame.top - GAP;
        for (_, place, ..) in &mut last {
            *place = place.max(lowest + GAP);
            lowest = *place;
        }
        let mut highest = frame.bottom + GAP;
        for (_, place, ..) in last.iter_mut().rev() {
            *place = place.min(highest - GAP);
            highest = *place;
        }
        for (x, y, color, name) in early.into_iter().chain(last) {
            let _ = write!(
                svg,
                "<text class=\"label c{color}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 7.0,
                y + 4.0,
                Escaped(&name)
            );
        }
    }

    /// What all lines come to at each place, for those who point at it.
    fn draw_hints(&self, svg: &mut String, frame: &Frame, x: &Scale, (name, dots): (&str, &[Series])) {
        let Some(longest) = self.series.iter().max_by_key(|series| series.points.len()) else { return };
        let at: Vec<f64> =
            spread_out(longest.points.len(), MAX_HINTS).into_iter().map(|at| longest.points[at].x).collect();
        let places: Vec<f64> = at.iter().filter_map(|&value| x.place(value)).collect();
        for (index, (&value, &place)) in at.iter().zip(&places).enumerate() {
            let from = if index == 0 { frame.left } else { f64::midpoint(places[index - 1], place) };
            let to = places.get(index + 1).map_or(frame.right, |&next| f64::midpoint(place, next));
            let mut lines = format!("{name} {value}");
            for series in self.series.iter().chain(dots).take(12) {
                let Some(point) = series.points.iter().find(|point| point.x == value) else { continue };
                let _ = write!(lines, "\n{} {}{}", series.name, short(point.y), self.unit);
                if is_drawable(point.low) && is_drawable(point.high) {
                    let _ = write!(lines, " ({} to {})", short(point.low), short(point.high));
                }
            }
            let _ = write!(
                svg,
                "<rect class=\"hint\" x=\"{from:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\"><title>{}</title></rect>",
                frame.top,
                (to - from).max(0.1),
                frame.bottom - frame.top,
                Escaped(&lines)
            );
        }
    }
}

fn draw_series(svg: &mut String, series: &Series, color: &str, [x, y]: [&Scale; 2]) {
    let place = |at: f64, value: f64| Some((x.place(at)?, y.place(value)?));
    let is_there = |point: &Point| place(point.x, point.y).is_some();
    for piece in series.points.chunk_by(|one, other| is_there(one) == is_there(other)) {
        if !is_there(&piece[0]) {
            continue;
        }
        let banded: Vec<&Point> =
            piece.iter().filter(|point| is_drawable(point.low) && is_drawable(point.high)).collect();
        if banded.len() > 1 {
            // On a logarithmic axis a band may reach below everything.
            let edge = |point: &&Point, value: f64| place(point.x, value).or_else(|| place(point.x, y.low()));
            let upper = banded.iter().filter_map(|point| edge(point, point.high));
            let lower = banded.iter().rev().filter_map(|point| edge(point, point.low));
            let _ = write!(svg, "<path class=\"band {color}\" d=\"M{}z\"/>", path(upper.chain(lower)));
        }
        let line = path(piece.iter().filter_map(|point| place(point.x, point.y)));
        let (lone, dot) = if piece.len() == 1 { ("lone ", "h0") } else { ("", "") };
        let _ = write!(
            svg,
            "<path class=\"{lone}line {color}\" d=\"M{line}{dot}\"><title>{}</title></path>",
            Escaped(&series.name)
        );
    }
}

fn draw_dots(svg: &mut String, series: &Series, [x, y]: [&Scale; 2]) {
    let mut path = String::new();
    for point in &series.points {
        if let (Some(x), Some(y)) = (x.place(point.x), y.place(point.y)) {
            let _ = write!(path, "M{x:.1} {y:.1}h0");
        }
    }
    if !path.is_empty() {
        let color = series.color % MAX_COLORS;
        let few = if series.points.len() <= FEW_DOTS { "few " } else { "" };
        let _ = write!(svg, "<path class=\"dots {few}c{color}\" d=\"{path}\"/>");
    }
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut text = String::new();
    for (x, y) in points {
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{x:.1} {y:.1}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(axis: Axis, values: &[f64]) -> String {
        let points =
            values.iter().enumerate().map(|(x, &y)| Point { x: x as f64, y, low: y - 1.0, high: y + 1.0 });
        let series = Series { name: "a<b".to_owned(), color: 0, points: points.collect() };
        Lines { about: "x", axis, unit: "", size: Size::SMALL, series: vec![series], mark: None }.svg()
    }

    #[test]
    fn lines_break_where_there_is_no_number() {
        let svg = chart(Axis::Linear, &[1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 4.0, 5.0]);
        assert_eq!(svg.matches("line c0\"").count(), 3);
        assert_eq!(svg.matches("class=\"lone line c0\"").count(), 1, "one is a point");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("a&lt;b"));
    }

    #[test]
    fn the_axis_may_count_something_else_and_dots_have_room_on_it() {
        let series = |name: &str, values: [f64; 3]| Series {
            name: name.to_owned(),
            color: 1,
            points: (1..).zip(values).map(|(x, y)| Point::new(f64::from(x), y)).collect(),
        };
        let lines = Lines {
            about: "x",
            axis: Axis::Linear,
            unit: "",
            size: Size::SMALL,
            series: vec![series("line", [1.0, 2.0, 3.0])],
            mark: None,
        };
        let svg = lines.over("square", &[series("best", [2.0, f64::NAN, 90.0])]);
        assert!(svg.contains(">square</text>") && !svg.contains("generation"), "{svg}");
        assert!(svg.contains("square 1\nline 1.00\nbest 2.00"), "{svg}");
        assert!(svg.contains("class=\"dots c1\"") && svg.contains(">100</text>"), "{svg}");
        assert_eq!(svg.matches("h0").count(), 2);
    }

    #[test]
    fn runs_are_thin_lines_behind_and_have_room() {
        let series = |color, points: &[(f64, f64)]| Series {
            name: "a".to_owned(),
            color,
            points: points.iter().map(|&(x, y)| Point::new(x, y)).collect(),
        };
        let lines = Lines {
            about: "x",
            axis: Axis::Linear,
            unit: "",
            size: Size::SMALL,
            series: vec![series(1, &[(1.0, 1.0), (2.0, 2.0)])],
            mark: None,
        };
        let runs = vec![series(1, &[(1.0, 0.0), (2.0, 80.0)])];
        let svg = lines.over_runs(runs, &[series(1, &[(200.0, 3.0)])]);
        assert!(svg.find("line run c1").expect("a run") < svg.find("line c1").expect("a line"), "{svg}");
        assert!(
            svg.contains("dots few c1") && svg.contains(">80</text>") && svg.contains(">200</text>"),
            "{svg}"
        );
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(chart(Axis::Linear, &[]), nothing());
        assert_eq!(chart(Axis::Linear, &[f64::NAN]), nothing());
        assert!(chart(Axis::Log, &[0.5, 0.0]).contains("line c0\""));
    }

    #[test]
    fn names_at_the_ends_do_not_cover_each_other() {
        let series = |color| Series {
            name: format!("n{color}"),
            color,
            points: vec![Point::new(0.0, 1.0), Point::new(1.0, 2.0)],
        };
        let lines = Lines {
            about: "x",
            axis: Axis::Linear,
            unit: "",
            size: Size::SMALL,
            series: (0..4).map(series).collect(),
            mark: None,
        };
        let svg = lines.svg();
        let places: Vec<f64> = svg
            .split("<text class=\"label")
            .skip(1)
            .map(|rest| rest.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(places.len(), 4);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 12.9), "{places:?}");
    }
}
