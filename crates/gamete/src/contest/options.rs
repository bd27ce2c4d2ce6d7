mod configuration;
mod length;
mod names;
mod quick;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineSpec, Timeouts};
use gamete_arena::{
    Adjudication, Book, Contestant, GameName, MatchRules, Notation, Playable, Tournament, conditions,
    is_stream, suggest,
};

use gamete_stats::Sprt;
use serde::Serialize;

use super::adjudication::{max_moves, rule, tables};
use super::affinity::Affinity;
use super::book_options::BookOptions;
use super::engines::{contestant, engine_pairs, number_twins};
use super::game_file_options::GameFileOptions;
use super::idle_keys::idle_keys;
use super::log_options::LogOptions;
use super::starts::is_shuffled;
use crate::grid::{GRID_OPTIONS, GridChoice, grid_choice};
use crate::output_format::OutputFormat;
use crate::single_dash::{self, Group};
use crate::terminal;
use length::length;
use names::{KNOWN, WITHOUT_EFFECT};
use quick::without_quick;

/// What the command line means.
///
/// Serialised it is all that decides which games are played, so an option that does not is skipped; see
/// [`Options::configuration`].
#[derive(Debug, Serialize)]
pub struct Options {
    pub game: GameName,
    pub chess960: bool,
    pub contestants: Vec<Contestant<EngineSpec>>,
    pub tournament: Tournament,
    /// Rounds, of which there may be more when a match is resumed.
    #[serde(skip)]
    pub rounds: u64,
    /// Games of an encounter: two make a pair.
    pub games: u64,
    pub swap: bool,
    /// Whether the second of two has White first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reverse: bool,
    #[serde(skip)]
    pub output: OutputFormat,
    #[serde(flatten)]
    pub openings: BookOptions,
    pub adjudication: Adjudication,
    /// Directories of endgame tables.
    #[serde(skip)]
    pub tables: Option<Vec<PathBuf>>,
    #[serde(skip)]
    pub sprt: Option<Sprt>,
    #[serde(skip)]
    pub concurrency: usize,
    /// The grid that plays, if one does.
    #[serde(skip)]
    pub grid: Option<GridChoice>,
    /// Whether the match continues when a contestant fails.
    #[serde(skip)]
    pub recover: bool,
    #[serde(skip)]
    pub rating_interval: u64,
    #[serde(rename = "srand")]
    pub seed: Option<u64>,
    #[serde(skip)]
    pub pgn: Option<GameFileOptions>,
    #[serde(skip)]
    pub epd: Option<GameFileOptions>,
    pub event: String,
    pub site: String,
    #[serde(skip)]
    pub log: LogOptions,
    #[serde(skip)]
    pub affinity: Option<Arc<Affinity>>,
    /// Between the games of a thread.
    #[serde(skip)]
    pub wait: Duration,
    #[serde(skip)]
    pub timeouts: Timeouts,
    #[serde(skip)]
    pub journal: Option<PathBuf>,
    #[serde(skip)]
    pub fresh: bool,
    #[serde(skip)]
    pub json: bool,
    /// What was typed.
    #[serde(skip)]
    pub words: Vec<String>,
}

