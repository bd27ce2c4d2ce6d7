mod game_listener;
mod reporting;

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineSetup, UciEngine};
use gamete_arena::{
    Book, Competitor, Contestant, Encounter, Executor, GameLabels, GameOutcome, GameTask, InOrder, Journal,
    Local, LocalOptions, OpeningSource, Playable, Rng, Schedule, Tablebase, Task, WorkspaceOptions, dispatch,
    final_fen, styled_transcript,
};
use gamete_game::result_text;
use gamete_stats::{Decision, Sprt, report};
use indicatif::ProgressBar;

use super::book_options::OpeningPolicy;
use super::eta::Eta;
use super::game_file::{Content, GameFile};
use super::game_file_options::GameFileOptions;
use super::identity::{Identity, Program, ProgramWatch};
use super::log_options::Log;
use super::options::Options;
use super::signals::Signals;
use super::standings::Standings;
use super::starts::{Starts, listed_starts, old_start};
use crate::terminal::{self, errln, outln};
use game_listener::{Announcer, Failure, GameListener, Place};

/// How often it is looked whether to finish.
const TICK: Duration = Duration::from_millis(20);

/// Plays a match or tournament, or the rest of it.
///
/// # Errors
///
/// When it cannot be played, or what comes of it cannot be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    dispatch!(options.game, G => {
        let book: Option<Book<G>> = options.book()?;
        if let Some(book) = book.as_ref().filter(|_| !options.chess960) {
            warn_of_shuffled(book);
        }
        run_game(options, Starts::new(book, options.chess960))
    })
}

/// Engines that are not told of Chess960 castle in ways of their own.
fn warn_of_shuffled<G: Playable>(book: &Book<G>) {
    if book.iter().any(|opening| opening.start.is_shuffled()) {
        terminal::print_warning(&format!(
            "{}: this book has openings of Chess960; give -variant fischerandom, or engines lose by illegal moves",
            book.name()
        ));
    }
}

fn run_game<G: Playable>(options: &Options, starts: Starts<G>) -> Result<ExitCode> {
    let tables = options.tables.as_deref().map(Tablebase::open).transpose().context("-tb")?;
    let signals = Signals::listen()?;
    let log = options.log.open()?;
    let setup = EngineSetup {
        timeouts: options.timeouts,
        log: log.as_ref().map(Log::engines),
        ..EngineSetup::default()
    };
    let mut programs = BTreeMap::new();
    for contestant in &options.contestants {
        G::seat(contestant)?;
        let tried = try_program(contestant, &setup, &signals.finish);
        if signals.finish.load(Ordering::Relaxed) {
            return Ok(signals.exit_code());
        }
        programs.extend(tried?.map(|program| (contestant.name.clone(), program)));
    }
    let identity = Identity::new(options, programs)?;
    let open = if options.fresh { Journal::open_fresh } else { Journal::open };
    let journal = open(&options.journal_path())?;
    claim(options, &journal)?;
    let has_games = !journal.is_empty() || journal.setting(KEPT).is_some();
    identity.claim(&journal, has_games)?;
    let seed = seed(options, &journal)?;
    let openings = starts.source(&options.openings, seed);
    let pairs = match options.openings.policy {
        OpeningPolicy::Round => options.rounds,
        OpeningPolicy::Encounter => {
            let players = options.contestants.len();
            Schedule::new(options.tournament, players, options.rounds, seed).expected_len()
        }
    };
    for warning in openings.warnings(pairs) {
        terminal::print_warning(&warning.to_string());
    }
    let programs = ProgramWatch::new(&identity)?;
    let event = Event { options, tables: tables.map(Arc::new), programs, openings, seed, setup, log };
    let finished = Run::new(&event, &journal, &signals)?.finish();
    if let Some(log) = &event.log {
        log.check();
    }
    match finished {
        // Whoever was told to end may have nobody to talk to any more.
        Err(error) if signals.is_terminated() => {
            terminal::print_error(&error);
            Ok(signals.exit_code())
        }
        finished => finished,
    }
}

/// Checks that the journal is of this match.
fn claim(options: &Options, journal: &Journal) -> Result<()> {
    let known = journal.setting("configuration");
    let old = options.old_configuration().map(|configuration| configuration.to_string());
    if known.is_some() && known == old {
        bail!(
            "{}: this match began without random openings; {} resumes it as it began, and -fresh starts over",
            journal.path().display(),
            old_start(options)
        );
    }
    Ok(journal.claim(&options.configuration())?)
}

