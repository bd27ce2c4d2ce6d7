use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineSpec, Timeouts};
use gamete_arena::{
    AtMaxMoves, Contestant, DrawRule, Limits, MAX_RANDOM_PLIES, RANDOM_PLIES, ResignRule, TablebaseRule,
    suggest,
};
use gamete_lab::METHODS;
use gamete_optim::{Key, OPTIMIZERS};
use gamete_stats::Sprt;
use toml::{Table, Value};

use crate::contest::{
    Affinity, BookOptions, LogOptions, NamedStart, concurrency, contestant, engine_pairs, is_shuffled,
    max_moves, milliseconds, rule, tables, timeouts,
};
use crate::grid::{GRID_OPTIONS, GridChoice, grid_choice};
use crate::lab::LabArgs;
use crate::single_dash::{self, Group};
use crate::terminal;

/// What the command line of a tune means.
#[derive(Debug)]
pub struct Options {
    /// What is tuned, and how much it may think.
    pub subject: Contestant<EngineSpec>,
    /// Where parameters come from.
    pub parameters: ParameterSource,
    /// Parameters that keep their values, by pattern.
    pub frozen: Vec<String>,
    /// How values are sought.
    pub method: TuneMethod,
    /// Its settings.
    pub settings: Table,
    /// Games of the search; none of what learns from a corpus.
    pub games: u64,
    /// Pairs of games of a trial, if said.
    pub pairs: Option<u64>,
    /// Where games start.
    pub openings: TuneOpenings,
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    pub max_moves: Option<(u32, AtMaxMoves)>,
    /// Directories of endgame tables, and which games these decide.
    pub tables: Option<(Vec<PathBuf>, TablebaseRule)>,
    /// Whether random openings begin with the shuffled starts of Chess960.
    pub shuffled: bool,
    /// What follows the search.
    pub verify: Verify,
    /// Games to see what parameters are worth before any search, if that is all that is asked for.
    pub dry_run: Option<u64>,
    /// Where the parameters go that a dry run proposes.
    pub output: Option<PathBuf>,
    pub seed: u64,
    /// What to call it, if said.
    pub name: Option<String>,
    pub lab: LabArgs,
    pub concurrency: usize,
    /// The grid that plays, if one does.
    pub grid: Option<GridChoice>,
    pub timeouts: Timeouts,
    pub log: LogOptions,
    pub affinity: Option<Arc<Affinity>>,
    /// Between the games of a thread.
    pub wait: Duration,
    pub fresh: bool,
    /// Whether to go on with another budget or other ranges, and with which tune, if it is named.
    pub change: Option<Option<String>>,
    pub print: bool,
    pub json: bool,
}

/// How values are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TuneMethod {
    /// By games, with the optimiser that is usual for so many parameters.
    Usual,
    /// By games, with this optimiser.
    Optimizer(&'static str),
    /// By gradient from a corpus, with this method of the lab.
    Corpus(&'static str),
}

impl TuneMethod {
    /// The methods of the lab that learn weights from a corpus.
    const OF_CORPORA: [&'static str; 2] = ["texel", "move-ranking"];

    /// The method of a corpus, if it is one.
    pub fn corpus(self) -> Option<&'static str> {
        match self {
            Self::Corpus(name) => Some(name),
            Self::Usual | Self::Optimizer(_) => None,
        }
    }
}

/// Where parameters come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterSource {
    /// A file of any form.
    File(PathBuf),
    /// The options of the engine, or the weights and settings of the player, that match a pattern.
    Auto(Option<String>),
}

/// Where the games of a tune start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuneOpenings {
    /// A file.
    pub file: Option<PathBuf>,
    /// Plies of a file's games, or random plies where there is no file.
    pub plies: Option<usize>,
}

/// The games of the result against the original values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verify {
    /// How many, if said.
    pub games: Option<u64>,
    /// Limits of a second match.
    pub limits: Option<Limits>,
    /// The test that ends a match.
    pub sprt: Option<Sprt>,
}

