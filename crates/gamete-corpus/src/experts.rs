use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use faer_traits::ComplexField;
use gamete_arena::{ModelInfo, Playable, WrongGame};
use gamete_game::{Color, Outcome};

use crate::features::{FeatureMatrix, Real};
use crate::quiet::quiet_leaf;
use crate::{CorpusError, Part, Sample, Samples};

/// What experts could have played: the features of every position that a legal move leads to, for players to be compared
/// with the experts without searching.
///
/// A player looks one ply ahead: it plays each legal move and evaluates what comes of it, at once or after the captures that
/// pay ([`Leaf`]). Checkmate is better than anything, a draw is worth 0, and of equally good moves the first is chosen, in the
/// order of their squares.
#[derive(Debug)]
pub struct ExpertTable {
    /// From the point of view of who moved, as a draw has it: a row of zeros where the game is drawn.
    features: FeatureMatrix,
    divisor: i32,
    /// By row, whether it is the expert's move.
    chosen: Vec<bool>,
    train: Positions,
    test: Positions,
}

/// Where a move is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaf {
    /// In the position that it leads to.
    Static,
    /// After the captures that then pay by textbook values, see [`quiet_leaf`]. They are the same for all weights.
    Quiet,
}

/// The positions of a part.
#[derive(Debug, Default)]
struct Positions {
    /// The rows of each.
    rows: Vec<Range<usize>>,
    /// Positions that have no rows, as a move mates: how many there are, and in how many the expert gave that mate.
    mates: u32,
    mates_given: u32,
}

impl Positions {
    fn len(&self) -> u32 {
        self.rows.len() as u32 + self.mates
    }
}

/// How a player compares with the experts.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Agreement {
    /// Positions that were compared.
    pub positions: u32,
    /// Positions in which the player chose the expert's move.
    pub hits: u32,
    /// Positions in which several moves were equally good to the player.
    pub ties: u32,
    /// The place of the expert's move in the player's order, from 1, on average over positions without a mate in one.
    pub mean_rank: f64,
}

/// The features of the moves of a sample, from the point of view of who moves.
struct Moves {
    values: Vec<i32>,
    chosen: Vec<bool>,
    /// Where a move mates: whether the first such move is the expert's.
    mate: Option<bool>,
}

impl ExpertTable {
    /// Extracts the features of a corpus under a model, on so many threads.
    ///
    /// # Errors
    ///
    /// When the model is of another game, or the corpus is damaged.
    pub fn extract<G: Playable>(
        samples: Samples<'_, G>,
        model: &'static ModelInfo,
        leaf: Leaf,
        threads: usize,
    ) -> Result<Self, ExtractError> {
        if samples.manifest().setting("take") == Some("results") {
            return Err(ExtractError::NoExperts(samples.name().to_owned()));
        }
        let count = samples.len();
        let share = count.div_ceil(threads.max(1)).max(1);
        let extracted: Result<Vec<_>, _> = thread::scope(|scope| {
            let extract = |start: usize| {
                let range = start..(start + share).min(count);
                let extract =
                    move || range.map(|number| extract_moves(&samples.get(number)?, model, leaf)).collect();
                scope.spawn(extract)
            };
            let handles: Vec<_> = (0..count).step_by(share).map(extract).collect();
            handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
        });
        let extracted: Vec<(Part, Moves)> = extracted?.into_iter().flat_map(|moves: Vec<_>| moves).collect();
        let (mut values, mut chosen) = (Vec::new(), Vec::new());
        // The rows of a part are next to each other.
        let [train, test] = [Part::Train, Part::Test].map(|part| {
            let mut positions = Positions::default();
            for (_, moves) in extracted.iter().filter(|(own, _)| *own == part) {
                if let Some(given) = moves.mate {
                    positions.mates += 1;
                    positions.mates_given += u32::from(given);
                    continue;
                }
                let first = chosen.len();
                values.extend(&moves.values);
                chosen.extend(&moves.chosen);
                positions.rows.push(first..chosen.len());
            }
            positions
        });
        let features = FeatureMatrix::new(model.weights.len(), &values);
        Ok(Self { features, divisor: model.divisor, chosen, train, test })
    }

    /// How many positions a part has.
    pub fn positions(&self, part: Part) -> u32 {
        self.part(part).len()
    }

    /// The rows of each position to learn from.
    pub(crate) fn rows(&self) -> &[Range<usize>] {
        &self.train.rows
    }

    /// How many weights the model has.
    pub(crate) fn weights(&self) -> usize {
        self.features.columns()
    }

