use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use gamete_arena::{GameTask, Rng};
use gamete_game::Outcome;
use gamete_optim::Genome;
use gamete_stats::Spread;

use super::office::{GameResult, Job, Office};
use crate::concern::GameWatch;
use crate::generation::{Generation, MatchCounts};
use crate::individual::Individual;
use crate::store::{CLOCK, Entry, StoreError};
use crate::view::Event;

/// What a method works with.
///
/// A method sees no thread, clock, file or socket. It asks for games, gets them in the order in which it asks, and
/// reports generations; everything random comes from the lab's generators. So a run that was killed is run again from
/// the top: what was played before is handed back at once.
pub struct Lab<'a> {
    office: &'a Office<'a>,
    run: i64,
    path: String,
    rng: Rng,
    journal: HashMap<u64, (i64, String)>,
    next: u64,
    generation: u32,
    tally: Arc<Tally>,
    watch: Arc<GameWatch>,
    /// Generations and games of this run are not recorded.
    quiet: bool,
}

/// Why an experiment has no result yet.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LabError {
    /// Somebody stopped it; it resumes when it is run again.
    #[error("stopped")]
    Stopped,
    /// The store does not work.
    #[error(transparent)]
    Store(#[from] Arc<StoreError>),
    /// Genes have grown beyond all numbers.
    #[error(
        "generation {generation} of run {path:?}: a weight is no longer finite; mutate less, or for fewer generations"
    )]
    Diverged {
        /// The run.
        path: String,
        /// The generation.
        generation: u32,
    },
    /// There is no population to begin with.
    #[error("from: {0:?} has no population in this lab; run it first, or name another (`gamete list`)")]
    NothingFrom(String),
    /// The population to begin with is not of this experiment's space.
    #[error("from: {from:?} has genomes of {found} numbers, and run {path:?} needs {wanted}")]
    AnotherSpace {
        /// The experiment that it is taken from.
        from: String,
        /// The run.
        path: String,
        /// How long its genomes are.
        found: usize,
        /// How long they should be.
        wanted: usize,
    },
    /// A method asked for a game that cannot be played.
    #[error("a game cannot be played: {0}")]
    Task(String),
    /// There are too many threads, or there is too little memory for another.
    #[error("a thread cannot be made: {0}; give a smaller --concurrency, or more memory")]
    Thread(Arc<std::io::Error>),
    /// Something that cannot go wrong did.
    #[error(
        "internal error: {0}; what was stored is safe, and the same command resumes; please report it if it happens again"
    )]
    Panicked(String),
    /// A method made an experiment that cannot be.
    #[error(transparent)]
    Experiment(#[from] crate::ExperimentError),
    /// What was asked for is not what was asked for the last time.
    #[error(
        "{experiment}: task {number} of run {path:?} is not the one in the journal: {what}; `gamete delete {experiment}` \
         starts over"
    )]
    Changed {
        /// The experiment.
        experiment: String,
        /// The run.
        path: String,
        /// The task.
        number: u64,
        /// What is known of the difference.
        what: String,
    },
}

/// Games since the last report.
#[derive(Debug, Default)]
struct Tally {
    games: AtomicU64,
    draws: AtomicU64,
    plies: AtomicU64,
}

/// A game that was asked for.
pub struct Ticket(Awaited);

/// Work in a thread of its own.
pub(crate) struct Task<'scope, T>(thread::ScopedJoinHandle<'scope, Result<T, LabError>>);

impl<T> Task<'_, T> {
    /// What came of it.
    pub fn join(self) -> Result<T, LabError> {
        self.0.join().unwrap_or_else(|_| Err(LabError::Panicked("a thread has ended".to_owned())))
    }
}

enum Awaited {
    Known(GameResult),
    Open(mpsc::Receiver<Result<GameResult, LabError>>),
}

impl<'a> Lab<'a> {
    pub(crate) fn new(office: &'a Office<'a>, path: &str, rng: Rng) -> Result<Self, LabError> {
        let store = office.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let run = store.run(office.experiment, path).map_err(Arc::new)?;
        let journal = store.outcomes(run).map_err(Arc::new)?;
        drop(store);
        Ok(Self {
            office,
            run,
            path: path.to_owned(),
            rng,
            journal,
            next: 0,
            generation: 0,
            tally: Arc::default(),
            watch: Arc::new(GameWatch::new(path)),
            quiet: false,
        })
    }

    /// Where its run belongs in the experiment.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// A generator for a purpose.
    pub fn rng(&self, purpose: &str) -> Rng {
        self.rng.fork(purpose)
    }

