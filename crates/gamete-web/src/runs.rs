//! Experiments that are run by this server, each on threads of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use gamete_arena::{Executor, Local, LocalOptions, WorkspaceOptions};
use gamete_grid::{Access, Grid, GridOptions, Lease, Notices, Share};
use gamete_lab::{
    Baseline, Event, Plan, Progress, RunError, Session, Store, VerificationError, VerificationPlan,
    count_champions, usual_pairs, verify,
};

use crate::app::App;
use crate::error::ApiError;

/// Experiments that were started or resumed here.
#[derive(Default)]
pub struct Runs {
    all: Mutex<BTreeMap<String, Run>>,
}

/// An experiment that was started here.
struct Run {
    terms: RunTerms,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread of a run and requests share.
struct Shared {
    stop: Arc<AtomicBool>,
    now: Mutex<Now>,
}

/// How a run is.
#[derive(Debug, Clone, Default)]
pub struct Now {
    /// What it does.
    pub status: RunStatus,
    /// Whether a grid plays its games.
    pub on_grid: bool,
    /// Numbers of it.
    pub progress: Option<Progress>,
    /// Why it failed, if it did.
    pub error: Option<ApiError>,
    /// When its threads had ended.
    pub ended: Option<Instant>,
}

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunStatus {
    /// It plays.
    #[default]
    Running,
    /// It finishes the games in hand, to be resumed later.
    Pausing,
    /// It finishes the games in hand.
    Stopping,
    /// It waits to be resumed.
    Paused,
    /// It was stopped.
    Stopped,
    /// Its champion plays against its baselines.
    Verifying,
    /// It came to its end.
    Finished,
    /// It cannot go on.
    Failed,
}

impl RunStatus {
    /// In a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Pausing => "pausing",
            Self::Stopping => "stopping",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Verifying => "verifying",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }

    /// Whether its threads are at work.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Running | Self::Pausing | Self::Stopping | Self::Verifying)
    }
}

/// How an experiment is run.
#[derive(Debug, Clone, Copy)]
pub struct RunTerms {
    /// Games at a time, if they are played here.
    pub threads: usize,
    /// Whether the grid plays them.
    pub on_grid: bool,
    /// Pairs of the champion against its baselines, if not the usual number.
    pub verify: Option<u64>,
}

/// An experiment to be run.
struct Job {
    directory: PathBuf,
    id: String,
    plan: Plan,
    terms: RunTerms,
    /// The broker of the grid that plays its games, if one does.
    grid: Option<Access>,
}

impl Shared {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runs {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Run>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How an experiment is that was started here.
    pub fn now(&self, id: &str) -> Option<Now> {
        self.all().get(id).map(|run| run.shared.now().clone())
    }

    /// How an experiment was run that was started here.
    pub fn terms(&self, id: &str) -> Option<RunTerms> {
        self.all().get(id).map(|run| run.terms)
    }

    /// Runs an experiment on threads of its own.
    ///
    /// # Errors
    ///
    /// When it runs already, here or elsewhere, or too many do.
    pub fn start(&self, app: &App, id: &str, plan: Plan, terms: RunTerms) -> Result<(), ApiError> {
        let mut all = self.all();
        let is_active = |run: &Run| run.shared.now().status.is_active();
        if all.get(id).is_some_and(is_active) {
            return Err(ApiError::conflict(format!("{id} is running already")));
        }
        let most = app.limits.running_experiments;
        if all.values().filter(|run| is_active(run)).count() >= most {
            return Err(ApiError::conflict(format!(
                "{most} experiments run here already; pause or stop one of them first"
            )));
        }
        // Somebody else may run it. Whoever does holds a claim, and so will the run.
        app.lab.with(|store| store.claim(id).map(drop).map_err(ApiError::from))?;
        let now = Now { on_grid: terms.on_grid, ..Now::default() };
        let shared = Arc::new(Shared { stop: Arc::default(), now: Mutex::new(now) });
        let grid = app.grid.clone().filter(|_| terms.on_grid);
        let job = Job { directory: app.lab.directory().to_owned(), id: id.to_owned(), plan, terms, grid };
        let own = Arc::clone(&shared);
        let run = move || {
            let run = || run(&own, job);
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            let (status, error) =
                ended.unwrap_or_else(|_| (RunStatus::Failed, Some(ApiError::invalid("internal error"))));
            let mut now = own.now();
            (now.status, now.error, now.ended) = (status, error, Some(Instant::now()));
        };
        let thread = std::thread::Builder::new().name("experiment".to_owned()).spawn(run);
        let thread = thread.map_err(|error| ApiError::unavailable(format!("no thread for it: {error}")))?;
        all.insert(id.to_owned(), Run { terms, shared, thread: Some(thread) });
        Ok(())
    }

