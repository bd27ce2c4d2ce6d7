//! Corpora and suites that are made for an experiment: of games that the command line names, or of our own where the experiment
//! says `own`. They are kept in the folder `data` of the lab, named by what they are made from, so that the same command finds
//! them again.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use gamete_arena::files::Output;
use gamete_arena::{Contestant, Executor, GameName, Limits, ModelInfo, Playable, Player, Rng, dispatch};
use gamete_chess::{Epd, Operation, Position};
use gamete_corpus::{
    Corpus, DrawOptions, Drawn, PuzzleOptions, SelfPlay, draw_from_games, draw_from_play, draw_puzzles,
    write_corpus,
};
use gamete_lab::Plan;

use crate::terminal::{self, counted, errln, grouped};

/// What experiments say where they want data of our own.
const OWN: &str = "own";

/// Files that an experiment is to learn from.
#[derive(clap::Args)]
pub struct DataArgs {
    /// Games to learn from, compressed or not, for experiments that imitate experts: a corpus of them is made in the lab
    #[arg(long, value_name = "FILE")]
    games: Vec<PathBuf>,

    /// Positions with known best moves, an EPD file, for experiments that solve them
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
}

/// What data are made with.
pub struct Workshop<'a> {
    /// The directory of the lab.
    pub lab: &'a Path,
    /// Who plays and solves.
    pub executor: &'a dyn Executor,
    /// Whether to break it off.
    pub stop: &'a AtomicBool,
    /// Games of our own that a corpus is made of.
    pub own_games: u64,
    /// Positions that a suite is made of.
    pub puzzles: PuzzleOptions,
}

/// Nodes of a move in games of our own.
const OWN_NODES: u64 = 2_000;

/// Positions of each of these games.
const OWN_PER_GAME: usize = 5;

impl<'a> Workshop<'a> {
    /// One with the usual sizes.
    pub fn new(lab: &'a Path, executor: &'a dyn Executor, stop: &'a AtomicBool) -> Self {
        Self { lab, executor, stop, own_games: 2_000, puzzles: PuzzleOptions::default() }
    }
}

/// The changes of keys that give an experiment the data that it asks for, as `--set` takes them. What is not there yet is made.
///
/// # Errors
///
/// When there is nothing that learns from them, they cannot be made, or it is interrupted: then what is complete is found again.
pub fn data_changes(args: &DataArgs, plan: &Plan, workshop: &Workshop<'_>) -> Result<Vec<String>> {
    let corpus = key_of(plan, &["experts.corpus", "corpus"]);
    let suite = key_of(plan, &["suite.file"]);
    if !args.games.is_empty() && corpus.is_none() {
        bail!("--games: nothing here learns from experts; `gamete evolve grandmaster` and imitation do");
    }
    if args.suite.is_some() && suite.is_none() {
        bail!("--suite: nothing here solves positions; `gamete evolve grandmaster` and search-settings do");
    }
    let game = corpus.as_ref().or(suite.as_ref()).map(|key| key.game).unwrap_or_default();
    let mut changes = Vec::new();
    let mut positions = corpus.as_ref().map(|key| PathBuf::from(&key.file));
    if let Some(corpus) = corpus.filter(|corpus| !args.games.is_empty() || corpus.file == OWN) {
        let path = workshop.corpus(game, &args.games, plan.seed())?;
        changes.push(corpus.set(&path));
        positions = Some(path);
    }
    match (&args.suite, suite) {
        (Some(path), Some(suite)) => changes.push(suite.set(path)),
        (None, Some(suite)) if suite.file == OWN => {
            let positions = match positions {
                Some(path) => path,
                None => workshop.corpus(game, &[], plan.seed())?,
            };
            changes.push(suite.set(&workshop.suite(&positions, plan.seed())?));
        }
        _ => {}
    }
    Ok(changes)
}

/// A key that names a file of data.
struct DataKey {
    key: &'static str,
    file: String,
    /// The game that the data are of.
    game: GameName,
}

impl DataKey {
    /// The change that gives it another file.
    fn set(&self, path: &Path) -> String {
        format!("{}={:?}", self.key, path.display().to_string())
    }
}

