use gamete_optim::Genome;
use gamete_optim::mutation::AdaptiveIndividual;

use super::{Finding, Spending};
use crate::experiment::Budget;
use crate::generation::MatchCounts;
use crate::individual::Individual;
use crate::runtime::{Lab, LabError};

/// A genome with what its method keeps beside it.
pub(super) trait Member: Clone {
    fn genes(&self) -> &Genome;
}

impl Member for Genome {
    fn genes(&self) -> &Genome {
        self
    }
}

impl Member for AdaptiveIndividual {
    fn genes(&self) -> &Genome {
        &self.genes
    }
}

/// What came of the games of a population.
pub(super) struct Ranking {
    /// The places of the population, that of the best first.
    pub best_first: Vec<usize>,
    /// The fitness at each place of the population.
    pub fitness: Vec<f64>,
}

/// A child or a survivor, with the places of those it comes from.
pub(super) type Descendant<M> = (M, Vec<u32>);

/// A run of a method that ranks a population and makes the next one of it, generation by generation.
pub(super) trait Generational {
    type Member: Member;

    /// Ranks a population by games.
    fn rank(&mut self, population: &[Self::Member], lab: &mut Lab<'_>) -> Result<Ranking, LabError>;

    /// Those who come after a ranked population, both with the best first.
    fn next_generation(&mut self, ranked: &[Self::Member], fitness: &[f64]) -> Vec<Descendant<Self::Member>>;
}

/// Evolves a population until its budget is spent. The answer is the best of the last generation; the genes of the best
/// `judged` are averaged in reports.
pub(super) fn evolve<G: Generational>(
    run: &mut G,
    mut population: Vec<G::Member>,
    judged: usize,
    budget: &Budget,
    lab: &mut Lab<'_>,
) -> Result<Finding, LabError> {
    let start = genomes(&population);
    let mut spending = Spending::new(*budget, &start);
    lab.record(&start, &start, MatchCounts::default())?;
    let mut parents: Vec<Vec<u32>> = (0..population.len() as u32).map(|place| vec![place]).collect();
    for generation in spending.generations() {
        lab.begin_generation(generation);
        let Ranking { best_first, fitness } = run.rank(&population, lab)?;
        let individual = |&place: &usize| Individual {
            genome: population[place].genes().clone(),
            fitness: Some(fitness[place]),
            parents: std::mem::take(&mut parents[place]),
        };
        let individuals: Vec<Individual> = best_first.iter().map(individual).collect();
        let games = lab.record_individuals(individuals, judged, MatchCounts::default())?;
        population = best_first.iter().map(|&place| population[place].clone()).collect();
        if spending.is_spent(lab, games, &genomes(&population[..judged]))?
            || Some(generation) == spending.last()
        {
            break;
        }
        let fitness: Vec<f64> = best_first.iter().map(|&place| fitness[place]).collect();
        (population, parents) = run.next_generation(&population, &fitness).into_iter().unzip();
    }
    let population = genomes(&population);
    Ok(Finding::new(population[0].clone(), population))
}

fn genomes<M: Member>(population: &[M]) -> Vec<Genome> {
    population.iter().map(|one| one.genes().clone()).collect()
}
