//! Any optimiser on any objective.

mod choices;
mod measures;
mod outlook;
mod rivals;
mod search;

use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, Limits, grouped};
use gamete_corpus::Differences;
use gamete_optim::{Genome, Key, OptimizerInfo, Problem, Rng, Settings, Space};
use toml::Table;

use super::{Answer, Finding, Method, MethodInfo};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::earlier::Earlier;
use crate::experiment::{
    Budget, Experiment, ExperimentError, read, read_own_settings, write, write_settings,
};
use crate::measure::Reading;
use crate::objective::{OBJECTIVES, Objective, ObjectiveInfo};
use crate::paired_match::PairedMatch;
use crate::runtime::{Lab, LabError};
use crate::start_values::StartValues;
use choices::{choices, name};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "optimize",
    about: "any optimiser on any objective",
    keys: KEYS,
    read: |table| Ok(Box::new(Optimize::read(table)?)),
    #[cfg(test)]
    small: "generations = 2\nmodel = 'chess/material'\nmatch.pairs = 1\nga.population = 4\n",
};

const KEYS: &[Key] = &[
    Key::text("optimizer", "ga", "what proposes genomes; its keys are in the table of that name"),
    Key::text("objective", "match", "what measures genomes; its keys are in the table of that name"),
];

/// Any optimiser on any objective.
#[derive(Debug)]
struct Optimize {
    optimizer: &'static OptimizerInfo,
    settings: Settings,
    objective_name: &'static str,
    objective: Box<dyn Objective>,
    /// Where the search starts.
    start: StartValues,
    /// What came before what the file says now, and the objective as it was then.
    earlier: Earlier,
    before: Vec<Box<dyn Objective>>,
    /// The objective with ranges that include all of them, if there were others; it plays the games.
    widest: Option<Box<dyn Objective>>,
    /// Tables of other optimisers and objectives, for arms that use them.
    others: Table,
}

impl Optimize {
    fn read(table: &Table) -> Result<Self, ExperimentError> {
        let optimizers = OptimizerInfo::all().map(|optimizer| optimizer.name);
        let optimizer =
            OptimizerInfo::find(name(table, "optimizer", optimizers)?).expect("one of the registry");
        let objectives = OBJECTIVES.iter().map(|objective| objective.name);
        let objective =
            ObjectiveInfo::find(name(table, "objective", objectives)?).expect("one of the registry");
        let mut others = Table::new();
        let registered = OptimizerInfo::all().map(|info| (info.name, info.keys));
        for (other, keys) in registered.chain(OBJECTIVES.iter().map(|info| (info.name, info.keys))) {
            read_own_settings(table, other, keys)?;
            if ![optimizer.name, objective.name].contains(&other) {
                others.extend(table.get(other).map(|value| (other.to_owned(), value.clone())));
            }
        }
        let settings = read_own_settings(table, optimizer.name, optimizer.keys)?;
        let own = read_own_settings(table, objective.name, objective.keys)?;
        let (objective_name, start, earlier) = (objective.name, read(table)?, read::<Earlier>(table)?);
        let of = |table: &Table| (objective.read)(table, own.clone());
        let before =
            earlier.earlier.iter().map(|stretch| of(&stretch.file(table))).collect::<Result<_, _>>()?;
        let present = of(table)?;
        let widest = earlier.widest_file(table).map(|file| of(&file)).transpose()?;
        Ok(Self {
            optimizer,
            settings,
            objective_name,
            objective: present,
            start,
            earlier,
            before,
            widest,
            others,
        })
    }

    /// What plays the games.
    fn arena(&self) -> &dyn Objective {
        self.widest.as_deref().unwrap_or(self.objective.as_ref())
    }

    /// Whether it searches from values in use by games.
    fn is_tuned(&self) -> bool {
        !self.start.is_empty() && self.objective.can_verify() && self.optimizer.name != "screen"
    }
}

impl Method for Optimize {
    fn table(&self) -> Table {
        let mut table = self.objective.table();
        table.extend(self.others.clone());
        table.extend(write(&self.start));
        table.extend(write(&self.earlier));
        table.insert("optimizer".to_owned(), self.optimizer.name.into());
        table.insert("objective".to_owned(), self.objective_name.into());
        table.insert(self.optimizer.name.to_owned(), write_settings(&self.settings).into());
        table.insert(self.objective_name.to_owned(), write_settings(self.objective.settings()).into());
        table
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        let check = (self.optimizer.check)(&self.settings);
        check.map_err(|error| ExperimentError::from(error).inside(self.optimizer.name))?;
        self.objective.complete()?;
        self.before.iter_mut().chain(&mut self.widest).try_for_each(|objective| objective.complete())?;
        if self.start.is_empty() { Ok(()) } else { self.space().map(drop) }
    }

    fn check(&self) -> Result<(), ExperimentError> {
        self.objective.check()
    }

