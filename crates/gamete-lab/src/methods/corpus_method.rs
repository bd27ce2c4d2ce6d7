use std::fmt;

use gamete_corpus::Differences;
use gamete_optim::{Genome, Settings, Space};
use toml::Table;

use super::{Answer, Finding, Method, table_of};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, ExperimentError};
use crate::measure::Reading;
use crate::runtime::{Lab, LabError};

/// A method that learns the weights of players from the positions of a corpus, without games.
#[derive(Debug)]
pub(super) struct CorpusMethod<L> {
    pub players: Breed,
    pub settings: Settings,
    /// What is learned.
    pub learner: L,
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
        table_of(&self.players, &self.settings)
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        self.players.complete()?;
        self.players.check_no_search()
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.players.space()
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.players)
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        self.learner.check_corpus(&self.players)
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
