mod reporting;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineSetup, UciEngine};
use gamete_arena::{
    Book, Competitor, Contestant, Encounter, GameLabels, GameOutcome, GameTask, InOrder, Journal, News,
    OpeningSource, Playable, Rng, Schedule, Seat, Tablebase, Termination, Worker, dispatch, execute,
    final_fen, play, play_detailed, styled_transcript,
};
use gamete_game::{ByColor, Color, Outcome};
use gamete_stats::{Decision, Sprt, report};
use indicatif::ProgressBar;

use super::affinity::Affinity;
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
    let event = Event { options, tables: tables.as_ref(), programs, openings, seed, setup, log };
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
    tables: Option<&'a Tablebase>,
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
        let task = |(game, (white, black)): (u64, (usize, usize))| {
            let mut seeds = Rng::new(self.seed.wrapping_add(first_game + game));
            let [white, black] = [white, black].map(|index| options.contestants[index].clone());
            GameTask::new(&opening, white, black, options.adjudication, seeds.next_u64())
        };
        (0..).zip(self.sides(encounter)).map(task).collect()
    }

    fn name(&self, contestant: usize) -> &str {
        &self.options.contestants[contestant].name
    }

    fn game_number(&self, encounter: u64, game: usize) -> u64 {
        encounter * self.options.games + game as u64 + 1
    }
}

/// A contestant failed in a match that does not continue then.
#[derive(Debug)]
struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; the match stops there, as -recover off says, and the same command plays it again",
            self.0
        )
    }
}

impl std::error::Error for Failure {}

/// One thread with its players at the board.
struct Table<'a, G: Playable> {
    event: &'a Event<'a, G>,
    signals: &'a Signals,
    announcer: &'a Announcer,
    seats: Vec<Box<dyn Seat<G>>>,
    /// Whether a game has been played here.
    is_used: bool,
}

/// An encounter to be played, and its first games if they were played before.
struct Job {
    encounter: Encounter,
    games: Vec<GameOutcome>,
}

/// Says that games begin and counts those that are over. Threads do that themselves, so that what they say does not come
/// after what they were told.
struct Announcer {
    bar: ProgressBar,
    json: bool,
    log: Option<Log>,
    total: AtomicU64,
}

impl Announcer {
    fn started(&self, number: u64, white: &str, black: &str) -> Result<()> {
        let line = report::started_game(number, self.total.load(Ordering::Relaxed), white, black);
        if let Some(log) = &self.log {
            log.info(&line);
        }
        if !self.json {
            self.bar.suspend(|| outln!("{line}"))?;
        }
        Ok(())
    }

    fn finished(&self) {
        self.bar.inc(1);
    }
}

impl<G: Playable> Worker for Table<'_, G> {
    type Job = Job;
    type Event = Infallible;
    /// The games of the encounter: all, or those that were over when no more were to begin.
    type Answer = Result<Vec<GameOutcome>>;

    /// A panic is an error like any other: the match ends with it, and nobody waits for this thread.
    fn work(&mut self, job: &Job, _tell: &mut dyn FnMut(Infallible)) -> Result<Vec<GameOutcome>> {
        catch_unwind(AssertUnwindSafe(|| self.play(job))).unwrap_or_else(|_| {
            bail!("internal error in encounter {}; what is in the journal is safe", job.encounter.number + 1)
        })
    }
}

impl<G: Playable> Table<'_, G> {
    fn play(&mut self, job: &Job) -> Result<Vec<GameOutcome>> {
        let (event, encounter) = (self.event, &job.encounter);
        let mut games = job.games.clone();
        let sides = event.sides(encounter);
        for (index, task) in event.tasks(encounter).into_iter().enumerate().skip(games.len()) {
            let (white, black) = sides[index];
            let game_number = event.game_number(encounter.number, index);
            self.pause();
            let announce = || self.announcer.started(game_number, event.name(white), event.name(black));
            if !self.signals.begin_game(announce)? {
                return Ok(games);
            }
            let [at_white, at_black] = self.seats.get_disjoint_mut([white, black]).expect("two contestants");
            let seats = ByColor { white: at_white, black: at_black };
            let pgn = event.options.pgn.as_ref();
            let is_detailed = pgn.is_some_and(|pgn| pgn.style.wants_details());
            let play = if is_detailed { play_detailed::<G> } else { play::<G> };
            let game = play(&task, seats, event.tables, &self.signals.stop)?;
            if game.termination == Termination::Interrupted {
                return Ok(games);
            }
            if let (false, Some(color)) = (event.options.recover, game.termination.at_fault()) {
                self.signals.stop.store(true, Ordering::Relaxed);
                let culprit = event.name(if color == Color::White { white } else { black });
                let detail = game.fault.map_or_else(String::new, |fault| format!(": {fault}"));
                bail!(Failure(format!("game {game_number}: {culprit}: {}{detail}", game.termination)));
            }
            games.push(game);
            self.announcer.finished();
        }
        Ok(games)
    }

    /// Waits between two games, as -wait says.
    fn pause(&mut self) {
        let until = self.is_used.then(|| Instant::now() + self.event.options.wait);
        self.is_used = true;
        while let Some(until) = until
            && !self.signals.finish.load(Ordering::Relaxed)
            && Instant::now() < until
        {
            let left = until.saturating_duration_since(Instant::now());
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
    }
}

