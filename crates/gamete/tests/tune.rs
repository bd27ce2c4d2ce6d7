//! `gamete tune`: options of a UCI engine, and weights and settings of our own players.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::gamete;
use gamete_lab::Store;
use serde_json::Value;

/// Runs a tune in a lab of a folder, with words set apart by blanks.
fn tune(folder: &Path, words: &str) -> common::Run {
    let lab = folder.join("lab");
    let words = words.replace("FOLDER", folder.to_str().expect("UTF-8"));
    let words: Vec<String> = words.split_whitespace().map(|word| word.replace('~', " ")).collect();
    gamete(
        ["tune"]
            .into_iter()
            .map(str::to_owned)
            .chain(words)
            .chain(["-lab".into(), lab.display().to_string()]),
    )
}

fn json(run: &common::Run) -> Value {
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(run.out.trim()).expect("JSON")
}

/// Our own engine as a script, which says in a file how often it was started.
fn engine(folder: &Path) -> String {
    let program = env!("CARGO_BIN_EXE_gamete");
    let script = format!("#!/bin/sh\necho start >> starts\nexec '{program}' uci\n");
    program_of(folder, "engine.sh", &script);
    format!("-engine cmd=./engine.sh dir={} option.Hash=1", folder.display())
}

fn program_of(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

fn starts(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("starts")).expect("a file").lines().count()
}

/// The twenty first moves, one of them twice.
fn book(folder: &Path) {
    let pawns = "abcdefgh".chars().flat_map(|file| [format!("{file}3"), format!("{file}4")]);
    let moves = pawns.chain(["Na3", "Nc3", "Nf3", "Nh3", "e4"].map(str::to_owned));
    let games: String = moves.map(|mv| format!("[Result \"*\"]\n\n1. {mv} *\n\n")).collect();
    std::fs::write(folder.join("book.pgn"), games).expect("a file");
}

/// Kills the program after so long; gives whether it was still at work.
fn killed(folder: &Path, words: &[String], pause: Duration) -> bool {
    let mut program = Command::new(env!("CARGO_BIN_EXE_gamete"));
    program.arg("tune").args(words).arg("-lab").arg(folder.join("lab"));
    let mut program = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a program to run");
    std::thread::sleep(pause);
    let is_at_work = program.try_wait().expect("a child").is_none();
    // SIGKILL.
    let _ = program.kill();
    program.wait().expect("a child");
    is_at_work
}

#[test]
fn kills_of_a_tune_of_an_engine_lose_nothing_and_count_nothing_twice() {
    let words = "-params FOLDER/params.txt -method spsa in_flight=2 -games 60 -pairs 1 -verify games=20 -srand 3 -each depth=2 \
                 -maxmoves 12 material -concurrency 2 -json";
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [whole, resumed] = folders.each_ref().map(|folder| {
        let folder = folder.path();
        std::fs::write(folder.join("params.txt"), "futility_1, int, 300, 0, 900, 40, 0.002\n")
            .expect("a file");
        format!("{} {words}", engine(folder).replace("-engine", "-engine name=own"))
    });
    let whole = json(&tune(folders[0].path(), &whole));
    let folder = folders[1].path();
    let resumed_words: Vec<String> = resumed
        .split_whitespace()
        .map(|word| word.replace("FOLDER", folder.to_str().expect("UTF-8")))
        .collect();
    let mut landed = 0;
    let mut played = Vec::new();
    for number in 0..6_u64 {
        landed += u32::from(killed(folder, &resumed_words, Duration::from_millis(250 + 150 * number)));
        let list = gamete(["list", "--json", "--lab", &folder.join("lab").display().to_string()]);
        let list: Value = serde_json::from_str(&list.out).unwrap_or_default();
        played.push(list[0]["games"].as_u64().unwrap_or(0));
    }
    assert!(landed > 0, "the tune was over before it was killed");
    assert!(played.is_sorted(), "{played:?}: what was played is kept");
    let resumed = json(&tune(folder, &resumed));
    for key in ["digest", "games", "values", "elo", "verdict"] {
        assert_eq!(whole[key], resumed[key], "{key}");
    }
    eprintln!("{landed} kills before the end, after {played:?} games");
}

const SHORT: &str = "-each depth=1 -maxmoves 4 material -concurrency 1";

