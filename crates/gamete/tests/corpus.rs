//! `gamete corpus`: making, looking at and learning from files of positions.

mod common;

use common::{Run, folder, gamete};

const GAMES: &str = "[WhiteElo \"2700\"]\n[BlackElo \"2650\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. O-O b5 6. Bxf7+ Ke7 7. c3 Nf3+ 8. Nxf3 1-0\n\n\
    [WhiteElo \"2700\"]\n[BlackElo \"2400\"]\n[Result \"0-1\"]\n\n\
    1. f3 e5 2. g4 Nc6 3. a3 Nf6 4. a4 Be7 5. a5 O-O 6. a6 bxa6 0-1\n\n\
    [Result \"1/2-1/2\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7 5. e3 O-O 1/2-1/2\n\n";

/// A corpus of the games in a folder, made with more options.
fn make(folder: &std::path::Path, name: &str, options: &[&str]) -> Run {
    std::fs::write(folder.join("games.pgn"), GAMES).expect("written");
    let [games, corpus] = ["games.pgn", name].map(|name| folder.join(name).display().to_string());
    gamete(["corpus", "make", &games, "-o", &corpus].iter().chain(options))
}

#[test]
fn a_corpus_is_made_looked_at_and_compared_with() {
    let folder = folder();
    let made = make(folder.path(), "a.corpus", &[]);
    assert_eq!((made.status, made.out.as_str()), (Some(0), ""), "{}", made.err);
    assert!(made.err.contains("1 games have no winner"), "{}", made.err);
    assert!(made.err.trim_end().ends_with("a.corpus: 2 positions"), "{}", made.err);
    let corpus = folder.path().join("a.corpus").display().to_string();
    let info = gamete(["corpus", "info", &corpus, "--json"]);
    let info: serde_json::Value = serde_json::from_str(&info.out).expect("JSON");
    assert_eq!((&info["train"], &info["test"], &info["game"]), (&1.into(), &1.into(), &"chess".into()));
    assert_eq!(info["files"][0]["name"], "games.pgn", "without the folder");
    let text = gamete(["corpus", "info", &corpus]);
    assert!(text.out.contains("2 (1 to learn from, 1 to test)"), "{}", text.out);
    let sample = gamete(["corpus", "sample", &corpus]);
    assert!(sample.out.contains("game 1, ") && sample.out.contains("played "), "{}", sample.out);
    assert_eq!(sample.out.matches("   a  b  c  d  e  f  g  h\n").count(), 2, "a board each: {}", sample.out);
    assert!(gamete(["corpus", "check", &corpus]).out.contains("2 positions, all of them legal"));
    let score = gamete(["corpus", "score", &corpus, "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&score.out).expect("JSON");
    assert_eq!((&rows[0]["part"], &rows[1]["positions"]), (&"train".into(), &1.into()));
    let table = gamete(["corpus", "score", &corpus, "--player", "chess/material"]);
    assert!(table.out.lines().count() == 3 && table.out.contains("mean rank"), "{}", table.out);
    let kinds = gamete(["corpus", "score", &corpus, "--kinds"]);
    assert!(kinds.out.lines().count() >= 3 && kinds.err.is_empty(), "{}", kinds.out);
    for row in rows.as_array().expect("rows") {
        let found = &row["differences"];
        assert_eq!((&found["positions"], &found["hits"]), (&row["positions"], &row["hits"]));
        assert_eq!(found["by"][2]["property"], "piece");
    }
}

#[test]
fn the_same_games_and_seed_make_the_same_bytes() {
    let folder = folder();
    let bytes = |name: &str, options: &[&str]| {
        assert_eq!(make(folder.path(), name, options).status, Some(0));
        std::fs::read(folder.path().join(name)).expect("a corpus")
    };
    let one = bytes("one.corpus", &["--seed", "3"]);
    assert_eq!(one, bytes("two.corpus", &["--seed", "3"]));
    assert_ne!(one, bytes("three.corpus", &["--seed", "4"]));
}

#[test]
fn what_is_wrong_is_said_with_the_way_out() {
    let folder = folder();
    let error = |run: Run| {
        assert_eq!(run.status, Some(1), "{}{}", run.out, run.err);
        run.err.replace(&format!("{}/", folder.path().display()), "").trim_end().to_owned()
    };
    assert_eq!(
        error(make(folder.path(), "a.corpus", &["--min-rating", "2600", "--games", "2"])),
        "error: games that give positions: 1, asked for: 2; of 3 games 1 have no winner, \
         1 have a player without a rating of 2600: lower --min-rating or name more files"
    );
    assert!(!folder.path().join("a.corpus").exists(), "nothing is left of what failed");
    assert_eq!(make(folder.path(), "a.corpus", &[]).status, Some(0));
    let path = folder.path().join("a.corpus").display().to_string();
    assert_eq!(
        error(gamete(["corpus", "score", &path, "--player", "checkers/material"])),
        "error: --player checkers/material: it plays checkers, and a.corpus is of chess; name a player of that game"
    );
    let good = std::fs::read(&path).expect("a corpus");
    std::fs::write(&path, &good[..good.len() - 5]).expect("written");
    assert_eq!(
        error(gamete(["corpus", "info", &path])),
        "error: a.corpus: this corpus is damaged or cut short, as its hash shows; make it again"
    );
    std::fs::write(&path, "not a corpus at all").expect("written");
    assert_eq!(
        error(gamete(["corpus", "check", &path])),
        "error: a.corpus: this is no corpus; `gamete corpus make` makes one"
    );
    assert_eq!(
        error(make(folder.path(), "a.corpus", &[])),
        "error: a.corpus: this file is there and is no corpus; name another one, or remove it"
    );
    assert!(error(make(folder.path(), "games.pgn", &[])).contains("games.pgn: this file is there"));
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(make(folder.path(), "a.corpus", &["--take", "results", "--skip-plies", "0"]).status, Some(0));
    assert_eq!(
        error(gamete(["corpus", "score", &path])),
        "error: a.corpus: this corpus was made with --take results; experts take one made with --take experts"
    );
    std::fs::write(&path, "").expect("written");
    assert!(error(gamete(["corpus", "check", &path])).starts_with("error: a.corpus: "));
}

/// A program that scores so many positions, and then dies whenever it is asked.
#[cfg(unix)]
fn mortal_engine(folder: &std::path::Path, positions: u32) -> String {
    use std::os::unix::fs::PermissionsExt;
    let script = format!(
        "#!/bin/sh
while read -r line; do
    case \"$line\" in
        uci) echo id name Mortal; echo uciok ;;
        isready) echo readyok ;;
        go*) echo once more >> asked
            [ $(wc -l < asked) -gt {positions} ] && exit 1
            echo info depth 1 score cp 33 nodes 1 pv a1a8
            echo bestmove a1a8 ;;
        quit) exit 0 ;;
    esac
