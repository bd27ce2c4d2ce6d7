use gamete_arena::{EncounterGames, GameOutcome, InOrder, JournalGame, MatchTally, MatchTerms};
use gamete_game::{Color, Outcome};
use serde::Serialize;

use super::Configuration;

/// So many points of a curve are enough for any chart.
const MAX_POINTS: u64 = 200;

/// The games of a match, counted as the runner counts them.
pub(super) struct Counted {
    pub tally: MatchTally,
    pub kept_games: u64,
    pub terminations: Vec<TerminationCount>,
    pub history: Vec<HistoryPoint>,
}

/// How many games ended in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TerminationCount {
    /// In the words of fastchess.
    pub termination: String,
    /// How many.
    pub games: u64,
    /// How many of them each contestant won.
    pub won_by: Vec<u64>,
}

/// A match at one moment of its way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HistoryPoint {
    /// Games that counted by then.
    pub games: u64,
    /// Elo of the first contestant.
    pub elo: f64,
    /// The lower end of its 95 % interval.
    pub elo_low: f64,
    /// The upper end.
    pub elo_high: f64,
    /// What the sequential test had, if there is one.
    pub llr: Option<f64>,
}

impl Counted {
    pub fn new(
        configuration: &Configuration,
        terms: Option<&MatchTerms>,
        seed: u64,
        games: &[JournalGame],
    ) -> Self {
        let mut known = EncounterGames::new(configuration.games);
        games.iter().for_each(|game| known.insert(game.number, game.outcome.clone()));
        let (mut waiting, mut kept_games, mut complete) = (InOrder::default(), 0, 0);
        for (number, games) in known.into_encounters() {
            if games.iter().all(Option::is_some) {
                waiting.insert(number, games.into_iter().flatten().collect::<Vec<GameOutcome>>());
                complete = number + 1;
            } else {
                kept_games += games.iter().flatten().count() as u64;
            }
        }
        let names: Vec<_> = configuration.contestants.iter().map(|one| one.name.as_str()).collect();
        let tally = MatchTally::new(configuration.rules(terms, seed, complete), &names);
        let mut counted = Self { tally, kept_games, terminations: Vec::new(), history: Vec::new() };
        let step = complete.div_ceil(MAX_POINTS).max(1);
        while !counted.tally.is_decided()
            && let Some((number, games)) = waiting.pop()
        {
            counted.count(number, &games, step);
        }
        if counted.tally.rules().counts_out_of_turn() {
            for (number, games) in waiting.drain() {
                counted.count(number, &games, step);
            }
        }
        counted.terminations.sort_by(|one, other| {
            other.games.cmp(&one.games).then_with(|| one.termination.cmp(&other.termination))
        });
        counted
    }

    fn count_ending(&mut self, words: &str, winner: Option<usize>) {
        // By how much somebody was late does not matter here.
        let words = words.split(" (").next().unwrap_or_default();
        let place = self.terminations.iter().position(|one| one.termination == words).unwrap_or_else(|| {
            let won_by = vec![0; self.tally.standings().faults().len()];
            self.terminations.push(TerminationCount { termination: words.to_owned(), games: 0, won_by });
            self.terminations.len() - 1
        });
        self.terminations[place].games += 1;
        if let Some(winner) = winner {
            self.terminations[place].won_by[winner] += 1;
        }
    }

    fn count(&mut self, number: u64, games: &[GameOutcome], step: u64) {
        // A match may be resumed with fewer rounds than it has.
        if number >= self.tally.schedule().len() {
            return;
        }
        let encounter = self.tally.count(number, games);
        for (game, (white, black)) in games.iter().zip(self.tally.rules().sides(&encounter)) {
            let winner = game.outcome().and_then(Outcome::winner).map(|color| match color {
                Color::White => white,
                Color::Black => black,
            });
            self.count_ending(&game.termination.to_string(), winner);
        }
        let progress = self.tally.progress();
        if self.tally.standings().faults().len() == 2
            && (progress.encounters.is_multiple_of(step) || progress.is_last)
        {
            let results = self.tally.standings().results(0);
            let interval = results.elo_interval();
            self.history.push(HistoryPoint {
                games: progress.games,
                elo: results.elo().value,
                elo_low: interval.low,
                elo_high: interval.high,
                llr: self.tally.rules().sprt.map(|sprt| sprt.llr(&results)),
            });
        }
    }
}
