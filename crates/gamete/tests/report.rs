//! `gamete report`, and what it writes.

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Run, gamete};
use gamete_lab::{Event, Experiment, ExperimentRow, Store};

const TINY: [&str; 4] = ["--set", "population=4", "--set", "generations=3"];

fn evolve(lab: &Path, args: &[&str]) -> Run {
    let lab = lab.to_str().expect("a plain path");
    let run = gamete(["evolve", "--verify", "0", "--lab", lab].into_iter().chain(args.iter().copied()));
    assert_eq!(run.status, Some(0), "{}", run.err);
    run
}

/// The report that an experiment ends with, checked for everything that all reports have in common.
fn report_of(lab: &Path, args: &[&str]) -> String {
    let run = evolve(lab, args);
    let path = run.out.lines().find_map(|line| line.strip_prefix("report ")).expect("a path");
    let html = fs::read_to_string(path).expect("a report");
    check(&html);
    html
}

#[test]
fn an_experiment_ends_with_a_report() {
    let lab = tempfile::tempdir().unwrap();
    let html = report_of(lab.path(), &TINY);
    assert_sections(&html, &["champion", "genes", "convergence", "outcomes", "games", "repeat"]);
    for words in ["piece values by population dynamics", "chess/kendall-whitwell", "pawn = 100", "mobility"] {
        assert!(html.contains(words), "{words}");
    }
    let command = "gamete evolve kendall-whitwell --set generations=3 --set population=4";
    assert!(html.contains(command), "the command to repeat it");
    assert!(html.contains("population = 4\n"), "the file of the experiment");
    assert!(html.contains("\"moves\":\""), "games to replay");
    assert!(html.len() < 1_000_000, "{}", html.len());
}

#[test]
fn a_report_is_written_where_it_is_asked_for_with_the_same_bytes() {
    let lab = tempfile::tempdir().unwrap();
    let run = evolve(lab.path(), &[&TINY[..], &["--json"]].concat());
    let object: serde_json::Value = serde_json::from_str(&run.out).expect("one JSON object");
    let (id, path) = (object["id"].as_str().unwrap(), object["report"].as_str().unwrap());
    assert_eq!(Path::new(path), lab.path().join(format!("{id}.html")));
    let first = fs::read_to_string(path).unwrap();

    let directory = lab.path().to_str().unwrap();
    let printed = gamete(["report", id, "--lab", directory, "-o", "-"]);
    assert_eq!((printed.status, printed.out == first), (Some(0), true));
    let other = lab.path().join("other.html");
    let run = gamete(["report", id, "--lab", directory, "-o", other.to_str().unwrap()]);
    assert_eq!((run.status, run.out.trim()), (Some(0), other.to_str().unwrap()));
    assert_eq!(fs::read_to_string(&other).unwrap(), first);
    fs::remove_file(path).unwrap();
    let run = gamete(["report", id, "--lab", directory]);
    assert_eq!((run.status, run.out.trim()), (Some(0), path));
    assert_eq!(fs::read_to_string(path).unwrap(), first);
}

#[test]
fn a_study_has_its_arms_side_by_side_and_the_published_table_beside_them() {
    let lab = tempfile::tempdir().unwrap();
    let html = report_of(
        lab.path(),
        &["mutation-study", "--set", "population=4", "--set", "generations=2", "--set", "replicates=2"],
    );
    assert_sections(
        &html,
        &["arms", "playoffs", "convergence", "champions", "genes", "outcomes", "games", "repeat"],
    );
    for words in ["s=0.25", "published", "2.96", "0.07", "Student", "play-off 1, "] {
        assert!(html.contains(words), "{words}");
    }
}

#[test]
fn an_evolution_of_settings_has_its_factors_beside_the_published_ones() {
    let lab = tempfile::tempdir().unwrap();
    let html = report_of(
        lab.path(),
        &[
            "meta-mutation",
            "--set",
            "population=3",
            "--set",
            "generations=1",
            "--set",
            "inner.population=3",
            "--set",
            "inner.generations=1",
        ],
    );
    assert_sections(&html, &["champion", "factors", "genes", "convergence", "outcomes", "repeat"]);
    assert!(html.contains("mutation.win_loser"));
    assert!(!html.contains("pawn = 100"), "settings are not measured by a pawn");
}

