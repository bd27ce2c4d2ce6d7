use gamete_arena::uci::{EngineCatalog, EngineSpec};
use gamete_arena::{
    Adjudication, GameLabels, GameOutcome, GameTask, JournalGame, OpeningText, Playable, TaskError,
    transcript,
};
use gamete_game::{Transcript, result_text};
use serde::Serialize;

use super::MatchView;
use crate::store::GameRecord;

/// A game of a match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchGame {
    /// Which game of the match, from 1.
    pub number: u64,
    /// Its encounter, from 1, which is the `Round` tag of game files.
    pub round: u64,
    /// Who had White, if that is known.
    pub white: String,
    /// Who had Black.
    pub black: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'static str,
    /// How it ended, in the words of fastchess.
    pub termination: String,
    /// Where it started; nothing in journals of version 0.1, which did not keep it.
    pub opening: Option<OpeningText>,
    /// What was played.
    pub outcome: GameOutcome,
}

impl MatchView {
    /// Every game that is over, in order, those too that wait for others from their opening. In a tournament that ranks, those
    /// are left out whose players are not known yet.
    pub fn match_games(&self) -> Vec<MatchGame> {
        let tally = &self.tally;
        let game = |game: &JournalGame| {
            let number = game.number / self.parsed.games;
            if number >= tally.schedule().len() {
                return None;
            }
            let sides = tally.rules().sides(&tally.schedule().encounter(number));
            let (white, black) = sides[(game.number % self.parsed.games) as usize];
            let name = |index: usize| self.parsed.contestants[index].name.clone();
            Some(MatchGame {
                number: game.number + 1,
                round: number + 1,
                white: name(white),
                black: name(black),
                result: result_text(game.outcome.outcome()),
                termination: game.outcome.termination.to_string(),
                opening: game.opening.clone(),
                outcome: game.outcome.clone(),
            })
        };
        self.stored.games.iter().filter_map(game).collect()
    }

    /// The games whose openings are known as records, which can be replayed.
    pub fn records(&self) -> Vec<(MatchGame, GameRecord)> {
        let record = |game: MatchGame| {
            let opening = game.opening.clone()?;
            let record = GameRecord {
                generation: 0,
                game: self.game,
                white: game.white.clone(),
                black: game.black.clone(),
                start: opening.start,
                moves: opening.book.into_iter().chain(game.outcome.moves.iter().cloned()).collect(),
                termination: game.outcome.termination,
            };
            Some((game, record))
        };
        self.match_games().into_iter().filter_map(record).collect()
    }

    /// A game as a file tells it, with what its players said of their moves; nothing where its opening is not known.
    ///
    /// # Errors
    ///
    /// When its moves do not fit its opening.
    pub fn transcript<G: Playable>(&self, game: &MatchGame) -> Result<Option<Transcript<G>>, TaskError> {
        let Some(OpeningText { start, book }) = game.opening.clone() else { return Ok(None) };
        let contestant = |name: &str| {
            let found = self.parsed.contestants.iter().find(|one| one.name == name)?.clone();
            let engine = |spec: EngineSpec| EngineCatalog::default().add(name, spec, None);
            Some(found.map_engine(engine))
        };
        let (Some(white), Some(black)) = (contestant(&game.white), contestant(&game.black)) else {
            return Ok(None);
        };
        let adjudication = Adjudication::default();
        let (seed, details) = (0, false);
        let task = GameTask { game: self.game, start, book, white, black, adjudication, seed, details };
        let labels = GameLabels { event: &self.parsed.event, site: &self.parsed.site, round: game.round };
        transcript(&task, &game.outcome, &labels).map(Some)
    }
}
