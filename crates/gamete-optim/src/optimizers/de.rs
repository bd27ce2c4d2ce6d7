//! Differential evolution (Storn and Price, "Differential Evolution – A Simple and Efficient Heuristic for Global Optimization over
//! Continuous Spaces", 1997) with binomial crossover; parents are evaluated again against noise.

use super::batch::Batch;
use super::estimate::Estimate;
use crate::key::{Key, KeyError, Settings};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "de",
    about: "differential evolution: points move by differences of others, if that is better",
    compares: false,
    keys: KEYS,
    check,
    begin: |settings, problem, rng| Box::new(De::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer(
        "population",
        [0, 100_000],
        0,
        "points, 4 or more; 0 for 5 n, but from 10 to 100, where n is the number of coordinates",
    ),
    Key::choice(
        "strategy",
        &["rand/1/bin", "current-to-best/1/bin"],
        "what a difference is added to: another point, or the point itself moved towards the best",
    ),
    Key::real("weight", [0.0, 2.0], 0.7, "multiplier of differences (F)"),
    Key::real("crossover", [0.0, 1.0], 0.9, "chance that a coordinate changes (CR)"),
    Key::flag(
        "remeasure",
        true,
        "points are evaluated again in every generation, along with their challengers; the mean counts",
    ),
];

fn check(settings: &Settings) -> Result<(), KeyError> {
    match settings.count("population") {
        population @ 1..=3 => {
            let reason = format!("{population}: give 0, or at least 4: a point and three others");
            Err(KeyError::new("population", reason))
        }
        _ => Ok(()),
    }
}

#[derive(Debug, Clone)]
struct Individual {
    point: Genome,
    estimate: Estimate,
    /// The places of its parents in the population before.
    parents: Vec<u32>,
}

impl Individual {
    fn member(&self) -> Member {
        Member { point: self.point.clone(), fitness: self.estimate.mean(), parents: self.parents.clone() }
    }
}

#[derive(Debug)]
struct De {
    settings: Settings,
    rng: Rng,
    batch: Batch,
    /// Once it is evaluated, the best first.
    population: Vec<Individual>,
    /// Who challenges each of them; nobody as long as nothing is known of them.
    challengers: Vec<Individual>,
}

impl De {
    fn new(settings: &Settings, problem: &Problem, mut rng: Rng) -> Self {
        let size = match settings.count("population") {
            0 => (5 * problem.dimensions).clamp(10, 100),
            population => population,
        };
        let points = problem.initial_population(size, &mut rng);
        let individual = |point| Individual { point, estimate: Estimate::default(), parents: Vec::new() };
        let times = if settings.flag("remeasure") { 2 } else { 1 };
        Self {
            settings: settings.clone(),
            rng,
            batch: Batch::new(times * size),
            population: points.into_iter().map(individual).collect(),
            challengers: Vec::new(),
        }
    }

    fn turn(&mut self, evaluations: &[Evaluation]) {
        let size = self.population.len();
        let (first, again) = evaluations.split_at(size);
        let has_begun = !self.challengers.is_empty();
        let newcomers = if has_begun { &mut self.challengers } else { &mut self.population };
        for (one, evaluation) in newcomers.iter_mut().zip(first) {
            one.estimate.add(*evaluation);
        }
        for (one, evaluation) in self.population.iter_mut().zip(again) {
            one.estimate.add(*evaluation);
        }
        for (place, one) in self.population.iter_mut().enumerate() {
            one.parents = vec![place as u32];
        }
        for (one, challenger) in self.population.iter_mut().zip(self.challengers.drain(..)) {
            if challenger.estimate.rank_value() >= one.estimate.rank_value() {
                *one = challenger;
            }
        }
        self.population.sort_by(|one, two| two.estimate.rank_value().total_cmp(&one.estimate.rank_value()));
        self.challengers = (0..size).map(|place| self.challenger(place)).collect();
    }

    /// A point with differences of others.
    fn challenger(&mut self, place: usize) -> Individual {
        let (weight, chance) = (self.settings.number("weight"), self.settings.number("crossover"));
        let others = self.others(place);
        let [a, b, c] = others.map(|other| &self.population[other].point);
        let (own, best) = (&self.population[place].point, &self.population[0].point);
        let to_best = self.settings.choice("strategy") != RAND;
        // One coordinate changes in any case.
        let chosen = self.rng.below(own.len() as u64) as usize;
        let gene = |axis: usize| {
            let x = own[axis];
            if axis != chosen && self.rng.uniform() >= chance {
                return x;
            }
            let base = if to_best { x + weight * (best[axis] - x) } else { a[axis] };
            // What would leave the range goes half the way to its end.
            match base + weight * (b[axis] - c[axis]) {
                moved if moved < 0.0 => x / 2.0,
                moved if moved > 1.0 => f64::midpoint(x, 1.0),
                moved => moved,
            }
        };
        let point = (0..own.len()).map(gene).collect();
        let parents = [place].into_iter().chain(others).map(|parent| parent as u32).collect();
        Individual { point, estimate: Estimate::default(), parents }
    }

    /// Three others, all different.
    fn others(&mut self, place: usize) -> [usize; 3] {
        let mut found = [place; 3];
        for index in 0..3 {
            while found[..index].contains(&found[index]) || found[index] == place {
                found[index] = self.rng.below(self.population.len() as u64) as usize;
            }
        }
        found
    }
}

/// The first strategy.
const RAND: &str = "rand/1/bin";

impl Optimizer for De {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        let size = self.population.len();
        let one = self.challengers.get(place).unwrap_or(&self.population[place % size]);
        Some(Trial { number, point: one.point.clone(), rival: None })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            self.turn(&evaluations);
        }
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    fn population(&self) -> Vec<Member> {
        self.population.iter().map(Individual::member).collect()
    }

    fn best(&self) -> Option<Member> {
        Some(self.population[0].member()).filter(|best| best.fitness.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Value;

    #[test]
    fn a_population_must_have_three_others() {
        let mut settings = Settings::new(KEYS);
        settings.set("population", Value::Number(3.0)).expect("a value of the key");
        assert!(check(&settings).expect_err("an error").to_string().starts_with("population: 3: give 0"));
    }

    #[test]
    fn nobody_stays_by_a_lucky_evaluation() {
        let best_after = |remeasure: bool| {
            let mut settings = Settings::new(KEYS);
            settings.set("remeasure", Value::Flag(remeasure)).expect("a switch");
            let mut de = De::new(&settings, &Problem { dimensions: 2, ..Problem::default() }, Rng::new(1));
            // The first trial is lucky, and all are worth nothing.
            for _ in 0..20 * de.batch_size() {
                let trial = de.ask().expect("a trial");
                de.tell(trial.number, Evaluation::new(f64::from(u8::from(trial.number == 0))));
            }
            de.best().and_then(|best| best.fitness).expect("a best point")
        };
        assert_eq!(best_after(false), 1.0);
        assert!(best_after(true) < 0.1);
    }
}
