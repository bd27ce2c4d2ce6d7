//! Options of fastchess and cutechess: each does what it says, or is named as having no effect.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Run, comments, folder, run_match, test_engine};

/// Our players at fixed nodes, in short games, with more options.
fn play(folder: &Path, more: &str) -> Run {
    let openings = if more.contains("-openings") { "" } else { "-openings startpos" };
    let words = format!(
        "-engine model=chess/material name=A -engine model=chess/classic name=B -each nodes=50 -maxmoves 10 -srand 7 \
        -concurrency 1 -journal j.db -fresh {openings} {more}"
    );
    run_match(folder, &words)
}

/// Random movers, one of which is started by a shell that does something before.
fn movers(folder: &Path, before: &str, more: &str) -> Run {
    let mover = test_engine("random-mover");
    let script = format!("{before}; exec {}", mover.display());
    std::fs::write(folder.join("engine.sh"), script).expect("a file");
    let words = format!(
        "-engine cmd=/bin/sh arg=engine.sh name=Script -engine cmd={} name=Mover -each nodes=1 -maxmoves 5 \
        -concurrency 1 -journal j.db -fresh {more}",
        mover.display()
    );
    run_match(folder, &words)
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file")
}

#[test]
fn what_has_no_effect_is_named() {
    let folder = folder();
    let options = [
        "-resultformat wide2",
        "-report penta=true",
        "-config outname=x.json",
        "-autosaveinterval 5",
        "-force-concurrency",
        "-scoreinterval 1",
        "-outcomeinterval 1",
        "-show-latency",
        "-bookmode ram",
        "-crc32 pgn=true",
        "-strict",
        "-testEnv",
        "-check-mate-pvs",
    ];
    let run = play(folder.path(), &options.join(" "));
    assert_eq!(run.status, Some(0), "{}", run.err);
    for option in options {
        let name = option.split(' ').next().expect("a name");
        assert!(run.err.contains(&format!("warning: {name} has no effect here: ")), "{option}: {}", run.err);
    }
    let run = play(folder.path(), "-pgnout x.pgn latency=true match_line=info");
    for key in ["latency", "match_line"] {
        assert!(run.err.contains(&format!("warning: -pgnout: {key}= has no effect here")), "{}", run.err);
    }
    let run = play(folder.path(), "-log file=x.log compress=true realtime=false");
    for key in ["compress=true", "realtime=false"] {
        assert!(run.err.contains(&format!("warning: -log: {key} has no effect here")), "{}", run.err);
    }
}

#[test]
fn keys_that_a_contestant_cannot_use_are_named() {
    let folder = folder();
    let run = play(folder.path(), "-pgnout x.pgn nps=true timeleft=true tbhits=true");
    for key in ["nps", "timeleft", "tbhits"] {
        assert!(run.err.contains(&format!("warning: -pgnout: {key}= has no effect: ")), "{}", run.err);
    }
    let run = play(folder.path(), "-pgnout x.pgn min=true pv=true");
    assert!(run.err.contains("warning: -pgnout: min= leaves out"), "{}", run.err);
    let run = play(folder.path(), "-engine model=chess/classic name=C option.Hash=16 restart=on");
    let warning = "warning: C: option.Hash=, restart= have no effect: it is a player of ours";
    assert!(run.err.contains(warning), "{}", run.err);
    let run = movers(folder.path(), ":", "-engine cmd=none weight.pawn=1 name=D");
    assert!(run.err.contains("warning: D: weight.pawn= has no effect: it is another program"), "{}", run.err);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    for (option, answer) in [
        (
            "-openings foo",
            "-openings: \"foo\" is not random, startpos, chess960, ballots, or a pair like file=…",
        ),
        ("-noswap yes", "-noswap: takes no value, not \"yes\""),
        ("-json 1", "-json: takes no value"),
        ("-pgnout x.pgn npss=true", "-pgnout: there is no npss=; did you mean nps?"),
        ("-pgnout x.pgn nps=maybe", "-pgnout: nps=maybe is not true or false"),
        ("-pgnout x.pgn notation=long", "-pgnout: notation=long is not san, lan or uci"),
        ("-pgnout x.pgn y.pgn", "-pgnout: \"y.pgn\" is one word too many"),
        ("-epdout x.epd nps=true", "-epdout: there is no nps="),
        ("-log level=warn", "-log: name a file"),
        ("-log file=x.log level=loud", "-log: level=loud is not"),
        ("-log file=nowhere/x.log", "-log: nowhere/x.log: cannot be written"),
        ("-openings policy=game", "-openings: policy=game is not round or encounter"),
        ("-use-affinity 0-x", "is not a list of processors like 3,5,7-11"),
        ("-use-affinity 1000", "-use-affinity: there is no processor 1000"),
        ("-use-affinity 0 -randomseed", "-randomseed: the seed is that of -srand"),
        ("-wait soon", "-wait: \"soon\" is not a number"),
        ("-startup-ms -5", "-startup-ms: \"-5\" is not a number"),
        ("-debug some", "-debug: \"some\" is one word too many"),
    ] {
        let run = play(folder.path(), option);
        assert_eq!(run.status, Some(1), "{option}: {}", run.err);
        assert!(run.err.contains(answer), "{option}: {}", run.err);
    }
}

