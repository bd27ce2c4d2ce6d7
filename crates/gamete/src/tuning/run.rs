use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Error, Result, anyhow, bail};
use gamete_arena::files::Output;
use gamete_arena::uci::EngineSetup;
use gamete_arena::{LocalOptions, Tablebase, WorkspaceOptions};
use gamete_lab::{
    BaselineView, ExperimentRow, ExperimentView, LabError, LabView, Plan, Recommended, RunError, Session,
    Store, StoreError, TunedParameter, TunedValue, VerificationError, VerificationPlan, View,
};
use serde::Serialize;
use serde_json::{Number, Value};

use super::advice;
use super::experiment::experiment;
use super::options::Options;
use super::parameters::parameters;
use crate::commands::report;
use crate::contest::{Affinity, Log};
use crate::grid::{Job, Machines, STOPPING};
use crate::interrupt::stop_on_interrupt;
use crate::lab::{Teller, tuned_table, values_text, verdict_text};
use crate::terminal::{counted, errln, out, outln, print_json, print_warning};

/// Tunes, or resumes a tune, and verifies what came out.
///
/// # Errors
///
/// When it cannot be run, or what comes of it cannot be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    let parameters = parameters(options)?;
    let (first, usual_id) = experiment(options, &parameters, None)?;
    if options.print {
        out!("{}", first.annotated_text())?;
        return Ok(ExitCode::SUCCESS);
    }
    let directories = options.tables.as_ref().map(|(directories, _)| directories);
    let tables = directories.map(Tablebase::open).transpose().context("-tb")?;
    if let Some(path) = options
        .output
        .as_ref()
        .filter(|path| path.metadata().is_ok_and(|old| old.is_file()) || !path.exists())
    {
        // What cannot be written is told before anything is played.
        Output::create(path).context("-o")?;
    }
    let store = Store::create(&options.lab.lab)?;
    let id = match &options.change {
        Some(Some(id)) => id.clone(),
        _ => changed_tune(&store, options, &parameters, &usual_id)?.unwrap_or(usual_id),
    };
    if options.fresh && store.find(&id)?.is_some() {
        store.delete(&id)?;
    }
    let begun = store.find(&id)?.and_then(|row| row.experiment().ok());
    let (experiment, _) = experiment(options, &parameters, begun.as_ref())?;
    let experiment = match options.change {
        Some(_) => gamete_lab::change(&store, &id, &experiment).map_err(in_words_of_change)?,
        None => gamete_lab::with_history(&store, &id, &experiment)?,
    };
    let plan = Plan::Experiment(experiment.clone());
    if options.subject.limits.is_timed() {
        print_warning(
            "limits by time: what is played is stored and resumed, but nobody can repeat it to the game",
        );
    }
    experiment.warnings().iter().for_each(|warning| print_warning(warning));
    let head = &experiment.head;
    match options.method.corpus() {
        None => errln!(
            "{id}: {}, {} at {}",
            head.about,
            counted(experiment.planned_games(), "game"),
            options.subject.limits
        ),
        Some(_) => errln!("{id}: {}, without games", head.about),
    }
    if let Some(start) = experiment.method.start_genome() {
        let pairs = verification(options).map_or(0, |plan| plan.pairs);
        let contest = experiment.method.verification(&start, None, pairs)?;
        errln!("openings: {}", contest.openings);
        let most = contest.most_pairs();
        if most < pairs {
            print_warning(&format!(
                "-openings: {} are held out, and at fixed nodes or depth each is played once: {} games verify the result instead \
                 of {}; a larger file has room for all",
                counted(most, "opening"),
                2 * most,
                2 * pairs
            ));
        }
    }
    errln!("seed {}, lab {}", head.seed, options.lab.lab.display());
    for (_, when) in experiment.method.facts().iter().filter(|(name, _)| *name == "changed") {
        errln!("changed {when}");
    }
    let log = options.log.open()?;
    let setup = EngineSetup {
        timeouts: options.timeouts,
        log: log.as_ref().map(Log::engines),
        ..EngineSetup::default()
    };
    let workspace = WorkspaceOptions {
        engines: Arc::new(plan.engines()),
        tables: tables.map(Arc::new),
        setup,
        ..WorkspaceOptions::default()
    };
    let on_start = options.affinity.clone().map(Affinity::on_start);
    let local = LocalOptions { threads: options.concurrency, workspace, pause: options.wait, on_start };
    let notice =
        if options.grid.is_some() { STOPPING } else { "finishing the games in hand; once more to stop now" };
    let stop = stop_on_interrupt(Some(notice))?;
    let job = Job { name: &id, home: Some(&options.lab.lab), fresh: options.fresh, reference: None };
    let machines = Machines::start(options.grid.as_ref(), &job, local, &stop)?;
    let executor = machines.executor();
    let mut teller = Teller::new(&experiment);
    let session =
        gamete_lab::run(&store, &id, &experiment, executor, &stop, |event| teller.experiment(event));
    let session = match session {
        Ok(session) => session,
        Err(error) => {
            teller.finish();
            return match error {
                RunError::Lab(error) if error.is_stop() => {
                    errln!("stopped; the same command resumes it");
                    Ok(ExitCode::from(130))
                }
                error => Err(in_words_of_tune(error)),
            };
        }
    };
    teller.restart();
    let verified = match verification(options) {
        None => Ok(()),
        Some(plan) => gamete_lab::verify(&store, &id, plan, executor, &stop, |progress| {
            teller.verification(progress, "the tuned values against the original ones");
        }),
    };
    teller.finish();
    if let Some(log) = &log {
        log.check();
    }
    if verified.is_ok() {
        machines.finish();
    }
    let lab = LabView::new(&store);
    let view = lab.experiment_at_hand(&id, &experiment)?;
    let path = report::default_path(&options.lab, &id);
    let written = report::write(lab, View::from(view.clone()), &path);
    let path = written.is_ok().then(|| path.display().to_string());
    if let Some(screening) = &view.screening {
        advice::tell(options, &view, screening, &session, path.as_deref())?;
    } else if options.json {
        print_json(&Tuned::new(&view, &session, path.as_deref(), &options.lab.option()))?;
    } else {
        print(&view, &session, path.as_deref(), &options.lab.option())?;
    }
    written?;
    match verified {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(VerificationError::Stopped) => {
            errln!("stopped; the search is finished, and the same command resumes the games that verify it");
            Ok(ExitCode::from(130))
        }
        Err(error) => Err(error.into()),
    }
}

