//! The simplex method of Nelder and Mead ("A Simplex Method for Function Minimization", 1965), step by step as the library that Berg and
//! Petersen used ("A simplex approach for the tuning of a chess evaluation function", 2006), and with the variant for noise of Chang
//! ("Stochastic Nelder–Mead simplex method – A new globally convergent direct search method for simulation optimization", 2012).

use gamete_stats::Spread;

use super::batch::Batch;
use super::estimate::Estimate;
use crate::key::{Key, Settings};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "nelder-mead",
    about: "Nelder and Mead's simplex: the worst of n + 1 points is reflected through the others",
    compares: false,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(NelderMead::new(settings, problem, rng)),
};

const KEYS: &[Key] = &[
    Key::real(
        "step",
        [0.0001, 10.0],
        0.35,
        "initial step to each vertex, relative to the value of its parameter",
    ),
    Key::choice(
        "signs",
        &["plus", "random"],
        "signs of these steps: all up, and all down in every other round; or up or down at random",
    ),
    Key::integer(
        "rounds",
        [0, 1_000_000],
        0,
        "simplices to start, each around the best of the previous one; 0 for no limit",
    ),
    Key::real("restart_step", [0.0001, 10.0], 0.125, "the same as step, for all simplices but the first"),
    Key::real(
        "tolerance",
        [0.0, f64::MAX],
        1e-13,
        "deviation of the fitness of all vertices below which a simplex has converged",
    ),
    Key::real(
        "min_size",
        [0.0, 1.0],
        0.001,
        "distance of all vertices from the best, relative to the ranges, below which a simplex has also converged",
    ),
    Key::real(
        "reflection",
        [0.01, 10.0],
        1.0,
        "how far beyond the centroid the worst goes, relative to its distance",
    ),
    Key::real("expansion", [0.0, 10.0], 1.0, "how much farther it goes if it is then the best"),
    Key::real(
        "contraction",
        [0.01, 0.99],
        0.5,
        "how far from the centroid it stays otherwise, relative to its distance",
    ),
    Key::real(
        "shrink",
        [0.01, 0.99],
        0.5,
        "share of their distance from the best that all keep if nothing else is better",
    ),
    Key::integer(
        "remeasure",
        [0, 10_000],
        0,
        "how many times the best vertex is evaluated again after each step; the mean counts",
    ),
    Key::choice(
        "variant",
        &["plain", "stochastic"],
        "as published; or Chang's for noise: √k evaluations of each vertex at step k, and random points instead of shrinking",
    ),
    Key::flag(
        "speculative",
        false,
        "whether reflection, expansion and contractions are evaluated in parallel",
    ),
];

/// A point and its evaluations.
#[derive(Debug, Clone, PartialEq)]
struct Vertex {
    point: Genome,
    estimate: Estimate,
}

impl Vertex {
    fn new(point: Genome) -> Self {
        Self { point, estimate: Estimate::default() }
    }

    fn fitness(&self) -> f64 {
        self.estimate.rank_value()
    }

    fn is_known(&self) -> bool {
        self.estimate.count() > 0
    }

    fn member(&self) -> Member {
        Member { point: self.point.clone(), fitness: self.estimate.mean(), parents: Vec::new() }
    }
}

/// What the points that are being evaluated are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// They are a new or shrunken simplex.
    Simplex,
    /// The worst vertex, reflected; if speculative also expanded, and contracted on either side of the centroid.
    Reflection,
    Expansion,
    Contraction,
    /// A random point.
    Search,
    /// The simplex as it is, once more.
    Refresh,
}

#[derive(Debug)]
struct NelderMead {
    settings: Settings,
    problem: Problem,
    rng: Rng,
    is_stochastic: bool,
    batch: Batch,
    stage: Stage,
    /// The points that are being evaluated, and for each trial which of them.
    open: Vec<Vertex>,
    plan: Vec<usize>,
    /// How often those that failed were tried again.
    retries: u32,
    /// The best first, where all of it is evaluated.
    simplex: Vec<Vertex>,
    /// The reflected vertex, while it is expanded.
    reflected: Option<Vertex>,
    /// Steps of all simplices, and simplices that have converged.
    steps: u64,
    rounds: usize,
    best: Option<Vertex>,
}