#[test]
fn options_of_an_engine_are_tuned_and_verified_from_openings_that_were_held_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    book(folder);
    let engine = engine(folder);
    // Without captures beyond the last ply an engine plays badly, and soon knows better.
    let params = "quiescence, int, 0, 0, 3, 1, 0.5\nfutility_1, int, 300, 0, 900, 40, 0.002\nnull_move, int, 1, 1, 1, 0, 0\n";
    std::fs::write(folder.join("params.txt"), params).expect("a file");
    let words = format!(
        "{engine} option.quiescence_plies=2 -params FOLDER/params.txt -method spsa in_flight=2 -games 24 -pairs 2 -openings file=FOLDER/book.pgn \
         -verify games=100 depth=2 -each depth=1 -maxmoves 8 material -concurrency 1 -json"
    );
    let run = tune(folder, &words);
    let found = json(&run);
    for words in [
        "params.txt: OpenBench, 3 parameters",
        "openings: ",
        "10 to play, 10 held out",
        "-openings: 10 openings are held out, and at fixed nodes or depth each is played once: 20 games verify the result instead of 100",
    ] {
        assert!(run.err.contains(words), "{words}: {}", run.err);
    }
    let values = found["values"].as_object().expect("values");
    assert_eq!(values.keys().collect::<Vec<_>>(), ["futility_1", "null_move", "quiescence"]);
    assert!(values.values().all(Value::is_i64), "{found}");
    assert_eq!(found["original"]["futility_1"], 300);
    assert_eq!((&values["null_move"], &found["kept"]), (&Value::from(1), &Value::from(vec!["null_move"])));
    assert_eq!(found["games"], 24);
    // Fixed depth has nothing new to say of an opening that was played.
    let verification = found["verification"].as_array().expect("matches");
    assert_eq!(verification.len(), 2, "{found}");
    for (one, limits) in verification.iter().zip(["depth=1", "depth=2"]) {
        assert_eq!((&one["pairs"], &one["limits"]), (&Value::from(10), &Value::from(limits)), "{one}");
        assert!(["stronger", "no gain found"].iter().any(|word| one["verdict"] == *word), "{one}");
        assert!(one["openings"].as_str().is_some_and(|text| text.contains("10 held out")), "{one}");
    }
    assert!(values["quiescence"].as_f64().is_some_and(|value| value > 0.0), "{found}");
    assert_eq!(
        (&found["verdict"], &found["recommended"], &found["elo_high"]),
        (&Value::from("stronger"), &Value::from("tuned"), &Value::Null),
        "all pairs are won"
    );
    // Once to read its options, twice to see whether it takes the values; then both sides of all games, search and verification.
    assert_eq!(starts(folder), 5, "options are set between games");

    let id = found["id"].as_str().expect("a name");
    assert!(id.starts_with("tune-engine-1-"), "{id}");
    let again = json(&tune(folder, &words));
    assert_eq!((&again["digest"], &again["values"]), (&found["digest"], &found["values"]));
    assert_eq!(starts(folder), 6, "nothing is played again");
    let lab = folder.join("lab").display().to_string();
    let show = gamete(["show", id, "--lab", &lab]);
    for words in [
        "original",
        "setoption name quiescence value ",
        "#define quiescence ",
        "verdict: stronger",
        "quiescence, int, ",
        "setoption name null_move value 1",
        "null_move = 1 # kept",
        "#define null_move 1 // kept",
    ] {
        assert!(show.out.contains(words), "{words}: {}", show.out);
    }
    let places = ["quiescence", "futility_1", "null_move"]
        .map(|name| show.out.find(&format!("setoption name {name} ")));
    assert!(places.is_sorted(), "as in the file: {}", show.out);
    let next = found["next"][0].as_str().expect("a command");
    for words in ["-each depth=1 -rounds", "/book.pgn order=random ", " -maxmoves 8 material"] {
        assert!(next.contains(words), "{words}: {next}");
    }
    for words in ["list", "export ID --csv", "report ID", "show ID --json", "show ID --file"] {
        let run = gamete(words.replace("ID", id).split(' ').chain(["--lab", &lab]));
        assert_eq!(run.status, Some(0), "{words}: {}", run.err);
    }
    let report = std::fs::read_to_string(folder.join("lab").join(format!("{id}.html"))).expect("a report");
    for words in ["Tuned values", "The values for OpenBench", "10 held out"] {
        assert!(report.contains(words), "{words}");
    }
    for words in ["population", "onvergence"] {
        let head = report.split("id=\"repeat\"").next().expect("a head");
        assert!(!head.contains(words), "{words} is none of a tune's");
    }
    let fresh = json(&tune(folder, &format!("{words} -fresh")));
    assert_eq!(fresh["digest"], found["digest"]);
    assert!(starts(folder) > 8, "all is played again");
}

