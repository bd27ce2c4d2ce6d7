mod reporting;

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{Timeouts, UciEngine};
use gamete_arena::{
    Book, Competitor, Contestant, Encounter, GameLabels, GameName, GameOutcome, GameTask, InOrder, Journal,
    News, Openings, Playable, Rng, Schedule, Seat, Tablebase, Termination, Worker, execute, final_fen, play,
    transcript,
};
use gamete_game::{ByColor, Color, Outcome, TranscriptWriter};
use gamete_stats::{Decision, Sprt, report};
use indicatif::ProgressBar;

use super::eta::Eta;
use super::game_file::GameFile;
use super::options::Options;
use super::signals::Signals;
use super::standings::Standings;
use crate::terminal::{self, outln};

/// Plays a match or tournament, or the rest of it.
///
/// # Errors
///
/// When it cannot be played, or what comes of it cannot be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    match options.game {
        GameName::Chess if options.chess960 => {
            run_game::<gamete_chess::Position>(options, options.book(Book::chess960())?)
        }
        GameName::Chess => {
            let book = options.book(Book::start_position())?;
            warn_of_chess960(&book);
            run_game::<gamete_chess::Position>(options, book)
        }
        GameName::Checkers => {
            run_game::<gamete_checkers::Position>(options, options.book(Book::three_move_ballots())?)
        }
    }
}

/// Engines that are not told of Chess960 castle in ways of their own.
fn warn_of_chess960(book: &Book<gamete_chess::Position>) {
    if book.iter().any(|opening| opening.start.is_chess960()) {
        terminal::print_warning(&format!(
            "{}: this book has openings of Chess960; give -variant fischerandom, or engines lose by illegal moves",
            book.name()
        ));
    }
}

fn run_game<G: Playable>(options: &Options, book: Book<G>) -> Result<ExitCode> {
    let tables = options.tables.as_deref().map(Tablebase::open).transpose().context("-tb")?;
    let signals = Signals::listen()?;
    for contestant in &options.contestants {
        G::seat(contestant)?;
        try_program(contestant, &signals.finish)?;
    }
    let journal = Journal::open(&options.journal_path())?;
    if options.fresh {
        journal.clear()?;
    }
    journal.claim(&options.configuration())?;
    let seed = seed(options, &journal)?;
    let openings = Openings::new(book, options.openings.order, seed, options.openings.start);
    for warning in openings.warnings(options.rounds) {
        terminal::print_warning(&warning.to_string());
    }
    let event = Event { options, tables: tables.as_ref(), openings, seed };
    Run::new(&event, &journal, &signals)?.finish()
}

/// The seed that was asked for, or the one that the match began with, or a new one.
fn seed(options: &Options, journal: &Journal) -> Result<u64> {
    let known = journal.setting("seed")?.and_then(|text| text.parse().ok());
    // A seed that people can type.
    let seed = options.seed.or(known).unwrap_or_else(|| RandomState::new().hash_one(0) >> 32);
    journal.set("seed", &seed.to_string())?;
    Ok(seed)
}

/// What is played.
struct Event<'a, G: Playable> {
    options: &'a Options,
    tables: Option<&'a Tablebase>,
    openings: Openings<G>,
    seed: u64,
}

impl<G: Playable> Event<'_, G> {
    /// The games of an encounter, with who has White and who has Black.
    fn tasks(&self, encounter: &Encounter) -> Vec<(usize, usize, GameTask)> {
        let options = self.options;
        let opening = self.openings.opening(encounter.round);
        let Encounter { number, round, first, second } = *encounter;
        let task = |game: u64| {
            // Single games change colours from round to round.
            let turn = if options.games == 1 { round } else { game };
            let swapped = (options.swap && turn % 2 == 1) != options.reverse;
            let (white, black) = if swapped { (second, first) } else { (first, second) };
            let mut seeds = Rng::new(self.seed.wrapping_add(number.wrapping_mul(options.games) + game));
            let [one, two] = [white, black].map(|index| options.contestants[index].clone());
            (white, black, GameTask::new(&opening, one, two, options.adjudication, seeds.next_u64()))
        };
        (0..options.games).map(task).collect()
    }

    fn name(&self, contestant: usize) -> &str {
        &self.options.contestants[contestant].name
    }

    fn game_number(&self, encounter: u64, game: usize) -> u64 {
        encounter * self.options.games + game as u64 + 1
    }
}