    /// Has an experiment finish the games in hand, and wait or end.
    ///
    /// # Errors
    ///
    /// When it is not run here.
    pub fn halt(&self, id: &str, status: RunStatus) -> Result<(), ApiError> {
        let all = self.all();
        let Some(run) = all.get(id) else {
            return Err(ApiError::conflict(format!(
                "{id} is not run by this server; stop it where it was started"
            )));
        };
        let mut now = run.shared.now();
        match (now.status, status) {
            (RunStatus::Paused, RunStatus::Stopping) => now.status = RunStatus::Stopped,
            (before, _) if before.is_active() => {
                now.status = status;
                run.shared.stop.store(true, Ordering::Relaxed);
            }
            _ => return Err(ApiError::conflict(format!("{id} is not running"))),
        }
        Ok(())
    }

    /// Stops all experiments and waits for the games in hand.
    pub fn stop_all(&self) {
        let threads: Vec<_> = self
            .all()
            .values_mut()
            .filter_map(|run| {
                run.shared.stop.store(true, Ordering::Relaxed);
                run.thread.take()
            })
            .collect();
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// Runs an experiment to its end, and has its champion verified. Gives how it ended.
fn run(shared: &Shared, job: Job) -> (RunStatus, Option<ApiError>) {
    match play(shared, job) {
        Ok(()) => (RunStatus::Finished, None),
        Err(End::Stopped) => match shared.now().status {
            RunStatus::Pausing => (RunStatus::Paused, None),
            _ => (RunStatus::Stopped, None),
        },
        Err(End::Failed(error)) => (RunStatus::Failed, Some(error)),
    }
}

/// Why a run did not come to its end.
enum End {
    Stopped,
    Failed(ApiError),
}

impl From<RunError> for End {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Lab(error) if error.is_stop() => Self::Stopped,
            error => Self::Failed(error.into()),
        }
    }
}

impl From<VerificationError> for End {
    fn from(error: VerificationError) -> Self {
        match error {
            VerificationError::Stopped => Self::Stopped,
            error => failed(error),
        }
    }
}

fn failed(error: impl ToString) -> End {
    End::Failed(ApiError::invalid(error))
}

/// Finds who plays the games, and runs it.
fn play(shared: &Shared, job: Job) -> Result<(), End> {
    let Some(access) = &job.grid else {
        let workspace =
            WorkspaceOptions { engines: Arc::new(job.plan.engines()), ..WorkspaceOptions::default() };
        let options = LocalOptions { threads: job.terms.threads, workspace, ..LocalOptions::default() };
        let executor = Local::with_options(options).map_err(failed)?;
        return run_and_verify(shared, job, &executor);
    };
    let grid = Grid::start(GridOptions {
        access: access.clone(),
        experiment: job.id.clone(),
        home: Some(gamete_grid::home(&job.directory).map_err(failed)?),
        fresh: false,
        stop: Arc::clone(&shared.stop),
        lease: Lease::default(),
        checked: Share::default(),
        reference: None,
        notices: Notices::default(),
    });
    let grid = grid.map_err(failed)?;
    run_and_verify(shared, job, &grid)?;
    grid.finish();
    Ok(())
}

fn run_and_verify(shared: &Shared, job: Job, executor: &dyn Executor) -> Result<(), End> {
    let Job { directory, id, plan, terms, .. } = job;
    let store = Store::create(&directory).map_err(failed)?;
    let plan = plan.with_its_beginning(&store, &id)?;
    let watch = |event: &Event| {
        if let Event::Progress(progress) = event {
            shared.now().progress = Some(*progress);
        }
    };
    let session: Session = match &plan {
        Plan::Experiment(experiment) => {
            gamete_lab::run(&store, &id, experiment, executor, &shared.stop, watch)?
        }
        Plan::Pipeline(pipeline) => {
            gamete_lab::run_pipeline(&store, &id, pipeline, executor, &shared.stop, watch)?
        }
    };
    let champions = plan.experiments().last().map_or(0, count_champions);
    let last_id = plan.last_id(&id);
    let begun = store.verification(&last_id).map_err(failed)?;
    let pairs = match champions {
        0 => 0,
        _ => terms.verify.unwrap_or_else(|| {
            let planned = begun.iter().map(|one| one.planned).max();
            planned.unwrap_or_else(|| usual_pairs(session.conclusion.games, champions))
        }),
    };
    if pairs > 0 {
        // What was begun elsewhere goes on as it was begun.
        let other = begun.iter().find(|one| one.baseline == Baseline::OtherLimits);
        let wanted = VerificationPlan {
            pairs,
            sprt: begun.iter().find_map(|one| one.terms.test()),
            other_limits: other.and_then(|one| one.terms.limits),
        };
        let mut now = shared.now();
        if now.status == RunStatus::Running {
            now.status = RunStatus::Verifying;
        }
        drop(now);
        verify(&store, &last_id, wanted, executor, &shared.stop, |_| {})?;
    }
    Ok(())
}