#[test]
fn weights_and_settings_of_our_players_are_tuned_alike_on_any_number_of_threads() {
    let params = "knight = { value = 0, min = 0, max = 4000, step = 200 }\n\
                  'search.null_move_reduction' = [1, 4]\nbishop = 3300\n";
    let digests = ["1", "2"].map(|threads| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("params.toml"), params).expect("a file");
        let words = format!(
            "-engine model=chess/material -params FOLDER/params.toml -method ga population=4 -games 16 -pairs 2 \
             -each nodes=50 -maxmoves 6 material -verify games=20 -sprt elo0=0 elo1=300 -json -concurrency {threads}"
        );
        let found = json(&tune(folder.path(), &words));
        let names: Vec<&String> = found["values"].as_object().expect("values").keys().collect();
        assert_eq!(names, ["bishop", "knight", "search.null_move_reduction"]);
        assert_eq!(found["original"]["knight"], 0.0);
        let one = &found["verification"][0];
        assert!(one["sprt"]["llr"].is_number() && one["pairs"].as_u64().is_some_and(|pairs| pairs <= 10), "{one}");
        assert!(found["training_elo"].is_number() || found["training_elo"].is_null(), "{found}");
        let lab = folder.path().join("lab").display().to_string();
        let player = gamete(["show", found["id"].as_str().expect("a name"), "--player", "--lab", &lab]);
        assert!(player.out.contains("bishop = 3300") && player.out.contains("knight = "), "{}", player.out);
        (found["digest"].clone(), one["ptnml"].clone())
    });
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn parameters_that_the_engine_does_not_take_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let engine = engine(folder);
    let refused = |params: &str, words: &str| {
        std::fs::write(folder.join("params.txt"), params).expect("a file");
        let run = tune(folder, &format!("{engine} -params FOLDER/params.txt -games 8 {SHORT}"));
        assert_eq!(run.status, Some(1), "{}", run.out);
        assert!(run.err.contains(words) && run.err.contains("params.txt: "), "{words}: {}", run.err);
    };
    refused("futility1,300,0,900,40,0.002", "futility1: Gamete");
    refused("futility1,300,0,900,40,0.002", "has no such option; did you mean futility_1?");
    refused("futility_1,300,0,9000,40,0.002", "futility_1: the range 0 to 9000 is not within what Gamete");
    refused(
        "Preset,1,0,2,1,0.002",
        "Preset: it is of type combo, and only options of type spin can be tuned",
    );
    refused("futility_1,300,900,0,40,0.002", "params.txt: line 1: futility_1: min 900 is above max 0");
    refused("\nfutility_1,300,0,900,0,0.002", "params.txt: line 2: futility_1: c_end 0 changes nothing");
    refused(
        "futility_1,300,0,900,0.2,0.002",
        "rounds to nothing, as the parameter is whole; the smallest that works is 0.5",
    );
    let error = |words: &str, text: &str| {
        let run = tune(folder, &format!("{words} -games 8 {SHORT}"));
        assert!(run.status == Some(1) && run.err.contains(text), "{text}: {}", run.err);
    };
    error(&format!("{engine} -params FOLDER/none.txt"), "none.txt: cannot be read");
    error(&format!("{engine} -params auto:nothing*"), "-params auto:nothing*: no spin option of Gamete");
    error(
        &format!("{engine} -params auto:futility_1 -freeze futility_1"),
        "-freeze futility_1: nothing is left to tune",
    );
    error(
        &format!("{engine} -params auto:futility_1 -freeze razor"),
        "-freeze: no parameter is called \"razor\"",
    );
    error("-engine cmd=FOLDER/none -params auto", "none");
    error(
        &format!("{engine} -params auto:futility_1 -openings file=FOLDER/none.epd"),
        "there is no such file",
    );
    std::fs::write(folder.join("one.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n")
        .expect("a file");
    error(
        &format!("{engine} -params auto:futility_1 -openings file=FOLDER/one.epd"),
        "has 1 different opening(s)",
    );
    let auto = tune(folder, &format!("{engine} -params auto -games 8 {SHORT} -print"));
    assert!(auto.err.contains("left out, as they do not affect strength: Hash"), "{}", auto.err);
    assert!(auto.out.contains("[parameters.\"options.futility_1\"]"), "{}", auto.out);
    assert!(
        auto.out.contains("90 parameters of engine by spsa"),
        "more than a model has room for: {}",
        auto.out
    );
    let few = tune(folder, &format!("{engine} -params auto:futility_* -games 8 {SHORT} -print"));
    assert!(few.out.contains("optimizer = \"pairs\"") && few.out.contains("\npairs = 1 "), "{}", few.out);
}