    /// A run of its own below this one.
    ///
    /// # Errors
    ///
    /// When the store does not work.
    pub fn branch(&self, name: &str, rng: Rng) -> Result<Self, LabError> {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) };
        Self::new(self.office, &path, rng)
    }

    /// A run that is part of this one: its games count here, and its generations are not reported.
    ///
    /// # Errors
    ///
    /// When the store does not work.
    pub fn inner_branch(&self, name: &str, rng: Rng) -> Result<Self, LabError> {
        let branch = self.branch(name, rng)?;
        let (tally, watch) = (Arc::clone(&self.tally), Arc::clone(&self.watch));
        Ok(Self { tally, watch, quiet: true, ..branch })
    }

    /// Asks for a game.
    ///
    /// # Errors
    ///
    /// When another one was asked for at this point the last time.
    pub fn ask(&mut self, task: GameTask, keep: bool) -> Result<Ticket, LabError> {
        let (number, hash) = (self.next, hash(&task));
        self.next += 1;
        if let Some(answer) = self.known(number, hash)? {
            self.office.meter.replayed.fetch_add(1, Ordering::Relaxed);
            return Ok(Ticket(Awaited::Known(self.parse(number, &answer)?)));
        }
        let (reply, answer) = mpsc::channel();
        let keep = (keep && !self.quiet).then_some(self.generation);
        let watch = Arc::clone(&self.watch);
        self.office.submit(Job { run: self.run, number, hash, task, keep, watch, reply });
        Ok(Ticket(Awaited::Open(answer)))
    }

    /// Waits for a game that was asked for.
    ///
    /// # Errors
    ///
    /// When the experiment is stopped before, or the store does not work.
    pub fn wait(&mut self, ticket: Ticket) -> Result<GameResult, LabError> {
        let result = match ticket.0 {
            Awaited::Known(result) => result,
            Awaited::Open(answer) => answer.recv().map_err(|_| LabError::Stopped)??,
        };
        let Some(outcome) = result.termination.outcome() else { return Err(LabError::Stopped) };
        self.tally.games.fetch_add(1, Ordering::Relaxed);
        self.tally.draws.fetch_add(u64::from(outcome == Outcome::Draw), Ordering::Relaxed);
        self.tally.plies.fetch_add(u64::from(result.plies), Ordering::Relaxed);
        Ok(result)
    }

    /// Plays games side by side.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask) and [`wait`](Self::wait).
    pub fn play_all(
        &mut self,
        tasks: impl IntoIterator<Item = GameTask>,
        keep: bool,
    ) -> Result<Vec<GameResult>, LabError> {
        self.play_each(tasks.into_iter().map(|task| (task, keep)))
    }

    /// The same with games of which some are kept. A part of the games waits at a time, so that a million take no more memory
    /// than their results.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask) and [`wait`](Self::wait).
    pub fn play_each(
        &mut self,
        tasks: impl IntoIterator<Item = (GameTask, bool)>,
    ) -> Result<Vec<GameResult>, LabError> {
        /// More than there can be threads.
        const MAX_WAITING: usize = 4096;
        let (mut waiting, mut results) = (VecDeque::new(), Vec::new());
        for (task, keep) in tasks {
            waiting.push_back(self.ask(task, keep)?);
            if waiting.len() == MAX_WAITING
                && let Some(first) = waiting.pop_front()
            {
                results.push(self.wait(first)?);
            }
        }
        for ticket in waiting {
            results.push(self.wait(ticket)?);
        }
        Ok(results)
    }

    /// Does things in branches, side by side, and gives what comes out in the order of the branches.
    ///
    /// # Errors
    ///
    /// When something goes wrong in one of them.
    pub fn side_by_side<T: Send>(
        &self,
        branches: Vec<Lab<'a>>,
        work: impl Fn(usize, &mut Lab<'a>) -> Result<T, LabError> + Sync,
    ) -> Result<Vec<T>, LabError> {
        /// Branches only wait, so there may be more than cores.
        const MAX: usize = 64;
        let next = AtomicUsize::new(0);
        let threads = branches.len().min(MAX);
        let branches: Vec<_> = branches.into_iter().map(|branch| Mutex::new(Some(branch))).collect();
        let results: Vec<Mutex<Option<Result<T, LabError>>>> =
            branches.iter().map(|_| Mutex::new(None)).collect();
        let work_off = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(branch) = branches.get(index) else { break };
                let branch = branch.lock().unwrap_or_else(PoisonError::into_inner).take();
                let mut branch = branch.expect("a branch that nobody else took");
                let result = self.office.guarded(|| {
                    self.office.trip("a-branch");
                    work(index, &mut branch)
                });
                if result.is_err() {
                    self.give_up();
                }
                *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // Fewer threads take longer and come to the same.
                let _ = thread::Builder::new().spawn_scoped(scope, work_off);
            }
            work_off();
        });
        let mut results: Vec<_> = results
            .into_iter()
            .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner).expect("a result"))
            .collect();
        // That one was stopped says less than what went wrong elsewhere.
        let worst = results.iter().position(|result| matches!(result, Err(error) if !error.is_stop()));
        match worst {
            Some(index) => Err(results.swap_remove(index).err().expect("an error")),
            None => results.into_iter().collect(),
        }
    }

    /// Does something in a thread of its own.
    ///
    /// # Errors
    ///
    /// When there cannot be another thread.
    pub(crate) fn spawn<'scope, T: Send + 'scope>(
        &self,
        scope: &'scope thread::Scope<'scope, '_>,
        work: impl FnOnce() -> Result<T, LabError> + Send + 'scope,
    ) -> Result<Task<'scope, T>, LabError>
    where
        'a: 'scope,
    {
        let office = self.office;
        let handle = thread::Builder::new().spawn_scoped(scope, move || office.guarded(work));
        handle.map(Task).map_err(|error| LabError::Thread(Arc::new(error)))
    }

    /// Lets nobody wait for games any more, as one run of the experiment has failed.
    pub(crate) fn give_up(&self) {
        self.office.close();
    }

    /// Begins a generation: games are kept under its number.
    pub fn begin_generation(&mut self, number: u32) {
        self.generation = number;
    }

    /// Reports a generation of which nothing but the genomes is known, and gives the number of games in it. The `judged` are
    /// those whose genes are averaged.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn record(
        &mut self,
        population: &[Genome],
        judged: &[Genome],
        matches: MatchCounts,
    ) -> Result<u64, LabError> {
        let individuals = population.iter().cloned().map(Individual::from).collect();
        self.record_individuals(individuals, judged.len(), matches)
    }

    /// Reports a generation, and gives the number of games in it. The genes of the first `judged` are averaged.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn record_individuals(
        &mut self,
        population: Vec<Individual>,
        judged: usize,
        matches: MatchCounts,
    ) -> Result<u64, LabError> {
        if self.quiet {
            return Ok(0);
        }
        let genomes: Vec<&Genome> = population.iter().map(|one| &one.genome).collect();
        let spread = Spread::of_columns(&genomes[..judged]);
        let known = spread.iter().flat_map(|spread| [spread.mean, spread.sd]);
        let fitness = population.iter().filter_map(|one| one.fitness);
        let genes = genomes.iter().copied().flatten().copied();
        if genes.chain(known).chain(fitness).any(|number| !number.is_finite()) {
            return Err(LabError::Diverged { path: self.path.clone(), generation: self.generation });
        }
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        let summary = Generation {
            number: self.generation,
            spread,
            matches,
            games: take(&self.tally.games),
            draws: take(&self.tally.draws),
            plies: take(&self.tally.plies),
            seconds: self.office.seconds(),
        };
        let games = summary.games;
        let entry = Entry::Generation { run: self.run, summary: Box::new(summary.clone()), population };
        self.office.write_now(entry)?;
        self.office.tell(Event::Generation { run: self.path.clone(), generation: summary });
        Ok(games)
    }

    /// Seconds that the experiment has run. What is answered is journalled as a game is, so that a run that is repeated
    /// hears the same.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn seconds(&mut self) -> Result<f64, LabError> {
        let number = self.next;
        self.next += 1;
        if let Some(answer) = self.known(number, CLOCK)? {
            return self.parse(number, &answer);
        }
        let answer = self.office.seconds().to_string();
        // What is read from text may differ in the last bit, and must not differ the next time.
        let seconds = self.parse(number, &answer)?;
        self.office.write_now(Entry::Outcome { run: self.run, number, task: CLOCK, answer, game: None })?;
        Ok(seconds)
    }

    /// The last population of another experiment of the lab, which is journalled as a game is.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn recall(&mut self, experiment: &str) -> Result<Vec<Genome>, LabError> {
        let (number, hash) = (self.next, hash_bytes(experiment.as_bytes()));
        self.next += 1;
        if let Some(answer) = self.known(number, hash)? {
            return self.parse(number, &answer);
        }
        let store = self.office.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = store.runs(experiment).map_err(Arc::new)?;
        let run = runs.iter().find(|run| run.path.is_empty()).map(|run| run.number);
        let population = run.map(|run| store.last_population(run)).transpose().map_err(Arc::new)?.flatten();
        drop(store);
        let population = population.ok_or_else(|| LabError::NothingFrom(experiment.to_owned()))?;
        let population: Vec<Genome> = population.into_iter().map(|one| one.genome).collect();
        let answer = serde_json::to_string(&population).expect("plain data");
        // What is read from text may differ in the last bit, and must not differ the next time.
        let population = self.parse(number, &answer)?;
        self.office.write_now(Entry::Outcome { run: self.run, number, task: hash, answer, game: None })?;
        Ok(population)
    }

    fn known(&mut self, number: u64, hash: i64) -> Result<Option<String>, LabError> {
        match self.journal.remove(&number) {
            Some((known, _)) if known != hash => Err(self.changed(number, "it asks for something else")),
            Some((_, answer)) => Ok(Some(answer)),
            None => Ok(None),
        }
    }

    fn parse<T: serde::de::DeserializeOwned>(&self, number: u64, answer: &str) -> Result<T, LabError> {
        serde_json::from_str(answer).map_err(|error| self.changed(number, &error.to_string()))
    }

    fn changed(&self, number: u64, what: &str) -> LabError {
        LabError::Changed {
            experiment: self.office.experiment.to_owned(),
            path: self.path.clone(),
            number,
            what: what.to_owned(),
        }
    }
}

impl LabError {
    /// Whether nothing is wrong but that somebody stopped it.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped)
    }
}

fn hash(task: &GameTask) -> i64 {
    hash_bytes(&serde_json::to_vec(task).expect("plain data"))
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> i64 {
    let hash = blake3::hash(bytes);
    i64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
}