done
"
    );
    let path = folder.join("mortal");
    std::fs::write(folder.join("asked"), "").expect("a file");
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    path.display().to_string()
}

#[test]
fn a_mentor_scores_positions_of_either_side_whoever_won() {
    let folder = folder();
    let mentor = ["--mentor", "chess/material", "depth=2"];
    let made = make(folder.path(), "a.corpus", &mentor);
    assert_eq!(made.status, Some(0), "{}", made.err);
    assert!(made.err.trim_end().ends_with("a.corpus: 3 positions"), "the drawn game, too: {}", made.err);
    let corpus = folder.path().join("a.corpus").display().to_string();
    let info = gamete(["corpus", "info", &corpus]).out;
    assert!(
        info.contains("--take mentor") && info.contains("--mentor player=chess/material depth=2"),
        "{info}"
    );
    let sample = gamete(["corpus", "sample", &corpus]).out;
    assert_eq!(sample.matches(" to the side to move").count(), 3, "{sample}");
    assert_eq!(sample.matches(", best ").count(), 3, "{sample}");
    let bytes = std::fs::read(folder.path().join("a.corpus")).expect("a corpus");
    for threads in ["1", "3"] {
        make(folder.path(), "b.corpus", &[&mentor[..], &["--concurrency", threads]].concat());
        assert_eq!(
            std::fs::read(folder.path().join("b.corpus")).expect("a corpus"),
            bytes,
            "{threads} threads"
        );
    }
    let experts =
        make(folder.path(), "c.corpus", &["--take", "experts", "--mentor", "chess/material", "depth=2"]);
    assert!(experts.err.trim_end().ends_with("c.corpus: 2 positions"), "{}", experts.err);
}

