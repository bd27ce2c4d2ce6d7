//! The simplex of Berg and Petersen on small settings: opponents and colours by lot, a suite of openings, and an engine as an opponent.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, gamete};

/// The preset with four games of a ply for each point.
fn evolve(lab: &Path, set: &[&str]) -> Run {
    let lab = lab.to_str().expect("a plain path");
    let small = ["limits=depth=1", "max_moves=10", "games=80", "pairs=4", "positions=4"];
    let words = ["evolve", "simplex", "--lab", lab, "--verify", "4"].into_iter();
    gamete(words.chain(small.iter().chain(set).flat_map(|value| ["--set", value])))
}

#[test]
fn it_tells_of_opponents_openings_and_changes() {
    let lab = tempfile::tempdir().expect("a folder");
    let run = evolve(lab.path(), &[]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let line = |start: &str| {
        let found = run.out.lines().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("{start} in {}", run.out))
    };
    for opponent in ["original", "chess/tapered"] {
        let line = line(&format!("trials against {opponent}: "));
        assert!(line.contains(" games; ") && line.ends_with(" in the last"), "{line}");
    }
    let openings = line("openings: 4 of 4 played, 20 to 20 games from each; White scores ");
    assert!(openings.contains(" (opening ") && openings.contains(" to "), "{openings}");
    assert!(line("parameter ").contains("change"), "{}", run.out);
    assert!(line("verified at depth=1: ").contains("(6 random plies, 50 % held out)"), "{}", run.out);
    let path = run.out.lines().find_map(|line| line.strip_prefix("report ")).expect("a path");
    let report = fs::read_to_string(path).expect("a report");
    for words in
        ["Opponents and openings", "4 of 4 openings were played, 20 to 20 games", "chess/tapered</th>"]
    {
        assert!(report.contains(words), "{words}");
    }
}

#[test]
fn an_engine_can_be_the_other_opponent() {
    let lab = tempfile::tempdir().expect("a folder");
    let engine = format!("opponents=['start', 'cmd={} uci']", env!("CARGO_BIN_EXE_gamete"));
    let first = evolve(lab.path(), &[&engine]);
    assert_eq!(first.status, Some(0), "{}", first.err);
    assert!(first.out.contains("trials against gamete: "), "{}", first.out);
    let again = evolve(lab.path(), &[&engine]);
    assert_eq!(again.status, Some(0), "{}", again.err);
    let digest = |run: &Run| run.out.lines().find(|line| line.contains("digest")).map(str::to_owned);
    assert_eq!(digest(&again), digest(&first));

    let none = evolve(lab.path(), &["opponents=['cmd=no-such-engine']"]);
    assert_eq!(none.status, Some(1), "{}", none.out);
    assert!(none.err.contains("match.opponents: \"cmd=no-such-engine\": "), "{}", none.err);
    let few = evolve(lab.path(), &["plies=1", "positions=30", "held_out=0"]);
    assert_eq!(few.status, Some(1), "{}", few.out);
    assert!(few.err.contains("match.positions: 30: only "), "{}", few.err);
}
