use gamete_game::{ByColor, Color};
use gamete_stats::{CrossTable, PairResult, Pentanomial, Results, Trinomial};
use serde::Serialize;

use super::Encounter;
use crate::Termination;
use crate::task::GameOutcome;

/// What the encounters so far come to.
#[derive(Debug, Clone)]
pub struct Standings {
    has_pairs: bool,
    table: CrossTable,
    pairs: Vec<Pentanomial>,
    /// Those of the first contestant, by its colour.
    sides: ByColor<Trinomial>,
    /// By contestant, games lost by time, illegal moves, crashes and silence.
    faults: Vec<Faults>,
}

/// Games lost by something that is no part of the game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// By time.
    pub time_losses: u64,
    /// By illegal moves.
    pub illegal_moves: u64,
    /// By crashes.
    pub disconnects: u64,
    /// By not answering.
    pub stalls: u64,
}

impl Standings {
    /// Before any encounter. Pairs are counted as such where encounters are pairs.
    pub fn new(names: &[&str], has_pairs: bool) -> Self {
        Self {
            has_pairs,
            table: CrossTable::new(names.iter().copied()),
            pairs: vec![Pentanomial::default(); names.len()],
            sides: ByColor::default(),
            faults: vec![Faults::default(); names.len()],
        }
    }

    /// Counts an encounter: its games with who had White in each. What comes out is the lead of the first, in half
    /// points.
    pub fn add(&mut self, encounter: &Encounter, games: &[(usize, &GameOutcome)]) -> i64 {
        let Encounter { first, second, .. } = *encounter;
        let mut points = Vec::with_capacity(2);
        let mut games_of_first = Trinomial::default();
        for &(white, game) in games {
            let first_color = if white == first { Color::White } else { Color::Black };
            let Some(score) = game.termination.points(first_color) else { continue };
            points.push(score);
            let result = Trinomial::from(score);
            games_of_first += result;
            if first == 0 {
                self.sides[first_color] += result;
            }
            if let Some(loser) = game.termination.at_fault() {
                let loser = if loser == first_color { first } else { second };
                self.faults[loser].count(game.termination);
            }
        }
        if let (true, &[one, two]) = (self.has_pairs, points.as_slice()) {
            let pair = Pentanomial::from(PairResult([one, two]));
            self.pairs[first] += pair;
            self.pairs[second] += pair.flipped();
            self.table.record(first, second, pair);
        } else {
            self.table.record(first, second, games_of_first);
        }
        points.iter().map(|&score| 2 * i64::from(score.half_points()) - 2).sum()
    }

    /// Everybody against everybody else.
    pub fn table(&self) -> &CrossTable {
        &self.table
    }

    /// The results of the first contestant with White and with Black.
    pub fn sides(&self) -> ByColor<Trinomial> {
        self.sides
    }

    /// Games lost by something that is no part of the game, by contestant.
    pub fn faults(&self) -> &[Faults] {
        &self.faults
    }

    /// All results of a contestant.
    pub fn results(&self, contestant: usize) -> Results {
        if self.has_pairs { self.pairs[contestant].into() } else { self.table.total(contestant).into() }
    }
}

impl Faults {
    /// How many games of each kind, with the words for it.
    pub fn kinds(&self) -> [(u64, &'static str); 4] {
        [
            (self.time_losses, "lost on time"),
            (self.illegal_moves, "lost by illegal moves"),
            (self.disconnects, "lost by disconnecting"),
            (self.stalls, "lost by not answering"),
        ]
    }

    fn count(&mut self, termination: Termination) {
        use Termination::{Disconnect, IllegalMove, Stall, TimeLoss};
        match termination {
            TimeLoss { .. } => self.time_losses += 1,
            IllegalMove { .. } => self.illegal_moves += 1,
            Disconnect { .. } => self.disconnects += 1,
            Stall { .. } => self.stalls += 1,
            _ => {}
        }
    }
}
