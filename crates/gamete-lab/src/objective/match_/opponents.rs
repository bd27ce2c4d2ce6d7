//! Whom trials meet, by their names.

use gamete_arena::uci::EngineSpec;
use gamete_arena::{Competitor, Contestant, GameName, Player};
use gamete_optim::Genome;

use super::Match;
use crate::engines::in_task;
use crate::experiment::ExperimentError;
use crate::methods::no_start_values;
use crate::objective::Objective as _;
use crate::phenotype::Phenotype;

/// Without evolution.
pub(in crate::objective) const CLASSICAL: &str = "classical";

/// With the values that the search starts from.
pub(in crate::objective) const START: &str = "start";

/// What names of opponents begin with that are other programs.
pub(in crate::objective) const COMMAND: &str = "cmd=";

/// Whether an opponent is a player file itself instead of the name of one.
pub(in crate::objective) fn is_content(opponent: &str) -> bool {
    opponent.contains('\n')
}

impl Match {
    /// The values that the search starts from, put to work.
    pub(super) fn original(&self, phenotype: &Phenotype) -> Result<Contestant, ExperimentError> {
        let (space, start) = (self.space()?, self.start_genome()?.ok_or_else(no_start_values)?);
        Ok(self.contestant(phenotype, &space, "original", &space.rounded(&start)))
    }

    fn start_genome(&self) -> Result<Option<Genome>, ExperimentError> {
        self.start.genome(self.space()?)
    }

    /// An opponent by its name, as a player; one of a file is written into the experiment, which so stays complete.
    pub(super) fn opponent(
        &self,
        phenotype: &Phenotype,
        text: &str,
    ) -> Result<(Contestant, String), ExperimentError> {
        if text == CLASSICAL {
            let classical = match self.engine_of(CLASSICAL, None) {
                Some(engine) => in_task(engine),
                None => self.with_margin(phenotype.classical()),
            };
            return Ok((classical, text.to_owned()));
        }
        if text == START {
            return Ok((self.original(phenotype)?, text.to_owned()));
        }
        if let Some(command) = text.strip_prefix(COMMAND) {
            return Ok((in_task(self.with_margin(self.other_program(command)?)), text.to_owned()));
        }
        let is_content = is_content(text);
        let player = if is_content { text.parse() } else { Player::load(text) };
        let mut player = player
            .map_err(|error| ExperimentError::value("match.opponents", format!("{text:?}: {error}")))?;
        if player.model().game != self.players.game() {
            let reason = format!(
                "{text:?} plays {}, and {} plays {}; name players of one game",
                player.model().game,
                self.players.model,
                self.players.game()
            );
            return Err(ExperimentError::value("match.opponents", reason));
        }
        let is_file = is_content || player.model().name != text;
        if !is_file {
            // A model thinks as the players do that are sought.
            player.search = phenotype.search().clone();
        }
        let kept = if is_file { player.to_string() } else { text.to_owned() };
        Ok((self.with_margin(Contestant::new(player, self.players.limits)), kept))
    }

    /// Another program as an opponent, by its command.
    pub(super) fn other_program(&self, command: &str) -> Result<Contestant<EngineSpec>, ExperimentError> {
        let refusal = |reason: &str| {
            ExperimentError::value("match.opponents", format!("\"{COMMAND}{command}\": {reason}"))
        };
        let mut words = command.split_whitespace();
        let cmd = words.next().ok_or_else(|| refusal("name a program, as in cmd=stockfish"))?;
        if self.players.game() != GameName::Chess {
            return Err(refusal("engines play chess alone; name players of ours"));
        }
        let spec = EngineSpec::new(cmd).with_args(words);
        let (name, limits) = (spec.title(), self.players.limits);
        Ok(Contestant { name, competitor: Competitor::Engine(spec), limits, time_margin_ms: 0 })
    }
}
