//! Options of a UCI engine are sought as weights of ours are.

mod common;

use common::gamete;

/// An experiment on our own UCI engine, which says in a file how often it was started.
fn experiment(folder: &std::path::Path, options: &str) -> String {
    let starts = folder.join("starts");
    let program = env!("CARGO_BIN_EXE_gamete");
    let script = format!("echo start >> '{}'; exec '{program}' uci", starts.display());
    format!(
        "method = 'optimize'\ngenerations = 3\nlimits = 'depth=1'\nmax_moves = 6\nat_max_moves = 'material'\n\
         ga.population = 3\nmatch.pairs = 1\nmatch.engine = ['sh', '-c', {script:?}]\n[options]\n{options}"
    )
}

#[test]
fn options_of_an_engine_are_sought_without_starting_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let lab = folder.path().to_str().expect("a path in UTF-8");
    let options = "Hash = 1\nfutility_1 = [100, 900]\nnull_move = [0, 1]\nUCI_Chess960 = [false, true]\n";
    std::fs::write(&path, experiment(folder.path(), options)).expect("a file");
    let run = gamete(["evolve", path.to_str().expect("UTF-8"), "--lab", lab, "--concurrency", "1", "--json"]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let found: serde_json::Value = serde_json::from_str(run.out.trim()).expect("JSON");
    assert_eq!(found["games"], 18, "{found}");
    let champion = found["champion"].as_object().expect("a champion");
    let names: Vec<&str> = champion.keys().map(String::as_str).collect();
    assert_eq!(names, ["options.UCI_Chess960", "options.futility_1", "options.null_move"]);
    let margin = champion["options.futility_1"].as_f64().expect("a number");
    assert!(margin.fract() == 0.0 && (100.0..=900.0).contains(&margin), "{found}");
    let starts = std::fs::read_to_string(folder.path().join("starts")).expect("a file");
    // Twice to see whether it takes the options; then the player and its opponent, for nine players in eighteen games.
    assert_eq!(starts.lines().count(), 4, "{starts}");
    for words in ["list", "show mine-1", "report mine-1 -o FILE", "export mine-1 --csv"] {
        let words = words.replace("FILE", &format!("{lab}/x.html"));
        let run = gamete(words.split(' ').chain(["--lab", lab]));
        assert_eq!(run.status, Some(0), "{words}: {}", run.err);
        assert!(!run.out.contains("+engines-"), "{words}: {}", run.out);
    }
    let report = std::fs::read_to_string(folder.path().join("x.html")).expect("a report");
    assert!(!report.contains("+engines-"));
}

#[test]
fn an_engine_plays_against_itself_with_other_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let lab = folder.path().to_str().expect("a path in UTF-8");
    let text = experiment(folder.path(), "Hash = 1\nfutility_1 = [100, 900]\nnull_move = [0, 1]\n");
    let text = text.replace("ga.population = 3", "optimizer = 'spsa'\nspsa = { in_flight = 3, r_end = 2 }");
    std::fs::write(&path, text).expect("a file");
    let run = gamete(["evolve", path.to_str().expect("UTF-8"), "--lab", lab, "--concurrency", "1", "--json"]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let found: serde_json::Value = serde_json::from_str(run.out.trim()).expect("JSON");
    // Three generations of three pairs between the two sides of the present values.
    assert_eq!(found["games"], 18, "{found}");
    let margin = found["champion"]["options.futility_1"].as_f64().expect("a number");
    assert!(margin.fract() == 0.0 && (100.0..=900.0).contains(&margin), "{found}");
    let starts = std::fs::read_to_string(folder.path().join("starts")).expect("a file");
    assert_eq!(starts.lines().count(), 4, "twice to look at its options, and both sides: {starts}");
}

