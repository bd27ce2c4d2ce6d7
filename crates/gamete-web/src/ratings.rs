//! Champions across experiments on one scale, by the games that verified them and by matches.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use gamete_arena::GameName;
use gamete_lab::{Baseline, BaselineView, Bred, LabView, MatchView, Store, match_journals, player_identity};
use gamete_stats::{CrossTable, Pentanomial, RatingOptions, Ratings, Results};
use serde::Serialize;

use crate::app::App;
use crate::error::ApiError;
use crate::matches::Known;

/// A table grows with the square of their number, and what it takes to rate them with the cube.
const MOST_PLAYERS: usize = 500;

/// A player with its rating.
#[derive(Debug, Serialize)]
struct Rated {
    rank: usize,
    /// Which scale: players of different groups have not met, not even by way of others.
    group: usize,
    name: String,
    kind: &'static str,
    game: Option<GameName>,
    elo: f64,
    /// Half the width of the 95 % interval.
    error: f64,
    games: u64,
    score: f64,
    /// The likelihood that it is stronger than the next.
    los: Option<f64>,
}

#[derive(Debug, Serialize)]
pub struct RatingList {
    ratings: Vec<Rated>,
    groups: usize,
    note: Option<String>,
}

/// Somebody who is rated.
#[derive(Debug, Clone)]
struct Player {
    /// What it is, whatever it is called: what has the same text is one player.
    identity: String,
    name: String,
    kind: &'static str,
    game: Option<GameName>,
    /// The journal that it is named in, of contestants.
    journal: Option<String>,
}

/// What the contestants of a match made of each other.
pub struct MatchResults {
    contestants: Vec<Player>,
    results: Vec<(usize, usize, Results)>,
}

impl MatchResults {
    fn read(path: &Path) -> Option<Arc<Self>> {
        let view = MatchView::read(path).ok()?;
        let journal = view.name();
        let table = view.standings().table();
        let contestant = |(name, identity): (&String, Option<String>)| Player {
            // A program that is not known may be another one in each journal.
            identity: identity.unwrap_or_else(|| format!("{name} of {journal}")),
            name: name.clone(),
            kind: "contestant",
            game: Some(view.game),
            journal: Some(journal.clone()),
        };
        let contestants: Vec<Player> = table.names().iter().zip(view.identities()).map(contestant).collect();
        let pairs = (0..contestants.len()).flat_map(|one| (0..one).map(move |two| (two, one)));
        let results = pairs
            .filter(|&(one, two)| table.games(one, two).games() > 0)
            .map(|(one, two)| (one, two, table.results(one, two)))
            .collect();
        Some(Arc::new(Self { contestants, results }))
    }
}

/// All players with what they made of each other.
#[derive(Default)]
struct Players {
    players: Vec<Player>,
    numbers: HashMap<String, usize>,
    results: Vec<(usize, usize, Results)>,
}

impl Players {
    fn number(&mut self, player: &Player) -> usize {
        *self.numbers.entry(player.identity.clone()).or_insert_with(|| {
            self.players.push(player.clone());
            self.players.len() - 1
        })
    }

    /// Games against oneself say nothing and are left out.
    fn add(&mut self, one: &Player, other: &Player, results: Results) {
        if one.identity != other.identity {
            let (one, other) = (self.number(one), self.number(other));
            self.results.push((one, other, results));
        }
    }

