use gamete_arena::uci::{EngineSpec, Restart};
use gamete_arena::{Contestant, DrawRule, Limits, Player, ResignRule};
use gamete_game::Color;
use gamete_optim::{Evaluation, Genome, Key, Rng, Settings, Space};
use toml::Table;

use super::engine_options::EngineOptions;
use super::openings::PairOpenings;
use super::{Candidate, Objective, ObjectiveInfo};
use crate::breed::Breed;
use crate::engines::in_task;
use crate::experiment::{ExperimentError, Playoff, read, write};
use crate::methods::no_start_values;
use crate::paired_match::PairedMatch;
use crate::phenotype::Phenotype;
use crate::runtime::{GameResult, Lab, LabError};
use crate::start_values::StartValues;

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "match",
    about: "the score of a match against fixed opponents, in pairs of games from one opening with colours swapped",
    keys: &[
        Key::texts(
            "opponents",
            "whom to play: classical (the model without evolution), start (the values of [parameters]), models, player files; \
             classical if empty",
        ),
        Key::integer("pairs", [1, Playoff::MAX_PAIRS as i64], 4, "pairs of games against each opponent"),
        Key::integer("plies", [0, Playoff::MAX_PLIES as i64], 6, "random plies of openings"),
        Key::text(
            "openings",
            "",
            "a file of openings, EPD, PGN or PDN, compressed or not, instead of random plies",
        ),
        Key::integer("book_plies", [0, 1000], 0, "plies of its games, 0 for all"),
        Key::real(
            "held_out",
            [0.0, 0.9],
            0.0,
            "share of the openings that no trial starts from, for the games that verify what was found",
        ),
        Key::text(
            "draw",
            "",
            "games are drawn that both sides think even, as movenumber=40 movecount=8 score=10",
        ),
        Key::text(
            "resign",
            "",
            "games are lost that a side thinks lost, as movecount=3 score=600 twosided=true",
        ),
        Key::texts(
            "engine",
            "a UCI engine and its arguments, whose [options] are sought instead of weights; none if empty",
        ),
        Key::text("dir", "", "the directory that the engine runs in"),
        Key::choice("restart", &["auto", "on", "off"], "whether the engine is started anew for each game"),
        Key::integer("time_margin", [0, 3_600_000], 0, "milliseconds that a player may be late"),
        Key::choice(
            "rounding",
            &["nearest", "stochastic"],
            "whole numbers are the nearest, or for each pair up or down by chance, right on average, as always with rivals",
        ),
    ],
    read: |table, settings| {
        let seed = table.get("seed").and_then(toml::Value::as_integer).unwrap_or(1);
        Ok(Box::new(Match {
            players: read(table)?,
            options: read(table)?,
            start: read(table)?,
            settings,
            openings: PairOpenings::new(seed.cast_unsigned()),
            rules: (None, None),
            opponents: Vec::new(),
            missing: None,
        }))
    },
    #[cfg(test)]
    small: "model = 'chess/material'\nmatch.pairs = 1\n",
};

/// Keys of players of ours that say nothing of an engine.
const MODEL_KEYS: [&str; 7] = ["model", "preset", "weights", "search", "noise", "tanh", "draw_rules"];

/// Without evolution.
pub(super) const CLASSICAL: &str = "classical";

/// With the values that the search starts from.
pub(super) const START: &str = "start";

/// Whether an opponent is a player file itself instead of the name of one.
pub(super) fn is_content(opponent: &str) -> bool {
    opponent.contains('\n')
}

/// A score against opponents, from 0 to 1.
#[derive(Debug)]
struct Match {
    players: Breed,
    options: EngineOptions,
    start: StartValues,
    settings: Settings,
    openings: PairOpenings,
    rules: (Option<DrawRule>, Option<ResignRule>),
    opponents: Vec<Contestant>,
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
        phenotype.set_rules(self.rules);
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

    /// The values that the search starts from, put to work.
    fn original(&self, phenotype: &Phenotype) -> Result<Contestant, ExperimentError> {
        let (space, start) = (self.space()?, self.start_genome()?.ok_or_else(no_start_values)?);
        Ok(self.contestant(phenotype, &space, "original", &space.rounded(&start)))
    }

