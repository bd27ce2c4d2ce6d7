//! The population dynamics of Kendall and Whitwell, "An Evolutionary Approach for the Tuning of a Chess Evaluation
//! Function Using Population Dynamics" (2001).
//!
//! A generation is a [`Round`] of matches along the population: each slot but the last meets a random one behind it. The
//! winner's clone takes the loser's slot, and both change by a share of the population's deviation, the more the
//! clearer the match was. So good players move towards the end, and the vector is reversed after each round.

use std::collections::BTreeMap;

use crate::{Genome, Rng};
use gamete_stats::{PairScore, Spread};

/// How much players change after a match: the factors R of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mutation {
    /// The winner of both games.
    pub win_winner: f64,
    /// Its clone in the loser's slot.
    pub win_loser: f64,
    /// The winner of one game, the other being drawn.
    pub edge_winner: f64,
    /// Its clone in the loser's slot.
    pub edge_loser: f64,
    /// Either player of a match without a winner.
    pub draw: f64,
}

impl Default for Mutation {
    fn default() -> Self {
        Self { win_winner: 0.0, win_loser: 2.0, edge_winner: 0.2, edge_loser: 1.0, draw: 0.5 }
    }
}

impl Mutation {
    /// All factors times a number.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Self {
        Self {
            win_winner: self.win_winner * scale,
            win_loser: self.win_loser * scale,
            edge_winner: self.edge_winner * scale,
            edge_loser: self.edge_loser * scale,
            draw: self.draw * scale,
        }
    }
}

/// A match that can be played now.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Which match of the round, from 0; also the first player's slot.
    pub number: usize,
    /// The slot of the second player.
    pub opponent: usize,
    /// The players.
    pub players: [Genome; 2],
}

/// The matches of one generation.
///
/// Opponents are drawn ahead, so a match can be asked for as soon as no earlier match that is still open shares a player
/// with it. Whatever order results come in, they count in the order of the matches, and the outcome is that of playing
/// one after another.
#[derive(Debug)]
pub struct Round<'a> {
    population: &'a mut [Genome],
    rng: &'a mut Rng,
    mutation: Mutation,
    opponents: Vec<usize>,
    asked: Vec<bool>,
    /// Results that wait for those before them.
    told: BTreeMap<usize, PairScore>,
    /// How many matches have counted.
    counted: usize,
    /// The smallest and largest value of each gene.
    bounds: &'a [[f64; 2]],
    /// The slot at the start of the round that each one's genes come from.
    parents: Vec<usize>,
}

impl<'a> Round<'a> {
    /// Draws the opponents of a generation.
    pub fn new(population: &'a mut [Genome], mutation: Mutation, rng: &'a mut Rng) -> Self {
        let last = population.len().saturating_sub(1);
        let opponents = (0..last).map(|slot| slot + 1 + rng.below((last - slot) as u64) as usize).collect();
        Self {
            parents: (0..population.len()).collect(),
            population,
            rng,
            mutation,
            opponents,
            asked: vec![false; last],
            told: BTreeMap::new(),
            counted: 0,
            bounds: &[],
        }
    }

    /// The same with genes that stay within bounds, the smallest and largest value of each.
    #[must_use]
    pub fn within(mut self, bounds: &'a [[f64; 2]]) -> Self {
        self.bounds = bounds;
        self
    }

    /// The next match that can be played, if there is one before more results are told.
    pub fn ask(&mut self) -> Option<Match> {
        let mut open = vec![false; self.population.len()];
        for number in self.counted..self.opponents.len() {
            let opponent = self.opponents[number];
            let free = !open[number] && !open[opponent];
            if free && !self.asked[number] {
                self.asked[number] = true;
                let players = [number, opponent].map(|slot| self.population[slot].clone());
                return Some(Match { number, opponent, players });
            }
            open[number] = true;
            open[opponent] = true;
        }
        None
    }

    /// Tells what the first player of a match made of it.
    pub fn tell(&mut self, number: usize, score: PairScore) {
        self.told.insert(number, score);
        while let Some(score) = self.told.remove(&self.counted) {
            self.count(self.counted, score);
            self.counted += 1;
        }
    }

    /// Whether all matches have counted.
    pub fn is_over(&self) -> bool {
        self.counted == self.opponents.len()
    }

    /// The slot at the start of the round that the genes of each slot come from.
    pub fn into_parents(self) -> Vec<usize> {
        self.parents
    }

