//! Corpora and suites that are made for an experiment: of games that the command line names, or of our own where the experiment
//! says `own`. They are kept in the folder `data` of the lab, named by what they are made from, so that the same command finds
//! them again.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use gamete_arena::files::Output;
use gamete_arena::{
    Contestant, Executor, GameName, Limits, ModelInfo, Playable, Player, Rng, Suite, dispatch,
};
use gamete_chess::{Epd, Operation, Position};
use gamete_corpus::{
    Corpus, DrawOptions, Drawn, PuzzleOptions, SelfPlay, draw_from_games, draw_from_play, draw_puzzles,
    write_corpus,
};
use gamete_lab::{DATA_FOLDER, Plan};

use crate::terminal::{self, counted, errln, grouped};

/// What experiments say where they want data of our own.
const OWN: &str = "own";

/// Files that an experiment is to learn from.
#[derive(clap::Args)]
pub struct DataArgs {
    /// Games to learn from, compressed or not, for experiments that imitate experts; a corpus is made from them in
    /// the lab
    #[arg(long, value_name = "FILE")]
    games: Vec<PathBuf>,

    /// Positions with known best moves (an EPD file), for experiments that solve them
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

/// The version of how data are made. It is part of their names, and so is what they are made from, by name: a program that
/// can do more finds what an earlier one made.
const VERSION: u32 = 1;

impl<'a> Workshop<'a> {
    /// One with the usual sizes.
    pub fn new(lab: &'a Path, executor: &'a dyn Executor, stop: &'a AtomicBool) -> Self {
        Self { lab, executor, stop, own_games: 2_000, puzzles: PuzzleOptions::default() }
    }
}

/// The data that an experiment asks for, or is given on the command line.
pub struct LearningData<'a> {
    workshop: &'a Workshop<'a>,
    seed: u64,
    game: GameName,
    games: &'a [PathBuf],
    /// The keys that are to name a corpus, and the file that they name without us.
    corpus: Vec<DataKey>,
    named_corpus: Option<PathBuf>,
    /// Where the corpus is to be, if it is one of ours.
    own_corpus: Option<PathBuf>,
    /// The keys that are to name a suite.
    suites: Vec<DataKey>,
    named_suite: Option<&'a Path>,
}

impl<'a> LearningData<'a> {
    /// Those of a plan. Nothing is made yet.
    ///
    /// # Errors
    ///
    /// When nothing learns from what is given, or games cannot be read.
    pub fn new(args: &'a DataArgs, plan: &Plan, workshop: &'a Workshop<'a>) -> Result<Self> {
        let mut corpus = keys_of(plan, &["experts.corpus", "corpus"]);
        let mut suites = keys_of(plan, &["suite.file"]);
        if !args.games.is_empty() && corpus.is_empty() {
            bail!("--games: nothing here learns from experts; `gamete evolve grandmaster` and imitation do");
        }
        if args.suite.is_some() && suites.is_empty() {
            bail!(
                "--suite: nothing here solves positions; `gamete evolve grandmaster` and search-settings do"
            );
        }
        let (seed, games) = (plan.seed(), args.games.as_slice());
        let game = corpus.iter().chain(&suites).map(|key| key.game).next().unwrap_or_default();
        let named_corpus = corpus.iter().map(|key| &key.file).find(|file| *file != OWN).map(PathBuf::from);
        corpus.retain(|key| !games.is_empty() || key.file == OWN);
        suites.retain(|key| args.suite.is_some() || key.file == OWN);
        let wants_corpus = !corpus.is_empty() || !suites.is_empty() && named_corpus.is_none();
        let own_corpus = match wants_corpus && (args.suite.is_none() || !corpus.is_empty()) {
            true => Some(workshop.corpus_path(game, games, seed)?),
            false => None,
        };
        let named_suite = args.suite.as_deref();
        Ok(Self { workshop, seed, game, games, corpus, named_corpus, own_corpus, suites, named_suite })
    }

    /// The changes of keys, as `--set` takes them, that an experiment is named by: they are the same wherever the lab is, and
    /// data of our own are no change.
    pub fn names(&self) -> Vec<String> {
        let corpus = self.own_corpus.as_ref().filter(|_| !self.games.is_empty());
        let corpus = corpus.and_then(|path| path.file_name()).map(Path::new);
        let corpora = corpus.into_iter().flat_map(|name| self.corpus.iter().map(|key| key.set(name)));
        let suites =
            self.named_suite.into_iter().flat_map(|name| self.suites.iter().map(|key| key.set(name)));
        corpora.chain(suites).collect()
    }

    /// The changes that give an experiment the data that it had when it came to its end, which need not be there.
    pub fn of_finished(&self, finished: &Plan) -> Vec<String> {
        let stored = keys_of(finished, &["experts.corpus", "corpus", "suite.file"]);
        let same = |key: &DataKey| stored.iter().find(|other| other.key == key.key);
        self.corpus
            .iter()
            .chain(&self.suites)
            .filter_map(|key| Some(key.set(Path::new(&same(key)?.file))))
            .collect()
    }

