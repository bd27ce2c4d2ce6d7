//! The signature of the engine, and the published counts.

mod common;

use common::gamete;

#[test]
fn the_signature_is_the_same_every_time() {
    let nodes = || {
        let run = gamete(["bench"]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let last = run.out.lines().last().expect("a last line").to_owned();
        let words: Vec<_> = last.split(' ').collect();
        let [nodes, "nodes", nps, "nps"] = words[..] else { panic!("{last}") };
        assert!(nps.parse::<u64>().is_ok(), "{last}");
        nodes.parse::<u64>().expect("a number")
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn techniques_count_what_was_published() {
    let run = gamete(["bench", "techniques", "--depths", "4,6", "--json"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&run.out).expect("JSON");
    let nodes = |technique: &str, depth: u64| {
        let found = |row: &&serde_json::Value| {
            row["technique"] == technique && row["depth"] == depth && row["position"] == "the first move"
        };
        let row = rows.iter().find(found).expect("a row");
        (row["nodes"].as_u64().expect("a count"), row["published"].as_u64().expect("a published count"))
    };
    for (depth, count) in [(4, 3_308), (6, 217_537)] {
        assert_eq!(nodes("minimax", depth), (count, count));
    }
    for (depth, count) in [(4, 2_237), (6, 50_688)] {
        assert_eq!(nodes("minimax, table", depth), (count, count));
    }
    for technique in ["alpha-beta", "alpha-beta, ordering"] {
        for depth in [4, 6] {
            let (ours, published) = nodes(technique, depth);
            assert!(ours <= published, "{technique} at {depth}: {ours}");
        }
    }
}
