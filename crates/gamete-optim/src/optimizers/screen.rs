//! A design of comparisons around the start, which shows what a step of each parameter is worth and searches nothing.
//!
//! Every comparison moves all parameters at once, each up or down by its step, so that each tells of all of them. One half is between a point and
//! its mirror image on the other side of the start, which says most of slopes and is free of interactions. In the other half a point has moved
//! some parameters, drawn by lot, and its rival all others, which shows what is lost by moving at all.

use super::batch::Batch;
use crate::key::{Key, Settings};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "screen",
    about: "no search: comparisons around the start that show what each parameter's step is worth",
    compares: true,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(Screen::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer("comparisons", [1, 100_000], 20, "comparisons per generation"),
    Key::integer(
        "planned_games",
        [0, 1_000_000_000_000],
        0,
        "games of the planned search that the advice is for; 0 for ten times as many as are played",
    ),
];

#[derive(Debug)]
struct Screen {
    rng: Rng,
    start: Genome,
    /// Of each coordinate its step, and where its values end.
    steps: Vec<f64>,
    ranges: Vec<[f64; 2]>,
    batch: Batch,
    /// Comparisons of this batch.
    open: Vec<[Genome; 2]>,
    /// Those of the last one, with what came of them.
    last: Vec<Member>,
}

impl Screen {
    fn new(settings: &Settings, problem: &Problem, rng: Rng) -> Self {
        let half = |place| problem.unit(place).map_or(0.0, |unit| unit / 2.0);
        let mut screen = Self {
            rng,
            start: problem.start_point(),
            steps: (0..problem.dimensions).map(|place| problem.step_guess(place)).collect(),
            ranges: (0..problem.dimensions).map(|place| [half(place), 1.0 - half(place)]).collect(),
            batch: Batch::new(settings.count("comparisons")),
            open: Vec::new(),
            last: Vec::new(),
        };
        screen.draw();
        screen
    }

    fn draw(&mut self) {
        self.open = (0..self.batch.size())
            .map(|place| {
                let (mut point, mut rival) = (self.start.clone(), self.start.clone());
                for (coordinate, &step) in self.steps.iter().enumerate() {
                    let [least, most] = self.ranges[coordinate];
                    let at = |by: f64| (self.start[coordinate] + by).clamp(least, most);
                    let signed = if self.rng.below(2) == 0 { step } else { -step };
                    if place % 2 == 0 {
                        (point[coordinate], rival[coordinate]) = (at(signed), at(-signed));
                    } else if self.rng.below(2) == 0 {
                        point[coordinate] = at(signed);
                    } else {
                        rival[coordinate] = at(signed);
                    }
                }
                [point, rival]
            })
            .collect();
    }

    fn start(&self) -> Member {
        Member { point: self.start.clone(), fitness: None, parents: Vec::new() }
    }
}

impl Optimizer for Screen {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        let [point, rival] = self.open[place].clone();
        Some(Trial { number, point, rival: Some(rival) })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        let Some(evaluations) = self.batch.tell(number, evaluation) else { return };
        let members = self.open.iter().zip(evaluations).flat_map(|(pair, evaluation)| {
            let advantage = match evaluation {
                Evaluation::Fitness(advantage) => Some(advantage),
                Evaluation::Failed => None,
            };
            let member = |point: &Genome, sign: f64| Member {
                point: point.clone(),
                fitness: advantage.map(|advantage| sign * advantage),
                parents: Vec::new(),
            };
            [member(&pair[0], 1.0), member(&pair[1], -1.0)]
        });
        self.last = members.collect();
        self.draw();
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    /// The last comparisons in the order in which they were asked for: each point, with its advantage, and behind it its rival.
    fn population(&self) -> Vec<Member> {
        if self.last.is_empty() { vec![self.start()] } else { self.last.clone() }
    }

    fn best(&self) -> Option<Member> {
        Some(self.start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_a_step_from_the_start_and_are_told_in_any_order() {
        let unit = 1.0 / 11.0;
        let problem = Problem {
            dimensions: 3,
            start: vec![vec![0.5, 0.5 * unit, 0.9]],
            step_guesses: vec![0.1, 2.0 * unit, 0.2],
            units: vec![None, Some(unit), None],
            ..Problem::default()
        };
        let mut screen = Screen::new(&Settings::new(KEYS), &problem, Rng::new(1));
        let trials: Vec<Trial> = std::iter::from_fn(|| screen.ask()).collect();
        assert_eq!(trials.len(), 20);
        for (place, trial) in trials.iter().enumerate() {
            let rival = trial.rival.as_ref().expect("a rival");
            let moved = [&trial.point, rival].map(|point| (point[0] - 0.5).abs() > 1e-9);
            assert_eq!(moved.iter().filter(|moved| **moved).count(), if place % 2 == 0 { 2 } else { 1 });
            assert!(trial.point[1] >= 0.5 * unit && trial.point[2] <= 1.0, "within the range");
        }
        for trial in trials.iter().rev() {
            screen.tell(trial.number, Evaluation::Fitness(trial.number as f64 / 100.0));
        }
        let told = screen.population();
        for (trial, pair) in trials.iter().zip(told.chunks(2)) {
            assert_eq!((&pair[0].point, Some(&pair[1].point)), (&trial.point, trial.rival.as_ref()));
            let advantage = trial.number as f64 / 100.0;
            assert_eq!([pair[0].fitness, pair[1].fitness], [Some(advantage), Some(-advantage)]);
        }
        assert_eq!(screen.best().map(|best| best.point), problem.start.into_iter().next());
    }
}
