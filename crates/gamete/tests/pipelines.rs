//! Pipelines from the command line: run, stopped, resumed, listed, shown, compared, exported, reported and deleted.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Run, gamete};
use serde_json::Value;

/// The preset, so small that its games are over at once.
const SMALL: [&str; 13] = [
    "evolve",
    "weights-then-search",
    "--set",
    "limits=depth=1",
    "--set",
    "generations=2",
    "--set",
    "population=4",
    "--set",
    "stages.search.ga.population=3",
    "--set",
    "stages.search.match.pairs=1",
    "--json",
];

fn in_lab(lab: &Path, args: &[&str]) -> Run {
    let lab = lab.to_str().expect("a path in UTF-8");
    gamete(args.iter().copied().chain(["--lab", lab]))
}

fn json(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("JSON")
}

fn out(run: Run) -> String {
    assert_eq!(run.status, Some(0), "{}", run.err);
    run.out
}

fn id(found: &Value) -> String {
    found["id"].as_str().expect("a name").to_owned()
}

/// Whether commands refuse something with this message.
fn refused(run: &Run, words: &str) {
    assert_eq!(run.status, Some(1), "{}", run.out);
    assert!(run.err.contains(words) && run.err.trim_end().lines().count() <= 2, "{}", run.err);
}

#[test]
fn a_pipeline_is_run_and_told_of_as_one() {
    let lab = tempfile::tempdir().expect("a directory");
    let run = in_lab(lab.path(), &[&SMALL[..], &["--verify", "2"]].concat());
    assert!(
        run.err.contains("stage 1 of 2, weights") && run.err.contains("stage 2 of 2, search"),
        "{}",
        run.err
    );
    let found = json(&run);
    let id = id(&found);
    let champion = found["champion"].as_object().expect("genes");
    assert!(champion.keys().all(|gene| gene.starts_with("search.")), "{champion:?}");
    assert_eq!(found["verification"][0]["champion"], format!("{id}/search"));

    let listed = json(&in_lab(lab.path(), &["list", "--json"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["stages"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed[0]["games"], found["games"]);
    let list = out(in_lab(lab.path(), &["list"]));
    assert!(list.contains(&format!("\n  {id}/weights ")), "{list}");

    let shown = json(&in_lab(lab.path(), &["show", &id, "--json"]));
    assert_eq!((&shown["digest"], &shown["method"]), (&found["digest"], &"pipeline".into()));
    assert_eq!(shown["stages"][0]["id"], format!("{id}/weights"));
    let shown = out(in_lab(lab.path(), &["show", &id]));
    for words in
        ["pipeline of 2 stages", "begins with a random population", "begins with the player of weights"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let file = out(in_lab(lab.path(), &["show", &format!("{id}/search"), "--file"]));
    let file: toml::Table = file.parse().expect("TOML");
    assert_eq!(file["model"].as_str(), Some("chess/material"));
    let player = |name: &str| out(in_lab(lab.path(), &["show", name, "--player"]));
    let weights: toml::Table = player(&format!("{id}/weights")).parse().expect("TOML");
    assert_eq!(
        file["weights"]["queen"], weights["weights"]["queen"],
        "the search is sought for these weights"
    );
    assert_eq!(
        player(&id).replace(&id, ""),
        player(&format!("{id}/search")).replace(&format!("{id}/search"), "")
    );
    player(&format!("{id}/weights@1#2"));
    let compared =
        json(&in_lab(lab.path(), &["compare", &id, &format!("{id}/weights@0"), "--pairs", "2", "--json"]));
    assert_eq!(compared["second"], format!("{id}/weights@0"));

    let csv = out(in_lab(lab.path(), &["export", &id, "--csv"]));
    assert!(csv.starts_with("stage,arm,") && csv.contains("\nweights,,1,0,knight,"), "{csv}");
    assert!(csv.contains("\nsearch,,1,2,search.null_move,"), "{csv}");
    let all = json(&in_lab(lab.path(), &["export", &id, "--json"]));
    assert_eq!(all["stages"][1]["runs"][0]["generations"].as_array().map(Vec::len), Some(3));
    let pgn = out(in_lab(lab.path(), &["export", &id, "--games", "-"]));
    assert!(pgn.contains("[Run \"weights\"]") && pgn.contains("[Run \"search\"]"), "{pgn}");
    assert!(!out(in_lab(lab.path(), &["export", &format!("{id}/search"), "--csv"])).starts_with("stage"));

    refused(&in_lab(lab.path(), &["delete", &format!("{id}/search"), "--yes"]), "is a stage of");
    refused(
        &in_lab(lab.path(), &["show", &format!("{id}@0"), "--player"]),
        "is a pipeline; name one of its stages",
    );
    refused(
        &in_lab(lab.path(), &["show", &format!("{id}/serach")]),
        "has no stage \"serach\", but weights, search",
    );
    out(in_lab(lab.path(), &["delete", &id, "--yes"]));
    assert_eq!(json(&in_lab(lab.path(), &["list", "--json"])), serde_json::json!([]));
}

#[test]
fn a_pipeline_has_one_report_with_every_stage() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = json(&in_lab(lab.path(), &[&SMALL[..], &["--verify", "2"]].concat()));
    let id = id(&found);
    let html = std::fs::read_to_string(found["report"].as_str().expect("a path")).expect("a report");
    for place in [
        "stage-1",
        "stage-1-champion",
        "stage-1-genes",
        "stage-2",
        "stage-2-champion",
        "stage-2-verification",
    ] {
        assert_eq!(html.matches(&format!("<section id=\"{place}\"")).count(), 1, "{place}");
        assert!(html.contains(&format!("<a href=\"#{place}\">")), "{place} in the contents");
    }
    for place in ["games", "repeat"] {
        assert_eq!(html.matches(&format!("<section id=\"{place}\"")).count(), 1, "{place}");
    }
    assert!(html.contains("It begins with the player of weights."));
    let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    let own = out(in_lab(lab.path(), &["report", &format!("{id}/weights"), "-o", "-"]));
    assert!(own.contains(&format!("<h1>{id}/weights</h1>")));
    out(in_lab(lab.path(), &["report", &format!("{id}/weights")]));
    assert!(lab.path().join(format!("{id}+weights.html")).is_file());
}

#[test]
fn kills_of_a_pipeline_change_nothing() {
    let whole = tempfile::tempdir().expect("a directory");
    let args = [&SMALL[..], &["--set", "stages.weights.generations=12", "--verify", "0"]].concat();
    let whole = json(&in_lab(whole.path(), &args));
    let lab = tempfile::tempdir().expect("a directory");
    for round in 0..12 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.args(&args).arg("--lab").arg(lab.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut program = command.spawn().expect("a program to run");
        std::thread::sleep(Duration::from_millis(15 + 25 * round));
        // SIGKILL.
        let _ = program.kill();
        program.wait().expect("a child");
    }
    let resumed = json(&in_lab(lab.path(), &args));
    for key in ["id", "champion", "digest", "games"] {
        assert_eq!(whole[key], resumed[key]);
    }
}

#[test]
fn a_pipeline_is_printed_and_refused_in_words() {
    let lab = tempfile::tempdir().expect("a directory");
    let printed = out(in_lab(lab.path(), &["evolve", "weights-then-search", "--print"]));
    let table: toml::Table = printed.parse().expect("TOML");
    assert_eq!(table["stages"].as_array().map(Vec::len), Some(2));
    assert!(printed.contains("# Stage search, which begins with the player of weights:"), "{printed}");
    let path = lab.path().join("mine.toml");
    let file = path.to_str().expect("UTF-8");
    let run = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        in_lab(lab.path(), &["evolve", file])
    };
    let two = |second: &str| format!("[[stages]]\nname = \"one\"\n[[stages]]\nname = \"two\"\n{second}\n");
    refused(
        &run(&two("from = \"oen\"")),
        "stages.two.from: \"oen\": no stage before this one has that name, but one",
    );
    refused(
        &run(&two("set = { model = \"chess/material\" }")),
        "stages.two.take: \"population\": stage one seeks pawn, knight",
    );
    refused(&run(&format!("from = \"nobody-1\"\n{}", two(""))), "from: \"nobody-1\": no experiment");
    refused(
        &in_lab(lab.path(), &["evolve", "weights-then-search", "--set", "stages.x.seed=1"]),
        "stages.x: no stage",
    );
}
