//! Leagues of optimisers, from the command line.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, gamete};
use serde_json::Value;

fn league(lab: &Path, args: &[&str]) -> Run {
    let lab = lab.to_str().expect("a plain path");
    gamete(["league", "--lab", lab, "--verify", "0"].into_iter().chain(args.iter().copied()))
}

const SMALL: [&str; 8] = [
    "--optimizers",
    "spsa,random,cma-es",
    "--set",
    "games=96",
    "--set",
    "replicates=2",
    "--set",
    "dimensions=2",
];

#[test]
fn a_league_is_ranked_listed_shown_reported_and_exported() {
    let lab = tempfile::tempdir().expect("a folder");
    let directory = lab.path().to_str().expect("a plain path");
    let run = league(lab.path(), &SMALL);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let rows: Vec<Vec<&str>> =
        run.out.lines().take(4).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..3], ["rank", "optimiser", "regret"], "{}", run.out);
    assert_eq!([rows[1][0], rows[2][0], rows[3][0]], ["1", "2", "3"], "{}", run.out);
    assert!(rows[1..].iter().all(|row| row[row.len() - 2..] == ["96", "2"]), "{}", run.out);

    let again = league(lab.path(), &[&SMALL[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&again.out).expect("JSON");
    let id = found["id"].as_str().expect("a name");
    let ranking = &found["ranking"];
    assert_eq!(ranking["by"], "regret");
    let best = &ranking["arms"][0];
    assert_eq!(best["arm"].as_str(), Some(rows[1][1]));
    assert_eq!(best["value"]["runs"].as_array().map(Vec::len), Some(2));

    let show = gamete(["show", id, "--lab", directory, "--json"]);
    let show: Value = serde_json::from_str(&show.out).expect("JSON");
    assert_eq!(show["ranking"], *ranking);
    let export = gamete(["export", id, "--lab", directory, "--json"]);
    let export: Value = serde_json::from_str(&export.out).expect("JSON");
    assert_eq!(export["result"]["ranking"], *ranking);
    let csv = gamete(["export", id, "--lab", directory, "--csv"]).out;
    assert!(csv.lines().next().is_some_and(|head| head.contains(",regret_best,")), "{csv}");

    let list = gamete(["list", "--lab", directory, "--json"]);
    let list: Value = serde_json::from_str(&list.out).expect("JSON");
    assert_eq!(list[0]["regret"], best["value"]["mean"]);
    let list = gamete(["list", "--lab", directory]);
    let regret = format!("regret {:.2}; ", best["value"]["mean"].as_f64().expect("a number"));
    assert!(list.out.contains(&regret), "{}", list.out);

    let report = fs::read_to_string(found["report"].as_str().expect("a path")).expect("a report");
    assert!(
        report.contains("Which optimiser is worth its games?") && report.contains("better than random by")
    );
}

#[test]
fn a_file_without_arms_has_one_for_each_optimiser() {
    let lab = tempfile::tempdir().expect("a folder");
    let file = lab.path().join("mine.toml");
    fs::write(&file, "method = 'optimize'\nobjective = 'function'\ngenerations = 1\n").expect("a file");
    let file = file.to_str().expect("a plain path");
    let printed = league(lab.path(), &[file, "--print"]);
    assert!(
        printed.out.contains("name = \"random\"\n") && printed.out.contains("name = \"ga\"\n"),
        "{}",
        printed.out
    );
    let few = league(lab.path(), &[file, "--optimizers", "es,de", "--print"]);
    assert_eq!(few.out.matches("[[arms]]").count(), 2, "{}", few.out);
}

#[test]
fn what_cannot_be_a_league_is_refused() {
    let lab = tempfile::tempdir().expect("a folder");
    let error = |args: &[&str]| {
        let run = league(lab.path(), args);
        assert_ne!(run.status, Some(0), "{}", run.out);
        run.err
    };
    let unknown = error(&["--optimizers", "spsa,cma"]);
    assert!(
        unknown.contains("--optimizers: unknown optimizer \"cma\"; did you mean \"cma-es\"?"),
        "{unknown}"
    );
    let twice = error(&["--optimizers", "spsa,spsa"]);
    assert!(twice.contains("arms: two arms are called \"spsa\""), "{twice}");
    let other = error(&["kendall-whitwell"]);
    assert!(other.contains("arms.ga.set.optimizer"), "{other}");
    let missing = error(&["nowhere.toml"]);
    assert!(missing.contains("nowhere.toml"), "{missing}");
}