/// The tune without a name of its own that was changed into what is asked for now, if the lab has one and none that began so.
fn changed_tune(
    store: &Store,
    options: &Options,
    parameters: &[TunedParameter],
    usual_id: &str,
) -> Result<Option<String>> {
    let is_named = options.name.is_some() || options.fresh || options.dry_run.is_some();
    if is_named || store.find(usual_id)?.is_some() {
        return Ok(None);
    }
    // All but the mark at its end, which stands for the settings it began with.
    let title = usual_id.rsplit_once('-').map_or(usual_id, |(title, _)| title);
    let is_tune = |row: &ExperimentRow| {
        let now = row.experiment().ok().and_then(|begun| experiment(options, parameters, Some(&begun)).ok());
        now.is_some_and(|(now, _)| gamete_lab::is_same_experiment(row, &now))
    };
    let rows = store.experiments().unwrap_or_default().into_iter();
    let rows = rows.filter(|row| row.id.rsplit_once('-').is_some_and(|(other, _)| other == title));
    let found: Vec<String> = rows.filter(is_tune).map(|row| row.id).collect();
    match found.as_slice() {
        [] => Ok(None),
        [id] => Ok(Some(id.clone())),
        several => bail!(
            "{} were changed into this tune; name the one to resume with -change ID",
            several.join(" and ")
        ),
    }
}

/// An error of a change with the way out that there is.
fn in_words_of_change(error: RunError) -> Error {
    match error {
        RunError::Changed { id, what } => {
            anyhow!(
                "-change: {id}: {what}; only -games and ranges of parameters can be changed during a tune"
            )
        }
        error => in_words_of_tune(error),
    }
}

/// An error with the way out that there is on the command line of a tune.
fn in_words_of_tune(error: RunError) -> Error {
    match error {
        RunError::Changed { id, what } => anyhow!(
            "{id} is in the lab with other settings: {what}; change them with -change, start over with -fresh, or give this one another \
             -name"
        ),
        RunError::Lab(LabError::Broken(reason)) => anyhow!(
            "{reason}; fix it: what was played is stored, and the same command resumes, or starts over with -fresh if the \
             program itself was changed"
        ),
        RunError::Store(StoreError::Busy { id }) => anyhow!(
            "{id} is being run by another process; wait for it, or give this run another -name or -srand"
        ),
        error => error.into(),
    }
}

