use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, OpeningText, Player};
use gamete_game::Color;
use gamete_optim::{Evaluation, Key, Rng, Settings, Space};
use toml::Table;

use super::engine_options::EngineOptions;
use super::{Candidate, Objective, ObjectiveInfo};
use crate::breed::Breed;
use crate::engines::in_task;
use crate::experiment::{ExperimentError, Playoff, read, write};
use crate::phenotype::Phenotype;
use crate::runtime::{GameResult, Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "match",
    about: "the score of a match against fixed opponents, in pairs of games from one opening with colours swapped",
    keys: &[
        Key::texts(
            "opponents",
            "whom to play: classical (the model without evolution), models, player files; classical if empty",
        ),
        Key::integer("pairs", [1, Playoff::MAX_PAIRS as i64], 4, "pairs of games against each opponent"),
        Key::integer("plies", [0, Playoff::MAX_PLIES as i64], 6, "random plies of openings"),
        Key::texts(
            "engine",
            "a UCI engine and its arguments, whose [options] are sought instead of weights; none if empty",
        ),
        Key::choice(
            "rounding",
            &["nearest", "stochastic"],
            "whole numbers are the nearest, or for each pair up or down by chance, right on average, as always with rivals",
        ),
    ],
    read: |table, settings| {
        let (players, options): (Breed, EngineOptions) = (read(table)?, read(table)?);
        Ok(Box::new(Match { players, options, settings, opponents: Vec::new(), missing: None }))
    },
    #[cfg(test)]
    small: "model = 'chess/material'\nmatch.pairs = 1\n",
};

/// Keys of players of ours that say nothing of an engine.
const MODEL_KEYS: [&str; 7] = ["model", "preset", "weights", "search", "noise", "tanh", "draw_rules"];

/// Without evolution.
pub(super) const CLASSICAL: &str = "classical";

/// Whether an opponent is a player file itself instead of the name of one.
pub(super) fn is_content(opponent: &str) -> bool {
    opponent.contains('\n')
}

/// A score against opponents, from 0 to 1.
#[derive(Debug)]
struct Match {
    players: Breed,
    options: EngineOptions,
    settings: Settings,
    opponents: Vec<Contestant>,
    /// The first opponent that there is not.
    missing: Option<ExperimentError>,
}

impl Match {
    /// The program whose options are sought, if it is one.
    fn command(&self) -> Option<&[String]> {
        Some(self.settings.texts("engine")).filter(|command| !command.is_empty())
    }

    /// Puts a genome to work.
    fn contestant(&self, phenotype: &Phenotype, space: &Space, name: &str, genome: &[f64]) -> Contestant {
        match self.command() {
            Some(command) => {
                in_task(self.options.contestant(name, command, Some((space, genome)), self.players.limits))
            }
            None => phenotype.contestant(name, genome),
        }
    }

    /// An opponent by its name, as a player; one of a file is written into the experiment, which so stays complete.
    fn opponent(&self, phenotype: &Phenotype, text: &str) -> Result<(Contestant, String), ExperimentError> {
        if text == CLASSICAL {
            let classical = match self.command() {
                Some(command) => {
                    in_task(self.options.contestant(CLASSICAL, command, None, self.players.limits))
                }
                None => phenotype.classical(),
            };
            return Ok((classical, text.to_owned()));
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
        Ok((Contestant::new(player, self.players.limits), kept))
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
        let phenotype = Phenotype::new(&self.players);
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
        let genome = genome.map(|genome| (&space, genome));
        Some(self.options.contestant("", self.command()?, genome, self.players.limits))
    }

    fn breeds(&self) -> &'static str {
        if self.command().is_some() { "options of an engine" } else { "players" }
    }

    fn subject(&self) -> String {
        self.command().map_or_else(|| self.players.model.clone(), |command| command.join(" "))
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        match self.command() {
            Some(command) => self.options.check_engine(command),
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
        facts
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        let phenotype = Phenotype::new(&self.players);
        let space = self.space()?;
        let (pairs, plies) = (self.settings.count("pairs"), self.settings.count("plies"));
        // All candidates have the same openings, so that luck with openings does not tell them apart.
        let mut draws = rng.fork("openings");
        let openings: Vec<(OpeningText, u64)> = (0..pairs)
            .map(|_| (OpeningText::random(phenotype.game(), plies, &mut draws), draws.next_u64()))
            .collect();
        let mut tasks = Vec::new();
        for Candidate { trial, genome, rival } in candidates {
            let name = format!("trial {}", trial + 1);
            let mut rounding = rng.fork(&name);
            if let Some(rival) = rival {
                // Nobody else plays these two, so that they have openings of their own.
                let mut draws = rng.fork(&format!("openings of {name}"));
                for _ in 0..pairs {
                    let opening = OpeningText::random(phenotype.game(), plies, &mut draws);
                    let drawn = space.round_together([genome, rival], &mut rounding);
                    let [player, other] = [(&name, &drawn[0]), (&format!("rival of {name}"), &drawn[1])]
                        .map(|(name, genome)| self.contestant(&phenotype, &space, name, genome));
                    tasks.extend(phenotype.pair(&opening, [&player, &other], draws.next_u64()));
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