#[test]
fn an_engine_that_crashes_in_every_game_stops_the_tune() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "#!/bin/sh\nwhile read line; do case $line in uci) echo option name Depth type spin default 4 min 0 max 9; \
                  echo uciok;; isready) echo readyok;; go*) echo net.bin is missing >&2; exit 3;; quit) exit 0;; esac; done\n";
    program_of(folder.path(), "broken.sh", script);
    let words =
        "-engine cmd=FOLDER/broken.sh -params auto -games 200 -name mine -concurrency 1 -each depth=1";
    let run = tune(folder.path(), words);
    assert_eq!(run.status, Some(1), "{}", run.out);
    for words in [
        "20 games in a row ended by a fault",
        "net.bin is missing",
        "the same command resumes, or starts over with -fresh",
    ] {
        assert!(run.err.contains(words), "{words}: {}", run.err);
    }
    let lab = folder.path().join("lab").display().to_string();
    let list = gamete(["list", "--json", "--lab", &lab]);
    let list: Value = serde_json::from_str(list.out.trim()).expect("JSON");
    assert_eq!((&list[0]["id"], &list[0]["finished"]), (&Value::from("mine-1"), &Value::from(false)));
    program_of(folder.path(), "broken.sh", &format!("{script}# mended\n"));
    let mended = tune(folder.path(), words);
    for words in ["the program ", "start over with -fresh"] {
        assert!(mended.status == Some(1) && mended.err.contains(words), "{words}: {}", mended.err);
    }
}

#[test]
fn an_engine_that_does_not_answer_is_given_up_soon() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "#!/bin/sh\nwhile read line; do case $line in uci) echo option name Depth type spin default 4 min 0 max 9; \
                  echo uciok;; isready) echo readyok;; ucinewgame) echo net.bin is missing >&2; exec sleep 100;; quit) exit 0;; esac; done\n";
    program_of(folder.path(), "silent.sh", script);
    let run = tune(
        folder.path(),
        "-engine cmd=FOLDER/silent.sh -params auto -games 200 -concurrency 1 -each depth=1 -ucinewgame-ms 20",
    );
    assert_eq!(run.status, Some(1), "{}", run.out);
    assert!(
        run.err.contains("4 games in a row ended by a fault") && run.err.contains("ms: net.bin is missing"),
        "{}",
        run.err
    );
}

#[test]
fn a_tune_that_runs_is_not_begun_again_and_one_that_was_changed_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "-engine model=chess/material -params auto:knight -method ga population=3 -games 7 -pairs 1 -name mine \
                 -each depth=1 -maxmoves 4 material -verify games=0 -json";
    let run = tune(folder.path(), words);
    let found = json(&run);
    assert_eq!((&found["id"], &found["verdict"]), (&Value::from("mine-1"), &Value::from("no gain found")));
    assert_eq!(found["recommended"], "original");
    assert!(run.err.contains("by ga, 6 games at depth=1") && found["games"] == 6, "{}", run.err);
    let changed = tune(folder.path(), &words.replace("-games 7", "-games 12"));
    assert!(
        changed.status == Some(1) && changed.err.contains("is in the lab with other settings"),
        "{}",
        changed.err
    );
    assert!(changed.err.contains("change them with -change"), "{}", changed.err);
    let store = Store::open(&folder.path().join("lab")).expect("a lab");
    let _claim = store.claim("mine-1").expect("nobody else runs it");
    let second = tune(folder.path(), words);
    assert_eq!(second.status, Some(1), "{}", second.out);
    assert!(
        second.err.contains("mine-1") && second.err.contains("another -name or -srand"),
        "{}",
        second.err
    );
}

