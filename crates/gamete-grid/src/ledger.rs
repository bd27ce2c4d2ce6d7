//! What a coordinator knows of workers: when they were last seen, what they have done, and how their games under a clock went.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gamete_arena::{Contestant, GameTask, Task, TaskOutcome, Termination};
use gamete_game::Color;
use gamete_stats::{GamePoints, Residual};
use serde::{Deserialize, Serialize};

use crate::message::{Heartbeat, Refusal};
use crate::telling::Receipt;
use crate::trust::{Author, Trust};

/// Games of a worker that are not the same twice: a clock or another program has a part in them. Won, drawn and lost by the
/// contestant whose name comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedGames {
    /// Games that the first contestant won.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Games in which a program went away or did not answer.
    pub crashes: u64,
    /// Games that were lost on time.
    pub time_losses: u64,
}

/// A worker, as a coordinator knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// What tells it from all others.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// How many tasks it does at a time.
    pub concurrency: usize,
    /// Seconds since it was last heard of.
    pub silent: f64,
    /// Its outcomes that count.
    pub told: u64,
    /// Those that wait until it was found right.
    pub held: usize,
    /// How often it was found right.
    pub right: u64,
    /// Whether it was wrong, and gets nothing any more.
    pub refused: bool,
    /// Its games under a clock.
    pub games: TimedGames,
    /// How far their results are from those of others, in standard deviations.
    pub residual: Option<f64>,
    /// Whether that is more than chance explains, with 99 % confidence.
    pub stands_out: bool,
}

impl TimedGames {
    /// All of them.
    pub fn count(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn row(&self) -> [u64; 3] {
        [self.wins, self.draws, self.losses]
    }

    fn add(&mut self, task: &GameTask, termination: Termination) {
        let (white, black) = (&task.white.name, &task.black.name);
        let first = if white <= black { Color::White } else { Color::Black };
        match termination.points(first) {
            Some(GamePoints::Win) => self.wins += 1,
            Some(GamePoints::Draw) => self.draws += 1,
            Some(GamePoints::Loss) => self.losses += 1,
            None => {}
        }
        match termination {
            Termination::TimeLoss { .. } => self.time_losses += 1,
            Termination::Disconnect { .. } | Termination::Stall { .. } => self.crashes += 1,
            _ => {}
        }
    }
}

impl WorkerReport {
    /// Whether somebody should look at the machine, by the measures of fishtest: its results stand out, more than three games
    /// crashed, or of twenty and more over a tenth was lost on time.
    pub fn is_suspect(&self) -> bool {
        let TimedGames { crashes, time_losses, .. } = self.games;
        let count = self.games.count();
        self.refused || self.stands_out || crashes > 3 || (count >= 20 && 10 * time_losses > count)
    }
}

/// How sure it is to be that results of a worker are not those of others.
const CONFIDENCE: f64 = 0.99;

/// All workers that were heard of.
#[derive(Default)]
pub(crate) struct Ledger(BTreeMap<String, Entry>);

struct Entry {
    name: String,
    concurrency: usize,
    seen: Instant,
    told: u64,
    games: TimedGames,
}

impl Ledger {
    fn entry(&mut self, id: &str, name: &str) -> &mut Entry {
        let new = || Entry {
            name: name.to_owned(),
            concurrency: 0,
            seen: Instant::now(),
            told: 0,
            games: TimedGames::default(),
        };
        self.0.entry(id.to_owned()).or_insert_with(new)
    }

    /// A worker says that it is there.
    pub fn see(&mut self, heartbeat: &Heartbeat) {
        let entry = self.entry(&heartbeat.id, &heartbeat.name);
        entry.concurrency = heartbeat.concurrency;
        entry.seen = Instant::now();
    }

    /// Whether any outcome of a worker is told.
    pub fn has_told(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|entry| entry.told > 0)
    }

    /// Forgets workers that are silent for so long and have done nothing, unless something else is known of them.
    pub fn forget_silent(&mut self, patience: Duration, is_known: impl Fn(&str) -> bool) {
        self.0.retain(|id, entry| entry.told > 0 || entry.seen.elapsed() < patience || is_known(id));
    }

    /// An outcome of a worker is told.
    pub fn count(&mut self, author: &Author, task: &Task, result: &Result<TaskOutcome, Refusal>) {
        let entry = self.entry(&author.id, &author.name);
        entry.told += 1;
        if let (Task::Game(task), Ok(TaskOutcome::Game(game))) = (task, result)
            && ![&task.white, &task.black].into_iter().all(Contestant::is_repeatable)
        {
            entry.games.add(task, game.termination);
        }
    }

