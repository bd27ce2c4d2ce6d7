use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use gamete_arena::{ModelInfo, Playable, Player};
use gamete_game::Outcome;

use crate::bytes::{Reader, put};
use crate::cache::Cache;
use crate::extract::{ExtractError, Leaf, extract, features_for};
use crate::features::{FeatureMatrix, Number, Rows, SINGLE, Weights};
use crate::lookahead::{Lookahead, quiet_leaf};
use crate::own_search::OwnSearch;
use crate::{Lesson, Part, Sample, Samples};

/// What experts could have played: the features of every position that a legal move leads to, for players to be compared
/// with the experts without searching.
///
/// A player looks one ply ahead: it plays each legal move and evaluates what comes of it, at once or after the captures that
/// pay ([`Leaf`]). Checkmate is better than anything, a draw is worth 0, and of equally good moves the first is chosen, in the
/// order of their squares.
#[derive(Debug)]
pub struct ExpertTable {
    divisor: i32,
    train: Positions,
    test: Positions,
}

/// The positions of a part.
#[derive(Debug, PartialEq)]
struct Positions {
    /// From the point of view of who moved, as a draw has it: a row of zeros where the game is drawn.
    features: FeatureMatrix,
    /// By row, whether it is the expert's move.
    chosen: Vec<bool>,
    /// By row, the place of its move among [`ordered_moves`].
    places: Vec<u16>,
    /// The rows of each position.
    rows: Vec<Range<usize>>,
    /// Positions that have no rows, as a move mates: how many there are, and in how many the expert gave that mate.
    mates: u32,
    mates_given: u32,
}

impl Positions {
    fn len(&self) -> u32 {
        self.rows.len() as u32 + self.mates
    }

    /// The positions of a part of a corpus, as they were kept or as they are.
    fn load<G: Playable>(
        samples: Samples<'_, G>,
        part: Part,
        model: &'static ModelInfo,
        leaf: Leaf,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Self, ExtractError> {
        let cache = Cache::find(samples, part, model, leaf, "experts")?;
        if let Some(kept) = cache.as_ref().and_then(|cache| cache.load(Self::read)) {
            return Ok(kept);
        }
        let positions = Self::extract(samples, part, model, threads, stop, |sample, rows| {
            extract_moves(sample, model, rows, &mut |position| leaf.look(position))
        })?;
        if let Some(cache) = cache {
            cache.store(&positions.to_bytes());
        }
        Ok(positions)
    }

    fn extract<G: Playable>(
        samples: Samples<'_, G>,
        part: Part,
        model: &'static ModelInfo,
        threads: usize,
        stop: &AtomicBool,
        of_sample: impl Fn(&Sample<G>, &mut Rows) -> Result<Moves, ExtractError> + Sync,
    ) -> Result<Self, ExtractError> {
        let (features, moves) = extract(samples, part, model.weights.len(), threads, stop, of_sample)?;
        let given = moves.iter().filter_map(|moves| moves.mate);
        let (mates, mates_given) =
            (given.clone().count() as u32, given.filter(|&given| given).count() as u32);
        let counts = moves.iter().filter(|moves| moves.mate.is_none()).map(|moves| moves.chosen.len());
        let rows = ranges(counts);
        let chosen = moves.iter().flat_map(|moves| &moves.chosen).copied().collect();
        let places = moves.iter().flat_map(|moves| &moves.places).copied().collect();
        Ok(Self { features, chosen, places, rows, mates, mates_given })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, &[self.mates, self.mates_given]);
        put(&mut bytes, &self.rows.iter().map(|rows| rows.len() as u32).collect::<Vec<_>>());
        put(&mut bytes, &self.chosen.iter().map(|&chosen| chosen.into()).collect::<Vec<u8>>());
        put(&mut bytes, &self.places);
        self.features.write(&mut bytes);
        bytes
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let [mates, mates_given]: [u32; 2] = reader.take()?.try_into().ok()?;
        let rows = ranges(reader.take::<u32>()?.into_iter().map(|count| count as usize));
        let chosen: Vec<bool> = reader.take::<u8>()?.into_iter().map(|chosen| chosen != 0).collect();
        let places: Vec<u16> = reader.take()?;
        let features = FeatureMatrix::read(reader)?;
        let lengths = [rows.last().map_or(0, |last| last.end), chosen.len(), places.len()];
        let fits = lengths.iter().all(|&length| length == features.rows());
        fits.then_some(Self { features, chosen, places, rows, mates, mates_given })
    }
}

