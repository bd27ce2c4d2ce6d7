use std::fmt;

use gamete_arena::Limits;
use gamete_corpus::Differences;
use gamete_optim::{Genome, Settings, Space};
use toml::Table;

use super::{Answer, Finding, Method, no_start_values, table_of};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, ExperimentError, read, read_own_settings, write, write_settings};
use crate::measure::Reading;
use crate::objective::{Objective, ObjectiveInfo};
use crate::paired_match::PairedMatch;
use crate::runtime::{Lab, LabError};
use crate::start_values::StartValues;

/// A method that learns the weights of players from the positions of a corpus, without games.
#[derive(Debug)]
pub(super) struct CorpusMethod<L> {
    pub players: Breed,
    pub settings: Settings,
    /// What is learned.
    pub learner: L,
    /// Values in use, and the games by which what was learned is compared with them, if there are such values.
    tuned: Option<Tuned>,
}

/// Weights that are learned from values in use.
#[derive(Debug)]
struct Tuned {
    values: StartValues,
    /// Says how the games are played that verify what was learned.
    games: Box<dyn Objective>,
}

impl Tuned {
    /// What a file says of it.
    fn read(table: &Table) -> Result<Option<Self>, ExperimentError> {
        let values: StartValues = read(table)?;
        if values.is_empty() {
            return Ok(None);
        }
        let info = ObjectiveInfo::find(GAMES).expect("one of the registry");
        let games = (info.read)(table, read_own_settings(table, info.name, info.keys)?)?;
        Ok(Some(Self { values, games }))
    }
}

/// The objective whose games verify what was learned.
const GAMES: &str = "match";

impl<L: Learner> CorpusMethod<L> {
    /// The method of a file, with the settings that are its own.
    pub fn read(table: &Table, settings: Settings, learner: L) -> Result<Self, ExperimentError> {
        Ok(Self { players: read(table)?, settings, learner, tuned: Tuned::read(table)? })
    }
}

/// What is learned from a corpus, and how.
pub(super) trait Learner: fmt::Debug + Send + Sync + Sized {
    /// Refuses a corpus that cannot be read, or is of another game.
    fn check_corpus(&self, players: &Breed) -> Result<(), ExperimentError>;

    /// A fitness as people read it.
    fn reading(&self, fitness: f64) -> Reading;

    /// The corpus, and what else says most, for the head of a report.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// Learns.
    fn learn(
        method: &CorpusMethod<Self>,
        budget: &Budget,
        start: Start<'_>,
        lab: &mut Lab<'_>,
    ) -> Result<Finding, LabError>;

    /// On which moves a champion differs from experts, where it learns from such.
    fn differences(
        method: &CorpusMethod<Self>,
        champion: &Genome,
        lab: &mut Lab<'_>,
    ) -> Result<Option<Differences>, LabError> {
        let _ = (method, champion, lab);
        Ok(None)
    }
}

impl<L: Learner> Method for CorpusMethod<L> {
    fn table(&self) -> Table {
        let mut table = table_of(&self.players, &self.settings);
        if let Some(Tuned { values, games }) = &self.tuned {
            table.extend(write(values));
            table.insert(GAMES.to_owned(), write_settings(games.settings()).into());
        }
        table
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        self.players.complete()?;
        self.players.check_no_search()?;
        match &mut self.tuned {
            None => Ok(()),
            Some(Tuned { values, games }) => {
                games.complete()?;
                values.apply(self.players.space()?).map(drop)
            }
        }
    }

    fn check(&self) -> Result<(), ExperimentError> {
        self.players.check()?;
        self.tuned.as_ref().map_or(Ok(()), |tuned| tuned.games.check())
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        let space = self.players.space()?;
        match &self.tuned {
            None => Ok(space),
            Some(tuned) => tuned.values.apply(space),
        }
    }

    fn start_genome(&self) -> Option<Genome> {
        self.tuned.as_ref()?.values.genome(self.players.space().ok()?).ok()?
    }

    fn verification(
        &self,
        champion: &[f64],
        limits: Option<Limits>,
        pairs: u64,
    ) -> Result<PairedMatch, ExperimentError> {
        let tuned = self.tuned.as_ref().ok_or_else(no_start_values)?;
        tuned.games.verification(champion, limits, pairs)
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.players)
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        self.learner.check_corpus(&self.players)?;
        self.tuned.as_ref().map_or(Ok(()), |tuned| tuned.games.check_resources())
    }

    fn plays_games(&self) -> bool {
        false
    }

    fn planned_games(&self, _budget: &Budget) -> u64 {
        0
    }

    fn answer(&self) -> Answer {
        Answer::first("the weights at the end of its descent")
    }

    fn reading(&self, fitness: f64) -> Reading {
        self.learner.reading(fitness)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        [self.players.facts(), self.learner.facts()].concat()
    }

    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        L::learn(self, budget, start, lab)
    }

    fn differences(&self, champion: &Genome, lab: &mut Lab<'_>) -> Result<Option<Differences>, LabError> {
        L::differences(self, champion, lab)
    }
}