#[test]
fn a_dry_run_says_what_parameters_are_worth_and_proposes_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // A queen that is hardly worth a pawn costs games; a rook that is worth no less than 5 pawns costs none that few games show.
    let params = "queen = { value = 3000, min = 0, max = 12000, step = 2500 }\nrook = { value = 5000, min = 4000, max = 6000, step = 50 }\n";
    std::fs::write(folder.join("params.toml"), params).expect("a file");
    let words = "-engine model=chess/material -params FOLDER/params.toml -games 20000 -dry-run games=160 -each depth=1 \
                 -maxmoves 24 material -concurrency 1 -json -o FOLDER/proposed.toml";
    let found = json(&tune(folder, words));
    let [queen, rook] = [0, 1].map(|place| found["parameters"][place].clone());
    assert_eq!((&queen["name"], &queen["worth"]), (&Value::from("queen"), &Value::from("yes")), "{found}");
    assert!(queen["slope"].as_f64() > queen["slope_precision"].as_f64(), "a step up is better: {queen}");
    assert_eq!((&rook["name"], &rook["worth"]), (&Value::from("rook"), &Value::from("unclear")), "{found}");
    assert_eq!((&found["games"], &found["planned_games"]), (&Value::from(160), &Value::from(20_000)));
    assert!(found["planned_match_precision"].as_f64() < found["match_precision"].as_f64());
    let proposed = std::fs::read_to_string(folder.join("proposed.toml")).expect("a file");
    assert_eq!(Some(proposed.as_str()), found["proposed"].as_str());
    assert!(proposed.contains("# worth it: yes; a step of 2500 up: +"), "{proposed}");
    let again = json(&tune(folder, words));
    assert_eq!((&again["digest"], &again["parameters"]), (&found["digest"], &found["parameters"]));
    let id = found["id"].as_str().expect("a name");
    assert!(id.starts_with("tune-chess-material-dry-run-1-"), "{id}");
    let lab = folder.join("lab").display().to_string();
    let show = gamete(["show", id, "--lab", &lab]);
    assert!(show.out.contains("proposed: -method pairs"), "{}", show.out);
    let report = std::fs::read_to_string(folder.join("lab").join(format!("{id}.html"))).expect("a report");
    assert!(report.contains("What a step is worth"));

    // What is proposed is what a tune takes, in both forms.
    let lines = words.replace("proposed.toml", "proposed.txt").replace(" -json", "");
    let text = tune(folder, &lines);
    assert!(text.out.contains("-method pairs, without -dry-run and -o"), "{}{}", text.out, text.err);
    for (file, form) in [("proposed.toml", "TOML"), ("proposed.txt", "OpenBench")] {
        let run = tune(
            folder,
            &format!(
                "-engine model=chess/material -params FOLDER/{file} -method pairs -games 20 -each depth=1 -print"
            ),
        );
        assert!(run.status == Some(0) && run.err.contains(&format!("{form}, 2 parameters")), "{}", run.err);
    }
    let nowhere = tune(folder, &words.replace("proposed.toml", "nowhere/proposed.toml"));
    assert!(nowhere.status == Some(1) && nowhere.err.contains("nowhere"), "{}", nowhere.err);
}

#[test]
fn a_tune_tells_what_it_expects_and_draws_how_parameters_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(
        folder.join("params.toml"),
        "queen = { value = 3000, min = 0, max = 12000, step = 2000 }\n",
    )
    .expect("a file");
    let words = "-engine model=chess/material -params FOLDER/params.toml -games 160 -pairs 1 -verify games=0 -each depth=1 \
                 -maxmoves 20 material -concurrency 1";
    let pairs = tune(folder, &format!("{words} -method pairs -name pairs"));
    for words in [" left; ", " Elo expected; queen 3000 → "] {
        assert!(pairs.err.contains(words), "{words}: {}", pairs.err);
    }
    let simplex = tune(folder, &format!("{words} -method nelder-mead -name simplex"));
    assert!(simplex.err.contains("best score "), "{}", simplex.err);
    let report =
        |id: &str| std::fs::read_to_string(folder.join("lab").join(format!("{id}.html"))).expect("a report");
    let [pairs, simplex] = [report("pairs-1"), report("simplex-1")];
    assert!(pairs.contains("Elo over the start that the search expects") && pairs.contains("queen by games"));
    assert!(simplex.contains("Step size, relative") && simplex.contains("Score of the best"));
    assert!(!pairs.contains("Step size, relative"), "what a method does not have is not drawn");
    assert!(
        !simplex.contains("The landscape around") && !pairs.contains("The landscape around"),
        "one parameter has no plane"
    );
}

