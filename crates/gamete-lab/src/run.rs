//! Running an experiment from the top, for the first time or again.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use gamete_arena::{Executor, Rng, now};
use gamete_corpus::Differences;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::RunError;
use crate::beginning::check_from;
use crate::engines::{self, EngineContents};
use crate::experiment::{Experiment, ExperimentError};
use crate::methods::Finding;
use crate::model_slice::ModelSlice;
use crate::runtime::{Lab, LabError, RunningTime, Runtime, TaskIdentity};
use crate::signature::{
    comparable_signature, experiment_signature, split_engines, task_identity, with_engines,
};
use crate::store::{ExperimentRow, Store};
use crate::study::{ClassicalMatch, PlayoffMatch, StudyFinding, arms, run_study};
use crate::view::{Event, Progress};

/// How often whoever watches is told of progress, and it is looked whether to stop.
const TICK: Duration = Duration::from_millis(20);

/// What came out of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// The answer: the champion, or in a study the mean of the champions, gene by gene.
    pub champion: Vec<(String, f64)>,
    /// A hash of the last populations, to the last bit.
    pub digest: String,
    /// Games of the whole experiment.
    pub games: u64,
    /// The champion of each run of a study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub champions: Vec<RunChampion>,
    /// How the champions of arms fared against each other.
    #[serde(default, alias = "meetings", skip_serializing_if = "Vec::is_empty")]
    pub playoffs: Vec<PlayoffMatch>,
    /// How they fared against the classical weights.
    #[serde(default, alias = "yardsticks", skip_serializing_if = "Vec::is_empty")]
    pub classical: Vec<ClassicalMatch>,
    /// On which moves champions differ from the experts that they were compared with, run by run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<RunDifferences>,
    /// What the model of a tune expects around the champion, if it has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<ModelSlice>,
}

/// On which moves the champion of a run differs from the experts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunDifferences {
    /// Which arm, from 0.
    pub arm: usize,
    /// Which replicate, from 0.
    pub replicate: u32,
    /// In the positions that nothing was learned from.
    pub differences: Differences,
}

/// The champion of a run of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunChampion {
    /// Which arm, from 0.
    pub arm: usize,
    /// Which replicate, from 0.
    pub replicate: u32,
    /// Its genome.
    pub genome: Vec<f64>,
}

/// A finished session.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// What came out.
    pub conclusion: Conclusion,
    /// Seconds of all sessions.
    pub seconds: f64,
    /// What it took.
    pub progress: Progress,
}

/// Runs an experiment, or resumes it. `watch` receives what happens, at least its progress some times per second.
///
/// # Errors
///
/// When it is stopped, somebody else runs it, it is not the one that was begun, or the store does not work.
pub fn run(
    store: &Store,
    id: &str,
    experiment: &Experiment,
    executor: &dyn Executor,
    stop: &AtomicBool,
    watch: impl FnMut(&Event),
) -> Result<Session, RunError> {
    let experiment = experiment.with_its_beginning(store, id)?;
    let _claim = store.claim(id)?;
    run_claimed(store, id, &experiment, executor, stop, watch)
}

