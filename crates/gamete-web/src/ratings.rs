//! Champions across experiments on one scale, by the games that verified them and by matches.

use std::collections::HashMap;

use axum::Json as Answer;
use axum::extract::State;
use gamete_lab::{Baseline, BaselineView, LabView, MatchView, Store, match_journals};
use gamete_stats::{CrossTable, Pentanomial, RatingOptions, Ratings, Results};
use serde::Serialize;

use crate::app::App;
use crate::error::ApiError;

/// A table grows with the square of their number, and what it takes to rate them with the cube.
const MOST_PLAYERS: usize = 500;

/// The spread of fewer games says little of how they spread.
const FEW_GAMES: u64 = 40;

/// A player with its rating.
#[derive(Debug, Serialize)]
struct Rated {
    rank: usize,
    /// Which scale: players of different groups have not met, not even by way of others.
    group: usize,
    name: String,
    kind: &'static str,
    elo: f64,
    /// Half the width of the 95 % interval; nothing where there are too few games for it to be one.
    error: Option<f64>,
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

/// All players with what they made of each other.
#[derive(Default)]
struct Players {
    names: Vec<(String, &'static str)>,
    numbers: HashMap<(String, &'static str), usize>,
    results: Vec<(usize, usize, Results)>,
}

impl Players {
    fn number(&mut self, name: &str, kind: &'static str) -> usize {
        let key = (name.to_owned(), kind);
        *self.numbers.entry(key.clone()).or_insert_with(|| {
            self.names.push(key);
            self.names.len() - 1
        })
    }

    fn add(&mut self, one: (&str, &'static str), other: (&str, &'static str), results: Results) {
        let (one, other) = (self.number(one.0, one.1), self.number(other.0, other.1));
        if one != other {
            self.results.push((one, other, results));
        }
    }

    /// The games of a champion against one of its baselines, which think as the experiment lets them.
    fn add_baseline(&mut self, view: &BaselineView, thinking: &str) {
        let score = &view.score;
        if score.pairs == 0 {
            return;
        }
        let [ll, ld, middle, wd, ww] = score.ptnml;
        let wl = score.wins.saturating_sub(2 * ww + wd).min(middle);
        let results = Results::from(Pentanomial { ll, ld, wl, dd: middle - wl, wd, ww });
        let (opponent, kind) = match view.against {
            // Those of one model think as much as their experiment lets them.
            Baseline::Classical => (format!("{} ({thinking})", view.opponent), "classical"),
            _ => (format!("{} of {}", view.opponent, view.champion), "start"),
        };
        let opponent =
            if kind == "start" && view.opponent.contains('@') { view.opponent.clone() } else { opponent };
        self.add((&view.champion, "champion"), (&opponent, kind), results);
    }

    fn add_match(&mut self, view: &MatchView) {
        let table = view.standings().table();
        let names = table.names();
        for one in 0..names.len() {
            for two in one + 1..names.len() {
                if table.games(one, two).games() > 0 {
                    self.add(
                        (&names[one], "contestant"),
                        (&names[two], "contestant"),
                        table.results(one, two),
                    );
                }
            }
        }
    }

    /// Everybody with a rating, group by group, the largest first.
    fn rated(&self) -> (Vec<Rated>, usize) {
        let mut whole = CrossTable::new(self.names.iter().map(|(name, _)| name.clone()));
        for &(one, other, results) in &self.results {
            whole.record(one, other, results);
        }
        let mut groups = whole.groups();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let mut rated = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let place = |player: usize| group.iter().position(|&own| own == player);
            let mut table = CrossTable::new(group.iter().map(|&player| self.names[player].0.clone()));
            for &(one, other, results) in &self.results {
                if let (Some(one), Some(other)) = (place(one), place(other)) {
                    table.record(one, other, results);
                }
            }
            let Ok(ratings) = Ratings::new(&table, &RatingOptions::default()) else { continue };
            for (rank, rating) in ratings.list().iter().enumerate() {
                let (name, kind) = &self.names[group[rating.player]];
                rated.push(Rated {
                    rank: rank + 1,
                    group: number,
                    name: name.clone(),
                    kind,
                    elo: rating.elo.value,
                    error: Some(rating.elo.margin).filter(|_| rating.games.games() >= FEW_GAMES),
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
        summary.verification.iter().for_each(|view| players.add_baseline(view, &thinking));
    }
    for path in match_journals(&app.journals).unwrap_or_default() {
        if let Ok(view) = MatchView::read(&path) {
            players.add_match(&view);
        }
    }
    Ok(players)
}

/// `GET /api/ratings`.
pub async fn ratings(State(app): State<App>) -> Result<Answer<RatingList>, ApiError> {
    app.read(|app, store| {
        let players = collect(app, store)?;
        if players.names.len() > MOST_PLAYERS {
            let note = format!("{} players are more than the {MOST_PLAYERS} of a table", players.names.len());
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