impl NelderMead {
    fn new(settings: &Settings, problem: Problem, rng: Rng) -> Self {
        let start = problem.start_point();
        let mut one = Self {
            settings: settings.clone(),
            is_stochastic: settings.choice("variant") == "stochastic",
            rng,
            batch: Batch::new(0),
            stage: Stage::Simplex,
            open: Vec::new(),
            plan: Vec::new(),
            retries: 0,
            simplex: Vec::new(),
            reflected: None,
            steps: 0,
            rounds: 0,
            best: None,
            problem,
        };
        one.simplex = one.around(Vertex::new(start), settings.number("step"));
        one.evaluate(Stage::Simplex, one.simplex.clone());
        one
    }

    /// A simplex: a vertex, and one a step along each axis from it.
    fn around(&mut self, first: Vertex, step: f64) -> Vec<Vertex> {
        let mut simplex = vec![first];
        for axis in 0..self.problem.dimensions {
            let mut point = simplex[0].point.clone();
            let value = self.problem.distance_from_zero(axis, point[axis]).abs();
            // A percentage of nothing is nothing.
            let length = if value < SMALLEST_VALUE { self.problem.step_guess(axis) } else { step * value };
            let length = length.max(self.problem.unit(axis).unwrap_or(0.0));
            let down = match self.settings.choice("signs") {
                "random" => self.rng.below(2) == 1,
                // Else luck would drive simplices up, one after the other.
                _ => self.rounds % 2 == 1,
            };
            let length = if down { -length } else { length };
            // Where the range ends, the other way.
            let at = point[axis];
            let inside = [at + length, at - length].into_iter().find(|x| (0.0..=1.0).contains(x));
            point[axis] = inside.unwrap_or(if at < 0.5 { 1.0 } else { 0.0 });
            simplex.push(Vertex::new(point));
        }
        simplex
    }

    /// Has points evaluated, each as often as this step wants it.
    fn evaluate(&mut self, stage: Stage, points: Vec<Vertex>) {
        let times = vec![self.times(); points.len()];
        self.evaluate_times(stage, points, &times);
    }

    fn evaluate_times(&mut self, stage: Stage, points: Vec<Vertex>, times: &[usize]) {
        self.plan =
            times.iter().enumerate().flat_map(|(place, &times)| std::iter::repeat_n(place, times)).collect();
        self.batch.resize(self.plan.len());
        (self.stage, self.open, self.retries) = (stage, points, 0);
    }

    /// Evaluations that a vertex has to have by now.
    fn times(&self) -> usize {
        if self.is_stochastic { (self.steps.max(1) as f64).sqrt().ceil() as usize } else { 1 }
    }

    /// Goes on with what came of all open points.
    fn turn(&mut self, evaluations: &[Evaluation]) {
        let mut open = std::mem::take(&mut self.open);
        for (&place, &evaluation) in self.plan.iter().zip(evaluations) {
            open[place].estimate.add(evaluation);
        }
        let failed: Vec<usize> = (0..open.len()).filter(|&place| !open[place].is_known()).collect();
        if !failed.is_empty() && self.retries < MAX_RETRIES {
            (self.open, self.plan) = (open, failed);
            self.batch.resize(self.plan.len());
            self.retries += 1;
            return;
        }
        match self.stage {
            Stage::Simplex => {
                // The best is evaluated again, and is still the best known if that fails.
                let known = self.best.take_if(|best| !open[0].is_known() && best.point == open[0].point);
                if let Some(best) = known {
                    open[0] = best;
                }
                self.simplex = open;
                self.finish_step();
            }
            Stage::Refresh => {
                self.simplex = open;
                self.begin_step();
            }
            Stage::Reflection => self.reflect(open),
            Stage::Expansion => self.expand(open.swap_remove(0)),
            Stage::Contraction => self.contract(open.swap_remove(0)),
            Stage::Search => {
                if open[0].fitness() > self.worst().fitness() {
                    *self.simplex.last_mut().expect("a simplex") = open.swap_remove(0);
                }
                self.finish_step();
            }
        }
    }

    /// Judges the reflected vertex, which comes first.
    fn reflect(&mut self, mut open: Vec<Vertex>) {
        let is_speculative = open.len() > 1;
        let reflected = open[0].clone();
        let fitness = reflected.fitness();
        let others = &self.simplex[..self.simplex.len() - 1];
        if fitness > self.simplex[0].fitness() {
            self.reflected = Some(reflected);
            match is_speculative {
                true => self.expand(open.swap_remove(1)),
                false => self.evaluate(Stage::Expansion, vec![self.along(self.expanded())]),
            }
        } else if others.iter().any(|other| fitness >= other.fitness()) {
            self.replace_worst(reflected);
        } else {
            let is_outside = fitness >= self.worst().fitness();
            let contraction = self.settings.number("contraction");
            let point = self.along(if is_outside {
                contraction * self.settings.number("reflection")
            } else {
                -contraction
            });
            if is_outside {
                *self.simplex.last_mut().expect("a simplex") = reflected;
            }
            match is_speculative {
                true => self.contract(open.swap_remove(if is_outside { 2 } else { 3 })),
                false => self.evaluate(Stage::Contraction, vec![point]),
            }
        }
    }

