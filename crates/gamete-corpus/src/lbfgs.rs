//! Minimisation within bounds by limited-memory BFGS (Nocedal, "Updating Quasi-Newton Matrices with Limited Storage", 1980), with
//! the projection of Bertsekas, "Projected Newton Methods for Optimization Problems with Simple Constraints" (1982).

use serde::{Deserialize, Serialize};

/// A point that was reached, with the value and the gradient there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iterate {
    /// The point.
    pub point: Vec<f64>,
    /// What is to become small.
    pub value: f64,
    /// Its slope along each coordinate.
    pub gradient: Vec<f64>,
}

/// How many of the last steps tell of the curvature.
const MEMORY: usize = 10;

/// Slopes that count as none.
const FLAT: f64 = 1e-7;

/// Of the descent that the slope promises, what a step must bring.
const SUFFICIENT: f64 = 1e-4;

/// How often a step that brings too little is halved.
const HALVINGS: u32 = 40;

/// The next point of a descent, from those before, the latest last; nothing where it is at its end. It depends on nothing but the last
/// [`MEMORY`] steps, so that a descent can be broken off and resumed anywhere.
pub(crate) fn next_iterate(
    path: &[Iterate],
    bounds: &[[f64; 2]],
    mut evaluate: impl FnMut(Vec<f64>) -> Iterate,
) -> Option<Iterate> {
    let path = &path[path.len().saturating_sub(MEMORY + 1)..];
    let last = path.last()?;
    let is_free: Vec<bool> =
        (0..bounds.len()).map(|i| can_descend(last.point[i], last.gradient[i], bounds[i])).collect();
    let gradient = masked(&last.gradient, &is_free);
    if gradient.iter().all(|slope| slope.abs() < FLAT) {
        return None;
    }
    let mut direction = descent(path, &gradient, &is_free);
    if dot(&direction, &gradient) >= 0.0 {
        direction = gradient.iter().map(|slope| -slope).collect();
    }
    // Without a step before, nothing is known of how far to go.
    let mut length = if path.len() == 1 { (1.0 / norm(&gradient)).min(1.0) } else { 1.0 };
    for _ in 0..HALVINGS {
        let moved = last.point.iter().zip(&direction).map(|(x, along)| x + length * along);
        let point: Vec<f64> = moved.zip(bounds).map(|(x, [min, max])| x.clamp(*min, *max)).collect();
        let promised = dot(&last.gradient, &difference(&point, &last.point));
        let next = evaluate(point);
        if promised < 0.0 && next.value <= last.value + SUFFICIENT * promised {
            return Some(next);
        }
        length /= 2.0;
    }
    None
}

/// Whether a coordinate may go where its slope leads.
fn can_descend(x: f64, slope: f64, [min, max]: [f64; 2]) -> bool {
    if slope > 0.0 { x > min } else { x < max }
}

/// The direction of the next step among the free coordinates: the two loops of Nocedal.
fn descent(path: &[Iterate], gradient: &[f64], is_free: &[bool]) -> Vec<f64> {
    let change = |pair: &[Iterate]| {
        let step = masked(&difference(&pair[1].point, &pair[0].point), is_free);
        let turn = masked(&difference(&pair[1].gradient, &pair[0].gradient), is_free);
        let curvature = dot(&step, &turn);
        (curvature > 1e-10 * dot(&turn, &turn)).then_some((step, turn, curvature))
    };
    let changes: Vec<_> = path.windows(2).filter_map(change).collect();
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::new();
    for (step, turn, curvature) in changes.iter().rev() {
        let share = dot(step, &direction) / curvature;
        add(&mut direction, -share, turn);
        shares.push(share);
    }
    if let Some((_, turn, curvature)) = changes.last() {
        let scale = curvature / dot(turn, turn);
        direction.iter_mut().for_each(|along| *along *= scale);
    }
    for ((step, turn, curvature), share) in changes.iter().zip(shares.iter().rev()) {
        let back = dot(turn, &direction) / curvature;
        add(&mut direction, share - back, step);
    }
    direction
}

fn masked(values: &[f64], is_free: &[bool]) -> Vec<f64> {
    values.iter().zip(is_free).map(|(value, is_free)| if *is_free { *value } else { 0.0 }).collect()
}

fn difference(one: &[f64], two: &[f64]) -> Vec<f64> {
    one.iter().zip(two).map(|(one, two)| one - two).collect()
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

fn add(to: &mut [f64], times: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += times * value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The valley of Rosenbrock, with its floor at (1, 1).
    fn rosenbrock(point: Vec<f64>) -> Iterate {
        let [x, y] = point[..] else { panic!("two coordinates") };
        let value = 100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2);
        let gradient = vec![-400.0 * x * (y - x * x) - 2.0 * (1.0 - x), 200.0 * (y - x * x)];
        Iterate { point, value, gradient }
    }

    fn minimise(start: [f64; 2], bounds: [[f64; 2]; 2]) -> Vec<Iterate> {
        let mut path = vec![rosenbrock(start.to_vec())];
        while let Some(next) = next_iterate(&path, &bounds, rosenbrock) {
            path.push(next);
            assert!(path.len() < 200, "{path:?}");
        }
        path
    }

    #[test]
    fn it_ends_at_the_lowest_point() {
        let path = minimise([-1.2, 1.0], [[-5.0, 5.0]; 2]);
        let end = path.last().expect("an end");
        assert!(end.point.iter().all(|x| (x - 1.0).abs() < 1e-5), "{end:?}");
        assert!(path.len() < 60, "{}", path.len());
        assert!(path.is_sorted_by(|one, two| one.value > two.value));
    }

    #[test]
    fn bounds_are_kept_and_left_again() {
        // The lowest point of the valley within these is at its edge.
        let path = minimise([-1.2, 1.0], [[-2.0, 0.5], [-2.0, 2.0]]);
        let end = &path.last().expect("an end").point;
        assert!(path.iter().all(|one| one.point[0] <= 0.5), "{path:?}");
        assert!(end[0] == 0.5 && (end[1] - 0.25).abs() < 1e-5, "{end:?}");
        // It begins at an edge at which it does not stay.
        let end = &minimise([-2.0, 2.0], [[-2.0, 3.0], [-2.0, 2.0]]).pop().expect("an end").point;
        assert!(end.iter().all(|x| (x - 1.0).abs() < 1e-5), "{end:?}");
        // What is pinned never moves.
        let path = minimise([-1.0, 0.25], [[-2.0, 3.0], [0.25, 0.25]]);
        assert!(path.iter().all(|one| one.point[1] == 0.25), "{path:?}");
    }

    #[test]
    fn the_last_steps_are_all_that_it_knows() {
        let path = minimise([-1.2, 1.0], [[-5.0, 5.0]; 2]);
        let (before, after) = path.split_at(20);
        let next = next_iterate(&before[9..], &[[-5.0, 5.0]; 2], rosenbrock);
        assert_eq!(next.as_ref(), after.first());
    }
}