impl Options {
    /// Understands a command line.
    ///
    /// # Errors
    ///
    /// When anything in it cannot be.
    pub fn parse(words: &[String]) -> Result<Self> {
        let without_effect: Vec<_> = WITHOUT_EFFECT.iter().map(|&(name, _)| name).collect();
        let known = [KNOWN, GRID_OPTIONS, &without_effect, &["quick"]].concat();
        let groups = single_dash::repeated_groups(words, &known, &["engine"])?;
        if let Some(quick) = groups.iter().find(|group| group.name == "quick") {
            return Self::parse(&without_quick(words, quick, &groups)?);
        }
        for (name, reason) in
            WITHOUT_EFFECT.iter().filter(|(name, _)| groups.iter().any(|group| group.name == *name))
        {
            terminal::print_warning(&format!("-{name} has no effect here: {reason}"));
        }
        for name in ["noswap", "reverse", "fresh", "json", "tbignore50", "randomseed"] {
            groups.iter().filter(|group| group.name == name).try_for_each(Group::no_value)?;
        }
        let group = |name: &str| groups.iter().find(|group| group.name == name);
        let each = group("each").map_or_else(|| Ok(Vec::new()), engine_pairs)?;
        let mut contestants = Vec::new();
        for engine in groups.iter().filter(|group| group.name == "engine") {
            let mut pairs = each.clone();
            pairs.extend(engine_pairs(engine)?);
            let contestant =
                contestant(&pairs).with_context(|| format!("-engine {}", engine.values.join(" ")))?;
            if let Some(idle) = idle_keys(&contestant, &pairs) {
                terminal::print_warning(&idle);
            }
            contestants.push(contestant);
        }
        if contestants.len() < 2 {
            bail!(
                "{} contestants; a match takes two: -engine player=A.toml -engine model=chess/classic",
                contestants.len()
            );
        }
        number_twins(&mut contestants);
        let game = match group("game") {
            Some(group) => group.single()?.parse::<GameName>()?,
            None => contestants[0].game(),
        };
        if let Some(wrong) = contestants.iter().find(|contestant| contestant.game() != game) {
            bail!("{} plays {}, not {game}", wrong.name, wrong.game());
        }
        let chess960 = is_shuffled(group("variant"), game)?;
        let (rounds, games) = length(group("rounds"), group("games"), group("repeat"))?;
        let sprt = group("sprt").map(single_dash::parse_sprt).transpose()?;
        if sprt.is_some() && contestants.len() > 2 {
            bail!("-sprt: a sequential test is of two contestants, not {}", contestants.len());
        }
        let recover = match group("recover").filter(|group| !group.values.is_empty()).map(Group::single) {
            Some(word) => on_or_off("recover", word?)?,
            None => true,
        };
        let seeds = group("seeds").map(Group::number).transpose()?;
        let tournament = match group("tournament").map(Group::single).transpose()? {
            None | Some("roundrobin" | "round-robin") => Tournament::RoundRobin,
            Some("gauntlet") => Tournament::Gauntlet { seeds: seeds.unwrap_or(1) },
            Some("quick") => Tournament::Quick,
            Some(other) => {
                let hint = suggest(other, ["roundrobin", "gauntlet", "quick"]);
                bail!("-tournament: there is no {other:?}{hint}")
            }
        };
        match (seeds, tournament) {
            (Some(seeds), Tournament::Gauntlet { .. }) if !(1..contestants.len()).contains(&seeds) => {
                bail!("-seeds: {seeds} of {} contestants leave no gauntlet", contestants.len())
            }
            (Some(_), Tournament::RoundRobin | Tournament::Quick) => {
                bail!("-seeds: only a gauntlet has seeds: -tournament gauntlet")
            }
            _ => {}
        }
        if sprt.is_some() && tournament == Tournament::Quick {
            bail!("-sprt: a quick tournament ends when all are ranked, not by a test");
        }
        let grid = grid_choice(&groups)?;
        let tables = tables(&groups, game, grid.as_ref())?;
        let concurrency = concurrency(group("concurrency"))?;
        let affinity = group("use-affinity");
        let affinity = affinity
            .map(|group| Affinity::parse(group, concurrency, &contestants))
            .transpose()?
            .map(Arc::new);
        let pgn = group("pgnout").map(GameFileOptions::games).transpose()?;
        if !game.has_notations() && pgn.as_ref().is_some_and(|pgn| pgn.notation != Notation::San) {
            bail!("-pgnout: notation= is for chess, not for {game}");
        }
        if let Some(pgn) = &pgn {
            pgn.idle_keys(&contestants).iter().for_each(|text| terminal::print_warning(text));
        }
        if group("srand").is_some() && group("randomseed").is_some() {
            bail!("-randomseed: the seed is that of -srand; leave out one of them");
        }
        let max_moves = group("maxmoves").map(max_moves).transpose()?;
        let text = |name, default: &str| {
            group(name).map(Group::single).transpose().map(|text| text.unwrap_or(default).to_owned())
        };
        let openings = group("openings").map_or_else(|| Ok(BookOptions::default()), BookOptions::parse)?;
        openings.check(game, chess960)?;
        let epd = group("epdout").map(GameFileOptions::positions).transpose()?;
        if let (Some(pgn), Some(epd)) = (&pgn, &epd)
            && pgn.path == epd.path
            && !is_stream(&pgn.path)
        {
            let path = epd.path.display();
            bail!("-epdout: {path} is the file of -pgnout too; games and positions go to two files");
        }
        Ok(Self {
            game,
            chess960,
            contestants,
            tournament,
            rounds,
            games,
            swap: group("noswap").is_none(),
            reverse: group("reverse").is_some(),
            output: group("output").map(OutputFormat::parse).transpose()?.unwrap_or_default(),
            openings,
            adjudication: Adjudication {
                draw: group("draw").map(rule).transpose()?,
                resign: group("resign").map(rule).transpose()?,
                max_moves: max_moves.map(|(moves, _)| moves),
                at_max_moves: max_moves.map(|(_, at)| at).unwrap_or_default(),
                endless: false,
                tablebase: tables.as_ref().map(|(_, rule)| *rule),
            },
            tables: tables.map(|(directories, _)| directories),
            sprt,
            concurrency,
            grid,
            recover,
            rating_interval: group("ratinginterval").map(Group::number).transpose()?.unwrap_or(10),
            seed: group("srand").map(Group::number).transpose()?,
            pgn,
            epd,
            event: text("event", "Gamete match")?,
            site: text("site", "?")?,
            log: LogOptions::parse(group("log"), group("debug"))?,
            affinity,
            wait: milliseconds(group("wait"), Duration::ZERO)?,
            timeouts: timeouts(group("startup-ms"), group("ucinewgame-ms"), group("ping-ms"))?,
            journal: group("journal").map(Group::single).transpose()?.map(PathBuf::from),
            fresh: group("fresh").is_some(),
            json: group("json").is_some(),
            words: words.to_vec(),
        })
    }