#[test]
fn a_quick_tournament_has_its_games_and_values_beside_what_was_published() {
    let lab = tempfile::tempdir().unwrap();
    let small = ["--set", "population=5", "--set", "generations=6", "--set", "limits=nodes=100"];
    let html = report_of(lab.path(), &[&["quick-tournament"], &small[..]].concat());
    assert_sections(&html, &["champion", "pieces", "genes", "convergence", "outcomes", "games", "repeat"]);
    // 2·6·H(5) − 20
    for words in
        ["the first of its last ranking", "R2 first, published", "Here that is 7.4; there were", ">expected<"]
    {
        assert!(html.contains(words), "{words}");
    }
    assert!(!html.contains("1½–½"), "there are no matches");

    // A pawn that is pinned is still what the others are measured by.
    let html =
        report_of(lab.path(), &[&["quick-tournament", "--set", "weights.pawn=2000"], &small[..]].concat());
    assert_sections(&html, &["champion", "pieces", "genes"]);
    assert!(
        html.contains("pawn = 100") && html.contains(">320<"),
        "classical values are measured by their own pawn"
    );

    let arms = "arms=[{name='R1', set={population=4}}, {name='R2', set={population=5}}]";
    let playoff =
        ["--set", "playoff.pairs=1", "--set", "playoff.classical=2", "--set", "playoff.limits=nodes=100"];
    let study = ["quick-tournament-study", "--set", "replicates=2", "--set", arms];
    let html = report_of(lab.path(), &[&study, &small[..], &playoff].concat());
    assert_sections(&html, &["arms", "playoffs", "classical", "pieces", "champions", "genes", "outcomes"]);
    for words in ["R1 mean", "R1 first, published", "R2 second, published", "played 2 pairs of games"] {
        assert!(html.contains(words), "{words}");
    }
    assert!(!html.contains("R3 first, published") && !html.contains("1½–½"));
}

#[test]
fn checkers_can_be_replayed_too() {
    let lab = tempfile::tempdir().unwrap();
    let html = report_of(lab.path(), &[&TINY[..], &["--set", "model=checkers/material"]].concat());
    assert_sections(&html, &["champion", "games"]);
    assert!(html.contains("\"game\":\"checkers\""));
    assert!(html.contains(".o.o.o.oo.o.o.o."), "the first board");
}

/// Few players who do not think.
const SQUARES: [&str; 10] = [
    "--set",
    "survivors=3",
    "--set",
    "children=3",
    "--set",
    "opponents=2",
    "--set",
    "generations=2",
    "--set",
    "limits=depth=1",
];

#[test]
fn a_weight_for_each_square_stands_on_boards() {
    let lab = tempfile::tempdir().unwrap();
    for (preset, boards) in [("piece-difference", 4), ("piece-difference-symmetric", 2)] {
        let html = report_of(lab.path(), &[&[preset][..], &SQUARES].concat());
        assert_sections(
            &html,
            &["champion", "boards", "genes", "convergence", "outcomes", "games", "repeat"],
        );
        assert_sections(&html, &["by-square", "kings", "findings"]);
        assert_eq!(html.contains("<section id=\"symmetry\">"), boards == 4);
        assert_eq!(html.matches("<svg class=\"heat\"").count(), boards);
        let frames = html.split("class=\"frames\">").nth(1).unwrap().split("</script>").next().unwrap();
        let frames: serde_json::Value = serde_json::from_str(frames).unwrap();
        let frames = frames["frames"].as_array().unwrap();
        assert_eq!(frames.iter().map(|frame| &frame["generation"]).collect::<Vec<_>>(), [0, 1, 2]);
        let last = frames[2]["boards"].as_array().unwrap();
        assert_eq!(last.len(), boards);
        for value in last.iter().flat_map(|board| board.as_str().unwrap().split(',')) {
            assert!(html.contains(&format!("y=\"27\">{value}</text>")), "{value} of the last frame is drawn");
        }
        assert!(html.contains("weights</summary>"), "the table of all weights is closed");
        assert!(!html.contains("are drawn; <code>"), "no charts of single weights");
    }
}

#[test]
fn text_from_files_stays_text() {
    let lab = tempfile::tempdir().unwrap();
    let file = lab.path().join("odd.toml");
    let text = "about = \"</title><script>alert('1 & 2')</script>\"\npopulation = 3\ngenerations = 1\n\
        [[arms]]\nname = \"a<b>\\\"&\"\nset = { scale = 1 }\n[[arms]]\nname = \"c</script>\"\nset = { scale = 3 }\n";
    fs::write(&file, text).unwrap();
    let html = report_of(lab.path(), &[file.to_str().unwrap()]);
    assert!(html.contains("&lt;script&gt;alert(&#39;1 &amp; 2&#39;)&lt;/script&gt;"));
    assert!(html.contains("a&lt;b&gt;&quot;&amp;"));
    assert!(!html.contains("<script>alert") && !html.contains("c</script>"));
}