    fn expand(&mut self, expanded: Vertex) {
        let reflected = self.reflected.take().expect("the reflected vertex");
        let is_better = expanded.fitness() > self.simplex[0].fitness();
        self.replace_worst(if is_better { expanded } else { reflected });
    }

    fn contract(&mut self, contracted: Vertex) {
        if contracted.fitness() >= self.worst().fitness() && contracted.is_known() {
            self.replace_worst(contracted);
        } else if self.is_stochastic {
            self.search();
        } else {
            self.shrink();
        }
    }

    /// Moves all vertices towards the best, and has all of them evaluated anew, the best too.
    fn shrink(&mut self) {
        let share = self.settings.number("shrink");
        let best = &self.simplex[0].point;
        let nearer = |vertex: &Vertex| {
            Vertex::new(best.iter().zip(&vertex.point).map(|(best, x)| best + share * (x - best)).collect())
        };
        let simplex = self.simplex.iter().map(nearer).collect();
        self.evaluate(Stage::Simplex, simplex);
    }

    /// Tries a random point: by turns anywhere, and around the best, as far as the others are.
    fn search(&mut self) {
        let best = self.simplex[0].point.clone();
        let point = if self.rng.below(2) == 0 {
            best.iter().map(|_| self.rng.uniform()).collect()
        } else {
            let size = self.size();
            best.iter().map(|x| (x + size * self.rng.normal()).clamp(0.0, 1.0)).collect()
        };
        self.evaluate(Stage::Search, vec![Vertex::new(point)]);
    }

    /// The distance of a vertex from the best in a coordinate, on average.
    fn size(&self) -> f64 {
        let best = &self.simplex[0].point;
        let squares = self.simplex[1..].iter().map(|vertex| square_distance(&vertex.point, best));
        (squares.sum::<f64>() / (best.len() * best.len()) as f64).sqrt()
    }

    fn worst(&self) -> &Vertex {
        self.simplex.last().expect("a simplex")
    }

    fn replace_worst(&mut self, vertex: Vertex) {
        *self.simplex.last_mut().expect("a simplex") = vertex;
        self.finish_step();
    }

    /// Has vertices evaluated again whose luck is to be known.
    fn finish_step(&mut self) {
        self.steps += 1;
        self.rank();
        let wanted = if self.is_stochastic { self.times() } else { 0 };
        let mut times: Vec<usize> = self
            .simplex
            .iter()
            .map(|vertex| wanted.saturating_sub(vertex.estimate.count() as usize))
            .collect();
        times[0] += self.settings.count("remeasure");
        if times.iter().any(|&times| times > 0) {
            self.evaluate_times(Stage::Refresh, self.simplex.clone(), &times);
        } else {
            self.begin_step();
        }
    }

    /// Puts the best first.
    fn rank(&mut self) {
        self.simplex.sort_by(|one, two| two.fitness().total_cmp(&one.fitness()));
    }

    /// Reflects the worst vertex, or begins a new simplex where this one has converged.
    fn begin_step(&mut self) {
        self.rank();
        if self.simplex[0].is_known() {
            self.best = Some(self.simplex[0].clone());
        }
        if self.has_converged() {
            self.rounds += 1;
            if self.rounds != self.settings.count("rounds") {
                self.restart();
            } else {
                self.batch.resize(0);
            }
            return;
        }
        let reflection = self.settings.number("reflection");
        let contraction = self.settings.number("contraction");
        let mut points = vec![self.along(reflection)];
        if self.settings.flag("speculative") {
            points.extend([self.expanded(), contraction * reflection, -contraction].map(|by| self.along(by)));
        }
        self.evaluate(Stage::Reflection, points);
    }

    fn has_converged(&self) -> bool {
        let known: Vec<f64> = self.simplex.iter().filter(|one| one.is_known()).map(Vertex::fitness).collect();
        let is_flat = known.len() < 2 || Spread::of(known.into_iter()).sd < self.settings.number("tolerance");
        // Where steps no longer change a point, nothing can become better.
        let size = self.settings.number("min_size").max(SMALLEST_SIZE);
        let is_near = |vertex: &Vertex| square_distance(&vertex.point, &self.simplex[0].point) < size * size;
        is_flat || self.simplex.iter().all(is_near)
    }

