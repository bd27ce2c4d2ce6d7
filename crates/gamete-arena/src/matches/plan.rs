use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Encounter, MatchRules, MatchTerms, Schedule, SprtTerms};
use crate::task::GameTask;
use crate::uci::EngineCatalog;
use crate::{Adjudication, Contestant, OpeningSource, Playable, Rng};

/// All that decides which games a match has, and when it is over.
pub struct MatchPlan<G: Playable> {
    /// Who plays.
    pub contestants: Vec<Contestant>,
    /// How the programs among them are started here, which is what journals of earlier versions know them by.
    pub engines: Arc<EngineCatalog>,
    /// Which games there are, and when the match is over.
    pub rules: MatchRules,
    /// Where games start.
    pub openings: OpeningSource<G>,
    /// Which encounters have an opening in common.
    pub policy: OpeningPolicy,
    /// When games are decided before their end.
    pub adjudication: Adjudication,
    /// Whether the match goes on when a contestant fails.
    pub recover: bool,
    /// Whether outcomes have [details](crate::MoveDetail) of every move.
    pub details: bool,
}

/// Limits and openings in a line, as in reports: `10+0.1, 1t, book.epd`.
pub fn conditions<E>(contestants: &[Contestant<E>], openings: &str) -> String {
    let limits = |contestant: &Contestant<E>| {
        let text = contestant.limits.to_string();
        text.strip_prefix("tc=").map_or_else(|| text.clone(), str::to_owned)
    };
    let mut limits: Vec<_> = contestants.iter().map(limits).collect();
    limits.dedup();
    format!("{}, 1t, {openings}", limits.join(" - "))
}

/// Which pairs of games have an opening in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningPolicy {
    /// Those of one round, whoever plays.
    #[default]
    Round,
    /// None.
    Encounter,
}

impl OpeningPolicy {
    /// Whether it is that of matches for which nothing else is said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl<G: Playable> MatchPlan<G> {
    /// The encounters, as far as they are known before any game.
    pub fn schedule(&self) -> Schedule {
        self.rules.schedule(self.contestants.len())
    }

    /// How many pairs of games have openings of their own.
    pub fn pairs(&self) -> u64 {
        match self.policy {
            OpeningPolicy::Round => self.rules.rounds,
            OpeningPolicy::Encounter => self.schedule().expected_len(),
        }
    }

    /// What may change when the match is resumed.
    pub fn terms(&self) -> MatchTerms {
        MatchTerms {
            rounds: self.rules.rounds,
            sprt: self.rules.sprt.as_ref().map(SprtTerms::from),
            openings: self.openings.name().to_owned(),
        }
    }

    /// The games of an encounter.
    pub fn tasks(&self, encounter: &Encounter) -> Vec<GameTask> {
        let opening = self.openings.opening(match self.policy {
            OpeningPolicy::Round => encounter.round,
            OpeningPolicy::Encounter => encounter.number,
        });
        let first_game = encounter.number.wrapping_mul(self.rules.games);
        let task = |(game, (white, black)): (u64, (usize, usize))| {
            let mut seeds = Rng::new(self.rules.seed.wrapping_add(first_game + game));
            let [white, black] = [white, black].map(|index| self.contestants[index].clone());
            let task = GameTask::new(&opening, white, black, self.adjudication, seeds.next_u64());
            GameTask { details: self.details, ..task }
        };
        (0..).zip(self.rules.sides(encounter)).map(task).collect()
    }

    /// The name of a contestant.
    pub(super) fn name(&self, contestant: usize) -> &str {
        &self.contestants[contestant].name
    }
}
