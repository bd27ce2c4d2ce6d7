//! What is measured beside fitness, wherever it is shown.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, gamete};
use serde_json::Value;

const CORPUS: &str = "experts.corpus=../gamete-lab/src/testing/experts.corpus";

fn evolve(lab: &Path, args: &[&str]) -> Run {
    let lab = lab.to_str().expect("a plain path");
    let run = gamete(["evolve", "--verify", "0", "--lab", lab].into_iter().chain(args.iter().copied()));
    assert_eq!(run.status, Some(0), "{}", run.err);
    run
}

fn report(run: &Run) -> String {
    let path = run.out.lines().find_map(|line| line.strip_prefix("report ")).expect("a path");
    fs::read_to_string(path).expect("a report")
}

fn imitation<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let small = ["imitation", "--set", CORPUS, "--set", "ga.population=6", "--set", "generations=3"];
    small.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn hits_are_told_as_hits() {
    let lab = tempfile::tempdir().expect("a folder");
    let directory = lab.path().to_str().expect("a plain path");
    let run = evolve(lab.path(), &imitation(&[]));
    assert!(run.err.contains("3 of 3 generations (100 %): generation 3, hits "), "{}", run.err);
    let id = run.err.split(':').next().expect("a name").to_owned();
    assert!(run.out.contains("champion: the best point that was found, hits "), "{}", run.out);
    assert!(
        run.out.contains("in the last generation:\nhits ") && run.out.contains("\ntest hits "),
        "{}",
        run.out
    );

    let again = evolve(lab.path(), &imitation(&["--json"]));
    assert!(!again.err.contains("generations ("), "what was stored needs no lines: {}", again.err);
    let json: Value = serde_json::from_str(&again.out).expect("JSON");
    let shown = gamete(["show", &id, "--lab", directory, "--json"]);
    let shown: Value = serde_json::from_str(&shown.out).expect("JSON");
    assert_eq!(json["measures"], shown["measures"]);
    let names: Vec<_> =
        shown["measures"].as_array().expect("measures").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["hits", "test hits"]);
    let hits = shown["measures"][0]["best"].as_f64().expect("a number");
    assert_eq!(shown["fitness"].as_f64(), Some(hits * hits));

    let csv = gamete(["export", &id, "--lab", directory, "--csv"]).out;
    let head = csv.lines().next().expect("a line");
    assert!(
        head.ends_with(",hits_best,hits_mean,hits_of,test_hits_best,test_hits_mean,test_hits_of"),
        "{head}"
    );
    let last = csv.lines().last().expect("a line");
    assert_eq!(last.split(',').count(), head.split(',').count());
    assert_eq!(last.rsplit(',').nth(5).and_then(|best| best.parse().ok()), Some(hits), "{last}");
    let export = gamete(["export", &id, "--lab", directory, "--json"]).out;
    let export: Value = serde_json::from_str(&export).expect("JSON");
    assert_eq!(export["runs"][0]["generations"][3]["summary"]["measures"], shown["measures"]);
}

#[test]
fn the_report_has_hits_differences_and_weights_beside_the_published_ones() {
    let lab = tempfile::tempdir().expect("a folder");
    for more in [&[][..], &["--set", "replicates=2"]] {
        let html = report(&evolve(lab.path(), &imitation(more)));
        for id in ["hits", "differences", "weights"] {
            assert!(html.contains(&format!("<section id=\"{id}\">")), "no section {id}");
        }
        for words in
            ["best, test", ">32.4 %<", ">30.4 %<", "chosen instead", "knight", "Rooks and queens", "Evol0"]
        {
            assert!(html.contains(words), "{words}");
        }
        for words in ["of games drawn", "<section id=\"outcomes\">", "NaN"] {
            assert!(!html.contains(words), "{words}");
        }
    }
}

#[test]
fn the_report_of_a_pipeline_has_them_in_their_stages() {
    let lab = tempfile::tempdir().expect("a folder");
    let file = lab.path().join("small.toml");
    let text = "name = 'small'\nmodel = 'chess/classic'\nlimits = 'nodes=50'\nmax_moves = 5\n\
        [[stages]]\nname = 'imitation'\n[stages.set]\nmethod = 'optimize'\nobjective = 'experts'\ngenerations = 2\n\
        ga.population = 4\nexperts.corpus = '../gamete-lab/src/testing/experts.corpus'\n\
        [[stages]]\nname = 'coevolution'\n[stages.set]\nmethod = 'coevolution'\npopulation = 4\npair_games = 2\ngenerations = 2\n\
        [[stages]]\nname = 'search'\ntake = 'player'\n[stages.set]\nmethod = 'optimize'\nobjective = 'suite'\ngenerations = 2\n\
        suite.file = '../gamete-lab/src/testing/mates.epd'\nsuite.measure = 'nodes'\nga.population = 4\n\
        preset = 'full'\nsearch = { null_move_reduction = [0, 7], multi_cut = [false, true] }\n";
    fs::write(&file, text).expect("written");
    let run = evolve(lab.path(), &[file.to_str().expect("a plain path")]);
    let html = report(&run);
    for id in [
        "stage-1-hits",
        "stage-1-differences",
        "stage-1-weights",
        "stage-2-cross-table",
        "stage-3-suite",
        "stage-3-search-settings",
    ] {
        assert!(html.contains(&format!("<section id=\"{id}\">")), "no section {id}");
        assert!(html.contains(&format!("href=\"#{id}\"")), "no section {id} in the contents");
    }
    for words in ["<small>(45.3 %)</small>", "null move reduction", ">multi cut<", "points</th>"] {
        assert!(html.contains(words), "{words}");
    }
    assert!(run.err.contains("stage 1 of 3, imitation: generation 2, hits "), "{}", run.err);
    assert!(run.err.contains("stage 3 of 3, search: generation 2, nodes "), "{}", run.err);
}