    fn restart(&mut self) {
        let known = self.best.clone().unwrap_or_else(|| self.simplex[0].clone());
        let first = if self.is_stochastic { known } else { Vertex::new(known.point) };
        let simplex = self.around(first, self.settings.number("restart_step"));
        self.evaluate(Stage::Simplex, simplex);
    }

    /// How far the expanded vertex is from the centroid.
    fn expanded(&self) -> f64 {
        self.settings.number("reflection") * (1.0 + self.settings.number("expansion"))
    }

    /// The point behind the centroid of the others, seen from the worst vertex, that is so many times as far from it.
    fn along(&self, factor: f64) -> Vertex {
        let (worst, others) = self.simplex.split_last().expect("a simplex");
        let at = |axis: usize| {
            let centroid = others.iter().map(|vertex| vertex.point[axis]).sum::<f64>() / others.len() as f64;
            (centroid + factor * (centroid - worst.point[axis])).clamp(0.0, 1.0)
        };
        Vertex::new((0..self.problem.dimensions).map(at).collect())
    }
}

/// How often a point is tried again that could not be evaluated: the way of a simplex hangs on single points.
const MAX_RETRIES: u32 = 2;

/// A value, relative to its range, that is as good as 0.
const SMALLEST_VALUE: f64 = 1e-9;

/// The size of a simplex that is no more than a point.
const SMALLEST_SIZE: f64 = 1e-13;

fn square_distance(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| (one - two).powi(2)).sum()
}