#[test]
fn an_engine_that_fails_loses_and_is_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let script = "while read line; do case $line in uci) echo option name Move Overhead type spin default 1 min 0 max 9; \
                  echo uciok;; isready) echo readyok;; go*) exit 1;; quit) exit 0;; esac; done";
    let text = format!(
        "method = 'optimize'\ngenerations = 2\nlimits = 'depth=1'\nga.population = 3\nmatch.pairs = 1\n\
         match.engine = ['sh', '-c', {script:?}]\n[options]\n'Move Overhead' = [0, 9]\n"
    );
    std::fs::write(&path, text).expect("a file");
    let lab = folder.path().to_str().expect("UTF-8");
    let run = gamete(["evolve", path.to_str().expect("UTF-8"), "--lab", lab, "--verify", "3"]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.err.contains("(sh) loses a game by a fault, abandoned: "), "{}", run.err);
    assert!(
        run.err.contains("--verify 3 has no effect: what it breeds are options of an engine"),
        "{}",
        run.err
    );
    assert!(run.out.contains("12 games lost by a fault"), "{}", run.out);
    let export = gamete(["export", "mine-1", "--json", "--lab", lab]);
    let found: serde_json::Value = serde_json::from_str(export.out.trim()).expect("JSON");
    assert_eq!(found["runs"][0]["generations"][2]["fitness"], serde_json::json!([0.0, 0.0, 0.0]));
    assert_eq!(found["runs"][0]["generations"][2]["summary"]["faults"], 6);

    let value = found["result"]["champion"][0][1].as_f64().expect("a number");
    let option = format!("option.Move Overhead={value}");
    let show = gamete(["show", "mine-1", "--lab", lab]);
    assert!(show.out.lines().any(|line| line == option), "{}", show.out);
    for words in ["show mine-1 --player", "compare mine-1 chess/classic", "compare mine-1@0 chess/classic"] {
        let run = gamete(words.split(' ').chain(["--lab", lab]));
        assert_eq!(run.status, Some(1), "{words}: {}", run.out);
        let words = "it tunes options of an engine, not a player of Gamete; to let it play: gamete match -engine cmd=sh";
        assert!(run.err.contains(words) && run.err.contains("'option.Move Overhead="), "{}", run.err);
    }
}

#[test]
fn arms_that_seek_different_things_have_no_mean() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let text = "method = 'optimize'\nobjective = 'function'\ngenerations = 2\nga.population = 3\n\
                [[arms]]\nname = 'sphere'\n[[arms]]\nname = 'elo'\nset = { function.name = 'elo' }\n[[arms]]\n\
                name = 'four'\nset = { objective = 'match', model = 'connect-four/lines', limits = 'depth=1' }\n";
    std::fs::write(&path, text).expect("a file");
    let lab = folder.path().to_str().expect("UTF-8");
    let evolve = |more: &[&str]| {
        let words = ["evolve", path.to_str().expect("UTF-8"), "--lab", lab, "--verify", "0"];
        let run = gamete(words.iter().chain(more));
        assert_eq!(run.status, Some(0), "{}", run.err);
        run.out
    };
    let shown = evolve(&[]);
    assert!(shown.contains("arms seek different things, so their champions have no mean"), "{shown}");
    for words in
        ["\nsphere: ", "\nelo: ", "\nfour: ", "\nx4 ", "\nthree ", "gamete show mine-1/four --player"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(shown.matches("the best point that was found, fitness ").count(), 3, "{shown}");
    assert!(!shown.contains("NaN"), "{shown}");
    let found: serde_json::Value = serde_json::from_str(&evolve(&["--json"])).expect("JSON");
    assert_eq!(found["champion"], serde_json::json!({}));
    let player = gamete(["show", "mine-1/four", "--player", "--lab", lab]);
    assert!(player.out.contains("connect-four/lines"), "{}", player.err);
    let none = gamete(["show", "mine-1/elo", "--player", "--lab", lab]);
    assert!(none.err.contains("what it breeds are numbers of a test function, not players"), "{}", none.err);
    let unnamed = gamete(["show", "mine-1/four@1#1", "--lab", lab]);
    assert!(unnamed.err.contains("`gamete show 'mine-1/four@1#1' --player"), "{}", unnamed.err);
}

#[test]
fn settings_of_the_search_are_shown_as_they_play() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let lab = folder.path().to_str().expect("UTF-8");
    let common = "generations = 2\nlimits = 'depth=1'\nmax_moves = 6\npreset = 'full'\nmodel = 'chess/material'\n\
                  weights.knight = [2000, 4000]\nsearch.null_move_reduction = [1, 4]\n";
    for (method, ranks) in
        [("population = 4\n", false), ("method = 'optimize'\nga.population = 3\nmatch.pairs = 1\n", true)]
    {
        std::fs::write(&path, format!("{method}{common}")).expect("a file");
        let words = ["evolve", path.to_str().expect("UTF-8"), "--lab", lab, "--verify", "0"];
        let run = gamete(words);
        assert_eq!(run.status, Some(0), "{}", run.err);
        assert!(!run.out.contains("in pawns"), "{}", run.out);
        let rows: Vec<&str> = run.out.lines().skip_while(|line| !line.contains("evolved")).take(3).collect();
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "columns: {}", run.out);
        assert_eq!(run.out.contains(", fitness "), ranks, "{}", run.out);
        let show = gamete(["show", "mine-1", "--json", "--lab", lab]);
        let found: serde_json::Value = serde_json::from_str(show.out.trim()).expect("JSON");
        assert_eq!(found["fitness"].is_number(), ranks, "{found}");
        let reduction = found["champion"]["search.null_move_reduction"].as_f64().expect("a number");
        assert!([1.0, 2.0, 3.0, 4.0].contains(&reduction), "{found}");
        assert_eq!(gamete(["delete", "mine-1", "--yes", "--lab", lab]).status, Some(0));
    }
}

