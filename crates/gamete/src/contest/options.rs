use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::Timeouts;
use gamete_arena::{
    Adjudication, Book, Contestant, GameName, Limits, Notation, Playable, Tournament, suggest,
};

use gamete_stats::Sprt;
use serde_json::json;

use super::adjudication::{draw_rule, max_moves, resign_rule, tables};
use super::affinity::Affinity;
use super::book_options::{BookOptions, OpeningPolicy};
use super::engines::{contestant, engine_pairs, number_twins};
use super::game_file::is_stream;
use super::game_file_options::GameFileOptions;
use super::idle_keys::idle_keys;
use super::log_options::LogOptions;
use crate::output_format::OutputFormat;
use crate::single_dash::{self, Group};
use crate::terminal;

/// Every option, as fastchess and cutechess spell them.
const KNOWN: &[&str] = &[
    "engine",
    "each",
    "rounds",
    "games",
    "repeat",
    "concurrency",
    "openings",
    "draw",
    "resign",
    "maxmoves",
    "tb",
    "tbpieces",
    "tbignore50",
    "tbadjudicate",
    "sprt",
    "pgnout",
    "epdout",
    "ratinginterval",
    "srand",
    "recover",
    "tournament",
    "variant",
    "game",
    "noswap",
    "reverse",
    "seeds",
    "output",
    "event",
    "site",
    "journal",
    "fresh",
    "json",
    "log",
    "debug",
    "use-affinity",
    "wait",
    "startup-ms",
    "ucinewgame-ms",
    "ping-ms",
    "randomseed",
];

/// Options of fastchess and cutechess that change nothing here, and why not; users are told so.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("autosaveinterval", "every pair of games is saved as it ends"),
    ("bookmode", "books are read as they are needed"),
    ("check-mate-pvs", "lines that engines expect are not checked"),
    ("config", "the same command resumes from its journal"),
    ("crc32", "games have no checksum"),
    ("force-concurrency", "any -concurrency is taken"),
    ("outcomeinterval", "reports come by -ratinginterval"),
    ("report", "reports have pairs of games wherever games are paired"),
    ("resultformat", "the columns of tables are fixed"),
    ("scoreinterval", "reports come by -ratinginterval"),
    ("show-latency", "what a move costs besides thinking is not measured"),
    ("strict", "slips are errors in any case"),
    ("testEnv", "it is for tests of fastchess"),
];

/// What the command line means.
#[derive(Debug)]
pub struct Options {
    pub game: GameName,
    pub chess960: bool,
    pub contestants: Vec<Contestant>,
    pub tournament: Tournament,
    pub rounds: u64,
    /// Games of an encounter: two make a pair.
    pub games: u64,
    pub swap: bool,
    /// Whether the second of two has White first.
    pub reverse: bool,
    pub output: OutputFormat,
    pub openings: BookOptions,
    pub adjudication: Adjudication,
    /// Directories of endgame tables.
    pub tables: Option<Vec<PathBuf>>,
    pub sprt: Option<Sprt>,
    pub concurrency: usize,
    /// Whether the match continues when a contestant fails.
    pub recover: bool,
    pub rating_interval: u64,
    pub seed: Option<u64>,
    pub pgn: Option<GameFileOptions>,
    pub epd: Option<GameFileOptions>,
    pub event: String,
    pub site: String,
    pub log: LogOptions,
    pub affinity: Option<Arc<Affinity>>,
    /// Between the games of a thread.
    pub wait: Duration,
    pub timeouts: Timeouts,
    pub journal: Option<PathBuf>,
    pub fresh: bool,
    pub json: bool,
}

