use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use gamete_arena::games::positions::Chess;
use gamete_arena::{
    Adjudication, Contestant, Fake, GameFiles, Identity, Limits, MatchControl, MatchEvent, MatchPlan,
    MatchRules, MatchRunner, ModelInfo, OpeningPolicy, OpeningSource, Player, ProgramWatch, RandomOpenings,
    Tournament, claim,
};
use gamete_stats::{Model, Sprt};
use serde_json::json;

use super::*;
use crate::match_store::MatchStore;

/// Plays a match on the fake executor, of players whose strength is 400 Elo times their number, or a part of it.
fn play(path: &Path, names: &[&str], tournament: Tournament, rounds: u64, sprt: Option<Sprt>, most: u64) {
    let contestant = |name: &&str| {
        let mut player = Player::new(ModelInfo::find("chess/material").unwrap());
        (*name).clone_into(&mut player.name);
        Contestant::new(player, Limits::nodes(1))
    };
    let contestants: Vec<_> = names.iter().map(contestant).collect();
    let journal = MatchStore::open(path).unwrap();
    let mut configuration = json!({
        "game": "chess", "contestants": contestants, "tournament": tournament, "games": 2, "swap": true,
        "openings": "random", "event": "E", "site": "S",
    });
    if tournament == Tournament::Quick {
        configuration["rounds"] = rounds.into();
    }
    let (seed, _) = claim(&journal, &configuration, &Identity::default(), Some(7), || 0).unwrap();
    let plan = MatchPlan {
        engines: Arc::default(),
        contestants,
        rules: MatchRules { tournament, rounds, games: 2, swap: true, reverse: false, sprt, seed },
        openings: OpeningSource::<Chess>::random(RandomOpenings::new(seed, 2), NonZeroU64::MIN),
        policy: OpeningPolicy::Round,
        adjudication: Adjudication::default(),
        recover: true,
        details: false,
    };
    let control = Arc::new(MatchControl::default());
    let stop = Arc::clone(&control);
    let observer = move |event: &MatchEvent<'_>| {
        if matches!(event, MatchEvent::GameOver { number } if *number >= most) {
            stop.finish();
        }
        Ok(())
    };
    let strength = |player: &Player| player.name.parse::<f64>().unwrap();
    let (files, programs) = (GameFiles::default(), ProgramWatch::default());
    let runner = MatchRunner::new(&plan, &journal, files, programs, control, Arc::new(observer)).unwrap();
    runner.run(&Fake::by_strength(strength)).unwrap();
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_match_of_two_is_seen_as_it_was_played() {
    let folder = folder();
    let path = folder.path().join("a.db");
    play(&path, &["0.2", "0"], Tournament::RoundRobin, 300, None, u64::MAX);
    let view = MatchView::read(&path).unwrap();
    assert_eq!((view.games, view.planned_games, view.finished, view.kept_games), (600, Some(600), true, 0));
    assert_eq!((view.state.to_string(), view.seed), ("done".to_owned(), 7));
    let [first, second] = view.contestants.as_slice() else { panic!("two contestants") };
    assert_eq!((first.name.as_str(), first.games, second.games), ("0.2", 600, 600));
    assert!(first.elo_low < 80.0 && 80.0 < first.elo_high, "{first:?}");
    assert_eq!(first.wins, second.losses);
    assert_eq!(first.ptnml.unwrap().iter().sum::<u64>(), 300);
    assert_eq!(view.terminations.iter().map(|one| one.games).sum::<u64>(), 600);
    assert_eq!(view.terminations.iter().map(|one| one.won_by[0]).sum::<u64>(), first.wins);
    assert_eq!(view.history.last().map(|point| (point.games, point.elo)), Some((600, first.elo)));
    assert!(view.history.len() <= 201, "{}", view.history.len());
    let games = view.match_games();
    assert_eq!((games.len(), games[599].number, games[599].round), (600, 600, 300));
    assert_eq!((games[0].white.as_str(), games[1].white.as_str()), ("0.2", "0"), "colours are swapped");
    assert_eq!(games[0].opening, games[1].opening);
    assert_eq!(view.records()[0].1.moves.len(), games[0].outcome.moves.len() + 2);
    let json = serde_json::to_value(view.export()).unwrap();
    assert_eq!((&json["contestants"][0]["wins"], &json["state"]), (&first.wins.into(), &"done".into()));
    assert_eq!(json["all_games"].as_array().map(Vec::len), Some(600));
    assert_eq!(json["configuration"]["event"], "E");
    let player = Player::new(ModelInfo::find("chess/material").unwrap());
    let identity = Some(player_identity(&player, &Limits::nodes(1)));
    assert_eq!(view.identities(), [identity.clone(), identity], "names are no part of it");
    assert_ne!(view.identities()[0], Some(player_identity(&player, &Limits::nodes(2))));
}