const KNOWN: &[&str] = &[
    "engine",
    "each",
    "params",
    "freeze",
    "method",
    "games",
    "pairs",
    "openings",
    "draw",
    "resign",
    "maxmoves",
    "tb",
    "tbpieces",
    "tbignore50",
    "tbadjudicate",
    "variant",
    "verify",
    "sprt",
    "dry-run",
    "o",
    "srand",
    "name",
    "lab",
    "concurrency",
    "startup-ms",
    "ucinewgame-ms",
    "ping-ms",
    "log",
    "debug",
    "use-affinity",
    "wait",
    "fresh",
    "change",
    "print",
    "json",
];

/// Options of a match that a tune does without, and why it can.
const IDLE: &[(&str, &str)] = &[
    ("repeat", "every opening is played with both colours in any case"),
    ("event", "only game files have it"),
    ("site", "only game files have it"),
    ("ratinginterval", "lines come by generations"),
    ("output", "what came out is printed at the end, or by -json"),
    ("recover", "an engine that fails loses the game, and one that fails again and again ends the tune"),
];

/// Options of a match that a tune cannot do justice to, and what there is instead.
const OF_MATCHES: &[(&str, &str)] = &[
    ("rounds", "say -games N, the games of the search, and -verify games=N"),
    ("noswap", "every opening is played with both colours"),
    ("reverse", "every opening is played with both colours"),
    ("tournament", "points play each other, or against the original values, as the -method says"),
    ("seeds", "points play each other, or against the original values, as the -method says"),
    ("game", "what is tuned says which game it plays"),
    ("pgnout", "`gamete export ID --games FILE` writes the games that were kept"),
    ("epdout", "`gamete export ID --games FILE` writes the games that were kept"),
    ("journal", "every game is kept in the lab, -lab DIR"),
    ("randomseed", "a tune is resumed by its seed: say -srand N"),
];

