use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use gamete_arena::Rng;
use gamete_game::Outcome;
use gamete_optim::Genome;
use gamete_stats::Spread;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ask::{Ask, Asked, Awaited, TaskAnswer, Ticket};
use super::done_once::DoneOnce;
use super::journal::{Journal, hash_bytes, parse};
use super::{LabError, Runtime};
use crate::beginning::{Start, Take};
use crate::concern::GameWatch;
use crate::cross_table::CrossTable;
use crate::generation::{Generation, MatchCounts};
use crate::individual::Individual;
use crate::match_tally::MatchTally;
use crate::measure::Measure;
use crate::model_slice::{ModelLandscape, ModelSlice};
use crate::part::Part;
use crate::store::{CLOCK, Entry};
use crate::view::Event;

/// What a method works with.
///
/// A method sees no thread, clock, file or socket. It asks for tasks, games above all, gets them in the order in which it
/// asks, and reports generations; everything random comes from the lab's generators. So a run that was killed is run again
/// from the top: what was done before is handed back at once.
pub struct Lab<'a> {
    pub(super) runtime: &'a Runtime<'a>,
    run: i64,
    pub(super) path: String,
    rng: Rng,
    journal: Journal,
    done_once: DoneOnce,
    generation: u32,
    tally: Arc<Tally>,
    watch: Arc<GameWatch>,
    /// Generations and games of this run are not recorded.
    quiet: bool,
    /// What is known of the generation in progress beside fitness.
    notes: Notes,
}

/// What a method tells of a generation before it is over.
#[derive(Debug, Default)]
struct Notes {
    measures: Vec<Measure>,
    cross_table: Option<CrossTable>,
    tally: Option<MatchTally>,
}

/// Games since the last report.
#[derive(Debug, Default)]
struct Tally {
    games: AtomicU64,
    draws: AtomicU64,
    faults: AtomicU64,
    plies: AtomicU64,
}

