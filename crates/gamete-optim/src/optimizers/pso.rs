//! Particle swarm optimisation (Kennedy and Eberhart 1995) with the numbers of the standard of 2007 (Clerc, "Standard Particle Swarm
//! Optimisation", 2012); what particles remember is evaluated again against noise.

use super::batch::Batch;
use super::estimate::Estimate;
use crate::key::{Key, Settings};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "pso",
    about: "a particle swarm: points fly towards the best seen by them and their informants",
    compares: false,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(Pso::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer(
        "population",
        [0, 100_000],
        0,
        "particles; 0 for 10 + 2 √n, where n is the number of coordinates",
    ),
    Key::integer(
        "informants",
        [1, 1000],
        3,
        "particles that each one informs, redrawn when the swarm finds nothing better",
    ),
    Key::real("inertia", [0.0, 1.0], 0.721, "share of the velocity that is kept"),
    Key::real(
        "attraction",
        [0.0, 4.0],
        1.193,
        "maximum pull of the best known point, relative to its distance",
    ),
    Key::flag(
        "remeasure",
        true,
        "remembered best points are evaluated again in every generation; the mean counts",
    ),
];

/// A point in flight, and the best that it has seen.
#[derive(Debug)]
struct Particle {
    position: Genome,
    velocity: Vec<f64>,
    fitness: Estimate,
    memory: Genome,
    remembered: Estimate,
}

#[derive(Debug)]
struct Pso {
    settings: Settings,
    rng: Rng,
    batch: Batch,
    swarm: Vec<Particle>,
    /// Of each particle whom it informs.
    informed: Vec<Vec<usize>>,
    /// The best that the swarm remembered a generation ago.
    record: f64,
    has_begun: bool,
}

impl Pso {
    fn new(settings: &Settings, problem: &Problem, mut rng: Rng) -> Self {
        let size = match settings.count("population") {
            0 => 10 + (2.0 * (problem.dimensions as f64).sqrt()) as usize,
            population => population,
        };
        let points = problem.initial_population(size, &mut rng);
        let particle = |position: Genome| Particle {
            velocity: position.iter().map(|x| (rng.uniform() - x) / 2.0).collect(),
            fitness: Estimate::default(),
            memory: position.clone(),
            remembered: Estimate::default(),
            position,
        };
        let swarm = points.into_iter().map(particle).collect();
        let times = if settings.flag("remeasure") { 2 } else { 1 };
        let mut pso = Self {
            settings: settings.clone(),
            rng,
            batch: Batch::new(times * size),
            swarm,
            informed: Vec::new(),
            record: f64::NEG_INFINITY,
            has_begun: false,
        };
        pso.draw_informed();
        pso
    }

    fn draw_informed(&mut self) {
        let size = self.swarm.len();
        let draw = |_| {
            (0..self.settings.count("informants")).map(|_| self.rng.below(size as u64) as usize).collect()
        };
        self.informed = (0..size).map(draw).collect();
    }

    fn turn(&mut self, evaluations: &[Evaluation]) {
        let (first, again) = evaluations.split_at(self.swarm.len());
        for (particle, evaluation) in self.swarm.iter_mut().zip(again) {
            particle.remembered.add(*evaluation);
        }
        for (particle, evaluation) in self.swarm.iter_mut().zip(first) {
            particle.fitness = Estimate::default();
            particle.fitness.add(*evaluation);
            if !self.has_begun {
                particle.remembered.add(*evaluation);
            } else if particle.fitness.rank_value() > particle.remembered.rank_value() {
                particle.memory.clone_from(&particle.position);
                particle.remembered = particle.fitness;
            }
        }
        self.has_begun = true;
        let record = self.swarm[self.best_of(0..self.swarm.len())].remembered.rank_value();
        if record <= self.record {
            self.draw_informed();
        }
        self.record = record;
        self.fly();
    }

    /// Who of these remembers the best.
    fn best_of(&self, places: impl Iterator<Item = usize>) -> usize {
        let value = |place: usize| self.swarm[place].remembered.rank_value();
        places.reduce(|best, other| if value(other) > value(best) { other } else { best }).expect("somebody")
    }