/// The first of these keys that an experiment of the plan has, if it has its objective too.
fn key_of(plan: &Plan, keys: &[&'static str]) -> Option<DataKey> {
    plan.experiments().iter().find_map(|experiment| {
        let (table, breed) = (experiment.table(), experiment.method.breed()?);
        let file = |key: &str| match key.split_once('.') {
            Some((objective, key)) if table.get("objective")?.as_str()? == objective => {
                table.get(objective)?.get(key)?.as_str().map(str::to_owned)
            }
            Some(_) => None,
            None => table.get(key)?.as_str().map(str::to_owned),
        };
        let named = |&key: &&'static str| Some(DataKey { key, file: file(key)?, game: breed.game() });
        keys.iter().find_map(named)
    })
}

impl Workshop<'_> {
    /// A corpus of games, or of our own if there are none.
    fn corpus(&self, game: GameName, games: &[PathBuf], seed: u64) -> Result<PathBuf> {
        dispatch!(game, G => self.corpus_of::<G>(games, seed))
    }

    fn corpus_of<G: Playable>(&self, games: &[PathBuf], seed: u64) -> Result<PathBuf> {
        let model = ModelInfo::default_for(G::GAME_NAME);
        let player = Contestant::new(Player::new(model), Limits::nodes(OWN_NODES));
        let play = SelfPlay { player, games: self.own_games, plies: 8 };
        let per_game = if games.is_empty() { OWN_PER_GAME } else { 1 };
        let options = DrawOptions { seed, per_game, ..DrawOptions::default() };
        let mut made_from = format!("{options:?}\n");
        if games.is_empty() {
            let _ = writeln!(made_from, "{play:?}");
        }
        for path in games {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(made_from, "{name} {}", hash_of(path)?);
        }
        let kind = if games.is_empty() { "own-play" } else { "experts" };
        let path = self.path(kind, &made_from, "corpus");
        if path.exists() {
            errln!("corpus {}, made before", path.display());
            return Ok(path);
        }
        let drawn: Drawn<G> = if games.is_empty() {
            errln!(
                "no --games: {} of {} against itself are played to learn from, {}",
                counted(play.games, "game"),
                model.name,
                play.player.limits
            );
            let progress = terminal::progress(play.games, "games");
            let drawn = draw_from_play(&play, &options, self.executor, self.stop, || progress.inc(1));
            progress.finish_and_clear();
            drawn?
        } else {
            let total = games.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
            let progress = terminal::byte_progress(total);
            let drawn = draw_from_games(games, &options, |bytes| progress.inc(bytes));
            progress.finish_and_clear();
            drawn?
        };
        self.make_folder()?;
        write_corpus(&path, drawn.manifest(&options), &drawn.samples)?;
        errln!("corpus {}: {}", path.display(), counted(drawn.samples.len() as u64, "position"));
        Ok(path)
    }

    /// A suite of those positions of a corpus in which one move is clearly the best, and hard to see.
    fn suite(&self, corpus: &Path, seed: u64) -> Result<PathBuf> {
        let corpus = Corpus::open(corpus)?;
        let (options, model) = (&self.puzzles, ModelInfo::default_for(GameName::Chess));
        let made_from = format!("{} {seed} {options:?} {}", corpus.hash(), model.name);
        let path = self.path("suite", &made_from, "epd");
        if path.exists() {
            errln!("suite {}, made before", path.display());
            return Ok(path);
        }
        errln!(
            "no --suite: positions of the corpus are taken whose best move {} finds with {} nodes, and not with {}",
            model.name,
            grouped(options.look),
            grouped(options.glance)
        );
        let samples = corpus.samples::<Position>()?;
        let mut positions =
            samples.iter().map(|sample| Ok(sample?.position)).collect::<Result<Vec<Position>>>()?;
        Rng::new(seed).fork("suite").shuffle(&mut positions);
        let progress = terminal::spinner("solving positions");
        let threads = self.executor.capacity();
        let found =
            draw_puzzles(&positions, &Player::new(model), options, threads, self.stop, &|| progress.tick());
        progress.finish_and_clear();
        let found = found?;
        if self.stop.load(Ordering::Relaxed) {
            bail!("interrupted");
        }
        if found.is_empty() {
            bail!("no position of {} is hard to solve; name a suite with --suite FILE.epd", corpus.name());
        }
        self.make_folder()?;
        let mut output = Output::create(&path)?;
        for (number, (position, best)) in found.iter().enumerate() {
            let operations =
                vec![Operation::BestMoves(vec![*best]), Operation::Id(format!("own {}", number + 1))];
            writeln!(output, "{}", Epd { position: position.clone(), operations })?;
        }
        output.finish().with_context(|| format!("{}: cannot be written", path.display()))?;
        errln!("suite {}: {}", path.display(), counted(found.len() as u64, "position"));
        Ok(path)
    }

    /// Where something is kept that is made from this.
    fn path(&self, kind: &str, made_from: &str, ending: &str) -> PathBuf {
        let hash = blake3::hash(made_from.as_bytes()).to_hex();
        self.folder().join(format!("{kind}-{}.{ending}", &hash[..12]))
    }

    fn folder(&self) -> PathBuf {
        self.lab.join("data")
    }

    fn make_folder(&self) -> Result<()> {
        let folder = self.folder();
        fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be made", folder.display()))
    }
}

/// The hash of what is in a file.
fn hash_of(path: &Path) -> Result<String> {
    let named = || format!("{}: cannot be read", path.display());
    let mut hasher = blake3::Hasher::new();
    let mut file = File::open(path).with_context(named)?;
    std::io::copy(&mut file, &mut hasher).with_context(named)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use gamete_arena::Local;

    use super::*;

    #[test]
    fn own_data_are_the_same_on_any_number_of_threads_and_made_once() {
        let make = |lab: &Path, threads: usize| {
            let executor = Local::new(threads).expect("threads");
            let never = AtomicBool::new(false);
            let puzzles = PuzzleOptions { count: 2, glance: 1, look: 300, margin: 200 };
            let workshop = Workshop { own_games: 6, puzzles, ..Workshop::new(lab, &executor, &never) };
            let corpus = workshop.corpus(GameName::Chess, &[], 1).expect("a corpus");
            let suite = workshop.suite(&corpus, 1).expect("a suite");
            [corpus, suite].map(|path| {
                let made = path.metadata().and_then(|data| data.modified()).expect("a file");
                let name = path.file_name().expect("a name").to_owned();
                (name, fs::read(&path).expect("a file"), made)
            })
        };
        let [one, two] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
        let first = make(one.path(), 1);
        assert_eq!(make(one.path(), 1), first, "what was made is found again");
        for ((name, bytes, _), (other_name, other_bytes, _)) in first.iter().zip(&make(two.path(), 2)) {
            assert!(name == other_name && bytes == other_bytes, "{name:?} {other_name:?}");
        }
        let text = String::from_utf8_lossy(&first[1].1).into_owned();
        assert!(text.lines().count() == 2 && text.lines().all(|line| line.contains(" bm ")), "{text}");
    }
}