#[test]
fn the_version_is_printed_as_match_runners_do() {
    for option in ["-version", "-v", "--version"] {
        let run = run_match(folder().path(), option);
        assert_eq!(run.status, Some(0), "{}", run.err);
        assert!(run.out.starts_with("gamete") && run.out.contains(env!("CARGO_PKG_VERSION")), "{}", run.out);
    }
    let run = run_match(folder().path(), "-help");
    assert!(run.out.contains("\nUsage: gamete match -engine"), "no colours in a file: {}", run.out);
    assert!(run.out.contains("-engine KEY=VALUE") && run.out.contains("-use-affinity"), "{}", run.out);
}

#[test]
fn comments_have_what_was_asked_for() {
    let folder = folder();
    let written = |keys: &str| {
        std::fs::remove_file(folder.path().join("x.pgn")).ok();
        let run = play(folder.path(), &format!("-pgnout x.pgn {keys}"));
        assert_eq!(run.status, Some(0), "{}", run.err);
        comments(&read(folder.path(), "x.pgn"))
    };
    let usual = written("");
    assert!(usual.iter().all(|comment| comment.contains(", n=") && comment.contains(", sd=")), "{usual:?}");
    let none = written("nodes=false seldepth=false");
    assert!(none.iter().all(|comment| !comment.contains("=")), "{none:?}");
    let all = written("hashfull=true pv=true nodes=true timeleft=false");
    for comment in &all {
        let keys: Vec<_> =
            comment.split(", ").filter_map(|part| part.split_once('=')).map(|(key, _)| key).collect();
        assert_eq!(keys, ["n", "sd", "hashfull", "pv"], "{comment}");
    }
    // The line that a player expects begins with the move it plays.
    let pgn = read(folder.path(), "x.pgn");
    let first = pgn.split("1. ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a move");
    assert!(all[0].contains(&format!("pv=\"{first}")), "{first}: {}", all[0]);
}

#[test]
fn a_minimal_file_has_moves_and_the_seven_tags() {
    let folder = folder();
    for keys in ["-pgnout x.pgn min", "-pgnout file=x.pgn min=true"] {
        std::fs::remove_file(folder.path().join("x.pgn")).ok();
        let run = play(folder.path(), keys);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let pgn = read(folder.path(), "x.pgn");
        assert!(!pgn.contains('{'), "{pgn}");
        let tags: Vec<_> = pgn.lines().take_while(|line| line.starts_with('[')).collect();
        let names: Vec<_> = tags.iter().filter_map(|tag| tag[1..].split(' ').next()).collect();
        let seven = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
        assert_eq!(names[..7], seven);
        assert!(names[7..].iter().all(|name| ["SetUp", "FEN"].contains(name)), "{names:?}");
        assert!(pgn.contains("\n1. "), "{pgn}");
    }
}

