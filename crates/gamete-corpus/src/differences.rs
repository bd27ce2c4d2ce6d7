use std::collections::BTreeMap;

use gamete_arena::Playable;
use gamete_game::{MoveKind, Outcome};
use serde::{Deserialize, Serialize};

use crate::experts::ordered_moves;
use crate::{CorpusError, ExpertTable, Part, Sample, Samples};

/// On which moves a player differs from the experts of a part of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differences {
    /// Positions that were compared.
    pub positions: u32,
    /// Positions in which the player chose the expert's move.
    pub hits: u32,
    /// The same positions by what the expert's move does, by whether it gives check, and by the piece that it moves.
    pub by: Vec<DifferencesBy>,
}

/// Differences by one property of moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferencesBy {
    /// The property, as in `piece`.
    pub property: String,
    /// The kinds of the experts' moves, the most frequent first.
    pub kinds: Vec<KindDifferences>,
}

/// The positions in which experts play moves of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindDifferences {
    /// The kind, as in `knight`.
    pub kind: String,
    /// How many there are.
    pub positions: u32,
    /// Positions in which the player chose the expert's move.
    pub hits: u32,
    /// What the player chose in the others, by kind, the most frequent first.
    pub instead: Vec<(String, u32)>,
}

/// Compares the choices of a player with the experts' in a part of the corpus that a table was extracted from. The player is
/// given by its weights as they are multiplied.
///
/// # Errors
///
/// When the corpus is damaged.
pub fn differences<G: Playable>(
    table: &ExpertTable,
    samples: Samples<'_, G>,
    part: Part,
    weights: &[i32],
) -> Result<Differences, CorpusError> {
    let mut choices = table.choices(part, weights).into_iter();
    count(samples, part, |sample| first_mate_or(sample, || choices.next()))
}

/// Compares moves that a player chose in all positions of a part with the experts'.
///
/// # Errors
///
/// When the corpus is damaged.
pub fn differences_of_moves<G: Playable>(
    moves: impl IntoIterator<Item = G::Move>,
    samples: Samples<'_, G>,
    part: Part,
) -> Result<Differences, CorpusError> {
    let mut moves = moves.into_iter();
    count(samples, part, |_| moves.next())
}

/// Counts where the move that `choice` gives for a sample differs from the experts'.
fn count<G: Playable>(
    samples: Samples<'_, G>,
    part: Part,
    mut choice: impl FnMut(&Sample<G>) -> Option<G::Move>,
) -> Result<Differences, CorpusError> {
    let mut counted = [(); PROPERTIES.len()].map(|()| BTreeMap::new());
    let mut found = Differences { positions: 0, hits: 0, by: Vec::new() };
    for sample in samples.iter() {
        let sample = sample?;
        if sample.part != part {
            continue;
        }
        let Some(player) = choice(&sample) else { continue };
        let Some(expert) = expert(&sample, player) else { continue };
        let is_hit = expert == player;
        found.positions += 1;
        found.hits += u32::from(is_hit);
        let [expert, player] = [expert, player].map(|mv| sample.position.move_kind(mv));
        for ((_, of), counted) in PROPERTIES.iter().zip(&mut counted) {
            let counts: &mut Counts = counted.entry(of(expert)).or_default();
            counts.hits += u32::from(is_hit);
            if !is_hit {
                *counts.instead.entry(of(player)).or_default() += 1;
            }
        }
    }
    let by = PROPERTIES.iter().zip(counted).map(|((property, _), counted)| DifferencesBy {
        property: (*property).to_owned(),
        kinds: kinds(counted),
    });
    Ok(Differences { by: by.collect(), ..found })
}

/// A property of moves: its name, and what it is of a move.
type Property = (&'static str, fn(MoveKind) -> &'static str);

/// What moves are told apart by.
const PROPERTIES: [Property; 3] = [
    ("action", |kind| kind.action),
    ("check", |kind| if kind.gives_check { "check" } else { "no check" }),
    ("piece", |kind| kind.piece),
];

#[derive(Default)]
struct Counts {
    hits: u32,
    instead: BTreeMap<&'static str, u32>,
}

