//! A generational genetic algorithm of the operators of this crate (Holland 1975; Goldberg, "Genetic Algorithms in Search,
//! Optimization and Machine Learning", 1989).

use super::batch::Batch;
use super::estimate::Estimate;
use crate::crossover::{intermediate, multi_parent, single_point, uniform};
use crate::gray::PointCode;
use crate::key::{Key, KeyError, Settings};
use crate::mutation::{bit_flip, gaussian};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::selection::{best, linear_rank, proportional, tournament};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "ga",
    about: "a genetic algorithm: selection, crossover and mutation, generation by generation",
    compares: false,
    keys: KEYS,
    check,
    begin: |settings, problem, rng| Box::new(Ga::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer("population", [2, 100_000], 20, "points per generation"),
    Key::integer("elite", [0, 99_999], 1, "how many of the best survive, and are evaluated again"),
    Key::choice(
        "elite_by",
        &["mean", "last"],
        "what ranks the elite: the mean of its evaluations, or the last, where each generation has other positions",
    ),
    Key::choice("selection", &["tournament", "rank", "proportional"], "how parents are chosen"),
    Key::choice(
        "shares",
        &["above-worst", "whole"],
        "fitness that the chances of parents are proportional to: above the worst's, or all of it",
    ),
    Key::integer("tournament", [1, 1000], 3, "points in a tournament for parents"),
    Key::real(
        "pressure",
        [1.0, 2.0],
        1.8,
        "by rank: chance of the best to be a parent, relative to the average",
    ),
    Key::choice("encoding", &["real", "gray"], "coordinates as numbers, or as bits in Gray code"),
    Key::integer(
        "bits",
        [0, 52],
        12,
        "bits per coordinate in Gray code; 0 for as many as the whole numbers of its range need",
    ),
    Key::choice(
        "codes",
        &["spread", "clamp"],
        "with bits = 0, codes that no whole number of the range needs: spread over the range, or all for the largest",
    ),
    Key::choice(
        "crossover",
        &["uniform", "single-point", "intermediate", "multi-parent"],
        "how children inherit from their parents",
    ),
    Key::real("crossover_chance", [0.0, 1.0], 0.8, "chance that a child has several parents"),
    Key::integer("parents", [2, 1000], 3, "parents per child, if multi-parent"),
    Key::real("mean_chance", [0.0, 1.0], 0.33, "chance that a gene is the parents' mean, if multi-parent"),
    Key::real(
        "mutation_chance",
        [0.0, 1.0],
        0.3,
        "chance that a coordinate changes; for a bit, a twelfth of it",
    ),
    Key::real("mutation_sd", [0.0, 1.0], 0.1, "deviation of the change to a number, relative to its range"),
    Key::real("mutation_decay", [0.5, 1.0], 0.97, "multiplier of the deviation after each generation"),
];

/// Bits change more rarely than numbers, as the highest of them move a coordinate by half its range.
const BITS_PER_NUMBER: f64 = 12.0;

fn check(settings: &Settings) -> Result<(), KeyError> {
    let (population, elite) = (settings.count("population"), settings.count("elite"));
    if elite >= population {
        let reason = format!("{elite}: give less than the population of {population}");
        return Err(KeyError::new("elite", reason));
    }
    let crossover = settings.choice("crossover");
    if settings.choice("encoding") == "gray" && !["uniform", "single-point"].contains(&crossover) {
        let reason =
            format!("{crossover:?}: bits have no mean; give uniform or single-point, or encoding = \"real\"");
        return Err(KeyError::new("crossover", reason));
    }
    Ok(())
}

#[derive(Debug)]
struct Ga {
    settings: Settings,
    rng: Rng,
    /// The deviation of mutations now.
    sd: f64,
    /// How points are written, if in Gray code.
    code: Option<PointCode>,
    batch: Batch,
    generation: Vec<Individual>,
    /// The last generation that was evaluated, the best first.
    ranked: Vec<Individual>,
    best: Option<Individual>,
}

/// A point, and the evaluations it has had in all generations that it was in.
#[derive(Debug, Clone, PartialEq)]
struct Individual {
    point: Genome,
    estimate: Estimate,
    /// The places of its parents among those that were ranked before.
    parents: Vec<u32>,
}

impl Individual {
    fn new(point: Genome, parents: Vec<u32>) -> Self {
        Self { point, estimate: Estimate::default(), parents }
    }

    fn rank_value(&self) -> f64 {
        self.estimate.rank_value()
    }