impl Options {
    /// Understands a command line.
    ///
    /// # Errors
    ///
    /// When anything in it cannot be.
    pub fn parse(words: &[String]) -> Result<Self> {
        let without_effect: Vec<_> = WITHOUT_EFFECT.iter().map(|&(name, _)| name).collect();
        let known = [KNOWN, &without_effect, &["quick"]].concat();
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
        let chess960 = match group("variant").map(Group::single).transpose()? {
            None | Some("standard") => false,
            Some("fischerandom" | "fischerrandom" | "chess960" | "frc")
                if game.shuffled_starts().is_some() =>
            {
                true
            }
            Some(other) => bail!("-variant: {other:?} is not standard or fischerandom"),
        };
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
        let tables = tables(&groups)?;
        if tables.is_some() && !game.has_tablebase() {
            bail!("-tb: there are Syzygy tables of chess alone, not of {game}");
        }
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
                draw: group("draw").map(draw_rule).transpose()?,
                resign: group("resign").map(resign_rule).transpose()?,
                max_moves: max_moves.map(|(moves, _)| moves),
                at_max_moves: max_moves.map(|(_, at)| at).unwrap_or_default(),
                endless: false,
                tablebase: tables.as_ref().map(|(_, rule)| *rule),
            },
            tables: tables.map(|(directories, _)| directories),
            sprt,
            concurrency,
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
        })
    }

    /// Whether encounters are pairs with colours swapped.
    pub fn has_pairs(&self) -> bool {
        self.games == 2 && self.swap
    }

    /// The book that was named.
    pub fn book<G: Playable>(&self) -> Result<Option<Book<G>>> {
        let BookOptions { file, format, plies, .. } = &self.openings;
        Ok(file.as_ref().map(|file| Book::load(file, *format, *plies)).transpose()?)
    }

    /// All that decides which games are played, for the journal: everything but their number, which may grow.
    pub fn configuration(&self) -> serde_json::Value {
        let openings = &self.openings;
        let mut json = json!({
            "version": env!("CARGO_PKG_VERSION"), "game": self.game, "chess960": self.chess960,
            "contestants": self.contestants, "tournament": self.tournament, "games": self.games, "swap": self.swap,
            "openings": openings.configuration(self.game, self.chess960), "format": openings.format,
            "order": openings.order, "plies": openings.plies, "start": openings.start,
            "adjudication": self.adjudication, "srand": self.seed, "event": self.event, "site": self.site,
        });
        if openings.policy == OpeningPolicy::Encounter {
            json["policy"] = "encounter".into();
        }
        if self.reverse {
            json["reverse"] = true.into();
        }
        if self.tournament == Tournament::Quick {
            // Here they decide who meets whom.
            json["rounds"] = self.rounds.into();
        }
        json
    }

    /// The same of a match from before there were random openings, if no openings were asked for.
    pub fn old_configuration(&self) -> Option<serde_json::Value> {
        let BookOptions { file: None, named: None, .. } = &self.openings else { return None };
        let mut json = self.configuration();
        json["openings"] = serde_json::Value::Null;
        Some(json)
    }

    /// Where the journal is: where it was said, or beside the PGN if that is a file, or in the current directory.
    pub fn journal_path(&self) -> PathBuf {
        if let Some(path) = &self.journal {
            return path.clone();
        }
        match self.pgn.as_ref().filter(|pgn| !is_stream(&pgn.path)) {
            Some(pgn) => {
                let mut name = pgn.path.clone().into_os_string();
                name.push(".db");
                name.into()
            }
            None => {
                let path = named_after(&self.configuration());
                let old = self.old_configuration().map(|configuration| named_after(&configuration));
                // A match that began before is not passed over.
                old.filter(|old| !path.exists() && old.exists()).unwrap_or(path)
            }
        }
    }

    /// What stands in the parentheses of reports: `nodes=1000, 1t, book.epd`.
    pub fn conditions(&self, book: &str) -> String {
        let mut limits: Vec<_> =
            self.contestants.iter().map(|contestant| limits_text(&contestant.limits)).collect();
        limits.dedup();
        format!("{}, 1t, {book}", limits.join(" - "))
    }
}

/// A journal in the current directory.
fn named_after(configuration: &serde_json::Value) -> PathBuf {
    // FNV-1a, which is the same everywhere and for ever.
    let text = configuration.to_string();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Path::new(&format!("match-{hash:016x}.db")).to_owned()
}

