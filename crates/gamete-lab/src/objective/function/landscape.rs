//! Landscapes of Elo with a known optimum, drawn at random, to compare optimisers on.

use gamete_optim::{Genome, Rng};
use gamete_stats::score_of_elo;

/// How Elo falls with the distance from the optimum, whose square by the curvatures is q.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// −q.
    Quadratic,
    /// −60 · (1 − exp(−q · (1 + ½ tanh Σ(x − optimum)) / 60)): lopsided, and far away nearly flat.
    Saturating,
    /// As (1 − exp(−(q / 20)²)): nearly flat at the start and around the optimum, with a slope between.
    Plateau,
    /// −q with curvatures from 1 to 1/1000 in directions that have nothing to do with the coordinates.
    Ridge,
    /// −q, and 200 Elo less where a point has gone a quarter too far from the start beyond the optimum.
    Cliff,
}

impl Form {
    /// The names of all forms.
    pub const NAMES: [&'static str; 5] = ["quadratic", "saturating", "plateau", "ridge", "cliff"];

    pub fn find(name: &str) -> Option<Self> {
        let forms = [Self::Quadratic, Self::Saturating, Self::Plateau, Self::Ridge, Self::Cliff];
        Self::NAMES.iter().position(|known| *known == name).map(|place| forms[place])
    }
}

/// The largest coordinate, and the smallest the other way round, in steps that a user would guess.
pub(super) const BOUND: f64 = 6.0;

/// What the start loses by q.
const LOSS: f64 = 40.0;

/// The most that a saturating landscape loses.
const MOST: f64 = 60.0;

/// Where a plateau ends, as q.
const EDGE: f64 = 20.0;

/// The share of games that are drawn.
const DRAWS: f64 = 0.55;

/// Elo of every point, 0 at the optimum. Searches start at 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Landscape {
    form: Form,
    /// What q multiplies with the distance from the optimum on both sides.
    hessian: Vec<Vec<f64>>,
    optimum: Genome,
}

impl Landscape {
    /// Draws a landscape. One in four of its curvatures is 0, so that as many directions do not matter. The optimum lies on
    /// the grid of whole numbers where there is one, so many of them in a step.
    pub fn draw(form: Form, dimensions: usize, units: Option<f64>, mut rng: Rng) -> Self {
        let mut curvatures: Vec<f64> = match form {
            Form::Ridge => {
                let share = |place: usize| place as f64 / (dimensions - 1).max(1) as f64;
                (0..dimensions).map(|place| libm::pow(1000.0, -share(place))).collect()
            }
            // Gamma(2): the sum of two exponential numbers.
            _ => (0..dimensions)
                .map(|_| [0, 1].map(|_: u8| -libm::log(1.0 - rng.uniform())).iter().sum())
                .collect(),
        };
        if form != Form::Ridge {
            let mut places: Vec<usize> = (0..dimensions).collect();
            rng.shuffle(&mut places);
            places.iter().take(dimensions / 4).for_each(|&place| curvatures[place] = 0.0);
        }
        // Near the identity, but for ridges: coordinates have little to do with each other, as parameters of engines.
        let mixing = if form == Form::Ridge { 1e3 } else { 0.25 };
        let rotation = orthogonal(dimensions, mixing, &mut rng);
        let mut coordinate = || {
            let distance = 0.5 + 2.5 * rng.uniform();
            if rng.below(2) == 0 { distance } else { -distance }
        };
        let mut optimum: Genome = (0..dimensions).map(|_| coordinate()).collect();
        if let Some(units) = units {
            optimum.iter_mut().for_each(|one| *one = (*one * units).round() / units);
        }
        let entry = |row: usize, column: usize| {
            let terms = rotation.iter().zip(&curvatures).map(|(axis, k)| k * axis[row] * axis[column]);
            terms.sum::<f64>()
        };
        let hessian = (0..dimensions).map(|row| (0..dimensions).map(|column| entry(row, column)).collect());
        let mut landscape = Self { form, hessian: hessian.collect(), optimum };
        let scale = LOSS / landscape.q(&vec![0.0; dimensions]).max(f64::MIN_POSITIVE);
        landscape.hessian.iter_mut().flatten().for_each(|entry| *entry *= scale);
        landscape
    }