/// A contestant failed in a match that does not go on then.
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
    stop: &'a AtomicBool,
    seats: Vec<Box<dyn Seat<G>>>,
}

/// A game begins.
struct Started {
    number: u64,
    white: usize,
    black: usize,
}

impl<G: Playable> Worker for Table<'_, G> {
    type Job = Encounter;
    type Event = Started;
    type Answer = Result<Option<Vec<GameOutcome>>>;

    fn work(
        &mut self,
        encounter: &Encounter,
        tell: &mut dyn FnMut(Started),
    ) -> Result<Option<Vec<GameOutcome>>> {
        let mut games = Vec::with_capacity(2);
        for (index, (white, black, task)) in self.event.tasks(encounter).into_iter().enumerate() {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let game_number = self.event.game_number(encounter.number, index);
            tell(Started { number: game_number, white, black });
            let [at_white, at_black] = self.seats.get_disjoint_mut([white, black]).expect("two contestants");
            let seats = ByColor { white: at_white, black: at_black };
            let game = play::<G>(&task, seats, self.event.tables, self.stop)?;
            if game.termination == Termination::Interrupted {
                return Ok(None);
            }
            if let (false, Some(color)) = (self.event.options.recover, game.termination.at_fault()) {
                self.stop.store(true, Ordering::Relaxed);
                let culprit = self.event.name(if color == Color::White { white } else { black });
                let detail = game.fault.map_or_else(String::new, |fault| format!(": {fault}"));
                bail!(Failure(format!("game {game_number}: {culprit}: {}{detail}", game.termination)));
            }
            games.push(game);
        }
        Ok(Some(games))
    }
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
    journaled: HashSet<u64>,
    pgn: Option<GameFile>,
    epd: Option<GameFile>,
    bar: ProgressBar,
    eta: Eta,
    decided: bool,
    conditions: String,
}

impl<'a, G: Playable> Run<'a, G> {
    fn new(event: &'a Event<'a, G>, journal: &'a Journal, signals: &'a Signals) -> Result<Self> {
        let options = event.options;
        let names: Vec<_> = options.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
        let file =
            |file: &Option<_>, key| file.as_ref().map(|file| GameFile::open(file, journal, key)).transpose();
        let schedule =
            Schedule::new(options.tournament, options.contestants.len(), options.rounds, event.seed);
        let (mut waiting, mut journaled) = (InOrder::default(), HashSet::new());
        journal.read(|number, games| {
            if number < schedule.len() || !schedule.is_complete() {
                waiting.insert(number, games);
                journaled.insert(number);
            }
        })?;
        Ok(Self {
            event,
            journal,
            signals,
            standings: Standings::new(&names, options.has_pairs()),
            encounters: 0,
            waiting,
            journaled,
            pgn: file(&options.pgn, "pgn")?,
            epd: file(&options.epd, "epd")?,
            bar: terminal::progress(schedule.expected_len() * options.games, "games"),
            schedule,
            eta: Eta::start(),
            decided: false,
            conditions: options.conditions(event.openings.book().name()),
        })
    }

    fn finish(mut self) -> Result<ExitCode> {
        let (event, options) = (self.event, self.event.options);
        let total = self.schedule.expected_len() * options.games;
        self.say(&format!("Seed: {} (-srand {0})", event.seed))?;
        let known = self.journaled.len() as u64 * options.games;
        let about = if self.schedule.is_complete() { "" } else { "about " };
        let known =
            if known > 0 { format!(", which has {known} of {about}{total} games") } else { String::new() };
        self.say(&format!("Journal: {}{known}", self.journal.path().display()))?;
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
        Ok(if interrupted { ExitCode::from(130) } else { ExitCode::SUCCESS })
    }

