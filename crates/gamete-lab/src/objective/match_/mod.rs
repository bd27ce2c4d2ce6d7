//! The score of a match: keys, whom trials meet, the rules of their games, and the games themselves.

mod facts;
mod keys;
mod opponents;
mod rules;
mod trials;

use std::sync::atomic::AtomicBool;

use gamete_arena::uci::{EngineSpec, Fault, Restart, Timeouts, UciEngine};
use gamete_arena::{Adjudication, Contestant, Limits};
use gamete_optim::{Evaluation, Rng, Settings, Space};
use toml::Table;

use self::keys::KEYS;
pub(super) use self::opponents::{CLASSICAL, COMMAND, START, is_content};
use super::engine_options::EngineOptions;
use super::openings::PairOpenings;
use super::{Candidate, Objective, ObjectiveInfo};
use crate::breed::Breed;
use crate::engines::in_task;
use crate::experiment::{ExperimentError, read, write};
use crate::paired_match::PairedMatch;
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};
use crate::start_values::StartValues;

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "match",
    about: "score against fixed opponents, in pairs of games from one opening, colours reversed",
    keys: KEYS,
    read: |table, settings| {
        let seed = table.get("seed").and_then(toml::Value::as_integer).unwrap_or(1);
        Ok(Box::new(Match {
            players: read(table)?,
            options: read(table)?,
            start: read(table)?,
            settings,
            openings: PairOpenings::new(seed.cast_unsigned()),
            rules: Adjudication::default(),
            opponents: Vec::new(),
            engines: Vec::new(),
            missing: None,
        }))
    },
    #[cfg(test)]
    small: "model = 'chess/material'\nmatch.pairs = 1\n",
};

/// Keys of players of ours that say nothing of an engine.
const MODEL_KEYS: [&str; 7] = ["model", "preset", "weights", "search", "noise", "tanh", "draw_rules"];

/// A score against opponents, from 0 to 1.
#[derive(Debug)]
struct Match {
    players: Breed,
    options: EngineOptions,
    start: StartValues,
    settings: Settings,
    openings: PairOpenings,
    /// Draws, resignations and endgame tables.
    rules: Adjudication,
    opponents: Vec<Contestant>,
    /// Opponents that are other programs.
    engines: Vec<EngineSpec>,
    /// The first opponent that there is not.
    missing: Option<ExperimentError>,
}

impl Match {
    /// The command of the program whose options are sought, if it is one.
    fn command(&self) -> Option<&[String]> {
        Some(self.settings.texts("engine")).filter(|command| !command.is_empty())
    }

    /// How that program is started.
    fn program(&self) -> Option<EngineSpec> {
        let (cmd, args) = self.command()?.split_first()?;
        let mut spec = EngineSpec::new(cmd).with_args(args);
        spec.dir = Some(self.settings.choice("dir")).filter(|dir| !dir.is_empty()).map(Into::into);
        spec.restart = match self.settings.choice("restart") {
            "on" => Restart::On,
            "off" => Restart::Off,
            _ => Restart::Auto,
        };
        Some(spec)
    }

    /// How games are played.
    fn phenotype(&self) -> Phenotype {
        let mut phenotype = Phenotype::new(&self.players);
        phenotype.set_rules(&self.rules);
        phenotype
    }

    /// The engine of a genome, or with its own values without one.
    fn engine_of(&self, name: &str, genome: Option<(&Space, &[f64])>) -> Option<Contestant<EngineSpec>> {
        let engine = self.options.contestant(name, self.program()?, genome, self.players.limits);
        Some(self.with_margin(engine))
    }

    fn with_margin<E>(&self, contestant: Contestant<E>) -> Contestant<E> {
        Contestant { time_margin_ms: self.settings.count("time_margin") as u64, ..contestant }
    }

    /// Puts a genome to work.
    fn contestant(&self, phenotype: &Phenotype, space: &Space, name: &str, genome: &[f64]) -> Contestant {
        match self.engine_of(name, Some((space, genome))) {
            Some(engine) => in_task(engine),
            None => self.with_margin(phenotype.contestant(name, genome)),
        }
    }
}

