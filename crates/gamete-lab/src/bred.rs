//! Players that experiments have bred, by their names.

use gamete_arena::{Limits, ModelInfo, Player};

use crate::breed::Breed;
use crate::part::Part;
use crate::store::{Store, StoreError};
use crate::stored::Damaged;
use crate::view::EngineView;

/// A player bred in the lab, and how it was bred to play.
#[derive(Debug, Clone)]
pub struct Bred {
    /// The player.
    pub player: Player,
    /// What the experiment let its players think.
    pub limits: Limits,
    /// What all players of the experiment have in common.
    pub breed: Breed,
}

/// Why there is no such player.
#[derive(Debug, thiserror::Error)]
pub enum BredError {
    /// The lab cannot be read, or has no such experiment.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is stored makes no sense.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// Behind the @ is no number.
    #[error("{text}: {number:?} is no generation, nor an individual of one as in 3#1")]
    NotAGeneration {
        /// What was asked for.
        text: String,
        /// What is behind the @.
        number: String,
    },
    /// A pipeline has no generations itself.
    #[error("{id} is a pipeline; name one of its stages, as in {example}")]
    Pipeline {
        /// The pipeline.
        id: String,
        /// Its first stage.
        example: String,
    },
    /// There is no such stage.
    #[error("{id} has no stage {stage:?}, but {names}")]
    NoStage {
        /// The pipeline.
        id: String,
        /// What was asked for.
        stage: String,
        /// The stages there are.
        names: String,
    },
    /// The pipeline has not come so far.
    #[error("stage {stage} of {id} has not begun")]
    StageNotBegun {
        /// The pipeline.
        id: String,
        /// The stage.
        stage: String,
    },
    /// It breeds no players.
    #[error(
        "{id}: what it breeds are {what}, not players; `gamete show {id}` shows the champion, and `gamete export {id} --json` has all"
    )]
    NoPlayers {
        /// The experiment.
        id: String,
        /// What it breeds.
        what: &'static str,
    },
    /// It is another program, which plays in matches.
    #[error("{text}: it tunes options of an engine, not a player of Gamete; to let it play: {command}")]
    Engine {
        /// What was asked for.
        text: String,
        /// A match of the engine with these options.
        command: String,
    },
    /// A run of an experiment that has no runs to choose from.
    #[error("{id} has one run only; leave out {run:?}")]
    OneRun {
        /// The experiment.
        id: String,
        /// What was asked for.
        run: String,
    },
    /// There is no such arm or run.
    #[error("{id} has no arm or run {run:?}; name one as in {example}")]
    NoRun {
        /// The experiment.
        id: String,
        /// What was asked for.
        run: String,
        /// The first run there is.
        example: String,
    },
    /// Its arms have no generation in common.
    #[error("{id} is a study; name one of its runs, as in {example}, or an arm for the mean of its runs")]
    Study {
        /// The experiment.
        id: String,
        /// The first run there is.
        example: String,
    },
    /// It has no champion yet.
    #[error("{path} is not finished; name a generation, as in {path}@0")]
    Unfinished {
        /// What was asked for.
        path: String,
    },
    /// It has no generations.
    #[error("{text}: run {run:?} has no generations yet")]
    NotBegun {
        /// What was asked for.
        text: String,
        /// The run.
        run: String,
    },
    /// There are not so many in the generation.
    #[error("{text}: the generation has {count} individuals, which are numbered from 1")]
    NoIndividual {
        /// What was asked for.
        text: String,
        /// How many there are.
        count: usize,
    },
    /// It has not come so far.
    #[error("{text}: the last generation is {last}")]
    NoGeneration {
        /// What was asked for.
        text: String,
        /// The last one there is.
        last: u32,
    },
}

impl Bred {
    /// The champion of an experiment, of an arm or of a run of a study, the mean player of a generation, or one of its
    /// individuals: `ID`, `ID@0` for the initial population, `ID@3#1` for the first individual of generation 3, `ID/s=0.5/2`
    /// for a run, `ID/s=0.5` for the mean of the champions of an arm, and both with a generation.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, arm, run, generation or individual, or it is not finished, or no player.
    pub fn find(store: &Store, text: &str) -> Result<Self, BredError> {
        Self::of(store, &Part::find(store, text)?)
    }

    /// The player of a part.
    pub(crate) fn of(store: &Store, part: &Part) -> Result<Self, BredError> {
        let variant = part.variant();
        let method = &variant.method;
        if method.breed().is_none() && method.engine(None).is_none() {
            return Err(BredError::NoPlayers { id: part.id.clone(), what: method.breeds() });
        }
        let genome = part.genome(store)?;
        match (method.breed(), EngineView::new(&variant, &genome)) {
            (Some(breed), _) => Ok(Self {
                player: breed.player(&part.name, &genome),
                limits: breed.limits,
                breed: breed.clone(),
            }),
            (None, engine) => {
                let command = engine.map_or_else(String::new, |engine| engine.match_command());
                Err(BredError::Engine { text: part.name.clone(), command })
            }
        }
    }

    /// A player with the weights that a model has without evolution, which thinks as this one does.
    pub fn classical(&self, model: &'static ModelInfo) -> Player {
        let mut player = Player::new(model);
        player.search = self.player.search.clone();
        player.noise = self.player.noise.filter(|_| model.game == self.breed.game());
        player
    }
}
