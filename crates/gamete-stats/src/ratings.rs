use std::f64::consts::LN_10;

use crate::matrix::{self, Matrix};
use crate::normal::{self, Z95};
use crate::{CrossTable, Estimate, Results, Trinomial, score_of_elo};

/// How ratings are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingOptions {
    /// What the ratings average to, unless there is an anchor.
    pub average: f64,
    /// The player whose rating is known.
    pub anchor: Option<Anchor>,
    /// Drawn games every player is credited with, spread over its opponents as its games are. They keep the ratings
    /// of those who won or lost everything finite, and must be more than none.
    pub prior_draws: f64,
}

impl Default for RatingOptions {
    fn default() -> Self {
        Self { average: 0.0, anchor: None, prior_draws: 1.0 }
    }
}

/// A player whose rating is known; those of all others are told by their distance from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// Which player of the cross table.
    pub player: usize,
    /// Its rating.
    pub elo: f64,
}

/// Why there are no ratings.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RatingsError {
    /// There are groups of players that never met, so that nothing compares them. See [`CrossTable::groups`].
    #[error("no games connect {first} with {second}")]
    Disconnected {
        /// A player of the first group.
        first: String,
        /// A player of another.
        second: String,
    },
    /// There is nobody to rate.
    #[error("there are no players")]
    Empty,
    /// The options make no ratings.
    #[error("the average and the anchor must be finite, and the drawn games of the prior more than none")]
    Options,
}

/// A player's strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Which player of the cross table.
    pub player: usize,
    /// The rating with its 95 % margin, that is the margin of its distance from the average, or from the anchor.
    pub elo: Estimate,
    /// All games of the player.
    pub games: Trinomial,
    /// How probable it is that it is stronger than the next in the list; `None` for the last.
    pub los: Option<f64>,
}

/// The ratings of the players of a cross table.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    list: Vec<Rating>,
    /// By player.
    elo: Vec<f64>,
    covariance: Matrix,
}

impl Ratings {
    /// Bradley–Terry ratings of greatest likelihood, a draw being half a win and half a loss.
    ///
    /// Every player's expected points are then its points. Margins come from the Fisher information, made smaller or
    /// larger by how much results vary around what is expected, pair by pair where games were played in pairs, so that
    /// with two players and many games they are those of [`crate::Results::elo`]. The prior adds to both. Few results
    /// say little of how results vary, and are taken to vary more as coins do.
    pub fn new(table: &CrossTable, options: &RatingOptions) -> Result<Self, RatingsError> {
        let level = options.anchor.map_or(options.average, |anchor| anchor.elo);
        if !level.is_finite() || !options.prior_draws.is_finite() || options.prior_draws <= 0.0 {
            return Err(RatingsError::Options);
        }
        match table.groups().as_slice() {
            [] => return Err(RatingsError::Empty),
            [_] => {}
            [first, second, ..] => {
                let name = |group: &[usize]| table.names()[group[0]].clone();
                return Err(RatingsError::Disconnected { first: name(first), second: name(second) });
            }
        }
        let matches = Match::all(table, options.prior_draws);
        let (elo, covariance) = fit(&matches, table.names().len());
        let zero = options.anchor.map_or(0.0, |anchor| elo[anchor.player]);
        let elo: Vec<_> = elo.iter().map(|elo| elo - zero + level).collect();
        let covariance =
            options.anchor.map_or(covariance.clone(), |anchor| relative(&covariance, anchor.player));
        let mut ratings = Self { list: Vec::new(), elo, covariance };
        ratings.list = ratings.ranked(table);
        Ok(ratings)
    }

    /// The ratings, best first.
    pub fn list(&self) -> &[Rating] {
        &self.list
    }