impl Optimizer for NelderMead {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        Some(Trial { number, point: self.open[self.plan[place]].point.clone(), rival: None })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            self.turn(&evaluations);
        }
    }

    fn step_size(&self) -> Option<f64> {
        (self.simplex.len() > 1).then(|| self.size())
    }

    fn batch_size(&self) -> usize {
        self.problem.dimensions + 1
    }

    fn population(&self) -> Vec<Member> {
        self.simplex.iter().map(Vertex::member).collect()
    }

    fn best(&self) -> Option<Member> {
        self.best.as_ref().map(Vertex::member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Value;

    fn begin(values: &[(&str, Value)], problem: Problem) -> NelderMead {
        let mut settings = Settings::new(KEYS);
        for (name, value) in values {
            settings.set(name, value.clone()).expect("a value of the key");
        }
        NelderMead::new(&settings, problem, Rng::new(1))
    }

    fn plane() -> Problem {
        Problem { dimensions: 2, ..Problem::default() }
    }

    /// The points of so many trials.
    fn points(simplex: &mut NelderMead, trials: usize, mut f: impl FnMut(&[f64]) -> f64) -> Vec<Genome> {
        let mut points = Vec::new();
        for _ in 0..trials {
            let Some(trial) = simplex.ask() else { break };
            simplex.tell(trial.number, Evaluation::new(f(&trial.point)));
            points.push(trial.point);
        }
        points
    }

    fn is_at(point: &[f64], wanted: [f64; 2]) -> bool {
        point.iter().zip(wanted).all(|(x, wanted)| (x - wanted).abs() < 1e-12)
    }

    fn number(value: f64) -> Value {
        Value::Number(value)
    }

    fn sphere(point: &[f64]) -> f64 {
        -point.iter().map(|x| (x - 0.3).powi(2)).sum::<f64>()
    }

    #[test]
    fn the_worst_is_reflected_and_expanded_as_printed_or_as_by_the_library() {
        for (expansion, end) in [(1.0, 0.65), (2.0, 0.7)] {
            let mut simplex = begin(&[("step", number(0.2)), ("expansion", number(expansion))], plane());
            let found = points(&mut simplex, 5, |point| point.iter().sum());
            let wanted = [[0.5, 0.5], [0.6, 0.5], [0.5, 0.6], [0.6, 0.6], [end, end]];
            assert!(found.iter().zip(wanted).all(|(point, wanted)| is_at(point, wanted)), "{found:?}");
        }
    }

    #[test]
    fn the_worst_is_contracted_on_the_side_that_is_better_and_then_all_shrink() {
        // The centroid is at (0.55, 0.5) and the worst at (0.5, 0.6).
        let after = |reflected: f64| {
            let f = move |point: &[f64]| match (point[0] * 100.0).round() as i32 {
                _ if is_at(point, [0.5, 0.5]) => 3.0,
                _ if is_at(point, [0.6, 0.5]) => 2.0,
                _ if is_at(point, [0.5, 0.6]) => 1.0,
                _ if is_at(point, [0.6, 0.4]) => reflected,
                _ => 0.0,
            };
            points(&mut begin(&[("step", number(0.2))], plane()), 8, f)[3..].to_vec()
        };
        let outside = after(1.5);
        assert!(is_at(&outside[0], [0.6, 0.4]) && is_at(&outside[1], [0.575, 0.45]), "{outside:?}");
        // All of them anew, the best too, the reflected one in the place of the worst.
        let shrunken = [[0.5, 0.5], [0.55, 0.5], [0.55, 0.45]];
        assert!(outside[2..].iter().zip(shrunken).all(|(point, wanted)| is_at(point, wanted)), "{outside:?}");
        let inside = after(0.5);
        assert!(is_at(&inside[1], [0.525, 0.55]), "{inside:?}");
    }

    #[test]
    fn steps_are_relative_to_values_and_never_nothing() {
        let problem = Problem {
            dimensions: 4,
            default: vec![0.5, 0.5, 0.52, 1.0],
            zeros: vec![0.0, 0.5, 0.5, 0.0],
            step_guesses: vec![0.05; 4],
            units: vec![None, None, Some(0.1), None],
            ..Problem::default()
        };
        let mut simplex = begin(&[("step", number(0.3))], problem);
        let found = points(&mut simplex, 5, |_| 0.0);
        let steps: Vec<f64> = (0..4).map(|axis| found[axis + 1][axis] - found[0][axis]).collect();
        // 30 % of the value; the guess where that is 0; at least 1; and down at the end of the range.
        let wanted = [0.15, 0.05, 0.1, -0.3];
        assert!(steps.iter().zip(wanted).all(|(step, wanted)| (step - wanted).abs() < 1e-12), "{steps:?}");
    }

    #[test]
    fn rounds_end_where_a_simplex_has_converged() {
        let trials = |rounds: f64| {
            let mut simplex = begin(&[("rounds", number(rounds)), ("tolerance", number(1e-6))], plane());
            let count = points(&mut simplex, 2000, sphere).len();
            assert!(simplex.best().is_some_and(|best| sphere(&best.point) > -1e-4));
            count
        };
        let [one, three, endless] = [1.0, 3.0, 0.0].map(trials);
        assert!(one < three && three < endless && endless == 2000, "{one} {three} {endless}");
    }

    #[test]
    fn luck_is_found_out_by_evaluating_the_best_again() {
        let fitness = |remeasure: f64| {
            let mut simplex = begin(&[("remeasure", number(remeasure)), ("tolerance", number(0.0))], plane());
            let mut rng = Rng::new(5);
            points(&mut simplex, 300, |_| rng.normal());
            simplex.best().and_then(|best| best.fitness).expect("a best point")
        };
        assert!(fitness(0.0) > 1.5 && fitness(3.0) < 1.0, "{} {}", fitness(0.0), fitness(3.0));
    }

    #[test]
    fn speculation_leads_to_the_same_points_in_fewer_turns() {
        let best = |speculative: bool, steps: u64| {
            let mut simplex = begin(&[("speculative", Value::Flag(speculative))], plane());
            let mut trials = 0;
            while simplex.steps < steps {
                trials += points(&mut simplex, 1, sphere).len();
            }
            (simplex.simplex.iter().map(|vertex| vertex.point.clone()).collect::<Vec<_>>(), trials)
        };
        let [(usual, few), (speculative, many)] = [false, true].map(|flag| best(flag, 20));
        assert_eq!(usual, speculative);
        assert!(few < many);
        let mut simplex = begin(&[("speculative", Value::Flag(true))], plane());
        points(&mut simplex, 3, sphere);
        assert_eq!(std::iter::from_fn(|| simplex.ask()).count(), 4);
    }

    #[test]
    fn the_stochastic_variant_evaluates_more_and_more_often_and_finds_the_optimum_in_noise() {
        let mut noise = Rng::new(3);
        let mut simplex = begin(&[("variant", Value::Text("stochastic".to_owned()))], plane());
        points(&mut simplex, 5000, |point| sphere(point) + 0.02 * noise.normal());
        let least = simplex.simplex.iter().map(|vertex| vertex.estimate.count()).min();
        assert!(least >= Some(8), "{least:?}");
        let best = simplex.best().expect("a best point");
        assert!(sphere(&best.point) > -0.005, "{best:?}");
    }
}
