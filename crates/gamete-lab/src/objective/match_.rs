use std::sync::atomic::AtomicBool;

use gamete_arena::uci::{EngineSpec, Fault, Restart, Timeouts, UciEngine};
use gamete_arena::{
    Adjudication, Competitor, Contestant, GameName, Limits, Player, StartPositions, TablebaseDecides,
    TablebaseRule,
};
use gamete_game::Color;
use gamete_optim::{Evaluation, Genome, Key, Rng, Settings, Space};
use toml::Table;

use super::engine_options::EngineOptions;
use super::openings::{PairOpening, PairOpenings, SHUFFLED};
use super::trial_game::{Faults, Seat, TrialGame, advantage, score};
use super::{Candidate, Objective, ObjectiveInfo};
use crate::breed::Breed;
use crate::engines::in_task;
use crate::experiment::{ExperimentError, Playoff, read, write};
use crate::match_tally::MatchTally;
use crate::methods::no_start_values;
use crate::paired_match::PairedMatch;
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};
use crate::start_values::StartValues;

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "match",
    about: "the score of a match against fixed opponents, in pairs of games from one opening with colours swapped",
    keys: &[
        Key::texts(
            "opponents",
            "whom to play: classical (the model without evolution), start (the values of [parameters]), models, player files, \
             cmd=PROGRAM (a UCI engine); classical if empty",
        ),
        Key::flag("mixed", false, "each pair has one of the opponents, by lot, instead of all of them"),
        Key::integer("pairs", [1, Playoff::MAX_PAIRS as i64], 4, "pairs of games against each opponent"),
        Key::choice(
            "colors",
            &["both", "random"],
            "pairs are two games with colours swapped; or one game, with colours by lot",
        ),
        Key::choice(
            "faults",
            &["loss", "draw"],
            "crashes, illegal moves and silence lose a game, or say nothing of it if they are the opponent's; or are half a point for both",
        ),
        Key::integer("plies", [0, Playoff::MAX_PLIES as i64], 6, "random plies of openings"),
        Key::text(
            "openings",
            "",
            "a file of openings, EPD, PGN or PDN, compressed or not, instead of random plies",
        ),
        Key::integer("book_plies", [0, 1000], 0, "plies of its games, 0 for all"),
        Key::integer(
            "positions",
            [0, 100_000],
            0,
            "openings of all trials together, drawn once by the seed; 0 for all that there are",
        ),
        Key::choice("redraw", &["generation", "trial"], "what has openings of its own among these"),
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
        Key::choice(
            "tables",
            &["none", "both", "win_loss", "draw"],
            "which games endgame tables decide; `gamete tune -tb` says where they are",
        ),
        Key::integer(
            "table_pieces",
            [0, 32],
            0,
            "the most pieces of positions that are looked up, 0 for all that there are tables for",
        ),
        Key::flag("table_fifty", true, "whether wins by the tables have to come within fifty moves"),
        Key::choice(
            "variant",
            &["standard", SHUFFLED],
            "random openings begin with the start of the game, or with those of Chess960",
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

/// Without evolution.
pub(super) const CLASSICAL: &str = "classical";

/// With the values that the search starts from.
pub(super) const START: &str = "start";

/// What names of opponents begin with that are other programs.
pub(super) const COMMAND: &str = "cmd=";

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
    fn other_program(&self, command: &str) -> Result<Contestant<EngineSpec>, ExperimentError> {
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

    /// Games of a pair.
    fn pair_games(&self) -> u64 {
        if self.settings.choice("colors") == "random" { 1 } else { 2 }
    }

    /// The colours that a trial has in the games of a pair.
    fn colors(&self, rng: &mut Rng) -> Vec<Color> {
        match self.settings.choice("colors") {
            "random" => vec![if rng.below(2) == 0 { Color::White } else { Color::Black }],
            _ => vec![Color::White, Color::Black],
        }
    }

    /// Whom a trial meets from which opening: opponents by their places, where it has no rival.
    fn meetings<'a>(
        &self,
        openings: &'a [PairOpening],
        has_rival: bool,
        rng: &mut Rng,
    ) -> Vec<(usize, &'a PairOpening)> {
        let opponents = self.opponents.len();
        if has_rival {
            openings.iter().map(|opening| (0, opening)).collect()
        } else if self.settings.flag("mixed") {
            openings.iter().map(|opening| (rng.below(opponents as u64) as usize, opening)).collect()
        } else {
            let against = |opponent| openings.iter().map(move |opening| (opponent, opening));
            (0..opponents).flat_map(against).collect()
        }
    }

    fn faults(&self) -> Faults {
        if self.settings.choice("faults") == "draw" { Faults::Draw } else { Faults::Loss }
    }

    /// Counts games by opponent and by opening, where there are several of either to choose from.
    fn tally(&self, games: &[TrialGame]) -> Result<Option<MatchTally>, ExperimentError> {
        let suite = self.openings.count(self.players.game(), &self.settings)?;
        if suite.is_none() && self.opponents.len() < 2 {
            return Ok(None);
        }
        let names = self.opponents.iter().map(|opponent| opponent.name.as_str());
        let mut tally = MatchTally::new(names, suite.unwrap_or(0));
        for TrialGame { seat, result } in games {
            let [own, white] = [seat.color, Color::White].map(|color| result.points(color));
            tally.add(
                seat.opponent.map(|opponent| (opponent, own)),
                seat.opening.map(|opening| (opening, white)),
            );
        }
        Ok(Some(tally))
    }

    /// Which games endgame tables decide, if any.
    fn tablebase(&self) -> Result<Option<TablebaseRule>, ExperimentError> {
        let (word, game) = (self.settings.choice("tables"), self.players.game());
        let decides = match word {
            "both" => TablebaseDecides::Both,
            "win_loss" => TablebaseDecides::WinLoss,
            "draw" => TablebaseDecides::Draw,
            _ => return Ok(None),
        };
        if !game.has_tablebase() {
            let reason = format!("{word:?}: there are endgame tables of chess alone, not of {game}");
            return Err(ExperimentError::value("match.tables", reason));
        }
        let pieces = self.settings.count("table_pieces") as u32;
        let max_pieces = Some(pieces).filter(|&pieces| pieces > 0);
        let ignore_fifty_moves = !self.settings.flag("table_fifty");
        Ok(Some(TablebaseRule { max_pieces, ignore_fifty_moves, decides }))
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
        self.rules = Adjudication {
            draw: draw.transpose()?,
            resign: resign.transpose()?,
            tablebase: self.tablebase()?,
            ..Adjudication::default()
        };
        let game = self.players.game();
        if self.settings.choice("variant") == SHUFFLED && game.shuffled_starts().is_none() {
            let reason = format!("{SHUFFLED:?}: there is no such variant of {game}; leave it out");
            return Err(ExperimentError::value("match.variant", reason));
        }
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
        let names: Vec<&str> = self.opponents.iter().map(|opponent| opponent.name.as_str()).collect();
        let mut facts = match self.command() {
            Some(command) => vec![("engine", command.join(" ")), ("limits", self.players.limits.to_string())],
            None => self.players.facts(),
        };
        facts.push(("opponents", names.join(", ")));
        let what = match (self.settings.flag("mixed"), self.pair_games()) {
            (false, 2) => "pairs against each",
            (false, _) => "games against each",
            (true, 2) => "pairs, opponents by lot",
            (true, _) => "games, opponents by lot",
        };
        facts.push((what, self.settings.count("pairs").to_string()));
        let (file, share) = (self.settings.choice("openings"), self.settings.number("held_out"));
        let positions = self.settings.count("positions");
        if !file.is_empty() || share > 0.0 || positions > 0 {
            let count = if positions > 0 { format!("{positions} of ") } else { String::new() };
            let source = if file.is_empty() { "random" } else { file };
            facts.push(("openings", format!("{count}{source}, {:.0} % held out", 100.0 * share)));
        }
        let Adjudication { draw, resign, tablebase, .. } = self.rules;
        facts.extend(draw.map(|rule| ("draws", rule.to_string())));
        facts.extend(resign.map(|rule| ("resignations", rule.to_string())));
        facts.extend(tablebase.map(|_| ("endgame tables decide", self.settings.choice("tables").to_owned())));
        if PairOpenings::starts(&self.settings) == StartPositions::Shuffled {
            facts.push(("variant", SHUFFLED.to_owned()));
        }
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
        // Nobody else plays two rivals, so that they have openings of their own.
        let is_alone =
            |candidate: &Candidate| candidate.rival.is_some() || self.settings.choice("redraw") == "trial";
        // The others have the same ones, so that luck with openings does not tell them apart.
        let count = if candidates.iter().all(is_alone) { 0 } else { pairs };
        let shared = self.openings.draw(game, &self.settings, count, &mut rng.fork("openings"))?;
        let (mut tasks, mut seats, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for candidate in candidates {
            let Candidate { trial, genome, rival } = candidate;
            let name = format!("trial {}", trial + 1);
            let (mut rounding, mut lots) = (rng.fork(&name), rng.fork(&format!("lots of {name}")));
            let own = is_alone(candidate).then(|| rng.fork(&format!("openings of {name}")));
            let own = own
                .map(|mut draws| self.openings.draw(game, &self.settings, pairs, &mut draws))
                .transpose()?;
            let openings = own.as_ref().unwrap_or(&shared);
            let contestant = |name: &str, genome: &[f64]| self.contestant(&phenotype, &space, name, genome);
            for (opponent, PairOpening { opening, seed, number }) in
                self.meetings(openings, rival.is_some(), &mut lots)
            {
                let [player, other] = match (rival, opponent) {
                    (Some(rival), _) => {
                        let drawn = space.round_together([genome, rival], &mut rounding);
                        [contestant(&name, &drawn[0]), contestant(&format!("rival of {name}"), &drawn[1])]
                    }
                    (None, opponent) => {
                        let drawn = self.rounds().then(|| space.round_randomly(genome, &mut rounding));
                        let player = contestant(&name, drawn.as_deref().unwrap_or(genome));
                        [player, self.opponents[opponent].clone()]
                    }
                };
                for color in self.colors(&mut lots) {
                    let players = if color == Color::White { [&player, &other] } else { [&other, &player] };
                    tasks.push(phenotype.game_of(opening, players, *seed));
                    let opponent = rival.is_none().then_some(opponent);
                    seats.push(Seat { color, opponent, opening: *number });
                }
            }
            ends.push(seats.len());
        }
        let kept = ends.first().copied().unwrap_or(0);
        let tasks = tasks.into_iter().enumerate().map(|(number, task)| (task, number < kept));
        let games: Vec<TrialGame> =
            seats.into_iter().zip(lab.play_each(tasks)?).map(TrialGame::from).collect();
        if let Some(tally) = self.tally(&games)? {
            lab.add_tally(&tally);
        }
        let faults = self.faults();
        let mut start = 0;
        let evaluation = |(candidate, end): (&Candidate, &usize)| {
            let games = &games[std::mem::replace(&mut start, *end)..*end];
            if candidate.rival.is_some() { advantage(games, faults) } else { score(games, faults) }
        };
        Ok(candidates.iter().zip(&ends).map(evaluation).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::{Arc, Mutex};

    use gamete_arena::{Fake, GameTask, Task};

    use crate::testing::{TestLab, experiment, strength};
    use crate::{Generation, LabView};

    const TWO: &str = "opponents = ['classical', 'chess/classic'], pairs = 6, positions = 6";

    fn text(own: &str) -> String {
        format!(
            "name = 'x'\nmethod = 'optimize'\ngenerations = 2\nmodel = 'chess/material'\nlimits = 'depth=1'\n\
             ga.population = 4\nmatch = {{ {own} }}\n"
        )
    }

    /// The games of an experiment by trial, and its generations.
    fn play(own: &str) -> (BTreeMap<String, Vec<GameTask>>, Vec<Generation>) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let tasks = Arc::clone(&seen);
        let executor = Fake::new(move |task| {
            if let Task::Game(game) = task {
                tasks.lock().expect("tasks").push(game.clone());
            }
            Ok(Fake::outcome(task, strength))
        });
        let (lab, text) = (TestLab::new(), text(own));
        lab.run(&text, &executor).expect("a result");
        let mut trials: BTreeMap<String, Vec<GameTask>> = BTreeMap::new();
        for game in seen.lock().expect("tasks").drain(..) {
            let trial =
                [&game.white.name, &game.black.name].into_iter().find(|name| name.starts_with("trial"));
            trials.entry(trial.expect("a trial").clone()).or_default().push(*game);
        }
        let planned = experiment(&text).planned_games();
        assert_eq!(trials.values().map(Vec::len).sum::<usize>() as u64, planned);
        let view = LabView::new(&lab.store()).experiment("x").expect("an experiment");
        (trials, view.runs().flat_map(|run| run.generations.clone()).collect())
    }

    fn books(games: &[GameTask]) -> BTreeSet<Vec<String>> {
        games.iter().map(|game| game.book.clone()).collect()
    }

    #[test]
    fn opponents_and_colours_are_by_lot_if_asked_for() {
        let (trials, generations) = play(&format!("{TWO}, mixed = true, colors = 'random'"));
        assert_eq!(trials.len(), 8);
        let mut plans = BTreeSet::new();
        for (trial, games) in &trials {
            assert_eq!(books(games).len(), 6, "a game from each opening");
            let seat = |game: &GameTask| {
                let is_white = game.white.name == *trial;
                let other = if is_white { &game.black } else { &game.white };
                (game.book.clone(), is_white, other.name.clone())
            };
            plans.insert(games.iter().map(seat).collect::<BTreeSet<_>>());
        }
        assert_eq!(plans.len(), 8, "every trial has lots of its own");
        let suite = books(&trials["trial 1"]);
        assert!(trials.values().all(|games| books(games) == suite), "one suite for all");
        for tally in generations.iter().filter_map(|one| one.tally.as_ref()) {
            assert_eq!((tally.suite, tally.least_and_most()), (6, [4, 4]));
            let games: Vec<u64> =
                tally.opponents.iter().map(crate::match_tally::OpponentTally::games).collect();
            assert!(games.iter().sum::<u64>() == 24 && games.iter().all(|&games| games > 0), "{games:?}");
        }
        assert_eq!(generations.iter().filter(|one| one.tally.is_some()).count(), 2);
    }

    #[test]
    fn everybody_meets_all_opponents_with_both_colours_from_the_same_openings_otherwise() {
        let (trials, generations) = play("opponents = ['classical', 'chess/classic'], pairs = 3");
        let mut generation = trials.iter().filter(|(trial, _)| trial.as_str() <= "trial 4");
        assert!(generation.clone().all(|(_, games)| games.len() == 12));
        let (_, first) = generation.next().expect("a trial");
        assert!(generation.all(|(_, games)| books(games) == books(first)));
        assert_ne!(books(&trials["trial 5"]), books(first), "another generation");
        let last = generations.last().and_then(|one| one.tally.as_ref()).expect("a tally");
        assert!(last.opponents.iter().all(|one| one.games() == 24) && last.openings.is_empty(), "{last:?}");
        let (_, generations) = play("pairs = 1");
        assert!(generations.iter().all(|one| one.tally.is_none()), "nothing to tell apart");
    }

    #[test]
    fn trials_have_openings_of_their_own_if_asked_for() {
        let (trials, generations) = play("pairs = 3, positions = 20, redraw = 'trial'");
        let drawn: BTreeSet<_> = trials.values().map(|games| books(games)).collect();
        assert_eq!(drawn.len(), 8);
        let used = drawn.into_iter().flatten().collect::<BTreeSet<_>>().len();
        assert!((4..=20).contains(&used), "{used}");
        let total = crate::MatchTally::total(generations.iter().filter_map(|one| one.tally.as_ref()));
        assert_eq!(total.map(|tally| tally.openings.len()), Some(used));
    }

    #[test]
    fn tables_decide_and_openings_are_of_a_variant_if_asked_for() {
        let (trials, _) = play("pairs = 2, variant = 'fischerandom', tables = 'draw', table_pieces = 5");
        let games: Vec<&GameTask> = trials.values().flatten().collect();
        let starts: BTreeSet<&str> = games.iter().map(|game| game.start.as_str()).collect();
        assert!(starts.len() > 2, "{starts:?}");
        let rule = games[0].adjudication.tablebase.expect("a rule");
        assert_eq!((rule.max_pieces, rule.ignore_fifty_moves), (Some(5), false));
        assert!(games.iter().all(|game| game.adjudication.tablebase == Some(rule)));
        let (usual, _) = play("pairs = 1");
        assert!(usual.values().flatten().all(|game| game.adjudication.tablebase.is_none()));
        let of_checkers = |own: &str| {
            let file = text(own).replace("chess/material", "checkers/material");
            crate::Experiment::from_table(&file.parse().expect("TOML"))
                .expect_err("no such thing")
                .to_string()
        };
        assert_eq!(
            of_checkers("tables = 'both'"),
            "match.tables: \"both\": there are endgame tables of chess alone, not of checkers"
        );
        assert_eq!(
            of_checkers("variant = 'fischerandom'"),
            "match.variant: \"fischerandom\": there is no such variant of checkers; leave it out"
        );
    }

    #[test]
    fn engines_can_be_opponents_of_our_players() {
        let table = |opponents: &str| text(&format!("opponents = [{opponents}]")).parse().expect("TOML");
        let read = |opponents: &str| crate::Experiment::from_table(&table(opponents));
        let found = read("'classical', 'cmd=some-engine --uci'").expect("an experiment");
        let engines = found.method.engines();
        assert_eq!((engines.len(), engines[0].args.as_slice()), (1, &["--uci".to_owned()][..]));
        assert_eq!(found.method.opponents().len(), 2);
        let error = read("'cmd='").expect_err("no program").to_string();
        assert_eq!(error, "match.opponents: \"cmd=\": name a program, as in cmd=stockfish");
    }
}
