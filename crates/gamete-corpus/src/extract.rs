use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use gamete_arena::{ModelInfo, Playable, WrongGame};
use gamete_game::Color;

use crate::features::{FeatureMatrix, Rows};
use crate::lookahead::{Lookahead, look_ahead, quiet_leaf};
use crate::{CorpusError, Part, Sample, Samples};

/// Where a position or a move is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// In the position itself, or the one that the move leads to.
    Static,
    /// After the captures that then pay by textbook values. They are the same for all weights.
    Quiet,
    /// Where a search of so many more plies by textbook values leads. A move that wins by force is chosen, and one that loses by
    /// force only where all do.
    Search(u32),
}

impl Leaf {
    /// What is to be evaluated for a position.
    pub(crate) fn look<G: Playable>(self, position: &G) -> Lookahead<G> {
        match self {
            Self::Static => Lookahead::Leaf(position.clone()),
            Self::Quiet => Lookahead::Leaf(quiet_leaf(position)),
            Self::Search(plies) => look_ahead(position, plies),
        }
    }
}

/// Why features cannot be extracted.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The corpus is damaged.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Its moves are anybody's.
    #[error("{0}: this corpus was made with --take results; experts take one made with --take experts")]
    NoExperts(String),
    /// It has no scores.
    #[error(
        "{0}: the positions of this corpus have no scores; `gamete corpus make games.pgn --mentor …` makes one that has"
    )]
    NoScores(String),
    /// It does not say who won.
    #[error(
        "{0}: the positions of this corpus do not say who won; `gamete corpus make games.pgn --take results` makes one that does"
    )]
    NoResults(String),
    /// All results are the same, as in a corpus of experts, where the winner is to move.
    #[error(
        "{path}: the side to move {result} in every position of this corpus, so there is nothing to learn from; `gamete corpus make games.pgn --take results` makes one with all results"
    )]
    OneResult {
        /// The file.
        path: String,
        /// What the side to move does.
        result: &'static str,
    },
    /// The model is of another game.
    #[error(transparent)]
    WrongGame(#[from] WrongGame),
    /// Somebody broke it off.
    #[error("interrupted")]
    Interrupted,
}

/// Samples that a thread looks at before it takes more.
const CHUNK: usize = 64;

/// Calls `f` with the samples of a part, on so many threads, and gives the rows that it adds and what it says, both in the
/// order of the samples. It ends with an error soon after `stop` is set.
pub(crate) fn extract<G: Playable, T: Send>(
    samples: Samples<'_, G>,
    part: Part,
    columns: usize,
    threads: usize,
    stop: &AtomicBool,
    f: impl Fn(&Sample<G>, &mut Rows) -> Result<T, ExtractError> + Sync,
) -> Result<(FeatureMatrix, Vec<T>), ExtractError> {
    let chunk = |range: Range<usize>| -> Result<(Rows, Vec<T>), ExtractError> {
        let (mut rows, mut said) = (Rows::default(), Vec::new());
        for number in range {
            if stop.load(Ordering::Relaxed) {
                return Err(ExtractError::Interrupted);
            }
            let sample = samples.get(number)?;
            if sample.part == part {
                if sample.position.moves().is_empty() {
                    return Err(CorpusError::Damaged(samples.name().to_owned()).into());
                }
                said.push(f(&sample, &mut rows)?);
            }
        }
        Ok((rows, said))
    };
    let starts: Vec<usize> = (0..samples.len()).step_by(CHUNK).collect();
    let done: Vec<_> = starts.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some((&start, done)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    starts.get(place).zip(done.get(place))
                } {
                    let result = chunk(start..(start + CHUNK).min(samples.len()));
                    *done.lock().expect("nobody panicked") = Some(result);
                }
            });
        }
    });
    let (mut rows, mut said) = (Rows::default(), Vec::new());
    for done in done {
        let (more, what) = done.into_inner().expect("nobody panicked").expect("all are done")?;
        rows.append(&more);
        said.extend(what);
    }
    Ok((FeatureMatrix::new(columns, &rows), said))
}

/// The features of the positions of a part for the side to move, at the leaf of each, and what `f` says of them.
pub(crate) fn extract_positions<G: Playable, T: Send>(
    samples: Samples<'_, G>,
    part: Part,
    model: &'static ModelInfo,
    leaf: Leaf,
    threads: usize,
    stop: &AtomicBool,
    f: impl Fn(&Sample<G>) -> Result<T, ExtractError> + Sync,
) -> Result<(FeatureMatrix, Vec<T>), ExtractError> {
    extract(samples, part, model.weights.len(), threads, stop, |sample, rows| {
        let position = &sample.position;
        let evaluated = match leaf.look(position) {
            Lookahead::Leaf(leaf) => leaf,
            // What is won or lost by force is said by what is known of the position.
            Lookahead::Wins | Lookahead::Loses(_) => quiet_leaf(position),
        };
        rows.push(features_for(&evaluated, position.turn(), model)?);
        f(sample)
    })
}

/// The features of a position for one side.
pub(crate) fn features_for<G: Playable>(
    position: &G,
    side: Color,
    model: &'static ModelInfo,
) -> Result<impl Iterator<Item = i32> + use<G>, ExtractError> {
    let features = position.features(model)?;
    let sign = if side == Color::White { 1 } else { -1 };
    Ok(features.0.into_iter().map(move |value| sign * value))
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;

    use super::*;
    use crate::testing::{manifest, random_corpus};
    use crate::{Corpus, write_corpus};

    #[test]
    fn a_stop_ends_it_before_the_next_sample() {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = random_corpus::<Position>(folder.path(), 300, 1);
        let samples = corpus.samples::<Position>().expect("chess");
        let (stop, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
        let stopped = extract(samples, Part::Train, 0, 1, &stop, |_, _| {
            stop.store(seen.fetch_add(1, Ordering::Relaxed) == 9, Ordering::Relaxed);
            Ok(())
        });
        assert!(matches!(stopped, Err(ExtractError::Interrupted)), "{stopped:?}");
        assert_eq!(seen.into_inner(), 10);
    }

    #[test]
    fn a_position_without_moves_is_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let position: Position = "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1".parse().expect("a position");
        let choices = Vec::new();
        let sample = Sample { position, source: 1, part: Part::Train, choices, outcome: None, score: None };
        let path = folder.path().join("a.corpus");
        write_corpus(&path, manifest::<Position>(), &[sample]).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        let samples = corpus.samples::<Position>().expect("chess");
        let result = extract(samples, Part::Train, 0, 1, &AtomicBool::new(false), |_, _| Ok(()));
        assert!(matches!(result, Err(ExtractError::Corpus(CorpusError::Damaged(_)))), "{result:?}");
    }
}