#[cfg(unix)]
#[test]
fn what_a_mentor_scored_before_it_died_is_a_corpus() {
    let folder = folder();
    let epd = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#;\n".repeat(5);
    let input = folder.path().join("five.epd").display().to_string();
    std::fs::write(&input, epd).expect("written");
    let output = folder.path().join("a.corpus").display().to_string();
    let engine = |positions| format!("cmd={}", mortal_engine(folder.path(), positions));
    let dir = format!("dir={}", folder.path().display());
    let make = |engine: String| {
        let words = [
            "corpus",
            "make",
            &input,
            "-o",
            &output,
            "--concurrency",
            "1",
            "--mentor",
            &engine,
            &dir,
            "nodes=1",
        ];
        let run = gamete(words);
        (run.status, run.err.replace(&format!("{}/", folder.path().display()), ""))
    };
    let (status, err) = make(engine(3));
    assert_eq!(status, Some(1), "{err}");
    assert!(
        err.contains("error: mortal failed in the position 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1: ")
            && err.trim_end().ends_with("; the 3 positions that it scored are in a.corpus"),
        "{err}"
    );
    let info = gamete(["corpus", "info", &output]).out;
    assert!(info.contains("positions  3 of 5 that were asked for"), "{info}");
    assert!(gamete(["corpus", "check", &output]).out.contains("3 positions, all of them legal"));
    assert!(gamete(["corpus", "sample", &output]).out.contains("worth +0.33"));
    let (_, err) = make(engine(2));
    assert!(err.contains("a.corpus: still the old corpus"), "{err}");
    assert!(err.trim_end().ends_with("; the 2 positions that it scored are in a.partial.corpus"), "{err}");
    assert!(gamete(["corpus", "check", &output]).out.contains("3 positions, all of them legal"));
    std::fs::remove_file(&output).expect("removed");
    let (status, err) = make(engine(0));
    assert!(err.trim_end().ends_with("; no position was scored, and nothing is written"), "{status:?} {err}");
    assert!(!std::path::Path::new(&output).exists());
    let (status, err) = make("cmd=/nonexistent/engine".to_owned());
    assert!(status == Some(1) && err.starts_with("error: --mentor cmd=/nonexistent/engine"), "{err}");
}

/// A program that plays chess. It comes to this end, said in the words of the shell, when its third game begins (-eq), or each one
/// from then on (-ge).
#[cfg(unix)]
fn mortal_player(folder: &std::path::Path, whenever: &str, end: &str) -> [String; 3] {
    use std::os::unix::fs::PermissionsExt;
    // Each game begins for both sides.
    let script = format!(
        "#!/bin/sh
while read -r line; do
    case \"$line\" in
        ucinewgame) echo one more >> begun
            [ $(wc -l < begun) {whenever} 5 ] && {{ {end}; }} ;;
    esac
    echo \"$line\"
done | {} uci
",
        env!("CARGO_BIN_EXE_gamete")
    );
    let path = folder.join("mortal-player");
    let _ = std::fs::remove_file(folder.join("begun"));
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    [format!("cmd={}", path.display()), format!("dir={}", folder.display()), "nodes=50".to_owned()]
}