    /// The games of a champion against one of its baselines, which think as the experiment lets them.
    fn add_baseline(&mut self, store: &Store, view: &BaselineView, thinking: &str) {
        let score = &view.score;
        if score.pairs == 0 {
            return;
        }
        let [ll, ld, middle, wd, ww] = score.ptnml;
        let wl = score.wins.saturating_sub(2 * ww + wd).min(middle);
        let results = Results::from(Pentanomial { ll, ld, wl, dd: middle - wl, wd, ww });
        // What was bred as options of a program is no player of ours.
        let bred = Bred::find(store, &view.champion).ok();
        let limits = view.limits.or(bred.as_ref().map(|bred| bred.limits)).unwrap_or_default();
        let with_limits = |name: String| match view.against {
            Baseline::OtherLimits => format!("{name} ({limits})"),
            Baseline::Start | Baseline::Classical => name,
        };
        let player = |name: String, kind: &'static str, player: Option<gamete_arena::Player>| Player {
            identity: player.map_or_else(
                || format!("{} of {}\n{limits}", name, view.champion),
                |player| player_identity(&player, &limits),
            ),
            name,
            kind,
            game: bred.as_ref().map(|bred| bred.breed.game()),
            journal: None,
        };
        let champion = bred.as_ref().map(|bred| bred.player.clone());
        let champion = player(with_limits(view.champion.clone()), "champion", champion);
        let is_bred = view.opponent.contains('@');
        let opponent = match view.against {
            Baseline::Classical => {
                let classical = bred.as_ref().map(|bred| bred.classical(bred.breed.model()));
                player(format!("{} ({thinking})", view.opponent), "classical", classical)
            }
            _ if is_bred => {
                let start = Bred::find(store, &view.opponent).ok().map(|start| start.player);
                player(with_limits(view.opponent.clone()), "start", start)
            }
            _ => player(with_limits(format!("{} of {}", view.opponent, view.champion)), "start", None),
        };
        self.add(&champion, &opponent, results);
    }

    fn add_match(&mut self, found: &MatchResults) {
        for &(one, two, results) in &found.results {
            self.add(&found.contestants[one], &found.contestants[two], results);
        }
    }

    /// What to call everybody: contestants of one name with the journals that they are named in.
    fn names(&self) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for player in &self.players {
            *counts.entry(player.name.as_str()).or_default() += 1;
        }
        let name = |player: &Player| match &player.journal {
            Some(journal) if counts[player.name.as_str()] > 1 => format!("{} ({journal})", player.name),
            _ => player.name.clone(),
        };
        self.players.iter().map(name).collect()
    }

    /// Everybody with a rating, group by group, the largest first.
    fn rated(&self) -> (Vec<Rated>, usize) {
        let names = self.names();
        let mut whole = CrossTable::new(names.iter().cloned());
        for &(one, other, results) in &self.results {
            whole.record(one, other, results);
        }
        let mut groups = whole.groups();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let mut rated = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let place = |player: usize| group.iter().position(|&own| own == player);
            let mut table = CrossTable::new(group.iter().map(|&player| names[player].clone()));
            for &(one, other, results) in &self.results {
                if let (Some(one), Some(other)) = (place(one), place(other)) {
                    table.record(one, other, results);
                }
            }
            let Ok(ratings) = Ratings::new(&table, &RatingOptions::default()) else { continue };
            for (rank, rating) in ratings.list().iter().enumerate() {
                let player = group[rating.player];
                let Player { kind, game, .. } = self.players[player];
                rated.push(Rated {
                    rank: rank + 1,
                    group: number,
                    name: names[player].clone(),
                    kind,
                    game,
                    elo: rating.elo.value,
                    error: rating.elo.margin,
                    games: rating.games.games(),
                    score: rating.games.score(),
                    los: rating.los,
                });
            }
        }
        (rated, groups.len())
    }
}

fn collect(app: &App, store: &Store) -> Result<Players, ApiError> {
    let mut players = Players::default();
    let lab = LabView::new(store).thinned(2);
    for row in store.experiments()?.into_iter().filter(|row| !row.is_pipeline() && row.result.is_some()) {
        // What is damaged says so in the list of experiments.
        let (Ok(summary), Ok(experiment)) = (lab.summary_of(&row.id), row.experiment()) else { continue };
        let breed = experiment.method.breed();
        let thinking = breed.map_or_else(String::new, |breed| format!("{}, {}", breed.preset, breed.limits));
        summary.verification.iter().for_each(|view| players.add_baseline(store, view, &thinking));
    }
    let journals = match_journals(&app.journals).unwrap_or_default();
    for found in app.rated_matches.of(&journals, MatchResults::read).into_iter().flatten() {
        players.add_match(&found);
    }
    Ok(players)
}

/// What is known of matches for ratings.
pub type RatedMatches = Known<Option<Arc<MatchResults>>>;

/// `GET /api/ratings`.
pub async fn ratings(State(app): State<App>) -> Result<Answer<RatingList>, ApiError> {
    app.read(|app, store| {
        let players = collect(app, store)?;
        if players.players.len() > MOST_PLAYERS {
            let note = format!("{} players are more than the {MOST_PLAYERS} of a table", players.players.len());
            return Ok(Answer(RatingList { ratings: Vec::new(), groups: 0, note: Some(note) }));
        }
        let (ratings, groups) = players.rated();
        let note = (groups > 1).then(|| {
            "players of different groups have not met, not even by way of others, so that their numbers cannot be compared".to_owned()
        });
        Ok(Answer(RatingList { ratings, groups, note }))
    })
    .await
}

#[cfg(test)]
mod tests {
    use gamete_stats::Trinomial;

    use super::*;

    fn contestant(name: &str, identity: &str, journal: &str) -> Player {
        Player {
            identity: identity.to_owned(),
            name: name.to_owned(),
            kind: "contestant",
            game: Some(GameName::ALL[0]),
            journal: Some(journal.to_owned()),
        }
    }

    #[test]
    fn players_of_one_name_are_one_only_if_they_are_the_same() {
        let results = || Results::from(Trinomial { wins: 6, draws: 2, losses: 4 });
        let found = |one: Player, other: Player| MatchResults {
            contestants: vec![one, other],
            results: vec![(0, 1, results())],
        };
        let mut players = Players::default();
        players.add_match(&found(contestant("dev", "a", "1.db"), contestant("base", "b", "1.db")));
        players.add_match(&found(contestant("dev", "c", "2.db"), contestant("old base", "b", "2.db")));
        players.add_match(&found(contestant("dev", "d", "3.db"), contestant("other", "e", "3.db")));
        players.add_match(&found(contestant("A", "f", "4.db"), contestant("B", "f", "4.db")));
        let (rated, groups) = players.rated();
        assert_eq!(groups, 2);
        let of =
            |name: &str| rated.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("{rated:?}"));
        assert_eq!(rated.len(), 5, "who plays only itself is not rated");
        assert_eq!(of("base").games, 24, "the same player by two names");
        assert_eq!(["dev (1.db)", "dev (2.db)", "dev (3.db)"].map(|name| of(name).games), [12; 3]);
    }
}