impl Objective for Match {
    fn table(&self) -> Table {
        let mut table = write(&self.players);
        if self.command().is_some() {
            for key in MODEL_KEYS {
                table.remove(key);
            }
        }
        table.extend(write(&self.options));
        table
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        if self.command().is_some() {
            self.options.check()?;
        } else if let Some(name) = self.options.options.keys().next() {
            let reason = "only engines have options; name one as match.engine = [\"stockfish\"]";
            return Err(ExperimentError::value(&format!("options.{name}"), reason));
        }
        self.players.complete()?;
        self.complete_rules()?;
        let phenotype = self.phenotype();
        let mut names = self.settings.texts("opponents").to_vec();
        if names.is_empty() {
            names.push(CLASSICAL.to_owned());
        }
        // What was played can be shown without the file of an opponent.
        self.missing = None;
        self.opponents.clear();
        let commands = names.iter().filter_map(|name| name.strip_prefix(COMMAND));
        let programs = commands.filter_map(|command| self.other_program(command).ok());
        self.engines = programs.filter_map(|program| program.engine().cloned()).collect::<Vec<_>>();
        for name in &mut names {
            match self.opponent(&phenotype, name) {
                Ok((opponent, text)) => {
                    self.opponents.push(opponent);
                    *name = text;
                }
                Err(error) => self.missing = self.missing.take().or(Some(error)),
            }
        }
        self.settings.set("opponents", gamete_optim::Value::Texts(names))?;
        Ok(())
    }

    fn check(&self) -> Result<(), ExperimentError> {
        self.missing.clone().map_or(Ok(()), Err)?;
        self.breed().map_or(Ok(()), Breed::check)
    }

    fn contents(&self) -> Table {
        let opponents = self.settings.texts("opponents").to_vec();
        Table::from_iter([("opponents".to_owned(), opponents.into())])
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        if self.command().is_some() { self.options.space() } else { self.players.space() }
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.players).filter(|_| self.command().is_none())
    }

    fn engine(&self, genome: Option<&[f64]>) -> Option<Contestant<EngineSpec>> {
        let space = self.space().ok()?;
        self.engine_of("", genome.map(|genome| (&space, genome)))
    }

    fn engines(&self) -> Vec<EngineSpec> {
        let own = self.engine(None).and_then(|contestant| contestant.engine().cloned());
        own.into_iter().chain(self.engines.iter().cloned()).collect()
    }

    fn can_verify(&self) -> bool {
        true
    }

    fn verification(
        &self,
        champion: &[f64],
        limits: Option<Limits>,
        pairs: u64,
    ) -> Result<PairedMatch, ExperimentError> {
        let (phenotype, space, game) = (self.phenotype(), self.space()?, self.players.game());
        let limited =
            |contestant: Contestant| Contestant { limits: limits.unwrap_or(contestant.limits), ..contestant };
        let pairs = usize::try_from(pairs).unwrap_or(usize::MAX);
        Ok(PairedMatch {
            first: limited(self.contestant(&phenotype, &space, "tuned", &space.rounded(champion))),
            second: limited(self.original(&phenotype)?),
            adjudication: phenotype.adjudication(),
            plies: self.settings.count("plies"),
            starts: PairOpenings::starts(&self.settings),
            seed: self.openings.identity(game, &self.settings)?,
            openings: self.openings.verification_text(game, &self.settings),
            listed: self.openings.held_out(game, &self.settings, pairs)?,
            held_out: self.openings.held_out_of_random(&self.settings),
        })
    }

    fn breeds(&self) -> &'static str {
        if self.command().is_some() { "options of an engine" } else { "players" }
    }

    fn subject(&self) -> String {
        self.command().map_or_else(|| self.players.model.clone(), |command| command.join(" "))
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        self.openings.check(self.players.game(), &self.settings)?;
        for spec in &self.engines {
            let engine = UciEngine::start(spec.clone(), Timeouts::default(), &AtomicBool::new(false));
            let wrong = |fault: Fault| {
                let command = [&[spec.cmd.display().to_string()], spec.args.as_slice()].concat().join(" ");
                ExperimentError::value("match.opponents", format!("\"{COMMAND}{command}\": {fault}"))
            };
            engine.map_err(wrong)?.quit();
        }
        match self.program() {
            Some(program) => self.options.check_engine(&program),
            None => Ok(()),
        }
    }

    fn opponents(&self) -> Vec<Contestant> {
        self.opponents.clone()
    }

    fn games(&self) -> u64 {
        let opponents = self.opponents.len();
        let opponents = if self.settings.flag("mixed") { opponents.min(1) } else { opponents };
        self.games_with_rival() * opponents as u64
    }

    fn compares(&self) -> bool {
        true
    }

    fn games_with_rival(&self) -> u64 {
        self.pair_games() * self.settings.count("pairs") as u64
    }

    fn rounds(&self) -> bool {
        self.settings.choice("rounding") == "stochastic"
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.in_words()
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        self.play(candidates, rng, lab)
    }
}

#[cfg(test)]
mod tests;
