use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use gamete_stats::{Decision, Sprt};

use super::listener::{GameListener, Place, Report};
use super::{
    CountedEncounter, CountedGame, Encounter, GameFiles, MatchControl, MatchError, MatchEvent, MatchFailure,
    MatchJournal, MatchObserver, MatchPlan, MatchProgress, ProgramWatch, Ranking, Schedule, Standings,
};
use crate::Playable;
use crate::executor::{Executor, InOrder};
use crate::task::{GameOutcome, GameTask, Task};

/// How often it is looked whether to finish.
const TICK: Duration = Duration::from_millis(20);

/// Plays a match, or the rest of it.
///
/// Games are played in any order and counted in that of the schedule, so that reports, game files and sequential tests do
/// not depend on which thread was faster. What the journal has is counted first.
pub struct MatchRunner<'a, G: Playable> {
    plan: &'a MatchPlan<G>,
    journal: &'a dyn MatchJournal,
    control: Arc<MatchControl>,
    observer: Arc<dyn MatchObserver>,
    files: GameFiles<'a>,
    programs: ProgramWatch,
    schedule: Schedule,
    standings: Standings,
    /// Encounters that are counted.
    encounters: u64,
    /// Encounters that are complete and wait for their turn.
    waiting: InOrder<Vec<GameOutcome>>,
    /// Encounters that the journal had at the start.
    known: u64,
    /// Encounters that are being played, by their numbers.
    open: BTreeMap<u64, OpenEncounter>,
    /// The games that are over of encounters that were broken off, by their numbers.
    kept: BTreeMap<u64, Vec<Option<GameOutcome>>>,
    decided: bool,
}

/// What a match came to.
#[derive(Debug)]
pub struct MatchEnd {
    /// All encounters that are counted.
    pub standings: Standings,
    /// The ranking of a quick-tournament that is over.
    pub ranking: Option<Ranking>,
    /// How many encounters are counted.
    pub encounters: u64,
    /// Games that are over and wait for the others of their encounters.
    pub kept_games: u64,
    /// Whether games are missing.
    pub interrupted: bool,
    /// Whether the sequential test has decided.
    pub decided: bool,
    /// What ended a match that does not go on after faults.
    pub failure: Option<MatchFailure>,
}

/// The games that are given to the executor, few enough at a time that the longest match takes no more memory than a short one.
struct Feed {
    /// It goes when no more follow.
    sender: Option<Sender<Report>>,
    /// The first encounter that was not looked at.
    next: u64,
    /// Games of encounters that were looked at, and are not given yet.
    ready: VecDeque<(Place, GameTask)>,
    /// Games that were given and did not come back.
    given: usize,
    max_given: usize,
    /// Games of the whole match.
    planned: Arc<AtomicU64>,
}

/// An encounter that is being played.
struct OpenEncounter {
    tasks: Vec<GameTask>,
    /// Those that are over.
    games: Vec<Option<GameOutcome>>,
}

impl<'a, G: Playable> MatchRunner<'a, G> {
    /// A match with what its journal has, all of which is read.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read, or is damaged.
    pub fn new(
        plan: &'a MatchPlan<G>,
        journal: &'a dyn MatchJournal,
        files: GameFiles<'a>,
        programs: ProgramWatch,
        control: Arc<MatchControl>,
        observer: Arc<dyn MatchObserver>,
    ) -> Result<Self, MatchError> {
        let names: Vec<_> = plan.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
        let standings = Standings::new(&names, plan.has_pairs());
        let schedule = plan.schedule();
        let mut runner = Self {
            plan,
            journal,
            control,
            observer,
            files,
            programs,
            schedule,
            standings,
            encounters: 0,
            waiting: InOrder::default(),
            known: 0,
            open: BTreeMap::new(),
            kept: BTreeMap::new(),
            decided: false,
        };
        runner.read_journal()?;
        Ok(runner)
    }

    fn read_journal(&mut self) -> Result<(), MatchError> {
        let games = self.plan.games;
        let mut known: BTreeMap<u64, Vec<Option<GameOutcome>>> = BTreeMap::new();
        self.journal.games(&mut |game| {
            let encounter = known.entry(game.number / games).or_insert_with(|| vec![None; games as usize]);
            encounter[(game.number % games) as usize] = Some(game.outcome);
        })?;
        for (number, games) in known {
            if number >= self.schedule.len() && self.schedule.is_complete() {
                continue;
            }
            if games.iter().all(Option::is_some) {
                self.waiting.insert(number, games.into_iter().flatten().collect());
                self.known += 1;
            } else {
                self.kept.insert(number, games);
            }
        }
        Ok(())
    }

