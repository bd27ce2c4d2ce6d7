use crate::optimizer::Evaluation;

/// What a point is worth, by the mean of its evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Estimate {
    sum: f64,
    count: u32,
}

impl Estimate {
    /// Takes one more evaluation; one that failed says nothing.
    pub fn add(&mut self, evaluation: Evaluation) {
        if let Evaluation::Fitness(fitness) = evaluation {
            self.sum += fitness;
            self.count += 1;
        }
    }

    /// How many evaluations came to something.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The mean; nothing if no evaluation came to something.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }

    /// What counts where somebody has to have a number: less than any other if nothing is known.
    pub fn rank_value(&self) -> f64 {
        self.mean().unwrap_or(f64::NEG_INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_averaged_and_failures_passed_over() {
        let mut estimate = Estimate::default();
        estimate.add(Evaluation::Failed);
        assert_eq!((estimate.mean(), estimate.rank_value()), (None, f64::NEG_INFINITY));
        estimate.add(Evaluation::Fitness(1.0));
        estimate.add(Evaluation::Fitness(2.0));
        assert_eq!((estimate.mean(), estimate.count()), (Some(1.5), 2));
    }
}