impl<'a> Lab<'a> {
    pub(crate) fn new(runtime: &'a Runtime<'a>, path: &str, rng: Rng) -> Result<Self, LabError> {
        let store = runtime.reader();
        let run = store.run(runtime.experiment, path).map_err(Arc::new)?;
        let answers = store.outcomes(run).map_err(Arc::new)?;
        drop(store);
        Ok(Self {
            runtime,
            run,
            path: path.to_owned(),
            rng,
            journal: Journal::new(answers),
            done_once: DoneOnce::default(),
            generation: 0,
            tally: Arc::default(),
            watch: Arc::new(GameWatch::new(path)),
            quiet: false,
            notes: Notes::default(),
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
        Self::new(self.runtime, &path, rng)
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

    /// Asks for a task. Games may be kept to look at. Tasks that are done once are waited for in the order in which they are
    /// asked for.
    ///
    /// # Errors
    ///
    /// When another one was asked for at this point the last time.
    pub fn ask<T: Ask>(&mut self, task: T, keep: bool) -> Result<Ticket<T::Answer>, LabError> {
        let is_done_once = task.is_done_once();
        let mut task = task.into();
        let (key, hash) = self.runtime.identity.identify(&mut task);
        let remembered = is_done_once.then_some(key);
        let (number, known) = self.journal(hash)?;
        let was_asked = is_done_once && self.done_once.ask(key);
        if let Some(answer) = known {
            let answer: T::Answer = self.parse(number, &answer)?;
            if answer.as_game().is_some() {
                self.runtime.meter().replayed.fetch_add(1, Ordering::Relaxed);
            }
            return Ok(Ticket { awaited: Awaited::Known(answer), remembered });
        }
        if was_asked {
            return Ok(Ticket { awaited: Awaited::Before { key, number, hash }, remembered: None });
        }
        let (reply, answer) = mpsc::channel();
        let asked = Asked {
            state: Arc::clone(&self.runtime.state),
            writer: self.runtime.writer()?,
            run: self.run,
            number,
            hash,
            keep: (keep && !self.quiet).then_some(self.generation),
            watch: Arc::clone(&self.watch),
            reply,
        };
        self.runtime.executor.submit(key, task, Box::new(asked));
        Ok(Ticket { awaited: Awaited::Open(answer), remembered })
    }

    /// Waits for a task that was asked for.
    ///
    /// # Errors
    ///
    /// When the experiment is stopped before, or the store does not work.
    pub fn wait<A: TaskAnswer>(&mut self, ticket: Ticket<A>) -> Result<A, LabError> {
        let answer = match ticket.awaited {
            Awaited::Known(answer) => answer,
            Awaited::Open(answer) => answer.recv().map_err(|_| LabError::Stopped)??,
            Awaited::Before { key, number, hash } => {
                let before = self.done_once.answer(key);
                let text = before.expect("a task that was waited for before the same one").to_owned();
                let answer = self.parse(number, &text)?;
                self.write_answer(number, hash, text)?;
                answer
            }
        };
        if let Some(key) = ticket.remembered {
            self.done_once.set_answer(key, serde_json::to_string(&answer).expect("plain data"));
        }
        if let Some(game) = answer.as_game() {
            let Some(outcome) = game.termination.outcome() else { return Err(LabError::Stopped) };
            self.tally.games.fetch_add(1, Ordering::Relaxed);
            self.tally.draws.fetch_add(u64::from(outcome == Outcome::Draw), Ordering::Relaxed);
            let is_fault = game.termination.at_fault().is_some();
            self.tally.faults.fetch_add(u64::from(is_fault), Ordering::Relaxed);
            self.tally.plies.fetch_add(u64::from(game.plies), Ordering::Relaxed);
        }
        Ok(answer)
    }

    /// Has tasks done side by side, and gives what comes of them in their order.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask) and [`wait`](Self::wait).
    pub fn play_all<T: Ask>(
        &mut self,
        tasks: impl IntoIterator<Item = T>,
        keep: bool,
    ) -> Result<Vec<T::Answer>, LabError> {
        self.play_each(tasks.into_iter().map(|task| (task, keep)))
    }

    /// The same with games of which some are kept. A part of the tasks waits at a time, so that a million take no more memory
    /// than their answers.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask) and [`wait`](Self::wait).
    pub fn play_each<T: Ask>(
        &mut self,
        tasks: impl IntoIterator<Item = (T, bool)>,
    ) -> Result<Vec<T::Answer>, LabError> {
        /// More than there can be threads.
        const MAX_WAITING: usize = 4096;
        let (mut waiting, mut answers) = (VecDeque::new(), Vec::new());
        for (task, keep) in tasks {
            waiting.push_back(self.ask(task, keep)?);
            if waiting.len() == MAX_WAITING
                && let Some(first) = waiting.pop_front()
            {
                answers.push(self.wait(first)?);
            }
        }
        for ticket in waiting {
            answers.push(self.wait(ticket)?);
        }
        Ok(answers)
    }

    /// What a method computes itself and would not compute again: it is journalled as an outcome is, under a key that says
    /// what it is computed from, and a run that is repeated reads it. Runs compute one after another, each on all
    /// [`threads`](Self::threads).
    ///
    /// # Errors
    ///
    /// When something else was asked for at this point the last time, or it cannot be computed or stored.
    pub fn remember<T: Serialize + DeserializeOwned>(
        &mut self,
        key: &str,
        compute: impl FnOnce(&Self) -> Result<T, LabError>,
    ) -> Result<T, LabError> {
        self.journalled(hash_bytes(format!("remember\n{key}").as_bytes()), |lab| {
            let _turn = lab.runtime.wait_to_compute();
            compute(lab)
        })
    }

    /// How many threads there are to compute with: as many as do tasks.
    pub fn threads(&self) -> usize {
        self.runtime.executor.threads()
    }

    /// What tells a long computation to stop.
    pub fn stop(&self) -> &AtomicBool {
        self.runtime.stop()
    }

    /// Begins a generation: games are kept under its number.
    pub fn begin_generation(&mut self, number: u32) {
        self.done_once.begin_generation();
        self.generation = number;
    }

    /// Gives numbers of the generation in progress beside fitness, which are stored and shown with it. They are computed once,
    /// as by [`remember`](Self::remember) but without a place in the journal: what is stored is not computed again. A
    /// method never learns what they are. Those that are given again in a generation replace the earlier ones.
    ///
    /// # Errors
    ///
    /// When they cannot be computed, or the store does not work.
    pub fn measure(
        &mut self,
        compute: impl FnOnce(&Self) -> Result<Vec<Measure>, LabError>,
    ) -> Result<(), LabError> {
        if self.quiet {
            return Ok(());
        }
        if self.stored_generation()?.is_none() {
            let _turn = self.runtime.wait_to_compute();
            let measures = compute(self)?;
            self.notes.measures.retain(|known| measures.iter().all(|one| one.name != known.name));
            self.notes.measures.extend(measures.into_iter().filter(Measure::is_finite));
        }
        Ok(())
    }

    /// Stores what the model of a search expects after so many games, to look at before the search is over. Only the last is kept, and only of
    /// an experiment with one run.
    ///
    /// # Errors
    ///
    /// When the store does not work.
    pub fn set_landscape(
        &mut self,
        games: u64,
        slices: impl FnOnce() -> Vec<ModelSlice>,
    ) -> Result<(), LabError> {
        if self.quiet || !self.path.is_empty() || self.stored_generation()?.is_some() {
            return Ok(());
        }
        let slices = slices();
        if slices.is_empty() {
            return Ok(());
        }
        let text = serde_json::to_string(&ModelLandscape { games, slices }).expect("plain data");
        let entry = Entry::Landscape { experiment: self.runtime.experiment.to_owned(), text };
        self.runtime.writer()?.write_now(entry)
    }

    /// The generation in progress, if an earlier session has stored it.
    fn stored_generation(&self) -> Result<Option<Generation>, LabError> {
        Ok(self.runtime.reader().generation(self.run, self.generation).map_err(Arc::new)?)
    }

    /// Gives what everybody made of everybody in the generation in progress, by the places of the population after it.
    pub fn set_cross_table(&mut self, table: CrossTable) {
        self.notes.cross_table = Some(table);
    }

    /// Counts games of the generation in progress by opponent and by opening.
    pub fn add_tally(&mut self, tally: &MatchTally) {
        self.notes.tally = MatchTally::total(self.notes.tally.iter().chain([tally]));
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
        let Notes { measures, cross_table, tally } = std::mem::take(&mut self.notes);
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
            faults: take(&self.tally.faults),
            plies: take(&self.tally.plies),
            seconds: self.runtime.seconds(),
            measures,
            cross_table,
            tally,
        };
        let games = summary.games;
        let stored = self.stored_generation()?;
        let is_stored = stored.is_some();
        let generation = stored.unwrap_or_else(|| summary.clone());
        let entry = Entry::Generation { run: self.run, summary: Box::new(summary), population };
        self.runtime.writer()?.write_now(entry)?;
        self.runtime.meter().tell(Event::Generation { run: self.path.clone(), generation, is_stored });
        // Who is told to stop may have no task to wait for.
        if self.runtime.is_closed() { Err(LabError::Stopped) } else { Ok(games) }
    }

    /// Seconds that the experiment has run. What is answered is journalled as a game is, so that a run that is repeated
    /// hears the same.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub fn seconds(&mut self) -> Result<f64, LabError> {
        self.journalled(CLOCK, |lab| Ok(lab.runtime.seconds()))
    }

    /// The genomes that are taken over from another experiment of the lab, which are journalled as games are. None where
    /// there is no such experiment, or where its player is part of this one.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub fn recall(&mut self, start: Start<'_>) -> Result<Vec<Genome>, LabError> {
        let Start { from, take } = start;
        let hash = match take {
            _ if from.is_empty() => return Ok(Vec::new()),
            Take::Player => return Ok(Vec::new()),
            Take::Population => hash_bytes(from.as_bytes()),
            Take::Champion | Take::Champions => hash_bytes(format!("{}\n{from}", take.as_str()).as_bytes()),
        };
        self.journalled(hash, |lab| {
            let store = lab.runtime.reader();
            let found = Part::find(&store, from).and_then(|part| match take {
                Take::Champion => Ok(vec![part.genome(&store)?]),
                Take::Champions => part.champions(&store),
                _ => part.last_population(&store),
            });
            found.map_err(|error| LabError::NothingFrom(from.to_owned(), error.to_string()))
        })
    }