    fn member(&self) -> Member {
        Member { point: self.point.clone(), fitness: self.estimate.mean(), parents: self.parents.clone() }
    }
}

impl Ga {
    fn new(settings: &Settings, problem: &Problem, mut rng: Rng) -> Self {
        let size = settings.count("population");
        let code = (settings.choice("encoding") == "gray").then(|| match settings.count("bits") as u32 {
            0 if settings.choice("codes") == "clamp" => {
                PointCode::clamped(problem.bits.clone(), problem.steps.clone())
            }
            0 => PointCode::spread(problem.bits.clone()),
            bits => PointCode::spread(vec![bits; problem.dimensions]),
        });
        let mut points: Vec<Genome> = problem.start.iter().take(size).cloned().collect();
        while points.len() < size {
            points.push((0..problem.dimensions).map(|_| rng.uniform()).collect());
        }
        // With so many bits as are asked for, points begin as they are: experiments that were begun so are resumed.
        if let (Some(code), 0) = (&code, settings.count("bits")) {
            for point in &mut points {
                *point = code.nearest(point);
            }
        }
        let generation =
            points.into_iter().zip(0..).map(|(point, place)| Individual::new(point, vec![place])).collect();
        Self {
            settings: settings.clone(),
            rng,
            sd: settings.number("mutation_sd"),
            code,
            batch: Batch::new(size),
            generation,
            ranked: Vec::new(),
            best: None,
        }
    }

    /// Ranks a generation by what came of it, and makes the next.
    fn turn(&mut self, evaluations: &[Evaluation]) {
        let only_last = self.settings.choice("elite_by") == "last";
        for (individual, evaluation) in self.generation.iter_mut().zip(evaluations) {
            if only_last {
                individual.estimate = Estimate::default();
            }
            individual.estimate.add(*evaluation);
        }
        let fitness: Vec<f64> = self.generation.iter().map(Individual::rank_value).collect();
        let order = best(&fitness, fitness.len());
        self.ranked = order.into_iter().map(|index| self.generation[index].clone()).collect();
        let elite = self.settings.count("elite");
        let first = &self.ranked[0];
        // The elite was evaluated again, and what was luck is known by now; without one, the best may be long gone.
        let is_better =
            self.best.as_ref().is_none_or(|best| elite > 0 || first.rank_value() > best.rank_value());
        if first.estimate.count() > 0 && is_better {
            self.best = Some(first.clone());
        }
        let fitness: Vec<f64> = self.ranked.iter().map(Individual::rank_value).collect();
        let elite: Vec<Individual> = (0..)
            .zip(self.ranked.iter().take(elite))
            .filter(|(_, one)| one.estimate.count() > 0)
            .map(|(place, one)| Individual { parents: vec![place], ..one.clone() })
            .collect();
        let children = self.generation.len() - elite.len();
        self.generation = elite;
        for _ in 0..children {
            let (child, parents) = self.child(&fitness);
            self.generation.push(Individual::new(child, parents));
        }
        self.sd *= self.settings.number("mutation_decay");
    }

    /// A child, and the places of its parents among the ranked.
    fn child(&mut self, fitness: &[f64]) -> (Genome, Vec<u32>) {
        let alone = self.rng.uniform() >= self.settings.number("crossover_chance");
        let crossover = self.settings.choice("crossover").to_owned();
        let count = match crossover.as_str() {
            _ if alone => 1,
            "multi-parent" => self.settings.count("parents"),
            _ => 2,
        };
        let parents: Vec<usize> = (0..count).map(|_| self.parent(fitness)).collect();
        let places: Vec<u32> = parents.iter().map(|&parent| parent as u32).collect();
        let point = |index: usize| &self.ranked[parents[index]].point;
        let rng = &mut self.rng;
        let chance = self.settings.number("mutation_chance");
        if let Some(code) = &self.code {
            let bits = |index: usize| code.encode(point(index));
            let mut child = match crossover.as_str() {
                _ if alone => bits(0),
                "single-point" => single_point(&bits(0), &bits(1), rng),
                _ => uniform(&bits(0), &bits(1), rng),
            };
            bit_flip(&mut child, chance / BITS_PER_NUMBER, rng);
            return (code.decode(&child), places);
        }
        let mut child = match crossover.as_str() {
            _ if alone => point(0).clone(),
            "single-point" => single_point(point(0), point(1), rng),
            "intermediate" => intermediate(point(0), point(1)),
            "multi-parent" => {
                let all: Vec<&Genome> = (0..count).map(point).collect();
                multi_parent(&all, self.settings.number("mean_chance"), rng)
            }
            _ => uniform(point(0), point(1), rng),
        };
        gaussian(&mut child, chance, self.sd, rng);
        for gene in &mut child {
            *gene = gene.clamp(0.0, 1.0);
        }
        (child, places)
    }