/// The seed that was asked for, or the one that the match began with, or a new one.
fn seed(options: &Options, journal: &Journal) -> Result<u64> {
    let known = journal.setting("seed").and_then(|text| text.parse().ok());
    // A seed that people can type.
    let seed = options.seed.or(known).unwrap_or_else(|| RandomState::new().hash_one(0) >> 32);
    journal.set("seed", &seed.to_string())?;
    Ok(seed)
}

/// What is played.
struct Event<'a, G: Playable> {
    options: &'a Options,
    tables: Option<Arc<Tablebase>>,
    programs: ProgramWatch,
    openings: OpeningSource<G>,
    seed: u64,
    setup: EngineSetup,
    log: Option<Log>,
}

impl<G: Playable> Event<'_, G> {
    /// Who has White and who has Black in the games of an encounter.
    fn sides(&self, encounter: &Encounter) -> Vec<(usize, usize)> {
        let options = self.options;
        let Encounter { round, first, second, .. } = *encounter;
        let sides = |game: u64| {
            // Single games change colours from round to round.
            let turn = if options.games == 1 { round } else { game };
            let swapped = (options.swap && turn % 2 == 1) != options.reverse;
            if swapped { (second, first) } else { (first, second) }
        };
        (0..options.games).map(sides).collect()
    }

    /// The games of an encounter.
    fn tasks(&self, encounter: &Encounter) -> Vec<GameTask> {
        let options = self.options;
        let opening = self.openings.opening(match options.openings.policy {
            OpeningPolicy::Round => encounter.round,
            OpeningPolicy::Encounter => encounter.number,
        });
        let first_game = encounter.number.wrapping_mul(options.games);
        let details = options.pgn.as_ref().is_some_and(|pgn| pgn.style.wants_details());
        let task = |(game, (white, black)): (u64, (usize, usize))| {
            let mut seeds = Rng::new(self.seed.wrapping_add(first_game + game));
            let [white, black] = [white, black].map(|index| options.contestants[index].clone());
            let task = GameTask::new(&opening, white, black, options.adjudication, seeds.next_u64());
            GameTask { details, ..task }
        };
        (0..).zip(self.sides(encounter)).map(task).collect()
    }

    /// What plays the games.
    fn executor(&self, signals: &Signals) -> Result<Local> {
        let options = self.options;
        let workspace = WorkspaceOptions {
            stop: Arc::clone(&signals.stop),
            tables: self.tables.clone(),
            engines: self.setup.clone(),
            max_seats: options.contestants.len().max(2),
        };
        let bind = options.affinity.clone().map(|affinity| {
            let bind = move || {
                if let Err(error) = affinity.bind_thread() {
                    terminal::print_warning(&format!("-use-affinity: {error}"));
                }
            };
            Arc::new(bind) as Arc<dyn Fn() + Send + Sync>
        });
        let local =
            LocalOptions { threads: options.concurrency, workspace, pause: options.wait, on_start: bind };
        Local::with_options(local).context("no thread can be started for the games")
    }

    fn name(&self, contestant: usize) -> &str {
        &self.options.contestants[contestant].name
    }

    fn game_number(&self, encounter: u64, game: usize) -> u64 {
        encounter * self.options.games + game as u64 + 1
    }
}

/// The games that are given to the executor, few enough at a time that the longest match takes no more memory than a short one.
struct Feed {
    /// It goes when no more follow.
    sender: Option<Sender<(Place, Result<GameOutcome>)>>,
    /// The first encounter that was not looked at.
    next: u64,
    /// Games of encounters that were looked at, and are not given yet.
    ready: VecDeque<(Place, GameTask)>,
    /// Games that were given and did not come back.
    given: usize,
    max_given: usize,
    announcer: Arc<Announcer>,
}

/// An encounter that is being played.
struct OpenEncounter {
    tasks: Vec<GameTask>,
    /// Those that are over.
    games: Vec<Option<GameOutcome>>,
}

/// A match on its way.
struct Run<'a, G: Playable> {
    event: &'a Event<'a, G>,
    journal: &'a Journal,
    signals: &'a Arc<Signals>,
    schedule: Schedule,
    standings: Standings,
    encounters: u64,
    waiting: InOrder<Vec<GameOutcome>>,
    /// Encounters that the journal had at the start.
    known: u64,
    /// Encounters that are being played, by their numbers.
    open: BTreeMap<u64, OpenEncounter>,
    /// The games that are over of encounters that were broken off, by their numbers.
    kept: BTreeMap<u64, Vec<Option<GameOutcome>>>,
    pgn: Option<GameFile<'a>>,
    epd: Option<GameFile<'a>>,
    bar: ProgressBar,
    eta: Eta,
    decided: bool,
    conditions: String,
}