    /// The answer to a question with this hash: what the journal has, or what is computed and written to it.
    fn journalled<T: Serialize + DeserializeOwned>(
        &mut self,
        hash: i64,
        compute: impl FnOnce(&Self) -> Result<T, LabError>,
    ) -> Result<T, LabError> {
        let (number, known) = self.journal(hash)?;
        if let Some(answer) = known {
            return self.parse(number, &answer);
        }
        let answer = serde_json::to_string(&compute(self)?).expect("plain data");
        // What is read from text may differ in the last bit, and must not differ the next time.
        let parsed = self.parse(number, &answer)?;
        self.write_answer(number, hash, answer)?;
        Ok(parsed)
    }

    /// Writes an answer to the journal.
    fn write_answer(&self, number: u64, hash: i64, answer: String) -> Result<(), LabError> {
        let entry = Entry::Outcome { run: self.run, number, task: hash, answer, game: None };
        self.runtime.writer()?.write_now(entry)
    }

    /// The number of the next question, and its answer if the journal has it.
    fn journal(&mut self, hash: i64) -> Result<(u64, Option<String>), LabError> {
        self.journal.ask(hash).map_err(|other| other.of_run(self.runtime, &self.path))
    }

    fn parse<T: DeserializeOwned>(&self, number: u64, answer: &str) -> Result<T, LabError> {
        parse(number, answer).map_err(|other| other.of_run(self.runtime, &self.path))
    }
}
