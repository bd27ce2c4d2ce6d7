use serde::{Deserialize, Serialize};

/// What the players of a generation made of each other, the best first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossTable {
    /// Games of every two.
    pub games: u32,
    /// By the place of a player, the half points that it made against each of the others, and 0 against itself.
    pub half_points: Vec<Vec<u32>>,
}

impl CrossTable {
    /// More than these are not kept: nobody would read the table, and every generation has one.
    pub const MAX_PLAYERS: usize = 32;

    /// A table without games.
    pub fn new(players: usize, games: u32) -> Self {
        Self { games, half_points: vec![vec![0; players]; players] }
    }

    /// Adds what a player made against another.
    pub fn add(&mut self, player: usize, against: usize, half_points: u32) {
        self.half_points[player][against] += half_points;
    }

    /// The same with players in another order, of which each place tells the old one.
    #[must_use]
    pub fn in_order(&self, order: &[usize]) -> Self {
        let row = |&player: &usize| order.iter().map(|&other| self.half_points[player][other]).collect();
        Self { games: self.games, half_points: order.iter().map(row).collect() }
    }

    /// The points of a player against all others.
    pub fn points(&self, player: usize) -> f64 {
        f64::from(self.half_points[player].iter().sum::<u32>()) / 2.0
    }

    /// The points of one who wins every game.
    pub fn most_points(&self) -> f64 {
        f64::from(self.games) * self.half_points.len().saturating_sub(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_keep_their_points_in_another_order() {
        let mut table = CrossTable::new(3, 2);
        for (player, against, half_points) in [(0, 1, 1), (1, 0, 3), (1, 2, 4), (0, 2, 2), (2, 0, 2)] {
            table.add(player, against, half_points);
        }
        let ranked = table.in_order(&[1, 0, 2]);
        assert_eq!(ranked.half_points, [[0, 3, 4], [1, 0, 2], [0, 2, 0]]);
        assert_eq!([0, 1, 2].map(|player| ranked.points(player)), [3.5, 1.5, 1.0]);
        assert_eq!(ranked.most_points(), 4.0);
    }
}