    /// How much stronger one player is than another, with the 95 % margin of the difference.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn difference(&self, player: usize, opponent: usize) -> Estimate {
        let covariance = |one: usize, two: usize| self.covariance[one][two];
        let variance =
            covariance(player, player) + covariance(opponent, opponent) - 2.0 * covariance(player, opponent);
        Estimate { value: self.elo[player] - self.elo[opponent], margin: Z95 * variance.max(0.0).sqrt() }
    }

    /// How probable it is that one player is stronger than another.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn los(&self, player: usize, opponent: usize) -> f64 {
        let difference = self.difference(player, opponent);
        if difference.value == 0.0 { 0.5 } else { normal::cdf(difference.value / (difference.margin / Z95)) }
    }

    fn ranked(&self, table: &CrossTable) -> Vec<Rating> {
        let mut order: Vec<_> = (0..self.elo.len()).collect();
        order.sort_by(|&one, &two| self.elo[two].total_cmp(&self.elo[one]));
        let rating = |rank: usize| {
            let player = order[rank];
            let margin = Z95 * self.covariance[player][player].max(0.0).sqrt();
            Rating {
                player,
                elo: Estimate { value: self.elo[player], margin },
                games: table.total(player),
                los: order.get(rank + 1).map(|&next| self.los(player, next)),
            }
        };
        (0..order.len()).map(rating).collect()
    }
}

/// All games of two players, with the draws of the prior.
struct Match {
    players: (usize, usize),
    /// Points of the first, and games.
    points: f64,
    games: f64,
    /// As they were played, without the prior.
    results: Results,
}

impl Match {
    fn all(table: &CrossTable, prior_draws: f64) -> Vec<Self> {
        let players = table.names().len();
        let totals: Vec<_> = (0..players).map(|player| table.total(player).games() as f64).collect();
        let met = (0..players).flat_map(|second| (0..second).map(move |first| (first, second)));
        met.filter(|&(first, second)| table.games(first, second).games() > 0)
            .map(|(first, second)| {
                let games = table.games(first, second);
                let played = games.games() as f64;
                let prior = prior_draws * (played / totals[first] + played / totals[second]);
                Self {
                    players: (first, second),
                    points: games.points() + prior / 2.0,
                    games: played + prior,
                    results: table.results(first, second),
                }
            })
            .collect()
    }

    fn expected(&self, elo: &[f64]) -> f64 {
        score_of_elo(elo[self.players.0] - elo[self.players.1])
    }
}

/// The covariance of distances from a player, given that of ratings.
fn relative(covariance: &Matrix, anchor: usize) -> Matrix {
    let of = |one: usize, two: usize| {
        covariance[one][two] - covariance[one][anchor] - covariance[anchor][two] + covariance[anchor][anchor]
    };
    let players = 0..covariance.len();
    players.clone().map(|one| players.clone().map(|two| of(one, two)).collect()).collect()
}

/// Squares of results that vary as coins do, added to those of the results found: (ln 20)²/(2 · 1.96)², with which results
/// that are all alike have the margins of [`Results::elo_interval`], that is a score uncertain by ln 20/2N.
const COINS: f64 = 0.584_049_723_926_973_5;

/// The variance of results around what is expected, beside that of coins that win as often: what the Fisher information
/// does not know of draws and of pairs.
fn dispersion(matches: &[Match], elo: &[f64], players: usize) -> f64 {
    let (mut found, mut as_coins, mut count) = (0.0, 0.0, 0.0);
    for played in matches {
        let (results, expected) = (played.results, played.expected(elo));
        let number = results.count() as f64;
        found += number * (results.variance() + (results.score() - expected).powi(2));
        as_coins += number * expected * (1.0 - expected) / results.games_each() as f64;
        count += number;
    }
    // Ratings follow the results, which lie the closer around them the more ratings there are.
    let free = (1.0 - (players as f64 - 1.0) / count).max(0.0);
    (found + COINS) / (free * as_coins + COINS)
}