    fn fly(&mut self) {
        let (inertia, attraction) = (self.settings.number("inertia"), self.settings.number("attraction"));
        let leader = |place: usize| {
            let informants = (0..self.swarm.len()).filter(|&other| self.informed[other].contains(&place));
            self.best_of([place].into_iter().chain(informants))
        };
        let leaders: Vec<usize> = (0..self.swarm.len()).map(leader).collect();
        let seen: Vec<Genome> = leaders.iter().map(|&leader| self.swarm[leader].memory.clone()).collect();
        for (place, particle) in self.swarm.iter_mut().enumerate() {
            // Who is its own informant has one attraction instead of two.
            let is_own = leaders[place] == place;
            for (axis, seen) in seen[place].iter().enumerate() {
                let x = particle.position[axis];
                let mut pull = |to: f64| attraction * self.rng.uniform() * (to - x);
                let own = pull(particle.memory[axis]);
                let others = if is_own { 0.0 } else { pull(*seen) };
                let velocity = inertia * particle.velocity[axis] + own + others;
                let moved = x + velocity;
                // Whoever hits the end of a range goes back slowly.
                let is_inside = (0.0..=1.0).contains(&moved);
                particle.position[axis] = moved.clamp(0.0, 1.0);
                particle.velocity[axis] = if is_inside { velocity } else { -velocity / 2.0 };
            }
        }
    }
}

impl Optimizer for Pso {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        let size = self.swarm.len();
        let point = match self.swarm.get(place) {
            Some(particle) => &particle.position,
            None => &self.swarm[place - size].memory,
        };
        Some(Trial { number, point: point.clone(), rival: None })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            self.turn(&evaluations);
        }
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    /// What particles remember, the best first.
    fn population(&self) -> Vec<Member> {
        let member = |particle: &Particle| Member {
            point: particle.memory.clone(),
            fitness: particle.remembered.mean(),
            parents: Vec::new(),
        };
        let mut members: Vec<Member> = self.swarm.iter().map(member).collect();
        let value = |member: &Member| member.fitness.unwrap_or(f64::NEG_INFINITY);
        members.sort_by(|one, two| value(two).total_cmp(&value(one)));
        members
    }

    fn best(&self) -> Option<Member> {
        self.population().into_iter().next().filter(|best| best.fitness.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Value;

    fn swarm(remeasure: bool) -> Pso {
        let mut settings = Settings::new(KEYS);
        settings.set("remeasure", Value::Flag(remeasure)).expect("a switch");
        Pso::new(&settings, &Problem { dimensions: 2, ..Problem::default() }, Rng::new(1))
    }

    #[test]
    fn luck_is_forgotten() {
        let best_after = |remeasure| {
            let mut pso = swarm(remeasure);
            for _ in 0..20 * pso.batch_size() {
                let trial = pso.ask().expect("a trial");
                pso.tell(trial.number, Evaluation::new(f64::from(u8::from(trial.number == 0))));
            }
            pso.best().and_then(|best| best.fitness).expect("a best point")
        };
        assert_eq!(best_after(false), 1.0);
        assert!(best_after(true) < 0.1);
    }

    #[test]
    fn particles_fly_towards_what_they_know() {
        let mut pso = swarm(false);
        let distance = |pso: &Pso| {
            let each =
                pso.swarm.iter().map(|one| one.position.iter().map(|x| (x - 0.2).powi(2)).sum::<f64>());
            each.sum::<f64>() / pso.swarm.len() as f64
        };
        let before = distance(&pso);
        for _ in 0..30 * pso.batch_size() {
            let trial = pso.ask().expect("a trial");
            let value = -trial.point.iter().map(|x| (x - 0.2).powi(2)).sum::<f64>();
            pso.tell(trial.number, Evaluation::new(value));
        }
        assert!(distance(&pso) < before / 100.0, "{} {before}", distance(&pso));
    }
}