#[test]
fn moves_are_written_in_the_notation_asked_for() {
    let folder = folder();
    let written = |notation: &str| {
        std::fs::remove_file(folder.path().join("x.pgn")).ok();
        let run = play(folder.path(), &format!("-pgnout file=x.pgn min=true notation={notation}"));
        assert_eq!(run.status, Some(0), "{}", run.err);
        // What was written can be read.
        let converted = Command::new(env!("CARGO_BIN_EXE_gamete"))
            .current_dir(folder.path())
            .args(["convert", "x.pgn", "--output", "y.pgn"])
            .output();
        let converted = converted.expect("a program to run");
        assert!(converted.status.success(), "{}", String::from_utf8_lossy(&converted.stderr));
        let moves = |name: &str| {
            let pgn = read(folder.path(), name);
            let moves: Vec<_> = pgn.lines().filter(|line| !line.starts_with('[')).collect();
            moves.join(" ").split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let (written, read) = (moves("x.pgn"), moves("y.pgn"));
        std::fs::remove_file(folder.path().join("y.pgn")).expect("a file");
        (written, read)
    };
    let (san, _) = written("san");
    let (uci, uci_read) = written("uci");
    let (lan, lan_read) = written("lan");
    assert_eq!((&uci_read, &lan_read), (&san, &san), "the same games");
    let is_move = |word: &&String| word.starts_with(|letter: char| letter.is_ascii_alphabetic());
    assert!(uci.iter().filter(is_move).all(|word| matches!(word.len(), 4 | 5)), "{uci:?}");
    assert!(uci != san && lan != san && lan != uci, "{lan:?}");
    let knight = lan.iter().find(|word| word.starts_with('N')).expect("a knight's move");
    assert!(knight.len() >= 5, "{knight}");
}

#[test]
fn what_engines_are_told_and_say_is_logged_with_times() {
    let folder = folder();
    let run = movers(folder.path(), "echo hello >&2", "-log file=x.log level=info");
    assert_eq!(run.status, Some(0), "{}", run.err);
    let log = read(folder.path(), "x.log");
    let has = |text: &str| log.lines().any(|line| line.contains(text));
    for text in [
        " Script <--- uci",
        " Script ---> uciok",
        " Script <--- go nodes 1",
        " Mover ---> bestmove ",
        " <stderr> Script ---> hello",
        " Mover <--- quit",
        "] Started game 1 of 2 (Script vs Mover)",
        "] Finished game 2 ",
    ] {
        assert!(has(text), "{text}: {log}");
    }
    for line in log.lines() {
        let time = line.split('[').nth(2).and_then(|rest| rest.split(']').next()).unwrap_or_default();
        let form: String =
            time.chars().map(|letter| if letter.is_ascii_digit() { '9' } else { letter }).collect();
        assert_eq!(form, "9999-99-99T99:99:99.999999Z", "{line}");
    }
    // As many moves are asked for as are answered.
    let count = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!(count(" <--- go "), count(" ---> bestmove "));
    movers(folder.path(), ":", "-log file=x.log append=true");
    assert!(read(folder.path(), "x.log").starts_with(&log), "what was there is kept");
    movers(folder.path(), ":", "-log file=x.log append=false engine=false");
    assert_eq!(read(folder.path(), "x.log"), "");
    let run = movers(folder.path(), ":", "-debug");
    assert!(run.err.contains(" Script <--- uci\n") && !run.out.contains("<---"), "{}", run.err);
}

#[test]
fn engines_are_bound_to_processors() {
    let folder = folder();
    let before = "grep Cpus_allowed_list /proc/self/status >> processors";
    let run = movers(folder.path(), before, "-use-affinity 0");
    assert_eq!(run.status, Some(0), "{}", run.err);
    let processors = read(folder.path(), "processors");
    // The first line is of the trial before the match.
    let last = processors.lines().last().expect("a line");
    assert_eq!(last.split_whitespace().last(), Some("0"), "{processors}");
    let run = play(folder.path(), "-use-affinity 0");
    assert_eq!(run.status, Some(0), "{}", run.err);
    let run = play(folder.path(), "-use-affinity 0 -rounds 1").err;
    assert!(!run.contains("warning: -use-affinity"), "{run}");
}

#[test]
fn engines_have_as_long_to_start_as_they_are_given() {
    let run = movers(folder().path(), "sleep 60", "-startup-ms 120");
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("Script: is not a UCI engine: no uciok within 120 ms"), "{}", run.err);
    let folder = folder();
    // Ready once, when it is tried, and never again.
    let script = "n=0; while read -r word rest; do case $word in uci) echo uciok ;; \
        isready) n=$((n+1)); [ $n = 1 ] && echo readyok ;; quit) exit ;; esac; done; exit";
    let run = movers(folder.path(), script, "-ucinewgame-ms 130");
    assert!(run.err.contains("stalled: no readyok within 130 ms"), "{}", run.err);
    let never = "while read -r word rest; do case $word in uci) echo uciok ;; quit) exit ;; esac; done; exit";
    let run = movers(folder.path(), never, "-ping-ms 140");
    assert!(run.err.contains("Script: stalled: no readyok within 140 ms"), "{}", run.err);
}

#[test]
fn a_match_waits_between_games() {
    let began = std::time::Instant::now();
    let run = play(folder().path(), "-rounds 2 -wait 100");
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(began.elapsed().as_millis() >= 300, "four games");
}

#[test]
fn every_encounter_may_have_its_own_opening() {
    let folder = folder();
    std::fs::write(
        folder.path().join("book.epd"),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
        rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n\
        rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1\n",
    )
    .expect("a file");
    let starts = |policy: &str| {
        std::fs::remove_file(folder.path().join("x.pgn")).ok();
        let run = play(
            folder.path(),
            &format!(
                "-engine model=chess/material name=C -openings file=book.epd order=sequential {policy} -pgnout x.pgn"
            ),
        );
        assert_eq!(run.status, Some(0), "{}", run.err);
        let pgn = read(folder.path(), "x.pgn");
        let mut fens: Vec<_> =
            pgn.lines().filter(|line| line.starts_with("[FEN ")).map(str::to_owned).collect();
        fens.dedup();
        fens.len()
    };
    assert_eq!([starts(""), starts("policy=round"), starts("policy=encounter")], [1, 1, 3]);
}
