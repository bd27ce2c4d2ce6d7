use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use gamete_arena::{LocalOptions, WorkspaceOptions};
use gamete_lab::{
    BaselineView, Experiment, LabView, METHODS, Measure, OBJECTIVES, Plan, Playoff, Ranking, RunError,
    Session, Store, VerificationError, View, count_champions, usual_pairs,
};
use gamete_optim::OPTIMIZERS;
use serde::Serialize;

use super::report;
use crate::grid::{GridArgs, Job, Machines, STOPPING};
use crate::interrupt::stop_on_interrupt;
use crate::lab::{
    DataArgs, LabArgs, LearningData, PlayerFile, Teller, Workshop, pipeline_summary, player_commands,
    summary, verification_text, write_players,
};
use crate::terminal::{counted, errln, grouped, out, outln, print_json, print_warning};

/// Run or resume an experiment, or a pipeline of experiments.
///
/// Without arguments, runs Kendall and Whitwell's evolution of piece values, in about a minute. After any
/// interruption, the same command resumes it. At the end the champion plays against its start and against the
/// classical weights of its model, which shows whether evolution helped.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// An experiment file or a preset
    #[arg(value_name = "FILE|PRESET", default_value = "kendall-whitwell")]
    experiment: String,

    #[command(flatten)]
    options: Options,
}

/// How an experiment is run, whichever it is.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    lab: LabArgs,

    #[command(flatten)]
    data: DataArgs,

    /// Random seed [default: the file's]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Games to play at once [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Change a key of the file, such as population=12 or weights.pawn=[0,3]; for one stage of a pipeline,
    /// stages.NAME.population=12
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Pairs of games that the champion plays at the end against its start, and as many against the classical
    /// weights; 0 for none [default: 25 to 100, by the size of the experiment]
    #[arg(long, value_name = "PAIRS", value_parser = clap::value_parser!(u64).range(0..=Playoff::MAX_PAIRS as u64))]
    verify: Option<u64>,

    /// Print the experiment with all defaults and the meaning of each key, without running it
    #[arg(long)]
    print: bool,

    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    grid: GridArgs,
}

impl Options {
    /// How many games are played at a time.
    fn threads(&self) -> usize {
        self.concurrency.map_or_else(|| available_parallelism().map_or(1, usize::from), |n| n as usize)
    }
}

/// What there is to choose from, and examples.
fn after_help() -> String {
    let list = |entries: Vec<(&str, &str)>| {
        let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        entries.iter().map(|(name, about)| format!("  {name:<width$}  {about}\n")).collect::<String>()
    };
    let presets: Vec<&str> = gamete_lab::presets::names().collect();
    let methods = list(METHODS.iter().map(|info| (info.name, info.about)).collect());
    let optimizers = list(OPTIMIZERS.iter().map(|info| (info.name, info.about)).collect());
    let objectives = list(OBJECTIVES.iter().map(|info| (info.name, info.about)).collect());
    format!(
        "Presets: {}\n\nMethods:\n{methods}\nOptimisers for optimize:\n{optimizers}\nObjectives for optimize:\n{objectives}\n\
         Examples:\n  \
         gamete evolve\n  \
         gamete evolve --seed 7 --set population=12 --set generations=8\n  \
         gamete evolve mutation-study --set replicates=10\n  \
         gamete evolve piece-values --set ga.population=30 --print\n  \
         gamete evolve weights-then-search --set stages.search.generations=3\n  \
         gamete evolve grandmaster --games games.pgn.zst --suite wac.epd\n  \
         gamete evolve mine.toml --lab results --json",
        presets.join(", ")
    )
}

