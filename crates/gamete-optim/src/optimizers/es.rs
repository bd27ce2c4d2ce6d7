//! A (μ/2, λ) evolution strategy with step sizes that adapt themselves (Bäck and Schwefel, "An Overview of Evolutionary
//! Algorithms for Parameter Optimization", 1993).

use super::batch::Batch;
use crate::key::{Key, KeyError, Settings};
use crate::mutation::{AdaptiveIndividual, StepRule};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::selection::best;
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "es",
    about: "an evolution strategy: means of two parents, with step sizes that evolve too",
    compares: false,
    keys: KEYS,
    check,
    begin: |settings, problem, rng| Box::new(Es::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer("parents", [1, 100_000], 5, "how many of a generation have children"),
    Key::integer("children", [2, 100_000], 20, "points per generation"),
    Key::real("step", [0.0, 1.0], 0.2, "initial step of every coordinate, relative to its range"),
];

fn check(settings: &Settings) -> Result<(), KeyError> {
    let (parents, children) = (settings.count("parents"), settings.count("children"));
    if parents > children {
        let reason = format!("{parents}: give at most the {children} children among whom they are chosen");
        return Err(KeyError::new("parents", reason));
    }
    Ok(())
}

#[derive(Debug)]
struct Es {
    parents: usize,
    rng: Rng,
    batch: Batch,
    generation: Vec<AdaptiveIndividual>,
    /// Of each of them the places of its parents among those that were ranked before.
    ancestors: Vec<Vec<u32>>,
    /// The last generation that was evaluated, the best first.
    ranked: Vec<Member>,
    best: Option<Member>,
}

impl Es {
    fn new(settings: &Settings, problem: &Problem, mut rng: Rng) -> Self {
        let (size, step) = (settings.count("children"), settings.number("step"));
        let mut points: Vec<Genome> = problem.start.iter().take(size).cloned().collect();
        while points.len() < size {
            points.push((0..problem.dimensions).map(|_| rng.uniform()).collect());
        }
        Self {
            parents: settings.count("parents"),
            rng,
            batch: Batch::new(size),
            ancestors: (0..size as u32).map(|place| vec![place]).collect(),
            generation: points.into_iter().map(|point| AdaptiveIndividual::new(point, step)).collect(),
            ranked: Vec::new(),
            best: None,
        }
    }

    /// Ranks a generation by what came of it, and makes the next.
    fn turn(&mut self, evaluations: &[Evaluation]) {
        let fitness: Vec<f64> = evaluations
            .iter()
            .map(|evaluation| match evaluation {
                Evaluation::Fitness(fitness) => *fitness,
                Evaluation::Failed => f64::NEG_INFINITY,
            })
            .collect();
        let order = best(&fitness, fitness.len());
        let member = |&index: &usize| Member {
            point: self.generation[index].genes.clone(),
            fitness: Some(fitness[index]).filter(|fitness| fitness.is_finite()),
            parents: self.ancestors[index].clone(),
        };
        self.ranked = order.iter().map(member).collect();
        // Children replace their parents, so that a lucky one does not stay.
        if self.ranked[0].fitness.is_some() {
            self.best = Some(self.ranked[0].clone());
        }
        let parents: Vec<AdaptiveIndividual> =
            order[..self.parents].iter().map(|&index| self.generation[index].clone()).collect();
        for (child, ancestors) in self.generation.iter_mut().zip(&mut self.ancestors) {
            let [one, two] = [0, 1].map(|_: u8| self.rng.below(parents.len() as u64) as usize);
            *ancestors = vec![one as u32, two as u32];
            *child = parents[one].between(&parents[two]);
            child.mutate(StepRule::SelfAdaptive, &mut self.rng);
            for gene in &mut child.genes {
                *gene = gene.clamp(0.0, 1.0);
            }
        }
    }
}

impl Optimizer for Es {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        Some(Trial { number, point: self.generation[place].genes.clone(), rival: None })
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
            let unknown = |one: &AdaptiveIndividual| Member {
                point: one.genes.clone(),
                fitness: None,
                parents: Vec::new(),
            };
            return self.generation.iter().map(unknown).collect();
        }
        self.ranked.clone()
    }

    fn best(&self) -> Option<Member> {
        self.best.clone()
    }
}