impl Options {
    /// Understands a command line.
    ///
    /// # Errors
    ///
    /// When anything in it cannot be.
    pub fn parse(words: &[String]) -> Result<Self> {
        let of_matches: Vec<&str> = IDLE.iter().chain(OF_MATCHES).map(|&(name, _)| name).collect();
        let groups =
            single_dash::repeated_groups(words, &[KNOWN, GRID_OPTIONS, &of_matches].concat(), &["engine"])?;
        let is_typed = |name: &str| groups.iter().any(|group| group.name == name);
        if let Some((name, instead)) = OF_MATCHES.iter().find(|(name, _)| is_typed(name)) {
            bail!("-{name}: it is not for a tune: {instead}");
        }
        for (name, reason) in IDLE.iter().filter(|(name, _)| is_typed(name)) {
            terminal::print_warning(&format!("-{name} has no effect here: {reason}"));
        }
        let group = |name: &str| groups.iter().find(|group| group.name == name);
        for name in ["fresh", "print", "json"] {
            group(name).map_or(Ok(()), Group::no_value)?;
        }
        let engines: Vec<&Group<'_>> = groups.iter().filter(|group| group.name == "engine").collect();
        let [engine] = engines[..] else {
            let count = if engines.is_empty() {
                "no -engine".to_owned()
            } else {
                format!("-engine is given {} times", engines.len())
            };
            bail!("{count}; a tune takes one: -engine cmd=PROGRAM, player=FILE or model=chess/classic");
        };
        let mut pairs = group("each").map_or_else(|| Ok(Vec::new()), engine_pairs)?;
        pairs.extend(engine_pairs(engine)?);
        let subject = contestant(&pairs).with_context(|| format!("-engine {}", engine.values.join(" ")))?;
        let parameters =
            match group("params").context("say what to tune: -params FILE, or -params auto")?.single()? {
                "auto" => ParameterSource::Auto(None),
                text => match text.strip_prefix("auto:") {
                    Some(pattern) => ParameterSource::Auto(Some(pattern.to_owned())),
                    None => ParameterSource::File(text.into()),
                },
            };
        let (method, settings) = method(group("method"))?;
        let games = match method.corpus() {
            Some(name) => {
                check_corpus_method(name, &settings, &subject, &is_typed)?;
                0
            }
            None => group("games").context("say how many games to play: -games 20000")?.number()?,
        };
        if games == 0 && method.corpus().is_none() {
            bail!("-games: 0 games tune nothing");
        }
        let dry_run = group("dry-run").map(|group| dry_run(group, games)).transpose()?;
        let output = group("o").map(Group::single).transpose()?.map(PathBuf::from);
        if output.is_some() && dry_run.is_none() {
            bail!("-o: it is for the parameters that -dry-run proposes");
        }
        let change = match group("change").map(|group| group.values.as_slice()) {
            None => None,
            Some([]) => Some(None),
            Some([id]) => Some(Some((*id).to_owned())),
            Some(_) => bail!("-change: name one tune of the lab, or none for the one with this -name"),
        };
        for (other, is_there) in [("fresh", group("fresh").is_some()), ("dry-run", dry_run.is_some())] {
            if change.is_some() && is_there {
                bail!("-change: it goes on with a tune, and -{other} does not; give one of the two");
            }
        }
        let trial_pairs = group("pairs").map(Group::number).transpose()?;
        if trial_pairs == Some(0) {
            bail!("-pairs: 0 pairs of games compare nothing");
        }
        let sprt = group("sprt").map(single_dash::parse_sprt).transpose()?;
        let grid = grid_choice(&groups)?;
        let concurrency = concurrency(group("concurrency"))?;
        let affinity = group("use-affinity")
            .map(|group| Affinity::parse(group, concurrency, std::slice::from_ref(&subject)))
            .transpose()?;
        let tables = tables(&groups, subject.game(), grid.as_ref())?;
        let shuffled = is_shuffled(group("variant"), subject.game())?;
        let lab = group("lab").map(Group::single).transpose()?;
        Ok(Self {
            subject,
            parameters,
            frozen: group("freeze")
                .map_or_else(Vec::new, |group| group.values.iter().map(|&value| value.to_owned()).collect()),
            method,
            settings,
            games,
            pairs: trial_pairs,
            openings: group("openings")
                .map_or_else(|| Ok(TuneOpenings::random(None)), TuneOpenings::parse)?,
            draw: group("draw").map(rule).transpose()?,
            resign: group("resign").map(rule).transpose()?,
            max_moves: group("maxmoves").map(max_moves).transpose()?,
            tables,
            shuffled,
            verify: verify(group("verify"), sprt)?,
            dry_run,
            output,
            seed: group("srand").map(Group::number).transpose()?.unwrap_or(1),
            name: group("name").map(Group::single).transpose()?.map(str::to_owned),
            lab: lab.map_or_else(LabArgs::default, |lab| LabArgs { lab: lab.into() }),
            concurrency,
            grid,
            timeouts: timeouts(group("startup-ms"), group("ucinewgame-ms"), group("ping-ms"))?,
            log: log(group("log"), group("debug"))?,
            affinity: affinity.map(Arc::new),
            wait: milliseconds(group("wait"), Duration::ZERO)?,
            fresh: group("fresh").is_some(),
            change,
            print: group("print").is_some(),
            json: group("json").is_some(),
        })
    }
}

/// `-log KEY=VALUE…` and `-debug`, of which a tune has what engines are told and say.
fn log(log: Option<&Group<'_>>, debug: Option<&Group<'_>>) -> Result<LogOptions> {
    let has_level = |group: &Group<'_>| group.values.iter().any(|value| value.starts_with("level="));
    if log.is_some_and(has_level) {
        terminal::print_warning("-log: level= has no effect here: the lab keeps what became of all games");
    }
    LogOptions::parse(log, debug)
}