/// The experiment or pipeline, and its name in the lab. `data` are changes of the keys that name its data.
fn load(source: &str, args: &Options, data: &[String]) -> Result<(Plan, String)> {
    let changes = [&args.set, data].concat();
    let error = match Plan::load(source, &changes, args.seed) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    // What was begun needs no player file again.
    let store = Store::open(&args.lab.lab).ok();
    let begun = store.and_then(|store| Plan::load_from_lab(source, &changes, args.seed, &store));
    match begun {
        Some((plan, id)) => {
            print_warning(&format!("{error}; {id} has what was in it"));
            Ok((plan, id))
        }
        None => Err(error).with_context(|| format!("experiment {source}")),
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    run_source(&args.experiment, &args.options)
}

/// Runs the experiment of a file or preset, or resumes it.
pub fn run_source(source: &str, args: &Options) -> Result<ExitCode> {
    let (mut plan, mut id) = load(source, args, &[])?;
    if args.print {
        out!("{}", plan.annotated_text())?;
        return Ok(ExitCode::SUCCESS);
    }
    let engines = Arc::new(plan.engines());
    let workspace = WorkspaceOptions { engines, ..WorkspaceOptions::default() };
    let local = LocalOptions { threads: args.threads(), workspace, ..LocalOptions::default() };
    let grid = args.grid.choice()?;
    let notice = if grid.is_some() { STOPPING } else { "finishing the games in hand; once more to stop now" };
    let stop = stop_on_interrupt(Some(notice))?;
    let job = Job { name: &id.clone(), home: Some(&args.lab.lab), ..Job::default() };
    let machines = Machines::start(grid.as_ref(), &job, local, &stop)?;
    let executor = machines.executor();
    let workshop = Workshop::new(&args.lab.lab, executor, &stop);
    let data = LearningData::new(&args.data, &plan, &workshop)?;
    let names = data.names();
    if !names.is_empty() {
        id = load(source, args, &names)?.1;
    }
    let finished = Store::open(&args.lab.lab).ok().and_then(|store| Plan::finished(&store, &id));
    let changes = match finished {
        Some(finished) => data.of_finished(&finished),
        None => match data.make() {
            Err(_) if stop.load(Ordering::Relaxed) => return Ok(stopped()),
            changes => changes?,
        },
    };
    if !changes.is_empty() {
        plan = load(source, args, &changes)?.0;
    }
    if plan.experiments().iter().any(Experiment::is_timed) {
        print_warning(
            "limits by time: what is played is stored and resumed like any other, but nobody can repeat it; nodes or \
             depth can be repeated",
        );
    }
    if let Some(last) = plan.experiments().last()
        && let (Some(pairs @ 1..), 0) = (args.verify, count_champions(last))
    {
        let what = last.method.breeds();
        print_warning(&format!(
            "--verify {pairs} has no effect: what it breeds are {what}, not players of ours"
        ));
    }
    for warning in plan.experiments().iter().flat_map(Experiment::warnings).collect::<BTreeSet<_>>() {
        print_warning(&warning);
    }
    let about = if plan.about().is_empty() { String::new() } else { format!("{}; ", plan.about()) };
    errln!("{id}: {about}seed {}, lab {}", plan.seed(), args.lab.lab.display());
    let store = Store::create(&args.lab.lab)?;
    let plan = plan.with_its_beginning(&store, &id)?;
    let mut teller = Teller::new(&plan.experiments()[0]);
    let watch = |event: &_| teller.experiment(event);
    let session = match &plan {
        Plan::Experiment(experiment) => gamete_lab::run(&store, &id, experiment, executor, &stop, watch),
        Plan::Pipeline(pipeline) => gamete_lab::run_pipeline(&store, &id, pipeline, executor, &stop, watch),
    };
    let session = match session {
        Ok(session) => session,
        Err(error) => {
            teller.finish();
            return match error {
                RunError::Lab(error) if error.is_stop() => Ok(stopped()),
                error => Err(error.into()),
            };
        }
    };
    teller.restart();
    let verified = match verification_pairs(args, &plan, &session) {
        0 => Ok(()),
        pairs => {
            let last = plan.last_id(&id);
            gamete_lab::verify(&store, &last, pairs, executor, &stop, |progress| {
                teller.verification(progress, "the champion against its start and the classical weights");
            })
        }
    };
    teller.finish();
    if verified.is_ok() {
        machines.finish();
    }
    // What came out is told even where it cannot be verified, or its report cannot be written.
    let lab = LabView::new(&store);
    let view = match &plan {
        Plan::Experiment(experiment) => View::from(lab.experiment_at_hand(&id, experiment)?),
        Plan::Pipeline(_) => lab.find(&id)?,
    };
    let path = report::default_path(&args.lab, &id);
    let written = report::write(lab, view.clone(), &path);
    let report = written.is_ok().then(|| path.display().to_string());
    let players = match &view {
        View::Experiment(_) => Ok(Vec::new()),
        View::Pipeline(view) => write_players(&store, view, &args.lab),
    };
    let left = Left { report, players: players.as_deref().unwrap_or_default() };
    if args.json {
        print_json(&Finished::new(&view, &session, &left, &args.lab.option()))?;
    } else {
        print(&view, &session, &left, &args.lab.option())?;
    }
    written?;
    players?;
    match verified {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(VerificationError::Stopped) => {
            crate::terminal::errln!(
                "stopped; the experiment is finished, and the same command resumes the games of its champion"
            );
            Ok(ExitCode::from(130))
        }
        Err(error) => Err(error.into()),
    }
}

/// What is said of a run that was interrupted.
fn stopped() -> ExitCode {
    errln!("stopped; the same command resumes it");
    ExitCode::from(130)
}

/// Files that an experiment leaves in the lab.
struct Left<'a> {
    /// Its report, if it could be written.
    report: Option<String>,
    /// Players of the stages of a pipeline.
    players: &'a [PlayerFile],
}

