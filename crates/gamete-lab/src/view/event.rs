use serde::Serialize;

use super::Progress;
use crate::concern::Concern;
use crate::generation::Generation;
use crate::run::Conclusion;
use crate::store::GameRecord;

/// What happens to an experiment while it runs.
///
/// When an experiment is resumed, the generations of earlier sessions are told of again, from the first on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// It has begun, or begun again.
    Started {
        /// The experiment.
        id: String,
        /// Games of the whole experiment, as far as that can be said.
        planned_games: u64,
        /// Seconds of earlier sessions.
        seconds: f64,
    },
    /// A stage of a pipeline begins, or begins again.
    Stage {
        /// Its name.
        name: String,
        /// Which it is, from 1.
        number: usize,
        /// How many there are.
        stages: usize,
        /// The names of its genes.
        genes: Vec<String>,
        /// Generations of all its runs, if none of them ends before; 0 where that cannot be said.
        planned_generations: u64,
        /// Whether it plays games.
        plays_games: bool,
    },
    /// A generation of a run is over and stored.
    Generation {
        /// The run; empty for the experiment itself.
        run: String,
        /// What happened in it.
        generation: Generation,
        /// Whether an earlier session has stored it.
        is_stored: bool,
    },
    /// A game was played that is kept.
    Game {
        /// The run.
        run: String,
        /// The game.
        game: Box<GameRecord>,
    },
    /// The games of a run tell its players hardly apart.
    Concern(Concern),
    /// How far it is, some times per second.
    Progress(Progress),
    /// It is finished.
    Finished {
        /// What came out.
        conclusion: Conclusion,
    },
    /// It ended before it was finished, stopped or by an error; the same experiment resumes.
    Stopped {
        /// Why.
        reason: String,
    },
}