/// The words that fastchess's shortcut stands for, `-quick cmd=A cmd=B book=BOOK`. What is said besides it goes first.
fn without_quick(words: &[String], quick: &Group<'_>, groups: &[Group<'_>]) -> Result<Vec<String>> {
    let begin = words.iter().position(|word| word.trim_start_matches('-') == "quick").unwrap_or_default();
    let mut rest = words.to_vec();
    rest.drain(begin..=begin + quick.values.len());
    for (key, value) in quick.pairs(&["cmd", "book", "player", "model"])? {
        let option = if key == "book" {
            ["-openings".to_owned(), format!("file={value}")]
        } else {
            ["-engine".to_owned(), format!("{key}={value}")]
        };
        rest.extend(option);
    }
    for default in [
        "-each tc=10+0.1",
        "-rounds 25000",
        "-games 2",
        "-concurrency -2",
        "-draw movenumber=30 movecount=8 score=8",
        "-output format=cutechess",
    ] {
        let name = default.split_whitespace().next().unwrap_or_default();
        if !groups.iter().any(|group| group.name == &name[1..]) {
            rest.extend(default.split_whitespace().map(str::to_owned));
        }
    }
    Ok(rest)
}

/// As reports have it: `10+0.1`, without its key.
fn limits_text(limits: &Limits) -> String {
    let text = limits.to_string();
    text.strip_prefix("tc=").map_or_else(|| text.clone(), str::to_owned)
}

fn length(
    rounds: Option<&Group<'_>>,
    games: Option<&Group<'_>>,
    repeat: Option<&Group<'_>>,
) -> Result<(u64, u64)> {
    let positive = |group: &Group<'_>| match group.number::<u64>()? {
        0 => bail!("-{}: 0 games are no match", group.name),
        number => Ok(number),
    };
    let repeat = repeat.filter(|group| !group.values.is_empty()).map(positive).transpose()?;
    let (rounds, games) = (rounds.map(positive).transpose()?, games.map(positive).transpose()?);
    let (rounds, games) = match (rounds, games.or(repeat)) {
        (None, None) => (1, 2),
        (Some(rounds), None) => (rounds, 2),
        // Games without rounds are all games; and who says 100 games of 2 rounds means it the other way round.
        (None, Some(games)) if games > 2 => (games.div_ceil(2), 2),
        (Some(rounds), Some(games)) if games > 2 && rounds <= 2 => (games, rounds),
        (rounds, Some(games)) => (rounds.unwrap_or(1), games),
    };
    if rounds > MAX_ROUNDS {
        bail!("-rounds: {rounds} are more than anybody plays; say at most {MAX_ROUNDS}");
    }
    if games > MAX_GAMES {
        bail!("-games: {games} games from one opening; say at most {MAX_GAMES}, and -rounds for more");
    }
    Ok((rounds, games))
}

/// So many that numbers of games can be counted.
const MAX_ROUNDS: u64 = 1_000_000_000_000;

/// The games of an opening are kept together until the last is over.
const MAX_GAMES: u64 = 1000;

/// The number of threads: by default all, and 0 or less is that many fewer than all.
fn concurrency(group: Option<&Group<'_>>) -> Result<usize> {
    let all = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let Some(group) = group else { return Ok(all) };
    match group.number::<isize>()? {
        number @ 1.. => Ok(number as usize),
        fewer => Ok(all.saturating_sub(fewer.unsigned_abs()).max(1)),
    }
}

fn milliseconds(group: Option<&Group<'_>>, default: Duration) -> Result<Duration> {
    Ok(group.map(Group::number).transpose()?.map_or(default, Duration::from_millis))
}