    /// Who has a child, by its place among the ranked.
    fn parent(&mut self, fitness: &[f64]) -> usize {
        match self.settings.choice("selection") {
            "rank" => {
                let rank = linear_rank(fitness.len(), self.settings.number("pressure"), &mut self.rng);
                fitness.len() - 1 - rank
            }
            "proportional" => {
                // Shares need a zero, which is that of the fitness or the worst that came to something.
                let worst =
                    fitness.iter().copied().filter(|one| one.is_finite()).fold(f64::INFINITY, f64::min);
                let zero = if self.settings.choice("shares") == "whole" { 0.0 } else { worst };
                let shares: Vec<f64> = fitness.iter().map(|one| one - zero).collect();
                proportional(&shares, &mut self.rng)
            }
            _ => tournament(fitness, self.settings.count("tournament"), &mut self.rng),
        }
    }
}

impl Optimizer for Ga {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        Some(Trial { number, point: self.generation[place].point.clone(), rival: None })
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
        if self.ranked.is_empty() {
            // Nobody was before them.
            return self
                .generation
                .iter()
                .map(|one| Member { parents: Vec::new(), ..one.member() })
                .collect();
        }
        self.ranked.iter().map(Individual::member).collect()
    }

    fn best(&self) -> Option<Member> {
        self.best.as_ref().map(Individual::member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Value;

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        let with = |values: &[(&str, Value)]| {
            let mut settings = Settings::new(KEYS);
            for (name, value) in values {
                settings.set(name, value.clone()).expect("a value of the key");
            }
            check(&settings).expect_err("settings that do not go together").to_string()
        };
        assert_eq!(with(&[("elite", Value::Number(20.0))]), "elite: 20: give less than the population of 20");
        let [gray, mean] = ["gray", "intermediate"].map(|word| Value::Text(word.to_owned()));
        assert!(
            with(&[("encoding", gray), ("crossover", mean)]).starts_with("crossover: \"intermediate\": bits")
        );
    }

    #[test]
    fn an_elite_that_had_an_easy_generation_stays_only_by_its_mean() {
        // The first generation is worth 10, and later ones, whoever is in them, so much as their first coordinate.
        let answer = |elite_by: &str| {
            let mut settings = Settings::new(KEYS);
            settings.set("elite_by", Value::Text(elite_by.to_owned())).expect("a choice");
            let mut ga = Ga::new(&settings, &Problem { dimensions: 1, ..Problem::default() }, Rng::new(1));
            for generation in 0..5 {
                let trials: Vec<Trial> = std::iter::from_fn(|| ga.ask()).collect();
                for (place, trial) in trials.iter().enumerate() {
                    let easy = if generation == 0 { 10.0 + f64::from(place == 0) } else { 0.0 };
                    ga.tell(trial.number, Evaluation::new(trial.point[0] + easy));
                }
            }
            ga.best().expect("a best").fitness
        };
        assert!(answer("mean") > Some(1.0) && answer("last") <= Some(1.0));
    }

    #[test]
    fn points_to_begin_with_are_evaluated_first() {
        let problem = Problem { dimensions: 2, start: vec![vec![0.25, 0.75]; 3], ..Problem::default() };
        let mut ga = Ga::new(&Settings::new(KEYS), &problem, Rng::new(1));
        let points: Vec<Genome> = std::iter::from_fn(|| ga.ask()).map(|trial| trial.point).collect();
        assert_eq!(points.len(), 20);
        assert!(points[..3].iter().all(|point| *point == [0.25, 0.75]) && points[3] != points[0]);
    }

    #[test]
    fn points_to_begin_with_are_rounded_only_to_whole_numbers() {
        let problem = Problem {
            dimensions: 1,
            start: vec![vec![0.3]],
            bits: vec![1],
            steps: vec![1],
            ..Problem::default()
        };
        let first = |bits: f64| {
            let mut settings = Settings::new(KEYS);
            settings.set("encoding", Value::Text("gray".to_owned())).expect("an encoding");
            settings.set("bits", Value::Number(bits)).expect("a number of bits");
            Ga::new(&settings, &problem, Rng::new(1)).ask().expect("a trial").point
        };
        assert_eq!(first(12.0), [0.3]);
        assert_eq!(first(0.0), [0.0]);
    }
}