    fn q(&self, x: &[f64]) -> f64 {
        let away = self.away(x);
        let row = |row: &Vec<f64>| row.iter().zip(&away).map(|(entry, by)| entry * by).sum::<f64>();
        self.hessian.iter().map(row).zip(&away).map(|(sum, by)| sum * by).sum()
    }

    fn away(&self, x: &[f64]) -> Genome {
        x.iter().zip(&self.optimum).map(|(x, optimum)| x - optimum).collect()
    }

    /// The Elo of a point.
    pub fn elo(&self, x: &[f64]) -> f64 {
        let q = self.q(x);
        match self.form {
            Form::Quadratic | Form::Ridge => -q,
            Form::Saturating => {
                let side = 1.0 + 0.5 * libm::tanh(self.away(x).iter().sum());
                -MOST * (1.0 - libm::exp(-q * side / MOST))
            }
            Form::Plateau => {
                let height = |q: f64| 1.0 - libm::exp(-(q / EDGE) * (q / EDGE));
                -LOSS * height(q) / height(LOSS)
            }
            Form::Cliff => {
                let far: f64 = self.away(x).iter().zip(&self.optimum).map(|(by, optimum)| by * optimum).sum();
                let distance: f64 = self.optimum.iter().map(|optimum| optimum * optimum).sum();
                if far > 0.25 * distance { -q - 200.0 } else { -q }
            }
        }
    }

    /// The score of so many pairs of games between two points: wins less losses, divided by games.
    pub fn play(&self, [one, other]: [&[f64]; 2], pairs: usize, rng: &mut Rng) -> f64 {
        let win = (score_of_elo(self.elo(one) - self.elo(other)) - DRAWS / 2.0).clamp(0.0, 1.0);
        let games = 2 * pairs;
        let mut game = || match rng.uniform() {
            luck if luck < win => 1.0,
            luck if luck < win + DRAWS => 0.0,
            _ => -1.0,
        };
        (0..games).map(|_| game()).sum::<f64>() / games as f64
    }
}