    /// The changes that give it its data. What is not there yet is made.
    ///
    /// # Errors
    ///
    /// When they cannot be made, or it is interrupted: then what is complete is found again.
    pub fn make(&self) -> Result<Vec<String>> {
        // Thousands of games are not played for an experiment whose suite is none.
        if let Some(path) = self.named_suite {
            Suite::load(self.game, path).context("--suite")?;
        }
        if let Some(path) = &self.own_corpus {
            self.workshop.corpus(self.game, self.games, self.seed, path)?;
        }
        let mut changes = Vec::new();
        if let Some(path) = &self.own_corpus {
            changes.extend(self.corpus.iter().map(|key| key.set(path)));
        }
        let own_suite = match (self.named_suite, self.own_corpus.as_ref().or(self.named_corpus.as_ref())) {
            (None, Some(corpus)) if !self.suites.is_empty() => Some(self.workshop.suite(corpus, self.seed)?),
            _ => None,
        };
        if let Some(path) = self.named_suite.or(own_suite.as_deref()) {
            changes.extend(self.suites.iter().map(|key| key.set(path)));
        }
        Ok(changes)
    }
}

/// A key that names a file of data.
struct DataKey {
    /// As `--set` has it.
    key: String,
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

/// Those of these keys that experiments of the plan have, if they have their objective too.
fn keys_of(plan: &Plan, keys: &[&str]) -> Vec<DataKey> {
    let mut found = Vec::new();
    for (place, experiment) in plan.places() {
        let (table, Some(breed)) = (experiment.table(), experiment.method.breed()) else { continue };
        let file = |key: &str| match key.split_once('.') {
            Some((objective, key)) if table.get("objective")?.as_str()? == objective => {
                table.get(objective)?.get(key)?.as_str().map(str::to_owned)
            }
            Some(_) => None,
            // Other methods learn from corpora that are not of experts.
            None if table.get("method")?.as_str()? == "move-ranking" => {
                table.get(key)?.as_str().map(str::to_owned)
            }
            None => None,
        };
        let named = keys.iter().filter_map(|key| Some((format!("{place}{key}"), file(key)?)));
        found.extend(named.map(|(key, file)| DataKey { key, file, game: breed.game() }));
    }
    found
}

impl Workshop<'_> {
    /// Where a corpus of games is kept, or of our own if there are none.
    fn corpus_path(&self, game: GameName, games: &[PathBuf], seed: u64) -> Result<PathBuf> {
        let (play, options) = (self.play(game), draw_options(games, seed));
        let DrawOptions { take, skip_plies, per_game, test_share, .. } = options;
        let kind = if games.is_empty() { "own-play" } else { "experts" };
        let mut made_from = format!(
            "{kind} {VERSION}\ngame {game}\ntake {}\nseed {seed}\nskip-plies {skip_plies}\nper-game {per_game}\n\
             test-share {test_share}\n",
            take.as_str()
        );
        if games.is_empty() {
            let model = ModelInfo::default_for(game).name;
            let SelfPlay { games, plies, .. } = play;
            let _ = write!(made_from, "model {model}\nnodes {OWN_NODES}\ngames {games}\nplies {plies}\n");
        }
        for path in games {
            match hash_of(path) {
                Ok(hash) => {
                    let _ = writeln!(made_from, "file {} {hash}", name_of(path));
                }
                // What was made of them needs them no more.
                Err(error) if !path.exists() => return self.made_before(game, games, seed).ok_or(error),
                Err(error) => return Err(error),
            }
        }
        Ok(self.path(kind, &made_from, "corpus"))
    }

    /// The only corpus that was made of games in files with these names.
    fn made_before(&self, game: GameName, games: &[PathBuf], seed: u64) -> Option<PathBuf> {
        let is_of_them = |path: &PathBuf| {
            name_of(path).starts_with("experts-")
                && Corpus::open(path).is_ok_and(|corpus| {
                    let manifest = corpus.manifest();
                    let names = manifest.files.iter().map(|file| file.name.as_str());
                    manifest.game == game
                        && manifest.seed == seed
                        && names.eq(games.iter().map(|path| name_of(path)))
                })
        };
        let files = fs::read_dir(self.folder()).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut found =
            files.filter(|path| path.extension().is_some_and(|ending| ending == "corpus")).filter(is_of_them);
        found.next().filter(|_| found.next().is_none())
    }

    /// Games of our own.
    fn play(&self, game: GameName) -> SelfPlay {
        let player = Contestant::new(Player::new(ModelInfo::default_for(game)), Limits::nodes(OWN_NODES));
        SelfPlay { player, games: self.own_games, plies: 8 }
    }

    /// Makes a corpus of games, or of our own if there are none, if it is not there.
    fn corpus(&self, game: GameName, games: &[PathBuf], seed: u64, path: &Path) -> Result<()> {
        dispatch!(game, G => self.corpus_of::<G>(games, seed, path))
    }

