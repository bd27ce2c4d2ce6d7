use crate::{Pentanomial, Results, Trinomial};

/// Who played whom, and how it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossTable {
    names: Vec<String>,
    /// By row the games of a player against each other one, as the player counts them.
    games: Vec<Vec<Trinomial>>,
    /// Those of the games that were played in pairs.
    pairs: Vec<Vec<Pentanomial>>,
}

impl CrossTable {
    /// An empty table of these players.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names: Vec<_> = names.into_iter().map(Into::into).collect();
        let games = vec![vec![Trinomial::default(); names.len()]; names.len()];
        let pairs = vec![vec![Pentanomial::default(); names.len()]; names.len()];
        Self { names, games, pairs }
    }

    /// The players.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds games of one player against another, as the first counts them. Games against oneself say nothing and are
    /// left out.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn record(&mut self, player: usize, opponent: usize, results: impl Into<Results>) {
        let results = results.into();
        for (one, two, results) in [(player, opponent, results), (opponent, player, results.flipped())] {
            if one == two {
                continue;
            }
            self.games[one][two] += results.games();
            if let Results::Pairs(pairs) = results {
                self.pairs[one][two] += pairs;
            }
        }
    }

    /// The games of one player against another, as the first counts them.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn games(&self, player: usize, opponent: usize) -> Trinomial {
        self.games[player][opponent]
    }

    /// The same as they are to be judged: pair by pair, if all were played in pairs.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn results(&self, player: usize, opponent: usize) -> Results {
        let (games, pairs) = (self.games[player][opponent], self.pairs[player][opponent]);
        if pairs.games() == games { pairs.into() } else { games.into() }
    }

    /// All games of a player.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn total(&self, player: usize) -> Trinomial {
        self.games[player].iter().copied().sum()
    }

    /// The players in groups that games connect, each in order.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut group_of: Vec<_> = (0..self.names.len()).collect();
        for player in 0..self.names.len() {
            for opponent in 0..player {
                if self.games[player][opponent].games() > 0 {
                    let (from, to) = (group_of[player], group_of[opponent]);
                    group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
                }
            }
        }
        let mut groups = vec![Vec::new(); self.names.len()];
        for (player, &group) in group_of.iter().enumerate() {
            groups[group].push(player);
        }
        groups.retain(|group| !group.is_empty());
        groups.sort();
        groups
    }
}
