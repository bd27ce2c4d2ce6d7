mod play;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    CountedEncounter, CountedGame, Encounter, EncounterGames, GameFiles, MatchControl, MatchError,
    MatchEvent, MatchFailure, MatchJournal, MatchObserver, MatchPlan, MatchTally, MatchTerms, ProgramWatch,
    Ranking, Standings,
};
use crate::Playable;
use crate::executor::{Executor, InOrder, OutcomeReceipt};
use crate::task::{GameOutcome, GameTask};

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
    tally: MatchTally,
    /// Encounters that are complete and wait for their turn.
    waiting: InOrder<Vec<GameOutcome>>,
    /// Encounters that the journal had at the start.
    known: u64,
    /// Encounters that are being played, by their numbers.
    open: BTreeMap<u64, OpenEncounter>,
    /// The games that are over of encounters that were broken off, by their numbers.
    kept: BTreeMap<u64, Vec<Option<GameOutcome>>>,
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

/// An encounter that is being played.
struct OpenEncounter {
    tasks: Vec<GameTask>,
    /// Those that are over.
    games: Vec<Option<GameOutcome>>,
    /// What is due when those of them that were played now are in the journal.
    receipts: Vec<OutcomeReceipt>,
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
        let mut runner = Self {
            plan,
            journal,
            control,
            observer,
            files,
            programs,
            tally: MatchTally::new(plan.rules, &names),
            waiting: InOrder::default(),
            known: 0,
            open: BTreeMap::new(),
            kept: BTreeMap::new(),
        };
        runner.read_journal()?;
        Ok(runner)
    }

    fn read_journal(&mut self) -> Result<(), MatchError> {
        let mut known = EncounterGames::new(self.plan.rules.games);
        let mut first = None;
        self.journal.games(&mut |game| {
            first = first.or(game.task.map(|task| (game.number, task)));
            known.insert(game.number, game.outcome);
        })?;
        first.map_or(Ok(()), |(number, task)| self.check_task(number, task))?;
        let schedule = self.tally.schedule();
        for (number, games) in known.into_encounters() {
            if number >= schedule.len() && schedule.is_complete() {
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

    /// Checks that a game is the one that this program would play: its configuration does not tell how openings are drawn.
    fn check_task(&self, number: u64, known: i64) -> Result<(), MatchError> {
        let (encounter, game) = (number / self.plan.rules.games, number % self.plan.rules.games);
        if encounter >= self.tally.schedule().len() {
            return Ok(());
        }
        let tasks = self.plan.tasks(&self.tally.schedule().encounter(encounter));
        let task = &tasks[game as usize];
        if task.journal_key() != known && task.journal_key_of_commands(&self.plan.engines) != Some(known) {
            let path = self.journal.path().display().to_string();
            return Err(MatchError::AnotherGame { path, game: number + 1 });
        }
        Ok(())
    }

    /// Plays what is missing, until all is played, the test has decided, or the match is told to end.
    ///
    /// # Errors
    ///
    /// When it cannot be played, or what comes of it cannot be written.
    pub fn run(mut self, executor: &dyn Executor) -> Result<MatchEnd, MatchError> {
        let terms = serde_json::to_string(&self.plan.terms()).expect("plain data");
        if self.journal.setting(MatchTerms::SETTING).as_ref() != Some(&terms) {
            self.journal.set(MatchTerms::SETTING, &terms)?;
        }
        self.tell(&MatchEvent::Started {
            known_games: self.known * self.plan.rules.games,
            planned_games: self.tally.scheduled_games(),
            is_exact: self.tally.schedule().is_complete(),
        })?;
        self.hand_over(false)?;
        self.tell(&MatchEvent::Playing)?;
        let failure = match self.play_rest(executor) {
            Err(MatchError::Failure(failure)) => Some(failure),
            played => played.map(|()| None)?,
        };
        let interrupted = failure.is_some() || self.control.is_finishing() && !self.tally.is_decided();
        if interrupted && self.plan.rules.counts_out_of_turn() {
            for (number, games) in self.waiting.drain().collect::<Vec<_>>() {
                self.count(number, &games, true)?;
            }
        }
        let decided = self.tally.is_decided();
        self.tell(&MatchEvent::Ended { interrupted, decided })?;
        Ok(MatchEnd {
            ranking: self.tally.ranking(),
            encounters: self.tally.encounters(),
            kept_games: self.kept.values().flatten().flatten().count() as u64,
            standings: self.tally.standings().clone(),
            interrupted,
            decided,
            failure,
        })
    }

    /// Counts the encounters whose turn it is.
    fn hand_over(&mut self, live: bool) -> Result<(), MatchError> {
        while !self.tally.is_decided()
            && let Some((number, games)) = self.waiting.pop()
        {
            self.count(number, &games, live)?;
        }
        Ok(())
    }

    fn count(&mut self, number: u64, games: &[GameOutcome], live: bool) -> Result<(), MatchError> {
        let (plan, rules) = (self.plan, &self.plan.rules);
        self.write(&self.tally.schedule().encounter(number), games)?;
        self.open.remove(&number);
        let encounter = self.tally.count(number, games);
        let counted = |(game, ((white, black), outcome))| CountedGame {
            number: rules.game_number(number, game) + 1,
            white: plan.name(white),
            black: plan.name(black),
            outcome,
        };
        self.tell(&MatchEvent::EncounterCounted(CountedEncounter {
            encounter,
            games: rules.sides(&encounter).into_iter().zip(games).enumerate().map(counted).collect(),
            standings: self.tally.standings(),
            progress: self.tally.progress(),
            live,
        }))
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
