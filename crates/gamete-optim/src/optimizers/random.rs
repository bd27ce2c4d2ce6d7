//! Random search: points drawn anywhere, the best of which is kept. What nobody may lose to.

use super::batch::Batch;
use crate::key::{Key, Settings};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "random",
    about: "random search, the baseline: the best of random points",
    compares: false,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(Random::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[Key::integer("population", [1, 100_000], 20, "points per generation")];

#[derive(Debug)]
struct Random {
    rng: Rng,
    batch: Batch,
    points: Vec<Genome>,
    /// The last generation that was evaluated, the best first.
    ranked: Vec<Member>,
    best: Option<Member>,
}

impl Random {
    fn new(settings: &Settings, problem: &Problem, rng: Rng) -> Self {
        let size = settings.count("population");
        let mut random = Self {
            rng,
            batch: Batch::new(size),
            points: problem.start.iter().take(size).cloned().collect(),
            ranked: Vec::new(),
            best: None,
        };
        random.draw(problem.dimensions);
        random
    }

    /// Fills the generation up.
    fn draw(&mut self, dimensions: usize) {
        while self.points.len() < self.batch.size() {
            self.points.push((0..dimensions).map(|_| self.rng.uniform()).collect());
        }
    }

    fn turn(&mut self, points: Vec<Genome>, evaluations: &[Evaluation]) {
        let dimensions = points[0].len();
        self.ranked = ranked(points, evaluations);
        let first = &self.ranked[0];
        if first.fitness.is_some() && first.fitness > self.best.as_ref().and_then(|best| best.fitness) {
            self.best = Some(first.clone());
        }
        self.draw(dimensions);
    }
}

/// Points with what came of them, the best first; nobody has parents.
fn ranked(points: Vec<Genome>, evaluations: &[Evaluation]) -> Vec<Member> {
    let member = |(point, evaluation): (Genome, &Evaluation)| Member {
        point,
        fitness: match *evaluation {
            Evaluation::Fitness(fitness) => Some(fitness),
            Evaluation::Failed => None,
        },
        parents: Vec::new(),
    };
    let mut members: Vec<Member> = points.into_iter().zip(evaluations).map(member).collect();
    let value = |member: &Member| member.fitness.unwrap_or(f64::NEG_INFINITY);
    members.sort_by(|one, two| value(two).total_cmp(&value(one)));
    members
}

impl Optimizer for Random {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        Some(Trial { number, point: self.points[place].clone(), rival: None })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            let points = std::mem::take(&mut self.points);
            self.turn(points, &evaluations);
        }
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    fn conclude(&mut self) {
        let open = std::mem::take(&mut self.points);
        let told = self.batch.cut_short();
        let (points, evaluations): (Vec<Genome>, Vec<Evaluation>) =
            told.into_iter().map(|(place, evaluation)| (open[place].clone(), evaluation)).unzip();
        if points.is_empty() {
            self.points = open;
        } else {
            self.turn(points, &evaluations);
        }
    }

    fn population(&self) -> Vec<Member> {
        if self.ranked.is_empty() {
            let unknown =
                |point: &Genome| Member { point: point.clone(), fitness: None, parents: Vec::new() };
            return self.points.iter().map(unknown).collect();
        }
        self.ranked.clone()
    }

    fn best(&self) -> Option<Member> {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_all_generations_is_kept() {
        let problem = Problem { dimensions: 1, ..Problem::default() };
        let mut random = Random::new(&Settings::new(KEYS), &problem, Rng::new(1));
        let mut best = f64::NEG_INFINITY;
        for _ in 0..10 * random.batch_size() {
            let trial = random.ask().expect("a trial");
            best = best.max(trial.point[0]);
            random.tell(trial.number, Evaluation::new(trial.point[0]));
        }
        assert_eq!(random.best().and_then(|best| best.fitness), Some(best));
        assert!(random.population()[0].fitness <= Some(best));
    }
}
