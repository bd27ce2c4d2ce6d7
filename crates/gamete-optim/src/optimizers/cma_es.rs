//! The evolution strategy with covariance matrix adaptation, (μ/μ_w, λ)-CMA-ES, with the numbers of Hansen, "The CMA Evolution
//! Strategy: A Tutorial" (2016). Equations are those of the tutorial.

use super::batch::Batch;
use super::estimate::Estimate;
use super::uncertainty::Uncertainty;
use crate::eigen::{eigen, identity};
use crate::key::{Key, KeyError, Settings};
use crate::linear::dot;
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::selection::best;
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "cma-es",
    about: "covariance matrix adaptation, which learns how coordinates depend on each other",
    compares: false,
    keys: KEYS,
    check,
    begin: |settings, problem, rng| Box::new(CmaEs::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer(
        "population",
        [0, 100_000],
        0,
        "points per generation; 0 for 4 + 3 ln n, where n is the number of coordinates, or as `noise` says",
    ),
    Key::real("sigma", [0.001, 1.0], 0.3, "initial step, relative to the range of each coordinate"),
    Key::choice(
        "weights",
        &["positive", "active"],
        "learn covariances from the better half of a generation, or from all of it, the worse half with negative weights",
    ),
    Key::choice(
        "bounds",
        &["mirror", "resample"],
        "points outside the ranges are reflected back, or drawn again, at most ten times as often as there are coordinates",
    ),
    Key::choice(
        "start",
        &["middle", "default"],
        "where to start if nothing else is given: the middle of the ranges, or the values in use",
    ),
    Key::choice(
        "answer",
        &["auto", "best", "mean"],
        "the best point of the last generation, or the mean of the distribution, which does not depend on luck; auto is the mean where games are played, otherwise the best",
    ),
    Key::choice(
        "noise",
        &["auto", "ignore", "re-evaluate"],
        "generations three times as large where games are played; or noise is ignored; or some points are evaluated again, the more often the more their ranks change",
    ),
    Key::integer("max_evaluations", [1, 10_000], 30, "most evaluations of a point, if noise is not ignored"),
];

fn check(settings: &Settings) -> Result<(), KeyError> {
    match settings.count("population") {
        population @ 1..=3 => {
            let reason = format!("{population}: give 0, or at least 4, of which the better half counts");
            Err(KeyError::new("population", reason))
        }
        _ => Ok(()),
    }
}

/// What a generation is learned from with, all by the number of coordinates and of points.
#[derive(Debug)]
struct Rates {
    /// c_σ and d_σ, for the step.
    step: f64,
    damping: f64,
    /// c_c, for the path of the mean.
    path: f64,
    /// c_1 and c_μ, for the covariances.
    rank_one: f64,
    rank_mu: f64,
    /// The length of a normal vector, on average.
    length: f64,
}