    fn corpus_of<G: Playable>(&self, games: &[PathBuf], seed: u64, path: &Path) -> Result<()> {
        if path.exists() {
            errln!("corpus {}, made before", path.display());
            return Ok(());
        }
        let (play, options) = (self.play(G::GAME_NAME), draw_options(games, seed));
        let drawn: Drawn<G> = if games.is_empty() {
            errln!(
                "no --games: {} of {} against itself are played to learn from, {}",
                counted(play.games, "game"),
                ModelInfo::default_for(G::GAME_NAME).name,
                play.player.limits
            );
            let progress = terminal::progress(play.games, "games");
            let drawn = draw_from_play(&play, &options, self.executor, self.stop, || progress.inc(1));
            progress.finish_and_clear();
            drawn?.whole()?
        } else {
            let total = games.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
            let progress = terminal::byte_progress(total);
            let drawn = draw_from_games(games, &options, |bytes| progress.inc(bytes));
            progress.finish_and_clear();
            drawn?
        };
        self.make_folder()?;
        write_corpus(path, drawn.manifest(&options), &drawn.samples)?;
        errln!("corpus {}: {}", path.display(), counted(drawn.samples.len() as u64, "position"));
        Ok(())
    }

    /// A suite of those positions of a corpus in which one move is clearly the best, and hard to see.
    fn suite(&self, corpus: &Path, seed: u64) -> Result<PathBuf> {
        let corpus = Corpus::open(corpus)?;
        let (options, model) = (&self.puzzles, ModelInfo::default_for(GameName::Chess));
        let PuzzleOptions { count, glance, look, margin } = options;
        let made_from = format!(
            "suite {VERSION}\ncorpus {}\nseed {seed}\nmodel {}\ncount {count}\nglance {glance}\nlook {look}\nmargin {margin}\n",
            corpus.hash(),
            model.name
        );
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
        let threads = self.executor.threads();
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
        self.lab.join(DATA_FOLDER)
    }

    fn make_folder(&self) -> Result<()> {
        let folder = self.folder();
        fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be made", folder.display()))
    }
}

/// Which positions a corpus has of games, or of our own if there are none.
fn draw_options(games: &[PathBuf], seed: u64) -> DrawOptions {
    let per_game = if games.is_empty() { OWN_PER_GAME } else { 1 };
    DrawOptions { seed, per_game, ..DrawOptions::default() }
}

/// The name of a file, without its folder.
fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// The hash of what is in a file of games, which is read again when a corpus is made of them.
fn hash_of(path: &Path) -> Result<String> {
    let named = || format!("{}: cannot be read", path.display());
    if !path.metadata().with_context(named)?.is_file() {
        bail!("{}: this is no file, and games are read twice; write them into a file", path.display());
    }
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
            let corpus = workshop.corpus_path(GameName::Chess, &[], 1).expect("a name");
            workshop.corpus(GameName::Chess, &[], 1, &corpus).expect("a corpus");
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

    #[test]
    fn names_of_data_stay_as_they_are() {
        let (executor, never) = (Local::new(1).expect("threads"), AtomicBool::new(false));
        let folder = tempfile::tempdir().expect("a directory");
        let games = folder.path().join("games.pgn");
        fs::write(&games, "1. e4 e5 1-0\n").expect("a file");
        let workshop = Workshop::new(folder.path(), &executor, &never);
        let name = |games: &[PathBuf]| {
            let path = workshop.corpus_path(GameName::Chess, games, 1).expect("a name");
            name_of(&path).into_owned()
        };
        assert_eq!(name(&[]), "own-play-d02ec45502d8.corpus");
        assert_eq!(name(&[games]), "experts-b2d61720d84a.corpus");
    }

    #[test]
    fn every_stage_that_learns_gets_its_data_and_our_own_are_no_change() {
        let (executor, never) = (Local::new(1).expect("threads"), AtomicBool::new(false));
        let folder = tempfile::tempdir().expect("a directory");
        let workshop = Workshop::new(folder.path(), &executor, &never);
        let names = |source: &str, args: &DataArgs| {
            let (plan, _) = Plan::load(source, &[], None).expect("a plan");
            let names = LearningData::new(args, &plan, &workshop).expect("data").names();
            Plan::load(source, &names, None).expect("a plan with its data");
            names
        };
        let none = DataArgs { games: Vec::new(), suite: None };
        assert!(names("grandmaster", &none).is_empty());
        let games = folder.path().join("games.pgn");
        fs::write(&games, "1. e4 e5 1-0\n").expect("a file");
        let given = DataArgs { games: vec![games], suite: Some("a.epd".into()) };
        let file = folder.path().join("two.toml");
        let text = "model = 'chess/material'\nmethod = 'optimize'\ngenerations = 1\n\
            [[stages]]\nname = 'one'\nset = { objective = 'experts' }\n\
            [[stages]]\nname = 'two'\nset = { method = 'move-ranking' }\n\
            [[stages]]\nname = 'three'\nset = { objective = 'suite', limits = 'nodes=10' }\n\
            [[stages]]\nname = 'four'\nset = { objective = 'match' }\n";
        fs::write(&file, text).expect("a file");
        let found = names(&file.display().to_string(), &given);
        let keys: Vec<&str> = found.iter().filter_map(|change| Some(change.split_once('=')?.0)).collect();
        assert_eq!(keys, ["stages.one.experts.corpus", "stages.two.corpus", "stages.three.suite.file"]);
    }
}
