use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use gamete_arena::{Executor, Local, LocalOptions};
use gamete_grid::{Grid, GridOptions, Worker, WorkerOptions};

use super::{GridChoice, host, notices, worker_lines};
use crate::terminal::{errln, grouped};

/// What is said on Ctrl-C where games are played elsewhere.
pub const STOPPING: &str =
    "stopping; workers finish the games in hand, and the same command finds them; once more to stop now";

/// What tasks belong to.
#[derive(Default)]
pub struct Job<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The file or folder that remembers it, if it can be resumed.
    pub home: Option<&'a Path>,
    /// Whether it starts over.
    pub fresh: bool,
    /// The speed that clocks were made for so far, if that is known.
    pub reference: Option<u64>,
}

/// Who does the tasks of a command.
pub enum Machines {
    /// Threads of this machine.
    Here(Local),
    /// Workers of a grid, and perhaps one of our own.
    Grid {
        grid: Grid,
        own: Option<Worker>,
        /// The speed that clocks are made for, if they are scaled.
        reference: Option<u64>,
    },
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
        let Some(choice) = choice else {
            let started = Local::with_options(local);
            return Ok(Self::Here(started.context("a thread cannot be made; give a smaller --concurrency")?));
        };
        if let Some((engine, option, value)) = local.workspace.engines.option_with_file() {
            bail!(
                "{engine}: the option {option}={value} names a file of this machine, which workers do not have; games with it cannot be \
                 played on a grid"
            );
        }
        let GridChoice { access, local: lent, lease, checked, .. } = choice;
        let reference = choice.reference(job.reference)?;
        let home = job.home.map(gamete_grid::home).transpose()?;
        let options = GridOptions {
            access: access.clone(),
            experiment: job.name.to_owned(),
            home,
            fresh: job.fresh,
            stop: Arc::clone(stop),
            lease: *lease,
            checked: *checked,
            reference,
            notices: notices(),
        };
        let grid = Grid::start(options)?;
        errln!("grid {}, as {}", access.shown(), grid.slug());
        if let Some(reference) = reference {
            errln!("clocks are made for {} nodes a second", grouped(reference));
        }
        let worker = WorkerOptions {
            access: access.clone(),
            name: format!("{} (coordinator)", host()),
            concurrency: *lent,
            engines: Arc::clone(&local.workspace.engines),
            speed: None,
            notices: notices(),
            only: Some(grid.slug().to_owned()),
            patient: false,
            cache: None,
        };
        let own = (*lent > 0).then(|| Worker::start(worker)).transpose()?;
        own.iter().for_each(|own| grid.believe(own));
        Ok(Self::Grid { grid, own, reference })
    }

    /// What does them.
    pub fn executor(&self) -> &dyn Executor {
        match self {
            Self::Here(local) => local,
            Self::Grid { grid, .. } => grid,
        }
    }

    /// The speed that clocks are made for, if they are scaled.
    pub fn reference(&self) -> Option<u64> {
        match self {
            Self::Here(_) => None,
            Self::Grid { reference, .. } => *reference,
        }
    }

    /// Leaves nothing behind at the broker: all is done. Where games were played under a clock, it is told how those of each worker went.
    pub fn finish(self) {
        if let Self::Grid { grid, own, .. } = self {
            let workers = grid.workers();
            if workers.iter().any(|worker| worker.games.count() > 0) {
                errln!("workers, with wins, draws and losses of the first contestant by name:");
                worker_lines(&workers).iter().for_each(|line| errln!("  {line}"));
            }
            grid.finish();
            drop(own);
        }
    }
}
