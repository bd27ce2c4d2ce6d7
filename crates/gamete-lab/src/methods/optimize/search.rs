//! The loop around an optimiser: what it asks for is evaluated, and it is told.

use std::collections::VecDeque;

use gamete_optim::{Genome, Member, Optimizer, Problem, Space, Trial};

use super::Optimize;
use super::measures::measures;
use super::rivals::evaluate;
use crate::beginning::Start;
use crate::experiment::{Budget, ExperimentError};
use crate::generation::MatchCounts;
use crate::individual::Individual;
use crate::methods::{Finding, Method as _, Spending, recall_start};
use crate::model_slice::ModelSlice;
use crate::objective::Candidate;
use crate::runtime::{Lab, LabError};

/// The landscape of a model is stored again when so many parts of the games until then were played on top of them.
const LANDSCAPES: u64 = 8;

impl Optimize {
    /// Has the optimiser try points until the budget is spent.
    pub(super) fn search(
        &self,
        budget: &Budget,
        start: Start<'_>,
        lab: &mut Lab<'_>,
    ) -> Result<Finding, LabError> {
        let mut stretches = self.stretches(budget)?;
        let (mut space, first, mut until) = stretches.pop_front().expect("the last one");
        let outlook = self.outlook(&space);
        // Genomes that are rounded for each pair of games are recorded as they are.
        let is_exact = self.objective.rounds() || outlook.has_rivals && self.objective.compares();
        let genome_in = |space: &Space, point: &Genome| {
            let genome = space.at(point);
            if is_exact { genome } else { space.rounded(&genome) }
        };
        let mut start = recall_start(&space, start, lab)?;
        if start.is_empty() && (!self.start.is_empty() || self.objective.starts_from_defaults()) {
            start.push(space.defaults());
        }
        let start: Vec<Genome> = start.iter().map(|genome| space.point(genome)).collect();
        let problem = Problem { start, trials: outlook.trials(&first), ..self.problem(&space) };
        let mut optimizer = (self.optimizer.begin)(&self.settings, problem, lab.rng("optimizer"));
        let mut tried: Vec<Genome> = Vec::new();
        let mut population: Vec<Genome> =
            optimizer.population().iter().map(|member| genome_in(&space, &member.point)).collect();
        let mut spending = Spending::new(*budget, &population);
        let mut next_landscape = 0;
        self.measure(&population[0], 0, lab)?;
        lab.record(&population, &population, MatchCounts::default())?;
        for generation in spending.generations() {
            lab.begin_generation(generation);
            let rng = lab.rng(&format!("evaluation {generation}"));
            while let Some(over) = until.filter(|over| spending.games >= *over) {
                let (next, budget, end) = stretches.pop_front().expect("the last one, which has no end");
                let left = Budget { games: budget.games.saturating_sub(over), ..budget };
                let best = optimizer.best().map_or_else(|| space.defaults(), |best| space.at(&best.point));
                let problem = Problem {
                    start: vec![next.point(&best)],
                    trials: outlook.trials(&left),
                    ..self.problem(&next)
                };
                let is_same = next.ranges() == space.ranges();
                let goes_on = self.keeps_course()
                    && (is_same || optimizer.change_ranges(&space.axis_changes(&next), &problem));
                if !goes_on {
                    let rng = lab.rng(&format!("optimizer after {over} games"));
                    optimizer = (self.optimizer.begin)(&self.settings, problem, rng);
                }
                if !is_same {
                    tried.clear();
                }
                (space, until) = (next, end);
            }
            let genome = |point: &Genome| genome_in(&space, point);
            let left = until.map_or(spending.trials_left(outlook.games), |until| {
                until.saturating_sub(spending.games).checked_div(outlook.games)
            });
            let batch = match left {
                Some(0) if spending.games > 0 => break,
                Some(left) => optimizer.batch_size().min(left.max(1) as usize),
                None => optimizer.batch_size(),
            };
            let mut told = 0;
            while told < batch {
                let trials: Vec<Trial> = std::iter::from_fn(|| optimizer.ask()).take(batch - told).collect();
                if trials.is_empty() {
                    break;
                }
                let candidate = |trial: &Trial| Candidate {
                    trial: trial.number,
                    genome: genome(&trial.point),
                    rival: trial.rival.as_ref().map(genome),
                };
                let candidates: Vec<Candidate> = trials.iter().map(candidate).collect();
                let evaluations = evaluate(self.arena(), &candidates, &rng, lab)?;
                tried.extend(trials.iter().map(|trial| trial.point.clone()));
                for (trial, evaluation) in trials.iter().zip(evaluations) {
                    optimizer.tell(trial.number, evaluation);
                }
                told += trials.len();
            }
            if told == 0 {
                break;
            }
            let is_last = until.is_none() && left.is_some_and(|left| told as u64 >= left)
                || spending.last() == Some(generation);
            if is_last {
                optimizer.conclude();
            }
            let simulated = if self.objective.simulates() { told as u64 * outlook.games } else { 0 };
            if self.is_tuned() {
                lab.measure(|_| Ok(measures(optimizer.as_ref(), &space)))?;
            }
            let played = spending.games + told as u64 * outlook.games;
            if self.is_tuned() && played >= next_landscape {
                next_landscape = played + (played / LANDSCAPES).max(1);
                lab.set_landscape(played, || self.slices(optimizer.as_ref(), &space, &tried))?;
            }
            let members = optimizer.population();
            population = members.iter().map(|member| genome(&member.point)).collect();
            let individual = |Member { point, fitness, parents }: Member| Individual {
                genome: genome(&point),
                fitness,
                parents,
            };
            let best = optimizer.best().map(|best| genome(&best.point));
            self.measure(best.as_ref().unwrap_or(&population[0]), spending.games + simulated, lab)?;
            let judged = members.len();
            let individuals = members.into_iter().map(individual).collect();
            let games = lab.record_individuals(individuals, judged, MatchCounts::default())?;
            if spending.is_spent(lab, games + simulated, &population)? {
                break;
            }
        }
        let best = optimizer.best().map(|best| genome_in(&space, &best.point));
        let best = best.unwrap_or_else(|| population[0].clone());
        let champion = if self.objective.rounds() { best } else { space.rounded(&best) };
        let slices = self.slices(optimizer.as_ref(), &space, &tried);
        Ok(Finding { champion, population, slices })
    }

    /// What the model of an optimiser expects around its best point; nothing where that has none, or no values in use are its start.
    fn slices(&self, optimizer: &dyn Optimizer, space: &Space, tried: &[Genome]) -> Vec<ModelSlice> {
        if self.is_tuned() && !tried.is_empty() {
            ModelSlice::of(optimizer, space, &space.point(&space.defaults()), tried)
        } else {
            Vec::new()
        }
    }

    /// The stretches of a run: the space of each, its budget, and after how many games it is over; that of the last says its budget.
    fn stretches(&self, budget: &Budget) -> Result<VecDeque<(Space, Budget, Option<u64>)>, ExperimentError> {
        let mut stretches = VecDeque::new();
        for (stretch, objective) in self.earlier.earlier.iter().zip(&self.before) {
            let budget = Budget { games: stretch.games, ..*budget };
            stretches.push_back((self.start.apply(objective.space()?)?, budget, Some(stretch.until)));
        }
        stretches.push_back((self.space()?, *budget, None));
        Ok(stretches)
    }
}