impl Rates {
    /// Table 1 of the tutorial, without negative weights.
    fn new(dimensions: usize, weights: &[f64]) -> Self {
        let (n, mu) = (dimensions as f64, effective(weights));
        let step = (mu + 2.0) / (n + mu + 5.0);
        let rank_one = 2.0 / ((n + 1.3).powi(2) + mu);
        Self {
            step,
            damping: 1.0 + 2.0 * (((mu - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + step,
            path: (4.0 + mu / n) / (n + 4.0 + 2.0 * mu / n),
            rank_one,
            rank_mu: (2.0 * (mu - 2.0 + 1.0 / mu) / ((n + 2.0).powi(2) + mu)).min(1.0 - rank_one),
            length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }
}

/// The weights of the best of a generation, the first being the best (eq. 49 and 53); of fewer, where fewer came to something.
fn weights(population: usize, came: usize) -> Vec<f64> {
    let middle = libm::log((population as f64 + 1.0) / 2.0);
    let all: Vec<f64> = (1..=came.min(population / 2)).map(|rank| middle - libm::log(rank as f64)).collect();
    let sum: f64 = all.iter().sum();
    all.into_iter().map(|weight| weight / sum).collect()
}

/// The negative weights of the others that came to something, the better first (eq. 49 to 53).
fn negative_weights(
    population: usize,
    came: usize,
    dimensions: usize,
    positive: &[f64],
    rates: &Rates,
) -> Vec<f64> {
    let Rates { rank_one, rank_mu, .. } = *rates;
    if rank_mu <= 0.0 {
        return Vec::new();
    }
    let middle = libm::log((population as f64 + 1.0) / 2.0);
    let all: Vec<f64> = (positive.len() + 1..=came).map(|rank| middle - libm::log(rank as f64)).collect();
    let sum: f64 = all.iter().sum();
    let most = [
        1.0 + rank_one / rank_mu,
        1.0 + 2.0 * sum * sum * effective(&all) / (effective(positive) + 2.0),
        (1.0 - rank_one - rank_mu) / (dimensions as f64 * rank_mu),
    ];
    let most = most.into_iter().fold(f64::INFINITY, f64::min);
    if sum < 0.0 { all.into_iter().map(|weight| -most * weight / sum).collect() } else { Vec::new() }
}

/// μ_eff: how many points such weights are worth (eq. 8).
fn effective(weights: &[f64]) -> f64 {
    1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>()
}

#[derive(Debug)]
struct CmaEs {
    rng: Rng,
    batch: Batch,
    rates: Rates,
    /// The distribution: its mean and its step, both in a space without bounds, and its covariances.
    mean: Vec<f64>,
    sigma: f64,
    covariances: Vec<Vec<f64>>,
    /// Of the covariances: the roots of their eigenvalues, and their eigenvectors as columns.
    lengths: Vec<f64>,
    axes: Vec<Vec<f64>>,
    /// The paths p_σ and p_c that the mean has come along.
    step_path: Vec<f64>,
    mean_path: Vec<f64>,
    /// Generations, and those since the axes were computed.
    turns: u32,
    since_axes: u32,
    /// How often points are evaluated, if noise is not ignored.
    uncertainty: Option<Uncertainty>,
    answers_mean: bool,
    /// How often a point is drawn that leaves the ranges.
    max_draws: usize,
    /// Whether the worse half is learned from.
    is_active: bool,
    /// This generation as steps from the mean, in units of σ.
    steps: Vec<Vec<f64>>,
    /// Which of them each trial evaluates.
    plan: Vec<usize>,
    /// Of each of them the places of its parents among those that were ranked before.
    parents: Vec<Vec<u32>>,
    /// The last generation that was evaluated, the best first.
    ranked: Vec<Member>,
    best: Option<Member>,
}

impl CmaEs {
    fn new(settings: &Settings, problem: &Problem, rng: Rng) -> Self {
        let dimensions = problem.dimensions;
        let is_of_games = problem.games > 0;
        let enlarged = is_of_games && settings.choice("noise") == "auto";
        let population = match settings.count("population") {
            0 => (4 + (3.0 * libm::log(dimensions as f64)) as usize) * if enlarged { 3 } else { 1 },
            population => population,
        };
        let known = &problem.start[..problem.start.len().min(population)];
        let begins_with_default = settings.choice("start") == "default";
        let mean = |coordinate: usize| match known.len() {
            0 if begins_with_default => problem.start_point()[coordinate],
            0 => 0.5,
            count => known.iter().map(|point| point[coordinate]).sum::<f64>() / count as f64,
        };
        let mut cma_es = Self {
            rng,
            batch: Batch::new(population),
            rates: Rates::new(dimensions, &weights(population, population)),
            mean: (0..dimensions).map(mean).collect(),
            sigma: settings.number("sigma"),
            covariances: identity(dimensions),
            lengths: vec![1.0; dimensions],
            axes: identity(dimensions),
            step_path: vec![0.0; dimensions],
            mean_path: vec![0.0; dimensions],
            turns: 0,
            since_axes: 0,
            uncertainty: (settings.choice("noise") == "re-evaluate")
                .then(|| Uncertainty::new(population, dimensions, settings.count("max_evaluations"))),
            answers_mean: match settings.choice("answer") {
                "auto" => is_of_games,
                answer => answer == "mean",
            },
            max_draws: if settings.choice("bounds") == "resample" { 10 * dimensions } else { 1 },
            is_active: settings.choice("weights") == "active",
            steps: Vec::new(),
            plan: Vec::new(),
            parents: (0..population as u32).map(|place| vec![place]).collect(),
            ranked: Vec::new(),
            best: None,
        };
        cma_es.draw();
        cma_es
    }

    /// Draws a generation (eq. 38 and 39).
    fn draw(&mut self) {
        let population = self.parents.len();
        self.plan = match &self.uncertainty {
            Some(uncertainty) => uncertainty.plan(),
            None => (0..population).collect(),
        };
        self.batch.resize(self.plan.len());
        let mut steps = Vec::with_capacity(population);
        for _ in 0..population {
            let mut step = self.draw_step();
            for _ in 1..self.max_draws {
                if self.is_inside(&step) {
                    break;
                }
                step = self.draw_step();
            }
            steps.push(step);
        }
        self.steps = steps;
    }

    fn draw_step(&mut self) -> Vec<f64> {
        let normal: Vec<f64> = self.lengths.iter().map(|length| length * self.rng.normal()).collect();
        self.axes.iter().map(|axis| dot(axis, &normal)).collect()
    }

    fn is_inside(&self, step: &[f64]) -> bool {
        self.mean.iter().zip(step).all(|(mean, step)| (0.0..=1.0).contains(&(mean + self.sigma * step)))
    }

    /// The point of a step. What leaves the cube comes back as from a mirror; the distribution itself knows no bounds.
    fn point(&self, step: &[f64]) -> Genome {
        let reflected = |x: f64| {
            let x = x.rem_euclid(2.0);
            if x > 1.0 { 2.0 - x } else { x }
        };
        self.mean.iter().zip(step).map(|(mean, step)| reflected(mean + self.sigma * step)).collect()
    }

    /// Ranks a generation by what came of it, learns from it, and draws the next.
    fn turn(&mut self, evaluations: &[Evaluation]) {
        let mut estimates = vec![Estimate::default(); self.steps.len()];
        for (&place, evaluation) in self.plan.iter().zip(evaluations) {
            estimates[place].add(*evaluation);
        }
        let fitness: Vec<f64> = estimates.iter().map(Estimate::rank_value).collect();
        let order = best(&fitness, fitness.len());
        let member = |&index: &usize| Member {
            point: self.point(&self.steps[index]),
            fitness: Some(fitness[index]).filter(|fitness| fitness.is_finite()),
            parents: self.parents[index].clone(),
        };
        self.ranked = order.iter().map(member).collect();
        // Nobody stays, so that a lucky one does not either.
        if self.ranked[0].fitness.is_some() {
            self.best = Some(self.ranked[0].clone());
        }
        let came = fitness.iter().filter(|fitness| fitness.is_finite()).count();
        let weights = weights(fitness.len(), came);
        if !weights.is_empty() {
            let chosen: Vec<Vec<f64>> =
                order[..weights.len()].iter().map(|&index| self.steps[index].clone()).collect();
            let others = &order[weights.len()..came];
            let negative = match self.is_active {
                true => negative_weights(fitness.len(), came, self.mean.len(), &weights, &self.rates),
                false => Vec::new(),
            };
            let worse: Vec<(Vec<f64>, f64)> = others
                .iter()
                .zip(negative)
                .map(|(&index, weight)| (self.steps[index].clone(), weight))
                .collect();
            self.learn(&chosen, &weights, worse);
        }
        if let Some(uncertainty) = &mut self.uncertainty {
            self.sigma = (self.sigma * uncertainty.learn(evaluations)).min(1.0);
        }
        let parents: Vec<u32> = (0..weights.len() as u32).collect();
        self.parents.fill(parents);
        self.draw();
    }

    /// Moves the distribution to where the chosen steps lead, the best first, and makes it narrower where the worse ones with negative weights
    /// lead.
    fn learn(&mut self, chosen: &[Vec<f64>], weights: &[f64], mut worse: Vec<(Vec<f64>, f64)>) {
        let Rates { step, damping, path, rank_one, rank_mu, length } = self.rates;
        let (dimensions, mu) = (self.mean.len(), effective(weights));
        let negative: f64 = worse.iter().map(|(_, weight)| weight).sum();
        // The mean (eq. 41 and 42).
        let mean_step: Vec<f64> = (0..dimensions)
            .map(|i| chosen.iter().zip(weights).map(|(step, weight)| weight * step[i]).sum())
            .collect();
        for (mean, step) in self.mean.iter_mut().zip(&mean_step) {
            *mean += self.sigma * step;
        }
        // The step (eq. 43 and 44).
        let white = self.whitened(&mean_step);
        // However long a step is, so much of a direction and no more (eq. 46).
        for (step, weight) in &mut worse {
            let white = self.whitened(step);
            *weight *= dimensions as f64 / dot(&white, &white).max(f64::MIN_POSITIVE);
        }
        let pull = (step * (2.0 - step) * mu).sqrt();
        for (along, white) in self.step_path.iter_mut().zip(&white) {
            *along = (1.0 - step) * *along + pull * white;
        }
        self.turns += 1;
        let travelled = dot(&self.step_path, &self.step_path).sqrt();
        let change = step / damping * (travelled / length - 1.0);
        // Not more than the cube has room for, and not so little that nothing is left of it.
        self.sigma = (self.sigma * libm::exp(change.min(1.0))).clamp(SMALLEST_STEP, 1.0);
        // The covariances (eq. 45 to 47). While the step grows fast, the path of the mean stands still.
        let forgotten = libm::pow(1.0 - step, f64::from(2 * self.turns)).min(1.0);
        let stalls = travelled / (1.0 - forgotten).sqrt() >= (1.4 + 2.0 / (dimensions as f64 + 1.0)) * length;
        let pull = if stalls { 0.0 } else { (path * (2.0 - path) * mu).sqrt() };
        for (along, step) in self.mean_path.iter_mut().zip(&mean_step) {
            *along = (1.0 - path) * *along + pull * step;
        }
        let lost = if stalls { path * (2.0 - path) } else { 0.0 };
        let kept = 1.0 + rank_one * lost - rank_one - rank_mu - rank_mu * negative;
        for row in 0..dimensions {
            for column in 0..=row {
                let products =
                    chosen.iter().zip(weights).map(|(step, weight)| weight * step[row] * step[column]);
                let against = worse.iter().map(|(step, weight)| weight * step[row] * step[column]);
                let covariance = kept * self.covariances[row][column]
                    + rank_one * self.mean_path[row] * self.mean_path[column]
                    + rank_mu * products.chain(against).sum::<f64>();
                self.covariances[row][column] = covariance;
                self.covariances[column][row] = covariance;
            }
        }
        // As often as they change by enough (B.2).
        self.since_axes += 1;
        if f64::from(self.since_axes) * 10.0 * dimensions as f64 * (rank_one + rank_mu) > 1.0 {
            self.find_axes();
        }
    }

    fn find_axes(&mut self) {
        let (values, axes) = eigen(&self.covariances);
        let largest = values.iter().copied().fold(0.0, f64::max);
        // No direction is given up.
        let length = |value: &f64| value.max(largest * SMALLEST_SHARE).sqrt();
        (self.lengths, self.axes) = (values.iter().map(length).collect(), axes);
        self.since_axes = 0;
    }

    /// A step as it would be if the covariances were those of a sphere: C^(−1/2) times it.
    fn whitened(&self, step: &[f64]) -> Vec<f64> {
        let dimensions = step.len();
        let along = |axis: usize| {
            (0..dimensions).map(|row| self.axes[row][axis] * step[row]).sum::<f64>() / self.lengths[axis]
        };
        let along: Vec<f64> = (0..dimensions).map(along).collect();
        (0..dimensions).map(|row| dot(&self.axes[row], &along)).collect()
    }
}

/// The smallest σ.
const SMALLEST_STEP: f64 = 1e-9;

/// The smallest eigenvalue relative to the largest.
const SMALLEST_SHARE: f64 = 1e-14;

impl Optimizer for CmaEs {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        Some(Trial { number, point: self.point(&self.steps[self.plan[place]]), rival: None })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            self.turn(&evaluations);
        }
    }

    fn step_size(&self) -> Option<f64> {
        Some(self.sigma)
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    fn population(&self) -> Vec<Member> {
        if self.ranked.is_empty() {
            let unknown =
                |step: &Vec<f64>| Member { point: self.point(step), fitness: None, parents: Vec::new() };
            return self.steps.iter().map(unknown).collect();
        }
        self.ranked.clone()
    }

    fn best(&self) -> Option<Member> {
        let best = self.best.clone()?;
        let mean =
            || Member { point: self.point(&vec![0.0; self.mean.len()]), fitness: None, parents: Vec::new() };
        Some(if self.answers_mean { mean() } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Value;

    fn minimise(
        dimensions: usize,
        trials: u64,
        start: Vec<Genome>,
        f: impl Fn(&[f64]) -> f64,
    ) -> (CmaEs, f64) {
        let problem = Problem { dimensions, start, ..Problem::default() };
        let mut cma_es = CmaEs::new(&Settings::new(KEYS), &problem, Rng::new(1));
        let mut least = f64::INFINITY;
        for _ in 0..trials {
            let trial = cma_es.ask().expect("a trial");
            let value = f(&trial.point);
            least = least.min(value);
            cma_es.tell(trial.number, Evaluation::new(-value));
        }
        (cma_es, least)
    }

    #[test]
    fn coordinates_that_depend_on_each_other_are_learned() {
        // A narrow ridge across all coordinates, a thousand times as steep as it is along.
        let ridge = |point: &[f64]| {
            let steep: f64 = point.windows(2).map(|pair| (pair[0] - pair[1]).powi(2)).sum();
            1e6 * steep + (point[0] - 0.7).powi(2)
        };
        let (cma_es, least) = minimise(8, 6000, Vec::new(), ridge);
        assert!(least < 1e-12, "{least}");
        let length =
            |pick: fn(f64, f64) -> f64| cma_es.lengths.iter().copied().reduce(pick).expect("lengths");
        assert!(length(f64::max) > 100.0 * length(f64::min), "{:?}", cma_es.lengths);
    }

    #[test]
    fn an_optimum_in_a_corner_is_found() {
        let corner = |point: &[f64]| {
            point.iter().enumerate().map(|(i, x)| if i % 2 == 0 { *x } else { 1.0 - x }).sum()
        };
        assert!(minimise(10, 6000, Vec::new(), corner).1 < 1e-6);
    }

    #[test]
    fn the_numbers_are_those_of_the_tutorial() {
        let weights = weights(10, 10);
        assert_eq!(weights.len(), 5);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        // By its table 1, for ten coordinates.
        let rates = Rates::new(10, &weights);
        let known = [
            (effective(&weights), 3.167_299),
            (rates.step, 0.284_429),
            (rates.damping, 1.284_429),
            (rates.path, 0.294_990),
            (rates.rank_one, 0.015_284),
            (rates.rank_mu, 0.020_154),
            (rates.length, 3.084_727),
        ];
        for (found, wanted) in known {
            assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
        }
        // The negative weights of five others are small enough for the covariances to stay positive, by its three bounds.
        let negative = negative_weights(10, 10, 10, &weights, &rates);
        assert_eq!(negative.len(), 5);
        assert!(negative.is_sorted_by(|one, two| one >= two) && negative.iter().all(|weight| *weight < 0.0));
        assert!((negative.iter().sum::<f64>() + 1.758_341).abs() < 1e-6, "{negative:?}");
        assert!(negative_weights(10, 5, 10, &weights, &rates).is_empty());
        // Where few came to something, these count.
        assert_eq!(super::weights(10, 1), [1.0]);
        assert!(super::weights(10, 0).is_empty());
    }

    #[test]
    fn it_begins_around_what_is_known() {
        let start = vec![vec![0.2, 0.9], vec![0.4, 0.7]];
        let problem = Problem { dimensions: 2, start, ..Problem::default() };
        let cma_es = CmaEs::new(&Settings::new(KEYS), &problem, Rng::new(1));
        assert!((cma_es.mean[0] - 0.3).abs() < 1e-12 && (cma_es.mean[1] - 0.8).abs() < 1e-12);
        assert_eq!(cma_es.batch_size(), 6);
    }

    #[test]
    fn points_that_leave_the_ranges_are_drawn_again() {
        let inside = |bounds: &str| {
            let mut settings = Settings::new(KEYS);
            settings.set("bounds", Value::Text(bounds.to_owned())).expect("one of its words");
            let problem = Problem { dimensions: 5, start: vec![vec![0.1; 5]], ..Problem::default() };
            let cma_es = CmaEs::new(&settings, &problem, Rng::new(1));
            cma_es.steps.iter().filter(|step| cma_es.is_inside(step)).count()
        };
        assert_eq!((inside("mirror"), inside("resample")), (1, 8));
    }

    #[test]
    fn the_mean_is_an_answer_that_was_never_evaluated() {
        let mut settings = Settings::new(KEYS);
        settings.set("answer", Value::Text("mean".to_owned())).expect("one of its words");
        let mut cma_es = CmaEs::new(&settings, &Problem { dimensions: 2, ..Problem::default() }, Rng::new(1));
        assert_eq!(cma_es.best(), None);
        for _ in 0..cma_es.batch_size() {
            let trial = cma_es.ask().expect("a trial");
            cma_es.tell(trial.number, Evaluation::new(trial.point[0]));
        }
        let best = cma_es.best().expect("an answer");
        assert_eq!((best.point, best.fitness), (cma_es.mean.clone(), None));
    }

    #[test]
    fn games_are_met_by_larger_generations_and_an_answer_without_luck() {
        let begin = |changed: &[(&str, Value)], games: u64| {
            let mut settings = Settings::new(KEYS);
            changed.iter().for_each(|(key, value)| settings.set(key, value.clone()).expect("a value"));
            CmaEs::new(&settings, &Problem { dimensions: 2, games, ..Problem::default() }, Rng::new(1))
        };
        let sizes = |cma_es: CmaEs| (cma_es.batch_size(), cma_es.answers_mean);
        let text = |word: &str| Value::Text(word.to_owned());
        assert_eq!(sizes(begin(&[], 0)), (6, false));
        assert_eq!(sizes(begin(&[], 2)), (18, true));
        assert_eq!(sizes(begin(&[("population", Value::Number(8.0))], 2)), (8, true));
        // As before there was a choice.
        assert_eq!(sizes(begin(&[("noise", text("ignore")), ("answer", text("best"))], 2)), (6, false));
    }

    #[test]
    fn a_population_must_have_a_better_half() {
        let mut settings = Settings::new(KEYS);
        settings.set("population", Value::Number(3.0)).expect("a value of the key");
        assert!(check(&settings).expect_err("an error").to_string().starts_with("population: 3: give 0"));
    }
}
