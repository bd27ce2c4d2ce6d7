//! What a genome is worth: one file for each objective, and the registry of all.

mod engine_options;
mod experts;
mod function;
mod lost_opponents;
mod match_;
mod mentor;
mod openings;
mod suite;
mod trial_game;

use std::fmt;

use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, Limits};
use gamete_corpus::Differences;
use gamete_optim::{Evaluation, Genome, Key, Rng, Settings, Space};
use toml::Table;

use crate::breed::Breed;
use crate::experiment::ExperimentError;
use crate::measure::Reading;
use crate::methods::no_start_values;
use crate::paired_match::PairedMatch;
use crate::runtime::{Lab, LabError};

pub(crate) use engine_options::OPTIONS;
pub(crate) use lost_opponents::fill_in;

/// Every objective.
pub const OBJECTIVES: &[ObjectiveInfo] =
    &[match_::INFO, function::INFO, suite::INFO, experts::INFO, mentor::INFO];

/// What a genome is worth, and the tasks it takes to know: games or positions.
pub trait Objective: fmt::Debug + Send + Sync {
    /// Its keys with their values, every default included, but for those in the table of its name.
    fn table(&self) -> Table {
        Table::new()
    }

    /// Makes what the file leaves open explicit, and checks the rest.
    ///
    /// # Errors
    ///
    /// When a key has a value that it cannot have.
    fn complete(&mut self) -> Result<(), ExperimentError> {
        Ok(())
    }

    /// Refuses what could be read, but not be run to its end; not asked of experiments that were begun.
    ///
    /// # Errors
    ///
    /// When a key has such a value.
    fn check(&self) -> Result<(), ExperimentError> {
        self.breed().map_or(Ok(()), Breed::check)
    }

    /// The keys of its own table that name files, with the contents of these in their place.
    fn contents(&self) -> Table {
        Table::new()
    }

    /// The values of the keys in the table of its name.
    fn settings(&self) -> &Settings;

    /// The parameters that are sought.
    ///
    /// # Errors
    ///
    /// When a range makes no sense, or nothing is free.
    fn space(&self) -> Result<Space, ExperimentError>;

    /// What players have in common, where genomes are players.
    fn breed(&self) -> Option<&Breed> {
        None
    }

    /// The engine of a genome, or with its own values without one, where genomes are options of an engine.
    fn engine(&self, genome: Option<&[f64]>) -> Option<Contestant<EngineSpec>> {
        let _ = genome;
        None
    }

    /// Every program that plays: the one whose options are sought, and opponents.
    fn engines(&self) -> Vec<EngineSpec> {
        Vec::new()
    }

    /// Whether it can verify a champion by the values that a search started from.
    fn can_verify(&self) -> bool {
        false
    }

    /// The match of a champion against the values that the search started from; see
    /// [`Method::verification`](crate::Method::verification).
    ///
    /// # Errors
    ///
    /// When there are no such values, or the openings cannot be read.
    fn verification(
        &self,
        champion: &[f64],
        limits: Option<Limits>,
        pairs: u64,
    ) -> Result<PairedMatch, ExperimentError> {
        let _ = (champion, limits, pairs);
        Err(no_start_values())
    }

    /// What genomes are, in words.
    fn breeds(&self) -> &'static str {
        "players"
    }

    /// What genomes are made for: the model, the engine or the function. Those of one subject and with the same genes can be
    /// averaged.
    fn subject(&self) -> String {
        self.breed().map_or_else(String::new, |breed| breed.model.clone())
    }

    /// Looks at what is outside of the file, before a first run: programs that play, files of positions.
    ///
    /// # Errors
    ///
    /// When they cannot be used.
    fn check_resources(&self) -> Result<(), ExperimentError> {
        Ok(())
    }

    /// Whom genomes play against: how they play decides outcomes, too.
    fn opponents(&self) -> Vec<Contestant> {
        Vec::new()
    }

    /// Games of an evaluation.
    fn games(&self) -> u64 {
        0
    }

    /// Whether these games are drawn by lot and not played: they count in a budget of games, and nowhere else.
    fn simulates(&self) -> bool {
        false
    }

    /// Whether it compares genomes with their rivals itself; if not, both are evaluated, and the difference counts.
    fn compares(&self) -> bool {
        false
    }

    /// Games of a comparison with a rival.
    fn games_with_rival(&self) -> u64 {
        2 * self.games()
    }

    /// Whether it rounds whole numbers itself; if not, genomes are rounded before they are evaluated.
    fn rounds(&self) -> bool {
        false
    }

    /// Whether the fitness of a point is a score against the default values, so that every search knows these and starts from them.
    fn starts_from_defaults(&self) -> bool {
        false
    }

    /// A fitness as people read it.
    fn reading(&self, fitness: f64) -> Reading {
        Reading::plain(fitness)
    }

    /// Whether it knows the [`regret`](Self::regret) of genomes.
    fn knows_optimum(&self) -> bool {
        false
    }

    /// How much worse a genome is than the optimum, where that is known: 0 is as good as can be.
    fn regret(&self, genome: &[f64], lab: &Lab<'_>) -> Option<f64> {
        let _ = (genome, lab);
        None
    }

    /// The settings that say most, for the head of a report.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// Evaluates candidates side by side, and gives what came of each in their order: what the genome is worth, or how much better it
    /// is than its rival, which only those candidates have whose objective [`compares`](Self::compares). All that is random comes from `rng`.
    /// Numbers beside fitness are given to the lab ([`Lab::measure`]).
    ///
    /// # Errors
    ///
    /// When it is stopped, or the lab does not work.
    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError>;

    /// On which moves a champion differs from the experts that it was compared with, in positions that nothing was learned
    /// from; nothing where there are none.
    ///
    /// # Errors
    ///
    /// When it cannot be computed or stored.
    fn differences(&self, champion: &Genome, lab: &mut Lab<'_>) -> Result<Option<Differences>, LabError> {
        let _ = (champion, lab);
        Ok(None)
    }
}

/// A genome to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The number of its trial.
    pub trial: u64,
    /// The genome.
    pub genome: Genome,
    /// A genome to compare it with.
    pub rival: Option<Genome>,
}

/// Makes an objective of a file and of the table of its own keys.
type ReadObjective = fn(&Table, Settings) -> Result<Box<dyn Objective>, ExperimentError>;

/// An entry of the registry of objectives.
#[derive(Debug, Clone, Copy)]
pub struct ObjectiveInfo {
    /// Its name in files, and that of the table with its keys.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The keys in the table of its name.
    pub keys: &'static [Key],
    pub(crate) read: ReadObjective,
    /// Keys of a small experiment with it, which every test of all objectives runs.
    #[cfg(test)]
    pub(crate) small: &'static str,
}

impl ObjectiveInfo {
    /// The objective with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OBJECTIVES.iter().find(|objective| objective.name == name)
    }
}
