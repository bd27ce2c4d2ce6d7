use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use gamete_arena::{Fake, GameTask, Task};

use crate::testing::{TestLab, experiment, strength};
use crate::{Generation, LabView};

const TWO: &str = "opponents = ['classical', 'chess/classic'], pairs = 6, positions = 6";

fn text(own: &str) -> String {
    format!(
        "name = 'x'\nmethod = 'optimize'\ngenerations = 2\nmodel = 'chess/material'\nlimits = 'depth=1'\n\
         ga.population = 4\nmatch = {{ {own} }}\n"
    )
}

/// The games of an experiment by trial, and its generations.
fn play(own: &str) -> (BTreeMap<String, Vec<GameTask>>, Vec<Generation>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let tasks = Arc::clone(&seen);
    let executor = Fake::new(move |task| {
        if let Task::Game(game) = task {
            tasks.lock().expect("tasks").push(game.clone());
        }
        Ok(Fake::outcome(task, strength))
    });
    let (lab, text) = (TestLab::new(), text(own));
    lab.run(&text, &executor).expect("a result");
    let mut trials: BTreeMap<String, Vec<GameTask>> = BTreeMap::new();
    for game in seen.lock().expect("tasks").drain(..) {
        let trial = [&game.white.name, &game.black.name].into_iter().find(|name| name.starts_with("trial"));
        trials.entry(trial.expect("a trial").clone()).or_default().push(*game);
    }
    let planned = experiment(&text).planned_games();
    assert_eq!(trials.values().map(Vec::len).sum::<usize>() as u64, planned);
    let view = LabView::new(&lab.store()).experiment("x").expect("an experiment");
    (trials, view.runs().flat_map(|run| run.generations.clone()).collect())
}

fn books(games: &[GameTask]) -> BTreeSet<Vec<String>> {
    games.iter().map(|game| game.book.clone()).collect()
}

#[test]
fn opponents_and_colours_are_by_lot_if_asked_for() {
    let (trials, generations) = play(&format!("{TWO}, mixed = true, colors = 'random'"));
    assert_eq!(trials.len(), 8);
    let mut plans = BTreeSet::new();
    for (trial, games) in &trials {
        assert_eq!(books(games).len(), 6, "a game from each opening");
        let seat = |game: &GameTask| {
            let is_white = game.white.name == *trial;
            let other = if is_white { &game.black } else { &game.white };
            (game.book.clone(), is_white, other.name.clone())
        };
        plans.insert(games.iter().map(seat).collect::<BTreeSet<_>>());
    }
    assert_eq!(plans.len(), 8, "every trial has lots of its own");
    let suite = books(&trials["trial 1"]);
    assert!(trials.values().all(|games| books(games) == suite), "one suite for all");
    for tally in generations.iter().filter_map(|one| one.tally.as_ref()) {
        assert_eq!((tally.suite, tally.least_and_most()), (6, [4, 4]));
        let games: Vec<u64> = tally.opponents.iter().map(crate::match_tally::OpponentTally::games).collect();
        assert!(games.iter().sum::<u64>() == 24 && games.iter().all(|&games| games > 0), "{games:?}");
    }
    assert_eq!(generations.iter().filter(|one| one.tally.is_some()).count(), 2);
}

#[test]
fn trials_have_one_colour_if_asked_for() {
    for color in ["white", "black"] {
        let (trials, _) = play(&format!("pairs = 3, colors = '{color}'"));
        for (trial, games) in &trials {
            assert_eq!(books(games).len(), 3, "a game from each opening");
            let has_white = |game: &GameTask| game.white.name == *trial;
            assert!(games.iter().all(|game| has_white(game) == (color == "white")), "{trial}");
        }
    }
}

#[test]
fn everybody_meets_all_opponents_with_both_colours_from_the_same_openings_otherwise() {
    let (trials, generations) = play("opponents = ['classical', 'chess/classic'], pairs = 3");
    let mut generation = trials.iter().filter(|(trial, _)| trial.as_str() <= "trial 4");
    assert!(generation.clone().all(|(_, games)| games.len() == 12));
    let (_, first) = generation.next().expect("a trial");
    assert!(generation.all(|(_, games)| books(games) == books(first)));
    assert_ne!(books(&trials["trial 5"]), books(first), "another generation");
    let last = generations.last().and_then(|one| one.tally.as_ref()).expect("a tally");
    assert!(last.opponents.iter().all(|one| one.games() == 24) && last.openings.is_empty(), "{last:?}");
    let (_, generations) = play("pairs = 1");
    assert!(generations.iter().all(|one| one.tally.is_none()), "nothing to tell apart");
}

#[test]
fn trials_have_openings_of_their_own_if_asked_for() {
    let (trials, generations) = play("pairs = 3, positions = 20, redraw = 'trial'");
    let drawn: BTreeSet<_> = trials.values().map(|games| books(games)).collect();
    assert_eq!(drawn.len(), 8);
    let used = drawn.into_iter().flatten().collect::<BTreeSet<_>>().len();
    assert!((4..=20).contains(&used), "{used}");
    let total = crate::MatchTally::total(generations.iter().filter_map(|one| one.tally.as_ref()));
    assert_eq!(total.map(|tally| tally.openings.len()), Some(used));
}

#[test]
fn tables_decide_and_openings_are_of_a_variant_if_asked_for() {
    let (trials, _) = play("pairs = 2, variant = 'fischerandom', tables = 'draw', table_pieces = 5");
    let games: Vec<&GameTask> = trials.values().flatten().collect();
    let starts: BTreeSet<&str> = games.iter().map(|game| game.start.as_str()).collect();
    assert!(starts.len() > 2, "{starts:?}");
    let rule = games[0].adjudication.tablebase.expect("a rule");
    assert_eq!((rule.max_pieces, rule.ignore_fifty_moves), (Some(5), false));
    assert!(games.iter().all(|game| game.adjudication.tablebase == Some(rule)));
    let (usual, _) = play("pairs = 1");
    assert!(usual.values().flatten().all(|game| game.adjudication.tablebase.is_none()));
    let of_checkers = |own: &str| {
        let file = text(own).replace("chess/material", "checkers/material");
        crate::Experiment::from_table(&file.parse().expect("TOML")).expect_err("no such thing").to_string()
    };
    assert_eq!(
        of_checkers("tables = 'both'"),
        "match.tables: \"both\": there are endgame tables of chess alone, not of checkers"
    );
    assert_eq!(
        of_checkers("variant = 'fischerandom'"),
        "match.variant: \"fischerandom\": there is no such variant of checkers; leave it out"
    );
}

#[test]
fn engines_can_be_opponents_of_our_players() {
    let table = |opponents: &str| text(&format!("opponents = [{opponents}]")).parse().expect("TOML");
    let read = |opponents: &str| crate::Experiment::from_table(&table(opponents));
    let found = read("'classical', 'cmd=some-engine --uci'").expect("an experiment");
    let engines = found.method.engines();
    assert_eq!((engines.len(), engines[0].args.as_slice()), (1, &["--uci".to_owned()][..]));
    assert_eq!(found.method.opponents().len(), 2);
    let error = read("'cmd='").expect_err("no program").to_string();
    assert_eq!(error, "match.opponents: \"cmd=\": name a program, as in cmd=stockfish");
}
