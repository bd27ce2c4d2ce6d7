use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use gamete_arena::{ModelInfo, Playable};

use crate::extract::{ExtractError, Leaf, extract_positions};
use crate::features::{FeatureMatrix, Number, SINGLE};
use crate::mentor::MAX_SCORE;
use crate::{Part, Sample, Samples};

/// What a mentor says that positions are worth, and their features, for players to be compared with it without searching.
///
/// A player evaluates the position at once, or after the captures that pay ([`Leaf`]). With a row for each position instead of
/// one for each move, features are extracted too quickly to be worth keeping.
#[derive(Debug)]
pub struct MentorTable {
    /// For the side to move.
    features: FeatureMatrix,
    divisor: i32,
    /// In thousandths of a pawn, for the side to move.
    scores: Vec<i32>,
}

impl MentorTable {
    /// Extracts the features of a part of a corpus under a model, on so many threads.
    ///
    /// # Errors
    ///
    /// When the model is of another game, the corpus is damaged or has no scores, or `stop` is set.
    pub fn extract<G: Playable>(
        samples: Samples<'_, G>,
        part: Part,
        model: &'static ModelInfo,
        leaf: Leaf,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Self, ExtractError> {
        let score = |sample: &Sample<G>| {
            sample.score.ok_or_else(|| ExtractError::NoScores(samples.name().to_owned()))
        };
        let (features, scores) = extract_positions(samples, part, model, leaf, threads, stop, score)?;
        Ok(Self { features, divisor: model.divisor, scores })
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.scores.len()
    }

    /// How far the evaluation of each player is from the mentor's score on average over these positions, in hundredths of a
    /// pawn. Players are given by their weights as they are multiplied, see [`whole_weights`](gamete_game::whole_weights); the numbers
    /// are the same on any number of threads.
    ///
    /// # Panics
    ///
    /// When there are not so many positions.
    pub fn errors(&self, positions: &[usize], players: &[Vec<i32>], threads: usize) -> Vec<f64> {
        let bound = players.iter().map(|weights| self.features.bound(weights)).fold(0.0, f64::max);
        let sums = match bound + f64::from(MAX_SCORE) < SINGLE {
            true => self.sums::<f32>(positions, players, threads),
            false => self.sums::<f64>(positions, players, threads),
        };
        sums.into_iter().map(|sum| sum / positions.len().max(1) as f64 / 10.0).collect()
    }

    /// The sums of the errors, which are whole numbers and so exact.
    fn sums<T: Number>(&self, positions: &[usize], players: &[Vec<i32>], threads: usize) -> Vec<f64> {
        let weights = self.features.arrange::<T>(players);
        let blocks: Vec<&[usize]> = positions.chunks(BLOCK).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut scratch, mut values, mut sums) = (Vec::new(), Vec::new(), vec![0.0; players.len()]);
            while let Some(&block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.features.multiply(block.iter().copied(), &weights, &mut scratch, &mut values);
                for (&position, values) in block.iter().zip(values.chunks_exact(players.len().max(1))) {
                    let score = f64::from(self.scores[position]);
                    for (sum, value) in sums.iter_mut().zip(values) {
                        let value =
                            if self.divisor == 1 { *value } else { value.divided(T::from_i32(self.divisor)) };
                        *sum += (value.to_f64() - score).abs();
                    }
                }
            }
            sums
        };
        if threads < 2 {
            return work();
        }
        let mut total = vec![0.0; players.len()];
        thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            for handle in handles {
                let sums = handle.join().expect("no panic");
                total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
            }
        });
        total
    }
}

/// Positions that are judged at a time: few enough that what they come to stays in a core's own cache.
const BLOCK: usize = 64;

#[cfg(test)]
mod tests {
    use gamete_arena::{Player, Rng};
    use gamete_chess::Position;
    use gamete_game::whole_weights;

    use super::*;
    use crate::testing::{manifest, random_corpus};
    use crate::{Corpus, write_corpus};

    #[test]
    fn the_error_is_what_evaluating_every_position_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = random_corpus::<Position>(folder.path(), 200, 1);
        let samples = corpus.samples::<Position>().expect("samples");
        for name in ["chess/classic", "chess/material-phased"] {
            let mut player = Player::load(name).expect("a model");
            let model = player.model();
            let table =
                MentorTable::extract(samples, Part::Train, model, Leaf::Static, 2, &AtomicBool::new(false))
                    .expect("a table");
            let train: Vec<_> = samples.iter().map(|sample| sample.expect("a sample")).collect();
            let train: Vec<_> = train.iter().filter(|sample| sample.part == Part::Train).collect();
            assert_eq!(table.positions(), train.len());
            let chosen = [3, 8, 20, 21, 55];
            let (mut players, mut expected) = (Vec::new(), Vec::new());
            let mut rng = Rng::new(3);
            for size in [1.0, 1.5, 1e3] {
                for weight in model.weights {
                    let value = weight.default * size * rng.uniform();
                    player
                        .set_weight(weight.name, value)
                        .or_else(|_| player.set_weight(weight.name, weight.default))
                        .expect("a weight");
                }
                let engine = Position::engine(&player, 1 << 20).expect("an engine");
                let error = |&index: &usize| {
                    let value = engine.evaluate(&train[index].position).score.millipawns();
                    f64::from((value - train[index].score.expect("a score")).abs())
                };
                expected.push(chosen.iter().map(error).sum::<f64>() / 50.0);
                players.push(whole_weights(player.weights(), model.scale));
            }
            for threads in [1, 3] {
                assert_eq!(table.errors(&chosen, &players, threads), expected, "{name}");
            }
        }
    }

    #[test]
    fn a_corpus_without_scores_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = random_corpus::<Position>(folder.path(), 3, 1);
        let samples: Vec<_> = corpus.samples::<Position>().expect("samples").iter().collect();
        let samples: Vec<_> = samples
            .into_iter()
            .map(|sample| Sample { score: None, part: Part::Train, ..sample.expect("a sample") })
            .collect();
        let path = folder.path().join("b.corpus");
        write_corpus(&path, manifest::<Position>(), &samples).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        let model = ModelInfo::find("chess/material").expect("a model");
        let samples = corpus.samples::<Position>().expect("samples");
        let error =
            MentorTable::extract(samples, Part::Train, model, Leaf::Static, 1, &AtomicBool::new(false))
                .expect_err("no scores")
                .to_string();
        assert!(error.ends_with("b.corpus: the positions of this corpus have no scores; `gamete corpus make games.pgn --mentor …` makes one that has"), "{error}");
    }
}