/// The encounters that threads are given, few enough at a time that the longest match takes no more memory than a short one.
struct Feed {
    /// It goes when no more follow.
    sender: Option<Sender<Job>>,
    /// The first encounter that was not looked at.
    next: u64,
    /// Encounters that were given and did not come back.
    given: usize,
    most: usize,
}

/// A match on its way.
struct Run<'a, G: Playable> {
    event: &'a Event<'a, G>,
    journal: &'a Journal,
    signals: &'a Signals,
    schedule: Schedule,
    standings: Standings,
    encounters: u64,
    waiting: InOrder<Vec<GameOutcome>>,
    /// Encounters that the journal had at the start.
    known: u64,
    /// Games that are over and wait for others of their encounter, by its number.
    kept: BTreeMap<u64, Vec<GameOutcome>>,
    pgn: Option<GameFile<'a>>,
    epd: Option<GameFile<'a>>,
    bar: ProgressBar,
    eta: Eta,
    decided: bool,
    conditions: String,
}

impl<'a, G: Playable> Run<'a, G> {
    fn new(event: &'a Event<'a, G>, journal: &'a Journal, signals: &'a Signals) -> Result<Self> {
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
        let announcer = Announcer { bar, json, log, total: AtomicU64::new(self.scheduled_games()) };
        let seat =
            |contestant| G::seat_with(contestant, &event.setup).expect("a contestant that was tried before");
        let table = || {
            let affinity = event.options.affinity.as_ref();
            if let Some(Err(error)) = affinity.map(Affinity::bind_thread) {
                terminal::print_warning(&format!("-use-affinity: {error}"));
            }
            let seats = event.options.contestants.iter().map(seat).collect();
            Table { event, signals, announcer: &announcer, seats, is_used: false }
        };
        let (sender, jobs) = mpsc::channel();
        let jobs = jobs.into_iter().take_while(|_| !signals.finish.load(Ordering::Relaxed));
        let most = 2 * event.options.concurrency;
        let mut feed = Feed { sender: Some(sender), next: 0, given: 0, most };
        self.give(&mut feed);
        let mut result = Ok(());
        execute(event.options.concurrency, jobs, table, |news| {
            feed.given -= usize::from(matches!(news, News::Done(..)));
            let heard = self.hear(news);
            self.give(&mut feed);
            announcer.total.store(self.scheduled_games(), Ordering::Relaxed);
            if result.is_ok() {
                result = heard;
            }
            if result.is_err() || self.decided {
                // What is still played will not be counted.
                signals.stop.store(true, Ordering::Relaxed);
                feed.sender = None;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        result
    }

    /// Gives out encounters that are known and not played.
    fn give(&self, feed: &mut Feed) {
        while let Some(sender) = feed.sender.as_ref().filter(|_| feed.given < feed.most) {
            let number = feed.next;
            if number >= self.schedule.len() {
                break;
            }
            feed.next += 1;
            if !self.waiting.has(number) {
                let games = self.kept.get(&number).cloned().unwrap_or_default();
                self.bar.inc(games.len() as u64);
                // Threads that were told to finish listen no more.
                let _ = sender.send(Job { encounter: self.schedule.encounter(number), games });
                feed.given += 1;
            }
        }
        let all_given = self.schedule.is_complete() && feed.next >= self.schedule.len();
        if all_given || self.signals.finish.load(Ordering::Relaxed) {
            feed.sender = None;
        }
    }

    /// Writes down the games of encounters that were broken off.
    fn keep(&self) -> Result<()> {
        Ok(self.journal.set(KEPT, &serde_json::to_string(&self.kept)?)?)
    }

    fn hear(&mut self, news: News<Job, Infallible, Result<Vec<GameOutcome>>>) -> Result<()> {
        match news {
            News::Event(never) => match never {},
            News::Done(..) if self.decided => Ok(()),
            News::Done(Job { encounter, .. }, games) => {
                let (number, games) = (encounter.number, games?);
                self.event.programs.check()?;
                if (games.len() as u64) < self.event.options.games {
                    if !games.is_empty() {
                        self.kept.insert(number, games);
                        self.keep()?;
                    }
                    return Ok(());
                }
                self.journal.record(number, &games)?;
                if self.kept.remove(&number).is_some() {
                    self.keep()?;
                }
                self.waiting.insert(number, games);
                self.hand_over(true)
            }
        }
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
                let text = report::finished_game(number, white, black, result_text(game), &reason);
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
        let tasks = self.event.tasks(encounter);
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

fn result_text(game: &GameOutcome) -> &'static str {
    match game.outcome() {
        Some(Outcome::Win(Color::White)) => "1-0",
        Some(Outcome::Win(Color::Black)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}