#[test]
fn an_interrupted_match_says_how_far_it_is() {
    let folder = folder();
    let path = folder.path().join("a.db");
    play(&path, &["0.2", "0"], Tournament::RoundRobin, 50, None, 5);
    let view = MatchView::read(&path).unwrap();
    assert_eq!((view.games, view.kept_games, view.finished), (4, 1, false));
    assert_eq!(view.state.to_string(), "game 4/100");
    assert_eq!(view.match_games().len(), 5);
}

#[test]
fn a_test_that_has_decided_ends_a_match() {
    let folder = folder();
    let path = folder.path().join("a.db");
    let sprt = Sprt::new(Model::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap();
    play(&path, &["0.5", "0"], Tournament::RoundRobin, 10_000, Some(sprt), u64::MAX);
    let view = MatchView::read(&path).unwrap();
    let sprt = view.sprt.as_ref().unwrap();
    assert_eq!((sprt.decision, view.finished), ("H1", true));
    assert!(sprt.llr >= sprt.upper && view.games < 20_000);
    assert_eq!(view.history.last().and_then(|point| point.llr), Some(sprt.llr));
}

#[test]
fn tournaments_have_a_table_and_ratings_and_may_rank() {
    let folder = folder();
    let path = folder.path().join("a.db");
    play(&path, &["0", "0.3", "0.6"], Tournament::RoundRobin, 20, None, u64::MAX);
    let view = MatchView::read(&path).unwrap();
    assert_eq!(view.games, 120);
    assert_eq!(view.table[0][1].iter().sum::<u64>(), 40);
    let [wins, draws, losses] = view.table[0][2];
    assert_eq!(view.table[2][0], [losses, draws, wins]);
    assert!(view.contestants[2].rating > view.contestants[0].rating && view.history.is_empty());
    let path = folder.path().join("b.db");
    play(&path, &["0", "9", "3", "6"], Tournament::Quick, 2, None, u64::MAX);
    let view = MatchView::read(&path).unwrap();
    assert_eq!(view.ranking.unwrap(), ["9", "6", "3", "0"]);
    assert!(view.finished);
}

#[test]
fn a_quick_tournament_without_terms_has_the_rounds_of_its_configuration() {
    let folder = folder();
    let path = folder.path().join("a.db");
    play(&path, &["0", "9", "3", "6"], Tournament::Quick, 3, None, u64::MAX);
    let whole = MatchView::read(&path).unwrap();
    let forget = "DELETE FROM setting WHERE name = 'terms'";
    assert_eq!(rusqlite::Connection::open(&path).unwrap().execute(forget, []).unwrap(), 1);
    let view = MatchView::read(&path).unwrap();
    assert_eq!((view.games, view.table, view.ranking), (whole.games, whole.table, whole.ranking));
}

#[test]
fn a_test_does_not_count_encounters_out_of_their_turn() {
    let folder = folder();
    let sprt = Sprt::new(Model::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap();
    for (name, sprt, expected) in [("a.db", None, 4), ("b.db", Some(sprt), 0)] {
        let path = folder.path().join(name);
        play(&path, &["0.2", "0"], Tournament::RoundRobin, 5, sprt, u64::MAX);
        let view = MatchView::read(&path).unwrap();
        let terms = serde_json::from_str(&view.stored.settings[MatchTerms::SETTING]).unwrap();
        let without_first = &view.stored.games[2..];
        let counted = Counted::new(&view.parsed, Some(&terms), view.seed, without_first);
        assert_eq!(counted.tally.encounters(), expected, "{name}");
    }
}

#[test]
fn journals_are_found_by_their_first_bytes() {
    let folder = folder();
    for name in ["b.db", "a.db"] {
        play(&folder.path().join(name), &["0", "1"], Tournament::RoundRobin, 1, None, u64::MAX);
    }
    std::fs::write(folder.path().join("x.db"), "something else").unwrap();
    std::fs::copy(folder.path().join("a.db"), folder.path().join("a.copy")).unwrap();
    let names: Vec<_> = match_journals(folder.path())
        .unwrap()
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["a.copy", "a.db", "b.db"]);
    assert!(MatchView::read(&folder.path().join("x.db")).is_err());
    assert!(MatchView::read(&folder.path().join("nothing.db")).is_err());
    assert!(!folder.path().join("nothing.db").exists());
}
