mod observer;
mod reporting;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineCatalog, EngineSetup, EngineSpec, UciEngine};
use gamete_arena::{
    Book, Contestant, GameFile, GameFileContent, GameFiles, GameRecords, Identity, LocalOptions,
    MatchJournal, MatchPlan, MatchRunner, OpeningSource, Playable, Program, ProgramWatch, Tablebase,
    WorkspaceOptions, claim, dispatch,
};

use gamete_lab::MatchStore;

use super::affinity::Affinity;
use super::eta::Eta;
use super::log_options::Log;
use super::options::Options;
use super::resume::remember;
use super::signals::Signals;
use super::starts::{Starts, listed_starts, old_start};
use crate::grid::{Job, Machines};
use crate::terminal::{self, errln};
use observer::Terminal;
use reporting::Reporter;

/// Plays a match or tournament, or the rest of it.
///
/// # Errors
///
/// When it cannot be played, or what comes of it cannot be written.
pub fn run(options: Options) -> Result<ExitCode> {
    let options = Arc::new(options);
    dispatch!(options.game, G => {
        let book: Option<Book<G>> = options.book()?;
        if let Some(book) = book.as_ref().filter(|_| !options.chess960) {
            warn_of_shuffled(book);
        }
        run_game(&options, Starts::new(book, options.chess960))
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

fn run_game<G: Playable>(options: &Arc<Options>, starts: Starts<G>) -> Result<ExitCode> {
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
        let tried = try_program(contestant, &setup, signals.control.finish_flag());
        if signals.control.is_finishing() {
            return Ok(signals.exit_code());
        }
        programs.extend(tried?.map(|program| (contestant.name.clone(), program)));
    }
    let identity = Identity::new(&options.contestants, programs, options.openings.file.as_deref())?;
    let open = if options.fresh { MatchStore::open_fresh } else { MatchStore::open };
    let journal = open(&options.journal_path())?;
    let (seed, begun_by) = claim_journal(options, &journal, &identity)?;
    let plan = plan(options, &begun_by, starts.source(&options.openings, seed), seed);
    for warning in plan.openings.warnings(plan.pairs()) {
        terminal::print_warning(&warning.to_string());
    }
    let programs = ProgramWatch::new(&identity)?;
    let reporter = Arc::new(Reporter {
        options: Arc::clone(options),
        seed,
        journal: options.journal_path(),
        conditions: options.conditions(plan.openings.name()),
    });
    let random = plan.openings.random_plies(options.rounds);
    let terminal = Terminal {
        reporter: Arc::clone(&reporter),
        bar: terminal::progress(plan.schedule().expected_len() * options.games, "games"),
        log: log.clone(),
        eta: Mutex::new(Eta::start()),
        openings: random.map(|plies| format!("Openings: {}", random_text(options, plies))),
    };
    let files = game_files(options, &journal)?;
    let control = Arc::clone(&signals.control);
    let runner = MatchRunner::new(&plan, &journal, files, programs, control, Arc::new(terminal))?;
    // Only now is it known that the journal is in order and of this match.
    remember(&options.words, &journal)?;
    let reference = journal.setting(CLOCK_REFERENCE).and_then(|text| text.parse().ok());
    let machines = machines(options, reference, tables, Arc::clone(&plan.engines), setup, &signals)?;
    if let Some(measured) = machines.reference().filter(|_| reference.is_none()) {
        journal.set(CLOCK_REFERENCE, &measured.to_string())?;
    }
    let finished = runner.run(machines.executor()).map_err(anyhow::Error::from).and_then(|end| {
        reporter.print_end(&end)?;
        match end.failure {
            Some(failure) => bail!(
                "{failure}; the match stops there, as -recover off says, and the same command plays it again"
            ),
            None if end.interrupted => Ok(signals.exit_code()),
            None => Ok(ExitCode::SUCCESS),
        }
    });
    if finished.as_ref().is_ok_and(|&status| status == ExitCode::SUCCESS) {
        machines.finish();
    } else {
        drop(machines);
    }
    if let Some(log) = &log {
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

/// Checks that the journal is of this match, and gives its seed and whom it began with.
fn claim_journal(
    options: &Options,
    journal: &dyn MatchJournal,
    identity: &Identity,
) -> Result<(u64, Identity)> {
    let known = journal.head()?.map(|head| head.configuration);
    let old = options.old_configuration().map(|configuration| configuration.to_string());
    if known.is_some() && known == old {
        bail!(
            "{}: this match began without random openings; {} resumes it as it began, and -fresh starts over",
            journal.path().display(),
            old_start(options)
        );
    }
    // A seed that people can type.
    let new_seed = || RandomState::new().hash_one(0) >> 32;
    Ok(claim(journal, &options.configuration(), identity, options.seed, new_seed)?)
}

fn plan<G: Playable>(
    options: &Options,
    identity: &Identity,
    openings: OpeningSource<G>,
    seed: u64,
) -> MatchPlan<G> {
    let mut engines = EngineCatalog::default();
    let named = |contestant: &Contestant<EngineSpec>| {
        let name = &contestant.name;
        let content = identity.program(name).map(Program::content);
        contestant.clone().map_engine(|spec| engines.add(name, spec, content))
    };
    MatchPlan {
        contestants: options.contestants.iter().map(named).collect(),
        engines: Arc::new(engines),
        rules: options.rules(seed),
        openings,
        policy: options.openings.policy,
        adjudication: options.adjudication,
        recover: options.recover,
        details: options.pgn.as_ref().is_some_and(|pgn| pgn.style.wants_details()),
    }
}

/// The files that were asked for.
fn game_files<'a>(options: &Options, journal: &'a dyn MatchJournal) -> Result<GameFiles<'a>> {
    let mut files = GameFiles::default();
    if let Some(pgn) = &options.pgn {
        files.games = Some(GameRecords {
            file: GameFile::open(&pgn.path, pgn.append, GameFileContent::Games, journal)?,
            style: pgn.style,
            notation: pgn.notation,
            event: options.event.clone(),
            site: options.site.clone(),
        });
    }
    if let Some(epd) = &options.epd {
        files.positions = Some(GameFile::open(&epd.path, epd.append, GameFileContent::Positions, journal)?);
    }
    Ok(files)
}

/// The setting of a journal that says for which speed clocks are made, where they are scaled.
const CLOCK_REFERENCE: &str = "clock reference";

/// What plays the games.
fn machines(
    options: &Options,
    reference: Option<u64>,
    tables: Option<Tablebase>,
    engines: Arc<EngineCatalog>,
    setup: EngineSetup,
    signals: &Signals,
) -> Result<Machines> {
    let workspace = WorkspaceOptions {
        stop: signals.control.stop_flag(),
        tables: tables.map(Arc::new),
        engines,
        setup,
        max_seats: options.contestants.len().max(2),
    };
    let on_start = options.affinity.clone().map(Affinity::on_start);
    let local = LocalOptions { threads: options.concurrency, workspace, pause: options.wait, on_start };
    let path = options.journal_path();
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let job = Job { name: &name, home: Some(&path), fresh: options.fresh, reference };
    Machines::start(options.grid.as_ref(), &job, local, &signals.control.stop_flag())
}

/// Starts another program once, so that what is wrong with it is known before any game, and tells what it is.
fn try_program(
    contestant: &Contestant<EngineSpec>,
    setup: &EngineSetup,
    stop: &AtomicBool,
) -> Result<Option<Program>> {
    let Some(spec) = contestant.engine() else { return Ok(None) };
    let program = Program::find(spec).with_context(|| contestant.name.clone())?;
    let setup = EngineSetup { name: Some(contestant.name.clone()), ..setup.clone() };
    let mut engine = UciEngine::set_up(spec.clone(), setup, stop).with_context(|| contestant.name.clone())?;
    for warning in engine.warnings() {
        errln!("{warning}");
    }
    engine.quit();
    Ok(program.map(|program| program.after_start(engine.id_name())))
}

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
