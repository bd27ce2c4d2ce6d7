//! Trials with rivals on any objective.

use gamete_optim::{Evaluation, Genome, Rng};

use crate::objective::{Candidate, Objective};
use crate::runtime::{Lab, LabError};

/// What candidates are worth, or how much better than their rivals, where the objective does not compare them by itself, too.
pub(super) fn evaluate(
    objective: &dyn Objective,
    candidates: &[Candidate],
    rng: &Rng,
    lab: &mut Lab<'_>,
) -> Result<Vec<Evaluation>, LabError> {
    if objective.compares() || candidates.iter().all(|candidate| candidate.rival.is_none()) {
        return objective.evaluate(candidates, rng, lab);
    }
    let alone = |trial, genome: &Genome| Candidate { trial, genome: genome.clone(), rival: None };
    let each = candidates.iter().flat_map(|Candidate { trial, genome, rival }| {
        [Some(genome), rival.as_ref()].into_iter().flatten().map(|genome| alone(*trial, genome))
    });
    let each: Vec<Candidate> = each.collect();
    let mut evaluations = objective.evaluate(&each, rng, lab)?.into_iter();
    let mut next = || evaluations.next().expect("an evaluation for each candidate");
    let evaluation = |candidate: &Candidate| match candidate.rival {
        Some(_) => difference(next(), next()),
        None => next(),
    };
    Ok(candidates.iter().map(evaluation).collect())
}

/// How much better one is than the other; nothing if it is not known of both.
pub(super) fn difference(one: Evaluation, other: Evaluation) -> Evaluation {
    match (one, other) {
        (Evaluation::Fitness(one), Evaluation::Fitness(other)) => Evaluation::new(one - other),
        _ => Evaluation::Failed,
    }
}