impl Left<'_> {
    /// Commands that may be typed next, each with what it is for.
    fn next_commands(&self, view: &View, lab: &str) -> Vec<(String, &'static str)> {
        player_commands(self.players).into_iter().chain(view.next_commands(lab)).collect()
    }
}

/// How many pairs the champion is to play against its start, and as many against the classical weights.
fn verification_pairs(args: &Options, plan: &Plan, session: &Session) -> u64 {
    match plan.experiments().last().map_or(0, count_champions) {
        0 => 0,
        champions => args.verify.unwrap_or_else(|| usual_pairs(session.conclusion.games, champions)),
    }
}

/// An experiment that came to its end, as `--json` prints it.
#[derive(Serialize)]
struct Finished<'a> {
    id: &'a str,
    champion: BTreeMap<&'a str, f64>,
    /// What it was ranked by, where the method ranks.
    fitness: Option<f64>,
    /// Numbers of the last generation beside fitness.
    measures: &'a [Measure],
    digest: &'a str,
    games: u64,
    seconds: f64,
    /// The share of its time that a playing thread has played.
    busy: f64,
    /// The share of a core that the store has taken.
    writing: f64,
    verification: &'a [BaselineView],
    /// Optimisers by what came of them, if these are the arms.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<Ranking>,
    /// Where the report is, if it could be written.
    report: Option<&'a str>,
    /// Where players are that the stages of a pipeline leave, by stage.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    players: BTreeMap<&'a str, &'a str>,
    /// Commands that may be typed next.
    next: Vec<String>,
}

impl<'a> Finished<'a> {
    fn new(view: &'a View, session: &'a Session, left: &'a Left<'_>, lab: &str) -> Self {
        let Session { conclusion, seconds, progress } = session;
        Self {
            id: view.id(),
            champion: conclusion.champion.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
            fitness: view.fitness(),
            measures: view.measures(),
            digest: &conclusion.digest,
            games: conclusion.games,
            seconds: *seconds,
            busy: progress.busy,
            writing: progress.writing,
            verification: view.verification(),
            ranking: match view {
                View::Experiment(view) => view.ranking(),
                View::Pipeline(_) => None,
            },
            report: left.report.as_deref(),
            players: left.players.iter().map(|file| (file.stage.as_str(), file.path.as_str())).collect(),
            next: left.next_commands(view, lab).into_iter().map(|(command, _)| command).collect(),
        }
    }
}

/// The same for people.
fn print(view: &View, session: &Session, left: &Left<'_>, lab: &str) -> Result<()> {
    let Session { conclusion, seconds, progress } = session;
    match view {
        View::Experiment(view) => outln!("{}", summary(view))?,
        View::Pipeline(view) => outln!("{}", pipeline_summary(view))?,
    }
    let verification = verification_text(view.verification());
    // What was tuned is told of with its values.
    let is_told = matches!(view, View::Experiment(view) if view.tuning.is_some());
    if !verification.is_empty() && !is_told {
        outln!("{verification}")?;
    }
    let games = counted(conclusion.games, "game");
    if conclusion.games == 0 {
        outln!("finished in {seconds:.1} s")?;
    } else if progress.played == 0 {
        outln!("finished: {games} in {seconds:.1} s (nothing left to play)")?;
    } else {
        let now = match progress.replayed {
            0 => String::new(),
            _ => format!("{} since it was resumed, ", grouped(progress.played)),
        };
        outln!(
            "finished: {games} in {seconds:.1} s ({now}{:.0} per second, cores {:.0} % busy)",
            progress.played as f64 / progress.seconds,
            100.0 * progress.busy
        )?;
    }
    outln!("digest {}", conclusion.digest)?;
    if let Some(path) = &left.report {
        outln!("report {path}")?;
    }
    for PlayerFile { stage, path } in left.players {
        outln!("player {path} (after {stage})")?;
    }
    let next = left.next_commands(view, lab);
    // What does not fit into a line anyway is no reason to push the others apart.
    const MAX_WIDTH: usize = 100;
    let widths = next.iter().map(|(command, _)| command.chars().count());
    let width = widths.filter(|&width| width <= MAX_WIDTH).max().unwrap_or(0);
    outln!("\nnext:")?;
    for (command, purpose) in next {
        outln!("  {command:<width$}  # {purpose}")?;
    }
    Ok(())
}