/// Newton's method from equal strength. Returns the ratings around 0 and their covariance.
fn fit(matches: &[Match], players: usize) -> (Vec<f64>, Matrix) {
    const PER_ELO: f64 = LN_10 / 400.0;
    let mut elo = vec![0.0; players];
    let mut covariance = vec![vec![0.0; players]; players];
    for _ in 0..100 {
        let mut gradient = vec![0.0; players];
        // The information knows nothing of the average; the ones added to it pin the average to 0.
        let level = 1.0 / players as f64;
        let mut information = vec![vec![level; players]; players];
        for played in matches {
            let (first, second) = played.players;
            let expected = played.expected(&elo);
            let surplus = PER_ELO * (played.points - played.games * expected);
            gradient[first] += surplus;
            gradient[second] -= surplus;
            let variance = played.games * expected * (1.0 - expected);
            let weight = PER_ELO.powi(2) * variance;
            information[first][first] += weight;
            information[second][second] += weight;
            information[first][second] -= weight;
            information[second][first] -= weight;
        }
        let Some(inverse) = matrix::inverse(&information) else { break };
        let dispersion = if matches.is_empty() { 1.0 } else { dispersion(matches, &elo, players) };
        for (row, values) in inverse.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                covariance[row][column] = dispersion * (value - level);
            }
        }
        let step = matrix::times(&inverse, &gradient);
        let largest = step.iter().fold(0.0_f64, |largest, step| largest.max(step.abs()));
        // Far from the solution a full step overshoots.
        let scale = (400.0 / largest).min(1.0);
        for (elo, step) in elo.iter_mut().zip(&step) {
            *elo += scale * step;
        }
        if largest < 1e-9 {
            break;
        }
    }
    (elo, covariance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GamePoints, PairResult, Pentanomial};

    fn rate(table: &CrossTable) -> Ratings {
        Ratings::new(table, &RatingOptions::default()).expect("connected players")
    }

    #[test]
    fn two_players_are_as_far_apart_as_their_elo() {
        let games = Trinomial::new(1300, 2500, 1000);
        let mut table = CrossTable::new(["a", "b"]);
        table.record(0, 1, games);
        let ratings =
            Ratings::new(&table, &RatingOptions { average: 2800.0, anchor: None, prior_draws: 1e-6 })
                .expect("ratings");
        let (difference, elo) = (ratings.difference(0, 1), Results::from(games).elo());
        assert!((difference.value - elo.value).abs() < 1e-3, "{difference} {elo}");
        assert!((difference.margin - elo.margin).abs() < 0.02, "{difference} {elo}");
        assert!((ratings.los(0, 1) - Results::from(games).los()).abs() < 1e-4);
        let average = ratings.list().iter().map(|rating| rating.elo.value).sum::<f64>() / 2.0;
        assert!((average - 2800.0).abs() < 1e-9);
    }

    #[test]
    fn margins_are_those_of_pairs() {
        let pairs = Pentanomial { ll: 43, ld: 61, wl: 119, dd: 25, wd: 155, ww: 37 };
        for results in [Results::from(pairs), Results::from(pairs.games())] {
            let mut table = CrossTable::new(["a", "b"]);
            table.record(0, 1, results);
            let options = RatingOptions { prior_draws: 1e-6, ..RatingOptions::default() };
            let difference = Ratings::new(&table, &options).expect("ratings").difference(0, 1);
            let elo = results.elo();
            assert!((difference.value - elo.value).abs() < 1e-3, "{difference} {elo}");
            assert!((difference.margin - elo.margin).abs() < 0.1, "{difference} {elo}");
        }
        let margin = |results: Results| results.elo().margin;
        assert!(margin(pairs.into()) + 1.0 < margin(pairs.games().into()), "the two are not the same");
    }

    #[test]
    fn expected_points_are_points() {
        let mut table = CrossTable::new(["a", "b", "c", "d"]);
        table.record(0, 1, Trinomial::new(10, 5, 3));
        table.record(1, 2, Trinomial::new(7, 2, 9));
        table.record(2, 3, Trinomial::new(12, 4, 1));
        table.record(0, 3, Trinomial::new(6, 0, 1));
        let ratings = rate(&table);
        for played in [Match::all(&table, 1.0)] {
            for player in 0..4 {
                let surplus: f64 = played
                    .iter()
                    .map(|played| {
                        let surplus = played.points - played.games * played.expected(&ratings.elo);
                        let (first, second) = played.players;
                        if first == player {
                            surplus
                        } else if second == player {
                            -surplus
                        } else {
                            0.0
                        }
                    })
                    .sum();
                assert!(surplus.abs() < 1e-9, "{player}: {surplus}");
            }
        }
        let elo: Vec<_> = ratings.list().iter().map(|rating| rating.elo.value).collect();
        assert!(elo.is_sorted_by(|one, two| one >= two) && elo.iter().sum::<f64>().abs() < 1e-6);
        assert_eq!(ratings.list().last().and_then(|rating| rating.los), None);
    }

    #[test]
    fn an_anchor_has_the_rating_that_is_known() {
        let mut table = CrossTable::new(["a", "b", "c"]);
        table.record(0, 1, Trinomial::new(10, 5, 3));
        table.record(1, 2, Trinomial::new(7, 2, 9));
        let free = rate(&table);
        let anchor = Some(Anchor { player: 1, elo: 2500.0 });
        let options = RatingOptions { anchor, ..RatingOptions::default() };
        let anchored = Ratings::new(&table, &options).expect("ratings");
        for rating in anchored.list() {
            let difference = free.difference(rating.player, 1);
            assert!((rating.elo.value - difference.value - 2500.0).abs() < 1e-9, "{rating:?}");
            assert!((rating.elo.margin - difference.margin).abs() < 1e-6, "{rating:?} {difference:?}");
        }
        let (one, other) = (anchored.difference(0, 2), free.difference(0, 2));
        assert!((one.value - other.value).abs() < 1e-9 && (one.margin - other.margin).abs() < 1e-6);
        assert!((anchored.los(0, 2) - free.los(0, 2)).abs() < 1e-9);
    }

    #[test]
    fn who_wins_or_loses_everything_stays_finite() {
        let mut table = CrossTable::new(["all", "some", "none"]);
        table.record(0, 1, Trinomial::new(1000, 0, 0));
        table.record(1, 2, Trinomial::new(50, 0, 0));
        let ratings = rate(&table);
        let order: Vec<_> = ratings.list().iter().map(|rating| rating.player).collect();
        assert_eq!(order, [0, 1, 2]);
        for rating in ratings.list() {
            assert!(
                rating.elo.value.abs() < 3000.0 && rating.elo.margin.is_finite() && rating.elo.margin > 50.0,
                "{rating:?}"
            );
        }
    }

    /// By Zermelo's iteration, second derivatives of the likelihood by differences, and residuals one by one, in Python.
    #[test]
    fn ratings_and_margins_are_those_of_another_program() {
        let five = |[ll, ld, wl, wd, ww]: [u64; 5]| Results::from(Pentanomial { ll, ld, wl, dd: 0, wd, ww });
        let three = |wins, draws, losses| Results::from(Trinomial::new(wins, draws, losses));
        type Case = (Vec<(usize, usize, Results)>, Vec<(f64, f64)>);
        let cases: [Case; 6] = [
            // Eight games in pairs that are all alike.
            (vec![(0, 1, five([0, 0, 4, 0, 0]))], vec![(0.0, 84.023), (0.0, 84.023)]),
            (vec![(0, 1, five([0, 0, 100, 0, 0]))], vec![(0.0, 5.086), (0.0, 5.086)]),
            (vec![(0, 1, five([1, 3, 9, 5, 2]))], vec![(16.595, 41.131), (-16.595, 41.131)]),
            (vec![(0, 1, three(8, 0, 0))], vec![(190.849, 132.716), (-190.849, 132.716)]),
            (
                vec![
                    (0, 1, three(10, 5, 3)),
                    (1, 2, three(7, 2, 9)),
                    (2, 3, three(12, 4, 1)),
                    (0, 3, three(6, 0, 1)),
                ],
                vec![(128.847, 110.641), (4.656, 85.178), (48.896, 88.095), (-182.399, 121.619)],
            ),
            (
                vec![
                    (0, 1, five([0, 1, 2, 1, 0])),
                    (0, 2, five([0, 0, 1, 2, 1])),
                    (1, 2, five([0, 0, 4, 0, 0])),
                ],
                vec![(52.641, 79.220), (0.0, 77.900), (-52.641, 79.220)],
            ),
        ];
        for (played, theirs) in cases {
            let mut table = CrossTable::new((0..theirs.len()).map(|player| player.to_string()));
            played.into_iter().for_each(|(one, other, results)| table.record(one, other, results));
            for Rating { player, elo, .. } in rate(&table).list {
                let (value, margin) = theirs[player];
                assert!(
                    (elo.value - value).abs() < 2e-3 && (elo.margin - margin).abs() < 2e-3,
                    "{player}: {elo}"
                );
            }
        }
    }

    /// How often the difference of two players lies within its margin, where all meet in so many pairs.
    fn coverage(pairs: u64) -> f64 {
        let strength = [0.0, 40.0, -40.0, 80.0];
        let mut state = 1_u64;
        let mut uniform = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ mixed >> 31) as f64 / u64::MAX as f64
        };
        // Two of five games are drawn, and an opening favours a side by up to a tenth of a point.
        let mut game = |score: f64| match uniform() {
            chance if chance < score - 0.2 => GamePoints::Win,
            chance if chance < score + 0.2 => GamePoints::Draw,
            _ => GamePoints::Loss,
        };
        let (mut inside, mut all) = (0, 0);
        for round in 0..300 {
            let mut table = CrossTable::new(["a", "b", "c", "d"]);
            for second in 0..4 {
                for first in 0..second {
                    let pair = |number: u64| {
                        let bias = f64::from((round * 7 + number as i32 * 13) % 11 - 5) / 50.0;
                        let score = score_of_elo(strength[first] - strength[second]);
                        PairResult([game(score + bias), game(score - bias)])
                    };
                    table.record(first, second, (0..pairs).map(pair).sum::<Pentanomial>());
                }
            }
            let ratings = rate(&table);
            for second in 0..4 {
                for first in 0..second {
                    let found = ratings.difference(first, second);
                    let error = found.value - (strength[first] - strength[second]);
                    (inside, all) = (inside + u32::from(error.abs() <= found.margin), all + 1);
                }
            }
        }
        f64::from(inside) / f64::from(all)
    }

    #[test]
    fn true_differences_lie_within_margins_as_often_as_they_should() {
        let found = [1, 2, 4, 20, 100].map(coverage);
        // With few games margins are rather too wide, as the prior takes part in them.
        assert!(found.iter().all(|&share| share > 0.94) && found[4] < 0.96, "{found:?}");
    }

    #[test]
    fn who_never_met_is_not_compared() {
        let mut table = CrossTable::new(["a", "b", "c", "d", "e"]);
        table.record(0, 2, Trinomial::new(1, 1, 1));
        table.record(3, 1, Trinomial::new(1, 0, 0));
        assert_eq!(table.groups(), [vec![0, 2], vec![1, 3], vec![4]]);
        let error = Ratings::new(&table, &RatingOptions::default()).expect_err("disconnected players");
        assert_eq!(error.to_string(), "no games connect a with b");
        let nobody = CrossTable::new(Vec::<String>::new());
        assert_eq!(Ratings::new(&nobody, &RatingOptions::default()), Err(RatingsError::Empty));
        let one = rate(&CrossTable::new(["alone"]));
        assert_eq!(one.list()[0].elo.value, 0.0);
    }
}