#[cfg(unix)]
#[test]
fn games_that_were_finished_before_a_player_died_are_a_corpus() {
    let folder = folder();
    let output = folder.path().join("a.corpus").display().to_string();
    let make = |words: &[&str], player: [String; 3]| {
        let all = ["corpus", "make", "--play", "3", "--concurrency", "1", "-o", &output];
        let run = gamete(all.iter().chain(words).copied().chain(player.iter().map(String::as_str)));
        (run.status, run.err.replace(&format!("{}/", folder.path().display()), ""))
    };
    let player = ["--take", "results", "--per-game", "3", "--player"];
    let (status, err) = make(&player, mortal_player(folder.path(), "-eq", "exit 1"));
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("error: mortal-player failed in game 3: "), "{err}");
    assert!(err.trim_end().ends_with("; the 6 positions of the 2 finished games are in a.corpus"), "{err}");
    let info = gamete(["corpus", "info", &output]).out;
    assert!(
        info.contains("positions  6 (") && info.contains("games      2 of 3 that were asked for"),
        "{info}"
    );
    assert!(gamete(["corpus", "check", &output]).out.contains("6 positions, all of them legal"));
    let (_, err) = make(&player, mortal_player(folder.path(), "-eq", "exit 1"));
    assert!(err.contains("a.corpus: still the old corpus, as not all games were played"), "{err}");
    assert!(err.trim_end().ends_with(" are in a.partial.corpus"), "{err}");

    // A mentor that plays as well, and is alive again when it is asked for scores.
    std::fs::remove_file(&output).expect("removed");
    let (status, err) = make(&["--mentor"], mortal_player(folder.path(), "-eq", "exit 1"));
    assert!(status == Some(1) && err.contains(" now scores the positions of the games before"), "{err}");
    assert!(err.trim_end().ends_with("; the 2 positions of the 2 finished games are in a.corpus"), "{err}");
    assert!(gamete(["corpus", "info", &output]).out.contains(" --mentor cmd="));
    assert_eq!(gamete(["corpus", "sample", &output]).out.matches(" to the side to move").count(), 2);
    // And one that is not.
    std::fs::remove_file(&output).expect("removed");
    let (status, err) = make(&["--mentor"], mortal_player(folder.path(), "-ge", "exit 1"));
    assert!(status == Some(1) && err.contains("a.corpus: 2 positions, not scored"), "{err}");
    assert!(err.trim_end().ends_with("; the 2 positions of the 2 finished games are in a.corpus"), "{err}");
    assert!(!gamete(["corpus", "info", &output]).out.contains("--mentor"));
}

#[cfg(unix)]
#[test]
fn games_that_were_finished_before_ctrl_c_are_a_corpus() {
    let folder = folder();
    let output = folder.path().join("a.corpus").display().to_string();
    let player = mortal_player(folder.path(), "-eq", "touch stuck; sleep 60");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["corpus", "make", "--play", "4", "--concurrency", "1", "--take", "results", "-o", &output]);
    let mut program = command.arg("--player").args(player).spawn().expect("a program to run");
    while !folder.path().join("stuck").exists() {
        assert!(program.try_wait().expect("a child").is_none(), "it ended before the third game");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let interrupt = std::process::Command::new("kill").args(["-INT", &program.id().to_string()]).status();
    assert!(interrupt.expect("kill").success());
    assert_eq!(program.wait().expect("a child").code(), Some(130));
    let info = gamete(["corpus", "info", &output]).out;
    assert!(
        info.contains("positions  2 (") && info.contains("games      2 of 4 that were asked for"),
        "{info}"
    );
}