#[test]
fn weights_of_ours_are_tuned_by_gradient_from_a_corpus_and_verified_by_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let params = "knight, float, 2500, 0, 9000, 100, 0.002\nrook, float, 4000, 0, 9000, 100, 0.002\n";
    std::fs::write(folder.join("params.txt"), params).expect("a file");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gamete-lab/src/testing/mentor.corpus");
    let words = format!(
        "-engine model=chess/material -params FOLDER/params.txt -method texel corpus={} l2=0.0001 generations=5 -verify games=20 {SHORT} -json",
        corpus.display()
    );
    let run = tune(folder, &words);
    let found = json(&run);
    assert!(run.err.contains("2 parameters of chess/material by texel, without games"), "{}", run.err);
    assert_eq!(found["original"]["knight"], 2500.0);
    assert_ne!(found["values"]["rook"], 4000.0, "{found}");
    assert_eq!(found["games"], 0);
    assert_eq!(found["verification"][0]["pairs"], 10, "{found}");
    assert_eq!(found["training_elo"], Value::Null);
    let again = json(&tune(folder, &words.replace("concurrency 1", "concurrency 2")));
    assert_eq!((&again["digest"], &again["values"]), (&found["digest"], &found["values"]));
    let nowhere = tune(folder, &words.replace("mentor.corpus", "nothing.corpus"));
    assert!(nowhere.status == Some(1) && nowhere.err.contains("nothing.corpus"), "{}", nowhere.err);
}

#[test]
fn a_tune_takes_no_other_openings_under_the_same_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    book(folder);
    let words = "-engine model=chess/material -params auto:knight -method random -games 4 -pairs 1 -name mine \
                 -openings file=FOLDER/book.pgn -each depth=1 -maxmoves 4 material -verify games=0 -json";
    let found = json(&tune(folder, words));
    let path = folder.join("book.pgn");
    let text = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, text.replace("1. a3", "1. e3 e6 2. a3")).expect("a file");
    let other = tune(folder, words);
    assert_eq!(other.status, Some(1), "{}", other.out);
    for words in ["match.openings", "book.pgn\": its openings are not those that the experiment began with"] {
        assert!(other.err.contains(words), "{words}: {}", other.err);
    }
    std::fs::write(&path, text).expect("a file");
    assert_eq!(json(&tune(folder, words))["digest"], found["digest"]);
}

#[test]
fn a_tune_that_is_changed_is_verified_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "queen = { value = 3000, min = 0, max = 6000, step = 2000 }\nrook = { value = 5000, min = 0, max = 9000, step = 900 }\n";
    std::fs::write(folder.path().join("params.toml"), text).expect("a file");
    let words = |more: &str| {
        format!(
            "-engine model=chess/material -params FOLDER/params.toml -method spsa -pairs 1 -each depth=1 -maxmoves 8 material \
             -concurrency 1 -name mine -json {more}"
        )
    };
    let limits = |of: &Value| of["verification"].as_array().map_or(0, Vec::len);
    let before = json(&tune(folder.path(), &words("-games 32 -verify games=4 depth=2")));
    assert_eq!(limits(&before), 2, "{before}");
    let after = json(&tune(folder.path(), &words("-games 64 -verify games=0 -change")));
    assert_ne!(before["values"], after["values"]);
    assert_eq!(limits(&after), 0, "games of other values say nothing of these: {after}");
}