    fn check_unread(&self, arms: &[Experiment]) -> Result<(), ExperimentError> {
        let used: Vec<String> = arms.iter().flat_map(|arm| choices(&arm.method.table())).collect();
        match self.others.iter().find(|(table, _)| !used.contains(table)) {
            None => Ok(()),
            Some((table, value)) => {
                let key = value.as_table().and_then(|own| own.keys().next());
                let path = key.map_or_else(|| table.clone(), |key| format!("{table}.{key}"));
                let chooser = if ObjectiveInfo::find(table).is_some() { "objective" } else { "optimizer" };
                let reason = format!("nothing reads it; set {chooser} = {table:?}, or leave it out");
                Err(ExperimentError::value(&path, reason))
            }
        }
    }

    fn contents(&self) -> Table {
        Table::from_iter([(self.objective_name.to_owned(), self.objective.contents().into())])
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.start.apply(self.objective.space()?)
    }

    fn start_genome(&self) -> Option<Genome> {
        let start = self.start.genome(self.objective.space().ok()?).ok()?;
        start.filter(|_| self.objective.can_verify())
    }

    fn verification(
        &self,
        champion: &[f64],
        limits: Option<Limits>,
        pairs: u64,
    ) -> Result<PairedMatch, ExperimentError> {
        self.objective.verification(champion, limits, pairs)
    }

    fn plays_games(&self) -> bool {
        self.spends_games() && !self.objective.simulates()
    }

    fn knows_optimum(&self) -> bool {
        self.objective.knows_optimum()
    }

    fn spends_games(&self) -> bool {
        self.objective.games() > 0
    }

    fn has_populations(&self) -> bool {
        let begun = |space| (self.optimizer.begin)(&self.settings, Problem::new(&space), Rng::new(0));
        self.space().map_or(true, |space| begun(space).population().len() > 1)
    }

    fn breed(&self) -> Option<&Breed> {
        self.objective.breed()
    }

    fn engine(&self, genome: Option<&[f64]>) -> Option<Contestant<EngineSpec>> {
        self.objective.engine(genome)
    }

    fn engines(&self) -> Vec<EngineSpec> {
        self.objective.engines()
    }

    fn breeds(&self) -> &'static str {
        self.objective.breeds()
    }

    fn subject(&self) -> String {
        self.objective.subject()
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        self.objective.check_resources()
    }

    fn opponents(&self) -> Vec<Contestant> {
        self.objective.opponents()
    }

    fn answer(&self) -> Answer {
        Answer::first("the best point that was found")
    }

    fn reading(&self, fitness: f64) -> Reading {
        self.objective.reading(fitness)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let set: Vec<String> = write_settings(&self.settings)
            .into_iter()
            .filter(|(key, value)| {
                write_settings(&Settings::new(self.optimizer.keys)).get(key) != Some(value)
            })
            .map(|(key, value)| format!(", {key} = {value}"))
            .collect();
        let mut facts = vec![
            ("optimizer", format!("{}{}", self.optimizer.name, set.concat())),
            ("objective", self.objective_name.to_owned()),
        ];
        facts.extend(self.objective.facts());
        let changes = self.earlier.earlier.iter().map(|stretch| {
            let [until, games] = [stretch.until, stretch.games].map(|number| grouped(&number.to_string()));
            format!("after {until} of {games} games")
        });
        let changes: Vec<String> = changes.collect();
        facts.extend((!changes.is_empty()).then(|| ("changed", changes.join(", "))));
        facts
    }

    fn keeps_course(&self) -> bool {
        // The schedule of SPSA is made for its budget.
        self.optimizer.name != "spsa"
    }

    fn planned_generations(&self, budget: &Budget) -> u64 {
        let Some(space) = self.space().ok().filter(|_| self.objective.simulates()) else {
            return budget.generations.into();
        };
        let outlook = self.outlook(&space);
        outlook.trials(budget).map_or(0, |trials| trials.div_ceil(outlook.batch.max(1)))
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        let Some(space) = self.space().ok().filter(|_| self.plays_games()) else { return 0 };
        let outlook = self.outlook(&space);
        outlook.trials(budget).map_or(0, |trials| trials.saturating_mul(outlook.games))
    }

    fn warning(&self, budget: &Budget) -> Option<String> {
        let outlook = self.space().ok().map(|space| self.outlook(&space))?;
        let trials = outlook.trials(budget).filter(|trials| *trials < outlook.batch)?;
        let games = outlook.batch.saturating_mul(outlook.games);
        (outlook.games > 0).then(|| {
            format!(
                "games = {}: a generation of {} has {} points with {} games each, and only {trials} of them can be played; \
                 give at least {games} games, better ten times as many, or another optimizer",
                budget.games, self.optimizer.name, outlook.batch, outlook.games
            )
        })
    }

    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        self.search(budget, start, lab)
    }

    fn differences(&self, champion: &Genome, lab: &mut Lab<'_>) -> Result<Option<Differences>, LabError> {
        self.objective.differences(champion, lab)
    }
}

#[cfg(test)]
mod tests;
