//! Where the games of `gamete match` start.

mod common;

use std::path::Path;

use common::{folder, run_match};

const PLAYERS: &str = "-engine model=chess/classic -engine model=chess/material";

/// The start and the book moves of each game of a file.
fn openings(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("games");
    let games = text.split("[Event ").skip(1);
    let opening = |game: &str| {
        let fen = game.lines().find(|line| line.starts_with("[FEN")).unwrap_or_default();
        let (_, moves) = game.split_once("\n\n").expect("moves");
        let moves = moves.split_whitespace().collect::<Vec<_>>().join(" ");
        let book = moves.rfind("{book}").map_or("", |end| &moves[..end]);
        format!("{fen} {book}")
    };
    games.map(opening).collect()
}

/// The first example of `gamete match --help`, with fewer rounds. Played from one position, all its pairs are one pair.
#[test]
fn without_a_book_each_pair_has_a_random_opening_of_its_own() {
    let (whole, parts) = (folder(), folder());
    let words = format!("{PLAYERS} -each nodes=30 -srand 4 -pgnout x.pgn");
    let run = run_match(whole.path(), &format!("{words} -rounds 8 -concurrency 2"));
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    let line = "Openings: 6 random plies that leave the game even, new ones for every round; -openings startpos starts \
        from the start position\n";
    assert!(run.out.contains(line), "{}", run.out);
    assert!(run.out.contains("(nodes=30, 1t, random openings)"), "{}", run.out);
    let drawn = openings(&whole.path().join("x.pgn"));
    assert_eq!(drawn.len(), 16);
    assert!(
        drawn.chunks(2).all(|pair| pair[0] == pair[1] && pair[0].matches("{book}").count() == 5),
        "{drawn:?}"
    );
    let mut distinct = drawn.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 8, "{drawn:?}");
    assert!(!run.out.contains("+/- inf"), "the pairs are not all alike\n{}", run.out);

    for rounds in [3, 8] {
        let run = run_match(parts.path(), &format!("{words} -rounds {rounds} -concurrency 1"));
        assert_eq!(run.status, Some(0), "{}", run.err);
    }
    let pgn = |folder: &Path| std::fs::read_to_string(folder.join("x.pgn")).expect("games");
    assert!(pgn(whole.path()) == pgn(parts.path()), "a seed means the same openings, resumed or not");
    let other = run_match(
        whole.path(),
        &format!(
            "{} -rounds 1 -fresh",
            words.replace("-srand 4", "-srand 5 -pgnout y.pgn").replace(" -pgnout x.pgn", "")
        ),
    );
    assert_eq!(other.status, Some(0), "{}", other.err);
    assert_ne!(openings(&whole.path().join("y.pgn"))[0], drawn[0]);
}

#[test]
fn a_match_that_began_at_the_start_position_is_not_changed() {
    let folder = folder();
    for journal in ["-journal j.db", ""] {
        let words = format!("{PLAYERS} -each depth=1 -srand 1 {journal}");
        let old = run_match(folder.path(), &format!("{words} -openings startpos"));
        assert_eq!(old.status, Some(0), "{}", old.err);
        let new = run_match(folder.path(), &words);
        assert_eq!((new.status, new.out.as_str()), (Some(1), ""), "{}", new.err);
        assert!(
            new.err.contains(
                "this match began without random openings; -openings startpos resumes it as it began"
            ),
            "{}",
            new.err
        );
        let resumed = run_match(folder.path(), &format!("{words} -openings startpos -rounds 2"));
        assert!(resumed.out.contains(", which has 2 of 4 games"), "{}", resumed.out);
        assert!(resumed.err.contains("warning: 1 opening for 2 pairs of games"), "{}", resumed.err);
    }
}

#[test]
fn ballots_and_start_positions_come_once_and_then_random_openings() {
    let folder = folder();
    let checkers = "-engine model=checkers/squares -engine model=checkers/material -each depth=1 -srand 2";
    let run = run_match(folder.path(), &format!("{checkers} -rounds 3 -openings start=156 -pgnout a.pdn"));
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    assert!(run.out.contains("Openings: each once, and then 6 random plies that leave"), "{}", run.out);
    let drawn = openings(&folder.path().join("a.pdn"));
    let plies = |opening: &String| opening.matches("{book}").count() + 1;
    assert_eq!(drawn.iter().step_by(2).map(plies).collect::<Vec<_>>(), [3, 6, 6], "{drawn:?}");
    let chess =
        format!("{PLAYERS} -variant fischerandom -each depth=1 -srand 2 -rounds 2 -openings start=960");
    let run = run_match(folder.path(), &format!("{chess} -pgnout b.pgn"));
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    let drawn = openings(&folder.path().join("b.pgn"));
    assert!(!drawn[0].contains('.') && drawn[2].matches("{book}").count() == 5, "{drawn:?}");
    let listed = run_match(
        folder.path(),
        &format!("{checkers} -rounds 200 -openings ballots -journal c.db -concurrency 1"),
    );
    assert!(listed.err.contains("warning: 156 openings for 200 pairs"), "{}", listed.err);
}