    fn start_genome(&self) -> Result<Option<Genome>, ExperimentError> {
        self.start.genome(self.space()?)
    }

    /// An opponent by its name, as a player; one of a file is written into the experiment, which so stays complete.
    fn opponent(&self, phenotype: &Phenotype, text: &str) -> Result<(Contestant, String), ExperimentError> {
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

    /// Reads the rules that decide games early, and checks what else only this objective has.
    fn complete_rules(&mut self) -> Result<(), ExperimentError> {
        let [draw, resign] = ["draw", "resign"].map(|key| self.settings.choice(key));
        let wrong = |key: &str, text: &str, error: gamete_arena::RuleError| {
            ExperimentError::value(&format!("match.{key}"), format!("{text:?}: {error}"))
        };
        let is_given = |text: &&str| !text.is_empty();
        let draw =
            Some(draw).filter(is_given).map(|text| text.parse().map_err(|error| wrong("draw", text, error)));
        let resign = Some(resign)
            .filter(is_given)
            .map(|text| text.parse().map_err(|error| wrong("resign", text, error)));
        self.rules = (draw.transpose()?, resign.transpose()?);
        let is_random = self.settings.choice("openings").is_empty();
        let plies = self.settings.count("plies");
        if is_random && self.settings.number("held_out") > 0.0 && plies < PairOpenings::LEAST_PLIES {
            let reason = format!(
                "{plies}: with so few random plies there are too few openings to hold some out; give {} or more",
                PairOpenings::LEAST_PLIES
            );
            return Err(ExperimentError::value("match.plies", reason));
        }
        if self.command().is_none() {
            for (key, usual) in [("dir", ""), ("restart", "auto")] {
                if self.settings.choice(key) != usual {
                    let reason = "only engines have it; name one as match.engine = [\"stockfish\"]";
                    return Err(ExperimentError::value(&format!("match.{key}"), reason));
                }
            }
        }
        Ok(())
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
            seed: self.openings.identity(game, &self.settings)?,
            openings: self.openings.text(game, &self.settings),
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
        match self.program() {
            Some(program) => self.options.check_engine(&program),
            None => Ok(()),
        }
    }

    fn opponents(&self) -> Vec<Contestant> {
        self.opponents.clone()
    }

    fn games(&self) -> u64 {
        2 * self.settings.count("pairs") as u64 * self.opponents.len() as u64
    }

    fn compares(&self) -> bool {
        true
    }

    fn games_with_rival(&self) -> u64 {
        2 * self.settings.count("pairs") as u64
    }

    fn rounds(&self) -> bool {
        self.settings.choice("rounding") == "stochastic"
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let names: Vec<&str> = self.opponents.iter().map(|opponent| opponent.name.as_str()).collect();
        let mut facts = match self.command() {
            Some(command) => vec![("engine", command.join(" ")), ("limits", self.players.limits.to_string())],
            None => self.players.facts(),
        };
        facts.push(("opponents", names.join(", ")));
        facts.push(("pairs against each", self.settings.count("pairs").to_string()));
        let (file, share) = (self.settings.choice("openings"), self.settings.number("held_out"));
        if !file.is_empty() || share > 0.0 {
            let source = if file.is_empty() { "random" } else { file };
            facts.push(("openings", format!("{source}, {:.0} % held out", 100.0 * share)));
        }
        let (draw, resign) = self.rules;
        facts.extend(draw.map(|rule| ("draws", rule.to_string())));
        facts.extend(resign.map(|rule| ("resignations", rule.to_string())));
        facts
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        let (phenotype, space, game) = (self.phenotype(), self.space()?, self.players.game());
        self.openings.remember(game, &self.settings, lab)?;
        let pairs = self.settings.count("pairs");
        // All candidates have the same openings, so that luck with openings does not tell them apart.
        let openings = self.openings.draw(game, &self.settings, pairs, &mut rng.fork("openings"))?;
        let mut tasks = Vec::new();
        for Candidate { trial, genome, rival } in candidates {
            let name = format!("trial {}", trial + 1);
            let mut rounding = rng.fork(&name);
            if let Some(rival) = rival {
                // Nobody else plays these two, so that they have openings of their own.
                let mut draws = rng.fork(&format!("openings of {name}"));
                for (opening, seed) in self.openings.draw(game, &self.settings, pairs, &mut draws)? {
                    let drawn = space.round_together([genome, rival], &mut rounding);
                    let [player, other] = [(&name, &drawn[0]), (&format!("rival of {name}"), &drawn[1])]
                        .map(|(name, genome)| self.contestant(&phenotype, &space, name, genome));
                    tasks.extend(phenotype.pair(&opening, [&player, &other], seed));
                }
                continue;
            }
            for opponent in &self.opponents {
                for (opening, seed) in &openings {
                    let drawn = self.rounds().then(|| space.round_randomly(genome, &mut rounding));
                    let player =
                        self.contestant(&phenotype, &space, &name, drawn.as_deref().unwrap_or(genome));
                    tasks.extend(phenotype.pair(opening, [&player, opponent], *seed));
                }
            }
        }
        let games = |candidate: &Candidate| match candidate.rival {
            Some(_) => self.games_with_rival() as usize,
            None => self.games() as usize,
        };
        let kept = candidates.first().map_or(0, games);
        let tasks = tasks.into_iter().enumerate().map(|(number, task)| (task, number < kept));
        let mut results = lab.play_each(tasks)?.into_iter();
        let evaluation = |candidate: &Candidate| {
            let results: Vec<GameResult> = results.by_ref().take(games(candidate)).collect();
            if candidate.rival.is_some() { advantage(&results) } else { score(&results) }
        };
        Ok(candidates.iter().map(evaluation).collect())
    }
}

/// Wins less losses, divided by all games, of a player that has White and Black in turn. Whoever of the two fails loses.
fn advantage(results: &[GameResult]) -> Evaluation {
    let games = results.iter().zip([Color::White, Color::Black].into_iter().cycle());
    let half_points: u64 = games.map(|(game, color)| u64::from(game.points(color).half_points())).sum();
    Evaluation::new((half_points as f64 - results.len() as f64) / results.len() as f64)
}

/// The score of a player that has White and Black in turn. Games in which its opponent fails do not count, and a trial of nothing
/// but such games fails.
fn score(results: &[GameResult]) -> Evaluation {
    let games = results.iter().zip([Color::White, Color::Black].into_iter().cycle());
    let counted: Vec<u64> = games
        .filter(|(game, color)| !game.is_void(*color))
        .map(|(game, color)| u64::from(game.points(color).half_points()))
        .collect();
    Evaluation::new(counted.iter().sum::<u64>() as f64 / (2 * counted.len()) as f64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gamete_arena::Termination;
    use gamete_game::{Ending, Reason};

    use super::*;

    #[test]
    fn whoever_fails_loses_and_nobody_wins_by_it() {
        let game = |termination| GameResult { termination, plies: 9 };
        let (win, draw) = (Ending::win(Color::White, Reason::Checkmate), Ending::draw(Reason::Stalemate));
        let [won, drawn] = [win, draw].map(|ending| game(ending.into()));
        let crash = |loser| game(Termination::Disconnect { loser });
        let late = |loser| game(Termination::TimeLoss { loser, overrun: Duration::ZERO });
        let (white, black) = (Color::White, Color::Black);
        assert_eq!(score(&[won, drawn]), Evaluation::Fitness(0.75));
        assert_eq!(score(&[won, won]), Evaluation::Fitness(0.5));
        assert_eq!(
            score(&[crash(white), crash(white)]),
            Evaluation::Fitness(0.0),
            "a crash at every first move"
        );
        assert_eq!(score(&[crash(black), drawn]), Evaluation::Fitness(0.5));
        assert_eq!(score(&[crash(black), crash(white)]), Evaluation::Failed);
        assert_eq!(score(&[late(black), late(white)]), Evaluation::Fitness(1.0));
        assert_eq!(advantage(&[won, drawn]), Evaluation::Fitness(0.5));
        assert_eq!(advantage(&[won, won]), Evaluation::Fitness(0.0));
        assert_eq!(advantage(&[crash(black), crash(white)]), Evaluation::Fitness(1.0), "a rival that fails");
    }
}