#[test]
fn what_was_begun_needs_no_player_file_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let rival = text("rival.toml");
    std::fs::write(&rival, "model = 'chess/material'\n").expect("a file");
    let head = "method = 'optimize'\nmodel = 'chess/material'\ngenerations = 1\nlimits = 'depth=1'\nmax_moves = 6\n\
                ga.population = 3\nmatch.pairs = 1\n";
    let one = format!("{head}match.opponents = [{rival:?}]\n");
    let arms = format!(
        "{head}[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\nset = {{ match.opponents = [{rival:?}] }}\n"
    );
    let lab = text("lab");
    let run = |words: &[&str]| gamete(words.iter().copied().chain(["--lab", &lab]));
    for (name, content) in [("one", &one), ("arms", &arms)] {
        let file = text(&format!("{name}.toml"));
        std::fs::write(&file, content).expect("a file");
        let digest = |run: &common::Run| -> serde_json::Value {
            assert_eq!(run.status, Some(0), "{}", run.err);
            serde_json::from_str::<serde_json::Value>(run.out.trim()).expect("JSON")["digest"].clone()
        };
        let evolve = ["evolve", &file, "--json", "--verify", "0"];
        let before = digest(&run(&evolve));
        std::fs::rename(&rival, text("gone")).expect("a file that goes away");
        let id = format!("{name}-1");
        for words in [&["list"][..], &["show", &id], &["export", &id, "--csv"], &["report", &id]] {
            let run = run(words);
            assert_eq!(run.status, Some(0), "{words:?}: {}", run.err);
        }
        let again = run(&evolve);
        assert_eq!(digest(&again), before);
        assert!(again.err.contains(&format!("{id} has what was in it")), "{}", again.err);
        let other = run(&["evolve", &file, "--seed", "2"]);
        assert!(
            other.status == Some(1) && other.err.contains("is neither a player file nor a model"),
            "{}",
            other.err
        );
        std::fs::rename(text("gone"), &rival).expect("the file");
    }
}

#[test]
fn options_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let error = |content: &str| {
        std::fs::write(&path, content).expect("a file");
        let run = gamete(["evolve", path.to_str().expect("UTF-8"), "--print"]);
        assert_eq!(run.status, Some(1), "{}", run.out);
        run.err
    };
    let played = |options: &str| {
        std::fs::write(&path, experiment(folder.path(), options)).expect("a file");
        let lab = folder.path().join("lab");
        let run = gamete(["evolve", path.to_str().expect("UTF-8"), "--lab", lab.to_str().expect("UTF-8")]);
        assert_eq!(run.status, Some(1), "{}", run.out);
        run.err
    };
    let refused = |options: &str, words: &str| {
        let err = played(options);
        assert!(err.contains(words) && !err.contains("Warning"), "{err}");
    };
    refused("Contempt = [1, 2]", "unknown key \"options.Contempt\"; the answer of Gamete");
    refused("futility1 = [1, 2]", "did you mean \"options.futility_1\"?");
    refused(
        "futility_1 = [1, 100000]",
        "options.futility_1: [1, 100000]: give two whole numbers, at most [0, 1023]",
    );
    refused("futility_1 = [false, true]", "options.futility_1: [false, true]: give two whole numbers");
    refused("UCI_Chess960 = [0, 1]", "options.UCI_Chess960: [0, 1]: give [false, true]");
    refused("Hash = 0\nfutility_1 = [1, 2]", "options.Hash: 0: give a number from 1 to");
    for (name, kind) in [("Preset", "combo"), ("Player", "string"), ("'Clear Hash'", "button")] {
        refused(
            &format!("{name} = [1, 2]"),
            &format!("it is of type {kind}, and only options of type spin and check"),
        );
    }
    let of = |options: &str| error(&experiment(folder.path(), options));
    assert!(of("Hash = 1").contains("options: none has a range; give one to an option that is sought"));
    assert!(
        of("Hash = [1.5, 2]").contains("options.Hash: [1.5, 2]: give two whole numbers, the smaller first")
    );
    assert!(
        of("'Move Overhead' = [2, 1]")
            .contains("options.\"Move Overhead\": [2, 1]: the smaller number comes first")
    );
    assert!(of("Hash = [1, 2]\n[weights]\npawn = [1, 2]").contains("unknown key \"weights\""));
    let none = error("method = 'optimize'\noptions.Hash = [1, 2]");
    assert!(none.contains("options.Hash: only engines have options; name one as match.engine"), "{none}");
    assert!(error("options.Hash = [1, 2]").contains("unknown key \"options\""));
}