    fn play_rest(&mut self) -> Result<()> {
        if self.decided {
            return Ok(());
        }
        let (event, signals) = (self.event, self.signals);
        let table = || Table {
            event,
            stop: &signals.stop,
            seats: event
                .options
                .contestants
                .iter()
                .map(|contestant| G::seat(contestant).expect("a contestant that was tried before"))
                .collect(),
        };
        let (sender, jobs) = mpsc::channel();
        let jobs = jobs.into_iter().take_while(|_| !signals.finish.load(Ordering::Relaxed));
        let mut given = 0;
        let mut sender = self.give(Some(sender), &mut given);
        let mut result = Ok(());
        execute(event.options.concurrency, jobs, table, |news| {
            if let Err(error) = self.hear(news)
                && result.is_ok()
            {
                result = Err(error);
            }
            if result.is_err() || self.decided {
                // What is still played will not be counted.
                signals.stop.store(true, Ordering::Relaxed);
                sender = None;
                return ControlFlow::Break(());
            }
            sender = self.give(sender.take(), &mut given);
            ControlFlow::Continue(())
        });
        result
    }

    /// Gives out the encounters that have become known, `given` of them before. The sender goes when no more follow.
    fn give(&self, sender: Option<Sender<Encounter>>, given: &mut u64) -> Option<Sender<Encounter>> {
        let sender = sender?;
        for number in *given..self.schedule.len() {
            if !self.journaled.contains(&number) {
                // Threads that were told to finish listen no more.
                let _ = sender.send(self.schedule.encounter(number));
            }
        }
        *given = self.schedule.len();
        let finish = self.signals.finish.load(Ordering::Relaxed);
        (!self.schedule.is_complete() && !finish).then_some(sender)
    }

    fn hear(&mut self, news: News<Encounter, Started, Result<Option<Vec<GameOutcome>>>>) -> Result<()> {
        match news {
            News::Event(_) | News::Done(..) if self.decided => Ok(()),
            News::Event(Started { number, white, black }) => {
                let event = self.event;
                let total = self.schedule.expected_len() * event.options.games;
                self.say(&report::started_game(number, total, event.name(white), event.name(black)))
            }
            News::Done(Encounter { number, .. }, games) => {
                let Some(games) = games? else { return Ok(()) };
                self.journal.record(number, &games)?;
                self.waiting.insert(number, games);
                self.hand_over(true)
            }
        }
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
        let tasks = event.tasks(&encounter);
        self.write(number, &tasks, games)?;
        let played: Vec<_> = tasks.iter().map(|&(white, ..)| white).zip(games).collect();
        let lead = self.standings.add(&encounter, &played);
        self.schedule.tell(lead);
        self.bar.set_length(self.expected_games());
        if live {
            self.eta.count(options.games);
        }
        self.encounters += 1;
        self.bar.inc(options.games);
        if live {
            for (index, ((white, black, _), game)) in tasks.iter().zip(games).enumerate() {
                let (white, black) = (event.name(*white), event.name(*black));
                let reason = game.termination.to_string();
                let number = event.game_number(number, index);
                self.say(&report::finished_game(number, white, black, result_text(game), &reason))?;
                if let Some(fault) = &game.fault {
                    terminal::print_warning(&format!("game {number}: {reason}: {fault}"));
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

    fn write(
        &mut self,
        number: u64,
        tasks: &[(usize, usize, GameTask)],
        games: &[GameOutcome],
    ) -> Result<()> {
        let options = self.event.options;
        if let Some(file) = &mut self.pgn {
            let labels = GameLabels { event: &options.event, site: &options.site, round: number + 1 };
            let mut writer = TranscriptWriter::new(Vec::new(), G::GameFormat::default());
            for ((.., task), game) in tasks.iter().zip(games) {
                writer.write(&transcript::<G>(task, game, &labels)?)?;
            }
            file.write(&writer.into_inner())?;
        }
        if let Some(file) = &mut self.epd {
            for ((.., task), game) in tasks.iter().zip(games) {
                file.write(format!("{}\n", final_fen::<G>(task, game)?).as_bytes())?;
            }
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

/// Starts another program once, so that what is wrong with it is known before any game.
fn try_program(contestant: &Contestant, stop: &AtomicBool) -> Result<()> {
    if let Competitor::Engine(spec) = &contestant.competitor {
        let engine = UciEngine::start(spec.clone(), Timeouts::default(), stop)
            .with_context(|| contestant.name.clone())?;
        for warning in engine.warnings() {
            anstream::eprintln!("{warning}");
        }
    }
    Ok(())
}

fn result_text(game: &GameOutcome) -> &'static str {
    match game.outcome() {
        Some(Outcome::Win(Color::White)) => "1-0",
        Some(Outcome::Win(Color::Black)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}