#[test]
fn what_is_unfinished_is_told_as_far_as_it_is() {
    let lab = tempfile::tempdir().unwrap();
    let changes = ["population=4".to_owned(), "generations=100000".to_owned()];
    let experiment = Experiment::load("kendall-whitwell", &changes, None).unwrap();
    let stop = AtomicBool::new(false);
    let executor = gamete_arena::Local::new(2).unwrap();
    let store = Store::create(lab.path()).unwrap();
    let result = gamete_lab::run(&store, "begun", &experiment, &executor, &stop, |event| {
        if matches!(event, Event::Generation { generation, .. } if generation.number >= 2) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(result.is_err(), "it was stopped");
    let row = store.experiment("begun").unwrap();
    store.insert(&ExperimentRow { id: "empty".to_owned(), ..row }).unwrap();

    let directory = lab.path().to_str().unwrap();
    for (id, sections) in [("begun", &["champion", "genes", "games", "repeat"][..]), ("empty", &["repeat"])] {
        let run = gamete(["report", id, "--lab", directory, "-o", "-"]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        check(&run.out);
        assert_sections(&run.out, sections);
        assert!(run.out.contains("is not finished"), "{id}");
    }
}

#[test]
fn what_is_not_there_has_no_report() {
    let lab = tempfile::tempdir().unwrap();
    evolve(lab.path(), &TINY);
    let directory = lab.path().to_str().unwrap();
    let run = gamete(["report", "kendal-whitwell-1", "--lab", directory]);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("did you mean \"kendall-whitwell-1-"), "{}", run.err);
    let run = gamete(["report", "x", "--lab", lab.path().join("none").to_str().unwrap()]);
    assert!(run.err.contains("there is no lab here"), "{}", run.err);
    assert!(!lab.path().join("none").exists());
}

fn assert_sections(html: &str, ids: &[&str]) {
    for id in ids {
        assert!(html.contains(&format!("<section id=\"{id}\">")), "no section {id}");
        assert!(html.contains(&format!("href=\"#{id}\"")), "no section {id} in the contents");
    }
}

/// What every report must be: well formed, drawn with numbers only, and complete without a network.
fn check(html: &str) {
    let html = html.strip_prefix("<!doctype html>\n").expect("a document type");
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let tag_and_rest = &rest[at + 1..];
        let end = end_of_tag(tag_and_rest);
        let tag = &tag_and_rest[..end];
        rest = &tag_and_rest[end + 1..];
        let name: String =
            tag.chars().take_while(|&letter| !" />".contains(letter) || letter == '/').collect();
        let name = name.trim_end_matches('/');
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "</{name}> closes something else");
            continue;
        }
        assert!(name.starts_with(|letter: char| letter.is_ascii_alphabetic()), "<{tag}> is no tag");
        for value in tag.split('"').skip(1).step_by(2) {
            assert!(!value.contains("NaN") && !value.split([' ', 'M']).any(|word| word == "inf"), "<{tag}>");
        }
        if tag.ends_with('/') {
            continue;
        }
        if ["script", "style"].contains(&name) {
            let close = format!("</{name}>");
            let end = rest.find(&close).expect("an end");
            rest = &rest[end + close.len()..];
            continue;
        }
        open.push(name.to_owned());
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    // Tables that are too wide scroll by themselves, and take their first column along.
    assert_eq!(
        html.matches("<table").count(),
        html.matches("<div class=\"wide").count(),
        "tables that scroll"
    );
    let css = html.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).expect("a style");
    let rule = |selector: &str| {
        css.split(selector).nth(1).and_then(|rest| rest.split('}').next()).expect("a rule").to_owned()
    };
    assert!(rule("\n.wide {").contains("overflow-x: auto"));
    assert!(rule("\n.wide th:first-child {").contains("position: sticky"));
    for words in ["http://", "https://", " src=", "<link", "@import", "url("] {
        assert!(!html.contains(words), "{words} loads something");
    }
}

/// Where a tag ends: the first `>` outside quotes.
fn end_of_tag(text: &str) -> usize {
    let mut quoted = false;
    for (index, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '>' if !quoted => return index,
            '<' => panic!("< inside a tag: {}", &text[..index]),
            _ => {}
        }
    }
    panic!("a tag without an end: {text}");
}
