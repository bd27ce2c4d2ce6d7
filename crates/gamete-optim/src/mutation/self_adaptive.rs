use crate::crossover::intermediate;
use crate::{Genome, Rng};

/// A genome of an evolution strategy: every gene has a step size of its own, which evolves with it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptiveIndividual {
    /// The genes.
    pub genes: Genome,
    /// How far each of them changes at a time.
    pub steps: Vec<f64>,
}

/// What becomes of step sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepRule {
    /// They are multiplied by log-normal numbers: one for the whole genome, with τ' = 1/√(2n), and one for each gene, with
    /// τ = 1/√(2√n).
    SelfAdaptive,
    /// They stay as they are.
    Fixed,
}

/// Steps never get smaller, or nothing would ever change again.
const SMALLEST_STEP: f64 = 1e-3;

impl AdaptiveIndividual {
    /// A genome with the same step for every gene.
    pub fn new(genes: Genome, step: f64) -> Self {
        let steps = vec![step; genes.len()];
        Self { genes, steps }
    }

    /// The mean of two parents, genes and steps alike.
    #[must_use]
    pub fn between(&self, other: &Self) -> Self {
        Self {
            genes: intermediate(&self.genes, &other.genes),
            steps: intermediate(&self.steps, &other.steps),
        }
    }

    /// Changes the steps, and then the genes by them.
    pub fn mutate(&mut self, rule: StepRule, rng: &mut Rng) {
        let count = self.genes.len() as f64;
        let common = rng.normal() / (2.0 * count).sqrt();
        let own = 1.0 / (2.0 * count.sqrt()).sqrt();
        for (gene, step) in self.genes.iter_mut().zip(&mut self.steps) {
            if rule == StepRule::SelfAdaptive {
                *step = (*step * libm::exp(common + own * rng.normal())).max(SMALLEST_STEP);
            }
            *gene += *step * rng.normal();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::best;

    /// A (15 + 85) strategy on the sum of squares.
    fn minimise(rule: StepRule, genes: usize, generations: usize) -> f64 {
        let mut rng = Rng::new(10);
        let mut parents: Vec<AdaptiveIndividual> = (0..15)
            .map(|_| AdaptiveIndividual::new((0..genes).map(|_| 10.0 * rng.uniform() - 5.0).collect(), 2.0))
            .collect();
        let value = |one: &AdaptiveIndividual| -one.genes.iter().map(|gene| gene * gene).sum::<f64>();
        for _ in 0..generations {
            let mut all: Vec<AdaptiveIndividual> = (0..85)
                .map(|_| {
                    let [one, two] = [0, 1].map(|_: usize| &parents[rng.below(15) as usize]);
                    let mut child = one.between(two);
                    child.mutate(rule, &mut rng);
                    child
                })
                .collect();
            all.extend(parents);
            let fitness: Vec<f64> = all.iter().map(value).collect();
            parents = best(&fitness, 15).into_iter().map(|index| all[index].clone()).collect();
        }
        -value(&parents[0])
    }

    #[test]
    fn steps_that_adapt_find_the_optimum_of_the_sphere() {
        let adapted = minimise(StepRule::SelfAdaptive, 20, 300);
        assert!(adapted < 1e-3, "{adapted}");
        let fixed = minimise(StepRule::Fixed, 20, 300);
        assert!(fixed > 100.0 * adapted, "{fixed}");
    }
}