#[test]
fn a_changed_tune_is_resumed_without_naming_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = |games: u32, more: &str| {
        format!(
            "-engine model=chess/material -params auto:knight -games {games} -each depth=1 -maxmoves 4 material -verify games=0 \
             -concurrency 1 -json {more}"
        )
    };
    let begun = json(&tune(folder.path(), &words(32, "")));
    let id = begun["id"].as_str().expect("a name");
    let changed = json(&tune(folder.path(), &words(64, &format!("-change {id}"))));
    for more in ["", "-change"] {
        let again = json(&tune(folder.path(), &words(64, more)));
        assert_eq!((&again["id"], &again["digest"]), (&changed["id"], &changed["digest"]), "{more}");
    }
    // A new one that is begun in spite of it has a name of its own.
    let fresh = json(&tune(folder.path(), &words(64, "-fresh")));
    assert_ne!(fresh["id"], changed["id"]);
    let again = json(&tune(folder.path(), &words(64, "")));
    assert_eq!((&again["id"], &again["digest"]), (&fresh["id"], &fresh["digest"]), "the one that began so");
    let other = json(&tune(folder.path(), &words(96, "")));
    assert_ne!(other["id"], begun["id"], "nothing was changed into this one");
    let method = tune(folder.path(), &words(64, &format!("-method bspsa -change {id}")));
    assert!(method.err.contains("optimizer was \"pairs\", and is now \"bspsa\""), "{}", method.err);
}

#[test]
fn a_tune_goes_on_with_more_games_and_other_ranges() {
    let folders = [tempfile::tempdir(), tempfile::tempdir()].map(|folder| folder.expect("a folder"));
    let [folder, other] = folders.each_ref().map(tempfile::TempDir::path);
    let params = |most: u32| {
        let text = format!(
            "queen = {{ value = 3000, min = 0, max = {most}, step = 2000 }}\nrook = {{ value = 5000, min = 0, max = 9000, step = 900 }}\n"
        );
        for folder in [folder, other] {
            std::fs::write(folder.join("params.toml"), &text).expect("a file");
        }
    };
    let words = |method: &str, games: u32| {
        format!(
            "-engine model=chess/material -params FOLDER/params.toml -method {method} -games {games} -pairs 1 -verify games=0 \
             -each depth=1 -maxmoves 8 material -concurrency 1 -name {method} -json"
        )
    };
    let change = |method: &str, games: u32| tune(folder, &format!("{} -change", words(method, games)));
    for (method, is_same) in [("pairs", true), ("spsa", false), ("cma-es", false)] {
        params(6000);
        json(&tune(folder, &words(method, 32)));
        let run = change(method, 64);
        let more = json(&run);
        assert!(run.err.contains("changed after 32 of 32 games"), "{}", run.err);
        assert_eq!(more["games"], 64);
        // More games of a method that does not plan them, and whose generations end with them, are those that it would have played at once.
        let at_once = json(&tune(other, &words(method, 64)));
        assert_eq!(more["digest"] == at_once["digest"], is_same, "{method}");

        params(12_000);
        let run = change(method, 96);
        let wider = json(&run);
        assert!(run.err.contains("after 32 of 32 games, after 64 of 64 games"), "{}", run.err);
        assert_eq!(wider["games"], 96);
        // Both commands resume it, and nothing is played again.
        for again in [change(method, 96), tune(folder, &words(method, 96))] {
            let again = json(&again);
            assert_eq!((&again["digest"], &again["values"]), (&wider["digest"], &wider["values"]));
        }
        // A run from the top of its file repeats all of it.
        let id = wider["id"].as_str().expect("a name");
        let [lab, again] = ["lab", "again"].map(|name| folder.join(name).display().to_string());
        let file = gamete(["show", id, "--file", "--lab", &lab]).out;
        assert!(file.contains("[[earlier]]") && file.contains("until = 64"), "{file}");
        let path = folder.join(format!("{method}.toml")).display().to_string();
        std::fs::write(&path, file).expect("a file");
        let run = gamete(["evolve", &path, "--lab", &again, "--json", "--verify", "0"]);
        let repeated: Value = serde_json::from_str(run.out.trim()).expect("JSON");
        assert_eq!(repeated["digest"], wider["digest"], "{method}");
    }
    let other_rules =
        tune(folder, &words("pairs", 96).replace("maxmoves 8", "maxmoves 30").replace("-json", "-change"));
    assert_eq!(other_rules.status, Some(1), "{}", other_rules.out);
    assert!(
        other_rules
            .err
            .contains("max_moves was 8, and is now 30; only -games and ranges of parameters can be changed"),
        "{}",
        other_rules.err
    );
    let nobody = tune(folder, &format!("{} -change nobody-1", words("pairs", 96)));
    assert!(nobody.status == Some(1) && nobody.err.contains("nobody-1"), "{}", nobody.err);
}
