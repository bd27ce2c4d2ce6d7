use serde::{Deserialize, Serialize};

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tournament {
    /// Everybody meets everybody else.
    #[default]
    RoundRobin,
    /// The first meets all others.
    Gauntlet,
}

/// The encounters of a tournament, in the order in which they count.
///
/// In each round every two contestants who meet do so once, from one opening, which is the same for all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
}

/// The games of two contestants from one opening.
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
    /// The encounters of so many contestants.
    pub fn new(tournament: Tournament, contestants: usize, rounds: u64) -> Self {
        let firsts = match tournament {
            Tournament::RoundRobin => contestants,
            Tournament::Gauntlet => contestants.min(1),
        };
        let pairings = (0..firsts)
            .flat_map(|first| (first + 1..contestants).map(move |second| (first, second)))
            .collect();
        Self { pairings, rounds }
    }

    /// How many encounters there are.
    pub fn len(&self) -> u64 {
        self.pairings.len() as u64 * self.rounds
    }

    /// Whether nobody meets anybody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The encounter with this number, from 0.
    pub fn encounter(&self, number: u64) -> Encounter {
        let count = self.pairings.len() as u64;
        let (first, second) = self.pairings[(number % count) as usize];
        Encounter { number, round: number / count, first, second }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pairing_of_a_round_has_the_same_opening() {
        let pairings = |tournament| {
            let schedule = Schedule::new(tournament, 4, 2);
            (0..schedule.len())
                .map(|number| schedule.encounter(number))
                .map(|Encounter { round, first, second, .. }| (round, first, second))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            pairings(Tournament::Gauntlet),
            [(0, 0, 1), (0, 0, 2), (0, 0, 3), (1, 0, 1), (1, 0, 2), (1, 0, 3)]
        );
        let all = pairings(Tournament::RoundRobin);
        assert_eq!(all.len(), 12);
        assert_eq!(all[..6], [(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 1, 2), (0, 1, 3), (0, 2, 3)]);
        assert!(Schedule::new(Tournament::RoundRobin, 1, 5).is_empty());
    }
}