/// Refuses what gradients cannot tune, and options of games that they do not play.
fn check_corpus_method(
    name: &str,
    settings: &Table,
    subject: &Contestant<EngineSpec>,
    is_typed: &impl Fn(&str) -> bool,
) -> Result<()> {
    if subject.engine().is_some() {
        bail!(
            "-method {name}: it learns from what each weight multiplies in a position, which an engine does not reveal; tune its options by games, as with \
             -method pairs, or weights of a player of Gamete, as with -engine model=chess/classic"
        );
    }
    if !settings.contains_key("corpus") {
        bail!(
            "-method {name}: name the positions that it learns from: corpus=FILE, as `gamete corpus make` makes it"
        );
    }
    for option in ["games", "pairs", "dry-run", "change"] {
        if is_typed(option) {
            bail!(
                "-{option}: -method {name} learns from its corpus without games; -verify games=N says how many then verify the result"
            );
        }
    }
    Ok(())
}

/// `-method NAME [KEY=VALUE…]`
fn method(group: Option<&Group<'_>>) -> Result<(TuneMethod, Table)> {
    let Some(group) = group else { return Ok((TuneMethod::Usual, Table::new())) };
    let (&name, pairs) = group.values.split_first().context("-method: a value is missing")?;
    let of_games = OPTIMIZERS.iter().map(|info| (TuneMethod::Optimizer(info.name), info.name, info.keys));
    let of_corpora = METHODS.iter().filter(|info| TuneMethod::OF_CORPORA.contains(&info.name));
    let of_corpora = of_corpora.map(|info| (TuneMethod::Corpus(info.name), info.name, info.keys));
    let known: Vec<(TuneMethod, &str, &[Key])> = of_games.chain(of_corpora).collect();
    let Some(&(method, _, keys)) = known.iter().find(|(_, known, _)| *known == name) else {
        bail!("-method: there is no {name:?}{}", suggest(name, known.iter().map(|(_, name, _)| *name)));
    };
    let mut settings = Table::new();
    for pair in pairs {
        let (key, value) = pair
            .split_once('=')
            .with_context(|| format!("-method: {pair:?} is not a pair like KEY=VALUE"))?;
        // Games end a search, but not a descent.
        let generations = method.corpus().map(|_| "generations");
        let keys = keys.iter().map(|key| key.name).chain(generations);
        if !keys.clone().any(|known| known == key) {
            let hint = if keys.clone().next().is_none() {
                "; it has no settings".to_owned()
            } else {
                suggest(key, keys)
            };
            bail!("-method: {name} has no {key}={hint}");
        }
        // Words need no quotes.
        let read =
            format!("value = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
        settings.insert(key.to_owned(), read.unwrap_or_else(|| Value::from(value)));
    }
    Ok((method, settings))
}

/// `-dry-run [games=N]`: a twentieth of the games of the search, but a few hundred.
fn dry_run(group: &Group<'_>, games: u64) -> Result<u64> {
    let mut found = (games / 20).clamp(400, 2_000);
    for (key, value) in group.pairs(&["games"])? {
        found = single_dash::number(group.name, key, value)?;
    }
    if found == 0 {
        bail!("-dry-run: 0 games show nothing");
    }
    Ok(found)
}

/// `-verify [games=N] [LIMITS]`
fn verify(group: Option<&Group<'_>>, sprt: Option<Sprt>) -> Result<Verify> {
    let mut verify = Verify { games: None, limits: None, sprt };
    let Some(group) = group else { return Ok(verify) };
    if group.values.is_empty() {
        bail!("-verify: say games=N, or the limits of a second match, as in tc=10+0.1");
    }
    let mut limits = Limits::default();
    for (key, value) in group.pairs(&["games", "tc", "st", "nodes", "depth"])? {
        match key {
            "games" => verify.games = Some(single_dash::number(group.name, key, value)?),
            _ => limits.set(key, value).context("-verify")?,
        }
    }
    verify.limits = (!limits.is_unlimited()).then_some(limits);
    if verify.games == Some(0) && (verify.limits.is_some() || sprt.is_some()) {
        bail!("-verify: games=0 plays nothing, and so leaves nothing for other limits or -sprt");
    }
    Ok(verify)
}

impl TuneOpenings {
    fn random(plies: Option<usize>) -> Self {
        Self { file: None, plies }
    }

    /// What follows `-openings`, as for a match.
    fn parse(group: &Group<'_>) -> Result<Self> {
        let book = BookOptions::parse(group)?;
        for key in ["order", "start", "policy"] {
            let is_there = |value: &&str| value.split_once('=').is_some_and(|(name, _)| name == key);
            if group.values.iter().any(is_there) {
                terminal::print_warning(&format!(
                    "-openings: {key}= has no effect here: openings are drawn by the seed, and a half is held out"
                ));
            }
        }
        if book.format.is_some() {
            bail!(
                "-openings: format= is not for a tune; give the file a name that says what it is, as .epd or .pgn"
            );
        }
        match (book.file, book.named) {
            (Some(file), None) => Ok(Self { file: Some(file), plies: book.plies }),
            (None, None | Some(NamedStart::Random)) => match book.plies {
                Some(plies) if !(Self::LEAST_PLIES..=MAX_RANDOM_PLIES).contains(&plies) => bail!(
                    "-openings: plies={plies}: give {} to {MAX_RANDOM_PLIES} random plies, so that some openings can be held out",
                    Self::LEAST_PLIES
                ),
                plies => Ok(Self::random(plies)),
            },
            (Some(_), Some(_)) => bail!("-openings: either a file or random"),
            (None, Some(_)) => bail!(
                "-openings: a tune needs many openings, as some are held out to verify what it finds; give file=… or random"
            ),
        }
    }

    /// With fewer random plies there are too few openings to hold some out.
    const LEAST_PLIES: usize = 4;

    /// Random plies where there is no file.
    pub fn random_plies(&self) -> usize {
        self.plies.filter(|_| self.file.is_none()).unwrap_or(RANDOM_PLIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Options> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    fn error(text: &str) -> String {
        format!("{:#}", parsed(text).expect_err("a slip"))
    }

    const USUAL: &str = "-engine model=chess/classic -each nodes=100 -params auto -games 1000";

    #[test]
    fn options_are_spelt_as_for_a_match() {
        let options = parsed(
            "-engine cmd=./engine arg=-x dir=/tmp option.Hash=8 restart=on -each tc=1+0.01 timemargin=5 -params auto:lmr_* \
             -method spsa r_end=0.01 -games 2000 -pairs 2 -openings random plies=8 -draw movenumber=40 movecount=8 score=10 \
             -resign movecount=3 score=400 -maxmoves 100 material -verify games=600 tc=5+0.05 -sprt elo0=0 elo1=10 -srand 7 \
             -name mine -lab x -concurrency 3 -freeze lmr_base -json",
        )
        .expect("options");
        let spec = options.subject.engine().expect("an engine");
        assert_eq!((spec.args.as_slice(), spec.dir.is_some()), (&["-x".to_owned()][..], true));
        assert_eq!(options.subject.time_margin_ms, 5);
        assert_eq!(options.parameters, ParameterSource::Auto(Some("lmr_*".to_owned())));
        assert_eq!(
            (options.method, options.settings["r_end"].as_float()),
            (TuneMethod::Optimizer("spsa"), Some(0.01))
        );
        assert_eq!((options.games, options.pairs, options.seed), (2000, Some(2), 7));
        assert_eq!(options.openings, TuneOpenings { file: None, plies: Some(8) });
        assert_eq!(options.draw.map(|rule| rule.move_number), Some(40));
        assert_eq!(options.max_moves, Some((100, AtMaxMoves::Material)));
        assert_eq!(options.verify.games, Some(600));
        assert_eq!(options.verify.limits.map(|limits| limits.to_string()), Some("tc=5+0.05".to_owned()));
        assert!(options.verify.sprt.is_some() && options.json && !options.fresh);
        assert_eq!((options.frozen, options.concurrency), (vec!["lmr_base".to_owned()], 3));
        let tables =
            parsed(&format!("{USUAL} -tb a:b -tbadjudicate DRAW -variant fischerandom")).expect("options");
        assert!(tables.shuffled && tables.tables.is_some_and(|(directories, _)| directories.len() == 2));
        let usual = parsed(USUAL).expect("options");
        assert_eq!((usual.method, usual.seed, usual.dry_run), (TuneMethod::Usual, 1, None));
        let texel = "-engine model=chess/classic -each nodes=9 -params auto -method texel corpus=x.corpus l2=0.1 generations=7";
        let texel = parsed(texel).expect("options");
        assert_eq!((texel.method, texel.games), (TuneMethod::Corpus("texel"), 0));
        assert_eq!(texel.settings["generations"].as_integer(), Some(7));
        let dry_run = |words: &str| parsed(&format!("{USUAL} -dry-run {words}")).expect("options").dry_run;
        assert_eq!((dry_run(""), dry_run("games=60 -o x.toml")), (Some(400), Some(60)));
    }

    #[test]
    fn slips_are_named() {
        for (text, words) in [
            ("-params auto -games 1", "no -engine; a tune takes one"),
            ("-engine model=chess/classic -params auto -games 1", "nothing limits its thinking"),
            (
                "-engine model=chess/classic nodes=1 -games 1",
                "say what to tune: -params FILE, or -params auto",
            ),
            ("-engine model=chess/classic nodes=1 -params auto", "say how many games to play: -games 20000"),
            ("-engine model=chess/classic nodes=1 -params auto -games 0", "-games: 0 games tune nothing"),
            (&format!("{USUAL} -pairs 0"), "-pairs: 0 pairs of games compare nothing"),
            (&format!("{USUAL} -method foo"), "-method: there is no \"foo\"; there are ga, "),
            (&format!("{USUAL} -method pairs sigma=1"), "-method: pairs has no sigma=; it has no settings"),
            (&format!("{USUAL} -method spas"), "-method: there is no \"spas\"; did you mean \"spsa\"?"),
            (
                &format!("{USUAL} -method ga populatoin=3"),
                "-method: ga has no populatoin=; did you mean \"population\"?",
            ),
            (&format!("{USUAL} -openings startpos"), "-openings: a tune needs many openings"),
            (&format!("{USUAL} -openings random plies=1"), "-openings: plies=1: give 4 to"),
            (
                "-engine cmd=./engine -each nodes=9 -params auto -method texel",
                "-method texel: it learns from what each weight multiplies in a position, which an engine does not reveal",
            ),
            (
                "-engine model=chess/classic -each nodes=9 -params auto -method texel",
                "-method texel: name the positions that it learns from: corpus=FILE",
            ),
            (
                &format!("{USUAL} -method texel corpus=x"),
                "-games: -method texel learns from its corpus without games",
            ),
            (
                &format!("{USUAL} -method texel corpsu=x"),
                "-method: texel has no corpsu=; did you mean \"corpus\"?",
            ),
            (&format!("{USUAL} -verify"), "-verify: say games=N"),
            (&format!("{USUAL} -verify games=0 nodes=9"), "-verify: games=0 plays nothing"),
            (&format!("{USUAL} -rounds 3"), "-rounds: it is not for a tune: say -games N"),
            (
                &format!("{USUAL} -pgnout x.pgn"),
                "-pgnout: it is not for a tune: `gamete export ID --games FILE`",
            ),
            (&format!("{USUAL} -round 3"), "there is no -round"),
            (&format!("{USUAL} -tbpieces 5"), "-tbpieces: say with -tb where the tables are"),
            (&format!("{USUAL} -variant shogi"), "-variant: \"shogi\" is not standard or fischerandom"),
            (
                "-engine model=checkers/material nodes=9 -params auto -games 9 -tb x",
                "-tb: there are Syzygy tables of chess alone",
            ),
            (&format!("{USUAL} -dry-run games=0"), "-dry-run: 0 games show nothing"),
            (&format!("{USUAL} -dry-run pairs=9"), "-dry-run"),
            (&format!("{USUAL} -change -fresh"), "-change: it goes on with a tune, and -fresh does not"),
            (&format!("{USUAL} -change a b"), "-change: name one tune of the lab"),
            (&format!("{USUAL} -o params.toml"), "-o: it is for the parameters that -dry-run proposes"),
        ] {
            let error = error(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
