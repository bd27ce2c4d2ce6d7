//! Matches as data: who played, what came of it, and every game.

mod command;
mod configuration;
mod contestant;
mod counted;
mod export;
mod games;
mod identity;
mod journals;
mod sprt;
mod state;
#[cfg(test)]
mod tests;

use std::path::Path;

use gamete_arena::{GameName, MatchTally, MatchTerms, Ranking, Standings, Tournament, conditions};
use serde::Serialize;

use super::ViewError;
use crate::match_store::StoredMatch;
pub use command::MatchCommand;
use configuration::Configuration;
pub use contestant::ContestantView;
use counted::Counted;
pub use counted::{HistoryPoint, TerminationCount};
pub use export::MatchExport;
pub use games::MatchGame;
pub use identity::player_identity;
pub use journals::{is_store_file, match_journals};
pub use sprt::SprtView;
pub use state::MatchState;

/// All there is of a match but its games, which are asked for by themselves.
#[derive(Debug, Clone, Serialize)]
pub struct MatchView {
    /// The journal.
    pub path: String,
    /// Which game is played.
    pub game: GameName,
    /// What the tags of its games call it.
    pub event: String,
    /// Who meets whom.
    pub tournament: Tournament,
    /// Its seed.
    pub seed: u64,
    /// When it was begun, in seconds since 1970.
    pub created: u64,
    /// How long it has run, all runs of the program together.
    pub seconds: f64,
    /// How far it is.
    pub state: MatchState,
    /// Whether it came to its end.
    pub finished: bool,
    /// Games that count.
    pub games: u64,
    /// Games that are over and wait for others from their opening.
    pub kept_games: u64,
    /// Games of the whole match; nothing where its journal is of a version that did not say.
    pub planned_games: Option<u64>,
    /// Games of two contestants from one opening.
    pub games_each: u64,
    /// Where games start.
    pub openings: String,
    /// Limits and openings in a line, as in reports.
    pub conditions: String,
    /// Who plays, with what became of each.
    pub contestants: Vec<ContestantView>,
    /// By contestant and opponent, games won, drawn and lost.
    pub table: Vec<Vec<[u64; 3]>>,
    /// The names from the best on, where the tournament ranks.
    pub ranking: Option<Vec<String>>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtView>,
    /// How games ended, the most frequent first.
    pub terminations: Vec<TerminationCount>,
    /// Elo and the test as the match went on, of two contestants.
    pub history: Vec<HistoryPoint>,
    /// The words that resume it with `gamete match`, if they are known.
    pub command: Option<MatchCommand>,
    /// The configuration as the journal has it.
    #[serde(skip)]
    pub configuration: String,
    #[serde(skip)]
    tally: MatchTally,
    #[serde(skip)]
    stored: StoredMatch,
    #[serde(skip)]
    parsed: Configuration,
}

impl MatchView {
    /// Reads a match from its journal, whether or not it is being played.
    ///
    /// # Errors
    ///
    /// When the file is no journal, is damaged, or has no match yet.
    pub fn read(path: &Path) -> Result<Self, ViewError> {
        let stored = StoredMatch::read(path)?;
        let Some(head) = stored.head.clone() else {
            return Err(ViewError::NoMatch { path: path.display().to_string() });
        };
        let wrong = |error: serde_json::Error| ViewError::Configuration {
            path: path.display().to_string(),
            what: error.to_string(),
        };
        let parsed = Configuration::parse(&head.configuration).map_err(wrong)?;
        let terms = stored.settings.get(MatchTerms::SETTING).map(|text| serde_json::from_str(text));
        let terms: Option<MatchTerms> = terms.transpose().map_err(wrong)?;
        let counted = Counted::new(&parsed, terms.as_ref(), head.seed, &stored.games);
        let tally = counted.tally;
        let standings = tally.standings();
        let progress = tally.progress();
        let planned_games = terms.as_ref().map(|_| progress.expected_games.max(progress.games));
        let finished = terms.is_some() && progress.is_last;
        let openings = match &terms {
            Some(terms) => terms.openings.clone(),
            None => parsed.openings.clone().unwrap_or_else(|| "the start position".to_owned()),
        };
        let name = |index: usize| parsed.contestants[index].name.clone();
        let count = parsed.contestants.len();
        let games = |one: usize, other: usize| {
            let games = standings.table().games(one, other);
            [games.wins, games.draws, games.losses]
        };
        let command =
            stored.settings.get(MatchCommand::SETTING).and_then(|text| serde_json::from_str(text).ok());
        Ok(Self {
            path: path.display().to_string(),
            game: parsed.game,
            event: parsed.event.clone(),
            tournament: parsed.tournament,
            seed: head.seed,
            created: stored.created,
            seconds: stored.seconds,
            state: MatchState { finished, games: progress.games, planned: planned_games },
            finished,
            games: progress.games,
            kept_games: counted.kept_games,
            planned_games,
            games_each: parsed.games,
            conditions: conditions(&parsed.contestants, &openings),
            openings,
            contestants: ContestantView::all(&parsed.contestants, standings),
            table: (0..count).map(|one| (0..count).map(|other| games(one, other)).collect()).collect(),
            ranking: tally.ranking().map(|ranking| ranking.best_first.into_iter().map(name).collect()),
            sprt: tally.rules().sprt.as_ref().map(|sprt| SprtView::new(sprt, &standings.results(0))),
            terminations: counted.terminations,
            history: counted.history,
            command,
            configuration: head.configuration,
            tally,
            stored,
            parsed,
        })
    }

    /// What the encounters come to.
    pub fn standings(&self) -> &Standings {
        self.tally.standings()
    }

    /// The ranking, where the tournament ranks and is over.
    pub fn final_ranking(&self) -> Option<Ranking> {
        self.tally.ranking()
    }

    /// Who plays, in a line: `A vs B`, or a list.
    pub fn players(&self) -> String {
        let names: Vec<&str> = self.contestants.iter().map(|one| one.name.as_str()).collect();
        match names.as_slice() {
            [first, second] => format!("{first} vs {second}"),
            names => names.join(", "),
        }
    }

    /// The name of the journal without its folder.
    pub fn name(&self) -> String {
        let name = self.stored.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Whether pairs of games with colours swapped are counted.
    pub fn has_pairs(&self) -> bool {
        self.tally.rules().has_pairs()
    }
}
