use super::LOSS;
use super::model::Model;
use crate::eigen::{eigen, identity};
use crate::linear::dot;

/// What the points of a pair are expected to lose, relative to the most that a point can lose.
const LOSS_OF_DEPTH: f64 = 0.7;

/// How much wider or narrower the region is at most after each fit.
const GROWTH: f64 = 1.5;

/// How much narrower an axis of the region can be than the mean of all.
const NARROWEST: f64 = 0.5;

/// Where pairs are drawn, and which comparisons count.
#[derive(Debug)]
pub(super) struct Region {
    pub centre: Vec<f64>,
    /// Axes as columns, and how far a point of a pair is from the middle along each.
    axes: Vec<Vec<f64>>,
    pub radii: Vec<f64>,
}

impl Region {
    /// A region around the start.
    pub fn new(model: &Model, dimensions: usize) -> Self {
        let mut region =
            Self { centre: vec![0.0; dimensions], axes: identity(dimensions), radii: Vec::new() };
        region.radii = wanted_radii(&vec![model.mode().curvatures[0][0]; dimensions], model, LOSS);
        region
    }

    /// The mean of the radii, by their logarithms.
    pub fn radius(&self) -> f64 {
        libm::exp(self.radii.iter().map(|radius| libm::log(*radius)).sum::<f64>() / self.radii.len() as f64)
    }

    /// Follows the model, with axes of at most `widest`.
    pub fn follow(&mut self, model: &Model, centre: &[f64], loss: f64, widest: f64) {
        let (values, axes) = eigen(&model.mode().curvatures);
        let radius = self.radius();
        let bounded = |wanted: f64| wanted.min(GROWTH * radius).min(widest).max(NARROWEST * radius);
        self.radii = wanted_radii(&values, model, loss).into_iter().map(bounded).collect();
        self.axes = axes;
        self.centre = centre.to_vec();
    }

    /// The mean squared distance of a point from the centre, relative to the radii.
    pub fn distance(&self, point: &[f64]) -> f64 {
        self.distance_between(point, &self.centre)
    }

    /// The mean squared distance of two points, relative to the radii.
    pub fn distance_between(&self, one: &[f64], two: &[f64]) -> f64 {
        let from: Vec<f64> = one.iter().zip(two).map(|(x, y)| x - y).collect();
        let along = |axis: usize| self.axes.iter().zip(&from).map(|(row, x)| row[axis] * x).sum::<f64>();
        let squares = self.radii.iter().enumerate().map(|(axis, radius)| (along(axis) / radius).powi(2));
        squares.sum::<f64>() / self.radii.len() as f64
    }

    /// A step of so much along each axis.
    pub fn step(&self, along: &[f64]) -> Vec<f64> {
        self.axes.iter().map(|row| dot(row, along)).collect()
    }
}

/// How far points should be from the middle along axes of these curvatures.
fn wanted_radii(curvatures: &[f64], model: &Model, loss: f64) -> Vec<f64> {
    let loss = loss * model.score_variance().sqrt();
    let rho = model.mode().rho;
    let loss = if rho > 0.0 { loss.min(LOSS_OF_DEPTH / rho) } else { loss };
    let share = loss / curvatures.len() as f64;
    curvatures.iter().map(|curvature| (share / curvature.max(1e-12)).sqrt()).collect()
}