    /// Plays what is missing, until all is played, the test has decided, or the match is told to end.
    ///
    /// # Errors
    ///
    /// When it cannot be played, or what comes of it cannot be written.
    pub fn run(mut self, executor: &dyn Executor) -> Result<MatchEnd, MatchError> {
        self.tell(&MatchEvent::Started {
            known_games: self.known * self.plan.games,
            planned_games: self.scheduled_games(),
            is_exact: self.schedule.is_complete(),
        })?;
        self.hand_over(false)?;
        self.tell(&MatchEvent::Playing)?;
        let failure = match self.play_rest(executor) {
            Err(MatchError::Failure(failure)) => Some(failure),
            played => played.map(|()| None)?,
        };
        let interrupted = failure.is_some() || self.control.is_finishing() && !self.decided;
        if interrupted {
            for (number, games) in self.waiting.drain().collect::<Vec<_>>() {
                self.count(number, &games, true)?;
            }
        }
        let decided = self.decided;
        self.tell(&MatchEvent::Ended { interrupted, decided })?;
        Ok(MatchEnd {
            ranking: self.schedule.ranking(),
            encounters: self.encounters,
            kept_games: self.kept.values().flatten().flatten().count() as u64,
            standings: self.standings,
            interrupted,
            decided,
            failure,
        })
    }