/// The first move that mates, or `choice` among all in their order.
fn first_mate_or<G: Playable>(sample: &Sample<G>, choice: impl FnOnce() -> Option<usize>) -> Option<G::Move> {
    let position = &sample.position;
    let mates = |mv: &G::Move| {
        let mut next = position.clone();
        next.play(*mv);
        next.ending().map(|ending| ending.outcome) == Some(Outcome::Win(position.turn()))
    };
    let legal = ordered_moves(position);
    match legal.iter().find(|mv| mates(mv)) {
        Some(&mate) => Some(mate),
        None => legal.get(choice()?).copied(),
    }
}

/// The expert's move: of several the one that the player chose, or the first.
fn expert<G: Playable>(sample: &Sample<G>, player: G::Move) -> Option<G::Move> {
    if sample.choices.contains(&player) { Some(player) } else { sample.choices.first().copied() }
}

/// Kinds by how frequent they are, as pages and lists have them.
fn kinds(counted: BTreeMap<&'static str, Counts>) -> Vec<KindDifferences> {
    let mut kinds: Vec<KindDifferences> = counted
        .into_iter()
        .map(|(kind, Counts { hits, instead })| {
            let mut instead: Vec<_> =
                instead.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect();
            instead.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let missed: u32 = instead.iter().map(|(_, count)| count).sum();
            KindDifferences { kind: kind.to_owned(), positions: hits + missed, hits, instead }
        })
        .collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.positions));
    kinds
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use gamete_arena::ModelInfo;
    use gamete_chess::Position;
    use gamete_game::{Game, whole_weights};

    use super::*;
    use crate::testing::manifest;
    use crate::{Corpus, Leaf, write_corpus};

    /// A position, and what the expert plays there.
    const EXPERTS: [(&str, &str); 4] = [
        // A queen hangs, and is taken or not.
        ("6k1/8/8/3q4/4P3/8/8/6K1 w - - 0 1", "exd5"),
        ("6k1/8/8/3q4/4P3/8/8/6K1 w - - 0 1", "Kf2"),
        // There is a mate, and it is given or not.
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra7"),
    ];

    #[test]
    fn moves_are_counted_by_what_experts_and_players_do() {
        let sample = |(number, (fen, san)): (usize, &(&str, &str))| {
            let position: Position = fen.parse().expect("a position");
            let choices = vec![position.parse_move(san).expect("a legal move")];
            Sample { position, source: number as u32, part: Part::Test, choices, outcome: None, score: None }
        };
        let mut samples: Vec<Sample<Position>> = EXPERTS.iter().enumerate().map(sample).collect();
        samples.push(Sample { part: Part::Train, ..samples[1].clone() });
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.corpus");
        write_corpus(&path, manifest::<Position>(), &samples).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        let model = ModelInfo::find("chess/material").expect("a model");
        let samples = || corpus.samples::<Position>().expect("chess");
        let table = ExpertTable::extract(samples(), model, Leaf::Static, 1, &AtomicBool::new(false))
            .expect("a table");
        let defaults: Vec<f64> = model.weights.iter().map(|weight| weight.default).collect();
        let weights = whole_weights(&defaults, model.scale);
        let found = differences(&table, samples(), Part::Test, &weights).expect("differences");
        assert_eq!((found.positions, found.hits), (4, 2));
        assert_eq!(found.hits, table.agreement(Part::Test, &weights).hits);
        let kind = |property: &str, kind: &str| {
            let by = found.by.iter().find(|by| by.property == property).expect("a property");
            let found = by.kinds.iter().find(|found| found.kind == kind).expect("a kind");
            (found.positions, found.hits, found.instead.clone())
        };
        let one = |kind: &str| vec![(kind.to_owned(), 1)];
        assert_eq!(kind("action", "capture"), (1, 1, Vec::new()));
        assert_eq!(
            kind("action", "quiet move"),
            (3, 1, vec![("capture".to_owned(), 1), ("quiet move".to_owned(), 1)])
        );
        assert_eq!(kind("check", "check"), (1, 1, Vec::new()));
        assert_eq!(kind("check", "no check").2, vec![("check".to_owned(), 1), ("no check".to_owned(), 1)]);
        assert_eq!(kind("piece", "king"), (1, 0, one("pawn")));
        assert_eq!(kind("piece", "rook"), (2, 1, one("rook")));
    }
}