impl<'a, G: Playable> Run<'a, G> {
    fn new(event: &'a Event<'a, G>, journal: &'a Journal, signals: &'a Arc<Signals>) -> Result<Self> {
        let options = event.options;
        let names: Vec<_> = options.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
        let file = |file: &Option<GameFileOptions>, content| {
            let open = |file: &GameFileOptions| GameFile::open(&file.path, file.append, content, journal);
            file.as_ref().map(open).transpose()
        };
        let schedule =
            Schedule::new(options.tournament, options.contestants.len(), options.rounds, event.seed);
        let kept = journal.setting(KEPT);
        let (mut waiting, mut known) = (InOrder::default(), 0);
        journal.read(|number, games| {
            if number < schedule.len() || !schedule.is_complete() {
                waiting.insert(number, games);
                known += 1;
            }
        })?;
        Ok(Self {
            event,
            journal,
            signals,
            standings: Standings::new(&names, options.has_pairs()),
            encounters: 0,
            waiting,
            known,
            open: BTreeMap::new(),
            kept: kept.map_or_else(|| Ok(BTreeMap::new()), |text| serde_json::from_str(&text))?,
            pgn: file(&options.pgn, Content::Games)?,
            epd: file(&options.epd, Content::Positions)?,
            bar: terminal::progress(schedule.expected_len() * options.games, "games"),
            schedule,
            eta: Eta::start(),
            decided: false,
            conditions: options.conditions(event.openings.name()),
        })
    }

    fn finish(mut self) -> Result<ExitCode> {
        let (event, options) = (self.event, self.event.options);
        let total = self.scheduled_games();
        self.say(&format!("Seed: {} (-srand {0})", event.seed))?;
        let known = self.known * options.games;
        let about = if self.schedule.is_complete() { "" } else { "about " };
        let known =
            if known > 0 { format!(", which has {known} of {about}{total} games") } else { String::new() };
        self.say(&format!("Journal: {}{known}", self.journal.path().display()))?;
        if let Some(plies) = event.openings.random_plies(options.rounds) {
            self.say(&format!("Openings: {}", random_text(options, plies)))?;
        }
        self.hand_over(false)?;
        self.bar.reset_eta();
        self.eta = Eta::start();
        let failure = match self.play_rest() {
            Err(error) if error.is::<Failure>() => Some(error),
            played => played.map(|()| None)?,
        };
        let interrupted = failure.is_some() || self.signals.finish.load(Ordering::Relaxed) && !self.decided;
        if interrupted {
            for (number, games) in self.waiting.drain().collect::<Vec<_>>() {
                self.count(number, &games, true)?;
            }
        }
        self.bar.finish_and_clear();
        self.report_end(interrupted)?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        Ok(if interrupted { self.signals.exit_code() } else { ExitCode::SUCCESS })
    }

