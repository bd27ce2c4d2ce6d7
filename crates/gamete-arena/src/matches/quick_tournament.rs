use std::ops::Range;

use gamete_game::{Color, Outcome};

use crate::Rng;

/// Ranks players as quicksort does: a pivot drawn at random plays Black against all others, those who beat it go above
/// it and those who lose below, and so on in both parts.
///
/// After a draw with the pivot a coin decides. All games of all parts that are open can be played at the same time; the
/// ranking depends on their outcomes alone, not on which was over first.
///
/// This is the quick-tournament of Belmonte, "Applying genetic algorithms to evolve chess piece relative values", 2013.
#[derive(Debug, Clone)]
pub struct QuickTournament {
    /// Best first, as far as is known; in each open part as they were drawn, so that its first is the pivot.
    order: Vec<usize>,
    /// Parts of at least two, from above.
    open: Vec<Range<usize>>,
    coin: Rng,
    games: usize,
    draws: usize,
}

/// What a quick-tournament comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The players, best first.
    pub best_first: Vec<usize>,
    /// Games that were played.
    pub games: usize,
    /// How many of them were drawn.
    pub draws: usize,
}

/// Plays a quick-tournament of so many players. `play` is asked for games, White and Black, that do not depend on each
/// other, and gives their outcomes in the same order.
///
/// ```
/// # use gamete_arena::{Rng, quick_tournament};
/// # use gamete_game::{Color, Outcome};
/// let strengths = [3, 1, 4, 2];
/// let stronger = |&(white, black): &(usize, usize)| match strengths[white] > strengths[black] {
///     true => Outcome::Win(Color::White),
///     false => Outcome::Win(Color::Black),
/// };
/// let ranking = quick_tournament(4, &mut Rng::new(1), |games| {
///     Ok::<_, std::io::Error>(games.iter().map(stronger).collect())
/// })?;
/// assert_eq!(ranking.best_first, [2, 0, 3, 1]);
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// # Errors
///
/// Those of `play`.
///
/// # Panics
///
/// When `play` gives more or fewer outcomes than it was asked for.
pub fn quick_tournament<E>(
    players: usize,
    rng: &mut Rng,
    mut play: impl FnMut(&[(usize, usize)]) -> Result<Vec<Outcome>, E>,
) -> Result<Ranking, E> {
    let mut tournament = QuickTournament::new(players, Rng::new(rng.next_u64()));
    while !tournament.is_over() {
        tournament.tell(&play(&tournament.games())?);
    }
    Ok(tournament.into_ranking())
}

/// How many games a quick-tournament of n players has on average: 2(n+1)H(n) − 4n.
pub fn expected_games(players: usize) -> f64 {
    let harmonic: f64 = (1..=players).map(|number| 1.0 / number as f64).sum();
    let players = players as f64;
    2.0 * (players + 1.0) * harmonic - 4.0 * players
}

impl QuickTournament {
    /// A tournament of so many players, who are numbered from 0.
    pub fn new(players: usize, mut rng: Rng) -> Self {
        let mut order: Vec<_> = (0..players).collect();
        // The parts keep this order, so the first of each is drawn from it with equal chances.
        rng.shuffle(&mut order);
        let open = open_parts(0..players).collect();
        Self { order, open, coin: rng, games: 0, draws: 0 }
    }

    /// The games that are to be played now, White and Black; none when all is known.
    pub fn games(&self) -> Vec<(usize, usize)> {
        let of_part = |part: &Range<usize>| {
            let pivot = self.order[part.start];
            self.order[part.start + 1..part.end].iter().map(move |&player| (player, pivot))
        };
        self.open.iter().flat_map(of_part).collect()
    }

    /// Takes the outcomes of these games, in their order.
    ///
    /// # Panics
    ///
    /// When there are more or fewer of them.
    pub fn tell(&mut self, outcomes: &[Outcome]) {
        let asked: usize = self.open.iter().map(|part| part.len() - 1).sum();
        assert_eq!(outcomes.len(), asked, "as many outcomes as games");
        let mut outcomes = outcomes.iter();
        for part in std::mem::take(&mut self.open) {
            let players = self.order[part.clone()].to_vec();
            let (mut above, mut below) = (Vec::new(), Vec::new());
            for (&player, outcome) in players[1..].iter().zip(&mut outcomes) {
                let is_above = match outcome {
                    Outcome::Win(color) => *color == Color::White,
                    Outcome::Draw => self.coin.below(2) == 1,
                };
                self.draws += usize::from(*outcome == Outcome::Draw);
                if is_above { &mut above } else { &mut below }.push(player);
            }
            self.games += players.len() - 1;
            let pivot = part.start + above.len();
            self.order[part.clone()].copy_from_slice(&[above, vec![players[0]], below].concat());
            self.open.extend(open_parts(part.start..pivot).chain(open_parts(pivot + 1..part.end)));
        }
    }

