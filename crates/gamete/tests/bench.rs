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

#[test]
fn the_dashboard_is_measured_with_viewers_clients_and_a_crowd() {
    let short = [
        "--viewers",
        "3",
        "--threads",
        "1",
        "--generations",
        "1",
        "--turns",
        "2",
        "--clients",
        "2",
        "--load",
        "1",
    ];
    let run = gamete([&["bench", "serve", "--crowd", "40", "--json"], &short[..]].concat());
    let report: serde_json::Value =
        serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}{}", run.out, run.err));
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().expect("a list").iter().map(|one| one.as_f64().expect("a number")).collect()
    };
    let viewers = &report["viewers"];
    for side in ["without", "with"] {
        let seconds = numbers(&viewers[side]["seconds"]);
        assert!(seconds.len() == 2 && seconds.iter().all(|&seconds| seconds > 0.0), "{viewers}");
    }
    assert!(viewers["games"].as_u64() > Some(50), "{viewers}");
    let [few, many] = numbers(&viewers["events"])[..] else { panic!("{viewers}") };
    assert!(few >= 1.0 && many >= few, "every viewer is told what happens: {viewers}");
    let load = &report["load"];
    assert!(load["errors"] == 0 && load["requests"].as_u64() > Some(1), "{load}");
    assert_eq!(numbers(&load["memory"]).len(), 10);
    let crowd = &report["crowd"];
    assert_eq!((crowd["opened"].as_u64(), crowd["answered"].as_u64()), (Some(40), Some(50)), "{crowd}");
    assert_eq!(crowd["well_again"], true);
}