#[test]
fn a_corpus_is_made_of_our_own_games() {
    let folder = folder();
    let make = |name: &str, more: &[&str]| {
        let path = folder.path().join(name).display().to_string();
        let words = ["corpus", "make", "--play", "8", "-o", &path, "--player", "chess/material", "nodes=150"];
        let run = gamete(words.iter().chain(more));
        assert_eq!(run.status, Some(0), "{}", run.err);
        (std::fs::read(&path).expect("a corpus"), path)
    };
    let (one, path) = make("one.corpus", &["--concurrency", "1"]);
    assert_eq!(make("two.corpus", &["--concurrency", "2"]).0, one);
    assert_ne!(make("three.corpus", &["--seed", "2"]).0, one);
    let info = gamete(["corpus", "info", &path]).out;
    assert!(info.contains("from       self-play, ") && info.contains(" of 8 games, hash "), "{info}");
    assert!(info.contains("--play 8 --player player=chess/material nodes=150 --plies 6"), "{info}");
    assert_eq!(gamete(["corpus", "score", &path]).status, Some(0));
    let path = folder.path().join("four.corpus").display().to_string();
    let made =
        gamete("corpus make --play 2 --game connect-four --take results -o".split(' ').chain([&*path]));
    assert_eq!(made.status, Some(0), "{}", made.err);
    let info = gamete(["corpus", "info", &path]).out;
    assert!(info.contains("--player player=connect-four/lines nodes=2000"), "{info}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_games_are_read() {
    for command in ["make", "openings"] {
        let run = gamete(["corpus", command, "no-such-games.pgn", "-o", "/nowhere/at/all.corpus"]);
        assert_eq!(
            run.err,
            "error: /nowhere/at/all.corpus: cannot be written: No such file or directory (os error 2)\n"
        );
    }
}

#[test]
fn a_suite_is_a_corpus_of_its_best_moves() {
    let folder = folder();
    let [epd, corpus] = ["a.epd", "a.corpus"].map(|name| folder.path().join(name).display().to_string());
    let suite =
        "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"mate\";\n6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra7;\n";
    std::fs::write(&epd, suite).expect("written");
    let made = gamete(["corpus", "make", &epd, "-o", &corpus, "--test-share", "0"]);
    assert_eq!(made.status, Some(0), "{}", made.err);
    let refused = gamete(["corpus", "make", &epd, "-o", &corpus, "--take", "results"]);
    let reason = "error: --take results: all positions of a suite are taken, with their best moves; leave it out, or name files of games\n";
    assert_eq!((refused.status, refused.err.as_str()), (Some(1), reason));
    assert!(made.err.starts_with("1 positions have no best move\n"), "{}", made.err);
    assert!(gamete(["corpus", "info", &corpus]).out.contains("a.epd, 1 of 2 positions, hash "));
    assert!(gamete(["corpus", "sample", &corpus]).out.contains("position 1, to learn from, best Ra8#"));
    let score = gamete(["corpus", "score", &corpus, "--json"]).out;
    let rows: serde_json::Value = serde_json::from_str(&score).expect("JSON");
    assert_eq!((&rows[0]["hits"], &rows[0]["positions"]), (&1.into(), &1.into()), "{score}");
}

#[test]
fn a_player_that_searches_is_compared_by_its_moves() {
    let folder = folder();
    let [epd, corpus] = ["a.epd", "a.corpus"].map(|name| folder.path().join(name).display().to_string());
    // A knight forks king and queen: nothing is won before the third ply.
    std::fs::write(&epd, "q3k3/8/8/1N6/8/8/8/6K1 w - - bm Nc7+;\n").expect("written");
    assert_eq!(gamete(["corpus", "make", &epd, "-o", &corpus, "--test-share", "0"]).status, Some(0));
    let score = |options: &[&str]| {
        gamete(["corpus", "score", &corpus, "--player", "chess/material"].iter().chain(options))
    };
    let hits = |options: &[&str]| {
        let run = score(&[&["--json"], options].concat());
        let rows: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(rows[0]["differences"]["hits"], rows[0]["hits"]);
        (rows[0]["hits"].as_u64(), rows[0]["ties"].is_null())
    };
    assert_eq!(hits(&[]), (Some(0), false));
    assert_eq!(hits(&["--depth", "4"]), (Some(1), true));
    assert_eq!(hits(&["--nodes", "20000", "--concurrency", "1"]), (Some(1), true));
    let table = score(&["--depth", "4"]);
    assert!(table.out.lines().nth(1).is_some_and(|line| line.ends_with("–       –")), "{}", table.out);
    let error = |run: Run| run.err.lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        error(gamete(["corpus", "score", &corpus, "--player", "checkers/material", "--depth", "2"])),
        format!(
            "error: --player checkers/material: it plays checkers, and {corpus} is of chess; name a player of that game"
        )
    );
    assert!(
        error(gamete(["corpus", "score", &corpus, "--player", "cmd=stockfish"]))
            .ends_with("say --depth or --nodes")
    );
    assert_eq!(score(&["--depth", "4", "--quiet"]).status, Some(2));
}

