use gamete_stats::{Decision, Sprt};

use super::{Encounter, MatchProgress, MatchRules, Ranking, Schedule, Standings};
use crate::task::GameOutcome;

/// The encounters of a match as they are counted, and what they come to. Whether a match is played or shown, this counts it.
#[derive(Debug, Clone)]
pub struct MatchTally {
    rules: MatchRules,
    schedule: Schedule,
    standings: Standings,
    encounters: u64,
    decided: bool,
}

impl MatchTally {
    /// Before any encounter of these contestants.
    pub fn new(rules: MatchRules, names: &[&str]) -> Self {
        Self {
            rules,
            schedule: rules.schedule(names.len()),
            standings: Standings::new(names, rules.has_pairs()),
            encounters: 0,
            decided: false,
        }
    }

    /// Counts an encounter that the schedule has.
    pub fn count(&mut self, number: u64, games: &[GameOutcome]) -> Encounter {
        let encounter = self.schedule.encounter(number);
        let sides = self.rules.sides(&encounter);
        let played: Vec<_> = sides.iter().map(|&(white, _)| white).zip(games).collect();
        let lead = self.standings.add(&encounter, &played);
        self.schedule.tell(lead);
        self.encounters += 1;
        if let Some(sprt) = &self.rules.sprt {
            self.decided = sprt.decision(sprt.llr(&self.standings.results(0))) != Decision::Continue;
        }
        encounter
    }

    /// The rules that it counts by.
    pub fn rules(&self) -> &MatchRules {
        &self.rules
    }

    /// The encounters, as far as they are known.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What the encounters so far come to.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// The ranking of a quick-tournament that is over.
    pub fn ranking(&self) -> Option<Ranking> {
        self.schedule.ranking()
    }

    /// Whether the sequential test has decided.
    pub fn is_decided(&self) -> bool {
        self.decided
    }

    /// How many encounters are counted.
    pub fn encounters(&self) -> u64 {
        self.encounters
    }

    /// How many games the schedule has, on average.
    pub fn scheduled_games(&self) -> u64 {
        self.schedule.expected_len() * self.rules.games
    }

    /// How far the match is.
    pub fn progress(&self) -> MatchProgress {
        let is_complete = self.schedule.is_complete() && self.encounters == self.schedule.len();
        MatchProgress {
            encounters: self.encounters,
            games: self.encounters * self.rules.games,
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
        let by_test = self.rules.sprt.and_then(drift);
        by_test.map_or(encounters, |count| count.min(encounters)) * self.rules.games
    }
}
