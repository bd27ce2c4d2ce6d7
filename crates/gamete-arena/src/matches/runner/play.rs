//! Giving games to the executor, and hearing of them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use super::super::listener::{GameListener, Place, Report};
use super::super::{MatchError, MatchEvent};
use super::{MatchRunner, OpenEncounter};
use crate::Playable;
use crate::executor::Executor;
use crate::task::{GameTask, Task};

/// How often it is looked whether to finish.
const TICK: Duration = Duration::from_millis(20);

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
    /// Games of the whole match.
    planned: Arc<AtomicU64>,
}

impl<G: Playable> MatchRunner<'_, G> {
    /// Plays what is missing, and keeps what is over when it ends early.
    pub(super) fn play_rest(&mut self, executor: &dyn Executor) -> Result<(), MatchError> {
        if self.tally.is_decided() {
            return Ok(());
        }
        let (sender, receiver) = mpsc::channel();
        let mut feed = Feed {
            sender: Some(sender),
            next: 0,
            ready: VecDeque::new(),
            given: 0,
            planned: Arc::new(AtomicU64::new(self.tally.scheduled_games())),
        };
        let mut result = Ok(());
        loop {
            let given = self.give(&mut feed, executor);
            let heard = match receiver.recv_timeout(TICK) {
                Ok(report) => {
                    feed.given -= 1;
                    self.hear(report)
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => Ok(()),
            };
            feed.planned.store(self.tally.scheduled_games(), Ordering::Relaxed);
            if result.is_ok() {
                result = given.and(heard);
            }
            if result.is_err() || self.tally.is_decided() {
                // What is still played will not be counted.
                self.control.stop();
            }
            if self.control.is_ending() {
                feed.sender = None;
                executor.close();
            }
        }
        let kept = self.keep_rest();
        result.and(kept)
    }

    /// Gives out games of encounters that are known and not played.
    fn give(&mut self, feed: &mut Feed, executor: &dyn Executor) -> Result<(), MatchError> {
        while let Some(sender) = feed.sender.as_ref().filter(|_| feed.given < executor.room()) {
            if let Some((place, task)) = feed.ready.pop_front() {
                feed.given += 1;
                let listener = GameListener {
                    place,
                    number: self.plan.rules.game_number(place.encounter, place.game) + 1,
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
            if encounter >= self.tally.schedule().len() {
                break;
            }
            feed.next += 1;
            if !self.waiting.has(encounter) {
                feed.ready.extend(self.begin_encounter(encounter)?);
            }
        }
        let all_ready = self.tally.schedule().is_complete() && feed.next >= self.tally.schedule().len();
        if all_ready && feed.ready.is_empty() {
            feed.sender = None;
        }
        Ok(())
    }

    /// The games of an encounter that are still to be played.
    fn begin_encounter(&mut self, number: u64) -> Result<Vec<(Place, GameTask)>, MatchError> {
        let tasks = self.plan.tasks(&self.tally.schedule().encounter(number));
        let games = self.kept.get(&number).cloned().unwrap_or_else(|| vec![None; tasks.len()]);
        let kept = games.iter().flatten().count() as u64;
        if kept > 0 {
            self.tell(&MatchEvent::GamesKept { games: kept })?;
        }
        let missing = (0..tasks.len())
            .filter(|&game| games[game].is_none())
            .map(|game| (Place { encounter: number, game }, tasks[game].clone()))
            .collect();
        self.open.insert(number, OpenEncounter { tasks, games, receipts: Vec::new() });
        Ok(missing)
    }

    /// Keeps the games that are over of encounters that were broken off.
    fn keep_rest(&mut self) -> Result<(), MatchError> {
        if self.open.values().any(|encounter| encounter.games.iter().any(Option::is_some)) {
            self.programs.check().inspect_err(|_| self.discard_all())?;
        }
        for (number, encounter) in std::mem::take(&mut self.open) {
            let OpenEncounter { tasks, games, receipts } = encounter;
            if games.iter().any(Option::is_some) && self.kept.get(&number) != Some(&games) {
                let games = tasks.iter().zip(&games).enumerate();
                let over = games.filter_map(|(game, (task, outcome))| Some((game, task, outcome.as_ref()?)));
                let over: Vec<_> = over
                    .map(|(game, task, outcome)| (self.plan.rules.game_number(number, game), task, outcome))
                    .collect();
                self.journal.record(&over)?;
            }
            receipts.into_iter().for_each(|receipt| receipt());
            if games.iter().any(Option::is_some) {
                self.kept.insert(number, games);
            }
        }
        Ok(())
    }

    fn hear(&mut self, report: Report) -> Result<(), MatchError> {
        let Report { place, game, receipt } = report;
        let number = place.encounter;
        let is_needed = game.is_ok() && !self.tally.is_decided();
        let Some(encounter) = self.open.get_mut(&number).filter(|_| is_needed) else {
            receipt();
            // The whole encounter is played again after a failure.
            return game.map(drop).inspect_err(|_| self.discard(number));
        };
        encounter.games[place.game] = Some(game?);
        encounter.receipts.push(receipt);
        if encounter.games.iter().any(Option::is_none) {
            return Ok(());
        }
        // Nobody knows which of its games the other program played.
        self.programs.check().inspect_err(|_| self.discard(number))?;
        let Some(encounter) = self.open.get_mut(&number) else { return Ok(()) };
        let games: Vec<_> = std::mem::take(&mut encounter.games).into_iter().flatten().collect();
        let numbers = (0..).map(|game| self.plan.rules.game_number(number, game));
        let records: Vec<_> = numbers
            .zip(encounter.tasks.iter().zip(&games))
            .map(|(number, (task, game))| (number, task, game))
            .collect();
        self.journal.record(&records)?;
        encounter.receipts.drain(..).for_each(|receipt| receipt());
        self.kept.remove(&number);
        self.waiting.insert(number, games);
        self.hand_over(true)
    }

    /// Forgets the games of an encounter, which are played again.
    fn discard(&mut self, number: u64) {
        let discarded = self.open.remove(&number);
        discarded.into_iter().flat_map(|encounter| encounter.receipts).for_each(|receipt| receipt());
    }

    fn discard_all(&mut self) {
        let numbers: Vec<u64> = self.open.keys().copied().collect();
        numbers.into_iter().for_each(|number| self.discard(number));
    }
}
