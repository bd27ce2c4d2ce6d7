use gamete_lab::{Generation, Measure};
use gamete_stats::{Sample, Spread};

use crate::chart::{Axis, Lines, Point, Series, Size};
use crate::subject::{Arm, Run};
use crate::text::fixed;

/// A number of each generation, run by run.
pub struct Curve {
    name: String,
    color: usize,
    runs: Vec<Vec<Point>>,
}

impl Curve {
    /// What the runs of an arm have, generations without it left out; nothing where no run has it.
    pub fn new(
        name: &str,
        color: usize,
        arm: &Arm,
        value: impl Fn(&Generation) -> Option<f64>,
    ) -> Option<Self> {
        let points = |run: &Run| -> Vec<Point> {
            let rows = run.generations.iter();
            rows.filter_map(|row| Some(Point::new(f64::from(row.number), value(row)?))).collect()
        };
        let runs: Vec<Vec<Point>> = arm.runs.iter().map(points).filter(|points| !points.is_empty()).collect();
        (!runs.is_empty()).then(|| Self { name: name.to_owned(), color, runs })
    }

    /// The values of all runs in their first generation that has one.
    pub fn first(&self) -> Vec<f64> {
        self.runs.iter().filter_map(|points| points.first()).map(|point| point.y).collect()
    }

    /// The values of all runs in their last generation.
    pub fn last(&self) -> Vec<f64> {
        self.runs.iter().filter_map(|points| points.last()).map(|point| point.y).collect()
    }

    /// The mean over runs.
    fn mean(&self) -> Series {
        let longest = self.runs.iter().max_by_key(|points| points.len());
        let point = |at: &Point| {
            let here = self.runs.iter().filter_map(|run| run.iter().find(|point| point.x == at.x));
            Point::new(at.x, Sample::of(here.map(|point| point.y)).mean())
        };
        let points = longest.map_or_else(Vec::new, |points| points.iter().map(point).collect());
        Series { name: self.name.clone(), color: self.color, points }
    }

    fn singles(&self) -> impl Iterator<Item = Series> {
        let series = |points: &Vec<Point>| Series {
            name: self.name.clone(),
            color: self.color,
            points: points.clone(),
        };
        self.runs.iter().filter(|_| self.runs.len() > 1).map(series)
    }

    /// Published values beside it, by generation.
    pub fn published(&self, values: &[(f64, f64)]) -> Series {
        let points = values.iter().map(|&(generation, value)| Point::new(generation, value)).collect();
        Series { name: format!("{}, published", self.name), color: self.color, points }
    }
}

/// Curves in one picture: means over runs, the runs behind them, and dots.
pub fn curves_svg(about: &str, unit: &str, size: Size, curves: &[Curve], dots: &[Series]) -> String {
    let series = curves.iter().map(Curve::mean).collect();
    let runs = curves.iter().flat_map(Curve::singles).collect();
    Lines { about, axis: Axis::Linear, unit, size, series, mark: None }.over_runs(runs, dots)
}

/// How many generations a run has at most.
pub fn last_generation(arm: &Arm) -> u32 {
    arm.runs.iter().map(|run| run.last().number).max().unwrap_or(0)
}

/// The most there can be of a measure, as the last generation says that knows; 0 where none does.
pub fn most_of(arm: &Arm, name: &str) -> f64 {
    let mut rows = arm.runs.iter().flat_map(|run| &run.generations).rev();
    rows.find_map(|row| row.measure(name)?.of).unwrap_or(0.0)
}

/// A part of the most there can be, in per cent.
pub fn percent_of(measure: &Measure, value: f64) -> Option<f64> {
    measure.of.filter(|&of| of > 0.0).map(|of| 100.0 * value / of)
}

/// The mean of values, and how far they reach where there are several: `31.9 (31.2 – 32.4)`.
pub fn range_text(values: &[f64], decimals: usize, unit: &str) -> String {
    let Spread { min, max, .. } = Spread::of(values.iter().copied());
    let mean = Sample::of(values.iter().copied()).mean();
    match values.len() {
        0 => "–".to_owned(),
        1 => format!("{}{unit}", fixed(mean, decimals)),
        _ => format!(
            "{}{unit} <small>({} – {})</small>",
            fixed(mean, decimals),
            fixed(min, decimals),
            fixed(max, decimals)
        ),
    }
}
