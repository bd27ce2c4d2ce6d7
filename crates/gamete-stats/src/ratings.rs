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
    /// larger by how much results vary, pair by pair where games were played in pairs, so that with two players they are
    /// those of [`crate::Results::elo`]. The prior adds to both.
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
    /// The variance of the results by that of coins that win as often.
    dispersion: f64,
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
                    dispersion: dispersion(table.results(first, second)),
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

/// How much results vary, beside coins that win as often; 1 if there is nothing to compare.
fn dispersion(results: Results) -> f64 {
    let (score, games_each) = (results.score(), results.games_each() as f64);
    let as_coins = score * (1.0 - score) / games_each;
    if as_coins > 0.0 { (results.variance() / as_coins).max(1e-3) } else { 1.0 }
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
        let (mut as_coins, mut really) = (0.0, 0.0);
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
            as_coins += variance;
            really += variance * played.dispersion;
        }
        let Some(inverse) = matrix::inverse(&information) else { break };
        let dispersion = if as_coins > 0.0 { really / as_coins } else { 1.0 };
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
    use crate::Pentanomial;

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

    #[test]
    fn nothing_but_draws_still_leaves_a_margin() {
        let mut table = CrossTable::new(["a", "b"]);
        table.record(0, 1, Trinomial::new(0, 100, 0));
        let difference = rate(&table).difference(0, 1);
        assert!(difference.value.abs() < 1e-9 && difference.margin > 1.0, "{difference}");
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