/// Runs an experiment that nobody else can run at the same time, with the values that it keeps of the one that it begins with.
pub(crate) fn run_claimed(
    store: &Store,
    id: &str,
    experiment: &Experiment,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut watch: impl FnMut(&Event),
) -> Result<Session, RunError> {
    let (clock, identity) = begin(store, id, experiment)?;
    let writer = store.again()?;
    let (runtime, inbox) = Runtime::new(id, identity, executor, store.again()?, clock);
    let planned = experiment.planned_games();
    watch(&Event::Started { id: id.to_owned(), planned_games: planned, seconds: clock.earlier });
    let busy_before = executor.busy();
    let progress = |runtime: &Runtime<'_>| {
        let seconds = runtime.started.elapsed().as_secs_f64();
        let busy = executor.busy().saturating_sub(busy_before).as_secs_f64();
        let meter = runtime.meter();
        Progress {
            played: meter.played.load(Ordering::Relaxed),
            replayed: meter.replayed.load(Ordering::Relaxed),
            planned,
            seconds,
            busy: busy / seconds / executor.capacity() as f64,
            writing: meter.writing.load(Ordering::Relaxed) as f64 / 1e9 / seconds,
        }
    };
    let result = thread::scope(|scope| {
        let runtime = &runtime;
        // However this block is left, nobody waits for tasks or writes that will not come.
        let _closing = Closing(runtime);
        let thread = |error| LabError::Thread(Arc::new(error));
        let scribe = thread::Builder::new()
            .spawn_scoped(scope, move || runtime.guarded(|| inbox.serve(&writer, runtime)))
            .map_err(thread)?;
        let (ending, ended) = mpsc::channel::<()>();
        let method = thread::Builder::new()
            .spawn_scoped(scope, || {
                // It goes with the thread, however that ends.
                let _ending = ending;
                let result = runtime.guarded(|| conclude(experiment, runtime));
                runtime.close();
                result
            })
            .map_err(thread)?;
        while ended.recv_timeout(TICK) == Err(mpsc::RecvTimeoutError::Timeout) {
            if stop.load(Ordering::Relaxed) {
                runtime.close();
            }
            runtime.meter().events().iter().for_each(&mut watch);
            watch(&Event::Progress(progress(runtime)));
        }
        let result = method.join().unwrap_or(Err(LabError::Stopped));
        runtime.finish_writing();
        let _ = scribe.join();
        result
    });
    let seconds = runtime.seconds();
    store.set_seconds(id, seconds)?;
    let progress = progress(&runtime);
    runtime.meter().events().iter().for_each(&mut watch);
    watch(&Event::Progress(progress));
    let result = runtime.panicked().map_or(result, |panic| Err(LabError::Panicked(panic)));
    let conclusion = match (result, stored_conclusion(store, id)?) {
        // What is finished needs no file again that is gone. Whoever names another one does not mean what is stored.
        (Err(LabError::Experiment(error)), Some(stored))
            if !matches!(error, ExperimentError::OtherFile { .. }) =>
        {
            stored
        }
        (result, _) => {
            let found = result.inspect_err(|error| watch(&Event::Stopped { reason: error.to_string() }))?;
            store.set_result(id, &serde_json::to_string(&found).expect("plain data"))?;
            found
        }
    };
    watch(&Event::Finished { conclusion: conclusion.clone() });
    Ok(Session { conclusion, seconds, progress })
}

/// What came out the last time, if it was finished.
fn stored_conclusion(store: &Store, id: &str) -> Result<Option<Conclusion>, RunError> {
    Ok(store.find(id)?.and_then(|row| row.conclusion().ok().flatten()))
}

/// Ends a run when it is dropped.
struct Closing<'a>(&'a Runtime<'a>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
        self.0.finish_writing();
    }
}

/// Writes a new experiment down; gives the time that an old one has run, and how its tasks are told apart.
pub(crate) fn begin(
    store: &Store,
    id: &str,
    experiment: &Experiment,
) -> Result<(RunningTime, TaskIdentity), RunError> {
    let file = experiment.text();
    if let Some(row) = store.find(id)? {
        let is_same = |stored: &str| is_same_file(stored, &file);
        if !is_same(&row.file) && !with_all_defaults(&row.file).is_some_and(|stored| is_same(&stored)) {
            let what = difference(&row.file.parse().unwrap_or_default(), &experiment.table());
            return Err(RunError::Changed { id: id.to_owned(), what });
        }
        let (of_players, _) = split_engines(&row.signature);
        let signature = comparable_signature(experiment, of_players);
        if of_players != signature {
            let what = format!("the engine was {of_players}, and is now {signature}");
            return Err(RunError::Changed { id: id.to_owned(), what });
        }
        let clock = RunningTime { earlier: store.seconds(id)?, counts: row.result.is_none() };
        let identity = task_identity(experiment, &row.signature);
        if row.result.is_none() {
            check_engines(id, experiment, &identity.engines)?;
        }
        return Ok((clock, identity));
    }
    check_from(store, experiment)?;
    let engines = engines::contents(experiment, check_resources).map_err(LabError::from)?;
    let head = &experiment.head;
    store.insert(&ExperimentRow {
        id: id.to_owned(),
        file,
        method: head.method.clone(),
        about: head.about.clone(),
        seed: head.seed,
        signature: with_engines(experiment_signature(experiment), experiment, &engines),
        created: now(),
        seconds: 0.0,
        result: None,
    })?;
    Ok((RunningTime { earlier: 0.0, counts: true }, TaskIdentity::new(engines)))
}