/// A random orthogonal matrix, by rows: the identity with so much noise on it, made orthogonal by Gram and Schmidt.
fn orthogonal(dimensions: usize, mixing: f64, rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for place in 0..dimensions {
        let mut row: Vec<f64> = (0..dimensions)
            .map(|column| f64::from(u8::from(column == place)) + mixing * rng.normal())
            .collect();
        // Twice, as once leaves errors of rounding.
        for _ in 0..2 {
            for before in &rows {
                let along: f64 = row.iter().zip(before).map(|(x, y)| x * y).sum();
                row.iter_mut().zip(before).for_each(|(x, y)| *x -= along * y);
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(form: Form, dimensions: usize, seed: u64) -> Landscape {
        Landscape::draw(form, dimensions, None, Rng::new(seed))
    }

    #[test]
    fn the_start_loses_forty_elo_and_the_optimum_nothing() {
        for (seed, dimensions) in [(1, 1), (2, 2), (3, 8), (4, 30)] {
            for name in Form::NAMES {
                let landscape = draw(Form::find(name).expect("a form"), dimensions, seed);
                let lost = -landscape.elo(&vec![0.0; dimensions]);
                // A saturating one loses 40 before it saturates.
                let range = if name == "saturating" { 16.9..38.0 } else { 40.0 - 1e-9..40.0 + 1e-9 };
                assert!(range.contains(&lost), "{name} {dimensions}: {lost}");
                assert!(landscape.elo(&landscape.optimum).abs() < 1e-12);
                let near: Vec<f64> = landscape.optimum.iter().map(|x| x * 0.9).collect();
                assert!(landscape.elo(&near) < 0.0 && landscape.elo(&near) > -lost, "{name}");
                assert!(landscape.optimum.iter().all(|x| (0.5..3.0).contains(&x.abs())));
            }
        }
    }

    /// Numbers of the Python program that measured the first table of such landscapes.
    #[test]
    fn points_have_the_elo_that_the_reference_gives_them() {
        let hessian = vec![vec![3.0, 0.5, 0.1], vec![0.5, 2.0, -0.3], vec![0.1, -0.3, 1.0]];
        let points = [[0.0, 0.0, 0.0], [0.3, 0.7, -1.5], [2.5, -2.0, 4.0]];
        let known = [
            (Form::Quadratic, [-10.6125, -23.1825, -18.2875]),
            (Form::Saturating, [-10.804_135_355_936_396, -17.253_608_335_347_593, -22.015_435_694_060_83]),
        ];
        for (form, wanted) in known {
            let landscape = Landscape { form, hessian: hessian.clone(), optimum: vec![1.0, -2.0, 0.75] };
            for (point, wanted) in points.iter().zip(wanted) {
                assert!((landscape.elo(point) - wanted).abs() < 1e-12, "{form:?} {point:?}");
            }
        }
    }

    #[test]
    fn forms_have_the_shapes_that_they_are_named_for() {
        let at = |landscape: &Landscape, share: f64| {
            let point: Vec<f64> = landscape.optimum.iter().map(|x| share * x).collect();
            landscape.elo(&point)
        };
        let [quadratic, plateau, cliff] =
            [Form::Quadratic, Form::Plateau, Form::Cliff].map(|form| draw(form, 8, 5));
        let slope = |landscape: &Landscape| at(landscape, 0.01) - at(landscape, 0.0);
        assert!(slope(&plateau) < 0.25 * slope(&quadratic), "{} {}", slope(&plateau), slope(&quadratic));
        assert!(at(&plateau, 0.8) > -1.0 && at(&quadratic, 0.8) < -1.5);
        assert!(at(&cliff, 1.24) > -10.0 && at(&cliff, 1.26) < -200.0);
        // One step along each coordinate costs little on the way along a ridge, and there is no such coordinate.
        let ridge = draw(Form::Ridge, 8, 5);
        let costs: Vec<f64> = (0..8).map(|place| ridge.hessian[place][place]).collect();
        let most = costs.iter().copied().fold(0.0, f64::max);
        assert!(costs.iter().all(|cost| *cost > most / 100.0), "{costs:?}");
    }

    #[test]
    fn one_direction_in_four_does_not_matter() {
        let hessian = draw(Form::Quadratic, 8, 7).hessian;
        // Six curvatures are left: Gaussian elimination comes to an end after six rows.
        let mut rows = hessian;
        let mut rank = 0;
        for column in 0..8 {
            let Some(pivot) =
                (rank..8).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            else {
                break;
            };
            if rows[pivot][column].abs() < 1e-9 {
                continue;
            }
            rows.swap(rank, pivot);
            let first = rows[rank].clone();
            for row in &mut rows[rank + 1..] {
                let factor = row[column] / first[column];
                row.iter_mut().zip(&first).for_each(|(x, y)| *x -= factor * y);
            }
            rank += 1;
        }
        assert_eq!(rank, 6);
    }

    #[test]
    fn games_are_drawn_and_won_as_often_as_they_should_be() {
        let landscape = draw(Form::Quadratic, 2, 1);
        let (start, optimum) = ([0.0, 0.0], landscape.optimum.clone());
        let mut rng = Rng::new(3);
        let mean = landscape.play([&optimum, &start], 100_000, &mut rng);
        // Elo 40 is a score of 0.5573.
        assert!((mean - 0.1146).abs() < 0.006, "{mean}");
        let pair: Vec<f64> = (0..10_000).map(|_| landscape.play([&start, &start], 1, &mut rng)).collect();
        let drawn = pair.iter().filter(|score| score.abs() < 1e-9).count();
        // Two draws, or a win each: 0.55² + 2 · 0.225².
        assert!((drawn as f64 / 1e4 - 0.40375).abs() < 0.02, "{drawn}");
        assert!(pair.iter().all(|score| [-1.0, -0.5, 0.0, 0.5, 1.0].contains(score)));
    }

    #[test]
    fn an_optimum_of_whole_numbers_lies_on_their_grid() {
        let landscape = Landscape::draw(Form::Quadratic, 8, Some(3.0), Rng::new(1));
        assert!(landscape.optimum.iter().all(|x| (3.0 * x - (3.0 * x).round()).abs() < 1e-12));
    }
}
