use std::sync::atomic::AtomicBool;

use gamete_arena::{ModelInfo, Playable};
use gamete_game::Outcome;

use crate::extract::{ExtractError, Leaf, extract_positions};
use crate::features::FeatureMatrix;
use crate::{Part, Sample, Samples};

/// The features of positions, and how the games ended that they are from.
#[derive(Debug)]
pub struct ResultTable {
    /// For the side to move.
    features: FeatureMatrix,
    /// What the side to move got: 1, ½ or 0.
    points: Vec<f64>,
}

impl ResultTable {
    /// Extracts the features of a part of a corpus under a model, on so many threads.
    ///
    /// # Errors
    ///
    /// When the model is of another game, the corpus is damaged or does not say who won, or `stop` is set.
    pub fn extract<G: Playable>(
        samples: Samples<'_, G>,
        part: Part,
        model: &'static ModelInfo,
        leaf: Leaf,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Self, ExtractError> {
        let points = |sample: &Sample<G>| match sample.outcome {
            Some(Outcome::Draw) => Ok(0.5),
            Some(Outcome::Win(winner)) => Ok(if winner == sample.position.turn() { 1.0 } else { 0.0 }),
            None => Err(ExtractError::NoResults(samples.name().to_owned())),
        };
        let (features, points) = extract_positions(samples, part, model, leaf, threads, stop, points)?;
        Ok(Self { features, points })
    }

    /// How many weights the model has.
    pub(crate) fn weights(&self) -> usize {
        self.features.columns()
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.points.len()
    }

    /// What the side to move got in each position, and its features.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (f64, Vec<i32>)> {
        self.points.iter().enumerate().map(|(row, &points)| (points, self.features.row(row)))
    }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;

    use super::*;
    use crate::testing::{manifest, random_corpus};
    use crate::{Corpus, write_corpus};

    #[test]
    fn points_and_features_are_those_of_the_side_to_move() {
        let folder = tempfile::tempdir().expect("a folder");
        let sample = |fen: &str, outcome| Sample {
            position: fen.parse::<Position>().expect("a position"),
            source: 1,
            part: Part::Train,
            choices: Vec::new(),
            outcome: Some(outcome),
            score: None,
        };
        let white = Outcome::Win(gamete_game::Color::White);
        let samples = [
            sample("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1", white),
            sample("4k3/8/8/8/8/8/8/4KQ2 b - - 0 1", white),
            sample("4k3/8/8/8/8/8/8/4KN2 b - - 0 1", Outcome::Draw),
        ];
        let path = folder.path().join("a.corpus");
        write_corpus(&path, manifest::<Position>(), &samples).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        let model = ModelInfo::find("chess/material").expect("a model");
        let samples = corpus.samples::<Position>().expect("samples");
        let table =
            ResultTable::extract(samples, Part::Train, model, Leaf::Static, 2, &AtomicBool::new(false))
                .expect("a table");
        let found: Vec<(f64, Vec<i32>)> = table.rows().collect();
        let place =
            |name: &str| model.weights.iter().position(|weight| weight.name == name).expect("a weight");
        let (queen, knight) = (place("queen"), place("knight"));
        let pieces = |row: usize| (found[row].0, found[row].1[queen], found[row].1[knight]);
        assert_eq!([pieces(0), pieces(1), pieces(2)], [(1.0, 1, 0), (0.0, -1, 0), (0.5, 0, -1)]);
    }

    #[test]
    fn a_corpus_without_results_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = random_corpus::<Position>(folder.path(), 3, 1);
        let samples = corpus.samples::<Position>().expect("samples").iter();
        let samples: Vec<_> = samples
            .map(|sample| Sample { outcome: None, part: Part::Train, ..sample.expect("a sample") })
            .collect();
        let path = folder.path().join("b.corpus");
        write_corpus(&path, manifest::<Position>(), &samples).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        let model = ModelInfo::find("chess/material").expect("a model");
        let samples = corpus.samples::<Position>().expect("samples");
        let stop = AtomicBool::new(false);
        let error = ResultTable::extract(samples, Part::Train, model, Leaf::Static, 1, &stop)
            .expect_err("no results")
            .to_string();
        assert!(
            error.ends_with("`gamete corpus make games.pgn --take results` makes one that does"),
            "{error}"
        );
    }
}