    /// Whether all is known.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Games told so far.
    pub fn games_told(&self) -> usize {
        self.games
    }

    /// How many games there will be in all, on average over the draws that are still to come.
    pub fn expected_games(&self) -> f64 {
        self.games as f64 + self.open.iter().map(|part| expected_games(part.len())).sum::<f64>()
    }

    /// The ranking, as far as it is known.
    pub fn into_ranking(self) -> Ranking {
        Ranking { best_first: self.order, games: self.games, draws: self.draws }
    }
}

/// A part, if there is anything to be found out in it.
fn open_parts(part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    Some(part).filter(|part| part.len() > 1).into_iter()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Greater numbers win; as great ones draw.
    fn compare(strengths: &[u32], games: &[(usize, usize)]) -> Vec<Outcome> {
        let outcome = |&(white, black): &(usize, usize)| match strengths[white].cmp(&strengths[black]) {
            std::cmp::Ordering::Greater => Outcome::Win(Color::White),
            std::cmp::Ordering::Less => Outcome::Win(Color::Black),
            std::cmp::Ordering::Equal => Outcome::Draw,
        };
        games.iter().map(outcome).collect()
    }

    fn rank(strengths: &[u32], seed: u64) -> Ranking {
        let play = |games: &[(usize, usize)]| Ok::<_, Infallible>(compare(strengths, games));
        let Ok(ranking) = quick_tournament(strengths.len(), &mut Rng::new(seed), play);
        ranking
    }

    #[test]
    fn the_ranking_is_exact_and_the_mean_number_of_games_is_that_of_quicksort() {
        for (players, published) in [(12, 32.7), (15, 46.2), (16, 50.9), (100, 647.9)] {
            let mut rng = Rng::new(players);
            let mut strengths: Vec<u32> = (0..players as u32).collect();
            rng.shuffle(&mut strengths);
            let mut games = 0;
            for seed in 0..10_000 {
                let ranking = rank(&strengths, seed);
                assert!(
                    ranking.best_first.iter().map(|&player| strengths[player]).eq((0..players as u32).rev())
                );
                assert_eq!(ranking.draws, 0);
                games += ranking.games;
            }
            let mean = games as f64 / 10_000.0;
            let expected = QuickTournament::new(players as usize, Rng::new(0)).expected_games();
            assert!((expected - published).abs() < 0.05, "{players} players: {expected}");
            assert!((mean / expected - 1.0).abs() < 0.01, "{players} players: {mean} games, not {expected}");
        }
    }

    #[test]
    fn the_pivot_has_black_against_all_others() {
        let tournament = QuickTournament::new(5, Rng::new(3));
        let games = tournament.games();
        let pivot = games[0].1;
        assert!(games.iter().all(|&(_, black)| black == pivot));
        let mut whites: Vec<_> = games.iter().map(|&(white, _)| white).chain([pivot]).collect();
        whites.sort_unstable();
        assert_eq!(whites, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn both_parts_are_asked_for_at_once() {
        let strengths: Vec<u32> = (0..50).collect();
        let mut tournament = QuickTournament::new(50, Rng::new(9));
        tournament.tell(&compare(&strengths, &tournament.games()));
        let games = tournament.games();
        assert_eq!(games.len(), 47, "all but three pivots have White");
        let mut pivots: Vec<_> = games.iter().map(|&(_, black)| black).collect();
        pivots.dedup();
        assert_eq!(pivots.len(), 2);
    }

    #[test]
    fn every_player_is_the_pivot_as_often_as_any_other() {
        let mut counts = [0; 8];
        for seed in 0..8_000 {
            counts[QuickTournament::new(8, Rng::new(seed)).games()[0].1] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn draws_go_to_either_side_and_are_counted() {
        let rankings: Vec<_> = (0..200).map(|seed| rank(&[7; 4], seed)).collect();
        assert!(rankings.iter().all(|ranking| ranking.draws == ranking.games));
        assert_eq!(rank(&[7; 4], 5), rank(&[7; 4], 5));
        for place in 0..4 {
            let first = rankings.iter().filter(|ranking| ranking.best_first[place] == 0).count();
            assert!((25..75).contains(&first), "player 0 is {place} in {first} of 200");
        }
    }

    #[test]
    fn nobody_and_one_alone_are_ranked_without_games() {
        assert_eq!(rank(&[], 1), Ranking { best_first: vec![], games: 0, draws: 0 });
        assert_eq!(rank(&[7], 1), Ranking { best_first: vec![0], games: 0, draws: 0 });
    }
}
