use crate::optimizer::{AxisChange, Problem};

/// What a coordinate is to the model, for which the start is 0 and the optimum about 1 away.
#[derive(Debug)]
pub(super) struct Coordinate {
    start: f64,
    scale: f64,
    pub range: [f64; 2],
    /// The smallest difference that rounding does not take away, half of it on either side.
    pub least: f64,
}

impl Coordinate {
    pub fn new(problem: &Problem, place: usize, start: f64) -> Self {
        let half = problem.unit(place).map_or(0.0, |unit| unit / 2.0);
        // Two steps or a sixth of the range: the mean of these, as either may be badly wrong.
        let scale = (2.0 * problem.step_guess(place) / 6.0).sqrt();
        let start = start.clamp(half, 1.0 - half);
        let range = [half, 1.0 - half].map(|end| (end - start) / scale);
        Self { start, scale, range, least: half / scale }
    }

    pub fn at(&self, x: f64) -> f64 {
        (self.start + self.scale * x).clamp(0.0, 1.0)
    }

    /// The same units of the model on an axis with another range.
    pub fn change_range(&mut self, AxisChange { scale, shift }: AxisChange, unit: Option<f64>) {
        let half = unit.map_or(0.0, |unit| unit / 2.0);
        self.start = scale * self.start + shift;
        self.scale *= scale;
        self.range = [half, 1.0 - half].map(|end| (end - self.start) / self.scale);
        self.least = half / self.scale;
    }

    pub fn of(&self, at: f64) -> f64 {
        (at - self.start) / self.scale
    }
}
