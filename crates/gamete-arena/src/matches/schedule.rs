use std::cmp::Ordering;

use gamete_game::{Color, Outcome};
use serde::{Deserialize, Serialize};

use super::{QuickTournament, Ranking};
use crate::Rng;

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tournament {
    /// Everybody meets everybody else.
    #[default]
    RoundRobin,
    /// The seeds, who are the first so many, meet all others, but not each other.
    Gauntlet {
        /// How many.
        seeds: usize,
    },
    /// As in quicksort; see [`QuickTournament`].
    Quick,
}

/// The encounters of a tournament, in the order in which they count.
///
/// In each round every two contestants who meet do so once, from one opening, which is the same for all of them. In a
/// quick-tournament who meets whom follows from what is told of the encounters before.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Who meets whom in a round.
    pairings: Vec<(usize, usize)>,
    rounds: u64,
    quick: Option<Quick>,
}

/// What a quick-tournament knows of those who meet now.
#[derive(Debug, Clone)]
struct Quick {
    tournament: QuickTournament,
    /// Half points of the first above the second, by pairing.
    leads: Vec<i64>,
    told: u64,
}

/// The games of two contestants in one round, all from one opening: a pair if they are two with colours swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encounter {
    /// Which one of the tournament, from 0.
    pub number: u64,
    /// Which round, and so which opening, from 0.
    pub round: u64,
    /// The contestant who has White first.
    pub first: usize,
    /// Its opponent.
    pub second: usize,
}

impl Schedule {
    /// The encounters of so many contestants. Pivots of a quick-tournament are drawn by the seed.
    pub fn new(tournament: Tournament, contestants: usize, rounds: u64, seed: u64) -> Self {
        let pairs = |firsts: usize, meets: &dyn Fn(usize, usize) -> bool| -> Vec<_> {
            (0..firsts)
                .flat_map(|first| (first + 1..contestants).map(move |second| (first, second)))
                .filter(|&(first, second)| meets(first, second))
                .collect()
        };
        let (pairings, quick) = match tournament {
            Tournament::RoundRobin => (pairs(contestants, &|_, _| true), None),
            Tournament::Gauntlet { seeds } => {
                (pairs(seeds.min(contestants), &|_, second| second >= seeds), None)
            }
            Tournament::Quick => {
                let quick = QuickTournament::new(contestants, Rng::new(seed));
                (quick.games(), Some(quick))
            }
        };
        let leads = vec![0; pairings.len()];
        Self { pairings, rounds, quick: quick.map(|tournament| Quick { tournament, leads, told: 0 }) }
    }

    /// How many encounters there are, as far as is known.
    pub fn len(&self) -> u64 {
        self.pairings.len() as u64 * self.rounds
    }

    /// How many encounters there will be, on average.
    pub fn expected_len(&self) -> u64 {
        match &self.quick {
            None => self.len(),
            Some(quick) => (quick.tournament.expected_games() * self.rounds as f64).round() as u64,
        }
    }

    /// Whether no encounters follow from those that are known.
    pub fn is_complete(&self) -> bool {
        self.quick.as_ref().is_none_or(|quick| quick.tournament.is_over())
    }

    /// Whether nobody meets anybody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The encounter with this number, from 0.
    ///
    /// # Panics
    ///
    /// When there is none that is known.
    pub fn encounter(&self, number: u64) -> Encounter {
        let count = self.pairings.len() as u64;
        let (pairing, round) = match self.quick {
            None => (number % count, number / count),
            Some(_) => (number / self.rounds, number % self.rounds),
        };
        let (first, second) = self.pairings[pairing as usize];
        Encounter { number, round, first, second }
    }

    /// Takes what became of the next encounter, by number: half points of the first above the second.
    pub fn tell(&mut self, lead: i64) {
        let known = self.len();
        let Some(quick) = &mut self.quick else { return };
        quick.leads[(quick.told / self.rounds) as usize] += lead;
        quick.told += 1;
        if quick.told == known {
            let outcome = |&lead: &i64| match lead.cmp(&0) {
                Ordering::Greater => Outcome::Win(Color::White),
                Ordering::Less => Outcome::Win(Color::Black),
                Ordering::Equal => Outcome::Draw,
            };
            let outcomes: Vec<_> = quick.leads[quick.tournament.games_told()..].iter().map(outcome).collect();
            quick.tournament.tell(&outcomes);
            self.pairings.extend(quick.tournament.games());
            quick.leads.resize(self.pairings.len(), 0);
        }
    }

    /// The ranking of a quick-tournament that is over.
    pub fn ranking(&self) -> Option<Ranking> {
        let quick = self.quick.as_ref().filter(|quick| quick.tournament.is_over())?;
        Some(quick.tournament.clone().into_ranking())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pairing_of_a_round_has_the_same_opening() {
        let pairings = |tournament| {
            let schedule = Schedule::new(tournament, 4, 2, 0);
            (0..schedule.len())
                .map(|number| schedule.encounter(number))
                .map(|Encounter { round, first, second, .. }| (round, first, second))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            pairings(Tournament::Gauntlet { seeds: 1 }),
            [(0, 0, 1), (0, 0, 2), (0, 0, 3), (1, 0, 1), (1, 0, 2), (1, 0, 3)]
        );
        assert_eq!(
            pairings(Tournament::Gauntlet { seeds: 2 })[..5],
            [(0, 0, 2), (0, 0, 3), (0, 1, 2), (0, 1, 3), (1, 0, 2)],
            "seeds do not meet"
        );
        let all = pairings(Tournament::RoundRobin);
        assert_eq!(all.len(), 12);
        assert_eq!(all[..6], [(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 1, 2), (0, 1, 3), (0, 2, 3)]);
        assert!(Schedule::new(Tournament::RoundRobin, 1, 5, 0).is_empty());
    }

    #[test]
    fn a_quick_tournament_goes_on_as_it_is_told() {
        // Contestants with greater numbers win one of two rounds and draw the other.
        let mut schedule = Schedule::new(Tournament::Quick, 9, 2, 5);
        let mut number = 0;
        while number < schedule.len() {
            assert!(!schedule.is_complete() && schedule.ranking().is_none());
            let Encounter { round, first, second, .. } = schedule.encounter(number);
            assert_eq!(round, number % 2);
            let lead = if first > second { 2 } else { -2 };
            schedule.tell(if round == 0 { lead } else { 0 });
            number += 1;
            assert!(schedule.expected_len() >= number);
        }
        assert!(schedule.is_complete());
        let ranking = schedule.ranking().expect("all is known");
        assert!(ranking.best_first.into_iter().eq((0..9).rev()));
        assert_eq!(schedule.expected_len(), number);
        assert_eq!(ranking.games as u64 * 2, number);
    }
}