    fn count(&mut self, number: usize, PairScore(score): PairScore) {
        // The deviation is that before the loser is replaced.
        let spreads = Spread::of_columns(self.population);
        let (first, second) = (number, self.opponents[number]);
        let (winner, loser) = if score >= 2 { (first, second) } else { (second, first) };
        let (keep, change) = match score {
            0 | 4.. => (self.mutation.win_winner, self.mutation.win_loser),
            1 | 3 => (self.mutation.edge_winner, self.mutation.edge_loser),
            2 => (self.mutation.draw, self.mutation.draw),
        };
        if score != 2 {
            self.population[loser] = self.population[winner].clone();
            self.parents[loser] = self.parents[winner];
        }
        for (slot, factor) in [(winner, keep), (loser, change)] {
            for (gene, spread) in self.population[slot].iter_mut().zip(&spreads) {
                *gene += (self.rng.uniform() - 0.5) * factor * spread.sd;
            }
            for (gene, &[min, max]) in self.population[slot].iter_mut().zip(self.bounds) {
                *gene = gene.clamp(min, max);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a round with matches answered in the order that `choose` likes.
    fn play(
        population: &mut [Genome],
        mutation: Mutation,
        rng: &mut Rng,
        score: impl Fn(&Genome, &Genome) -> u8,
        mut choose: impl FnMut(usize) -> usize,
    ) {
        let mut round = Round::new(population, mutation, rng);
        let mut open: Vec<Match> = Vec::new();
        loop {
            while let Some(next) = round.ask() {
                open.push(next);
            }
            if open.is_empty() {
                break;
            }
            let next = open.remove(choose(open.len()));
            let [first, second] = &next.players;
            round.tell(next.number, PairScore(score(first, second)));
        }
        assert!(round.is_over());
    }

    fn by_value(first: &Genome, second: &Genome) -> u8 {
        match first[0].total_cmp(&second[0]) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Greater => 4,
        }
    }

    #[test]
    fn matches_played_side_by_side_count_as_one_after_another() {
        let score = |first: &Genome, second: &Genome| (first[0] * 7.0 + second[1] * 3.0) as u8 % 5;
        for seed in 0..50 {
            let populations = [0, 1, 2].map(|order| {
                let mut rng = Rng::new(seed);
                let mut population: Vec<Genome> =
                    (0..20).map(|_| (0..3).map(|_| rng.uniform() * 12.0).collect()).collect();
                let mut shuffle = Rng::new(seed + 1000);
                for _ in 0..4 {
                    let choose = |open: usize| match order {
                        0 => 0,
                        1 => open - 1,
                        _ => shuffle.below(open as u64) as usize,
                    };
                    play(&mut population, Mutation::default(), &mut rng, score, choose);
                    population.reverse();
                }
                population
            });
            assert_eq!(populations[0], populations[1]);
            assert_eq!(populations[0], populations[2]);
        }
    }

    #[test]
    fn who_loses_becomes_a_child_of_the_winner() {
        let still = Mutation::default().scaled(0.0);
        let mut population: Vec<Genome> = (0..9).map(|slot| vec![f64::from(slot * 5 % 9)]).collect();
        let before = population.clone();
        let mut rng = Rng::new(4);
        let mut round = Round::new(&mut population, still, &mut rng);
        while let Some(next) = round.ask() {
            let [first, second] = &next.players;
            round.tell(next.number, PairScore(by_value(first, second)));
        }
        let parents = round.into_parents();
        let from: Vec<Genome> = parents.iter().map(|&parent| before[parent].clone()).collect();
        assert_eq!(from, population);
        assert_ne!(population, before);
    }

    #[test]
    fn several_matches_can_be_asked_for_at_once() {
        let (mut rng, mut most) = (Rng::new(3), 0);
        let mut population: Vec<Genome> = (0..50).map(|slot| vec![f64::from(slot)]).collect();
        play(&mut population, Mutation::default(), &mut rng, by_value, |open| {
            most = most.max(open);
            0
        });
        assert!(most > 8, "{most}");
    }

    #[test]
    fn who_always_wins_is_last_after_every_generation_and_takes_over_in_time() {
        let still = Mutation::default().scaled(0.0);
        let (runs, mut total) = (20_000, 0);
        for seed in 0..runs {
            let mut rng = Rng::new(seed);
            let best = rng.below(9) as usize;
            let mut population: Vec<Genome> = (0..9).map(|slot| vec![f64::from(slot == best)]).collect();
            let mut generations = 0;
            while population.iter().any(|genome| genome[0] == 0.0) {
                play(&mut population, still, &mut rng, by_value, |_| 0);
                assert_eq!(population[8], [1.0]);
                population.reverse();
                generations += 1;
            }
            total += generations;
        }
        let mean = f64::from(total) / runs as f64;
        assert!((mean - 2.39).abs() < 0.02, "{mean}");
    }

    #[test]
    fn changes_are_a_share_of_the_deviation() {
        let names = [("win", 4), ("edge", 3), ("draw", 2), ("edge", 1), ("win", 0)];
        for (name, score) in names {
            let mutation = Mutation::default();
            let mut population = vec![vec![500.0], vec![200.0]];
            let (sd, mut rng) = (Spread::of_columns(&population)[0].sd, Rng::new(5));
            play(&mut population, mutation, &mut rng, |_, _| score, |_| 0);
            let [first, second] = [0, 1].map(|slot: usize| population[slot][0]);
            let near = |value: f64, from: f64, factor: f64| (value - from).abs() <= 0.5 * factor * sd;
            let (winner, winner_was, clone) =
                if score >= 2 { (first, 500.0, second) } else { (second, 200.0, first) };
            let (keep, change) = match name {
                "win" => (0.0, 2.0),
                "edge" => (0.2, 1.0),
                _ => (0.5, 0.5),
            };
            assert!(near(winner, winner_was, keep), "{name}: {population:?}");
            let clone_was = if score == 2 { 200.0 } else { winner_was };
            assert!(near(clone, clone_was, change), "{name}: {population:?}");
            assert_eq!(winner == winner_was, name == "win");
            assert_ne!(clone, clone_was);
        }
    }
}