/// Refuses to go on with another program than the one that an experiment began with, where that is known.
fn check_engines(id: &str, experiment: &Experiment, known: &EngineContents) -> Result<(), RunError> {
    if known.is_empty() {
        return Ok(());
    }
    let now = engines::contents(experiment, engines::start).map_err(LabError::from)?;
    let changed = known.iter().find(|(name, content)| now.get(*name) != Some(content));
    changed.map_or(Ok(()), |(name, content)| {
        let now = now.get(name).map_or("missing", String::as_str);
        let what = format!("the program {name} or a file that it is given was {content}, and is now {now}");
        Err(RunError::Changed { id: id.to_owned(), what })
    })
}

/// Refuses an experiment whose programs or files cannot be used.
pub(crate) fn check_resources(experiment: &Experiment) -> Result<(), ExperimentError> {
    arms(experiment).iter().try_for_each(|arm| arm.method.check_resources())
}

/// A stored file with the keys that have come into being since.
fn with_all_defaults(file: &str) -> Option<String> {
    Experiment::from_stored(&file.parse().ok()?).ok().map(|experiment| experiment.text())
}

fn conclude(experiment: &Experiment, runtime: &Runtime<'_>) -> Result<Conclusion, LabError> {
    runtime.test_panic_point("the-method");
    let mut lab = Lab::new(runtime, "", Rng::new(experiment.head.seed))?;
    let (findings, champions, playoffs, classical, differences) = if experiment.is_study() {
        let StudyFinding { findings, playoffs, classical, differences } = run_study(experiment, &mut lab)?;
        let champions = findings
            .iter()
            .map(|one| RunChampion {
                arm: one.arm,
                replicate: one.replicate,
                genome: one.finding.champion.clone(),
            })
            .collect();
        (findings.into_iter().map(|one| one.finding).collect(), champions, playoffs, classical, differences)
    } else {
        let finding = run_method(experiment, &mut lab)?;
        let differences = experiment.method.differences(&finding.champion, &mut lab)?;
        let differences = differences.map(|differences| RunDifferences { arm: 0, replicate: 0, differences });
        (vec![finding], Vec::new(), Vec::new(), Vec::new(), Vec::from_iter(differences))
    };
    Ok(Conclusion {
        champion: champion(experiment, &findings),
        digest: digest(&findings, &playoffs, &classical),
        slices: match &findings[..] {
            [only] if !experiment.is_study() => only.slices.clone(),
            _ => Vec::new(),
        },
        games: runtime.meter().games(),
        champions,
        playoffs,
        classical,
        differences,
    })
}

/// The champion, or the mean of champions; nothing where arms seek something else than the file.
fn champion(experiment: &Experiment, findings: &[Finding]) -> Vec<(String, f64)> {
    let (names, subject) = (experiment.genes(), experiment.method.subject());
    let is_same = |arm: &Experiment| arm.genes() == names && arm.method.subject() == subject;
    if !arms(experiment).iter().all(is_same) {
        return Vec::new();
    }
    let champions: Vec<_> = findings.iter().map(|finding| &finding.champion).collect();
    let mean =
        |gene: usize| champions.iter().map(|genome| genome[gene]).sum::<f64>() / champions.len() as f64;
    let means: Vec<f64> = (0..names.len()).map(mean).collect();
    // What plays has whole numbers where there are no others.
    let values = experiment.method.space().map_or(means.clone(), |space| space.rounded(&means));
    names.into_iter().zip(values).collect()
}

