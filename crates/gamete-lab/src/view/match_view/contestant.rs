use gamete_arena::uci::EngineSpec;
use gamete_arena::{Competitor, Contestant, Faults, Standings};
use gamete_stats::{Interval, RatingOptions, Ratings, Results};
use serde::Serialize;

/// A contestant, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContestantView {
    /// What reports call it.
    pub name: String,
    /// Its model, or the command that starts it.
    pub what: String,
    /// How much it may think.
    pub limits: String,
    /// Games that count.
    pub games: u64,
    /// Games that it won.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// The share of the points that it has.
    pub score: f64,
    /// Pairs by its points, from 0 to 2 in halves, where games are paired.
    pub ptnml: Option<[u64; 5]>,
    /// Elo over its opponents.
    pub elo: f64,
    /// The lower end of the 95 % interval of that; infinite where everything was lost.
    pub elo_low: f64,
    /// The upper end; infinite where everything was won.
    pub elo_high: f64,
    /// The likelihood that it is stronger than its opponents.
    pub los: f64,
    /// Its rating by all games together, 0 on average, of more than two contestants.
    pub rating: Option<f64>,
    /// Half the width of the 95 % interval of that.
    pub rating_margin: Option<f64>,
    /// Games that it lost by something that is no part of the game.
    pub faults: Faults,
}

impl ContestantView {
    /// All contestants of a match, in their order.
    pub(super) fn all(contestants: &[Contestant<EngineSpec>], standings: &Standings) -> Vec<Self> {
        let ratings = (contestants.len() > 2)
            .then(|| Ratings::new(standings.table(), &RatingOptions::default()).ok())
            .flatten();
        let rating = |index: usize| {
            let found = ratings.as_ref()?.list().iter().find(|rating| rating.player == index)?;
            Some(found.elo)
        };
        let one = |(index, contestant): (usize, &Contestant<EngineSpec>)| {
            let results = standings.results(index);
            let (games, interval) = (results.games(), results.elo_interval());
            let rating = rating(index);
            Self {
                name: contestant.name.clone(),
                what: what(contestant),
                limits: contestant.limits.to_string(),
                games: games.games(),
                wins: games.wins,
                draws: games.draws,
                losses: games.losses,
                score: results.score(),
                ptnml: match results {
                    Results::Pairs(pairs) => Some(pairs.counts()),
                    Results::Games(_) => None,
                },
                elo: results.elo().value,
                elo_low: interval.low,
                elo_high: interval.high,
                los: results.los(),
                rating: rating.map(|elo| elo.value),
                rating_margin: rating.map(|elo| elo.margin),
                faults: standings.faults()[index],
            }
        };
        contestants.iter().enumerate().map(one).collect()
    }

    /// The interval of its Elo.
    pub fn interval(&self) -> Interval {
        Interval { low: self.elo_low, high: self.elo_high }
    }
}

fn what(contestant: &Contestant<EngineSpec>) -> String {
    match &contestant.competitor {
        Competitor::Player(player) => player.model().name.to_owned(),
        Competitor::Engine(spec) => spec.cmd.display().to_string(),
    }
}
