use super::estimate::Estimate;
use crate::optimizer::Evaluation;

/// How often the points of a generation are evaluated, by how much their ranks change when some of them are evaluated anew (Hansen, Niederberger,
/// Guzzella and Koumoutsakos, "A Method for Handling Uncertainty in Evolutionary Optimization", 2009, with the numbers of pycma).
#[derive(Debug)]
pub(super) struct Uncertainty {
    population: usize,
    /// Evaluations of a point, and at most.
    times: f64,
    most: f64,
    /// How much ranks change, less what is tolerated: the average of the last generations.
    change: f64,
    /// What σ is multiplied by where no more evaluations are allowed.
    widening: f64,
}

/// The share of all possible changes of a rank that is tolerated, in per cent.
const TOLERATED: f64 = 25.0;

/// The part that a generation has in the average.
const SMOOTHING: f64 = 0.3;

/// What the number of evaluations is multiplied by.
const GROWTH: f64 = 1.5;

impl Uncertainty {
    pub fn new(population: usize, dimensions: usize, most: usize) -> Self {
        let widening = 1.0 + 2.0 / (dimensions as f64 + 10.0);
        Self { population, times: 1.0, most: most as f64, change: 0.0, widening }
    }

    /// How many points are evaluated anew.
    fn anew(&self) -> usize {
        (2 + self.population / 20).min(self.population)
    }

    fn times(&self) -> usize {
        self.times as usize
    }

    /// The place of the point that each trial evaluates: all of them, and then the first ones once more.
    pub fn plan(&self) -> Vec<usize> {
        let places = (0..self.population).chain(0..self.anew());
        places.flat_map(|place| std::iter::repeat_n(place, self.times())).collect()
    }

    /// Takes what came of all trials of a plan, and gives what σ is to be multiplied by.
    pub fn learn(&mut self, evaluations: &[Evaluation]) -> f64 {
        let mean = |evaluations: &[Evaluation]| {
            let mut estimate = Estimate::default();
            evaluations.iter().for_each(|evaluation| estimate.add(*evaluation));
            estimate.rank_value()
        };
        let means: Vec<f64> = evaluations.chunks_exact(self.times()).map(mean).collect();
        let (first, anew) = means.split_at(self.population);
        let mut second = first.to_vec();
        second[..anew.len()].copy_from_slice(anew);
        self.change += SMOOTHING * (change_of_ranks(first, &second, anew.len()) - self.change);
        let is_uncertain = self.change > 0.0;
        let widening = if is_uncertain && self.times >= self.most { self.widening } else { 1.0 };
        let factor = if is_uncertain { GROWTH } else { 1.0 / GROWTH.sqrt().sqrt() };
        self.times = (self.times * factor).clamp(1.0, self.most);
        widening
    }
}

/// By how many ranks the first `count` points change their places among both sets of fitness, on average, less what is tolerated.
fn change_of_ranks(first: &[f64], second: &[f64], count: usize) -> f64 {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&one, &two| all[two].total_cmp(&all[one]));
    let mut ranks = vec![0.0; all.len()];
    for (rank, &place) in order.iter().enumerate() {
        ranks[place] = rank as f64;
    }
    let excess = |place: usize| {
        let [one, two] = [ranks[place], ranks[first.len() + place]];
        let change = ((one - two).abs() - 1.0).max(0.0);
        let tolerated = |own: f64, other: f64| {
            let own = own + if own > other { 0.0 } else { 1.0 };
            let mut distances: Vec<f64> = (1..all.len()).map(|rank| (rank as f64 - own).abs()).collect();
            distances.sort_by(f64::total_cmp);
            percentile(&distances, TOLERATED)
        };
        change - ((tolerated(one, two) + tolerated(two, one)) / 2.0).max(1.0)
    };
    (0..count).map(excess).sum::<f64>() / count as f64
}

/// Of sorted numbers, with straight lines between them.
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let at = percent / 100.0 * (sorted.len() - 1) as f64;
    let below = at as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (at - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    fn times_after(mut evaluate: impl FnMut(usize) -> f64) -> f64 {
        let mut uncertainty = Uncertainty::new(10, 4, 30);
        for _ in 0..20 {
            let evaluations: Vec<Evaluation> =
                uncertainty.plan().into_iter().map(|place| Evaluation::new(evaluate(place))).collect();
            uncertainty.learn(&evaluations);
        }
        uncertainty.times
    }

    #[test]
    fn noise_is_met_by_more_evaluations_and_certainty_by_fewer() {
        let mut rng = Rng::new(1);
        assert_eq!(times_after(|place| place as f64), 1.0);
        assert!(times_after(|_| rng.normal()) > 10.0);
        assert!(times_after(|place| place as f64 + 0.1 * rng.normal()) < 2.0);
    }

    #[test]
    fn a_plan_has_everybody_and_some_again() {
        let mut uncertainty = Uncertainty::new(4, 2, 30);
        assert_eq!(uncertainty.plan(), [0, 1, 2, 3, 0, 1]);
        uncertainty.times = 2.5;
        assert_eq!(uncertainty.plan(), [0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1]);
    }

    #[test]
    fn sigma_grows_only_where_no_more_evaluations_are_allowed() {
        let mut rng = Rng::new(2);
        let mut factors = Vec::new();
        let mut uncertainty = Uncertainty::new(10, 4, 2);
        for _ in 0..20 {
            let evaluations: Vec<Evaluation> =
                uncertainty.plan().iter().map(|_| Evaluation::new(rng.normal())).collect();
            factors.push(uncertainty.learn(&evaluations));
        }
        assert_eq!(factors[0], 1.0);
        assert!(factors.iter().any(|factor| *factor > 1.0));
    }
}