fn digest(findings: &[Finding], playoffs: &[PlayoffMatch], classical: &[ClassicalMatch]) -> String {
    let mut hasher = blake3::Hasher::new();
    for finding in findings {
        hasher.update(&(finding.population.len() as u64).to_le_bytes());
        for gene in finding.population.iter().flatten() {
            hasher.update(&gene.to_bits().to_le_bytes());
        }
    }
    let classical = classical.iter().flat_map(|classical| &classical.scores);
    for score in playoffs.iter().flat_map(|playoff| &playoff.scores).chain(classical) {
        hasher.update(&[score.0]);
    }
    hasher.finalize().to_hex().to_string()
}

/// Runs the method of an experiment that is no study.
pub(crate) fn run_method(experiment: &Experiment, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
    experiment.method.run(&experiment.head.budget, experiment.head.start(), lab)
}

/// The folder of a lab with the corpora and suites that were made for its experiments.
pub const DATA_FOLDER: &str = "data";

/// Whether the file of an experiment is the stored one, wherever the lab is now: data of the lab are known by their names.
pub(crate) fn is_same_file(stored: &str, now: &str) -> bool {
    fn data_name(path: &str) -> Option<&OsStr> {
        let path = Path::new(path);
        let is_of_a_lab = path.parent()?.file_name()? == DATA_FOLDER;
        path.file_name().filter(|_| is_of_a_lab)
    }
    fn is_same(was: &Value, now: &Value) -> bool {
        match (was, now) {
            (Value::Table(was), Value::Table(now)) => {
                was.len() == now.len()
                    && was.iter().all(|(key, was)| now.get(key).is_some_and(|now| is_same(was, now)))
            }
            (Value::Array(was), Value::Array(now)) => {
                was.len() == now.len() && was.iter().zip(now).all(|(was, now)| is_same(was, now))
            }
            (Value::String(was), Value::String(now)) if was != now => {
                data_name(was).is_some() && data_name(was) == data_name(now)
            }
            _ => was == now,
        }
    }
    let table = |text: &str| text.parse::<Table>().map(Value::Table);
    stored == now || table(stored).is_ok_and(|was| table(now).is_ok_and(|now| is_same(&was, &now)))
}

/// The first key in which a file differs from the stored one.
pub(crate) fn difference(stored: &Table, now: &Table) -> String {
    fn first(place: &str, was: &Table, now: &Table) -> Option<String> {
        let keys: std::collections::BTreeSet<_> = was.keys().chain(now.keys()).collect();
        let is_table = |key: &str| [was, now].iter().any(|table| table.get(key).is_some_and(Value::is_table));
        // Another method brings other tables of settings with it; its name says more than they do.
        let (tables, others): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| is_table(key));
        others.into_iter().chain(tables).find_map(|key| match (was.get(key), now.get(key)) {
            (Some(Value::Table(was)), Some(Value::Table(now))) => first(&format!("{place}{key}."), was, now),
            (was, now) if was == now => None,
            (was, now) => {
                let text =
                    |value: Option<&Value>| value.map_or_else(|| "not set".to_owned(), Value::to_string);
                Some(format!("{place}{key} was {}, and is now {}", text(was), text(now)))
            }
        })
    }
    first("", stored, now).unwrap_or_else(|| "the file".to_owned())
}

#[cfg(test)]
mod tests {
    use gamete_arena::Fake;

    use super::*;
    use crate::testing::{experiment, fake};