#[test]
fn bad_sources_and_mentors_are_refused() {
    let folder = folder();
    std::fs::write(folder.path().join("games.pgn"), GAMES).expect("written");
    std::fs::write(folder.path().join("no.epd"), "6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra7;\n").expect("written");
    let drawn = "[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 1/2-1/2\n\n";
    std::fs::write(folder.path().join("drawn.pgn"), drawn).expect("written");
    let error = |words: &str| {
        let place = |word: &str| match word.ends_with(".pgn")
            || word.ends_with(".epd")
            || word.ends_with(".corpus")
        {
            true => folder.path().join(word).display().to_string(),
            false => word.to_owned(),
        };
        let words: Vec<String> = format!("corpus make {words}").split_whitespace().map(place).collect();
        let run = gamete(words);
        assert_eq!(run.status, Some(1), "{}{}", run.out, run.err);
        run.err.replace(&format!("{}/", folder.path().display()), "").trim_end().to_owned()
    };
    assert_eq!(
        error("drawn.pgn -o a.corpus"),
        "error: games that give positions: 0, asked for: 1; of 1 games 1 have no winner: \
         name files with games that somebody won"
    );
    assert_eq!(
        error("games.pgn -o a.corpus --games 5"),
        "error: games that give positions: 2, asked for: 5; of 3 games 1 have no winner: \
         ask for fewer games or name more files"
    );
    assert_eq!(
        error("games.pgn -o a.corpus --min-rating 2750"),
        "error: games that give positions: 0, asked for: 1; of 3 games 1 have no winner, \
         2 have a player without a rating of 2750: lower --min-rating or name more files"
    );
    assert_eq!(
        error("no.epd -o a.corpus"),
        "error: no.epd: none of its 1 positions has a best move (bm); \
         name suites that have, or let a --mentor score them"
    );
    assert_eq!(
        error("no.epd games.pgn -o a.corpus --mentor chess/material nodes=1"),
        "error: games.pgn: this is no suite; make a corpus of suites (EPD) or one of games, not of both"
    );
    assert_eq!(
        error("games.pgn -o a.corpus --take mentor"),
        "error: --take mentor: who is to score the positions? say --mentor cmd=stockfish nodes=10000, or a player"
    );
    assert_eq!(
        error("games.pgn -o a.corpus --mentor chess/classic"),
        "error: --mentor chess/classic: nothing ends its thinking: say nodes=10000, depth=6 or st=0.1 behind it"
    );
    assert_eq!(
        error("games.pgn -o a.corpus --mentor chess/classic tc=10"),
        "error: --mentor chess/classic tc=10: there is no clock here; say nodes=, depth= or st="
    );
    assert_eq!(
        error("games.pgn -o a.corpus --mentor checkers/material nodes=1"),
        "error: --mentor checkers/material: it plays checkers, and the positions are of chess; name one that plays chess"
    );
    assert!(!folder.path().join("a.corpus").exists(), "nothing is left of what failed");
}

#[test]
fn openings_of_games_are_a_book_for_matches() {
    let folder = folder();
    let [games, book] = ["games.pgn", "book.epd"].map(|name| folder.path().join(name).display().to_string());
    std::fs::write(&games, GAMES.repeat(2)).expect("written");
    let openings = |more: &[&str]| {
        let run = gamete(["corpus", "openings", &games, "--ply", "4", "-o", &book].iter().chain(more));
        (run.status, run.err.replace(&format!("{}/", folder.path().display()), ""))
    };
    let (status, err) = openings(&["--unique"]);
    assert_eq!(
        (status, err.as_str()),
        (Some(0), "3 games have a position that another one has\nbook.epd: 3 openings\n")
    );
    let lines = std::fs::read_to_string(&book).expect("a book");
    assert!(
        lines.starts_with("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 2; fmvn 3;\n"),
        "{lines}"
    );
    let (status, err) =
        openings(&["--unique", "--balanced", "1", "--count", "2", "--player", "chess/classic", "nodes=500"]);
    assert!(status == Some(0) && err.ends_with("book.epd: 2 openings\n"), "{err}");
    let words = "-engine model=chess/material nodes=1 -engine model=chess/material nodes=1 name=two -rounds 1 \
                 -maxmoves 1 -openings file=book.epd -pgnout games-of-match.pgn";
    let played = common::run_match(folder.path(), words);
    assert_eq!(played.status, Some(0), "{}", played.err);
    let (status, err) = openings(&["--unique", "--count", "4"]);
    assert_eq!(status, Some(1));
    assert_eq!(
        err,
        "error: openings: 3, asked for: 4; of 6 games 3 have one after 4 plies, 3 have a position that another one has: \
         ask for fewer or name more files\n"
    );
}