    /// The features of a row.
    pub(crate) fn row(&self, row: usize) -> Vec<i32> {
        self.features.row(row)
    }

    /// Which of some rows are moves of the expert.
    pub(crate) fn chosen(&self, rows: &Range<usize>) -> &[bool] {
        &self.chosen[rows.clone()]
    }

    /// A table to learn from with so many moves in each position.
    #[cfg(test)]
    pub(crate) fn of(columns: usize, values: &[i32], chosen: Vec<bool>, moves: usize) -> Self {
        let rows = (0..chosen.len()).step_by(moves).map(|first| first..first + moves).collect();
        let train = Positions { rows, ..Positions::default() };
        let features = FeatureMatrix::new(columns, values);
        Self { features, divisor: 1, chosen, train, test: Positions::default() }
    }

    fn part(&self, part: Part) -> &Positions {
        match part {
            Part::Train => &self.train,
            Part::Test => &self.test,
        }
    }

    /// In how many positions of a part each player chooses the expert's move. Players are given by their weights as they are
    /// multiplied, see [`whole_weights`](gamete_game::whole_weights); the numbers are the same on any number of threads.
    pub fn hits(&self, part: Part, players: &[Vec<i32>], threads: usize) -> Vec<u32> {
        // Sums of whole numbers are exact in any order as long as they are small enough.
        let bound = players.iter().map(|weights| self.features.bound(weights)).fold(0.0, f64::max);
        if bound < f64::from(1_u32 << 24) {
            self.hits_in::<f32>(self.part(part), players, threads)
        } else {
            self.hits_in::<f64>(self.part(part), players, threads)
        }
    }

    fn hits_in<T: Number>(&self, part: &Positions, players: &[Vec<i32>], threads: usize) -> Vec<u32> {
        let (columns, count) = (self.features.columns(), players.len());
        let weights: Vec<T> = (0..columns)
            .flat_map(|column| players.iter().map(move |player| T::from_i32(player[column])))
            .collect();
        let blocks: Vec<&[Range<usize>]> = part.rows.chunks(BLOCK).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut hits = vec![0; count];
            let mut scratch = Scratch::<T>::default();
            while let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.judge(block, &weights, count, &mut scratch, &mut hits);
            }
            hits
        };
        let mut total = vec![part.mates_given; count];
        let mut add = |hits: Vec<u32>| total.iter_mut().zip(hits).for_each(|(total, hits)| *total += hits);
        if threads < 2 {
            add(work());
        } else {
            thread::scope(|scope| {
                let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                handles.into_iter().for_each(|handle| add(handle.join().expect("no panic")));
            });
        }
        total
    }

    /// Adds the hits of some positions, which are next to each other.
    fn judge<T: Number>(
        &self,
        block: &[Range<usize>],
        weights: &[T],
        count: usize,
        scratch: &mut Scratch<T>,
        hits: &mut [u32],
    ) {
        let (Some(first), Some(last)) = (block.first(), block.last()) else { return };
        let (rows, columns) = (first.start..last.end, self.features.columns());
        let Scratch { features, scores, best, hit } = scratch;
        features.resize(rows.len() * columns, T::from_i32(0));
        scores.resize(rows.len() * count, T::from_i32(0));
        self.features.copy_rows(rows.clone(), features);
        matmul(
            MatMut::from_row_major_slice_mut(scores, rows.len(), count),
            Accum::Replace,
            MatRef::from_row_major_slice(features, rows.len(), columns),
            MatRef::from_row_major_slice(weights, columns, count),
            T::from_i32(1),
            Par::Seq,
        );
        if self.divisor != 1 {
            scores.iter_mut().for_each(|score| *score = score.divided(T::from_i32(self.divisor)));
        }
        for position in block {
            best.clear();
            best.resize(count, T::LOWEST);
            hit.clear();
            hit.resize(count, 0);
            for row in position.clone() {
                let scores = &scores[(row - rows.start) * count..][..count];
                let chosen = u32::from(self.chosen[row]);
                for ((score, best), hit) in scores.iter().zip(best.iter_mut()).zip(hit.iter_mut()) {
                    let is_better = *score > *best;
                    *best = if is_better { *score } else { *best };
                    *hit = if is_better { chosen } else { *hit };
                }
            }
            hits.iter_mut().zip(hit.iter()).for_each(|(hits, hit)| *hits += hit);
        }
    }

    /// How a player compares with the experts of a part, move by move.
    pub fn agreement(&self, part: Part, weights: &[i32]) -> Agreement {
        let part = self.part(part);
        let (mut hits, mut ties, mut ranks) = (part.mates_given, 0, 0);
        for rows in &part.rows {
            let scores: Vec<i64> = rows.clone().map(|row| self.score(row, weights)).collect();
            let best = scores.iter().copied().max().unwrap_or(0);
            let first = scores.iter().position(|&score| score == best).unwrap_or(0);
            hits += u32::from(self.chosen[rows.start + first]);
            ties += u32::from(scores.iter().filter(|&&score| score == best).count() > 1);
            let rank = |row: usize| {
                let own = scores[row];
                let before = scores[..row].iter().filter(|&&score| score >= own).count();
                before + scores[row..].iter().filter(|&&score| score > own).count() + 1
            };
            let experts = (0..scores.len()).filter(|row| self.chosen[rows.start + row]);
            ranks += experts.map(rank).min().unwrap_or(scores.len());
        }
        let mean_rank = ranks as f64 / part.rows.len().max(1) as f64;
        Agreement { positions: part.len(), hits, ties, mean_rank }
    }

    /// The place of the move that a player chooses in each position of a part, those in which a move mates left out: among
    /// [`ordered_moves`].
    pub(crate) fn choices(&self, part: Part, weights: &[i32]) -> Vec<usize> {
        let choice = |rows: &Range<usize>| {
            let scores = rows.clone().map(|row| self.score(row, weights)).enumerate();
            let best = scores.reduce(|best, other| if other.1 > best.1 { other } else { best });
            best.map_or(0, |(place, _)| place)
        };
        self.part(part).rows.iter().map(choice).collect()
    }

    fn score(&self, row: usize, weights: &[i32]) -> i64 {
        let products = self.features.row(row).into_iter().zip(weights);
        let sum: i64 = products.map(|(value, &weight)| i64::from(value) * i64::from(weight)).sum();
        sum / i64::from(self.divisor)
    }
}