    /// Runs an experiment in which something panics, and gives the error; a run that hangs fails the test.
    fn error_of(id: &'static str, text: &str, executor: Fake) -> String {
        let experiment = experiment(text);
        let lab = tempfile::tempdir().expect("a directory");
        let store = Store::create(lab.path()).expect("a lab");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let result = run(&store, id, &experiment, &executor, &AtomicBool::new(false), |_| {});
            let _ = sender.send(result.map(|_| ()));
        });
        let result = receiver.recv_timeout(Duration::from_secs(120)).expect("a run that ends");
        Store::open(lab.path()).expect("a lab").claim(id).map(drop).expect("an experiment that nobody holds");
        result.expect_err("a panic is an error").to_string()
    }

    const SMALL: &str = "name = 'x'\npopulation = 4\ngenerations = 2\nlimits = 'depth=1'\nmax_moves = 10\n";

    #[test]
    fn a_panic_in_any_thread_ends_the_run_with_a_message() {
        for id in ["panic-in-the-writer", "panic-in-the-method"] {
            let error = error_of(id, SMALL, fake());
            assert!(error.starts_with("internal error: a test panics in "), "{id}: {error}");
        }
        let study = format!("{SMALL}replicates = 3\n");
        let error = error_of("panic-in-a-branch", &study, fake());
        assert!(error.starts_with("internal error: a test panics in a-branch"), "{error}");
    }

    #[test]
    fn a_panic_inside_an_inner_run_ends_the_run_with_a_message() {
        let inner = SMALL.replace('\n', "\ninner.");
        let inner = inner.strip_suffix("inner.").expect("the last line");
        let text = format!(
            "name = 'meta'\nmethod = 'meta-evolution'\npopulation = 3\ngenerations = 1\n\
             genes.scale = [0, 2]\ninner.{inner}"
        );
        let error = error_of("x", &text, Fake::new(|_| panic!("a test panics in a game")));
        assert!(error.starts_with("internal error: a test panics in a game"), "{error}");
    }

    #[test]
    fn a_panic_of_whoever_watches_ends_the_run() {
        let experiment = experiment(SMALL);
        let lab = tempfile::tempdir().expect("a directory");
        let store = Store::create(lab.path()).expect("a lab");
        let (sender, receiver) = mpsc::channel();
        let watcher = thread::spawn(move || {
            let _sender: mpsc::Sender<()> = sender;
            let watch = |event: &Event| {
                assert!(!matches!(event, Event::Progress(_)), "a watcher that fails");
            };
            run(&store, "x", &experiment, &fake(), &AtomicBool::new(false), watch)
        });
        let ended = receiver.recv_timeout(Duration::from_secs(120));
        assert_eq!(ended, Err(mpsc::RecvTimeoutError::Disconnected), "the run hangs");
        assert!(watcher.join().is_err());
        Store::open(lab.path())
            .expect("a lab")
            .claim("x")
            .map(drop)
            .expect("an experiment that nobody holds");
    }

    #[test]
    fn whoever_watches_hears_of_every_generation_and_kept_game_once() {
        let experiment = experiment(SMALL);
        let lab = tempfile::tempdir().expect("a directory");
        let store = Store::create(lab.path()).expect("a lab");
        let watched = || {
            let mut events = Vec::new();
            let never = AtomicBool::new(false);
            run(&store, "x-1", &experiment, &fake(), &never, |event| events.push(event.clone()))
                .expect("a session");
            events
        };
        let numbers = |events: &[Event]| -> Vec<u32> {
            let number = |event: &Event| match event {
                Event::Generation { generation, .. } => Some(generation.number),
                _ => None,
            };
            events.iter().filter_map(number).collect()
        };
        let games =
            |events: &[Event]| events.iter().filter(|event| matches!(event, Event::Game { .. })).count();
        let first = watched();
        assert!(matches!(first.first(), Some(Event::Started { planned_games: 12, .. })), "{first:?}");
        assert!(matches!(first.last(), Some(Event::Finished { .. })), "{first:?}");
        assert_eq!(numbers(&first), [0, 1, 2]);
        let run = store.runs("x-1").expect("runs")[0].number;
        assert_eq!(games(&first), store.games(run).expect("games").len());
        let again = watched();
        assert_eq!((numbers(&again), games(&again)), (vec![0, 1, 2], 0), "nothing is played again");
    }

    #[test]
    fn data_of_a_lab_are_the_same_wherever_it_is() {
        let file =
            |path: &str| format!("[[stages]]\nname = 'a'\nset = {{ experts = {{ corpus = '{path}' }} }}");
        let stored = file("lab/data/own-play-1.corpus");
        assert!(is_same_file(&stored, &file("/elsewhere/data/own-play-1.corpus")));
        for other in ["lab/data/own-play-2.corpus", "lab/own-play-1.corpus", "data"] {
            assert!(!is_same_file(&stored, &file(other)), "{other}");
        }
        assert!(!is_same_file(&file("a.corpus"), &file("b/a.corpus")));
        assert!(!is_same_file(&stored, &format!("seed = 2\n{stored}")));
    }
}
