//! What the model of an optimiser expects around the point that it recommends, two parameters at a time, to look at.

use gamete_optim::{Genome, Optimizer, Space};
use gamete_stats::elo_of_score;
use serde::{Deserialize, Serialize};

/// Elo by two parameters, all others being as recommended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSlice {
    /// The names of the genes, across and upwards.
    pub genes: [String; 2],
    /// The smallest and the largest value of each that is looked at.
    pub ranges: [[f64; 2]; 2],
    /// Elo over the start that the model expects in the middle of each cell: rows from the smallest value of the second gene, in each
    /// the values of the first.
    pub elo: Vec<Vec<f64>>,
    /// Some of the points that were tried.
    pub tried: Vec<[f64; 2]>,
    /// Where the search started.
    pub start: [f64; 2],
    /// What is recommended.
    pub best: [f64; 2],
}

/// What a model has found after so many games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelLandscape {
    /// Games of the search until then.
    pub games: u64,
    /// Elo by every two of the parameters that matter most.
    pub slices: Vec<ModelSlice>,
}

impl ModelSlice {
    /// Cells of a row.
    const CELLS: usize = 31;
    /// Genes of which every two are looked at, those that matter most.
    const GENES: usize = 4;
    /// Points that were tried, at most.
    const POINTS: usize = 120;

    /// The slices of an optimiser with a model, which tried these points of the unit cube from a start; none of others.
    pub(crate) fn of(
        optimizer: &dyn Optimizer,
        space: &Space,
        start: &Genome,
        tried: &[Genome],
    ) -> Vec<Self> {
        let (Some(model), Some(best)) = (optimizer.model(), optimizer.best()) else { return Vec::new() };
        let (best, names) = (best.point, space.names());
        let ranges: Vec<[f64; 2]> =
            (0..names.len()).map(|gene| range(tried, gene, [start[gene], best[gene]])).collect();
        let moved = |moves: &[(usize, f64)]| {
            let mut point = best.clone();
            moves.iter().for_each(|&(gene, at)| point[gene] = at);
            point
        };
        // What the ends of the range of a gene lose.
        let loss = |gene: usize| -> f64 {
            ranges[gene].iter().map(|&end| model(&best) - model(&moved(&[(gene, end)]))).sum()
        };
        let mut order: Vec<(usize, f64)> = (0..names.len()).map(|gene| (gene, loss(gene))).collect();
        order.sort_by(|one, two| two.1.total_cmp(&one.1));
        order.truncate(Self::GENES);
        let value = |gene: usize, at: f64| space.at(&moved(&[(gene, at)]))[gene];
        let place = |gene: usize, cell: usize| {
            let [low, high] = ranges[gene];
            low + (high - low) * (cell as f64 + 0.5) / Self::CELLS as f64
        };
        let slice = |[one, two]: [usize; 2]| {
            let elo = |row: usize, column: usize| {
                let point = moved(&[(one, place(one, column)), (two, place(two, row))]);
                let elo = elo_of_score(f64::midpoint(1.0, model(&point).clamp(-0.999, 0.999)));
                (10.0 * elo).round() / 10.0
            };
            let values = |point: &Genome| [value(one, point[one]), value(two, point[two])];
            let every = tried.len().div_ceil(Self::POINTS).max(1);
            Self {
                genes: [one, two].map(|gene| names[gene].clone()),
                ranges: [one, two].map(|gene| ranges[gene].map(|end| value(gene, end))),
                elo: (0..Self::CELLS)
                    .map(|row| (0..Self::CELLS).map(|column| elo(row, column)).collect())
                    .collect(),
                tried: tried.iter().step_by(every).map(values).collect(),
                start: values(start),
                best: values(&best),
            }
        };
        let pairs = (1..order.len()).flat_map(|second| (0..second).map(move |first| [first, second]));
        pairs.map(|pair| slice(pair.map(|place| order[place].0))).collect()
    }
}

/// Where nine tenths of the points that were tried lie along a coordinate, and all of these, with some room.
fn range(tried: &[Genome], coordinate: usize, shown: [f64; 2]) -> [f64; 2] {
    let mut places: Vec<f64> = tried.iter().map(|point| point[coordinate]).collect();
    places.sort_by(f64::total_cmp);
    let few = places.len() / 20;
    let middle = &places[few..places.len() - few];
    let ends = middle.first().into_iter().chain(middle.last()).chain(&shown);
    let (low, high) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &at| (low.min(at), high.max(at)));
    let room = (0.08 * (high - low)).max(0.005);
    [(low - room).max(0.0), (high + room).min(1.0)]
}

#[cfg(test)]
mod tests {
    use gamete_game::Parameter;
    use gamete_optim::{Evaluation, OptimizerInfo, Problem, Rng, Settings};

    use super::*;

    #[test]
    fn slices_show_the_hill_that_a_model_has_found() {
        let parameter = |name| Parameter::real(name, [0.0, 10.0], 3.0, "");
        let space = Space::of(vec![parameter("a"), parameter("b"), parameter("idle")]).expect("a space");
        let start = space.point(&space.defaults());
        // The best values are 7 and 4, the third does nothing.
        let strength = |point: &Genome| -6.0 * (point[0] - 0.7).powi(2) - 3.0 * (point[1] - 0.4).powi(2);
        for name in ["pairs", "clop", "bayes", "ga"] {
            let info = OptimizerInfo::find(name).expect("an optimiser");
            let problem =
                Problem { start: vec![start.clone()], games: 2, games_alone: 2, ..Problem::new(&space) };
            let mut optimizer = (info.begin)(&Settings::new(info.keys), problem, Rng::new(1));
            let mut tried = Vec::new();
            for _ in 0..800 {
                let trial = optimizer.ask().expect("a trial");
                let rival = trial.rival.clone().unwrap_or_else(|| start.clone());
                let advantage = (strength(&trial.point) - strength(&rival)).tanh();
                let told = if trial.rival.is_some() { advantage } else { f64::midpoint(1.0, advantage) };
                optimizer.tell(trial.number, Evaluation::Fitness(told));
                tried.push(trial.point);
            }
            let slices = ModelSlice::of(optimizer.as_ref(), &space, &start, &tried);
            if name == "ga" {
                assert!(slices.is_empty(), "it has no model");
                continue;
            }
            assert_eq!(slices.len(), 3, "{name}");
            let first = &slices[0];
            assert_eq!(
                first.genes,
                ["a".to_owned(), "b".to_owned()],
                "{name}: what matters most comes first"
            );
            assert_eq!((first.start, first.elo.len(), first.tried.len()), ([3.0; 2], 31, 115), "{name}");
            assert!((first.best[0] - 7.0).abs() < 1.0, "{name}: {:?}", first.best);
            let cell = |value: f64, [low, high]: [f64; 2]| {
                ((value - low) / (high - low) * 31.0).clamp(0.0, 30.0) as usize
            };
            let at = |[a, b]: [f64; 2]| first.elo[cell(b, first.ranges[1])][cell(a, first.ranges[0])];
            assert!(at(first.start).abs() < 30.0, "{name}: {}", at(first.start));
            assert!(at(first.best) > 100.0 && at(first.best) > at([3.0, 7.0]), "{name}: {}", at(first.best));
        }
    }
}
