use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gamete_arena::{Executor, Local, LocalOptions};
use gamete_grid::{Access, Grid, GridOptions, Lease, Worker, WorkerOptions};

use super::{AccessArgs, host, notices};
use crate::single_dash::Group;
use crate::terminal::errln;

/// Whether tasks are done by a grid, and how.
#[derive(Debug, clap::Args)]
pub struct GridArgs {
    /// Have games played by the workers of a NATS broker (nats://host:4222) instead of here; see `gamete worker`
    #[arg(long, value_name = "URL", help_heading = "Other machines")]
    grid: Option<String>,

    /// Games at a time that are played here beside those of the grid
    #[arg(long, value_name = "N", default_value_t = 0, requires = "grid", help_heading = "Other machines")]
    local: usize,

    /// Seconds that a worker may be silent about a game until another plays it
    #[arg(long, value_name = "SECONDS", default_value_t = USUAL_LEASE, requires = "grid",
          value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = "Other machines")]
    grid_lease: u64,

    /// Brokers of a cluster that keep each message [default: 3 of a cluster]
    #[arg(long, value_name = "N", requires = "grid",
          value_parser = clap::value_parser!(u64).range(1..=5), help_heading = "Other machines")]
    grid_replicas: Option<u64>,

    #[command(flatten)]
    access: AccessArgs,
}

/// Seconds that a worker may be silent.
const USUAL_LEASE: u64 = 300;

impl GridArgs {
    /// The grid, if there is to be one.
    ///
    /// # Errors
    ///
    /// When a file with a secret cannot be read.
    pub fn choice(&self) -> Result<Option<GridChoice>> {
        let Some(url) = &self.grid else { return Ok(None) };
        let lease = Lease {
            wait: Duration::from_secs(self.grid_lease),
            replicas: self.grid_replicas.map(|count| count as usize),
            ..Lease::default()
        };
        Ok(Some(GridChoice { access: self.access.of(url)?, local: self.local, lease }))
    }
}

/// The grid of `-grid URL` and `-local N`, if there is to be one.
///
/// # Errors
///
/// When one of them makes no sense.
pub fn grid_choice(grid: Option<&Group<'_>>, local: Option<&Group<'_>>) -> Result<Option<GridChoice>> {
    let local = local.map(Group::number).transpose()?;
    let Some(grid) = grid else {
        if local.is_some() {
            bail!("-local: it is for games beside those of a grid: -grid nats://host:4222");
        }
        return Ok(None);
    };
    let access = AccessArgs::default().of(grid.single()?)?;
    Ok(Some(GridChoice { access, local: local.unwrap_or(0), lease: Lease::default() }))
}

/// A grid that does tasks.
#[derive(Debug, Clone)]
pub struct GridChoice {
    /// Its broker.
    pub access: Access,
    /// Tasks at a time that are done here beside it.
    pub local: usize,
    /// How long tasks are waited for.
    pub lease: Lease,
}

/// What is said on Ctrl-C where games are played elsewhere.
pub const STOPPING: &str =
    "stopping; workers finish the games in hand, and the same command finds them; once more to stop now";

/// What tasks belong to.
pub struct Job<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The file or folder that remembers it, if it can be resumed.
    pub home: Option<&'a Path>,
}

/// Who does the tasks of a command.
pub enum Machines {
    /// Threads of this machine.
    Here(Local),
    /// Workers of a grid, and perhaps one of our own.
    Grid(Grid, Option<Worker>),
}

impl Machines {
    /// Starts threads, or connects to the grid that was chosen. When `stop` is set, nobody waits for the grid any more.
    ///
    /// # Errors
    ///
    /// When there are no threads, or no grid.
    pub fn start(
        choice: Option<&GridChoice>,
        job: &Job<'_>,
        local: LocalOptions,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self> {
        let Some(GridChoice { access, local: lent, lease }) = choice else {
            let started = Local::with_options(local);
            return Ok(Self::Here(started.context("a thread cannot be made; give a smaller --concurrency")?));
        };
        let home = job.home.map(std::path::absolute).transpose()?;
        let home = home.map(|home: PathBuf| format!("{}\n{}", host(), home.display()));
        let options = GridOptions {
            access: access.clone(),
            experiment: job.name.to_owned(),
            home,
            stop: Arc::clone(stop),
            lease: *lease,
            notices: notices(),
        };
        let grid = Grid::start(options)?;
        errln!("grid {}, as {}", access.shown(), grid.slug());
        let worker = WorkerOptions {
            access: access.clone(),
            name: format!("{} (coordinator)", host()),
            concurrency: *lent,
            engines: Arc::clone(&local.workspace.engines),
            notices: notices(),
            only: Some(grid.slug().to_owned()),
            patient: false,
            cache: None,
        };
        let worker = (*lent > 0).then(|| Worker::start(worker)).transpose()?;
        Ok(Self::Grid(grid, worker))
    }

    /// What does them.
    pub fn executor(&self) -> &dyn Executor {
        match self {
            Self::Here(local) => local,
            Self::Grid(grid, _) => grid,
        }
    }

    /// Leaves nothing behind at the broker: all is done.
    pub fn finish(self) {
        if let Self::Grid(grid, worker) = self {
            grid.finish();
            drop(worker);
        }
    }
}