/// Positions whose moves are judged at a time: few enough that their scores stay in a core's own cache.
const BLOCK: usize = 16;

/// Memory that a thread uses again and again.
#[derive(Default)]
struct Scratch<T> {
    features: Vec<T>,
    scores: Vec<T>,
    best: Vec<T>,
    hit: Vec<u32>,
}

/// What scores are computed in.
trait Number: Real + ComplexField + PartialOrd + Default + Send + Sync {
    /// Below every score.
    const LOWEST: Self;

    /// Divided as whole numbers are.
    fn divided(self, by: Self) -> Self;
}

impl Number for f32 {
    const LOWEST: Self = Self::NEG_INFINITY;

    fn divided(self, by: Self) -> Self {
        (self / by).trunc()
    }
}

impl Number for f64 {
    const LOWEST: Self = Self::NEG_INFINITY;

    fn divided(self, by: Self) -> Self {
        (self / by).trunc()
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
    /// The model is of another game.
    #[error(transparent)]
    WrongGame(#[from] WrongGame),
}

/// Legal moves in the order of their squares, in which the first of equally good ones is chosen.
pub(crate) fn ordered_moves<G: Playable>(position: &G) -> Vec<G::Move> {
    let mut moves = position.moves();
    moves.sort_by_cached_key(|&mv| position.divide_text(mv, true));
    moves
}

fn extract_moves<G: Playable>(
    sample: &Sample<G>,
    model: &'static ModelInfo,
    leaf: Leaf,
) -> Result<(Part, Moves), ExtractError> {
    let position = &sample.position;
    let mover = position.turn();
    let mut moves = Moves { values: Vec::new(), chosen: Vec::new(), mate: None };
    for mv in ordered_moves(position) {
        let is_chosen = sample.choices.contains(&mv);
        let mut next = position.clone();
        next.play(mv);
        match next.ending().map(|ending| ending.outcome) {
            Some(outcome) if outcome == Outcome::Win(mover) => {
                moves.mate = moves.mate.or(Some(is_chosen));
            }
            Some(_) => moves.values.extend(model.weights.iter().map(|_| 0)),
            None => {
                let evaluated = match leaf {
                    Leaf::Static => next,
                    Leaf::Quiet => quiet_leaf(&next),
                };
                let features = evaluated.features(model)?.0;
                let sign = if mover == Color::White { 1 } else { -1 };
                moves.values.extend(features.iter().map(|value| sign * value));
            }
        }
        moves.chosen.push(is_chosen);
    }
    Ok((sample.part, moves))
}

#[cfg(test)]
mod tests {
    use gamete_arena::Rng;
    use gamete_chess::Position;
    use gamete_game::{Game, whole_weights};

    use super::*;
    use crate::{Corpus, Manifest, write_corpus};

    /// Positions from random games, in which the expert plays at random as well.
    fn corpus<G: Playable>(folder: &std::path::Path, model: &ModelInfo, count: u32) -> Corpus {
        let mut rng = Rng::new(1);
        let mut samples = Vec::new();
        while samples.len() < count as usize {
            let mut position = G::start();
            for _ in 0..5 + rng.below(60) {
                let moves = position.moves();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[rng.below(moves.len() as u64) as usize]);
            }
            let moves = position.moves();
            if position.ending().is_none() && !moves.is_empty() {
                let choices = vec![moves[rng.below(moves.len() as u64) as usize]];
                let part = if rng.below(2) == 0 { Part::Train } else { Part::Test };
                let source = samples.len() as u32;
                samples.push(Sample { position, source, part, choices, outcome: None, score: None });
            }
        }
        let manifest = Manifest {
            game: model.game,
            program: String::new(),
            files: Vec::new(),
            seed: 1,
            settings: Vec::new(),
            train: 0,
            test: 0,
        };
        let path = folder.join("a.corpus");
        write_corpus(&path, manifest, &samples).expect("written");
        Corpus::open(&path).expect("a corpus")
    }

    fn players(model: &ModelInfo, count: usize, size: f64) -> Vec<Vec<i32>> {
        let mut rng = Rng::new(2);
        let genome = |_| {
            whole_weights(&model.weights.iter().map(|_| rng.normal() * size).collect::<Vec<_>>(), model.scale)
        };
        (0..count).map(genome).collect()
    }

    #[test]
    fn the_matrix_says_what_evaluating_every_move_says() {
        fn check<G: Playable>(model: &'static str) {
            let folder = tempfile::tempdir().expect("a folder");
            let model = ModelInfo::find(model).expect("a model");
            let corpus = corpus::<G>(folder.path(), model, 300);
            let samples = corpus.samples::<G>().expect("samples");
            let table = ExpertTable::extract(samples, model, Leaf::Quiet, 2).expect("a table");
            assert_eq!(table.positions(Part::Train) + table.positions(Part::Test), 300);
            // The larger weights do not fit into 24 bits.
            for size in [1.0, 30.0, 1e5] {
                let players = players(model, 9, size);
                for part in [Part::Train, Part::Test] {
                    let slow: Vec<_> =
                        players.iter().map(|weights| table.agreement(part, weights).hits).collect();
                    for threads in [1, 2, 5] {
                        assert_eq!(table.hits(part, &players, threads), slow, "{} {size}", model.name);
                    }
                }
            }
        }
        for model in ["chess/classic", "chess/material", "chess/material-phased", "chess/kendall-whitwell"] {
            check::<Position>(model);
        }
        check::<gamete_checkers::Position>("checkers/squares");
    }

    #[test]
    fn mates_come_first_and_ties_go_to_the_first_square() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = ModelInfo::find("chess/material").expect("a model");
        let sample = |fen: &str, mv: &str| {
            let position: Position = fen.parse().expect("a position");
            let choices = vec![position.parse_move(mv).expect("a move")];
            Sample { position, source: 1, part: Part::Train, choices, outcome: None, score: None }
        };
        let samples = [
            // Mate on the back rank, which is found, and which the second expert misses.
            sample("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra8#"),
            sample("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra7"),
            // Nothing to take: the first square decides, from and to.
            sample("6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "f3"),
            // A queen to be taken by the last move of the list.
            sample("6k1/5ppp/8/8/8/6q1/5P1P/6K1 w - - 0 1", "hxg3"),
        ];
        let manifest = Manifest {
            game: model.game,
            program: String::new(),
            files: Vec::new(),
            seed: 1,
            settings: Vec::new(),
            train: 0,
            test: 0,
        };
        let path = folder.path().join("a.corpus");
        write_corpus(&path, manifest, &samples).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        let table =
            ExpertTable::extract(corpus.samples::<Position>().expect("chess"), model, Leaf::Static, 1)
                .expect("a table");
        let defaults: Vec<f64> = model.weights.iter().map(|weight| weight.default).collect();
        let weights = whole_weights(&defaults, model.scale);
        let agreement = table.agreement(Part::Train, &weights);
        assert_eq!((agreement.positions, agreement.ties), (4, 2), "{agreement:?}");
        // Of the two without a mate, the first choice and the expert's at f2-f3 come in the order of squares.
        assert!((1.0..3.0).contains(&agreement.mean_rank), "{agreement:?}");
        assert_eq!(table.hits(Part::Train, &[weights], 1), [agreement.hits]);
    }
}