    /// What is known of all of them, by name.
    pub fn reports<R: Receipt>(&self, trust: &Trust<R>) -> Vec<WorkerReport> {
        let rows: Vec<[u64; 3]> = self.0.values().map(|entry| entry.games.row()).collect();
        let residuals = Residual::of_all(&rows, CONFIDENCE);
        let report = |(number, (id, entry)): (usize, (&String, &Entry))| {
            let (held, right) = trust.counts(id);
            let Residual { residual, stands_out } = residuals[number];
            WorkerReport {
                id: id.clone(),
                name: entry.name.clone(),
                concurrency: entry.concurrency,
                silent: entry.seen.elapsed().as_secs_f64(),
                told: entry.told,
                held,
                right,
                refused: trust.is_refused(id),
                games: entry.games,
                residual,
                stands_out,
            }
        };
        let mut reports: Vec<_> = self.0.iter().enumerate().map(report).collect();
        reports.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        reports
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Adjudication, GameName, GameOutcome, Limits, Player};
    use gamete_game::{Ending, Reason};

    use super::*;
    use crate::telling::Count;

    fn game(white: &str, black: &str, limits: &str) -> Task {
        let limits: Limits = limits.parse().expect("limits");
        let player = |name: &str| {
            let player = Player::load("chess/material").expect("a model");
            Contestant { name: name.to_owned(), ..Contestant::new(player, limits) }
        };
        let (white, black) = (player(white), player(black));
        let (start, adjudication) = (String::new(), Adjudication::default());
        let game = GameName::Chess;
        GameTask { game, start, book: Vec::new(), white, black, adjudication, seed: 0, details: false }.into()
    }

    fn ended(termination: Termination) -> Result<TaskOutcome, Refusal> {
        let (moves, thoughts, details) = (Vec::new(), Vec::new(), Vec::new());
        Ok(TaskOutcome::Game(GameOutcome {
            moves,
            thoughts,
            details,
            termination,
            fault: None,
            timing: None,
        }))
    }

    #[test]
    fn games_are_counted_by_worker_for_the_same_contestant() {
        let mut ledger = Ledger::default();
        let author = |id: &str| Author { id: id.to_owned(), name: format!("worker {id}") };
        let white_wins = ended(Ending::win(Color::White, Reason::Checkmate).into());
        let draw = ended(Ending::draw(Reason::Stalemate).into());
        let overrun = Duration::ZERO;
        for _ in 0..40 {
            ledger.count(&author("1"), &game("a", "b", "st=1"), &draw);
            ledger.count(&author("2"), &game("a", "b", "st=1"), &draw);
            ledger.count(&author("3"), &game("b", "a", "tc=1"), &white_wins);
        }
        ledger.count(
            &author("1"),
            &game("a", "b", "tc=1"),
            &ended(Termination::TimeLoss { loser: Color::Black, overrun }),
        );
        ledger.count(
            &author("2"),
            &game("b", "a", "tc=1"),
            &ended(Termination::Disconnect { loser: Color::Black }),
        );
        // What is the same everywhere says nothing of a worker.
        ledger.count(&author("2"), &game("a", "b", "nodes=1"), &white_wins);
        let reports = ledger.reports(&Trust::<Count>::default());
        let games = reports.iter().map(|report| report.games).collect::<Vec<_>>();
        let one = TimedGames { wins: 1, draws: 40, time_losses: 1, ..TimedGames::default() };
        let two = TimedGames { losses: 1, draws: 40, crashes: 1, ..TimedGames::default() };
        assert_eq!(games, [one, two, TimedGames { losses: 40, ..TimedGames::default() }]);
        assert_eq!(reports.iter().map(|report| report.told).collect::<Vec<_>>(), [41, 42, 40]);
        assert!(
            !reports[0].stands_out && reports[2].stands_out && reports[2].residual > Some(8.0),
            "{reports:?}"
        );
        assert_eq!((reports[0].name.as_str(), reports[0].refused), ("worker 1", false));
        for id in ["idle", "known"] {
            ledger.entry(id, id);
        }
        ledger.forget_silent(Duration::from_secs(60), |_| false);
        assert_eq!(ledger.0.len(), 5);
        ledger.forget_silent(Duration::ZERO, |id| id == "known");
        assert_eq!(ledger.0.keys().collect::<Vec<_>>(), ["1", "2", "3", "known"]);
        let suspect = |games| WorkerReport { games, stands_out: false, ..reports[0].clone() }.is_suspect();
        assert!(!suspect(TimedGames { draws: 20, crashes: 3, time_losses: 2, ..TimedGames::default() }));
        assert!(suspect(TimedGames { crashes: 4, ..TimedGames::default() }));
        assert!(suspect(TimedGames { draws: 20, time_losses: 3, ..TimedGames::default() }));
    }
}
