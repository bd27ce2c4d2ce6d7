use gamete_optim::{Problem, Rng, Space};

use super::Optimize;
use crate::experiment::Budget;

/// How an optimiser begins.
pub(super) struct Outlook {
    /// Trials of a generation.
    pub batch: u64,
    /// Whether trials have rivals.
    pub has_rivals: bool,
    /// Games of a trial.
    pub games: u64,
}

impl Outlook {
    /// How many trials the first limit of a budget allows, if it has one but time.
    pub fn trials(&self, budget: &Budget) -> Option<u64> {
        // One trial is always made.
        let by_games =
            budget.games.checked_div(self.games).filter(|_| budget.games > 0).map(|trials| trials.max(1));
        let by_generations = (budget.generations > 0).then(|| u64::from(budget.generations));
        let by_generations = by_generations.map(|generations| generations.saturating_mul(self.batch));
        by_generations.into_iter().chain(by_games).min()
    }
}

impl Optimize {
    /// What the optimiser first asks for, with nothing to begin with.
    pub(super) fn outlook(&self, space: &Space) -> Outlook {
        let mut optimizer = (self.optimizer.begin)(&self.settings, self.problem(space), Rng::new(0));
        let has_rivals = optimizer.ask().is_some_and(|trial| trial.rival.is_some());
        Outlook { batch: optimizer.batch_size() as u64, has_rivals, games: self.games(has_rivals) }
    }

    /// The search of a space by the objective, as far as both say.
    pub(super) fn problem(&self, space: &Space) -> Problem {
        let (games, games_alone) = (self.objective.games_with_rival(), self.objective.games());
        Problem { games, games_alone, ..Problem::new(space) }
    }

    /// Games of a trial.
    fn games(&self, has_rival: bool) -> u64 {
        if has_rival { self.objective.games_with_rival() } else { self.objective.games() }
    }
}