    fn play_rest(&mut self) -> Result<()> {
        if self.decided {
            return Ok(());
        }
        let (event, signals) = (self.event, self.signals);
        let (bar, json, log) = (self.bar.clone(), event.options.json, event.log.clone());
        let total = AtomicU64::new(self.scheduled_games());
        let announcer = Arc::new(Announcer { bar, json, log, total });
        let executor = event.executor(signals)?;
        let (sender, receiver) = mpsc::channel();
        let mut feed = Feed {
            sender: Some(sender),
            next: 0,
            ready: VecDeque::new(),
            given: 0,
            max_given: 2 * executor.capacity(),
            announcer: Arc::clone(&announcer),
        };
        let mut result = Ok(());
        loop {
            self.give(&mut feed, &executor);
            let heard = match receiver.recv_timeout(TICK) {
                Ok((place, game)) => {
                    feed.given -= 1;
                    self.hear(place, game)
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => Ok(()),
            };
            announcer.total.store(self.scheduled_games(), Ordering::Relaxed);
            if result.is_ok() {
                result = heard;
            }
            if result.is_err() || self.decided {
                // What is still played will not be counted.
                signals.stop.store(true, Ordering::Relaxed);
            }
            if signals.finish.load(Ordering::Relaxed) || signals.stop.load(Ordering::Relaxed) {
                feed.sender = None;
                executor.close();
            }
        }
        drop(executor);
        self.keep_rest()?;
        result
    }

    /// Gives out games of encounters that are known and not played.
    fn give(&mut self, feed: &mut Feed, executor: &dyn Executor) {
        while let Some(sender) = feed.sender.as_ref().filter(|_| feed.given < feed.max_given) {
            if let Some((place, task)) = feed.ready.pop_front() {
                feed.given += 1;
                let listener = GameListener {
                    place,
                    number: self.event.game_number(place.encounter, place.game),
                    names: [task.white.name.clone(), task.black.name.clone()],
                    recover: self.event.options.recover,
                    signals: Arc::clone(self.signals),
                    announcer: Arc::clone(&feed.announcer),
                    sender: sender.clone(),
                };
                let task = Task::from(task);
                executor.submit(task.key(), task, Box::new(listener));
                continue;
            }
            let encounter = feed.next;
            if encounter >= self.schedule.len() {
                break;
            }
            feed.next += 1;
            if !self.waiting.has(encounter) {
                feed.ready.extend(self.begin_encounter(encounter));
            }
        }
        let all_ready = self.schedule.is_complete() && feed.next >= self.schedule.len();
        if all_ready && feed.ready.is_empty() {
            feed.sender = None;
        }
    }

    /// The games of an encounter that are still to be played.
    fn begin_encounter(&mut self, number: u64) -> Vec<(Place, GameTask)> {
        let tasks = self.event.tasks(&self.schedule.encounter(number));
        let mut games = self.kept.get(&number).cloned().unwrap_or_default();
        games.resize(tasks.len(), None);
        self.bar.inc(games.iter().flatten().count() as u64);
        let missing = (0..tasks.len())
            .filter(|&game| games[game].is_none())
            .map(|game| (Place { encounter: number, game }, tasks[game].clone()))
            .collect();
        self.open.insert(number, OpenEncounter { tasks, games });
        missing
    }

    /// Keeps the games that are over of encounters that were broken off.
    fn keep_rest(&mut self) -> Result<()> {
        let open = std::mem::take(&mut self.open);
        let begun = open.into_iter().map(|(number, encounter)| (number, encounter.games));
        let begun = begun.filter(|(_, games)| games.iter().any(Option::is_some));
        let known = self.kept.clone();
        self.kept.extend(begun);
        if self.kept != known { self.keep() } else { Ok(()) }
    }

    /// Writes down the games of encounters that were broken off.
    fn keep(&self) -> Result<()> {
        Ok(self.journal.set(KEPT, &serde_json::to_string(&self.kept)?)?)
    }

    fn hear(&mut self, place: Place, game: Result<GameOutcome>) -> Result<()> {
        let number = place.encounter;
        // The whole encounter is played again after a failure.
        let game = game.inspect_err(|_| drop(self.open.remove(&number)))?;
        let Some(encounter) = self.open.get_mut(&number).filter(|_| !self.decided) else { return Ok(()) };
        encounter.games[place.game] = Some(game);
        if encounter.games.iter().any(Option::is_none) {
            return Ok(());
        }
        self.event.programs.check()?;
        let games: Vec<_> = encounter.games.iter().flatten().cloned().collect();
        self.journal.record(number, &games)?;
        if self.kept.remove(&number).is_some() {
            self.keep()?;
        }
        self.waiting.insert(number, games);
        self.hand_over(true)
    }

    /// How many games the schedule has, on average.
    fn scheduled_games(&self) -> u64 {
        self.schedule.expected_len() * self.event.options.games
    }

    /// Counts the encounters whose turn it is.
    fn hand_over(&mut self, live: bool) -> Result<()> {
        while !self.decided
            && let Some((number, games)) = self.waiting.pop()
        {
            self.count(number, &games, live)?;
        }
        Ok(())
    }

    fn count(&mut self, number: u64, games: &[GameOutcome], live: bool) -> Result<()> {
        let (event, options) = (self.event, self.event.options);
        let encounter = self.schedule.encounter(number);
        self.write(&encounter, games)?;
        self.open.remove(&number);
        let sides = event.sides(&encounter);
        let played: Vec<_> = sides.iter().map(|&(white, _)| white).zip(games).collect();
        let lead = self.standings.add(&encounter, &played);
        self.schedule.tell(lead);
        self.bar.set_length(self.expected_games());
        if live {
            self.eta.count(options.games);
        }
        self.encounters += 1;
        if !live {
            self.bar.inc(options.games);
        }
        if live {
            for (index, (&(white, black), game)) in sides.iter().zip(games).enumerate() {
                let (white, black) = (event.name(white), event.name(black));
                let reason = game.termination.to_string();
                let number = event.game_number(number, index);
                let text = report::finished_game(number, white, black, result_text(game.outcome()), &reason);
                self.say(&text)?;
                let fault = game.fault.as_ref().map(|fault| format!("game {number}: {reason}: {fault}"));
                if let Some(log) = &event.log {
                    log.info(&text);
                    fault.iter().for_each(|fault| log.warn(fault));
                }
                if let Some(fault) = fault {
                    terminal::print_warning(&fault);
                }
            }
        }
        if let Some(sprt) = &options.sprt {
            self.decided = sprt.decision(sprt.llr(&self.standings.results(0))) != Decision::Continue;
        }
        let interval = options.rating_interval;
        let is_last = self.decided || (self.schedule.is_complete() && self.encounters == self.schedule.len());
        if live && !is_last && interval > 0 && self.encounters.is_multiple_of(interval) {
            self.say(self.block().trim_end())?;
            let left = self.expected_games().saturating_sub(self.encounters * options.games);
            if let Some(line) = self.eta.line(left) {
                self.say(&line)?;
            }
        }
        Ok(())
    }

    /// How many games there will be: as the schedule has it, or until the test is likely to decide.
    fn expected_games(&self) -> u64 {
        let encounters = self.schedule.expected_len();
        let drift = |sprt: Sprt| {
            let llr = sprt.llr(&self.standings.results(0));
            let left = sprt.expected_remaining(llr, self.encounters)?;
            Some(self.encounters + left.min(encounters as f64).ceil() as u64)
        };
        let by_test = self.event.options.sprt.and_then(drift);
        by_test.map_or(encounters, |count| count.min(encounters)) * self.event.options.games
    }

    fn write(&mut self, encounter: &Encounter, games: &[GameOutcome]) -> Result<()> {
        if self.pgn.is_none() && self.epd.is_none() {
            return Ok(());
        }
        let (options, number) = (self.event.options, encounter.number);
        let tasks = match self.open.get(&number) {
            Some(known) => &known.tasks,
            None => &self.event.tasks(encounter),
        };
        if let Some(file) = &mut self.pgn {
            let labels = GameLabels { event: &options.event, site: &options.site, round: number + 1 };
            let (style, notation) =
                options.pgn.as_ref().map(|pgn| (pgn.style, pgn.notation)).unwrap_or_default();
            let mut text = Vec::new();
            for (task, game) in tasks.iter().zip(games) {
                text.extend(G::game_text(&styled_transcript::<G>(task, game, &labels, &style)?, notation));
            }
            file.write(number, &text)?;
        }
        if let Some(file) = &mut self.epd {
            let mut lines = String::new();
            for (task, game) in tasks.iter().zip(games) {
                lines += &format!("{}\n", final_fen::<G>(task, game)?);
            }
            file.write(number, lines.as_bytes())?;
        }
        Ok(())
    }

    /// Prints a line, unless the output is for machines.
    fn say(&self, text: &str) -> Result<()> {
        if !self.event.options.json {
            self.bar.suspend(|| outln!("{text}"))?;
        }
        Ok(())
    }
}

/// Starts another program once, so that what is wrong with it is known before any game, and tells what it is.
fn try_program(contestant: &Contestant, setup: &EngineSetup, stop: &AtomicBool) -> Result<Option<Program>> {
    let Competitor::Engine(spec) = &contestant.competitor else { return Ok(None) };
    let program = Program::find(spec).with_context(|| contestant.name.clone())?;
    let setup = EngineSetup { name: Some(contestant.name.clone()), ..setup.clone() };
    let mut engine = UciEngine::set_up(spec.clone(), setup, stop).with_context(|| contestant.name.clone())?;
    for warning in engine.warnings() {
        errln!("{warning}");
    }
    engine.quit();
    Ok(program.map(|program| program.after_start(engine.id_name())))
}

/// What the journal calls the games of encounters that were broken off.
const KEPT: &str = "kept games";

/// Where games start that have no book, in a line.
fn random_text(options: &Options, plies: usize) -> String {
    let moves = format!("{plies} random plies that leave the game even");
    let listed = listed_starts(options.game, options.chess960);
    match (options.openings.named, listed) {
        (Some(_), _) => format!("{moves}, new ones for every round"),
        (None, None) => {
            format!("{moves}, new ones for every round; -openings startpos starts from the start position")
        }
        (None, Some(_)) => format!("each once, and then {moves}"),
    }
}
