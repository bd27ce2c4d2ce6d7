//! `gamete perft`; `corpora.rs` has the published counts.

mod common;

use common::gamete;

#[test]
fn the_last_line_is_the_count() {
    let run = gamete(["perft", "4"]);
    assert_eq!(run.out.lines().last(), Some("Nodes: 197281"));
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let run = gamete(["perft", "--fen", kiwipete, "--divide", "3"]);
    assert!(run.out.contains("\ne1g1: 2059\n"), "{}", run.out);
    assert_eq!(run.out.lines().last(), Some("Nodes: 97862"));
    let run = gamete(["perft", "--fen", kiwipete, "--divide", "--chess960", "3"]);
    assert!(run.out.contains("\ne1h1: 2059\n"), "{}", run.out);
    let run = gamete(["perft", "--game", "checkers", "7"]);
    assert_eq!(run.out.lines().last(), Some("Nodes: 179740"));
    assert_eq!(gamete(["perft", "0"]).out.lines().last(), Some("Nodes: 1"));
}

#[test]
fn json_has_nodes_seconds_and_speed() {
    let run = gamete(["perft", "--json", "3"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["nodes"], 8902);
    assert!(json["seconds"].is_f64() && json["nps"].is_u64());
}

#[test]
fn a_wrong_count_is_found_and_named() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "B:W21-32:B1-12 ;D1 7 ;D2 50\n").expect("written");
    let run = gamete(["perft".as_ref(), "--suite".as_ref(), file.path().as_os_str()]);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("line 1: depth 2 has 49 nodes instead of 50"), "{}", run.err);
}

#[test]
fn a_count_far_above_the_suite_is_not_counted_to_its_end() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let check = |text: &str, limit: &[&str]| {
        std::fs::write(file.path(), text).expect("written");
        let mut words = vec!["perft".as_ref(), "--suite".as_ref(), file.path().as_os_str()];
        words.extend(limit.iter().map(AsRef::<std::ffi::OsStr>::as_ref));
        gamete(words)
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let run = check(&format!("{start} ;D91 1\n"), &["--max-nodes", "100000"]);
    assert_eq!(run.status, Some(1));
    let wrong = "line 1: depth 91 has more than 100,000 nodes instead of 1";
    assert!(run.err.contains(wrong), "{}", run.err);
    let run = check(&format!("{start} ;D91 1\n"), &[]);
    assert!(run.err.contains("depth 91 has more than 10,000,000 nodes instead of 1"), "{}", run.err);
    // Two kings have but a few moves, but for ever.
    let run = check("8/8/8/8/8/8/8/K1k5 w - - 0 1 ;D4000000000 1\n", &[]);
    assert!(run.err.contains("line 1: D4000000000: at most 200 plies can be counted"), "{}", run.err);
    // What is over before is counted at once.
    let run = check("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1 ;D1 0 ;D91 0\n", &["--max-nodes", "1"]);
    assert_eq!(run.status, Some(0), "{}", run.err);
}