    fn play_rest(&mut self, executor: &dyn Executor) -> Result<(), MatchError> {
        if self.decided {
            return Ok(());
        }
        let (sender, receiver) = mpsc::channel();
        let mut feed = Feed {
            sender: Some(sender),
            next: 0,
            ready: VecDeque::new(),
            given: 0,
            max_given: 2 * executor.capacity(),
            planned: Arc::new(AtomicU64::new(self.scheduled_games())),
        };
        let mut result = Ok(());
        loop {
            let given = self.give(&mut feed, executor);
            let heard = match receiver.recv_timeout(TICK) {
                Ok((place, game)) => {
                    feed.given -= 1;
                    self.hear(place, game)
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => Ok(()),
            };
            feed.planned.store(self.scheduled_games(), Ordering::Relaxed);
            if result.is_ok() {
                result = given.and(heard);
            }
            if result.is_err() || self.decided {
                // What is still played will not be counted.
                self.control.stop();
            }
            if self.control.is_ending() {
                feed.sender = None;
                executor.close();
            }
        }
        self.keep_rest()?;
        result
    }

    /// Gives out games of encounters that are known and not played.
    fn give(&mut self, feed: &mut Feed, executor: &dyn Executor) -> Result<(), MatchError> {
        while let Some(sender) = feed.sender.as_ref().filter(|_| feed.given < feed.max_given) {
            if let Some((place, task)) = feed.ready.pop_front() {
                feed.given += 1;
                let listener = GameListener {
                    place,
                    number: self.plan.game_number(place.encounter, place.game) + 1,
                    planned: Arc::clone(&feed.planned),
                    names: [task.white.name.clone(), task.black.name.clone()],
                    recover: self.plan.recover,
                    control: Arc::clone(&self.control),
                    observer: Arc::clone(&self.observer),
                    sender: sender.clone(),
                };
                let task = Task::from(task);
                executor.submit(task.key(), task, Box::new(listener));
                continue;
            }
            let encounter = feed.next;
            if encounter >= self.schedule.len() {
                break;
            }
            feed.next += 1;
            if !self.waiting.has(encounter) {
                feed.ready.extend(self.begin_encounter(encounter)?);
            }
        }
        let all_ready = self.schedule.is_complete() && feed.next >= self.schedule.len();
        if all_ready && feed.ready.is_empty() {
            feed.sender = None;
        }
        Ok(())
    }

    /// The games of an encounter that are still to be played.
    fn begin_encounter(&mut self, number: u64) -> Result<Vec<(Place, GameTask)>, MatchError> {
        let tasks = self.plan.tasks(&self.schedule.encounter(number));
        let games = self.kept.get(&number).cloned().unwrap_or_else(|| vec![None; tasks.len()]);
        let kept = games.iter().flatten().count() as u64;
        if kept > 0 {
            self.tell(&MatchEvent::GamesKept { games: kept })?;
        }
        let missing = (0..tasks.len())
            .filter(|&game| games[game].is_none())
            .map(|game| (Place { encounter: number, game }, tasks[game].clone()))
            .collect();
        self.open.insert(number, OpenEncounter { tasks, games });
        Ok(missing)
    }

    /// Keeps the games that are over of encounters that were broken off.
    fn keep_rest(&mut self) -> Result<(), MatchError> {
        for (number, encounter) in std::mem::take(&mut self.open) {
            let OpenEncounter { tasks, games } = encounter;
            if games.iter().any(Option::is_some) && self.kept.get(&number) != Some(&games) {
                let games = tasks.iter().zip(&games).enumerate();
                let over = games.filter_map(|(game, (task, outcome))| Some((game, task, outcome.as_ref()?)));
                let over: Vec<_> = over
                    .map(|(game, task, outcome)| (self.plan.game_number(number, game), task, outcome))
                    .collect();
                self.journal.record(&over)?;
            }
            if games.iter().any(Option::is_some) {
                self.kept.insert(number, games);
            }
        }
        Ok(())
    }

    fn hear(&mut self, place: Place, game: Result<GameOutcome, MatchError>) -> Result<(), MatchError> {
        let number = place.encounter;
        // The whole encounter is played again after a failure.
        let game = game.inspect_err(|_| drop(self.open.remove(&number)))?;
        let Some(encounter) = self.open.get_mut(&number).filter(|_| !self.decided) else { return Ok(()) };
        encounter.games[place.game] = Some(game);
        if encounter.games.iter().any(Option::is_none) {
            return Ok(());
        }
        self.programs.check()?;
        let games: Vec<_> = std::mem::take(&mut encounter.games).into_iter().flatten().collect();
        let numbers = (0..).map(|game| self.plan.game_number(number, game));
        let records: Vec<_> = numbers
            .zip(encounter.tasks.iter().zip(&games))
            .map(|(number, (task, game))| (number, task, game))
            .collect();
        self.journal.record(&records)?;
        self.kept.remove(&number);
        self.waiting.insert(number, games);
        self.hand_over(true)
    }

    /// How many games the schedule has, on average.
    fn scheduled_games(&self) -> u64 {
        self.schedule.expected_len() * self.plan.games
    }

    /// Counts the encounters whose turn it is.
    fn hand_over(&mut self, live: bool) -> Result<(), MatchError> {
        while !self.decided
            && let Some((number, games)) = self.waiting.pop()
        {
            self.count(number, &games, live)?;
        }
        Ok(())
    }

    fn count(&mut self, number: u64, games: &[GameOutcome], live: bool) -> Result<(), MatchError> {
        let encounter = self.schedule.encounter(number);
        self.write(&encounter, games)?;
        self.open.remove(&number);
        let sides = self.plan.sides(&encounter);
        let played: Vec<_> = sides.iter().map(|&(white, _)| white).zip(games).collect();
        let lead = self.standings.add(&encounter, &played);
        self.schedule.tell(lead);
        self.encounters += 1;
        if let Some(sprt) = &self.plan.sprt {
            self.decided = sprt.decision(sprt.llr(&self.standings.results(0))) != Decision::Continue;
        }
        let counted = |(game, (&(white, black), outcome))| CountedGame {
            number: self.plan.game_number(number, game) + 1,
            white: self.plan.name(white),
            black: self.plan.name(black),
            outcome,
        };
        self.tell(&MatchEvent::EncounterCounted(CountedEncounter {
            encounter,
            games: sides.iter().zip(games).enumerate().map(counted).collect(),
            standings: &self.standings,
            progress: self.progress(),
            live,
        }))
    }

    fn progress(&self) -> MatchProgress {
        let is_complete = self.schedule.is_complete() && self.encounters == self.schedule.len();
        MatchProgress {
            encounters: self.encounters,
            games: self.encounters * self.plan.games,
            expected_games: self.expected_games(),
            is_last: self.decided || is_complete,
        }
    }

    /// How many games there will be: as the schedule has it, or until the test is likely to decide.
    fn expected_games(&self) -> u64 {
        let encounters = self.schedule.expected_len();
        let drift = |sprt: Sprt| {
            let llr = sprt.llr(&self.standings.results(0));
            let left = sprt.expected_remaining(llr, self.encounters)?;
            Some(self.encounters + left.min(encounters as f64).ceil() as u64)
        };
        let by_test = self.plan.sprt.and_then(drift);
        by_test.map_or(encounters, |count| count.min(encounters)) * self.plan.games
    }

    fn write(&mut self, encounter: &Encounter, games: &[GameOutcome]) -> Result<(), MatchError> {
        if self.files.is_empty() {
            return Ok(());
        }
        let tasks = match self.open.get(&encounter.number) {
            Some(known) => &known.tasks,
            None => &self.plan.tasks(encounter),
        };
        Ok(self.files.write::<G>(encounter, tasks, games)?)
    }

    fn tell(&self, event: &MatchEvent<'_>) -> Result<(), MatchError> {
        Ok(self.observer.event(event)?)
    }
}