    /// Which games there are, and when the match is over.
    pub fn rules(&self, seed: u64) -> MatchRules {
        let &Self { tournament, rounds, games, swap, reverse, sprt, .. } = self;
        MatchRules { tournament, rounds, games, swap, reverse, sprt, seed }
    }

    /// The book that was named.
    pub fn book<G: Playable>(&self) -> Result<Option<Book<G>>> {
        let BookOptions { file, format, plies, .. } = &self.openings;
        Ok(file.as_ref().map(|file| Book::load(file, *format, *plies)).transpose()?)
    }

    /// What stands in the parentheses of reports: `nodes=1000, 1t, book.epd`.
    pub fn conditions(&self, book: &str) -> String {
        conditions(&self.contestants, book)
    }
}

/// The number of threads: by default all, and 0 or less is that many fewer than all.
pub fn concurrency(group: Option<&Group<'_>>) -> Result<usize> {
    let all = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let Some(group) = group else { return Ok(all) };
    match group.number::<isize>()? {
        number @ 1.. => Ok(number as usize),
        fewer => Ok(all.saturating_sub(fewer.unsigned_abs()).max(1)),
    }
}

pub fn milliseconds(group: Option<&Group<'_>>, default: Duration) -> Result<Duration> {
    Ok(group.map(Group::number).transpose()?.map_or(default, Duration::from_millis))
}

/// How long engines may take to start, for a new game, and for any other `isready`.
pub fn timeouts(
    start: Option<&Group<'_>>,
    new_game: Option<&Group<'_>>,
    ping: Option<&Group<'_>>,
) -> Result<Timeouts> {
    let usual = Timeouts::default();
    Ok(Timeouts {
        start: milliseconds(start, usual.start)?,
        new_game: milliseconds(new_game, usual.new_game)?,
        ping: milliseconds(ping, usual.ping)?,
        ..usual
    })
}

fn on_or_off(name: &str, word: &str) -> Result<bool> {
    match word {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => bail!("-{name}: {word:?} is not on or off"),
    }
}

#[cfg(test)]
mod tests;