/// Ranges of these lengths, one behind the other.
fn ranges(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |length| {
        let start = end;
        end += length;
        start..end
    };
    lengths.map(range).collect()
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

/// The moves of a sample.
struct Moves {
    /// By row, whether it is the expert's move; none where a move mates.
    chosen: Vec<bool>,
    /// By row, the place of its move among all.
    places: Vec<u16>,
    /// Where a move mates: whether the first such move is the expert's.
    mate: Option<bool>,
}

impl ExpertTable {
    /// The features of a corpus under a model, which are kept beside it. They are extracted on so many threads where they are
    /// not there, or no longer right.
    ///
    /// # Errors
    ///
    /// When the model is of another game, the corpus is damaged, or `stop` is set.
    pub fn extract<G: Playable>(
        samples: Samples<'_, G>,
        model: &'static ModelInfo,
        leaf: Leaf,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Self, ExtractError> {
        Lesson::Moves.check(samples)?;
        let load = |part| Positions::load(samples, part, model, leaf, threads, stop);
        Ok(Self { divisor: model.divisor, train: load(Part::Train)?, test: load(Part::Test)? })
    }

    /// The features of a corpus where searches of a player lead, to so many plies after each move and by its own evaluation. They are
    /// right for its weights, and for others as far as these would search alike; nothing is kept beside the corpus.
    ///
    /// # Errors
    ///
    /// When the player is of another game, the corpus is damaged, or `stop` is set.
    pub fn searched<G: Playable>(
        samples: Samples<'_, G>,
        player: &Player,
        plies: u32,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Self, ExtractError> {
        Lesson::Moves.check(samples)?;
        let (model, search) = (player.model(), OwnSearch::new(player, plies, stop));
        let extract = |part| {
            Positions::extract(samples, part, model, threads, stop, |sample, rows| {
                search.with(|look| extract_moves(sample, model, rows, look))
            })
        };
        Ok(Self { divisor: model.divisor, train: extract(Part::Train)?, test: extract(Part::Test)? })
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
        self.train.features.columns()
    }

    /// The features of a row.
    pub(crate) fn row(&self, row: usize) -> Vec<i32> {
        self.train.features.row(row)
    }

    /// Which of some rows are moves of the expert.
    pub(crate) fn chosen(&self, rows: &Range<usize>) -> &[bool] {
        &self.train.chosen[rows.clone()]
    }

    /// A table to learn from with so many moves in each position.
    #[cfg(test)]
    pub(crate) fn of(columns: usize, values: &[i32], chosen: Vec<bool>, moves: usize) -> Self {
        let mut rows = Rows::default();
        values.chunks_exact(columns).for_each(|row| rows.push(row.iter().copied()));
        let of = |rows: &Rows, chosen: Vec<bool>| Positions {
            features: FeatureMatrix::new(columns, rows),
            rows: ranges(std::iter::repeat_n(moves, chosen.len() / moves)),
            places: (0..chosen.len()).map(|row| (row % moves) as u16).collect(),
            chosen,
            mates: 0,
            mates_given: 0,
        };
        Self { divisor: 1, train: of(&rows, chosen), test: of(&Rows::default(), Vec::new()) }
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
        let part = self.part(part);
        let bound = players.iter().map(|weights| part.features.bound(weights)).fold(0.0, f64::max);
        if bound < SINGLE {
            self.hits_in::<f32>(part, players, threads)
        } else {
            self.hits_in::<f64>(part, players, threads)
        }
    }

    fn hits_in<T: Number>(&self, part: &Positions, players: &[Vec<i32>], threads: usize) -> Vec<u32> {
        let (weights, count) = (part.features.arrange(players), players.len());
        let blocks: Vec<&[Range<usize>]> = part.rows.chunks(BLOCK).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut hits = vec![0; count];
            let mut scratch = Scratch::<T>::default();
            while let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.judge(part, block, &weights, &mut scratch, &mut hits);
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
        part: &Positions,
        block: &[Range<usize>],
        weights: &Weights<T>,
        scratch: &mut Scratch<T>,
        hits: &mut [u32],
    ) {
        let (Some(first), Some(last)) = (block.first(), block.last()) else { return };
        let (rows, count) = (first.start..last.end, hits.len());
        let Scratch { features, scores, best, hit } = scratch;
        part.features.multiply(rows.clone(), weights, features, scores);
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
                let chosen = u32::from(part.chosen[row]);
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
            let scores: Vec<i64> = rows.clone().map(|row| self.score(part, row, weights)).collect();
            let best = scores.iter().copied().max().unwrap_or(0);
            let first = scores.iter().position(|&score| score == best).unwrap_or(0);
            hits += u32::from(part.chosen[rows.start + first]);
            ties += u32::from(scores.iter().filter(|&&score| score == best).count() > 1);
            let rank = |row: usize| {
                let own = scores[row];
                let before = scores[..row].iter().filter(|&&score| score >= own).count();
                before + scores[row..].iter().filter(|&&score| score > own).count() + 1
            };
            let experts = (0..scores.len()).filter(|row| part.chosen[rows.start + row]);
            ranks += experts.map(rank).min().unwrap_or(scores.len());
        }
        let mean_rank = ranks as f64 / part.rows.len().max(1) as f64;
        Agreement { positions: part.len(), hits, ties, mean_rank }
    }

    /// The place of the move that a player chooses in each position of a part, those in which a move mates left out: among
    /// [`ordered_moves`].
    pub(crate) fn choices(&self, part: Part, weights: &[i32]) -> Vec<usize> {
        let part = self.part(part);
        let choice = |rows: &Range<usize>| {
            let scores = rows.clone().map(|row| self.score(part, row, weights)).enumerate();
            let best = scores.reduce(|best, other| if other.1 > best.1 { other } else { best });
            best.map_or(0, |(place, _)| part.places[rows.start + place].into())
        };
        part.rows.iter().map(choice).collect()
    }

    fn score(&self, part: &Positions, row: usize, weights: &[i32]) -> i64 {
        part.features.product(row, weights) / i64::from(self.divisor)
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

/// Legal moves in the order of their squares, in which the first of equally good ones is chosen.
pub(crate) fn ordered_moves<G: Playable>(position: &G) -> Vec<G::Move> {
    let mut moves = position.moves();
    moves.sort_by_cached_key(|&mv| position.divide_text(mv, true));
    moves
}

/// Adds a row for each move of a sample that there is to choose from, with the features of the position that `look` finds after it.
fn extract_moves<G: Playable>(
    sample: &Sample<G>,
    model: &'static ModelInfo,
    rows: &mut Rows,
    look: &mut dyn FnMut(&G) -> Lookahead<G>,
) -> Result<Moves, ExtractError> {
    let position = &sample.position;
    let mover = position.turn();
    let mut moves = Moves { chosen: Vec::new(), places: Vec::new(), mate: None };
    // What there is to choose from: the quickest wins by force, or else the moves that do not lose by force, or else all.
    let mut candidates: Vec<(Promise, u16, Option<G>, bool)> = Vec::new();
    for (place, mv) in (0..).zip(ordered_moves(position)) {
        let mut next = position.clone();
        next.play(mv);
        let is_chosen = sample.choices.contains(&mv);
        let ending = next.ending().map(|ending| ending.outcome);
        if ending == Some(Outcome::Win(mover)) {
            moves.mate = Some(is_chosen);
            return Ok(moves);
        }
        let (promise, evaluated) = match look(&next) {
            // A draw, in which no feature counts.
            _ if ending.is_some() => (Promise::Open, None),
            Lookahead::Leaf(leaf) => (Promise::Open, Some(leaf)),
            Lookahead::Wins => (Promise::Lost, Some(quiet_leaf(&next))),
            Lookahead::Loses(plies) => (Promise::Won(Reverse(plies)), Some(quiet_leaf(&next))),
        };
        candidates.push((promise, place, evaluated, is_chosen));
    }
    let best = candidates.iter().map(|(promise, ..)| *promise).max();
    for (_, place, evaluated, is_chosen) in
        candidates.into_iter().filter(|(promise, ..)| Some(*promise) == best)
    {
        match evaluated {
            None => rows.push(std::iter::empty()),
            Some(position) => rows.push(features_for(&position, mover, model)?),
        }
        moves.places.push(place);
        moves.chosen.push(is_chosen);
    }
    Ok(moves)
}

/// What a move comes to by force, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Promise {
    Lost,
    Open,
    /// Won in so many plies.
    Won(Reverse<u32>),
}

#[cfg(test)]
mod tests {
    use gamete_arena::Rng;
    use gamete_chess::Position;
    use gamete_game::{Game, whole_weights};

    use super::*;
    use crate::testing::{manifest, random_corpus};
    use crate::{Corpus, write_corpus};

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
            let corpus = random_corpus::<G>(folder.path(), 300, 1);
            let samples = corpus.samples::<G>().expect("samples");
            let table = ExpertTable::extract(samples, model, Leaf::Quiet, 2, &AtomicBool::new(false))
                .expect("a table");
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
        for model in [
            "chess/classic",
            "chess/material",
            "chess/material-phased",
            "chess/kendall-whitwell",
            "chess/tapered",
        ] {
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
        let path = folder.path().join("a.corpus");
        write_corpus(&path, manifest::<Position>(), &samples).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        let table = ExpertTable::extract(
            corpus.samples::<Position>().expect("chess"),
            model,
            Leaf::Static,
            1,
            &AtomicBool::new(false),
        )
        .expect("a table");
        let defaults: Vec<f64> = model.weights.iter().map(|weight| weight.default).collect();
        let weights = whole_weights(&defaults, model.scale);
        let agreement = table.agreement(Part::Train, &weights);
        assert_eq!((agreement.positions, agreement.ties), (4, 2), "{agreement:?}");
        // Of the two without a mate, the first choice and the expert's at f2-f3 come in the order of squares.
        assert!((1.0..3.0).contains(&agreement.mean_rank), "{agreement:?}");
        assert_eq!(table.hits(Part::Train, &[weights], 1), [agreement.hits]);
    }

    #[test]
    fn a_search_leaves_the_quickest_wins_to_choose_from_or_what_does_not_lose() {
        let model = ModelInfo::find("chess/material").expect("a model");
        let choices = |fen: &str, leaf: Leaf| {
            let position: Position = fen.parse().expect("a position");
            let choices = vec![position.moves()[0]];
            let sample =
                Sample { position, source: 1, part: Part::Train, choices, outcome: None, score: None };
            let legal = ordered_moves(&sample.position);
            let moves =
                extract_moves(&sample, model, &mut Rows::default(), &mut |position| leaf.look(position))
                    .expect("features");
            let text = |place: u16| sample.position.move_text(legal[usize::from(place)]);
            moves.places.into_iter().map(text).collect::<Vec<String>>()
        };
        // Two rooks mate in two, either first.
        let rooks = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
        assert_eq!(choices(rooks, Leaf::Search(2)), ["Ra7", "Rb7"]);
        assert_eq!(choices(rooks, Leaf::Search(1)).len(), choices(rooks, Leaf::Static).len());
        // A rook that leaves the back rank lets in a mate of three plies.
        let guard = "6k1/5pp1/7p/8/8/8/r4PPP/1R4K1 w - - 0 1";
        let safe = choices(guard, Leaf::Search(3));
        assert!(safe.contains(&"Rd1".to_owned()) && !safe.contains(&"Rb3".to_owned()), "{safe:?}");
    }

    #[test]
    fn what_a_player_searches_is_the_same_on_any_number_of_threads() {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = random_corpus::<Position>(folder.path(), 40, 3);
        let samples = || corpus.samples::<Position>().expect("samples");
        let model = ModelInfo::find("chess/material").expect("a model");
        let player = Player::new(model);
        let searched = |threads| {
            ExpertTable::searched(samples(), &player, 2, threads, &AtomicBool::new(false)).expect("a table")
        };
        let (one, two) = (searched(1), searched(2));
        assert_eq!((&one.train, &one.test), (&two.train, &two.test));
        let quiet = ExpertTable::extract(samples(), model, Leaf::Quiet, 1, &AtomicBool::new(false));
        assert_ne!(one.train, quiet.expect("a table").train);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is kept");
    }

    #[test]
    fn positions_are_kept_beside_the_corpus_and_made_again_when_they_are_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = ModelInfo::find("chess/classic").expect("a model");
        let corpus = random_corpus::<Position>(folder.path(), 2_100, 1);
        let load = || {
            let samples = corpus.samples::<Position>().expect("samples");
            Positions::load(samples, Part::Train, model, Leaf::Static, 2, &AtomicBool::new(false))
                .expect("positions")
        };
        let first = load();
        assert_eq!(Positions::read(&mut Reader::new(&first.to_bytes())).as_ref(), Some(&first));
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").path();
        let is_kept = |path: &std::path::PathBuf| path.to_string_lossy().contains("a.corpus.features-");
        let kept: Vec<_> = folder.path().read_dir().expect("a folder").map(name).filter(is_kept).collect();
        assert_eq!(kept.len(), 1, "of the part that was asked for");
        assert_eq!(load(), first);
        let bytes = std::fs::read(&kept[0]).expect("features");
        std::fs::write(&kept[0], &bytes[..bytes.len() / 2]).expect("written");
        assert_eq!(load(), first);
        assert_eq!(std::fs::read(&kept[0]).expect("features"), bytes, "made again");
    }
}