/// How long engines may take to start, for a new game, and for any other `isready`.
fn timeouts(
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
mod tests {
    use gamete_arena::{AtMaxMoves, TablebaseDecides, TablebaseRule};

    use super::super::starts::NamedStart;
    use super::*;

    fn parse(text: &str) -> Result<Options> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    const TWO: &str = "-engine model=chess/material -engine model=chess/classic -each nodes=10";

    #[test]
    fn the_spelling_of_fastchess_is_understood() {
        let options = parse(
            "-engine model=chess/material name=A depth=3 weight.knight=3100 -engine model=chess/material name=A \
            -each tc=10+0.1 timemargin=20 -rounds 50 -games 2 -repeat -concurrency 3 -draw movenumber=34 movecount=8 score=20 \
            -resign movecount=3 score=600 twosided=true -maxmoves 200 -sprt elo0=0 elo1=2 alpha=0.05 beta=0.05 \
            model=normalized -pgnout file=x.pgn append=false -ratinginterval 5 -srand 42 -recover -variant fischerandom",
        )
        .unwrap();
        let names: Vec<_> = options.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
        assert_eq!(names, ["A", "A_2"]);
        assert_eq!(options.contestants[0].limits.to_string(), "tc=10+0.1 depth=3");
        assert_eq!((options.rounds, options.games, options.concurrency), (50, 2, 3));
        assert_eq!(options.adjudication.draw.unwrap().move_number, 34);
        assert!(options.adjudication.resign.unwrap().two_sided && options.chess960);
        assert_eq!(options.journal_path(), Path::new("x.pgn.db"));
        assert!(!options.pgn.unwrap().append);
    }

    #[test]
    fn the_shortcut_of_fastchess_leaves_room_for_more() {
        let options =
            parse("-quick model=chess/classic model=chess/material -rounds 7 -each nodes=9").unwrap();
        assert_eq!((options.rounds, options.games, options.output), (7, 2, OutputFormat::Cutechess));
        assert_eq!(options.contestants[1].limits.to_string(), "nodes=9");
        assert_eq!(options.adjudication.draw.unwrap().move_number, 30);
        let options = parse("-srand 1 -quick model=chess/classic model=chess/material").unwrap();
        assert_eq!((options.rounds, options.seed), (25_000, Some(1)));
        assert_eq!(options.contestants[0].limits.to_string(), "tc=10+0.1");
        let error = parse("-quick model=chess/classic model=chess/material book=none.epd").unwrap_err();
        assert_eq!(error.to_string(), "-openings: none.epd: there is no such file");
    }

    #[test]
    fn gauntlets_have_seeds() {
        let three = format!("{TWO} -engine model=chess/material");
        let options = parse(&format!("{three} -tournament gauntlet -seeds 2 -reverse")).unwrap();
        assert_eq!(options.tournament, Tournament::Gauntlet { seeds: 2 });
        assert!(options.reverse);
        let error = |text: &str| parse(&format!("{three} {text}")).unwrap_err().to_string();
        assert_eq!(error("-seeds 2"), "-seeds: only a gauntlet has seeds: -tournament gauntlet");
        assert!(error("-tournament gauntlet -seeds 3").contains("leave no gauntlet"));
        assert!(error("-output format=openbnch").contains("did you mean openbench?"));
    }

    #[test]
    fn tables_are_named_as_for_fastchess() {
        let options = parse(&format!("{TWO} -tb a:b/c -tbpieces 5 -tbignore50 -tbadjudicate DRAW")).unwrap();
        assert_eq!(options.tables.unwrap(), [Path::new("a"), Path::new("b/c")]);
        let decides = TablebaseDecides::Draw;
        let rule = TablebaseRule { max_pieces: Some(5), ignore_fifty_moves: true, decides };
        assert_eq!(options.adjudication.tablebase, Some(rule));
        let options = parse(&format!("{TWO} -tb a -tbpieces 0")).unwrap();
        assert_eq!(options.adjudication.tablebase, Some(TablebaseRule::default()));
        assert_eq!(parse(TWO).unwrap().adjudication.tablebase, None);
        let error = |text: &str| format!("{:#}", parse(text).unwrap_err());
        assert_eq!(error(&format!("{TWO} -tbpieces 5")), "-tbpieces: say with -tb where the tables are");
        let wrong = error(&format!("{TWO} -tb a -tbadjudicate WINS"));
        assert_eq!(wrong, "-tbadjudicate: \"WINS\" is not WIN_LOSS, DRAW or BOTH");
        let checkers = "-engine model=checkers/material -engine model=checkers/squares -each nodes=1 -tb a";
        assert!(error(checkers).contains("tables of chess alone"));
    }

    #[test]
    fn long_games_are_drawn_or_decided_by_material() {
        let at = |text: &str| {
            let rules = parse(&format!("{TWO} {text}")).unwrap().adjudication;
            (rules.max_moves, rules.at_max_moves)
        };
        assert_eq!(at(""), (None, AtMaxMoves::Draw));
        assert_eq!(at("-maxmoves 200"), (Some(200), AtMaxMoves::Draw));
        assert_eq!(at("-maxmoves 120 material"), (Some(120), AtMaxMoves::Material));
    }

    #[test]
    fn the_number_of_games_is_understood_as_it_is_meant() {
        let games = |text: &str| {
            let options = parse(&format!("{TWO} {text}")).unwrap();
            (options.rounds, options.games)
        };
        assert_eq!(games(""), (1, 2));
        assert_eq!(games("-rounds 7"), (7, 2));
        assert_eq!(games("-games 100 -repeat"), (50, 2));
        assert_eq!(games("-games 100 -rounds 2"), (100, 2));
        assert_eq!(games("-games 1 -rounds 20"), (20, 1));
        assert_eq!(games("-rounds 4 -repeat 2"), (4, 2));
    }

    #[test]
    fn more_games_than_can_be_counted_are_refused() {
        let error = |text: &str| parse(&format!("{TWO} {text}")).unwrap_err().to_string();
        assert!(
            error("-rounds 1000000000001").contains("-rounds: 1000000000001 are more than anybody plays")
        );
        assert!(error("-rounds 3 -games 1001").contains("-games: 1001 games from one opening"));
    }

    #[test]
    fn openings_may_be_named_instead_of_a_file() {
        let named = |text: &str| parse(&format!("{TWO} {text}")).unwrap().openings.named;
        assert_eq!(named(""), None);
        assert_eq!(named("-openings random plies=8"), Some(NamedStart::Random));
        assert_eq!(named("-openings startpos"), Some(NamedStart::StartPosition));
        let configuration =
            |text: &str| parse(&format!("{TWO} {text}")).unwrap().configuration()["openings"].clone();
        assert_eq!(configuration(""), "random openings of 6 plies");
        assert_eq!(configuration("-openings random plies=8"), "random openings of 8 plies");
        assert_eq!(configuration("-openings startpos"), serde_json::Value::Null, "as it always was");
        assert_eq!(configuration("-variant frc -openings chess960"), serde_json::Value::Null);
        let error = |text: &str| parse(&format!("{TWO} {text}")).unwrap_err().to_string();
        assert!(error("-openings chess960").contains("wants -variant fischerandom"));
        assert!(error("-openings ballots").contains("are of checkers, not of chess"));
        assert!(error("-openings random startpos").contains("one word too many"));
        assert!(error("-openings random plies=0").contains("is -openings startpos"));
        assert!(error("-openings random plies=41").contains("at most 40"));
        assert!(error("-openings plies=4").contains("of a book, file=…, or of -openings random"));
        assert!(error("-openings rndom").contains("or a pair like file=…"));
    }

    #[test]
    fn a_match_recovers_unless_it_is_told_not_to() {
        let recovers = |text: &str| parse(&format!("{TWO} {text}")).unwrap().recover;
        assert!(recovers("") && recovers("-recover") && recovers("-recover on"));
        assert!(!recovers("-recover off"));
    }

    #[test]
    fn slips_are_named_before_any_game() {
        let error = |text: &str| format!("{:#}", parse(text).unwrap_err());
        let with = |text: &str| error(&format!("{TWO} {text}"));
        assert!(
            error("-engine model=chess/material tc=banana -engine model=chess/classic")
                .contains("tc=banana: must be")
        );
        assert_eq!(error("-engne x"), "there is no -engne; did you mean -engine?");
        assert!(
            error("-engine model=chess/material nodes=1").starts_with("1 contestants; a match takes two")
        );
        assert!(with("-engine model=chess/clasic").ends_with("did you mean \"chess/classic\"?"));
        assert_eq!(with("-engine model=checkers/material"), "checkers/material plays checkers, not chess");
        assert_eq!(with("-game checkers"), "chess/material plays chess, not checkers");
        assert!(with("-engine model=chess/classic nods=5").contains("did you mean nodes?"));
        assert!(with("-sprt elo0=5 elo1=0").starts_with("-sprt: "));
        assert!(with("-openings file=nowhere.epd").contains("there is no such file"));
        assert!(with("-maxmoves many").contains("\"many\" is not a number"));
        assert_eq!(with("-maxmoves 5 win"), "-maxmoves: \"win\" is not draw or material");
        assert!(with("-tournament gauntled").contains("did you mean \"gauntlet\"?"));
        assert_eq!(with("-recover maybe"), "-recover: \"maybe\" is not on or off");
        assert!(
            error("-engine model=chess/material -engine model=chess/classic")
                .contains("nothing ends its moves")
        );
    }
}
