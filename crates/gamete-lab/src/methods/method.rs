use std::fmt;

use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, Limits, suggest};
use gamete_corpus::Differences;
use gamete_optim::{Genome, Key, Space};
use toml::Table;

use super::METHODS;
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, Experiment, ExperimentError};
use crate::measure::Reading;
use crate::model_slice::ModelSlice;
use crate::paired_match::PairedMatch;
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// A procedure that finds a genome, with the settings of an experiment.
pub trait Method: fmt::Debug + Send + Sync {
    /// Its keys with their values, every default included.
    fn table(&self) -> Table;

    /// Makes what the file leaves open explicit, and checks the rest.
    ///
    /// # Errors
    ///
    /// When a key has a value that it cannot have.
    fn complete(&mut self) -> Result<(), ExperimentError>;

    /// Refuses what could be read, but not be run to its end; not asked of experiments that were begun.
    ///
    /// # Errors
    ///
    /// When a key has such a value.
    fn check(&self) -> Result<(), ExperimentError> {
        self.breed().map_or(Ok(()), Breed::check)
    }

    /// Refuses keys of the file that neither it nor one of its arms reads.
    ///
    /// # Errors
    ///
    /// With the first of them.
    fn check_unread(&self, arms: &[Experiment]) -> Result<(), ExperimentError> {
        let _ = arms;
        Ok(())
    }

    /// Keys that name files, with the contents of these in their place.
    fn contents(&self) -> Table {
        Table::new()
    }

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

    /// What genomes are, in words.
    fn breeds(&self) -> &'static str {
        "players"
    }

    /// What genomes are made for: the model, the engine or the function. Those of one subject and with the same genes can be
    /// averaged.
    fn subject(&self) -> String {
        self.breed().map_or_else(String::new, |breed| breed.model.clone())
    }

    /// What makes games of genomes, where genomes are players.
    fn phenotype(&self) -> Option<Phenotype> {
        self.breed().map(Phenotype::new)
    }

    /// Whom genomes play against besides each other: how they play decides outcomes, too.
    fn opponents(&self) -> Vec<Contestant> {
        Vec::new()
    }

    /// Where genomes are keys of another experiment: that experiment, for one of the genomes.
    fn inner(&self) -> Option<Experiment> {
        None
    }

    /// Looks at what is outside of the file, before a first run: programs that play, files of positions.
    ///
    /// # Errors
    ///
    /// When they cannot be used.
    fn check_resources(&self) -> Result<(), ExperimentError> {
        Ok(())
    }

    /// Whether games are played.
    fn plays_games(&self) -> bool {
        true
    }

    /// Whether it is known how much worse a genome is than the optimum.
    fn knows_optimum(&self) -> bool {
        false
    }

    /// Whether its generations are populations, which can draw together.
    fn has_populations(&self) -> bool {
        true
    }

    /// Whether more games go on as those before, where a larger budget changes nothing but the end.
    fn keeps_course(&self) -> bool {
        false
    }

    /// Whether a budget of games ends a run.
    fn spends_games(&self) -> bool {
        self.plays_games()
    }

    /// How many generations a run has, if only its budget ends it; 0 where that cannot be said.
    fn planned_generations(&self, budget: &Budget) -> u64 {
        budget.generations.into()
    }

    /// How many games a run has, if only its budget ends it.
    fn planned_games(&self, budget: &Budget) -> u64;

    /// What of a budget will teach it nothing, for people.
    fn warning(&self, budget: &Budget) -> Option<String> {
        let _ = budget;
        None
    }

    /// How many games a generation has on average, where luck decides.
    fn expected_games(&self) -> Option<f64> {
        None
    }

    /// What the champion of a run is.
    fn answer(&self) -> Answer;

    /// Who of a population is left out of means and deviations, as a part of a sentence.
    fn judged(&self) -> &'static str {
        ""
    }

    /// A fitness as people read it.
    fn reading(&self, fitness: f64) -> Reading {
        Reading::plain(fitness)
    }

    /// The settings that say most, for the head of a report.
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// Runs the procedure from the top, with random numbers and outcomes from the lab. `start` is
    /// what it begins with.
    ///
    /// # Errors
    ///
    /// When it is stopped, or the lab does not work.
    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError>;

    /// The values to start from that the file gives, by which a champion is verified.
    fn start_genome(&self) -> Option<Genome> {
        None
    }

    /// Whether there are such values.
    fn has_start_values(&self) -> bool {
        self.start_genome().is_some()
    }

    /// The match of a champion against the values that it started from, in openings for so many pairs that no trial began with,
    /// with other limits if any are given.
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

/// What is missing where a champion has no values to be verified by.
pub(crate) fn no_start_values() -> ExperimentError {
    ExperimentError::value("parameters", "there are no values to start from; give each a start")
}

/// What the champion of a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// In words.
    pub text: &'static str,
    /// Whether it is the mean of the last population, and not the first of it.
    pub is_mean: bool,
}

impl Answer {
    /// The mean of the last population.
    pub const MEAN: Self = Self { text: "the mean of its last population", is_mean: true };

    /// The first of the last population, which is called `text`.
    pub const fn first(text: &'static str) -> Self {
        Self { text, is_mean: false }
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The answer.
    pub champion: Genome,
    /// The last population.
    pub population: Vec<Genome>,
    /// What the search expects around its answer, where it has a model of that.
    pub slices: Vec<ModelSlice>,
}

impl Finding {
    /// An answer of a method without a model.
    pub fn new(champion: Genome, population: Vec<Genome>) -> Self {
        Self { champion, population, slices: Vec::new() }
    }
}

/// An entry of the registry of methods.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// Its name in experiment files.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Its own keys; those of players and of all experiments come on top.
    pub keys: &'static [Key],
    pub(super) read: fn(&Table) -> Result<Box<dyn Method>, ExperimentError>,
    /// Keys of a small experiment with it, which every test of all methods runs.
    #[cfg(test)]
    pub(crate) small: &'static str,
}

impl MethodInfo {
    /// The method with this name.
    ///
    /// # Errors
    ///
    /// With the nearest name, when there is none.
    pub fn find(name: &str) -> Result<&'static Self, ExperimentError> {
        METHODS.iter().find(|method| method.name == name).ok_or_else(|| {
            let reason =
                format!("unknown method {name:?}{}", suggest(name, METHODS.iter().map(|info| info.name)));
            ExperimentError::value("method", reason)
        })
    }

    /// The method of a file.
    pub(crate) fn read(&self, table: &Table) -> Result<Box<dyn Method>, ExperimentError> {
        (self.read)(table)
    }
}