/// The games that follow a search: as many as were asked for, or a quarter of those of the search, with a test as many as that
/// has. Nothing if none are to be played.
fn verification(options: &Options) -> Option<VerificationPlan> {
    let verify = options.verify;
    if options.dry_run.is_some() {
        return None;
    }
    let usual = match verify.sprt {
        None if options.method.corpus().is_some() => 1_000,
        None => (options.games / 4).clamp(200, 10_000),
        Some(_) => options.games.clamp(2_000, 100_000),
    };
    let pairs = verify.games.unwrap_or(usual).div_ceil(2);
    (pairs > 0).then_some(VerificationPlan { pairs, sprt: verify.sprt, other_limits: verify.limits })
}

/// What came out, as `-json` prints it.
#[derive(Serialize)]
struct Tuned<'a> {
    id: &'a str,
    /// The tuned values by name.
    values: BTreeMap<&'a str, Number>,
    /// Those that they started from.
    original: BTreeMap<&'a str, Number>,
    /// Standard deviations of the tuned values, where the search has a model that tells.
    deviations: BTreeMap<&'a str, f64>,
    /// The names of parameters that were not sought.
    kept: Vec<&'a str>,
    /// Elo of the tuned values over the original ones, as verified, with the ends of its 95 % interval.
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    verdict: &'static str,
    /// Which values are to be used; nothing before there are games that say so.
    recommended: Option<Recommended>,
    /// Elo by the games that the values were chosen by.
    training_elo: Option<f64>,
    /// The difference of the two.
    overfit_gap: Option<f64>,
    verification: Vec<Value>,
    games: u64,
    seconds: f64,
    digest: &'a str,
    report: Option<&'a str>,
    next: Vec<String>,
}

impl<'a> Tuned<'a> {
    fn new(view: &'a ExperimentView, session: &'a Session, report: Option<&'a str>, lab: &str) -> Self {
        let kept = view.tuning.iter().flat_map(|tuning| &tuning.kept);
        let parameters = view.tuning.iter().flat_map(|tuning| &tuning.parameters).chain(kept.clone());
        let score = view.verified().map(|one| &one.score);
        let finite = |number: Option<f64>| number.filter(|number| number.is_finite());
        Self {
            id: &view.id,
            values: parameters.clone().map(|one| (one.name.as_str(), number(one, one.value))).collect(),
            deviations: parameters
                .clone()
                .filter_map(|one| {
                    Some((one.name.as_str(), one.deviation.filter(|number| number.is_finite())?))
                })
                .collect(),
            original: parameters.map(|one| (one.name.as_str(), number(one, one.start))).collect(),
            kept: kept.map(|one| one.name.as_str()).collect(),
            elo: finite(score.map(|score| score.elo)),
            elo_low: finite(score.map(|score| score.elo_low)),
            elo_high: finite(score.map(|score| score.elo_high)),
            verdict: view.tuning_verdict(),
            recommended: view.recommended(),
            training_elo: finite(view.training_elo()),
            overfit_gap: view.overfit_gap(),
            verification: view.verification.iter().map(match_json).collect(),
            games: session.conclusion.games,
            seconds: session.seconds,
            digest: &session.conclusion.digest,
            report,
            next: view.next_commands(lab).into_iter().map(|(command, _)| command).collect(),
        }
    }
}

/// A match in JSON, with the verdict in the words that a tune has for it.
fn match_json(one: &BaselineView) -> Value {
    let mut value = serde_json::to_value(one).expect("a match");
    value["verdict"] = one.tuning_verdict().into();
    value
}

/// A value of a parameter in JSON: whole where the parameter is.
fn number(one: &TunedValue, value: f64) -> Number {
    if one.is_whole { (value as i64).into() } else { Number::from_f64(value).expect("a finite value") }
}

/// The same for people.
fn print(view: &ExperimentView, session: &Session, report: Option<&str>, lab: &str) -> Result<()> {
    if let Some(tuning) = &view.tuning {
        outln!("{}", tuned_table(tuning))?;
        outln!("{}", verdict_text(view).trim_end())?;
        outln!("{}", values_text(tuning))?;
    }
    let games = counted(session.conclusion.games, "game");
    outln!("finished: {games} in {:.1} s", session.seconds)?;
    if let Some(path) = report {
        outln!("report {path}")?;
    }
    outln!("\nnext:")?;
    for (command, purpose) in view.next_commands(lab) {
        outln!("  {command}  # {purpose}")?;
    }
    Ok(())
}
